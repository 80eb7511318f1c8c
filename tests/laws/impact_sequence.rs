//! Impacts in sequence: a blow runs through what touches, pair by pair.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::collider::Collider;
use orthant::engine::lcp::Method;
use orthant::engine::settings::{RestitutionModel, Settings};
use orthant::math::{Double, Real, Vec3, widen, widen3};
use orthant_lab::random::Rng;
use orthant_lab::support::bounces::{G, energy, ground, kinetic, material, model, momentum, place};
use orthant_lab::support::{DOUBLE, DT, body, cuboid, sphere};

/// Relative error of sums that rounding may leave.
const ROUNDING: Double = if DOUBLE { 1e-13 } else { 1e-6 };

fn sequence(gravity: Real) -> Settings {
    model(RestitutionModel::Sequence, gravity)
}

/// `Σ m |v|` [kg·m/s].
fn sum_of_momenta(world: &Simulation) -> Double {
    let bodies = world.bodies().iter();
    bodies.map(|b| widen(b.mass()) * widen(b.linear_velocity.length())).sum()
}

/// Balls of radius 0.25 that touch in a row along x, of velocities and densities, with e between them; their
/// velocities after a blow. Checks momentum and energy.
fn blow(settings: &Settings, e: Real, balls: &[(Real, Real)]) -> Vec<Double> {
    let mut world = Simulation::new();
    let mut ids = Vec::new();
    for (i, &(speed, density)) in balls.iter().enumerate() {
        let material = material(0.0, e);
        let desc = BodyDesc {
            colliders: vec![Collider { material, ..Collider::new(sphere(0.25)) }],
            position: Vec3::X * (0.5 * i as Real),
            linear_velocity: Vec3::X * speed,
            density,
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a sound body"));
    }
    let (start, from) = (kinetic(&world), momentum(&world));
    let scale = sum_of_momenta(&world);
    // Sweeps are in single precision, and each of them rounds.
    let swept = matches!(settings.solver.method, Method::Pgs | Method::Substeps);
    let rounding = if swept { 5e-6 } else { ROUNDING };
    for _ in 0..10 {
        world.step(settings, DT);
        assert!(kinetic(&world) <= start * (1.0 + rounding), "energy: {start}");
        let error = (momentum(&world) - from).length();
        assert!(error <= rounding * scale, "{:?}, momentum: {error:e}", settings.solver.method);
        // The work of small steps is fixed.
        let solved = world.report().islands_unsolved == 0;
        assert!(solved || settings.solver.method == Method::Substeps, "every step is solved");
    }
    ids.iter().map(|&id| widen(body(&world, id).linear_velocity.x)).collect()
}

/// A solve may leave the tolerance at each of the five balls.
#[track_caller]
fn assert_near(what: &str, settings: &Settings, got: &[Double], want: &[Double]) {
    let near = 5.0 * settings.solver.tolerance;
    let alike = got.iter().zip(want).all(|(x, y)| (x - y).abs() <= near);
    assert!(alike && got.len() == want.len(), "{what}: {got:?} instead of {want:?}");
}

/// The elastic impacts of a row in closed form: the pair that approaches fastest strikes first.
fn closed_form(velocity: &mut [Double], mass: &[Double]) {
    loop {
        let approach = |i: &usize| velocity[*i] - velocity[*i + 1];
        let pairs = 0..velocity.len() - 1;
        let Some(i) = pairs.max_by(|i, j| approach(i).total_cmp(&approach(j))) else { return };
        if approach(&i) <= 1e-9 {
            return;
        }
        let push = 2.0 * approach(&i) / (1.0 / mass[i] + 1.0 / mass[i + 1]);
        velocity[i] -= push / mass[i];
        velocity[i + 1] += push / mass[i + 1];
    }
}

const METHODS: [Method; 4] = [Method::Auto, Method::Newton, Method::Pgs, Method::Substeps];

#[test]
fn a_cradle_passes_on_what_comes() {
    for method in METHODS {
        let mut settings = sequence(0.0);
        settings.solver.method = method;
        if matches!(method, Method::Pgs | Method::Substeps) {
            settings.solver.tolerance = Settings::default().solver.tolerance;
        }
        let (go, stay) = ((2.0, 1.0), (0.0, 1.0));
        let one = blow(&settings, 1.0, &[go, stay, stay, stay, stay]);
        assert_near("one in, one out", &settings, &one, &[0.0, 0.0, 0.0, 0.0, 2.0]);
        let two = blow(&settings, 1.0, &[go, go, stay, stay, stay]);
        assert_near("two in, two out", &settings, &two, &[0.0, 0.0, 0.0, 2.0, 2.0]);
        let three = blow(&settings, 1.0, &[go, go, go, stay, stay]);
        assert_near("three in, three out", &settings, &three, &[0.0, 0.0, 2.0, 2.0, 2.0]);
        let both = blow(&settings, 1.0, &[go, stay, stay, stay, (-2.0, 1.0)]);
        assert_near("from both sides", &settings, &both, &[-2.0, 0.0, 0.0, 0.0, 2.0]);
    }
}

#[test]
fn unequal_balls_strike_pair_by_pair() {
    // Densities for which no two pairs ever approach alike.
    for densities in [[1.0, 3.0, 0.7, 1.9, 5.0], [4.0, 0.5, 2.3, 0.9, 1.1]] {
        let balls = densities.map(|density| (0.0, density));
        let mut balls = balls.to_vec();
        balls[0].0 = 8.0;
        let mut want: Vec<Double> = balls.iter().map(|ball| widen(ball.0)).collect();
        closed_form(&mut want, &densities.map(widen));
        let mut settings = sequence(0.0);
        // Nothing is plastic.
        settings.contact.restitution_speed = 0.0;
        assert_near("e = 1", &settings, &blow(&settings, 1.0, &balls), &want);
    }
}

#[test]
fn a_ball_on_a_stack_throws_no_cube() {
    // The blow runs down to the ground and back; nothing but the ball may have got energy from it.
    for mu in [0.0, 0.5] {
        let mut world = Simulation::new();
        let rubs = material(mu, 1.0);
        ground(&mut world, rubs);
        for i in 0..3_u8 {
            let at = Vec3::Y * (0.5 + Real::from(i));
            place(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), rubs, at, Vec3::ZERO);
        }
        let at = Vec3::Y * 4.25;
        let ball = place(&mut world, BodyKind::Dynamic, sphere(0.25), rubs, at, Vec3::ZERO);
        let settings = sequence(G);
        let start = energy(&world);
        let mut struck = false;
        for _ in 0..300 {
            world.step(&settings, DT);
            assert_eq!(world.report().islands_unsolved, 0, "every step is solved");
            let now = energy(&world);
            assert!(now <= start * (1.0 + 1e-4), "μ = {mu}: {}", now / start);
            struck |= body(&world, ball).linear_velocity.y > 0.5;
        }
        assert!(struck, "the ball comes back");
    }
}

#[test]
fn a_billiard_break_is_symmetric() {
    // Fifteen touching balls in a triangle, hit along its axis.
    let radius = 0.028_575;
    for (e, mu) in [(1.0, 0.0), (0.95, 0.0), (0.95, 0.1)] {
        let rubs = material(mu, e);
        let mut rack = Vec::new();
        let mut world = Simulation::new();
        let mut ball = |x: Real, z: Real, v: Vec3| {
            let at = Vec3::new(x, 0.0, z);
            place(&mut world, BodyKind::Dynamic, sphere(radius), rubs, at, v)
        };
        let cue = ball(-0.3, 0.0, Vec3::X * 8.0);
        for row in 0..5_u8 {
            for k in 0..=row {
                let z = (2.0 * Real::from(k) - Real::from(row)) * radius;
                let x = Real::from(row) * 2.0 * radius * 0.866_025_4;
                rack.push(([row, k], ball(x, z, Vec3::ZERO)));
            }
        }
        let (start, from) = (kinetic(&world), momentum(&world));
        let settings = sequence(0.0);
        for _ in 0..30 {
            world.step(&settings, DT);
            let error = (momentum(&world) - from).length() / from.length();
            assert!(error <= ROUNDING, "e = {e}, μ = {mu}: momentum off by {error:e}");
            let now = kinetic(&world) / start;
            assert!(now <= 1.0 + ROUNDING, "e = {e}, μ = {mu}: energy {now}");
        }
        let velocity = |place: [u8; 2]| {
            let id = rack.iter().find(|ball| ball.0 == place).expect("in the rack").1;
            widen3(body(&world, id).linear_velocity)
        };
        let mut off: Double = widen(body(&world, cue).linear_velocity.z).abs();
        for &([row, k], _) in &rack {
            let (one, mut other) = (velocity([row, k]), velocity([row, row - k]));
            other.z = -other.z;
            off = off.max((one - other).length());
        }
        assert!(off <= 1e-4, "e = {e}, μ = {mu}: unlike by {off} m/s");
    }
}

#[test]
fn boxes_that_strike_in_sequence_keep_momentum_and_gain_no_energy() {
    for mu in [0.0, 0.5] {
        for seed in 0..8 {
            let (mut world, mut rng) = (Simulation::new(), Rng::new(seed));
            for i in 0..27_u8 {
                let at = [i % 3, i / 3 % 3, i / 9].map(|k| 0.9 * (Real::from(k) - 1.0));
                let at = Vec3::from_array(at);
                let [x, y, z] = [0; 3].map(|_| rng.range(0.4, 0.8));
                let speed = at * -3.0 + rng.vector(-1.0, 1.0);
                let shape = cuboid(x, y, z);
                place(&mut world, BodyKind::Dynamic, shape, material(mu, 0.9), at, speed);
            }
            let (start, from) = (kinetic(&world), momentum(&world));
            let scale = sum_of_momenta(&world);
            for _ in 0..120 {
                world.step(&sequence(0.0), DT);
                let now = kinetic(&world) / start;
                assert!(now <= 1.0 + 1e-4, "μ = {mu}, seed {seed}: energy {now}");
                let error = (momentum(&world) - from).length() / scale;
                assert!(error <= ROUNDING, "μ = {mu}, seed {seed}: momentum off by {error:e}");
            }
        }
    }
}
