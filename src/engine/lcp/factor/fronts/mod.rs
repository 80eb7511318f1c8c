//! Cholesky factor over nodes of different sizes, in dense fronts: for joints by themselves.
//!
//! Input: nodes of one to six rows and the pairs of them that share entries of a positive definite matrix;
//! then those entries. Output: solutions. Nodes with the same rows below them are eliminated together, as
//! the first columns of a dense *front*; what they leave of it is added to the front of the first row
//! below (the multifrontal method, Liu 1992). All arithmetic is on dense columns, which is several times
//! faster than that of [`Factor`](super::Factor) on blocks of six where nodes are smaller or many.
//!
//! The order is that of [`Pattern`], minimum degree, brought into an order in which each front follows the
//! fronts that add to it. What is left of a front waits on one of two stacks, by the parity of its depth in
//! the tree, so that a front and those that it takes up are never on the same one.
//!
//! Cost: a chain of 50 ball joints 8 µs a factor and 3 µs a solution, on one core at 2.5 GHz with SSE2.

mod dense;

use super::symbolic::Pattern;
use crate::math::Double;

/// Where a pair's block of the matrix is.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// Its first entry.
    at: u32,
    /// From a column to the next.
    stride: u32,
    /// Has it the rows of the pair's first node, and the columns of its second?
    pub rows_of_first: bool,
}

/// A dense part of the factor.
#[derive(Clone, Copy, Debug, Default)]
struct Front {
    /// Its first column.
    first: u32,
    /// Columns it eliminates, and rows.
    width: u32,
    height: u32,
    /// Its columns in `values`, and its rows below them in `below`.
    values: u32,
    below: u32,
    /// The front that takes up what it leaves, or [`NONE`]; where that waits, and on which stack.
    parent: u32,
    waits: u32,
    stack: u32,
}

impl Front {
    fn left(&self) -> usize {
        (self.height - self.width) as usize
    }

    fn panel(&self) -> core::ops::Range<usize> {
        let size = self.width as usize * (self.height as usize + dense::PAD);
        self.values as usize..self.values as usize + size
    }

    fn rows(&self) -> core::ops::Range<usize> {
        self.below as usize..self.below as usize + self.left()
    }

    fn waiting(&self) -> core::ops::Range<usize> {
        let size = self.left() * (self.left() + dense::PAD);
        self.waits as usize..self.waits as usize + size
    }
}

const NONE: u32 = u32::MAX;

/// A matrix over nodes of different sizes, or its factor.
#[derive(Clone, Debug, Default)]
pub struct Fronts {
    pattern: Pattern,
    fronts: Vec<Front>,
    /// Fronts by the front that takes them up: the end of each one's, and all of them.
    taken_end: Vec<u32>,
    taken: Vec<u32>,
    /// Rows below the columns of each front, and which rows of the next front they are.
    below: Vec<u32>,
    place: Vec<u32>,
    /// First row of every node, and the end of it.
    node_start: Vec<u32>,
    sizes: Vec<u32>,
    rows: usize,
    slots: Vec<Slot>,
    diagonal: Vec<Slot>,
    values: Vec<Double>,
    stacks: [Vec<Double>; 2],
    buffer: Vec<Double>,
    work: Double,
    /// Columns of the pattern in the order of elimination, and the place of each in it.
    order: Vec<u32>,
    number: Vec<u32>,
    /// Buffers of [`Fronts::build`].
    front_of: Vec<u32>,
    depth: Vec<u32>,
    cursor: Vec<u32>,
    tree: EliminationTree,
}

/// Children of the columns of a pattern: the first of each, and the next of the same parent. The last
/// entry of `child` is that of the roots.
#[derive(Clone, Debug, Default)]
struct EliminationTree {
    child: Vec<u32>,
    sibling: Vec<u32>,
    stack: Vec<u32>,
}

impl EliminationTree {
    fn clear(&mut self, n: usize) {
        for list in [&mut self.child, &mut self.sibling] {
            list.clear();
            list.resize(n + 1, NONE);
        }
        self.stack.clear();
    }

    fn add(&mut self, k: usize, parent: usize) {
        self.sibling[k] = self.child[parent];
        self.child[parent] = k as u32;
    }

    fn push_children(&mut self, k: usize) {
        let mut child = self.child[k];
        while child != NONE {
            self.stack.push(child);
            child = self.sibling[child as usize];
        }
    }
}

impl Fronts {
    /// Finds order and fronts for nodes of these sizes; `pairs` of different nodes share entries.
    pub fn build(&mut self, sizes: &[u32], pairs: &[[u32; 2]]) {
        self.pattern.build_by(sizes.len(), 0, pairs, true);
        self.sizes.clear();
        self.sizes.extend_from_slice(sizes);
        self.sort();
        self.number_rows();
        self.find_fronts();
        self.find_places();
        self.place_on_stacks();
        self.slots.clear();
        for &pair in pairs {
            let slot = self.find_slot(pair);
            self.slots.push(slot);
        }
        self.diagonal.clear();
        for node in 0..sizes.len() as u32 {
            let slot = self.find_slot([node; 2]);
            self.diagonal.push(slot);
        }
    }

    /// Rows of the matrix.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// First row of a node, in the order of elimination.
    #[must_use]
    pub fn start(&self, node: usize) -> usize {
        self.node_start[node] as usize
    }

    /// Multiplications of a factor.
    #[must_use]
    pub fn work(&self) -> Double {
        self.work
    }

    /// Numbers of a factor.
    #[must_use]
    pub fn size(&self) -> usize {
        self.values.len()
    }

    /// The column of the first row below, in the pattern's order.
    fn parent(&self, column: usize) -> u32 {
        self.pattern.row[self.pattern.column(column)].first().copied().unwrap_or(NONE)
    }

    /// Brings the pattern's columns into an order in which all that lead to a column stand before it, the
    /// nearest first.
    fn sort(&mut self) {
        let n = self.sizes.len();
        self.order.clear();
        self.number.clear();
        self.number.resize(n, 0);
        self.tree.clear(n);
        for k in 0..n {
            let parent = self.parent(k);
            self.tree.add(k, if parent == NONE { n } else { parent as usize });
        }
        // What waits comes off the stack before what it waits for: the order backwards.
        self.tree.push_children(n);
        while let Some(k) = self.tree.stack.pop() {
            self.order.push(k);
            self.tree.push_children(k as usize);
        }
        self.order.reverse();
        for (at, k) in self.order.iter().enumerate() {
            self.number[*k as usize] = at as u32;
        }
    }

    /// Gives every node its rows.
    fn number_rows(&mut self) {
        self.node_start.clear();
        self.node_start.resize(self.sizes.len(), 0);
        let mut end = 0;
        for k in &self.order {
            let node = self.pattern.sequence()[*k as usize] as usize;
            self.node_start[node] = end;
            end += self.sizes[node];
        }
        self.rows = end as usize;
    }

    /// Columns with the same rows below them become a front.
    fn find_fronts(&mut self) {
        self.fronts.clear();
        self.below.clear();
        self.front_of.clear();
        self.work = 0.0;
        let mut front = Front::default();
        for at in 0..self.order.len() {
            let k = self.order[at] as usize;
            let node = self.pattern.sequence()[k] as usize;
            if front.width == 0 {
                front.first = self.node_start[node];
            }
            front.width += self.sizes[node];
            self.front_of.push(self.fronts.len() as u32);
            let rows = self.pattern.column(k).len();
            let parent = self.parent(k);
            let follows = self.order.get(at + 1).is_some_and(|&next| {
                next == parent && rows == self.pattern.column(next as usize).len() + 1
            });
            if follows {
                continue;
            }
            for row in &self.pattern.row[self.pattern.column(k)] {
                let node = self.pattern.sequence()[*row as usize] as usize;
                let start = self.node_start[node];
                self.below.extend(start..start + self.sizes[node]);
            }
            front.height = front.width + self.below.len() as u32 - front.below;
            front.parent = if parent == NONE { NONE } else { self.number[parent as usize] };
            let (w, m) = (Double::from(front.width), Double::from(front.height));
            self.work += 0.5 * w * (m * m - m * w + w * w / 3.0);
            let next = Front {
                values: front.panel().end as u32,
                below: self.below.len() as u32,
                ..Front::default()
            };
            self.fronts.push(core::mem::replace(&mut front, next));
        }
        for front in &mut self.fronts {
            if front.parent != NONE {
                front.parent = self.front_of[front.parent as usize];
            }
        }
        self.values.clear();
        self.values.resize(front.values as usize, 0.0);
    }

    /// Finds which rows of the next front the rows of each front are.
    fn find_places(&mut self) {
        self.place.clear();
        for front in &self.fronts {
            let Some(parent) = self.fronts.get(front.parent as usize) else { continue };
            let rows = &self.below[parent.rows()];
            let mut at = 0;
            for row in &self.below[front.rows()] {
                if *row < parent.first + parent.width {
                    self.place.push(row - parent.first);
                    continue;
                }
                while rows.get(at).is_some_and(|x| x < row) {
                    at += 1;
                }
                self.place.push(parent.width + at as u32);
            }
        }
        // Roots have no rows below: `place` is as long as `below`.
        self.taken_end.clear();
        self.taken_end.resize(self.fronts.len() + 1, 0);
        for front in &self.fronts {
            if front.parent != NONE {
                self.taken_end[front.parent as usize + 1] += 1;
            }
        }
        for k in 1..self.taken_end.len() {
            self.taken_end[k] += self.taken_end[k - 1];
        }
        self.taken.clear();
        self.taken.resize(self.fronts.len(), NONE);
        self.cursor.clear();
        self.cursor.extend_from_slice(&self.taken_end);
        for (k, front) in self.fronts.iter().enumerate() {
            if front.parent != NONE {
                let at = &mut self.cursor[front.parent as usize];
                self.taken[*at as usize] = k as u32;
                *at += 1;
            }
        }
    }

    /// Finds where on the stacks what each front leaves waits to be taken up.
    fn place_on_stacks(&mut self) {
        self.depth.clear();
        self.depth.resize(self.fronts.len(), 0);
        for k in (0..self.fronts.len()).rev() {
            let parent = self.fronts[k].parent;
            if parent != NONE {
                self.depth[k] = self.depth[parent as usize] + 1;
            }
        }
        let (mut end, mut most) = ([0_u32; 2], [0_u32; 2]);
        for k in 0..self.fronts.len() {
            let stack = self.depth[k] % 2;
            let taken = self.taken_end[k] as usize..self.taken_end[k + 1] as usize;
            let front = &mut self.fronts[k];
            (front.stack, front.waits) = (stack, end[stack as usize]);
            end[stack as usize] = front.waiting().end as u32;
            most[stack as usize] = most[stack as usize].max(end[stack as usize]);
            // The first of those it takes up was the first to come.
            if let Some(&first) = self.taken[taken].first() {
                end[1 - stack as usize] = self.fronts[first as usize].waits;
            }
        }
        for (list, most) in self.stacks.iter_mut().zip(most) {
            list.clear();
            list.resize(most as usize, 0.0);
        }
    }

    fn find_slot(&self, [a, b]: [u32; 2]) -> Slot {
        let starts = [a, b].map(|node| self.node_start[node as usize]);
        let rows_of_first = starts[0] > starts[1];
        let (column, row) = (starts[0].min(starts[1]), starts[0].max(starts[1]));
        let front = self.fronts.partition_point(|front| front.first <= column) - 1;
        let front = &self.fronts[front];
        let local = if row < front.first + front.width {
            row - front.first
        } else {
            let rows = &self.below[front.rows()];
            front.width + rows.partition_point(|x| *x < row) as u32
        };
        let stride = front.height + dense::PAD as u32;
        Slot { at: front.values + (column - front.first) * stride + local, stride, rows_of_first }
    }

    /// Makes all entries zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// The block of a pair.
    #[must_use]
    pub fn slot(&self, pair: usize) -> Slot {
        self.slots[pair]
    }

    /// The block of a node on the diagonal.
    #[must_use]
    pub fn diagonal(&self, node: usize) -> Slot {
        self.diagonal[node]
    }

    /// Adds to an entry of a block.
    #[inline]
    pub fn add(&mut self, slot: Slot, row: usize, column: usize, value: Double) {
        self.values[slot.at as usize + column * slot.stride as usize + row] += value;
    }

    /// Replaces the matrix by its factor. False if some pivot is not positive; then the content is of no use.
    #[must_use]
    pub fn factor(&mut self) -> bool {
        let mut is_definite = true;
        for (k, front) in self.fronts.iter().enumerate() {
            let (m, w) = (front.height as usize, front.width as usize);
            let panel = &mut self.values[front.panel()];
            let [even, odd] = &mut self.stacks;
            let (own, others) = if front.stack == 0 { (even, odd) } else { (odd, even) };
            let left = &mut own[front.waiting()];
            left.fill(0.0);
            let taken = self.taken_end[k] as usize..self.taken_end[k + 1] as usize;
            for &other in &self.taken[taken] {
                let other = &self.fronts[other as usize];
                let place = &self.place[other.rows()];
                take_up(&others[other.waiting()], place, panel, left, m, w);
            }
            is_definite &= dense::factor_panel(panel, m, w);
            dense::update(panel, m, w, left);
        }
        is_definite
    }

    /// Solves with the factor, in place; rows in the order of elimination.
    pub fn solve(&mut self, x: &mut [Double]) {
        for front in &self.fronts {
            let own = front.first as usize..(front.first + front.width) as usize;
            let rows = &self.below[front.rows()];
            self.buffer.clear();
            self.buffer.resize(rows.len(), 0.0);
            let panel = &self.values[front.panel()];
            dense::solve_lower(panel, front.height as usize, &mut x[own], &mut self.buffer);
            for (row, sum) in rows.iter().zip(&self.buffer) {
                x[*row as usize] -= sum;
            }
        }
        for front in self.fronts.iter().rev() {
            let own = front.first as usize..(front.first + front.width) as usize;
            let rows = &self.below[front.rows()];
            self.buffer.clear();
            self.buffer.extend(rows.iter().map(|row| x[*row as usize]));
            let panel = &self.values[front.panel()];
            dense::solve_upper(panel, front.height as usize, &mut x[own], &self.buffer);
        }
    }
}

/// Adds what a front left, the lower triangle, to the columns of the next front and to what that leaves.
fn take_up(
    from: &[Double],
    place: &[u32],
    panel: &mut [Double],
    left: &mut [Double],
    m: usize,
    w: usize,
) {
    let (ld, ld_left) = (m + dense::PAD, m - w + dense::PAD);
    for (j, column) in from.chunks_exact(place.len() + dense::PAD).enumerate() {
        let at = place[j] as usize;
        let (out, shift) = if at < w {
            (&mut panel[at * ld..(at + 1) * ld], 0)
        } else {
            (&mut left[(at - w) * ld_left..(at - w + 1) * ld_left], w)
        };
        for (value, row) in column[j..].iter().zip(&place[j..]) {
            out[*row as usize - shift] += value;
        }
    }
}
