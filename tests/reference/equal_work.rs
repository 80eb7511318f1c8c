//! The default solver against sweeps with the same work, see `orthant_lab::gauge::equal_work`.

use orthant_lab::gauge::equal_work;

/// What stands, slides, hangs, falls or is dropped is never solved worse than by sweeps.
#[test]
fn sweeps_with_the_same_work_are_never_better() {
    for (name, seconds, every) in [
        ("tower-10", 2.0, 3),
        ("tower-30", 2.0, 7),
        ("ratio-1000", 2.0, 3),
        ("pyramid-10", 2.0, 7),
        ("cards", 2.0, 3),
        ("arch-20", 2.0, 3),
        ("keystone-20", 2.0, 3),
        ("table", 2.0, 3),
        ("overlap", 2.0, 3),
        ("chain-20-100", 2.0, 3),
        ("hulls-40", 4.0, 5),
        ("dropped-30", 4.0, 3),
        ("dropped-100", 2.0, 5),
    ] {
        let tally = equal_work::play(name, seconds, every);
        assert!(tally.problems > 0, "{name} has contacts");
        assert_eq!(tally.worse, 0, "{name}: {tally:?}");
    }
}

/// A blow may use up the work before the tolerance is met, and sweeps may then be ahead. No such problem
/// is called solved. How many there are is among the claims.
#[test]
fn what_is_worse_than_sweeps_is_not_called_solved() {
    for (name, seconds, every) in [("dominoes-20", 4.0, 3), ("hit-5", 2.5, 2)] {
        let tally = equal_work::play(name, seconds, every);
        assert!(tally.problems > 50, "{name} has contacts");
        assert_eq!(tally.unsaid, 0, "{name}: {tally:?}");
    }
}
