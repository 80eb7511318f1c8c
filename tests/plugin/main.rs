//! The plugin: components in, the engine's motion out, nothing lost and no panic.
#![cfg(feature = "bevy")]

mod change;
mod chaos;
mod character;
mod colliders;
mod collision;
mod coupled;
#[cfg(feature = "debug")]
mod debug;
#[cfg(feature = "debug")]
mod debug_joints;
mod diagnostics;
mod errors;
mod force;
mod helpers;
mod hostile;
mod idle;
mod interpolation;
mod joint_life;
mod joints;
#[cfg(feature = "serialize")]
mod kept;
mod layers;
mod life;
mod mass;
mod material;
#[cfg(feature = "mesh")]
mod mesh;
mod mirror;
mod order;
mod origin;
mod overlap;
#[cfg(feature = "panel")]
mod panel;
#[cfg(feature = "picking")]
mod picking;
mod quasistatic;
mod reflection;
mod scale;
mod scenes;
mod shapes;
mod skeleton;
mod sleep;
mod snapshot;
mod spatial;
mod sync;
mod threads;
mod time;
#[cfg(feature = "urdf")]
mod urdf;
mod vehicle;
mod voxels;
mod worlds;

use bevy_app::PluginGroupBuilder;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use orthant::engine::body::Body;
use orthant::math::{Quat, Real, Vec3, from_single3, single3};
use orthant::plugin::*;
use orthant_lab::random::Rng;
use orthant_lab::support;

/// An app that takes one step an update.
fn app() -> App {
    app_with(PhysicsPlugins::default())
}

fn app_with(physics: PhysicsPlugins) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, as_it_is(physics)));
    steps_each_update(&mut app, 1);
    // The first update of an app only starts the clock.
    app.update();
    app
}

/// Bodies are where they are after steps, not where they are shown between them, with the feature
/// `interpolation`, too; what that does, `interpolation.rs` looks at.
fn as_it_is(physics: PhysicsPlugins) -> PluginGroupBuilder {
    physics.set(PhysicsInterpolationPlugin::by_component())
}

fn steps_each_update(app: &mut App, steps: u32) {
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(steps));
}

fn run(app: &mut App, updates: usize) {
    for _ in 0..updates {
        app.update();
    }
}

fn at(x: f32, y: f32, z: f32) -> Transform {
    Transform::from_xyz(x, y, z)
}

fn cube() -> Collider {
    Collider::cuboid(1.0, 1.0, 1.0)
}

fn spawn(app: &mut App, bundle: impl Bundle) -> Entity {
    app.world_mut().spawn(bundle).id()
}

/// A static floor with its surface at y = 0.
fn floor(app: &mut App) -> Entity {
    spawn(app, (RigidBody::Static, Collider::half_space(Vec3::Y)))
}

/// A cube on the floor below a lid that is led 1 cm into it: only contacts that give way solve that.
#[cfg(any(feature = "debug", feature = "panel"))]
fn squeeze(app: &mut App) {
    floor(app);
    spawn(app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0), SleepingDisabled));
    spawn(app, (RigidBody::Kinematic, cube(), at(0.0, 1.49, 0.0)));
}

/// A weightless world has no gravity.
fn without_gravity(app: &mut App) {
    app.insert_resource(Gravity::ZERO);
}

fn position(app: &App, entity: Entity) -> Vec3 {
    let transform = app.world().get::<Transform>(entity).expect("the entity has a transform");
    from_single3(transform.translation)
}

fn velocity(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<LinearVelocity>(entity).expect("the entity is a body").0
}

fn physics(app: &App) -> &PhysicsWorld {
    app.world().resource::<PhysicsWorld>()
}

/// The engine's body of an entity.
fn body(app: &App, entity: Entity) -> Option<&Body> {
    let link = app.world().get::<EngineBody>(entity)?;
    physics(app).engine().body(link.id()?)
}

fn bodies(app: &App) -> usize {
    physics(app).engine().bodies().len()
}

fn report(app: &App) -> &StepReport {
    app.world().resource::<StepReport>()
}

#[track_caller]
fn assert_near(value: Vec3, expected: Vec3, tolerance: Real) {
    let apart = (value - expected).length();
    assert!(apart <= tolerance, "{value} is not {expected}: {apart} apart");
}

/// Messages of collisions since they were last taken, in their order, each entity by its place in a list.
fn collisions(app: &mut App, entities: &[Entity]) -> Vec<String> {
    let place = |entity: Entity| entities.iter().position(|&known| known == entity);
    let world = app.world_mut();
    let starts: Vec<_> = world.resource_mut::<Messages<CollisionStart>>().drain().collect();
    let ends: Vec<_> = world.resource_mut::<Messages<CollisionEnd>>().drain().collect();
    let starts = starts.into_iter().map(|told| {
        let bodies = [told.body1, told.body2].map(|body| body.and_then(place));
        let colliders = [told.entity, told.collider1, told.collider2].map(place);
        format!("start {colliders:?} {bodies:?} {:?}", told.impact)
    });
    let ends = ends.into_iter().map(|told| {
        let bodies = [told.body1, told.body2].map(|body| body.and_then(place));
        format!("end {:?} {bodies:?}", [told.entity, told.collider1, told.collider2].map(place))
    });
    starts.chain(ends).collect()
}

/// Errors told since they were last read, by a buffer that keeps all of them.
#[derive(Resource, Default)]
struct Told(Vec<PhysicsError>);

fn listen(app: &mut App) {
    app.init_resource::<Told>();
    app.add_observer(|on: On<PhysicsError>, mut told: ResMut<Told>| told.0.push(on.clone()));
}

fn told(app: &mut App) -> Vec<PhysicsError> {
    std::mem::take(&mut app.world_mut().resource_mut::<Told>().0)
}
