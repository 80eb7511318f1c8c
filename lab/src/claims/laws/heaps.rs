//! What never comes to rest: residuals of what moved the bodies and of what they carry, as the steps publish
//! them, how many rows were solved, swept and softened, and their time.

use orthant::engine::body::BodyKind;
use orthant::math::{Double, Vec3};

use crate::cases;
use crate::claims::Claims;
use crate::claims::solvers::violence::bounded;
use crate::claims::solvers::{PATIENCE, at_most_mm, at_most_ms, note, scene};
use crate::games::piles;
use crate::gauge::{Plan, Record, statistics};

/// Deepest overlap of the drum in the best of other engines (m).
const BEST_DRUM: Double = 0.065;
/// Largest median of the residual [m/s]: a few millimeters a second.
const MEDIAN: Double = 5e-3;
/// That of hulls that fall, of several runs together [m/s]: when the last of them stops rocking is chance.
/// Over ten tolerances the medians of single runs are 3e-4 to 0.07.
const MEDIAN_HULLS: Double = 0.05;
/// Tolerances of those runs, in default ones (–).
const RUNS: [Double; 3] = [1.0, 1.02, 1.05];
/// Largest residual of dominoes [m/s].
const DOMINOES: Double = 0.3;
/// A step of another engine on the pyramid whose floor creeps (ms, one core).
const BEST_CREEP: Double = 2.7;
/// A frame of a game (ms).
const FRAME: Double = 1e3 / 60.0;

/// Drum, shaken balls, heaps that fall, dominoes, a pyramid on a floor that creeps.
pub fn measure(claims: &mut Claims) {
    for name in ["drum", "brazil-nut", "hulls-500", "boxes-2000"] {
        let hulls = name == "hulls-500";
        let (runs, bar) = if hulls { (&RUNS[..], MEDIAN_HULLS) } else { (&RUNS[..1], MEDIAN) };
        let record = told(claims, name, runs, bar);
        if cases::is_double() {
            continue;
        }
        if name == "drum" {
            bounded(claims, name, &record);
            let [_, run] = record.overlap;
            at_most_mm(claims, "drum: overlap over the run", run, BEST_DRUM, record.cut);
        }
        if hulls {
            let late = |step: &&crate::gauge::Step| 1e3 * step.seconds.iter().sum::<f64>() > FRAME;
            let late = record.steps.iter().filter(late).count();
            let figure = format!("{late} of {}", record.steps.len());
            claims.add_time("hulls-500: steps longer than a frame", &figure, "0", late == 0);
        }
    }
    let record = told(claims, "dominoes-100", &RUNS[..1], MEDIAN);
    let [_, _, worst] = record.residuals();
    let figure = format!("{worst:.1e} m/s");
    let bar = format!("≤ {DOMINOES} m/s");
    claims.add("dominoes-100: worst residual", &figure, &bar, worst <= DOMINOES);
    if !cases::is_double() {
        creeps(claims);
    }
}

/// Median residual of all runs of a scene, of what moves and of what is carried, and shares of its rows in
/// the first of them, which is returned.
fn told(claims: &mut Claims, name: &str, runs: &[Double], bar: Double) -> Record {
    let (game, _) = scene(name);
    let plan = Plan::new(&game);
    let tolerance = plan.settings.solver.tolerance;
    let runs = runs.iter().map(|&run| plan.to(run * tolerance).run(&game));
    let runs = runs.map(|run| run.expect("the engine takes the scene").0);
    let mut records: Vec<Record> = runs.collect();
    for (which, what) in ["what moves", "what is carried"].into_iter().enumerate() {
        let steps = records.iter().flat_map(|record| &record.steps);
        let errors = steps.map(|step| step.errors()[which]);
        let [_, median, high, worst] = statistics(errors);
        let figure = format!("{median:.1e} ({high:.1e}, {worst:.1e}) m/s");
        let what = format!("{name}: residual of {what}, median (p95, worst)");
        claims.add(&what, &figure, &format!("≤ {bar:.0e} m/s"), median <= bar);
    }
    let record = records.swap_remove(0);
    note(&game, &record);
    rows(claims, name, &record);
    record
}

/// Every row is told to be solved, swept, softened or pressed, and what is not solved is not told so.
fn rows(claims: &mut Claims, name: &str, record: &Record) {
    let mut rows = [0.0; 4];
    let (mut astray, mut unsaid) = (0, 0);
    for step in &record.steps {
        (0..4).for_each(|k| rows[k] += Double::from(step.rows[k]));
        // These scenes have no joints.
        astray += usize::from(step.rows.iter().sum::<u32>() != step.contacts);
        unsaid += usize::from(step.solved && step.rows[1] + step.rows[2] > 0);
    }
    let all: Double = rows.iter().sum::<Double>().max(1.0);
    let [solved, swept, softened, _] = rows.map(|rows| 100.0 * rows / all);
    let figure = format!("{solved:.1} {swept:.1} {softened:.1}, {astray}, {unsaid}");
    let what = format!("{name}: % solved, swept, softened; steps untold, called solved");
    claims.add(&what, &figure, "all told, 0, 0", astray + unsaid == 0);
}

/// A pyramid of 820 cubes on a floor that moves at 1 mm/s, for two seconds; the first step alone, in which
/// all loads are new, may end at its budget.
fn creeps(claims: &mut Claims) {
    let mut game = piles::pyramid(40).lasting(2.0);
    game.name = "pyramid-40 on a floor at 1 mm/s".to_owned();
    let floor = &mut game.pieces[0];
    (floor.kind, floor.velocity) = (BodyKind::Kinematic, Vec3::X * 1e-3);
    let plan = Plan::new(&game).within(PATIENCE);
    let (record, _) = plan.run(&game).expect("the engine takes the scene");
    note(&game, &record);
    let what = format!("{}: steps not solved, but for the first", game.name);
    let later = record.steps.iter().skip(1).filter(|step| !step.solved).count();
    claims.add(&what, &later.to_string(), "0", later == 0);
    let [_, median, ..] = record.times(|step| step.seconds.iter().sum());
    at_most_ms(claims, &format!("{}: median step", game.name), median, BEST_CREEP, record.cut);
}
