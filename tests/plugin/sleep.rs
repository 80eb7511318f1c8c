//! Sleeping: the marker follows the engine, the engine follows the marker, and every change wakes.

use super::*;

/// A stack of two cubes on a slab, asleep: slab, lower and upper cube.
fn asleep() -> (App, [Entity; 3]) {
    let mut app = app();
    let slab = (RigidBody::Static, Collider::cuboid(9.0, 1.0, 9.0), at(0.0, -0.5, 0.0));
    let slab = spawn(&mut app, slab);
    let lower = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    let upper = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 1.5, 0.0)));
    lull(&mut app);
    (app, [slab, lower, upper])
}

/// Runs until all is asleep.
#[track_caller]
fn lull(app: &mut App) {
    for _ in 0..300 {
        app.update();
        if report(app).sleeping == report(app).dynamic_bodies {
            return;
        }
    }
    panic!("{} asleep: {}", report(app).sleeping, **report(app));
}

fn sleeps(app: &App, entity: Entity) -> bool {
    let marked = app.world().get::<Sleeping>(entity).is_some();
    assert_eq!(body(app, entity).is_some_and(Body::is_sleeping), marked, "{entity}");
    marked
}

/// Counts what changes in an update.
#[derive(Resource, Default)]
struct Changes(usize);

#[test]
fn what_sleeps_is_marked_and_nothing_of_it_changes() {
    let (mut app, [slab, lower, upper]) = asleep();
    assert_eq!([slab, lower, upper].map(|e| sleeps(&app, e)), [false, true, true], "marked");
    assert_eq!(velocity(&app, upper), Vec3::ZERO, "told in the same step");
    type Mirrors = Or<(
        Changed<Transform>,
        Changed<LinearVelocity>,
        Changed<AngularVelocity>,
        Changed<EngineBody>,
        Changed<Sleeping>,
        Changed<CollidingEntities>,
    )>;
    app.world_mut().entity_mut(upper).insert(CollidingEntities::default());
    run(&mut app, 2);
    let count = |changed: Query<(), Mirrors>, mut all: ResMut<Changes>| {
        all.0 += changed.iter().count();
    };
    app.init_resource::<Changes>().add_systems(Last, count);
    run(&mut app, 1);
    app.insert_resource(Changes(0));
    run(&mut app, 20);
    assert_eq!(app.world().resource::<Changes>().0, 0, "nothing is written");
    assert_eq!(report(&app).islands, 0, "nothing is solved");
    let touching = app.world().get::<CollidingEntities>(upper).expect("it lists");
    assert_eq!(touching[..], [lower], "it touches what it lies on");
}

type Deed = (&'static str, fn(&mut App, [Entity; 3]));

fn edit(app: &mut App, entity: Entity) -> EntityWorldMut<'_> {
    app.world_mut().entity_mut(entity)
}

fn remove<C: Component>(app: &mut App, entity: Entity) {
    app.world_mut().entity_mut(entity).remove::<C>();
}

fn put(app: &mut App, entity: Entity, bundle: impl Bundle) {
    app.world_mut().entity_mut(entity).insert(bundle);
}

const DEEDS: [Deed; 19] = [
    ("unmarked", |app, [_, lower, _]| remove::<Sleeping>(app, lower)),
    ("velocity", |app, [.., upper]| put(app, upper, LinearVelocity(Vec3::X))),
    ("teleport", |app, [.., upper]| put(app, upper, at(0.0, 3.0, 0.0))),
    ("impulse", |app, [.., upper]| {
        let kick = move |mut all: Query<Forces>| {
            all.get_mut(upper).expect("a body").apply_linear_impulse(Vec3::X);
        };
        bevy_ecs::system::RunSystemOnce::run_system_once(app.world_mut(), kick).expect("it runs");
    }),
    ("constant force", |app, [.., upper]| put(app, upper, ConstantForce(Vec3::X))),
    ("friction", |app, [.., upper]| put(app, upper, Friction::new(0.1))),
    ("layers", |app, [.., upper]| put(app, upper, CollisionLayers::NONE)),
    ("gravity scale", |app, [.., upper]| put(app, upper, GravityScale(0.5))),
    ("mass", |app, [.., upper]| put(app, upper, Mass(3.0))),
    ("collider", |app, [.., upper]| put(app, upper, Collider::sphere(0.5))),
    ("scale", |app, [.., upper]| {
        let mut upper = edit(app, upper);
        upper.get_mut::<Transform>().expect("it has one").scale *= 1.1;
    }),
    ("kind", |app, [_, lower, _]| put(app, lower, RigidBody::Kinematic)),
    ("no sleep", |app, [.., upper]| put(app, upper, SleepingDisabled)),
    ("joint", |app, [_, lower, upper]| {
        spawn(app, Joint::fixed(lower, upper).with_anchors(Vec3::Y * 0.5, Vec3::Y * -0.5));
    }),
    ("slab gone", |app, [slab, ..]| assert!(app.world_mut().despawn(slab), "it was there")),
    ("slab disabled", |app, [slab, ..]| put(app, slab, bevy_ecs::entity_disabling::Disabled)),
    ("slab without collider", |app, [slab, ..]| remove::<Collider>(app, slab)),
    ("gravity", |app, _| app.world_mut().insert_resource(Gravity(Vec3::Y * -5.0))),
    ("switched off", |app, _| app.world_mut().insert_resource(SleepConfig::disabled())),
];

#[test]
fn every_deed_wakes_the_island() {
    for (what, deed) in DEEDS {
        let (mut app, entities) = asleep();
        deed(&mut app, entities);
        run(&mut app, 1);
        assert!(!sleeps(&app, entities[1]) && !sleeps(&app, entities[2]), "{what}");
    }
}

#[test]
fn what_stays_the_same_does_not_wake() {
    let (mut app, [slab, lower, upper]) = asleep();
    for entity in [slab, lower, upper] {
        let friction = Friction::default();
        edit(&mut app, entity).insert((friction, CollisionEventsEnabled, GravityScale(1.0)));
        let transform = *app.world().get::<Transform>(entity).expect("it has one");
        edit(&mut app, entity).insert(transform);
    }
    spawn(&mut app, (RigidBody::Dynamic, cube(), at(30.0, 9.0, 0.0)));
    run(&mut app, 5);
    assert!(sleeps(&app, lower) && sleeps(&app, upper), "nothing was changed");
    let despawned = edit(&mut app, upper).id();
    app.world_mut().despawn(despawned);
    run(&mut app, 1);
    assert!(!sleeps(&app, lower), "a neighbor is gone");
}

#[test]
fn the_marker_puts_to_sleep_where_that_is_allowed() {
    let mut app = app();
    let floor = floor(&mut app);
    let ball = spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, 5.0, 0.0)));
    let awake = (RigidBody::Dynamic, cube(), at(4.0, 0.5, 0.0), SleepingDisabled);
    let awake = spawn(&mut app, awake);
    run(&mut app, 5);
    for entity in [floor, ball, awake] {
        edit(&mut app, entity).insert(Sleeping);
    }
    run(&mut app, 1);
    assert_eq!([floor, ball, awake].map(|e| sleeps(&app, e)), [false, true, false], "one may");
    let height = position(&app, ball).y;
    run(&mut app, 100);
    assert_eq!(position(&app, ball).y, height, "it hangs in the air");
    assert!(!sleeps(&app, awake), "it never sleeps");
    edit(&mut app, awake).remove::<SleepingDisabled>();
    edit(&mut app, ball).remove::<Sleeping>();
    run(&mut app, 50);
    assert!(position(&app, ball).y < height - 1.0, "it falls on");
    run(&mut app, 20);
    assert!(sleeps(&app, awake), "allowed again");
}

#[test]
fn a_wall_spawned_asleep_stands_until_it_is_hit() {
    let mut app = app();
    floor(&mut app);
    let mut wall = Vec::new();
    for i in 0..4_u8 {
        let place = at(0.0, 0.5 + f32::from(i), 0.0);
        wall.push(spawn(&mut app, (RigidBody::Dynamic, cube(), place, Sleeping)));
    }
    run(&mut app, 30);
    assert_eq!((report(&app).sleeping, report(&app).islands), (4, 0), "it sleeps from the start");
    let ball = (RigidBody::Dynamic, Collider::sphere(0.3), at(-2.0, 3.5, 0.0));
    spawn(&mut app, (ball, LinearVelocity(Vec3::X * 10.0)));
    run(&mut app, 20);
    assert!(wall.iter().all(|&cube| !sleeps(&app, cube)), "hit");
}

#[test]
fn a_constant_force_lets_sleep_and_wakes_when_it_changes() {
    let mut app = app();
    floor(&mut app);
    let pushed = (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0), ConstantForce(Vec3::X));
    let cube = spawn(&mut app, pushed);
    lull(&mut app);
    run(&mut app, 30);
    assert!(sleeps(&app, cube), "friction holds it");
    edit(&mut app, cube).insert(ConstantForce(Vec3::X * 2.0));
    run(&mut app, 1);
    assert!(!sleeps(&app, cube), "another force");
    lull(&mut app);
    edit(&mut app, cube).remove::<ConstantForce>();
    run(&mut app, 1);
    assert!(!sleeps(&app, cube), "no force");
}

#[test]
fn collisions_go_on_in_sleep_and_end_once() {
    let (mut app, [_, lower, upper]) = asleep();
    #[derive(Resource, Default)]
    struct Heard(Vec<&'static str>);
    app.init_resource::<Heard>();
    let hear = |mut starts: MessageReader<CollisionStart>,
                mut ends: MessageReader<CollisionEnd>,
                mut heard: ResMut<Heard>| {
        heard.0.extend(starts.read().map(|_| "start"));
        heard.0.extend(ends.read().map(|_| "end"));
    };
    app.add_systems(Last, hear);
    edit(&mut app, upper).insert(CollisionEventsEnabled);
    run(&mut app, 100);
    assert_eq!(app.world().resource::<Heard>().0, ["start"], "told late, and then it lasts");
    assert!(sleeps(&app, upper), "listening does not wake");
    let impulse = |app: &mut App| {
        let read = move |all: Collisions| all.get(lower, upper).map(|pair| pair.normal_impulse());
        let run = bevy_ecs::system::RunSystemOnce::run_system_once(app.world_mut(), read);
        run.expect("it runs").expect("they touch")
    };
    let weight = 9.81 / 64.0;
    assert!((impulse(&mut app) - weight).abs() < 1e-2 * weight, "it carries the weight in sleep");
    app.world_mut().despawn(lower);
    run(&mut app, 3);
    assert_eq!(app.world().resource::<Heard>().0, ["start", "end"], "once");
    assert!(velocity(&app, upper).y < -0.3, "it falls");
}

#[test]
fn a_belt_that_starts_to_run_wakes_what_lies_on_it() {
    #[derive(Resource)]
    struct Belt(Real, Entity);
    let (mut app, [slab, lower, _]) = asleep();
    app.insert_resource(Belt(0.0, slab));
    let run_belt = |mut pairs: CollisionPairs, belt: Res<Belt>| {
        for mut pair in pairs.iter_mut() {
            pair.set_surface_velocity(belt.1, Vec3::X * belt.0);
        }
    };
    let modify = PhysicsStepSystems::ModifyContacts;
    app.add_systems(PhysicsSchedule, run_belt.in_set(modify));
    run(&mut app, 10);
    assert!(sleeps(&app, lower), "it stands");
    app.insert_resource(Belt(1.0, slab));
    run(&mut app, 64);
    assert!(!sleeps(&app, lower), "it runs");
    assert!(velocity(&app, lower).x > 0.9, "and carries: {}", velocity(&app, lower));
}
