//! A steady step does not allocate.

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3, cos, sin};
use orthant_lab::counting::{Counting, allocations};
use orthant_lab::random::Rng;
use orthant_lab::support::{DT, add, heap, run, stack};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_counter_counts() {
    let made = allocations(3, || drop(std::hint::black_box(Box::new(1_u64))));
    assert_eq!(made, 3, "one box each");
}

/// Balls, capsules and boxes on hills.
fn hills() -> Simulation {
    let height = |i: u8, k: u8| 0.4 * sin(Real::from(i)) * cos(0.8 * Real::from(k));
    let heights: Vec<Vec<Real>> =
        (0..17).map(|i| (0..17).map(|k| height(i, k)).collect()).collect();
    let field = Shape::heightfield(&heights, Vec3::new(16.0, 1.0, 16.0)).expect("a field");
    let mut world = Simulation::new();
    add(&mut world, BodyKind::Static, field, Vec3::ZERO);
    let mut rng = Rng::new(1);
    for i in 0..12 {
        let shape = match i % 3 {
            0 => Shape::sphere(0.3),
            1 => Shape::capsule(0.2, 0.5),
            _ => Shape::cuboid(0.5, 0.4, 0.6),
        };
        let at = Vec3::new(rng.range(-3.0, 3.0), 1.0, rng.range(-3.0, 3.0));
        let id = add(&mut world, BodyKind::Dynamic, shape.expect("a shape"), at);
        // What rolls to and fro comes to new triangles.
        let body = world.body_mut(id).expect("it was added");
        (body.linear_damping, body.angular_damping) = (3.0, 3.0);
    }
    run(&mut world, 1500);
    world
}

#[test]
fn steady_steps_do_not_allocate() {
    for method in [Method::Auto, Method::Newton, Method::Pgs] {
        let mut settings = Settings::default();
        settings.solver.method = method;
        // Enough sweeps for Gauss–Seidel to bring a stack to rest: with fewer it trembles, and a pair that
        // gets a fifth contact needs memory.
        settings.solver.sweeps_max = 2000;
        for (name, mut world) in [("stack", stack(8).0), ("heap", heap(12).0), ("hills", hills())] {
            // Long enough for everything to be used once: a solver that others fall back on makes its
            // buffers when it is first needed.
            for _ in 0..2000 {
                world.step(&settings, DT);
            }
            let made = allocations(60, || {
                world.step(&settings, DT);
            });
            assert_eq!(made, 0, "{name}, {method:?}: {made} allocations in 60 steps");
        }
    }
}

/// With a pool at hand, too, as what is at rest is not worth a task.
#[cfg(feature = "bevy")]
#[test]
fn the_schedule_allocates_nothing_for_what_is_at_rest() {
    use bevy_app::{App, TaskPoolPlugin};
    use bevy_time::{TimePlugin, TimeUpdateStrategy};
    use bevy_transform::components::Transform;
    use orthant::prelude::*;

    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, PhysicsPlugins::default()));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.world_mut().spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    app.world_mut().resource_mut::<SleepConfig>().enabled = false;
    for i in 0..400_u16 {
        let place = Transform::from_xyz(1.5 * f32::from(i % 20), 0.5, 1.5 * f32::from(i / 20));
        app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), place));
    }
    (0..200).for_each(|_| app.update());
    assert_eq!(app.world().resource::<StepReport>().contacts, 1600, "all lie and are awake");
    let made = allocations(60, || app.world_mut().run_schedule(PhysicsSchedule));
    assert_eq!(made, 0, "{made} allocations in 60 steps");
}
