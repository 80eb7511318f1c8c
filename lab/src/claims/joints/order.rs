//! Motion does not depend on the order in which bodies and joints were made.

use orthant::math::{DVec3, Double, widen3};

use super::at_most;
use crate::claims::Claims;
use crate::games::{DT, Game, Play, joints};
use crate::random::Rng;

/// Seconds that a chain swings.
const TIME: usize = 60;

/// One chain in several orders.
pub fn measure(claims: &mut Claims) {
    let game = joints::hanging(20, 100, 0.5);
    let n = game.pieces.len();
    let straight: Vec<usize> = (0..n).collect();
    let first = run(&game, &straight);
    let again = run(&game, &straight) == first;
    let figure = if again { "equal" } else { "different" };
    claims.add("chain-20-100: the same order again, bit for bit", figure, "equal", again);
    let mut worst: Double = 0.0;
    for seed in 1..=3 {
        let mut rng = Rng::of_scene(seed);
        let mut other = game.clone();
        let order = rng.order(other.links.len());
        other.links = order.iter().map(|&i| game.links[i]).collect();
        let places = run(&other, &rng.order(n));
        let apart = places.iter().zip(&first).map(|(a, b)| (*a - *b).length());
        worst = apart.fold(worst, Double::max);
    }
    // A velocity of the solver's tolerance over the time, in each of the twenty links.
    at_most(claims, "chain-20-100, 1 s: places in other orders", worst, 20.0 * 1e-5, "m");
}

fn run(game: &Game, order: &[usize]) -> Vec<DVec3> {
    let mut play = Play::in_order(game, DT, order).expect("the engine takes the scene");
    for _ in 0..TIME {
        play.advance(&game.settings());
    }
    let place = |&id| play.world.body(id).map_or(DVec3::NAN, |body| widen3(body.position()));
    play.ids.iter().map(place).collect()
}
