//! Blows: an interior point method for what no earlier solution is near to.
//!
//! Input: an island of circular cones without joints, a velocity and impulses to start from. Output: a velocity
//! and impulses near the solution, from which the passes of the augmented Lagrangian end within a few steps. In
//! the stretched cones of `lorentz.rs`, with `z = T l` and `s = T⁻¹ (w + Γ n)`, it follows
//!
//! ```text
//! M (v - v*) = Jᵀ l,      s ∘ z = t / W_nn,      t → 0
//! ```
//!
//! by steps of Mehrotra's kind in the scaling of Nesterov and Todd: one matrix, that of Newton with
//! `D = T⁻¹ W⁻² T⁻¹`, and two solutions with it; the first one predicts by how much `t` may fall, and the
//! `Γ = μ |w_t|` of the end of the step, which the second one takes. Ten to twenty steps, whatever the island;
//! each costs a factor, two solutions and six sweeps over the contacts.

use core::array::from_fn;

use super::judged::Judged;
use super::kernel::{Sweep, lane_velocity, scatter};
use super::lorentz::{Lorentz, Scaling, length};
use super::problem::ManifoldProblem;
use super::round::slip_bound;
use super::state::{FactorState, NewtonMemory, NewtonParams, NewtonScratch, Progress};
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold};
use crate::engine::lcp::problem::Vec6;
use crate::engine::lcp::rows::mass_mul;
use crate::engine::tuning::descent::GUARD;
use crate::engine::tuning::newton::{AT_REST, MANY, PRODUCT, SOLVE, START, STRUCK};
use crate::engine::tuning::pressed::BEYOND;
use crate::math::{Double, refill};

/// The contacts of a manifold on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inner {
    /// `s = T⁻¹ (w + Γ n)` and `z = T l`, and the step of both.
    s: Lorentz,
    z: Lorentz,
    ds: Lorentz,
    dz: Lorentz,
    /// By how much the velocities are not `s` yet.
    unmet: Lorentz,
    scaling: Scaling,
    /// `W_nn`, and one for lanes in use, zero for the others.
    compliance: Lanes,
    used: Lanes,
}

/// How far on the way it is.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// Mean of `W_nn s · z` [m²/s²].
    gap: Double,
    /// Largest velocity that is not met, and largest `W_nn l_n` [m/s].
    unmet: Double,
    load: Double,
}

/// The coefficient by which normals are stretched.
fn stretch(m: &Manifold) -> Double {
    if m.friction > 0.0 { m.friction } else { 1.0 }
}

/// `T⁻¹ (w + Γ n)`.
#[inline(always)]
fn speeds(m: &Manifold, velocity: &[Vec6]) -> Lorentz {
    let mut u = lane_velocity(m, velocity, true);
    let slip = slip_bound(m, &u);
    for k in 0..3 {
        for l in 0..LANES {
            u[k][l] += (m.bias[l] + slip[l]) * m.normal[k];
        }
    }
    Lorentz::of(&m.normal, m.friction, 1.0 / stretch(m), &u)
}

fn largest(x: &Lanes) -> Double {
    x.iter().fold(0.0, |a: Double, &b| a.max(b))
}

impl Inner {
    /// Near the velocities and impulses at hand, at least `speed` within the cones [m/s].
    fn begin(m: &Manifold, velocity: &[Vec6], impulse: &LaneVectors, speed: Double) -> Self {
        let compliance = m.compliance;
        let used = from_fn(|l| {
            let used = l < m.count as usize && compliance[l] > 0.0;
            if used { 1.0 } else { 0.0 }
        });
        let start = |x: Lorentz, least: &Lanes| {
            let size = length(&x.across);
            let along = from_fn(|l| x.along[l].max(size[l] + least[l]));
            let across = x.across.map(|x| from_fn(|l| used[l] * x[l]));
            Lorentz { along, across }
        };
        let of = Lorentz::of(&m.normal, m.friction, stretch(m), impulse);
        let least = from_fn(|l| if used[l] > 0.0 { speed / compliance[l] } else { 1.0 });
        let (s, z) = (start(speeds(m, velocity), &[speed; LANES]), start(of, &least));
        Self { s, z, compliance, used, ..Self::default() }
    }

    /// Takes what is not met at a velocity, and the scaling; the gap of every lane, and the impulses that
    /// the first solution starts from.
    #[inline(always)]
    fn measure(&mut self, m: &Manifold, velocity: &[Vec6]) -> (Lanes, LaneVectors) {
        let used = &self.used;
        self.unmet = Lorentz::sum(used, &speeds(m, velocity), &used.map(|x| -x), &self.s);
        self.scaling = Scaling::of(&self.s, &self.z);
        let product = self.s.dot(&self.z);
        let gap = from_fn(|l| used[l] * product[l] * self.compliance[l]);
        (gap, self.impulses(m, &self.scaling.invert_twice(&self.unmet), -1.0))
    }

    /// `± T⁻¹ x` of the lanes in use.
    #[inline(always)]
    fn impulses(&self, m: &Manifold, x: &Lorentz, sign: Double) -> LaneVectors {
        let used = self.used.map(|used| sign * used);
        x.world(&m.normal, 1.0 / stretch(m)).map(|x| from_fn(|l| used[l] * x[l]))
    }

    /// The step of `s` and `z` by that of the velocities; `from` is what `z` changes by where they stay. How
    /// far it may be gone.
    #[inline(always)]
    fn go(&mut self, m: &Manifold, step: &[Vec6], from: &Lorentz) -> Lanes {
        let u = lane_velocity(m, step, false);
        let used = &self.used;
        let du = Lorentz::of(&m.normal, m.friction, 1.0 / stretch(m), &u);
        self.ds = Lorentz::sum(used, &du, used, &self.unmet);
        let back = self.scaling.invert_twice(&self.ds);
        self.dz = Lorentz::sum(used, from, &used.map(|x| -x), &back);
        let [s, z] = [self.s.reach(&self.ds), self.z.reach(&self.dz)];
        // What is not finite goes nowhere.
        let finite = |l: usize| (self.ds.along[l] + self.dz.along[l]).is_finite();
        from_fn(|l| match used[l] > 0.0 {
            true if finite(l) => s[l].min(z[l]),
            true => 0.0,
            false => Double::INFINITY,
        })
    }

    /// What the gap changes by along the step, in the first and second power of its length.
    #[inline(always)]
    fn gap_change(&self) -> [Lanes; 2] {
        let (a, b, c) = (self.s.dot(&self.dz), self.ds.dot(&self.z), self.ds.dot(&self.dz));
        let weight: Lanes = from_fn(|l| self.used[l] * self.compliance[l]);
        [from_fn(|l| weight[l] * (a[l] + b[l])), from_fn(|l| weight[l] * c[l])]
    }

    /// After the first solution: takes the `Γ` of its end, and puts in place of its `dz` what `z` changes by where
    /// velocities stay, to come to the gap `aim`. The impulses that the second one starts from.
    #[inline(always)]
    fn correct(&mut self, m: &Manifold, reach: Double, aim: Double) -> LaneVectors {
        let here = Lorentz::sum(&[1.0; LANES], &self.s, &[1.0; LANES], &self.unmet).across;
        let change = self.ds.plus(-1.0, &self.unmet).across;
        let there = from_fn(|k| from_fn(|l| here[k][l] + reach * change[k][l]));
        let (before, after) = (length(&here), length(&there));
        let scaling = &self.scaling;
        let lambda = scaling.apply(&self.z);
        let second = scaling.invert(&self.ds).product(&scaling.apply(&self.dz));
        let mut rest = lambda.product(&lambda).plus(1.0, &second);
        for l in 0..LANES {
            self.unmet.along[l] += self.used[l] * (after[l] - before[l]);
            let compliance = if self.used[l] > 0.0 { self.compliance[l] } else { 1.0 };
            rest.along[l] -= aim / compliance;
        }
        let from = scaling.invert(&lambda.divide(&rest));
        self.dz = Lorentz::sum(&[-1.0; LANES], &from, &[0.0; LANES], &from);
        let sum = self.z.plus(1.0, &self.dz).plus(-1.0, &scaling.invert_twice(&self.unmet));
        self.impulses(m, &sum, 1.0)
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
        let way = 0.5 * params.newton_max as Double * step;
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
        let sweeps = 24.0 * problem.manifolds.len() as Double;
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
            let change = inner.gap_change();
            for l in 0..LANES {
                reach[l] = if far[l] < reach[l] { far[l] } else { reach[l] };
                changes[0][l] += change[0][l];
                changes[1][l] += change[1][l];
                count += inner.used[l];
            }
        }
        let t = reach.iter().fold(1.0, |a: Double, &b| a.min(b));
        let [a, b] = changes.map(|x| ((x[0] + x[1]) + (x[2] + x[3])) / count);
        let left = ((way.gap + t * a + t * t * b) / way.gap).max(0.0).min(1.0);
        // What is not met moves contacts by as much: without a gap of that they would be in the way.
        let least = (START * way.unmet * way.unmet).min(way.gap);
        let aim = (left * left * left * way.gap).max(least);
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
            for l in 0..LANES {
                reach[l] = if far[l] < reach[l] { far[l] } else { reach[l] };
            }
        }
        let t = ((1.0 - GUARD) * reach.iter().fold(Double::INFINITY, |a, &b| a.min(b))).min(1.0);
        if !(t > Double::EPSILON) {
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
