//! Projected Gauss–Seidel: the readable reference, for problems too large for a factor.
//!
//! Sweeps over all rows and corrects one impulse at a time, always with the newest velocity:
//!
//! ```text
//! joint row    c ← c - (νᵀ v + Υ) / W_νν
//! normal       c_n ← max(0, c_n - w_n / W_nn)
//! friction     t ← nearest point of μ c_n C to  t - w_t / λ_max(W_tt)
//! ```
//!
//! with `C` the disc or the polygon. The fixed points solve (5.1)–(5.2) in cone form. Converges
//! linearly, slowly for tall towers and large mass ratios; nothing is proven for friction. Joint
//! rows of one pair are solved one by one. Cost: about 150 operations a contact and sweep.

use super::certificate::{Certificate, measure_with, rebuild_velocity};
use super::cone::FrictionCone;
use super::rows::{
    add_scaled, contact_compliance, contact_velocity, inverse_mass_mul, joint_compliance,
    joint_rate,
};
use super::{ContactRow, FIXED, Iterate, Problem, Scratch, SolveStats, Status, Vec6};
use crate::math::Double;

/// Parameters of projected Gauss–Seidel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PgsParams {
    /// Largest number of sweeps. Default 200.
    pub iterations_max: u32,
    /// Bound on [`Certificate::error`] [m/s]. Default 1e-6.
    pub tolerance: Double,
    /// Sweeps between two checks. Default 8.
    pub check_every: u32,
    /// `g h` [m/s] of the certificate's `relative`; zero makes it equal to the natural map. Default 0.
    pub gravity_dt: Double,
}

impl Default for PgsParams {
    fn default() -> Self {
        Self { iterations_max: 200, tolerance: 1e-6, check_every: 8, gravity_dt: 0.0 }
    }
}

/// Rows of one contact ready for the sweep.
#[derive(Clone, Copy, Debug)]
struct PreparedContact {
    /// `M⁻¹ Jᵀ`, row by row, of body a and b.
    change_a: [Vec6; 3],
    change_b: [Vec6; 3],
    /// `1 / W_nn`, zero if nothing can move.
    normal_mass: Double,
    /// `1 / λ_max(W_tt)`, zero if nothing can slide.
    tangent_mass: Double,
}

impl PreparedContact {
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
pub(crate) struct PgsScratch {
    contacts: Vec<PreparedContact>,
    /// `1 / W_νν` of every joint row.
    joint_mass: Vec<Double>,
    best_joint: Vec<Double>,
    best_contact: Vec<[Double; 3]>,
}

/// Sweeps from the impulses of the iterate until the tolerance or the iteration limit is met; the
/// best checked iterate is returned, with its rebuilt velocity.
pub fn solve(
    problem: &Problem,
    iterate: &mut Iterate,
    params: &PgsParams,
    scratch: &mut Scratch,
) -> SolveStats {
    scratch.cone.set(problem.cone);
    let (cone, scratch) = (&scratch.cone, &mut scratch.pgs);
    scratch.prepare(problem, iterate);
    let mut certificate = check(problem, iterate, params, cone);
    let mut sweeps = 0;
    let mut status = Status::IterationLimit;
    loop {
        if certificate.error() <= params.tolerance {
            status = Status::Converged;
            break;
        }
        if sweeps >= params.iterations_max {
            break;
        }
        for _ in 0..params.check_every.max(1).min(params.iterations_max - sweeps) {
            sweep(problem, iterate, cone, scratch);
            sweeps += 1;
        }
        let next = check(problem, iterate, params, cone);
        if next.error() < certificate.error() {
            certificate = next;
            scratch.keep(iterate);
        }
    }
    if status != Status::Converged {
        iterate.joint_impulse.copy_from_slice(&scratch.best_joint);
        iterate.contact_impulse.copy_from_slice(&scratch.best_contact);
        rebuild_velocity(problem, iterate.joint_impulse, iterate.contact_impulse, iterate.velocity);
    }
    SolveStats { status, iterations: sweeps, factorizations: 0, certificate }
}

/// Rebuilds the velocity, which also removes the rounding of many small changes, and measures.
fn check(
    problem: &Problem,
    iterate: &mut Iterate,
    params: &PgsParams,
    cone: &FrictionCone,
) -> Certificate {
    rebuild_velocity(problem, iterate.joint_impulse, iterate.contact_impulse, iterate.velocity);
    let (velocity, contact) = (&*iterate.velocity, &*iterate.contact_impulse);
    measure_with(problem, cone, None, velocity, contact, params.gravity_dt)
}

fn invert(x: Double) -> Double {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

impl PgsScratch {
    fn prepare(&mut self, problem: &Problem, iterate: &Iterate) {
        let bodies = problem.bodies;
        self.contacts.clear();
        for row in problem.contacts {
            let change = |body: u32, jacobian: &[Vec6; 3]| {
                if body == FIXED {
                    [[0.0; 6]; 3]
                } else {
                    jacobian.map(|row| inverse_mass_mul(&bodies[body as usize], &row))
                }
            };
            let (p, q, r) = (
                contact_compliance(bodies, row, 1, 1),
                contact_compliance(bodies, row, 2, 2),
                contact_compliance(bodies, row, 1, 2),
            );
            let spread = (0.25 * (p - q) * (p - q) + r * r).sqrt();
            self.contacts.push(PreparedContact {
                change_a: change(row.a, &row.jacobian_a),
                change_b: change(row.b, &row.jacobian_b),
                normal_mass: invert(contact_compliance(bodies, row, 0, 0)),
                tangent_mass: invert(0.5 * (p + q) + spread),
            });
        }
        self.joint_mass.clear();
        let rows = problem.joints.iter();
        self.joint_mass.extend(rows.map(|row| invert(joint_compliance(bodies, row))));
        self.best_joint.clear();
        self.best_joint.extend_from_slice(iterate.joint_impulse);
        self.best_contact.clear();
        self.best_contact.extend_from_slice(iterate.contact_impulse);
    }

    fn keep(&mut self, iterate: &Iterate) {
        self.best_joint.copy_from_slice(iterate.joint_impulse);
        self.best_contact.copy_from_slice(iterate.contact_impulse);
    }
}

/// One sweep over joint rows, then contacts.
fn sweep(problem: &Problem, iterate: &mut Iterate, cone: &FrictionCone, scratch: &PgsScratch) {
    for (j, row) in problem.joints.iter().enumerate() {
        let change = -(joint_rate(row, iterate.velocity) + row.bias) * scratch.joint_mass[j];
        iterate.joint_impulse[j] += change;
        for (body, jacobian) in &row.terms {
            let i = *body as usize;
            let dv = inverse_mass_mul(&problem.bodies[i], jacobian);
            add_scaled(&mut iterate.velocity[i], &dv, change);
        }
    }
    for (c, row) in problem.contacts.iter().enumerate() {
        let prepared = &scratch.contacts[c];
        let old = iterate.contact_impulse[c];
        let w = contact_velocity(row, iterate.velocity);
        let normal = (old[0] - w[0] * prepared.normal_mass).max(0.0);
        prepared.apply(row, 0, normal - old[0], iterate.velocity);
        let t = if row.friction > 0.0 {
            let w = contact_velocity(row, iterate.velocity);
            let m = prepared.tangent_mass;
            cone.project_section(row.friction * normal, [old[1] - w[1] * m, old[2] - w[2] * m])
        } else {
            [0.0; 2]
        };
        prepared.apply(row, 1, t[0] - old[1], iterate.velocity);
        prepared.apply(row, 2, t[1] - old[2], iterate.velocity);
        iterate.contact_impulse[c] = [normal, t[0], t[1]];
    }
}
