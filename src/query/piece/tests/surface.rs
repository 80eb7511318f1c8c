//! Meshes: from outside, a closed box of triangles answers as the box does.

use super::*;
use crate::engine::geometry::shape::Shape;
use crate::engine::lcp::tests::random;
use crate::math::{Mat3, quat_to_mat3};
use crate::query::piece::Placed;
use crate::query::piece::pieces::CastConfig;

/// The surface of a box with corners at ±`half`, as triangles.
fn box_mesh(half: Vec3) -> Shape {
    let corner = |i: u8| {
        let side = |bit: u8, h: Real| if i >> bit & 1 == 1 { h } else { -h };
        Vec3::new(side(0, half.x), side(1, half.y), side(2, half.z))
    };
    let vertices: Vec<Vec3> = (0..8).map(corner).collect();
    let quads: [[u32; 4]; 6] =
        [[0, 1, 5, 4], [0, 2, 3, 1], [0, 4, 6, 2], [1, 3, 7, 5], [2, 6, 7, 3], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> =
        quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Shape::trimesh(&vertices, &triangles).expect("a closed surface")
}

struct Scene {
    mesh: Shape,
    solid: Shape,
    position: Vec3,
    rotation: Mat3,
}

impl Scene {
    fn new(rng: &mut Random) -> Self {
        let half = Vec3::new(rng.within(0.3, 1.5), rng.within(0.3, 1.5), rng.within(0.3, 1.5));
        let size = half * 2.0;
        Self {
            mesh: box_mesh(half),
            solid: Shape::cuboid(size.x, size.y, size.z).expect("positive lengths"),
            position: rng.in_cube(1.0),
            rotation: quat_to_mat3(rng.rotation()),
        }
    }

    fn both(&self) -> [Placed<'_>; 2] {
        [&self.mesh, &self.solid].map(|shape| Placed {
            convex: &shape.pieces()[0].convex,
            position: self.position,
            rotation: self.rotation,
        })
    }
}

#[test]
fn rays_and_points_outside_of_a_box_of_triangles() {
    let mut rng = Random(random::Random::new(81));
    let mut hits = 0;
    for round in 0..500 {
        let scene = Scene::new(&mut rng);
        let [mesh, solid] = scene.both();
        let from = scene.position + rng.direction() * rng.within(3.0, 30.0);
        let toward = (scene.position + rng.in_cube(1.5) - from).normalize();
        let [a, b] = [&mesh, &solid].map(|p| p.ray(from, toward, 100.0, true));
        match (a, b) {
            (Some((x, n)), Some((y, m))) => {
                hits += 1;
                let error = widen((x - y).abs());
                assert!(error <= 30.0 * TOLERANCE, "round {round}: {x} and {y}");
                assert!((n - m).length() < 1e-3, "round {round}: normals {n} and {m}");
            }
            (None, None) => {}
            // A graze may be missed by one of the two.
            (Some((t, n)), None) | (None, Some((t, n))) => {
                let graze = n.dot(toward).abs() < 1e-3;
                assert!(graze, "round {round}: only one is met, after {t} m along {n}");
            }
        }
        let [(p, inside), (q, _)] =
            [&mesh, &solid].map(|piece| piece.project(from, true).expect("a finite point"));
        assert!(!inside, "a mesh has no inside");
        assert!(widen((p - q).length()) <= 30.0 * TOLERANCE, "round {round}: {p} and {q}");
    }
    assert!(hits > 200, "most rays hit: {hits}");
}

#[test]
fn distances_and_casts_outside_of_a_box_of_triangles() {
    let mut rng = Random(random::Random::new(82));
    let (mut apart, mut met) = (0, 0);
    for round in 0..200 {
        let scene = Scene::new(&mut rng);
        let [mesh, solid] = scene.both();
        let shape = match round % 3 {
            0 => Shape::sphere(rng.within(0.1, 0.6)),
            1 => Shape::cuboid(rng.within(0.1, 0.8), rng.within(0.1, 0.8), rng.within(0.1, 0.8)),
            _ => Shape::capsule(rng.within(0.1, 0.3), rng.within(0.2, 0.9)),
        };
        let shape = shape.expect("positive lengths");
        let other = Placed {
            convex: &shape.pieces()[0].convex,
            position: scene.position + rng.direction() * rng.within(1.0, 4.0),
            rotation: quat_to_mat3(rng.rotation()),
        };
        let [a, b] = [&mesh, &solid].map(|p| p.closest(&other).expect("finite poses"));
        let overlap = b.distance <= 0.0;
        if overlap {
            continue;
        }
        apart += 1;
        let error = widen((a.distance - b.distance).abs());
        assert!(error <= 30.0 * TOLERANCE, "round {round}: {} and {}", a.distance, b.distance);
        assert!(
            (a.point2 - b.point2).length() < 0.02 || error <= TOLERANCE,
            "round {round}: points"
        );
        assert!(!mesh.touches(&other) && !other.touches(&mesh), "round {round}: they are apart");
        let toward = (scene.position + rng.in_cube(0.8) - other.position).normalize();
        let config = CastConfig { max_distance: 10.0, ..CastConfig::default() };
        let [a, b] = [&mesh, &solid].map(|p| p.cast(&other, toward, 10.0, &config));
        match (a, b) {
            (Some(x), Some(y)) => {
                met += 1;
                let error = widen((x.distance - y.distance).abs());
                assert!(error <= 1e-4, "round {round}: {} and {}", x.distance, y.distance);
            }
            (None, None) => {}
            (Some(x), None) | (None, Some(x)) => {
                let graze = x.at.normal.dot(toward).abs() < 0.02;
                assert!(graze, "round {round}: only one is met, after {} m", x.distance);
            }
        }
    }
    assert!(apart > 100 && met > 60, "{apart} apart, {met} met");
}

#[test]
fn overlap_with_a_triangle() {
    let mesh = box_mesh(Vec3::ONE);
    let placed = |shape: &'_ Shape, at: Vec3| -> bool {
        let mesh = Placed {
            convex: &mesh.pieces()[0].convex,
            position: Vec3::ZERO,
            rotation: Mat3::IDENTITY,
        };
        let other =
            Placed { convex: &shape.pieces()[0].convex, position: at, rotation: Mat3::IDENTITY };
        let closest = mesh.closest(&other).expect("finite poses");
        assert_eq!(closest.distance <= 0.0, mesh.touches(&other), "at {at}");
        mesh.touches(&other)
    };
    let ball = Shape::sphere(0.25).expect("a radius");
    assert!(placed(&ball, Vec3::X * 1.2), "through a side from outside");
    assert!(placed(&ball, Vec3::X * 0.8), "through a side from inside");
    assert!(!placed(&ball, Vec3::ZERO), "in the middle nothing is near");
    assert!(!placed(&ball, Vec3::X * 1.3), "outside");
}
