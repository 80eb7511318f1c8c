//! Step problems by every solver that takes rows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::check_solvers;

fuzz_target!(|bytes: &[u8]| {
    if let Err(wrong) = check_solvers(bytes) {
        panic!("{wrong}");
    }
});
