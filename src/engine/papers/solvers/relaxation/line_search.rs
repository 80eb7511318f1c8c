//! The step length along a Newton step of the relaxation.
//!
//! Input: velocity, step, `p` and its step, `J dv`. Output: `t` in (0, 1] at which the derivative
//!
//! ```text
//! d/dt L(v + t dv) = dvᵀ M (v + t dv - v*) - Σ_c P_K(p_c(t))·(J_c dv)        p_c(t) = p_c - t ρ_c J_c dv
//! ```
//!
//! joints included, has fallen tenfold; it grows with `t`, since `L` is convex. Cost: a projection of every
//! contact a trial.

use super::Relaxation;
use crate::engine::lcp::Problem;
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::rows::{dot3, dot6, joint_rate, mass_mul};
use crate::math::Double;

impl Relaxation {
    /// Step length in (0, 1]: 1 if the derivative of the Lagrangian along the step has fallen
    /// tenfold there (or is still negative), else a point where it has; 0 if the step does not
    /// descend.
    pub(super) fn search(&self, problem: &Problem, cone: &FrictionCone) -> Double {
        let (mut constant, mut linear) = (0.0, 0.0);
        for (i, body) in problem.bodies.iter().enumerate() {
            let d = &self.step[i];
            let momentum_step = mass_mul(body, d);
            for k in 0..6 {
                constant += momentum_step[k] * (self.velocity[i][k] - body.velocity_free[k]);
            }
            linear += dot6(d, &momentum_step);
        }
        for (j, row) in problem.joints.iter().enumerate() {
            let rate = joint_rate(row, &self.step);
            if row.softness > 0.0 && !row.is_bounded() {
                constant -= self.joint[j] * rate;
                linear -= self.joint_step[j] * rate;
            } else if !row.is_bounded() {
                constant -= (self.joint[j] + self.joint_step[j]) * rate;
            }
        }
        let rows = problem.joints.iter().enumerate().filter(|(_, row)| row.is_bounded());
        let derivative = |t: Double| {
            let mut sum = constant + t * linear;
            for (c, row, rolling) in problem.contacts_with_rolling() {
                if let Some((k, rolling)) = rolling {
                    let (p, d) = (&self.rolling_point[k], &self.rolling_point_step[k]);
                    let at = [0, 1, 2, 3, 4, 5].map(|i| p[i] + t * d[i]);
                    let image = cone.project_rolling(rolling.limits(row), at);
                    sum -= dot6(&image.point, &self.rolling_rate_step[k]);
                    continue;
                }
                let (p, d) = (&self.point[c], &self.point_step[c]);
                let at = [p[0] + t * d[0], p[1] + t * d[1], p[2] + t * d[2]];
                let image = cone.project(row.friction, at);
                sum -= dot3(&image.point, &self.rate_step[c]);
            }
            for (j, row) in rows.clone() {
                let rate = joint_rate(row, &self.step);
                let at = joint_rate(row, &self.velocity) + t * rate;
                sum -= self.bounded.impulse(j, row, at, self.joint[j], self.penalty) * rate;
            }
            sum
        };
        let at_zero = derivative(0.0);
        if at_zero.is_nan() {
            return 0.0;
        }
        let target = 0.1 * at_zero.abs();
        let at_one = derivative(1.0);
        if at_one <= target {
            return 1.0;
        }
        if at_zero >= 0.0 {
            return 0.0;
        }
        find_root(derivative, at_zero, at_one, target)
    }
}

/// A point of (0, 1) where the increasing function `f` is within `target` of zero, by false
/// position with the Illinois weight; the left end of the last bracket if twenty trials do not find
/// one.
fn find_root(
    f: impl Fn(Double) -> Double,
    f_zero: Double,
    f_one: Double,
    target: Double,
) -> Double {
    let (mut left, mut right) = (0.0, 1.0);
    let (mut f_left, mut f_right) = (f_zero, f_one);
    let mut moved_left = None;
    for _ in 0..20 {
        let t = left - f_left * (right - left) / (f_right - f_left);
        // Unlike `clamp` also where numbers have run over: it ends at the left then.
        let t = t.max(left).min(right);
        let f_t = f(t);
        if f_t.abs() <= target {
            return t;
        }
        if f_t < 0.0 {
            (left, f_left) = (t, f_t);
            // An end that stays twice loses weight, else the bracket shrinks from one side only.
            f_right *= if moved_left == Some(true) { 0.5 } else { 1.0 };
        } else {
            (right, f_right) = (t, f_t);
            f_left *= if moved_left == Some(false) { 0.5 } else { 1.0 };
        }
        moved_left = Some(f_t < 0.0);
    }
    if left > 0.0 { left } else { 0.5 * right }
}
