//! What has an acceleration moves: slow falls from unstable balance, against their equations of motion.

#![allow(clippy::disallowed_methods, reason = "closed forms are compared within a tolerance")]

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{
    Double, PI, Quat, Real, Vec3, narrow, quat_conjugate, quat_exp, quat_mul, quat_rotate, widen,
};
use orthant_lab::support::{self, DT, add, body, change, cuboid};

const GRAVITY: Double = 9.81;

/// Time [s] at which `θ'' = f(θ, θ')`, from rest at `start`, passes `end`: the classical Runge–Kutta method
/// in steps of 10 µs, whose error is far below that of the engine.
fn time_to(start: Double, end: Double, f: impl Fn(Double, Double) -> Double) -> Double {
    let h = 1e-5;
    let (mut x, mut v, mut t) = (start, 0.0, 0.0);
    while x < end && t < 60.0 {
        let (k1, l1) = (v, f(x, v));
        let (k2, l2) = (v + 0.5 * h * l1, f(x + 0.5 * h * k1, v + 0.5 * h * l1));
        let (k3, l3) = (v + 0.5 * h * l2, f(x + 0.5 * h * k2, v + 0.5 * h * l2));
        let (k4, l4) = (v + h * l3, f(x + h * k3, v + h * l3));
        x += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
        v += h / 6.0 * (l1 + 2.0 * (l2 + l3) + l4);
        t += h;
    }
    t
}

/// The default settings, with friction on which nothing slides.
fn rough() -> Settings {
    let mut settings = Settings::default();
    settings.contact.friction = Some(2.0);
    settings
}

/// Time [s] until a body has turned by more than `angle` [rad] about the z axis from where it is upright.
fn measured(world: &mut Simulation, id: BodyId, upright: Quat, angle: Real, until: Real) -> Real {
    let settings = drowsy();
    let mut time = 0.0;
    while time < until {
        let turned = quat_mul(body(world, id).rotation(), quat_conjugate(upright));
        if 2.0 * turned.z.abs() > angle {
            return time;
        }
        let report = world.step(&settings, DT);
        assert_eq!(report.status, StepStatus::Solved, "{report}");
        time += DT;
    }
    Real::INFINITY
}

/// Where the engine may be off, for growth at the rate `λ` [1/s] from `start` [m]: a step is the least that
/// it can tell, and contact points are known to within the stillness, by which the lever of the weight is
/// known, `ln(1 + δ / start) / λ`.
fn slack(rate: Double, start: Double) -> Double {
    let stillness = widen(Settings::default().contact.stillness * DT * DT);
    2.0 * widen(DT) + (1.0 + stillness / start).ln() / rate
}

/// A cube on its edge across two slabs, 1e-5 rad off the balance: an inverted pendulum about its edge.
#[test]
fn a_box_on_edge_across_two_slabs_falls_as_a_pendulum() {
    for side in [0.2, 0.35, 1.0] {
        let half_diagonal = side * 0.5_f64.sqrt();
        // I about the edge is 2/3 m a².
        let rate = (GRAVITY * half_diagonal / (2.0 / 3.0 * side * side)).sqrt();
        let (tilt, end) = (1e-5, 0.2);
        let exact = time_to(tilt, end, |angle, _| rate * rate * angle.sin());
        let mut world = Simulation::new();
        let length = narrow(side);
        for z in [-0.6, 0.6] {
            let at = Vec3::new(0.0, -0.5, z * length);
            add(&mut world, BodyKind::Static, cuboid(2.0, 1.0, length), at);
        }
        let upright = quat_exp(Vec3::Z * (0.25 * PI));
        let turned = quat_exp(Vec3::Z * narrow(0.25 * widen(PI) + tilt));
        let at = Vec3::new(narrow(-half_diagonal * tilt), narrow(half_diagonal), 0.0);
        let shape = cuboid(length, length, length);
        let desc =
            BodyDesc { shape: Some(shape), position: at, rotation: turned, ..BodyDesc::default() };
        let id = world.add_body(desc).expect("a cube");
        let time = widen(measured(&mut world, id, upright, narrow(end), 10.0));
        let bar = slack(rate, half_diagonal * tilt);
        println!("side {side}: {time:.3} s, exact {exact:.3} s, bar {bar:.3} s");
        assert!((time - exact).abs() <= bar, "side {side}: {time} s, exact {exact} s, bar {bar} s");
    }
}

/// A plank with its center 10 µm beside the line that carries it, with `loads` cubes of 0.3 m on it on each
/// side, in stacks of three, tips: `m r² θ'' = m g (x cos θ + y sin θ)` with the center of all of them at
/// (x, y) from that line and their radius of gyration r about it, up to a hundredth of a radian, before it
/// rolls off.
fn tips(mut world: Simulation, length: Double, loads: u32) {
    let (thick, width, off, end, side) = (0.1, 0.6, 1e-5, 0.01, 0.3);
    let [x, y, z] = [length, thick, width].map(narrow);
    let at = Vec3::new(narrow(off), narrow(0.5 * thick), 0.0);
    let id = add(&mut world, BodyKind::Dynamic, cuboid(x, y, z), at);
    // All are of one density.
    let mass = length * thick * width;
    let about = (length * length + thick * thick) / 12.0 + 0.25 * thick * thick;
    let (mut all, mut moment, mut inertia) = (mass, 0.5 * thick * mass, about * mass);
    for k in 0..loads {
        let (away, up) = (0.5 * Double::from(k / 3 + 1), Double::from(k % 3) + 0.5);
        let height = thick + side * up;
        for sign in [-1.0, 1.0] {
            let at = Vec3::new(narrow(off + sign * away), narrow(height), 0.0);
            add(&mut world, BodyKind::Dynamic, cuboid(0.3, 0.3, 0.3), at);
            let mass = side * side * side;
            all += mass;
            moment += mass * height;
            inertia += mass * (side * side / 6.0 + height * height + away * away);
        }
    }
    let (square, high) = (inertia / all, moment / all);
    let rate = (GRAVITY * high / square).sqrt();
    let exact = time_to(0.0, end, |angle: Double, _| {
        GRAVITY * (off * angle.cos() + high * angle.sin()) / square
    });
    let time = widen(measured(&mut world, id, Quat::IDENTITY, narrow(end), 20.0));
    // The lever of the weight grows from `off`.
    let bar = slack(rate, off);
    println!("length {length}, {loads}: {time:.3} s, exact {exact:.3} s, bar {bar:.3} s");
    assert!((time - exact).abs() <= bar, "{length}: {time} s, exact {exact} s, bar {bar} s");
}

/// Two knives along the z axis, up to its height.
fn knives() -> Simulation {
    let mut world = Simulation::new();
    let points = [(-0.1, -0.2), (0.1, -0.2), (0.0, 0.0)];
    let ends = points.map(|(x, y)| [-0.05, 0.05].map(|z| Vec3::new(x, y, z)));
    for z in [-0.2, 0.2] {
        let shape = Shape::convex_hull(ends.as_flattened()).expect("a prism");
        add(&mut world, BodyKind::Static, shape, Vec3::Z * z);
    }
    world
}

#[test]
fn a_seesaw_on_two_knives_tips() {
    for length in [1.0, 3.0, 6.0] {
        tips(knives(), length, 0);
    }
}

/// Contacts hold the bodies of a loaded seesaw together, and all of them on nothing that balances.
#[test]
fn a_loaded_seesaw_tips() {
    for loads in [3, 6, 12] {
        tips(knives(), 6.0, loads);
    }
}

#[test]
fn a_plank_just_beyond_the_edge_of_a_table_tips() {
    for length in [1.0, 3.0, 6.0] {
        let mut world = Simulation::new();
        let table = cuboid(8.0, 1.0, 2.0);
        add(&mut world, BodyKind::Static, table, Vec3::new(-4.0, -0.5, 0.0));
        tips(world, length, 0);
    }
}

/// What stands safely does not move, however long.
#[test]
fn what_stands_on_three_points_stands_still() {
    let mut world = Simulation::new();
    for (x, z) in [(-0.3, -0.3), (0.3, -0.3), (0.0, 0.3)] {
        add(&mut world, BodyKind::Static, support::sphere(0.1), Vec3::new(x, -0.1, z));
    }
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 0.2, 1.0), Vec3::Y * 0.1);
    support::run(&mut world, 120);
    let at = body(&world, id).position();
    support::run(&mut world, 600);
    assert_eq!(body(&world, id).linear_velocity, Vec3::ZERO, "it stands");
    assert_eq!(body(&world, id).position(), at, "where it stood");
}

/// The default settings with sleeping, as in games.
fn drowsy() -> Settings {
    let mut settings = rough();
    settings.sleep.enabled = true;
    settings
}

/// A small box that hangs by a ball joint `length` below the origin, swung out by `angle` about the z axis.
fn pendulum(length: Real, angle: Real) -> (Simulation, BodyId) {
    let mut world = Simulation::new();
    let rotation = quat_exp(Vec3::Z * angle);
    let desc = BodyDesc {
        shape: Some(cuboid(0.1, 0.1, 0.1)),
        position: quat_rotate(rotation, Vec3::Y * -length),
        rotation,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a box");
    let joint = JointDesc::to_world(JointKind::Spherical, id);
    world.add_joint(joint.with_anchors(Vec3::ZERO, Vec3::Y * length)).expect("a body");
    (world, id)
}

/// Pendulums swing on, however little: they pass the lowest point twice a period, `2π √((l² + a²/6) / g
/// l)`.
#[test]
fn pendulums_of_small_amplitude_do_not_fall_asleep() {
    for length in [0.3, 1.0, 3.0] {
        for angle in [0.02, 0.005, 0.001] {
            let (mut world, id) = pendulum(narrow(length), narrow(angle));
            let rate = (GRAVITY * length / (length * length + 0.01 / 6.0)).sqrt();
            let (mut passes, mut last, mut most): (i32, _, Real) = (0, 1.0, 0.0);
            for step in 0..600 {
                world.step(&drowsy(), DT);
                let x = body(&world, id).position().x;
                passes += i32::from(x * last < 0.0);
                last = x;
                if step > 300 {
                    most = most.max(x.abs());
                }
            }
            let exact = (10.0 * rate / widen(PI)).round() as i32;
            assert!((passes - exact).abs() <= 1, "{length} m, {angle}: {passes} of {exact} passes");
            let kept = widen(most) / (length * angle);
            println!("{length} m, {angle}: {passes} of {exact} passes, {kept} of the amplitude");
            // The pendulum may turn back between two steps.
            assert!(kept > (0.5 * rate * widen(DT)).cos() - 0.05, "{length} m, {angle}: {kept}");
        }
    }
}

/// A damped one comes to rest, hangs straight down and sleeps.
#[test]
fn damped_pendulums_fall_asleep_where_they_hang() {
    let (mut world, id) = pendulum(1.0, 0.02);
    change(&mut world, id).linear_damping = 0.5;
    change(&mut world, id).angular_damping = 0.5;
    let mut steps = 0;
    while world.step(&drowsy(), DT).sleeping == 0 {
        steps += 1;
        assert!(steps < 60 * 60, "awake after a minute");
    }
    let angle = body(&world, id).position().x.abs();
    println!("asleep after {} s at {angle:e} rad", steps as Real * DT);
    // In a sixth of a period the velocity of a swing changes by a quarter of its largest, in half of one by
    // more than all of it, and by no more than `a t` before it sleeps.
    let fastest = 4.0 * drowsy().sleep.acceleration;
    assert!(angle < fastest / narrow(GRAVITY.sqrt()), "{angle}");
}

/// A ball rolls down the slightest slope by `½ 5/7 g sin α t²`.
#[test]
fn balls_roll_down_slight_slopes() {
    for degrees in [0.2, 0.02] {
        let angle = narrow(degrees * widen(PI) / 180.0);
        let mut world = Simulation::new();
        let up = quat_rotate(quat_exp(Vec3::Z * angle), Vec3::Y);
        let plane = Shape::half_space(up).expect("a direction");
        add(&mut world, BodyKind::Static, plane, Vec3::ZERO);
        let id = add(&mut world, BodyKind::Dynamic, support::sphere(0.5), up * 0.5);
        support::run_with(&mut world, 600, &drowsy());
        let way = widen((body(&world, id).position() - up * 0.5).length());
        let exact = 0.5 * 5.0 / 7.0 * GRAVITY * (degrees * widen(PI) / 180.0).sin() * 100.0;
        println!("{degrees}°: {way} m of {exact} m");
        // A step of 600, and the tolerance in every step.
        let bar = exact / 300.0 + 0.5 * drowsy().solver.tolerance * 600.0 * 10.0;
        assert!((way - exact).abs() < bar, "{degrees}°: {way} m, exact {exact} m");
    }
}
