//! A collider without a body is static.

use super::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Dir3;
use orthant::engine::body::BodyKind;

#[test]
fn things_stand_on_it_rays_hit_it_and_it_moves_with_its_transform() {
    let mut app = app();
    let floor = spawn(&mut app, (Collider::cuboid(10.0, 1.0, 10.0), at(0.0, -0.5, 0.0)));
    let falling = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.7, 0.0)));
    run(&mut app, 64);
    assert_near(position(&app, falling), Vec3::Y * 0.5, 1e-3);
    assert_eq!(body(&app, floor).expect("a body").kind(), BodyKind::Static);
    assert!(app.world().get::<RigidBody>(floor).is_none(), "no component that nobody gave it");
    let hit = app
        .world_mut()
        .run_system_once(|query: SpatialQuery| {
            let (from, filter) = (Vec3::new(4.0, 3.0, 0.0), SpatialQueryFilter::default());
            query.cast_ray(from, Dir3::NEG_Y, 10.0, true, &filter)
        })
        .expect("it runs")
        .expect("a hit");
    assert_eq!(hit.entity, floor, "rays hit it");
    assert!((hit.distance - 3.0).abs() < 1e-5, "at its surface, not {}", hit.distance);
    app.world_mut().get_mut::<Transform>(floor).expect("alive").translation.y = -10.5;
    run(&mut app, 20);
    assert!(position(&app, falling).y < 0.2, "the floor is gone from there");
}

#[test]
fn a_sensor_alone_sees() {
    let mut app = app();
    without_gravity(&mut app);
    let watched = (Collider::sphere(1.0), Sensor, CollidingEntities::default());
    let sensor = spawn(&mut app, watched);
    let moving = (
        RigidBody::Dynamic,
        Collider::sphere(0.5),
        at(-3.0, 0.0, 0.0),
        LinearVelocity(Vec3::X * 4.0),
    );
    let ball = spawn(&mut app, moving);
    run(&mut app, 48);
    let seen = app.world().get::<CollidingEntities>(sensor).expect("it has a list").to_vec();
    assert_eq!(seen, [ball]);
    assert_near(velocity(&app, ball), Vec3::X * 4.0, 1e-6);
}

#[test]
fn a_body_that_is_added_takes_it_and_one_that_is_removed_leaves_it_static() {
    let mut app = app();
    let group = spawn(&mut app, at(0.0, 2.0, 0.0));
    let parts = [1.0, -1.0].map(|x| spawn(&mut app, (cube(), at(x, 0.0, 0.0), ChildOf(group))));
    run(&mut app, 2);
    assert_eq!(bodies(&app), 2, "each by itself");
    assert_near(body(&app, parts[0]).expect("a body").position(), Vec3::new(1.0, 2.0, 0.0), 1e-6);
    app.world_mut().get_mut::<Transform>(group).expect("alive").translation.y = 3.0;
    run(&mut app, 1);
    assert_near(body(&app, parts[0]).expect("a body").position(), Vec3::new(1.0, 3.0, 0.0), 1e-6);
    app.world_mut().entity_mut(group).insert(RigidBody::Dynamic);
    run(&mut app, 10);
    assert_eq!((bodies(&app), tags(&app, group)), (1, parts.to_vec()), "one body of both");
    let fallen = position(&app, group).y;
    assert!(fallen < 3.0, "it falls");
    app.world_mut().entity_mut(group).remove::<RigidBody>();
    run(&mut app, 10);
    assert_eq!(bodies(&app), 2, "each by itself again");
    let left = body(&app, parts[1]).expect("a body").position();
    assert_near(left, Vec3::new(-1.0, fallen, 0.0), 1e-5);
    let joint = Joint::ball(parts[0], parts[1]);
    app.world_mut().entity_mut(parts[0]).insert(RigidBody::Dynamic);
    spawn(&mut app, joint);
    run(&mut app, 1);
    assert_eq!(report(&app).joints, 1, "a joint may hold on to it");
}
