//! Order and pattern of a factor, from the graph alone.
//!
//! Input: bodies, joints and edges. Output: the order of elimination, the blocks of `L` column by column
//! and, for every row, the columns in which it has a block. Row `j` of `L` has blocks in the columns met
//! on the way from each earlier neighbor of `j` up the elimination tree (Liu 1990), so the pattern takes
//! O(blocks). Nothing here depends on numbers, so a pattern serves as long as the graph stays.

use super::graph::Graph;
use super::order::Order;
use crate::math::refill;

/// Structure of a factor: kept while the graph stays.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    pub(super) graph: Graph,
    edges: Vec<[u32; 2]>,
    /// Nodes in the order of their elimination.
    sequence: Vec<u32>,
    /// Place of each node in the order of elimination.
    pub(super) position: Vec<u32>,
    /// First block of each column, and the end.
    pub(super) start: Vec<u32>,
    /// Position of each block's row, ascending within a column.
    pub(super) row: Vec<u32>,
    /// First entry of each row in `row_blocks`, and the end.
    pub(super) row_start: Vec<u32>,
    /// Column (its position) and block of every entry of a row.
    pub(super) row_blocks: Vec<(u32, u32)>,
    /// Block of each edge, and whether its rows are those of the edge's second node.
    slots: Vec<(u32, bool)>,
    work: u64,
    /// The next place in the elimination tree.
    parent: Vec<u32>,
    mark: Vec<u32>,
    cursor: Vec<u32>,
    built: bool,
}

const NONE: u32 = u32::MAX;

impl Pattern {
    /// Finds order and pattern for a graph of `bodies` (nodes from 0), then `joints`, joined by
    /// `edges` in any order, repeated or not, never from a node to itself. Returns false, and does
    /// nothing, if it is the graph of the last time. `order` is a buffer.
    pub fn build(
        &mut self,
        order: &mut Order,
        bodies: usize,
        joints: usize,
        edges: &[[u32; 2]],
    ) -> bool {
        let nodes = bodies + joints;
        let same = self.built
            && self.graph.bodies == bodies
            && self.nodes() == nodes
            && self.edges == edges;
        if same {
            return false;
        }
        self.set_graph(bodies, nodes, edges);
        order.minimum_degree(&self.graph, false, &mut self.sequence);
        self.find_pattern();
        true
    }

    /// Finds order and pattern for nodes with positive pivots, as joints alone are: of equal ones those whose
    /// neighbors changed first go first.
    pub(super) fn build_fair(&mut self, order: &mut Order, nodes: usize, edges: &[[u32; 2]]) {
        self.set_graph(nodes, nodes, edges);
        order.minimum_degree(&self.graph, true, &mut self.sequence);
        self.find_pattern();
    }

    /// Finds the pattern for nodes with positive pivots, eliminated in this order.
    pub(super) fn build_in_order(&mut self, sequence: &[u32], edges: &[[u32; 2]]) {
        self.set_graph(sequence.len(), sequence.len(), edges);
        sequence.clone_into(&mut self.sequence);
        self.find_pattern();
    }

    fn set_graph(&mut self, bodies: usize, nodes: usize, edges: &[[u32; 2]]) {
        self.built = true;
        edges.clone_into(&mut self.edges);
        self.graph.build(bodies, nodes, edges);
    }

    /// Finds the blocks of the order.
    fn find_pattern(&mut self) {
        refill(&mut self.position, self.graph.nodes(), 0);
        for (place, node) in self.sequence.iter().enumerate() {
            self.position[*node as usize] = place as u32;
        }
        self.count_blocks();
        self.place_blocks();
        self.place_edges();
        self.work = self.count_work();
    }

    /// The node above one in the elimination tree, both by their places in the order; none above a root.
    pub(super) fn parent(&self, position: usize) -> Option<usize> {
        let parent = self.parent[position];
        (parent != NONE).then_some(parent as usize)
    }

    /// Forgets the graph: it is that of other bodies.
    pub fn forget(&mut self) {
        self.built = false;
    }

    /// Is a graph of bodies what is left of that of the last time where these nodes (ascending, not empty)
    /// stand for them and all others are gone? No if there were joints or are.
    #[must_use]
    pub fn is_left(&self, nodes: &[u32], joints: usize, edges: &[[u32; 2]]) -> bool {
        let plain = joints == 0 && self.built && self.graph.bodies == self.nodes();
        if nodes.is_empty() || !plain {
            return false;
        }
        let place = |node: u32| nodes.binary_search(&node).ok().map(|place| place as u32);
        let left = self.edges.iter().filter_map(|&[a, b]| Some([place(a)?, place(b)?]));
        left.eq(edges.iter().copied())
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.position.len()
    }

    /// Blocks of `L` below the diagonal.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.row.len()
    }

    /// Products of two 6×6 blocks in one factorization, of 216 multiplications and additions each;
    /// a triangular solution of a block counts as half of one, what a node costs as one.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The block of edge `e`, and whether its rows are those of the edge's second node: `(s, false)`
    /// says that the block has the rows of `edge[0]` and the columns of `edge[1]`, `(s, true)` the
    /// opposite. Edges between the same two nodes share a block.
    #[must_use]
    pub fn slot(&self, e: usize) -> (u32, bool) {
        self.slots[e]
    }

    /// The nodes in the order of their elimination.
    pub(super) fn sequence(&self) -> &[u32] {
        &self.sequence
    }

    /// The blocks of a column.
    #[inline]
    pub(super) fn column(&self, position: usize) -> std::ops::Range<usize> {
        self.start[position] as usize..self.start[position + 1] as usize
    }

    /// Calls `visit` for the column of every block of row `j`.
    fn visit_row(&mut self, j: u32, mut visit: impl FnMut(&mut Self, u32)) {
        self.mark[j as usize] = j;
        let node = self.sequence[j as usize] as usize;
        for i in 0..self.graph.neighbors(node).len() {
            let mut k = self.position[self.graph.neighbors(node)[i] as usize];
            while k < j && self.mark[k as usize] != j {
                self.mark[k as usize] = j;
                visit(self, k);
                if self.parent[k as usize] == NONE {
                    self.parent[k as usize] = j;
                }
                k = self.parent[k as usize];
            }
        }
    }

    /// Finds the elimination tree and the blocks of each column.
    fn count_blocks(&mut self) {
        let n = self.nodes();
        [&mut self.parent, &mut self.mark].into_iter().for_each(|list| refill(list, n, NONE));
        refill(&mut self.cursor, n, 0);
        for j in 0..n as u32 {
            self.visit_row(j, |pattern, k| pattern.cursor[k as usize] += 1);
        }
        self.start.clear();
        self.start.push(0);
        let mut end = 0;
        for count in &mut self.cursor {
            let first = end;
            end += *count;
            *count = first;
            self.start.push(end);
        }
    }

    /// Fills columns and rows. Rows come in ascending order, so those of a column are sorted.
    fn place_blocks(&mut self) {
        let n = self.nodes();
        let blocks = self.start[n] as usize;
        self.mark.fill(NONE);
        refill(&mut self.row, blocks, 0);
        self.row_blocks.clear();
        self.row_start.clear();
        self.row_start.push(0);
        for j in 0..n as u32 {
            self.visit_row(j, |pattern, k| {
                let block = pattern.cursor[k as usize];
                pattern.cursor[k as usize] += 1;
                pattern.row[block as usize] = j;
                pattern.row_blocks.push((k, block));
            });
            self.row_start.push(self.row_blocks.len() as u32);
        }
    }

    fn place_edges(&mut self) {
        self.slots.clear();
        for edge in &self.edges {
            let [a, b] = edge.map(|node| self.position[node as usize]);
            let column = self.column(a.min(b) as usize);
            let rows = &self.row[column.clone()];
            let at = rows.partition_point(|row| *row < a.max(b));
            self.slots.push(((column.start + at) as u32, b > a));
        }
    }

    fn count_work(&self) -> u64 {
        let columns = self.start.windows(2).map(|w| u64::from(w[1] - w[0]));
        let products = columns.map(|rows| rows * (rows + 2) / 2);
        products.sum::<u64>() + self.nodes() as u64
    }
}
