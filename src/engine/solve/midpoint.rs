//! Islands with joints: the implicit midpoint rule on the constraint manifold.
//!
//! Input: an island's bodies, contacts and joints at the start of the step. Output: how its bodies move, the
//! velocities they keep, impulses. With the half impulses `λ` of all rows, rows `J̄` half way between the poses of
//! the start and of the end, and forces `k`,
//!
//! ```text
//! M (u - v) = h k/2 + J̄ᵀ λ            u moves the bodies: q⁺ = q + h u
//! Θ(q⁺) = Θ(q) - γ Θ(q)               locks; limits and contacts alike, with their bounds and cones
//! v⁺ = v + M⁻¹ (h k + 2 J̄ᵀ λ) + M⁻¹ J(q⁺)ᵀ μ,    J(q⁺) v⁺ = 0
//! ```
//!
//! Impulses act at the mean of an anchor's places, along which the bodies move (`Place::middle`): so joints do no
//! work, and opposite impulses have one point, which keeps the angular momentum. Loaded links that turn against
//! each other are stable at any load, without damping. (Gonzalez, Physica D 132 (1999); Betsch & Steinmann, Int. J.
//! Numer. Meth. Eng. 53 (2002); free rotation as in [`spin`](crate::engine::predict::spin).)
//!
//! The first two equations are solved by Newton's method, each step of which is a step problem of the form (5.1)
//! for the method at hand: its blocks are `M` and half the geometric stiffness of the loads (`stiffness.rs`), by
//! which torques change as the arms turn; what remains of the joints is published with the certificate. The third
//! is a second problem, at the pose of the end, where closed contacts and limits ask for no approach; where bodies
//! bounce it is that of `bounce.rs`. Without contacts a step in which a body turns by more than [`TURN_MAX`] is
//! made in parts. Cost: a place and its rows for each joint and Newton step; two to four of those.

use super::super::assemble::joints::wrench;
use super::super::assemble::mask;
use super::super::assemble::{IslandStep, IslandUnknowns, Sources, Unknowns};
use super::super::body::LockedAxes;
use super::super::joint::{Aim, End, Joint, Place, half_way};
use super::super::lcp::certificate::Certificate;
use super::super::lcp::manifold::Lanes;
use super::super::lcp::rows::{dot3, dot6, inverse_mass_mul, mass_mul};
use super::super::lcp::{BodyBlock, JointRow, SolveStats, Status, Vec6};
use super::super::predict::spin::{Rotor, is_round, turn_between};
use super::Solvers;
use super::bounce::Solve;
use super::island::{Island, Outcome};
use super::stiffness::{self, Sym};
use crate::engine::lcp::Method;
use crate::math::{DVec3, Double, quat_exp_double, quat_mul_double, widen, widen3};

/// Newton steps; a joint that is not where it should be then is drawn there in the next step.
const PASSES: u32 = 6;
/// Largest turn of a part of the step (rad): Newton's method gains a factor of about its inverse a step.
const TURN_MAX: Double = 0.35;
/// Most parts: beyond eight radians a step joints are held less well.
const PARTS_MAX: Double = 16.0;
/// Largest part of the energy that a part of the step may lose as its velocities are made to fit the joints (–): in
/// ten seconds at 60 Hz it sums to less than a hundredth.
const LOSS_MAX: Double = 1e-5;
/// Speed (m/s) below which nobody minds that.
const STILL: Double = 1e-2;
/// Arms are near enough in a blow when they are off by this part of it (–).
const ARMS: Double = 1e-3;
/// Newton's method ends at a residual of so many tolerances of the solver: what it leaves is seen by the next step.
const NEAR: Double = 10.0;
/// Bias of a contact or limit that is open at the end of the step [m/s]: faster than anything.
const OPEN: Double = 1e6;
/// Softness of rows that have given their impulse already.
const GIVEN: Double = 1e30;

/// A body on its way through the step.
#[derive(Clone, Debug)]
struct Member {
    /// Where it began the step.
    start: End,
    /// None if its inertia is round, or a rotation is locked.
    rotor: Option<Rotor>,
    mass: Double,
    locked: LockedAxes,
    /// World inertia and its inverse of those without a rotor.
    inertia: [Sym; 2],
    /// Damping of both velocities (1/s).
    damping: [Double; 2],
    /// Acceleration by forces [m/s²]; torque [N·m], of those without a rotor angular acceleration.
    force: [DVec3; 2],
    /// State at the start of the part: center, rotation, velocity, angular velocity or momentum.
    center: DVec3,
    rotation: [Double; 4],
    velocity: DVec3,
    spin: DVec3,
    /// Where it ends the part, and by which mean velocity.
    to: (DVec3, [Double; 4]),
    mean: Vec6,
}

impl Member {
    fn new(sources: &Sources<'_>, i: u32) -> Self {
        let (body, motion) = (&sources.bodies[i as usize], &sources.motions[i as usize]);
        let h = widen(sources.dt);
        let damping = [body.linear_damping, body.angular_damping].map(|d| widen(d.max(0.0)));
        let [f, g] = damping.map(|d| 1.0 + h * d);
        // The mean is the velocity at the start and half of what comes in the step.
        let begin = |mean, lead| widen3(mean) - widen3(lead);
        let velocity = begin(motion.linear, motion.lead[0]);
        let gain = (widen3(motion.lead[0]) * 2.0 + velocity) * f - velocity;
        let plain = body.locked_axes.locks_rotation() || is_round(body.inertia());
        let (spin, turn) = if plain {
            let spin = begin(motion.angular, motion.lead[1]);
            (spin, (widen3(motion.lead[1]) * 2.0 + spin) * g - spin)
        } else {
            let [middle, end] = motion.momentum.map(widen3);
            let spin = middle * 2.0 - end;
            (spin, end * g - spin)
        };
        let tensor = |s: crate::math::SymMat3, factor: Double| -> Sym {
            [s.xx, s.yy, s.zz, s.xy, s.xz, s.yz].map(|x| widen(x) * factor)
        };
        let start = End::of(body);
        Self {
            start,
            rotor: (!plain).then(|| Rotor::new(body)),
            mass: widen(body.mass()),
            locked: body.locked_axes,
            inertia: [tensor(motion.inertia, 1.0 / g), tensor(motion.inverse_inertia, g)],
            damping,
            force: [gain / h, turn / h],
            center: start.center,
            rotation: start.rotation,
            velocity,
            spin,
            to: (start.center, start.rotation),
            mean: [0.0; 6],
        }
    }

    /// Angular velocity at the start of the part [rad/s].
    fn angular(&self) -> DVec3 {
        self.rotor.map_or(self.spin, |rotor| rotor.with(self.rotation).velocity(self.spin))
    }

    /// Velocity and angular velocity or momentum after `h` seconds with these impulses.
    fn pushed(&self, impulse: &Vec6, h: Double) -> [DVec3; 2] {
        let [f, g] = self.damping.map(|d| 1.0 + h * d);
        let (push, turn) = split(impulse);
        let push = self.filter(push / self.mass);
        let turn = match self.rotor {
            Some(_) => turn,
            None => stiffness::times(&self.inertia[1], turn),
        };
        [(self.velocity + self.force[0] * h + push) / f, (self.spin + self.force[1] * h + turn) / g]
    }

    fn filter(&self, v: DVec3) -> DVec3 {
        let keep = |axis, x| if self.locked.translation(axis) { 0.0 } else { x };
        DVec3::new(keep(0, v.x), keep(1, v.y), keep(2, v.z))
    }

    /// Moves for `h` seconds under these half impulses.
    fn fly(&mut self, half: &Vec6, h: Double) {
        let [velocity, spin] = self.pushed(&half.map(|x| 2.0 * x), h);
        let linear = (self.velocity + velocity) * 0.5;
        let middle = (self.spin + spin) * 0.5;
        let angular = match self.rotor {
            Some(rotor) => rotor.with(self.rotation).fly(middle, DVec3::ZERO, h).mean,
            None => middle,
        };
        let turn = quat_exp_double(angular * h);
        self.to = (self.center + linear * h, quat_mul_double(turn, self.rotation));
        self.mean = join(linear, angular);
    }

    /// Stays where it is.
    fn stand(&mut self) {
        (self.to, self.mean) = ((self.center, self.rotation), [0.0; 6]);
    }

    /// Goes on from the end of a part with these velocities.
    fn go_on(&mut self, velocity: &Vec6) {
        (self.center, self.rotation) = self.to;
        let angular;
        (self.velocity, angular) = split(velocity);
        self.spin = self.rotor.map_or(angular, |rotor| rotor.with(self.rotation).momentum(angular));
    }

    /// Mass block at a rotation, with damping, and `added` to its inertia; the velocity is to be filled in.
    fn block(&self, rotation: [Double; 4], added: Option<&Sym>, h: Double) -> BodyBlock {
        let [f, g] = self.damping.map(|d| 1.0 + h * d);
        let free = [0, 1, 2].map(|axis| !self.locked.translation(axis));
        let mass = f * self.mass;
        let mut inertia = match self.rotor {
            Some(rotor) => rotor.with(rotation).tensor(),
            None => self.inertia[0],
        };
        inertia = inertia.map(|x| g * x);
        let mut inverse = self.inertia[1].map(|x| x / g);
        if let Some(added) = added {
            let turns = [0, 1, 2].map(|axis| !self.locked.rotation(axis));
            for (k, [row, column]) in stiffness::PLACES.into_iter().enumerate() {
                // A locked axis neither gives way nor couples the others.
                if turns[row] && turns[column] {
                    inertia[k] += added[k];
                }
            }
        }
        if self.rotor.is_some() || added.is_some() {
            inverse = stiffness::inverse(&inertia);
            for axis in (0..3).filter(|&axis| self.locked.rotation(axis)) {
                inverse[axis] = 0.0;
            }
        }
        BodyBlock {
            mass: free.map(|free| if free { mass } else { 1.0 }),
            inertia,
            inverse_mass: free.map(|free| if free { 1.0 / mass } else { 0.0 }),
            inverse_inertia: inverse,
            velocity_free: [0.0; 6],
        }
    }
}

/// A joint of the island.
#[derive(Clone, Debug)]
struct Link {
    joint: u32,
    /// Its rows: the first, and behind the last.
    rows: [usize; 2],
    /// Members of the island at its ends.
    members: [Option<u32>; 2],
    /// Where ends begin the part that are bodies, and velocities of those that are not of the island.
    ends: [Option<End>; 2],
    /// Where it is at the start and at the end of the part.
    from: Place,
    to: Place,
}

/// Buffers; their content never influences a result.
#[derive(Debug, Default)]
pub(super) struct MidpointScratch {
    members: Vec<Member>,
    links: Vec<Link>,
    /// What the problem was before: blocks, joint rows, their pushes, biases of contacts.
    blocks: Vec<BodyBlock>,
    rows: Vec<JointRow>,
    push: Vec<Double>,
    bias: Vec<Lanes>,
    /// Half impulses on the bodies by which they flew.
    half: Vec<Vec6>,
    /// The same for the rows at hand.
    sum: Vec<Vec6>,
    /// By what torques change with a turn of each body.
    load: Vec<Sym>,
    /// Half impulses and whole ones of the parts so far; half ones as a part began.
    spent: [Unknowns; 2],
    kept: Unknowns,
    /// Gaps of the contacts as a part begins (m).
    gaps: Vec<Lanes>,
    /// Whole impulses that a half one gives (–).
    given: Double,
}

impl Solvers {
    /// Solves an island with joints.
    pub(super) fn midpoint(
        &mut self,
        island: &mut Island<'_, '_>,
        method: Method,
        solve: &mut Solve<'_>,
    ) -> Outcome {
        let mut midpoint = core::mem::take(&mut self.midpoint);
        let outcome = midpoint.run(self, island, method, solve);
        self.midpoint = midpoint;
        outcome
    }
}

impl MidpointScratch {
    fn run(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        method: Method,
        solve: &mut Solve<'_>,
    ) -> Outcome {
        self.begin(island);
        let mut left = 1.0;
        let mut part = 1.0 / self.parts(island);
        let splits = island.step.manifolds.iter().all(|m| m.restitution <= 0.0);
        island.step.biased.scale(part);
        let (mut biased, mut relaxed) = (None, None);
        while left > 0.5 * part {
            let h = part * island.dt;
            self.kept.take(&island.step.biased);
            let near = self.find_poses(state, island, solve, h, &mut biased);
            let may_split = splits && part * PARTS_MAX > 1.5;
            let mut rough = !near;
            if near || !may_split {
                // What is not solved gives back less than it took.
                self.given = if near { 2.0 } else { 1.0 };
                add(&mut relaxed, self.find_velocities(state, island, solve, h));
                rough |= may_split && self.loses_much(island.step);
            }
            if rough && may_split {
                part *= 0.5;
                island.step.biased.put(&self.kept);
                island.step.biased.scale(0.5);
                continue;
            }
            self.spent[0].add(&island.step.biased);
            self.spent[1].add(&island.step.relaxed);
            left -= part;
            if left > 0.5 * part {
                self.next(island.step, h);
            }
        }
        self.end(island);
        let (biased, last) = (biased.unwrap_or(NOTHING), relaxed.unwrap_or(NOTHING));
        Outcome { method, biased, relaxed, carried: last.certificate, beyond_lemke: false }
    }

    /// Takes up the bodies, the joints and the problem as it is.
    fn begin(&mut self, island: &Island<'_, '_>) {
        let (step, sources) = (&*island.step, island.sources);
        self.members.clear();
        self.members.extend(step.members.iter().map(|&i| Member::new(sources, i)));
        self.blocks.clear();
        self.blocks.extend_from_slice(step.bodies);
        self.rows.clear();
        self.rows.extend_from_slice(step.joints);
        self.push.clear();
        self.push.extend_from_slice(step.joint_push);
        self.bias.clear();
        self.bias.extend(step.manifolds.iter().map(|m| m.bias));
        self.gaps.clear();
        self.gaps.extend(step.manifolds.iter().map(|m| m.gap));
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
    }

    /// In how many parts the step is made.
    fn parts(&self, island: &Island<'_, '_>) -> Double {
        // Where bodies touch, only those steps that cannot be solved whole.
        if !island.step.manifolds.is_empty() {
            return 1.0;
        }
        let fastest = self.members.iter().map(|m| m.angular().length()).fold(0.0, Double::max);
        (island.dt * fastest / TURN_MAX).ceil().clamp(1.0, PARTS_MAX)
    }

    /// Newton's method for the poses of the end; leaves half impulses in the biased unknowns. Did it come near?
    fn find_poses(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
        h: Double,
        total: &mut Option<SolveStats>,
    ) -> bool {
        self.approach(island, h);
        self.add_up(island.step);
        self.fly(h);
        self.turn(island, h);
        let tolerance = island.settings.solver.tolerance;
        let mut error = Double::INFINITY;
        for _ in 0..PASSES {
            self.pose(island, h);
            let mut stats = solve(state, island, false);
            self.add_up(island.step);
            self.foresee_turn(island.step);
            self.fly(h);
            error = self.turn(island, h);
            self.add_up(island.step);
            error = error.max(self.mismatch(island.step, NEAR * tolerance));
            stats.certificate.joint = stats.certificate.joint.max(error);
            if error > NEAR * tolerance {
                stats.status = Status::IterationLimit;
            }
            add(total, stats);
            if error <= NEAR * tolerance {
                break;
            }
        }
        for (member, v) in self.members.iter_mut().zip(&mut *island.step.biased.velocity) {
            if *v == [0.0; 6] {
                // Contacts hold it fast.
                member.stand();
            }
            *v = member.mean;
        }
        error <= NEAR * tolerance
    }

    /// Biases of the contacts for a part: what is apart may close in it, what overlaps is pushed as ever.
    fn approach(&self, island: &mut Island<'_, '_>, h: Double) {
        let lists = self.bias.iter().zip(&self.gaps);
        for (m, (bias, gap)) in island.step.manifolds.iter_mut().zip(lists) {
            for lane in 0..m.count as usize {
                let aim = m.gap[lane] - island.dt * bias[lane];
                m.bias[lane] = bias[lane].min((gap[lane] - aim).max(0.0) / h);
                if bias[lane] >= 0.0 {
                    m.bias[lane] = (gap[lane] - aim).max(0.0) / h;
                }
            }
        }
    }

    /// Sums the half impulses of all rows at hand.
    fn add_up(&mut self, step: &IslandStep<'_>) {
        self.sum.clear();
        self.sum.resize(step.bodies.len(), [0.0; 6]);
        for (row, c) in step.joints.iter().zip(&*step.biased.joint_impulse) {
            for (i, terms) in &row.terms {
                let sum = &mut self.sum[*i as usize];
                (0..6).for_each(|k| sum[k] += terms[k] * c);
            }
        }
        for m in &*step.manifolds {
            for lane in 0..m.count as usize {
                let impulse = step.biased.contact_impulse[m.first as usize + lane];
                m.add_impulse(lane, impulse, &mut self.sum);
            }
        }
        super::bounce::each_rolling(step, |row, m, k| {
            let impulse = &step.biased.rolling_impulse[k];
            for (i, rows) in [(m.a, &row.jacobian_a), (m.b, &row.jacobian_b)] {
                if let Some(sum) = self.sum.get_mut(i as usize) {
                    for (terms, c) in rows.iter().zip(impulse) {
                        (0..6).for_each(|k| sum[k] += terms[k] * c);
                    }
                }
            }
        });
    }

    /// Takes from them by what torques change as the arms turn on.
    fn foresee_turn(&mut self, step: &IslandStep<'_>) {
        let lists = self.members.iter().zip(&*step.biased.velocity).zip(&self.load);
        for (sum, ((member, new), load)) in self.sum.iter_mut().zip(lists) {
            let (_, turn) = split(&core::array::from_fn(|k| new[k] - member.mean[k]));
            let change = stiffness::times(load, turn);
            (0..3).for_each(|k| sum[3 + k] -= change[k]);
        }
    }

    /// Moves the bodies by those impulses.
    fn fly(&mut self, h: Double) {
        core::mem::swap(&mut self.half, &mut self.sum);
        for (member, half) in self.members.iter_mut().zip(&self.half) {
            member.fly(half, h);
        }
    }

    /// Largest velocity by which the impulses of the rows at hand differ from those by which the bodies flew [m/s],
    /// in a blow relative to what they change.
    fn mismatch(&self, step: &IslandStep<'_>, near: Double) -> Double {
        let (mut worst, mut change_max): (Double, Double) = (0.0, 0.0);
        for ((block, half), sum) in step.bodies.iter().zip(&self.half).zip(&self.sum) {
            let change: Vec6 = core::array::from_fn(|k| sum[k] - half[k]);
            let velocity = inverse_mass_mul(block, &change);
            // Turns at the radius of gyration.
            let [xx, yy, zz, ..] = block.inertia;
            let radius = ((xx + yy + zz) / (3.0 * block.mass[0])).sqrt();
            let (linear, angular) = split(&velocity);
            worst = worst.max(linear.length()).max(radius * angular.length());
            let pushed = inverse_mass_mul(block, half);
            change_max = change_max.max(split(&pushed).0.length());
        }
        worst * (near / (ARMS * change_max).max(near)).min(1.0)
    }

    /// Where every joint comes to, and rows for the way: sides half way, biases by which they reach their aims.
    /// Returns how far joints are from them, over the step [m/s or rad/s].
    fn turn(&mut self, island: &mut Island<'_, '_>, h: Double) -> Double {
        let (step, joints) = (&mut *island.step, island.sources.joints);
        let mut worst: Double = 0.0;
        for link in &mut self.links {
            let joint = &joints[link.joint as usize];
            let ends = link.ends(&self.members, h);
            link.to = Place::new(joint.desc.kind, &joint.desc.frames, &ends);
            let middle = Place::middle(&link.from, &link.to);
            for i in link.rows[0]..link.rows[1] {
                let slot = step.joint_source[i][1] as usize;
                let sides = match step.joint_aim[i] {
                    Aim::Rate(_) | Aim::Damper(_) => joint.rate_rows(&middle, slot % 6),
                    _ => joint.at(&middle, slot).1,
                };
                let (row, old) = (&mut step.joints[i], &self.rows[i]);
                link.set_terms(row, &sides, &self.members);
                let moved: Double =
                    row.terms.iter().map(|(i, t)| dot6(t, &self.members[*i as usize].mean)).sum();
                let imposed = link.imposed(&sides);
                let c = step.biased.joint_impulse[i];
                row.softness = 2.0 * old.softness;
                row.bounds = old.bounds.map(|bound| bound * (0.5 * h / island.dt));
                match step.joint_aim[i] {
                    Aim::Place(aim) => {
                        let left = (joint.at(&link.to, slot).0 - aim) / h;
                        row.bounds = old.bounds;
                        row.bias = left - moved;
                        let holds = !old.is_bounded() || left < 0.0 || c != 0.0;
                        worst =
                            worst.max(if holds { (left + row.softness * c).abs() } else { 0.0 });
                    }
                    Aim::Rate(rate) => row.bias = imposed - rate,
                    Aim::Damper(rate) => {
                        row.bias = imposed - rate;
                        row.softness *= island.dt / h;
                    }
                    Aim::Spring => {
                        let (bias, softness) =
                            spring(joint, slot, [&link.from, &link.to], moved, h);
                        (row.bias, row.softness) = (bias, softness);
                    }
                }
                step.joint_push[i] = 0.0;
                step.joint_wrench[i] = wrench(&sides[1], middle.arms[1]);
            }
        }
        worst
    }

    /// Poses the next Newton step.
    fn pose(&mut self, island: &mut Island<'_, '_>, h: Double) {
        let step = &mut *island.step;
        self.load.clear();
        self.load.resize(self.members.len(), [0.0; 6]);
        for link in &self.links {
            let mut force = DVec3::ZERO;
            for i in link.rows[0]..link.rows[1] {
                force += step.joint_wrench[i][0] * step.biased.joint_impulse[i];
            }
            if force == DVec3::ZERO {
                continue;
            }
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(i) = link.members[side] {
                    let arm = (link.from.arms[side] + link.to.arms[side]) * 0.5;
                    let stiff = stiffness::of(arm, force * (sign * 0.5 * h));
                    stiffness::add(&mut self.load[i as usize], &stiff);
                }
            }
        }
        for (i, member) in self.members.iter().enumerate() {
            let middle = half_way(member.rotation, member.to.1);
            let plain = member.block(middle, None, h);
            let added = stiffness::kept_definite(&self.load[i], &plain.inertia);
            self.load[i] = added.unwrap_or_default();
            let mut block = match &added {
                Some(added) => member.block(middle, Some(added), h),
                None => plain,
            };
            let back = inverse_mass_mul(&block, &self.half[i]);
            block.velocity_free = core::array::from_fn(|k| member.mean[k] - back[k]);
            step.bodies[i] = block;
        }
    }

    /// The velocities at the end of the part; leaves whole impulses in the relaxed unknowns.
    fn find_velocities(
        &mut self,
        state: &mut Solvers,
        island: &mut Island<'_, '_>,
        solve: &mut Solve<'_>,
        h: Double,
    ) -> SolveStats {
        self.pose_end(island, h);
        let stats = match state.bounce(island, solve) {
            Some(stats) => stats,
            None => {
                self.close(island, h);
                let stats = solve(state, island, true);
                for (m, bias) in island.step.manifolds.iter_mut().zip(&self.bias) {
                    m.bias = *bias;
                }
                stats
            }
        };
        let step = &mut *island.step;
        for i in 0..step.joints.len() {
            let half = step.biased.joint_impulse[i];
            match step.joint_aim[i] {
                Aim::Place(_) => step.relaxed.joint_impulse[i] += self.given * half,
                Aim::Spring | Aim::Damper(_) => step.relaxed.joint_impulse[i] = self.given * half,
                Aim::Rate(_) => {}
            }
        }
        stats
    }

    /// Poses the problem of the velocities at the end: rows and inertia there, momentum by what locks and springs
    /// gave.
    fn pose_end(&mut self, island: &mut Island<'_, '_>, h: Double) {
        let (step, joints) = (&mut *island.step, island.sources.joints);
        let contact = &island.settings.contact;
        let zone = widen(contact.dead_zone) * island.dt * island.dt;
        self.sum.clear();
        self.sum.resize(step.bodies.len(), [0.0; 6]);
        for link in &self.links {
            let joint = &joints[link.joint as usize];
            for i in link.rows[0]..link.rows[1] {
                let (aim, old, row) = (step.joint_aim[i], &self.rows[i], &mut step.joints[i]);
                let half = step.biased.joint_impulse[i];
                let slot = step.joint_source[i][1] as usize;
                let is_lock = !old.is_bounded();
                let given = self.given * half;
                if !matches!(aim, Aim::Rate(_)) {
                    for (k, terms) in &row.terms {
                        let sum = &mut self.sum[*k as usize];
                        (0..6).for_each(|k| sum[k] += given * terms[k]);
                    }
                    step.relaxed.joint_impulse[i] = 0.0;
                }
                let (value, sides) = match aim {
                    Aim::Rate(_) | Aim::Damper(_) => (0.0, joint.rate_rows(&link.to, slot % 6)),
                    _ => joint.at(&link.to, slot),
                };
                link.set_terms(row, &sides, &self.members);
                let imposed = link.imposed(&sides);
                (row.softness, row.bounds) = (old.softness, old.bounds);
                match aim {
                    Aim::Place(aim) => {
                        let push = (joint.at(&link.from, slot).0 - aim).min(0.0) / h;
                        let push =
                            if is_lock { (joint.at(&link.from, slot).0 - aim) / h } else { push };
                        let push = if contact.relax { 0.0 } else { push };
                        let closed = is_lock || half > 0.0 || value <= zone;
                        row.bias = if closed { imposed + push } else { OPEN };
                        // All that was given may be taken back.
                        row.bounds = old.bounds.map(|bound| bound - given);
                    }
                    Aim::Rate(rate) => {
                        row.bias = imposed - rate;
                        row.bounds = old.bounds.map(|bound| bound * (h / island.dt));
                    }
                    Aim::Spring | Aim::Damper(_) => {
                        (row.bias, row.softness) = (0.0, GIVEN);
                        row.bounds = JointRow::UNBOUNDED;
                    }
                }
            }
        }
        for (i, member) in self.members.iter().enumerate() {
            let mut block = member.block(member.to.1, None, h);
            let [velocity, spin] = member.pushed(&self.sum[i], h);
            let rotor = member.rotor.map(|rotor| rotor.with(member.to.1));
            let angular = rotor.map_or(spin, |rotor| rotor.velocity(spin));
            block.velocity_free = join(velocity, angular);
            step.bodies[i] = block;
        }
    }

    /// Did the velocities lose much energy when they were made to fit the joints?
    fn loses_much(&self, step: &IslandStep<'_>) -> bool {
        if !step.manifolds.is_empty() || self.rows.iter().any(JointRow::is_bounded) {
            // Blows and stops take energy by nature.
            return false;
        }
        let (mut lost, mut all, mut still) = (0.0, 0.0, 0.0);
        for (block, v) in step.bodies.iter().zip(&*step.relaxed.velocity) {
            let change: Vec6 = core::array::from_fn(|k| v[k] - block.velocity_free[k]);
            lost += dot6(&change, &mass_mul(block, &change));
            all += dot6(v, &mass_mul(block, v));
            still += block.mass[0] * STILL * STILL;
        }
        // What is at rest trembles by the tolerance.
        lost > LOSS_MAX * all.max(still)
    }

    /// Contacts that are closed at the end ask for no approach, the others for nothing.
    fn close(&self, island: &mut Island<'_, '_>, h: Double) {
        let zone = widen(island.settings.contact.dead_zone) * island.dt * island.dt;
        let step = &mut *island.step;
        for (m, gap) in step.manifolds.iter_mut().zip(&self.gaps) {
            for lane in 0..m.count as usize {
                let impulse = &step.biased.contact_impulse[m.first as usize + lane];
                let speed = dot3(&m.normal, &m.velocity(lane, step.biased.velocity));
                let closed = dot3(&m.normal, impulse) > 0.0 || gap[lane] + h * speed <= zone;
                let bias = &mut m.bias[lane];
                *bias = if closed { bias.min(0.0) - m.push[lane] } else { OPEN };
            }
        }
    }

    /// Goes on to the next part.
    fn next(&mut self, step: &IslandStep<'_>, h: Double) {
        for (m, gap) in step.manifolds.iter().zip(&mut self.gaps) {
            for lane in 0..m.count as usize {
                gap[lane] += h * dot3(&m.normal, &m.velocity(lane, step.biased.velocity));
            }
        }
        for (member, velocity) in self.members.iter_mut().zip(&*step.relaxed.velocity) {
            member.go_on(velocity);
        }
        for link in &mut self.links {
            link.from = link.to;
        }
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
        step.bodies.copy_from_slice(&self.blocks);
        step.joints.clone_from_slice(&self.rows);
        step.joint_push.copy_from_slice(&self.push);
        for (m, bias) in step.manifolds.iter_mut().zip(&self.bias) {
            m.bias = *bias;
        }
        let [half, whole] = &self.spent;
        step.biased.put_impulses(half);
        step.relaxed.put_impulses(whole);
        *step.at_end = true;
    }
}

/// What nothing was solved with.
const NOTHING: SolveStats = SolveStats {
    status: Status::Converged,
    iterations: 0,
    factorizations: 0,
    work: 0.0,
    certificate: Certificate { natural_map: 0.0, relative: 0.0, gap: 0.0, joint: 0.0, motion: 0.0 },
};

/// Adds a later solve, whose certificate counts.
fn add(sum: &mut Option<SolveStats>, later: SolveStats) {
    let (mut iterations, mut factorizations, mut work) = (0, 0, 0.0);
    if let Some(before) = sum {
        (iterations, factorizations, work) =
            (before.iterations, before.factorizations, before.work);
    }
    *sum = Some(SolveStats {
        iterations: iterations + later.iterations,
        factorizations: factorizations + later.factorizations,
        work: work + later.work,
        ..later
    });
}

impl Unknowns {
    fn clear_impulses(&mut self) {
        self.joint_impulse.fill(0.0);
        self.contact_impulse.fill([0.0; 3]);
        self.rolling_impulse.fill([0.0; 3]);
    }

    /// Adds impulses.
    fn add(&mut self, one: &IslandUnknowns<'_>) {
        let sums = self.joint_impulse.iter_mut().zip(&*one.joint_impulse);
        sums.for_each(|(sum, c)| *sum += c);
        for (sums, list) in [
            (&mut self.contact_impulse, &*one.contact_impulse),
            (&mut self.rolling_impulse, &*one.rolling_impulse),
        ] {
            for (sum, c) in sums.iter_mut().zip(list) {
                (0..3).for_each(|k| sum[k] += c[k]);
            }
        }
    }
}

impl IslandUnknowns<'_> {
    /// Takes the impulses of a copy back.
    fn put_impulses(&mut self, one: &Unknowns) {
        self.joint_impulse.copy_from_slice(&one.joint_impulse);
        self.contact_impulse.copy_from_slice(&one.contact_impulse);
        self.rolling_impulse.copy_from_slice(&one.rolling_impulse);
    }

    /// Scales the impulses.
    fn scale(&mut self, factor: Double) {
        if factor != 1.0 {
            self.joint_impulse.iter_mut().for_each(|c| *c *= factor);
            let vectors = self.contact_impulse.iter_mut().chain(&mut *self.rolling_impulse);
            vectors.flatten().for_each(|c| *c *= factor);
        }
    }
}

fn split(v: &Vec6) -> (DVec3, DVec3) {
    (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]))
}

fn join(a: DVec3, b: DVec3) -> Vec6 {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

/// Takes up a joint of the island.
fn link(sources: &Sources<'_>, members: &[u32], j: u32, rows: [usize; 2]) -> Link {
    let joint = &sources.joints[j as usize];
    let bodies = sources.joint_bodies[j as usize];
    let member = |i: u32| members.binary_search(&i).ok().map(|k| k as u32);
    let ends = bodies.map(|i| {
        let body = sources.bodies.get(i as usize)?;
        let mut end = End::of(body);
        let motion = &sources.motions[i as usize];
        end.velocity = crate::engine::predict::vec6(motion.linear, motion.angular);
        Some(end)
    });
    let from = Place::new(joint.desc.kind, &joint.desc.frames, &ends);
    Link { joint: j, rows, members: bodies.map(member), ends, from, to: from }
}

impl Link {
    /// Where its ends come to.
    fn ends(&mut self, members: &[Member], h: Double) -> [Option<End>; 2] {
        [0, 1].map(|side| {
            let end = self.ends[side]?;
            Some(match self.members[side] {
                Some(i) => {
                    let (center, rotation) = members[i as usize].to;
                    end.at(center, rotation)
                }
                None => {
                    let (linear, angular) = split(&end.velocity);
                    let turn = quat_exp_double(angular * h);
                    end.at(end.center + linear * h, quat_mul_double(turn, end.rotation))
                }
            })
        })
    }

    /// Gives a row the sides of the members, without their locked directions.
    fn set_terms(&self, row: &mut JointRow, sides: &[Vec6; 2], members: &[Member]) {
        let ends = (0..2).filter_map(|side| Some((self.members[side]?, sides[side])));
        for ((_, terms), (i, side)) in row.terms.iter_mut().zip(ends) {
            *terms = mask(side, members[i as usize].locked.bits());
        }
    }

    /// Rate of a row by the velocities of ends that are not of the island.
    fn imposed(&self, sides: &[Vec6; 2]) -> Double {
        let ends = (0..2).filter(|&side| self.members[side].is_none());
        ends.filter_map(|side| Some(dot6(&sides[side], &self.ends[side]?.velocity))).sum()
    }
}

/// Bias and softness of the row of a spring by the half impulse, with the mean of its places and speeds.
fn spring(
    joint: &Joint,
    slot: usize,
    ends: [&Place; 2],
    moved: Double,
    h: Double,
) -> (Double, Double) {
    let Some(motor) = joint.desc.motors[slot % 6] else { return (0.0, GIVEN) };
    let [stiffness, damping] = [motor.stiffness, motor.damping].map(widen);
    let [from, to] = ends.map(|place| joint.at(place, slot).0);
    let total = damping + 0.5 * h * stiffness;
    let force = stiffness * 0.5 * (from + to) + damping * ((to - from) / h - widen(motor.velocity));
    (force / total - moved, 2.0 / (h * total))
}
