//! The assembled matrix against products of rows.

use super::*;
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::factor::NodeLanes;
use crate::engine::lcp::factor::tests::multiply;
use crate::engine::lcp::rolling::join;
use crate::engine::lcp::rows::{
    add_contact_impulse, add_joint_impulse, contact_compliance, contact_rate, contact_velocity,
    dot6, joint_rate, mass_mul,
};
use crate::engine::lcp::tests::random::Random;
use crate::engine::tuning::newton::PROXIMAL;
use crate::math::Scalar;

/// `M x + Σ Jᵀ D J x - ν c` and `-νᵀ x - δ c`, by rows, with `D = ρ_c dP_K(l - ρ_c (w + Γ n))`.
fn product(
    world: &World,
    penalty: Double,
    x: &[Vec6],
    c: &[Double],
    nodes: &[JointNode],
) -> (Vec<Vec6>, Vec<Double>) {
    let cone = FrictionCone::new(world.cone);
    let mut y = vec![[0.0; 6]; x.len()];
    let mut rolling = world.rolling.iter().zip(&world.roll).peekable();
    for (c, (row, l)) in world.rows().iter().zip(&world.row_impulses()).enumerate() {
        let rolling = rolling.next_if(|(rolling, _)| rolling.contact as usize == c);
        let compliance = contact_compliance(&world.bodies, row, 0, 0);
        if compliance == 0.0 {
            continue;
        }
        let weight = penalty / compliance;
        let all = |w: [Double; 3], of: &[Vec6]| {
            join(w, rolling.map_or([0.0; 3], |(rolling, _)| rolling.rate(row, of)))
        };
        let mut w = all(contact_velocity(row, &world.velocity), &world.velocity);
        let (mut limits, mut l) = ([row.friction, 0.0, 0.0], join(*l, [0.0; 3]));
        if let Some((rolling, roll)) = rolling {
            (0..3).for_each(|k| w[3 + k] += rolling.bias[k]);
            (limits, l) = (rolling.limits(row), join([l[0], l[1], l[2]], *roll));
        }
        w[0] += cone.slip_rolling(limits, &w);
        let p = [0, 1, 2, 3, 4, 5].map(|i| l[i] - weight * w[i]);
        let d = cone.derivative_rolling(limits, &p, &cone.project_rolling(limits, p));
        let u = all(contact_rate(row, x), x);
        let f = d.map(|d| weight * dot6(&d, &u));
        add_contact_impulse(row, &[f[0], f[1], f[2]], &mut y);
        if let Some((rolling, _)) = rolling {
            rolling.add_impulse(row, &[f[3], f[4], f[5]], &mut y);
        }
    }
    for (i, body) in world.bodies.iter().enumerate() {
        let free = body.free();
        // Locked directions have their own mass, of one, and nothing else.
        let movable = [0, 1, 2, 3, 4, 5].map(|k| if free[k] { x[i][k] } else { 0.0 });
        let inertia = mass_mul(body, &movable);
        for k in 0..6 {
            y[i][k] = if free[k] { y[i][k] + inertia[k] } else { x[i][k] };
        }
    }
    let mut rates = Vec::new();
    for (j, row) in world.joints.iter().enumerate() {
        add_joint_impulse(row, -c[j], &mut y);
        let node = nodes.iter().find(|node| node.rows.contains(&j)).expect("every row has a node");
        let compliance = node.compliance[j - node.rows.start];
        let delta = if compliance > 0.0 { PROXIMAL * compliance } else { 1.0 };
        rates.push(-joint_rate(row, x) - delta * c[j]);
    }
    (y, rates)
}

/// Compares the matrix with rows; the largest difference, relative to what is compared.
fn compare<T: Scalar>(world: &World, random: &mut Random, memory: &mut NewtonMemory) -> Double {
    let penalty = [1.0, 30.0, 1e3][random.below(3)];
    let mut scratch = NewtonScratch::default();
    world.begin(&mut scratch);
    scratch.prepare(&world.problem(), memory);
    let mut velocity = world.velocity.clone();
    velocity.push([0.0; 6]);
    scratch.sweep.evaluate::<true>(&world.problem(), &velocity, &world.joint, penalty);
    let mut factor = Factor::<T>::default();
    let (nodes, pattern) = (&scratch.nodes, &memory.pattern);
    matrix::assemble(&world.problem(), &scratch.sweep, nodes, pattern, &scratch.edges, &mut factor);
    let n = world.bodies.len();
    let x: Vec<Vec6> = (0..n).map(|_| [0; 6].map(|_| random.signed(1.0))).collect();
    let c: Vec<Double> = world.joints.iter().map(|_| random.signed(1.0)).collect();
    let mut input: Vec<NodeLanes<T>> = vec![[T::ZERO; 8]; n + nodes.len()];
    for (lanes, x) in input.iter_mut().zip(&x) {
        for k in 0..6 {
            lanes[k] = T::from_double(x[k]);
        }
    }
    for (k, node) in nodes.iter().enumerate() {
        for row in node.rows.clone() {
            input[n + k][row - node.rows.start] = T::from_double(c[row]);
        }
    }
    let mut output = input.clone();
    multiply(&factor, pattern, &input, &mut output);
    let (y, rates) = product(world, penalty, &x, &c, nodes);
    let size = y.iter().flatten().chain(&rates).fold(1.0, |a: Double, b| a.max(b.abs()));
    let mut worst: Double = 0.0;
    for (found, expected) in output.iter().zip(&y) {
        for k in 0..6 {
            worst = worst.max((found[k].to_double() - expected[k]).abs() / size);
        }
    }
    for (k, node) in nodes.iter().enumerate() {
        for row in node.rows.clone() {
            let found = output[n + k][row - node.rows.start].to_double();
            worst = worst.max((found - rates[row]).abs() / size);
        }
        for unused in node.rows.len()..6 {
            assert_eq!(output[n + k][unused].to_double(), 0.0, "a row that the joint has not");
        }
    }
    worst
}

#[test]
fn matrix_is_that_of_the_rows() {
    let mut random = Random::new(6);
    let mut memory = NewtonMemory::default();
    let (mut locked, mut joined, mut slipping) = (0, 0, 0);
    for case in 0..1000 {
        let mut world = World::random(&mut random);
        world.kick(&mut random);
        if case >= 500 {
            world.add_cones(&mut random);
        }
        locked += usize::from(world.bodies.iter().any(|b| b.free() != [true; 6]));
        joined += usize::from(!world.joints.is_empty());
        slipping += usize::from(world.manifolds.iter().any(|m| m.friction > 0.0));
        let double = compare::<Double>(&world, &mut random, &mut memory);
        assert!(double < 1e-13, "in double precision: {double}");
        let single = compare::<Single>(&world, &mut random, &mut memory);
        assert!(single < 2e-6, "in single precision: {single}");
    }
    assert!(locked > 100 && joined > 100 && slipping > 100, "{locked} {joined} {slipping}");
}

/// The gradient is that of the Lagrangian whose matrix is assembled: differences of gradients are products.
#[test]
fn matrix_is_the_derivative_of_the_gradient() {
    let mut random = Random::new(7);
    let mut memory = NewtonMemory::default();
    let mut compared = 0;
    for case in 0..600 {
        let mut world = World::random(&mut random);
        world.kick(&mut random);
        if case >= 300 {
            world.add_cones(&mut random);
        }
        (world.joints, world.joint) = (Vec::new(), Vec::new());
        let mut scratch = NewtonScratch::default();
        world.begin(&mut scratch);
        scratch.prepare(&world.problem(), &mut memory);
        let mut v = world.velocity.clone();
        v.push([0.0; 6]);
        scratch.sweep.evaluate::<true>(&world.problem(), &v, &[], 10.0);
        let zones = |sweep: &Sweep| {
            let rolling: Vec<_> = sweep.cones.image.iter().map(|image| image.zone).collect();
            (sweep.zones.clone(), rolling)
        };
        let zones_at = zones(&scratch.sweep);
        let mut factor = Factor::<Double>::default();
        let (pattern, edges) = (&memory.pattern, &scratch.edges);
        matrix::assemble(&world.problem(), &scratch.sweep, &[], pattern, edges, &mut factor);
        let n = world.bodies.len();
        let mut x = vec![[0.0; 8]; n];
        for (x, body) in x.iter_mut().zip(&world.bodies) {
            for k in (0..6).filter(|&k| body.free()[k]) {
                x[k] = random.signed(1.0);
            }
        }
        let mut y = x.clone();
        multiply(&factor, pattern, &x, &mut y);
        let h = 1e-6;
        let mut gradients = Vec::new();
        let mut crossed = false;
        for sign in [1.0, -1.0] {
            let mut moved = v.clone();
            for (moved, x) in moved.iter_mut().zip(&x) {
                for k in 0..6 {
                    moved[k] += sign * h * x[k];
                }
            }
            // The slip bound stays that of `v`.
            scratch.sweep.evaluate::<false>(&world.problem(), &moved, &[], 10.0);
            crossed |= zones(&scratch.sweep) != zones_at;
            gradients.push(scratch.sweep.gradient.clone());
        }
        if crossed {
            continue;
        }
        compared += 1;
        let size = y.iter().flatten().fold(1.0, |a: Double, b| a.max(b.abs()));
        for (i, body) in world.bodies.iter().enumerate() {
            for k in (0..6).filter(|&k| body.free()[k]) {
                let expected = (gradients[0][i][k] - gradients[1][i][k]) / (2.0 * h);
                let error = (y[i][k] - expected).abs();
                assert!(error < 1e-7 * size, "{} and {expected} of {size}", y[i][k]);
            }
        }
    }
    assert!(compared > 500, "few points lie at borders: {compared}");
}
