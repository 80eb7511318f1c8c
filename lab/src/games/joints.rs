//! Chains that hang, a bridge, a ragdoll.

use orthant::engine::body::BodyKind;
use orthant::engine::joint::{JointAxis, JointDesc, JointFrame, JointKind, Motor};
use orthant::math::{
    PI_DOUBLE, Quat, Real, Vec3, narrow, quat_conjugate, quat_exp, quat_mul, quat_rotate,
    sin_cos_double, widen,
};

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

/// The joint between two parts of a ragdoll.
#[derive(Clone, Copy, Debug)]
enum Bend {
    /// A hinge about a direction, between two angles (rad).
    Hinge(Vec3, [Real; 2]),
    /// A ball joint whose limb points in a direction: largest swing, and twist to both sides (rad).
    Cone(Vec3, [Real; 2]),
}

/// A ragdoll that is being put together: upright, arms spread, feet on y = 0.
struct Doll<'a> {
    game: &'a mut Game,
    /// Do its joints brake?
    brakes: bool,
}

impl Doll<'_> {
    /// Adds a part of this mass (kg) and gives its index.
    fn part(&mut self, form: Form, mass: Real, position: Vec3, along_x: bool) -> usize {
        let ball = |r: Real| 4.0 / 3.0 * narrow(PI_DOUBLE) * r * r * r;
        let volume = match &form {
            Form::Ball(r) => ball(*r),
            Form::Cuboid(half) => 8.0 * half.x * half.y * half.z,
            Form::Capsule { half, radius: r } => ball(*r) + 2.0 * half * narrow(PI_DOUBLE) * r * r,
            Form::Hull(_) | Form::Compound(_) => 1.0,
        };
        let s = orthant::math::DIAGONAL;
        let rotation = if along_x { Quat::from_xyzw(0.0, 0.0, -s, s) } else { Quat::IDENTITY };
        let density = mass / volume;
        self.game.pieces.push(Piece { rotation, density, ..Piece::new(form, position) });
        self.game.pieces.len() - 1
    }

    /// Joins two parts at a point; if it brakes, every turn with a damping [N·m·s/rad].
    fn join(&mut self, bodies: [usize; 2], at: Vec3, bend: Bend, damping: Real) {
        let (axis, mut desc) = match bend {
            Bend::Hinge(axis, [min, max]) => {
                let desc = JointDesc::new(JointKind::Revolute, [None; 2]);
                (axis, desc.with_limit(JointAxis::AngularX, min, max))
            }
            Bend::Cone(axis, [swing, twist]) => {
                let desc = JointDesc::new(JointKind::Spherical, [None; 2]).with_swing(swing);
                (axis, desc.with_limit(JointAxis::AngularX, -twist, twist))
            }
        };
        let locked = desc.locked();
        let turns = |axis: &JointAxis| self.brakes && locked & 1 << axis.index() == 0;
        for axis in JointAxis::ALL.into_iter().filter(turns) {
            desc = desc.with_motor(axis, Motor::spring(0.0, 0.0, damping));
        }
        let basis = JointFrame::along(at, axis).basis;
        let [a, b] = bodies.map(|i| {
            let piece = &self.game.pieces[i];
            let back = quat_conjugate(piece.rotation);
            JointFrame {
                anchor: quat_rotate(back, at - piece.position),
                basis: quat_mul(back, basis),
            }
        });
        self.game.limbs.push((self.game.links.len(), desc.with_frames(a, b)));
        self.game.links.push(Link { bodies, anchors: [a.anchor, b.anchor], length: None });
    }

    /// Adds the arm on the side where x has this sign.
    fn arm(&mut self, chest: usize, side: Real) {
        let at = |x: Real| Vec3::new(side * x, 1.45, 0.0);
        let limb = |half: Real, radius: Real| Form::Capsule { half, radius };
        let upper = self.part(limb(0.12, 0.045), 2.0, at(0.35), true);
        let fore = self.part(limb(0.1, 0.035), 1.0, at(0.635), true);
        let hand = self.part(Form::Cuboid(Vec3::new(0.06, 0.02, 0.04)), 0.1, at(0.85), false);
        let out = Vec3::X * side;
        self.join([chest, upper], at(0.2), Bend::Cone(out, [1.4, 0.8]), 0.2);
        // Forward, which is z.
        let angles = if side > 0.0 { [-2.4, 0.05] } else { [-0.05, 2.4] };
        self.join([upper, fore], at(0.5), Bend::Hinge(Vec3::Y, angles), 0.1);
        self.join([fore, hand], at(0.78), Bend::Cone(out, [0.8, 0.5]), 0.02);
    }

    /// Adds the leg on the side where x has this sign.
    fn leg(&mut self, pelvis: usize, side: Real) {
        let at = |y: Real| Vec3::new(side * 0.1, y, 0.0);
        let limb = |half: Real, radius: Real| Form::Capsule { half, radius };
        let thigh = self.part(limb(0.15, 0.07), 7.0, at(0.66), false);
        let shin = self.part(limb(0.14, 0.05), 3.0, at(0.25), false);
        let foot = Form::Cuboid(Vec3::new(0.04, 0.03, 0.11));
        let foot = self.part(foot, 0.8, at(0.03) + Vec3::Z * 0.05, false);
        self.join([pelvis, thigh], at(0.87), Bend::Cone(-Vec3::Y, [1.2, 0.5]), 1.0);
        self.join([thigh, shin], at(0.45), Bend::Hinge(Vec3::X, [-0.05, 2.4]), 0.5);
        self.join([shin, foot], at(0.06), Bend::Hinge(Vec3::X, [-0.6, 0.6]), 0.05);
    }
}

/// Adds fifteen bodies of 365 to 1 in mass, joined by balls with cones and hinges with limits: upright, feet
/// on y = 0. Brakes are a little damping in every joint.
pub(super) fn add_doll(game: &mut Game, brakes: bool) {
    let mut doll = Doll { game, brakes };
    let cuboid = |x: Real, y: Real, z: Real| Form::Cuboid(Vec3::new(x, y, z));
    let up = |y: Real| Vec3::Y * y;
    let pelvis = doll.part(cuboid(0.15, 0.08, 0.1), 36.5, up(HIPS_HIGH), false);
    let chest = doll.part(cuboid(0.18, 0.2, 0.11), 20.0, up(1.3), false);
    let head = doll.part(Form::Ball(0.11), 4.0, up(1.68), false);
    doll.join([pelvis, chest], up(1.06), Bend::Cone(Vec3::Y, [0.5, 0.4]), 2.0);
    doll.join([chest, head], up(1.54), Bend::Cone(Vec3::Y, [0.6, 0.8]), 0.2);
    for side in [1.0, -1.0] {
        doll.arm(chest, side);
    }
    for side in [1.0, -1.0] {
        doll.leg(pelvis, side);
    }
}

/// Height of its pelvis (m).
pub(super) const HIPS_HIGH: Real = 0.95;
/// Links of [`ragdoll`] that are its hips.
pub const HIPS: [usize; 2] = [8, 11];

/// A ragdoll that falls about 1.5 m, leaning. Joints are damped a little: a hand that hangs free would swing
/// for ever.
pub fn ragdoll() -> Game {
    let mut game = Game::new("ragdoll").lasting(60.0);
    game.add_floor(30.0);
    add_doll(&mut game, true);
    let turn = quat_exp(Vec3::new(0.25, 0.1, 0.35));
    for piece in game.pieces.iter_mut().skip(1) {
        piece.position = quat_rotate(turn, piece.position) + Vec3::Y * 1.5;
        piece.rotation = quat_mul(turn, piece.rotation);
    }
    game
}
