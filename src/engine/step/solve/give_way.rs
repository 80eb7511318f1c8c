//! Contacts that give way where they ask for the impossible.
//!
//! Input: an island's problem, which no velocity solves. Output: biases that can be met: each contact asks for
//! no more than it has at the velocity at hand, in which all give way alike. O(contacts).

use super::island::Island;
use crate::engine::lcp::manifold::Lanes;
use crate::engine::lcp::rows::dot3;

/// The biases as they were.
#[derive(Clone, Debug, Default)]
pub(super) struct GiveWay {
    bias: Vec<Lanes>,
}

impl GiveWay {
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
