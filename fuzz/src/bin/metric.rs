//! The ratio metric of two shapes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::check_metric;

fuzz_target!(|bytes: &[u8]| {
    if let Err(wrong) = check_metric(bytes) {
        panic!("{wrong}");
    }
});
