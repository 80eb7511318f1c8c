//! Events of pairs of polytopes against an independent reference, and their gradients against
//! difference quotients.

use orthant::engine::papers::active_set::PapersActive;
use orthant::engine::papers::enumerate::{
    EventFeatures, PairEvent, Placement, enumerate, enumerate_half_space, events, ratio_of,
};
use orthant::engine::shape::hull::Hull;
use orthant::math::{DMat3, DVec3, Double, Vec3, sin_cos_double};
use orthant_lab::cases::body;
use orthant_lab::cases::event::{EventCheck, EventTolerance, check_case, is_spatial};
use serde_json::Value;

fn cases() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/events.json");
    let text = std::fs::read_to_string(path).expect("the case file is part of the repository");
    let all: Vec<Value> = serde_json::from_str(&text).expect("the case file is a list");
    all.into_iter().filter(is_spatial).collect()
}

#[test]
fn events_match_the_reference() {
    let tolerance = EventTolerance::of_build();
    let mut worst = EventCheck::default();
    for case in cases() {
        let check =
            check_case(&case, &tolerance).unwrap_or_else(|e| panic!("case {}: {e}", case["id"]));
        worst.events += check.events;
        worst.sets += check.sets;
        worst.ratio = worst.ratio.max(check.ratio);
        worst.point = worst.point.max(check.point);
        worst.violation = worst.violation.max(check.violation);
        worst.gradient = worst.gradient.max(check.gradient);
    }
    println!("{worst:?}");
    assert!(worst.events > 300, "too few events were compared: {}", worst.events);
    assert_eq!(worst.sets, if tolerance.sets { 60 } else { 0 }, "active sets compared");
}

/// `exp([w]×)`.
fn turn(w: DVec3) -> DMat3 {
    let angle = w.length();
    let (sin, cos) = sin_cos_double(angle);
    let k = DMat3::from_cols(
        DVec3::new(0.0, w.z, -w.y),
        DVec3::new(-w.z, 0.0, w.x),
        DVec3::new(w.y, -w.x, 0.0),
    );
    DMat3::IDENTITY + k * (sin / angle) + k * k * ((1.0 - cos) / (angle * angle))
}

/// The placement with component `k` (translation, then world rotation vector) moved by `by`.
fn moved(placement: &Placement, k: usize, by: Double) -> Placement {
    let mut step = [0.0; 3];
    step[k % 3] = by;
    let step = DVec3::from_array(step);
    let Placement { position, rotation } = *placement;
    if k < 3 {
        Placement { position: position + step, rotation }
    } else {
        Placement { position, rotation: turn(step) * rotation }
    }
}

fn find(events: &[PairEvent], features: EventFeatures) -> &PairEvent {
    events
        .iter()
        .find(|e| e.features == features)
        .expect("an event does not vanish in a small step")
}

#[test]
fn gradients_match_central_differences() {
    let h = 1e-5;
    let mut compared = 0;
    for case in cases().iter().take(6) {
        let a = body::read_body(&case["body1"]).expect("a body of the case file");
        let b = body::read_body(&case["body2"]).expect("a body of the case file");
        let at =
            |pose_a: &Placement, pose_b: &Placement| enumerate(&a.hull, pose_a, &b.hull, pose_b);
        let events = at(&a.placement, &b.placement);
        let near = |e: &&PairEvent| (0.3..3.0).contains(&e.ratio) && e.conditioning > 0.1;
        let near: Vec<_> = events.iter().filter(near).collect();
        let mut differences = vec![[0.0; 12]; near.len()];
        for k in 0..12 {
            // Fourth-order differences, so that the step need not be small.
            for (weight, by) in [(-1.0, 2.0), (8.0, 1.0), (-8.0, -1.0), (1.0, -2.0)] {
                let (pose_a, pose_b) = if k < 6 {
                    (moved(&a.placement, k, by * h), b.placement)
                } else {
                    (a.placement, moved(&b.placement, k - 6, by * h))
                };
                let shifted = at(&pose_a, &pose_b);
                for (difference, event) in differences.iter_mut().zip(&near) {
                    difference[k] += weight * find(&shifted, event.features).gap / (12.0 * h);
                }
            }
        }
        for (difference, event) in differences.iter().zip(&near) {
            let gradient = event.gradient();
            let largest = gradient.iter().fold(0.0, |l: Double, g| l.max(g.abs()));
            for k in 0..12 {
                let error = (difference[k] - gradient[k]).abs() / largest;
                assert!(error < 1e-7, "{:?}, component {k}: {error:.1e}", event.features);
            }
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} gradients were compared");
}

#[test]
fn half_space_gradients_match_central_differences() {
    let h = 1e-5;
    let normal = DVec3::new(0.36, 0.48, 0.8);
    let mut compared = 0;
    for case in cases() {
        let a = body::read_body(&case["body1"]).expect("a body of the case file");
        let offset = normal.dot(a.placement.position) - 0.4;
        let at = |pose: &Placement| enumerate_half_space(&a.hull, pose, normal, offset);
        for event in at(&a.placement).iter().filter(|e| (0.3..3.0).contains(&e.ratio)) {
            let on_plane = normal.dot(event.point) - offset;
            assert!(on_plane.abs() < 1e-12, "x* is {on_plane:.1e} m off the plane");
            let gradient = event.gradient();
            for k in 0..6 {
                let gradient = &gradient[6..];
                let mut difference = 0.0;
                for (weight, by) in [(-1.0, 2.0), (8.0, 1.0), (-8.0, -1.0), (1.0, -2.0)] {
                    let shifted = at(&moved(&a.placement, k, by * h));
                    let same = shifted.iter().find(|e| e.features == event.features);
                    difference += weight * same.expect("the same corner").gap / (12.0 * h);
                }
                let largest = gradient.iter().fold(0.0, |l: Double, g| l.max(g.abs()));
                let error = (difference - gradient[k]).abs() / largest;
                assert!(error < 1e-7, "component {k}: {error:.1e}");
            }
            compared += 1;
        }
    }
    assert!(compared > 20, "only {compared} gradients were compared");
}

/// Two equal boxes side by side, one turned by a hair: corners of each lie on the planes of side faces
/// of the other that they can never touch.
#[test]
fn the_ghost_filter_leaves_the_true_normal_alone() {
    let cube = Hull::cuboid(Vec3::ONE).expect("a cube");
    let at_a = Placement { position: DVec3::new(0.0, 0.5, 0.0), rotation: DMat3::IDENTITY };
    let at_b = Placement {
        position: DVec3::new(1.0, 0.5 + 5e-10, 0.0),
        rotation: turn(DVec3::new(0.0, 0.0, 1e-9)),
    };
    let events = enumerate(&cube, &at_a, &cube, &at_b);
    let ratio = ratio_of(&events);
    let active = PapersActive { eps_x: 0.01, eps_t: 0.1, eps_0: 1e-4, delta_max: 1e6 };
    let sideways = |m: &usize| events[*m].normal.x > 0.999;
    let real = active.select_real(&events, ratio);
    let mut printed = (0..events.len()).filter(|m| active.admits(&events[*m], ratio));
    assert!(!printed.all(|m| sideways(&m)), "the printed set has ghosts here");
    assert!(real.len() >= 4 && real.iter().all(sideways), "{} real events", real.len());
}

/// Metric and events of two shapes somewhere in the world, each in one call: the best separating plane of the
/// events is the metric's, and the touching points lie on both shapes grown by it.
#[test]
fn metric_and_events_of_shapes_are_told_in_one_call() {
    use orthant::engine::query::ratio;
    use orthant::engine::shape::Shape;
    use orthant::math::{EPSILON, Quat, Real, quat_exp, quat_rotate, widen, widen3};
    let cube = Shape::cuboid(1.0, 1.0, 1.0).expect("lengths");
    let bar = Shape::cuboid(0.4, 0.2, 2.0).expect("lengths");
    let at = Vec3::new(20.0, -3.0, 7.0);
    for (k, turn) in
        [Vec3::ZERO, Vec3::new(0.3, 0.2, -0.5), Vec3::new(1.0, -2.0, 0.7)].iter().enumerate()
    {
        let (one, other): ((&Shape, Vec3, Quat), _) = (
            (&cube, at, quat_exp(Vec3::new(0.1, 0.4, 0.2))),
            (&bar, at + Vec3::new(0.9, 0.3, 0.2), quat_exp(*turn)),
        );
        let metric = ratio(one, other).expect("both are convex");
        let list = events(one, other);
        let found = ratio_of(&list);
        let allowed = 64.0 * 20.0 * widen(EPSILON);
        assert!((found - widen(metric.ratio)).abs() <= allowed, "{k}: {found}, {}", metric.ratio);
        let is_first = |e: &&PairEvent| (e.ratio - found).abs() <= 1e-4 && e.violation <= 1e-4;
        assert!(list.iter().any(|e| is_first(&e)), "{k}: something touches first");
        for event in list.iter().filter(is_first) {
            assert!(event.normal.dot(widen3(metric.normal)) > 0.999, "{k}: its normal");
            for (shape, place, turn) in [one, other] {
                let local = event.point - widen3(place);
                let corner = shape.pieces()[0].position;
                assert_eq!(corner, Vec3::ZERO, "boxes are about their centers");
                let half = |x: Real| widen(x) * 0.5 * event.ratio + allowed;
                let sizes = if core::ptr::eq(shape, &cube) { [1.0; 3] } else { [0.4, 0.2, 2.0] };
                for (axis, size) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(sizes) {
                    let along = widen3(quat_rotate(turn, axis)).dot(local);
                    assert!(along.abs() <= half(size) + 1e-4, "{k}: {along}");
                }
            }
        }
    }
}

/// Compounds, half-spaces and meshes have a metric with its points, too: what comes to lie at x* is on either
/// surface, `n · (p₂ - p₁)` is the separation, growth carries both there, and seen from the other side all is
/// turned. A compound has that of its nearest piece, a mesh of its nearest triangle.
#[test]
fn the_metric_of_all_shapes_has_its_points() {
    use orthant::engine::query::{PlacedShape, closest, ratio};
    use orthant::engine::shape::Shape;
    use orthant::math::{EPSILON, Quat, quat_exp, widen, widen3};
    let corners = vec![Vec3::ZERO, Vec3::Z * 3.0, Vec3::X * 3.0, Vec3::new(3.0, 0.0, 3.0)];
    let ground = Shape::trimesh(&corners, &[[0, 1, 2], [2, 1, 3]]).expect("two triangles");
    let cube = Shape::cuboid(0.6, 0.4, 0.5).expect("lengths");
    let ball = Shape::sphere(0.3).expect("a radius");
    let pair =
        [(Vec3::X * 0.9, Quat::IDENTITY, ball.clone()), (Vec3::ZERO, Quat::IDENTITY, cube.clone())];
    let dumbbell = Shape::compound(pair).expect("two parts");
    let plane = Shape::half_space(Vec3::Y).expect("a normal");
    let cone = Shape::cone(0.3, 0.7).expect("lengths");
    let turn = quat_exp(Vec3::new(0.3, -0.2, 0.5));
    for (name, a, b) in [
        ("mesh, hull", &ground, &cube),
        ("mesh, compound", &ground, &dumbbell),
        ("half-space, compound", &plane, &dumbbell),
        ("half-space, cone", &plane, &cone),
        ("hull, compound", &cube, &dumbbell),
        ("compound, cone", &dumbbell, &cone),
    ] {
        let one: PlacedShape<'_> = (a, Vec3::ZERO, Quat::IDENTITY);
        let other: PlacedShape<'_> = (b, Vec3::new(1.3, 1.1, 0.9), turn);
        let found = ratio(one, other).expect("one of them is a hull");
        let back = ratio(other, one).expect("and so is it turned");
        let allowed = 256.0 * widen(EPSILON) * widen(found.ratio).max(1.0);
        let [p, q] = found.points.map(widen3);
        let n = widen3(found.normal);
        let apart = n.dot(q - p) - widen(found.separation);
        assert!(apart.abs() < allowed, "{name}: points off by {apart} m");
        assert!((widen3(found.point) - widen3(back.point)).length() < 1e-2, "{name}: x*");
        assert!(
            (n + widen3(back.normal)).length() < 1e-3,
            "{name}: the normal from the other side"
        );
        assert!((found.gap - back.gap).abs() < 1e-4, "{name}: Φ {} and {}", found.gap, back.gap);
        // Both points are on the surfaces: nothing of the other shape is nearer than the distance.
        let distance = widen(closest(one, other).expect("both are there").distance);
        assert!(
            (q - p).length() >= distance - allowed,
            "{name}: no nearer than the nearest points"
        );
        let tip = Shape::sphere(1e-3).expect("a radius");
        for (shape, point) in [(one, found.points[0]), (other, found.points[1])] {
            let at = closest((&tip, point, Quat::IDENTITY), shape).expect("a ball has a distance");
            assert!(at.distance.abs() < 1.2e-3, "{name}: {point} is {} m off", at.distance);
        }
    }
    assert!(ratio((&plane, Vec3::ZERO, turn), (&plane, Vec3::Y, turn)).is_none(), "two planes");
    assert!(ratio((&ground, Vec3::ZERO, turn), (&ground, Vec3::Y, turn)).is_none(), "two meshes");
}
