//! What bounces: momentum and energy of a billiard break.

use orthant::engine::par::Serial;
use orthant::math::{DVec3, Double, widen, widen3};

use super::{by_precision, note, residual, scene};
use crate::claims::Claims;
use crate::games::Play;

/// The break with restitution 1 and 0.9, with the friction of the scene and without.
pub fn measure(claims: &mut Claims) {
    for name in ["billiard-100", "billiard-90"] {
        for friction in [true, false] {
            breaks(claims, name, friction);
        }
    }
}

/// Energy of motion (J) and momentum [kg·m/s] of all bodies.
fn state(play: &Play) -> (Double, DVec3) {
    let (mut energy, mut momentum) = (0.0, DVec3::ZERO);
    for body in play.world.bodies().iter().filter(|body| body.is_dynamic()) {
        energy += widen(body.kinetic_energy());
        momentum += widen3(body.linear_velocity) * widen(body.mass());
    }
    (energy, momentum)
}

/// Largest energy and largest error of the momentum of all steps, relative to the start.
fn breaks(claims: &mut Claims, name: &str, friction: bool) {
    let (mut game, plan) = scene(name);
    if !friction {
        game.friction = 0.0;
        game.name = format!("{name} without friction");
    }
    let play = Play::new(&game, plan.dt).expect("the engine takes the scene");
    let (energy, momentum) = state(&play);
    let (mut most, mut error, mut left): (Double, Double, Double) = (0.0, 0.0, 1.0);
    let run = plan.run_on(&game, play, &Serial, |play, _| {
        let (now, sum) = state(play);
        left = now / energy;
        most = most.max(left);
        error = error.max((sum - momentum).length() / momentum.length());
    });
    let (record, _) = run.expect("the engine takes the scene");
    note(&game, &record);
    residual(claims, &game.name, &record);
    let bar = by_precision(1e-6, 1e-12);
    let what = format!("{}: error of the momentum", game.name);
    claims.add(&what, &format!("{error:.1e}"), &format!("≤ {bar:.0e}"), error <= bar);
    let what = format!("{}: largest energy of all steps over that of the start", game.name);
    let figure = format!("1 {:+.1e}, {left:.4} at the end", most - 1.0);
    let moved = left > 0.5;
    claims.add(&what, &figure, &format!("≤ 1 + {bar:.0e}"), most <= 1.0 + bar && moved);
}
