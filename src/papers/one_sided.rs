//! The one-sided metric: only the moving body grows (thesis, Remark 2.18).

use crate::engine::geometry::ratio::{Centers, Measured, PortalCache, Ratio, Relative, measure};
use crate::engine::geometry::shape::hull::Hull;
use crate::math::{Real, Vec3, narrow, widen3};

/// Most steps of Newton's method; each finds a new normal, random pairs need two or three.
const STEPS_MAX: u32 = 64;

/// Growth of a body that is as good as its centroid (–).
const POINT: Real = 1e-3;

/// The one-sided ratio `r̂ = min { t : (x_a + t K_a) ∩ (x_b + K_b) ≠ ∅ }`: only a grows, about its
/// centroid. Zero if the centroid of a lies in b, to a thousandth of its size. Allocates; not for the steady
/// step, where polytopes have events, `engine::papers::enumerate`, of this metric.
///
/// `r̂ = max_n (n·d - h_b(-n)) / h_a(n)` is no ray cast from the inside, but Newton's method for
/// fractional programs (Dinkelbach) makes it a few: with a grown by the bound t so far, the normal
/// of the ordinary metric separates best, and its quotient is the next bound. The bounds increase,
/// and each belongs to another facet, so they end at the maximum.
#[must_use]
pub fn one_sided(a_moving: &Hull, b_fixed: &Hull, relative: &Relative) -> Real {
    let (a, b, d) = (a_moving, b_fixed, relative.offset);
    let inverse = relative.rotation.transpose();
    let mut cache = PortalCache::default();
    let mut ratio = POINT;
    for _ in 0..STEPS_MAX {
        let (grown, centers) = (a.grown(ratio), Centers::default());
        let found = measure(&grown, b, relative, &centers, Real::INFINITY, &mut cache);
        let Measured::Near(Ratio { normal: n, .. }) = found else { break };
        let next = (n.dot(d) - height(b, -(inverse * n))) / height(a, n);
        if next.is_nan() || next <= ratio {
            break;
        }
        ratio = next;
    }
    if ratio > POINT { ratio } else { 0.0 }
}

/// The support function of a hull along a unit vector (m).
fn height(hull: &Hull, n: Vec3) -> Real {
    narrow(widen3(n).dot(hull.core_point(widen3(n), 0))) + hull.radius
}
