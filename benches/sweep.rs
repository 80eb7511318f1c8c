//! Time of sweeps and small steps, one core: ns for each contact, of walls of 20 and 40 cubes at the base
//! and of a heap of 2000 boxes.
//!
//! `cargo bench --no-default-features --bench sweep`
//!
//! A step is played up to its solution, which is then found again and again from there. `sweep` is one of
//! many accelerated sweeps over the one problem of a step, `substep` one small step: gaps, warm start and
//! two sweeps. With one of them in place of many, what is measured is what comes once a step: laying out
//! and the certificate.

#![allow(missing_docs, reason = "a program")]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use orthant::engine::Simulation;
use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use orthant_lab::games::by_name;
use orthant_lab::gauge::ready;

/// Sweeps and small steps in one solution.
const MANY: u32 = 100;

/// Settings with so many sweeps or small steps, and no tolerance that would save one.
fn settings(settings: &Settings, method: Method, count: u32) -> Settings {
    let mut settings = *settings;
    settings.solver.method = method;
    settings.solver.tolerance = 1e-30;
    (settings.solver.sweeps_max, settings.solver.substeps) = (count, count);
    settings
}

fn sweeps(c: &mut Criterion) {
    for (name, steps) in [("pyramid-20", 60), ("pyramid-40", 60), ("boxes-2000", 90)] {
        let (mut world, plain) = ready(&by_name(name).expect("a known scene"), steps);
        world.assemble(&plain);
        let mut once = world.clone();
        once.solve(&plain);
        let contacts = u64::from(once.report().contacts);
        let mut group = c.benchmark_group(name);
        group.sample_size(10);
        for (kind, method) in [("sweep", Method::Pgs), ("substep", Method::Substeps)] {
            for count in [1, MANY] {
                let settings = settings(&plain, method, count);
                group.throughput(Throughput::Elements(contacts * u64::from(count)));
                group.bench_function(BenchmarkId::new(kind, count), |b| {
                    let solve = |mut world: Simulation| world.solve(&settings);
                    b.iter_batched(|| world.clone(), solve, BatchSize::LargeInput);
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
