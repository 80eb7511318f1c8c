//! A joint in a step of an island with joints: where it comes to, and its rows.

use super::member::{Member, join, split};
use crate::engine::lcp::rows::dot6;
use crate::engine::lcp::{JointRow, Vec6};
use crate::engine::state::joint::{Aim, End, Joint, JointPose, Motor};
use crate::engine::step::assemble::joints::wrench;
use crate::engine::step::assemble::{Sources, mask};
use crate::math::{DVec3, Double, quat_exp_double, quat_mul_double, widen};

/// A joint of the island.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) joint: u32,
    /// Its rows: the first, and behind the last.
    pub(super) rows: [usize; 2],
    /// Members of the island at its ends.
    pub(super) members: [Option<u32>; 2],
    /// Where ends begin the part that are bodies, and velocities of those that are not of the island.
    pub(super) ends: [Option<End>; 2],
    /// Where it is at the start and at the end of the part.
    pub(super) from: JointPose,
    pub(super) to: JointPose,
}

/// Takes up a joint of the island.
pub(super) fn link(sources: &Sources<'_>, members: &[u32], j: u32, rows: [usize; 2]) -> Link {
    let joint = &sources.joints[j as usize];
    let bodies = sources.joint_bodies[j as usize];
    let member = |i: u32| members.binary_search(&i).ok().map(|k| k as u32);
    let ends = bodies.map(|i| {
        let body = sources.bodies.get(i as usize)?;
        let mut end = End::of(body);
        let motion = &sources.motions[i as usize];
        end.velocity = crate::engine::state::motion::vec6(motion.linear, motion.angular);
        Some(end)
    });
    let from = JointPose::new(joint.desc.kind, &joint.desc.frames, &ends);
    Link { joint: j, rows, members: bodies.map(member), ends, from, to: from }
}

impl Link {
    /// Where its ends come to.
    pub(super) fn ends(&self, members: &[Member], h: Double) -> [Option<End>; 2] {
        [0, 1].map(|side| {
            let end = self.ends[side]?;
            Some(match self.members[side] {
                Some(i) => {
                    let (center, rotation) = members[i as usize].to;
                    end.at(center, rotation)
                }
                None => driven(end, h),
            })
        })
    }

    /// Finds where it comes to.
    pub(super) fn find_end(&mut self, members: &[Member], joints: &[Joint], h: Double) {
        let desc = &joints[self.joint as usize].desc;
        self.to = JointPose::new(desc.kind, &desc.frames, &self.ends(members, h));
    }

    /// Goes on to the next part of the step.
    pub(super) fn go_on(&mut self, h: Double) {
        self.from = self.to;
        for (end, member) in self.ends.iter_mut().zip(self.members) {
            if let (Some(end), None) = (end, member) {
                *end = driven(*end, h);
            }
        }
    }

    /// Gives a row the sides of the members, without their locked directions.
    pub(super) fn set_terms(&self, row: &mut JointRow, sides: &[Vec6; 2], members: &[Member]) {
        let ends = (0..2).filter_map(|side| Some((self.members[side]?, sides[side])));
        for ((_, terms), (i, side)) in row.terms.iter_mut().zip(ends) {
            *terms = mask(side, members[i as usize].locked.bits());
        }
    }

    /// Gives a row of whole impulses what it is where the part of `h` seconds of a step of `dt` begins, but
    /// for its bias; `old` is that of the step. Returns its value there [m or rad], its rate by ends that
    /// are not of the island, and its force and torque on end b.
    pub(super) fn pose_from(
        &self,
        row: &mut JointRow,
        old: &JointRow,
        (joint, slot, aim): (&Joint, usize, Aim),
        members: &[Member],
        [h, dt]: [Double; 2],
    ) -> (Double, Double, [DVec3; 2]) {
        let (value, sides) = self.value(joint, slot, aim);
        self.set_terms(row, &sides, members);
        row.bounds = old.bounds.map(|bound| bound * (h / dt));
        row.softness = old.softness * (dt / h);
        (value, self.imposed(&sides), wrench(&sides[1], self.from.arms[1]))
    }

    /// Value of a row where the part begins [m or rad], none of what has a rate only, and its sides there.
    pub(super) fn value(&self, joint: &Joint, slot: usize, aim: Aim) -> (Double, [Vec6; 2]) {
        match aim {
            Aim::Rate(_) | Aim::Damper => (0.0, joint.rate_rows(&self.from, slot % 6)),
            _ => joint.at(&self.from, slot),
        }
    }

    /// The part of the way behind which springs of the joint act (–), the later of its ends'.
    pub(super) fn late(&self, members: &[Member]) -> Double {
        self.members.iter().flatten().fold(0.5, |late, &i| late.max(members[i as usize].late))
    }

    /// Rate of a row by the velocities that the ends of the island had.
    pub(super) fn rate(&self, sides: &[Vec6; 2], members: &[Member]) -> Double {
        let ends = (0..2).filter_map(|side| Some((side, &members[self.members[side]? as usize])));
        ends.map(|(side, m)| dot6(&sides[side], &join(m.velocity, m.angular()))).sum()
    }

    /// Rate of a row by the velocities of ends that are not of the island.
    pub(super) fn imposed(&self, sides: &[Vec6; 2]) -> Double {
        let ends = (0..2).filter(|&side| self.members[side].is_none());
        ends.filter_map(|side| Some(dot6(&sides[side], &self.ends[side]?.velocity))).sum()
    }
}

/// Bias and softness of the row by the half impulse of a spring or damper at a place, with the force at the
/// place behind a part `θ` of the way and at the mean speed `u` of the part, `C = -h (k (x + θ h u - x*) +
/// d (u - w*))`; its bias is for `u` itself. See [`Member::late`].
pub(super) fn spring(motor: &Motor, value: Double, late: Double, h: Double) -> [Double; 2] {
    let [stiffness, damping, speed] = [motor.stiffness, motor.damping, motor.velocity].map(widen);
    let pull = h * (damping + late * h * stiffness);
    [h * (stiffness * value - damping * speed) / pull, 2.0 / pull]
}

/// An end that moves by itself, `h` seconds later.
fn driven(end: End, h: Double) -> End {
    let (linear, angular) = split(&end.velocity);
    let turn = quat_exp_double(angular * h);
    end.at(end.center + linear * h, quat_mul_double(turn, end.rotation))
}
