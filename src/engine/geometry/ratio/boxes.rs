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
//!
//! The comparison has no branches, so that eight pairs go through it side by side, with the same bits as each
//! by itself. What is in double precision is done pair by pair.

use super::finish::SAME_RATIO;
use super::types::{Contact, Feature, Measured, NO_VERTEX, PortalCache, Ratio, Relative, Status};
use crate::math::{DVec3, Real, Scalar, Vec3, narrow, narrow3, widen3};

/// Faces of a box, by axis and side: first the one at its lower end.
pub(in crate::engine) const FACES_OF_BOX: [[u32; 2]; 3] = [[2, 3], [0, 4], [1, 5]];
/// Squares of sines below this belong to parallel edges, whose cross product is nothing.
const PARALLEL: Real = 1e-30;

/// What the normal of a facet of the difference is that of, as a number: faces across an axis of a from 0,
/// of b from 3, edges along axes i and j at `6 + 3 i + j`. Not an enum: it goes through lanes.
type FacetCode = Real;

/// Its bound: `n·(d - o)` and `H(n) - n·o` (m), times the length of n, which points from a to b.
#[derive(Clone, Copy, Debug)]
struct Bound {
    facet: FacetCode,
    along: Real,
    reach: Real,
}

impl Bound {
    /// With `n·(d - o)`, `n·o` and `H(n)` of a normal of either direction.
    #[inline(always)]
    fn new(facet: FacetCode, along: Real, shift: Real, height: Real) -> Self {
        let shift = if along < 0.0 { -shift } else { shift };
        Self { facet, along: along.abs(), reach: height - shift }
    }

    /// Is its ratio larger, by more than rounding?
    #[inline(always)]
    fn beats(&self, other: &Self) -> bool {
        self.along * other.reach > (1.0 + SAME_RATIO) * other.along * self.reach
    }

    /// `n·d - H(n)`, for faces the distance (m).
    #[inline(always)]
    fn excess(&self) -> Real {
        self.along - self.reach
    }

    /// Another in its place, if so; without a branch, which lanes cannot take.
    #[inline(always)]
    fn or(self, other: &Self, so: bool) -> Self {
        let pick = |mine, its| if so { its } else { mine };
        let (along, reach) = (pick(self.along, other.along), pick(self.reach, other.reach));
        Self { facet: pick(self.facet, other.facet), along, reach }
    }
}

/// Two boxes in the frame of a.
struct Boxes {
    half: [[Real; 3]; 2],
    /// Columns of R.
    axes: [[Real; 3]; 3],
    /// `d - o` and `o` (m).
    offset: [Real; 3],
    origin: [Real; 3],
}

/// Index of an axis after k.
const fn after(k: usize) -> usize {
    if k == 2 { 0 } else { k + 1 }
}

#[inline(always)]
fn dot(a: [Real; 3], b: [Real; 3]) -> Real {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn abs(v: [Real; 3]) -> [Real; 3] {
    [v[0].abs(), v[1].abs(), v[2].abs()]
}

impl Boxes {
    /// The bound of a face of a.
    #[inline(always)]
    fn face_of_a(&self, k: usize) -> Bound {
        let Self { half: [a, b], axes, offset, origin } = self;
        let height = a[k] + dot(*b, abs([axes[0][k], axes[1][k], axes[2][k]]));
        Bound::new(k as FacetCode, offset[k], origin[k], height)
    }

    /// The bound of a face of b.
    #[inline(always)]
    fn face_of_b(&self, k: usize) -> Bound {
        let Self { half: [a, b], axes, offset, origin } = self;
        let height = b[k] + dot(*a, abs(axes[k]));
        let [along, shift] = [dot(axes[k], *offset), dot(axes[k], *origin)];
        Bound::new((3 + k) as FacetCode, along, shift, height)
    }

    /// The better one of a bound and those among `n = e_i × R_j`.
    #[inline(always)]
    fn or_edges<const I: usize>(&self, best: Bound) -> Bound {
        let axes = &self.axes;
        let [x, y] = [after(I), after(after(I))];
        // Not |R_l[i]| for |n·R_k|: where edges are nearly parallel, that is but rounding.
        let across = |j: usize, k: usize| (axes[j][x] * axes[k][y] - axes[j][y] * axes[k][x]).abs();
        let [xy, yz, zx] = [across(0, 1), across(1, 2), across(2, 0)];
        let best = self.or_edge::<I, 0>(best, xy, zx);
        let best = self.or_edge::<I, 1>(best, yz, xy);
        self.or_edge::<I, 2>(best, zx, yz)
    }

    /// The better one of a bound and that of `n = e_i × R_j`, with `|n·R_k|` of the next and the last axis.
    #[inline(always)]
    fn or_edge<const I: usize, const J: usize>(
        &self,
        best: Bound,
        to_next: Real,
        to_last: Real,
    ) -> Bound {
        let Self { half: [a, b], axes, offset: d, origin: o } = self;
        let ([x, y], [k, l]) = ([after(I), after(after(I))], [after(J), after(after(J))]);
        let axis = axes[J];
        let height = a[x] * axis[y].abs() + a[y] * axis[x].abs() + b[k] * to_next + b[l] * to_last;
        let along = d[y] * axis[x] - d[x] * axis[y];
        let shift = o[y] * axis[x] - o[x] * axis[y];
        let square = axis[x] * axis[x] + axis[y] * axis[y];
        let edges = Bound::new((6 + 3 * I + J) as FacetCode, along, shift, height);
        // None if the normal is nothing.
        best.or(&edges, (square > PARALLEL) & edges.beats(&best))
    }

    /// The facet, unless the face that keeps the boxes farthest apart does so by more than `margin` (m): then
    /// that one, and true. Of faces with the same bound the `last` one.
    #[inline(always)]
    fn facet(&self, last: FacetCode, margin: Real) -> (FacetCode, bool) {
        // Not by `map`, whose calls keep loops over lanes from becoming vectors.
        let [p, q, r] = [self.face_of_a(0), self.face_of_a(1), self.face_of_a(2)];
        let [u, v, w] = [self.face_of_b(0), self.face_of_b(1), self.face_of_b(2)];
        let larger = |best: Bound, face: &Bound| best.or(face, face.beats(&best));
        let best = larger(larger(larger(larger(larger(p, &q), &r), &u), &v), &w);
        let wider = |best: Bound, face: &Bound| best.or(face, face.excess() > best.excess());
        let widest = wider(wider(wider(wider(wider(p, &q), &r), &u), &v), &w);
        let kept =
            |best: Bound, face: &Bound| best.or(face, (face.facet == last) & !best.beats(face));
        let best = kept(kept(kept(kept(kept(kept(best, &p), &q), &r), &u), &v), &w);
        let apart = widest.excess() > margin;
        let best = self.or_edges::<2>(self.or_edges::<1>(self.or_edges::<0>(best)));
        (best.or(&widest, apart).facet, apart)
    }
}

/// The number of the face that boxes touched with last; none of them without one.
fn last_face(last: Contact) -> FacetCode {
    let across = |face: u32| FACES_OF_BOX.iter().position(|sides| sides.contains(&face));
    let last = match last {
        Contact::FaceOfA(face) => across(face),
        Contact::FaceOfB(face) => across(face).map(|k| 3 + k),
        Contact::Edges | Contact::Smooth => None,
    };
    last.map_or(-1.0, |k| k as FacetCode)
}

/// Two boxes to be measured about scaling centers that are not in one place.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct BoxQuery {
    /// Half lengths (m).
    pub(in crate::engine) half: [Vec3; 2],
    /// Pose of b relative to a.
    pub(in crate::engine) relative: Relative,
    /// `o` of the centers (m).
    pub(in crate::engine) shift: Vec3,
    /// Distance beyond which only the certificate of it is asked for (m).
    pub(in crate::engine) margin: Real,
}

/// What many boxes abreast tell: a facet each, and whether it is that of boxes farther apart than the margin.
pub(in crate::engine) type FacetFound = (FacetCode, bool);

/// How many pairs of boxes go through lanes at once, and the numbers of each.
const ABREAST: usize = 8;
const NUMBERS: usize = 23;

/// The facets of pairs of boxes, with what they touched with last, eight abreast: the same ones as of each by
/// itself.
pub(in crate::engine) fn facets(
    queries: &[(BoxQuery, Contact)],
    mut found: impl FnMut(FacetFound),
) {
    for queries in queries.chunks(ABREAST) {
        let mut numbers = [[0.0; ABREAST]; NUMBERS];
        for (k, (query, last)) in queries.iter().enumerate() {
            let Boxes { half: [a, b], axes: [x, y, z], offset: d, origin: o } = query.boxes();
            for (rows, v) in numbers.chunks_exact_mut(3).zip([a, b, x, y, z, d, o]) {
                (rows[0][k], rows[1][k], rows[2][k]) = (v[0], v[1], v[2]);
            }
            (numbers[NUMBERS - 2][k], numbers[NUMBERS - 1][k]) = (last_face(*last), query.margin);
        }
        let (codes, apart) = facets_abreast(&numbers);
        for k in 0..queries.len() {
            found((codes[k], apart[k] > 0.0));
        }
    }
}

/// Those of eight pairs, and where it is one of boxes that are apart a 1. A plain loop over lanes, without
/// branches, which compilers turn into vectors.
#[inline(never)]
fn facets_abreast(numbers: &[[Real; ABREAST]; NUMBERS]) -> ([FacetCode; ABREAST], [Real; ABREAST]) {
    let (mut codes, mut apart) = ([0.0; ABREAST], [0.0; ABREAST]);
    for k in 0..ABREAST {
        let three = |i: usize| [numbers[i][k], numbers[i + 1][k], numbers[i + 2][k]];
        let boxes = Boxes {
            half: [three(0), three(3)],
            axes: [three(6), three(9), three(12)],
            offset: three(15),
            origin: three(18),
        };
        let (code, is_apart) = boxes.facet(numbers[NUMBERS - 2][k], numbers[NUMBERS - 1][k]);
        codes[k] = code;
        apart[k] = if is_apart { 1.0 } else { 0.0 };
    }
    (codes, apart)
}

impl BoxQuery {
    fn boxes(&self) -> Boxes {
        let Self { half, relative, shift, .. } = self;
        let axes = [0, 1, 2].map(|k| relative.rotation.col(k).to_array());
        let offset = (relative.offset - *shift).to_array();
        Boxes { half: half.map(|half| half.to_array()), axes, offset, origin: shift.to_array() }
    }

    /// The metric of two boxes by their facet, or the certificate that they are more than the margin apart.
    pub(in crate::engine) fn measured(
        &self,
        (facet, apart): FacetFound,
        cache: &mut PortalCache,
    ) -> Measured {
        let ratio = self.boxes().ratio(facet);
        let [a, b] = ratio.features.map(|feature| feature.ids[0]);
        (cache.normal, cache.contact, cache.hints) = (ratio.normal, ratio.contact, [a, b]);
        let none = [NO_VERTEX; 2];
        if apart || ratio.separation > self.margin {
            cache.ids = [none; 3];
            return Measured::Apart { normal: ratio.normal, separation: ratio.separation };
        }
        cache.ids = [[a, b], none, none];
        Measured::Near(ratio)
    }

    /// The distance (m) by the normal of the last step, which has told that they are apart, if it does so
    /// again.
    pub(in crate::engine) fn still_apart(&self, cache: &PortalCache) -> Option<Real> {
        if cache.ids[0][0] != NO_VERTEX || cache.normal == Vec3::ZERO {
            return None;
        }
        let (n, Relative { rotation, offset }) = (cache.normal, self.relative);
        let outward_b = -(rotation.transpose() * n);
        let at = |half: Vec3, n: Vec3| half.copysign(n);
        let point = at(self.half[0], n) - rotation * at(self.half[1], outward_b);
        let (along, reach) = (n.dot(offset), n.dot(point));
        (along > 0.0 && along - reach > self.margin).then_some(along - reach)
    }
}

/// The metric of two boxes without rounding, by their half lengths (m), or the certificate that they are more
/// than `margin` (m) apart. `o` is `shift` (m), not in one place with the offset.
pub(super) fn measure(query: &BoxQuery, cache: &mut PortalCache) -> Measured {
    let found = query.boxes().facet(last_face(cache.contact), query.margin);
    query.measured(found, cache)
}

/// What the normal of a facet is that of: a face across an axis, or edges along axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Facet {
    FaceOfA(usize),
    FaceOfB(usize),
    Edges(usize, usize),
}

impl Facet {
    /// By its number.
    fn of(code: FacetCode) -> Self {
        match code.to_index() as usize {
            k @ 0..3 => Self::FaceOfA(k),
            k @ 3..6 => Self::FaceOfB(k - 3),
            k => Self::Edges((k - 6) / 3 % 3, k % 3),
        }
    }
}

/// Number of the corner of a box that is farthest along a direction in its axes.
fn corner(along: DVec3) -> u32 {
    u32::from(along.x > 0.0) | u32::from(along.y > 0.0) << 1 | u32::from(along.z > 0.0) << 2
}

impl Boxes {
    /// The answer with the normal of a facet, in double precision.
    #[inline(always)]
    fn ratio(&self, facet: FacetCode) -> Ratio {
        let facet = Facet::of(facet);
        let [half_a, half_b] = self.half.map(|half| widen3(Vec3::from_array(half)));
        let [offset, origin] = [self.offset, self.origin].map(|v| widen3(Vec3::from_array(v)));
        let axes = self.axes.map(|axis| widen3(Vec3::from_array(axis)));
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
