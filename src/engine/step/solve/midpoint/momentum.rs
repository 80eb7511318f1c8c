//! What the half impulses of the rows do to the momentum of the bodies, and how these fly by it.
//!
//! Input: impulses of the rows at hand, velocities of the start. Output: half impulses on each body,
//!
//! ```text
//! M (u - v) - h k/2 = J̄ᵀ λ
//! ```
//!
//! where the bodies come to with them, and by how much those of the rows differ from those flown by, as a
//! velocity. Cost: a pass over the rows.

use super::member::{join, split};
use super::scratch::MidpointScratch;
use crate::engine::lcp::Vec6;
use crate::engine::lcp::rows::{add_joint_impulse, add_scaled, inverse_mass_mul, mass_mul};
use crate::engine::step::assemble::IslandStep;
use crate::engine::step::solve::restitution::each_rolling;
use crate::engine::tuning::midpoint::ARMS;
use crate::math::refill;
use crate::math::{Double, sym_times};

impl MidpointScratch {
    /// Sums the half impulses of all rows at hand.
    pub(super) fn add_up(&mut self, step: &IslandStep<'_>) {
        refill(&mut self.sum, step.bodies.len(), [0.0; 6]);
        for (row, c) in step.joints.iter().zip(&*step.biased.joint_impulse) {
            add_joint_impulse(row, *c, &mut self.sum);
        }
        for m in &*step.manifolds {
            for lane in 0..m.count as usize {
                let impulse = step.biased.contact_impulse[m.first as usize + lane];
                m.add_impulse(lane, impulse, &mut self.sum);
            }
        }
        each_rolling(step, |row, m, k| {
            let impulse = &step.biased.rolling_impulse[k];
            for (i, rows) in [(m.a, &row.jacobian_a), (m.b, &row.jacobian_b)] {
                if let Some(sum) = self.sum.get_mut(i as usize) {
                    rows.iter().zip(impulse).for_each(|(terms, c)| add_scaled(sum, terms, *c));
                }
            }
        });
    }

    /// Takes from them by what torques change as the arms turn on.
    pub(super) fn foresee_turn(&mut self, step: &IslandStep<'_>) {
        let lists = self.members.iter().zip(&*step.biased.velocity).zip(&self.load);
        for (sum, ((member, new), load)) in self.sum.iter_mut().zip(lists) {
            let (_, turn) = split(&core::array::from_fn(|k| new[k] - member.mean[k]));
            let change = sym_times(load, turn);
            (0..3).for_each(|k| sum[3 + k] -= change[k]);
        }
    }

    /// Where the bodies come to with the velocities of the start, which fit the joints there, and the half
    /// impulses that it takes: nearer to where they end than a flight under the loads of the last step,
    /// which turn light links beyond all bounds.
    pub(super) fn foresee(&mut self, h: Double) {
        self.half.clear();
        for (member, block) in self.members.iter_mut().zip(&self.plain) {
            member.fly(&[0.0; 6], h);
            let velocity = join(member.velocity, member.angular());
            let part = 0.5 / member.late;
            let change = core::array::from_fn(|k| part * (velocity[k] - member.mean[k]));
            self.half.push(mass_mul(block, &change));
            member.go_with(&velocity, h);
        }
    }

    /// Moves the bodies by those impulses.
    pub(super) fn fly(&mut self, h: Double) {
        core::mem::swap(&mut self.half, &mut self.sum);
        for (member, half) in self.members.iter_mut().zip(&self.half) {
            member.fly(half, h);
        }
    }

    /// Largest velocity by which the impulses of the rows at hand differ from those by which the bodies
    /// flew [m/s], in a blow relative to what they change.
    pub(super) fn mismatch(&self, step: &IslandStep<'_>, near: Double) -> (Double, Double) {
        let (mut worst, mut change_max): (Double, Double) = (0.0, 0.0);
        for ((block, half), sum) in step.bodies.iter().zip(&self.half).zip(&self.sum) {
            let change: Vec6 = core::array::from_fn(|k| sum[k] - half[k]);
            let velocity = inverse_mass_mul(block, &change);
            // Turns at the radius of gyration.
            let [xx, yy, zz, ..] = block.inertia;
            let radius = ((xx + yy + zz) / (3.0 * block.mass[0])).sqrt();
            let (linear, angular) = split(&velocity);
            worst = worst.max(linear.length()).max(radius * angular.length());
            let pushed = inverse_mass_mul(block, half);
            change_max = change_max.max(split(&pushed).0.length());
        }
        (worst, (near / (ARMS * change_max).max(near)).min(1.0))
    }
}
