//! Tuned numbers of the stage that solves islands.

/// Which solver an island gets.
pub mod policy {
    use crate::math::Double;

    /// What Newton may always cost a large island, in steps made of small ones (–): a factor or two for the
    /// poses, as much for the velocities of the end. More makes the slowest steps of heaps that calm down as
    /// much slower, with less what trembles is not solved any more.
    pub const PRICE: Double = 4.0;
    /// Largest part of the price of small steps that goes into tries of Newton after it failed (–): one in
    /// half a second. More lets heaps take longer for nothing, less leaves what settles soft for longer.
    pub const TRIES: Double = 0.2;
    /// Rounds of scalar sweeps and Newton after a Newton that failed: most that are solved at all are by
    /// then. Flat from 1 to 12; it bounds the work of a step.
    pub const TURNS: u32 = 3;
    /// Joint rows for each contact that pushes from which on an island is a mechanism, whose factor is worth
    /// what it costs. With fewer, heaps with some joints in them get the work of a mechanism; with more, what
    /// swings while it touches something is made small.
    pub const MECHANISM: usize = 8;
    /// Contacts, joint rows and bodies of an island that joints hold together from which on it keeps an
    /// account, as large ones do: a ragdoll of fifteen parts on the ground has 130. With a quarter such a
    /// ragdoll is made small where it strikes, and its joints open by 5 cm. Flat up to four times as much.
    /// Several bodies in contact keep one whatever their number: else a step in which twenty chains strike a
    /// heap takes 500 ms.
    pub const JOINTED: usize = 160;
    /// Residual with which small steps do no better [m/s]: what they leave of a heap in motion. With more,
    /// rough solutions of large islands are taken (none more at four times as much) and Newton is tried in
    /// vain; with a quarter, good ones are thrown away, and a wall that is hit gets 0.3 times the work.
    pub const ROUGH: Double = 0.05;
    /// Work of `Newton`, that of mechanisms and tiny islands, and that of a whole step, in budgets of others
    /// (–). With a quarter ragdolls come apart by 0.2 m, with four times as much what has no solution takes
    /// as much longer.
    pub const PATIENCE: Double = 12.5;
    /// Work (–) of the cone Newton within which the error of a small island without joints, but not a
    /// tiny one, has to fall by half, in sweeps. With less what converges late is swept, with more what
    /// does not converge costs more before it is. Flat from a quarter to four times as much.
    pub const HALF_WORK: Double = 60.0;
    /// Turn in a step (rad) from which on Euler's step errs by a thousandth of the arms of contacts: islands
    /// without joints move by the midpoint rule then as well. With more tops tilt too slowly, with less
    /// what only rolls costs Newton passes.
    pub const FAST: Double = 0.05;
}

/// Light bodies on heavy ones.
pub mod by_mass {
    use crate::engine::tuning::newton::AIM;
    use crate::math::Double;

    /// Largest mass of a light body, in those of heavy ones (–): a turn leaves that part of the error.
    pub const LIGHT: Double = 0.5 * AIM;
}

/// Sweeps before Newton, and where it fails.
pub mod sweeps {
    /// Accelerated sweeps of a small island where the cone Newton fails, and most sweeps over manifolds that
    /// strike at once: what they do not solve within these they mostly never do. With more, what is in vain
    /// costs more, with less heavy bodies on light ones are left unsolved.
    pub const SWEEPS: u32 = 192;
    /// Plain sweeps where the accelerated ones fail too, in an island of many rows. Fewer leave bodies that
    /// rock unsolved, more take longer than a general solve.
    pub const PLAIN_SWEEPS: u32 = 768;
    /// Sweeps between two checks, each of which costs as much as two: with fewer the checks are what costs,
    /// with more up to so many are for nothing. Four times as many go before Newton in blows: half of those
    /// leave a pyramid unsolved on which peas rain, twice as many are flat.
    pub const CHECK_EVERY: u32 = 16;
}

/// Islands with joints.
pub mod midpoint {
    use crate::math::Double;

    /// Newton steps of joints after which those go on that come near within two more; a joint that is not
    /// where it should be then is drawn there in the next step. With four, whips are made in parts twice as
    /// often and ragdolls take three times the work; with ten the slowest step of a chain of 50 takes six
    /// times as long, since what does not come near by then seldom does, and a net twice as long on the mean.
    pub const PASSES: u32 = 6;
    /// Most Newton steps: contacts open and close, each of which takes one. With fewer, bodies that turn fast
    /// are left to Euler's step.
    pub const PASSES_MAX: u32 = 10;
    /// Largest turn of a part of the step (rad): Newton's method gains a factor of about its inverse a step.
    /// Near 1 it does not converge, half as much costs twice the parts.
    pub const TURN_MAX: Double = 0.35;
    /// Most parts (–): beyond twenty radians a step joints are held less well. It bounds the work of a step.
    pub const PARTS_MAX: Double = 64.0;
    /// Most rows (–) of all parts together: large islands are not made in parts. The work of a net is in
    /// proportion to it, 2.7 times with four times as many.
    pub const ROWS_MAX: Double = 8192.0;
    /// Part of a blow by which arms may be off in it (–). With more, blows turn bodies by arms that they
    /// do not have, with less contacts at work take passes that change nothing.
    pub const ARMS: Double = 1e-3;
    /// Residual at which Newton's method ends, in tolerances of the solver (–): what it leaves is seen by the
    /// next step. With 1 single precision often keeps it from ending, with 100 joints are off visibly.
    pub const NEAR: Double = 10.0;
    /// Bias of a contact or limit that is open at the end of the step [m/s]: faster than anything. Less would
    /// push at what is fast, much more takes digits of the other rows.
    pub const OPEN: Double = 1e6;
    /// Softness of rows that have given their impulse already (–): what moves the others rounds away in
    /// theirs.
    pub const GIVEN: Double = 1.0 / (Double::EPSILON * Double::EPSILON);
}

/// Geometric stiffness.
pub mod stiffness {
    use crate::math::Double;

    /// Part of the inertia below which a stiffness is left out (–): it changes Newton's method too little to
    /// matter. With more, loaded chains take more passes; with less, blocks are made anew for nothing.
    pub const SLIGHT: Double = 0.02;
}

/// The carried problem at the pose of the end.
pub mod ending {
    use crate::math::Double;

    /// Turns of this size in a step matter (rad): impulses err by that part of their work otherwise.
    /// Where bodies bounce or float all do. With more, angular momentum is lost in blows; with less, slow
    /// islands solve twice.
    pub const TURNED: Double = 0.01;
    /// Part of its energy that a rotation may be lent for its angular momentum (–): thin rods would need many
    /// times theirs. With more, collisions add energy; with 0 rounding refuses what is exact.
    pub const LENT: Double = 1e-3;
}

/// Contacts that ask for the impossible.
pub mod pressed {
    use crate::math::Double;

    /// Multiple of all speeds at hand beyond which nothing reaches a velocity (–). With less, hard blows of
    /// light bodies are let through; with more, what is wedged shoots out.
    pub const BEYOND: Double = 100.0;
}

/// The energy of the steps of islands with joints.
pub mod midpoint_energy {
    use crate::math::Double;

    /// Largest part of the energy that a part of the step may lose as its velocities are made to fit the
    /// joints (–): in ten seconds at 60 Hz it sums to less than a hundredth. Less makes parts of what is
    /// good.
    pub const LOSS_MAX: Double = 1e-5;
    /// Speed (m/s) below which nobody minds that: what hangs at rest trembles by the tolerance. More lets
    /// slow pendulums lose energy.
    pub const STILL: Double = 1e-2;
}

/// Bodies without impulses.
pub mod flight {
    pub use crate::engine::tuning::held::PASSES;
}

/// Restitution.
pub mod restitution {
    pub use super::midpoint::OPEN;
}

/// Poisson's hypothesis.
pub mod poisson {
    use crate::math::Double;

    /// Most solves for the friction of a decompression: each corrects the impulses to about a tenth of what
    /// they were off by. It bounds the work of a step.
    pub const FRICTION_MAX: u32 = 4;
    /// Relative difference of normal impulses below which they are the same (–): bounces are off by as much.
    pub const NEAR: Double = 0.02;
}

/// Impacts in sequence.
pub mod sequence {
    use crate::math::Double;

    /// Most impacts for each manifold: a wave passes a row of n balls n times at most where none is elastic
    /// enough to come back. It bounds the work of a step; longer rows end with Newton's hypothesis.
    pub const IMPACTS_MAX: usize = 64;
    /// Relative difference of approaches below which manifolds strike at once (–): a hundred times the noise
    /// that single precision leaves in the normals of small bodies. With less, a box that lands flat strikes
    /// corner by corner and turns; with more, waves through rows of balls are lost.
    pub const ALIKE: Double = 1e-4;
    pub use super::sweeps::SWEEPS as SWEEPS_MAX;
    /// Part of the fastest speed at which these sweeps end (–): some hundred roundings, so that what is
    /// symmetric stays so. With less they may never end.
    pub const EXACT: Double = 1e-13;
}
