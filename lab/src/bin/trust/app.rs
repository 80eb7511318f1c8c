//! What many bodies that go at once, and going back, cost in an app. Without Bevy's threads all of it is on
//! this one.

use std::time::Duration;

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use orthant::engine::Simulation;
use orthant::math::{Vec3, single3, widen};
use orthant::prelude::*;
use orthant_lab::support::DT;

use super::load::{LONGER, RUNS};
use super::{Verdict, field, median, scenes_of_rollback, spread, timed, within_a_frame};

/// An app with the boxes of a world, that takes one step an update.
fn app(world: &Simulation) -> (App, Vec<Entity>) {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin));
    app.add_plugins(PhysicsPlugins::default());
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    let step = Duration::from_secs_f64(widen(DT));
    app.world_mut().resource_mut::<Time<Fixed>>().set_timestep(step);
    // The first update only starts the clock.
    app.update();
    app.world_mut().spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    let cube = Collider::cuboid(1.0, 1.0, 1.0);
    let boxes = world.bodies().iter().skip(1).map(|body| {
        let place = Transform::from_translation(single3(body.position()));
        app.world_mut().spawn((RigidBody::Dynamic, cube.clone(), place)).id()
    });
    let boxes = boxes.collect();
    (app, boxes)
}

fn update(app: &mut App, updates: usize) {
    (0..updates).for_each(|_| app.update());
}

/// Times (ms) of despawning each fifth of so many who sleep, of the update after it, and of all ten updates.
fn despawned(count: u32, verdict: &mut Verdict) -> [f64; 3] {
    let (mut app, boxes) = app(&field(count));
    update(&mut app, 90);
    let world = app.world_mut();
    let asleep = world.resource::<StepReport>().sleeping;
    verdict.ask(asleep == count, || format!("in an app {asleep} of {count} boxes sleep"));
    let gone: Vec<Entity> = boxes.iter().copied().step_by(5).collect();
    let (removal, all) = timed(|| gone.iter().all(|&entity| world.despawn(entity)));
    let times: Vec<f64> = (0..10).map(|_| timed(|| app.update()).0).collect();
    let left = app.world().resource::<PhysicsWorld>().engine().bodies().len() - 1;
    let wanted = boxes.len() - gone.len();
    verdict.ask(all && left == wanted, || format!("{left} boxes are left, not {wanted}"));
    [removal, times[0], removal + times.iter().sum::<f64>()]
}

/// Lines of apps in which bodies are despawned, each but the first of twice as many, and judged.
pub(super) fn despawns(verdict: &mut Verdict) {
    println!(
        "| asleep in an app | despawned | despawning (ms) | the update after it (ms) | all, with ten \
         updates (ms) | growth |"
    );
    println!("|---|---|---|---|---|---|");
    let mut half: Option<[f64; 3]> = None;
    for count in [12_500, 25_000, 50_000] {
        let mut times = despawned(count, verdict);
        for _ in 1..RUNS {
            let other = despawned(count, verdict);
            (0..3).for_each(|k| times[k] = times[k].min(other[k]));
        }
        let growth = half.map(|half| {
            let growth = [0, 1, 2].map(|k| times[k] / half[k]);
            for (what, times) in
                ["despawning", "the update after it", "all of it"].iter().zip(growth)
            {
                let what = format!("{what}, a fifth of {count} in an app, by that of half as many");
                verdict.at_most(&what, times, LONGER);
            }
            growth.map(|times| format!("{times:.2}")).join(", ")
        });
        let [removal, first, all] = times;
        println!(
            "| {count} | {} | {removal:.2} | {first:.1} | {all:.0} | {} |",
            count.div_ceil(5),
            growth.unwrap_or_default()
        );
        half = Some(times);
    }
}

/// Going back eight frames and making them anew in an app, with 1 000 bodies.
pub(super) fn rollback(verdict: &mut Verdict) {
    println!(
        "| 1 000 boxes in an app | copy (ms) | putting back (ms) | back, and 8 updates: median, slowest \
         (ms) | an update (ms) |"
    );
    println!("|---|---|---|---|---|");
    for (name, world, before) in scenes_of_rollback() {
        let (mut app, _) = app(&world);
        update(&mut app, before);
        let [mut copying, mut putting, mut back, mut updates] = [const { Vec::new() }; 4];
        for _ in 0..9 {
            let (time, copy) = timed(|| PhysicsCopy::take(app.world_mut()).expect("between steps"));
            copying.push(time);
            updates.extend((0..8).map(|_| timed(|| app.update()).0));
            let then = heights(&app);
            let (put, ()) = timed(|| copy.restore(app.world_mut()).expect("between steps"));
            putting.push(put);
            back.push(put + timed(|| update(&mut app, 8)).0);
            verdict.ask(then == heights(&app), || format!("{name}: other steps come again"));
        }
        let back = spread(back);
        within_a_frame(&format!("{name}, in an app"), back[0], verdict);
        println!(
            "| {name} | {:.1} | {:.1} | {:.1}, {:.1} | {:.2} |",
            median(copying),
            median(putting),
            back[0],
            back[1],
            median(updates)
        );
    }
}

/// How high all bodies are (m).
fn heights(app: &App) -> Vec<orthant::math::Real> {
    let bodies = app.world().resource::<PhysicsWorld>().engine().bodies();
    bodies.iter().map(|body| body.position().y).collect()
}
