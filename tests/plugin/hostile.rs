//! Apps in which random bytes decide which components, joints and settings come, change and go: see
//! `orthant_lab::hostile` for what must hold. The fuzzer goes on where these end.

use orthant_lab::hostile::{AppOutcome, play_app, random_bytes};

#[test]
fn components_of_any_numbers() {
    let mut sum = AppOutcome::default();
    for seed in 0..200 {
        let played = play_app(&random_bytes(seed, 600));
        let outcome = played.unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        for k in 0..2 {
            sum.made[k] += outcome.made[k];
            sum.steps[k] += outcome.steps[k];
        }
        sum.told += outcome.told;
        sum.frozen += outcome.frozen;
    }
    let AppOutcome { made, told, frozen, steps } = sum;
    assert!(made[0] > 600 && made[1] > 100, "bodies and joints are made: {made:?}");
    assert!(told > 200 && frozen > 10, "{told} told to be wrong, {frozen} to be frozen");
    assert!(steps[0] > 1000 && steps[1] > 5, "steps taken and refused: {steps:?}");
}

/// Settings in their ranges with which Newton's method starts from residuals that are not finite: the
/// iterate that was handed on had impulses that are not numbers, which touches told, and froze the body. Now
/// bodies of an island without an iterate fly. Found by the fuzzer.
#[test]
fn regression_what_touches_tell_is_finite_where_nothing_is_solved() {
    let bytes: Vec<u8> = (0..FOUND.len() / 2)
        .map(|i| u8::from_str_radix(&FOUND[2 * i..2 * i + 2], 16).expect("two digits"))
        .collect();
    let outcome = play_app(&bytes).expect("what touches tell is finite");
    assert!(outcome.made[0] > 5, "there is something: {outcome:?}");
}

const FOUND: &str = "\
    2e2f2e00000aabe3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e324e3e3e3e3e30000000000000000ff00000000\
    000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
    00000000ffff000000000000000000000000250000000000000000000000000000000000000000000000000000000000\
    000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
    000000000000000000000000000000000000000000000000000000000000000000000000f3ffff1c1c1c1c1ce3e3e3e3\
    e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3ffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00e3e3e3e3e3e3e3e3e3e3e3e3\
    e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3ffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff4affffffffffffffffffffffffffffff\
    fffffffffffffffffffff7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
    ffffff0106ffffffffffffffffffffff2effffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
    ffffffffffffffffffffffffffffffffffffffffffffff002e00000000000000d4ffffffffffffffffffffffffffe3e3\
    e3e3e300d4e3";
