//! People walk: stairs, a bridge that turns, a ramp, crates in their way.

use bevy::prelude::*;
use orthant::prelude::*;

use crate::kit::Kit;

/// Someone who walks to and fro, along x.
#[derive(Component)]
struct Walker(f32);

/// The one whom the arrow keys lead.
#[derive(Component)]
struct Player;

pub fn spawn(mut kit: Kit) {
    kit.ground();
    for stair in 0..9_u8 {
        let height = 0.22 * f32::from(stair + 1);
        let at = Transform::from_xyz(-3.6 + 0.4 * f32::from(stair), 0.5 * height, 0.0);
        kit.spawn(Cuboid::new(0.4, height, 6.0), 3, at);
    }
    kit.spawn(Cuboid::new(3.0, 1.98, 6.0), 3, Transform::from_xyz(1.3, 0.99, 0.0));
    let ramp = Transform::from_xyz(4.6, 0.89, 0.0).with_rotation(Quat::from_rotation_z(-0.505));
    kit.spawn(Cuboid::new(4.2, 0.2, 6.0), 3, ramp);
    let disc = (RigidBody::Kinematic, Transform::from_xyz(1.3, 2.04, 0.0));
    let disc = kit.spawn(Cylinder::new(1.4, 0.12), 1, disc);
    kit.commands.entity(disc).insert(AngularVelocity(Vec3::Y * 0.6));
    for i in 0..10_u8 {
        let (row, layer) = (f32::from(i % 5), f32::from(i / 5));
        let at = Transform::from_xyz(-5.4, 0.35 + 0.7 * layer, 1.15 * (row - 2.0));
        let load = kit.body(Cuboid::from_length(0.7), usize::from(i), at);
        kit.commands.entity(load).insert(Mass(25.0));
    }
    for i in 0..6_usize {
        let (place, way) = ([-4.3, 1.6, 6.6][i % 3], [1.0, -1.0][i % 2]);
        let at = Transform::from_xyz(place, [0.92, 3.1, 0.92][i % 3], 1.0 * (i as f32 - 2.5));
        let walker = (CharacterController::default(), Walker(way), at);
        let walker = kit.spawn(Capsule3d::new(0.3, 1.2), [0, 2, 4][i % 3], walker);
        if i == 3 {
            kit.commands.entity(walker).insert(Player);
        }
    }
}

pub fn systems(app: &mut App) {
    app.add_systems(FixedUpdate, walk);
}

/// Turns at the ends; the player walks by the arrow keys and jumps by Enter as soon as one was pressed.
fn walk(
    keys: Res<ButtonInput<KeyCode>>,
    mut by_hand: Local<bool>,
    mut walkers: Query<(&mut Walker, &mut CharacterInput, &Transform, Has<Player>)>,
) {
    let pressed = |key| f32::from(u8::from(keys.pressed(key)));
    let x = pressed(KeyCode::ArrowRight) - pressed(KeyCode::ArrowLeft);
    let z = pressed(KeyCode::ArrowDown) - pressed(KeyCode::ArrowUp);
    *by_hand |= x != 0.0 || z != 0.0;
    for (mut walker, mut input, place, is_player) in &mut walkers {
        if place.translation.x.abs() > 7.0 {
            walker.0 = -place.translation.x.signum();
        }
        let led = is_player && *by_hand;
        input.walk = if led { Vec3::new(x, 0.0, z) * 3.0 } else { Vec3::X * (2.0 * walker.0) };
        input.jump = if led && keys.pressed(KeyCode::Enter) { 4.0 } else { 0.0 };
    }
}
