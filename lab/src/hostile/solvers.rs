//! Step problems with absurd numbers in them: every solver ends, and what it calls solved is.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::collider::Collider;
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::lcp::certificate::measure;
use orthant::engine::lcp::newton::{self, NewtonParams, NewtonScratch};
use orthant::engine::lcp::pgs::{self, PgsParams, PgsScratch};
use orthant::engine::lcp::{Cone, Iterate, Problem, SolveStats, Status};
use orthant::engine::papers::export::ExportedProblem;
use orthant::engine::papers::solvers::lemke::{self, LemkeParams};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, widen};

use super::Bytes;
use crate::support::{DT, cuboid};

/// What solvers are asked for [m/s].
const TOLERANCE: Double = 1e-6;
/// Work that Newton may spend (sweeps).
const WORK: Double = 1e4;

/// Boxes on each other and one that hangs, as the step sees them.
fn problems(bytes: &mut Bytes) -> Vec<ExportedProblem> {
    let mut world = Simulation::new();
    let floor = Shape::half_space(Vec3::Y).expect("a direction");
    let colliders = vec![Collider::new(floor)];
    let fixed = BodyDesc { kind: BodyKind::Static, colliders, ..BodyDesc::default() };
    world.add_body(fixed).expect("a floor");
    let mut last = None;
    for i in 0..1 + bytes.below(4) as u8 {
        let desc = BodyDesc {
            shape: Some(cuboid(1.0, 1.0, 1.0)),
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
        match (bytes.below(5), contact) {
            (0, _) => problem.blocks.iter_mut().for_each(|b| b.velocity_free[at % 6] = x),
            (1, Some(contact)) => contact.bias[0] = x,
            (2, Some(contact)) => contact.friction = x.abs(),
            (3, _) => problem.joints.iter_mut().for_each(|row| row.bias = x),
            _ => problem.joints.iter_mut().for_each(|row| row.bounds = [-x.abs(), x.abs()]),
        }
    }
}

/// Solves from nothing; an error if it calls solved what is not.
fn judge(
    name: &str,
    problem: &Problem,
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
    let solved = error <= 2.0 * TOLERANCE;
    if stats.status == Status::Converged && !solved {
        return Err(format!("{name} calls an error of {error} m/s solved"));
    }
    Ok(())
}

/// Step problems with absurd numbers, by every solver that takes rows.
///
/// # Errors
/// A solver that calls solved what is not.
pub fn check_solvers(bytes: &[u8]) -> Result<(), String> {
    let bytes = &mut Bytes::new(bytes);
    for mut exported in problems(bytes) {
        spoil(bytes, &mut exported);
        let problem = exported.problem();
        judge("Gauss–Seidel", &problem, |iterate| {
            let params = PgsParams { tolerance: TOLERANCE, ..PgsParams::default() };
            pgs::solve(&problem, iterate, &params, &mut PgsScratch::default())
        })?;
        judge("Newton", &problem, |iterate| {
            let params =
                NewtonParams { tolerance: TOLERANCE, work_max: WORK, ..NewtonParams::default() };
            newton::solve_rows(&problem, None, iterate, &params, &mut NewtonScratch::default())
        })?;
        if problem.contacts.len() <= 4 && problem.cone != Cone::Circular {
            judge("Lemke", &problem, |iterate| {
                lemke::solve(&problem, iterate, &LemkeParams::default())
            })?;
        }
    }
    Ok(())
}
