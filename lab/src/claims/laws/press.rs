//! Pressed by what cannot yield: a hand that is welded to a kinematic target inside a table.

use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::report::StepStatus;
use orthant::engine::shape::Shape;
use orthant::math::{Double, Vec3, narrow, widen};

use super::{Lab, at_most, worst};
use crate::claims::Claims;

/// How deep the target is in the table (m), and how fast it came [m/s].
const DEPTH: Double = 0.01;
const SPEED: Double = 0.1;

/// Led in, and put there.
pub fn measure(claims: &mut Claims) {
    for led in [true, false] {
        press(claims, led);
    }
}

fn hand(lab: &mut Lab, height: Double) -> [BodyId; 2] {
    let table = Shape::cuboid(2.0, 0.2, 2.0).ok();
    let (kind, position) = (BodyKind::Static, Vec3::Y * -0.1);
    lab.add(BodyDesc { kind, shape: table, position, ..BodyDesc::default() });
    let position = Vec3::Y * narrow(height);
    let target = lab.add(BodyDesc { kind: BodyKind::Kinematic, position, ..BodyDesc::default() });
    let shape = Shape::cuboid(0.1, 0.1, 0.1).ok();
    let hand = lab.add(BodyDesc { shape, position, density: 1000.0, ..BodyDesc::default() });
    lab.join(JointDesc::between(JointKind::Fixed, target, hand));
    [target, hand]
}

fn press(claims: &mut Claims, led: bool) {
    let mut lab = Lab::new();
    let (touch, deep) = (0.05, 0.05 - DEPTH);
    let begin = if led { touch + 0.02 } else { deep };
    let [target, hand] = hand(&mut lab, begin);
    let mut at = begin;
    // The hand has to part from a table in which it is put, but not from one into which it is led.
    let (mut unsolved, mut fastest, mut late): (usize, Double, Double) = (0, 0.0, 0.0);
    for step in 0..300 {
        at = (at - SPEED * widen(lab.dt)).max(deep);
        let position = Vec3::Y * narrow(at);
        let body = lab.world.body_mut(target).expect("the body is there");
        body.set_target(position, orthant::math::Quat::IDENTITY);
        lab.step();
        unsolved += usize::from(lab.world.report().status != StepStatus::Solved);
        let body = lab.body(hand);
        let speed =
            widen(body.linear_velocity.length()) + 0.05 * widen(body.angular_velocity.length());
        fastest = worst(fastest, speed);
        if step >= 150 {
            late = worst(late, speed);
        }
    }
    let way = if led { "led into" } else { "put into" };
    let what = format!("hand welded to a target {way} a table, 1 cm");
    at_most(claims, &format!("{what}: unsolved of 300 steps"), unsolved as Double, 0.0, "");
    // As fast as it is led, or as it is pushed out in one step.
    let bar = if led { SPEED } else { DEPTH / widen(lab.dt) };
    at_most(claims, &format!("{what}: largest speed"), fastest, bar * (1.0 + 1e-3), "m/s");
    at_most(claims, &format!("{what}: speed from 2.5 s on"), late, 1e-3, "m/s");
}
