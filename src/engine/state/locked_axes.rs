//! Directions in which a body may not move: six bits, and what they keep of a velocity.

use crate::math::Vec3;

/// Directions in which a body may not move, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct LockedAxes(u8);

impl LockedAxes {
    /// No direction is locked.
    pub const NONE: Self = Self(0);
    /// Rotation is locked about all axes.
    pub const ROTATION: Self = Self(0b111_000);
    /// Translation is locked along all axes.
    pub const TRANSLATION: Self = Self(0b000_111);
    /// Planar motion in the xy plane: no translation along z, rotation about z only.
    pub const PLANAR_XY: Self = Self(0b011_100);

    /// With translation along `axis` (0, 1, 2 for x, y, z) locked as well.
    #[must_use]
    pub const fn lock_translation(self, axis: usize) -> Self {
        Self(self.0 | 1 << (axis % 3))
    }

    /// With rotation about `axis` (0, 1, 2 for x, y, z) locked as well.
    #[must_use]
    pub const fn lock_rotation(self, axis: usize) -> Self {
        Self(self.0 | 8 << (axis % 3))
    }

    /// Is translation along this axis locked?
    pub const fn translation(self, axis: usize) -> bool {
        self.0 & (1 << axis) != 0
    }

    /// Is rotation about this axis locked?
    pub const fn rotation(self, axis: usize) -> bool {
        self.0 & (8 << axis) != 0
    }

    /// Is rotation about any axis locked?
    pub const fn locks_rotation(self) -> bool {
        self.0 & 0b111_000 != 0
    }

    /// The six bits: translation x, y, z, then rotation x, y, z.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From six bits in the order of [`bits`](Self::bits); higher bits are ignored.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 0b111_111)
    }

    /// Bit k: motion is confined to a plane orthogonal to axis k (translation along k and rotation
    /// about the other two axes are locked).
    pub const fn planes(self) -> u8 {
        let (translation, rotation) = (self.0 & 0b111, self.0 >> 3);
        translation & (rotation >> 1 | rotation << 2) & (rotation >> 2 | rotation << 1)
    }

    /// `v` without its locked components of translation.
    pub fn filter_translation(self, v: Vec3) -> Vec3 {
        let keep = |axis, x| if self.translation(axis) { 0.0 } else { x };
        Vec3::new(keep(0, v.x), keep(1, v.y), keep(2, v.z))
    }

    /// `w` without its locked components of rotation.
    pub fn filter_rotation(self, w: Vec3) -> Vec3 {
        let keep = |axis, x| if self.rotation(axis) { 0.0 } else { x };
        Vec3::new(keep(0, w.x), keep(1, w.y), keep(2, w.z))
    }
}
