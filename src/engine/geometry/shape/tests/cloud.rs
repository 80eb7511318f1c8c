//! The highest corner by the tree of halves is that of a scan, to the bit, and few are looked at.

use super::{Hull, Random, prism_points, random};
use crate::engine::geometry::shape::cloud::Cloud;
use crate::math::{DVec3, Double, Vec3, quat_rotate, widen3};

fn widened(points: &[Vec3]) -> Vec<DVec3> {
    points.iter().map(|&p| widen3(p)).collect()
}

/// Points on a ball, a box, a needle, a sheet, a lens, in a cube, on a line, in one place: turned, and every
/// other time far out.
fn points(random: &mut Random, kind: usize, n: usize) -> Vec<DVec3> {
    let turn = random.rotation();
    let off = random.in_cube() * if kind.is_multiple_of(2) { 0.0 } else { 1e3 };
    let mut at = || {
        let (d, p) = (random.direction(), random.in_cube());
        match kind / 2 {
            0 => d,
            1 => p / p.abs().max_element(),
            2 => d * Vec3::new(1.0, 1e-3, 1e-3),
            3 => p * Vec3::new(1.0, 1.0, 0.0),
            4 => d * Vec3::new(1.0, 1.0, 1e-2),
            5 => p,
            6 => p * Vec3::X,
            _ => Vec3::ONE,
        }
    };
    (0..n).map(|_| widen3(quat_rotate(turn, at()) + off)).collect()
}

#[test]
fn the_highest_corner_is_that_of_a_scan() {
    let mut random = Random(random::Random::new(21));
    for (n, kind) in
        [1, 32, 512, 513, 1000, 3000].iter().flat_map(|&n| (0..16).map(move |k| (n, k)))
    {
        let corners = points(&mut random, kind, n);
        let cloud = Cloud::new(corners.clone());
        for k in 0..300 {
            // Also square to three of the corners, as the normals of faces are.
            let [a, b, c] = [0; 3].map(|_| corners[random.below(n)]);
            let square = (b - a).cross(c - a).try_normalize().filter(|_| k % 2 == 0);
            let normal = square.unwrap_or(widen3(random.direction()));
            let heights = corners.iter().map(|&v| normal.dot(v));
            let scan = heights.fold(Double::NEG_INFINITY, Double::max);
            let highest = cloud.highest(normal, normal.dot(a), &mut 0);
            assert_eq!(highest.to_bits(), scan.to_bits(), "kind {kind}, {n} corners");
        }
    }
}

/// Corners looked at for each face of a hull, on average.
fn looked_at(points: &[Vec3]) -> Double {
    let hull = Hull::convex_hull(points).unwrap();
    let cloud = Cloud::new(widened(&hull.vertices));
    let mut scanned = 0;
    for (f, face) in (0..).zip(&hull.faces) {
        let (normal, near) = (widen3(face.normal), hull.vertices[hull.face_loop(f)[0] as usize]);
        cloud.highest(normal, normal.dot(widen3(near)), &mut scanned);
    }
    scanned as Double / hull.faces.len() as Double
}

#[test]
fn few_corners_are_looked_at() {
    let mut random = Random(random::Random::new(22));
    let sizes = [[1.0, 1.0, 1.0], [1.0, 0.3, 0.1], [1.0, 1.0, 0.01], [1.0, 0.01, 0.01]];
    for size in sizes.map(Vec3::from) {
        let turn = random.rotation();
        let mut of = |n: usize| {
            let at = |_| quat_rotate(turn, random.direction() * size);
            looked_at(&(0..n).map(at).collect::<Vec<Vec3>>())
        };
        // Some six leaves: of 31 corners each, then of 20.
        let [few, some, many] = [1000, 5000, 20_000].map(&mut of);
        println!("{few:.0}, {some:.0}, {many:.0} corners for each face of a ball times {size}");
        assert!(few.max(some) < 200.0 && many < 1.2 * some, "not the more, the more there are");
    }
    let prism = looked_at(&prism_points(3000, 0.5));
    assert!(prism < 200.0, "{prism} corners for each side of a prism");
}
