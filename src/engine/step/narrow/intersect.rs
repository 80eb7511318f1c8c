//! The intersection of two outlines, seen along the contact normal.
//!
//! Input: two outlines in the same contact axes. Output: its corners, handed to a collector as contacts:
//! corners of the one over the other, and crossings of edges; for two segments the ends of their common
//! length or the points where they cross. Says of each how steep it is. O(corners of a × corners of b).

use super::collect::Collector;
use super::outline::{Axes, Outline};
use crate::engine::state::contact::{ContactId, Feature};
use crate::engine::tuning::intersect::ALONG;
use crate::math::{Real, Vec3};

/// The corners of the intersection of two outlines.
pub(in crate::engine) fn intersect(a: &Outline, b: &Outline, axes: &Axes, found: &mut Collector) {
    if a.is_edge() && b.is_edge() {
        found.lose_anchor();
        segments(a, b, axes, found);
        return;
    }
    if b.is_face() {
        for corner in a.corners.iter().filter(|c| c.near) {
            let on = b.above(corner.at);
            if !found.is_far(corner.at.z, on.z) && b.covers(corner.at) {
                if !found.is_face_of(1) {
                    found.slopes(b.steepness());
                }
                let id = ContactId::new(Feature::Vertex(corner.vertex), b.feature);
                found.push(id, axes.lift(corner.at), axes.lift(on));
            }
        }
    }
    if a.is_face() {
        for corner in b.corners.iter().filter(|c| c.near) {
            let on = a.above(corner.at);
            if !found.is_far(on.z, corner.at.z) && a.covers(corner.at) {
                if !found.is_face_of(0) {
                    found.slopes(a.steepness());
                }
                let id = ContactId::new(a.feature, Feature::Vertex(corner.vertex));
                found.push(id, axes.lift(on), axes.lift(corner.at));
            }
        }
    }
    crossings(a, b, axes, found);
}

/// The crossings of the edges of two outlines.
fn crossings(a: &Outline, b: &Outline, axes: &Axes, found: &mut Collector) {
    for (i, edge_a) in a.corners[..a.n_edges].iter().enumerate() {
        let end_a = &a.corners[a.next(i)];
        // Between two corners out of reach all points are.
        if !(edge_a.near || end_a.near) {
            continue;
        }
        let end_a = end_a.at;
        let mut s = edge_a.left(b.corners[0].at);
        for (j, edge_b) in b.corners[..b.n_edges].iter().enumerate() {
            let end_b = &b.corners[b.next(j)];
            let to = end_b.at;
            let t = edge_a.left(to);
            let (u, v) = (edge_b.left(edge_a.at), edge_b.left(end_a));
            // Both at once first: neither can be foreseen, and together they are seldom true.
            let most = if s * t > u * v { s * t } else { u * v };
            let crosses = most < 0.0 && edge_a.parts(s, t) && edge_b.parts(u, v);
            if crosses && (edge_b.near || end_b.near) {
                let on_a = edge_a.at + (end_a - edge_a.at) * (u / (u - v));
                let on_b = edge_b.at + (to - edge_b.at) * (s / (s - t));
                if !found.is_far(on_a.z, on_b.z) {
                    let rises = [end_a.z - edge_a.at.z, to.z - edge_b.at.z];
                    found.slopes(edge_a.steepness(rises[0], edge_b, rises[1]));
                    let (edge_a, edge_b) = (edge_a.edge, edge_b.edge);
                    let id = ContactId::new(Feature::Edge(edge_a), Feature::Edge(edge_b));
                    found.push(id, axes.lift(on_a), axes.lift(on_b));
                }
            }
            s = t;
        }
    }
}

/// Contacts of two segments: the ends of their common length if they lie along each other, else the
/// points where they cross, clamped to the segments.
fn segments(a: &Outline, b: &Outline, axes: &Axes, found: &mut Collector) {
    let (p, q) = (a.corners[0].at, b.corners[0].at);
    let (u, v) = (a.corners[1].at - p, b.corners[1].at - q);
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let across = uu * vv - uv * uv;
    if across > ALONG * ALONG * uu * vv {
        // Capsules lie square to the normal; generators need not, and cross as seen along it.
        let seen = |w: Vec3| if a.is_generator() || b.is_generator() { w.with_z(0.0) } else { w };
        let (s, t) = closest_parameters(seen(q - p), seen(u), seen(v));
        let id = ContactId::new(Feature::Edge(a.corners[0].edge), Feature::Edge(b.corners[0].edge));
        found.push(id, axes.lift(p + u * s), axes.lift(q + v * t));
        return;
    }
    for end in 0..2 {
        let corner = a.corners[end].at;
        let s = (corner - q).dot(v) / vv;
        if (0.0..=1.0).contains(&s) {
            let id = ContactId::new(Feature::Vertex(a.corners[end].vertex), b.feature);
            found.push(id, axes.lift(corner), axes.lift(q + v * s));
        }
        let corner = b.corners[end].at;
        let s = (corner - p).dot(u) / uu;
        if (0.0..=1.0).contains(&s) {
            let id = ContactId::new(a.feature, Feature::Vertex(b.corners[end].vertex));
            found.push(id, axes.lift(p + u * s), axes.lift(corner));
        }
    }
}

/// Parameters of the closest points of the segments `s u` and `between + t v`, `s` and `t` in [0, 1].
pub(super) fn closest_parameters(between: Vec3, u: Vec3, v: Vec3) -> (Real, Real) {
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let (bu, bv) = (between.dot(u), between.dot(v));
    let s = ((bu * vv - bv * uv) / (uu * vv - uv * uv)).clamp(0.0, 1.0);
    let t = ((uv * s - bv) / vv).clamp(0.0, 1.0);
    (((bu + uv * t) / uu).clamp(0.0, 1.0), t)
}
