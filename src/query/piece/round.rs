//! Rays and points against balls, capsules, cylinders, cones and ellipsoids in closed form.
//!
//! All about their centroids along y, in double precision. A ray against a convex body is an interval
//! of its line with the outward normals at both ends; where the body is an intersection of simple ones
//! (a cylinder is a tube and a slab), so is the interval. Cost O(1).

use crate::math::{DVec3, Double};

/// The part of a line inside a convex body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    /// Where it begins (in lengths of the direction).
    pub(super) enter: Double,
    /// Where it ends.
    pub(super) leave: Double,
    /// Outward normal at the begin; zero if it has none.
    pub(super) normal_in: DVec3,
    /// Outward normal at the end; zero if it has none.
    pub(super) normal_out: DVec3,
}

impl Interval {
    /// The whole line.
    pub(super) const ALL: Self = Self {
        enter: Double::NEG_INFINITY,
        leave: Double::INFINITY,
        normal_in: DVec3::ZERO,
        normal_out: DVec3::ZERO,
    };

    /// Of a half-space `normal · x ≤ offset`, cut with this one.
    #[inline]
    pub(super) fn cut(mut self, o: DVec3, v: DVec3, normal: DVec3, offset: Double) -> Option<Self> {
        let (height, slope) = (normal.dot(o) - offset, normal.dot(v));
        if slope < 0.0 {
            let t = -height / slope;
            if t > self.enter {
                (self.enter, self.normal_in) = (t, normal);
            }
        } else if slope > 0.0 {
            let t = -height / slope;
            if t < self.leave {
                (self.leave, self.normal_out) = (t, normal);
            }
        } else if height > 0.0 {
            return None;
        }
        (self.enter <= self.leave).then_some(self)
    }

    /// Both at once.
    #[inline]
    fn meet(mut self, other: Self) -> Option<Self> {
        if other.enter > self.enter {
            (self.enter, self.normal_in) = (other.enter, other.normal_in);
        }
        if other.leave < self.leave {
            (self.leave, self.normal_out) = (other.leave, other.normal_out);
        }
        (self.enter <= self.leave).then_some(self)
    }
}

/// The roots of `a t² + 2 b t + c`, ascending, `a > 0`.
#[inline]
fn roots(a: Double, b: Double, c: Double) -> Option<(Double, Double)> {
    let discriminant = b * b - a * c;
    if discriminant.is_nan() || discriminant < 0.0 {
        return None;
    }
    // Without cancellation.
    let q = -(b + if b >= 0.0 { discriminant.sqrt() } else { -discriminant.sqrt() });
    let (s, t) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    Some(if s < t { (s, t) } else { (t, s) })
}

/// A ball about `center`. `v` has length one.
pub(super) fn ray_ball(o: DVec3, v: DVec3, center: DVec3, radius: Double) -> Option<Interval> {
    // From the point of the line nearest to the center: no digits are lost from afar.
    let p = o - center;
    let shift = -p.dot(v);
    let p = p + v * shift;
    let square = radius * radius - p.dot(p);
    if square.is_nan() || square < 0.0 {
        return None;
    }
    let half = square.sqrt();
    Some(Interval {
        enter: shift - half,
        leave: shift + half,
        normal_in: (p - v * half) / radius,
        normal_out: (p + v * half) / radius,
    })
}

/// The infinite tube around y.
fn ray_tube(o: DVec3, v: DVec3, radius: Double) -> Option<Interval> {
    let across = v.x * v.x + v.z * v.z;
    let square = o.x * o.x + o.z * o.z;
    if across < 1e-24 {
        return (square <= radius * radius).then_some(Interval::ALL);
    }
    let (enter, leave) = roots(across, o.x * v.x + o.z * v.z, square - radius * radius)?;
    let normal = |t: Double| DVec3::new(o.x + v.x * t, 0.0, o.z + v.z * t) / radius;
    Some(Interval { enter, leave, normal_in: normal(enter), normal_out: normal(leave) })
}

/// Moves the origin of a ray to its point nearest to the body, so that no digits are lost from afar.
fn nearby(o: DVec3, v: DVec3, ray: impl Fn(DVec3) -> Option<Interval>) -> Option<Interval> {
    let shift = -o.dot(v);
    let mut interval = ray(o + v * shift)?;
    interval.enter += shift;
    interval.leave += shift;
    Some(interval)
}

/// A segment along y from `-half_length` to `half_length`, rounded. `v` has length one.
pub(super) fn ray_capsule(
    o: DVec3,
    v: DVec3,
    half_length: Double,
    radius: Double,
) -> Option<Interval> {
    nearby(o, v, |o| {
        // Where the line meets the tube beyond the segment it meets the ball there, or nothing.
        let end = |y: Double| ray_ball(o, v, DVec3::Y * y.signum() * half_length, radius);
        let tube = ray_tube(o, v, radius)?;
        if !tube.enter.is_finite() {
            let (first, last) = (end(-v.y)?, end(v.y)?);
            let (leave, normal_out) = (last.leave, last.normal_out);
            return Some(Interval { leave, normal_out, ..first });
        }
        let mut interval = tube;
        let (low, high) = (o.y + v.y * tube.enter, o.y + v.y * tube.leave);
        if low.abs() > half_length {
            let ball = end(low)?;
            (interval.enter, interval.normal_in) = (ball.enter, ball.normal_in);
        }
        if high.abs() > half_length {
            let ball = end(high)?;
            (interval.leave, interval.normal_out) = (ball.leave, ball.normal_out);
        }
        Some(interval)
    })
}

fn ray_cylinder_at(o: DVec3, v: DVec3, radius: Double, half_height: Double) -> Option<Interval> {
    Interval::ALL
        .cut(o, v, DVec3::Y, half_height)?
        .cut(o, v, DVec3::NEG_Y, half_height)?
        .meet(ray_tube(o, v, radius)?)
}

/// A cylinder along y. `v` has length one.
pub(super) fn ray_cylinder(
    o: DVec3,
    v: DVec3,
    radius: Double,
    half_height: Double,
) -> Option<Interval> {
    nearby(o, v, |o| ray_cylinder_at(o, v, radius, half_height))
}

/// A cone along y: the base of a radius at `-height / 4`, the apex at `3 height / 4`. `v` has length one.
pub(super) fn ray_cone(o: DVec3, v: DVec3, radius: Double, height: Double) -> Option<Interval> {
    nearby(o, v, |o| {
        let slab = Interval::ALL.cut(o, v, DVec3::Y, 0.75 * height)?.cut(
            o,
            v,
            DVec3::NEG_Y,
            0.25 * height,
        )?;
        // From the apex down: x² + z² ≤ k² y², y ≤ 0. Both halves of the double cone solve the
        // equation; the slab keeps the lower.
        let k = radius / height;
        let a = o - DVec3::Y * (0.75 * height);
        let square = v.x * v.x + v.z * v.z - k * k * v.y * v.y;
        let mixed = a.x * v.x + a.z * v.z - k * k * a.y * v.y;
        let rest = a.x * a.x + a.z * a.z - k * k * a.y * a.y;
        let normal = |t: Double| {
            let p = a + v * t;
            let across = (p.x * p.x + p.z * p.z).sqrt();
            if across <= 1e-12 * height {
                return DVec3::Y;
            }
            DVec3::new(p.x / across, k, p.z / across).normalize()
        };
        let at = |enter: Double, leave: Double| Interval {
            enter,
            leave,
            normal_in: if enter.is_finite() { normal(enter) } else { DVec3::ZERO },
            normal_out: if leave.is_finite() { normal(leave) } else { DVec3::ZERO },
        };
        let steep = 1e-12 * (1.0 + k * k);
        if square > steep {
            // Across: inside between the roots, if these are below the apex.
            let (s, t) = roots(square, mixed, rest)?;
            return slab.meet(at(s, t));
        }
        let (s, t) = if square < -steep {
            match roots(-square, -mixed, -rest) {
                Some(roots) => roots,
                // Inside of one half all along.
                None => return slab.meet(Interval::ALL),
            }
        } else {
            // Along a generator: one root, of the upper half if the ray is outside below it.
            if mixed * v.y <= 0.0 {
                return (mixed == 0.0 && rest <= 0.0).then_some(slab);
            }
            let root = -0.5 * rest / mixed;
            (root, root)
        };
        // Inside before the first root or after the last, whichever is the lower half.
        if v.y < 0.0 {
            slab.meet(at(t, Double::INFINITY))
        } else {
            slab.meet(at(Double::NEG_INFINITY, s))
        }
    })
}

/// An ellipsoid along the axes. `v` has length one.
pub(super) fn ray_ellipsoid(o: DVec3, v: DVec3, half: DVec3) -> Option<Interval> {
    let (p, q) = (o / half, v / half);
    let length = q.length();
    let ball = ray_ball(p, q / length, DVec3::ZERO, 1.0)?;
    let normal = |n: DVec3| (n / half).normalize_or_zero();
    Some(Interval {
        enter: ball.enter / length,
        leave: ball.leave / length,
        normal_in: normal(ball.normal_in),
        normal_out: normal(ball.normal_out),
    })
}

/// How deep a point lies below the surface of a body, and the outward normal there.
pub(super) type Depth = (Double, DVec3);

/// The unit vector from the axis to a point; x on the axis.
fn outward(p: DVec3) -> (Double, DVec3) {
    let across = (p.x * p.x + p.z * p.z).sqrt();
    let unit = DVec3::new(p.x / across, 0.0, p.z / across);
    (across, if across > 0.0 { unit } else { DVec3::X })
}

/// Depth of a point in a cylinder.
pub(super) fn depth_in_cylinder(p: DVec3, radius: Double, half_height: Double) -> Depth {
    let (across, unit) = outward(p);
    let (side, cap) = (radius - across, half_height - p.y.abs());
    if side < cap { (side, unit) } else { (cap, DVec3::Y * p.y.signum()) }
}

/// Depth of a point in a cone, see [`ray_cone`].
pub(super) fn depth_in_cone(p: DVec3, radius: Double, height: Double) -> Depth {
    let (across, unit) = outward(p);
    let normal = (unit * height + DVec3::Y * radius).normalize();
    let side = normal.y * (0.75 * height - p.y) - across * normal.dot(unit);
    let base = p.y + 0.25 * height;
    if side < base { (side, normal) } else { (base, DVec3::NEG_Y) }
}

/// Depth of a point in an ellipsoid: the nearest point is `x_i = a_i² p_i / (a_i² + s)`, with
/// `-min a² ≤ s ≤ 0` such that it lies on the surface.
pub(super) fn depth_in_ellipsoid(p: DVec3, half: DVec3) -> Depth {
    let squares = half * half;
    let least = squares.min_element();
    let at = |s: Double| {
        let point = |k: usize| {
            let below = squares[k] + s;
            if p[k] == 0.0 || below <= 0.0 { 0.0 } else { squares[k] * p[k] / below }
        };
        DVec3::new(point(0), point(1), point(2))
    };
    let size = |x: DVec3| (x / half).length_squared();
    let (mut low, mut high) = (-least, 0.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if size(at(middle)) >= 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut x = at(high);
    let short = 1.0 - size(x);
    if short > 1e-9 {
        // In the plane of symmetry the nearest point leaves it along the shortest axis.
        let axis = (0..3).min_by(|&i, &j| half[i].total_cmp(&half[j])).unwrap_or(0);
        x[axis] = half[axis] * (short + (x[axis] / half[axis]) * (x[axis] / half[axis])).sqrt();
        x[axis] = if p[axis] < 0.0 { -x[axis] } else { x[axis] };
    }
    ((x - p).length(), (x / squares).normalize_or_zero())
}
