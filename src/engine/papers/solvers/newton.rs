//! The cone Newton: the step problem by convex relaxations (5.3)–(5.7) and the fixed point over Γ.
//!
//! Input: a problem and a warm start. Output: impulses, the velocity rebuilt from them, a
//! certificate. Three nested loops, as one list:
//!
//! 1. `relaxation`: Newton with line search on the augmented Lagrangian, joints
//!    in the same system, at given `l`, `Γ` and penalty `ρ`;
//! 2. `l ← P_K(p)`: multiplier update. Errors of the relaxation shrink by about `1/(1 + ρ λ)` with
//!    `λ` the smallest nonzero eigenvalue of `W` relative to `W_nn`; if an update gains too little
//!    ρ grows, and near the level of rounding, which is `ρ ε |v|`, it shrinks again;
//! 3. `Γ ← μ Λ(w_t)`, with the speeds of rolling and spinning where they are bounded: the aggregate
//!    map χ₂ of (5.17), once the relaxation is solved more accurately than Γ is known. A fixed point
//!    solves (5.1)–(5.2) (Lemma 5.1).
//!
//! The thesis proves that χ₂ contracts for small friction (Theorem 5.9) and leaves the rest open.
//! Here it is accelerated (`lcp/newton/anderson.rs`) and damped: `β` starts at `min(1, 1/μ)` and is halved at
//! every restart. After a few updates of Γ the form with the slip bound inside (`coupled.rs`) is
//! tried from the best impulses, and kept as long as every update halves the error. All this may
//! still not converge (wedged bodies, large friction); then the status is `Stalled` and the best
//! iterate seen is returned, judged by its own certificate. Impulses are never accepted unchecked.
//!
//! Cost: one envelope factor for each change of zones. Not done: low-rank updates, a factor kept
//! from one step of the simulation to the next.

use super::relaxation::Relaxation;
use crate::engine::lcp::certificate::{Certificate, measure_with, rebuild_velocity};
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::newton::anderson::Anderson;
use crate::engine::lcp::rolling::slip_bound;
use crate::engine::lcp::{Impulses, Iterate, Problem, SolveStats, Status, Vec6};
use crate::engine::tuning::work::CHECK;
use crate::math::Double;

/// Parameters of the cone Newton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonParams {
    /// Bound on [`Certificate::error`] [m/s]. Default 1e-10. Below about 1e-13 times the velocities
    /// and the penalty's first digits it cannot be met.
    pub tolerance: Double,
    /// `g h` [m/s] of the certificate's `relative`; zero makes it equal to the natural map. Default 0.
    pub gravity_dt: Double,
    /// Largest number of multiplier updates. Default 100.
    pub outer_max: u32,
    /// Largest number of Newton steps in one minimization. Default 60.
    pub newton_max: u32,
    /// Largest number of matrix factorizations, the budget of the work. Default: none.
    pub factorizations_max: u32,
    /// First `ρ` (–); `ρ_c = ρ / W_nn`. Default 1e3: larger makes the first minimization long,
    /// smaller needs more multiplier updates.
    pub penalty: Double,
    /// Largest `ρ` (–), reached only where updates gain too little (tall towers, large mass
    /// ratios). Default 1e8.
    pub penalty_max: Double,
    /// Updates of `l` and `Γ` without gain after which the solver gives up. Default 15;
    /// [`Method::Auto`](crate::engine::lcp::Method::Auto) then sweeps and tries again.
    pub patience: u32,
}

impl NewtonParams {
    /// Newton steps that one minimization may still take.
    fn steps_max(&self, relaxation: &Relaxation) -> u32 {
        self.newton_max.min(self.factorizations_max.saturating_sub(relaxation.factorizations))
    }
}

impl Default for NewtonParams {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            gravity_dt: 0.0,
            outer_max: 100,
            newton_max: 60,
            factorizations_max: u32::MAX,
            penalty: 1e3,
            penalty_max: 1e8,
            patience: 15,
        }
    }
}

/// Buffers of the cone Newton.
#[derive(Clone, Debug, Default)]
pub struct NewtonScratch {
    cone: FrictionCone,
    relaxation: Relaxation,
    anderson: Anderson,
    /// Velocity rebuilt from the impulses at hand.
    rebuilt: Vec<Vec6>,
    /// `μ Λ(v) - Γ`.
    gamma_error: Vec<Double>,
    best_gamma: Vec<Double>,
    best_joint: Vec<Double>,
    best_contact: Vec<[Double; 3]>,
    best_rolling: Vec<[Double; 3]>,
}

/// Solves the step problem (5.1)–(5.2) from a warm start: `Γ` comes from the velocity of the
/// iterate, the multipliers from its impulses. Exits at once if the impulses already meet the
/// tolerance.
pub fn solve(
    problem: &Problem,
    iterate: &mut Iterate,
    params: &NewtonParams,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    run(problem, None, iterate, params, scratch)
}

/// Solves the convex relaxation (5.3)–(5.7) at given `Γ` [m/s], one for each contact. Its velocity
/// is unique; the certificate is that of the relaxation.
pub fn solve_relaxation(
    problem: &Problem,
    gamma: &[Double],
    iterate: &mut Iterate,
    params: &NewtonParams,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    debug_assert_eq!(gamma.len(), problem.contacts.len(), "one Γ a contact");
    run(problem, Some(gamma), iterate, params, scratch)
}

/// What the outer loop remembers from one update to the next.
struct GammaProgress {
    best: Certificate,
    /// Updates since the best error fell by a tenth.
    idle: u32,
    /// Error of the relaxation after the last update, if `Γ` was kept since.
    relaxation_error: Option<Double>,
    last_error: Double,
    /// Smallest error of `Γ` since the last restart.
    gamma_error: Double,
    damping: Double,
    penalty_max: Double,
    /// Updates of `Γ` until the coupled form is tried, and that number at the next trial.
    until_coupled: u32,
    coupled_wait: u32,
    /// Error at the last update in the coupled form.
    coupled_error: Double,
    /// `ρ` of the convex form while the coupled one runs.
    saved_penalty: Double,
}

/// `ρ` of the coupled form: its residual is not convex, so zones must not flip at the first error
/// of Γ.
const COUPLED_PENALTY: Double = 100.0;

/// Updates of `Γ` before the coupled form is tried first; doubled at every failure.
const COUPLED_WAIT: u32 = 3;

fn run(
    problem: &Problem,
    gamma: Option<&[Double]>,
    iterate: &mut Iterate,
    params: &NewtonParams,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    let mut cone = core::mem::take(&mut scratch.cone);
    cone.set(problem.cone);
    let stats = iterate_gamma(problem, gamma, iterate, params, &cone, scratch);
    scratch.cone = cone;
    stats
}

fn iterate_gamma(
    problem: &Problem,
    gamma: Option<&[Double]>,
    iterate: &mut Iterate,
    params: &NewtonParams,
    cone: &FrictionCone,
    scratch: &mut NewtonScratch,
) -> SolveStats {
    let first = scratch.begin(problem, gamma, iterate, params, cone);
    let mut stats = SolveStats {
        status: Status::Converged,
        iterations: 0,
        factorizations: 0,
        work: CHECK,
        certificate: first,
    };
    if first.error() > params.tolerance {
        scratch.prepare(problem, gamma, iterate, params, cone);
        stats.status = Status::IterationLimit;
        let friction_max = problem.contacts.iter().fold(1.0, |m: Double, row| m.max(row.friction));
        let rolling = problem.rolling.iter();
        let friction_max = rolling.fold(friction_max, |m, r| m.max(r.rolling).max(r.spinning));
        let mut progress = GammaProgress {
            best: first,
            idle: 0,
            relaxation_error: None,
            last_error: first.error(),
            gamma_error: Double::INFINITY,
            damping: 1.0 / friction_max,
            penalty_max: params.penalty_max,
            until_coupled: COUPLED_WAIT,
            coupled_wait: COUPLED_WAIT,
            coupled_error: 0.0,
            saved_penalty: 0.0,
        };
        for _ in 0..params.outer_max {
            let certificate =
                scratch.update(problem, gamma, params, cone, &mut progress, &mut stats);
            if certificate.error() <= params.tolerance {
                stats.status = Status::Converged;
                break;
            }
            if scratch.relaxation.factorizations >= params.factorizations_max {
                break;
            }
            if progress.idle > params.patience {
                stats.status = Status::Stalled;
                break;
            }
        }
        stats.certificate = progress.best;
        stats.factorizations = scratch.relaxation.factorizations;
        let sweep = (problem.contacts.len() + problem.bodies.len()) as Double;
        stats.work += scratch.relaxation.work / sweep.max(1.0);
    }
    scratch.finish(problem, iterate);
    stats
}

impl NewtonScratch {
    /// Takes the impulses of the warm start and measures them.
    fn begin(
        &mut self,
        problem: &Problem,
        gamma: Option<&[Double]>,
        iterate: &Iterate,
        params: &NewtonParams,
        cone: &FrictionCone,
    ) -> Certificate {
        self.best_joint.clear();
        let rows = problem.joints.iter().zip(iterate.joint_impulse.iter());
        self.best_joint.extend(rows.map(|(row, c)| row.clamp(*c)));
        self.best_contact.clear();
        self.best_contact.extend_from_slice(iterate.contact_impulse);
        self.best_rolling.clear();
        self.best_rolling.extend_from_slice(iterate.rolling_impulse);
        self.rebuilt.clear();
        self.rebuilt.resize(problem.bodies.len(), [0.0; 6]);
        let best = Impulses { joint: &self.best_joint, ..iterate.impulses() };
        rebuild_velocity(problem, best, &mut self.rebuilt);
        measure_with(problem, cone, gamma, &self.rebuilt, best, params.gravity_dt)
    }

    /// Sets up the minimization at the warm start.
    fn prepare(
        &mut self,
        problem: &Problem,
        gamma: Option<&[Double]>,
        iterate: &Iterate,
        params: &NewtonParams,
        cone: &FrictionCone,
    ) {
        let relaxation = &mut self.relaxation;
        relaxation.prepare(problem);
        relaxation.penalty = params.penalty;
        relaxation.velocity.clear();
        relaxation.velocity.extend_from_slice(iterate.velocity);
        relaxation.joint.clear();
        relaxation.joint.extend_from_slice(&self.best_joint);
        relaxation.start_impulses(problem, cone, iterate.impulses());
        for (c, row, rolling) in problem.contacts_with_rolling() {
            let slip = slip_bound(row, rolling.map(|(_, r)| r), cone, &relaxation.velocity);
            relaxation.gamma[c] = gamma.map_or(slip, |gamma| gamma[c]);
        }
        self.anderson.restart(problem.contacts.len());
        self.gamma_error.clear();
        self.gamma_error.resize(problem.contacts.len(), 0.0);
        self.best_gamma.clear();
        self.best_gamma.extend_from_slice(&relaxation.gamma);
    }

    /// One update of `l`, then of `Γ` if the relaxation is solved well enough.
    fn update(
        &mut self,
        problem: &Problem,
        gamma: Option<&[Double]>,
        params: &NewtonParams,
        cone: &FrictionCone,
        progress: &mut GammaProgress,
        stats: &mut SolveStats,
    ) -> Certificate {
        let relaxation = &mut self.relaxation;
        let inner = (0.1 * params.tolerance).max(1e-3 * progress.last_error);
        let minimum = relaxation.minimize(problem, cone, inner, params.steps_max(relaxation));
        stats.iterations += minimum.steps.max(1);
        relaxation.update_multipliers(problem);
        let impulses = relaxation.impulses();
        rebuild_velocity(problem, impulses, &mut self.rebuilt);
        let judge =
            |gamma| measure_with(problem, cone, gamma, &self.rebuilt, impulses, params.gravity_dt);
        let certificate = judge(gamma);
        stats.work += 2.0 * CHECK;
        let error = certificate.error();
        let coupled = relaxation.coupled;
        let relaxation_error = if coupled { error } else { judge(Some(&relaxation.gamma)).error() };
        progress.idle += 1;
        if error < progress.best.error() {
            if error < 0.9 * progress.best.error() {
                progress.idle = 0;
            }
            progress.best = certificate;
            self.best_joint.copy_from_slice(impulses.joint);
            self.best_contact.copy_from_slice(impulses.contact);
            self.best_rolling.copy_from_slice(impulses.rolling);
            self.best_gamma.copy_from_slice(&relaxation.gamma);
        }
        let floor = relaxation.rounding_level(problem);
        progress.last_error = error;
        if error > params.tolerance {
            if !self.relaxation.coupled {
                self.adapt_penalty(relaxation_error, floor, progress);
            }
            if gamma.is_none() {
                self.update_gamma(problem, params, cone, relaxation_error, progress);
                self.choose_form(problem, error, progress);
            }
        }
        certificate
    }

    /// Raises `ρ` where multiplier updates gain too little, lowers it at the level of rounding.
    fn adapt_penalty(&mut self, error: Double, floor: Double, progress: &mut GammaProgress) {
        let penalty = &mut self.relaxation.penalty;
        if error < 30.0 * floor {
            if *penalty > 10.0 {
                *penalty *= 0.1;
                // Never back to where rounding decides.
                progress.penalty_max = *penalty;
            }
        } else if progress.relaxation_error.is_some_and(|last| error > 0.2 * last)
            && *penalty < progress.penalty_max
        {
            *penalty = (*penalty * 10.0).min(progress.penalty_max);
        }
        progress.relaxation_error = Some(error);
    }

    /// The step of χ₂, accelerated, unless the relaxation is not yet solved as accurately.
    fn update_gamma(
        &mut self,
        problem: &Problem,
        params: &NewtonParams,
        cone: &FrictionCone,
        relaxation_error: Double,
        progress: &mut GammaProgress,
    ) {
        let gamma = &mut self.relaxation.gamma;
        let mut size: Double = 0.0;
        for (c, row, rolling) in problem.contacts_with_rolling() {
            let slip = slip_bound(row, rolling.map(|(_, r)| r), cone, &self.rebuilt);
            self.gamma_error[c] = slip - gamma[c];
            size = size.max(self.gamma_error[c].abs());
        }
        if self.relaxation.coupled {
            // Only contacts that stick use it.
            gamma.iter_mut().zip(&self.gamma_error).for_each(|(x, e)| *x += e);
            return;
        }
        if relaxation_error > (0.1 * size).max(0.1 * params.tolerance) {
            return;
        }
        if size > 0.0 {
            progress.until_coupled = progress.until_coupled.saturating_sub(1);
        }
        if size > 10.0 * progress.gamma_error {
            // The extrapolation led astray: back to the best point, with smaller steps.
            self.anderson.restart(problem.contacts.len());
            progress.damping = (0.5 * progress.damping).max(0.05);
            progress.gamma_error = Double::INFINITY;
            gamma.copy_from_slice(&self.best_gamma);
        } else {
            progress.gamma_error = progress.gamma_error.min(size);
            self.anderson.advance(gamma, &self.gamma_error, progress.damping);
        }
        progress.relaxation_error = None;
    }

    /// Enters the coupled form after some updates of `Γ`, leaves it when it no longer halves the
    /// error.
    fn choose_form(&mut self, problem: &Problem, error: Double, progress: &mut GammaProgress) {
        if self.relaxation.coupled {
            if error <= 0.5 * progress.coupled_error {
                progress.coupled_error = error;
                return;
            }
            progress.coupled_wait *= 2;
            progress.until_coupled = progress.coupled_wait;
            self.relaxation.coupled = false;
        } else if progress.until_coupled == 0 {
            self.relaxation.coupled = true;
            progress.coupled_error = 4.0 * progress.best.error();
        } else {
            return;
        }
        // Both changes start from the best impulses.
        let relaxation = &mut self.relaxation;
        if relaxation.coupled {
            progress.saved_penalty = relaxation.penalty;
            relaxation.penalty = COUPLED_PENALTY;
        } else {
            relaxation.penalty = progress.saved_penalty;
        }
        relaxation.joint.copy_from_slice(&self.best_joint);
        relaxation.contact.copy_from_slice(&self.best_contact);
        relaxation.rolling.copy_from_slice(&self.best_rolling);
        relaxation.gamma.copy_from_slice(&self.best_gamma);
        let best = Impulses {
            joint: &self.best_joint,
            contact: &self.best_contact,
            rolling: &self.best_rolling,
        };
        rebuild_velocity(problem, best, &mut relaxation.velocity);
        self.anderson.restart(problem.contacts.len());
        progress.gamma_error = Double::INFINITY;
        progress.relaxation_error = None;
    }

    /// Writes the best impulses and their velocity.
    fn finish(&mut self, problem: &Problem, iterate: &mut Iterate) {
        iterate.joint_impulse.copy_from_slice(&self.best_joint);
        iterate.contact_impulse.copy_from_slice(&self.best_contact);
        iterate.rolling_impulse.copy_from_slice(&self.best_rolling);
        iterate.rebuild(problem);
    }
}
