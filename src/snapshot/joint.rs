//! Joints as data.

use super::SnapshotError;
use crate::engine::Simulation;
use crate::engine::joint::{Joint, JointDesc};
use crate::math::{Double, EPSILON, Vec3, narrow};

/// A joint.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct JointData {
    /// How far its id is behind that of the joint before.
    step: u64,
    desc: JointDesc,
    /// Impulses of the last step that are not zero, with their slots.
    impulse: Vec<(u8, [Double; 2])>,
    reaction: [Vec3; 2],
    turned: [Double; 2],
}

impl JointData {
    pub(super) const fn step(&self) -> u64 {
        self.step
    }

    pub(super) fn of(joint: &Joint, step: u64) -> Self {
        let [biased, relaxed] = &joint.impulse;
        let slots = (0..).zip(biased.iter().zip(relaxed)).map(|(slot, (b, r))| (slot, [*b, *r]));
        let starts = |(_, both): &(u8, [Double; 2])| {
            *both != [0.0; 2] && both.iter().all(|x| narrow(*x).is_finite())
        };
        Self {
            step,
            desc: joint.desc,
            impulse: slots.filter(starts).collect(),
            reaction: joint.reaction,
            turned: joint.turned,
        }
    }

    /// Adds the joint, whose bodies are there.
    pub(super) fn add(&self, world: &mut Simulation) -> Result<(), SnapshotError> {
        let impulses = self.impulse.iter().flat_map(|(_, impulse)| impulse);
        let broken = self.reaction.iter().any(|v| v.is_nan());
        if broken || !self.turned.iter().chain(impulses).all(|x| narrow(*x).is_finite()) {
            return Err(SnapshotError::Inconsistent("joints turned and pushed by some number"));
        }
        world.joints.add(self.desc, &world.bodies)?;
        let Some(joint) = world.joints.as_mut_slice().last_mut() else { return Ok(()) };
        for &(slot, impulse) in &self.impulse {
            let [biased, relaxed] = &mut joint.impulse;
            let slots = (biased.get_mut(usize::from(slot)), relaxed.get_mut(usize::from(slot)));
            let (Some(biased), Some(relaxed)) = slots else {
                return Err(SnapshotError::Inconsistent("joints have so many slots"));
            };
            [*biased, *relaxed] = impulse;
        }
        // Lengths of one are not made so again, which would change the last digit.
        for (frame, kept) in joint.desc.frames.iter_mut().zip(self.desc.frames) {
            let mut digits = frame.basis.to_array().into_iter().zip(kept.basis.to_array());
            if digits.all(|(made, kept)| (made - kept).abs() <= 4.0 * EPSILON) {
                frame.basis = kept.basis;
            }
        }
        joint.reaction = self.reaction;
        joint.turned = self.turned;
        Ok(())
    }
}
