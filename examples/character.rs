//! Someone walks a course and tells of it: `cargo run --release --example character`.
//!
//! Stairs up, a jump over a gap, a ride on a lift, a crate pushed aside, a slope that is too steep.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

#[derive(Component)]
struct Player;

#[derive(Component)]
struct Crate;

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Startup, spawn);
    app.update();
    println!("It walks to the right at 3 m/s.");
    let end = walk(&mut app, 3.0, 3.0);
    tell(end, "It has climbed ten stairs of 0.2 m.");
    assert!((end.y - 2.0).abs() < 1e-2, "it is not at the top");

    order(&mut app, 3.0, 4.0);
    let end = walk(&mut app, 3.0, 1.2);
    tell(end, "It jumped over a gap of 1.5 m and stands on the lift.");
    assert!(end.y > 1.9, "it fell");

    let end = walk(&mut app, 0.0, 2.0);
    tell(end, "The lift has carried it up at 1 m/s.");
    assert!(end.y > 3.9, "it was not carried");

    let end = walk(&mut app, -3.0, 3.0);
    tell(end, "It walked off the lift, fell, and walks back.");

    let end = walk(&mut app, -3.0, 4.0);
    tell(end, "Down all stairs, and against a crate of 40 kg, which gave way.");
    let pushed = place::<Crate>(&mut app).x;
    println!("         the crate was pushed from -2.00 m to {pushed:.2} m");
    assert!(pushed < -2.5, "the crate stands where it stood");

    let end = walk(&mut app, -3.0, 4.0);
    tell(end, "A slope of 60° stops crate and walker.");
    assert!(end.y < 0.5, "it climbed what is too steep");
}

fn spawn(mut commands: Commands) {
    commands.spawn(Collider::half_space(Vec3::Y));
    for k in 0..10_u8 {
        let (x, y) = (1.0 + 0.4 * f32::from(k), 0.2 * f32::from(k) - 0.8);
        commands.spawn((Collider::cuboid(0.4, 2.0, 3.0), Transform::from_xyz(x, y, 0.0)));
    }
    commands.spawn((Collider::cuboid(3.2, 2.0, 3.0), Transform::from_xyz(6.4, 1.0, 0.0)));
    let lift = (RigidBody::Kinematic, Collider::cuboid(4.0, 0.2, 3.0));
    commands.spawn((lift, Transform::from_xyz(11.5, -2.0, 0.0), LinearVelocity(Vec3::Y)));
    let load = (RigidBody::Dynamic, Collider::cuboid(0.8, 0.8, 0.8), Mass(40.0));
    commands.spawn((Crate, load, Transform::from_xyz(-2.0, 0.4, 0.0)));
    let slope = Transform::from_xyz(-8.0, 0.0, 0.0)
        .with_rotation(bevy_math::Quat::from_rotation_z(-core::f32::consts::FRAC_PI_3));
    commands.spawn((Collider::cuboid(6.0, 1.0, 6.0), slope));
    let body = (Collider::capsule(0.3, 1.2), Transform::from_xyz(-1.0, 1.0, 0.0));
    commands.spawn((Player, CharacterController::default(), body));
}

/// Asks for a speed along x and, unless it is 0, a jump [m/s].
fn order(app: &mut App, speed: Real, jump: Real) {
    let mut players = app.world_mut().query_filtered::<&mut CharacterInput, With<Player>>();
    for mut input in players.iter_mut(app.world_mut()) {
        input.walk = Vec3::X * speed;
        input.jump = jump;
    }
}

/// Walks for some seconds; returns where the feet are (m).
fn walk(app: &mut App, speed: Real, seconds: f32) -> bevy_math::Vec3 {
    for _ in 0..(seconds * 64.0) as u32 {
        let mut players = app.world_mut().query_filtered::<&mut CharacterInput, With<Player>>();
        for mut input in players.iter_mut(app.world_mut()) {
            input.walk = Vec3::X * speed;
        }
        app.update();
    }
    place::<Player>(app) - bevy_math::Vec3::Y * 0.91
}

fn place<T: Component>(app: &mut App) -> bevy_math::Vec3 {
    let mut places = app.world_mut().query_filtered::<&Transform, With<T>>();
    places.single(app.world()).expect("there is one").translation
}

fn tell(feet: bevy_math::Vec3, what: &str) {
    println!("at x {:6.2} m, {:4.2} m high: {what}", feet.x, feet.y);
}
