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
use super::midpoint::contact;
use super::midpoint::contact::{At, ContactSources, MidpointContact};
use super::midpoint::member::Member;
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes};
use crate::engine::lcp::{BodyBlock, Vec6};
use crate::engine::settings::StepMode;
use crate::engine::step::assemble::{IslandStep, Unknowns, cut};
use crate::engine::step::predict::spin::is_round;
use crate::engine::tuning::ending::{LENT, TURNED};
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::math::refill;
use crate::math::{DVec3, Double, sym_inverse, sym_times, widen};

/// Parts of the contacts that are worked on at the same time, at most.
const PARTS: usize = 64;

/// Where the contacts of a manifold are: both arms, the points; `W_nn` and biases there.
type Arms = ([[Double; 3]; 2], LaneVectors, [Lanes; 2]);

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
    /// Torques that each contact gave both bodies at the start beyond those at the end, and their sums for
    /// each body [N·m·s].
    levers: Vec<[DVec3; 2]>,
    sum: Vec<DVec3>,
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

    /// Poses the problem at the end. `small`: small steps moved the bodies, by the impulses in `ways`.
    pub(super) fn pose(&mut self, island: &mut Island<'_, '_>, small: bool) {
        self.members.clear();
        for (&i, v) in island.step.members.iter().zip(&*island.step.biased.velocity) {
            let mut member = Member::new(island.sources, i);
            member.go_with(v, island.dt);
            self.members.push(member);
        }
        self.pose_contacts(island, small);
        let step = &mut *island.step;
        self.blocks.clear();
        self.blocks.extend_from_slice(step.bodies);
        for ((member, block), lever) in self.members.iter().zip(&mut *step.bodies).zip(&self.sum) {
            let Some(rotor) = member.rotor else {
                let turn = sym_times(&block.inverse_inertia, *lever).to_array();
                (0..3).for_each(|k| block.velocity_free[3 + k] += turn[k]);
                continue;
            };
            let [.., momentum] = member.pushed(&[0.0; 6], island.dt);
            let damping = 1.0 + island.dt * member.damping[1];
            let rotor = rotor.with(member.to.1);
            block.inertia = rotor.tensor().map(|x| damping * x);
            block.inverse_inertia = sym_inverse(&block.inertia);
            let free = rotor.velocity(momentum) + sym_times(&block.inverse_inertia, *lever);
            block.velocity_free[3..].copy_from_slice(&free.to_array());
        }
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
        let (step, h) = (&mut *island.step, island.dt);
        let mut most = None;
        let bodies = step.biased.velocity.iter_mut().zip(&mut *step.bodies);
        for ((&i, (v, block)), flown) in step.members.iter().zip(bodies).zip(&mut self.flown) {
            let mut member = Member::new(island.sources, i);
            member.go_with(v, h);
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

    /// Poses the contacts at the end, where that acts by which the carried impulses differ from those that
    /// moved the bodies.
    fn pose_contacts(&mut self, island: &mut Island<'_, '_>, small: bool) {
        let Self { members, arms, levers, sum, ways, .. } = self;
        let (members, h, pool) = (&*members, island.dt, island.pool);
        let of = ContactSources::of(island);
        let step = &mut *island.step;
        let impulses = if small { &**ways } else { &*step.biased.contact_impulse };
        arms.resize(step.manifolds.len(), Arms::default());
        levers.resize(step.blows.len(), [DVec3::ZERO; 2]);
        let part = step.manifolds.len().div_ceil(PARTS).max(PAIRS_MIN);
        let mut rest = &mut levers[..];
        let mut tasks: SmallVec<[_; PARTS]> = SmallVec::new();
        for (manifolds, arms) in step.manifolds.chunks_mut(part).zip(arms.chunks_mut(part)) {
            let contacts = manifolds.iter().map(|m| m.count as usize).sum();
            tasks.push((manifolds, arms, cut(&mut rest, contacts)));
        }
        pool.run(&mut tasks, 1, |tasks| {
            for (manifolds, arms, levers) in tasks {
                let mut levers = levers.iter_mut();
                for (m, arms) in manifolds.iter_mut().zip(&mut **arms) {
                    *arms = ([m.arm_a, m.arm_b], m.point, [m.compliance, m.bias]);
                    let mut touches: SmallVec<[MidpointContact; LANES]> = SmallVec::new();
                    let impulses = &impulses[m.first as usize..];
                    for (lane, lever) in (0..m.count as usize).zip(&mut levers) {
                        let mut touch = of.contact(m, lane);
                        touch.find_end(members, h);
                        *lever = touch.lever(DVec3::from_array(impulses[lane]));
                        touches.push(touch);
                    }
                    contact::put_own(m, &touches, At::End);
                }
            }
        });
        drop(tasks);
        refill(sum, step.bodies.len(), DVec3::ZERO);
        for m in &*step.manifolds {
            for levers in &levers[m.first as usize..(m.first + m.count) as usize] {
                for ((k, sign), lever) in [(m.a, -1.0), (m.b, 1.0)].into_iter().zip(levers) {
                    if let Some(sum) = sum.get_mut(k as usize) {
                        *sum += *lever * sign;
                    }
                }
            }
        }
    }

    /// Puts the blocks back; the velocities stay those at the end.
    pub(super) fn put_back(&self, step: &mut IslandStep<'_>) {
        step.bodies.copy_from_slice(&self.blocks);
        for (m, (arms, point, lanes)) in step.manifolds.iter_mut().zip(&self.arms) {
            ([m.arm_a, m.arm_b], m.point, [m.compliance, m.bias]) = (*arms, *point, *lanes);
        }
    }
}
