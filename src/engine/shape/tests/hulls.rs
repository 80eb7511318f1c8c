//! Hulls against brute force.

use crate::engine::shape::hull::Hull;
use crate::math::{Real, Vec3};

fn cube_points() -> Vec<Vec3> {
    (0..8)
        .map(|i| {
            let side = |bit: i32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
            Vec3::new(side(0), side(1), side(2))
        })
        .collect()
}

#[test]
fn cube_from_points_equals_the_closed_form() {
    let hull = Hull::convex_hull(&cube_points()).unwrap();
    let cuboid = Hull::cuboid(Vec3::ONE).unwrap();
    assert_eq!(hull.vertices, cuboid.vertices, "vertices in the order of the points");
    assert_eq!(hull.faces, cuboid.faces, "six merged faces in canonical order");
    assert_eq!(hull.edges, cuboid.edges, "twelve edges");
    let sixth: Real = 1.0 / 6.0;
    assert!((hull.inertia.xx - sixth).abs() < 1e-7, "inertia of the unit cube");
    assert_eq!(hull.volume, 1.0, "volume of the unit cube");
}
