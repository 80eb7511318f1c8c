//! One joint between two bodies in free space.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::check_joint;

fuzz_target!(|bytes: &[u8]| {
    if let Err(wrong) = check_joint(bytes) {
        panic!("{wrong}");
    }
});
