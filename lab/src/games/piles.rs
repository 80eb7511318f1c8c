//! Piles, chains and driven containers: the scenes with which other engines were measured.

use orthant::engine::body::BodyKind;
use orthant::math::{DVec3, Double, PI_DOUBLE, Quat, Real, Vec3, narrow, narrow3, widen};

use super::hull::Polytope;
use super::{Form, Game, Link, Motion, Piece};
use crate::random::Rng;

/// Half lengths of a cube of one meter.
const CUBE: Vec3 = Vec3::splat(0.5);

/// `n` cubes below, one less in each row above, side by side without gaps.
pub fn pyramid(n: usize) -> Game {
    let mut game = Game { stands: true, ..Game::new("pyramid") };
    game.add_floor(60.0);
    for i in 0..n {
        for j in 0..n - i {
            let x = j as Real - 0.5 * (n - i - 1) as Real;
            game.add(Form::Cuboid(CUBE), Vec3::new(x, 0.5 + i as Real, 0.0));
        }
    }
    game
}

/// `n` cubes on each other.
pub fn tower(n: usize) -> Game {
    let mut game = Game { stands: true, ..Game::new("tower") };
    game.add_floor(30.0);
    for i in 0..n {
        game.add(Form::Cuboid(CUBE), Vec3::new(0.0, 0.5 + i as Real, 0.0));
    }
    game
}

/// Three cubes on each other; the upper one is `r` times as dense.
pub fn ratio(r: usize) -> Game {
    let mut game = tower(3);
    game.pieces[3].density = r as Real;
    game
}

/// A floor and four walls, `inner` m wide inside and `height` m high.
pub(super) fn add_container(game: &mut Game, inner: Real, height: Real) {
    let (t, i, y) = (0.5, 0.5 * inner, 0.5 * height);
    let wide = i + 2.0 * t;
    game.pieces.push(Piece::fixed(Vec3::new(wide, t, wide), Vec3::new(0.0, -t, 0.0)));
    for side in [-1.0, 1.0] {
        let at = side * (i + t);
        game.pieces.push(Piece::fixed(Vec3::new(t, y, wide), Vec3::new(at, y, 0.0)));
        game.pieces.push(Piece::fixed(Vec3::new(i, y, t), Vec3::new(0.0, y, at)));
    }
}

/// `n` points on a random ellipsoid, about the center of mass of their hull.
fn random_hull(rng: &mut Rng, n: usize) -> Vec<Vec3> {
    let axes = [rng.between(0.3, 0.6), rng.between(0.3, 0.6), rng.between(0.3, 0.6)];
    let mut point = || {
        let u = rng.direction();
        DVec3::new(u[0] * axes[0], u[1] * axes[1], u[2] * axes[2])
    };
    let points: Vec<DVec3> = (0..n).map(|_| point()).collect();
    let center = Polytope::new(&points).centroid();
    points.iter().map(|&p| narrow3(p - center)).collect()
}

/// Adds `n` bodies on a grid of nine by nine, layer by layer, turned at random.
pub(super) fn add_grid(
    game: &mut Game,
    n: usize,
    seed: u64,
    mut form: impl FnMut(&mut Rng) -> Form,
) {
    let mut rng = Rng::of_scene(seed);
    let (spacing, k) = (1.28, 9);
    for i in 0..n {
        let (layer, rest) = (i / (k * k), i % (k * k));
        let (a, b) = (rest / k, rest % k);
        let form = form(&mut rng);
        let x = (a as Double - 4.0) * spacing + rng.between(-0.02, 0.02);
        let z = (b as Double - 4.0) * spacing + rng.between(-0.02, 0.02);
        let y = 0.8 + layer as Double * spacing;
        let rotation = rng.uniform_rotation();
        let position = Vec3::new(narrow(x), narrow(y), narrow(z));
        game.pieces.push(Piece { rotation, ..Piece::new(form, position) });
    }
}

/// `n` hulls of 20 points dropped into a container.
pub fn hulls(n: usize) -> Game {
    let mut game =
        Game { duration: 8.0, window: (2.0, 8.0), check_every: 1.0, ..Game::new("hulls") };
    add_container(&mut game, 12.0, 40.0);
    add_grid(&mut game, n, 1234, |rng| Form::Hull(random_hull(rng, 20)));
    game
}

/// A box with half lengths between 0.15 m and 0.36 m.
pub(super) fn random_box(rng: &mut Rng) -> Form {
    let mut half = || narrow(rng.between(0.15, 0.36));
    let (x, y, z) = (half(), half(), half());
    Form::Cuboid(Vec3::new(x, y, z))
}

/// `n` boxes dropped into a container.
pub fn boxes(n: usize) -> Game {
    let mut game =
        Game { duration: 8.0, window: (2.0, 8.0), check_every: 1.0, ..Game::new("boxes") };
    add_container(&mut game, 12.0, 40.0);
    add_grid(&mut game, n, 4321, random_box);
    game
}

/// A chain of `n` capsules that starts level, with a ball of `r` times their mass at its end.
pub fn chain(n: usize, r: usize) -> Game {
    let mut game = Game::new("chain");
    let (half, radius, pitch): (Real, Real, Real) = (0.15, 0.05, 0.5);
    game.pieces.push(Piece::fixed(Vec3::splat(0.1), Vec3::ZERO));
    // A quarter turn about z takes the axis of the capsules from y to x.
    let s = orthant::math::DIAGONAL;
    let rotation = Quat::from_xyzw(0.0, 0.0, -s, s);
    let (front, back) = (Vec3::Y * (0.5 * pitch), Vec3::Y * (-0.5 * pitch));
    for i in 0..n {
        let position = Vec3::new(pitch * (i as Real + 0.5), 0.0, 0.0);
        let form = Form::Capsule { half, radius };
        game.pieces.push(Piece { rotation, ..Piece::new(form, position) });
        let from = if i == 0 { Vec3::ZERO } else { front };
        game.links.push(Link { bodies: [i, i + 1], anchors: [from, back], length: None });
    }
    let (long, thick) = (widen(half), widen(radius));
    let ball = |r: Double| 4.0 / 3.0 * PI_DOUBLE * r.powi(3);
    let mass = PI_DOUBLE * thick.powi(2) * 2.0 * long + ball(thick);
    let size: Real = 0.25;
    let density = narrow(mass * r as Double / ball(0.25));
    let position = Vec3::new(pitch * n as Real + size, 0.0, 0.0);
    game.pieces.push(Piece { density, ..Piece::new(Form::Ball(size), position) });
    let anchors = [front, Vec3::X * -size];
    game.links.push(Link { bodies: [n, n + 1], anchors, length: None });
    game
}

/// `n` by `n` balls, each joined to its neighbors, fixed at the corners.
pub fn net(n: usize) -> Game {
    let mut game = Game { duration: 5.0, window: (0.0, 5.0), ..Game::new("net") };
    let (radius, pitch): (Real, Real) = (0.1, 0.3);
    let place = |i: usize| (i as Real - 0.5 * (n - 1) as Real) * pitch;
    for i in 0..n {
        for j in 0..n {
            let corner = (i == 0 || i == n - 1) && (j == 0 || j == n - 1);
            let kind = if corner { BodyKind::Static } else { BodyKind::Dynamic };
            let position = Vec3::new(place(i), 0.0, place(j));
            game.pieces.push(Piece { kind, ..Piece::new(Form::Ball(radius), position) });
        }
    }
    let mut join = |a: usize, b: usize, axis: Vec3| {
        let anchors = [axis * (0.5 * pitch), axis * (-0.5 * pitch)];
        game.links.push(Link { bodies: [a, b], anchors, length: None });
    };
    for i in 0..n {
        for j in 0..n {
            let here = i * n + j;
            if i + 1 < n {
                join(here, here + n, Vec3::X);
            }
            if j + 1 < n {
                join(here, here + 1, Vec3::Z);
            }
        }
    }
    game
}

/// A container of boxes that moves.
fn kinematic(boxes: &[(Vec3, Vec3)]) -> Piece {
    let parts = boxes.iter().map(|&(at, half)| (at, Quat::IDENTITY, half)).collect();
    Piece { kind: BodyKind::Kinematic, ..Piece::new(Form::Compound(parts), Vec3::ZERO) }
}

/// Large and small bodies in a container that is shaken.
#[derive(Clone, Copy, Debug)]
pub struct Nuts {
    /// Radius of the four large ones (m); that of the 266 small ones is [`SMALL_NUT`].
    pub large: Real,
    /// A body of a radius (m).
    pub form: fn(Real) -> Form,
    /// Of the places of the small ones.
    pub seed: u64,
}

/// Radius of small nuts (m).
pub const SMALL_NUT: Real = 0.1;

/// Shakes in a second.
pub const SHAKES: Real = 4.0;

/// Four large balls below 266 small ones in a container that is shaken.
pub fn brazil_nut() -> Game {
    nuts(&Nuts { large: 0.3, form: Form::Ball, seed: 77 })
}

/// Four nuts at the bottom of a container that is shaken, the first four dynamic bodies, and 266 small ones
/// above them.
pub fn nuts(nuts: &Nuts) -> Game {
    let motion = Motion::ShakeY { amplitude: 0.1, frequency: SHAKES };
    let mut game = Game { duration: 20.0, window: (2.0, 20.0), motion, ..Game::new("brazil-nut") };
    let (w, h, t): (Real, Real, Real) = (0.8, 3.0, 0.25);
    game.pieces.push(kinematic(&[
        (Vec3::new(0.0, -t, 0.0), Vec3::new(w + 2.0 * t, t, w + 2.0 * t)),
        (Vec3::new(w + t, h, 0.0), Vec3::new(t, h, w + 2.0 * t)),
        (Vec3::new(-w - t, h, 0.0), Vec3::new(t, h, w + 2.0 * t)),
        (Vec3::new(0.0, h, w + t), Vec3::new(w, h, t)),
        (Vec3::new(0.0, h, -w - t), Vec3::new(w, h, t)),
    ]));
    for (x, z) in [(-0.4, -0.4), (0.4, -0.4), (-0.4, 0.4), (0.4, 0.4)] {
        game.add((nuts.form)(nuts.large), Vec3::new(x, nuts.large, z));
    }
    let mut rng = Rng::of_scene(nuts.seed);
    let k = 6;
    for i in 0..266 {
        let (layer, rest) = (i / (k * k), i % (k * k));
        let (a, b) = (rest / k, rest % k);
        let x = (a as Double - 2.5) * 0.24 + rng.between(-0.01, 0.01);
        let z = (b as Double - 2.5) * 0.24 + rng.between(-0.01, 0.01);
        let y = 0.72 + 0.22 * layer as Real;
        game.add((nuts.form)(SMALL_NUT), Vec3::new(narrow(x), y, narrow(z)));
    }
    game
}

/// A regular icosahedron whose corners are at a radius (m).
pub fn icosahedron(radius: Real) -> Form {
    let golden = 0.5 * (1.0 + Real::sqrt(5.0));
    let unit = radius / Real::sqrt(1.0 + golden * golden);
    let mut points = Vec::new();
    for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        for p in [Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)] {
            points.push(p * unit);
        }
    }
    Form::Hull(points)
}

/// A thousand cubes of 0.4 m in a box that turns with 1 rad/s.
pub fn drum() -> Game {
    let motion = Motion::SpinZ { omega: 1.0 };
    let mut game = Game { window: (2.0, 10.0), check_every: 1.0, motion, ..Game::new("drum") };
    // Half the length inside, half the thickness of the walls (m).
    let (i, t) = (3.0, 0.5);
    let wide = i + 2.0 * t;
    game.pieces.push(kinematic(&[
        (Vec3::new(0.0, -i - t, 0.0), Vec3::new(wide, t, i)),
        (Vec3::new(0.0, i + t, 0.0), Vec3::new(wide, t, i)),
        (Vec3::new(-i - t, 0.0, 0.0), Vec3::new(t, i, i)),
        (Vec3::new(i + t, 0.0, 0.0), Vec3::new(t, i, i)),
        (Vec3::new(0.0, 0.0, -i - t), Vec3::new(wide, wide, t)),
        (Vec3::new(0.0, 0.0, i + t), Vec3::new(wide, wide, t)),
    ]));
    for n in 0..1000 {
        let (layer, rest) = (n / 100, n % 100);
        let (a, b) = (rest / 10, rest % 10);
        let x = (a as Real - 4.5) * 0.5;
        let z = (b as Real - 4.5) * 0.5;
        game.add(Form::Cuboid(Vec3::splat(0.2)), Vec3::new(x, -2.4 + 0.5 * layer as Real, z));
    }
    game
}
