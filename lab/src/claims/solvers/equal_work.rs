//! Against sweeps with the same work where bodies strike each other and large islands take small steps.

use crate::claims::Claims;
use crate::gauge::equal_work;

/// Scene, seconds, and every how many steps both are compared. What stands or falls freely is a test.
const SCENES: [(&str, orthant::math::Real, usize); 5] = [
    ("dominoes-20", 4.0, 3),
    ("hit-5", 2.5, 2),
    ("hit-20", 2.0, 10),
    ("brazil-nut", 2.0, 10),
    ("drum", 2.0, 20),
];

/// Sweeps are never ahead.
pub fn measure(claims: &mut Claims) {
    for (name, seconds, every) in SCENES {
        let tally = equal_work::play(name, seconds, every);
        let figure = format!("{} of {}", tally.worse, tally.problems);
        let holds = tally.worse == 0 && tally.problems > 0;
        claims.add(&format!("{name}: sweeps of equal work are ahead"), &figure, "0", holds);
        let figure = format!("{} of {}", tally.unsaid, tally.worse);
        let what = format!("{name}: of these, called solved");
        claims.add(&what, &figure, "0", tally.unsaid == 0);
    }
}
