//! Boxes along the axes.

use super::{Mat3, Real, Vec3};

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner (m).
    pub min: Vec3,
    /// Upper corner (m).
    pub max: Vec3,
}

impl Aabb {
    /// No point: its union with a box is that box, and it meets none but [`INFINITE`](Self::INFINITE).
    pub const EMPTY: Self =
        Self { min: Vec3::splat(Real::INFINITY), max: Vec3::splat(Real::NEG_INFINITY) };

    /// All of space.
    pub const INFINITE: Self =
        Self { min: Vec3::splat(Real::NEG_INFINITY), max: Vec3::splat(Real::INFINITY) };

    /// Do both share a point? No if a corner is not a number.
    #[inline]
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        // One branch: which of the six it is that tells cannot be foreseen.
        self.min.cmple(other.max).all() & other.min.cmple(self.max).all()
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Half the surface (m²).
    pub(crate) fn half_area(self) -> Real {
        let s = self.max - self.min;
        s.x * s.y + s.y * s.z + s.z * s.x
    }

    /// Box around this one, which is finite, when its frame has this pose (m).
    #[must_use]
    pub fn turned(self, position: Vec3, rotation: Mat3) -> Self {
        let (center, half) = ((self.min + self.max) * 0.5, (self.max - self.min) * 0.5);
        let reach = rotation.x_axis.abs() * half.x
            + rotation.y_axis.abs() * half.y
            + rotation.z_axis.abs() * half.z;
        let at = position + rotation * center;
        Self { min: at - reach, max: at + reach }
    }
}
