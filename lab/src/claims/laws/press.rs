//! Pressed by what cannot yield: a hand that is welded to a kinematic target inside a table.

use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::report::StepStatus;
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, Vec3, narrow, widen};

use super::{G, Lab, at_most, heavy, worst};
use crate::claims::Claims;

/// How deep the target is in the table (m), and how fast it came [m/s].
const DEPTH: Double = 0.01;
const SPEED: Double = 0.1;

/// Force of a joint (N) for each kilogram of what hangs on it at which it yields unasked: a thousand times
/// its weight.
const BOUND: Double = 1e4;

/// Led in, and put there; a joint that yields at a force of its own.
pub fn measure(claims: &mut Claims) {
    for led in [true, false] {
        press(claims, led);
    }
    yields(claims);
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
    // How often it is told to yield where it did not in the step before, and what it bears.
    let (mut told, mut before, mut most): (usize, bool, Double) = (0, false, 0.0);
    for step in 0..300 {
        at = (at - SPEED * widen(lab.dt)).max(deep);
        let position = Vec3::Y * narrow(at);
        let body = lab.world.body_mut(target).expect("the body is there");
        body.set_target(position, orthant::math::Quat::IDENTITY);
        lab.step();
        unsolved += usize::from(lab.world.report().status != StepStatus::Solved);
        let yields = !lab.world.report().yielded.is_empty();
        told += usize::from(yields && !before);
        before = yields;
        let borne = lab.world.joints().map(|joint| widen(joint.reaction().0.length()));
        most = borne.fold(most, worst);
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
    claims.add(&format!("{what}: told to yield"), &format!("{told} times"), "once", told == 1);
    // Along three axes.
    let bar = 3.0_f64.sqrt() * BOUND * widen(lab.body(hand).mass()) * (1.0 + 1e-3);
    at_most(claims, &format!("{what}: largest force"), most, bar, "N");
}

/// A cube of 1 kg hangs by a joint that yields at this part of its weight: it holds, or bears that much.
fn yields(claims: &mut Claims) {
    for part in [1.05, 0.95] {
        let mut lab = Lab::new();
        let id = lab.add(heavy(1.0, DVec3::ONE, DVec3::ZERO));
        let desc = JointDesc::to_world(JointKind::Fixed, id);
        let desc = desc.with_yield(narrow(part * G), orthant::math::Real::INFINITY);
        let joint = lab.world.add_joint(desc).expect("a sound joint");
        let steps = lab.steps(1.0);
        for _ in 0..steps {
            lab.step();
        }
        let joint = lab.world.joint(joint).expect("the joint is there");
        let force = widen(joint.reaction().0.y);
        let off = (force / G - part.min(1.0)).abs();
        let what = format!("a joint that yields at {part} of the weight");
        // The solver's tolerance, of what gravity gives in a step.
        let tolerance = lab.settings.solver.tolerance / (G * widen(lab.dt));
        at_most(claims, &format!("{what}: force off"), off, tolerance, "of weight");
        let exact = (1.0 - part).max(0.0) * G;
        let off = (widen(lab.body(id).linear_velocity.y) + exact).abs();
        let bar = lab.settings.solver.tolerance * steps as Double;
        at_most(claims, &format!("{what}: speed after 1 s, off"), off, bar, "m/s");
        let fine = joint.is_enabled();
        let figure = if fine { "whole" } else { "broken" };
        claims.add(&format!("{what}: it is"), figure, "whole", fine);
    }
}
