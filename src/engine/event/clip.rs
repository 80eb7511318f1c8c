//! The contacts of a pair for a given normal, without enumeration.
//!
//! Input: two hulls, their relative pose, and a unit normal from `a` to `b`. Output: a
//! [`Manifold`].
//!
//! Seen along the normal, the feature of each body that faces the other is a convex polygon (a
//! face), a segment or a point. The contacts are the corners of the intersection of the two
//! polygons: corners of `a` on the face of `b`, corners of `b` on the face of `a`, and crossings of
//! edges. When the normal is that of a face this is face clipping, and by Theorem 3.4 the contact
//! region is the convex hull of these points; when the normal is that of two crossing edges, their
//! crossing is one of the corners and the others lie above it. Each contact has its own separation
//! along the normal (4.17); those beyond the band are left out.
//!
//! No body is the reference of the other: exchanging the bodies exchanges the ids, and nothing
//! flips while bodies move. A corner counts as inside a face up to `ε_x` outside it, and edges
//! cross only if their ends are farther than that from the other edge; so coincident features give
//! one contact each, with the same id while they move less than `ε_x`.
//!
//! The bodies meet exactly above each other only when scaled to touching. Where the outlines of the
//! unscaled bodies miss each other, `b` is moved back along the line of centers by `d sep / (n·d)`,
//! which is what scaling does, and as a last resort the nearest points of the outlines make a
//! contact: a pair within the band always has one.
//!
//! Rounded hulls: the same on their cores, with the points moved by the radii along the normal.
//! Cost: two support queries and O(corners of a × corners of b), no allocation.
//! Not done: corners of other faces than the facing one, however close.

use super::super::ratio::Relative;
use super::super::shape::hull::Hull;
use super::manifold::{Collector, ContactId, Feature, Manifold};
use super::outline::{Axes, Outline, Placed};
use crate::math::{Mat3, Real, Vec3};

/// Sine of the angle below which two capsules lie along each other.
const ALONG: Real = 0.1;

/// Tolerances of the contact search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipParams {
    /// Contacts up to this separation are found [m].
    pub band: Real,
    /// ε_x: part of the smaller bounding radius by which faces are enlarged [-].
    pub eps_x: Real,
}

/// Finds the contacts of two hulls along the unit normal from `a` to `b`, given in the axes of `a`.
///
/// Clears and fills `out`. It stays empty if the hulls are farther apart than the band along the
/// normal.
pub fn find_contacts(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    normal: Vec3,
    params: &ClipParams,
    out: &mut Manifold,
) {
    let slack = params.eps_x * a.bounding_radius.min(b.bounding_radius);
    // Two candidates that a slack of ε_x makes out of one lie at most this far apart.
    let mut found = Collector::new(normal, params.band, 2.0 * slack, [a.radius, b.radius]);
    let axes = Axes::new(normal);
    let (placed_a, placed_b) = (Placed::body_a(a, &axes), Placed::body_b(b, relative, &axes));
    if a.vertices.len() == 1 || b.vertices.len() == 1 {
        ball(&placed_a, &placed_b, &axes, &mut found);
        found.finish(out);
        return;
    }
    let (outline_a, outline_b) = (placed_a.facing(), placed_b.facing());
    intersect(&outline_a, &outline_b, &axes, slack, &mut found);
    if found.is_empty() {
        let p = placed_a.vertex(placed_a.support());
        let q = placed_b.vertex(placed_b.support());
        let separation = q.z - p.z - a.radius - b.radius;
        let distance = normal.dot(relative.offset);
        if separation <= params.band && distance > separation.abs() {
            found.shift = relative.offset * (separation / distance);
            let moved = placed_b.moved(&axes, -found.shift);
            intersect(&outline_a, &moved.facing(), &axes, slack, &mut found);
            found.shift = Vec3::ZERO;
        }
        if found.is_empty() {
            nearest((&placed_a, &outline_a), (&placed_b, &outline_b), &axes, &mut found);
        }
    }
    found.finish(out);
}

/// The corners of the intersection of two outlines.
fn intersect(a: &Outline, b: &Outline, axes: &Axes, slack: Real, found: &mut Collector) {
    if a.is_edge() && b.is_edge() {
        segments(a, b, axes, found);
        return;
    }
    corners_on(a, b, slack, |vertex, corner, on| {
        let id = ContactId::new(Feature::Vertex(vertex), b.feature());
        found.push(id, axes.lift(corner), axes.lift(on));
    });
    corners_on(b, a, slack, |vertex, corner, on| {
        let id = ContactId::new(a.feature(), Feature::Vertex(vertex));
        found.push(id, axes.lift(on), axes.lift(corner));
    });
    crossings(a, b, axes, slack, found);
}

/// Calls `emit` with each corner of `one` that lies on the face `other`, and the point of the face.
fn corners_on(one: &Outline, other: &Outline, slack: Real, mut emit: impl FnMut(u32, Vec3, Vec3)) {
    for i in 0..one.len() {
        let corner = one.corner(i).at;
        if other.covers(corner, slack) {
            emit(one.vertex(i), corner, other.above(corner));
        }
    }
}

/// The crossings of the edges of two outlines.
fn crossings(a: &Outline, b: &Outline, axes: &Axes, slack: Real, found: &mut Collector) {
    let apart = |s: Real, t: Real| (s > slack && t < -slack) || (s < -slack && t > slack);
    for i in 0..a.n_edges() {
        let (edge_a, end_a) = (a.corner(i), a.corner(a.next(i)).at);
        // Looked up once, and only if something crosses it.
        let mut name_a = None;
        let mut from = b.corner(0).at;
        let mut s = edge_a.left(from);
        for j in 0..b.n_edges() {
            let to = b.corner(b.next(j)).at;
            let t = edge_a.left(to);
            if apart(s, t) {
                let edge_b = b.corner(j);
                let (u, v) = (edge_b.left(edge_a.at), edge_b.left(end_a));
                if apart(u, v) {
                    let on_a = edge_a.at + (end_a - edge_a.at) * (u / (u - v));
                    let on_b = from + (to - from) * (s / (s - t));
                    let name_a = *name_a.get_or_insert_with(|| a.edge(i));
                    let id = ContactId::new(name_a, b.edge(j));
                    found.push(id, axes.lift(on_a), axes.lift(on_b));
                }
            }
            (from, s) = (to, t);
        }
    }
}

/// Contacts of two segments: the ends of their common length if they lie along each other, else the
/// points where they cross, clamped to the segments.
fn segments(a: &Outline, b: &Outline, axes: &Axes, found: &mut Collector) {
    let (p, q) = (a.corner(0).at, b.corner(0).at);
    let (u, v) = (a.corner(1).at - p, b.corner(1).at - q);
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let across = uu * vv - uv * uv;
    if across > ALONG * ALONG * uu * vv {
        let (s, t) = closest_parameters(q - p, u, v);
        let id = ContactId::new(a.edge(0), b.edge(0));
        found.push(id, axes.lift(p + u * s), axes.lift(q + v * t));
        return;
    }
    for end in 0..2 {
        let corner = a.corner(end).at;
        let s = (corner - q).dot(v) / vv;
        if (0.0..=1.0).contains(&s) {
            let id = ContactId::new(Feature::Vertex(a.vertex(end)), b.feature());
            found.push(id, axes.lift(corner), axes.lift(q + v * s));
        }
        let corner = b.corner(end).at;
        let s = (corner - p).dot(u) / uu;
        if (0.0..=1.0).contains(&s) {
            let id = ContactId::new(a.feature(), Feature::Vertex(b.vertex(end)));
            found.push(id, axes.lift(p + u * s), axes.lift(corner));
        }
    }
}

/// Parameters of the closest points of the segments `s u` and `between + t v`, `s` and `t` in [0,
/// 1].
fn closest_parameters(between: Vec3, u: Vec3, v: Vec3) -> (Real, Real) {
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let (bu, bv) = (between.dot(u), between.dot(v));
    let s = ((bu * vv - bv * uv) / (uu * vv - uv * uv)).clamp(0.0, 1.0);
    let t = ((uv * s - bv) / vv).clamp(0.0, 1.0);
    (((bu + uv * t) / uu).clamp(0.0, 1.0), t)
}

/// The one contact of a ball: its center against the feature square to the normal.
fn ball(a: &Placed, b: &Placed, axes: &Axes, found: &mut Collector) {
    let (outline_a, outline_b) = (a.square(), b.square());
    let id = ContactId::new(outline_a.feature(), outline_b.feature());
    if b.hull.vertices.len() == 1 {
        let center = outline_b.corner(0).at;
        found.push(id, axes.lift(outline_a.nearest(center)), axes.lift(center));
    } else {
        let center = outline_a.corner(0).at;
        found.push(id, axes.lift(center), axes.lift(outline_b.nearest(center)));
    }
}

/// One contact of outlines that miss each other: the outermost corner of one body and the point of
/// the other's outline nearest to it across the normal, whichever pair is nearer.
fn nearest(a: (&Placed, &Outline), b: (&Placed, &Outline), axes: &Axes, found: &mut Collector) {
    let (support_a, support_b) = (a.0.support(), b.0.support());
    let (p, q) = (a.0.vertex(support_a), b.0.vertex(support_b));
    let (on_a, on_b) = (a.1.nearest(q), b.1.nearest(p));
    let apart = |v: Vec3| v.x * v.x + v.y * v.y;
    if apart(q - on_a) <= apart(on_b - p) {
        let id = ContactId::new(a.1.feature(), Feature::Vertex(support_b));
        found.push(id, axes.lift(on_a), axes.lift(q));
    } else {
        let id = ContactId::new(Feature::Vertex(support_a), b.1.feature());
        found.push(id, axes.lift(p), axes.lift(on_b));
    }
}

/// Finds the contacts of a half-space (body `a`) and a hull (body `b`): every vertex within the
/// band, of vertices one above another the lower one, thinned like those of two hulls. One for a
/// ball, up to two for a capsule.
///
/// `rotation` turns the hull's axes to world axes, `height` [m] is that of its centroid above the
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
    let local = rotation.transpose() * normal;
    for (vertex, &v) in (0_u32..).zip(&hull.vertices) {
        let above = height + local.dot(v);
        if above - hull.radius <= params.band {
            let at = *rotation * v;
            let id = ContactId::new(Feature::Face(0), Feature::Vertex(vertex));
            found.push(id, at - normal * above, at);
        }
    }
    found.finish(out);
}
