//! The problems of an island with joints: one of each Newton step, and that of the velocities at the end.
//!
//! Input: where its bodies fly to. Output: the rows of joints half way, with biases by which they reach
//! their aims; mass blocks with the geometric stiffness of the loads; the rows, blocks and momentum at
//! the end; biases of contacts. O(rows).

use super::contact;
use super::contact::At;
use super::link::spring;
use super::member::{Member, join};
use super::scratch::{MidpointScratch, is_lock};
use crate::engine::lcp::JointRow;
use crate::engine::lcp::manifold::LANES;
use crate::engine::lcp::rows::{add_joint_impulse, dot3, dot6, inverse_mass_mul};
use crate::engine::state::joint::{Aim, JointPose, half_way};
use crate::engine::step::assemble::IslandStep;
use crate::engine::step::assemble::joints::wrench;
use crate::engine::step::solve::island::Island;
use crate::engine::step::solve::stiffness;
use crate::engine::tuning::midpoint::{GIVEN, NEAR, OPEN};
use crate::engine::tuning::midpoint_energy::STILL;
use crate::math::refill;
use crate::math::{DVec3, Double, sym_times, widen};

impl MidpointScratch {
    /// Biases of the contacts for a part: what is apart may close in it, what overlaps is pushed as ever.
    pub(super) fn approach(&self, island: &mut Island<'_, '_>, h: Double) {
        let lists = self.manifolds.iter().zip(&self.gaps);
        for (m, (plain, gap)) in island.step.manifolds.iter_mut().zip(lists) {
            let bias = &plain.bias;
            for lane in 0..m.count as usize {
                let aim = m.gap[lane] - island.dt * bias[lane];
                m.bias[lane] = bias[lane].min((gap[lane] - aim).max(0.0) / h);
                if bias[lane] >= 0.0 {
                    m.bias[lane] = (gap[lane] - aim).max(0.0) / h;
                }
            }
        }
    }

    /// Where the rows of joints are to be at the end of a part: none takes back what it is off faster than a
    /// whole step may.
    pub(super) fn aim(&mut self, island: &Island<'_, '_>, h: Double) {
        let (step, joints) = (&*island.step, island.sources.joints);
        let most = h * widen(island.settings.contact.push_speed_max);
        self.aims.clear();
        for link in &self.links {
            let joint = &joints[link.joint as usize];
            for i in link.rows[0]..link.rows[1] {
                let Aim::Place(aim) = step.joint_aim[i] else {
                    self.aims.push(0.0);
                    continue;
                };
                let from = joint.at(&link.from, step.joint_source[i][1] as usize).0;
                let lower = if is_lock(&self.rows[i]) { from - most } else { aim };
                self.aims.push(aim.max(lower).min(from + most));
            }
        }
    }

    /// Is a lock further off than a solved step leaves it and it yields, which is no more than a step takes
    /// back, or do velocities not fit where nothing else acts? Do locks at rest alone act, undamped, and fit?
    pub(super) fn begins(&self, island: &Island<'_, '_>) -> [bool; 2] {
        let (step, joints) = (&*island.step, island.sources.joints);
        let near = NEAR * island.settings.solver.tolerance;
        let most = widen(island.settings.contact.push_speed_max);
        let damped = self.members.iter().any(|member| member.damping != [0.0; 2]);
        let (mut torn, mut fits) = (false, true);
        let mut alone = step.manifolds.is_empty() && !damped;
        for link in &self.links {
            let joint = &joints[link.joint as usize];
            for i in link.rows[0]..link.rows[1] {
                let (row, slot) = (&self.rows[i], step.joint_source[i][1] as usize);
                let is_held = matches!(step.joint_aim[i], Aim::Place(_)) && is_lock(row);
                alone &= is_held && !row.is_bounded();
                if !is_held {
                    continue;
                }
                let yields = (2.0 * row.softness * step.biased.joint_impulse[i].abs()).min(most);
                let (value, sides) = joint.at(&link.from, slot);
                torn |= value.abs() / island.dt > near + yields;
                fits &= link.rate(&sides, &self.members).abs() <= STILL + yields;
            }
        }
        let at_rest = self.driven() == 0.0;
        [torn || alone && at_rest && !fits, alone && at_rest && fits]
    }

    /// How late springs and dampers act on each body in a part, by how fast all of them together are.
    pub(super) fn find_late(&mut self, island: &Island<'_, '_>, h: Double) {
        let (step, joints) = (&*island.step, island.sources.joints);
        // In the room of the half impulses, which are still to be found.
        let mut rates = core::mem::take(&mut self.half);
        refill(&mut rates, self.members.len(), [0.0; 6]);
        for link in &self.links {
            for i in link.rows[0]..link.rows[1] {
                let slot = step.joint_source[i][1] as usize;
                let motor = &joints[link.joint as usize].desc.motors[slot % 6];
                let soft = matches!(step.joint_aim[i], Aim::Spring | Aim::Damper);
                let Some(motor) = motor.filter(|_| soft) else { continue };
                let [stiffness, damping] = [motor.stiffness, motor.damping].map(widen);
                for (body, terms) in &self.rows[i].terms {
                    let own = dot6(terms, &inverse_mass_mul(&self.blocks[*body as usize], terms));
                    let [stiff, damped, braked, ..] = &mut rates[*body as usize];
                    *stiff += h * h * stiffness * own;
                    *if stiffness > 0.0 { damped } else { braked } += h * damping * own;
                }
            }
        }
        for (member, [stiff, damped, braked, ..]) in self.members.iter_mut().zip(&rates) {
            member.act_late(stiff.max(*damped), *braked);
        }
        self.half = rates;
    }

    /// Where every joint comes to, and rows for the way: sides half way, biases by which they reach their
    /// aims. Returns how far joints are from them, over the step [m/s or rad/s].
    pub(super) fn turn(&mut self, island: &mut Island<'_, '_>, h: Double) -> Double {
        let (step, joints) = (&mut *island.step, island.sources.joints);
        let mut worst: Double = 0.0;
        for link in &mut self.links {
            let joint = &joints[link.joint as usize];
            let ends = link.ends(&self.members, h);
            link.to = JointPose::new(joint.desc.kind, &joint.desc.frames, &ends);
            let middle = JointPose::middle(&link.from, &link.to);
            for i in link.rows[0]..link.rows[1] {
                let slot = step.joint_source[i][1] as usize;
                let sides = match step.joint_aim[i] {
                    Aim::Rate(_) | Aim::Damper => joint.rate_rows(&middle, slot % 6),
                    _ => joint.at(&middle, slot).1,
                };
                let (row, old) = (&mut step.joints[i], &self.rows[i]);
                link.set_terms(row, &sides, &self.members);
                let moved: Double =
                    row.terms.iter().map(|(i, t)| dot6(t, &self.members[*i as usize].mean)).sum();
                let imposed = link.imposed(&sides);
                let c = step.biased.joint_impulse[i];
                row.softness = 2.0 * old.softness;
                row.bounds = old.bounds.map(|bound| bound * (0.5 * h / island.dt));
                match step.joint_aim[i] {
                    Aim::Place(_) => {
                        let left = (joint.at(&link.to, slot).0 - self.aims[i]) / h;
                        row.bias = left - moved;
                        // What yields is not held.
                        let yields = row.bounds.contains(&c) && c != 0.0;
                        let holds = (is_lock(old) || left < 0.0 || c != 0.0) && !yields;
                        worst =
                            worst.max(if holds { (left + row.softness * c).abs() } else { 0.0 });
                    }
                    Aim::Rate(rate) => row.bias = imposed - rate,
                    aim @ (Aim::Damper | Aim::Spring) => {
                        let Some(motor) = &joint.desc.motors[slot % 6] else { continue };
                        let (value, _) = link.value(joint, slot, aim);
                        let way = match aim {
                            Aim::Spring => (joint.at(&link.to, slot).0 - value) / h,
                            _ => moved + imposed,
                        };
                        let late = link.late(&self.members);
                        let [bias, softness] = spring(motor, value, late, h);
                        (row.bias, row.softness) = (bias + way - moved, softness);
                    }
                }
                step.joint_push[i] = 0.0;
                step.joint_wrench[i] = wrench(&sides[1], middle.arms[1]);
            }
        }
        self.astray = self.turn_contacts(island, h);
        worst
    }

    /// Where every contact comes to, and its rows for the way. Returns how far those that push are from
    /// where they were to come, or others nearer than they may [m/s].
    fn turn_contacts(&mut self, island: &mut Island<'_, '_>, h: Double) -> Double {
        let step = &mut *island.step;
        let mut worst: Double = 0.0;
        let mean = |members: &[Member], i: u32| members.get(i as usize).map(|m| m.mean);
        for (m, plain) in step.manifolds.iter_mut().zip(&self.manifolds) {
            let here = m.first as usize..(m.first + m.count) as usize;
            let aims: [DVec3; LANES] = core::array::from_fn(|lane| {
                DVec3::from_array(m.velocity(lane, step.biased.velocity))
            });
            self.touches[here].iter_mut().for_each(|touch| touch.find_end(&self.members, h));
            contact::put(m, &self.touches, At::Middle);
            let ends = [m.a, m.b].map(|i| mean(&self.members, i));
            for lane in 0..m.count as usize {
                let i = m.first as usize + lane;
                let way = self.touches[i].way / h;
                let drift = [0, 1, 2].map(|k| plain.drift[k][lane]);
                let now = way + DVec3::from_array(drift);
                let linear = m.relative(lane, &ends);
                (0..3).for_each(|k| m.drift[k][lane] = now.to_array()[k] - linear[k]);
                let astray = if step.biased.contact_impulse[i] == [0.0; 3] {
                    -(DVec3::from_array(m.normal).dot(now) + m.bias[lane])
                } else {
                    (now - aims[lane]).length()
                };
                worst = worst.max(astray);
            }
        }
        worst
    }

    /// Poses the next Newton step.
    pub(super) fn pose(&mut self, island: &mut Island<'_, '_>, h: Double) {
        let step = &mut *island.step;
        refill(&mut self.load, self.members.len(), [0.0; 6]);
        for link in &self.links {
            let mut force = DVec3::ZERO;
            for i in link.rows[0]..link.rows[1] {
                force += step.joint_wrench[i][0] * step.biased.joint_impulse[i];
            }
            if force == DVec3::ZERO {
                continue;
            }
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(i) = link.members[side] {
                    let arm = (link.from.arms[side] + link.to.arms[side]) * 0.5;
                    let stiff = stiffness::of(arm, force * (sign * 0.5 * h));
                    stiffness::add(&mut self.load[i as usize], &stiff);
                }
            }
        }
        for (i, member) in self.members.iter().enumerate() {
            let middle = half_way(member.rotation, member.to.1);
            let part = 0.5 / member.late;
            let mut block = member.block(middle, h, part);
            let added = stiffness::kept_definite(&self.load[i], &block.inertia);
            added.iter().for_each(|added| member.stiffen(&mut block, added));
            self.load[i] = added.unwrap_or_default();
            let back = inverse_mass_mul(&block, &self.half[i]);
            block.velocity_free = core::array::from_fn(|k| member.mean[k] - back[k]);
            step.bodies[i] = block;
        }
        step.find_compliance();
    }

    /// Poses one problem with the rows of the start, of whole impulses, with the loads of the last step as
    /// inertia.
    pub(super) fn pose_start(&mut self, island: &mut Island<'_, '_>, h: Double) {
        let most = widen(island.settings.contact.push_speed_max);
        let (step, joints) = (&mut *island.step, island.sources.joints);
        for (m, plain) in step.manifolds.iter_mut().zip(&self.manifolds) {
            contact::put(m, &self.touches, At::Start);
            m.drift = plain.drift;
        }
        refill(&mut self.load, self.members.len(), [0.0; 6]);
        for link in &self.links {
            let joint = &joints[link.joint as usize];
            let mut force = DVec3::ZERO;
            for i in link.rows[0]..link.rows[1] {
                let slot = step.joint_source[i][1] as usize;
                let (aim, old, row) = (step.joint_aim[i], &self.rows[i], &mut step.joints[i]);
                let (value, imposed, wrench) =
                    link.pose_from(row, old, (joint, slot, aim), &self.members, [h, island.dt]);
                step.joint_wrench[i] = wrench;
                row.bias = match aim {
                    Aim::Place(aim) => imposed + ((value - aim) / h).max(-most).min(most),
                    Aim::Rate(rate) => imposed - rate,
                    Aim::Spring | Aim::Damper => old.bias,
                };
                step.joint_push[i] = 0.0;
                force += step.joint_wrench[i][0] * (2.0 * step.biased.joint_impulse[i]);
            }
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(i) = link.members[side] {
                    let stiff = stiffness::of(link.from.arms[side], force * (sign * h));
                    stiffness::add(&mut self.load[i as usize], &stiff);
                }
            }
        }
        for (i, member) in self.members.iter().enumerate() {
            let mut block = member.block(member.rotation, h, 1.0);
            let [velocity, spin] = member.pushed(&[0.0; 6], h);
            let rotor = member.rotor.map(|rotor| rotor.with(member.rotation));
            let angular = rotor.map_or(spin, |rotor| rotor.velocity(spin));
            let momentum = sym_times(&block.inertia, angular);
            let added = stiffness::kept_definite(&self.load[i], &block.inertia);
            added.iter().for_each(|added| member.stiffen(&mut block, added));
            block.velocity_free = join(velocity, sym_times(&block.inverse_inertia, momentum));
            step.bodies[i] = block;
        }
        step.find_compliance();
    }

    /// Poses the problem of the velocities at the end: rows and inertia there, momentum by what locks and
    /// springs gave.
    pub(super) fn pose_end(&mut self, island: &mut Island<'_, '_>, h: Double) {
        let (step, joints) = (&mut *island.step, island.sources.joints);
        let contact = &island.settings.contact;
        let zone = widen(contact.dead_zone) * island.dt * island.dt;
        refill(&mut self.sum, step.bodies.len(), [0.0; 6]);
        for link in &self.links {
            let joint = &joints[link.joint as usize];
            for i in link.rows[0]..link.rows[1] {
                let half = step.biased.joint_impulse[i];
                let (aim, old, row) = (step.joint_aim[i], &self.rows[i], &mut step.joints[i]);
                let slot = step.joint_source[i][1] as usize;
                let is_lock = is_lock(old);
                if !matches!(aim, Aim::Rate(_)) {
                    add_joint_impulse(row, 2.0 * half, &mut self.sum);
                    step.relaxed.joint_impulse[i] = 0.0;
                }
                let (value, sides) = match aim {
                    Aim::Rate(_) | Aim::Damper => (0.0, joint.rate_rows(&link.to, slot % 6)),
                    _ => joint.at(&link.to, slot),
                };
                link.set_terms(row, &sides, &self.members);
                let imposed = link.imposed(&sides);
                (row.softness, row.bounds) = (old.softness, old.bounds);
                match aim {
                    Aim::Place(_) => {
                        let push = (joint.at(&link.from, slot).0 - self.aims[i]) / h;
                        let push = if is_lock { push } else { push.min(0.0) };
                        let push = if contact.relax { 0.0 } else { push };
                        let closed = is_lock || half > 0.0 || value <= zone;
                        row.bias = if closed { imposed + push } else { OPEN };
                        // All that was given may be taken back. What is soft has acted already.
                        let given = if self.soft { 0.0 } else { 2.0 * half };
                        row.bounds = old.bounds.map(|bound| bound * (h / island.dt) - given);
                    }
                    Aim::Rate(rate) => {
                        row.bias = imposed - rate;
                        row.bounds = old.bounds.map(|bound| bound * (h / island.dt));
                    }
                    Aim::Spring | Aim::Damper => {
                        (row.bias, row.softness) = (0.0, GIVEN);
                        row.bounds = JointRow::UNBOUNDED;
                    }
                }
            }
        }
        self.end_contacts(step);
        for (i, member) in self.members.iter().enumerate() {
            let mut block = member.block(member.to.1, h, 1.0);
            let [velocity, spin] = member.pushed(&self.sum[i], h);
            let rotor = member.rotor.map(|rotor| rotor.with(member.to.1));
            let angular = rotor.map_or(spin, |rotor| rotor.velocity(spin));
            block.velocity_free = if self.soft { member.mean } else { join(velocity, angular) };
            step.bodies[i] = block;
        }
        step.find_compliance();
    }

    /// Contacts at the end. What they gave half way acted there: the rest of the whole impulses acts at the
    /// end.
    fn end_contacts(&mut self, step: &mut IslandStep<'_>) {
        for (m, plain) in step.manifolds.iter_mut().zip(&self.manifolds) {
            if !self.soft {
                for lane in 0..m.count as usize {
                    let i = m.first as usize + lane;
                    // The whole impulses of what is half way.
                    let half = DVec3::from_array(step.biased.contact_impulse[i]);
                    let levers = self.touches[i].lever(half);
                    for ((k, sign), lever) in [(m.a, -1.0), (m.b, 1.0)].into_iter().zip(levers) {
                        if let Some(sum) = self.sum.get_mut(k as usize) {
                            let lever = (lever * sign).to_array();
                            (0..3).for_each(|k| sum[3 + k] += lever[k]);
                        }
                    }
                }
            }
            contact::put(m, &self.touches, At::End);
            (m.drift, m.bias) = (plain.drift, plain.bias);
        }
    }

    /// Contacts that are closed at the end ask for no approach, the others for nothing.
    pub(super) fn close(&self, island: &mut Island<'_, '_>, h: Double) {
        let zone = widen(island.settings.contact.dead_zone) * island.dt * island.dt;
        let step = &mut *island.step;
        for (m, gap) in step.manifolds.iter_mut().zip(&self.gaps) {
            for lane in 0..m.count as usize {
                let impulse = &step.biased.contact_impulse[m.first as usize + lane];
                let change = self.touches[m.first as usize + lane].closes(m, lane, h);
                let closed = dot3(&m.normal, impulse) > 0.0 || gap[lane] + change <= zone;
                let bias = &mut m.bias[lane];
                *bias = if closed { bias.min(0.0) - m.push[lane] } else { OPEN };
            }
        }
    }
}
