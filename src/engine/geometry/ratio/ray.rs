//! The ray that is cast: the offset of the centers, floored where they coincide.

use crate::math::{Real, Vec3};

/// Offsets of the centers shorter than this fraction of the inner radius count as coincident.
const COINCIDENT: Real = 1e-3;
/// Squared lengths beyond this, or its inverse, are rescaled before the walk [m²].
const SQUARE_MAX: Real = 1e12;

/// Do centers with this offset (m) coincide, of bodies with inner radii of this sum (m)?
pub(super) fn coincide(offset: Vec3, inner: Real) -> bool {
    offset.length_squared() < (COINCIDENT * inner) * (COINCIDENT * inner)
}

/// The direction of the cast.
pub(super) struct Ray {
    /// Direction from the scaling center of a towards that of b, in the frame of a; of any length.
    pub(super) direction: Vec3,
    /// The offset of the centers as they are (m).
    pub(super) exact: Vec3,
    /// The offset of the centers used for `D` (m): `exact`, or the floor.
    pub(super) offset: Vec3,
    /// Whether the direction is the exact offset itself.
    pub(super) is_true: bool,
    /// Whether the offset was floored.
    pub(super) is_floored: bool,
}

impl Ray {
    /// None if the offset is not finite.
    #[inline]
    pub(super) fn new(exact: Vec3, inner: Real, last_normal: Vec3) -> Option<Self> {
        let square = exact.dot(exact);
        let floor = COINCIDENT * inner;
        if square >= floor * floor && square <= SQUARE_MAX {
            return Some(Self {
                direction: exact,
                exact,
                offset: exact,
                is_true: true,
                is_floored: false,
            });
        }
        Self::unusual(exact, floor, last_normal)
    }

    /// Coincident centers, or offsets whose products might leave the range of the numbers.
    #[cold]
    fn unusual(exact: Vec3, floor: Real, last_normal: Vec3) -> Option<Self> {
        if !exact.is_finite() {
            return None;
        }
        let largest = exact.abs().max_element();
        let length = if largest > 0.0 { (exact / largest).length() * largest } else { 0.0 };
        let is_floored = length < floor;
        let (direction, offset) = if is_floored {
            let axis = if last_normal == Vec3::ZERO { Vec3::Y } else { last_normal };
            (axis, axis * floor)
        } else {
            ((exact / largest).normalize(), exact)
        };
        Some(Self { direction, exact, offset, is_true: false, is_floored })
    }
}
