//! Restitution: what bounces, how high, and what may never come of it.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::lcp::Method;
use orthant::engine::settings::{RestitutionModel, Settings};
use orthant::math::{Double, Real, Vec3};
use orthant_lab::random::Rng;
use orthant_lab::support::bounces::{
    G, MODELS, ONE, SHARED, ground, kinetic, material, model, momentum, place,
};
use orthant_lab::support::{DOUBLE, DT, body, cuboid, sphere};

/// Height over the ground that a ball of radius 0.25 reaches after its first bounce from a fall of 1 m.
fn rebound_of(a: Material, b: Material) -> Real {
    let settings = model(RestitutionModel::Poisson, G);
    let mut world = Simulation::new();
    ground(&mut world, a);
    let at = Vec3::new(0.0, 1.25, 0.0);
    let ball = place(&mut world, BodyKind::Dynamic, sphere(0.25), b, at, Vec3::ZERO);
    let (mut top, mut up): (Real, bool) = (0.0, false);
    for _ in 0..120 {
        world.step(&settings, DT);
        let ball = body(&world, ball);
        let speed = ball.linear_velocity.y;
        if up && speed < 0.0 {
            return top;
        }
        up |= speed > 0.0;
        if up {
            top = top.max(ball.center().y - 0.25);
        }
    }
    top
}

#[test]
fn the_mean_of_both_counts() {
    let half = rebound_of(material(0.5, 0.6), material(0.5, 0.4));
    let same = rebound_of(material(0.5, 0.5), material(0.5, 0.5));
    assert_eq!(half, same);
    assert_eq!(rebound_of(material(0.5, 3.0), material(0.5, 1.0)), rebound_of(ONE, ONE), "clamped");
    let mut world = Simulation::new();
    let at = Vec3::ZERO;
    let ball = place(&mut world, BodyKind::Dynamic, sphere(0.5), ONE, at, at);
    let broken = material(0.5, Real::NAN);
    assert!(world.body_mut(ball).expect("it is there").set_material(0, broken).is_err());
}

/// Speeds of balls in a row along x after a second; of each its place and speed, its radius and density.
fn row(settings: &Settings, e: Real, balls: &[[Real; 4]]) -> Vec<Real> {
    let mut world = Simulation::new();
    let mut ids = Vec::new();
    for &[x, speed, radius, density] in balls {
        let material = material(0.0, e);
        let desc = BodyDesc {
            colliders: vec![Collider { material, ..Collider::new(sphere(radius)) }],
            position: Vec3::X * x,
            linear_velocity: Vec3::X * speed,
            density,
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a sound body"));
    }
    for _ in 0..60 {
        world.step(settings, DT);
        assert_eq!(world.report().islands_unsolved, 0, "every step is solved");
    }
    ids.iter().map(|&id| body(&world, id).linear_velocity.x).collect()
}

#[track_caller]
fn assert_near(what: &str, got: &[Real], want: &[Real]) {
    let tolerance = if DOUBLE { 1e-9 } else { 1e-4 };
    let near = got.iter().zip(want).all(|(x, y)| (x - y).abs() <= tolerance);
    assert!(near, "{what}: {got:?} instead of {want:?}");
}

#[test]
fn two_balls_meet_head_on() {
    for of in MODELS {
        let settings = model(of, 0.0);
        let equal = row(&settings, 1.0, &[[-1.0, 2.0, 0.25, 1.0], [1.0, -1.0, 0.25, 1.0]]);
        assert_near("they exchange their velocities", &equal, &[-1.0, 2.0]);
        for e in [1.0, 0.7, 0.0] {
            let got = row(&settings, e, &[[-1.0, 2.0, 0.25, 1.0], [1.0, -1.0, 0.25, 3.0]]);
            let (mean, closing) = ((2.0 - 3.0) / 4.0, 3.0 * e);
            let want = [mean - 0.75 * closing, mean + 0.25 * closing];
            assert_near(&format!("one to three, {of:?} {e}"), &got, &want);
        }
    }
}

#[test]
fn below_the_threshold_nothing_bounces() {
    for of in MODELS {
        let settings = model(of, 0.0);
        let slow = row(&settings, 1.0, &[[-0.3, 0.49, 0.25, 1.0], [0.3, 0.0, 0.25, 1.0]]);
        assert_near("plastic", &slow, &[0.245, 0.245]);
        let fast = row(&settings, 1.0, &[[-0.3, 0.51, 0.25, 1.0], [0.3, 0.0, 0.25, 1.0]]);
        assert_near("elastic", &fast, &[0.0, 0.51]);
    }
}

#[test]
fn balls_in_contact_share_a_blow_at_once() {
    let cradle = |gap: Real| -> Vec<[Real; 4]> {
        let ball = |i: u8| [Real::from(i) * (0.5 + gap), 0.0, 0.25, 1.0];
        let mut balls: Vec<_> = (0..5).map(ball).collect();
        (balls[0][0], balls[0][1]) = (-0.02, 1.0);
        balls
    };
    for of in SHARED {
        let settings = model(of, 0.0);
        // The first is reflected at the other four, in both models.
        let got = row(&settings, 1.0, &cradle(0.0));
        assert_near("touching, e = 1", &got, &[-0.6, 0.4, 0.4, 0.4, 0.4]);
        let got = row(&settings, 0.5, &cradle(0.0));
        assert_near("touching, e = 1/2", &got, &[-0.2, 0.3, 0.3, 0.3, 0.3]);
        // With gaps that take a step each, the blow runs through and only the last one leaves.
        let got = row(&settings, 1.0, &cradle(0.05));
        assert_near("apart, e = 1", &got, &[0.0, 0.0, 0.0, 0.0, 1.0]);
    }
}

/// Speed of the fastest body.
fn fastest(world: &Simulation) -> Real {
    world.bodies().iter().map(|b| b.linear_velocity.length()).fold(0.0, Real::max)
}

/// Fifteen balls in a triangle and one that comes with 10 m/s.
fn rack(material: Material) -> Simulation {
    let mut world = Simulation::new();
    let mut rng = Rng::new(15);
    let radius = 0.028_575;
    let pitch = 2.0 * radius + 4e-4;
    let mut ball = |at: Vec3, v: Vec3| {
        place(&mut world, BodyKind::Dynamic, sphere(radius), material, at, v);
    };
    ball(Vec3::new(-0.5, 0.0, 0.003), Vec3::X * 10.0);
    for row in 0..5_u16 {
        for k in 0..=row {
            let x = Real::from(row) * pitch * 0.866_025_4 + rng.range(-1e-4, 1e-4);
            let z = (Real::from(k) - 0.5 * Real::from(row)) * pitch + rng.range(-1e-4, 1e-4);
            ball(Vec3::new(x, 0.0, z), Vec3::ZERO);
        }
    }
    world
}

/// Breaks the rack; the largest rise of the energy in a step, the largest error of the momentum, both
/// relative, and the part of the energy that is left.
fn break_rack(settings: &Settings, material: Material) -> [Double; 3] {
    let mut world = rack(material);
    let (start, from) = (kinetic(&world), momentum(&world));
    let (mut last, mut rise, mut error): (Double, Double, Double) = (start, 0.0, 0.0);
    for _ in 0..120 {
        world.step(settings, DT);
        let now = kinetic(&world);
        rise = rise.max((now - last) / start);
        error = error.max((momentum(&world) - from).length() / from.length());
        last = now;
    }
    [rise, error, last / start]
}

#[test]
fn a_billiard_break_keeps_momentum_and_gains_no_energy() {
    for of in SHARED {
        let settings = model(of, 0.0);
        for (e, mu, left) in [(1.0, 0.0, 0.99), (0.9, 0.0, 0.8), (1.0, 0.3, 0.95), (0.9, 0.3, 0.75)]
        {
            let [rise, error, rest] = break_rack(&settings, material(mu, e));
            let bar = if DOUBLE { 1e-11 } else { 1e-7 };
            assert!(rise <= bar, "{of:?} e {e} μ {mu}: energy rose by {rise:e}");
            assert!(error <= bar, "{of:?} e {e} μ {mu}: momentum off by {error:e}");
            assert!(rest >= left && rest <= 1.0, "{of:?} e {e} μ {mu}: {rest} of the energy left");
        }
    }
}

#[test]
fn small_steps_break_the_rack_nearly_as_well() {
    let mut settings = model(RestitutionModel::Poisson, 0.0);
    settings.solver.method = Method::Substeps;
    let [rise, error, rest] = break_rack(&settings, material(0.3, 0.9));
    assert!(rise < 1e-3 && error < 5e-6 && rest > 0.75 && rest < 1.0, "{rise} {error} {rest}");
}

#[test]
fn friction_acts_on_the_whole_blow() {
    // A ball that slides all through the blow is slowed by μ (1 + e) times its speed.
    for of in MODELS {
        for method in [Method::Auto, Method::Pgs, Method::Substeps] {
            let mut settings = model(of, 0.0);
            settings.solver.method = method;
            let mut world = Simulation::new();
            ground(&mut world, material(0.2, 0.8));
            let (at, velocity) = (Vec3::Y * 0.3, Vec3::new(5.0, -2.0, 0.0));
            let rubs = material(0.2, 0.8);
            let id = place(&mut world, BodyKind::Dynamic, sphere(0.25), rubs, at, velocity);
            for _ in 0..5 {
                world.step(&settings, DT);
            }
            let got = body(&world, id).linear_velocity;
            let want = Vec3::new(5.0 - 0.2 * 1.8 * 2.0, 1.6, 0.0);
            assert!((got - want).length() < 1e-4, "{of:?} {method:?}: {got}");
        }
    }
}

#[test]
fn a_rolling_ball_bounces_too() {
    let rolls = Material { rolling: 0.01, spinning: 0.01, ..material(0.4, 0.8) };
    for of in MODELS {
        let settings = model(of, 0.0);
        let mut world = Simulation::new();
        ground(&mut world, rolls);
        let (at, velocity) = (Vec3::Y * 0.3, Vec3::new(1.0, -2.0, 0.0));
        let id = place(&mut world, BodyKind::Dynamic, sphere(0.25), rolls, at, velocity);
        let start = kinetic(&world);
        for _ in 0..10 {
            world.step(&settings, DT);
        }
        let speed = body(&world, id).linear_velocity.y;
        assert!((speed - 1.6).abs() < 1e-3, "{of:?}: {speed}");
        assert!(kinetic(&world) < start, "{of:?}: it rubs");
    }
}

#[test]
fn a_bat_gives_what_it_does() {
    // A heavy wall that moves at V and e = 1: the ball leaves at 2 V, though its energy grows.
    for of in MODELS {
        let settings = model(of, 0.0);
        let mut world = Simulation::new();
        let shape = cuboid(0.2, 2.0, 2.0);
        let wall = place(&mut world, BodyKind::Kinematic, shape, ONE, -Vec3::X, Vec3::X * 3.0);
        let ball = place(&mut world, BodyKind::Dynamic, sphere(0.25), ONE, Vec3::ZERO, Vec3::ZERO);
        for _ in 0..40 {
            world.step(&settings, DT);
        }
        assert_near("wall", &[body(&world, wall).linear_velocity.x], &[3.0]);
        assert_near("ball", &[body(&world, ball).linear_velocity.x], &[6.0]);
    }
}

#[test]
fn a_touch_tells_the_whole_impulse() {
    let mut world = Simulation::new();
    let settings = model(RestitutionModel::Poisson, 0.0);
    ground(&mut world, ONE);
    let (at, velocity) = (Vec3::Y * 0.3, Vec3::Y * -2.0);
    let ball = place(&mut world, BodyKind::Dynamic, sphere(0.25), ONE, at, velocity);
    let mass = body(&world, ball).mass();
    let mut told = Vec::new();
    for _ in 0..10 {
        world.step(&settings, DT);
        told.extend(world.touches().started().map(|touch| touch.normal_impulse));
    }
    assert_eq!(told.len(), 1, "one touch");
    assert!((told[0] - 4.0 * mass).abs() < 1e-3 * mass, "{} of {mass}", told[0]);
}

#[test]
fn a_stack_that_bounces_comes_to_rest() {
    for of in MODELS {
        for e in [0.5, 0.9] {
            let mut world = Simulation::new();
            ground(&mut world, material(0.5, e));
            for i in 0..5_u8 {
                let at = Vec3::new(0.0, 1.0 + 1.2 * Real::from(i), 0.0);
                let cube = cuboid(1.0, 1.0, 1.0);
                place(&mut world, BodyKind::Dynamic, cube, material(0.5, e), at, Vec3::ZERO);
            }
            let settings = model(of, G);
            for _ in 0..360 {
                world.step(&settings, DT);
            }
            assert!(fastest(&world) < 1e-3, "{of:?} {e}: {}", fastest(&world));
            let top = world.bodies().iter().last().expect("five cubes").center();
            assert!((top - Vec3::Y * 4.5).length() < 0.05, "{of:?} {e}: {top}");
        }
    }
}

#[test]
fn what_rests_with_e_1_stays_at_rest_and_falls_asleep() {
    for of in MODELS {
        let mut world = Simulation::new();
        ground(&mut world, ONE);
        for i in 0..6_u8 {
            let at = Vec3::Y * (0.5 + Real::from(i));
            place(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), ONE, at, Vec3::ZERO);
        }
        let mut settings = model(of, G);
        settings.sleep.enabled = true;
        // Even where the fall of a step is faster than the threshold.
        for dt in [DT, 0.06] {
            for _ in 0..20 {
                world.step(&settings, dt);
                assert!(fastest(&world) < 1e-3, "{of:?}: {}", fastest(&world));
            }
        }
        for _ in 0..40 {
            world.step(&settings, DT);
        }
        assert_eq!(world.report().sleeping, 6, "{of:?}");
    }
}

#[test]
fn a_changed_restitution_keeps_contacts() {
    let mut world = Simulation::new();
    ground(&mut world, material(0.5, 0.0));
    let at = Vec3::Y * 0.5;
    let id = place(
        &mut world,
        BodyKind::Dynamic,
        cuboid(1.0, 1.0, 1.0),
        material(0.5, 0.0),
        at,
        Vec3::ZERO,
    );
    let settings = model(RestitutionModel::Poisson, G);
    for _ in 0..30 {
        world.step(&settings, DT);
    }
    world.body_mut(id).expect("it is there").set_material(0, ONE).expect("sound");
    world.step(&settings, DT);
    assert_eq!(world.report().iterations, 0, "the impulses of the last step still solve it");
}

/// Regression: on the axis of a cone without friction the projection took what points back for what is
/// inside, and contacts pulled. A ball must not be drawn to another that it does not reach.
#[test]
fn regression_contacts_without_friction_do_not_pull() {
    let settings = model(RestitutionModel::Poisson, 0.0);
    let apart = [[-0.5, 1.0, 0.25, 1.0], [0.02, 1.0, 0.25, 1.0], [0.53, 1.1, 0.25, 1.0]];
    assert_near("apart", &row(&settings, 0.0, &apart), &[1.0, 1.0, 1.1]);
}
