//! Gears, racks, screws, pulleys, wheels and motors that follow, as components.

use super::joints::{edit, floating, joint};
use super::*;
use orthant::math::PI;

fn spin(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<AngularVelocity>(entity).expect("a body").0
}

fn turn(app: &mut App, entity: Entity, spin: Vec3) {
    app.world_mut().get_mut::<AngularVelocity>(entity).expect("a body").0 = spin;
}

/// A cube of 1 kg on a hinge about an axis of the world through its center.
fn wheel(app: &mut App, place: Transform, axis: Vec3) -> Entity {
    let wheel = floating(app, place);
    let anchor = Vec3::from_array(place.translation.to_array().map(Real::from));
    spawn(app, Joint::hinge(None, wheel).with_anchor(anchor).with_axis(axis));
    wheel
}

fn close(what: &str, got: Real, want: Real, tolerance: Real) {
    assert!((got - want).abs() < tolerance, "{what}: {got}, not {want}");
}

#[test]
fn gears_turn_against_each_other_wherever_their_axles_point() {
    for axis in [Vec3::X, Vec3::NEG_X, Vec3::new(0.0, 0.6, 0.8)] {
        let mut app = app();
        let far = if axis.x == 0.0 { at(1.5, 0.0, 0.0) } else { at(0.0, 1.5, 0.0) };
        let (a, b) = (wheel(&mut app, at(0.0, 0.0, 0.0), axis), wheel(&mut app, far, axis));
        let gear = spawn(&mut app, Joint::gear(a, b, 3.0).with_axis(axis));
        app.update();
        turn(&mut app, a, axis * 10.0);
        for _ in 0..200 {
            app.update();
            // Equal inertia: 10 / (1 + 3²) is left, and three times that is gained.
            let [left, gained] = [a, b].map(|wheel| spin(&app, wheel).dot(axis));
            close("a", left, 10.0 - 1.0, 2e-3);
            close("b", gained, -3.0, 2e-3);
        }
        close("slip", joint(&app, gear).position(JointAxis::LinearX), 0.0, 1e-3);
        assert!(report(&app).joint_error < 1e-4, "{:?}", report(&app));
    }
}

/// Bevel gears: axles at a right angle that meet where both anchors are.
#[test]
fn gears_at_an_angle_have_their_anchors_where_the_axles_meet() {
    let mut app = app();
    let a = wheel(&mut app, at(1.0, 0.0, 0.0), Vec3::X);
    let b = wheel(&mut app, at(0.0, 1.0, 0.0), Vec3::Y);
    let gear = Joint::gear(a, b, -1.0).with_anchor(Vec3::ZERO);
    spawn(&mut app, gear.with_world_axes(Vec3::X, Vec3::Y));
    app.update();
    turn(&mut app, a, Vec3::X * 4.0);
    run(&mut app, 100);
    close("half of it is left", spin(&app, a).x, 2.0, 1e-3);
    close("half of it goes over", spin(&app, b).y, 2.0, 1e-3);
}

#[test]
fn a_pinion_moves_its_rack_and_a_gear_may_be_changed() {
    let mut app = app();
    let pinion = wheel(&mut app, at(0.0, 0.0, 0.0), Vec3::Z);
    let rack = floating(&mut app, at(0.0, 1.0, 0.0));
    spawn(&mut app, Joint::prismatic(None, rack).with_anchor(Vec3::Y).with_axis(Vec3::X));
    let drive = Joint::rack_and_pinion(rack, pinion, 0.25).with_world_axes(Vec3::X, Vec3::Z);
    let drive = spawn(&mut app, drive);
    app.update();
    turn(&mut app, pinion, Vec3::Z * 4.0);
    run(&mut app, 60);
    let speed = velocity(&app, rack).x;
    close("rack", speed, 0.25 * spin(&app, pinion).z, 1e-4);
    assert!(speed > 0.1, "it moves: {speed} m/s");
    // Another one, from where they are: nothing jumps.
    let before = position(&app, rack).x;
    edit(&mut app, drive, |joint| joint.kind = JointKind::RackAndPinion { radius: 0.5 });
    app.update();
    assert!((position(&app, rack).x - before).abs() < 0.05, "no jump");
    run(&mut app, 60);
    close("rack", velocity(&app, rack).x, 0.5 * spin(&app, pinion).z, 1e-4);
}

/// What a jack carries, and what its nut bears: `m g lead / 2π`.
#[test]
fn a_screw_carries_its_load() {
    let mut app = app();
    let load = (RigidBody::Dynamic, cube(), Mass(100.0), SleepingDisabled);
    let load = spawn(&mut app, load);
    let lead = 0.1;
    let most = 1.01 * 100.0 * 9.81 * lead / (2.0 * PI);
    let motor = Motor::velocity(2.0 * PI, most);
    let screw = Joint::screw(None, load, lead).with_axis(Vec3::Y).with_motor(motor);
    let screw = spawn(&mut app, screw);
    run(&mut app, 129);
    // A hundredth of the load accelerates what its turning weighs: it is up to speed at once, and rises.
    let turned = joint(&app, screw).position(JointAxis::AngularX);
    close("it rises as it turns", position(&app, load).y, lead * turned / (2.0 * PI), 1e-4);
    assert!(position(&app, load).y > 0.0, "{}", position(&app, load).y);
    let motor = Motor::velocity(2.0 * PI, 0.98 * most);
    edit(&mut app, screw, |joint| joint.motors[3] = Some(motor));
    run(&mut app, 400);
    assert!(velocity(&app, load).y < 0.0, "with less it sinks");
}

#[test]
fn a_tackle_halves_the_load() {
    let mut app = app();
    let heavy = (RigidBody::Dynamic, cube(), Mass(20.0), at(2.0, 0.0, 0.0), SleepingDisabled);
    let light = (RigidBody::Dynamic, cube(), Mass(10.0), at(-2.0, 0.0, 0.0), SleepingDisabled);
    let (light, heavy) = (spawn(&mut app, light), spawn(&mut app, heavy));
    let wheels = [Vec3::new(-2.0, 5.0, 0.0), Vec3::new(2.0, 5.0, 0.0)];
    let rope = spawn(&mut app, Joint::pulley(light, heavy, wheels, 2.0, 15.0));
    run(&mut app, 200);
    for weight in [light, heavy] {
        assert!(velocity(&app, weight).length() < 1e-3, "in balance");
        assert!(position(&app, weight).y.abs() < 1e-3, "where it was");
    }
    let (force, _) = joint(&app, rope).reaction();
    close("on two parts of the rope", force.y, 20.0 * 9.81, 0.2);
}

/// A wheel on its suspension: the load sits on the spring, the axle is free, the rest is locked.
#[test]
fn a_wheel_joint_is_a_suspension_and_an_axle() {
    let mut app = app();
    let wheel = (RigidBody::Dynamic, Collider::sphere(0.4), Mass(10.0), SleepingDisabled);
    let wheel = spawn(&mut app, wheel);
    let joint = Joint::wheel(None, wheel, [2000.0, 200.0, 0.3]);
    let joint = spawn(&mut app, joint);
    app.update();
    turn(&mut app, wheel, Vec3::X * 5.0);
    run(&mut app, 300);
    close("sag", position(&app, wheel).y, -10.0 * 9.81 / 2000.0, 1e-4);
    close("free to turn", spin(&app, wheel).x, 5.0, 1e-3);
    assert!(position(&app, wheel).x.abs() < 1e-5 && position(&app, wheel).z.abs() < 1e-5, "led");
    edit(&mut app, joint, |joint| joint.motors[1] = None);
    run(&mut app, 200);
    close("on the stop", position(&app, wheel).y, -0.3, 2e-3);
}

#[test]
fn a_motor_follows_another_joint() {
    let mut app = app();
    let [lead, led] = [-2.0, 2.0].map(|x| floating(&mut app, at(x, 0.0, 0.0)));
    let hinge = |wheel, x| Joint::hinge(None, wheel).with_anchor(Vec3::X * x).with_axis(Vec3::Z);
    let drive = Motor::velocity(1.5, 100.0);
    let leader = spawn(&mut app, hinge(lead, -2.0).with_motor(drive));
    let stiff = Motor::spring(0.0, 500.0, 20.0);
    let coupling = MotorCoupling::new(leader, JointAxis::AngularX, -2.0).with_offset(0.3);
    let follower = spawn(&mut app, (hinge(led, 2.0).with_motor(stiff), coupling));
    run(&mut app, 300);
    let [there, here] = [leader, follower].map(|id| joint(&app, id).position(JointAxis::AngularX));
    close("leader", there, 1.5 * 299.0 / 64.0, 0.1);
    // The spring acts at the middle of the step or later, on the target of its end.
    close("follower", here, 0.3 - 2.0 * there, 0.5 * 3.0 / 64.0);
    close("at its rate", spin(&app, led).z, -3.0, 1e-2);
    // A leader that goes leaves the last target.
    app.world_mut().entity_mut(leader).despawn();
    run(&mut app, 2);
    assert!(spin(&app, led).is_finite(), "nothing breaks");
}

/// What is not a number is not equal to itself: a motor that follows it is not another one in each step.
#[test]
fn a_coupling_that_is_no_number_is_told_once() {
    for ratio in [Real::NAN, Real::INFINITY] {
        let mut app = app();
        listen(&mut app);
        without_gravity(&mut app);
        let [a, b] = [0.0, 3.0].map(|x| floating(&mut app, at(x, 0.0, 0.0)));
        let leader = spawn(&mut app, Joint::hinge(None, a).with_motor(Motor::velocity(1.0, 10.0)));
        let follower = Joint::hinge(None, b).with_anchor(Vec3::X * 3.0);
        let follower = spawn(&mut app, follower.with_motor(Motor::velocity(0.0, 10.0)));
        let coupling = MotorCoupling::new(leader, JointAxis::AngularX, ratio);
        run(&mut app, 2);
        app.world_mut().entity_mut(follower).insert(coupling);
        run(&mut app, 10);
        let errors = told(&mut app);
        let is_of = |error: &PhysicsError| error.entity == follower;
        assert!(errors.len() == 1 && errors.iter().all(is_of), "{ratio}: once, not {errors:?}");
        // What is right again is followed.
        app.world_mut().entity_mut(follower).insert(MotorCoupling { ratio: 2.0, ..coupling });
        run(&mut app, 10);
        assert_eq!(told(&mut app), []);
        close("it follows", spin(&app, b).x, 2.0 * spin(&app, a).x, 1e-3);
    }
}
