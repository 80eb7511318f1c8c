//! The shape of a body.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::link::queue_body;
use crate::engine::shape::{Shape, ShapeError};
use crate::math::{Quat, Real, Vec3};

/// The shape of a body, in the body's frame.
///
/// Lengths are full lengths in metres. The constructors never panic: a collider made from numbers that
/// make no shape (a radius that is NaN or negative, say) carries the error, and its body tells it as a
/// [`PhysicsError`](super::PhysicsError) when it is to be made. Ask at once with [`shape`](Self::shape).
///
/// Colliders are cheap to clone; clones share the shape. Put it on the entity of its
/// [`RigidBody`](super::RigidBody); on its own it does nothing. Scale of the `Transform` does not reach
/// it.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Debug, Default, Clone)]
#[component(on_remove = queue_body)]
pub struct Collider {
    shape: Arc<Result<Shape, ShapeError>>,
}

impl Default for Collider {
    /// A cube with edges of 1 m.
    fn default() -> Self {
        Self::cuboid(1.0, 1.0, 1.0)
    }
}

impl From<Shape> for Collider {
    fn from(shape: Shape) -> Self {
        Self::new(Ok(shape))
    }
}

impl Collider {
    fn new(shape: Result<Shape, ShapeError>) -> Self {
        Self { shape: Arc::new(shape) }
    }

    /// A sphere of this radius (m).
    #[must_use]
    pub fn sphere(radius: Real) -> Self {
        Self::new(Shape::sphere(radius))
    }

    /// A box with edges of these full lengths (m).
    #[must_use]
    pub fn cuboid(x_length: Real, y_length: Real, z_length: Real) -> Self {
        Self::new(Shape::cuboid(x_length, y_length, z_length))
    }

    /// A capsule along y: all points within `radius` of a segment of this length (m). Its height is
    /// `length + 2 radius`.
    #[must_use]
    pub fn capsule(radius: Real, length: Real) -> Self {
        Self::new(Shape::capsule(radius, length))
    }

    /// Everything below the plane through the origin with this outward normal, of any length. Only for
    /// bodies that are static or kinematic.
    #[must_use]
    pub fn half_space(normal: Vec3) -> Self {
        Self::new(Shape::half_space(normal))
    }

    /// The convex hull of points (m).
    ///
    /// # Errors
    /// The points have no hull with volume, or a coordinate is out of range.
    pub fn convex_hull(points: impl AsRef<[Vec3]>) -> Result<Self, ShapeError> {
        Shape::convex_hull(points.as_ref()).map(Self::from)
    }

    /// Several colliders as one, each with a position (m) and a rotation. The error of a part is the
    /// error of the whole.
    #[must_use]
    pub fn compound(parts: Vec<(Vec3, Quat, Self)>) -> Self {
        let shapes: Result<Vec<_>, _> = parts
            .into_iter()
            .map(|(position, rotation, part)| {
                part.shape().cloned().map(|shape| (position, rotation, shape)).map_err(Clone::clone)
            })
            .collect();
        Self::new(shapes.and_then(Shape::compound))
    }

    /// The shape.
    ///
    /// # Errors
    /// The numbers it was made from make no shape.
    pub fn shape(&self) -> Result<&Shape, &ShapeError> {
        self.shape.as_ref().as_ref()
    }

    /// Is this the same collider, or a clone of it?
    #[must_use]
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shape, &other.shape)
    }
}
