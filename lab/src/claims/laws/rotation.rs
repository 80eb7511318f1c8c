//! Free rotation, and a cluster whose bodies collide: angular momentum stays.

use orthant::engine::body::{BodyDesc, BodyId};
use orthant::engine::lcp::Method;
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, narrow3, widen, widen_mat3, widen_quat};

use super::{Lab, angular_momentum, at_most, kinetic, spin, worst};
use crate::cases;
use crate::claims::Claims;
use crate::random::Rng;
use crate::support::reference::{angle, free_rotation, orders, rounding_of_rotation};

/// Sides of the box (m) and its angular velocity: about the middle axis, and a little about the others.
const SIDES: DVec3 = DVec3::new(1.0, 2.0, 3.0);
const SPIN: DVec3 = DVec3::new(0.01, 10.0, 0.02);

/// A minute of tumbling, the order of the rotation, the cluster.
pub fn measure(claims: &mut Claims) {
    tumbles(claims);
    order(claims);
    for (name, method) in [("Auto", Method::Auto), ("small steps", Method::Substeps)] {
        cluster(claims, name, method);
    }
}

fn tumbling(hertz: Double, spin: DVec3) -> (Lab, BodyId) {
    let mut lab = Lab::at(hertz).weightless();
    let sides = narrow3(SIDES);
    let shape = Shape::cuboid(sides.x, sides.y, sides.z).ok();
    let id = lab.add(BodyDesc { shape, angular_velocity: narrow3(spin), ..BodyDesc::default() });
    (lab, id)
}

fn tumbles(claims: &mut Claims) {
    let (mut lab, id) = tumbling(60.0, SPIN);
    let (momentum, energy) = (spin(lab.body(id)), kinetic(lab.body(id)));
    let (mut turned, mut grown, mut gained): (Double, Double, Double) = (0.0, 0.0, 0.0);
    for _ in 0..lab.steps(60.0) {
        lab.step();
        let now = spin(lab.body(id));
        let sine = now.cross(momentum).length() / (now.length() * momentum.length());
        turned = worst(turned, sine);
        grown = worst(grown, (now.length() / momentum.length() - 1.0).abs());
        gained = worst(gained, (kinetic(lab.body(id)) / energy - 1.0).abs());
    }
    let bar = if cases::is_double() { 1e-10 } else { 1e-5 };
    let what = "a box 1 × 2 × 3 at 10 rad/s, 60 s";
    at_most(claims, &format!("{what}: turn of L"), turned, bar, "rad");
    at_most(claims, &format!("{what}: size of L"), grown, bar, "");
    at_most(claims, &format!("{what}: energy"), gained, bar, "");
}

/// The error of the rotation after 2 s falls with h² wherever it is above rounding: that of a box that
/// tumbles about no axis in particular, since about the middle one every rounding grows.
fn order(claims: &mut Claims) {
    let (seconds, spin) = (2.0, DVec3::new(3.0, 2.0, 9.0));
    let rates = [60.0, 120.0, 240.0, 480.0];
    let errors = rates.map(|hertz| {
        let (mut lab, id) = tumbling(hertz, spin);
        let inertia = widen_mat3(lab.body(id).inertia().to_mat3());
        let axes = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
        lab.run(seconds);
        angle(widen_quat(lab.body(id).rotation()), free_rotation(axes, spin, seconds))
    });
    let steps = rates.map(|hertz| (seconds * hertz).round() as usize);
    let rounding = steps.map(|steps| rounding_of_rotation(steps, seconds * spin.length()));
    let orders = orders(&errors, &rounding);
    let least = orders.iter().copied().fold(Double::INFINITY, Double::min);
    let figure = format!("{:.1e} rad, {least:.2} ({})", errors[0], orders.len());
    let what = "a box 1 × 2 × 3, 2 s: rotation off at 60 Hz, order (halvings)";
    claims.add(what, &figure, "≥ 1.9", !orders.is_empty() && least >= 1.9);
}

/// Forty boxes that fly into each other without gravity, for ten seconds, four times.
fn cluster(claims: &mut Claims, name: &str, method: Method) {
    let (mut drift, mut drift_linear): (Double, Double) = (0.0, 0.0);
    for seed in 1..=4 {
        let [linear, angular] = collide(method, seed);
        (drift, drift_linear) = (worst(drift, angular), worst(drift_linear, linear));
    }
    let what = format!("40 boxes that collide, {name}, 10 s: drift of");
    at_most(claims, &format!("{what} L over Σ|L|"), drift, 1e-3, "");
    at_most(claims, &format!("{what} p over Σ|p|"), drift_linear, 1e-3, "");
}

/// Largest drift of momentum and angular momentum, over the sums of their parts at the start.
fn collide(method: Method, seed: u64) -> [Double; 2] {
    let mut lab = Lab::new().weightless();
    lab.settings.solver.method = method;
    let mut rng = Rng::new(seed);
    for i in 0..40_u8 {
        let (a, b, c) = (i % 4, i / 4 % 4, i / 16);
        let grid = DVec3::new(Double::from(a) - 1.5, Double::from(b) - 1.5, Double::from(c) - 0.75);
        let position = narrow3(grid * 0.9) + rng.vector(-0.1, 0.1);
        let sides = rng.vector(0.3, 0.6);
        let turning = rng.vector(-10.0, 10.0);
        lab.add(BodyDesc {
            shape: Shape::cuboid(sides.x, sides.y, sides.z).ok(),
            position,
            rotation: rng.rotation(),
            linear_velocity: position * -4.0 + rng.vector(-2.0, 2.0),
            angular_velocity: turning,
            ..BodyDesc::default()
        });
    }
    let [linear, angular] = lab.momentum();
    let sizes = |lab: &Lab| -> [Double; 2] {
        let speeds = lab.moving().map(|b| widen(b.mass()) * widen(b.linear_velocity.length()));
        let spins = lab.moving().map(|b| angular_momentum(b).length());
        [speeds.sum(), spins.sum()]
    };
    let [all_linear, all_angular] = sizes(&lab);
    let (mut drift, mut drift_linear): (Double, Double) = (0.0, 0.0);
    for _ in 0..lab.steps(10.0) {
        lab.step();
        let [p, l] = lab.momentum();
        drift = worst(drift, (l - angular).length() / all_angular);
        drift_linear = worst(drift_linear, (p - linear).length() / all_linear);
    }
    [drift_linear, drift]
}
