//! What a body is made of and how it moves: the components a user writes.
//!
//! Vectors and numbers have the precision of the engine: Bevy's own `Vec3` in the default build, double
//! precision with the feature `f64`. `Transform` is always single.

use bevy_derive::{Deref, DerefMut};
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_transform::components::Transform;

use super::attach::{queue_collider, queue_tree};
use super::forces::PendingForces;
use super::link::{EngineBody, queue_body};
use super::mass::{ComputedAngularInertia, ComputedCenterOfMass, ComputedMass};
use super::mirror::Mirror;
use crate::engine::body::BodyKind;
use crate::engine::collider::CoefficientCombine;
use crate::math::{Quat, Real, Vec3};

/// A rigid body. Its colliders are the [`Collider`](super::Collider)s on its entity and on those
/// below, up to the next body; a dynamic body without any and without a [`Mass`](super::Mass) is
/// refused.
///
/// Its pose is its `Transform` (with those of its parents). Writing the `Transform` moves the body at
/// once; a kinematic one moves there within the next step and so pushes and carries, unless that
/// took more than 50 m/s or 50 rad/s. (To place it at once nevertheless, use
/// [`Body::set_pose`](crate::engine::body::Body::set_pose) through
/// [`PhysicsWorld::body_mut`](super::PhysicsWorld::body_mut).)
///
/// The component itself cannot be changed in place: insert it again to change the type; the
/// body keeps its place, velocity and joints.
///
/// ```
/// # use orthant::prelude::*;
/// let crate_ = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0));
/// let lift = (RigidBody::Kinematic, Collider::cuboid(3.0, 0.2, 3.0));
/// let ground = (RigidBody::Static, Collider::cuboid(50.0, 1.0, 50.0));
/// # let mut world = bevy_ecs::world::World::new();
/// # let _ = (world.spawn(crate_).id(), world.spawn(lift).id(), world.spawn(ground).id());
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, immutable, on_add = queue_tree, on_remove = body_removed)]
#[require(Transform, LinearVelocity, AngularVelocity, PendingForces, EngineBody, Mirror)]
#[require(ComputedMass, ComputedCenterOfMass, ComputedAngularInertia)]
pub enum RigidBody {
    /// Moved by forces, contacts and joints.
    #[default]
    Dynamic,
    /// Moved by its velocity, its `Transform` or [`KinematicTarget`]; pushes others and is not pushed.
    Kinematic,
    /// Does not move.
    Static,
}

/// The entity is looked at again, and so are the colliders at and below it.
fn body_removed(mut world: DeferredWorld, context: HookContext) {
    queue_body(world.reborrow(), context);
    queue_tree(world, context);
}

/// Friction or restitution of a collider, and of those colliders of a body that have none of their own.
fn friction_removed(mut world: DeferredWorld, context: HookContext) {
    queue_body(world.reborrow(), context);
    queue_collider(world, context);
}

impl RigidBody {
    /// Is this a dynamic body?
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        *self == Self::Dynamic
    }

    /// Is this a kinematic body?
    #[must_use]
    pub fn is_kinematic(&self) -> bool {
        *self == Self::Kinematic
    }

    /// Is this a static body?
    #[must_use]
    pub fn is_static(&self) -> bool {
        *self == Self::Static
    }

    /// As the engine has it.
    pub(super) const fn engine(self) -> BodyKind {
        match self {
            Self::Dynamic => BodyKind::Dynamic,
            Self::Kinematic => BodyKind::Kinematic,
            Self::Static => BodyKind::Static,
        }
    }
}

/// Velocity of the center of mass in world axes [m/s]. Ignored on static bodies.
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// let thrown = (RigidBody::Dynamic, Collider::sphere(0.2), LinearVelocity(Vec3::Y * 5.0));
/// # let _ = thrown;
/// ```
#[derive(Component, Clone, Copy, Debug, Deref, DerefMut, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick)]
pub struct LinearVelocity(pub Vec3);

/// Angular velocity in world axes [rad/s]. Ignored on static bodies.
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// // A turn in two seconds.
/// let top = (RigidBody::Kinematic, Collider::cone(0.5, 1.0), AngularVelocity(Vec3::Y * orthant::math::PI));
/// # let _ = top;
/// ```
#[derive(Component, Clone, Copy, Debug, Deref, DerefMut, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick)]
pub struct AngularVelocity(pub Vec3);

/// The world pose a kinematic body is to have after the next step. It moves there within that step,
/// at the velocity this takes, however fast, and so pushes what is in its way; then it stands still
/// until the component changes again. Writing its `Transform` does the same within limits of speed.
///
/// Ignored on bodies of other types. Set it in `FixedUpdate` to have a new target for every step.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn lift(time: Res<bevy_time::Time>, mut lifts: Query<&mut KinematicTarget>) {
///     for mut target in &mut lifts {
///         target.position.y = 2.0 + orthant::math::sin(0.5 * time.elapsed_secs() as orthant::math::Real);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(lift);
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick)]
pub struct KinematicTarget {
    /// World position of the body's frame (m).
    pub position: Vec3,
    /// World rotation of the body's frame.
    pub rotation: Quat,
}

impl KinematicTarget {
    /// A target.
    #[must_use]
    pub const fn new(position: Vec3, rotation: Quat) -> Self {
        Self { position, rotation }
    }
}

impl Default for KinematicTarget {
    fn default() -> Self {
        Self { position: Vec3::ZERO, rotation: Quat::IDENTITY }
    }
}

/// Coulomb friction of a collider. A collider without
/// this component has the friction of its body, and if that has none, [`DefaultFriction`].
///
/// A contact takes the mean of both coefficients, unless one of the two has another rule: ice of friction 0
/// on a floor of 0.5 has 0.25. To slide without friction on anything:
///
/// ```
/// use orthant::prelude::*;
///
/// let ice = Friction::new(0.0).with_combine_rule(CoefficientCombine::Min);
/// assert_eq!(ice.combine(Friction::new(0.5)).coefficient, 0.0);
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = friction_removed)]
pub struct Friction {
    /// Friction coefficient μ (-), ≥ 0.
    pub coefficient: Real,
    /// How a contact combines both coefficients.
    pub combine_rule: CoefficientCombine,
}

impl Friction {
    /// Friction with this coefficient μ (-).
    #[must_use]
    pub const fn new(coefficient: Real) -> Self {
        Self { coefficient, combine_rule: CoefficientCombine::Average }
    }

    /// With another rule.
    #[must_use]
    pub const fn with_combine_rule(self, combine_rule: CoefficientCombine) -> Self {
        Self { combine_rule, ..self }
    }

    /// What a contact of two surfaces has.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        let both = [self, other].map(|one| (one.coefficient, one.combine_rule));
        let (coefficient, combine_rule) = CoefficientCombine::combine(both);
        Self { coefficient, combine_rule }
    }
}

impl Default for Friction {
    fn default() -> Self {
        Self::new(0.5)
    }
}

/// Rolling and spinning resistance of a collider, for what would roll on forever: balls, wheels, dice.
/// A contact takes the larger values of both. A collider without this component has those of its body,
/// and if that has none, rolls freely.
///
/// ```
/// # use orthant::prelude::*;
/// // Rolls on grass: 1 cm of lever arm, and half of it against spinning.
/// let grass = RollingFriction { rolling: 0.01, spinning: 0.005 };
/// # let _ = grass;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = friction_removed)]
pub struct RollingFriction {
    /// Rolling meets a torque of at most this length (m), ≥ 0, times the normal force.
    pub rolling: Real,
    /// Turning about the normal meets a torque of at most this length (m), ≥ 0, times the normal force.
    pub spinning: Real,
}

impl RollingFriction {
    /// Resistance to rolling and to spinning (m).
    #[must_use]
    pub const fn new(rolling: Real, spinning: Real) -> Self {
        Self { rolling, spinning }
    }
}

/// Restitution of a collider: the part of the speed of an impact with which it bounces back. A collider
/// without this component has that of its body,
/// and if that has none, does not bounce. What approaches slower than
/// [`ContactSettings::restitution_speed`](crate::engine::settings::ContactSettings::restitution_speed)
/// does not bounce either.
///
/// A contact takes the mean of both coefficients, unless one of the two has another rule.
///
/// ```
/// # use orthant::prelude::*;
/// let ball = (RigidBody::Dynamic, Collider::sphere(0.1), Restitution::new(0.8));
/// # let _ = ball;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = friction_removed)]
pub struct Restitution {
    /// Coefficient of restitution e (-), from 0 to 1.
    pub coefficient: Real,
    /// How a contact combines both coefficients.
    pub combine_rule: CoefficientCombine,
}

impl Restitution {
    /// Restitution with this coefficient e (-), from 0 to 1.
    #[must_use]
    pub const fn new(coefficient: Real) -> Self {
        Self { coefficient, combine_rule: CoefficientCombine::Average }
    }

    /// With another rule.
    #[must_use]
    pub const fn with_combine_rule(self, combine_rule: CoefficientCombine) -> Self {
        Self { combine_rule, ..self }
    }

    /// What a contact of two surfaces has.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        let both = [self, other].map(|one| (one.coefficient, one.combine_rule));
        let (coefficient, combine_rule) = CoefficientCombine::combine(both);
        Self { coefficient, combine_rule }
    }
}

/// The friction of colliders that neither have a [`Friction`] component nor a body with one: μ = 0.5
/// unless changed.
///
/// ```
/// # use orthant::prelude::*;
/// # let mut app = bevy_app::App::new();
/// app.insert_resource(DefaultFriction(Friction::new(0.8)));
/// ```
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct DefaultFriction(pub Friction);

/// Factor on gravity (-); 1 without this component.
///
/// ```
/// # use orthant::prelude::*;
/// let balloon = (RigidBody::Dynamic, Collider::sphere(0.3), GravityScale(-0.1));
/// # let _ = balloon;
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct GravityScale(pub Real);

impl Default for GravityScale {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Rate at which the linear velocity decays [1/s], ≥ 0; 0 without this component.
///
/// ```
/// # use orthant::prelude::*;
/// // Loses half of its speed in ln 2 / 0.7 = 1 s.
/// let slow = (RigidBody::Dynamic, Collider::sphere(0.3), LinearDamping(0.7), AngularDamping(0.7));
/// # let _ = slow;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct LinearDamping(pub Real);

/// Rate at which the angular velocity decays [1/s], ≥ 0; 0 without this component.
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
/// let top = (RigidBody::Dynamic, Collider::sphere(0.5), AngularVelocity(Vec3::Y));
/// let top = world.spawn((top, AngularDamping(1.0))).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// // After 1 s it turns at 1/e of its speed.
/// let speed = world.get::<AngularVelocity>(top).expect("a body").y;
/// assert!((speed - 0.368).abs() < 0.01, "{speed}");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct AngularDamping(pub Real);

/// Searches the path of a small fast body through a step for what it hits, so that it does not fly
/// through walls.
///
/// ```
/// # use orthant::prelude::*;
/// let bullet = (RigidBody::Dynamic, Collider::sphere(0.01), SweptCcd);
/// # let _ = bullet;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct SweptCcd;

/// Of two dynamic bodies that touch, the one of higher dominance is not pushed by the other; 0 without
/// this component.
///
/// ```
/// # use orthant::prelude::*;
/// // Pushed by no other body.
/// let boss = (RigidBody::Dynamic, Collider::capsule(0.5, 1.0), Dominance(1));
/// # let _ = boss;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct Dominance(pub i8);
