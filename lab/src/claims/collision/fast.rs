//! Fast bodies that are swept: walls, floors, each other, and what they only pass.

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyId, BodyKind};
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, quat_exp, widen};

use super::never;
use crate::claims::Claims;
use crate::random::Rng;
use crate::support::fast::{
    RADIUS, SPEED, WALL, ball, bullet, ground, shot, thin_floor, weightless,
};
use crate::support::{DT, add, body, change, cuboid, floor, settings};

/// Every claim about swept bodies.
pub fn measure(claims: &mut Claims) {
    let (through, shots) = shots_at_walls();
    never(claims, "1 cm balls at 300 m/s through a 1 cm wall", through, shots);
    let (through, rods) = rods_on_floors();
    never(claims, "rods at up to 85 rad/s through a 1 cm floor", through, rods);
    let (through, hits, bent, passes) = bullets();
    never(claims, "bullets at 300 m/s through each other", through, hits);
    never(claims, "bullets deflected that pass each other", bent, passes);
    let (bent, passes) = over_the_edge();
    never(claims, "bullets 1 cm above an edge deflected", bent, passes);
    let bump = bump();
    let figure = format!("{:.3} mm/s", 1e3 * bump);
    claims.add("at 100 and 300 m/s over flat ground: bump", &figure, "≤ 1 mm/s", bump <= 1e-3);
}

/// Balls that got through walls of three sizes, and how many were shot at them.
fn shots_at_walls() -> (usize, usize) {
    let (mut through, mut shots) = (0, 0);
    for size in [0.2, 1.0, 10.0] {
        let mut rng = Rng::new(21);
        for _ in 0..700 {
            let mut world = Simulation::new();
            add(&mut world, BodyKind::Static, cuboid(size, size, WALL), Vec3::ZERO);
            let half = 0.5 * size;
            let aim = rng.vector(-half, half);
            let (id, velocity) = shot(&mut world, &mut rng, true, Vec3::new(aim.x, aim.y, 0.0));
            // Its path must come to the wall; past the edge it may fly on.
            let entry = aim - velocity * ((0.5 * WALL + RADIUS) / -velocity.z);
            if entry.x.abs().max(entry.y.abs()) > half - RADIUS {
                continue;
            }
            shots += 1;
            let mut before = body(&world, id).center();
            let is_through = (0..10).any(|_| {
                world.step(&weightless(), DT);
                let now = body(&world, id).center();
                let passed = passes(before, now, half) || is_in_wall(now, half);
                before = now;
                passed
            });
            through += usize::from(is_through);
        }
    }
    (through, shots)
}

/// Does a way lead through the middle of a wall, and not past its edges?
fn passes(before: Vec3, now: Vec3, half: Real) -> bool {
    let part = before.z / (before.z - now.z);
    let at = before + (now - before) * part;
    before.z > 0.0 && now.z <= 0.0 && at.x.abs().max(at.y.abs()) < half
}

/// Is a ball whose center is above a wall, and not beside it, within the wall by more than 0.1 mm?
fn is_in_wall(at: Vec3, half: Real) -> bool {
    let depth = 0.5 * WALL + RADIUS - at.z.abs();
    depth > 1e-4 && at.x.abs().max(at.y.abs()) < half
}

/// Rods of 2 m of which an end got below a floor, and how many there were.
fn rods_on_floors() -> (usize, usize) {
    let (mut through, mut rods) = (0, 0);
    for half_space in [false, true] {
        let mut rng = Rng::new(22);
        for _ in 0..100 {
            let mut world = if half_space { floor() } else { thin_floor() };
            let desc = BodyDesc {
                shape: Some(cuboid(2.0, 0.02, 0.02)),
                density: 7800.0,
                position: Vec3::new(0.0, rng.range(1.1, 2.0), 0.0),
                rotation: rng.rotation(),
                linear_velocity: Vec3::new(0.0, rng.range(-20.0, 0.0), 0.0),
                angular_velocity: Vec3::new(0.0, rng.range(-60.0, 60.0), rng.range(-60.0, 60.0)),
                swept: true,
                ..BodyDesc::default()
            };
            let id = world.add_body(desc).expect("a rod");
            let is_below = |rod: &Body| {
                let end = (rod.rotation_matrix() * Vec3::X).y.abs();
                rod.center().y - end < -0.5 * WALL
            };
            rods += 1;
            let below = (0..120).any(|_| {
                world.step(&settings(), DT);
                is_below(body(&world, id))
            });
            through += usize::from(below);
        }
    }
    (through, rods)
}

/// Of pairs of bullets: hits that had no effect, and all hits; passes that had one, and all passes.
fn bullets() -> (usize, usize, usize, usize) {
    let mut rng = Rng::new(23);
    let (mut through, mut hits, mut bent, mut passes) = (0, 0, 0, 0);
    for case in 0..1000 {
        let mut world = Simulation::new();
        let random = rng.vector(-1.0, 1.0).normalize_or(Vec3::Y);
        let direction = if case % 2 == 0 { -Vec3::X } else { random };
        let (v, w) = (Vec3::X * SPEED, direction * SPEED);
        let time = rng.range(0.2, 2.8) * DT;
        let aside = (w - v).cross(rng.vector(-1.0, 1.0)).normalize_or(Vec3::Y);
        let aside = aside * rng.range(0.0, 0.02);
        let a = bullet(&mut world, true, -v * time, v);
        bullet(&mut world, true, aside - w * time, w);
        for _ in 0..5 {
            world.step(&weightless(), DT);
        }
        let change = (body(&world, a).linear_velocity - v).length();
        // What just grazes may do either.
        if aside.length() < 1.98 * RADIUS {
            hits += 1;
            through += usize::from(change < 0.1);
        } else if aside.length() > 2.02 * RADIUS {
            passes += 1;
            bent += usize::from(change > 1e-5 * SPEED);
        }
    }
    (through, hits, bent, passes)
}

/// Bullets whose lower side passes 1 cm above the edge of a wall: those deflected, and all.
fn over_the_edge() -> (usize, usize) {
    let mut rng = Rng::new(24);
    let (mut bent, passes) = (0, 500);
    for _ in 0..passes {
        let mut world = Simulation::new();
        add(&mut world, BodyKind::Static, cuboid(1.0, 1.0, WALL), Vec3::ZERO);
        let over = Vec3::new(rng.range(-0.4, 0.4), 0.5 + 0.01 + RADIUS, 0.0);
        let velocity = Vec3::new(rng.range(-0.8, 0.8), 0.0, -1.0).normalize_or(-Vec3::Z) * SPEED;
        let from = over - velocity * (rng.range(1.0, 12.0) / SPEED);
        let id = bullet(&mut world, true, from, velocity);
        for _ in 0..5 {
            world.step(&weightless(), DT);
        }
        let change = body(&world, id).linear_velocity - velocity;
        bent += usize::from(change.length() > 1e-5 * SPEED);
    }
    (bent, passes)
}

/// A ball or a cube over flat ground, flying 2 mm above it or sliding on it.
fn runner(world: &mut Simulation, shape: Shape, half: Real, slides: bool, swept: bool) -> BodyId {
    let desc = BodyDesc {
        shape: Some(shape),
        density: 1000.0,
        friction: 0.0,
        position: Vec3::new(0.13, half + if slides { 0.0 } else { 0.002 }, 0.1),
        rotation: quat_exp(Vec3::Y * 0.3),
        linear_velocity: if slides { Vec3::new(100.0, 0.0, 1.0) } else { Vec3::X * SPEED },
        gravity_scale: if slides { 1.0 } else { 0.0 },
        swept,
        ..BodyDesc::default()
    };
    world.add_body(desc).expect("a body")
}

/// Largest change of a velocity over flat ground [m/s].
fn bump() -> Double {
    let mut worst: Real = 0.0;
    for (swept, kind) in [(true, 0), (true, 1), (true, 2), (true, 3), (false, 0), (false, 2)] {
        for (shape, half) in [(ball(RADIUS), RADIUS), (cuboid(0.5, 0.5, 0.5), 0.25)] {
            for slides in [false, true] {
                let mut world = ground(kind);
                let tiles: Vec<BodyId> = world.bodies().iter().map(Body::id).collect();
                for id in tiles {
                    let tile = change(&mut world, id);
                    let mut material = tile.colliders().list()[0].material;
                    material.friction = 0.0;
                    tile.set_material(0, material).expect("a number");
                }
                let id = runner(&mut world, shape.clone(), half, slides, swept);
                let velocity = body(&world, id).linear_velocity;
                for _ in 0..if slides { 80 } else { 28 } {
                    world.step(&settings(), DT);
                    let change = body(&world, id).linear_velocity - velocity;
                    worst = worst.max(change.length());
                }
            }
        }
    }
    widen(worst)
}
