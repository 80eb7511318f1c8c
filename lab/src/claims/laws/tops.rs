//! Tops: a disc on a stick whose tip is held by a ball joint, and a cone that spins on the ground.

use orthant::engine::body::BodyDesc;
use orthant::engine::collider::{Collider, Material};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::shape::Shape;
use orthant::math::{
    DVec3, Double, PI_DOUBLE, Quat, Vec3, narrow, narrow3, quat_rotate_double, sin_cos_double,
    widen_quat,
};

use super::{Lab, at_most, heavy, point, worst};
use crate::claims::Claims;
use crate::support::reference::{Top, about_z};

/// Tilt at the start (rad).
const TILT: Double = 0.5;

/// A thin disc (m) around the end of a stick without mass.
const RADIUS: Double = 0.3;
const STICK: Double = 0.5;

/// On a joint, and on the ground.
pub fn measure(claims: &mut Claims) {
    for spin in [30.0, 60.0, 100.0, 200.0] {
        jointed(claims, spin);
    }
    for spin in [30.0, 60.0, 100.0, 150.0] {
        grounded(claims, spin);
    }
}

/// A rotation of the y axis toward x (rad).
fn leaning(tilt: Double) -> Quat {
    let q = about_z(-tilt).map(narrow);
    Quat::from_xyzw(q[0], q[1], q[2], q[3])
}

fn jointed(claims: &mut Claims, spin: Double) {
    let mut lab = Lab::new();
    let across = 0.25 * RADIUS * RADIUS;
    let axial = 2.0 * across;
    let axis = DVec3::new(TILT.sin(), TILT.cos(), 0.0);
    let id = lab.add(BodyDesc {
        rotation: leaning(TILT),
        angular_velocity: narrow3(axis * spin),
        ..heavy(1.0, DVec3::new(across, axial, across), axis * STICK)
    });
    let tip = DVec3::Y * -STICK;
    lab.join(JointDesc::to_world(JointKind::Spherical, id).with_anchors(Vec3::ZERO, narrow3(tip)));
    let (mut tilt, mut apart): (Double, Double) = (0.0, 0.0);
    for _ in 0..lab.steps(10.0) {
        lab.step();
        let body = lab.body(id);
        apart = worst(apart, point(body, tip).length());
        tilt = worst(tilt, lean(widen_quat(body.rotation())));
    }
    let top = Top { mass: 1.0, length: STICK, axial, across: across + STICK * STICK };
    let exact = top.largest_tilt(TILT, spin, 10.0);
    let what = format!("top on a ball joint at {spin} rad/s, 10 s");
    let figure = format!("{tilt:.3} of {exact:.3} rad");
    let holds = (tilt - exact).abs() <= 0.1 * exact;
    claims.add(&format!("{what}: largest tilt"), &figure, "within 10 %", holds);
    at_most(claims, &format!("{what}: joint"), apart, 1e-3, "m");
}

/// Angle of the y axis of a rotation from the plumb (rad).
fn lean(q: [Double; 4]) -> Double {
    quat_rotate_double(q, DVec3::Y).y.clamp(-1.0, 1.0).acos()
}

/// A cone of 0.4 m with a tip of one point: largest tilt over 5 s at 60 Hz and at 960 Hz, or when it falls
/// until its rim strikes.
fn grounded(claims: &mut Claims, spin: Double) {
    // The rim is 0.2 m from the axis.
    let down = 2.0_f64.atan();
    let [coarse, fine] = [60.0, 960.0].map(|hertz| {
        let mut lab = Lab::at(hertz);
        let material = Material::new(0.8);
        let collider = |shape| Collider { material, ..Collider::new(shape) };
        let ground = Shape::half_space(Vec3::Y).expect("a direction");
        let kind = orthant::engine::body::BodyKind::Static;
        lab.add(BodyDesc { kind, colliders: vec![collider(ground)], ..BodyDesc::default() });
        let rim = (0..24).map(|k| {
            let (sin, cos) = sin_cos_double(2.0 * PI_DOUBLE * Double::from(k) / 24.0);
            narrow3(DVec3::new(0.2 * cos, 0.4, 0.2 * sin))
        });
        let points: Vec<Vec3> = core::iter::once(Vec3::ZERO).chain(rim).collect();
        let cone = Shape::convex_hull(&points).expect("a hull");
        let tilt: Double = 0.2;
        let axis = DVec3::new(tilt.sin(), tilt.cos(), 0.0);
        let id = lab.add(BodyDesc {
            colliders: vec![collider(cone)],
            density: 50.0,
            rotation: leaning(tilt),
            angular_velocity: narrow3(axis * spin),
            // The tip is at rest on the ground.
            ..BodyDesc::default()
        });
        let (mut largest, mut fell) = (0.0, None);
        for step in 1..=lab.steps(5.0) {
            lab.step();
            largest = worst(largest, lean(widen_quat(lab.body(id).rotation())));
            if largest >= down {
                fell = Some(step as Double / hertz);
                break;
            }
        }
        (largest, fell)
    });
    let what = format!("top on the ground at {spin} rad/s, 5 s");
    let (what, unit, [coarse, fine]) = match (coarse, fine) {
        ((_, Some(coarse)), (_, Some(fine))) => (format!("{what}: falls"), "s", [coarse, fine]),
        ((coarse, _), (fine, _)) => (format!("{what}: largest tilt"), "rad", [coarse, fine]),
    };
    let figure = format!("{coarse:.3} of {fine:.3} {unit}");
    let holds = (coarse - fine).abs() <= 0.1 * fine;
    claims.add(&what, &figure, "within 10 % of 960 Hz", holds);
}
