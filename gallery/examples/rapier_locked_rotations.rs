//! bevy_rapier3d's `locked_rotations3`: a plate that only turns, a box that only moves.

use bevy::prelude::*;
use orthant::prelude::*;

fn main() {
    App::new()
        .insert_resource(ClearColor(Color::srgb(0.1, 0.1, 0.12)))
        .add_plugins((DefaultPlugins, PhysicsPlugins::default(), PhysicsDebugPlugin))
        .add_systems(Startup, (set_up_camera, set_up_physics))
        .run();
}

fn set_up_camera(mut commands: Commands) {
    let eye = Transform::from_xyz(10.0, 3.0, 0.0).looking_at(Vec3::Y * 3.0, Vec3::Y);
    commands.spawn((Camera3d::default(), eye));
}

fn set_up_physics(mut commands: Commands) {
    commands.spawn((Transform::from_xyz(0.0, -0.1, 0.0), Collider::cuboid(10.0, 0.2, 10.0)));
    commands.spawn((
        Transform::from_xyz(0.0, 3.0, 0.0),
        RigidBody::Dynamic,
        LockedAxes::TRANSLATION_LOCKED.lock_rotation_y().lock_rotation_z(),
        Collider::cuboid(0.4, 1.2, 4.0),
    ));
    commands.spawn((
        Transform::from_xyz(0.0, 5.0, 0.0).with_rotation(Quat::from_rotation_x(1.0)),
        RigidBody::Dynamic,
        LockedAxes::ROTATION_LOCKED,
        Collider::cuboid(1.2, 0.8, 0.8),
    ));
}
