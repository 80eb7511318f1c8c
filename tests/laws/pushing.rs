//! Planar pushing by quasistatic steps, against statics: three feet have one distribution of loads, and one
//! motion under them.

use orthant::math::{DVec3, Double, EPSILON, narrow, widen};
use orthant_lab::experiments::pushing::{
    CORNERS, Step, apart, first_step, path, three_feet, under_any_loads,
};
use orthant_lab::random::Rng;
use orthant_lab::scenes::pushing::{FEET, G, MASS, Push, Slider};
use orthant_lab::scenes::quasistatic::{PUSH, exact};

/// Way of the pusher in a step (m).
const WAY: Double = 1e-3;
const WEIGHT: Double = MASS * G;

/// What a step may be off, over the pusher's speed (–): the tolerance of the solver and the rounding of
/// places of some tenths of a meter, and some times that at feet that are farther away than the pusher.
fn allowed() -> Double {
    8.0 * (exact(0.005).solver.tolerance / widen(PUSH) + 0.5 * widen(EPSILON) / WAY)
}

fn assert_as_statics(push: &Push, step: &Step, case: &str) {
    let slider = push.slider(WAY);
    let statics = slider.statics();
    let off = apart(&statics.motion, &step.motion, &slider.feet);
    assert!(off <= allowed(), "{case}: {off:e} off {:?}, {:?}", statics.motion, step.motion);
    // Forces follow slips whose directions are as well known.
    let force = (step.force - statics.force).abs() / WEIGHT;
    assert!(force <= 4.0 * allowed(), "{case}: {} N, not {} N", step.force, statics.force);
    for (load, wanted) in step.loads.iter().zip(&statics.loads) {
        let off = (load - wanted).abs() / WEIGHT;
        assert!(off <= 4.0 * allowed(), "{case}: {load} N, not {wanted} N");
    }
    // Mason's rule: it turns to the side on which the push passes the center of friction.
    let lever = slider.normal.dot(step.motion.at(slider.contact) - step.motion.linear);
    assert!(lever >= -allowed() * widen(PUSH), "{case}: it turns against the push");
}

/// Pushed through its center a slider goes straight on, by `μ m g`, and its front foot carries what the
/// height of the push takes from the others.
#[test]
fn a_push_through_the_center_does_not_turn() {
    for height in [0.02, 0.1] {
        let push = three_feet(0.0, height);
        let step = first_step(&push, WAY);
        let ahead = step.motion.linear / widen(PUSH) - DVec3::X;
        assert!(ahead.length() <= allowed(), "{height}: {:?}", step.motion);
        assert!(step.motion.spin.abs() * 0.1 <= allowed(), "{height}: {:?}", step.motion);
        // Beside friction `m Δq / T²`.
        let force = push.friction * WEIGHT + MASS * WAY;
        assert!((step.force - force).abs() <= 4.0 * allowed() * WEIGHT, "{} N", step.force);
        let front =
            WEIGHT * (height * step.force / WEIGHT - FEET[1][0]) / (FEET[0][0] - FEET[1][0]);
        let off = (step.loads[0] - front).abs();
        assert!(off <= 4.0 * allowed() * WEIGHT, "{height}: {} N for {front} N", step.loads[0]);
    }
}

/// Sliders on three feet anywhere, on balls and on the corners of a plate, pushed anywhere at the face.
#[test]
fn a_slider_on_three_feet_moves_as_statics_says() {
    let mut rng = Rng::new(17);
    let mut turning = 0;
    for case in 0..40 {
        let feet = (0..3).map(|k| {
            let angle = 2.1 * f64::from(k) + rng.between(-0.4, 0.4);
            let far = rng.between(0.08, 0.13);
            [far * libm::cos(angle), far * libm::sin(angle)]
        });
        let push = Push {
            feet: feet.collect(),
            aside: rng.between(-0.15, 0.15),
            height: rng.between(0.02, 0.05),
            turn: rng.between(-0.4, 0.4),
            friction: rng.between(0.2, 0.6),
            is_plate: case % 2 == 1,
        };
        let step = first_step(&push, WAY);
        assert_as_statics(&push, &step, &format!("case {case}"));
        turning += usize::from(step.motion.spin.abs() > widen(PUSH));
    }
    assert!(turning > 20, "{turning} of 40 turned");
}

/// Does a slider turn about foot `k`? Told without the least work: with the others at their bounds across
/// their ways about it, the moment about it gives the push, and friction at the foot has to hold what is
/// left.
fn is_pivot(slider: &Slider, k: usize) -> bool {
    let cross = |r: DVec3, f: DVec3| r.z * f.x - r.x * f.z;
    let pivot = slider.feet[k];
    let lever = cross(slider.contact - pivot, slider.normal);
    // Loads that hold weight and push, by moments about the sides of the triangle.
    let load = |k: usize, force: Double| {
        let [p, q] = [1, 2].map(|i| slider.feet[(k + i) % 3]);
        let height = |r: DVec3| cross(q - p, r - p);
        let pressed = slider.normal * (slider.height * force / WEIGHT);
        WEIGHT * height(pressed) / height(slider.feet[k])
    };
    let rubs = |force: Double| {
        [1, 2].map(|i| {
            let i = (k + i) % 3;
            let arm = slider.feet[i] - pivot;
            let way = DVec3::new(arm.z, 0.0, -arm.x) * lever.signum();
            (arm, way.normalize() * (-slider.friction * load(i, force)))
        })
    };
    // Affine in the push.
    let moment = |force: Double| rubs(force).iter().map(|(arm, rub)| cross(*arm, *rub)).sum();
    let (at_rest, at_one): (Double, Double) = (moment(0.0), moment(1.0));
    let force = -at_rest / (lever + at_one - at_rest);
    let left = slider.normal * force + rubs(force).iter().map(|(_, rub)| *rub).sum::<DVec3>();
    force > 0.0 && left.length() <= slider.friction * load(k, force)
}

/// Where friction can hold one foot the slider turns about it, by the speed of the pusher over its lever.
#[test]
fn a_foot_that_friction_holds_is_the_pivot() {
    let mut seen = [0, 0];
    for height in [0.02, 0.05] {
        for k in -14..=14 {
            let push = three_feet(0.02 * f64::from(k), height);
            let step = first_step(&push, WAY);
            let slider = push.slider(0.0);
            let pivot = (0..3).find(|&k| is_pivot(&slider, k));
            seen[usize::from(pivot.is_some())] += 1;
            let slow = slider.feet.iter().map(|r| step.motion.at(*r).length() / widen(PUSH));
            // Resistance to displacements moves a foot that is held by less than that.
            let bends = 8.0 * WAY / (push.friction * G);
            match pivot {
                Some(k) => {
                    let lever = (slider.contact - slider.feet[k]).cross(slider.normal).y;
                    let wanted = widen(PUSH) / lever;
                    let off = (step.motion.spin / wanted - 1.0).abs();
                    assert!(off <= 4.0 * allowed(), "{push:?}: {:?} for {wanted}", step.motion);
                }
                None => {
                    let least = slow.fold(Double::INFINITY, Double::min);
                    assert!(least > bends, "{push:?}: a foot rests, {least}");
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 5), "{seen:?}");
}

/// Steps follow the path that statics tells for every instant, with an error of first order in their length.
#[test]
fn the_path_of_a_slider_is_of_first_order() {
    for aside in [0.01, 0.05] {
        let push = three_feet(aside, 0.02);
        let seconds = 1.0;
        let wanted = push.path(seconds, 25);
        let off = [25, 50, 100].map(|steps| {
            let found = path(&push, narrow(seconds), steps);
            libm::hypot(found[0] - wanted[0], found[1] - wanted[1])
        });
        // Rounding of as many steps.
        let rounding = 100.0 * widen(EPSILON);
        for pair in off.windows(2) {
            assert!(pair[1] <= 0.6 * pair[0] + rounding, "{aside}: {off:?} m");
        }
        // The way of a step, turned by what it turns in a step.
        let turned = wanted[2].abs() + 0.05;
        assert!(off[2] <= turned * widen(PUSH) * seconds / 100.0 + rounding, "{aside}: {off:?} m");
    }
}

/// Four corners share the load in many ways. Under the loads that it tells the slider moves as statics says,
/// and no loads at all would make it turn more or less than the extremes do.
#[test]
fn a_plate_moves_as_its_own_loads_say() {
    for aside in [-0.12, -0.03, 0.01, 0.05, 0.1] {
        let feet = CORNERS.to_vec();
        let push = Push { feet, is_plate: true, ..three_feet(aside, 0.02) };
        let step = first_step(&push, WAY);
        let weight: Double = step.loads.iter().sum();
        assert!((weight / WEIGHT - 1.0).abs() <= 4.0 * allowed(), "{aside}: {weight} N");
        let slider = push.slider(WAY);
        let of_own = slider.under(&step.loads).0;
        let off = apart(&of_own, &step.motion, &slider.feet);
        assert!(off <= 4.0 * allowed(), "{aside}: {off} off its own loads {:?}", step.loads);
        let ([low, high], _) = under_any_loads(&push, &step);
        let spin = step.motion.spin / widen(PUSH);
        let slack = 40.0 * allowed();
        assert!(low - slack <= spin && spin <= high + slack, "{aside}: {low} … {spin} … {high}");
        assert!(high - low > 1e-3 || aside.abs() < 0.02, "{aside}: loads matter");
    }
}
