//! The pose of the end: where the problem of the carried velocities is posed if bodies turn.
//!
//! Input: an island whose biased problem is solved. Output: its mass blocks with the inertia of the rotations
//! to which that takes the bodies, and the angular velocities that their momentum has there. Impulses of such
//! a problem keep angular momentum and do the work that its velocities say; those of the start of the step
//! would keep only one of both once the inertia has turned. Bodies of round inertia are the same in every
//! rotation. O(bodies).

use super::super::assemble::{IslandStep, Sources};
use super::super::lcp::BodyBlock;
use super::super::predict::spin::{Rotor, is_round};
use super::stiffness;
use crate::math::{DVec3, Double, widen, widen3};

/// Turns of this size in a step matter (rad): impulses err by that part of their work otherwise. Where bodies
/// bounce all do, since no energy is lost.
const TURNED: Double = 0.01;

/// Part of its energy that a rotation may be lent for its angular momentum (–): thin rods would need many
/// times theirs.
const LENT: Double = 0.05;

/// Buffers; their content never influences a result.
#[derive(Clone, Debug, Default)]
pub(super) struct EndingScratch {
    blocks: Vec<BodyBlock>,
}

impl EndingScratch {
    /// Does the biased velocity turn a body so far that its inertia is another one?
    pub(super) fn is_other(
        &self,
        step: &IslandStep<'_>,
        sources: &Sources<'_>,
        dt: Double,
    ) -> bool {
        let bounces = step.manifolds.iter().any(|m| m.restitution > 0.0);
        let least = if bounces { 0.0 } else { TURNED };
        step.members.iter().zip(&*step.biased.velocity).any(|(&i, v)| {
            let body = &sources.bodies[i as usize];
            let turn = dt * DVec3::new(v[3], v[4], v[5]).length();
            turn > least && !body.locked_axes.locks_rotation() && !is_round(body.inertia())
        })
    }

    /// Poses the blocks at the end.
    pub(super) fn pose(&mut self, step: &mut IslandStep<'_>, sources: &Sources<'_>) {
        let dt = widen(sources.dt);
        self.blocks.clear();
        self.blocks.extend_from_slice(step.bodies);
        for ((&i, v), block) in
            step.members.iter().zip(&*step.biased.velocity).zip(&mut *step.bodies)
        {
            let (body, motion) = (&sources.bodies[i as usize], &sources.motions[i as usize]);
            if body.locked_axes.locks_rotation() || is_round(body.inertia()) {
                continue;
            }
            let start = Rotor::new(body);
            let rotor = start.turned(DVec3::new(v[3], v[4], v[5]) * dt);
            let damping = 1.0 + dt * widen(body.angular_damping.max(0.0));
            block.inertia = rotor.tensor().map(|x| damping * x);
            block.inverse_inertia = stiffness::inverse(&block.inertia);
            let momentum = widen3(motion.momentum[1]);
            let mut free = rotor.velocity(momentum);
            let flown = start.turned(widen3(motion.angular) * dt);
            let energy = flown.velocity(momentum).dot(momentum);
            if free.dot(momentum) > (1.0 + LENT) * energy {
                // Turned far aside by a blow: the same in its own axes.
                free = rotor.out(flown.inside(flown.velocity(momentum)));
            }
            block.velocity_free[3..].copy_from_slice(&free.to_array());
        }
        *step.at_end = true;
    }

    /// Puts the blocks back; the velocities stay those at the end.
    pub(super) fn put_back(&self, step: &mut IslandStep<'_>) {
        step.bodies.copy_from_slice(&self.blocks);
    }
}
