//! Contacts that ask for the impossible: bodies between what cannot yield.
//!
//! Input: a problem, and what the last multiplier update added to the impulses. Output: whether there is a
//! solution. With normal parts `y ≥ 0` of impulses every velocity that contacts and locks allow obeys
//!
//! ```text
//! y·(J v - Δ) ≥ 0,   so   |v| ≥ (y·Δ) / |Jᵀ y|        in the norm of the masses
//! ```
//!
//! (Farkas): if the least such speed is beyond all speeds at hand, there is none. Multipliers of what nothing
//! solves grow for ever, by such a `y` in the end; with joints they must be one as a whole. O(contacts).

use super::problem::ManifoldProblem;
use super::state::NewtonScratch;
use crate::engine::lcp::rows::{dot3, dot6, inverse_mass_mul, mass_mul};
use crate::engine::tuning::pressed::BEYOND;
use crate::math::Double;

impl NewtonScratch {
    /// Is there no velocity that the contacts allow?
    pub(super) fn is_infeasible(&mut self, problem: &ManifoldProblem<'_>) -> bool {
        // What is evaluated next writes it anew.
        let mut forces = core::mem::take(&mut self.sweep.gradient);
        forces.fill([0.0; 6]);
        let [mut asked, mut speed, mut least, mut all]: [Double; 4] = [0.0; 4];
        let part = if problem.joints.is_empty() { 1.0 } else { 0.0 };
        let updates = self.sweep.impulse.iter().zip(&self.sweep.image);
        for (m, (now, last)) in problem.manifolds.iter().zip(updates) {
            for lane in 0..m.count as usize {
                let grown = [0, 1, 2].map(|k| now[k][lane] - part * last[k][lane]);
                let push = dot3(&m.normal, &grown).max(0.0);
                let wanted = -m.bias[lane] - dot3(&m.normal, &[0, 1, 2].map(|k| m.drift[k][lane]));
                asked += push * wanted;
                speed = speed.max(wanted.abs());
                m.add_impulse(lane, m.normal.map(|n| push * n), &mut forces);
            }
        }
        for (block, force) in problem.bodies.iter().zip(&forces) {
            let free = &block.velocity_free;
            least += dot6(force, &inverse_mass_mul(block, force));
            all += dot6(free, &mass_mul(block, free)) + block.mass[0] * speed * speed;
        }
        self.sweep.gradient = forces;
        asked > 0.0 && asked * asked > BEYOND * BEYOND * all * least
    }
}
