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
//! of pairs with rolling or spinning resistance have [rolling rows](crate::engine::lcp::rolling) as well: the
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

pub(in crate::engine) mod contacts;
mod crowd;
mod fill;
pub(in crate::engine) mod joints;
pub(in crate::engine) mod reach;
mod rolling;
mod unknowns;

pub use self::unknowns::{IslandRanges, IslandUnknowns, Unknowns};

use self::reach::FarContact;
use super::islands::{DisjointSets, Islands};
use super::narrow::passing;
use super::unchanged::Touching;
use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::newton::{ManifoldIterate, ManifoldProblem};
use crate::engine::lcp::{BodyBlock, Cone, JointRow, RollingRow, Vec6};
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::contact::{Blow, ContactCarrier};
use crate::engine::state::joint::{Aim, Joint, Row};
use crate::engine::state::motion::{Motion, vec6};
use crate::engine::state::pairs::Pair;
use crate::math::{DVec3, Double, Groups, Real, Vec3, cut, narrow, widen};

/// The step problem of all islands, and where its rows came from.
#[derive(Clone, Debug, Default)]
pub struct StepProblem {
    /// Blocks of the members of all islands, in the order of [`Islands::members`].
    pub bodies: Vec<BodyBlock>,
    /// Velocities before the step [m/s, rad/s], in the same order.
    pub velocity_last: Vec<Vec6>,
    /// What the free velocities are ahead of the mean ones of free flight [m/s, rad/s], in the same order.
    pub lead: Vec<Vec6>,
    /// Contacts in manifolds, island by island.
    pub manifolds: Vec<Manifold>,
    /// Rolling rows, island by island; each counts its contact from the first of its island.
    pub rolling: Vec<RollingRow>,
    /// Joint rows, island by island.
    pub joints: Vec<JointRow>,
    /// (pair, contact) of every contact.
    pub contact_source: Vec<[u32; 2]>,
    /// What every contact goes with.
    pub(in crate::engine) contact_carriers: Vec<ContactCarrier>,
    /// Part of every contact in a bounce.
    pub blows: Vec<Blow>,
    /// (joint, row) of every joint row.
    pub joint_source: Vec<[u32; 2]>,
    /// Contact of every rolling row.
    pub rolling_source: Vec<u32>,
    /// Directions (normal, tangent 1, tangent 2) of every rolling row, unit vectors.
    pub rolling_frame: Vec<[DVec3; 3]>,
    /// What every joint row is for.
    pub(in crate::engine) joint_aim: Vec<Aim>,
    /// Are the kept velocities of an island those at the pose of the end of the step, rotation included?
    pub(in crate::engine) at_end: Vec<bool>,
    /// Force (– or 1/m) and torque (m or –) at the anchor on the body of end b, for an impulse of one in
    /// every joint row.
    pub joint_wrench: Vec<[DVec3; 2]>,
    /// Part of the bias that is not carried on [m/s or rad/s], one for each joint row.
    pub joint_push: Vec<Double>,
    /// Biased solve: moves the bodies.
    pub biased: Unknowns,
    /// Relaxed solve: the carried velocity.
    pub relaxed: Unknowns,
    /// Impulses of the biased problem that make a whole one (–): two where islands with joints are solved
    /// half way.
    pub(in crate::engine) halves: Double,
    /// First body of every island.
    pub first: Vec<BodyId>,
    /// Buffer: the rows of one joint.
    joint_rows: Vec<Row>,
    /// Pairs of crowds that have no rows, see [`crowd`].
    pub(in crate::engine) left_out: Vec<u32>,
    /// Contacts of large islands that have no rows, see [`reach`], island by island.
    pub(in crate::engine) far: Vec<FarContact>,
    /// (pair, contact) of those of them that are new.
    pub(in crate::engine) far_new: Vec<[u32; 2]>,
    reach: reach::Reach,
    /// Buffer: the contacts of a pair that have rows.
    near: Vec<u32>,
    /// Buffers: what orders the pairs of a crowd, and which of them are kept.
    nearest: Vec<crowd::Rank>,
    kept: Vec<bool>,
    /// Buffer: speeds at which the bodies of an island are pushed in all [m/s].
    pushed: Vec<Double>,
    /// Buffer: bodies of an island that joints connect.
    joint_sets: DisjointSets,
    end: Vec<IslandEnd>,
    pairs_of: Groups,
    joints_of: Groups,
}

/// The step problem of one island, see [`StepProblem`].
#[derive(Debug)]
pub struct IslandStep<'a> {
    /// Its first body.
    pub first: BodyId,
    /// Blocks of its members.
    pub bodies: &'a mut [BodyBlock],
    /// Their velocities before the step [m/s, rad/s].
    pub velocity_last: &'a [Vec6],
    /// What their free velocities are ahead of the mean ones of free flight [m/s, rad/s].
    pub lead: &'a [Vec6],
    /// Contacts in manifolds.
    pub manifolds: &'a mut [Manifold],
    /// Part of every contact in a bounce.
    pub blows: &'a mut [Blow],
    /// (pair, contact) of every contact.
    pub contact_source: &'a [[u32; 2]],
    /// What every contact goes with.
    pub(in crate::engine) contact_carriers: &'a [ContactCarrier],
    /// Its contacts that have no rows.
    pub(in crate::engine) far: &'a [FarContact],
    /// Rolling rows.
    pub rolling: &'a [RollingRow],
    /// Friction cone of all contacts.
    pub cone: Cone,
    /// Joint rows.
    pub joints: &'a mut [JointRow],
    /// Part of the bias that is not carried on, one for each joint row [m/s or rad/s].
    pub joint_push: &'a mut [Double],
    /// (joint, row) of every joint row.
    pub joint_source: &'a [[u32; 2]],
    /// What they are for.
    pub(in crate::engine) joint_aim: &'a [Aim],
    /// Force (– or 1/m) and torque (m or –) at the anchor on the body of end b, for an impulse of one in
    /// every joint row.
    pub joint_wrench: &'a mut [[DVec3; 2]],
    /// Its members, ascending.
    pub members: &'a [u32],
    /// Are the kept velocities those at the pose of the end of the step, rotation included?
    pub at_end: &'a mut bool,
    /// Biased solve.
    pub biased: IslandUnknowns<'a>,
    /// Relaxed solve.
    pub relaxed: IslandUnknowns<'a>,
}

impl IslandStep<'_> {
    /// Does any contact bounce?
    #[must_use]
    pub fn bounces(&self) -> bool {
        self.manifolds.iter().any(|m| m.restitution > 0.0)
    }

    /// Number of bodies, contacts and joint rows.
    #[must_use]
    pub fn size(&self) -> [u32; 3] {
        [self.bodies.len(), self.blows.len(), self.joints.len()].map(|n| n as u32)
    }

    /// The problem with its contacts in manifolds.
    #[must_use]
    pub const fn problem(&self) -> ManifoldProblem<'_> {
        let Self { bodies, manifolds, joints, rolling, cone, .. } = self;
        ManifoldProblem { bodies, manifolds, joints, rolling, cone: *cone }
    }

    /// The problem with its contacts in manifolds, with the unknowns of the biased (0) or relaxed (1) solve.
    pub fn unknowns(&mut self, of: usize) -> (ManifoldProblem<'_>, ManifoldIterate<'_>) {
        let Self { bodies, manifolds, joints, rolling, cone, .. } = self;
        let problem = ManifoldProblem { bodies, manifolds, joints, rolling, cone: *cone };
        let unknowns = if of == 0 { &mut self.biased } else { &mut self.relaxed };
        let iterate = ManifoldIterate {
            velocity: unknowns.velocity,
            contact: unknowns.contact_impulse,
            rolling: unknowns.rolling_impulse,
            joint: unknowns.joint_impulse,
        };
        (problem, iterate)
    }
}

/// Where the lists of an island end.
#[derive(Clone, Copy, Debug, Default)]
struct IslandEnd {
    manifolds: usize,
    contacts: usize,
    far: usize,
    joints: usize,
    rolling: usize,
}

/// What assembly reads.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// All bodies.
    pub bodies: &'a [Body],
    /// Their free motion.
    pub motions: &'a [Motion],
    /// Pairs with their contacts.
    pub pairs: &'a [Box<Pair>],
    /// All joints.
    pub joints: &'a [Joint],
    /// Indices of the two bodies of every joint, or [`NO_BODY`](super::islands::NO_BODY).
    pub joint_bodies: &'a [[u32; 2]],
    /// Islands.
    pub islands: &'a Islands,
    /// Which islands are steady and have no rows.
    pub steady: &'a [bool],
    /// Pairs that have contacts, in the order of the pairs.
    pub touching: &'a [Touching],
    /// Time step (s).
    pub dt: Real,
    /// This step's length over the last one's (–): warm starts scale by it.
    pub dt_ratio: Real,
}

/// Where the parts of island `k` are, for the ends of all.
fn ranges(ends: &[IslandEnd], k: usize, islands: &Islands) -> IslandRanges {
    let start = if k == 0 { IslandEnd::default() } else { ends[k - 1] };
    let end = ends[k];
    IslandRanges {
        members: islands.start[k] as usize..islands.start[k + 1] as usize,
        manifolds: start.manifolds..end.manifolds,
        contacts: start.contacts..end.contacts,
        far: start.far..end.far,
        joints: start.joints..end.joints,
        rolling: start.rolling..end.rolling,
    }
}

impl StepProblem {
    /// Where the parts of island `k` are.
    #[must_use]
    pub fn ranges(&self, k: usize, islands: &Islands) -> IslandRanges {
        ranges(&self.end, k, islands)
    }

    /// Has island `k` contacts or joint rows?
    pub(in crate::engine) fn has_rows(&self, k: usize) -> bool {
        let before =
            k.checked_sub(1).map_or((0, 0), |k| (self.end[k].contacts, self.end[k].joints));
        (self.end[k].contacts, self.end[k].joints) != before
    }

    /// Contacts and joint rows of all islands that are not steady, but for those of the largest.
    pub(in crate::engine) fn rows_beside_largest(&self, steady: &[bool]) -> usize {
        let (mut sum, mut largest, mut last) = (0, 0, 0);
        for (end, &steady) in self.end.iter().zip(steady) {
            let rows = end.contacts + end.joints - last;
            last = end.contacts + end.joints;
            if !steady {
                (sum, largest) = (sum + rows, largest.max(rows));
            }
        }
        sum - largest
    }

    /// The problems of all islands, with the friction cone of their contacts.
    pub(in crate::engine) fn split<'a>(
        &'a mut self,
        islands: &'a Islands,
        cone: Cone,
    ) -> impl Iterator<Item = IslandStep<'a>> {
        let (first, end) = (&self.first, &self.end);
        let (velocity_last, lead) = (&self.velocity_last, &self.lead);
        let (mut bodies, mut manifolds) = (&mut self.bodies[..], &mut self.manifolds[..]);
        let (mut blows, mut joints) = (&mut self.blows[..], &mut self.joints[..]);
        let mut biased = IslandUnknowns::new(&mut self.biased);
        let mut relaxed = IslandUnknowns::new(&mut self.relaxed);
        let (rolling, joint_source) = (&self.rolling, &self.joint_source);
        let (contact_source, contact_carriers) = (&self.contact_source, &self.contact_carriers);
        let far = &self.far;
        let (joint_aim, mut joint_push) = (&self.joint_aim, &mut self.joint_push[..]);
        let (mut joint_wrench, mut at_end) = (&mut self.joint_wrench[..], &mut self.at_end[..]);
        (0..islands.len()).map(move |k| {
            let r = ranges(end, k, islands);
            IslandStep {
                first: first[k],
                bodies: cut(&mut bodies, r.members.len()),
                velocity_last: &velocity_last[r.members.clone()],
                lead: &lead[r.members.clone()],
                manifolds: cut(&mut manifolds, r.manifolds.len()),
                blows: cut(&mut blows, r.contacts.len()),
                contact_source: &contact_source[r.contacts.clone()],
                contact_carriers: &contact_carriers[r.contacts.clone()],
                far: &far[r.far.clone()],
                rolling: &rolling[r.rolling.clone()],
                cone,
                joints: cut(&mut joints, r.joints.len()),
                joint_push: cut(&mut joint_push, r.joints.len()),
                joint_source: &joint_source[r.joints.clone()],
                joint_aim: &joint_aim[r.joints.clone()],
                joint_wrench: cut(&mut joint_wrench, r.joints.len()),
                members: &islands.members[r.members.clone()],
                at_end: &mut cut(&mut at_end, 1)[0],
                biased: biased.cut(&r),
                relaxed: relaxed.cut(&r),
            }
        })
    }

    /// Empties all lists.
    fn clear(&mut self) {
        self.bodies.clear();
        self.velocity_last.clear();
        self.lead.clear();
        self.manifolds.clear();
        self.rolling.clear();
        self.joints.clear();
        self.contact_source.clear();
        self.contact_carriers.clear();
        self.left_out.clear();
        self.far.clear();
        self.far_new.clear();
        self.blows.clear();
        self.joint_source.clear();
        self.rolling_source.clear();
        self.rolling_frame.clear();
        self.joint_push.clear();
        self.joint_wrench.clear();
        self.joint_aim.clear();
        self.at_end.clear();
        self.first.clear();
        self.end.clear();
        for unknowns in [&mut self.biased, &mut self.relaxed] {
            unknowns.velocity.clear();
            unknowns.joint_impulse.clear();
            unknowns.contact_impulse.clear();
            unknowns.rolling_impulse.clear();
        }
    }
}

/// Which bodies of a pair its impulses act on: those that move, but of two that move only the one of
/// lower dominance, to which the other is like a body with a velocity of its own.
fn pushed(sources: &Sources<'_>, pair: &Pair) -> [bool; 2] {
    let moves = pair.bodies.map(|i| sources.motions[i as usize].moves);
    let [a, b] = pair.bodies.map(|i| sources.bodies[i as usize].dominance);
    if moves == [true, true] { [a <= b, b <= a] } else { moves }
}

impl IslandStep<'_> {
    /// Holds pairs that were to pass each other on their free paths, and meet on those of the solution, on
    /// their sides of the planes between them; is there any?
    pub(in crate::engine) fn stop_what_meets(&mut self, sources: &Sources<'_>) -> bool {
        let mut any = false;
        for m in self.manifolds.iter_mut().filter(|m| m.passes) {
            let [pair, _] = self.contact_source[m.first as usize];
            let pair = &sources.pairs[pair as usize];
            let ways = [(0, m.a), (1, m.b)].map(|(k, own)| {
                let i = pair.bodies[k] as usize;
                let found = self.biased.velocity.get(own as usize).copied();
                let [x, y, z, u, v, w] = found.unwrap_or_else(|| imposed(sources, i)).map(narrow);
                let velocity = [Vec3::new(x, y, z), Vec3::new(u, v, w)];
                (&sources.bodies[i], &sources.motions[i], velocity)
            });
            m.passes = !passing::meets(pair, ways, sources.dt);
            for lane in (0..m.count as usize).filter(|_| !m.passes) {
                let [_, contact] = self.contact_source[m.first as usize + lane];
                m.gap[lane] = widen(pair.contacts[contact as usize].gap).max(0.0);
                m.bias[lane] = m.gap[lane] / widen(sources.dt);
                any = true;
            }
        }
        any
    }
}

/// The velocity with which a body enters rows that do not push it: that of a kinematic body in this
/// step; of a dominant one the last, since what carries it keeps it from falling freely.
pub(in crate::engine) fn imposed(sources: &Sources<'_>, i: usize) -> Vec6 {
    let (body, motion) = (&sources.bodies[i], &sources.motions[i]);
    if motion.moves {
        vec6(body.linear_velocity, body.angular_velocity)
    } else {
        vec6(motion.linear, motion.angular)
    }
}

/// A row without the components of locked directions.
pub(in crate::engine) fn mask(mut row: Vec6, locked: u8) -> Vec6 {
    for (k, x) in row.iter_mut().enumerate() {
        if locked & (1 << k) != 0 {
            *x = 0.0;
        }
    }
    row
}
