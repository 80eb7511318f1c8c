//! bevy_rapier3d's `events3`: a cube falls through a sensor onto a floor and tells so.

use bevy::prelude::*;
use orthant::prelude::*;

fn main() {
    App::new()
        .insert_resource(ClearColor(Color::srgb(0.1, 0.1, 0.12)))
        .add_plugins((DefaultPlugins, PhysicsPlugins::default(), PhysicsDebugPlugin))
        .add_systems(Startup, (set_up_camera, set_up_physics))
        .add_systems(PostUpdate, display_events)
        .run();
}

fn set_up_camera(mut commands: Commands) {
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 0.0, 25.0)));
}

fn display_events(
    mut starts: MessageReader<CollisionStart>,
    mut ends: MessageReader<CollisionEnd>,
    mut impulses: MessageReader<ContactImpulse>,
) {
    starts.read().for_each(|start| println!("{start:?}"));
    ends.read().for_each(|end| println!("{end:?}"));
    impulses.read().for_each(|impulse| println!("{impulse:?}"));
}

fn set_up_physics(mut commands: Commands) {
    commands.spawn((Transform::from_xyz(0.0, -1.2, 0.0), Collider::cuboid(8.0, 2.0, 2.0)));
    let sensor = (Collider::cuboid(8.0, 3.0, 2.0), Sensor);
    commands.spawn((Transform::from_xyz(0.0, 5.0, 0.0), sensor));
    commands.spawn((
        Transform::from_xyz(0.0, 13.0, 0.0),
        RigidBody::Dynamic,
        Collider::cuboid(1.0, 1.0, 1.0),
        CollisionEventsEnabled,
        ContactImpulseThreshold(0.5),
    ));
}
