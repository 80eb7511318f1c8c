//! Crowds: bodies that overlap many others, as where a hundred are put in one place.
//!
//! Input: the pairs and contacts of an island. Output: fewer pairs and smaller pushes where a body has many.
//!
//! Of equal balls twelve can touch one. Where there are more pairs of bodies than twelve each, of those that
//! overlap by more than a twelfth only such have rows that are among the twelve deepest of one of their
//! bodies, by the ratio metric; whom those part, the others leave. So rows grow with the bodies, not with
//! their square.
//!
//! Each of `n` bodies in a row that overlap each other asks `n - 1` others for a way: all of those at once
//! would throw the last ones out at `n / 2` times the speed of one push. The speeds `p` of the pairs of a
//! body share that of its two neighbors in a row; those of which centers are apart already, by the part `r`
//! of what they are to be, may grow apart together:
//!
//! ```text
//! p_ij ≤ v_push max(r_ij, 2 v_push / max(Σ_k p_ik, Σ_k p_jk))
//! ```
//!
//! `u = v_push x / D` meets the first for bodies of size `D` at places `x`, so that no push asks for more
//! than the crowd is wide. What has less than two full pushes, or touches what stands still, is pushed as
//! ever. O(n log n).

use core::ops::Range;

use super::{Sources, StepProblem, pushed};
use crate::engine::lcp::manifold::Manifold;
use crate::engine::settings::{ActiveEvents, Settings};
use crate::math::{Double, Real, refill, widen};

/// How many equal balls can touch one.
const KISSING: u16 = 12;

/// A pair of a body: the body, Φ, a number that decides between equals, the place of the pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rank {
    body: u32,
    gap: Real,
    lot: u32,
    pair: u32,
}

impl StepProblem {
    /// Finds which pairs of an island keep their rows, if it is a crowd.
    pub(super) fn thin_crowd(
        &mut self,
        sources: &Sources<'_>,
        pairs: Range<usize>,
        bodies: usize,
    ) -> bool {
        let most = usize::from(KISSING) * bodies;
        if pairs.len() <= most {
            return false;
        }
        let (nearest, kept) = (&mut self.nearest, &mut self.kept);
        nearest.clear();
        kept.clear();
        for i in pairs.clone() {
            let p = sources.touching[self.pairs_of.items[i] as usize].pair;
            let pair = &sources.pairs[p as usize];
            let deep = pair.gap < -1.0 / Real::from(KISSING);
            let thinned = deep && pushed(sources, pair) == [true; 2];
            kept.push(!thinned);
            if thinned {
                let [a, b] = pair.bodies;
                // Neighboring numbers, far from each other.
                let lot = (a ^ b).wrapping_mul(0x9e37_79b1);
                let (gap, pair) = (pair.gap, (i - pairs.start) as u32);
                nearest.extend([a, b].map(|body| Rank { body, gap, lot, pair }));
            }
        }
        if nearest.len() <= 2 * most {
            return false;
        }
        nearest.sort_unstable_by(|x, y| {
            let by_gap = x.gap.total_cmp(&y.gap);
            x.body.cmp(&y.body).then(by_gap).then((x.lot, x.pair).cmp(&(y.lot, y.pair)))
        });
        for of_body in nearest.chunk_by(|x, y| x.body == y.body) {
            of_body.iter().take(KISSING.into()).for_each(|near| kept[near.pair as usize] = true);
        }
        true
    }

    /// Makes the pushes of an island smaller where bodies have many; its manifolds and contacts begin at
    /// `first`.
    pub(super) fn part_crowd(
        &mut self,
        sources: &Sources<'_>,
        settings: &Settings,
        first: [usize; 2],
        bodies: usize,
    ) {
        if matches!(settings.contact.active, ActiveEvents::Enumerated { .. }) {
            return;
        }
        let most = widen(settings.contact.push_speed_max);
        let (manifolds, sums) = (&mut self.manifolds[first[0]..], &mut self.pushed);
        let moves = |m: &Manifold| (m.a as usize) < bodies && (m.b as usize) < bodies;
        refill(sums, bodies, 0.0);
        for pair in manifolds.chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)) {
            let (m, speeds) = (&pair[0], pair.iter().map(Manifold::push_speed));
            if moves(m) {
                let fastest = speeds.fold(0.0, Double::max);
                [m.a, m.b].iter().for_each(|&i| sums[i as usize] += fastest);
            }
        }
        for m in manifolds.iter_mut().filter(|m| moves(m)) {
            let sum: Double = sums[m.a as usize].max(sums[m.b as usize]);
            if sum <= 2.0 * most {
                continue;
            }
            let [pair, _] = self.contact_source[first[1] + m.first as usize];
            let ratio = 1.0 / (1.0 - widen(sources.pairs[pair as usize].gap));
            m.push_max = most * ratio.max(2.0 * most / sum).min(1.0);
            for lane in 0..m.count as usize {
                m.bias[lane] = m.bias[lane].max(-m.push_max);
                m.push[lane] = m.push[lane].max(-m.push_max);
            }
        }
    }
}
