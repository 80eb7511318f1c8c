//! How high things bounce, and that they never gain energy.

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::collider::Material;
use orthant::engine::lcp::{Cone, Method};
use orthant::engine::settings::{RestitutionModel, Settings};
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, widen};
use orthant_lab::experiments::energy::{Bound, room, throw, tumble};
use orthant_lab::random::Rng;
use orthant_lab::scenes::ellipse;
use orthant_lab::support::bounces::{
    G, MODELS, energy, ground, kinetic, material, model, place, wall,
};
use orthant_lab::support::{DOUBLE, DT, body, cuboid, sphere};

const METHODS: [Method; 5] =
    [Method::Auto, Method::Newton, Method::Pgs, Method::Substeps, Method::Lemke];

/// Half the height of what falls (m).
const HALF: Real = 0.25;

/// Lets something fall from so high and bounce once; the height to which its energy carries it after the
/// bounce over that to which it would have before. Height is `E / (m g)`, whatever the flight is worth.
fn rebound(settings: &Settings, shape: Shape, material: Material, drop: Real) -> Double {
    let mut world = Simulation::new();
    ground(&mut world, material);
    let at = Vec3::new(0.0, drop + HALF, 0.0);
    let id = place(&mut world, BodyKind::Dynamic, shape, material, at, Vec3::ZERO);
    let height =
        |world: &Simulation| energy(world) / widen(body(world, id).mass()) / widen(G) - widen(HALF);
    for _ in 0..180 {
        let before = height(&world);
        world.step(settings, DT);
        if body(&world, id).linear_velocity.y > 0.0 {
            return height(&world) / before;
        }
    }
    0.0
}

#[test]
fn bodies_come_back_to_e_squared_of_their_height() {
    let flat = || cuboid(1.2, 2.0 * HALF, 0.8);
    for of in MODELS {
        for method in METHODS {
            let mut settings = model(of, G);
            settings.solver.method = method;
            for (shape, mu) in [(sphere(HALF), 0.5), (flat(), 0.0), (flat(), 0.5)] {
                // Impacts are anywhere within a step.
                for drop in [0.1, 0.317, 1.0, 2.22, 5.0, 20.0] {
                    for e in [1.0, 0.9, 0.5] {
                        let got = rebound(&settings, shape.clone(), material(mu, e), drop);
                        let want = widen(e * e);
                        let what = format!("{of:?} {method:?}, {drop} m, μ = {mu}, e = {e}");
                        assert!((got - want).abs() <= 0.01 * want, "{what}: {got}");
                    }
                }
            }
        }
    }
}

fn tumbles(of: RestitutionModel, method: Method) {
    let mut settings = model(of, G);
    settings.solver.method = method;
    for e in [0.0, 0.5, 1.0] {
        for mu in [0.0, 0.5] {
            for seed in 0..40 {
                let (most, ..) = tumble(&settings, material(mu, e), seed);
                let what = format!("{of:?} {method:?}, e = {e}, μ = {mu}, seed {seed}");
                assert!(most <= 1.0 + 1e-4, "{what}: {most} of the energy");
            }
        }
    }
}

#[test]
fn a_box_that_tumbles_under_gravity_gains_no_energy_after_poisson() {
    tumbles(RestitutionModel::Poisson, Method::Auto);
}

#[test]
fn a_box_that_tumbles_under_gravity_gains_no_energy_after_newton() {
    tumbles(RestitutionModel::Newton, Method::Auto);
}

#[test]
fn a_box_that_tumbles_under_gravity_gains_no_energy_in_sequence() {
    tumbles(RestitutionModel::Sequence, Method::Auto);
}

#[test]
fn a_box_that_tumbles_under_gravity_gains_no_energy_in_small_steps() {
    tumbles(RestitutionModel::Newton, Method::Substeps);
}

#[test]
fn boxes_that_strike_each_other_gain_no_energy() {
    for of in MODELS {
        for mu in [0.0, 0.5] {
            for seed in 0..12 {
                let (mut rng, rubs) = (Rng::new(7 + seed), material(mu, 1.0));
                let mut world = room(rubs);
                for i in 0..8_u8 {
                    let at = Vec3::new(0.0, 1.0 + 0.9 * Real::from(i), 0.0);
                    throw(&mut world, &mut rng, rubs, at, 0.5, 1.0);
                }
                let start = energy(&world);
                let mut most: Double = 0.0;
                for _ in 0..600 {
                    world.step(&model(of, G), DT);
                    most = most.max(energy(&world) / start);
                }
                assert!(most <= 1.0 + 1e-4, "{of:?}, μ = {mu}, seed {seed}: {most}");
            }
        }
    }
}

/// A box thrown into a closed room of 3 m.
fn thrown(rng: &mut Rng, material: Material) -> Simulation {
    let mut world = Simulation::new();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
        wall(&mut world, axis, axis * -1.5, material);
    }
    throw(&mut world, rng, material, Vec3::ZERO, 1.0, 4.0);
    world
}

#[test]
fn a_box_that_tumbles_without_gravity_keeps_its_energy() {
    let mut rng = Rng::new(5);
    for of in MODELS {
        for (cone, mu) in [(Cone::Circular, 0.5), (Cone::Circular, 0.0), (Cone::Pyramid(8), 0.5)] {
            let mut settings = model(of, 0.0);
            settings.solver.cone = cone;
            let mut mean = 0.0;
            for _ in 0..10 {
                let mut world = thrown(&mut rng, material(mu, 1.0));
                let start = kinetic(&world);
                let mut last = start;
                for _ in 0..180 {
                    world.step(&settings, DT);
                    let now = kinetic(&world);
                    let bar = if DOUBLE { 1e-9 } else { 1e-5 };
                    assert!(now - last <= bar * start, "{of:?} {cone:?} {mu}: {last} to {now}");
                    last = now;
                }
                mean += 0.1 * last / start;
            }
            // Friction takes what it takes; without it nothing is lost.
            assert!(mu > 0.0 || mean > 0.98, "{of:?} {cone:?} {mu}: {mean} left");
        }
    }
}

/// The bound on energy (2.14): a ball that is pushed out of the floor leaves with `Δ = γ |Φ| / h`, for which
/// `c² = m`; nothing is given where nothing overlaps.
#[test]
fn pushes_give_what_the_bound_on_energy_allows() {
    for (gamma, depth) in [(0.2, 0.01), (1.0, 0.01), (1.0, 0.1)] {
        for shape in [sphere(HALF), cuboid(1.0, 2.0 * HALF, 0.8)] {
            let mut settings = ellipse::settings(gamma);
            settings.gravity = Vec3::ZERO;
            let mut world = Simulation::new();
            ground(&mut world, material(0.5, 0.0));
            let at = Vec3::Y * (HALF - depth);
            let id =
                place(&mut world, BodyKind::Dynamic, shape, material(0.5, 0.0), at, Vec3::ZERO);
            let bound = Bound::of(&world, &settings, widen(DT), 20);
            let wanted = widen(body(&world, id).mass()).sqrt();
            let rounding = if DOUBLE { 1e-9 } else { 1e-3 };
            assert!((bound.least / wanted - 1.0).abs() < rounding, "{bound:?}, not {wanted}");
            assert!(bound.given < rounding, "{bound:?}");
        }
    }
}
