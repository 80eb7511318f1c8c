//! Bullets at 300 m/s against plates a centimetre thick: `cargo run --release --example bullets`.
//!
//! Ten balls of a centimetre fly five metres a step, each at a plate of its own, every second one with
//! [`SweptCcd`]; the others have the speculative contacts that everything has. One more passes a
//! finger's breadth above a plate, and two meet in the air. The program says what became of each.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

/// A bullet, and what must become of it.
#[derive(Component)]
struct Bullet {
    name: String,
    stays_before: Option<f32>,
}

/// Speed of a bullet (m/s).
const SPEED: Real = 300.0;

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Gravity::ZERO)
        .add_systems(Startup, spawn);
    for _ in 0..30 {
        app.update();
    }
    let mut fine = true;
    let mut bullets = app.world_mut().query::<(&Bullet, &Transform, &LinearVelocity)>();
    for (bullet, at, velocity) in bullets.iter(app.world()) {
        let x = at.translation.x;
        let kept = bullet.stays_before.is_none_or(|plate| x < plate);
        let passed = bullet.stays_before.is_some() || (velocity.x - SPEED).abs() < 1e-3;
        fine &= kept && passed;
        let verdict = if kept && passed { "as it should" } else { "WRONG" };
        println!("{:44} at x = {x:9.4} m, {:8.3} m/s: {verdict}", bullet.name, velocity.x);
    }
    assert!(fine, "a bullet went where it should not");
}

fn spawn(mut commands: Commands) {
    let plate = Collider::cuboid(0.01, 1.0, 1.0);
    let ball = || (RigidBody::Dynamic, Collider::sphere(0.005));
    let flying = LinearVelocity(Vec3::X * SPEED);
    for k in 0..10_u8 {
        let z = 2.0 * f32::from(k);
        // Plates at distances that are no multiples of a step.
        let x = 7.0 + 0.37 * f32::from(k);
        commands.spawn((RigidBody::Static, plate.clone(), Transform::from_xyz(x, 0.0, z)));
        let swept = k % 2 == 0;
        let mode = if swept { "swept" } else { "speculative" };
        let name = format!("{mode} bullet at a plate at {x:.2} m");
        let bullet = Bullet { name, stays_before: Some(x) };
        let at = Transform::from_xyz(0.0, 0.1, z);
        let mut entity = commands.spawn((bullet, ball(), at, flying));
        if swept {
            entity.insert(SweptCcd);
        }
    }
    let z = -2.0;
    commands.spawn((RigidBody::Static, plate, Transform::from_xyz(7.0, 0.0, z)));
    let name = "swept bullet 1 cm above a plate".to_owned();
    let above = Transform::from_xyz(0.0, 0.515, z);
    commands.spawn((Bullet { name, stays_before: None }, ball(), SweptCcd, above, flying));
    let pair = [("-x", -8.1, SPEED, 0.05), ("+x", 8.1, -SPEED, 1e3)];
    for (side, x, speed, stays_before) in pair {
        let name = format!("swept bullet that meets another, from {side}");
        let bullet = Bullet { name, stays_before: Some(stays_before) };
        let (velocity, at) = (LinearVelocity(Vec3::X * speed), Transform::from_xyz(x, 3.0, 0.0));
        commands.spawn((bullet, ball(), SweptCcd, at, velocity));
    }
}
