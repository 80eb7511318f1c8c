//! A thousand random things happen to a world: nothing panics, nothing leaks, every start has its end.

use orthant_lab::chaos::disorder;

#[test]
fn a_thousand_random_operations() {
    let (mut starts, mut slept) = (0, 0);
    for seed in 1..=4 {
        let outcome = disorder(seed, 250);
        assert_eq!(outcome.wrong, Vec::<String>::new(), "seed {seed}");
        assert_eq!(outcome.starts, outcome.ends, "seed {seed}: every start has its end");
        assert_eq!(outcome.left, [0; 4], "seed {seed}: bodies, joints, pairs, touches left");
        starts += outcome.starts;
        slept += outcome.slept;
    }
    assert!(slept > 100, "something slept in {slept} steps");
    assert!(starts > 50, "much happened: {starts} starts");
}
