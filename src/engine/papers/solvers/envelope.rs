//! Envelope (skyline) factor of the Newton matrix, `L D Lᵀ` or `L D U`.
//!
//! ```text
//! [ H   -ν ]      H = M + Jᵀ diag(D_c) J   symmetric positive definite, 6×6 blocks
//! [ -νᵀ -δ ]      δ > 0 diagonal
//! ```
//!
//! With the slip bound coupled to the velocity (`coupled.rs`) `H` loses its symmetry but not its
//! pattern; then the factor is `L D U`, in the same envelope.
//!
//! A quasi-definite matrix has a factor `L D Lᵀ` with diagonal `D` in every order, without
//! pivoting; `order.rs` chooses one that is also accurate. Row `i` stores its entries from the
//! first one that can be nonzero to the diagonal; the factor has the same envelope. Cost: Σ (row
//! length)² for the factor, Σ row length for a solution. Deliberately simple: no supernodes, no
//! fill-reducing order beyond the envelope; a chain or a tower of boxes is a band.

use super::order::RowOrder;
use crate::engine::lcp::rows::{dot3, mass_mul};
use crate::engine::lcp::{BodyBlock, ContactRow, FIXED, JointRow, Problem, RollingRow, Vec6};
use crate::math::Double;

/// The matrix, then its factor, of one island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Envelope {
    pub(crate) order: RowOrder,
    /// Column of the first stored entry of each row.
    low: Vec<u32>,
    /// Where each row begins in `entries`, and the end.
    offset: Vec<usize>,
    /// Rows one after the other: the matrix, then `L` with the inverse of `D` on the diagonal.
    lower: Vec<Double>,
    /// Columns above the diagonal, in the same layout, then `U`; unused if the matrix is symmetric.
    upper: Vec<Double>,
    symmetric: bool,
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
        self.lower.clear();
        self.lower.resize(end, 0.0);
        self.upper.clear();
    }

    /// Number of scalar unknowns.
    pub(crate) fn size(&self) -> usize {
        self.low.len()
    }

    /// Operations of a factor.
    pub(crate) fn work(&self) -> Double {
        let rows = self.low.iter().enumerate().map(|(i, low)| i - *low as usize + 1);
        let half = rows.map(|row| (row * row) as Double).sum::<Double>();
        if self.symmetric { half } else { 2.0 * half }
    }

    /// Operations of a solution.
    pub(crate) fn solution_work(&self) -> Double {
        4.0 * self.lower.len() as Double
    }

    /// Forgets the entries, keeps the layout.
    pub(crate) fn clear(&mut self, symmetric: bool) {
        self.symmetric = symmetric;
        self.lower.fill(0.0);
        if !symmetric {
            self.upper.clear();
            self.upper.resize(self.lower.len(), 0.0);
        }
    }

    /// Adds to the entry (i, j), `j ≤ i`, and to its mirror image.
    #[inline]
    fn add(&mut self, i: usize, j: usize, value: Double, mirrored: Double) {
        let at = self.offset[i] + j - self.low[i] as usize;
        self.lower[at] += value;
        if !self.symmetric {
            self.upper[at] += mirrored;
        }
    }

    /// Adds the mass block of a body.
    pub(crate) fn add_body(&mut self, index: usize, body: &BodyBlock) {
        let start = self.order.body_start[index] as usize;
        for j in 0..6 {
            let mut unit = [0.0; 6];
            unit[j] = 1.0;
            let column = mass_mul(body, &unit);
            for i in j..6 {
                self.add(start + i, start + j, column[i], column[i]);
            }
        }
    }

    /// Adds `Jᵀ D J` of a contact.
    pub(crate) fn add_contact(&mut self, row: &ContactRow, d: &[[Double; 3]; 3]) {
        let rows = [&row.jacobian_a, &row.jacobian_b];
        self.add_product(row, rows, d, rows);
    }

    /// Adds `Jᵀ D J` of a contact with rolling rows, in four blocks of three rows.
    pub(crate) fn add_rolling(
        &mut self,
        row: &ContactRow,
        rolling: &RollingRow,
        d: &[[Double; 6]; 6],
    ) {
        let rows = [&row.jacobian_a, &row.jacobian_b];
        let turns = [&rolling.jacobian_a, &rolling.jacobian_b];
        for (i, left) in [(0, rows), (3, turns)] {
            for (j, right) in [(0, rows), (3, turns)] {
                let block = [0, 1, 2].map(|k| [d[i + k][j], d[i + k][j + 1], d[i + k][j + 2]]);
                self.add_product(row, left, &block, right);
            }
        }
    }

    /// Adds `Lᵀ D R` for rows `L` and `R` of both bodies of a contact.
    fn add_product(
        &mut self,
        contact: &ContactRow,
        left: [&[Vec6; 3]; 2],
        d: &[[Double; 3]; 3],
        right: [&[Vec6; 3]; 2],
    ) {
        let (a, b) = (contact.a, contact.b);
        if a != FIXED {
            let at = self.order.body_start[a as usize] as usize;
            self.add_diagonal(at, left[0], d, right[0]);
        }
        if b != FIXED {
            let at = self.order.body_start[b as usize] as usize;
            self.add_diagonal(at, left[1], d, right[1]);
        }
        if a != FIXED && b != FIXED {
            let at_a = self.order.body_start[a as usize] as usize;
            let at_b = self.order.body_start[b as usize] as usize;
            let ([left_a, left_b], [right_a, right_b]) = (left, right);
            if at_a > at_b {
                self.add_pair(at_a, at_b, d, [left_a, right_a], [left_b, right_b]);
            } else {
                self.add_pair(at_b, at_a, d, [left_b, right_b], [left_a, right_a]);
            }
        }
    }

    fn add_diagonal(
        &mut self,
        at: usize,
        left: &[Vec6; 3],
        d: &[[Double; 3]; 3],
        right: &[Vec6; 3],
    ) {
        for i in 0..6 {
            let (lower, upper) = products(left, d, right, i);
            for j in 0..=i {
                let (below, mirror) = (column(right, j), column(left, j));
                self.add(at + i, at + j, dot3(&lower, &below), dot3(&upper, &mirror));
            }
        }
    }

    /// The block of the rows of the later body and the columns of the earlier one; rows `L` and `R` of
    /// each.
    fn add_pair(
        &mut self,
        later: usize,
        earlier: usize,
        d: &[[Double; 3]; 3],
        [left_later, right_later]: [&[Vec6; 3]; 2],
        [left_earlier, right_earlier]: [&[Vec6; 3]; 2],
    ) {
        for i in 0..6 {
            let (lower, upper) = products(left_later, d, right_later, i);
            for j in 0..6 {
                let (below, mirror) = (column(right_earlier, j), column(left_earlier, j));
                self.add(later + i, earlier + j, dot3(&lower, &below), dot3(&upper, &mirror));
            }
        }
    }

    /// Adds the row `-νᵀ` and the diagonal `-δ` of a joint row.
    pub(crate) fn add_joint(&mut self, index: usize, row: &JointRow, delta: Double) {
        let at = self.order.joint_start[index] as usize;
        for (body, jacobian) in &row.terms {
            let start = self.order.body_start[*body as usize] as usize;
            for k in 0..6 {
                self.add(at, start + k, -jacobian[k], -jacobian[k]);
            }
        }
        self.add(at, at, -delta, -delta);
    }

    /// Adds the diagonal of a joint row that has no part in the motion.
    pub(crate) fn add_alone(&mut self, index: usize) {
        let at = self.order.joint_start[index] as usize;
        self.add(at, at, -1.0, -1.0);
    }

    /// Replaces the matrix by its factor.
    pub(crate) fn factor(&mut self) {
        for i in 0..self.size() {
            if self.symmetric {
                self.eliminate_symmetric(i);
            } else {
                self.eliminate_general(i);
            }
        }
    }

    fn eliminate_symmetric(&mut self, i: usize) {
        let low = self.low[i] as usize;
        let (before, rest) = self.lower.split_at_mut(self.offset[i]);
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
        row[i - low] = invert_pivot(pivot);
    }

    fn eliminate_general(&mut self, i: usize) {
        let low = self.low[i] as usize;
        let (before, rest) = self.lower.split_at_mut(self.offset[i]);
        let (upper_before, upper_rest) = self.upper.split_at_mut(self.offset[i]);
        let (row, column) = (&mut rest[..=i - low], &mut upper_rest[..i - low]);
        // First (L D)_i and (D U)_i, then both divided by D.
        for j in low + 1..i {
            let low_j = self.low[j] as usize;
            let from = low.max(low_j);
            let range = self.offset[j] + from - low_j..self.offset[j] + j - low_j;
            row[j - low] -= dot(&row[from - low..j - low], &upper_before[range.clone()]);
            column[j - low] -= dot(&column[from - low..j - low], &before[range]);
        }
        let mut pivot = row[i - low];
        for j in low..i {
            let inverse = before[self.offset[j + 1] - 1];
            let u = column[j - low] * inverse;
            pivot -= row[j - low] * u;
            row[j - low] *= inverse;
            column[j - low] = u;
        }
        row[i - low] = invert_pivot(pivot);
    }

    /// Solves with the factor, in place; unknowns in the order of [`RowOrder`].
    pub(crate) fn solve(&self, x: &mut [Double]) {
        debug_assert_eq!(x.len(), self.size(), "one entry an unknown");
        for i in 0..self.size() {
            let low = self.low[i] as usize;
            let row = &self.lower[self.offset[i]..self.offset[i + 1] - 1];
            x[i] -= dot(row, &x[low..i]);
        }
        for i in 0..self.size() {
            x[i] *= self.lower[self.offset[i + 1] - 1];
        }
        let upper = if self.symmetric { &self.lower } else { &self.upper };
        for i in (0..self.size()).rev() {
            let low = self.low[i] as usize;
            let column = &upper[self.offset[i]..self.offset[i + 1] - 1];
            let xi = x[i];
            for (y, u) in x[low..i].iter_mut().zip(column) {
                *y -= u * xi;
            }
        }
    }
}

/// Columns `i` of `Dᵀ L` and of `D R`: their products with `R` and `L` are the entries (i, ·) and
/// (·, i) of `Lᵀ D R`.
fn products(
    left: &[Vec6; 3],
    d: &[[Double; 3]; 3],
    right: &[Vec6; 3],
    i: usize,
) -> ([Double; 3], [Double; 3]) {
    let (x, y) = (column(left, i), column(right, i));
    let mut lower = [0.0; 3];
    for k in 0..3 {
        lower[k] = d[0][k] * x[0] + d[1][k] * x[1] + d[2][k] * x[2];
    }
    (lower, [dot3(&d[0], &y), dot3(&d[1], &y), dot3(&d[2], &y)])
}

fn column(rows: &[Vec6; 3], i: usize) -> [Double; 3] {
    [rows[0][i], rows[1][i], rows[2][i]]
}

/// Zero for a pivot that vanished: its unknown is determined by nothing and stays as it is.
fn invert_pivot(pivot: Double) -> Double {
    let usable = pivot.abs() > Double::MIN_POSITIVE && pivot.is_finite();
    if usable { 1.0 / pivot } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lcp::random::Random;
    use crate::engine::papers::solvers::tests::scenes::{chain, pyramid};

    /// `M x` from the stored envelope before it is factored.
    fn multiply(envelope: &Envelope, x: &[Double]) -> Vec<Double> {
        let mut y = vec![0.0; x.len()];
        for i in 0..x.len() {
            let low = envelope.low[i] as usize;
            for j in low..=i {
                let at = envelope.offset[i] + j - low;
                y[i] += envelope.lower[at] * x[j];
                if j < i {
                    let mirrored =
                        if envelope.symmetric { envelope.lower[at] } else { envelope.upper[at] };
                    y[j] += mirrored * x[i];
                }
            }
        }
        y
    }

    #[test]
    fn factor_solves_symmetric_and_general_matrices() {
        let mut random = Random::new(5);
        let mut scene = pyramid(5, crate::engine::lcp::Cone::Circular);
        let links = chain(9, 100.0);
        scene.joints = links.joints;
        scene.joint_impulse = links.joint_impulse;
        let (problem, _) = scene.parts();
        for symmetric in [true, false] {
            let mut envelope = Envelope::default();
            envelope.build(&problem);
            envelope.clear(symmetric);
            for (i, body) in problem.bodies.iter().enumerate() {
                envelope.add_body(i, body);
            }
            for row in problem.contacts {
                let mut d = [[3.0, 0.5, 0.2], [0.5, 2.0, -0.4], [0.2, -0.4, 1.0]];
                if !symmetric {
                    d[0][1] += 0.6;
                    d[2][0] -= 0.3;
                }
                envelope.add_contact(row, &d);
            }
            for (j, row) in problem.joints.iter().enumerate() {
                envelope.add_joint(j, row, 1e-9);
            }
            let exact: Vec<Double> = (0..envelope.size()).map(|_| random.signed(1.0)).collect();
            let mut x = multiply(&envelope, &exact);
            envelope.factor();
            envelope.solve(&mut x);
            for (x, y) in x.iter().zip(&exact) {
                assert!((x - y).abs() < 1e-9, "symmetric {symmetric}: {x} for {y}");
            }
        }
    }
}
