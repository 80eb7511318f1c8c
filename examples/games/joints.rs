//! Chains that hang, and a bridge.

use orthant::engine::body::BodyKind;
use orthant::math::{Quat, Real, Vec3, narrow, quat_mul, quat_rotate, sin_cos_double, widen};

use super::{Form, Game, Link, Piece, piles};

/// Everything about a point, turned about z by an angle (rad).
fn turn(game: &mut Game, angle: Real) {
    let (sin, cos) = sin_cos_double(0.5 * widen(angle));
    let turn = Quat::from_xyzw(0.0, 0.0, narrow(sin), narrow(cos));
    for piece in &mut game.pieces {
        piece.position = quat_rotate(turn, piece.position);
        if piece.kind == BodyKind::Dynamic {
            piece.rotation = quat_mul(turn, piece.rotation);
        }
    }
}

/// The chain of [`piles::chain`], hanging at an angle (rad) from the plumb.
pub fn hanging(n: usize, r: usize, angle: Real) -> Game {
    let mut game = piles::chain(n, r);
    turn(&mut game, angle - orthant::math::PI / 2.0);
    game
}

/// `n` planks of 0.5 m across a gap, in an arc that turns by one radian from end to end, held by two ball
/// joints at each seam, with a box of 1 000 times their mass on the middle.
pub fn bridge(n: usize) -> Game {
    let mut game = Game::new("bridge").lasting(20.0);
    let (half, wide, thick): (Real, Real, Real) = (0.25, 1.0, 0.05);
    let bend = 1.0 / n as Real;
    let shore = Vec3::new(0.1, 0.1, wide);
    let mut at = Vec3::ZERO;
    let mut last = None;
    game.pieces.push(Piece::fixed(shore, at));
    let mut middle = Vec3::ZERO;
    for i in 0..n {
        let angle = (i as Real + 0.5 - 0.5 * n as Real) * bend;
        let (sin, cos) = sin_cos_double(0.5 * widen(angle));
        let rotation = Quat::from_xyzw(0.0, 0.0, narrow(sin), narrow(cos));
        let along = quat_rotate(rotation, Vec3::X * half);
        let plank = Form::Cuboid(Vec3::new(0.9 * half, thick, wide));
        game.pieces.push(Piece { rotation, ..Piece::new(plank, at + along) });
        if i == n / 2 {
            middle = at + along;
        }
        let index = game.pieces.len() - 1;
        for side in [-wide, wide] {
            let z = Vec3::Z * side;
            let from = last.map_or(z, |_| Vec3::X * half + z);
            let anchors = [from, Vec3::X * -half + z];
            game.links.push(Link { bodies: [last.unwrap_or(0), index], anchors, length: None });
        }
        last = Some(index);
        at += along * 2.0;
    }
    let far = game.pieces.len();
    game.pieces.push(Piece::fixed(shore, at));
    for side in [-wide, wide] {
        let z = Vec3::Z * side;
        let anchors = [Vec3::X * half + z, z];
        game.links.push(Link { bodies: [far - 1, far], anchors, length: None });
    }
    // Of a plank's volume 0.9 · 0.5 · 0.1 · 2 m³.
    let truck: Real = 0.5;
    let density = 1000.0 * 0.09 / (8.0 * truck * truck * truck);
    let place = middle + Vec3::Y * (truck + thick + 0.002);
    game.pieces.push(Piece { density, ..Piece::new(Form::Cuboid(Vec3::splat(truck)), place) });
    game
}
