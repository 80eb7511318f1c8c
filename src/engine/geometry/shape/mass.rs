//! Mass, center of mass and inertia: of polyhedra, and of bodies made of several pieces.
//!
//! A polyhedron is cut into signed tetrahedra from a point near its middle to the triangles of its
//! faces. With the corners `a, b, c` of a triangle relative to that point and `d = a·(b × c)`, the
//! tetrahedron has the volume `d/6`, the first moment `d/24 (a+b+c)` and the second moments
//! `d/120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ)`, `s = a+b+c`: exact for a closed surface. O(vertices).

use crate::math::{DMat3, DVec3, Double, Mat3, Quat, Real, SymMat3, Vec3, narrow, quat_to_mat3};

/// Mass properties of a polyhedron of density one.
pub(super) struct PolyhedronMass {
    /// Volume (m³).
    pub(super) volume: Double,
    /// Centroid in the frame of the vertices (m).
    pub(super) centroid: DVec3,
    /// Inertia about the centroid per unit density (m⁵).
    pub(super) inertia: SymMat3,
}

/// Volume, first and second moments about the origin, of density one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    /// Volume (m³).
    pub(super) volume: Double,
    /// `∫ x` (m⁴).
    pub(super) first: DVec3,
    /// `∫ x xᵀ` (m⁵).
    pub(super) second: DMat3,
}

impl Moments {
    /// Those of nothing.
    pub(super) const ZERO: Self = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// Adds the signed tetrahedron from the origin to a triangle.
    pub(super) fn add_tetrahedron(&mut self, [a, b, c]: [DVec3; 3]) {
        let d = a.dot(b.cross(c));
        self.volume += d / 6.0;
        self.first += (a + b + c) * (d / 24.0);
        self.second += squares([a, b, c]) * (d / 120.0);
    }

    /// Inertia about a centroid: `tr(S) 1 - S` of the second moments there, by Steiner.
    pub(super) fn inertia_about(&self, centroid: DVec3) -> SymMat3 {
        let s = self.second - outer(centroid, centroid) * self.volume;
        SymMat3 {
            xx: narrow(s.y_axis.y + s.z_axis.z),
            yy: narrow(s.x_axis.x + s.z_axis.z),
            zz: narrow(s.x_axis.x + s.y_axis.y),
            xy: narrow(-s.x_axis.y),
            xz: narrow(-s.x_axis.z),
            yz: narrow(-s.y_axis.z),
        }
    }
}

/// `a bᵀ`.
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `s sᵀ + a aᵀ + b bᵀ + c cᵀ`, `s = a + b + c`.
pub(super) fn squares([a, b, c]: [DVec3; 3]) -> DMat3 {
    let s = a + b + c;
    outer(s, s) + outer(a, a) + outer(b, b) + outer(c, c)
}

/// Integrates over the polyhedron whose faces are counterclockwise loops of vertex indices.
pub(super) fn polyhedron_mass(vertices: &[DVec3], loops: &[Vec<u32>]) -> PolyhedronMass {
    let middle = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as Double;
    let at = |v: u32| vertices[v as usize] - middle;
    let mut sum = Moments::ZERO;
    for face in loops {
        let a = at(face[0]);
        face[1..].windows(2).for_each(|pair| sum.add_tetrahedron([a, at(pair[0]), at(pair[1])]));
    }
    let volume = sum.volume;
    let offset = if volume > 0.0 { sum.first / volume } else { DVec3::ZERO };
    PolyhedronMass { volume, centroid: middle + offset, inertia: sum.inertia_about(offset) }
}

/// Mass, center of mass and inertia of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassProperties {
    /// Mass (kg).
    pub mass: Real,
    /// Center of mass in the frame of the body (m).
    pub center_of_mass: Vec3,
    /// Inertia about the center of mass, in the axes of the frame of the body [kg·m²].
    pub inertia: SymMat3,
}

impl MassProperties {
    /// This body seen from a frame in which its own frame has this pose (m).
    #[must_use]
    pub fn transformed(self, position: Vec3, rotation: Quat) -> Self {
        let r: Mat3 = quat_to_mat3(rotation);
        Self {
            mass: self.mass,
            center_of_mass: position + r * self.center_of_mass,
            inertia: self.inertia.rotated(r),
        }
    }

    /// Inertia about `point` (m) by the parallel axis theorem [kg·m²].
    #[must_use]
    pub fn inertia_about(self, point: Vec3) -> SymMat3 {
        self.inertia.plus(SymMat3::point_mass(self.mass, self.center_of_mass - point))
    }

    /// Both bodies as one.
    #[must_use]
    pub fn combined(self, other: Self) -> Self {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return Self { center_of_mass: self.center_of_mass, ..Self::default() };
        }
        // Relative to this body, so that a massless `other` leaves the center unchanged.
        let offset = other.center_of_mass - self.center_of_mass;
        let center_of_mass = self.center_of_mass + offset * (other.mass / mass);
        let inertia = self.inertia_about(center_of_mass).plus(other.inertia_about(center_of_mass));
        Self { mass, center_of_mass, inertia }
    }
}
