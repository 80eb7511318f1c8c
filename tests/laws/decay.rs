//! Infeasibility decays as Theorem 3.1 of Anitescu, Miller and Hart (2003) says, step by step.
//!
//! A row keeps the linear part of `Φ⁺` at `(1 - γ) Φ` or above; what the step adds is of second order in the
//! way that it makes. With that known, `I⁺ ≤ (1 - γ) I + C` holds with a number:
//!
//! - of an ellipse over a table `C = h² ω² (a² - b²) / 2b`, see `scenes::ellipse`;
//! - of a corner at the distance r from its center, turned by the angle α, `C = r α² / 2`, because a chord
//!   and its tangent part by no more than that.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::shape::Shape;
use orthant::math::{
    Double, EPSILON, Real, Vec3, narrow, quat_conjugate, quat_log, quat_mul, quat_rotate, widen,
};
use orthant_lab::experiments::adaptive::{
    Adaptive, Strategy, TOLD, experiments, in_changing_steps,
};
use orthant_lab::random::Rng;
use orthant_lab::scenes::ellipse::{self, CURVATURE, GAMMAS, STEP};

/// How deep hulls begin in the floor (m).
const SUNK: Real = 0.05;

/// Rounding of poses of ten meters, in every row and step, and what the solver leaves of a row in a step of
/// h: where a contact slips, the natural map sees a normal speed by its part along the side of the cone,
/// `1 / sqrt(1 + μ²)` of it.
fn rounding(h: Double) -> Double {
    let settings = ellipse::settings(1.0);
    let friction = widen(settings.contact.friction.unwrap_or(0.0));
    let left = settings.solver.tolerance * (1.0 + friction * friction).sqrt();
    16.0 * 10.0 * widen(EPSILON) + h * left
}

#[test]
fn overlap_of_an_ellipse_decays_by_its_part_in_every_step() {
    for gamma in GAMMAS {
        for dt in [0.1, STEP, 0.0125] {
            let moments = ellipse::drop(&ellipse::settings(gamma), dt).expect("a sound world");
            // The bound is one that steps come to, else it would tell nothing.
            let (mut last, mut used): (Double, Double) = (0.0, 0.0);
            for (step, m) in moments.iter().enumerate() {
                let bound = (1.0 - gamma) * last + CURVATURE * (dt * m.turning).powi(2);
                let i = m.infeasibility;
                assert!(
                    i <= bound + rounding(dt),
                    "γ {gamma}, h {dt}, step {step}: {i} m above {bound} m"
                );
                if i > 1e-3 {
                    used = used.max(i / bound);
                }
                last = i;
            }
            assert!(moments.iter().all(|m| m.solved), "γ {gamma}, h {dt}: every step is solved");
            if dt >= STEP {
                assert!(used > 0.9, "γ {gamma}, h {dt}: {used} of the bound was used");
            }
        }
    }
}

/// Without stabilization it only grows; with it what is left at the end is a part of what the impact made.
#[test]
fn without_stabilization_overlap_grows_steadily() {
    let overlaps = |gamma| -> Vec<Double> {
        let moments = ellipse::drop(&ellipse::settings(gamma), STEP).expect("a sound world");
        moments.iter().map(|m| m.infeasibility).collect()
    };
    let drift = overlaps(0.0);
    // The ellipse stays on the table: each step adds the curvature of its way, none takes any back.
    let landed = drift.iter().position(|i| *i > 0.0).expect("it lands");
    for pair in drift[landed..].windows(2) {
        assert!(pair[1] >= pair[0] - rounding(STEP), "{} m after {} m", pair[1], pair[0]);
    }
    let end = *drift.last().expect("it has steps");
    for gamma in [0.2, 0.5, 0.8, 1.0] {
        let list = overlaps(gamma);
        let most = list.iter().copied().fold(0.0, Double::max);
        let average = |list: &[Double]| list.iter().sum::<Double>() / list.len() as Double;
        let last = average(&list[list.len() - 40..]);
        // In the end (1 - γ)ⁿ of the impact is gone, and steps of 1/γ times the last way are left.
        assert!(last < most && last < 0.1 * end, "γ {gamma}: {last} m of {most} m, {end} m drift");
    }
}

/// Average and largest overlap are O(h²), for γ = 1 and less (Theorem 3.1).
#[test]
fn overlap_of_an_ellipse_is_of_second_order() {
    for gamma in [1.0, 0.5] {
        let of = |dt| {
            let moments = ellipse::drop(&ellipse::settings(gamma), dt).expect("a sound world");
            let list: Vec<_> = moments.iter().map(|m| m.infeasibility).collect();
            let average = list.iter().sum::<Double>() / list.len() as Double;
            [average, list.iter().copied().fold(0.0, Double::max)]
        };
        let steps = [0.1, 0.05, 0.025, 0.0125];
        let [coarse, fine] = [of(steps[0]), of(steps[3])];
        for k in 0..2 {
            let slope = libm::log2(coarse[k] / fine[k]) / 3.0;
            assert!(slope >= 2.0, "γ {gamma}: order {slope}, {} to {} m", coarse[k], fine[k]);
        }
    }
}

/// Hulls that begin in a floor and tumble on it, with all of their corners watched.
#[test]
fn overlap_of_tumbling_hulls_decays_by_its_part_in_every_step() {
    let mut rng = Rng::new(31);
    let mut near = 0;
    for run in 0..24 {
        let gamma = [0.2, 0.5, 1.0][run % 3];
        let mut world = Simulation::new();
        let floor = Shape::half_space(Vec3::Y).expect("a direction");
        let fixed = BodyDesc { kind: BodyKind::Static, shape: Some(floor), ..BodyDesc::default() };
        world.add_body(fixed).expect("a sound body");
        // Some axes are kept apart, so that no hull is flat.
        let stretch = rng.vector(0.4, 1.0);
        let points: Vec<Vec3> = (0..5 + run % 4).map(|_| rng.vector(-1.0, 1.0) * stretch).collect();
        let rotation = rng.rotation();
        let lowest = points.iter().map(|&p| quat_rotate(rotation, p).y).fold(0.0, Real::min);
        let desc = BodyDesc {
            shape: Some(Shape::convex_hull(&points).expect("points in space")),
            position: Vec3::Y * (-lowest - SUNK),
            rotation,
            linear_velocity: rng.vector(-1.0, 1.0),
            angular_velocity: rng.vector(-4.0, 4.0),
            ..BodyDesc::default()
        };
        let id = world.add_body(desc).expect("a sound body");
        let settings = ellipse::settings(gamma);
        let dt: Double = 1.0 / 60.0;
        let (mut last, mut used): (Double, Double) = (widen(SUNK), 0.0);
        for step in 0..180 {
            let before = world.body(id).expect("it is there").rotation();
            let report = world.step(&settings, narrow(dt));
            assert_eq!(report.events_dropped, 0, "run {run}, step {step}: all corners have rows");
            let body = world.body(id).expect("it is there");
            let turn = quat_mul(body.rotation(), quat_conjugate(before));
            let angle = widen(quat_log(turn).length());
            let place = |&p: &Vec3| body.position() + quat_rotate(body.rotation(), p);
            let i = points.iter().map(|p| -widen(place(p).y)).fold(0.0, Double::max);
            let arm = points.iter().map(|p| (place(p) - body.center()).length());
            let arm = widen(arm.fold(0.0, Real::max));
            let bound = (1.0 - gamma) * last + 0.5 * arm * angle * angle;
            assert!(
                i <= bound + rounding(dt),
                "run {run}, γ {gamma}, step {step}: {i} m above {bound} m"
            );
            if i > 1e-3 {
                used = used.max(i / bound);
            }
            last = i;
        }
        near += usize::from(used > 0.9);
    }
    // Of the sixteen with γ < 1; turning as it leaves, a hull may be faster than its row asks.
    assert!(near >= 8, "the bound tells something: {near} runs came near it");
}

/// With γ > 1 a step takes back more than an overlap: what is left over is less than what the step adds, by
/// as much, and what the motion makes is the smaller on average. From a blow it does not come back larger.
#[test]
fn over_relaxed_overlap_is_bounded_too() {
    let average = |gamma| {
        let moments = ellipse::drop(&ellipse::settings(gamma), STEP).expect("a sound world");
        let mut last: Double = 0.0;
        for (step, m) in moments.iter().enumerate() {
            let added = CURVATURE * (STEP * m.turning).powi(2);
            let bound = ((1.0 - gamma) * last + added).max(0.0) + rounding(STEP);
            assert!(
                m.solved && m.infeasibility <= bound,
                "γ {gamma}, step {step}: {m:?}, {bound} m"
            );
            last = m.infeasibility;
        }
        moments.iter().map(|m| m.infeasibility).sum::<Double>() / moments.len() as Double
    };
    let [one, more] = [1.0, 1.5].map(average);
    assert!(more < one, "{more} m with 1.5, {one} m with 1");
    let mut settings = ellipse::settings(1.0);
    settings.contact.gamma = 2.1;
    assert!(settings.validate().is_err(), "|1 - γ| > 1");
}

/// γ that adapts takes a blow back at once, and where every step adds as much no more than that stays; on the
/// ellipse less is left than with any fixed γ up to one.
#[test]
fn adaptive_gamma_leaves_less_than_fixed_ones() {
    let mut adaptive = Adaptive::default();
    assert_eq!(adaptive.next([0.0; 2]), 1.0, "nothing overlaps");
    assert_eq!(adaptive.next([0.0, 1.0]), 1.0, "a blow");
    assert_eq!(Adaptive::default().next([1.0, 0.0]), 1.0, "a joint");
    let mut i: Double = 0.2;
    for _ in 0..200 {
        let gamma = adaptive.next([0.0, i]);
        assert!((1.0..=2.0).contains(&gamma), "{gamma}");
        i = ((1.0 - gamma) * i).max(0.0) + 1.0;
    }
    let mut sum = 0.0;
    for _ in 0..200 {
        let gamma = adaptive.next([0.0, i]);
        i = ((1.0 - gamma) * i).max(0.0) + 1.0;
        sum += i / 200.0;
    }
    assert!(sum < 1.01, "no more than with γ = 1: {sum}");
    let experiments = experiments().expect("sound worlds");
    let on_the_ellipse = |strategy| experiments[0].run(strategy).average;
    let adapted = on_the_ellipse(Strategy::Adaptive(Adaptive::default()));
    for gamma in [0.2, 0.5, 1.0] {
        let fixed = on_the_ellipse(Strategy::Fixed(gamma));
        assert!(adapted < fixed, "{adapted} m, with γ = {gamma} {fixed} m");
    }
}

/// Theorem 3.1 asks that lengths of steps change by a bounded factor: the bound of a step holds with its own
/// length, and every step is solved, however they change.
#[test]
fn the_bound_holds_in_steps_of_changing_lengths() {
    for (seed, factor) in [(1, 1.2), (2, 2.0), (3, 8.0)] {
        for gamma in [0.2, 1.0] {
            let (moments, used) = in_changing_steps(gamma, factor, seed).expect("a sound world");
            let allowed = 1.0 + rounding(2.0 * STEP) / TOLD;
            assert!(moments.iter().all(|m| m.solved), "factor {factor}, γ {gamma}: solved");
            assert!(
                used > 0.9 && used <= allowed,
                "factor {factor}, γ {gamma}: {used} of the bound"
            );
        }
    }
}
