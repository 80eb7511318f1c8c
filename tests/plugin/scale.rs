//! The scale of `Transform`s reaches colliders.

use super::*;
use orthant::engine::shape::Aabb;

/// The box of the engine's body around its frame.
fn bounds(app: &App, entity: Entity) -> Aabb {
    let body = body(app, entity).expect("alive");
    body.colliders().aabb(Vec3::ZERO, Quat::IDENTITY)
}

#[track_caller]
fn assert_size(app: &App, entity: Entity, size: Vec3) {
    let Aabb { min, max } = bounds(app, entity);
    assert_near(max - min, size, 1e-5);
}

fn set_scale(app: &mut App, entity: Entity, x: f32, y: f32, z: f32) {
    let mut transform = app.world_mut().get_mut::<Transform>(entity).expect("it has one");
    transform.scale = bevy_math::Vec3::new(x, y, z);
}

#[test]
fn the_scale_of_a_body_is_that_of_its_collider() {
    let mut app = app();
    floor(&mut app);
    let double = at(0.0, 1.0, 0.0).with_scale(bevy_math::Vec3::splat(2.0));
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), double));
    run(&mut app, 64);
    assert_near(position(&app, cube), Vec3::Y, 1e-3);
    assert!((body(&app, cube).expect("alive").mass() - 8.0).abs() < 1e-4, "eight times the mass");
    assert_size(&app, cube, Vec3::splat(2.0));
    let id = body(&app, cube).expect("alive").id();
    set_scale(&mut app, cube, 1.0, 2.0, 3.0);
    run(&mut app, 1);
    assert_size(&app, cube, Vec3::new(1.0, 2.0, 3.0));
    assert!((body(&app, cube).expect("alive").mass() - 6.0).abs() < 1e-4, "its volume");
    assert_eq!(body(&app, cube).expect("alive").id(), id, "the same body");
    set_scale(&mut app, cube, 1.0, 1.0, 1.0);
    run(&mut app, 64);
    assert_near(position(&app, cube), Vec3::Y * 0.5, 2e-3);
}

#[test]
fn the_scale_of_everything_above_counts() {
    let mut app = app();
    without_gravity(&mut app);
    let group = spawn(&mut app, Transform::default());
    let body_entity = spawn(&mut app, (RigidBody::Dynamic, Mass(1.0), ChildOf(group)));
    let between = spawn(&mut app, (at(1.0, 0.0, 0.0), ChildOf(body_entity)));
    spawn(&mut app, (cube(), at(1.0, 0.0, 0.0), ChildOf(between)));
    let check = |app: &mut App, center: Real, size: Vec3| {
        run(app, 1);
        assert_size(app, body_entity, size);
        let Aabb { min, max } = bounds(app, body_entity);
        assert_near((min + max) * 0.5, Vec3::X * center, 1e-5);
    };
    check(&mut app, 2.0, Vec3::ONE);
    set_scale(&mut app, between, 2.0, 1.0, 1.0);
    check(&mut app, 3.0, Vec3::new(2.0, 1.0, 1.0));
    set_scale(&mut app, body_entity, 3.0, 3.0, 3.0);
    check(&mut app, 9.0, Vec3::new(6.0, 3.0, 3.0));
    set_scale(&mut app, group, 0.5, 1.0, 2.0);
    check(&mut app, 4.5, Vec3::new(3.0, 3.0, 6.0));
    app.world_mut().entity_mut(body_entity).remove::<ChildOf>();
    check(&mut app, 9.0, Vec3::new(6.0, 3.0, 3.0));
}

#[test]
fn a_scale_that_makes_no_shape_is_told_once_and_the_last_shape_stays() {
    let mut app = app();
    without_gravity(&mut app);
    listen(&mut app);
    let owner = spawn(&mut app, (RigidBody::Dynamic, cube()));
    let child = spawn(&mut app, (cube(), at(0.0, 1.0, 0.0), ChildOf(owner)));
    run(&mut app, 1);
    for bad in [0.0, 1e-9, 1e9, f32::NAN] {
        set_scale(&mut app, child, bad, 1.0, 1.0);
        run(&mut app, 3);
        let errors = told(&mut app);
        let [PhysicsError { entity, error }] = &errors[..] else {
            panic!("{bad} is told once: {errors:?}");
        };
        let expected = match error {
            PhysicsErrorKind::OutOfRange(what) => bad.is_nan() && *what == "Transform",
            error => !bad.is_nan() && matches!(error, PhysicsErrorKind::Shape(_)),
        };
        assert!(expected && *entity == child, "{bad} at {child}: {errors:?}");
        assert_size(&app, owner, Vec3::new(1.0, 2.0, 1.0));
    }
    set_scale(&mut app, child, 2.0, 1.0, 1.0);
    run(&mut app, 1);
    assert_size(&app, owner, Vec3::new(2.0, 2.0, 1.0));
    set_scale(&mut app, owner, 0.0, 1.0, 1.0);
    run(&mut app, 3);
    let errors: Vec<Entity> = told(&mut app).iter().map(|error| error.entity).collect();
    assert_eq!(errors, [owner, child], "both colliders are told, once");
    assert_size(&app, owner, Vec3::new(2.0, 2.0, 1.0));
}
