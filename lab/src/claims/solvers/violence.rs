//! What is violent: hit, dropped, tumbled, spawned in something else, a row of balls.

use orthant::engine::par::Serial;
use orthant::math::{DVec3, Double, Real, widen, widen3};

use super::{at_most_mm, by_precision, play, scene};
use crate::cases;
use crate::claims::Claims;
use crate::games::{Play, impact};
use crate::gauge::stages::SOLVE;
use crate::gauge::{Plan, Record, statistics};
use crate::measure::fitted_slope;

/// Bounded time under violence, bodies made inside each other, the theorem on a row of balls.
pub fn measure(claims: &mut Claims) {
    overlap(claims);
    if cases::is_double() {
        cradle(claims);
        return;
    }
    for name in ["hit-20", "dropped-100"] {
        let (game, plan) = scene(name);
        let (record, _) = play(claims, &game, &plan, 3);
        bounded(claims, name, &record);
        let figure = format!("{:.3} s", record.recovery());
        let holds = record.recovery() <= 0.5 && !record.cut;
        claims.add(&format!("{name}: from an impact to a solved step"), &figure, "≤ 0.5 s", holds);
        let swept = record.calm().filter(|step| step.swept > 0).count();
        let figure = format!("{swept} of {}", record.calm().count());
        let holds = swept == 0 && record.calm().count() > 0 && !record.cut;
        claims.add(&format!("{name}: calm steps without Newton"), &figure, "0", holds);
    }
}

/// No solve takes longer than four times the median one.
pub(in crate::claims) fn bounded(claims: &mut Claims, name: &str, record: &Record) {
    let solves = record.steps.iter().map(|step| 1e3 * step.seconds[SOLVE]);
    let [_, median, _, max] = statistics(solves);
    let figure = format!("{:.1} ({max:.2} / {median:.2} ms)", max / median);
    let holds = max <= 4.0 * median && !record.cut;
    claims.add_time(&format!("{name}: slowest solve over the median"), &figure, "≤ 4", holds);
}

/// Bodies made 10 cm inside others part with at most the push speed and keep no energy.
fn overlap(claims: &mut Claims) {
    let (game, plan) = scene("overlap");
    let play = Play::new(&game, plan.dt).expect("the engine takes the scene");
    let places = |play: &Play| -> Vec<DVec3> {
        let body = |id| play.world.body(id).expect("the body is there");
        play.ids.iter().map(|&id| widen3(body(id).position())).collect()
    };
    let mut before = places(&play);
    let (mut fastest, mut energy): (Double, Double) = (0.0, 0.0);
    let run = plan.run_on(&game, play, &Serial, |play, step| {
        let now = places(play);
        let moved = now.iter().zip(&before).map(|(a, b)| (*a - *b).length());
        fastest = moved.fold(fastest, Double::max);
        energy = energy.max(step.energy);
        before = now;
    });
    let (record, _) = run.expect("the engine takes the scene");
    super::residual(claims, "overlap", &record);
    let end = record.overlap[0];
    // An overlap within the dead zone `c h²` is left alone.
    let bar = widen(plan.settings.contact.dead_zone) * record.dt * record.dt + 1e-6;
    at_most_mm(claims, "overlap of 10 cm at spawn: what is left", end, bar, record.cut);
    let push = widen(plan.settings.contact.push_speed_max);
    let speed = fastest / record.dt;
    let figure = format!("{speed:.4} m/s");
    // Rounding of a position of a few meters, twice.
    let bar = push + by_precision(1e-4, 1e-9);
    let what = "overlap of 10 cm at spawn: fastest push";
    claims.add(what, &figure, &format!("≤ {push} m/s"), speed <= bar);
    let what = "overlap of 10 cm at spawn: energy left over";
    claims.add(what, &format!("{energy:.1e} J"), "≤ 1e-6 J", energy <= 1e-6);
}

/// Infeasibility of the cradle over the step: the largest joint error or overlap of a run, averaged over
/// the moment within a step at which the first ball hits.
fn cradle(claims: &mut Claims) {
    const PHASES: u8 = 8;
    let mut points = Vec::new();
    for k in 0..5 {
        let dt: Real = 1.0 / Real::from(60_u16 << k);
        let mut sum = 0.0;
        for phase in 0..PHASES {
            // The way of the first ball in one step of 1/60 s, divided.
            let far = Real::from(phase) / Real::from(PHASES) * (2.0 / 60.0);
            let game = impact::cradle(6, far);
            let plan = Plan { dt, ..Plan::new(&game).to(1e-10) };
            let (record, _) = plan.run(&game).expect("the engine takes the scene");
            sum += record.overlap[1].max(record.joint_error[1]);
        }
        points.push((widen(dt), sum / Double::from(PHASES)));
    }
    for (dt, error) in &points {
        eprintln!("    cradle: h = 1/{:.0}, infeasibility {:.6} mm", 1.0 / dt, 1e3 * error);
    }
    let slope = fitted_slope(points.into_iter()).unwrap_or(0.0);
    let what = "cradle, gaps of 5 mm: slope of the infeasibility";
    claims.add(what, &format!("{slope:.2}"), "≥ 1.9", slope >= 1.9);
}
