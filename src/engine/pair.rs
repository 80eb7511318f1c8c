//! Pairs: what is kept of two pieces from step to step.
//!
//! Input: candidates of the broad phase, ascending by key. Output: pairs in the same order, with the
//! portal, the contacts and the impulses of those that were there before. A pair whose body was
//! teleported or changed its shape starts afresh. O(candidates + pairs). A *dormant* pair, of a
//! sleeper and nothing that moves, stays as it is whatever the broad phase says.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use super::active::ActiveContact;
use super::bodies::Bodies;
use super::body::Body;
use super::broad::{Candidate, PairKey};
use super::predict::Motion;
use super::ratio::PortalCache;
use super::shape::hull::Hull;
use crate::math::{Quat, Real, Vec3};

/// Two pieces that may touch.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// Names the pair.
    pub key: PairKey,
    /// Indices of the two bodies.
    pub bodies: [u32; 2],
    /// Versions of the two bodies for which the rest holds.
    pub versions: [u32; 2],
    /// Portal and plane of the last ratio query.
    pub cache: PortalCache,
    /// Friction coefficient μ of the pair (-).
    pub friction: Real,
    /// Rolling resistance of the pair (m).
    pub rolling: Real,
    /// Spinning resistance of the pair (m).
    pub spinning: Real,
    /// Coefficient of restitution e of the pair (-).
    pub restitution: Real,
    /// Velocity of the surface of body b along that of body a, beside their motion, as of a conveyor
    /// belt [m/s], world axes; its normal part does nothing. A belt under b that runs at u makes it -u.
    /// Zero at the start of every step.
    pub surface_velocity: Vec3,
    /// Indices of the two colliders on their bodies.
    pub colliders: [u32; 2],
    /// Names of the two colliders, see [`Collider::tag`](super::collider::Collider::tag).
    pub tags: [u64; 2],
    /// Is one of the colliders a sensor? Then the pair is measured and makes no contacts.
    pub sensor: bool,
    /// Ratio penetration depth Φ (-); positive infinity for a pair found apart by its plane.
    pub gap: Real,
    /// Signed plane separation (m).
    pub separation: Real,
    /// Time from the start of the step at which a swept pair blocks the free paths of its bodies (s);
    /// infinite if it does not, and for pairs that are not swept.
    pub impact: Real,
    /// Events left out because there were too many.
    pub dropped: u32,
    /// Contacts, sorted by id.
    pub contacts: SmallVec<[ActiveContact; 4]>,
    /// The triangle of a mesh as a hull, made when the other body first comes near it.
    pub triangle: Option<Arc<Hull>>,
    /// Do its contacts of the last step serve again?
    pub(super) kept: bool,
    /// Where and how it was measured, if its contacts may serve as long as it hardly moves.
    pub(super) measured: Option<Measurement>,
    /// Is it to be measured in this step?
    pub(super) stale: bool,
    /// Is it new, or does it start afresh?
    pub(super) fresh: bool,
    /// Friction coefficient (-) and number of contacts with which it was last solved.
    pub(super) settled: Option<(Real, u32)>,
}

/// Circumstances under which a pair was measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measurement {
    /// From the center of body a to that of body b (m).
    pub(super) between: Vec3,
    /// Rotations of both bodies.
    pub(super) rotations: [Quat; 2],
    /// Contacts up to this gap were sought (m).
    pub(super) band: Real,
}

/// Pairs of this step and of the last.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Pairs, ascending by key.
    pub list: Vec<Pair>,
    last: Vec<Pair>,
}

impl Pairs {
    /// Takes over the pairs that are still candidates or dormant, and adds the new ones.
    pub fn update(&mut self, candidates: &[Candidate], known: &Bodies, motions: &[Motion]) {
        let bodies = known.as_slice();
        // Up to the first that comes or goes the pairs stay where they are.
        let mut same = 0;
        for (pair, candidate) in self.list.iter_mut().zip(candidates) {
            if pair.key != candidate.key {
                break;
            }
            pair.renew(candidate, false, bodies, motions);
            same += 1;
        }
        self.last.clear();
        self.last.extend(self.list.drain(same..));
        let mut old = 0;
        for candidate in &candidates[same..] {
            while old < self.last.len() && self.last[old].key < candidate.key {
                self.keep_dormant(old, known, motions);
                old += 1;
            }
            let known = old < self.last.len() && self.last[old].key == candidate.key;
            let mut pair =
                if known { core::mem::take(&mut self.last[old]) } else { Pair::default() };
            old += usize::from(known);
            pair.renew(candidate, !known, bodies, motions);
            self.list.push(pair);
        }
        for old in old..self.last.len() {
            self.keep_dormant(old, known, motions);
        }
    }

    /// Lets the next step find all contacts anew.
    pub(super) fn forget_measurements(&mut self) {
        self.list.iter_mut().for_each(Pair::forget_measurement);
    }

    /// Keeps a pair of the last step that is no candidate, if it is dormant and its bodies are as they
    /// were.
    fn keep_dormant(&mut self, old: usize, known: &Bodies, motions: &[Motion]) {
        let pair = &self.last[old];
        let ids = [pair.key.a, pair.key.b];
        let sleeps = |id| known.get(id).is_some_and(Body::is_sleeping);
        if !ids.into_iter().any(sleeps) {
            return;
        }
        let [Some(a), Some(b)] = ids.map(|id| known.index_of(id)) else { return };
        let bodies = [a, b].map(|i| &known.as_slice()[i]);
        let mut pair = core::mem::take(&mut self.last[old]);
        pair.bodies = [a as u32, b as u32];
        if bodies.map(Body::version) == pair.versions && pair.is_dormant(motions) {
            (pair.fresh, pair.stale) = (false, false);
            pair.take_colliders(bodies);
            self.list.push(pair);
        }
    }
}

impl Pair {
    /// Begins a step: a pair that is new or whose bodies were placed or made anew starts afresh.
    fn renew(&mut self, candidate: &Candidate, is_new: bool, bodies: &[Body], motions: &[Motion]) {
        let versions = candidate.bodies.map(|i| bodies[i as usize].version());
        self.fresh = is_new || self.versions != versions;
        if self.fresh {
            let mut contacts = core::mem::take(&mut self.contacts);
            contacts.clear();
            *self = Self { key: candidate.key, versions, contacts, fresh: true, ..Self::default() };
        }
        self.bodies = candidate.bodies;
        self.stale = self.fresh || !self.is_dormant(motions);
        self.take_colliders(candidate.bodies.map(|i| &bodies[i as usize]));
    }

    /// Lets the next step find the contacts anew, wherever the bodies are: for those who change contacts.
    pub const fn forget_measurement(&mut self) {
        self.measured = None;
    }

    /// Is one of the bodies asleep, and none awake or moved by hand? Then nothing happens here.
    pub(super) fn is_dormant(&self, motions: &[Motion]) -> bool {
        let [a, b] = self.bodies.map(|i| &motions[i as usize]);
        (a.asleep || b.asleep) && !a.is_active() && !b.is_active()
    }

    /// Takes over what the colliders say.
    fn take_colliders(&mut self, [a, b]: [&Body; 2]) {
        let pieces = [(a, self.key.piece_a), (b, self.key.piece_b)];
        self.colliders = pieces.map(|(body, piece)| body.colliders().index_of(piece));
        let [Some(x), Some(y)] = pieces.map(|(body, piece)| body.colliders().of_piece(piece))
        else {
            return;
        };
        self.tags = [x.tag, y.tag];
        self.sensor = x.sensor || y.sensor;
        self.friction = 0.5 * (x.material.friction + y.material.friction);
        self.restitution = 0.5 * (x.material.restitution + y.material.restitution);
        self.surface_velocity = Vec3::ZERO;
        // Polytopes stand on corners and edges, which resist by themselves.
        let round = pieces.into_iter().any(|(body, piece)| body.colliders().is_round(piece));
        let [rolling, spinning] = if round {
            let (a, b) = (&x.material, &y.material);
            [a.rolling.max(b.rolling), a.spinning.max(b.spinning)]
        } else {
            [0.0; 2]
        };
        (self.rolling, self.spinning) = (rolling, spinning);
    }
}

impl Simulation {
    /// The pairs of pieces near each other in the last step, ascending by key, with their contacts.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs.list
    }

    /// The pairs of the step that is under way, for changes that hold in this step only: friction after
    /// stage 2, contacts after stage 3.
    pub fn pairs_mut(&mut self) -> &mut [Pair] {
        self.pairs.forget_measurements();
        &mut self.pairs.list
    }

    /// The same for those who change few: where they change contacts they call
    /// [`Pair::forget_measurement`], and only there contacts are found anew in the next step. With the
    /// bodies, to look them up.
    pub fn pairs_to_change(&mut self) -> (&Bodies, &mut [Pair]) {
        (&self.bodies, &mut self.pairs.list)
    }

    /// Takes pairs out of the step that is under way, after stage 2 or 3: those for which `keep` is
    /// false. They forget their contacts.
    pub fn retain_pairs(&mut self, mut keep: impl FnMut(&Pair) -> bool) {
        let (pairs, sleepers, bodies) = (&mut self.pairs, &mut self.sleepers, &self.bodies);
        pairs.list.retain(|pair| {
            let kept = keep(pair);
            if !kept && !pair.contacts.is_empty() {
                sleepers.note_pair(pair, bodies);
            }
            kept
        });
    }
}
