//! Steps of other lengths: reactions are as steady as at 60 Hz, springs converge with the square of the
//! step.

#![allow(clippy::disallowed_methods, reason = "closed forms are compared within a tolerance")]

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointAxis, JointDesc, JointFrame, JointKind, Motor};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::math::{DVec3, Double, PI_DOUBLE, Real, Vec3, narrow, widen, widen3};
use orthant_lab::support::{self, DT, add, body, cuboid, floor};

const GRAVITY: Double = 9.81;

/// Largest relative deviation of a force from its mean over the second half of `steps`, and of the mean
/// from `exact`.
fn deviation(
    world: &mut Simulation,
    dt: Real,
    steps: usize,
    exact: Double,
    force: impl Fn(&Simulation) -> Double,
) -> [Double; 2] {
    let settings = Settings::default();
    let mut forces = Vec::new();
    for i in 0..steps {
        let report = world.step(&settings, dt);
        assert_eq!(report.status, StepStatus::Solved, "{report}");
        if i >= steps / 2 {
            forces.push(force(world));
        }
    }
    let mean = forces.iter().sum::<Double>() / forces.len() as Double;
    let far = forces.iter().map(|f| (f - mean).abs()).fold(0.0, Double::max);
    [far / exact, (mean - exact).abs() / exact]
}

/// The vertical force that contacts give body `id` [N].
fn support_of(world: &Simulation, id: BodyId, dt: Real) -> Double {
    let up = world.contacts().filter_map(|contact| match contact.bodies {
        [_, b] if b == id => Some(contact.impulse.y),
        [a, _] if a == id => Some(-contact.impulse.y),
        _ => None,
    });
    up.map(widen).sum::<Double>() / widen(dt)
}

const STEPS: [Real; 3] = [1.0 / 60.0, 1e-3, 1e-4];

/// Statics to a part in 10⁴: the tolerance is a ten-thousandth of what gravity gives in a step.
#[test]
fn contacts_bear_the_weight_steadily_at_any_step() {
    for dt in STEPS {
        let mut world = floor();
        let cubes: Vec<_> = (0..3)
            .map(|i| {
                let at = Vec3::new(0.3, 0.5 + i as Real, -0.7);
                add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at)
            })
            .collect();
        let weight = 3.0 * GRAVITY * widen(body(&world, cubes[0]).mass());
        let of_floor = world.bodies().iter().next().expect("a floor").id();
        let [noise, bias] =
            deviation(&mut world, dt, 2000, weight, |world| -support_of(world, of_floor, dt));
        println!("contacts, h = {dt:e}: noise {noise:e}, bias {bias:e}");
        assert!(noise <= 1e-4 && bias <= 1e-4, "h = {dt}: {noise:e} {bias:e}");
    }
}

/// A slow push aside on the top one changes what is solved in every step. The floor's force is that of
/// statics to the acceleration that the tolerance, 1e-5 m/s at 60 Hz, gives the three of them.
#[test]
fn contacts_bear_a_push_that_grows_steadily() {
    let dt: Real = 1e-3;
    let mut world = floor();
    let cubes = [0.5, 1.5, 2.5]
        .map(|y| add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, y, 0.0)));
    let mut last = Vec::new();
    for step in 0..300 {
        let push = 0.1 * GRAVITY * (2e-3 * Double::from(step)).sin();
        support::change(&mut world, cubes[2]).apply_force(Vec3::X * narrow(push));
        let report = world.step(&Settings::default(), dt);
        assert_eq!(report.status, StepStatus::Solved, "{report}");
        if step < 100 {
            continue;
        }
        let contacts = world.contacts().filter(|contact| contact.bodies[1] == cubes[0]);
        let force = contacts.map(|c| widen3(c.impulse)).sum::<DVec3>() / widen(dt);
        let off = (force - DVec3::new(-push, 3.0 * GRAVITY, 0.0)).length();
        assert!(off <= 3.0 * 60.0 * 1e-5, "step {step}: the floor's force is off by {off} N");
        last.push(force);
        if let [.., a, b, c] = last[..] {
            let tremble = (a - b * 2.0 + c).length();
            assert!(tremble <= 12.0 * 60.0 * 1e-5, "step {step}: it trembles by {tremble} N");
        }
    }
}

/// Statics to a part in 10⁴ of a hinge, whose arm hangs down or lies aside on a stop. There two rows, at
/// an arm of 1 m, may each be off by the tolerance before a solve, and by half of it the other way after.
#[test]
fn hinges_bear_the_weight_steadily_at_any_step() {
    for dt in STEPS {
        let tolerance = Settings::default().solver.tolerance_at(widen(dt));
        for (at, bar) in [(Vec3::NEG_Y, 1e-4), (Vec3::X, 3.0 * tolerance / (GRAVITY * widen(dt)))] {
            let mut world = Simulation::new();
            let id = add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.5, 0.5), at);
            let frame = |anchor: Vec3| JointFrame::along(anchor, Vec3::Z);
            let desc = JointDesc::to_world(JointKind::Revolute, id)
                .with_frames(frame(Vec3::ZERO), frame(-at))
                .with_limit(JointAxis::AngularX, 0.0, 1.0);
            let joint = world.add_joint(desc).expect("a body");
            let weight = GRAVITY * widen(body(&world, id).mass());
            let of = |world: &Simulation| {
                let joint = world.joint(joint).expect("it is there");
                widen(joint.reaction().0.y)
            };
            let [noise, bias] = deviation(&mut world, dt, 2000, weight, of);
            println!("hinge at {at}, h = {dt:e}: noise {noise:e}, bias {bias:e}, bar {bar:e}");
            assert!(noise <= bar && bias <= bar, "{at}, h = {dt}: {noise:e} {bias:e} {bar:e}");
        }
    }
}

/// Mass of what hangs on springs (kg).
const MASS: Double = 2.0;

fn weightless() -> Settings {
    Settings { gravity: Vec3::ZERO, ..Settings::default() }
}

/// A mass on a slide along x with a spring about the origin, let go at 0.5 m.
fn oscillator(stiffness: Double, damping: Double) -> (Simulation, BodyId) {
    let mut world = Simulation::new();
    let shape = Some(cuboid(0.2, 0.2, 0.2));
    let density = narrow(MASS / 0.008);
    let desc = BodyDesc { shape, density, position: Vec3::X * 0.5, ..BodyDesc::default() };
    let id = world.add_body(desc).expect("a box");
    let desc = JointDesc::to_world(JointKind::Prismatic, id);
    let spring = Motor::spring(0.0, narrow(stiffness), narrow(damping));
    world.add_joint(desc.with_motor(JointAxis::LinearX, spring)).expect("a body");
    (world, id)
}

fn place(world: &Simulation, id: BodyId) -> Double {
    widen(body(world, id).position().x)
}

/// The motion `m x'' + d x' + k x = 0` from rest at 0.5 m.
fn closed_form(stiffness: Double, damping: Double, t: Double) -> Double {
    let (decay, square) = (0.5 * damping / MASS, stiffness / MASS);
    let rate = (square - decay * decay).sqrt();
    let start = 0.5;
    (-decay * t).exp() * start * ((rate * t).cos() + decay / rate * (rate * t).sin())
}

#[test]
fn springs_converge_with_the_square_of_the_step() {
    for (stiffness, damping) in [(50.0, 0.0), (50.0, 3.0), (200.0, 1.0), (10.0, 8.0)] {
        let errors = [30_u16, 60, 120, 240].map(|hertz| {
            let (mut world, id) = oscillator(stiffness, damping);
            let h = 1.0 / Double::from(hertz);
            let mut worst: Double = 0.0;
            for i in 1..=2 * hertz {
                world.step(&weightless(), narrow(h));
                let exact = closed_form(stiffness, damping, h * Double::from(i));
                worst = worst.max((place(&world, id) - exact).abs());
            }
            worst
        });
        let orders: Vec<_> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
        println!("k = {stiffness}, d = {damping}: errors {errors:?}, orders {orders:.2?}");
        for order in orders {
            assert!(order > 1.9, "k = {stiffness}, d = {damping}: {errors:?}");
        }
    }
}

/// `m v²/2 + k x²/2` is kept to the last digit but for rounding.
#[test]
fn springs_keep_their_energy_for_a_hundred_periods() {
    for (steps, stiffness) in [(60_u16, 100.0), (25, 50.0), (10, 200.0), (7, 20.0)] {
        let (mut world, id) = oscillator(stiffness, 0.0);
        let period = 2.0 * PI_DOUBLE * (MASS / stiffness).sqrt();
        let h = narrow(period / Double::from(steps));
        let first = 0.5 * stiffness * 0.25;
        let mut worst: Double = 0.0;
        for _ in 0..100 * steps {
            world.step(&weightless(), h);
            let (x, v) = (place(&world, id), widen(body(&world, id).linear_velocity.x));
            let energy = 0.5 * MASS * v * v + 0.5 * stiffness * x * x;
            worst = worst.max((energy / first - 1.0).abs());
        }
        // Each step rounds a place of 0.5 m: that is a speed of `ε x / h`, beside `x ω`.
        let rounding = widen(Real::EPSILON) * Double::from(steps);
        let bar = rounding * (100.0 * Double::from(steps)).sqrt() + 1e-9;
        println!("{steps} steps a period: energy off by {worst:e}, bar {bar:e}");
        assert!(worst <= bar, "{steps} steps a period: {worst:e} {bar:e}");
    }
}

/// Springs in parallel and in a chain, of any stiffness, never gain energy.
#[test]
fn springs_are_stable_at_any_stiffness() {
    for exponent in [0, 2, 3, 4, 5, 6, 9, 12] {
        let stiffness = 10.0_f64.powi(exponent);
        for damping in [0.0, 1.0] {
            let mut world = Simulation::new();
            let ids: Vec<_> = (0..6_u8)
                .map(|i| {
                    let at = Vec3::new(0.3 * Real::from(i) + 0.31, 0.0, 0.0);
                    let id = add(&mut world, BodyKind::Dynamic, cuboid(0.1, 0.1, 0.1), at);
                    support::change(&mut world, id).linear_velocity.x = 0.1;
                    id
                })
                .collect();
            let mut last = None;
            for &id in &ids {
                let ends = [last, Some(id)];
                for _ in 0..8 {
                    let mut desc = JointDesc::new(JointKind::Generic, ends);
                    desc.frames[1].anchor = Vec3::X * -0.15;
                    desc.frames[0].anchor = Vec3::X * 0.15;
                    let spring = Motor::spring(0.0, narrow(stiffness), narrow(damping));
                    for axis in [JointAxis::LinearX, JointAxis::LinearY, JointAxis::LinearZ] {
                        desc = desc.with_motor(axis, spring);
                    }
                    world.add_joint(desc).expect("two ends");
                }
                last = Some(id);
            }
            let mut fastest: Real = 0.0;
            for i in 0..1200 {
                world.step(&weightless(), DT);
                let speed = |b: &orthant::engine::body::Body| b.linear_velocity.length();
                let now = world.bodies().iter().map(speed).fold(0.0, Real::max);
                assert!(now.is_finite(), "k = {stiffness:e}: step {i}");
                if i > 600 {
                    fastest = fastest.max(now);
                }
            }
            println!("k = {stiffness:e}, d = {damping}: {fastest} m/s at the end");
            // All energy in one of them: that of motion, and of eight springs 10 mm too long.
            let mass = 1e-3;
            let energy = 6.0 * 0.5 * mass * 0.01 + 8.0 * 0.5 * stiffness * 1e-4;
            // A step of more than a radian, `h² k 2/m > 1`, damps.
            let fine = widen(DT * DT) * stiffness * 2.0 / mass < 1.0;
            let bar = if fine { (2.0 * energy / mass).sqrt() } else { 1e-4 };
            assert!(widen(fastest) <= bar, "k = {stiffness:e}, d = {damping}: {fastest} {bar}");
        }
    }
}
