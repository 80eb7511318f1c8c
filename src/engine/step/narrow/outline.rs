//! Outlines: the feature of a hull that faces the other body, seen along the contact normal.
//!
//! Input: a hull, its pose, and the normal. Output: the corners of a face, an edge or a vertex in
//! coordinates `(x, y, z)` with `z` along the normal, counterclockwise in `x, y`.
//!
//! Of a face only the part near the other body is kept: the corners below a given height, and the edges
//! with such an end. Since the face is convex they are a chain, whose ends lie above that height, and the
//! part of the face below it is bounded by the chain alone. Cost: O(corners).

use smallvec::SmallVec;

use super::smooth::{Facing, GENERATOR};
use crate::engine::geometry::ratio::Relative;
use crate::engine::geometry::shape::curve::Curve;
use crate::engine::geometry::shape::hull::{Face, Hull, Spoke};
use crate::engine::state::contact::Feature;
use crate::engine::tuning::outline::WHOLE_MAX;
use crate::math::{Mat3, Real, Vec3};

/// Corners kept without allocation; faces with as many or more are always taken whole.
const CORNERS_MAX: usize = 64;

/// Contact axes in the axes of body `a`.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Axes {
    t1: Vec3,
    t2: Vec3,
    pub(in crate::engine) normal: Vec3,
}

impl Axes {
    /// Two tangents of a unit normal without a root (Duff et al. 2017).
    #[inline]
    pub(in crate::engine) fn new(normal: Vec3) -> Self {
        let Vec3 { x, y, z } = normal;
        let sign: Real = if z < 0.0 { -1.0 } else { 1.0 };
        let u = -1.0 / (sign + z);
        let v = x * y * u;
        let t1 = Vec3::new(1.0 + sign * x * x * u, sign * v, -sign * x);
        let t2 = Vec3::new(v, sign + y * y * u, -y);
        Self { t1, t2, normal }
    }

    #[inline]
    fn project(&self, p: Vec3) -> Vec3 {
        Vec3::new(self.t1.dot(p), self.t2.dot(p), self.normal.dot(p))
    }

    #[inline]
    pub(in crate::engine) fn lift(&self, p: Vec3) -> Vec3 {
        self.t1 * p.x + self.t2 * p.y + self.normal * p.z
    }
}

/// A hull in its place among the contact axes.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct PlacedFace<'h> {
    pub(in crate::engine) hull: &'h Hull,
    /// From the hull's axes to contact axes.
    turn: Mat3,
    /// Centroid of the hull in contact axes.
    origin: Vec3,
    /// Outward direction in the hull's own axes.
    outward: Vec3,
    /// Is the outward direction `-z`? Then loops run clockwise in `x, y`.
    downward: bool,
}

impl<'h> PlacedFace<'h> {
    /// Body `a`, whose outward direction is the normal.
    #[inline]
    pub(in crate::engine) fn body_a(hull: &'h Hull, axes: &Axes) -> Self {
        let turn = Mat3::from_cols(axes.t1, axes.t2, axes.normal).transpose();
        Self { hull, turn, origin: Vec3::ZERO, outward: axes.normal, downward: false }
    }

    /// Body `b`, with its outward direction against the normal, in its own axes.
    #[inline]
    pub(super) fn body_b(hull: &'h Hull, relative: &Relative, axes: &Axes, outward: Vec3) -> Self {
        let turn = Mat3::from_cols(axes.t1, axes.t2, axes.normal).transpose() * relative.rotation;
        Self { hull, turn, origin: axes.project(relative.offset), outward, downward: true }
    }

    /// This hull moved by `by`, in the axes of `axes`.
    pub(in crate::engine) fn moved(self, axes: &Axes, by: Vec3) -> Self {
        Self { origin: self.origin + axes.project(by), ..self }
    }

    /// A vertex in contact axes.
    #[inline]
    pub(in crate::engine) fn vertex(&self, v: u32) -> Vec3 {
        self.place(self.hull.corner(v))
    }

    /// A point of the hull's axes in contact axes.
    #[inline]
    pub(in crate::engine) fn place(&self, point: Vec3) -> Vec3 {
        self.turn * point + self.origin
    }

    /// A point of contact axes in the hull's axes.
    #[inline]
    pub(in crate::engine) fn local(&self, point: Vec3) -> Vec3 {
        self.turn.transpose() * (point - self.origin)
    }
}

/// A corner of an outline and the way to the next one, seen along the normal.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Corner {
    /// Position in contact axes (m).
    pub(in crate::engine) at: Vec3,
    /// Way to the next corner in `x, y` (m).
    ex: Real,
    ey: Real,
    /// Square of its length times the slack [m⁴].
    limit: Real,
    /// The vertex of the hull.
    pub(in crate::engine) vertex: u32,
    /// The edge of the hull to the next corner.
    pub(in crate::engine) edge: u32,
    /// Is the corner low enough to be a contact?
    pub(in crate::engine) near: bool,
}

impl Corner {
    /// Distance of a point to the left of the line from this corner to the next, times the length
    /// of that way [m²].
    #[inline]
    pub(in crate::engine) fn left(&self, p: Vec3) -> Real {
        self.ex * (p.y - self.at.y) - self.ey * (p.x - self.at.x)
    }

    /// By how much the gap where two edges cross, of which this one rises by `rise` and the other by
    /// `other_rise` (m), changes at most with a slip of the edges against each other (-).
    #[inline]
    pub(in crate::engine) fn steepness(&self, rise: Real, other: &Self, other_rise: Real) -> Real {
        let across = (self.ex * other.ey - self.ey * other.ex).abs();
        let length = |c: &Self| c.ex.abs() + c.ey.abs();
        (rise.abs() * length(other) + other_rise.abs() * length(self)) / across
    }

    /// Are two points with these values of [`left`](Self::left) on different sides of the line, both
    /// farther from it than the slack?
    #[inline]
    pub(in crate::engine) fn parts(&self, s: Real, t: Real) -> bool {
        s * t < 0.0 && s * s > self.limit && t * t > self.limit
    }
}

/// What is kept of an outline.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct OutlineReach {
    /// Height of the outermost vertex (m).
    pub(in crate::engine) top: Real,
    /// How far below it corners matter (m).
    pub(in crate::engine) depth: Real,
    /// By how much faces are enlarged (m).
    pub(in crate::engine) slack: Real,
}

/// A face, an edge or a vertex seen along the normal, or the part of a face near the other body.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Outline {
    pub(in crate::engine) feature: Feature,
    pub(in crate::engine) corners: SmallVec<[Corner; CORNERS_MAX]>,
    /// The edges are those from the first so many corners to the next ones.
    pub(in crate::engine) n_edges: usize,
    /// `dz/dx` and `dz/dy` of the plane of a face.
    slope: [Real; 2],
    /// Center and radius with the slack of a cap (m), which its corners only approximate.
    disc: Option<(Vec3, Real)>,
    /// Corners from so far below the outermost vertex on are left out (m).
    pub(in crate::engine) left_out: Real,
}

impl Outline {
    #[inline(always)]
    pub(in crate::engine) fn new() -> Self {
        let (feature, corners) = (Feature::Vertex(0), SmallVec::new());
        let left_out = Real::INFINITY;
        Self { feature, corners, n_edges: 0, slope: [0.0; 2], disc: None, left_out }
    }

    /// Takes the outline of a feature.
    #[inline]
    pub(super) fn trace(&mut self, placed: &PlacedFace, feature: Feature, reach: &OutlineReach) {
        self.feature = feature;
        self.corners.clear();
        self.left_out = Real::INFINITY;
        if let Some(curve) = &placed.hull.curve {
            self.trace_curve(placed, curve, reach.slack);
            self.close(reach.slack * reach.slack);
            return;
        }
        match feature {
            Feature::Vertex(v) => {
                self.n_edges = 0;
                self.push(placed.vertex(v), v, 0, true);
            }
            Feature::Edge(edge) => {
                self.n_edges = 1;
                for v in placed.hull.edges[edge as usize].vertices {
                    self.push(placed.vertex(v), v, edge, true);
                }
            }
            Feature::Face(face) => self.trace_face(placed, face, reach),
        }
        self.close(reach.slack * reach.slack);
    }

    /// Takes the corners of a curved hull.
    fn trace_curve(&mut self, placed: &PlacedFace, curve: &Curve, slack: Real) {
        let facing = Facing::new(curve, placed.outward);
        self.disc = None;
        self.feature = facing.feature;
        let n = facing.len();
        self.n_edges = if n > 2 { n } else { n - 1 };
        if let Feature::Face(face) = facing.feature {
            let Face { normal, offset, .. } = placed.hull.faces[face as usize];
            self.disc = Some((placed.place(normal * offset), curve.cap_radius() + slack));
            let normal = placed.turn * normal;
            self.slope = [-normal.x / normal.z, -normal.y / normal.z];
        }
        for i in 0..n {
            let (k, edge) = if placed.downward { (n - 1 - i, (2 * n - 2 - i) % n) } else { (i, i) };
            let (number, at, near) = facing.corner(k);
            self.push(placed.place(at), number, facing.edge(edge), near);
        }
    }

    fn trace_face(&mut self, placed: &PlacedFace, face: u32, reach: &OutlineReach) {
        let hull = placed.hull;
        let face = hull.faces[face as usize];
        let normal = placed.turn * face.normal;
        let rise = -1.0 / normal.z;
        self.slope = [normal.x * rise, normal.y * rise];
        let range = face.start as usize..(face.start + face.len) as usize;
        let sides = &hull.loop_edges[range];
        let n = sides.len();
        if n <= WHOLE_MAX {
            self.n_edges = n;
            // Heights along the normal: corners matter above or below this one.
            let (top, down) = (reach.top, if placed.downward { -1.0 } else { 1.0 });
            let low = top - reach.depth + down * placed.origin.z;
            for i in 0..n {
                let (k, edge) = if placed.downward {
                    (n - 1 - i, if i + 1 == n { n - 1 } else { n - 2 - i })
                } else {
                    (i, i)
                };
                let Spoke { vertex, at, .. } = sides[k];
                let at = placed.place(at);
                let near = down * at.z >= low;
                if !near {
                    self.left_out = self.left_out.min(reach.depth + (low - down * at.z));
                }
                self.push(at, vertex, sides[edge].edge, near);
            }
            return;
        }
        let low = reach.top - reach.depth;
        self.left_out = reach.depth;
        let small = n < CORNERS_MAX;
        let all = if small { (1_u64 << n) - 1 } else { u64::MAX };
        let mut near = if small { 0 } else { all };
        if small {
            for (k, side) in sides.iter().enumerate() {
                let height = placed.outward.dot(side.at);
                near |= u64::from(height >= low) << k;
            }
        }
        // The chain begins before the first near corner that follows one that is not near.
        let (mut k, mut count) = (0, n);
        self.n_edges = n;
        if near != all {
            let after = (near << 1 | near >> (n - 1)) & all;
            let first = (near & !after).trailing_zeros() as usize % n;
            let turned = (near >> first | near << (n - first)) & all;
            let last = 64 - turned.leading_zeros() as usize;
            (k, count) = (if first == 0 { n - 1 } else { first - 1 }, last + 2);
            self.n_edges = count - 1;
            if placed.downward {
                k = (first + last) % n;
            }
        } else if placed.downward {
            k = n - 1;
        }
        for _ in 0..count {
            let next = if placed.downward {
                if k == 0 { n - 1 } else { k - 1 }
            } else if k + 1 == n {
                0
            } else {
                k + 1
            };
            let edge = sides[if placed.downward { next } else { k }].edge;
            let Spoke { vertex, at, .. } = sides[k];
            self.push(placed.place(at), vertex, edge, !small || near >> k & 1 == 1);
            k = next;
        }
    }

    #[inline]
    fn push(&mut self, at: Vec3, vertex: u32, edge: u32, near: bool) {
        self.corners.push(Corner { at, ex: 0.0, ey: 0.0, limit: 0.0, vertex, edge, near });
    }

    /// Fills in the ways from corner to corner.
    #[inline]
    fn close(&mut self, slack_squared: Real) {
        let corners = self.corners.as_mut_slice();
        let mut to = corners[0].at;
        for corner in corners.iter_mut().rev() {
            (corner.ex, corner.ey) = (to.x - corner.at.x, to.y - corner.at.y);
            let square = corner.ex * corner.ex + corner.ey * corner.ey;
            corner.limit = slack_squared * square;
            to = corner.at;
        }
    }

    /// Does the outline enclose an area?
    #[inline]
    pub(in crate::engine) fn is_face(&self) -> bool {
        matches!(self.feature, Feature::Face(_))
    }

    /// Is the outline a single edge?
    #[inline]
    pub(in crate::engine) fn is_edge(&self) -> bool {
        matches!(self.feature, Feature::Edge(_))
    }

    /// Is the outline the generator of a curved hull?
    #[inline]
    pub(in crate::engine) fn is_generator(&self) -> bool {
        self.feature == Feature::Edge(GENERATOR)
    }

    /// The steepness of a face against the plane across the normal (-).
    #[inline]
    pub(in crate::engine) fn steepness(&self) -> Real {
        self.slope[0].abs() + self.slope[1].abs()
    }

    /// The corner after corner `i`.
    #[inline]
    pub(in crate::engine) fn next(&self, i: usize) -> usize {
        // Not a remainder: a division costs more than the rest of the loop around it.
        if i + 1 == self.corners.len() { 0 } else { i + 1 }
    }

    /// The point of a face's plane above or below `p`.
    #[inline]
    pub(in crate::engine) fn above(&self, p: Vec3) -> Vec3 {
        let from = self.corners[0].at;
        let rise = self.slope[0] * (p.x - from.x) + self.slope[1] * (p.y - from.y);
        Vec3::new(p.x, p.y, from.z + rise)
    }

    /// Is `p`, seen along the normal, on a face enlarged by the slack?
    #[inline]
    pub(in crate::engine) fn covers(&self, p: Vec3) -> bool {
        let inside = |c: &Corner| {
            let left = c.left(p);
            (left >= 0.0) | (left * left <= c.limit)
        };
        if let Some((center, radius)) = self.disc {
            let from = self.above(p) - center;
            return from.dot(from) <= radius * radius;
        }
        let sides = self.corners[..self.n_edges].iter();
        self.is_face() && sides.fold(true, |all, c| all & inside(c))
    }

    /// The point of the outline nearest to `p`, seen along the normal.
    pub(in crate::engine) fn nearest(&self, p: Vec3) -> Vec3 {
        if self.is_face() && self.corners[..self.n_edges].iter().all(|c| c.left(p) >= 0.0) {
            return self.above(p);
        }
        let mut best = self.corners[0].at;
        let mut best_squared = Real::INFINITY;
        for i in 0..self.n_edges {
            let (from, to) = (self.corners[i].at, self.corners[self.next(i)].at);
            let along = to - from;
            let length_squared = along.x * along.x + along.y * along.y;
            let reach = (p.x - from.x) * along.x + (p.y - from.y) * along.y;
            let s =
                if length_squared > 0.0 { (reach / length_squared).clamp(0.0, 1.0) } else { 0.0 };
            let at = from + along * s;
            let (x, y) = (p.x - at.x, p.y - at.y);
            if x * x + y * y < best_squared {
                (best, best_squared) = (at, x * x + y * y);
            }
        }
        best
    }
}
