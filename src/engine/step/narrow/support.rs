//! The support vertex of a hull in a direction, and the feature there that faces the other body.
//!
//! Input: a hull, a unit direction `n` in its axes, a vertex to begin with. Output: the vertex `x` of
//! greatest height `n·x`, and the feature there: among its edges the flattest one, of whose two faces the
//! better aligned one is taken, so a supporting edge and a supporting face are always part of an outline.
//! Cost: O(edges at the support vertex) from a good hint.

use super::smooth::Facing;
use crate::engine::geometry::shape::hull::{Face, Hull, NO_FACE};
use crate::engine::state::contact::Feature;
use crate::engine::tuning::outline::{FACING_MIN, SQUARE};
use crate::math::{Real, Vec3, narrow, widen3};

/// Climbs from the vertex `start` to the outermost one in a direction, and returns it with its height
/// (m); or to any vertex higher than `enough`.
#[inline]
pub(in crate::engine) fn climb(
    hull: &Hull,
    outward: Vec3,
    start: u32,
    enough: Real,
) -> (u32, Real) {
    let mut vertex = if (start as usize) < hull.vertices.len() { start } else { 0 };
    let mut height = outward.dot(hull.vertices[vertex as usize]);
    loop {
        let from = vertex;
        for &w in hull.neighbors(from) {
            let level = outward.dot(hull.vertices[w as usize]);
            if level > height {
                (vertex, height) = (w, level);
                if level > enough {
                    return (vertex, height);
                }
            }
        }
        if vertex == from {
            return (vertex, height);
        }
    }
}

/// The outermost vertex of a hull in a direction, and what faces it.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Top {
    /// The vertex.
    pub(in crate::engine) vertex: u32,
    /// Its height (m).
    pub(in crate::engine) height: Real,
    /// Among its edges the one that falls off least, unless the hull is a single vertex.
    edge: Option<u32>,
    /// Drop along that edge and its length, both squared [m²].
    pub(in crate::engine) slope: [Real; 2],
    /// Least drop to a neighbor (m): no other vertex is higher than that one.
    pub(in crate::engine) drop: Real,
}

impl Top {
    /// Climbs from the vertex `hint` to the outermost one in the unit direction `outward`.
    #[inline]
    pub(in crate::engine) fn find(hull: &Hull, outward: Vec3, hint: u32) -> Self {
        if let Some(curve) = &hull.curve {
            let n = widen3(outward);
            let height = narrow(n.dot(curve.support(n)));
            let slope = [1.0, 0.0];
            return Self { vertex: 0, height, edge: None, slope, drop: Real::INFINITY };
        }
        if let [only] = hull.vertices[..] {
            let height = outward.dot(only);
            return Self { vertex: 0, height, edge: None, slope: [1.0, 0.0], drop: Real::INFINITY };
        }
        let mut vertex = if (hint as usize) < hull.vertices.len() { hint } else { 0 };
        loop {
            let at = hull.vertices[vertex as usize];
            let height = outward.dot(at);
            let (mut higher, mut highest) = (vertex, height);
            let (mut edge, mut slope, mut drop) = (None, [1.0, 0.0], Real::INFINITY);
            let list = hull.neighbor_start[vertex as usize] as usize
                ..hull.neighbor_start[vertex as usize + 1] as usize;
            for (&w, &e) in hull.neighbors[list.clone()].iter().zip(&hull.neighbor_edges[list]) {
                let beside = hull.vertices[w as usize];
                // Heights, not differences along edges, so that rounding makes no circles.
                let level = outward.dot(beside);
                if level > highest {
                    (higher, highest) = (w, level);
                }
                let (along, down) = (beside - at, (height - level).max(0.0));
                let (square, length) = (down * down, along.dot(along));
                // Slopes are compared as squares, without roots or divisions.
                if square * slope[1] < slope[0] * length || edge.is_none() {
                    (edge, slope) = (Some(e), [square, length]);
                }
                drop = drop.min(down);
            }
            if higher == vertex {
                return Self { vertex, height, edge, slope, drop };
            }
            vertex = higher;
        }
    }

    /// The feature that faces the other body, a face where there is one, else an edge or a vertex,
    /// and for a face its cosine with the normal.
    #[inline]
    pub(in crate::engine) fn facing(&self, hull: &Hull, outward: Vec3) -> (Feature, Real) {
        if let Some(curve) = &hull.curve {
            let facing = Facing::new(curve, outward);
            return (facing.feature, facing.cosine);
        }
        let Some(edge) = self.edge else { return (Feature::Vertex(self.vertex), 1.0) };
        match better_face(hull, outward, edge) {
            Some((face, facing)) if facing >= FACING_MIN => (Feature::Face(face), facing),
            _ => (Feature::Edge(edge), 1.0),
        }
    }

    /// The largest feature square to the normal at the vertex.
    pub(in crate::engine) fn square(&self, hull: &Hull, outward: Vec3) -> Feature {
        let Some(edge) = self.edge else { return Feature::Vertex(self.vertex) };
        let [drop, length] = self.slope;
        if drop > SQUARE * SQUARE * length {
            return Feature::Vertex(self.vertex);
        }
        match better_face(hull, outward, edge) {
            Some((face, facing)) if 1.0 - facing <= 0.5 * SQUARE * SQUARE => Feature::Face(face),
            _ => Feature::Edge(edge),
        }
    }
}

/// Of the two faces of an edge the better aligned one, and its alignment.
#[inline]
fn better_face(hull: &Hull, outward: Vec3, edge: u32) -> Option<(u32, Real)> {
    let [f, g] = hull.edges[edge as usize].faces;
    if f == NO_FACE || g == NO_FACE {
        return None;
    }
    let [on_f, on_g] = [f, g].map(|face| outward.dot(hull.faces[face as usize].normal));
    Some(if on_g > on_f { (g, on_g) } else { (f, on_f) })
}

/// The point of a feature of a polytope nearest to `p` seen along a direction, in its axes (m).
pub(super) fn nearest_of(hull: &Hull, feature: Feature, along: Vec3, p: Vec3) -> Vec3 {
    let across = |v: Vec3| v - along * along.dot(v);
    let on_edge = |ends: [u32; 2]| {
        let [from, to] = ends.map(|v| hull.vertices[v as usize]);
        let side = across(to - from);
        let square = side.dot(side);
        let reach = side.dot(p - from);
        let s = if square > 0.0 { (reach / square).clamp(0.0, 1.0) } else { 0.0 };
        from + (to - from) * s
    };
    match feature {
        Feature::Vertex(vertex) => hull.vertices[vertex as usize],
        Feature::Edge(edge) => on_edge(hull.edges[edge as usize].vertices),
        Feature::Face(face) => {
            let Face { normal, offset, start, len } = hull.faces[face as usize];
            let range = start as usize..(start + len) as usize;
            let on = p + along * ((offset - normal.dot(p)) / normal.dot(along));
            if hull.loop_sides[range.clone()].iter().all(|s| s.normal.dot(on) <= s.offset) {
                return on;
            }
            let mut best = (Real::INFINITY, on);
            for &edge in &hull.loop_edges[range] {
                let on = on_edge(hull.edges[edge as usize].vertices);
                let beside = across(p - on);
                if beside.dot(beside) < best.0 {
                    best = (beside.dot(beside), on);
                }
            }
            best.1
        }
    }
}
