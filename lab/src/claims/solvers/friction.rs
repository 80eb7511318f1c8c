//! What friction holds: creep, and the exact discrete law of what slides.

use orthant::engine::par::Serial;
use orthant::math::{Double, sin_cos_double, widen, widen3};

use super::{at_most_speed, by_precision, note, residual, scene};
use crate::claims::Claims;
use crate::games::friction::incline_angle;
use crate::games::{G, Play};

/// The box between two plates and on an incline.
pub fn measure(claims: &mut Claims) {
    sticks(claims, "plates-105", 3);
    sticks(claims, "incline-99", 1);
    slides(claims, "plates-95", 3, plates_acceleration());
    slides(claims, "incline-101", 1, incline_acceleration());
}

/// Tolerance of the solver in these scenes [m/s].
fn tolerance() -> Double {
    by_precision(1e-6, 1e-10)
}

/// Creep of a body of a scene over all but its first second.
fn sticks(claims: &mut Claims, name: &str, index: usize) {
    let (game, plan) = scene(name);
    let play = Play::new(&game, plan.dt).expect("the engine takes the scene");
    let place = |play: &Play| {
        let body = play.world.body(play.ids[index]).expect("the body is there");
        widen3(body.position())
    };
    let mut from = place(&play);
    let first = (1.0 / widen(plan.dt)).round() as usize;
    let keep = |play: &Play| {
        if play.step == first {
            from = place(play);
        }
    };
    let mut keep = keep;
    let run = plan.to(tolerance()).run_on(&game, play, &Serial, |play, _| keep(play));
    let (record, play) = run.expect("the engine takes the scene");
    note(&game, &record);
    residual(claims, name, &record);
    let seconds = record.steps.len() as Double * record.dt - 1.0;
    let creep = (place(&play) - from).length() / seconds;
    let bar = by_precision(1e-5, 1e-9);
    let what = format!("{name}: creep over {seconds:.0} s");
    at_most_speed(claims, &what, creep, bar, record.cut);
}

/// Speed after a second against the law of constant acceleration, in units of `g t`.
fn slides(claims: &mut Claims, name: &str, index: usize, acceleration: Double) {
    let (game, plan) = scene(name);
    let game = game.lasting(1.0);
    let (record, play) = plan.to(tolerance()).run(&game).expect("the engine takes the scene");
    residual(claims, name, &record);
    let body = play.world.body(play.ids[index]).expect("the body is there");
    let speed = widen3(body.linear_velocity).length();
    let seconds = record.steps.len() as Double * record.dt;
    let error = (speed - acceleration * seconds).abs() / (widen(G) * seconds);
    let bar = by_precision(1e-5, 1e-9);
    let what = format!("{name}: slides with {acceleration:.4} m/s², error over g");
    claims.add(&what, &format!("{error:.1e}"), &format!("≤ {bar:.0e}"), error <= bar);
}

/// `g (1 - 0.95)`: the two plates hold 0.95 of the weight.
fn plates_acceleration() -> Double {
    widen(G) * 0.05
}

/// `g (sin α - μ cos α)`.
fn incline_acceleration() -> Double {
    let (game, _) = scene("incline-101");
    let (sin, cos) = sin_cos_double(widen(incline_angle(1.01, game.friction)));
    widen(G) * (sin - widen(game.friction) * cos)
}
