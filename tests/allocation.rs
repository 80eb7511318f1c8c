//! A steady step does not allocate.

use std::hint::black_box;

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3, cos, sin};
use orthant::snapshot::Snapshot;
use orthant_lab::counting::{Counting, allocations, most_bytes};
use orthant_lab::hostile::{HEAD, with_checksum};
use orthant_lab::random::Rng;
use orthant_lab::support::moving::scenes;
use orthant_lab::support::{DT, add, heap, run, stack};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_counter_counts() {
    let made = allocations(3, || drop(black_box(Box::new(1_u64))));
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
            for step in 0..60 {
                let made = allocations(1, || _ = world.step(&settings, DT));
                // Sweeps alone may end unsolved: what jams is told, for which the same is taken again.
                let told = match method {
                    Method::Pgs => allocations(1, || _ = black_box(world.jams(&settings))),
                    _ => 0,
                };
                assert_eq!(made, told, "{name}, {method:?}: {made} allocations in step {step}");
            }
        }
    }
}

#[test]
fn the_counter_knows_the_most() {
    let most = most_bytes(|| {
        drop(black_box(vec![0_u8; 3000]));
        drop(black_box(vec![0_u8; 2000]));
    });
    assert!((3000..3100).contains(&most), "{most} bytes at one time");
}

/// Bytes of a snapshot that lie, with a checksum that fits: those that say that lists are as long as a number
/// can tell, damaged ones, random ones.
fn liars() -> impl Iterator<Item = Vec<u8>> {
    let mut rng = Rng::new(31);
    let sound = scenes().into_iter().map(|scene| {
        let mut world = scene.world;
        (0..20).for_each(|_| _ = world.step(&scene.settings, DT));
        world.snapshot().expect("between steps").to_bytes()
    });
    let damaged = move |bytes: Vec<u8>| {
        let mut list = vec![bytes.clone()];
        for round in 0..300 {
            let mut other = bytes.clone();
            for _ in 0..=round % 2 {
                let at = HEAD + rng.below(bytes.len() - HEAD);
                // Four thousand million, or any number of a byte.
                let long = [0xff, 0xff, 0xff, 0xff, 0x0f];
                match round % 3 {
                    0 => other.splice(at..(at + 5).min(other.len()), long).for_each(drop),
                    1 => other.splice(at..=at, long).for_each(drop),
                    _ => other[at] = rng.below(256) as u8,
                }
            }
            list.push(other);
            let random = (0..rng.below(4000)).map(|_| rng.below(256) as u8);
            list.push(bytes[..HEAD].iter().copied().chain(random).collect());
        }
        list
    };
    sound.flat_map(damaged).map(with_checksum)
}

/// Most memory that reading and restoring bytes takes at one time, for each of them.
fn memory(bytes: &[u8]) -> f64 {
    let most = most_bytes(|| {
        let restored =
            Snapshot::from_bytes(bytes).and_then(|snapshot| Simulation::new().restore(&snapshot));
        drop(black_box(restored));
    });
    most as f64 / bytes.len() as f64
}

/// Two cubes of which a snapshot says that thousands of their pieces meet, which they do not have: what takes
/// most memory for its bytes.
fn pairs_of_nothing() -> Vec<u8> {
    let mut world = stack(2).0;
    world.step(&Settings::default(), DT);
    let snapshot = world.snapshot().expect("between steps");
    let mut data = serde_json::to_value(&snapshot).expect("numbers");
    let pairs = data["pairs"].as_array_mut().expect("a list");
    assert_eq!(pairs.len(), 2, "the floor and a cube, and two cubes");
    for k in 0..4000_u32 {
        let mut pair = pairs[1].clone();
        pair["steps"] = [0, 1].into();
        pair["pieces"] = [k / 100, k % 100 + 1].into();
        pair["contacts"] = serde_json::json!([]);
        pairs.push(pair);
    }
    let lie: Snapshot = serde_json::from_value(data).expect("of the same form");
    lie.to_bytes()
}

/// Memory is taken for what bytes hold, not for what they say they hold: at most two hundred bytes for each
/// of theirs, twice as many in double precision.
#[test]
fn bytes_of_a_snapshot_take_no_more_memory_than_they_are_worth() {
    const MOST: f64 = 50.0 * size_of::<Real>() as f64;
    let bytes = pairs_of_nothing();
    let restored = Snapshot::from_bytes(&bytes).and_then(|s| Simulation::new().restore(&s));
    assert_eq!(restored, Ok(()), "it is taken");
    let (mut worst, mut count) = (memory(&bytes), 0);
    for bytes in liars() {
        let times = memory(&bytes);
        assert!(times <= MOST, "{times} times {} bytes", bytes.len());
        (worst, count) = (worst.max(times), count + 1);
    }
    println!(
        "{count} of them: at most {worst:.0} times the bytes; pairs {:.0}",
        memory(&pairs_of_nothing())
    );
    assert!(worst <= MOST, "{worst} times the bytes");
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
