//! Bodies come, go and change what they are made of.
//!
//! The gather looks at every body that a hook or change detection points out, in the order in which
//! the commands made them, and brings the engine in line with the components: an enabled entity with
//! a [`RigidBody`] has a body, any other has none. Shape and mass are made again only if what they
//! are made from changed, because that drops the body's contacts.

use bevy_app::{App, Plugin};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_transform::components::Transform;

use super::collider::Collider;
use super::components::{
    AngularDamping, AngularVelocity, DefaultFriction, Friction, GravityScale, KinematicTarget,
    LinearDamping, LinearVelocity, RigidBody,
};
use super::error::{Errors, PhysicsError, PhysicsErrorKind};
use super::forces::PendingForces;
use super::frame::Frame;
use super::link::{self, Built, Changes, EngineBody, EngineJoint};
use super::locked_axes::LockedAxes;
use super::mass::{AngularInertia, CenterOfMass, ColliderDensity, Mass, MassInputs};
use super::schedule::{PhysicsSchedule, StepLoop};
use super::sync::{GatherSystems, Mirror, Parents};
use super::world::PhysicsWorld;
use crate::engine::body::{Body, BodyDesc, BodyError, BodyId};
use crate::engine::collider::{self, Material};
use crate::math::Vec3;

/// Keeps the engine's bodies in line with the components.
///
/// - Systems: one in [`GatherSystems::Bodies`].
/// - Observers: entities that are disabled leave the world, enabled ones come back.
/// - Resources: [`PhysicsWorld`], [`DefaultFriction`]. Messages: [`PhysicsError`].
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsBodiesPlugin;

impl Plugin for PhysicsBodiesPlugin {
    fn build(&self, app: &mut App) {
        register_types(app);
        app.add_message::<PhysicsError>()
            .init_resource::<PhysicsWorld>()
            .init_resource::<Changes>()
            .init_resource::<DefaultFriction>()
            .add_observer(link::disabled)
            .add_observer(link::enabled);
        // Known from here on, so that a disabled entity is found by queries that allow it.
        app.world_mut().register_component::<EngineBody>();
        app.world_mut().register_component::<EngineJoint>();
        link::adopt(app.world_mut());
        let idle = StepLoop::of(app);
        app.add_systems(idle, update_bodies.in_set(GatherSystems::Bodies));
        app.add_systems(PhysicsSchedule, update_bodies.in_set(GatherSystems::Bodies));
    }
}

fn register_types(app: &mut App) {
    app.register_type::<RigidBody>()
        .register_type::<Collider>()
        .register_type::<Mass>()
        .register_type::<ColliderDensity>()
        .register_type::<CenterOfMass>()
        .register_type::<AngularInertia>()
        .register_type::<Friction>()
        .register_type::<DefaultFriction>()
        .register_type::<GravityScale>()
        .register_type::<LinearDamping>()
        .register_type::<AngularDamping>()
        .register_type::<LockedAxes>();
}

/// A component that says what a body is like has changed.
type ChangedBody = Or<(
    Changed<RigidBody>,
    Changed<Collider>,
    Changed<Mass>,
    Changed<ColliderDensity>,
    Changed<CenterOfMass>,
    Changed<AngularInertia>,
    Changed<Friction>,
    Changed<GravityScale>,
    Changed<LinearDamping>,
    Changed<AngularDamping>,
    Changed<LockedAxes>,
)>;

/// The components a body is made from.
#[derive(QueryData)]
struct Parts {
    entity: Entity,
    kind: Option<&'static RigidBody>,
    disabled: Has<Disabled>,
    transform: &'static Transform,
    child_of: Option<&'static ChildOf>,
    linear: Option<&'static LinearVelocity>,
    angular: Option<&'static AngularVelocity>,
    collider: Option<&'static Collider>,
    mass: Option<&'static Mass>,
    density: Option<&'static ColliderDensity>,
    center: Option<&'static CenterOfMass>,
    inertia: Option<&'static AngularInertia>,
    friction: Option<&'static Friction>,
    gravity_scale: Option<&'static GravityScale>,
    linear_damping: Option<&'static LinearDamping>,
    angular_damping: Option<&'static AngularDamping>,
    locked_axes: Option<&'static LockedAxes>,
}

impl PartsItem<'_, '_> {
    /// What shape and mass are made from.
    fn built(&self, kind: RigidBody) -> Built {
        let mass = MassInputs {
            mass: self.mass.copied(),
            density: self.density.copied(),
            center: self.center.copied(),
            inertia: self.inertia.copied(),
        };
        Built { kind, collider: self.collider.cloned(), mass }
    }

    /// The description of the body.
    fn describe(
        &self,
        built: &Built,
        frame: &Frame,
        friction: Friction,
    ) -> Result<BodyDesc, PhysicsErrorKind> {
        let shape = built.collider.as_ref().map(|c| c.shape().cloned().map_err(Clone::clone));
        let shape = shape.transpose()?;
        if !frame.is_finite() {
            return Err(PhysicsErrorKind::NotFinite("Transform"));
        }
        let moves = !built.kind.is_static();
        let mass_properties = Some(built.mass.of_shape(shape.as_ref()));
        let material = Material::new(self.friction.copied().unwrap_or(friction).coefficient);
        let tag = self.entity.to_bits();
        let collider = shape.map(|shape| collider::Collider { material, tag, ..shape.into() });
        Ok(BodyDesc {
            kind: built.kind.engine(),
            position: frame.position,
            rotation: frame.rotation,
            linear_velocity: self.linear.filter(|_| moves).map_or(Vec3::ZERO, |v| v.0),
            angular_velocity: self.angular.filter(|_| moves).map_or(Vec3::ZERO, |w| w.0),
            mass_properties,
            colliders: collider.into_iter().collect(),
            locked_axes: self.locked_axes.copied().unwrap_or_default().engine(),
            gravity_scale: self.gravity_scale.copied().unwrap_or_default().0,
            linear_damping: self.linear_damping.copied().unwrap_or_default().0,
            angular_damping: self.angular_damping.copied().unwrap_or_default().0,
            ..BodyDesc::default()
        })
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
    pending: Option<&'static mut PendingForces>,
    target: Option<&'static mut KinematicTarget>,
}

impl BodyEntityItem<'_, '_> {
    /// Brings the engine in line with the components.
    fn update(
        &mut self,
        physics: &mut PhysicsWorld,
        parents: &Parents,
        friction: Friction,
    ) -> Result<(), PhysicsErrorKind> {
        let id = self.link.id.filter(|&id| physics.engine.body(id).is_some());
        let wanted = self.parts.kind.filter(|_| !self.parts.disabled);
        let Some(&kind) = wanted else {
            self.link.id = None;
            self.link.built = None;
            id.into_iter().for_each(|id| physics.remove(id));
            return Ok(());
        };
        let built = self.parts.built(kind);
        let parent = parents.frame(self.parts.child_of);
        let frame = Frame::new(self.parts.transform, parent);
        let desc = self.parts.describe(&built, &frame, friction)?;
        let again = !self.link.built.as_ref().is_some_and(|old| old.is(&built));
        let scaled = again && !desc.colliders.is_empty() && frame.scale != Vec3::ONE;
        match id.and_then(|id| physics.engine.body_mut(id)) {
            Some(body) => change(body, desc, again)?,
            None => self.create(physics, desc, parent)?,
        }
        self.link.built = Some(built);
        if scaled { Err(PhysicsErrorKind::Scaled) } else { Ok(()) }
    }

    /// Makes the body. What was applied before it existed is taken by its first step.
    fn create(
        &mut self,
        physics: &mut PhysicsWorld,
        desc: BodyDesc,
        parent: Option<Frame>,
    ) -> Result<(), PhysicsErrorKind> {
        self.link.id = None;
        let linear = self.parts.linear.map_or(Vec3::ZERO, |v| v.0);
        let angular = self.parts.angular.map_or(Vec3::ZERO, |w| w.0);
        let id: BodyId = physics.engine.add_body(desc)?;
        self.link.id = Some(id);
        physics.link(id, self.entity);
        self.mirror.begin(self.parts.transform, parent, linear, angular);
        if let Some(pending) = &mut self.pending {
            pending.set_changed();
        }
        if let Some(target) = &mut self.target {
            target.set_changed();
        }
        Ok(())
    }
}

/// Changes an existing body; shape and mass only if asked, as that drops its contacts.
fn change(body: &mut Body, desc: BodyDesc, again: bool) -> Result<(), PhysicsErrorKind> {
    let numbers = [
        ("gravity scale", desc.gravity_scale),
        ("linear damping", desc.linear_damping),
        ("angular damping", desc.angular_damping),
    ];
    if let Some((name, _)) = numbers.iter().find(|(_, value)| !value.is_finite()) {
        return Err(BodyError::NotFinite(name).into());
    }
    if let Some(collider) = desc.colliders.first() {
        body.set_material(0, collider.material)?;
    }
    if again {
        body.set_colliders(desc.colliders, desc.kind, desc.mass_properties.unwrap_or_default())?;
    }
    body.locked_axes = desc.locked_axes;
    body.gravity_scale = desc.gravity_scale;
    body.linear_damping = desc.linear_damping.max(0.0);
    body.angular_damping = desc.angular_damping.max(0.0);
    Ok(())
}

/// The entities to look at, in the order in which they became bodies.
fn in_order(
    list: &mut Vec<(u64, Entity)>,
    changes: &mut Changes,
    changed: impl Iterator<Item = Entity>,
    order: impl Fn(Entity) -> Option<u64>,
) {
    list.clear();
    let noted = changes.bodies.drain(..).chain(changed);
    list.extend(noted.filter_map(|entity| Some((order(entity)?, entity))));
    list.sort_unstable();
    list.dedup();
}

/// Brings the engine's bodies in line with the components.
fn update_bodies(
    mut physics: ResMut<PhysicsWorld>,
    mut changes: ResMut<Changes>,
    mut errors: Errors,
    default_friction: Res<DefaultFriction>,
    parents: Parents,
    changed: Query<Entity, (With<EngineBody>, ChangedBody)>,
    mut bodies: Query<BodyEntity, Allow<Disabled>>,
    mut list: Local<Vec<(u64, Entity)>>,
) {
    changes.gone_bodies.drain(..).for_each(|id| physics.remove(id));
    if default_friction.is_changed() {
        let plain = bodies.iter().filter(|body| body.parts.friction.is_none());
        changes.bodies.extend(plain.map(|body| body.entity));
    }
    let order = |entity| bodies.get(entity).ok().map(|body| body.link.order);
    in_order(&mut list, &mut changes, changed.iter(), order);
    for &(_, entity) in list.iter() {
        let Ok(mut body) = bodies.get_mut(entity) else { continue };
        let result = body.update(&mut physics, &parents, default_friction.0);
        errors.check(entity, result);
    }
}
