//! Casts: when a piece that moves along a straight line first meets one that rests.
//!
//! B, displaced from A by `d`, moves along `v`: a ray cast against the Minkowski difference `M` of the
//! cores, grown by the roundings and the wanted distance, together ρ. Every outward normal `n` of `M`
//! with `n·v < 0` proves that nothing touches before
//!
//! ```text
//! t(n) = (n·d - h_M(n) - ρ|n|) / (-n·v)
//! ```
//!
//! and the answer is the largest of these. Two ways to it, both finite:
//!
//! - ρ = 0, [`sharp`]: seen along `v`, `M` is a polygon and the ray a point. Support points across `v`
//!   find a triangle around the point, or a line that keeps it out: most misses need two or three.
//!   Then the triangle is refined, as in the ratio metric but with the eye at infinity, until its
//!   plane supports `M`: a strictly lower triangle a round, so the rounds end at the exact facet.
//! - ρ > 0, [`rounded`]: the distance to the cores is convex along the ray, so stepping by `t(n)` of
//!   its nearest point is Newton's method from the safe side, quadratic unless the hit is grazing. The
//!   simplex of the nearest point is kept, since only the target moves (van den Bergen 2004).
//!
//! Cost: four to ten support queries of each piece.

use super::gjk::Simplex;
use super::support::{Difference, Point};
use crate::math::{DVec3, Double};

/// Most rounds of either way.
const ROUNDS_MAX: u32 = 256;

/// A hit, in the axes of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cast {
    /// When (in lengths of the direction).
    pub(super) time: Double,
    /// Outward unit normal of A; zero if the pieces overlap from the start.
    pub(super) normal: DVec3,
    /// Touching point on the core of A (m).
    pub(super) point_a: DVec3,
    /// Touching point on the core of B, from its centroid (m).
    pub(super) point_b: DVec3,
}

impl Cast {
    /// They overlap from the start.
    pub(super) const OVERLAP: Self =
        Self { time: 0.0, normal: DVec3::ZERO, point_a: DVec3::ZERO, point_b: DVec3::ZERO };
}

/// The first touch within `max` of pieces that are to be `rho` apart.
pub(super) fn cast(
    m: &mut Difference,
    d: DVec3,
    v: DVec3,
    rho: Double,
    max: Double,
) -> Option<Cast> {
    if rho > m.slack { rounded(m, d, v, rho, max) } else { sharp(m, d, v, max) }
}

/// A point across the direction of the cast.
type Flat = [Double; 2];

fn cross(a: Flat, b: Flat) -> Double {
    a[0] * b[1] - a[1] * b[0]
}

fn dot(a: Flat, b: Flat) -> Double {
    a[0] * b[0] + a[1] * b[1]
}

fn minus(a: Flat, b: Flat) -> Flat {
    [a[0] - b[0], a[1] - b[1]]
}

/// A support point as seen along the ray: across, and how far along (m).
#[derive(Clone, Copy, Default)]
struct Seen {
    point: Point,
    at: Flat,
    along: Double,
}

/// The view along the ray.
struct View<'m, 'h> {
    m: &'m mut Difference<'h>,
    start: DVec3,
    unit: DVec3,
    axes: [DVec3; 2],
}

impl View<'_, '_> {
    fn see(&self, point: Point) -> Seen {
        let q = point.p - self.start;
        let at = [q.dot(self.axes[0]), q.dot(self.axes[1])];
        Seen { point, at, along: q.dot(self.unit) }
    }

    /// The farthest point across and along the ray.
    fn support(&mut self, across: Flat, along: Double) -> Seen {
        let n = self.axes[0] * across[0] + self.axes[1] * across[1] + self.unit * along;
        let point = self.m.support(n);
        self.see(point)
    }

    /// A counterclockwise triangle of points of the difference around the ray; none if a line keeps
    /// the ray out. The first point is the center.
    fn triangle(&mut self) -> Option<[Seen; 3]> {
        let center = self.see(Point { ids: [u32::MAX; 2], ..Point::default() });
        let c = center.at;
        let ray = [-c[0], -c[1]];
        let toward = if dot(ray, ray) > self.m.slack * self.m.slack { ray } else { [1.0, 0.0] };
        let mut one = self.support(toward, 0.0);
        if dot(one.at, toward) < 0.0 {
            return None;
        }
        // A second point on the other side of the ray: turn about the center until it is.
        let side = if cross(minus(one.at, c), ray) >= 0.0 { 1.0 } else { -1.0 };
        let mut two = one;
        for _ in 0..ROUNDS_MAX {
            let s = minus(one.at, c);
            let aside = [-s[1] * side, s[0] * side];
            two = self.support(aside, 0.0);
            if dot(two.at, aside) < 0.0 {
                return None;
            }
            if cross(ray, minus(two.at, c)) * side >= 0.0 || two.point.is(&one.point) {
                break;
            }
            one = two;
        }
        let (mut right, mut left) = if side > 0.0 { (one, two) } else { (two, one) };
        // Push the far side of the triangle outward until the ray is inside.
        for _ in 0..ROUNDS_MAX {
            let s = minus(left.at, right.at);
            let out = [s[1], -s[0]];
            let height = dot(out, right.at);
            if height >= 0.0 {
                return Some([center, right, left]);
            }
            let next = self.support(out, 0.0);
            let higher = dot(out, next.at);
            if higher < 0.0 || higher - height <= self.m.slack * dot(out, out).sqrt() {
                return None;
            }
            if cross(ray, minus(next.at, c)) >= 0.0 {
                left = next;
            } else {
                right = next;
            }
        }
        None
    }

    /// Refines a triangle around the ray until it lies on the front of the difference (`side = 1`) or
    /// on its back (-1). Stops early where the front is behind the start or beyond `max`.
    fn refine(&mut self, mut t: [Seen; 3], side: Double, max: Double) -> Refined {
        for _ in 0..ROUNDS_MAX {
            let [e, f] = [1, 2].map(|k| {
                let s = minus(t[k].at, t[0].at);
                DVec3::new(s[0], s[1], t[k].along - t[0].along)
            });
            let n = e.cross(f);
            let length = n.length();
            if n.z <= 1e-12 * length {
                // The triangle is seen edge on.
                return Refined::Failed;
            }
            let height = n.x * t[0].at[0] + n.y * t[0].at[1] + n.z * t[0].along;
            let along = height / n.z;
            let w = self.support([-side * n.x, -side * n.y], -side * n.z);
            let excess = side * (height - n.x * w.at[0] - n.y * w.at[1] - n.z * w.along);
            let known = t.iter().any(|q| q.point.is(&w.point));
            if known || excess <= self.m.slack * length {
                return Refined::Facet(t, along, n / length);
            }
            if side * along < -self.m.slack || side * along - excess / n.z > max {
                return Refined::Outside(along);
            }
            t = split(&t, w);
        }
        Refined::Failed
    }
}

/// What the triangle around the ray became.
#[allow(clippy::large_enum_variant, reason = "lives on the stack for a moment")]
enum Refined {
    /// A facet of the difference: how far along, and its normal as seen, backward.
    Facet([Seen; 3], Double, DVec3),
    /// The front is not between the start and the end.
    Outside(Double),
    /// Rounding.
    Failed,
}

/// The triangle of `w` and one side of `t` around the ray, that of the largest area of two.
fn split(t: &[Seen; 3], w: Seen) -> [Seen; 3] {
    let turn = t.map(|q| cross(w.at, q.at));
    let mut best = (Double::NEG_INFINITY, *t);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let area = turn[i] + cross(t[i].at, t[j].at) - turn[j];
        if turn[i] >= 0.0 && turn[j] <= 0.0 && area > best.0 {
            best = (area, [w, t[i], t[j]]);
        }
    }
    best.1
}

/// The cast against the cores themselves.
fn sharp(m: &mut Difference, d: DVec3, v: DVec3, max: Double) -> Option<Cast> {
    let speed = v.length();
    if speed.is_nan() || speed <= 0.0 || !d.is_finite() {
        return rounded(m, d, v, 0.0, max);
    }
    let unit = v / speed;
    let (t1, t2) = unit.any_orthonormal_pair();
    let mut view = View { m, start: d, unit, axes: [t1, t2] };
    let triangle = view.triangle()?;
    let front = view.refine(triangle, 1.0, max * speed);
    match front {
        Refined::Facet(t, along, n) if along >= -view.m.slack => {
            let time = (along / speed).max(0.0);
            let area = cross(minus(t[1].at, t[0].at), minus(t[2].at, t[0].at));
            let weight = |i: usize, j: usize| cross(t[i].at, t[j].at) / area;
            let weights = [weight(1, 2), weight(2, 0), weight(0, 1)];
            let mix = |of: &dyn Fn(&Point) -> DVec3| {
                (0..3).fold(DVec3::ZERO, |sum, k| sum + of(&t[k].point) * weights[k])
            };
            let [x, y] = view.axes;
            (time <= max).then(|| Cast {
                time,
                normal: -(x * n.x + y * n.y + unit * n.z),
                point_a: mix(&|q| q.a),
                point_b: mix(&|q| q.a - q.p),
            })
        }
        Refined::Facet(_, along, _) | Refined::Outside(along) => {
            if along > 0.0 {
                return None;
            }
            // The start is between front and back, or beyond.
            let slack = view.m.slack;
            match view.refine(triangle, -1.0, 0.0) {
                Refined::Facet(_, along, _) | Refined::Outside(along) if along > slack => {
                    Some(Cast::OVERLAP)
                }
                Refined::Failed => rounded(m, d, v, 0.0, max),
                _ => None,
            }
        }
        Refined::Failed => rounded(m, d, v, 0.0, max),
    }
}

/// The cast against the cores grown by `rho`.
fn rounded(m: &mut Difference, d: DVec3, v: DVec3, rho: Double, max: Double) -> Option<Cast> {
    let mut simplex = Simplex::default();
    let mut time = 0.0;
    let mut target = d;
    let start = if d == DVec3::ZERO { DVec3::X } else { d };
    simplex.push(m.support(start));
    let mut normal = DVec3::ZERO;
    for _ in 0..ROUNDS_MAX {
        let y = simplex.reduce(target).unwrap_or(DVec3::ZERO);
        let length = y.length();
        if length.is_nan() || length <= m.slack {
            if time == 0.0 {
                return Some(Cast::OVERLAP);
            }
            break;
        }
        normal = y / length;
        let w = m.support(normal);
        let gap = normal.dot(target - w.p);
        let known = simplex.has(&w);
        if gap > rho + m.slack {
            let approach = -normal.dot(v);
            let next = time + (gap - rho) / approach;
            if approach.is_nan() || approach <= 0.0 || next > max {
                return None;
            }
            if next > time {
                time = next;
                target = d + v * time;
            } else if known {
                break;
            }
        } else if known || length - gap <= m.slack {
            break;
        }
        if !known {
            simplex.push(w);
        }
    }
    let apart = simplex.clone().reduce(target).map_or(0.0, DVec3::length);
    if time == 0.0 && apart < rho - m.slack || normal == DVec3::ZERO {
        return Some(Cast::OVERLAP);
    }
    // Touching from the start, and moving away.
    if time == 0.0 && normal.dot(v) >= 0.0 {
        return None;
    }
    let (point_a, point_b) = (simplex.point_a(), simplex.point_b());
    Some(Cast { time, normal, point_a, point_b })
}
