//! The common motion of an island: that as one rigid body, which nothing within it can slow.
//!
//! Input: velocities and places at the end of a step or a part. Output: the motion with their momentum and
//! angular momentum, `ω = (Σ I + m [r]×ᵀ [r]×)⁻¹ Σ (I ω_i + r × m v_i)` about the center of mass, and
//! velocities scaled about it, which keeps both. O(bodies).

use super::midpoint::member::{Member, join, split};
use crate::engine::lcp::rows::{dot6, mass_mul};
use crate::engine::lcp::{BodyBlock, Vec6};
use crate::engine::step::assemble::IslandStep;
use crate::math::{DVec3, Double, sym_inverse, sym_times};

/// Kinetic energy of bodies with these velocities (J).
pub(super) fn kinetic<'a>(bodies: &[BodyBlock], of: impl Iterator<Item = &'a Vec6>) -> Double {
    bodies.iter().zip(of).map(|(body, v)| 0.5 * dot6(v, &mass_mul(body, v))).sum()
}

/// The motion of an island as one rigid body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Common {
    center: DVec3,
    linear: DVec3,
    angular: DVec3,
    /// Its kinetic energy (J).
    pub(super) energy: Double,
    /// That of its turn (J).
    turn: Double,
}

/// What takes momentum and angular momentum from an island.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchorage {
    Nothing,
    /// A ball joint there, at rest (m).
    Point(DVec3),
    Anything,
}

impl Common {
    /// That of the carried velocities; rest if something outside may take it up.
    pub(super) fn of(step: &IslandStep<'_>, members: &[Member], anchorage: Anchorage) -> Self {
        let mut common = Self::default();
        let lists = || step.bodies.iter().zip(&*step.relaxed.velocity).zip(members);
        let mut mass = 0.0;
        match anchorage {
            Anchorage::Anything => return common,
            Anchorage::Point(pivot) => common.center = pivot,
            Anchorage::Nothing => {
                for ((block, v), member) in lists() {
                    mass += block.mass[0];
                    common.center += member.to.0 * block.mass[0];
                    common.linear += split(v).0 * block.mass[0];
                }
                common.center /= mass;
                common.linear /= mass;
            }
        }
        let (mut inertia, mut spin) = ([0.0; 6], DVec3::ZERO);
        for ((block, v), member) in lists() {
            let (arm, (linear, angular)) = (member.to.0 - common.center, split(v));
            spin += arm.cross(linear) * block.mass[0] + sym_times(&block.inertia, angular);
            let [x, y, z] = arm.to_array();
            let own = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
            (0..6).for_each(|k| inertia[k] += block.inertia[k] + block.mass[0] * own[k]);
        }
        common.angular = sym_times(&sym_inverse(&inertia), spin);
        common.turn = 0.5 * spin.dot(common.angular);
        common.energy = 0.5 * (mass * common.linear.length_squared() + spin.dot(common.angular));
        if common.energy.is_finite() { common } else { Self::default() }
    }

    /// Slows its turn so far that it has no more than this energy (J), if that is possible: the forces of
    /// joints whose anchors are apart make angular momentum.
    pub(super) fn slow_turn(&mut self, most: Double) {
        let less = (self.energy - most).max(0.0).min(self.turn);
        if less > 0.0 {
            self.angular *= ((self.turn - less) / self.turn).sqrt();
            self.turn -= less;
            self.energy -= less;
        }
    }

    /// The velocity of a body there.
    fn at(&self, place: DVec3) -> Vec6 {
        join(self.linear + self.angular.cross(place - self.center), self.angular)
    }

    /// Scales what the carried velocities differ by from it; the largest change of a component [m/s, rad/s].
    pub(super) fn scale(
        &self,
        step: &mut IslandStep<'_>,
        members: &[Member],
        factor: Double,
    ) -> Double {
        let mut moved: Double = 0.0;
        for (v, member) in step.relaxed.velocity.iter_mut().zip(members) {
            let shared = self.at(member.to.0);
            for (x, shared) in v.iter_mut().zip(shared) {
                let change = (factor - 1.0) * (*x - shared);
                moved = moved.max(change.abs());
                *x += change;
            }
        }
        moved
    }
}
