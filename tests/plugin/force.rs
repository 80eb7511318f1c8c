//! Forces act once, whatever number of steps a frame has.

use super::*;
use bevy_ecs::system::RunSystemOnce;

fn free_body(app: &mut App) -> Entity {
    without_gravity(app);
    spawn(app, (RigidBody::Dynamic, cube(), Mass(2.0)))
}

fn with_forces(app: &mut App, apply: impl Fn(&mut ForcesItem) + Send + Sync + 'static) {
    let system = move |mut bodies: Query<Forces>| bodies.iter_mut().for_each(|mut f| apply(&mut f));
    app.world_mut().run_system_once(system).expect("the query is sound");
}

#[test]
fn an_impulse_is_taken_once_by_0_1_or_16_steps() {
    for steps in [0, 1, 16] {
        let mut app = app();
        let cube = free_body(&mut app);
        with_forces(&mut app, |f| f.apply_linear_impulse(Vec3::X * 6.0));
        steps_each_update(&mut app, steps);
        app.update();
        let expected = if steps == 0 { 0.0 } else { 3.0 };
        assert_eq!(velocity(&app, cube).x, expected, "after a frame of {steps} steps");
        steps_each_update(&mut app, 1);
        run(&mut app, 3);
        assert_eq!(velocity(&app, cube).x, 3.0, "once in the end, first frame of {steps} steps");
    }
}

#[test]
fn a_force_acts_over_one_step() {
    for steps in [0, 1, 16] {
        let mut app = app();
        let cube = free_body(&mut app);
        with_forces(&mut app, |f| f.apply_force(Vec3::Y * 128.0));
        steps_each_update(&mut app, steps);
        app.update();
        steps_each_update(&mut app, 1);
        run(&mut app, 3);
        assert_near(velocity(&app, cube), Vec3::Y, 1e-6);
    }
}

#[test]
fn forces_of_frames_without_a_step_add_up() {
    let mut app = app();
    let cube = free_body(&mut app);
    steps_each_update(&mut app, 0);
    for _ in 0..4 {
        with_forces(&mut app, |f| f.apply_linear_impulse(Vec3::X));
        app.update();
    }
    steps_each_update(&mut app, 1);
    run(&mut app, 2);
    assert_eq!(velocity(&app, cube).x, 2.0, "4 N·s on 2 kg");
}

#[test]
fn forces_at_points_turn_the_body() {
    let mut app = app();
    let cube = free_body(&mut app);
    run(&mut app, 1);
    // Two opposite impulses are a couple: it turns and does not move.
    with_forces(&mut app, |f| {
        f.apply_linear_impulse_at_point(Vec3::Y, Vec3::X * 0.5);
        f.apply_linear_impulse_at_point(Vec3::NEG_Y, Vec3::X * -0.5);
        f.apply_angular_impulse(Vec3::Z);
    });
    run(&mut app, 1);
    let spin = app.world().get::<AngularVelocity>(cube).expect("alive").0;
    // 1 N·m·s of the couple and 1 N·m·s, on m/6 = 1/3 kg·m².
    assert_near(spin, Vec3::Z * 6.0, 1e-4);
    assert_near(velocity(&app, cube), Vec3::ZERO, 1e-6);
    with_forces(&mut app, |f| {
        f.apply_force_at_point(Vec3::Y * 64.0, Vec3::X * 3.0);
        f.apply_torque(Vec3::Z * -3.0 * 64.0);
    });
    run(&mut app, 1);
    let spin = app.world().get::<AngularVelocity>(cube).expect("alive").0;
    assert_near(spin, Vec3::Z * 6.0, 1e-3);
    assert_near(velocity(&app, cube), Vec3::Y * 0.5, 1e-5);
}

#[test]
fn constant_forces_act_in_every_step() {
    let mut app = app();
    let cube = free_body(&mut app);
    let push = (ConstantForce(Vec3::X * 2.0), ConstantTorque(Vec3::Z / 3.0));
    app.world_mut().entity_mut(cube).insert(push);
    steps_each_update(&mut app, 16);
    run(&mut app, 4);
    assert_near(velocity(&app, cube), Vec3::X, 1e-5);
    assert_near(app.world().get::<AngularVelocity>(cube).expect("alive").0, Vec3::Z, 1e-4);
    app.world_mut().entity_mut(cube).remove::<(ConstantForce, ConstantTorque)>();
    run(&mut app, 4);
    assert_near(velocity(&app, cube), Vec3::X, 1e-5);
}

#[test]
fn what_was_applied_before_the_body_existed_is_not_lost() {
    let mut app = app();
    without_gravity(&mut app);
    let cube = spawn(&mut app, RigidBody::Dynamic);
    with_forces(&mut app, |f| f.apply_linear_impulse(Vec3::X * 6.0));
    run(&mut app, 3);
    assert!(body(&app, cube).is_none(), "a body without mass is refused");
    app.world_mut().entity_mut(cube).insert((super::cube(), Mass(2.0)));
    run(&mut app, 2);
    assert_eq!(velocity(&app, cube).x, 3.0, "taken by the first step of the body");
}
