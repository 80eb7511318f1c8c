//! Every tuned number of the engine, once: what it is, its unit, why this value, what breaks beyond it.
//!
//! What users set is in [`settings`](super::settings). Rounding constants of the geometry, sizes, counts
//! of operations and indices stay where they are used.
//!
//! What breaks beyond a value was measured by scaling each number by 1/4, 1/2, 2 and 4 in 15 scenes of the
//! lab (pyramid of 55, tower, mass ratio of 1000, heaps of boxes and hulls, chain, net, ragdolls, a wall that
//! is hit, dropped cubes, cards, arch, incline, drum, billiard), of one to two seconds each: work is the
//! counted one, of the scene named or the mean of all, over that at the value as it is. "Flat" is less than
//! 3 % of the mean, and as many islands solved to within those that change with any rounding (7 ± 5 of the
//! boxes). Where no figure is told, no scene of these meets the number, or what breaks is not work: then it
//! is what follows from the code.

mod contacts;
mod lcp;
mod solve;

pub use self::contacts::{
    broad, clip, collect, exposed, fat_boxes, intersect, mesh, narrow, normal, outline, passing,
    reuse, smooth, stop, swept, warm_start,
};
pub use self::lcp::{bounded, descent, held, joints_only, lanes, newton, work};
pub use self::solve::{
    by_mass, ending, flight, midpoint, midpoint_energy, poisson, policy, pressed, restitution,
    sequence, stiffness, sweeps,
};

/// What is worth a thread. Results do not depend on it.
pub mod threads {
    /// Pairs to be measured that are worth a task, which may have to wake a thread. With fewer the tasks cost
    /// more than they save, with more threads are idle.
    pub const PAIRS_MIN: usize = 128;
    /// Contacts and joint rows beside those of the largest island that are worth a pool, with the
    /// trade-off of pairs.
    pub const ROWS_MIN: usize = 2048;
}

/// Joint rows.
pub mod joint_rows {
    use crate::math::Double;

    /// Joint bias that stays in the carried velocity (m/s). Within it the bias carries the curvature, and a
    /// pendulum keeps its energy; more of it would whip a long chain up, less would slow it down.
    pub const CARRIED_MAX: Double = 1.0;
    /// Angle to an angular limit within which the limit has a row (rad): a turn of 1.2 rad/s at 1/60 s. With
    /// less a slow hinge passes its limit for a step and is pushed back, more only costs rows.
    pub const ANGLE_MARGIN: Double = 0.02;
    /// Cosine (–) of the swing beyond which its gradient is no longer followed: near a half turn it has a
    /// pole. Nearer to -1 the rows grow without bounds; nearer to 0 swings of a right angle lose their
    /// curvature.
    pub const SWING_POLE: Double = -0.9;
}

/// Free rotation.
pub mod spin {
    use crate::math::Double;

    /// Largest turn of a part of the step (rad): its orientation is off by a twelfth of the square of it,
    /// relatively. Twice as much is four times as far off, half as much costs twice the parts.
    pub const TURN_MAX: Double = 0.25;
    /// Most parts of a step (–): beyond 64 rad in it the energy is kept less well. It bounds the work of
    /// a step.
    pub const PARTS_MAX: Double = 256.0;
}

/// Who falls asleep.
pub mod fall_asleep {
    use crate::math::Real;

    /// Multiple of [`SleepSettings::time`](crate::engine::settings::SleepSettings::time) for which a body is
    /// watched at most, then anew (-): what drifts so slowly is awake. With more a body that started to creep
    /// falls asleep late, with less it may fall asleep while it creeps.
    pub const LONGEST: Real = 8.0;
}

/// Joints that yield.
pub mod yielding {
    use crate::math::Double;

    /// Acceleration of all of an island that its ties to the fixed world bear where it touches that, too, and
    /// then yield [m/s²]: a thousand times its weight. With less a heavy load pulls joints apart, without a
    /// bound a body between a joint and a wall gets impulses without end.
    pub const PRESSED: Double = 1e4;
    /// Softness of locks in loops, relative to their compliance (–).
    ///
    /// Rows of a loop may repeat each other where all anchors meet, and almost do where they meet almost:
    /// what they say of the motion in which the mechanism moves is then an error of the second order,
    /// divided by a small number, and it jams or shakes. Softened by a millionth, such rows say nothing.
    /// Where bodies that joints connect touch each other, joints that pull against contacts that push would
    /// find no end of it either; there, under the impulse that stops the whole island, a lock yields by no
    /// more than the tolerance. A light whip that touches itself would give by a millimetre at each joint
    /// under the load of its heavy end, and be torn apart by that when it lets go of itself.
    pub const YIELD: Double = 1e-6;
}
