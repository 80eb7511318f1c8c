//! Every tuned number of the engine, once: what it is, its unit, why this value.
//!
//! What users set is in [`settings`](super::settings). Rounding constants of the geometry, sizes and indices
//! stay where they are used.

mod lcp;

pub use self::lcp::{bounded, descent, held, joints_only, lanes, newton, order, work};

/// Joint rows.
pub mod joint_rows {
    use crate::math::Double;

    /// Joint bias that stays in the carried velocity (m/s). Within it the bias carries the curvature, and a
    /// pendulum keeps its energy; more of it would whip a long chain up, less would slow it down.
    pub const CARRIED_MAX: Double = 1.0;
    /// Angular limits within this angle have a row (rad).
    pub const ANGLE_MARGIN: Double = 0.02;
    /// Beyond this cosine of the swing its gradient is no longer followed: near a half turn it has a pole.
    pub const SWING_POLE: Double = -0.9;
}

/// Free rotation.
pub mod spin {
    use crate::math::Double;

    /// Largest turn of a part of the step (rad): its orientation is off by a twelfth of the square of it,
    /// relatively.
    pub const TURN_MAX: Double = 0.25;
    /// Most parts of a step: beyond 64 rad in it the energy is kept less well.
    pub const PARTS_MAX: Double = 256.0;
    /// Moments of inertia that differ by less, relatively, are the same.
    pub const ROUND: Double = 1e-6;
}

/// The broad phase: what a step can move a body.
pub mod broad {
    use crate::math::Real;

    /// The part of the inradius up to which the speed of the component counts (-).
    pub const BLOW: Real = 0.2;
    /// Rounds of speeds that spread: once with each body's own speed, then with that of its component until
    /// it stops growing.
    pub const ROUNDS: u8 = 4;
}

/// Its fat boxes.
pub mod fat_boxes {
    use crate::math::Real;

    /// A fat box holds the motion of so many steps.
    pub const AHEAD: Real = 4.0;
    /// And it is larger than the box by this part of its size.
    pub const SLACK: Real = 0.02;
    /// It is made anew when there is so many times the room that it would get.
    pub const LOOSE: Real = 4.0;
}

/// One pair.
pub mod narrow {
    use crate::math::Real;

    /// A plane that swept pieces cross by this part of the smaller inradius may serve as their contact plane.
    pub const SLACK: Real = 0.1;
    /// Distance [m, and relative] below which two contacts are one.
    pub const SAME: Real = 64.0 * Real::EPSILON;
}

/// The reference normal.
pub mod normal {
    pub use super::outline::SQUARE;
    use crate::math::Real;

    /// By how much of the eligible depth another plane must beat the ratio's normal (-). A row that the
    /// motion violates by less than that kicks the body: 1 µm in a step of 1/60 s is 0.07 mm/s.
    pub const PREFERENCE: Real = 2e-4;
    /// Depth, as part of the eligible one, to which a body that stays on a plane may have sunk into it (-):
    /// 13 µm of 5.5 mm, more than the dead zone of contacts leaves.
    pub const SUNK: Real = 2.4e-3;
    /// Cosine above which a normal is that of a face, and a face square to the normal.
    pub const ALIGNED: Real = 1.0 - 1e-6;
}

/// Clipping.
pub mod clip {
    pub use super::normal::ALIGNED;
    use crate::math::Real;

    /// Outermost points of rims that touch lie this many separations apart across the normal at most.
    pub const ASIDE: Real = 2.0;
    /// Slope that such a face may have against the normal (-).
    pub const TILT: Real = 2e-3;
}

/// Contacts of a pair.
pub mod collect {
    use crate::math::Real;

    /// A normal that leans less than this from that of a face is the face's own (-).
    pub const LEVEL: Real = 16.0 * Real::EPSILON;
}

/// Contacts that serve again.
pub mod reuse {
    use crate::math::Real;

    /// Contacts are followed up to a slip of this part of the smaller inradius (-).
    pub const SLIP: Real = 0.02;
    /// What is apart may slide farther, by this part of the gap (-).
    pub const APART: Real = 0.5;
    /// By how much more than when they were measured contacts may be about to be crossed, as a part of the
    /// depth up to which a plane may serve (-): 0.1 mm a step.
    pub const WORSE: Real = 0.02;
    /// Rounding of a rotated vector, in machine epsilons.
    pub const ROUNDINGS: Real = 8.0;
}

/// Triangles of meshes.
pub mod mesh {
    pub use super::normal::PREFERENCE;
    use crate::math::Real;

    /// Hulls with their center deeper behind the surface than this part of their inradius are not touched.
    pub const BEHIND: Real = 0.5;
    /// `D` is at least this part of the inradius.
    pub const FLOOR: Real = 1e-3;
}

/// Normals that a triangle exposes.
pub mod exposed {
    use crate::math::Real;

    /// Sine of the angle by which an edge at a corner may rise over a plane that holds the corner.
    pub const RISE: Real = 1e-5;
}

/// Outlines of faces.
pub mod outline {
    use crate::math::Real;

    /// A face is part of the outline if its normal has at least this component along the contact
    /// normal.
    pub const FACING_MIN: Real = 0.05;
    /// Sine of the angle within which a feature counts as square to the normal.
    pub const SQUARE: Real = 1e-3;
}

/// Round and curved surfaces.
pub mod smooth {
    pub use super::outline::SQUARE;
    use crate::math::Real;

    /// Sine of the tilt of a cap below which its corners are as good as its lowest point.
    pub const LEVEL: Real = 1e-4;
    /// Sine of the tilt above which a cap is touched at its lowest point alone. Its other corners are far
    /// from where it touches, and those of a wheel run with it: taken straight on, they would be anywhere
    /// by the end of a step.
    pub const STEEP: Real = 0.25;
    /// Sine and cosine of the angle from the lowest point to these.
    pub const BESIDE: [Real; 2] = [0.1 / 1.0025, 0.9975 / 1.0025];
}

/// Edges that cross.
pub mod intersect {
    use crate::math::Real;

    /// Sine of the angle below which two capsules lie along each other.
    pub const ALONG: Real = 0.1;
}

/// Swept pairs.
pub mod swept {
    use crate::math::Real;

    /// A sweep ends at this part of the contact margin before the touch.
    pub const SWEEP_TOLERANCE: Real = 0.02;
}

/// Where swept bodies end a step.
pub mod stop {
    use crate::math::Real;

    /// Motions below this part of the inradius cannot go through anything.
    pub const SLOW: Real = 0.5;
    /// The second sweep allows this part of the smaller inradius as overlap: bodies that slide along each
    /// other may touch.
    pub const OVERLAP: Real = 0.5;
    /// It ends this part of the smaller inradius before.
    pub const TOLERANCE: Real = 0.1;
    /// Deeper overlaps grow by at most twice this part of the smaller inradius a step.
    pub const CREEP: Real = 0.02;
}

/// Who falls asleep.
pub mod fall_asleep {
    use crate::math::Real;

    /// A body is watched for this many times [`SleepSettings::time`] at most, then anew.
    pub const LONGEST: Real = 8.0;
}

/// Joints that yield.
pub mod yielding {
    use crate::math::Double;

    /// What ties an island to the fixed world that it touches, too, bears this acceleration of all of it, as
    /// a thousand times its weight would take, and then yields [m/s²].
    pub const PRESSED: Double = 1e4;
    /// Impulses that are this near to a bound are there (–).
    pub const YIELDS: Double = 1e-9;
    /// Softness of locks in loops, relative to their compliance (–).
    ///
    /// Rows of a loop may repeat each other where all anchors meet, and almost do where they meet almost:
    /// what they say of the motion in which the mechanism moves is then an error of the second order, divided
    /// by a small number, and it jams or shakes. Softened by a millionth, such rows say nothing; a lock under
    /// a thousand times the weight of its bodies yields by 3 µm (h² g ε 1000). The same where bodies that
    /// joints connect touch each other: joints that pull against contacts that push would find no end of it.
    pub const YIELD: Double = 1e-6;
}

/// Which solver an island gets.
pub mod policy {
    pub use super::joints_only::{PAUSE, TAKEN};
    use crate::math::Double;

    /// After bodies struck each other in it a large island gets the budget of so many rows: heaps that settle
    /// have other contacts in every step, for which a good solution is in vain.
    pub const STRUCK: Double = 200.0;
    /// By how much that grows in each step without a blow (-), and up to the budget of how many rows:
    /// Newton must not take long in a step, however large the heap.
    pub const REGAIN: Double = 1.02;
    pub const CALM: Double = 1000.0;
    /// What stands from the start, with approaches below this [m/s], gets the budget of all its rows.
    pub const STANDS: Double = 1e-3;
    /// The finest tolerance that rounding allows impulses to be judged by [m/s].
    pub const AIM_MIN: Double = 1e-9;
    /// Rounds of scalar sweeps and Newton after a Newton that failed: most that are solved at all are by
    /// then.
    pub const TURNS: u32 = 3;
    /// Joint rows for each contact from which on an island is a mechanism: small steps, which hold no
    /// joint, are nothing for it, and its factor is worth what it costs.
    pub const MECHANISM: usize = 8;
    /// The finest tolerance that sweeps in single precision reach [m/s].
    pub const SWEPT_TO: Double = 1e-6;
    /// A residual with which small steps do no better [m/s].
    pub const ROUGH: Double = 0.05;
    /// The work of `Newton`, that of mechanisms and tiny islands, and that of a whole step, in budgets of
    /// others.
    pub const PATIENCE: Double = 12.5;
    /// By how much the work of a step shrinks after one that was not solved, down to a budget of others, and
    /// grows after one that was (–): what has no solution most often has none in the next step.
    pub const RECOVERY: Double = 2.0;
    /// Work of the cone Newton in a small island without joints, but not a tiny one, within which the
    /// error has to fall by half, in sweeps.
    pub const HALF_WORK: Double = 60.0;
    /// A turn in a step (rad) from which on Euler's step errs by a thousandth of the arms of contacts:
    /// islands without joints move by the midpoint rule then as well.
    pub const FAST: Double = 0.05;
    /// Solves for the ways of bodies that fly on after a blow: each gains a factor of about their turn.
    pub const FLIGHTS: u32 = 16;
}

/// Sweeps where Newton fails.
pub mod sweeps {
    /// Accelerated sweeps of a small island where the cone Newton fails.
    pub const SWEEPS: u32 = 192;
    /// Plain sweeps where the accelerated ones fail too, in an island of many rows; so many rows' worth
    /// more in any other, up to a most: on single bodies nothing else may converge, and their sweeps cost
    /// almost nothing.
    pub const PLAIN_SWEEPS: u32 = 768;
    pub const PLAIN_ROWS: u32 = 20;
    pub const PLAIN_SWEEPS_MAX: u32 = 2048;
    /// Sweeps between two checks.
    pub const CHECK_EVERY: u32 = 16;
}

/// Islands with joints.
pub mod midpoint {
    use crate::math::Double;

    /// Newton steps; a joint that is not where it should be then is drawn there in the next step.
    pub const PASSES: u32 = 6;
    /// The same without joints: contacts open and close.
    pub const PASSES_CONTACTS: u32 = 10;
    /// Largest turn of a part of the step (rad): Newton's method gains a factor of about its inverse a step.
    pub const TURN_MAX: Double = 0.35;
    /// Most parts: beyond twenty radians a step joints are held less well.
    pub const PARTS_MAX: Double = 64.0;
    /// Most rows of all parts together: large islands are not made in parts.
    pub const ROWS_MAX: Double = 8192.0;
    /// Arms are near enough in a blow when they are off by this part of it (–).
    pub const ARMS: Double = 1e-3;
    /// Newton's method ends at a residual of so many tolerances of the solver: what it leaves is seen by the
    /// next step.
    pub const NEAR: Double = 10.0;
    /// Bias of a contact or limit that is open at the end of the step [m/s]: faster than anything.
    pub const OPEN: Double = 1e6;
    /// Softness of rows that have given their impulse already.
    pub const GIVEN: Double = 1e30;
}

/// Geometric stiffness.
pub mod stiffness {
    use crate::math::Double;

    /// Stiffness below this part of the inertia changes Newton's method too little to matter (–).
    pub const SLIGHT: Double = 0.02;
    /// Compression makes arms unstable; the matrix keeps this part of the inertia (–).
    pub const LEFT: Double = 1.0;
    /// Off-diagonals below this part of the diagonal change the positive part by no more than rounding (–).
    pub const ROUNDING: Double = 1e-16;
}

/// The carried problem at the pose of the end.
pub mod ending {
    use crate::math::Double;

    /// Turns of this size in a step matter (rad): impulses err by that part of their work otherwise. Where
    /// bodies bounce all do.
    pub const TURNED: Double = 0.01;
    /// Part of its energy that a rotation may be lent for its angular momentum (–): thin rods would need many
    /// times theirs.
    pub const LENT: Double = 1e-3;
}

/// Contacts that ask for the impossible.
pub mod pressed {
    use crate::math::Double;

    /// How many times faster than all speeds at hand a velocity has to be that nothing reaches (–).
    pub const BEYOND: Double = 100.0;
}

/// The energy of its steps.
pub mod midpoint_energy {
    use crate::math::Double;

    /// Largest part of the energy that a part of the step may lose as its velocities are made to fit the
    /// joints (–): in ten seconds at 60 Hz it sums to less than a hundredth.
    pub const LOSS_MAX: Double = 1e-5;
    /// Speed (m/s) below which nobody minds that.
    pub const STILL: Double = 1e-2;
    /// A soft problem lends no body more than this speed `u` [m/s].
    pub const PUSH_MAX: Double = 3.0;
}

/// Bodies without impulses.
pub mod flight {
    /// If bodies still hinder each other after so many passes, none flies.
    pub use super::held::PASSES;
}

/// Islands on a pool.
pub mod pool {
    /// Contacts and joint rows beside those of the largest island from which on a pool solves them.
    pub const SPREAD: usize = 2048;
}

/// Restitution.
pub mod restitution {
    pub use super::midpoint::OPEN;
}

/// Poisson's hypothesis.
pub mod poisson {
    use crate::math::Double;

    /// Most solves for the friction of a decompression.
    pub const FRICTION_MAX: u32 = 4;
    /// Normal impulses that differ by this part are the same there.
    pub const NEAR: Double = 0.02;
}

/// Impacts in sequence.
pub mod sequence {
    use crate::math::Double;

    /// Most impacts for each manifold: a wave passes a row of n balls n times at most where none is elastic
    /// enough to come back.
    pub const IMPACTS_MAX: usize = 64;
    /// Manifolds whose approaches differ by less than this part strike at once: a hundred times the noise
    /// that single precision leaves in the normals of small bodies.
    pub const ALIKE: Double = 1e-4;
    /// Most sweeps over the manifolds that strike at once, and the part of the speed at which they end.
    pub const SWEEPS_MAX: u32 = 200;
    pub const EXACT: Double = 1e-13;
}
