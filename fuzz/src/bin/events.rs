//! Apps in which colliders, layers, bodies and who listens to them change all the time: starts and ends of
//! collisions are told in turn, and are those of what touches.

#![no_main]

use libfuzzer_sys::fuzz_target;
use orthant_lab::chaos::disorder;

fuzz_target!(|bytes: &[u8]| {
    let outcome = disorder(bytes);
    assert_eq!(outcome.wrong, Vec::<String>::new(), "starts, ends and markers");
    assert_eq!(outcome.starts, outcome.ends, "every start has its end");
    assert_eq!(outcome.left, [0; 4], "bodies, joints, pairs, touches left");
});
