//! Joint rows of an island, and what the bodies feel of them.
//!
//! Input: the joints of an island. Output: their rows in ascending order of joints, each with the joint
//! and slot it came from; after the solve impulses and reactions of every joint. O(rows).

use crate::engine::tuning::work::ROUNDED;
use crate::engine::tuning::yielding::{PRESSED, YIELD};
use smallvec::SmallVec;

use super::{Sources, StepProblem, mask};
use crate::engine::lcp::rows::{dot6, joint_compliance};
use crate::engine::lcp::{JointRow, Vec6};
use crate::engine::settings::Settings;
use crate::engine::state::joint::{Joint, JointId, JointRowBuilder, keeps};
use crate::engine::state::motion::vec6;
use crate::math::{DVec3, Double, Real, Vec3, narrow3, widen};

/// What closes a loop with the joints of an island.
enum Loop {
    Joints,
    Contact,
}

impl StepProblem {
    /// Joint rows of an island, in ascending order of joints.
    pub(super) fn add_joints(&mut self, sources: &Sources<'_>, settings: &Settings, k: usize) {
        let closed = self.find_loop(sources, k);
        let softest = match closed {
            Some(Loop::Contact) => {
                let tolerance = settings.solver.tolerance_at(widen(sources.dt));
                tolerance / stopping_impulse(sources, settings, k)
            }
            _ => Double::INFINITY,
        };
        let pressed = self.pressed(sources, k);
        let touches = self.manifolds.len() > self.first_manifold(k);
        let mut rows = core::mem::take(&mut self.joint_rows);
        for i in self.joints_of.range(k) {
            let j = self.joints_of.items[i] as usize;
            let bodies = sources.joint_bodies[j];
            let ends = bodies.map(|i| sources.bodies.get(i as usize));
            let motions = bodies.map(|i| sources.motions.get(i as usize));
            let free = motions.map(|m| m.map_or([0.0; 6], |m| vec6(m.linear, m.angular)));
            let last = [0, 1].map(|side| match (ends[side], motions[side]) {
                (Some(body), Some(motion)) if motion.moves => {
                    vec6(body.linear_velocity, body.angular_velocity)
                }
                _ => free[side],
            });
            // Where they are in the island, with what is locked, of those that move.
            let members = [0, 1].map(|side| match (ends[side], motions[side]) {
                (Some(body), Some(motion)) if motion.moves => {
                    let local = sources.islands.local[bodies[side] as usize];
                    Some((local, body.locked_axes.bits()))
                }
                _ => None,
            });
            let joint = &sources.joints[j];
            let dt = sources.dt;
            let strength = if members.contains(&None) { pressed } else { [Double::INFINITY; 2] };
            let maker =
                JointRowBuilder { joint, ends, free, last, strength, touches, settings, dt };
            let place = maker.place();
            maker.make(&place, &mut rows);
            let scale = widen(sources.dt_ratio);
            for row in &rows {
                let mut bias = row.bias;
                for side in 0..2 {
                    if members[side].is_none() {
                        bias += dot6(&row.sides[side], &free[side]);
                    }
                }
                let term = |side: usize, (local, locked)| (local, mask(row.sides[side], locked));
                let terms = match members {
                    [Some(a), Some(b)] => SmallVec::from_buf([term(0, a), term(1, b)]),
                    [a, b] => [(0, a), (1, b)]
                        .into_iter()
                        .filter_map(|(side, end)| Some(term(side, end?)))
                        .collect(),
                };
                let (softness, bounds) = (row.softness, row.bounds);
                let mut made = JointRow { terms, bias, softness, bounds };
                let locks = !made.is_bounded() || (keeps(row.slot) && bounds[0] < 0.0);
                if closed.is_some() && locks && softness == 0.0 {
                    let first = sources.islands.start[k] as usize;
                    let compliance = joint_compliance(&self.bodies[first..], &made);
                    // Rounded, it may be below zero where moments of inertia are far apart.
                    made.softness = (YIELD * compliance).min(softest).max(0.0);
                }
                self.joints.push(made);
                self.joint_push.push(row.push);
                self.joint_aim.push(row.aim);
                self.joint_source.push([j as u32, row.slot as u32]);
                self.joint_wrench.push(wrench(&row.sides[1], place.arms[1]));
                self.biased.joint_impulse.push(joint.impulse[0][row.slot] * scale);
                self.relaxed.joint_impulse.push(joint.impulse[1][row.slot] * scale);
            }
        }
        self.joint_rows = rows;
    }

    /// Place of the first manifold of an island, the last that was begun.
    fn first_manifold(&self, k: usize) -> usize {
        k.checked_sub(1).map_or(0, |k| self.end[k].manifolds)
    }

    /// The force (N) and torque (N·m) that joints of an island bear which tie it to what does not move:
    /// any, unless it touches what does not move as well. Both together may ask for the impossible.
    fn pressed(&self, sources: &Sources<'_>, k: usize) -> [Double; 2] {
        let members = sources.islands.members_of(k);
        let fixed = members.len() as u32;
        if !self.manifolds[self.first_manifold(k)..].iter().any(|m| m.a == fixed || m.b == fixed) {
            return [Double::INFINITY; 2];
        }
        let center = |i: u32| sources.bodies[i as usize].center();
        let (mut mass, mut reach) = (0.0, Real::MIN_POSITIVE);
        for &i in members {
            let motion = &sources.motions[i as usize];
            mass += widen(sources.bodies[i as usize].mass());
            let from_first = (center(i) - center(members[0])).length();
            reach = reach.max(from_first + motion.radius);
        }
        [PRESSED * mass, PRESSED * mass * widen(reach)]
    }

    /// What closes a loop with joints of an island: others, through the world or what does not move, or a
    /// contact between bodies that they connect.
    fn find_loop(&mut self, sources: &Sources<'_>, k: usize) -> Option<Loop> {
        let islands = sources.islands;
        let ground = islands.start[k + 1] - islands.start[k];
        self.joint_sets.reset(ground as usize + 1);
        let local = |i: u32| match islands.island.get(i as usize) {
            Some(&island) if island == k as u32 => islands.local[i as usize],
            _ => ground,
        };
        for i in self.joints_of.range(k) {
            let [a, b] = sources.joint_bodies[self.joints_of.items[i] as usize].map(local);
            if self.joint_sets.find(a) == self.joint_sets.find(b) {
                return Some(Loop::Joints);
            }
            self.joint_sets.join(a, b);
        }
        let from = self.first_manifold(k);
        let sets = &mut self.joint_sets;
        let touches = self.manifolds[from..].iter().any(|m| sets.find(m.a) == sets.find(m.b));
        touches.then_some(Loop::Contact)
    }

    /// Writes impulses and reactions back to the joints; lists those that broke, which hold no more, and
    /// those that bore all they do.
    pub(in crate::engine) fn keep_joints(
        &self,
        joints: &mut [Joint],
        dt: Real,
        broken: &mut Vec<JointId>,
        yielded: &mut Vec<JointId>,
    ) {
        self.joints_of.items.iter().for_each(|&j| joints[j as usize].forget_impulses());
        let mut row = 0;
        while row < self.joint_source.len() {
            let j = self.joint_source[row][0];
            let joint = &mut joints[j as usize];
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            while row < self.joint_source.len() && self.joint_source[row][0] == j {
                let slot = self.joint_source[row][1] as usize;
                let relaxed: Double = self.relaxed.joint_impulse[row];
                joint.impulse[0][slot] = self.biased.joint_impulse[row];
                joint.impulse[1][slot] = relaxed;
                force += self.joint_wrench[row][0] * relaxed;
                torque += self.joint_wrench[row][1] * relaxed;
                let [lo, hi] = self.joints[row].bounds;
                let moved = self.halves * self.biased.joint_impulse[row];
                let at = |bound: Double| (moved - bound).abs() <= ROUNDED * bound.abs();
                let at_bound = (lo < 0.0 && lo.is_finite() && at(lo))
                    || (hi > 0.0 && hi.is_finite() && at(hi));
                if keeps(slot) && at_bound && yielded.last() != Some(&joint.id) {
                    yielded.push(joint.id);
                }
                row += 1;
            }
            // Where rows are no numbers their bodies fly.
            let borne =
                |sum: DVec3| if sum.is_nan() { Vec3::ZERO } else { narrow3(sum / widen(dt)) };
            joint.reaction = [force, torque].map(borne);
            let [force, torque] = joint.reaction.map(Vec3::length);
            if force > joint.desc.break_force || torque > joint.desc.break_torque {
                joint.desc.enabled = false;
                broken.push(joint.id);
            }
        }
        broken.sort_unstable();
        yielded.sort_unstable();
    }
}

/// Force and torque about the anchor of a row on the body of end b, for an impulse of one.
pub(in crate::engine) fn wrench(row: &Vec6, arm: DVec3) -> [DVec3; 2] {
    let force = DVec3::new(row[0], row[1], row[2]);
    [force, DVec3::new(row[3], row[4], row[5]) - arm.cross(force)]
}

/// The impulse that stops the bodies of an island one by one, their fall in this step included (N·s): what
/// a joint of it bears is of this order, however light the bodies that it joins.
fn stopping_impulse(sources: &Sources<'_>, settings: &Settings, k: usize) -> Double {
    let islands = sources.islands;
    let fall = settings.gravity.length() * sources.dt;
    let bodies = islands.members_of(k).iter().map(|&i| &sources.bodies[i as usize]);
    bodies.map(|body| widen(body.mass() * (body.linear_velocity.length() + fall))).sum()
}
