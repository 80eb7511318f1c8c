//! Newton's method for one augmented Lagrangian of the convex relaxation (5.3)–(5.7).
//!
//! With contact impulses `l`, the frozen slip bound `Γ` and penalties `ρ_c = ρ / W_nn`, minimizes
//!
//! ```text
//! L(v) = ½ |v - v*|²_M + Σ_c |P_K(p_c)|² / (2 ρ_c),     p_c = l_c - ρ_c (J_c v + b_c + Γ_c e_n)
//! ∇L   = M (v - v*) - Jᵀ P_K(p),                        H   = M + Jᵀ diag(ρ_c dP_K) J
//! ```
//!
//! subject to the joints `νᵀ v + Υ = 0`. `L` is convex and once differentiable; `H` exists
//! piecewise. Each step solves
//!
//! ```text
//! [ H   -ν ] [ dv ]   [ -∇L + ν c ]
//! [ -νᵀ -δ ] [ dc ] = [  νᵀ v + Υ ]
//! ```
//!
//! where `δ` is a proximal term, not softness: `c + dc` becomes the `c` of the next step, so joints
//! become exact and rows that repeat each other stay solvable. A first full step meets the joints;
//! after it every step is searched along the line until the directional derivative has fallen
//! tenfold, which convexity guarantees to succeed. The search works on derivatives, not on values
//! of `L`, which lose half the digits near the minimum.
//!
//! The factor is kept while no contact changes its zone of the cone; where some contact lies on the
//! curved surface it is kept only while it reduces the error tenfold a step. Cost: one pass over
//! the rows a trial point, one envelope factor a change of zones.

mod line_search;
mod rolling;

use super::envelope::Envelope;
use crate::engine::lcp::bounded::Bounded;
use crate::engine::lcp::cone::{FrictionCone, Projection, Zone};
use crate::engine::lcp::rolling::{RollingProjection, RollingZone, join};
use crate::engine::lcp::rows::{
    add_contact_impulse, add_joint_impulse, contact_compliance, contact_rate, contact_velocity,
    inverse_mass_mul, joint_compliance, joint_rate, mass_mul,
};
use crate::engine::lcp::{Impulses, Problem, Vec6};
use crate::engine::tuning::work::OPERATIONS;
use crate::math::Double;

/// Proximal term of joint rows relative to their compliance (–). Each Newton step reduces joint
/// errors by about `δ` over the smallest relative eigenvalue of the joints' compliance.
const JOINT_PROXIMAL: Double = 1e-10;

/// State and buffers of the minimization.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relaxation {
    /// `v`, the point of the minimization.
    pub(crate) velocity: Vec<Vec6>,
    /// `c_ν`.
    pub(crate) joint: Vec<Double>,
    /// `l`, the multipliers of the augmented Lagrangian.
    pub(crate) contact: Vec<[Double; 3]>,
    /// The same of rolling rows.
    pub(crate) rolling: Vec<[Double; 3]>,
    /// `Γ` [m/s].
    pub(crate) gamma: Vec<Double>,
    /// `P_K(p)` at `velocity`.
    pub(crate) image: Vec<Projection>,
    /// The same of contacts with rolling rows, which also have their first half in `image`.
    pub(in crate::engine) rolling_image: Vec<RollingProjection>,
    /// `W_nn` of every contact.
    pub(crate) compliance: Vec<Double>,
    /// `ρ`, dimensionless.
    pub(crate) penalty: Double,
    /// Factors computed so far.
    pub(crate) factorizations: u32,
    /// Work so far, in sweeps over one contact or body.
    pub(crate) work: Double,
    /// Whether `Γ` moves with the velocity, see `coupled.rs`.
    pub(crate) coupled: bool,
    pub(in crate::engine) start_velocity: Vec<Vec6>,
    pub(in crate::engine) start_joint: Vec<Double>,
    factored_coupled: bool,
    pub(in crate::engine) joint_compliance: Vec<Double>,
    pub(in crate::engine) point: Vec<[Double; 3]>,
    /// `p` moves by this much along the whole step.
    point_step: Vec<[Double; 3]>,
    /// `J dv`.
    rate_step: Vec<[Double; 3]>,
    /// `p`, its step and `J dv` of contacts with rolling rows, all six components.
    pub(in crate::engine) rolling_point: Vec<[Double; 6]>,
    rolling_point_step: Vec<[Double; 6]>,
    rolling_rate_step: Vec<[Double; 6]>,
    pub(in crate::engine) gradient: Vec<Vec6>,
    pub(in crate::engine) step: Vec<Vec6>,
    pub(in crate::engine) joint_step: Vec<Double>,
    /// `νᵀ v + Υ + s c`, zero for rows with bounds.
    pub(in crate::engine) joint_error: Vec<Double>,
    /// Joint rows with bounds, whose `c_ν` is a multiplier.
    bounded: Bounded,
    factored_slopes: Vec<Double>,
    unknowns: Vec<Double>,
    factored_zones: Vec<Zone>,
    factored_rolling: Vec<RollingZone>,
    factored_penalty: Double,
    factor: Envelope,
}

/// How a minimization ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Minimum {
    /// Newton steps taken.
    pub(crate) steps: u32,
    /// Largest component of `M⁻¹ ∇L` and of the joint error [m/s, rad/s].
    pub(crate) error: Double,
}

impl Relaxation {
    /// Takes the problem's structure; the caller then sets velocity, impulses, `Γ` and the penalty.
    pub(crate) fn prepare(&mut self, problem: &Problem) {
        let (n_bodies, n_contacts) = (problem.bodies.len(), problem.contacts.len());
        self.compliance.clear();
        let bodies = problem.bodies;
        let rows = problem.contacts.iter();
        self.compliance.extend(rows.map(|row| contact_compliance(bodies, row, 0, 0)));
        self.joint_compliance.clear();
        let rows = problem.joints.iter();
        self.joint_compliance.extend(rows.map(|row| joint_compliance(bodies, row) + row.softness));
        self.bounded.begin(bodies, problem.joints);
        self.factored_slopes.clear();
        self.gamma.clear();
        self.gamma.resize(n_contacts, 0.0);
        self.image.clear();
        self.image.resize(n_contacts, Projection { point: [0.0; 3], zone: Zone::Apex });
        for list in [&mut self.point, &mut self.point_step, &mut self.rate_step] {
            list.clear();
            list.resize(n_contacts, [0.0; 3]);
        }
        let n_rolling = problem.rolling.len();
        self.rolling_image.clear();
        self.rolling_image.resize(n_rolling, RollingProjection::APEX);
        let six = [&mut self.rolling_point, &mut self.rolling_point_step];
        for list in six.into_iter().chain([&mut self.rolling_rate_step]) {
            list.clear();
            list.resize(n_rolling, [0.0; 6]);
        }
        for list in [&mut self.gradient, &mut self.step] {
            list.clear();
            list.resize(n_bodies, [0.0; 6]);
        }
        for list in [&mut self.joint_step, &mut self.joint_error] {
            list.clear();
            list.resize(problem.joints.len(), 0.0);
        }
        self.factor.build(problem);
        self.unknowns.clear();
        self.unknowns.resize(self.factor.size(), 0.0);
        self.factored_zones.clear();
        self.factored_rolling.clear();
        self.factored_penalty = -1.0;
        self.factorizations = 0;
        self.work = 0.0;
        self.coupled = false;
    }

    /// Takes the impulses of a warm start. Those outside the cone, or between bodies that cannot move,
    /// are no start.
    pub(crate) fn start_impulses(
        &mut self,
        problem: &Problem,
        cone: &FrictionCone,
        start: Impulses<'_>,
    ) {
        self.contact.clear();
        self.rolling.clear();
        for (c, row, rolling) in problem.contacts_with_rolling() {
            let movable = self.compliance[c] > 0.0;
            let Some((k, rolling)) = rolling else {
                let l = cone.project(row.friction, start.contact[c]).point;
                let usable = movable && l.iter().all(|x| x.is_finite());
                self.contact.push(if usable { l } else { [0.0; 3] });
                continue;
            };
            let l = join(start.contact[c], start.rolling[k]);
            let l = cone.project_rolling(rolling.limits(row), l).point;
            let usable = movable && l.iter().all(|x| x.is_finite());
            let [n, t1, t2, s, r1, r2] = if usable { l } else { [0.0; 6] };
            self.contact.push([n, t1, t2]);
            self.rolling.push([s, r1, r2]);
        }
    }

    /// `l ← P_K(p)`, and the impulses of joint rows with bounds.
    pub(crate) fn update_multipliers(&mut self, problem: &Problem) {
        self.bounded.update(problem.joints, &mut self.joint);
        for (l, image) in self.contact.iter_mut().zip(&self.image) {
            *l = image.point;
        }
        for (l, image) in self.rolling.iter_mut().zip(&self.rolling_image) {
            l.copy_from_slice(&image.point[3..]);
        }
    }

    /// The impulses at hand.
    pub(crate) fn impulses(&self) -> Impulses<'_> {
        Impulses { joint: &self.joint, contact: &self.contact, rolling: &self.rolling }
    }

    /// Minimizes from `velocity` and `joint`, until the error is at most `tolerance`, or at the
    /// level of rounding, or `steps_max` steps are taken.
    pub(crate) fn minimize(
        &mut self,
        problem: &Problem,
        cone: &FrictionCone,
        tolerance: Double,
        steps_max: u32,
    ) -> Minimum {
        let mut last = Double::INFINITY;
        let mut poor_steps = 0;
        let mut steps = 0;
        loop {
            let error = self.evaluate(problem, cone);
            let floor = self.rounding_level(problem);
            // Near the level of rounding, a step that does not halve the error gains nothing.
            poor_steps =
                if error > 0.5 * last && error < 100.0 * floor { poor_steps + 1 } else { 0 };
            if error <= tolerance.max(floor) || steps >= steps_max || poor_steps >= 2 {
                return Minimum { steps, error };
            }
            if !self.factor_fits(error < 0.1 * last) {
                self.refactor(problem, cone);
            }
            let joint_error = self.joint_error.iter().fold(0.0, |m: Double, r| m.max(r.abs()));
            self.find_step(problem);
            last = error;
            steps += 1;
            if self.coupled {
                if !self.search_coupled(problem, cone) {
                    return Minimum { steps, error };
                }
                continue;
            }
            let meets_joints = steps > 1 || joint_error <= tolerance;
            let t = if meets_joints { self.search(problem, cone) } else { 1.0 };
            if t <= 0.0 {
                return Minimum { steps, error };
            }
            for (v, d) in self.velocity.iter_mut().zip(&self.step) {
                for k in 0..6 {
                    v[k] += t * d[k];
                }
            }
            for (c, d) in self.joint.iter_mut().zip(&self.joint_step) {
                *c += t * d;
            }
        }
    }

    /// Smallest error that the arithmetic resolves: rounding of `J v`, magnified by the penalty.
    pub(crate) fn rounding_level(&self, problem: &Problem) -> Double {
        let mut speed: Double = 0.0;
        for v in &self.velocity {
            speed = v.iter().fold(speed, |m, x| m.max(x.abs()));
        }
        for row in problem.contacts {
            speed = row.bias.iter().fold(speed, |m, x| m.max(x.abs()));
        }
        for row in problem.rolling {
            speed = row.bias.iter().fold(speed, |m, x| m.max(x.abs()));
        }
        Double::EPSILON * self.penalty * speed
    }

    /// Computes `P_K(p)`, the gradient and the joint errors at `velocity`; returns the error.
    pub(in crate::engine) fn evaluate(&mut self, problem: &Problem, cone: &FrictionCone) -> Double {
        self.work += (problem.contacts.len() + problem.bodies.len()) as Double;
        for (c, row) in problem.contacts.iter().enumerate() {
            let w = contact_velocity(row, &self.velocity);
            let l = self.contact[c];
            let rho = self.contact_penalty(c);
            self.point[c] =
                [l[0] - rho * (w[0] + self.gamma[c]), l[1] - rho * w[1], l[2] - rho * w[2]];
            self.image[c] = cone.project(row.friction, self.point[c]);
            if self.coupled && self.image[c].zone != Zone::Inside {
                self.point[c][0] = l[0] - rho * (w[0] + row.friction * cone.slip([w[1], w[2]]));
                self.image[c] = cone.project(row.friction, self.point[c]);
            }
        }
        self.evaluate_rolling(problem, cone);
        // The gradient is gathered as impulse, then its sign turned.
        self.gradient.fill([0.0; 6]);
        for (row, image) in problem.contacts.iter().zip(&self.image) {
            add_contact_impulse(row, &image.point, &mut self.gradient);
        }
        for (rolling, image) in problem.rolling.iter().zip(&self.rolling_image) {
            let [_, _, _, s, r1, r2] = image.point;
            let row = &problem.contacts[rolling.contact as usize];
            rolling.add_impulse(row, &[s, r1, r2], &mut self.gradient);
        }
        for (j, row) in problem.joints.iter().enumerate() {
            let mut c = self.joint[j];
            if row.is_bounded() {
                [c, _] = self.bounded.evaluate(j, row, &self.velocity, c, self.penalty);
            }
            add_joint_impulse(row, c, &mut self.gradient);
        }
        let mut error: Double = 0.0;
        for (i, body) in problem.bodies.iter().enumerate() {
            let (v, free) = (&self.velocity[i], &body.velocity_free);
            let mut change = [0.0; 6];
            for k in 0..6 {
                change[k] = v[k] - free[k];
            }
            let momentum = mass_mul(body, &change);
            let g = &mut self.gradient[i];
            for k in 0..6 {
                g[k] = momentum[k] - g[k];
            }
            error = inverse_mass_mul(body, g).iter().fold(error, |m, x| m.max(x.abs()));
        }
        for (j, row) in problem.joints.iter().enumerate() {
            let counts = self.joint_compliance[j] > 0.0 && !row.is_bounded();
            let rate = || joint_rate(row, &self.velocity);
            let r = if counts { row.speed(rate(), self.joint[j]) } else { 0.0 };
            self.joint_error[j] = r;
            error = error.max(r.abs());
        }
        error
    }

    /// `ρ_c`; zero for a contact between bodies that cannot move.
    pub(in crate::engine) fn contact_penalty(&self, c: usize) -> Double {
        let compliance = self.compliance[c];
        if compliance > 0.0 { self.penalty / compliance } else { 0.0 }
    }

    /// Whether the factor at hand is exact, or good enough as long as it `contracts`.
    fn factor_fits(&self, contracts: bool) -> bool {
        if self.factored_coupled != self.coupled || (self.coupled && !contracts) {
            return false;
        }
        if self.factored_penalty != self.penalty || self.factored_zones.len() != self.image.len() {
            return false;
        }
        let same = self.image.iter().zip(&self.factored_zones).all(|(image, z)| image.zone == *z);
        let slopes = self.bounded.slopes(0..self.joint.len());
        let same = same && slopes == self.factored_slopes;
        let rolling = self.rolling_image.iter().zip(&self.factored_rolling);
        let same = same && rolling.clone().all(|(image, z)| image.zone == *z);
        let curved = self.factored_zones.contains(&Zone::Surface)
            || self.factored_rolling.iter().any(|z| z.is_curved());
        same && (contracts || !curved)
    }

    fn refactor(&mut self, problem: &Problem, cone: &FrictionCone) {
        self.factor.clear(!self.coupled);
        for (i, body) in problem.bodies.iter().enumerate() {
            self.factor.add_body(i, body);
        }
        self.factored_zones.clear();
        self.factored_rolling.clear();
        self.factored_rolling.extend(self.rolling_image.iter().map(|image| image.zone));
        for (c, row, rolling) in problem.contacts_with_rolling() {
            self.factored_zones.push(self.image[c].zone);
            let rho = self.contact_penalty(c);
            if self.image[c].zone == Zone::Apex || rho == 0.0 {
                continue;
            }
            if let Some((k, rolling)) = rolling {
                let (p, image) = (&self.rolling_point[k], &self.rolling_image[k]);
                let mut d = cone.derivative_rolling(rolling.limits(row), p, image);
                if self.coupled {
                    self.couple_rolling(row, rolling, cone, &mut d, image.zone);
                }
                self.factor.add_rolling(row, rolling, &d.map(|row| row.map(|x| rho * x)));
                continue;
            }
            let mut d = cone.derivative(row.friction, self.point[c], &self.image[c]);
            if self.coupled {
                self.couple(row, cone, &mut d, self.image[c].zone);
            }
            self.factor.add_contact(row, &d.map(|row| row.map(|x| rho * x)));
        }
        for (j, row) in problem.joints.iter().enumerate() {
            let compliance = self.joint_compliance[j];
            if row.is_bounded() {
                match self.bounded.slopes(j..j + 1) {
                    [slope] if *slope > 0.0 => self.factor.add_joint(j, row, *slope),
                    _ => self.factor.add_alone(j),
                }
                continue;
            }
            let proximal = JOINT_PROXIMAL * compliance + row.softness;
            let delta = if compliance > 0.0 { proximal } else { 1.0 };
            self.factor.add_joint(j, row, delta);
        }
        self.factored_slopes.clear();
        self.factored_slopes.extend_from_slice(self.bounded.slopes(0..self.joint.len()));
        self.factor.factor();
        self.work += self.factor.work() / OPERATIONS;
        self.factored_penalty = self.penalty;
        self.factored_coupled = self.coupled;
        self.factorizations += 1;
    }

    /// Solves for `dv` and `dc`, then the change of every `p` along them.
    fn find_step(&mut self, problem: &Problem) {
        let order = &self.factor.order;
        for (g, start) in self.gradient.iter().zip(&order.body_start) {
            for k in 0..6 {
                self.unknowns[*start as usize + k] = -g[k];
            }
        }
        for (r, start) in self.joint_error.iter().zip(&order.joint_start) {
            self.unknowns[*start as usize] = *r;
        }
        self.factor.solve(&mut self.unknowns);
        // The change of `p` and the search along it take a sweep or two.
        let sweep = (problem.contacts.len() + problem.bodies.len()) as Double;
        self.work += self.factor.solution_work() / OPERATIONS + 1.5 * sweep;
        for (d, start) in self.step.iter_mut().zip(&order.body_start) {
            d.copy_from_slice(&self.unknowns[*start as usize..*start as usize + 6]);
        }
        let rows = problem.joints.iter().zip(&order.joint_start);
        for (d, (row, start)) in self.joint_step.iter_mut().zip(rows) {
            // The impulse of a row with bounds follows the velocity.
            *d = if row.is_bounded() { 0.0 } else { self.unknowns[*start as usize] };
        }
        for (c, row) in problem.contacts.iter().enumerate() {
            let rate = contact_rate(row, &self.step);
            let rho = self.contact_penalty(c);
            self.rate_step[c] = rate;
            self.point_step[c] = rate.map(|x| -rho * x);
        }
        for (k, rolling) in problem.rolling.iter().enumerate() {
            let c = rolling.contact as usize;
            let turn = rolling.rate(&problem.contacts[c], &self.step);
            let (rate, rho) = (join(self.rate_step[c], turn), self.contact_penalty(c));
            self.rolling_rate_step[k] = rate;
            self.rolling_point_step[k] = rate.map(|x| -rho * x);
        }
    }
}
