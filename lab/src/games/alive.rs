//! Scenes that would rest, kept from resting: what is solved anew in every step though little happens.

use orthant::engine::body::BodyKind;
use orthant::math::{Real, Vec3};

use super::{Form, Game, Motion, Piece};

/// Speed of a floor that creeps [m/s].
const CREEP: Real = 1e-3;
/// Angular velocity of a top that turns [rad/s].
const TURN: Real = 0.1;
/// Speed of a ball that rolls in [m/s], and its way until then (m).
const ROLL: [Real; 2] = [1.0, 2.0];
/// They are watched for so long (s); what is to be seen is in every step.
const TIME: Real = 4.0;

/// The floor, which is the first body, moves along x at 1 mm/s.
pub fn floor(mut game: Game) -> Game {
    if let Some(floor) = game.pieces.first_mut() {
        floor.kind = BodyKind::Kinematic;
        game.motion = Motion::Slide { from: floor.position, velocity: Vec3::X * CREEP };
    }
    game.lasting(TIME)
}

/// The uppermost body, which is the last, turns about y.
pub fn top(mut game: Game) -> Game {
    if let Some(top) = game.pieces.last_mut() {
        top.kind = BodyKind::Kinematic;
        game.motion = Motion::TurnY { at: top.position, omega: TURN };
    }
    game.lasting(TIME)
}

/// A ball of the same density comes along x and meets the lowest row.
pub fn ball(mut game: Game) -> Game {
    let radius = 0.5;
    let left = game.pieces[1..].iter().map(|piece| piece.position.x).fold(0.0, Real::min);
    let position = Vec3::new(left - 0.5 - ROLL[1] - radius, radius, 0.0);
    let velocity = Vec3::X * ROLL[0];
    game.pieces.push(Piece { velocity, ..Piece::new(Form::Ball(radius), position) });
    // The ball goes its way.
    game.stands = false;
    game.lasting(2.0 * TIME)
}
