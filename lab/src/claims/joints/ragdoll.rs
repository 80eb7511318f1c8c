//! A ragdoll dropped on the floor: energy, joint error, rest.

use orthant::math::{DVec3, Double, quat_rotate, widen, widen3};

use super::at_most;
use crate::claims::Claims;
use crate::games::{self, DT, Game, Play, joints};

/// How long it is watched (s).
const TIME: usize = 60;

/// What a run showed.
#[derive(Clone, Copy, Debug, Default)]
struct Fall {
    /// Energy before the first step, at most afterwards, and at the end (J).
    energy: [Double; 3],
    /// Largest gap in a joint: of the hips at the end, of any over the run (m).
    gaps: [Double; 2],
    /// Largest speed of a body over the last second [m/s].
    speed: Double,
    /// Steps that were not solved.
    unsolved: usize,
}

/// Energy, hips, rest.
pub fn measure(claims: &mut Claims) {
    let game = games::by_name("ragdoll").expect("the claims name scenes that exist");
    let fall = run(&game);
    eprintln!("    ragdoll: {fall:?}");
    let [begin, most, end] = fall.energy;
    let above = (most - begin) / (begin - end);
    at_most(claims, "ragdoll: energy above that of the fall", above, 0.0, "");
    at_most(claims, "ragdoll: gap of the hips at rest", fall.gaps[0], 1e-4, "m");
    at_most(claims, "ragdoll: speed in the last second", fall.speed, 1e-3, "m/s");
}

fn run(game: &Game) -> Fall {
    let mut play = Play::new(game, DT).expect("the engine takes the scene");
    let begin = super::chains::energy(game, &play);
    let mut fall = Fall { energy: [begin, Double::NEG_INFINITY, begin], ..Fall::default() };
    for step in 0..60 * TIME {
        let report = play.advance(&game.settings());
        fall.unsolved += report.islands_unsolved as usize;
        let energy = super::chains::energy(game, &play);
        // A NaN would be lost.
        let most = if energy.is_nan() { Double::INFINITY } else { energy.max(fall.energy[1]) };
        fall.energy = [begin, most, energy];
        let gaps = game.links.iter().map(|link| {
            let [a, b] = [0, 1].map(|k| {
                play.world.body(play.ids[link.bodies[k]]).map_or(DVec3::NAN, |body| {
                    widen3(body.position()) + widen3(quat_rotate(body.rotation(), link.anchors[k]))
                })
            });
            (a - b).length()
        });
        let gaps: Vec<Double> = gaps.collect();
        fall.gaps[0] = joints::HIPS.iter().map(|&k| gaps[k]).fold(0.0, Double::max);
        fall.gaps[1] = gaps.iter().fold(fall.gaps[1], |m, gap| m.max(*gap));
        if step >= 60 * (TIME - 1) {
            let speeds = play.world.bodies().iter().map(|b| widen(b.linear_velocity.length()));
            fall.speed = speeds.fold(fall.speed, Double::max);
        }
    }
    fall
}
