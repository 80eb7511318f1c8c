//! Islands in parts.

use super::*;
use crate::engine::lcp::sweeps::domains::Domains;
use crate::engine::lcp::sweeps::solve_sweeps;
use crate::par::{Pool, Threads};

/// A heap with a kick, and a leaf of eight for each body, by where it is or at random.
fn heap(seed: u64, at_random: bool) -> (World, Vec<u8>) {
    let mut world = World::terraces([9, 9], 7, &[0, 1]);
    let mut random = Random::new(seed);
    for velocity in &mut world.velocity {
        *velocity = core::array::from_fn(|_| random.signed(0.2));
    }
    for manifold in &mut world.manifolds {
        (0..4).for_each(|lane| manifold.gap[lane] = random.signed(0.002));
    }
    let bodies = world.bodies.len();
    let leaf = |i: usize| if at_random { random.below(8) } else { 8 * i / bodies } as u8;
    let leaves = (0..bodies).map(leaf).collect();
    (world, leaves)
}

/// What small steps of a heap in parts give, and sweeps after them.
fn answer(seed: u64, at_random: bool, pool: &dyn Pool, scratch: &mut SweepScratch) -> Vec<u64> {
    let (mut world, leaves) = heap(seed, at_random);
    let (manifolds, joints) = world.problem(1.0);
    world.solve(&manifolds, &joints, |island, iterate| {
        let island = SweptIsland { leaves: &leaves, pool, ..*island };
        solve_substeps(&island, iterate, &params(6), scratch);
        solve_sweeps(&island, iterate, 0, Start::Velocities, 3, scratch);
        solve_nncg(&island, iterate, 1, 9, true, scratch);
    });
    let velocities = world.moved.iter().chain(&world.carried).flatten();
    velocities.chain(world.impulse.iter().flatten().flatten()).map(|x| x.to_bits()).collect()
}

#[test]
fn nodes_of_a_level_share_no_body() {
    for seed in 0..4 {
        let (world, leaves) = heap(seed, seed % 2 == 0);
        let mut domains = Domains::default();
        domains.fill(&leaves, world.bodies.len(), &world.manifolds);
        assert_eq!(domains.levels(), [8, 4, 2, 1], "three cuts");
        let mut seen = vec![0; world.manifolds.len()];
        for (level, &count) in domains.levels().iter().enumerate() {
            let mut owner = vec![None; world.bodies.len()];
            for k in 0..count {
                for &i in domains.manifolds(domains.node(level, k)) {
                    seen[i as usize] += 1;
                    let m = &world.manifolds[i as usize];
                    for body in
                        [m.a, m.b].map(|i| i as usize).into_iter().filter(|&i| i < leaves.len())
                    {
                        assert_eq!(usize::from(leaves[body]) >> level, k, "below its node");
                        assert!(owner[body].replace(k).is_none_or(|other| other == k), "one node");
                    }
                }
            }
        }
        assert!(seen.iter().all(|&times| times == 1), "each manifold in one node");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    for seed in 0..4 {
        let mut scratch = SweepScratch::default();
        let one = answer(seed, seed % 2 == 0, &Serial, &mut scratch);
        assert!(one.iter().all(|&x| Double::from_bits(x).is_finite()), "finite");
        for threads in [2, 3, 8] {
            let pool = Threads(threads);
            assert!(one == answer(seed, seed % 2 == 0, &pool, &mut scratch), "{threads} threads");
        }
    }
}

/// Small steps of a heap that lies still, in parts and whole: the orders of their contacts differ, no law.
#[test]
fn a_heap_in_parts_rests_like_a_whole_one() {
    let rest = |parts: u8| {
        let mut world = World::terraces([9, 9], 7, &[0, 1]);
        let bodies = world.bodies.len();
        let leaves: Vec<u8> =
            (0..bodies).map(|i| (usize::from(parts) * i / bodies) as u8).collect();
        let mut scratch = SweepScratch::default();
        for _ in 0..60 {
            let (manifolds, joints) = world.problem(1.0);
            world.solve(&manifolds, &joints, |island, iterate| {
                let island = SweptIsland { leaves: &leaves, ..*island };
                solve_substeps(&island, iterate, &params(16), &mut scratch);
            });
            world.go();
        }
        (world.overlap(), world.speed())
    };
    let [whole, parts] = [1, 8].map(rest);
    println!("overlap (m) and speed (m/s): {whole:?} in one, {parts:?} in eight parts");
    assert!(parts.0 <= 2.0 * whole.0, "overlap: {} for {} m", parts.0, whole.0);
    assert!(parts.1 <= 2.0 * whole.1.max(1e-3), "speed: {} for {} m/s", parts.1, whole.1);
}
