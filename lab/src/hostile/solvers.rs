//! Step problems with absurd numbers in them: every solver ends, and what it calls solved is.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::lcp::certificate::measure;
use orthant::engine::lcp::manifold::Manifold;
use orthant::engine::lcp::newton::{self, NewtonParams, NewtonScratch};
use orthant::engine::lcp::pgs::{self, PgsParams, PgsScratch};
use orthant::engine::lcp::sweeps::{
    Start, SubstepParams, SweepIterate, SweepScratch, SweptIsland, solve_nncg, solve_substeps,
    solve_sweeps,
};
use orthant::engine::lcp::{Cone, ContactRow, Iterate, Problem, SolveStats, Status, Vec6};
use orthant::engine::papers::export::ExportedProblem;
use orthant::engine::papers::solvers::lemke::{self, LemkeParams};
use orthant::engine::par::Serial;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, widen};

use super::Bytes;
use crate::support::{DT, cuboid, sphere};

/// What solvers are asked for [m/s].
const TOLERANCE: Double = 1e-6;
/// Work that Newton may spend (sweeps).
const WORK: Double = 1e4;

/// Largest number of a problem whose solution is judged to be one, too: what is finite, in single precision,
/// when it is multiplied by others of its kind.
const TAME: Double = 1e4;

/// A box, a ball, a capsule or a can, one of two of which resists rolling.
fn collider(bytes: &mut Bytes) -> Collider {
    let shape = match bytes.below(6) {
        0 => sphere(0.5),
        1 => Shape::capsule(0.3, 0.4).expect("positive lengths"),
        2 => Shape::cylinder(0.5, 1.0).expect("positive lengths"),
        _ => cuboid(1.0, 1.0, 1.0),
    };
    let [rolling, spinning] = if bytes.one_in(2) { [0.05, 0.02] } else { [0.0; 2] };
    let material = Material { rolling, spinning, ..Material::default() };
    Collider { material, ..Collider::new(shape) }
}

/// Bodies on each other and one that hangs, as the step sees them.
fn problems(bytes: &mut Bytes) -> Vec<ExportedProblem> {
    let mut world = Simulation::new();
    let floor = Shape::half_space(Vec3::Y).expect("a direction");
    let colliders = vec![Collider::new(floor)];
    let fixed = BodyDesc { kind: BodyKind::Static, colliders, ..BodyDesc::default() };
    world.add_body(fixed).expect("a floor");
    let mut last = None;
    for i in 0..1 + bytes.below(4) as u8 {
        let desc = BodyDesc {
            colliders: vec![collider(bytes)],
            position: Vec3::new(0.3 * bytes.signed(), 0.5 + Real::from(i), 0.0),
            linear_velocity: bytes.vector(3.0),
            density: [1.0, 1e-3, 1e4, 1.0][bytes.below(4)],
            ..BodyDesc::default()
        };
        let Ok(id) = world.add_body(desc) else { continue };
        if let Some(before) = last.filter(|_| bytes.one_in(3)) {
            let joint = JointDesc::between(JointKind::Spherical, before, id);
            let joint = joint.with_anchors(bytes.vector(1.0), bytes.vector(1.0));
            // Refused if a number is absurd.
            let _ = world.add_joint(joint.with_collision(true));
        }
        last = Some(id);
    }
    let settings = Settings::default();
    world.begin(&settings, DT);
    world.find_pairs(&settings);
    world.find_contacts(&settings);
    world.build_islands();
    world.assemble(&settings);
    let cone = if bytes.one_in(3) { Cone::Pyramid(8) } else { Cone::Circular };
    world.step_problems(cone)
}

/// Puts absurd numbers where the bytes say.
fn spoil(bytes: &mut Bytes, problem: &mut ExportedProblem) {
    for _ in 0..bytes.below(4) {
        let x = widen(bytes.number(1.0));
        let at = bytes.below(64);
        let n = problem.contacts.len().max(1);
        let contact = problem.contacts.get_mut(at % n);
        if let Some(row) = problem.rolling.get_mut(at % n).filter(|_| bytes.one_in(3)) {
            match bytes.below(3) {
                0 => row.bias[at % 3] = x,
                1 => row.rolling = x.abs(),
                _ => row.spinning = x.abs(),
            }
            continue;
        }
        match (bytes.below(5), contact) {
            (0, _) => problem.blocks.iter_mut().for_each(|b| b.velocity_free[at % 6] = x),
            (1, Some(contact)) => contact.bias[0] = x,
            (2, Some(contact)) => contact.friction = x.abs(),
            (3, _) => problem.joints.iter_mut().for_each(|row| row.bias = x),
            _ => problem.joints.iter_mut().for_each(|row| row.bounds = [-x.abs(), x.abs()]),
        }
    }
}

/// The largest number that a problem asks for [m/s].
fn largest(problem: &Problem) -> Double {
    let free = problem.bodies.iter().flat_map(|body| &body.velocity_free);
    let contacts = problem.contacts.iter().flat_map(|row| &row.bias);
    let joints = problem.joints.iter().map(|row| &row.bias);
    free.chain(contacts).chain(joints).fold(0.0, |most: Double, x| most.max(x.abs()))
}

/// Most by which rounding of the speeds of contacts can be off where impulses are exact [m/s], the bound
/// `γ |J| |M⁻¹| |J|ᵀ |l|` of every such sum and product: a sum over rows, a block, a product with six terms
/// for each of two bodies.
fn rounding(problem: &Problem, impulse: &[[Double; 3]]) -> Double {
    let rows = || {
        let each = |row: &ContactRow| [(row.a, row.jacobian_a), (row.b, row.jacobian_b)];
        problem.contacts.iter().map(each)
    };
    let mut speeds = vec![[0.0; 6]; problem.bodies.len()];
    for (ends, l) in rows().zip(impulse) {
        for (body, jacobian) in ends {
            let Some(sum) = speeds.get_mut(body as usize) else { continue };
            for (terms, l) in jacobian.iter().zip(l) {
                (0..6).for_each(|k| sum[k] += (terms[k] * l).abs());
            }
        }
    }
    for (speed, body) in speeds.iter_mut().zip(problem.bodies) {
        let ([px, py, pz, x, y, z], [a, b, c]) = (*speed, body.inverse_mass);
        let [xx, yy, zz, xy, xz, yz] = body.inverse_inertia.map(Double::abs);
        let turn = [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z];
        *speed = [a * px, b * py, c * pz, turn[0], turn[1], turn[2]];
    }
    let rate = |ends: [(u32, [Vec6; 3]); 2], i: usize| -> Double {
        let of = |(body, jacobian): &(u32, [Vec6; 3])| {
            let speed = speeds.get(*body as usize)?;
            Some(jacobian[i].iter().zip(speed).map(|(j, v)| (j * v).abs()).sum::<Double>())
        };
        ends.iter().filter_map(of).sum()
    };
    let most = rows().flat_map(|ends| [0, 1, 2].map(|i| rate(ends, i))).fold(0.0, Double::max);
    let count = (3 * problem.contacts.len() + 16) as Double;
    0.5 * Double::EPSILON * count * most
}

/// Solves from nothing; an error if it calls solved what is not, within so much of error [m/s], and where it
/// is by `pivots` what rounding takes.
fn judge(
    name: &str,
    problem: &Problem,
    (borne, pivots): (Double, bool),
    solve: impl FnOnce(&mut Iterate) -> SolveStats,
) -> Result<(), String> {
    let mut velocity = vec![[0.0; 6]; problem.bodies.len()];
    let mut joint_impulse = vec![0.0; problem.joints.len()];
    let mut contact_impulse = vec![[0.0; 3]; problem.contacts.len()];
    let mut rolling_impulse = vec![[0.0; 3]; problem.rolling.len()];
    let mut iterate = Iterate {
        velocity: &mut velocity,
        joint_impulse: &mut joint_impulse,
        contact_impulse: &mut contact_impulse,
        rolling_impulse: &mut rolling_impulse,
    };
    let stats = solve(&mut iterate);
    let error = measure(problem, iterate.velocity, iterate.impulses()).error();
    let lost = if pivots { rounding(problem, iterate.contact_impulse) } else { 0.0 };
    let solved = error <= borne + lost;
    if stats.status == Status::Converged && !solved {
        return Err(format!("{name} calls an error of {error} m/s solved"));
    }
    Ok(())
}

fn small_steps() -> SubstepParams {
    let solver = Settings::default().solver;
    SubstepParams {
        dt: widen(DT),
        substeps: solver.substeps,
        gamma: 1.0,
        relax: true,
        softness: solver.softness,
        joint_softness: solver.joint_softness,
        push_speed_max: 3.0,
        dead_zone: 0.0,
    }
}

/// Sweeps, accelerated ones and small steps from nothing, which call nothing solved: an error if an impulse
/// is outside of its friction cone or bounds, or is no number though those of the problem are ordinary.
fn sweep(exported: &ExportedProblem) -> Result<(), String> {
    let ExportedProblem { blocks: bodies, joints, contacts, contact_origins, .. } = exported;
    let manifold = |(first, row): (u32, &ContactRow)| {
        let (mut manifold, _) = Manifold::of_row(row, bodies, first);
        manifold.gap[0] = contact_origins.get(first as usize).map_or(0.0, |origin| origin.gap);
        (manifold.push[0], manifold.push_max) = (manifold.bias[0].min(0.0), 3.0);
        manifold
    };
    let manifolds: Vec<Manifold> = (0..).zip(contacts).map(manifold).collect();
    let velocity_last: Vec<Vec6> = bodies.iter().map(|body| body.velocity_free).collect();
    let joint_push: Vec<Double> = joints.iter().map(|row| row.bias).collect();
    let (joint_push, velocity_last) = (&joint_push[..], &velocity_last[..]);
    // In parts, wherever they are.
    let leaves: Vec<u8> =
        (0..if joints.is_empty() { bodies.len() } else { 0 }).map(|i| (i % 4) as u8).collect();
    let island = SweptIsland {
        bodies,
        manifolds: &manifolds,
        joints,
        joint_push,
        velocity_last,
        leaves: &leaves,
        pool: &Serial,
    };
    let params = small_steps();
    let mut numbers = (velocity_last.as_flattened().iter().chain(joint_push))
        .chain(
            manifolds
                .iter()
                .flat_map(|m| m.bias.iter().chain(&m.gap).chain(m.drift.as_flattened())),
        )
        .chain(manifolds.iter().map(|m| &m.friction));
    let is_tame = numbers.all(|x| x.abs() <= TAME);
    for name in ["sweeps", "accelerated sweeps", "small steps"] {
        let mut velocity = [0; 2].map(|_| velocity_last.to_vec());
        let mut contact_impulse = [0; 2].map(|_| vec![[0.0; 3]; contacts.len()]);
        let mut joint_impulse = [0; 2].map(|_| vec![0.0; joints.len()]);
        let mut iterate = SweepIterate {
            velocity: velocity.each_mut().map(|list| &mut list[..]),
            contact_impulse: contact_impulse.each_mut().map(|list| &mut list[..]),
            joint_impulse: joint_impulse.each_mut().map(|list| &mut list[..]),
        };
        let (iterate, scratch) = (&mut iterate, &mut SweepScratch::default());
        match name {
            "sweeps" => _ = solve_sweeps(&island, iterate, 0, Start::Impulses, 40, scratch),
            "small steps" => _ = solve_substeps(&island, iterate, &params, scratch),
            _ => solve_nncg(&island, iterate, 0, 40, true, scratch),
        }
        let numbers = [&velocity[0], &velocity[1]].into_iter().flat_map(|list| list.as_flattened());
        let mut numbers = numbers.chain(contact_impulse[0].as_flattened()).chain(&joint_impulse[0]);
        let is_finite = numbers.all(|x| x.is_finite());
        if is_tame && !is_finite {
            return Err(format!("{name}: not finite: {velocity:?}, {contact_impulse:?}"));
        }
        let impulses = contact_impulse[0].iter().zip(&manifolds);
        for (l, m) in impulses.filter(|_| is_tame) {
            let along: Double = l.iter().zip(&m.normal).map(|(l, n)| l * n).sum();
            let across: Vec<Double> = l.iter().zip(&m.normal).map(|(l, n)| l - along * n).collect();
            let slip = across.iter().map(|x| x * x).sum::<Double>().sqrt();
            // In single precision, and for small steps the sum of many. Its cones are compared by squares.
            let rounding = 1e-5 * (slip + along.abs()) + Double::from(f32::MIN_POSITIVE).sqrt();
            if along < -rounding || slip > m.friction * along + rounding {
                return Err(format!("{name}: {along} N s along, {slip} across, of {}", m.friction));
            }
        }
        for (c, row) in joint_impulse[0].iter().zip(joints).filter(|_| is_tame) {
            let off = (row.bounds[0] - c).max(c - row.bounds[1]);
            // Sweeps and small steps are in single precision, which has fewer digits below this.
            if off > 1e-5 * c.abs() + Double::from(f32::MIN_POSITIVE) {
                return Err(format!("{name}: {c} N s, bounds of {:?}", row.bounds));
            }
        }
    }
    Ok(())
}

/// Step problems with absurd numbers, by every solver that takes rows, and by sweeps and small steps what has
/// circular cones and no rolling rows.
///
/// # Errors
/// A solver that calls solved what is not, a sweep that leaves a cone.
pub fn check_solvers(bytes: &[u8]) -> Result<(), String> {
    let bytes = &mut Bytes::new(bytes);
    for mut exported in problems(bytes) {
        spoil(bytes, &mut exported);
        let problem = exported.problem();
        judge("Gauss–Seidel", &problem, (2.0 * TOLERANCE, false), |iterate| {
            let params = PgsParams { tolerance: TOLERANCE, ..PgsParams::default() };
            pgs::solve(&problem, iterate, &params, &mut PgsScratch::default())
        })?;
        judge("Newton", &problem, (2.0 * TOLERANCE, false), |iterate| {
            let params =
                NewtonParams { tolerance: TOLERANCE, work_max: WORK, ..NewtonParams::default() };
            newton::solve_rows(&problem, None, iterate, &params, &mut NewtonScratch::default())
        })?;
        if problem.rolling.is_empty() && problem.cone == Cone::Circular {
            sweep(&exported)?;
        }
        if problem.contacts.len() <= 4 && problem.cone != Cone::Circular {
            // Pivots end at a solution, whose numbers are rounded in proportion: ten thousand times. A large
            // impulse on a light body is rounded in proportion to itself.
            let borne = 2.0 * TOLERANCE + 1e-12 * largest(&problem);
            judge("Lemke", &problem, (borne, true), |iterate| {
                lemke::solve(&problem, iterate, &LemkeParams::default())
            })?;
        }
    }
    Ok(())
}
