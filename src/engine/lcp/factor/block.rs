//! 6×6 blocks and the kernels on them.
//!
//! A column takes eight lanes of which two are padding, so that compilers turn the inner loops into
//! whole vectors. The padding is zero and stays zero. Products are not fused and sums have a fixed
//! order: same bits on every machine.

use crate::math::Scalar;

/// Six numbers of a node and two of padding (zero).
pub type NodeLanes<T> = [T; 8];

/// A 6×6 matrix, column by column; entry (i, j) is `.0[j][i]`. The last two numbers of a column are
/// padding and must stay zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Block<T>(pub [NodeLanes<T>; 6]);

impl<T: Scalar> Block<T> {
    /// The zero matrix.
    pub const ZERO: Self = Self([[T::ZERO; 8]; 6]);

    /// `self ← self - a bᵀ`.
    #[inline(always)]
    pub(super) fn subtract_product(&mut self, a: &Self, b: &Self) {
        for j in 0..6 {
            let mut column = self.0[j];
            for k in 0..6 {
                let factor = b.0[k][j];
                for i in 0..lanes::<T>() {
                    column[i] = column[i] - a.0[k][i] * factor;
                }
            }
            self.0[j] = column;
        }
    }

    /// `c ← c - a bᵀ` for two blocks with one `b`, whose entries fill vectors once for both.
    #[inline(always)]
    pub(super) fn subtract_products(both: [&mut Self; 2], a: &[Self; 2], b: &Self) {
        let [first, second] = both;
        for j in 0..6 {
            let (mut one, mut two) = (first.0[j], second.0[j]);
            for k in 0..6 {
                let factor = b.0[k][j];
                for i in 0..lanes::<T>() {
                    one[i] = one[i] - a[0].0[k][i] * factor;
                }
                for i in 0..lanes::<T>() {
                    two[i] = two[i] - a[1].0[k][i] * factor;
                }
            }
            (first.0[j], second.0[j]) = (one, two);
        }
    }

    /// The matrix times a number.
    #[inline(always)]
    pub(super) fn scaled(&self, s: T) -> Self {
        Self(self.0.map(|column| column.map(|x| x * s)))
    }

    /// Replaces a positive definite matrix by its Cholesky factor `L`, with the inverses of the diagonal
    /// in place of the diagonal and zeros above. False if some pivot is not positive, or below the
    /// rounding of the diagonal `scale` that the matrix had before other blocks were subtracted from it.
    #[inline(always)]
    pub(super) fn cholesky(&mut self, scale: &NodeLanes<T>) -> bool {
        let mut is_definite = true;
        for j in 0..6 {
            let mut column = self.0[j];
            let pivot = column[j];
            is_definite &= pivot > scale[j] * T::EPSILON && pivot <= T::MAX;
            let inverse = T::ONE / pivot.sqrt();
            for i in 0..8 {
                column[i] = if i > j { column[i] * inverse } else { T::ZERO };
            }
            // At once from all later columns: the shortest chain of dependent operations.
            for k in j + 1..6 {
                for i in 0..8 {
                    self.0[k][i] = self.0[k][i] - column[i] * column[k];
                }
            }
            column[j] = inverse;
            self.0[j] = column;
        }
        is_definite
    }

    /// `self ← sign · self · L⁻ᵀ` with the factor of [`cholesky`](Self::cholesky).
    #[inline(always)]
    pub(super) fn divide(&mut self, lower: &Self, sign: T) {
        for j in 0..6 {
            let mut column = self.0[j];
            for k in 0..j {
                let factor = lower.0[k][j] * sign;
                for i in 0..8 {
                    column[i] = column[i] - self.0[k][i] * factor;
                }
            }
            let inverse = lower.0[j][j] * sign;
            self.0[j] = column.map(|x| x * inverse);
        }
    }

    /// `y ← y + self · x`.
    #[inline(always)]
    pub(super) fn add_mul(&self, x: &NodeLanes<T>, y: &mut NodeLanes<T>) {
        for k in 0..6 {
            for i in 0..8 {
                y[i] = y[i] + self.0[k][i] * x[k];
            }
        }
    }

    /// `sums[k] ← sums[k] + column k ∘ x`: the sums of the lanes are `selfᵀ x`.
    #[inline(always)]
    pub(super) fn add_transposed_mul(&self, x: &NodeLanes<T>, sums: &mut [NodeLanes<T>; 6]) {
        for k in 0..6 {
            for i in 0..8 {
                sums[k][i] = sums[k][i] + self.0[k][i] * x[i];
            }
        }
    }

    /// `x ← L⁻¹ x` with the factor of [`cholesky`](Self::cholesky).
    #[inline(always)]
    pub(super) fn solve_lower(&self, x: &mut NodeLanes<T>) {
        for j in 0..6 {
            let value = x[j] * self.0[j][j];
            for i in j + 1..6 {
                x[i] = x[i] - self.0[j][i] * value;
            }
            x[j] = value;
        }
    }

    /// `x ← L⁻ᵀ x` with the factor of [`cholesky`](Self::cholesky).
    #[inline(always)]
    pub(super) fn solve_upper(&self, x: &mut NodeLanes<T>) {
        for j in (0..6).rev() {
            let mut value = x[j];
            // The newest number last, since it comes latest.
            for i in (j + 1..6).rev() {
                value = value - self.0[j][i] * x[i];
            }
            x[j] = value * self.0[j][j];
        }
    }
}

/// Lanes of a column to compute: the padding fills a vector of single precision, in double precision
/// it would be a vector of its own.
#[inline(always)]
fn lanes<T>() -> usize {
    if size_of::<T>() > 4 { 6 } else { 8 }
}

/// Sum of the six numbers, in a fixed order.
#[inline(always)]
pub(super) fn sum<T: Scalar>(x: &NodeLanes<T>) -> T {
    ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5])
}
