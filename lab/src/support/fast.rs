//! Fast bodies: bullets, shots at a wall, balls that pass each other, flat grounds.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3};

use super::{DT, add, add_floor, body, cuboid, settings};
use crate::random::Rng;

pub const RADIUS: Real = 0.005;
pub const SPEED: Real = 300.0;
/// Thickness of walls and floors (m).
pub const WALL: Real = 0.01;

pub fn weightless() -> Settings {
    Settings { gravity: Vec3::ZERO, ..settings() }
}

pub fn ball(radius: Real) -> Shape {
    Shape::sphere(radius).expect("a ball")
}

/// A ball of steel, 1 cm wide.
pub fn bullet(
    world: &mut Simulation,
    swept: bool,
    position: Vec3,
    linear_velocity: Vec3,
) -> BodyId {
    let shape = Some(ball(RADIUS));
    let desc = BodyDesc {
        shape,
        density: 7800.0,
        position,
        linear_velocity,
        swept,
        ..BodyDesc::default()
    };
    world.add_body(desc).expect("a bullet")
}

/// Sends a ball of 5 cm radius past another one, at a speed [m/s] on a line that is `aside` of its center
/// (m), from a place that is a `part` of a step's way off. The velocities of the other one and its own then.
pub fn pass(speed: Real, aside: Real, part: Real, swept: bool) -> [Vec3; 2] {
    let mut world = Simulation::new();
    let from = Vec3::new(-1.0 - part * speed * DT, aside, 0.0);
    let ids = [(Vec3::ZERO, Vec3::ZERO), (from, Vec3::X * speed)].map(|(position, velocity)| {
        let desc = BodyDesc {
            shape: Some(ball(0.05)),
            position,
            linear_velocity: velocity,
            swept,
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a ball")
    });
    for _ in 0..(2.0 / (speed * DT)) as usize {
        world.step(&weightless(), DT);
    }
    ids.map(|id| body(&world, id).linear_velocity)
}

/// A bullet on its way to a point of the plane z = 0 from a random direction and distance.
pub fn shot(world: &mut Simulation, rng: &mut Rng, swept: bool, target: Vec3) -> (BodyId, Vec3) {
    let velocity = Vec3::new(rng.range(-0.8, 0.8), rng.range(-0.8, 0.8), -1.0).normalize() * SPEED;
    let from = target - velocity * (rng.range(1.0, 12.0) / SPEED);
    (bullet(world, swept, from, velocity), velocity)
}

/// A world with a floor as thin as a wall, whose surface is at y = 0.
pub fn thin_floor() -> Simulation {
    let mut world = Simulation::new();
    let at = Vec3::Y * (-0.5 * WALL);
    add(&mut world, BodyKind::Static, cuboid(100.0, WALL, 100.0), at);
    world
}

/// Flat ground with its surface at y = 0 along x: one box, adjacent boxes, or a half-space.
pub fn ground(kind: usize) -> Simulation {
    let mut world = Simulation::new();
    let tile = |world: &mut Simulation, size: Vec3, at: Vec3| {
        let desc = BodyDesc {
            kind: BodyKind::Static,
            shape: Some(cuboid(size.x, size.y, size.z)),
            position: at,
            friction: 0.0,
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a tile");
    };
    match kind {
        0 => tile(&mut world, Vec3::new(250.0, 1.0, 40.0), Vec3::new(100.0, -0.5, 0.0)),
        1 => (0..160).flat_map(|i| (-2..3).map(move |j| (i, j))).for_each(|(i, j)| {
            tile(&mut world, Vec3::ONE, Vec3::new(i as Real, -0.5, j as Real));
        }),
        2 => (0..16).for_each(|i| {
            let at = Vec3::new(10.0 * i as Real, -0.005, 0.0);
            tile(&mut world, Vec3::new(10.0, 0.01, 40.0), at);
        }),
        _ => {
            add_floor(&mut world);
        }
    }
    world
}
