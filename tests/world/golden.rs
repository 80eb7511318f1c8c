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
    ("stack", 0x55f6_289c_20b3_d1f3),
    ("heap", 0x7047_524b_8ff8_57f7),
    ("chain", 0x35e3_b22b_2af9_fc55),
    ("net", 0x6a48_eddf_2b1d_55ba),
    ("hulls", 0xf611_13c9_35b8_7fd8),
    ("sleepers", 0x9f3e_f03b_d499_5ec8),
    ("begin", 0xa3e3_2fa0_4559_e31a),
    ("pile", 0xb6ba_4a3d_2f1b_9185),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0xbd39_1142_5362_3d06),
    ("heap", 0x5bbc_b413_8bd1_0a51),
    ("chain", 0x2cc8_e281_e317_02d9),
    ("net", 0xe5bf_4ae4_600e_bdb2),
    ("hulls", 0x4de4_9ea9_8cf3_75b4),
    ("sleepers", 0x3163_d188_95cd_8589),
    ("begin", 0x914b_dacc_eb12_5bbd),
    ("pile", 0x1374_e48b_14df_968e),
];
