//! How deep two convex pieces overlap, or a point is in one.
//!
//! Input: the Minkowski difference of two cores, a displacement `d` in it, normals `n` to begin with. Output:
//! the depth `min n·(support(n) - d)` as a negative distance, its normal, a point of each core.
//!
//! The depth of two overlapping pieces is the least over the normals of all faces of both, and from there
//! downhill: the ray from the difference of the centroids along a normal leaves the Minkowski difference
//! through a facet, whose normal is nearer; repeated, this ends at a facet that is a local minimum, crossing
//! edges included. Moving by the depth along the normal always separates. It is at most the separation of the
//! ratio metric. Cost: a support of every starting normal, two descents of at most `DOWNHILL_MAX` rays.

use super::cast::cast;
use super::round::{Depth, depth_in_cone, depth_in_cylinder, depth_in_ellipsoid};
use super::support::Difference;
use crate::engine::geometry::shape::curve::Curve;
use crate::engine::geometry::shape::hull::{Face, Hull};
use crate::math::{DMat3, DVec3, Double, widen, widen3};

/// Most facets on the way to a least depth.
const DOWNHILL_MAX: u32 = 32;

/// Depth of a point in the core of a hull, and the normal of the nearest surface.
pub(super) fn depth_in_core(hull: &Hull, p: DVec3) -> Depth {
    match hull.curve {
        Some(Curve::Cylinder { radius, half_height }) => {
            depth_in_cylinder(p, widen(radius), widen(half_height))
        }
        Some(Curve::Cone { radius, height }) => depth_in_cone(p, widen(radius), widen(height)),
        Some(Curve::Ellipsoid { half }) => depth_in_ellipsoid(p, widen3(half)),
        None => {
            let depth = |face: &Face| {
                let normal = widen3(face.normal);
                (widen(face.offset) - normal.dot(p), normal)
            };
            // Points and segments along y have no depth, and x is across.
            let start = (Double::INFINITY, DVec3::X);
            let least =
                hull.faces.iter().map(depth).fold(start, |a, b| if b.0 < a.0 { b } else { a });
            if least.0.is_finite() { least } else { (0.0, DVec3::X) }
        }
    }
}

/// Where a search of the least depth begins: the normals of the faces of both, and directions across
/// segments, in the frame of a.
pub(super) fn normals(a: &Hull, b: &Hull, rotation: DMat3) -> impl Iterator<Item = DVec3> {
    let of_a = a.faces.iter().map(|face| widen3(face.normal));
    let of_b = b.faces.iter().map(move |face| -(rotation * widen3(face.normal)));
    let is_round = |hull: &Hull| hull.faces.is_empty() && hull.curve.is_none();
    let flat = if is_round(a) && is_round(b) {
        let [x, y, z] = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        [DVec3::Y.cross(y).normalize_or_zero(), DVec3::X, DVec3::Z, x, z]
    } else {
        [DVec3::ZERO; 5]
    };
    of_a.chain(of_b).chain(flat.into_iter().filter(|n| *n != DVec3::ZERO))
}

/// The least depth of `d` in the difference: negative distance, normal, points of both cores.
pub(super) fn depth(
    m: &mut Difference,
    d: DVec3,
    starts: impl Iterator<Item = DVec3>,
) -> Option<(Double, DVec3, DVec3, DVec3)> {
    let plane = |m: &mut Difference, n: DVec3| n.dot(m.support(n).p - d);
    let outward = if d == DVec3::ZERO { DVec3::Y } else { d.normalize_or_zero() };
    let (mut face, mut least) = (DVec3::ZERO, Double::INFINITY);
    for n in starts {
        let depth = plane(m, n);
        if depth < least {
            (face, least) = (n, depth);
        }
    }
    let mut best: Option<(Double, DVec3, DVec3, DVec3)> = None;
    for start in [outward, face] {
        if start != DVec3::ZERO {
            downhill(m, d, start, &mut best);
        }
    }
    best
}

/// From facet to facet, each nearer than the last one.
fn downhill(
    m: &mut Difference,
    d: DVec3,
    start: DVec3,
    best: &mut Option<(Double, DVec3, DVec3, DVec3)>,
) {
    let far = 2.0 * (m.size + m.radius + d.length());
    let (mut u, mut last) = (start, Double::INFINITY);
    for _ in 0..DOWNHILL_MAX {
        // Out along u, seen from outside.
        let Some(hit) = cast(m, d + u * far, -u, 0.0, 2.0 * far) else { return };
        let along = far - hit.time;
        if along >= last - m.slack || hit.normal == DVec3::ZERO {
            return;
        }
        last = along;
        if best.is_none_or(|b| -along > b.0) {
            *best = Some((-along, u, hit.point_a, hit.point_b));
        }
        u = hit.normal;
    }
}
