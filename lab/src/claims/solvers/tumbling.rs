//! What never comes to rest: residuals of what moved the bodies, as the steps publish them, and their time.

use orthant::engine::body::BodyKind;
use orthant::math::{Double, Vec3};

use super::violence::bounded;
use super::{at_most_mm, at_most_ms, note, scene};
use crate::claims::Claims;
use crate::games::piles;
use crate::gauge::Plan;

/// Deepest overlap of the drum in the best of other engines (m).
const BEST_DRUM: Double = 0.065;
/// Largest median of the residual [m/s].
const MEDIAN: Double = 0.05;
/// A step of another engine on the pyramid whose floor creeps (ms, one core).
const BEST_CREEP: Double = 2.7;

/// Drum, shaken balls, heaps that fall, a pyramid on a floor that creeps.
pub fn measure(claims: &mut Claims) {
    for name in ["drum", "brazil-nut", "hulls-500", "boxes-2000"] {
        let (game, plan) = scene(name);
        let rounds = if name == "drum" { 2 } else { 1 };
        let (record, _) = plan.run_timed(&game, rounds).expect("the engine takes the scene");
        note(&game, &record);
        let [median, high, worst] = record.residuals();
        let what = format!("{name}: residual of what moves, median (p95, worst)");
        let figure = format!("{median:.1e} ({high:.1e}, {worst:.1e}) m/s");
        // Scenes of thousands of bodies are cut where patience ends; their fall comes first.
        claims.add(&what, &figure, &format!("≤ {MEDIAN} m/s"), median <= MEDIAN);
        if name == "drum" {
            bounded(claims, name, &record);
            at_most_mm(
                claims,
                "drum: overlap over the run",
                record.overlap[1],
                BEST_DRUM,
                record.cut,
            );
        }
    }
    creeps(claims);
}

/// A pyramid of 820 cubes on a floor that moves at 1 mm/s, for a second.
fn creeps(claims: &mut Claims) {
    let mut game = piles::pyramid(40).lasting(1.0);
    game.name = "pyramid-40 on a floor at 1 mm/s".to_owned();
    let floor = &mut game.pieces[0];
    (floor.kind, floor.velocity) = (BodyKind::Kinematic, Vec3::X * 1e-3);
    let plan = Plan::new(&game).within(super::PATIENCE);
    let (record, _) = plan.run(&game).expect("the engine takes the scene");
    note(&game, &record);
    let [_, median, ..] = record.times(|step| step.seconds.iter().sum());
    at_most_ms(claims, &format!("{}: median step", game.name), median, BEST_CREEP, record.cut);
}
