//! Forces, torques and accelerations that act in every step.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use crate::math::Vec3;

/// A force (N) at the center of mass in every step, in world axes.
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// let rocket = (RigidBody::Dynamic, Collider::capsule(0.5, 4.0), ConstantLocalForce(Vec3::Y * 2e5));
/// let kite = (RigidBody::Dynamic, Collider::cuboid(1.0, 0.1, 1.0), ConstantForce(Vec3::X * 3.0));
/// # let _ = (rocket, kite);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantForce(pub Vec3);

/// A torque [N·m] in every step, in world axes.
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// let fan = (RigidBody::Dynamic, Collider::cylinder(0.5, 0.1), ConstantTorque(Vec3::Y * 0.2));
/// # let _ = fan;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantTorque(pub Vec3);

/// A force (N) at the center of mass in every step, in the axes of the body.
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
/// # world.insert_resource(Gravity::ZERO);
/// // A quarter about z: its x is y of the world.
/// let turn = bevy_math::Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
/// let turned = bevy_transform::components::Transform::from_rotation(turn);
/// let ball = (RigidBody::Dynamic, Collider::sphere(0.5), Mass(2.0), turned);
/// let ball = world.spawn((ball, ConstantLocalForce(Vec3::X * 4.0))).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// let velocity = world.get::<LinearVelocity>(ball).expect("a body").0;
/// assert!((velocity - Vec3::Y * 2.0).length() < 1e-3, "{velocity}");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantLocalForce(pub Vec3);

/// A torque [N·m] in every step, in the axes of the body.
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
/// # world.insert_resource(Gravity::ZERO);
/// // A quarter about z: its x is y of the world.
/// let turn = bevy_math::Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
/// let turned = bevy_transform::components::Transform::from_rotation(turn);
/// let ball = (RigidBody::Dynamic, Collider::sphere(0.5), Mass(2.0), turned);
/// let ball = world.spawn((ball, ConstantLocalTorque(Vec3::X * 0.2))).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// let velocity = world.get::<AngularVelocity>(ball).expect("a body").0;
/// assert!((velocity - Vec3::Y).length() < 1e-3, "{velocity}");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantLocalTorque(pub Vec3);

/// An acceleration [m/s²] in every step, whatever the mass, in world axes.
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// // Wind moves all alike, whatever their mass.
/// let leaf = (RigidBody::Dynamic, Collider::cuboid(0.1, 0.1, 0.01), ConstantLinearAcceleration(Vec3::X));
/// # let _ = leaf;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantLinearAcceleration(pub Vec3);

/// An angular acceleration [rad/s²] in every step, whatever the inertia, in world axes.
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
/// # world.insert_resource(Gravity::ZERO);
/// let ball = (RigidBody::Dynamic, Collider::sphere(0.5), Mass(2.0));
/// let ball = world.spawn((ball, ConstantAngularAcceleration(Vec3::Y))).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// let velocity = world.get::<AngularVelocity>(ball).expect("a body").0;
/// assert!((velocity - Vec3::Y).length() < 1e-3, "{velocity}");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantAngularAcceleration(pub Vec3);

/// An acceleration [m/s²] in every step, whatever the mass, in the axes of the body.
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
/// # world.insert_resource(Gravity::ZERO);
/// // A quarter about z: its x is y of the world.
/// let turn = bevy_math::Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
/// let turned = bevy_transform::components::Transform::from_rotation(turn);
/// let ball = (RigidBody::Dynamic, Collider::sphere(0.5), Mass(2.0), turned);
/// let ball = world.spawn((ball, ConstantLocalLinearAcceleration(Vec3::X))).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// let velocity = world.get::<LinearVelocity>(ball).expect("a body").0;
/// assert!((velocity - Vec3::Y).length() < 1e-3, "{velocity}");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantLocalLinearAcceleration(pub Vec3);

/// An angular acceleration [rad/s²] in every step, whatever the inertia, in the axes of the body.
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
/// # world.insert_resource(Gravity::ZERO);
/// // A quarter about z: its x is y of the world.
/// let turn = bevy_math::Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
/// let turned = bevy_transform::components::Transform::from_rotation(turn);
/// let ball = (RigidBody::Dynamic, Collider::sphere(0.5), Mass(2.0), turned);
/// let ball = world.spawn((ball, ConstantLocalAngularAcceleration(Vec3::X))).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// let velocity = world.get::<AngularVelocity>(ball).expect("a body").0;
/// assert!((velocity - Vec3::Y).length() < 1e-3, "{velocity}");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantLocalAngularAcceleration(pub Vec3);
