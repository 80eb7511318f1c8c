//! Vehicles on wheels that are rays obey the laws of their springs and of friction.

use super::*;
use orthant::math::{cos, quat_exp, sin, single_quat};

/// Mass (kg) and distance of the axles (m) of the car.
const MASS: Real = 1000.0;
const AXLES: Real = 2.4;
/// Earth's (m/s²).
const G: Real = 9.81;

/// A car with its front to -z, so high over the origin that its wheels touch the ground without load.
fn car(app: &mut App, turned: Quat) -> Entity {
    let places = [(-0.8, -1.2), (0.8, -1.2), (-0.8, 1.2), (0.8, 1.2)];
    let wheels = places.map(|(x, z)| Wheel::new(Vec3::new(x, -0.2, z), 0.35));
    let body = (RigidBody::Dynamic, Collider::cuboid(1.8, 0.4, 3.6), Mass(MASS));
    let up = turned * Vec3::Y * 0.8;
    let place = Transform::from_translation(single3(up)).with_rotation(single_quat(turned));
    spawn(app, (body, RaycastVehicle::new(wheels), place, SleepingDisabled))
}

fn wheels(app: &mut App, car: Entity, change: impl Fn(usize, &mut Wheel)) {
    let mut vehicle = app.world_mut().get_mut::<RaycastVehicle>(car).expect("a car");
    vehicle.wheels.iter_mut().enumerate().for_each(|(index, wheel)| change(index, wheel));
}

fn vehicle(app: &App, car: Entity) -> &RaycastVehicle {
    app.world().get::<RaycastVehicle>(car).expect("a car")
}

/// Settled on level ground.
fn standing() -> (App, Entity, Entity) {
    let mut app = app();
    let floor = floor(&mut app);
    let car = car(&mut app, Quat::IDENTITY);
    run(&mut app, 320);
    (app, car, floor)
}

#[test]
fn springs_carry_the_weight() {
    let (app, car, floor) = standing();
    let wheels = &vehicle(&app, car).wheels;
    let load: Real = wheels.iter().map(|wheel| wheel.load).sum();
    assert!((load - MASS * G).abs() < 1e-3 * MASS * G, "{load} N");
    for wheel in wheels {
        assert_eq!(wheel.ground, Some(floor));
        let compression = wheel.travel - wheel.length;
        assert!((compression - MASS * G / 4.0 / wheel.stiffness).abs() < 1e-4, "{compression} m");
    }
    assert!(velocity(&app, car).length() < 1e-4, "at rest");
}

#[test]
fn the_engine_accelerates_by_newtons_law_and_wheels_roll() {
    let (mut app, car, _) = standing();
    wheels(&mut app, car, |_, wheel| wheel.engine_force = 500.0);
    run(&mut app, 64);
    let speed = -velocity(&app, car).z;
    assert!((speed - 4.0 * 500.0 / MASS).abs() < 0.02, "{speed} m/s after a second");
    let way = -position(&app, car).z;
    for wheel in &vehicle(&app, car).wheels {
        assert!((wheel.spin * wheel.radius - way).abs() < 0.05, "{} rad on {way} m", wheel.spin);
    }
}

#[test]
fn friction_bounds_what_the_engine_gives() {
    let (mut app, car, _) = standing();
    wheels(&mut app, car, |_, wheel| (wheel.engine_force, wheel.friction) = (1e5, 0.3));
    run(&mut app, 64);
    let speed = -velocity(&app, car).z;
    assert!((speed - 0.3 * G).abs() < 0.03 * G * 0.3, "{speed} m/s after a second at µ = 0.3");
}

#[test]
fn brakes_stop_and_hold_on_a_slope() {
    let mut app = app();
    let turned = quat_exp(Vec3::X * 0.2);
    spawn(&mut app, (RigidBody::Static, Collider::half_space(turned * Vec3::Y)));
    let car = car(&mut app, turned);
    wheels(&mut app, car, |_, wheel| wheel.brake_force = 5000.0);
    run(&mut app, 192);
    let before = position(&app, car);
    run(&mut app, 640);
    assert_near(position(&app, car), before, 1e-3);
    wheels(&mut app, car, |_, wheel| wheel.brake_force = 0.0);
    run(&mut app, 64);
    let speed = velocity(&app, car).length();
    assert!((speed - G * sin(0.2)).abs() < 0.05, "let go it rolls by g sin: {speed}");
}

/// Slowly, the front axle stands at right angles to the radius of the circle: R = L / tan δ.
#[test]
fn steering_leads_along_a_circle() {
    let (mut app, car, _) = standing();
    app.world_mut().get_mut::<LinearVelocity>(car).expect("a body").0 = Vec3::NEG_Z * 3.0;
    wheels(&mut app, car, |index, wheel| wheel.steering = if index < 2 { 0.1 } else { 0.0 });
    run(&mut app, 96);
    let turning = app.world().get::<AngularVelocity>(car).expect("a body").0.y;
    let speed = velocity(&app, car).length();
    let expected = speed * sin(0.1) / cos(0.1) / AXLES;
    assert!((turning - expected).abs() < 0.05 * expected, "{turning} rad/s, not {expected}");
}

#[test]
fn the_ground_is_pushed_back() {
    let mut app = app();
    without_gravity(&mut app);
    let board =
        spawn(&mut app, (RigidBody::Dynamic, Collider::cuboid(9.0, 0.2, 9.0), at(0.0, -0.1, 0.0)));
    let car = car(&mut app, Quat::IDENTITY);
    app.world_mut().get_mut::<LinearVelocity>(car).expect("a body").0 = Vec3::NEG_Y * 0.5;
    run(&mut app, 30);
    let momentum = |entity| body(&app, entity).map_or(Vec3::ZERO, |b| b.linear_velocity * b.mass());
    let sum = momentum(car) + momentum(board);
    assert_near(sum, Vec3::NEG_Y * 0.5 * MASS, 1e-3 * MASS);
    assert!(momentum(board).y < -1.0, "it was pushed");
}
