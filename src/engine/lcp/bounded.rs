//! Joint rows with bounds, as part of the augmented Lagrangian of the cone Newton.
//!
//! With the multiplier `m` of a row, its rate `r = νᵀ v + Υ`, softness `s` and penalty `ρ_j`, the impulse is
//! a function of the velocity,
//!
//! ```text
//! c(v) = clamp((m - ρ_j r) / (1 + ρ_j s), lo, hi)        ∇L = … - ν c(v)
//! ```
//!
//! the minimizer of a convex function, so the line search needs no care of it. Inside the bounds its slope is
//! `-1 / (1/ρ_j + s)`: the row stays in the matrix as that of an equality, with `-1/ρ_j - s` on the diagonal,
//! which costs no digits however large `ρ_j` is. At a bound the row is alone, with nothing to do. The
//! multiplier is updated with those of the contacts, `m ← c(v)`.

use crate::engine::tuning::{bounded::STIFFER, newton::PENALTY_MAX};
use crate::math::{Double, refill};
use core::ops::Range;

use super::problem::{BodyBlock, JointRow, Vec6};
use super::rows::{joint_compliance, joint_rate};

/// State of the joint rows with bounds; one entry for every joint row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounded {
    /// `W' = ν M⁻¹ νᵀ + s` of rows with bounds, zero for others.
    compliance: Vec<Double>,
    /// `c(v)` at the last evaluation.
    image: Vec<Double>,
    /// `1/ρ_j + s`, the diagonal of the matrix; zero at a bound.
    slope: Vec<Double>,
}

impl Bounded {
    pub(crate) fn begin(&mut self, bodies: &[BodyBlock], rows: &[JointRow]) {
        self.compliance.clear();
        self.compliance.extend(rows.iter().map(|row| match row.is_bounded() {
            true if !row.terms.is_empty() => joint_compliance(bodies, row) + row.softness,
            _ => 0.0,
        }));
        [&mut self.image, &mut self.slope]
            .into_iter()
            .for_each(|list| refill(list, rows.len(), 0.0));
    }

    /// `c(v)` of a row with bounds and multiplier `m`, and how far the row is from being met [m/s].
    pub(crate) fn evaluate(
        &mut self,
        j: usize,
        row: &JointRow,
        velocity: &[Vec6],
        m: Double,
        penalty: Double,
    ) -> [Double; 2] {
        let compliance = self.compliance[j];
        if compliance <= 0.0 {
            (self.image[j], self.slope[j]) = (m, 0.0);
            return [m, 0.0];
        }
        let weight = weight(compliance, penalty);
        let p = point(row, m, joint_rate(row, velocity), weight);
        let c = row.clamp(p);
        let inside = row.bounds[0] < p && p < row.bounds[1];
        self.image[j] = c;
        self.slope[j] = if inside { 1.0 / weight + row.softness } else { 0.0 };
        [c, (c - m).abs() / weight]
    }

    /// Diagonal of some rows in the matrix, zero where the impulse is at a bound.
    pub(crate) fn slopes(&self, rows: Range<usize>) -> &[Double] {
        &self.slope[rows]
    }

    /// `m ← c(v)`.
    pub(crate) fn update(&self, rows: &[JointRow], joint: &mut [Double]) {
        for ((row, c), image) in rows.iter().zip(joint).zip(&self.image) {
            if row.is_bounded() {
                *c = *image;
            }
        }
    }

    /// Error of impulse `c` of a row, zero between bodies that cannot move.
    pub(crate) fn error(&self, j: usize, row: &JointRow, velocity: &[Vec6], c: Double) -> Double {
        if row.terms.is_empty() {
            return 0.0;
        }
        row.error(joint_rate(row, velocity), c, self.compliance[j])
    }
}

/// `ρ_j`.
fn weight(compliance: Double, penalty: Double) -> Double {
    STIFFER * penalty.min(PENALTY_MAX[1]) / compliance
}

/// `c(v)` before it is clamped.
fn point(row: &JointRow, m: Double, rate: Double, weight: Double) -> Double {
    (m - weight * (rate + row.bias)) / (1.0 + weight * row.softness)
}
