//! Contacts that ask for the impossible: bodies between what cannot yield.
//!
//! Input: an island's problem and impulses that did not solve it. Output: whether there is anything to solve,
//! and biases that can be met. With the normal parts `y ≥ 0` of the impulses every velocity that contacts and
//! locks allow obeys
//!
//! ```text
//! y·(J v - Δ) ≥ 0,   so   |v| ≥ (y·Δ) / |Jᵀ y|        in the norm of the masses
//! ```
//!
//! (Farkas): if the least such speed is beyond all speeds at hand, there is none. Each contact then asks for
//! no more than it has at the velocity at hand, in which all give way alike. O(contacts).

use super::island::Island;
use crate::engine::lcp::Vec6;
use crate::engine::lcp::manifold::{LaneVectors, Lanes};
use crate::engine::lcp::rows::{dot3, dot6, inverse_mass_mul, mass_mul};
use crate::engine::tuning::pressed::BEYOND;
use crate::math::Double;
use crate::math::refill;

/// Buffers; their content never influences a result.
#[derive(Clone, Debug, Default)]
pub(super) struct PressedScratch {
    force: Vec<Vec6>,
    bias: Vec<Lanes>,
}

impl PressedScratch {
    /// Is there no velocity that the contacts allow?
    pub(super) fn is_so(&mut self, island: &Island<'_, '_>, impulses: &[LaneVectors]) -> bool {
        let step = &*island.step;
        refill(&mut self.force, step.bodies.len(), [0.0; 6]);
        let (mut asked, mut speed): (Double, Double) = (0.0, 0.0);
        for (m, impulse) in step.manifolds.iter().zip(impulses) {
            for lane in 0..m.count as usize {
                let push = dot3(&m.normal, &[0, 1, 2].map(|k| impulse[k][lane]));
                let push = push.max(0.0);
                let drift = dot3(&m.normal, &[0, 1, 2].map(|k| m.drift[k][lane]));
                let wanted = -m.bias[lane] - drift;
                asked += push * wanted;
                speed = speed.max(wanted.abs());
                m.add_impulse(lane, m.normal.map(|n| push * n), &mut self.force);
            }
        }
        let (mut least, mut all) = (0.0, 0.0);
        for (block, force) in step.bodies.iter().zip(&self.force) {
            let free = &block.velocity_free;
            least += dot6(force, &inverse_mass_mul(block, force));
            all += dot6(free, &mass_mul(block, free)) + block.mass[0] * speed * speed;
        }
        asked > 0.0 && asked * asked > BEYOND * BEYOND * all * least
    }

    /// Lets contacts ask for no more than they have at the velocity at hand, and forgets their impulses.
    pub(super) fn give_way(&mut self, island: &mut Island<'_, '_>, relaxed: bool) {
        let step = &mut *island.step;
        let unknowns = if relaxed { &mut step.relaxed } else { &mut step.biased };
        self.bias.clear();
        for m in step.manifolds.iter_mut() {
            self.bias.push(m.bias);
            for lane in 0..m.count as usize {
                let speed = dot3(&m.normal, &m.velocity(lane, unknowns.velocity));
                m.bias[lane] = m.bias[lane].max(-speed);
            }
        }
        unknowns.contact_impulse.fill([0.0; 3]);
    }

    /// Puts the biases back.
    pub(super) fn put_back(&self, island: &mut Island<'_, '_>) {
        for (m, bias) in island.step.manifolds.iter_mut().zip(&self.bias) {
            m.bias = *bias;
        }
    }
}
