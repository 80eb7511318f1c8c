//! Values of the matrix, then of its factor `L S Lᵀ`.
//!
//! A quasi-definite matrix has such a factor in every order: the diagonal block left for a body is
//! positive definite, that for a joint negative definite. `S` is 1 for the rows of bodies and -1
//! for those of joints, and `L` is lower triangular, so that a node costs one Cholesky factor of its
//! 6×6 block and no column has to be stored twice (with and without a diagonal factor).
//!
//! The columns are computed one after the other (left-looking): column `j` takes the products of
//! all earlier columns that have a block in row `j`. Its blocks stay in the cache meanwhile, and no
//! list of operations is needed, which for a large pile would be longer than the factor itself.
//! Cost: [`Pattern::work`] products of blocks. In double precision they are taken by twos, which share
//! their right factor: an eighth fewer instructions. In single precision that takes a tenth longer.
//!
//! Deliberately not done, as measured:
//!
//! - Signed dense fronts in place of blocks. Of a pyramid of 820 boxes the factor takes a seventh less
//!   time, of 210 as much; but a solution in single precision takes half as long again, and chains of joints
//!   a third longer, for what signs and assembly cost in small fronts. Fronts for joints alone, beside the
//!   blocks: a step of a chain takes as long as with [packed blocks](super::Packed), of a net of 900 bodies
//!   a tenth less, with an eighth more instructions.
//! - Factoring again only what lies above changed bodies in the elimination tree. One changed body is 42 %
//!   of the work in that pyramid (25 % if what every column leaves were kept), five 70 %, one body in
//!   twenty 93 %; in a pile of 512 one is 72 %.
//! - Threads.

use super::block::{Block, NodeLanes, sum};
use super::symbolic::Pattern;
use crate::math::{Scalar, refill};

/// The matrix of a pattern, or its factor.
#[derive(Clone, Debug)]
pub struct Factor<T> {
    /// Diagonal blocks by node.
    pub(super) diagonal: Vec<Block<T>>,
    /// Blocks below the diagonal, as the pattern places them.
    pub(super) off: Vec<Block<T>>,
    /// Block of the current column in each row.
    place: Vec<u32>,
}

impl<T> Default for Factor<T> {
    fn default() -> Self {
        Self { diagonal: Vec::new(), off: Vec::new(), place: Vec::new() }
    }
}

const NONE: u32 = u32::MAX;

impl<T: Scalar> Factor<T> {
    /// Makes all entries zero.
    pub fn clear(&mut self, pattern: &Pattern) {
        refill(&mut self.diagonal, pattern.nodes(), Block::ZERO);
        refill(&mut self.off, pattern.blocks(), Block::ZERO);
    }

    /// The diagonal block of a node, to add to: all of it, both triangles. That of a joint is
    /// negative definite; a joint of fewer than six rows has -1 on the diagonal of the others.
    #[inline]
    pub fn diagonal(&mut self, node: usize) -> &mut Block<T> {
        &mut self.diagonal[node]
    }

    /// The block in a slot, see [`Pattern::slot`], to add to.
    #[inline]
    pub fn off(&mut self, slot: u32) -> &mut Block<T> {
        &mut self.off[slot as usize]
    }

    /// Replaces the matrix by its factor. False if some pivot has not the sign of its node or is
    /// lost in rounding; then the content is of no use.
    #[must_use]
    pub fn factor(&mut self, pattern: &Pattern) -> bool {
        debug_assert_eq!(self.off.len(), pattern.blocks(), "the matrix has this pattern");
        refill(&mut self.place, pattern.nodes(), NONE);
        for (j, node) in pattern.sequence().iter().enumerate() {
            let sign = if pattern.graph.is_body(*node) { T::ONE } else { -T::ONE };
            if !self.factor_column(pattern, j, *node as usize, sign) {
                return false;
            }
        }
        true
    }

    #[inline]
    fn factor_column(&mut self, pattern: &Pattern, j: usize, node: usize, sign: T) -> bool {
        let column = pattern.column(j);
        let (before, rest) = self.off.split_at_mut(column.start);
        let current = &mut rest[..column.len()];
        let rows = &pattern.row[column];
        rows.iter().enumerate().for_each(|(at, row)| self.place[*row as usize] = at as u32);
        let mut diagonal = self.diagonal[node];
        let mut scale = [T::ZERO; 8];
        for i in 0..6 {
            scale[i] = diagonal.0[i][i].abs();
        }
        let entries = pattern.row_start[j] as usize..pattern.row_start[j + 1] as usize;
        for (k, block) in &pattern.row_blocks[entries] {
            let is_body = pattern.graph.is_body(pattern.sequence()[*k as usize]);
            let left = &before[*block as usize];
            let signed = if is_body { *left } else { left.scaled(-T::ONE) };
            diagonal.subtract_product(left, &signed);
            let mut below = *block as usize + 1..pattern.start[*k as usize + 1] as usize;
            while size_of::<T>() > 4 && below.len() > 1 {
                // Rows ascend within a column, and so do their places.
                let [at, other] = [0, 1].map(|i| {
                    let row = pattern.row[below.start + i];
                    self.place[row as usize] as usize
                });
                let (low, high) = current.split_at_mut(other);
                let Some(left) = before[below.start..].first_chunk() else { break };
                Block::subtract_products([&mut low[at], &mut high[0]], left, &signed);
                below.start += 2;
            }
            for (row, left) in pattern.row[below.clone()].iter().zip(&before[below]) {
                let at = self.place[*row as usize] as usize;
                current[at].subtract_product(left, &signed);
            }
        }
        rows.iter().for_each(|row| self.place[*row as usize] = NONE);
        if sign < T::ZERO {
            diagonal = diagonal.scaled(sign);
        }
        let is_definite = diagonal.cholesky(&scale);
        self.diagonal[node] = diagonal;
        current.iter_mut().for_each(|block| block.divide(&diagonal, sign));
        is_definite
    }

    /// Solves with the factor, in place: six numbers a node, nodes in their own order, not that of
    /// the elimination; the two numbers of padding are not used.
    pub fn solve(&self, pattern: &Pattern, x: &mut [NodeLanes<T>]) {
        debug_assert_eq!(x.len(), pattern.nodes(), "one vector a node");
        let sequence = pattern.sequence();
        for (k, node) in sequence.iter().enumerate() {
            let mut value = x[*node as usize];
            self.diagonal[*node as usize].solve_lower(&mut value);
            x[*node as usize] = value;
            let minus = value.map(|x| -x);
            let column = pattern.column(k);
            for (row, block) in pattern.row[column.clone()].iter().zip(&self.off[column]) {
                block.add_mul(&minus, &mut x[sequence[*row as usize] as usize]);
            }
        }
        for (k, node) in sequence.iter().enumerate().rev() {
            let mut sums = [[T::ZERO; 8]; 6];
            let column = pattern.column(k);
            for (row, block) in pattern.row[column.clone()].iter().zip(&self.off[column]) {
                block.add_transposed_mul(&x[sequence[*row as usize] as usize], &mut sums);
            }
            let mut value = x[*node as usize];
            if !pattern.graph.is_body(*node) {
                value = value.map(|x| -x);
            }
            for i in 0..6 {
                value[i] = value[i] - sum(&sums[i]);
            }
            self.diagonal[*node as usize].solve_upper(&mut value);
            x[*node as usize] = value;
        }
    }
}
