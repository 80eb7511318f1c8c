//! Colliders on a body's entity and below it come, go, change and move.

mod alone;
mod hierarchy;

use super::*;
use bevy_ecs::entity_disabling::Disabled;
use orthant::engine::collider;
use orthant::engine::collider::Layers;
use orthant::math::{Quat, from_single_quat, quat_conjugate, quat_mul, quat_rotate};

/// The engine's colliders of an entity's body.
fn list(app: &App, entity: Entity) -> &[collider::Collider] {
    body(app, entity).map_or(&[], |body| body.colliders().list())
}

/// The entities that the engine's colliders of a body name.
fn tags(app: &App, entity: Entity) -> Vec<Entity> {
    list(app, entity).iter().map(|c| Entity::try_from_bits(c.tag).expect("an entity")).collect()
}

/// The engine's collider of an entity, and its body.
fn collider_of(app: &App, entity: Entity) -> Option<(Entity, &collider::Collider)> {
    let owner = app.world().get::<ColliderOf>(entity)?.body()?;
    let found = list(app, owner).iter().find(|c| c.tag == entity.to_bits())?;
    Some((owner, found))
}

#[track_caller]
fn assert_place(app: &App, entity: Entity, expected: Vec3) {
    let (_, found) = collider_of(app, entity).expect("it is part of a body");
    assert_near(found.position, expected, 1e-6);
}

fn quarter_turn() -> bevy_math::Quat {
    bevy_math::Quat::from_rotation_z(core::f32::consts::FRAC_PI_2)
}

/// A weightless dynamic body with a cube, a group below it and a cube below that: (body, group, child).
fn arm(app: &mut App) -> [Entity; 3] {
    without_gravity(app);
    let body = spawn(app, (RigidBody::Dynamic, cube(), at(5.0, 0.0, 0.0)));
    let group = at(0.0, 1.0, 0.0).with_rotation(quarter_turn());
    let group = spawn(app, (group, ChildOf(body)));
    let child = spawn(app, (cube(), at(2.0, 0.0, 0.0), ChildOf(group)));
    run(app, 1);
    [body, group, child]
}

#[test]
fn colliders_below_a_body_are_part_of_it() {
    let mut app = app();
    let [cube, group, child] = arm(&mut app);
    assert_eq!(tags(&app, cube), [cube, child], "in the order of the commands");
    assert_place(&app, cube, Vec3::ZERO);
    assert_place(&app, child, Vec3::Y * 3.0);
    let (_, found) = collider_of(&app, child).expect("part of the body");
    let turned = quat_rotate(found.rotation, Vec3::X);
    assert_near(turned, Vec3::Y, 1e-6);
    let arm = body(&app, cube).expect("alive");
    assert!((arm.mass() - 2.0).abs() < 1e-6, "two cubes of 1 kg: {}", arm.mass());
    assert_near(arm.center_of_mass(), Vec3::Y * 1.5, 1e-6);
    assert_near(arm.position(), Vec3::X * 5.0, 1e-6);
    let link = app.world().get::<EngineBody>(cube).expect("a body");
    assert_eq!(link.colliders().collect::<Vec<_>>(), [cube, child], "listed");
    assert!(app.world().get::<ColliderAncestor>(group).is_some(), "the group is above a collider");
    assert_eq!(bodies(&app), 1, "one body");
}

#[test]
fn a_child_collider_is_hit() {
    let mut app = app();
    floor(&mut app);
    let lamp = spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.1), at(0.0, 2.0, 0.0)));
    spawn(&mut app, (Collider::cuboid(2.0, 0.5, 2.0), at(0.0, -1.0, 0.0), ChildOf(lamp)));
    run(&mut app, 128);
    assert_near(position(&app, lamp), Vec3::Y * 1.25, 2e-3);
}

#[test]
fn colliders_have_friction_density_and_layers_of_their_own() {
    let mut app = app();
    let [cube, _, child] = arm(&mut app);
    let material = |app: &mut App, entity| {
        run(app, 1);
        let material = collider_of(app, entity).expect("part of a body").1.material;
        (material.friction, material.rolling, material.spinning)
    };
    assert_eq!(material(&mut app, child), (0.5, 0.0, 0.0), "the default");
    app.insert_resource(DefaultFriction(Friction::new(0.2)));
    assert_eq!(material(&mut app, child), (0.2, 0.0, 0.0), "another default");
    let own = (Friction::new(0.3), RollingFriction::new(0.01, 0.02));
    app.world_mut().entity_mut(cube).insert(own);
    assert_eq!(material(&mut app, child), (0.3, 0.01, 0.02), "that of the body");
    app.world_mut().entity_mut(child).insert((Friction::new(0.4), RollingFriction::new(0.03, 0.0)));
    assert_eq!(material(&mut app, child), (0.4, 0.03, 0.0), "its own");
    assert_eq!(material(&mut app, cube), (0.3, 0.01, 0.02), "the other keeps its own");
    app.world_mut().entity_mut(child).remove::<(Friction, RollingFriction)>();
    assert_eq!(material(&mut app, child), (0.3, 0.01, 0.02), "that of the body again");
    app.world_mut().entity_mut(cube).remove::<(Friction, RollingFriction)>();
    assert_eq!(material(&mut app, child), (0.2, 0.0, 0.0), "the default again");

    app.world_mut()
        .entity_mut(child)
        .insert((ColliderDensity(3.0), CollisionLayers::from_bits(2, 4)));
    run(&mut app, 1);
    assert!((body(&app, cube).expect("alive").mass() - 4.0).abs() < 1e-6, "1 kg and 3 kg");
    let layers = |app: &App, entity| collider_of(app, entity).expect("part of a body").1.layers;
    assert_eq!(layers(&app, child), Layers { memberships: 2, filters: 4 });
    assert_eq!(layers(&app, cube), Layers::default(), "the other is where it was");
    app.world_mut().entity_mut(child).remove::<(ColliderDensity, CollisionLayers)>();
    run(&mut app, 1);
    assert!((body(&app, cube).expect("alive").mass() - 2.0).abs() < 1e-6, "1 kg each");
    assert_eq!(layers(&app, child), Layers::default(), "the first layer again");
}

#[test]
fn layers_say_what_meets() {
    let mut app = app();
    let floor = floor(&mut app);
    let through = (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0), CollisionLayers::from_bits(2, 2));
    let through = spawn(&mut app, through);
    let above = spawn(&mut app, (RigidBody::Dynamic, cube(), at(3.0, 0.5, 0.0)));
    run(&mut app, 32);
    assert!(position(&app, through).y < -0.5, "the floor is in another layer");
    assert_near(position(&app, above), Vec3::new(3.0, 0.5, 0.0), 1e-3);
    app.world_mut().entity_mut(floor).insert(CollisionLayers::from_bits(2, 2));
    run(&mut app, 32);
    assert!(position(&app, above).y < 0.0, "now the other falls: {}", position(&app, above));
}

#[test]
fn a_sensor_pushes_nothing_and_weighs_nothing() {
    let mut app = app();
    let [cube, _, child] = arm(&mut app);
    app.world_mut().entity_mut(child).insert(Sensor);
    run(&mut app, 1);
    assert!(collider_of(&app, child).expect("still there").1.sensor);
    assert!((body(&app, cube).expect("alive").mass() - 1.0).abs() < 1e-6, "one cube weighs");
    let ball = (RigidBody::Dynamic, Collider::sphere(0.2), at(5.0, 5.0, 0.0));
    let ball = spawn(&mut app, (ball, LinearVelocity(Vec3::Y * -4.0)));
    run(&mut app, 32);
    assert_eq!(velocity(&app, ball), Vec3::Y * -4.0, "it flies through the sensor");
    app.world_mut().entity_mut(child).remove::<Sensor>();
    run(&mut app, 1);
    assert!((body(&app, cube).expect("alive").mass() - 2.0).abs() < 1e-6, "both weigh");
}

#[test]
fn a_collider_comes_and_goes() {
    let mut app = app();
    let [cube, group, child] = arm(&mut app);
    let id = body(&app, cube).expect("alive").id();
    type Change = (&'static str, fn(&mut EntityWorldMut), fn(&mut EntityWorldMut));
    let changes: [Change; 3] = [
        ("Collider", |e| _ = e.remove::<Collider>(), |e| _ = e.insert(super::cube())),
        (
            "ColliderDisabled",
            |e| _ = e.insert(ColliderDisabled),
            |e| {
                e.remove::<ColliderDisabled>();
            },
        ),
        ("Disabled", |e| _ = e.insert(Disabled), |e| _ = e.remove::<Disabled>()),
    ];
    for (what, away, back) in changes {
        away(&mut app.world_mut().entity_mut(child));
        run(&mut app, 1);
        assert_eq!(tags(&app, cube), [cube], "{what}: out");
        assert!((body(&app, cube).expect("alive").mass() - 1.0).abs() < 1e-6, "{what}: its mass");
        back(&mut app.world_mut().entity_mut(child));
        run(&mut app, 1);
        assert_eq!(tags(&app, cube), [cube, child], "{what}: back");
    }
    let third = spawn(&mut app, (Collider::sphere(0.5), ChildOf(child)));
    run(&mut app, 1);
    assert_eq!(tags(&app, cube), [cube, child, third], "below another collider");
    assert_place(&app, third, Vec3::Y * 3.0);
    app.world_mut().despawn(child);
    run(&mut app, 1);
    assert_eq!(tags(&app, cube), [cube], "despawned with what is below");
    assert_eq!(body(&app, cube).expect("alive").id(), id, "the same body all the time");
    assert_near(body(&app, cube).expect("alive").position(), Vec3::X * 5.0, 1e-6);
    app.world_mut().get_mut::<Transform>(group).expect("alive").translation.x = 1.0;
    run(&mut app, 1);
    assert!(app.world().get::<ColliderAncestor>(group).is_none(), "nothing is below the group");
}

#[test]
fn moving_a_collider_or_what_is_above_moves_it_on_its_body() {
    let mut app = app();
    let [cube, group, child] = arm(&mut app);
    app.world_mut().get_mut::<Transform>(child).expect("alive").translation.x = 1.0;
    run(&mut app, 1);
    assert_place(&app, child, Vec3::Y * 2.0);
    assert_near(body(&app, cube).expect("alive").center_of_mass(), Vec3::Y, 1e-6);
    app.world_mut().get_mut::<Transform>(group).expect("alive").translation.y = 3.0;
    run(&mut app, 1);
    assert_place(&app, child, Vec3::Y * 4.0);
    assert_near(body(&app, cube).expect("alive").position(), Vec3::X * 5.0, 1e-6);
    app.world_mut().get_mut::<Transform>(cube).expect("alive").translation.y = 9.0;
    run(&mut app, 1);
    assert_place(&app, child, Vec3::Y * 4.0);
    assert_near(body(&app, cube).expect("alive").position(), Vec3::new(5.0, 9.0, 0.0), 1e-6);
}

#[test]
fn colliders_follow_their_parents_to_other_bodies() {
    let mut app = app();
    let [cube, group, child] = arm(&mut app);
    let other = spawn(&mut app, (RigidBody::Dynamic, super::cube(), at(-5.0, 0.0, 0.0)));
    let shelf = spawn(&mut app, (at(0.0, 0.0, 7.0), ChildOf(other)));
    app.world_mut().entity_mut(child).insert(ChildOf(shelf));
    run(&mut app, 1);
    assert_eq!((tags(&app, cube), tags(&app, other)), (vec![cube], vec![child, other]), "moved");
    assert_place(&app, child, Vec3::new(2.0, 0.0, 7.0));
    app.world_mut().entity_mut(child).insert(ChildOf(group));
    run(&mut app, 1);
    assert_eq!((tags(&app, cube), tags(&app, other)), (vec![cube, child], vec![other]), "back");
    app.world_mut().entity_mut(group).insert(ChildOf(shelf));
    run(&mut app, 1);
    assert_eq!(
        (tags(&app, cube), tags(&app, other)),
        (vec![cube], vec![child, other]),
        "the group"
    );
    assert_place(&app, child, Vec3::new(0.0, 3.0, 7.0));
    app.world_mut().entity_mut(shelf).remove::<ChildOf>();
    run(&mut app, 1);
    assert_eq!(tags(&app, other), [other], "the shelf belongs to nobody");
    let alone = app.world().get::<ColliderOf>(child).expect("a collider").body();
    assert_eq!(alone, Some(child), "a static body by itself");
    let root = spawn(&mut app, at(0.0, 0.0, 0.0));
    app.world_mut().entity_mut(shelf).insert(ChildOf(root));
    run(&mut app, 1);
    app.world_mut().entity_mut(root).insert(ChildOf(cube));
    run(&mut app, 1);
    assert_eq!(tags(&app, cube), [cube, child], "at the end of a longer chain");
    app.world_mut().despawn(root);
    run(&mut app, 1);
    assert_eq!(tags(&app, cube), [cube], "gone");
}

#[test]
fn a_body_in_between_takes_the_colliders_below() {
    let mut app = app();
    let [cube, group, child] = arm(&mut app);
    let world = Vec3::new(5.0, 3.0, 0.0);
    for _ in 0..2 {
        app.world_mut().entity_mut(group).insert(RigidBody::Dynamic);
        run(&mut app, 1);
        assert_eq!((tags(&app, cube), tags(&app, group)), (vec![cube], vec![child]), "a new body");
        assert_place(&app, child, Vec3::X * 2.0);
        assert_near(body(&app, group).expect("alive").center(), world, 1e-5);
        app.world_mut().entity_mut(group).remove::<RigidBody>();
        run(&mut app, 1);
        assert_eq!(tags(&app, cube), [cube, child], "back to the body above");
        assert_place(&app, child, Vec3::Y * 3.0);
    }
    app.world_mut().entity_mut(cube).remove::<RigidBody>();
    run(&mut app, 1);
    assert_eq!((tags(&app, cube), tags(&app, child)), (vec![cube], vec![child]), "each alone");
    app.world_mut().entity_mut(cube).insert(RigidBody::Static);
    run(&mut app, 1);
    assert_eq!(tags(&app, cube), [cube, child], "a body above existing colliders");
    app.world_mut().entity_mut(child).insert(RigidBody::Static);
    run(&mut app, 1);
    assert_eq!((tags(&app, cube), tags(&app, child)), (vec![cube], vec![child]), "its own body");
    app.world_mut().entity_mut(cube).insert(Disabled);
    run(&mut app, 1);
    assert_eq!(bodies(&app), 1, "a disabled body takes its colliders along");
    app.world_mut().entity_mut(cube).remove::<Disabled>();
    app.world_mut().entity_mut(child).remove::<RigidBody>();
    run(&mut app, 1);
    assert_eq!(tags(&app, cube), [cube, child], "all of them");
}

#[test]
fn a_bad_collider_is_told_by_name_and_the_others_stay() {
    let mut app = app();
    listen(&mut app);
    let [cube, _, child] = arm(&mut app);
    let bad = spawn(&mut app, (Collider::sphere(-1.0), ChildOf(cube)));
    run(&mut app, 3);
    let errors = told(&mut app);
    let [PhysicsError { entity, error: PhysicsErrorKind::Shape(_) }] = errors[..] else {
        panic!("one error of shape, got {errors:?}");
    };
    assert_eq!(entity, bad, "with the entity");
    assert_eq!(tags(&app, cube), [cube, child], "left out");
    app.world_mut().entity_mut(cube).insert(Mass(7.0));
    run(&mut app, 1);
    assert_eq!(told(&mut app), [], "other changes do not tell it again");
    app.world_mut().entity_mut(bad).insert(Collider::sphere(1.0));
    run(&mut app, 1);
    assert_eq!(tags(&app, cube), [cube, child, bad], "mended");
    app.world_mut().get_mut::<Transform>(bad).expect("alive").translation.x = f32::NAN;
    run(&mut app, 2);
    let errors = told(&mut app);
    let expected = PhysicsError { entity: bad, error: PhysicsErrorKind::OutOfRange("Transform") };
    assert_eq!(errors, [expected], "told once");
    assert_place(&app, bad, Vec3::ZERO);
    app.world_mut().get_mut::<Transform>(bad).expect("alive").translation.x = 0.0;
    app.world_mut().entity_mut(bad).insert(Friction::new(Real::INFINITY));
    run(&mut app, 2);
    let errors = told(&mut app);
    let expected = PhysicsError { entity: bad, error: PhysicsErrorKind::OutOfRange("Friction") };
    assert_eq!(errors, [expected], "told once");
    let friction = collider_of(&app, bad).expect("still there").1.material.friction;
    assert_eq!(friction, 0.5, "as it was");
}

#[test]
fn what_came_beside_a_refused_value_is_not_lost() {
    let mut app = app();
    let [cube, _, child] = arm(&mut app);
    app.world_mut().get_mut::<Transform>(cube).expect("alive").translation.x = f32::NAN;
    let third = spawn(&mut app, (Collider::sphere(0.5), ChildOf(cube)));
    run(&mut app, 1);
    assert_eq!(
        tags(&app, cube),
        [cube, child, third],
        "the pose is refused, the collider is taken"
    );
    assert_near(position(&app, cube), Vec3::X * 5.0, 1e-6);
    app.world_mut().entity_mut(cube).insert(GravityScale(Real::NAN));
    app.world_mut().despawn(third);
    run(&mut app, 1);
    app.world_mut().entity_mut(cube).insert(GravityScale(1.0));
    run(&mut app, 1);
    assert_eq!(tags(&app, cube), [cube, child], "taken with the sound value");
}

#[test]
fn entities_without_colliders_are_left_alone() {
    let mut app = app();
    let [cube, _, child] = arm(&mut app);
    let mesh = spawn(&mut app, (at(0.0, 1.0, 0.0), ChildOf(cube)));
    let decoration = spawn(&mut app, (at(0.0, 1.0, 0.0), ChildOf(child)));
    let group = spawn(&mut app, Transform::default());
    let inner = spawn(&mut app, (RigidBody::Dynamic, super::cube(), ChildOf(group)));
    run(&mut app, 2);
    for entity in [cube, mesh, decoration, group, child, inner] {
        assert!(app.world().get::<ColliderAncestor>(entity).is_none(), "{entity} is above none");
    }
}

/// How many bodies and colliders the last gather looked at.
#[derive(Resource, Default)]
struct Looked(usize, usize);

#[test]
fn only_what_changed_is_looked_at() {
    let mut app = app();
    app.init_resource::<Looked>();
    let mut arms = Vec::new();
    for i in 0..5 {
        let moving = LinearVelocity(Vec3::Y * (i + 1) as Real);
        let [cube, group, child] = arm(&mut app);
        app.world_mut().entity_mut(cube).insert((moving, at(i as f32 * 20.0, 0.0, 0.0)));
        arms.push([cube, group, child]);
    }
    run(&mut app, 3);
    let count = |bodies: Query<(), Changed<EngineBody>>,
                 colliders: Query<(), Changed<ColliderOf>>,
                 mut looked: ResMut<Looked>| {
        *looked = Looked(bodies.iter().count(), colliders.iter().count());
    };
    app.add_systems(Last, count);
    let looked = |app: &mut App| {
        run(app, 1);
        let &Looked(bodies, colliders) = app.world().resource::<Looked>();
        (bodies, colliders)
    };
    looked(&mut app);
    assert_eq!(looked(&mut app), (0, 0), "bodies that only move");
    spawn(&mut app, (at(1.0, 1.0, 1.0), ChildOf(arms[0][2])));
    assert_eq!(looked(&mut app), (0, 0), "a mesh below a collider");
    app.world_mut().get_mut::<Transform>(arms[1][1]).expect("alive").translation.x = 1.0;
    assert_eq!(looked(&mut app), (1, 1), "one arm is bent");
    app.world_mut().entity_mut(arms[1][2]).insert(ChildOf(arms[2][1]));
    assert_eq!(looked(&mut app), (2, 1), "a collider changes its body");
    assert_eq!(looked(&mut app), (0, 0), "all is done");
}

#[test]
fn resting_contacts_survive_a_change_of_material() {
    let mut app = app();
    floor(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    run(&mut app, 32);
    let impulses = |app: &App| -> Vec<Vec3> {
        physics(app).engine().contacts().map(|contact| contact.impulse).collect()
    };
    let before = impulses(&app);
    assert!(before.len() >= 4 && before[0] != Vec3::ZERO, "it rests: {before:?}");
    app.world_mut().resource_mut::<bevy_time::Time<Physics>>().pause();
    let change = (Friction::new(0.9), CollisionLayers::from_bits(1, 1));
    app.world_mut().entity_mut(cube).insert(change);
    app.update();
    assert_eq!(list(&app, cube)[0].material.friction, 0.9, "taken over");
    assert_eq!(impulses(&app), before, "its contacts know what they knew");
}
