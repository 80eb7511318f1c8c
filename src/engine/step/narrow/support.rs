//! The support vertex of a hull in a direction, and the feature there that faces the other body.
//!
//! Input: a hull, a unit direction `n` in its axes, a vertex to begin with. Output: the vertex `x` of
//! greatest height `n·x`, and the feature there: among its edges the flattest one, of whose two faces the
//! better aligned one is taken, so a supporting edge and a supporting face are always part of an outline.
//! Cost: O(edges at the support vertex) from a good hint.

use super::smooth::Facing;
use crate::engine::geometry::shape::hull::{Face, Hull};
use crate::engine::state::contact::Feature;
use crate::engine::tuning::outline::{FACING_MIN, SQUARE};
use crate::math::{Real, Vec3, narrow, widen3};

/// The outermost vertex of a hull in a direction, and what faces it.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Top {
    /// The vertex.
    pub(in crate::engine) vertex: u32,
    /// Its height (m).
    pub(in crate::engine) height: Real,
    /// Which of its spokes is the edge that falls off least, unless the hull is a single vertex.
    spoke: usize,
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
            return Self { vertex: 0, height, spoke: 0, slope, drop: Real::INFINITY };
        }
        let mut vertex = if (hint as usize) < hull.vertices.len() { hint } else { 0 };
        loop {
            let at = hull.corner(vertex);
            let height = outward.dot(at);
            let (mut higher, mut highest) = (vertex, height);
            let (mut flattest, mut slope, mut drop) = (0, [1.0, 0.0], Real::INFINITY);
            for (k, spoke) in hull.spokes(vertex).iter().enumerate() {
                // Heights, not differences along edges, so that rounding makes no circles.
                let level = outward.dot(spoke.at);
                if level > highest {
                    (higher, highest) = (spoke.vertex, level);
                }
                let (along, down) = (spoke.at - at, height - level);
                let (square, length) = (down * down, along.dot(along));
                // Slopes are compared as squares, without roots or divisions.
                if square * slope[1] < slope[0] * length {
                    (flattest, slope) = (k, [square, length]);
                }
                drop = if down < drop { down } else { drop };
            }
            if higher == vertex {
                return Self { vertex, height, spoke: flattest, slope, drop };
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
        match self.flattest(hull, outward) {
            None => (Feature::Vertex(self.vertex), 1.0),
            Some((_, face, facing)) if facing >= FACING_MIN => (Feature::Face(face), facing),
            Some((edge, ..)) => (Feature::Edge(edge), 1.0),
        }
    }

    /// The largest feature square to the normal at the vertex.
    pub(in crate::engine) fn square(&self, hull: &Hull, outward: Vec3) -> Feature {
        let [drop, length] = self.slope;
        if drop > SQUARE * SQUARE * length {
            return Feature::Vertex(self.vertex);
        }
        match self.flattest(hull, outward) {
            None => Feature::Vertex(self.vertex),
            Some((_, face, facing)) if 1.0 - facing <= 0.5 * SQUARE * SQUARE => Feature::Face(face),
            Some((edge, ..)) => Feature::Edge(edge),
        }
    }

    /// The flattest edge, the better aligned one of its two faces and how well that is; 0 without faces.
    #[inline(always)]
    fn flattest(&self, hull: &Hull, outward: Vec3) -> Option<(u32, u32, Real)> {
        let edge = hull.spokes(self.vertex).get(self.spoke)?.edge;
        let [f, g] = hull.edges[edge as usize].faces;
        let alignment =
            |face: u32| hull.faces.get(face as usize).map_or(0.0, |face| outward.dot(face.normal));
        let [on_f, on_g] = [f, g].map(alignment);
        Some(if on_g > on_f { (edge, g, on_g) } else { (edge, f, on_f) })
    }
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
            for step in &hull.loop_edges[range] {
                let on = on_edge(hull.edges[step.edge as usize].vertices);
                let beside = across(p - on);
                if beside.dot(beside) < best.0 {
                    best = (beside.dot(beside), on);
                }
            }
            best.1
        }
    }
}
