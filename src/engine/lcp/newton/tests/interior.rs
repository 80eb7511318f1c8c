//! Blows by interior points: the same velocities as by passes alone, in few factors.

use super::*;
use crate::engine::lcp::problem::Cone;
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::tests::scenes::{pyramid, stack};

/// Struck piles.
const PILES: usize = 40;

/// A pile every body of which is struck.
fn struck(case: usize, friction: Double, random: &mut Random) -> World {
    let scene = match case % 2 {
        0 => pyramid(5, Cone::Circular),
        _ => stack(12, 10.0, Cone::Circular),
    };
    let mut world = World::of_scene(&scene);
    world.manifolds.iter_mut().for_each(|m| m.friction = friction);
    for body in &mut world.bodies {
        let (v, w) = (random.vector3(2.0), random.vector3(2.0));
        body.velocity_free = [v[0], v[1], v[2], w[0], w[1], w[2]];
    }
    world
}

#[test]
fn blows_end_where_passes_end() {
    let (mut random, params) = (Random::new(53), params(1e-9));
    let mut scratch = NewtonScratch::default();
    for case in 0..PILES {
        // Without friction the velocity is unique. Where `Γ` is given there are passes alone.
        let mut by_passes = struck(case, 0.0, &mut random);
        let mut inside = by_passes.clone();
        let slip_bounds = vec![0.0; 4 * inside.manifolds.len()];
        let stats = inside.solve(&params, &mut NewtonMemory::default(), &mut scratch);
        assert_eq!(stats.status, Status::Converged, "case {case}: {stats:?}");
        assert!(!scratch.inner.is_empty(), "case {case}: not by interior points");
        scratch.inner.clear();
        let (problem, mut iterate) = by_passes.parts();
        let (slip, memory) = (Some(slip_bounds.as_slice()), &mut NewtonMemory::default());
        let stats = solve(&problem, slip, &mut iterate, &params, memory, &mut scratch);
        assert_eq!(stats.status, Status::Converged, "case {case}: {stats:?}");
        assert!(scratch.inner.is_empty(), "case {case}: by interior points");
        let pairs = inside.velocity.as_flattened().iter().zip(by_passes.velocity.as_flattened());
        let apart = pairs.fold(0.0, |most: Double, (x, y)| most.max((x - y).abs()));
        assert!(apart < 1e-6, "case {case}: {apart} m/s apart");
    }
}

#[test]
fn blows_take_few_factors() {
    let mut random = Random::new(53);
    let mut scratch = NewtonScratch::default();
    let (mut solved, mut factors) = (0, 0);
    for case in 0..PILES {
        let mut world = struck(case, 0.5, &mut random);
        let stats = world.solve(&params(1e-5), &mut NewtonMemory::default(), &mut scratch);
        solved += usize::from(stats.status == Status::Converged);
        factors += stats.factorizations as usize;
    }
    println!("{solved} of {PILES} solved, {factors} factors");
    // Passes alone take 150 factors each and solve 36.
    assert_eq!(solved, PILES, "solved");
    assert!(factors < 75 * PILES, "{factors} factors");
}
