//! What overlaps counts once, if it is asked for.

use super::*;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::PI;

fn place(x: Real, y: Real, z: Real, collider: Collider) -> (Vec3, Quat, Collider) {
    (Vec3::new(x, y, z), Quat::IDENTITY, collider)
}

/// The mass properties of a dynamic body with these components.
fn mass_of(bundle: impl Bundle) -> MassProperties {
    let mut app = app();
    let entity = spawn(&mut app, (RigidBody::Dynamic, bundle));
    run(&mut app, 1);
    let body = body(&app, entity).expect("a sound body");
    MassProperties {
        mass: body.mass(),
        center_of_mass: body.center_of_mass(),
        inertia: body.inertia(),
    }
}

#[track_caller]
fn assert_same(is: MassProperties, expected: MassProperties, part: Real) {
    assert!((is.mass / expected.mass - 1.0).abs() <= part, "{} of {}", is.mass, expected.mass);
    assert_near(is.center_of_mass, expected.center_of_mass, part);
    let apart = is.inertia.plus(expected.inertia.scaled(-1.0));
    let parts = [apart.xx, apart.yy, apart.zz, apart.xy, apart.xz, apart.yz];
    let largest = expected.inertia.xx.max(expected.inertia.yy).max(expected.inertia.zz);
    assert!(parts.iter().all(|p| p.abs() <= part * largest), "{apart:?} of {:?}", expected.inertia);
}

/// Where the overlap is a box along the axes the lines end at its faces: exact but for the midpoint rule of
/// second moments, n⁻² of those of the overlap.
#[test]
fn a_cross_of_boxes_is_three_boxes() {
    let cross = Collider::compound(vec![
        place(0.0, 0.0, 0.0, Collider::cuboid(0.2, 1.0, 0.2)),
        place(0.1, 0.2, 0.0, Collider::cuboid(0.6, 0.2, 0.2)),
    ]);
    let union = Collider::compound(vec![
        place(0.0, 0.0, 0.0, Collider::cuboid(0.2, 1.0, 0.2)),
        place(-0.15, 0.2, 0.0, Collider::cuboid(0.1, 0.2, 0.2)),
        place(0.25, 0.2, 0.0, Collider::cuboid(0.3, 0.2, 0.2)),
    ]);
    let density = ColliderDensity(50.0);
    let expected = mass_of((union, density));
    assert_same(mass_of((cross.clone(), density, OverlapsCountedOnce)), expected, 1e-4);
    let twice = mass_of((cross, density));
    assert!((twice.mass - expected.mass - 0.4).abs() < 1e-4, "without it, the overlap too");
}

/// The lens of two balls of radius r at a distance d: π (4 r + d) (2 r - d)² / 12.
#[test]
fn two_balls_share_a_lens() {
    let (r, d) = (0.5, 0.4);
    let ball = |x| place(x, 0.0, 0.0, Collider::sphere(r));
    let lens = PI * (4.0 * r + d) * (2.0 * r - d).powi(2) / 12.0;
    let expected = 8.0 / 3.0 * PI * r.powi(3) - lens;
    let pair = Collider::compound(vec![ball(0.0), ball(d)]);
    let is = mass_of((pair, OverlapsCountedOnce));
    assert!((is.mass - expected).abs() < 0.01 * lens, "{} of {expected} kg", is.mass);
    assert_near(is.center_of_mass, Vec3::X * 0.5 * d, 0.01 * lens);
}

#[test]
fn what_is_in_one_place_three_times_counts_once() {
    let cube = || place(0.0, 0.0, 0.0, Collider::cuboid(1.0, 2.0, 3.0));
    let once = mass_of(Collider::cuboid(1.0, 2.0, 3.0));
    let three = Collider::compound(vec![cube(), cube(), cube()]);
    assert_same(mass_of((three, OverlapsCountedOnce)), once, 1e-3);
}

/// Colliders of one body overlap as pieces do, and the denser one keeps its part, whichever comes first.
#[test]
fn a_core_of_steel_displaces_the_wood_around_it() {
    let volume = 4.0 / 3.0 * PI;
    let cube = |radius: Real| radius.powi(3);
    let expected = volume * (8000.0 * cube(0.2) + 500.0 * (cube(0.5) - cube(0.2)));
    for steel_first in [true, false] {
        let mut app = app();
        let sizes =
            if steel_first { [(0.2, 8000.0), (0.5, 500.0)] } else { [(0.5, 500.0), (0.2, 8000.0)] };
        let ball = spawn(&mut app, (RigidBody::Dynamic, OverlapsCountedOnce));
        for (radius, density) in sizes {
            let part = (Collider::sphere(radius), ColliderDensity(density), ChildOf(ball));
            spawn(&mut app, (part, Transform::default()));
        }
        run(&mut app, 1);
        let mass = body(&app, ball).expect("a sound body").mass();
        let overlap = 500.0 * volume * 0.008;
        assert!((mass - expected).abs() < 0.01 * overlap, "{mass} of {expected} kg");
        app.world_mut().entity_mut(ball).remove::<OverlapsCountedOnce>();
        run(&mut app, 1);
        let mass = body(&app, ball).expect("a sound body").mass();
        assert!((mass - expected - overlap).abs() < 1e-3 * expected, "both again: {mass} kg");
    }
}

/// However the whole is turned; an elbow of capsules has no straight faces.
#[test]
fn it_is_the_same_whichever_way_the_body_is_made() {
    let mut rng = Rng::new(3);
    let elbow = |turn: Quat| {
        let limb = Collider::capsule(0.1, 0.6);
        let bent = orthant::math::quat_exp(Vec3::Z * 1.1);
        let parts = vec![
            (Vec3::Y * 0.3, Quat::IDENTITY, limb.clone()),
            (orthant::math::quat_rotate(bent, Vec3::Y * 0.3), bent, limb),
        ];
        Collider::compound(vec![(Vec3::ZERO, turn, Collider::compound(parts))])
    };
    let density = ColliderDensity(100.0);
    let straight = mass_of((elbow(Quat::IDENTITY), density, OverlapsCountedOnce));
    let overlap = mass_of((elbow(Quat::IDENTITY), density)).mass - straight.mass;
    assert!(overlap > 0.3, "{overlap} kg");
    for _ in 0..4 {
        let turn = rng.rotation();
        let turned = mass_of((elbow(turn), density, OverlapsCountedOnce));
        // Twice the error of each, a hundredth of the overlap.
        let part = 0.02 * overlap / straight.mass;
        assert_same(turned, straight.transformed(Vec3::ZERO, turn), part);
    }
}
