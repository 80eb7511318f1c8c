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
    ("stack", 0x55f2_6e54_40bc_7852),
    ("heap", 0x43d3_d1b0_8602_d240),
    ("chain", 0xf6f3_761e_c413_23bf),
    ("net", 0x26b0_adf2_8555_8909),
    ("hulls", 0xebbd_e797_6733_8642),
    ("sleepers", 0xec04_de22_de3e_b39e),
    ("begin", 0xcf78_36f8_0f13_36a2),
    ("pile", 0xbc6c_4a7f_9e9b_795e),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0x77d4_cb8e_5450_8bbd),
    ("heap", 0xa6db_0b78_a332_6a48),
    ("chain", 0x2130_6e1e_f42d_7357),
    ("net", 0x7468_92ad_3baf_5d3d),
    ("hulls", 0xebfc_81a1_6322_1294),
    ("sleepers", 0x58b8_63d4_3e96_2896),
    ("begin", 0xa639_7904_0980_2758),
    ("pile", 0xb611_459e_1966_644b),
];
