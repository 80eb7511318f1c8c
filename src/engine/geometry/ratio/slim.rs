//! Balls and capsules: the ray's exit in closed form.
//!
//! The cores are points and segments about their middles, and their difference is the parallelogram
//! `c ± u ± v`; of a ball `u` or `v` is nothing, and along each other they make a segment. Rounded by R
//! it is a slab over the parallelogram with a capsule around each side, and the ray leaves it where it
//! leaves the last of these. Where the ray comes to the plane of the slab tells which: over the
//! parallelogram, it leaves there. Else it leaves through the capsule of a side that it is beyond there:
//! the tangent planes of the outer half of a capsule have all of the slab's plane on the inner side of its
//! side behind them, and a ray that has left through such a plane does not come back to what is behind it.
//!
//! In double precision: the plane of segments that are almost parallel is that of small differences.

use super::ray::Ray;
use super::types::{Contact, Feature, Measured, NO_VERTEX, PortalCache, Ratio, Relative, Status};
use crate::engine::geometry::shape::hull::Hull;
use crate::math::{DVec3, Double, Real, Vec3, narrow, narrow3, widen, widen_mat3, widen3};

/// Sine below which two segments are almost parallel: the parallelogram is then as thin as its plane is
/// uncertain.
const PARALLEL: Double = 1e-8;
/// Sine below which they are parallel, which is then as good as their plane.
const SAME: Double = 4.0 * Double::EPSILON;

/// How the ray leaves: how far along, the normal, and the signs along `u` and `v` of the corner that
/// carries it; 0 for both ends.
struct SlimExit {
    s: Double,
    normal: DVec3,
    signs: [Double; 2],
    contact: Contact,
}

/// The rounded parallelogram about the start of the ray.
struct Slab {
    c: DVec3,
    u: DVec3,
    v: DVec3,
    radius: Double,
    direction: DVec3,
}

/// The metric of two balls or capsules with these last vertices, see [`measure`](super::measure); none of
/// capsules that are almost parallel.
pub(super) fn measure(
    [a, b]: [&Hull; 2],
    [last_a, last_b]: [u32; 2],
    relative: &Relative,
    origin: Vec3,
    ray: &Ray,
    margin: Real,
    cache: &mut PortalCache,
) -> Option<Measured> {
    let mut slab = Slab {
        c: -widen3(origin),
        u: DVec3::ZERO,
        v: DVec3::ZERO,
        radius: widen(a.radius) + widen(b.radius),
        direction: widen3(ray.direction),
    };
    // The first end of a segment is opposite to the last.
    if last_a > 0 {
        slab.u = widen3(a.vertices[1]);
    }
    if last_b > 0 {
        slab.v = widen_mat3(relative.rotation) * widen3(b.vertices[1]);
    }
    let SlimExit { normal, signs: [s, t], contact, .. } = slab.exit()?;
    let denominator = normal.dot(widen3(ray.offset));
    let sides = normal.dot(slab.u).abs() + normal.dot(slab.v).abs();
    let reach = normal.dot(slab.c) + sides + slab.radius;
    let separation = narrow(normal.dot(widen3(ray.exact)) - reach);
    let feature = |sign: Double, last: u32| match (last, sign == 0.0) {
        (1, true) => Feature { ids: [1, 0, NO_VERTEX], len: 2 },
        _ => Feature { ids: [last & u32::from(sign > 0.0), NO_VERTEX, NO_VERTEX], len: 1 },
    };
    let features = [feature(s, last_a), feature(-t, last_b)];
    let (normal, hints) = (narrow3(normal), features.map(|feature| feature.ids[0]));
    let none = [NO_VERTEX; 2];
    if !ray.is_floored && separation > margin {
        *cache = PortalCache { ids: [none; 3], normal, hints, contact };
        return Some(Measured::Apart { normal, separation });
    }
    *cache = PortalCache { ids: [hints, none, none], normal, hints, contact };
    Some(Measured::Near(Ratio {
        ratio: narrow(denominator / reach),
        gap: narrow((denominator - reach) / denominator),
        separation,
        denominator: narrow(denominator),
        normal,
        features,
        contact,
        status: if ray.is_floored { Status::Coincident } else { Status::Exact },
        iterations: 0,
    }))
}

impl Slab {
    #[inline(always)]
    fn exit(&self) -> Option<SlimExit> {
        let Self { c, u, v, radius, direction } = *self;
        let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
        let contact = Contact::Smooth;
        // What is left if rounding lets the ray miss all sides.
        let mut last =
            SlimExit { s: Double::NEG_INFINITY, normal: direction, signs: [1.0; 2], contact };
        if uu + vv == 0.0 {
            if let Some((s, normal)) = self.leave_ball(direction, c, 1.0) {
                return Some(SlimExit { s, normal, signs: [1.0; 2], contact });
            }
            return Some(last);
        }
        let n = u.cross(v);
        if n.dot(n) <= SAME * SAME * uu * vv {
            let turn = if uv < 0.0 { -1.0 } else { 1.0 };
            if let Some((s, normal, end)) = self.leave(c, u + v * turn) {
                return Some(SlimExit { s, normal, signs: [end, end * turn], contact });
            }
            return Some(last);
        }
        if n.dot(n) <= PARALLEL * PARALLEL * uu * vv {
            return None;
        }
        // Square to the segments to rounding even where they are almost parallel.
        let n = n - u * (u.dot(n) / uu);
        let square = n.dot(n);
        let (length, along) = (square.sqrt(), n.dot(direction));
        let up = if along < 0.0 { -n } else { n };
        let (reach, along) = (up.dot(c) + radius * length, along.abs());
        // Where the ray comes to the plane, times `along`, and its place there times that and the square.
        let over = direction * reach - (up * (radius / length) + c) * along;
        let (s, t) = (over.cross(v).dot(n), u.cross(over).dot(n));
        last.normal = up / length;
        (last.signs, last.contact) = ([0.0; 2], Contact::Edges);
        if s.abs() > along * square {
            let side = 1.0_f64.copysign(s);
            if let Some((s, normal, end)) = self.leave(c + u * side, v) {
                last = SlimExit { s, normal, signs: [side, end], contact };
            }
        }
        if t.abs() > along * square {
            let side = 1.0_f64.copysign(t);
            if let Some((s, normal, end)) = self.leave(c + v * side, u)
                && s > last.s
            {
                last = SlimExit { s, normal, signs: [end, side], contact };
            }
        }
        Some(last)
    }

    /// The exit from the capsule between `m - h` and `m + h`, with its normal and the sign of the end that
    /// carries it, 0 for both; none if the ray misses it.
    #[inline(always)]
    fn leave(&self, m: DVec3, h: DVec3) -> Option<(Double, DVec3, Double)> {
        let (direction, square) = (self.direction, h.dot(h));
        // Vectors across the side, times the square of its length.
        let across = |w: DVec3| w * square - h * h.dot(w);
        let d = across(direction);
        let along = if let Some((s, normal)) = self.leave_ball(d, across(m), square) {
            let along = (direction * s - m).dot(h);
            if along.abs() <= square {
                return Some((s, normal, 0.0));
            }
            along
        } else if d.dot(d) > PARALLEL * PARALLEL * square * square * direction.dot(direction) {
            return None;
        } else {
            direction.dot(h)
        };
        let end = if along < 0.0 { -1.0 } else { 1.0 };
        let (s, normal) = self.leave_ball(direction, m + h * end, 1.0)?;
        Some((s, normal, end))
    }

    /// The larger root of `|s d - q| = R`, and the unit normal there; none if there is none. All vectors and
    /// R are times `scale`.
    #[inline(always)]
    fn leave_ball(&self, d: DVec3, q: DVec3, scale: Double) -> Option<(Double, DVec3)> {
        let radius = self.radius * scale;
        let inverse = 1.0 / d.dot(d);
        let middle = d.dot(q) * inverse;
        let foot = d * middle - q;
        let rest = radius * radius - foot.dot(foot);
        let s = middle + (rest * inverse).sqrt();
        (rest >= 0.0).then(|| (s, (d * s - q) * (1.0 / radius)))
    }
}
