//! The ray that is cast: the offset of the centers, floored where they coincide.

use crate::engine::geometry::shape::hull::Hull;
use crate::math::{DVec3, Double, Real, Vec3, narrow3};

/// Offsets of the centers shorter than this fraction of the inner radius count as coincident.
const COINCIDENT: Real = 1e-3;
/// Squared lengths beyond this, or its inverse, are rescaled before the walk [m²].
const SQUARE_MAX: Real = 1e12;

/// A direction to part two bodies in whose centroids coincide, in the axes in which they are placed, from
/// numbers that name them; none if the centroids do not. Each number has a place in a cube, evenly filled by
/// the powers of the root of `x⁴ = x + 1`, so that all who are in one place have consistent directions.
#[must_use]
pub fn parting(a: &Hull, b: &Hull, offset: Vec3, numbers: [u32; 2]) -> Option<Vec3> {
    const ROOT: Double = 1.220_744_084_605_759_5;
    let floor = COINCIDENT * (a.inradius + b.inradius);
    if offset.length_squared() >= floor * floor {
        return None;
    }
    let powers = DVec3::new(ROOT, ROOT * ROOT, ROOT * ROOT * ROOT);
    let place = |i: u32| (Double::from(i) / powers).fract();
    (place(numbers[1]) - place(numbers[0])).try_normalize().map(narrow3)
}

/// Are scaling centers at this offset (m) neither in one place, nor so far away that products leave the range
/// of the numbers? `inner` (m) is the radius of the ball about them.
#[inline]
pub(in crate::engine) fn is_common(offset: Vec3, inner: Real) -> bool {
    let (square, floor) = (offset.dot(offset), COINCIDENT * inner);
    square >= floor * floor && square <= SQUARE_MAX
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
        if is_common(exact, inner) {
            return Some(Self {
                direction: exact,
                exact,
                offset: exact,
                is_true: true,
                is_floored: false,
            });
        }
        Self::unusual(exact, COINCIDENT * inner, last_normal)
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
