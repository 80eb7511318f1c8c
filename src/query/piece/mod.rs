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

pub(crate) use self::pieces::Impact;
pub use self::pieces::{CastConfig, Closest, Metric, Placed};

use crate::engine::geometry::shape::Shape;
use crate::math::{Quat, Real, Vec3, quat_rotate, quat_to_mat3};

/// The pieces of a shape in the world.
pub(crate) fn placed(
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

/// The least answer of all pairs of pieces, as `measure` has it, and which pieces these are.
pub(crate) fn least<'a, T: Copy>(
    a: PlacedShape<'a>,
    b: PlacedShape<'a>,
    ask: impl Fn(&Placed<'a>, &Placed<'a>) -> Option<T>,
    measure: impl Fn(&T) -> Real,
) -> Option<(T, [u32; 2])> {
    let mut best: Option<(T, [u32; 2])> = None;
    for (i, p) in (0..).zip(placed(a.0, a.1, a.2)) {
        for (j, q) in (0..).zip(placed(b.0, b.1, b.2)) {
            let Some(new) = ask(&p, &q) else { continue };
            if best.is_none_or(|(best, _)| measure(&new) < measure(&best)) {
                best = Some((new, [i, j]));
            }
        }
    }
    best
}

/// The nearest points of two shapes, or the deepest of their overlapping pieces; none if both are
/// half-spaces.
#[must_use]
pub fn closest(a: PlacedShape<'_>, b: PlacedShape<'_>) -> Option<Closest> {
    least(a, b, Placed::closest, |closest| closest.distance).map(|(closest, _)| closest)
}

/// The ratio metric of two shapes in the world, in one call and without a simulation: that of their pieces
/// with the least gap, about the centroids of the pieces.
///
/// | | hull | half-space | mesh, height field |
/// |---|---|---|---|
/// | hull | both grow, (2.12) of the thesis | the hull grows, Remark 2.18 | hull and triangle grow |
/// | the others | as in the first row | none | none |
///
/// A compound is the least of its pieces, each of which grows about its own centroid: Φ tells of the piece
/// that is met first, and its sign of the whole. A mesh is the least of its triangles, flat convex bodies
/// that grow about their centroids; it has no inside, so that what lies within a closed mesh is apart from
/// it. None where neither shape has a hull. Bodies of n dimensions are in the papers only: these have
/// three. O(pairs of pieces), of meshes of triangles near by; allocates. For events and their gradients see
/// [`events`](crate::engine::papers::enumerate::events).
///
/// ```
/// use orthant::engine::query::ratio;
/// use orthant::engine::shape::Shape;
/// use orthant::math::{Quat, Vec3};
///
/// let cube = Shape::cuboid(1.0, 1.0, 1.0)?;
/// let ball = Shape::sphere(0.5)?;
/// // Both grow from half a meter to one and a half.
/// let metric = ratio(
///     (&cube, Vec3::ZERO, Quat::IDENTITY),
///     (&ball, Vec3::new(3.0, 0.0, 0.0), Quat::IDENTITY),
/// )
/// .expect("hulls");
/// assert!((metric.ratio - 3.0).abs() < 1e-5 && (metric.gap - 2.0 / 3.0).abs() < 1e-5);
/// assert!((metric.normal - Vec3::X).length() < 1e-5);
/// assert!((metric.point - Vec3::new(1.5, 0.0, 0.0)).length() < 1e-5);
/// let apart = metric.points[1] - metric.points[0];
/// assert!((apart - Vec3::new(2.0, 0.0, 0.0)).length() < 1e-5 && metric.separation > 1.999);
/// # Ok::<(), orthant::engine::shape::ShapeError>(())
/// ```
#[must_use]
pub fn ratio(a: PlacedShape<'_>, b: PlacedShape<'_>) -> Option<Metric> {
    let (metric, pieces) = least(a, b, Placed::metric, |metric| metric.gap)?;
    Some(Metric { pieces, ..metric })
}
