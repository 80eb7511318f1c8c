//! Queries against certificates and slow oracles, over seeded random input.

mod pieces;
mod rays;
mod surface;
mod tree;

use crate::engine::geometry::shape::curve::Curve;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::geometry::shape::{Convex, HalfSpace};
use crate::engine::lcp::tests::random;
use crate::math::{
    DVec3, Double, EPSILON, Quat, Real, Vec3, narrow, quat_normalize, widen, widen3,
};
use std::sync::Arc;

/// Random numbers, as these tests want them.
struct Random(random::Random);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in -1 to 1.
    fn signed(&mut self) -> Real {
        narrow((self.bits() >> 40) as Double / (1_u64 << 23) as Double - 1.0)
    }

    fn within(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * 0.5 * (self.signed() + 1.0)
    }

    fn in_cube(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed()) * size
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.in_cube(1.0);
            if (0.01..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    fn rotation(&mut self) -> Quat {
        let (v, w) = (self.in_cube(1.0), self.signed());
        quat_normalize(Quat::from_xyzw(v.x, v.y, v.z, w))
    }
}

/// Errors allowed of lengths of about a meter.
const TOLERANCE: Double = if size_of::<Real>() == 4 { 3e-6 } else { 1e-8 };

/// The number of kinds of [`piece`].
const KINDS: usize = 11;

fn rounded(hull: Hull, radius: Real) -> Hull {
    Hull {
        radius,
        inradius: hull.inradius + radius,
        bounding_radius: hull.bounding_radius + radius,
        ..hull
    }
}

fn cloud(random: &mut Random, count: usize) -> Hull {
    loop {
        let size = Vec3::new(0.7, 0.5, 0.4);
        let points: Vec<Vec3> = (0..count).map(|_| random.direction() * size).collect();
        let Ok(hull) = Hull::convex_hull(&points) else { continue };
        if hull.inradius() > 0.02 {
            return hull;
        }
    }
}

/// A hull of about half a meter.
fn hull(random: &mut Random, kind: usize) -> Hull {
    let mut length = || random.within(0.2, 0.6);
    match kind {
        0 => Hull::sphere(length()),
        1 => Hull::cuboid(Vec3::new(length(), length(), length())),
        2 => Hull::capsule(0.5 * length(), length()),
        3 => Ok(cloud(random, 20)),
        4 => Ok(cloud(random, 200)),
        5 => Ok(rounded(cloud(random, 12), random.within(0.05, 0.3))),
        6 => Hull::cylinder(0.5 * length(), length()),
        7 => Hull::cone(0.5 * length(), length()),
        8 => Hull::ellipsoid(Vec3::new(length(), length(), length())),
        9 => Hull::round_cylinder(length(), length(), 0.3 * length()),
        _ => Ok(cloud(random, 4)),
    }
    .expect("lengths are within limits")
}

fn piece(random: &mut Random, kind: usize) -> Convex {
    Convex::Hull(Arc::new(hull(random, kind)))
}

fn half_space(random: &mut Random) -> Convex {
    Convex::HalfSpace(HalfSpace { normal: random.direction() })
}

/// Distance from a triangle (m), by its Voronoi regions.
fn from_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> Double {
    let n = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(s, t)| n.cross(*t - *s).dot(p - *s) >= 0.0);
    if inside {
        return (n.dot(p - a) / n.length()).abs();
    }
    let from_edge = |s: DVec3, t: DVec3| {
        let k = ((p - s).dot(t - s) / (t - s).length_squared()).clamp(0.0, 1.0);
        (p - s - (t - s) * k).length()
    };
    from_edge(a, b).min(from_edge(b, c)).min(from_edge(c, a))
}

/// How far a point is outside of the surface of a hull (m), negative inside: exact outside, at least as
/// near as the surface inside. By brute force over faces, or by formulas.
fn outside(hull: &Hull, p: DVec3) -> Double {
    let radius = widen(hull.radius);
    let across = (p.x * p.x + p.z * p.z).sqrt();
    let corner =
        |x: Double, y: Double| (x.max(0.0).powi(2) + y.max(0.0).powi(2)).sqrt() + x.max(y).min(0.0);
    match &hull.curve {
        Some(Curve::Cylinder { radius: r, half_height }) => {
            corner(across - widen(*r), p.y.abs() - widen(*half_height)) - radius
        }
        Some(Curve::Cone { radius: r, height }) => {
            let (r, h) = (widen(*r), widen(*height));
            let slant = (r * r + h * h).sqrt();
            let side = (across * h + (p.y - 0.75 * h) * r) / slant;
            side.max(-0.25 * h - p.y)
        }
        Some(Curve::Ellipsoid { half }) => {
            let half = widen3(*half);
            ((p / half).length() - 1.0) * half.min_element()
        }
        None if hull.faces.is_empty() => {
            let end = widen(hull.vertices[hull.vertices.len() - 1].y).abs();
            (p - DVec3::Y * p.y.clamp(-end, end)).length() - radius
        }
        None => {
            let above = |k: usize| {
                let face = &hull.faces[k];
                widen3(face.normal).dot(p) - widen(face.offset)
            };
            let highest = (0..hull.faces.len()).map(above).fold(Double::NEG_INFINITY, Double::max);
            if highest <= 0.0 || radius == 0.0 {
                return highest - radius;
            }
            let mut least = Double::INFINITY;
            for k in 0..hull.faces.len() {
                let corners = hull.face_loop(k as u32);
                let at = |i: usize| widen3(hull.vertices[corners[i] as usize]);
                for i in 1..corners.len() - 1 {
                    least = least.min(from_triangle(p, [at(0), at(i), at(i + 1)]));
                }
            }
            least - radius
        }
    }
}

/// The largest `n · x` of a hull, with its rounding (m).
fn reach(hull: &Hull, n: DVec3) -> Double {
    let core = match &hull.curve {
        Some(Curve::Cylinder { radius, half_height }) => {
            widen(*radius) * (n.x * n.x + n.z * n.z).sqrt() + widen(*half_height) * n.y.abs()
        }
        Some(Curve::Cone { radius, height }) => {
            let rim = widen(*radius) * (n.x * n.x + n.z * n.z).sqrt();
            (rim - 0.25 * widen(*height) * n.y).max(0.75 * widen(*height) * n.y)
        }
        Some(Curve::Ellipsoid { half }) => (widen3(*half) * n).length(),
        None => hull.vertices.iter().map(|v| widen3(*v).dot(n)).fold(-1e9, Double::max),
    };
    core + widen(hull.radius)
}

#[test]
fn the_tolerance_is_that_of_the_precision() {
    assert!(TOLERANCE < 100.0 * widen(EPSILON).sqrt(), "not looser than needed");
}
