//! A body on its way through a step of an island with joints.
//!
//! Input: a body and its free motion, half impulses. Output: where it flies to under them, by the
//! midpoint rule, with which mean velocity, and its mass block at any rotation on the way.

use crate::engine::lcp::{BodyBlock, Vec6};
use crate::engine::state::body::LockedAxes;
use crate::engine::state::joint::End;
use crate::engine::step::assemble::Sources;
use crate::engine::step::predict::spin::{Rotor, is_round};
use crate::math::turns::conjugate;
use crate::math::{
    DMat3, DVec3, Double, SERIES, SYM_PLACES, Sym, SymMat3, exp_double, quat_exp_double,
    quat_mul_double, quat_rotate_double, sym_inverse, sym_times, widen, widen3,
};

/// A body on its way through the step.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Member {
    /// Where it began the step.
    pub(in crate::engine) start: End,
    /// None if its inertia is round, or a rotation is locked.
    pub(in crate::engine) rotor: Option<Rotor>,
    pub(in crate::engine) mass: Double,
    pub(in crate::engine) locked: LockedAxes,
    /// World inertia and its inverse of those without a rotor.
    pub(in crate::engine) inertia: [Sym; 2],
    /// Damping of both velocities (1/s).
    pub(in crate::engine) damping: [Double; 2],
    /// Acceleration by forces [m/s²]; torque [N·m], of those without a rotor angular acceleration.
    pub(in crate::engine) force: [DVec3; 2],
    /// State at the start of the part: center, rotation, velocity, angular velocity or momentum.
    pub(in crate::engine) center: DVec3,
    pub(in crate::engine) rotation: [Double; 4],
    pub(in crate::engine) velocity: DVec3,
    pub(in crate::engine) spin: DVec3,
    /// Where it ends the part, and by which mean velocity.
    pub(in crate::engine) to: (DVec3, [Double; 4]),
    pub(in crate::engine) mean: Vec6,
    /// The mean velocity is that behind this part `θ` of the change of the step (–): 1/2, the midpoint rule,
    /// of second order, which keeps energy. Where springs and dampers are faster than the step, `h² k W > 1`
    /// or `h d W > 1` by all of the body together, with the compliance `W` of its own, it would ring for
    /// ever, and passes over to 1, implicit Euler. With `δ = h d W` of dampers without springs, a speed
    /// falls by `e^-δ`, and to its limit under a load: `θ = (1 - φ) / δ φ`, `φ = (1 - e^-δ)/δ`.
    pub(in crate::engine) late: Double,
}

impl Member {
    pub(in crate::engine) fn new(sources: &Sources<'_>, i: u32) -> Self {
        let (body, motion) = (&sources.bodies[i as usize], &sources.motions[i as usize]);
        let h = widen(sources.dt);
        let damping = [body.linear_damping, body.angular_damping].map(|d| widen(d.max(0.0)));
        let [f, g] = damping.map(|d| 1.0 + h * d);
        // The mean is the velocity at the start and half of what comes in the step.
        let begin = |mean, lead| widen3(mean) - widen3(lead);
        let velocity = begin(motion.linear, motion.lead[0]);
        let gain = (widen3(motion.lead[0]) * 2.0 + velocity) * f - velocity;
        let plain = body.locked_axes.locks_rotation() || is_round(body.inertia());
        let (spin, turn) = if plain {
            let spin = begin(motion.angular, motion.lead[1]);
            (spin, (widen3(motion.lead[1]) * 2.0 + spin) * g - spin)
        } else {
            let [middle, end] = motion.momentum.map(widen3);
            let spin = middle * 2.0 - end;
            (spin, end * g - spin)
        };
        let tensor = |s: SymMat3, factor: Double| -> Sym {
            [s.xx, s.yy, s.zz, s.xy, s.xz, s.yz].map(|x| widen(x) * factor)
        };
        let start = End::of(body);
        Self {
            start,
            rotor: (!plain).then(|| Rotor::new(body)),
            mass: widen(motion.mass) / f,
            locked: body.locked_axes,
            inertia: [tensor(motion.inertia, 1.0 / g), tensor(motion.inverse_inertia, g)],
            damping,
            force: [gain / h, turn / h],
            center: start.center,
            rotation: start.rotation,
            velocity,
            spin,
            to: (start.center, start.rotation),
            mean: [0.0; 6],
            late: 0.5,
        }
    }

    /// Springs and dampers act as late as these rates in a step ask for (–): of springs, and of dampers
    /// alone.
    pub(in crate::engine) fn act_late(&mut self, fast: Double, delta: Double) {
        let of_springs = if fast > 1.0 { 1.0 - 0.5 / fast } else { 0.5 };
        let of_dampers = if delta < SERIES {
            // To within rounding.
            0.5 + delta / 12.0
        } else {
            let mean = (1.0 - exp_double(-delta)) / delta;
            (1.0 - mean) / (delta * mean)
        };
        self.late = of_springs.max(of_dampers);
    }

    /// Angular velocity at the start of the part [rad/s].
    pub(in crate::engine) fn angular(&self) -> DVec3 {
        self.rotor.map_or(self.spin, |rotor| rotor.with(self.rotation).velocity(self.spin))
    }

    /// Velocity and angular velocity or momentum after `h` seconds with these impulses.
    pub(in crate::engine) fn pushed(&self, impulse: &Vec6, h: Double) -> [DVec3; 2] {
        let [f, g] = self.damping.map(|d| 1.0 + h * d);
        let (push, turn) = split(impulse);
        let push = self.filter(push / self.mass);
        let turn = match self.rotor {
            Some(_) => turn,
            None => sym_times(&self.inertia[1], turn),
        };
        [(self.velocity + self.force[0] * h + push) / f, (self.spin + self.force[1] * h + turn) / g]
    }

    pub(in crate::engine) fn filter(&self, v: DVec3) -> DVec3 {
        let keep = |axis, x| if self.locked.translation(axis) { 0.0 } else { x };
        DVec3::new(keep(0, v.x), keep(1, v.y), keep(2, v.z))
    }

    /// Moves for `h` seconds under these half impulses.
    pub(in crate::engine) fn fly(&mut self, half: &Vec6, h: Double) {
        let [velocity, spin] = self.pushed(&half.map(|x| 2.0 * x), h);
        let [early, late] = [1.0 - self.late, self.late];
        let linear = self.velocity * early + velocity * late;
        let middle = self.spin * early + spin * late;
        let angular = match self.rotor {
            Some(rotor) => rotor.with(self.rotation).fly(middle, DVec3::ZERO, h).mean,
            None => middle,
        };
        let turn = quat_exp_double(angular * h);
        self.to = (self.center + linear * h, quat_mul_double(turn, self.rotation));
        self.mean = join(linear, angular);
    }

    /// Moves for `h` seconds with this velocity.
    pub(in crate::engine) fn go_with(&mut self, velocity: &Vec6, h: Double) {
        let (linear, angular) = split(velocity);
        let turn = quat_exp_double(angular * h);
        self.to = (self.center + linear * h, quat_mul_double(turn, self.rotation));
        self.mean = *velocity;
    }

    /// Stays where it is.
    pub(in crate::engine) fn stand(&mut self) {
        (self.to, self.mean) = ((self.center, self.rotation), [0.0; 6]);
    }

    /// Goes on from the end of a part with these velocities.
    pub(in crate::engine) fn go_on(&mut self, velocity: &Vec6) {
        (self.center, self.rotation) = self.to;
        let angular;
        (self.velocity, angular) = split(velocity);
        self.spin = self.rotor.map_or(angular, |rotor| rotor.with(self.rotation).momentum(angular));
    }

    /// What is fixed to it, from its center, at the end of the part.
    pub(in crate::engine) fn turned(&self, arm: DVec3) -> DVec3 {
        quat_rotate_double(self.to.1, quat_rotate_double(conjugate(self.rotation), arm))
    }

    /// By what vectors that are fixed to it turn in the part, `R - I`.
    pub(in crate::engine) fn turn(&self) -> DMat3 {
        let [x, y, z, w] = quat_mul_double(self.to.1, conjugate(self.rotation));
        // Of the rotation that quaternions of any length stand for.
        let (u, scale) = (DVec3::new(x, y, z), 2.0 / (x * x + y * y + z * z + w * w));
        let column = |axis: DVec3| {
            let across = u.cross(axis);
            (across * w + u.cross(across)) * scale
        };
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }

    /// Turns its mass block to the end of the part, with the velocity that its momentum gives there.
    pub(in crate::engine) fn turn_block(&self, block: &mut BodyBlock, h: Double) {
        let Some(rotor) = self.rotor else { return };
        let [.., momentum] = self.pushed(&[0.0; 6], h);
        let BodyBlock { inertia, inverse_inertia, .. } = self.block(self.to.1, h, 1.0);
        (block.inertia, block.inverse_inertia) = (inertia, inverse_inertia);
        let rotor = rotor.with(self.to.1);
        block.velocity_free[3..].copy_from_slice(&rotor.velocity(momentum).to_array());
    }

    /// Mass block at a rotation, with damping; `part` of it. The velocity is to be filled in.
    pub(in crate::engine) fn block(
        &self,
        rotation: [Double; 4],
        h: Double,
        part: Double,
    ) -> BodyBlock {
        let [f, g] = self.damping.map(|d| part * (1.0 + h * d));
        let free = [0, 1, 2].map(|axis| !self.locked.translation(axis));
        let mass = f * self.mass;
        let [inertia, inverse_inertia] = match self.rotor {
            Some(rotor) => {
                let inertia = rotor.with(rotation).tensor().map(|x| g * x);
                [inertia, sym_inverse(&inertia)]
            }
            None => [self.inertia[0].map(|x| g * x), self.inertia[1].map(|x| x / g)],
        };
        BodyBlock {
            mass: free.map(|free| if free { mass } else { 1.0 }),
            inertia,
            inverse_mass: free.map(|free| if free { 1.0 / mass } else { 0.0 }),
            inverse_inertia,
            velocity_free: [0.0; 6],
        }
    }

    /// Adds a stiffness to the inertia of a mass block.
    pub(in crate::engine) fn stiffen(&self, block: &mut BodyBlock, added: &Sym) {
        let turns = [0, 1, 2].map(|axis| !self.locked.rotation(axis));
        for (k, [row, column]) in SYM_PLACES.into_iter().enumerate() {
            // A locked axis neither gives way nor couples the others.
            if turns[row] && turns[column] {
                block.inertia[k] += added[k];
            }
        }
        block.inverse_inertia = sym_inverse(&block.inertia);
        (0..3).filter(|&axis| !turns[axis]).for_each(|axis| block.inverse_inertia[axis] = 0.0);
    }
}

/// Linear and angular part.
pub(in crate::engine::step::solve) fn split(v: &Vec6) -> (DVec3, DVec3) {
    (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]))
}

/// A vector of a linear and an angular part.
pub(in crate::engine::step::solve) fn join(a: DVec3, b: DVec3) -> Vec6 {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}
