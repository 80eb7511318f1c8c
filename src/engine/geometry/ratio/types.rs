//! What the metric is given, what it remembers and what it answers.

use crate::math::{Mat3, Real, Vec3};

/// Pose of b relative to a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relative {
    /// `R = R_aᵀ R_b`: from the frame of b to the frame of a.
    pub rotation: Mat3,
    /// `d = R_aᵀ (x_b - x_a)`: from centroid to centroid, in the frame of a (m).
    pub offset: Vec3,
}

impl Relative {
    /// From the centroids' positions (m) and rotations of both bodies in the world.
    #[inline]
    #[must_use]
    pub fn new(position_a: Vec3, rotation_a: Mat3, position_b: Vec3, rotation_b: Mat3) -> Self {
        let inverse = rotation_a.transpose();
        Self { rotation: inverse * rotation_b, offset: inverse * (position_b - position_a) }
    }
}

/// No vertex.
pub const NO_VERTEX: u32 = u32::MAX;

/// What a pair remembers from one step to the next: part of the state of the world. 52 bytes in
/// single precision, 64 in double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortalCache {
    /// Support vertices (of a, of b) of the last portal, of a curved piece the branches of its support
    /// function; [`NO_VERTEX`] in the first if there is none. Of two boxes, balls or capsules the first only.
    pub ids: [[u32; 2]; 3],
    /// Last unit normal in the frame of a; zero if there is none.
    pub normal: Vec3,
    /// Last support vertex of each body: where the next search begins.
    pub hints: [u32; 2],
    /// What the bodies touched with last, so that a face need not be searched.
    pub contact: Contact,
}

impl Default for PortalCache {
    fn default() -> Self {
        Self {
            ids: [[NO_VERTEX; 2]; 3],
            normal: Vec3::ZERO,
            hints: [0; 2],
            contact: Contact::Smooth,
        }
    }
}

/// How an answer came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Exact to rounding.
    Exact,
    /// The scaling centers coincide; `D` was floored, see [`Ratio`].
    Coincident,
    /// The best lower bound found: the walk did not close, in double precision either.
    Bound,
}

/// What the bodies touch with at the ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    /// The normal is that of this face of a.
    FaceOfA(u32),
    /// The normal is opposite to that of this face of b.
    FaceOfB(u32),
    /// The normal is orthogonal to an edge of each body: `features` has two vertices of each.
    Edges,
    /// A rounded piece touches with a vertex or an edge of its core, or the features are unclear.
    Smooth,
}

/// Up to three vertices of one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Distinct vertices; [`NO_VERTEX`] beyond `len`.
    pub ids: [u32; 3],
    /// Number of distinct vertices.
    pub len: u8,
}

/// The ratio metric of a pair.
///
/// When the scaling centers coincide (nearer than a small fraction of the inner radius), `denominator` and
/// so `ratio` and `gap` are those of centers moved apart to that distance along the last normal: the gap is
/// very negative but finite. `separation` is always that of the bodies as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// r: the growth at which the bodies touch; < 1 overlapping (-).
    pub ratio: Real,
    /// Φ = 1 - 1/r: < 0 overlapping (-).
    pub gap: Real,
    /// Signed distance between the bodies' supporting planes along the normal (m).
    pub separation: Real,
    /// D = n·d between the scaling centers (m); `gap * denominator = separation`.
    pub denominator: Real,
    /// Unit normal from a to b, in the frame of a.
    pub normal: Vec3,
    /// Vertices of a and of b that span the touching facet.
    pub features: [Feature; 2],
    /// The kind of contact.
    pub contact: Contact,
    /// How the answer came about.
    pub status: Status,
    /// Iterations of the walk; 0 for two boxes, balls or capsules.
    pub iterations: u32,
}

/// Answer of [`measure`](super::measure).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// The bodies are farther apart than the margin.
    Apart {
        /// Unit normal of a plane between the bodies, in the frame of a.
        normal: Vec3,
        /// Distance between the bodies' supporting planes along it (m): a lower bound on the distance.
        separation: Real,
    },
    /// The metric.
    Near(Ratio),
}
