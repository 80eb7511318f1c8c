//! The step problem given out and solved elsewhere, and by the aggregate maps (5.17) of the thesis.

use orthant::engine::Simulation;
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::lcp::{Cone, ContactRow, Problem, Status};
use orthant::engine::papers::export::ExportedProblem;
use orthant::engine::papers::pointed::{Pointed, is_pointed};
use orthant::engine::papers::solvers::pivoting::lcp_lemke;
use orthant::engine::settings::{Integration, Settings};
use orthant::math::{Double, EPSILON, Real, Vec3, widen};
use orthant::papers::matrix_form::MixedLcp;
use orthant::papers::relaxation::{AggregateMap, iterate};
use orthant_lab::cases::lcp::LcpCase;
use orthant_lab::experiments::relaxations::{rod, rod_compliance};
use orthant_lab::support::{DT, add, floor, sphere};

use super::lcps::cases;

const MAPS: [AggregateMap; 3] = [AggregateMap::Chi1, AggregateMap::Chi2, AggregateMap::Chi3];
/// Distances below this are what the programs are solved to.
const ROUNDING: Double = 1e-9;

/// Wherever a map comes to an end, that solves the step problem (Lemma 5.1): it has the velocity of an
/// independent implementation.
#[test]
fn fixed_points_are_solutions() {
    let mut ends = [0; 3];
    for case in &cases() {
        for (k, map) in MAPS.into_iter().enumerate() {
            let point = iterate(&case.problem(), map, 400, ROUNDING);
            if point.distances.last().is_none_or(|d| *d > ROUNDING) {
                continue;
            }
            ends[k] += 1;
            // Of χ₃ the point between both programs is a solution only if it is one of χ₂, too.
            if map == AggregateMap::Chi3 && point.certificate.error() > 1e-6 {
                continue;
            }
            let off = case.velocity_error(&point.velocity, &case.velocity);
            assert!(off <= 1e-6, "case {}, {map:?}: off by {off}", case.id);
        }
    }
    assert!(ends.iter().all(|ended| *ended >= 10), "most come to an end: {ends:?}");
}

fn with_friction(case: &LcpCase, factor: Double) -> Vec<ContactRow> {
    let with = |row: &ContactRow| ContactRow { friction: factor * row.friction, ..*row };
    case.contacts.iter().map(with).collect()
}

/// Theorem 5.9: for friction small enough all three maps contract, χ₁ by a half at least, and the less
/// friction there is, the faster they do.
#[test]
fn maps_contract_for_small_friction() {
    for case in &cases() {
        for map in MAPS {
            let rates = [0.02, 0.002].map(|factor| {
                let contacts = with_friction(case, factor);
                let problem = Problem { contacts: &contacts, ..case.problem() };
                let point = iterate(&problem, map, 60, ROUNDING);
                let last = *point.distances.last().expect("it was applied");
                assert!(last <= ROUNDING, "case {}, {map:?}, {factor}: {last} apart", case.id);
                let error = point.certificate.error();
                assert!(error <= 1e-7, "case {}, {map:?}, {factor}: {error} off", case.id);
                point.rate(ROUNDING)
            });
            for rate in rates.into_iter().flatten() {
                assert!(rate <= 0.5, "case {}, {map:?}: {rate}", case.id);
            }
        }
    }
}

/// The rate is that of the closed form. Where a contact slides forward under the cone `(1, -μ)`, the program
/// (5.7) gives `c = (μ w_t - w_n - Γ) / (W_nn - 2 μ W_nt + μ² W_tt)` from the velocities without it, so that
/// χ₂ has the slope `μ (μ W_tt - W_nt)` over the same. For a rod at 60° it grows to one at μ = 1.35; beyond,
/// friction holds the end, and the first Γ is the last.
#[test]
fn a_sliding_rod_contracts_at_the_rate_of_the_closed_form() {
    let rod = rod(60.0);
    let [nn, tt, nt] = rod_compliance(60.0);
    for mu in [0.1, 0.2, 0.8, 1.2] {
        let slope = mu * (mu * tt - nt) / (nn - 2.0 * mu * nt + mu * mu * tt);
        let contacts: Vec<_> =
            rod.contacts.iter().map(|row| ContactRow { friction: mu, ..*row }).collect();
        let problem = Problem { contacts: &contacts, ..rod.problem() };
        let point = iterate(&problem, AggregateMap::Chi2, 4, 0.0);
        // The first application comes from Γ = 0; it slides as long as the free velocity is large.
        let ratio = point.distances[1] / point.distances[0];
        assert!((ratio - slope.abs()).abs() < 1e-6, "μ {mu}: {ratio} for {slope}");
    }
}

/// Solves a mixed problem with what every library has: elimination, and Lemke's algorithm for the rest.
fn solve_elsewhere(form: &MixedLcp) -> Vec<Double> {
    let (n, e) = (form.size, form.equations);
    let mut rows: Vec<Vec<Double>> = form
        .matrix
        .chunks_exact(n)
        .zip(&form.vector)
        .map(|(row, q)| [row, &[*q]].concat())
        .collect();
    // The equations, by Gauss and Jordan with row pivots.
    for k in 0..e {
        let pivot = (k..e).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()));
        rows.swap(k, pivot.expect("equations are left"));
        let pivot = rows[k].clone();
        assert!(pivot[k].abs() > 1e-12, "equations are independent");
        for (i, row) in rows.iter_mut().enumerate() {
            if i != k && row[k] != 0.0 {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    let matrix: Vec<_> = rows[e..].iter().flat_map(|row| row[e..n].to_vec()).collect();
    let q: Vec<_> = rows[e..].iter().map(|row| row[n]).collect();
    let rest = lcp_lemke(&matrix, &q, 5000);
    assert_eq!(rest.status, Status::Converged, "it is solvable");
    let mut x: Vec<_> = rows[..e]
        .iter()
        .enumerate()
        .map(|(k, row)| {
            let sum = row[e..n].iter().zip(&rest.z).fold(row[n], |sum, (f, z)| sum + f * z);
            -sum / row[k]
        })
        .collect();
    x.extend(rest.z);
    x
}

/// Balls that slide and strike, one with another on a joint; the papers' step but for the events. Where
/// bodies touch in one point, normal forces and so friction are determined.
fn lively() -> (Simulation, Settings) {
    let mut world = floor();
    let add = |world: &mut Simulation, shape, at| {
        let id = add(world, orthant::engine::body::BodyKind::Dynamic, shape, at);
        world.body_mut(id).expect("it was added").linear_velocity = Vec3::new(1.5, -1.0, 0.3);
        id
    };
    add(&mut world, sphere(0.3), Vec3::new(0.0, 0.301, 0.0));
    add(&mut world, sphere(0.25), Vec3::new(-0.4, 0.26, 0.5));
    let upper = add(&mut world, sphere(0.25), Vec3::new(0.1, 0.86, 0.05));
    let ball = add(&mut world, sphere(0.2), Vec3::new(0.9, 0.86, 0.05));
    let joint = JointDesc::between(JointKind::Spherical, upper, ball);
    world.add_joint(joint.with_anchors(Vec3::X * 0.4, Vec3::X * -0.4)).expect("a sound joint");
    let mut settings = Settings::default();
    settings.contact.relax = false;
    settings.contact.friction = Some(0.3);
    settings.solver.integration = Integration::Euler;
    settings.solver.cone = Cone::Pyramid(4);
    settings.solver.tolerance = 1e-10;
    (world, settings)
}

/// The first half of a step: its problems.
fn assembled(world: &mut Simulation, settings: &Settings) -> Vec<ExportedProblem> {
    world.begin(settings, DT);
    world.find_pairs(settings);
    world.find_contacts(settings);
    world.build_islands();
    world.assemble(settings);
    world.step_problems(settings.solver.cone)
}

/// The second half.
fn end_step(world: &mut Simulation, settings: &Settings) {
    world.solve(settings);
    world.integrate();
    world.finish();
}

/// A running step gives its problem out, another solver solves the matrix form, and its velocities are those
/// with which the step ends.
#[test]
fn a_running_step_can_be_solved_elsewhere() {
    let (mut world, settings) = lively();
    let mut seen = [0; 2];
    for step in 0..20 {
        let problems = assembled(&mut world, &settings);
        for problem in &problems {
            let form = problem.matrix_form().expect("hard rows and a pyramid");
            let x = solve_elsewhere(&form);
            let w = form.residual(&x);
            let scale = form.vector.iter().fold(1.0, |most: Double, q| most.max(q.abs()));
            for (k, (x, w)) in x.iter().zip(&w).enumerate() {
                let off = if k < form.equations { w.abs() } else { w.min(*x).abs() };
                assert!(off <= 1e-9 * scale, "step {step}, unknown {k}: {x} and {w}");
            }
            assert_eq!(problem.bodies.len() * 6 + problem.joints.len(), form.equations);
            let names = problem.contact_origins.iter().map(|c| (c.pair, c.id));
            let mut names: Vec<_> = names.collect();
            names.dedup();
            assert_eq!(names.len(), problem.contacts.len(), "step {step}: each contact has a name");
            if problem.joints.is_empty() {
                // Joints are solved half way, in passes: this is the first problem of theirs only.
                seen[0] += 1;
            } else {
                seen[1] += 1;
            }
        }
        end_step(&mut world, &settings);
    }
    assert!(seen[1] > 0, "with joints, too: {seen:?}");
}

/// Without joints what the other solver finds is what the step does.
#[test]
fn what_is_solved_elsewhere_is_what_the_step_does() {
    let (mut world, settings) = lively();
    let joint = world.joints().next().expect("there is one").id();
    world.remove_joint(joint);
    let mut compared = 0;
    for step in 0..20 {
        let problems = assembled(&mut world, &settings);
        end_step(&mut world, &settings);
        for problem in &problems {
            let x = solve_elsewhere(&problem.matrix_form().expect("hard rows and a pyramid"));
            for (i, &id) in problem.bodies.iter().enumerate() {
                let body = world.body(id).expect("it is there");
                let v = body.linear_velocity;
                let off = [v.x, v.y, v.z]
                    .iter()
                    .zip(&x[6 * i..])
                    .fold(0.0, |m: Double, (a, b)| m.max((widen(*a) - b).abs()));
                let allowed = 1e-7 + 8.0 * widen(EPSILON);
                assert!(off <= allowed, "step {step}: {v} and {:?}", &x[6 * i..6 * i + 3]);
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "{compared} velocities were compared");
}

/// A ball in a groove whose walls stand at the angle α from the vertical is jammed if they could hold it
/// against each other, `μ > tan α`; else some motion opens both contacts.
#[test]
fn a_ball_in_a_groove_is_jammed_beyond_the_angle_of_friction() {
    use orthant::engine::body::{BodyDesc, BodyKind};
    use orthant::engine::shape::Shape;
    for slope in [0.2, 0.5, 1.0, 2.0] {
        for part in [0.0, 0.5, 0.9, 1.1, 2.0] {
            let mu: Real = part * slope;
            let mut world = Simulation::new();
            let length = Real::sqrt(1.0 + slope * slope);
            for side in [-1.0, 1.0] {
                // Normals α above the horizontal.
                let normal = Vec3::new(side, slope, 0.0) / length;
                let shape = Some(Shape::half_space(normal).expect("a direction"));
                let desc = BodyDesc { kind: BodyKind::Static, shape, ..BodyDesc::default() };
                world.add_body(desc).expect("a sound body");
            }
            let height = 0.5 * length / slope;
            add(&mut world, BodyKind::Dynamic, sphere(0.5), Vec3::Y * height);
            let mut settings = Settings::default();
            settings.contact.friction = Some(mu);
            world.begin(&settings, DT);
            world.find_pairs(&settings);
            world.find_contacts(&settings);
            world.build_islands();
            world.assemble(&settings);
            let problem = world.step_problems(Cone::Circular).pop().expect("it touches");
            assert_eq!(problem.contacts.len(), 2, "both walls");
            let problem = problem.problem();
            match is_pointed(&problem) {
                Pointed::Yes(velocity) => {
                    assert!(part < 1.0, "tan α {slope}, μ {mu} is jammed");
                    for row in problem.contacts {
                        let j = if row.b < 9 { &row.jacobian_b } else { &row.jacobian_a };
                        let w = j.map(|j| (0..6).map(|k| j[k] * velocity[0][k]).sum::<Double>());
                        // What the least corner of a cone with sixteen corners has.
                        let least = w[0] - row.friction * (w[1] * w[1] + w[2] * w[2]).sqrt();
                        assert!(w[0] > 0.0 && least > -0.03 * w[0], "it opens: {w:?}");
                    }
                }
                Pointed::No(impulses) => {
                    assert!(part > 1.0, "tan α {slope}, μ {mu} is not jammed");
                    let mut sum = [0.0; 6];
                    for (row, l) in problem.contacts.iter().zip(&impulses) {
                        let j = if row.b < 9 { &row.jacobian_b } else { &row.jacobian_a };
                        let friction = (l[1] * l[1] + l[2] * l[2]).sqrt();
                        assert!(friction <= row.friction * l[0] + 1e-9, "in the cone: {l:?}");
                        (0..6)
                            .for_each(|k| sum[k] += (0..3).map(|r| j[r][k] * l[r]).sum::<Double>());
                    }
                    assert!(sum.iter().all(|x| x.abs() < 1e-3), "they hold each other: {sum:?}");
                }
            }
        }
    }
}
