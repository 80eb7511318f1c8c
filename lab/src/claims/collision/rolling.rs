//! Balls that roll: the laws have exact discrete answers.

use orthant::math::{Double, Real, sin, widen};

use super::{at_most, by_precision};
use crate::claims::Claims;
use crate::support::slopes::{G, along, material, roll, slope, way_to_rest};
use crate::support::{DT, body, run_with, settings};

/// A ball down a slope, and one that is slowed on a level plane.
pub fn measure(claims: &mut Claims) {
    let mut worst: Double = 0.0;
    for angle in [0.05, 0.1, 0.2, 0.3] {
        let (mut world, id) = slope(angle, material(0.0, 0.0));
        run_with(&mut world, 60, &settings());
        let speed = widen(body(&world, id).linear_velocity.dot(along(angle)));
        let exact = 60.0 * widen(DT) * 5.0 / 7.0 * widen(G * sin(angle));
        worst = worst.max((speed / exact - 1.0).abs());
    }
    let bar = by_precision(1e-3, 1e-6);
    at_most(claims, "a ball on an incline: 5/7 g sin α, relative error", worst, bar);

    let mut worst: Double = 0.0;
    let cases: [(Real, Real); 3] = [(1.5, 0.02), (3.0, 0.05), (0.7, 0.01)];
    for (start, rolling) in cases {
        let (mut world, id) = roll(start, rolling);
        run_with(&mut world, 600, &settings());
        let ball = body(&world, id);
        let distance = widen(way_to_rest(start, rolling));
        let error = (widen(ball.center().x) / distance - 1.0).abs();
        let rests = ball.linear_velocity.length() < 1e-4;
        worst = worst.max(if rests { error } else { Double::INFINITY });
    }
    at_most(claims, "rolling resistance: distance to rest, relative error", worst, 1e-3);
}
