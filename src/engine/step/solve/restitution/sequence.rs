//! Impacts in sequence: pairs of bodies strike each other one after the other, the fastest first.
//!
//! Input: velocities before the step, manifolds that are closed at its end. Output: velocities and impulses
//! after the last impact. A blow on bodies in contact runs through them as a wave, of which each impact is
//! a meeting of two bodies (sequential impacts; Glocker, Multibody Syst. Dyn. 12 (2004)). Of a manifold:
//!
//! ```text
//! normal     w_n⁺ ≥ -e w_n⁻ ⊥ l_n ≥ 0               Newton's, on its lanes that approach; w_n⁺ ≥ 0 on others
//! friction   l_t = argmin T(v),  |l_t| ≤ μ l_n      what of the slip the whole blow can stop
//! ```
//!
//! until nothing approaches faster than the threshold. The first gains no energy: `Σ l_n (w_n⁻ + w_n⁺)/2 ≤ 0`
//! where all lanes approach, else the impulses are scaled to that; the second only loses. Momentum is kept
//! to rounding. Manifolds that approach alike strike at once, so that what is symmetric stays so.
//!
//! Then all contacts together hold what the whole step's forces do, and bodies that parted go on parting:
//!
//! ```text
//! M (v⁺ - v_s - v* + v_0) = Jᵀ d      w_n(v⁺) ≥ max(w_n(v_s), 0) where it struck, u / |w_n(v_0)| times in S
//! ```
//!
//! Joints hold in this last solve only. Five equal balls, the first with 2 m/s and e = 1: 0 0 0 0 2. At most
//! [`IMPACTS_MAX`] impacts for each manifold, O(manifolds) each; the step counts as not solved beyond.

use super::BounceScratch;
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold};
use crate::engine::lcp::rows::dot3;
use crate::engine::lcp::{BodyBlock, SolveStats, Status, Vec6};
use crate::engine::step::solve::island::Island;
use crate::engine::step::solve::solvers::Bench;
use crate::engine::tuning::sequence::{ALIKE, EXACT, IMPACTS_MAX, SWEEPS_MAX};
use crate::math::refill;
use crate::math::{Double, widen};

/// Buffers of impacts in sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct SequenceScratch {
    /// Velocities after the impacts so far.
    velocity: Vec<Vec6>,
    /// Which of the bodies the last impact moved; one more for the fixed world.
    moved: Vec<bool>,
    /// Impulses of the impacts so far, of each contact [N·s].
    impulse: Vec<[Double; 3]>,
    /// Fastest approach of each manifold [m/s].
    approach: Vec<Double>,
    /// Manifolds that strike now.
    now: Vec<Strike>,
}

/// A manifold that strikes.
#[derive(Clone, Copy, Debug)]
struct Strike {
    manifold: usize,
    closed: u8,
    /// Normal velocities before.
    before: Lanes,
    /// Impulses, along the normal and across.
    normal: Lanes,
    across: LaneVectors,
}

impl BounceScratch {
    /// The impacts, then what follows from them.
    pub(super) fn sequence(&mut self, bench: &mut Bench<'_, '_, '_>) -> SolveStats {
        let ended = self.strike(bench.island);
        let mut stats = self.follow(bench);
        self.check(bench, &mut stats);
        if !ended {
            stats.status = Status::IterationLimit;
        }
        stats
    }

    /// Lets manifolds strike until nothing approaches; false if that does not come to an end.
    pub(super) fn strike(&mut self, island: &Island<'_, '_>) -> bool {
        let step = &*island.step;
        let (bodies, manifolds) = (&*step.bodies, &*step.manifolds);
        let settings = island.settings;
        let slow = widen(settings.contact.restitution_speed).max(settings.solver.tolerance);
        let s = &mut self.sequence;
        s.velocity.clear();
        s.velocity.extend_from_slice(step.velocity_last);
        refill(&mut s.impulse, step.blows.len(), [0.0; 3]);
        refill(&mut s.approach, manifolds.len(), 0.0);
        refill(&mut s.moved, bodies.len() + 1, true);
        for _ in 0..IMPACTS_MAX * manifolds.len() {
            let fastest = s.look(manifolds, &self.lanes);
            if fastest <= slow {
                return true;
            }
            s.gather(manifolds, &self.lanes, fastest * (1.0 - ALIKE));
            s.stop(manifolds, bodies, fastest);
            s.rub(manifolds, bodies, fastest);
            s.count(manifolds);
        }
        s.look(manifolds, &self.lanes) <= slow
    }

    /// The solve for what the impacts leave.
    pub(super) fn follow(&mut self, bench: &mut Bench<'_, '_, '_>) -> SolveStats {
        let (step, s) = (&mut *bench.island.step, &self.sequence);
        for (i, body) in step.bodies.iter_mut().enumerate() {
            let (after, before) = (&s.velocity[i], &step.velocity_last[i]);
            (0..6).for_each(|k| body.velocity_free[k] += after[k] - before[k]);
            step.relaxed.velocity[i] = body.velocity_free;
        }
        for (k, m) in step.manifolds.iter_mut().enumerate() {
            for lane in 0..m.count as usize {
                let contact = m.first as usize + lane;
                if s.impulse[contact] == [0.0; 3] {
                    continue;
                }
                step.relaxed.contact_impulse[contact] = [0.0; 3];
                let [first, parts] = [step.velocity_last, &s.velocity]
                    .map(|velocity| dot3(&m.normal, &m.velocity(lane, velocity)));
                let gain = if self.lanes[k][0] >> lane & 1 != 0 {
                    self.speed[k][lane] / -first
                } else {
                    1.0
                };
                m.bias[lane] = -gain * parts.max(0.0);
            }
        }
        let stats = bench.solve(true);
        self.free(bench.island.step);
        let step = &mut *bench.island.step;
        for (sum, impulse) in step.relaxed.contact_impulse.iter_mut().zip(&self.sequence.impulse) {
            (0..3).for_each(|k| sum[k] += impulse[k]);
        }
        for (m, [_, closed]) in step.manifolds.iter_mut().zip(&self.lanes) {
            for lane in (0..LANES).filter(|lane| closed >> lane & 1 != 0) {
                m.bias[lane] = 0.0;
            }
        }
        stats
    }
}

impl SequenceScratch {
    /// Looks at the manifolds of bodies that moved; the fastest approach of all.
    fn look(&mut self, manifolds: &[Manifold], lanes: &[[u8; 2]]) -> Double {
        let mut fastest: Double = 0.0;
        for ((m, [_, closed]), approach) in manifolds.iter().zip(lanes).zip(&mut self.approach) {
            if self.moved[m.a as usize] || self.moved[m.b as usize] {
                let normal = |lane| dot3(&m.normal, &m.velocity(lane, &self.velocity));
                let lanes = (0..LANES).filter(|lane| closed >> lane & 1 != 0);
                *approach = lanes.map(|lane| -normal(lane)).fold(0.0, Double::max);
            }
            fastest = fastest.max(*approach);
        }
        fastest
    }

    /// Gathers the manifolds that approach at least so fast.
    fn gather(&mut self, manifolds: &[Manifold], lanes: &[[u8; 2]], least: Double) {
        self.now.clear();
        self.moved.fill(false);
        for (k, m) in manifolds.iter().enumerate() {
            if self.approach[k] < least {
                continue;
            }
            let mut before = Lanes::default();
            for lane in 0..m.count as usize {
                before[lane] = dot3(&m.normal, &m.velocity(lane, &self.velocity));
            }
            let (normal, across) = (Lanes::default(), LaneVectors::default());
            self.now.push(Strike { manifold: k, closed: lanes[k][1], before, normal, across });
            // The fixed world has the index after the last body, and does not move.
            for i in [m.a as usize, m.b as usize] {
                self.moved[i] = i < self.velocity.len();
            }
        }
    }

    /// Normal impulses, by sweeps.
    fn stop(&mut self, manifolds: &[Manifold], bodies: &[BodyBlock], fastest: Double) {
        self.sweep(manifolds, fastest, |strike, m, lane, velocity| {
            let goal = m.restitution * (-strike.before[lane]).max(0.0);
            let rate = dot3(&m.normal, &m.velocity(lane, velocity));
            let next = strike.normal[lane] + (goal - rate) / m.compliance[lane];
            let by = next.max(0.0) - strike.normal[lane];
            strike.normal[lane] += by;
            m.strike(lane, m.normal.map(|n| n * by), bodies, velocity);
            by.abs() * m.compliance[lane]
        });
        let velocity = &mut self.velocity;
        let (mut first, mut last) = (0.0, 0.0);
        for strike in &self.now {
            let m = &manifolds[strike.manifold];
            for lane in lanes(strike.closed, m) {
                let after = dot3(&m.normal, &m.velocity(lane, velocity));
                first += strike.normal[lane] * strike.before[lane];
                last += strike.normal[lane] * after;
            }
        }
        if first + last <= 0.0 {
            return;
        }
        // On the way from no impulse the work is t first + t² (last - first)/2.
        let part = (2.0 * first / (first - last)).clamp(0.0, 1.0);
        for strike in &mut self.now {
            let m = &manifolds[strike.manifold];
            for lane in lanes(strike.closed, m) {
                let by = (part - 1.0) * strike.normal[lane];
                strike.normal[lane] += by;
                m.strike(lane, m.normal.map(|n| n * by), bodies, velocity);
            }
        }
    }

    /// Friction, by sweeps each of which lowers the energy.
    fn rub(&mut self, manifolds: &[Manifold], bodies: &[BodyBlock], fastest: Double) {
        self.sweep(manifolds, fastest, |strike, m, lane, velocity| {
            let most = m.friction * strike.normal[lane];
            if most <= 0.0 {
                return 0.0;
            }
            let slip = across(m, m.velocity(lane, velocity));
            let compliance = slip_compliance(m, lane, bodies);
            let last = [0, 1, 2].map(|k| strike.across[k][lane]);
            let mut next: [Double; 3] = core::array::from_fn(|k| last[k] - slip[k] / compliance);
            let length = dot3(&next, &next).sqrt();
            if length > most {
                next = next.map(|x| x * (most / length));
            }
            let by: [Double; 3] = core::array::from_fn(|k| next[k] - last[k]);
            (0..3).for_each(|k| strike.across[k][lane] = next[k]);
            m.strike(lane, by, bodies, velocity);
            dot3(&by, &by).sqrt() * compliance
        });
    }

    /// Sweeps over the lanes that strike until `correct` changes no velocity by much; it returns by how
    /// much it did [m/s].
    fn sweep(
        &mut self,
        manifolds: &[Manifold],
        fastest: Double,
        mut correct: impl FnMut(&mut Strike, &Manifold, usize, &mut [Vec6]) -> Double,
    ) {
        for _ in 0..SWEEPS_MAX {
            let mut change: Double = 0.0;
            for strike in &mut self.now {
                let m = &manifolds[strike.manifold];
                for lane in lanes(strike.closed, m) {
                    change = change.max(correct(strike, m, lane, &mut self.velocity));
                }
            }
            if change <= EXACT * fastest {
                break;
            }
        }
    }

    /// Counts the impulses among all.
    fn count(&mut self, manifolds: &[Manifold]) {
        for strike in &self.now {
            let m = &manifolds[strike.manifold];
            for lane in lanes(strike.closed, m) {
                let sum = &mut self.impulse[m.first as usize + lane];
                for k in 0..3 {
                    sum[k] += m.normal[k] * strike.normal[lane] + strike.across[k][lane];
                }
            }
        }
    }
}

/// Lanes that can strike.
fn lanes(closed: u8, m: &Manifold) -> impl Iterator<Item = usize> + '_ {
    (0..m.count as usize).filter(move |lane| closed >> lane & 1 != 0 && m.compliance[*lane] > 0.0)
}

/// The part of a vector across the normal.
fn across(m: &Manifold, v: [Double; 3]) -> [Double; 3] {
    let along = dot3(&m.normal, &v);
    core::array::from_fn(|k| v[k] - along * m.normal[k])
}

/// Largest compliance across the normal [1/kg].
fn slip_compliance(m: &Manifold, lane: usize, bodies: &[BodyBlock]) -> Double {
    let [_, u, v] = m.frame();
    let [by_u, by_v] = [u, v].map(|d| m.response(lane, d, bodies));
    let (uu, uv, vv) = (dot3(&u, &by_u), dot3(&u, &by_v), dot3(&v, &by_v));
    let (mean, half) = (0.5 * (uu + vv), 0.5 * (uu - vv));
    mean + (half * half + uv * uv).sqrt()
}
