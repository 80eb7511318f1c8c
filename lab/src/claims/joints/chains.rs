//! Chains under loads of up to 10 000 times a link, a net, a bridge.

use orthant::math::{DVec3, Double, Real, Vec3, quat_rotate, widen, widen3};

use super::{at_least, at_most, slope};
use crate::cases;
use crate::claims::Claims;
use crate::games::{self, DT, Game, Play, joints};
use crate::gauge::Plan;

/// Links and ratio of the end's mass to a link's.
const CHAINS: [[usize; 2]; 6] =
    [[20, 1], [20, 100], [20, 10_000], [100, 1], [100, 100], [100, 10_000]];

/// Scenes that other engines were measured on: the best joint error at the end (m) and time (ms) among them.
const PEERS: [(&str, Double, Double); 3] =
    [("chain-50-1", 3e-3, 0.030), ("chain-50-100", 36e-3, 0.032), ("net-30", 47e-3, 0.831)];

/// Swinging and hanging chains, what other engines were measured on, a bridge.
pub fn measure(claims: &mut Claims) {
    for chain in CHAINS {
        swings(claims, chain);
    }
    for ratio in [1, 100] {
        order(claims, ratio);
    }
    for chain in CHAINS {
        hangs(claims, chain);
    }
    for chain in CHAINS {
        settles(claims, chain);
    }
    if !cases::is_double() {
        for peer in PEERS {
            against(claims, peer);
        }
    }
    bridge(claims);
}

/// What a run of a chain showed.
#[derive(Clone, Copy, Debug, Default)]
struct Swing {
    /// Largest joint error, and largest `½ h² ω² ℓ`, over links and steps (m).
    error: Double,
    bound: Double,
    /// Largest ratio of the two in one step.
    ratio: Double,
    /// Largest gain of energy over its start (J), and kinetic energy at most (J).
    gain: Double,
    kinetic: Double,
    /// Did the solver end above its tolerance?
    unsolved: usize,
}

/// Largest joint error (m), and largest `½ h² ω² ℓ` with ℓ twice the arm of the joint (m).
fn errors(game: &Game, play: &Play, h: Double) -> [Double; 2] {
    let (mut error, mut bound): (Double, Double) = (0.0, 0.0);
    for link in &game.links {
        let end = |k: usize| {
            let anchor = link.anchors[k];
            let at = |b: &orthant::engine::body::Body| {
                let spin = widen3(b.angular_velocity).length_squared();
                let arm: Vec3 = quat_rotate(b.rotation(), anchor);
                (widen3(b.position()) + widen3(arm), spin * widen(arm.length()))
            };
            play.world.body(play.ids[link.bodies[k]]).map_or((DVec3::NAN, 0.0), at)
        };
        let [(a, spin_a), (b, spin_b)] = [end(0), end(1)];
        let apart = (a - b).length();
        error = if apart > error || apart.is_nan() { apart } else { error };
        bound = bound.max(h * h * spin_a.max(spin_b));
    }
    [error, bound]
}

pub(super) fn energy(game: &Game, play: &Play) -> Double {
    let gravity = widen(game.gravity);
    let moving = game.pieces.iter().zip(&play.ids);
    let of = moving.filter_map(|(_, &id)| play.world.body(id)).filter(|body| body.is_dynamic());
    of.map(|b| widen(b.kinetic_energy()) + widen(b.mass()) * gravity * widen(b.position().y)).sum()
}

fn swing(game: &Game, hertz: Double, seconds: Double) -> Swing {
    let dt = (1.0 / hertz) as Real;
    let mut play = Play::new(game, dt).expect("the engine takes the scene");
    let begin = energy(game, &play);
    let mut swing = Swing::default();
    for _ in 0..(hertz * seconds).round() as usize {
        let report = play.advance(&game.settings());
        swing.unsolved += report.islands_unsolved as usize;
        swing.kinetic = swing.kinetic.max(report.kinetic_energy);
        let [error, bound] = errors(game, &play, 1.0 / hertz);
        if error.is_nan() {
            return Swing { error, ..swing };
        }
        swing.error = swing.error.max(error);
        swing.bound = swing.bound.max(bound);
        // Rounding of places is beside the point where nothing moves.
        let slack = if cases::is_double() { 1e-7 } else { 1e-4 };
        swing.ratio = swing.ratio.max((error - slack) / bound.max(1e-12));
        swing.gain = swing.gain.max(energy(game, &play) - begin);
    }
    swing
}

fn swings(claims: &mut Claims, [n, r]: [usize; 2]) {
    let game = games::piles::chain(n, r);
    let s = swing(&game, 60.0, 20.0);
    let name = format!("chain of {n}, end ×{r}, swinging");
    eprintln!("    {name}: {s:?}");
    // A whole fall's energy of doubt would be a chain that tears itself apart.
    at_most(
        claims,
        &format!("{name}: energy gained, part of largest"),
        s.gain / s.kinetic,
        0.01,
        "",
    );
    let what = format!("{name}: joint error over its bound");
    at_most(claims, &what, s.error / s.bound, 1.5, "");
    at_most(claims, &format!("{name}: the same within each step"), s.ratio, 1.5, "");
    at_most(claims, &format!("{name}: steps not solved"), s.unsolved as Double, 0.0, "");
}

/// The joint error falls like h², before the whip of the end makes speeds depend on h.
fn order(claims: &mut Claims, r: usize) {
    let game = games::piles::chain(20, r);
    let all = [60.0, 120.0, 240.0].map(|hertz| swing(&game, hertz, 1.0).error);
    let what = format!("chain of 20, end ×{r}, first second: order of the error");
    at_least(claims, &what, slope(&all), 1.9);
}

fn hangs(claims: &mut Claims, [n, r]: [usize; 2]) {
    let game = joints::hanging(n, r, 0.0);
    let mut play = Play::new(&game, DT).expect("the engine takes the scene");
    for _ in 0..300 {
        play.advance(&game.settings());
    }
    let [error, _] = errors(&game, &play, widen(DT));
    let bar = if cases::is_double() { 1e-7 } else { 1e-4 };
    at_most(claims, &format!("chain of {n}, end ×{r}, hanging: joint error"), error, bar, "m");
}

/// A chain that has swung for 20 s, braked until it hangs still.
fn settles(claims: &mut Claims, [n, r]: [usize; 2]) {
    let game = joints::hanging(n, r, 0.5);
    let mut play = Play::new(&game, DT).expect("the engine takes the scene");
    for _ in 0..1200 {
        play.advance(&game.settings());
    }
    // Critical damping of the whole chain, of 0.5 m links.
    let length = 0.5 * n as Double;
    let rate = (widen(game.gravity) / length).sqrt();
    for &id in &play.ids {
        if let Some(body) = play.world.body_mut(id) {
            (body.linear_damping, body.angular_damping) = (2.0 * rate as Real, 2.0 * rate as Real);
        }
    }
    for _ in 0..(60.0 * 25.0 / rate) as usize {
        play.advance(&game.settings());
    }
    let [error, _] = errors(&game, &play, widen(DT));
    let bodies = play.world.bodies().iter();
    let speed = bodies.fold(0.0, |m: Double, b| m.max(widen(b.linear_velocity.length())));
    let bar = if cases::is_double() { 1e-7 } else { 1e-4 };
    let name = format!("chain of {n}, end ×{r}, settled");
    eprintln!("    {name}: {speed:.0e} m/s");
    at_most(claims, &format!("{name}: joint error"), error, bar, "m");
}

/// Against what other engines showed in another run, on the same kind of machine.
fn against(claims: &mut Claims, (name, error, ms): (&str, Double, Double)) {
    let game = games::by_name(name).expect("the claims name scenes that exist");
    let plan = Plan::new(&game).within(60);
    let (record, _) = plan.run_timed(&game, 3).expect("the engine takes the scene");
    let cut = if record.cut { Double::INFINITY } else { 1.0 };
    let what = format!("{name}: joint error at the end, of the best peer's");
    at_most(claims, &what, cut * record.joint_error[0] / error, 0.01, "");
    let [_, median, ..] = record.times(|step| step.seconds.iter().sum());
    let what = format!("{name}: median step, of the fastest peer's (another run)");
    let part = cut * median / ms;
    claims.add_time(&what, &format!("{median:.3} ms, {part:.2}"), "≤ 1.5", part <= 1.5);
}

fn bridge(claims: &mut Claims) {
    let game = joints::bridge(200);
    let plan = Plan::new(&game).within(60);
    let (record, play) = plan.run(&game).expect("the engine takes the scene");
    let cut = if record.cut { Double::INFINITY } else { 1.0 };
    let what =
        format!("bridge of 200, truck ×1 000: joint error at the end ({:.1} s)", game.duration);
    at_most(claims, &what, cut * record.joint_error[0], 1e-3, "m");
    // The truck cannot hang lower than the taut bridge lets it.
    let truck = play.world.body(*play.ids.last().expect("there is a truck"));
    let low = truck.map_or(Double::NAN, |b| -widen(b.position().y));
    let far = game.pieces[game.pieces.len() - 2].position;
    let span = widen(far.x) / 2.0;
    let deepest = (50.0 * 50.0 - span * span).sqrt();
    eprintln!("    bridge: truck {low:.2} m down, of a taut bridge's {deepest:.2} m");
    at_most(claims, "bridge: depth of the truck, of a taut bridge's", low / deepest, 1.0, "");
}
