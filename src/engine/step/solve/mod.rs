//! Solving: every island by itself, once for the poses and once more for the carried velocities.
//!
//! The biased problem moves the bodies: its rows take back overlap. Where a row pushed, the *relaxed*
//! problem, the same without the push, gives the velocity that is carried to the next step and the impulses
//! that users read; otherwise 10 mm of overlap would leave at 0.6 m/s. Each of the two is warm-started from
//! its own impulses of the last step; the residuals of both are reported, of velocities and impulses as they
//! are returned. Small steps ([`Method::Substeps`](crate::engine::lcp::Method::Substeps)) do both at once,
//! softened and to no tolerance. Where bodies bounce, `restitution/` finds the carried velocity; `flight.rs`
//! moves the bodies on which no impulse acts, `midpoint/` islands with joints and those in which bodies turn
//! fast; `ending.rs` has the carried problem at the pose of the end.
//!
//! `policy.rs` chooses, `both.rs` has both problems solved, `solvers.rs` calls the solvers and measures what
//! they return, `by_mass.rs` light bodies on
//! heavy ones, `sweeps.rs` has those that sweep, `small_steps.rs` small steps, `island.rs` what all of them
//! share, `outcome.rs` what they tell; `lcp/expand.rs` turns manifolds into rows.

mod both;
mod by_mass;
mod common;
mod domains;
mod ending;
mod flight;
mod island;
mod memory;
mod midpoint;
mod outcome;
mod policy;
mod restitution;
mod small_steps;
mod solvers;
mod stiffness;
mod sweeps;

use std::sync::{Mutex, PoisonError};

use self::both::IslandSolver;
use self::common::kinetic;
use self::island::Island;
use self::memory::{IslandMemory, Memories, SteadySolution};
use self::outcome::Outcome;
use super::assemble::reach::crossed;
use super::assemble::{IslandStep, IslandUnknowns, Sources, StepProblem};
use crate::engine::lcp::Status;
use crate::engine::report::{IslandReport, StepReport, StepStatus};
use crate::engine::settings::Settings;
use crate::engine::state::body::BodyId;
use crate::engine::state::contact::Blow;
use crate::engine::state::pairs::Pair;
use crate::engine::tuning::threads::ROWS_MIN;
use crate::math::{DVec3, Double, narrow, widen};
use crate::par::Pool;

/// Solvers, and what islands keep from step to step.
#[derive(Clone, Debug, Default)]
pub struct SolverState {
    /// As many as were at work at the same time.
    solvers: Vec<IslandSolver>,
    memories: Memories,
}

/// An island to solve, and how that went.
struct Task<'a> {
    step: IslandStep<'a>,
    /// Need it not be solved?
    steady: bool,
    memory: Box<IslandMemory>,
    /// None before it is solved.
    outcome: Option<Outcome>,
}

impl Task<'_> {
    /// Solves it, unless it is steady.
    fn work(
        &mut self,
        solver: &mut IslandSolver,
        sources: &Sources<'_>,
        settings: &Settings,
        pool: &dyn Pool,
    ) {
        if self.steady {
            return;
        }
        let (step, memory) = (&mut self.step, &mut *self.memory);
        let dt = widen(sources.dt);
        let mut island =
            Island { step, sources, settings, pool, dt, memory, spent: 0.0, in_vain: false };
        let mut outcome = policy::solve(solver, &mut island);
        if !outcome.softened && island.step.stop_what_meets(sources) {
            outcome = policy::solve(solver, &mut island).after(&outcome);
        }
        let tolerance = settings.solver.tolerance;
        let crossed = |unknowns: &IslandUnknowns<'_>| crossed(step.far, unknowns.velocity);
        outcome.note_crossed([crossed(&step.biased), crossed(&step.relaxed)], tolerance);
        let free = step.bodies.iter().map(|body| &body.velocity_free);
        outcome.given =
            kinetic(step.bodies, step.relaxed.velocity.iter()) - kinetic(step.bodies, free);
        let calm = step.blows.iter().all(|blow| *blow == Blow::None);
        let size = step.size();
        memory.steady =
            (outcome.is_as_it_was() && calm).then_some(SteadySolution { outcome, size });
        self.outcome = Some(outcome);
    }
}

impl SolverState {
    /// Solves all islands, on a pool if there is enough beside the largest, and adds their certificates to
    /// the report. The same bits for any pool.
    pub fn solve(
        &mut self,
        problem: &mut StepProblem,
        sources: &Sources<'_>,
        settings: &Settings,
        report: &mut StepReport,
        pool: &dyn Pool,
    ) {
        report.contacts_out_of_reach = problem.far.len() as u32;
        report.contacts -= report.contacts_out_of_reach;
        report.pairs_left_out = problem.left_out.len() as u32;
        let steady = sources.steady;
        let keeps = |k: usize| steady[k] || problem.has_rows(k);
        self.memories.begin(sources.bodies, sources.islands, steady, keeps);
        let mut settings = *settings;
        settings.solver.tolerance = settings.solver.tolerance_at(widen(report.dt));
        let settings = &settings;
        let spreads = pool.threads() > 1 && problem.rows_beside_largest(steady) >= ROWS_MIN;
        let mut tasks = Vec::new();
        let mut solver = self.solvers.pop().unwrap_or_default();
        let parts = problem.split(sources.islands, settings.solver.cone);
        for (k, step) in parts.enumerate() {
            let steady = steady[k];
            if !steady && step.blows.is_empty() && step.joints.is_empty() {
                for (i, body) in step.bodies.iter().enumerate() {
                    let (end, lead) = (&body.velocity_free, &step.lead[i]);
                    step.biased.velocity[i] = core::array::from_fn(|k| end[k] - lead[k]);
                    step.relaxed.velocity[i] = body.velocity_free;
                }
                continue;
            }
            let memory = self.memories.recall(k, step.members, sources.bodies);
            let mut task = Task { step, steady, memory, outcome: None };
            if spreads {
                tasks.push(task);
            } else {
                task.work(&mut solver, sources, settings, pool);
                self.keep(task, report);
            }
        }
        self.solvers.push(solver);
        if !spreads {
            return;
        }
        let spare = Mutex::new(core::mem::take(&mut self.solvers));
        let spare_now = || spare.lock().unwrap_or_else(PoisonError::into_inner);
        pool.run(&mut tasks, 1, |tasks| {
            let mut solver = spare_now().pop().unwrap_or_default();
            tasks.iter_mut().for_each(|task| task.work(&mut solver, sources, settings, pool));
            spare_now().push(solver);
        });
        self.solvers = spare.into_inner().unwrap_or_else(PoisonError::into_inner);
        tasks.into_iter().for_each(|task| self.keep(task, report));
    }

    /// Adds an island that is solved to the report, and remembers what it keeps; a steady one has the
    /// velocities and the outcome that it had.
    fn keep(&mut self, task: Task<'_>, report: &mut StepReport) {
        let Task { step, memory, outcome, .. } = task;
        if memory.pressed {
            report.pressed.push(step.first);
        }
        match (outcome, &memory.steady) {
            (Some(outcome), _) => add(report, &outcome, &memory, step.size()),
            (None, last) => {
                report.islands_steady += 1;
                if let Some(last) = last {
                    add(report, &last.outcome, &memory, last.size);
                }
            }
        }
        self.memories.keep(memory);
    }

    /// Number of bodies and contacts of the island of this first body, if its last solution had been taken as
    /// it was; `old` is the place in the list of the last step.
    pub(in crate::engine) fn steady(&self, first: BodyId, old: &mut usize) -> Option<[u32; 2]> {
        let memory = self.memories.of(first, old)?;
        memory.steady.as_ref().map(|last| [last.size[0], last.size[1]])
    }
}

/// Adds the outcome of an island to the report.
fn add(
    report: &mut StepReport,
    outcome: &Outcome,
    memory: &IslandMemory,
    [bodies, contacts, joint_rows]: [u32; 3],
) {
    let (biased, relaxed) = (&outcome.biased, outcome.relaxed.as_ref());
    let c = biased.certificate;
    report.natural_map = report.natural_map.max(c.natural_map);
    report.complementarity_gap += c.gap;
    report.joint_residual = report.joint_residual.max(c.joint);
    report.motion_residual = report.motion_residual.max(c.motion);
    let carried = outcome.carried;
    report.natural_map_relaxed = report.natural_map_relaxed.max(carried.natural_map);
    report.joint_residual_relaxed = report.joint_residual_relaxed.max(carried.joint);
    report.motion_residual_relaxed = report.motion_residual_relaxed.max(carried.motion);
    report.energy_given = report.energy_given.max(outcome.given);
    let mut solved = biased.status == Status::Converged;
    let (mut iterations, mut factorizations) = (biased.iterations, biased.factorizations);
    if let Some(relaxed) = relaxed {
        iterations += relaxed.iterations;
        factorizations += relaxed.factorizations;
        solved &= relaxed.status == Status::Converged;
    }
    let rows = contacts + joint_rows;
    let [rows_solved, rows_swept, rows_softened, rows_pressed] = match (outcome.softened, solved) {
        (true, _) => [0, 0, rows, 0],
        (_, true) if memory.pressed => [0, 0, 0, rows],
        (_, true) => [rows, 0, 0, 0],
        (_, false) => [0, rows, 0, 0],
    };
    report.rows_solved += rows_solved;
    report.rows_swept += rows_swept;
    report.rows_softened += rows_softened;
    report.rows_pressed += rows_pressed;
    report.iterations += iterations;
    report.factorizations += factorizations;
    report.islands_beyond_lemke += u32::from(outcome.beyond_lemke);
    report.solves.push(IslandReport {
        first: memory.first().unwrap_or_default(),
        bodies,
        contacts,
        joint_rows,
        method: outcome.method,
        iterations,
        factorizations,
        work: [biased.work, relaxed.map_or(0.0, |stats| stats.work)],
        residual: c.error(),
        residual_relaxed: carried.error(),
        energy_given: outcome.given,
        solved,
        rows_solved,
        rows_swept,
        rows_softened,
        rows_pressed,
    });
    if !solved {
        report.islands_unsolved += 1;
        report.status = StepStatus::NotConverged;
    }
}

impl IslandStep<'_> {
    /// Does any row push faster than the tolerance?
    fn is_pushed(&self, tolerance: Double) -> bool {
        self.manifolds.iter().any(|m| m.push.iter().any(|push| push.abs() > tolerance))
            || self.joint_push.iter().any(|push| push.abs() > tolerance)
    }

    /// Works out `W_nn` where contacts and bodies are now, since certificates are in its units.
    fn find_compliance(&mut self) {
        self.manifolds.iter_mut().for_each(|m| m.find_compliance(self.bodies));
    }

    /// Adds `sign` times the push to the biases.
    fn take_push(&mut self, sign: Double) {
        self.manifolds.iter_mut().for_each(|manifold| manifold.take_push(sign));
        for (row, push) in self.joints.iter_mut().zip(&*self.joint_push) {
            row.bias += sign * push;
        }
    }
}

impl StepProblem {
    /// Writes the impulses back to the contacts they belong to, for the next step.
    pub fn keep_impulses(&self, pairs: &mut [Box<Pair>]) {
        let gaps = self.manifolds.iter().flat_map(|m| &m.gap[..m.count as usize]);
        for ((i, &[p, c]), gap) in self.contact_source.iter().enumerate().zip(gaps) {
            let pair = &mut *pairs[p as usize];
            let contact = &mut pair.contacts[c as usize];
            if pair.passes {
                (contact.gap, contact.row_gap) = (narrow(*gap), *gap);
            }
            contact.impulse =
                [&self.biased, &self.relaxed].map(|u| DVec3::from_array(u.contact_impulse[i]));
            contact.blow = self.blows[i];
        }
        for &[p, c] in &self.far_new {
            pairs[p as usize].contacts[c as usize].blow = Blow::None;
        }
        for &p in &self.left_out {
            for contact in &mut pairs[p as usize].contacts {
                (contact.impulse, contact.blow) = ([DVec3::ZERO; 2], Blow::None);
            }
        }
        for (row, &at) in self.rolling_source.iter().enumerate() {
            let (frame, length) = (self.rolling_frame[row], self.rolling[row].length);
            let world = |l: [Double; 3]| -> DVec3 {
                (frame[0] * l[0] + frame[1] * l[1] + frame[2] * l[2]) * length
            };
            let [p, c] = self.contact_source[at as usize];
            let pair = &mut pairs[p as usize];
            let impulse = [&self.biased, &self.relaxed].map(|u| world(u.rolling_impulse[row]));
            pair.set_angular_impulse(pair.contacts[c as usize].id, impulse);
        }
    }
}
