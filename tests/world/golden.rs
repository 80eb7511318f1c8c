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
    ("stack", 0x3961_5e5b_4e1d_7826),
    ("heap", 0xe98d_ba23_e8fe_9e7e),
    ("chain", 0x35e3_b22b_2af9_fc55),
    ("net", 0x5f96_1a84_1ad4_3b19),
    ("hulls", 0x8396_0a12_e63d_32d4),
    ("sleepers", 0x09dc_8c9c_73db_8412),
    ("begin", 0x4135_6e82_0e96_f01e),
    ("pile", 0x58df_f50d_bf64_683a),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0x2b1b_2d9b_5e31_3bd6),
    ("heap", 0x344c_3ccb_797b_66ae),
    ("chain", 0x2cc8_e281_e317_02d9),
    ("net", 0x7885_0a81_5e15_2077),
    ("hulls", 0x7ce2_c49c_eaf4_6406),
    ("sleepers", 0x8e03_18a1_2370_145f),
    ("begin", 0xdc47_c635_6b53_aa68),
    ("pile", 0x56a8_a79e_4997_3b57),
];
