//! Time of stage 5, which writes the rows of the step problem, one core: ns for each contact and joint.
//!
//! `cargo bench --no-default-features --bench assemble`
//!
//! Scenes of `orthant_lab::games`, played to a moment and through stages 1 to 4: a pyramid whose top is
//! pushed aside, since what is steady is not assembled, heaps of hulls and of boxes that are coming
//! to lie, and a net of ball joints. The stage empties its lists first, so it is called again and again
//! on one state, with memory at hand as in a running game; the step ends as if it had been called once.

#![allow(missing_docs, reason = "a program")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use orthant::engine::Simulation;
use orthant::engine::settings::Settings;

use orthant_lab::games::by_name;
use orthant_lab::gauge::ready;

/// The rest of the step.
fn end(world: &mut Simulation, settings: &Settings) {
    world.solve(settings);
    world.integrate();
    world.finish();
}

fn assemble(c: &mut Criterion) {
    let scenes = [("pyramid-20", 60), ("hulls-500", 90), ("boxes-2000", 90), ("net-30", 60)];
    let mut group = c.benchmark_group("assemble");
    group.sample_size(30);
    for (name, steps) in scenes {
        let (mut world, settings) = ready(&by_name(name).expect("a known scene"), steps);
        let mut once = world.clone();
        once.assemble(&settings);
        end(&mut once, &settings);
        let report = once.report();
        let elements = u64::from(report.contacts) + u64::from(report.joints);
        assert!(elements > 200, "{name}: little to assemble");
        assert_eq!(report.islands_steady, 0, "{name}: some islands were not assembled");
        eprintln!("{name}: {} contacts, {} joints", report.contacts, report.joints);
        group.throughput(Throughput::Elements(elements));
        group.bench_function(name, |b| b.iter(|| world.assemble(&settings)));
        world.assemble(&settings);
        end(&mut world, &settings);
        assert_eq!(world.report(), once.report(), "{name}: calling it again changed the step");
    }
    group.finish();
}

criterion_group!(benches, assemble);
criterion_main!(benches);
