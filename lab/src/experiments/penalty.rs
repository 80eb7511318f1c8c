//! How much smaller the steps of a penalty method are that overlaps by as much (thesis, chapters 1 and 7;
//! slides).
//!
//! The [ellipse](crate::scenes::ellipse) without friction, by complementarity with the step h, and by a
//! spring and damper at its lowest point with the stiffness k, critically damped, in semi-implicit steps.
//! For each h the k is found whose largest overlap is that of h, and then the largest step that still gives
//! it.

use std::path::Path;

use orthant::math::{Double, sin_cos_double};

use super::Outcome;
use crate::scenes::ellipse::{self, AXES};

/// Time in which overlaps are compared: the fall and some rocking (s).
const WATCHED: Double = 3.0;
/// Gravity [m/s²].
const G: Double = 9.81;

/// An ellipse of 1 kg under a penalty.
#[derive(Clone, Copy, Debug)]
pub struct Penalty {
    /// Semi-axes (m).
    pub axes: [Double; 2],
    /// Height of the center (m), its velocity [m/s], angle (rad), angular velocity [rad/s].
    pub state: [Double; 4],
    /// Stiffness [N/m].
    pub stiffness: Double,
}

impl Penalty {
    /// The ellipse of the experiment.
    pub fn ellipse(stiffness: Double) -> Self {
        Self { axes: AXES, state: [8.0, 0.0, 0.0, 3.0], stiffness }
    }

    /// Largest overlap within `time` (s) in steps of `h` seconds (m); infinite if it blows up.
    pub fn overlap(mut self, h: Double, time: Double) -> Double {
        let [a, b] = self.axes;
        let inertia = (a * a + b * b) / 4.0;
        let damping = 2.0 * self.stiffness.sqrt();
        let mut most: Double = 0.0;
        for _ in 0..(time / h).ceil() as usize {
            let [y, v, angle, turning] = self.state;
            let (sin, cos) = sin_cos_double(angle);
            let reach = ((a * sin) * (a * sin) + (b * cos) * (b * cos)).sqrt();
            // Φ = y - s(θ), so that ∇Φ = (1, -s').
            let slope = (a * a - b * b) * sin * cos / reach;
            let (gap, rate) = (y - reach, v - slope * turning);
            most = most.max(-gap);
            let push = if gap < 0.0 { -self.stiffness * gap - damping * rate } else { 0.0 };
            let push = push.max(0.0);
            let (v, turning) = (v + h * (push - G), turning - h * slope * push / inertia);
            self.state = [y + h * v, v, angle + h * turning, turning];
            if most.is_nan() || most > 2.0 || v.is_nan() || v.abs() > 100.0 {
                return Double::INFINITY;
            }
        }
        most
    }
}

/// Steps of a spring's time `1/ω` for what counts as exact.
const FINE: Double = 40.0;

/// The stiffness whose largest overlap is `overlap` (m), by bisection.
fn stiffness_for(overlap: Double) -> Double {
    let (mut low, mut high): (Double, Double) = (1e2, 1e11);
    for _ in 0..20 {
        let middle = (low * high).sqrt();
        let found = Penalty::ellipse(middle).overlap(1.0 / (FINE * middle.sqrt()), 1.5);
        if found > overlap { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}

/// The largest step with which a penalty overlaps by up to a half more, to a tenth.
fn step_for(stiffness: Double, overlap: Double) -> Double {
    let mut h = 4.0 / stiffness.sqrt();
    while Penalty::ellipse(stiffness).overlap(h, WATCHED) > 1.5 * overlap {
        h *= 0.9;
    }
    h
}

/// The experiment.
pub fn perform(_: &Path) -> Outcome {
    println!(
        "| h [s] | largest overlap [mm] | k for as much [N/m] | its largest step [s] | h over that |"
    );
    println!("|---|---|---|---|---|");
    for dt in [0.1, 0.05, 0.025, 0.0125, 0.00625, 0.003125] {
        let mut settings = ellipse::settings(1.0);
        settings.contact.friction = Some(0.0);
        let moments = ellipse::drop(&settings, dt)?;
        let watched = moments.iter().take((WATCHED / dt) as usize);
        let overlap = watched.map(|m| m.infeasibility).fold(0.0, Double::max);
        let stiffness = stiffness_for(overlap);
        let step = step_for(stiffness, overlap);
        println!(
            "| {dt} | {:.4} | {stiffness:.1e} | {step:.1e} | {:.0} |",
            1e3 * overlap,
            dt / step
        );
    }
    Ok(())
}
