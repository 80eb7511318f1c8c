//! Sweeps over manifolds: relative velocities, cone projections, gradients, the certificate.
//!
//! The four contacts of a manifold are four lanes of plain arrays, which compilers turn into vector code;
//! every sum has a fixed order. About 15 ns a contact and sweep.

use super::cones::Cones;
use super::judged::Judged;
use super::problem::ManifoldProblem;
use super::round::{project, slip_bound};
use super::wrench::{Wrench, give, usable};
use crate::engine::lcp::bounded::Bounded;
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold, cross};
use crate::engine::lcp::problem::{JointRow, Vec6};
use crate::engine::lcp::rows::{add_joint_impulse, inverse_mass_mul, joint_rate, mass_mul};
use crate::engine::tuning::newton::START;
use crate::math::Double;
use crate::math::refill;

/// `(v, ω)` of body b less that of body a at the reference point.
#[inline(always)]
fn relative(m: &Manifold, velocity: &[Vec6]) -> ([Double; 3], [Double; 3]) {
    let (x, y) = (&velocity[m.a as usize], &velocity[m.b as usize]);
    let p = cross([y[3], y[4], y[5]], m.arm_b);
    let q = cross([x[3], x[4], x[5]], m.arm_a);
    let mut linear = [0.0; 3];
    for k in 0..3 {
        linear[k] = (y[k] - x[k]) + (p[k] - q[k]);
    }
    (linear, [y[3] - x[3], y[4] - x[4], y[5] - x[5]])
}

/// `J v` of every contact of a manifold plus its drift, world axes.
#[inline(always)]
pub(super) fn lane_velocity(m: &Manifold, velocity: &[Vec6], drift: bool) -> LaneVectors {
    let (v, w) = relative(m, velocity);
    let [px, py, pz] = &m.point;
    let mut u = [[0.0; LANES]; 3];
    for l in 0..LANES {
        u[0][l] = v[0] + (w[1] * pz[l] - w[2] * py[l]);
        u[1][l] = v[1] + (w[2] * px[l] - w[0] * pz[l]);
        u[2][l] = v[2] + (w[0] * py[l] - w[1] * px[l]);
    }
    if drift {
        for k in 0..3 {
            for l in 0..LANES {
                u[k][l] += m.drift[k][l];
            }
        }
    }
    u
}

/// Adds `sign · Jᵀ f` to impulses of the bodies.
#[inline(always)]
pub(super) fn scatter(m: &Manifold, f: &LaneVectors, sign: Double, out: &mut [Vec6]) {
    Wrench::of(m, f).add(m, sign, out);
}

/// Largest speed at which contacts approach each other, beyond what their gaps allow in the step [m/s].
/// `velocity` ends with the zero of the fixed world.
pub(super) fn approach(manifolds: &[Manifold], velocity: &[Vec6]) -> Double {
    let mut worst = [0.0; LANES];
    for m in manifolds {
        let u = lane_velocity(m, velocity, true);
        let n = &m.normal;
        for l in 0..m.count as usize {
            let wn = n[0] * u[0][l] + n[1] * u[1][l] + n[2] * u[2][l];
            let speed = m.push[l] - m.bias[l] - wn;
            worst[l] = if speed > worst[l] { speed } else { worst[l] };
        }
    }
    worst.iter().fold(0.0, |a: Double, &b| a.max(b))
}

/// The normal part of the impulse of contact `lane` [N·s].
pub(super) fn load(m: &Manifold, l: &LaneVectors, lane: usize) -> Double {
    m.normal[0] * l[0][lane] + m.normal[1] * l[1][lane] + m.normal[2] * l[2][lane]
}

/// `ρ` of a contact of this load where they are `mean` on average, in units of the one without (–).
fn share(load: Double, mean: Double) -> Double {
    let share = if mean > 0.0 { load / mean } else { 1.0 };
    share.max(START)
}

/// State of the sweeps: multipliers, projections, gradient.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    /// `l`, impulses of the contacts.
    pub(super) impulse: Vec<LaneVectors>,
    /// `Γ = μ |w_t|` [m/s].
    pub(super) slip_bounds: Vec<Lanes>,
    /// `p = l - ρ_c (w + Γ n)`.
    pub(super) point: Vec<LaneVectors>,
    /// `P_K(p)`.
    pub(super) image: Vec<LaneVectors>,
    /// Zones of the images, two bits a contact.
    pub(super) zones: Vec<u8>,
    /// `∇L`, one entry more than bodies.
    pub(super) gradient: Vec<Vec6>,
    /// `νᵀ v + Υ + s c`, zero for rows with bounds.
    pub(super) joint_error: Vec<Double>,
    /// Joint rows with bounds.
    pub(super) bounded: Bounded,
    /// Contacts with other cones.
    pub(super) cones: Cones,
    /// Is `Γ` given, as in the convex relaxation?
    pub(super) frozen: bool,
    /// `ρ / W_nn`, zero in unused lanes; for the penalty `ρ` of the last evaluation.
    weight: Vec<Lanes>,
    weight_penalty: Double,
    /// Is `ρ` in proportion to the load of each contact?
    pub(super) by_load: bool,
    /// On the way of an interior point method `D` of every contact as (xx, xy, xz, yy, yz, zz), else empty.
    pub(super) inner: Vec<[Lanes; 6]>,
}

/// What a sweep measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// `max |P_K(p) - l| W_nn / ρ`, the same of joint rows with bounds [m/s]: what the multipliers still
    /// change. Where `ρ` follows the loads that is in proportion to the load, too.
    pub(super) residual: Double,
    /// `max |M⁻¹ ∇L|` [m/s, rad/s].
    pub(super) gradient: Double,
    /// `max |νᵀ v + Υ + s c|` of rows without bounds [m/s, rad/s].
    pub(super) joint: Double,
}

impl Sweep {
    /// Takes the impulses of a warm start, per contact and rolling row, and sums what they do to the bodies.
    pub(super) fn begin(
        &mut self,
        problem: &ManifoldProblem<'_>,
        contact: &[[Double; 3]],
        rolling: &[[Double; 3]],
        sums: &mut [Vec6],
    ) {
        sums.fill([0.0; 6]);
        self.frozen = false;
        self.cones.find(problem);
        self.impulse.clear();
        for (i, m) in problem.manifolds.iter().enumerate() {
            let lanes = usable(m, &contact[m.first as usize..]);
            // Normals turned since the last step: back into the cone.
            let image = if self.cones.has(i) {
                let image = self.cones.begin(problem, i, (&lanes, rolling));
                self.cones.twist(problem, i, false, 1.0, sums);
                image
            } else {
                project(&m.normal, m.friction, &lanes).0
            };
            scatter(m, &image, 1.0, sums);
            self.impulse.push(image);
        }
        self.bounded.begin(problem.bodies, problem.joints);
    }

    /// Makes room for evaluations.
    pub(super) fn prepare(&mut self, problem: &ManifoldProblem<'_>) {
        let n = problem.manifolds.len();
        if !self.frozen {
            refill(&mut self.slip_bounds, n, [0.0; LANES]);
        }
        refill(&mut self.point, n, [[0.0; LANES]; 3]);
        refill(&mut self.image, n, [[0.0; LANES]; 3]);
        refill(&mut self.zones, n, 0);
        self.weight.clear();
        self.weight_penalty = 0.0;
        refill(&mut self.gradient, problem.bodies.len() + 1, [0.0; 6]);
        refill(&mut self.joint_error, problem.joints.len(), 0.0);
    }

    /// Takes `Γ` [m/s] as given, one for each contact.
    pub(super) fn freeze(&mut self, problem: &ManifoldProblem<'_>, slip_bounds: &[Double]) {
        self.frozen = true;
        self.slip_bounds.clear();
        self.slip_bounds.extend(problem.manifolds.iter().map(|m| {
            let of = |lane: usize| slip_bounds.get(m.first as usize + lane).copied().unwrap_or(0.0);
            [0, 1, 2, 3].map(|lane| if lane < m.count as usize { of(lane) } else { 0.0 })
        }));
    }

    /// Gives the impulses back, per contact and rolling row.
    pub(super) fn give(
        &self,
        problem: &ManifoldProblem<'_>,
        contact: &mut [[Double; 3]],
        rolling: &mut [[Double; 3]],
    ) {
        rolling.copy_from_slice(&self.cones.rolling);
        for (m, lanes) in problem.manifolds.iter().zip(&self.impulse) {
            give(m, lanes, &mut contact[m.first as usize..]);
        }
    }

    /// `ρ / W_nn` of every contact.
    pub(super) fn set_weights(&mut self, problem: &ManifoldProblem<'_>, penalty: Double) {
        if self.weight_penalty == penalty && self.weight.len() == problem.manifolds.len() {
            return;
        }
        self.weight.clear();
        let mean = self.by_load.then(|| self.mean_load(problem));
        self.weight.extend(problem.manifolds.iter().zip(&self.impulse).map(|(m, l)| {
            core::array::from_fn(|j| {
                let w = m.compliance[j];
                let share = mean.map_or(1.0, |mean| share(load(m, l, j) * w, mean));
                if w > 0.0 { penalty * share / w } else { 0.0 }
            })
        }));
        self.weight_penalty = penalty;
    }

    /// Mean of `W_nn l_n` of the contacts that push [m/s].
    fn mean_load(&self, problem: &ManifoldProblem<'_>) -> Double {
        let (mut sum, mut count) = (0.0, 0.0);
        for (m, l) in problem.manifolds.iter().zip(&self.impulse) {
            for j in 0..m.count as usize {
                let load = load(m, l, j) * m.compliance[j];
                if load > 0.0 {
                    (sum, count) = (sum + load, count + 1.0);
                }
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// `ρ / W_nn` of a manifold at the last evaluation.
    #[inline]
    pub(super) fn weights(&self, m: usize) -> &Lanes {
        &self.weight[m]
    }

    /// Projections, gradient and errors of the augmented Lagrangian at `velocity`, which ends with the
    /// zero of the fixed world. With `NEW_GAMMA` the slip bound is that of this velocity.
    pub(super) fn evaluate<const NEW_SLIP_BOUND: bool>(
        &mut self,
        problem: &ManifoldProblem<'_>,
        velocity: &[Vec6],
        joint: &[Double],
        penalty: Double,
    ) -> Measure {
        self.set_weights(problem, penalty);
        for (i, body) in problem.bodies.iter().enumerate() {
            let mut change = velocity[i];
            for k in 0..6 {
                change[k] -= body.velocity_free[k];
            }
            self.gradient[i] = mass_mul(body, &change);
        }
        self.gradient[problem.bodies.len()] = [0.0; 6];
        let mut worst = [0.0; LANES];
        for (i, m) in problem.manifolds.iter().enumerate() {
            let u = lane_velocity(m, velocity, true);
            if self.cones.has(i) {
                let state = (&self.impulse[i], &mut self.slip_bounds[i], &self.weight[i]);
                let found =
                    self.cones.evaluate::<NEW_SLIP_BOUND>(problem, i, state, (&u, velocity));
                worst[0] = if found.worst > worst[0] { found.worst } else { worst[0] };
                scatter(m, &found.image, -1.0, &mut self.gradient);
                self.cones.twist(problem, i, true, -1.0, &mut self.gradient);
                (self.zones[i], self.image[i]) = (found.zones, found.image);
                continue;
            }
            if NEW_SLIP_BOUND {
                self.slip_bounds[i] = slip_bound(m, &u);
            }
            let (l, slip_bounds, weight) =
                (&self.impulse[i], &self.slip_bounds[i], &self.weight[i]);
            let mut p = [[0.0; LANES]; 3];
            for k in 0..3 {
                for j in 0..LANES {
                    p[k][j] = l[k][j]
                        - weight[j] * (u[k][j] + (m.bias[j] + slip_bounds[j]) * m.normal[k]);
                }
            }
            let (image, zones) = project(&m.normal, m.friction, &p);
            for j in 0..LANES {
                let d = [image[0][j] - l[0][j], image[1][j] - l[1][j], image[2][j] - l[2][j]];
                let size =
                    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * (m.compliance[j] * m.compliance[j]);
                worst[j] = if size > worst[j] { size } else { worst[j] };
            }
            self.zones[i] = zones[0] | zones[1] << 2 | zones[2] << 4 | zones[3] << 6;
            scatter(m, &image, -1.0, &mut self.gradient);
            self.point[i] = p;
            self.image[i] = image;
        }
        let mut measure = Measure {
            residual: worst.iter().fold(0.0, |a: Double, &b| a.max(b)).sqrt() / penalty,
            gradient: 0.0,
            joint: 0.0,
        };
        for (j, row) in problem.joints.iter().enumerate() {
            if row.is_bounded() {
                let [c, unmet] = self.bounded.evaluate(j, row, velocity, joint[j], penalty);
                add_joint_impulse(row, -c, &mut self.gradient);
                measure.residual = measure.residual.max(unmet);
                continue;
            }
            add_joint_impulse(row, -joint[j], &mut self.gradient);
            let error = joint_speed(row, velocity, joint[j]);
            self.joint_error[j] = error;
            measure.joint = measure.joint.max(error.abs());
        }
        for (body, g) in problem.bodies.iter().zip(&self.gradient) {
            let change = inverse_mass_mul(body, g);
            measure.gradient = change.iter().fold(measure.gradient, |a, x| a.max(x.abs()));
        }
        measure
    }

    /// `μ |w_t| - Γ` of every contact at a velocity, and the largest of them.
    pub(super) fn slip_error(
        &self,
        problem: &ManifoldProblem<'_>,
        velocity: &[Vec6],
        errors: &mut Vec<Double>,
    ) -> Double {
        errors.clear();
        let mut size: Double = 0.0;
        for (i, (m, slip_bounds)) in problem.manifolds.iter().zip(&self.slip_bounds).enumerate() {
            let u = lane_velocity(m, velocity, true);
            let slip = match self.cones.has(i) {
                true => self.cones.slip_bound(problem, i, (&u, velocity)),
                false => slip_bound(m, &u),
            };
            for lane in 0..LANES {
                let used = lane < m.count as usize;
                let error = if used { slip[lane] - slip_bounds[lane] } else { 0.0 };
                size = size.max(error.abs());
                errors.push(error);
            }
        }
        size
    }

    /// `l ← P_K(p)`, and the impulses of joint rows with bounds.
    pub(super) fn update_multipliers(
        &mut self,
        problem: &ManifoldProblem<'_>,
        joint: &mut [Double],
    ) {
        core::mem::swap(&mut self.impulse, &mut self.image);
        self.cones.update();
        self.bounded.update(problem.joints, joint);
    }

    /// `Jᵀ l` of the impulses at hand.
    pub(super) fn sum(&self, problem: &ManifoldProblem<'_>, sums: &mut [Vec6]) {
        sums.fill([0.0; 6]);
        for (i, (m, l)) in problem.manifolds.iter().zip(&self.impulse).enumerate() {
            scatter(m, l, 1.0, sums);
            if self.cones.has(i) {
                self.cones.twist(problem, i, false, 1.0, sums);
            }
        }
    }

    /// `v = v* + M⁻¹ (Jᵀ l + ν c)` from `Jᵀ l`.
    pub(super) fn rebuild(
        &self,
        problem: &ManifoldProblem<'_>,
        joint: &[Double],
        velocity: &mut [Vec6],
    ) {
        for (row, c) in problem.joints.iter().zip(joint) {
            add_joint_impulse(row, *c, velocity);
        }
        for (body, v) in problem.bodies.iter().zip(velocity.iter_mut()) {
            let change = inverse_mass_mul(body, v);
            for k in 0..6 {
                v[k] = body.velocity_free[k] + change[k];
            }
        }
        velocity[problem.bodies.len()] = [0.0; 6];
    }

    /// The certificate of the impulses at the velocity rebuilt from them.
    pub(super) fn certify(
        &self,
        problem: &ManifoldProblem<'_>,
        velocity: &[Vec6],
        joint: &[Double],
    ) -> Certificate {
        let (mut judged, mut others) = (Judged::default(), Certificate::default());
        for (i, (m, l)) in problem.manifolds.iter().zip(&self.impulse).enumerate() {
            let w = lane_velocity(m, velocity, true);
            let frozen = self.slip_bounds.get(i).filter(|_| self.frozen);
            if self.cones.has(i) {
                self.cones.certify(problem, i, (l, frozen), (&w, velocity), &mut others);
            } else {
                judged.judge(m, l, w, frozen);
            }
        }
        self.certify_joints(problem, velocity, joint, judged.certificate(others))
    }

    /// Adds the errors of joint rows to a certificate.
    pub(super) fn certify_joints(
        &self,
        problem: &ManifoldProblem<'_>,
        velocity: &[Vec6],
        joint: &[Double],
        mut certificate: Certificate,
    ) -> Certificate {
        for (j, (row, c)) in problem.joints.iter().zip(joint).enumerate() {
            let r = self.bounded.error(j, row, velocity, *c);
            let r = if r.is_nan() { Double::INFINITY } else { r };
            certificate.joint = certificate.joint.max(r);
        }
        certificate
    }

    /// Derivative of the Lagrangian along `step` at the velocity of the last evaluation.
    pub(super) fn slope(&self, step: &[Vec6]) -> Double {
        let mut sum = 0.0;
        for (g, d) in self.gradient.iter().zip(step) {
            sum += crate::engine::lcp::rows::dot6(g, d);
        }
        sum
    }
}

/// `νᵀ v + Υ + s c`, zero for a row between bodies that cannot move.
fn joint_speed(row: &JointRow, velocity: &[Vec6], c: Double) -> Double {
    if row.terms.is_empty() { 0.0 } else { row.speed(joint_rate(row, velocity), c) }
}
