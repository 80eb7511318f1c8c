//! Forces, torques and impulses.
//!
//! What [`Forces`] applies waits in [`PendingForces`] until a step takes it, exactly once, whatever
//! number of steps a frame has. Constant forces act in every step.

use bevy_app::{App, Plugin};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;

use super::changed::{Rows, append_changed, for_each_changed};
use super::components::KinematicTarget;
use super::constant_forces::{
    ConstantAngularAcceleration, ConstantForce, ConstantLinearAcceleration,
    ConstantLocalAngularAcceleration, ConstantLocalForce, ConstantLocalLinearAcceleration,
    ConstantLocalTorque, ConstantTorque,
};
use super::error::{Errors, PhysicsErrorKind};
use super::link::EngineBody;
use super::sync::GatherSystems;
use super::world::PhysicsWorld;
use crate::engine::body::Body;
use crate::engine::settings::ranges::POSITION;
use crate::math::{Vec3, quat_conjugate, quat_rotate};

/// Applies forces and impulses to bodies: `Query<Forces>`.
///
/// The next step takes what was applied, once. A force acts over that whole step. Applied every frame
/// by a system in `Update`, forces of frames without a step add up: apply continuous forces in
/// `FixedUpdate`, or use [`ConstantForce`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::math::Vec3;
/// use orthant::plugin::{Forces, RigidBody};
///
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

/// Forces and accelerations act over the next step, impulses at once.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default()).insert_resource(Gravity::ZERO);
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(0.1);
/// let body = (RigidBody::Dynamic, Collider::sphere(0.5), Mass(2.0));
/// let [pushed, kicked, spun] = [(); 3].map(|()| world.spawn(body.clone()).id());
/// # for (k, of) in [pushed, kicked, spun].into_iter().enumerate() {
/// #     let at = bevy_transform::components::Transform::from_xyz(9.0 * k as f32, 0.0, 0.0);
/// #     world.entity_mut(of).insert(at);
/// # }
/// let mut bodies = world.query::<Forces>();
/// bodies.get_mut(world, pushed).expect("a body").apply_force(Vec3::X * 40.0);
/// bodies.get_mut(world, kicked).expect("a body").apply_linear_impulse(Vec3::X * 4.0);
/// bodies.get_mut(world, spun).expect("a body").apply_angular_acceleration(Vec3::Y * 5.0);
/// step_physics(world, step);
/// for of in [pushed, kicked] {
///     // 40 N for 0.1 s, or 4 N s: 2 m/s for 2 kg.
///     assert!((world.get::<LinearVelocity>(of).expect("a body").x - 2.0).abs() < 1e-5);
/// }
/// assert!((world.get::<AngularVelocity>(spun).expect("a body").y - 0.5).abs() < 1e-5);
/// ```
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

    /// Applies a force (N) at the center of mass, in the axes of the body.
    pub fn apply_local_force(&mut self, force: Vec3) {
        self.pending.local_force.linear += force;
    }

    /// Applies a torque [N·m], in the axes of the body.
    pub fn apply_local_torque(&mut self, torque: Vec3) {
        self.pending.local_force.angular += torque;
    }

    /// Applies an impulse [N·s] at the center of mass, in the axes of the body.
    pub fn apply_local_linear_impulse(&mut self, impulse: Vec3) {
        self.pending.local_impulse.linear += impulse;
    }

    /// Applies an angular impulse [N·m·s], in the axes of the body.
    pub fn apply_local_angular_impulse(&mut self, impulse: Vec3) {
        self.pending.local_impulse.angular += impulse;
    }

    /// Applies an acceleration [m/s²], whatever the mass.
    pub fn apply_linear_acceleration(&mut self, acceleration: Vec3) {
        self.pending.acceleration.linear += acceleration;
    }

    /// Applies an angular acceleration [rad/s²], whatever the inertia.
    pub fn apply_angular_acceleration(&mut self, acceleration: Vec3) {
        self.pending.acceleration.angular += acceleration;
    }

    /// Applies an acceleration [m/s²], whatever the mass, in the axes of the body.
    pub fn apply_local_linear_acceleration(&mut self, acceleration: Vec3) {
        self.pending.local_acceleration.linear += acceleration;
    }

    /// Applies an angular acceleration [rad/s²], whatever the inertia, in the axes of the body.
    pub fn apply_local_angular_acceleration(&mut self, acceleration: Vec3) {
        self.pending.local_acceleration.angular += acceleration;
    }
}

/// What was applied to a body and no step has taken yet. Comes with
/// [`RigidBody`](super::RigidBody); write it through [`Forces`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::math::Vec3;
/// use orthant::plugin::PendingForces;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(1.0 / 60.0);
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5))).id();
/// let mut bodies = world.query::<Forces>();
/// bodies.get_mut(world, ball).expect("a body").apply_linear_impulse(Vec3::X);
/// assert!(!world.get::<PendingForces>(ball).expect("a body").is_empty());
/// step_physics(world, step);
/// assert!(world.get::<PendingForces>(ball).expect("a body").is_empty(), "the step took it");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[component(summary_tick, clone_behavior = Ignore)]
pub struct PendingForces {
    force: Wrench,
    impulse: Wrench,
    local_force: Twin,
    local_impulse: Twin,
    acceleration: Twin,
    local_acceleration: Twin,
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
        self.local_force.in_world(body).push(body);
        let Twin { linear, angular } = self.local_impulse.in_world(body);
        body.apply_linear_impulse(linear);
        body.apply_angular_impulse(angular);
        self.acceleration.accelerate(body);
        self.local_acceleration.in_world(body).accelerate(body);
    }
}

/// Something at the center of mass, and something about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Twin {
    linear: Vec3,
    angular: Vec3,
}

impl Twin {
    /// In world axes, if this is in those of the body.
    fn in_world(self, body: &Body) -> Self {
        let [linear, angular] =
            [self.linear, self.angular].map(|v| quat_rotate(body.rotation(), v));
        Self { linear, angular }
    }

    /// Applies a force (N) and a torque [N·m].
    fn push(self, body: &mut Body) {
        body.apply_force(self.linear);
        body.apply_torque(self.angular);
    }

    /// Applies the force and torque of an acceleration [m/s²] and an angular one [rad/s²].
    fn accelerate(self, body: &mut Body) {
        let angular = quat_rotate(quat_conjugate(body.rotation()), self.angular);
        let torque = quat_rotate(body.rotation(), body.inertia().mul_vec(angular));
        Self { linear: self.linear * body.mass(), angular: torque }.push(body);
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
///
/// ```
/// use bevy_app::PluginGroup;
/// use orthant::plugin::PhysicsForcesPlugin;
/// use orthant::prelude::*;
///
/// // A world that only falls: what is applied waits for ever.
/// # let mut app = bevy_app::App::new();
/// app.add_plugins(PhysicsPlugins::default().build().disable::<PhysicsForcesPlugin>());
/// assert!(!app.is_plugin_added::<PhysicsForcesPlugin>());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsForcesPlugin;

impl Plugin for PhysicsForcesPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<KinematicTarget>()
            .register_type::<ConstantForce>()
            .register_type::<ConstantTorque>()
            .register_type::<ConstantLocalForce>()
            .register_type::<ConstantLocalTorque>()
            .register_type::<ConstantLinearAcceleration>()
            .register_type::<ConstantAngularAcceleration>()
            .register_type::<ConstantLocalLinearAcceleration>()
            .register_type::<ConstantLocalAngularAcceleration>();
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

/// What pushes a body in every step.
#[derive(QueryData)]
struct Constants {
    force: Option<&'static ConstantForce>,
    torque: Option<&'static ConstantTorque>,
    local_force: Option<&'static ConstantLocalForce>,
    local_torque: Option<&'static ConstantLocalTorque>,
    acceleration: Option<&'static ConstantLinearAcceleration>,
    angular_acceleration: Option<&'static ConstantAngularAcceleration>,
    local_acceleration: Option<&'static ConstantLocalLinearAcceleration>,
    local_angular_acceleration: Option<&'static ConstantLocalAngularAcceleration>,
}

/// Does anything push a body in every step?
type AnyConstant = Or<(
    With<ConstantForce>,
    With<ConstantTorque>,
    With<ConstantLocalForce>,
    With<ConstantLocalTorque>,
    With<ConstantLinearAcceleration>,
    With<ConstantAngularAcceleration>,
    With<ConstantLocalLinearAcceleration>,
    With<ConstantLocalAngularAcceleration>,
)>;

impl ConstantsItem<'_, '_> {
    fn apply(&self, body: &mut Body) {
        let twin = |linear: Option<Vec3>, angular: Option<Vec3>| Twin {
            linear: linear.unwrap_or_default(),
            angular: angular.unwrap_or_default(),
        };
        twin(self.force.map(|f| f.0), self.torque.map(|t| t.0)).push(body);
        let local = twin(self.local_force.map(|f| f.0), self.local_torque.map(|t| t.0));
        local.in_world(body).push(body);
        let angular = self.angular_acceleration.map(|a| a.0);
        twin(self.acceleration.map(|a| a.0), angular).accelerate(body);
        let angular = self.local_angular_acceleration.map(|a| a.0);
        let local = twin(self.local_acceleration.map(|a| a.0), angular);
        local.in_world(body).accelerate(body);
    }
}

/// Hands constant forces, torques and accelerations to the engine.
fn add_constant_forces(
    mut physics: ResMut<PhysicsWorld>,
    bodies: Query<(&EngineBody, Constants), AnyConstant>,
) {
    for (link, constants) in &bodies {
        if let Some(body) = link.id.and_then(|id| physics.body_mut(id)) {
            constants.apply(body);
        }
    }
}

/// Hands new targets of kinematic bodies to the engine.
pub(super) fn take_targets(
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
