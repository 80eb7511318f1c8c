//! Rounded pieces: ray → exit from `C ⊕ B(R)`, C the Minkowski difference of the cores.
//!
//! A set Q of up to three points of C and the ray's exit from `conv(Q) ⊕ B(R)` (balls around the
//! points, cylinders around the edges, the shifted plane: all closed forms) give an inner bound on
//! the exit, and the tangent plane there, moved to `support(n)`, an outer one. If they agree the
//! answer is exact. Else the support point joins Q, which moves the exit outward, and only the
//! points that carry the new exit stay. The exits increase and there are finitely many Q, so the
//! ascent ends; the sources only approach the exit through ever more tangent planes.

use super::types::{NO_VERTEX, PortalCache};
use super::walk::{HullPair, ITERATIONS_MAX, Portal, WalkEnd, first_portal, replaced_corner};
use crate::math::{Array3, Double, Scalar, Vec3, add3, cross3, dot3, scale3, sub3};

/// Bounds closer than this many roundings are equal.
const GAP_ROUNDINGS: Double = 4.0;
/// Slack of the tests which piece of the surface the ray leaves through.
const INSIDE: Double = 1e-5;

/// Exit of the ray from a rounded simplex.
#[derive(Clone, Copy)]
struct Exit<S> {
    /// Parameter along the ray.
    s: S,
    /// Unit normal.
    normal: Array3<S>,
    /// Which of the points carry it.
    used: [bool; 3],
}

/// Up to three points with their vertices.
#[derive(Clone, Copy)]
struct CoreSimplex<S> {
    points: [Array3<S>; 3],
    ids: [[u32; 2]; 3],
    len: usize,
}

impl<S: Scalar> CoreSimplex<S> {
    const EMPTY: Self = Self { points: [[S::ZERO; 3]; 3], ids: [[NO_VERTEX; 2]; 3], len: 0 };

    fn push(&mut self, point: Array3<S>, id: [u32; 2]) {
        self.points[self.len] = point;
        self.ids[self.len] = id;
        self.len += 1;
    }

    /// The points that carry the exit.
    fn reduced(&self, used: [bool; 3]) -> Self {
        let mut kept = Self::EMPTY;
        for k in 0..self.len {
            if used[k] {
                kept.push(self.points[k], self.ids[k]);
            }
        }
        kept
    }
}

/// The exit of the ray from the rounded Minkowski difference.
pub(super) fn ascend<S: Scalar>(pair: &HullPair<'_, S>, cache: &PortalCache) -> Portal {
    let mut iterations = 0;
    let mut simplex = cached_simplex(pair, cache);
    let mut exit = exit(pair, &simplex);
    let mut normal = pair.direction;
    if exit.is_none() {
        (simplex, normal) = enclose(pair, &mut iterations);
        exit = self::exit(pair, &simplex);
    }
    let mut touch = (cache.hints, [S::ZERO; 3]);
    if exit.is_none() {
        touch = pair.support(normal, cache.hints);
    }
    let tolerance = S::EPSILON * S::from_double(GAP_ROUNDINGS);
    let mut end = WalkEnd::Failed;
    while let Some(at) = exit {
        iterations += 1;
        simplex = simplex.reduced(at.used);
        normal = at.normal;
        touch = pair.support(normal, touch.0);
        let (id, w) = touch;
        let reach = dot3(normal, w) + pair.radius;
        let excess = dot3(normal, sub3(w, simplex.points[0]));
        if excess <= tolerance * (reach + dot3(w, w).sqrt()) || simplex.ids.contains(&id) {
            end = WalkEnd::Closed;
            break;
        }
        if iterations >= ITERATIONS_MAX {
            break;
        }
        let next = advance(pair, &simplex, w, id);
        match next {
            Some((next_simplex, next_exit)) if next_exit.s > at.s => {
                simplex = next_simplex;
                exit = Some(next_exit);
            }
            // No progress: the bounds differ by the rounding of the closed forms.
            _ => {
                let small = tolerance * S::from_double(16.0) * (reach + dot3(w, w).sqrt());
                end = if excess <= small { WalkEnd::Closed } else { WalkEnd::Failed };
                break;
            }
        }
    }
    let (support, w) = touch;
    Portal {
        ids: simplex.ids,
        normal: Vec3::new(normal[0].to_real(), normal[1].to_real(), normal[2].to_real()),
        support,
        point: Vec3::new(w[0].to_real(), w[1].to_real(), w[2].to_real()),
        end,
        iterations,
    }
}

/// The points that carried the last exit.
fn cached_simplex<S: Scalar>(pair: &HullPair<'_, S>, cache: &PortalCache) -> CoreSimplex<S> {
    let mut simplex = CoreSimplex::EMPTY;
    for id in cache.ids {
        if id[0] != NO_VERTEX
            && let Some(point) = pair.point(id)
        {
            simplex.push(point, id);
        }
    }
    if simplex.len == 0 {
        let (id, point) = pair.support(pair.direction, cache.hints);
        simplex.push(point, id);
    }
    simplex
}

/// Points whose rounded hull the ray passes through: a walk on the rounded difference until its
/// portal consists of support points only.
fn enclose<S: Scalar>(pair: &HullPair<'_, S>, iterations: &mut u32) -> (CoreSimplex<S>, Array3<S>) {
    let d = pair.direction;
    let (mut p, mut ids) = first_portal(pair, &PortalCache::default());
    let mut cores = p;
    let mut normal = d;
    while *iterations < ITERATIONS_MAX {
        *iterations += 1;
        let n = cross3(sub3(p[1], p[0]), sub3(p[2], p[0]));
        let square = dot3(n, n);
        if !(square > S::ZERO) {
            break;
        }
        normal = scale3(n, S::ONE / square.sqrt());
        let (id, core) = pair.support(normal, [0; 2]);
        let w = add3(core, scale3(normal, pair.radius));
        let Some(k) = replaced_corner(d, w, &p) else { break };
        p[k] = w;
        ids[k] = id;
        cores[k] = core;
        if ids.iter().all(|id| id[0] != NO_VERTEX) {
            break;
        }
    }
    let mut simplex = CoreSimplex::EMPTY;
    for k in 0..3 {
        if ids[k][0] != NO_VERTEX && !simplex.ids.contains(&ids[k]) {
            simplex.push(cores[k], ids[k]);
        }
    }
    (simplex, normal)
}

/// The simplex with the farthest exit among those of the old points and `w`.
fn advance<S: Scalar>(
    pair: &HullPair<'_, S>,
    simplex: &CoreSimplex<S>,
    w: Array3<S>,
    id: [u32; 2],
) -> Option<(CoreSimplex<S>, Exit<S>)> {
    if simplex.len < 3 {
        let mut next = *simplex;
        next.push(w, id);
        return exit(pair, &next).map(|e| (next, e));
    }
    let mut best: Option<(CoreSimplex<S>, Exit<S>)> = None;
    for k in 0..3 {
        let mut next = *simplex;
        next.points[k] = w;
        next.ids[k] = id;
        if let Some(e) = exit(pair, &next)
            && best.is_none_or(|(_, b)| e.s > b.s)
        {
            best = Some((next, e));
        }
    }
    best
}

/// Where the ray leaves `conv(points) ⊕ B(R)`: the farthest exit from its balls, cylinders and plane. No exit
/// is farther than that through the plane, nor for two points than that through the cylinder.
fn exit<S: Scalar>(pair: &HullPair<'_, S>, simplex: &CoreSimplex<S>) -> Option<Exit<S>> {
    let [p, q, _] = simplex.points;
    let whole = match simplex.len {
        3 => exit_plane(pair, &simplex.points),
        2 => exit_cylinder(pair, q, p, [true, true, false]),
        _ => None,
    };
    if whole.is_some() {
        return whole;
    }
    let mut best: Option<Exit<S>> = None;
    let mut offer = |e: Option<Exit<S>>| {
        if let Some(e) = e
            && best.is_none_or(|b| e.s > b.s)
        {
            best = Some(e);
        }
    };
    for i in 0..simplex.len {
        let mut used = [false; 3];
        used[i] = true;
        offer(exit_ball(pair, simplex.points[i], used));
        for j in 0..if simplex.len == 3 { i } else { 0 } {
            used = [false; 3];
            used[i] = true;
            used[j] = true;
            offer(exit_cylinder(pair, simplex.points[i], simplex.points[j], used));
        }
    }
    best
}

/// `s d` leaves the ball of radius R around q.
fn exit_ball<S: Scalar>(pair: &HullPair<'_, S>, q: Array3<S>, used: [bool; 3]) -> Option<Exit<S>> {
    leave_circle(pair.direction, q, pair.radius).map(|(s, normal)| Exit { s, normal, used })
}

/// The larger root of `|s d - q| = R`, and the unit normal there; none if there is no real root.
fn leave_circle<S: Scalar>(d: Array3<S>, q: Array3<S>, radius: S) -> Option<(S, Array3<S>)> {
    let square = dot3(d, d);
    if !(square > S::ZERO) {
        return None;
    }
    let middle = dot3(d, q) / square;
    let across = sub3(scale3(d, middle), q);
    let rest = radius * radius - dot3(across, across);
    if !(rest >= S::ZERO) {
        return None;
    }
    let s = middle + (rest / square).sqrt();
    let n = sub3(scale3(d, s), q);
    Some((s, scale3(n, S::ONE / dot3(n, n).sqrt())))
}

/// `s d` leaves the cylinder of radius R around the segment from q0 to q1.
fn exit_cylinder<S: Scalar>(
    pair: &HullPair<'_, S>,
    q0: Array3<S>,
    q1: Array3<S>,
    used: [bool; 3],
) -> Option<Exit<S>> {
    let e = sub3(q1, q0);
    let square = dot3(e, e);
    if !(square > S::ZERO) {
        return None;
    }
    let e = scale3(e, S::ONE / square.sqrt());
    let across = |v: Array3<S>| sub3(v, scale3(e, dot3(v, e)));
    let d = across(pair.direction);
    if dot3(d, d) <= S::EPSILON * S::EPSILON * dot3(pair.direction, pair.direction) {
        return None;
    }
    let (s, n) = leave_circle(d, across(q0), pair.radius)?;
    let along = dot3(sub3(scale3(pair.direction, s), q0), e);
    let slack = S::from_double(INSIDE) * square.sqrt();
    let n = across(n);
    let normal = scale3(n, S::ONE / dot3(n, n).sqrt());
    (along >= -slack && along <= square.sqrt() + slack).then_some(Exit { s, normal, used })
}

/// `s d` leaves through the plane of the triangle, moved outward by R.
fn exit_plane<S: Scalar>(pair: &HullPair<'_, S>, q: &[Array3<S>; 3]) -> Option<Exit<S>> {
    let d = pair.direction;
    let (e1, e2) = (sub3(q[1], q[0]), sub3(q[2], q[0]));
    let n = cross3(e1, e2);
    let square = dot3(n, n);
    let tiny = S::EPSILON * S::EPSILON * dot3(e1, e1) * dot3(e2, e2);
    if !(square > tiny) {
        return None;
    }
    let flip = if dot3(n, d) < S::ZERO { -S::ONE } else { S::ONE };
    let normal = scale3(n, flip / square.sqrt());
    let along = dot3(normal, d);
    if !(along > S::ZERO) {
        return None;
    }
    let s = (dot3(normal, q[0]) + pair.radius) / along;
    let x = sub3(scale3(d, s), scale3(normal, pair.radius));
    let slack = -S::from_double(INSIDE) * square;
    let inside = (0..3).all(|k| {
        let side = sub3(q[(k + 1) % 3], q[k]);
        dot3(cross3(side, sub3(x, q[k])), n) >= slack
    });
    inside.then_some(Exit { s, normal, used: [true; 3] })
}
