//! Envelope (skyline) factor `L D Lᵀ` of the quasi-definite Newton matrix.
//!
//! ```text
//! [ H   -ν ]      H = M + Jᵀ diag(D_c) J   symmetric positive definite, 6×6 blocks
//! [ -νᵀ -δ ]      δ > 0 diagonal
//! ```
//!
//! A quasi-definite matrix has a factor `L D Lᵀ` with diagonal `D` in every order, without pivoting;
//! `order.rs` chooses one that is also accurate. Row `i` stores its entries from the first one that
//! can be nonzero to the diagonal; the factor has the same envelope. Cost: Σ (row length)² for the
//! factor, Σ row length for a solution. Deliberately simple: no supernodes, no fill-reducing order
//! beyond the envelope; a chain or a tower of boxes is a band.

use super::order::Order;
use super::rows::{dot3, mass_mul};
use super::{BodyBlock, ContactRow, FIXED, JointRow, Problem, Vec6};
use crate::math::Double;

/// The matrix, then its factor, of one island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Envelope {
    pub(crate) order: Order,
    /// Column of the first stored entry of each row.
    low: Vec<u32>,
    /// Where each row begins in `entries`, and the end.
    offset: Vec<usize>,
    /// Rows one after the other: the matrix, then `L` with the inverse of `D` on the diagonal.
    entries: Vec<Double>,
}

/// Dot product in four independent sums, which compilers turn into vector code; the order of the
/// additions is fixed.
fn dot(a: &[Double], b: &[Double]) -> Double {
    let mut sums = [0.0; 4];
    let (chunks_a, chunks_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let mut rest = 0.0;
    for (x, y) in chunks_a.remainder().iter().zip(chunks_b.remainder()) {
        rest += x * y;
    }
    for (x, y) in chunks_a.zip(chunks_b) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

impl Envelope {
    /// Orders the unknowns of a problem and lays out the rows.
    pub(crate) fn build(&mut self, problem: &Problem) {
        self.order.build(problem);
        let order = &self.order;
        self.low.clear();
        self.low.resize(order.size, 0);
        for start in &order.body_start {
            self.low[*start as usize..*start as usize + 6].fill(*start);
        }
        for row in problem.contacts {
            if row.a == FIXED || row.b == FIXED {
                continue;
            }
            let (a, b) = (order.body_start[row.a as usize], order.body_start[row.b as usize]);
            let (first, second) = (a.min(b), a.max(b) as usize);
            for low in &mut self.low[second..second + 6] {
                *low = (*low).min(first);
            }
        }
        for (row, at) in problem.joints.iter().zip(&order.joint_start) {
            let first = row.terms.iter().map(|(b, _)| order.body_start[*b as usize]).min();
            self.low[*at as usize] = first.unwrap_or(*at);
        }
        self.offset.clear();
        self.offset.push(0);
        let mut end = 0;
        for (i, low) in self.low.iter().enumerate() {
            end += i - *low as usize + 1;
            self.offset.push(end);
        }
        self.entries.clear();
        self.entries.resize(end, 0.0);
    }

    /// Number of scalar unknowns.
    pub(crate) fn size(&self) -> usize {
        self.low.len()
    }

    /// Forgets the entries, keeps the layout.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    #[inline]
    fn add(&mut self, i: usize, j: usize, value: Double) {
        let at = self.offset[i] + j - self.low[i] as usize;
        self.entries[at] += value;
    }

    /// Adds the mass block of a body.
    pub(crate) fn add_body(&mut self, index: usize, body: &BodyBlock) {
        let start = self.order.body_start[index] as usize;
        for j in 0..6 {
            let mut unit = [0.0; 6];
            unit[j] = 1.0;
            let column = mass_mul(body, &unit);
            for i in j..6 {
                self.add(start + i, start + j, column[i]);
            }
        }
    }

    /// Adds `Jᵀ D J` of a contact, `D` symmetric.
    pub(crate) fn add_contact(&mut self, row: &ContactRow, d: &[[Double; 3]; 3]) {
        let (a, b) = (row.a, row.b);
        if a != FIXED {
            self.add_diagonal(self.order.body_start[a as usize] as usize, &row.jacobian_a, d);
        }
        if b != FIXED {
            self.add_diagonal(self.order.body_start[b as usize] as usize, &row.jacobian_b, d);
        }
        if a != FIXED && b != FIXED {
            let (at_a, at_b) =
                (self.order.body_start[a as usize], self.order.body_start[b as usize]);
            if at_a > at_b {
                self.add_pair(at_a as usize, &row.jacobian_a, at_b as usize, &row.jacobian_b, d);
            } else {
                self.add_pair(at_b as usize, &row.jacobian_b, at_a as usize, &row.jacobian_a, d);
            }
        }
    }

    fn add_diagonal(&mut self, at: usize, jacobian: &[Vec6; 3], d: &[[Double; 3]; 3]) {
        for i in 0..6 {
            let dj = scaled_column(jacobian, d, i);
            for j in 0..=i {
                let column = [jacobian[0][j], jacobian[1][j], jacobian[2][j]];
                self.add(at + i, at + j, dot3(&dj, &column));
            }
        }
    }

    /// The block of the rows of the later body and the columns of the earlier one.
    fn add_pair(
        &mut self,
        later: usize,
        jacobian_later: &[Vec6; 3],
        earlier: usize,
        jacobian_earlier: &[Vec6; 3],
        d: &[[Double; 3]; 3],
    ) {
        for i in 0..6 {
            let dj = scaled_column(jacobian_later, d, i);
            for j in 0..6 {
                let column =
                    [jacobian_earlier[0][j], jacobian_earlier[1][j], jacobian_earlier[2][j]];
                self.add(later + i, earlier + j, dot3(&dj, &column));
            }
        }
    }

    /// Adds the row `-νᵀ` and the diagonal `-δ` of a joint row.
    pub(crate) fn add_joint(&mut self, index: usize, row: &JointRow, delta: Double) {
        let at = self.order.joint_start[index] as usize;
        for (body, jacobian) in &row.terms {
            let start = self.order.body_start[*body as usize] as usize;
            for k in 0..6 {
                self.add(at, start + k, -jacobian[k]);
            }
        }
        self.add(at, at, -delta);
    }

    /// Replaces the matrix by its factor.
    pub(crate) fn factor(&mut self) {
        for i in 0..self.size() {
            let low = self.low[i] as usize;
            let (before, rest) = self.entries.split_at_mut(self.offset[i]);
            let row = &mut rest[..=i - low];
            // First u = (L D)_i, column by column, then L_i = u / D.
            for j in low + 1..i {
                let low_j = self.low[j] as usize;
                let from = low.max(low_j);
                let base = self.offset[j];
                let row_j = &before[base + from - low_j..base + j - low_j];
                row[j - low] -= dot(&row[from - low..j - low], row_j);
            }
            let mut pivot = row[i - low];
            for j in low..i {
                let u = row[j - low];
                let l = u * before[self.offset[j + 1] - 1];
                row[j - low] = l;
                pivot -= u * l;
            }
            // A pivot that vanished belongs to an unknown that nothing determines: leave it alone.
            let usable = pivot.abs() > Double::MIN_POSITIVE && pivot.is_finite();
            row[i - low] = if usable { 1.0 / pivot } else { 0.0 };
        }
    }

    /// Solves with the factor, in place; unknowns in the order of [`Order`].
    pub(crate) fn solve(&self, x: &mut [Double]) {
        debug_assert_eq!(x.len(), self.size(), "one entry an unknown");
        for i in 0..self.size() {
            let low = self.low[i] as usize;
            let row = &self.entries[self.offset[i]..self.offset[i + 1] - 1];
            x[i] -= dot(row, &x[low..i]);
        }
        for i in 0..self.size() {
            x[i] *= self.entries[self.offset[i + 1] - 1];
        }
        for i in (0..self.size()).rev() {
            let low = self.low[i] as usize;
            let row = &self.entries[self.offset[i]..self.offset[i + 1] - 1];
            let xi = x[i];
            for (y, l) in x[low..i].iter_mut().zip(row) {
                *y -= l * xi;
            }
        }
    }
}

/// Column `i` of `D J`.
fn scaled_column(jacobian: &[Vec6; 3], d: &[[Double; 3]; 3], i: usize) -> [Double; 3] {
    let column = [jacobian[0][i], jacobian[1][i], jacobian[2][i]];
    [dot3(&d[0], &column), dot3(&d[1], &column), dot3(&d[2], &column)]
}
