//! Examples of avian3d 0.8.0, without what is drawn and without colliders on what hangs on joints.

use avian3d::prelude::*;
use bevy::prelude::*;

use crate::scene::{Pushed, Scene};

fn app(substeps: u32) -> App {
    let mut app = Scene::app();
    app.add_plugins(PhysicsPlugins::default()).insert_resource(SubstepCount(substeps));
    app
}

/// As many small steps as it takes unless told.
const DEFAULT: u32 = 6;

fn weight() -> impl Bundle {
    MassPropertiesBundle::from_shape(&Cuboid::from_length(1.0), 1.0)
}

pub fn revolute() -> Scene {
    let mut app = app(50);
    Scene::ready(&mut app);
    let world = app.world_mut();
    let hub = (RigidBody::Kinematic, AngularVelocity(Vec3::Z * 1.5), Transform::IDENTITY);
    let hub = world.spawn(hub).id();
    let place = Transform::from_xyz(0.0, -2.0, 0.0);
    let weight = world.spawn((place, RigidBody::Dynamic, weight())).id();
    world.spawn(
        RevoluteJoint::new(hub, weight)
            .with_local_anchor2(Vec3::Y * 2.0)
            .with_angle_limits(-1.0, 1.0),
    );
    Scene::new(app, vec![hub, weight])
}

/// Where the cubes of `cubes` are (m).
pub fn places() -> impl Iterator<Item = Vec3> {
    let all = (-2..2).flat_map(|x| (-2..2).flat_map(move |y| (-2..2).map(move |z| [x, y, z])));
    all.map(|[x, y, z]| Vec3::new(x as f32, y as f32 + 3.0, z as f32) * 2.05)
}

pub fn cubes() -> Scene {
    let mut app = app(DEFAULT);
    let push = |time: Res<Time>, mut cubes: Query<&mut LinearVelocity>| {
        for mut velocity in &mut cubes {
            velocity.x += 10.0 * time.delta_secs();
        }
    };
    app.add_systems(Update, push.run_if(resource_exists::<Pushed>));
    Scene::ready(&mut app);
    let world = app.world_mut();
    world.spawn((
        Transform::from_xyz(0.0, -2.0, 0.0).with_scale(Vec3::new(100.0, 1.0, 100.0)),
        RigidBody::Static,
        Collider::cuboid(1.0, 1.0, 1.0),
    ));
    let place = |place| Transform::from_translation(place).with_scale(Vec3::splat(2.0));
    let cube = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0));
    let cubes = places().map(|at| world.spawn((place(at), cube.clone())).id()).collect();
    Scene::new(app, cubes)
}

pub fn distance() -> Scene {
    spring(DEFAULT)
}

/// In very small steps.
pub fn distance_finely() -> Scene {
    spring(400)
}

fn spring(substeps: u32) -> Scene {
    let mut app = app(substeps);
    Scene::ready(&mut app);
    let world = app.world_mut();
    let hook = world.spawn((RigidBody::Static, Transform::IDENTITY)).id();
    let place = Transform::from_xyz(-2.0, -0.5, 0.0);
    let cube = world.spawn((place, RigidBody::Dynamic, weight())).id();
    world.spawn(
        DistanceJoint::new(hook, cube)
            .with_local_anchor2(Vec3::splat(0.5))
            .with_limits(1.5, 1.5)
            .with_compliance(1.0 / 400.0),
    );
    Scene::new(app, vec![hook, cube])
}
