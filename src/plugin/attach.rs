//! Which body a collider belongs to.
//!
//! A collider belongs to the nearest body at or above its entity; without one, its own entity is a static
//! body. [`ColliderOf`] names the body, the
//! [`EngineBody`] lists its colliders in the order of the commands that made them, and both are brought
//! up to date in the gather, before the bodies are. Entities on the way from a collider up to its body
//! (or to the root) carry [`ColliderAncestor`]: change detection finds those that moved, hooks and
//! observers those that got another parent, and what is below them is looked at again. So nothing that
//! has no collider below is ever visited, and nothing that did not change.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::system::SystemParam;
use bevy_ecs::world::DeferredWorld;
use bevy_transform::components::Transform;

use super::changed::{EvenDisabled, Rows, append_changed};
use super::collider::{Collider, ColliderDisabled, Sensor};
use super::components::{Friction, Restitution, RigidBody, RollingFriction};
use super::frame::DEPTH_MAX;
use super::layers::CollisionLayers;
use super::link::{Changes, EngineBody};
use super::mass::ColliderDensity;
use super::mirror::Mirror;

/// The body a [`Collider`] belongs to: the nearest one at or above its entity, else, as a static one, its
/// entity itself. Comes with it.
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
/// let car = world.spawn(RigidBody::Dynamic).id();
/// let wheel = world.spawn((Collider::sphere(0.3), ChildOf(car))).id();
/// step_physics(world, step);
/// assert_eq!(world.get::<ColliderOf>(wheel).and_then(ColliderOf::body), Some(car));
/// ```
#[derive(Component, Clone, Debug, Default)]
#[component(
    on_insert = insert_collider,
    on_discard = discard_collider,
    clone_behavior = Ignore
)]
pub struct ColliderOf {
    /// Counts the colliders in the order of the commands that made them.
    pub(super) order: u64,
    body: Option<Entity>,
}

impl ColliderOf {
    /// The entity of the body; none before the first gather, or if the entity lost its [`Collider`].
    #[must_use]
    pub const fn body(&self) -> Option<Entity> {
        self.body
    }
}

/// Marks an entity with a collider somewhere below that is not part of a body in between. The gather
/// puts it there and takes it away.
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
/// use orthant::plugin::ColliderAncestor;
///
/// let car = world.spawn(RigidBody::Dynamic).id();
/// let axle = world.spawn(ChildOf(car)).id();
/// world.spawn((Collider::sphere(0.3), ChildOf(axle)));
/// step_physics(world, step);
/// assert!(world.get::<ColliderAncestor>(axle).is_some());
/// ```
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(storage = "SparseSet", clone_behavior = Ignore)]
pub struct ColliderAncestor;

fn insert_collider(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let Some(mut changes) = world.get_resource_mut::<Changes>() else { return };
    let order = changes.next_order();
    changes.colliders.push(entity);
    if let Some(mut link) = world.get_mut::<ColliderOf>(entity) {
        *link = ColliderOf { order, body: None };
    }
}

fn discard_collider(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let Some(&ColliderOf { order, body: Some(body) }) = world.get::<ColliderOf>(entity) else {
        return;
    };
    if let Some(mut changes) = world.get_resource_mut::<Changes>() {
        changes.gone_colliders.push((body, order, entity));
    }
}

/// Hook of components that say what a collider is like: look at the collider again.
pub(super) fn queue_collider(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    if world.get::<ColliderOf>(entity).is_some()
        && let Some(mut changes) = world.get_resource_mut::<Changes>()
    {
        changes.colliders.push(entity);
    }
}

/// Hook of [`RigidBody`]: the colliders at and below the entity may belong to another body now.
pub(super) fn queue_tree(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    if let Some(mut changes) = world.get_resource_mut::<Changes>() {
        changes.trees.push(entity);
    }
}

/// Colliders and what is above them, up to the body.
type Above = (Or<(With<ColliderOf>, With<ColliderAncestor>)>, Without<RigidBody>, Allow<Disabled>);

/// An entity got a parent.
pub(super) fn parent_added(
    on: On<Insert<ChildOf>>,
    mut changes: ResMut<Changes>,
    above: Query<(), Above>,
) {
    if above.contains(on.entity) {
        changes.trees.push(on.entity);
    }
}

/// An entity lost its parent. A body stands elsewhere then and has another scale, without a change of its
/// `Transform`.
pub(super) fn parent_removed(
    on: On<Remove<ChildOf>>,
    mut changes: ResMut<Changes>,
    above: Query<(), Above>,
    bodies: Query<(), (With<EngineBody>, Allow<Disabled>)>,
) {
    if bodies.contains(on.entity) {
        changes.moved.push(on.entity);
        changes.bodies.push(on.entity);
    }
    if above.contains(on.entity) {
        changes.trees.push(on.entity);
    }
}

/// The entities of colliders.
type OfCollider = (With<ColliderOf>, EvenDisabled);

/// What says what a collider is like.
#[derive(SystemParam)]
pub(super) struct Properties<'w, 's> {
    colliders: Rows<'w, 's, Collider, OfCollider>,
    frictions: Rows<'w, 's, Friction, OfCollider>,
    rolling: Rows<'w, 's, RollingFriction, OfCollider>,
    restitutions: Rows<'w, 's, Restitution, OfCollider>,
    densities: Rows<'w, 's, ColliderDensity, OfCollider>,
    layers: Rows<'w, 's, CollisionLayers, OfCollider>,
    sensors: Rows<'w, 's, Sensor, OfCollider>,
    disabled: Rows<'w, 's, ColliderDisabled, OfCollider>,
}

impl Properties<'_, '_> {
    /// Appends the colliders of which one changed.
    fn append_changed(&self, list: &mut Vec<Entity>) {
        append_changed(&self.colliders, list);
        append_changed(&self.frictions, list);
        append_changed(&self.rolling, list);
        append_changed(&self.restitutions, list);
        append_changed(&self.densities, list);
        append_changed(&self.layers, list);
        append_changed(&self.sensors, list);
        append_changed(&self.disabled, list);
    }
}

/// An entity of the hierarchy.
#[derive(QueryData)]
struct Node {
    is_body: Has<RigidBody>,
    is_shaped: Has<Collider>,
    is_collider: Has<ColliderOf>,
    is_above: Has<ColliderAncestor>,
    child_of: Option<&'static ChildOf>,
    children: Option<&'static Children>,
}

/// The hierarchy around colliders.
#[derive(SystemParam)]
pub(super) struct Hierarchy<'w, 's> {
    nodes: Query<'w, 's, Node, Allow<Disabled>>,
}

impl Hierarchy<'_, '_> {
    /// Appends the colliders at and below an entity that do not belong to bodies in between.
    fn colliders_below(&self, root: Entity, found: &mut Vec<Entity>, stack: &mut Vec<Entity>) {
        stack.clear();
        stack.push(root);
        while let Some(entity) = stack.pop() {
            let Ok(node) = self.nodes.get(entity) else { continue };
            if entity != root && node.is_body {
                continue;
            }
            if node.is_collider {
                found.push(entity);
            }
            if entity == root || node.is_above {
                // Parents in a circle lead back to the root.
                let children = node.children.into_iter().flatten().copied();
                stack.extend(children.filter(|&child| child != root));
            }
        }
    }

    /// The body of a collider. Appends the entities between them.
    fn body_of(&self, collider: Entity, between: &mut Vec<Entity>) -> Option<Entity> {
        let mut next = collider;
        for _ in 0..DEPTH_MAX {
            let node = self.nodes.get(next).ok()?;
            if node.is_body {
                return Some(next);
            }
            if next != collider {
                between.push(next);
            }
            next = node.child_of?.parent();
        }
        None
    }
}

/// Buffers of [`attach_colliders`].
#[derive(Default)]
pub(super) struct Buffers {
    list: Vec<(u64, Entity)>,
    found: Vec<Entity>,
    stack: Vec<Entity>,
    between: Vec<Entity>,
    empty: Vec<Entity>,
}

/// Finds the body of every collider that was pointed out, and points out that body.
pub(super) fn attach_colliders(
    mut changes: ResMut<Changes>,
    mut commands: Commands,
    hierarchy: Hierarchy,
    moved: Query<Entity, (Changed<Transform>, Above)>,
    properties: Properties,
    mut links: Query<&mut ColliderOf, Allow<Disabled>>,
    mut bodies: Query<&mut EngineBody, Allow<Disabled>>,
    mut buffers: Local<Buffers>,
) {
    let Buffers { list, found, stack, between, empty } = &mut *buffers;
    let changes = &mut *changes;
    for (body, order, entity) in changes.gone_colliders.drain(..) {
        if let Ok(mut body) = bodies.get_mut(body) {
            body.forget((order, entity));
        }
        changes.bodies.push(body);
    }
    found.clear();
    between.clear();
    empty.clear();
    for root in changes.trees.drain(..).chain(&moved) {
        let before = found.len();
        hierarchy.colliders_below(root, found, stack);
        if found.len() == before {
            empty.push(root);
        }
    }
    found.append(&mut changes.colliders);
    properties.append_changed(found);
    list.clear();
    list.extend(found.iter().filter_map(|&e| Some((links.get(e).ok()?.order, e))));
    list.sort_unstable();
    list.dedup();
    for &(order, entity) in list.iter() {
        let Ok(mut link) = links.get_mut(entity) else { continue };
        let shaped = hierarchy.nodes.get(entity).is_ok_and(|node| node.is_shaped);
        let body = shaped.then(|| hierarchy.body_of(entity, between).unwrap_or(entity));
        if let Some(old) = link.body.filter(|_| link.body != body) {
            if let Ok(mut old) = bodies.get_mut(old) {
                old.forget((order, entity));
            }
            changes.bodies.push(old);
        }
        link.body = body;
        changes.bodies.extend(body);
        let Some(body) = body else { continue };
        if let Ok(body) = bodies.get_mut(body) {
            body.into_inner().list((order, entity));
        } else {
            commands.entity(body).queue_silenced(move |mut body: EntityWorldMut| {
                body.insert((EngineBody::default(), Mirror::default()));
                if let Some(mut body) = body.get_mut::<EngineBody>() {
                    body.list((order, entity));
                }
            });
        }
    }
    mark(&mut commands, &hierarchy, between, empty);
}

/// Marks the entities above colliders, and no others.
fn mark(
    commands: &mut Commands,
    hierarchy: &Hierarchy,
    between: &mut Vec<Entity>,
    empty: &[Entity],
) {
    between.sort_unstable();
    between.dedup();
    let marked = |entity| hierarchy.nodes.get(entity).is_ok_and(|node| node.is_above);
    for &entity in between.iter().filter(|&&entity| !marked(entity)) {
        commands.entity(entity).try_insert(ColliderAncestor);
    }
    let stale = |entity: &Entity| marked(*entity) && between.binary_search(entity).is_err();
    for &entity in empty.iter().filter(|&entity| stale(entity)) {
        commands.entity(entity).try_remove::<ColliderAncestor>();
    }
}
