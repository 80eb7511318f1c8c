//! Which islands are divided, and that turns find what the whole solve finds.

use super::*;
use crate::engine::lcp::FIXED;
use crate::par::Serial;

/// A body of this mass (kg) with the inertia of a ball of a meter radius, which falls at 0.1 m/s.
fn body(mass: Double) -> BodyBlock {
    let turn = 0.4 * mass;
    BodyBlock {
        mass: [mass; 3],
        inertia: [turn, turn, turn, 0.0, 0.0, 0.0],
        inverse_mass: [1.0 / mass; 3],
        inverse_inertia: [1.0 / turn, 1.0 / turn, 1.0 / turn, 0.0, 0.0, 0.0],
        velocity_free: [0.0, -0.1, 0.0, 0.0, 0.0, 0.0],
    }
}

/// Contacts, one for each pair of which the second lies on the first.
fn contacts(bodies: &[BodyBlock], pairs: &[[u32; 2]]) -> Vec<Manifold> {
    let of = |(first, &[a, b]): (usize, &[u32; 2])| {
        let mut m = Manifold::new(a, b, bodies.len(), first as u32);
        (m.count, m.normal, m.friction) = (1, [0.0, 1.0, 0.0], 0.5);
        (m.tangent, m.arm_a, m.arm_b) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]);
        m.find_compliance(bodies);
        m
    };
    pairs.iter().enumerate().map(of).collect()
}

/// The heavy bodies of an island with these masses and contacts, if it is divided.
fn divided(masses: &[Double], pairs: &[[u32; 2]]) -> Option<Vec<u32>> {
    let bodies: Vec<BodyBlock> = masses.iter().map(|&mass| body(mass)).collect();
    let manifolds = contacts(&bodies, pairs);
    let mut by_mass = ByMass::default();
    by_mass.divide(&ManifoldProblem::round(&bodies, &manifolds, &[])).then_some(by_mass.heavies)
}

#[test]
fn light_bodies_are_divided_from_heavy_ones_that_stand() {
    let stands = [[FIXED, 0], [0, 1]];
    assert_eq!(divided(&[1.0, 0.05], &stands), Some(vec![0]), "a pebble on a cube");
    assert_eq!(divided(&[1.0, 0.06], &stands), None, "too heavy for a pebble");
    assert_eq!(divided(&[0.05, 1.0], &stands), None, "a cube on a pebble");
    assert_eq!(divided(&[1.0, 0.01, 1.0], &[[FIXED, 0], [0, 1], [1, 2]]), None, "one cube on it");
    assert_eq!(divided(&[1.0, 0.01, 0.01], &[[FIXED, 0], [0, 1], [0, 2], [1, 2]]), None, "many");
    let three = [[FIXED, 0], [0, 1], [1, 2]];
    assert_eq!(divided(&[100.0, 1.0, 0.01], &three), Some(vec![0, 1]), "at the first gap");
}

#[test]
fn turns_find_the_solution_of_the_whole() {
    let masses = [3.0, 1.0, 0.02, 0.05, 0.01];
    let bodies: Vec<BodyBlock> = masses.iter().map(|&mass| body(mass)).collect();
    let manifolds = contacts(&bodies, &[[FIXED, 0], [0, 1], [1, 2], [1, 3], [3, 4]]);
    let problem = ManifoldProblem::round(&bodies, &manifolds, &[]);
    let params = NewtonParams { tolerance: 1e-8, ..NewtonParams::default() };
    let found = [false, true].map(|in_turns| {
        let (mut velocity, mut contact) = (vec![[0.0; 6]; 5], vec![[0.0; 3]; 5]);
        let mut iterate = ManifoldIterate {
            velocity: &mut velocity,
            contact: &mut contact,
            rolling: &mut [],
            joint: &mut [],
        };
        let (mut memory, mut scratch) = (NewtonMemory::default(), NewtonScratch::default());
        let mut by_mass = ByMass::default();
        let stats = if in_turns {
            assert!(by_mass.divide(&problem), "three pebbles on two cubes");
            let judge: (&dyn Pool, _) = (&Serial, &mut scratch);
            by_mass.solve(&problem, &mut iterate, &params, &mut memory, judge)
        } else {
            newton::solve(&problem, None, &mut iterate, &params, &mut memory, &mut scratch)
        };
        assert_eq!(stats.status, Status::Converged, "in turns: {in_turns}");
        assert!(stats.certificate.error() <= params.tolerance, "{stats:?}");
        contact
    });
    let pairs = found[0].as_flattened().iter().zip(found[1].as_flattened());
    let apart = pairs.fold(0.0, |most: Double, (a, b)| most.max((a - b).abs()));
    assert!(apart < 1e-6, "{found:?}");
}
