//! Examples of bevy_rapier3d 0.37.0, without what is drawn.

use bevy::prelude::*;
use bevy_rapier3d::plugin::context::RapierRigidBodySet;
use bevy_rapier3d::prelude::*;

use crate::scene::{DT, Scene, Told};

fn app() -> App {
    let mut app = Scene::app();
    app.add_plugins(RapierPhysicsPlugin::<NoUserData>::default())
        .insert_resource(TimestepMode::Fixed { dt: DT, substeps: 1 });
    app
}

/// The pose that the engine has of a body; none before the first step. The `GlobalTransform`s of children
/// of entities that are turned are others in this app.
fn pose(world: &World, body: Entity) -> GlobalTransform {
    let handle = world.get::<RapierRigidBodyHandle>(body);
    let sets = world.try_query::<&RapierRigidBodySet>();
    let body = handle.zip(sets).and_then(|(handle, mut sets)| {
        sets.single(world).ok().and_then(|set| set.bodies.get(handle.0))
    });
    let Some(body) = body else { return GlobalTransform::IDENTITY };
    Transform { translation: body.translation(), rotation: *body.rotation(), ..Transform::IDENTITY }
        .into()
}

fn scene(app: App, bodies: Vec<Entity>) -> Scene {
    Scene { pose, ..Scene::new(app, bodies) }
}

/// Where the boxes of `boxes3` are in the frames of their parents (m).
pub fn places() -> impl Iterator<Item = Vec3> {
    let (count, apart) = (8, 3.0);
    let middle = apart * (count / 2) as f32;
    (0..20).flat_map(move |j| {
        let offset = -(count as f32) * apart * 0.5 - 0.05 * (count as f32 - 1.0) * j as f32;
        (0..count).flat_map(move |i| {
            (0..count).map(move |k| {
                let x = i as f32 * apart - middle + offset;
                let z = k as f32 * apart - middle + offset;
                Vec3::new(x, j as f32 * apart + 0.5 * apart + 3.0, z)
            })
        })
    })
}

pub fn boxes() -> Scene {
    let mut app = app();
    Scene::ready(&mut app);
    let world = app.world_mut();
    world.spawn((Transform::from_xyz(0.0, -0.1, 0.0), Collider::cuboid(200.1, 0.1, 200.1)));
    let mut boxes = Vec::new();
    for place in places() {
        let parent = world.spawn(Transform::from_rotation(Quat::from_rotation_x(0.2))).id();
        let falling = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0));
        let falling = (Transform::from_translation(place), falling, ChildOf(parent));
        boxes.push(world.spawn(falling).id());
    }
    scene(app, boxes)
}

fn count(
    mut collisions: MessageReader<CollisionEvent>,
    mut forces: MessageReader<ContactForceEvent>,
    mut told: ResMut<Told>,
) {
    for collision in collisions.read() {
        match collision {
            CollisionEvent::Started(..) => told.starts += 1,
            CollisionEvent::Stopped(..) => told.ends += 1,
        }
    }
    for force in forces.read() {
        told.blows += 1;
        told.impulse = told.impulse.max(force.total_force_magnitude * DT);
    }
}

pub fn events() -> Scene {
    let mut app = app();
    app.add_systems(Last, count);
    Scene::ready(&mut app);
    let world = app.world_mut();
    world.spawn((Transform::from_xyz(0.0, -1.2, 0.0), Collider::cuboid(4.0, 1.0, 1.0)));
    world.spawn((Transform::from_xyz(0.0, 5.0, 0.0), Collider::cuboid(4.0, 1.5, 1.0), Sensor));
    let cube = (
        Transform::from_xyz(0.0, 13.0, 0.0),
        RigidBody::Dynamic,
        Collider::cuboid(0.5, 0.5, 0.5),
        ActiveEvents::COLLISION_EVENTS,
        ContactForceEventThreshold(30.0),
    );
    let cube = world.spawn(cube).id();
    scene(app, vec![cube])
}

pub fn locked() -> Scene {
    let mut app = app();
    Scene::ready(&mut app);
    let world = app.world_mut();
    world.spawn((Transform::from_xyz(0.0, -0.1, 0.0), Collider::cuboid(5.0, 0.1, 5.0)));
    let plate = (
        Transform::from_xyz(0.0, 3.0, 0.0),
        RigidBody::Dynamic,
        LockedAxes::TRANSLATION_LOCKED
            | LockedAxes::ROTATION_LOCKED_Y
            | LockedAxes::ROTATION_LOCKED_Z,
        Collider::cuboid(0.2, 0.6, 2.0),
    );
    let falling = (
        Transform::from_xyz(0.0, 5.0, 0.0).with_rotation(Quat::from_rotation_x(1.0)),
        RigidBody::Dynamic,
        LockedAxes::ROTATION_LOCKED,
        Collider::cuboid(0.6, 0.4, 0.4),
    );
    let bodies = vec![world.spawn(plate).id(), world.spawn(falling).id()];
    scene(app, bodies)
}
