//! Outer passes of the augmented Lagrangian: `Γ` and the multipliers between two minimizations.
//!
//! Input: the first velocity and impulses, a budget. Output: the impulses with the smallest error seen, with
//! their certificate, or those at hand where `last_error` says so. A pass is
//!
//! ```text
//! Γ ← Γ(v)        v ← argmin L(v; l, Γ)        l ← P_K(p)        ρ ← GROWTH ρ where that gains too little
//! ```
//!
//! Cost: a sweep over the contacts a pass beside the minimization, one more where it is judged.

use super::{ChordMemory, ChordParams, ChordScratch, ManifoldProblem, Progress};
use crate::engine::lcp::Status;
use crate::engine::tuning::newton::{GROWTH, IDLE, PENALTY_MAX, STRIDE};
use crate::engine::tuning::work::CHECK;
use crate::math::Double;

/// How `Γ` fares.
struct SlipProgress {
    damping: Double,
    /// Smallest error of `Γ` since the last restart.
    best: Double,
    /// Does the extrapolation keep away from solutions that repel?
    onward: bool,
    /// Longest step away from them (–).
    stride: Double,
}

/// How the error falls from pass to pass.
struct ErrorProgress {
    /// Smallest error so far.
    best: Double,
    /// The error when it had last fallen by half, and the work until then.
    halved: Double,
    since: Double,
    /// Judged passes since the best one.
    idle: u32,
    /// How many of those end the solve.
    patience: u32,
}

impl ChordScratch {
    /// Outer passes until the tolerance or the budget is met.
    pub(super) fn run(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &ChordParams,
        memory: &mut ChordMemory,
        progress: &mut Progress,
    ) {
        let aim = progress.aim;
        let mut last = Double::INFINITY;
        let friction_max = problem.manifolds.iter().fold(1.0, |m: Double, x| m.max(x.friction));
        let rolling = problem.rolling.iter();
        let friction_max = rolling.fold(friction_max, |m, r| m.max(r.rolling).max(r.spinning));
        let joined = !problem.joints.is_empty();
        let first = progress.stats.certificate.error();
        let patience = match (params.patient, joined, problem.is_tiny()) {
            (true, ..) => IDLE[3],
            (_, true, _) => IDLE[1],
            (_, false, true) => IDLE[2],
            (_, false, false) => IDLE[0],
        };
        let since = progress.work;
        let mut errors = ErrorProgress { best: first, halved: first, since, idle: 0, patience };
        let mut slip = SlipProgress {
            damping: 1.0 / friction_max,
            best: Double::INFINITY,
            // Between joints a solution that repels is often the only one.
            onward: !joined,
            stride: if joined { 1.0 } else { STRIDE },
        };
        for pass in 0..params.outer_max {
            if pass > 0 && !self.sweep.frozen {
                if errors.idle > IDLE[1] / 2 && !slip.onward {
                    (slip.onward, slip.best) = (true, Double::INFINITY);
                    self.anderson.restart(self.gamma_error.len());
                }
                self.update_gamma(problem, last, &mut slip);
            }
            let measure = self.minimize(problem, params, memory, progress, pass == 0);
            self.sweep.update_multipliers(problem, &mut self.joint);
            progress.passes += 1;
            progress.last_error = Double::INFINITY;
            let out = progress.work > progress.work_max || pass + 1 == params.outer_max;
            let close =
                measure.residual <= 1.5 * aim && measure.gradient <= aim && measure.joint <= aim;
            if (close || out || pass % 2 == 1 || progress.at_hand)
                && let Some(status) =
                    self.judge_pass(problem, params, memory, progress, &mut errors, out)
            {
                progress.stats.status = status;
                return;
            }
            if out {
                return;
            }
            let penalty_max = PENALTY_MAX[usize::from(progress.double)].min(self.resolved(aim));
            // Beside joints of far heavier bodies a stiffer row is a worse one: `Γ` is what is left to find.
            let slow = pass >= 2 && measure.residual > (last / GROWTH).max(aim);
            if slow && progress.penalty < penalty_max {
                progress.penalty = (progress.penalty * GROWTH).min(penalty_max);
            }
            last = measure.residual;
        }
    }

    /// Largest `ρ` with which the rounding of `J v`, magnified by it, stays below the aim.
    fn resolved(&self, aim: Double) -> Double {
        let velocity = self.velocity.as_flattened().iter();
        let speed = velocity.fold(0.0, |most: Double, x| most.max(x.abs()));
        aim / (Double::EPSILON * speed)
    }

    /// Measures the impulses at hand and keeps them if they are the best; how the solve ends, if it does.
    /// `out` says that it ends in any case.
    fn judge_pass(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &ChordParams,
        memory: &ChordMemory,
        progress: &mut Progress,
        errors: &mut ErrorProgress,
        out: bool,
    ) -> Option<Status> {
        let certificate = self.judge(problem, params);
        progress.work += CHECK * problem.manifolds.len() as Double * 4.0;
        let error = certificate.error();
        progress.last_error = error;
        if error < errors.best {
            errors.idle = 0;
            errors.best = error;
            progress.stats.certificate = certificate;
            self.keep_best();
        } else {
            errors.idle += 1;
        }
        let done = errors.best <= params.tolerance;
        if progress.at_hand && done {
            if !problem.is_tiny() {
                return Some(Status::Converged);
            }
            // Up a stack speeds within the tolerance add up to more than can be held, and some day the
            // floor would stop them all at once.
            let held = self.hold(problem, params, certificate);
            if held.error() <= params.tolerance {
                progress.held = Some(held);
                return Some(Status::Converged);
            }
        } else if progress.at_hand {
            (progress.at_hand, progress.penalty) = (false, memory.penalty);
        }
        if error <= progress.aim || (done && (errors.idle > 0 || out)) {
            return Some(Status::Converged);
        }
        if errors.best <= 0.5 * errors.halved {
            (errors.halved, errors.since) = (errors.best, progress.work);
        }
        let slow = progress.work - errors.since > progress.half_work;
        (slow || errors.idle > errors.patience).then_some(Status::Stalled)
    }

    /// The next `Γ`: that of the velocity at hand; extrapolated where the relaxation is solved more
    /// accurately than `Γ` is known.
    fn update_gamma(
        &mut self,
        problem: &ManifoldProblem<'_>,
        residual: Double,
        slip: &mut SlipProgress,
    ) {
        let size = self.sweep.slip_error(problem, &self.velocity, &mut self.gamma_error);
        if residual > size {
            self.anderson.restart(self.gamma_error.len());
            slip.best = Double::INFINITY;
            for (x, e) in self.sweep.gamma.as_flattened_mut().iter_mut().zip(&self.gamma_error) {
                *x += e;
            }
            return;
        }
        if size > 10.0 * slip.best {
            // The extrapolation led astray.
            self.anderson.restart(self.gamma_error.len());
            slip.damping = (0.5 * slip.damping).max(0.05);
            slip.best = Double::INFINITY;
        }
        slip.best = slip.best.min(size);
        let gamma = self.sweep.gamma.as_flattened_mut();
        if slip.onward {
            self.anderson.advance_onward(gamma, &self.gamma_error, slip.damping, slip.stride);
        } else {
            self.anderson.advance(gamma, &self.gamma_error, slip.damping);
        }
    }
}
