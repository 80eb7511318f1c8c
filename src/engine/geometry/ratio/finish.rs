//! From the portal to the answer: normal from the features, ratio, gap and separation.
//!
//! A facet of the Minkowski difference is a face of one body against a vertex of the other (three
//! distinct vertices against one), an edge against an edge (two against two), or, in parallel
//! position, a face against an edge or a face. The normal of the portal is the cross product of its
//! sides and carries their rounding; the face's own plane carries less, and is what resting
//! contacts need. So a face normal is taken wherever it is as good: each `n` with its support
//! points gives a lower bound on the ratio, and the face's bound must be the ratio to rounding.

use super::ray::Ray;
use super::types::{Contact, Feature, NO_VERTEX, Ratio, Status};
use super::walk::{HullPair, Portal, WalkEnd, vertex};
use crate::engine::geometry::shape::hull::Hull;
use crate::math::{EPSILON, Real, Vec3, array3};

/// Ratios closer than this are equal: the rounding of two support values and a division.
pub(super) const SAME_RATIO: Real = 8.0 * EPSILON;
/// The rounding of a portal's normal: a face within it is the one touched.
const SAME_NORMAL: Real = 64.0 * EPSILON;
/// A face whose normal differs by more than this from that of two crossing edges is not touched;
/// the difference covers edges so nearly parallel that their cross product is mostly rounding.
const SAME_FACE: Real = 0.02;

/// A normal with its certificate.
#[derive(Clone, Copy)]
struct Certified {
    normal: Vec3,
    /// `n·d` (m), floored like the ray.
    denominator: Real,
    /// `H(n) - n·o` (m).
    reach: Real,
}

/// The portal of a walk, and the normal that it has.
struct Ended<'w> {
    pair: &'w HullPair<'w, Real>,
    ray: &'w Ray,
    portal: &'w Portal,
    base: Certified,
}

/// The answer for the portal of a walk.
#[inline]
pub(super) fn finish(
    pair: &HullPair<'_, Real>,
    ray: &Ray,
    portal: &Portal,
    last: Contact,
) -> Ratio {
    let square = portal.normal.dot(portal.normal);
    let normal = if square > Real::MIN_POSITIVE && square < Real::MAX {
        portal.normal * (1.0 / square.sqrt())
    } else {
        rescued(portal.normal)
    };
    let [i, j, k] = portal.ids;
    let features = [distinct(i[0], j[0], k[0]), distinct(i[1], j[1], k[1])];
    let ended = Ended { pair, ray, portal, base: certified(pair, ray, normal, portal.point) };
    let (best, contact) = if portal.end == WalkEnd::Closed && k[0] != NO_VERTEX {
        ended.last_face(last).unwrap_or_else(|| ended.choose(&features))
    } else {
        (ended.base, Contact::Smooth)
    };
    let status = match portal.end {
        WalkEnd::Failed => Status::Bound,
        _ if ray.is_floored => Status::Coincident,
        _ => Status::Exact,
    };
    let excess = best.denominator - best.reach;
    let separation = if ray.is_floored { best.normal.dot(ray.exact) - best.reach } else { excess };
    Ratio {
        ratio: best.denominator / best.reach,
        gap: excess / best.denominator,
        separation,
        denominator: best.denominator,
        normal: best.normal,
        features,
        contact,
        status,
        iterations: portal.iterations,
    }
}

/// A normal whose square is out of range, scaled to length one; some unit vector for zero.
#[cold]
fn rescued(normal: Vec3) -> Vec3 {
    let largest = normal.abs().max_element();
    (normal / largest).try_normalize().unwrap_or(Vec3::X)
}

/// A normal with the certificate that a support point of the difference gives it (m).
#[inline(always)]
fn certified(pair: &HullPair<'_, Real>, ray: &Ray, normal: Vec3, point: Vec3) -> Certified {
    let (denominator, reach) = (normal.dot(ray.offset), normal.dot(point) + pair.radius);
    Certified { normal, denominator, reach }
}

impl Ended<'_> {
    /// The last face if its normal is the normal still, which spares the search for it.
    #[inline(always)]
    fn last_face(&self, last: Contact) -> Option<(Certified, Contact)> {
        let pair = self.pair;
        let normal = match last {
            Contact::FaceOfA(face) => pair.a.faces.get(face as usize)?.normal,
            Contact::FaceOfB(face) => -pair.rotated_from_b(pair.b.faces.get(face as usize)?.normal),
            Contact::Edges | Contact::Smooth => return None,
        };
        let change = normal - self.base.normal;
        if change.dot(change) > SAME_NORMAL * SAME_NORMAL {
            return None;
        }
        let certified = self.certify(normal, last);
        self.is_as_good(&certified).then_some((certified, last))
    }

    /// Whether a normal certifies the ratio of the portal's own to rounding, or to the flatness of merged
    /// faces, off whose plane vertices may lie.
    #[inline(always)]
    fn is_as_good(&self, new: &Certified) -> bool {
        let (pair, base) = (self.pair, &self.base);
        let slack = SAME_RATIO * base.reach + pair.a.flatness + pair.b.flatness;
        new.denominator * base.reach >= base.denominator * (new.reach - slack)
    }

    /// The face normal nearest to that of the portal if it certifies the same ratio, else that one.
    #[inline(always)]
    fn choose(&self, features: &[Feature; 2]) -> (Certified, Contact) {
        let (pair, base, [fa, fb]) = (self.pair, &self.base, features);
        let (mut cosine, mut normal, mut contact) = (0.0, Vec3::ZERO, Contact::Smooth);
        // Three vertices against one: the face is that of the three, and no other search is needed.
        if fb.len != 3 || fa.len != 1 {
            let (c, face) = aligned_face(pair.a, fa.ids[0], base.normal);
            if c > 0.0 {
                cosine = c;
                normal = pair.a.faces[face as usize].normal;
                contact = Contact::FaceOfA(face);
            }
        }
        if fa.len != 3 || fb.len != 1 {
            let (c, face) = aligned_face(pair.b, fb.ids[0], -pair.to_b(base.normal));
            if c > cosine {
                normal = -pair.rotated_from_b(pair.b.faces[face as usize].normal);
                contact = Contact::FaceOfB(face);
            }
        }
        let is_edges = fa.len == 2 && fb.len == 2;
        let change = normal - base.normal;
        let is_near = !is_edges || change.dot(change) <= SAME_FACE * SAME_FACE;
        if contact != Contact::Smooth && is_near {
            let certified = self.certify(normal, contact);
            if self.is_as_good(&certified) {
                return (certified, contact);
            }
        }
        (*base, if is_edges { Contact::Edges } else { Contact::Smooth })
    }

    /// The certificate of a face normal. The support vertices are those of the portal where the face's own
    /// body has its vertex on the face and the change of the normal cannot move the other's.
    #[inline(always)]
    fn certify(&self, normal: Vec3, contact: Contact) -> Certified {
        let (pair, portal) = (self.pair, self.portal);
        let change = normal - self.base.normal;
        let allowed = SAME_RATIO * self.base.reach;
        let (is_on_face, diameter) = match contact {
            Contact::FaceOfB(face) => {
                (is_on_face(pair.b, face, portal.support[1]), 2.0 * pair.a.bounding_radius)
            }
            Contact::FaceOfA(face) => {
                (is_on_face(pair.a, face, portal.support[0]), 2.0 * pair.b.bounding_radius)
            }
            Contact::Edges | Contact::Smooth => (false, 0.0),
        };
        let point = if !is_on_face {
            Vec3::from_array(pair.support(array3(normal), portal.support).1)
        } else if change.dot(change) * (diameter * diameter) <= allowed * allowed {
            portal.point
        } else {
            pair.support_of_one(normal, portal.support, matches!(contact, Contact::FaceOfA(_)))
        };
        certified(pair, self.ray, normal, point)
    }
}

/// Whether a vertex lies on a face, to rounding and flatness.
#[inline(always)]
fn is_on_face(hull: &Hull, face: u32, id: u32) -> bool {
    let face = &hull.faces[face as usize];
    let slack = 4.0 * EPSILON * hull.bounding_radius + hull.flatness;
    vertex(hull, id).is_some_and(|v| face.normal.dot(Vec3::from_array(v)) >= face.offset - slack)
}

/// The distinct ones of the vertices of one body; missing ones come last.
#[inline(always)]
fn distinct(x: u32, y: u32, z: u32) -> Feature {
    let first_two = y != x;
    let third = z != x && z != y;
    let ids = match (first_two, third) {
        (true, true) => [x, y, z],
        (true, false) => [x, y, NO_VERTEX],
        (false, true) => [x, z, NO_VERTEX],
        (false, false) => [x, NO_VERTEX, NO_VERTEX],
    };
    let len = ids.iter().map(|&id| u8::from(id != NO_VERTEX)).sum();
    Feature { ids, len }
}

/// The face at a vertex that is best aligned with `normal`: the cosine and its index; -1 without faces.
#[inline(always)]
fn aligned_face(hull: &Hull, id: u32, normal: Vec3) -> (Real, u32) {
    let mut best = (-1.0, 0);
    for spoke in hull.spokes(id) {
        let Some(face) = hull.faces.get(spoke.face as usize) else { break };
        let cosine = face.normal.dot(normal);
        if cosine > best.0 {
            best = (cosine, spoke.face);
        }
    }
    best
}
