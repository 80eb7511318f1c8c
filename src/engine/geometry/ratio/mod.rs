//! The ratio metric of two convex pieces: relative pose → normal, ratio, gap, separation, features.
//!
//! With `K_i` the pieces about interior points `c_i`, `d` from one to the other and the support
//! function `h`, the ratio metric (thesis, Definition 2.1 and (2.12)) is
//!
//! ```text
//! r = min { t : P_a(t) ∩ P_b(t) ≠ ∅ } = max_n n·d / H(n),      H(n) = h_Ka(n) + h_Kb(-n)
//!   = 1 / max { s : s d ∈ K_a ⊕ (-K_b) }
//! Φ = 1 - 1/r = sep(n)/D,   sep = n·d - H(n) (m),   D = n·d (m)
//! ```
//!
//! where both bodies grow about their scaling centers. The thesis solves the linear program (3.2);
//! here it is the dual: one ray cast from the inside of the Minkowski difference. Every `n` gives a
//! lower bound on `r`, so the answer carries its own certificate: two support queries with the
//! normal.
//!
//! **Shifted centers.** `d` stays the offset of the centroids. With the centers at `c_a` (frame of
//! a) and `c_b` (frame of b) the bodies `x_a + c_a + t (K_a - c_a)` and `x_b + R c_b + t R (K_b -
//! c_b)` meet iff `d + R c_b - c_a ∈ t (M - (c_a - R c_b))`, `M = K_a ⊕ (-R K_b)`. So only `o = c_a
//! - R c_b` matters: the ray runs from `o` towards `d`, `D = n·(d - o)`, `r = D / (H(n) - n·o)`,
//! and `sep` is as before.
//!
//! **Walk** (`walk`): a triangle of support points that the ray passes through (the portal) is
//! refined until its plane supports `M`. It starts from the cached vertices of the last step, else
//! from a triangle inside the inscribed ball. All in the frame of a, so single precision does far
//! from the origin of the world. A failure or the cap on iterations repeats the walk in double
//! precision.
//!
//! **Rounded pieces** (`rounded`): the growth scales the rounding too. The walk finds a triangle of
//! the unrounded pieces, then an active-set ascent with closed forms for ball, cylinder and plane
//! ends after finitely many steps at the exact answer.
//!
//! **Boxes** (`boxes`): the facet is one of fifteen, which are compared.
//!
//! **Curved pieces** (`curved`, `polish`): cylinders, cones and ellipsoids, in double precision: the
//! walk only finds a start for Newton's method on the branches of the support function.
//!
//! **Finish** (`finish`): the normal is that of the portal, which for crossing edges is their cross
//! product, or of a face wherever the face certifies the same ratio to rounding: corners on faces
//! and faces on faces report the face.
//!
//! Cost: O(vertices) per iteration for small pieces, O(√vertices) or less beyond; one or two
//! iterations from a warm cache, about six to nine cold. No allocation.
//!
//! Deliberately absent: the touching points (events) and any knowledge of body types; the caller
//! chooses centers ([`scaling_center`]) and the one-sided metric.

mod boxes;
mod center;
mod curved;
mod finish;
mod half_space;
mod polish;
mod rounded;
mod walk;

#[cfg(test)]
mod tests;

pub use self::center::{Centers, is_long, near_centers, scaling_center};
pub use self::half_space::measure_half_space;

use self::finish::finish;
use self::walk::{HullPair, Portal, WalkEnd, walk};
use super::shape::hull::Hull;
use crate::math::{Array3, Double, Mat3, Real, Scalar, Vec3, array3};

/// Offsets of the centers shorter than this fraction of the inner radius count as coincident.
const COINCIDENT: Real = 1e-3;
/// Squared lengths beyond this, or its inverse, are rescaled before the walk [m²].
const SQUARE_MAX: Real = 1e12;

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
    /// Support vertices (of a, of b) of the last portal, of a curved piece the branches of its
    /// support function; [`NO_VERTEX`] in the first if there is none. Of two boxes the first only.
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
/// When the scaling centers coincide (nearer than a small fraction of the inner radius),
/// `denominator` and so `ratio` and `gap` are those of centers moved apart to that distance along
/// the last normal: the gap is very negative but finite. `separation` is always that of the bodies
/// as they are.
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
    /// Iterations of the walk; 0 for two boxes.
    pub iterations: u32,
}

/// Answer of [`measure`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// The bodies are farther apart than the margin.
    Apart {
        /// Unit normal of a plane between the bodies, in the frame of a.
        normal: Vec3,
        /// Distance between the bodies' supporting planes along it (m): a lower bound on the
        /// distance.
        separation: Real,
    },
    /// The metric.
    Near(Ratio),
}

/// Does the plane that proved two polytopes apart the last time still keep them more than `margin` (m)
/// apart? Their distance along its normal then (m). The scaling centers do not matter here.
pub fn still_apart(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    margin: Real,
    cache: &mut PortalCache,
) -> Option<Real> {
    let flat = a.curve.is_none() && b.curve.is_none();
    if !flat || cache.ids[0][0] != NO_VERTEX || cache.normal == Vec3::ZERO {
        return None;
    }
    let inner = a.inradius + b.inradius;
    let pair = HullPair::<Real>::new(a, b, relative, Vec3::ZERO, relative.offset, inner);
    pair.separated_by(cache, relative.offset, margin)
}

/// The ratio metric of two pieces, or the certificate that they are more than `margin` (m) apart.
///
/// `centers` are the scaling centers, [`Centers::default`] for the centroids. The answer depends on
/// `cache` only to rounding, except which of several optimal normals is reported, and which
/// separating plane proves `Apart`.
pub fn measure(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    centers: &Centers,
    margin: Real,
    cache: &mut PortalCache,
) -> Measured {
    let inner = if centers.inner > 0.0 { centers.inner } else { a.inradius + b.inradius };
    let exact = relative.offset - centers.shift;
    let ray = Ray::new(exact, inner, cache.normal);
    let Some(ray) = ray else {
        // Not a number: the body is about to be frozen, and until then touches nothing.
        *cache = PortalCache::default();
        return Measured::Apart { normal: Vec3::X, separation: 0.0 };
    };
    if a.curve.is_some() || b.curve.is_some() {
        return curved::measure([a, b], relative, centers.shift, &ray, inner, margin, cache);
    }
    if let (Some(half_a), Some(half_b)) = (a.cuboid, b.cuboid)
        && ray.is_true
        && a.radius + b.radius == 0.0
    {
        return boxes::measure([half_a, half_b], relative, centers.shift, &ray, margin, cache);
    }
    let pair = HullPair::<Real>::new(a, b, relative, centers.shift, ray.direction, inner);
    if cache.ids[0][0] == NO_VERTEX
        && cache.normal != Vec3::ZERO
        && let Some(separation) = pair.separated_by(cache, exact, margin)
    {
        return Measured::Apart { normal: cache.normal, separation };
    }
    // The early exit compares with the true offset, which a rescaled ray does not know.
    let mut portal = cast(&pair, cache, if ray.is_true { margin } else { Real::MAX });
    if portal.end == WalkEnd::Failed && size_of::<Real>() < size_of::<Double>() {
        portal = cast_in_double(&pair, relative, centers.shift, &ray, inner, cache);
    }
    cache.hints = portal.support;
    cache.ids = if portal.is_whole() || a.radius + b.radius > 0.0 {
        portal.ids
    } else {
        [[NO_VERTEX; 2]; 3]
    };
    let ratio = finish(&pair, &ray, &portal, cache.contact);
    cache.normal = ratio.normal;
    cache.contact = ratio.contact;
    if ratio.denominator > 0.0 && ratio.separation > margin {
        cache.ids = [[NO_VERTEX; 2]; 3];
        return Measured::Apart { normal: ratio.normal, separation: ratio.separation };
    }
    Measured::Near(ratio)
}

/// The walk, followed for rounded pieces by the ascent.
fn cast<S: Scalar>(pair: &HullPair<'_, S>, cache: &PortalCache, margin: S) -> Portal {
    if pair.radius > S::ZERO { rounded::ascend(pair, cache) } else { walk(pair, cache, margin) }
}

/// The cast again in double precision, for the few pairs that need it.
#[cold]
fn cast_in_double(
    pair: &HullPair<'_, Real>,
    relative: &Relative,
    origin: Vec3,
    ray: &Ray,
    inner: Real,
    cache: &PortalCache,
) -> Portal {
    let pair = HullPair::<Double>::new(pair.a, pair.b, relative, origin, ray.direction, inner);
    cast(&pair, cache, Double::MAX)
}

/// The direction of the cast.
struct Ray {
    /// Direction from the scaling center of a towards that of b, in the frame of a; of any length.
    direction: Vec3,
    /// The offset of the centers as they are (m).
    exact: Vec3,
    /// The offset of the centers used for `D` (m): `exact`, or the floor.
    offset: Vec3,
    /// Whether the direction is the exact offset itself.
    is_true: bool,
    /// Whether the offset was floored.
    is_floored: bool,
}

impl Ray {
    /// None if the offset is not finite.
    #[inline]
    fn new(exact: Vec3, inner: Real, last_normal: Vec3) -> Option<Self> {
        let square = exact.dot(exact);
        let floor = COINCIDENT * inner;
        if square >= floor * floor && square <= SQUARE_MAX {
            return Some(Self {
                direction: exact,
                exact,
                offset: exact,
                is_true: true,
                is_floored: false,
            });
        }
        Self::unusual(exact, floor, last_normal)
    }

    /// Coincident centers, or offsets whose products might leave the range of the numbers.
    #[cold]
    fn unusual(exact: Vec3, floor: Real, last_normal: Vec3) -> Option<Self> {
        if !exact.is_finite() {
            return None;
        }
        let largest = exact.abs().max_element();
        let length = if largest > 0.0 { (exact / largest).length() * largest } else { 0.0 };
        let is_floored = length < floor;
        let (direction, offset) = if is_floored {
            let axis = if last_normal == Vec3::ZERO { Vec3::Y } else { last_normal };
            (axis, axis * floor)
        } else {
            ((exact / largest).normalize(), exact)
        };
        Some(Self { direction, exact, offset, is_true: false, is_floored })
    }
}

/// The columns of a matrix in the numbers of a [`Scalar`].
#[inline(always)]
fn columns<S: Scalar>(m: &Mat3) -> [Array3<S>; 3] {
    [array3(m.x_axis), array3(m.y_axis), array3(m.z_axis)]
}
