//! Rounded polytopes: all points within a radius ρ of a polytope.
//!
//! Input: points and ρ. Output: a hull about the centroid of the rounded body. Mass properties are
//! exact (Steiner): the rounded body is the polytope, and
//!
//! - over each face a prism of the height ρ,
//! - at each edge of the length L a wedge of a cylinder, `x + t u` with `u` from one face's normal to
//!   the other's, an angle θ apart: about the middle `m` and `k ⟂ m` of the plane of the normals,
//!   `∫ u = 2 sin(θ/2) m` and `∫ u uᵀ = ½ (θ + sin θ) m mᵀ + ½ (θ - sin θ) k kᵀ`,
//! - at each vertex the sector of a ball whose directions Ω are its normals: `|Ω|` is 2π less the
//!   angles of its faces there, `∫ u dΩ = ½ Σ θ_e ê` over its edges, with `ê` from the other end to
//!   the vertex, and over all vertices `Σ ∫ u uᵀ dΩ = 4π/3`.
//!
//! O(vertices).

use super::build::{convex_hull, placed};
use super::error::{ShapeError, checked_length};
use super::hull::{Edge, Hull};
use super::mass::{Moments, outer, squares};
use super::merge::vector_area;
use crate::math::{
    DMat3, DVec3, Double, PI_DOUBLE, Real, Vec3, atan2_double, narrow, narrow3, widen, widen3,
};

/// `a bᵀ + b aᵀ`.
fn both(a: DVec3, b: DVec3) -> DMat3 {
    outer(a, b) + outer(b, a)
}

/// The angle between two unit vectors, and its sine.
fn angle(a: DVec3, b: DVec3) -> (Double, Double) {
    let sin = a.cross(b).length();
    (atan2_double(sin, a.dot(b)), sin)
}

/// A polytope in double precision: planes from its corners, not from their rounded copies.
struct Polytope<'h> {
    hull: &'h Hull,
    normals: Vec<DVec3>,
}

impl<'h> Polytope<'h> {
    fn new(hull: &'h Hull) -> Self {
        let normal = |face: u32| {
            let corners = hull.face_loop(face);
            let at = |k: usize| widen3(hull.vertices[corners[k] as usize]);
            let area = vector_area(corners.len(), at);
            area.try_normalize().unwrap_or(widen3(hull.faces[face as usize].normal))
        };
        let normals = (0..hull.faces.len() as u32).map(normal).collect();
        Self { hull, normals }
    }

    fn at(&self, vertex: u32) -> DVec3 {
        widen3(self.hull.vertices[vertex as usize])
    }

    /// Adds the prisms of height `r` over the faces.
    fn add_prisms(&self, r: Double, sum: &mut Moments) {
        for (face, &n) in (0_u32..).zip(&self.normals) {
            let corners = self.hull.face_loop(face);
            let a = self.at(corners[0]);
            let (mut area, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
            for pair in corners[1..].windows(2) {
                let (b, c) = (self.at(pair[0]), self.at(pair[1]));
                let part = 0.5 * n.dot((b - a).cross(c - a));
                area += part;
                first += (a + b + c) * (part / 3.0);
                second += squares([a, b, c]) * (part / 12.0);
            }
            sum.volume += area * r;
            sum.first += first * r + n * (area * r * r / 2.0);
            sum.second += second * r
                + both(first, n) * (r * r / 2.0)
                + outer(n, n) * (area * r * r * r / 3.0);
        }
    }

    /// Adds the wedges at the edges, and to each vertex its `∫ u dΩ`.
    fn add_wedges(&self, r: Double, sum: &mut Moments, spread: &mut [DVec3]) {
        for Edge { vertices: [v, w], faces } in &self.hull.edges {
            let [n1, n2] = faces.map(|face| self.normals[face as usize]);
            let (p, q) = (self.at(*v), self.at(*w));
            let (length, middle) = ((q - p).length(), (p + q) * 0.5);
            let (theta, sin) = angle(n1, n2);
            let m = (n1 + n2).normalize_or_zero();
            let k = (n2 - n1).normalize_or_zero();
            let mean = m * (n2 - n1).length();
            let squares = outer(m, m) * (0.5 * (theta + sin)) + outer(k, k) * (0.5 * (theta - sin));
            let first = middle * length;
            let second = (outer(p, p) + outer(q, q) + both(p, q) * 0.5) * (length / 3.0);
            let (r2, r3, r4) = (r * r / 2.0, r * r * r / 3.0, r * r * r * r / 4.0);
            sum.volume += length * theta * r2;
            sum.first += first * (theta * r2) + mean * (length * r3);
            sum.second += second * (theta * r2) + both(first, mean) * r3 + squares * (length * r4);
            let along = (p - q) / length;
            spread[*v as usize] += along * (0.5 * theta);
            spread[*w as usize] -= along * (0.5 * theta);
        }
    }

    /// Adds the sectors of balls at the vertices.
    fn add_sectors(&self, r: Double, sum: &mut Moments, spread: &[DVec3]) {
        let mut solid = vec![2.0 * PI_DOUBLE; spread.len()];
        for face in 0..self.hull.faces.len() as u32 {
            let corners = self.hull.face_loop(face);
            let n = corners.len();
            for k in 0..n {
                let at = self.at(corners[k]);
                let before = (self.at(corners[(k + n - 1) % n]) - at).normalize_or_zero();
                let after = (self.at(corners[(k + 1) % n]) - at).normalize_or_zero();
                solid[corners[k] as usize] -= angle(before, after).0;
            }
        }
        let (r3, r4) = (r * r * r / 3.0, r * r * r * r / 4.0);
        for (vertex, (&solid, &spread)) in (0_u32..).zip(solid.iter().zip(spread)) {
            let x = self.at(vertex);
            sum.volume += solid * r3;
            sum.first += x * (solid * r3) + spread * r4;
            sum.second += outer(x, x) * (solid * r3) + both(x, spread) * r4;
        }
        let ball = 4.0 / 3.0 * PI_DOUBLE * r * r * r * r * r / 5.0;
        sum.second += DMat3::from_diagonal(DVec3::splat(ball));
    }

    /// Moments of the polytope rounded by `r`.
    fn rounded(&self, r: Double) -> Moments {
        let faces = (0..self.hull.faces.len() as u32).map(|face| self.hull.face_loop(face));
        let mut sum = Moments::of_polyhedron(faces, |v| self.at(v));
        let mut spread = vec![DVec3::ZERO; self.hull.vertices.len()];
        self.add_prisms(r, &mut sum);
        self.add_wedges(r, &mut sum, &mut spread);
        self.add_sectors(r, &mut sum, &spread);
        sum
    }
}

/// The hull, which is a polytope, rounded by a radius (m).
pub(super) fn rounded(hull: Hull, radius: Real) -> Result<Hull, ShapeError> {
    let sum = Polytope::new(&hull).rounded(widen(radius));
    let shift = sum.first / sum.volume;
    // The centroid of the rounded body lies inside the polytope, as a mean of its points.
    let vertices = hull.vertices.iter().map(|&v| v - narrow3(shift)).collect();
    let mut hull = placed(hull, vertices).ok_or(ShapeError::Degenerate)?;
    hull.inertia = sum.inertia_about(shift);
    hull.volume = narrow(sum.volume);
    hull.centroid += narrow3(shift);
    hull.radius = radius;
    hull.inradius += radius;
    hull.bounding_radius += radius;
    let is_inside = hull.faces.iter().all(|face| face.offset > 0.0);
    is_inside.then_some(hull).ok_or(ShapeError::Degenerate)
}

impl Hull {
    /// All points within `border_radius` (m) of the convex hull of points (m), see
    /// [`convex_hull`](Self::convex_hull).
    ///
    /// # Errors
    /// As [`convex_hull`](Self::convex_hull), and a bad radius.
    pub fn round_convex_hull(points: &[Vec3], border_radius: Real) -> Result<Self, ShapeError> {
        let radius = checked_length("the border radius of the hull", border_radius)?;
        rounded(convex_hull(points)?, radius)
    }

    /// All points within `border_radius` (m) of a box with these full lengths of its edges (m): the
    /// whole is longer by twice the radius.
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn round_cuboid(size: Vec3, border_radius: Real) -> Result<Self, ShapeError> {
        let radius = checked_length("the border radius of the cuboid", border_radius)?;
        rounded(Self::cuboid(size)?, radius)
    }
}
