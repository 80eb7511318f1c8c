//! The bits of eight moving worlds in which bodies come and go, with all that they tell: state, report,
//! contacts, touches, joints and sleepers of every step. They are the same in every build, on any number of
//! threads, on every platform that `docs/trust.md` lists. They change only with the method: then the new
//! numbers are in the message.

use orthant::engine::par::{Serial, Threads};
use orthant::math::Real;
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

/// A platform without threads has nothing to compare.
#[test]
#[cfg(not(target_family = "wasm"))]
fn the_bits_are_those_of_any_number_of_threads() {
    let all = |pool: &Threads| scenes().into_iter().map(|s| history(s, STEPS / 2, pool)).collect();
    let one: Vec<u64> = all(&Threads(1));
    for threads in [2, 3, 4, 8] {
        assert_eq!(all(&Threads(threads)), one, "{threads} threads");
    }
}

const GOLDEN_SINGLE: [(&str, u64); 8] = [
    ("stack", 0x174e_9079_382b_48f7),
    ("heap", 0xea69_7a93_c5e5_c8ee),
    ("chain", 0xf6f3_761e_c413_23bf),
    ("net", 0xfe85_968b_4b2d_eb0e),
    ("hulls", 0x456b_8a76_cd6b_102c),
    ("sleepers", 0x09dc_8c9c_73db_8412),
    ("begin", 0xdc0b_9ee1_5ed5_050e),
    ("pile", 0x3e37_9b06_05e0_f6c9),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0x4903_41f0_5ce2_4d8c),
    ("heap", 0x2c84_4b00_f217_0341),
    ("chain", 0x2130_6e1e_f42d_7357),
    ("net", 0xf8f7_75a7_44d5_2c42),
    ("hulls", 0x4ed4_cce0_e46e_2b3a),
    ("sleepers", 0x8e03_18a1_2370_145f),
    ("begin", 0xe45f_9f9a_e460_f5db),
    ("pile", 0x99d0_56d3_40dd_15c0),
];
