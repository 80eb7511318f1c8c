//! Steps of other lengths: reactions do not tremble, springs are of second order and stable.

use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointAxis, JointDesc, JointFrame, JointKind, Motor};
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, Vec3, narrow, widen, widen3};

use super::{G, Lab, at_least, at_most, heavy, slope, worst};
use crate::cases;
use crate::claims::Claims;

/// Contacts, hinges, springs.
pub fn measure(claims: &mut Claims) {
    for h in [1e-3, 1e-4] {
        contact(claims, h);
        hinge(claims, h);
    }
    spring_order(claims);
    spring_is_stable(claims);
}

/// Acceleration (of g) that the solver's tolerance of 1e-5 m/s makes in a step of 1/60 s. In shorter steps
/// forces are to be as quiet.
const QUIET: Double = 1e-5 * 60.0 / G;

/// Largest second difference of values, which sums four of them: of smooth ones it is `h² F''`.
fn tremble(values: &[DVec3]) -> Double {
    let second = |w: &[DVec3]| (w[0] - w[1] * 2.0 + w[2]).length();
    values.windows(3).map(second).fold(0.0, worst)
}

/// Three cubes on each other, the top one pushed by a force that slowly changes, a third of a second.
fn contact(claims: &mut Claims, h: Double) {
    let mut lab = Lab::at(1.0 / h);
    let ground = Shape::half_space(Vec3::Y).ok();
    let floor = lab.add(BodyDesc { kind: BodyKind::Static, shape: ground, ..BodyDesc::default() });
    let ids: Vec<BodyId> = [0.5, 1.5, 2.5]
        .map(|y| {
            let shape = Shape::cuboid(1.0, 1.0, 1.0).ok();
            lab.add(BodyDesc { shape, position: Vec3::Y * y, ..BodyDesc::default() })
        })
        .to_vec();
    let mut forces = Vec::new();
    let (mut off, steps): (Double, usize) = (0.0, lab.steps(0.3));
    for step in 0..steps {
        let push = 0.1 * G * (2.0 * step as Double * h).sin();
        let top = lab.world.body_mut(ids[2]).expect("the body is there");
        top.apply_force(Vec3::X * narrow(push));
        lab.step();
        let contacts = lab.world.contacts().filter(|contact| contact.bodies[0] == floor);
        let force = contacts.map(|contact| widen3(contact.impulse)).sum::<DVec3>() / widen(lab.dt);
        if step >= steps / 3 {
            forces.push(force);
            off = worst(off, (force - DVec3::new(-push, 3.0 * G, 0.0)).length());
        }
    }
    let what = format!("three cubes, pushed slowly, h = {h:.0e} s: the floor's force");
    at_most(claims, &format!("{what}, off"), off / (3.0 * G), QUIET, "of weight");
    at_most(
        claims,
        &format!("{what}, trembling"),
        tremble(&forces) / (3.0 * G),
        4.0 * QUIET,
        "of weight",
    );
}

/// A pendulum of 1 m on a hinge, released at half a radian, a third of a second.
fn hinge(claims: &mut Claims, h: Double) {
    let mut lab = Lab::at(1.0 / h);
    let angle: Double = 0.5;
    let arm = DVec3::new(angle.sin(), -angle.cos(), 0.0);
    let id = lab.add(heavy(1.0, DVec3::splat(0.1), arm));
    let frames =
        [DVec3::ZERO, -arm].map(|at| JointFrame::along(orthant::math::narrow3(at), Vec3::Z));
    let desc = JointDesc::to_world(JointKind::Revolute, id).with_frames(frames[0], frames[1]);
    let joint = lab.world.add_joint(desc).expect("a sound joint");
    let steps = lab.steps(0.3);
    let mut forces = Vec::new();
    for step in 0..steps {
        lab.step();
        if step >= steps / 3 {
            let (force, _) = lab.world.joint(joint).map_or_else(Default::default, |j| j.reaction());
            forces.push(widen3(force));
        }
    }
    // Of the motion itself: angles and forces change with (g/ℓ)^½ per second, h² times its square.
    let bar = 4.0 * QUIET + h * h * G * 4.0;
    let what = format!("pendulum on a hinge, h = {h:.0e} s: reaction, trembling");
    at_most(claims, &what, tremble(&forces) / G, bar, "of weight");
}

/// A mass of 2 kg on a spring, pulled out by 0.5 m: its place after a time (s), and how far it went in the
/// first half of it and in the second (m).
fn oscillate(
    hertz: Double,
    stiffness: Double,
    damping: Double,
    seconds: Double,
) -> (Double, [Double; 2]) {
    let mut lab = Lab::at(hertz).weightless();
    let id = lab.add(heavy(2.0, DVec3::ONE, DVec3::ZERO));
    let spring = Motor::spring(0.5, narrow(stiffness), narrow(damping));
    let desc = JointDesc::to_world(JointKind::Prismatic, id);
    lab.join(desc.with_motor(JointAxis::LinearX, spring));
    let place = |lab: &Lab| lab.center(id).x - 0.5;
    let (mut far, steps) = ([0.0; 2], lab.steps(seconds));
    for step in 0..steps {
        lab.step();
        let half = usize::from(2 * step >= steps);
        far[half] = worst(far[half], place(&lab).abs());
    }
    (place(&lab), far)
}

fn spring_order(claims: &mut Claims) {
    let (stiffness, damping): (Double, Double) = (50.0, 3.0);
    let (a, b2): (Double, Double) = (damping / 4.0, stiffness / 2.0);
    let omega = (b2 - a * a).sqrt();
    let exact = -0.5 * (-a).exp() * (omega.cos() + a / omega * omega.sin());
    // Coarser ones in single precision, whose rounding would hide the order.
    let rates =
        if cases::is_double() { [240.0, 480.0, 960.0, 1920.0] } else { [30.0, 60.0, 120.0, 240.0] };
    let errors = rates.map(|hertz| (oscillate(hertz, stiffness, damping, 1.0).0 - exact).abs());
    at_least(claims, "spring of 50 N/m: order to the continuous motion", slope(&errors), 1.9);
}

/// Whatever the stiffness, an undamped spring at 60 Hz stays bounded: it goes no farther later than first,
/// and never twice as far as it was pulled.
fn spring_is_stable(claims: &mut Claims) {
    let (mut grows, mut far): (Double, Double) = (0.0, 0.0);
    for power in 0..=12 {
        let (_, [first, later]) = oscillate(60.0, 10.0_f64.powi(power), 0.0, 20.0);
        grows = worst(grows, later / first.max(0.5));
        far = worst(far, first.max(later) / 0.5);
    }
    let what = "springs of 1 to 1e12 N/m, 60 Hz, 20 s";
    at_most(claims, &format!("{what}: way gained later, of first"), grows - 1.0, 1e-3, "");
    at_most(claims, &format!("{what}: largest way, of pulled"), far, 2.0, "");
}
