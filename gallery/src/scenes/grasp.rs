//! Three fingers close on a glass, lift it and set it down; motors and friction are all that holds it.

use std::f32::consts::PI;

use bevy::prelude::*;
use orthant::prelude::*;

use crate::kit::Kit;

/// What carries the fingers.
#[derive(Component)]
struct Palm;

/// A joint of a finger, whose motor has at most this torque (N·m).
#[derive(Component)]
struct Knuckle(f32);

pub fn spawn(mut kit: Kit) {
    kit.ground();
    let glass = kit.body(Cylinder::new(0.1, 0.32), 2, Transform::from_xyz(0.0, 0.16, 0.0));
    kit.commands.entity(glass).insert((Mass(0.4), Friction::new(0.8)));
    let place = Vec3::Y * 0.62;
    let palm = (Palm, RigidBody::Kinematic, Transform::from_translation(place));
    let palm = kit.spawn(Cylinder::new(0.15, 0.06), 3, palm);
    for finger in 0..3_u8 {
        let turn = 2.0 * PI * (f32::from(finger) + 0.25) / 3.0;
        let outward = Vec3::new(turn.cos(), 0.0, turn.sin());
        // About this axis fingers close.
        let axis = Vec3::Y.cross(outward);
        let (mut last, mut start) = (palm, place + outward * 0.12 - Vec3::Y * 0.03);
        for (length, spread, torque, most) in [(0.2, 0.8_f32, 8.0, 0.7), (0.28, -0.1, 2.0, 0.9)] {
            let along = outward * spread.sin() - Vec3::Y * spread.cos();
            let at = Transform::from_translation(start + along * (0.5 * length))
                .with_rotation(Quat::from_rotation_arc(Vec3::NEG_Y, along));
            let link = kit.body(Capsule3d::new(0.025, length - 0.03), 0, at);
            kit.commands.entity(link).insert(Friction::new(0.8));
            let joint = Joint::hinge(last, link).with_anchor(start).with_axis(axis);
            kit.commands.spawn((joint.with_limits(0.0, most), Knuckle(torque)));
            (last, start) = (link, start + along * length);
        }
    }
}

pub fn systems(app: &mut App) {
    app.add_systems(FixedUpdate, work);
}

/// Closes, lifts, holds, sets down, opens: two seconds each.
fn work(
    time: Res<Time>,
    mut palms: Query<&mut LinearVelocity, With<Palm>>,
    mut knuckles: Query<(&mut Joint, &Knuckle)>,
) {
    let part = (time.elapsed_secs() / 2.0) as u32 % 5;
    let (rise, closing) = match part {
        0 | 2 => (0.0, 0.6),
        1 => (0.25, 0.6),
        3 => (-0.25, 0.6),
        _ => (0.0, -0.6),
    };
    for mut velocity in &mut palms {
        velocity.set_if_neq(LinearVelocity(Vec3::Y * rise));
    }
    for (mut joint, knuckle) in &mut knuckles {
        let motor = Some(Motor::velocity(closing, knuckle.0));
        if *joint.bypass_change_detection().motor_mut() != motor {
            *joint.motor_mut() = motor;
        }
    }
}
