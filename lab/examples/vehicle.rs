//! A buggy on bumps:
//! `cargo run --release -p orthant_lab --features bevy --example vehicle`.
//!
//! Each wheel hangs on a slide with a spring, its suspension, and turns on a hinge with a motor. A system
//! gives gas and brakes by rewriting the motors. The buggy starts on the flat, where its springs must
//! carry its weight and its speed must be that of its wheels, drives over bumps and brakes. A picture goes
//! to `out/vehicle.svg`. The exit status says whether it kept to its springs, its speed and its stop.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use orthant::engine::body::Body;
use orthant::math::{DVec3, PI, Real, Vec3, from_single3, quat_exp, single_quat, single3};
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::{PALETTE, Rgb};

/// Masses of the chassis, of a hub and of a wheel (kg).
const CHASSIS: Real = 400.0;
const HUB: Real = 10.0;
const WHEEL: Real = 20.0;
/// Radius of a wheel (m).
const RADIUS: Real = 0.3;
/// Stiffness [N/m] and damping [N·s/m] of a spring, and its travel both ways (m).
const SPRING: (Real, Real) = (2.0e4, 2.0e3);
const TRAVEL: Real = 0.12;
/// Speed to drive at [m/s] and largest torque of a wheel (N·m).
const SPEED: Real = 4.0;
const TORQUE: Real = 150.0;
/// Where it is at first (m).
const START: Real = -8.5;
/// When it goes and when it brakes (s), and the end.
const GO: f64 = 1.5;
const BRAKE: f64 = 5.7;
const END: f64 = 8.5;
/// When the pictures are taken (s).
const MOMENTS: [f64; 6] = [1.0, 2.5, 3.6, 4.5, 6.0, END];

#[derive(Component)]
struct Chassis;

/// The slide of a wheel, and its hinge.
#[derive(Component)]
struct Suspension;

#[derive(Component)]
struct Axle;

fn main() -> AppExit {
    println!("A buggy starts, drives over bumps and brakes.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins(PhysicsPlugins::default())
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, drive)
        .add_systems(FixedLast, tell);
    app.insert_non_send(Film::new(DVec3::new(0.35, 0.35, 1.2), 20, 4, 2));
    app.run()
}

fn spawn(mut commands: Commands) {
    let road = (RigidBody::Static, Friction::new(0.9));
    commands.spawn((road, Collider::half_space(Vec3::Y)));
    // Wheels are cylinders that lie across the road.
    let across = quat_exp(Vec3::X * (0.5 * PI));
    let place = |at: Vec3| Transform::from_translation(single3(at));
    let lying = |at: Vec3| place(at).with_rotation(single_quat(across));
    // Bumps with slopes before and behind, half a road wide.
    let side = |z: Real| {
        [(-0.5, 0.0), (-0.2, 0.14), (0.2, 0.14), (0.5, 0.0)].map(|(x, y)| Vec3::new(x, y, z))
    };
    let bump = Collider::convex_hull([side(-0.55), side(0.55)].concat());
    let bump = bump.unwrap_or_else(|_| Collider::cuboid(0.5, 0.1, 1.1));
    for (x, z) in [(-1.5, 0.6), (0.4, -0.6), (2.3, 0.6), (4.2, -0.6)] {
        commands.spawn((road, bump.clone(), place(Vec3::new(x, 0.0, z))));
    }
    let middle = Vec3::new(START, RADIUS + 0.3, 0.0);
    let chassis = (RigidBody::Dynamic, Collider::cuboid(2.2, 0.3, 0.9), Mass(CHASSIS));
    let chassis = commands.spawn((Chassis, chassis, place(middle))).id();
    for (x, z) in [(-0.8, -0.6), (-0.8, 0.6), (0.8, -0.6), (0.8, 0.6)] {
        let point = Vec3::new(START + x, RADIUS, z);
        let hub = (RigidBody::Dynamic, Collider::cuboid(0.12, 0.12, 0.1), Mass(HUB));
        let alone = CollisionLayers::new(LayerMask::NONE, LayerMask::NONE);
        let hub = commands.spawn((hub, alone, place(point - Vec3::Z * (0.2 * z)))).id();
        let wheel = Collider::round_cylinder(RADIUS - 0.05, 0.1, 0.05);
        let wheel = (RigidBody::Dynamic, wheel, Mass(WHEEL), Friction::new(0.9), lying(point));
        let wheel = commands.spawn(wheel).id();
        // The hub goes up as the spring gives way.
        let slide = Joint::prismatic(chassis, hub)
            .with_anchor(point)
            .with_axis(Vec3::Y)
            .with_limits(-TRAVEL, TRAVEL)
            .with_spring(SPRING.0, SPRING.1);
        commands.spawn((Suspension, slide, JointPosition::default()));
        let axle = Joint::hinge(hub, wheel).with_anchor(point).with_axis(Vec3::NEG_Z);
        let axle = axle.with_motor(Motor::velocity(0.0, TORQUE));
        commands.spawn((Axle, axle, JointVelocity::default()));
    }
}

/// Gas and brakes.
fn drive(mut axles: Query<&mut Joint, With<Axle>>, time: Res<Time<Fixed>>) {
    let seconds = time.elapsed_secs_f64();
    let speed = if (GO..BRAKE).contains(&seconds) { SPEED } else { 0.0 };
    for mut axle in &mut axles {
        *axle.motor_mut() = Some(Motor::velocity(speed / RADIUS, TORQUE));
    }
}

/// Twice a second, where it is and what springs and motors do.
fn tell(
    chassis: Single<(&Transform, &LinearVelocity), With<Chassis>>,
    springs: Query<&JointPosition, With<Suspension>>,
    axles: Query<(Entity, &JointVelocity), With<Axle>>,
    joints: Joints,
    physics: Res<PhysicsWorld>,
    report: Res<StepReport>,
    time: Res<Time<Fixed>>,
    mut film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut fine: Local<Vec<(bool, String)>>,
) {
    let seconds = time.elapsed_secs_f64();
    let (at, speed) = (from_single3(chassis.0.translation), chassis.1.x);
    if seconds % 0.5 == 0.0 {
        let ways: Vec<_> = springs.iter().map(|at| format!("{:4.0}", 1e3 * at.linear.x)).collect();
        let motors = axles.iter().filter_map(|(axle, _)| joints.get(axle));
        let torque: Real = motors.map(|joint| joint.force(JointAxis::AngularX)).sum();
        println!(
            "{seconds:5.2} s  at x = {:5.2} m, {speed:5.2} m/s; springs {} mm; motors {torque:6.1} N·m",
            at.x,
            ways.join(" ")
        );
        println!("         {}", *report);
    }
    if film.due(seconds, &MOMENTS).is_some() {
        film.shoot(format!("{seconds:.1} s"), physics.engine(), color);
    }
    let is_at = |moment: f64| (seconds - moment).abs() < 1e-9;
    if is_at(GO) {
        // What is above the springs hangs on them.
        let force: Real = springs.iter().map(|at| SPRING.0 * at.linear.x).sum();
        let weight = 9.81 * CHASSIS;
        let what = format!("at rest the springs carry {force:.0} N of {weight:.0} N");
        fine.push(((force - weight).abs() < 0.01 * weight, what));
    }
    if is_at(3.0) {
        let rolls: Real = axles.iter().map(|(_, spin)| RADIUS * spin.angular.x / 4.0).sum();
        let what = format!("wheels roll at {rolls:.3} m/s, the buggy drives at {speed:.3} m/s");
        fine.push(((speed - SPEED).abs() < 0.02 * SPEED, what));
    }
    if is_at(END) {
        fine.push((speed.abs() < 1e-3, format!("it stands, {:.2} m from its start", at.x - START)));
        println!();
        for (holds, what) in fine.iter() {
            println!("{}: {what}", if *holds { "as it should" } else { "NOT as it should" });
        }
        film.save("out/vehicle.svg");
        let fine = fine.iter().all(|(holds, _)| *holds);
        exit.write(if fine { AppExit::Success } else { AppExit::error() });
    }
}

/// By the order in which they were spawned: ground, four bumps, chassis, then hub and wheel by turns.
fn color(body: &Body) -> Option<Rgb> {
    Some(match body.id().0 {
        0..5 => Rgb::hex(0xb9cf9f),
        5 => PALETTE[2],
        id if id % 2 == 0 => Rgb::hex(0x6f7b8c),
        _ => PALETTE[1],
    })
}
