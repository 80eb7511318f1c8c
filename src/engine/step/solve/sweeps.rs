//! One island by sweeps in eight lanes, plain or accelerated.

use super::island::{Island, is_rough};
use super::solvers::Solvers;
use crate::engine::lcp::sweeps::{self, Start, SweepIterate, solve_nncg, solve_sweeps};
use crate::engine::lcp::{SolveStats, Status, Vec6};
use crate::engine::step::assemble::IslandUnknowns;
use crate::engine::tuning::sweeps::{CHECK_EVERY, PLAIN_SWEEPS, SWEEPS};
use crate::engine::tuning::work::CHECK;
use crate::math::{Double, widen};

/// Unknowns of the biased (0) or relaxed (1) problem.
const fn unknowns<'a, 'b>(island: &'a mut Island<'_, 'b>, of: usize) -> &'a mut IslandUnknowns<'b> {
    if of == 0 { &mut island.step.biased } else { &mut island.step.relaxed }
}

impl Solvers {
    /// Plain sweeps before Newton where bodies strike each other: they find most of what slides, sticks and
    /// opens there, for which Newton would make a factor each.
    pub(super) fn sweep_first(&mut self, island: &mut Island<'_, '_>, relaxed: bool) {
        let of = usize::from(relaxed);
        if is_rough(self.measure(island, of).error()) {
            return;
        }
        self.take_measured(island, of);
        let mut stats = self.sweep_times(island, of, Start::Velocities, 4 * CHECK_EVERY);
        stats.work += CHECK;
        island.charge(&stats);
        island.memory.newton.mark_changed();
    }

    /// Goes on from where the cone Newton stopped: accelerated sweeps, then plain ones. Not those where
    /// bodies strike each other: they crawl, and the next step is another problem.
    pub(super) fn sweep_on(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        stats: &mut SolveStats,
    ) {
        let aim = 0.5 * island.settings.solver.tolerance;
        stats.add(&self.go_on(island, relaxed, aim, SWEEPS, true));
        let blow = widen(island.settings.contact.restitution_speed);
        if stats.status != Status::Converged && self.approach(island) <= blow {
            stats.add(&self.go_on(island, relaxed, aim, PLAIN_SWEEPS, false));
        }
    }

    /// Sweeps in eight lanes, accelerated or not, until the residual `aim` [m/s] or the number of sweeps is
    /// met; the best impulses that were measured are kept.
    pub(super) fn go_on(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        aim: Double,
        sweeps_max: u32,
        accelerated: bool,
    ) -> SolveStats {
        let (of, tolerance) = (usize::from(relaxed), island.settings.solver.tolerance);
        let first = self.measure(island, of);
        let status = Status::IterationLimit;
        let mut stats =
            SolveStats { status, work: CHECK, certificate: first, ..Default::default() };
        self.best.take(unknowns(island, of));
        let mut last = first.error();
        while last > aim && stats.iterations < sweeps_max {
            let fresh = stats.iterations == 0;
            let every = if accelerated { CHECK_EVERY } else { 2 * CHECK_EVERY };
            let sweeps = every.min(sweeps_max - stats.iterations);
            self.in_lanes(island.step.velocity_last, island, |problem, iterate, scratch| {
                if accelerated {
                    solve_nncg(problem, iterate, of, sweeps, fresh, scratch);
                } else {
                    solve_sweeps(problem, iterate, of, Start::Impulses, sweeps, scratch);
                }
            });
            stats.iterations += sweeps;
            stats.work += Double::from(sweeps) + CHECK;
            let certificate = self.measure(island, of);
            last = certificate.error();
            if last < stats.certificate.error() {
                stats.certificate = certificate;
                self.best.take(unknowns(island, of));
            }
        }
        island.charge(&stats);
        if stats.certificate.error() < first.error() {
            island.memory.newton.mark_changed();
        }
        unknowns(island, of).put(&self.best);
        self.rebuild(island, of);
        if stats.certificate.error() <= tolerance {
            stats.status = Status::Converged;
        }
        stats
    }

    /// A number of sweeps in eight lanes.
    pub(super) fn sweep_times(
        &mut self,
        island: &mut Island<'_, '_>,
        of: usize,
        start: Start,
        sweeps: u32,
    ) -> SolveStats {
        self.in_lanes(island.step.velocity_last, island, |problem, iterate, scratch| {
            solve_sweeps(problem, iterate, of, start, sweeps, scratch);
        });
        let certificate = self.measure(island, of);
        self.take_measured(island, of);
        let status = Status::IterationLimit;
        let work = Double::from(sweeps) + CHECK;
        SolveStats { status, iterations: sweeps, work, certificate, ..Default::default() }
    }

    /// Calls a solver in eight lanes; bodies have these velocities before what it solves.
    pub(super) fn in_lanes<R>(
        &mut self,
        velocity_last: &[Vec6],
        island: &mut Island<'_, '_>,
        solve: impl FnOnce(
            &sweeps::SweptIsland<'_>,
            &mut SweepIterate<'_>,
            &mut sweeps::SweepScratch,
        ) -> R,
    ) -> R {
        if self.leaves.of.len() != island.step.bodies.len() {
            self.leaves.find(island);
        }
        let step = &mut *island.step;
        let problem = sweeps::SweptIsland {
            bodies: &*step.bodies,
            manifolds: &*step.manifolds,
            joints: &*step.joints,
            joint_push: step.joint_push,
            velocity_last,
            leaves: &self.leaves.of,
            pool: island.pool,
        };
        let (biased, relaxed) = (&mut step.biased, &mut step.relaxed);
        let mut iterate = SweepIterate {
            velocity: [&mut *biased.velocity, &mut *relaxed.velocity],
            contact_impulse: [&mut *biased.contact_impulse, &mut *relaxed.contact_impulse],
            joint_impulse: [&mut *biased.joint_impulse, &mut *relaxed.joint_impulse],
        };
        solve(&problem, &mut iterate, &mut self.sweeps)
    }
}
