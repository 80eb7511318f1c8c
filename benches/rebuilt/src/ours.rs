//! The examples in Orthant, as in `gallery/examples` without what is drawn.

use bevy::prelude::*;
use orthant::prelude::*;

use crate::scene::{Pushed, Scene, Told};

fn app() -> App {
    let mut app = Scene::app();
    app.add_plugins(PhysicsPlugins::default());
    Scene::ready(&mut app);
    app
}

fn weight() -> impl Bundle {
    MassPropertiesBundle::from_shape(Cuboid::from_length(1.0), 1.0)
}

pub fn revolute() -> Scene {
    let mut app = app();
    let world = app.world_mut();
    let hub = (RigidBody::Kinematic, AngularVelocity(Vec3::Z * 1.5), Transform::IDENTITY);
    let hub = world.spawn(hub).id();
    let place = Transform::from_xyz(0.0, -2.0, 0.0);
    let weight = world.spawn((place, RigidBody::Dynamic, weight())).id();
    world.spawn(
        Joint::revolute(hub, weight)
            .with_anchors(Vec3::ZERO, Vec3::Y * 2.0)
            .with_axis(Vec3::Z)
            .with_limits(-1.0, 1.0),
    );
    Scene::new(app, vec![hub, weight])
}

pub fn cubes() -> Scene {
    let mut app = Scene::app();
    app.add_plugins(PhysicsPlugins::default());
    let push = |mut cubes: Query<Forces>| {
        for mut forces in &mut cubes {
            forces.apply_linear_acceleration(Vec3::X * 10.0);
        }
    };
    app.add_systems(FixedUpdate, push.run_if(resource_exists::<Pushed>));
    Scene::ready(&mut app);
    let world = app.world_mut();
    world.spawn((
        Transform::from_xyz(0.0, -2.0, 0.0).with_scale(Vec3::new(100.0, 1.0, 100.0)),
        Collider::cuboid(1.0, 1.0, 1.0),
    ));
    let place = |place| Transform::from_translation(place).with_scale(Vec3::splat(2.0));
    let cube = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0));
    let cubes = crate::avian::places().map(|at| world.spawn((place(at), cube.clone())).id());
    let cubes = cubes.collect();
    Scene::new(app, cubes)
}

pub fn distance() -> Scene {
    let mut app = app();
    let world = app.world_mut();
    let hook = world.spawn((RigidBody::Static, Transform::IDENTITY)).id();
    let place = Transform::from_xyz(-2.0, -0.5, 0.0);
    let cube = world.spawn((place, RigidBody::Dynamic, weight())).id();
    world.spawn(
        Joint::distance(hook, cube, 1.5)
            .with_anchors(Vec3::ZERO, Vec3::splat(0.5))
            .with_spring(400.0, 0.0),
    );
    Scene::new(app, vec![hook, cube])
}

pub fn boxes() -> Scene {
    let mut app = app();
    let world = app.world_mut();
    world.spawn((Collider::cuboid(400.2, 0.2, 400.2), Transform::from_xyz(0.0, -0.1, 0.0)));
    let mut boxes = Vec::new();
    for place in crate::rapier::places() {
        let parent = world.spawn(Transform::from_rotation(Quat::from_rotation_x(0.2))).id();
        let falling = (RigidBody::Dynamic, Collider::cuboid(2.0, 2.0, 2.0));
        let falling = (Transform::from_translation(place), falling, ChildOf(parent));
        boxes.push(world.spawn(falling).id());
    }
    Scene::new(app, boxes)
}

fn count(
    mut starts: MessageReader<CollisionStart>,
    mut ends: MessageReader<CollisionEnd>,
    mut impulses: MessageReader<ContactImpulse>,
    mut told: ResMut<Told>,
) {
    told.starts += starts.read().count() as u32;
    told.ends += ends.read().count() as u32;
    for told_of in impulses.read() {
        told.blows += 1;
        told.impulse = told.impulse.max(told_of.impact.normal_impulse);
    }
}

pub fn events() -> Scene {
    let mut app = Scene::app();
    app.add_plugins(PhysicsPlugins::default()).add_systems(PostUpdate, count);
    Scene::ready(&mut app);
    let world = app.world_mut();
    world.spawn((Transform::from_xyz(0.0, -1.2, 0.0), Collider::cuboid(8.0, 2.0, 2.0)));
    let sensor = (Collider::cuboid(8.0, 3.0, 2.0), Sensor);
    world.spawn((Transform::from_xyz(0.0, 5.0, 0.0), sensor));
    let cube = (
        Transform::from_xyz(0.0, 13.0, 0.0),
        RigidBody::Dynamic,
        Collider::cuboid(1.0, 1.0, 1.0),
        CollisionEventsEnabled,
        ContactImpulseThreshold(0.5),
    );
    let cube = world.spawn(cube).id();
    Scene::new(app, vec![cube])
}

pub fn locked() -> Scene {
    let mut app = app();
    let world = app.world_mut();
    world.spawn((Transform::from_xyz(0.0, -0.1, 0.0), Collider::cuboid(10.0, 0.2, 10.0)));
    let plate = (
        Transform::from_xyz(0.0, 3.0, 0.0),
        RigidBody::Dynamic,
        LockedAxes::TRANSLATION_LOCKED.lock_rotation_y().lock_rotation_z(),
        Collider::cuboid(0.4, 1.2, 4.0),
    );
    let falling = (
        Transform::from_xyz(0.0, 5.0, 0.0).with_rotation(Quat::from_rotation_x(1.0)),
        RigidBody::Dynamic,
        LockedAxes::ROTATION_LOCKED,
        Collider::cuboid(1.2, 0.8, 0.8),
    );
    let bodies = vec![world.spawn(plate).id(), world.spawn(falling).id()];
    Scene::new(app, bodies)
}
