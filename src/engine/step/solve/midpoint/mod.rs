//! Islands with joints, or in which bodies turn fast: the implicit midpoint rule on the constraint manifold.
//!
//! Input: an island's bodies, contacts and joints at the start of the step. Output: how its bodies move,
//! the velocities they keep, impulses. With the half impulses `λ` of all rows, rows `J̄` half way between
//! the poses of the start and of the end, and forces `k`,
//!
//! ```text
//! M (u - v) = h k/2 + J̄ᵀ λ            u moves the bodies: q⁺ = q + h u
//! Θ(q⁺) = Θ(q) - γ Θ(q)               locks; limits and contacts alike, with their bounds and cones
//! v⁺ = v + M⁻¹ (h k + 2 J̄ᵀ λ) + M⁻¹ J(q⁺)ᵀ μ,    J(q⁺) v⁺ = 0
//! ```
//!
//! Impulses act at the mean of an anchor's places, along which the bodies move (`JointPose::middle`): so
//! joints do no work, and opposite impulses have one point, which keeps the angular momentum. Loaded
//! links that turn against each other are stable at any load, without damping. (Gonzalez, Physica D 132
//! (1999); Betsch & Steinmann, Int. J. Numer. Meth. Eng. 53 (2002); free rotation as in
//! [`spin`](crate::engine::step::predict::spin).)
//!
//! The first two equations are solved by Newton's method, each step of which is a step problem of the
//! form (5.1) for the method at hand: its blocks are `M` and half the geometric stiffness of the loads
//! (`stiffness.rs`), by which torques change as the arms turn; what remains of the joints is published
//! with the certificate. The third is a second problem, at the pose of the end, where closed contacts and
//! limits ask for no approach; where bodies bounce it is that of `restitution`. Contacts go with what touches
//! (`contact.rs`); their half impulses acted half way, only what the whole ones differ by from twice those
//! acts at the end, which keeps the angular momentum, too. With joints alone or contacts alone a step in
//! which a body turns by more than `TURN_MAX` is made in parts. Contacts alone that do not come near, or
//! would gain energy, as in a blow that turns a body far, are left to Euler's step. Cost: a place and its
//! rows for each joint or contact and Newton step; two to four of those.

pub(super) mod contact;
mod energy;
mod link;
pub(super) mod member;
mod momentum;
mod pose;
mod scratch;
mod softly;

use self::link::link;
use self::member::{Member, join, split};
pub(super) use self::scratch::MidpointScratch;
use self::scratch::is_lock;
use super::island::Island;
use super::outcome::Outcome;
use super::restitution::BounceScratch;
use super::solvers::Bench;
use crate::engine::lcp::{Method, SolveStats, Status};
use crate::engine::state::joint::Aim;
use crate::engine::step::assemble::IslandStep;
use crate::engine::step::predict::spin::turn_between;
use crate::engine::tuning::midpoint::{
    NEAR, OPEN, PARTS_MAX, PASSES, PASSES_MAX, ROWS_MAX, TURN_MAX,
};
use crate::engine::tuning::work::ROUNDED;
use crate::math::{Double, fill_from};

impl MidpointScratch {
    /// Solves an island by the midpoint rule; none if that fails without joints.
    pub(super) fn run(
        &mut self,
        bounce: &mut BounceScratch,
        method: Method,
        bench: &mut Bench<'_, '_, '_>,
    ) -> Option<Outcome> {
        self.begin(bench.island);
        let mut left = 1.0;
        let mut part = 1.0 / self.parts(bench.island);
        let joints = !bench.island.step.joints.is_empty();
        let splits = joints && !bench.island.step.bounces();
        let rows = bench.island.rows() as Double;
        let parts_max = (ROWS_MAX / rows).clamp(1.0, PARTS_MAX);
        bench.island.step.biased.scale(part);
        let (mut biased, mut relaxed) = (None, None);
        // Of the part at hand and its tries.
        let (mut poses, mut velocities): (_, Option<SolveStats>) = (None, None);
        while left > 0.5 * part {
            let h = part * bench.island.dt;
            self.kept.take(&bench.island.step.biased);
            let splits = splits && part * parts_max > 1.5;
            // Half of what is left is kept for its halves.
            let kept = if splits { 0.5 * bench.island.left() } else { 0.0 };
            bench.island.spent += kept;
            let near = self.find_poses(bench, h, splits, &mut poses);
            bench.island.spent -= kept;
            let may_split = splits && !bench.island.is_spent();
            let mut rough = !near;
            self.soft = rough && joints && !may_split;
            if self.soft {
                bench.island.step.biased.put(&self.kept);
                self.soften(bench, h, &mut poses);
            }
            if near || self.soft {
                let mut stats = self.find_velocities(bounce, bench, h);
                let failed = self.failed || stats.status != Status::Converged;
                let pays = self.pays || failed || !bench.island.step.manifolds.is_empty();
                rough |= may_split && self.loses_much(bench.island.step);
                rough |= !joints && self.gains_much(bench.island.step, h);
                self.settle(bench.island, pays && joints, h, &mut stats);
                velocities.get_or_insert_default().add(&stats);
            }
            if rough && !joints {
                bench.island.step.biased.put(&self.kept);
                bench.island.step.biased.scale(2.0 / part);
                self.put_back(bench.island.step);
                return None;
            }
            if rough && may_split {
                part *= 0.5;
                bench.island.step.biased.put(&self.kept);
                bench.island.step.biased.scale(0.5);
                continue;
            }
            join_parts(&mut biased, poses.take());
            join_parts(&mut relaxed, velocities.take());
            self.spent[0].add(&bench.island.step.biased);
            self.spent[1].add(&bench.island.step.relaxed);
            left -= part;
            if left > 0.5 * part {
                self.next(bench.island.step, h);
                if bench.island.is_overdrawn() {
                    // The rest in one go.
                    bench.island.step.biased.scale(left / part);
                    part = left;
                }
            }
        }
        self.end(bench.island);
        let (mut biased, last) = (biased.unwrap_or_default(), relaxed.unwrap_or_default());
        if self.failed {
            biased.status = Status::IterationLimit;
        }
        let (carried, softened) = (last.certificate, self.failed);
        let rest = Outcome::default();
        Some(Outcome { method, biased, relaxed, carried, softened, flown: true, ..rest })
    }

    /// Takes up the bodies, the joints and the problem as it is.
    fn begin(&mut self, island: &Island<'_, '_>) {
        let (step, sources) = (&*island.step, island.sources);
        fill_from(&mut self.members, step.members.iter().map(|&i| Member::new(sources, i)));
        self.blocks.clear();
        self.blocks.extend_from_slice(step.bodies);
        self.rows.clear();
        self.rows.extend_from_slice(step.joints);
        self.push.clear();
        self.push.extend_from_slice(step.joint_push);
        self.manifolds.clear();
        self.manifolds.extend_from_slice(step.manifolds);
        contact::straighten(island, &mut self.manifolds);
        contact::take_up(island, &mut self.touches);
        fill_from(&mut self.gaps, step.manifolds.iter().map(|m| m.gap));
        for (spent, of) in self.spent.iter_mut().zip([&step.biased, &step.relaxed]) {
            spent.take(of);
            spent.clear_impulses();
        }
        self.links.clear();
        let mut row = 0;
        while row < step.joint_source.len() {
            let first = row;
            let j = step.joint_source[row][0];
            while row < step.joint_source.len() && step.joint_source[row][0] == j {
                row += 1;
            }
            self.links.push(link(sources, step.members, j, [first, row]));
        }
        self.failed = false;
        [self.pays, self.keeps] = self.begins(island);
    }

    /// In how many parts the step is made.
    fn parts(&self, island: &Island<'_, '_>) -> Double {
        // Where bodies touch, only those steps that cannot be solved whole.
        if !island.step.manifolds.is_empty() && !island.step.joints.is_empty() {
            return 1.0;
        }
        let fastest = self.members.iter().map(|m| m.angular().length()).fold(0.0, Double::max);
        (island.dt * fastest / TURN_MAX).ceil().clamp(1.0, PARTS_MAX)
    }

    /// Newton's method for the poses of the end; leaves half impulses in the biased unknowns. Did it come
    /// near? What may be split is given up as soon as joints are further off than after the first pass: the
    /// problems of bodies that turn too far cost the most, and lead nowhere.
    fn find_poses(
        &mut self,
        bench: &mut Bench<'_, '_, '_>,
        h: Double,
        splits: bool,
        total: &mut Option<SolveStats>,
    ) -> bool {
        let Bench { state, island, by: solve } = bench;
        self.find_late(island, h);
        fill_from(&mut self.plain, self.members.iter().map(|m| m.block(m.rotation, h, 1.0)));
        self.approach(island, h);
        self.aim(island, h);
        self.foresee(h);
        self.turn(island, h);
        let joints = !island.step.joints.is_empty();
        let near = if joints { NEAR } else { 1.0 } * island.settings.solver.tolerance;
        let (mut error, mut first) = (Double::INFINITY, None);
        for left in (0..PASSES_MAX).rev() {
            let last = error;
            self.pose(island, h);
            let mut stats = solve(state, island, false);
            self.add_up(island.step);
            self.foresee_turn(island.step);
            self.fly(h);
            error = self.turn(island, h);
            let diverges = splits && error > *first.get_or_insert(error);
            self.add_up(island.step);
            let (arms, blow) = self.mismatch(island.step, near);
            let part = if joints { blow } else { 1.0 };
            error = error.max(part * arms.max(self.astray));
            let finite = |member: &Member| member.mean.iter().all(|x| x.is_finite());
            if !self.members.iter().all(finite) {
                error = Double::INFINITY;
            }
            stats.certificate.joint = stats.certificate.joint.max(error);
            stats.certificate.motion = stats.certificate.motion.max(arms);
            if error > near {
                stats.status = Status::IterationLimit;
            }
            total.get_or_insert_default().add(&stats);
            // What does not come near in two more passes, as it falls now, is given up.
            let falls = (0..left.min(2)).fold(error, |e, _| e * (error / last)) <= near;
            let goes_on = !joints || left + PASSES > PASSES_MAX || falls;
            if error <= near || error > OPEN || diverges || island.is_spent() || !goes_on {
                break;
            }
        }
        let mut stopped: Double = 0.0;
        for (member, v) in self.members.iter_mut().zip(&mut *island.step.biased.velocity) {
            if *v == [0.0; 6] {
                // Contacts hold it fast.
                stopped = member.mean.iter().fold(stopped, |most, x| most.max(x.abs()));
                member.stand();
            }
            *v = member.mean;
        }
        if let Some(stats) = total {
            stats.certificate.motion = stats.certificate.motion.max(stopped);
        }
        error <= near
    }

    /// Where Newton's method does not come near: one problem with the rows of the start, in which the
    /// geometric stiffness of the loads counts as inertia. It is stable and swallows angular momentum; the
    /// step is not solved.
    fn soften(&mut self, bench: &mut Bench<'_, '_, '_>, h: Double, total: &mut Option<SolveStats>) {
        let Bench { state, island, by: solve } = bench;
        self.approach(island, h);
        self.pose_start(island, h);
        island.step.biased.scale(2.0);
        let mut stats = solve(state, island, false);
        island.step.biased.scale(0.5);
        self.failed = true;
        let (step, settings) = (&mut *island.step, island.settings);
        self.lend(settings, step.bodies, &mut step.biased, h);
        for (member, v) in self.members.iter_mut().zip(&*step.biased.velocity) {
            member.go_with(v, h);
        }
        for link in &mut self.links {
            link.find_end(&self.members, island.sources.joints, h);
            // Turned, its rows are not those that were solved.
            let joint = &island.sources.joints[link.joint as usize];
            for i in link.rows[0]..link.rows[1] {
                let row = &self.rows[i];
                if matches!(step.joint_aim[i], Aim::Place(_)) && is_lock(row) && !row.is_bounded() {
                    let slot = step.joint_source[i][1] as usize;
                    let left = (joint.at(&link.to, slot).0 - self.aims[i]) / h;
                    stats.certificate.joint = stats.certificate.joint.max(left.abs());
                }
            }
        }
        total.get_or_insert_default().add(&stats);
    }

    /// The velocities at the end of the part; leaves whole impulses in the relaxed unknowns.
    fn find_velocities(
        &mut self,
        bounce: &mut BounceScratch,
        bench: &mut Bench<'_, '_, '_>,
        h: Double,
    ) -> SolveStats {
        bench.island.step.press_on();
        self.pose_end(bench.island, h);
        let stats = bounce.solve(bench).unwrap_or_else(|| {
            self.close(bench.island, h);
            bench.solve(true)
        });
        let step = &mut *bench.island.step;
        for i in 0..step.joints.len() {
            if !matches!(step.joint_aim[i], Aim::Rate(_)) {
                step.relaxed.joint_impulse[i] += 2.0 * step.biased.joint_impulse[i];
            }
        }
        stats
    }

    /// Goes on to the next part.
    fn next(&mut self, step: &IslandStep<'_>, h: Double) {
        for (m, gap) in step.manifolds.iter().zip(&mut self.gaps) {
            for lane in 0..m.count as usize {
                gap[lane] += self.touches[m.first as usize + lane].closes(m, lane, h);
            }
        }
        self.touches.iter_mut().for_each(|touch| touch.go_on(&self.members));
        for (member, velocity) in self.members.iter_mut().zip(&*step.relaxed.velocity) {
            member.go_on(velocity);
        }
        self.links.iter_mut().for_each(|link| link.go_on(h));
    }

    /// Writes how the bodies moved, and puts the problem back.
    fn end(&mut self, island: &mut Island<'_, '_>) {
        let (step, dt) = (&mut *island.step, island.dt);
        for (member, v) in self.members.iter().zip(&mut *step.biased.velocity) {
            let linear = (member.to.0 - member.start.center) / dt;
            let angular =
                turn_between(member.start.rotation, member.to.1, split(&member.mean).1 * dt);
            *v = join(linear, angular / dt);
        }
        self.put_back(step);
        let [half, whole] = &self.spent;
        step.biased.put_impulses(half);
        step.relaxed.put_impulses(whole);
        *step.at_end = true;
    }

    /// Puts the problem back.
    fn put_back(&mut self, step: &mut IslandStep<'_>) {
        step.bodies.copy_from_slice(&self.blocks);
        step.joints.swap_with_slice(&mut self.rows);
        step.joint_push.copy_from_slice(&self.push);
        step.manifolds.copy_from_slice(&self.manifolds);
    }
}

/// Adds a part of the step: the worse of both counts.
fn join_parts(sum: &mut Option<SolveStats>, part: Option<SolveStats>) {
    let Some(part) = part else { return };
    let before = sum.unwrap_or_default();
    let sum = sum.get_or_insert_default();
    sum.add(&part);
    sum.certificate = sum.certificate.worse(before.certificate);
    if before.status != Status::Converged {
        sum.status = before.status;
    }
}

impl IslandStep<'_> {
    /// Did a lock yield in the last step?
    pub(super) fn is_pressed(&self) -> bool {
        let mut rows = self.joints.iter().zip(self.joint_aim).zip(&*self.biased.joint_impulse);
        rows.any(|((row, aim), c)| {
            matches!(aim, Aim::Place(_)) && is_lock(row) && is_at_bound(row.bounds, 2.0 * c)
        })
    }

    /// What is pressed is so at the end as on the way: another stress of contacts and joints that together
    /// hold more than there is to hold would be as good, but far away.
    fn press_on(&mut self) {
        let mut rows = self.joints.iter().zip(&*self.biased.joint_impulse);
        if rows.any(|(row, c)| is_at_bound(row.bounds, *c)) {
            let pairs = self.relaxed.contact_impulse.iter_mut().zip(&*self.biased.contact_impulse);
            pairs.for_each(|(whole, half)| *whole = half.map(|c| 2.0 * c));
        }
    }
}

/// Is an impulse at a bound that is not zero?
fn is_at_bound(bounds: [Double; 2], c: Double) -> bool {
    let at = |bound: Double| {
        bound.is_finite() && bound != 0.0 && (c - bound).abs() <= ROUNDED * bound.abs()
    };
    bounds.into_iter().any(at)
}
