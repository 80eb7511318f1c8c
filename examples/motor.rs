//! A wheel that is driven and a lift that is sent to floors: `cargo run --release --example motor`.
//!
//! A motor keeps a speed with at most a torque, or pulls to a place like a spring; both can be changed at
//! any time through the joint.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

#[derive(Component)]
struct Wheel;

#[derive(Component)]
struct Lift;

/// Stiffness [N/m] and damping [N·s/m] of the lift's motor: critical, for 100 kg.
const SPRING: [Real; 2] = [40_000.0, 4_000.0];

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Startup, spawn);
    for (floor, speed) in [(0.0, 10.0), (3.0, 10.0), (6.0, -5.0), (3.0, 0.0)] {
        println!("The lift is sent to {floor} m, the wheel told to turn at {speed} rad/s.");
        send(&mut app, floor, speed);
        (0..3 * 64).for_each(|_| app.update());
        let (height, turning) = read(&mut app);
        println!("  after 3 s: the lift at {height:.3} m, the wheel at {turning:.3} rad/s");
        // The load stretches the spring by its weight over the stiffness.
        let sag = 100.0 * 9.81 / SPRING[0];
        assert!((height - (floor - sag)).abs() < 1e-2, "the lift is not where it should be");
        assert!((turning - speed).abs() < 1e-2, "the wheel does not turn as told");
    }
}

fn spawn(mut commands: Commands) {
    let at = Transform::from_xyz(5.0, 1.0, 0.0);
    let wheel = (RigidBody::Dynamic, Collider::cylinder(0.5, 0.2), Mass(10.0), at);
    let wheel = commands.spawn(wheel).id();
    let axle = Joint::hinge(None, wheel).with_anchor(Vec3::new(5.0, 1.0, 0.0)).with_axis(Vec3::Y);
    commands.spawn((Wheel, axle, JointVelocity::default()));

    let lift = (RigidBody::Dynamic, Collider::cuboid(2.0, 0.2, 2.0), Mass(100.0));
    let lift = commands.spawn((lift, Transform::IDENTITY)).id();
    let rail = Joint::prismatic(None, lift).with_anchor(Vec3::ZERO).with_axis(Vec3::Y);
    commands.spawn((Lift, rail, JointPosition::default()));
}

/// Sends the lift to a height (m) and has the wheel turn at a speed [rad/s].
fn send(app: &mut App, floor: Real, speed: Real) {
    app.update();
    let mut lifts = app.world_mut().query_filtered::<&mut Joint, With<Lift>>();
    for mut joint in lifts.iter_mut(app.world_mut()) {
        *joint.motor_mut() = Some(Motor::spring(floor, SPRING[0], SPRING[1]));
    }
    let mut wheels = app.world_mut().query_filtered::<&mut Joint, With<Wheel>>();
    for mut joint in wheels.iter_mut(app.world_mut()) {
        *joint.motor_mut() = Some(Motor::velocity(speed, 20.0));
    }
}

/// Where the lift is (m) and how fast the wheel turns [rad/s].
fn read(app: &mut App) -> (Real, Real) {
    let mut lifts = app.world_mut().query_filtered::<&JointPosition, With<Lift>>();
    let height = lifts.single(app.world()).expect("one lift").linear.x;
    let mut wheels = app.world_mut().query_filtered::<&JointVelocity, With<Wheel>>();
    (height, wheels.single(app.world()).expect("one wheel").angular.x)
}
