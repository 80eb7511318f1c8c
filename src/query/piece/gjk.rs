//! The point of a Minkowski difference nearest to a given one (Gilbert, Johnson and Keerthi 1988).
//!
//! A simplex of at most four support points holds the nearest point found so far; the next support
//! point along the direction from it to the target either proves it nearest or replaces a vertex. The
//! nearest point of a simplex is found by its Voronoi regions, in double precision. For polytopes the
//! distance falls in each round, so the rounds end at the exact answer; rounding is caught by a repeated
//! vertex or a distance that no longer falls. Cost: a few support queries.

use super::support::{Difference, Point};
use crate::math::{DVec3, Double};

/// Most support points of one search.
const ROUNDS_MAX: u32 = 128;

/// Up to four support points around the nearest point.
#[derive(Clone, Debug, Default)]
pub(super) struct Simplex {
    pub(super) points: [Point; 4],
    weights: [Double; 4],
    pub(super) len: usize,
}

/// Where a target lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum PointPair {
    /// Outside: the vector from the nearest point of the difference to the target (m).
    Outside(DVec3),
    /// In the difference, or nearer than its slack.
    Inside,
}

impl Simplex {
    /// Is it one of the points?
    #[inline]
    pub(super) fn has(&self, point: &Point) -> bool {
        self.points[..self.len].iter().any(|q| q.is(point))
    }

    #[inline]
    pub(super) fn push(&mut self, point: Point) {
        if self.len < 4 {
            self.points[self.len] = point;
            self.len += 1;
        }
    }

    /// Keeps the vertices that hold the point nearest to `target`; the vector from that to the target.
    /// None if the target is inside.
    pub(super) fn reduce(&mut self, target: DVec3) -> Option<DVec3> {
        let y = self.points.map(|q| q.p - target);
        let near = match self.len {
            1 => NearestPoints { weights: [1.0, 0.0, 0.0, 0.0], vector: y[0] },
            2 => on_segment(y, [0, 1]),
            3 => on_triangle(y, [0, 1, 2]),
            _ => on_tetrahedron(y)?,
        };
        let mut kept = 0;
        for k in 0..self.len {
            if near.weights[k] > 0.0 {
                self.points[kept] = self.points[k];
                self.weights[kept] = near.weights[k];
                kept += 1;
            }
        }
        self.len = kept;
        Some(-near.vector)
    }

    /// The nearest point of A (m).
    pub(super) fn point_a(&self) -> DVec3 {
        self.mix(|q| q.a)
    }

    /// The nearest point of B, from its centroid in the axes of A (m).
    pub(super) fn point_b(&self) -> DVec3 {
        self.mix(|q| q.a - q.p)
    }

    fn mix(&self, of: impl Fn(&Point) -> DVec3) -> DVec3 {
        (0..self.len).fold(DVec3::ZERO, |sum, k| sum + of(&self.points[k]) * self.weights[k])
    }

    /// Searches the point nearest to `target`, from the simplex as it is. Stops early where it is
    /// proven to be farther than `limit` (m).
    pub(super) fn nearest(
        &mut self,
        m: &mut Difference,
        target: DVec3,
        limit: Double,
    ) -> PointPair {
        if self.len == 0 {
            let start = if target == DVec3::ZERO { DVec3::X } else { target };
            self.push(m.support(start));
        }
        let mut best: Option<(Self, DVec3)> = None;
        for _ in 0..ROUNDS_MAX {
            let Some(v) = self.reduce(target) else { return PointPair::Inside };
            let square = v.dot(v);
            if square <= m.slack * m.slack {
                return PointPair::Inside;
            }
            if let Some((simplex, best)) = &best
                && square >= best.dot(*best)
            {
                // Rounding: the last one was the nearest.
                let v = *best;
                *self = simplex.clone();
                return PointPair::Outside(v);
            }
            let w = m.support(v);
            let length = square.sqrt();
            let bound = v.dot(target - w.p) / length;
            if length - bound <= m.slack || bound > limit || self.has(&w) {
                return PointPair::Outside(v);
            }
            best = Some((self.clone(), v));
            self.push(w);
        }
        best.map_or(PointPair::Inside, |(_, v)| PointPair::Outside(v))
    }
}

/// The nearest point to the origin of a simplex.
#[derive(Clone, Copy)]
struct NearestPoints {
    weights: [Double; 4],
    vector: DVec3,
}

impl NearestPoints {
    fn vertex(y: [DVec3; 4], k: usize) -> Self {
        let mut weights = [0.0; 4];
        weights[k] = 1.0;
        Self { weights, vector: y[k] }
    }

    fn square(&self) -> Double {
        self.vector.dot(self.vector)
    }
}

fn on_segment(y: [DVec3; 4], [i, j]: [usize; 2]) -> NearestPoints {
    let edge = y[j] - y[i];
    let (along, square) = (-y[i].dot(edge), edge.dot(edge));
    if along <= 0.0 {
        return NearestPoints::vertex(y, i);
    }
    if along >= square {
        return NearestPoints::vertex(y, j);
    }
    let s = along / square;
    let mut weights = [0.0; 4];
    (weights[i], weights[j]) = (1.0 - s, s);
    NearestPoints { weights, vector: y[i] + edge * s }
}

/// The interior of the triangle if the origin projects into it, else the nearest of its edges.
fn on_triangle(y: [DVec3; 4], [i, j, k]: [usize; 3]) -> NearestPoints {
    let n = (y[j] - y[i]).cross(y[k] - y[i]);
    // Twice the signed areas of the triangles that the projected origin makes with the edges.
    let area = |p: usize, q: usize| n.dot(y[p].cross(y[q]));
    let (u, v, w) = (area(j, k), area(k, i), area(i, j));
    let square = n.dot(n);
    if square > 0.0 && u > 0.0 && v > 0.0 && w > 0.0 {
        let sum = u + v + w;
        let mut weights = [0.0; 4];
        (weights[i], weights[j], weights[k]) = (u / sum, v / sum, w / sum);
        return NearestPoints { weights, vector: n * (n.dot(y[i]) / square) };
    }
    let mut best = on_segment(y, [i, j]);
    for edge in [[j, k], [k, i]] {
        let other = on_segment(y, edge);
        if other.square() < best.square() {
            best = other;
        }
    }
    best
}

/// None if the origin is inside.
fn on_tetrahedron(y: [DVec3; 4]) -> Option<NearestPoints> {
    let mut best: Option<NearestPoints> = None;
    for ([i, j, k], other) in [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
        let n = (y[j] - y[i]).cross(y[k] - y[i]);
        let (origin, inner) = (-n.dot(y[i]), n.dot(y[other] - y[i]));
        // A flat tetrahedron has no inside.
        if origin * inner <= 0.0 {
            let near = on_triangle(y, [i, j, k]);
            if best.is_none_or(|b| near.square() < b.square()) {
                best = Some(near);
            }
        }
    }
    best
}
