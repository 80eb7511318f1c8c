//! The ratio metric of two boxes: fifteen normals, one of which is that of the facet.
//!
//! Input: two boxes by their half lengths, the offset `d`, the scaling centers. Output: the same answer as
//! the walk's. Normals of facets of the Minkowski difference of boxes are those of a face of one, or
//! orthogonal to an edge of each, and every normal gives a lower bound on the ratio,
//!
//! ```text
//! r ≥ n·(d - o) / (H(n) - n·o),     H(n) = Σ a_k |n_k| + Σ b_k |n·R_k|
//! ```
//!
//! so the largest of the fifteen is the ratio: no walk, no start, no failure. The components of `e_i × R_j`
//! are those of `R_j`, and products with them are taken as they are, so even edges that are almost parallel
//! lose nothing. The largest is then found again in double precision. Among normals whose bounds agree to
//! rounding a face goes before edges, and the face of the last step before others.

use super::finish::SAME_RATIO;
use super::ray::Ray;
use super::types::{Contact, Feature, Measured, NO_VERTEX, PortalCache, Ratio, Relative, Status};
use crate::math::{DVec3, Mat3, Real, Vec3, narrow, narrow3, widen3};

/// Faces of a box, by axis and side: first the one at its lower end.
const FACES: [[u32; 2]; 3] = [[2, 3], [0, 4], [1, 5]];
/// Squares of sines below this belong to parallel edges, whose cross product is nothing.
const PARALLEL: Real = 1e-30;

/// What the normal of a facet of the difference is that of: a face across an axis, or edges along axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Facet {
    FaceOfA(usize),
    FaceOfB(usize),
    Edges(usize, usize),
}

/// Its bound: `n·(d - o)` and `H(n) - n·o` (m), times the length of n, which points from a to b.
#[derive(Clone, Copy, Debug)]
struct Bound {
    facet: Facet,
    along: Real,
    reach: Real,
}

impl Bound {
    /// With `n·(d - o)`, `n·o` and `H(n)` of a normal of either direction.
    #[inline(always)]
    fn new(facet: Facet, along: Real, shift: Real, height: Real) -> Self {
        let shift = if along < 0.0 { -shift } else { shift };
        Self { facet, along: along.abs(), reach: height - shift }
    }

    /// Is its ratio larger, by more than rounding?
    #[inline(always)]
    fn beats(&self, other: &Self) -> bool {
        self.along * other.reach > (1.0 + SAME_RATIO) * other.along * self.reach
    }

    /// `n·d - H(n)`, for faces the distance (m).
    fn excess(&self) -> Real {
        self.along - self.reach
    }
}

/// Two boxes in the frame of a.
struct Boxes<'r> {
    half: [Vec3; 2],
    rotation: &'r Mat3,
    /// `|R|`, by columns.
    abs: [Vec3; 3],
    /// `d - o` and `o` (m).
    offset: Vec3,
    origin: Vec3,
    /// Both along the axes of b.
    in_b: [Vec3; 2],
}

/// Index of an axis after k.
const fn after(k: usize) -> usize {
    if k == 2 { 0 } else { k + 1 }
}

impl Boxes<'_> {
    #[inline(always)]
    fn face_of_a(&self, k: usize) -> Bound {
        let across = Vec3::new(self.abs[0][k], self.abs[1][k], self.abs[2][k]);
        let height = self.half[0][k] + self.half[1].dot(across);
        Bound::new(Facet::FaceOfA(k), self.offset[k], self.origin[k], height)
    }

    #[inline(always)]
    fn face_of_b(&self, k: usize) -> Bound {
        let height = self.half[1][k] + self.half[0].dot(self.abs[k]);
        Bound::new(Facet::FaceOfB(k), self.in_b[0][k], self.in_b[1][k], height)
    }

    /// `n = e_i × R_j`; none if that is nothing.
    #[inline(always)]
    fn edges(&self, i: usize, j: usize) -> Option<Bound> {
        let ([x, y], [k, l]) = ([after(i), after(after(i))], [after(j), after(after(j))]);
        let ([a, b], abs, axis) = (self.half, &self.abs, self.rotation.col(j));
        // Not |R_l[i]| for |n·R_k|: where edges are nearly parallel, that is but rounding.
        let across = |k: usize| {
            let other = self.rotation.col(k);
            (axis[x] * other[y] - axis[y] * other[x]).abs()
        };
        let height = a[x] * abs[j][y] + a[y] * abs[j][x] + b[k] * across(k) + b[l] * across(l);
        let (d, o) = (self.offset, self.origin);
        let along = d[y] * axis[x] - d[x] * axis[y];
        let shift = o[y] * axis[x] - o[x] * axis[y];
        let square = axis[x] * axis[x] + axis[y] * axis[y];
        (square > PARALLEL).then(|| Bound::new(Facet::Edges(i, j), along, shift, height))
    }

    /// The face with the largest bound, the last one if it is as large, and the one that keeps the boxes
    /// farthest apart.
    #[inline(always)]
    fn faces(&self, last: Contact) -> [Bound; 2] {
        let first = self.face_of_a(0);
        let (mut best, mut widest) = (first, first);
        let mut take = |face: Bound| {
            if face.beats(&best) {
                best = face;
            }
            if face.excess() > widest.excess() {
                widest = face;
            }
        };
        take(self.face_of_a(1));
        take(self.face_of_a(2));
        take(self.face_of_b(0));
        take(self.face_of_b(1));
        take(self.face_of_b(2));
        let across = |face: u32| FACES.iter().position(|sides| sides.contains(&face));
        let last = match last {
            Contact::FaceOfA(face) => across(face).map(|k| self.face_of_a(k)),
            Contact::FaceOfB(face) => across(face).map(|k| self.face_of_b(k)),
            Contact::Edges | Contact::Smooth => None,
        };
        if let Some(last) = last.filter(|last| !best.beats(last)) {
            best = last;
        }
        [best, widest]
    }
}

/// The metric of two boxes without rounding, by their half lengths (m), or the certificate that they are more
/// than `margin` (m) apart. `o` is `shift` (m); the ray is the true offset.
pub(super) fn measure(
    half: [Vec3; 2],
    relative: &Relative,
    shift: Vec3,
    ray: &Ray,
    margin: Real,
    cache: &mut PortalCache,
) -> Measured {
    let rotation = &relative.rotation;
    let back = rotation.transpose();
    let boxes = Boxes {
        half,
        rotation,
        abs: [0, 1, 2].map(|k| rotation.col(k).abs()),
        offset: ray.exact,
        origin: shift,
        in_b: [back * ray.exact, back * shift],
    };
    let [mut best, widest] = boxes.faces(cache.contact);
    let apart = widest.excess() > margin;
    if apart {
        best = widest;
    } else {
        for i in 0..3 {
            for j in 0..3 {
                if let Some(edges) = boxes.edges(i, j).filter(|edges| edges.beats(&best)) {
                    best = edges;
                }
            }
        }
    }
    let ratio = boxes.ratio(best.facet);
    let [a, b] = ratio.features.map(|feature| feature.ids[0]);
    (cache.normal, cache.contact, cache.hints) = (ratio.normal, ratio.contact, [a, b]);
    let none = [NO_VERTEX; 2];
    if apart || ratio.separation > margin {
        cache.ids = [none; 3];
        return Measured::Apart { normal: ratio.normal, separation: ratio.separation };
    }
    cache.ids = [[a, b], none, none];
    Measured::Near(ratio)
}

/// Number of the corner of a box that is farthest along a direction in its axes.
fn corner(along: DVec3) -> u32 {
    u32::from(along.x > 0.0) | u32::from(along.y > 0.0) << 1 | u32::from(along.z > 0.0) << 2
}

impl Boxes<'_> {
    /// The answer with the normal of a facet, in double precision.
    #[inline(always)]
    fn ratio(&self, facet: Facet) -> Ratio {
        let [half_a, half_b] = self.half.map(widen3);
        let axes = [0, 1, 2].map(|k| widen3(self.rotation.col(k)));
        let normal = match facet {
            Facet::FaceOfA(k) => [DVec3::X, DVec3::Y, DVec3::Z][k],
            Facet::FaceOfB(k) => axes[after(k)].cross(axes[after(after(k))]),
            Facet::Edges(i, j) => [DVec3::X, DVec3::Y, DVec3::Z][i].cross(axes[j]),
        };
        let up = normal.dot(widen3(self.offset)) >= 0.0;
        let normal = (if up { normal } else { -normal }).normalize();
        let [x, y, z] = axes.map(|axis| normal.dot(axis));
        let in_b = DVec3::new(x, y, z);
        let denominator = normal.dot(widen3(self.offset));
        let height = half_a.dot(normal.abs()) + half_b.dot(in_b.abs());
        let reach = height - normal.dot(widen3(self.origin));
        let contact = match facet {
            Facet::FaceOfA(k) => Contact::FaceOfA(FACES[k][usize::from(up)]),
            Facet::FaceOfB(k) => Contact::FaceOfB(FACES[k][usize::from(!up)]),
            Facet::Edges(..) => Contact::Edges,
        };
        Ratio {
            ratio: narrow(denominator / reach),
            gap: narrow((denominator - reach) / denominator),
            separation: narrow(denominator - reach),
            denominator: narrow(denominator),
            normal: narrow3(normal),
            features: features(facet, [corner(normal), corner(-in_b)]),
            contact,
            status: Status::Exact,
            iterations: 0,
        }
    }
}

/// Corners of both that span a facet, first the outermost ones.
fn features(facet: Facet, [a, b]: [u32; 2]) -> [Feature; 2] {
    let one = |v: u32| Feature { ids: [v, NO_VERTEX, NO_VERTEX], len: 1 };
    let two = |v: u32, k: usize| Feature { ids: [v, v ^ 1 << k, NO_VERTEX], len: 2 };
    let three = |v: u32, k: usize| {
        let [x, y] = [after(k), after(after(k))];
        Feature { ids: [v, v ^ 1 << x, v ^ 1 << y], len: 3 }
    };
    match facet {
        Facet::FaceOfA(k) => [three(a, k), one(b)],
        Facet::FaceOfB(k) => [one(a), three(b, k)],
        Facet::Edges(i, j) => [two(a, i), two(b, j)],
    }
}
