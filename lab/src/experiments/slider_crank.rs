//! The slider-crank that gets stuck where its friction cone is not pointed.

use std::path::Path;

use orthant::math::Double;

use super::Outcome;
use crate::scenes::slider_crank::{not_pointed_from, stuck_at, turn};

/// The experiment.
pub fn perform(_: &Path) -> Outcome {
    println!(
        "| clearance [mm] | μ | stuck at, closed form | cone not pointed from | crank came to |"
    );
    println!("|---|---|---|---|---|");
    let degrees = |angle: Option<Double>| {
        angle.map_or("–".to_owned(), |angle| format!("{:.2}°", angle.to_degrees()))
    };
    for (clearance, friction) in [
        (1e-4, 0.0),
        (1e-4, 0.5),
        (1e-4, 0.7),
        (1e-4, 0.8),
        (1e-4, 1.0),
        (1e-4, 1.5),
        (0.0, 0.0),
        (0.0, 0.5),
        (0.0, 1.0),
    ] {
        println!(
            "| {} | {friction} | {} | {} | {:.2}° |",
            1e3 * clearance,
            degrees(stuck_at(friction)),
            degrees(not_pointed_from(friction, clearance == 0.0)?),
            turn(friction, clearance)?.to_degrees(),
        );
    }
    Ok(())
}
