//! Restitution: the carried velocity of an island in which bodies bounce.
//!
//! Input: an island whose biased problem is solved. Output: the carried velocity and the impulses of the
//! whole blow; poses move with the biased velocity as ever. A contact with restitution `e` that carries an
//! impulse and was approaching faster than a threshold *before the step* is an *impact*; a body at rest has
//! no such speed, whatever its load, the step and its fall in it, and so never bounces. Without impacts
//! nothing happens here.
//!
//! The blow is posed where the bodies are at the end of the step: contacts that are closed there have no
//! bias, the others are left to the next step. `v_f` is what the velocity would be without the blow, with
//! impacts open and all else as it is. An impact lies somewhere within the step, and the bodies are put
//! where they meet, so gravity has acted on the way that they make, not all through the step: with the
//! speeds `w` and the displacement `h w_n(v_b)`
//!
//! ```text
//! speed of an impact   u² = w_n(v_0)² + 2 (w_n(v_f) - w_n(v_0)) w_n(v_b)
//! ```
//!
//! which is the speed at the moment of the impact and has, where the bodies are put, the energy of the true
//! bounce. `c`, `d` are impulses of contacts and joints, `S` the impacts:
//!
//! ```text
//! compression     M (v_c - v*) = Jᵀ c            closed:  w_n(v_c) ≥ 0 ⊥ c_n ≥ 0,   friction on c
//! Poisson         M (v_p - v_c) = Jᵀ (d + x)     x_n = e c_n u / |w_n(v_f)| in S,  w_n(v_p) ≥ 0 ⊥ d_n ≥ 0
//!    friction     M (v⁺ - v_c) = Jᵀ d            w_n(v⁺) ≥ t in S,  friction on the whole of d
//! Newton          M (v⁺ - v*) = Jᵀ d             w_n(v⁺) ≥ e u in S,  friction on d
//! Sequence        pairwise impacts one after the other, see `sequence.rs`
//! ```
//!
//! (Poisson: Anitescu & Potra, Nonlinear Dyn. 14 (1997). Their friction in the decompression is bounded by
//! `μ (e c_n + d_n)`, a cone with its tip cut off. Here the cone is whole, and the aims `t`, at first
//! `w_n(v_p)`, are corrected until `d_n` is as it was without friction within 2 %; no solve where no impact
//! has friction, one for balls, two for a corner.) One ball on the ground gets the same from all: `e u`.
//!
//! **Energy.** No model may raise the energy beyond the work of what acts, see `energy.rs`. The inertia is
//! that of the pose of the end, too (`solve/ending.rs`), so that the angular momentum is kept as well.
//!
//! Cost: one to seven solves more in the step of an impact; else a look at each manifold. With Poisson and
//! Newton several balls in contact share a blow at once, as the equations say: the first of five equal
//! balls comes back with 3/5 of its speed and the others leave with 2/5; waves that run through a row are
//! resolved by impacts in sequence.

mod energy;
mod models;
mod poisson;
mod sequence;

use self::sequence::SequenceScratch;
use super::island::Island;
use super::solvers::{Bench, Solvers};
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::manifold::{LANES, Lanes, Manifold};
use crate::engine::lcp::rows::dot3;
use crate::engine::lcp::{RollingRow, SolveStats, Status, Vec6};
use crate::engine::state::contact::Blow;
use crate::engine::step::assemble::{IslandStep, Unknowns};
use crate::engine::tuning::restitution::OPEN;
use crate::math::{Double, fill_from, widen};

/// Buffers of the bounces; their content never influences a result.
#[derive(Clone, Debug, Default)]
pub(super) struct BounceScratch {
    /// Impacts and closed contacts of each manifold, a bit for each lane.
    lanes: Vec<[u8; 2]>,
    /// Biases as they were.
    bias: Vec<Lanes>,
    /// Velocities free of constraints, as they were.
    free: Vec<Vec6>,
    /// Speeds of the impacts, of each manifold [m/s], and what of them the compression finds too much or
    /// too little (-).
    speed: Vec<Lanes>,
    scale: Vec<Lanes>,
    /// Unknowns of the island after the compression, in the end, and half way.
    base: Unknowns,
    end: Unknowns,
    half: Unknowns,
    /// Normal impulses of the decompression, of each manifold.
    goal: Vec<Lanes>,
    /// Impulses on the bodies.
    force: Vec<Vec6>,
    /// Biases and bounds of the joint rows, as they were.
    rows: Vec<(Double, [Double; 2])>,
    /// Impacts in sequence.
    sequence: SequenceScratch,
}

impl BounceScratch {
    /// Finds the carried velocity by `find`, at the poses of the end, if bodies of the island bounce.
    fn solve_by(
        &mut self,
        bench: &mut Bench<'_, '_, '_>,
        find: impl FnOnce(&mut Self, &mut Bench<'_, '_, '_>) -> SolveStats,
    ) -> Option<SolveStats> {
        self.find(bench.island).then(|| {
            self.pose(bench.island);
            let mut stats = find(self, bench);
            self.settle(bench.island);
            self.certify(bench.state, bench.island, &mut stats);
            self.leave(bench.island.step);
            stats
        })
    }

    /// Counts the worst of the solves of a bounce, of what approaches at its end, and of velocities that are
    /// not those of their impulses.
    fn certify(&self, state: &mut Solvers, island: &mut Island<'_, '_>, stats: &mut SolveStats) {
        let natural_map = self.approach(island.step);
        let motion = state.certify(island, 1).motion;
        let end = Certificate { natural_map, motion, ..Certificate::default() };
        stats.certificate = stats.certificate.worse(end);
    }
}

/// Adds the work of a later solve, and keeps the worse outcome.
fn add(stats: &mut SolveStats, later: &SolveStats) {
    stats.iterations += later.iterations;
    stats.factorizations += later.factorizations;
    stats.work += later.work;
    if later.status != Status::Converged {
        stats.status = later.status;
    }
    if later.certificate.error() > stats.certificate.error() {
        stats.certificate = later.certificate;
    }
}

impl BounceScratch {
    /// Finds impacts and what is closed at the end of the step; is there any impact?
    fn find(&mut self, island: &Island<'_, '_>) -> bool {
        let step = &*island.step;
        let manifolds = &*step.manifolds;
        if manifolds.iter().all(|m| m.restitution <= 0.0) {
            return false;
        }
        let contact = &island.settings.contact;
        let speed_min = widen(contact.restitution_speed);
        let zone = widen(contact.dead_zone) * island.dt * island.dt;
        let (before, moved) = (step.velocity_last, &*step.biased.velocity);
        let impulses = &*step.biased.contact_impulse;
        self.lanes.clear();
        let mut any = false;
        for m in manifolds {
            let [mut impacts, mut closed] = [0; 2];
            for lane in 0..m.count as usize {
                let normal = |velocity| dot3(&m.normal, &m.velocity(lane, velocity));
                let carries = dot3(&m.normal, &impulses[m.first as usize + lane]) > 0.0;
                let stays = carries || m.gap[lane] + island.dt * normal(moved) <= zone;
                closed |= u8::from(stays) << lane;
                // Of contacts that say the same any may carry.
                let hits = stays && m.restitution > 0.0 && -normal(before) > speed_min;
                impacts |= u8::from(hits) << lane;
                any |= hits && carries;
            }
            self.lanes.push([impacts, closed]);
        }
        any
    }

    /// The impacts: manifold, lane.
    fn impacts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.lanes.iter().enumerate().flat_map(|(k, [impacts, _])| {
            (0..LANES).filter(move |lane| impacts >> lane & 1 != 0).map(move |lane| (k, lane))
        })
    }

    /// Poses the problem at the end of the step: no bias where contacts are closed.
    fn pose(&mut self, island: &mut Island<'_, '_>) {
        let step = &mut *island.step;
        step.take_push(-1.0);
        self.bias.clear();
        for (m, [_, closed]) in step.manifolds.iter_mut().zip(&self.lanes) {
            self.bias.push(m.bias);
            for lane in 0..m.count as usize {
                m.bias[lane] = if closed >> lane & 1 != 0 { 0.0 } else { OPEN };
            }
        }
        fill_from(&mut self.free, step.bodies.iter().map(|body| body.velocity_free));
    }

    /// Finds the speeds of the impacts; the solve without the blow if something else holds the bodies.
    fn locate(&mut self, bench: &mut Bench<'_, '_, '_>) -> Option<SolveStats> {
        let held = self.lanes.iter().any(|[impacts, closed]| closed & !impacts != 0);
        let stats = (held || !bench.island.step.joints.is_empty()).then(|| {
            self.aim_at(bench.island, |_, _| OPEN);
            let stats = bench.solve(true);
            self.aim_at(bench.island, |_, _| 0.0);
            stats
        });
        let island = &*bench.island;
        let step = &*island.step;
        let (before, moved) = (step.velocity_last, &*step.biased.velocity);
        let calm = if stats.is_some() { &*step.relaxed.velocity } else { &self.free };
        self.speed.clear();
        self.scale.clear();
        for (m, [impacts, _]) in step.manifolds.iter().zip(&self.lanes) {
            let (mut speed, mut scale) = (Lanes::default(), Lanes::default());
            for lane in (0..m.count as usize).filter(|lane| impacts >> lane & 1 != 0) {
                let [first, last, way] =
                    [before, calm, moved].map(|v| dot3(&m.normal, &m.velocity(lane, v)));
                speed[lane] = (first * first + 2.0 * (last - first) * way).max(0.0).sqrt();
                scale[lane] = if last < 0.0 { -speed[lane] / last } else { 0.0 };
            }
            self.speed.push(speed);
            self.scale.push(scale);
        }
        stats
    }

    /// Largest speed at which closed contacts approach each other with the carried velocity [m/s].
    fn approach(&self, step: &IslandStep<'_>) -> Double {
        let mut most: Double = 0.0;
        for (m, [_, closed]) in step.manifolds.iter().zip(&self.lanes) {
            for lane in (0..m.count as usize).filter(|lane| closed >> lane & 1 != 0) {
                most = most.max(-dot3(&m.normal, &m.velocity(lane, step.relaxed.velocity)));
            }
        }
        most
    }

    /// Puts the problem back.
    fn settle(&self, island: &mut Island<'_, '_>) {
        let step = &mut *island.step;
        step.manifolds.iter_mut().zip(&self.bias).for_each(|(m, bias)| m.bias = *bias);
        step.take_push(1.0);
        self.free(step);
        let blows = &mut *step.blows;
        blows.fill(Blow::Near);
        for (k, lane) in self.impacts() {
            blows[step.manifolds[k].first as usize + lane] = Blow::Hit;
        }
    }

    /// Leaves warm starts without the blow.
    fn leave(&self, step: &mut IslandStep<'_>) {
        let (from, to) = (&step.biased, &mut step.relaxed);
        to.rolling_impulse.copy_from_slice(from.rolling_impulse);
    }

    /// Puts the free velocities back.
    fn free(&self, step: &mut IslandStep<'_>) {
        for (body, free) in step.bodies.iter_mut().zip(&self.free) {
            body.velocity_free = *free;
        }
    }

    /// Newton's aims.
    fn aim(&self, island: &mut Island<'_, '_>) {
        let manifolds = island.step.manifolds.iter_mut();
        for ((m, [impacts, _]), speed) in manifolds.zip(&self.lanes).zip(&self.speed) {
            for lane in (0..m.count as usize).filter(|lane| impacts >> lane & 1 != 0) {
                m.bias[lane] = -m.restitution * speed[lane];
            }
        }
    }

    /// Sets the biases of the impacts.
    fn aim_at(&self, island: &mut Island<'_, '_>, bias: impl Fn(&Manifold, usize) -> Double) {
        self.set_bias(&mut *island.step.manifolds, bias);
    }

    fn set_bias(&self, manifolds: &mut [Manifold], bias: impl Fn(&Manifold, usize) -> Double) {
        for (m, [impacts, _]) in manifolds.iter_mut().zip(&self.lanes) {
            for lane in (0..m.count as usize).filter(|lane| impacts >> lane & 1 != 0) {
                m.bias[lane] = bias(m, lane);
            }
        }
    }
}

/// Visits the rolling rows of an island with their manifolds.
pub(super) fn each_rolling(
    step: &IslandStep<'_>,
    mut visit: impl FnMut(&RollingRow, &Manifold, usize),
) {
    let mut rolling = step.rolling.iter().enumerate().peekable();
    for m in &*step.manifolds {
        let end = m.first + m.count;
        while let Some((k, row)) = rolling.next_if(|(_, row)| row.contact < end) {
            visit(row, m, k);
        }
    }
}

#[cfg(test)]
mod tests;
