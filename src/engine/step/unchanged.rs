//! Steady islands: those whose step would be the last one again, to the last bit.
//!
//! Input: bodies, motions, contacts and settings of this step and of the last. Output: the islands in which
//! none of them changed and whose last solution had been taken as it was. Such an island is neither
//! assembled nor solved: it keeps velocities, impulses and certificate, which solving would give again
//! (tested). A world at rest then costs a comparison for each body and each pair. Unlike sleeping it is no
//! judgement: nothing is slow enough, all is the same. Islands with joints are always solved. O(bodies +
//! pairs).

use super::integrate::state;
use super::islands::{NO_BODY, NO_ISLAND, marked};
use super::predict::foresee;
use crate::engine::settings::Settings;
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::Pair;
use crate::engine::{Simulation, Work};
use crate::math::{Real, Vec3};

/// What changed since the last step.
#[derive(Clone, Debug, Default)]
pub struct Steady {
    /// Settings and length (s) of the last step.
    last: Option<(Settings, Real)>,
    /// May the body, or what moves it, differ from what it was when the last step began?
    pub(in crate::engine) changed: Vec<bool>,
    /// Which islands are steady.
    pub islands: Vec<bool>,
    /// Do all colliders touch as they did in the last step?
    pub touches: bool,
    /// Buffer: contacts of each island.
    contacts: Vec<u32>,
}

/// A pair that has contacts.
#[derive(Clone, Copy, Debug)]
pub struct Touching {
    /// Its place in the list of pairs.
    pub pair: u32,
    /// Indices of its bodies.
    pub bodies: [u32; 2],
    /// Number of its contacts.
    pub contacts: u32,
    /// Are they, and the friction, those with which it was last solved?
    pub steady: bool,
}

impl Work {
    /// Keeps the motions of the first `n` bodies.
    pub(in crate::engine) fn keep_motions(&mut self, n: usize) {
        self.motions.truncate(n);
        self.moves.truncate(n);
        self.active.truncate(n);
    }

    /// Takes up the motion of body `i`.
    pub(in crate::engine) fn set_motion(&mut self, i: usize, motion: Motion) {
        let (moves, active) = (motion.moves && !motion.asleep, motion.is_active());
        match self.motions.get_mut(i) {
            Some(old) => (*old, self.moves[i], self.active[i]) = (motion, moves, active),
            None => {
                self.motions.push(motion);
                self.moves.push(moves);
                self.active.push(active);
            }
        }
    }
}

impl Pair {
    /// Has it the contacts and the friction with which it was last solved? `solved` are those numbers.
    pub(in crate::engine) fn is_steady(&self, solved: Option<(Real, u32)>) -> bool {
        let now = Some((self.friction, self.contacts.len() as u32));
        self.kept
            && !self.followed
            && self.measured.is_some()
            && self.surface_velocity == Vec3::ZERO
            && solved == now
    }
}

impl Simulation {
    /// In stage 1: the free motion of every body that may have another one than in the last step.
    pub(in crate::engine) fn foresee(&mut self, settings: &Settings, dt: Real) {
        let (work, bodies) = (&mut self.work, &mut self.bodies);
        let now = Some((*settings, dt));
        let all = work.steady.last != now;
        work.steady.last = now;
        let mut changed = core::mem::take(&mut work.steady.changed);
        bodies.take_changes(&mut changed);
        if all {
            changed.fill(true);
        }
        work.keep_motions(bodies.as_slice().len());
        for i in marked(&changed) {
            let body = &mut bodies.as_mut_slice()[i];
            body.share_shapes(&mut work.shapes);
            let before = state(body);
            let motion = foresee(body, settings, dt, &mut self.report.quarantined);
            // Driven ones get their velocity here, broken ones are put back.
            if state(body) != before {
                bodies.note_change(i);
            }
            if !motion.asleep && work.motions.get(i) != Some(&motion) {
                // A force may have acted that does not go on.
                bodies.note_motion(i);
            }
            work.set_motion(i, motion);
        }
        work.steady.changed = changed;
    }

    /// For stage 2: lists the bodies that move or may have changed since the last.
    pub(in crate::engine) fn find_movers(&mut self) {
        let (work, bodies) = (&mut self.work, &self.bodies);
        let marks = &mut work.marks;
        marks.clear();
        marks.extend(work.active.iter().zip(&work.steady.changed).map(|(a, b)| a | b));
        bodies.add_changed(marks);
        work.movers.clear();
        work.movers.extend(marked(marks).map(|i| i as u32));
    }

    /// In stage 8: looks at the pairs of what stands still and was changed while the step was under way.
    pub(in crate::engine) fn look_at_edited(&mut self) {
        let (active, bodies) = (&self.work.active, &self.bodies);
        if bodies.any_changed_beside(active) {
            self.pairs.look(|i| bodies.is_changed(i) && !active[i]);
        }
    }

    /// After stage 4: finds the islands that are steady.
    pub(in crate::engine) fn find_steady(&mut self) {
        let (work, bodies) = (&mut self.work, &self.bodies);
        let (steady, islands) = (&mut work.steady, &work.islands);
        let Steady { changed, islands: flags, contacts, .. } = steady;
        let same = |i: u32| !changed[i as usize] && !bodies.is_changed(i as usize);
        flags.clear();
        for members in islands.start.windows(2) {
            let members = &islands.members[members[0] as usize..members[1] as usize];
            flags.push(members.iter().all(|&i| same(i)));
        }
        contacts.clear();
        contacts.resize(islands.len(), 0);
        for pair in &work.touching {
            let [a, b] = pair.bodies.map(|i| islands.island[i as usize]);
            let k = if a == NO_ISLAND { b } else { a };
            if k != NO_ISLAND {
                contacts[k as usize] += pair.contacts;
                flags[k as usize] &= pair.steady && pair.bodies.into_iter().all(same);
            }
        }
        for &i in work.joint_bodies.iter().flatten().filter(|&&i| i != NO_BODY) {
            if let Some(flag) = flags.get_mut(islands.island[i as usize] as usize) {
                *flag = false;
            }
        }
        let mut old = 0;
        for (k, flag) in flags.iter_mut().enumerate().filter(|(_, flag)| **flag) {
            let members = [islands.start[k], islands.start[k + 1]];
            let first = bodies.as_slice()[islands.members[members[0] as usize] as usize].id();
            let now = [members[1] - members[0], contacts[k]];
            *flag = work.solver.steady(first, &mut old) == Some(now);
        }
        steady.touches &=
            steady.islands.iter().zip(&steady.contacts).all(|(flag, n)| *flag || *n == 0);
    }
}
