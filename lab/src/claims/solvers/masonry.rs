//! What stands by its shape and friction, or falls, in whatever order its bodies were made.

use orthant::engine::par::Serial;
use orthant::math::{Double, Vec3, quat_rotate, widen, widen3};

use super::{at_most_mm, note, residual, scene};
use crate::claims::Claims;
use crate::games::{Game, Play};
use crate::gauge::Record;
use crate::random::Rng;

/// Card house, arch and dominoes, in the order of the scene and in two others.
pub fn measure(claims: &mut Claims) {
    for name in ["cards", "cards-10", "arch-20", "arch-20-20", "keystone-20"] {
        stands_or_falls(claims, name);
    }
    dominoes(claims);
}

/// Orders in which the bodies of a scene are made.
fn orders(game: &Game) -> [Vec<usize>; 3] {
    let n = game.pieces.len();
    [(0..n).collect(), Rng::of_scene(1).order(n), Rng::of_scene(2).order(n)]
}

/// Plays a scene in an order of its bodies.
fn run(name: &str, order: &[usize], each: impl FnMut(&Play)) -> (Record, Play) {
    let (game, plan) = scene(name);
    let mut each = each;
    let play = Play::in_order(&game, plan.dt, order).expect("the engine takes the scene");
    let run = plan.run_on(&game, play, &Serial, |play, _| each(play));
    let (record, play) = run.expect("the engine takes the scene");
    note(&game, &record);
    (record, play)
}

fn stands_or_falls(claims: &mut Claims, name: &str) {
    let (game, plan) = scene(name);
    let runs = orders(&game).map(|order| run(name, &order, |_| {}));
    for (record, _) in &runs {
        residual(claims, name, record);
    }
    let right = runs.iter().filter(|(r, _)| r.stands() == game.stands && !r.cut).count();
    let wanted = if game.stands { "stands" } else { "falls" };
    let what = format!("{name}: {wanted}, in three orders of its bodies");
    claims.add(&what, &format!("{right} of 3"), "3 of 3", right == 3);
    if game.stands {
        let way = |(_, play): &(Record, Play)| -> Vec<_> {
            let body = |id| play.world.body(id).expect("the body is there");
            play.ids.iter().map(|&id| widen3(body(id).position())).collect()
        };
        let [first, others @ ..] = runs.each_ref().map(way);
        let apart = others.iter().flatten().zip(first.iter().cycle());
        let apart = apart.map(|(a, b)| (*a - *b).length()).fold(0.0, Double::max);
        // What a velocity of the solver's tolerance makes of the time.
        let bar = plan.settings.solver.tolerance * widen(game.duration);
        let cut = runs.iter().any(|(record, _)| record.cut);
        at_most_mm(claims, &format!("{name}: places differ by the order"), apart, bar, cut);
    }
}

fn dominoes(claims: &mut Claims) {
    let name = "dominoes-100";
    let (game, _) = scene(name);
    let fixed = 1;
    let mut right = 0;
    for order in orders(&game) {
        let mut fallen = vec![None; game.pieces.len() - fixed];
        let (record, _) = run(name, &order, |play| {
            for (when, &id) in fallen.iter_mut().zip(&play.ids[fixed..]) {
                let body = play.world.body(id).expect("the body is there");
                let up = quat_rotate(body.rotation(), Vec3::Y).y;
                // Half of a right angle.
                if when.is_none() && up < 0.7 {
                    *when = Some(play.step);
                }
            }
        });
        residual(claims, name, &record);
        let in_order = fallen.windows(2).all(|w| w[0].is_some() && w[0] < w[1]);
        right += usize::from(in_order && !record.cut);
    }
    let what = "dominoes-100: all fall, one after the other, in three orders";
    claims.add(what, &format!("{right} of 3"), "3 of 3", right == 3);
}
