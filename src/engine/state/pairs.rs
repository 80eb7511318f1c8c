//! Pairs: what is kept of two pieces from step to step.
//!
//! Input: which candidates came and went in the broad phase, ascending by key. Output: pairs in order of
//! their keys, with the portal, the contacts and the impulses of those that were there before. A pair
//! whose body was teleported or changed its shape starts afresh. A *dormant* pair, of a sleeper and
//! nothing that moves, stays as it is.
//!
//! A pair is large and stays where it is in memory; the list holds pointers to them, and beside it lies a
//! list of heads, of what is asked of every pair. A step *looks at* the pairs that are not dormant, and
//! at those of which something may have changed; their places are listed, and found anew, in O(pairs) of
//! a nanosecond each, when a pair comes or goes, falls asleep or wakes. Else O(pairs looked at), and a
//! byte for each body.

use std::sync::Arc;

use smallvec::SmallVec;

use super::bodies::{Bodies, flag};
use super::body::{Body, BodyId};
use super::changes::Stamp;
use super::collider::CoefficientCombine;
use super::contact::{ActiveContact, ContactId};
use super::measurement::Measurement;
use super::motion::Motion;
use super::pair_head::{Guard, Head, Stay, shift};
use super::pair_key::{Candidate, CandidateChanges, PairKey};
use crate::engine::geometry::ratio::PortalCache;
use crate::engine::geometry::shape::hull::Hull;
use crate::math::{DVec3, Real, Vec3};

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
    /// Names of the two colliders, see `Collider::tag`.
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
    /// Angular impulses of rolling and spinning resistance on body b in world axes [N·m·s], in the biased
    /// and the relaxed solve, of those contacts that have them.
    pub angular_impulses: Vec<(ContactId, [DVec3; 2])>,
    /// The triangle of a mesh as a hull, made when the other body first comes near it.
    pub triangle: Option<Arc<Hull>>,
    /// Where and how it was measured, if its contacts may serve as long as it hardly moves.
    pub(in crate::engine) measured: Option<Measurement>,
    /// Do its rows let the free paths of its bodies pass each other?
    pub(in crate::engine) passes: bool,
    /// Does it stay as it is, being of a sleeper and nothing that moves?
    pub(in crate::engine) dormant: bool,
}

/// Pairs that are [fetched](fetch) at once: beyond 16 no more loads are under way, and lines of the first are
/// gone before their turn.
pub(in crate::engine) const ABREAST: usize = 16;

/// Asks memory for some pairs at once, before they are worked on one by one. They lie anywhere: waiting for
/// each in its turn takes longer than the work on it. A sum, since loads do not wait for each other in one.
pub(in crate::engine) fn fetch<'a>(pairs: impl Iterator<Item = &'a Pair>) {
    let mut sum = 0;
    for pair in pairs {
        sum ^= pair.bodies[0] ^ pair.dropped ^ u32::from(pair.measured.is_some());
        for contact in &pair.contacts {
            sum ^= contact.id.0 as u32 ^ contact.blow as u32;
        }
    }
    core::hint::black_box(sum);
}

/// All pairs.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Pairs, ascending by key: what comes and goes moves pointers, not pairs.
    pub list: Vec<Box<Pair>>,
    /// When the step began.
    pub(in crate::engine) step: Stamp,
    /// One for each pair.
    pub(crate) heads: Vec<Head>,
    pub(crate) guards: Vec<Guard>,
    /// Buffer of the list.
    #[expect(clippy::vec_box, reason = "a list of pairs moves pointers, not pairs")]
    last: Vec<Box<Pair>>,
    /// Buffers: runs of pairs that stay; those that came, with their places.
    stays: Vec<Stay>,
    came: Vec<(usize, Head, Guard)>,
    /// Pairs that went, to be used again.
    #[expect(clippy::vec_box, reason = "as above")]
    spare: Vec<Box<Pair>>,
    /// How many were measured in the last step, and how many came since: as many will be measured, or so.
    pub(in crate::engine) measured: u32,
    /// The last step in which pairs came or went, or got other bodies.
    pub(in crate::engine) merged: Stamp,
    /// The last step in or after which they were handed out to be changed.
    handed_out: Stamp,
    /// The last step that looked at dormant ones, too.
    strayed: Stamp,
    /// Places of the pairs that the step looks at, ascending.
    pub(in crate::engine) seen: Vec<u32>,
    /// Does it look at all of them?
    pub(in crate::engine) all_seen: bool,
    /// The least Φ (-) and separation (m) of the others; infinite without any.
    pub(in crate::engine) unseen: [Real; 2],
    /// The flags of the bodies for which they were listed, without edits.
    flags: Vec<u8>,
    /// Those that went in this step, ascending.
    pub(in crate::engine) gone: Vec<PairKey>,
}

impl Pairs {
    /// Begins a step with what changed among the candidates.
    pub(in crate::engine) fn update(&mut self, found: &CandidateChanges<'_>, known: &Bodies) {
        if !found.renumbered.is_empty() {
            for (head, pair) in self.heads.iter_mut().zip(&mut self.list) {
                head.bodies = head.bodies.map(|i| found.renumbered[i as usize]);
                pair.bodies = head.bodies;
            }
        }
        let last = core::mem::replace(&mut self.step, known.changes().began());
        self.all_seen = self.handed_out >= last;
        let all = self.all_seen;
        if !found.renumbered.is_empty() {
            self.merged = self.step;
        }
        self.gone.clear();
        // Those of a snapshot are there before the first step: the ones that are not found go.
        let first = if self.flags.is_empty() { self.heads.as_slice() } else { &[] };
        let first: Vec<PairKey> = first.iter().map(|head| head.key).collect();
        let removed = if first.is_empty() { found.removed } else { &first };
        if !(removed.is_empty() && found.added.is_empty()) {
            self.merge(removed, found.added, known.as_slice());
            self.measured += found.added.len() as u32;
            self.merged = self.step;
        }
        if all || self.strayed >= last || self.merged == self.step || self.flags != found.flags {
            found.flags.clone_into(&mut self.flags);
            self.renew(known.as_slice(), all);
        }
        let changes = known.changes();
        let stands = |i: usize| found.flags[i] & flag::ACTIVE == 0;
        let new = changes.last().iter();
        if changes.is_all_new() || new.fold(false, |any, &i| any | stands(i as usize)) {
            self.look(|i| changes.is_new(i) && stands(i));
        }
    }

    /// Finds out which pairs are dormant, and lists the others to be looked at. Takes over what colliders
    /// say for those that are new or edited, or for all.
    fn renew(&mut self, bodies: &[Body], all: bool) {
        for (head, pair) in self.heads.iter_mut().zip(&mut self.list) {
            let [a, b] = head.bodies.map(|i| self.flags[i as usize]);
            let (flags, new) = (a | b, head.began == self.step);
            let edited = new || all || flags & flag::EDITED != 0;
            if edited {
                pair.take_colliders(head.bodies.map(|i| &bodies[i as usize]));
            }
            let sleeps = flags & flag::ASLEEP != 0 && flags & flag::ACTIVE == 0;
            let dormant = sleeps && !new;
            // Others of its bodies may touch as one with it.
            self.all_seen |= sleeps && new;
            if head.dormant != dormant || edited {
                (pair.dormant, head.dormant) = (dormant, dormant);
                head.take(pair);
            }
            head.seen = !dormant;
        }
        // The next edit is another.
        self.flags.iter_mut().for_each(|flags| *flags &= !flag::EDITED);
        self.list_seen();
    }

    /// Lists the places of the pairs that the step looks at.
    fn list_seen(&mut self) {
        self.seen.clear();
        self.unseen = [Real::INFINITY; 2];
        let mut strays = self.all_seen;
        for (p, head) in (0..).zip(&self.heads) {
            if self.all_seen || head.seen {
                self.seen.push(p);
                strays |= head.dormant;
            } else {
                let [gap, separation] = head.depth();
                self.unseen = [self.unseen[0].min(gap), self.unseen[1].min(separation)];
            }
        }
        if strays {
            self.strayed = self.step;
        }
    }

    /// Looks at the pairs of some bodies, too.
    pub(in crate::engine) fn look(&mut self, at: impl Fn(usize) -> bool) {
        for head in &mut self.heads {
            head.seen |= head.bodies.iter().any(|&i| at(i as usize));
        }
        self.list_seen();
    }

    /// Looks at all pairs.
    fn look_at_all(&mut self) {
        self.all_seen = true;
        self.list_seen();
    }

    /// The pairs that the step looks at, ascending.
    pub(in crate::engine) fn seen(&self) -> impl Iterator<Item = &Pair> {
        self.seen.iter().map(|&p| &*self.list[p as usize])
    }

    /// Their heads, with their places.
    pub(in crate::engine) fn heads_seen(&self) -> impl Iterator<Item = (u32, &Head)> {
        self.seen.iter().map(|&p| (p, &self.heads[p as usize]))
    }

    /// Their bodies.
    pub(in crate::engine) fn bodies_seen(&self) -> impl Iterator<Item = [BodyId; 2]> {
        let key = |&p: &u32| self.heads[p as usize].key;
        self.seen.iter().map(key).map(|key| [key.a, key.b])
    }

    /// Takes over what was changed of pairs that were handed out in this step.
    pub(in crate::engine) fn take_up_changes(&mut self) {
        if self.handed_out == self.step || self.all_seen {
            self.heads.iter_mut().zip(&self.list).for_each(|(head, pair)| head.take(pair));
        }
    }

    /// Lets the pairs of some bodies be measured in this step.
    pub(in crate::engine) fn wake(&mut self, woken: impl Fn(BodyId) -> bool) {
        for ((head, guard), pair) in self.heads.iter_mut().zip(&mut self.guards).zip(&mut self.list)
        {
            if woken(head.key.a) || woken(head.key.b) {
                (head.dormant, pair.dormant, head.seen) = (false, false, true);
                guard.seen = 0;
            }
        }
        self.list_seen();
    }

    /// Takes out the pairs that went and puts in those that came. One of both starts afresh if a body of
    /// it is another.
    fn merge(&mut self, removed: &[PairKey], added: &[Candidate], bodies: &[Body]) {
        core::mem::swap(&mut self.list, &mut self.last);
        self.list.clear();
        self.stays.clear();
        self.came.clear();
        let mut removed = removed.iter().peekable();
        let mut added = added.iter().peekable();
        let (heads, mut old, mut at) = (&self.heads, self.last.drain(..), 0);
        loop {
            // What lies before the next change stays.
            let next = match (removed.peek(), added.peek()) {
                (Some(&&key), Some(candidate)) => Some(key.min(candidate.key)),
                (Some(&&key), None) => Some(key),
                (None, Some(candidate)) => Some(candidate.key),
                (None, None) => None,
            };
            let rest = &heads[at..];
            // One after the other: memory is read ahead then, and all that follows moves anyway.
            let stay = next.and_then(|key| rest.iter().position(|head| head.key >= key));
            let stay = stay.unwrap_or(rest.len());
            self.stays.push((at..at + stay, self.list.len()));
            self.list.extend(old.by_ref().take(stay));
            at += stay;
            let Some(key) = next else { break };
            let was = heads.get(at).filter(|head| head.key == key).map(|head| (head, at));
            let pair = was.and_then(|_| old.next());
            if let Some((head, _)) = was {
                // Others of its bodies, which stay dormant, may have touched as one with it.
                self.all_seen |= head.dormant;
                self.gone.push(key);
                at += 1;
            }
            removed.next_if(|removed| **removed == key);
            let Some(candidate) = added.next_if(|candidate| candidate.key == key) else {
                self.spare.extend(pair);
                continue;
            };
            let versions = candidate.bodies.map(|i| bodies[i as usize].version());
            let kept = was.map(|(head, at)| (head, &self.guards[at]));
            let kept = kept.filter(|(_, guard)| guard.versions == versions);
            let mut pair = pair.or_else(|| self.spare.pop()).unwrap_or_default();
            if kept.is_none() {
                pair.begin(candidate, versions);
            }
            pair.bodies = candidate.bodies;
            let mut head = Head::new(candidate, self.step);
            let mut guard = Guard::new(candidate, versions);
            if let Some((head_kept, guard_kept)) = kept {
                (head.began, head.rows, head.solved) =
                    (head_kept.began, head_kept.rows, head_kept.solved);
                (guard.seen, guard.clear) = (guard_kept.seen, guard_kept.clear);
            }
            head.take(&pair);
            self.came.push((self.list.len(), head, guard));
            self.list.push(pair);
        }
        let count = self.list.len();
        shift(&mut self.heads, &self.stays, count);
        shift(&mut self.guards, &self.stays, count);
        for &(at, head, guard) in &self.came {
            (self.heads[at], self.guards[at]) = (head, guard);
        }
    }

    /// Lets the next step find all contacts anew.
    pub(in crate::engine) fn forget_measurements(&mut self) {
        for (head, pair) in self.heads.iter_mut().zip(&mut self.list) {
            pair.forget_measurement();
            head.lasting = false;
        }
    }

    /// All pairs, to be changed from outside.
    pub(in crate::engine) fn hand_out(&mut self) -> &mut [Box<Pair>] {
        self.handed_out = self.step;
        self.look_at_all();
        &mut self.list
    }

    /// Takes out the pairs for which `keep` is false, and tells which near pairs they come from; none if
    /// `keep` panics.
    pub(in crate::engine) fn retain(
        &mut self,
        mut keep: impl FnMut(&Pair) -> bool,
        mut forget: impl FnMut(u32, &PairKey),
    ) {
        let gone: Vec<usize> = (0..self.list.len()).filter(|&i| !keep(&self.list[i])).collect();
        let (mut kept, mut next) = (0, gone.into_iter().peekable());
        for i in 0..self.list.len() {
            if next.next_if_eq(&i).is_some() {
                forget(self.guards[i].near, &self.heads[i].key);
            } else {
                self.list.swap(kept, i);
                self.heads.swap(kept, i);
                self.guards.swap(kept, i);
                kept += 1;
            }
        }
        if kept < self.heads.len() {
            self.merged = self.step;
            self.heads.truncate(kept);
            self.guards.truncate(kept);
            self.spare.extend(self.list.drain(kept..));
            self.look_at_all();
        }
    }
}

impl Pair {
    /// Starts afresh.
    fn begin(&mut self, candidate: &Candidate, versions: [u32; 2]) {
        let mut contacts = core::mem::take(&mut self.contacts);
        let mut angular_impulses = core::mem::take(&mut self.angular_impulses);
        contacts.clear();
        angular_impulses.clear();
        let key = candidate.key;
        *self = Self { key, versions, contacts, angular_impulses, ..Self::default() };
    }

    /// Angular impulses of a contact, see [`angular_impulses`](Self::angular_impulses).
    pub(in crate::engine) fn angular_impulse(&self, id: ContactId) -> [DVec3; 2] {
        let known = self.angular_impulses.iter().find(|known| known.0 == id);
        known.map_or([DVec3::ZERO; 2], |known| known.1)
    }

    /// Remembers the angular impulses of a contact.
    pub(in crate::engine) fn set_angular_impulse(&mut self, id: ContactId, impulse: [DVec3; 2]) {
        match self.angular_impulses.iter_mut().find(|known| known.0 == id) {
            Some(known) => known.1 = impulse,
            None => self.angular_impulses.push((id, impulse)),
        }
    }

    /// Lets the next step find the contacts anew, wherever the bodies are: for those who change contacts.
    pub const fn forget_measurement(&mut self) {
        self.measured = None;
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
        let (a, b) = (&x.material, &y.material);
        let combine = CoefficientCombine::combine;
        let materials = [a, b];
        (self.friction, _) = combine(materials.map(|m| (m.friction, m.friction_combine)));
        (self.restitution, _) = combine(materials.map(|m| (m.restitution, m.restitution_combine)));
        self.surface_velocity = Vec3::ZERO;
        // Polytopes stand on corners and edges, which resist by themselves.
        let round = pieces.into_iter().any(|(body, piece)| body.colliders().is_round(piece));
        let [rolling, spinning] =
            if round { [a.rolling.max(b.rolling), a.spinning.max(b.spinning)] } else { [0.0; 2] };
        (self.rolling, self.spinning) = (rolling, spinning);
    }
}

/// Is one of two bodies asleep, and none awake or moved by hand? Then nothing happens between them.
pub(in crate::engine) fn is_dormant(bodies: [u32; 2], motions: &[Motion]) -> bool {
    let [a, b] = bodies.map(|i| &motions[i as usize]);
    (a.asleep || b.asleep) && !a.is_active() && !b.is_active()
}
