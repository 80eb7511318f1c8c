//! A character that is ready: [`CharacterController`].

use bevy_ecs::prelude::*;
use bevy_math::Dir3;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
#[cfg(feature = "serialize")]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};
use bevy_time::Time;

use super::move_and_slide::MoveAndSlideConfig;
use super::surroundings::{Met, Other, Surroundings};
use super::walk::{Pace, Push, Walker};
use crate::engine::body::BodyId;
use crate::engine::collider::Collider as EngineCollider;
use crate::math::{PI, Real, Vec3, from_single3, narrow, quat_exp, quat_mul};
use crate::plugin::components::RigidBody;
use crate::plugin::link::EngineBody;
use crate::plugin::settings::Gravity;
use crate::plugin::time::Physics;
use crate::plugin::world::PhysicsWorld;

/// A character that walks, falls, jumps and steps as [`CharacterInput`] says; what became of it tells
/// [`CharacterState`].
///
/// Needs a [`Collider`](crate::plugin::Collider) on its entity, upright: a capsule, a cylinder or a box. Its
/// body is kinematic: nothing pushes it, and it pushes dynamic bodies with at most `push_force`, stands on
/// them with its weight, and is carried by all that moves below it. It meets what its
/// [`CollisionLayers`](crate::plugin::CollisionLayers) meet, but no sensors, and no two characters walk into
/// each other. Writing its `Transform` places and turns it.
///
/// The way over the ground is what was asked for at any slope and any length of a step. What is steeper than
/// `max_slope` is a wall, on which one slides down; what is no higher than `step_height` is stepped on.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     let body = (Collider::capsule(0.3, 1.2), Transform::from_xyz(0.0, 1.0, 0.0));
///     commands.spawn((CharacterController::default(), body));
/// }
///
/// fn play(mut players: Query<(&mut CharacterInput, &CharacterState)>) {
///     for (mut input, state) in &mut players {
///         input.walk = Vec3::X * 4.0;
///         if state.is_grounded() {
///             input.jump = 5.0;
///         }
///     }
/// }
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[require(RigidBody::Kinematic, CharacterInput, CharacterState)]
pub struct CharacterController {
    /// Which way is up.
    pub up: Dir3,
    /// Steepest ground that it walks on (rad), from 0 to less than π/2.
    pub max_slope: Real,
    /// Highest step that it takes (m), ≥ 0.
    pub step_height: Real,
    /// How far down it follows the ground when it walks off an edge (m), ≥ 0; farther, it falls.
    pub snap_distance: Real,
    /// How fast its velocity becomes the one that is asked for [m/s²], > 0.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub acceleration: Real,
    /// How fast it does in the air, if another one than zero is asked for [m/s²], ≥ 0.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub air_acceleration: Real,
    /// Mass (kg), ≥ 0: its weight on what it stands on. It does not step on lighter dynamic bodies.
    pub mass: Real,
    /// Largest force with which it pushes dynamic bodies (N), ≥ 0.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub push_force: Real,
    /// Does it turn with the ground?
    pub turns_with_ground: bool,
    /// How it moves and slides; half of its skin is the nearest that it comes to anything.
    pub sliding: MoveAndSlideConfig,
}

impl Default for CharacterController {
    /// A person of 80 kg: slopes up to 45°, steps up to 0.3 m, pushes with 500 N.
    fn default() -> Self {
        Self {
            up: Dir3::Y,
            max_slope: PI / 4.0,
            step_height: 0.3,
            snap_distance: 0.3,
            acceleration: 40.0,
            air_acceleration: 10.0,
            mass: 80.0,
            push_force: 500.0,
            turns_with_ground: true,
            sliding: MoveAndSlideConfig::default(),
        }
    }
}

/// What a [`CharacterController`] is asked to do.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn walk(mut characters: Query<(&mut CharacterInput, &CharacterState)>) {
///     for (mut input, state) in &mut characters {
///         input.walk = orthant::math::Vec3::X * 4.0;
///         input.jump = if state.ground.is_some() { 5.0 } else { 0.0 };
///     }
/// }
/// # bevy_ecs::system::assert_is_system(walk);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct CharacterInput {
    /// Velocity over the ground [m/s], in the world; its part along `up` is ignored.
    pub walk: Vec3,
    /// Speed of a jump [m/s], none if 0. The next step takes it, whether the character stands or not.
    pub jump: Real,
}

/// What became of a [`CharacterController`] in the last step.
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
/// world.spawn(Collider::half_space(Vec3::Y));
/// let above = bevy_transform::components::Transform::from_xyz(0.0, 1.0, 0.0);
/// let player = (CharacterController::default(), Collider::capsule(0.3, 1.2), above);
/// let player = world.spawn(player).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// assert!(world.get::<CharacterState>(player).expect("a state").is_grounded());
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct CharacterState {
    /// Velocity [m/s]: on the ground horizontal and relative to it, in the air that in the world.
    pub velocity: Vec3,
    /// What it stands on.
    pub ground: Option<CharacterGround>,
}

impl CharacterState {
    /// Does it stand on something?
    #[must_use]
    pub const fn is_grounded(&self) -> bool {
        self.ground.is_some()
    }
}

/// What a character stands on.
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
/// let floor = world.spawn(Collider::half_space(Vec3::Y)).id();
/// let above = bevy_transform::components::Transform::from_xyz(0.0, 1.0, 0.0);
/// let player = (CharacterController::default(), Collider::capsule(0.3, 1.2), above);
/// let player = world.spawn(player).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// let ground = world.get::<CharacterState>(player).and_then(|state| state.ground);
/// assert_eq!(ground.map(|ground| ground.entity), Some(floor));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterGround {
    /// The collider.
    pub entity: Entity,
    /// Its body.
    pub body: Entity,
    /// World point (m).
    pub point: Vec3,
    /// Unit normal of the surface, in the world.
    pub normal: Vec3,
}

type Character = (
    Entity,
    &'static EngineBody,
    &'static CharacterController,
    &'static mut CharacterInput,
    &'static mut CharacterState,
);

/// Leads every character through the coming step, in the order of their bodies. Those that are led already
/// are where they will be, the others where they are, so that no two get into each other.
pub(in crate::plugin) fn lead_characters(
    mut physics: ResMut<PhysicsWorld>,
    gravity: Res<Gravity>,
    time: Res<Time<Physics>>,
    links: Query<&EngineBody>,
    mut characters: Query<Character>,
) {
    let dt = narrow(time.delta_secs_f64());
    let mut crowd = characters
        .iter()
        .filter_map(|(entity, link, ..)| {
            Some((entity, as_other(&physics, entity, link.id()?, dt)?))
        })
        .collect::<Vec<_>>();
    if dt <= 0.0 {
        return;
    }
    crowd.sort_unstable_by_key(|(_, other)| other.body);
    let (entities, mut others) = crowd.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
    let mut pushes = Vec::new();
    for (k, entity) in entities.into_iter().enumerate() {
        let Ok((_, _, settings, mut input, mut state)) = characters.get_mut(entity) else {
            continue;
        };
        let own = others.remove(k);
        let ground = state.ground.and_then(|ground| {
            let id = links.get(ground.body).ok()?.id()?;
            Some(ground.met(id))
        });
        let walker = Walker {
            position: own.position,
            rotation: own.rotation,
            velocity: state.velocity,
            ground,
        };
        pushes.clear();
        let scene = Scene { physics: &physics, gravity: gravity.0, dt };
        let walker = scene.advance(&own, &others, walker, settings, &input, &mut pushes);
        let ground = walker.ground.and_then(|met| CharacterGround::new(&physics, &met));
        *state = CharacterState { velocity: walker.velocity, ground };
        if input.jump != 0.0 {
            input.jump = 0.0;
        }
        let moved = Other { position: walker.position, rotation: walker.rotation, ..own };
        lead(&mut physics, &moved);
        load(&mut physics, &walker, gravity.0 * settings.mass);
        push(&mut physics, &mut pushes, settings, dt);
        others.insert(k, moved);
    }
}

/// What all characters share.
struct Scene<'a> {
    physics: &'a PhysicsWorld,
    gravity: Vec3,
    dt: Real,
}

impl Scene<'_> {
    /// Makes the step of one character.
    fn advance(
        &self,
        own: &Other,
        others: &[Other],
        walker: Walker,
        settings: &CharacterController,
        input: &CharacterInput,
        pushes: &mut Vec<Push>,
    ) -> Walker {
        let engine = &self.physics.engine;
        let Some(body) = engine.body(own.body) else { return walker };
        let Some(collider) = body.colliders().list().iter().find(|c| c.tag == own.tag) else {
            return walker;
        };
        // Characters are met where they are going to be.
        let meets = |id: BodyId, other: &EngineCollider| {
            id != own.body
                && !other.sensor
                && collider.layers.meets(other.layers)
                && others.binary_search_by_key(&id, |other| other.body).is_err()
        };
        let around = Surroundings {
            engine,
            tree: &self.physics.tree(),
            admits: &meets,
            others,
            shape: &own.shape,
            rotation: own.rotation,
        };
        let gravity = self.gravity * body.gravity_scale;
        let up = from_single3(*settings.up);
        Pace { around: &around, settings, up, gravity, dt: self.dt }.step(walker, input, pushes)
    }
}

impl CharacterGround {
    /// As the geometry knows it.
    pub(super) const fn met(&self, body: BodyId) -> Met {
        let Self { entity, point, normal, .. } = *self;
        Met { body, tag: entity.to_bits(), distance: 0.0, point, normal }
    }

    pub(super) fn new(physics: &PhysicsWorld, met: &Met) -> Option<Self> {
        let (entity, body) = (Entity::try_from_bits(met.tag)?, physics.entity(met.body)?);
        Some(Self { entity, body, point: met.point, normal: met.normal })
    }
}

/// A character with the shape of the collider on its entity, where it is or, if a user placed it, is to be.
fn as_other(physics: &PhysicsWorld, entity: Entity, id: BodyId, dt: Real) -> Option<Other> {
    let body = physics.engine.body(id)?;
    let tag = entity.to_bits();
    let collider = body.colliders().list().iter().find(|collider| collider.tag == tag)?;
    let (linear, angular) = body.velocities_ahead(dt);
    Some(Other {
        body: id,
        tag,
        shape: collider.shape.clone(),
        position: body.position() + linear * dt,
        rotation: quat_mul(quat_exp(angular * dt), body.rotation()),
    })
}

/// Has the body of a character move to its place within the coming step.
fn lead(physics: &mut PhysicsWorld, character: &Other) {
    let Other { body, position, rotation, .. } = *character;
    if let Some(body) = physics.body_mut(body)
        && (body.position(), body.rotation()) != (position, rotation)
    {
        body.set_target(position, rotation);
    }
}

/// Puts a weight (N) on what a character stands on.
fn load(physics: &mut PhysicsWorld, walker: &Walker, weight: Vec3) {
    let Some(ground) = &walker.ground else { return };
    let body = physics.body_mut(ground.body);
    if let Some(body) = body.filter(|body| body.is_dynamic()) {
        body.apply_force_at_point(weight, ground.point);
    }
}

/// Pushes what a character ran into, each body once: with what makes both as fast as the other, at most with
/// the force of the character for a step of `dt` seconds, at the height of the center of mass.
fn push(
    physics: &mut PhysicsWorld,
    pushes: &mut Vec<Push>,
    settings: &CharacterController,
    dt: Real,
) {
    let up = from_single3(*settings.up);
    pushes.sort_by(|a, b| a.body.cmp(&b.body).then(b.speed.total_cmp(&a.speed)));
    pushes.dedup_by_key(|push| push.body);
    for Push { body, point, direction, speed } in pushes.drain(..) {
        let Some(body) = physics.body_mut(body) else { continue };
        let point = point + up * (body.center() - point).dot(up);
        let closing = speed - body.velocity_at(point).dot(direction);
        let mass = settings.mass * body.mass() / (settings.mass + body.mass());
        let impulse = (mass * closing).min(settings.push_force * dt);
        if impulse > 0.0 {
            body.apply_linear_impulse_at_point(direction * impulse, point);
        }
    }
}
