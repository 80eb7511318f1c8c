//! Minimizing the augmented Lagrangian: modified Newton steps with line search.
//!
//! Input: multipliers, `Γ`, a velocity, the factor at hand. Output: a velocity at which the gradient is small
//! beside the residual. The gradient is exact whatever the age of the factor; the line search asks of every
//! step that it descends.

use super::kernel::Measure;
use super::problem::ManifoldProblem;
use super::state::{FactorState, NewtonMemory, NewtonParams, NewtonScratch, Progress};
use crate::engine::tuning::descent::{POOR, POOR_AT_HAND, STEPS_AT_HAND};
use crate::engine::tuning::newton::SOLVE;
use crate::math::Double;

impl NewtonScratch {
    /// Newton steps at fixed multipliers and `Γ`, from the velocity at hand; first of all with the `Γ` of
    /// this velocity if it is `new`.
    pub(super) fn minimize(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
        progress: &mut Progress,
        new: bool,
    ) -> Measure {
        let size = (problem.manifolds.len() * 4) as Double;
        let (sweep, v, penalty) = (&mut self.sweep, &self.velocity, progress.penalty);
        let mut measure = if new && !sweep.frozen {
            sweep.evaluate::<true>(problem, v, &self.joint, penalty)
        } else {
            sweep.evaluate::<false>(problem, v, &self.joint, penalty)
        };
        progress.work += size;
        let steps_max = if progress.at_hand { STEPS_AT_HAND } else { params.newton_max };
        for _ in 0..steps_max {
            let target = (0.25 * progress.aim).max(0.1 * measure.residual);
            if measure.gradient <= target && measure.joint <= target {
                break;
            }
            if progress.work > progress.work_max {
                break;
            }
            let made = FactorState::Made { double: progress.double, penalty: progress.penalty };
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
                // No direction of descent even with a new factor: its digits are too few.
                progress.double |= fresh;
                // Not a direction of descent: the factor is too old.
                progress.poor = true;
                measure = self.evaluate_again(problem, progress);
                continue;
            };
            core::mem::swap(&mut self.velocity, &mut self.trial);
            core::mem::swap(&mut self.joint, &mut self.trial_joint);
            let left = if progress.at_hand { POOR_AT_HAND } else { POOR };
            progress.poor = next.gradient > left * measure.gradient.max(measure.joint);
            measure = next;
        }
        measure
    }

    fn evaluate_again(
        &mut self,
        problem: &ManifoldProblem<'_>,
        progress: &mut Progress,
    ) -> Measure {
        progress.work += (problem.manifolds.len() * 4) as Double;
        self.sweep.evaluate::<false>(problem, &self.velocity, &self.joint, progress.penalty)
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
            for (x, (c, d)) in self.trial_joint.iter_mut().zip(joints) {
                *x = c + t * d;
            }
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
                secant.max(low + 0.05 * (high - low)).min(high - 0.05 * (high - low))
            };
            if t < 1e-7 || t.is_nan() {
                return None;
            }
        }
        Some(measure)
    }
}
