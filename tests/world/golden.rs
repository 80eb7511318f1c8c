//! The bits of eight moving worlds, the same in every build. They change only with the method: then the
//! new numbers are in the message.

use orthant::math::Real;
use orthant_lab::support::{DT, fingerprint, pile};

use super::snapshots::{Scene, scene, scenes};

/// Steps of each.
const STEPS: usize = 120;

#[test]
fn the_bits_of_moving_worlds_are_those_of_every_build() {
    let golden = if size_of::<Real>() == 8 { GOLDEN_DOUBLE } else { GOLDEN_SINGLE };
    let mut all: Vec<Scene> = scenes();
    all.push(scene("pile", pile(60, 8).0, 0));
    let mut got = Vec::new();
    for Scene { name, mut world, settings, .. } in all {
        for _ in 0..STEPS {
            world.step(&settings, DT);
        }
        got.push((name, fingerprint(&world)));
    }
    let listed: String =
        got.iter().map(|(name, bits)| format!("    ({name:?}, {bits:#018x}),\n")).collect();
    assert!(got == golden, "got\n{listed}");
}

const GOLDEN_SINGLE: [(&str, u64); 8] = [
    ("stack", 0xbec6_7694_dfa4_9524),
    ("heap", 0x2a4e_ee3e_5683_0fec),
    ("chain", 0x5abd_14a3_d31e_cce9),
    ("net", 0x4d0d_07b2_25c7_d7fc),
    ("hulls", 0x25ac_30f4_57c9_0701),
    ("sleepers", 0x2e31_1541_f496_533c),
    ("begin", 0x6230_bd5b_5f4d_23e8),
    ("pile", 0x2344_f1f7_17e2_a6ef),
];
const GOLDEN_DOUBLE: [(&str, u64); 8] = [
    ("stack", 0xa9e6_b61d_91a9_eebc),
    ("heap", 0xe7ee_07bd_8470_7468),
    ("chain", 0xa9e7_f2dd_270e_6367),
    ("net", 0xf20a_a691_ec0b_4013),
    ("hulls", 0x1a4a_b332_c728_6960),
    ("sleepers", 0x23bf_9172_94c7_6c42),
    ("begin", 0xd32a_13ef_4991_75f8),
    ("pile", 0xc2a4_399d_363e_1069),
];
