//! The portal walk: ray → the triangle of support points of the Minkowski difference that it leaves through.
//!
//! A portal is a triangle `p0 p1 p2` of points of `M - o`, `M = K_a ⊕ (-R K_b)`, with `d·(p_i × p_{i+1}) >
//! 0` for all i: the ray from 0 along d passes through it. Its plane gives an inner bound on the exit, the
//! parallel supporting plane at `w = support(n)` an outer one. If `w` is a corner of the portal, the plane
//! supports M and the answer is exact; else one of the three triangles that `w` makes with the edges is the
//! next portal. Finitely many vertices, so the walk ends.
//!
//! The start is a triangle inside the inscribed ball, orthogonal to the ray, instead of the usual
//! search for a first portal, which is the fragile part of such methods.

use super::types::{NO_VERTEX, PortalCache, Relative};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::geometry::shape::support::scan;
use crate::math::{Array3, Double, Mat3, Real, Scalar, Vec3, array3, cross3, dot3, scale3, sub3};

/// Most refinements of a portal; random pairs need about 6 to 12, the hardest met 30.
pub(super) const ITERATIONS_MAX: u32 = 64;
/// Bounds closer than this many roundings are equal.
const GAP_ROUNDINGS: Double = 4.0;
/// From this many times [`LANES`] vertices on a search climbs along edges instead of scanning.
const CLIMB_CHUNKS_MIN: usize = 7;
/// Radius of the start triangle as a part of the inner radius.
const START: Double = 0.999;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// The plane of the portal supports the Minkowski difference, to rounding.
    Closed,
    /// A plane separates the bodies by more than the margin.
    Apart,
    /// Rounding or the cap on iterations stopped the walk; the portal is the best one seen.
    Failed,
}

/// Result of a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portal {
    /// Vertices (of a, of b) of the corners; [`NO_VERTEX`] for corners of the start triangle and,
    /// for rounded pieces, for corners that do not touch.
    pub(super) ids: [[u32; 2]; 3],
    /// Normal in the frame of a, pointing along the ray; of any length.
    pub(super) normal: Vec3,
    /// Support vertices for the normal.
    pub(super) support: [u32; 2],
    /// Their point `v_a - R v_b - o` (m).
    pub(super) point: Vec3,
    /// How the walk ended.
    pub(super) end: WalkEnd,
    /// Number of support queries.
    pub(super) iterations: u32,
}

impl Portal {
    /// Whether all corners are support points.
    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        self.ids.iter().all(|id| id[0] != NO_VERTEX)
    }
}

/// The two pieces in the numbers of the walk, everything in the frame of a.
pub(super) struct HullPair<'h, S> {
    pub(super) a: &'h Hull,
    pub(super) b: &'h Hull,
    /// Columns of `R`.
    rotation: [Array3<S>; 3],
    /// Direction of the ray.
    pub(super) direction: Array3<S>,
    /// Start of the ray: `o`.
    origin: Array3<S>,
    /// Radius of a ball about `o` inside the Minkowski difference (m).
    inner: S,
    /// Sum of the rounding radii (m).
    pub(super) radius: S,
}

impl<'h, S: Scalar> HullPair<'h, S> {
    #[inline(always)]
    pub(super) fn new(
        a: &'h Hull,
        b: &'h Hull,
        relative: &Relative,
        origin: Vec3,
        direction: Vec3,
        inner: Real,
    ) -> Self {
        Self {
            a,
            b,
            rotation: columns(&relative.rotation),
            direction: array3(direction),
            origin: array3(origin),
            inner: S::from_real(inner),
            radius: S::from_real(a.radius) + S::from_real(b.radius),
        }
    }

    /// `v_a - R v_b - o`; none if a vertex does not exist (a stale cache).
    #[inline(always)]
    pub(super) fn point(&self, id: [u32; 2]) -> Option<Array3<S>> {
        let (a, b): (Array3<S>, Array3<S>) = (vertex(self.a, id[0])?, vertex(self.b, id[1])?);
        let [x, y, z] = &self.rotation;
        Some([
            a[0] - (x[0] * b[0] + y[0] * b[1] + z[0] * b[2]) - self.origin[0],
            a[1] - (x[1] * b[0] + y[1] * b[1] + z[1] * b[2]) - self.origin[1],
            a[2] - (x[2] * b[0] + y[2] * b[1] + z[2] * b[2]) - self.origin[2],
        ])
    }

    /// Vertices of both bodies farthest along `n` and `-n`, and their point of the difference.
    #[inline(always)]
    pub(super) fn support(&self, n: Array3<S>, hints: [u32; 2]) -> ([u32; 2], Array3<S>) {
        let [x, y, z] = self.rotation;
        let n_b = [-dot3(x, n), -dot3(y, n), -dot3(z, n)];
        let id = [support(self.a, n, hints[0]), support(self.b, n_b, hints[1])];
        (id, self.point(id).unwrap_or([S::ZERO; 3]))
    }

    /// A triangle inside the inscribed ball around the ray.
    pub(super) fn start(&self) -> [Array3<S>; 3] {
        let d = self.direction;
        let e3 = scale3(d, S::ONE / dot3(d, d).sqrt());
        let axis = if e3[0].abs() < S::from_double(0.6) {
            [S::ONE, S::ZERO, S::ZERO]
        } else {
            [S::ZERO, S::ONE, S::ZERO]
        };
        let e1 = cross3(axis, e3);
        let radius = self.inner * S::from_double(START);
        let e1 = scale3(e1, radius / dot3(e1, e1).sqrt());
        let e2 = cross3(e3, e1);
        let (c, s) = (S::from_double(-0.5), S::from_double(0.866_025_403_784_438_6));
        let at = |s: S| [c * e1[0] + s * e2[0], c * e1[1] + s * e2[1], c * e1[2] + s * e2[2]];
        [e1, at(s), at(-s)]
    }
}

impl HullPair<'_, Real> {
    /// A vector of the frame of a in the frame of b.
    #[inline(always)]
    pub(super) fn to_b(&self, v: Vec3) -> Vec3 {
        let [x, y, z] = self.rotation;
        Vec3::new(dot3(x, array3(v)), dot3(y, array3(v)), dot3(z, array3(v)))
    }

    /// A vector of the frame of b in the frame of a.
    #[inline(always)]
    pub(super) fn rotated_from_b(&self, v: Vec3) -> Vec3 {
        let [x, y, z] = self.rotation.map(Vec3::from_array);
        x * v.x + y * v.y + z * v.z
    }

    /// The point of the difference with one body's vertex as given and the other's farthest along `n`.
    #[inline(always)]
    pub(super) fn support_of_one(&self, n: Vec3, ids: [u32; 2], keeps_a: bool) -> Vec3 {
        let id = if keeps_a {
            [ids[0], support(self.b, (-self.to_b(n)).to_array(), ids[1])]
        } else {
            [support(self.a, n.to_array(), ids[0]), ids[1]]
        };
        self.point(id).map_or(Vec3::ZERO, Vec3::from_array)
    }
}

/// A vertex of a piece.
#[inline(always)]
pub(super) fn vertex<S: Scalar>(hull: &Hull, v: u32) -> Option<Array3<S>> {
    ((v as usize) < hull.vertices.len()).then(|| array3(hull.corner(v)))
}

/// The vertex of a piece farthest along `n`.
#[inline(always)]
pub(super) fn support<S: Scalar>(hull: &Hull, n: Array3<S>, hint: u32) -> u32 {
    if hull.vertices.len() == 1 {
        return 0;
    }
    if hull.lanes.len() < CLIMB_CHUNKS_MIN {
        return scan(&hull.lanes, n);
    }
    hull.climb(n, hint, S::MAX).0
}

/// Walks to the portal through which the ray leaves the Minkowski difference of unrounded pieces.
pub(super) fn walk<S: Scalar>(pair: &HullPair<'_, S>, cache: &PortalCache, margin: S) -> Portal {
    let d = pair.direction;
    let (mut p, mut ids) = first_portal(pair, cache);
    let mut hints = cache.hints;
    let mut best = Portal {
        ids,
        normal: Vec3::ZERO,
        support: hints,
        point: Vec3::ZERO,
        end: WalkEnd::Failed,
        iterations: 0,
    };
    let mut best_exit = S::MAX;
    let tolerance = S::EPSILON * S::from_double(GAP_ROUNDINGS);
    for iteration in 1..=ITERATIONS_MAX {
        let n = cross3(sub3(p[1], p[0]), sub3(p[2], p[0]));
        let along = dot3(n, d);
        if !(along > S::ZERO) {
            break;
        }
        let (id, w) = pair.support(n, hints);
        hints = id;
        let (outer, inner) = (dot3(n, w), dot3(n, p[0]));
        // The exit through the supporting plane is s = outer / along; the least one is the best bound.
        if outer < best_exit * along {
            best_exit = outer / along;
            best.normal = Vec3::new(n[0].to_real(), n[1].to_real(), n[2].to_real());
            best.ids = ids;
            best.support = id;
            best.point = Vec3::new(w[0].to_real(), w[1].to_real(), w[2].to_real());
            best.iterations = iteration;
        }
        let separation = along - outer;
        if separation > S::ZERO && separation * separation > margin * margin * dot3(n, n) {
            best.end = WalkEnd::Apart;
            break;
        }
        if id == ids[0] || id == ids[1] || id == ids[2] || outer - inner <= tolerance * outer {
            best.end = WalkEnd::Closed;
            break;
        }
        let Some(k) = replaced_corner(d, w, &p) else { break };
        p[k] = w;
        ids[k] = id;
    }
    best
}

/// The cached portal if the ray passes through it, else the start triangle.
#[inline(always)]
pub(super) fn first_portal<S: Scalar>(
    pair: &HullPair<'_, S>,
    cache: &PortalCache,
) -> ([Array3<S>; 3], [[u32; 2]; 3]) {
    let [i, j, k] = cache.ids;
    if i[0] != NO_VERTEX
        && let (Some(p0), Some(p1), Some(p2)) = (pair.point(i), pair.point(j), pair.point(k))
    {
        let d = pair.direction;
        let inside = dot3(d, cross3(p0, p1)) > S::ZERO
            && dot3(d, cross3(p1, p2)) > S::ZERO
            && dot3(d, cross3(p2, p0)) > S::ZERO;
        if inside {
            return ([p0, p1, p2], cache.ids);
        }
    }
    (pair.start(), [[NO_VERTEX; 2]; 3])
}

/// The corner to replace by `w` so that the ray along `d` still passes through the triangle.
#[inline(always)]
pub(super) fn replaced_corner<S: Scalar>(
    d: Array3<S>,
    w: Array3<S>,
    p: &[Array3<S>; 3],
) -> Option<usize> {
    let dw = cross3(d, w);
    let (t0, t1, t2) = (dot3(dw, p[0]), dot3(dw, p[1]), dot3(dw, p[2]));
    if t0 >= S::ZERO && t1 <= S::ZERO {
        Some(2)
    } else if t1 >= S::ZERO && t2 <= S::ZERO {
        Some(0)
    } else if t2 >= S::ZERO && t0 <= S::ZERO {
        Some(1)
    } else {
        None
    }
}

/// The columns of a matrix in the numbers of a [`Scalar`].
#[inline(always)]
fn columns<S: Scalar>(m: &Mat3) -> [Array3<S>; 3] {
    [array3(m.x_axis), array3(m.y_axis), array3(m.z_axis)]
}
