//! Same state, same calls, same bits.

mod support;

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::par::Threads;
use orthant::engine::report::StepReport;
use orthant::engine::settings::Settings;
use orthant::math::{Real, Vec3};
use support::{DT, add, cuboid, fingerprint, floor, heap, run};

#[test]
fn two_runs_agree_bit_by_bit() {
    let once = || {
        let (mut world, _) = heap(20);
        let mut prints = Vec::new();
        for _ in 0..120 {
            run(&mut world, 1);
            prints.push(fingerprint(&world));
        }
        prints
    };
    assert_eq!(once(), once(), "every step of both runs");
}

#[test]
fn a_clone_continues_as_the_original_does() {
    let (mut world, _) = heap(12);
    run(&mut world, 60);
    let mut copy = world.clone();
    run(&mut world, 60);
    run(&mut copy, 60);
    assert_eq!(fingerprint(&world), fingerprint(&copy), "after 60 steps more");
    assert_eq!(world.report(), copy.report(), "with the same certificate");
}

#[test]
fn buffers_hold_no_state() {
    // Steps of another world in between must not change anything: a fresh clone has other buffers.
    let (mut world, _) = heap(12);
    let settings = Settings::default();
    let mut hopping = world.clone();
    for _ in 0..60 {
        world.step(&settings, DT);
        let mut next = hopping.clone();
        next.step(&settings, DT);
        hopping = next;
    }
    assert_eq!(fingerprint(&world), fingerprint(&hopping), "after 60 steps");
}

/// Fingerprint and report after some steps whose pairs and islands are spread over threads.
fn spread(world: &mut Simulation, steps: usize, threads: usize) -> (u64, StepReport) {
    let (settings, pool) = (Settings::default(), Threads(threads));
    for _ in 0..steps {
        world.begin(&settings, DT);
        world.find_pairs(&settings);
        world.find_contacts_on(&settings, &pool);
        world.build_islands();
        world.assemble(&settings);
        world.solve_on(&settings, &pool);
        world.integrate();
        world.finish();
    }
    (fingerprint(world), world.report().clone())
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (mut world, _) = heap(20);
    run(&mut world, 60);
    let alone = (fingerprint(&world), world.report().clone());
    for threads in [1, 2, 4, 7] {
        assert_eq!(spread(&mut heap(20).0, 60, threads), alone, "{threads} threads");
    }
}

#[test]
fn islands_on_threads_are_those_of_one() {
    // Leaning towers far from each other, some of which fall while others come to rest: enough for
    // threads.
    let towers = || {
        let mut world = floor();
        for k in 0..80_u8 {
            let at = Vec3::new(Real::from(k % 9) * 8.0, 0.0, Real::from(k / 9) * 8.0);
            for i in 0..9_u8 {
                let lean = Vec3::X * (0.002 * Real::from(k) * Real::from(i));
                let position = at + lean + Vec3::Y * (0.5 + Real::from(i));
                add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), position);
            }
        }
        world
    };
    let mut world = towers();
    run(&mut world, 60);
    let report = world.report().clone();
    assert!(report.islands > 60 && report.contacts > 2200, "{report:?}");
    let alone = (fingerprint(&world), report);
    for threads in [2, 5] {
        assert_eq!(spread(&mut towers(), 60, threads), alone, "{threads} threads");
    }
}

/// The bits after 120 steps, the same in debug and release. They change only with the method; then
/// the new number is in the message.
#[test]
fn the_bits_are_those_of_every_build() {
    let golden = if size_of::<Real>() == 8 { GOLDEN_DOUBLE } else { GOLDEN_SINGLE };
    let (mut world, _) = heap(20);
    run(&mut world, 120);
    let got = fingerprint(&world);
    assert_eq!(got, golden, "got {got:#018x}");
}

const GOLDEN_SINGLE: u64 = 0x9408_b618_2cfc_5ec0;
const GOLDEN_DOUBLE: u64 = 0x7450_a35a_428d_6ec4;
