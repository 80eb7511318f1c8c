//! What trust costs, measured: `trust rollback`, `trust long [minutes]`, `trust load`, and
//! `trust point [counts]`. Tables for `docs/trust.md`. Times are those of the processor, on one thread: what
//! else the machine does is not in them. Counts are the same everywhere.

mod long;
mod point;

use cpu_time::ThreadTime;
use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::math::{Real, Vec3};
use orthant_lab::random::Rng;
use orthant_lab::support::{DT, add, cuboid, floor};

fn main() {
    let command = std::env::args().nth(1).unwrap_or_default();
    match command.as_str() {
        "rollback" => rollback(),
        "long" => {
            long::run(std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(60));
        }
        "load" => load(),
        "point" => {
            let counts = std::env::args().skip(2).filter_map(|text| text.parse().ok());
            point::run(&counts.collect::<Vec<u32>>());
        }
        _ => println!("trust rollback | trust long [minutes] | trust load | trust point [counts]"),
    }
}

/// The processor's time for something (ms), and what it gives. What else the machine does is not in it, but
/// for what that takes from the caches.
fn timed<T>(what: impl FnOnce() -> T) -> (f64, T) {
    let start = ThreadTime::now();
    let result = what();
    (1e3 * start.elapsed().as_secs_f64(), result)
}

/// The median of some times.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
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

/// Going back eight frames and making them anew, with 1 000 bodies.
fn rollback() {
    println!(
        "| 1 000 boxes | copy (ms) | snapshot (ms) | bytes a body | back, and 8 steps (ms) | a step (ms) |"
    );
    println!("|---|---|---|---|---|---|");
    let scenes = [
        ("ten layers that fall", layers(1000, 100), 60),
        ("ten layers, fallen", layers(1000, 100), 600),
        ("side by side", field(1000), 20),
    ];
    for (name, mut world, before) in scenes {
        let settings = settings();
        for _ in 0..before {
            world.step(&settings, DT);
        }
        let (mut copying, mut back, mut steps) = (Vec::new(), Vec::new(), Vec::new());
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
        }
        let (time, snapshot) = timed(|| world.snapshot().expect("between steps"));
        println!(
            "| {name} | {:.1} | {time:.1} | {} | {:.1} | {:.2} |",
            median(copying),
            snapshot.to_bytes().len() / snapshot.len(),
            median(back),
            median(steps)
        );
    }
}

/// Many bodies, twice as many, and what a step costs then.
fn load() {
    println!(
        "| what | bodies | memory (MB) | first step (ms) | median step (ms) | slowest after it (ms) |"
    );
    println!("|---|---|---|---|---|---|");
    type Make = fn(u32) -> Simulation;
    let falling: Make = |count| layers(count, 400);
    let fixed: Make = |count| {
        let mut world = floor();
        let side = f64::from(count).sqrt().ceil() as u32;
        for k in 0..count {
            let at = [k % side, k / side].map(|k| 1.0 * k as Real);
            add(&mut world, BodyKind::Static, cuboid(1.0, 1.0, 1.0), Vec3::new(at[0], 0.5, at[1]));
        }
        add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(3.2, 3.0, 3.3));
        world
    };
    let kinds: [(&str, Make, [u32; 3], usize); 3] = [
        ("boxes that fall", falling, [5000, 10_000, 20_000], 45),
        ("static boxes, one that falls", fixed, [25_000, 50_000, 100_000], 90),
        ("boxes that fall asleep", field, [12_500, 25_000, 50_000], 90),
    ];
    for (name, make, counts, steps) in kinds {
        for count in counts {
            let mut world = make(count);
            measure(name, &mut world, steps);
            if name == "boxes that fall asleep" && count == 50_000 {
                assert_eq!(world.report().sleeping, count, "all sleep");
                let gone: Vec<BodyId> =
                    world.bodies().iter().skip(1).step_by(5).map(|body| body.id()).collect();
                for &id in &gone {
                    world.remove_body(id);
                }
                measure(&format!("… of which {} go at once", gone.len()), &mut world, 10);
            }
        }
    }
}

/// A line of the table.
fn measure(name: &str, world: &mut Simulation, steps: usize) {
    let settings = settings();
    let mut step = || timed(|| world.step(&settings, DT).status).0;
    let first = step();
    let times: Vec<f64> = (1..steps).map(|_| step()).collect();
    let slowest = times.iter().fold(0.0, |a: f64, b| a.max(*b));
    println!(
        "| {name} | {} | {:.0} | {first:.1} | {:.2} | {slowest:.1} |",
        world.bodies().len(),
        memory(),
        median(times)
    );
}
