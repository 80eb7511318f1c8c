//! Bodies come, go and change what they are made of.
//!
//! The gather looks at every body that a hook, change detection or one of its colliders points out, in
//! the order in which the commands made them, and brings the engine in line with the components: an
//! enabled entity with a [`RigidBody`] has a body, one with a collider that belongs to no other has a static
//! one, any other has none. Colliders and mass are made
//! again only if what they are made from changed, because that drops the body's contacts.

use bevy_app::{App, Last, Plugin};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::system::SystemParam;
use bevy_transform::components::Transform;

use super::attach::{ColliderOf, attach_colliders, parent_added, parent_removed};
use super::built::{BodyFriction, Built, ColliderReader};
use super::changed::{Rows, append_changed};
use super::collider::{Collider, ColliderDisabled, Sensor};
use super::components::{
    AngularDamping, AngularVelocity, DefaultFriction, Dominance, Friction, GravityScale,
    KinematicTarget, LinearDamping, LinearVelocity, Restitution, RigidBody, RollingFriction,
    SweptCcd,
};
use super::constructor::ColliderConstructor;
#[cfg(feature = "mesh")]
use super::constructor::from_mesh;
use super::decomposition::{
    self, ConvexDecomposition, ConvexDecompositionReady, DecompositionProgress,
};
use super::error::{Errors, LatelyTold, PhysicsError, PhysicsErrorKind};
use super::forces::PendingForces;
use super::frame::{Frame, Parents};
use super::hierarchy::{
    ColliderConstructorHierarchy, ColliderConstructorHierarchyReady, construct_hierarchies,
};
use super::idle;
use super::layers::CollisionLayers;
use super::link::{self, Changes, EngineBody, EngineJoint};
use super::locked_axes::LockedAxes;
use super::mass::{
    AngularInertia, CenterOfMass, ColliderDensity, Computed, ComputedAngularInertia,
    ComputedCenterOfMass, ComputedMass, Mass, MassInputs,
};
use super::mirror::Mirror;
use super::origin::{KnownPosition, Position};
use super::overlap::OverlapsCountedOnce;
use super::schedule::{PhysicsSchedule, SyncSchedule};
use super::sleep::SleepingDisabled;
use super::sync::{GatherSystems, find_moved};
use super::world::PhysicsWorld;
use crate::engine::body::{Body, BodyDesc, BodyError, BodyId};
use crate::math::Vec3;

/// Keeps the engine's bodies in line with the components.
///
/// - Systems, in [`GatherSystems::Bodies`]: colliders from constructors, which body a collider belongs to,
///   which bodies were moved or scaled, and the bodies. In `Last`, one that tells which components do
///   nothing.
/// - Observers: entities that are disabled leave the world, enabled ones come back; colliders that get
///   another parent change their body.
/// - Resources: [`PhysicsWorld`], [`DefaultFriction`]. Messages: [`PhysicsError`].
///
/// ```
/// use orthant::plugin::PhysicsBodiesPlugin;
/// use orthant::prelude::*;
///
/// let mut app = bevy_app::App::new();
/// app.add_plugins(PhysicsPlugins::default());
/// assert!(app.is_plugin_added::<PhysicsBodiesPlugin>() && app.world().contains_resource::<PhysicsWorld>());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsBodiesPlugin;

impl Plugin for PhysicsBodiesPlugin {
    fn build(&self, app: &mut App) {
        register_types(app);
        app.register_type::<PhysicsError>()
            .add_message::<PhysicsError>()
            .init_resource::<PhysicsWorld>()
            .init_resource::<Changes>()
            .init_resource::<LatelyTold>()
            .init_resource::<DefaultFriction>()
            .init_resource::<idle::Rules>()
            .add_systems(Last, idle::warn_of_idle)
            .add_observer(link::disabled)
            .add_observer(link::enabled)
            .add_observer(parent_added)
            .add_observer(parent_removed);
        // Known from here on, so that a disabled entity is found by queries that allow it.
        app.world_mut().register_component::<EngineBody>();
        app.world_mut().register_component::<ColliderOf>();
        app.world_mut().register_component::<EngineJoint>();
        link::adopt(app.world_mut());
        let systems = || {
            #[cfg(feature = "mesh")]
            let construct = (construct_hierarchies, from_mesh::construct, decomposition::work);
            #[cfg(not(feature = "mesh"))]
            let construct = (construct_hierarchies, decomposition::work);
            let construct = construct.chain();
            let systems = (construct, attach_colliders, find_moved, update_bodies);
            systems.chain().in_set(GatherSystems::Bodies)
        };
        app.add_systems(SyncSchedule, systems());
        app.add_systems(PhysicsSchedule, systems());
    }
}

fn register_types(app: &mut App) {
    app.register_type::<RigidBody>()
        .register_type::<Collider>()
        .register_type::<ColliderConstructor>()
        .register_type::<ColliderConstructorHierarchy>()
        .register_type::<ColliderConstructorHierarchyReady>()
        .register_type::<ConvexDecomposition>()
        .register_type::<ConvexDecompositionReady>()
        .register_type::<DecompositionProgress>()
        .register_type::<Sensor>()
        .register_type::<ColliderDisabled>()
        .register_type::<RollingFriction>()
        .register_type::<Restitution>()
        .register_type::<SweptCcd>()
        .register_type::<Dominance>()
        .register_type::<Mass>()
        .register_type::<ColliderDensity>()
        .register_type::<CenterOfMass>()
        .register_type::<AngularInertia>()
        .register_type::<OverlapsCountedOnce>()
        .register_type::<ComputedMass>()
        .register_type::<ComputedCenterOfMass>()
        .register_type::<ComputedAngularInertia>()
        .register_type::<Friction>()
        .register_type::<DefaultFriction>()
        .register_type::<GravityScale>()
        .register_type::<LinearDamping>()
        .register_type::<AngularDamping>()
        .register_type::<LockedAxes>()
        .register_type::<CollisionLayers>();
}

/// What says what a body is like, besides its colliders.
#[derive(SystemParam)]
struct Properties<'w, 's> {
    kinds: Rows<'w, 's, RigidBody, With<EngineBody>>,
    masses: Rows<'w, 's, Mass, With<EngineBody>>,
    centers: Rows<'w, 's, CenterOfMass, With<EngineBody>>,
    inertias: Rows<'w, 's, AngularInertia, With<EngineBody>>,
    once: Rows<'w, 's, OverlapsCountedOnce, With<EngineBody>>,
    frictions: Rows<'w, 's, Friction, With<EngineBody>>,
    rolling: Rows<'w, 's, RollingFriction, With<EngineBody>>,
    restitutions: Rows<'w, 's, Restitution, With<EngineBody>>,
    gravity_scales: Rows<'w, 's, GravityScale, With<EngineBody>>,
    linear_dampings: Rows<'w, 's, LinearDamping, With<EngineBody>>,
    angular_dampings: Rows<'w, 's, AngularDamping, With<EngineBody>>,
    locked_axes: Rows<'w, 's, LockedAxes, With<EngineBody>>,
    swept: Rows<'w, 's, SweptCcd, With<EngineBody>>,
    dominances: Rows<'w, 's, Dominance, With<EngineBody>>,
    sleepless: Rows<'w, 's, SleepingDisabled, With<EngineBody>>,
}

impl Properties<'_, '_> {
    /// Appends the bodies of which one changed.
    fn append_changed(&self, list: &mut Vec<Entity>) {
        append_changed(&self.kinds, list);
        append_changed(&self.masses, list);
        append_changed(&self.centers, list);
        append_changed(&self.inertias, list);
        append_changed(&self.once, list);
        append_changed(&self.frictions, list);
        append_changed(&self.rolling, list);
        append_changed(&self.restitutions, list);
        append_changed(&self.gravity_scales, list);
        append_changed(&self.linear_dampings, list);
        append_changed(&self.angular_dampings, list);
        append_changed(&self.locked_axes, list);
        append_changed(&self.swept, list);
        append_changed(&self.dominances, list);
        append_changed(&self.sleepless, list);
    }
}

/// The components a body is made from, besides its colliders.
#[derive(QueryData)]
struct Parts {
    kind: Option<&'static RigidBody>,
    disabled: Has<Disabled>,
    transform: &'static Transform,
    child_of: Option<&'static ChildOf>,
    position: Option<&'static Position>,
    linear: Option<&'static LinearVelocity>,
    angular: Option<&'static AngularVelocity>,
    mass: Option<&'static Mass>,
    center: Option<&'static CenterOfMass>,
    inertia: Option<&'static AngularInertia>,
    overlaps_once: Has<OverlapsCountedOnce>,
    friction: Option<&'static Friction>,
    rolling: Option<&'static RollingFriction>,
    restitution: Option<&'static Restitution>,
    gravity_scale: Option<&'static GravityScale>,
    linear_damping: Option<&'static LinearDamping>,
    angular_damping: Option<&'static AngularDamping>,
    locked_axes: Option<&'static LockedAxes>,
    swept: Has<SweptCcd>,
    sleepless: Has<SleepingDisabled>,
    dominance: Option<&'static Dominance>,
    constructed: Has<ColliderConstructor>,
    decomposed: Has<ConvexDecomposition>,
    hierarchy: Has<ColliderConstructorHierarchy>,
}

impl PartsItem<'_, '_> {
    /// Are its colliders still to be made?
    const fn is_waiting(&self) -> bool {
        self.constructed || self.decomposed || self.hierarchy
    }

    /// The mass properties that are set by hand.
    fn mass(&self) -> MassInputs {
        MassInputs {
            mass: self.mass.copied(),
            center: self.center.copied(),
            inertia: self.inertia.copied(),
            overlaps_once: self.overlaps_once,
        }
    }

    /// Friction and restitution of the colliders that have none of their own.
    fn friction(&self) -> BodyFriction {
        BodyFriction {
            sliding: self.friction.copied(),
            rolling: self.rolling.copied(),
            restitution: self.restitution.copied(),
        }
    }

    /// The description of the body, without its colliders.
    fn describe(&self, kind: RigidBody, frame: &Frame) -> BodyDesc {
        let moves = !kind.is_static();
        BodyDesc {
            kind: kind.engine(),
            position: frame.position,
            rotation: frame.rotation,
            linear_velocity: self.linear.filter(|_| moves).map_or(Vec3::ZERO, |v| v.0),
            angular_velocity: self.angular.filter(|_| moves).map_or(Vec3::ZERO, |w| w.0),
            locked_axes: self.locked_axes.copied().unwrap_or_default().engine(),
            gravity_scale: self.gravity_scale.copied().unwrap_or_default().0,
            linear_damping: self.linear_damping.copied().unwrap_or_default().0,
            angular_damping: self.angular_damping.copied().unwrap_or_default().0,
            swept: self.swept,
            can_sleep: !self.sleepless,
            ..BodyDesc::default()
        }
    }
}

/// Everything of a body that [`update_bodies`] reads and writes.
#[derive(QueryData)]
#[query_data(mutable)]
struct BodyEntity {
    entity: Entity,
    parts: Parts,
    link: &'static mut EngineBody,
    mirror: &'static mut Mirror,
    computed: Computed,
    known: Option<&'static mut KnownPosition>,
    pending: Option<&'static mut PendingForces>,
    target: Option<&'static mut KinematicTarget>,
}

impl BodyEntityItem<'_, '_> {
    /// Brings the engine in line with the components.
    fn update(
        &mut self,
        physics: &mut PhysicsWorld,
        parents: &Parents,
        colliders: &ColliderReader,
        errors: &mut Errors,
    ) -> Result<(), PhysicsErrorKind> {
        let id = self.link.id.filter(|&id| physics.engine.body(id).is_some());
        let parent = parents.frame(self.parts.child_of);
        let mut frame = Frame::new(self.parts.transform, parent);
        frame.position = self.parts.position.map_or(frame.position, |position| position.0);
        self.mirror.mark_scale(frame.scale);
        let alone = self.link.colliders().any(|collider| collider == self.entity);
        let kind = self.parts.kind.copied().or(alone.then_some(RigidBody::Static));
        let Some(kind) = kind.filter(|_| !self.parts.disabled) else {
            self.link.id = None;
            self.link.built = None;
            id.into_iter().for_each(|id| physics.remove(id));
            return Ok(());
        };
        if id.is_none() && !frame.is_sound() {
            return Err(PhysicsErrorKind::OutOfRange("Transform"));
        }
        let friction = self.parts.friction();
        let list = colliders.build(self.entity, &self.link, frame.scale, friction, errors);
        let built = Built { kind, mass: self.parts.mass(), colliders: list, taken: false };
        let last = self.link.built.replace(built);
        let Some(built) = &mut self.link.built else { return Ok(()) };
        let desc = self.parts.describe(kind, &frame);
        if let Some(body) = id.and_then(|id| physics.engine.body_mut(id)) {
            built.taken = last.is_some_and(|last| last.taken && last.is(built));
            body.dominance = self.parts.dominance.copied().unwrap_or_default().0;
            return change(body, built, desc);
        }
        self.create(physics, desc, parent)
    }

    /// Makes the body. What was applied before it existed is taken by its first step.
    fn create(
        &mut self,
        physics: &mut PhysicsWorld,
        mut desc: BodyDesc,
        parent: Option<Frame>,
    ) -> Result<(), PhysicsErrorKind> {
        self.link.id = None;
        let linear = self.parts.linear.map_or(Vec3::ZERO, |v| v.0);
        let angular = self.parts.angular.map_or(Vec3::ZERO, |w| w.0);
        let Some(built) = &mut self.link.built else { return Ok(()) };
        desc.mass_properties = Some(built.mass_properties());
        desc.colliders = built.engine().cloned().collect();
        desc.tag = self.entity.to_bits();
        let id: BodyId = match physics.engine.add_body(desc) {
            Ok(id) => id,
            // What is wrong with its collider was told, or it comes later.
            Err(BodyError::Mass(_)) if !built.is_whole() || self.parts.is_waiting() => {
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        built.taken = true;
        self.link.id = Some(id);
        physics.bodies_changed = true;
        if let Some(body) = physics.engine.body_mut(id) {
            body.dominance = self.parts.dominance.copied().unwrap_or_default().0;
        }
        self.mirror.begin(self.parts.transform, parent, linear, angular);
        self.mirror.idle = self.parts.kind.is_none();
        if let (Some(position), Some(known)) = (self.parts.position, &mut self.known) {
            known.0 = position.0;
        }
        if let Some(pending) = &mut self.pending {
            pending.set_changed();
        }
        if let Some(target) = &mut self.target {
            target.set_changed();
        }
        physics.engine.body(id).map_or(Ok(()), |body| self.mirror.check_velocity(body))
    }
}

/// Changes an existing body; colliders and mass only if it has not taken the same already, as that
/// drops its contacts. A body that refuses keeps what it was, but not the colliders that left it.
fn change(body: &mut Body, built: &mut Built, desc: BodyDesc) -> Result<(), PhysicsErrorKind> {
    if let Err(error) = take(body, built, &desc) {
        built.let_go(body)?;
        return Err(error.into());
    }
    body.locked_axes = desc.locked_axes;
    body.swept = desc.swept;
    body.can_sleep = desc.can_sleep;
    body.gravity_scale = desc.gravity_scale;
    body.linear_damping = desc.linear_damping.max(0.0);
    body.angular_damping = desc.angular_damping.max(0.0);
    Ok(())
}

/// Hands colliders, mass and materials to a body.
fn take(body: &mut Body, built: &mut Built, desc: &BodyDesc) -> Result<(), BodyError> {
    desc.check_coefficients()?;
    if built.taken {
        return built.refresh(body);
    }
    let colliders = built.engine().cloned().collect();
    body.set_colliders(colliders, desc.kind, built.mass_properties())?;
    built.taken = true;
    Ok(())
}

/// The entities to look at, in the order in which they became bodies.
fn in_order(
    list: &mut Vec<(u64, Entity)>,
    changed: &mut Vec<Entity>,
    order: impl Fn(Entity) -> Option<u64>,
) {
    list.clear();
    list.extend(changed.drain(..).filter_map(|entity| Some((order(entity)?, entity))));
    list.sort_unstable();
    list.dedup();
}

/// Brings the engine's bodies in line with the components.
fn update_bodies(
    mut physics: ResMut<PhysicsWorld>,
    mut changes: ResMut<Changes>,
    mut errors: Errors,
    parents: Parents,
    colliders: ColliderReader,
    properties: Properties,
    mut bodies: Query<BodyEntity, Allow<Disabled>>,
    mut list: Local<Vec<(u64, Entity)>>,
) {
    changes.gone_bodies.drain(..).for_each(|id| physics.remove(id));
    if colliders.default_friction.is_changed() {
        changes.bodies.extend(bodies.iter().map(|body| body.entity));
    }
    properties.append_changed(&mut changes.bodies);
    let order = |entity| bodies.get(entity).ok().map(|body| body.link.order);
    in_order(&mut list, &mut changes.bodies, order);
    for &(_, entity) in list.iter() {
        let Ok(mut body) = bodies.get_mut(entity) else { continue };
        let result = body.update(&mut physics, &parents, &colliders, &mut errors);
        errors.check(entity, result);
        if let Some(made) = body.link.id.and_then(|id| physics.engine.body(id)) {
            body.computed.write(made);
        }
        changes.sleepers.push(entity);
    }
}
