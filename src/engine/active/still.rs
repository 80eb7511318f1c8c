//! Pairs that hardly moved since they were measured, which keep their contacts.
//!
//! Input: a pair with the poses at which it was measured, and those of now. Output: may its contacts serve
//! again? Yes while no point of one piece moved by more than `c h²` against the other, or will within
//! the step. Gaps are then wrong by no more than that, which the O(h²) of the infeasibility
//! allows and the dead zone covers; and a world at rest has the same rows in every step, whose solution is at
//! hand. Poses are compared with those of the measurement, not of the last step: errors do not add up. Both
//! bodies must keep their rotations in the world, because contacts are given there. O(1).

use super::Context;
use crate::engine::body::Body;
use crate::engine::pair::{Measurement, Pair};
use crate::engine::predict::Motion;
use crate::engine::settings::ActiveEvents;
use crate::math::{Quat, Real, Vec3};

impl Context<'_> {
    /// Distance up to which a pair counts as unmoved (m); 0: none does.
    pub(super) fn stillness(&self) -> Real {
        let contact = &self.settings.contact;
        if contact.active == ActiveEvents::Clipped {
            contact.stillness * self.dt * self.dt
        } else {
            0.0
        }
    }

    /// What a pair that is measured now has to remember, if its contacts can serve again.
    pub(super) fn measurement(&self, pair: &Pair, [a, b]: [&Body; 2]) -> Option<Measurement> {
        // What is swept touches on its way, not where it is.
        (self.stillness() > 0.0 && !a.swept && !b.swept).then(|| Measurement {
            between: b.center() - a.center(),
            rotations: [a.rotation(), b.rotation()],
            band: self.band(pair.bodies),
        })
    }

    /// May the contacts of the last step serve again?
    pub(super) fn is_still(&self, pair: &Pair, bodies: [&Body; 2], motions: [&Motion; 2]) -> bool {
        let Some(last) = &pair.measured else { return false };
        let [a, b] = bodies;
        let between = b.center() - a.center();
        // What has no bounds touches as far away as the other body reaches.
        let lever = |k: usize| match motions[k].radius {
            0.0 => between.length() + motions[1 - k].radius,
            radius => radius,
        };
        let levers = [lever(0), lever(1)];
        let turned = |k: usize| levers[k] * angle(last.rotations[k], bodies[k].rotation());
        let moved = (between - last.between).length() + turned(0) + turned(1);
        let speed = |k: usize| velocity(bodies[k], motions[k]);
        let ([linear_a, angular_a], [linear_b, angular_b]) = (speed(0), speed(1));
        let speed = (linear_b - linear_a).length()
            + levers[0] * angular_a.length()
            + levers[1] * angular_b.length();
        let zone = self.stillness();
        // Written so that what is not a number is not still.
        moved <= zone && self.dt * speed <= zone && self.active(pair.bodies) + moved <= last.band
    }
}

/// Linear and angular velocity of a body as it is, without what this step's forces add.
fn velocity(body: &Body, motion: &Motion) -> [Vec3; 2] {
    if motion.moves {
        [body.linear_velocity, body.angular_velocity]
    } else {
        [motion.linear, motion.angular]
    }
}

/// An upper bound of the angle of a small turn (rad).
fn angle(from: Quat, to: Quat) -> Real {
    let [dx, dy, dz, dw] = [to.x - from.x, to.y - from.y, to.z - from.z, to.w - from.w];
    // A chord of the unit sphere of quaternions belongs to twice its angle; the arc is hardly longer.
    2.01 * (dx * dx + dy * dy + dz * dz + dw * dw).sqrt()
}
