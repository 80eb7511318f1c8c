//! Time of sweeps and small steps, one core: ns for each contact, of walls of 20 and 40 cubes at the base
//! and of a heap of 2000 cubes.
//!
//! `sweep` is one sweep of many over the one problem of a step; `substep` one substep: gaps, warm start
//! and two sweeps. Laying the island out, which happens once a step, is measured by itself.

#![allow(missing_docs, dead_code, reason = "a program; the scenes are shared with tests")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use orthant::engine::lcp::manifold::Manifold;
use orthant::engine::lcp::wide::{
    Island, SubstepParams, WideIterate, WideScratch, solve_substeps, solve_sweeps,
};
use orthant::engine::lcp::{BodyBlock, FIXED, JointRow, Vec6};
use orthant::math::Double;

#[path = "../src/engine/lcp/wide/tests/world.rs"]
mod world;

use world::World;

/// Sweeps and substeps in one call; a call with none of them is what laying out costs.
const MANY: u32 = 100;

fn sweeps(c: &mut Criterion) {
    let scenes = [
        ("wall20", World::pyramid(20)),
        ("wall40", World::pyramid(40)),
        ("heap2000", World::pile()),
    ];
    for (name, mut world) in scenes {
        let mut scratch = WideScratch::default();
        let params = SubstepParams::default();
        for _ in 0..30 {
            world.step(&params, &mut scratch);
        }
        let (manifolds, joints) = world.problem(1.0);
        let contacts: u64 = manifolds.iter().map(|m| u64::from(m.count)).sum();
        let mut group = c.benchmark_group(name);
        group.sample_size(20);
        for (kind, count) in [("layout", 0), ("sweep", MANY)] {
            group.throughput(Throughput::Elements(contacts * u64::from(count.max(1))));
            group.bench_function(BenchmarkId::from_parameter(kind), |b| {
                b.iter(|| {
                    world.solve(&manifolds, &joints, |island, iterate| {
                        solve_sweeps(island, iterate, 0, count, &mut scratch);
                    });
                });
            });
        }
        let params = SubstepParams { substeps: MANY, ..params };
        group.throughput(Throughput::Elements(contacts * u64::from(MANY)));
        group.bench_function(BenchmarkId::from_parameter("substep"), |b| {
            b.iter(|| {
                world.solve(&manifolds, &joints, |island, iterate| {
                    solve_substeps(island, iterate, &params, &mut scratch);
                });
            });
        });
        group.finish();
    }
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
