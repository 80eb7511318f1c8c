//! Where and how a pair was measured: what it has to know for its contacts to serve again.

use crate::math::{Quat, Real, Vec3};

/// How two bodies were to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::engine) struct Relation {
    /// From the center of body a to that of body b (m).
    pub(in crate::engine) between: Vec3,
    /// Rotations of both bodies.
    pub(in crate::engine) rotations: [Quat; 2],
}

/// Until when nothing else is near than what was found.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct Clear {
    /// When it was measured.
    pub(in crate::engine) first: Relation,
    /// Which body, 0 or 1, has the smaller piece.
    pub(in crate::engine) small: u8,
    /// How far that reaches from the center of its body (m).
    pub(in crate::engine) lever: Real,
    /// Nothing nearer than this was left out (m).
    pub(in crate::engine) reach: Real,
    /// Distance below which the pair was active when its contacts last served (m).
    pub(in crate::engine) active: Real,
    /// How far the pieces may slide along each other until its contacts are others (m).
    pub(in crate::engine) slip: Real,
    /// By how much its gaps change with a slip, at most (-); none if they are exact for any motion.
    pub(in crate::engine) slope: Option<Real>,
}

/// Circumstances under which a pair was measured, beside those of its [`Clear`].
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Measurement {
    /// Which body, 0 or 1, has the smaller piece.
    pub(in crate::engine) small: u8,
    /// When its contacts were last brought up to date.
    pub(in crate::engine) last: Relation,
    /// How its contacts are followed, if they can be.
    pub(in crate::engine) trail: Option<Trail>,
}

/// How the contacts of a pair go on when its bodies move a little.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Trail {
    /// The body, 0 or 1, that the normal turns with; `None`: it is the line between the touching points.
    pub(in crate::engine) anchor: Option<u8>,
    /// The normal in the axes of that body.
    pub(in crate::engine) normal: Vec3,
    /// Rounding radii of both pieces (m).
    pub(in crate::engine) radii: [Real; 2],
    /// How far the pieces may slide along each other, beside a part of the gap (m).
    pub(in crate::engine) slip: Real,
    /// D of the ratio metric (m).
    pub(in crate::engine) denominator: Real,
    /// The least gap at the end of the step in which they were measured, as then foreseen (m).
    pub(in crate::engine) foreseen: Real,
}

/// A pair that a step has to look at.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Due {
    /// Are its bodies those that the pair was made for?
    pub(in crate::engine) same: bool,
    /// Distance below which it is active (m).
    pub(in crate::engine) active: Real,
    /// How its bodies are to each other.
    pub(in crate::engine) now: Relation,
    /// May it keep or follow its contacts?
    pub(in crate::engine) follow: bool,
}
