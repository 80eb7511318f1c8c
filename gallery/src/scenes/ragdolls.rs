//! People tumble down a stair.

use bevy::prelude::*;
use orthant::prelude::*;

use crate::kit::Kit;

pub fn spawn(mut kit: Kit) {
    kit.ground();
    for stair in 0..8_u8 {
        let height = 0.3 * f32::from(8 - stair);
        let at = Transform::from_xyz(0.6 * f32::from(stair) - 3.0, 0.5 * height, 0.0);
        kit.spawn(Cuboid::new(0.6, height, 5.0), 5, (at, Friction::new(0.5)));
    }
    let human = Skeleton::human(1.8);
    for i in 0..12_usize {
        let at = Transform::from_xyz(
            -2.6 + 1.1 * (i / 6) as f32,
            4.2 + 1.4 * (i / 2 % 3) as f32,
            -1.0 + 2.0 * (i % 2) as f32,
        );
        let turned = Quat::from_euler(EulerRot::YXZ, 1.3 + 0.5 * i as f32, 0.3, 0.0);
        let doll = human.spawn(&mut kit.commands, at.with_rotation(turned));
        let doll = doll.expect("each bone of a human hangs on one before it");
        for (bone, &entity) in human.bones.iter().zip(&doll.bones) {
            let mesh: Mesh = match bone.shape {
                ColliderConstructor::Cuboid { x_length, y_length, z_length } => {
                    Cuboid::new(x_length, y_length, z_length).into()
                }
                ColliderConstructor::Capsule { radius, length } => {
                    Capsule3d::new(radius, length).into()
                }
                _ => Sphere::new(0.12).into(),
            };
            let color = if bone.name == "head" { 5 } else { i % 5 };
            let picture = kit.picture(mesh, color);
            kit.commands.entity(entity).insert((picture, Friction::new(0.5)));
        }
    }
}
