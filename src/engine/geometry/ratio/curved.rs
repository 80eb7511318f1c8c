//! Pairs with a curved core: ray → exit from a Minkowski difference with smooth parts.
//!
//! With `e` the unit direction of the ray, the exit is at `σ e`,
//!
//! ```text
//! σ = min { F(n) : n·e = 1 },     F(n) = H(n) - n·o,     r = |d - o| / σ,
//! ```
//!
//! a convex problem in two unknowns. F is the largest of finitely many smooth *branches*, pairs of a
//! vertex or a branch of [`Curve`](crate::engine::geometry::shape::curve::Curve) of each body, plus `R |n|`
//! for the rounding. Three means:
//!
//! - **Caps**: along the axis of a cylinder or a cone a branch has no gradient. Whether the ray leaves
//!   through a cap is decided by the distance of the exit from the middle of the cap.
//! - **Polish**: Newton's method on the largest of up to three branches (sequential quadratic
//!   programming): steps minimize `t + ½ Δᵀ G Δ` under `F_i + g_i·Δ = t`, with `G` the sum of the
//!   branches' second derivatives weighted by the multipliers `λ`. A branch with negative `λ` leaves,
//!   one that turns out larger joins. Where it ends with `λ ≥ 0`, no larger branch and no step left,
//!   the answer is exact: `Σ λ_i w_i` is a point of the difference on the ray. Converges
//!   quadratically, from a warm cache at once.
//! - **Portal walk**, as for polytopes, towards a start for the polish. Its bounds close only
//!   linearly where the surface is smooth, but always.
//!
//! Always in double precision: a normal is right only to the square root of the error of F. At the
//! end the normal of a face or cap is taken where it certifies the same ratio to rounding.
//! Cost: one or two support queries of each body warm, about ten to twenty cold; no allocation.
//! Deliberately absent: closed forms of special pairs.

use super::polish::polish;
use super::ray::Ray;
use super::types::{Contact, Feature, Measured, NO_VERTEX, PortalCache, Ratio, Relative, Status};
use crate::engine::geometry::shape::hull::Hull;
use crate::math::{
    DMat3, DVec3, Double, EPSILON, Real, Vec3, narrow, narrow3, widen, widen_mat3, widen3,
};

/// Most refinements of a portal. The last ones are for bodies a thousand times longer than thick.
const PORTALS_MAX: u32 = 200;
/// Bounds of the walk closer than this, relative, are equal.
const SAME_BOUND: Double = 1e-15;
/// Bounds closer than this, relative, are worth a first polish; after each failed one, a quarter.
const POLISH_GAP: Double = 0.5;
/// A walk that ends with bounds closer than this, relative, is exact.
const CLOSED_GAP: Double = 1e-12;
/// Ratios closer than this are equal: the rounding of two support values and a division.
const SAME_RATIO: Double = 4.0 * EPSILON as Double;
/// The rounding of a normal: a face within it is the one touched.
const SAME_NORMAL: Double = 64.0 * EPSILON as Double + 1e-9;
/// Radius of the start triangle as a part of the inner radius.
const START: Double = 0.999;

/// The two bodies, everything in the frame of a.
pub(super) struct CurvedPair<'h> {
    hulls: [&'h Hull; 2],
    rotation: DMat3,
    /// Start of the ray: `o`.
    origin: DVec3,
    /// Direction of the ray, of length one.
    pub(super) direction: DVec3,
    /// Sum of the rounding radii (m).
    radius: Double,
    /// Size of the difference, for roundings (m).
    pub(super) size: Double,
}

/// A branch of the support function: a vertex or branch of each body.
pub(super) type Branch = [u32; 2];

/// The branch that is largest in a direction, and its point.
#[derive(Clone, Copy, Debug)]
pub(super) struct TouchingPoints {
    pub(super) branch: Branch,
    /// Point of the difference, from the start of the ray (m).
    pub(super) point: DVec3,
}

/// A normal with the branches that carry the exit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// Normal, scaled to `n·e = 1`.
    pub(super) normal: DVec3,
    /// F(n): an upper bound on the exit (m).
    pub(super) exit: Double,
    pub(super) branches: [Branch; 3],
    pub(super) len: usize,
}

/// No branch.
pub(super) const NO_BRANCH: Branch = [NO_VERTEX; 2];

impl<'h> CurvedPair<'h> {
    fn new(hulls: [&'h Hull; 2], relative: &Relative, origin: Vec3, direction: DVec3) -> Self {
        let [a, b] = hulls;
        let size = widen(a.bounding_radius) + widen(b.bounding_radius) + widen3(origin).length();
        Self {
            hulls,
            rotation: widen_mat3(relative.rotation),
            origin: widen3(origin),
            direction,
            radius: widen(a.radius) + widen(b.radius),
            size,
        }
    }

    /// `n` in the axes of b, turned around.
    #[inline]
    fn against_b(&self, n: DVec3) -> DVec3 {
        let r = &self.rotation;
        -DVec3::new(r.x_axis.dot(n), r.y_axis.dot(n), r.z_axis.dot(n))
    }

    /// The point of a branch in the direction `n` (m).
    #[inline]
    pub(super) fn point(&self, branch: Branch, n: DVec3) -> DVec3 {
        self.difference([self.part(0, branch, n), self.part(1, branch, self.against_b(n))], n)
    }

    /// The point of one body's branch, all in the frame of that body (m).
    #[inline]
    fn part(&self, k: usize, branch: Branch, n: DVec3) -> DVec3 {
        let hull = self.hulls[k];
        match &hull.curve {
            Some(curve) => curve.point(branch[k], n),
            None => hull.vertices.get(branch[k] as usize).map_or(DVec3::ZERO, |&v| widen3(v)),
        }
    }

    /// From points of the cores, each in the frame of its body, to the point of the difference (m).
    #[inline]
    fn difference(&self, parts: [DVec3; 2], n: DVec3) -> DVec3 {
        let p = parts[0] - self.rotation * parts[1] - self.origin;
        if self.radius > 0.0 { p + n * (self.radius / n.dot(n).sqrt()) } else { p }
    }

    /// The largest branch in the direction `n`.
    #[inline]
    pub(super) fn support(&self, n: DVec3, hints: [u32; 2]) -> TouchingPoints {
        let part = |k: usize, n: DVec3| match &self.hulls[k].curve {
            Some(curve) => curve.branch(n),
            None => super::walk::support(self.hulls[k], n.to_array(), hints[k]),
        };
        let branch = [part(0, n), part(1, self.against_b(n))];
        TouchingPoints { branch, point: self.point(branch, n) }
    }

    /// Second derivative of a branch at `n` along the vectors `t`: entries (0,0), (0,1), (1,1).
    pub(super) fn bend(&self, branch: Branch, n: DVec3, t: [DVec3; 2]) -> [Double; 3] {
        let mut sum = [0.0; 3];
        let mut add = |m: DMat3, t: [DVec3; 2]| {
            let mt = [m * t[0], m * t[1]];
            sum[0] += t[0].dot(mt[0]);
            sum[1] += t[0].dot(mt[1]);
            sum[2] += t[1].dot(mt[1]);
        };
        if let Some(curve) = &self.hulls[0].curve {
            add(curve.bend(branch[0], n), t);
        }
        if let Some(curve) = &self.hulls[1].curve {
            add(curve.bend(branch[1], self.against_b(n)), t.map(|t| self.against_b(t)));
        }
        if self.radius > 0.0 {
            let length = n.dot(n).sqrt();
            let unit = n / length;
            let k = self.radius / length;
            let [x, y] = [unit.dot(t[0]), unit.dot(t[1])];
            sum[0] += k * (t[0].dot(t[0]) - x * x);
            sum[1] += k * (t[0].dot(t[1]) - x * y);
            sum[2] += k * (t[1].dot(t[1]) - y * y);
        }
        sum
    }

    /// Outward normal, in the frame of a and from a to b, of a face of hull `k`.
    fn face_normal(&self, k: usize, face: u32) -> DVec3 {
        let normal = widen3(self.hulls[k].faces[face as usize].normal);
        if k == 0 { normal } else { -(self.rotation * normal) }
    }

    /// The cap through whose middle part the ray leaves, if there is one.
    fn through_cap(&self, hints: [u32; 2]) -> Option<Answer> {
        for k in 0..2 {
            let Some(curve) = &self.hulls[k].curve else { continue };
            for face in 0..self.hulls[k].faces.len() as u32 {
                let c = self.face_normal(k, face);
                let along = c.dot(self.direction);
                if !(along > 0.0) {
                    continue;
                }
                let touch = self.support(c, hints);
                let mut parts =
                    [self.part(0, touch.branch, c), self.part(1, touch.branch, self.against_b(c))];
                let cap = &self.hulls[k].faces[face as usize];
                parts[k] = widen3(cap.normal) * widen(cap.offset);
                let middle = self.difference(parts, c);
                let exit = c.dot(middle) / along;
                let across = self.direction * exit - middle;
                if across.length() <= widen(curve.cap_radius()) {
                    let branches = [touch.branch, NO_BRANCH, NO_BRANCH];
                    return Some(Answer { normal: c / along, exit, branches, len: 1 });
                }
            }
        }
        None
    }

    /// A triangle inside the ball of the radius `inner` about the start of the ray.
    fn start(&self, inner: Double) -> [DVec3; 3] {
        let (e1, e2) = self.direction.any_orthonormal_pair();
        let r = inner * START;
        let (c, s) = (-0.5 * r, 0.866_025_403_784_438_6 * r);
        [e1 * r, e1 * c + e2 * s, e1 * c - e2 * s]
    }
}

/// How a cast ended.
enum PortalCast {
    /// With a bound and whether it is the exit.
    Exit(Answer, bool),
    /// With a unit normal of a plane between the bodies.
    Apart(DVec3),
}

/// The metric of two hulls of which at least one is curved, see [`measure`](super::measure).
pub(super) fn measure(
    [a, b]: [&Hull; 2],
    relative: &Relative,
    origin: Vec3,
    ray: &Ray,
    inner: Real,
    margin: Real,
    cache: &mut PortalCache,
) -> Measured {
    let direction = widen3(ray.direction).normalize();
    let bodies = CurvedPair::new([a, b], relative, origin, direction);
    let offset = widen3(ray.offset);
    let exact = widen3(ray.exact);
    let margin = widen(margin);
    if cache.normal != Vec3::ZERO {
        let n = widen3(cache.normal);
        let touch = bodies.support(n, cache.hints);
        cache.hints = bodies.hints(touch.branch);
        let denominator = n.dot(exact);
        let separation = denominator - n.dot(touch.point);
        if denominator > 0.0 && separation > margin * n.length() {
            let separation = narrow(separation / n.length());
            return Measured::Apart { normal: cache.normal, separation };
        }
    }
    let mut iterations = 0;
    let length = exact.length();
    let is_apart = |n: DVec3, reach: Double| {
        ray.is_true && n.dot(direction) * length - reach > margin * n.length()
    };
    let (answer, is_exact) = match cast(&bodies, inner, cache, &is_apart, &mut iterations) {
        PortalCast::Exit(answer, is_exact) => (answer, is_exact),
        PortalCast::Apart(n) => {
            let n = n.normalize();
            let touch = bodies.support(n, cache.hints);
            cache.ids = [NO_BRANCH; 3];
            cache.normal = narrow3(n);
            cache.contact = Contact::Smooth;
            let separation = narrow(n.dot(exact) - n.dot(touch.point));
            return Measured::Apart { normal: cache.normal, separation };
        }
    };
    cache.ids = answer.branches;
    cache.hints = bodies.hints(answer.branches[0]);
    let (normal, contact) = bodies.snapped(&answer, cache.hints);
    cache.normal = narrow3(normal);
    cache.contact = contact;
    let touch = bodies.support(normal, cache.hints);
    let reach = normal.dot(touch.point);
    let denominator = normal.dot(offset);
    let separation = normal.dot(exact) - reach;
    if !ray.is_floored && denominator > 0.0 && separation > margin {
        return Measured::Apart { normal: cache.normal, separation: narrow(separation) };
    }
    Measured::Near(Ratio {
        ratio: narrow(denominator / reach),
        gap: narrow((denominator - reach) / denominator),
        separation: narrow(separation),
        denominator: narrow(denominator),
        normal: cache.normal,
        features: bodies.features(&answer),
        contact,
        status: match (is_exact, ray.is_floored) {
            (false, _) => Status::Bound,
            (true, true) => Status::Coincident,
            (true, false) => Status::Exact,
        },
        iterations,
    })
}

/// The exit of the ray.
fn cast(
    bodies: &CurvedPair,
    inner: Real,
    cache: &PortalCache,
    is_apart: &impl Fn(DVec3, Double) -> bool,
    iterations: &mut u32,
) -> PortalCast {
    if let Some(answer) = bodies.through_cap(cache.hints) {
        return PortalCast::Exit(answer, true);
    }
    let along = widen3(cache.normal).dot(bodies.direction);
    if along > 0.1 {
        let n = widen3(cache.normal) / along;
        let known = cache.ids.iter().filter(|id| id[0] != NO_VERTEX).count();
        if let Some(answer) = polish(bodies, n, &cache.ids[..known], cache.hints, iterations) {
            return PortalCast::Exit(answer, true);
        }
    }
    walk(bodies, inner, cache.hints, is_apart, iterations)
}

/// The portal walk with a polish on the way.
fn walk(
    bodies: &CurvedPair,
    inner: Real,
    hints: [u32; 2],
    is_apart: &impl Fn(DVec3, Double) -> bool,
    iterations: &mut u32,
) -> PortalCast {
    let e = bodies.direction;
    let mut p = bodies.start(widen(inner));
    let mut ids = [NO_BRANCH; 3];
    let mut hints = hints;
    let touch = bodies.support(e, hints);
    let mut best =
        Answer { normal: e, exit: e.dot(touch.point), branches: [touch.branch; 3], len: 1 };
    let mut least_gap = Double::INFINITY;
    let mut polish_at = POLISH_GAP;
    for _ in 0..PORTALS_MAX {
        *iterations += 1;
        let n = (p[1] - p[0]).cross(p[2] - p[0]);
        let along = n.dot(e);
        if !(along > 0.0) {
            break;
        }
        let n = n / along;
        let touch = bodies.support(n, hints);
        hints = bodies.hints(touch.branch);
        let (outer, within) = (n.dot(touch.point), n.dot(p[0]));
        if is_apart(n, outer) {
            return PortalCast::Apart(n);
        }
        if outer <= best.exit {
            best = Answer { normal: n, exit: outer, branches: ids, len: 3 };
        }
        let gap = (best.exit - within) / best.exit;
        least_gap = least_gap.min(gap);
        if gap <= SAME_BOUND {
            return PortalCast::Exit(best, true);
        }
        let w = touch.point;
        if let Some(k) = replaced_corner(e, w, &p) {
            p[k] = w;
            ids[k] = touch.branch;
        } else {
            break;
        }
        if gap <= polish_at && ids.iter().all(|id| id[0] != NO_VERTEX) {
            polish_at = 0.25 * gap;
            if let Some(answer) = polish(bodies, best.normal, &ids, hints, iterations) {
                return PortalCast::Exit(answer, true);
            }
        }
    }
    PortalCast::Exit(best, least_gap <= CLOSED_GAP)
}

/// The corner to replace by `w` so that the ray along `e` still passes through the triangle.
fn replaced_corner(e: DVec3, w: DVec3, p: &[DVec3; 3]) -> Option<usize> {
    let [e, w] = [e, w].map(|v| v.to_array());
    super::walk::replaced_corner(e, w, &p.map(|p| p.to_array()))
}

impl CurvedPair<'_> {
    /// Vertices of the polytopes among the bodies; 0 for a curved one.
    fn hints(&self, branch: Branch) -> [u32; 2] {
        let vertex = |k: usize| {
            let known = (branch[k] as usize) < self.hulls[k].vertices.len();
            if self.hulls[k].curve.is_none() && known { branch[k] } else { 0 }
        };
        [vertex(0), vertex(1)]
    }

    /// The distinct vertices of the polytopes among the bodies.
    fn features(&self, answer: &Answer) -> [Feature; 2] {
        [0, 1].map(|k| {
            let mut feature = Feature { ids: [NO_VERTEX; 3], len: 0 };
            if self.hulls[k].curve.is_none() {
                for branch in &answer.branches[..answer.len] {
                    if branch[k] != NO_VERTEX && !feature.ids.contains(&branch[k]) {
                        feature.ids[feature.len as usize] = branch[k];
                        feature.len += 1;
                    }
                }
            }
            feature
        })
    }

    /// The unit normal of the answer, or that of a face or cap that is as good.
    fn snapped(&self, answer: &Answer, hints: [u32; 2]) -> (DVec3, Contact) {
        let normal = answer.normal.normalize();
        let mut best = (normal, Contact::Smooth);
        let mut nearest = Double::INFINITY;
        for k in 0..2 {
            let hull = self.hulls[k];
            let contact = if k == 0 { Contact::FaceOfA } else { Contact::FaceOfB };
            let faces = match hull.curve {
                Some(_) => &[0, 1][..hull.faces.len()],
                None => hull.faces_at(hints[k]),
            };
            for &face in faces {
                let c = self.face_normal(k, face);
                let change = (c - normal).length();
                let is_close = change <= SAME_NORMAL || self.carries(k, face, answer);
                if is_close && change < nearest && self.is_as_good(c, answer, hints) {
                    nearest = change;
                    best = (c, contact(face));
                }
            }
        }
        (best.0.normalize(), best.1)
    }

    /// Do three branches of the answer hold three vertices of this face?
    fn carries(&self, k: usize, face: u32, answer: &Answer) -> bool {
        let corners = self.hulls[k].face_loop(face);
        let on_face = |branch: &Branch| corners.contains(&branch[k]);
        answer.len == 3
            && answer.branches.iter().all(on_face)
            && answer.branches[0][k] != answer.branches[1][k]
            && answer.branches[1][k] != answer.branches[2][k]
            && answer.branches[0][k] != answer.branches[2][k]
    }

    /// Whether a normal certifies the exit of the answer to rounding and flatness.
    fn is_as_good(&self, c: DVec3, answer: &Answer, hints: [u32; 2]) -> bool {
        let along = c.dot(self.direction);
        let flatness = widen(self.hulls[0].flatness) + widen(self.hulls[1].flatness);
        let reach = c.dot(self.support(c, hints).point);
        along > 0.0 && reach <= along * answer.exit * (1.0 + SAME_RATIO) + flatness
    }
}
