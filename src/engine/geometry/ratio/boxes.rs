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
pub(in crate::engine) const FACES_OF_BOX: [[u32; 2]; 3] = [[2, 3], [0, 4], [1, 5]];
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
    half: [[Real; 3]; 2],
    rotation: &'r Mat3,
    /// Columns of R, and their absolute values.
    axes: [[Real; 3]; 3],
    abs: [[Real; 3]; 3],
    /// `d - o` and `o` (m).
    offset: [Real; 3],
    origin: [Real; 3],
}

/// Index of an axis after k.
const fn after(k: usize) -> usize {
    if k == 2 { 0 } else { k + 1 }
}

fn dot(a: [Real; 3], b: [Real; 3]) -> Real {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Boxes<'_> {
    /// The bounds of the faces of a and of those of b.
    #[inline(always)]
    fn faces(&self) -> [Bound; 6] {
        let Self { half: [a, b], axes, abs, offset, origin, .. } = self;
        let face_of_a = |k: usize| {
            let height = a[k] + dot(*b, [abs[0][k], abs[1][k], abs[2][k]]);
            Bound::new(Facet::FaceOfA(k), offset[k], origin[k], height)
        };
        let face_of_b = |k: usize| {
            let height = b[k] + dot(*a, abs[k]);
            let [along, shift] = [dot(axes[k], *offset), dot(axes[k], *origin)];
            Bound::new(Facet::FaceOfB(k), along, shift, height)
        };
        let [x, y, z] = [0, 1, 2].map(face_of_a);
        let [u, v, w] = [0, 1, 2].map(face_of_b);
        [x, y, z, u, v, w]
    }

    /// Takes for the best what has a larger bound among `n = e_i × R_j`.
    #[inline(always)]
    fn edges(&self, i: usize, best: &mut Bound) {
        let Self { half: [a, b], axes, abs, offset: d, origin: o, .. } = self;
        let [x, y] = [after(i), after(after(i))];
        // Not |R_l[i]| for |n·R_k|: where edges are nearly parallel, that is but rounding.
        let across = |j: usize, k: usize| (axes[j][x] * axes[k][y] - axes[j][y] * axes[k][x]).abs();
        let [xy, yz, zx] = [across(0, 1), across(1, 2), across(2, 0)];
        for (j, to_next, to_last) in [(0, xy, zx), (1, yz, xy), (2, zx, yz)] {
            let ([k, l], axis) = ([after(j), after(after(j))], axes[j]);
            let height = a[x] * abs[j][y] + a[y] * abs[j][x] + b[k] * to_next + b[l] * to_last;
            let along = d[y] * axis[x] - d[x] * axis[y];
            let shift = o[y] * axis[x] - o[x] * axis[y];
            let square = axis[x] * axis[x] + axis[y] * axis[y];
            let edges = Bound::new(Facet::Edges(i, j), along, shift, height);
            // None if the normal is nothing.
            if square > PARALLEL && edges.beats(best) {
                *best = edges;
            }
        }
    }

    /// The face with the largest bound, the last one if it is as large, and the one that keeps the boxes
    /// farthest apart.
    #[inline(always)]
    fn best_faces(&self, last: Contact) -> [Bound; 2] {
        let faces = self.faces();
        let (mut best, mut widest) = (faces[0], faces[0]);
        for face in &faces[1..] {
            if face.beats(&best) {
                best = *face;
            }
            if face.excess() > widest.excess() {
                widest = *face;
            }
        }
        let across = |face: u32| FACES_OF_BOX.iter().position(|sides| sides.contains(&face));
        let last = match last {
            Contact::FaceOfA(face) => across(face),
            Contact::FaceOfB(face) => across(face).map(|k| 3 + k),
            Contact::Edges | Contact::Smooth => None,
        };
        if let Some(last) = last.map(|k| faces[k]).filter(|last| !best.beats(last)) {
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
    let axes = [0, 1, 2].map(|k| rotation.col(k).to_array());
    let boxes = Boxes {
        half: half.map(|half| half.to_array()),
        rotation,
        axes,
        abs: axes.map(|axis| axis.map(Real::abs)),
        offset: ray.exact.to_array(),
        origin: shift.to_array(),
    };
    let [mut best, widest] = boxes.best_faces(cache.contact);
    let apart = widest.excess() > margin;
    if apart {
        best = widest;
    } else {
        (0..3).for_each(|i| boxes.edges(i, &mut best));
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
        let [half_a, half_b] = self.half.map(|half| widen3(Vec3::from_array(half)));
        let [offset, origin] = [self.offset, self.origin].map(|v| widen3(Vec3::from_array(v)));
        let axes = [0, 1, 2].map(|k| widen3(self.rotation.col(k)));
        let normal = match facet {
            Facet::FaceOfA(k) => [DVec3::X, DVec3::Y, DVec3::Z][k],
            Facet::FaceOfB(k) => axes[after(k)].cross(axes[after(after(k))]),
            Facet::Edges(i, j) => [DVec3::X, DVec3::Y, DVec3::Z][i].cross(axes[j]),
        };
        let up = normal.dot(offset) >= 0.0;
        let normal = (if up { normal } else { -normal }).normalize();
        let [x, y, z] = axes.map(|axis| normal.dot(axis));
        let in_b = DVec3::new(x, y, z);
        let denominator = normal.dot(offset);
        let height = half_a.dot(normal.abs()) + half_b.dot(in_b.abs());
        let reach = height - normal.dot(origin);
        let contact = match facet {
            Facet::FaceOfA(k) => Contact::FaceOfA(FACES_OF_BOX[k][usize::from(up)]),
            Facet::FaceOfB(k) => Contact::FaceOfB(FACES_OF_BOX[k][usize::from(!up)]),
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
