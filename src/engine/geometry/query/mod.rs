//! Rays, casts and distances of pieces and shapes.
//!
//! ```text
//! pieces ─┬─ ray ─── round        rays: planes, closed forms
//!         ├─ cast ─ gjk ─ support casts and distances on the Minkowski difference
//!         └─ surface              meshes, triangle by triangle
//! ```
//!
//! Directions need not have length one where a function does not say so; distances are in meters in any
//! case. What is not a number is met by nothing. Queries change nothing and keep no memory.
//!
//! Deliberately absent: rotating casts, and rays that report vertices and edges.

mod cast;
mod depth;
mod gjk;
mod pieces;
mod ray;
mod round;
mod support;
mod surface;
#[cfg(test)]
mod tests;

pub(in crate::engine) use self::pieces::Impact;
pub use self::pieces::{CastConfig, Closest, Placed};

use super::ratio::Ratio;
use super::shape::Shape;
use crate::math::{Quat, Vec3, quat_rotate, quat_to_mat3};

/// The pieces of a shape in the world.
pub(in crate::engine) fn placed(
    shape: &Shape,
    position: Vec3,
    rotation: Quat,
) -> impl Iterator<Item = Placed<'_>> {
    let turn = quat_to_mat3(rotation);
    shape.pieces().iter().map(move |piece| Placed {
        convex: &piece.convex,
        position: position + quat_rotate(rotation, piece.position),
        rotation: turn * quat_to_mat3(piece.rotation),
    })
}

/// A shape with its world position (m) and rotation.
pub type PlacedShape<'a> = (&'a Shape, Vec3, Quat);

/// The nearest points of two shapes, or the deepest of their overlapping pieces; none if both are
/// half-spaces.
#[must_use]
pub fn closest(a: PlacedShape<'_>, b: PlacedShape<'_>) -> Option<Closest> {
    let mut best: Option<Closest> = None;
    for p in placed(a.0, a.1, a.2) {
        for q in placed(b.0, b.1, b.2) {
            let other = p.closest(&q);
            if best.is_none() || other.zip(best).is_some_and(|(o, b)| o.distance < b.distance) {
                best = other;
            }
        }
    }
    best
}

/// The ratio metric of two shapes: that of their pieces with the least ratio, its normal from the first
/// to the second in the world; none if both are half-spaces.
#[must_use]
pub fn ratio(a: PlacedShape<'_>, b: PlacedShape<'_>) -> Option<Ratio> {
    let mut best: Option<Ratio> = None;
    for p in placed(a.0, a.1, a.2) {
        for q in placed(b.0, b.1, b.2) {
            let other = p.ratio(&q);
            if best.is_none() || other.zip(best).is_some_and(|(o, b)| o.gap < b.gap) {
                best = other;
            }
        }
    }
    best
}
