//! bevy_rapier3d's `boxes3`: 1280 boxes fall, drawn by the debug drawing.

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
    let eye = Transform::from_xyz(-30.0, 30.0, 100.0).looking_at(Vec3::Y * 10.0, Vec3::Y);
    commands.spawn((Camera3d::default(), eye));
}

fn set_up_physics(mut commands: Commands) {
    let ground = (Collider::cuboid(400.2, 0.2, 400.2), Transform::from_xyz(0.0, -0.1, 0.0));
    commands.spawn(ground);
    let (count, apart) = (8, 3.0);
    let middle = apart * (count / 2) as f32;
    let mut offset = -(count as f32) * apart * 0.5;
    for j in 0..20 {
        for i in 0..count {
            for k in 0..count {
                let x = i as f32 * apart - middle + offset;
                let y = j as f32 * apart + 0.5 * apart + 3.0;
                let z = k as f32 * apart - middle + offset;
                commands.spawn(Transform::from_rotation(Quat::from_rotation_x(0.2))).with_child((
                    Transform::from_xyz(x, y, z),
                    RigidBody::Dynamic,
                    Collider::cuboid(2.0, 2.0, 2.0),
                ));
            }
        }
        offset -= 0.05 * (count as f32 - 1.0);
    }
}
