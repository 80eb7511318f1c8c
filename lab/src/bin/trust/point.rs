//! Bodies that begin at one point: as many meet each other as there is room for.

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::math::Vec3;
use orthant_lab::support::{DT, add, cuboid};

use super::{memory, settings, timed};

/// Boxes of these numbers, if no others are asked for, as many steps of each.
const COUNTS: [u32; 6] = [100, 400, 800, 2000, 5000, 10_000];
const STEPS: u32 = 3;

/// A table: work as counted, time, memory.
pub fn run(asked: &[u32]) {
    println!(
        "| bodies at one point | pairs | refused | contacts | work | first (s) | step {STEPS} (s) | MB |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &count in if asked.is_empty() { &COUNTS } else { asked } {
        let mut world = Simulation::new();
        for _ in 0..count {
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
        }
        let (mut times, mut work, mut pairs, mut contacts) = (Vec::new(), 0.0, 0, 0);
        let mut refused = 0;
        for _ in 0..STEPS {
            let (time, report) = timed(|| world.step(&settings(), DT).clone());
            times.push(1e-3 * time);
            refused = report.pairs_refused.max(refused);
            let spent: f64 =
                report.solves.iter().map(|island| island.work[0] + island.work[1]).sum();
            work = f64::max(work, spent);
            (pairs, contacts) = (report.pairs.max(pairs), report.contacts.max(contacts));
        }
        let finite = world.bodies().iter().all(|body| body.position().is_finite());
        assert!(finite, "every pose stays finite");
        let (first, last, memory) = (times[0], times[times.len() - 1], memory());
        print!("| {count} | {pairs} | {refused} | {contacts} | {work:.0} ");
        println!("| {first:.2} | {last:.2} | {memory:.0} |");
    }
}
