//! The problem of one island for the sweeps, and its unknowns.

use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::problem::{BodyBlock, JointRow, Vec6};
use crate::math::Double;
use crate::par::Pool;

/// The problem of one island.
#[derive(Clone, Copy, Debug)]
pub struct SweptIsland<'a> {
    /// Mass blocks; `velocity_free` is the velocity after the forces of the whole step.
    pub bodies: &'a [BodyBlock],
    /// Contacts.
    pub manifolds: &'a [Manifold],
    /// Joint rows, those of a joint one after the other.
    pub joints: &'a [JointRow],
    /// The part of the bias of each joint row that is not carried on [m/s or rad/s].
    pub joint_push: &'a [Double],
    /// Velocity of each body before the step [m/s, rad/s].
    pub velocity_last: &'a [Vec6],
    /// Of each body the leaf of the island that it is in, see `domains.rs`; empty if it is not divided, as
    /// none with joints is.
    pub leaves: &'a [u8],
    /// Sweeps several parts at the same time.
    pub pool: &'a dyn Pool,
}

/// Unknowns of an island: warm start in, solution out. Of each pair the first is that of the biased
/// sweeps, which move the bodies, the second that of the relaxed ones.
#[derive(Debug)]
pub struct SweepIterate<'a> {
    /// Mean velocity over the step, `h` times which moves the poses, and velocity at its end [m/s, rad/s].
    pub velocity: [&'a mut [Vec6]; 2],
    /// Impulse of every contact on body b over the whole step, world axes [N·s]. The warm start is read
    /// from the second.
    pub contact_impulse: [&'a mut [[Double; 3]]; 2],
    /// Impulse of every joint row over the whole step [N·s or N·m·s]. The warm start is read from the second.
    pub joint_impulse: [&'a mut [Double]; 2],
}
