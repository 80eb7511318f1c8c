//! Forces, torques and impulses.
//!
//! What [`Forces`] applies waits in [`PendingForces`] until a step takes it, exactly once, whatever
//! number of steps a frame has. Constant forces act in every step.

use bevy_app::{App, Plugin};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::changed::{Rows, append_changed, for_each_changed};
use super::components::KinematicTarget;
use super::error::{Errors, PhysicsErrorKind};
use super::link::EngineBody;
use super::sync::GatherSystems;
use super::world::PhysicsWorld;
use crate::engine::body::Body;
use crate::engine::settings::ranges::POSITION;
use crate::math::Vec3;

/// A force (N) at the center of mass in every step, in world axes.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantForce(pub Vec3);

/// A torque [N·m] in every step, in world axes.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ConstantTorque(pub Vec3);

/// Applies forces and impulses to bodies: `Query<Forces>`.
///
/// The next step takes what was applied, once. A force acts over that whole step. Applied every frame
/// by a system in `Update`, forces of frames without a step add up: apply continuous forces in
/// `FixedUpdate`, or use [`ConstantForce`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_math::Vec3;
/// use orthant::plugin::{Forces, RigidBody};
///
/// # #[cfg(not(feature = "f64"))]
/// fn kick(mut bodies: Query<Forces>) {
///     for mut forces in &mut bodies {
///         forces.apply_linear_impulse(Vec3::Y * 2.0);
///     }
/// }
/// ```
#[derive(QueryData)]
#[query_data(mutable)]
pub struct Forces {
    pending: &'static mut PendingForces,
}

impl ForcesItem<'_, '_> {
    /// Applies a force (N) at the center of mass.
    pub fn apply_force(&mut self, force: Vec3) {
        self.pending.force.central += force;
    }

    /// Applies a force (N) at a world point.
    pub fn apply_force_at_point(&mut self, force: Vec3, point: Vec3) {
        self.pending.force.add_at(force, point);
    }

    /// Applies a torque [N·m].
    pub fn apply_torque(&mut self, torque: Vec3) {
        self.pending.force.moment += torque;
    }

    /// Applies an impulse [N·s] at the center of mass.
    pub fn apply_linear_impulse(&mut self, impulse: Vec3) {
        self.pending.impulse.central += impulse;
    }

    /// Applies an impulse [N·s] at a world point.
    pub fn apply_linear_impulse_at_point(&mut self, impulse: Vec3, point: Vec3) {
        self.pending.impulse.add_at(impulse, point);
    }

    /// Applies an angular impulse [N·m·s].
    pub fn apply_angular_impulse(&mut self, impulse: Vec3) {
        self.pending.impulse.moment += impulse;
    }
}

/// What was applied to a body and no step has taken yet. Comes with
/// [`RigidBody`](super::RigidBody); write it through [`Forces`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[component(summary_tick, clone_behavior = Ignore)]
pub struct PendingForces {
    force: Wrench,
    impulse: Wrench,
}

impl PendingForces {
    /// Does nothing wait?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Hands everything to the body.
    fn apply(&self, body: &mut Body) {
        let Wrench { central, moment, at } = self.force;
        body.apply_force(central);
        body.apply_torque(moment);
        if let Some((sum, point)) = at {
            body.apply_force_at_point(sum, point);
        }
        let Wrench { central, moment, at } = self.impulse;
        body.apply_linear_impulse(central);
        body.apply_angular_impulse(moment);
        if let Some((sum, point)) = at {
            body.apply_linear_impulse_at_point(sum, point);
        }
    }
}

/// A sum of forces (or impulses) in constant memory. The center of mass is not known here, so forces
/// at points are moved to the first of these points, with their moment about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Wrench {
    central: Vec3,
    moment: Vec3,
    at: Option<(Vec3, Vec3)>,
}

impl Wrench {
    fn add_at(&mut self, force: Vec3, point: Vec3) {
        match &mut self.at {
            None => self.at = Some((force, point)),
            Some((sum, origin)) => {
                *sum += force;
                self.moment += (point - *origin).cross(force);
            }
        }
    }
}

/// Brings forces and kinematic targets to the engine.
///
/// - Systems, in [`PhysicsStepSystems::Gather`](super::PhysicsStepSystems::Gather): one-shot forces,
///   constant forces, kinematic targets.
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsForcesPlugin;

impl Plugin for PhysicsForcesPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<ConstantForce>()
            .register_type::<ConstantTorque>()
            .register_type::<KinematicTarget>();
        app.add_systems(
            super::PhysicsSchedule,
            (take_forces, add_constant_forces, take_targets).chain().in_set(GatherSystems::Forces),
        );
    }
}

type Pending = (&'static EngineBody, &'static mut PendingForces);

/// Hands one-shot forces to the engine, once.
fn take_forces(
    mut physics: ResMut<PhysicsWorld>,
    mut bodies: ParamSet<(Rows<PendingForces, With<EngineBody>>, Query<Pending>)>,
    mut list: Local<Vec<Entity>>,
) {
    append_changed(&bodies.p0(), &mut list);
    let mut bodies = bodies.p1();
    for entity in list.drain(..) {
        let Ok((link, mut pending)) = bodies.get_mut(entity) else { continue };
        if let Some(body) = link.id.and_then(|id| physics.body_mut(id)) {
            pending.apply(body);
            *pending.bypass_change_detection() = PendingForces::default();
        }
    }
}

type Pushed =
    (&'static EngineBody, Option<&'static ConstantForce>, Option<&'static ConstantTorque>);

/// Hands constant forces and torques to the engine.
fn add_constant_forces(
    mut physics: ResMut<PhysicsWorld>,
    bodies: Query<Pushed, Or<(With<ConstantForce>, With<ConstantTorque>)>>,
) {
    for (link, force, torque) in &bodies {
        if let Some(body) = link.id.and_then(|id| physics.body_mut(id)) {
            body.apply_force(force.map_or(Vec3::ZERO, |force| force.0));
            body.apply_torque(torque.map_or(Vec3::ZERO, |torque| torque.0));
        }
    }
}

/// Hands new targets of kinematic bodies to the engine.
fn take_targets(
    mut physics: ResMut<PhysicsWorld>,
    mut errors: Errors,
    targets: Rows<KinematicTarget, With<EngineBody>>,
    links: Query<&EngineBody>,
) {
    for_each_changed(&targets, |entity, target| {
        let id = links.get(entity).ok().and_then(EngineBody::id);
        if !(POSITION.holds(target.position) && target.rotation.is_finite()) {
            errors.tell(entity, PhysicsErrorKind::OutOfRange("KinematicTarget"));
        } else if let Some(body) = id.and_then(|id| physics.body_mut(id)) {
            body.set_target(target.position, target.rotation);
        }
    });
}
