//! Our engine beside others, on the same scenes in the same run.
//!
//! Every scene is played on every engine in turn, several times, in a fresh world each time. Prints a table
//! for each scene, the bars that are to be reached, and a summary; draws error over time. What the columns
//! mean stands in `benches/README.md`.

mod asked;
mod bars;
mod check;
mod engines;
mod measure;
mod options;
mod outcome;
mod picture;
mod readme;
mod recorded;
mod solving;
mod tables;

use std::process::ExitCode;

use check::Checker;
use engines::Limb;
use indicatif::{ProgressBar, ProgressStyle};
use measure::{Clock, Figures};
use options::Options;
use orthant::engine::body::LockedAxes;
use orthant::math::{Real, Vec3};
use orthant_lab::games::{self, Game, Piece, steps};
use outcome::Outcome;

/// Length of a scene in a quick run (s).
const QUICK: Real = 2.0;

fn main() -> ExitCode {
    match Options::read(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let games: Result<Vec<Game>, String> =
        options.scenes.iter().map(|name| game(name, options)).collect();
    let games = games?;
    let total: usize = games.iter().map(|game| cost(game) * options.engines.len()).sum();
    let bar = ProgressBar::new((total * options.repeats) as u64);
    let style = "{elapsed_precise} {bar:40} {percent:>3} % {msg}, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).map_err(|error| error.to_string())?);
    let mut outcomes = Vec::new();
    for game in &games {
        let outcome = play(game, options, &bar)?;
        bar.suspend(|| println!("{}", tables::scene(&outcome)));
        outcomes.push(outcome);
    }
    bar.finish_and_clear();
    println!("{}", tables::bars(&outcomes));
    println!("## Summary\n\n{}", tables::summary(&outcomes));
    println!("## For the README\n\n{}", readme::tables(&outcomes));
    if let Some(file) = &options.out {
        let svg = picture::draw(&outcomes).map_err(|error| error.to_string())?;
        std::fs::write(file, svg).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("drawn in {}", file.display());
    }
    Ok(())
}

/// Plays a scene on every engine in turn, as often as asked for. Each round begins with another engine.
fn play(game: &Game, options: &Options, bar: &ProgressBar) -> Result<Outcome, String> {
    let checker = Checker::new(game)?;
    let mut outcome = Outcome::new(game, checker.height());
    for round in 0..options.repeats {
        let mut engines = options.engines.clone();
        engines.rotate_left(round % options.engines.len());
        for engine in engines {
            bar.set_message(format!("{} {}", game.name, engine.name()));
            let mut runner = engine.start(game, options.threads)?;
            let clock = if engine.is_app() { Clock::Wall } else { Clock::Thread };
            outcome.add(engine, Figures::measure(game, &checker, clock, &mut *runner));
            bar.inc(cost(game) as u64);
        }
    }
    // The record knows whole scenes.
    if options.quick || options.seconds.is_some() {
        outcome.sort();
    } else {
        outcome.complete();
    }
    Ok(outcome)
}

/// What a run costs, in moves of a body: for the progress bar.
fn cost(game: &Game) -> usize {
    steps(game.duration, games::DT) * (game.moving() + 20)
}

/// The scene of a name, if every engine knows all that is in it, or the part of it that is asked for.
fn game(name: &str, options: &Options) -> Result<Game, String> {
    let game = games::by_name(name).ok_or_else(|| format!("there is no scene {name}"))?;
    let plain = |piece: &Piece| piece.push == Vec3::ZERO && piece.locked == LockedAxes::NONE;
    let fine = game.pieces.iter().all(plain) && game.gravity == games::G && game.restitution == 0.0;
    if !fine {
        return Err(format!("{name} has more than shapes, speeds, friction and joints"));
    }
    Limb::all(&game)?;
    let quick = options.quick.then_some(QUICK);
    let seconds = options.seconds.or(quick).filter(|&seconds| seconds < game.duration);
    Ok(match seconds {
        Some(seconds) => shortened(game, seconds),
        None => game,
    })
}

/// The first seconds of a scene; what is timed from its beginning still is.
fn shortened(game: Game, seconds: Real) -> Game {
    let from = game.window.0.min(0.5 * seconds);
    Game { window: (from, seconds), ..game.lasting(seconds) }
}
