//! avian3d's `cubes`: a block of cubes falls, and the arrow keys push all of them.

use bevy::prelude::*;
use orthant::prelude::*;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, PhysicsPlugins::default(), PhysicsPanelPlugin))
        .insert_resource(ClearColor(Color::srgb(0.05, 0.05, 0.1)))
        .add_systems(Startup, setup)
        .add_systems(FixedUpdate, movement)
        .run();
}

/// Acceleration by the keys [m/s²].
#[derive(Component)]
struct MovementAcceleration(f32);

fn setup(
    mut commands: Commands,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    let cube = Mesh3d(meshes.add(Cuboid::default()));
    commands.spawn((
        cube.clone(),
        MeshMaterial3d(materials.add(Color::srgb(0.7, 0.7, 0.8))),
        Transform::from_xyz(0.0, -2.0, 0.0).with_scale(Vec3::new(100.0, 1.0, 100.0)),
        Collider::cuboid(1.0, 1.0, 1.0),
    ));
    let size = 2.0;
    let paint = MeshMaterial3d(materials.add(Color::srgb(0.2, 0.7, 0.9)));
    for x in -2..2 {
        for y in -2..2 {
            for z in -2..2 {
                let place = Vec3::new(x as f32, y as f32 + 3.0, z as f32) * (size + 0.05);
                commands.spawn((
                    cube.clone(),
                    paint.clone(),
                    Transform::from_translation(place).with_scale(Vec3::splat(size)),
                    RigidBody::Dynamic,
                    Collider::cuboid(1.0, 1.0, 1.0),
                    MovementAcceleration(10.0),
                ));
            }
        }
    }
    let light = DirectionalLight { illuminance: 5000.0, shadow_maps_enabled: true, ..default() };
    let from = Vec3::new(1.0, 2.5, 1.5);
    commands.spawn((light, Transform::from_translation(from).looking_at(Vec3::ZERO, Vec3::Y)));
    let eye = Transform::from_xyz(0.0, 12.0, 40.0).looking_at(Vec3::Y * 5.0, Vec3::Y);
    commands.spawn((Camera3d::default(), eye));
}

fn movement(keys: Res<ButtonInput<KeyCode>>, mut cubes: Query<(&MovementAcceleration, Forces)>) {
    let pressed = |key, other| f32::from(u8::from(keys.any_pressed([key, other])));
    let right = pressed(KeyCode::KeyD, KeyCode::ArrowRight);
    let left = pressed(KeyCode::KeyA, KeyCode::ArrowLeft);
    let back = pressed(KeyCode::KeyS, KeyCode::ArrowDown);
    let front = pressed(KeyCode::KeyW, KeyCode::ArrowUp);
    let direction = Vec3::new(right - left, 0.0, back - front).normalize_or_zero();
    for (acceleration, mut forces) in &mut cubes {
        forces.apply_linear_acceleration(direction * acceleration.0);
    }
}
