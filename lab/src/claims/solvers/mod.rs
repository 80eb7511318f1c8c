//! Solvers: what rests, what friction holds, what is violent, what stands by its shape.
//!
//! Scenes, sizes and seeds are those of `games`; overlaps are found by `gauge` from the poses alone.
//! Times are the least of a few equal runs, step by step. A scene that takes longer than [`PATIENCE`] is
//! cut short and falls short.

mod bounce;
mod certificate;
mod equal_work;
mod friction;
mod masonry;
mod rest;
pub(super) mod violence;

use orthant::math::Double;

use crate::cases;
use crate::claims::Claims;
use crate::games::{self, Game, Play};
use crate::gauge::{Plan, Record};

/// Seconds of the wall clock after which a scene is cut short.
pub(super) const PATIENCE: u64 = 40;

/// Measures every claim of this topic that this build can.
pub fn measure(claims: &mut Claims) {
    rest::measure(claims);
    friction::measure(claims);
    masonry::measure(claims);
    violence::measure(claims);
    bounce::measure(claims);
    if !cases::is_double() {
        certificate::measure(claims);
        equal_work::measure(claims);
    }
}

/// A scene that must exist, and how it is played.
pub(super) fn scene(name: &str) -> (Game, Plan) {
    let game = games::by_name(name).expect("the claims name scenes that exist");
    let plan = Plan::new(&game).within(PATIENCE);
    (game, plan)
}

/// Plays a scene a number of times for its times, says so, and adds the claim on its residuals.
fn play(claims: &mut Claims, game: &Game, plan: &Plan, rounds: usize) -> (Record, Play) {
    let (record, play) = plan.run_timed(game, rounds).expect("the engine takes the scene");
    note(game, &record);
    residual(claims, &game.name, &record);
    (record, play)
}

/// A line on a run, for who waits.
pub(super) fn note(game: &Game, record: &Record) {
    let [mean, median, _, max] = record.solve_times();
    let [_, deepest] = record.overlap;
    eprintln!(
        "    {}: {} steps, solve {mean:.3} ms mean, {median:.3} median, {max:.3} max, {:.4} mm{}",
        game.name,
        record.steps.len(),
        1e3 * deepest,
        if record.cut { ", CUT SHORT" } else { "" }
    );
}

/// Every step publishes its residual; calm ones are solved to the tolerance.
fn residual(claims: &mut Claims, name: &str, record: &Record) {
    let published = record.steps.iter().all(|step| step.residual.iter().all(|r| r.is_finite()));
    let (worst, calm) = record.calm_residual();
    let what = format!("{name}: worst residual of calm steps");
    let figure = format!("{worst:.1e} m/s, {calm} steps");
    let figure = if published { figure } else { "not published".to_owned() };
    let bar = record.tolerance;
    // A scene that is cut short or never calm proves nothing.
    let holds = published && worst <= bar && calm > 0 && !record.cut;
    claims.add(&what, &figure, &format!("≤ {bar:.0e} m/s"), holds);
}

/// A claim on a length, in millimeters.
pub(super) fn at_most_mm(claims: &mut Claims, what: &str, length: Double, bar: Double, cut: bool) {
    let figure = format!("{:.5} mm{}", 1e3 * length, if cut { ", cut short" } else { "" });
    claims.add(what, &figure, &format!("≤ {} mm", 1e3 * bar), length <= bar && !cut);
}

/// A claim that a time (ms) keeps its bar.
pub(super) fn at_most_ms(claims: &mut Claims, what: &str, time: Double, bar: Double, cut: bool) {
    let figure = format!("{time:.3} ms{}", if cut { ", cut short" } else { "" });
    claims.add_time(what, &figure, &format!("≤ {bar:.3} ms"), time <= bar && !cut);
}

/// A claim on a speed.
fn at_most_speed(claims: &mut Claims, what: &str, speed: Double, bar: Double, cut: bool) {
    let figure = format!("{speed:.1e} m/s{}", if cut { ", cut short" } else { "" });
    claims.add(what, &figure, &format!("≤ {bar:.0e} m/s"), speed <= bar && !cut);
}

/// One of two figures, by the precision of the build.
fn by_precision<T>(single: T, double: T) -> T {
    if cases::is_double() { double } else { single }
}
