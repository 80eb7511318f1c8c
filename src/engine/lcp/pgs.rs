//! Projected Gauss–Seidel: the readable reference, for problems too large for a factor.
//!
//! Sweeps over all rows and corrects one impulse at a time, always with the newest velocity:
//!
//! ```text
//! joint row    c ← clamp(c - (νᵀ v + Υ + s c) / (W_νν + s))
//! normal       c_n ← max(0, c_n - w_n / W_nn)
//! friction     t ← nearest point of μ c_n C to  t - w_t / λ_max(W_tt)
//! spinning     s ← nearest point of ±μ_s/ℓ c_n to  s - w_s / W_ss
//! rolling      r ← nearest point of the disc μ_r/ℓ c_n to  r - w_r / λ_max(W_rr)
//! ```
//!
//! with `C` the disc or the polygon. The fixed points solve (5.1)–(5.2) in cone form. Converges
//! linearly, slowly for tall towers and large mass ratios; nothing is proven for friction. Joint
//! rows of one pair are solved one by one. Cost: about 150 operations a contact and sweep.

use super::certificate::Certificate;
use super::cone::FrictionCone;
use super::outcome::{SolveStats, Status};
use super::problem::{BodyBlock, ContactRow, FIXED, Iterate, Problem, RollingRow, Vec6};
use super::rows::{
    add_scaled, contact_compliance, contact_velocity, inverse_mass_mul, joint_compliance,
    joint_rate,
};
use crate::engine::tuning::work::CHECK;
use crate::math::Double;

/// Sweeps between two checks.
const CHECK_EVERY: u32 = 8;

/// Parameters of projected Gauss–Seidel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PgsParams {
    /// Largest number of sweeps. Default 200.
    pub iterations_max: u32,
    /// Bound on [`Certificate::error`] [m/s]. Default 1e-6.
    pub tolerance: Double,
}

impl Default for PgsParams {
    fn default() -> Self {
        Self { iterations_max: 200, tolerance: 1e-6 }
    }
}

/// Three rows ready for the sweep: those of a contact, or its rolling rows.
#[derive(Clone, Copy, Debug)]
struct PreparedContact {
    /// `M⁻¹ Jᵀ`, row by row, of body a and b.
    change_a: [Vec6; 3],
    change_b: [Vec6; 3],
    /// `1 / W_nn` or `1 / W_ss`, zero if nothing can move.
    normal_mass: Double,
    /// `1 / λ_max(W_tt)` or `1 / λ_max(W_rr)`, zero if nothing can slide or roll.
    tangent_mass: Double,
}

impl PreparedContact {
    fn new(
        bodies: &[BodyBlock],
        row: &ContactRow,
        jacobians: [&[Vec6; 3]; 2],
        compliance: impl Fn(usize, usize) -> Double,
    ) -> Self {
        let change = |body: u32, jacobian: &[Vec6; 3]| {
            if body == FIXED {
                [[0.0; 6]; 3]
            } else {
                jacobian.map(|row| inverse_mass_mul(&bodies[body as usize], &row))
            }
        };
        let (p, q, r) = (compliance(1, 1), compliance(2, 2), compliance(1, 2));
        let spread = (0.25 * (p - q) * (p - q) + r * r).sqrt();
        Self {
            change_a: change(row.a, jacobians[0]),
            change_b: change(row.b, jacobians[1]),
            normal_mass: invert(compliance(0, 0)),
            tangent_mass: invert(0.5 * (p + q) + spread),
        }
    }

    /// Changes the velocities by one impulse along row `i`.
    #[inline]
    fn apply(&self, row: &ContactRow, i: usize, impulse: Double, velocity: &mut [Vec6]) {
        if row.a != FIXED {
            add_scaled(&mut velocity[row.a as usize], &self.change_a[i], impulse);
        }
        if row.b != FIXED {
            add_scaled(&mut velocity[row.b as usize], &self.change_b[i], impulse);
        }
    }
}

/// Buffers of projected Gauss–Seidel.
#[derive(Clone, Debug, Default)]
pub struct PgsScratch {
    cone: FrictionCone,
    contacts: Vec<PreparedContact>,
    rolling: Vec<PreparedContact>,
    /// `1 / (W_νν + s)` of every joint row.
    joint_mass: Vec<Double>,
    best_joint: Vec<Double>,
    best_contact: Vec<[Double; 3]>,
    best_rolling: Vec<[Double; 3]>,
}

/// Sweeps from the impulses of the iterate until the tolerance or the iteration limit is met; the
/// best checked iterate is returned, with its rebuilt velocity.
pub fn solve(
    problem: &Problem,
    iterate: &mut Iterate,
    params: &PgsParams,
    scratch: &mut PgsScratch,
) -> SolveStats {
    scratch.cone.set(problem.cone);
    for (row, c) in problem.joints.iter().zip(iterate.joint_impulse.iter_mut()) {
        *c = row.clamp(*c);
    }
    scratch.prepare(problem, iterate);
    let mut certificate = iterate.judge(problem, &scratch.cone, None);
    let (mut sweeps, mut work) = (0, CHECK);
    let solved = |certificate: &Certificate| certificate.error() <= params.tolerance;
    while !solved(&certificate) && sweeps < params.iterations_max {
        for _ in 0..CHECK_EVERY.min(params.iterations_max - sweeps) {
            sweep(problem, iterate, scratch);
            sweeps += 1;
            work += 1.0;
        }
        work += CHECK;
        let next = iterate.judge(problem, &scratch.cone, None);
        if next.error() < certificate.error() {
            certificate = next;
            scratch.keep(iterate);
        }
    }
    let mut status = Status::Converged;
    if !solved(&certificate) {
        status = Status::IterationLimit;
        iterate.joint_impulse.copy_from_slice(&scratch.best_joint);
        iterate.contact_impulse.copy_from_slice(&scratch.best_contact);
        iterate.rolling_impulse.copy_from_slice(&scratch.best_rolling);
        iterate.rebuild(problem);
    }
    SolveStats { status, iterations: sweeps, factorizations: 0, work, certificate }
}

fn invert(x: Double) -> Double {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

impl PgsScratch {
    fn prepare(&mut self, problem: &Problem, iterate: &Iterate) {
        let bodies = problem.bodies;
        self.contacts.clear();
        for row in problem.contacts {
            let compliance = |i, j| contact_compliance(bodies, row, i, j);
            let jacobians = [&row.jacobian_a, &row.jacobian_b];
            self.contacts.push(PreparedContact::new(bodies, row, jacobians, compliance));
        }
        self.rolling.clear();
        for rolling in problem.rolling {
            let row = &problem.contacts[rolling.contact as usize];
            let compliance = |i, j| rolling.compliance(bodies, row, i, j);
            let jacobians = [&rolling.jacobian_a, &rolling.jacobian_b];
            self.rolling.push(PreparedContact::new(bodies, row, jacobians, compliance));
        }
        self.joint_mass.clear();
        let rows = problem.joints.iter();
        self.joint_mass
            .extend(rows.map(|row| invert(joint_compliance(bodies, row) + row.softness)));
        self.keep(iterate);
    }

    fn keep(&mut self, iterate: &Iterate) {
        iterate.joint_impulse.clone_into(&mut self.best_joint);
        iterate.contact_impulse.clone_into(&mut self.best_contact);
        iterate.rolling_impulse.clone_into(&mut self.best_rolling);
    }
}

/// One sweep over joint rows, then contacts.
fn sweep(problem: &Problem, iterate: &mut Iterate, scratch: &PgsScratch) {
    for (j, row) in problem.joints.iter().enumerate() {
        let old = iterate.joint_impulse[j];
        let w = row.speed(joint_rate(row, iterate.velocity), old);
        let mut change = -w * scratch.joint_mass[j];
        iterate.joint_impulse[j] += change;
        if row.is_bounded() {
            let new = row.clamp(iterate.joint_impulse[j]);
            change = new - old;
            iterate.joint_impulse[j] = new;
        }
        for (body, jacobian) in &row.terms {
            let i = *body as usize;
            let dv = inverse_mass_mul(&problem.bodies[i], jacobian);
            add_scaled(&mut iterate.velocity[i], &dv, change);
        }
    }
    for (c, row, rolling) in problem.contacts_with_rolling() {
        let prepared = &scratch.contacts[c];
        let old = iterate.contact_impulse[c];
        let w = contact_velocity(row, iterate.velocity);
        let normal = (old[0] - w[0] * prepared.normal_mass).max(0.0);
        prepared.apply(row, 0, normal - old[0], iterate.velocity);
        let t = if row.friction > 0.0 {
            let w = contact_velocity(row, iterate.velocity);
            let m = prepared.tangent_mass;
            let t = [old[1] - w[1] * m, old[2] - w[2] * m];
            scratch.cone.project_section(row.friction * normal, t)
        } else {
            [0.0; 2]
        };
        prepared.apply(row, 1, t[0] - old[1], iterate.velocity);
        prepared.apply(row, 2, t[1] - old[2], iterate.velocity);
        iterate.contact_impulse[c] = [normal, t[0], t[1]];
        if let Some((k, rolling)) = rolling {
            sweep_rolling(row, rolling, normal, &scratch.rolling[k], iterate, k);
        }
    }
}

/// Corrects the rolling rows of a contact under its newest normal impulse.
fn sweep_rolling(
    row: &ContactRow,
    rolling: &RollingRow,
    normal: Double,
    prepared: &PreparedContact,
    iterate: &mut Iterate,
    k: usize,
) {
    let old = iterate.rolling_impulse[k];
    // The rows are orthogonal rotations: of round bodies they hardly disturb each other.
    let w = rolling.velocity(row, iterate.velocity);
    let spin = old[0] - w[0] * prepared.normal_mass;
    let limits = rolling.limits(row);
    let spun = FrictionCone::project_rolling_section(limits, normal, [spin, 0.0, 0.0])[0];
    prepared.apply(row, 0, spun - old[0], iterate.velocity);
    let w = rolling.velocity(row, iterate.velocity);
    let m = prepared.tangent_mass;
    let roll = [spun, old[1] - w[1] * m, old[2] - w[2] * m];
    let new = FrictionCone::project_rolling_section(limits, normal, roll);
    prepared.apply(row, 1, new[1] - old[1], iterate.velocity);
    prepared.apply(row, 2, new[2] - old[2], iterate.velocity);
    iterate.rolling_impulse[k] = new;
}
