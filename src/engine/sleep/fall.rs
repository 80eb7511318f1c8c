//! Falling asleep: which islands of a finished step are at rest.
//!
//! Input: the velocities and edges of the step. Output: islands that sleep. O(bodies awake), and
//! O(edges + pairs awake) in steps in which an island has been at rest for long enough.

use super::{Ready, Simulation};
use crate::engine::graph::{NO_BODY, NO_ISLAND};
use crate::engine::integrate::solved;
use crate::engine::settings::SleepSettings;
use crate::math::Vec3;

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
            self.find_carried();
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
        let SleepSettings { linear, angular, time, .. } = self.sleepers.settings;
        let is_slow = |(v, w): (Vec3, Vec3)| {
            v.length_squared() <= linear * linear && w.length_squared() <= angular * angular
        };
        let ready = &mut self.sleepers.ready;
        ready.clear();
        ready.resize(work.islands.len(), Ready::Calm);
        for &i in &work.islands.members {
            let i = i as usize;
            let moved = solved(i, &work.motions, &work.islands, &work.problem.biased.velocity);
            let there = bodies.index_of(bodies.as_slice()[i].id()) == Some(i);
            let body = &mut bodies.as_mut_slice()[i];
            let slow = is_slow((body.linear_velocity, body.angular_velocity)) && is_slow(moved);
            body.rest.idle = if slow { body.rest.idle + self.report.dt } else { 0.0 };
            let may = body.can_sleep && body.moves() && there && !body.is_pushed();
            if !may || body.rest.idle < time {
                ready[work.islands.island[i] as usize] = Ready::No;
            }
        }
        ready.contains(&Ready::Calm)
    }

    /// Finds out what carries the islands that are ready.
    fn find_carried(&mut self) {
        let work = &self.work;
        let ready = &mut self.sleepers.ready;
        let joined = work.joint_bodies.iter().filter(|ends| !ends.contains(&NO_BODY));
        for edge in work.touching.iter().map(|pair| pair.bodies).chain(joined.copied()) {
            for (i, other) in [(edge[0], edge[1]), (edge[1], edge[0])] {
                let (k, other) = (work.islands.island[i as usize], other as usize);
                if k == NO_ISLAND || work.islands.island[other] != NO_ISLAND {
                    continue;
                }
                let ready = &mut ready[k as usize];
                if work.motions[other].is_active() {
                    *ready = Ready::No;
                } else if *ready == Ready::Calm {
                    *ready = Ready::Carried;
                }
            }
        }
        // The world carries what is joined to it; a motor that runs moves what it turns.
        for (ends, joint) in work.joint_bodies.iter().zip(self.joints.as_slice()) {
            let held = ends.contains(&NO_BODY);
            let runs = joint.desc.motors.iter().flatten().any(|motor| motor.velocity != 0.0);
            for &i in ends.iter().filter(|&&i| i != NO_BODY && (held || runs)) {
                let Some(ready) = ready.get_mut(work.islands.island[i as usize] as usize) else {
                    continue;
                };
                match *ready {
                    _ if runs => *ready = Ready::No,
                    Ready::Calm => *ready = Ready::Carried,
                    _ => {}
                }
            }
        }
        let belts = self.pairs.seen().filter(|pair| pair.surface_velocity != Vec3::ZERO);
        for pair in belts.filter(|pair| !pair.contacts.is_empty()) {
            for k in pair.bodies.map(|i| work.islands.island[i as usize]) {
                if k != NO_ISLAND {
                    ready[k as usize] = Ready::No;
                }
            }
        }
    }

    /// Puts the islands that are ready to sleep.
    fn put_ready(&mut self) {
        for k in 0..self.sleepers.ready.len() {
            let islands = &self.work.islands;
            let members = islands.start[k] as usize..islands.start[k + 1] as usize;
            let members = &islands.members[members];
            let falls = |&i: &u32| self.work.motions[i as usize].fall != Vec3::ZERO;
            let sleeps = match self.sleepers.ready[k] {
                Ready::No => false,
                Ready::Calm => !members.iter().any(falls),
                Ready::Carried => true,
            };
            if sleeps {
                let list = self.bodies.as_slice();
                let members = members.iter().map(|&i| list[i as usize].id()).collect();
                self.sleepers.put(members, self.report.dt, &mut self.bodies);
            }
        }
    }
}
