//! Violence: what is hit, dropped, spawned inside something else.

use orthant::engine::body::BodyKind;
use orthant::math::{Real, Vec3};

use super::{Form, Game, Link, Piece, piles};
use crate::random::Rng;

/// A pyramid, after two seconds of rest too short to wait for, hit in the middle by a ball of 1 m across,
/// ten times as dense, with 10 m/s.
pub fn hit(n: usize) -> Game {
    let mut game = Game { stands: false, ..piles::pyramid(n) };
    let (radius, height) = (0.5, 0.3 * n as Real);
    let ball = Piece::new(Form::Ball(radius), Vec3::new(0.25, height, 6.0));
    let velocity = Vec3::new(0.0, 1.0, -10.0);
    game.pieces.push(Piece { velocity, density: 10.0, ..ball });
    game.window = (0.0, 10.0);
    game
}

/// Half lengths of a brick (m), along the wall first.
const BRICK: Vec3 = Vec3::new(0.3, 0.15, 0.15);
/// Bricks of a course, and by how much of a brick's length each second course is moved along the wall.
const COURSE: (usize, Real) = (12, 0.25);

/// A wall of `n` bricks in courses of twelve without mortar, hit in the middle by a ball of 0.6 m across, ten
/// times as dense, with 10 m/s.
pub fn bricks(n: usize) -> Game {
    let mut game = Game { window: (0.0, 10.0), ..Game::new("bricks") };
    // The ball goes through, and is not to reach the edge.
    game.add_floor(120.0);
    let (count, part) = COURSE;
    let [long, high] = [2.0 * BRICK.x, 2.0 * BRICK.y];
    for i in 0..n {
        let (course, k) = (i / count, i % count);
        let moved = if course % 2 == 0 { 0.0 } else { part };
        let x = (k as Real - 0.5 * (count - 1) as Real + moved) * long;
        game.add(Form::Cuboid(BRICK), Vec3::new(x, (course as Real + 0.5) * high, 0.0));
    }
    let height = 0.5 * high * n.div_ceil(count) as Real;
    let ball = Piece::new(Form::Ball(0.3), Vec3::new(0.0, height, 3.0));
    let velocity = Vec3::new(0.0, 1.0, -10.0);
    game.pieces.push(Piece { velocity, density: 10.0, ..ball });
    game
}

/// `n` boxes of different sizes dropped into a container of 12 m.
pub fn dropped(n: usize) -> Game {
    let mut game = Game { duration: 8.0, window: (0.0, 8.0), ..Game::new("dropped") };
    piles::add_container(&mut game, 12.0, 40.0);
    piles::add_grid(&mut game, n, 4321, piles::random_box);
    game
}

/// Two cubes side by side that overlap by 10 cm, and one that is sunk 10 cm in the ground.
pub fn overlap() -> Game {
    let mut game = Game::new("overlap").lasting(5.0);
    game.add_floor(30.0);
    for at in [Vec3::new(-0.45, 0.5, 0.0), Vec3::new(0.45, 0.5, 0.0), Vec3::new(5.0, 0.4, 0.0)] {
        game.add(Form::Cuboid(Vec3::splat(0.5)), at);
    }
    game
}

/// `n` balls of 0.5 m across in a row, each on a string of 1 m, with gaps of 5 mm; the first comes with
/// 2 m/s from `phase` m farther away (0 to 0.1).
pub fn cradle(n: usize, phase: Real) -> Game {
    let mut game = Game::new("cradle").lasting(1.5);
    let (radius, gap, length): (Real, Real, Real) = (0.25, 0.005, 1.0);
    for i in 0..n {
        let far = if i == 0 { 0.1 + phase } else { 0.0 };
        let x = i as Real * (2.0 * radius + gap) - far;
        let hook = Piece::new(Form::Ball(0.01), Vec3::new(x, length, 0.0));
        game.pieces.push(Piece { kind: BodyKind::Static, ..hook });
        let velocity = if i == 0 { Vec3::X * 2.0 } else { Vec3::ZERO };
        let ball = Piece::new(Form::Ball(radius), Vec3::new(x, 0.0, 0.0));
        game.pieces.push(Piece { velocity, ..ball });
        let bodies = [2 * i, 2 * i + 1];
        game.links.push(Link { bodies, anchors: [Vec3::ZERO; 2], length: Some(length) });
    }
    game
}

/// Fifteen balls in a triangle, hit by one with 5 m/s, without gravity or a table, so that momentum is
/// kept in all directions. Positions have a random part of up to 0.1 mm, gaps are at least 0.2 mm.
pub fn billiard(restitution: Real) -> Game {
    let mut game = Game { gravity: 0.0, restitution, ..Game::new("billiard") }.lasting(4.0);
    let mut rng = Rng::of_scene(15);
    let radius: Real = 0.028_575;
    let pitch = 2.0 * radius + 4e-4;
    let ball = |position| Piece { density: 1700.0, ..Piece::new(Form::Ball(radius), position) };
    let cue = ball(Vec3::new(-0.5, 0.0, 0.003));
    game.pieces.push(Piece { velocity: Vec3::X * 5.0, ..cue });
    for row in 0..5 {
        for k in 0..=row {
            let mut shift = || orthant::math::narrow(rng.between(-1e-4, 1e-4));
            let x = row as Real * pitch * 0.866_025_4 + shift();
            let z = (k as Real - 0.5 * row as Real) * pitch + shift();
            game.pieces.push(ball(Vec3::new(x, 0.0, z)));
        }
    }
    game
}
