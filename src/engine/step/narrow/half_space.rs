//! The contacts of a half-space and a hull.
//!
//! Input: a hull, its rotation, the height `h` of its centroid above the plane of unit normal `n`.
//! Output: every vertex `x`, or corner of a curved hull's outline, whose gap `h + n·x - r` is within the
//! band, of vertices one above another the lower one, thinned like those of two hulls: one for a ball, up
//! to two for a capsule. Cost: O(vertices).

use super::clip::ClipParams;
use super::collect::{Anchor, Collector, Manifold};
use super::smooth::Facing;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::state::contact::{ContactId, Feature};
use crate::math::{Mat3, Real, Vec3};

/// Finds the contacts of a half-space (body `a`) and a hull (body `b`).
///
/// `rotation` turns the hull's axes to world axes, `height` (m) is that of its centroid above the
/// plane with the outward unit normal `normal`. Points are in world axes about the hull's centroid;
/// the half-space is known as its face 0.
pub fn find_contacts_half_space(
    hull: &Hull,
    rotation: &Mat3,
    height: Real,
    normal: Vec3,
    params: &ClipParams,
    out: &mut Manifold,
) {
    let slack = params.eps_x * hull.bounding_radius;
    let mut found = Collector::new(normal, params.band, slack, [0.0, hull.radius]);
    if hull.curve.is_none() {
        found.set_anchor(Anchor::Face(0), 0.0);
    }
    let local = rotation.transpose() * normal;
    if let Some(curve) = &hull.curve {
        let facing = Facing::new(curve, -local);
        for (number, corner, _) in facing.outline().filter(|corner| corner.2) {
            let above = height + local.dot(corner);
            let at = *rotation * corner;
            let id = ContactId::new(Feature::Face(0), Feature::Vertex(number));
            found.push(id, at - normal * above, at);
        }
        found.finish(out);
        return;
    }
    for (vertex, &v) in (0_u32..).zip(&hull.vertices) {
        let above = height + local.dot(v);
        if above - hull.radius <= params.band {
            let at = *rotation * v;
            let id = ContactId::new(Feature::Face(0), Feature::Vertex(vertex));
            found.push(id, at - normal * above, at);
        } else {
            found.leaves_out(above - hull.radius);
        }
    }
    found.finish(out);
}
