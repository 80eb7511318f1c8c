//! Which normal a pair uses: boxes over tiles, against walls and on large floors.

use super::{ROUNDING, contacts, events_of, first_event, yaw};
use crate::engine::geometry::ratio::Relative;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::step::narrow::normal::{Twist, reference_normal};
use crate::math::{Mat3, Real, Vec3, narrow3};

/// The normal a pair uses, as the step finds it.
fn chosen(a: &Hull, b: &Hull, relative: &Relative, velocity: Vec3, dt: Real) -> (Vec3, Vec3) {
    let events = events_of(a, b, relative);
    let normal = narrow3(first_event(&events).normal);
    let twist = Twist::new([Vec3::ZERO, velocity], [Vec3::ZERO; 2], relative.offset);
    (normal, reference_normal(a, b, relative, normal, [0; 2], &twist, dt, 20.0 * dt * dt))
}

#[test]
fn a_cube_sliding_over_tiles_never_meets_their_sides() {
    let tile = Hull::cuboid(Vec3::ONE).expect("a tile");
    let cube = Hull::cuboid(Vec3::splat(0.8)).expect("a cube");
    let (dt, speed) = (1.0 / 60.0, 4.0);
    let (mut steps, mut sideways) = (0, 0);
    for sunk in [0.0, 1e-4, 1e-3] {
        for k in 0..300_u16 {
            let x = Real::from(k) * 0.0113 - 1.6;
            for (z, vz) in [(0.13, 0.0), (0.5, 1.0), (0.0, -2.0)] {
                let velocity = Vec3::new(speed, -9.81 * dt, vz);
                let offset = Vec3::new(x, 0.9 - sunk, z);
                let relative = Relative { rotation: Mat3::IDENTITY, offset };
                let (ratio_normal, n) = chosen(&tile, &cube, &relative, velocity, dt);
                sideways += usize::from(ratio_normal.y < 0.5);
                steps += 1;
                // A row along another direction may be there, but must not slow the cube.
                let found = contacts(&tile, &cube, &relative, n, 0.1, 1e-3);
                for c in &found.contacts {
                    let after = c.separation + dt * n.dot(velocity);
                    assert!(
                        n.y > 0.999 || after >= 0.0,
                        "x = {x}, z = {z}: normal {n}, ratio's {ratio_normal}, {after} m after"
                    );
                }
            }
        }
    }
    println!("measured {sideways} sideways ratio normals in {steps} steps");
    assert!(sideways > 100, "the ratio's normal alone would have stopped the cube");
}

#[test]
fn a_cube_that_hits_a_wall_meets_its_side() {
    let wall = Hull::cuboid(Vec3::new(1.0, 4.0, 4.0)).expect("a wall");
    let cube = Hull::cuboid(Vec3::splat(0.8)).expect("a cube");
    let dt = 1.0 / 60.0;
    for gap in [-0.002, 0.0, 0.01, 0.05] {
        for y in [-0.5, 0.0, 1.0, 2.2] {
            let offset = Vec3::new(-0.9 - gap, y, 0.2);
            let relative = Relative { rotation: Mat3::IDENTITY, offset };
            let velocity = Vec3::new(5.0, -9.81 * dt, 0.0);
            let (_, n) = chosen(&wall, &cube, &relative, velocity, dt);
            assert!(n.x < -0.999, "gap {gap}, y {y}: normal {n}");
            let found = contacts(&wall, &cube, &relative, n, 0.1, 1e-3);
            assert_eq!(found.contacts.len(), 4, "gap {gap}, y {y}");
            for c in &found.contacts {
                assert!((c.separation - gap).abs() < ROUNDING, "{c:?}, expected {gap}");
            }
        }
    }
}

#[test]
fn a_spinning_box_on_a_large_floor_keeps_the_floors_normal() {
    let floor = Hull::cuboid(Vec3::new(100.0, 1.0, 100.0)).expect("a floor");
    let cube = Hull::cuboid(Vec3::ONE).expect("a cube");
    let dt = 1.0 / 60.0;
    let relative = Relative { rotation: yaw(0.4), offset: Vec3::new(3.0, 0.9999, -2.0) };
    for spin in [Vec3::X, Vec3::Y, Vec3::Z] {
        let twist =
            Twist::new([Vec3::ZERO, Vec3::ZERO], [Vec3::ZERO, spin * 10.0], relative.offset);
        let n =
            reference_normal(&floor, &cube, &relative, Vec3::Y, [0; 2], &twist, dt, 20.0 * dt * dt);
        assert_eq!(n, Vec3::Y, "spin {spin}");
    }
}
