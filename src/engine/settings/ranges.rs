//! What numbers may be at the door, in one table. Beyond it lies nothing that a game can mean, and products
//! of single precision overflow; what is refused is named with its value and its range.
//!
//! | what | range |
//! |---|---|
//! | places of points, parts, colliders and anchors on a body | ±1e6 m |
//! | positions in the world, lengths and limits of joints | ±1e12 m |
//! | velocities, targets of motors | ±1e9 m/s, ±1e9 rad/s |
//! | mass, moments of inertia of dynamic bodies | 1e-20 to 1e25 kg, 1e-37 to 1e37 kg m² |
//! | friction, restitution, ratios; rolling, spinning resistance | ±1e6 (–); ±1e6 m; negative counts as 0 |
//! | factor on gravity; damping | ±1e6 (–); ±1e6 1/s, negative counts as 0 |
//! | forces of joints, their stiffness and damping | up to 1e30 N, N·m, …; infinite where that is said |
//! | length of a step | 1e-16 to 100 s |
//!
//! Lengths of shapes have theirs, `LENGTH_MIN` and `LENGTH_MAX`, and [settings](super). Velocities and
//! poses are public or grow by themselves: a body whose state leaves these ranges is
//! [frozen](crate::engine::report::StepReport::quarantined).

use crate::engine::geometry::shape::LENGTH_MAX;
use crate::math::{Real, Vec3};

/// From a smallest to a largest number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest [m, kg, …].
    pub min: Real,
    /// The largest [m, kg, …].
    pub max: Real,
    /// Their unit.
    pub unit: &'static str,
}

/// A number is finite and out of its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{what} must be {range}, got {}", short(*value))]
pub struct RangeError {
    /// What it is.
    pub what: &'static str,
    /// The number [m, kg, …].
    pub value: Real,
    /// What it may be.
    pub range: Range,
}

/// Places on a body (m).
pub const PLACE: Range = Range::both(LENGTH_MAX, "m");
/// Positions in the world (m).
pub const POSITION: Range = Range::both(1e12, "m");
/// Velocities [m/s].
pub const SPEED: Range = Range::both(1e9, "m/s");
/// Angular velocities [rad/s].
pub const SPIN: Range = Range::both(1e9, "rad/s");
/// Masses of dynamic bodies (kg).
pub const MASS: Range = Range::new(1e-20, 1e25, "kg");
/// Diagonal elements of their inertia [kg·m²].
pub const INERTIA: Range = Range::new(1e-37, 1e37, "kg m²");
/// Coefficients of friction and restitution, negative ones count as 0; ratios of joints (–).
pub const COEFFICIENT: Range = Range::both(1e6, "");
/// Rolling and spinning resistances, negative ones count as 0 (m).
pub const RESISTANCE: Range = Range::both(LENGTH_MAX, "m");
/// Factors on gravity (–).
pub const GRAVITY_SCALE: Range = Range::both(1e6, "");
/// Rates of damping, negative ones count as 0 [1/s].
pub const DAMPING: Range = Range::both(1e6, "1/s");
/// Forces, torques, stiffness and damping of joints [N, N·m, N/m, …].
pub const FORCE: Range = Range::new(0.0, 1e30, "N, N m, N/m, …");
/// Lengths of steps (s).
pub const STEP: Range = Range::new(1e-16, 100.0, "s");

impl Range {
    /// From one number to another.
    #[must_use]
    pub const fn new(min: Real, max: Real, unit: &'static str) -> Self {
        Self { min, max, unit }
    }

    /// Of either sign.
    const fn both(max: Real, unit: &'static str) -> Self {
        Self::new(-max, max, unit)
    }

    /// Is this number in it? NaN is not.
    #[inline]
    #[must_use]
    pub const fn contains(&self, x: Real) -> bool {
        self.min <= x && x <= self.max
    }

    /// Are all components of a vector in it?
    #[inline]
    #[must_use]
    pub fn holds(&self, v: Vec3) -> bool {
        self.contains(v.x) && self.contains(v.y) && self.contains(v.z)
    }

    /// Ok for a number in it.
    ///
    /// # Errors
    /// What, how large, and what it may be.
    pub fn check(self, what: &'static str, value: Real) -> Result<(), RangeError> {
        let range = self;
        if self.contains(value) { Ok(()) } else { Err(RangeError { what, value, range }) }
    }
}

/// A number in as few characters as it needs.
fn short(x: Real) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

impl core::fmt::Display for Range {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { min, max, unit } = self;
        let space = if unit.is_empty() { "" } else { " " };
        write!(f, "from {} to {}{space}{unit}", short(*min), short(*max))
    }
}
