//! Conjugate gradients with an incomplete factor, for large islands of contacts alone.
//!
//! Input: the matrix in a [pattern without fill](super::Fill::None), a right side, a first guess.
//! Output: the solution to a relative residual. The preconditioner is the incomplete block factor
//! that has the blocks of the matrix and drops all others; where it meets a pivot that is not
//! positive (dropping may cause that), the diagonal blocks are raised a little, and at last the
//! blocks below the diagonal are left out (block Jacobi).
//!
//! Cost: [`Pattern::iteration_work`] an iteration; the number of iterations grows with the size of
//! the island and the root of the contact penalty. Deliberately not done: joints, whose negative
//! blocks conjugate gradients do not allow.

use super::block::{Block, Lanes, sum};
use super::numeric::Factor;
use super::symbolic::Pattern;
use crate::math::{Double, Scalar};

/// Factors by which the diagonal blocks are raised until an incomplete factor exists.
const SHIFTS: [Double; 4] = [1.0, 1.01, 1.1, 2.0];

/// The preconditioner and the vectors of the iteration.
#[derive(Clone, Debug)]
pub struct ConjugateGradients<T> {
    preconditioner: Factor<T>,
    residual: Vec<Lanes<T>>,
    /// The residual times the inverse of the preconditioner.
    gradient: Vec<Lanes<T>>,
    direction: Vec<Lanes<T>>,
    /// The matrix times the direction.
    image: Vec<Lanes<T>>,
}

impl<T> Default for ConjugateGradients<T> {
    fn default() -> Self {
        Self {
            preconditioner: Factor::default(),
            residual: Vec::new(),
            gradient: Vec::new(),
            direction: Vec::new(),
            image: Vec::new(),
        }
    }
}

impl<T: Scalar> ConjugateGradients<T> {
    /// Computes the preconditioner of a matrix. It serves for similar matrices of the same pattern
    /// too. False if a diagonal block is not positive definite.
    #[must_use]
    pub fn prepare(&mut self, pattern: &Pattern, matrix: &Factor<T>) -> bool {
        for shift in SHIFTS {
            self.preconditioner.copy_from(matrix);
            if shift > 1.0 {
                self.raise_diagonal(T::from_double(shift));
            }
            if self.preconditioner.factor(pattern) {
                return true;
            }
        }
        self.preconditioner.copy_from(matrix);
        self.preconditioner.off.fill(Block::ZERO);
        self.preconditioner.factor(pattern)
    }

    fn raise_diagonal(&mut self, factor: T) {
        for block in &mut self.preconditioner.diagonal {
            *block = block.scaled(factor);
        }
    }

    /// Improves `x` until the residual is at most `tolerance` times the right side (both as
    /// Euclidean lengths) or `iterations_max` is reached; returns the iterations made.
    pub fn solve(
        &mut self,
        pattern: &Pattern,
        matrix: &Factor<T>,
        rhs: &[Lanes<T>],
        x: &mut [Lanes<T>],
        tolerance: Double,
        iterations_max: u32,
    ) -> u32 {
        for list in [&mut self.residual, &mut self.gradient, &mut self.direction, &mut self.image] {
            list.clear();
            list.resize(rhs.len(), [T::ZERO; 8]);
        }
        matrix.multiply(pattern, x, &mut self.image);
        for ((r, b), y) in self.residual.iter_mut().zip(rhs).zip(&self.image) {
            for i in 0..6 {
                r[i] = b[i] - y[i];
            }
        }
        let goal = tolerance * tolerance * dot(rhs, rhs);
        let mut last = 0.0;
        for iteration in 0..iterations_max {
            if dot(&self.residual, &self.residual) <= goal {
                return iteration;
            }
            self.gradient.copy_from_slice(&self.residual);
            self.preconditioner.solve(pattern, &mut self.gradient);
            let product = dot(&self.residual, &self.gradient);
            let turn = if iteration == 0 { 0.0 } else { product / last };
            last = product;
            add_scaled(&mut self.gradient, T::from_double(turn), &self.direction);
            std::mem::swap(&mut self.gradient, &mut self.direction);
            matrix.multiply(pattern, &self.direction, &mut self.image);
            let curvature = dot(&self.direction, &self.image);
            // Not positive only by rounding, at the end of what this precision can do.
            if !(curvature > 0.0 && product > 0.0) {
                return iteration;
            }
            let length = T::from_double(product / curvature);
            add_scaled(x, length, &self.direction);
            add_scaled(&mut self.residual, -length, &self.image);
        }
        iterations_max
    }
}

/// `y ← y + s x`.
fn add_scaled<T: Scalar>(y: &mut [Lanes<T>], s: T, x: &[Lanes<T>]) {
    for (y, x) in y.iter_mut().zip(x) {
        for i in 0..8 {
            y[i] = y[i] + x[i] * s;
        }
    }
}

/// Six products a node in the precision of the vectors, their sum in double precision.
fn dot<T: Scalar>(x: &[Lanes<T>], y: &[Lanes<T>]) -> Double {
    let mut total = 0.0;
    for (x, y) in x.iter().zip(y) {
        let products: Lanes<T> = std::array::from_fn(|i| x[i] * y[i]);
        total += sum(&products).to_double();
    }
    total
}
