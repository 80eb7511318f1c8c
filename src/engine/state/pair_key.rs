//! Names of pairs of pieces.

use super::body::BodyId;

/// Names a pair of pieces: bodies ascending, then the pieces of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairKey {
    /// Body with the smaller id.
    pub a: BodyId,
    /// Body with the larger id.
    pub b: BodyId,
    /// Piece of body a.
    pub piece_a: u32,
    /// Piece of body b.
    pub piece_b: u32,
}

/// A candidate: its key, indices of the bodies, and where it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Key of the pair; sorts first.
    pub key: PairKey,
    /// Indices of the bodies in ascending order of ids.
    pub bodies: [u32; 2],
    /// The near pair that it belongs to.
    pub(crate) near: u32,
}

/// What changed among the candidates since the last step.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct CandidateChanges<'a> {
    /// Those that were none in the last step, ascending by key.
    pub(in crate::engine) added: &'a [Candidate],
    /// Those that are none any more, ascending.
    pub(in crate::engine) removed: &'a [PairKey],
    /// New indices of the bodies by the old ones, if they changed.
    pub(in crate::engine) renumbered: &'a [u32],
    /// See [`flag`](super::bodies::flag), of every body.
    pub(in crate::engine) flags: &'a [u8],
}
