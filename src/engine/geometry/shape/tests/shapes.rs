//! Mass properties, boxes around shapes, compounds, and errors.

use super::{Random, cube_points, prism_points, regular_polygon};
use crate::engine::geometry::shape::hull::{Hull, NO_FACE};
use crate::engine::geometry::shape::mass::MassProperties;
use crate::engine::geometry::shape::{Convex, Shape, ShapeError};
use crate::engine::lcp::tests::random;
use crate::math::{PI, Quat, Real, SymMat3, Vec3, quat_rotate, quat_to_mat3};

fn assert_close(a: SymMat3, b: SymMat3, tolerance: Real, what: &str) {
    let d = a.plus(b.scaled(-1.0));
    let worst =
        [d.xx, d.yy, d.zz, d.xy, d.xz, d.yz].map(Real::abs).into_iter().fold(0.0, Real::max);
    assert!(worst <= tolerance, "{what}: {a:?} and {b:?} differ by {worst}");
}

#[test]
fn inertia_of_a_cuboid() {
    let points: Vec<Vec3> =
        cube_points().iter().map(|&p| p * Vec3::new(1.0, 2.0, 3.0) + Vec3::splat(4.0)).collect();
    let mass = Shape::convex_hull(&points).unwrap().mass_properties(10.0);
    let closed = Shape::cuboid(1.0, 2.0, 3.0).unwrap().mass_properties(10.0);
    assert!((mass.mass - 60.0).abs() < 1e-5 && (closed.mass - 60.0).abs() < 1e-5, "mass");
    assert!((mass.center_of_mass - Vec3::splat(4.0)).length() < 1e-6, "center of mass");
    // m/12 (b² + c²) with m = 60 kg.
    let expected = SymMat3::diagonal(Vec3::new(65.0, 50.0, 25.0));
    assert_close(mass.inertia, expected, 1e-4, "from points");
    assert_close(closed.inertia, expected, 1e-4, "closed form");
}

#[test]
fn fine_prisms_approach_the_capsule_and_the_ball() {
    // A stack of rings on the surface, inscribed: all moments are a little small.
    let (radius, length): (Real, Real) = (0.7, 1.5);
    for (length, exact) in
        [(length, Hull::capsule(radius, length).unwrap()), (0.0, Hull::sphere(radius).unwrap())]
    {
        let mut points = Vec::new();
        for ring in 0..=40_i16 {
            let up = -crate::math::cos(PI * Real::from(ring) / 40.0);
            let r = (1.0 - up * up).max(0.0).sqrt() * radius;
            for shift in [-0.5 * length, 0.5 * length] {
                let y = up * radius + shift;
                points.extend(regular_polygon(80).iter().map(|p| Vec3::new(p[0] * r, y, p[1] * r)));
            }
        }
        let hull = Hull::convex_hull(&points).unwrap();
        let ratios = [
            hull.volume / exact.volume,
            hull.inertia.xx / exact.inertia.xx,
            hull.inertia.yy / exact.inertia.yy,
            hull.inertia.zz / exact.inertia.zz,
        ];
        for ratio in ratios {
            assert!((0.992..0.9999).contains(&ratio), "length {length}: {ratios:?}");
        }
    }
}

#[test]
fn closed_forms_of_the_ball_and_the_capsule() {
    let ball = Shape::sphere(2.0).unwrap().mass_properties(3.0);
    assert!((ball.mass - 32.0 * PI).abs() < 1e-4, "mass {}", ball.mass);
    assert!((ball.inertia.yy / (0.4 * 4.0 * ball.mass) - 1.0).abs() < 1e-6, "2/5 m r²");
    let hull = Hull::capsule(0.5, 3.0).unwrap();
    assert_eq!(hull.vertices, [Vec3::Y * -1.5, Vec3::Y * 1.5], "along y, full length");
    assert_eq!(hull.edges[0].faces, [NO_FACE; 2], "the segment has no faces");
    assert_eq!((hull.inradius, hull.bounding_radius), (0.5, 2.0), "radii");
    assert_eq!((hull.neighbors(0), hull.neighbors(1)), (&[1][..], &[0][..]), "neighbors");
    assert!(hull.neighbors(2).is_empty() && hull.face_loop(0).is_empty(), "nothing beyond");
    let ball = Hull::sphere(1.0).unwrap();
    assert!(ball.faces.is_empty() && ball.edges.is_empty(), "a ball has one vertex alone");
    assert_eq!(ball.vertices, [Vec3::ZERO], "one vertex");
}

#[test]
fn mass_moves_and_turns_with_the_points() {
    let mut random = Random(random::Random::new(21));
    for round in 0..100 {
        let points: Vec<Vec3> = (0..20).map(|_| random.in_cube()).collect();
        let (position, rotation) = (random.in_cube() * 3.0, random.rotation());
        let moved: Vec<Vec3> =
            points.iter().map(|&p| position + quat_rotate(rotation, p)).collect();
        let mass = Shape::convex_hull(&points).unwrap().mass_properties(2.0);
        let expected = mass.transformed(position, rotation);
        let found = Shape::convex_hull(&moved).unwrap().mass_properties(2.0);
        assert!((found.mass / expected.mass - 1.0).abs() < 1e-5, "round {round}: mass");
        let off = (found.center_of_mass - expected.center_of_mass).length();
        assert!(off < 3e-6, "round {round}: center of mass off by {off}");
        assert_close(found.inertia, expected.inertia, 2e-5 * mass.inertia.xx.max(1.0), "inertia");
    }
}

#[test]
fn halves_combine_to_the_whole() {
    let mut random = Random(random::Random::new(22));
    let whole = Shape::cuboid(2.0, 1.0, 1.0).unwrap();
    let half = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
    let (position, rotation) = (random.in_cube(), random.rotation());
    let side = quat_rotate(rotation, Vec3::X * 0.5);
    let both = Shape::compound([
        (position + side, rotation, half.clone()),
        (position - side, rotation, half.clone()),
    ])
    .unwrap();
    let (found, expected) =
        (both.mass_properties(5.0), whole.mass_properties(5.0).transformed(position, rotation));
    assert!((found.mass - 10.0).abs() < 1e-5, "mass");
    assert!((found.center_of_mass - expected.center_of_mass).length() < 1e-6, "center of mass");
    assert_close(found.inertia, expected.inertia, 1e-5, "inertia");
    // Compounds nest.
    let nested = Shape::compound([(-position, Quat::IDENTITY, both)]).unwrap();
    assert_eq!(nested.pieces().len(), 2, "pieces of pieces");
    assert!(nested.mass_properties(5.0).center_of_mass.length() < 1e-6, "moved back");
}

#[test]
fn parallel_axes() {
    let mass = MassProperties {
        mass: 3.0,
        center_of_mass: Vec3::new(1.0, 0.0, 0.0),
        inertia: SymMat3::diagonal(Vec3::ONE),
    };
    let expected = SymMat3::diagonal(Vec3::new(1.0, 13.0, 13.0));
    assert_eq!(mass.inertia_about(Vec3::new(-1.0, 0.0, 0.0)), expected, "m d² across");
    assert_eq!(mass.combined(MassProperties::default()), mass, "nothing adds nothing");
    assert_eq!(MassProperties::default().combined(mass).center_of_mass.x, 1.0, "nor the reverse");
}

#[test]
fn boxes_hold_the_shape_and_touch_it() {
    let mut random = Random(random::Random::new(23));
    let hull = Shape::convex_hull(&prism_points(20, 0.4)).unwrap();
    let offset = (random.in_cube(), random.rotation());
    let pair = [
        (offset.0, offset.1, hull),
        (Vec3::X, random.rotation(), Shape::capsule(0.2, 1.0).unwrap()),
    ];
    let shape = Shape::compound(pair).unwrap();
    for _ in 0..50 {
        let (position, rotation) = (random.in_cube() * 5.0, random.rotation());
        let aabb = shape.aabb(position, rotation);
        let mut corners = Vec::new();
        for piece in shape.pieces() {
            let Convex::Hull(hull) = &piece.convex else { unreachable!() };
            for v in hull.vertices() {
                let p = piece.position + quat_rotate(piece.rotation, *v);
                let p = position + quat_to_mat3(rotation) * p;
                assert!((p - position).length() <= shape.bounding_radius() + 1e-5, "in the ball");
                corners.extend([p - Vec3::splat(hull.radius()), p + Vec3::splat(hull.radius())]);
            }
        }
        let low = corners.iter().fold(corners[0], |a, &b| a.min(b));
        let high = corners.iter().fold(corners[0], |a, &b| a.max(b));
        assert!((low - aabb.min).length() < 1e-5 && (high - aabb.max).length() < 1e-5, "tight");
    }
}

#[test]
fn half_space() {
    let shape = Shape::half_space(Vec3::new(0.0, 5.0, 0.0)).unwrap();
    let Convex::HalfSpace(half_space) = &shape.pieces()[0].convex else { unreachable!() };
    assert_eq!(half_space.normal, Vec3::Y, "normalized");
    assert!(shape.is_half_space(), "is one");
    assert_eq!(shape.mass_properties(1.0), MassProperties::default(), "no mass");
    assert_eq!(shape.aabb(Vec3::ONE, Quat::IDENTITY).min, Vec3::splat(Real::NEG_INFINITY), "box");
    assert_eq!(shape.bounding_radius(), Real::INFINITY, "unbounded");
    for bad in [Vec3::ZERO, Vec3::splat(Real::NAN), Vec3::X * Real::INFINITY] {
        assert_eq!(Shape::half_space(bad), Err(ShapeError::BadNormal), "{bad}");
    }
    assert!(Shape::half_space(Vec3::Y * 1e-30).is_ok(), "short normals have a direction too");
}

#[test]
fn bad_lengths_are_named() {
    for bad in [0.0, -1.0, 1e-9, 1e9, Real::INFINITY, Real::NAN] {
        let refused = [
            (Shape::sphere(bad), "the radius of the sphere"),
            (Shape::cuboid(bad, 1.0, 1.0), "the x size of the cuboid"),
            (Shape::cuboid(1.0, bad, 1.0), "the y size of the cuboid"),
            (Shape::cuboid(1.0, 1.0, bad), "the z size of the cuboid"),
            (Shape::capsule(bad, 1.0), "the radius of the capsule"),
            (Shape::capsule(1.0, bad), "the length of the capsule"),
            (Shape::prism(&regular_polygon(3), bad), "the thickness of the prism"),
        ];
        for (result, expected) in refused {
            let error = result.unwrap_err();
            assert!(
                matches!(error, ShapeError::BadLength { name, .. } if name == expected),
                "{error}"
            );
        }
    }
    let text = Shape::sphere(-1.0).unwrap_err().to_string();
    assert_eq!(
        text, "the radius of the sphere is -1, it must lie between 0.00001 m and 1000000 m",
        "message"
    );
    assert_eq!(
        Shape::prism(&[], 1.0),
        Err(ShapeError::TooFewPoints { count: 0 }),
        "a prism without a polygon"
    );
}

#[test]
fn bad_compounds_are_refused() {
    let ball = Shape::sphere(1.0).unwrap();
    let ground = Shape::half_space(Vec3::Y).unwrap();
    let refused = |parts: Vec<(Vec3, Quat, Shape)>| Shape::compound(parts).unwrap_err();
    assert_eq!(refused(vec![]), ShapeError::EmptyCompound, "empty");
    let good = (Vec3::X, Quat::IDENTITY, ball.clone());
    assert_eq!(
        refused(vec![good.clone(), (Vec3::ZERO, Quat::IDENTITY, ground)]),
        ShapeError::HalfSpaceInCompound { index: 1 },
        "half-space"
    );
    let nan = Real::NAN;
    for (position, rotation) in [
        (Vec3::new(0.0, nan, 0.0), Quat::IDENTITY),
        (Vec3::new(0.0, -2e6, 0.0), Quat::IDENTITY),
        (Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        (Vec3::ZERO, Quat::from_xyzw(0.0, nan, 0.0, 1.0)),
        (Vec3::ZERO, Quat::from_xyzw(0.0, 1.0, 0.0, 1.0)),
    ] {
        let parts = vec![good.clone(), (position, rotation, ball.clone())];
        assert_eq!(refused(parts), ShapeError::BadPose { index: 1 }, "{position} {rotation}");
    }
}

#[test]
fn extreme_sizes_stay_finite() {
    for size in [1e-5, 1.0, 1e6] {
        let shapes = [
            Shape::sphere(size).unwrap(),
            Shape::capsule(size, size).unwrap(),
            Shape::cuboid(size, size, size).unwrap(),
            Shape::convex_hull(&cube_points().iter().map(|&p| p * size).collect::<Vec<_>>())
                .unwrap(),
        ];
        for shape in shapes {
            let mass = shape.mass_properties(1000.0);
            assert!(mass.mass > 0.0 && mass.mass.is_finite(), "mass {}", mass.mass);
            assert!(mass.inertia.xx > 0.0 && mass.inertia.xx.is_finite(), "inertia at {size} m");
        }
    }
}
