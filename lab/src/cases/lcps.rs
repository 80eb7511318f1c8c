//! Judges the solvers on step problems with known velocities.
//!
//! The exact solvers (Newton, Lemke) must meet the velocity of (5.1)–(5.2), Newton that of the convex
//! relaxation (5.7) at Γ and at zero, Lemke that of (5.15) at λ. Gauss–Seidel must meet the step
//! problem itself: its natural-map residual is judged [m/s].

use orthant::engine::lcp::newton::{self, NewtonParams, NewtonScratch};
use orthant::engine::lcp::pgs::{self, PgsParams, PgsScratch};
use orthant::engine::lcp::{Iterate, SolveStats, Vec6};
use orthant::engine::papers::solvers::lemke::{self, LemkeParams};
use orthant::math::Double;
use serde_json::Value;

use super::lcp::{self, LcpCase};
use super::{Check, Group};

/// Largest error of a velocity of the exact solvers [m/s or rad/s].
const VELOCITY: Double = 1e-8;
/// Largest natural-map residual of Gauss–Seidel [m/s].
const NATURAL_MAP: Double = 1e-6;

/// Runs all cases of a file.
pub fn run(value: &Value, file: &str) -> Vec<Group> {
    let names = ["Newton", "Lemke", "Newton on (5.7)", "Lemke on (5.15)", "Gauss–Seidel residual"];
    let mut groups: Vec<_> = names.iter().map(|n| Group::new(format!("{file}  {n}"))).collect();
    let single = std::slice::from_ref(value);
    for (index, case) in value.as_array().map_or(single, Vec::as_slice).iter().enumerate() {
        match lcp::read(case) {
            Ok(case) => judge(&case, &mut groups),
            Err(why) => groups[0].checks.push(Check::broken(format!("case {index}"), why)),
        }
    }
    groups.retain(|group| !group.checks.is_empty());
    groups
}

fn judge(case: &LcpCase, groups: &mut [Group]) {
    let name = format!("case {}", case.id);
    let newton = NewtonParams::default();
    let lemke = LemkeParams::default();
    let problem = case.problem();
    let velocity = |expected: &[Double], solve: &mut dyn FnMut(&mut Iterate<'_>) -> SolveStats| {
        let (velocity, stats) = solve_from_free(case, solve);
        Check::new(name.clone(), case.velocity_error(&velocity, expected), VELOCITY)
            .note(format!("{:?} in {} iterations", stats.status, stats.iterations))
    };
    let mut scratch = NewtonScratch::default();
    groups[0].checks.push(velocity(&case.velocity, &mut |iterate| {
        newton::solve_rows(&problem, None, iterate, &newton, &mut scratch)
    }));
    groups[1]
        .checks
        .push(velocity(&case.velocity, &mut |iterate| lemke::solve(&problem, iterate, &lemke)));
    let zero = vec![0.0; case.contacts.len()];
    for (gamma, expected) in [
        (&case.relaxation.gamma, &case.relaxation.velocity),
        (&zero, &case.relaxation.velocity_gamma_zero),
    ] {
        groups[2].checks.push(velocity(expected, &mut |iterate| {
            newton::solve_rows(&problem, Some(gamma), iterate, &newton, &mut scratch)
        }));
    }
    let slip = &case.fixed_slip;
    groups[3].checks.push(velocity(&slip.velocity, &mut |iterate| {
        lemke::solve_fixed_slip(&problem, &slip.slip, iterate)
    }));
    let sweeps = PgsParams { iterations_max: 20_000, ..PgsParams::default() };
    let (_, stats) = solve_from_free(case, &mut |iterate| {
        pgs::solve(&problem, iterate, &sweeps, &mut PgsScratch::default())
    });
    let residual = stats.certificate.natural_map;
    let note = format!("{:?} after {} sweeps", stats.status, stats.iterations);
    groups[4].checks.push(Check::new(name, residual, NATURAL_MAP).note(note));
}

/// Solves from the free velocity without impulses.
fn solve_from_free(
    case: &LcpCase,
    solve: &mut dyn FnMut(&mut Iterate<'_>) -> SolveStats,
) -> (Vec<Vec6>, SolveStats) {
    let mut velocity: Vec<_> = case.bodies.iter().map(|body| body.velocity_free).collect();
    let mut joint_impulse = vec![0.0; case.joints.len()];
    let mut contact_impulse = vec![[0.0; 3]; case.contacts.len()];
    let stats = solve(&mut Iterate {
        velocity: &mut velocity,
        joint_impulse: &mut joint_impulse,
        contact_impulse: &mut contact_impulse,
        rolling_impulse: &mut [],
    });
    (velocity, stats)
}
