//! Mass, center of mass and inertia: of polyhedra, and of bodies made of several pieces.
//!
//! A polyhedron is cut into signed tetrahedra from a point near its middle to the triangles of its
//! faces. With the corners `a, b, c` of a triangle relative to that point and `d = a·(b × c)`, the
//! tetrahedron has the volume `d/6`, the first moment `d/24 (a+b+c)` and the second moments
//! `d/120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ)`, `s = a+b+c`: exact for a closed surface. O(vertices).

use crate::math::{DMat3, DVec3, Double, Mat3, Quat, Real, SymMat3, Vec3, narrow, quat_to_mat3};

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
    /// Those of a polyhedron: signed tetrahedra from the origin to the triangles of its faces.
    pub(super) fn of_polyhedron<'l>(
        loops: impl Iterator<Item = &'l [u32]>,
        at: impl Fn(u32) -> DVec3,
    ) -> Self {
        let mut sum = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };
        for face in loops {
            for pair in face[1..].windows(2) {
                let [a, b, c] = [face[0], pair[0], pair[1]].map(&at);
                let d = a.dot(b.cross(c));
                sum.volume += d / 6.0;
                sum.first += (a + b + c) * (d / 24.0);
                sum.second += squares([a, b, c]) * (d / 120.0);
            }
        }
        sum
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

/// Volume (m³), centroid (m) and inertia about it per unit density (m⁵) of the polyhedron whose faces are
/// counterclockwise loops of vertex indices; none without volume.
pub(super) fn polyhedron_mass(
    vertices: &[DVec3],
    loops: &[Vec<u32>],
) -> Option<(Double, DVec3, SymMat3)> {
    let middle = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as Double;
    let at = |v: u32| vertices[v as usize] - middle;
    let sum = Moments::of_polyhedron(loops.iter().map(Vec::as_slice), at);
    let offset = sum.first / sum.volume;
    (sum.volume > 0.0).then(|| (sum.volume, middle + offset, sum.inertia_about(offset)))
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
