//! Motors and springs against their discrete closed form, reactions against statics.

#![allow(clippy::disallowed_methods, reason = "closed forms are compared within a tolerance")]

use orthant::engine::joint::{JointAxis, JointDesc, JointKind, Motor};
use orthant::math::{DVec3, Double, Vec3, narrow, widen, widen3};

use super::{Rig, at_least, at_most, slope};
use crate::claims::Claims;

const G: Double = 9.81;

/// Springs, motors and reactions.
pub fn measure(claims: &mut Claims) {
    spring(claims);
    motor(claims);
    cantilever(claims);
}

/// A mass (kg) on a spring along x, pulled out by 0.5 m: its places over a second, and its last speed.
fn oscillate(
    mass: Double,
    stiffness: Double,
    damping: Double,
    hertz: Double,
) -> (Vec<Double>, Double) {
    let mut rig = Rig::default();
    rig.settings.gravity = Vec3::ZERO;
    let body = rig.body(DVec3::ZERO, mass, 1.0);
    let desc = JointDesc::new(JointKind::Prismatic, [None, Some(body)]);
    let spring = Motor::spring(0.5, narrow(stiffness), narrow(damping));
    rig.join_with(desc.with_motor(JointAxis::LinearX, spring), DVec3::ZERO, Vec3::X);
    let places = (0..hertz as usize).map(|_| {
        rig.run(hertz, 1.0 / hertz);
        rig.center(body).x - 0.5
    });
    let places = places.collect();
    let speed = rig.world.body(body).map_or(Double::NAN, |b| widen(b.linear_velocity.x));
    (places, speed)
}

fn spring(claims: &mut Claims) {
    let (mass, stiffness, damping) = (2.0, 50.0, 3.0);
    // x'' + 2 a x' + b² x = 0 through -0.5 at the times -h and 0: velocities are those of the middle of a
    // step.
    let (a, b2): (Double, Double) = (damping / (2.0 * mass), stiffness / mass);
    let omega = (b2 - a * a).sqrt();
    let errors = [60.0, 120.0, 240.0, 480.0].map(|hertz| {
        let h = 1.0 / hertz;
        let other = ((omega * h).cos() - (-a * h).exp()) / (omega * h).sin();
        let exact = -0.5 * (-a).exp() * (omega.cos() + other * omega.sin());
        let (places, _) = oscillate(mass, stiffness, damping, hertz);
        places.last().map_or(Double::NAN, |x| (x - exact).abs())
    });
    at_least(claims, "spring: order to the continuous motion", slope(&errors), 1.9);
    let (places, speed) = oscillate(mass, 1e9, 0.0, 60.0);
    let far = places.iter().skip(1).fold(0.0, |m: Double, x| m.max(x.abs()));
    at_most(claims, "spring of 1e9 N/m: place after the second step", far, 1e-4, "m");
    at_most(claims, "spring of 1e9 N/m: speed at the end", speed.abs(), 1e-3, "m/s");
}

/// A motor with a largest torque turns a wheel up to its speed.
fn motor(claims: &mut Claims) {
    let mut rig = Rig::default();
    let wheel = rig.body(DVec3::ZERO, 1.0, 0.5);
    let desc = JointDesc::new(JointKind::Revolute, [None, Some(wheel)]);
    let motor = Motor::velocity(10.0, 4.0);
    rig.join_with(desc.with_motor(JointAxis::AngularX, motor), DVec3::ZERO, Vec3::Z);
    let mut worst: Double = 0.0;
    for k in 1..=120 {
        rig.run(60.0, 1.0 / 60.0);
        let spin = rig.world.body(wheel).map_or(Double::NAN, |b| widen(b.angular_velocity.z));
        let exact = (4.0 / 0.5 * k as Double / 60.0).min(10.0);
        worst = worst.max((spin - exact).abs() / 10.0);
    }
    at_most(claims, "motor: speed under its largest torque", worst, 1e-4, "");
}

/// Three bodies in a row, each fixed to the last, the first to a wall.
fn cantilever(claims: &mut Claims) {
    let mut rig = Rig::default();
    let masses = [1.0, 10.0, 100.0];
    let mut last = None;
    let mut walls = Vec::new();
    for (i, mass) in masses.into_iter().enumerate() {
        let at = i as Double;
        let body = rig.body(DVec3::X * (at + 0.5), mass, 0.1 * mass);
        walls.push(rig.join(JointKind::Fixed, [last, Some(body)], DVec3::X * at, Vec3::X));
        last = Some(body);
    }
    let (_, solved) = rig.run(60.0, 2.0);
    let mut worst: Double = 0.0;
    for (i, &id) in walls.iter().enumerate() {
        let (force, torque) = rig.world.joint(id).map_or((Vec3::NAN, Vec3::NAN), |j| j.reaction());
        let outer = || masses.iter().enumerate().skip(i);
        let weight: Double = outer().map(|(_, m)| m * G).sum();
        let moment: Double = outer().map(|(k, m)| m * G * (k as Double + 0.5 - i as Double)).sum();
        let errors = [
            (widen3(force) - DVec3::Y * weight).length() / weight,
            (widen3(torque) - DVec3::Z * moment).length() / moment,
        ];
        worst = errors.into_iter().fold(worst, |m, e| if e > m || e.is_nan() { e } else { m });
    }
    let worst = if solved { worst } else { Double::NAN };
    at_most(claims, "cantilever of 1, 10, 100 kg: reactions, relative", worst, 1e-4, "");
}
