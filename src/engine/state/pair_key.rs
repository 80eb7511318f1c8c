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
    pub(in crate::engine) near: u32,
}
