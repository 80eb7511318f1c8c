//! Domains: parts of a large island that are swept side by side.
//!
//! Input: of each body the *leaf* it is in, numbered along the cuts that halve the island again and again.
//! Output: bodies by leaves, and manifolds by *nodes*: those within a leaf, those between the two halves of
//! what the last cut divides, and so on up to the first cut. Nodes of a level share no body that moves: they
//! are swept at the same time, then those of the next level. How many threads there are changes nothing. An
//! island that is not divided is one leaf. O(bodies + manifolds).

use crate::engine::lcp::manifold::Manifold;
use crate::math::{Groups, refill};

/// Levels of cuts, at most.
pub(in crate::engine) const CUTS_MAX: u32 = 4;
/// Nodes of each level, from the leaves on.
const LEVELS: [usize; CUTS_MAX as usize + 1] = [16, 8, 4, 2, 1];

/// Where bodies and manifolds of an island are.
#[derive(Clone, Debug, Default)]
pub(super) struct Domains {
    /// Levels of cuts.
    cuts: u32,
    /// Leaf of each body, and its place there.
    pub(super) places: Vec<[u32; 2]>,
    bodies: Groups,
    manifolds: Groups,
}

impl Domains {
    /// Sorts bodies and manifolds; `leaves` is empty for an island that is not divided.
    pub(super) fn fill(&mut self, leaves: &[u8], bodies: usize, manifolds: &[Manifold]) {
        let last = leaves.iter().copied().max().unwrap_or(0);
        let cuts = (u8::BITS - last.leading_zeros()).min(CUTS_MAX);
        self.cuts = cuts;
        let leaf = |i: u32| leaves.get(i as usize).map_or(0, |&leaf| u32::from(leaf));
        self.bodies.fill(1 << cuts, (0..bodies as u32).map(leaf));
        refill(&mut self.places, bodies, [0; 2]);
        for k in 0..1 << cuts {
            for (place, &i) in (0..).zip(self.bodies.of(k)) {
                self.places[i as usize] = [k as u32, place];
            }
        }
        let places = &self.places;
        let node = |m: &Manifold| {
            let [a, b] = [m.a, m.b].map(|i| places.get(i as usize).map(|place| place[0]));
            let [a, b] = [a.or(b), b.or(a)].map(|leaf| leaf.unwrap_or(0));
            let up = u32::BITS - (a ^ b).leading_zeros();
            first(cuts, up) as u32 + (a >> up)
        };
        self.manifolds.fill(self.nodes(), manifolds.iter().map(node));
    }

    /// Number of nodes of each level, from the leaves on.
    pub(super) fn levels(&self) -> &'static [usize] {
        &LEVELS[(CUTS_MAX - self.cuts) as usize..]
    }

    /// Number of nodes; leaves come first.
    pub(super) fn nodes(&self) -> usize {
        first(self.cuts, self.cuts + 1)
    }

    /// Number of leaves.
    pub(super) fn leaves(&self) -> usize {
        1 << self.cuts
    }

    /// Node `k` of a level.
    pub(super) fn node(&self, level: usize, k: usize) -> usize {
        first(self.cuts, level as u32) + k
    }

    /// Bodies of a leaf, ascending.
    pub(super) fn bodies(&self, leaf: usize) -> &[u32] {
        self.bodies.of(leaf)
    }

    /// Manifolds of a node, ascending.
    pub(super) fn manifolds(&self, node: usize) -> &[u32] {
        self.manifolds.of(node)
    }
}

/// The first node of a level.
fn first(cuts: u32, up: u32) -> usize {
    (2 << cuts) - (2 << cuts >> up)
}
