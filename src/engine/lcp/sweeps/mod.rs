//! Stiff small steps and sweeps in eight lanes: the budget mode, and the answer to violence.
//!
//! Input: one island, manifolds and joint rows, and the impulses of the last step. Output: velocities and
//! impulses. Three ways of using the same sweep of projected Gauss–Seidel:
//!
//! - [`solve_substeps`] divides the step into `n` steps of `h/n`, each a problem (5.1)–(5.2) of its own
//!   with the gaps brought up to date, and gives each two sweeps: one with the bias of its gaps, which
//!   moves the bodies, and one without push, for the velocity carried on. The first is *soft*: contacts drop
//!   half of the impulse that they start from, joints three tenths. The error falls like `1/n²`, is bounded
//!   by no tolerance, and that of the whole step is measured by the caller.
//! - [`solve_sweeps`] sweeps `n` times over the one problem of the step. The error falls like `1/n`.
//! - [`solve_conjugate`] accelerates the latter by conjugate directions.
//!
//! Manifolds are colored (`color.rs`): those of a color share no moving body and are solved eight abreast by
//! one kernel (`sweep.rs`), written for any number of lanes; one lane gives the same bits. Arms and
//! normals stay those of the start of the step, as in the one problem.
//!
//! State is in single precision: positions enter only as arms and gaps. The cone is circular; pyramids and
//! rolling rows are left to the other solvers. Cost: see `benches/sweep.rs`; no allocation once the
//! buffers have grown.

mod batch;
mod bounded;
mod color;
mod joints;
mod nncg;
mod substeps;
mod sweep;
#[cfg(test)]
mod tests;

pub use self::nncg::solve_conjugate;
pub use self::substeps::{SubstepParams, WideStats, solve_substeps, solve_sweeps, substep_ways};

use super::manifold::Manifold;
use super::problem::{BodyBlock, JointRow, Vec6};
use crate::math::{Double, Single};

/// The problem of one island.
#[derive(Clone, Copy, Debug)]
pub struct SweptIsland<'a> {
    /// Mass blocks; `velocity_free` is the velocity after the forces of the whole step.
    pub bodies: &'a [BodyBlock],
    /// Contacts.
    pub manifolds: &'a [Manifold],
    /// Joint rows, those of a joint one after the other.
    pub joints: &'a [JointRow],
    /// The part of the bias of each joint row that is not carried on.
    pub joint_push: &'a [Double],
    /// Velocity of each body before the step.
    pub velocity_last: &'a [Vec6],
}

/// Unknowns of an island: warm start in, solution out. Of each pair the first is that of the biased
/// sweeps, which move the bodies, the second that of the relaxed ones.
#[derive(Debug)]
pub struct WideIterate<'a> {
    /// Mean velocity over the step: poses move with `h` times it; and velocity at its end.
    pub velocity: [&'a mut [Vec6]; 2],
    /// Impulse of every contact on body b over the whole step, world axes [N·s]. The warm start is read
    /// from the second.
    pub contact_impulse: [&'a mut [[Double; 3]]; 2],
    /// Impulse of every joint row over the whole step. The warm start is read from the second.
    pub joint_impulse: [&'a mut [Double]; 2],
}

/// Lanes of the batches.
const LANES: usize = 8;

/// Buffers, reused from island to island. Their content never influences a result.
#[derive(Clone, Debug, Default)]
pub struct WideScratch {
    lists: Lists<LANES>,
}

/// An island laid out in `L` lanes.
#[derive(Clone, Debug, Default)]
struct Lists<const L: usize> {
    bodies: Vec<SweptBody>,
    masses: Vec<Mass>,
    /// Velocity of each body at the end of the last substep.
    last: Vec<[Single; 6]>,
    contacts: batch::Contacts<L>,
    joints: joints::JointBatches<L>,
    conjugate: nncg::Conjugate,
}

/// Inverse masses, then the inverse inertia as (xx, yy, zz, xy, xz, yz).
type Mass = [Single; 9];

/// World vectors (x, y, z), one for each lane.
type Row3<const L: usize> = [[Single; L]; 3];

/// What sweeps know of a body. The last in a list is the fixed world.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct SweptBody {
    /// Velocity.
    velocity: [Single; 8],
    /// Sum of the velocities with which it moved in the substeps so far.
    sum: [Single; 8],
}

fn single(x: Double) -> Single {
    x as Single
}

fn single3(x: [Double; 3]) -> [Single; 3] {
    x.map(single)
}

#[inline(always)]
fn add(a: [Single; 3], b: [Single; 3]) -> [Single; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn sub(a: [Single; 3], b: [Single; 3]) -> [Single; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn scale(a: [Single; 3], s: Single) -> [Single; 3] {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
fn dot(a: [Single; 3], b: [Single; 3]) -> Single {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: [Single; 3], b: [Single; 3]) -> [Single; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A symmetric matrix (xx, yy, zz, xy, xz, yz) times a vector.
#[inline(always)]
fn symmetric([xx, yy, zz, xy, xz, yz]: [Single; 6], v: [Single; 3]) -> [Single; 3] {
    [
        xx * v[0] + xy * v[1] + xz * v[2],
        xy * v[0] + yy * v[1] + yz * v[2],
        xz * v[0] + yz * v[1] + zz * v[2],
    ]
}

/// The vector of one lane.
#[inline(always)]
fn at<const L: usize>(rows: &Row3<L>, lane: usize) -> [Single; 3] {
    [rows[0][lane], rows[1][lane], rows[2][lane]]
}

/// Writes the vector of one lane.
#[inline(always)]
fn put<const L: usize>(rows: &mut Row3<L>, lane: usize, v: [Single; 3]) {
    rows[0][lane] = v[0];
    rows[1][lane] = v[1];
    rows[2][lane] = v[2];
}
