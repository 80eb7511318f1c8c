//! Hello, physics: a box falls on the ground and stays there. `cargo run --release --example hello`.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::prelude::*;

fn main() {
    let mut app = App::new();
    // What goes wrong; an app with `DefaultPlugins` reads it in the log.
    app.add_observer(|wrong: On<PhysicsError>| eprintln!("{}: {}", wrong.entity, wrong.error));
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1)) // one step an update
        .add_systems(Startup, spawn);
    for update in 0..=128_u8 {
        app.update();
        if update % 16 == 0 {
            println!(
                "{:5.2} s: the box is {:.3} m high",
                f32::from(update) / 64.0,
                height(&mut app)
            );
        }
    }
    println!("The last step: {}", **app.world().resource::<StepReport>());
    assert!((height(&mut app) - 1.0).abs() < 1e-3, "it does not lie on the ground");
}

fn spawn(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::cuboid(20.0, 1.0, 20.0)));
    let above = Transform::from_xyz(0.0, 3.0, 0.0);
    commands.spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), above));
}

/// Height of the center of what is dynamic (m).
fn height(app: &mut App) -> f32 {
    let mut bodies = app.world_mut().query::<(&RigidBody, &Transform)>();
    let mut dynamic = bodies.iter(app.world()).filter(|(kind, _)| **kind == RigidBody::Dynamic);
    dynamic.next().map_or(f32::NAN, |(_, at)| at.translation.y)
}
