//! Factor over nodes of one to six rows, packed into blocks of six: for joints by themselves.
//!
//! Input: nodes, and the pairs of them that share entries of a positive definite matrix; then those entries.
//! Output: solutions. Most joints have three rows, and a block of six for each would be empty for the most
//! part: eight times the work in a net. So a node takes up the nearest of the next two above it in the
//! elimination tree whose rows fit. These have nearly its neighbors, and hardly anything fills up: a net of
//! 30 by 30 bodies has 876 blocks on its diagonal, six more than would be full.
//!
//! The order is that of the nodes, minimum degree, each block at the place of its last node.
//!
//! Cost: a chain of 50 ball joints 4 µs a factor and 1 µs a solution, a net of 30 by 30 bodies 1.8 ms and
//! 0.17 ms, on one core at 2.5 GHz with SSE2. Deliberately not done: dense fronts over nodes of their own
//! sizes. They take 3 µs and 2 µs, 1.4 ms and 0.15 ms, and would be another factor.

use super::block::NodeLanes;
use super::numeric::Factor;
use super::order::Order;
use super::symbolic::Pattern;
use crate::math::{Double, fill_from, refill};

/// Rows of a block.
const ROWS: u32 = 6;
/// Multiplications of a product of two blocks.
const PRODUCT: u32 = ROWS * ROWS * ROWS;
/// Nodes above a node that may share its block.
const ABOVE: usize = 2;
/// No block yet.
const NONE: u32 = u32::MAX;

/// Where the rows of a node are: a block, and its first row in that.
#[derive(Clone, Copy, Debug)]
pub struct NodePlace {
    /// The block.
    pub block: u32,
    /// The first row in it.
    pub first: u32,
}

/// Where the entries of two nodes are, or of one with itself.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    block: u32,
    on_diagonal: bool,
    /// First row and column in the block.
    start: [u32; 2],
    /// Has it the rows of the pair's first node, and the columns of its second?
    pub rows_of_first: bool,
}

/// A matrix over nodes of different sizes, or its factor.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    order: Order,
    nodes: Pattern,
    places: Vec<NodePlace>,
    /// Rows in use of every block, and its last node's place in the order.
    used: Vec<u32>,
    last: Vec<u32>,
    blocks: Pattern,
    sequence: Vec<u32>,
    edges: Vec<[u32; 2]>,
    slots: Vec<Slot>,
    matrix: Factor<Double>,
}

impl Packed {
    /// Finds order and blocks for nodes of these sizes; `pairs` of different nodes share entries.
    pub fn build(&mut self, sizes: &[u32], pairs: &[[u32; 2]]) {
        self.nodes.build_fair(&mut self.order, sizes.len(), pairs);
        self.pack(sizes);
        let Self { places, last, sequence, edges, blocks, slots, .. } = self;
        fill_from(sequence, 0..last.len() as u32);
        sequence.sort_unstable_by_key(|block| last[*block as usize]);
        let places = |pair: &[u32; 2]| pair.map(|node| places[node as usize]);
        fill_from(edges, pairs.iter().map(places).map(|pair| pair.map(|place| place.block)));
        edges.retain(|[a, b]| a != b);
        blocks.build_in_order(sequence, edges);
        slots.clear();
        let mut edge = 0;
        for [a, b] in pairs.iter().map(places) {
            if a.block == b.block {
                slots.push(on_diagonal(a, b));
                continue;
            }
            let (block, rows_of_second) = blocks.slot(edge);
            edge += 1;
            let start = if rows_of_second { [b.first, a.first] } else { [a.first, b.first] };
            let rows_of_first = !rows_of_second;
            slots.push(Slot { block, on_diagonal: false, start, rows_of_first });
        }
    }

    /// Gives every node its place: the first, in the order, that has none gets a new block, and those above
    /// it what fits.
    fn pack(&mut self, sizes: &[u32]) {
        refill(&mut self.places, sizes.len(), NodePlace { block: NONE, first: 0 });
        self.used.clear();
        self.last.clear();
        for k in 0..sizes.len() {
            if self.places[self.nodes.sequence()[k] as usize].block != NONE {
                continue;
            }
            let (block, mut used, mut last) = (self.used.len() as u32, 0, k);
            let mut at = Some(k);
            for _ in 0..=ABOVE {
                let Some(here) = at else { break };
                let node = self.nodes.sequence()[here] as usize;
                if self.places[node].block == NONE && used + sizes[node] <= ROWS {
                    self.places[node] = NodePlace { block, first: used };
                    used += sizes[node];
                    last = here;
                }
                at = self.nodes.parent(here);
            }
            self.used.push(used);
            self.last.push(last as u32);
        }
    }

    /// Number of blocks on the diagonal.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.used.len()
    }

    /// The place of a node.
    #[must_use]
    pub fn place(&self, node: usize) -> NodePlace {
        self.places[node]
    }

    /// Multiplications of a factor.
    #[must_use]
    pub fn work(&self) -> Double {
        Double::from(PRODUCT) * self.blocks.work() as Double
    }

    /// Numbers of a factor.
    #[must_use]
    pub fn size(&self) -> usize {
        (self.blocks.nodes() + self.blocks.blocks()) * (ROWS * ROWS) as usize
    }

    /// Makes all entries zero, and one on the diagonal of rows that no node has.
    pub fn clear(&mut self) {
        self.matrix.clear(&self.blocks);
        for (block, used) in self.used.iter().enumerate() {
            for row in *used as usize..ROWS as usize {
                self.matrix.diagonal(block).0[row][row] = 1.0;
            }
        }
    }

    /// The entries of a pair.
    #[must_use]
    pub fn slot(&self, pair: usize) -> Slot {
        self.slots[pair]
    }

    /// The entries of a node with itself.
    #[must_use]
    pub fn diagonal(&self, node: usize) -> Slot {
        on_diagonal(self.places[node], self.places[node])
    }

    /// Adds to an entry of a pair.
    #[inline]
    pub fn add(&mut self, slot: Slot, row: usize, column: usize, value: Double) {
        let Slot { block, on_diagonal, start: [first_row, first_column], .. } = slot;
        let matrix = &mut self.matrix;
        let block = if on_diagonal { matrix.diagonal(block as usize) } else { matrix.off(block) };
        block.0[first_column as usize + column][first_row as usize + row] += value;
    }

    /// Replaces the matrix by its factor. False if some pivot is not positive or lost in rounding; then the
    /// content is of no use.
    #[must_use]
    pub fn factor(&mut self) -> bool {
        self.matrix.factor(&self.blocks)
    }

    /// Solves with the factor, in place; rows where [`place`](Self::place) says.
    pub fn solve(&self, x: &mut [NodeLanes<Double>]) {
        self.matrix.solve(&self.blocks, x);
    }
}

/// The entries of two nodes of one block, below the diagonal.
const fn on_diagonal(a: NodePlace, b: NodePlace) -> Slot {
    let rows_of_first = a.first >= b.first;
    let start = if rows_of_first { [a.first, b.first] } else { [b.first, a.first] };
    Slot { block: a.block, on_diagonal: true, start, rows_of_first }
}
