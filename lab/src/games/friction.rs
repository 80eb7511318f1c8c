//! What friction holds: a box between plates, a box on an incline, a body on many supports.

use orthant::engine::body::{BodyKind, LockedAxes};
use orthant::math::{Quat, Real, Vec3, cos, narrow, sin, widen};

use super::{Form, G, Game, Piece};

/// Height of the box between plates (m): low enough that single precision resolves a creep of 10 µm/s, of
/// which a step makes 1.7e-7 m.
const HEIGHT: Real = 1.9;

/// A cube of 1 m and 1 kg between two plates, each pressed on it by `factor` times the force
/// `m g / (2 μ)` that just holds it. The plates move along x alone.
pub fn plates(factor: Real) -> Game {
    let mut game = Game { stands: factor > 1.0, ..Game::new("plates") }.lasting(if factor > 1.0 {
        60.0
    } else {
        2.0
    });
    game.add_floor(30.0);
    let force = factor * G / (2.0 * game.friction);
    let locked = LockedAxes::ROTATION.lock_translation(1).lock_translation(2);
    for side in [-1.0, 1.0] {
        let form = Form::Cuboid(Vec3::new(0.1, 1.0, 1.0));
        let plate = Piece::new(form, Vec3::new(side * 0.6, HEIGHT, 0.0));
        game.pieces.push(Piece { push: Vec3::X * (-side * force), locked, ..plate });
    }
    game.add(Form::Cuboid(Vec3::splat(0.5)), Vec3::new(0.0, HEIGHT, 0.0));
    game
}

/// Angle of the incline of [`incline`] (rad).
pub fn incline_angle(factor: Real, friction: Real) -> Real {
    narrow(libm::atan(widen(factor) * widen(friction)))
}

/// A cube of 1 m on an incline of `tan α = factor μ` that falls towards +x, for 60 s if it sticks.
pub fn incline(factor: Real) -> Game {
    let mut game = Game { stands: factor < 1.0, ..Game::new("incline") }.lasting(if factor < 1.0 {
        60.0
    } else {
        5.0
    });
    let angle = incline_angle(factor, game.friction);
    let (normal, half) = (Vec3::new(sin(angle), cos(angle), 0.0), 0.5 * angle);
    let rotation = Quat::from_xyzw(0.0, 0.0, -sin(half), cos(half));
    // The top of the plank, in the middle of which the cube stands, goes through the origin.
    let plank = Piece::fixed(Vec3::new(60.0, 0.5, 10.0), normal * -0.5);
    game.pieces.push(Piece { rotation, ..plank });
    let cube = Piece::new(Form::Cuboid(Vec3::splat(0.5)), normal * 0.5);
    game.pieces.push(Piece { rotation, ..cube });
    game
}

/// A slab of 5 m by 3 m on 24 balls that are fixed in the ground: 24 contacts, where three would do. A
/// cube of 1000 kg, 333 times its mass, stands near one of its corners, and it is pushed sideways by a
/// third of what friction would hold without that load.
pub fn table() -> Game {
    let mut game = Game { stands: true, ..Game::new("table") };
    let radius = 0.25;
    for i in 0..24 {
        let (x, z) = ((i % 6) as Real - 2.5, (i / 6) as Real - 1.5);
        let position = Vec3::new(0.9 * x, -radius, 0.9 * z);
        let ball = Piece::new(Form::Ball(radius), position);
        game.pieces.push(Piece { kind: BodyKind::Static, ..ball });
    }
    let half = Vec3::new(2.5, 0.1, 1.5);
    let slab = Piece::new(Form::Cuboid(half), Vec3::new(0.0, half.y, 0.0));
    let load = Vec3::new(1.9, 2.0 * half.y + 0.25, 1.0);
    let mass = 8.0 * half.x * half.y * half.z;
    let push = Vec3::new(1.0, 0.0, 0.5) * (mass * G * game.friction / 3.0);
    game.pieces.push(Piece { push, ..slab });
    let weight = Piece::new(Form::Cuboid(Vec3::splat(0.25)), load);
    game.pieces.push(Piece { density: 8000.0, ..weight });
    game
}
