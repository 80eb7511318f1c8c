//! Hierarchies of any kind: order, and a slow look at all of them after random operations.

use super::*;

/// Puts colliders below a body, in archetypes that the markers spread.
fn heap_of_children(spread: impl Fn(usize) -> bool) -> (Vec<Vec3>, Vec<Vec3>) {
    let mut app = app();
    let body = spawn(&mut app, (RigidBody::Dynamic, at(0.0, 3.0, 0.0)));
    floor(&mut app);
    for i in 0..6_usize {
        let place = at(0.3 * i as f32, 0.1 * (i * i) as f32, 0.0);
        let child = spawn(&mut app, (Collider::cuboid(0.4, 0.3, 0.5), place, ChildOf(body)));
        if spread(i) {
            app.world_mut().entity_mut(child).insert(ColliderDensity(1.0));
        }
    }
    run(&mut app, 60);
    let centers = physics(&app).engine().bodies().iter().map(Body::center).collect();
    (list(&app, body).iter().map(|c| c.position).collect(), centers)
}

#[test]
fn colliders_are_in_the_order_of_the_commands() {
    let plain = heap_of_children(|_| false);
    assert!(plain.0.iter().is_sorted_by(|a, b| a.x < b.x), "as spawned: {:?}", plain.0);
    assert_eq!(plain, heap_of_children(|i| i % 2 == 0), "spread over archetypes");
    assert_eq!(plain, heap_of_children(|i| i > 3), "and otherwise");
}

/// What a slow look at the whole hierarchy says: the body of a collider and its place there.
fn oracle(app: &App, entity: Entity) -> (Entity, Vec3, Quat) {
    body_above(app, entity).unwrap_or((entity, Vec3::ZERO, Quat::IDENTITY))
}

fn body_above(app: &App, entity: Entity) -> Option<(Entity, Vec3, Quat)> {
    let world = app.world();
    let (mut position, mut rotation) = (Vec3::ZERO, Quat::IDENTITY);
    let mut next = entity;
    for _ in 0..100 {
        if world.get::<RigidBody>(next).is_some() {
            return Some((next, position, rotation));
        }
        let transform = world.get::<Transform>(next)?;
        let turn = from_single_quat(transform.rotation);
        position = from_single3(transform.translation) + quat_rotate(turn, position);
        rotation = quat_mul(turn, rotation);
        next = world.get::<ChildOf>(next)?.parent();
    }
    None
}

fn is_live(app: &App, entity: Entity) -> bool {
    let e = app.world().entity(entity);
    !e.contains::<Disabled>() && !e.contains::<ColliderDisabled>() && e.contains::<Collider>()
}

fn compare(app: &App, entities: &[Entity]) {
    let mut expected = 0;
    for &entity in entities {
        let of = app.world().get::<ColliderOf>(entity).and_then(ColliderOf::body);
        let shaped = app.world().get::<Collider>(entity).is_some();
        let owner = shaped.then(|| oracle(app, entity));
        assert_eq!(of, owner.map(|(body, ..)| body), "the body of {entity}");
        let Some((owner, position, rotation)) = owner else { continue };
        let found = collider_of(app, entity).map(|(_, found)| found);
        let live = is_live(app, entity) && !app.world().entity(owner).contains::<Disabled>();
        assert_eq!(found.is_some(), live, "{entity} on {owner}");
        let Some(found) = found else { continue };
        expected += 1;
        assert_near(found.position, position, 1e-3);
        let turn = quat_mul(quat_conjugate(found.rotation), rotation);
        assert!(turn.w.abs() > 0.9999, "the rotation of {entity}");
        let sensor = app.world().get::<Sensor>(entity).is_some();
        assert_eq!(found.sensor, sensor, "sensor {entity}");
    }
    let total: usize =
        physics(app).engine().bodies().iter().map(|b| b.colliders().list().len()).sum();
    assert_eq!(total, expected, "no collider without an entity");
}

fn random_operation(rng: &mut Rng, app: &mut App, entities: &mut Vec<Entity>) {
    let world = app.world_mut();
    let kind = [RigidBody::Static, RigidBody::Kinematic];
    let place = Transform::from_translation(single3(rng.vector(-3.0, 3.0)));
    let place = place.with_rotation(bevy_math::Quat::from_rotation_y(rng.below(6) as f32));
    if rng.below(6) == 0 || entities.len() < 8 {
        entities.push(world.spawn(place).id());
        return;
    }
    let (entity, other) =
        (entities[rng.below(entities.len())], entities[rng.below(entities.len())]);
    let choice = rng.below(20);
    if choice == 0 {
        world.despawn(entity);
        entities.retain(|&e| world.get_entity(e).is_ok());
        return;
    }
    let mut e = world.entity_mut(entity);
    match choice {
        1..=3 => e.insert(cube()),
        4 => e.remove::<Collider>(),
        5..=6 => e.insert(kind[rng.below(2)]),
        7 => e.remove::<RigidBody>(),
        8..=11 => e.insert(ChildOf(other)),
        12 => e.remove::<ChildOf>(),
        13 => e.insert(Disabled),
        14..=15 => e.remove::<Disabled>(),
        16 => e.insert(ColliderDisabled),
        17 => e.remove::<(ColliderDisabled, Sensor)>(),
        18 => e.insert(Sensor),
        _ => e.insert(place),
    };
}

#[test]
fn the_engine_knows_the_hierarchy_after_any_operation() {
    for seed in 0..4 {
        let mut rng = Rng::new(seed);
        let mut app = app();
        let mut entities = Vec::new();
        for _ in 0..600 {
            for _ in 0..=rng.below(3) {
                random_operation(&mut rng, &mut app, &mut entities);
            }
            let mut clock = app.world_mut().resource_mut::<bevy_time::Time<Physics>>();
            if rng.below(3) == 0 {
                clock.pause();
            } else {
                clock.unpause();
            }
            app.update();
            compare(&app, &entities);
        }
    }
}
