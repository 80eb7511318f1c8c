//! Apps in which random bytes decide which components, joints and settings come, change and go: see
//! `orthant_lab::hostile` for what must hold. The fuzzer goes on where these end. Hooks that panic.

use super::*;
use orthant::engine::settings::Settings;
use orthant_lab::hostile::{AppOutcome, play_app, play_app_back_and_forth, random_bytes};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn components_of_any_numbers() {
    let mut sum = AppOutcome::default();
    for seed in 0..200 {
        let played = play_app(&random_bytes(seed, 600));
        let outcome = played.unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        for k in 0..4 {
            sum.made[k] += outcome.made[k];
        }
        for k in 0..2 {
            sum.steps[k] += outcome.steps[k];
        }
        sum.told += outcome.told;
        sum.frozen += outcome.frozen;
    }
    let AppOutcome { made, told, frozen, steps } = sum;
    assert!(made[0] > 600 && made[1] > 100, "bodies and joints are made: {made:?}");
    assert!(made[2] > 10 && made[3] > 50, "motors are coupled, all is inserted: {made:?}");
    assert!(told > 200 && frozen > 10, "{told} told to be wrong, {frozen} to be frozen");
    assert!(steps[0] > 1000 && steps[1] > 5, "steps taken and refused: {steps:?}");
}

#[test]
fn apps_that_are_kept_and_put_back() {
    for seed in 0..60 {
        let played = play_app_back_and_forth(&random_bytes(seed, 600));
        played.unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
}

/// Settings in their ranges with which Newton's method starts from residuals that are not finite: the
/// iterate that was handed on had impulses that are not numbers, which touches told, and froze the body. Now
/// bodies of an island without an iterate fly. Found by the fuzzer.
#[test]
fn regression_what_touches_tell_is_finite_where_nothing_is_solved() {
    let bytes: Vec<u8> = (0..FOUND.len() / 2)
        .map(|i| u8::from_str_radix(&FOUND[2 * i..2 * i + 2], 16).expect("two digits"))
        .collect();
    let outcome = play_app(&bytes).expect("what touches tell is finite");
    assert!(outcome.made[0] > 5, "there is something: {outcome:?}");
}

const FOUND: &str = "\
    2e2f2e00000aabe3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e324e3e3e3e3e30000000000000000ff00000000\
    000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
    00000000ffff000000000000000000000000250000000000000000000000000000000000000000000000000000000000\
    000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
    000000000000000000000000000000000000000000000000000000000000000000000000f3ffff1c1c1c1c1ce3e3e3e3\
    e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3ffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00e3e3e3e3e3e3e3e3e3e3e3e3\
    e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3ffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff4affffffffffffffffffffffffffffff\
    fffffffffffffffffffff7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
    ffffff0106ffffffffffffffffffffff2effffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffff002e00000000000000d4ffffffffffffffffffffffffffe3e3\
    e3e3e300d4e3";

/// What a hook does reaches whoever updates the app, and is not swallowed. The engine is sound where it is:
/// the step ends, and others follow, by its own calls. The app has lost its schedule and steps no more.
#[test]
fn a_hook_that_panics_ends_the_app_and_not_the_engine() {
    for (stage, name) in [
        (PhysicsStepSystems::FilterPairs, "pairs"),
        (PhysicsStepSystems::ModifyContacts, "contacts"),
    ] {
        let mut app = app();
        floor(&mut app);
        let tower =
            [0.5, 1.5, 2.5].map(|y| spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, y, 0.0))));
        run(&mut app, 10);
        let hook = |mut physics: ResMut<PhysicsWorld>, mut seen: Local<usize>| {
            *seen += 1;
            let _ = &mut *physics;
            assert!(*seen < 3, "a hook that panics");
        };
        app.add_systems(PhysicsSchedule, hook.in_set(stage));
        run(&mut app, 2);
        let steps = physics(&app).engine().report().step;
        let update = AssertUnwindSafe(|| app.update());
        catch_unwind(update).expect_err("whoever updates hears of it");
        let mut engine = physics(&app).engine().clone();
        assert_eq!(engine.report().step, steps + 1, "{name}: within a step");
        let settings = Settings::default();
        if stage == PhysicsStepSystems::FilterPairs {
            engine.find_contacts(&settings);
        }
        support::end_step(&mut engine, &settings);
        (0..20).for_each(|_| _ = engine.step(&settings, support::DT));
        assert_eq!(engine.report().step, steps + 21, "{name}: it goes on");
        assert_eq!(engine.report().quarantined, [], "{name}: nothing is broken");
        for (entity, y) in tower.into_iter().zip([0.5, 1.5, 2.5]) {
            let id = body(&app, entity).expect("a cube").id();
            let at = support::body(&engine, id).position();
            assert_near(at, Vec3::Y * y, 1e-3);
        }
        let lost = !app.world().resource::<Schedules>().contains(PhysicsSchedule);
        assert!(lost, "{name}: Bevy has lost the schedule");
        _ = catch_unwind(AssertUnwindSafe(|| app.update()));
        assert_eq!(physics(&app).engine().report().step, steps + 1, "{name}: no more steps");
    }
}
