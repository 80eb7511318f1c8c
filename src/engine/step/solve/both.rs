//! Both problems of an island, one after the other, by one way to solve them.
//!
//! Input: an island and a solver of one problem. Output: the velocities that move its bodies, those that they
//! carry on, and how both were found. The midpoint rule takes the whole step where it suits; else the relaxed
//! problem is solved, too, if something pushed, turned or bounces, at the pose of the end. Cost: the solves'.

use super::ending::EndingScratch;
use super::flight::FlightScratch;
use super::island::Island;
use super::midpoint::MidpointScratch;
use super::outcome::Outcome;
use super::restitution::BounceScratch;
use super::solvers::{Bench, Solve, Solvers};
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::{Method, SolveStats, Status};
use crate::engine::settings::Integration;
use crate::engine::tuning::work::ROUNDS;
use crate::math::Double;

/// What solves islands, one after the other: solvers, and what goes around them. The content of the buffers
/// never influences a result.
#[derive(Debug, Default)]
pub(super) struct IslandSolver {
    pub(super) solvers: Solvers,
    pub(super) bounce: BounceScratch,
    pub(super) ending: EndingScratch,
    pub(super) flight: FlightScratch,
    pub(super) midpoint: MidpointScratch,
}

/// A clone starts with empty buffers.
impl Clone for IslandSolver {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl IslandSolver {
    /// The biased problem, and the relaxed one where something pushed.
    pub(super) fn both(
        &mut self,
        island: &mut Island<'_, '_>,
        method: Method,
        mut solve: impl FnMut(&mut Solvers, &mut Island<'_, '_>, bool) -> SolveStats,
    ) -> Outcome {
        let midpoint = island.settings.solver.integration == Integration::SecondOrder;
        // What yields dissipates: Euler's step comes to rest, the midpoint rule would swing.
        if midpoint
            && !island.step.is_pressed()
            && (!island.step.joints.is_empty() || island.turns_fast())
            && let Some(outcome) = self.midpoint.run(
                &mut self.bounce,
                method,
                &mut Bench { state: &mut self.solvers, island, by: &mut solve },
            )
        {
            return outcome;
        }
        // The midpoint rule keeps half impulses.
        let halved = midpoint && !island.step.joints.is_empty();
        if halved {
            island.step.biased.scale(2.0);
        }
        let mut biased = solve(&mut self.solvers, island, false);
        let tolerance = island.settings.solver.tolerance;
        let turns = self.ending.is_other(island);
        let mut carried = biased.certificate;
        let mut is_other = turns || island.step.is_pushed(tolerance);
        if !is_other {
            let step = &mut *island.step;
            step.relaxed.copy_from(&step.biased);
            if step.is_pushed(0.0) {
                carried = self.solvers.certify_carried(island);
                is_other = biased.status == Status::Converged && carried.error() > tolerance;
            }
        }
        let relax = island.settings.contact.relax;
        let flies = is_other && relax && self.let_fly(island, &mut biased, &mut solve);
        if is_other {
            carried = biased.certificate;
            self.ending.pose(island);
            island.step.find_compliance();
        }
        let mut relaxed =
            self.bounce.solve(&mut Bench { state: &mut self.solvers, island, by: &mut solve });
        let bounces = relaxed.is_some();
        if relaxed.is_none() && is_other && !relax {
            // What moves the bodies is carried, from the pose of the start.
            island.step.relaxed.copy_from(&island.step.biased);
            *island.step.at_end = false;
        } else if relaxed.is_none() && is_other {
            island.step.take_push(-1.0);
            relaxed = Some(solve(&mut self.solvers, island, true));
            island.step.take_push(1.0);
        }
        if let Some(stats) = &mut relaxed {
            if turns || is_other && island.is_torn_apart() {
                self.slow(island, stats, bounces);
            }
            carried = stats.certificate;
        }
        if is_other {
            self.ending.put_back(island.step);
        }
        if flies {
            self.ending.put_free_back(island.step);
        }
        if halved {
            island.step.biased.scale(0.5);
        }
        Outcome { method, biased, relaxed, carried, ..Outcome::default() }
    }

    /// Slows bodies that turns or pushes gave energy, and measures what they carry then. A bounce ends with
    /// other biases: what its velocities differ by from its impulses counts.
    fn slow(&mut self, island: &mut Island<'_, '_>, stats: &mut SolveStats, bounces: bool) {
        if !self.bounce.slow(island, &self.ending.members, &self.ending.blocks) {
            return;
        }
        let (told, found) = (&mut stats.certificate, self.solvers.certify_carried(island));
        *told = match bounces {
            true => Certificate { motion: told.motion.max(found.motion), ..*told },
            false => found,
        };
        if told.error() > island.settings.solver.tolerance {
            stats.status = Status::IterationLimit;
        }
    }

    /// Solves the biased problem anew while bodies that a blow turns far aside fly on other ways; does any?
    fn let_fly(
        &mut self,
        island: &mut Island<'_, '_>,
        biased: &mut SolveStats,
        solve: &mut Solve<'_>,
    ) -> bool {
        self.ending.land(island.step);
        self.ending.before.take(&island.step.biased);
        let tolerance = island.settings.solver.tolerance;
        let (mut flies, mut solves) = (false, 0);
        let (mut first, mut last) = (Double::INFINITY, Double::INFINITY);
        while let Some(change) = self.ending.fly(island) {
            flies = true;
            if change <= tolerance {
                break;
            }
            solves += 1;
            if solves == 1 {
                first = change;
            }
            if change >= last || solves > ROUNDS {
                // The change falls no more. Where it grew they fly the first way; what misses is told.
                if change >= first {
                    self.ending.put_free_back(island.step);
                    self.ending.land(island.step);
                    island.step.biased.put(&self.ending.before);
                    self.ending.fly(island);
                }
                break;
            }
            last = change;
            biased.add(&solve(&mut self.solvers, island, false));
        }
        if flies {
            biased.certificate = self.solvers.certify(island, 0);
            let solved = biased.certificate.error() <= tolerance;
            biased.status = if solved { Status::Converged } else { Status::IterationLimit };
        }
        flies
    }
}
