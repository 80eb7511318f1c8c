//! Shapes: convex pieces, and what bodies are made of.

mod build;
mod error;
pub mod hull;
pub mod mass;
mod merge;
mod quickhull;
mod support;
#[cfg(test)]
mod tests;

pub use error::ShapeError;

use crate::math::Real;

/// The smallest length of a shape [m].
pub const LENGTH_MIN: Real = 1e-5;
/// The largest length of a shape and distance of its points from its origin [m].
pub const LENGTH_MAX: Real = 1e6;

/// The length itself, if it is within the limits.
fn checked_length(name: &'static str, value: Real) -> Result<Real, ShapeError> {
    if (LENGTH_MIN..=LENGTH_MAX).contains(&value) {
        Ok(value)
    } else {
        Err(ShapeError::BadLength { name, value })
    }
}
