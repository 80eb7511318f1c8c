//! avian3d's `distance_joint_3d`: a cube on a spring.

use bevy::prelude::*;
use orthant::prelude::*;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, PhysicsPlugins::default(), PhysicsPanelPlugin))
        .insert_resource(ClearColor(Color::srgb(0.05, 0.05, 0.1)))
        .add_systems(Startup, setup)
        .run();
}

fn setup(
    mut commands: Commands,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    let look = (
        Mesh3d(meshes.add(Cuboid::default())),
        MeshMaterial3d(materials.add(Color::srgb(0.8, 0.7, 0.6))),
    );
    let hook = commands.spawn((look.clone(), RigidBody::Static)).id();
    let place = Transform::from_xyz(-2.0, -0.5, 0.0);
    let mass = MassPropertiesBundle::from_shape(Cuboid::from_length(1.0), 1.0);
    let cube = commands.spawn((look, place, RigidBody::Dynamic, mass)).id();
    commands.spawn(
        Joint::distance(hook, cube, 1.5)
            .with_anchors(Vec3::ZERO, Vec3::splat(0.5))
            .with_spring(400.0, 0.0),
    );
    let light = DirectionalLight { illuminance: 2000.0, shadow_maps_enabled: true, ..default() };
    let from = Vec3::new(1.0, 2.5, 1.5);
    commands.spawn((light, Transform::from_translation(from).looking_at(Vec3::ZERO, Vec3::Y)));
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 0.0, 10.0)));
}
