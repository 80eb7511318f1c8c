//! A gate that counts who passes: `cargo run --release --example sensors`.
//!
//! A sensor touches without pushing. It hears of starts and ends, and knows who is in it right now.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

/// How many came in and went out, and how many were in it at once at most.
#[derive(Component, Default)]
struct Gate {
    entered: usize,
    left: usize,
    most: usize,
}

/// Speed of what passes (m/s).
const SPEED: Real = 4.0;

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(Gravity::ZERO)
        .add_systems(Startup, spawn)
        .add_systems(Update, count);
    (0..3 * 64).for_each(|_| app.update());
    let mut gates = app.world_mut().query::<&Gate>();
    let gate = gates.single(app.world()).expect("one gate");
    let Gate { entered, left, most } = *gate;
    println!("{entered} came in, {left} went out, at most {most} at once.");
    assert_eq!((entered, left, most), (3, 3, 2), "three pass, two of them side by side");
    let mut balls = app.world_mut().query::<(&RigidBody, &LinearVelocity)>();
    let moving = balls.iter(app.world()).filter(|(kind, _)| **kind == RigidBody::Dynamic);
    let slowest = moving.map(|(_, velocity)| velocity.x).fold(Real::INFINITY, Real::min);
    println!("The slowest still flies at {slowest} m/s.");
    assert_eq!(slowest, SPEED, "a sensor slows nobody down");
}

fn spawn(mut commands: Commands) {
    let gate = (RigidBody::Static, Collider::cuboid(0.5, 3.0, 4.0), Sensor);
    let hears = (CollisionEventsEnabled, CollidingEntities::default());
    commands.spawn((Gate::default(), gate, hears, Transform::from_xyz(3.0, 0.0, 0.0)));
    for (x, z) in [(0.0, -1.0), (0.0, 1.0), (-3.0, 0.0)] {
        let ball = (RigidBody::Dynamic, Collider::sphere(0.3), Transform::from_xyz(x, 0.0, z));
        commands.spawn((ball, LinearVelocity(Vec3::X * SPEED)));
    }
}

fn count(
    mut starts: MessageReader<CollisionStart>,
    mut ends: MessageReader<CollisionEnd>,
    mut gates: Query<(Entity, &mut Gate, &CollidingEntities)>,
) {
    let (starts, ends): (Vec<_>, Vec<_>) = (starts.read().collect(), ends.read().collect());
    for (entity, mut gate, inside) in &mut gates {
        gate.entered +=
            starts.iter().filter(|s| [s.collider1, s.collider2].contains(&entity)).count();
        gate.left += ends.iter().filter(|e| [e.collider1, e.collider2].contains(&entity)).count();
        gate.most = gate.most.max(inside.len());
    }
}
