//! Against the cone Newton, and laws with exact answers.

use super::*;
use crate::engine::lcp::newton::{NewtonMemory, NewtonParams, NewtonScratch};
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::{Status, newton};

/// Bodies at places with masses from 1 to `ratio`, ball joints between some and the world.
fn mechanism(
    rng: &mut Random,
    n: usize,
    loops: usize,
    ratio: Double,
) -> (Vec<BodyBlock>, Vec<JointRow>) {
    let mut bodies = Vec::new();
    for _ in 0..n {
        let mass = 1.0 + (ratio - 1.0) * rng.unit().powi(3);
        let inertia = 0.1 * mass * (0.5 + rng.unit());
        let free = [rng.vector3(1.0), rng.vector3(1.0)];
        bodies.push(BodyBlock {
            mass: [mass; 3],
            inertia: [inertia, inertia, inertia, 0.0, 0.0, 0.0],
            inverse_mass: [1.0 / mass; 3],
            inverse_inertia: [1.0 / inertia, 1.0 / inertia, 1.0 / inertia, 0.0, 0.0, 0.0],
            velocity_free: [free[0][0], free[0][1], free[0][2], free[1][0], free[1][1], free[1][2]],
        });
    }
    let mut rows = Vec::new();
    let mut join = |rng: &mut Random, ends: &[u32], softness: Double| {
        let arms = [rng.vector3(0.5), rng.vector3(0.5)];
        for k in 0..3 {
            let terms = ends.iter().enumerate().map(|(side, &body)| {
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let mut row = [0.0; 6];
                row[k] = sign;
                // r × e_k.
                let r = arms[side];
                row[3 + (k + 1) % 3] = sign * r[(k + 2) % 3];
                row[3 + (k + 2) % 3] = -sign * r[(k + 1) % 3];
                (body, row)
            });
            let row = JointRow::equality(terms.collect(), rng.signed(0.1));
            rows.push(JointRow { softness, ..row });
        }
    };
    for k in 0..n {
        if k == 0 || rng.below(8) == 0 {
            join(rng, &[k as u32], 0.0);
        } else {
            let other = k - 1 - rng.below(k.min(3));
            join(rng, &[k as u32, other as u32], 0.0);
        }
    }
    for _ in 0..loops {
        let [a, b] = [rng.below(n), rng.below(n)];
        if a != b {
            join(rng, &[a as u32, b as u32], 1e-6);
        }
    }
    (bodies, rows)
}

fn velocity_of(
    bodies: &[BodyBlock],
    joints: &[JointRow],
    solve: impl FnOnce(&ManifoldProblem<'_>, &mut ManifoldIterate<'_>),
) -> (Vec<Vec6>, Vec<Double>) {
    let mut velocity: Vec<Vec6> = bodies.iter().map(|b| b.velocity_free).collect();
    let mut joint = vec![0.0; joints.len()];
    let problem = ManifoldProblem::round(bodies, &[], joints);
    let mut iterate = ManifoldIterate {
        velocity: &mut velocity,
        contact: &mut [],
        rolling: &mut [],
        joint: &mut joint,
    };
    solve(&problem, &mut iterate);
    (velocity, joint)
}

#[test]
fn it_agrees_with_the_cone_newton() {
    let mut rng = Random::new(11);
    let (mut memory, mut scratch) = (JointsMemory::default(), JointsScratch::default());
    for round in 0..40 {
        let n = 1 + rng.below(30);
        let (bodies, joints) = mechanism(&mut rng, n, round % 4, [1.0, 1e4][round % 2]);
        let tolerance = 1e-9;
        let (ours, _) = velocity_of(&bodies, &joints, |problem, iterate| {
            assert!(suits(problem));
            let stats = solve(problem, iterate, tolerance, &mut memory, &mut scratch);
            let stats = stats.expect("it is solved");
            assert_eq!(stats.status, Status::Converged);
            assert!(stats.certificate.error() <= tolerance);
            assert!(stats.factorizations <= 1 && stats.iterations <= 4, "round {round}: {stats:?}");
        });
        let (theirs, _) = velocity_of(&bodies, &joints, |problem, iterate| {
            let params = NewtonParams {
                patient: false,
                tolerance,
                penalty: 20.0,
                outer_max: 50,
                newton_max: 40,
                work_max: 1e6,
                half_work: Double::INFINITY,
                loaded: false,
            };
            let mut memory = NewtonMemory::default();
            let mut scratch = NewtonScratch::default();
            let stats = newton::solve(problem, None, iterate, &params, &mut memory, &mut scratch);
            assert!(stats.certificate.error() <= tolerance, "round {round}: {stats:?}");
        });
        for (a, b) in ours.iter().flatten().zip(theirs.iter().flatten()) {
            assert!((a - b).abs() < 1e-6, "round {round}: {a} and {b}");
        }
    }
}

/// A warm start within the tolerance is taken as it is; another bias needs no other factor.
#[test]
fn what_is_known_is_used_again() {
    let mut rng = Random::new(5);
    let (bodies, mut joints) = mechanism(&mut rng, 40, 0, 100.0);
    let (mut memory, mut scratch) = (JointsMemory::default(), JointsScratch::default());
    let mut again = |joints: &[JointRow], joint: &mut Vec<Double>| {
        let mut velocity: Vec<Vec6> = bodies.iter().map(|b| b.velocity_free).collect();
        let problem = ManifoldProblem::round(&bodies, &[], joints);
        let mut iterate =
            ManifoldIterate { velocity: &mut velocity, contact: &mut [], rolling: &mut [], joint };
        solve(&problem, &mut iterate, 1e-6, &mut memory, &mut scratch).expect("solved")
    };
    let mut joint = vec![0.0; joints.len()];
    let first = again(&joints, &mut joint);
    assert_eq!(first.factorizations, 1);
    let before = joint.clone();
    let second = again(&joints, &mut joint);
    assert_eq!((second.iterations, second.factorizations), (0, 0));
    assert_eq!(joint, before, "nothing was to do");
    joints[7].bias += 0.5;
    let third = again(&joints, &mut joint);
    assert_eq!((third.iterations, third.factorizations), (1, 0));
}

/// Rows that say the same twice, rows between what cannot move, impulses that are no numbers.
#[test]
fn repeated_rows_and_immovable_ones() {
    let mut rng = Random::new(9);
    let (bodies, mut joints) = mechanism(&mut rng, 5, 0, 1.0);
    let twice = joints[3].clone();
    joints.push(twice);
    joints.push(JointRow::equality(SmallVec::new(), 0.0));
    let (mut memory, mut scratch) = (JointsMemory::default(), JointsScratch::default());
    let (_, joint) = velocity_of(&bodies, &joints, |problem, iterate| {
        iterate.joint[2] = Double::NAN;
        let stats = solve(problem, iterate, 1e-8, &mut memory, &mut scratch);
        assert!(stats.expect("it is solved").certificate.error() <= 1e-8);
    });
    assert!(joint.iter().all(|c| c.is_finite()));
}

#[test]
fn hubs_and_bounds_are_left_to_others() {
    let mut rng = Random::new(2);
    let (bodies, mut joints) = mechanism(&mut rng, 3, 0, 1.0);
    let row = joints[0].clone();
    let (mut memory, mut scratch) = (JointsMemory::default(), JointsScratch::default());
    // Fourteen joints of the first body and one of the others in turn.
    for k in 0..14 {
        let mut terms = row.terms.clone();
        terms.truncate(1);
        terms[0].0 = 0;
        terms.push((1 + k % 2, [0.1 * Double::from(k), 1.0, 0.0, 0.0, 1.0, 0.0]));
        joints.push(JointRow { terms, ..row.clone() });
    }
    velocity_of(&bodies, &joints, |problem, iterate| {
        let stats = solve(problem, iterate, 1e-8, &mut memory, &mut scratch);
        assert!(stats.is_none(), "a hub");
    });
    joints[0].bounds = [0.0, Double::INFINITY];
    assert!(!suits(&ManifoldProblem::round(&bodies, &[], &joints)));
}
