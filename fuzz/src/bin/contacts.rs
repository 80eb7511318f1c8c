//! Pairs: two bodies or some more that meet, for a few steps, whose contacts and rows are checked.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::{Kind, play};

fuzz_target!(|bytes: &[u8]| {
    if let Err(wrong) = play(Kind::Bodies, bytes, 3) {
        panic!("{wrong}");
    }
});
