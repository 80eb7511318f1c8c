//! The cone Newton on problems in rows, as the papers write them: each contact becomes a manifold.
//!
//! Input: a [`Problem`] and a warm start. Output: impulses in the frames of the rows, the velocity rebuilt
//! from them, the certificate of both, all by rows. The three rows of a contact may be of any length, all
//! alike, and left-handed if it has no rolling rows. For cases of reference and tests; it allocates. The step
//! has manifolds already.

use super::problem::{ManifoldIterate, ManifoldProblem};
use super::state::{NewtonMemory, NewtonParams, NewtonScratch};
use crate::engine::lcp::certificate::{Certificate, measure_with};
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::outcome::{SolveStats, Status};
use crate::engine::lcp::problem::{Iterate, Problem};
use crate::engine::lcp::rows::dot3;
use crate::engine::tuning::work::CHECK;
use crate::math::Double;

/// Solves the step problem (5.1)–(5.2) in rows from a warm start.
pub fn solve_rows(
    problem: &Problem<'_>,
    iterate: &mut Iterate<'_>,
    params: &NewtonParams,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    solve(problem, None, iterate, params, scratch)
}

/// Solves the convex relaxation (5.3)–(5.7) in rows at given `Γ` [m/s], one for each contact. Its velocity is
/// unique; the certificate is that of the relaxation.
pub fn solve_relaxation_rows(
    problem: &Problem<'_>,
    slip_bounds: &[Double],
    iterate: &mut Iterate<'_>,
    params: &NewtonParams,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    debug_assert_eq!(slip_bounds.len(), problem.contacts.len(), "one Γ a contact");
    solve(problem, Some(slip_bounds), iterate, params, scratch)
}

fn solve(
    problem: &Problem<'_>,
    slip_bounds: Option<&[Double]>,
    iterate: &mut Iterate<'_>,
    params: &NewtonParams,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    for (row, c) in problem.joints.iter().zip(iterate.joint_impulse.iter_mut()) {
        *c = row.clamp(*c);
    }
    let start = iterate.velocity.to_vec();
    let first = measure(problem, slip_bounds, iterate, params);
    if first.error() <= params.tolerance {
        let status = Status::Converged;
        return SolveStats {
            status,
            iterations: 0,
            factorizations: 0,
            work: CHECK,
            certificate: first,
        };
    }
    iterate.velocity.copy_from_slice(&start);
    let mut stats = on_manifolds(problem, slip_bounds, iterate, params, scratch);
    stats.certificate = measure(problem, slip_bounds, iterate, params);
    if stats.certificate.error() > params.tolerance && stats.status == Status::Converged {
        stats.status = Status::Stalled;
    }
    stats
}

/// Rebuilds the velocity from the impulses and measures them.
fn measure(
    problem: &Problem<'_>,
    slip_bounds: Option<&[Double]>,
    iterate: &mut Iterate<'_>,
    params: &NewtonParams,
) -> Certificate {
    iterate.rebuild(problem);
    let cone = FrictionCone::new(problem.cone);
    let (velocity, impulses) = (&*iterate.velocity, iterate.impulses());
    measure_with(problem, &cone, slip_bounds, velocity, impulses, params.gravity_dt)
}

fn on_manifolds(
    problem: &Problem<'_>,
    slip_bounds: Option<&[Double]>,
    iterate: &mut Iterate<'_>,
    params: &NewtonParams,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    let Problem { bodies, joints, rolling, cone, contacts } = *problem;
    let (manifolds, units): (Vec<_>, Vec<_>) =
        contacts.iter().enumerate().map(|(i, row)| Manifold::of_row(row, bodies, i as u32)).unzip();
    let (mut contact, mut longest) = (Vec::with_capacity(contacts.len()), 1.0);
    for ((m, unit), l) in manifolds.iter().zip(&units).zip(iterate.contact_impulse.iter()) {
        let ([n, t, s], l) = (m.frame(), [0, 1, 2].map(|k| unit[k] * l[k]));
        contact.push([0, 1, 2].map(|k| n[k] * l[0] + t[k] * l[1] + s[k] * l[2]));
        longest = unit[0].max(longest);
    }
    let manifold_problem = ManifoldProblem { bodies, manifolds: &manifolds, joints, rolling, cone };
    let mut unknowns = ManifoldIterate {
        velocity: &mut *iterate.velocity,
        contact: &mut contact,
        rolling: &mut *iterate.rolling_impulse,
        joint: &mut *iterate.joint_impulse,
    };
    let params = NewtonParams { tolerance: params.tolerance / longest, ..*params };
    let memory = &mut NewtonMemory::default();
    let stats = match slip_bounds {
        None => super::solve(&manifold_problem, &mut unknowns, &params, memory, scratch),
        Some(slip_bounds) => {
            let slip_bounds: Vec<_> =
                slip_bounds.iter().zip(&units).map(|(x, unit)| x / unit[0]).collect();
            super::solve_relaxation(
                &manifold_problem,
                &slip_bounds,
                &mut unknowns,
                &params,
                memory,
                scratch,
            )
        }
    };
    let found = manifolds.iter().zip(&units).zip(&contact);
    for (((m, unit), world), l) in found.zip(iterate.contact_impulse.iter_mut()) {
        let frame = m.frame();
        *l = [0, 1, 2].map(|k| dot3(&frame[k], world) / unit[k]);
    }
    stats
}
