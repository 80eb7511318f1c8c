//! The Minkowski difference of two pieces through support points: the one place where a query learns
//! what a convex hull is.
//!
//! With A in its own frame and B turned by `R`, the difference of the cores (without their roundings)
//! is `M = A ⊕ (-R B)`: B displaced by `x` meets A iff `x ∈ M`. The origin is inside of `M`, since the
//! centroids are inside of the pieces. Support points are found in [`Real`] and combined in double
//! precision, so that everything after them is exact to the rounding of the vertices.

use crate::engine::geometry::shape::hull::Hull;
use crate::math::{DMat3, DVec3, Double, EPSILON, narrow3, widen, widen3};

/// Directions beyond this, or its inverse, are scaled before they are rounded.
const LARGE: Double = 1e9;

/// A point of the difference.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// The point of A (m).
    pub(super) a: DVec3,
    /// The point of the difference (m).
    pub(super) p: DVec3,
    /// Vertices of A and of B.
    pub(super) ids: [u32; 2],
}

impl Point {
    /// Is it the same? Points of curved bodies have no number.
    #[inline]
    pub(super) fn is(&self, other: &Self) -> bool {
        self.ids == other.ids && self.p == other.p
    }
}

/// The farthest point of the core of a hull along `n`, whose length is about one, and its number.
#[inline]
fn support(hull: &Hull, n: DVec3, hint: u32) -> (u32, DVec3) {
    if let Some(curve) = &hull.curve {
        return (0, curve.support(n));
    }
    let vertex = hull.support(narrow3(n), hint);
    (vertex, widen3(hull.vertices[vertex as usize]))
}

/// `A ⊕ (-R B)`, of the cores; B is a point if it is none.
#[derive(Clone, Debug)]
pub(super) struct Difference<'a> {
    a: &'a Hull,
    b: Option<&'a Hull>,
    rotation: DMat3,
    hints: [u32; 2],
    /// Sum of the rounding radii (m).
    pub(super) radius: Double,
    /// Radius of a ball about the origin around the difference (m).
    pub(super) size: Double,
    /// Distances below this count as zero (m).
    pub(super) slack: Double,
}

impl<'a> Difference<'a> {
    /// Of two hulls; `rotation` is from the frame of b to that of a.
    pub(super) fn new(a: &'a Hull, b: &'a Hull, rotation: DMat3) -> Self {
        let radius = widen(a.radius) + widen(b.radius);
        let size = widen(a.bounding_radius) + widen(b.bounding_radius) - radius;
        Self::from_parts(a, Some(b), rotation, radius, size)
    }

    /// Of a hull and a point.
    pub(super) fn of_point(a: &'a Hull) -> Self {
        let radius = widen(a.radius);
        let size = widen(a.bounding_radius) - radius;
        Self::from_parts(a, None, DMat3::IDENTITY, radius, size)
    }

    fn from_parts(
        a: &'a Hull,
        b: Option<&'a Hull>,
        rotation: DMat3,
        radius: Double,
        size: Double,
    ) -> Self {
        Self {
            a,
            b,
            rotation,
            hints: [0; 2],
            radius,
            size,
            // Below the rounding of the vertices, above that of the arithmetic.
            slack: (1e-3 * widen(EPSILON) + 1e-12) * (size + radius),
        }
    }

    /// The farthest point along `n`, of any length.
    #[inline]
    pub(super) fn support(&mut self, n: DVec3) -> Point {
        let largest = n.abs().max_element();
        let n = if largest < LARGE && largest * LARGE > 1.0 { n } else { n / largest };
        let (id_a, a) = support(self.a, n, self.hints[0]);
        self.hints[0] = id_a;
        let Some(hull_b) = self.b else { return Point { a, p: a, ids: [id_a, 0] } };
        let (id_b, b) = support(hull_b, -(self.rotation.transpose() * n), self.hints[1]);
        self.hints[1] = id_b;
        Point { a, p: a - self.rotation * b, ids: [id_a, id_b] }
    }
}

impl Difference<'_> {
    /// From the frame of b to that of a.
    pub(super) fn rotation(&self) -> DMat3 {
        self.rotation
    }
}
