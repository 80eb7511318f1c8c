//! Characters and what moves: platforms, walls, crates; any length of a step; shapes without a body.

use super::*;

#[test]
fn platforms_carry() {
    for hz in [30, 64, 240] {
        // Along, up and down, by their velocity.
        for velocity in [Vec3::X * 3.0, Vec3::Y * 2.0, Vec3::Y * -2.0, Vec3::new(1.0, 1.0, -1.0)] {
            let mut app = app_at(hz);
            let plate =
                (RigidBody::Kinematic, Collider::cuboid(4.0, 0.5, 4.0), at(0.0, -0.25, 0.0));
            let plate = spawn(&mut app, (plate, LinearVelocity(velocity)));
            let one = person(&mut app, capsule(), Vec3::ZERO);
            run_for(&mut app, hz, 0.2, |_| {});
            let apart = position(&app, one) - position(&app, plate);
            run_for(&mut app, hz, 1.0, |app| {
                let now = position(app, one) - position(app, plate);
                assert_near(now, apart, 1e-4);
                assert!(state(app, one).is_grounded(), "it is thrown off at {velocity}");
            });
            // One that jumps keeps the velocity of the plate.
            let before = position(&app, one);
            jump(&mut app, one, 4.0);
            run_for(&mut app, hz, 0.2, |_| {});
            let time = (0.2 * hz as Real).round() / hz as Real;
            let way = velocity * time + Vec3::Y * (4.0 * time - 0.5 * 9.81 * time * time);
            assert_near(position(&app, one) - before, way, 1e-3);
        }
    }
}

#[test]
fn one_that_is_led_carries_too() {
    let mut app = app_at(64);
    let plate = (RigidBody::Kinematic, Collider::cuboid(4.0, 0.5, 4.0), at(0.0, -0.25, 0.0));
    let plate = spawn(&mut app, plate);
    let one = person(&mut app, capsule(), Vec3::ZERO);
    run_for(&mut app, 64, 0.2, |_| {});
    let apart = position(&app, one) - position(&app, plate);
    for k in 0..128 {
        let phase = k as Real * 0.05;
        let to = Vec3::new(2.0 * sin(phase), -0.25 + sin(phase), 0.0);
        let target = KinematicTarget::new(to, Quat::IDENTITY);
        app.world_mut().entity_mut(plate).insert(target);
        app.update();
        assert_near(position(&app, one) - position(&app, plate), apart, 1e-4);
    }
}

#[test]
fn a_carousel_turns_who_stands_on_it() {
    for hz in [30, 240] {
        let mut app = app_at(hz);
        let plate = (RigidBody::Kinematic, Collider::cylinder(4.0, 0.5), at(0.0, -0.25, 0.0));
        spawn(&mut app, (plate, AngularVelocity(Vec3::Y)));
        let one = person(&mut app, capsule(), Vec3::X * 3.0);
        let angle = |v: Vec3| orthant::math::atan2(-v.z, v.x);
        let look = |app: &App| {
            let place = position(app, one);
            let turn = app.world().get::<Transform>(one).expect("it is somewhere").rotation;
            let facing = from_single3(turn * bevy_math::Vec3::X);
            ((place * Vec3::new(1.0, 0.0, 1.0)).length(), angle(place), angle(facing))
        };
        // Who comes slips until the velocity is that of the plate.
        run_for(&mut app, hz, 0.5, |_| {});
        let (radius, place, facing) = look(&app);
        run_for(&mut app, hz, 2.0, |app| {
            let now = look(app).0;
            assert!((now - radius).abs() < 1e-4, "it drifts from {radius} to {now} m");
        });
        let after = look(&app);
        assert!((after.1 - place - 2.0).abs() < 1e-3, "from {place} to {} rad", after.1);
        assert!((after.2 - facing - 2.0).abs() < 1e-3, "faces from {facing} to {} rad", after.2);
    }
}

#[test]
fn a_wall_that_moves_pushes_it() {
    let mut app = app_at(64);
    floor(&mut app);
    let wall = (RigidBody::Kinematic, Collider::cuboid(1.0, 3.0, 3.0), at(-1.5, 1.5, 0.0));
    let wall = spawn(&mut app, (wall, LinearVelocity(Vec3::X * 2.0)));
    let one = person(&mut app, capsule(), Vec3::ZERO);
    run_for(&mut app, 64, 2.0, |_| {});
    let gap = position(&app, one).x - 0.3 - (position(&app, wall).x + 0.5);
    // A wall that came is left in the step after.
    assert!(gap > SKIN - 2.0 / 64.0 - 1e-3, "the wall is {} m inside", -gap);
    assert!(feet(&app, one).y.abs() < 1e-3, "at {}", feet(&app, one));
}

#[test]
fn under_a_ceiling_it_stops_and_is_not_squeezed() {
    for hz in [30, 240] {
        for collider in persons() {
            // A ramp of 20° under a flat ceiling.
            let mut app = app_at(hz);
            floor(&mut app);
            slope(&mut app, Vec3::X, 20.0 / 180.0 * PI);
            block(&mut app, Vec3::new(40.0, 1.0, 10.0), Vec3::Y * 3.0);
            let one = person(&mut app, collider.clone(), Vec3::ZERO);
            walk(&mut app, one, Vec3::X * 3.0);
            run_for(&mut app, hz, 2.5, |_| {});
            let rest = position(&app, one);
            assert!(rest.y + 0.9 < 2.5 && rest.x < 4.0, "pressed to {rest}");
            run_for(&mut app, hz, 0.5, |app| assert_near(position(app, one), rest, 1e-3));
            walk(&mut app, one, Vec3::X * -3.0);
            run_for(&mut app, hz, 0.5, |_| {});
            assert!(position(&app, one).x < rest.x - 1.0, "it is stuck at {rest}");
            // A jump under a ceiling that is 0.2 m above.
            let mut app = app_at(hz);
            floor(&mut app);
            block(&mut app, Vec3::new(40.0, 1.0, 10.0), Vec3::Y * 2.5);
            let one = person(&mut app, collider, Vec3::ZERO);
            run_for(&mut app, hz, 0.2, |_| {});
            jump(&mut app, one, 6.0);
            run_for(&mut app, hz, 0.5, |app| {
                let top = position(app, one).y + 0.9;
                assert!(top < 2.0, "its head is at {top} m");
            });
            assert!(state(&app, one).is_grounded(), "it hangs at {}", position(&app, one));
        }
    }
}

#[test]
fn any_length_of_a_step_gives_the_same_way() {
    let track = |hz: u32| {
        let mut app = app_at(hz);
        floor(&mut app);
        slope(&mut app, Vec3::X * 4.0, 15.0 / 180.0 * PI);
        let one = person(&mut app, capsule(), Vec3::ZERO);
        run_for(&mut app, hz, 1.0, |_| {});
        walk(&mut app, one, Vec3::X * 4.0);
        run_for(&mut app, hz, 0.5, |_| {});
        let mut places = vec![feet(&app, one)];
        jump(&mut app, one, 5.0);
        for _ in 0..10 {
            run_for(&mut app, hz, 0.2, |_| {});
            places.push(feet(&app, one));
        }
        places
    };
    let fine = track(480);
    for hz in [30, 60, 240] {
        for (a, b) in track(hz).iter().zip(&fine) {
            // Where the ground begins to rise a step may end before or after: a skin.
            assert!((*a - *b).length() < SKIN, "at {hz} Hz {a}, at 480 Hz {b}");
        }
    }
}

#[test]
fn it_pushes_what_is_light_with_the_force_it_has() {
    // On ice: the force of 500 N for as long as it touches, until the crate is as fast.
    let run = |hz: u32, mass: Real| {
        let mut app = app_at(hz);
        floor(&mut app);
        let ice = Friction::new(0.0).with_combine_rule(CoefficientCombine::Min);
        let crate_ = (RigidBody::Dynamic, cube(), Mass(mass), ice, at(1.2, 0.5, 0.0));
        let crate_ = spawn(&mut app, crate_);
        let one = person(&mut app, capsule(), Vec3::ZERO);
        walk(&mut app, one, Vec3::X * 2.0);
        run_for(&mut app, hz, 1.5, |app| {
            let apart = position(app, crate_).x - 0.5 - (position(app, one).x + 0.3);
            assert!(apart > 0.3 * SKIN, "it is {} m inside the crate", -apart);
        });
        velocity(&app, crate_).x
    };
    for hz in [30, 240] {
        let light = run(hz, 10.0);
        assert!((1.5..3.0).contains(&light), "10 kg move at {light} m/s");
        // The force acts for at most the 1.2 s that are left when it arrives.
        let heavy = run(hz, 5000.0);
        assert!((0.01..500.0 * 1.4 / 5000.0).contains(&heavy), "5000 kg move at {heavy} m/s");
    }
    // Friction of 500 kg holds against 500 N.
    let mut app = app_at(64);
    floor(&mut app);
    let heavy = spawn(&mut app, (RigidBody::Dynamic, cube(), Mass(500.0), at(1.2, 0.5, 0.0)));
    let one = person(&mut app, capsule(), Vec3::ZERO);
    walk(&mut app, one, Vec3::X * 2.0);
    run_for(&mut app, 64, 1.5, |_| {});
    assert!((position(&app, heavy).x - 1.2).abs() < 1e-3, "at {}", position(&app, heavy));
}

#[test]
fn its_weight_acts_on_what_it_stands_on() {
    let mut app = app_at(64);
    floor(&mut app);
    let beam = (RigidBody::Dynamic, Collider::cuboid(4.0, 0.2, 1.0), Mass(10.0));
    let beam = spawn(&mut app, (beam, at(0.0, 1.1, 0.0)));
    block(&mut app, Vec3::ONE, Vec3::Y * 0.5);
    run_for(&mut app, 64, 0.5, |_| {});
    assert!((position(&app, beam).y - 1.1).abs() < 1e-2, "the beam rests on the block");
    let one = person(&mut app, capsule(), Vec3::new(1.5, 1.2, 0.0));
    run_for(&mut app, 64, 2.0, |_| {});
    let tilt = app.world().get::<Transform>(beam).expect("a body").rotation * bevy_math::Vec3::X;
    assert!(tilt.y < -0.1, "the beam does not tilt: {tilt}");
    assert!(position(&app, one).is_finite(), "it is nowhere");
}

#[test]
fn nothing_is_too_fast_and_no_wall_too_thin() {
    for hz in [30, 64] {
        let mut app = app_at(hz);
        floor(&mut app);
        block(&mut app, Vec3::new(0.01, 3.0, 10.0), Vec3::new(3.0, 1.5, 0.0));
        let one = person(&mut app, capsule(), Vec3::ZERO);
        app.world_mut().get_mut::<CharacterController>(one).expect("one").acceleration = 1e6;
        walk(&mut app, one, Vec3::X * 200.0);
        run_for(&mut app, hz, 0.5, |_| {});
        assert!(position(&app, one).x < 3.0 - 0.3, "at {}", position(&app, one));
    }
}

#[test]
fn it_comes_out_of_what_it_is_put_into() {
    for collider in persons() {
        let mut app = app_at(64);
        floor(&mut app);
        block(&mut app, Vec3::new(10.0, 4.0, 10.0), Vec3::new(5.2, 2.0, 0.0));
        let one = person(&mut app, collider, Vec3::new(0.3, -0.2, 0.0));
        run_for(&mut app, 64, 1.0, |_| {});
        let end = feet(&app, one);
        assert!(end.x < 0.2 - 0.3 && end.y.abs() < 1e-3, "it is at {end}");
    }
}

#[test]
fn layers_and_sensors_let_it_through() {
    let mut app = app_at(64);
    floor(&mut app);
    let wall = block(&mut app, Vec3::new(0.5, 3.0, 10.0), Vec3::new(2.0, 1.5, 0.0));
    app.world_mut().entity_mut(wall).insert(Sensor);
    let wall = block(&mut app, Vec3::new(0.5, 3.0, 10.0), Vec3::new(4.0, 1.5, 0.0));
    app.world_mut().entity_mut(wall).insert(CollisionLayers::new(LayerMask(2), LayerMask(2)));
    let one = person(&mut app, capsule(), Vec3::ZERO);
    walk(&mut app, one, Vec3::X * 4.0);
    run_for(&mut app, 64, 2.0, |_| {});
    assert!(position(&app, one).x > 7.0, "at {}", position(&app, one));
}

#[test]
fn a_user_may_place_and_turn_it() {
    let mut app = app_at(64);
    floor(&mut app);
    let one = person(&mut app, capsule(), Vec3::ZERO);
    run_for(&mut app, 64, 0.5, |_| {});
    let turn = bevy_math::Quat::from_rotation_y(0.7);
    app.world_mut().get_mut::<Transform>(one).expect("it is somewhere").rotation = turn;
    run_for(&mut app, 64, 0.5, |_| {});
    let rotation = app.world().get::<Transform>(one).expect("it is somewhere").rotation;
    assert!(rotation.angle_between(turn) < 1e-3, "it is turned by {rotation}");
    app.world_mut().get_mut::<Transform>(one).expect("it is somewhere").translation.x = 50.0;
    run_for(&mut app, 64, 0.5, |_| {});
    assert_near(feet(&app, one), Vec3::X * 50.0, 1e-3);
}

#[test]
fn a_shape_moves_without_a_body() {
    let mut app = app_at(64);
    floor(&mut app);
    let wall = block(&mut app, Vec3::new(1.0, 3.0, 10.0), Vec3::new(2.5, 1.5, 0.0));
    run_for(&mut app, 64, 0.1, |_| {});
    let ask = move |slide: MoveAndSlide| {
        let (config, filter) = (MoveAndSlideConfig::default(), SpatialQueryFilter::default());
        let (shape, from) = (capsule(), Vec3::Y);
        let met = slide.cast_move(&shape, from, Quat::IDENTITY, Vec3::X * 5.0, SKIN, &filter);
        let met = met.expect("the wall is in the way");
        assert_eq!(met.entity, wall);
        assert!((met.distance - (2.0 - 0.3 - SKIN)).abs() < 1e-5, "{}", met.distance);
        let second = core::time::Duration::from_secs(1);
        let go = |config: &MoveAndSlideConfig, answer| {
            let velocity = Vec3::new(4.0, 0.0, 1.0);
            slide.move_and_slide(
                &shape,
                from,
                Quat::IDENTITY,
                velocity,
                second,
                config,
                &filter,
                |hit| if hit.entity == wall { answer } else { MoveAndSlideHitResponse::Accept },
            )
        };
        let along = go(&config, MoveAndSlideHitResponse::Accept);
        assert_near(along.position, Vec3::new(2.0 - 0.3 - SKIN, 1.0, 1.0), 1e-3);
        assert_near(along.projected_velocity, Vec3::Z, 1e-5);
        let through = go(&config, MoveAndSlideHitResponse::Ignore);
        assert_near(through.position, Vec3::new(4.0, 1.0, 1.0), 1e-5);
        let stopped = go(&config, MoveAndSlideHitResponse::Abort);
        assert!(stopped.position.z < 0.5, "{} went on", stopped.position);
        let inside = Vec3::new(2.0, 1.0, 0.0);
        let out = slide.depenetrate(&shape, inside, Quat::IDENTITY, &config, &filter);
        assert_near(inside + out, Vec3::new(2.0 - 0.3 - SKIN, 1.0, 0.0), 1e-4);
    };
    app.world_mut().run_system_once(ask).expect("the parameters are there");
}
