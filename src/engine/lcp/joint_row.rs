//! Rows of joints: equalities, limits, motors, joint friction and implicit springs in one form.
//!
//! With `w = νᵀ v + Υ + s c` a row asks, for any `ρ > 0`,
//!
//! ```text
//! c = clamp(c - ρ w, lo, hi)        w = 0 inside the bounds, w ≥ 0 at lo, w ≤ 0 at hi
//! ```
//!
//! Bounds `(-∞, ∞)` make an equality (5.1), `[0, ∞)` a limit, `±F h` a motor or dry friction of a joint; `s >
//! 0` an implicit spring or damper. The error of a row is its natural map in units of speed,
//! `|c - clamp(c - w/W')| W'` with `W' = ν M⁻¹ νᵀ + s`: the `|w|` of an equality.

use smallvec::SmallVec;

use super::problem::{JointRow, Vec6};
use crate::math::Double;

impl JointRow {
    /// Bounds of a row whose impulse may be anything [N·s or N·m·s].
    pub const UNBOUNDED: [Double; 2] = [-Double::INFINITY, Double::INFINITY];

    /// The hard equality `Σ jacobian · v + bias = 0`.
    #[must_use]
    pub const fn equality(terms: SmallVec<[(u32, Vec6); 2]>, bias: Double) -> Self {
        Self { terms, bias, softness: 0.0, bounds: Self::UNBOUNDED }
    }

    /// Has the impulse a bound, above or below?
    #[must_use]
    pub const fn is_bounded(&self) -> bool {
        self.bounds[0] > -Double::INFINITY || self.bounds[1] < Double::INFINITY
    }

    /// The impulse within the bounds that is nearest to `c`.
    #[must_use]
    pub const fn clamp(&self, c: Double) -> Double {
        if c < self.bounds[0] {
            self.bounds[0]
        } else if c > self.bounds[1] {
            self.bounds[1]
        } else {
            c
        }
    }

    /// Error of impulse `c` at `rate = νᵀ v` [m/s], for `total = ν M⁻¹ νᵀ + s`, which only rows with bounds
    /// read.
    #[must_use]
    pub fn error(&self, rate: Double, c: Double, total: Double) -> Double {
        let w = self.speed(rate, c);
        if !self.is_bounded() {
            return w.abs();
        }
        if total > 0.0 {
            let [lo, hi] = self.bounds;
            let p = c - w / total;
            return if p < lo {
                (c - lo).abs() * total
            } else if p > hi {
                (c - hi).abs() * total
            } else {
                w.abs()
            };
        }
        // What no impulse can move is wrong only where none is large enough.
        let bound = self.bounds[usize::from(w < 0.0)];
        if bound.is_finite() { 0.0 } else { w.abs() }
    }

    /// `w = νᵀ v + Υ + s c` at `rate = νᵀ v`.
    #[must_use]
    pub const fn speed(&self, rate: Double, c: Double) -> Double {
        let w = rate + self.bias;
        if self.softness > 0.0 { w + self.softness * c } else { w }
    }
}
