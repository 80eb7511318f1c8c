//! Piles of jointed bodies: dolls, boxes with balls, chains on a heap, a net over boxes; and what cannot be
//! as it begins.
//!
//! Joints are ball joints, but for ragdolls with limits; joined bodies do not collide with each other.

use orthant::engine::body::BodyKind;
use orthant::math::{Quat, Real, Vec3, quat_mul, quat_rotate};

use super::joints::{HIPS_HIGH, add_doll};
use super::piles::{add_container, add_grid, net, random_box};
use super::{Form, Game, Link, Piece};
use crate::random::Rng;

/// A part of a doll: half lengths of a box, or half length and radius of a capsule along y (m), and where it
/// is (m).
type Part = (Form, Vec3);
/// Two parts and the point at which they are joined (m).
type Seam = ([usize; 2], Vec3);

/// Watched for so long (s), timed from the moment when they have come down (s).
const WATCH: [Real; 2] = [8.0, 2.0];

fn limb(half: Real, radius: Real) -> Form {
    Form::Capsule { half, radius }
}

fn cuboid(x: Real, y: Real, z: Real) -> Form {
    Form::Cuboid(Vec3::new(x, y, z))
}

/// Pelvis, chest, head, arms and legs, about the hips.
fn seven() -> (Vec<Part>, Vec<Seam>) {
    let mut parts = vec![
        (cuboid(0.15, 0.08, 0.1), Vec3::ZERO),
        (cuboid(0.18, 0.2, 0.11), Vec3::Y * 0.35),
        (Form::Ball(0.11), Vec3::Y * 0.73),
    ];
    let mut seams = vec![([0, 1], Vec3::Y * 0.11), ([1, 2], Vec3::Y * 0.59)];
    for side in [1.0, -1.0] {
        seams.push(([1, parts.len()], Vec3::new(side * 0.24, 0.5, 0.0)));
        parts.push((limb(0.25, 0.045), Vec3::new(side * 0.27, 0.2, 0.0)));
        seams.push(([0, parts.len()], Vec3::new(side * 0.1, -0.08, 0.0)));
        parts.push((limb(0.35, 0.07), Vec3::new(side * 0.1, -0.52, 0.0)));
    }
    (parts, seams)
}

/// Limbs in two, with hands and feet.
fn fifteen() -> (Vec<Part>, Vec<Seam>) {
    let (mut parts, mut seams) = seven();
    parts.truncate(3);
    seams.truncate(2);
    for side in [1.0, -1.0] {
        let at = |x: Real, y: Real, z: Real| Vec3::new(side * x, y, z);
        let first = parts.len();
        parts.extend([
            (limb(0.1, 0.045), at(0.25, 0.35, 0.0)),
            (limb(0.1, 0.035), at(0.25, 0.05, 0.0)),
            (cuboid(0.02, 0.06, 0.04), at(0.25, -0.16, 0.0)),
            (limb(0.13, 0.07), at(0.1, -0.29, 0.0)),
            (limb(0.14, 0.05), at(0.1, -0.7, 0.0)),
            (cuboid(0.04, 0.03, 0.11), at(0.1, -0.93, 0.05)),
        ]);
        seams.extend([
            ([1, first], at(0.25, 0.5, 0.0)),
            ([first, first + 1], at(0.25, 0.2, 0.0)),
            ([first + 1, first + 2], at(0.25, -0.09, 0.0)),
            ([0, first + 3], at(0.1, -0.08, 0.0)),
            ([first + 3, first + 4], at(0.1, -0.5, 0.0)),
            ([first + 4, first + 5], at(0.1, -0.9, 0.0)),
        ]);
    }
    (parts, seams)
}

/// Adds what is joined, turned and moved as a whole.
fn add_whole(game: &mut Game, (parts, seams): &(Vec<Part>, Vec<Seam>), turn: Quat, place: Vec3) {
    let first = game.pieces.len();
    for (form, at) in parts {
        let position = place + quat_rotate(turn, *at);
        game.pieces.push(Piece { rotation: turn, ..Piece::new(form.clone(), position) });
    }
    for &([a, b], at) in seams {
        let anchors = [at - parts[a].1, at - parts[b].1];
        game.links.push(Link { bodies: [first + a, first + b], anchors, length: None });
    }
}

/// `n` dolls of 7 or of 15 parts dropped into a container, turned at random.
pub fn dolls(n: usize, parts: usize) -> Game {
    let [duration, begin] = WATCH;
    let mut game = Game { duration, window: (begin, duration), ..Game::new("dolls") };
    add_container(&mut game, 6.0, 40.0);
    let doll = if parts == 7 { seven() } else { fifteen() };
    let mut rng = Rng::new(60);
    for i in 0..n {
        add_whole(&mut game, &doll, rng.uniform_rotation(), place_of(i));
    }
    game
}

/// Where the hips of a doll begin (m): four in a layer.
fn place_of(i: usize) -> Vec3 {
    let (layer, rest) = (i / 4, i % 4);
    let [x, z] = [rest % 2, rest / 2].map(|k| (k as Real - 0.5) * 2.6);
    Vec3::new(x, 1.5 + 2.2 * layer as Real, z)
}

/// `n` ragdolls with limits, of [`super::joints::ragdoll`] without its brakes, dropped like [`dolls`].
pub fn ragdolls(n: usize) -> Game {
    let [duration, begin] = WATCH;
    let mut game = Game { duration, window: (begin, duration), ..Game::new("ragdolls") };
    add_container(&mut game, 6.0, 40.0);
    let mut rng = Rng::new(60);
    for i in 0..n {
        let first = game.pieces.len();
        add_doll(&mut game, false);
        let (turn, place) = (rng.uniform_rotation(), place_of(i));
        for piece in &mut game.pieces[first..] {
            piece.position = quat_rotate(turn, piece.position - Vec3::Y * HIPS_HIGH) + place;
            piece.rotation = quat_mul(turn, piece.rotation);
        }
    }
    game
}

/// `n` bodies dropped into a container: boxes, each with a ball on a ball joint above its middle.
pub fn coupled(n: usize) -> Game {
    let [duration, begin] = WATCH;
    let mut game = Game { duration, window: (begin, duration), ..Game::new("coupled") };
    add_container(&mut game, 6.0, 40.0);
    let (half, radius): (Real, Real) = (0.2, 0.2);
    // Between both there is a gap of 5 cm, with the joint in its middle.
    let gap: Real = 0.05;
    let parts = vec![
        (cuboid(half, half, half), Vec3::ZERO),
        (Form::Ball(radius), Vec3::Y * (half + gap + radius)),
    ];
    let whole = (parts, vec![([0, 1], Vec3::Y * (half + 0.5 * gap))]);
    let mut rng = Rng::new(200);
    for i in 0..n / 2 {
        let (layer, rest) = (i / 9, i % 9);
        let [x, z] = [rest % 3, rest / 3].map(|k| (k as Real - 1.0) * 1.7);
        let place = Vec3::new(x, 0.9 + 1.5 * layer as Real, z);
        add_whole(&mut game, &whole, rng.uniform_rotation(), place);
    }
    game
}

/// `n` chains of `links` capsules thrown on a heap of a hundred boxes.
pub fn chains(n: usize, links: usize) -> Game {
    let [duration, begin] = WATCH;
    let mut game = Game { duration, window: (begin, duration), ..Game::new("chains") };
    add_container(&mut game, 12.0, 40.0);
    add_grid(&mut game, 100, 4321, random_box);
    let (half, radius, pitch): (Real, Real, Real) = (0.15, 0.05, 0.5);
    let s = orthant::math::DIAGONAL;
    let along_x = Quat::from_xyzw(0.0, 0.0, -s, s);
    let parts: Vec<Part> = (0..links)
        .map(|i| (limb(half, radius), Vec3::Y * (pitch * (i as Real - 0.5 * (links - 1) as Real))))
        .collect();
    let seam = |i: usize| ([i, i + 1], parts[i].1 + Vec3::Y * (0.5 * pitch));
    let chain = (parts.clone(), (0..links.saturating_sub(1)).map(seam).collect());
    for i in 0..n {
        // Crosswise, layer by layer.
        let across = Quat::from_xyzw(
            0.0,
            if i % 2 == 0 { 0.0 } else { s },
            0.0,
            if i % 2 == 0 { 1.0 } else { s },
        );
        let side = ((i * 7) % 9) as Real - 4.0;
        let place = quat_rotate(across, Vec3::Z * side) + Vec3::Y * (5.0 + 0.3 * i as Real);
        let first = game.pieces.len();
        add_whole(&mut game, &chain, quat_mul(across, along_x), place);
        for piece in &mut game.pieces[first..] {
            piece.velocity = Vec3::Y * -3.0;
        }
    }
    game
}

/// The net of `n` by `n`, let go over a hundred boxes.
pub fn falling_net(n: usize) -> Game {
    let [duration, begin] = WATCH;
    let mut game = Game { duration, window: (begin, duration), ..Game::new("falling-net") };
    add_container(&mut game, 12.0, 40.0);
    add_grid(&mut game, 100, 4321, random_box);
    let first = game.pieces.len();
    let net = net(n);
    game.pieces.extend(net.pieces.into_iter().map(|piece| Piece {
        kind: BodyKind::Dynamic,
        position: piece.position + Vec3::Y * 5.0,
        ..piece
    }));
    game.links.extend(
        net.links.into_iter().map(|link| Link { bodies: link.bodies.map(|i| i + first), ..link }),
    );
    game
}

/// `n` balls of 0.2 m with their centers at one point.
pub fn crowd(n: usize) -> Game {
    let mut game = Game { duration: 5.0, window: (0.0, 5.0), ..Game::new("crowd") };
    game.add_floor(60.0);
    for _ in 0..n {
        game.add(Form::Ball(0.2), Vec3::Y * 2.0);
    }
    game
}

/// `n` dolls of seven parts, one over the other, each with its legs in the head of the next.
pub fn heads(n: usize) -> Game {
    let mut game = Game { duration: 5.0, window: (0.0, 5.0), ..Game::new("heads") };
    game.add_floor(30.0);
    for i in 0..n {
        add_whole(&mut game, &seven(), Quat::IDENTITY, Vec3::Y * (1.0 + 1.4 * i as Real));
    }
    game
}

/// `n` planks, each on two ball joints to hooks that are 2 cm nearer to each other than its anchors.
pub fn torn(n: usize) -> Game {
    let mut game = Game { duration: 5.0, window: (0.0, 5.0), ..Game::new("torn") };
    for i in 0..n {
        let middle = Vec3::Z * (2.0 * i as Real);
        let [left, right] = [-0.5, 0.5].map(|x| {
            let hook = Piece::new(Form::Ball(0.01), middle + Vec3::X * x);
            game.pieces.push(Piece { kind: BodyKind::Static, ..hook });
            game.pieces.len() - 1
        });
        game.add(cuboid(0.6, 0.05, 0.2), middle);
        let plank = game.pieces.len() - 1;
        for (hook, x) in [(left, -0.51), (right, 0.51)] {
            let anchors = [Vec3::ZERO, Vec3::X * x];
            game.links.push(Link { bodies: [hook, plank], anchors, length: None });
        }
    }
    game
}

/// `n` cubes of 1 m on a floor, each between two walls that stand 2 mm nearer to each other.
pub fn press(n: usize) -> Game {
    let mut game = Game { duration: 5.0, window: (0.0, 5.0), ..Game::new("press") };
    game.add_floor(60.0);
    for i in 0..n {
        let z = 3.0 * i as Real;
        for side in [-1.0, 1.0] {
            let at = Vec3::new(side * (0.499 + 0.25), 0.5, z);
            game.pieces.push(Piece::fixed(Vec3::new(0.25, 0.5, 1.0), at));
        }
    }
    for i in 0..n {
        game.add(cuboid(0.5, 0.5, 0.5), Vec3::new(0.0, 0.5, 3.0 * i as Real));
    }
    game
}
