//! The pose of the end: where the problem of the carried velocities is posed if it is another one, since
//! bodies turn or are pushed.
//!
//! Input: an island whose biased problem is solved. Output: its problem at the poses to which that takes the
//! bodies: inertia, the arms of the contacts, momentum. The impulses `λ` that moved the bodies acted where
//! those were, what the carried ones `l` differ by acts where they come to:
//!
//! ```text
//! x⁺ = x + h u,    u = v + M⁻¹ λ,    p⁺ = p + Σ l,    s⁺ = s + Σ r × λ + Σ r⁺ × (l - λ)
//! ```
//!
//! With arms `r`, `r⁺` of both bodies to one point each, opposite impulses keep `Σ x × p + s`, the angular
//! momentum about any point: what is left, `h u × p⁺ - h u × (l - λ) = h u × m u`, is zero. With the arms of
//! the start alone that holds only for `l = λ`. Small steps, in which impulses move the bodies from when they
//! act on, are the same with the mean `λ` of the way. Where bodies bounce a blow has one place, that of the
//! start: else it would do work. O(bodies + contacts).

use smallvec::SmallVec;

use super::island::Island;
use super::midpoint::contact::put_arms;
use super::midpoint::member::{Member, split};
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold};
use crate::engine::lcp::newton::wrench::{Wrench, admissible, give};
use crate::engine::lcp::{BodyBlock, Vec6};
use crate::engine::settings::StepMode;
use crate::engine::state::contact::ContactCarrier;
use crate::engine::step::assemble::{IslandStep, Sources, Unknowns, imposed};
use crate::engine::step::predict::spin::is_round;
use crate::engine::tuning::ending::{LENT, TURNED};
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::math::{DMat3, DVec3, Double, cut, refill, sym_times, widen};
use crate::math::{widen_mat3, widen3};
use crate::par::{JOBS, part_of};

/// Bodies that are worth a part.
const BODIES_MIN: usize = 2 * PAIRS_MIN;

/// Where the contacts of a manifold are: both arms, the points; `W_nn` and biases there.
type Arms = ([[Double; 3]; 2], LaneVectors, [Lanes; 2]);

/// How a body comes to the end.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// Way of its center (m).
    shift: DVec3,
    /// What is fixed to it is turned by, of vectors in its axes at the start (–).
    turn: DMat3,
}

/// By how much the arms of the contacts of an island change.
struct Shifts<'a> {
    sources: &'a Sources<'a>,
    carriers: &'a [ContactCarrier],
    turns: &'a [Turn],
    h: Double,
    /// A blow has one place: else it would do work.
    stay: bool,
}

impl<'a> Shifts<'a> {
    fn of(island: &Island<'a, '_>, turns: &'a [Turn]) -> Self {
        let (sources, carriers) = (island.sources, island.step.contact_carriers);
        Self { sources, carriers, turns, h: island.dt, stay: island.step.bounces() }
    }

    /// Those of contact `lane` of a manifold (m): it goes with one of its ends.
    fn at(&self, m: &Manifold, lane: usize) -> [DVec3; 2] {
        if self.stay {
            return [DVec3::ZERO; 2];
        }
        let carrier = &self.carriers[m.first as usize + lane];
        let turns = [m.a, m.b].map(|i| self.turns.get(i as usize));
        let with = carrier.end(turns.map(|turn| turn.is_some()));
        let point = match (turns[with], carrier.cores) {
            (Some(Turn { shift, turn }), Some(cores)) => *shift + *turn * widen3(cores[with]),
            (Some(Turn { shift, .. }), None) => *shift,
            (None, _) => {
                let (v, spin) = split(&imposed(self.sources, carrier.bodies[with] as usize));
                (v + spin.cross(DVec3::from_array(m.arms(lane)[with]))) * self.h
            }
        };
        turns.map(|turn| point - turn.map_or(DVec3::ZERO, |turn| turn.shift))
    }
}

/// Buffers; their content never influences a result.
#[derive(Clone, Debug, Default)]
pub(super) struct EndingScratch {
    /// The blocks of the start.
    pub(super) blocks: Vec<BodyBlock>,
    arms: Vec<Arms>,
    /// The bodies, with the poses of the end.
    pub(super) members: Vec<Member>,
    /// The free velocities, as they were, of bodies that fly on after a blow.
    flown: Vec<Option<Vec6>>,
    /// What was solved before they did.
    pub(super) before: Unknowns,
    turns: Vec<Turn>,
    /// What the contacts of each manifold do to its bodies, and sums of it for each body.
    wrenches: Vec<Wrench>,
    sums: Vec<Vec6>,
    /// Impulses of the contacts by which small steps moved the bodies.
    pub(super) ways: Vec<[Double; 3]>,
}

impl EndingScratch {
    /// Does the biased velocity turn a body so far that its inertia is another one?
    pub(super) fn is_other(&self, island: &Island<'_, '_>) -> bool {
        // Nothing is carried from equilibrium to equilibrium.
        if island.settings.mode != StepMode::Dynamic {
            return false;
        }
        let step = &*island.step;
        // Where nothing outside takes part every turn counts: momentum is to be kept.
        let least = if step.bounces() || island.is_isolated() { 0.0 } else { TURNED };
        step.members.iter().zip(&*step.biased.velocity).any(|(&i, v)| {
            let body = &island.sources.bodies[i as usize];
            let turn = island.dt * DVec3::new(v[3], v[4], v[5]).length();
            turn > least && !body.locked_axes.locks_rotation() && !is_round(body.inertia())
        })
    }

    /// Poses the problem at the end.
    pub(super) fn pose(&mut self, island: &mut Island<'_, '_>) {
        self.go(island);
        self.turn(island);
        self.pose_contacts(island);
        let n = island.step.bodies.len();
        refill(&mut self.sums, n + 1, [0.0; 6]);
        let manifolds = island.step.manifolds.iter();
        manifolds.zip(&self.wrenches).for_each(|(m, wrench)| wrench.add(m, 1.0, &mut self.sums));
        for (block, sum) in island.step.bodies.iter_mut().zip(&self.sums) {
            let turn = sym_times(&block.inverse_inertia, split(sum).1).to_array();
            (0..3).for_each(|k| block.velocity_free[3 + k] += turn[k]);
        }
    }

    /// Takes up the bodies, with the poses of the end.
    fn go(&mut self, island: &Island<'_, '_>) {
        let (step, sources, h) = (&*island.step, island.sources, island.dt);
        let Some(&first) = step.members.first() else { return };
        self.members.resize_with(step.members.len(), || Member::new(sources, first));
        let size = island.pool.part(step.members.len(), BODIES_MIN);
        let bodies = step.members.chunks(size).zip(step.biased.velocity.chunks(size));
        let mut parts: SmallVec<[_; JOBS]> = self.members.chunks_mut(size).zip(bodies).collect();
        island.pool.run(&mut parts, 1, |parts| {
            for (members, (bodies, velocities)) in parts {
                for ((member, &i), v) in members.iter_mut().zip(*bodies).zip(*velocities) {
                    *member = Member::new(sources, i);
                    member.go_with(v, h);
                }
            }
        });
    }

    /// Turns the blocks to the poses of the end.
    pub(super) fn turn(&mut self, island: &mut Island<'_, '_>) {
        let (pool, motions, h) = (island.pool, island.sources.motions, island.dt);
        let step = &mut *island.step;
        self.arms.clear();
        self.blocks.clear();
        self.blocks.extend_from_slice(step.bodies);
        self.turns.resize(step.bodies.len(), Turn::default());
        let size = pool.part(step.bodies.len(), BODIES_MIN);
        let of = step.members.chunks(size).zip(self.members.chunks(size));
        let parts = step.bodies.chunks_mut(size).zip(self.turns.chunks_mut(size));
        let mut parts: SmallVec<[_; JOBS]> = of.zip(parts).collect();
        pool.run(&mut parts, 1, |parts| {
            for ((bodies, members), (blocks, turns)) in parts {
                for (k, member) in members.iter().enumerate() {
                    let axes = widen_mat3(motions[bodies[k] as usize].rotation);
                    let shift = member.to.0 - member.center;
                    turns[k] = Turn { shift, turn: member.turn() * axes };
                    member.turn_block(&mut blocks[k], h);
                }
            }
        });
        *step.at_end = true;
    }

    /// Forgets which bodies fly on.
    pub(super) fn land(&mut self, step: &IslandStep<'_>) {
        refill(&mut self.flown, step.bodies.len(), None);
    }

    /// Bodies that would need more energy for their angular momentum where they come to, since a blow turns
    /// them far aside, fly on as they may after the blow: their free velocity becomes the one with which
    /// their impulses give the mean velocity of that flight. Returns by how much that is another one than the
    /// biased [m/s]; none if no body flies on.
    pub(super) fn fly(&mut self, island: &mut Island<'_, '_>) -> Option<Double> {
        self.go(island);
        let (step, h) = (&mut *island.step, island.dt);
        let mut most = None;
        let bodies = step.biased.velocity.iter_mut().zip(&mut *step.bodies);
        let bodies = bodies.zip(&mut self.flown).zip(&mut self.members);
        for (&i, (((v, block), flown), member)) in step.members.iter().zip(bodies) {
            let Some(rotor) = member.rotor else { continue };
            let [.., momentum] = member.pushed(&[0.0; 6], h);
            let [x, y, z] = [3, 4, 5].map(|k| v[k] - block.velocity_free[k]);
            let given = DVec3::new(x, y, z);
            let struck = momentum + sym_times(&block.inertia, given);
            let [before, after] = [member.rotation, member.to.1]
                .map(|rotation| rotor.with(rotation).velocity(struck).dot(struck));
            if flown.is_none() && after <= (1.0 + LENT) * before {
                continue;
            }
            flown.get_or_insert(block.velocity_free);
            let mean = rotor.fly(struck, DVec3::ZERO, h).mean;
            let radius = widen(island.sources.motions[i as usize].radius);
            let change = radius * (mean - DVec3::new(v[3], v[4], v[5])).length();
            most = Some(change.max(most.unwrap_or(0.0)));
            v[3..].copy_from_slice(&mean.to_array());
            member.go_with(v, h);
            block.velocity_free[3..].copy_from_slice(&(mean - given).to_array());
        }
        most
    }

    /// Puts the free velocities of those bodies back.
    pub(super) fn put_free_back(&self, step: &mut IslandStep<'_>) {
        for (block, flown) in step.bodies.iter_mut().zip(&self.flown) {
            block.velocity_free = flown.unwrap_or(block.velocity_free);
        }
    }

    /// Poses the contacts at the end. What acts there is that by which the carried impulses differ from those
    /// that moved the bodies: wrenches are what these did at the start beyond that.
    fn pose_contacts(&mut self, island: &mut Island<'_, '_>) {
        let pool = island.pool;
        let shifts = Shifts::of(island, &self.turns);
        let step = &mut *island.step;
        let impulses = &*step.biased.contact_impulse;
        self.arms.resize(step.manifolds.len(), Arms::default());
        refill(&mut self.wrenches, step.manifolds.len(), Wrench::default());
        let size = part_of(step.manifolds.len(), PAIRS_MIN);
        let parts = step.manifolds.chunks_mut(size).zip(self.arms.chunks_mut(size));
        let mut parts: SmallVec<[_; JOBS]> = parts.zip(self.wrenches.chunks_mut(size)).collect();
        pool.run(&mut parts, 1, |parts| {
            for ((manifolds, arms), wrenches) in parts {
                for ((m, arms), wrench) in
                    manifolds.iter_mut().zip(&mut **arms).zip(&mut **wrenches)
                {
                    *arms = ([m.arm_a, m.arm_b], m.point, [m.compliance, m.bias]);
                    let (mut ends, first) = ([[DVec3::ZERO; 2]; LANES], m.first as usize);
                    for lane in 0..m.count as usize {
                        let by = shifts.at(m, lane);
                        *wrench = wrench.less(&by, DVec3::from_array(impulses[first + lane]));
                        let starts = m.arms(lane).map(DVec3::from_array);
                        ends[lane] = [0, 1].map(|k| starts[k] + by[k]);
                    }
                    put_arms(m, |lane| ends[lane]);
                }
            }
        });
    }

    /// After small steps, [`fly`](Self::fly) and [`turn`](Self::turn): takes the carried impulses in their
    /// cones, and tells what they do to the bodies where those come to, and what those of the way did
    /// besides.
    pub(super) fn carry(&mut self, island: &mut Island<'_, '_>) -> &[Wrench] {
        let (pool, impulses) = (island.pool, &self.ways);
        let shifts = Shifts::of(island, &self.turns);
        let step = &mut *island.step;
        let (manifolds, mut rest) = (&*step.manifolds, &mut *step.relaxed.contact_impulse);
        refill(&mut self.wrenches, manifolds.len(), Wrench::default());
        let size = part_of(manifolds.len(), PAIRS_MIN);
        let mut parts: SmallVec<[_; JOBS]> = SmallVec::new();
        for (manifolds, wrenches) in manifolds.chunks(size).zip(self.wrenches.chunks_mut(size)) {
            let contacts = manifolds.iter().map(|m| m.count as usize).sum();
            parts.push((manifolds, wrenches, cut(&mut rest, contacts)));
        }
        pool.run(&mut parts, 1, |parts| {
            for (manifolds, wrenches, carried) in parts {
                let mut rest = &mut **carried;
                for (m, wrench) in manifolds.iter().zip(&mut **wrenches) {
                    let carried = cut(&mut rest, m.count as usize);
                    let l = admissible(m, carried);
                    give(m, &l, carried);
                    *wrench = Wrench::of(m, &l);
                    for (lane, l) in carried.iter().enumerate() {
                        let way = DVec3::from_array(impulses[m.first as usize + lane]);
                        let beyond = way - DVec3::from_array(*l);
                        *wrench = wrench.less(&shifts.at(m, lane), beyond);
                    }
                }
            }
        });
        drop(parts);
        &self.wrenches
    }

    /// Puts the blocks back; the velocities stay those at the end.
    pub(super) fn put_back(&self, step: &mut IslandStep<'_>) {
        step.bodies.copy_from_slice(&self.blocks);
        for (m, (arms, point, lanes)) in step.manifolds.iter_mut().zip(&self.arms) {
            ([m.arm_a, m.arm_b], m.point, [m.compliance, m.bias]) = (*arms, *point, *lanes);
        }
    }
}
