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
    ("stack", 0x47ce_c9e9_0f5f_8811),
    ("heap", 0xd24a_9e25_b255_45d2),
    ("chain", 0x35e3_b22b_2af9_fc55),
    ("net", 0xb7fe_17da_6ed8_6099),
    ("hulls", 0x5483_f638_d042_4777),
    ("sleepers", 0x7342_b8e2_a3a4_6ea4),
    ("begin", 0x477e_b9d2_ec64_3fcf),
    ("pile", 0x9b85_9151_6b43_adb0),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0xbf27_7874_ce80_3167),
    ("heap", 0xad96_486a_594c_3f04),
    ("chain", 0x2cc8_e281_e317_02d9),
    ("net", 0x5ca3_aaa2_521f_a455),
    ("hulls", 0x0f5c_6f5a_396a_a52e),
    ("sleepers", 0x5622_d56e_1daf_7685),
    ("begin", 0x5f4d_d909_4c00_fc8e),
    ("pile", 0xb616_9ec1_d4e1_2b50),
];
