//! Sleep: what accelerates is not at rest.

use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointDesc, JointFrame, JointKind};
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, PI_DOUBLE, Vec3, narrow, narrow3, widen, widen3};

use super::{G, Lab, at_most, heavy};
use crate::claims::Claims;

/// Pendulums, a ball on a slope, a balance.
pub fn measure(claims: &mut Claims) {
    for amplitude in [0.02, 0.01, 0.005] {
        pendulum(claims, amplitude);
    }
    for sleeps in [true, false] {
        slope(claims, sleeps);
    }
    balance(claims);
    stack(claims);
}

fn drowsy(sleeps: bool) -> Lab {
    let mut lab = Lab::new();
    lab.settings.sleep.enabled = sleeps;
    lab
}

/// A ball on a stick of 1 m, released at a small angle: amplitude and period of its twentieth second.
fn pendulum(claims: &mut Claims, amplitude: Double) {
    let mut lab = drowsy(true);
    let radius = 0.1;
    let shape = Shape::sphere(narrow(radius)).ok();
    let position = narrow3(DVec3::new(amplitude.sin(), -amplitude.cos(), 0.0));
    let id = lab.add(BodyDesc { shape, position, density: 100.0, ..BodyDesc::default() });
    // Its frame is upright: the stick leans in it.
    lab.join(JointDesc::to_world(JointKind::Spherical, id).with_anchors(Vec3::ZERO, -position));
    let period = 2.0 * PI_DOUBLE * ((1.0 + 0.4 * radius * radius) / G).sqrt();
    // Times at which it passes the plumb to the right, and the largest angle of the last period.
    let (mut passes, mut largest, mut before): (Vec<Double>, Double, Double) =
        (Vec::new(), 0.0, amplitude);
    let (h, steps) = (widen(lab.dt), lab.steps(20.0));
    for step in 1..=steps {
        lab.step();
        let x = lab.center(id).x;
        let time = step as Double * h;
        if before < 0.0 && x >= 0.0 {
            passes.push(time - h * x / (x - before));
        }
        if time > 20.0 - period {
            largest = largest.max(x.abs());
        }
        before = x;
    }
    let measured = match (passes.first(), passes.last()) {
        (Some(first), Some(last)) if passes.len() > 5 => {
            (last - first) / (passes.len() - 1) as Double
        }
        _ => Double::INFINITY,
    };
    let what = format!("pendulum of {amplitude} rad, sleeping on, 20 s");
    at_most(
        claims,
        &format!("{what}: amplitude off"),
        (largest / amplitude.sin() - 1.0).abs(),
        0.01,
        "",
    );
    // Half a swing in ten is seen in the period.
    at_most(claims, &format!("{what}: period off"), (measured / period - 1.0).abs(), 1e-3, "");
}

/// A ball rolls down 0.2°: 5/14 g sin α t².
fn slope(claims: &mut Claims, sleeps: bool) {
    let mut lab = drowsy(sleeps);
    let angle: Double = 0.2_f64.to_radians();
    let normal = DVec3::new(angle.sin(), angle.cos(), 0.0);
    let shape = Shape::half_space(narrow3(normal)).ok();
    lab.add(BodyDesc { kind: BodyKind::Static, shape, ..BodyDesc::default() });
    let ball = Shape::sphere(0.25).ok();
    let position = narrow3(normal * 0.25);
    let id = lab.add(BodyDesc { shape: ball, position, ..BodyDesc::default() });
    lab.run(10.0);
    let exact = 5.0 / 14.0 * G * angle.sin() * 100.0;
    let way = (lab.center(id) - widen3(position)).length();
    let on = if sleeps { "on" } else { "off" };
    let what = format!("ball on a slope of 0.2°, sleeping {on}, 10 s: way");
    let figure = format!("{way:.3} of {exact:.3} m");
    claims.add(&what, &figure, "within 1 %", (way - exact).abs() <= 0.01 * exact);
}

/// A body without a shape on a hinge, 0.1 mm beside its center: `m g r / I` for three seconds.
fn balance(claims: &mut Claims) {
    let mut lab = drowsy(true);
    let aside = DVec3::X * 1e-4;
    let id = lab.add(heavy(1.0, DVec3::splat(0.1), aside));
    let mut desc = JointDesc::to_world(JointKind::Revolute, id);
    desc.frames = [DVec3::ZERO, -aside].map(|anchor| JointFrame::along(narrow3(anchor), Vec3::Z));
    lab.join(desc);
    lab.run(3.0);
    let turns = -widen(lab.body(id).angular_velocity.z);
    let exact = G * aside.x / 0.1 * 3.0;
    let what = "balance without a shape, 0.1 mm off, sleeping on, 3 s";
    at_most(claims, &format!("{what}: turns, off"), (turns / exact - 1.0).abs(), 0.01, "");
}

/// What is at rest still falls asleep: ten cubes, within two seconds.
fn stack(claims: &mut Claims) {
    let mut lab = drowsy(true);
    let ground = Shape::half_space(Vec3::Y).ok();
    lab.add(BodyDesc { kind: BodyKind::Static, shape: ground, ..BodyDesc::default() });
    let add = |lab: &mut Lab, k: u8| -> BodyId {
        let shape = Shape::cuboid(1.0, 1.0, 1.0).ok();
        let position = Vec3::Y * narrow(0.5 + Double::from(k));
        lab.add(BodyDesc { shape, position, ..BodyDesc::default() })
    };
    let ids: Vec<BodyId> = (0..10).map(|k| add(&mut lab, k)).collect();
    lab.run(2.0);
    let asleep = ids.iter().filter(|&&id| lab.body(id).is_sleeping()).count();
    let what = "a tower of ten, sleeping on: asleep after 2 s";
    claims.add(what, &format!("{asleep} of 10"), "10 of 10", asleep == 10);
}
