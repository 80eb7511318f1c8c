//! What rests: towers, heavy on light, pyramids, a body on many supports.

use orthant::engine::lcp::Method;
use orthant::engine::report::IslandReport;
use orthant::math::Double;

use super::{at_most_mm, at_most_ms, at_most_speed, by_precision, note, play, scene};
use crate::cases;
use crate::claims::Claims;
use crate::support::{DT, pile, settings};

/// The least overlap (m) that another engine leaves at the end of a pyramid of this base, and the time of
/// its step (ms, median, one core).
const BEST: [(usize, Double, Double); 2] = [(20, 1.8e-3, 1.83), (40, 3.7e-3, 6.53)];

/// Towers, mass ratios, pyramids, the table.
pub fn measure(claims: &mut Claims) {
    for n in [10, 30, 50] {
        tower(claims, n);
    }
    for (ratio, bar) in [(100, 1e-4), (1000, 1e-4), (10_000, 5e-4)] {
        let name = format!("ratio-{ratio}");
        let (game, plan) = scene(&name);
        let (record, _) = play(claims, &game, &plan, 1);
        stands(claims, &name, record.stands());
        at_most_mm(claims, &format!("{name}: overlap"), record.overlap[1], bar, record.cut);
    }
    table(claims);
    if cases::is_double() {
        heaps(claims);
    } else {
        for (n, bar) in [(20, 0.15), (40, 0.6)] {
            pyramid(claims, n, bar);
        }
        for (n, overlap, time) in BEST {
            budget(claims, n, overlap, time);
        }
    }
}

fn stands(claims: &mut Claims, name: &str, stands: bool) {
    claims.add(&format!("{name}: stands"), if stands { "yes" } else { "no" }, "yes", stands);
}

/// Twenty seconds of a tower; in double precision to a tolerance that lets its digits show.
fn tower(claims: &mut Claims, n: usize) {
    let name = format!("tower-{n}");
    let (game, plan) = scene(&name);
    let game = game.lasting(20.0);
    let plan = plan.to(by_precision(1e-5, 1e-8));
    let (record, _) = play(claims, &game, &plan, 1);
    let cut = record.cut;
    stands(claims, &name, record.stands());
    at_most_mm(claims, &format!("{name}: overlap over 20 s"), record.overlap[1], 1e-4, cut);
    let bar = by_precision(1e-3, 1e-6);
    at_most_speed(claims, &format!("{name}: speed at rest"), record.speed_at_rest(), bar, cut);
    at_most_mm(claims, &format!("{name}: drift over 20 s"), record.drift, 1e-4, cut);
}

/// A pyramid by Newton and by Auto; the time is that of the last five seconds.
fn pyramid(claims: &mut Claims, n: usize, bar: Double) {
    let name = format!("pyramid-{n}");
    let (game, plan) = scene(&name);
    let (record, _) = plan.by(Method::Newton).run(&game).expect("the engine takes the scene");
    note(&game, &record);
    let cut = record.cut;
    stands(claims, &format!("{name} by Newton"), record.stands());
    at_most_mm(claims, &format!("{name} by Newton: overlap"), record.overlap[1], 1e-4, cut);
    let (record, _) = play(claims, &game, &plan, 3);
    let cut = record.cut;
    stands(claims, &name, record.stands());
    let [mean, ..] = record.solve_times();
    at_most_ms(claims, &format!("{name} at rest: mean of the solve"), mean, bar, cut);
}

/// A pyramid in small steps: overlap and time of the whole step against the best of other engines.
fn budget(claims: &mut Claims, n: usize, overlap: Double, time: Double) {
    let (game, plan) = scene(&format!("pyramid-{n}"));
    let plan = plan.by(Method::Substeps);
    let (record, _) = plan.run_timed(&game, 2).expect("the engine takes the scene");
    note(&game, &record);
    let name = format!("pyramid-{n} in small steps");
    stands(claims, &name, record.stands());
    at_most_mm(claims, &format!("{name}: overlap"), record.overlap[0], overlap, record.cut);
    let [_, median, ..] = record.times(|step| step.seconds.iter().sum());
    at_most_ms(claims, &format!("{name}: median step"), median, time, record.cut);
}

/// Heaps of 30 boxes to a tolerance of 1e-10 m/s: the residuals with which they fall asleep.
fn heaps(claims: &mut Claims) {
    let mut settings = settings();
    settings.sleep.enabled = true;
    let mut worst: Double = 0.0;
    for seed in 1..=6 {
        let (mut world, _) = pile(30, seed);
        let mut last = Double::INFINITY;
        for _ in 0..1200 {
            let report = world.step(&settings, DT);
            if report.sleeping == report.dynamic_bodies {
                break;
            }
            let of = |island: &IslandReport| island.residual.max(island.residual_relaxed);
            last = report.solves.iter().map(of).fold(0.0, Double::max);
        }
        worst = worst.max(last);
    }
    let bar = settings.solver.tolerance;
    at_most_speed(claims, "six heaps of 30 boxes: residual at rest", worst, bar, false);
}

/// One body on 24 contacts, to a tolerance of 1e-6 m/s.
fn table(claims: &mut Claims) {
    const BAR: Double = 1e-6;
    let (game, plan) = scene("table");
    let (record, _) = play(claims, &game, &plan.to(BAR), 1);
    let least = record.steps.iter().map(|step| step.contacts).min().unwrap_or(0);
    let [worst, relaxed] = record.worst();
    let figure = format!("{:.1e} m/s, {least} contacts", worst.max(relaxed));
    let holds = worst.max(relaxed) <= BAR && least >= 24 && !record.cut;
    claims.add("a body on 24 supports: worst residual", &figure, "≤ 1e-6 m/s, ≥ 24", holds);
    at_most_mm(claims, "a body on 24 supports: drift", record.drift, 1e-4, record.cut);
    // The scene is worth its name only if sweeps stall on it.
    let (record, _) = plan.by(Method::Pgs).to(BAR).run(&game.lasting(1.0)).expect("as above");
    let [worst, ..] = record.worst();
    let what = "a body on 24 supports: Gauss–Seidel stalls";
    claims.add(what, &format!("{worst:.1e} m/s"), "> 1e-6 m/s", worst > BAR);
}
