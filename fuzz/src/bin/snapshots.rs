//! Snapshots that are damaged, with checksums that fit.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::check_snapshot;

fuzz_target!(|bytes: &[u8]| {
    if let Err(wrong) = check_snapshot(bytes) {
        panic!("{wrong}");
    }
});
