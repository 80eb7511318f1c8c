//! Which body or joint of the engine belongs to which entity.
//!
//! Component hooks note, in the order of the commands, which entities got, changed or lost what. The
//! gather works the notes off in that order, so that ids do not depend on queries, archetypes or
//! hashes. Hooks never touch the engine: a stage of the step may be using it.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;

use super::attach::ColliderOf;
use super::built::Built;
use crate::engine::body::BodyId;
use crate::engine::joint::{JointDesc, JointId};

/// The engine's body of an entity with a [`RigidBody`](super::RigidBody), which it comes with, or of a
/// [`Collider`](super::Collider) without a body above it.
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
/// use orthant::plugin::EngineBody;
///
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5))).id();
/// step_physics(world, step);
/// let body = world.get::<EngineBody>(ball).expect("a body");
/// assert!(body.colliders().eq([ball]));
/// let id = body.id().expect("a step has passed");
/// assert_eq!(world.resource::<PhysicsWorld>().entity(id), Some(ball));
/// ```
#[derive(Component, Clone, Debug, Default)]
#[component(
    on_insert = insert_body,
    on_discard = discard_body,
    clone_behavior = Ignore
)]
pub struct EngineBody {
    /// Counts the bodies in the order of the commands that made them.
    pub(super) order: u64,
    pub(super) id: Option<BodyId>,
    pub(super) built: Option<Built>,
    /// Its colliders with their numbers, ascending.
    pub(super) list: Vec<(u64, Entity)>,
}

impl EngineBody {
    /// The engine's body; none before the first gather, while the entity is disabled, or if the engine
    /// refused it.
    #[must_use]
    pub const fn id(&self) -> Option<BodyId> {
        self.id
    }

    /// The entities of its colliders, in the order of the commands that made them; those that are
    /// disabled too.
    pub fn colliders(&self) -> impl ExactSizeIterator<Item = Entity> {
        self.list.iter().map(|&(_, entity)| entity)
    }

    /// Lists a collider.
    pub(super) fn list(&mut self, collider: (u64, Entity)) {
        if let Err(place) = self.list.binary_search(&collider) {
            self.list.insert(place, collider);
        }
    }

    /// Takes a collider off the list.
    pub(super) fn forget(&mut self, collider: (u64, Entity)) {
        if let Ok(place) = self.list.binary_search(&collider) {
            self.list.remove(place);
        }
    }
}

/// The engine's joint of an entity with a [`Joint`](super::Joint). Comes with it.
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
/// use orthant::plugin::EngineJoint;
///
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5))).id();
/// let hook = world.spawn(Joint::spherical(None, ball)).id();
/// step_physics(world, step);
/// let id = world.get::<EngineJoint>(hook).and_then(EngineJoint::id).expect("it holds");
/// assert!(world.resource::<PhysicsWorld>().engine().joint(id).is_some());
/// ```
#[derive(Component, Clone, Debug, Default)]
#[component(
    on_insert = insert_joint,
    on_discard = discard_joint,
    clone_behavior = Ignore
)]
pub struct EngineJoint {
    /// Counts the joints in the order of the commands that made them.
    pub(super) order: u64,
    pub(super) id: Option<JointId>,
    /// What the engine's joint was made from.
    pub(super) built: Option<JointDesc>,
    /// The description the engine refused, so that it is not tried again and again.
    pub(super) refused: Option<JointDesc>,
    /// Was it told that it pressed against what cannot yield?
    pub(super) pressed: bool,
    /// The end without a body of which it was told.
    pub(super) missing: Option<Entity>,
}

impl EngineJoint {
    /// The engine's joint; none before the first gather, while an end has no body or the joint is
    /// disabled, or if the engine refused it.
    #[must_use]
    pub const fn id(&self) -> Option<JointId> {
        self.id
    }
}

/// What the hooks noted since the last gather.
#[derive(Resource, Debug, Default)]
pub(super) struct Changes {
    next: u64,
    pub(super) bodies: Vec<Entity>,
    pub(super) joints: Vec<Entity>,
    /// Bodies that a user may have moved.
    pub(super) moved: Vec<Entity>,
    /// Bodies with parents that are looked at after the step.
    pub(super) children: Vec<Entity>,
    /// Bodies that got or lost [`Sleeping`](super::Sleeping), or may have it wrongly.
    pub(super) sleepers: Vec<Entity>,
    /// Colliders that changed.
    pub(super) colliders: Vec<Entity>,
    /// Entities whose colliders, at and below them, may belong to another body now.
    pub(super) trees: Vec<Entity>,
    /// Colliders that are gone, with the entity of their body and their number.
    pub(super) gone_colliders: Vec<(Entity, u64, Entity)>,
    pub(super) gone_bodies: Vec<BodyId>,
    pub(super) gone_joints: Vec<JointId>,
}

impl Changes {
    pub(super) const fn next_order(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

fn insert_body(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let Some(mut changes) = world.get_resource_mut::<Changes>() else { return };
    let order = changes.next_order();
    changes.bodies.push(entity);
    changes.trees.push(entity);
    if let Some(mut body) = world.get_mut::<EngineBody>(entity) {
        *body = EngineBody { order, ..EngineBody::default() };
    }
}

fn discard_body(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let id = world.get::<EngineBody>(entity).and_then(EngineBody::id);
    if let (Some(id), Some(mut changes)) = (id, world.get_resource_mut::<Changes>()) {
        changes.gone_bodies.push(id);
    }
}

fn insert_joint(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let Some(mut changes) = world.get_resource_mut::<Changes>() else { return };
    let order = changes.next_order();
    changes.joints.push(entity);
    if let Some(mut joint) = world.get_mut::<EngineJoint>(entity) {
        *joint = EngineJoint { order, ..EngineJoint::default() };
    }
}

fn discard_joint(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let id = world.get::<EngineJoint>(entity).and_then(EngineJoint::id);
    if let (Some(id), Some(mut changes)) = (id, world.get_resource_mut::<Changes>()) {
        changes.gone_joints.push(id);
    }
}

/// Hook of components that say what a body is like: look at the body again. Changed values are found
/// by change detection, removed ones only so.
pub(super) fn queue_body(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    if world.get::<EngineBody>(entity).is_some()
        && let Some(mut changes) = world.get_resource_mut::<Changes>()
    {
        changes.bodies.push(entity);
    }
}

/// Hook of [`Joint`](super::Joint): look at the joint again.
pub(super) fn queue_joint(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    if world.get::<EngineJoint>(entity).is_some()
        && let Some(mut changes) = world.get_resource_mut::<Changes>()
    {
        changes.joints.push(entity);
    }
}

type Kinds = (Has<EngineBody>, Has<EngineJoint>, Has<ColliderOf>);
type Links<'w, 's> = Query<'w, 's, Kinds, Allow<Disabled>>;

fn queue(entity: Entity, changes: &mut Changes, links: &Links) {
    if let Ok((body, joint, collider)) = links.get(entity) {
        if body {
            changes.bodies.push(entity);
        }
        if joint {
            changes.joints.push(entity);
        }
        if collider {
            changes.colliders.push(entity);
        }
    }
}

/// A disabled entity leaves the world.
pub(super) fn disabled(on: On<Add<Disabled>>, mut changes: ResMut<Changes>, links: Links) {
    queue(on.entity, &mut changes, &links);
}

/// An enabled entity comes back.
pub(super) fn enabled(on: On<Remove<Disabled>>, mut changes: ResMut<Changes>, links: Links) {
    queue(on.entity, &mut changes, &links);
}

/// Entities with a component, ascending.
fn having<C: Component>(world: &mut World) -> Vec<Entity> {
    let mut query = world.query_filtered::<Entity, (With<C>, Allow<Disabled>)>();
    let mut list: Vec<Entity> = query.iter(world).collect();
    list.sort_unstable();
    list
}

/// Notes the bodies, colliders and joints that were there before the plugin.
pub(super) fn adopt(world: &mut World) {
    for entity in having::<EngineBody>(world) {
        let mut changes = world.resource_mut::<Changes>();
        let order = changes.next_order();
        changes.bodies.push(entity);
        world.entity_mut(entity).modify_component(|body: &mut EngineBody| body.order = order);
    }
    for entity in having::<ColliderOf>(world) {
        let mut changes = world.resource_mut::<Changes>();
        let order = changes.next_order();
        changes.colliders.push(entity);
        world.entity_mut(entity).modify_component(|link: &mut ColliderOf| link.order = order);
    }
    for entity in having::<EngineJoint>(world) {
        let mut changes = world.resource_mut::<Changes>();
        let order = changes.next_order();
        changes.joints.push(entity);
        world.entity_mut(entity).modify_component(|joint: &mut EngineJoint| joint.order = order);
    }
}
