//! Theorems of Hart's thesis as properties of random pairs and problems, with the hypotheses they need.

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::lcp::{Iterate, Status};
use orthant::engine::papers::active_set::PapersActive;
use orthant::engine::papers::enumerate::{PairEvent, Placement};
use orthant::engine::papers::pointed::{Pointed, is_pointed};
use orthant::engine::papers::solvers::lemke::{self, LemkeParams};
use orthant::engine::shape::hull::Face;
use orthant::math::{DVec3, Double, EPSILON, widen, widen3};
use orthant_lab::experiments::dual;
use orthant_lab::experiments::metric::{Measured, pairs};
use orthant_lab::experiments::penalty::Penalty;
use orthant_lab::experiments::restart;
use orthant_lab::measure::{Preset, measure};
use orthant_lab::scenes::thesis;

use super::lcps::cases;

/// Rounding of positions of some meters, of metrics by lengths of a tenth of a meter.
fn rounding() -> Double {
    64.0 * widen(EPSILON)
}

fn measured() -> Vec<Measured> {
    pairs(600, 12).expect("sound hulls")
}

/// Theorem 2.16, metric equivalence: `s/D ≤ |ρ| ≤ s/ε`. As printed ε is any bound on the penetration; it has
/// to be an inradius at most, and no less than the depth. The sharper bound is `r₁ + r₂` where bodies are
/// apart and `r₁ + r₂ - s` where they overlap, of their inradii.
#[test]
fn the_metric_is_equivalent_to_distance_and_depth() {
    for (k, p) in measured().iter().enumerate() {
        let rho = p.depth();
        let case = format!("pair {k}: ρ {rho}, s {}, D {}", p.s, p.d);
        let slack = rounding() / p.inradii[0].min(p.inradii[1]);
        assert!(p.s / p.d <= rho + slack, "{case}: lower bound");
        let sum = p.inradii[0] + p.inradii[1];
        let sharp = if p.is_apart() { sum } else { sum - p.s };
        assert!(rho <= p.s / sharp + slack, "{case}: upper bound, inradii {:?}", p.inradii);
        let epsilon = p.inradii[0].min(p.inradii[1]);
        assert!(rho <= p.s / epsilon + slack, "{case}: the theorem's bound");
    }
}

/// Remark 2.20, that of the function `f₂(r) = r - 1`: it has one bound for distance and depth,
/// `r s/D ≤ |f₂| ≤ s / (r₁ + r₂)`. With the extent `H(n)` of both along n, `r = max n·d / H`, and the best
/// plane of the distance or the depth gives `|r - 1| ≤ s / H`.
#[test]
fn the_other_metric_has_one_bound_for_distance_and_depth() {
    for (k, p) in measured().iter().enumerate() {
        let rho = (p.ratio - 1.0).abs();
        let slack = rounding() / p.inradii[0].min(p.inradii[1]) * p.ratio.max(1.0);
        let most = p.s / (p.inradii[0] + p.inradii[1]);
        assert!(rho <= most + slack, "pair {k}: {rho} above {most}");
        let least = p.ratio * p.s / p.d;
        assert!(rho >= least - slack, "pair {k}: {rho} below {least}");
    }
}

/// Remark 2.18: so is the one-sided metric, with the inradius of the body that grows.
#[test]
fn the_one_sided_metric_is_equivalent_too() {
    let mut seen = 0;
    for (k, p) in measured().iter().enumerate() {
        if p.one_sided <= 0.0 {
            // The center of one is in the other.
            continue;
        }
        let rho = 1.0 - 1.0 / p.one_sided;
        assert_eq!(rho > 0.0, p.is_apart(), "pair {k}: {rho} and {}", p.ratio);
        let case = format!("pair {k}: ρ̂ {rho}, s {}, D {}", p.s, p.d);
        let slack = 4.0 * rounding() / p.inradii[0].min(0.1);
        assert!(rho.abs() >= p.s / p.d - slack, "{case}: lower bound");
        let sharp = if p.is_apart() { p.inradii[0] } else { p.inradii[0] - p.s };
        if sharp > 0.0 {
            assert!(rho.abs() <= p.s / sharp + slack / sharp, "{case}: upper bound");
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen} pairs");
}

/// (4.11) with the values of the equality systems: the least of the active events is that of the pair, so
/// that `I^A = I^E`. With the window of E₂ it may be lower by ε_0. Theorem 3.13, that the largest of all
/// events is the pair's, holds for the restricted inequalities only: of the equality values it is false.
#[test]
fn the_least_active_event_is_that_of_the_pair() {
    let (mut near, mut larger) = (0, 0);
    for (k, p) in measured().iter().enumerate() {
        let gap = 1.0 - 1.0 / p.ratio;
        if gap > 0.1 {
            continue;
        }
        near += 1;
        let active = p.active();
        let least = active.iter().map(|e| e.gap).fold(Double::INFINITY, Double::min);
        let window = 1e-4 / (p.ratio * (p.ratio - 1e-4)) + rounding() / p.ratio;
        assert!(
            (least - gap).abs() <= window,
            "pair {k}: {least} for {gap}, {} events",
            active.len()
        );
        let [by_events, by_pair] = [least, gap].map(|gap| (-gap).max(0.0));
        assert!((by_events - by_pair).abs() <= window, "pair {k}: I^E {by_events}, I^A {by_pair}");
        let largest = p.events.iter().map(|e| e.gap).fold(Double::NEG_INFINITY, Double::max);
        larger += usize::from(largest > gap + 0.01);
    }
    assert!(near > 100, "{near} pairs were near");
    assert!(larger > near / 2, "of equality values the largest is another in {larger} of {near}");
}

/// `min { t ≥ 0 : a_i·(x - x_i) ≤ b_i t }` of four half-spaces (3.14), by its dual: with the one `y` for
/// which `Σ y_i a_i = 0`, if it has one sign, `-Σ y_i a_i·x_i / Σ y_i b_i`; else they leave t to be zero.
fn restricted(rows: [(DVec3, Double, DVec3); 4]) -> Double {
    let volume = |i: usize| {
        let [a, b, c] = [1, 2, 3].map(|k| rows[(i + k) % 4].0);
        a.cross(b).dot(c) * [1.0, -1.0][i % 2]
    };
    let y = [0, 1, 2, 3].map(volume);
    let side = y.iter().sum::<Double>().signum();
    if y.iter().any(|y| side * y < 0.0) {
        return 0.0;
    }
    let dot = |of: &dyn Fn(usize) -> Double| (0..4).map(|i| y[i] * of(i)).sum::<Double>();
    let t = -dot(&|i| rows[i].0.dot(rows[i].2)) / dot(&|i| rows[i].1);
    if t.is_nan() { 0.0 } else { t.max(0.0) }
}

/// Theorem 3.13 with what its proof needs: of the problems with the inequalities of one event, two edges or a
/// corner on a face, by three faces of the corner, the largest value is the ratio metric. Fewer inequalities
/// give less, and one event has those that bear.
#[test]
fn the_largest_restricted_event_is_the_pair() {
    let mut near = 0;
    for (k, p) in pairs(200, 313).expect("sound hulls").iter().enumerate() {
        // Faces of both bodies in world axes.
        let sides = [0, 1].map(|i| {
            let Placement { position, rotation } = p.placements[i];
            let row = |f: &Face| (rotation * widen3(f.normal), widen(f.offset), position);
            p.hulls[i].faces().iter().map(row).collect::<Vec<_>>()
        });
        let mut largest: Double = 0.0;
        let slack = rounding() / p.inradii[0].min(p.inradii[1]) * p.ratio.max(1.0);
        let mut take = |rows| {
            let value = restricted(rows);
            assert!(value <= p.ratio + slack, "pair {k}: {value} above {}", p.ratio);
            largest = largest.max(value);
        };
        for i in [0, 1] {
            let row = |side: usize, face: u32| sides[side][face as usize];
            for v in 0..p.hulls[i].vertices().len() as u32 {
                let faces = p.hulls[i].faces_at(v);
                for (a, &f) in faces.iter().enumerate() {
                    for (b, &g) in faces.iter().enumerate().skip(a + 1) {
                        for &h in &faces[b + 1..] {
                            let [f, g, h] = [f, g, h].map(|face| row(i, face));
                            sides[1 - i].iter().for_each(|other| take([f, g, h, *other]));
                        }
                    }
                }
            }
        }
        for e in p.hulls[0].edges() {
            for f in p.hulls[1].edges() {
                let [a, b] = e.faces.map(|face| sides[0][face as usize]);
                let [c, d] = f.faces.map(|face| sides[1][face as usize]);
                take([a, b, c, d]);
            }
        }
        assert!((largest - p.ratio).abs() <= slack, "pair {k}: {largest}, not {}", p.ratio);
        near += usize::from(p.ratio < 1.0);
    }
    assert!(near > 50, "{near} pairs overlap");
}

/// Algorithm 3.15 by its dual form: weights of the dual problem are those of planes that are active, with its
/// value the ratio metric, and its events, looked for at active planes alone, are those of the search through
/// all. By (4.10) and (4.9) a pair has active events if and only if it is active.
#[test]
fn the_dual_problem_finds_the_active_events() {
    // Planes and corners of hulls are rounded each by itself, in the precision of the build.
    let tight = rounding().max(1e-8);
    let (mut few, mut all, mut found) = (0, 0, 0);
    for (k, p) in pairs(200, 5).expect("sound hulls").iter().enumerate() {
        let hulls = [&p.hulls[0], &p.hulls[1]];
        let dual = dual::solve(hulls, [&p.placements[0], &p.placements[1]]);
        let dual = dual.unwrap_or_else(|| panic!("pair {k}: Lemke's algorithm came to no end"));
        assert!(
            (dual.ratio - p.ratio).abs() <= tight * p.ratio.max(1.0),
            "pair {k}: {}",
            dual.ratio
        );
        let planes = dual.weights.iter().flatten().zip(dual.slacks.iter().flatten());
        for (weight, slack) in planes {
            assert!(*slack >= -tight, "pair {k}: feasible");
            assert!(
                *weight <= 1e-9 || *slack <= tight,
                "pair {k}: a weight {weight}, slack {slack}"
            );
        }
        for eps_t in [0.05, 0.5] {
            let window =
                PapersActive { eps_x: 10.0 * tight, eps_t, eps_0: 10.0 * tight, delta_max: 1e6 };
            let all_of = window.select_real(&p.events, dual.ratio);
            let is_active = 1.0 - 1.0 / dual.ratio <= eps_t;
            assert_eq!(window.is_near(dual.ratio), is_active, "pair {k}: (4.10)");
            assert_eq!(!all_of.is_empty(), is_active, "pair {k}: E is empty if and only if A is");
            if !is_active {
                continue;
            }
            let exact = PapersActive { eps_t: 10.0 * tight, ..window };
            let near = |e: &PairEvent| {
                exact.admits_real(e, dual.ratio) && (e.ratio - dual.ratio).abs() <= exact.eps_t
            };
            let wanted: Vec<_> = p.events.iter().filter(|e| near(e)).map(|e| e.features).collect();
            let [active, candidates] = dual::active(&dual, hulls, &p.events, &exact, 100.0 * tight);
            assert!(!wanted.is_empty(), "pair {k}: the pair's own");
            assert_eq!(active, wanted, "pair {k}");
            (few, all, found) = (few + candidates.len(), all + p.events.len(), found + 1);
        }
    }
    assert!(found > 100, "{found} pairs were active");
    assert!(5 * few < all, "{few} events were looked at, of {all}");
}

/// Theorem 5.8: where the friction cone is pointed the problem has a solution, and Lemke's algorithm ends in
/// one, not on a ray.
#[test]
fn there_is_no_ray_without_a_jam() {
    let mut pointed = 0;
    for case in &cases() {
        let problem = case.problem();
        let mut velocity = vec![[0.0; 6]; case.bodies.len()];
        let mut iterate = Iterate {
            velocity: &mut velocity,
            joint_impulse: &mut vec![0.0; case.joints.len()],
            contact_impulse: &mut vec![[0.0; 3]; case.contacts.len()],
            rolling_impulse: &mut [],
        };
        let stats = lemke::solve(&problem, &mut iterate, &LemkeParams::default());
        if let Pointed::Yes(direction) = is_pointed(&problem) {
            pointed += 1;
            assert_eq!(stats.status, Status::Converged, "case {}: {stats:?}", case.id);
            // Every generator of the cone sees the direction from its own side.
            for row in &case.contacts {
                let rate = |k: usize| -> Double {
                    let of = |body: u32, j: &[[Double; 6]; 3]| match direction.get(body as usize) {
                        Some(v) => (0..6).map(|i| j[k][i] * v[i]).sum(),
                        None => 0.0,
                    };
                    of(row.a, &row.jacobian_a) + of(row.b, &row.jacobian_b)
                };
                assert!(rate(0) > 0.0, "case {}: it opens with {}", case.id, rate(0));
            }
        }
    }
    assert!(pointed >= 10, "most cones are pointed: {pointed}");
}

/// A penalty, critically damped, overlaps by `v / (e ω)` where it is struck with v.
#[test]
fn a_penalty_overlaps_as_its_spring_does() {
    let (speed, stiffness): (Double, Double) = (10.0, 1e6);
    let rate = stiffness.sqrt();
    let ball = Penalty { axes: [1.0; 2], state: [1.0, -speed, 0.0, 0.0], stiffness };
    for fine in [20.0, 200.0] {
        let found = ball.overlap(1.0 / (fine * rate), 0.02);
        let wanted = speed / (core::f64::consts::E * rate);
        // Of first order in the step; gravity adds less than its own sag.
        let allowed = wanted / fine + 9.81 / stiffness;
        assert!((found - wanted).abs() <= allowed, "{found} m for {wanted} m, {fine} steps");
    }
}

/// Who simulates, detects and restarts stops once for a ball that falls, when it arrives; for nine balls that
/// strike each other more often, in shorter steps. No collision is overlooked, and all end at rest.
#[test]
fn restarts_stop_at_every_collision() {
    let mut world = restart::balls(1).expect("a sound world");
    let fallen = |world: &Simulation| {
        let ball = world.bodies().iter().find(|body| body.kind() == BodyKind::Dynamic);
        widen(ball.expect("a ball").center().y) - 0.1
    };
    let speed = |world: &Simulation| {
        let ball = world.bodies().iter().find(|body| body.kind() == BodyKind::Dynamic);
        widen(ball.expect("a ball").linear_velocity.y)
    };
    let (height, start) = (fallen(&world), speed(&world));
    let needed = restart::with_restarts(&mut world, 1.0);
    assert_eq!(needed.collisions, 1, "{needed:?}");
    let shortened = needed.lengths.iter().position(|h| *h < 0.999 * restart::STEP);
    let stop = shortened.expect("it was stopped");
    let arrival: Double = needed.lengths[..=stop].iter().sum();
    let wanted = (start + (start * start + 2.0 * 9.81 * height).sqrt()) / 9.81;
    assert!((arrival - wanted).abs() < restart::STEP, "{arrival} s, not {wanted} s: first order");
    assert!(fallen(&world).abs() < 1e-5, "it lies on the floor: {} m", fallen(&world));
    let needed = restart::with_restarts(&mut restart::balls(9).expect("a sound world"), 1.0);
    // A length to which it was bisected, or the shortest one.
    assert!(needed.overlap < 1e-5, "{} m were overlooked", needed.overlap);
    assert!(needed.collisions > 9, "each falls, and some meet: {}", needed.collisions);
    assert!((needed.lengths.iter().sum::<Double>() - 1.0).abs() < 1e-6, "a second");
}

/// Setup6 as the thesis tells it: the cube drops on the tetrahedron, which slides into the corner, and both
/// end on the floor at rest. With γ = 1; at 0.3 the blow is too soft.
#[test]
fn the_tetrahedron_of_setup6_slides_into_the_corner() {
    let experiment = thesis::setup6();
    let row = measure(&experiment, Preset::Papers, experiment.scene.params.dt, 1.0, || {});
    let row = row.expect("a sound scene");
    assert!(row.run.kinetic_energy_end < 1e-6, "{} J are left", row.run.kinetic_energy_end);
    for (name, (center, gaps)) in ["tetrahedron", "cube"].iter().zip(&row.ends) {
        assert!(gaps[0].abs() < 1e-3, "the {name} at {center} is {} m above the floor", gaps[0]);
    }
    let (center, walls) = &row.ends[0];
    assert!(
        walls[1..].iter().all(|gap| gap.abs() < 1e-3),
        "the tetrahedron at {center}: {walls:?} m"
    );
}
