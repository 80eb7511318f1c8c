//! One island: which solver, in which order, by counted work.
//!
//! | method | circular cone, no rolling rows | else |
//! |---|---|---|
//! | `Newton` | cone Newton | cone Newton |
//! | `Pgs` | sweeps in eight lanes | scalar sweeps |
//! | `Substeps` | small steps, softened, to no tolerance | scalar sweeps |
//! | `Lemke` | Lemke's algorithm, Newton beyond its size and for joint rows with bounds | the same |
//! | `Auto` | see below | scalar sweeps instead of those in lanes and of small steps |
//!
//! `Auto` gives small islands to the cone Newton; where it no longer gains, as in a blow, accelerated
//! sweeps go on from its best impulses and then, after the blow, plain ones, which are slow but never
//! stall; the next steps go on from the best of them. With joints, under pyramids and with rolling rows
//! scalar sweeps and Newton take turns instead; under pyramids, with few contacts, Lemke's algorithm begins,
//! which solves what is a linear problem.
//!
//! A large island, or one of several jointed bodies that touch each other, keeps an account of work, in which
//! what small steps would cost it is the coin; what joints hold together, as one ragdoll, is solved through
//! its blows at any cost that its budget allows. Where bodies without joints strike it, sweeps go before
//! Newton, which may always spend a few of them, or what is saved; one solve in vain is the last. A step that
//! it solves adds as much to the savings; a rough solution, from which the next step goes on, takes a little
//! of them; a failure takes all that it cost, and the step is made small. While it owes, a step is made small
//! at once and earns a part of its price, the more the less error small steps leave: what calms down is tried
//! soon, a heap in motion pays a few percent for tries. A blow leaves as much of the savings as a small
//! island may spend: a wall of some hundred rows more is solved through it as small ones are.
//!
//! Islands without contacts are never made small, nor one mechanism whose joints bear nearly all, since its
//! factor is worth its cost, unless it is large, has loops and Newton failed. Joints alone, also under
//! `Newton`, are solved by `newton::joints_only`. Where nothing is pushed faster than the tolerance the
//! relaxed solution is a copy of the biased one, if it solves that problem too. The whole step of an island,
//! with all Newton steps, parts and presses, has one budget, the turns behind as much again; where it runs
//! out the step is made in one soft part. With joints it is halved after each step that was not solved, and
//! grows back. All this is counted, never timed, so that results do not depend on the machine.

use super::ending::EndingScratch;
use super::flight::FlightScratch;
use super::island::{Island, is_rough};
use super::midpoint::MidpointScratch;
use super::outcome::Outcome;
use super::restitution::BounceScratch;
use super::small_steps;
use super::solvers::{Bench, Solve, Solvers};
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::{Method, SolveStats, Status};
use crate::engine::settings::Integration;
use crate::engine::tuning::newton::TINY;
use crate::engine::tuning::policy::{FLIGHTS, JOINTED, PATIENCE};
use crate::engine::tuning::sweeps::CHECK_EVERY;
use crate::math::Double;

/// What solves islands, one after the other: solvers, and what goes around them. The content of the buffers
/// never influences a result.
#[derive(Debug, Default)]
pub(super) struct IslandSolver {
    solvers: Solvers,
    bounce: BounceScratch,
    ending: EndingScratch,
    flight: FlightScratch,
    midpoint: MidpointScratch,
}

/// A clone starts with empty buffers.
impl Clone for IslandSolver {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl IslandSolver {
    /// Solves an island by the method of the settings; bodies without impulses fly.
    pub(super) fn solve(&mut self, island: &mut Island<'_, '_>) -> Outcome {
        island.memory.pressed = false;
        let mut outcome = self.choose(island);
        island.note_effort(outcome.is_solved());
        if !outcome.is_solved() {
            let [biased, carried] = island.bound_impulses();
            outcome.biased.certificate.motion += biased;
            outcome.carried.motion += carried;
        }
        if !outcome.flown {
            self.flight.fly(island.step, island.settings.solver.tolerance);
        }
        outcome
    }

    fn choose(&mut self, island: &mut Island<'_, '_>) -> Outcome {
        let solver = &island.settings.solver;
        match (solver.method, island.is_plain()) {
            (Method::Lemke, _) if island.suits_lemke() => {
                self.both(island, Method::Lemke, Solvers::lemke)
            }
            (Method::Lemke, _) => Outcome { beyond_lemke: true, ..self.newton(island) },
            (Method::Auto, _) => self.auto(island),
            (Method::Newton, _) => self.newton(island),
            (Method::Pgs, true) => self.sweeps(island),
            (Method::Substeps, true) => self.substeps(island),
            (Method::Pgs | Method::Substeps, false) => {
                self.both(island, Method::Pgs, Solvers::row_sweeps)
            }
        }
    }

    fn auto(&mut self, island: &mut Island<'_, '_>) -> Outcome {
        let solver = &island.settings.solver;
        let small = island.rows() <= solver.newton_rows_max as usize;
        if !small && !island.is_plain() {
            return self.both(island, Method::Pgs, Solvers::row_sweeps);
        }
        let tiny = island.rows() <= TINY;
        let [tree, joined] = [island.is_tree(), island.is_joined()];
        let trusted = small || !island.memory.failed || tree;
        let mechanism = island.step.manifolds.is_empty() || trusted && joined && island.is_held();
        let jointed = !island.step.joints.is_empty() && !tiny;
        let large = !small || jointed && (!joined || island.rows() > JOINTED);
        if large && !mechanism && island.is_plain() {
            return self.by_account(island);
        }
        let sweeps = island.is_swept_at_last();
        let patient = mechanism || !sweeps || tiny;
        let budget = solver.work_max * if patient { PATIENCE } else { 1.0 };
        let outcome = self.both(island, Method::Newton, |state, island, relaxed| {
            let pressed = island.memory.pressed;
            let mut stats = state.newton_or_press(island, relaxed, budget, false);
            if stats.status != Status::Converged && sweeps {
                state.sweep_on(island, relaxed, &mut stats);
                // What is solved as posed did not ask for the impossible.
                island.memory.pressed &= pressed || stats.status != Status::Converged;
            }
            stats
        });
        let midpoint =
            solver.integration == Integration::SecondOrder && !island.step.joints.is_empty();
        if outcome.is_solved() {
            return outcome;
        }
        if sweeps {
            // The next steps go on from here.
            return outcome;
        }
        if island.step.manifolds.is_empty() && midpoint {
            // The linear problems are solved; their poses did not agree.
            return outcome;
        }
        if small {
            // As much again.
            island.spent = 0.0;
            let turns = |state: &mut Solvers, island: &mut Island<'_, '_>, relaxed| {
                state.take_turns(island, relaxed, budget)
            };
            let last = self.both(island, Method::Auto, turns).after(&outcome);
            island.memory.pressed &= !last.is_solved();
            return last;
        }
        if tree {
            // The next steps go on from here.
            return outcome;
        }
        self.settle_account(island, outcome)
    }

    /// A large island: Newton within its account, else small steps.
    fn by_account(&mut self, island: &mut Island<'_, '_>) -> Outcome {
        let approach = self.solvers.approach(island);
        island.open_account(approach);
        if !island.may_try() || approach > island.settings.solver.impact_speed_max {
            let outcome = self.substeps(island);
            island.earn(outcome.error());
            return outcome;
        }
        if island.step.joints.is_empty() && island.waits() {
            let outcome = self.both(island, Method::Pgs, |state, island, relaxed| {
                let aim = 0.5 * island.settings.solver.tolerance;
                state.go_on(island, relaxed, aim, CHECK_EVERY, true)
            });
            island.save(outcome.error());
            return outcome;
        }
        // What approaches more slowly is rough at worst.
        let struck = !is_rough(approach) && island.step.joints.is_empty();
        let outcome = self.both(island, Method::Newton, |state, island, relaxed| {
            if struck && !island.in_vain {
                state.sweep_first(island, relaxed);
            }
            let budget = if island.in_vain { 0.0 } else { island.allowance() };
            let stats = state.newton_or_press(island, relaxed, budget, false);
            island.in_vain |= !is_rough(stats.certificate.error());
            stats
        });
        self.settle_account(island, outcome)
    }

    /// Pays for Newton; where it came to nothing the step is made small.
    fn settle_account(&mut self, island: &mut Island<'_, '_>, outcome: Outcome) -> Outcome {
        let error = outcome.error_of_solves();
        island.pay(outcome.is_solved(), error);
        if outcome.is_solved() || is_rough(error) || !island.is_plain() {
            // The next steps go on from here.
            return outcome;
        }
        self.substeps(island).after(&outcome)
    }

    fn newton(&mut self, island: &mut Island<'_, '_>) -> Outcome {
        let work_max = PATIENCE * island.settings.solver.work_max;
        self.both(island, Method::Newton, |state, island, relaxed| {
            state.newton_or_press(island, relaxed, work_max, true)
        })
    }

    fn sweeps(&mut self, island: &mut Island<'_, '_>) -> Outcome {
        self.both(island, Method::Pgs, |state, island, relaxed| {
            let solver = &island.settings.solver;
            state.go_on(island, relaxed, solver.tolerance, solver.sweeps_max, false)
        })
    }

    /// The biased problem, and the relaxed one where something pushed.
    fn both(
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
            self.ending.pose(island, false);
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
            if change >= last || solves > FLIGHTS {
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

    /// Stiff small steps: both problems at once.
    fn substeps(&mut self, island: &mut Island<'_, '_>) -> Outcome {
        let Self { solvers, ending, flight, bounce, midpoint, .. } = self;
        small_steps::solve(solvers, ending, flight, bounce, midpoint, island)
    }
}
