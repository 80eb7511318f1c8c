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
    ("heap", 0xb866_5e52_79c3_91c5),
    ("chain", 0x35e3_b22b_2af9_fc55),
    ("net", 0x7c3e_043c_5e83_3af1),
    ("hulls", 0x9a32_84ed_1b74_6f96),
    ("sleepers", 0x9f3e_f03b_d499_5ec8),
    ("begin", 0xa3e3_2fa0_4559_e31a),
    ("pile", 0xf09a_e2f9_281c_0883),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0xbd39_1142_5362_3d06),
    ("heap", 0x39c8_6d7d_b4cd_e8a3),
    ("chain", 0x2cc8_e281_e317_02d9),
    ("net", 0xd3a9_5e95_d0e8_8737),
    ("hulls", 0x053b_ad09_0333_15b3),
    ("sleepers", 0x3163_d188_95cd_8589),
    ("begin", 0x914b_dacc_eb12_5bbd),
    ("pile", 0xdff9_11b3_911a_22db),
];
