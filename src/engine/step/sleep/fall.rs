//! Falling asleep: which islands of a finished step are at rest.
//!
//! Input: the velocities and edges of the step. Output: islands that sleep. With the velocities `v` of a body
//! in the time `t` since it was found slow, `v₀` when that began, over all its points,
//!
//! ```text
//! max |v - v₀| ≤ a t,   t ≥ time
//! ```
//!
//! It is found slow anew when they differ by `a` times eight times `time`. A swing shows at its turning
//! points or, where it is fast, by its speed; a steady acceleration above `a` always. O(bodies awake), and
//! O(edges + pairs awake) in steps in which an island has been at rest for long enough.

use super::Simulation;
use crate::engine::settings::SleepSettings;
use crate::engine::step::integrate::solved;
use crate::engine::tuning::fall_asleep::LONGEST;
use crate::math::{Real, Vec3};

impl Simulation {
    /// At the end of a step: puts the islands that have come to rest to sleep.
    pub(in crate::engine) fn fall_asleep(&mut self) {
        // What a force that goes on did not wake, it does not move.
        for id in &self.sleepers.forced {
            if let Some(body) = self.bodies.get_mut(*id).filter(|body| body.is_sleeping()) {
                body.drop_forces();
            }
        }
        if self.sleepers.settings.enabled && self.find_calm() {
            self.find_driven();
            self.put_ready();
        }
        for id in core::mem::take(&mut self.sleepers.tired) {
            self.put_connected(id);
        }
        self.report.sleeping = self.sleepers.count() as u32;
    }

    /// Times how long every body has been at rest; true if an island is ready by that.
    fn find_calm(&mut self) -> bool {
        let (work, bodies) = (&self.work, &mut self.bodies);
        let SleepSettings { linear, angular, acceleration, time, .. } = self.sleepers.settings;
        let is_slow = |(v, w): (Vec3, Vec3)| {
            v.length_squared() <= linear * linear && w.length_squared() <= angular * angular
        };
        let change_max = LONGEST * acceleration * time.max(self.report.dt);
        let ready = &mut self.sleepers.ready;
        ready.clear();
        ready.resize(work.islands.len(), true);
        for &i in &work.islands.members {
            let i = i as usize;
            let moved = solved(i, &work.motions, &work.islands, &work.problem.biased.velocity);
            let there = bodies.index_of(bodies.as_slice()[i].id()) == Some(i);
            let body = &mut bodies.as_mut_slice()[i];
            let now = (body.linear_velocity, body.angular_velocity);
            let radius = work.motions[i].radius;
            let rest = &mut body.rest;
            rest.change = rest.change.max(distance(now, rest.since, radius));
            let calm = is_slow(now) && is_slow(moved) && rest.change <= change_max;
            if calm {
                rest.idle += self.report.dt;
            } else {
                (rest.idle, rest.since, rest.change) = (0.0, now, 0.0);
            }
            let even = rest.idle >= time && rest.change <= acceleration * rest.idle;
            let may = body.can_sleep && body.moves() && there && !body.is_pushed();
            if !(calm && even && may) {
                ready[work.islands.island[i] as usize] = false;
            }
        }
        ready.contains(&true)
    }

    /// What is moved by hand or by a motor or belt that runs is not at rest.
    fn find_driven(&mut self) {
        let work = &self.work;
        let ready = &mut self.sleepers.ready;
        let mut keep_awake = |body: u32| {
            if let Some(&island) = work.islands.island.get(body as usize)
                && let Some(ready) = ready.get_mut(island as usize)
            {
                *ready = false;
            }
        };
        let drives = |i: u32| match work.motions.get(i as usize) {
            Some(motion) => !motion.moves && motion.is_active(),
            None => false,
        };
        let touching = work.touching.iter().map(|pair| pair.bodies);
        for edge in touching.chain(work.joint_bodies.iter().copied()) {
            if edge.into_iter().any(drives) {
                edge.into_iter().for_each(&mut keep_awake);
            }
        }
        for (ends, joint) in work.joint_bodies.iter().zip(self.joints.as_slice()) {
            if joint.desc.motors.iter().flatten().any(|motor| motor.velocity != 0.0) {
                ends.iter().copied().for_each(&mut keep_awake);
            }
        }
        let belts = self.pairs.seen().filter(|pair| pair.surface_velocity != Vec3::ZERO);
        for pair in belts.filter(|pair| !pair.contacts.is_empty()) {
            pair.bodies.into_iter().for_each(&mut keep_awake);
        }
    }

    /// Puts the islands that are ready to sleep.
    fn put_ready(&mut self) {
        for k in 0..self.sleepers.ready.len() {
            if self.sleepers.ready[k] {
                let islands = &self.work.islands;
                let members = islands.start[k] as usize..islands.start[k + 1] as usize;
                let list = self.bodies.as_slice();
                let members =
                    islands.members[members].iter().map(|&i| list[i as usize].id()).collect();
                self.sleepers.put(members, self.report.dt, &mut self.bodies);
            }
        }
    }
}

/// Largest difference of two velocities within `radius` (m) of the center [m/s].
fn distance(a: (Vec3, Vec3), b: (Vec3, Vec3), radius: Real) -> Real {
    (a.0 - b.0).length() + radius * (a.1 - b.1).length()
}
