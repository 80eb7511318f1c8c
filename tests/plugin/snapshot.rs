//! Snapshots of apps: back in the same one, on in another one, and colliders in files.

use super::*;
use bevy_ecs::entity::EntityHashMap;
#[cfg(feature = "serialize")]
use bevy_math::IVec3;
use orthant::snapshot::SnapshotError;

/// Something of everything: a tower, a ball that flies into it, a body of two colliders below a parent, a
/// chain, a door with a motor, a lift, a sensor. With a seed the entities have other names.
fn furnish(app: &mut App, seed: u64) -> Vec<Entity> {
    floor(app);
    // The names of entities are others where more of them came before.
    for _ in 0..seed * 3 {
        app.world_mut().spawn_empty();
    }
    let mut all = Vec::new();
    for i in 0..5_u8 {
        let box_ =
            (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), CollidingEntities::default());
        all.push(spawn(app, (box_, CollisionEventsEnabled, at(0.0, 0.5 + f32::from(i), 0.0))));
    }
    let flying = LinearVelocity(Vec3::new(7.0, 3.0, 0.2));
    all.push(spawn(app, (RigidBody::Dynamic, Collider::sphere(0.4), flying, at(-5.0, 1.5, 0.1))));
    let parent = spawn(app, at(3.0, 0.0, 0.0));
    let below =
        (RigidBody::Dynamic, Collider::capsule(0.2, 0.6), at(0.0, 3.0, 0.0), ChildOf(parent));
    let below = spawn(app, below);
    all.push(parent);
    all.push(below);
    all.push(spawn(app, (Collider::sphere(0.3), at(0.4, 0.2, 0.0), ChildOf(below))));
    let mut last = None;
    for i in 0..5_u8 {
        let link = (
            RigidBody::Dynamic,
            Collider::cuboid(0.5, 0.1, 0.1),
            at(0.3 + 0.6 * f32::from(i), 7.0, 2.0),
        );
        let link = spawn(app, link);
        let hung = if last.is_some() { Vec3::X * 0.3 } else { Vec3::new(0.0, 7.0, 2.0) };
        let joint = Joint::ball(last, link).with_anchors(hung, Vec3::X * -0.3);
        all.extend([link, spawn(app, joint)]);
        last = Some(link);
    }
    let door =
        spawn(app, (RigidBody::Dynamic, Collider::cuboid(1.0, 2.0, 0.1), at(0.0, 4.0, -4.0)));
    let hinge = Joint::hinge(None, door).with_anchors(Vec3::new(-0.5, 4.0, -4.0), Vec3::X * -0.5);
    let hinge = hinge.with_motor(Motor::velocity(2.0, 3.0));
    all.extend([door, spawn(app, hinge)]);
    let lift =
        (RigidBody::Kinematic, Collider::cuboid(1.0, 0.2, 1.0), LinearVelocity(Vec3::Y * 0.1));
    all.push(spawn(app, (lift, at(6.0, 0.0, 0.0))));
    let eye = (RigidBody::Static, Sensor, Collider::sphere(1.8), CollidingEntities::default());
    all.push(spawn(app, eye));
    all
}

/// The floor: it is the first body.
fn ground(app: &mut App) -> Entity {
    let mut query = app.world_mut().query::<(Entity, &EngineBody)>();
    let ids = query.iter(app.world()).filter_map(|(entity, link)| Some((link.id()?, entity)));
    ids.min().expect("a body").1
}

/// Bits of the engine, and of what is shown.
fn print(app: &App, entities: &[Entity]) -> (u64, Vec<Option<Transform>>) {
    let shown = entities.iter().map(|&entity| app.world().get::<Transform>(entity).copied());
    (support::fingerprint(physics(app).engine()), shown.collect())
}

/// What is seen after each of so many steps.
fn after_each<T>(app: &mut App, steps: usize, mut see: impl FnMut(&mut App) -> T) -> Vec<T> {
    let mut list = Vec::new();
    for _ in 0..steps {
        run(app, 1);
        list.push(see(app));
    }
    list
}

fn prints(app: &mut App, entities: &[Entity], steps: usize) -> Vec<(u64, Vec<Option<Transform>>)> {
    after_each(app, steps, |app| print(app, entities))
}

#[test]
fn a_copy_goes_back_and_the_steps_come_again() {
    let mut app = app();
    let all = furnish(&mut app, 0);
    run(&mut app, 30);
    let copy = PhysicsCopy::take(app.world_mut()).expect("between steps");
    let then = print(&app, &all);
    let first = prints(&mut app, &all, 40);
    for _ in 0..2 {
        copy.restore(app.world_mut()).expect("between steps");
        assert_eq!(print(&app, &all), then, "components are there at once");
        assert_eq!(prints(&mut app, &all, 40), first, "the same steps");
    }
}

#[test]
fn a_copy_disturbs_nothing() {
    let (mut one, mut two) = (app(), app());
    let all = [&mut one, &mut two].map(|app| furnish(app, 0));
    for _ in 0..20 {
        run(&mut one, 2);
        run(&mut two, 2);
        PhysicsCopy::take(two.world_mut()).expect("between steps");
        assert_eq!(print(&one, &all[0]), print(&two, &all[1]));
    }
}

#[test]
fn a_snapshot_goes_back_though_entities_came_and_went() {
    let mut app = app();
    let all = furnish(&mut app, 0);
    run(&mut app, 30);
    let snapshot = PhysicsSnapshot::take(app.world_mut()).expect("between steps");
    let (then, count) = (print(&app, &all), bodies(&app));
    let first = prints(&mut app, &all, 40);
    // One that comes, and is no more when it is gone back: all is as it was.
    let new = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 9.0, 0.0)));
    run(&mut app, 20);
    assert_eq!(bodies(&app), count + 1);
    app.world_mut().despawn(new);
    snapshot.restore(app.world_mut()).expect("between steps");
    assert_eq!((print(&app, &all), bodies(&app)), (then.clone(), count));
    assert_eq!(prints(&mut app, &all, 40), first, "the same steps");
    // One that comes and stays is made anew; one that went is gone, with its joints.
    let new = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 9.0, 0.0)));
    run(&mut app, 2);
    let joints = physics(&app).engine().joints().count();
    app.world_mut().despawn(all[9]);
    snapshot.restore(app.world_mut()).expect("between steps");
    assert_eq!(bodies(&app), count - 1);
    assert_eq!(physics(&app).engine().joints().count(), joints - 2, "it held two");
    run(&mut app, 1);
    assert_eq!(bodies(&app), count, "made by the step");
    assert!(body(&app, new).is_some_and(|body| body.position().y < 9.0), "and it falls");
    // A collider that is another now holds from the next step on.
    app.world_mut().entity_mut(all[0]).insert(Collider::sphere(0.5));
    run(&mut app, 1);
    snapshot.restore(app.world_mut()).expect("between steps");
    run(&mut app, 1);
    let mass = body(&app, all[0]).expect("it is there").mass();
    assert!(mass < 0.6, "a ball of {mass} kg");
}

#[test]
fn a_snapshot_goes_on_in_another_app() {
    let (mut one, mut two) = (app(), app());
    let [here, there] = [(&mut one, 0), (&mut two, 7)].map(|(app, seed)| furnish(app, seed));
    run(&mut one, 45);
    run(&mut two, 3);
    let snapshot = PhysicsSnapshot::take(one.world_mut()).expect("between steps");
    #[cfg(feature = "serialize")]
    let snapshot = PhysicsSnapshot::from_bytes(&snapshot.to_bytes()).expect("its own bytes");
    let mut map: EntityHashMap<Entity> = here.iter().copied().zip(there.iter().copied()).collect();
    map.insert(ground(&mut one), ground(&mut two));
    assert_ne!(here, there, "they have other names");
    let count = bodies(&one);
    snapshot.restore_with(two.world_mut(), |entity| map.get(&entity).copied()).expect("sound");
    assert_eq!((bodies(&two), print(&two, &there)), (count, print(&one, &here)));
    let (one, two) = (prints(&mut one, &here, 60), prints(&mut two, &there, 60));
    assert_eq!(one, two, "the same steps");
}

#[test]
fn what_touches_goes_on_and_nothing_is_told() {
    let mut app = app();
    let all = furnish(&mut app, 0);
    run(&mut app, 20);
    let touching =
        |app: &App| app.world().get::<CollidingEntities>(all[1]).expect("listed").to_vec();
    let then = touching(&app);
    assert_eq!(then.len(), 3, "it stands on one, carries one, and is seen");
    let snapshot = PhysicsSnapshot::take(app.world_mut()).expect("between steps");
    // Everything flies apart.
    for &entity in &all[..5] {
        app.world_mut().get_mut::<Transform>(entity).expect("a body").translation.y *= 3.0;
    }
    run(&mut app, 1);
    assert_ne!(touching(&app), then, "apart");
    app.world_mut().resource_mut::<Messages<CollisionStart>>().clear();
    app.world_mut().resource_mut::<Messages<CollisionEnd>>().clear();
    snapshot.restore(app.world_mut()).expect("between steps");
    assert_eq!(touching(&app), then, "together at once");
    run(&mut app, 2);
    assert_eq!(touching(&app), then, "and on");
    let starts = app.world().resource::<Messages<CollisionStart>>().len();
    let ends = app.world().resource::<Messages<CollisionEnd>>().len();
    assert_eq!(starts + ends, 0, "silently");
    app.world_mut().despawn(all[2]);
    run(&mut app, 2);
    let ends = app.world().resource::<Messages<CollisionEnd>>().len();
    assert_eq!(ends, 2, "an end is told for each that was touched before");
}

/// What is told of collisions in each of so many steps.
fn told_of(app: &mut App, entities: &[Entity], steps: usize) -> Vec<Vec<String>> {
    after_each(app, steps, |app| collisions(app, entities))
}

#[test]
fn collisions_are_told_alike_after_a_restore() {
    let (mut one, mut two) = (app(), app());
    let [here, there] = [(&mut one, 0), (&mut two, 7)].map(|(app, seed)| furnish(app, seed));
    run(&mut one, 20);
    run(&mut two, 3);
    let snapshot = PhysicsSnapshot::take(one.world_mut()).expect("between steps");
    let copy = PhysicsCopy::take(one.world_mut()).expect("between steps");
    let map: EntityHashMap<Entity> = here.iter().copied().zip(there.iter().copied()).collect();
    let grounds = [&mut one, &mut two].map(ground);
    let map =
        |entity| if entity == grounds[0] { Some(grounds[1]) } else { map.get(&entity).copied() };
    snapshot.restore_with(two.world_mut(), map).expect("sound");
    collisions(&mut one, &here);
    collisions(&mut two, &there);
    let first = told_of(&mut one, &here, 100);
    let count = |kind: &str| first.iter().flatten().filter(|told| told.contains(kind)).count();
    assert!(count("start") > 1 && count("end") > 1, "the ball strikes the tower: {first:?}");
    assert_eq!(told_of(&mut two, &there, 100), first, "in another app");
    snapshot.restore(one.world_mut()).expect("between steps");
    assert_eq!(told_of(&mut one, &here, 100), first, "again");
    copy.restore(one.world_mut()).expect("between steps");
    assert_eq!(told_of(&mut one, &here, 100), first, "of a copy");
}

#[test]
fn what_the_map_has_no_entity_for_is_left_out() {
    let (mut one, mut two) = (app(), app());
    let [here, there] = [(&mut one, 0), (&mut two, 7)].map(|(app, seed)| furnish(app, seed));
    run(&mut one, 45);
    run(&mut two, 3);
    let snapshot = PhysicsSnapshot::take(one.world_mut()).expect("between steps");
    let count = bodies(&two);
    let joints = |app: &App| physics(app).engine().joints().count();
    assert_eq!((count, joints(&two)), (bodies(&one), 6), "both apps are alike");
    // The top of the tower, a link between two others, the joint of the door, a collider beside others.
    let left_out = [4, 13, 20, 8];
    let map: EntityHashMap<Entity> = here.iter().copied().zip(there.iter().copied()).collect();
    let gone = left_out.map(|k| here[k]);
    let grounds = [&mut one, &mut two].map(ground);
    let map = |entity| match map.get(&entity).copied() {
        _ if gone.contains(&entity) => None,
        None => (entity == grounds[0]).then_some(grounds[1]),
        found => found,
    };
    let places = [4, 13].map(|k| position(&two, there[k]));
    collisions(&mut two, &there);
    snapshot.restore_with(two.world_mut(), map).expect("sound");
    assert_eq!(bodies(&two), count - 2, "two of the four are bodies");
    assert_eq!(joints(&two), 3, "the door's, and both of the link");
    for (k, (&from, &to)) in here.iter().zip(&there).enumerate() {
        let state = |app, entity| {
            body(app, entity).map(|body| (body.center(), body.rotation(), body.linear_velocity))
        };
        let known = if [4, 13].contains(&k) { None } else { state(&one, from) };
        assert_eq!(state(&two, to), known, "entity {k}");
    }
    assert_eq!(
        [4, 13].map(|k| position(&two, there[k])),
        places,
        "their components stay as they are"
    );
    let named = |app: &App| {
        let physics = physics(app);
        physics.engine().bodies().iter().all(|body| physics.entity(body.id()).is_some())
    };
    assert!(named(&two), "every body has an entity");
    assert_eq!(collisions(&mut two, &there), [""; 0], "and none is told that something ended");
    // They have their components: the next step makes them anew, from where these are.
    run(&mut two, 1);
    assert_eq!((bodies(&two), joints(&two)), (count, 6), "made by the step");
    assert!(named(&two), "every body has an entity");
    for (k, place) in [4, 13].into_iter().zip(places) {
        let way = (position(&two, there[k]) - place).length();
        assert!(way < 0.1, "entity {k} goes on from where it was: {way} m");
    }
    run(&mut two, 60);
    let sound = physics(&two).engine().bodies().iter().all(|body| body.position().is_finite());
    assert!(sound && report(&two).quarantined.is_empty(), "and all goes on: {}", report(&two));
    // With no entity at all nothing is left; then all is made anew.
    snapshot.restore_with(two.world_mut(), |_| None).expect("sound");
    assert_eq!((bodies(&two), joints(&two)), (0, 0), "nothing is left");
    run(&mut two, 1);
    assert_eq!((bodies(&two), joints(&two)), (count, 6), "made by the step");
}

/// Bodies of which components say what they said then are left as they are put back: of 20 none is made
/// again, and of those whose components changed since, these.
#[test]
fn only_bodies_that_differ_are_made_again() {
    #[derive(Resource, Default)]
    struct Made(Vec<Entity>);
    let mut app = app();
    app.init_resource::<Made>();
    let see = |mut made: ResMut<Made>, bodies: Query<Entity, Changed<EngineBody>>| {
        made.0.extend(&bodies);
        made.0.sort_unstable();
    };
    app.add_systems(Last, see);
    let all = furnish(&mut app, 0);
    run(&mut app, 30);
    let bodies = physics(&app).engine().bodies().len();
    let seen = |app: &mut App| core::mem::take(&mut app.world_mut().resource_mut::<Made>().0);
    let made = seen(&mut app).len();
    assert!(made >= bodies && bodies > 15, "{made} of {bodies}: they were when they came");
    let snapshot = PhysicsSnapshot::take(app.world_mut()).expect("between steps");
    let copy = PhysicsCopy::take(app.world_mut()).expect("between steps");
    let back: [&dyn Fn(&mut World); 2] =
        [&|world| copy.restore(world).expect("between steps"), &|world| {
            snapshot.restore(world).expect("its own");
        }];
    for back in back {
        run(&mut app, 10);
        seen(&mut app);
        back(app.world_mut());
        run(&mut app, 1);
        assert_eq!(seen(&mut app), [], "all are as they were");
    }
    let world = app.world_mut();
    world.entity_mut(all[0]).insert(Friction::new(0.9));
    world.entity_mut(all[1]).insert(GravityScale(0.5));
    world.entity_mut(all[2]).insert(Mass(7.0));
    world.entity_mut(all[3]).insert(CollisionLayers::NONE);
    world.entity_mut(all[4]).insert(Collider::cuboid(0.5, 1.0, 1.0));
    world.entity_mut(all[5]).insert(Dominance(3));
    let mut others = all[..6].to_vec();
    others.sort_unstable();
    for back in back {
        run(&mut app, 1);
        seen(&mut app);
        back(app.world_mut());
        run(&mut app, 1);
        assert_eq!(seen(&mut app), others, "those of which other things are said");
        let body = |k: usize| body(&app, all[k]).expect("a body");
        let collider = |k: usize| &body(k).colliders().list()[0];
        assert!(collider(0).material.friction == 0.9 && body(1).gravity_scale == 0.5);
        assert!(body(2).mass() == 7.0 && collider(3).layers.memberships == 0);
        assert!(collider(4).mass_properties(1.0).mass < 0.6 && body(5).dominance == 3);
    }
}

#[test]
fn within_a_step_there_is_no_snapshot() {
    #[derive(Resource, Default)]
    struct Seen(Option<SnapshotError>);
    let mut app = app();
    furnish(&mut app, 0);
    app.init_resource::<Seen>();
    let look = |world: &mut World| {
        let error = PhysicsSnapshot::take(world).err();
        world.resource_mut::<Seen>().0 = error;
    };
    app.add_systems(PhysicsSchedule, look.in_set(PhysicsStepSystems::ModifyContacts));
    run(&mut app, 1);
    assert_eq!(app.world().resource::<Seen>().0, Some(SnapshotError::StepUnderWay));
}

#[cfg(feature = "serialize")]
#[test]
fn colliders_are_kept_by_files() {
    let mut rng = Rng::new(2);
    let points: Vec<Vec3> = (0..20).map(|_| rng.vector(-1.0, 1.0)).collect();
    let hull = Collider::convex_hull(&points).expect("a hull");
    let heights = [vec![0.0, 1.0, 0.5], vec![0.3, 0.2, 0.1]];
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z * 0.7];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let cells = [IVec3::ZERO, IVec3::X, IVec3::new(0, -1, 2)];
    let all = [
        Collider::sphere(0.3),
        Collider::cuboid(1.0, 2.0, 3.0),
        Collider::capsule(0.1, 0.7),
        Collider::cylinder(0.3, 0.7),
        Collider::cone(0.3, 0.7),
        Collider::ellipsoid(0.3, 0.7, 0.5),
        Collider::round_cylinder(0.3, 0.7, 0.1),
        Collider::round_cuboid(0.3, 0.7, 0.9, 0.1),
        Collider::half_space(Vec3::new(1.0, 2.0, 3.0)),
        hull.clone(),
        Collider::round_convex_hull(&points, 0.1).expect("a rounded hull"),
        Collider::heightfield(heights, Vec3::ONE).expect("a field"),
        Collider::trimesh(corners, faces).expect("a mesh"),
        Collider::voxels(Vec3::new(0.1, 0.2, 0.3), cells).expect("cells"),
        Collider::convex_decomposition(corners, faces).expect("pieces"),
        Collider::compound(vec![
            (Vec3::X, rng.rotation(), hull),
            (Vec3::Y, rng.rotation(), cube()),
        ]),
    ];
    for collider in &all {
        let text = serde_json::to_string(collider).expect("it can be stored");
        let back: Collider = serde_json::from_str(&text).expect("and read");
        assert_eq!(back.shape(), collider.shape(), "the same shape to the last bit: {text}");
    }
    // One that tells an error goes on to have one.
    let none: Collider = serde_json::from_str(
        &serde_json::to_string(&Collider::sphere(Real::NAN)).expect("it can be stored"),
    )
    .expect("and read");
    assert!(none.shape().is_err());
    let lie = r#"[{"pose":null,"convex":{"Sphere":{"radius":-1.0}}}]"#;
    assert!(serde_json::from_str::<Collider>(lie).is_err(), "numbers are checked");
}

/// Bytes of an app whose checksum does not fit are refused; those that someone made with one that fits are
/// refused, and nothing happened, or go on as a world whose poses are finite. The app that all of them were
/// put into is as before when its own snapshot is put back.
#[cfg(feature = "serialize")]
#[test]
fn bytes_that_are_damaged_are_refused_or_borne() {
    use orthant::snapshot::VERSION;
    use orthant_lab::hostile::{HEAD, with_checksum};
    let mut app = app();
    let all = furnish(&mut app, 0);
    run(&mut app, 40);
    let sound = PhysicsSnapshot::take(app.world_mut()).expect("between steps");
    let bytes = sound.to_bytes();
    let read = |bytes: &[u8]| PhysicsSnapshot::from_bytes(bytes).map(drop);
    let with = |at: usize, value: u8| {
        let mut other = bytes.clone();
        other[at] = value;
        read(&other)
    };
    let version = VERSION as u8 + 1;
    assert_eq!(with(4, version), Err(SnapshotError::Version(u16::from(version))), "version");
    assert!(matches!(with(6, 12 - bytes[6]), Err(SnapshotError::Precision(_))), "precision");
    let mut rng = Rng::new(21);
    let damaged = Err(SnapshotError::Damaged);
    for _ in 0..300 {
        let length = rng.below(bytes.len());
        assert_eq!(read(&bytes[..length]), damaged, "{length} bytes");
        let at = 7 + rng.below(bytes.len() - 7);
        assert_eq!(with(at, bytes[at] ^ 1 << rng.below(8)), damaged, "a bit of byte {at}");
    }
    let (mut refused, mut borne) = (0, 0);
    for round in 0..400 {
        let mut other = bytes.clone();
        for _ in 0..=round % 3 {
            let at = HEAD + rng.below(other.len() - HEAD);
            match rng.below(6) {
                0 => other[at] = [0xff, 0x00, 0x80, 0x7f][rng.below(4)],
                1 => other.truncate(at + 1),
                _ => other[at] ^= 1 << rng.below(8),
            }
        }
        let before = print(&app, &all);
        let taken = PhysicsSnapshot::from_bytes(&with_checksum(other))
            .and_then(|snapshot| snapshot.restore(app.world_mut()));
        if taken.is_err() {
            refused += 1;
            assert_eq!(print(&app, &all), before, "round {round}: nothing happened");
        } else {
            borne += 1;
        }
        run(&mut app, 2);
        for body in physics(&app).engine().bodies().iter() {
            let pose = body.position().is_finite() && body.rotation().is_finite();
            assert!(pose, "round {round}: body {}: {}", body.id().0, body.position());
        }
    }
    assert!(refused > 100 && borne > 100, "both happen: {refused} refused, {borne} borne");
    // Its components are those of before, but for what the damaged ones broke.
    sound.restore(app.world_mut()).expect("its own");
    let ids = |app: &App| physics(app).engine().bodies().iter().map(Body::id).collect::<Vec<_>>();
    let then = ids(&app);
    run(&mut app, 20);
    assert_eq!(ids(&app), then, "the bodies of its own snapshot, and no others");
    assert!(report(&app).quarantined.is_empty(), "none of them broken: {}", report(&app));
}
