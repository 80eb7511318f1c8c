//! A car on four springs: bumps, a ramp, a wall of boxes.

use std::f32::consts::PI;

use bevy::prelude::*;
use orthant::prelude::*;

use crate::kit::Kit;

/// The picture of a wheel: which one of the car above it.
#[derive(Component)]
struct Hub(usize);

/// Radius (m) and width (m) of the wheels.
const WHEEL: [f32; 2] = [0.35, 0.24];

pub fn spawn(mut kit: Kit) {
    kit.ground();
    for i in 0..6_u8 {
        let side = if i % 2 == 0 { -0.7 } else { 0.7 };
        let bump = Transform::from_xyz(side, -0.05, 12.0 - 1.6 * f32::from(i))
            .with_rotation(Quat::from_rotation_z(0.5 * PI));
        kit.spawn(Cylinder::new(0.22, 1.4), 3, (RigidBody::Static, bump));
    }
    let ramp = Transform::from_xyz(0.0, 0.25, -3.0).with_rotation(Quat::from_rotation_x(0.2));
    kit.spawn(Cuboid::new(4.0, 0.2, 5.0), 5, (RigidBody::Static, ramp));
    for i in 0..48_usize {
        let at = Vec3::new(0.62 * (i % 8) as f32 - 2.2, 0.3 + 0.6 * (i / 8) as f32, -16.0);
        let brick = kit.body(Cuboid::from_length(0.6), i % 5, Transform::from_translation(at));
        kit.commands.entity(brick).insert(ColliderDensity(60.0));
    }
    let places = [(-0.85, -1.2), (0.85, -1.2), (-0.85, 1.2), (0.85, 1.2)];
    let wheels = places.map(|(x, z)| Wheel::new(Vec3::new(x, -0.1, z), WHEEL[0]));
    let car = kit.body(Cuboid::new(1.6, 0.5, 3.6), 0, Transform::from_xyz(0.0, 0.8, 17.0));
    kit.commands.entity(car).insert((Mass(1000.0), RaycastVehicle::new(wheels)));
    let cabin = kit.picture(Cuboid::new(1.4, 0.5, 1.6), 2);
    kit.commands.spawn((cabin, Transform::from_xyz(0.0, 0.5, 0.2), ChildOf(car)));
    for wheel in 0..4 {
        let rubber = kit.picture(Cylinder::new(WHEEL[0], WHEEL[1]), 3);
        kit.commands.spawn((Hub(wheel), rubber, Transform::default(), ChildOf(car)));
    }
}

pub fn systems(app: &mut App) {
    app.add_systems(FixedUpdate, drive).add_systems(Update, turn_wheels);
}

/// Drives by the arrow keys; straight on with some 12 m/s as long as none was pressed.
fn drive(
    keys: Res<ButtonInput<KeyCode>>,
    mut by_hand: Local<bool>,
    mut cars: Query<(&mut RaycastVehicle, &LinearVelocity)>,
) {
    let pressed = |key| f32::from(u8::from(keys.pressed(key)));
    let gas = pressed(KeyCode::ArrowUp) - pressed(KeyCode::ArrowDown);
    let left = pressed(KeyCode::ArrowLeft) - pressed(KeyCode::ArrowRight);
    *by_hand |= gas != 0.0 || left != 0.0;
    for (mut car, velocity) in &mut cars {
        let alone = if velocity.0.length() < 12.0 { 1.0 } else { 0.0 };
        let gas = if *by_hand { gas } else { alone };
        for (index, wheel) in car.wheels.iter_mut().enumerate() {
            wheel.steering = if index < 2 { 0.4 * left } else { 0.0 };
            wheel.engine_force = 2000.0 * gas;
        }
    }
}

fn turn_wheels(cars: Query<&RaycastVehicle>, mut hubs: Query<(&Hub, &ChildOf, &mut Transform)>) {
    for (hub, car, mut place) in &mut hubs {
        let Ok(car) = cars.get(car.parent()) else { continue };
        let (at, turned) = car.wheel_pose(&car.wheels[hub.0]);
        // The axis of a cylinder is y, that of a wheel x.
        let turned = turned * Quat::from_rotation_z(0.5 * PI);
        *place = Transform::from_translation(at).with_rotation(turned);
    }
}
