//! The support functions against brute force.

use super::{Random, prism_points};
use crate::engine::geometry::shape::hull::{Hull, LANES};
use crate::engine::geometry::shape::support::scan;
use crate::engine::lcp::tests::random;
use crate::math::{Real, Vec3, quat_rotate};

/// The first vertex of the largest value.
fn brute_force(hull: &Hull, direction: Vec3) -> u32 {
    let mut best = (0, Real::NEG_INFINITY);
    for (i, v) in hull.vertices.iter().enumerate() {
        let height = v.x * direction.x + v.y * direction.y + v.z * direction.z;
        if height > best.1 {
            best = (i as u32, height);
        }
    }
    best.0
}

fn hulls() -> Vec<Hull> {
    let mut random = Random(random::Random::new(11));
    let turned = random.rotation();
    let noisy: Vec<Vec3> = prism_points(80, 0.2)
        .iter()
        .map(|p| quat_rotate(turned, *p) + random.in_cube() * 6e-8)
        .collect();
    let ball: Vec<Vec3> = (0..700).map(|_| random.direction()).collect();
    let dome: Vec<Vec3> = (0..400)
        .map(|_| {
            let d = random.in_cube();
            // A cap so flat that neighbors are nearly level.
            Vec3::new(d.x, d.y, -0.001 * (d.x * d.x + d.y * d.y))
        })
        .chain([Vec3::NEG_Z])
        .collect();
    vec![
        Hull::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap(),
        Hull::sphere(0.5).unwrap(),
        Hull::capsule(0.5, 1.0).unwrap(),
        Hull::convex_hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap(),
        Hull::convex_hull(&prism_points(6, 0.5)).unwrap(),
        Hull::convex_hull(&prism_points(64, 0.5)).unwrap(),
        Hull::convex_hull(&noisy).unwrap(),
        Hull::convex_hull(&ball).unwrap(),
        Hull::convex_hull(&dome).unwrap(),
    ]
}

fn directions(hull: &Hull, random: &mut Random) -> Vec<Vec3> {
    let mut all = vec![Vec3::ZERO];
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 1.0, 0.0), Vec3::ONE] {
        all.extend([axis, -axis, axis * 1e6, axis * 1e-6]);
    }
    // Faces and edges are the plateaus; a small tilt off them is worse.
    for face in hull.faces.iter().take(100) {
        all.push(face.normal);
        all.extend([1e-8, 1e-7, 1e-6, 1e-5].map(|tilt| face.normal + random.direction() * tilt));
    }
    for edge in hull.edges.iter().take(100) {
        let [a, b] = edge.vertices.map(|v| hull.vertices[v as usize]);
        all.push((b - a).cross(random.direction()));
        all.push(b - a);
    }
    all.extend((0..200).map(|_| random.direction()));
    all
}

#[test]
fn scan_equals_brute_force() {
    let mut random = Random(random::Random::new(12));
    for (i, hull) in hulls().iter().enumerate() {
        for d in directions(hull, &mut random) {
            let expected = brute_force(hull, d);
            assert_eq!(hull.support_scan(d), expected, "hull {i}, direction {d}");
            assert_eq!(scan(&hull.lanes, d.to_array()), expected, "hull {i}, direction {d}, lanes");
            assert_eq!(hull.scan_one_by_one(d), expected, "hull {i}, direction {d}, plain");
        }
    }
}

#[test]
fn climb_equals_brute_force_from_anywhere() {
    let mut random = Random(random::Random::new(13));
    for (i, hull) in hulls().iter().enumerate() {
        let n = hull.vertices.len();
        for d in directions(hull, &mut random) {
            let expected = brute_force(hull, d);
            for start in [0, expected as usize, random.below(n), random.below(n), n + 5] {
                let found = hull.support_climb(d, start as u32);
                assert_eq!(found, expected, "hull {i}, direction {d}, from {start}");
                assert_eq!(hull.support(d, start as u32), expected, "hull {i}, direction {d}");
            }
        }
    }
}

#[test]
fn climb_seldom_needs_the_scan() {
    // Random directions on a round hull have no plateaus: the climb must end by itself. A hull
    // whose scan lies (all lanes equal) shows it.
    let mut random = Random(random::Random::new(14));
    let mut blind = hulls().swap_remove(7);
    let honest = blind.clone();
    let first = honest.vertices[0];
    for lane in &mut blind.lanes {
        *lane = first.to_array().map(|x| [x; LANES]);
    }
    let n_wrong = (0..1000)
        .filter(|_| {
            let d = random.direction();
            blind.support_climb(d, 0) != honest.support_scan(d)
        })
        .count();
    assert!(n_wrong <= 2, "{n_wrong} of 1000 climbs ended in a scan");
}

#[test]
fn not_a_number_gives_some_vertex() {
    for hull in hulls() {
        let d = Vec3::splat(Real::NAN);
        let n = hull.vertices.len() as u32;
        assert!(hull.support_scan(d) < n && hull.support_climb(d, 3) < n, "an index in range");
    }
}
