//! Curved and rounded shapes: mass against fine polytopes, support, boxes, scaling.

use super::*;
use crate::engine::geometry::shape::curve::Meridian;
use crate::engine::geometry::shape::{Convex, Shape, ShapeError};
use crate::engine::lcp::tests::random;
use crate::math::{DMat3, SymMat3, quat_to_mat3, widen_mat3};

const FINE: Double = if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 };

fn made(hull: Result<Hull, ShapeError>) -> Hull {
    hull.expect("the lengths are in range")
}

fn curved(rng: &mut Random) -> Hull {
    let mut length = || 1.1 + rng.signed();
    let (x, y, z) = (length(), length(), length());
    match rng.below(4) {
        0 => made(Hull::cylinder(x, y)),
        1 => made(Hull::cone(x, y)),
        2 => made(Hull::round_cylinder(x, y, z)),
        _ => made(Hull::ellipsoid(Vec3::new(x, y, z))),
    }
}

/// Volume, first and second moments of the body inside a closed surface of triangles from rings of
/// points, by tetrahedra; its error falls like the square of the ring's fineness.
fn moments(rings: &[Vec<DVec3>]) -> (Double, DVec3, DMat3) {
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let mut add = |a: DVec3, b: DVec3, c: DVec3| {
        let d = a.dot(b.cross(c));
        let s = a + b + c;
        volume += d / 6.0;
        first += s * (d / 24.0);
        second += (outer(s) + outer(a) + outer(b) + outer(c)) * (d / 120.0);
    };
    for pair in rings.windows(2) {
        let n = pair[0].len();
        for k in 0..n {
            let [a, b] = [pair[0][k], pair[0][(k + 1) % n]];
            let [c, d] = [pair[1][k], pair[1][(k + 1) % n]];
            add(a, b, d);
            add(a, d, c);
        }
    }
    (volume, first, second)
}

/// The surface of a hull by its support points at directions of a fine grid, with the edges of the
/// grid along the kinks where they are known.
fn tessellated(hull: &Hull, n: usize) -> (Double, DVec3, DMat3) {
    let pi = crate::math::PI_DOUBLE;
    let rings: Vec<Vec<DVec3>> = (0..=n)
        .map(|i| {
            let (s, c) = crate::math::sin_cos_double(pi * i as Double / n as Double);
            let s = if i == n { 0.0 } else { s };
            let at = |k: usize| {
                let (x, z) = crate::math::sin_cos_double(pi * k as Double / n as Double);
                let direction = DVec3::new(s * x, -c, s * z);
                hull.core_point(direction, 0) + direction * widen(hull.radius)
            };
            (0..2 * n).map(at).collect()
        })
        .collect();
    moments(&rings)
}

/// Moments at infinite fineness, by Richardson's extrapolation, and the error left.
fn limit(hull: &Hull) -> (Double, SymMat3, Double) {
    let [coarse, middle, fine] = [40, 80, 160].map(|n| tessellated(hull, n));
    let up = |a: Double, b: Double| b + (b - a) / 3.0;
    let volume = up(middle.0, fine.0);
    let error = (volume - up(coarse.0, middle.0)).abs() / volume;
    let second = fine.2 + (fine.2 - middle.2) * (1.0 / 3.0);
    assert!(fine.1.length() / volume < 1e-3, "the origin is the centroid: {}", fine.1 / volume);
    let inertia = SymMat3 {
        xx: narrow(second.y_axis.y + second.z_axis.z),
        yy: narrow(second.x_axis.x + second.z_axis.z),
        zz: narrow(second.x_axis.x + second.y_axis.y),
        xy: narrow(-second.x_axis.y),
        xz: narrow(-second.x_axis.z),
        yz: narrow(-second.y_axis.z),
    };
    (volume, inertia, error)
}

fn assert_inertia(a: SymMat3, b: SymMat3, tolerance: Double, what: &str) {
    let scale = widen(a.xx.max(a.yy).max(a.zz));
    for (x, y) in
        [(a.xx, b.xx), (a.yy, b.yy), (a.zz, b.zz), (a.xy, b.xy), (a.xz, b.xz), (a.yz, b.yz)]
    {
        let error = (widen(x) - widen(y)).abs() / scale;
        assert!(error <= tolerance, "{what}: {x} is {y}, error {error:e}");
    }
}

#[test]
fn curved_mass_is_that_of_fine_polytopes() {
    let mut rng = Random(random::Random::new(71));
    for _ in 0..12 {
        let hull = curved(&mut rng);
        let (volume, inertia, error) = limit(&hull);
        let tolerance = 1e-6 + 4.0 * error;
        assert!(tolerance < 2e-4, "the oracle converges: {error:e} for {:?}", hull.curve);
        assert!(
            (widen(hull.volume) / volume - 1.0).abs() < tolerance,
            "volume {} is {volume} of {:?}",
            hull.volume,
            hull.curve
        );
        assert_inertia(hull.inertia, inertia, 4.0 * tolerance, "inertia");
    }
}

/// Volume of a rounded body by Steiner's formula from the mean width, by brute force.
#[test]
fn a_rounded_box_has_the_closed_form() {
    let (l, r) = ([1.0, 0.6, 0.4], 0.25);
    let pi = crate::math::PI_DOUBLE;
    let size = Vec3::new(1.0, narrow(0.6), narrow(0.4));
    let hull = made(Hull::round_cuboid(size, narrow(r)));
    let [a, b, c] = l;
    let volume = a * b * c
        + 2.0 * r * (a * b + b * c + c * a)
        + pi * r * r * (a + b + c)
        + 4.0 / 3.0 * pi * r * r * r;
    assert!((widen(hull.volume) / volume - 1.0).abs() < FINE, "volume {} {volume}", hull.volume);
    // ∫ x² over the parts: the box, plates, quarter cylinders and the eighths of a ball.
    let second = |a: Double, b: Double, c: Double| {
        let disc = |i: Double| pi * r * r * i;
        let ends = 2.0 * b * c * ((a / 2.0 + r).powi(3) - (a / 2.0).powi(3)) / 3.0;
        let sides = 2.0 * r * (b + c) * a.powi(3) / 12.0;
        let along = disc(a.powi(3) / 12.0);
        // Four quarter cylinders along b and c at ±a/2: ∫ (a/2 + x)² over half discs.
        let half_disc =
            |x: Double| pi * r * r * x * x + 8.0 / 3.0 * r * r * r * x + pi * r * r * r * r / 4.0;
        let across = (b + c) * half_disc(a / 2.0);
        let ball = 4.0 / 3.0 * pi * r.powi(3) * a * a / 4.0
            + 2.0 * (a / 2.0) * pi * r.powi(4) / 2.0
            + 4.0 / 15.0 * pi * r.powi(5);
        a.powi(3) / 12.0 * b * c + ends + sides + along + across + ball
    };
    let s = [second(a, b, c), second(b, c, a), second(c, a, b)];
    let expected =
        SymMat3::diagonal(Vec3::new(narrow(s[1] + s[2]), narrow(s[0] + s[2]), narrow(s[0] + s[1])));
    assert_inertia(hull.inertia, expected, 2.0 * FINE, "inertia of a rounded box");
}

#[test]
fn rounded_hulls_have_the_mass_of_fine_polytopes() {
    let mut rng = Random(random::Random::new(72));
    for _ in 0..6 {
        let points: Vec<Vec3> = (0..7).map(|_| rng.in_cube()).collect();
        let radius = 0.6 + 0.3 * rng.signed();
        let hull = made(Hull::round_convex_hull(&points, radius));
        let (volume, inertia, error) = limit(&hull);
        let tolerance = 1e-5 + 4.0 * error;
        assert!(tolerance < 5e-3, "the oracle converges: {error:e}");
        assert!((widen(hull.volume) / volume - 1.0).abs() < tolerance, "volume");
        assert_inertia(hull.inertia, inertia, 4.0 * tolerance, "inertia");
        // The rounded hull of twice refined points is the same: parts add up exactly.
        let mut more = points.clone();
        more.extend(points.windows(2).map(|p| (p[0] + p[1]) * 0.5));
        let same = made(Hull::round_convex_hull(&more, radius));
        assert!((widen(same.volume) / widen(hull.volume) - 1.0).abs() < 1e-5, "inner points");
    }
}

#[test]
fn support_boxes_and_radii_agree() {
    let mut rng = Random(random::Random::new(73));
    for _ in 0..200 {
        let hull = curved(&mut rng);
        let rotation = quat_to_mat3(rng.rotation());
        let convex = Convex::Hull(std::sync::Arc::new(hull.clone()));
        let aabb = convex.aabb(Vec3::ZERO, rotation);
        let r = widen_mat3(rotation);
        for axis in 0..3 {
            let mut n = DVec3::ZERO;
            n[axis] = 1.0;
            let local = r.transpose() * n;
            let high = hull.core_point(local, 0).dot(local) + widen(hull.radius);
            let low = -hull.core_point(-local, 0).dot(-local) - widen(hull.radius);
            assert!((widen(aabb.max[axis]) - high).abs() < 4.0 * FINE, "upper side");
            assert!((widen(aabb.min[axis]) - low).abs() < 4.0 * FINE, "lower side");
        }
        let (mut least, mut most) = (Double::INFINITY, 0.0_f64);
        let mut directions: Vec<Vec3> = (0..400).map(|_| rng.direction()).collect();
        directions.extend([Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Y]);
        let (sides, n_sides) = hull.curve().expect("a curve").meridian();
        let side = |s: &Meridian| Vec3::new(s.normal[0], s.normal[1], 0.0);
        directions.extend(sides[..n_sides].iter().map(side));
        for n in directions {
            let n = widen3(n);
            let p = hull.core_point(n, 0) + n * widen(hull.radius);
            // The support point is the best of the others.
            let other = hull.core_point(widen3(rng.direction()), 0);
            assert!(other.dot(n) <= hull.core_point(n, 0).dot(n) + 1e-12, "support");
            least = least.min(p.dot(n));
            most = most.max(p.length());
        }
        let (inner, outer) = (widen(hull.inradius), widen(hull.bounding_radius));
        assert!(
            least >= inner * (1.0 - 1e-6) && least < inner * (1.0 + 1e-5),
            "inradius {inner} {least}"
        );
        assert!(most <= outer * (1.0 + 1e-6) && most > outer * 0.8, "bounding radius");
    }
}

#[test]
fn degenerate_directions_have_one_answer() {
    let mut rng = Random(random::Random::new(74));
    for _ in 0..20 {
        let hull = curved(&mut rng);
        for n in
            [DVec3::Y, -DVec3::Y, DVec3::X, DVec3::Z, DVec3::new(0.0, 1e-200, 0.0), DVec3::ZERO]
        {
            assert!(hull.core_point(n, 0).is_finite(), "a point for {n}");
            assert_eq!(hull.core_point(n, 0), hull.core_point(n, 7), "one point for {n}");
        }
    }
    let cone = made(Hull::cone(1.0, 4.0));
    assert_eq!(cone.support_point(Vec3::Y), Vec3::new(0.0, 3.0, 0.0), "the apex");
    assert_eq!(cone.centroid(), Vec3::new(0.0, -1.0, 0.0), "a quarter of the height up");
}

/// The support value of a shape along `n`, in the frame of the shape.
fn height(shape: &Shape, n: DVec3) -> Double {
    let heights = shape.pieces().iter().map(|piece| match &piece.convex {
        Convex::Hull(hull) => {
            let local = widen_mat3(quat_to_mat3(piece.rotation)).transpose() * n;
            hull.core_point(local, 0).dot(local)
                + widen(hull.radius) * n.length()
                + widen3(piece.position).dot(n)
        }
        Convex::HalfSpace(_) | Convex::Mesh(_) => Double::INFINITY,
    });
    heights.fold(Double::NEG_INFINITY, Double::max)
}

fn shapes() -> Vec<Shape> {
    let all = [
        Shape::sphere(0.5),
        Shape::cuboid(1.0, 2.0, 0.5),
        Shape::capsule(0.3, 1.0),
        Shape::cylinder(0.4, 1.2),
        Shape::cone(0.4, 1.2),
        Shape::ellipsoid(1.0, 0.6, 0.8),
        Shape::round_cylinder(0.4, 1.2, 0.1),
        Shape::round_cuboid(1.0, 0.5, 0.3, 0.1),
        Shape::convex_hull(&cube_points()),
    ];
    all.into_iter().map(|s| s.expect("the lengths are in range")).collect()
}

fn assert_scaled(shape: &Shape, scaled: &Shape, scale: Vec3, what: &str) {
    let mut rng = Random(random::Random::new(75));
    for _ in 0..200 {
        let n = widen3(rng.direction());
        // h of S K along n is h of K along S n.
        let expected = height(shape, n * widen3(scale));
        let error = (height(scaled, n) - expected).abs();
        assert!(error < 1e-5 * (1.0 + expected.abs()), "{what}: off by {error:e}");
    }
    let volume = |s: &Shape| widen(s.mass_properties(1.0).mass);
    let factor = widen((scale.x * scale.y * scale.z).abs());
    assert!((volume(scaled) / volume(shape) / factor - 1.0).abs() < 1e-5, "{what}: volume");
}

#[test]
fn scaling_is_the_map_of_every_point() {
    let mut rng = Random(random::Random::new(76));
    for (k, shape) in shapes().iter().enumerate() {
        for scale in [
            Vec3::splat(2.0),
            Vec3::new(-0.5, 0.5, 0.5),
            Vec3::new(0.5, -0.5, -0.5),
            Vec3::splat(-3.0),
            Vec3::new(0.5, -0.5, 0.5),
        ] {
            let scaled = shape.scaled(scale).expect("equal factors");
            assert_scaled(shape, &scaled, scale, &format!("shape {k} by {scale}"));
            let q = rng.rotation();
            let part = (Vec3::new(0.3, -0.2, 0.1), q, shape.clone());
            let other = (Vec3::new(-0.7, 0.4, 0.2), rng.rotation(), shape.clone());
            let compound = Shape::compound([part, other]).expect("two parts");
            let scaled = compound.scaled(scale).expect("equal factors");
            assert_scaled(&compound, &scaled, scale, &format!("compound of {k} by {scale}"));
        }
        let scale = Vec3::new(0.5, -2.0, 0.5);
        match (shape.scaled(scale), k) {
            (Ok(_), 2) => {}
            (Ok(scaled), _) => assert_scaled(shape, &scaled, scale, &format!("shape {k} along y")),
            (Err(error), _) => {
                assert!(matches!(error, ShapeError::UnevenScale { .. }), "{error}");
                assert!(matches!(k, 6 | 7), "shape {k}: {error}");
            }
        }
        let scale = Vec3::new(1.0, 2.0, 3.0);
        let scaled = shape.scaled(scale);
        assert_eq!(scaled.is_ok(), matches!(k, 0 | 1 | 5 | 8), "shape {k} unevenly");
        if let Ok(scaled) = scaled {
            assert_scaled(shape, &scaled, scale, &format!("shape {k} unevenly"));
        }
    }
    for bad in [0.0, Real::NAN, Real::INFINITY] {
        let error = shapes()[0].scaled(Vec3::new(1.0, bad, 1.0));
        assert!(matches!(error, Err(ShapeError::BadScale { .. })), "a factor of {bad}");
    }
    let slope = Shape::half_space(Vec3::new(1.0, 1.0, 0.0)).expect("a direction");
    let steep = slope.scaled(Vec3::new(1.0, 2.0, 1.0)).expect("factors");
    let Convex::HalfSpace(plane) = &steep.pieces()[0].convex else { panic!("a half-space") };
    let expected = Vec3::new(2.0, 1.0, 0.0).normalize();
    assert!((plane.normal - expected).length() < 1e-6, "the plane contains the scaled points");
}
