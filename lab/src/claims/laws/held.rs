//! What is supported along one line turns about it, however slowly it begins.
//!
//! From a balance an angle grows as `e^{λt}`. A time is then right to within a step, in which it is seen;
//! `T h λ / 2`, since a step of first order, as of all that touches, has the rate to `h λ / 2` of itself; and
//! `δ / (a λ)`, where the lever `a` of the weight is the difference of coordinates that are rounded by `δ`.

use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::shape::Shape;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{
    DVec3, Double, Quat, Real, SymMat3, Vec3, narrow, narrow3, quat_rotate_double, widen,
    widen_quat,
};

use super::{G, Lab};
use crate::claims::Claims;
use crate::support::reference::{about_z, time_to_turn};

/// A box on its edge, a seesaw.
pub fn measure(claims: &mut Claims) {
    box_on_edge(claims);
    seesaw(claims);
}

fn fixed(lab: &mut Lab, shape: Shape, position: DVec3) {
    let (kind, position) = (BodyKind::Static, narrow3(position));
    let desc =
        BodyDesc { kind, shape: Some(shape), position, friction: 1.0, ..BodyDesc::default() };
    lab.add(desc);
}

/// Time (s) in which a body turns about z by an angle (rad) from where it began, at most 20 s.
fn turns(lab: &mut Lab, id: BodyId, angle: Double) -> Double {
    let x = |lab: &Lab| quat_rotate_double(widen_quat(lab.body(id).rotation()), DVec3::X);
    let begin = x(lab);
    for step in 1..=lab.steps(20.0) {
        lab.step();
        if begin.angle_between(x(lab)) >= angle {
            return step as Double * widen(lab.dt);
        }
    }
    Double::INFINITY
}

/// A claim on a time (s) in which an angle grows with a rate [1/s], from a lever (m).
fn right(claims: &mut Claims, what: &str, [time, exact]: [Double; 2], rate: Double, lever: Double) {
    let h = 1.0 / 60.0;
    // Two coordinates of up to a meter.
    let rounded = 2.0 * widen(Real::EPSILON);
    let bar = h + exact * h * rate / 2.0 + rounded / (lever * rate);
    let figure = format!("{time:.3} of {exact:.3} s");
    claims.add(what, &figure, &format!("within {bar:.3} s"), (time - exact).abs() <= bar);
}

/// A cube of 0.4 m on an edge across two slabs, 1e-5 rad off its balance.
fn box_on_edge(claims: &mut Claims) {
    let mut lab = Lab::new();
    for side in [-0.3, 0.3] {
        let slab = Shape::cuboid(2.0, 0.2, 0.4).expect("a slab");
        fixed(&mut lab, slab, DVec3::new(0.0, -0.1, side));
    }
    let (edge, off): (Double, Double) = (0.4, 1e-5);
    let to_center = edge * core::f64::consts::FRAC_1_SQRT_2;
    let shape = Shape::cuboid(narrow(edge), narrow(edge), 1.0).expect("a box");
    let q = about_z(core::f64::consts::FRAC_PI_4 - off).map(narrow);
    let id = lab.add(BodyDesc {
        shape: Some(shape),
        position: narrow3(DVec3::new(to_center * off.sin(), to_center * off.cos(), 0.0)),
        rotation: Quat::from_xyzw(q[0], q[1], q[2], q[3]),
        friction: 1.0,
        ..BodyDesc::default()
    });
    // m d² + m a²/6 about the edge, d² = a²/2.
    let rate = G * to_center / (edge * edge * (0.5 + 1.0 / 6.0));
    let exact = time_to_turn(off, 0.3, |angle| rate * angle.sin());
    let time = turns(&mut lab, id, 0.3 - off);
    let what = "a box on its edge across two slabs, 1e-5 rad off: falls";
    right(claims, what, [time, exact], rate.sqrt(), to_center * off);
}

/// A plank on two knives in one line, its center 10 µm beside it.
fn seesaw(claims: &mut Claims) {
    let mut lab = Lab::new();
    for side in [-0.35, 0.35] {
        let points = [-0.1, 0.1]
            .map(|z| [(-0.2, -0.3), (0.2, -0.3), (0.0, 0.0)].map(|(x, y)| Vec3::new(x, y, z)));
        let knife = Shape::convex_hull(&points.concat()).expect("a prism");
        fixed(&mut lab, knife, DVec3::Z * side);
    }
    let (length, thick, off): (Double, Double, Double) = (2.0, 0.1, 1e-5);
    let spin = (length * length + thick * thick) / 12.0;
    let wide = 1.0;
    let inertia = DVec3::new((thick * thick + wide) / 12.0, (length * length + wide) / 12.0, spin);
    let properties = MassProperties {
        mass: 1.0,
        center_of_mass: Vec3::X * narrow(off),
        inertia: SymMat3::diagonal(narrow3(inertia)),
    };
    let id = lab.add(BodyDesc {
        shape: Shape::cuboid(narrow(length), narrow(thick), narrow(wide)).ok(),
        mass_properties: Some(properties),
        position: Vec3::Y * narrow(0.5 * thick),
        friction: 1.0,
        ..BodyDesc::default()
    });
    let up = 0.5 * thick;
    let about = spin + up * up + off * off;
    let exact = time_to_turn(0.0, 0.1, |a| G * (up * a.sin() + off * a.cos()) / about);
    let time = turns(&mut lab, id, 0.1);
    let what = "a seesaw on two knives, 10 µm off: tips";
    right(claims, what, [time, exact], (G * up / about).sqrt(), off);
}
