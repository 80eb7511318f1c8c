//! Apps in which components, joints and settings of any numbers come, change and go; half of them are kept and put
//! back now and then.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::hostile::{play_app, play_app_back_and_forth};

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let play = if first % 2 == 0 { play_app } else { play_app_back_and_forth };
    if let Err(wrong) = play(rest) {
        panic!("{wrong}");
    }
});
