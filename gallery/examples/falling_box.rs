use bevy::prelude::*;
use orthant::prelude::*;

fn main() {
    let physics = (PhysicsPlugins::default(), PhysicsDebugPlugin);
    App::new().add_plugins((DefaultPlugins, physics)).add_systems(Startup, spawn).run();
}

fn spawn(mut commands: Commands) {
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 2.0, 9.0)));
    commands.spawn(Collider::cuboid(10.0, 0.2, 10.0));
    let above = Transform::from_xyz(0.0, 4.0, 0.0);
    commands.spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), above));
}
