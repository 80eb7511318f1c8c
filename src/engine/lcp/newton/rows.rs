//! The cone Newton on problems in rows, as the papers write them: each contact becomes a manifold.
//!
//! Input: a [`Problem`] and a warm start. Output: impulses in the frames of the rows, the velocity rebuilt
//! from them, the certificate of both, all by rows. The three rows of a contact may be of any length, all
//! alike, and left-handed if it has no rolling rows. For cases of reference and tests; it allocates. The step
//! has manifolds already.

use super::problem::{ManifoldIterate, ManifoldProblem};
use super::state::{NewtonMemory, NewtonParams, NewtonScratch};
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::outcome::{SolveStats, Status};
use crate::engine::lcp::problem::{Iterate, Problem};
use crate::engine::lcp::rows::dot3;
use crate::engine::tuning::work::CHECK;
use crate::math::Double;

/// Solves the step problem (5.1)–(5.2) in rows from a warm start; with `slip_bounds`, `Γ` [m/s], one for each
/// contact, the convex relaxation (5.3)–(5.7), whose velocity is unique and whose certificate is its own.
pub fn solve_rows(
    problem: &Problem<'_>,
    slip_bounds: Option<&[Double]>,
    iterate: &mut Iterate<'_>,
    params: &NewtonParams,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    InRows { problem, slip_bounds, params }.solve(iterate, scratch)
}

/// What is to be solved: the step problem, or the relaxation at given `Γ` [m/s].
struct InRows<'a, 'p> {
    problem: &'a Problem<'p>,
    slip_bounds: Option<&'a [Double]>,
    params: &'a NewtonParams,
}

impl InRows<'_, '_> {
    fn solve(&self, iterate: &mut Iterate<'_>, scratch: &mut NewtonScratch) -> SolveStats {
        for (row, c) in self.problem.joints.iter().zip(iterate.joint_impulse.iter_mut()) {
            *c = row.clamp(*c);
        }
        let start = iterate.velocity.to_vec();
        let certificate =
            iterate.judge(self.problem, &FrictionCone::new(self.problem.cone), self.slip_bounds);
        if certificate.error() <= self.params.tolerance {
            return SolveStats { work: CHECK, certificate, ..Default::default() };
        }
        iterate.velocity.copy_from_slice(&start);
        let mut stats = self.on_manifolds(iterate, scratch);
        stats.certificate =
            iterate.judge(self.problem, &FrictionCone::new(self.problem.cone), self.slip_bounds);
        if stats.certificate.error() > self.params.tolerance && stats.status == Status::Converged {
            stats.status = Status::Stalled;
        }
        stats
    }

    fn on_manifolds(&self, iterate: &mut Iterate<'_>, scratch: &mut NewtonScratch) -> SolveStats {
        let Problem { bodies, joints, rolling, cone, contacts } = *self.problem;
        let (manifolds, units): (Vec<_>, Vec<_>) = contacts
            .iter()
            .enumerate()
            .map(|(i, row)| Manifold::of_row(row, bodies, i as u32))
            .unzip();
        let (mut contact, mut longest) = (Vec::with_capacity(contacts.len()), 1.0);
        for ((m, unit), l) in manifolds.iter().zip(&units).zip(iterate.contact_impulse.iter()) {
            let ([n, t, s], l) = (m.frame(), [0, 1, 2].map(|k| unit[k] * l[k]));
            contact.push([0, 1, 2].map(|k| n[k] * l[0] + t[k] * l[1] + s[k] * l[2]));
            longest = unit[0].max(longest);
        }
        let manifold_problem =
            ManifoldProblem { bodies, manifolds: &manifolds, joints, rolling, cone };
        let mut unknowns = ManifoldIterate {
            velocity: &mut *iterate.velocity,
            contact: &mut contact,
            rolling: &mut *iterate.rolling_impulse,
            joint: &mut *iterate.joint_impulse,
        };
        let params = NewtonParams { tolerance: self.params.tolerance / longest, ..*self.params };
        let memory = &mut NewtonMemory::default();
        let slip_bounds: Option<Vec<_>> = self
            .slip_bounds
            .map(|bounds| bounds.iter().zip(&units).map(|(x, unit)| x / unit[0]).collect());
        let bounds = slip_bounds.as_deref();
        let stats =
            super::solve(&manifold_problem, bounds, &mut unknowns, &params, memory, scratch);
        let found = manifolds.iter().zip(&units).zip(&contact);
        for (((m, unit), world), l) in found.zip(iterate.contact_impulse.iter_mut()) {
            let frame = m.frame();
            *l = [0, 1, 2].map(|k| dot3(&frame[k], world) / unit[k]);
        }
        stats
    }
}
