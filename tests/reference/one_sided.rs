//! Remark 2.18 in a step: bodies that do not move do not grow.

use orthant::engine::papers::active_set::PapersActive;
use orthant::engine::papers::enumerate::{PairEvent, Placement, enumerate_growing, ratio_of};
use orthant::engine::ratio::Relative;
use orthant::engine::shape::hull::Hull;
use orthant::math::{DMat3, DVec3, Double, EPSILON, Vec3, quat_to_mat3, widen, widen_mat3};
use orthant::papers::one_sided::one_sided;
use orthant_lab::experiments::metric::pairs;
use orthant_lab::experiments::one_sided::{DTS, Ground, apart, fall};
use orthant_lab::measure::fitted_slope;
use orthant_lab::random::Rng;

fn moved(at: &Placement, k: usize, by: Double) -> Placement {
    let unit = DVec3::from_array(core::array::from_fn(|i| Double::from(u8::from(i == k % 3))));
    let Placement { position, rotation } = *at;
    if k < 3 {
        Placement { position: position + unit * by, rotation }
    } else {
        Placement { position, rotation: DMat3::from_axis_angle(unit, by) * rotation }
    }
}

fn pair(rng: &mut Rng) -> ([Hull; 2], [Placement; 2], Relative) {
    let hull = |rng: &mut Rng| {
        let points: Vec<Vec3> = (0..10).map(|_| rng.vector(-0.6, 0.6)).collect();
        Hull::convex_hull(&points).expect("ten points anywhere have a hull")
    };
    let hulls = [hull(rng), hull(rng)];
    let turns = [0, 1].map(|_| quat_to_mat3(rng.uniform_rotation()));
    let places = [Vec3::ZERO, rng.vector(-1.0, 1.0)];
    let at = [0, 1].map(|k| Placement {
        position: DVec3::from_array(places[k].to_array().map(widen)),
        rotation: widen_mat3(turns[k]),
    });
    (hulls, at, Relative::new(places[0], turns[0], places[1], turns[1]))
}

/// The best plane of the one-sided events is the one-sided metric, on whichever side the body is that
/// grows, and their gradients are those of their values.
#[test]
fn one_sided_events_have_their_metric_and_gradients() {
    let mut rng = Rng::new(218);
    let (mut metrics, mut gradients, mut inside) = (0, 0, 0);
    let h = 1e-5;
    for case in 0..60 {
        let (hulls, at, relative) = pair(&mut rng);
        let grows = [case % 2 == 0, case % 2 == 1];
        let find =
            |at: &[Placement; 2]| enumerate_growing(&hulls[0], &at[0], &hulls[1], &at[1], grows);
        let events = find(&at);
        let ratio = ratio_of(&events);
        let wanted = widen(if grows[0] {
            one_sided(&hulls[0], &hulls[1], &relative)
        } else {
            let back = relative.rotation.transpose();
            let reversed = Relative { rotation: back, offset: -(back * relative.offset) };
            one_sided(&hulls[1], &hulls[0], &reversed)
        });
        if wanted == 0.0 {
            assert!(ratio < 2e-3, "case {case}: {ratio}, though the centroid is inside");
            inside += 1;
            continue;
        }
        let off = (ratio - wanted).abs();
        assert!(off < 256.0 * widen(EPSILON) * ratio.max(1.0), "case {case}: {ratio}, {wanted}");
        metrics += 1;
        let near = |e: &&PairEvent| (0.3..3.0).contains(&e.ratio) && e.conditioning > 0.2;
        for event in events.iter().filter(near).step_by(5) {
            let gradient = event.gradient();
            let largest = gradient.iter().fold(0.0, |l: Double, g| l.max(g.abs()));
            for k in 0..12 {
                let mut difference = 0.0;
                for (weight, by) in [(-1.0, 2.0), (8.0, 1.0), (-8.0, -1.0), (1.0, -2.0)] {
                    let mut shifted = at;
                    shifted[k / 6] = moved(&at[k / 6], k % 6, by * h);
                    let same = find(&shifted).into_iter().find(|e| e.features == event.features);
                    let same = same.expect("an event does not vanish in a small step");
                    difference += weight * same.gap / (12.0 * h);
                }
                let error = (difference - gradient[k]).abs() / largest;
                assert!(error < 1e-6, "case {case}, {:?}, {k}: {error:e}", event.features);
            }
            gradients += 1;
        }
    }
    assert!(metrics > 20 && gradients > 100 && inside > 0, "{metrics}, {gradients}, {inside}");
}

/// (4.9)–(4.11) for the one-sided metric: a pair has active events if and only if it is active, and the
/// least of them is its own value, so that `I^A = I^E`.
#[test]
fn the_least_one_sided_event_is_that_of_the_pair() {
    let window = 64.0 * widen(EPSILON);
    let (mut active, mut idle) = (0, 0);
    for (k, p) in pairs(400, 77).expect("sound hulls").iter().enumerate() {
        let [a, b] = &p.hulls;
        let events = enumerate_growing(a, &p.placements[0], b, &p.placements[1], [true, false]);
        let ratio = ratio_of(&events);
        if ratio <= 0.0 {
            continue;
        }
        let set = PapersActive { eps_x: 1e-4, eps_t: 0.3, eps_0: 1e-4, delta_max: 1e8 };
        let chosen = set.select_real(&events, ratio);
        let near = 1.0 - 1.0 / ratio <= set.eps_t;
        assert_eq!(!chosen.is_empty(), near, "pair {k}: E is empty if and only if A is");
        if !near {
            idle += 1;
            continue;
        }
        active += 1;
        let least = chosen.iter().map(|&m| events[m].gap).fold(Double::INFINITY, Double::min);
        let gap = 1.0 - 1.0 / ratio;
        // The window of E₂ reaches ε_0 below.
        let allowed = (set.eps_0 + window) / (ratio * ratio);
        assert!((least - gap).abs() <= 2.0 * allowed, "pair {k}: {least} for {gap}");
        let [by_events, by_pair] = [least, gap].map(|gap| (-gap).max(0.0));
        assert!((by_events - by_pair).abs() <= 2.0 * allowed, "pair {k}: I^E and I^A");
    }
    assert!(active > 50 && idle > 50, "{active} active, {idle} not");
}

/// Over the middle of its top a fixed block that does not grow is a half-space: same contacts, same motion.
/// With growth of both it is another motion, else this would tell nothing.
#[test]
fn a_fixed_block_is_the_half_space_of_its_top() {
    let (dt, seconds) = (0.01, 1.2);
    let run = |ground| fall(ground, 1.0, dt, seconds).expect("sound sizes");
    let [plane, block, both] = [Ground::HalfSpace, Ground::OneSided, Ground::BothGrow].map(run);
    let touched = plane.contacts.iter().filter(|count| **count > 0).count();
    assert!(touched > 30, "it has contacts in {touched} steps");
    assert_eq!(plane.contacts, block.contacts, "the active sets are equal");
    // Rounding of poses of a meter and what the solver leaves, which blows and slides amplify.
    let off = apart(&plane, &block);
    let rounding = widen(EPSILON) + seconds * plane.residual.max(block.residual);
    assert!(off < 2e3 * rounding, "{off:e} m from the motion over the half-space");
    for (step, (x, y)) in plane.infeasibility.iter().zip(&block.infeasibility).enumerate() {
        assert!((x - y).abs() < 2e4 * rounding, "step {step}: -Φ {x} and {y}");
    }
    let other = apart(&plane, &both);
    assert!(
        other > 1e3 * off && other > 1e-3,
        "with growth of both it moves by {other} m elsewhere"
    );
}

/// Theorem 6.12 for the one-sided metric: infeasibility is of second order in the step.
#[test]
fn infeasibility_of_a_fixed_block_is_of_second_order() {
    let runs = DTS.map(|dt| (dt, fall(Ground::OneSided, 1.0, dt, 2.0).expect("sound sizes")));
    let average = runs
        .iter()
        .map(|(dt, run)| (*dt, run.depths.iter().sum::<Double>() / run.depths.len() as Double));
    let slope = fitted_slope(average).expect("it overlaps");
    assert!(slope > 1.8, "average infeasibility falls with h^{slope}");
    // Bounded by C h² |v|²: with the fastest point at 6 m/s and corners at 0.7 m, C is no more than a few
    // 1/m.
    for (dt, run) in &runs {
        let most = run.depths.iter().copied().fold(0.0, Double::max);
        // What the solver leaves adds h e (1 + μ).
        let bound = 4.0 * (dt * 6.0).powi(2) + 1.3 * dt * run.residual + 64.0 * widen(EPSILON);
        assert!(most <= bound, "h {dt}: {most} m above {bound} m");
    }
}
