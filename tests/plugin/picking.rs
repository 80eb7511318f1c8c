//! Pointers hit colliders.

use super::*;
use bevy_camera::Camera;
use bevy_ecs::message::Messages;
use bevy_math::Dir3;
use bevy_picking::backend::PointerHits;
use bevy_picking::backend::ray::{RayId, RayMap};
use bevy_picking::pointer::PointerId;
use bevy_picking::{Pickable, PickingSettings, PickingSystems};
use bevy_shape::Ray3d;

/// A ray through a camera, along -z from z = 10 m.
#[derive(Resource)]
struct Pointed(RayId);

fn point(pointed: Res<Pointed>, mut rays: ResMut<RayMap>) {
    let ray = Ray3d { origin: bevy_math::Vec3::Z * 10.0, direction: Dir3::NEG_Z };
    rays.map.insert(pointed.0, ray);
}

/// An app in which the mouse points along that ray.
fn picking_app() -> (App, Entity) {
    let mut app = App::new();
    // Bevy would fill the map of rays from windows.
    app.insert_resource(PickingSettings { is_input_enabled: false, ..PickingSettings::default() });
    app.init_resource::<RayMap>().add_message::<PointerHits>();
    let physics = (as_it_is(PhysicsPlugins::default()), PhysicsPickingPlugin);
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, physics));
    steps_each_update(&mut app, 1);
    let camera = spawn(&mut app, Camera { order: 3, ..Camera::default() });
    app.insert_resource(Pointed(RayId::new(camera, PointerId::Mouse)));
    app.add_systems(PreUpdate, point.before(PickingSystems::Backend));
    app.update();
    (app, camera)
}

/// What was hit last: entities with their depths.
fn hits(app: &mut App) -> Vec<(Entity, f32)> {
    app.world_mut().resource_mut::<Messages<PointerHits>>().clear();
    run(app, 1);
    let messages =
        app.world_mut().resource_mut::<Messages<PointerHits>>().drain().collect::<Vec<_>>();
    assert!(messages.len() <= 1, "one ray");
    messages
        .into_iter()
        .flat_map(|hit| hit.picks)
        .map(|(entity, hit)| (entity, hit.depth))
        .collect()
}

#[test]
fn a_pointer_hits_colliders_by_distance() {
    let (mut app, camera) = picking_app();
    let near = spawn(&mut app, (RigidBody::Static, cube(), at(0.0, 0.0, 2.0)));
    let far = spawn(&mut app, (cube(), at(0.2, 0.1, -3.0)));
    spawn(&mut app, (cube(), at(5.0, 0.0, 0.0)));
    let sensor = spawn(&mut app, (cube(), Sensor, at(0.0, 0.0, 5.0)));
    run(&mut app, 1);
    let found = hits(&mut app);
    assert_eq!(found.iter().map(|hit| hit.0).collect::<Vec<_>>(), [near, far]);
    for ((_, depth), expected) in found.iter().zip([7.5, 12.5]) {
        assert!((depth - expected).abs() < 1e-5, "{depth}");
    }
    app.world_mut().resource_mut::<Messages<PointerHits>>().clear();
    run(&mut app, 1);
    let message = app.world_mut().resource_mut::<Messages<PointerHits>>().drain().next();
    let message = message.expect("hit");
    assert_eq!((message.pointer, message.order), (PointerId::Mouse, 3.0));
    let hit = &message.picks[0].1;
    assert_eq!(hit.camera, camera);
    let (point, normal) = (hit.position.expect("known"), hit.normal.expect("known"));
    assert_near(from_single3(point), Vec3::Z * 2.5, 1e-5);
    assert_near(from_single3(normal), Vec3::Z, 1e-5);
    app.world_mut().entity_mut(camera).insert(PhysicsPickingFilter(SpatialQueryFilter::default()));
    assert_eq!(hits(&mut app)[0].0, sensor, "a filter lets sensors in");
}

#[test]
fn markers_and_pickable_say_who_takes_part() {
    let (mut app, camera) = picking_app();
    let near = spawn(&mut app, (cube(), at(0.0, 0.0, 2.0)));
    let far = spawn(&mut app, cube());
    run(&mut app, 1);
    app.world_mut().entity_mut(near).insert(Pickable::IGNORE);
    assert_eq!(hits(&mut app).iter().map(|hit| hit.0).collect::<Vec<_>>(), [far]);
    app.world_mut().entity_mut(near).remove::<Pickable>();
    app.world_mut().resource_mut::<PhysicsPickingSettings>().require_markers = true;
    assert!(hits(&mut app).is_empty(), "the camera has no marker");
    app.world_mut().entity_mut(camera).insert(PhysicsPickable);
    assert!(hits(&mut app).is_empty(), "the colliders have none");
    app.world_mut().entity_mut(far).insert(PhysicsPickable);
    assert_eq!(hits(&mut app).iter().map(|hit| hit.0).collect::<Vec<_>>(), [far]);
}

/// Rays of pointers are relative to the floating origin, hits are told so.
#[test]
fn a_pointer_hits_what_is_shown_wherever_the_origin_is() {
    let (mut app, _) = picking_app();
    without_gravity(&mut app);
    let box_ = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.0, 2.0)));
    run(&mut app, 1);
    assert_eq!(hits(&mut app), [(box_, 7.5)]);
    // The box is shown three metres nearer to the pointer, and then aside of it.
    for (to, expected) in [(Vec3::Z * -3.0, Some(4.5)), (Vec3::new(1024.0, 0.0, 0.0), None)] {
        app.world_mut().commands().queue(MoveOrigin(to));
        run(&mut app, 1);
        let found = hits(&mut app).first().map(|hit| hit.1);
        assert_eq!(found, expected, "origin at {to}");
    }
    // What is spawned in front of the pointer now is hit there, with the point as it is shown.
    let near = spawn(&mut app, (RigidBody::Static, cube(), at(0.0, 0.0, 4.0)));
    run(&mut app, 1);
    app.world_mut().resource_mut::<Messages<PointerHits>>().clear();
    run(&mut app, 1);
    let message = app.world_mut().resource_mut::<Messages<PointerHits>>().drain().next();
    let (hit, data) = &message.expect("it is hit").picks[0];
    assert_eq!((*hit, data.position), (near, Some(bevy_math::Vec3::new(0.0, 0.0, 4.5))));
}
