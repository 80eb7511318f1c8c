//! Error against time for every solver: `cargo run --release -p orthant_lab --bin
//! solver_compare -- [FILE.svg] [SCENE…]`.
//!
//! Each scene is played for [`SECONDS`] with every method and every budget: sweeps or small steps for
//! those that sweep, a tolerance for those that converge. Prints a table of the mean solve (ms) and the
//! worst residual [m/s] in the last half, and of the deepest overlap of the run, found from the
//! poses alone (mm); and draws the two errors over the time, a row for each scene.

use std::path::PathBuf;
use std::process::ExitCode;

use orthant::engine::lcp::Method;
use orthant::math::{Double, Real};
use orthant_lab::draw::plot::{Chart, Line, LineStyle, side_by_side};
use orthant_lab::games;
use orthant_lab::gauge::{METHODS, Plan, Record};

/// Scenes that are compared unless others are named.
const SCENES: [&str; 4] = ["tower-30", "pyramid-20", "ratio-1000", "dropped-100"];
/// Length of a run (s).
const SECONDS: Real = 3.0;
/// A run that takes longer is cut (s).
const PATIENCE: u64 = 20;
/// Most sweeps of the methods that sweep.
const SWEEPS: [u32; 6] = [10, 20, 50, 100, 200, 500];
/// Numbers of small steps in a step.
const SUBSTEPS: [u32; 6] = [2, 4, 8, 16, 32, 64];
/// Tolerances of the methods that converge [m/s].
const TOLERANCES: [Double; 7] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
/// Errors below these are drawn there: overlap (mm) and residual [m/s].
const FLOORS: [Double; 2] = [1e-6, 1e-12];
/// Size of a chart in pixels.
const SIZE: (u32, u32) = (620, 420);

/// What a run with one budget showed: mean solve (ms), overlap (mm), residual [m/s].
struct Point {
    milliseconds: Double,
    errors: [Double; 2],
}

fn main() -> ExitCode {
    match run() {
        Ok(file) => {
            println!("drawn in {}", file.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let (mut file, mut scenes) = (PathBuf::from("target/solver_compare.svg"), Vec::new());
    for word in std::env::args().skip(1) {
        if word.ends_with(".svg") {
            file = word.into();
        } else {
            scenes.push(word);
        }
    }
    if scenes.is_empty() {
        scenes = SCENES.map(str::to_owned).to_vec();
    }
    println!(
        "{:12} {:8} {:>10} {:>12} {:>12} {:>12}",
        "scene", "method", "budget", "solve ms", "overlap mm", "residual"
    );
    let mut charts = Vec::new();
    for name in &scenes {
        charts.extend(compare(name)?);
    }
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&file, side_by_side(&charts, 2, SIZE)?)?;
    Ok(file)
}

/// All methods on one scene: charts of overlap and residual over time.
fn compare(name: &str) -> Result<[Chart; 2], String> {
    let game = games::by_name(name).ok_or_else(|| format!("there is no scene {name}"))?;
    let game = game.lasting(SECONDS);
    let mut lines = [Vec::new(), Vec::new()];
    for (label, method) in METHODS {
        let mut points = Vec::new();
        for (budget, plan) in budgets(method, &Plan::new(&game).within(PATIENCE).by(method)) {
            let (record, play) = plan.run_timed(&game, 2)?;
            // Larger islands are Newton's, which has a line of its own.
            if play.world.report().islands_beyond_lemke > 0 {
                break;
            }
            let point = point(&record);
            let [overlap, residual] = point.errors;
            println!(
                "{name:12} {label:8} {budget:>10} {:12.4} {overlap:12.6} {residual:12.1e}{}",
                point.milliseconds,
                match (record.cut, game.stands && !record.stands()) {
                    (true, _) => "  cut short",
                    (false, true) => "  fell",
                    (false, false) => "",
                }
            );
            points.push(point);
            if record.cut {
                break;
            }
        }
        for (quantity, lines) in lines.iter_mut().enumerate() {
            let points = points.iter().map(|p| (p.milliseconds, p.errors[quantity])).collect();
            let (label, style) = (label.to_owned(), LineStyle::Dots);
            lines.push(Line { label, points, style });
        }
    }
    let chart = |quantity: usize, what: &str, lines| Chart {
        title: name.to_owned(),
        axes: ["mean solve (ms)".to_owned(), what.to_owned()],
        log_x: true,
        floor: FLOORS[quantity],
        lines,
    };
    let [overlap, residual] = lines;
    Ok([chart(0, "deepest overlap (mm)", overlap), chart(1, "worst residual (m/s)", residual)])
}

/// The budgets of a method, by name.
fn budgets(method: Method, plan: &Plan) -> Vec<(String, Plan)> {
    let with = |name: String, change: &dyn Fn(&mut Plan)| {
        let mut plan = *plan;
        change(&mut plan);
        (name, plan)
    };
    match method {
        // The budget alone ends it: no tolerance saves a sweep.
        Method::Pgs => SWEEPS
            .map(|n| {
                with(format!("{n}"), &|plan| {
                    plan.settings.solver.sweeps_max = n;
                    plan.settings.solver.tolerance = 1e-12;
                })
            })
            .to_vec(),
        Method::Substeps => SUBSTEPS
            .map(|n| with(format!("{n}"), &|plan| plan.settings.solver.substeps = n))
            .to_vec(),
        Method::Auto | Method::Newton | Method::Lemke => TOLERANCES
            .map(|e| with(format!("{e:.0e}"), &|plan| plan.settings.solver.tolerance = e))
            .to_vec(),
    }
}

/// The figures of a run's last half.
fn point(record: &Record) -> Point {
    let [milliseconds, ..] = record.solve_times();
    let last = &record.steps[record.steps.len() / 2..];
    let residual = last.iter().map(|step| step.residual[0]).fold(0.0, Double::max);
    Point { milliseconds, errors: [1e3 * record.overlap[1], residual] }
}
