//! What a joint keeps: its kinds, and what of their axes is free.

use crate::math::{Real, Vec3};

/// What a joint keeps. Axes that it leaves free may have limits, motors and friction.
///
/// ```
/// use orthant::engine::joint::JointKind;
///
/// assert_eq!(JointKind::Revolute.locked().count_ones(), 5);
/// assert_eq!(JointKind::Spherical.locked().count_ones(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(deny_unknown_fields))]
pub enum JointKind {
    /// The frames coincide: six rows.
    Fixed,
    /// A hinge: free to turn about x. Five rows.
    Revolute,
    /// A ball joint: free to turn about every axis. Three rows.
    Spherical,
    /// A slide: free to move along x. Five rows.
    Prismatic,
    /// Free to move along x and to turn about it. Four rows.
    Cylindrical,
    /// Free to turn about x of frame a and y of frame b, which stay perpendicular. Four rows.
    Universal,
    /// Free to move in the plane orthogonal to x and to turn about x. Three rows.
    Planar,
    /// A ball joint that keeps its twist about x: free to swing; the twist is free within limits if it
    /// has some. Four rows, or three.
    Pivot,
    /// The anchors are between `min` and `max` apart (m): one row; none within a rope of `min` 0.
    Distance {
        /// Smallest distance (m), ≥ 0.
        min: Real,
        /// Largest distance (m), > 0, ≥ `min`; may be infinite.
        #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
        max: Real,
    },
    /// Wheels about x of frame a and x of frame b that mesh, or a belt joins: one row, from where they are
    /// when it begins. Parallel axles may be carried around; with anchors at one place nothing carries them.
    Gear {
        /// Teeth of b over teeth of a (–), not 0; negative if both turn the same way: of a ring, of a belt.
        ratio: Real,
    },
    /// A pinion about x of frame b that rolls on a rack along x of frame a, from where they are: one row.
    RackAndPinion {
        /// The rack moves so far along x for a radian of the pinion (m), not 0.
        radius: Real,
    },
    /// Free to turn about x, and moves along x as it turns. Five rows.
    Screw {
        /// Way along x for a whole turn (m), not 0.
        lead: Real,
    },
    /// A rope over two fixed wheels: `|a - wheel a| + ratio |b - wheel b|` is at most its length. One row.
    Pulley {
        /// Where the rope leaves the wheels, in the world (m).
        wheels: [Vec3; 2],
        /// Parts of the rope at end b that share its load (–), > 0.
        ratio: Real,
        /// Of the rope (m), > 0.
        length: Real,
    },
    /// All axes are free; limits with `min` equal to `max` lock them.
    Generic,
}

impl JointKind {
    /// Bit k: axis k is locked, whatever its limits.
    #[must_use]
    pub const fn locked(self) -> u8 {
        match self {
            Self::Fixed => 0b11_1111,
            Self::Revolute => 0b11_0111,
            Self::Spherical => 0b00_0111,
            Self::Prismatic => 0b11_1110,
            Self::Cylindrical => 0b11_0110,
            Self::Universal => 0b10_0111,
            Self::Planar => 0b11_0001,
            Self::Pivot => 0b00_1111,
            Self::Screw { .. } => 0b11_0111,
            Self::Gear { .. } => 0b00_1000,
            Self::RackAndPinion { .. } => 0b00_0001,
            Self::Distance { min, max } if min == max => 0b00_0001,
            Self::Distance { .. } | Self::Pulley { .. } | Self::Generic => 0,
        }
    }

    /// Do its ends move along an axis that turns with the first?
    pub(super) const fn slides(self) -> bool {
        self.locked() & 0b111 != 0b111 || matches!(self, Self::Screw { .. })
    }

    /// Bit k: axis k may have limits.
    #[must_use]
    pub const fn limitable(self) -> u8 {
        match self {
            Self::Pivot => 0b11_1000,
            Self::Generic => 0b11_1111,
            // Limits of a single row are in the kind.
            _ if self.locked().count_ones() < 2 => 0,
            _ => !self.locked() & 0b11_1111,
        }
    }

    /// Bit k: axis k may have a motor and friction, as far as its limits leave it free.
    #[must_use]
    pub const fn drivable(self) -> u8 {
        match self {
            Self::Distance { .. } => 0b00_0001,
            _ => self.limitable(),
        }
    }
}
