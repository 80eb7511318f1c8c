//! Outlines: the feature of a hull that faces the other body, seen along the contact normal.
//!
//! Input: a hull, its pose, and the normal. Output: the corners of a face, an edge or a vertex in
//! coordinates `(x, y, z)` with `z` along the normal, counterclockwise in `x, y`. The feature is
//! found from the support vertex: among its edges the flattest one, of whose two faces the better
//! aligned one is taken, so a supporting edge and a supporting face are always part of the outline.
//! Cost: one support query and O(corners).

use smallvec::SmallVec;

use super::super::ratio::Relative;
use super::super::shape::hull::{Hull, NO_FACE};
use super::manifold::Feature;
use crate::math::{Mat3, Real, Vec3, tangents};

/// Corners kept in coordinates; those beyond are projected again when they are needed.
const CACHED: usize = 16;
/// A face is part of the outline if its normal has at least this component along the contact
/// normal.
const FACING_MIN: Real = 0.05;
/// Sine of the angle within which a feature counts as square to the normal.
const SQUARE: Real = 1e-3;

/// Contact axes in the axes of body `a`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes {
    t1: Vec3,
    t2: Vec3,
    pub(super) normal: Vec3,
}

impl Axes {
    pub(super) fn new(normal: Vec3) -> Self {
        let (t1, t2) = tangents(normal);
        Self { t1, t2, normal }
    }

    fn project(&self, p: Vec3) -> Vec3 {
        Vec3::new(self.t1.dot(p), self.t2.dot(p), self.normal.dot(p))
    }

    pub(super) fn lift(&self, p: Vec3) -> Vec3 {
        self.t1 * p.x + self.t2 * p.y + self.normal * p.z
    }
}

/// A hull in its place among the contact axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'h> {
    pub(super) hull: &'h Hull,
    /// From the hull's axes to contact axes.
    turn: Mat3,
    /// Centroid of the hull in contact axes.
    origin: Vec3,
    /// Outward direction in the hull's own axes.
    outward: Vec3,
    /// Is the outward direction `-z`? Then loops run clockwise in `x, y`.
    downward: bool,
}

impl<'h> Placed<'h> {
    /// Body `a`, whose outward direction is the normal.
    pub(super) fn body_a(hull: &'h Hull, axes: &Axes) -> Self {
        let turn = Mat3::from_cols(axes.t1, axes.t2, axes.normal).transpose();
        Self { hull, turn, origin: Vec3::ZERO, outward: axes.normal, downward: false }
    }

    /// Body `b`, whose outward direction is against the normal.
    pub(super) fn body_b(hull: &'h Hull, relative: &Relative, axes: &Axes) -> Self {
        let turn = Mat3::from_cols(axes.t1, axes.t2, axes.normal).transpose() * relative.rotation;
        let outward = -(relative.rotation.transpose() * axes.normal);
        Self { hull, turn, origin: axes.project(relative.offset), outward, downward: true }
    }

    /// The same hull moved by `by`, in the axes of `axes`.
    pub(super) fn moved(self, axes: &Axes, by: Vec3) -> Self {
        Self { origin: self.origin + axes.project(by), ..self }
    }

    /// A vertex in contact axes.
    pub(super) fn vertex(&self, v: u32) -> Vec3 {
        self.turn * self.hull.vertices[v as usize] + self.origin
    }

    /// The outermost vertex.
    pub(super) fn support(&self) -> u32 {
        self.hull.support(self.outward, 0)
    }

    /// Among the edges of a vertex the one that falls off least, if it has any.
    fn flattest_edge(&self, v: u32) -> Option<u32> {
        let at = self.hull.vertices[v as usize];
        let mut best: Option<(u32, Real, Real)> = None;
        for &w in self.hull.neighbors(v) {
            let along = self.hull.vertices[w as usize] - at;
            let drop = (-self.outward.dot(along)).max(0.0);
            let (drop, length) = (drop * drop, along.dot(along));
            // Slopes are compared as squares, without roots or divisions.
            if best.is_none_or(|(_, d, l)| drop * l < d * length) {
                best = Some((w, drop, length));
            }
        }
        edge_between(self.hull, v, best?.0)
    }

    /// The feature that faces the other body: a face where there is one, else an edge or a vertex.
    pub(super) fn facing(&self) -> Outline<'h> {
        let v = self.support();
        let Some(edge) = self.flattest_edge(v) else {
            return Outline::new(*self, Loop::Vertex([v]));
        };
        match self.better_face(edge) {
            Some((face, facing)) if facing >= FACING_MIN => Outline::new(*self, self.face(face)),
            _ => Outline::new(*self, self.edge(edge)),
        }
    }

    /// The largest feature square to the normal at the support vertex.
    pub(super) fn square(&self) -> Outline<'h> {
        let v = self.support();
        let Some(edge) = self.flattest_edge(v) else {
            return Outline::new(*self, Loop::Vertex([v]));
        };
        let [p, q] = self.hull.edges[edge as usize].vertices.map(|i| self.vertex(i));
        let flat = (q.z - p.z).abs() <= SQUARE * (q - p).length();
        match self.better_face(edge) {
            Some((face, facing)) if flat && 1.0 - facing <= 0.5 * SQUARE * SQUARE => {
                Outline::new(*self, self.face(face))
            }
            _ if flat => Outline::new(*self, self.edge(edge)),
            _ => Outline::new(*self, Loop::Vertex([v])),
        }
    }

    /// Of the two faces of an edge the better aligned one, and its alignment.
    fn better_face(&self, edge: u32) -> Option<(u32, Real)> {
        let [f, g] = self.hull.edges[edge as usize].faces;
        if f == NO_FACE || g == NO_FACE {
            return None;
        }
        let [on_f, on_g] =
            [f, g].map(|face| self.outward.dot(self.hull.faces[face as usize].normal));
        Some(if on_g > on_f { (g, on_g) } else { (f, on_f) })
    }

    fn face(&self, face: u32) -> Loop<'h> {
        Loop::Face(face, self.hull.face_loop(face))
    }

    fn edge(&self, edge: u32) -> Loop<'h> {
        Loop::Edge(edge, self.hull.edges[edge as usize].vertices)
    }
}

/// The edge that joins two vertices.
pub(super) fn edge_between(hull: &Hull, v: u32, w: u32) -> Option<u32> {
    let ends = [v.min(w), v.max(w)];
    hull.edges.binary_search_by_key(&ends, |e| e.vertices).ok().map(|i| i as u32)
}

/// The vertices of an outline.
#[derive(Clone, Copy, Debug)]
enum Loop<'h> {
    Vertex([u32; 1]),
    Edge(u32, [u32; 2]),
    Face(u32, &'h [u32]),
}

/// A corner of an outline and the direction to the next one, seen along the normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Position in contact axes [m].
    pub(super) at: Vec3,
    /// Direction to the next corner in `x, y`, of length one, or zero where the two coincide.
    ex: Real,
    ey: Real,
}

impl Corner {
    /// Distance of a point to the left of the line from this corner to the next [m].
    #[inline]
    pub(super) fn left(&self, p: Vec3) -> Real {
        self.ex * (p.y - self.at.y) - self.ey * (p.x - self.at.x)
    }
}

/// A face, an edge or a vertex seen along the normal.
#[derive(Clone, Debug)]
pub(super) struct Outline<'h> {
    placed: Placed<'h>,
    vertices: Loop<'h>,
    corners: SmallVec<[Corner; CACHED]>,
    n_corners: usize,
    n_edges: usize,
    /// `dz/dx` and `dz/dy` of the plane of a face.
    slope: [Real; 2],
}

impl<'h> Outline<'h> {
    fn new(placed: Placed<'h>, vertices: Loop<'h>) -> Self {
        let mut slope = [0.0; 2];
        if let Loop::Face(face, _) = vertices {
            let normal = placed.turn * placed.hull.faces[face as usize].normal;
            slope = [-normal.x / normal.z, -normal.y / normal.z];
        }
        let (n_corners, n_edges) = match vertices {
            Loop::Vertex(_) => (1, 0),
            Loop::Edge(..) => (2, 1),
            Loop::Face(_, ids) => (ids.len(), ids.len()),
        };
        let corners = SmallVec::new();
        let mut outline = Self { placed, vertices, corners, n_corners, n_edges, slope };
        let count = n_corners.min(CACHED);
        let mut at = placed.vertex(outline.vertex(0));
        for i in 0..count {
            let next = placed.vertex(outline.vertex(outline.next(i)));
            outline.corners.push(corner(at, next));
            at = next;
        }
        outline
    }

    /// Number of corners.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.n_corners
    }

    /// Number of edges.
    #[inline]
    pub(super) fn n_edges(&self) -> usize {
        self.n_edges
    }

    /// Does the outline enclose an area?
    pub(super) fn is_face(&self) -> bool {
        matches!(self.vertices, Loop::Face(..))
    }

    /// Is the outline a single edge?
    pub(super) fn is_edge(&self) -> bool {
        matches!(self.vertices, Loop::Edge(..))
    }

    /// The corner after corner `i`.
    #[inline]
    pub(super) fn next(&self, i: usize) -> usize {
        // Not a remainder: a division costs more than the rest of the loop around it.
        if i + 1 == self.len() { 0 } else { i + 1 }
    }

    /// Index in the hull of corner `i`.
    pub(super) fn vertex(&self, i: usize) -> u32 {
        match &self.vertices {
            Loop::Vertex([v]) => *v,
            Loop::Edge(_, ids) => ids[i],
            Loop::Face(_, ids) if self.placed.downward => ids[ids.len() - 1 - i],
            Loop::Face(_, ids) => ids[i],
        }
    }

    /// Corner `i`.
    #[inline]
    pub(super) fn corner(&self, i: usize) -> Corner {
        match self.corners.get(i) {
            Some(corner) => *corner,
            None => self.far_corner(i),
        }
    }

    /// A corner beyond those that are kept.
    #[cold]
    fn far_corner(&self, i: usize) -> Corner {
        let next = self.vertex(self.next(i));
        corner(self.placed.vertex(self.vertex(i)), self.placed.vertex(next))
    }

    /// The edge from corner `i` to the next.
    pub(super) fn edge(&self, i: usize) -> Feature {
        if let Loop::Edge(edge, _) = self.vertices {
            return Feature::Edge(edge);
        }
        let (v, w) = (self.vertex(i), self.vertex(self.next(i)));
        edge_between(self.placed.hull, v, w).map_or(Feature::Vertex(v), Feature::Edge)
    }

    /// The whole outline as a feature.
    pub(super) fn feature(&self) -> Feature {
        match self.vertices {
            Loop::Vertex([v]) => Feature::Vertex(v),
            Loop::Edge(edge, _) => Feature::Edge(edge),
            Loop::Face(face, _) => Feature::Face(face),
        }
    }

    /// The point of a face's plane above or below `p`.
    pub(super) fn above(&self, p: Vec3) -> Vec3 {
        let from = self.corners[0].at;
        let rise = self.slope[0] * (p.x - from.x) + self.slope[1] * (p.y - from.y);
        Vec3::new(p.x, p.y, from.z + rise)
    }

    /// Is `p`, seen along the normal, on a face enlarged by `slack` [m]?
    pub(super) fn covers(&self, p: Vec3, slack: Real) -> bool {
        self.is_face()
            && self.corners.iter().all(|c| c.left(p) >= -slack)
            && (self.corners.len()..self.len()).all(|i| self.corner(i).left(p) >= -slack)
    }

    /// The point of the outline nearest to `p`, seen along the normal.
    pub(super) fn nearest(&self, p: Vec3) -> Vec3 {
        if self.covers(p, 0.0) {
            return self.above(p);
        }
        let mut best = self.corner(0).at;
        let mut best_squared = Real::INFINITY;
        for i in 0..self.n_edges() {
            let (from, to) = (self.corner(i).at, self.corner(self.next(i)).at);
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

fn corner(at: Vec3, next: Vec3) -> Corner {
    let (x, y) = (next.x - at.x, next.y - at.y);
    let length = (x * x + y * y).sqrt();
    let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
    Corner { at, ex: x * scale, ey: y * scale }
}
