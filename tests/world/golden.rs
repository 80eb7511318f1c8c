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
    ("stack", 0xe040_e0b8_fc07_75e6),
    ("heap", 0xdc05_3c56_8e8e_4368),
    ("chain", 0xb8c2_8e7b_97fc_9feb),
    ("net", 0x85fc_66cf_4f58_1fe0),
    ("hulls", 0x9b04_48b3_c408_795d),
    ("sleepers", 0x2457_87ee_c9c4_efef),
    ("begin", 0x1f73_cd8f_53b6_3c9e),
    ("pile", 0xa06f_b7c3_a649_0fce),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0xfa5b_9a45_c28f_9e5b),
    ("heap", 0x5509_fc75_14bf_d0e2),
    ("chain", 0x1284_215e_1885_2522),
    ("net", 0x637b_a0e0_9b17_86af),
    ("hulls", 0x788e_1d97_b977_1946),
    ("sleepers", 0x11b7_1f23_cc0d_f1ae),
    ("begin", 0xc00f_3356_d5cd_686f),
    ("pile", 0x7f21_1255_d091_3026),
];
