//! Vehicles whose wheels are rays: simple, cheap, and never caught on an edge.
//!
//! Before each step a ray goes down from where the suspension of a wheel begins. The ground it meets carries
//! the wheel by a damped spring, taken at the end of the step so that it is stable however stiff, and stops
//! it sideways, and along the way as far as it brakes: with `x` the compression and `v` its rate after the
//! step,
//!
//! ```text
//! N = k (x + h v) + c v ≥ 0,   |T| ≤ μ N
//! ```
//!
//! Projected Gauss–Seidel over the wheels, on the motion of the vehicle after gravity and engine.
//!
//! Wheels that are bodies, on hinges with springs, are solved with everything else: see
//! `lab/examples/vehicle.rs`.

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::*;
use bevy_math::Dir3;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
#[cfg(feature = "serialize")]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};
use bevy_time::Time;

use super::attach::ColliderOf;
use super::forces::Forces;
use super::link::EngineBody;
use super::schedule::{PhysicsSchedule, PhysicsStepSystems};
use super::settings::Gravity;
use super::spatial::{SpatialQuery, SpatialQueryFilter};
use super::time::Physics;
use crate::engine::body::Body;
use crate::math::{Quat, Real, SymMat3, Vec3, narrow, quat_exp, quat_mul, quat_rotate, single3};

/// A dynamic body on wheels that are rays. Steer it, give gas and brake by its [`wheels`](Self::wheels).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     let places = [(-0.8, -1.2), (0.8, -1.2), (-0.8, 1.2), (0.8, 1.2)];
///     let wheels = places.map(|(x, z)| Wheel::new(Vec3::new(x, -0.2, z), 0.35));
///     let car = (RigidBody::Dynamic, Collider::cuboid(1.8, 0.6, 3.6), Mass(1000.0));
///     commands.spawn((car, RaycastVehicle::new(wheels)));
/// }
///
/// fn drive(mut cars: Query<&mut RaycastVehicle>) {
///     for mut car in &mut cars {
///         car.wheels[..2].iter_mut().for_each(|front| front.steering = 0.2);
///         car.wheels[2..].iter_mut().for_each(|rear| rear.engine_force = 1500.0);
///     }
/// }
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct RaycastVehicle {
    /// Its wheels.
    pub wheels: Vec<Wheel>,
    /// Where it drives, a unit vector in its frame; -z by default, as Bevy's `forward`.
    pub forward: Vec3,
    /// Against its suspensions, a unit vector in its frame; y by default.
    pub up: Vec3,
}

/// A wheel of a [`RaycastVehicle`].
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// let wheel = Wheel::new(Vec3::new(0.8, -0.3, 1.2), 0.35);
/// # let _ = wheel;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(deny_unknown_fields))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
#[reflect(Debug, PartialEq, Clone)]
pub struct Wheel {
    /// Where its suspension begins, in the frame of the body (m).
    pub position: Vec3,
    /// Radius (m).
    pub radius: Real,
    /// From there down to the hub without load (m), ≥ 0.
    pub travel: Real,
    /// Stiffness of the suspension [N/m], ≥ 0.
    pub stiffness: Real,
    /// Damping of the suspension [N·s/m], ≥ 0.
    pub damping: Real,
    /// Coefficient of friction (-), ≥ 0.
    pub friction: Real,
    /// Angle of steering about `up` (rad); positive to the left.
    pub steering: Real,
    /// Force of the engine along the way (N).
    pub engine_force: Real,
    /// Largest force of the brake (N), ≥ 0.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub brake_force: Real,
    /// What it stands on: written before each step.
    pub ground: Option<Entity>,
    /// Length of the suspension (m): written before each step.
    pub length: Real,
    /// Force of the suspension (N): written before each step.
    pub load: Real,
    /// Angle by which it has rolled (rad): written before each step.
    pub spin: Real,
}

impl Wheel {
    /// A wheel of a radius (m) whose suspension begins at a point of the body (m): 0.3 m of travel, 30 kN/m,
    /// 3 kN·s/m, a friction of 1.
    #[must_use]
    pub const fn new(position: Vec3, radius: Real) -> Self {
        Self {
            position,
            radius,
            travel: 0.3,
            stiffness: 3e4,
            damping: 3e3,
            friction: 1.0,
            steering: 0.0,
            engine_force: 0.0,
            brake_force: 0.0,
            ground: None,
            length: 0.3,
            load: 0.0,
            spin: 0.0,
        }
    }
}

impl Default for RaycastVehicle {
    /// Without wheels.
    fn default() -> Self {
        Self::new([])
    }
}

impl RaycastVehicle {
    /// With these wheels, forward to -z and up to y.
    #[must_use]
    pub fn new(wheels: impl IntoIterator<Item = Wheel>) -> Self {
        Self { wheels: wheels.into_iter().collect(), forward: Vec3::NEG_Z, up: Vec3::Y }
    }

    /// Where the hub of a wheel is, and how the wheel is turned, in the frame of the body: for its picture.
    #[must_use]
    pub fn wheel_pose(&self, wheel: &Wheel) -> (Vec3, Quat) {
        let roll = quat_exp(self.up.cross(self.forward) * wheel.spin);
        let turned = quat_mul(quat_exp(self.up * wheel.steering), roll);
        (wheel.position - self.up * wheel.length, turned)
    }
}

/// Carries and drives vehicles.
///
/// - Systems: one in [`PhysicsStepSystems::First`].
///
/// ```
/// # use bevy_app::prelude::*;
/// use orthant::plugin::PhysicsVehiclePlugin;
/// use orthant::prelude::*;
///
/// // An app that needs none of it leaves it out.
/// let mut app = App::new();
/// app.add_plugins(PhysicsPlugins::default().build().disable::<PhysicsVehiclePlugin>());
/// step_physics(app.world_mut(), core::time::Duration::from_millis(10));
/// assert_eq!(app.world().resource::<StepReport>().bodies, 0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsVehiclePlugin;

impl Plugin for PhysicsVehiclePlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<RaycastVehicle>().register_type::<Wheel>();
        app.add_systems(PhysicsSchedule, roll.in_set(PhysicsStepSystems::First));
    }
}

/// How the vehicle moves as forces of the step come to it.
struct Motion<'a> {
    body: &'a Body,
    linear: Vec3,
    angular: Vec3,
    /// Inverse of the inertia in world axes [1/(kg·m²)].
    turning: SymMat3,
}

impl Motion<'_> {
    fn at(&self, point: Vec3) -> Vec3 {
        self.linear + self.angular.cross(point - self.body.center())
    }

    /// Takes an impulse [N·s] at a world point (m).
    fn push(&mut self, impulse: Vec3, point: Vec3) {
        self.linear += impulse / self.body.mass();
        self.angular += self.turning.mul_vec((point - self.body.center()).cross(impulse));
    }

    /// The inverse of how a point answers a force along a direction: the mass that is felt there (kg).
    fn felt(&self, point: Vec3, axis: Vec3) -> Real {
        let arm = point - self.body.center();
        let turned = self.turning.mul_vec(arm.cross(axis)).cross(arm);
        1.0 / (1.0 / self.body.mass() + turned.dot(axis))
    }
}

/// A wheel on the ground.
struct Stand {
    wheel: usize,
    /// The body of the ground.
    ground: Option<Entity>,
    /// World point (m), and the normal and the velocity [m/s] of the ground there.
    point: Vec3,
    normal: Vec3,
    runs: Vec3,
    /// By how much the suspension is shorter than without load (m).
    compression: Real,
    /// Along the way and aside, in the world; zero without a way.
    axes: [Vec3; 2],
    /// Impulse along the ground [N·s], and of it that of the brake.
    grip: Vec3,
    brake: Real,
}

/// Number of sweeps over the wheels: each halves the error at least, on four wheels.
const SWEEPS: u32 = 12;

/// Applies the forces of wheels.
fn roll(
    spatial: SpatialQuery,
    owners: Query<&ColliderOf>,
    time: Res<Time<Physics>>,
    gravity: Res<Gravity>,
    mut vehicles: Query<(Entity, &EngineBody, &mut RaycastVehicle)>,
    mut forces: Query<Forces>,
) {
    let dt = narrow(time.delta_secs_f64());
    let engine = spatial.world().engine();
    for (entity, link, mut vehicle) in &mut vehicles {
        let body = link.id().and_then(|id| engine.body(id)).filter(|body| body.is_dynamic());
        let Some(body) = body.filter(|_| dt > 0.0) else { continue };
        let mut stands = vehicle.stand(&spatial, &owners, entity, body);
        let mut motion = Motion {
            body,
            linear: body.linear_velocity + gravity.0 * (body.gravity_scale * dt),
            angular: body.angular_velocity,
            turning: body.inertia().rotated(body.rotation_matrix()).inverse_or_zero(),
        };
        for _ in 0..SWEEPS {
            stands.iter_mut().for_each(|stand| vehicle.hold(&mut motion, stand, dt));
        }
        for stand in &stands {
            let wheel = &mut vehicle.wheels[stand.wheel];
            wheel.spin +=
                (motion.at(stand.point) - stand.runs).dot(stand.axes[0]) * dt / wheel.radius;
            let force = stand.normal * wheel.load + stand.grip / dt;
            for (end, force) in [(Some(entity), force), (stand.ground, -force)] {
                if let Some(mut end) = end.and_then(|end| forces.get_mut(end).ok()) {
                    end.apply_force_at_point(force, stand.point);
                }
            }
        }
    }
}

impl RaycastVehicle {
    /// Looks for the ground below every wheel.
    fn stand(
        &mut self,
        spatial: &SpatialQuery,
        owners: &Query<&ColliderOf>,
        entity: Entity,
        body: &Body,
    ) -> Vec<Stand> {
        let filter = SpatialQueryFilter::from_excluded_entities([entity]).without_sensors();
        let turned = |axis: Vec3| quat_rotate(body.rotation(), axis);
        let (up, forward) = (turned(self.up), turned(self.forward));
        let mut stands = Vec::new();
        for (index, wheel) in self.wheels.iter_mut().enumerate() {
            let reach = wheel.travel + wheel.radius;
            let start = body.position() + turned(wheel.position);
            let ray = Dir3::new(single3(-up)).ok();
            let hit = ray.and_then(|ray| spatial.cast_ray(start, ray, reach, true, &filter));
            (wheel.ground, wheel.load, wheel.length) = (None, 0.0, wheel.travel);
            let Some(hit) = hit.filter(|hit| hit.normal.dot(up) > 0.0) else { continue };
            let (point, compression) = (start - up * hit.distance, reach - hit.distance);
            (wheel.ground, wheel.length) = (Some(hit.entity), wheel.travel - compression);
            let ground = owners.get(hit.entity).ok().and_then(ColliderOf::body);
            let id = ground.and_then(|ground| spatial.body_id(ground));
            let under = id.and_then(|id| spatial.world().engine().body(id));
            let runs = under.map_or(Vec3::ZERO, |body| body.velocity_at(point));
            let heading = quat_rotate(quat_exp(up * wheel.steering), forward);
            let along = (heading - hit.normal * heading.dot(hit.normal)).normalize_or_zero();
            stands.push(Stand {
                wheel: index,
                ground,
                point,
                normal: hit.normal,
                runs,
                compression,
                axes: [along, hit.normal.cross(along)],
                grip: Vec3::ZERO,
                brake: 0.0,
            });
        }
        stands
    }

    /// Carries a wheel by its spring, and stops it as far as friction goes.
    fn hold(&mut self, motion: &mut Motion, stand: &mut Stand, dt: Real) {
        let wheel = &mut self.wheels[stand.wheel];
        let (k, c) = (wheel.stiffness, wheel.damping);
        let rate = (stand.runs - motion.at(stand.point)).dot(stand.normal);
        let (answer, soft) = (1.0 / motion.felt(stand.point, stand.normal), c + k * dt);
        let before = rate + wheel.load * dt * answer;
        let load = (k * stand.compression + soft * before) / (1.0 + soft * dt * answer);
        let load = if load.is_finite() { load.max(0.0) } else { 0.0 };
        motion.push(stand.normal * ((load - wheel.load) * dt), stand.point);
        wheel.load = load;
        let [along, side] = stand.axes;
        let slip = motion.at(stand.point) - stand.runs;
        let stop = |axis: Vec3| -slip.dot(axis) * motion.felt(stand.point, axis);
        let (drive, most) = (wheel.engine_force * dt, (wheel.brake_force * dt).max(0.0));
        let brake = (stand.brake + stop(along)).max(-most).min(most);
        let wanted = along * (drive + brake) + side * (stand.grip.dot(side) + stop(side));
        let grip = wanted.clamp_length_max((wheel.friction * wheel.load * dt).max(0.0));
        let grip = if grip.is_finite() { grip } else { Vec3::ZERO };
        motion.push(grip - stand.grip, stand.point);
        stand.brake = (grip.dot(along) - drive).max(-most).min(most);
        stand.grip = grip;
    }
}
