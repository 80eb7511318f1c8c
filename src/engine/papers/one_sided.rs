//! The one-sided metric: only the moving body grows (thesis, Remark 2.18).

use crate::engine::geometry::ratio::{Centers, Measured, PortalCache, Relative, measure};
use crate::engine::geometry::shape::hull::{Face, Hull};
use crate::math::{Real, Vec3, narrow, widen3};

/// Most steps of Newton's method; each finds a new normal, random pairs need two or three.
const STEPS_MAX: u32 = 64;

/// The one-sided ratio `r̂ = min { t : (x_a + t K_a) ∩ (x_b + K_b) ≠ ∅ }`: only a grows, about its
/// centroid. Zero if the centroid of a lies in b. Allocates; not for the steady step.
///
/// `r̂ = max_n (n·d - h_b(-n)) / h_a(n)` is no ray cast from the inside, but Newton's method for
/// fractional programs (Dinkelbach) makes it a few: with a grown by the bound t so far, the normal
/// of the ordinary metric separates best, and its quotient is the next bound. The bounds increase,
/// and each belongs to another facet, so they end at the maximum.
#[must_use]
pub fn one_sided(a_moving: &Hull, b_fixed: &Hull, relative: &Relative) -> Real {
    let (a, b, d) = (a_moving, b_fixed, relative.offset);
    let inverse = relative.rotation.transpose();
    let bound = |n: Vec3| {
        let n_b = -(inverse * n);
        (n.dot(d) - height(b, n_b)) / height(a, n)
    };
    // The first bound is positive iff the centroid of a lies outside of b.
    let mut ratio = first_normal(a, b, relative).map_or(0.0, bound);
    if ratio.is_nan() || ratio <= 0.0 || ratio.is_infinite() {
        return if ratio > 0.0 { ratio } else { 0.0 };
    }
    let mut cache = PortalCache::default();
    for _ in 0..STEPS_MAX {
        let grown = grown(a, ratio);
        let centers = Centers::default();
        let Measured::Near(answer) =
            measure(&grown, b, relative, &centers, Real::INFINITY, &mut cache)
        else {
            break;
        };
        let next = bound(answer.normal);
        if next.is_nan() || next <= ratio {
            break;
        }
        ratio = next;
    }
    ratio
}

/// The support function of a hull along a unit vector (m).
fn height(hull: &Hull, n: Vec3) -> Real {
    let core = match &hull.curve {
        Some(curve) => narrow(widen3(n).dot(curve.support(widen3(n)))),
        None => n.dot(hull.vertices[hull.support_scan(n) as usize]),
    };
    core + hull.radius
}

/// A normal, in the frame of a, of a plane that has b on one side and the centroid of a on the
/// other.
fn first_normal(a: &Hull, b: &Hull, relative: &Relative) -> Option<Vec3> {
    // The centroid of a in the frame of b.
    let center = -(relative.rotation.transpose() * relative.offset);
    let mut best = None;
    let mut highest = b.radius;
    for face in &b.faces {
        let height = face.normal.dot(center) - face.offset;
        if height > highest {
            highest = height;
            best = Some(-(relative.rotation * face.normal));
        }
    }
    if best.is_none() && (b.faces.is_empty() || b.radius > 0.0 || b.curve.is_some()) {
        // Balls, capsules, curved bodies and rounded edges: a tiny ball at the centroid against b.
        let radius = 1e-3 * a.inradius;
        let ball = Hull::sphere(1.0).ok()?;
        let inner = Hull { radius, inradius: radius, bounding_radius: radius, ..ball };
        let centers = Centers::default();
        let mut cache = PortalCache::default();
        if let Measured::Near(answer) =
            measure(&inner, b, relative, &centers, Real::INFINITY, &mut cache)
        {
            best = Some(answer.normal);
        }
    }
    best
}

/// The hull grown about its centroid; mass properties are not touched.
fn grown(hull: &Hull, by: Real) -> Hull {
    Hull {
        curve: hull.curve.map(|curve| curve.grown(by)),
        cuboid: hull.cuboid.map(|half| half * by),
        vertices: hull.vertices.iter().map(|&v| v * by).collect(),
        lanes: hull.lanes.iter().map(|l| l.map(|c| c.map(|x| x * by))).collect(),
        faces: hull.faces.iter().map(|f| Face { offset: f.offset * by, ..*f }).collect(),
        radius: hull.radius * by,
        inradius: hull.inradius * by,
        flatness: hull.flatness * by,
        bounding_radius: hull.bounding_radius * by,
        ..hull.clone()
    }
}
