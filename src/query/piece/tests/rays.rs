//! Rays against dense sampling and bisection.

use super::{KINDS, Random, TOLERANCE, half_space, hull, outside};
use crate::engine::geometry::shape::Convex;
use crate::engine::geometry::shape::curve::Curve;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::lcp::tests::random;
use crate::math::{DVec3, Double, PI, Real, Vec3, cos, sin, widen, widen3};
use crate::query::piece::ray::ray;
use crate::query::piece::round::{depth_in_cone, depth_in_cylinder, depth_in_ellipsoid};
use std::sync::Arc;

/// The first sample inside on the ray, refined by bisection; the samples are 2 mm apart.
fn first_inside(hull: &Hull, o: DVec3, v: DVec3, begin: Double, max: Double) -> Option<Double> {
    let step = 2e-3;
    let is_inside = |t: Double| outside(hull, o + v * t) <= 0.0;
    let mut t = begin;
    while t <= max {
        if is_inside(t) {
            let (mut low, mut high) = (t - step, t);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if is_inside(middle) { high = middle } else { low = middle }
            }
            return Some(high);
        }
        t += step;
    }
    None
}

/// How far a hit may be off (m). Hulls of many faces answer by their corners, [`outside`] goes by the planes
/// of faces, below which corners lie where faces are merged: both are the hull, to its flatness.
fn allowed(hull: &Hull) -> Double {
    3.0 * TOLERANCE + widen(hull.flatness())
}

/// Lies a hit on the surface, with the normal there?
fn check_surface(hull: &Hull, at: DVec3, normal: DVec3, what: &str) {
    let off = outside(hull, at);
    assert!(off.abs() < allowed(hull), "{what}: the hit is {off} m off the surface");
    assert!((normal.length() - 1.0).abs() < 1e-5, "{what}: the normal has length one");
    // The plane of the normal supports the hull.
    let beyond = super::reach(hull, normal) - normal.dot(at);
    assert!(beyond.abs() < allowed(hull), "{what}: the plane cuts {beyond} m off the hull");
}

/// Checks that a ray is answered as sampling says: does it hit? None where it grazes between two samples.
fn check_ray(hull: &Hull, o: DVec3, v: DVec3, what: &str) -> Option<bool> {
    let convex = Convex::Hull(Arc::new(hull.clone()));
    let wanted = first_inside(hull, o, v, 0.0, 5.0);
    match (ray(&convex, o, v, 5.0, true), wanted) {
        (Some((t, normal)), Some(wanted)) => {
            // Grazing hits are as sharp as the surface is curved.
            let sharp = (-normal.dot(v)).max(1e-3);
            let error = (t - wanted).abs();
            assert!(error < allowed(hull) / sharp, "{what}: {t} is not {wanted}");
            check_surface(hull, o + v * t, normal, what);
            assert!(normal.dot(v) <= 0.0, "{what}: the normal is against the ray");
            let short = ray(&convex, o, v, t - 1e-4, true);
            assert!(short.is_none(), "{what}: farther than the ray is long");
            let back = ray(&convex, o, -v, 5.0, true);
            assert!(back.is_none(), "{what}: behind the ray");
            Some(true)
        }
        (Some((t, normal)), None) => {
            // Between two samples: the chord is short.
            check_surface(hull, o + v * t, normal, what);
            let deep = outside(hull, o + v * (t + 1e-3));
            assert!(deep > -2e-3, "{what}: the samples are not that coarse");
            None
        }
        (None, Some(wanted)) => panic!("{what}: the hit at {wanted} is missed"),
        (None, None) => Some(false),
    }
}

#[test]
fn rays_hit_where_sampling_says() {
    let mut random = Random(random::Random::new(1));
    for kind in 0..KINDS {
        let (mut hits, mut misses) = (0, 0);
        for round in 0..60 {
            let hull = hull(&mut random, kind);
            let o = widen3(random.direction()) * 2.0;
            let aim = widen3(random.in_cube(if round % 2 == 0 { 0.12 } else { 0.6 }));
            let v = (aim - o).normalize();
            let answer = check_ray(&hull, o, v, &format!("kind {kind}, round {round}"));
            hits += usize::from(answer == Some(true));
            misses += usize::from(answer == Some(false));
        }
        assert!(hits > 10 && misses > 3, "kind {kind}: {hits} hits, {misses} misses");
    }
}

/// A roof of corners that are nearly in one plane is one face, above some of its corners by the flatness:
/// rays at hulls of many faces, which meet the corners' own hull, were told to be off by up to that much.
#[test]
fn regression_rays_hit_merged_faces_to_their_flatness() {
    let mut random = Random(random::Random::new(4));
    let mut points: Vec<Vec3> = (0..150).map(|_| random.direction() * 0.5).collect();
    points.iter_mut().for_each(|p| p.y = -p.y.abs());
    let (noise, n) = (2e-7, 24_u8);
    points.extend((0..n).map(|k| {
        let turn = 2.0 * PI * Real::from(k) / Real::from(n);
        Vec3::new(0.6 * cos(turn), 0.1 + noise * random.signed(), 0.6 * sin(turn))
    }));
    let hull = Hull::convex_hull(&points).expect("half a ball with a roof");
    let faces = hull.faces().len();
    assert!(faces > 96 && hull.flatness() > 0.0, "{faces} faces, {} m", hull.flatness());
    let convex = Convex::Hull(Arc::new(hull.clone()));
    for round in 0..200 {
        let aim = widen3(random.in_cube(0.4)) * DVec3::new(1.0, 0.0, 1.0);
        let (t, normal) = ray(&convex, aim + DVec3::Y, -DVec3::Y, 5.0, true).expect("the roof");
        let at = aim + DVec3::Y * (1.0 - t);
        check_surface(&hull, at, normal, &format!("round {round}"));
    }
}

/// Along an axis or a slant the quadratic of a round surface has no square: rays beside a cone, along its
/// slant, were told to hit it where they pass the other half of the double cone.
#[test]
fn regression_rays_along_axes_and_slants_hit_where_sampling_says() {
    let mut random = Random(random::Random::new(3));
    // A capsule, a cylinder, a cone.
    for kind in [2, 6, 7] {
        let (mut hits, mut misses) = (0, 0);
        for round in 0..30 {
            let hull = hull(&mut random, kind);
            let slope = match &hull.curve {
                Some(Curve::Cone { radius, height }) => widen(*radius) / widen(*height),
                _ => 0.0,
            };
            let d = widen3(random.direction());
            let slant = (DVec3::new(d.x, 0.0, d.z).normalize() * slope - DVec3::Y).normalize();
            let aim = widen3(random.in_cube(if round % 2 == 0 { 0.05 } else { 0.6 }));
            for v in [slant, -slant] {
                let what = format!("kind {kind}, round {round}, along {v}");
                let answer = check_ray(&hull, aim - v * 2.0, v, &what);
                hits += usize::from(answer == Some(true));
                misses += usize::from(answer == Some(false));
            }
        }
        assert!(hits > 10 && misses > 3, "kind {kind}: {hits} hits, {misses} misses");
    }
}

#[test]
fn rays_from_inside_leave_where_sampling_says() {
    let mut random = Random(random::Random::new(2));
    for kind in 0..KINDS {
        for round in 0..40 {
            let hull = hull(&mut random, kind);
            let convex = Convex::Hull(Arc::new(hull.clone()));
            let o = widen3(random.direction()) * 0.3 * Double::from(hull.inradius);
            let v = widen3(random.direction()).normalize();
            let what = format!("kind {kind}, round {round}");
            let solid = ray(&convex, o, v, 5.0, true);
            assert_eq!(solid, Some((0.0, DVec3::ZERO)), "{what}: inside");
            let (t, normal) = ray(&convex, o, v, 5.0, false).expect("a ray leaves");
            check_surface(&hull, o + v * t, -normal, &what);
            assert!(normal.dot(v) <= 0.0, "{what}: the normal is against the ray");
            // From the other side the point is the same.
            let (back, _) = ray(&convex, o + v * 5.0, -v, 5.0, true).expect("the way back");
            assert!((5.0 - back - t).abs() < 1e-4, "{what}: {t} out, {back} back");
        }
    }
}

#[test]
fn rays_from_afar_lose_no_digits() {
    let mut random = Random(random::Random::new(3));
    for kind in 0..KINDS {
        let hull = hull(&mut random, kind);
        let convex = Convex::Hull(Arc::new(hull.clone()));
        for _ in 0..20 {
            let v = widen3(random.direction()).normalize();
            let aim = widen3(random.direction()) * 0.5 * Double::from(hull.inradius);
            let (near, normal) = ray(&convex, aim - v * 2.0, v, 9.0, true).expect("a hit");
            let (far, normal_far) = ray(&convex, aim - v * 2e4, v, 1e5, true).expect("a hit");
            let error = (far - 2e4 + 2.0 - near).abs();
            assert!(error < 1e-5, "kind {kind}: {error} m");
            assert!((normal - normal_far).length() < 1e-2, "kind {kind}: the same normal");
        }
    }
}

#[test]
fn rays_meet_half_spaces_at_the_plane() {
    let mut random = Random(random::Random::new(4));
    for _ in 0..100 {
        let convex = half_space(&mut random);
        let Convex::HalfSpace(plane) = &convex else { continue };
        let n = widen3(plane.normal);
        let (o, v) = (widen3(random.in_cube(3.0)), widen3(random.direction()).normalize());
        let height = n.dot(o);
        let t = -height / n.dot(v);
        let hit = ray(&convex, o, v, 1e3, true);
        let hollow = ray(&convex, o, v, 1e3, false);
        if height <= 0.0 {
            assert_eq!(hit, Some((0.0, DVec3::ZERO)), "inside");
            let leaves = t > 0.0 && t <= 1e3;
            assert_eq!(hollow.is_some(), leaves, "a ray leaves upward");
            assert!(hollow.is_none_or(|h| (h.0 - t).abs() < 1e-9), "at the plane");
        } else {
            assert_eq!(hit, hollow, "from outside");
            assert_eq!(hit.is_some(), t > 0.0 && t <= 1e3, "a ray falls");
            assert!(hit.is_none_or(|h| (h.0 - t).abs() < 1e-9), "at the plane");
        }
    }
}

#[test]
fn depths_are_distances_to_the_surface() {
    // The nearest of many rays out is the depth, from above.
    let mut random = Random(random::Random::new(5));
    for round in 0..60 {
        let (a, b) = (random.within(0.2, 0.6), random.within(0.2, 0.6));
        let half = random.in_cube(0.5).abs() + 0.1;
        let hulls = [Hull::cylinder(a, 2.0 * b), Hull::cone(a, b), Hull::ellipsoid(half * 2.0)];
        let (a, b, half) = (Double::from(a), Double::from(b), widen3(half));
        for (kind, hull) in hulls.into_iter().enumerate() {
            let hull = hull.expect("lengths are within limits");
            let mut p = widen3(random.direction()) * 0.9 * Double::from(hull.inradius);
            if round % 4 == 0 {
                // In a plane of symmetry, and on an axis.
                p[round / 4 % 3] = 0.0;
                p[(round / 4 + 1) % 3] *= if round % 8 == 0 { 0.0 } else { 1.0 };
            }
            let (depth, normal) = match kind {
                0 => depth_in_cylinder(p, a, b),
                1 => depth_in_cone(p, a, b),
                _ => depth_in_ellipsoid(p, half),
            };
            let surface = p + normal * depth;
            let off = outside(&hull, surface);
            assert!(off.abs() < 1e-6, "kind {kind}: {off} m off the surface");
            for _ in 0..200 {
                let v = widen3(random.direction()).normalize();
                let convex = Convex::Hull(Arc::new(hull.clone()));
                let (out, _) = ray(&convex, p, v, 5.0, false).expect("a ray leaves");
                assert!(out > depth - 1e-6, "kind {kind}: {out} m is less than {depth} m");
            }
        }
    }
}
