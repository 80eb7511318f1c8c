//! From the portal to the answer: normal from the features, ratio, gap and separation.
//!
//! A facet of the Minkowski difference is a face of one body against a vertex of the other (three
//! distinct vertices against one), an edge against an edge (two against two), or, in parallel position,
//! a face against an edge or a face. The cross product of the portal's points carries the rounding of
//! the pose and of slivers; the face's own plane and the cross product of the two edges carry less.
//! Candidates are judged by their certificate: each `n` with its support points gives a lower bound on
//! the ratio, and a face normal is taken if its bound is the ratio to rounding.

use super::walk::{End, Portal};
use super::{Contact, Feature, NO_VERTEX, Ratio, Ray, Relative, Status};
use crate::engine::shape::hull::Hull;
use crate::math::{EPSILON, Mat3, Real, Vec3};

/// Ratios closer than this are equal: the rounding of two support values and a division.
const SAME_RATIO: Real = 8.0 * EPSILON;
/// Normals closer than this share their support vertices.
const SAME_NORMAL: Real = 2.0 * EPSILON;

/// A normal with its certificate.
#[derive(Clone, Copy)]
struct Certified {
    normal: Vec3,
    support: [u32; 2],
    /// `n·d` [m], floored like the ray.
    denominator: Real,
    /// `H(n) - n·o` [m].
    reach: Real,
}

struct Judge<'h> {
    a: &'h Hull,
    b: &'h Hull,
    rotation: &'h Mat3,
    origin: Vec3,
    offset: Vec3,
    radius: Real,
}

/// The answer for the portal of a walk.
pub(super) fn finish(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    origin: Vec3,
    ray: &Ray,
    portal: &Portal,
) -> Ratio {
    let radius = a.radius + b.radius;
    let judge = Judge { a, b, rotation: &relative.rotation, origin, offset: ray.offset, radius };
    let features = [distinct(&portal.ids, 0), distinct(&portal.ids, 1)];
    let square = portal.normal.dot(portal.normal);
    let normal = if square > 0.0 && square.is_finite() {
        portal.normal * (1.0 / square.sqrt())
    } else {
        portal.normal.normalize_or_zero()
    };
    let base = judge.certify(normal, portal.support);
    let (best, contact) = if portal.end == End::Closed && portal.ids[2][0] != NO_VERTEX {
        judge.choose(base, &features)
    } else {
        (base, Contact::Smooth)
    };
    let status = match portal.end {
        End::Failed => Status::Bound,
        _ if ray.is_floored => Status::Coincident,
        _ => Status::Exact,
    };
    let separation = if ray.is_floored {
        best.normal.dot(ray.exact) - best.reach
    } else {
        best.denominator - best.reach
    };
    Ratio {
        ratio: best.denominator / best.reach,
        gap: (best.denominator - best.reach) / best.denominator,
        separation,
        denominator: best.denominator,
        normal: best.normal,
        features,
        contact,
        status,
        iterations: portal.iterations,
    }
}

impl Judge<'_> {
    #[inline(always)]
    fn certify(&self, normal: Vec3, support: [u32; 2]) -> Certified {
        let point = self.a.vertices[support[0] as usize]
            - *self.rotation * self.b.vertices[support[1] as usize]
            - self.origin;
        Certified {
            normal,
            support,
            denominator: normal.dot(self.offset),
            reach: normal.dot(point) + self.radius,
        }
    }

    /// The certificate of another normal, with its own support vertices unless it is nearly the same.
    #[inline]
    fn certify_near(&self, normal: Vec3, base: &Certified) -> Certified {
        let change = normal - base.normal;
        if change.dot(change) <= SAME_NORMAL * SAME_NORMAL {
            return self.certify(normal, base.support);
        }
        let support = [
            self.a.support(normal, base.support[0]),
            self.b.support(-(self.rotation.transpose() * normal), base.support[1]),
        ];
        self.certify(normal, support)
    }

    /// The normal of the features, if it certifies the ratio of `base`.
    #[inline]
    fn choose(&self, base: Certified, features: &[Feature; 2]) -> (Certified, Contact) {
        let [fa, fb] = features;
        let face_a = || aligned_face(self.a, &fa.ids[..fa.len as usize], base.normal);
        let face_b = || {
            let normal_b = -(self.rotation.transpose() * base.normal);
            aligned_face(self.b, &fb.ids[..fb.len as usize], normal_b)
        };
        let best = match (fa.len, fb.len) {
            (3, 1) => face_a().map(|(n, face, _)| (n, Contact::FaceOfA(face))),
            (1, 3) => face_b().map(|(n, face, _)| (-(*self.rotation * n), Contact::FaceOfB(face))),
            _ => match (face_a(), face_b()) {
                (Some((n, face, x)), Some((_, _, y))) if x >= y => {
                    Some((n, Contact::FaceOfA(face)))
                }
                (_, Some((n, face, _))) => Some((-(*self.rotation * n), Contact::FaceOfB(face))),
                (Some((n, face, _)), None) => Some((n, Contact::FaceOfA(face))),
                (None, None) => None,
            },
        };
        if let Some((normal, contact)) = best {
            let certified = self.certify_near(normal, &base);
            if self.is_as_good(&certified, &base) {
                return (certified, contact);
            }
        }
        if fa.len == 2 && fb.len == 2 {
            let e_a = self.a.vertices[fa.ids[1] as usize] - self.a.vertices[fa.ids[0] as usize];
            let e_b = self.b.vertices[fb.ids[1] as usize] - self.b.vertices[fb.ids[0] as usize];
            let cross = e_a.cross(*self.rotation * e_b);
            let side = if cross.dot(base.normal) < 0.0 { -1.0 } else { 1.0 };
            let square = cross.dot(cross);
            if square > 0.0 {
                let certified = self.certify_near(cross * (side / square.sqrt()), &base);
                if self.is_as_good(&certified, &base) {
                    return (certified, Contact::Edges);
                }
            }
            return (base, Contact::Edges);
        }
        (base, Contact::Smooth)
    }

    /// Whether a normal certifies the same ratio to rounding, or to the flatness of merged faces.
    #[inline(always)]
    fn is_as_good(&self, new: &Certified, base: &Certified) -> bool {
        let slack = SAME_RATIO * base.reach + self.a.flatness + self.b.flatness;
        new.denominator * base.reach >= base.denominator * (new.reach - slack)
    }
}

/// The distinct vertices of one body among the corners that touch.
#[inline]
fn distinct(ids: &[[u32; 2]; 3], body: usize) -> Feature {
    let mut feature = Feature { ids: [NO_VERTEX; 3], len: 0 };
    for id in ids {
        let v = id[body];
        if v != NO_VERTEX && !feature.ids.contains(&v) {
            feature.ids[feature.len as usize] = v;
            feature.len += 1;
        }
    }
    feature
}

/// The face at the first of the vertices that is best aligned with `normal`: its normal, its index and the cosine.
#[inline]
fn aligned_face(hull: &Hull, vertices: &[u32], normal: Vec3) -> Option<(Vec3, u32, Real)> {
    let mut best = None;
    let mut cosine = Real::NEG_INFINITY;
    for &face in hull.faces_at(*vertices.first()?) {
        let n = hull.faces[face as usize].normal;
        let c = n.dot(normal);
        if c > cosine {
            cosine = c;
            best = Some((n, face, c));
        }
    }
    best
}
