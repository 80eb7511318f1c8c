//! Solutions: certified by rows, those of Lemke's algorithm, never worse than the start.

use super::*;
use crate::engine::lcp::problem::{Cone, FIXED};
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::tests::random_problems::pile;
use crate::engine::lcp::tests::scenes::{DT, GRAVITY, Scene, chain, pyramid, stack};
use crate::engine::papers::solvers::lemke::{self, LemkeParams};

/// Solves from the warm start of the world and checks all that is said about the result.
fn run(world: &mut World, params: &NewtonParams, memory: &mut NewtonMemory) -> SolveStats {
    let mut scratch = NewtonScratch::default();
    let stats = world.solve(params, memory, &mut scratch);
    let (velocity, _) = world.judge();
    let certificate = world.certify();
    let stands = world.velocity.iter().all(|w| *w == [0.0; 6]);
    let solved = stats.status == Status::Converged;
    for (v, w) in velocity.iter().zip(&world.velocity) {
        for k in 0..6 {
            let bound =
                if stands && solved { params.tolerance } else { 1e-11 * (1.0 + w[k].abs()) };
            assert!((v[k] - w[k]).abs() <= bound, "the velocity is that of the impulses");
        }
    }
    let (x, y) = (stats.certificate.error(), certificate.error());
    assert!((x - y).abs() < 1e-10 * (1.0 + y), "said {x}, is {y}");
    if stats.status == Status::Converged {
        assert!(x <= params.tolerance, "{stats:?}");
    }
    stats
}

const PILES: usize = 100;

/// Solves a hundred piles from nothing and returns how many converged.
fn count_solved(friction: Double, ratio: Double, tolerance: Double) -> usize {
    let mut random = Random::new(21);
    let (mut solved, mut steps, mut factors) = (0, 0, 0);
    for _ in 0..PILES {
        let mut world = World::of_scene(&pile(&mut random, Cone::Circular, friction, ratio));
        let stats = run(&mut world, &params(tolerance), &mut NewtonMemory::default());
        solved += usize::from(stats.status == Status::Converged);
        steps += stats.iterations;
        factors += stats.factorizations;
    }
    println!("friction {friction}, ratio {ratio}: {solved}, {steps} steps, {factors} factors");
    solved
}

#[test]
fn frictionless_piles_are_solved_whatever_the_masses() {
    for ratio in [1.0, 1e4] {
        assert_eq!(count_solved(0.0, ratio, 1e-9), PILES, "ratio {ratio}");
    }
}

#[test]
fn most_piles_with_friction_are_solved() {
    // Γ is taken from the newest velocity without acceleration, which contracts for small friction only.
    // What does not converge so is left to scalar sweeps and Newton in turns, which solve all of these.
    for (friction, ratio, tolerance, expected) in [
        (0.1, 1.0, 1e-9, PILES),
        (0.3, 1.0, 1e-5, 98),
        (0.3, 1.0, 1e-9, 90),
        (0.3, 1e4, 1e-5, 94),
        (0.8, 1.0, 1e-5, 93),
    ] {
        let solved = count_solved(friction, ratio, tolerance);
        assert!(solved >= expected, "friction {friction}, ratio {ratio}: {solved}");
    }
}

#[test]
fn frictionless_velocities_are_those_of_lemke() {
    // The frictionless problem is strictly convex in v, so its velocity is unique.
    let mut random = Random::new(8);
    for case in 0..60 {
        let ratio = if case % 2 == 0 { 3.0 } else { 1e4 };
        let mut scene = pile(&mut random, Cone::Circular, 0.0, ratio);
        let mut world = World::of_scene(&scene);
        let stats = run(&mut world, &params(1e-10), &mut NewtonMemory::default());
        assert_eq!(stats.status, Status::Converged, "case {case}: {stats:?}");
        let (problem, mut iterate) = scene.parts();
        let stats = lemke::solve(&problem, &mut iterate, &LemkeParams::default());
        assert_eq!(stats.status, Status::Converged, "case {case}: {stats:?}");
        for (v, w) in world.velocity.iter().zip(&scene.velocity) {
            for k in 0..6 {
                assert!((v[k] - w[k]).abs() < 1e-7, "case {case}: {v:?} and {w:?}");
            }
        }
    }
}

/// Towers, walls and chains.
fn scenes() -> Vec<(&'static str, Scene)> {
    vec![
        ("tower", stack(10, 1.0, Cone::Circular)),
        ("tall tower", stack(30, 1.0, Cone::Circular)),
        ("tower under a heavy box", stack(10, 1e4, Cone::Circular)),
        ("wall", pyramid(8, Cone::Circular)),
        ("chain", chain(20, 1.0)),
        ("chain with a heavy end", chain(20, 1e4)),
        ("chain on ice", chain_on_floor(0.0)),
        ("chain on a floor", chain_on_floor(0.05)),
    ]
}

/// A chain whose last links slide over the floor.
fn chain_on_floor(friction: Double) -> Scene {
    let mut lying = chain(12, 1.0);
    let up = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    for body in 6..12 {
        for [x, z] in [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]] {
            lying.contact((FIXED, [0.0; 3]), (body, [x, -0.5, z]), up, friction);
        }
    }
    lying
}

#[test]
fn towers_walls_and_chains_are_solved() {
    for (name, scene) in scenes() {
        let mut world = World::of_scene(&scene);
        let tolerance = if name.contains("heavy") { 1e-7 } else { 1e-9 };
        let stats = run(&mut world, &params(tolerance), &mut NewtonMemory::default());
        println!("{name}: {} steps, {} factors", stats.iterations, stats.factorizations);
        assert_eq!(stats.status, Status::Converged, "{name}: {stats:?}");
        if name.contains("tower") || name == "wall" {
            let fastest = world.velocity.iter().flatten().fold(0.0, |a: Double, v| a.max(v.abs()));
            assert!(fastest < 1e-5, "{name} stands: {fastest}");
        }
    }
}

#[test]
fn what_moves_away_is_not_held() {
    // Straight along the normal, where a cone without friction has no tangential part to tell by.
    for friction in [0.0, 0.5] {
        for (speed, left) in [(300.0, 300.0), (-300.0, -1.0)] {
            let mut scene = Scene::new(Cone::Circular);
            let body = scene.cube(1.0, [speed, GRAVITY * DT, 0.0, 0.0, 0.0, 0.0]);
            let frame = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            scene.contact((FIXED, [0.0; 3]), (body, [-0.5, 0.0, 0.0]), frame, friction);
            scene.contacts[0].bias[0] = 1.0;
            let mut world = World::of_scene(&scene);
            // From a start that holds it, too.
            for held in [0.0, 3.0] {
                world.contact[0] = [held, 0.0, 0.0];
                let stats = run(&mut world, &params(1e-9), &mut NewtonMemory::default());
                assert_eq!(stats.status, Status::Converged, "{speed}: {stats:?}");
                let v = world.velocity[0][0];
                assert!((v - left).abs() < 1e-8, "friction {friction}: {speed} became {v}");
            }
        }
    }
}

#[test]
fn sliding_boxes_lose_friction_times_weight() {
    for speed in [0.05, 0.5, 2.0, 20.0] {
        let mut scene = Scene::new(Cone::Circular);
        let direction = [0.6 * speed, 0.0, 0.8 * speed, 0.0, 0.0, 0.0];
        let body = scene.cube(3.0, direction);
        scene.rest_on(FIXED, body, 0.5);
        let mut world = World::of_scene(&scene);
        assert_eq!(world.manifolds.len(), 1, "four corners share a manifold");
        let stats = run(&mut world, &params(1e-11), &mut NewtonMemory::default());
        assert_eq!(stats.status, Status::Converged, "{speed} m/s: {stats:?}");
        let left = (speed - 0.5 * GRAVITY * DT).max(0.0) / speed;
        for k in 0..6 {
            let error = (world.velocity[0][k] - left * direction[k]).abs();
            assert!(error < 1e-9, "{speed} m/s: {:?}", world.velocity[0]);
        }
    }
}

#[test]
fn whatever_the_budget_the_result_is_no_worse_than_the_start() {
    let mut random = Random::new(31);
    let mut scratch = NewtonScratch::default();
    let mut short = 0;
    for case in 0..200 {
        let mut world = if case % 2 == 0 {
            World::of_scene(&pile(&mut random, Cone::Circular, 0.8, 100.0))
        } else {
            World::random(&mut random)
        };
        if case % 3 == 0 {
            world.kick(&mut random);
        }
        let limits = NewtonParams {
            work_max: 3.0 * random.unit() * random.unit(),
            half_work: random.unit(),
            outer_max: 1 + random.below(8) as u32,
            newton_max: random.below(4) as u32,
            ..params(1e-10)
        };
        let start = world.measured(&mut scratch);
        let stats = run(&mut world, &limits, &mut NewtonMemory::default());
        short += usize::from(stats.status != Status::Converged);
        let (error, before) = (stats.certificate.error(), start.error());
        assert!(error <= before, "case {case}: {error} after {before}");
    }
    assert!(short > 100, "most budgets are too small: {short}");
}

#[test]
fn a_solution_is_left_as_it_is() {
    let mut random = Random::new(32);
    let mut worlds: Vec<World> = scenes().iter().map(|(_, scene)| World::of_scene(scene)).collect();
    for _ in 0..30 {
        worlds.push(World::of_scene(&pile(&mut random, Cone::Circular, 0.3, 3.0)));
    }
    let mut solved = 0;
    for (case, mut world) in worlds.into_iter().enumerate() {
        let mut memory = NewtonMemory::default();
        let tight = params(1e-8);
        let stats = run(&mut world, &tight, &mut memory);
        if stats.certificate.error() > 1e-7 {
            continue;
        }
        solved += 1;
        let before = world.clone();
        // The tolerance is wider than what was aimed at.
        let wide = NewtonParams { tolerance: 1e-6, ..tight };
        let stats = run(&mut world, &wide, &mut memory);
        assert_eq!(stats.status, Status::Converged, "case {case}: {stats:?}");
        assert_eq!((stats.iterations, stats.factorizations), (0, 0), "case {case}: {stats:?}");
        // Starts are projected on their cones, which rounds those on the surface.
        let near = |x: Double, y: Double| (x - y).abs() <= 1e-14 * (1.0 + y.abs());
        let [last, now] = [&before, &world].map(|world| world.judge().1.error());
        assert!((now - last).abs() < 1e-12, "case {case}: {now} after {last}");
        for (x, y) in world.contact.iter().zip(&before.contact) {
            assert!((0..3).all(|k| near(x[k], y[k])), "case {case}: {x:?} and {y:?}");
        }
        assert_eq!(world.joint, before.joint, "case {case}");
        for (x, y) in world.velocity.iter().zip(&before.velocity) {
            // What is slower than the tolerance may be let stand.
            let stands = *x == [0.0; 6];
            let bound = if stands { wide.tolerance } else { 1e-12 };
            assert!((0..6).all(|k| (x[k] - y[k]).abs() < bound), "case {case}: {x:?} and {y:?}");
        }
    }
    assert!(solved > 30, "most are solved: {solved}");
}

#[test]
fn a_memory_of_others_changes_nothing_beyond_the_tolerance() {
    // One memory wanders from island to island, of equal and of other patterns.
    let mut memory = NewtonMemory::default();
    let mut random = Random::new(33);
    let tolerance = 1e-9;
    for case in 0..100 {
        let friction = if case % 2 == 0 { 0.0 } else { 0.1 };
        let ratio = if friction == 0.0 && case % 4 == 0 { 1e3 } else { 3.0 };
        let scene = match case % 5 {
            0 => stack(4 + random.below(2), ratio, Cone::Circular),
            _ => pile(&mut random, Cone::Circular, friction, ratio),
        };
        let mut fresh = World::of_scene(&scene);
        let mut stale = fresh.clone();
        let stats = run(&mut fresh, &params(tolerance), &mut NewtonMemory::default());
        assert_eq!(stats.status, Status::Converged, "case {case}, fresh: {stats:?}");
        let stats = run(&mut stale, &params(tolerance), &mut memory);
        assert_eq!(stats.status, Status::Converged, "case {case}, stale: {stats:?}");
        if friction == 0.0 && case % 5 != 0 {
            for (v, w) in stale.velocity.iter().zip(&fresh.velocity) {
                for k in 0..6 {
                    assert!((v[k] - w[k]).abs() < 1e-6, "case {case}: {v:?} and {w:?}");
                }
            }
        }
    }
}

#[test]
fn starts_that_are_not_finite_are_no_starts() {
    let mut random = Random::new(34);
    for bad in [Double::NAN, Double::INFINITY, -Double::INFINITY] {
        let mut world = World::of_scene(&pile(&mut random, Cone::Circular, 0.3, 3.0));
        let mut clean = world.clone();
        world.contact[0][1] = bad;
        if let Some(c) = world.joint.first_mut() {
            *c = bad;
        }
        let stats = run(&mut world, &params(1e-9), &mut NewtonMemory::default());
        assert_eq!(stats.status, Status::Converged, "{stats:?}");
        run(&mut clean, &params(1e-9), &mut NewtonMemory::default());
        assert_eq!(world.contact, clean.contact, "as if it were zero");
    }
}
