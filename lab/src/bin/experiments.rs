//! The experiments of the papers; `docs/experiments.md` tells what came out.
//!
//! `cargo run --release -p orthant_lab --features f64 --bin experiments -- [--quick] [--out FOLDER] [NAME…]`
//!
//! Of the thesis it runs Balance2, Pyramid1, Dice3 and Setup6 for its step lengths and values of γ, with the
//! papers' scheme and, beside it, with the default settings. Prints tables of the average and the
//! largest infeasibility, their slopes over h, and `C(h) = max I / (h² |v|²)`, which Theorem 6.12
//! bounds (|v| is the largest velocity in the norm of M over the root of the largest mass). Writes
//! charts, frames and the figures themselves (CSV) into the folder, `out/experiments` by default. The other
//! experiments are in `orthant_lab::experiments`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use orthant::math::Double;
use orthant_lab::draw::plot::Chart;
use orthant_lab::experiments::ALL;
use orthant_lab::measure::{self, Preset, Row, frames, output};
use orthant_lab::scenes;
use orthant_lab::scenes::thesis::{Experiment, all};

/// With `--quick` only steps of this length and longer are taken (s).
const QUICK_DT_MIN: Double = 0.01;

const USAGE: &str = "usage: experiments [--quick] [--out FOLDER] [NAME…]
  --quick   the thesis' experiments only with h ≥ 0.01 s
  --out     where charts, frames and CSV go (default out/experiments)
  NAME      by default all:";

struct Options {
    quick: bool,
    out: PathBuf,
    scenes: Vec<String>,
}

fn options() -> Result<Options, String> {
    let mut options =
        Options { quick: false, out: PathBuf::from("out/experiments"), scenes: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--out" => options.out = arguments.next().ok_or("--out needs a folder")?.into(),
            name if name.starts_with('-') => return Err(format!("unknown option {name}")),
            name => options.scenes.push(name.to_lowercase()),
        }
    }
    let names = names();
    match options.scenes.iter().find(|name| !names.contains(name)) {
        Some(name) => Err(format!("unknown experiment {name}")),
        None => Ok(options),
    }
}

/// Names of all experiments.
fn names() -> Vec<String> {
    let thesis = all().into_iter().map(|e| e.scene.name.to_lowercase());
    thesis.chain(ALL.iter().map(|(name, _)| (*name).to_owned())).collect()
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n{USAGE} {}", names().join(", "));
            return ExitCode::FAILURE;
        }
    };
    match perform_all(&options) {
        Ok(()) => {}
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    println!("Charts, frames and CSV files are in {}", options.out.display());
    ExitCode::SUCCESS
}

/// Performs what was asked for.
fn perform_all(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let chosen = |name: &str| options.scenes.is_empty() || options.scenes.iter().any(|s| s == name);
    std::fs::create_dir_all(&options.out)?;
    for experiment in all().iter().filter(|e| chosen(&e.scene.name.to_lowercase())) {
        perform(experiment, options)?;
    }
    for (name, perform) in ALL.iter().filter(|(name, _)| chosen(name)) {
        println!("## {name}\n");
        perform(&options.out)?;
        println!();
    }
    Ok(())
}

/// The runs of an experiment: preset, h and γ, each once.
fn plan(experiment: &Experiment, quick: bool) -> Vec<(Preset, Double, Double)> {
    let mut plan = Vec::new();
    for &gamma in &experiment.gammas {
        for preset in [Preset::Papers, Preset::Default] {
            plan.extend(experiment.dts_for(gamma).into_iter().map(|dt| (preset, dt, gamma)));
        }
    }
    let (dts, gammas) = &experiment.gamma_sweep;
    for &gamma in gammas.iter().filter(|gamma| !experiment.gammas.contains(gamma)) {
        plan.extend(dts.iter().map(|&dt| (Preset::Papers, dt, gamma)));
    }
    plan.retain(|&(_, dt, _)| !quick || dt >= QUICK_DT_MIN);
    plan
}

fn perform(experiment: &Experiment, options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let scene = &experiment.scene;
    let plan = plan(experiment, options.quick);
    let steps = |dt: Double| scenes::Params { dt, ..scene.params }.steps() as u64;
    let total = plan.iter().map(|&(_, dt, _)| steps(dt)).sum::<u64>() + steps(scene.params.dt);
    let bar = ProgressBar::new(total);
    bar.set_style(ProgressStyle::with_template("{prefix:10} {bar:40} {percent:>3} %  {msg}")?);
    bar.set_prefix(scene.name.clone());
    let mut rows = Vec::new();
    for (preset, dt, gamma) in plan {
        bar.set_message(format!("{} h = {dt}, γ = {gamma}", preset.name()));
        rows.push(measure::measure(experiment, preset, dt, gamma, || bar.inc(1))?);
    }
    bar.set_message("frames");
    let strip = frames::strip(experiment, &scene.params.papers(), || bar.inc(1))?;
    bar.finish_and_clear();
    report(experiment, &rows);
    let name = scene.name.to_lowercase();
    std::fs::write(options.out.join(format!("{name}_frames.svg")), strip.to_svg())?;
    std::fs::write(options.out.join(format!("{name}.csv")), output::summary_csv(&rows))?;
    std::fs::write(options.out.join(format!("{name}_series.csv")), output::series_csv(&rows))?;
    charts(experiment, &rows, &options.out)
}

fn report(experiment: &Experiment, rows: &[Row]) {
    let params = &experiment.scene.params;
    println!("{}: {}", experiment.scene.name, experiment.story);
    println!(
        "  T = {} s, μ = {}, ε_x = {}, ε_t = {}, ε_0 = {:e}, δ_max = {:e}",
        params.duration, params.mu, params.eps_x, params.eps_t, params.eps_0, params.delta_max
    );
    for &gamma in &experiment.gammas {
        for preset in [Preset::Papers, Preset::Default] {
            println!("{}", output::table(rows, preset, gamma));
        }
    }
    for &gamma in experiment.gamma_sweep.1.iter().filter(|g| !experiment.gammas.contains(g)) {
        println!("{}", output::table(rows, Preset::Papers, gamma));
    }
}

fn charts(
    experiment: &Experiment,
    rows: &[Row],
    out: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let name = experiment.scene.name.to_lowercase();
    let write = |chart: &Chart, what: &str| -> Result<(), Box<dyn std::error::Error>> {
        std::fs::write(out.join(format!("{name}_{what}.svg")), chart.to_svg((720, 480))?)?;
        Ok(())
    };
    for &gamma in &experiment.gammas {
        let suffix =
            if experiment.gammas.len() > 1 { format!("_gamma{gamma}") } else { String::new() };
        write(&output::chart_over_h(experiment, rows, gamma), &format!("over_h{suffix}"))?;
        write(&output::chart_over_time(experiment, rows, gamma), &format!("over_time{suffix}"))?;
    }
    if !experiment.gamma_sweep.1.is_empty() {
        write(&output::chart_over_gamma(experiment, rows), "over_gamma")?;
    }
    Ok(())
}
