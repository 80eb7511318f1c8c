//! The cone Newton with kept factors: fast where little changes from step to step.
//!
//! Input: an island's bodies, contacts in manifolds, their rolling rows, joint rows, a warm start. Output:
//! impulses, the velocity rebuilt from them but for bodies that are held (7.), a certificate of both. It
//! solves the convex relaxations (5.3)–(5.7) by an augmented Lagrangian,
//!
//! ```text
//! L(v) = ½ |v - v*|²_M + Σ_c |P_K(p_c)|² / (2 ρ_c),     p_c = l_c - ρ_c (w_c + Γ_c e_n),     ρ_c = ρ / W_nn
//! ∇L   = M (v - v*) - Jᵀ P_K(p),                        H   = M + Jᵀ diag(ρ_c dP_K) J
//! ```
//!
//! and finds the fixed point of the aggregate map χ₂ of (5.17), `Γ ← μ Λ(w_t)`, with the speeds of rolling
//! and spinning where they are bounded. A fixed point solves (5.1)–(5.2) (Lemma 5.1); that χ₂ contracts is
//! proved for small friction only (Theorem 5.9). It does as little as it can:
//!
//! 1. the impulses of the last step are measured; within the tolerance they are the solution;
//! 2. else Newton starts from the last velocity, or from that with which held bodies go on, whichever has
//!    the smaller gradient, with `Γ = μ |w_t|` of that velocity, so that most contacts keep their zones;
//!    each outer pass takes `Γ` from the newest velocity (extrapolated by `anderson.rs` once the
//!    relaxation is solved more accurately than `Γ` is known), minimizes, and updates the multipliers,
//!    `l ← P_K(p)`;
//! 3. an island at rest first tries a few steps and one update with the factor of an earlier step, and is
//!    content with the tolerance: most often that is all it takes. What is tiny, or was within the tolerance
//!    already, goes on until what sticks is held, since up a stack speeds within the tolerance add up;
//! 4. each step is one of the modified Newton method, with the factor at hand, which may be that of the last
//!    step of the simulation: the gradient is exact and the line search makes every step descend, so an old
//!    factor costs steps, not accuracy. It is renewed where a step gains too little;
//! 5. what strikes many contacts begins with interior points (`interior.rs`): what slides, sticks and opens
//!    then has little to do with the step before, and the passes of 2. would take many factors to find it.
//!    What those stall at goes on with them;
//! 6. `ρ` grows where multiplier updates gain too little and is kept with the factor. In a pile at rest it
//!    follows the load of each contact: then no load changes more than others in proportion, and contacts
//!    of small loads keep their zones;
//! 7. bodies that contacts hold fast (`held`) move with what holds them instead of drifting by the error of
//!    the impulses, so that what rests or is carried evenly has the same problem in every step. The
//!    certificate is that of these velocities; where it is above the tolerance then, all keep theirs.
//!
//! The factor is in single precision; joints and large mass ratios get a double one. A solve ends at its
//! budget of counted work; then the impulses with the smallest error seen are returned, which may be those
//! of the start. Cost: a sweep over the contacts (15 ns each) a step and trial, the block products of the
//! pattern a factor.

mod anderson;
mod cones;
mod held;
mod infeasible;
mod inner;
mod interior;
pub mod joints_only;
mod judge;
mod judged;
mod kernel;
mod lorentz;
mod matrix;
mod passes;
mod problem;
mod rigid;
mod round;
mod rows;
mod state;
mod step;
#[cfg(test)]
mod tests;
pub(in crate::engine) mod wrench;

pub(in crate::engine) use self::judge::rebuild_by;
pub use self::judge::{approach, certify, measure, rebuild};
pub use self::problem::{ManifoldIterate, ManifoldProblem};
pub use self::rows::solve_rows;
pub use self::state::{NewtonMemory, NewtonParams, NewtonScratch};

use self::matrix::JointNode;
use self::state::{FactorState, Progress};
use super::certificate::Certificate;
use super::outcome::{SolveStats, Status};
use super::problem::mass_ratio;
use super::rows::joint_compliance;
use crate::engine::tuning::newton::{
    AIM, AT_REST, DOUBLE_RATIO, GROWTH, PRODUCT, SMALL, START, STRUCK,
};
use crate::engine::tuning::work::CHECK;
use crate::math::Double;
use crate::math::refill;

/// Solves the step problem (5.1)–(5.2) of an island from a warm start; with `slip_bounds`, `Γ` [m/s], one for
/// each contact, the convex relaxation (5.3)–(5.7), whose velocity is unique and whose certificate is its
/// own.
pub fn solve(
    problem: &ManifoldProblem<'_>,
    slip_bounds: Option<&[Double]>,
    iterate: &mut ManifoldIterate<'_>,
    params: &NewtonParams,
    memory: &mut NewtonMemory,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    scratch.begin(problem, iterate);
    if let Some(slip_bounds) = slip_bounds {
        scratch.sweep.freeze(problem, slip_bounds);
    }
    scratch.finish(problem, iterate, params, memory)
}

impl NewtonScratch {
    /// Solves from the impulses taken up last and the velocity of the iterate.
    fn finish(
        &mut self,
        problem: &ManifoldProblem<'_>,
        iterate: &mut ManifoldIterate<'_>,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
    ) -> SolveStats {
        let first = match self.accept(problem, params, memory) {
            Ok(held) => {
                self.give(problem, iterate);
                return SolveStats { work: CHECK, certificate: held, ..Default::default() };
            }
            Err(first) => first,
        };
        let stats = SolveStats { work: CHECK, certificate: first, ..Default::default() };
        self.keep_best();
        // So it was, if there is a factor.
        let overdraft = memory.state != FactorState::None;
        let at_rest = params.loaded && overdraft || first.error() < AT_REST * params.tolerance;
        self.take_velocity(iterate.velocity);
        self.sweep.by_load = at_rest && !problem.is_tiny();
        if self.prepare(problem, memory) {
            // Other contacts: what suited the old ones may be far too stiff.
            memory.penalty = params.penalty;
        }
        let double = !problem.joints.is_empty() || mass_ratio(problem.bodies) > DOUBLE_RATIO;
        let size = problem.size();
        // What begins within the tolerance, but cannot be held, has to become better than it was.
        let before = if problem.is_tiny() { Double::INFINITY } else { first.error() };
        let mut progress = Progress {
            stats: SolveStats { status: Status::IterationLimit, ..stats },
            work: CHECK * size,
            work_max: params.work_max * (size + SMALL),
            half_work: params.half_work * (size + SMALL),
            overdraft,
            double,
            penalty: if at_rest { memory.penalty } else { START * params.penalty },
            poor: false,
            aim: if at_rest { AIM * params.tolerance.min(before) } else { 0.5 * params.tolerance },
            last_error: Double::INFINITY,
            at_hand: false,
            minimized: false,
            to_be_held: at_rest && (first.error() <= params.tolerance || problem.is_tiny()),
            held: None,
            measured: None,
        };
        let inside = first.error() > STRUCK
            && self.suits_inside(problem, params, memory, &progress)
            && self.are_many_struck(problem);
        if at_rest {
            self.begin_at_rest(problem, params, memory, &mut progress);
        } else if inside {
            self.go_inside(problem, params, memory, &mut progress);
        }
        self.run(problem, params, memory, &mut progress);
        let stalled = progress.stats.status == Status::Stalled
            && progress.stats.certificate.error() > params.tolerance;
        if stalled && !inside && self.suits_inside(problem, params, memory, &progress) {
            self.go_inside(problem, params, memory, &mut progress);
            self.run(problem, params, memory, &mut progress);
        }
        if progress.stats.status != Status::Converged {
            // With too much of it contacts change their zones at every step.
            (memory.penalty, memory.state) = (params.penalty, FactorState::None);
        } else if at_rest {
            memory.penalty = (progress.penalty / GROWTH).max(params.penalty);
        }
        memory.changed = progress.stats.certificate.error() < first.error();
        self.went_back = progress.last_error > progress.stats.certificate.error();
        if self.went_back {
            progress.stats.certificate = self.go_back(problem);
        }
        if at_rest && progress.stats.status == Status::Converged {
            progress.stats.certificate = self.hold_solved(problem, params, memory, &mut progress);
        }
        self.give(problem, iterate);
        progress.stats.work = progress.work / size;
        progress.stats
    }

    /// Measures the impulses of the start: once, as they are held, where those of the last step were taken as
    /// they came. The certificate with which they serve, else that of the impulses alone.
    fn accept(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
    ) -> Result<Certificate, Certificate> {
        let known = memory.changed.then(|| self.certify(problem));
        memory.changed = known.is_some_and(|first| !memory.accepts(first, params.tolerance));
        if !memory.changed {
            if known.is_none() {
                self.sweep.rebuild(problem, &self.joint, &mut self.rebuilt);
            }
            let held = self.hold(problem, params, memory, known);
            if held.error() <= params.tolerance {
                return Ok(held);
            }
            memory.changed = true;
        }
        Err(known.unwrap_or_else(|| self.judge(problem)))
    }

    /// Takes the factor of an earlier step, and starts from where what is held goes on.
    fn begin_at_rest(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &NewtonMemory,
        progress: &mut Progress,
    ) {
        let (of, piled) = (progress.double, self.sweep.by_load);
        if let FactorState::Made { double, penalty, by_load } = memory.state
            && (double, by_load) == (of, piled)
        {
            (progress.at_hand, progress.penalty) = (true, penalty);
        }
        if piled {
            self.go_on(problem, params, progress);
        }
    }

    /// Takes the best impulses; their certificate.
    fn go_back(&mut self, problem: &ManifoldProblem<'_>) -> Certificate {
        core::mem::swap(&mut self.sweep.impulse, &mut self.best_impulse);
        self.sweep.cones.rolling.clone_from(&self.best_rolling);
        self.joint.clone_from(&self.best_joint);
        self.judge(problem)
    }

    /// Moves held bodies of a solution if that is within the tolerance; its certificate.
    fn hold_solved(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
        progress: &mut Progress,
    ) -> Certificate {
        let mut held = match progress.held {
            Some(held) if !self.went_back => held,
            _ => self.hold(problem, params, memory, Some(progress.stats.certificate)),
        };
        if self.held.leaves_some() && self.find_rigid(problem, params.tolerance, memory) {
            progress.work += PRODUCT * memory.pattern.work() as Double;
            let solved = self.judge(problem);
            held = self.hold(problem, params, memory, Some(solved));
        }
        let holds = held.error() <= params.tolerance;
        if holds { held } else { self.judge(problem) }
    }

    /// Keeps the impulses at hand as the best.
    fn keep_best(&mut self) {
        self.best_impulse.clone_from(&self.sweep.impulse);
        self.best_rolling.clone_from(&self.sweep.cones.rolling);
        self.best_joint.clone_from(&self.joint);
    }

    /// Finds the joints and the pattern of the matrix. True if it is a new one.
    fn prepare(&mut self, problem: &ManifoldProblem<'_>, memory: &mut NewtonMemory) -> bool {
        self.sweep.prepare(problem);
        self.find_nodes(problem);
        let n = problem.bodies.len() as u32;
        self.edges.clear();
        let pairs = problem.manifolds.iter().filter(|m| m.a < n && m.b < n);
        self.edges.extend(pairs.map(|m| [m.a, m.b]));
        for (k, node) in self.nodes.iter().enumerate() {
            self.edges.extend(node.bodies.iter().map(|&body| [n + k as u32, body]));
        }
        let mut is_new = false;
        if !memory.pattern.is_left(&memory.nodes, self.nodes.len(), &self.edges) {
            is_new = self.renew_pattern(problem, memory);
        }
        if is_new {
            memory.state = FactorState::None;
        }
        self.size_nodes(&memory.pattern);
        for list in [&mut self.step, &mut self.trial] {
            refill(list, problem.bodies.len() + 1, [0.0; 6]);
        }
        for list in [&mut self.joint_step, &mut self.trial_joint] {
            refill(list, problem.joints.len(), 0.0);
        }
        self.anderson.restart(4 * problem.manifolds.len());
        is_new
    }

    fn find_nodes(&mut self, problem: &ManifoldProblem<'_>) {
        self.nodes.clear();
        for (i, row) in problem.joints.iter().enumerate() {
            let bodies = || row.terms.iter().map(|(body, _)| *body);
            let compliance = joint_compliance(problem.bodies, row) + row.softness;
            if let Some(last) = self.nodes.last_mut()
                && last.rows.len() < 6
                && last.bodies.iter().copied().eq(bodies())
            {
                last.compliance[last.rows.len()] = compliance;
                last.rows.end = i + 1;
                continue;
            }
            let mut node =
                JointNode { rows: i..i + 1, bodies: bodies().collect(), compliance: [0.0; 6] };
            node.compliance[0] = compliance;
            self.nodes.push(node);
        }
    }
}
