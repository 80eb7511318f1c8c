//! Equal bits for any number of threads.

use orthant::engine::par::{Serial, Threads};

use super::scene;
use crate::claims::Claims;
use crate::games::Play;
use crate::support::fingerprint;

/// Scenes of all kinds, with 1, 2 and 4 threads.
pub fn measure(claims: &mut Claims) {
    for (name, seconds) in
        [("tower-30", 2.0), ("dropped-100", 2.0), ("chain-50-100", 2.0), ("hulls-500", 0.5)]
    {
        let (game, plan) = scene(name);
        let game = game.lasting(seconds);
        let new = || Play::new(&game, plan.dt).expect("the engine takes the scene");
        let print = |threads: usize| {
            let run = if threads == 0 {
                plan.run_on(&game, new(), &Serial, |_, _| {})
            } else {
                plan.run_on(&game, new(), &Threads(threads), |_, _| {})
            };
            let (record, play) = run.expect("the engine takes the scene");
            (record.steps.len(), fingerprint(&play.world))
        };
        let alone = print(0);
        let same = [1, 2, 4].into_iter().filter(|&threads| print(threads) == alone).count();
        let what = format!("{name}: bits after {} steps, 1, 2, 4 threads", alone.0);
        claims.add(&what, &format!("{:016x}, {same} equal", alone.1), "3 equal", same == 3);
    }
}
