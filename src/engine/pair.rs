//! Pairs: what is kept of two pieces from step to step.
//!
//! Input: candidates of the broad phase, ascending by key. Output: pairs in the same order, with the
//! portal, the contacts and the impulses of those that were there before. A pair whose body was
//! teleported or changed its shape starts afresh. O(candidates + pairs). A *dormant* pair, of a
//! sleeper and nothing that moves, stays as it is whatever the broad phase says.

use std::sync::Arc;

use smallvec::SmallVec;

use super::active::ActiveContact;
use super::bodies::Bodies;
use super::body::Body;
use super::broad::{Candidate, PairKey};
use super::predict::Motion;
use super::ratio::PortalCache;
use super::shape::hull::Hull;
use crate::math::{Real, Vec3};

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
    /// Memory of the contacts before the last.
    pub spare: SmallVec<[ActiveContact; 4]>,
    /// Is it to be measured in this step?
    pub(super) stale: bool,
    /// Is it new, or does it start afresh?
    pub(super) fresh: bool,
    /// Friction coefficient (-) and number of contacts with which it was last solved.
    pub(super) settled: Option<(Real, u32)>,
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
        core::mem::swap(&mut self.list, &mut self.last);
        self.list.clear();
        let mut old = 0;
        for candidate in candidates {
            while old < self.last.len() && self.last[old].key < candidate.key {
                self.keep_dormant(old, known, motions);
                old += 1;
            }
            let known = old < self.last.len() && self.last[old].key == candidate.key;
            let mut pair =
                if known { core::mem::take(&mut self.last[old]) } else { Pair::default() };
            old += usize::from(known);
            let versions = candidate.bodies.map(|i| bodies[i as usize].version());
            let fresh = !known || pair.versions != versions;
            if fresh {
                let contacts = core::mem::take(&mut pair.contacts);
                pair = Pair { key: candidate.key, versions, contacts, ..Pair::default() };
                pair.contacts.clear();
            }
            pair.bodies = candidate.bodies;
            pair.fresh = fresh;
            pair.stale = fresh || !pair.is_dormant(motions);
            pair.take_colliders(candidate.bodies.map(|i| &bodies[i as usize]));
            self.list.push(pair);
        }
        for old in old..self.last.len() {
            self.keep_dormant(old, known, motions);
        }
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
