//! Rows against differences of the positions they are rows of; positions against known angles.

use super::axes;
use super::axes::{End, JointPose, Sides};
use super::*;
use crate::engine::Simulation;
use crate::engine::geometry::shape::Shape;
use crate::engine::lcp::tests::random::Random;
use crate::engine::state::body::{Body, BodyDesc};
use crate::engine::state::motion::vec6;
use crate::math::turns::unwound;
use crate::math::{DVec3, Quat, quat_exp, quat_mul, quat_normalize, widen};

const KINDS: [JointKind; 13] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Spherical,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Universal,
    JointKind::Planar,
    JointKind::Pivot,
    JointKind::Distance { min: 0.5, max: 2.0 },
    JointKind::Generic,
    JointKind::Gear { ratio: -2.5 },
    JointKind::RackAndPinion { radius: 0.3 },
    JointKind::Pulley { wheels: [Vec3::Y, Vec3::Z], ratio: 2.0, length: 1.0 },
];

/// Random places.
struct Rng(Random);

impl Rng {
    fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    fn signed(&mut self) -> Real {
        narrow(self.0.signed(1.0))
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    fn rotation(&mut self) -> Quat {
        let v = self.vector();
        quat_normalize(Quat::from_xyzw(v.x, v.y, v.z, self.signed()))
    }
}

fn pair(rng: &mut Rng) -> (Simulation, [BodyId; 2]) {
    let mut world = Simulation::new();
    let ids = [0, 1].map(|_| {
        let shape = Shape::cuboid(0.5, 0.4, 0.3).expect("a box");
        let desc = BodyDesc {
            shape: Some(shape),
            position: rng.vector(),
            rotation: rng.rotation(),
            linear_velocity: rng.vector(),
            angular_velocity: rng.vector(),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a sound body")
    });
    (world, ids)
}

/// The body after `t` seconds of its free flight.
fn flown(body: &Body, t: Real) -> Body {
    let mut body = body.clone();
    let turn = quat_exp(body.angular_velocity * t);
    let (position, rotation) = (body.position(), body.rotation());
    body.set_pose(position + body.linear_velocity * t, quat_normalize(quat_mul(turn, rotation)));
    body
}

fn rate(sides: &Sides, bodies: [&Body; 2]) -> Double {
    let v = bodies.map(|body| vec6(body.linear_velocity, body.angular_velocity));
    axes::rate(sides, &v)
}

/// Step and tolerance of a central difference in this precision.
const STEP: [Double; 2] = if size_of::<Real>() == 4 { [1e-2, 1.5e-3] } else { [1e-4, 1e-6] };

/// A value and its rows.
type Value<'a> = &'a dyn Fn(&JointPose) -> (Double, Sides);

/// Rows are the rates of what they are rows of, wherever the bodies are.
fn check(what: &str, kind: JointKind, frames: &[JointFrame; 2], bodies: [&Body; 2], value: Value) {
    let [step, tolerance] = STEP;
    let at = |t: Double| {
        let [a, b] = bodies.map(|body| flown(body, narrow(t)));
        value(&JointPose::new(kind, frames, &[&a, &b].map(|body| Some(End::of(body))))).0
    };
    let (here, sides) =
        value(&JointPose::new(kind, frames, &bodies.map(|body| Some(End::of(body)))));
    let difference = at(step) - at(-step);
    if difference.abs() > 1.0 {
        // An angle that passes half a turn.
        return;
    }
    let (expected, got) = (difference / (2.0 * step), rate(&sides, bodies));
    // Third derivatives grow with the gradient.
    let size = sides.as_flattened().iter().fold(1.0, |m: Double, x| m.max(x.abs()));
    assert!(
        (expected - got).abs() < tolerance * size.powi(3),
        "{what} of {kind:?} at {here}: {expected} but {got}"
    );
}

#[test]
fn rows_are_the_rates_of_their_positions() {
    let mut rng = Rng::new(1);
    let mut judged = 0;
    for case in 0..600 {
        let (world, ids) = pair(&mut rng);
        let bodies = ids.map(|id| world.body(id).expect("it is there"));
        let frames = [0, 1].map(|_| JointFrame { anchor: rng.vector(), basis: rng.rotation() });
        let kind = KINDS[case % KINDS.len()];
        let place = JointPose::new(kind, &frames, &bodies.map(|body| Some(End::of(body))));
        // Poles of the coordinates: a swing near half a turn, a universal joint whose axes align.
        let (swing, _) = place.swing();
        if swing > 2.2 || (place.axis(0, 0).dot(place.axis(1, 1))).abs() > 0.9 {
            continue;
        }
        judged += 1;
        for k in 0..6 {
            let value = |place: &JointPose| (place.position(k), place.gradient(k));
            check(&format!("axis {k}"), kind, &frames, bodies, &value);
        }
        let target = crate::math::widen3(rng.vector());
        for k in 3..6 {
            check("turn", kind, &frames, bodies, &|place| place.turn_from(target, k));
        }
        check("what rolls", kind, &frames, bodies, &|to| (to.rolled(&place), place.rolling()));
        // The angle itself has a kink where it is zero.
        if swing > 0.6 {
            check("swing", kind, &frames, bodies, &|place| place.swing());
        }
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let value = |place: &JointPose| (place.apart.dot(axis), place.along_world(axis));
            check("anchors", kind, &frames, bodies, &value);
        }
    }
    assert!(judged > 300, "{judged} cases");
}

/// The axes of a frame that is turned by known angles.
#[test]
fn positions_are_what_they_are_called() {
    let mut rng = Rng::new(2);
    for _ in 0..100 {
        let (mut world, ids) = pair(&mut rng);
        let frames = [0, 1].map(|_| JointFrame { anchor: rng.vector(), basis: rng.rotation() });
        let angles = rng.vector() * 1.2;
        let shift = rng.vector();
        // Frame b is frame a moved by `shift`, turned about y of the joint, then about x.
        let a = world.body(ids[0]).expect("it is there").clone();
        let axes = quat_mul(a.rotation(), frames[0].basis);
        let about_x = quat_exp(Vec3::X * angles.x);
        let about_y = quat_exp(Vec3::Y * angles.y);
        let target = quat_mul(axes, quat_mul(about_x, about_y));
        let anchor = a.position() + crate::math::quat_rotate(a.rotation(), frames[0].anchor);
        let b = world.body_mut(ids[1]).expect("it is there");
        let back = crate::math::quat_conjugate(frames[1].basis);
        let rotation = quat_mul(target, back);
        let point = anchor + crate::math::quat_rotate(axes, shift);
        b.set_pose(point - crate::math::quat_rotate(rotation, frames[1].anchor), rotation);
        let place = |kind| {
            let ends = ids.map(|id| world.body(id).map(End::of));
            JointPose::new(kind, &frames, &ends)
        };
        let close = |what: &str, got: Double, expected: Real| {
            assert!((got - widen(expected)).abs() < 2e-6, "{what}: {got}, not {expected}");
        };
        let universal = place(JointKind::Universal);
        close("about x of a", universal.position(3), angles.x);
        close("about y of b", universal.position(4), angles.y);
        close("the lock", universal.position(5), 0.0);
        for k in 0..3 {
            close("along", universal.position(k), shift[k]);
        }
        let rod = place(JointKind::Distance { min: 1.0, max: 1.0 });
        close("distance", rod.position(0), shift.length());
        // This is the rotation of a swing about an axis orthogonal to x after a twist about x.
        let ball = place(JointKind::Spherical);
        let (swing, _) = ball.swing();
        close("swing", swing, angles.y.abs());
        let part = DVec3::new(0.0, ball.position(4), ball.position(5));
        close("length of the swing", part.length(), angles.y.abs());
        let twist = crate::math::quat_exp_double(DVec3::X * ball.position(3));
        let both = crate::math::quat_mul_double(crate::math::quat_exp_double(part), twist);
        for (k, axis) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
            let turned = crate::math::quat_rotate_double(both, axis);
            let [x, y, z] = [0, 1, 2].map(|k| ball.axis(0, k));
            let there = x * turned.x + y * turned.y + z * turned.z;
            assert!((there - ball.axis(1, k)).length() < 3e-6, "swing after twist: axis {k}");
        }
    }
}

#[test]
fn turns_are_counted_from_what_is_near() {
    let turn = 2.0 * crate::math::PI_DOUBLE;
    for turns in -3..=3 {
        let whole = Double::from(turns) * turn;
        for angle in [-3.0, -1.0, 0.0, 2.0, 3.1] {
            let got = unwound(angle, whole + angle + 3.0);
            assert!((got - whole - angle).abs() < 1e-9, "{turns} turns and {angle}: {got}");
        }
    }
}
