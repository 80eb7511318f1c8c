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
//! Newton, which may always spend a few of them, or what is saved; one solve in vain is the last, as is one
//! of a jointed island after small steps that takes more than both. A step that it solves adds as much to the
//! savings; a rough solution, from which the next step goes on, takes a little of them; a failure takes all
//! that it cost, and the step is made small. While it owes, a step is made small at once and earns a part of
//! its price, the more the less error small steps leave: what calms down is tried soon, a heap in motion pays
//! a few percent for tries. A blow leaves what a small island may spend; the rest is back when the island is
//! at rest, unless a step was made small at once since. Before all that, what is light is solved in turns
//! with what is heavy (`by_mass.rs`).
//!
//! Islands without contacts are never made small, nor one mechanism whose joints bear nearly all, since its
//! factor is worth its cost, unless it is large, has loops and Newton failed. Joints alone, also under
//! `Newton`, are solved by `newton::joints_only`. Where nothing is pushed faster than the tolerance the
//! relaxed solution is a copy of the biased one, if it solves that problem too. The whole step of an island,
//! with all Newton steps, parts and presses, has one budget, the turns behind as much again, and so has what
//! comes near after a solve that did; where it runs out the step is made in one soft part. With joints it is
//! halved after each step that was not solved, and grows back. All this is counted, never timed.

use super::both::IslandSolver;
use super::island::{Island, is_rough};
use super::outcome::Outcome;
use super::small_steps;
use super::solvers::Solvers;
use crate::engine::lcp::{Method, Status};
use crate::engine::settings::Integration;
use crate::engine::tuning::newton::{AT_REST, TINY};
use crate::engine::tuning::policy::{JOINTED, PATIENCE};
use crate::engine::tuning::sweeps::CHECK_EVERY;

/// Solves an island by the method of the settings; bodies without impulses fly.
pub(super) fn solve(by: &mut IslandSolver, island: &mut Island<'_, '_>) -> Outcome {
    island.memory.pressed = false;
    by.solvers.leaves.of.clear();
    let mut outcome = choose(by, island);
    island.note_effort(outcome.is_solved());
    if !outcome.is_solved() {
        let [biased, carried] = island.bound_impulses();
        outcome.biased.certificate.motion += biased;
        outcome.carried.motion += carried;
    }
    if !outcome.flown {
        by.flight.fly(island.step, island.settings.solver.tolerance);
    }
    outcome
}

fn choose(by: &mut IslandSolver, island: &mut Island<'_, '_>) -> Outcome {
    let solver = &island.settings.solver;
    match (solver.method, island.is_plain()) {
        (Method::Lemke, _) if island.suits_lemke() => {
            by.both(island, Method::Lemke, Solvers::lemke)
        }
        (Method::Lemke, _) => Outcome { beyond_lemke: true, ..newton(by, island) },
        (Method::Auto, _) => auto(by, island),
        (Method::Newton, _) => newton(by, island),
        (Method::Pgs, true) => sweeps(by, island),
        (Method::Substeps, true) => small_steps::solve(by, island),
        (Method::Pgs | Method::Substeps, false) => {
            by.both(island, Method::Pgs, Solvers::row_sweeps)
        }
    }
}

fn auto(by: &mut IslandSolver, island: &mut Island<'_, '_>) -> Outcome {
    let solver = &island.settings.solver;
    let small = island.rows() <= solver.newton_rows_max as usize;
    if !small && !island.is_plain() {
        return by.both(island, Method::Pgs, Solvers::row_sweeps);
    }
    let tiny = island.rows() <= TINY;
    let [tree, joined] = [island.is_tree(), island.is_joined()];
    let trusted = small || !island.memory.failed || tree;
    let mechanism = island.step.manifolds.is_empty() || trusted && joined && island.is_held();
    let jointed = !island.step.joints.is_empty() && !tiny;
    let large = !small || jointed && (!joined || island.rows() > JOINTED);
    if large && !mechanism && island.is_plain() {
        return by_account(by, island);
    }
    let sweeps = island.is_swept_at_last();
    let patient = mechanism || !sweeps || tiny;
    let budget = solver.work_max * if patient { PATIENCE } else { 1.0 };
    let outcome = by.both(island, Method::Newton, |state, island, relaxed| {
        if let Some(stats) = state.by_mass(island, relaxed, budget) {
            return stats;
        }
        let pressed = island.memory.pressed;
        let mut stats = state.newton_or_press(island, relaxed, budget, false);
        if stats.status != Status::Converged && sweeps {
            state.sweep_on(island, relaxed, &mut stats);
            // What is solved as posed did not ask for the impossible.
            island.memory.pressed &= pressed || stats.status != Status::Converged;
        }
        stats
    });
    let midpoint = solver.integration == Integration::SecondOrder && !island.step.joints.is_empty();
    // The linear problems of joints alone are solved: their poses did not agree.
    let unposed = island.step.manifolds.is_empty() && midpoint;
    if outcome.is_solved() || sweeps || unposed {
        // The next steps go on from here.
        return outcome;
    }
    if small {
        // As much again.
        island.spent = 0.0;
        let turns = |state: &mut Solvers, island: &mut Island<'_, '_>, relaxed| {
            state.take_turns(island, relaxed, budget)
        };
        let last = by.both(island, Method::Auto, turns).after(&outcome);
        island.memory.pressed &= !last.is_solved();
        return last;
    }
    if tree { outcome } else { settle_account(by, island, outcome) }
}

/// A large island: Newton within its account, else small steps.
fn by_account(by: &mut IslandSolver, island: &mut Island<'_, '_>) -> Outcome {
    let approach = by.solvers.approach(island);
    island.open_account(approach);
    let softly = !island.may_try() || approach > island.settings.solver.impact_speed_max;
    if softly && !by.solvers.divide_by_mass(island) {
        let outcome = small_steps::solve(by, island);
        island.earn(outcome.error());
        return outcome;
    }
    if island.step.joints.is_empty() && island.waits() {
        let outcome = by.both(island, Method::Pgs, |state, island, relaxed| {
            let aim = 0.5 * island.settings.solver.tolerance;
            state.go_on(island, relaxed, aim, CHECK_EVERY, true)
        });
        island.save(outcome.error());
        return outcome;
    }
    // What approaches more slowly is rough at worst.
    let struck = !is_rough(approach) && island.step.joints.is_empty();
    let outcome = by.both(island, Method::Newton, |state, island, relaxed| {
        if let Some(stats) = state.by_mass(island, relaxed, island.least()) {
            return stats;
        }
        let in_vain = softly || island.in_vain;
        if struck && !in_vain {
            state.sweep_first(island, relaxed);
        }
        let budget = if in_vain { 0.0 } else { island.allowance() };
        let stats = state.newton_or_press(island, relaxed, budget, false);
        island.in_vain |= !is_rough(stats.certificate.error()) || island.is_overspent();
        stats
    });
    if !softly || outcome.error_of_solves() <= AT_REST * island.settings.solver.tolerance {
        return settle_account(by, island, outcome);
    }
    let outcome = small_steps::solve(by, island).after(&outcome);
    island.earn(outcome.error());
    outcome
}

/// Pays for Newton; where it came to nothing the step is made small.
fn settle_account(by: &mut IslandSolver, island: &mut Island<'_, '_>, outcome: Outcome) -> Outcome {
    let error = outcome.error_of_solves();
    island.pay(outcome.is_solved(), error);
    if outcome.is_solved() || is_rough(error) || !island.is_plain() {
        // The next steps go on from here.
        return outcome;
    }
    small_steps::solve(by, island).after(&outcome)
}

fn newton(by: &mut IslandSolver, island: &mut Island<'_, '_>) -> Outcome {
    let work_max = PATIENCE * island.settings.solver.work_max;
    by.both(island, Method::Newton, |state, island, relaxed| {
        state.newton_or_press(island, relaxed, work_max, true)
    })
}

fn sweeps(by: &mut IslandSolver, island: &mut Island<'_, '_>) -> Outcome {
    by.both(island, Method::Pgs, |state, island, relaxed| {
        let solver = &island.settings.solver;
        state.go_on(island, relaxed, solver.tolerance, solver.sweeps_max, false)
    })
}
