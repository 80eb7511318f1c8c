//! Planar pushing by quasistatic steps: a slider on three feet, whose motion statics tells exactly, and on
//! four corners, whose loads it does not tell.

use std::path::Path;

use orthant::engine::body::BodyKind;
use orthant::math::{DVec3, Double, Real, narrow, quat_log, widen, widen3};

use super::Outcome;
use crate::draw::film::Film;
use crate::draw::solid::{PALETTE, Rgb};
use crate::scenes::pushing::{FEET, G, MASS, Planar, Push};
use crate::scenes::quasistatic::{PUSH, exact};
use crate::support::body;

/// Friction coefficient of the feet (–).
const FRICTION: Double = 0.5;
/// Way of the pusher in the step that is compared with statics (m).
pub const WAY: Double = 1e-4;
/// Corners of the plate (m).
pub const CORNERS: [[Double; 2]; 4] = [[0.12, 0.1], [0.12, -0.1], [-0.12, -0.1], [-0.12, 0.1]];

/// A slider on three feet, pushed so far beside its center (m), at a height (m).
pub fn three_feet(aside: Double, height: Double) -> Push {
    let feet = FEET.to_vec();
    Push { feet, aside, height, turn: 0.0, friction: FRICTION, is_plate: false }
}

/// The first step of a push.
#[derive(Clone, Debug)]
pub struct Step {
    pub motion: Planar,
    /// The push (N).
    pub force: Double,
    /// Loads of the feet (N).
    pub loads: Vec<Double>,
    /// How well the step was solved [m/s].
    pub residual: Double,
}

/// Takes the first step, in which the pusher goes so far (m).
pub fn first_step(push: &Push, way: Double) -> Step {
    let mut pushed = push.world();
    let h = narrow(way / widen(PUSH));
    let report = pushed.advance(&exact(0.005), h);
    assert!(report.unbalanced.is_empty(), "{report}");
    let residual = report.natural_map;
    let it = body(&pushed.world, pushed.id);
    let motion = Planar { linear: widen3(it.linear_velocity), spin: widen(it.angular_velocity.y) };
    let slider = push.slider(way);
    let (mut force, mut loads) = (0.0, vec![0.0; slider.feet.len()]);
    for pair in pushed.world.pairs() {
        let side = usize::from(pair.key.b == pushed.id);
        for contact in &pair.contacts {
            let pressed = contact.impulse[0].dot(widen3(contact.normal)) / widen(h);
            if pair.key.a == pushed.pusher || pair.key.b == pushed.pusher {
                force += pressed;
                continue;
            }
            let arm = widen3(contact.arms[side]);
            let far = |k: &usize| (slider.feet[*k] - DVec3::new(arm.x, 0.0, arm.z)).length();
            let near = (0..loads.len()).min_by(|i, k| far(i).total_cmp(&far(k)));
            near.into_iter().for_each(|k| loads[k] += pressed);
        }
    }
    Step { motion, force, loads, residual }
}

/// How far two motions are apart at the feet, over the speed of the pusher (–).
pub fn apart(one: &Planar, other: &Planar, feet: &[DVec3]) -> Double {
    let off = |r: &DVec3| (one.at(*r) - other.at(*r)).length() / widen(PUSH);
    feet.iter().map(off).fold(0.0, Double::max)
}

/// Largest and smallest turn over the way [rad/m] that a slider on four corners has under any loads that hold
/// it, and the difference of its own motion from that of its own loads (–).
pub fn under_any_loads(push: &Push, step: &Step) -> ([Double; 2], Double) {
    let slider = push.slider(WAY);
    let spin = |loads: &[Double]| slider.under(loads).0.spin / widen(PUSH);
    let own = apart(&slider.under(&step.loads).0, &step.motion, &slider.feet);
    // Loads of opposite corners may grow by as much as those of the others fall.
    let least = |k: usize| step.loads[k].min(step.loads[k + 2]);
    let [low, high] = [-least(0), least(1)];
    let mut range = [Double::INFINITY, Double::NEG_INFINITY];
    for part in 0..=100 {
        let more = low + (high - low) * Double::from(part) / 100.0;
        let loads: Vec<_> = (0..4).map(|k| step.loads[k] + [more, -more][k % 2]).collect();
        let spin = spin(&loads);
        range = [range[0].min(spin), range[1].max(spin)];
    }
    (range, own)
}

/// Place (m) and turn (rad) after so many seconds in steps of the engine.
pub fn path(push: &Push, seconds: Real, steps: usize) -> [Double; 3] {
    let mut pushed = push.world();
    for _ in 0..steps {
        pushed.advance(&exact(0.005), seconds / steps as Real);
    }
    pushed.pose()
}

/// Steps against statics, paths, a plate on four corners.
pub fn perform(out: &Path) -> Outcome {
    println!(
        "| height [m] | aside [m] | forward / pusher's | turn over way [rad/m] | push / μ m g | \
         loads / m g | stays | off statics | off with m Δq / T² | residual [m/s] |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (height, aside) in [
        (0.02, 0.0),
        (0.02, 0.02),
        (0.02, 0.05),
        (0.02, 0.1),
        (0.02, 0.18),
        (0.1, 0.0),
        (0.1, 0.05),
        (0.1, 0.18),
    ] {
        let push = three_feet(aside, height);
        let step = first_step(&push, WAY);
        let slider = push.slider(WAY);
        let off = |way| apart(&push.slider(way).statics().motion, &step.motion, &slider.feet);
        let off = [0.0, WAY].map(|way| format!("{:.1e}", off(way))).join(" | ");
        let weight = MASS * G;
        let loads = step.loads.iter().map(|load| format!("{:.3}", load / weight));
        let loads: Vec<_> = loads.collect();
        let still = |k: &usize| step.motion.at(slider.feet[*k]).length() < 1e-4 * widen(PUSH);
        let stays = (0..3).find(still).map_or("–".to_owned(), |k| format!("foot {}", k + 1));
        let [forward, spin] = [step.motion.linear.x, step.motion.spin].map(|v| v / widen(PUSH));
        let force = step.force / (FRICTION * weight);
        println!(
            "| {height} | {aside} | {forward:.6} | {spin:.5} | {force:.6} | {} | {stays} | {off} | {:.0e} |",
            loads.join(", "),
            step.residual
        );
    }
    println!("\n| aside [m] | h [s] | x, z [m] | turn [rad] | off statics [mm] | order |");
    println!("|---|---|---|---|---|---|");
    for aside in [0.01, 0.05] {
        let push = three_feet(aside, 0.02);
        let wanted = push.path(SECONDS, 100);
        let mut last: Option<Double> = None;
        for steps in [100, 200, 400, 800] {
            let [x, z, turn] = path(&push, narrow(SECONDS), steps);
            let off = libm::hypot(x - wanted[0], z - wanted[1]);
            let order =
                last.map_or("–".to_owned(), |last| format!("{:.2}", libm::log2(last / off)));
            let h = SECONDS / steps as Double;
            println!("| {aside} | {h} | {x:.6}, {z:.6} | {turn:.5} | {:.4} | {order} |", 1e3 * off);
            last = Some(off);
        }
    }
    println!(
        "\n| aside [m] | turn over way [rad/m] | under any loads | off that of its own loads |"
    );
    println!("|---|---|---|---|");
    for aside in [0.0, 0.02, 0.05, 0.1] {
        let push = Push { feet: CORNERS.to_vec(), is_plate: true, ..three_feet(aside, 0.02) };
        let step = first_step(&push, WAY);
        let ([low, high], own) = under_any_loads(&push, &step);
        let spin = step.motion.spin / widen(PUSH);
        println!("| {aside} | {spin:.4} | {low:.4} … {high:.4} | {own:.1e} |");
    }
    film(out);
    Ok(())
}

/// Time of the paths (s).
pub const SECONDS: Double = 2.0;

/// A push beside the middle, from above.
fn film(out: &Path) {
    let mut pushed = three_feet(0.03, 0.02).world();
    let mut film = Film::new(DVec3::new(-0.3, 1.0, 0.2), 1, 1, 4);
    let (steps, h) = (300, 1.0 / 60.0);
    for step in 0..=steps {
        if step % (steps / 3) == 0 {
            let time = Double::from(step) * widen(h);
            let turn = widen(quat_log(body(&pushed.world, pushed.id).rotation()).y).to_degrees();
            film.shoot(format!("t = {time:.1} s, {turn:.0}°"), &pushed.world, |body| {
                match body.kind() {
                    BodyKind::Dynamic => Some(PALETTE[1]),
                    BodyKind::Kinematic => Some(PALETTE[0]),
                    BodyKind::Static => Some(Rgb::hex(0xc9cfd8)),
                }
            });
        }
        pushed.advance(&exact(0.005), h);
    }
    film.save(&out.join("pushing_frames.svg").to_string_lossy());
}
