//! Passes of the augmented Lagrangian: minimizations, and `Γ` and the multipliers between them.
//!
//! Input: the first velocity and impulses, a budget. Output: the impulses with the smallest error seen, with
//! their certificate, or those at hand where `last_error` says so. A pass is
//!
//! ```text
//! Γ ← Γ(v)        v ← argmin L(v; l, Γ)        l ← P_K(p)        ρ ← GROWTH ρ where that gains too little
//! ```
//!
//! Modified Newton steps with line search minimize, until the gradient is small beside the residual: it is
//! exact whatever the age of the factor, and every step descends. What has come near when its budget ends, or
//! stalls there, gets as much again if the last solve was not in vain. Cost: a sweep over the contacts a step
//! and a pass, one more where it is judged.

use super::kernel::Measure;
use super::problem::ManifoldProblem;
use super::state::{FactorState, NewtonMemory, NewtonParams, NewtonScratch, Progress};
use crate::engine::lcp::Status;
use crate::engine::tuning::descent::{GUARD, INNER, POOR, STEPS_AT_HAND};
use crate::engine::tuning::newton::{AIM, AT_REST, GROWTH, IDLE, PENALTY_MAX, SOLVE, STRIDE};
use crate::engine::tuning::work::CHECK;
use crate::math::{Double, Single};

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

/// What is to be left of a gradient beside a residual.
fn target(aim: Double, residual: Double) -> Double {
    (INNER * aim).max(AIM * residual)
}

impl NewtonScratch {
    /// Outer passes until the tolerance or the budget is met.
    pub(super) fn run(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
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
                    self.anderson.restart(self.slip_bound_error.len());
                }
                self.update_slip_bounds(problem, last, &mut slip);
            }
            let measure = self.minimize(problem, params, memory, progress, pass == 0);
            self.sweep.update_multipliers(problem, &mut self.joint);
            progress.last_error = Double::INFINITY;
            let out = progress.work > progress.work_max || pass + 1 == params.outer_max;
            let left = measure.gradient.max(measure.joint);
            progress.minimized = left <= target(aim, measure.residual);
            // Beside joints of far heavier bodies a stiffer row is a worse one: `Γ` is what is left to find.
            let slow = pass >= 2 && measure.residual > (last / GROWTH).max(aim);
            // At rest an update is to be measured before a stiffer matrix is made.
            let most = if slow && self.sweep.by_load { GROWTH } else { 1.5 };
            let close = measure.residual <= most * aim && left <= aim;
            if (close || out || pass % 2 == 1 || progress.at_hand)
                && let Some(status) =
                    self.judge_pass(problem, params, memory, progress, &mut errors, out)
            {
                progress.stats.status = status;
                return;
            }
            if out && progress.work > progress.work_max {
                return;
            }
            if slow {
                progress.penalty = self.stiffer(progress);
            }
            last = measure.residual;
        }
    }

    /// The next `ρ`, as far as the rounding of `J v`, magnified by it, stays below the aim.
    fn stiffer(&self, progress: &Progress) -> Double {
        let velocity = self.velocity.as_flattened().iter();
        let speed = velocity.fold(0.0, |most: Double, x| most.max(x.abs()));
        let resolved = progress.aim / (Double::EPSILON * speed);
        let most = PENALTY_MAX[usize::from(progress.double)].min(resolved);
        (progress.penalty * GROWTH).min(most).max(progress.penalty)
    }

    /// Measures the impulses at hand and keeps them if they are the best; how the solve ends, if it does.
    /// `out` says that it ends in any case.
    fn judge_pass(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &NewtonMemory,
        progress: &mut Progress,
        errors: &mut ErrorProgress,
        out: bool,
    ) -> Option<Status> {
        let certificate = self.judge(problem);
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
        if done && progress.at_hand && !progress.to_be_held {
            return Some(Status::Converged);
        }
        // Is it to be better than it began with?
        let finer = progress.aim < AIM * params.tolerance;
        let good = progress.at_hand || finer && error <= AIM * params.tolerance;
        if done && good && errors.idle == 0 && progress.to_be_held {
            // Up a stack speeds within the tolerance add up to more than can be held: what is not held goes
            // on with its error, which adds up from step to step until the floor stops them all at once.
            let held = self.hold(problem, params, memory, Some(certificate));
            if held.error() <= params.tolerance {
                progress.held = Some(held);
                return Some(Status::Converged);
            }
        } else if progress.at_hand {
            // With what minimizes, and leaves too much, the next steps would end as this one.
            let soft = progress.minimized && !done;
            progress.penalty = if soft { self.stiffer(progress) } else { memory.penalty };
            progress.at_hand = false;
        }
        // The factor at hand need not gain anything, a new one does.
        let patience = u32::from(finer);
        if error <= progress.aim || (done && (errors.idle > patience || out)) {
            return Some(Status::Converged);
        }
        if errors.best <= 0.5 * errors.halved {
            (errors.halved, errors.since) = (errors.best, progress.work);
        }
        let slow = progress.work - errors.since > progress.half_work;
        let ends = slow || errors.idle > errors.patience;
        let near = !done && errors.best <= AT_REST * params.tolerance;
        if (ends || out) && near && progress.overdraft {
            (progress.overdraft, progress.work_max) = (false, 2.0 * progress.work_max);
            (errors.patience, errors.since) = (errors.patience.max(IDLE[1]), progress.work);
            return None;
        }
        let soon = problem.joints.is_empty() && errors.idle % IDLE[0] == 1;
        let infeasible = (ends || out || soon) && self.is_infeasible(problem);
        if infeasible { Some(Status::Infeasible) } else { ends.then_some(Status::Stalled) }
    }

    /// The next `Γ`: that of the velocity at hand; extrapolated where the relaxation is solved more
    /// accurately than `Γ` is known.
    fn update_slip_bounds(
        &mut self,
        problem: &ManifoldProblem<'_>,
        residual: Double,
        slip: &mut SlipProgress,
    ) {
        let size = self.sweep.slip_error(problem, &self.velocity, &mut self.slip_bound_error);
        if residual > size {
            self.anderson.restart(self.slip_bound_error.len());
            slip.best = Double::INFINITY;
            for (x, e) in
                self.sweep.slip_bounds.as_flattened_mut().iter_mut().zip(&self.slip_bound_error)
            {
                *x += e;
            }
            return;
        }
        if size > GROWTH * slip.best {
            // The extrapolation led astray.
            self.anderson.restart(self.slip_bound_error.len());
            slip.damping *= 0.5;
            slip.best = Double::INFINITY;
        }
        slip.best = slip.best.min(size);
        let slip_bounds = self.sweep.slip_bounds.as_flattened_mut();
        if slip.onward {
            self.anderson.advance_onward(
                slip_bounds,
                &self.slip_bound_error,
                slip.damping,
                slip.stride,
            );
        } else {
            self.anderson.advance(slip_bounds, &self.slip_bound_error, slip.damping);
        }
    }

    /// Newton steps at fixed multipliers and `Γ`, from the velocity at hand; first of all with the `Γ` of
    /// this velocity if it is `new`.
    fn minimize(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
        progress: &mut Progress,
        new: bool,
    ) -> Measure {
        let size = (problem.manifolds.len() * 4) as Double;
        let (sweep, v, penalty) = (&mut self.sweep, &self.velocity, progress.penalty);
        let mut measure = progress.measured.take().unwrap_or_else(|| {
            progress.work += size;
            if new && !sweep.frozen {
                sweep.evaluate::<true>(problem, v, &self.joint, penalty)
            } else {
                sweep.evaluate::<false>(problem, v, &self.joint, penalty)
            }
        });
        let steps_max = if progress.at_hand { STEPS_AT_HAND } else { params.newton_max };
        for _ in 0..steps_max {
            let target = target(progress.aim, measure.residual);
            let met = measure.gradient <= target && measure.joint <= target;
            if met || progress.work > progress.work_max {
                break;
            }
            let made = FactorState::Made {
                double: progress.double,
                penalty: progress.penalty,
                by_load: self.sweep.by_load,
            };
            let fresh = progress.poor || memory.state != made;
            if fresh && (progress.at_hand || !self.factor(problem, memory, progress)) {
                break;
            }
            progress.stats.iterations += 1;
            self.find_step(problem, memory, progress.double);
            progress.work += SOLVE * memory.pattern.blocks() as Double;
            let meets_joints = measure.joint > target;
            let mut found = self.search(problem, progress, &measure, meets_joints);
            if found.is_none() && fresh && progress.double && !problem.joints.is_empty() {
                // What the step does for the joints may outweigh its descent where little is left of either.
                let next = self.search(problem, progress, &measure, true);
                found = next.filter(|next| next.gradient < POOR * measure.gradient);
            }
            let Some(next) = found else {
                if fresh && progress.double {
                    break;
                }
                // No direction of descent: the factor is too old, or has too few digits if it is new.
                (progress.double, progress.poor) = (progress.double || fresh, true);
                let (v, penalty) = (&self.velocity, progress.penalty);
                measure = self.sweep.evaluate::<false>(problem, v, &self.joint, penalty);
                progress.work += size;
                continue;
            };
            core::mem::swap(&mut self.velocity, &mut self.trial);
            core::mem::swap(&mut self.joint, &mut self.trial_joint);
            // A factor of another problem may not know how soft a row is: its step leaves the joints.
            let left = if meets_joints && next.joint > target { next.joint } else { 0.0 };
            progress.poor = next.gradient.max(left) > POOR * measure.gradient.max(measure.joint);
            measure = next;
        }
        measure
    }

    /// Goes along the step until the derivative has fallen enough; the point is in `trial`. None if the
    /// step does not descend. The first full step meets the joints, whatever it does to the rest.
    fn search(
        &mut self,
        problem: &ManifoldProblem<'_>,
        progress: &mut Progress,
        start: &Measure,
        meets_joints: bool,
    ) -> Option<Measure> {
        let slope = self.sweep.slope(&self.step);
        if !slope.is_finite() || (slope >= 0.0 && !meets_joints) {
            return None;
        }
        let size = (problem.manifolds.len() * 4) as Double;
        let (mut t, mut low, mut high) = (1.0, 0.0, 0.0);
        let (mut slope_low, mut slope_high) = (slope, 0.0);
        let mut measure = *start;
        for trial in 0..10 {
            for (x, (v, d)) in self.trial.iter_mut().zip(self.velocity.iter().zip(&self.step)) {
                for k in 0..6 {
                    x[k] = v[k] + t * d[k];
                }
            }
            let joints = self.joint.iter().zip(&self.joint_step);
            self.trial_joint.iter_mut().zip(joints).for_each(|(x, (c, d))| *x = c + t * d);
            let penalty = progress.penalty;
            measure =
                self.sweep.evaluate::<false>(problem, &self.trial, &self.trial_joint, penalty);
            progress.work += size;
            let now = self.sweep.slope(&self.step);
            // So far the problem is not finite.
            if !now.is_finite() {
                return None;
            }
            let fallen = now <= POOR * slope.abs() && (now >= -POOR * slope.abs() || t == 1.0);
            if fallen || meets_joints || measure.gradient < POOR * start.gradient {
                return Some(measure);
            }
            if now > 0.0 {
                (high, slope_high) = (t, now);
            } else {
                (low, slope_low) = (t, now);
            }
            let secant = low + (high - low) * slope_low / (slope_low - slope_high);
            t = if trial % 3 == 2 {
                0.5 * (low + high)
            } else {
                let edge = GUARD * (high - low);
                secant.max(low + edge).min(high - edge)
            };
            if t < Double::from(Single::EPSILON) || t.is_nan() {
                return None;
            }
        }
        Some(measure)
    }
}
