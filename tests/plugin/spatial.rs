//! Spatial queries: entities, filters, casters; while paused and after a teleport.

use super::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_math::Dir3;
use orthant::engine::ratio::Status;

/// Asks something of a world.
fn ask<T: Send + Sync + 'static>(
    app: &mut App,
    question: impl Fn(SpatialQuery) -> T + Send + Sync + 'static,
) -> T {
    app.world_mut().run_system_once(question).expect("the parameters are there")
}

fn all() -> SpatialQueryFilter {
    SpatialQueryFilter::default()
}

/// The first entity that a ray down from a point meets.
fn below(app: &mut App, point: Vec3, filter: SpatialQueryFilter) -> Option<(Entity, Real)> {
    ask(app, move |query| {
        let hit = query.cast_ray(point, Dir3::NEG_Y, 100.0, true, &filter)?;
        Some((hit.entity, hit.distance))
    })
}

#[test]
fn rays_name_colliders_and_filter_them() {
    let mut app = app();
    without_gravity(&mut app);
    let floor = floor(&mut app);
    let layers = CollisionLayers::new(LayerMask(2), LayerMask::ALL);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 2.0, 0.0), layers));
    let child = (Collider::sphere(0.5), at(0.0, 2.0, 0.0), Sensor, ChildOf(cube));
    let child = spawn(&mut app, child);
    run(&mut app, 1);
    let from = Vec3::Y * 10.0;
    assert_eq!(below(&mut app, from, all()), Some((child, 5.5)), "the sensor above the cube");
    assert_eq!(below(&mut app, from, all().without_sensors()), Some((cube, 7.5)));
    assert_eq!(below(&mut app, from, all().with_mask(LayerMask(2))), Some((cube, 7.5)));
    let others = SpatialQueryFilter::from_excluded_entities([cube]);
    assert_eq!(below(&mut app, from, others), Some((floor, 10.0)), "a body with its colliders");
    let only_child = SpatialQueryFilter::from_excluded_entities([child]);
    assert_eq!(below(&mut app, from, only_child), Some((cube, 7.5)), "a collider alone");
    let not_cube = ask(&mut app, move |query| {
        let not_cube = |entity| entity != cube && entity != child;
        query.cast_ray_predicate(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, true, &all(), &not_cube)
    });
    assert_eq!(not_cube.map(|hit| hit.entity), Some(floor), "a predicate");
    let hits =
        ask(&mut app, |query| query.ray_hits(Vec3::Y * 10.0, Dir3::NEG_Y, 100.0, 2, true, &all()));
    assert_eq!(hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), [child, cube], "nearest two");
    assert_near(hits[0].normal, Vec3::Y, 1e-5);
}

#[test]
fn queries_see_teleports_and_run_while_paused() {
    let mut app = app();
    without_gravity(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 2.0, 0.0)));
    run(&mut app, 1);
    let from = Vec3::Y * 10.0;
    assert_eq!(below(&mut app, from, all()), Some((cube, 7.5)));
    // At once, when asked to.
    app.world_mut().entity_mut(cube).insert(at(0.0, 5.0, 0.0));
    sync_physics(app.world_mut());
    assert_eq!(below(&mut app, from, all()), Some((cube, 4.5)), "synchronized by hand");
    // While paused, with the next update.
    app.world_mut().resource_mut::<bevy_time::Time<Physics>>().pause();
    app.world_mut().entity_mut(cube).insert(at(0.0, 3.0, 0.0));
    run(&mut app, 1);
    assert_eq!(below(&mut app, from, all()), Some((cube, 6.5)), "paused");
    app.world_mut().resource_mut::<bevy_time::Time<Physics>>().unpause();
    app.world_mut().resource_mut::<bevy_time::Time<bevy_time::Virtual>>().pause();
    app.world_mut().entity_mut(cube).insert(at(0.0, 4.0, 0.0));
    run(&mut app, 1);
    assert_eq!(below(&mut app, from, all()), Some((cube, 5.5)), "all of time is paused");
    app.world_mut().despawn(cube);
    run(&mut app, 1);
    assert_eq!(below(&mut app, from, all()), None, "despawned while paused");
}

#[test]
fn shapes_points_and_boxes() {
    let mut app = app();
    without_gravity(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 2.0, 0.0)));
    let ball = (RigidBody::Dynamic, Collider::sphere(0.5), at(3.0, 2.0, 0.0));
    let ball = spawn(&mut app, ball);
    run(&mut app, 1);
    let hit = ask(&mut app, |query| {
        let (shape, config) = (Collider::sphere(0.5), ShapeCastConfig::from_max_distance(20.0));
        query.cast_shape(&shape, Vec3::Y * 10.0, Quat::IDENTITY, Dir3::NEG_Y, &config, &all())
    });
    let hit = hit.expect("the cube is below");
    assert_eq!(hit.entity, cube);
    assert!((hit.distance - 7.0).abs() < 1e-4, "{}", hit.distance);
    assert_near(hit.point1, Vec3::Y * 2.5, 1e-3);
    assert_near(hit.normal1, Vec3::Y, 1e-3);
    let projected =
        ask(&mut app, |query| query.project_point(Vec3::new(1.0, 2.0, 0.0), true, &all()));
    let projected = projected.expect("something is near");
    assert_eq!((projected.entity, projected.is_inside), (cube, false));
    assert_near(projected.point, Vec3::new(0.5, 2.0, 0.0), 1e-5);
    let inside = ask(&mut app, |query| query.point_intersections(Vec3::new(3.0, 2.3, 0.0), &all()));
    assert_eq!(inside, [ball]);
    let boxed = ask(&mut app, |query| {
        query.aabb_intersections(Vec3::new(-1.0, 1.0, -1.0), Vec3::new(4.0, 3.0, 1.0), &all())
    });
    assert_eq!(boxed, [cube, ball]);
    let touched = ask(&mut app, |query| {
        let shape = Collider::cuboid(2.0, 0.1, 0.1);
        query.shape_intersections(&shape, Vec3::new(1.2, 2.0, 0.0), Quat::IDENTITY, &all())
    });
    assert_eq!(touched, [cube]);
    let (closest, ratio) =
        ask(&mut app, move |query| (query.closest_points(cube, ball), query.ratio(cube, ball)));
    let closest = closest.expect("both have colliders");
    assert!((closest.distance - 2.0).abs() < 1e-5, "{}", closest.distance);
    assert_near(closest.point2, Vec3::new(2.5, 2.0, 0.0), 1e-4);
    let ratio = ratio.expect("both have colliders");
    // Cube and ball grow from 0.5 m each to 1.5 m.
    assert!((ratio.ratio - 3.0).abs() < 1e-5 && ratio.status == Status::Exact, "{ratio:?}");
    assert_near(ratio.normal, Vec3::X, 1e-5);
    let nobody = Entity::PLACEHOLDER;
    assert_eq!(ask(&mut app, move |query| query.distance(cube, nobody)), None);
}

#[test]
fn casters_keep_their_hits() {
    let mut app = app();
    without_gravity(&mut app);
    let target = spawn(&mut app, (RigidBody::Static, cube(), at(0.0, 0.0, -5.0)));
    let eye = (RigidBody::Dynamic, cube(), RayCaster::default());
    let eye = spawn(&mut app, eye);
    let probe = ShapeCaster::new(Collider::sphere(0.25), Vec3::ZERO, Quat::IDENTITY, Dir3::NEG_Z);
    let probe = spawn(&mut app, (probe.with_max_distance(10.0), ChildOf(eye)));
    run(&mut app, 1);
    let distance = |app: &App| {
        let rays = app.world().get::<RayHits>(eye).expect("a caster has hits");
        let shapes = app.world().get::<ShapeHits>(probe).expect("a caster has hits");
        let ray = rays.first().map(|hit| (hit.entity, hit.distance));
        (ray, shapes.first().map(|hit| (hit.entity, hit.distance)))
    };
    let (ray, shape) = distance(&app);
    assert_eq!(ray, Some((target, 4.5)), "past its own body");
    // The child is no part of the body: its shape starts within the cube it hangs on.
    assert_eq!(shape, Some((eye, 0.0)), "the cube around it");
    let mut turned = Transform::IDENTITY;
    turned.rotate_y(1.0);
    app.world_mut().entity_mut(eye).insert(turned);
    run(&mut app, 1);
    assert_eq!(distance(&app).0, None, "it looks elsewhere");
    let mut caster = app.world_mut().get_mut::<RayCaster>(eye).expect("there");
    caster.direction = Dir3::Y;
    caster.enabled = false;
    run(&mut app, 1);
    assert_eq!(distance(&app).0, None, "disabled");
}
