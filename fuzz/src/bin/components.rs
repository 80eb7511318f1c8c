//! Apps in which components, joints and settings of any numbers come, change and go.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::play_app;

fuzz_target!(|bytes: &[u8]| {
    if let Err(wrong) = play_app(bytes) {
        panic!("{wrong}");
    }
});
