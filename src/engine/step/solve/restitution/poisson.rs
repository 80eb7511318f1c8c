//! Poisson's hypothesis: what a contact took to stop the bodies, it gives back times e.

use super::{BounceScratch, add};
use crate::engine::lcp::SolveStats;
use crate::engine::lcp::manifold::{Lanes, Manifold};
use crate::engine::lcp::rows::{dot3, inverse_mass_mul};
use crate::engine::step::solve::island::Island;
use crate::engine::step::solve::solvers::Bench;
use crate::engine::tuning::poisson::{FRICTION_MAX, NEAR};
use crate::math::Double;
use crate::math::refill;

impl BounceScratch {
    /// Compression, decompression, friction of the decompression.
    pub(super) fn poisson(&mut self, bench: &mut Bench<'_, '_, '_>) -> SolveStats {
        let mut stats = bench.solve(true);
        self.base.take(&bench.island.step.relaxed);
        self.give_back(bench.island);
        self.leave_rest(bench.island);
        add(&mut stats, &bench.solve(true));
        if self.take_back(bench.island) {
            for _ in 0..FRICTION_MAX {
                add(&mut stats, &bench.solve(true));
                if !self.correct(bench.island) {
                    break;
                }
            }
        }
        let island = &mut *bench.island;
        self.free(island.step);
        let rows = &mut *island.step.joints;
        for (row, (bias, bounds)) in rows.iter_mut().zip(&self.rows) {
            (row.bias, row.bounds) = (*bias, *bounds);
        }
        island.step.relaxed.add_impulses(&self.base);
        self.guard(island);
        stats
    }

    /// Gives the impulses `x` of the impacts to the free velocities; the rest starts from zero.
    fn give_back(&mut self, island: &mut Island<'_, '_>) {
        let step = &mut *island.step;
        let manifolds = &*step.manifolds;
        refill(&mut self.force, step.bodies.len(), [0.0; 6]);
        let mut force = core::mem::take(&mut self.force);
        for (k, lane) in self.impacts() {
            let m = &manifolds[k];
            m.add_impulse(lane, self.given(k, m, lane), &mut force);
        }
        for (i, force) in force.iter().enumerate() {
            let body = &mut step.bodies[i];
            let (from, change) = (&self.base.velocity[i], inverse_mass_mul(body, force));
            body.velocity_free = core::array::from_fn(|k| from[k] + change[k]);
            step.relaxed.velocity[i] = body.velocity_free;
        }
        self.force = force;
        step.relaxed.contact_impulse.fill([0.0; 3]);
        step.relaxed.joint_impulse.fill(0.0);
        step.relaxed.rolling_impulse.fill([0.0; 3]);
    }

    /// Leaves joint rows what they have not given in the compression: springs know their whole impulse,
    /// motors and friction have one force for both. Hard limits push once more where they must, like
    /// contacts.
    fn leave_rest(&mut self, island: &mut Island<'_, '_>) {
        let rows = &mut *island.step.joints;
        self.rows.clear();
        for (row, c) in rows.iter_mut().zip(&self.base.joint_impulse) {
            self.rows.push((row.bias, row.bounds));
            row.bias += row.softness * c;
            if row.softness > 0.0 || row.bounds.iter().all(|bound| bound.is_finite()) {
                row.bounds = row.bounds.map(|bound| bound - c);
            }
        }
    }

    /// `x_n n` of an impact in manifold `k`.
    fn given(&self, k: usize, m: &Manifold, lane: usize) -> [Double; 3] {
        let taken = dot3(&m.normal, &self.base.contact_impulse[m.first as usize + lane]).max(0.0);
        let part = m.restitution * self.scale[k][lane];
        m.normal.map(|n| n * (part * taken))
    }

    /// Counts those impulses among those of the decompression, and aims at the velocities they gave. Is
    /// there friction for which it must be solved again?
    fn take_back(&mut self, island: &mut Island<'_, '_>) -> bool {
        let step = &mut *island.step;
        let mut rubs = !step.rolling.is_empty();
        let impulses = &mut *step.relaxed.contact_impulse;
        let mut goals = core::mem::take(&mut self.goal);
        refill(&mut goals, step.manifolds.len(), Lanes::default());
        for (k, lane) in self.impacts() {
            let m = &step.manifolds[k];
            let (given, sum) = (self.given(k, m, lane), &mut impulses[m.first as usize + lane]);
            (0..3).for_each(|k| sum[k] += given[k]);
            rubs |= m.friction > 0.0;
        }
        for (goal, m) in goals.iter_mut().zip(&*step.manifolds) {
            for lane in 0..m.count as usize {
                goal[lane] = dot3(&m.normal, &impulses[m.first as usize + lane]);
            }
        }
        self.goal = goals;
        if rubs {
            let members = step.bodies.iter_mut();
            for (body, from) in members.zip(&self.base.velocity) {
                body.velocity_free = *from;
            }
            let (velocity, impulses) = (&*step.relaxed.velocity, &*step.relaxed.contact_impulse);
            let manifolds = &mut *step.manifolds;
            self.set_bias(manifolds, |m, lane| {
                let acts = dot3(&m.normal, &impulses[m.first as usize + lane]) > 0.0;
                let speed = dot3(&m.normal, &m.velocity(lane, velocity));
                if acts { -speed.max(0.0) } else { 0.0 }
            });
        }
        rubs
    }

    /// Where the normal impulses are not those of the decompression without friction, aims at other
    /// velocities; true if they differ much. Friction at a corner makes it stiffer: the same velocity
    /// would take more.
    fn correct(&mut self, island: &mut Island<'_, '_>) -> bool {
        let step = &mut *island.step;
        let impulses = &*step.relaxed.contact_impulse;
        let mut differ = false;
        let lists = self.lanes.iter().zip(&self.goal);
        for (m, ([impacts, _], goal)) in step.manifolds.iter_mut().zip(lists) {
            for lane in (0..m.count as usize).filter(|lane| impacts >> lane & 1 != 0) {
                let got = dot3(&m.normal, &impulses[m.first as usize + lane]);
                if got > 0.0 && goal[lane] > 0.0 {
                    let ratio = (goal[lane] / got).clamp(0.25, 4.0);
                    m.bias[lane] *= ratio;
                    differ |= (ratio - 1.0).abs() > NEAR;
                }
            }
        }
        differ
    }
}
