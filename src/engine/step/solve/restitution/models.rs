//! Which model finds the velocity after a blow, and Newton's, which needs one solve.

use super::{BounceScratch, add};
use crate::engine::lcp::SolveStats;
use crate::engine::settings::RestitutionModel;
use crate::engine::step::solve::solvers::Bench;

impl BounceScratch {
    /// Finds the carried velocity if bodies of the island bounce, and tells how; none if none does.
    pub(in crate::engine::step::solve) fn solve(
        &mut self,
        bench: &mut Bench<'_, '_, '_>,
    ) -> Option<SolveStats> {
        self.solve_by(bench, |bounce, bench| {
            bench.island.step.relaxed.copy_from(&bench.island.step.biased);
            let first = bounce.locate(bench);
            let later = match bench.island.settings.contact.restitution {
                RestitutionModel::Poisson => bounce.poisson(bench),
                RestitutionModel::Newton => bounce.newton(bench),
                RestitutionModel::Sequence => bounce.sequence(bench),
            };
            first.map_or(later, |mut stats| {
                add(&mut stats, &later);
                stats
            })
        })
    }

    /// Finds the carried velocity after small steps, whose velocity is that of the compression; Newton's
    /// form for Poisson's.
    pub(in crate::engine::step::solve) fn solve_swept(
        &mut self,
        bench: &mut Bench<'_, '_, '_>,
    ) -> Option<SolveStats> {
        self.solve_by(bench, |bounce, bench| {
            bench.state.rebuild(bench.island, 1);
            bounce.base.take(&bench.island.step.relaxed);
            bounce.locate(bench);
            bench.island.step.relaxed.put(&bounce.base);
            let model = bench.island.settings.contact.restitution;
            let stats = if model == RestitutionModel::Sequence {
                bounce.strike(bench.island);
                bounce.follow(bench)
            } else {
                bounce.aim(bench.island);
                bench.solve(true)
            };
            bounce.guard(bench.island);
            stats
        })
    }

    /// One solve; the compression only where energy would grow.
    fn newton(&mut self, bench: &mut Bench<'_, '_, '_>) -> SolveStats {
        self.aim(bench.island);
        let mut stats = bench.solve(true);
        self.check(bench, &mut stats);
        stats
    }

    /// Guards unknowns that were found without the compression, by it.
    pub(super) fn check(&mut self, bench: &mut Bench<'_, '_, '_>, stats: &mut SolveStats) {
        self.half.take(&bench.island.step.relaxed);
        if self.excess(bench.island, &self.half) > 0.0 {
            self.aim_at(bench.island, |_, _| 0.0);
            add(stats, &bench.solve(true));
            let island = &mut *bench.island;
            self.base.take(&island.step.relaxed);
            island.step.relaxed.put(&self.half);
            self.guard(island);
        }
    }
}
