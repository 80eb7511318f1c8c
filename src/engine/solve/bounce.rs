//! Restitution: the carried velocity of an island in which bodies bounce.
//!
//! Input: an island whose biased problem is solved. Output: the carried velocity and the impulses of the
//! whole blow; poses move with the biased velocity as ever. A contact with restitution `e` that carries an
//! impulse and was approaching faster than a threshold *before the step* is an *impact*; a body at rest has
//! no such speed, whatever its load, the step and its fall in it, and so never bounces. Without impacts
//! nothing happens here.
//!
//! Both models are posed where the bodies are at the end of the step: contacts that are closed there have
//! no bias, the others are left to the next step. `c`, `d` are impulses of contacts and joints, `S` the
//! impacts:
//!
//! ```text
//! compression     M (v_c - v*) = Jᵀ c            closed:  w_n(v_c) ≥ 0 ⊥ c_n ≥ 0,   friction on c
//! Poisson         M (v_p - v_c) = Jᵀ (d + x)     x_n = e c_n in S,  w_n(v_p) ≥ 0 ⊥ d_n ≥ 0
//!    friction     M (v⁺ - v_c) = Jᵀ d            w_n(v⁺) ≥ u in S,  friction on the whole of d
//! Newton          M (v⁺ - v*) = Jᵀ d             w_n(v⁺) ≥ -e w_n(v*) in S,  friction on d
//! ```
//!
//! (Poisson: Anitescu & Potra, Nonlinear Dyn. 14 (1997). Their friction in the decompression is bounded by
//! `μ (e c_n + d_n)`, a cone with its tip cut off. Here the cone is whole, and the aims `u`, at first
//! `w_n(v_p)`, are corrected until `d_n` is as it was without friction within 2 %; no solve where no impact
//! has friction, one for balls, two for a corner.) One ball on the ground gets the same from both: `e` times
//! the speed of its fall at the end of the step.
//!
//! **Energy.** Contacts must not do work: with the mean velocity, `D = Σ l · w((v* + v⁺)/2) ≤ 0`, which is
//! the change of the kinetic energy beside the work of what moves by itself, belts and joints. `D` is
//! quadratic on the way from the compression to `v⁺`; where it would end above zero the way is cut short,
//! which keeps every contact feasible, and `l` in its cone, since both are convex. The pose turns by the
//! biased velocity and the inertia with it, which would change the energy by a part of `h |ω|`: angular
//! velocities are scaled by so much.
//!
//! Cost: one to six solves more in the step of an impact; else a look at each manifold. Several balls in
//! contact share a blow at once, as the equations say: the first of five equal balls comes back with 3/5
//! of its speed and the others leave with 2/5, in both models; waves that run through a row are not
//! resolved.

use super::super::active::Blow;
use super::super::assemble::{IslandStep, IslandUnknowns, Unknowns};
use super::super::lcp::certificate::Certificate;
use super::super::lcp::manifold::{Lanes, Manifold};
use super::super::lcp::rolling::RollingRow;
use super::super::lcp::rows::{dot3, dot6, inverse_mass_mul, mass_mul};
use super::super::lcp::{BodyBlock, SolveStats, Status, Vec6};
use super::super::settings::RestitutionModel;
use super::Solvers;
use super::island::Island;
use crate::math::{DVec3, Double, narrow3, quat_exp, quat_to_mat3, widen, widen3};

/// Bias of a contact that is open at the end of the step [m/s]: faster than anything.
const OPEN: Double = 1e6;

/// Most solves for the friction of a decompression.
const FRICTION_MAX: u32 = 4;
/// Normal impulses that differ by this part are the same there.
const NEAR: Double = 0.02;

/// Buffers of the bounces; their content never influences a result.
#[derive(Clone, Debug, Default)]
pub(super) struct BounceScratch {
    /// Impacts and closed contacts of each manifold, a bit for each lane.
    lanes: Vec<[u8; 2]>,
    /// Biases as they were.
    bias: Vec<Lanes>,
    /// Velocities free of constraints, as they were.
    free: Vec<Vec6>,
    /// Unknowns of the island after the compression, and in the end.
    base: Unknowns,
    end: Unknowns,
    /// Normal impulses of the decompression, of each manifold.
    goal: Vec<Lanes>,
    /// Impulses on the bodies.
    force: Vec<Vec6>,
    /// Biases and bounds of the joint rows, as they were.
    rows: Vec<(Double, [Double; 2])>,
}

/// Solves one of the two problems of an island; true for the relaxed one.
pub(super) type Solve<'a> = dyn FnMut(&mut Solvers, &mut Island<'_, '_>, bool) -> SolveStats + 'a;

impl Solvers {
    /// Finds the carried velocity if bodies of the island bounce, and tells how; none if none does.
    pub(super) fn bounce(
        &mut self,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
    ) -> Option<SolveStats> {
        let mut bounce = core::mem::take(&mut self.bounce);
        let found = bounce.find(island);
        let stats = found.then(|| {
            bounce.pose(island);
            let step = &mut *island.step;
            step.relaxed.copy_from(&step.biased);
            let stats = match island.settings.contact.restitution {
                RestitutionModel::Poisson => bounce.poisson(self, island, solve),
                RestitutionModel::Newton => bounce.newton(self, island, solve),
            };
            bounce.settle(island);
            let certificate = self.certify_bounce(&bounce, island, stats.certificate);
            bounce.leave(island.step);
            SolveStats { certificate, ..stats }
        });
        self.bounce = bounce;
        stats
    }

    /// The worst of the solves of a bounce, of what approaches at its end, and of velocities that are not
    /// those of their impulses.
    fn certify_bounce(
        &mut self,
        bounce: &BounceScratch,
        island: &mut Island<'_, '_>,
        solves: Certificate,
    ) -> Certificate {
        let natural_map = bounce.approach(island.step);
        let motion = self.certify(island, 1).motion;
        solves.worse(Certificate { natural_map, motion, ..Certificate::default() })
    }

    /// The same after small steps, whose velocity is that of the compression: Newton's form, whatever the
    /// settings say.
    pub(super) fn bounce_swept(
        &mut self,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
    ) -> Option<SolveStats> {
        let mut bounce = core::mem::take(&mut self.bounce);
        let found = bounce.find(island);
        let stats = found.then(|| {
            bounce.pose(island);
            self.measure(island, 1);
            self.take_measured(island, 1);
            bounce.base.take(&island.step.relaxed);
            bounce.aim(island);
            let stats = solve(self, island, true);
            bounce.guard(island);
            bounce.settle(island);
            let certificate = self.certify_bounce(&bounce, island, stats.certificate);
            bounce.leave(island.step);
            SolveStats { certificate, ..stats }
        });
        self.bounce = bounce;
        stats
    }
}

/// Adds the work of a later solve, and keeps the worse outcome.
fn add(stats: &mut SolveStats, later: &SolveStats) {
    stats.iterations += later.iterations;
    stats.factorizations += later.factorizations;
    stats.work += later.work;
    if later.status != Status::Converged {
        stats.status = later.status;
    }
    if later.certificate.error() > stats.certificate.error() {
        stats.certificate = later.certificate;
    }
}

impl BounceScratch {
    /// Finds impacts and what is closed at the end of the step; is there any impact?
    fn find(&mut self, island: &Island<'_, '_>) -> bool {
        let step = &*island.step;
        let manifolds = &*step.manifolds;
        if manifolds.iter().all(|m| m.restitution <= 0.0) {
            return false;
        }
        let contact = &island.settings.contact;
        let speed_min = widen(contact.restitution_speed);
        let zone = widen(contact.dead_zone) * island.dt * island.dt;
        let (before, moved) = (step.velocity_last, &*step.biased.velocity);
        let impulses = &*step.biased.contact_impulse;
        self.lanes.clear();
        let mut any = false;
        for m in manifolds {
            let [mut impacts, mut closed] = [0; 2];
            for lane in 0..m.count as usize {
                let normal = |velocity| dot3(&m.normal, &m.velocity(lane, velocity));
                let carries = dot3(&m.normal, &impulses[m.first as usize + lane]) > 0.0;
                let hits = carries && m.restitution > 0.0 && -normal(before) > speed_min;
                impacts |= u8::from(hits) << lane;
                let stays = carries || m.gap[lane] + island.dt * normal(moved) <= zone;
                closed |= u8::from(stays) << lane;
            }
            any |= impacts != 0;
            self.lanes.push([impacts, closed]);
        }
        any
    }

    /// The impacts: manifold, lane.
    fn impacts<'a>(
        &'a self,
        manifolds: &'a [Manifold],
    ) -> impl Iterator<Item = (&'a Manifold, usize)> {
        manifolds.iter().zip(&self.lanes).flat_map(|(m, [impacts, _])| {
            (0..m.count as usize).filter(move |lane| impacts >> lane & 1 != 0).map(move |l| (m, l))
        })
    }

    /// Poses the problem at the end of the step: no bias where contacts are closed.
    fn pose(&mut self, island: &mut Island<'_, '_>) {
        let step = &mut *island.step;
        step.take_push(-1.0);
        self.bias.clear();
        for (m, [_, closed]) in step.manifolds.iter_mut().zip(&self.lanes) {
            self.bias.push(m.bias);
            for lane in 0..m.count as usize {
                m.bias[lane] = if closed >> lane & 1 != 0 { 0.0 } else { OPEN };
            }
        }
        self.free.clear();
        self.free.extend(step.bodies.iter().map(|body| body.velocity_free));
    }

    /// Largest speed at which closed contacts approach each other with the carried velocity [m/s].
    fn approach(&self, step: &IslandStep<'_>) -> Double {
        let mut most: Double = 0.0;
        for (m, [_, closed]) in step.manifolds.iter().zip(&self.lanes) {
            for lane in (0..m.count as usize).filter(|lane| closed >> lane & 1 != 0) {
                most = most.max(-dot3(&m.normal, &m.velocity(lane, step.relaxed.velocity)));
            }
        }
        most
    }

    /// Puts the problem back.
    fn settle(&self, island: &mut Island<'_, '_>) {
        let step = &mut *island.step;
        for (m, bias) in step.manifolds.iter_mut().zip(&self.bias) {
            m.bias = *bias;
        }
        step.take_push(1.0);
        self.free(step);
        for i in 0..step.bodies.len() {
            let turn = step.biased.velocity[i];
            keep_energy(&step.bodies[i], &mut step.relaxed.velocity[i], &turn, island.dt);
        }
        let blows = &mut *step.blows;
        blows.fill(Blow::Near);
        for (m, lane) in self.impacts(&*step.manifolds) {
            blows[m.first as usize + lane] = Blow::Hit;
        }
    }

    /// Leaves warm starts without the blow.
    fn leave(&self, step: &mut IslandStep<'_>) {
        let (from, to) = (&step.biased, &mut step.relaxed);
        to.joint_impulse.copy_from_slice(from.joint_impulse);
        to.rolling_impulse.copy_from_slice(from.rolling_impulse);
    }

    /// Puts the free velocities back.
    fn free(&self, step: &mut IslandStep<'_>) {
        for (body, free) in step.bodies.iter_mut().zip(&self.free) {
            body.velocity_free = *free;
        }
    }

    /// Compression, decompression, friction of the decompression.
    fn poisson(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
    ) -> SolveStats {
        let mut stats = solve(state, island, true);
        self.base.take(&island.step.relaxed);
        self.give_back(island);
        self.leave_rest(island);
        add(&mut stats, &solve(state, island, true));
        if self.take_back(island) {
            for _ in 0..FRICTION_MAX {
                add(&mut stats, &solve(state, island, true));
                if !self.correct(island) {
                    break;
                }
            }
        }
        self.free(island.step);
        let rows = &mut *island.step.joints;
        for (row, (bias, bounds)) in rows.iter_mut().zip(&self.rows) {
            (row.bias, row.bounds) = (*bias, *bounds);
        }
        island.step.relaxed.add_impulses(&self.base);
        self.guard(island);
        stats
    }

    /// One solve; the compression only where energy would grow.
    fn newton(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
    ) -> SolveStats {
        self.aim(island);
        let mut stats = solve(state, island, true);
        self.end.take(&island.step.relaxed);
        if self.work(island, &self.end) > 0.0 {
            self.aim_at(island, |_, _| 0.0);
            add(&mut stats, &solve(state, island, true));
            self.base.take(&island.step.relaxed);
            island.step.relaxed.put(&self.end);
            self.guard(island);
        }
        stats
    }

    /// Gives the impulses `e c_n` of the impacts to the free velocities; the rest starts from zero.
    fn give_back(&mut self, island: &mut Island<'_, '_>) {
        let step = &mut *island.step;
        let manifolds = &*step.manifolds;
        self.force.clear();
        self.force.resize(step.bodies.len(), [0.0; 6]);
        let mut force = core::mem::take(&mut self.force);
        for (m, lane) in self.impacts(manifolds) {
            m.add_impulse(lane, self.given(m, lane), &mut force);
        }
        for (i, force) in force.iter().enumerate() {
            let body = &mut step.bodies[i];
            let (from, change) = (&self.base.velocity[i], inverse_mass_mul(body, force));
            body.velocity_free = core::array::from_fn(|k| from[k] + change[k]);
            step.relaxed.velocity[i] = body.velocity_free;
        }
        self.force = force;
        step.relaxed.contact_impulse.fill([0.0; 3]);
        step.relaxed.joint_impulse.fill(0.0);
        step.relaxed.rolling_impulse.fill([0.0; 3]);
    }

    /// Leaves joint rows what they have not given in the compression: springs know their whole impulse,
    /// motors and friction have one force for both. Hard limits push once more where they must, like
    /// contacts.
    fn leave_rest(&mut self, island: &mut Island<'_, '_>) {
        let rows = &mut *island.step.joints;
        self.rows.clear();
        for (row, c) in rows.iter_mut().zip(&self.base.joint_impulse) {
            self.rows.push((row.bias, row.bounds));
            row.bias += row.softness * c;
            if row.softness > 0.0 || row.bounds.iter().all(|bound| bound.is_finite()) {
                row.bounds = row.bounds.map(|bound| bound - c);
            }
        }
    }

    /// `e c_n n` of an impact.
    fn given(&self, m: &Manifold, lane: usize) -> [Double; 3] {
        let taken = dot3(&m.normal, &self.base.contact_impulse[m.first as usize + lane]).max(0.0);
        m.normal.map(|n| n * (m.restitution * taken))
    }

    /// Counts those impulses among those of the decompression, and aims at the velocities they gave. Is
    /// there friction for which it must be solved again?
    fn take_back(&mut self, island: &mut Island<'_, '_>) -> bool {
        let step = &mut *island.step;
        let mut rubs = !step.rolling.is_empty();
        let impulses = &mut *step.relaxed.contact_impulse;
        let mut goals = core::mem::take(&mut self.goal);
        goals.clear();
        goals.resize(step.manifolds.len(), Lanes::default());
        for (m, lane) in self.impacts(&*step.manifolds) {
            let (given, sum) = (self.given(m, lane), &mut impulses[m.first as usize + lane]);
            for k in 0..3 {
                sum[k] += given[k];
            }
            rubs |= m.friction > 0.0;
        }
        for (goal, m) in goals.iter_mut().zip(&*step.manifolds) {
            for lane in 0..m.count as usize {
                goal[lane] = dot3(&m.normal, &impulses[m.first as usize + lane]);
            }
        }
        self.goal = goals;
        if rubs {
            let members = step.bodies.iter_mut();
            for (body, from) in members.zip(&self.base.velocity) {
                body.velocity_free = *from;
            }
            let (velocity, impulses) = (&*step.relaxed.velocity, &*step.relaxed.contact_impulse);
            let manifolds = &mut *step.manifolds;
            self.set_bias(manifolds, |m, lane| {
                let acts = dot3(&m.normal, &impulses[m.first as usize + lane]) > 0.0;
                let speed = dot3(&m.normal, &m.velocity(lane, velocity));
                if acts { -speed.max(0.0) } else { 0.0 }
            });
        }
        rubs
    }

    /// Where the normal impulses are not those of the decompression without friction, aims at other
    /// velocities; true if they differ much. Friction at a corner makes it stiffer: the same velocity
    /// would take more.
    fn correct(&mut self, island: &mut Island<'_, '_>) -> bool {
        let step = &mut *island.step;
        let impulses = &*step.relaxed.contact_impulse;
        let mut differ = false;
        let lists = self.lanes.iter().zip(&self.goal);
        for (m, ([impacts, _], goal)) in step.manifolds.iter_mut().zip(lists) {
            for lane in (0..m.count as usize).filter(|lane| impacts >> lane & 1 != 0) {
                let got = dot3(&m.normal, &impulses[m.first as usize + lane]);
                if got > 0.0 && goal[lane] > 0.0 {
                    let ratio = (goal[lane] / got).clamp(0.25, 4.0);
                    m.bias[lane] *= ratio;
                    differ |= (ratio - 1.0).abs() > NEAR;
                }
            }
        }
        differ
    }

    /// Newton's aims.
    fn aim(&self, island: &mut Island<'_, '_>) {
        self.aim_at(island, |m, lane| {
            m.restitution * dot3(&m.normal, &m.velocity(lane, &self.free)).min(0.0)
        });
    }

    /// Sets the biases of the impacts.
    fn aim_at(&self, island: &mut Island<'_, '_>, bias: impl Fn(&Manifold, usize) -> Double) {
        self.set_bias(&mut *island.step.manifolds, bias);
    }

    fn set_bias(&self, manifolds: &mut [Manifold], bias: impl Fn(&Manifold, usize) -> Double) {
        for (m, [impacts, _]) in manifolds.iter_mut().zip(&self.lanes) {
            for lane in (0..m.count as usize).filter(|lane| impacts >> lane & 1 != 0) {
                m.bias[lane] = bias(m, lane);
            }
        }
    }

    /// Shortens the way from the base to the relaxed unknowns to where contacts do no work.
    fn guard(&mut self, island: &mut Island<'_, '_>) {
        self.end.take(&island.step.relaxed);
        let (first, last) = (self.work(island, &self.base), self.work(island, &self.end));
        // What the compression itself errs by is not for the bounce to repair.
        let room = first.min(0.0).abs();
        let rise = last - first;
        if rise <= room {
            return;
        }
        let power = |of, at: &Unknowns| power(island.step, of, &at.velocity);
        let (base, end) = (&self.base, &self.end);
        let square =
            0.5 * (power(end, end) - power(end, base) - power(base, end) + power(base, base));
        let part = root(square, rise - square, room);
        island.step.relaxed.mix(base, end, part);
    }

    /// Work of the contacts of the island if their impulses took the free velocities to these (J).
    fn work(&self, island: &Island<'_, '_>, unknowns: &Unknowns) -> Double {
        let step = &*island.step;
        let ends = [&self.free, &unknowns.velocity];
        0.5 * ends.map(|velocity| power(step, unknowns, velocity)).iter().sum::<Double>()
    }
}

/// Scales the angular velocity so that the energy is the same in the pose that the body turns to with the
/// biased velocity `moved`. Free flight keeps it, since it turns about its own angular velocity.
fn keep_energy(body: &BodyBlock, velocity: &mut Vec6, moved: &Vec6, dt: Double) {
    if body.free()[3..] != [true; 3] {
        return;
    }
    let energy = |w: DVec3| {
        let w = [0.0, 0.0, 0.0, w.x, w.y, w.z];
        dot6(&w, &mass_mul(body, &w))
    };
    let spin = DVec3::new(velocity[3], velocity[4], velocity[5]);
    let back = narrow3(DVec3::new(moved[3], moved[4], moved[5]) * -dt);
    let local = quat_to_mat3(quat_exp(back)) * narrow3(spin);
    let factor = (energy(widen3(narrow3(spin))) / energy(widen3(local))).sqrt();
    if factor.is_finite() {
        for x in &mut velocity[3..] {
            *x *= factor;
        }
    }
}

/// Largest `t` from 0 to 1 with `a t² + b t ≤ room`, for `a + b > room ≥ 0`.
fn root(a: Double, b: Double, room: Double) -> Double {
    let size = (b * b + 4.0 * a * room).max(0.0).sqrt();
    let t = if b > 0.0 { 2.0 * room / (b + size) } else { (size - b) / (2.0 * a) };
    // Not a number, or not convex: nothing is given back.
    if t.is_finite() && a >= 0.0 { t.clamp(0.0, 1.0) } else { 0.0 }
}

/// Visits the rolling rows of an island with their manifolds.
pub(super) fn each_rolling(
    step: &IslandStep<'_>,
    mut visit: impl FnMut(&RollingRow, &Manifold, usize),
) {
    let mut rolling = step.rolling.iter().enumerate().peekable();
    for m in &*step.manifolds {
        let end = m.first + m.count;
        while let Some((k, row)) = rolling.next_if(|(_, row)| row.contact < end) {
            visit(row, m, k);
        }
    }
}

/// `Σ l · w` over the contacts of an island, of its own impulses and velocities (J).
fn power(step: &IslandStep<'_>, impulses: &Unknowns, velocity: &[Vec6]) -> Double {
    let mut sum = 0.0;
    let mut rolling = step.rolling.iter().zip(&impulses.rolling_impulse);
    let mut next = rolling.next();
    for m in &*step.manifolds {
        for lane in 0..m.count as usize {
            let contact = m.first as usize + lane;
            sum += dot3(&impulses.contact_impulse[contact], &m.velocity(lane, velocity));
            if let Some((row, impulse)) = next.filter(|(row, _)| row.contact as usize == contact) {
                sum += dot3(impulse, &turning(row, m, velocity));
                next = rolling.next();
            }
        }
    }
    sum
}

/// Velocity of the rows of a rolling row of this manifold.
fn turning(row: &RollingRow, m: &Manifold, velocity: &[Vec6]) -> [Double; 3] {
    let mut w = row.bias;
    for (i, rows) in [(m.a, &row.jacobian_a), (m.b, &row.jacobian_b)] {
        if let Some(v) = velocity.get(i as usize) {
            for k in 0..3 {
                w[k] += dot6(&rows[k], v);
            }
        }
    }
    w
}

impl Unknowns {
    /// Becomes a copy of the unknowns of one island.
    pub(super) fn take(&mut self, one: &IslandUnknowns<'_>) {
        self.velocity.clear();
        self.velocity.extend_from_slice(one.velocity);
        self.contact_impulse.clear();
        self.contact_impulse.extend_from_slice(one.contact_impulse);
        self.joint_impulse.clear();
        self.joint_impulse.extend_from_slice(one.joint_impulse);
        self.rolling_impulse.clear();
        self.rolling_impulse.extend_from_slice(one.rolling_impulse);
    }
}

impl IslandUnknowns<'_> {
    /// Takes a copy back.
    pub(super) fn put(&mut self, one: &Unknowns) {
        self.velocity.copy_from_slice(&one.velocity);
        self.contact_impulse.copy_from_slice(&one.contact_impulse);
        self.joint_impulse.copy_from_slice(&one.joint_impulse);
        self.rolling_impulse.copy_from_slice(&one.rolling_impulse);
    }

    /// Adds the impulses of a copy.
    fn add_impulses(&mut self, one: &Unknowns) {
        add_lists(self.contact_impulse, &one.contact_impulse);
        add_lists(self.rolling_impulse, &one.rolling_impulse);
        for (sum, x) in self.joint_impulse.iter_mut().zip(&one.joint_impulse) {
            *sum += x;
        }
    }

    /// Goes a part `t` of the way from one state to another.
    fn mix(&mut self, from: &Unknowns, to: &Unknowns, t: Double) {
        let at = |x: Double, y: Double| x + t * (y - x);
        let ends = from.velocity.iter().zip(&to.velocity);
        for (v, (x, y)) in self.velocity.iter_mut().zip(ends) {
            *v = core::array::from_fn(|k| at(x[k], y[k]));
        }
        let ends = from.contact_impulse.iter().zip(&to.contact_impulse);
        for (l, (x, y)) in self.contact_impulse.iter_mut().zip(ends) {
            *l = core::array::from_fn(|k| at(x[k], y[k]));
        }
    }
}

fn add_lists(sums: &mut [[Double; 3]], list: &[[Double; 3]]) {
    for (sum, x) in sums.iter_mut().zip(list) {
        for k in 0..3 {
            sum[k] += x[k];
        }
    }
}

#[cfg(test)]
mod tests;
