//! Joint rows with bounds and softness: oracles, counts, warm starts.

use super::*;
use crate::engine::lcp::problem::{Cone, JointRow};
use crate::engine::lcp::tests::mixed::{gauss_seidel, mixed, violation};
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::tests::scenes::chain;

const PILES: usize = 200;

/// Solves piles from nothing, checks what is said of them and returns how many converged.
fn count_solved(friction: Double, ratio: Double, tolerance: Double) -> usize {
    let mut random = Random::new(51);
    let (mut solved, mut steps, mut factors, mut most) = (0, 0, 0, 0);
    for case in 0..PILES {
        let scene = mixed(&mut random, Cone::Circular, friction, ratio);
        let mut world = World::of_scene(&scene);
        let mut scratch = NewtonScratch::default();
        let stats = world.solve(&params(tolerance), &mut NewtonMemory::default(), &mut scratch);
        let (velocity, certificate) = world.judge();
        let (x, y) = (stats.certificate.error(), certificate.error());
        assert!((x - y).abs() < 1e-10 * (1.0 + y), "case {case}: said {x}, is {y}");
        if stats.status == Status::Converged {
            assert!(x <= tolerance, "case {case}: {stats:?}");
            let law = violation(&scene, &velocity, &world.joint);
            assert!(law <= 1.01 * tolerance, "case {case}: {law}");
            solved += 1;
            steps += stats.iterations;
            factors += stats.factorizations;
            most = most.max(stats.iterations);
        } else {
            println!("case {case}: {stats:?}");
        }
    }
    let mean = |sum: u32| Double::from(sum) / solved.max(1) as Double;
    println!(
        "friction {friction}, ratio {ratio}: {solved} of {PILES}, {:.1} steps, at most {most}, {:.1} factors",
        mean(steps),
        mean(factors)
    );
    solved
}

#[test]
fn piles_with_all_kinds_of_rows_are_solved() {
    for (friction, ratio, tolerance, expected) in [
        (0.0, 1.0, 1e-9, PILES),
        (0.0, 1e2, 1e-9, PILES),
        (0.0, 1e4, 1e-9, PILES),
        (0.1, 1.0, 1e-9, PILES),
        (0.3, 1.0, 1e-5, PILES),
        (0.3, 1e4, 1e-5, PILES - 1),
    ] {
        let solved = count_solved(friction, ratio, tolerance);
        assert!(solved >= expected, "friction {friction}, ratio {ratio}: {solved}");
    }
}

#[test]
fn velocities_without_friction_are_those_of_gauss_seidel() {
    let mut random = Random::new(52);
    let mut compared = 0;
    for case in 0..200 {
        let scene = mixed(&mut random, Cone::Circular, 0.0, [1.0, 10.0, 100.0][case % 3]);
        let Some(expected) = gauss_seidel(&scene) else { continue };
        compared += 1;
        let mut world = World::of_scene(&scene);
        let mut scratch = NewtonScratch::default();
        let stats = world.solve(&params(1e-11), &mut NewtonMemory::default(), &mut scratch);
        for (v, w) in world.velocity.iter().zip(&expected) {
            for k in 0..6 {
                assert!((v[k] - w[k]).abs() < 1e-8, "case {case}: {v:?} and {w:?}, {stats:?}");
            }
        }
    }
    assert!(compared > 150, "most sweeps converge: {compared}");
}

#[test]
fn nearby_problems_take_few_steps_and_solved_ones_none() {
    let mut random = Random::new(53);
    let mut scratch = NewtonScratch::default();
    let (mut cold, mut warm) = (0, 0);
    for case in 0..100 {
        let scene = mixed(&mut random, Cone::Circular, 0.1, 3.0);
        let mut world = World::of_scene(&scene);
        let mut memory = NewtonMemory::default();
        let stats = world.solve(&params(1e-6), &mut memory, &mut scratch);
        assert_eq!(stats.status, Status::Converged, "case {case}: {stats:?}");
        cold += stats.iterations;
        let before = world.clone();
        let stats = world.solve(&params(1e-5), &mut memory, &mut scratch);
        assert_eq!((stats.iterations, stats.factorizations), (0, 0), "case {case}: {stats:?}");
        assert_eq!(world.joint, before.joint, "case {case}");
        for body in &mut world.bodies {
            body.velocity_free[0] += 1e-4 * random.signed(1.0);
        }
        let stats = world.solve(&params(1e-6), &mut memory, &mut scratch);
        assert_eq!(stats.status, Status::Converged, "case {case}: {stats:?}");
        warm += stats.iterations;
    }
    println!("cold {cold}, warm {warm}");
    assert!(2 * warm < cold, "cold {cold}, warm {warm}");
}

#[test]
fn starts_beyond_the_bounds_are_clamped() {
    let mut random = Random::new(54);
    let mut scratch = NewtonScratch::default();
    for case in 0..100 {
        let mut world = World::of_scene(&mixed(&mut random, Cone::Circular, 0.1, 3.0));
        let mut clamped = world.clone();
        for ((c, d), row) in world.joint.iter_mut().zip(&mut clamped.joint).zip(&world.joints) {
            *c = random.signed(20.0);
            *d = row.clamp(*c);
        }
        for world in [&mut world, &mut clamped] {
            let stats = world.solve(&params(1e-8), &mut NewtonMemory::default(), &mut scratch);
            assert_eq!(stats.status, Status::Converged, "case {case}: {stats:?}");
        }
        assert_eq!(world.joint, clamped.joint, "case {case}: as if it had been clamped before");
        for (c, row) in world.joint.iter().zip(&world.joints) {
            assert_eq!(*c, row.clamp(*c), "case {case}: within the bounds");
        }
    }
}

/// A hanging chain with a motor and a limit at every link, and a spring at its end.
fn limited_chain(links: usize, ratio: Double, random: &mut Random) -> World {
    let mut scene = chain(links, ratio);
    for b in 1..links as u32 {
        let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
        for (k, axis) in axes.into_iter().enumerate() {
            let [x, y, z] = axis;
            let mut row = JointRow::equality(Default::default(), 0.2 * random.unit());
            row.terms.push((b - 1, [0.0, 0.0, 0.0, -x, -y, -z]));
            row.terms.push((b, [0.0, 0.0, 0.0, x, y, z]));
            row.bounds = if k == 0 { [0.0, Double::INFINITY] } else { [-0.02, 0.02] };
            scene.joints.push(row);
            scene.joint_impulse.push(0.0);
        }
        for k in 3..6 {
            scene.bodies[b as usize].velocity_free[k] += random.signed(3.0);
        }
    }
    let mut spring = JointRow::equality(Default::default(), 0.5);
    spring.terms.push((links as u32 - 1, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    spring.softness = 0.1;
    scene.joints.push(spring);
    scene.joint_impulse.push(0.0);
    World::of_scene(&scene)
}

#[test]
fn chains_with_limits_and_motors_are_solved() {
    let mut random = Random::new(55);
    let mut scratch = NewtonScratch::default();
    for (links, ratio, tolerance) in [(20, 1.0, 1e-9), (20, 1e4, 1e-7), (100, 1.0, 1e-7)] {
        let mut world = limited_chain(links, ratio, &mut random);
        let stats = world.solve(&params(tolerance), &mut NewtonMemory::default(), &mut scratch);
        println!("{links}, {ratio}: {} steps, {} factors", stats.iterations, stats.factorizations);
        assert_eq!(stats.status, Status::Converged, "{links}, {ratio}: {stats:?}");
        assert!(world.judge().1.error() <= 1.01 * tolerance, "{links}, {ratio}");
        let bounded = world.joints.iter().zip(&world.joint).filter(|(row, _)| row.is_bounded());
        let held = bounded.clone().filter(|(row, c)| row.bounds.contains(c)).count();
        let all = bounded.count();
        assert!(0 < held && held < all, "some are at a bound, some are not: {held} of {all}");
    }
}
