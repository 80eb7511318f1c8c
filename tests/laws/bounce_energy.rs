//! How high things bounce, and that they never gain energy.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::collider::Material;
use orthant::engine::lcp::{Cone, Method};
use orthant::engine::settings::{RestitutionModel, Settings};
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, widen};
use orthant_lab::random::Rng;
use orthant_lab::support::bounces::{
    G, MODELS, energy, ground, kinetic, material, model, place, wall,
};
use orthant_lab::support::{DOUBLE, DT, body, change, cuboid, sphere};

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

/// Somewhere in a room of 3 m across that is open above.
fn room(material: Material) -> Simulation {
    let mut world = Simulation::new();
    ground(&mut world, material);
    for axis in [Vec3::X, -Vec3::X, Vec3::Z, -Vec3::Z] {
        wall(&mut world, axis, axis * -1.5, material);
    }
    world
}

/// A box with any sides, attitude, velocity and spin.
fn throw(
    world: &mut Simulation,
    rng: &mut Rng,
    material: Material,
    at: Vec3,
    size: Real,
    speed: Real,
) -> BodyId {
    let [x, y, z] = [0; 3].map(|_| rng.range(0.4 * size, size));
    let velocity = rng.vector(-speed, speed);
    let id = place(world, BodyKind::Dynamic, cuboid(x, y, z), material, at, velocity);
    let (turn, spin) = (rng.rotation(), rng.vector(-8.0, 8.0));
    let body = change(world, id);
    body.set_pose(at, turn);
    body.angular_velocity = spin;
    id
}

/// Largest energy over that of the start of a box that tumbles until
/// it bounced 200 times or did not for 2 s: then it lies.
fn tumble(settings: &Settings, material: Material, seed: u64) -> Double {
    let mut rng = Rng::new(100 + seed);
    let mut world = room(material);
    let id = throw(&mut world, &mut rng, material, Vec3::Y * 2.0, 0.5, 2.0);
    let start = energy(&world);
    let mut most: Double = 0.0;
    let (mut bounces, mut calm) = (0, 0);
    while bounces < 200 && calm < 120 {
        let before = body(&world, id).linear_velocity;
        world.step(settings, DT);
        let change = body(&world, id).linear_velocity - before;
        let struck = (change + Vec3::Y * (G * DT)).length() > 0.3;
        bounces += u32::from(struck);
        calm = if struck { 0 } else { calm + 1 };
        most = most.max(energy(&world) / start);
    }
    most
}

fn tumbles(of: RestitutionModel, method: Method) {
    let mut settings = model(of, G);
    settings.solver.method = method;
    for e in [0.0, 0.5, 1.0] {
        for mu in [0.0, 0.5] {
            for seed in 0..40 {
                let most = tumble(&settings, material(mu, e), seed);
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
