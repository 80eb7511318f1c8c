//! Friction and restitution of a contact, by the rules of both sides.

use orthant::engine::Simulation;
use orthant::engine::body::BodyDesc;
use orthant::engine::collider::{self, Material};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;

use super::*;
use CoefficientCombine::{Average, GeometricMean, Max, Min, Multiply};

#[test]
fn the_rule_that_stands_later_holds() {
    let all = [Average, GeometricMean, Min, Multiply, Max];
    let (a, b): (Real, Real) = (0.2, 0.45);
    let mixed = [0.325, 0.3, 0.2, 0.09, 0.45];
    for (i, one) in all.into_iter().enumerate() {
        for (k, two) in all.into_iter().enumerate() {
            let (x, y) = (Friction::new(a).with_combine_rule(one), Friction::new(b));
            let both = x.combine(y.with_combine_rule(two));
            assert_eq!(both.combine_rule, all[i.max(k)], "{one:?} and {two:?}");
            let (is, expected) = (both.coefficient, mixed[i.max(k)]);
            assert!((is - expected).abs() < 1e-6, "{one:?} and {two:?}: {is} of {expected}");
            let bounce = Restitution::new(a).with_combine_rule(one);
            let bounce = bounce.combine(Restitution::new(b).with_combine_rule(two));
            assert_eq!((bounce.coefficient, bounce.combine_rule), (is, both.combine_rule));
            assert_eq!(of_contact([(a, one), (b, two)]), [is; 2], "{one:?} and {two:?}");
        }
    }
}

/// Friction and restitution of the contact of two balls whose materials have these coefficients and rules.
fn of_contact(sides: [(Real, CoefficientCombine); 2]) -> [Real; 2] {
    let mut world = Simulation::new();
    for (place, (coefficient, rule)) in [-0.4, 0.4].into_iter().zip(sides) {
        let material = Material {
            friction_combine: rule,
            restitution: coefficient,
            restitution_combine: rule,
            ..Material::new(coefficient)
        };
        let shape = Shape::sphere(0.5).expect("a radius");
        let colliders = vec![collider::Collider { material, ..collider::Collider::new(shape) }];
        let position = Vec3::X * place;
        world.add_body(BodyDesc { colliders, position, ..BodyDesc::default() }).expect("a ball");
    }
    world.step(&Settings::default(), 1.0 / 60.0);
    let pair = world.pairs().first().expect("they overlap");
    [pair.friction, pair.restitution]
}

/// How far a cube of this friction slides on a floor of 0.5 in a second, from 2 m/s.
fn slid(friction: Friction) -> Real {
    let mut app = app();
    let floor = floor(&mut app);
    app.world_mut().entity_mut(floor).insert(Friction::new(0.5));
    let sliding = (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0), LinearVelocity(Vec3::X * 2.0));
    let cube = spawn(&mut app, (sliding, friction));
    run(&mut app, 64);
    position(&app, cube).x
}

#[test]
fn what_has_no_friction_slides_on_if_its_rule_says_so() {
    let ice = Friction::new(0.0);
    for rule in [GeometricMean, Min, Multiply] {
        let way = slid(ice.with_combine_rule(rule));
        assert!((way - 2.0).abs() < 1e-3, "{rule:?}: {way} m");
    }
    // Braked with μ g: after 2 / (0.25 g) s it stands, 2² / (2 · 0.25 g) m from where it was.
    let (mean, both) = (slid(ice), slid(ice.with_combine_rule(Max)));
    for (way, friction) in [(mean, 0.25), (both, 0.5)] {
        let expected: Real = 4.0 / (2.0 * friction * 9.81);
        assert!((way - expected).abs() < 2.0 / 64.0, "{way} m of {expected}");
    }
}

#[test]
fn a_ball_bounces_by_the_larger_restitution_if_its_rule_says_so() {
    let mut app = app();
    floor(&mut app);
    let bouncy = Restitution::new(0.8).with_combine_rule(Max);
    assert_eq!(bouncy.combine(Restitution::default()), bouncy);
    let ball = (RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, 1.5, 0.0), bouncy);
    let ball = spawn(&mut app, ball);
    let (mut highest, mut bounced) = (0.0_f64, false);
    for _ in 0..120 {
        run(&mut app, 1);
        bounced |= velocity(&app, ball).y > 1.0;
        if bounced {
            highest = highest.max(f64::from(position(&app, ball).y as f32) - 0.5);
        }
    }
    assert!((highest - 0.64).abs() < 0.02, "e² of its height: {highest} m");
}
