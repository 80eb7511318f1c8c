//! Pendulums and dumbbells: rods and taut ropes keep the energy as ball joints do.

use orthant::engine::body::{BodyDesc, BodyId};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, Vec3, narrow3};

use super::{Lab, at_most, point, worst};
use crate::claims::Claims;

/// Length (m).
const LENGTH: Double = 2.0;

/// What holds a bob.
const HOLDS: [(&str, JointKind); 4] = [
    ("ball joint", JointKind::Spherical),
    ("hinge", JointKind::Revolute),
    ("rod", JointKind::Distance { min: 2.0, max: 2.0 }),
    ("rope", JointKind::Distance { min: 0.0, max: 2.0 }),
];

/// Each for 10 s.
pub fn measure(claims: &mut Claims) {
    for (name, kind) in HOLDS {
        pendulum(claims, name, kind);
    }
    for (name, kind) in &HOLDS[2..] {
        dumbbell(claims, name, *kind);
    }
}

/// Anchor in the body, if the bob hangs by its center or beside it.
fn anchor(kind: JointKind) -> DVec3 {
    if matches!(kind, JointKind::Distance { .. }) { DVec3::ZERO } else { DVec3::X * -LENGTH }
}

fn bob(lab: &mut Lab, at: DVec3, velocity: Vec3) -> BodyId {
    let shape = Shape::sphere(0.1).ok();
    let desc = BodyDesc { shape, linear_velocity: velocity, ..BodyDesc::default() };
    lab.add(BodyDesc { position: narrow3(at), density: 100.0, ..desc })
}

/// Released level: what is missing from or above its height at its highest point in the last four of ten
/// seconds, which is more than a swing, and the largest error of the joint.
fn pendulum(claims: &mut Claims, name: &str, kind: JointKind) {
    let mut lab = Lab::new();
    let id = bob(&mut lab, DVec3::X * LENGTH, Vec3::ZERO);
    let mut desc = JointDesc::to_world(kind, id);
    desc.frames[1].anchor = narrow3(anchor(kind));
    if kind == JointKind::Revolute {
        for frame in &mut desc.frames {
            *frame = orthant::engine::joint::JointFrame::along(frame.anchor, Vec3::Z);
        }
    }
    lab.join(desc);
    let (mut highest, mut apart): (Double, Double) = (Double::NEG_INFINITY, 0.0);
    let steps = lab.steps(10.0);
    for step in 0..steps {
        lab.step();
        let from_hook = point(lab.body(id), anchor(kind)).length();
        let error = match kind {
            JointKind::Distance { min, .. } if min > 0.0 => (from_hook - LENGTH).abs(),
            JointKind::Distance { .. } => (from_hook - LENGTH).max(0.0),
            _ => from_hook,
        };
        apart = worst(apart, error);
        if step + 240 >= steps {
            highest = worst(highest, lab.center(id).y);
        }
    }
    let what = format!("pendulum of 2 m on a {name}, level, 10 s");
    let off = (highest / LENGTH).abs();
    at_most(claims, &format!("{what}: energy at its highest"), off, 0.01, "");
    at_most(claims, &format!("{what}: length"), apart, 0.01, "m");
}

/// Two bobs that fly about each other: energy and angular momentum after 10 s.
fn dumbbell(claims: &mut Claims, name: &str, kind: JointKind) {
    let mut lab = Lab::new().weightless();
    let speed = Vec3::Y * 3.0;
    let [a, b] = [1.0, -1.0].map(|side| {
        let velocity = if side > 0.0 { speed } else { -speed };
        bob(&mut lab, DVec3::X * (0.5 * LENGTH * side), velocity)
    });
    lab.join(JointDesc::between(kind, a, b));
    let (energy, [_, momentum]) = (lab.energy(), lab.momentum());
    lab.run(10.0);
    let what = format!("two bobs about each other on a {name}, 10 s");
    at_most(claims, &format!("{what}: energy"), (lab.energy() / energy - 1.0).abs(), 0.01, "");
    let off = (lab.momentum()[1] - momentum).length() / momentum.length();
    at_most(claims, &format!("{what}: L"), off, 1e-3, "");
}
