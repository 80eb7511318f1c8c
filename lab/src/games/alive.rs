//! Scenes that would rest, kept from resting: what is solved anew in every step though little happens.

use orthant::engine::body::BodyKind;
use orthant::math::{PI, Real, Vec3, narrow};

use super::{DT, Form, Game, Motion, Piece, piles};
use crate::random::Rng;

/// Speed of a floor that creeps [m/s].
const CREEP: Real = 1e-3;
/// Angular velocity of a top that turns [rad/s].
const TURN: Real = 0.1;
/// Speed of a ball that rolls in [m/s], and its way until then (m).
const ROLL: [Real; 2] = [1.0, 2.0];
/// Half of the way of a lift (m) and its frequency (Hz).
const LIFT: [Real; 2] = [0.3, 0.25];
/// Largest angle of a deck (rad) and its frequency (Hz).
const DECK: [Real; 2] = [2.0 * PI / 180.0, 0.2];
/// Peas, the radius of one (m), whose mass is a two-thousandth of a cube's, and how high they begin (m).
const PEAS: (usize, Real, [Real; 2]) = (240, 0.0492, [1.0, 60.0]);
/// They are watched for so long (s); what is to be seen is in every step.
const TIME: Real = 4.0;

/// A scene watched for `seconds`, in every step.
fn watched(game: Game, seconds: Real) -> Game {
    Game { check_every: DT, ..game.lasting(seconds) }
}

/// The floor, which is the first body, moves along x at 1 mm/s.
pub fn floor(mut game: Game) -> Game {
    if let Some(floor) = game.pieces.first_mut() {
        floor.kind = BodyKind::Kinematic;
        game.motion = Motion::Slide { from: floor.position, velocity: Vec3::X * CREEP };
    }
    watched(game, TIME)
}

/// The uppermost body, which is the last, turns about y.
pub fn top(mut game: Game) -> Game {
    if let Some(top) = game.pieces.last_mut() {
        top.kind = BodyKind::Kinematic;
        game.motion = Motion::TurnY { at: top.position, omega: TURN };
    }
    watched(game, TIME)
}

/// A ball of the same density comes along x and meets the lowest row.
pub fn ball(mut game: Game) -> Game {
    let radius = 0.5;
    let left = game.pieces[1..].iter().map(|piece| piece.position.x).fold(0.0, Real::min);
    let position = Vec3::new(left - 0.5 - ROLL[1] - radius, radius, 0.0);
    let velocity = Vec3::X * ROLL[0];
    game.pieces.push(Piece { velocity, ..Piece::new(Form::Ball(radius), position) });
    // The ball goes its way, and is there after some 2.8 s.
    Game { window: (0.5 * TIME, 2.0 * TIME), ..watched(game, 2.0 * TIME) }
}

/// The uppermost body, which is the last, is tugged at by a thousandth of its weight, up and down in turn.
pub fn tug(mut game: Game) -> Game {
    // Cubes of 1 m.
    game.tug = Vec3::Y * (1e-3 * game.gravity);
    watched(game, TIME)
}

/// The floor, which is the first body, goes up and down by 0.3 m about its middle in 4 s.
pub fn lift(mut game: Game) -> Game {
    if let Some(floor) = game.pieces.first_mut() {
        floor.kind = BodyKind::Kinematic;
        let [amplitude, frequency] = LIFT;
        game.motion = Motion::Lift { from: floor.position, amplitude, frequency };
    }
    watched(game, 2.0 * TIME)
}

/// The floor, which is the first body, rocks by 2° in 5 s.
pub fn deck(mut game: Game) -> Game {
    if let Some(floor) = game.pieces.first_mut() {
        floor.kind = BodyKind::Kinematic;
        let [amplitude, frequency] = DECK;
        game.motion = Motion::RockZ { at: floor.position, amplitude, frequency };
    }
    watched(game, 2.5 * TIME)
}

/// Peas rain on a pyramid of `n` cubes below, on which lies one of `ratio` times their density.
pub fn peas(n: usize, ratio: usize) -> Game {
    let mut game = piles::pyramid(n);
    let mut rng = Rng::new(n as u64);
    let top = Vec3::Y * (0.5 + n as Real);
    let density = ratio as Real;
    game.pieces.push(Piece { density, ..Piece::new(Form::Cuboid(Vec3::splat(0.5)), top) });
    let (count, radius, [low, high]) = PEAS;
    let half = 0.5 * n as Real;
    for i in 0..count {
        let part = i as Real / count as Real;
        let x = narrow(rng.between(-1.0, 1.0)) * half;
        let z = narrow(rng.between(-0.45, 0.45));
        let y = top.y + low + (high - low) * part;
        game.add(Form::Ball(radius), Vec3::new(x, y, z));
    }
    // Peas roll away. The first ones come after half a second, the last after four.
    Game { window: (0.0, 2.0 * TIME), ..watched(game, 2.0 * TIME) }
}
