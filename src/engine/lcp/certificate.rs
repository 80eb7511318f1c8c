//! The certificate of a step: how far velocities and impulses are from solving the step problem.
//!
//! A pair `(v, l)` in, four numbers out. Most solvers return the velocity that their impulses give, `v = v* +
//! M⁻¹ (Jᵀ l + ν c_ν)`; then the balance of momentum holds by construction and the certificate judges the
//! impulses alone. Where another velocity is returned, that one is measured, with the impulses returned, and
//! what momentum misses is a number of its own. With `w = J v + b`, `w̃ = w + μ Λ(w_t) e_n` and `W_nn
//! = n J M⁻¹ Jᵀ n`, the complementarity (5.2) in its cone form `K_μ ∋ l ⊥ w̃ ∈ K_μ*` holds iff the
//! natural map vanishes:
//!
//! ```text
//! e        = max_c |l_c - P_K(l_c - w̃_c / W_nn)| W_nn      [m/s]
//! gap      = Σ |l_c · w̃_c|                                  (J)
//! joint    = |νᵀ v + Υ|_∞, with bounds and softness the error of a `JointRow`
//! motion   = |v - v* - M⁻¹ (Jᵀ l + ν c_ν)|_∞                [m/s, rad/s]
//! ```
//!
//! Contacts with [rolling rows](super::rolling) are measured with all six rows and their cone. A contact
//! between bodies that cannot move (`W_nn = 0`) counts with its approach speed. Cost: one pass over the
//! rows. It does not check that numbers are finite: a NaN impulse gives an infinite error.

use super::cone::FrictionCone;
use super::problem::{Impulses, Iterate, Problem, Vec6};
use super::rolling::join;
use super::rows::{
    add_contact_impulse, add_joint_impulse, contact_compliance, contact_velocity, dot6,
    inverse_mass_mul, joint_compliance, joint_rate,
};
use crate::math::Double;

/// Error of a velocity and impulses as a solution of the step problem.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Natural-map residual `e`, the largest of all contacts [m/s].
    pub natural_map: Double,
    /// Complementarity gap `Σ |l_c · w̃_c|` (J).
    pub gap: Double,
    /// Largest joint error, `|νᵀ v + Υ|` of hard equalities [m/s or rad/s, the unit of the row].
    pub joint: Double,
    /// Largest component of `v - v* - M⁻¹ (Jᵀ l + ν c_ν)`, by which the velocity is not that of the impulses
    /// [m/s or rad/s]; zero where it is rebuilt from them.
    pub motion: Double,
}

impl Certificate {
    /// The number that solvers compare with their tolerance: the largest of `natural_map`, `joint` and
    /// `motion` [m/s].
    #[must_use]
    pub fn error(&self) -> Double {
        // `max` would drop a NaN.
        let rows = if self.natural_map >= self.joint { self.natural_map } else { self.joint };
        if self.motion > rows { self.motion } else { rows }
    }

    /// Takes the error of a contact in.
    pub(crate) fn add_contact(&mut self, error: &ContactError) {
        let e = if error.map.is_nan() { Double::INFINITY } else { error.map };
        self.natural_map = self.natural_map.max(e);
        self.gap += error.gap;
    }

    /// The worse of both in every number.
    #[must_use]
    pub(crate) fn worse(self, other: Self) -> Self {
        Self {
            natural_map: self.natural_map.max(other.natural_map),
            gap: self.gap.max(other.gap),
            joint: self.joint.max(other.joint),
            motion: self.motion.max(other.motion),
        }
    }
}

/// `v = v* + M⁻¹ (Jᵀ l + ν c_ν)`: the velocity that the impulses give.
pub fn rebuild_velocity(problem: &Problem, impulses: Impulses<'_>, velocity: &mut [Vec6]) {
    debug_assert_eq!(velocity.len(), problem.bodies.len(), "one velocity a body");
    velocity.fill([0.0; 6]);
    for (row, l) in problem.contacts.iter().zip(impulses.contact) {
        add_contact_impulse(row, l, velocity);
    }
    for (rolling, l) in problem.rolling.iter().zip(impulses.rolling) {
        rolling.add_impulse(&problem.contacts[rolling.contact as usize], l, velocity);
    }
    for (row, c) in problem.joints.iter().zip(impulses.joint) {
        add_joint_impulse(row, *c, velocity);
    }
    for (body, v) in problem.bodies.iter().zip(velocity) {
        let change = inverse_mass_mul(body, v);
        *v = core::array::from_fn(|k| body.velocity_free[k] + change[k]);
    }
}

impl Iterate<'_> {
    /// Makes the velocity that of the impulses.
    pub(crate) fn rebuild(&mut self, problem: &Problem) {
        let impulses = Impulses {
            joint: self.joint_impulse,
            contact: self.contact_impulse,
            rolling: self.rolling_impulse,
        };
        rebuild_velocity(problem, impulses, self.velocity);
    }

    /// Makes the velocity that of the impulses, without the rounding of many small changes, and measures.
    pub(crate) fn judge(
        &mut self,
        problem: &Problem,
        cone: &FrictionCone,
        slip_bounds: Option<&[Double]>,
    ) -> Certificate {
        self.rebuild(problem);
        measure_with(problem, cone, slip_bounds, self.velocity, self.impulses())
    }
}

/// Measures impulses and the velocity [rebuilt](rebuild_velocity) from them.
#[must_use]
pub fn measure(problem: &Problem, velocity: &[Vec6], impulses: Impulses<'_>) -> Certificate {
    let cone = FrictionCone::new(problem.cone);
    measure_with(problem, &cone, None, velocity, impulses)
}

/// Largest difference of two lists of velocities [m/s or rad/s]; infinite if it is not a number.
pub(crate) fn distance(one: &[Vec6], other: &[Vec6]) -> Double {
    let pairs = one.as_flattened().iter().zip(other.as_flattened());
    pairs.fold(0.0, |most: Double, (x, y)| {
        let size = (x - y).abs();
        most.max(if size.is_nan() { Double::INFINITY } else { size })
    })
}

/// [`measure`] with the directions of the cone at hand; with `slip_bounds` it measures the convex
/// relaxation (5.3)–(5.7), where `μ Λ(w_t)` is frozen at `Γ` [m/s].
#[must_use]
pub fn measure_with(
    problem: &Problem,
    cone: &FrictionCone,
    slip_bounds: Option<&[Double]>,
    velocity: &[Vec6],
    impulses: Impulses<'_>,
) -> Certificate {
    let mut certificate = Certificate::default();
    for (c, row, rolling) in problem.contacts_with_rolling() {
        let l = &impulses.contact[c];
        let compliance = contact_compliance(problem.bodies, row, 0, 0);
        let frozen = slip_bounds.map(|slip_bounds| slip_bounds[c]);
        let w = contact_velocity(row, velocity);
        let (limits, l, w) = match rolling {
            None => ([row.friction, 0.0, 0.0], join(*l, [0.0; 3]), join(w, [0.0; 3])),
            Some((k, rolling)) => {
                let w = join(w, rolling.velocity(row, velocity));
                (rolling.limits(row), join(*l, impulses.rolling[k]), w)
            }
        };
        let error = contact_error(limits, cone, frozen, &l, w, compliance);
        certificate.add_contact(&error);
    }
    for (row, c) in problem.joints.iter().zip(impulses.joint) {
        let total = match row.is_bounded() {
            true => joint_compliance(problem.bodies, row) + row.softness,
            false => 0.0,
        };
        let r = row.error(joint_rate(row, velocity), *c, total);
        certificate.joint = certificate.joint.max(if r.is_nan() { Double::INFINITY } else { r });
    }
    certificate
}

/// Error of one contact.
pub(crate) struct ContactError {
    /// `|l - P_K(l - w̃ / W_nn)| W_nn` [m/s].
    map: Double,
    /// `|l · w̃|` (J).
    gap: Double,
}

/// Error of one contact with all six rows; `slip_bounds` [m/s] where the slip bound is given.
pub(crate) fn contact_error(
    limits: [Double; 3],
    cone: &FrictionCone,
    slip_bounds: Option<Double>,
    l: &[Double; 6],
    mut w: [Double; 6],
    compliance: Double,
) -> ContactError {
    w[0] += slip_bounds.unwrap_or_else(|| cone.slip_rolling(limits, &w));
    let gap = dot6(l, &w).abs();
    if compliance <= 0.0 {
        return ContactError { map: (-w[0]).max(0.0), gap };
    }
    let p = core::array::from_fn(|i| l[i] - w[i] / compliance);
    let q = cone.project_rolling(limits, p).point;
    let error: Vec6 = core::array::from_fn(|i| l[i] - q[i]);
    let map = dot6(&error, &error).sqrt() * compliance;
    ContactError { map, gap }
}
