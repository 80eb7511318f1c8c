//! Vehicles whose wheels are rays: simple, cheap, and never caught on an edge.
//!
//! Before each step a ray goes down from where the suspension of a wheel begins. The ground it meets carries
//! the wheel by a damped spring and holds it by friction, both taken implicitly over the step so that they are
//! stable however stiff: with `m` the mass felt there, shared by the `n` wheels on the ground, `x` the
//! compression and `v` its rate after gravity,
//!
//! ```text
//! N = (k (x + h v) + c v) / (1 + n (c h + k h²) / m),   N ≥ 0
//! T = -m v_side / (n h) sideways and engine and brake along the way,   |T| ≤ μ N
//! ```
//!
//! Wheels that are bodies, on hinges with springs, are solved with everything else: see
//! `lab/examples/vehicle.rs`.

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::*;
use bevy_math::Dir3;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_time::Time;

use super::attach::ColliderOf;
use super::forces::Forces;
use super::link::EngineBody;
use super::schedule::{PhysicsSchedule, PhysicsStepSystems};
use super::settings::Gravity;
use super::spatial::{SpatialQuery, SpatialQueryFilter};
use super::time::Physics;
use crate::engine::body::Body;
use crate::math::{Quat, Real, Vec3, narrow, quat_exp, quat_mul, quat_rotate, single3};

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
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
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
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsVehiclePlugin;

impl Plugin for PhysicsVehiclePlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<RaycastVehicle>().register_type::<Wheel>();
        app.add_systems(PhysicsSchedule, roll.in_set(PhysicsStepSystems::First));
    }
}

/// The inverse of how a point of a body answers a force along a direction: the mass that is felt (kg).
fn felt(body: &Body, point: Vec3, axis: Vec3) -> Real {
    let arm = point - body.center();
    let turning = body.inertia().rotated(body.rotation_matrix()).inverse_or_zero();
    1.0 / (1.0 / body.mass() + turning.mul_vec(arm.cross(axis)).cross(arm).dot(axis))
}

/// Where a wheel stands.
struct Stand {
    wheel: usize,
    /// The body of the ground.
    ground: Option<Entity>,
    /// World point (m), and normal of the ground there.
    point: Vec3,
    normal: Vec3,
    /// By how much the suspension is shorter than without load (m).
    compression: Real,
    /// Velocity of the vehicle against the ground at the point after gravity [m/s].
    velocity: Vec3,
}

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
        let Some(body) = body else { continue };
        let falls = gravity.0 * (body.gravity_scale * dt);
        let stands = stand(&spatial, &owners, entity, body, &mut vehicle, falls);
        for stand in &stands {
            let force = vehicle.push(body, stand, stands.len() as Real, dt);
            if let Ok(mut forces) = forces.get_mut(entity) {
                forces.apply_force_at_point(force, stand.point);
            }
            if let Some(mut ground) = stand.ground.and_then(|ground| forces.get_mut(ground).ok()) {
                ground.apply_force_at_point(-force, stand.point);
            }
        }
    }
}

/// Looks for the ground below every wheel.
fn stand(
    spatial: &SpatialQuery,
    owners: &Query<&ColliderOf>,
    entity: Entity,
    body: &Body,
    vehicle: &mut RaycastVehicle,
    falls: Vec3,
) -> Vec<Stand> {
    let filter = SpatialQueryFilter::from_excluded_entities([entity]).without_sensors();
    let down = quat_rotate(body.rotation(), -vehicle.up);
    let mut stands = Vec::new();
    for (index, wheel) in vehicle.wheels.iter_mut().enumerate() {
        let reach = wheel.travel + wheel.radius;
        let start = body.position() + quat_rotate(body.rotation(), wheel.position);
        let ray = Dir3::new(single3(down)).ok();
        let hit = ray.and_then(|ray| spatial.cast_ray(start, ray, reach, true, &filter));
        (wheel.ground, wheel.load, wheel.length) = (None, 0.0, wheel.travel);
        let Some(hit) = hit.filter(|hit| hit.normal.dot(down) < 0.0) else { continue };
        let (point, compression) = (start + down * hit.distance, reach - hit.distance);
        (wheel.ground, wheel.length) = (Some(hit.entity), wheel.travel - compression);
        let ground = owners.get(hit.entity).ok().and_then(ColliderOf::body);
        let id = ground.and_then(|ground| spatial.body_id(ground));
        let under = id.and_then(|id| spatial.world().engine().body(id));
        let runs = under.map_or(Vec3::ZERO, |body| body.velocity_at(point));
        let velocity = body.velocity_at(point) + falls - runs;
        stands.push(Stand {
            wheel: index,
            ground,
            point,
            normal: hit.normal,
            compression,
            velocity,
        });
    }
    stands
}

impl RaycastVehicle {
    /// The force (N) of the ground on a wheel, one of so many, and how far it rolls.
    fn push(&mut self, body: &Body, stand: &Stand, count: Real, dt: Real) -> Vec3 {
        let &Stand { point, normal, compression, velocity, .. } = stand;
        let up = quat_rotate(body.rotation(), self.up);
        let forward = quat_rotate(body.rotation(), self.forward);
        let Some(wheel) = self.wheels.get_mut(stand.wheel) else { return Vec3::ZERO };
        let (k, c, rate) = (wheel.stiffness, wheel.damping, -velocity.dot(up));
        let soft = 1.0 + count * (c * dt + k * dt * dt) / felt(body, point, up);
        wheel.load = ((k * (compression + rate * dt) + c * rate) / soft).max(0.0);
        let heading = quat_rotate(quat_exp(up * wheel.steering), forward);
        let Some(along) = (heading - normal * heading.dot(normal)).try_normalize() else {
            return up * wheel.load;
        };
        let side = normal.cross(along);
        // What stops the point within the step.
        let stop = |axis: Vec3| -velocity.dot(axis) * felt(body, point, axis) / (count * dt);
        let brake = stop(along) - wheel.engine_force;
        let brake = brake.min(wheel.brake_force).max(-wheel.brake_force);
        let grip = along * (wheel.engine_force + brake) + side * stop(side);
        wheel.spin += velocity.dot(along) * dt / wheel.radius;
        let force = up * wheel.load + grip.clamp_length_max((wheel.friction * wheel.load).max(0.0));
        if force.is_finite() { force } else { Vec3::ZERO }
    }
}
