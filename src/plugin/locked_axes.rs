//! Directions in which a body may not move.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::link::queue_body;
use crate::engine::body;

/// Directions in which a body may not move, in world axes. No force or impact moves it there.
///
/// ```
/// use orthant::plugin::LockedAxes;
/// let in_the_xy_plane = LockedAxes::new().lock_translation_z().lock_rotation_x().lock_rotation_y();
/// assert_eq!(in_the_xy_plane, LockedAxes::PLANAR_XY);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct LockedAxes(u8);

impl LockedAxes {
    /// Translation is locked along all axes.
    pub const TRANSLATION_LOCKED: Self = Self(body::LockedAxes::TRANSLATION.bits());
    /// Rotation is locked about all axes.
    pub const ROTATION_LOCKED: Self = Self(body::LockedAxes::ROTATION.bits());
    /// Everything is locked.
    pub const ALL_LOCKED: Self = Self(0b111_111);
    /// Planar motion: no translation along z, rotation about z only.
    pub const PLANAR_XY: Self = Self(body::LockedAxes::PLANAR_XY.bits());

    /// Nothing is locked.
    #[must_use]
    pub const fn new() -> Self {
        Self(0)
    }

    /// From six bits: translation x, y, z, then rotation x, y, z. Higher bits are ignored.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 0b111_111)
    }

    /// The six bits in the order of [`from_bits`](Self::from_bits).
    #[must_use]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Also locks translation along x.
    #[must_use]
    pub const fn lock_translation_x(self) -> Self {
        self.translation(0)
    }

    /// Also locks translation along y.
    #[must_use]
    pub const fn lock_translation_y(self) -> Self {
        self.translation(1)
    }

    /// Also locks translation along z.
    #[must_use]
    pub const fn lock_translation_z(self) -> Self {
        self.translation(2)
    }

    /// Also locks rotation about x.
    #[must_use]
    pub const fn lock_rotation_x(self) -> Self {
        self.rotation(0)
    }

    /// Also locks rotation about y.
    #[must_use]
    pub const fn lock_rotation_y(self) -> Self {
        self.rotation(1)
    }

    /// Also locks rotation about z.
    #[must_use]
    pub const fn lock_rotation_z(self) -> Self {
        self.rotation(2)
    }

    const fn translation(self, axis: usize) -> Self {
        Self(self.engine().lock_translation(axis).bits())
    }

    const fn rotation(self, axis: usize) -> Self {
        Self(self.engine().lock_rotation(axis).bits())
    }

    /// As the engine has it.
    pub(super) const fn engine(self) -> body::LockedAxes {
        body::LockedAxes::from_bits(self.0)
    }
}
