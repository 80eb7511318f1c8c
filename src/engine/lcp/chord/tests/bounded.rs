//! Joint rows with bounds and softness: oracles, counts, warm starts.

use super::*;
use crate::engine::lcp::Cone;
use crate::engine::lcp::random::Random;
use crate::engine::lcp::tests::mixed::{gauss_seidel, mixed, violation};
use crate::engine::lcp::tests::scenes::{DT, GRAVITY};

fn params(tolerance: Double) -> ChordParams {
    ChordParams {
        tolerance,
        gravity_dt: GRAVITY * DT,
        penalty: 200.0,
        outer_max: 200,
        newton_max: 40,
        work_max: 1e6,
    }
}

const PILES: usize = 200;

/// Solves piles from nothing, checks what is said of them and returns how many converged.
fn count_solved(friction: Double, ratio: Double, tolerance: Double) -> usize {
    let mut random = Random::new(51);
    let (mut solved, mut steps, mut factors, mut most) = (0, 0, 0, 0);
    for case in 0..PILES {
        let scene = mixed(&mut random, Cone::Circular, friction, ratio);
        let mut world = World::of_scene(&scene);
        let mut scratch = ChordScratch::default();
        let stats = world.solve(&params(tolerance), &mut ChordMemory::default(), &mut scratch);
        let (velocity, certificate) = world.judge(GRAVITY * DT);
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
        (0.3, 1e4, 1e-5, PILES),
    ] {
        let solved = count_solved(friction, ratio, tolerance);
        println!("{solved} {expected}");
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
        let mut scratch = ChordScratch::default();
        let stats = world.solve(&params(1e-11), &mut ChordMemory::default(), &mut scratch);
        for (v, w) in world.velocity.iter().zip(&expected) {
            for k in 0..6 {
                assert!((v[k] - w[k]).abs() < 1e-8, "case {case}: {v:?} and {w:?}, {stats:?}");
            }
        }
    }
    assert!(compared > 150, "most sweeps converge: {compared}");
}
