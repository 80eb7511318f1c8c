//! Same state, same calls, same bits.

mod support;

use orthant::engine::par::Threads;
use orthant::engine::settings::Settings;
use support::{DT, fingerprint, heap, run};

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

#[test]
fn the_number_of_threads_does_not_matter() {
    let settings = Settings::default();
    let print = |threads: usize| {
        let (mut world, _) = heap(20);
        for _ in 0..60 {
            world.begin(&settings, DT);
            world.find_pairs(&settings);
            world.find_contacts_on(&settings, &Threads(threads));
            world.build_islands();
            world.assemble(&settings);
            world.solve(&settings);
            world.integrate();
            world.finish();
        }
        fingerprint(&world)
    };
    let (mut world, _) = heap(20);
    run(&mut world, 60);
    for threads in [1, 2, 4, 7] {
        assert_eq!(print(threads), fingerprint(&world), "{threads} threads");
    }
}

/// The bits after 120 steps, the same in debug and release. They change only with the method; then
/// the new number is in the message.
#[test]
fn the_bits_are_those_of_every_build() {
    let golden = if size_of::<orthant::math::Real>() == 8 { GOLDEN_DOUBLE } else { GOLDEN_SINGLE };
    let (mut world, _) = heap(20);
    run(&mut world, 120);
    let got = fingerprint(&world);
    assert_eq!(got, golden, "got {got:#018x}");
}

const GOLDEN_SINGLE: u64 = 0xa1bf_86fe_ad1d_6397;
const GOLDEN_DOUBLE: u64 = 0x536f_a422_a91c_86af;
