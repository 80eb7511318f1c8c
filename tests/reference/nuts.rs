//! Brazil nuts: large bodies rise in a heap that is shaken, small ones do not.

use orthant_lab::experiments::brazil_nut::{KINDS, SHAKEN, ranks};
use orthant_lab::games::piles::Nuts;

/// After forty shakes the large ones are in the upper quarter, whatever bodies are made of; four of the small
/// ones that began as deep are anywhere: where all are alike they are above half of the others at most, and
/// the mean of four is within 0.15 of that.
#[test]
fn large_ones_rise_and_small_ones_do_not() {
    for (kind, seed) in [(0, 41), (1, 41), (1, 42), (2, 42)] {
        let (name, large, form) = KINDS[kind];
        let ranks = ranks(&Nuts { large, form, seed }, SHAKEN, |_, _| {}).expect("a sound scene");
        assert!(ranks[0] < 0.05, "{name}: they begin below all others, {}", ranks[0]);
        let end = ranks[SHAKEN];
        let tail = ranks[SHAKEN - 9..].iter().sum::<f64>() / 10.0;
        let told = format!("{name}, seed {seed}: above {end:.2} of the others, lately {tail:.2}");
        if kind == 2 {
            assert!(tail < 0.65, "{told}");
        } else {
            assert!(tail > 0.75, "{told}");
        }
    }
}
