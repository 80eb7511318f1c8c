//! Heads of pairs: what every stage asks of every pair, side by side in memory, and guards: what is asked of
//! them once a step, to judge whether a pair has to be measured.

use core::ops::Range;

use super::changes::Stamp;
use super::measurement::Clear;
use super::pair_key::{Candidate, PairKey};
use super::pairs::Pair;
use crate::math::{Real, Vec3};

/// What is asked of every pair: the rest of it is looked up only where there are contacts or it is measured.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Head {
    pub(in crate::engine) key: PairKey,
    pub(in crate::engine) bodies: [u32; 2],
    /// Since when it is there as it is: a teleport of a body or another shape makes it another.
    pub(in crate::engine) began: Stamp,
    /// When its contacts, their number or its friction were last others than those that it had been solved
    /// with.
    pub(in crate::engine) rows: Stamp,
    /// Does it stay as it is, being of a sleeper and nothing that moves?
    pub(in crate::engine) dormant: bool,
    /// Does the step look at it?
    pub(super) seen: bool,
    /// Is it one with a sensor?
    pub(in crate::engine) sensor: bool,
    /// Do its surfaces move?
    pub(in crate::engine) belt: bool,
    /// Was it measured when it was last looked at?
    pub(in crate::engine) measured: bool,
    /// May what was measured serve again?
    pub(in crate::engine) lasting: bool,
    /// Number of its contacts, and of those left out because there were too many.
    pub(in crate::engine) contacts: u32,
    pub(in crate::engine) dropped: u32,
    /// Φ (-) and separation (m).
    pub(in crate::engine) gap: Real,
    pub(in crate::engine) separation: Real,
    /// Friction coefficient of the pair (-).
    pub(in crate::engine) friction: Real,
    /// Friction coefficient (-) and number of contacts with which it was last solved.
    pub(super) solved: (Real, u32),
}

/// What tells whether a pair has to be measured.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guard {
    /// Versions of the bodies for which the rest holds.
    pub(in crate::engine) versions: [u32; 2],
    /// The near pair that it comes from.
    pub(super) near: u32,
    /// When it was last looked at: measured, unless its contacts served again.
    pub(in crate::engine) seen: Stamp,
    /// Until when its contacts may serve, if the head says that they may.
    pub(in crate::engine) clear: Clear,
}

impl Guard {
    /// Of a pair that comes with a step.
    pub(crate) fn new(candidate: &Candidate, versions: [u32; 2]) -> Self {
        Self { versions, near: candidate.near, seen: 0, clear: Clear::default() }
    }
}

impl Head {
    /// Of a pair that comes with a step, which looks at it.
    pub(crate) fn new(candidate: &Candidate, began: Stamp) -> Self {
        let &Candidate { key, bodies, .. } = candidate;
        let [gap, separation] = [Real::INFINITY; 2];
        Self { key, bodies, began, seen: true, gap, separation, ..Self::default() }
    }

    /// Takes over what a pair tells.
    pub(crate) fn take(&mut self, pair: &Pair) {
        self.sensor = pair.sensor;
        (self.friction, self.belt) = (pair.friction, pair.surface_velocity != Vec3::ZERO);
        (self.contacts, self.dropped) = (pair.contacts.len() as u32, pair.dropped);
        (self.gap, self.separation) = (pair.gap, pair.separation);
        self.lasting = pair.measured.is_some();
    }

    /// Takes note of what it is solved with now; true if that is another than it was, or cannot be kept.
    pub(in crate::engine) fn mark_rows(&mut self) -> bool {
        let now = (self.friction, self.contacts);
        core::mem::replace(&mut self.solved, now) != now || self.belt
    }

    /// Φ (-) and separation (m), infinite with a sensor.
    pub(in crate::engine) const fn depth(&self) -> [Real; 2] {
        if self.sensor { [Real::INFINITY; 2] } else { [self.gap, self.separation] }
    }
}

/// A run of pairs that stay while others come and go, and where it goes itself.
pub(super) type Stay = (Range<usize>, usize);

/// Moves runs that stay to their new places in a list that has `count` items then. Runs that move down do so
/// first and from below, the others from above: none is overwritten before it moved.
pub(super) fn shift<T: Copy + Default>(list: &mut Vec<T>, stays: &[Stay], count: usize) {
    list.resize(list.len().max(count), T::default());
    for (from, to) in stays.iter().filter(|(from, to)| *to < from.start) {
        list.copy_within(from.clone(), *to);
    }
    for (from, to) in stays.iter().rev().filter(|(from, to)| *to > from.start) {
        list.copy_within(from.clone(), *to);
    }
    list.truncate(count);
}
