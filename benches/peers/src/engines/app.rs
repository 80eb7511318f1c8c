//! An app of Bevy without a window, in which each update is one step.

use bevy::app::{TaskPoolOptions, TaskPoolThreadAssignmentPolicy};
use bevy::ecs::bundle::Bundle;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;

use super::Pose;

/// Steps of Bevy's fixed clock in a second [1/s].
const RATE: f64 = 60.0;

/// An app with so many compute threads, `None` is Bevy's default; the first app of a process decides.
pub fn headless(threads: Option<usize>) -> App {
    let mut app = App::new();
    let task_pool_options = threads.map_or_else(TaskPoolOptions::default, with_compute_threads);
    app.add_plugins((MinimalPlugins.set(TaskPoolPlugin { task_pool_options }), TransformPlugin))
        .insert_resource(Time::<Fixed>::from_hz(RATE))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

fn with_compute_threads(threads: usize) -> TaskPoolOptions {
    TaskPoolOptions {
        // One for files, one for long tasks.
        min_total_threads: threads + 2,
        compute: TaskPoolThreadAssignmentPolicy {
            min_threads: threads,
            max_threads: threads,
            percent: 1.0,
            on_thread_spawn: None,
            on_thread_destroy: None,
        },
        ..TaskPoolOptions::default()
    }
}

/// Ends the building of an app. Its first update, in which no time passes, is made here, without bodies.
pub fn ready(app: &mut App) {
    app.finish();
    app.cleanup();
    app.update();
}

/// Spawns a body with its pose.
pub fn spawn(app: &mut App, position: Vec3, rotation: Quat, bundle: impl Bundle) -> Entity {
    let transform = Transform { translation: position, rotation, scale: Vec3::ONE };
    app.world_mut().spawn((bundle, transform)).id()
}

/// Writes the pose of a body.
pub fn place(app: &mut App, entity: Entity, pose: &Pose) {
    if let Some(mut transform) = app.world_mut().get_mut::<Transform>(entity) {
        transform.translation = pose.position;
        transform.rotation = pose.rotation;
    }
}

/// Poses of bodies, from their `Transform`s.
pub fn poses(app: &App, entities: &[Entity]) -> Vec<Pose> {
    let pose = |&entity: &Entity| {
        let transform = app.world().get::<Transform>(entity).copied();
        let Transform { translation, rotation, .. } = transform.unwrap_or_default();
        Pose { position: translation, rotation }
    };
    entities.iter().map(pose).collect()
}
