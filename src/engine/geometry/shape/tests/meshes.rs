//! Meshes: adjacency, trees, merging, queries, against slow oracles and closed forms.

use crate::engine::geometry::shape::Aabb;
use crate::engine::geometry::shape::mesh::{
    Bend, Mesh, NO_TRIANGLE, closest_on_triangle, ray_triangle,
};
use crate::engine::lcp::tests::random;
use crate::math::{Real, Vec3};

/// Random numbers, as these tests want them.
struct Random(random::Random);

impl Random {
    fn within(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * ((self.0.bits() >> 40) as Real / (1_u64 << 24) as Real)
    }

    fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.within(-size, size), self.within(-size, size), self.within(-size, size))
    }
}

/// Two triangles with a common edge along z, of which the second one falls by `slope` along x.
fn roof(slope: Real) -> Mesh {
    let vertices = [Vec3::ZERO, Vec3::Z, Vec3::new(-1.0, 0.0, 0.5), Vec3::new(1.0, -slope, 0.5)];
    Mesh::new(&vertices, &[[0, 2, 1], [0, 1, 3]]).expect("two triangles")
}

#[test]
fn edges_are_classified() {
    let bends = [
        (0.5, Bend::Convex),
        (0.001, Bend::Convex),
        (0.0, Bend::Flat),
        (1e-6, Bend::Flat),
        (-0.001, Bend::Concave),
        (-3.0, Bend::Concave),
    ];
    for (slope, bend) in bends {
        let mesh = roof(slope);
        assert!(mesh.triangles().iter().all(|t| t.normal.y > 0.0), "the front is above");
        let edge = |t: usize, k: usize| mesh.triangles()[t].edges[k];
        assert_eq!((edge(0, 2).bend, edge(0, 2).neighbor), (bend, 1), "slope {slope}");
        assert_eq!((edge(1, 0).bend, edge(1, 0).neighbor), (bend, 0), "slope {slope}");
        for (t, k) in [(0, 0), (0, 1), (1, 1), (1, 2)] {
            assert_eq!((edge(t, k).bend, edge(t, k).neighbor), (Bend::Boundary, NO_TRIANGLE));
        }
    }
}

#[test]
fn unlike_windings_and_third_triangles_are_boundaries() {
    let vertices = [Vec3::ZERO, Vec3::Z, Vec3::NEG_X, Vec3::X, Vec3::Y];
    let unlike = Mesh::new(&vertices, &[[0, 2, 1], [0, 3, 1]]).expect("two triangles");
    assert!(unlike.triangles().iter().all(|t| t.edges.iter().all(|e| e.bend == Bend::Boundary)));
    let three = Mesh::new(&vertices, &[[0, 2, 1], [0, 1, 3], [0, 1, 4]]).expect("three triangles");
    let at = |t: usize, k: usize| three.triangles()[t].edges[k];
    assert_eq!((at(0, 2).bend, at(0, 2).neighbor), (Bend::Flat, 1), "the first two");
    assert_eq!(at(2, 0).bend, Bend::Boundary, "what is left over");
}

/// Only corners with flat edges all around are flat: the middle of a level field.
#[test]
fn flat_corners_are_inside_of_flat_parts() {
    let mut heights = vec![vec![0.0; 5]; 5];
    heights[4][4] = 1.0;
    let mesh = Mesh::heightfield(&heights, Vec3::new(4.0, 1.0, 4.0)).expect("a field");
    for (t, triangle) in mesh.triangles().iter().enumerate() {
        for (k, &v) in triangle.vertices.iter().enumerate() {
            let at = mesh.vertices()[v as usize];
            // Next to the raised corner lie (1, 1), across the diagonal, (1, 2) and (2, 1).
            let inside = at.x.abs() < 1.5 && at.z.abs() < 1.5 && at != Vec3::new(1.0, 0.0, 1.0);
            assert_eq!(triangle.flat_corners >> k & 1 == 1, inside, "triangle {t}, {at}");
        }
    }
}

#[test]
fn heights_lie_where_they_are_told() {
    let heights = vec![vec![0.0, 1.0, 2.0], vec![3.0, 4.0, 5.0]];
    let mesh = Mesh::heightfield(&heights, Vec3::new(10.0, 2.0, 4.0)).expect("a field");
    assert_eq!(mesh.len(), 4);
    assert_eq!(mesh.vertices()[2], Vec3::new(-5.0, 4.0, 2.0), "row 0, column 2");
    assert_eq!(mesh.vertices()[4], Vec3::new(5.0, 8.0, 0.0), "row 1, column 1");
    assert!(mesh.triangles().iter().all(|t| t.normal.y > 0.0), "the front is above");
}

#[test]
fn near_vertices_are_merged_and_slivers_dropped() {
    let mut random = Random(random::Random::new(4));
    // A level grid in which every triangle has vertices of its own, each off by a little.
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..12_u8 {
        for k in 0..12_u8 {
            let (x, z) = (Real::from(i), Real::from(k));
            let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (1.0, 1.0), (1.0, 0.0)];
            for (n, (dx, dz)) in corners.into_iter().enumerate() {
                if n % 3 == 0 {
                    let first = vertices.len() as u32;
                    triangles.push([first, first + 1, first + 2]);
                }
                vertices.push(Vec3::new(x + dx, 0.0, z + dz) + random.vector(8e-7));
            }
        }
    }
    let first = vertices.len() as u32;
    vertices.extend([Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.0, 1e-6)]);
    triangles.push([first, first + 1, first + 2]);
    let mesh = Mesh::new(&vertices, &triangles).expect("a grid");
    assert_eq!(mesh.vertices().len(), 13 * 13 + 1, "the sliver has a vertex of its own");
    assert_eq!((mesh.len(), mesh.dropped()), (288, 1));
    let inner = mesh.triangles().iter().flat_map(|t| t.edges).filter(|e| e.bend == Bend::Flat);
    assert_eq!(inner.count(), 2 * (12 * 12 + 2 * 12 * 11), "all inner edges are flat");
}

#[test]
fn mirrored_meshes_keep_their_front() {
    let mesh = roof(0.5);
    for factor in [Vec3::new(-2.0, 1.0, 1.0), Vec3::new(2.0, 3.0, -1.0), Vec3::splat(0.5)] {
        let scaled = mesh.scaled(factor).expect("a roof");
        assert_eq!(scaled.len(), 2);
        assert!(scaled.triangles().iter().all(|t| t.normal.y > 0.0), "{factor}");
        assert!(scaled.triangles()[0].edges.iter().any(|e| e.bend == Bend::Convex), "{factor}");
    }
    let upside_down = mesh.scaled(Vec3::new(1.0, -1.0, 1.0)).expect("a gutter");
    assert!(upside_down.triangles().iter().all(|t| t.normal.y < 0.0), "the front is below");
}

#[test]
fn the_tree_finds_what_the_list_finds() {
    let mut random = Random(random::Random::new(6));
    let vertices: Vec<Vec3> = (0..300).map(|_| random.vector(5.0)).collect();
    let triangles: Vec<[u32; 3]> =
        (0..500).map(|_| [0, 1, 2].map(|_| random.within(0.0, 299.9) as u32)).collect();
    let mesh = Mesh::new(&vertices, &triangles).expect("a soup");
    let mut found = 0;
    for _ in 0..300 {
        let (center, size) = (random.vector(5.0), random.vector(1.0).abs());
        let bounds = Aabb { min: center - size, max: center + size };
        let mut tree = Vec::new();
        mesh.overlaps(&bounds, |index| tree.push(index));
        tree.sort_unstable();
        let list: Vec<u32> =
            (0..mesh.len() as u32).filter(|&i| mesh.triangle_box(i).meets(bounds)).collect();
        assert_eq!(tree, list);
        found += list.len();
    }
    assert!(found > 1000, "only {found} triangles were found");
}

#[test]
fn closest_points_are_closest() {
    let mut random = Random(random::Random::new(8));
    for round in 0..2000 {
        let corners = [0, 1, 2].map(|_| random.vector(1.0));
        let p = random.vector(2.0);
        let (at, weights) = closest_on_triangle(p, corners);
        let sum: Vec3 = corners.iter().zip(weights).map(|(c, w)| *c * w).sum();
        assert!((sum - at).length() < 1e-5, "round {round}: the weights give the point");
        assert!(weights.iter().all(|&w| (-1e-6..=1.0 + 1e-6).contains(&w)), "{weights:?}");
        // The distance to a convex set is least where no corner lies on the side of `p`.
        let slack = corners.iter().map(|c| (p - at).dot(*c - at)).fold(Real::MIN, Real::max);
        assert!(slack < 1e-4, "round {round}: {slack}");
    }
}

#[test]
fn rays_meet_triangles_from_their_sides() {
    let mut random = Random(random::Random::new(10));
    let mut hits = 0;
    for round in 0..2000 {
        let corners = [0, 1, 2].map(|_| random.vector(1.0));
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        if normal.length() < 0.1 {
            continue;
        }
        let (u, v) = (random.within(-0.5, 1.0), random.within(-0.5, 1.0));
        let target = a + (b - a) * u + (c - a) * v;
        let origin = random.vector(3.0);
        let along = normal.dot(target - origin);
        if along.abs() < 0.1 || u.abs().min(v.abs()).min((1.0 - u - v).abs()) < 1e-3 {
            continue;
        }
        let hit = ray_triangle(origin, target - origin, 2.0, corners);
        let inside = u > 0.0 && v > 0.0 && u + v < 1.0;
        assert_eq!(hit.is_some(), inside, "round {round}");
        if let Some((t, front)) = hit {
            assert!((t - 1.0).abs() < 1e-3 && front == (along < 0.0), "round {round}: {t}");
            assert!(ray_triangle(origin, target - origin, 0.9, corners).is_none(), "too far");
            assert!(ray_triangle(origin, origin - target, 2.0, corners).is_none(), "behind");
            hits += 1;
        }
    }
    assert!(hits > 300, "only {hits} rays met their triangle");
}
