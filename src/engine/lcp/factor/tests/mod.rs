//! The factor against dense elimination, on random systems and on mechanisms.

mod matrices;
mod mechanisms;
mod packed;
mod pattern;
mod solutions;

use super::block::{NodeLanes, sum};
use super::{Factor, Pattern};
use crate::math::Scalar;

/// `y = A x`, if the factor is still the matrix; nodes in their own order.
pub(in crate::engine) fn multiply<T: Scalar>(
    matrix: &Factor<T>,
    pattern: &Pattern,
    x: &[NodeLanes<T>],
    y: &mut [NodeLanes<T>],
) {
    assert_eq!(x.len(), pattern.nodes(), "one vector a node");
    for ((block, x), y) in matrix.diagonal.iter().zip(x).zip(&mut *y) {
        *y = [T::ZERO; 8];
        block.add_mul(x, y);
    }
    let sequence = pattern.sequence();
    for (k, node) in sequence.iter().enumerate() {
        let mut sums = [[T::ZERO; 8]; 6];
        let value = x[*node as usize];
        let column = pattern.column(k);
        for (row, block) in pattern.row[column.clone()].iter().zip(&matrix.off[column]) {
            let other = sequence[*row as usize] as usize;
            block.add_mul(&value, &mut y[other]);
            block.add_transposed_mul(&x[other], &mut sums);
        }
        let y = &mut y[*node as usize];
        for i in 0..6 {
            y[i] = y[i] + sum(&sums[i]);
        }
    }
}
