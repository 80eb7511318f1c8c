//! The cone Newton with kept factors: fast where little changes from step to step.
//!
//! Input: an island's bodies, contacts in manifolds, their rolling rows, joint rows, a warm start. Output:
//! impulses, the velocity rebuilt from them but for bodies that are held (6.), a certificate of both. It
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
//! 2. else Newton starts from the last velocity, with `Γ = μ |w_t|` of that velocity, so that most
//!    contacts keep their zones; each outer pass takes `Γ` from the newest velocity (extrapolated by
//!    `anderson.rs` once the relaxation is solved more accurately than `Γ` is known), minimizes, and
//!    updates the multipliers, `l ← P_K(p)`;
//! 3. an island at rest first tries a few steps and one update with the factor of an earlier step, and is
//!    content with the tolerance: most often that is all it takes. A tiny one goes on until what sticks is
//!    held, since up a stack speeds within the tolerance add up;
//! 4. each Newton step is a *chord* step with the factor at hand, which may be that of the last step of
//!    the simulation: the gradient is exact and the line search makes every step descend, so an old
//!    factor costs steps, not accuracy. It is renewed where a step gains too little;
//! 5. `ρ` grows where multiplier updates gain too little and is kept with the factor;
//! 6. bodies that contacts hold fast (`held`) move with what holds them instead of drifting by the error of
//!    the impulses, so that what rests or is carried evenly has the same problem in every step. The
//!    certificate is that of these velocities; where it is above the tolerance then, all keep theirs.
//!
//! The factor is in single precision; joints and large mass ratios get a double one. A solve ends at its
//! budget of counted work; then the impulses with the smallest error seen are returned, which may be those
//! of the start. Cost: a sweep over the contacts (15 ns each) a step and trial, [`Pattern::work`] block
//! products a factor.

mod anderson;
mod cones;
mod descent;
mod held;
pub mod joints_only;
mod judge;
mod kernel;
mod matrix;
mod passes;
mod round;
mod rows;
mod step;
#[cfg(test)]
mod tests;

use crate::engine::tuning::newton::{
    AIM, DOUBLE_RATIO, FEW, GROWTH, PRODUCT, RECHECK, REST, SMALL, SOLVE, TINY, VIOLENT,
};
use core::ops::Range;

pub use self::judge::{approach, certify, measure};
pub use self::rows::{solve_relaxation_rows, solve_rows};

use self::anderson::Anderson;
use self::kernel::Sweep;
use super::certificate::Certificate;
use super::factor::{Factor, Lanes as NodeLanes, Pattern};
use super::manifold::{LaneVectors, Manifold};
use super::outcome::{SolveStats, Status};
use super::problem::{BodyBlock, Cone, JointRow, RollingRow, Vec6};
use super::rows::joint_compliance;
use crate::engine::tuning::work::CHECK;
use crate::math::{Double, Single};

/// The problem of one island, with its contacts in manifolds.
#[derive(Clone, Copy, Debug)]
pub struct ManifoldProblem<'a> {
    /// Mass blocks.
    pub bodies: &'a [BodyBlock],
    /// Contacts. Body indices equal to the number of bodies stand for the fixed world.
    pub manifolds: &'a [Manifold],
    /// Joint rows; those of one joint follow each other.
    pub joints: &'a [JointRow],
    /// Rolling and spinning rows of some contacts, ascending by contact, at most one each; their directions
    /// are those of the frame of the manifold.
    pub rolling: &'a [RollingRow],
    /// Friction cone of all contacts; pyramids in the frame of the manifold.
    pub cone: Cone,
}

impl<'a> ManifoldProblem<'a> {
    /// A problem with circular cones and without rolling rows.
    #[must_use]
    pub const fn round(
        bodies: &'a [BodyBlock],
        manifolds: &'a [Manifold],
        joints: &'a [JointRow],
    ) -> Self {
        Self { bodies, manifolds, joints, rolling: &[], cone: Cone::Circular }
    }

    /// Contacts and bodies, as if every manifold were full.
    fn size(&self) -> Double {
        (self.manifolds.len() * 4 + self.bodies.len()) as Double
    }

    /// Sweeps over all of it that a budget of one allows.
    pub fn budget(&self) -> Double {
        (self.size() + SMALL) / self.size().max(1.0)
    }

    fn is_tiny(&self) -> bool {
        let contacts: usize = self.manifolds.iter().map(|m| m.count as usize).sum();
        contacts + self.bodies.len() <= TINY
    }
}

/// Unknowns of an island: warm start in, solution out.
#[derive(Debug)]
pub struct ManifoldIterate<'a> {
    /// `v`, one for each body.
    pub velocity: &'a mut [Vec6],
    /// Impulses of the contacts, world axes, in the order of the manifolds.
    pub contact: &'a mut [[Double; 3]],
    /// `(s, r_1, r_2)`, one for each rolling row.
    pub rolling: &'a mut [[Double; 3]],
    /// `c_ν`, one for each joint row.
    pub joint: &'a mut [Double],
}

/// Parameters of the cone Newton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChordParams {
    /// Bound on [`Certificate::error`](crate::engine::lcp::certificate::Certificate::error) [m/s].
    pub tolerance: Double,
    /// `g h` [m/s] of the certificate's `relative`.
    pub gravity_dt: Double,
    /// First `ρ` of an island (–).
    pub penalty: Double,
    /// Largest number of multiplier updates.
    pub outer_max: u32,
    /// Largest number of Newton steps between two updates.
    pub newton_max: u32,
    /// Budget of work for each contact and body, in sweeps over a contact (–).
    pub work_max: Double,
    /// Within so much of it (–) the error has to fall by half, else the solve ends; infinite to spend it all.
    pub half_work: Double,
    /// Does it go on for long where it no longer gains?
    pub patient: bool,
}

impl Default for ChordParams {
    /// To 1e-10 m/s, without a budget.
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            gravity_dt: 0.0,
            penalty: 200.0,
            outer_max: 200,
            newton_max: 40,
            work_max: Double::INFINITY,
            half_work: Double::INFINITY,
            patient: true,
        }
    }
}

/// What an island keeps from step to step: the factor and `ρ`. It makes solving fast and changes results
/// only within the tolerance.
#[derive(Clone, Debug, Default)]
pub struct ChordMemory {
    pattern: Pattern,
    /// Nodes of the pattern that stand for the bodies, ascending, where others are gone; empty while there is
    /// one for each.
    nodes: Vec<u32>,
    single: Factor<Single>,
    double: Factor<Double>,
    /// Is there a factor, in double precision or not, and for which `ρ`?
    state: FactorState,
    /// `ρ` of the last solve; 0 before the first.
    penalty: Double,
    /// Did the last solve change the impulses? Then they hold what it took to stop the bodies, which would
    /// act once more if they were taken as they are.
    changed: bool,
}

impl ChordMemory {
    /// Tells that another solver changed the impulses after the last solve.
    pub fn note_change(&mut self) {
        self.changed = true;
    }

    /// Goes on with other bodies: for each its place among those before, ascending, or none if it is new. The
    /// factor serves on if all were there, with the contacts that are left: as good as an older one.
    pub fn pass_on(&mut self, places: impl ExactSizeIterator<Item = Option<usize>>) {
        let before = core::mem::take(&mut self.nodes);
        let node = |place: usize| before.get(place).copied().unwrap_or(place as u32);
        let bodies = places.len();
        self.nodes.extend(places.flatten().map(node));
        if self.nodes.len() < bodies {
            self.nodes.clear();
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum FactorState {
    #[default]
    None,
    Made {
        double: bool,
        penalty: Double,
    },
}

/// The rows of one joint.
#[derive(Clone, Debug)]
struct JointNode {
    rows: Range<usize>,
    /// Bodies of the island, one or two.
    bodies: smallvec::SmallVec<[u32; 2]>,
    /// `ν M⁻¹ νᵀ + s` of each row.
    compliance: [Double; 6],
}

/// Buffers of the cone Newton.
#[derive(Clone, Debug, Default)]
pub struct ChordScratch {
    sweep: Sweep,
    nodes: Vec<JointNode>,
    edges: Vec<[u32; 2]>,
    velocity: Vec<Vec6>,
    trial: Vec<Vec6>,
    step: Vec<Vec6>,
    rebuilt: Vec<Vec6>,
    joint: Vec<Double>,
    trial_joint: Vec<Double>,
    joint_step: Vec<Double>,
    single: Vec<NodeLanes<Single>>,
    double: Vec<NodeLanes<Double>>,
    best_impulse: Vec<LaneVectors>,
    best_rolling: Vec<[Double; 3]>,
    best_joint: Vec<Double>,
    /// Are the impulses given back earlier ones than the last, which are in `best_impulse` then?
    went_back: bool,
    anderson: Anderson,
    gamma_error: Vec<Double>,
    supports: Vec<held::Support>,
    grips: Vec<(u32, u8)>,
}

/// Work and outcome while solving.
struct Progress {
    stats: SolveStats,
    work: Double,
    work_max: Double,
    half_work: Double,
    double: bool,
    penalty: Double,
    poor: bool,
    /// Multiplier updates.
    passes: u32,
    /// Error at which the solve ends.
    aim: Double,
    /// Error of the impulses at hand; infinite if they have not been measured.
    last_error: Double,
    /// Is the factor of an earlier step all there is, for now?
    at_hand: bool,
    /// The certificate with held bodies moved, if the solve ended with it.
    held: Option<Certificate>,
}

/// Solves the step problem (5.1)–(5.2) of an island from a warm start.
pub fn solve(
    problem: &ManifoldProblem<'_>,
    iterate: &mut ManifoldIterate<'_>,
    params: &ChordParams,
    memory: &mut ChordMemory,
    scratch: &mut ChordScratch,
) -> SolveStats {
    scratch.begin(problem, iterate);
    scratch.finish(problem, iterate, params, memory)
}

/// Solves the convex relaxation (5.3)–(5.7) at given `Γ` [m/s], one for each contact. Its velocity is unique;
/// the certificate is that of the relaxation.
pub fn solve_relaxation(
    problem: &ManifoldProblem<'_>,
    gamma: &[Double],
    iterate: &mut ManifoldIterate<'_>,
    params: &ChordParams,
    memory: &mut ChordMemory,
    scratch: &mut ChordScratch,
) -> SolveStats {
    scratch.begin(problem, iterate);
    scratch.sweep.freeze(problem, gamma);
    scratch.finish(problem, iterate, params, memory)
}

/// Largest over smallest mass of an island.
fn mass_ratio(bodies: &[BodyBlock]) -> Double {
    let inverse = |b: &BodyBlock| b.inverse_mass.iter().fold(0.0, |m: Double, x| m.max(*x));
    let (mut low, mut high) = (Double::INFINITY, 0.0);
    for body in bodies {
        let x = inverse(body);
        if x > 0.0 {
            (low, high) = (x.min(low), x.max(high));
        }
    }
    if high > 0.0 { high / low } else { 1.0 }
}

impl ChordScratch {
    /// Solves from the impulses taken up last and the velocity of the iterate.
    fn finish(
        &mut self,
        problem: &ManifoldProblem<'_>,
        iterate: &mut ManifoldIterate<'_>,
        params: &ChordParams,
        memory: &mut ChordMemory,
    ) -> SolveStats {
        let first = self.certify(problem, params.gravity_dt);
        let stats = SolveStats {
            status: Status::Converged,
            iterations: 0,
            factorizations: 0,
            work: CHECK,
            certificate: first,
        };
        let accepted = if memory.changed { RECHECK } else { 1.0 } * params.tolerance;
        memory.changed = first.error() > accepted;
        if !memory.changed {
            let held = self.hold(problem, params, first);
            if held.error() <= params.tolerance {
                self.give(problem, iterate);
                return SolveStats { certificate: held, ..stats };
            }
            memory.changed = true;
        }
        self.keep_best();
        self.take_velocity(iterate.velocity);
        if self.prepare(problem, memory) {
            // Other contacts: what suited the old ones may be far too stiff.
            memory.penalty = params.penalty;
        }
        let double = !problem.joints.is_empty() || mass_ratio(problem.bodies) > DOUBLE_RATIO;
        let size = problem.size();
        let at_rest = first.error() < REST * params.tolerance;
        let mut progress = Progress {
            stats: SolveStats { status: Status::IterationLimit, ..stats },
            work: CHECK * size,
            work_max: params.work_max * (size + SMALL),
            half_work: params.half_work * (size + SMALL),
            double,
            penalty: if at_rest { memory.penalty } else { VIOLENT * params.penalty },
            poor: false,
            passes: 0,
            aim: if at_rest { AIM } else { 0.5 } * params.tolerance,
            last_error: Double::INFINITY,
            at_hand: false,
            held: None,
        };
        if let FactorState::Made { double: of, penalty } = memory.state
            && at_rest
            && of == double
        {
            (progress.at_hand, progress.penalty) = (true, penalty);
        }
        self.run(problem, params, memory, &mut progress);
        let eased =
            if progress.passes <= FEW { progress.penalty / GROWTH } else { progress.penalty };
        if progress.stats.status != Status::Converged {
            // With too much of it contacts change their zones at every step.
            (memory.penalty, memory.state) = (params.penalty, FactorState::None);
        } else if at_rest {
            memory.penalty = eased.max(params.penalty);
        }
        memory.changed = progress.stats.certificate.error() < first.error();
        self.went_back = progress.last_error > progress.stats.certificate.error();
        if self.went_back {
            core::mem::swap(&mut self.sweep.impulse, &mut self.best_impulse);
            self.sweep.cones.rolling.clone_from(&self.best_rolling);
            self.joint.clone_from(&self.best_joint);
            progress.stats.certificate = self.judge(problem, params);
        }
        if at_rest && progress.stats.status == Status::Converged {
            progress.stats.certificate = self.hold_solved(problem, params, &progress);
        }
        self.give(problem, iterate);
        progress.stats.work = progress.work / size;
        progress.stats
    }

    /// Moves held bodies of a solution if that is within the tolerance; its certificate.
    fn hold_solved(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &ChordParams,
        progress: &Progress,
    ) -> Certificate {
        let held = match progress.held {
            Some(held) if !self.went_back => held,
            _ => self.hold(problem, params, progress.stats.certificate),
        };
        let holds = held.error() <= params.tolerance;
        if holds { held } else { self.judge(problem, params) }
    }

    /// Keeps the impulses at hand as the best.
    fn keep_best(&mut self) {
        self.best_impulse.clone_from(&self.sweep.impulse);
        self.best_rolling.clone_from(&self.sweep.cones.rolling);
        self.best_joint.clone_from(&self.joint);
    }

    /// Finds the joints and the pattern of the matrix.
    /// True if it is a new one.
    fn prepare(&mut self, problem: &ManifoldProblem<'_>, memory: &mut ChordMemory) -> bool {
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
            list.clear();
            list.resize(problem.bodies.len() + 1, [0.0; 6]);
        }
        for list in [&mut self.joint_step, &mut self.trial_joint] {
            list.clear();
            list.resize(problem.joints.len(), 0.0);
        }
        self.anderson.restart(4 * problem.manifolds.len());
        is_new
    }

    /// Makes the pattern that of the bodies and joints as they are; true if it is a new one.
    fn renew_pattern(&self, problem: &ManifoldProblem<'_>, memory: &mut ChordMemory) -> bool {
        memory.nodes.clear();
        memory.pattern.build(problem.bodies.len(), self.nodes.len(), &self.edges)
    }

    /// Makes room for a value at every node of the pattern.
    fn size_nodes(&mut self, pattern: &Pattern) {
        self.single.clear();
        self.single.resize(pattern.nodes(), [0.0; 8]);
        self.double.clear();
        self.double.resize(pattern.nodes(), [0.0; 8]);
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
