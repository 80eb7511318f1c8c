//! The record of change: by one clock, when what there is was last another.
//!
//! A clock ticks as a step begins and as someone has looked. Whatever changes is stamped with its time,
//! and whoever asks whether something is as it was compares: no mark has to be taken away, so any number
//! of stages can ask in any order, each since its own time. What is written down is
//!
//! - of a body: when its state (pose, velocities, properties) was last another, and when what moves it was;
//! - of a pair (in its head and guard): since when it is there, when it was last looked at, and when what its
//!   rows are made of was last another.
//!
//! Bodies that changed since a step began are listed beside their stamps, so that nothing passes over those
//! that did not. O(1) a change, O(changes) to list those of a step.

/// A time of the clock: larger is later; 0 is before everything.
pub type Stamp = u64;

/// When bodies changed, by their places in the list.
#[derive(Clone, Debug)]
pub struct Changes {
    now: Stamp,
    /// When the step under way began, or the last one; and when the one before it did.
    began: Stamp,
    before: Stamp,
    /// When someone last looked.
    looked: Stamp,
    /// When all bodies may have changed: they have other places, or other settings move them.
    all: Stamp,
    /// When the state of each was last another.
    state: Vec<Stamp>,
    /// When that, or what moves it, was.
    motion: Vec<Stamp>,
    /// Those of which it was since `began`, each once; and those of which it was before that since
    /// `before`, ascending.
    recent: Vec<u32>,
    last: Vec<u32>,
}

impl Default for Changes {
    fn default() -> Self {
        // What is there before the first step came after the clock began.
        Self {
            now: 1,
            began: 1,
            before: 0,
            looked: 0,
            all: 0,
            state: Vec::new(),
            motion: Vec::new(),
            recent: Vec::new(),
            last: Vec::new(),
        }
    }
}

impl Changes {
    /// Takes up a body at the end of the list.
    pub(super) fn push(&mut self) {
        self.state.push(0);
        self.motion.push(0);
        self.mark_moved(self.motion.len() - 1);
    }

    /// Keeps the bodies for which `keep` is true, which have other places now.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for i in 0..self.state.len() {
            if keep(i) {
                (self.state[kept], self.motion[kept]) = (self.state[i], self.motion[i]);
                kept += 1;
            }
        }
        self.state.truncate(kept);
        self.motion.truncate(kept);
        self.recent.clear();
        self.last.clear();
        self.mark_all_moved();
    }

    /// Takes note that the state of a body is another.
    pub(super) fn note(&mut self, i: usize) {
        self.state[i] = self.now;
        self.mark_moved(i);
    }

    /// Takes note that what moves a body is another.
    pub(super) fn mark_moved(&mut self, i: usize) {
        let last = core::mem::replace(&mut self.motion[i], self.now);
        if last < self.began {
            self.recent.push(i as u32);
        }
    }

    /// Takes note that all may be others.
    pub(in crate::engine) const fn mark_all_moved(&mut self) {
        self.all = self.now;
    }

    /// A step begins.
    pub(in crate::engine) fn begin_step(&mut self) {
        self.now += 1;
        (self.before, self.began) = (self.began, self.now);
        core::mem::swap(&mut self.recent, &mut self.last);
        self.recent.clear();
        self.last.sort_unstable();
    }

    /// The time.
    pub(crate) const fn now(&self) -> Stamp {
        self.now
    }

    /// When the state of a body was last another.
    pub(super) fn changed(&self, i: usize) -> Stamp {
        self.state[i]
    }

    /// When the step under way began.
    pub(crate) const fn began(&self) -> Stamp {
        self.began
    }

    /// May all bodies differ from what they were when the last step began?
    pub(in crate::engine) const fn is_all_new(&self) -> bool {
        self.all >= self.before
    }

    /// May a body, or what moves it, differ from what it was when the last step began?
    pub(in crate::engine) fn is_new(&self, i: usize) -> bool {
        self.motion[i].max(self.all) >= self.before
    }

    /// Those for which [`is_new`](Self::is_new) holds, but for those that changed since the step began; none
    /// if [all](Self::is_all_new) may be others. Ascending.
    pub(in crate::engine) fn last(&self) -> &[u32] {
        &self.last
    }

    /// Those that changed since the step began, in no order.
    pub(in crate::engine) fn recent(&self) -> &[u32] {
        &self.recent
    }

    /// Has a body, or what moves it, been another since the step began?
    pub(in crate::engine) fn is_recent(&self, i: usize) -> bool {
        self.motion[i] >= self.began
    }

    /// Has the state of a body been another since someone last looked?
    pub(super) fn is_unseen(&self, i: usize) -> bool {
        self.state[i] > self.looked
    }

    /// Someone has looked at what changed.
    pub(super) const fn settle(&mut self) {
        self.looked = self.now;
        self.now += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_ones(changes: &Changes) -> Vec<usize> {
        (0..changes.motion.len()).filter(|&i| changes.is_new(i)).collect()
    }

    fn listed(changes: &Changes) -> Vec<usize> {
        let mut list: Vec<_> = changes.last().iter().chain(changes.recent()).copied().collect();
        list.sort_unstable();
        list.dedup();
        list.into_iter().map(|i| i as usize).collect()
    }

    #[test]
    fn a_change_is_new_until_the_next_step_has_seen_it() {
        let mut changes = Changes::default();
        (0..4).for_each(|_| changes.push());
        changes.begin_step();
        assert_eq!(new_ones(&changes), [0, 1, 2, 3], "what came before the first step");
        changes.note(2);
        changes.note(2);
        assert_eq!(changes.recent(), [2], "once");
        changes.begin_step();
        assert_eq!((new_ones(&changes), changes.recent()), (vec![2], &[][..]), "for the next step");
        changes.mark_moved(3);
        changes.settle();
        changes.note(1);
        assert_eq!(new_ones(&changes), [1, 2, 3], "and those of this step");
        assert_eq!(listed(&changes), new_ones(&changes), "which are listed");
        assert!(changes.is_recent(1) && changes.is_recent(3) && !changes.is_recent(2));
        changes.begin_step();
        assert_eq!(new_ones(&changes), [1, 3], "whoever looked in between");
        changes.begin_step();
        assert_eq!((new_ones(&changes), changes.last()), (vec![], &[][..]), "nothing happened");
    }

    #[test]
    fn who_looks_sees_what_changed_since_and_no_push() {
        let mut changes = Changes::default();
        (0..3).for_each(|_| changes.push());
        let unseen =
            |changes: &Changes| (0..3).filter(|&i| changes.is_unseen(i)).collect::<Vec<_>>();
        changes.note(1);
        (0..3).for_each(|_| changes.begin_step());
        changes.mark_moved(0);
        assert_eq!(unseen(&changes), [1], "however many steps ago");
        changes.settle();
        assert!(unseen(&changes).is_empty(), "seen");
        changes.note(1);
        assert_eq!(unseen(&changes), [1], "in the same step");
    }

    #[test]
    fn after_a_body_left_all_have_other_places() {
        let mut changes = Changes::default();
        (0..3).for_each(|_| changes.push());
        (0..3).for_each(|_| changes.begin_step());
        changes.note(2);
        changes.settle();
        changes.note(0);
        changes.retain(|i| i != 1);
        changes.begin_step();
        assert!(changes.is_all_new() && changes.is_new(0) && changes.is_new(1), "for one step");
        assert!(changes.is_unseen(0) && !changes.is_unseen(1), "stamps go with their bodies");
        changes.note(1);
        changes.begin_step();
        assert_eq!((changes.is_all_new(), new_ones(&changes)), (false, vec![1]), "and no longer");
        assert_eq!(changes.last(), [1], "listed");
    }
}
