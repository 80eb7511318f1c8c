//! Anderson acceleration of a fixed-point iteration `x ← g(x)`, here `Γ ← χ₂(Γ) = μ Λ(v(Γ))` of (5.17).
//!
//! χ₂ contracts for small friction only (Theorem 5.9), and slowly near its limit. From the last few
//! pairs `(x_k, f_k = g(x_k) - x_k)` the next point is chosen that would make the residual smallest
//! if `g` were affine:
//!
//! ```text
//! min_γ |f_k - Σ γ_j df_j|²,     x_{k+1} = x_k + β f_k - Σ γ_j (dx_j + β df_j)
//! dx_j = x_{j+1} - x_j,          df_j = f_{j+1} - f_j
//! ```
//!
//! With an empty history this is the damped iteration with factor β, and on demand also where the
//! extrapolation would lead against `f_k`. The caller watches the residual and restarts it; this file only
//! extrapolates. Cost: O(n · depth²). Source: Walker & Ni, "Anderson acceleration for fixed-point
//! iterations", SIAM J. Numer. Anal. 49 (2011).

use crate::math::Double;
use crate::math::refill;

/// Differences kept.
const DEPTH: usize = 6;

/// History of the iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anderson {
    /// Differences of `x`, then of `f`: `DEPTH` vectors each, used as a ring.
    x_change: Vec<Double>,
    f_change: Vec<Double>,
    x_last: Vec<Double>,
    f_last: Vec<Double>,
    /// Pairs seen since the last restart.
    seen: usize,
    /// Length of the next step along `f` (–).
    stride: Double,
}

impl Anderson {
    /// Forgets the history; `n` is the length of `x`.
    pub(crate) fn restart(&mut self, n: usize) {
        (self.seen, self.stride) = (0, 1.0);
        [&mut self.x_change, &mut self.f_change]
            .into_iter()
            .for_each(|list| refill(list, DEPTH * n, 0.0));
        [&mut self.x_last, &mut self.f_last].into_iter().for_each(|list| refill(list, n, 0.0));
    }

    /// Replaces `x` by the next point, kept non-negative; `f = g(x) - x`, `damping` is β.
    pub(crate) fn advance(&mut self, x: &mut [Double], f: &[Double], damping: Double) {
        self.advance_where(None, x, f, damping);
    }

    /// Replaces `x` by the next point, never against `f`. Where the residual grows along the way,
    /// extrapolation leads back to where `g` repels: steps along `f` follow instead, each twice as long
    /// as the one before up to `stride`. It helps who has no other way out of there, but misses some
    /// points that attract.
    pub(crate) fn advance_onward(
        &mut self,
        x: &mut [Double],
        f: &[Double],
        damping: Double,
        stride: Double,
    ) {
        self.advance_where(Some(stride), x, f, damping);
    }

    fn advance_where(
        &mut self,
        onward: Option<Double>,
        x: &mut [Double],
        f: &[Double],
        damping: Double,
    ) {
        let n = x.len();
        if self.seen > 0 {
            let slot = (self.seen - 1) % DEPTH * n;
            for i in 0..n {
                self.x_change[slot + i] = x[i] - self.x_last[i];
                self.f_change[slot + i] = f[i] - self.f_last[i];
            }
        }
        self.x_last.copy_from_slice(x);
        self.f_last.copy_from_slice(f);
        let depth = self.seen.min(DEPTH);
        self.seen += 1;
        let weights = self.weights(f, depth);
        let next = |x: Double, i: usize| {
            let mut next = x + damping * f[i];
            for (j, weight) in weights.iter().enumerate().take(depth) {
                let (dx, df) = (self.x_change[j * n + i], self.f_change[j * n + i]);
                next -= weight * (dx + damping * df);
            }
            next
        };
        let along = (0..n).fold(0.0, |sum: Double, i| sum + (next(x[i], i) - x[i]) * f[i]);
        let Some(most) = onward.filter(|_| along <= 0.0) else {
            self.stride = 1.0;
            for i in 0..n {
                x[i] = next(x[i], i).max(0.0);
            }
            return;
        };
        self.seen = 1;
        let step = self.stride * damping;
        for i in 0..n {
            x[i] = (x[i] + step * f[i]).max(0.0);
        }
        self.stride = (2.0 * self.stride).min(most);
    }

    /// Least-squares weights by the normal equations, slightly regularized.
    fn weights(&self, f: &[Double], depth: usize) -> [Double; DEPTH] {
        let n = f.len();
        let mut matrix = [[0.0; DEPTH]; DEPTH];
        let mut x = [0.0; DEPTH];
        let product = |a: &[Double], b: &[Double]| {
            a.iter().zip(b).fold(0.0, |sum: Double, (x, y)| sum + x * y)
        };
        for j in 0..depth {
            let column = &self.f_change[j * n..(j + 1) * n];
            x[j] = product(column, f);
            for k in 0..=j {
                matrix[j][k] = product(column, &self.f_change[k * n..(k + 1) * n]);
            }
        }
        // Cholesky; a direction that depends on the others gets no weight.
        for j in 0..depth {
            let diagonal = matrix[j][j];
            for k in 0..=j {
                let mut sum = matrix[j][k];
                for i in 0..k {
                    sum -= matrix[j][i] * matrix[k][i];
                }
                matrix[j][k] = if k < j {
                    sum * matrix[k][k]
                } else if sum > 1e-12 * diagonal {
                    1.0 / sum.sqrt()
                } else {
                    0.0
                };
            }
        }
        for j in 0..depth {
            for i in 0..j {
                x[j] -= matrix[j][i] * x[i];
            }
            x[j] *= matrix[j][j];
        }
        for j in (0..depth).rev() {
            for i in j + 1..depth {
                x[j] -= matrix[i][j] * x[i];
            }
            x[j] *= matrix[j][j];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_maps_end_in_as_many_steps_as_unknowns() {
        // g(x) = x* + A (x - x*) with eigenvalues ±√6 i and -1.5: the plain iteration diverges.
        let g = |x: &[Double]| {
            let (a, b, c) = (x[0] - 1.0, x[1] - 2.0, x[2] - 3.0);
            [1.0 - 2.0 * b, 2.0 + 3.0 * a, 3.0 - 1.5 * c + 0.1 * a]
        };
        let mut anderson = Anderson::default();
        anderson.restart(3);
        let mut x = [1.1, 1.9, 3.1];
        let mut error: Double = 1.0;
        for _ in 0..8 {
            let y = g(&x);
            let f = [y[0] - x[0], y[1] - x[1], y[2] - x[2]];
            error = f.iter().fold(0.0, |m: Double, x| m.max(x.abs()));
            if error < 1e-12 {
                break;
            }
            anderson.advance(&mut x, &f, 1.0);
        }
        assert!(error < 1e-10, "the fixed point is positive and is found: {x:?}, {error}");
    }

    #[test]
    fn a_residual_that_grows_along_the_way_does_not_turn_it_back() {
        // As of a die that slides while a corner comes to rest: about 0.1 g moves on by nearly the same,
        // and the secant points back to a fixed point that is none; the true one is 0.4.
        let g = |x: Double| x + if x < 0.3 { 0.01 + 0.1 * x } else { 0.4 - x };
        let mut anderson = Anderson::default();
        anderson.restart(1);
        let mut x = [0.1];
        for _ in 0..20 {
            let f = [g(x[0]) - x[0]];
            anderson.advance_onward(&mut x, &f, 1.0, 1.0);
        }
        assert!((x[0] - 0.4).abs() < 1e-10, "the fixed point is found: {x:?}");
    }

    #[test]
    fn longer_steps_follow_a_drift_that_hardly_changes() {
        // Away from 0, which repels, by a thousandth of the distance in each step; the fixed point is 2.
        let g = |x: f64| x + if x < 1.9 { 1e-3 * x } else { 2.0 - x };
        let steps = |stride| {
            let mut anderson = Anderson::default();
            anderson.restart(1);
            let mut x = [1.0];
            (0..1000).position(|_| {
                let f = [g(x[0]) - x[0]];
                anderson.advance_onward(&mut x, &f, 1.0, stride);
                (x[0] - 2.0).abs() < 1e-10
            })
        };
        let [plain, long] = [1.0, 64.0].map(steps);
        assert!(plain.is_some_and(|n| n > 500), "{plain:?}");
        assert!(long.is_some_and(|n| n < 30), "{long:?}");
    }
}
