//! Neighbor lists of a graph given by its edges.
//!
//! Input: pairs of nodes, in any order, repeats allowed. Output: for every node the nodes it shares
//! an edge with, repeats included. Cost: O(nodes + edges).

use crate::math::refill;

/// The graph: bodies first, then joints.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// Number of bodies.
    pub(super) bodies: usize,
    /// First neighbor of every node, and the end.
    first: Vec<u32>,
    /// Neighbors of all nodes, with repeats where edges repeat.
    list: Vec<u32>,
}

impl Graph {
    /// Sorts the edges by node (a counting sort).
    pub(super) fn build(&mut self, bodies: usize, nodes: usize, edges: &[[u32; 2]]) {
        self.bodies = bodies;
        refill(&mut self.first, nodes + 1, 0);
        for edge in edges {
            debug_assert!(edge[0] != edge[1], "an edge joins two nodes");
            edge.iter().for_each(|node| self.first[*node as usize] += 1);
        }
        let mut end = 0;
        for first in &mut self.first {
            end += *first;
            *first = end;
        }
        refill(&mut self.list, end as usize, 0);
        // Backwards, so that neighbors stand in the order of the edges.
        for &[a, b] in edges.iter().rev() {
            for (from, to) in [(a, b), (b, a)] {
                let at = &mut self.first[from as usize];
                *at -= 1;
                self.list[*at as usize] = to;
            }
        }
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// Is the node a body?
    pub(super) fn is_body(&self, node: u32) -> bool {
        (node as usize) < self.bodies
    }

    /// Number of edges from a body to joints.
    pub(super) fn joints_of(&self, body: u32) -> usize {
        self.neighbors(body as usize).iter().filter(|node| !self.is_body(**node)).count()
    }

    /// The nodes that share an edge with a node.
    pub(super) fn neighbors(&self, node: usize) -> &[u32] {
        &self.list[self.first[node] as usize..self.first[node + 1] as usize]
    }
}
