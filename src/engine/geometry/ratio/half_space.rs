//! A piece over a fixed half-space: only the piece grows, so the metric is a quotient of two heights.

use super::types::{Contact, Feature, NO_VERTEX, Ratio, Status};
use crate::engine::geometry::shape::hull::Hull;
use crate::math::{Mat3, Real, Vec3, narrow, widen3};

/// Centers deeper than this fraction of the inradius above the plane keep their height; below, `D`
/// is floored there.
const FLOOR: Real = 1e-3;
/// The one-sided ratio of a moving piece over a fixed half-space: `r̂ = height / h_K(-n)`.
///
/// `rotation` is that of the piece in the world, `height = n·x - δ` that of its centroid above the plane
/// (m), `normal` the unit normal of the half-space in the world. The returned normal is in the world and
/// points from the half-space to the piece. For a center at or below the plane `D` is floored at a small
/// fraction of the inradius: the gap is very negative but finite, the separation right.
#[must_use]
pub fn measure_half_space(hull: &Hull, rotation: Mat3, height: Real, normal: Vec3) -> Ratio {
    let down = -(rotation.transpose() * normal);
    let (reach, feature) = match &hull.curve {
        Some(curve) => {
            let n = widen3(down);
            let reach = narrow(n.dot(curve.support(n)));
            (reach + hull.radius, Feature { ids: [NO_VERTEX; 3], len: 0 })
        }
        None => {
            let lowest = hull.support(down, 0);
            let reach = down.dot(hull.vertices[lowest as usize]) + hull.radius;
            (reach, Feature { ids: [lowest, NO_VERTEX, NO_VERTEX], len: 1 })
        }
    };
    let floor = FLOOR * hull.inradius;
    let denominator = if height > floor { height } else { floor };
    Ratio {
        ratio: denominator / reach,
        gap: (denominator - reach) / denominator,
        separation: height - reach,
        denominator,
        normal,
        features: [Feature { ids: [NO_VERTEX; 3], len: 0 }, feature],
        contact: Contact::FaceOfA(0),
        status: if height > floor { Status::Exact } else { Status::Coincident },
        iterations: 1,
    }
}
