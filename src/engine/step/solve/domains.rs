//! Where a large island is divided, so that its parts are swept at the same time.
//!
//! Input: the places of its bodies. Output: the [leaf](crate::engine::lcp::sweeps::domains) of each: the
//! island is cut in two halves across its longest side, each half again, until a leaf has some hundred
//! manifolds. What joints hold together stays in one. O(bodies) for each level of cuts.

use super::island::Island;
use crate::engine::lcp::sweeps::domains::CUTS_MAX;
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::math::{Real, Vec3, refill};

/// Buffers, and the leaves of the island at hand.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    places: Vec<(Vec3, u32)>,
    /// One for each body; empty if the island is not divided.
    pub(super) of: Vec<u8>,
}

impl Leaves {
    /// Divides an island.
    pub(super) fn find(&mut self, island: &Island<'_, '_>) {
        self.of.clear();
        let step = &*island.step;
        let cuts = (step.manifolds.len() / (4 * PAIRS_MIN)).checked_ilog2().unwrap_or(0);
        if cuts == 0 || !step.joints.is_empty() {
            return;
        }
        refill(&mut self.of, step.members.len(), 0);
        self.places.clear();
        let place = |&i: &u32| island.sources.bodies[i as usize].center();
        self.places.extend(step.members.iter().map(place).zip(0..));
        divide(&mut self.places, cuts.min(CUTS_MAX), &mut self.of);
    }
}

/// Divides bodies by so many levels of cuts.
fn divide(bodies: &mut [(Vec3, u32)], cuts: u32, leaves: &mut [u8]) {
    if cuts == 0 || bodies.len() < 2 {
        return;
    }
    let first = bodies[0].0;
    let ends = bodies.iter().fold([first; 2], |[a, b], (x, _)| [a.min(*x), b.max(*x)]);
    let size = (ends[1] - ends[0]).to_array();
    let longest = (1..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let key = |(x, i): &(Vec3, u32)| -> (Real, u32) { (x.to_array()[longest], *i) };
    let half = bodies.len() / 2;
    bodies.select_nth_unstable_by(half, |x, y| {
        let ((x, i), (y, j)) = (key(x), key(y));
        x.total_cmp(&y).then(i.cmp(&j))
    });
    let (low, high) = bodies.split_at_mut(half);
    high.iter().for_each(|(_, i)| leaves[*i as usize] |= 1 << (cuts - 1));
    divide(low, cuts - 1, leaves);
    divide(high, cuts - 1, leaves);
}
