//! Paused, slowed down, upside down: `cargo run --release --example tuning`.
//!
//! Settings are resources and components; what is changed holds from the next step on.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3, from_single3};
use orthant::prelude::*;

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Startup, spawn);
    app.update();
    let fell = play(&mut app, "It falls for half a second");
    expect(fell, -0.5 * 9.81 * 0.25);

    app.world_mut().resource_mut::<Time<Physics>>().pause();
    let moved = play(&mut app, "Paused");
    assert_eq!(moved, 0.0, "nothing moves while paused");

    app.world_mut().resource_mut::<Time<Physics>>().unpause();
    app.world_mut().resource_mut::<Time<Physics>>().set_relative_speed(0.5);
    let fell = play(&mut app, "At half the speed");
    expect(fell, -9.81 * (0.5 * 0.25 + 0.5 * 0.0625));

    app.world_mut().resource_mut::<Time<Physics>>().set_relative_speed(1.0);
    app.insert_resource(Gravity(Vec3::Y * 9.81));
    let moved = play(&mut app, "Upside down: it slows down");
    expect(moved, 9.81 * (-0.75 * 0.5 + 0.5 * 0.25));
    let moved = play(&mut app, "It turns, and is back");
    expect(moved, 9.81 * (-0.25 * 0.5 + 0.5 * 0.25));

    // A cheaper solver, for a slow machine; and a brake on one body.
    app.insert_resource(SolverConfig::budget());
    let mut bodies = app.world_mut().query::<&mut LinearDamping>();
    bodies.iter_mut(app.world_mut()).for_each(|mut damping| damping.0 = 1000.0);
    app.insert_resource(Gravity::ZERO);
    play(&mut app, "Braked");
    let moved = play(&mut app, "and stopped");
    assert!(moved.abs() < 1e-3, "it moved by {moved} m with the brake on");
}

fn spawn(mut commands: Commands) {
    let ball = (RigidBody::Dynamic, Collider::sphere(0.5), Transform::from_xyz(0.0, 10.0, 0.0));
    commands.spawn((ball, LinearDamping(0.0), SleepingDisabled));
}

/// Lets half a second of the game pass, and says by how much the ball rose (m).
fn play(app: &mut App, what: &str) -> Real {
    let before = height(app);
    (0..32).for_each(|_| app.update());
    let rose = height(app) - before;
    println!("{what}: it moves by {rose:.3} m.");
    rose
}

fn height(app: &mut App) -> Real {
    let mut bodies = app.world_mut().query_filtered::<&Transform, With<RigidBody>>();
    from_single3(bodies.single(app.world()).expect("one ball").translation).y
}

fn expect(moved: Real, wanted: Real) {
    assert!((moved - wanted).abs() < 0.01, "it moved by {moved} m, not {wanted} m");
}
