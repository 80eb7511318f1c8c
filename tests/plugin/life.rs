//! Bodies and joints come and go at any time.

use super::*;
use bevy_ecs::entity_disabling::Disabled;
use orthant::engine::body::BodyKind;

#[test]
fn a_disabled_body_is_out_of_the_world_and_comes_back() {
    let mut app = app();
    let floor = floor(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    run(&mut app, 5);
    app.world_mut().entity_mut(floor).insert(Disabled);
    run(&mut app, 20);
    assert_eq!(bodies(&app), 1, "the floor is out");
    let fallen = position(&app, cube);
    assert!(fallen.y < 0.2, "the cube falls without it: {fallen}");
    app.world_mut().entity_mut(cube).insert(Disabled);
    app.world_mut().entity_mut(floor).remove::<Disabled>();
    run(&mut app, 5);
    assert_eq!(bodies(&app), 1, "the cube is out, the floor is back");
    assert_eq!(position(&app, cube), fallen, "the disabled cube does not move");
    app.world_mut().get_mut::<Transform>(cube).expect("alive").translation.y = 0.5;
    app.world_mut().get_mut::<LinearVelocity>(cube).expect("alive").0 = Vec3::ZERO;
    app.world_mut().entity_mut(cube).remove::<Disabled>();
    run(&mut app, 64);
    assert_near(position(&app, cube), Vec3::Y * 0.5, 1e-3);
    app.world_mut().entity_mut(cube).insert(Disabled);
    app.world_mut().despawn(cube);
    run(&mut app, 2);
    assert_eq!(bodies(&app), 1, "despawned while disabled");
}

#[test]
fn the_type_changes_by_inserting_it_again() {
    let mut app = app();
    let moving = (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::X));
    let cube = spawn(&mut app, moving);
    run(&mut app, 8);
    let id = body(&app, cube).expect("alive").id();
    app.world_mut().entity_mut(cube).insert(RigidBody::Static);
    run(&mut app, 1);
    let still = position(&app, cube);
    run(&mut app, 8);
    assert_eq!(position(&app, cube), still, "static");
    app.world_mut().entity_mut(cube).insert(RigidBody::Dynamic);
    run(&mut app, 8);
    assert!(position(&app, cube).y < still.y, "dynamic again");
    assert_eq!(body(&app, cube).expect("alive").id(), id, "the same body");
    app.world_mut().entity_mut(cube).remove::<RigidBody>();
    run(&mut app, 1);
    let left = body(&app, cube).expect("alive");
    assert_eq!((left.id(), left.kind()), (id, BodyKind::Static), "a collider alone is static");
    app.world_mut().entity_mut(cube).remove::<Collider>();
    run(&mut app, 1);
    assert_eq!(bodies(&app), 0, "no longer a body");
    app.world_mut().entity_mut(cube).insert((RigidBody::Dynamic, self::cube()));
    run(&mut app, 1);
    assert_eq!(bodies(&app), 1, "a body again");
}

#[test]
fn a_clone_of_an_entity_is_a_body_of_its_own() {
    let mut app = app();
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::X)));
    run(&mut app, 3);
    let copy = app.world_mut().entity_mut(cube).clone_and_spawn();
    run(&mut app, 3);
    let ids = [cube, copy].map(|e| body(&app, e).expect("alive").id());
    assert_ne!(ids[0], ids[1], "two bodies");
    app.world_mut().despawn(copy);
    run(&mut app, 1);
    assert!(body(&app, cube).is_some() && bodies(&app) == 1, "the original stays");
}

/// A lamp that hangs from a fixed hook.
fn pendulum(app: &mut App) -> [Entity; 3] {
    let hook = spawn(app, (RigidBody::Static, Collider::sphere(0.1)));
    let lamp = spawn(app, (RigidBody::Dynamic, Collider::sphere(0.2), at(1.0, 0.0, 0.0)));
    let joint = Joint::ball(hook, lamp).with_anchors(Vec3::ZERO, Vec3::NEG_X);
    let joint = spawn(app, joint);
    [hook, lamp, joint]
}

fn joints(app: &App) -> usize {
    physics(app).engine().joints().count()
}

#[test]
fn a_joint_holds() {
    let mut app = app();
    let [_, lamp, _] = pendulum(&mut app);
    run(&mut app, 64);
    let arm = position(&app, lamp).length();
    assert!((arm - 1.0).abs() < 2e-3, "it swings at 1 m: {arm}");
    assert!(position(&app, lamp).y < -0.1, "it swings: {}", position(&app, lamp));
    assert_eq!(report(&app).joints, 1);
}

#[test]
fn a_joint_waits_for_its_bodies() {
    let mut app = app();
    let [hook, lamp, joint] = pendulum(&mut app);
    for end in [hook, lamp, joint] {
        run(&mut app, 2);
        assert_eq!(joints(&app), 1, "it holds");
        app.world_mut().entity_mut(end).insert(Disabled);
        run(&mut app, 2);
        assert_eq!(joints(&app), 0, "an end or the joint is disabled");
        app.world_mut().entity_mut(end).remove::<Disabled>();
        run(&mut app, 2);
        assert_eq!(joints(&app), 1, "it holds again");
    }
    *app.world_mut().get_mut::<Joint>(joint).expect("alive") = Joint::distance(hook, lamp, 1.0);
    run(&mut app, 2);
    let kind = physics(&app).engine().joints().next().expect("it is there").desc().kind;
    let rod = JointKind::Distance { min: 1.0, max: 1.0 };
    assert_eq!(kind, rod, "changed in place");
    app.world_mut().despawn(hook);
    run(&mut app, 2);
    assert_eq!(joints(&app), 0, "a despawned body takes its joint along");
    assert!(app.world().get::<Joint>(joint).is_some(), "its component stays");
    app.world_mut().despawn(joint);
    run(&mut app, 2);
}

#[test]
fn a_joint_that_makes_no_sense_is_told_once() {
    let mut app = app();
    listen(&mut app);
    let [hook, lamp, _] = pendulum(&mut app);
    let bad = [
        Joint::ball(hook, hook),
        Joint::distance(hook, lamp, -1.0),
        Joint::ball(hook, lamp).with_anchors(Vec3::splat(Real::NAN), Vec3::ZERO),
        Joint::ball(hook, lamp).with_anchors(Vec3::splat(1.9e19), Vec3::ZERO),
    ];
    for joint in bad {
        let joint = spawn(&mut app, joint);
        run(&mut app, 3);
        let errors = told(&mut app);
        assert!(
            matches!(errors[..], [PhysicsError { entity, error: PhysicsErrorKind::Joint(_) }]
                if entity == joint),
            "told once, with the entity: {errors:?}"
        );
    }
}

/// Finite numbers that no game means: each is told once, with the entity, and the others stand.
#[test]
fn what_is_out_of_range_is_told_once() {
    let mut app = app();
    listen(&mut app);
    floor(&mut app);
    let sound = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    run(&mut app, 2);
    let cubes = [10.0, 20.0, 30.0, 40.0].map(|x| at(x, 0.5, 0.0));
    let cubes = cubes.map(|place| spawn(&mut app, (RigidBody::Dynamic, cube(), place)));
    run(&mut app, 2);
    assert_eq!(told(&mut app), [], "nothing is wrong yet");
    let world = app.world_mut();
    world.get_mut::<Transform>(cubes[0]).expect("alive").translation.x = 1e15;
    world.entity_mut(cubes[1]).insert(GravityScale(1e9));
    world.entity_mut(cubes[2]).insert(LinearVelocity(Vec3::X * 1e12));
    world.entity_mut(cubes[3]).insert(Friction::new(1e9));
    run(&mut app, 5);
    let mut errors = told(&mut app);
    errors.sort_by_key(|error| cubes.iter().position(|&cube| cube == error.entity));
    let texts: Vec<String> = errors.iter().map(|error| error.error.to_string()).collect();
    assert_eq!(errors.iter().map(|error| error.entity).collect::<Vec<_>>(), cubes, "{texts:?}");
    assert!(texts[0].starts_with("Transform is NaN, infinite or out of its range"), "{texts:?}");
    let range = "gravity scale must be from -1e6 to 1e6, got 1e9; write its components";
    assert!(texts[1].starts_with(range), "{texts:?}");
    assert!(texts[2].starts_with("pose, velocity or forces are not finite"), "{texts:?}");
    assert!(texts[3].starts_with("Friction is NaN, infinite or out of its range"), "{texts:?}");
    assert_near(position(&app, sound), Vec3::Y * 0.5, 1e-4);
}

/// A body with joints, or none, that a random operation chose.
fn some(rng: &mut Rng, list: &[Entity]) -> Option<Entity> {
    (!list.is_empty()).then(|| list[rng.below(list.len())])
}

fn random_operation(rng: &mut Rng, app: &mut App, list: &mut Vec<Entity>) {
    let world = app.world_mut();
    let kind = [RigidBody::Dynamic, RigidBody::Dynamic, RigidBody::Kinematic, RigidBody::Static];
    let choice = rng.below(16);
    if choice < 4 || list.is_empty() {
        let place = Transform::from_translation(single3(rng.vector(-6.0, 6.0)));
        list.push(world.spawn((kind[rng.below(4)], cube(), place)).id());
        return;
    }
    let (Some(entity), Some(other)) = (some(rng, list), some(rng, list)) else { return };
    if choice == 4 {
        list.retain(|&e| e != entity);
        world.despawn(entity);
        return;
    }
    if choice == 5 {
        let joint = Joint::ball(entity, other).with_collision(rng.below(2) == 0);
        list.push(world.spawn(joint).id());
        return;
    }
    let mut e = world.entity_mut(entity);
    match choice {
        6 => e.insert(Disabled),
        7 => e.remove::<Disabled>(),
        8 => e.remove::<RigidBody>(),
        9 => e.insert(kind[rng.below(4)]),
        10 => e.remove::<Collider>(),
        11 => e.insert(Collider::capsule(rng.range(-0.2, 1.0), 1.0)),
        12 => e.insert(Mass(rng.range(-1.0, 4.0))),
        13 => e.insert(ChildOf(other)),
        14 => e.remove::<ChildOf>(),
        _ => e.insert(LinearVelocity(rng.vector(-2.0, 2.0))),
    };
}

/// Bodies the components ask for that the engine has, and that it must have.
fn compare(app: &mut App) {
    type Row = (Entity, Option<&'static RigidBody>, &'static EngineBody, Has<Disabled>);
    let mut query = app.world_mut().query::<Row>();
    let mut linked = 0;
    for (entity, kind, link, disabled) in query.iter(app.world()) {
        let id = link.id();
        let alone = link.colliders().any(|collider| collider == entity);
        if kind.is_none() && !alone || disabled {
            assert_eq!(id, None, "{entity} is no live body");
        }
        if let Some(id) = id {
            linked += 1;
            assert_eq!(physics(app).entity(id), Some(entity), "the link goes both ways");
            assert!(physics(app).engine().body(id).is_some(), "the engine has it");
        }
    }
    assert_eq!(bodies(app), linked, "no body without an entity");
}

#[test]
fn a_thousand_random_operations() {
    for seed in 0..2 {
        let mut rng = Rng::new(seed);
        let mut app = app();
        let mut list = Vec::new();
        floor(&mut app);
        for _ in 0..1000 {
            random_operation(&mut rng, &mut app, &mut list);
            list.retain(|&e| app.world().get_entity(e).is_ok());
            if rng.below(3) == 0 {
                steps_each_update(&mut app, rng.below(3) as u32);
                app.update();
            }
            while list.len() > 40 {
                let oldest = list.remove(0);
                let _ = app.world_mut().try_despawn(oldest);
                list.retain(|&e| app.world().get_entity(e).is_ok());
            }
        }
        steps_each_update(&mut app, 1);
        app.update();
        compare(&mut app);
    }
}

#[test]
fn live_entities_are_counted_exactly() {
    // As above, with sound components only: every enabled body must be in the engine.
    let mut rng = Rng::new(99);
    let mut app = app();
    let mut live: Vec<(Entity, bool)> = Vec::new();
    for _ in 0..300 {
        match rng.below(4) {
            0 | 1 => {
                let place =
                    Transform::from_translation(bevy_math::Vec3::X * 3.0 * live.len() as f32);
                live.push((spawn(&mut app, (RigidBody::Dynamic, cube(), place)), true));
            }
            2 if !live.is_empty() => {
                let (entity, _) = live.swap_remove(rng.below(live.len()));
                app.world_mut().despawn(entity);
            }
            3 if !live.is_empty() => {
                let i = rng.below(live.len());
                let (entity, enabled) = &mut live[i];
                *enabled = !*enabled;
                let mut entity = app.world_mut().entity_mut(*entity);
                if *enabled {
                    entity.remove::<Disabled>()
                } else {
                    entity.insert(Disabled)
                };
            }
            _ => {}
        }
        app.update();
        let expected = live.iter().filter(|(_, enabled)| *enabled).count();
        assert_eq!(bodies(&app), expected, "bodies in the engine");
    }
}
