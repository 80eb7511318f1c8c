//! Reading contacts.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use super::Entities;
use crate::engine::body::Body;
use crate::engine::pair::Pair;
use crate::engine::touch::Touch;
use crate::math::{Real, Vec3, narrow3};
use crate::plugin::world::PhysicsWorld;

/// What touches what since the last step, with points, gaps, normals and impulses.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// # #[derive(Component)] struct Player;
/// fn weight_on(player: Single<Entity, With<Player>>, collisions: Collisions) {
///     let carried: f64 =
///         collisions.of(*player).map(|pair| f64::from(pair.normal_impulse() as f32)).sum();
///     println!("{carried} N s in the last step");
/// }
/// ```
///
/// A lookup by entity costs O(touches).
#[derive(SystemParam)]
pub struct Collisions<'w> {
    physics: Res<'w, PhysicsWorld>,
}

impl Collisions<'_> {
    /// All touching pairs of colliders, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = ContactPair<'_>> {
        let touches = self.physics.engine.touches().all();
        touches.iter().filter_map(|touch| ContactPair::new(&self.physics, touch))
    }

    /// The touching pairs that an entity takes part in, as a collider or as a body.
    pub fn of(&self, entity: Entity) -> impl Iterator<Item = ContactPair<'_>> {
        self.iter().filter(move |pair| pair.has(entity))
    }

    /// The pair of two entities, each a collider or a body, if they touch; the first if the bodies touch
    /// with several colliders.
    #[must_use]
    pub fn get(&self, one: Entity, two: Entity) -> Option<ContactPair<'_>> {
        self.of(one).find(|pair| pair.joins(one, two))
    }

    /// Do two entities touch, each a collider or a body?
    #[must_use]
    pub fn contains(&self, one: Entity, two: Entity) -> bool {
        self.get(one, two).is_some()
    }

    /// The colliders that touch an entity, a collider or a body.
    pub fn colliding_with(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        self.of(entity).map(move |pair| {
            let is_first = pair.collider1 == entity || pair.body1 == Some(entity);
            if is_first { pair.collider2 } else { pair.collider1 }
        })
    }
}

/// Two colliders that touch.
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
/// let carried = move |touching: Collisions| {
///     touching.get(floor, ball).map(|pair| pair.normal_impulse())
/// };
/// # use bevy_ecs::system::RunSystemOnce;
/// let impulse = world.run_system_once(carried).expect("a system").expect("they touch");
/// // Its weight, 0.52 kg · 9.81 m/s², over a step.
/// assert!((impulse - 0.52 * 9.81 / 60.0).abs() < 0.01);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ContactPair<'w> {
    /// The first collider.
    pub collider1: Entity,
    /// The second collider.
    pub collider2: Entity,
    /// The body of the first collider.
    pub body1: Option<Entity>,
    /// The body of the second collider.
    pub body2: Option<Entity>,
    physics: &'w PhysicsWorld,
    touch: &'w Touch,
}

/// A contact, for reading.
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
/// let normals = move |touching: Collisions| {
///     let pair = touching.get(floor, ball).expect("they touch");
///     pair.contacts().map(|contact| contact.normal.y.abs()).collect::<Vec<_>>()
/// };
/// # use bevy_ecs::system::RunSystemOnce;
/// assert_eq!(world.run_system_once(normals).expect("a system"), [1.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// World point (m) in the middle between both surfaces, found at the start of the step and moved
    /// along with the center of the first body.
    pub point: Vec3,
    /// Unit normal from the first body to the second.
    pub normal: Vec3,
    /// Distance of the surfaces along the normal (m) at the start of the step; negative in overlap.
    pub gap: Real,
    /// Impulse along the normal in the last step [N·s].
    pub normal_impulse: Real,
    /// Friction impulse on the second body in the last step [N·s], world axes.
    pub tangent_impulse: Vec3,
}

impl<'w> ContactPair<'w> {
    fn new(physics: &'w PhysicsWorld, touch: &'w Touch) -> Option<Self> {
        let Entities { colliders: [collider1, collider2], bodies: [body1, body2] } =
            Entities::of(physics, &touch.key)?;
        Some(Self { collider1, collider2, body1, body2, physics, touch })
    }

    /// Is the entity one of the colliders or bodies?
    #[must_use]
    pub fn has(&self, entity: Entity) -> bool {
        self.is_first(entity) || self.is_second(entity)
    }

    fn is_first(&self, entity: Entity) -> bool {
        self.collider1 == entity || self.body1 == Some(entity)
    }

    fn is_second(&self, entity: Entity) -> bool {
        self.collider2 == entity || self.body2 == Some(entity)
    }

    fn joins(&self, one: Entity, two: Entity) -> bool {
        self.is_first(one) && self.is_second(two) || self.is_first(two) && self.is_second(one)
    }

    /// Is one of the two a sensor? Then there are no contacts.
    #[must_use]
    pub const fn is_sensor(&self) -> bool {
        self.touch.sensor
    }

    /// Impulse on the second body in the last step [N·s], world axes; opposite on the first.
    #[must_use]
    pub const fn impulse(&self) -> Vec3 {
        self.touch.impulse
    }

    /// Sum of the normal impulses of all contacts in the last step [N·s].
    #[must_use]
    pub const fn normal_impulse(&self) -> Real {
        self.touch.normal_impulse
    }

    /// The pairs of convex pieces.
    fn pairs(&self) -> impl Iterator<Item = &'w Pair> + use<'w> {
        let pairs = self.physics.engine.pairs();
        let key = self.touch.key;
        let start = pairs.partition_point(|pair| [pair.key.a, pair.key.b] < key.bodies);
        let same_bodies = move |pair: &&Pair| [pair.key.a, pair.key.b] == key.bodies;
        let same_colliders = move |pair: &&Pair| pair.tags == key.tags;
        pairs[start..].iter().map(Box::as_ref).take_while(same_bodies).filter(same_colliders)
    }

    /// The contacts.
    pub fn contacts(&self) -> impl Iterator<Item = ContactPoint> + use<'w> {
        let center =
            self.physics.engine.body(self.touch.key.bodies[0]).map_or(Vec3::ZERO, Body::center);
        self.pairs().flat_map(|pair| &pair.contacts).map(move |contact| {
            let impulse = narrow3(contact.impulse[1]);
            let along = impulse.dot(contact.normal);
            ContactPoint {
                point: center + contact.arms[0],
                normal: contact.normal,
                gap: contact.gap,
                normal_impulse: along,
                tangent_impulse: impulse - contact.normal * along,
            }
        })
    }

    /// Signed plane separation at the start of the last step (m): the smallest of the convex pieces.
    #[must_use]
    pub fn separation(&self) -> Real {
        self.pairs().map(|pair| pair.separation).fold(Real::INFINITY, Real::min)
    }

    /// Ratio penetration depth Φ = 1 - 1/r at the start of the last step (-): the smallest of the
    /// convex pieces; negative in overlap.
    #[must_use]
    pub fn ratio_gap(&self) -> Real {
        self.pairs().map(|pair| pair.gap).fold(Real::INFINITY, Real::min)
    }
}
