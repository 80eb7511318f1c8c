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

impl Facet {
    /// The facet with a number: faces of a, faces of b, edges along the first axis of a, and so on.
    const fn new(number: usize) -> Self {
        let k = number % 3;
        match number / 3 {
            0 => Self::FaceOfA(k),
            1 => Self::FaceOfB(k),
            i => Self::Edges(i - 2, k),
        }
    }
}

/// One number for each of three axes, and a last one of no use: what is done with four at once is one
/// instruction.
type Lanes = [Real; 4];

#[inline(always)]
fn lanes(of: impl Fn(usize) -> Real) -> Lanes {
    [of(0), of(1), of(2), of(3)]
}

#[inline(always)]
const fn padded(v: Vec3) -> Lanes {
    [v.x, v.y, v.z, 0.0]
}

/// Those of the next axes.
#[inline(always)]
const fn next([x, y, z, w]: Lanes) -> Lanes {
    [y, z, x, w]
}

/// Bounds of three normals: `n·(d - o)` and `H(n) - n·o` (m), times the length of n, which points from a to b.
struct Bounds {
    along: Lanes,
    reach: Lanes,
}

impl Bounds {
    /// With `n·(d - o)`, `n·o` and `H(n)` of normals of either direction.
    #[inline(always)]
    fn new(along: Lanes, shift: Lanes, height: Lanes) -> Self {
        let turned = |k: usize| if along[k] < 0.0 { -shift[k] } else { shift[k] };
        Self { along: lanes(|k| along[k].abs()), reach: lanes(|k| height[k] - turned(k)) }
    }

    /// That of normal k, of the facet with this number.
    #[inline(always)]
    fn of(&self, k: usize, number: usize) -> Bound {
        Bound { number, along: self.along[k], reach: self.reach[k] }
    }
}

/// The bound of one of them.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// Number of its facet.
    number: usize,
    along: Real,
    reach: Real,
}

impl Bound {
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
    half: [Lanes; 2],
    rotation: &'r Mat3,
    /// Rows of R, and their absolute values: a component of each axis of b.
    rows: [Lanes; 3],
    abs: [Lanes; 3],
    /// `d - o` and `o` (m).
    offset: Lanes,
    origin: Lanes,
}

/// Index of an axis after k.
const fn after(k: usize) -> usize {
    if k == 2 { 0 } else { k + 1 }
}

impl Boxes<'_> {
    /// The bounds of the faces of a and of those of b.
    #[inline(always)]
    fn faces(&self) -> [Bound; 6] {
        let Self { half: [a, b], rows, abs, offset: d, origin: o, .. } = self;
        let reach = |k: usize| b[0] * abs[k][0] + b[1] * abs[k][1] + b[2] * abs[k][2];
        let reach = [reach(0), reach(1), reach(2), 0.0];
        let of_a = Bounds::new(*d, *o, lanes(|k| a[k] + reach[k]));
        let along =
            |v: &Lanes| lanes(|k| rows[0][k] * v[0] + rows[1][k] * v[1] + rows[2][k] * v[2]);
        let height = lanes(|k| b[k] + (a[0] * abs[0][k] + a[1] * abs[1][k] + a[2] * abs[2][k]));
        let of_b = Bounds::new(along(d), along(o), height);
        let [x, y, z] = [0, 1, 2].map(|k| of_a.of(k, k));
        let [u, v, w] = [0, 1, 2].map(|k| of_b.of(k, 3 + k));
        [x, y, z, u, v, w]
    }

    /// Takes for the best what has a larger bound among `n = e_i × R_j`.
    #[inline(always)]
    fn edges(&self, i: usize, best: &mut Bound) {
        let Self { half: [a, b], rows, abs, offset: d, origin: o, .. } = self;
        let [x, y] = [after(i), after(after(i))];
        let (row_x, row_y) = (rows[x], rows[y]);
        let (next_x, next_y) = (next(row_x), next(row_y));
        // Not |R_l[i]| for |n·R_k|: where edges are nearly parallel, that is but rounding.
        let across = lanes(|j| (row_x[j] * next_y[j] - row_y[j] * next_x[j]).abs());
        let (to_next, to_last) = (next(*b), next(next(*b)));
        let last = next(next(across));
        let height = lanes(|j| {
            a[x] * abs[y][j] + a[y] * abs[x][j] + to_next[j] * across[j] + to_last[j] * last[j]
        });
        let along = lanes(|j| d[y] * row_x[j] - d[x] * row_y[j]);
        let shift = lanes(|j| o[y] * row_x[j] - o[x] * row_y[j]);
        let square = lanes(|j| row_x[j] * row_x[j] + row_y[j] * row_y[j]);
        let bounds = Bounds::new(along, shift, height);
        for j in 0..3 {
            let edges = bounds.of(j, 6 + 3 * i + j);
            // None if the normal is nothing.
            if square[j] > PARALLEL && edges.beats(best) {
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
    let rows = [rotation.row(0), rotation.row(1), rotation.row(2)].map(padded);
    let boxes = Boxes {
        half: half.map(padded),
        rotation,
        rows,
        abs: rows.map(|row| row.map(Real::abs)),
        offset: padded(ray.exact),
        origin: padded(shift),
    };
    let [mut best, widest] = boxes.best_faces(cache.contact);
    let apart = widest.excess() > margin;
    if apart {
        best = widest;
    } else {
        boxes.edges(0, &mut best);
        boxes.edges(1, &mut best);
        boxes.edges(2, &mut best);
    }
    let ratio = boxes.ratio(Facet::new(best.number));
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
        let wide = |[x, y, z, _]: Lanes| widen3(Vec3::new(x, y, z));
        let [half_a, half_b] = self.half.map(wide);
        let [offset, origin] = [self.offset, self.origin].map(wide);
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
