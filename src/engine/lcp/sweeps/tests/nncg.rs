//! Accelerated sweeps against plain ones.

use super::*;
use crate::engine::lcp::newton;
use crate::engine::lcp::newton::{ManifoldIterate, ManifoldProblem, NewtonScratch};
use crate::engine::lcp::sweeps::{solve_nncg, solve_sweeps};

/// Sweeps of a call: each starts from velocities rebuilt from the impulses, so that rounding does not add up.
const ROUND: u32 = 16;

/// Largest error of the impulses of a problem [m/s].
fn residual(world: &World, manifolds: &[Manifold], joints: &[JointRow]) -> Double {
    let problem = ManifoldProblem::round(&world.bodies, manifolds, joints);
    let (mut contact, mut joint) = (world.impulse[0].clone(), world.joint_impulse[0].clone());
    let iterate = ManifoldIterate {
        velocity: &mut [],
        contact: &mut contact,
        rolling: &mut [],
        joint: &mut joint,
    };
    newton::measure(&problem, &iterate, &mut NewtonScratch::default()).error()
}

/// The residual before and after `sweeps`, accelerated or not, and the world with what they found.
fn swept(world: &World, sweeps: u32, accelerated: bool) -> ([Double; 2], World) {
    let mut world = world.clone();
    let (manifolds, joints) = world.problem(1.0);
    let before = residual(&world, &manifolds, &joints);
    let (mut scratch, mut left) = (SweepScratch::default(), sweeps);
    while left > 0 {
        let (now, fresh) = (left.min(ROUND), left == sweeps);
        world.solve(&manifolds, &joints, |island, iterate| {
            if accelerated {
                solve_nncg(island, iterate, 0, now, fresh, &mut scratch);
            } else {
                solve_sweeps(island, iterate, 0, Start::Impulses, now, &mut scratch);
            }
        });
        left -= now;
    }
    ([before, residual(&world, &manifolds, &joints)], world)
}

/// Cubes that stand crookedly on each other and on the floor, some sliding, some falling.
fn pile(seed: u64) -> World {
    let mut random = Random::new(seed);
    let mut world = World::new();
    for i in 0..4 + random.below(12) as u32 {
        let b = world.cube(0.5 + random.unit());
        let mut side = |middle: Double| {
            let near = middle - 0.1 - 0.4 * random.unit();
            [near, middle + 0.1 + 0.4 * random.unit()]
        };
        let (x, z) = (side(0.0), side(0.0));
        let on =
            if i == 0 || random.below(4) == 0 { FIXED } else { random.below(i as usize) as u32 };
        world.rest(on, b, [random.signed(0.3), random.signed(0.3)], x, z);
    }
    let mut world = world.close();
    for velocity in &mut world.velocity {
        *velocity = [0; 6].map(|_| random.signed(0.5));
    }
    world
}

#[test]
fn it_finds_a_solution_where_plain_sweeps_find_one() {
    for seed in 0..20 {
        let world = pile(seed);
        let ([start, fast], _) = swept(&world, 1600, true);
        let ([_, slow], _) = swept(&world, 8_000, false);
        assert!(start > 0.05, "seed {seed}: there is something to solve, {start} m/s");
        assert!(fast < 2e-6 && slow < 2e-6, "seed {seed}: residuals {fast}, {slow} m/s");
    }
}

/// With friction a problem may have several solutions, without it there is one velocity.
#[test]
fn without_friction_it_finds_the_velocities_of_plain_sweeps() {
    for seed in 0..20 {
        let mut world = pile(seed);
        world.manifolds.iter_mut().for_each(|manifold| manifold.friction = 0.0);
        let (_, fast) = swept(&world, 1600, true);
        let (_, slow) = swept(&world, 8_000, false);
        for (a, b) in fast.moved.iter().flatten().zip(slow.moved.iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "seed {seed}: velocities {a}, {b}");
        }
    }
}

#[test]
fn it_never_ends_above_where_it_started() {
    for seed in 0..40 {
        for world in [pile(seed), kicked(seed)] {
            for sweeps in [1, 2, 5, 16, 48] {
                let ([before, after], _) = swept(&world, sweeps, true);
                assert!(after <= before, "seed {seed}, {sweeps} sweeps: {before} to {after} m/s");
            }
        }
    }
}

#[test]
fn it_leaves_a_solution_as_it_is() {
    let (_, world) = swept(&World::pyramid(5), 600, true);
    let ([before, after], again) = swept(&world, 16, true);
    assert!(before < 1e-5 && after < 1e-5, "residuals {before}, {after} m/s");
    world.moved.iter().flatten().zip(again.moved.iter().flatten()).for_each(|(a, b)| {
        assert!((a - b).abs() < 1e-5, "velocities {a}, {b}");
    });
}

#[test]
fn it_repeats_itself_to_the_bit_whatever_it_solved_before() {
    let mut used = SweepScratch::default();
    for seed in 0..10 {
        let world = kicked(seed);
        let run = |scratch: &mut SweepScratch| {
            let mut world = world.clone();
            let (manifolds, joints) = world.problem(1.0);
            for fresh in [true, false] {
                world.solve(&manifolds, &joints, |island, iterate| {
                    solve_nncg(island, iterate, 0, 20, fresh, scratch);
                });
            }
            let bits = |x: &Double| x.to_bits();
            let numbers = world.moved.iter().flatten().chain(world.impulse[0].iter().flatten());
            numbers.map(bits).collect::<Vec<_>>()
        };
        let first = run(&mut SweepScratch::default());
        assert_eq!(first, run(&mut used), "seed {seed}");
    }
}

/// One sweep of it alone is a plain one, and a second call goes on with the direction of the first.
#[test]
fn it_starts_with_a_plain_sweep_and_goes_on_with_its_direction() {
    let world = pile(3);
    let (plain, one) = (swept(&world, 1, false).1, swept(&world, 1, true).1);
    assert_eq!(plain.moved, one.moved, "one sweep");
    let twice = |fresh| {
        let mut world = world.clone();
        let (manifolds, joints) = world.problem(1.0);
        let mut scratch = SweepScratch::default();
        for fresh in [true, fresh] {
            world.solve(&manifolds, &joints, |island, iterate| {
                solve_nncg(island, iterate, 0, 8, fresh, &mut scratch);
            });
        }
        world.moved
    };
    assert_ne!(twice(true), twice(false), "the direction is kept");
}

/// A sweep of it costs up to a half more than a plain one.
#[test]
fn it_gains_more_than_plain_sweeps_of_the_same_cost() {
    for (world, sweeps, gain) in [
        (World::stack(10, 1.0), 40, 5.0),
        (World::stack(20, 1.0), 80, 10.0),
        (World::stack(20, 1.0), 320, 20.0),
        (World::pyramid(8), 320, 5.0),
    ] {
        let ([_, fast], _) = swept(&world, sweeps, true);
        let ([_, slow], _) = swept(&world, sweeps * 3 / 2, false);
        assert!(gain * fast < slow, "{sweeps} sweeps: {fast} m/s, plain ones {slow} m/s");
    }
}
