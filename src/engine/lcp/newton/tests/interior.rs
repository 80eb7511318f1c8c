//! Blows by interior points: the same velocities as by passes alone, in fewer factors.

use super::*;
use crate::engine::lcp::problem::Cone;
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::tests::scenes::{pyramid, stack};

/// Struck piles.
const PILES: usize = 40;

/// Solves piles that are struck, with and without interior points; how far velocities are apart where both
/// are solved [m/s], and how many are solved by each, and with how many factors.
fn struck(friction: Double, tolerance: Double) -> (Double, [usize; 2], [u32; 2]) {
    let mut random = Random::new(53);
    let mut scratch = NewtonScratch::default();
    let (mut apart, mut solved, mut factors): (Double, _, _) = (0.0, [0; 2], [0; 2]);
    for case in 0..PILES {
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
        let [inside, passes] = [true, false].map(|inside| {
            let mut world = world.clone();
            let params = NewtonParams { inside, ..params(tolerance) };
            let stats = world.solve(&params, &mut NewtonMemory::default(), &mut scratch);
            let k = usize::from(!inside);
            solved[k] += usize::from(stats.status == Status::Converged);
            factors[k] += stats.factorizations;
            (stats.status == Status::Converged).then_some(world.velocity)
        });
        if let (Some(a), Some(b)) = (inside, passes) {
            let of = a.as_flattened().iter().zip(b.as_flattened());
            apart = of.fold(apart, |most, (x, y)| most.max((x - y).abs()));
        }
    }
    println!("friction {friction}: {apart} m/s apart, {solved:?} solved, {factors:?} factors");
    (apart, solved, factors)
}

#[test]
fn blows_end_where_passes_end() {
    // Without friction the velocity is unique; with little of it `χ₂` contracts (Theorem 5.9).
    for friction in [0.0, 0.01] {
        let (apart, solved, _) = struck(friction, 1e-9);
        assert_eq!(solved, [PILES; 2], "friction {friction}");
        assert!(apart < 1e-6, "friction {friction}: {apart} m/s apart");
    }
}

#[test]
fn blows_take_fewer_factors() {
    let (_, solved, factors) = struck(0.5, 1e-5);
    assert!(solved[0] >= solved[1], "{solved:?} of {PILES} solved");
    assert!(2 * factors[0] < factors[1], "{factors:?} factors");
}
