//! Neighbor lists of a graph given by its edges.
//!
//! Input: pairs of nodes, in any order, repeats allowed. Output: for every node the nodes it shares
//! an edge with, repeats included. Cost: O(nodes + edges).

use crate::math::{Groups, fill_from};

/// The graph: bodies first, then joints.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// Number of bodies.
    pub(super) bodies: usize,
    /// Number of all nodes.
    nodes: usize,
    /// The ends of edges by their nodes.
    ends: Groups,
    /// Neighbors of all nodes, with repeats where edges repeat.
    list: Vec<u32>,
}

impl Graph {
    /// Sorts the edges by node (a counting sort), so that neighbors stand in the order of the edges.
    pub(super) fn build(&mut self, bodies: usize, nodes: usize, edges: &[[u32; 2]]) {
        debug_assert!(edges.iter().all(|[a, b]| a != b), "an edge joins two nodes");
        (self.bodies, self.nodes) = (bodies, nodes);
        let ends = edges.as_flattened();
        self.ends.fill(nodes, ends.iter().copied());
        fill_from(&mut self.list, self.ends.items.iter().map(|&end| ends[end as usize ^ 1]));
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.nodes
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
        &self.list[self.ends.range(node)]
    }
}
