//! Times of the stages.

use super::*;
use bevy_diagnostic::DiagnosticsStore;
use std::time::Duration;

#[test]
fn stages_are_timed() {
    let mut app = app();
    app.add_plugins(PhysicsDiagnosticsPlugin);
    floor(&mut app);
    for i in 0..20_u8 {
        spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5 + f32::from(i), 0.0)));
    }
    // A user's system counts for the stage that it is in.
    let lazy = || std::thread::sleep(Duration::from_millis(3));
    app.add_systems(PhysicsSchedule, lazy.in_set(PhysicsStepSystems::FilterPairs));
    run(&mut app, 10);
    let times = *app.world().resource::<StageTimes>();
    for stage in [StepStage::Gather, StepStage::NarrowPhase, StepStage::Solve, StepStage::Scatter] {
        assert!(times.of(stage) > Duration::ZERO, "{stage:?} takes time");
    }
    assert!(times.of(StepStage::FilterPairs) >= Duration::from_millis(3), "the lazy system");
    assert_eq!(StepStage::ALL.map(|stage| times.of(stage)).iter().sum::<Duration>(), times.total());
    assert!(
        times.engine() + Duration::from_millis(3) <= times.total(),
        "that one is not the engine"
    );
    for (place, stage) in StepStage::ALL.into_iter().enumerate() {
        assert_eq!(stage as usize, place, "{stage:?} is in its place");
    }

    let store = app.world().resource::<DiagnosticsStore>();
    for stage in StepStage::ALL {
        let value = store.get(&stage.path()).and_then(|diagnostic| diagnostic.value());
        assert_eq!(value, Some(1e3 * times.of(stage).as_secs_f64()), "{stage:?}");
    }
    let count = |path| store.get(&path).and_then(|diagnostic| diagnostic.value());
    assert_eq!(count(PhysicsDiagnosticsPlugin::BODIES), Some(21.0));
    assert!(count(PhysicsDiagnosticsPlugin::CONTACTS) >= Some(4.0), "a tower touches the floor");
    assert_eq!(count(PhysicsDiagnosticsPlugin::STEP), Some(1e3 * times.total().as_secs_f64()));
}

#[test]
fn without_the_plugin_nothing_is_timed() {
    let mut app = app();
    run(&mut app, 2);
    assert!(app.world().get_resource::<StageTimes>().is_none(), "no clock is read");
}
