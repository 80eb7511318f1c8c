//! Collisions: every start has one end, data tells the truth, systems change pairs.

use super::*;
use bevy_ecs::entity_disabling::Disabled;

/// All messages since the start.
#[derive(Resource, Default)]
struct Heard {
    starts: Vec<CollisionStart>,
    ends: Vec<CollisionEnd>,
    impulses: Vec<ContactImpulse>,
}

fn hear(
    mut heard: ResMut<Heard>,
    mut starts: MessageReader<CollisionStart>,
    mut ends: MessageReader<CollisionEnd>,
    mut impulses: MessageReader<ContactImpulse>,
) {
    heard.starts.extend(starts.read());
    heard.ends.extend(ends.read());
    heard.impulses.extend(impulses.read());
}

fn listening() -> App {
    let mut app = app();
    app.init_resource::<Heard>().add_systems(Update, hear);
    app
}

fn heard(app: &mut App) -> Heard {
    run(app, 1);
    std::mem::take(&mut *app.world_mut().resource_mut::<Heard>())
}

fn resting(app: &mut App, bundle: impl Bundle) -> Entity {
    let cube = spawn(app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    app.world_mut().entity_mut(cube).insert(bundle);
    cube
}

#[test]
fn a_start_names_entities_and_tells_the_impact() {
    let mut app = listening();
    let floor = floor(&mut app);
    let falling = (RigidBody::Dynamic, cube(), at(0.0, 2.0, 0.0), CollisionEventsEnabled);
    let cube = spawn(&mut app, falling);
    run(&mut app, 60);
    let Heard { starts, ends, .. } = heard(&mut app);
    let [start] = starts[..] else { panic!("one start, not {}", starts.len()) };
    assert!(ends.is_empty(), "no end");
    assert_eq!([start.collider1, start.collider2], [floor, cube], "in the order of the bodies");
    assert_eq!([start.body1, start.body2], [Some(floor), Some(cube)]);
    let impact = start.impact.expect("an impact");
    assert_near(impact.normal, Vec3::Y, 1e-5);
    let speed = (2.0 * 9.81 * 1.5 as Real).sqrt();
    assert!((impact.speed - speed).abs() < 0.05 * speed, "{} for {speed}", impact.speed);
    assert!(impact.normal_impulse > 0.0 && impact.impulse.y > 0.0, "the cube is pushed up");
    assert!(impact.point.y.abs() < 0.05, "at the floor: {}", impact.point);
}

#[test]
fn nobody_hears_of_entities_without_the_flag() {
    let mut app = listening();
    floor(&mut app);
    let cube = resting(&mut app, ());
    run(&mut app, 5);
    assert!(heard(&mut app).starts.is_empty(), "not enabled");
    // Added late, it is heard; removed while they touch, the end is told.
    app.world_mut().entity_mut(cube).insert(CollisionEventsEnabled);
    run(&mut app, 3);
    assert_eq!(heard(&mut app).starts.len(), 1, "told when it was enabled");
    app.world_mut().entity_mut(cube).remove::<CollisionEventsEnabled>();
    run(&mut app, 3);
    app.world_mut().entity_mut(cube).insert(at(0.0, 100.0, 0.0));
    run(&mut app, 3);
    let Heard { starts, ends, .. } = heard(&mut app);
    assert_eq!((starts.len(), ends.len()), (0, 1), "the end of what began");
}

#[test]
fn observers_see_themselves_first() {
    #[derive(Resource, Default)]
    struct Seen(Vec<(Entity, Entity, Entity, Real)>, Vec<(Entity, Entity)>);
    let mut app = app();
    app.init_resource::<Seen>();
    let floor = floor(&mut app);
    let cube = resting(&mut app, CollisionEventsEnabled);
    let start = |on: On<CollisionStart>, mut seen: ResMut<Seen>| {
        let up = on.impact.expect("a contact").impulse.y;
        seen.0.push((on.entity, on.collider1, on.collider2, up));
    };
    let end = |on: On<CollisionEnd>, mut seen: ResMut<Seen>| {
        seen.1.push((on.collider1, on.collider2));
    };
    for entity in [floor, cube] {
        app.world_mut().entity_mut(entity).insert(CollisionEventsEnabled);
        app.world_mut().entity_mut(entity).observe(start).observe(end);
    }
    run(&mut app, 5);
    app.world_mut().entity_mut(cube).insert(at(9.0, 50.0, 0.0));
    run(&mut app, 2);
    let seen = app.world().resource::<Seen>();
    let named: Vec<_> = seen.0.iter().map(|&(e, one, two, _)| (e, one, two)).collect();
    assert_eq!(named, [(floor, floor, cube), (cube, cube, floor)], "each is the first");
    assert!(seen.0[0].3 > 0.0, "the floor sees the cube, the second, pushed up");
    assert!(seen.0[1].3 < 0.0, "the cube sees the floor, the second, pushed down");
    assert_eq!(seen.1, [(floor, cube), (cube, floor)], "ends likewise");
}

#[test]
fn every_start_has_one_end() {
    type Way = fn(&mut App, Entity, Entity);
    let ways: [(&str, Way); 6] = [
        ("teleport", |app, cube, _| {
            app.world_mut().entity_mut(cube).insert(at(0.0, 50.0, 0.0));
        }),
        ("despawn", |app, cube, _| assert!(app.world_mut().despawn(cube), "alive")),
        ("despawn of the other", |app, _, floor| assert!(app.world_mut().despawn(floor), "alive")),
        ("disable", |app, cube, _| {
            app.world_mut().entity_mut(cube).insert(Disabled);
        }),
        ("no body", |app, cube, _| {
            app.world_mut().entity_mut(cube).remove::<RigidBody>();
        }),
        ("no collider", |app, cube, _| {
            app.world_mut().entity_mut(cube).insert(Mass(1.0)).remove::<Collider>();
        }),
    ];
    for (name, end) in ways {
        let mut app = listening();
        let floor = floor(&mut app);
        let cube = resting(&mut app, (CollisionEventsEnabled, CollidingEntities::default()));
        run(&mut app, 5);
        let listed = app.world().get::<CollidingEntities>(cube).expect("it has a list").to_vec();
        assert_eq!(listed, [floor], "{name}: listed");
        end(&mut app, cube, floor);
        run(&mut app, 5);
        let Heard { starts, ends, .. } = heard(&mut app);
        assert_eq!((starts.len(), ends.len()), (1, 1), "{name}");
        assert_eq!([ends[0].collider1, ends[0].collider2], [floor, cube], "{name}");
        if let Some(list) = app.world().get::<CollidingEntities>(cube) {
            assert!(list.is_empty(), "{name}: no longer listed");
        }
        // A disabled entity that comes back starts anew.
        if name == "disable" {
            app.world_mut().entity_mut(cube).remove::<Disabled>();
            run(&mut app, 5);
            let Heard { starts, ends, .. } = heard(&mut app);
            assert_eq!((starts.len(), ends.len()), (1, 0), "{name}: back");
        }
    }
}

#[test]
fn pausing_tells_nothing_twice() {
    let mut app = listening();
    floor(&mut app);
    resting(&mut app, CollisionEventsEnabled);
    run(&mut app, 5);
    app.world_mut().resource_mut::<ContactConfig>().margin = Real::NAN;
    run(&mut app, 5);
    app.world_mut().resource_mut::<ContactConfig>().margin = 0.005;
    run(&mut app, 5);
    let Heard { starts, ends, .. } = heard(&mut app);
    assert_eq!((starts.len(), ends.len()), (1, 0), "refused steps tell nothing");
}

#[test]
fn impulses_above_a_threshold_are_told() {
    let mut app = listening();
    let floor = floor(&mut app);
    let heavy = (RigidBody::Dynamic, cube(), at(0.0, 1.5, 0.0), Mass(2.0));
    let cube = spawn(&mut app, heavy);
    let weight = 2.0 * 9.81 * DT_FIXED;
    app.world_mut().entity_mut(cube).insert(ContactImpulseThreshold(1.5 * weight));
    run(&mut app, 120);
    let told = heard(&mut app).impulses;
    let [blow] = told[..] else { panic!("the blow, not the rest: {}", told.len()) };
    assert_eq!([blow.collider1, blow.collider2], [floor, cube]);
    app.world_mut().entity_mut(cube).insert(ContactImpulseThreshold(0.5 * weight));
    run(&mut app, 10);
    assert_eq!(heard(&mut app).impulses.len(), 11, "its weight, each step");
}

#[test]
fn one_blow_is_one_message_whatever_the_phase_of_the_step() {
    let (mass, gravity): (Real, Real) = (7.0, 9.81);
    for phase in 0..16 {
        let mut app = listening();
        let floor = floor(&mut app);
        // Sixteen places that a fall takes half a step longer to, one after the other.
        let drop = 1.5 + 0.005 * phase as Real;
        let high = at(0.0, 2.0 + 0.005 * phase as f32, 0.0);
        let falling = (RigidBody::Dynamic, cube(), high, Mass(mass), CollisionEventsEnabled);
        let cube = spawn(&mut app, falling);
        let load = mass * gravity * DT_FIXED;
        app.world_mut().entity_mut(cube).insert(ContactImpulseThreshold(2.5 * load));
        run(&mut app, 60);
        let Heard { starts, impulses, .. } = heard(&mut app);
        let ([start], [blow]) = (&starts[..], &impulses[..]) else {
            panic!("{phase}: one of each, not {} and {}", starts.len(), impulses.len());
        };
        assert_eq!(start.impact, Some(blow.impact), "{phase}: both tell it alike");
        assert_eq!([blow.collider1, blow.collider2], [floor, cube]);
        let speed = (2.0 * gravity * drop).sqrt();
        let told = blow.impact.speed;
        assert!((told - speed).abs() < 1e-3 * speed, "{phase}: {told} m/s of {speed}");
        // Beside what stops it the floor bears its weight, for two steps at most.
        let least = mass * speed;
        let (told, rounding) = (blow.impact.normal_impulse, 1e-3 * least);
        let bounds = least - rounding..=least + 2.0 * load + rounding;
        assert!(bounds.contains(&told), "{phase}: {told} N s of {bounds:?}");
    }
}

#[test]
fn a_blow_that_bounces_is_one_message_too() {
    let mut app = listening();
    let floor = floor(&mut app);
    app.world_mut().entity_mut(floor).insert(Restitution::new(1.0));
    let bouncing = (RigidBody::Dynamic, cube(), at(0.0, 2.0, 0.0), Restitution::new(1.0));
    let flags = (CollisionEventsEnabled, ContactImpulseThreshold(1.0), Mass(1.0));
    spawn(&mut app, (bouncing, flags));
    run(&mut app, 200);
    let Heard { starts, impulses, .. } = heard(&mut app);
    assert!(starts.len() >= 2, "it bounces: {}", starts.len());
    let told: Vec<_> = impulses.iter().map(|blow| Some(blow.impact)).collect();
    assert_eq!(starts.iter().map(|start| start.impact).collect::<Vec<_>>(), told, "both alike");
    let turned = 2.0 * (2.0 * 9.81 * 1.5 as Real).sqrt();
    let first = impulses[0].impact.normal_impulse;
    let bounds = 0.999 * turned..=1.001 * turned + 2.0 * 9.81 * DT_FIXED;
    assert!(bounds.contains(&first), "{first} N s of {bounds:?}");
}

/// The length of a fixed step of Bevy (s).
const DT_FIXED: Real = 1.0 / 64.0;

#[test]
fn collisions_can_be_read() {
    #[derive(Resource, Default)]
    struct Read(Vec<(Real, Real, usize, Real)>);
    let mut app = app();
    app.init_resource::<Read>();
    let floor = floor(&mut app);
    let cube = resting(&mut app, ());
    app.add_systems(Update, move |collisions: Collisions, mut read: ResMut<Read>| {
        let Some(pair) = collisions.get(cube, floor) else { return };
        assert!(collisions.contains(floor, cube), "in either order");
        assert_eq!(collisions.colliding_with(cube).collect::<Vec<_>>(), [floor]);
        assert_eq!(collisions.iter().count(), 1, "one pair");
        let gap = pair.contacts().map(|contact| contact.gap.abs()).fold(0.0, Real::max);
        let slip: Vec3 = pair.contacts().map(|contact| contact.tangent_impulse).sum();
        let up: Real = pair.contacts().map(|contact| contact.normal_impulse).sum();
        assert!(pair.separation().abs() < 1e-4 && pair.ratio_gap().abs() < 1e-3, "at touch");
        assert!((up - pair.normal_impulse()).abs() < 1e-6, "the sum of its contacts");
        read.0.push((up, slip.x, pair.contacts().count(), gap));
    });
    run(&mut app, 60);
    let push = Vec3::new(2.0, 0.0, 0.0);
    app.world_mut().entity_mut(cube).insert(ConstantForce(push));
    run(&mut app, 60);
    let read = &app.world().resource::<Read>().0;
    let &(up, slip, contacts, gap) = read.last().expect("it was read");
    assert_eq!(contacts, 4, "four corners");
    assert!((up - 9.81 * DT_FIXED).abs() < 1e-4, "carries its weight: {up}");
    // The floor's plane comes first: the cube is pushed back.
    assert!((slip + 2.0 * DT_FIXED).abs() < 1e-4, "friction holds against 2 N: {slip}");
    assert!(gap < 1e-4, "gap {gap}");
}

#[test]
fn pairs_can_be_filtered_and_changed() {
    let mut app = app();
    floor(&mut app);
    let sliding = |z| (RigidBody::Dynamic, cube(), at(0.0, 0.5, z), LinearVelocity(Vec3::X));
    let ghost = spawn(&mut app, sliding(0.0));
    let icy = spawn(&mut app, sliding(3.0));
    let rough = spawn(&mut app, sliding(6.0));
    let filter = move |mut pairs: CollisionPairs| pairs.retain(|a, b| a != ghost && b != ghost);
    let change = move |mut pairs: CollisionPairs| {
        for mut pair in pairs.iter_mut().filter(|pair| pair.collider2 == icy) {
            assert!((pair.normal().expect("a contact") - Vec3::Y).length() < 1e-5, "upward");
            assert!(pair.gap().expect("a contact").abs() < 0.01, "near");
            pair.set_friction(0.0);
        }
    };
    app.add_systems(
        PhysicsSchedule,
        (
            filter.in_set(PhysicsStepSystems::FilterPairs),
            change.in_set(PhysicsStepSystems::ModifyContacts),
        ),
    );
    run(&mut app, 60);
    assert!(position(&app, ghost).y < -2.0, "it falls through");
    assert_near(velocity(&app, icy), Vec3::X, 1e-4);
    assert_near(velocity(&app, rough), Vec3::ZERO, 1e-3);
}
