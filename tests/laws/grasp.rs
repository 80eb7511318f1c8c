//! A hand that closes on a glass, and a slider-crank that gets stuck (Anitescu, Miller, Hart 2003).

use orthant::math::{Double, EPSILON, widen};
use orthant_lab::experiments::grasp::hold;
use orthant_lab::scenes::grasp::{self as scene, GLASS, Grasp};
use orthant_lab::scenes::slider_crank::{not_pointed_from, stuck_at, turn};

/// While the hand closes in the air, each step along tangents takes the hinges `h² ω² r / 2` off their
/// circles, and gives γ of what they are apart back: `γ I → h² ω² r / 2` (Theorem 3.1 with its constant). The
/// largest is at the outer links, which turn by four thirds: `r` is between the way of the knuckle by that of
/// the inner link's center and half a finger.
#[test]
fn joints_of_a_closing_hand_are_apart_by_the_curvature_of_their_ways_over_gamma() {
    let h = 1.0 / 60.0;
    let rounding = 16.0 * 0.2 * widen(EPSILON);
    let mut apart = Vec::new();
    for gamma in [0.2, 0.5, 1.0] {
        let mut hand = Grasp::new(0.0).expect("a sound world");
        let settings = scene::settings(gamma, 0.3);
        let moments: Vec<_> = (0..24).map(|_| hand.advance(&settings, h)).collect();
        let [joints, overlap] = moments[23].infeasibility;
        assert!(overlap <= rounding, "the fingers are in the air: {overlap} m");
        apart.push((gamma, gamma * joints));
    }
    let least = 0.5 * (0.5 * h).powi(2) * 0.035;
    for &(gamma, drift) in &apart {
        assert!(
            drift > least - rounding && drift < 5.0 * least + rounding,
            "{gamma}: {drift} m, {least} m"
        );
        // The fingers have turned by as much, up to what a smaller γ lags behind.
        let full = apart[2].1;
        assert!((drift - full).abs() < 0.05 * full + rounding, "γ {gamma}: {drift} m for {full} m");
    }
    // Without stabilization it adds up.
    let mut hand = Grasp::new(0.0).expect("a sound world");
    let settings = scene::settings(0.0, 0.3);
    let moments: Vec<_> = (0..24).map(|_| hand.advance(&settings, h).infeasibility[0]).collect();
    let grown = moments[23] - moments[11];
    let full = 12.0 * apart[2].1;
    assert!(
        (grown - full).abs() < 0.1 * full + rounding,
        "{grown} m in twelve steps, not {full} m"
    );
}

/// The fingers press with the motors' torque, less or more by the friction of their joints; below a friction
/// that the larger of these tells the glass falls, beyond that of the smaller one it is held and does not
/// creep. With and without a layer of 5 mm about the hulls.
#[test]
fn friction_holds_the_glass_or_lets_it_fall() {
    let weight = widen(GLASS) * 9.81;
    let [least, most] = scene::squeeze();
    for layer in [0.0, 5e-3] {
        let dropped = hold(0.8 * weight / most, layer).expect("a sound world");
        assert!(dropped.fallen > 0.5, "with the table: {dropped:?}");
        for part in [1.25, 4.0] {
            let held = hold(part * weight / least, layer).expect("a sound world");
            let allowed = 1e-3 * weight;
            assert!((held.carried - weight).abs() < allowed, "friction carries it: {held:?}");
            let pressed = 0.95 * least..1.05 * most;
            assert!(pressed.contains(&held.squeeze), "{pressed:?} N: {held:?}");
            assert!(held.fallen.abs() < 1e-4, "it hardly sets: {held:?}");
            // A rounding of its place in every step, at worst.
            let creep = 1e-7 + widen(EPSILON) * 0.1 / scene::STEP;
            assert!(held.creep < creep, "layer {layer}, part {part}: {held:?}");
        }
    }
}

/// Friction of a wall takes all that a rod lifts with where it leans by `tan β = 1 / μ`: there the cone ends
/// to be pointed and the crank stops. Between two walls that both touch it never is.
#[test]
fn a_slider_crank_gets_stuck_where_its_cone_is_not_pointed() {
    for friction in [0.7, 0.8, 1.0, 1.5] {
        let (wanted, found) = (stuck_at(friction), not_pointed_from(friction, false));
        match (wanted, found.expect("a sound world")) {
            (None, None) => {}
            // A bisection to 4e-4 rad, and a pyramid of 64 sides.
            (Some(a), Some(b)) => assert!((a - b).abs() < 3e-3, "μ {friction}: {b}, not {a} rad"),
            other => panic!("μ {friction}: {other:?}"),
        }
    }
    let tight = not_pointed_from(0.0, true).expect("a sound world");
    assert!(tight.is_some_and(|angle| angle < 1e-3), "tight: {tight:?}");
    let free = turn(0.5, 1e-4).expect("a sound world");
    assert!(free > 3.0, "it turns over: {free} rad");
    let stuck: Double = turn(1.5, 1e-4).expect("a sound world");
    let wanted = stuck_at(1.5).expect("it gets stuck");
    // The torque of the motor is a hundred times that of the load, not infinitely large.
    assert!(stuck < wanted + 0.01 && stuck > wanted - 0.03, "{stuck} rad, not {wanted} rad");
}
