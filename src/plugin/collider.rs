//! The shapes of a body.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
#[cfg(feature = "serialize")]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};
use bevy_transform::components::Transform;

use super::attach::{ColliderOf, queue_collider};
use crate::engine::shape::mass::MassProperties;
use crate::engine::shape::{Shape, ShapeError};
use crate::math::{Quat, Real, Vec3};

/// A shape of a body. It belongs to the nearest [`RigidBody`](super::RigidBody) at or above its entity
/// (see [`ColliderOf`]); without one it is static: things stand on it, rays hit it, a [`Sensor`] sees.
///
/// Where it is on its body, and how large, say the `Transform`s of its entity and of those between it
/// and the body; the scale of the body counts too. Its own components say the rest:
/// [`Friction`](super::Friction), [`RollingFriction`](super::RollingFriction),
/// [`Restitution`](super::Restitution), [`ColliderDensity`](super::ColliderDensity),
/// [`CollisionLayers`](super::CollisionLayers), [`Sensor`], [`ColliderDisabled`]. All may change at
/// any time. A collider that moves on its body is not felt as moving: it is where it is. Make it a
/// kinematic body if it is to push.
///
/// Lengths are full lengths in metres. The constructors never panic: a collider made from numbers that
/// make no shape (a radius that is NaN or negative, say) carries the error and tells it as a
/// [`PhysicsError`](super::PhysicsError) when its body is made. Ask at once with
/// [`shape`](Self::shape). Colliders are cheap to clone; clones share the shape. With the feature
/// `serialize` scenes and files keep them whole.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// use orthant::prelude::*;
///
/// fn hammer(mut commands: Commands) {
///     commands.spawn((RigidBody::Dynamic, Collider::cuboid(0.1, 1.0, 0.1))).with_children(|parts| {
///         let head = (Collider::cuboid(0.6, 0.2, 0.2), ColliderDensity(8.0));
///         parts.spawn((head, Transform::from_xyz(0.0, 0.6, 0.0)));
///     });
/// }
/// ```
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Debug, Default, Clone)]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
#[component(summary_tick, on_remove = queue_collider)]
#[require(Transform, ColliderOf)]
pub struct Collider {
    shape: Arc<Result<Shape, ShapeError>>,
}

/// Makes a collider a sensor: it notices what touches it, and pushes nothing. It has no mass.
///
/// ```
/// # use orthant::prelude::*;
/// let gate = (Collider::cuboid(3.0, 3.0, 0.2), Sensor, CollidingEntities::default());
/// # let _ = gate;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, on_remove = queue_collider)]
pub struct Sensor;

/// Takes a collider out of its body, with its mass, until this component is removed.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn fold(mut commands: Commands, wings: Query<Entity, With<Collider>>) {
///     for wing in &wings {
///         commands.entity(wing).insert(ColliderDisabled);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(fold);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, on_remove = queue_collider)]
pub struct ColliderDisabled;

/// As its shape; one that has none, as none: it is read as degenerate.
#[cfg(feature = "serialize")]
impl serde::Serialize for Collider {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shape().ok().serialize(serializer)
    }
}

#[cfg(feature = "serialize")]
impl<'de> serde::Deserialize<'de> for Collider {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let shape = Option::<Shape>::deserialize(deserializer)?;
        Ok(Self::new(shape.ok_or(ShapeError::Degenerate)))
    }
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

impl From<&Self> for Collider {
    /// A clone, which shares the shape.
    fn from(collider: &Self) -> Self {
        collider.clone()
    }
}

/// Solids stand along y and have their origin in the middle; lengths are full ones.
///
/// ```
/// use orthant::math::{Quat, Vec3};
/// use orthant::prelude::*;
///
/// let brick = Collider::cuboid(2.0, 1.0, 0.5);
/// assert_eq!(brick.mass_properties(3.0).mass, 3.0);
/// let round = [Collider::sphere(0.5), Collider::capsule(0.3, 1.2), Collider::cylinder(0.5, 1.0)];
/// let other = [Collider::cone(0.5, 1.0), Collider::ellipsoid(1.0, 2.0, 3.0)];
/// let soft = [Collider::round_cuboid(1.0, 1.0, 1.0, 0.1), Collider::round_cylinder(0.5, 1.0, 0.1)];
/// assert!(round.iter().chain(&other).chain(&soft).all(|solid| solid.shape().is_ok()));
/// // Several as one; numbers that make no shape are told here, or when the body is made.
/// let barbell = [-1.0, 1.0].map(|x| (Vec3::X * x, Quat::IDENTITY, Collider::sphere(0.3)));
/// assert!(Collider::compound(barbell.into()).shape().is_ok());
/// assert!(Collider::sphere(-1.0).shape().is_err());
/// ```
///
/// Of points and triangles, at once with what is wrong with them:
///
/// ```
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// assert!(Collider::convex_hull(corners).is_ok() && Collider::convex_hull(&corners[..3]).is_err());
/// assert!(Collider::round_convex_hull(corners, 0.1).is_ok());
/// assert!(Collider::trimesh(corners, [[0, 2, 1], [0, 1, 3]]).is_ok());
/// assert!(Collider::heightfield([vec![0.0, 0.5], vec![0.2, 0.1]], Vec3::ONE).is_ok());
/// assert!(Collider::half_space(Vec3::ZERO).shape().is_err(), "it needs a normal");
/// ```
impl Collider {
    pub(super) fn new(shape: Result<Shape, ShapeError>) -> Self {
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

    /// A cylinder along y of a radius and a full height (m).
    #[must_use]
    pub fn cylinder(radius: Real, height: Real) -> Self {
        Self::new(Shape::cylinder(radius, height))
    }

    /// A cone along y, apex up, of a radius of its base and a full height (m), its origin in the middle
    /// of the height.
    #[must_use]
    pub fn cone(radius: Real, height: Real) -> Self {
        Self::new(Shape::cone(radius, height))
    }

    /// An ellipsoid along the axes, of full lengths (m).
    #[must_use]
    pub fn ellipsoid(x_length: Real, y_length: Real, z_length: Real) -> Self {
        Self::new(Shape::ellipsoid(x_length, y_length, z_length))
    }

    /// All points within `border_radius` (m) of a cylinder along y of a radius and a full height (m).
    #[must_use]
    pub fn round_cylinder(radius: Real, height: Real, border_radius: Real) -> Self {
        Self::new(Shape::round_cylinder(radius, height, border_radius))
    }

    /// All points within `border_radius` (m) of a box with edges of these full lengths (m).
    #[must_use]
    pub fn round_cuboid(
        x_length: Real,
        y_length: Real,
        z_length: Real,
        border_radius: Real,
    ) -> Self {
        Self::new(Shape::round_cuboid(x_length, y_length, z_length, border_radius))
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

    /// All points within `border_radius` (m) of the convex hull of points (m).
    ///
    /// # Errors
    /// The points have no hull with volume, or a number is out of range.
    pub fn round_convex_hull(
        points: impl AsRef<[Vec3]>,
        border_radius: Real,
    ) -> Result<Self, ShapeError> {
        Shape::round_convex_hull(points.as_ref(), border_radius).map(Self::from)
    }

    /// A surface of triangles, each of three indices of vertices (m), counterclockwise from the side that
    /// others touch. For bodies that are static or kinematic.
    ///
    /// # Errors
    /// No triangle with area, a vertex that is not finite or out of range, or an index beyond the
    /// vertices.
    pub fn trimesh(
        vertices: impl AsRef<[Vec3]>,
        triangles: impl AsRef<[[u32; 3]]>,
    ) -> Result<Self, ShapeError> {
        Shape::trimesh(vertices.as_ref(), triangles.as_ref()).map(Self::from)
    }

    /// A surface over a grid, `heights[i][k]` with `i` along x and `k` along z, of the full extents
    /// `scale.x` and `scale.z` (m) about the origin; heights are times `scale.y`. For bodies that are
    /// static or kinematic.
    ///
    /// # Errors
    /// Less than two heights along an axis, rows of unlike lengths, a height that is not finite or out of
    /// range, or a scale that is not positive.
    pub fn heightfield(heights: impl AsRef<[Vec<Real>]>, scale: Vec3) -> Result<Self, ShapeError> {
        Shape::heightfield(heights.as_ref(), scale).map(Self::from)
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

    /// Mass, center of mass and inertia at a density [kg/m³], > 0; none if the numbers make no shape.
    #[must_use]
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        self.shape().map(|shape| shape.mass_properties(density)).unwrap_or_default()
    }

    /// Is this the same collider, or a clone of it?
    #[must_use]
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shape, &other.shape)
    }
}
