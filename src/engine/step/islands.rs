//! Islands: groups of moving bodies that touch or are joined.
//!
//! Input: edges between bodies. Output: for every moving body its island and its index there. Islands
//! are numbered by their first body and list their bodies in ascending order, so that nothing depends
//! on the order of the edges. O(edges α(n)), and a byte for each body.

pub use crate::math::sets::{DisjointSets, marked};

/// Stands for the world, or nothing, where the index of a body is expected.
pub const NO_BODY: u32 = u32::MAX;

/// Marks a body that belongs to no island.
pub const NO_ISLAND: u32 = u32::MAX;

/// Islands of the current step.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    sets: DisjointSets,
    /// Island of every body, or [`NO_ISLAND`].
    pub island: Vec<u32>,
    /// Index of every member of an island within it.
    pub local: Vec<u32>,
    /// `members[start[k]..start[k + 1]]`: the bodies of island `k`, ascending.
    pub members: Vec<u32>,
    /// See `members`.
    pub start: Vec<u32>,
}

impl Islands {
    /// Builds the islands of the bodies for which `moves` is true from pairs of touching bodies.
    pub fn build(&mut self, moves: &[bool], edges: impl Iterator<Item = [u32; 2]>) {
        let n = moves.len();
        for &i in &self.members {
            if (i as usize) < n {
                (self.island[i as usize], self.local[i as usize]) = (NO_ISLAND, 0);
            }
        }
        self.sets.resize(n);
        self.island.resize(n, NO_ISLAND);
        self.local.resize(n, 0);
        marked(moves).for_each(|i| self.sets.part(i as u32));
        for [a, b] in edges {
            if moves[a as usize] && moves[b as usize] {
                self.sets.join(a, b);
            }
        }
        self.start.clear();
        self.start.push(0);
        // `start[k + 1]` counts the members of island `k` first; a root is the smallest of its set.
        for i in marked(moves) {
            let root = self.sets.find(i as u32) as usize;
            if root == i {
                self.island[i] = self.start.len() as u32 - 1;
                self.start.push(0);
            }
            let k = self.island[root];
            self.island[i] = k;
            self.local[i] = self.start[k as usize + 1];
            self.start[k as usize + 1] += 1;
        }
        (1..self.start.len()).for_each(|k| self.start[k] += self.start[k - 1]);
        self.members.clear();
        self.members.resize(self.start[self.start.len() - 1] as usize, 0);
        for i in marked(moves) {
            let at = self.start[self.island[i] as usize] + self.local[i];
            self.members[at as usize] = i as u32;
        }
    }

    /// The bodies of island `k`, ascending.
    pub fn members_of(&self, k: usize) -> &[u32] {
        &self.members[self.start[k] as usize..self.start[k + 1] as usize]
    }

    /// Number of islands.
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Are there no islands?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lcp::tests::random::Random;

    #[test]
    fn islands_are_numbered_by_their_first_body_whatever_the_order_of_edges() {
        let moves = [true, true, false, true, true, true];
        let edges = [[4, 1], [5, 0], [2, 3], [2, 0]];
        for turn in 0..edges.len() {
            let mut edges = edges;
            edges.rotate_left(turn);
            let mut islands = Islands::default();
            islands.build(&moves, edges.into_iter());
            assert_eq!(islands.island, [0, 1, NO_ISLAND, 2, 1, 0], "bodies 0-5, 1-4, and 3 alone");
            assert_eq!(islands.members, [0, 5, 1, 4, 3], "ascending in each island");
            assert_eq!(islands.start, [0, 2, 4, 5], "sizes 2, 2, 1");
            assert_eq!(islands.local, [0, 0, 0, 0, 1, 1], "index in the island");
        }
    }

    /// What was built before leaves no trace, whatever the number of bodies.
    #[test]
    fn islands_depend_on_their_own_edges_alone() {
        let mut rng = Random::new(5);
        let mut islands = Islands::default();
        for _ in 0..500 {
            let n = 1 + rng.below(200);
            let moves: Vec<bool> = (0..n).map(|_| rng.unit() < 0.3).collect();
            let edges: Vec<_> = (0..n).map(|_| [0; 2].map(|_: u8| rng.below(n) as u32)).collect();
            let mut anew = Islands::default();
            islands.build(&moves, edges.iter().copied());
            anew.build(&moves, edges.iter().copied());
            assert_eq!(
                (&islands.island, &islands.local),
                (&anew.island, &anew.local),
                "of each body"
            );
            assert_eq!(
                (&islands.members, &islands.start),
                (&anew.members, &anew.start),
                "in order"
            );
        }
    }
}
