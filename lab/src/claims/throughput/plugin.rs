//! What the plugin adds to the engine, by the times of the stages that are not the engine's.

use bevy_app::{App, TaskPoolPlugin};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Double, Vec3};
use orthant::prelude::*;

use super::{at_most, median, seconds, times_at_most};
use crate::claims::Claims;
use crate::counting::allocations;

/// What the plugin may add to a step, at 2 000 bodies and in an empty world (s).
const BAR: Double = 1e-4;

pub fn measure(claims: &mut Claims) {
    fixed_cost(claims);
    bodies(claims);
    sleeping(claims);
    other_entities(claims);
    spawning(claims);
    steady_steps(claims);
}

/// An app that takes one step an update.
fn app_without_physics() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

fn app() -> App {
    let mut app = app_without_physics();
    app.add_plugins((PhysicsPlugins::default(), PhysicsDiagnosticsPlugin));
    app.update();
    app
}

fn update(app: &mut App, updates: usize) {
    (0..updates).for_each(|_| app.update());
}

/// A square of cubes, `gap` (m) apart, their lower sides at `height` (m).
fn cubes(count: usize, gap: f32, height: f32) -> impl Iterator<Item = Transform> {
    let side = (count as Double).sqrt().ceil() as usize;
    let at = move |i: usize| (1.0 + gap) * i as f32;
    (0..count).map(move |i| Transform::from_xyz(at(i % side), 0.5 + height, at(i / side)))
}

fn ground(app: &mut App) {
    app.world_mut().spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
}

/// Cubes that fly and turn, none of which meets another.
fn flying(count: usize) -> App {
    let mut app = app();
    app.insert_resource(Gravity::ZERO);
    let motion = (LinearVelocity(Vec3::Y * 0.5), AngularVelocity(Vec3::Y * 0.1));
    for place in cubes(count, 2.0, 0.0) {
        app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), place, motion));
    }
    update(&mut app, 20);
    app
}

/// Cubes on the ground.
fn lying(count: usize, sleep: bool) -> App {
    let mut app = app();
    ground(&mut app);
    app.world_mut().resource_mut::<SleepConfig>().enabled = sleep;
    for place in cubes(count, 0.5, 0.0) {
        app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), place));
    }
    update(&mut app, if sleep { 100 } else { 40 });
    app
}

/// Median time (s) of the stages that are not the engine's.
fn added(app: &mut App, updates: usize) -> Double {
    let mut time = || {
        app.update();
        let times = app.world().resource::<StageTimes>();
        (times.total() - times.engine()).as_secs_f64()
    };
    median((0..updates).map(|_| time()).collect())
}

fn fixed_cost(claims: &mut Claims) {
    let mut with = app_without_physics();
    with.add_plugins(PhysicsPlugins::default());
    let mut apps = [with, app_without_physics()];
    apps.iter_mut().for_each(|app| update(app, 100));
    let [mut with, mut without] = [Vec::new(), Vec::new()];
    for _ in 0..2000 {
        with.push(seconds(|| apps[0].update()));
        without.push(seconds(|| apps[1].update()));
    }
    let cost = median(with) - median(without);
    at_most(claims, "an update of an empty world, over one without", cost, BAR);
}

fn bodies(claims: &mut Claims) {
    at_most(claims, "the plugin, 2000 bodies that fly", added(&mut flying(2000), 200), BAR);
    let mut app = lying(2000, false);
    at_most(claims, "the plugin, 2000 bodies at rest, awake", added(&mut app, 60), BAR);
    let mut app = lying(2000, true);
    at_most(claims, "the plugin, 2000 bodies asleep", added(&mut app, 60), BAR);
}

fn sleeping(claims: &mut Claims) {
    let mut app = lying(10_000, true);
    let motion = (LinearVelocity(Vec3::new(0.2, 0.0, 0.2)), GravityScale(0.0));
    let place = Transform::from_xyz(0.0, 50.0, 0.0);
    app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), place, motion));
    update(&mut app, 5);
    let cost = added(&mut app, 60);
    let asleep = app.world().resource::<StepReport>().sleeping == 10_000;
    let cost = if asleep { cost } else { Double::NAN };
    at_most(claims, "10 000 asleep, one moves: plugin", cost, BAR);
}

/// Entities without physics are not looked at.
fn other_entities(claims: &mut Claims) {
    let mut apps = [flying(500), flying(500)];
    for place in cubes(100_000, 2.0, 0.0) {
        apps[1].world_mut().spawn(place);
    }
    let [mut with, mut without] = [Vec::new(), Vec::new()];
    for _ in 0..20 {
        without.push(added(&mut apps[0], 20));
        with.push(added(&mut apps[1], 20));
    }
    let ratio = median(with) / median(without);
    times_at_most(claims, "the plugin with 100 000 entities without physics", ratio, 1.1);
}

/// A thousand cubes come in one frame, at rest on the ground: commands and the first update, beside a steady
/// update.
fn spawning(claims: &mut Claims) {
    let mut firsts = Vec::new();
    let mut steady = Vec::new();
    for _ in 0..7 {
        let mut app = app();
        ground(&mut app);
        app.world_mut().resource_mut::<SleepConfig>().enabled = false;
        update(&mut app, 5);
        firsts.push(seconds(|| {
            for place in cubes(1000, 0.5, 0.0) {
                app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), place));
            }
            app.update();
        }));
        update(&mut app, 20);
        steady.push(median((0..20).map(|_| seconds(|| app.update())).collect()));
    }
    let (first, steady) = (median(firsts), median(steady));
    eprintln!("    1000 cubes: {:.2} ms to spawn them, {:.2} ms steady", 1e3 * first, 1e3 * steady);
    let ratio = first / steady;
    times_at_most(claims, "1000 cubes spawned, beside a steady update of them", ratio, 3.0);
}

/// The schedule of physics allocates nothing in a steady step.
fn steady_steps(claims: &mut Claims) {
    let mut app = lying(400, false);
    update(&mut app, 200);
    let made = allocations(60, || app.world_mut().run_schedule(PhysicsSchedule));
    claims.add("allocations in 60 steps of the schedule", &made.to_string(), "0", made == 0);
}
