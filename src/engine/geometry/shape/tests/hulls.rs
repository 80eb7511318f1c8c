//! Hulls against definitions, brute force and exact integer oracles.

use super::{Random, check_hull, cube_points, prism_points, pyramids};
use crate::engine::geometry::shape::ShapeError;
use crate::engine::geometry::shape::build::assemble;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::lcp::tests::random;
use crate::math::{Real, Vec3, quat_rotate, widen};

#[test]
fn cube_from_points_equals_the_closed_form() {
    let hull = Hull::convex_hull(&cube_points()).unwrap();
    let cuboid = Hull::cuboid(Vec3::ONE).unwrap();
    assert_eq!(hull.vertices, cuboid.vertices, "vertices in the order of the points");
    assert_eq!(hull.faces, cuboid.faces, "six merged faces in canonical order");
    assert_eq!(hull.edges, cuboid.edges, "twelve edges");
    assert_eq!(hull.volume, 1.0, "volume of the unit cube");
    check_hull(&cube_points(), &hull);
    check_hull(&cube_points(), &cuboid);
}

#[test]
fn every_box_is_the_one_that_is_put_together_anew() {
    let mut random = Random(random::Random::new(3));
    for _ in 0..200 {
        let size = (random.in_cube() + Vec3::splat(1.001)) * 3.0;
        let hull = Hull::cuboid(size).unwrap();
        let loops: Vec<Vec<u32>> = (0..6).map(|face| hull.face_loop(face).to_vec()).collect();
        let anew = assemble(hull.vertices.clone(), &loops).unwrap();
        assert_eq!(Hull { volume: hull.volume, inertia: hull.inertia, ..anew }, hull, "{size}");
        check_hull(&hull.vertices, &hull);
    }
}

#[test]
fn tetrahedron() {
    let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let hull = Hull::convex_hull(&points).unwrap();
    check_hull(&points, &hull);
    assert_eq!((hull.vertices.len(), hull.edges.len(), hull.faces.len()), (4, 6, 4), "counts");
    assert!((hull.volume - 1.0 / 6.0).abs() < 1e-7, "volume");
    assert!((hull.centroid - Vec3::splat(0.25)).length() < 1e-7, "centroid");
    // Diagonal 2 (1/60 - 1/96), products of inertia -(1/120 - 1/96), per unit density.
    let inertia = hull.inertia;
    assert!((inertia.xx - 0.0125).abs() < 1e-8 && (inertia.zz - 0.0125).abs() < 1e-8, "moments");
    assert!((inertia.xy - 1.0 / 480.0).abs() < 1e-9, "product of inertia {}", inertia.xy);
}

#[test]
fn noisy_turned_prisms_have_flat_faces() {
    let mut random = Random(random::Random::new(1));
    for round in 0..60 {
        let n = [3, 4, 5, 6, 32, 100][round % 6];
        let rotation = random.rotation();
        let offset = random.in_cube() * [0.0, 1.0, 30.0][round % 3];
        // At least the rounding of single precision, also in the build in double precision.
        let turned = |p: &Vec3| {
            quat_rotate(rotation, *p) + offset + random.in_cube() * (6e-8 * (1.0 + offset.length()))
        };
        let half = [0.05, 1.0, 7.0][round / 6 % 3];
        let points: Vec<Vec3> = prism_points(n, half).iter().map(turned).collect();
        let hull = Hull::convex_hull(&points).unwrap();
        check_hull(&points, &hull);
        let counts = (hull.vertices.len(), hull.edges.len(), hull.faces.len());
        assert_eq!(counts, (2 * n, 3 * n, n + 2), "round {round}: counts of a {n}-prism");
    }
}

#[test]
fn random_hulls_hold_their_points() {
    let mut random = Random(random::Random::new(2));
    for round in 0..300 {
        let n = 4 + random.below(60);
        let mut points: Vec<Vec3> = (0..n)
            .map(|_| match round % 4 {
                0 => random.in_cube(),
                1 => random.direction(),
                // On the faces of a cube, so that most points are in faces or edges.
                2 => (random.in_cube() * 3.0).clamp(Vec3::splat(-1.0), Vec3::splat(1.0)),
                // A disk with noise in its thickness.
                _ => random.direction() * Vec3::new(1.0, 1.0, 0.01),
            })
            .collect();
        for _ in 0..random.below(5) {
            let twin = points[random.below(n)];
            points.push(twin + random.in_cube() * 1e-7);
        }
        let hull = Hull::convex_hull(&points).unwrap();
        check_hull(&points, &hull);
        let (volume, moment) = pyramids(&hull);
        let error = (volume / widen(hull.volume) - 1.0).abs();
        assert!(error < 1e-5, "round {round}: volume, relative error {error}");
        let off = moment.length() / volume / widen(hull.bounding_radius);
        assert!(off < 1e-6, "round {round}: the centroid is the origin to {off} of the size");
    }
}

/// All supporting planes of lattice points, as point sets; exact. O(n⁴).
fn supporting_sets(points: &[[i64; 3]]) -> Vec<Vec<usize>> {
    let sub = |a: [i64; 3], b: [i64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let n = points.len();
    let mut sets = Vec::new();
    for i in 0..n {
        for j in 0..i {
            for k in 0..j {
                let (u, v) = (sub(points[j], points[i]), sub(points[k], points[i]));
                let normal = [
                    u[1] * v[2] - u[2] * v[1],
                    u[2] * v[0] - u[0] * v[2],
                    u[0] * v[1] - u[1] * v[0],
                ];
                if normal == [0; 3] {
                    continue;
                }
                let height = |p: usize| {
                    let d = sub(points[p], points[i]);
                    normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2]
                };
                if (0..n).all(|p| height(p) <= 0) || (0..n).all(|p| height(p) >= 0) {
                    sets.push((0..n).filter(|&p| height(p) == 0).collect());
                }
            }
        }
    }
    sets.sort();
    sets.dedup();
    sets
}

#[test]
fn lattice_hulls_equal_the_integer_oracle() {
    let mut random = Random(random::Random::new(3));
    let mut n_solid = 0;
    for round in 0..300 {
        let n = 4 + random.below(16);
        let mut points: Vec<[i64; 3]> =
            (0..n).map(|_| [0; 3].map(|_: i64| random.below(2 + round % 3) as i64)).collect();
        let mut seen: Vec<[i64; 3]> = Vec::new();
        points.retain(|p| !seen.contains(p) && (seen.push(*p), true).1);
        let real: Vec<Vec3> = points.iter().map(|p| Vec3::from(p.map(|x| x as Real))).collect();
        let sets = supporting_sets(&points);
        let faces_at = |p: usize| sets.iter().filter(|s| s.contains(&p)).count();
        // A corner has three faces; a point inside an edge two, inside a face one.
        let corners: Vec<usize> = (0..points.len()).filter(|&p| faces_at(p) >= 3).collect();
        let Ok(hull) = Hull::convex_hull(&real) else {
            assert!(corners.len() < 4, "round {round}: only flat sets are refused");
            continue;
        };
        n_solid += 1;
        check_hull(&real, &hull);
        let expected: Vec<Vec3> = corners.iter().map(|&p| real[p]).collect();
        let mut expected_faces: Vec<Vec<u32>> = Vec::new();
        for set in &sets {
            let of_set = set.iter().filter_map(|p| corners.iter().position(|c| c == p));
            expected_faces.push(of_set.map(|c| c as u32).collect());
        }
        let mut faces: Vec<Vec<u32>> =
            (0..hull.faces.len()).map(|i| hull.face_loop(i as u32).to_vec()).collect();
        faces.iter_mut().for_each(|f| f.sort_unstable());
        faces.sort();
        expected_faces.sort();
        assert_eq!(faces, expected_faces, "round {round}: faces");
        for (v, e) in hull.vertices.iter().zip(&expected) {
            assert!((*v + hull.centroid - *e).length() < 1e-6, "round {round}: corners");
        }
    }
    assert!(n_solid > 150, "most sets are solid, {n_solid}");
}

#[test]
fn grid_of_points_is_a_box() {
    let points: Vec<Vec3> = (0..1000_i16)
        .map(|i| Vec3::from([i % 10, i / 10 % 10, i / 100].map(Real::from)) * 0.1)
        .collect();
    let hull = Hull::convex_hull(&points).unwrap();
    check_hull(&points, &hull);
    assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 6), "a box");
}

#[test]
fn thousand_points_on_a_ball() {
    let mut random = Random(random::Random::new(4));
    let points: Vec<Vec3> = (0..1000).map(|_| random.direction()).collect();
    let hull = Hull::convex_hull(&points).unwrap();
    check_hull(&points, &hull);
    assert_eq!(hull.vertices.len(), 1000, "every point is a corner");
    // Of about 3000 edges with a fold of about 1e-3 a few are flat to within 1e-6 of the size.
    assert!((1985..=1996).contains(&hull.faces.len()), "nearly all triangles");
}

#[test]
fn fine_curvature_still_closes() {
    // Steps of the surface near the merging tolerance, where merged faces get in each other's way.
    let mut random = Random(random::Random::new(5));
    for n in [500, 2000, 4000] {
        let points = prism_points(n, 0.5);
        check_closed(&points, &Hull::convex_hull(&points).unwrap());
    }
    for round in 0..60 {
        let bulge = [1e-2, 1e-3, 1e-4, 3e-5, 1e-5, 3e-6][round % 6];
        let n = [50, 200, 700][round / 6 % 3];
        let dome = |_| {
            let d = random.in_cube();
            Vec3::new(d.x, d.y, -bulge * (d.x * d.x + d.y * d.y))
        };
        let mut points: Vec<Vec3> = (0..n).map(dome).collect();
        if round % 2 == 0 {
            points.push(Vec3::NEG_Z);
        } else {
            // Two domes back to back.
            points.extend(points.clone().iter().map(|p| Vec3::new(p.x, p.y, -0.01 - p.z)));
        }
        check_closed(&points, &Hull::convex_hull(&points).unwrap());
    }
}

/// What must hold even where the merging tolerance blurs the surface.
fn check_closed(points: &[Vec3], hull: &Hull) {
    super::check_graph(hull);
    assert_eq!(hull.vertices.len() + hull.faces.len(), hull.edges.len() + 2, "Euler");
    assert!(hull.flatness < 1.2e-5, "faces are flat and convex to within {} m", hull.flatness);
    for p in points {
        for face in &hull.faces {
            let above = face.normal.dot(*p - hull.centroid) - face.offset;
            assert!(above <= 1.2e-5, "a point is {above} m outside");
        }
    }
}

#[test]
fn same_points_same_bits() {
    let mut random = Random(random::Random::new(6));
    let points: Vec<Vec3> = (0..200).map(|_| random.in_cube()).collect();
    assert_eq!(Hull::convex_hull(&points), Hull::convex_hull(&points), "no hidden order");
}

#[test]
fn scaling_by_a_power_of_two_changes_no_id() {
    let points = prism_points(7, 0.3);
    let hull = Hull::convex_hull(&points).unwrap();
    for scale in [1.0 / 1024.0, 1024.0, 65536.0] {
        let scaled: Vec<Vec3> = points.iter().map(|&p| p * scale).collect();
        let large = Hull::convex_hull(&scaled).unwrap();
        assert_eq!(hull.face_vertices, large.face_vertices, "loops at scale {scale}");
        assert_eq!(hull.inradius * scale, large.inradius, "inradius at scale {scale}");
    }
}

#[test]
fn bad_points_are_named() {
    let mut points = cube_points();
    let refused = |p: &[Vec3]| Hull::convex_hull(p).unwrap_err();
    assert_eq!(refused(&points[..3]), ShapeError::TooFewPoints { count: 3 }, "too few");
    assert_eq!(refused(&[]), ShapeError::TooFewPoints { count: 0 }, "none");
    points[5].y = Real::NAN;
    assert_eq!(refused(&points), ShapeError::PointNotFinite { index: 5 }, "not a number");
    points[5].y = Real::NEG_INFINITY;
    assert_eq!(refused(&points), ShapeError::PointNotFinite { index: 5 }, "infinite");
    points[5].y = -2e6;
    assert_eq!(refused(&points), ShapeError::PointTooFar { index: 5 }, "too far");
    let text = refused(&points).to_string();
    assert_eq!(text, "point 5 has a coordinate beyond 1000000 m", "message");
}

#[test]
fn flat_points_are_refused() {
    let mut random = Random(random::Random::new(7));
    for _ in 0..50 {
        let rotation = random.rotation();
        let mut made = |scale: Vec3| -> Result<Hull, ShapeError> {
            let points: Vec<Vec3> =
                (0..20).map(|_| quat_rotate(rotation, random.in_cube() * scale)).collect();
            Hull::convex_hull(&points)
        };
        let plane = made(Vec3::new(1.0, 1.0, 0.0)).unwrap_err();
        assert!(matches!(plane, ShapeError::Coplanar { thickness } if thickness < 1e-6), "{plane}");
        let line = made(Vec3::new(1.0, 0.0, 0.0)).unwrap_err();
        assert!(matches!(line, ShapeError::Collinear { width } if width < 1e-6), "{line}");
        let point = made(Vec3::splat(1e-9)).unwrap_err();
        assert!(matches!(point, ShapeError::Coincident { extent } if extent < 1e-8), "{point}");
        // A sheet of a thousandth of a percent is thick enough.
        let sheet = made(Vec3::new(1.0, 1.0, 1e-4)).unwrap();
        assert!(sheet.volume > 0.0, "a thin sheet is a body");
    }
    let far = [Vec3::splat(9e5); 5];
    assert_eq!(
        Hull::convex_hull(&far),
        Err(ShapeError::Coincident { extent: 0.0 }),
        "equal points"
    );
}
