//! Rolling and spinning resistance, belts and dominance: laws with their exact discrete answers.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::lcp::Method;
use orthant::engine::pair::Pair;
use orthant::engine::settings::Settings;
use orthant::math::{Real, Vec3, cos, sin};
use orthant_lab::support::slopes::{
    G, RADIUS, along, collider, material, roll, slope, way_to_rest,
};
use orthant_lab::support::{DOUBLE, DT, add, body, cuboid, end_step, floor, settings, sphere};

fn run(world: &mut Simulation, n: usize) {
    run_with(world, n, &settings());
}

fn run_with(world: &mut Simulation, n: usize, settings: &Settings) {
    for _ in 0..n {
        world.step(settings, DT);
        assert_eq!(world.report().islands_unsolved, 0, "every step is solved");
    }
}

/// A tolerance in single precision, and in double.
fn tolerance(single: Real, double: Real) -> Real {
    if DOUBLE { double } else { single }
}

#[track_caller]
fn assert_near(what: &str, got: Real, want: Real, tolerance: Real) {
    assert!((got - want).abs() <= tolerance, "{what}: {got} instead of {want} ± {tolerance}");
}

/// Speed of a ball down a slope after `steps` steps from rest.
fn speed_down(angle: Real, rolling: Real, steps: usize) -> (Real, Real) {
    let (mut world, id) = slope(angle, material(rolling, 0.0));
    run(&mut world, steps);
    let ball = body(&world, id);
    (ball.linear_velocity.dot(along(angle)), -ball.angular_velocity.z)
}

#[test]
fn a_ball_rolls_down_at_five_sevenths() {
    let (speed, turn) = speed_down(0.3, 0.0, 60);
    let exact = 5.0 / 7.0 * G * sin(0.3);
    assert_near("speed", speed, exact, tolerance(2e-4, 1e-9));
    assert_near("turn", turn, exact / RADIUS, tolerance(4e-4, 2e-9));
}

#[test]
fn rolling_resistance_slows_it_by_the_torque() {
    let (angle, rolling) = (0.3, 0.05);
    let (speed, turn) = speed_down(angle, rolling, 60);
    let exact = 5.0 / 7.0 * G * (sin(angle) - rolling / RADIUS * cos(angle));
    assert_near("speed", speed, exact, tolerance(2e-4, 1e-9));
    assert_near("turn", turn, exact / RADIUS, tolerance(4e-4, 2e-9));
}

#[test]
fn it_stays_below_the_angle_of_rolling_and_rolls_above() {
    // tan α = μ_r / R parts the two.
    let rolling = 0.05;
    for (factor, moves) in [(0.5, false), (0.98, false), (1.02, true), (1.5, true)] {
        let tangent = factor * rolling / RADIUS;
        let angle = tangent - tangent * tangent * tangent / 3.0;
        let (speed, _) = speed_down(angle, rolling, 60);
        let exact = 5.0 / 7.0 * G * (sin(angle) - rolling / RADIUS * cos(angle));
        let exact = if moves { exact } else { 0.0 };
        assert_near(&format!("{factor}"), speed, exact, tolerance(2e-4, 1e-8));
    }
}

#[test]
fn a_rolling_ball_stops_where_predicted() {
    let rolling = 0.02;
    let start = 1.5;
    let (mut world, id) = roll(start, rolling);
    let distance = way_to_rest(start, rolling);
    let energy = start * start / (2.0 * 5.0 / 7.0 * G * rolling / RADIUS);
    assert_near("the energy says the same", distance, energy, start * DT);
    let mut settings = settings();
    // The height is known to within the dead zone; without one it is exact.
    settings.contact.dead_zone = 0.0;
    run_with(&mut world, 400, &settings);
    let ball = body(&world, id);
    assert_near("distance", ball.center().x, distance, 1e-4 * distance);
    // As far as the solver is asked to go.
    let rest = tolerance(1e-5, 1e-9);
    assert_near("speed", ball.linear_velocity.length(), 0.0, rest);
    assert_near("turn", ball.angular_velocity.length(), 0.0, 2.0 * rest);
    assert_near("height", ball.center().y, RADIUS, tolerance(1e-5, 1e-9));
}

#[test]
fn a_spinning_ball_slows_its_spin_and_stops() {
    let spinning = 0.01;
    let (mut world, id) = slope(0.0, material(0.0, spinning));
    world.body_mut(id).expect("it is there").angular_velocity = Vec3::Y * 10.0;
    run(&mut world, 60);
    let exact = 10.0 - 2.5 * G * spinning / (RADIUS * RADIUS);
    let spin = body(&world, id).angular_velocity;
    assert_near("spin", spin.y, exact, tolerance(1e-4, 1e-8));
    assert_near("no roll", spin.x.hypot(spin.z), 0.0, tolerance(1e-4, 1e-8));
    run(&mut world, 700);
    let spin = body(&world, id).angular_velocity;
    assert_near("rest", spin.length(), 0.0, tolerance(1e-6, 1e-9));
}

/// Energy of motion and height (J), with mass from the bodies.
fn energy(world: &Simulation) -> Real {
    let height = |b: &orthant::engine::body::Body| b.mass() * G * b.center().y;
    let moving = world.bodies().iter().filter(|b| b.is_dynamic());
    let potential: Real = moving.map(height).sum();
    potential + orthant::math::narrow(world.report().kinetic_energy)
}

fn pile_of_balls(rolling: Real) -> Simulation {
    let mut world = floor();
    for i in 0..20_u16 {
        let (layer, k) = (Real::from(i / 4), i % 4);
        let (x, z) = (Real::from(k % 2), Real::from(k / 2));
        let shift = 0.03 * layer;
        let desc = BodyDesc {
            colliders: vec![collider(sphere(0.25), material(rolling, rolling))],
            position: Vec3::new(0.52 * x + shift, 0.3 + 0.55 * layer, 0.51 * z - shift),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a ball");
    }
    world
}

#[test]
fn a_pile_of_balls_comes_to_rest() {
    let fastest = |world: &Simulation| {
        let speed = |b: &orthant::engine::body::Body| b.linear_velocity.length();
        world.bodies().iter().map(speed).fold(0.0, Real::max)
    };
    let [mut resisted, mut free] = [0.02, 0.0].map(pile_of_balls);
    let mut last = Real::INFINITY;
    for step in 0..720 {
        resisted.step(&settings(), DT);
        free.step(&settings(), DT);
        // The approach to a contact within a step may leave potential energy of g h² a ball.
        let now = energy(&resisted);
        assert!(now <= last + 1e-3 * last.min(1e3), "step {step}: {last} J, then {now} J");
        last = now;
    }
    let (speed, free) = (fastest(&resisted), fastest(&free));
    assert!(speed < tolerance(1e-4, 1e-6), "they rest: {speed} m/s");
    assert!(free > 0.1, "without resistance they roll on: {free} m/s");
}

/// Newton steps in a second of a ball at rest on a slope; `forget` takes the angular impulses away.
fn newton_steps_at_rest(world: &mut Simulation, forget: bool) -> u32 {
    let mut steps = 0;
    for _ in 0..60 {
        step_with(
            world,
            &Settings::default(),
            |_| {},
            |pair| {
                if forget {
                    pair.angular_impulses.clear();
                }
            },
        );
        steps += world.report().iterations;
    }
    steps
}

#[test]
fn a_ball_at_rest_keeps_its_impulses() {
    let (mut world, id) = slope(0.05, material(0.05, 0.01));
    run(&mut world, 30);
    let cold = newton_steps_at_rest(&mut world.clone(), true);
    let warm = newton_steps_at_rest(&mut world, false);
    // Rounding of the gap may add up to the tolerance, and then takes a Newton step.
    assert!(cold >= 60 && warm <= 20, "Newton steps: {warm}, without angular impulses {cold}");
    assert_near("rest", body(&world, id).linear_velocity.length(), 0.0, 1e-5);
    let (_, [_, torque]) = world.pairs()[0].angular_impulses[0];
    let exact = body(&world, id).mass() * G * sin(0.05) * RADIUS * DT;
    let z = torque.z.abs();
    let want = orthant::math::widen(exact);
    assert!((z - want).abs() < 1e-3 * want, "torque impulse {z} for {want}");
}

#[test]
fn lemke_hands_rolling_to_newton_and_says_so() {
    let (mut world, id) = slope(0.3, material(0.05, 0.0));
    let mut settings = settings();
    settings.solver.method = Method::Lemke;
    for _ in 0..10 {
        let report = world.step(&settings, DT);
        assert_eq!((report.islands_beyond_lemke, report.islands_unsolved), (1, 0), "{report:?}");
    }
    assert!(body(&world, id).linear_velocity.length() > 0.1, "it rolls");
}

#[test]
fn boxes_have_no_rolling_rows() {
    let mut world = floor();
    let desc = BodyDesc {
        colliders: vec![collider(cuboid(1.0, 1.0, 1.0), material(1.0, 1.0))],
        position: Vec3::Y * 0.5,
        ..BodyDesc::default()
    };
    world.add_body(desc).expect("a box");
    run(&mut world, 2);
    let pair = &world.pairs()[0];
    assert_eq!((pair.rolling, pair.spinning), (0.0, 0.0), "edges resist by themselves");
}

/// A step with changes to its pairs after the broad phase and after the contacts are found.
fn step_with(
    world: &mut Simulation,
    settings: &Settings,
    near: impl FnMut(&mut Box<Pair>),
    touching: impl FnMut(&mut Box<Pair>),
) {
    world.begin(settings, DT);
    world.find_pairs(settings);
    world.pairs_mut().iter_mut().for_each(near);
    world.find_contacts(settings);
    world.pairs_mut().iter_mut().for_each(touching);
    end_step(world, settings);
}

#[test]
fn a_belt_takes_a_box_along() {
    let mut world = floor();
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::Y * 0.5);
    // The normal part of a belt's velocity does nothing.
    let belt = Vec3::new(0.6, 0.3, -0.8);
    let gain = 0.5 * G * DT;
    for step in 1..=30_u16 {
        // The second body stands on the first, whose surface runs forward.
        step_with(&mut world, &settings(), |pair| pair.surface_velocity = -belt, |_| {});
        let velocity = body(&world, id).linear_velocity;
        let speed = (gain * Real::from(step)).min(1.0);
        let want = Vec3::new(0.6, 0.0, -0.8) * speed;
        let error = (velocity - want).length();
        assert!(error < tolerance(1e-4, 1e-8), "step {step}: {velocity} for {want}");
    }
    for step in 1..=4_u16 {
        world.step(&settings(), DT);
        let speed = (1.0 - gain * Real::from(step)).max(0.0);
        let found = body(&world, id).linear_velocity.length();
        assert_near("the belt stands", found, speed, tolerance(1e-4, 1e-8));
    }
}

#[test]
fn the_dominant_body_is_not_pushed() {
    for (dominance, want) in [([1, 0], [1.0, 1.0]), ([0, -3], [1.0, 1.0]), ([0, 5], [0.0, 0.0])] {
        let mut world = Simulation::new();
        let [a, b] = [0.0, 1.001].map(|x| {
            let at = Vec3::X * x;
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at)
        });
        for (id, dominance) in [a, b].into_iter().zip(dominance) {
            world.body_mut(id).expect("it is there").dominance = dominance;
        }
        world.body_mut(a).expect("it is there").linear_velocity = Vec3::X;
        let settings = Settings { gravity: Vec3::ZERO, ..settings() };
        for _ in 0..10 {
            world.step(&settings, DT);
        }
        let found = [a, b].map(|id| body(&world, id).linear_velocity.x);
        for k in 0..2 {
            let what = format!("dominance {dominance:?}, body {k}");
            assert_near(&what, found[k], want[k], tolerance(5e-5, 1e-9));
        }
    }
}

#[test]
fn a_dominant_body_carries_what_lies_on_it() {
    let mut world = floor();
    let low = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::Y * 0.5);
    let high = add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.5, 0.5), Vec3::Y * 1.25);
    world.body_mut(low).expect("it is there").dominance = 1;
    for step in 0..120 {
        world.step(&settings(), DT);
        let y = body(&world, high).center().y;
        assert_near(&format!("height in step {step}"), y, 1.25, 1e-4);
    }
}

#[test]
fn equal_dominance_pushes_both() {
    let mut world = Simulation::new();
    let [a, b] = [0.0, 1.001]
        .map(|x| add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::X * x));
    for id in [a, b] {
        world.body_mut(id).expect("it is there").dominance = 7;
    }
    world.body_mut(a).expect("it is there").linear_velocity = Vec3::X;
    let settings = Settings { gravity: Vec3::ZERO, ..settings() };
    for _ in 0..10 {
        world.step(&settings, DT);
    }
    for id in [a, b] {
        let speed = body(&world, id).linear_velocity.x;
        assert_near("momentum is shared", speed, 0.5, tolerance(1e-5, 1e-9));
    }
}
