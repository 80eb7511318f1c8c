//! Mechanisms: energy, joint error and trajectories against references in minimal coordinates.

#![allow(clippy::disallowed_methods, reason = "closed forms are compared within a tolerance")]

use std::path::Path;

use orthant::engine::body::BodyId;
use orthant::engine::joint::{JointAxis, JointDesc, JointKind, Motor};
use orthant::math::{DVec3, Double, PI_DOUBLE, Vec3};
use serde_json::Value;

use super::{Rig, at_least, at_most, slope};
use crate::cases;
use crate::cases::json::numbers;
use crate::claims::Claims;

/// Time of the references (s).
const TIME: Double = 2.0;

/// Trajectories, energy and friction.
pub fn measure(claims: &mut Claims) {
    for (name, make) in MECHANISMS {
        converges(claims, name, make);
    }
    frictionless(claims);
    slider_crank(claims);
}

/// A mechanism and the bodies that the reference knows.
type Make = fn() -> (Rig, Vec<BodyId>);

const MECHANISMS: [(&str, Make); 4] =
    [("pendulum", pendulum), ("double pendulum", double), ("four-bar", four_bar), ("door", door)];

/// A point at a distance in the direction of an angle from x.
fn polar(length: Double, angle: Double) -> DVec3 {
    DVec3::new(length * angle.cos(), length * angle.sin(), 0.0)
}

fn pendulum() -> (Rig, Vec<BodyId>) {
    let mut rig = Rig::default();
    let bob = rig.body(DVec3::X, 1.0, 0.1);
    rig.join(JointKind::Spherical, [None, Some(bob)], DVec3::ZERO, Vec3::Z);
    (rig, vec![bob])
}

fn double() -> (Rig, Vec<BodyId>) {
    let mut rig = Rig::default();
    let middle = polar(1.0, -PI_DOUBLE / 6.0);
    let end = middle + polar(1.0, -PI_DOUBLE / 3.0);
    let upper = rig.rod(DVec3::ZERO, middle, 1.0);
    let lower = rig.rod(middle, end, 1.0);
    rig.join(JointKind::Spherical, [None, Some(upper)], DVec3::ZERO, Vec3::Z);
    rig.join(JointKind::Spherical, [Some(upper), Some(lower)], middle, Vec3::Z);
    (rig, vec![upper, lower])
}

fn four_bar() -> (Rig, Vec<BodyId>) {
    let mut rig = Rig::default();
    let (crank, coupler, rocker) = (0.5, 2.0, 1.5);
    let ground = DVec3::X * 2.0;
    let p = polar(crank, PI_DOUBLE / 3.0);
    let across: DVec3 = ground - p;
    let d = across.length();
    let turn = ((coupler * coupler + d * d - rocker * rocker) / (2.0 * coupler * d)).acos();
    let q = p + polar(coupler, across.y.atan2(across.x) + turn);
    let bodies = [rig.rod(DVec3::ZERO, p, 1.0), rig.rod(p, q, 2.0), rig.rod(q, ground, 1.5)];
    let [a, b, c] = bodies.map(Some);
    // Four hinges about z: three of their rows each are one too many, but consistent.
    rig.join(JointKind::Revolute, [None, a], DVec3::ZERO, Vec3::Z);
    rig.join(JointKind::Revolute, [a, b], p, Vec3::Z);
    rig.join(JointKind::Revolute, [b, c], q, Vec3::Z);
    rig.join(JointKind::Revolute, [c, None], ground, Vec3::Z);
    (rig, bodies.to_vec())
}

/// A door on three hinges of an axis along y; gravity leans instead of the axis.
fn door() -> (Rig, Vec<BodyId>) {
    let mut rig = Rig::default();
    let lean = PI_DOUBLE / 6.0;
    let g = 9.81;
    rig.settings.gravity = super::single(DVec3::new(0.0, -g * lean.cos(), g * lean.sin()));
    let leaf = rig.body(DVec3::X * 0.5, 2.0, 0.3);
    for height in [-0.8, 0.0, 0.8] {
        let hinge = DVec3::Y * height;
        rig.join(JointKind::Revolute, [None, Some(leaf)], hinge, Vec3::Y);
    }
    (rig, vec![leaf])
}

/// Places of the bodies of a mechanism at the end, from the file beside the script.
fn reference(name: &str) -> Vec<[Double; 2]> {
    let path = Path::new(crate::ROOT).join("tests/cases/joints/reference.json");
    let text = std::fs::read_to_string(path).expect("the file is in the repository");
    let all: Value = serde_json::from_str(&text).expect("the script writes JSON");
    let places = all[name].as_array().expect("the script knows this mechanism");
    let place = |v: &Value| numbers(v).and_then(|v| v.try_into().ok()).expect("two numbers");
    places.iter().map(place).collect()
}

fn converges(claims: &mut Claims, name: &str, make: Make) {
    let wanted = reference(name);
    let rates = [60.0, 240.0, 480.0, 960.0, 1920.0, 3840.0];
    let errors = rates.map(|hertz| {
        let (mut rig, bodies) = make();
        let (_, solved) = rig.run(hertz, TIME);
        let far = bodies.iter().zip(&wanted).map(|(&id, &[x, y])| {
            let at = rig.center(id);
            // The door swings about y, from z.
            let at = if name == "door" { DVec3::new(at.x, at.z, 0.0) } else { at };
            (at - DVec3::new(x, y, 0.0)).truncate().length()
        });
        let far = far.fold(0.0, Double::max);
        if solved { far } else { Double::NAN }
    });
    let slopes: Vec<Double> = errors.windows(2).map(slope).collect();
    eprintln!("    {name}: errors {errors:.4?} m, orders {slopes:.4?}");
    // Of the smallest steps: the order is a limit.
    at_least(claims, &format!("{name}: order to the reference"), slope(&errors[2..]), 1.0);
}

/// Energy of a double pendulum without friction, and how its joint error falls.
fn frictionless(claims: &mut Claims) {
    let (mut drifts, mut errors) = (Vec::new(), Vec::new());
    for hertz in [60.0, 120.0, 240.0, 480.0, 960.0] {
        let (mut rig, bodies) = double();
        let begin = rig.energy(&bodies);
        let (mut drift, mut error): (Double, Double) = (0.0, 0.0);
        for _ in 0..600 {
            let (e, _) = rig.run(hertz, 0.1);
            error = error.max(e);
            drift = drift.max((rig.energy(&bodies) - begin).abs());
        }
        drifts.push(drift);
        errors.push(error);
    }
    let falls = drifts.windows(2).all(|w| w[1] < w[0]);
    let list: Vec<String> = drifts.iter().map(|d| format!("{d:.1e}")).collect();
    let what = "double pendulum, 60 s: energy drift at 60 … 960 Hz falls";
    claims.add(what, &format!("{} J", list.join(" ")), "each below the last", falls);
    // In single precision rounding is above the error of the smallest steps.
    let of = if cases::is_double() { &errors[..] } else { &errors[..3] };
    eprintln!("    double pendulum: joint error {:.3} mm at 60 Hz", 1e3 * errors[0]);
    at_least(claims, "double pendulum: order of the joint error", slope(of), 1.9);
}

/// A crank with a motor of 2 N·m drives a slider with dry friction in its guide.
fn slider_crank(claims: &mut Claims) {
    for (friction, moves) in [(200.0, false), (0.5, true)] {
        let mut rig = Rig::default();
        let (p, q) = (DVec3::Y * 0.5, DVec3::X * 1.5);
        let crank = rig.rod(DVec3::ZERO, p, 1.0);
        let rod = rig.rod(p, q, 1.0);
        let slider = rig.body(q, 1.0, 0.1);
        let motor = Motor::velocity(2.0, 2.0);
        let drive = JointDesc::new(JointKind::Revolute, [None, Some(crank)])
            .with_motor(JointAxis::AngularX, motor);
        rig.join_with(drive, DVec3::ZERO, Vec3::Z);
        rig.join(JointKind::Spherical, [Some(crank), Some(rod)], p, Vec3::Z);
        rig.join(JointKind::Spherical, [Some(rod), Some(slider)], q, Vec3::Z);
        let guide = JointDesc::new(JointKind::Prismatic, [None, Some(slider)])
            .with_friction(JointAxis::LinearX, friction);
        rig.join_with(guide, q, Vec3::X);
        let (mut way, mut solved): (Double, bool) = (0.0, true);
        for _ in 0..120 {
            solved &= rig.run(60.0, 1.0 / 60.0).1;
            way = way.max((rig.center(slider) - q).length());
        }
        let residual = rig.world.report().joint_residual;
        let what = format!("slider–crank, friction {friction} N: way");
        eprintln!("    {what}: residual {residual:.0e} m/s");
        if moves {
            claims.add(&what, &format!("{way:.3e} m"), "≥ 0.1 m", way >= 0.1 && solved);
        } else {
            at_most(claims, &what, if solved { way } else { Double::NAN }, 1e-4, "m");
        }
    }
}
