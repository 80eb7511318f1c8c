//! What is done to a world from outside, in good and in bad order.

use super::*;

#[test]
fn a_broken_state_is_frozen_and_reported_and_harms_nobody() {
    let (mut world, cubes) = stack(3);
    let loner = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(9.0, 0.5, 0.0));
    run(&mut world, 10);
    world.body_mut(loner).expect("the loner").linear_velocity.x = Real::NAN;
    run(&mut world, 1);
    assert_eq!(world.report().quarantined, [loner], "reported");
    run(&mut world, 30);
    assert!(world.report().quarantined.is_empty(), "once");
    assert!(body(&world, loner).is_quarantined(), "still frozen");
    assert!(body(&world, loner).center().is_finite(), "at its last good pose");
    for (i, &id) in cubes.iter().enumerate() {
        assert_near("the stack stands", body(&world, id).center().y, 0.5 + i as Real, 1e-4);
    }
    let up = Vec3::new(9.0, 2.0, 0.0);
    world.body_mut(loner).expect("the loner").set_pose(up, Quat::IDENTITY);
    run(&mut world, 5);
    assert!(body(&world, loner).linear_velocity.y < -0.5, "placed anew, it falls");
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let mut world = Simulation::new();
    let desc = || BodyDesc { shape: Some(cuboid(1.0, 1.0, 1.0)), ..BodyDesc::default() };
    let nan = Vec3::new(0.0, Real::NAN, 0.0);
    let refused = |world: &mut Simulation, desc| world.add_body(desc).expect_err("must be refused");
    assert_eq!(
        refused(&mut world, BodyDesc { position: nan, ..desc() }),
        BodyError::NotFinite("position"),
        "a position that is no number"
    );
    assert_eq!(
        refused(&mut world, BodyDesc { density: 0.0, ..desc() }),
        BodyError::Mass(0.0),
        "no mass"
    );
    let half_space = Shape::half_space(Vec3::Y).expect("a direction");
    assert_eq!(
        refused(&mut world, BodyDesc { shape: Some(half_space), ..desc() }),
        BodyError::HalfSpaceMoves,
        "a half-space that moves"
    );
    assert_eq!(refused(&mut world, BodyDesc::default()), BodyError::Mass(0.0), "no shape");
    let a = world.add_body(desc()).expect("a sound body");
    let joint = JointDesc::between(JointKind::Spherical, a, a);
    let error = world.add_joint(joint).expect_err("both ends on one body");
    assert_eq!(error, JointError::SameBody(a), "both ends on one body");
    assert!(world.bodies().len() == 1 && world.joints().next().is_none(), "nothing was added");
}

#[test]
fn a_step_of_no_length_or_bad_settings_is_refused() {
    let (mut world, _) = stack(2);
    run(&mut world, 5);
    let before = support::fingerprint(&world);
    for dt in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        assert_eq!(world.step(&settings(), dt).status, StepStatus::Refused, "dt = {dt}");
    }
    let mut settings = settings();
    settings.contact.gamma = 2.5;
    assert_eq!(world.step(&settings, DT).status, StepStatus::Refused, "gamma = 2.5");
    assert_eq!(support::fingerprint(&world), before, "nothing moved");
}

#[test]
fn bodies_may_go_and_come_at_any_time() {
    let (mut world, mut ids) = heap(12);
    let mut rng = Rng::new(3);
    for step in 0..300 {
        run(&mut world, 1);
        if step % 7 == 0 && ids.len() > 3 {
            let id = ids.swap_remove(rng.below(ids.len()));
            assert!(world.remove_body(id), "it was there");
            assert!(!world.remove_body(id), "and is gone");
        }
        if step % 11 == 0 {
            let at = rng.vector(-1.0, 1.0) + Vec3::Y * 4.0;
            ids.push(add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.5, 0.5), at));
        }
        assert_eq!(world.bodies().len(), ids.len() + 1, "bodies and the floor");
        assert!(world.report().quarantined.is_empty(), "step {step}");
    }
}

#[test]
fn forces_and_impulses_are_taken_up_once() {
    let mut world = Simulation::new();
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
    let settings = Settings { gravity: Vec3::ZERO, ..settings() };
    let pushed = world.body_mut(id).expect("the box");
    pushed.apply_force(Vec3::X * 60.0);
    pushed.apply_linear_impulse_at_point(Vec3::Y, Vec3::X * 0.5);
    for _ in 0..3 {
        world.step(&settings, DT);
    }
    let body = body(&world, id);
    assert_near("force", body.linear_velocity.x, 1.0, 1e-5);
    assert_near("impulse", body.linear_velocity.y, 1.0, 1e-5);
    assert_near("spin", body.angular_velocity.z, 3.0, 1e-4);
}
