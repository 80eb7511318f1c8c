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
//! where both bodies grow about their scaling centers. The thesis solves the linear program (3.2); here it
//! is the dual: one ray cast from the inside of the Minkowski difference. Every `n` gives a lower bound on
//! `r`, so the answer carries its own certificate: two support queries with the normal.
//!
//! **Shifted centers.** `d` stays the offset of the centroids. With the centers at `c_a` (frame of
//! a) and `c_b` (frame of b) the bodies `x_a + c_a + t (K_a - c_a)` and `x_b + R c_b + t R (K_b -
//! c_b)` meet iff `d + R c_b - c_a ∈ t (M - (c_a - R c_b))`, `M = K_a ⊕ (-R K_b)`. So only `o = c_a
//! - R c_b` matters: the ray runs from `o` towards `d`, `D = n·(d - o)`, `r = D / (H(n) - n·o)`,
//! and `sep` is as before.
//!
//! **Walk** (`walk`): a triangle of support points that the ray passes through (the portal) is refined until
//! its plane supports `M`. It starts from the cached vertices of the last step, else from a triangle inside
//! the inscribed ball. All in the frame of a, so single precision does far from the origin of the world. A
//! failure or the cap on iterations repeats the walk in double precision.
//!
//! **Rounded pieces** (`rounded`): the growth scales the rounding too. The walk finds a triangle of
//! the unrounded pieces, then an active-set ascent with closed forms for ball, cylinder and plane
//! ends after finitely many steps at the exact answer.
//!
//! **Balls and capsules** (`slim`): the core is a parallelogram at most, whose exit has a closed form.
//!
//! **Boxes** (`boxes`): the facet is one of fifteen, which are compared, of eight pairs abreast.
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

#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "comparisons are written so that NaN takes the way out"
)]

mod boxes;
mod center;
mod curved;
mod finish;
mod half_space;
mod polish;
mod ray;
mod rounded;
mod slim;
mod types;
mod walk;

#[cfg(test)]
mod tests;

pub(in crate::engine) use self::boxes::{BoxQuery, FACES_OF_BOX, FacetFound, facets};
pub use self::center::{Centers, is_long, near_centers, scaling_center};
pub use self::half_space::measure_half_space;
pub use self::types::{
    Contact, Feature, Measured, NO_VERTEX, PortalCache, Ratio, Relative, Status,
};

use self::finish::finish;
use self::ray::Ray;
pub(in crate::engine) use self::ray::is_common;
pub use self::ray::parting;
use self::walk::{HullPair, Portal, WalkEnd, first_portal, walk};
use super::shape::hull::Hull;
use crate::math::{Double, Real, Scalar, Vec3, array3, cross3, dot3, sub3};

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
    let n = array3(cache.normal);
    let (id, w) = pair.support(n, cache.hints);
    cache.hints = id;
    let denominator = cache.normal.dot(relative.offset);
    let separation = denominator - dot3(n, w) - pair.radius;
    // Not a plane that the bodies have passed.
    (denominator > 0.0 && separation > margin).then_some(separation)
}

/// Does the facet of the last query prove that the cores of two polytopes overlap?
pub(in crate::engine) fn still_overlap(
    [a, b]: [&Hull; 2],
    relative: &Relative,
    cache: &PortalCache,
) -> bool {
    let (offset, inner) = (relative.offset, a.inradius + b.inradius);
    let pair = HullPair::<Real>::new(a, b, relative, Vec3::ZERO, offset, inner);
    let ([p, q, r], _) = first_portal(&pair, cache);
    let n = cross3(sub3(q, p), sub3(r, p));
    a.curve.is_none() && b.curve.is_none() && dot3(n, array3(offset)) < dot3(n, p)
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
        let (half, relative) = ([half_a, half_b], *relative);
        return boxes::measure(&BoxQuery { half, relative, shift: centers.shift, margin }, cache);
    }
    if let (Some(last_a), Some(last_b)) = (a.slim(), b.slim()) {
        let last = [last_a, last_b];
        let found = slim::measure([a, b], last, relative, centers.shift, &ray, margin, cache);
        if let Some(found) = found {
            return found;
        }
    }
    let pair = HullPair::<Real>::new(a, b, relative, centers.shift, ray.direction, inner);
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
