//! What islands keep from step to step, and who inherits it when they split and merge.
//!
//! Input: the islands of a step with their bodies, the memories of the last one with theirs. Output: a memory
//! for each island. One whose bodies are the same keeps its own. Of the others, whoever has more than half of
//! the bodies of an island of the last step inherits its memory; of several memories that with most bodies
//! in common. With it goes the factor, as long as what is left has the contacts that it had. O(bodies), and
//! a sort of the bodies of islands that are others.

use core::cmp::Reverse;

use super::outcome::Outcome;
use crate::engine::lcp::newton::NewtonMemory;
use crate::engine::lcp::newton::joints_only::JointsMemory;
use crate::engine::state::body::{Body, BodyId};
use crate::engine::step::islands::Islands;
use crate::engine::tuning::work::ROUNDS;
use crate::math::{Double, fill_from};

/// Goes on with other bodies, ascending, if there are others; are there?
fn pass_on(
    newton: &mut NewtonMemory,
    members: &mut Vec<BodyId>,
    ids: impl ExactSizeIterator<Item = BodyId> + Clone,
) -> bool {
    let others = !ids.clone().eq(members.iter().copied());
    if others {
        newton.pass_on(ids.clone().map(|id| members.binary_search(&id).ok()));
        fill_from(members, ids);
    }
    others
}

/// What the heavy bodies of an island keep on which light ones lie.
#[derive(Clone, Debug)]
pub(super) struct HeavyMemory {
    /// Themselves, ascending.
    members: Vec<BodyId>,
    pub(super) newton: NewtonMemory,
    /// Tries to pass over after the last failure, and what is left of them.
    wait: [u32; 2],
}

impl HeavyMemory {
    /// Goes on with these bodies, ascending; false while it is too soon after a failure to try again.
    pub(super) fn go_on(&mut self, ids: impl ExactSizeIterator<Item = BodyId> + Clone) -> bool {
        if pass_on(&mut self.newton, &mut self.members, ids) {
            self.wait = [0; 2];
        }
        let is_time = self.wait[1] == 0;
        self.wait[1] = self.wait[1].saturating_sub(1);
        is_time
    }

    /// Notes whether a try led anywhere: if not, twice as many as the last time are passed over.
    pub(super) fn note(&mut self, leads: bool) {
        let wait = if leads { 0 } else { (2 * self.wait[0]).clamp(1, ROUNDS) };
        self.wait = [wait; 2];
    }
}

/// What an island keeps from step to step.
#[derive(Clone, Debug)]
pub(super) struct IslandMemory {
    /// Its bodies, ascending.
    pub(super) members: Vec<BodyId>,
    pub(super) newton: NewtonMemory,
    /// Of its heavy bodies; most islands have no light ones.
    pub(super) heavy: Option<Box<HeavyMemory>>,
    /// For the poses and for the velocities of the end, whose matrices differ; most islands have no joints.
    pub(super) joints_only: Option<Box<[JointsMemory; 2]>>,
    /// Work that a large island has saved, or owes where it is negative, for each contact and body, in sweeps
    /// over a contact (–); none before its first step.
    pub(super) savings: Option<Double>,
    /// What it had saved before a blow (–), until it is at rest, or made small at once.
    pub(super) aside: Option<Double>,
    /// Was the last step a failure of Newton, or made small at once?
    pub(super) failed: bool,
    /// Work of Newton that did not solve it while it was at rest (–), 0 if it was solved since; none if it
    /// does not rest.
    pub(super) vain: Option<Double>,
    /// Did sweeps behind the cone Newton change the impulses of the biased and the relaxed problem? Then
    /// those hold what it took to stop the bodies, which would act once more if they were taken as they are.
    pub(super) changed: [bool; 2],
    /// The part of the work of a step that it gets (–): less where the last steps were not solved.
    pub(super) effort: Double,
    /// Did contacts ask for the impossible in this step?
    pub(super) pressed: bool,
    /// The last solution, if it had been taken as it was.
    pub(super) steady: Option<SteadySolution>,
}

/// A solution that was taken as it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteadySolution {
    pub(super) outcome: Outcome,
    /// Bodies, contacts and joint rows.
    pub(super) size: [u32; 3],
}

impl Default for IslandMemory {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            newton: NewtonMemory::default(),
            heavy: None,
            joints_only: None,
            savings: None,
            aside: None,
            failed: false,
            vain: None,
            changed: [false; 2],
            effort: 1.0,
            pressed: false,
            steady: None,
        }
    }
}

impl IslandMemory {
    pub(super) fn first(&self) -> Option<BodyId> {
        self.members.first().copied()
    }

    /// What its heavy bodies keep; at first that is what the whole kept.
    pub(super) fn heavy(&mut self) -> &mut HeavyMemory {
        let Self { members, newton, heavy, .. } = self;
        heavy.get_or_insert_with(|| {
            let newton = core::mem::take(newton);
            Box::new(HeavyMemory { members: members.clone(), newton, wait: [0; 2] })
        })
    }
}

/// A memory, until its island takes it: it moves from list to list in each step, and is large.
type Kept = Option<Box<IslandMemory>>;

/// The first body of its island.
fn first_of(kept: &Kept) -> Option<BodyId> {
    kept.as_ref()?.members.first().copied()
}

/// The memories of this step and of the last, ascending by the first bodies of their islands.
#[derive(Clone, Debug, Default)]
pub(super) struct Memories {
    list: Vec<Kept>,
    last: Vec<Kept>,
    /// Whose memory each island of this step gets, by its place in the last.
    from: Vec<Option<u32>>,
    /// Buffers: bodies of islands that are others now, with their places in the last; places of those of one.
    homes: Vec<(BodyId, u32)>,
    shared: Vec<u32>,
}

impl Memories {
    /// A step begins. `same` tells which islands are known to have the bodies that they had, `keeps` which of
    /// them keep anything.
    pub(super) fn begin(
        &mut self,
        bodies: &[Body],
        islands: &Islands,
        same: &[bool],
        keeps: impl Fn(usize) -> bool,
    ) {
        core::mem::swap(&mut self.list, &mut self.last);
        self.list.clear();
        self.from.clear();
        let id = |&i: &u32| bodies[i as usize].id();
        let (mut old, mut others) = (0, false);
        for k in 0..islands.len() {
            let members = islands.members_of(k);
            let first = members.first().map(id);
            while self.last.get(old).is_some_and(|last| first_of(last) < first) {
                old += 1;
            }
            let known = self.last.get(old).filter(|last| first_of(last) == first);
            let is_same = |last: &Kept| {
                let theirs = last.iter().flat_map(|memory| memory.members.iter().copied());
                same[k] || members.iter().map(id).eq(theirs)
            };
            let from = known.filter(|last| keeps(k) && is_same(last)).map(|_| old as u32);
            others |= from.is_none() && keeps(k);
            self.from.push(from);
        }
        if others {
            self.find_heirs(bodies, islands, keeps);
        }
    }

    /// Finds the heirs of islands that are others now.
    fn find_heirs(&mut self, bodies: &[Body], islands: &Islands, keeps: impl Fn(usize) -> bool) {
        let Self { last, from, homes, shared, .. } = self;
        homes.clear();
        let mut taken = from.iter().flatten().copied().peekable();
        for (place, memory) in (0..).zip(&*last) {
            if taken.next_if_eq(&place).is_none() {
                homes.extend(memory.iter().flat_map(|m| &m.members).map(|&id| (id, place)));
            }
        }
        homes.sort_unstable();
        for k in (0..islands.len()).filter(|&k| keeps(k)) {
            if from[k].is_some() {
                continue;
            }
            let ids = islands.members_of(k).iter().map(|&i| bodies[i as usize].id());
            let home = |id| homes.binary_search_by_key(&id, |home| home.0).ok();
            fill_from(shared, ids.filter_map(home).map(|at| homes[at].1));
            shared.sort_unstable();
            let parts = shared.chunk_by(|a, b| a == b);
            let bodies = |at: u32| last[at as usize].as_ref().map_or(0, |m| m.members.len());
            let most = |part: &&[u32]| 2 * part.len() > bodies(part[0]);
            let largest = parts.filter(most).min_by_key(|part| Reverse(part.len()));
            from[k] = largest.map(|part| part[0]);
        }
    }

    /// The memory of island `k`, of these bodies (places, ascending).
    pub(super) fn recall(
        &mut self,
        k: usize,
        members: &[u32],
        bodies: &[Body],
    ) -> Box<IslandMemory> {
        let id = |&i: &u32| bodies[i as usize].id();
        let last = self.from[k].and_then(|place| self.last[place as usize].take());
        let mut memory = last.unwrap_or_default();
        if pass_on(&mut memory.newton, &mut memory.members, members.iter().map(id)) {
            memory.steady = None;
            // Where no light ones are left.
            if let Some(heavy) = memory.heavy.take_if(|heavy| heavy.members == memory.members) {
                memory.newton = heavy.newton;
                memory.newton.mark_changed();
            }
        }
        memory
    }

    /// Keeps the memory of the next island.
    pub(super) fn keep(&mut self, memory: Box<IslandMemory>) {
        self.list.push(Some(memory));
    }

    /// What the island of this first body kept in the last step; `old` is the place in its list.
    pub(super) fn of(&self, first: BodyId, old: &mut usize) -> Option<&IslandMemory> {
        while self.list.get(*old).is_some_and(|memory| first_of(memory) < Some(first)) {
            *old += 1;
        }
        self.list.get(*old).filter(|memory| first_of(memory) == Some(first))?.as_deref()
    }
}

#[cfg(test)]
mod tests;
