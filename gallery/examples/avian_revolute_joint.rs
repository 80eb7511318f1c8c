//! avian3d's `revolute_joint_3d`: a weight on a turning hub.

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
    let turning = (RigidBody::Kinematic, AngularVelocity(Vec3::Z * 1.5));
    let hub = commands.spawn((look.clone(), turning)).id();
    let place = Transform::from_xyz(0.0, -2.0, 0.0);
    let mass = MassPropertiesBundle::from_shape(Cuboid::from_length(1.0), 1.0);
    let weight = commands.spawn((look, place, RigidBody::Dynamic, mass)).id();
    commands.spawn(
        Joint::revolute(hub, weight)
            .with_anchors(Vec3::ZERO, Vec3::Y * 2.0)
            .with_axis(Vec3::Z)
            .with_limits(-1.0, 1.0),
    );
    let light = DirectionalLight { illuminance: 2000.0, shadow_maps_enabled: true, ..default() };
    let from = Vec3::new(1.0, 2.5, 1.5);
    commands.spawn((light, Transform::from_translation(from).looking_at(Vec3::ZERO, Vec3::Y)));
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 0.0, 10.0)));
}
