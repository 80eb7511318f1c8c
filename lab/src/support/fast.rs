//! Fast bodies: bullets, shots at a wall, balls that pass each other, flat grounds.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Quat, Real, Vec3, cos, narrow3, sin};

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

/// A body that flies past another one like it: a shape, the corners of its core and their rounding
/// radius (m).
pub struct Passer {
    pub name: &'static str,
    shape: Shape,
    corners: Vec<Vec3>,
    radius: Real,
}

/// A ball, a cube, a capsule and a hull of twenty corners, each some 10 cm wide.
pub fn passers() -> [Passer; 4] {
    let signs = [-0.05, 0.05];
    let cube: Vec<Vec3> = signs
        .iter()
        .flat_map(|&x| signs.iter().flat_map(move |&y| signs.map(|z| Vec3::new(x, y, z))))
        .collect();
    let mut rng = Rng::of_scene(24);
    let corners: Vec<Vec3> = (0..20).map(|_| narrow3(rng.direction().into()) * 0.05).collect();
    let capsule = Shape::capsule(0.03, 0.1).expect("a capsule");
    let hull = Shape::convex_hull(&corners).expect("a hull");
    let ends = vec![Vec3::Y * 0.05, Vec3::NEG_Y * 0.05];
    let of = |name, shape, corners, radius| Passer { name, shape, corners, radius };
    [
        of("ball", ball(0.05), vec![Vec3::ZERO], 0.05),
        of("cube", cuboid(0.05, 0.05, 0.05), cube, 0.0),
        of("capsule", capsule, ends, 0.03),
        of("hull", hull, corners, 0.0),
    ]
}

impl Passer {
    /// How far one reaches along a direction if it is turned (m).
    fn reach(&self, rotation: Quat, along: Vec3) -> Real {
        let heights = self.corners.iter().map(|&corner| along.dot(rotation * corner));
        heights.fold(Real::NEG_INFINITY, Real::max) + self.radius
    }

    /// Sends one past another, both turned at random, on a straight line on which they miss each other by
    /// `miss` (m), at a speed [m/s], from a random part of a step's way off. What both have gained [m/s].
    pub fn pass(&self, speed: Real, miss: Real, rng: &mut Rng) -> [Real; 2] {
        let turns = [rng.uniform_rotation(), rng.uniform_rotation()];
        let angle = rng.range(0.0, std::f64::consts::TAU as Real);
        let side = Vec3::new(0.0, cos(angle), sin(angle));
        let off = self.reach(turns[0], side) + self.reach(turns[1], -side) + miss;
        let back = 1.0 + rng.range(0.0, 1.0) * speed * DT;
        let from = side * off + side.cross(Vec3::X) * rng.range(-0.02, 0.02) - Vec3::X * back;
        let starts = [(Vec3::ZERO, Vec3::ZERO), (from, Vec3::X * speed)];
        let mut world = Simulation::new();
        let ids = [0, 1].map(|k| {
            let desc = BodyDesc {
                shape: Some(self.shape.clone()),
                position: starts[k].0,
                rotation: turns[k],
                linear_velocity: starts[k].1,
                ..BodyDesc::default()
            };
            world.add_body(desc).expect("one that passes")
        });
        for _ in 0..(2.0 / (speed * DT)) as usize {
            world.step(&weightless(), DT);
        }
        [0, 1].map(|k| (body(&world, ids[k]).linear_velocity - starts[k].1).length())
    }
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
