//! What a part of a step does to the energy of its island.
//!
//! Input: an island at the end of a part, with its velocities there. Output: is that part to be made anew?
//! O(bodies + contacts).

use super::super::super::assemble::IslandStep;
use super::super::super::lcp::rows::{dot3, dot6, mass_mul};
use super::super::super::lcp::{BodyBlock, JointRow, Vec6};
use super::super::ending::LENT;
use super::super::stiffness;
use super::member::Member;
use super::{MidpointScratch, split};
use crate::math::{DVec3, Double};

/// Largest part of the energy that a part of the step may lose as its velocities are made to fit the
/// joints (–): in ten seconds at 60 Hz it sums to less than a hundredth.
const LOSS_MAX: Double = 1e-5;
/// Speed (m/s) below which nobody minds that.
const STILL: Double = 1e-2;

impl MidpointScratch {
    /// Did the velocities lose much energy when they were made to fit the joints?
    pub(super) fn loses_much(&self, step: &IslandStep<'_>) -> bool {
        if !step.manifolds.is_empty() || self.rows.iter().any(JointRow::is_bounded) {
            // Blows and stops take energy by nature.
            return false;
        }
        let (mut lost, mut all, mut still) = (0.0, 0.0, 0.0);
        for (block, v) in step.bodies.iter().zip(&*step.relaxed.velocity) {
            let change: Vec6 = core::array::from_fn(|k| v[k] - block.velocity_free[k]);
            lost += dot6(&change, &mass_mul(block, &change));
            all += dot6(v, &mass_mul(block, v));
            still += block.mass[0] * STILL * STILL;
        }
        // What is at rest trembles by the tolerance.
        lost > LOSS_MAX * all.max(still)
    }

    /// Has the island more energy at the end of the part than it was given? A blow that turns a body far has
    /// another arm there.
    pub(super) fn gains_much(&self, step: &IslandStep<'_>, h: Double) -> bool {
        let (mut first, mut gain) = (0.0, 0.0);
        let kinetic = |member: &Member, block: &BodyBlock, linear: DVec3, angular: DVec3| {
            let damping = 1.0 + h * member.damping[1];
            let spin = stiffness::times(&block.inertia, angular) / damping;
            0.5 * (member.mass * member.filter(linear).length_squared() + spin.dot(angular))
        };
        let lists = self.members.iter().zip(&self.plain).zip(&*step.bodies);
        for (((member, from), to), v) in lists.zip(&*step.relaxed.velocity) {
            let before = kinetic(member, from, member.velocity, member.angular());
            let (linear, angular) = split(v);
            let [way, turn] = [split(&member.mean).0, split(&member.mean).1].map(|x| x * h);
            let torque = match member.rotor {
                Some(_) => member.force[1],
                None => stiffness::times(&member.inertia[0], member.force[1]),
            };
            let work = member.mass * member.force[0].dot(way) + torque.dot(turn);
            first += before;
            gain += kinetic(member, to, linear, angular) - before - work;
        }
        for m in &*step.manifolds {
            for lane in 0..m.count as usize {
                let drift = [m.drift[0][lane], m.drift[1][lane], m.drift[2][lane]];
                gain += dot3(&step.relaxed.contact_impulse[m.first as usize + lane], &drift);
            }
        }
        gain > LENT * first
    }
}
