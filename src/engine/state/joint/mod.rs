//! Joints: constraints between two bodies, or a body and the world, linearized as (4.14),
//! `νᵀ v + γ Θ / h = 0`.
//!
//! There is one joint, of six axes, three linear and three angular, along frames on both ends; x is *the*
//! axis. Its kind locks some of them; the others may have limits, a motor or spring, and friction. A row of
//! an axis is an equality (lock), has an impulse that is not negative (limit) or bounded (motor, friction),
//! or is soft (spring): all in the one step problem with the contacts, where the thesis has equalities only.
//!
//! `desc.rs` says what a joint is made from, `axes.rs` where it is, `rows.rs` which rows it has in a step. A
//! joint keeps the impulses of its rows by name, so that they start warm when others come and go, and the
//! angle of a hinge with its turns. After a step it knows its reaction, and breaks if that is too large.

mod axes;
mod desc;
mod error;
mod kind;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use self::axes::{End, JointPose};
pub use self::desc::{AxisLimit, JointAxis, JointDesc, JointFrame, JointId, Motor};
pub use self::error::JointError;
pub use self::kind::JointKind;
pub(crate) use self::rows::{Aim, JointRowBuilder, Row, SLOTS, keeps};
use super::bodies::Bodies;
use super::body::{BodyError, BodyId};
pub(crate) use crate::math::turns::half_way;
use crate::math::{Double, Real, Vec3, narrow};

/// A joint between two bodies, or a body and the world.
#[derive(Clone, Debug)]
pub struct Joint {
    pub(crate) id: JointId,
    pub(crate) desc: JointDesc,
    /// Impulses of the last step by slot, biased and relaxed solve.
    pub(crate) impulse: [[Double; SLOTS]; 2],
    /// Force and torque on end b at its anchor in the last step [N, N·m].
    pub(crate) reaction: [Vec3; 2],
    /// Where its ends were after the last step, from which positions and velocities are found when asked for.
    ends: [Option<End>; 2],
    /// Angles about x and y with their turns (rad), of those axes whose turns are counted.
    pub(crate) turned: [Double; 2],
    /// Is it removed, and its place to be closed?
    gone: bool,
}

impl Joint {
    /// Forgets what it did in the last step.
    pub(crate) const fn forget_impulses(&mut self) {
        self.impulse = [[0.0; SLOTS]; 2];
        self.reaction = [Vec3::ZERO; 2];
    }

    /// Is neither it nor one of its bodies removed?
    fn is_there(&self, bodies: &Bodies) -> bool {
        let known = |id| bodies.get(id).is_some();
        !self.gone && (!bodies.have_gaps() || self.desc.bodies().all(known))
    }

    /// The joint's id.
    pub const fn id(&self) -> JointId {
        self.id
    }

    /// What the joint was made from, as changed since.
    pub const fn desc(&self) -> &JointDesc {
        &self.desc
    }

    /// Does it hold?
    pub const fn is_enabled(&self) -> bool {
        self.desc.enabled
    }

    /// Force (N) and torque (N·m) on the body of end b at its anchor, world axes, averaged over the last
    /// step: all rows together. The opposite acts on end a.
    pub const fn reaction(&self) -> (Vec3, Vec3) {
        (self.reaction[0], self.reaction[1])
    }

    /// Impulses of the locks of its axes in the last step, x, y, z, then about x, y, z [N·s, N·m·s]: those
    /// that moved its ends, by the midpoint rule and in small steps half of them, and those that are carried.
    /// Of three locked directions the axes are the world's.
    pub fn impulses(&self) -> [[Double; 6]; 2] {
        self.impulse.map(|slots| core::array::from_fn(|k| slots[k]))
    }

    /// Position of an axis after the last step [m or rad], turns of the twist or hinge counted.
    pub fn position(&self, axis: JointAxis) -> Real {
        narrow(self.motion(&self.ends)(axis.index()).0)
    }

    /// Velocity of an axis after the last step [m/s or rad/s].
    pub fn velocity(&self, axis: JointAxis) -> Real {
        narrow(self.motion(&self.ends)(axis.index()).1)
    }

    /// Positions of all axes after the last step, x, y, z, then about x, y, z [m or rad], as of one.
    pub fn positions(&self) -> [Real; 6] {
        let motion = self.motion(&self.ends);
        [0, 1, 2, 3, 4, 5].map(|k| narrow(motion(k).0))
    }

    /// Velocities of all axes after the last step, x, y, z, then about x, y, z [m/s or rad/s].
    pub fn velocities(&self) -> [Real; 6] {
        let motion = self.motion(&self.ends);
        [0, 1, 2, 3, 4, 5].map(|k| narrow(motion(k).1))
    }
}

/// All joints, in ascending order of their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joints {
    list: Vec<Joint>,
    pub(crate) next: u64,
    /// How many of the list are removed, without those whose bodies are.
    pub(crate) gone: usize,
}

/// Checks a description and its ends.
fn checked(desc: JointDesc, bodies: &Bodies) -> Result<JointDesc, JointError> {
    for id in desc.bodies() {
        if bodies.get(id).is_none() {
            return Err(JointError::Body(BodyError::Unknown(id)));
        }
    }
    match desc.ends {
        [None, None] => Err(JointError::NoBody),
        [Some(a), Some(b)] if a == b => Err(JointError::SameBody(a)),
        _ => desc.checked(),
    }
}

impl Joints {
    /// Checks a description and adds the joint at the end.
    pub(crate) fn add(&mut self, desc: JointDesc, bodies: &Bodies) -> Result<JointId, JointError> {
        let desc = checked(desc, bodies)?;
        let id = JointId(self.next);
        self.next += 1;
        let mut joint = Joint {
            id,
            desc,
            impulse: [[0.0; SLOTS]; 2],
            reaction: [Vec3::ZERO; 2],
            ends: desc.ends.map(|end| bodies.get(end?).map(End::of)),
            turned: [0.0; 2],
            gone: false,
        };
        joint.read(desc.ends.map(|end| bodies.get(end?)), 0.0);
        self.list.push(joint);
        Ok(id)
    }

    /// Joints that are off have no impulses to go on with.
    pub(crate) fn forget_disabled(&mut self) {
        self.list.iter_mut().filter(|joint| !joint.desc.enabled).for_each(Joint::forget_impulses);
    }

    /// Lists the pairs of bodies that joints keep from colliding, ascending.
    pub(in crate::engine) fn list_excluded(&self, excluded: &mut Vec<[BodyId; 2]>) {
        excluded.clear();
        for JointDesc { ends, collide, enabled, .. } in self.list.iter().map(Joint::desc) {
            if let [Some(a), Some(b)] = *ends
                && *enabled
                && !collide
            {
                excluded.push([a.min(b), a.max(b)]);
            }
        }
        excluded.sort_unstable();
    }

    /// Changes a joint. Impulses stay unless ends or kind change.
    pub(crate) fn set(
        &mut self,
        id: JointId,
        desc: JointDesc,
        bodies: &Bodies,
    ) -> Result<(), JointError> {
        let desc = checked(desc, bodies)?;
        let place = self.list.binary_search_by_key(&id, |joint| joint.id);
        let joint = &mut self.list[place.map_err(|_| JointError::Unknown(id))?];
        let same_kind =
            core::mem::discriminant(&joint.desc.kind) == core::mem::discriminant(&desc.kind);
        let begins = !same_kind || joint.desc.ends != desc.ends;
        if begins || !desc.enabled {
            joint.forget_impulses();
        }
        if begins {
            joint.turned = [0.0; 2];
            joint.ends = desc.ends.map(|end| bodies.get(end?).map(End::of));
        }
        joint.desc = desc;
        joint.read(desc.ends.map(|end| bodies.get(end?)), 0.0);
        Ok(())
    }

    /// Removes a joint, if there is one of this id. The list closes up before its next use.
    pub(crate) fn remove(&mut self, id: JointId) {
        if let Ok(i) = self.list.binary_search_by_key(&id, |joint| joint.id) {
            self.gone += 1;
            self.list[i].gone = true;
        }
    }

    /// Closes the gaps of removed joints and bodies, before those of bodies are; not during a step.
    pub(crate) fn compact(&mut self, bodies: &Bodies) {
        if core::mem::take(&mut self.gone) > 0 || bodies.have_gaps() {
            self.list.retain(|joint| joint.is_there(bodies));
        }
    }

    /// The joint of this id.
    pub(crate) fn get(&self, id: JointId, bodies: &Bodies) -> Option<&Joint> {
        let i = self.list.binary_search_by_key(&id, |joint| joint.id).ok()?;
        Some(&self.list[i]).filter(|joint| joint.is_there(bodies))
    }

    /// The joints in ascending order of their ids.
    pub(crate) fn iter(&self, bodies: &Bodies) -> impl Iterator<Item = &Joint> {
        self.list.iter().filter(|joint| joint.is_there(bodies))
    }

    /// The joints in ascending order, with those that were removed since the last [`compact`](Self::compact).
    pub(crate) fn as_slice(&self) -> &[Joint] {
        &self.list
    }

    /// The joints in ascending order of their ids.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Joint] {
        &mut self.list
    }
}
