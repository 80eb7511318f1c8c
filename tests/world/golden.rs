//! The bits of eight moving worlds in which bodies come and go, with all that they tell: state, report,
//! contacts, touches, joints and sleepers of every step. They are the same in every build, on any number of
//! threads, on every platform that `docs/trust.md` lists. They change only with the method: then the new
//! numbers are in the message.

use orthant::engine::par::Serial;
use orthant::math::Real;
use orthant_lab::support::Fine;
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
    let all = |pool: &Fine| scenes().into_iter().map(|s| history(s, STEPS / 2, pool)).collect();
    let one: Vec<u64> = all(&Fine(1));
    for threads in [2, 3, 4, 8] {
        assert_eq!(all(&Fine(threads)), one, "{threads} threads");
    }
}

const GOLDEN_SINGLE: [(&str, u64); 8] = [
    ("stack", 0x1a9e_0e45_a765_bbb3),
    ("heap", 0x33f9_dee0_433d_8d15),
    ("chain", 0x0738_27fe_21d6_39d1),
    ("net", 0xa9bb_7dd0_137f_5779),
    ("hulls", 0x7644_4e4b_8ec6_6d65),
    ("sleepers", 0x74f1_719e_0c33_e16c),
    ("begin", 0xe459_cfc4_96df_b330),
    ("pile", 0x21da_bdef_f1fc_4d5b),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0xfaed_c1e7_24bc_aa74),
    ("heap", 0x42dd_fbf7_36bd_3f5d),
    ("chain", 0xcf49_523f_1418_7839),
    ("net", 0x012a_9866_fbf5_0910),
    ("hulls", 0x053b_ad09_0333_15b3),
    ("sleepers", 0x0e75_a497_9f5d_24c5),
    ("begin", 0x326d_323c_34f1_030e),
    ("pile", 0x2d6a_9aeb_e87d_6576),
];
