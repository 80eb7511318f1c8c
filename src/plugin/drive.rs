//! Free bodies that are led by bounded forces: [`PoseController`] and [`MouseJoint`].
//!
//! Both are a damped spring from the body to a target, taken implicitly over the step, so that it is stable
//! however stiff it is: with `e` the error and `v` its rate after gravity, for a natural frequency `ω` and a
//! damping ratio `ζ`,
//!
//! ```text
//! a = -(ω² (e + h v) + 2 ζ ω v) / (1 + 2 ζ ω h + ω² h²)
//! ```
//!
//! times the mass that is felt there, cut at the largest force. As a force it is solved beside contacts and
//! joints and cannot overcome them by more than that.

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
#[cfg(feature = "serialize")]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};
use bevy_time::Time;

use super::forces::take_targets;
use super::link::EngineBody;
use super::schedule::PhysicsSchedule;
use super::settings::Gravity;
use super::sync::GatherSystems;
use super::time::Physics;
use super::world::PhysicsWorld;
use crate::engine::body::Body;
use crate::math::{
    PI, Quat, Real, SymMat3, Vec3, narrow, quat_conjugate, quat_log, quat_mul, quat_normalize,
    quat_rotate,
};

/// Leads a dynamic body to a position and a rotation by a force and a torque that are bounded: a hand that
/// carries, a drone that hovers, a limb that follows a motion.
///
/// Under gravity `g` a body hangs by `g / ω²` below its target, with ω = 2π `frequency`. Give it a
/// [`GravityScale`](super::GravityScale) of 0, or aim higher.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     let hand = PoseController { max_force: 200.0, ..PoseController::to_position(Vec3::Y * 2.0) };
///     commands.spawn((RigidBody::Dynamic, Collider::sphere(0.1), GravityScale(0.0), hand));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct PoseController {
    /// World position for the body's frame (m); free without one.
    pub position: Option<Vec3>,
    /// World rotation; free without one.
    pub rotation: Option<Quat>,
    /// Velocity of the target [m/s], so that what moves evenly is followed without a lag.
    pub velocity: Vec3,
    /// Natural frequency (Hz), > 0.
    pub frequency: Real,
    /// Damping ratio (-), ≥ 0; 1 is the fastest without overshoot.
    pub damping_ratio: Real,
    /// Largest force (N), ≥ 0.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub max_force: Real,
    /// Largest torque [N·m], ≥ 0.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub max_torque: Real,
}

impl Default for PoseController {
    /// Leads nowhere; critical, at 2 Hz, with any force.
    fn default() -> Self {
        Self {
            position: None,
            rotation: None,
            velocity: Vec3::ZERO,
            frequency: 2.0,
            damping_ratio: 1.0,
            max_force: Real::MAX,
            max_torque: Real::MAX,
        }
    }
}

impl PoseController {
    /// Leads to a world position (m).
    #[must_use]
    pub fn to_position(position: Vec3) -> Self {
        Self { position: Some(position), ..Self::default() }
    }

    /// Leads to a world pose.
    #[must_use]
    pub fn to_pose(position: Vec3, rotation: Quat) -> Self {
        Self { rotation: Some(rotation), ..Self::to_position(position) }
    }
}

/// Drags a dynamic body by a point towards a target in the world, as a mouse does, with a bounded force:
/// whatever is in the way, nothing explodes. On the entity of the body; take it away to let go.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn grab(mut commands: Commands, hit: Single<Entity, With<RigidBody>>) {
///     commands.entity(*hit).insert(MouseJoint::new(Vec3::X * 0.5, 500.0));
/// }
///
/// fn drag(mut grabbed: Query<&mut MouseJoint>) {
///     for mut joint in &mut grabbed {
///         joint.target = Vec3::new(1.0, 2.0, 3.0);
///     }
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct MouseJoint {
    /// Where the body is held, in its frame (m).
    pub anchor: Vec3,
    /// Where that point is to go, in the world (m).
    pub target: Vec3,
    /// Natural frequency (Hz), > 0.
    pub frequency: Real,
    /// Damping ratio (-), ≥ 0.
    pub damping_ratio: Real,
    /// Rate at which the held body stops to turn [1/s], ≥ 0.
    pub angular_damping: Real,
    /// Largest force (N), ≥ 0.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub max_force: Real,
}

impl Default for MouseJoint {
    /// At the origin, with 1 000 N.
    fn default() -> Self {
        Self::new(Vec3::ZERO, 1000.0)
    }
}

impl MouseJoint {
    /// Holds a body at a point of its frame (m), with at most so much force (N). Critical, at 5 Hz.
    #[must_use]
    pub const fn new(anchor: Vec3, max_force: Real) -> Self {
        Self {
            anchor,
            target: Vec3::ZERO,
            frequency: 5.0,
            damping_ratio: 1.0,
            angular_damping: 5.0,
            max_force,
        }
    }

    /// Goes to a point of the world (m).
    #[must_use]
    pub const fn with_target(mut self, target: Vec3) -> Self {
        self.target = target;
        self
    }
}

/// Leads bodies with a [`PoseController`] or a [`MouseJoint`].
///
/// - Systems: one in [`GatherSystems::Forces`].
///
/// ```
/// # use bevy_app::prelude::*;
/// use orthant::plugin::PhysicsDrivePlugin;
/// use orthant::prelude::*;
///
/// // An app that needs none of it leaves it out.
/// let mut app = App::new();
/// app.add_plugins(PhysicsPlugins::default().build().disable::<PhysicsDrivePlugin>());
/// step_physics(app.world_mut(), core::time::Duration::from_millis(10));
/// assert_eq!(app.world().resource::<StepReport>().bodies, 0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsDrivePlugin;

impl Plugin for PhysicsDrivePlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<PoseController>().register_type::<MouseJoint>();
        app.add_systems(PhysicsSchedule, drive.after(take_targets).in_set(GatherSystems::Forces));
    }
}

/// A damped spring over a step.
struct Spring {
    /// On the error [1/s²] and its rate [1/s].
    gains: [Real; 2],
}

impl Spring {
    /// Of a natural frequency (Hz) and a damping ratio (-), over a step (s).
    fn new(frequency: Real, damping_ratio: Real, dt: Real) -> Self {
        let omega = 2.0 * PI * frequency;
        let (k, c) = (omega * omega, 2.0 * damping_ratio * omega);
        let soft = 1.0 + c * dt + k * dt * dt;
        Self { gains: [k / soft, (c + k * dt) / soft] }
    }

    /// Acceleration for an error and its rate.
    fn pull(&self, error: Vec3, rate: Vec3) -> Vec3 {
        -(error * self.gains[0] + rate * self.gains[1])
    }
}

/// What is left of a vector at a largest length; nothing of one that is not finite.
fn bounded(v: Vec3, max: Real) -> Vec3 {
    if v.is_finite() { v.clamp_length_max(max.max(0.0)) } else { Vec3::ZERO }
}

type Driven = (&'static EngineBody, Option<&'static PoseController>, Option<&'static MouseJoint>);

/// Applies the forces of controllers and mouse joints.
pub(super) fn drive(
    mut physics: ResMut<PhysicsWorld>,
    time: Res<Time<Physics>>,
    gravity: Res<Gravity>,
    bodies: Query<Driven, Or<(With<PoseController>, With<MouseJoint>)>>,
) {
    let dt = narrow(time.delta_secs_f64());
    for (link, controller, mouse) in &bodies {
        let Some(body) = link.id.and_then(|id| physics.body_mut(id)) else { continue };
        if let Some(controller) = controller.filter(|_| body.is_dynamic()) {
            let falls = gravity.0 * (body.gravity_scale * dt);
            lead(body, controller, falls, dt);
        }
        if let Some(mouse) = mouse.filter(|_| body.is_dynamic()) {
            let falls = gravity.0 * (body.gravity_scale * dt);
            drag(body, mouse, falls, dt);
        }
    }
}

/// Inertia about the center of mass in world axes [kg·m²].
fn inertia(body: &Body) -> SymMat3 {
    body.inertia().rotated(body.rotation_matrix())
}

/// `falls` is what gravity adds to the velocity in the step [m/s].
fn lead(body: &mut Body, controller: &PoseController, falls: Vec3, dt: Real) {
    let spring = Spring::new(controller.frequency, controller.damping_ratio, dt);
    if let Some(target) = controller.position {
        let rate = body.velocity_at(body.position()) + falls - controller.velocity;
        let pull = spring.pull(body.position() - target, rate);
        body.apply_force(bounded(pull * body.mass(), controller.max_force));
    }
    if let Some(target) = controller.rotation {
        let error = quat_mul(body.rotation(), quat_conjugate(quat_normalize(target)));
        let pull = spring.pull(quat_log(error), body.angular_velocity);
        body.apply_torque(bounded(inertia(body).mul_vec(pull), controller.max_torque));
    }
}

fn drag(body: &mut Body, mouse: &MouseJoint, falls: Vec3, dt: Real) {
    let spring = Spring::new(mouse.frequency, mouse.damping_ratio, dt);
    let point = body.position() + quat_rotate(body.rotation(), mouse.anchor);
    let arm = point - body.center();
    let turning = inertia(body).inverse_or_zero();
    // How the point answers a unit force along each axis: the inverse of the mass that is felt there.
    let answer = |axis: Vec3| axis / body.mass() + turning.mul_vec(arm.cross(axis)).cross(arm);
    let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(answer);
    let felt = SymMat3::from_mat3(crate::math::Mat3::from_cols(columns[0], columns[1], columns[2]));
    let pull = spring.pull(point - mouse.target, body.velocity_at(point) + falls);
    let force = felt.inverse_or_zero().mul_vec(pull);
    body.apply_force_at_point(bounded(force, mouse.max_force), point);
    let damping = mouse.angular_damping / (1.0 + mouse.angular_damping * dt);
    let torque = inertia(body).mul_vec(body.angular_velocity * -damping);
    body.apply_torque(bounded(torque, Real::MAX));
}
