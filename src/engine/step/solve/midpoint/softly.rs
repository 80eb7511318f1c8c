//! Islands with joints in small steps: rows follow the bodies from part to part of the step.
//!
//! Input: an island with circular cones and without rolling rows, where it cannot be solved. Output: how its
//! bodies move, the velocities they keep, whole and half impulses; the worst certificates of all parts. A
//! part is some small steps on one problem ([`substeps`](crate::engine::lcp::sweeps)), posed where its
//! bodies are: in a whole step limbs turn so far that the rows of its start hold nothing together. Free
//! flight is that of [`spin`](crate::engine::step::predict::spin); no more energy is carried on than was had
//! and given. Cost: the rows of the joints and arms of the contacts once a part, beside the sweeps.

use super::contact;
use super::contact::At;
use super::member::join;
use super::scratch::{MidpointScratch, is_lock};
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::sweeps::{SubstepParams, solve_substeps};
use crate::engine::state::joint::Aim;
use crate::engine::step::solve::island::Island;
use crate::engine::step::solve::solvers::Solvers;
use crate::engine::tuning::midpoint::TURN_MAX;
use crate::math::{Double, pow_double};

impl MidpointScratch {
    /// Makes the step; residuals of what moved the bodies last and of what they carry on.
    pub(in crate::engine::step::solve) fn soft_parts(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        params: &SubstepParams,
    ) -> [Certificate; 2] {
        self.begin(island);
        let parts = self.soft_count(island, params.substeps);
        let part = 1.0 / Double::from(parts);
        let h = part * island.dt;
        let params = SubstepParams {
            dt: h,
            substeps: params.substeps.div_ceil(parts),
            gamma: 1.0 - pow_double(1.0 - params.gamma, part),
            ..*params
        };
        // Impulses that are worse than none, as what found no solution leaves them, would blow it up.
        let warm = state.measure(island, 1).error();
        self.kept.take(&island.step.relaxed);
        island.step.relaxed.scale(0.0);
        if warm <= state.measure(island, 1).error() {
            island.step.relaxed.put(&self.kept);
        }
        island.step.relaxed.scale(part);
        let mut certificates = [Certificate::default(); 2];
        for k in 0..parts {
            self.aim(island, h);
            self.pose_part(island, h);
            state.in_lanes(&self.half, island, |problem, iterate, scratch| {
                solve_substeps(problem, iterate, &params, scratch)
            });
            let mut found = [state.certify(island, 0), state.certify_carried(island)];
            let step = &mut *island.step;
            let lists = self.members.iter_mut().zip(&*step.biased.velocity);
            for ((member, v), block) in lists.zip(&mut *step.bodies) {
                member.go_with(v, h);
                *block = member.block(member.to.1, h, 1.0);
            }
            if island.settings.contact.relax {
                found[1].motion += self.pay(island, h);
            }
            certificates = [0, 1].map(|k| found[k].worse(certificates[k]));
            self.spent[1].add(&island.step.relaxed);
            island.step.biased.scale(0.5);
            self.spent[0].add(&island.step.biased);
            self.touches.iter_mut().for_each(|touch| touch.find_end(&self.members, h));
            for link in &mut self.links {
                link.find_end(&self.members, island.sources.joints, h);
            }
            if k + 1 < parts {
                self.next(island.step, h);
            }
        }
        self.end(island);
        certificates
    }

    /// In how many parts: bodies turn little in each.
    fn soft_count(&self, island: &Island<'_, '_>, most: u32) -> u32 {
        let fastest = self.members.iter().map(|m| m.angular().length()).fold(0.0, Double::max);
        (island.dt * fastest / TURN_MAX).ceil().min(Double::from(most)).max(1.0) as u32
    }

    /// Poses a part: rows, blocks, contacts and gaps where its bodies are, and their velocities there.
    fn pose_part(&mut self, island: &mut Island<'_, '_>, h: Double) {
        let relax = island.settings.contact.relax;
        let (step, joints) = (&mut *island.step, island.sources.joints);
        for ((m, plain), gap) in step.manifolds.iter_mut().zip(&self.manifolds).zip(&self.gaps) {
            contact::put(m, &self.touches, At::Start);
            (m.drift, m.gap) = (plain.drift, *gap);
        }
        for link in &self.links {
            let joint = &joints[link.joint as usize];
            for i in link.rows[0]..link.rows[1] {
                let slot = step.joint_source[i][1] as usize;
                let (aim, old, row) = (step.joint_aim[i], &self.rows[i], &mut step.joints[i]);
                let (value, imposed, wrench) =
                    link.pose_from(row, old, (joint, slot, aim), &self.members, [h, island.dt]);
                step.joint_wrench[i] = wrench;
                let left = (value - self.aims[i]) / h;
                // A limit that is not met lets its body come there.
                let push = if is_lock(old) { left } else { left.min(0.0) };
                (row.bias, step.joint_push[i]) = match aim {
                    Aim::Place(_) => (imposed + left, if relax { push } else { 0.0 }),
                    Aim::Rate(rate) => (imposed - rate, 0.0),
                    Aim::Spring | Aim::Damper => (old.bias, 0.0),
                };
            }
        }
        self.half.clear();
        self.plain.clear();
        for (member, block) in self.members.iter_mut().zip(&mut *step.bodies) {
            self.half.push(join(member.velocity, member.angular()));
            *block = member.block(member.rotation, h, 1.0);
            self.plain.push(*block);
            let [velocity, spin] = member.pushed(&[0.0; 6], h);
            member.fly(&[0.0; 6], h);
            let rotor = member.rotor.map(|rotor| rotor.with(member.to.1));
            block.velocity_free = join(velocity, rotor.map_or(spin, |rotor| rotor.velocity(spin)));
        }
        step.find_compliance();
    }
}
