//! The same Newton step with the slip bound in it: quadratic where the fixed point over Γ is slow.
//!
//! In the augmented Lagrangian `Γ` is frozen, which makes it convex. Where χ₂ of (5.17) contracts
//! slowly or not at all, this variant lets `Γ_c = μ Λ(w_t)` follow the velocity and solves
//!
//! ```text
//! F(v) = M (v - v*) - Jᵀ P_K(p) - ν c = 0,    p_c = l_c - ρ_c (w_c + μ Λ(w_t) e_n)
//! dF   = M + Jᵀ diag(ρ_c dP_K (1 + μ e_n ∇Λᵀ)) J          not symmetric
//! ```
//!
//! There is no convex function behind it, so the line search asks for less `|F|²_{M⁻¹}` and may
//! fail. The outer loop therefore uses it only from a good start, and only while the certificate
//! improves. Contacts that stick keep their frozen `Γ`: what slip they have is an error of the
//! multipliers that the next update removes, and `Λ` has a kink at rest.

use super::relaxation::Relaxation;
use crate::engine::lcp::cone::{FrictionCone, Zone};
use crate::engine::lcp::rolling::{RollingZone, join};
use crate::engine::lcp::rows::{contact_velocity, dot6, inverse_mass_mul};
use crate::engine::lcp::{ContactRow, Problem, RollingRow};
use crate::math::Double;

impl Relaxation {
    /// Multiplies the derivative of a sliding contact by `1 + μ e_n ∇Λᵀ`.
    pub(in crate::engine) fn couple(
        &self,
        row: &ContactRow,
        cone: &FrictionCone,
        d: &mut [[Double; 3]; 3],
        zone: Zone,
    ) {
        if zone == Zone::Inside {
            return;
        }
        let w = contact_velocity(row, &self.velocity);
        let gradient = cone.slip_gradient([w[1], w[2]]);
        for row_d in d.iter_mut() {
            let normal = row_d[0] * row.friction;
            row_d[1] += normal * gradient[0];
            row_d[2] += normal * gradient[1];
        }
    }

    /// The same for a contact with rolling rows: only the parts that slide follow the velocity.
    pub(in crate::engine) fn couple_rolling(
        &self,
        row: &ContactRow,
        rolling: &RollingRow,
        cone: &FrictionCone,
        d: &mut [[Double; 6]; 6],
        zone: RollingZone,
    ) {
        if zone.sticks() {
            return;
        }
        let turn = rolling.velocity(row, &self.velocity);
        let w = join(contact_velocity(row, &self.velocity), turn);
        let gradient = cone.slip_sliding_gradient(rolling.limits(row), &w, zone);
        for row_d in d.iter_mut() {
            for k in 1..6 {
                row_d[k] += row_d[0] * gradient[k];
            }
        }
    }

    /// Moves along the step until `|F|²` falls; restores the start and returns false if it does
    /// not.
    pub(in crate::engine) fn search_coupled(
        &mut self,
        problem: &Problem,
        cone: &FrictionCone,
    ) -> bool {
        self.start_velocity.clear();
        self.start_velocity.extend_from_slice(&self.velocity);
        self.start_joint.clear();
        self.start_joint.extend_from_slice(&self.joint);
        let start = self.merit(problem);
        let mut t = 1.0;
        for _ in 0..8 {
            self.move_along(t);
            self.evaluate(problem, cone);
            // A NaN fails the comparison.
            if self.merit(problem) <= (1.0 - 0.2 * t) * start {
                return true;
            }
            t *= 0.5;
        }
        self.move_along(0.0);
        self.evaluate(problem, cone);
        false
    }

    fn move_along(&mut self, t: Double) {
        let start = self.start_velocity.iter().zip(&self.step);
        for (v, (start, d)) in self.velocity.iter_mut().zip(start) {
            for k in 0..6 {
                v[k] = start[k] + t * d[k];
            }
        }
        let start = self.start_joint.iter().zip(&self.joint_step);
        for (c, (start, d)) in self.joint.iter_mut().zip(start) {
            *c = start + t * d;
        }
    }

    /// `|F|²_{M⁻¹}` plus the joint errors in the same unit (J).
    fn merit(&self, problem: &Problem) -> Double {
        let mut sum = 0.0;
        for (body, g) in problem.bodies.iter().zip(&self.gradient) {
            sum += dot6(g, &inverse_mass_mul(body, g));
        }
        for (r, compliance) in self.joint_error.iter().zip(&self.joint_compliance) {
            if *compliance > 0.0 {
                sum += r * r / compliance;
            }
        }
        sum
    }
}
