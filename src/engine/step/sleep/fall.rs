//! Falling asleep: which islands of a finished step are at rest.
//!
//! Input: the velocities and edges of the step. Output: islands that sleep. With the velocities `v` of a body
//! in the time `t` since it was found slow, `v₀` when that began, over all its points,
//!
//! ```text
//! max |v - v₀| ≤ a t,   t ≥ time
//! ```
//!
//! A body is found slow anew when they differ by `c`, which is `a` times eight times `time`. So long may what
//! trembles take; what has come to rest since need not wait for it. It sleeps, too, after any span with
//!
//! ```text
//! max |v - v₀| ≤ a time,   max |v| ≤ c,   t ≥ time
//! ```
//!
//! A swing shows at its turning points or, where it is fast, by its speed; a steady acceleration above `a`
//! always. O(bodies awake), and
//! O(edges + pairs awake) in steps in which an island has been at rest for long enough.

use super::{Parts, Sleepers};
use crate::engine::lcp::Vec6;
use crate::engine::settings::SleepSettings;
use crate::engine::state::bodies::Bodies;
use crate::engine::state::joint::Joint;
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::Pairs;
use crate::engine::step::integrate::solved;
use crate::engine::step::islands::Islands;
use crate::engine::step::unchanged::Touching;
use crate::engine::tuning::fall_asleep::LONGEST;
use crate::math::{Real, Vec3, refill};

/// A step whose bodies have moved.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Finished<'a> {
    pub(in crate::engine) motions: &'a [Motion],
    pub(in crate::engine) islands: &'a Islands,
    /// The velocities that moved the bodies of islands.
    pub(in crate::engine) velocity: &'a [Vec6],
    pub(in crate::engine) touching: &'a [Touching],
    pub(in crate::engine) joint_bodies: &'a [[u32; 2]],
    /// Length of this step (s).
    pub(in crate::engine) dt: Real,
}

impl Sleepers {
    /// At the end of a step: puts the islands that have come to rest to sleep.
    pub(in crate::engine) fn fall_asleep(&mut self, parts: &mut Parts<'_>, step: &Finished<'_>) {
        // What a force that goes on did not wake, it does not move.
        for id in &self.forced {
            if let Some(body) = parts.bodies.get_mut(*id).filter(|body| body.is_sleeping()) {
                body.drop_forces();
            }
        }
        if self.settings.enabled && self.find_calm(parts.bodies, step) {
            self.find_driven(parts.pairs, parts.joints.as_slice(), step);
            self.put_ready(parts.bodies, step);
        }
        for id in core::mem::take(&mut self.tired) {
            self.put_connected(id, parts, step.dt);
        }
    }

    /// Times how long every body has been at rest; true if an island is ready by that.
    fn find_calm(&mut self, bodies: &mut Bodies, step: &Finished<'_>) -> bool {
        let SleepSettings { linear, angular, acceleration, time, .. } = self.settings;
        let is_slow = |(v, w): (Vec3, Vec3)| {
            v.length_squared() <= linear * linear && w.length_squared() <= angular * angular
        };
        let change_max = LONGEST * acceleration * time.max(step.dt);
        let ready = &mut self.ready;
        refill(ready, step.islands.len(), true);
        for &i in &step.islands.members {
            let i = i as usize;
            let moved = solved(i, step.motions, step.islands, step.velocity);
            let there = bodies.index_of(bodies.as_slice()[i].id()) == Some(i);
            let body = &mut bodies.as_mut_slice()[i];
            let now = (body.linear_velocity, body.angular_velocity);
            let radius = step.motions[i].radius;
            let sleep = &mut body.sleep;
            sleep.change = sleep.change.max(distance(now, sleep.since, radius));
            let still = sleep.idle > 0.0
                && distance(now, Default::default(), radius) <= change_max
                && distance(now, sleep.still_since, radius) <= acceleration * time;
            if still {
                sleep.still += step.dt;
            } else {
                (sleep.still, sleep.still_since) = (0.0, now);
            }
            let calm = is_slow(now) && is_slow(moved) && sleep.change <= change_max;
            if calm {
                sleep.idle += step.dt;
            } else {
                (sleep.idle, sleep.since, sleep.change) = (0.0, now, 0.0);
            }
            let even = sleep.idle >= time && sleep.change <= acceleration * sleep.idle
                || sleep.still >= time;
            let may = body.can_sleep && body.moves() && there && !body.is_pushed();
            if !(calm && even && may) {
                ready[step.islands.island[i] as usize] = false;
            }
        }
        ready.contains(&true)
    }

    /// What is moved by hand or by a motor or belt that runs is not at rest.
    fn find_driven(&mut self, pairs: &Pairs, joints: &[Joint], step: &Finished<'_>) {
        let ready = &mut self.ready;
        let mut keep_awake = |body: u32| {
            if let Some(&island) = step.islands.island.get(body as usize)
                && let Some(ready) = ready.get_mut(island as usize)
            {
                *ready = false;
            }
        };
        let drives = |i: u32| match step.motions.get(i as usize) {
            Some(motion) => !motion.moves && motion.is_active(),
            None => false,
        };
        let touching = step.touching.iter().map(|pair| pair.bodies);
        for edge in touching.chain(step.joint_bodies.iter().copied()) {
            if edge.into_iter().any(drives) {
                edge.into_iter().for_each(&mut keep_awake);
            }
        }
        for (ends, joint) in step.joint_bodies.iter().zip(joints) {
            if joint.desc.motors.iter().flatten().any(|motor| motor.velocity != 0.0) {
                ends.iter().copied().for_each(&mut keep_awake);
            }
        }
        for (_, head) in pairs.heads_seen().filter(|(_, head)| head.belt && head.contacts > 0) {
            head.bodies.into_iter().for_each(&mut keep_awake);
        }
    }

    /// Puts the islands that are ready to sleep.
    fn put_ready(&mut self, bodies: &mut Bodies, step: &Finished<'_>) {
        for k in 0..self.ready.len() {
            if self.ready[k] {
                let list = bodies.as_slice();
                let id = |&i: &u32| list[i as usize].id();
                let members = step.islands.members_of(k).iter().map(id).collect();
                self.put(members, step.dt, bodies);
            }
        }
    }
}

/// Largest difference of two velocities within `radius` (m) of the center [m/s].
fn distance(a: (Vec3, Vec3), b: (Vec3, Vec3), radius: Real) -> Real {
    (a.0 - b.0).length() + radius * (a.1 - b.1).length()
}
