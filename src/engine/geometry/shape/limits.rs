//! How small and how large shapes may be.

use crate::math::Real;

/// The smallest length of a shape (m).
pub const LENGTH_MIN: Real = 1e-5;
/// The largest length of a shape and distance of its points from its origin (m).
pub const LENGTH_MAX: Real = 1e6;
