//! Accelerations of worlds, (2.6)–(2.7), against closed forms and against steps.

use orthant::accelerations::{WorldAccelerations, of_world};
use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Double, EPSILON, Quat, Real, Vec3, narrow, quat_exp, sin_cos_double, widen};
use orthant_lab::support::{change, cuboid, sphere};

const G: Double = 9.81;

/// What differences of first order over `√ε` and rounding over it leave, for speeds, lengths and
/// accelerations of about one to ten.
fn allowed() -> Double {
    200.0 * widen(EPSILON).sqrt()
}

fn settings() -> Settings {
    Settings::default()
}

fn add(world: &mut Simulation, kind: BodyKind, shape: Shape, position: Vec3) -> BodyId {
    let desc =
        BodyDesc { kind, shape: Some(shape), position, friction: 0.0, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

fn of(found: &WorldAccelerations, id: BodyId) -> [Double; 6] {
    found.bodies.iter().find(|(body, _)| *body == id).expect("it touches something").1
}

fn assert_near(found: [Double; 6], wanted: [Double; 6], what: &str) {
    let off = found.iter().zip(&wanted).fold(0.0, |m: Double, (a, b)| m.max((a - b).abs()));
    assert!(off <= allowed(), "{what}: {found:?}, not {wanted:?}, off {off:e}");
}

/// A ball that slides down a ball is carried by `m g (3 cos θ - 2)` until that vanishes, and then falls: the
/// curvature of both, which no row knows, is felt.
#[test]
fn a_ball_that_slides_down_a_ball_is_carried_as_energy_says() {
    let far: Double = 1.2;
    for degrees in [5.0, 30.0, 45.0, 60.0, 80.0] {
        let (sin, cos) = sin_cos_double(Double::to_radians(degrees));
        let mut world = Simulation::new();
        add(&mut world, BodyKind::Static, sphere(1.0), Vec3::ZERO);
        let at = Vec3::new(narrow(far * sin), narrow(far * cos), 0.0);
        let id = add(&mut world, BodyKind::Dynamic, sphere(0.2), at);
        let speed = (2.0 * G * far * (1.0 - cos)).sqrt();
        let ball = change(&mut world, id);
        ball.linear_velocity = Vec3::new(narrow(speed * cos), narrow(-speed * sin), 0.0);
        let mass = widen(ball.mass());
        let found = of_world(&world, &settings(), 1e-4);
        let push = (G * (3.0 * cos - 2.0)).max(0.0);
        let wanted = [push * sin, push * cos - G, 0.0, 0.0, 0.0, 0.0];
        assert_near(of(&found, id), wanted, &format!("{degrees}°"));
        let [(_, force)] = found.contacts[..] else { panic!("one contact: {found:?}") };
        assert!((force / mass - push).abs() <= allowed(), "{degrees}°: {force} N");
    }
}

/// A box that slides and spins on a floor does not accelerate, however its four corners share the weight.
#[test]
fn a_box_on_four_corners_has_one_acceleration() {
    for slide in [Vec3::ZERO, Vec3::new(1.0, 0.0, -0.5)] {
        let mut world = Simulation::new();
        let floor = Shape::half_space(Vec3::Y).expect("a direction");
        add(&mut world, BodyKind::Static, floor, Vec3::ZERO);
        let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 0.4, 0.6), Vec3::Y * 0.2);
        let body = change(&mut world, id);
        (body.linear_velocity, body.angular_velocity) = (slide, Vec3::Y * slide.x * 2.0);
        let weight = widen(body.mass()) * G;
        let found = of_world(&world, &settings(), 1e-4);
        assert_near(of(&found, id), [0.0; 6], "it is carried");
        assert_eq!(found.contacts.len(), 4, "corners");
        let carried: Double = found.contacts.iter().map(|(_, force)| force).sum();
        assert!((carried / weight - 1.0).abs() <= allowed(), "{carried} N of {weight} N");
    }
}

/// A box that stands tilted on an edge, `d` beside its center, tips over from rest: without friction the
/// floor pushes with `m g / (1 + m d² / I)`.
#[test]
fn a_box_on_its_edge_tips_over() {
    let mut world = Simulation::new();
    let floor = Shape::half_space(Vec3::Y).expect("a direction");
    add(&mut world, BodyKind::Static, floor, Vec3::ZERO);
    let tilt: Double = 0.3;
    let (sin, cos) = sin_cos_double(tilt);
    // The lower corners of a box of 1 m × 1 m about z.
    let [aside, high] = [0.5 * cos - 0.5 * sin, 0.5 * cos + 0.5 * sin];
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::Y * narrow(high));
    let body = change(&mut world, id);
    body.set_pose(Vec3::Y * narrow(high), quat_exp(Vec3::Z * narrow(tilt)));
    let (mass, inertia) = (widen(body.mass()), widen(body.mass()) / 6.0);
    let found = of_world(&world, &settings(), 1e-4);
    // The corner is at -aside: the floor's push there turns it by `-aside × F`.
    let force = mass * G / (1.0 + mass * aside * aside / inertia);
    let wanted = [0.0, force / mass - G, 0.0, 0.0, 0.0, -aside * force / inertia];
    assert_near(of(&found, id), wanted, "it tips");
}

/// A bob on a rod with a ball joint: `α = -g/l sin θ` of a point, with the inertia of the bob, and the
/// centripetal part `ω² l`, which is all in `ν̇ q̇`.
#[test]
fn a_pendulum_has_its_centripetal_acceleration() {
    for (angle, spin) in [(0.4, 0.0), (0.4, 3.0), (1.2, -2.0)] {
        let (sin, cos) = sin_cos_double(angle);
        let l: Double = 0.8;
        let mut world = Simulation::new();
        let at = Vec3::new(narrow(l * sin), narrow(-l * cos), 0.0);
        let id = add(&mut world, BodyKind::Dynamic, sphere(0.1), at);
        let bob = change(&mut world, id);
        bob.set_pose(at, quat_exp(Vec3::Z * narrow(angle)));
        bob.angular_velocity = Vec3::Z * narrow(spin);
        bob.linear_velocity = Vec3::new(narrow(spin * l * cos), narrow(spin * l * sin), 0.0);
        let hinge = JointDesc::to_world(JointKind::Spherical, id)
            .with_anchors(Vec3::ZERO, Vec3::Y * narrow(l));
        world.add_joint(hinge).expect("a sound joint");
        let found = of_world(&world, &settings(), 1e-4);
        // A ball of radius r: I/m = 2 r² / 5.
        let turn = -G * l * sin / (l * l + 0.4 * 0.01);
        let [x, y] =
            [turn * l * cos - spin * spin * l * sin, turn * l * sin + spin * spin * l * cos];
        assert_near(of(&found, id), [x, y, 0.0, 0.0, 0.0, turn], &format!("{angle}, {spin}"));
    }
}

/// What a short step of the engine changes in velocities is the acceleration, to first order in its length,
/// of a box that tumbles about a corner by which it hangs.
#[test]
fn accelerations_are_those_of_short_steps() {
    let mut world = Simulation::new();
    let id = add(&mut world, BodyKind::Dynamic, cuboid(0.6, 0.2, 0.4), Vec3::ZERO);
    let corner = Vec3::new(0.3, 0.1, 0.2);
    let spin = Vec3::new(0.5, -1.0, 0.7);
    let body = change(&mut world, id);
    body.set_pose(Vec3::ZERO, Quat::IDENTITY);
    (body.angular_velocity, body.linear_velocity) = (spin, spin.cross(-corner));
    let hinge = JointDesc::to_world(JointKind::Spherical, id).with_anchors(corner, corner);
    world.add_joint(hinge).expect("a sound joint");
    let wanted = of(&of_world(&world, &settings(), 1e-4), id);
    let mut settings = settings();
    settings.solver.tolerance = 1e-12;
    let off = [1e-3, 5e-4].map(|h: Real| {
        let mut world = world.clone();
        world.step(&settings, h);
        let after = world.body(id).expect("it is there");
        let [v, w] = [after.linear_velocity - spin.cross(-corner), after.angular_velocity - spin]
            .map(|change| (change / h).to_array().map(widen));
        let found = [v[0], v[1], v[2], w[0], w[1], w[2]];
        found.iter().zip(&wanted).fold(0.0, |m: Double, (a, b)| m.max((a - b).abs()))
    });
    let rounding = 64.0 * widen(EPSILON) / 5e-4 + allowed();
    assert!(off[1] <= 0.6 * off[0] + rounding, "{off:?} m/s² or rad/s²");
    assert!(off[1] <= 0.05 + rounding, "{off:?} m/s² or rad/s²: h times jerks of about 100");
}
