//! Measures a scene: `cargo run --release -p orthant_lab --bin measure_scene --
//! SCENE [METHOD] [SECONDS] [TOLERANCE] [THREADS]`.
//!
//! SCENE is a name of `games` (`pyramid-20`, `tower-30`, `ratio-1000`, `drum`, …), or `all` for one line
//! a scene; METHOD is `auto`, `newton`, `pgs`, `lemke` or `budget`, which stands for
//! `SolverSettings::budget()`; THREADS are `one`, as they are without it, or `two`. `--features f64`
//! measures double precision.
//! Times are the least of up to three equal runs, step by step.

use std::process::ExitCode;

use orthant::engine::lcp::Method;
use orthant::engine::settings::SolverSettings;
use orthant::math::{Double, Real};
use orthant_lab::games;
use orthant_lab::gauge::{METHODS, Plan};

/// A scene that takes longer is cut (s), and not played again for its times.
const PATIENCE: u64 = 300;

/// What the command line asks for.
struct Wish {
    scenes: Vec<String>,
    method: Option<Method>,
    budget: bool,
    seconds: Option<Real>,
    tolerance: Option<Double>,
    threads: usize,
}

fn main() -> ExitCode {
    match wish().and_then(|wish| measure(&wish)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn wish() -> Result<Wish, String> {
    let mut words = std::env::args().skip(1);
    let scene =
        words.next().ok_or_else(|| format!("which scene? {}", games::names().join(", ")))?;
    let scenes = if scene == "all" {
        games::names().iter().map(|name| (*name).to_owned()).collect()
    } else {
        vec![scene]
    };
    let mut wish =
        Wish { scenes, method: None, budget: false, seconds: None, tolerance: None, threads: 1 };
    for word in words {
        if let Some((_, method)) = METHODS.iter().find(|(name, _)| *name == word) {
            wish.method = Some(*method);
        } else if word == "budget" {
            wish.budget = true;
        } else if word == "one" || word == "two" {
            wish.threads = if word == "two" { 2 } else { 1 };
        } else if wish.seconds.is_none() {
            wish.seconds = Some(word.parse().map_err(|_| format!("no method or time: {word}"))?);
        } else {
            wish.tolerance = Some(word.parse().map_err(|_| format!("no tolerance: {word}"))?);
        }
    }
    Ok(wish)
}

fn measure(wish: &Wish) -> Result<(), String> {
    let single = wish.scenes.len() == 1;
    if !single {
        println!(
            "{:14} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9}",
            "scene",
            "mm end",
            "mm run",
            "m/s rest",
            "drift mm",
            "residual",
            "calm",
            "stands",
            "solve ms",
            "step ms"
        );
    }
    for name in &wish.scenes {
        let game = games::by_name(name).ok_or_else(|| format!("there is no scene {name}"))?;
        let mut game = game;
        if let Some(seconds) = wish.seconds.filter(|&s| s != game.duration) {
            game = game.lasting(seconds);
        }
        let mut plan = Plan::new(&game).within(PATIENCE).on(wish.threads);
        plan = wish.method.map_or(plan, |method| plan.by(method));
        if wish.budget {
            plan.settings.solver = SolverSettings::budget();
        }
        plan = wish.tolerance.map_or(plan, |tolerance| plan.to(tolerance));
        let (record, _) = plan.run_timed(&game, 3)?;
        if single {
            record.print(name);
            continue;
        }
        let [end, run] = record.overlap.map(|x| 1e3 * x);
        let [solve, _, _, _] = record.solve_times();
        let [step, _, _, _] = record.times(|step| step.seconds.iter().sum());
        println!(
            "{name:14} {end:9.4} {run:9.4} {:9.1e} {:9.4} {:9.1e} {:8.1e} {:>8} {solve:9.4} {step:9.4}",
            record.speed_at_rest(),
            1e3 * record.drift,
            record.worst()[0],
            record.calm_residual().0,
            record.stands(),
        );
    }
    Ok(())
}
