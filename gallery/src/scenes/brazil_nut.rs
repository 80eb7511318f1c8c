//! What is shaken sorts itself by size.

use std::f32::consts::PI;

use bevy::prelude::*;
use orthant::prelude::*;

use crate::kit::Kit;

/// The container.
#[derive(Component)]
struct Shaken;

/// Amplitude (m) and frequency (1/s).
const SHAKE: [f32; 2] = [0.1, 4.0];

pub fn spawn(mut kit: Kit) {
    kit.ground();
    // Half the width inside and the height (m).
    let (half, high) = (0.8, 3.2);
    let at = Transform::from_xyz(0.0, 0.4, 0.0);
    let body = (Shaken, RigidBody::Kinematic, at, Visibility::default(), Friction::new(0.4));
    let container = kit.commands.spawn(body).id();
    let place = |x, y, z| (Transform::from_xyz(x, y, z), ChildOf(container));
    kit.spawn(Cuboid::new(2.0 * half + 0.4, 0.2, 2.0 * half + 0.4), 3, place(0.0, -0.1, 0.0));
    kit.spawn(Cuboid::new(2.0 * half + 0.4, high, 0.2), 3, place(0.0, 0.5 * high, -half - 0.1));
    // One sees through the others.
    for side in [-half - 0.1, half + 0.1] {
        let wall = Collider::cuboid(0.2, high, 2.0 * half);
        kit.commands.spawn((wall, place(side, 0.5 * high, 0.0)));
    }
    let wall = Collider::cuboid(2.0 * half + 0.4, high, 0.2);
    kit.commands.spawn((wall, place(0.0, 0.5 * high, half + 0.1)));
    // Their edges are drawn.
    for side in [-half - 0.18, half + 0.18] {
        let edge = kit.picture(Cuboid::new(0.04, high, 0.04), 3);
        kit.commands.spawn((edge, place(side, 0.5 * high, half + 0.18)));
        let rim = kit.picture(Cuboid::new(0.04, 0.04, 2.0 * half + 0.4), 3);
        kit.commands.spawn((rim, place(side, high, 0.0)));
    }
    let rim = kit.picture(Cuboid::new(2.0 * half + 0.4, 0.04, 0.04), 3);
    kit.commands.spawn((rim, place(0.0, high, half + 0.18)));
    for (x, z) in [(-0.4, -0.4), (0.4, -0.4), (-0.4, 0.4), (0.4, 0.4)] {
        kit.body(Sphere::new(0.3), 0, Transform::from_xyz(x, 0.71, z));
    }
    for i in 0..266_usize {
        let (layer, row, column) = (i / 36, i / 6 % 6, i % 6);
        // Not quite in rows, so that they do not stay in them.
        let off = 0.01 * (1.7 * i as f32).sin();
        let at = Transform::from_xyz(
            0.24 * (row as f32 - 2.5) + off,
            1.12 + 0.22 * layer as f32,
            0.24 * (column as f32 - 2.5) - off,
        );
        kit.body(Sphere::new(0.1), 1 + i % 2, at);
    }
}

pub fn systems(app: &mut App) {
    app.add_systems(FixedUpdate, shake);
}

/// Gives the velocity that leads to the next place of a harmonic motion.
fn shake(time: Res<Time>, mut shaken: Query<&mut LinearVelocity, With<Shaken>>) {
    let [amplitude, frequency] = SHAKE;
    let (t, dt) = (time.elapsed_secs(), time.delta_secs());
    let height = |t: f32| amplitude * (1.0 - (2.0 * PI * frequency * t).cos());
    for mut velocity in &mut shaken {
        velocity.0 = Vec3::Y * ((height(t + dt) - height(t)) / dt);
    }
}
