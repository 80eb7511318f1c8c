//! Blows: an interior point method for what no earlier solution is near to.
//!
//! Input: an island of circular cones without joints, a velocity and impulses to start from. Output: a
//! velocity and impulses near the solution, from which the passes of the augmented Lagrangian end within a
//! few steps. In the stretched cones of `lorentz.rs`, with `z = T l` and `s = T⁻¹ (w + Γ n)`, it follows
//!
//! ```text
//! M (v - v*) = Jᵀ l,      s ∘ z = t / W_nn,      t → 0
//! ```
//!
//! by steps of Mehrotra's kind in the scaling of Nesterov and Todd: one matrix, that of Newton with
//! `D = T⁻¹ W⁻² T⁻¹`, and two solutions with it; the first one predicts by how much `t` may fall, and the
//! `Γ = μ |w_t|` of the end of the step, which the second one takes. Ten to twenty steps, whatever the
//! island; each costs a factor, two solutions and six sweeps over the contacts (`inner.rs`).

use core::array::from_fn;

use super::inner::{Inner, stretch};
use super::judged::Judged;
use super::kernel::{Sweep, lane_velocity, scatter};
use super::lorentz::length;
use super::problem::ManifoldProblem;
use super::state::{FactorState, NewtonMemory, NewtonParams, NewtonScratch, Progress};
use crate::engine::lcp::manifold::{LANES, Lanes};
use crate::engine::lcp::problem::Vec6;
use crate::engine::lcp::rows::mass_mul;
use crate::engine::tuning::descent::GUARD;
use crate::engine::tuning::newton::{AT_REST, MANY, PRODUCT, SOLVE, START, STRUCK};
use crate::engine::tuning::pressed::BEYOND;
use crate::math::{Double, refill};

/// How far on the way it is.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// Mean of `W_nn s · z` [m²/s²].
    gap: Double,
    /// Largest velocity that is not met, and largest `W_nn l_n` [m/s].
    unmet: Double,
    load: Double,
}

fn largest(x: &Lanes) -> Double {
    x.iter().fold(0.0, |a: Double, &b| a.max(b))
}

/// Shortens what may be gone to what each lane may go.
fn shorten(reach: &mut Lanes, far: &Lanes) {
    for l in 0..LANES {
        reach[l] = if far[l] < reach[l] { far[l] } else { reach[l] };
    }
}

/// `M (v - v*)` of the bodies.
fn momenta(problem: &ManifoldProblem<'_>, velocity: &[Vec6], sweep: &mut Sweep) {
    for (i, body) in problem.bodies.iter().enumerate() {
        let change = from_fn(|k| velocity[i][k] - body.velocity_free[k]);
        sweep.gradient[i] = mass_mul(body, &change);
    }
    sweep.gradient[problem.bodies.len()] = [0.0; 6];
}

impl NewtonScratch {
    /// Are there circular cones alone, enough for passes to be dear, and is there work for the whole way?
    pub(super) fn suits_inside(
        &self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &NewtonMemory,
        progress: &Progress,
    ) -> bool {
        // With more friction there may be several solutions, and the nearest one is asked for.
        let smooth = problem.manifolds.iter().all(|m| m.friction <= 1.0);
        let plain = problem.joints.is_empty() && !self.sweep.frozen && !self.sweep.cones.any();
        let step = PRODUCT * memory.pattern.work() as Double + self.step_work(problem, memory);
        let way = params.newton_max as Double * step;
        plain && smooth && !problem.is_tiny() && progress.work + way <= progress.work_max
    }

    /// Do many contacts err by more than what small steps leave, with the impulses and the velocity that were
    /// judged last?
    pub(super) fn are_many_struck(&self, problem: &ManifoldProblem<'_>) -> bool {
        let (mut struck, mut all) = (0, 0);
        for (m, l) in problem.manifolds.iter().zip(&self.sweep.impulse) {
            let mut judged = Judged::default();
            judged.judge(m, l, lane_velocity(m, &self.rebuilt, true), None);
            struck += judged.above(STRUCK);
            all += m.count as usize;
        }
        struck as Double >= MANY * all as Double
    }

    /// Work of a step beside its factor.
    fn step_work(&self, problem: &ManifoldProblem<'_>, memory: &NewtonMemory) -> Double {
        let sweeps = 6.0 * (LANES * problem.manifolds.len()) as Double;
        sweeps + 2.0 * SOLVE * memory.pattern.blocks() as Double
    }

    /// Goes from the velocity and impulses at hand to near the solution.
    pub(super) fn go_inside(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
        progress: &mut Progress,
    ) {
        let error = progress.stats.certificate.error();
        let (speed, velocity) = (START * error, &self.velocity);
        self.inner.clear();
        let impulses = problem.manifolds.iter().zip(&self.sweep.impulse);
        self.inner.extend(impulses.map(|(m, l)| Inner::begin(m, velocity, l, speed)));
        refill(&mut self.sweep.inner, problem.manifolds.len(), [[0.0; LANES]; 6]);
        // What has no solution pushes more and more, along the proof of that.
        let (aim, load_max) = (AT_REST * progress.aim, BEYOND * BEYOND * error);
        for _ in 0..params.newton_max {
            let way = self.measure_inside(problem);
            let ends = way.gap <= aim * aim && way.unmet <= aim;
            if ends
                || way.load > load_max
                || progress.work > progress.work_max
                || !self.factor(problem, memory, progress)
                || !self.step_inside(problem, memory, progress, way)
            {
                break;
            }
        }
        let impulses = self.sweep.impulse.iter_mut().zip(&self.inner);
        for ((l, inner), m) in impulses.zip(problem.manifolds) {
            *l = inner.impulses(m, &inner.z, 1.0);
        }
        progress.penalty = params.penalty;
        self.sweep.inner.clear();
        memory.state = FactorState::None;
    }

    /// Where it is, with the matrix and the right side of the first solution.
    fn measure_inside(&mut self, problem: &ManifoldProblem<'_>) -> Way {
        let (sweep, velocity) = (&mut self.sweep, &self.velocity);
        momenta(problem, velocity, sweep);
        let (mut gap, mut unmet, mut load) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let mut count = 0.0;
        for (i, (m, inner)) in problem.manifolds.iter().zip(&mut self.inner).enumerate() {
            let (gaps, impulses) = inner.measure(m, velocity);
            scatter(m, &impulses, -1.0, &mut sweep.gradient);
            sweep.inner[i] = inner.scaling.stiffness(&m.normal, m.friction);
            let size = length(&inner.unmet.across);
            for l in 0..LANES {
                gap[l] += gaps[l];
                let most = inner.unmet.along[l].abs().max(size[l]);
                unmet[l] = if most > unmet[l] { most } else { unmet[l] };
                let push = inner.used[l] * inner.compliance[l] * inner.z.along[l] / stretch(m);
                load[l] = if push > load[l] { push } else { load[l] };
                count += inner.used[l];
                sweep.inner[i].iter_mut().for_each(|x| x[l] *= inner.used[l]);
            }
        }
        let sum = (gap[0] + gap[1]) + (gap[2] + gap[3]);
        let gap = if count > 0.0 { sum / count } else { 0.0 };
        Way { gap, unmet: largest(&unmet), load: largest(&load) }
    }

    /// One step on the way; false if there is none.
    fn step_inside(
        &mut self,
        problem: &ManifoldProblem<'_>,
        memory: &NewtonMemory,
        progress: &mut Progress,
        way: Way,
    ) -> bool {
        progress.stats.iterations += 1;
        progress.work += self.step_work(problem, memory);
        self.find_step(problem, memory, progress.double);
        let (mut reach, mut changes, mut count) = ([1.0; LANES], [[0.0; LANES]; 2], 0.0);
        let manifolds = || problem.manifolds.iter();
        for (m, inner) in manifolds().zip(&mut self.inner) {
            let from = inner.z.plus(-2.0, &inner.z);
            let far = inner.go(m, &self.step, &from);
            shorten(&mut reach, &far);
            let change = inner.gap_change();
            for l in 0..LANES {
                changes[0][l] += change[0][l];
                changes[1][l] += change[1][l];
                count += inner.used[l];
            }
        }
        let t = reach.iter().fold(1.0, |a: Double, &b| a.min(b));
        let [a, b] = changes.map(|x| ((x[0] + x[1]) + (x[2] + x[3])) / count);
        let left = ((way.gap + t * a + t * t * b) / way.gap).max(0.0);
        // What is not met moves contacts by as much: without a gap of that they would be in the way.
        let least = (START * way.unmet * way.unmet).min(way.gap);
        let aim = ((left * left * left).min(1.0) * way.gap).max(least);
        momenta(problem, &self.velocity, &mut self.sweep);
        for (m, inner) in manifolds().zip(&mut self.inner) {
            let impulses = inner.correct(m, t, aim);
            scatter(m, &impulses, -1.0, &mut self.sweep.gradient);
        }
        self.find_step(problem, memory, progress.double);
        let mut reach = [Double::INFINITY; LANES];
        for (m, inner) in manifolds().zip(&mut self.inner) {
            let from = inner.dz;
            let far = inner.go(m, &self.step, &from);
            shorten(&mut reach, &far);
        }
        let t = ((1.0 - GUARD) * reach.iter().fold(Double::INFINITY, |a, &b| a.min(b))).min(1.0);
        if t <= Double::EPSILON {
            return false;
        }
        for inner in &mut self.inner {
            (inner.s, inner.z) = (inner.s.plus(t, &inner.ds), inner.z.plus(t, &inner.dz));
        }
        for (v, d) in self.velocity.iter_mut().zip(&self.step) {
            (0..6).for_each(|k| v[k] += t * d[k]);
        }
        true
    }
}
