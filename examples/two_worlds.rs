//! A world beside that of the app tells where a throw will land: `cargo run --release --example two_worlds`.
//!
//! Physics lives in the world it was added to. A second `World` has bodies, gravity and a clock of its own,
//! and goes on when it is told to: here two seconds at once, in a single frame of the app.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::Vec3;
use orthant::prelude::*;

/// How many steps are looked ahead.
const STEPS: u8 = 128;

/// The world beside.
#[derive(Resource)]
struct Beside(World);

/// Where the ball will be.
#[derive(Resource)]
struct Foreseen(Vec3);

#[derive(Component)]
struct Ball;

fn main() {
    let mut beside = App::new();
    beside.add_plugins(PhysicsPlugins::default()).add_systems(Startup, spawn);
    let mut beside = core::mem::take(beside.world_mut());
    beside.run_schedule(Startup);
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1)) // one step an update
        .insert_resource(Beside(beside))
        .add_systems(Startup, (spawn, foresee).chain());
    (0..=STEPS).for_each(|_| app.update());
    let (there, foreseen) = (place(app.world_mut()), app.world().resource::<Foreseen>().0);
    println!("After two seconds the ball is at {there}.");
    assert_eq!(there, foreseen, "the same steps give the same bits");
}

/// A room with a wall that the ball bounces off.
fn spawn(mut commands: Commands) {
    commands.spawn((Collider::half_space(Vec3::Y), Friction::new(0.5)));
    commands.spawn((Collider::cuboid(0.5, 6.0, 6.0), Transform::from_xyz(5.0, 3.0, 0.0)));
    let thrown = LinearVelocity(Vec3::new(8.0, 4.0, 0.5));
    let ball = (RigidBody::Dynamic, Collider::sphere(0.2), Restitution::new(0.7));
    commands.spawn((Ball, ball, thrown, Transform::from_xyz(0.0, 1.5, 0.0)));
}

/// Lets the world beside run ahead.
fn foresee(mut commands: Commands, mut beside: ResMut<Beside>, clock: Res<Time<Fixed>>) {
    (0..STEPS).for_each(|_| step_physics(&mut beside.0, clock.timestep()));
    let foreseen = place(&mut beside.0);
    println!("The ball will come to {foreseen}.");
    commands.insert_resource(Foreseen(foreseen));
}

/// Where the ball is (m), as exactly as the engine knows.
fn place(world: &mut World) -> Vec3 {
    let link = world.query_filtered::<&orthant::plugin::EngineBody, With<Ball>>().single(world);
    let id = link.ok().and_then(|link| link.id());
    let physics = world.resource::<PhysicsWorld>();
    id.and_then(|id| physics.engine().body(id)).map_or(Vec3::ZERO, |body| body.position())
}
