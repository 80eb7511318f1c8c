//! Lemke's algorithm for a dense linear complementarity problem.
//!
//! Finds `z ≥ 0` with `w = M z + q ≥ 0` and `zᵀ w = 0`. Ties of the ratio test are broken lexicographically
//! by the rows of the basis inverse, so the algorithm cannot cycle. For copositive-plus matrices, the step
//! problem's among them, it ends in a solution if the problem is feasible; ending on a ray is reported as
//! such. The last basis is solved anew from the matrix as given, so the rounding of the pivots does not
//! reach the answer, and the answer is checked. The covering vector is all ones; where rounding led to a ray
//! or a wrong basis, two other positive vectors are tried.
//!
//! Cost: O(n²) a pivot, about n pivots in practice. Source: Cottle, Pang, Stone, "The Linear
//! Complementarity Problem", algorithms 4.4.5 and 4.9.

use crate::engine::lcp::Status;
use crate::math::Double;
use crate::math::dense::eliminate;

/// Entries of the entering column below this are zero [relative to a matrix scaled to about 1].
const PIVOT_MIN: Double = 1e-10;
/// Error of an accepted answer, relative to the larger of 1 and the entries of `q`.
const ERROR_MAX: Double = 1e-9;
/// Natural residual, relative to the size of `q`, above which other paths are tried (–): ties that rounding
/// broke the wrong way end in a basis that is not quite feasible.
const ERROR_FINE: Double = 1e-13;
/// Ratios closer than this are equal.
const TIE: Double = 1e-11;

/// Outcome of [`lcp_lemke`].
#[derive(Clone, Debug)]
pub struct LcpSolution {
    /// `Converged`, `Ray`, `IterationLimit`, or `Stalled` if rounding spoiled the answer.
    pub status: Status,
    /// `z`, in units of the problem's (–); at a ray or the limit the `z` of the last basis.
    pub z: Vec<Double>,
    /// Pivots made, on all paths together.
    pub pivots: u32,
}

/// Solves `0 ≤ z ⊥ M z + q ≥ 0` with the square `matrix` stored row by row. Entries should be of
/// about the size of 1; the caller scales.
#[must_use]
pub fn lcp_lemke(matrix: &[Double], q: &[Double], pivots_max: u32) -> LcpSolution {
    debug_assert_eq!(matrix.len(), q.len() * q.len(), "square matrix");
    let mut pivots = 0;
    let mut best: Option<(Double, LcpSolution)> = None;
    for attempt in 0..3 {
        let mut solution = follow_path(matrix, q, attempt, pivots_max - pivots);
        pivots += solution.pivots;
        let error = lcp_error(matrix, q, &solution.z);
        if solution.status == Status::Converged && error <= ERROR_FINE {
            return LcpSolution { pivots, ..solution };
        }
        if solution.status == Status::Converged && error > ERROR_MAX {
            solution.status = Status::Stalled;
        }
        if best.as_ref().is_none_or(|(e, _)| error < *e) {
            best = Some((error, solution));
        }
    }
    let best = best.expect("the first attempt is the best so far whatever its error").1;
    LcpSolution { pivots, ..best }
}

/// Natural residual `max |min(z, w)|`, relative to the size of `q`.
fn lcp_error(matrix: &[Double], q: &[Double], z: &[Double]) -> Double {
    let n = q.len();
    let (mut worst, mut size): (Double, Double) = (0.0, 1.0);
    for i in 0..n {
        let row = &matrix[i * n..(i + 1) * n];
        let w = row.iter().zip(z).fold(q[i], |sum, (m, z)| sum + m * z);
        worst = worst.max(w.min(z[i]).abs());
        size = size.max(q[i].abs());
    }
    worst / size
}

/// One run of the algorithm; `attempt` chooses the covering vector.
fn follow_path(matrix: &[Double], q: &[Double], attempt: u32, pivots_max: u32) -> LcpSolution {
    let n = q.len();
    let mut solution = LcpSolution { status: Status::Converged, z: vec![0.0; n], pivots: 0 };
    if q.iter().all(|x| *x >= 0.0) {
        return solution;
    }
    let mut tableau = Tableau::new(matrix, q, attempt);
    let Some(mut row) = tableau.first_row() else {
        solution.status = Status::Ray;
        return solution;
    };
    let mut entering = 2 * n;
    solution.status = Status::IterationLimit;
    while solution.pivots < pivots_max {
        let leaving = tableau.basis[row];
        tableau.pivot(row, entering);
        solution.pivots += 1;
        if leaving == 2 * n {
            solution.status = Status::Converged;
            break;
        }
        entering = if leaving < n { leaving + n } else { leaving - n };
        let Some(next) = tableau.ratio_test(entering) else {
            solution.status = Status::Ray;
            break;
        };
        row = next;
    }
    let is_solved = solution.status == Status::Converged;
    let refined = if is_solved { solve_basis(matrix, q, &tableau.basis) } else { None };
    for (i, variable) in tableau.basis.iter().enumerate() {
        if (n..2 * n).contains(variable) {
            let value = refined.as_ref().map_or(tableau.at(i, 2 * n + 1), |x| x[i]);
            solution.z[variable - n] = value.max(0.0);
        }
    }
    solution
}

/// Entry of the covering vector: 1 at first, then in [1, 2) from multiples of the golden ratio.
fn cover(attempt: u32, i: usize) -> Double {
    let x = 0.618_033_988_749_894_9 * Double::from(attempt) * (i as Double + 1.0);
    1.0 + x - x.floor()
}

/// Columns: `w` (n), `z` (n), the covering variable, the right-hand side.
struct Tableau {
    n: usize,
    width: usize,
    entries: Vec<Double>,
    /// Column of the basic variable of each row.
    basis: Vec<usize>,
}

impl Tableau {
    fn new(matrix: &[Double], q: &[Double], attempt: u32) -> Self {
        let n = q.len();
        let width = 2 * n + 2;
        let mut entries = vec![0.0; n * width];
        for i in 0..n {
            let row = &mut entries[i * width..(i + 1) * width];
            row[i] = 1.0;
            (0..n).for_each(|j| row[n + j] = -matrix[i * n + j]);
            row[2 * n] = -cover(attempt, i);
            row[2 * n + 1] = q[i];
        }
        Self { n, width, entries, basis: (0..n).collect() }
    }

    fn at(&self, i: usize, j: usize) -> Double {
        self.entries[i * self.width + j]
    }

    /// The row that the covering variable enters: the lexicographically smallest of `(q_i, e_i)`
    /// over the covering vector. Of equal quotients that is the last one.
    fn first_row(&self) -> Option<usize> {
        let quotient = |i: usize| self.at(i, 2 * self.n + 1) / -self.at(i, 2 * self.n);
        if (0..self.n).any(|i| quotient(i).is_nan()) {
            return None;
        }
        (0..self.n).reduce(|best, i| if quotient(i) <= quotient(best) { i } else { best })
    }

    /// Row of the leaving variable: the lexicographically smallest ratio of the rows with a
    /// positive entry in the entering column. The covering variable leaves whenever it may.
    fn ratio_test(&self, entering: usize) -> Option<usize> {
        let rows = (0..self.n).filter(|&i| self.at(i, entering) > PIVOT_MIN);
        rows.reduce(|best, i| if self.is_smaller(i, best, entering) { i } else { best })
    }

    fn is_smaller(&self, i: usize, b: usize, entering: usize) -> bool {
        let (entry_i, entry_b) = (self.at(i, entering), self.at(b, entering));
        let rhs = 2 * self.n + 1;
        for column in core::iter::once(rhs).chain(0..self.n) {
            let (x, y) = (self.at(i, column) / entry_i, self.at(b, column) / entry_b);
            if (x - y).abs() > TIE * (1.0 + x.abs().max(y.abs())) {
                return x < y;
            }
            if column == rhs && [i, b].iter().any(|&row| self.basis[row] == 2 * self.n) {
                return self.basis[i] == 2 * self.n;
            }
        }
        false
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.width;
        let scale = 1.0 / self.at(row, column);
        let pivot_row: &mut [Double] = &mut self.entries[row * width..(row + 1) * width];
        pivot_row.iter_mut().for_each(|x| *x *= scale);
        pivot_row[column] = 1.0;
        let (before, rest) = self.entries.split_at_mut(row * width);
        let (pivot_row, after) = rest.split_at_mut(width);
        for other in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
            let factor = other[column];
            if factor == 0.0 {
                continue;
            }
            other.iter_mut().zip(pivot_row.iter()).for_each(|(x, p)| *x -= factor * p);
            other[column] = 0.0;
        }
        self.basis[row] = column;
    }
}

/// Solves `B x = q` for the columns of a basis without the covering variable, by elimination with
/// partial pivoting; `None` if the basis is singular to rounding.
fn solve_basis(matrix: &[Double], q: &[Double], basis: &[usize]) -> Option<Vec<Double>> {
    let n = q.len();
    let width = n + 1;
    let mut a = vec![0.0; n * width];
    for (column, variable) in basis.iter().enumerate() {
        for i in 0..n {
            let unit = if i == *variable { 1.0 } else { 0.0 };
            let own = *variable < n;
            a[i * width + column] = if own { unit } else { -matrix[i * n + variable - n] };
        }
    }
    (0..n).for_each(|i| a[i * width + n] = q[i]);
    eliminate(&mut a, n, 1e-13)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lcp::tests::random::Random;

    fn error(matrix: &[Double], q: &[Double], z: &[Double]) -> Double {
        let n = q.len();
        let mut worst: Double = 0.0;
        for i in 0..n {
            let w = (0..n).fold(q[i], |sum, j| sum + matrix[i * n + j] * z[j]);
            worst = worst.max((z[i] - (z[i] - w).max(0.0)).abs());
        }
        worst
    }

    #[test]
    fn positive_semidefinite_problems_are_solved() {
        let mut random = Random::new(11);
        for n in 1..25_usize {
            for rank in [n, n.div_ceil(2)] {
                let g: Vec<Double> = (0..n * rank).map(|_| random.signed(1.0)).collect();
                let mut matrix = vec![0.0; n * n];
                for i in 0..n {
                    for j in 0..n {
                        for k in 0..rank {
                            matrix[i * n + j] += g[i * rank + k] * g[j * rank + k];
                        }
                    }
                }
                // q = M x + w with x, w ≥ 0 is feasible for every semidefinite matrix.
                let x: Vec<Double> = (0..n).map(|_| random.unit()).collect();
                let q: Vec<Double> = (0..n)
                    .map(|i| {
                        let noise = if random.below(2) == 0 { 0.0 } else { random.unit() };
                        (0..n).fold(noise, |sum, j| sum - matrix[i * n + j] * x[j])
                    })
                    .collect();
                let solution = lcp_lemke(&matrix, &q, 1000);
                assert_eq!(solution.status, Status::Converged, "n = {n}, rank {rank}");
                let e = error(&matrix, &q, &solution.z);
                assert!(e < 1e-10, "n = {n}, rank {rank}: {e}");
            }
        }
    }

    #[test]
    fn murty_example_takes_exponentially_many_pivots_but_is_solved() {
        let n = 10;
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            matrix[i * n + i] = 1.0;
            (i + 1..n).for_each(|j| matrix[i * n + j] = 2.0);
        }
        let solution = lcp_lemke(&matrix, &vec![-1.0; n], 10_000);
        assert_eq!(solution.status, Status::Converged, "a P-matrix has a solution");
        assert!(error(&matrix, &vec![-1.0; n], &solution.z) < 1e-12, "{:?}", solution.z);
    }

    #[test]
    fn infeasible_problem_ends_on_a_ray() {
        let solution = lcp_lemke(&[0.0], &[-1.0], 10);
        assert_eq!(solution.status, Status::Ray, "w = -1 cannot become positive");
    }
}
