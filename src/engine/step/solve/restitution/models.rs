//! Which model finds the velocity after a blow, and Newton's, which needs one solve.

use super::{BounceScratch, add};
use crate::engine::lcp::SolveStats;
use crate::engine::settings::RestitutionModel;
use crate::engine::step::solve::island::Island;
use crate::engine::step::solve::solvers::{Solve, Solvers};

impl BounceScratch {
    /// Finds the carried velocity if bodies of the island bounce, and tells how; none if none does.
    pub(in crate::engine::step::solve) fn solve(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
    ) -> Option<SolveStats> {
        self.solve_by(state, island, |bounce, state, island| {
            island.step.relaxed.copy_from(&island.step.biased);
            let first = bounce.locate(state, island, solve);
            let later = match island.settings.contact.restitution {
                RestitutionModel::Poisson => bounce.poisson(state, island, solve),
                RestitutionModel::Newton => bounce.newton(state, island, solve),
                RestitutionModel::Sequence => bounce.sequence(state, island, solve),
            };
            match first {
                Some(mut stats) => {
                    add(&mut stats, &later);
                    stats
                }
                None => later,
            }
        })
    }

    /// Finds the carried velocity after small steps, whose velocity is that of the compression; Newton's
    /// form for Poisson's.
    pub(in crate::engine::step::solve) fn solve_swept(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
    ) -> Option<SolveStats> {
        self.solve_by(state, island, |bounce, state, island| {
            state.measure(island, 1);
            state.take_measured(island, 1);
            bounce.base.take(&island.step.relaxed);
            bounce.locate(state, island, solve);
            island.step.relaxed.put(&bounce.base);
            let stats = if island.settings.contact.restitution == RestitutionModel::Sequence {
                bounce.strike(island);
                bounce.follow(state, island, solve)
            } else {
                bounce.aim(island);
                solve(state, island, true)
            };
            bounce.guard(island);
            stats
        })
    }

    /// One solve; the compression only where energy would grow.
    fn newton(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
    ) -> SolveStats {
        self.aim(island);
        let mut stats = solve(state, island, true);
        self.check(state, island, solve, &mut stats);
        stats
    }

    /// Guards unknowns that were found without the compression, by it.
    pub(super) fn check(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
        stats: &mut SolveStats,
    ) {
        self.half.take(&island.step.relaxed);
        if self.excess(island, &self.half) > 0.0 {
            self.aim_at(island, |_, _| 0.0);
            add(stats, &solve(state, island, true));
            self.base.take(&island.step.relaxed);
            island.step.relaxed.put(&self.half);
            self.guard(island);
        }
    }
}
