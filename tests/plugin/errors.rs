//! What goes wrong is told once, with the entity, its name and the remedy.

use super::*;
use bevy_ecs::system::RunSystemOnce;
use orthant::engine::body::BodyError;
use std::sync::{Mutex, Once};
use std::thread::{self, ThreadId};

/// Keeps what is logged, and by which thread: each test has one.
struct Log(Mutex<Vec<(ThreadId, String)>>);

static LOG: Log = Log(Mutex::new(Vec::new()));
static START: Once = Once::new();

impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, record: &log::Record) {
        self.0
            .lock()
            .expect("nobody panics with it")
            .push((thread::current().id(), record.args().to_string()));
    }

    fn flush(&self) {}
}

/// An app whose errors are kept and logged.
pub(super) fn listening() -> App {
    START.call_once(|| {
        log::set_logger(&LOG).expect("the only one");
        log::set_max_level(log::LevelFilter::Warn);
    });
    let mut app = app();
    listen(&mut app);
    app
}

/// The lines logged that have this text in them.
fn logged(text: &str) -> Vec<String> {
    let lines = LOG.0.lock().expect("nobody panics with it");
    lines.iter().map(|(_, line)| line).filter(|line| line.contains(text)).cloned().collect()
}

/// How many lines with this text in them this test logged, outside of systems that run beside others.
fn logged_here(text: &str) -> usize {
    let lines = LOG.0.lock().expect("nobody panics with it");
    let here = thread::current().id();
    lines.iter().filter(|(of, line)| *of == here && line.contains(text)).count()
}

/// One error of a kind about an entity, in the log with its name and a remedy, and no more in 20 steps.
#[track_caller]
pub(super) fn assert_told(
    app: &mut App,
    entity: Entity,
    name: &str,
    remedy: &str,
) -> PhysicsErrorKind {
    run(app, 20);
    let errors = told(app);
    let [PhysicsError { entity: of, error }] = &errors[..] else {
        panic!("{name}: one error, not {errors:?}");
    };
    assert_eq!(*of, entity, "{name}");
    let lines = logged(&format!("\"{name}\""));
    let [line] = &lines[..] else { panic!("{name}: one line, not {lines:?}") };
    assert!(line.contains(&format!("{entity}")) && line.contains(remedy), "{line}");
    error.clone()
}

pub(super) fn named(app: &mut App, name: &'static str, bundle: impl Bundle) -> Entity {
    spawn(app, (Name::new(name), bundle))
}

#[test]
fn a_body_without_a_collider() {
    let mut app = listening();
    let entity = named(&mut app, "ghost", RigidBody::Dynamic);
    assert_told(&mut app, entity, "ghost", "`Collider`");
}

#[test]
fn joints_without_bodies_apart_fixed_or_without_an_axis() {
    use PhysicsErrorKind as Kind;
    let mut app = listening();
    without_gravity(&mut app);
    let [a, b] = [0.0, 9.0].map(|x| spawn(&mut app, (RigidBody::Dynamic, cube(), at(x, 0.0, 0.0))));
    let empty = spawn(&mut app, at(0.0, 0.0, 0.0));
    let joint = named(&mut app, "to nothing", Joint::ball(a, empty));
    let error = assert_told(&mut app, joint, "to nothing", "`RigidBody`");
    assert_eq!(error, Kind::JointEnd(empty));
    app.world_mut().despawn(joint);
    let gone = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 5.0, 0.0)));
    let joint = named(&mut app, "to the gone", Joint::ball(a, gone));
    run(&mut app, 3);
    assert_eq!(told(&mut app).len(), 1, "their anchors are 5 m apart");
    LOG.0.lock().expect("nobody panics with it").retain(|(_, line)| !line.contains("to the gone"));
    app.world_mut().despawn(gone);
    assert_eq!(assert_told(&mut app, joint, "to the gone", "despawn"), Kind::JointEnd(gone));
    app.world_mut().despawn(joint);
    let joint = named(&mut app, "apart", Joint::ball(a, b).with_break_force(1e-3));
    let error = assert_told(&mut app, joint, "apart", "`with_anchor`");
    assert!(matches!(error, Kind::JointApart(apart) if apart > 4.0), "{error:?}");
    let still = spawn(&mut app, (RigidBody::Static, cube(), at(0.0, 30.0, 0.0)));
    let joint = named(&mut app, "of statics", Joint::ball(still, None));
    assert_eq!(assert_told(&mut app, joint, "of statics", "Dynamic"), Kind::JointFixed);
    let other = spawn(&mut app, (cube(), at(0.0, 32.0, 0.0)));
    let joint =
        named(&mut app, "of two statics", Joint::ball(still, other).with_anchor(Vec3::Y * 31.0));
    assert_eq!(assert_told(&mut app, joint, "of two statics", "Dynamic"), Kind::JointFixed);
    let joint = named(&mut app, "itself", Joint::fixed(a, a));
    assert_told(&mut app, joint, "itself", "`None` for the world");
    let joint = named(&mut app, "nobody", Joint::fixed(None, None));
    assert_told(&mut app, joint, "nobody", "give it two bodies");
    let joint = named(&mut app, "no axis", Joint::hinge(a, b).with_axis(Vec3::ZERO));
    assert_eq!(assert_told(&mut app, joint, "no axis", "`with_axis`"), Kind::JointAxis);
}

/// What the engine refuses comes with what to do about it.
#[test]
fn joints_and_bodies_that_are_refused() {
    let mut app = listening();
    without_gravity(&mut app);
    let [a, b] = [0.0, 1.0].map(|x| spawn(&mut app, (RigidBody::Dynamic, cube(), at(x, 0.0, 0.0))));
    let hinge = || Joint::hinge(a, b).with_anchor(Vec3::X * 0.5);
    for (name, joint, remedy) in [
        ("locked", hinge().with_axis_limits(JointAxis::LinearX, 0.0, 1.0), "`Joint::generic`"),
        ("no swing", hinge().with_swing_limit(1.0), "`Joint::ball`"),
        ("turned limits", hinge().with_limits(1.0, -1.0), "insert a `Joint` that is right"),
    ] {
        let joint = named(&mut app, name, joint);
        let error = assert_told(&mut app, joint, name, remedy);
        assert!(matches!(error, PhysicsErrorKind::Joint(_)), "{error:?}");
        app.world_mut().despawn(joint);
    }
    let nan = Mass(Real::NAN);
    for (name, bundle, remedy) in
        [("mass", nan, "positive density"), ("huge", Mass(Real::MAX), "within the ranges")]
    {
        let place = at(9.0, 0.0, 0.0);
        let entity = named(&mut app, name, (RigidBody::Dynamic, cube(), bundle, place));
        let error = assert_told(&mut app, entity, name, remedy);
        assert!(matches!(error, PhysicsErrorKind::Body(_)), "{error:?}");
        app.world_mut().despawn(entity);
    }
}

#[test]
fn what_is_squeezed_and_remedies_of_the_rest() {
    let mut app = listening();
    floor(&mut app);
    let below = (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0));
    let entity = named(&mut app, "squeezed", below);
    spawn(&mut app, (RigidBody::Kinematic, cube(), at(0.0, 1.49, 0.0)));
    let error = assert_told(&mut app, entity, "squeezed", "lead what presses less far");
    assert_eq!(error, PhysicsErrorKind::Squeezed);
    let remedies = [
        (PhysicsErrorKind::Jammed, "less `Friction`"),
        (PhysicsErrorKind::Unbalanced, "raise `Quasistatic::step_max`"),
        (PhysicsErrorKind::Body(BodyError::Inertia), "an `AngularInertia` above zero"),
    ];
    for (error, remedy) in remedies {
        assert!(error.to_string().contains(remedy), "{error}");
    }
}

#[test]
fn scales_that_make_no_shape() {
    let mut app = listening();
    without_gravity(&mut app);
    let flat = Transform::from_scale(bevy_math::Vec3::new(1.0, 0.0, 1.0));
    let entity = named(&mut app, "flat", (RigidBody::Dynamic, cube(), flat));
    assert_told(&mut app, entity, "flat", "a scale without zeros");
    app.world_mut().despawn(entity);
    let uneven = Transform::from_scale(bevy_math::Vec3::new(1.0, 1.0, 2.0));
    let uneven = (RigidBody::Dynamic, Collider::capsule(0.3, 1.0), uneven);
    let entity = named(&mut app, "uneven", uneven);
    assert_told(&mut app, entity, "uneven", "scale its `Transform` alike");
    app.world_mut().despawn(entity);
    let entity = named(&mut app, "shapeless", (RigidBody::Dynamic, Collider::sphere(-1.0)));
    assert_told(&mut app, entity, "shapeless", "insert a `Collider`");
    app.world_mut().despawn(entity);
    // A negative scale mirrors, and is none of the errors.
    let mirrored = Transform::from_scale(bevy_math::Vec3::new(-2.0, 1.0, 1.0));
    let entity = named(&mut app, "mirrored", (RigidBody::Dynamic, cube(), mirrored));
    run(&mut app, 2);
    assert!(told(&mut app).is_empty() && body(&app, entity).is_some(), "it is a body");
}

#[test]
fn numbers_that_are_none_or_out_of_range() {
    let mut app = listening();
    without_gravity(&mut app);
    let nan = at(f32::NAN, 0.0, 0.0);
    let entity = named(&mut app, "nan", (RigidBody::Dynamic, cube(), nan));
    assert_told(&mut app, entity, "nan", "write a `Transform` within it");
    let mut far = 0.0;
    let mut body = move |app: &mut App, name, bundle| {
        far += 5.0;
        let body = (RigidBody::Dynamic, cube(), at(far, 0.0, 0.0));
        let entity = named(app, name, body);
        app.world_mut().entity_mut(entity).insert(bundle);
        entity
    };
    let entity = body(&mut app, "slick", Friction::new(-1.0));
    let error = assert_told(&mut app, entity, "slick", "at least 0");
    assert_eq!(error, PhysicsErrorKind::Clamped("Friction", -1.0));
    app.world_mut().entity_mut(entity).insert(Mass(3.0));
    run(&mut app, 2);
    assert!(told(&mut app).is_empty(), "other changes do not tell it again");
    let mut app = listening();
    let jumpy = (RigidBody::Dynamic, cube(), Restitution::new(2.0));
    let entity = named(&mut app, "jumpy", jumpy);
    assert_told(&mut app, entity, "jumpy", "from 0 to 1");
}

#[test]
fn a_force_that_is_no_number_in_every_step() {
    let mut app = listening();
    let pushed = (RigidBody::Dynamic, cube(), ConstantForce(Vec3::splat(Real::NAN)));
    let entity = named(&mut app, "pushed", pushed);
    assert_told(&mut app, entity, "pushed", "mend what pushes it, then write its `Transform`");
    run(&mut app, 100);
    assert_eq!(logged("\"pushed\"").len(), 1, "a line, not one a step");
}

#[test]
fn a_dynamic_body_that_is_placed_before_every_step() {
    let mut app = listening();
    let dragged = named(&mut app, "dragged", (RigidBody::Dynamic, cube()));
    let kinematic = spawn(&mut app, (RigidBody::Kinematic, cube(), at(9.0, 0.0, 0.0)));
    let drag = move |mut places: Query<&mut Transform>| {
        for entity in [dragged, kinematic] {
            places.get_mut(entity).expect("alive").translation.z += 0.01;
        }
    };
    app.add_systems(Update, drag);
    run(&mut app, 50);
    assert!(told(&mut app).is_empty(), "not yet");
    let error = assert_told(&mut app, dragged, "dragged", "Kinematic");
    assert!(matches!(error, PhysicsErrorKind::Dragged(_)), "{error:?}");
}

#[test]
#[cfg(not(feature = "f64"))]
fn far_from_the_origin() {
    let mut app = listening();
    without_gravity(&mut app);
    let entity = named(&mut app, "far", (RigidBody::Dynamic, cube(), at(20_000.0, 0.0, 0.0)));
    app.world_mut().entity_mut(entity).insert(LinearVelocity(Vec3::X * 100.0));
    let error = assert_told(&mut app, entity, "far", "`f64`");
    assert!(matches!(error, PhysicsErrorKind::FarAway(..)), "{error:?}");
}

/// Two layers of cubes of this mass (kg), each above four others, that fall onto the floor from (x, 0) on: so
/// many that small steps are made; the first of them.
fn heap(app: &mut App, x: f32, mass: Real) -> Entity {
    let mut first = None;
    for k in [0.0, 1.0] {
        for place in 0..49 {
            let [row, column] = [place % 7, place / 7].map(|n| 1.02 * n as f32 + 0.51 * k);
            let place = at(x + row, 0.6 + 1.1 * k, column);
            let cube = spawn(app, (RigidBody::Dynamic, cube(), place, Mass(mass)));
            first.get_or_insert(cube);
        }
    }
    first.expect("at least one")
}

/// A heavy body is found where it lands, however long after the others were spawned and began.
#[test]
fn masses_too_far_apart_for_small_steps() {
    let mut app = listening();
    // Whatever approaches is softened.
    let mut solver = SolverConfig::budget();
    solver.impact_speed_max = 1e-4;
    app.insert_resource(solver);
    floor(&mut app);
    heap(&mut app, 0.0, 0.1);
    let slab = (Collider::cuboid(7.0, 1.0, 7.0), at(3.0, 5.0, 3.0), Mass(1e3));
    let entity = named(&mut app, "heavy", (RigidBody::Dynamic, slab));
    let mut soft = 0;
    for _ in 0..30 {
        run(&mut app, 1);
        soft += u32::from(report(&app).rows_softened > 0);
    }
    assert!(
        soft > 3 && told(&mut app).is_empty(),
        "{soft} with small steps, and it has not landed"
    );
    run(&mut app, 30);
    let error = assert_told(&mut app, entity, "heavy", "default()");
    assert!(matches!(error, PhysicsErrorKind::MassRatio(ratio) if ratio > 9e3), "{error:?}");
    run(&mut app, 100);
    assert_eq!(logged("\"heavy\"").len(), 1, "told once");
}

/// What is light and what is heavy is asked of what touches.
#[test]
fn masses_far_apart_that_do_not_touch_are_no_error() {
    let mut app = listening();
    app.insert_resource(SolverConfig::budget());
    floor(&mut app);
    let heaps = [heap(&mut app, 0.0, 0.01), heap(&mut app, 100.0, 1e3)];
    let mut soft = [0; 2];
    for _ in 0..60 {
        run(&mut app, 1);
        for (k, heap) in heaps.into_iter().enumerate() {
            let physics = physics(&app);
            let id = app.world().get::<EngineBody>(heap).and_then(|link| link.id());
            let island = id.and_then(|id| physics.engine().island(id));
            let solves = &report(&app).solves;
            let solve = solves.iter().find(|solve| Some(solve.first) == island);
            soft[k] += u32::from(solve.is_some_and(|solve| solve.rows_softened > 0));
        }
    }
    assert!(soft.into_iter().all(|steps| steps > 3), "small steps: {soft:?}");
    assert!(told(&mut app).is_empty(), "none sinks into another");
}

#[test]
fn more_in_one_place_than_there_is_room_for() {
    let mut app = listening();
    without_gravity(&mut app);
    let entity = named(&mut app, "first of many", (RigidBody::Dynamic, cube(), at(0.0, 0.0, 0.0)));
    for _ in 0..150 {
        spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.0, 0.0)));
    }
    let error = assert_told(&mut app, entity, "first of many", "spawn them apart");
    assert_eq!(error, PhysicsErrorKind::Crowded);
    let report = app.world().resource::<StepReport>();
    assert!(report.pairs_refused > 0 && report.crowded.len() == 1, "{report:?}");
}

#[test]
fn observers_of_what_does_not_come() {
    let mut app = listening();
    let entity = named(&mut app, "deaf", (RigidBody::Static, cube()));
    app.world_mut().entity_mut(entity).observe(|_: On<CollisionStart>| {});
    let error = assert_told(&mut app, entity, "deaf", "`CollisionEventsEnabled`");
    assert!(matches!(error, PhysicsErrorKind::NotEnabled("CollisionStart", _)), "{error:?}");
    let entity = named(&mut app, "all ears", (RigidBody::Static, cube(), CollisionEventsEnabled));
    app.world_mut().entity_mut(entity).observe(|_: On<CollisionStart>| {});
    run(&mut app, 3);
    assert!(told(&mut app).is_empty(), "it hears");
}

/// A floor with a ball in the air above it, and nobody who asks for events.
fn ball_above(app: &mut App, height: f32) -> [Entity; 2] {
    let floor = floor(app);
    app.world_mut().entity_mut(floor).insert(Name::new("floor"));
    let ball = (RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, height, 0.0));
    [floor, named(app, "ball", ball)]
}

#[test]
fn readers_of_what_is_told_of_no_entity() {
    let kind = PhysicsErrorKind::Unheard;
    let mut app = listening();
    let [floor, ball] = ball_above(&mut app, 1.0);
    app.add_systems(Update, |mut starts: MessageReader<CollisionStart>| {
        assert_eq!(starts.read().count(), 0);
    });
    run(&mut app, 5);
    assert!(told(&mut app).is_empty(), "nothing touches yet");
    run(&mut app, 60);
    let errors = told(&mut app);
    let [PhysicsError { entity, error }] = &errors[..] else { panic!("one error, not {errors:?}") };
    assert!([floor, ball].contains(entity), "{entity}");
    assert_eq!(*error, kind("CollisionStart", "CollisionEventsEnabled"));
    let lines = logged("`CollisionStart` is read or observed");
    assert!(lines.len() == 1 && lines[0].contains("insert the component"), "{lines:?}");
    // A second thing to hear of is told, too, whenever its reader comes; what was told is not again.
    app.add_observer(|_: On<ContactImpulse>| panic!("nobody has a threshold"));
    run(&mut app, 60);
    let [PhysicsError { error, .. }] = &told(&mut app)[..] else { panic!("one error") };
    assert_eq!(*error, kind("ContactImpulse", "ContactImpulseThreshold"));
}

#[test]
fn readers_of_what_some_entity_asks_for_are_no_error() {
    let reads = |mut ends: MessageReader<CollisionEnd>| ends.clear();
    // Nobody reads; an entity far away has the flag, though disabled or for a moment.
    for flags in [0, 1, 2] {
        let mut app = listening();
        ball_above(&mut app, 0.6);
        if flags > 0 {
            app.add_systems(Update, reads);
            let far = (Collider::sphere(0.5), at(99.0, 0.0, 0.0), CollisionEventsEnabled);
            let far = spawn(&mut app, far);
            if flags == 1 {
                app.world_mut().entity_mut(far).insert(bevy_ecs::entity_disabling::Disabled);
            } else {
                run(&mut app, 1);
                app.world_mut().despawn(far);
            }
        }
        run(&mut app, 60);
        assert!(told(&mut app).is_empty(), "case {flags}");
    }
}

#[test]
fn a_system_without_an_order_stops_physics_and_says_so() {
    let mut app = listening();
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube()));
    let before = logged("`PhysicsSchedule` the order").len();
    app.add_systems(PhysicsSchedule, |mut physics: ResMut<PhysicsWorld>| {
        let _ = &mut *physics;
    });
    run(&mut app, 5);
    assert_eq!(position(&app, cube), Vec3::ZERO, "no step");
    let lines = logged("`PhysicsSchedule` the order");
    assert_eq!(lines.len(), before + 1, "told once, no panic");
    let line = lines.last().expect("one");
    assert!(line.contains("the feature `debug` of `bevy`"), "how systems get names: {line}");
}

#[test]
fn a_schedule_that_never_runs_and_missing_plugins() {
    #[derive(bevy_ecs::schedule::ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
    struct Forgotten;
    let _ = listening();
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, PhysicsPlugins::new(Forgotten)));
    steps_each_update(&mut app, 64);
    app.finish();
    assert!(!logged("`TransformPlugin`").is_empty(), "told before the first update");
    run(&mut app, 20);
    assert_eq!(logged("Forgotten").len(), 1, "told once");
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TransformPlugin, PhysicsPlugins::default()));
    app.finish();
    assert_eq!(logged_here("`TimePlugin`"), 1, "told before the first update");
    run(&mut app, 3);
    assert_eq!(logged_here("`TimePlugin`"), 1, "and not again");
    // Nobody finishes an app that is updated by hand.
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), PhysicsPlugins::default()));
    run(&mut app, 3);
    assert_eq!(logged_here("`TimePlugin`"), 2, "told once, in the first update");
}

/// Bevy ends the app; before, the remedy is told.
#[test]
fn bevy_refuses_the_plugin_twice() {
    let mut app = listening();
    let twice = std::panic::AssertUnwindSafe(|| {
        app.add_plugins(PhysicsPlugins::default());
    });
    let panic = std::panic::catch_unwind(twice).expect_err("it cannot be added");
    let text = panic.downcast_ref::<String>().expect("words");
    assert!(text.contains("plugin was already added"), "{text}");
    let lines = logged("is added twice: add it once");
    assert!(lines.len() == 1 && lines[0].contains("`PhysicsPlugins`"), "{lines:?}");
}

#[test]
fn a_collider_alone_is_no_error() {
    let mut app = listening();
    spawn(&mut app, cube());
    run(&mut app, 3);
    assert!(told(&mut app).is_empty(), "it is static");
    let seen = app.world_mut().run_system_once(|found: Query<&EngineBody>| found.iter().count());
    assert_eq!(seen.expect("it runs"), 1);
}
