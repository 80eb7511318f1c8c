//! Time of the broad phase, one core: stages 1 and 2 of a step, and for comparison stage 1 alone.
//!
//! `rest` is a wall of 210 cubes that is awake, `motion` a heap of 1000 cubes that falls apart, `one` a
//! ball that rolls among 10 000 sleepers.

#![allow(missing_docs, reason = "a program")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3};

const DT: Real = 1.0 / 60.0;

fn add(world: &mut Simulation, kind: BodyKind, shape: Shape, position: Vec3) -> BodyId {
    let desc = BodyDesc { kind, shape: Some(shape), position, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

fn cube() -> Shape {
    Shape::cuboid(0.5, 0.5, 0.5).expect("positive lengths")
}

fn floor() -> Simulation {
    let mut world = Simulation::new();
    let ground = Shape::cuboid(200.0, 1.0, 200.0).expect("positive lengths");
    add(&mut world, BodyKind::Static, ground, Vec3::Y * -0.5);
    world
}

fn wall(settings: &Settings) -> Simulation {
    let mut world = floor();
    for row in 0..20_u8 {
        for k in 0..20 - row {
            let x = 0.5 * Real::from(k) + 0.25 * Real::from(row);
            let at = Vec3::new(x, 0.25 + 0.5 * Real::from(row), 0.0);
            add(&mut world, BodyKind::Dynamic, cube(), at);
        }
    }
    for _ in 0..60 {
        world.step(settings, DT);
    }
    world
}

fn heap(settings: &Settings) -> Simulation {
    let mut world = floor();
    for i in 0..1000_u16 {
        let (x, y, z) = (i % 10, i / 100, i / 10 % 10);
        let [x, y, z] = [x, y, z].map(|k| 0.51 * Real::from(k));
        add(&mut world, BodyKind::Dynamic, cube(), Vec3::new(x + 0.1 * y, 0.3 + y, z));
    }
    for _ in 0..40 {
        world.step(settings, DT);
    }
    world
}

fn sleepers(settings: &Settings) -> Simulation {
    let mut world = floor();
    for i in 0..10_000_u16 {
        let at = Vec3::new(Real::from(i % 100), 0.25, Real::from(i / 100));
        add(&mut world, BodyKind::Dynamic, cube(), at);
    }
    for _ in 0..90 {
        world.step(settings, DT);
    }
    assert_eq!(world.sleepers().count(), 10_000, "they sleep");
    let ball = Shape::sphere(0.2).expect("a positive radius");
    let ball = add(&mut world, BodyKind::Dynamic, ball, Vec3::new(20.5, 0.2, 20.0));
    world.body_mut(ball).expect("it was added").linear_velocity = Vec3::Z * 2.0;
    for _ in 0..10 {
        world.step(settings, DT);
    }
    world
}

fn broad(c: &mut Criterion) {
    let awake = Settings::default();
    let mut drowsy = Settings::default();
    drowsy.sleep.enabled = true;
    let scenes = [("rest", wall(&awake)), ("motion", heap(&awake)), ("one", sleepers(&drowsy))];
    for (name, world) in scenes {
        let settings = if name == "one" { drowsy } else { awake };
        let mut group = c.benchmark_group(name);
        group.sample_size(20);
        for stages in [1, 2] {
            let mut world = world.clone();
            group.bench_function(BenchmarkId::new("stages", stages), |b| {
                b.iter_custom(|count| {
                    let mut time = core::time::Duration::ZERO;
                    for _ in 0..count {
                        let start = std::time::Instant::now();
                        world.begin(&settings, DT);
                        if stages == 2 {
                            world.find_pairs(&settings);
                        }
                        time += start.elapsed();
                        // The rest of the step, without which nothing would move.
                        if stages == 1 {
                            world.find_pairs(&settings);
                        }
                        world.find_contacts(&settings);
                        world.build_islands();
                        world.assemble(&settings);
                        world.solve(&settings);
                        world.integrate();
                        world.finish();
                    }
                    time
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, broad);
criterion_main!(benches);
