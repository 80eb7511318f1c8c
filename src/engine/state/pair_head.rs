//! Heads of pairs: what every step asks of every pair, side by side in memory.

use super::changes::{PairStamps, Stamp};
use super::measurement::Clear;
use super::pair_key::{Candidate, PairKey};
use super::pairs::Pair;
use crate::math::{Real, Vec3};

/// What is asked of every pair: the rest of it is looked up only where there are contacts or it is measured.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Head {
    pub(in crate::engine) key: PairKey,
    pub(in crate::engine) bodies: [u32; 2],
    /// Versions of the bodies for which the rest holds.
    pub(in crate::engine) versions: [u32; 2],
    /// The near pair that it comes from.
    pub(super) near: u32,
    /// Does it stay as it is, being of a sleeper and nothing that moves?
    pub(in crate::engine) dormant: bool,
    /// Does the step look at it?
    pub(super) seen: bool,
    /// Is it one with a sensor?
    pub(in crate::engine) sensor: bool,
    /// When it changed.
    pub(in crate::engine) stamps: PairStamps,
    /// Number of its contacts, and of those left out because there were too many.
    pub(in crate::engine) contacts: u32,
    pub(in crate::engine) dropped: u32,
    /// Φ (-) and separation (m).
    pub(in crate::engine) gap: Real,
    pub(in crate::engine) separation: Real,
    /// Friction coefficient of the pair (-), and whether its surfaces move.
    pub(in crate::engine) friction: Real,
    pub(in crate::engine) belt: bool,
    /// Friction coefficient (-) and number of contacts with which it was last solved.
    pub(super) solved: (Real, u32),
    /// Until when its contacts may serve.
    pub(in crate::engine) clear: Option<Clear>,
}

impl Head {
    /// Of a pair that comes with a step, which looks at it.
    pub(super) const fn new(candidate: &Candidate, versions: [u32; 2], began: Stamp) -> Self {
        let &Candidate { key, bodies, near } = candidate;
        let stamps = PairStamps { began, seen: 0, measured: 0, rows: 0 };
        Self {
            key,
            bodies,
            versions,
            near,
            dormant: false,
            seen: true,
            sensor: false,
            stamps,
            contacts: 0,
            dropped: 0,
            gap: Real::INFINITY,
            separation: Real::INFINITY,
            friction: 0.0,
            belt: false,
            solved: (0.0, 0),
            clear: None,
        }
    }

    /// Takes over what a pair tells.
    pub(in crate::engine) fn take(&mut self, pair: &Pair) {
        self.sensor = pair.sensor;
        (self.friction, self.belt) = (pair.friction, pair.surface_velocity != Vec3::ZERO);
        (self.contacts, self.dropped) = (pair.contacts.len() as u32, pair.dropped);
        (self.gap, self.separation) = (pair.gap, pair.separation);
        self.clear = pair.measured.as_ref().map(|measured| measured.clear);
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
