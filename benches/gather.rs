//! What the plugin adds to a step: components read and written, 2000 bodies.
//!
//! Times are those of the stages `Gather` and `Scatter`, as the plugin's own diagnostics have them:
//! `moving`, where each body has another pose and velocity after each step; `asleep`, where none has;
//! `moved`, where a user writes each `Transform` before the step.

#![allow(missing_docs, reason = "a program")]

use std::time::Duration;

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use orthant::math::Vec3;
use orthant::prelude::*;

const BODIES: u16 = 2000;

/// Cubes apart from each other, weightless, with this velocity [m/s].
fn app(velocity: Vec3) -> App {
    let mut app = App::new();
    let physics = (PhysicsPlugins::default(), PhysicsDiagnosticsPlugin);
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, physics));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.insert_resource(Gravity::ZERO);
    for i in 0..BODIES {
        let place = Transform::from_xyz(3.0 * f32::from(i % 45), 0.0, 3.0 * f32::from(i / 45));
        let motion = (LinearVelocity(velocity), AngularVelocity(velocity));
        app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), place, motion));
    }
    (0..100).for_each(|_| app.update());
    app
}

/// What the stages of the plugin take in one update.
fn update(app: &mut App) -> Duration {
    app.update();
    let times = app.world().resource::<StageTimes>();
    times.of(StepStage::Gather) + times.of(StepStage::Scatter)
}

/// Moves every body a bit aside.
fn push(app: &mut App) {
    let mut places = app.world_mut().query_filtered::<&mut Transform, With<RigidBody>>();
    for mut place in places.iter_mut(app.world_mut()) {
        place.translation.y += 1e-3;
    }
}

fn gather(c: &mut Criterion) {
    let mut group = c.benchmark_group("gather");
    group.sample_size(20).throughput(Throughput::Elements(BODIES.into()));
    for (name, velocity, pushes) in
        [("moving", Vec3::Y, false), ("asleep", Vec3::ZERO, false), ("moved", Vec3::Y, true)]
    {
        let mut app = app(velocity * 0.2);
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter_custom(|updates| {
                let mut time = Duration::ZERO;
                for _ in 0..updates {
                    if pushes {
                        push(&mut app);
                    }
                    time += update(&mut app);
                }
                time
            });
        });
    }
    group.finish();
}

criterion_group!(benches, gather);
criterion_main!(benches);
