//! The bits of eight moving worlds in which bodies come and go, with all that they tell: state, report,
//! contacts, touches, joints and sleepers of every step. They are the same in every build, on any number of
//! threads, on every platform that `docs/trust.md` lists. They change only with the method: then the new
//! numbers are in the message.

use orthant::engine::par::Serial;
#[cfg(not(target_family = "wasm"))]
use orthant::engine::par::Threads;
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
    ("stack", 0xb502_5b82_adfb_8917),
    ("heap", 0xea69_7a93_c5e5_c8ee),
    ("chain", 0xf6f3_761e_c413_23bf),
    ("net", 0xfe85_968b_4b2d_eb0e),
    ("hulls", 0x343c_9a19_545f_acca),
    ("sleepers", 0x09dc_8c9c_73db_8412),
    ("begin", 0xdc0b_9ee1_5ed5_050e),
    ("pile", 0x4374_d3e9_e021_f927),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0xf9ab_3b53_7ef2_9a6a),
    ("heap", 0x5079_2792_2e60_4e6e),
    ("chain", 0x2130_6e1e_f42d_7357),
    ("net", 0xf8f7_75a7_44d5_2c42),
    ("hulls", 0x1dcd_f8f8_dbed_f9bb),
    ("sleepers", 0x8e03_18a1_2370_145f),
    ("begin", 0xba64_dc2d_55d9_6ff9),
    ("pile", 0x1a3a_e7de_3da9_b6e8),
];
