//! Scaling centers other than the centroids.
//!
//! Any interior point may be the center of growth (thesis, Definition 2.1). For large or flat bodies the
//! centroid is a bad one: a 1 m box sunk 20 mm into a ground of 100×1×100 m near its edge gets a sideways
//! normal, because growing by 1 % moves the side of the ground by 0.5 m. A point near the other body gives
//! the normal one expects. Which bodies need it is the caller's business.

use super::types::Relative;
use crate::engine::geometry::shape::curve::{Curve, Meridian};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::geometry::shape::mesh::closest_on_triangle;
use crate::math::{Double, Real, Vec3, narrow3, widen3};

/// Depth of the center below the surface as a part of the inradius.
const DEPTH: Real = 0.5;
/// Projections onto planes before the point is drawn towards the centroid.
const PROJECTIONS_MAX: u32 = 16;

/// The scaling centers of a pair as the metric needs them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Centers {
    /// `o = c_a - R c_b` in the frame of a (m); zero for the centroids.
    pub shift: Vec3,
    /// Radius of a ball about `o` inside the Minkowski difference (m): the sum of the distances of
    /// the centers from their bodies' surfaces. Zero stands for the sum of the inradii, which is
    /// right for the centroids only.
    pub inner: Real,
}

impl Centers {
    /// From centers inside the bodies, each in the frame of its body (m); zero is the centroid.
    #[must_use]
    pub fn new(a: &Hull, center_a: Vec3, b: &Hull, center_b: Vec3, relative: &Relative) -> Self {
        Self {
            shift: center_a - relative.rotation * center_b,
            inner: inner_distance(a, center_a) + inner_distance(b, center_b),
        }
    }
}

/// A body with an extent above this many inradii is scaled about a point near the other body.
const LONG: Real = 5.0;

/// Is the body so long or flat that its centroid is a bad scaling center?
#[must_use]
pub fn is_long(hull: &Hull) -> bool {
    hull.bounding_radius() > LONG * hull.inradius()
}

/// Scaling centers: the centroids, or for the bodies that want it a point near the other body, found by
/// turns.
#[must_use]
pub fn near_centers([a, b]: [&Hull; 2], wants: [bool; 2], relative: &Relative) -> Centers {
    let [wants_a, wants_b] = wants;
    if !wants_a && !wants_b {
        return Centers::default();
    }
    let (mut center_a, mut center_b) = (Vec3::ZERO, Vec3::ZERO);
    let inverse = relative.rotation.transpose();
    for _ in 0..if wants_a && wants_b { 2 } else { 1 } {
        if wants_a {
            center_a = scaling_center(a, relative.offset + relative.rotation * center_b);
        }
        if wants_b {
            center_b = scaling_center(b, inverse * (center_a - relative.offset));
        }
    }
    Centers::new(a, center_a, b, center_b, relative)
}

/// Distance of an interior point from the surface (m).
fn inner_distance(hull: &Hull, point: Vec3) -> Real {
    if point == Vec3::ZERO {
        return hull.inradius;
    }
    if let Some(curve) = &hull.curve {
        return inner_distance_of_curve(curve, point) + hull.radius;
    }
    if hull.faces.is_empty() {
        return (hull.radius - (point - on_core(hull, point)).length()).max(0.0);
    }
    let distances = hull.faces.iter().map(|f| f.offset + hull.radius - f.normal.dot(point));
    distances.fold(Real::INFINITY, Real::min).max(0.0)
}

/// Distance of an interior point from the surface of a curved core (m); for an ellipsoid a lower
/// bound, from the ellipsoids of the same shape between which the point lies.
fn inner_distance_of_curve(curve: &Curve, point: Vec3) -> Real {
    if let Curve::Ellipsoid { half } = curve {
        return ((1.0 - (point / *half).length()) * half.min_element()).max(0.0);
    }
    let across = (point.x * point.x + point.z * point.z).sqrt();
    let (sides, n) = curve.meridian();
    let distances =
        sides[..n].iter().map(|s| s.offset - s.normal[0] * across - s.normal[1] * point.y);
    distances.fold(Real::INFINITY, Real::min).max(0.0)
}

/// The point of a ball's center or a capsule's segment that is nearest to `point` (m).
fn on_core(hull: &Hull, point: Vec3) -> Vec3 {
    let first = hull.vertices[0];
    let Some(&second) = hull.vertices.get(1) else { return first };
    let along = second - first;
    first + along * ((point - first).dot(along) / along.dot(along)).clamp(0.0, 1.0)
}

/// An interior point of a body near `toward`, both in the frame of the body (m): `toward` clamped into the
/// body with its planes moved inward by half of the inradius; for a capsule the nearest point of its segment.
///
/// The clamp projects onto the most violated plane, a few times; that is the nearest point for
/// boxes and a point not much farther for others. Cost O(faces).
#[must_use]
pub fn scaling_center(hull: &Hull, toward: Vec3) -> Vec3 {
    if !toward.is_finite() {
        return Vec3::ZERO;
    }
    // Never outside of the core: the rounding is thinner beyond its edges than over its faces.
    let depth = (DEPTH * hull.inradius - hull.radius).max(0.0);
    if let Some(curve) = &hull.curve {
        return center_of_curve(curve, depth, toward);
    }
    if hull.faces.is_empty() {
        return on_core(hull, toward);
    }
    if hull.is_triangle() {
        let corners = [0, 1, 2].map(|k| hull.vertices[k]);
        return closest_on_triangle(toward, corners).0;
    }
    let planes = hull.faces.iter().map(|face| (face.normal, face.offset - depth));
    let (point, part) = clamped(toward, planes, |point| point);
    point * part
}

/// A point projected onto the planes that it is beyond, the worst one first and kept by `keep` each time, and
/// the part of the segment from the centroid to there that is not outside of any.
fn clamped(
    mut point: Vec3,
    planes: impl Iterator<Item = (Vec3, Real)> + Clone,
    keep: impl Fn(Vec3) -> Vec3,
) -> (Vec3, Real) {
    for _ in 0..PROJECTIONS_MAX {
        let mut worst = (0.0, Vec3::ZERO);
        for (normal, offset) in planes.clone() {
            let excess = normal.dot(point) - offset;
            if excess > worst.0 {
                worst = (excess, normal);
            }
        }
        point = keep(point - worst.1 * worst.0);
        if worst.0 == 0.0 {
            break;
        }
    }
    // What is still outside is cut.
    let mut part: Real = 1.0;
    for (normal, offset) in planes {
        let height = normal.dot(point);
        if height * part > offset {
            part = offset / height;
        }
    }
    (point, part)
}

/// [`scaling_center`] of a curved core, `depth` (m) inside of its surface: in the plane through its
/// axis as for polytopes, for an ellipsoid the nearest point of the half as large one.
fn center_of_curve(curve: &Curve, depth: Real, toward: Vec3) -> Vec3 {
    if let Curve::Ellipsoid { half } = curve {
        return on_ellipsoid(*half * DEPTH, toward);
    }
    let (sides, n) = curve.meridian();
    let across = (toward.x * toward.x + toward.z * toward.z).sqrt();
    let unit = if across > 0.0 { [toward.x / across, toward.z / across] } else { [0.0; 2] };
    let plane = |s: &Meridian| (Vec3::new(s.normal[0], s.normal[1], 0.0), s.offset - depth);
    // In the plane through the axis: x away from it, never beyond it, y along it.
    let (Vec3 { x, y, .. }, part) =
        clamped(Vec3::new(across, toward.y, 0.0), sides[..n].iter().map(plane), |point| {
            Vec3::new(point.x.max(0.0), point.y, 0.0)
        });
    Vec3::new(unit[0] * x, y, unit[1] * x) * part
}

/// The point of an ellipsoid nearest to `toward`: by Newton's method for the multiplier, whose
/// function is convex and falls, so that steps from below end below the root.
fn on_ellipsoid(half: Vec3, toward: Vec3) -> Vec3 {
    let (h, p) = (widen3(half), widen3(toward));
    if (p / h).length_squared() <= 1.0 {
        return toward;
    }
    let squares = h * h;
    // Each term alone gives a bound on the root.
    let mut t: Double = (h * p.abs() - squares).max_element().max(0.0);
    for _ in 0..PROJECTIONS_MAX {
        let below = squares + crate::math::DVec3::splat(t);
        let scaled = h * p / below;
        let excess = scaled.dot(scaled) - 1.0;
        let slope = 2.0 * (scaled * scaled / below).element_sum();
        t += excess / slope;
    }
    let nearest = squares * p / (squares + crate::math::DVec3::splat(t));
    narrow3(nearest / (nearest / h).length().max(1.0))
}
