//! Joint rows with bounds and softness: sweeps against an oracle, small steps against laws.

use super::*;
use crate::engine::lcp::problem::{Cone, JointRow};
use crate::engine::lcp::tests::mixed::{gauss_seidel, mixed, violation};
use crate::par::Serial;

/// Velocity and joint impulses of the joint rows of a scene after some sweeps.
fn sweep_joints(
    bodies: &[BodyBlock],
    joints: &[JointRow],
    start: &[Double],
    sweeps: u32,
) -> (Vec<Vec6>, Vec<Double>) {
    let n = bodies.len();
    let (mut velocity, mut other) = (vec![[0.0; 6]; n], vec![[0.0; 6]; n]);
    let (mut impulse, mut other_impulse) = (start.to_vec(), start.to_vec());
    let push = vec![0.0; joints.len()];
    let velocity_last = vec![[0.0; 6]; n];
    let island = SweptIsland {
        bodies,
        manifolds: &[],
        joints,
        joint_push: &push,
        velocity_last: &velocity_last,
        leaves: &[],
        pool: &Serial,
    };
    let mut iterate = SweepIterate {
        velocity: [&mut velocity, &mut other],
        contact_impulse: [&mut [], &mut []],
        joint_impulse: [&mut impulse, &mut other_impulse],
    };
    solve_sweeps(&island, &mut iterate, 0, Start::Impulses, sweeps, &mut SweepScratch::default());
    (velocity, impulse)
}

#[test]
fn many_sweeps_over_all_kinds_of_rows_solve_them() {
    let mut random = Random::new(61);
    let (mut few, mut compared) = (0, 0);
    for case in 0..200 {
        let mut scene = mixed(&mut random, Cone::Circular, 0.0, [1.0, 3.0, 10.0][case % 3]);
        scene.contacts.clear();
        let Some(expected) = gauss_seidel(&scene) else { continue };
        compared += 1;
        let near = |velocity: &[Vec6]| {
            let pairs = velocity.iter().flatten().zip(expected.iter().flatten());
            pairs.fold(0.0, |m: Double, (v, w)| m.max((v - w).abs()))
        };
        let start: Vec<Double> = scene.joints.iter().map(|_| random.signed(3.0)).collect();
        let (velocity, impulse) = sweep_joints(&scene.bodies, &scene.joints, &start, 2000);
        let error = near(&velocity);
        assert!(error < 2e-4, "case {case}: {error}");
        let law = violation(&scene, &velocity, &impulse);
        assert!(law < 2e-4, "case {case}: {law}");
        let (velocity, _) = sweep_joints(&scene.bodies, &scene.joints, &start, 16);
        few += usize::from(near(&velocity) < 1e-2);
    }
    println!("{few} of {compared} are good after 16 sweeps");
    assert!(compared > 180, "the oracle solves most: {compared}");
    assert!(10 * few > 8 * compared, "most need few sweeps: {few} of {compared}");
}

#[test]
fn a_limit_on_a_joint_is_solved_in_one_sweep() {
    // A cube on a ball joint at its corner: rows of translation and the limit of a turn depend on each other.
    let mut world = World::new();
    let b = world.cube(2.0);
    world.ball(FIXED, b, [0.0; 3], [0.5, 0.5, 0.0]);
    let axis = [0.0, 0.0, 1.0];
    add(&mut world, b, [0.0, 0.0, 0.0, axis[0], axis[1], axis[2]], [0.0, Double::INFINITY]);
    let mut world = world.close();
    world.bodies[0].velocity_free = [-0.3, 1.0, 0.2, 0.5, 0.4, -2.0];
    let (velocity, impulse) = sweep_joints(&world.bodies, &world.joints, &[0.0; 4], 1);
    assert!(impulse[3] > 0.0, "the limit holds: {impulse:?}");
    for row in &world.joints {
        let rate: Double = (0..6).map(|k| row.terms[0].1[k] * velocity[0][k]).sum();
        assert!(rate.abs() < 1e-6, "all rows are met: {rate}");
    }
}

/// A row of one body.
fn add(world: &mut World, body: u32, jacobian: Vec6, bounds: [Double; 2]) -> usize {
    let mut row = JointRow::equality(Default::default(), 0.0);
    row.terms.push((body, jacobian));
    row.bounds = bounds;
    world.joints.push(row);
    world.joint_push.push(0.0);
    world.joint_error.push(0.0);
    for impulses in &mut world.joint_impulse {
        impulses.push(0.0);
    }
    world.joints.len() - 1
}

const ALONG_Y: Vec6 = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];

#[test]
fn a_motor_pushes_with_its_force_until_it_is_fast_enough() {
    let mut world = World::new();
    world.gravity = [0.0; 3];
    let b = world.cube(4.0);
    let (force, speed) = (12.0, 1.0);
    let row = add(&mut world, b, ALONG_Y, [-force * DT, force * DT]);
    let mut world = world.close();
    let mut scratch = SweepScratch::default();
    for step in 1..40 {
        let (manifolds, mut joints) = world.problem(1.0);
        joints[row].bias = -speed;
        world.solve(&manifolds, &joints, |island, iterate| {
            solve_substeps(island, iterate, &params(16), &mut scratch);
        });
        world.go();
        let expected = (force / 4.0 * DT * f64::from(step)).min(speed);
        let v = world.velocity[0][1];
        assert!((v - expected).abs() < 1e-4, "step {step}: {v} m/s, not {expected}");
        let total = world.joint_impulse[1][row];
        assert!(total <= force * DT * (1.0 + 1e-6), "step {step}: {total}");
    }
}

#[test]
fn joint_friction_holds_what_it_can() {
    for (force, slides) in [(5.0, true), (15.0, false)] {
        let mut world = World::new();
        let b = world.cube(1.0);
        let row = add(&mut world, b, ALONG_Y, [-force * DT, force * DT]);
        let mut world = world.close();
        let mut scratch = SweepScratch::default();
        for _ in 0..60 {
            let (manifolds, mut joints) = world.problem(1.0);
            joints[row].bias = 0.0;
            world.solve(&manifolds, &joints, |island, iterate| {
                solve_substeps(island, iterate, &params(16), &mut scratch);
            });
            world.go();
        }
        let expected = if slides { -(GRAVITY - force) } else { 0.0 };
        let v = world.velocity[0][1];
        assert!((v - expected).abs() < 1e-3, "{force} N: {v} m/s, not {expected}");
    }
}

#[test]
fn a_limit_stops_what_comes_and_lets_it_go() {
    for (bounds, sign) in [([0.0, Double::INFINITY], 1.0), ([-Double::INFINITY, 0.0], -1.0)] {
        let mut world = World::new();
        world.gravity = [0.0; 3];
        let b = world.cube(1.0);
        let row = add(&mut world, b, ALONG_Y, bounds);
        world.joint_error[row] = sign * 0.25;
        let mut world = world.close();
        world.velocity[0][1] = -3.0 * sign;
        run(&mut world, &params(16), 60);
        let (place, v) = (world.place[0][1] * sign, world.velocity[0][1] * sign);
        assert!((place + 0.25).abs() < 1e-3 && v.abs() < 1e-3, "stopped at {place} m, {v} m/s");
        world.velocity[0][1] = 5.0 * sign;
        run(&mut world, &params(16), 6);
        let v = world.velocity[0][1] * sign;
        assert!((v - 5.0).abs() < 1e-4, "free to leave: {v} m/s");
    }
}

#[test]
fn a_weight_on_a_spring_hangs_where_it_should() {
    for (stiffness, n) in [(100.0, 16), (100.0, 4), (3000.0, 16)] {
        let mut world = World::new();
        let b = world.cube(1.0);
        let row = add(&mut world, b, ALONG_Y, JointRow::UNBOUNDED);
        // An implicit spring: c = -h k (x + h v).
        world.joints[row].softness = 1.0 / (stiffness * DT * DT);
        let mut world = world.close();
        run(&mut world, &params(n), 900);
        let (place, expected) = (world.place[0][1], -GRAVITY / stiffness);
        // The softness of small steps adds to the spring's, 0.3 W/n² of a step's.
        let slack = 0.01 * expected.abs() + GRAVITY * DT * DT / f64::from(n * n);
        assert!((place - expected).abs() < slack, "{stiffness} N/m, {n}: {place}, not {expected}");
    }
}

#[test]
fn a_chain_with_friction_and_limits_comes_to_rest() {
    let mut world = World::chain(10, 5.0);
    for b in 1..10 {
        for k in 0..3 {
            let mut turn = [0.0; 6];
            turn[3 + k] = 1.0;
            let bounds = if k == 0 { [0.0, Double::INFINITY] } else { [-0.05, 0.05] };
            let row = add(&mut world, b, turn, bounds);
            world.joints[row].terms.insert(0, (b - 1, turn.map(|x| -x)));
            world.joint_error[row] = if k == 0 { 0.1 } else { 0.0 };
        }
    }
    let mut world = world.close();
    let mut random = Random::new(62);
    for velocity in &mut world.velocity {
        velocity[0] = random.signed(0.5);
        velocity[2] = random.signed(0.5);
    }
    let mut scratch = SweepScratch::default();
    let mut fastest = Vec::new();
    for _ in 0..240 {
        let (manifolds, mut joints) = world.problem(1.0);
        for row in joints.iter_mut().filter(|row| row.bounds[1] == 0.05) {
            row.bias = 0.0;
        }
        world.solve(&manifolds, &joints, |island, iterate| {
            solve_substeps(island, iterate, &params(16), &mut scratch);
        });
        world.go();
        fastest.push(world.speed());
        for (row, joint) in world.joints.iter().enumerate() {
            let error = world.error(row);
            let hard = !joint.is_bounded();
            assert!(!hard || error.abs() < 2e-3, "row {row}: {error} m");
            let limit = joint.bounds[1] == Double::INFINITY && joint.bounds[0] == 0.0;
            assert!(!limit || error > -2e-2, "limit {row}: {error}");
        }
    }
    let (first, last) = (fastest[0], fastest[239]);
    println!("from {first} to {last}");
    assert!(fastest.iter().all(|v| *v < 8.0) && last < first, "it calms down: {first} to {last}");
}
