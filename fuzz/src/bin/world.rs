//! Worlds of bodies, joints, changes and settings, whole lives that are kept and put back, beside a heap that they
//! must not touch.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::{KINDS, play};

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let kind = KINDS[usize::from(first) % KINDS.len()];
    if let Err(wrong) = play(kind, rest, 12) {
        panic!("{wrong}");
    }
});
