//! Starts, ends and impulses of collisions, as messages and entity events: what is told, and to whom.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use crate::engine::touch::Touch;
use crate::math::{Real, Vec3};

/// Tells collisions of this entity, a collider or a body with its colliders, as [`CollisionStart`] and
/// [`CollisionEnd`].
///
/// Added while the entity touches something, the start is told with the next step; removed meanwhile,
/// the end is told all the same.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn hear(mut starts: MessageReader<CollisionStart>) {
///     for start in starts.read() {
///         println!("{} met {}: {:?}", start.collider1, start.collider2, start.impact);
///     }
/// }
///
/// let loud = (RigidBody::Dynamic, Collider::sphere(0.2), CollisionEventsEnabled);
/// # let _ = loud;
/// # bevy_ecs::system::assert_is_system(hear);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct CollisionEventsEnabled;

/// How hard two colliders met.
///
/// A body that arrives within a step is slowed in it to just arrive, and stopped in the next. Of such a
/// blow, faster than
/// [`ContactSettings::restitution_speed`](crate::engine::settings::ContactSettings::restitution_speed), the
/// second step tells, of both.
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
/// #[derive(Resource, Default)]
/// struct Speed(Option<orthant::math::Real>);
///
/// world.init_resource::<Speed>();
/// let floor = world.spawn((Collider::half_space(Vec3::Y), CollisionEventsEnabled)).id();
/// let above = bevy_transform::components::Transform::from_xyz(0.0, 1.0, 0.0);
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5), above)).id();
/// world.entity_mut(floor).observe(|start: On<CollisionStart>, mut speed: ResMut<Speed>| {
///     speed.0 = start.impact.map(|impact| impact.speed);
/// });
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// // From half a metre: √(2 · 9.81 · 0.5) = 3.13 m/s.
/// let speed = world.resource::<Speed>().0.expect("it hit the floor");
/// assert!((speed - 3.13).abs() < 0.1, "{speed}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct Impact {
    /// Impulse on the second body [N·s], world axes; opposite on the first: of the whole blow, with what
    /// else presses in its steps, else of this step.
    pub impulse: Vec3,
    /// Sum of the normal impulses of all contacts [N·s], likewise.
    pub normal_impulse: Real,
    /// Speed [m/s] at which the bodies approached each other as they met, at `point`, the fall to there
    /// counted; negative if they parted.
    pub speed: Real,
    /// World point (m) of the contact with the largest impulse as they met.
    pub point: Vec3,
    /// Unit normal there, from the first body to the second.
    pub normal: Vec3,
}

impl Impact {
    pub(super) fn of(touch: &Touch) -> Option<Self> {
        touch.at.map(|at| Self {
            impulse: touch.impulse,
            normal_impulse: touch.normal_impulse,
            speed: at.speed,
            point: at.point,
            normal: at.normal,
        })
    }

    /// With the impulse of the next step.
    pub(super) fn and(self, next: &Touch) -> Self {
        Self {
            impulse: self.impulse + next.impulse,
            normal_impulse: self.normal_impulse + next.normal_impulse,
            ..self
        }
    }

    /// As the other body sees it.
    pub(super) fn swapped(self) -> Self {
        Self { impulse: -self.impulse, normal: -self.normal, ..self }
    }
}

/// Two colliders began to touch: a contact between them carries an impulse, or they overlap.
///
/// As a message it comes once for a pair in which a collider or its body has [`CollisionEventsEnabled`],
/// always with the two in the same order. As an entity event it comes to each entity that has it, which
/// then is the first of the two. Exactly one [`CollisionEnd`] follows.
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
/// let floor = world.spawn((Collider::half_space(Vec3::Y), CollisionEventsEnabled)).id();
/// let above = bevy_transform::components::Transform::from_xyz(0.0, 1.0, 0.0);
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5), above)).id();
///
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// let starts: Vec<_> = world.resource_mut::<Messages<CollisionStart>>().drain().collect();
/// assert_eq!(starts.len(), 1);
/// assert!([starts[0].collider1, starts[0].collider2].contains(&ball));
/// ```
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Reflect)]
pub struct CollisionStart {
    /// Whom the entity event is for: `collider1` or `body1`. The same as `collider1` in a message.
    #[event_target]
    pub entity: Entity,
    /// The first collider.
    pub collider1: Entity,
    /// The second collider.
    pub collider2: Entity,
    /// The body of the first collider.
    pub body1: Option<Entity>,
    /// The body of the second collider.
    pub body2: Option<Entity>,
    /// How hard they met; none for sensors.
    pub impact: Option<Impact>,
}

/// Two colliders no longer touch: no contact carries an impulse and they are farther apart than the
/// contact margin, or one of them is gone, disabled, or no longer meets the other.
///
/// Comes exactly once after each [`CollisionStart`], in the same way.
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
/// let floor = world.spawn((Collider::half_space(Vec3::Y), CollisionEventsEnabled)).id();
/// let above = bevy_transform::components::Transform::from_xyz(0.0, 1.0, 0.0);
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5), above)).id();
///
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// world.despawn(ball);
/// step_physics(world, step);
/// assert_eq!(world.resource_mut::<Messages<CollisionEnd>>().drain().count(), 1);
/// ```
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub struct CollisionEnd {
    /// Whom the entity event is for: `collider1` or `body1`. The same as `collider1` in a message.
    #[event_target]
    pub entity: Entity,
    /// The first collider; it may be gone.
    pub collider1: Entity,
    /// The second collider; it may be gone.
    pub collider2: Entity,
    /// The body of the first collider; it may be gone.
    pub body1: Option<Entity>,
    /// The body of the second collider; it may be gone.
    pub body2: Option<Entity>,
}

/// Tells contacts of this entity, a collider or a body with its colliders, as [`ContactImpulse`] in every
/// step in which their normal impulses sum up to at least this [N·s], and of a blow once, if the whole of it
/// does. A weight of F newtons at rest makes `F dt` a step.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// // Told of blows of 20 N·s and more.
/// let glass = (RigidBody::Dynamic, Collider::cylinder(0.05, 0.2), ContactImpulseThreshold(20.0));
/// # let mut world = World::new();
/// world.spawn(glass).observe(|blow: On<ContactImpulse>, mut commands: Commands| {
///     commands.entity(blow.collider1).despawn();
/// });
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ContactImpulseThreshold(pub Real);

/// The contacts of two colliders carried an impulse of at least the smaller
/// [`ContactImpulseThreshold`] of the two. Told as [`CollisionStart`] is.
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
/// let floor = world.spawn((Collider::half_space(Vec3::Y), ContactImpulseThreshold(1.0))).id();
/// let above = bevy_transform::components::Transform::from_xyz(0.0, 1.0, 0.0);
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5), above)).id();
///
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// // A ball of 0.52 kg at 3.13 m/s; at rest it presses with less.
/// let blows: Vec<_> = world.resource_mut::<Messages<ContactImpulse>>().drain().collect();
/// assert_eq!(blows.len(), 1);
/// assert!((blows[0].impact.normal_impulse - 0.52 * 3.13).abs() < 0.2);
/// ```
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Reflect)]
pub struct ContactImpulse {
    /// Whom the entity event is for: `collider1` or `body1`. The same as `collider1` in a message.
    #[event_target]
    pub entity: Entity,
    /// The first collider.
    pub collider1: Entity,
    /// The second collider.
    pub collider2: Entity,
    /// The body of the first collider.
    pub body1: Option<Entity>,
    /// The body of the second collider.
    pub body2: Option<Entity>,
    /// The impulse.
    pub impact: Impact,
}

/// The colliders that touch this entity, a collider or a body with its colliders; ascending. Kept up to
/// date after each step.
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
/// let floor = world.spawn((Collider::half_space(Vec3::Y), CollidingEntities::default())).id();
/// let above = bevy_transform::components::Transform::from_xyz(0.0, 1.0, 0.0);
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5), above)).id();
///
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// assert_eq!(world.get::<CollidingEntities>(floor).expect("a list")[..], [ball]);
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct CollidingEntities(pub(super) Vec<Entity>);

impl core::ops::Deref for CollidingEntities {
    type Target = [Entity];

    fn deref(&self) -> &[Entity] {
        &self.0
    }
}
