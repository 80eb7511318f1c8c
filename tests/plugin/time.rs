//! When steps are taken.

use super::*;
use bevy_time::Time;
use core::time::Duration;

fn falling(app: &mut App) -> Entity {
    spawn(app, (RigidBody::Dynamic, cube()))
}

/// The clock of a step, seen from inside.
#[derive(Resource, Default)]
struct Seen(Vec<Duration>);

#[test]
fn as_many_steps_as_the_fixed_clock_has() {
    let mut app = app();
    for (steps, total) in [(0, 0), (1, 1), (16, 17), (0, 17), (3, 20)] {
        steps_each_update(&mut app, steps);
        app.update();
        assert_eq!(report(&app).step, total, "after an update of {steps} steps");
    }
    assert_eq!(report(&app).dt, 1.0 / 64.0, "Bevy's fixed step");
}

#[test]
fn pausing_stops_and_resumes() {
    let mut app = app();
    let falling = falling(&mut app);
    run(&mut app, 5);
    let (steps, before) = (report(&app).step, position(&app, falling));
    app.world_mut().resource_mut::<Time<Physics>>().pause();
    run(&mut app, 10);
    assert_eq!(report(&app).step, steps, "no step while paused");
    assert_eq!(position(&app, falling), before, "nothing moves while paused");
    app.world_mut().resource_mut::<Time<Physics>>().unpause();
    run(&mut app, 1);
    assert_eq!(report(&app).step, steps + 1, "one step after the pause");
    assert!(position(&app, falling).y < before.y, "it falls on");
}

#[test]
fn a_single_step_is_taken_in_spite_of_a_pause() {
    let mut app = app();
    let falling = falling(&mut app);
    let mut clock = app.world_mut().resource_mut::<Time<Physics>>();
    clock.pause();
    clock.step_once();
    run(&mut app, 5);
    assert_eq!((report(&app).step, report(&app).dt), (1, 1.0 / 64.0), "one, as long as the others");
    assert!(position(&app, falling).y < 0.0, "it fell");
    app.world_mut().resource_mut::<Time<Physics>>().step_once();
    run(&mut app, 5);
    assert_eq!(report(&app).step, 2, "another");
    assert!(app.world().resource::<Time<Physics>>().is_paused());
}

#[test]
fn the_engine_knows_what_changed_during_a_pause() {
    let mut app = app();
    app.world_mut().resource_mut::<Time<Physics>>().pause();
    let cube = falling(&mut app);
    app.update();
    assert!(body(&app, cube).is_some(), "the body was made while paused");
    app.world_mut().get_mut::<Transform>(cube).expect("alive").translation.x = 7.0;
    app.update();
    assert_eq!(body(&app, cube).expect("alive").position().x, 7.0, "moved while paused");
    app.world_mut().despawn(cube);
    app.update();
    assert_eq!(bodies(&app), 0, "removed while paused");
}

#[test]
fn half_speed_makes_half_steps() {
    let mut app = app();
    app.world_mut().resource_mut::<Time<Physics>>().set_relative_speed(0.5);
    run(&mut app, 2);
    assert_eq!((report(&app).step, report(&app).dt), (2, 1.0 / 128.0), "as many, half as long");
    app.world_mut().resource_mut::<Time<Physics>>().set_relative_speed(0.0);
    run(&mut app, 2);
    assert_eq!(report(&app).step, 2, "speed 0 takes no step");
    for bad in [-1.0, Real::NAN, Real::INFINITY] {
        app.world_mut().resource_mut::<Time<Physics>>().set_relative_speed(bad);
        let speed = app.world().resource::<Time<Physics>>().relative_speed();
        assert_eq!(speed, 0.0, "{bad} is refused");
    }
}

#[test]
fn the_generic_clock_of_a_step_is_that_of_physics() {
    let mut app = app();
    app.init_resource::<Seen>().add_systems(
        PhysicsSchedule,
        (|time: Res<Time>, mut seen: ResMut<Seen>| seen.0.push(time.delta()))
            .in_set(PhysicsStepSystems::First),
    );
    app.world_mut().resource_mut::<Time<Physics>>().set_relative_speed(2.0);
    app.update();
    let seen = &app.world().resource::<Seen>().0;
    assert_eq!(*seen, [Duration::from_micros(2 * 15_625)], "the length of the step");
}

#[test]
fn any_schedule_will_do() {
    let mut app = app_with(PhysicsPlugins::new(Update));
    let falling = falling(&mut app);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(10)));
    app.update();
    assert_eq!(report(&app).dt, 0.01, "the length of the frame");
    assert!(velocity(&app, falling).y < 0.0, "it falls");
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    app.update();
    assert_eq!(report(&app).step, 1, "no time, no step");
}

#[test]
fn bodies_that_were_there_before_the_plugin_take_part() {
    let mut app = App::new();
    let falling = falling(&mut app);
    app.add_plugins((TimePlugin, as_it_is(PhysicsPlugins::default())));
    steps_each_update(&mut app, 1);
    run(&mut app, 3);
    assert!(position(&app, falling).y < 0.0, "it falls");
}

/// A body below an entity that is nowhere is looked at again in each frame, also of a pause.
#[test]
fn what_goes_on_through_a_pause_is_told_once() {
    let mut app = app();
    listen(&mut app);
    let body = spawn(&mut app, (RigidBody::Dynamic, cube()));
    run(&mut app, 2);
    app.world_mut().resource_mut::<Time<Physics>>().pause();
    let nowhere = at(f32::NAN, 0.0, 0.0);
    let parent = spawn(&mut app, nowhere);
    app.world_mut().entity_mut(body).insert(ChildOf(parent));
    let wrong = PhysicsErrorKind::OutOfRange("Transform");
    let wrong = [PhysicsError { entity: body, error: wrong }];
    run(&mut app, 5);
    assert_eq!(told(&mut app), wrong, "once");
    for place in [Transform::default(), nowhere] {
        app.world_mut().entity_mut(parent).insert(place);
        run(&mut app, 3);
    }
    assert_eq!(told(&mut app), wrong, "again, for it was mended");
    app.world_mut().resource_mut::<Time<Physics>>().unpause();
    for _ in 0..5 {
        run(&mut app, 1);
        sync_physics(app.world_mut());
    }
    assert_eq!(told(&mut app), [], "it goes on, whoever looks");
}
