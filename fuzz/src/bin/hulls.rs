//! Convex hulls of points.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::check_hull;

fuzz_target!(|bytes: &[u8]| {
    if let Err(wrong) = check_hull(bytes) {
        panic!("{wrong}");
    }
});
