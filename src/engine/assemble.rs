//! Assembly of the step problem: the mixed LCP (5.1)–(5.2), island by island.
//!
//! Input: contacts of every pair, joints, free motion, islands. Output: [`StepProblem`]. Each contact
//! gives a normal row and two tangent rows; a joint one to six equality rows:
//!
//! ```text
//! normal   n · (v_b(p) - v_a(p)) + Δ ≥ 0     Δ = gap/h where apart, -min(γ |gap|/h, v_push) in overlap
//! joint    νᵀ v + Υ = 0                      Υ = γ Θ/h, |Υ| ≤ v_push + h ω² r
//! ```
//!
//! A pair may move its surfaces like a conveyor belt, which adds to the biases of the tangents. Contacts
//! of pairs with rolling or spinning resistance have [rolling rows](super::lcp::rolling) as well: the
//! bounds are a contact's own, so the sum over a manifold is right whatever its number of contacts.
//! Bodies of higher dominance enter the rows of those of lower as if they had infinite mass, with the
//! velocity they had.
//!
//! With the papers' events the point is the touching point x* of the scaled bodies and
//! `Δ = γ Φ̂ r D / h`: the thesis' row (4.17) times `r D`, which makes its multiplier an impulse in N·s
//! and leaves the friction bound `μ c_n` in the right units. All rows are in double precision.
//!
//! `push` remembers the part of each bias that must not stay in the carried velocity: the relaxed
//! problem is the same with it taken away.

mod rolling;

use smallvec::SmallVec;

use super::active::ActiveContact;
use super::body::Body;
use super::graph::{Islands, NO_ISLAND};
use super::joint::{Joint, JointKind};
use super::lcp::rolling::RollingRow;
use super::lcp::{BodyBlock, Cone, ContactRow, FIXED, JointRow, Problem, Vec6};
use super::pair::Pair;
use super::predict::{Motion, block, planar_axis, vec6};
use super::settings::{ActiveEvents, Settings};
use crate::math::{
    DVec3, Double, Real, Vec3, quat_conjugate, quat_log, quat_mul, quat_rotate, tangents, widen,
    widen3,
};

/// Unknowns of all islands, in the order of the rows.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    /// Velocity of every member of an island.
    pub velocity: Vec<Vec6>,
    /// Impulse of every joint row.
    pub joint_impulse: Vec<Double>,
    /// Impulse of every contact.
    pub contact_impulse: Vec<[Double; 3]>,
    /// Impulse of every rolling row.
    pub rolling_impulse: Vec<[Double; 3]>,
}

/// The step problem of all islands, and where its rows came from.
#[derive(Clone, Debug, Default)]
pub struct StepProblem {
    /// Blocks of the members of all islands, in the order of [`Islands::members`].
    pub bodies: Vec<BodyBlock>,
    /// Contact rows, island by island.
    pub contacts: Vec<ContactRow>,
    /// Rolling rows, island by island; each counts its contact from the first of its island.
    pub rolling: Vec<RollingRow>,
    /// Joint rows, island by island.
    pub joints: Vec<JointRow>,
    /// (pair, contact) of every contact row.
    pub contact_source: Vec<[u32; 2]>,
    /// (joint, row) of every joint row.
    pub joint_source: Vec<[u32; 2]>,
    /// Contact row of every rolling row.
    pub rolling_source: Vec<u32>,
    /// Length ℓ of every rolling row (m).
    pub rolling_length: Vec<Double>,
    /// Directions (normal, tangent 1, tangent 2) of every contact row.
    pub frames: Vec<[Vec3; 3]>,
    /// Part of the normal bias that is not carried on, one for each contact row.
    pub contact_push: Vec<Double>,
    /// Part of the bias that is not carried on, one for each joint row.
    pub joint_push: Vec<Double>,
    /// Contact rows of island `k`: `contact_start[k]..contact_start[k + 1]`.
    pub contact_start: Vec<u32>,
    /// Rolling rows of island `k`: `rolling_start[k]..rolling_start[k + 1]`.
    pub rolling_start: Vec<u32>,
    /// Joint rows of island `k`: `joint_start[k]..joint_start[k + 1]`.
    pub joint_start: Vec<u32>,
    /// Biased solve: moves the bodies.
    pub biased: Unknowns,
    /// Relaxed solve: the carried velocity.
    pub relaxed: Unknowns,
    /// Largest position error of a joint [m or rad].
    pub joint_error: Real,
    /// Island of every source, to sort the rows: (island, kind of source, index).
    order: Vec<[u32; 3]>,
}

/// Ranges of an island in members, contact rows, joint rows and rolling rows.
pub type IslandRanges = [core::ops::Range<usize>; 4];

/// What assembly reads.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// All bodies.
    pub bodies: &'a [Body],
    /// Their free motion.
    pub motions: &'a [Motion],
    /// Pairs with their contacts.
    pub pairs: &'a [Pair],
    /// All joints.
    pub joints: &'a [Joint],
    /// Indices of the two bodies of every joint.
    pub joint_bodies: &'a [[u32; 2]],
    /// Islands.
    pub islands: &'a Islands,
    /// Time step (s).
    pub dt: Real,
    /// This step's length over the last one's: warm starts scale by it.
    pub dt_ratio: Real,
}

impl StepProblem {
    /// The problem of island `k`.
    pub fn island(&self, k: usize, islands: &Islands, cone: Cone) -> Problem<'_> {
        let [members, contacts, joints, rolling] = self.ranges(k, islands);
        Problem {
            bodies: &self.bodies[members],
            joints: &self.joints[joints],
            contacts: &self.contacts[contacts],
            rolling: &self.rolling[rolling],
            cone,
        }
    }

    /// Ranges of island `k` in members, contact rows, joint rows and rolling rows.
    pub fn ranges(&self, k: usize, islands: &Islands) -> IslandRanges {
        let range = |start: &[u32]| start[k] as usize..start[k + 1] as usize;
        let [contacts, joints] = [&self.contact_start, &self.joint_start].map(|s| range(s));
        [range(&islands.start), contacts, joints, range(&self.rolling_start)]
    }

    /// Fills the problem.
    pub fn assemble(&mut self, sources: &Sources<'_>, settings: &Settings) {
        self.clear();
        for &i in &sources.islands.members {
            let (body, motion) = (&sources.bodies[i as usize], &sources.motions[i as usize]);
            self.bodies.push(block(body, motion));
            let last = vec6(body.linear_velocity, body.angular_velocity);
            self.biased.velocity.push(last);
            self.relaxed.velocity.push(last);
        }
        self.add_contacts(sources, settings);
        self.add_joints(sources, settings);
    }

    fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
        self.rolling.clear();
        self.joints.clear();
        self.contact_source.clear();
        self.joint_source.clear();
        self.rolling_source.clear();
        self.rolling_length.clear();
        self.frames.clear();
        self.contact_push.clear();
        self.joint_push.clear();
        self.contact_start.clear();
        self.joint_start.clear();
        self.rolling_start.clear();
        for unknowns in [&mut self.biased, &mut self.relaxed] {
            unknowns.velocity.clear();
            unknowns.joint_impulse.clear();
            unknowns.contact_impulse.clear();
            unknowns.rolling_impulse.clear();
        }
        self.joint_error = 0.0;
    }

    /// Contact rows, sorted by island, then pair, then contact.
    fn add_contacts(&mut self, sources: &Sources<'_>, settings: &Settings) {
        self.order.clear();
        for (p, pair) in sources.pairs.iter().enumerate() {
            let island = island_of(sources, pair.bodies);
            if island != NO_ISLAND {
                let contacts = 0..pair.contacts.len();
                self.order.extend(contacts.map(|c| [island, p as u32, c as u32]));
            }
        }
        self.order.sort_unstable();
        let order = core::mem::take(&mut self.order);
        start_of(&order, sources.islands.len(), &mut self.contact_start);
        self.rolling_start.resize(sources.islands.len() + 1, 0);
        for &[island, p, c] in &order {
            let pair = &sources.pairs[p as usize];
            let contact = &pair.contacts[c as usize];
            self.contact_source.push([p, c]);
            self.add_contact(sources, settings, pair, contact);
            if pair.rolling > 0.0 || pair.spinning > 0.0 {
                let first = self.contact_start[island as usize];
                self.add_rolling(sources, pair, contact, first);
            }
            self.rolling_start[island as usize + 1] = self.rolling.len() as u32;
        }
        // Islands without contacts start where the one before them ends.
        for k in 1..self.rolling_start.len() {
            self.rolling_start[k] = self.rolling_start[k].max(self.rolling_start[k - 1]);
        }
        self.order = order;
    }

    fn add_contact(
        &mut self,
        sources: &Sources<'_>,
        settings: &Settings,
        pair: &Pair,
        contact: &ActiveContact,
    ) {
        let frame = contact_frame(sources, pair, contact, settings);
        let mut row = ContactRow {
            a: FIXED,
            b: FIXED,
            jacobian_a: [[0.0; 6]; 3],
            jacobian_b: [[0.0; 6]; 3],
            bias: [0.0; 3],
            friction: widen(settings.contact.friction.unwrap_or(pair.friction)),
        };
        let pushed = pushed(sources, pair);
        let belt = widen3(pair.surface_velocity);
        for k in [1, 2] {
            row.bias[k] = widen3(frame[k]).dot(belt);
        }
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let i = pair.bodies[side] as usize;
            let arm = widen3(contact.arms[side]);
            let rows = frame.map(|direction| point_row(widen3(direction) * sign, arm));
            if pushed[side] {
                let locked = sources.bodies[i].locked_axes.bits();
                let rows = rows.map(|row| mask(row, locked));
                let local = sources.islands.local[i];
                if side == 0 {
                    (row.a, row.jacobian_a) = (local, rows);
                } else {
                    (row.b, row.jacobian_b) = (local, rows);
                }
            } else {
                let velocity = imposed(sources, i);
                for (bias, row) in row.bias.iter_mut().zip(rows) {
                    *bias += dot6(&row, &velocity);
                }
            }
        }
        let (bias, push) = normal_bias(contact, settings, sources.dt);
        row.bias[0] += bias;
        let motions = pair.bodies.map(|i| &sources.motions[i as usize]);
        let turns = |motion: &&Motion| !motion.moves && motion.angular != Vec3::ZERO;
        if settings.contact.active == ActiveEvents::Clipped && motions.iter().any(turns) {
            let curved = curve(motions, contact, sources.dt);
            row.bias[1] += widen3(frame[1]).dot(curved);
            row.bias[2] += widen3(frame[2]).dot(curved);
        }
        self.contacts.push(row);
        self.contact_push.push(push);
        self.frames.push(frame);
        let scale = widen(sources.dt_ratio);
        let directions = frame.map(widen3);
        let split = |impulse: DVec3| directions.map(|d| d.dot(impulse) * scale);
        self.biased.contact_impulse.push(split(contact.impulse[0]));
        self.relaxed.contact_impulse.push(split(contact.impulse[1]));
    }

    /// Joint rows, sorted by island, then joint.
    fn add_joints(&mut self, sources: &Sources<'_>, settings: &Settings) {
        self.order.clear();
        // A joint without bodies came after the step began.
        for (j, (joint, &bodies)) in sources.joints.iter().zip(sources.joint_bodies).enumerate() {
            let island = island_of(sources, bodies);
            if island != NO_ISLAND {
                self.order.extend((0..joint.rows()).map(|r| [island, j as u32, r as u32]));
            }
        }
        self.order.sort_unstable();
        let order = core::mem::take(&mut self.order);
        start_of(&order, sources.islands.len(), &mut self.joint_start);
        for &[_, j, r] in &order {
            self.joint_source.push([j, r]);
            self.add_joint_row(sources, settings, j as usize, r as usize);
        }
        self.order = order;
    }

    fn add_joint_row(&mut self, sources: &Sources<'_>, settings: &Settings, j: usize, r: usize) {
        let joint = &sources.joints[j];
        let bodies = sources.joint_bodies[j];
        let (error, rows) = joint_row(joint, bodies.map(|i| &sources.bodies[i as usize]), r);
        self.joint_error = self.joint_error.max(error.abs());
        let dt = widen(sources.dt);
        let full = widen(settings.contact.gamma) * widen(error) / dt;
        // Positions keep up with the curvature of the motion, however fast; beyond that a joint far apart
        // is drawn together at v_push.
        let cap = widen(settings.contact.push_speed_max) + dt * curvature(sources, j);
        let bias = full.clamp(-cap, cap);
        let kept = if settings.contact.relax { CARRIED_MAX } else { Double::INFINITY };
        let push = bias - bias.clamp(-kept, kept);
        let mut row = JointRow { terms: SmallVec::new(), bias };
        for (side, i) in bodies.into_iter().enumerate() {
            let (body, motion) = (&sources.bodies[i as usize], &sources.motions[i as usize]);
            if motion.moves {
                let term = mask(rows[side], body.locked_axes.bits());
                row.terms.push((sources.islands.local[i as usize], term));
            } else {
                row.bias += dot6(&rows[side], &vec6(motion.linear, motion.angular));
            }
        }
        self.joints.push(row);
        self.joint_push.push(push);
        let scale = widen(sources.dt_ratio);
        self.biased.joint_impulse.push(joint.impulse[0][r] * scale);
        self.relaxed.joint_impulse.push(joint.impulse[1][r] * scale);
    }
}

/// Joint bias that stays in the carried velocity (m/s). Within it the bias carries the curvature, and a
/// pendulum keeps its energy; more of it would whip a long chain up, less would slow it down.
const CARRIED_MAX: Double = 1.0;

/// Centripetal acceleration of the anchors of a joint about their centers (m/s²).
fn curvature(sources: &Sources<'_>, j: usize) -> Double {
    let desc = sources.joints[j].desc();
    let ends = sources.joint_bodies[j].into_iter().zip([desc.anchor_a, desc.anchor_b]);
    let sum = ends.map(|(i, anchor)| {
        let body = &sources.bodies[i as usize];
        let arm = (anchor - body.center_of_mass()).length();
        widen(body.angular_velocity.length_squared() * arm)
    });
    sum.sum()
}

/// Which bodies of a pair its impulses act on: those that move, but of two that move only the one of
/// lower dominance, to which the other is like a body with a velocity of its own.
fn pushed(sources: &Sources<'_>, pair: &Pair) -> [bool; 2] {
    let moves = pair.bodies.map(|i| sources.motions[i as usize].moves);
    let [a, b] = pair.bodies.map(|i| sources.bodies[i as usize].dominance);
    if moves == [true, true] { [a <= b, b <= a] } else { moves }
}

/// The velocity with which a body enters rows that do not push it: that of a kinematic body in this
/// step; of a dominant one the last, since what carries it keeps it from falling freely.
fn imposed(sources: &Sources<'_>, i: usize) -> Vec6 {
    let (body, motion) = (&sources.bodies[i], &sources.motions[i]);
    if motion.moves {
        vec6(body.linear_velocity, body.angular_velocity)
    } else {
        vec6(motion.linear, motion.angular)
    }
}

/// The island of two bodies, of which at least one moves; [`NO_ISLAND`] if none does.
fn island_of(sources: &Sources<'_>, bodies: [u32; 2]) -> u32 {
    let [a, b] = bodies.map(|i| sources.islands.island[i as usize]);
    if a == NO_ISLAND { b } else { a }
}

/// Start of each island in a list sorted by island.
fn start_of(order: &[[u32; 3]], islands: usize, start: &mut Vec<u32>) {
    start.clear();
    start.resize(islands + 1, 0);
    for &[island, ..] in order {
        start[island as usize + 1] += 1;
    }
    for k in 1..start.len() {
        start[k] += start[k - 1];
    }
}

/// Normal bias of a contact and the part of it that is not carried on.
fn normal_bias(contact: &ActiveContact, settings: &Settings, dt: Real) -> (Double, Double) {
    let c = &settings.contact;
    let (gamma, dt) = (widen(c.gamma), widen(dt));
    if matches!(c.active, ActiveEvents::Enumerated { .. }) {
        return (gamma * contact.row_gap / dt, 0.0);
    }
    let gap = contact.row_gap;
    if gap >= 0.0 {
        return (gap / dt, 0.0);
    }
    let depth = (-gap - widen(c.dead_zone) * dt * dt).max(0.0);
    let push = -(gamma * depth / dt).min(widen(c.push_speed_max));
    (push, if c.relax { push } else { 0.0 })
}

/// What the curvature of the paths adds to the mean relative velocity of a contact point over the step,
/// `h/2 (ω_b × (ω_b × r_b) - ω_a × (ω_a × r_a))` [m/s].
///
/// What a turning body carries follows a circle with it and not the tangent, on which it would creep
/// outwards by ω² r h² / 2 a step. Only for tangents: a roller turns on under what it moves.
fn curve(motions: [&Motion; 2], contact: &ActiveContact, dt: Real) -> DVec3 {
    let inward = |k: usize| {
        let spin = widen3(motions[k].angular);
        spin.cross(spin.cross(widen3(contact.arms[k])))
    };
    (inward(1) - inward(0)) * (0.5 * widen(dt))
}

/// Normal and tangents of a contact: in the plane of motion for planar bodies; along the slip for a
/// pyramid, whose corners then lie where friction acts; else along the world axes.
fn contact_frame(
    sources: &Sources<'_>,
    pair: &Pair,
    contact: &ActiveContact,
    settings: &Settings,
) -> [Vec3; 3] {
    let n = contact.normal;
    let [a, b] = pair.bodies.map(|i| &sources.motions[i as usize]);
    if let Some(axis) = planar_axis(a, b)
        && let Some(t1) = n.cross(axis).try_normalize()
    {
        return [n, t1, n.cross(t1)];
    }
    let aligned = settings.contact.active == ActiveEvents::Clipped
        && matches!(settings.solver.cone, Cone::Pyramid(_));
    if aligned {
        let slip =
            b.velocity_at(contact.arms[1]) - a.velocity_at(contact.arms[0]) + pair.surface_velocity;
        let slip = slip - n * n.dot(slip);
        if slip.length() > 1e-3
            && let Some(t1) = slip.try_normalize()
        {
            return [n, t1, n.cross(t1)];
        }
    }
    let (t1, t2) = tangents(n);
    [n, t1, t2]
}

/// The row of a world direction at a point `arm` from the center.
fn point_row(direction: DVec3, arm: DVec3) -> Vec6 {
    let turn = arm.cross(direction);
    [direction.x, direction.y, direction.z, turn.x, turn.y, turn.z]
}

/// A row without the components of locked directions.
fn mask(mut row: Vec6, locked: u8) -> Vec6 {
    for (k, x) in row.iter_mut().enumerate() {
        if locked & (1 << k) != 0 {
            *x = 0.0;
        }
    }
    row
}

fn dot6(a: &Vec6, b: &Vec6) -> Double {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Row `r` of a joint: its position error and the rows of both bodies.
fn joint_row(joint: &Joint, bodies: [&Body; 2], r: usize) -> (Real, [Vec6; 2]) {
    let desc = joint.desc();
    let anchors = [desc.anchor_a, desc.anchor_b];
    let arm = |k: usize| {
        let body: &Body = bodies[k];
        quat_rotate(body.rotation(), anchors[k] - body.center_of_mass())
    };
    let arms = [arm(0), arm(1)];
    let apart = (bodies[1].center() - bodies[0].center()) + (arms[1] - arms[0]);
    let point_rows = |direction: Vec3| {
        let d = widen3(direction);
        [point_row(-d, widen3(arms[0])), point_row(d, widen3(arms[1]))]
    };
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][r % 3];
    match desc.kind {
        JointKind::Distance(length) => {
            let direction = apart.try_normalize().unwrap_or(Vec3::Y);
            (apart.length() - length, point_rows(direction))
        }
        JointKind::Fixed(relative) if r >= 3 => {
            let aligned = quat_mul(bodies[0].rotation(), relative);
            let turn = quat_log(quat_mul(bodies[1].rotation(), quat_conjugate(aligned)));
            let d = widen3(axis);
            let row = [0.0, 0.0, 0.0, d.x, d.y, d.z];
            (turn.dot(axis), [row.map(|x| -x), row])
        }
        _ => (apart.dot(axis), point_rows(axis)),
    }
}
