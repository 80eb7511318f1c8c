//! Rows of manifolds and their lanes are the same contacts.

use super::*;
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::manifold::{LANES, Manifold, cross};
use crate::engine::lcp::outcome::Status;
use crate::engine::lcp::problem::{Cone, ContactRow, Iterate, Problem};
use crate::engine::lcp::rows::{
    add_contact_impulse, contact_compliance, contact_velocity, dot3, inverse_mass_mul,
};
use crate::engine::lcp::tests::random::Random;
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::par::{Pool, Serial, Threads};

const WORLDS: usize = 300;

fn worlds(seed: u64) -> impl Iterator<Item = (World, Random)> {
    let mut random = Random::new(seed);
    (0..WORLDS).map(move |_| {
        let mut world = World::random(&mut random);
        world.kick(&mut random);
        (world, Random::new(random.bits()))
    })
}

#[test]
fn rows_and_lanes_have_the_same_velocity() {
    let (mut fixed, mut locked) = ([0, 0], 0);
    for (world, _) in worlds(1) {
        let n = world.bodies.len();
        locked += world.bodies.iter().filter(|b| b.free() != [true; 6]).count();
        let mut velocity = world.velocity.clone();
        velocity.push([0.0; 6]);
        for m in &world.manifolds {
            fixed[0] += usize::from(m.a as usize == n);
            fixed[1] += usize::from(m.b as usize == n);
            let u = kernel::lane_velocity(m, &velocity, true);
            for lane in 0..m.count as usize {
                let w = contact_velocity(&m.row(lane, &world.bodies), &world.velocity);
                let u = [u[0][lane], u[1][lane], u[2][lane]];
                for (i, d) in m.frame().iter().enumerate() {
                    let bias = if i == 0 { m.bias[lane] } else { 0.0 };
                    let expected = dot3(d, &u) + bias;
                    assert!((w[i] - expected).abs() < 1e-13, "row {i}: {} and {expected}", w[i]);
                }
            }
        }
    }
    assert!(fixed[0] > 50 && fixed[1] > 50 && locked > 50, "all kinds are met: {fixed:?} {locked}");
}

#[test]
fn rows_and_lanes_push_alike() {
    for (world, _) in worlds(2) {
        let n = world.bodies.len();
        let impulses = world.row_impulses();
        let mut by_rows = vec![[0.0; 6]; n];
        let mut by_lanes = vec![[0.0; 6]; n + 1];
        for (row, l) in world.rows().iter().zip(&impulses) {
            add_contact_impulse(row, l, &mut by_rows);
        }
        for m in &world.manifolds {
            let mut lanes = [[0.0; LANES]; 3];
            for lane in 0..m.count as usize {
                for k in 0..3 {
                    lanes[k][lane] = world.contact[m.first as usize + lane][k];
                }
            }
            kernel::scatter(m, &lanes, 1.0, &mut by_lanes);
        }
        for (i, body) in world.bodies.iter().enumerate() {
            // Lanes do not know locked directions; what they add there moves nothing.
            let (x, y) =
                (inverse_mass_mul(body, &by_rows[i]), inverse_mass_mul(body, &by_lanes[i]));
            for k in 0..6 {
                assert!((x[k] - y[k]).abs() < 1e-13 * (1.0 + x[k].abs()), "{x:?} and {y:?}");
            }
        }
    }
}

#[test]
fn rows_and_lanes_have_the_same_compliance() {
    for (world, _) in worlds(3) {
        for m in &world.manifolds {
            for lane in 0..LANES {
                if lane >= m.count as usize {
                    assert_eq!(m.compliance[lane], 0.0, "an unused lane");
                    continue;
                }
                let row = m.row(lane, &world.bodies);
                let (x, y) = (m.compliance[lane], contact_compliance(&world.bodies, &row, 0, 0));
                assert!((x - y).abs() < 1e-13 * (1.0 + y), "{x} and {y}");
            }
        }
    }
}

#[test]
fn measures_of_rows_and_lanes_agree() {
    let mut scratch = NewtonScratch::default();
    let mut kinds = [0; 2];
    for (case, (mut world, mut random)) in worlds(4).chain(worlds(6)).enumerate() {
        if case >= WORLDS {
            world.add_cones(&mut random);
        }
        // A contact that can move nothing is measured as an error by both, in units of their own.
        if world.manifolds.iter().any(|m| m.compliance[..m.count as usize].contains(&0.0)) {
            continue;
        }
        kinds[usize::from(case >= WORLDS)] += 1;
        let (velocity, expected) = world.judge();
        let found = world.measured(&mut scratch);
        for (x, y, of) in [
            (found.natural_map, expected.natural_map, "natural map"),
            (found.gap, expected.gap, "gap"),
            (found.joint, expected.joint, "joint"),
        ] {
            assert!((x - y).abs() < 1e-12 * (1.0 + y), "{of}: {x} and {y}");
        }
        let mut rebuilt = vec![[0.0; 6]; velocity.len()];
        let (mut contact, mut joint) = (world.contact.clone(), world.joint.clone());
        scratch.give(
            &world.problem(),
            &mut ManifoldIterate {
                velocity: &mut rebuilt,
                contact: &mut contact,
                rolling: &mut world.roll.clone(),
                joint: &mut joint,
            },
        );
        for (v, w) in rebuilt.iter().zip(&velocity) {
            for k in 0..6 {
                assert!((v[k] - w[k]).abs() < 1e-12 * (1.0 + w[k].abs()), "{v:?} and {w:?}");
            }
        }
    }
    assert!(kinds[0] > 100 && kinds[1] > 50, "both are met: {kinds:?}");
}

/// Of islands that are large enough for parts, too: each contact many times.
#[test]
fn certificates_of_velocities_agree_on_any_threads() {
    let mut scratch = NewtonScratch::default();
    let (mut cases, mut large) = (0, 0);
    for (case, (mut world, mut random)) in worlds(7).enumerate() {
        let once = (world.manifolds.clone(), world.contact.clone());
        for _ in 0..[0, 120][case % 2] {
            let first = world.contact.len() as u32;
            let more = once.0.iter().map(|m| Manifold { first: first + m.first, ..*m });
            world.manifolds.extend(more);
            world.contact.extend_from_slice(&once.1);
        }
        if case % 3 == 0 {
            world.add_cones(&mut random);
        }
        if world.manifolds.iter().any(|m| m.compliance[..m.count as usize].contains(&0.0)) {
            continue;
        }
        let expected = world.certify();
        let mut told: Option<Certificate> = None;
        for pool in [&Serial as &dyn Pool, &Threads(3)] {
            let mut world = world.clone();
            let (problem, mut iterate) = world.parts();
            let found = certify(&problem, &mut iterate, pool, &mut scratch);
            assert_eq!(*told.get_or_insert(found), found, "the same on any threads");
            for (x, y, of) in [
                (found.natural_map, expected.natural_map, "natural map"),
                (found.gap, expected.gap, "gap"),
                (found.joint, expected.joint, "joint"),
                (found.motion, expected.motion, "motion"),
            ] {
                assert!((x - y).abs() < 1e-11 * (1.0 + y), "{of}: {x} and {y}");
            }
        }
        cases += 1;
        large += usize::from(world.manifolds.len() > 2 * PAIRS_MIN);
    }
    assert!(cases > 100 && large > 50, "{cases} are met, {large} large ones");
}

#[test]
fn approach_is_the_fastest_of_the_rows() {
    let mut scratch = NewtonScratch::default();
    for (world, mut random) in worlds(5) {
        let mut world = world;
        for m in &mut world.manifolds {
            for lane in 0..m.count as usize {
                m.push[lane] = random.signed(0.2);
            }
        }
        let mut expected: Double = 0.0;
        for m in &world.manifolds {
            for lane in 0..m.count as usize {
                let w = contact_velocity(&m.row(lane, &world.bodies), &world.velocity);
                // The push is no motion: what is pushed apart strikes nothing.
                expected = expected.max(m.push[lane] - w[0]);
            }
        }
        let found = approach(&world.problem(), &world.velocity, &Serial, &mut scratch);
        assert!((found - expected).abs() < 1e-13, "{found} and {expected}");
    }
}

#[test]
fn lanes_project_on_the_cone_of_the_rows() {
    let cone = FrictionCone::default();
    let mut random = Random::new(6);
    for case in 0..20_000 {
        // Along the axes, so that tangential parts of exactly zero are met.
        let n = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]][case % 3];
        let t = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]][case % 3];
        let frame = [n, t, cross(n, t)];
        let mu = [0.0, 0.3, 1.0, 2.0][random.below(4)];
        let rows: [[Double; 3]; LANES] = [0; LANES].map(|_| {
            let p = random.vector3(1.0);
            [0, 1, 2].map(|k| if random.below(3) == 0 { 0.0 } else { p[k] })
        });
        let world = rows.map(|p| {
            [0, 1, 2].map(|k| frame[0][k] * p[0] + frame[1][k] * p[1] + frame[2][k] * p[2])
        });
        let lanes = [0, 1, 2].map(|k| [0, 1, 2, 3].map(|l: usize| world[l][k]));
        let (image, zones) = round::project(&n, mu, &lanes);
        for l in 0..LANES {
            let expected = cone.project(mu, rows[l]);
            let image = [image[0][l], image[1][l], image[2][l]];
            for (i, d) in frame.iter().enumerate() {
                let error = (dot3(d, &image) - expected.point[i]).abs();
                assert!(error < 1e-15, "μ = {mu}, {:?}: {image:?}, {expected:?}", rows[l]);
            }
            if zones[l] == round::APEX {
                assert_eq!(image, [0.0; 3], "the tip");
            }
            assert!(mu > 0.0 || zones[l] != round::INSIDE, "a ray has no inside: {:?}", rows[l]);
        }
    }
}

/// The relaxation has one velocity, whatever the length of the rows, biases and `Γ` in their units.
#[test]
fn rows_of_any_length_have_the_relaxation_of_unit_rows() {
    let params = NewtonParams { tolerance: 1e-10, ..NewtonParams::default() };
    let mut scratch = NewtonScratch::default();
    let (mut solved, mut slipping) = (0, 0);
    for (world, mut random) in worlds(7) {
        let mut velocity = |rows: &[ContactRow], slip_bounds: &[Double]| {
            let problem = Problem {
                bodies: &world.bodies,
                joints: &[],
                contacts: rows,
                rolling: &[],
                cone: Cone::Circular,
            };
            let (mut velocity, mut impulse) = (world.velocity.clone(), vec![[0.0; 3]; rows.len()]);
            let mut iterate = Iterate {
                velocity: &mut velocity,
                joint_impulse: &mut [],
                contact_impulse: &mut impulse,
                rolling_impulse: &mut [],
            };
            let stats =
                solve_rows(&problem, Some(slip_bounds), &mut iterate, &params, &mut scratch);
            (stats.status == Status::Converged).then_some(velocity)
        };
        let mut rows = world.rows();
        let mut slip_bounds: Vec<_> = rows.iter().map(|_| 0.5 * random.unit()).collect();
        let expected = velocity(&rows, &slip_bounds);
        for (row, slip_bound) in rows.iter_mut().zip(&mut slip_bounds) {
            let length = 0.25 + 2.0 * random.unit();
            let stretch = |side: &mut [Vec6; 3]| {
                side.as_flattened_mut().iter_mut().for_each(|x| *x *= length);
            };
            stretch(&mut row.jacobian_a);
            stretch(&mut row.jacobian_b);
            row.bias = row.bias.map(|x| length * x);
            *slip_bound *= length;
        }
        let (Some(expected), Some(found)) = (expected, velocity(&rows, &slip_bounds)) else {
            continue;
        };
        solved += 1;
        slipping += usize::from(slip_bounds.iter().any(|bound| *bound > 0.1));
        for (v, w) in found.as_flattened().iter().zip(expected.as_flattened()) {
            assert!((v - w).abs() < 1e-8, "{v} and {w}");
        }
    }
    assert!(solved > 100 && slipping > 100, "{solved} were solved, {slipping} with slip");
}
