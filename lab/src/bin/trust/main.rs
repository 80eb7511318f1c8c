//! What trust costs, measured: `trust rollback`, `trust long [minutes]`, `trust strikes`, `trust load`,
//! and `trust point [counts]`. Tables for `docs/trust.md`. Times are those of the processor, on one thread:
//! what else the machine does is not in them. Counts are the same everywhere. `rollback`, `long`, `load` and
//! `point` judge what they measure, and fail with a sentence for each thing that takes or grows more than it
//! may. With the feature `bevy` apps are among what `rollback` and `load` measure.

#[cfg(feature = "bevy")]
mod app;
mod load;
mod long;
mod point;
mod strikes;

use std::process::ExitCode;
use std::time::Instant;

use cpu_time::ThreadTime;
use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::par::Serial;
use orthant::engine::settings::Settings;
use orthant::math::{Real, Vec3};
use orthant_lab::counting::{Counting, held};
use orthant_lab::pool::waiting;
use orthant_lab::random::Rng;
use orthant_lab::support::moving::step_on;
use orthant_lab::support::{DT, add, cuboid, floor};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let mut verdict = Verdict::default();
    match command.as_str() {
        "rollback" => rollback(&mut verdict),
        "long" => {
            let minutes = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(60);
            long::run(minutes, &mut verdict);
        }
        "strikes" => strikes::tell(),
        "load" => load::run(&mut verdict),
        "point" => {
            let counts = std::env::args().skip(2).filter_map(|text| text.parse().ok());
            point::run(&counts.collect::<Vec<u32>>(), &mut verdict);
        }
        _ => println!(
            "trust rollback | trust long [minutes] | trust load | trust point [counts] | trust strikes"
        ),
    }
    verdict.0.iter().for_each(|sentence| println!("falls short: {sentence}"));
    if verdict.0.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What falls short of what is asked.
#[derive(Default)]
struct Verdict(Vec<String>);

impl Verdict {
    /// Asks for something; what is told where it does not hold is told once.
    fn ask(&mut self, holds: bool, sentence: impl FnOnce() -> String) {
        if !holds {
            let sentence = sentence();
            if !self.0.contains(&sentence) {
                self.0.push(sentence);
            }
        }
    }

    /// Asks that something is at most a number; what is no number is more.
    fn at_most(&mut self, what: &str, value: f64, most: f64) {
        self.ask(value <= most, || format!("{what}: {}, at most {most} is asked", short(value)));
    }
}

/// Three digits of a number.
fn short(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The processor's time for something (ms), and what it gives. What else the machine does is not in it, but
/// for what that takes from the caches.
fn timed<T>(what: impl FnOnce() -> T) -> (f64, T) {
    let start = ThreadTime::now();
    let result = what();
    (1e3 * start.elapsed().as_secs_f64(), result)
}

/// The median of some times.
fn median(times: Vec<f64>) -> f64 {
    spread(times)[0]
}

/// The median and the longest of some times.
fn spread(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[times.len() - 1]]
}

/// What this thread has on the heap (MB). No allocator and no system has a part in it.
fn heap() -> f64 {
    held() as f64 / 1048576.0
}

/// Resident memory of this process (MB), where the system tells.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    number.unwrap_or(f64::NAN) / 1024.0
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.sleep.enabled = true;
    settings
}

/// Boxes side by side, each on its own.
fn field(count: u32) -> Simulation {
    let mut world = floor();
    let side = f64::from(count).sqrt().ceil() as u32;
    for k in 0..count {
        let at = [k % side, k / side].map(|k| 1.5 * k as Real);
        add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(at[0], 0.5, at[1]));
    }
    world
}

/// Boxes in layers of so many, one above the other, that fall.
fn layers(count: u32, layer: u32) -> Simulation {
    let (mut world, mut rng) = (floor(), Rng::new(1));
    let side = f64::from(layer).sqrt().ceil() as u32;
    for k in 0..count {
        let (height, place) = (k / layer, k % layer);
        let at = [place % side, place / side].map(|k| 1.4 * k as Real);
        let lean = rng.range(-0.2, 0.2);
        let at = Vec3::new(at[0] + lean, 1.0 + 1.4 * height as Real, at[1] - lean);
        add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
    }
    world
}

/// A frame at 60 Hz (ms).
const FRAME: f64 = 16.7;

/// Judges how long it takes to go back and make eight frames anew (ms).
fn within_a_frame(name: &str, median: f64, verdict: &mut Verdict) {
    verdict.at_most(&format!("{name}: back, and 8 steps, in the median (ms)"), median, FRAME);
}

/// Worlds of 1 000 bodies, with the steps that they take before anyone goes back.
fn scenes_of_rollback() -> [(&'static str, Simulation, usize); 3] {
    [
        ("ten layers that fall", layers(1000, 100), 60),
        ("ten layers, fallen", layers(1000, 100), 600),
        ("side by side", field(1000), 20),
    ]
}

/// Going back eight frames and making them anew, with 1 000 bodies; in the median within a frame.
fn rollback(verdict: &mut Verdict) {
    let pool = waiting(2).unwrap_or_else(|_| Box::new(Serial));
    println!(
        "| 1 000 boxes | copy (ms) | snapshot (ms) | bytes a body | back, and 8 steps: median, slowest \
         (ms) | a step (ms) | the same by the clock on {} threads (ms) |",
        pool.threads()
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, mut world, before) in scenes_of_rollback() {
        let settings = settings();
        for _ in 0..before {
            world.step(&settings, DT);
        }
        let (mut copying, mut back, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        let mut on_threads = Vec::new();
        for _ in 0..9 {
            let (time, copy) = timed(|| world.clone());
            copying.push(time);
            for _ in 0..8 {
                steps.push(timed(|| drop(world.step(&settings, DT).clone())).0);
            }
            let again = timed(|| {
                world = copy.clone();
                (0..8).for_each(|_| drop(world.step(&settings, DT).clone()));
            });
            back.push(again.0);
            let (start, mut other) = (Instant::now(), copy.clone());
            (0..8).for_each(|_| step_on(&mut other, &settings, &*pool));
            on_threads.push(1e3 * start.elapsed().as_secs_f64());
        }
        let (time, snapshot) = timed(|| world.snapshot().expect("between steps"));
        let [back, on_threads] = [back, on_threads].map(spread);
        within_a_frame(name, back[0], verdict);
        println!(
            "| {name} | {:.1} | {time:.1} | {} | {:.1}, {:.1} | {:.2} | {:.1}, {:.1} |",
            median(copying),
            snapshot.to_bytes().len() / snapshot.len(),
            back[0],
            back[1],
            median(steps),
            on_threads[0],
            on_threads[1]
        );
    }
    #[cfg(feature = "bevy")]
    app::rollback(verdict);
}
