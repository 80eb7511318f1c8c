//! The ellipse on a tabletop (Anitescu, Miller, Hart 2003): frames, infeasibility for several γ, its order.

use std::path::Path;

use orthant::math::{DVec3, Double, sin_cos_double, widen_mat3, widen3};

use super::{Outcome, draw};
use crate::draw::plot::{Chart, Line, LineStyle};
use crate::draw::solid::{PALETTE, Rgb, Solid};
use crate::draw::{Camera, Strip, Tiles};
use crate::measure::{fitted_slope, slope};
use crate::scenes::ellipse::{self, CURVATURE, DURATION, Ellipse, GAMMAS, STEP};

/// Step lengths (s) of the order.
const STEPS: [Double; 6] = [0.1, 0.05, 0.025, 0.0125, 0.00625, 0.003125];

/// Overlaps of a run, m, and what tells how they decay.
struct Run {
    infeasibility: Vec<Double>,
    /// Largest part of the bound `(1 - γ) I + C h² ω²` that a step used (–).
    used: Double,
    unsolved: usize,
}

fn run(gamma: Double, dt: Double) -> Result<Run, String> {
    let moments = ellipse::drop(&ellipse::settings(gamma), dt)?;
    let mut last = 0.0;
    let mut used: Double = 0.0;
    for m in &moments {
        let bound = (1.0 - gamma) * last + CURVATURE * (dt * m.turning).powi(2);
        if m.infeasibility > 1e-9 {
            used = used.max(m.infeasibility / bound);
        }
        last = m.infeasibility;
    }
    let unsolved = moments.iter().filter(|m| !m.solved).count();
    Ok(Run { infeasibility: moments.iter().map(|m| m.infeasibility).collect(), used, unsolved })
}

fn average(list: &[Double]) -> Double {
    list.iter().sum::<Double>() / list.len().max(1) as Double
}

fn largest(list: &[Double]) -> Double {
    list.iter().copied().fold(0.0, Double::max)
}

/// The experiment.
pub fn perform(out: &Path) -> Outcome {
    println!(
        "| γ | average I [mm] | largest I [mm] | at the end | I⁺ / ((1-γ) I + C h² ω²) | unsolved |"
    );
    println!("|---|---|---|---|---|---|");
    let mut lines = Vec::new();
    for gamma in GAMMAS {
        let Run { infeasibility: list, used, unsolved } = run(gamma, STEP)?;
        let [mean, most, end] =
            [average(&list), largest(&list), *list.last().unwrap_or(&0.0)].map(|x| 1e3 * x);
        println!("| {gamma} | {mean:.3} | {most:.2} | {end:.4} | {used:.3} | {unsolved} |");
        let points = list.iter().enumerate().map(|(l, i)| ((l + 1) as Double * STEP, *i));
        let (label, points) = (format!("γ = {gamma}"), points.collect());
        lines.push(Line { label, points, style: LineStyle::Thin });
    }
    let chart = Chart {
        title: format!("Ellipse on a tabletop: infeasibility, h = {STEP} s"),
        axes: ["t [s]".to_owned(), "I [m]".to_owned()],
        log_x: false,
        floor: 1e-9,
        lines,
    };
    draw(out, "ellipse_over_time.svg", &chart)?;
    order(out)?;
    std::fs::write(out.join("ellipse_frames.svg"), frames()?.to_svg())?;
    Ok(())
}

/// How the infeasibility falls with h.
fn order(out: &Path) -> Outcome {
    println!("\n| γ | h [s] | average I [mm] | slope | largest I [mm] | slope |");
    println!("|---|---|---|---|---|---|");
    let mut lines = Vec::new();
    for gamma in [1.0, 0.5] {
        let (mut averages, mut maxima) = (Vec::new(), Vec::new());
        for dt in STEPS {
            let list = run(gamma, dt)?.infeasibility;
            averages.push((dt, average(&list)));
            maxima.push((dt, largest(&list)));
            let steep = |points: &[(Double, Double)]| match points {
                [.., a, b] => slope(*a, *b).map_or("–".to_owned(), |s| format!("{s:.2}")),
                _ => "–".to_owned(),
            };
            let [mean, most] =
                [averages.last(), maxima.last()].map(|p| p.map_or(0.0, |p| 1e3 * p.1));
            let [a, b] = [steep(&averages), steep(&maxima)];
            println!("| {gamma} | {dt} | {mean:.5} | {a} | {most:.4} | {b} |");
        }
        let fit = |points: &[(Double, Double)]| fitted_slope(points.iter().copied()).unwrap_or(0.0);
        println!("| {gamma} | ≤ 0.02 | fitted | {:.2} | | {:.2} |", fit(&averages), fit(&maxima));
        for (what, points) in [("average", averages), ("maximum", maxima)] {
            let label = format!("{what}, γ = {gamma}");
            lines.push(Line { label, points, style: LineStyle::Dots });
        }
    }
    let chart = Chart {
        title: "Ellipse on a tabletop: infeasibility over the step length".to_owned(),
        axes: ["h [s]".to_owned(), "I [m]".to_owned()],
        log_x: true,
        floor: 1e-9,
        lines,
    };
    draw(out, "ellipse_over_h.svg", &chart)
}

/// Ten frames, as the paper shows.
fn frames() -> Result<Strip, String> {
    let [a, b] = ellipse::AXES;
    let rim = (0..64).map(|k| {
        let (sin, cos) = sin_cos_double(core::f64::consts::TAU * f64::from(k) / 64.0);
        DVec3::new(a * cos, b * sin, 0.0)
    });
    let solid = Solid::plate(&rim.collect::<Vec<_>>(), PALETTE[0]);
    let mut strip = Strip::new(Camera::front(), DVec3::new(0.0, 0.3, 1.0), 5);
    strip.add_tiles(Tiles {
        corner: DVec3::new(-8.0, -0.4, -1.0),
        sides: [(DVec3::X * 16.0, 8), (DVec3::Y * 0.4, 1)],
        colors: [Rgb::hex(0xe4e8ee), Rgb::hex(0xd8dde5)],
        shadows: false,
    });
    let mut ellipse = Ellipse::new()?;
    let settings = ellipse::settings(1.0);
    let moments = [0.0, 0.5, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, DURATION];
    for step in 0..=(DURATION / STEP).round() as usize {
        let time = step as Double * STEP;
        if moments.iter().any(|m| (m - time).abs() < 0.5 * STEP)
            && let Some(body) = ellipse.world.body(ellipse.id)
        {
            let placed = solid.placed(widen3(body.position()), widen_mat3(body.rotation_matrix()));
            strip.add_frame(format!("t = {time:.2} s"), vec![placed]);
        }
        ellipse.advance(&settings, STEP);
    }
    Ok(strip)
}
