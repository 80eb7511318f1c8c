//! What queries answer, and what a shape cast wants.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
#[cfg(feature = "serialize")]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};

use crate::engine::query::CastConfig;
use crate::math::{Real, Vec3};

/// Where a ray meets a collider.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(1.0 / 60.0);
/// use orthant::plugin::sync_physics;
///
/// let wall = (RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0));
/// let wall = world.spawn(wall).id();
/// sync_physics(world);
/// # use bevy_ecs::system::RunSystemOnce;
/// # use bevy_math::Dir3;
/// let any = SpatialQueryFilter::default();
/// let asked = move |query: SpatialQuery| query.cast_ray(Vec3::X * -3.0, Dir3::X, 9.0, true, &any);
/// let hit = world.run_system_once(asked).expect("a system").expect("a hit");
/// assert!(hit.entity == wall && (hit.distance - 2.5).abs() < 1e-5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct RayHitData {
    /// The collider.
    pub entity: Entity,
    /// Distance from the origin (m).
    pub distance: Real,
    /// Unit normal of the surface against the ray, in the world; zero at an origin inside.
    pub normal: Vec3,
}

/// Where a moving shape meets a collider.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::{Quat, Vec3};
/// use orthant::plugin::sync_physics;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(1.0 / 60.0);
/// let wall = world.spawn((RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0))).id();
/// sync_physics(world);
/// # use bevy_ecs::system::RunSystemOnce;
/// # use bevy_math::Dir3;
/// let asked = |query: SpatialQuery| {
///     let (ball, config) = (Collider::sphere(0.5), ShapeCastConfig::default());
///     let any = SpatialQueryFilter::default();
///     query.cast_shape(&ball, Vec3::X * -3.0, Quat::IDENTITY, Dir3::X, &config, &any)
/// };
/// let hit = world.run_system_once(asked).expect("a system").expect("a hit");
/// assert!(hit.entity == wall && (hit.distance - 2.0).abs() < 1e-4, "{hit:?}");
/// assert!((hit.point1 - Vec3::X * -0.5).length() < 1e-3, "{hit:?}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct ShapeHitData {
    /// The collider.
    pub entity: Entity,
    /// How far the shape moves until then (m).
    pub distance: Real,
    /// World point on the collider (m).
    pub point1: Vec3,
    /// World point on the shape where it is then (m).
    pub point2: Vec3,
    /// Outward unit normal of the collider, in the world.
    pub normal1: Vec3,
    /// Outward unit normal of the shape, in the world.
    pub normal2: Vec3,
}

/// The point of a collider nearest to another point.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::Vec3;
/// use orthant::plugin::sync_physics;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(1.0 / 60.0);
/// let wall = world.spawn((RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0))).id();
/// sync_physics(world);
/// # use bevy_ecs::system::RunSystemOnce;
/// let asked = |query: SpatialQuery| {
///     query.project_point(Vec3::X * 2.0, true, &SpatialQueryFilter::default())
/// };
/// let near = world.run_system_once(asked).expect("a system").expect("something is there");
/// assert!(near.entity == wall && !near.is_inside);
/// assert!((near.point - Vec3::X * 0.5).length() < 1e-5, "{near:?}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct PointProjection {
    /// The collider.
    pub entity: Entity,
    /// The nearest point, in the world (m).
    pub point: Vec3,
    /// Was the given point inside?
    pub is_inside: bool,
}

/// The nearest points of two colliders.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ecs::system::RunSystemOnce;
/// # use bevy_transform::components::Transform;
/// use orthant::plugin::{ClosestPoints, sync_physics};
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// let ball = |x| (Collider::sphere(0.5), Transform::from_xyz(x, 0.0, 0.0));
/// let [one, two] = [0.0, 3.0].map(|x| world.spawn(ball(x)).id());
/// sync_physics(world);
/// let asked = move |query: SpatialQuery| query.closest_points(one, two);
/// let ClosestPoints { distance, normal, .. } =
///     world.run_system_once(asked).expect("a system").expect("both are there");
/// assert!((distance - 2.0).abs() < 1e-4 && normal.x > 0.99, "{distance} m");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct ClosestPoints {
    /// Distance (m); negative by the depth in overlap.
    pub distance: Real,
    /// World point on the first (m).
    pub point1: Vec3,
    /// World point on the second (m).
    pub point2: Vec3,
    /// Unit normal from the first to the second.
    pub normal: Vec3,
}

/// What a shape cast wants.
///
/// ```
/// # use orthant::prelude::*;
/// let near = ShapeCastConfig { max_distance: 5.0, ..ShapeCastConfig::default() };
/// # let _ = near;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct ShapeCastConfig {
    /// How far the shape moves (m).
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub max_distance: Real,
    /// The cast ends where the shapes are this near (m).
    pub target_distance: Real,
    /// Finds points and normals also where the shapes overlap from the start; else they are zero.
    pub compute_contact_on_penetration: bool,
    /// Passes over what overlaps from the start, unless the motion leads deeper into it.
    pub ignore_origin_penetration: bool,
}

impl Default for ShapeCastConfig {
    fn default() -> Self {
        let CastConfig {
            max_distance,
            target_distance,
            compute_contact_on_penetration,
            ignore_origin_penetration,
        } = CastConfig::default();
        Self {
            max_distance,
            target_distance,
            compute_contact_on_penetration,
            ignore_origin_penetration,
        }
    }
}

impl ShapeCastConfig {
    /// Moves this far (m).
    #[must_use]
    pub fn from_max_distance(max_distance: Real) -> Self {
        Self { max_distance, ..Self::default() }
    }

    pub(super) fn engine(&self) -> CastConfig {
        CastConfig {
            max_distance: self.max_distance,
            target_distance: self.target_distance,
            compute_contact_on_penetration: self.compute_contact_on_penetration,
            ignore_origin_penetration: self.ignore_origin_penetration,
        }
    }
}
