//! A body during a step: what depends on its pose, and its free motion.

use crate::engine::lcp::Vec6;
use crate::engine::settings::ranges;
use crate::math::{Mat3, Real, SymMat3, Vec3, refill, widen};

/// Velocity as six numbers.
pub fn vec6(linear: Vec3, angular: Vec3) -> Vec6 {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z].map(widen)
}

/// A body during a step: what depends on its pose, and its free velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Can impulses move it?
    pub moves: bool,
    /// Does it sleep? Then it stands still, and nothing acts on it in this step.
    pub asleep: bool,
    /// World rotation.
    pub rotation: Mat3,
    /// World inertia [kg·m²], with the factor of damping; identity rows for locked axes.
    pub inertia: SymMat3,
    /// Its inverse; zero rows for locked axes and for bodies that impulses do not move.
    pub inverse_inertia: SymMat3,
    /// Mass (kg), with the factor of damping; 0 for bodies that impulses do not move.
    pub mass: Real,
    /// Inverse mass [1/kg]; 0 for bodies that impulses do not move.
    pub inverse_mass: Real,
    /// Mean velocity of the center of mass in free flight: it moves the body [m/s].
    pub linear: Vec3,
    /// Mean angular velocity in free flight: it turns the body [rad/s].
    pub angular: Vec3,
    /// What the forces of the step add to that until its end: half of what they add in it [m/s, rad/s].
    pub lead: [Vec3; 2],
    /// Mean angular momentum of a free step, and that at its end [N·m·s]; zero for bodies of round or
    /// locked inertia, whose angular velocity tells all.
    pub momentum: [Vec3; 2],
    /// The part of the free velocity that gravity gave in this step [m/s].
    pub fall: Vec3,
    /// Largest distance of a point from the center, at least the root mean square of that of mass (m).
    pub radius: Real,
    /// Smallest inradius of its pieces (m); 0 without a shape.
    pub inradius: Real,
    /// Bit k: the body moves in the plane orthogonal to axis k only, or not at all.
    pub planar: u8,
}

/// Free velocities and size of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// See [`Motion::linear`] [m/s].
    pub linear: Vec3,
    /// See [`Motion::angular`] [rad/s].
    pub angular: Vec3,
    /// See [`Motion::radius`] (m).
    pub radius: Real,
}

impl Motion {
    /// Its free velocities and its size.
    pub const fn course(&self) -> Course {
        Course { linear: self.linear, angular: self.angular, radius: self.radius }
    }

    /// Velocity of the point at `arm` from the center [m/s].
    pub fn velocity_at(&self, arm: Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }

    /// Velocities at the end of the step if nothing else acts [m/s, rad/s], those of rotation as the step
    /// problem knows them: what the body turns by in the step, and what torques add until its end.
    pub fn end(&self) -> [Vec3; 2] {
        [self.linear + self.lead[0], self.angular + self.lead[1]]
    }

    /// What forces add until the end of the step to the mean velocity of the point at `arm` from the
    /// center [m/s].
    pub fn lead_at(&self, arm: Vec3) -> Vec3 {
        self.lead[0] + self.lead[1].cross(arm)
    }

    /// `v + r |ω|` [m/s]: no point of the body is faster.
    pub fn speed(&self) -> Real {
        self.linear.length() + self.radius * self.angular.length()
    }

    /// Does it move by itself or can it be moved in this step?
    pub fn is_active(&self) -> bool {
        let driven = !self.moves && (self.linear != Vec3::ZERO || self.angular != Vec3::ZERO);
        driven || self.is_moved()
    }

    /// Is it moved by impulses in this step?
    pub(in crate::engine) const fn is_moved(&self) -> bool {
        self.moves && !self.asleep
    }

    /// Are the velocities within their ranges, and the speed and momentum finite numbers?
    pub fn is_finite(&self) -> bool {
        let [linear, angular] = self.end();
        ranges::SPEED.holds(linear)
            && ranges::SPIN.holds(angular)
            && self.momentum.iter().all(|l| l.is_finite())
            && self.speed().is_finite()
    }
}

/// The motions of all bodies in a step.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Motions {
    pub(in crate::engine) list: Vec<Motion>,
    /// Awake and moved by impulses?
    pub(in crate::engine) moves: Vec<bool>,
    /// That, or moved by hand?
    pub(in crate::engine) active: Vec<bool>,
    /// An end of a joint?
    pub(in crate::engine) jointed: Vec<bool>,
}

impl Motions {
    /// Makes room for those of `n` bodies, of which the first are kept.
    pub(in crate::engine) fn resize(&mut self, n: usize) {
        self.list.resize(n, Motion::default());
        self.moves.resize(n, false);
        self.active.resize(n, false);
    }

    /// Marks the ends of joints; what is none is beyond the list.
    pub(in crate::engine) fn join(&mut self, joints: &[[u32; 2]]) {
        refill(&mut self.jointed, self.list.len(), false);
        for &end in joints.as_flattened() {
            if let Some(jointed) = self.jointed.get_mut(end as usize) {
                *jointed = true;
            }
        }
    }
}
