//! The bits of eight moving worlds in which bodies come and go, with all that they tell: state, report,
//! contacts, touches, joints and sleepers of every step. They are the same in every build, on any number of
//! threads, on every platform that `docs/trust.md` lists. They change only with the method: then the new
//! numbers are in the message.

use orthant::engine::par::Serial;
use orthant::math::Real;
#[cfg(not(target_family = "wasm"))]
use orthant_lab::pool::Counted;
#[cfg(not(target_family = "wasm"))]
use orthant_lab::support::moving::{SPREAD, crowd, history_on_each};
use orthant_lab::support::moving::{history, scenes};

/// Steps of each.
const STEPS: u8 = 120;

#[test]
fn the_bits_of_moving_worlds_are_those_of_every_build() {
    let golden = if size_of::<Real>() == 8 { GOLDEN_DOUBLE } else { GOLDEN_SINGLE };
    let got = scenes().into_iter().map(|scene| (scene.name, history(scene, STEPS, &Serial)));
    let got: Vec<(&str, u64)> = got.collect();
    let listed: String =
        got.iter().map(|(name, bits)| format!("    ({name:?}, {bits:#018x}),\n")).collect();
    assert!(got == golden, "got\n{listed}");
}

/// All eight worlds together, six times, so that there is work for threads in all stages but one: pairs are
/// found on threads in `determinism.rs`. A platform without threads has nothing to compare.
#[test]
#[cfg(not(target_family = "wasm"))]
fn the_bits_are_those_of_any_number_of_threads() {
    let begin = crowd(6);
    let play = |threads: usize| {
        let pools = [0; 5].map(|_| Counted::new(threads));
        let bits = history_on_each(begin.clone(), 21, pools.each_ref().map(|pool| pool as _));
        (bits, pools.map(|pool| pool.most()))
    };
    let (one, alone) = play(1);
    assert_eq!(alone, [0; 5], "one thread is called for nothing");
    for threads in [2, 3, 4, 8] {
        let (bits, jobs) = play(threads);
        for (stage, least) in [(0, 2), (2, 2 * threads), (3, 3 * threads), (4, 2)] {
            let (name, most) = (SPREAD[stage], jobs[stage]);
            assert!(most >= least, "{threads} threads: {most} parts in `{name}`, {least} asked");
        }
        assert_eq!(bits, one, "{threads} threads");
    }
}

const GOLDEN_SINGLE: [(&str, u64); 8] = [
    ("stack", 0xdd26_55e4_7722_2f64),
    ("heap", 0x3895_a122_bed4_6359),
    ("chain", 0xa555_8c0d_864a_69e4),
    ("net", 0x4b66_82c5_b7ca_8c0c),
    ("hulls", 0xc7c5_c00d_9c4a_1938),
    ("sleepers", 0x0d1a_73ef_57d4_edfc),
    ("begin", 0xf2e2_3bd0_5ee8_0745),
    ("pile", 0x7e85_5793_5b67_9298),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0x4e6b_2b02_1642_b27d),
    ("heap", 0x688a_07c0_5d64_360b),
    ("chain", 0xd754_0cc7_7a76_ee57),
    ("net", 0x4e91_abb8_6b40_b24a),
    ("hulls", 0x1242_82c4_2025_e8ad),
    ("sleepers", 0x51b8_a7dc_1710_46ec),
    ("begin", 0x4a9e_4107_e11e_1bf1),
    ("pile", 0x6a8b_617a_42f2_c55f),
];
