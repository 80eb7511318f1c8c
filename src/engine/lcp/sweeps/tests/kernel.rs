//! The kernel against a slow reference, and lanes against each other.

use super::*;
use crate::engine::lcp::certificate;
use crate::engine::lcp::problem::{Cone, Impulses, Problem};
use crate::engine::lcp::rows::{
    add_scaled, contact_compliance, contact_velocity, inverse_mass_mul,
};
use crate::engine::lcp::sweeps::color::Coloring;
use crate::engine::lcp::sweeps::lists::Lists;
use crate::engine::lcp::sweeps::solve_sweeps;

/// Everything a solver writes.
fn answer(world: &World) -> Vec<u64> {
    let velocities = [&world.moved, &world.carried].into_iter().flatten().flatten();
    let impulses = world.impulse.iter().flatten().flatten();
    let joints = world.joint_impulse.iter().flatten();
    velocities.chain(impulses).chain(joints).map(|x| x.to_bits()).collect()
}

fn substeps<const L: usize>(mut world: World, params: &SubstepParams) -> Vec<u64> {
    let (manifolds, joints) = world.problem(0.5);
    world.solve(&manifolds, &joints, |island, iterate| {
        Lists::<L>::default().substeps(island, iterate, params);
    });
    answer(&world)
}

fn sweeps<const L: usize>(mut world: World, count: u32) -> Vec<u64> {
    let (manifolds, joints) = world.problem(0.5);
    world.solve(&manifolds, &joints, |island, iterate| {
        Lists::<L>::default().sweeps(island, iterate, 0, Start::Impulses, count);
    });
    answer(&world)
}

#[test]
fn lanes_give_the_same_bits() {
    for seed in 0..20 {
        let world = kicked(seed);
        let one = substeps::<1>(world.clone(), &params(5));
        assert!(one.iter().all(|&x| f64::from_bits(x).is_finite()), "finite");
        assert!(one == substeps::<8>(world.clone(), &params(5)), "substeps of 8 lanes, {seed}");
        assert!(one == substeps::<16>(world.clone(), &params(5)), "substeps of 16 lanes, {seed}");
        let one = sweeps::<1>(world.clone(), 5);
        assert!(one == sweeps::<8>(world, 5), "sweeps of 8 lanes, {seed}");
    }
}

#[test]
fn used_buffers_change_nothing() {
    let mut scratch = SweepScratch::default();
    for seed in 0..5 {
        let mut world = kicked(seed);
        let mut fresh = world.clone();
        world.step(&params(4), &mut scratch);
        fresh.step(&params(4), &mut SweepScratch::default());
        assert!(answer(&world) == answer(&fresh), "seed {seed}");
    }
}

/// One sweep over contacts by rows in double precision.
fn reference(
    bodies: &[BodyBlock],
    manifolds: &[Manifold],
    order: &[u32],
    velocity: &mut [Vec6],
    impulse: &mut [[Double; 3]],
) {
    for &m in order {
        let manifold = &manifolds[m as usize];
        for lane in 0..manifold.count as usize {
            let row = manifold.row(lane, bodies);
            let w = |i, j| contact_compliance(bodies, &row, i, j);
            let (p, q, r) = (w(1, 1), w(2, 2), w(1, 2));
            let largest = 0.5 * (p + q) + (0.25 * (p - q) * (p - q) + r * r).sqrt();
            let u = contact_velocity(&row, velocity);
            let i = manifold.first as usize + lane;
            let frame = manifold.frame();
            let old = frame.map(|d| (0..3).map(|k| d[k] * impulse[i][k]).sum::<Double>());
            let normal = (old[0] - u[0] / w(0, 0)).max(0.0);
            let change = normal - old[0];
            let mut t = [1, 2].map(|k| old[k] - (u[k] + w(k, 0) * change) / largest);
            let size = (t[0] * t[0] + t[1] * t[1]).sqrt();
            let limit = row.friction * normal;
            if size > limit {
                t = t.map(|t| t * limit / size);
            }
            let new = [normal, t[0], t[1]];
            for (body, jacobian) in [(row.a, &row.jacobian_a), (row.b, &row.jacobian_b)] {
                let Some(block) = bodies.get(body as usize) else { continue };
                for k in 0..3 {
                    let dv = inverse_mass_mul(block, &jacobian[k]);
                    add_scaled(&mut velocity[body as usize], &dv, new[k] - old[k]);
                }
            }
            for axis in 0..3 {
                impulse[i][axis] = (0..3).map(|k| frame[k][axis] * new[k]).sum();
            }
        }
    }
}

/// Turns every manifold and body by some angle about a slanted axis, so that no zeros hide mistakes.
fn turned(mut world: World, random: &mut Random) -> World {
    for block in &mut world.bodies {
        // A tensor that is positive definite whatever the random numbers.
        let s = [random.signed(0.3), random.signed(0.3), random.signed(0.3)];
        block.inverse_inertia = [4.0, 5.0, 6.0, s[0], s[1], s[2]];
        let heavy = 0.5 + random.unit();
        block.inverse_mass = [heavy; 3];
    }
    for manifold in &mut world.manifolds {
        let v = random.vector3(1.0);
        let size = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        let n = v.map(|x| x / size);
        let least = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let t = crate::engine::lcp::manifold::cross(n, least);
        let size = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
        (manifold.normal, manifold.tangent) = (n, t.map(|x| x / size));
        (manifold.arm_a, manifold.arm_b) = (random.vector3(1.0), random.vector3(1.0));
    }
    world.close()
}

#[test]
fn sweeps_match_the_reference() {
    let mut random = Random::new(11);
    for seed in 0..20 {
        let mut world = turned(kicked(seed), &mut random);
        (world.joints, world.joint_push) = (Vec::new(), Vec::new());
        world.joint_impulse = Default::default();
        for impulses in &mut world.impulse {
            impulses.fill([0.0; 3]);
        }
        let (manifolds, joints) = world.problem(0.5);
        let mut coloring = Coloring::default();
        let items = manifolds.iter().map(|m| [m.a, m.b, m.count]);
        coloring.update(world.bodies.len(), items);
        let mut velocity: Vec<Vec6> = world.bodies.iter().map(|b| b.velocity_free).collect();
        let mut impulse = world.impulse[0].clone();
        for _ in 0..3 {
            reference(
                &world.bodies,
                &manifolds,
                &coloring.order.items,
                &mut velocity,
                &mut impulse,
            );
        }
        world.solve(&manifolds, &joints, |island, iterate| {
            solve_sweeps(island, iterate, 0, Start::Impulses, 3, &mut SweepScratch::default());
        });
        for (found, wanted) in world.moved.iter().zip(&velocity) {
            for k in 0..6 {
                assert!((found[k] - wanted[k]).abs() < 3e-5, "seed {seed}: {found:?} {wanted:?}");
            }
        }
        for (found, wanted) in world.impulse[0].iter().zip(&impulse) {
            for k in 0..3 {
                assert!((found[k] - wanted[k]).abs() < 3e-5, "seed {seed}: {found:?} {wanted:?}");
            }
        }
    }
}

#[test]
fn sweeps_go_on_from_velocities_as_from_impulses() {
    for seed in 0..10 {
        let mut world = kicked(seed);
        let (manifolds, joints) = world.problem(0.5);
        let swept = |starts: &[(Start, u32)]| {
            let mut world = world.clone();
            world.solve(&manifolds, &joints, |island, iterate| {
                for &(start, sweeps) in starts {
                    solve_sweeps(island, iterate, 0, start, sweeps, &mut SweepScratch::default());
                }
            });
            world.moved
        };
        let parted = swept(&[(Start::Impulses, 2), (Start::Velocities, 3)]);
        let whole = swept(&[(Start::Impulses, 5)]);
        let far = swept(&[(Start::Impulses, 2)]);
        let apart = |a: &[Vec6], b: &[Vec6]| {
            let pairs = a.as_flattened().iter().zip(b.as_flattened());
            pairs.map(|(x, y)| (x - y).abs()).fold(0.0, Double::max)
        };
        assert!(apart(&parted, &whole) < 3e-5, "seed {seed}: {}", apart(&parted, &whole));
        assert!(apart(&far, &whole) > 1e-3, "seed {seed}: the last sweeps change something");
    }
}

#[test]
fn many_sweeps_solve_the_problem() {
    for seed in 0..5 {
        let mut world = kicked(seed);
        let (manifolds, joints) = world.problem(0.2);
        // Each call starts from the velocity of the impulses: rounding does not pile up.
        for _ in 0..60 {
            world.solve(&manifolds, &joints, |island, iterate| {
                solve_sweeps(
                    island,
                    iterate,
                    0,
                    Start::Impulses,
                    200,
                    &mut SweepScratch::default(),
                );
            });
        }
        let mut contacts = Vec::new();
        let mut impulse = vec![[0.0; 3]; world.impulse[0].len()];
        let mut source = Vec::new();
        for manifold in &manifolds {
            for lane in 0..manifold.count as usize {
                contacts.push(manifold.row(lane, &world.bodies));
                let i = manifold.first as usize + lane;
                let l = world.impulse[0][i];
                let along = manifold.frame().map(|d| (0..3).map(|k| d[k] * l[k]).sum::<Double>());
                impulse[source.len()] = along;
                source.push(i);
            }
        }
        impulse.truncate(source.len());
        let problem = Problem {
            bodies: &world.bodies,
            joints: &joints,
            contacts: &contacts,
            rolling: &[],
            cone: Cone::Circular,
        };
        let impulses = Impulses { joint: &world.joint_impulse[0], contact: &impulse, rolling: &[] };
        let mut velocity = world.moved.clone();
        certificate::rebuild_velocity(&problem, impulses, &mut velocity);
        let certificate = certificate::measure(&problem, &velocity, impulses);
        assert!(certificate.error() < 1e-4, "seed {seed}: {certificate:?}");
    }
}

#[test]
fn one_substep_is_one_sweep() {
    for seed in 0..5 {
        let world = kicked(seed);
        let mut one = world.clone();
        let (manifolds, joints) = one.problem(1.0);
        let params = SubstepParams {
            gamma: 1.0,
            // A push that is carried on is a part of the sweep.
            relax: false,
            softness: 0.0,
            joint_softness: 0.0,
            push_speed_max: Double::INFINITY,
            ..params(1)
        };
        let mut other = one.clone();
        other.impulse[0] = other.impulse[1].clone();
        one.solve(&manifolds, &joints, |island, iterate| {
            solve_substeps(island, iterate, &params, &mut SweepScratch::default());
        });
        other.solve(&manifolds, &joints, |island, iterate| {
            solve_sweeps(island, iterate, 0, Start::Impulses, 1, &mut SweepScratch::default());
        });
        for (a, b) in one.moved.iter().flatten().zip(other.moved.iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "seed {seed}: {a} {b}");
        }
        for (a, b) in one.impulse[0].iter().flatten().zip(other.impulse[0].iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "seed {seed}: {a} {b}");
        }
    }
}
