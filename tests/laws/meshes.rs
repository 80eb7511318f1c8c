//! Bodies on meshes and height fields.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyError, BodyId, BodyKind};
use orthant::engine::shape::{Shape, ShapeError};
use orthant::math::{Real, Vec3, cos, quat_exp, sin};
use orthant_lab::random::Rng;
use orthant_lab::support::floors::grid;
use orthant_lab::support::{add, cuboid, fingerprint, run};

fn bumpy(x: Real, z: Real) -> Real {
    0.3 * sin(0.9 * x) * cos(0.7 * z) + 0.1 * sin(2.3 * x + 1.1 * z)
}

/// Height of the triangles of an even grid over a place.
fn of_grid(x: Real, z: Real, height: impl Fn(Real, Real) -> Real) -> Real {
    let [u, v] = [x - x.floor(), z - z.floor()];
    let at = |i: Real, k: Real| height(x.floor() + i, z.floor() + k);
    let [p, q, r, s] = [at(0.0, 0.0), at(0.0, 1.0), at(1.0, 1.0), at(1.0, 0.0)];
    let along = ((x.floor() + z.floor()) as i32).rem_euclid(2) == 0;
    match (along, if along { v >= u } else { u + v <= 1.0 }) {
        (true, true) => p + v * (q - p) + u * (r - q),
        (true, false) => p + u * (s - p) + v * (r - s),
        (false, true) => p + v * (q - p) + u * (s - p),
        (false, false) => r + (1.0 - u) * (q - r) + (1.0 - v) * (s - r),
    }
}

fn on_ground(n: usize, height: impl Fn(Real, Real) -> Real) -> Simulation {
    let mut world = Simulation::new();
    let (vertices, triangles) = grid(n, height);
    let shape = Shape::trimesh(&vertices, &triangles).expect("a grid");
    add(&mut world, BodyKind::Static, shape, Vec3::ZERO);
    world
}

fn sphere(radius: Real) -> Shape {
    Shape::sphere(radius).expect("a ball")
}

fn center(world: &Simulation, id: BodyId) -> Vec3 {
    world.body(id).expect("it is there").center()
}

/// A box mesh about the origin with its front outside, or inside if turned.
fn box_mesh(half: Vec3, turned: bool) -> Shape {
    let vertices: Vec<Vec3> = (0..8_u8)
        .map(|i| {
            let side = |bit: u8, h: Real| if i >> bit & 1 == 1 { h } else { -h };
            Vec3::new(side(0, half.x), side(1, half.y), side(2, half.z))
        })
        .collect();
    let quads =
        [[0, 1, 5, 4], [0, 2, 3, 1], [0, 4, 6, 2], [1, 3, 7, 5], [2, 6, 7, 3], [4, 5, 7, 6]];
    let mut triangles = Vec::new();
    for [a, b, c, d] in quads {
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    if turned {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Shape::trimesh(&vertices, &triangles).expect("a box")
}

#[test]
fn balls_dropped_on_bumps_rest_without_overlap() {
    let mut world = on_ground(12, bumpy);
    let mut rng = Rng::new(3);
    let balls: Vec<(BodyId, Real)> = (0..20)
        .map(|_| {
            let radius = rng.range(0.15, 0.5);
            let at = Vec3::new(rng.range(-4.0, 4.0), 1.5, rng.range(-4.0, 4.0));
            (add(&mut world, BodyKind::Dynamic, sphere(radius), at), radius)
        })
        .collect();
    run(&mut world, 600);
    assert!(world.report().overlap < 1e-4, "overlap {}", world.report().overlap);
    let (vertices, triangles) = grid(12, bumpy);
    for (id, radius) in balls {
        let at = center(&world, id);
        if at.x.abs() > 5.5 || at.z.abs() > 5.5 {
            continue;
        }
        let corners = triangles.iter().map(|t| t.map(|v| vertices[v as usize]));
        let closest = |t| orthant::engine::shape::mesh::closest_on_triangle(at, t).0;
        let distance = corners.map(|t| at.distance(closest(t))).fold(Real::MAX, Real::min);
        assert!(distance > radius - 1e-4, "{} m of overlap", radius - distance);
        assert!(at.y > -0.5, "it lies on the ground");
    }
}

#[test]
fn a_pile_stands_on_a_height_field() {
    let heights: Vec<Vec<Real>> = (0..13)
        .map(|i| (0..13).map(|k| 0.5 * bumpy(i as Real - 6.0, k as Real - 6.0)).collect())
        .collect();
    let mut flat = heights;
    // A level place of 4 m by 4 m in the middle.
    for row in &mut flat[4..9] {
        row[4..9].fill(0.0);
    }
    let mut world = Simulation::new();
    let field = Shape::heightfield(&flat, Vec3::new(12.0, 1.0, 12.0)).expect("a grid");
    add(&mut world, BodyKind::Static, field, Vec3::ZERO);
    let mut pile = Vec::new();
    for level in 0..5_u8 {
        let y = 0.25 + 0.5 * Real::from(level);
        pile.push(add(
            &mut world,
            BodyKind::Dynamic,
            cuboid(0.5, 0.5, 0.5),
            Vec3::new(0.1, y, 0.2),
        ));
    }
    let before: Vec<Vec3> = pile.iter().map(|&id| center(&world, id)).collect();
    run(&mut world, 600);
    for (&id, from) in pile.iter().zip(before) {
        let moved = (center(&world, id) - from).length();
        assert!(moved < 1e-4, "moved {moved} m");
    }
}

#[test]
fn a_ball_in_a_valley_touches_both_sides() {
    let slope: Real = 0.5;
    let mut world = on_ground(8, |x, _| slope * x.abs());
    let ball = add(&mut world, BodyKind::Dynamic, sphere(0.4), Vec3::new(0.05, 0.8, 0.3));
    let cube = add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.5, 0.5), Vec3::new(0.1, 1.0, -2.0));
    run(&mut world, 600);
    let height = 0.4 * (1.0 + slope * slope).sqrt();
    let at = center(&world, ball);
    assert!(at.x.abs() < 1e-3 && (at.y - height).abs() < 1e-3, "{at}, not at {height}");
    for id in [ball, cube] {
        let contacts: Vec<_> = world.contacts().filter(|c| c.bodies[1] == id).collect();
        for side in [-1.0, 1.0] {
            let carries = |impulse: Vec3| impulse.length() > 1e-4;
            let on = contacts.iter().any(|c| c.normal.x * side > 0.1 && carries(c.impulse));
            assert!(on, "a contact on side {side}");
        }
    }
}

#[test]
fn bodies_stay_in_a_closed_room() {
    let mut world = Simulation::new();
    let shape = box_mesh(Vec3::new(2.0, 1.5, 2.0), true);
    add(&mut world, BodyKind::Static, shape, Vec3::ZERO);
    let mut rng = Rng::new(11);
    let mut bodies = Vec::new();
    for i in 0..12 {
        let shape = match i % 3 {
            0 => sphere(0.25),
            1 => cuboid(0.4, 0.5, 0.3),
            _ => Shape::capsule(0.15, 0.4).expect("a capsule"),
        };
        let desc = BodyDesc {
            shape: Some(shape),
            position: rng.vector(-1.1, 1.1),
            rotation: rng.rotation(),
            linear_velocity: rng.vector(-12.0, 12.0),
            angular_velocity: rng.vector(-5.0, 5.0),
            ..BodyDesc::default()
        };
        bodies.push(world.add_body(desc).expect("a sound body"));
    }
    for step in 0..600 {
        run(&mut world, 1);
        for &id in &bodies {
            let at = center(&world, id).abs();
            assert!(at.x < 2.0 && at.y < 1.5 && at.z < 2.0, "step {step}: {at} is outside");
        }
    }
    assert!(world.report().overlap < 1e-3, "overlap {}", world.report().overlap);
}

#[test]
fn fast_bodies_do_not_fall_through() {
    for (name, shape) in [
        ("ball", sphere(0.2)),
        ("cube", cuboid(0.4, 0.4, 0.4)),
        ("plate", cuboid(0.6, 0.1, 0.6)),
        ("capsule", Shape::capsule(0.1, 0.5).expect("a capsule")),
    ] {
        let mut rng = Rng::new(5);
        for round in 0..20 {
            let mut world = on_ground(10, bumpy);
            let desc = BodyDesc {
                shape: Some(shape.clone()),
                position: Vec3::new(
                    rng.range(-2.0, 2.0),
                    rng.range(1.2, 1.6),
                    rng.range(-2.0, 2.0),
                ),
                rotation: rng.rotation(),
                linear_velocity: Vec3::new(rng.range(-3.0, 3.0), -20.0, rng.range(-3.0, 3.0)),
                angular_velocity: rng.vector(-3.0, 3.0),
                ..BodyDesc::default()
            };
            let id = world.add_body(desc).expect("a sound body");
            for _ in 0..60 {
                run(&mut world, 1);
                let at = center(&world, id);
                let depth = of_grid(at.x, at.z, bumpy) - at.y;
                assert!(depth < 0.1, "{name}, round {round}: {depth} m below at {at}");
            }
            // Of one-sided triangles what ends with its center below is through.
            let at = center(&world, id);
            assert!(at.y > of_grid(at.x, at.z, bumpy), "{name}, round {round}: through at {at}");
        }
    }
}

#[test]
fn surfaces_are_one_sided() {
    // From below: through; from above: held.
    let mut world = on_ground(8, |_, _| 0.0);
    let below = add(&mut world, BodyKind::Dynamic, sphere(0.3), Vec3::new(1.0, -2.0, 0.3));
    world.body_mut(below).expect("it is there").linear_velocity.y = 9.0;
    let above = add(&mut world, BodyKind::Dynamic, sphere(0.3), Vec3::new(-1.0, 0.3, 0.3));
    let sunk = add(&mut world, BodyKind::Dynamic, sphere(0.3), Vec3::new(-2.3, 0.05, -1.6));
    let mut highest = Real::MIN;
    for _ in 0..60 {
        run(&mut world, 1);
        highest = highest.max(center(&world, below).y);
        assert!((center(&world, above).y - 0.3).abs() < 1e-4, "held");
    }
    assert!(highest > 1.0, "the one from below passed to {highest} m");
    assert!((center(&world, sunk).y - 0.3).abs() < 1e-3, "pushed out through the front");
}

#[test]
fn a_sheet_of_two_sides_holds_what_lies_on_it() {
    let (vertices, mut triangles) = grid(6, |_, _| 0.0);
    let back: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    triangles.extend(back);
    let mut world = Simulation::new();
    let sheet = Shape::trimesh(&vertices, &triangles).expect("a sheet");
    add(&mut world, BodyKind::Static, sheet, Vec3::ZERO);
    let ball = add(&mut world, BodyKind::Dynamic, sphere(0.3), Vec3::new(0.2, 0.3, 0.1));
    let cube = add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.5, 0.5), Vec3::new(1.6, 0.25, 0.7));
    run(&mut world, 120);
    assert!((center(&world, ball).y - 0.3).abs() < 1e-4, "{}", center(&world, ball));
    assert!((center(&world, cube).y - 0.25).abs() < 1e-4, "{}", center(&world, cube));
}

/// A ball rolls over a ridge and through a valley and keeps to the surface.
#[test]
fn rolling_follows_ridges_and_valleys() {
    let height = |x: Real| {
        let x = x.abs();
        if x < 2.0 { 0.1 * (2.0 - x) } else { 0.1 * (x - 2.0) }
    };
    let (radius, speed) = (0.4, 3.0);
    for z in [0.0, 0.3] {
        let mut world = on_ground(16, |x, _| height(x));
        let desc = BodyDesc {
            shape: Some(sphere(radius)),
            position: Vec3::new(-6.5, height(-6.5) + 1.005 * radius, z),
            linear_velocity: Vec3::new(speed, -0.1 * speed, 0.0),
            angular_velocity: Vec3::new(0.0, 0.0, -speed / radius),
            ..BodyDesc::default()
        };
        let id = world.add_body(desc).expect("a sound body");
        let mut last = -6.5;
        for _ in 0..300 {
            run(&mut world, 1);
            let at = center(&world, id);
            if at.x > 6.5 {
                break;
            }
            last = at.x;
            // The surface at the distance of the radius, exact on the slopes.
            let clearance = at.y - height(at.x);
            assert!(clearance > radius - 1e-3, "in the ground at {at}: {clearance}");
            // The ball flies off the crest: the ground falls away at twice the slope.
            let square = speed * speed + 2.0 * 9.81 * 0.25 / 1.4;
            let flight = (0.2 * 0.2 * square) / (2.0 * 9.81);
            assert!(clearance < 1.006 * radius + flight, "in the air at {at}: {clearance}");
            assert!((at.z - z).abs() < 1e-3, "turned aside at {at}");
        }
        assert!(last > 6.0, "it got to {last}");
    }
}

#[test]
fn dynamic_bodies_refuse_meshes() {
    let mesh = box_mesh(Vec3::ONE, false);
    let sensor = orthant::engine::collider::Collider { sensor: true, ..mesh.clone().into() };
    let mass = Some(cuboid(1.0, 1.0, 1.0).mass_properties(1.0));
    for collider in [mesh.into(), sensor] {
        let mut desc = BodyDesc { mass_properties: mass, ..BodyDesc::default() };
        desc.colliders.push(collider);
        let mut world = Simulation::new();
        assert_eq!(world.add_body(desc.clone()), Err(BodyError::MeshMoves));
        for kind in [BodyKind::Static, BodyKind::Kinematic] {
            assert!(world.add_body(BodyDesc { kind, ..desc.clone() }).is_ok(), "{kind:?}");
        }
    }
}

#[test]
fn errors_name_the_culprit() {
    let (p, q, r) = (Vec3::ZERO, Vec3::X, Vec3::Z);
    let bad = Shape::trimesh(&[p, q, r], &[[0, 2, 1], [0, 1, 3]]);
    assert_eq!(bad, Err(ShapeError::NoSuchVertex { triangle: 1, vertex: 3 }));
    let bad = Shape::trimesh(&[p, q, Vec3::new(0.0, Real::NAN, 0.0)], &[[0, 1, 2]]);
    assert_eq!(bad, Err(ShapeError::PointNotFinite { index: 2 }));
    let bad = Shape::trimesh(&[p, q, q * 2.0], &[[0, 1, 2], [0, 1, 1]]);
    assert_eq!(bad, Err(ShapeError::NoTriangles { given: 2 }));
    assert_eq!(Shape::trimesh(&[], &[]), Err(ShapeError::NoTriangles { given: 0 }));
    let scale = Vec3::ONE;
    let bad = Shape::heightfield(&[vec![0.0]], scale);
    assert_eq!(bad, Err(ShapeError::TooFewHeights { rows: 1, columns: 1 }));
    let bad = Shape::heightfield(&[vec![0.0, 0.0], vec![0.0]], scale);
    assert_eq!(bad, Err(ShapeError::UnevenHeights { row: 1, len: 1, first: 2 }));
    let bad = Shape::heightfield(&[vec![0.0, 0.0], vec![0.0, Real::INFINITY]], scale);
    let height = Real::INFINITY;
    assert_eq!(bad, Err(ShapeError::BadHeight { row: 1, column: 1, height }));
}

/// A mesh that moves by hand carries what lies on it.
#[test]
fn a_kinematic_mesh_carries() {
    let mut world = Simulation::new();
    let (vertices, triangles) = grid(4, |_, _| 0.0);
    let shape = Shape::trimesh(&vertices, &triangles).expect("a grid");
    let lift = add(&mut world, BodyKind::Kinematic, shape, Vec3::ZERO);
    world.body_mut(lift).expect("it is there").linear_velocity = Vec3::new(0.4, 0.5, 0.0);
    let cube = add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.5, 0.5), Vec3::new(0.1, 0.25, 0.2));
    run(&mut world, 120);
    let (at, base) = (center(&world, cube), center(&world, lift));
    assert!((at.y - base.y - 0.25).abs() < 1e-3, "{at} on {base}");
    assert!((at.x - base.x - 0.1).abs() < 0.05, "{at} on {base}");
}

/// The order in which bodies come into a pair does not matter: a mesh may be the later one.
#[test]
fn the_mesh_may_come_second() {
    let mut heights = Vec::new();
    for mesh_first in [true, false] {
        let mut world = Simulation::new();
        let (vertices, triangles) = grid(6, bumpy);
        let shape = Shape::trimesh(&vertices, &triangles).expect("a grid");
        let at = Vec3::new(0.3, 1.0, 0.4);
        let ball = |world: &mut Simulation| add(world, BodyKind::Dynamic, sphere(0.3), at);
        let id = if mesh_first {
            add(&mut world, BodyKind::Static, shape, Vec3::ZERO);
            ball(&mut world)
        } else {
            let id = ball(&mut world);
            add(&mut world, BodyKind::Static, shape, Vec3::ZERO);
            id
        };
        run(&mut world, 100);
        heights.push(center(&world, id));
    }
    assert!((heights[0] - heights[1]).length() < 1e-3, "{heights:?}");
}

#[test]
fn steps_are_the_same_each_time_and_from_a_snapshot() {
    let make = || {
        let mut world = on_ground(10, bumpy);
        let mut rng = Rng::new(9);
        for i in 0..12 {
            let shape = if i % 2 == 0 { sphere(0.3) } else { cuboid(0.5, 0.4, 0.6) };
            let desc = BodyDesc {
                shape: Some(shape),
                position: Vec3::new(
                    rng.range(-3.0, 3.0),
                    rng.range(1.0, 3.0),
                    rng.range(-3.0, 3.0),
                ),
                rotation: quat_exp(rng.vector(-1.0, 1.0)),
                ..BodyDesc::default()
            };
            world.add_body(desc).expect("a sound body");
        }
        world
    };
    let (mut one, mut two) = (make(), make());
    run(&mut one, 100);
    run(&mut two, 50);
    let mut three = two.clone();
    run(&mut two, 50);
    run(&mut three, 50);
    assert_eq!(fingerprint(&one), fingerprint(&two));
    assert_eq!(fingerprint(&one), fingerprint(&three));
}
