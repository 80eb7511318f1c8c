//! Bodies that begin at one point: as many meet each other as there is room for.

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::math::Vec3;
use orthant_lab::counting::most_bytes;
use orthant_lab::support::{DT, add, cuboid};

use super::{Verdict, memory, settings, timed};

/// Boxes of these numbers, if no others are asked for, as many steps of each.
const COUNTS: [u32; 6] = [100, 400, 800, 2000, 5000, 10_000];
const STEPS: u32 = 3;
/// Pairs that each body may have (–), of which each is one of two: see `step/broad/crowd.rs`.
const PAIRS: u32 = 64;
/// Bytes on the heap that a pair with all that is of it may take: 1.7 kB are kept, its four contacts become
/// rows, and lists are as long again as what is in them while they grow.
const BYTES: f64 = 4096.0;

/// A table: work as counted, time, memory. Judged are places, the number of pairs, and memory.
pub fn run(asked: &[u32], verdict: &mut Verdict) {
    println!(
        "| bodies at one point | pairs | refused | contacts | work | first (s) | step {STEPS} (s) | MB | \
         most on the heap (MB) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for &count in if asked.is_empty() { &COUNTS } else { asked } {
        let mut world = Simulation::new();
        let (mut times, mut work, mut pairs, mut contacts) = (Vec::new(), 0.0, 0, 0);
        let mut refused = 0;
        let heap = most_bytes(|| {
            for _ in 0..count {
                add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
            }
            for _ in 0..STEPS {
                let (time, report) = timed(|| world.step(&settings(), DT).clone());
                times.push(1e-3 * time);
                refused = report.pairs_refused.max(refused);
                let spent: f64 =
                    report.solves.iter().map(|island| island.work[0] + island.work[1]).sum();
                work = f64::max(work, spent);
                (pairs, contacts) = (report.pairs.max(pairs), report.contacts.max(contacts));
            }
        });
        let finite = world.bodies().iter().all(|body| body.position().is_finite());
        verdict.ask(finite, || format!("{count} at one point: a pose is not finite"));
        let most = PAIRS * count;
        verdict.at_most(&format!("pairs of {count} at one point"), pairs.into(), most.into());
        let (heap, most) = (heap as f64, BYTES * f64::from(pairs));
        verdict.at_most(&format!("bytes of {count} at one point"), heap, most);
        let (first, last, memory) = (times[0], times[times.len() - 1], memory());
        print!("| {count} | {pairs} | {refused} | {contacts} | {work:.0} ");
        println!("| {first:.2} | {last:.2} | {memory:.0} | {:.1} |", heap / 1048576.0);
    }
}
