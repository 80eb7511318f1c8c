//! Bodies that begin at one point: all of them meet each other.

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::math::Vec3;
use orthant_lab::support::{DT, add, cuboid};

use super::{memory, settings, timed};

/// Boxes of these numbers, if no others are asked for, as many steps of each.
const COUNTS: [u32; 5] = [100, 200, 400, 800, 1600];
const STEPS: u32 = 3;

/// A table: work as counted, time, memory.
pub fn run(asked: &[u32]) {
    println!(
        "| bodies at one point | pairs | contacts | work | slowest of {STEPS} steps (s) | memory (MB) |"
    );
    println!("|---|---|---|---|---|---|");
    for &count in if asked.is_empty() { &COUNTS } else { asked } {
        let mut world = Simulation::new();
        for _ in 0..count {
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
        }
        let (mut slowest, mut work, mut pairs, mut contacts) = (0.0, 0.0, 0, 0);
        for _ in 0..STEPS {
            let (time, report) = timed(|| world.step(&settings(), DT).clone());
            slowest = f64::max(slowest, time);
            let spent: f64 =
                report.solves.iter().map(|island| island.work[0] + island.work[1]).sum();
            work = f64::max(work, spent);
            (pairs, contacts) = (report.pairs.max(pairs), report.contacts.max(contacts));
        }
        let finite = world.bodies().iter().all(|body| body.position().is_finite());
        assert!(finite, "every pose stays finite");
        let seconds = 1e-3 * slowest;
        println!("| {count} | {pairs} | {contacts} | {work:.0} | {seconds:.2} | {:.0} |", memory());
    }
}
