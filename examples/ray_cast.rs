//! What is in the line of sight, and how high is the drone: `cargo run --release --example ray_cast`.
//!
//! `SpatialQuery` asks at once, in any system. A `RayCaster` on an entity goes with it and is asked every
//! step.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Dir3;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

#[derive(Component)]
struct Named(&'static str);

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Startup, spawn);
    (0..64).for_each(|_| app.update());
    let seen = app.world_mut().run_system_once(look).expect("a system");
    assert_eq!(
        seen,
        ["wall", "window", "wall", "guard"],
        "it should see the wall, then through it"
    );
    let height = app.world_mut().run_system_once(height).expect("a system");
    println!("The drone measures {height:.3} m down to the ground.");
    // The drone rises at 1 m/s from 2 m for a second, less the first update, which only starts the clock.
    assert!((height - 2.98).abs() < 0.05, "it measures its height");
}

fn spawn(mut commands: Commands) {
    commands.spawn((Named("ground"), RigidBody::Static, Collider::half_space(Vec3::Y)));
    let wall = Collider::cuboid(0.2, 3.0, 4.0);
    commands.spawn((Named("wall"), RigidBody::Static, wall, Transform::from_xyz(4.0, 1.5, 0.0)));
    let window = Collider::cuboid(0.02, 3.0, 4.0);
    let at = Transform::from_xyz(2.0, 1.5, 0.0);
    commands.spawn((Named("window"), Sensor, RigidBody::Static, window, at));
    let guard = Collider::capsule(0.4, 1.0);
    commands.spawn((Named("guard"), RigidBody::Static, guard, Transform::from_xyz(6.0, 0.9, 0.0)));
    let drone = (Named("drone"), RigidBody::Kinematic, Collider::cuboid(0.5, 0.1, 0.5));
    let down = RayCaster::new(Vec3::ZERO, Dir3::NEG_Y).with_max_hits(1);
    let at = Transform::from_xyz(-3.0, 2.0, 0.0);
    commands.spawn((drone, at, LinearVelocity(Vec3::Y), down, RayHits::default()));
}

/// What a ray from the eye meets first, windows left out, and then all that it crosses, in order.
fn look(query: SpatialQuery, names: Query<&Named>) -> Vec<&'static str> {
    let (eye, far) = (Vec3::Y, 100.0);
    let mut seen = Vec::new();
    let mut tell = |entity, distance: Real| {
        let name = names.get(entity).map_or("?", |named| named.0);
        println!("  {name} at {distance:.2} m");
        seen.push(name);
    };
    println!("The first thing that is no sensor:");
    let solid = SpatialQueryFilter::default().without_sensors();
    if let Some(hit) = query.cast_ray(eye, Dir3::X, far, true, &solid) {
        tell(hit.entity, hit.distance);
    }
    println!("All that the ray crosses:");
    for hit in query.ray_hits(eye, Dir3::X, far, 10, true, &SpatialQueryFilter::default()) {
        tell(hit.entity, hit.distance);
    }
    seen
}

fn height(drone: Single<&RayHits>) -> Real {
    drone.iter().next().map_or(Real::NAN, |hit| hit.distance)
}
