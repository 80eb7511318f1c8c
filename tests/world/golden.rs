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
    ("heap", 0x016e_d5ea_a5cb_e9df),
    ("chain", 0x35e3_b22b_2af9_fc55),
    ("net", 0xb7fe_17da_6ed8_6099),
    ("hulls", 0x83bf_6999_b564_00b5),
    ("sleepers", 0x09dc_8c9c_73db_8412),
    ("begin", 0x85e6_f301_a46b_6a3e),
    ("pile", 0xa8d4_c43b_7773_9eba),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0x4903_41f0_5ce2_4d8c),
    ("heap", 0xa91d_c4d7_e1e6_8dc7),
    ("chain", 0x2cc8_e281_e317_02d9),
    ("net", 0x5ca3_aaa2_521f_a455),
    ("hulls", 0x7eb4_d5c1_6200_6b38),
    ("sleepers", 0x8e03_18a1_2370_145f),
    ("begin", 0x1844_7266_63cd_8112),
    ("pile", 0xbfb5_4aa8_6241_8934),
];
