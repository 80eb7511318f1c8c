//! Balls on slopes.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3, cos, sin};

use super::{DT, sphere};

pub const G: Real = 9.81;
pub const RADIUS: Real = 0.5;

pub fn material(rolling: Real, spinning: Real) -> Material {
    Material { rolling, spinning, ..Material::new(0.8) }
}

pub fn collider(shape: Shape, material: Material) -> Collider {
    Collider { material, ..Collider::new(shape) }
}

/// A slope that falls by `angle` towards +x, and a ball of one kilogram that touches it in the origin.
pub fn slope(angle: Real, ball: Material) -> (Simulation, BodyId) {
    let mut world = Simulation::new();
    let normal = Vec3::new(sin(angle), cos(angle), 0.0);
    let plane = Shape::half_space(normal).expect("a direction");
    // The coefficients of the plane are smaller: the larger ones count.
    let plane = collider(plane, material(0.5 * ball.rolling, 0.0));
    let fixed = BodyDesc { kind: BodyKind::Static, colliders: vec![plane], ..BodyDesc::default() };
    world.add_body(fixed).expect("a plane");
    let desc = BodyDesc {
        colliders: vec![collider(sphere(RADIUS), ball)],
        position: normal * RADIUS,
        density: 1.9,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a ball");
    (world, id)
}

/// The direction down a slope.
pub fn along(angle: Real) -> Vec3 {
    Vec3::new(cos(angle), -sin(angle), 0.0)
}

/// How far a ball rolls from a speed until its rolling resistance stops it, in steps: its speed falls by
/// the same in each, then is zero (m).
pub fn way_to_rest(start: Real, rolling: Real) -> Real {
    let loss = 5.0 / 7.0 * G * rolling / RADIUS * DT;
    let (mut distance, mut speed) = (0.0, start);
    while speed > 0.0 {
        speed = (speed - loss).max(0.0);
        distance += speed * DT;
    }
    distance
}

/// Lets a ball roll on a level plane along x.
pub fn roll(start: Real, rolling: Real) -> (Simulation, BodyId) {
    let (mut world, id) = slope(0.0, material(rolling, 0.0));
    let ball = world.body_mut(id).expect("it is there");
    ball.linear_velocity = Vec3::X * start;
    ball.angular_velocity = Vec3::Z * (-start / RADIUS);
    (world, id)
}
