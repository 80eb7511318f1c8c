//! What stands by its shape and friction, or falls: a card house, an arch, dominoes.

use orthant::math::{
    DVec3, Double, PI_DOUBLE, Quat, Real, Vec3, cos, narrow, narrow3, sin, sin_cos_double,
};

use super::{Form, Game, Piece};

/// Length, thickness and width of a card (m) and its lean from the vertical (rad).
const CARD: (Real, Real, Real) = (1.0, 0.02, 0.7);
const LEAN: Real = 0.26;

/// A card house of three storeys, 15 cards. A pair of cards that carries nothing stands if
/// `μ ≥ tan φ / 2 = 0.133`, under a large load if `μ ≥ tan φ = 0.266`.
pub fn cards(friction: Real) -> Game {
    let mut game = Game { friction, stands: friction > 0.27, ..Game::new("cards") };
    game.add_floor(20.0);
    let (length, thickness, width) = CARD;
    let (s, c) = (sin(LEAN), cos(LEAN));
    let half = Vec3::new(0.5 * thickness, 0.5 * length, 0.5 * width);
    // Distance of two pairs of a storey, and height of a storey without its ceiling.
    let pitch = 2.0 * (length * s + thickness * c) + 0.004;
    let height = length * c + thickness * s;
    let overhang = 2.0 * thickness;
    for storey in 0..3 {
        let pairs = 3 - storey;
        let floor = storey as Real * (height + thickness);
        let apex = |k: usize| (k as Real - 0.5 * (pairs - 1) as Real) * pitch;
        for k in 0..pairs {
            for side in [-1.0, 1.0] {
                // The inner upper edges of the two meet above the middle.
                let x = apex(k) + side * 0.5 * (length * s + thickness * c);
                let turn = Quat::from_xyzw(0.0, 0.0, side * sin(0.5 * LEAN), cos(0.5 * LEAN));
                let card = Piece::new(Form::Cuboid(half), Vec3::new(x, floor + 0.5 * height, 0.0));
                game.pieces.push(Piece { rotation: turn, ..card });
            }
        }
        for k in 0..pairs - 1 {
            // Ceilings end 1 mm before the middle of an apex they share; the outer ends hang over.
            let left = if k == 0 { apex(0) - overhang } else { apex(k) + 0.001 };
            let right = if k + 2 == pairs { apex(k + 1) + overhang } else { apex(k + 1) - 0.001 };
            let half = Vec3::new(0.5 * (right - left), 0.5 * thickness, 0.5 * width);
            let y = floor + height + 0.5 * thickness;
            game.add(Form::Cuboid(half), Vec3::new(0.5 * (left + right), y, 0.0));
        }
    }
    game
}

/// Inner and outer radius and width of the arch (m).
const ARCH: (Double, Double, Double) = (4.0, 5.0, 1.0);

/// A half circle of `n` wedges on a floor. With a thickness of 0.22 mean radii it stands if friction
/// is about 0.31 or more (Couplet; Heyman).
pub fn arch(n: usize, friction: Real) -> Game {
    let mut game = Game { friction, stands: friction > 0.35, ..Game::new("arch") };
    game.add_floor(20.0);
    let (inner, outer, width) = ARCH;
    let step = PI_DOUBLE / n as Double;
    let middle = 0.5 * (inner + outer);
    let mut points = Vec::new();
    for radius in [inner, outer] {
        for turn in [-0.5 * step, 0.5 * step] {
            let (sin, cos) = sin_cos_double(turn);
            for z in [-0.5 * width, 0.5 * width] {
                points.push(narrow3(DVec3::new(radius * cos - middle, radius * sin, z)));
            }
        }
    }
    for k in 0..n {
        let angle = (k as Double + 0.5) * step;
        let (sin, cos) = sin_cos_double(angle);
        let (s2, c2) = sin_cos_double(0.5 * angle);
        let rotation = Quat::from_xyzw(0.0, 0.0, narrow(s2), narrow(c2));
        let position = narrow3(DVec3::new(middle * cos, middle * sin, 0.0));
        game.pieces.push(Piece { rotation, ..Piece::new(Form::Hull(points.clone()), position) });
    }
    game
}

/// The arch of an even number of wedges without the two at its crown.
pub fn keystone(n: usize) -> Game {
    let mut game = Game { stands: false, ..arch(n, super::FRICTION) };
    game.pieces.drain(n / 2..n / 2 + 2);
    game
}

/// Height, thickness, width and distance of dominoes (m).
pub const DOMINO: (Real, Real, Real, Real) = (1.0, 0.1, 0.5, 0.35);

/// `n` dominoes in a row; the first one leans beyond its balance (0.1 rad) and
/// falls with 1 m/s.
pub fn dominoes(n: usize) -> Game {
    let mut game = Game::new("dominoes").lasting(25.0);
    game.add_floor(60.0);
    let (height, thickness, width, pitch) = DOMINO;
    let half = Vec3::new(0.5 * thickness, 0.5 * height, 0.5 * width);
    for i in 0..n {
        let x = (i as Real - 0.5 * n as Real) * pitch;
        let lean = if i == 0 { 0.15 } else { 0.0 };
        let (s, c) = (sin(lean), cos(lean));
        // The first one turns about its lower right edge, which stays at x + half.x.
        let middle = Vec3::new(x + half.x - half.x * c + half.y * s, half.x * s + half.y * c, 0.0);
        let rotation = Quat::from_xyzw(0.0, 0.0, -sin(0.5 * lean), cos(0.5 * lean));
        let velocity = if i == 0 { Vec3::X } else { Vec3::ZERO };
        let stone = Piece::new(Form::Cuboid(half), middle);
        game.pieces.push(Piece { rotation, velocity, ..stone });
    }
    game
}
