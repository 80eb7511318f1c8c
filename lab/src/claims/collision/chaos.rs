//! Random operations on an app.

use std::panic::catch_unwind;

use super::never;
use crate::chaos::disorder;
use crate::claims::Claims;
use crate::hostile::random_bytes;

/// A thousand operations from four seeds.
pub fn measure(claims: &mut Claims) {
    let (mut panics, mut unmatched, mut starts, mut slept, mut left) = (0, 0, 0, 0, [0; 4]);
    for seed in 1..=4 {
        let Ok(outcome) = catch_unwind(|| disorder(&random_bytes(seed, 4000))) else {
            panics += 1;
            continue;
        };
        unmatched += outcome.wrong.len() + outcome.starts.abs_diff(outcome.ends);
        starts += outcome.starts;
        slept += outcome.slept;
        left.iter_mut().zip(outcome.left).for_each(|(sum, n)| *sum += n);
    }
    never(claims, "1 000 random operations: panics, by seed", panics, 4);
    never(claims, "… starts and ends without each other", unmatched, starts);
    claims.add("… steps with sleepers among them", &slept.to_string(), "> 0", slept > 0);
    let [bodies, joints, pairs, touches] = left;
    let figure = format!("{bodies}, {joints}, {pairs}, {touches}");
    claims.add("… bodies, joints, pairs, touches left", &figure, "0", left == [0; 4]);
}
