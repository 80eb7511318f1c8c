//! An island laid out in lanes, and the buffers for it.

use super::batch::Contacts;
use super::joints::JointBatches;
use super::lanes::{Mass, SweptBody};
use crate::math::Single;

/// Lanes of the batches.
pub(super) const LANES: usize = 8;

/// Buffers, reused from island to island. Their content never influences a result.
#[derive(Clone, Debug, Default)]
pub struct SweepScratch {
    pub(super) lists: Lists<LANES>,
}

/// An island laid out in `L` lanes.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists<const L: usize> {
    pub(super) bodies: Vec<SweptBody>,
    pub(super) masses: Vec<Mass>,
    /// Velocity of each body at the end of the last substep.
    pub(super) last: Vec<[Single; 6]>,
    /// Push: what the velocity that moves each body has beyond the carried one, for the whole step.
    pub(super) pushed: Vec<[Single; 6]>,
    pub(super) contacts: Contacts<L>,
    pub(super) joints: JointBatches<L>,
    pub(super) conjugate: Conjugate,
}

/// What one sweep leaves to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Conjugate {
    pub(super) old: Vec<Single>,
    pub(super) new: Vec<Single>,
    pub(super) direction: Vec<Single>,
    /// `|g|²` of the last sweep; 0 before the first.
    pub(super) last: Single,
}
