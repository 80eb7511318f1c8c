//! Collision: ghosts, piles, rolling, the metric, queries, fast and driven bodies, random operations.

#[cfg(feature = "bevy")]
mod chaos;
mod driven;
mod fast;
mod ghosts;
mod metric;
mod pile;
mod queries;
mod rolling;

use std::path::Path;

use orthant::math::Double;

use crate::cases;
use crate::claims::Claims;

/// Measures every claim of this topic that this build can.
pub fn measure(claims: &mut Claims) {
    metric::measure(claims);
    rolling::measure(claims);
    driven::measure(claims);
    fast::measure(claims);
    ghosts::measure(claims);
    queries::measure(claims);
    if cases::is_double() {
        ellipse(claims);
    } else {
        #[cfg(feature = "bevy")]
        chaos::measure(claims);
        pile::measure(claims);
    }
}

/// One of two figures, by the precision of the build.
fn by_precision<T>(single: T, double: T) -> T {
    if cases::is_double() { double } else { single }
}

/// A claim that an error is at most a bar without a unit.
fn at_most(claims: &mut Claims, what: &str, error: Double, bar: Double) {
    claims.add(what, &format!("{error:.1e}"), &format!("≤ {bar:.0e}"), error <= bar);
}

/// A claim that something never happened in a number of tries, of which there must be some.
fn never(claims: &mut Claims, what: &str, times: usize, tries: usize) {
    claims.add(what, &format!("{times} of {tries}"), "0", times == 0 && tries > 0);
}

/// The ellipse on a tabletop, in all its runs.
fn ellipse(claims: &mut Claims) {
    let path = Path::new(crate::ROOT).join("tests/cases/scene_ellipse.json");
    let groups = cases::run_file(&path);
    let checks: Vec<_> = groups.iter().flat_map(|group| &group.checks).collect();
    let failed = checks.iter().filter(|check| !check.passed()).count();
    let figure = format!("{} passed, {failed} failed", checks.len() - failed);
    let holds = failed == 0 && !checks.is_empty();
    claims.add("the ellipse on a tabletop, checks", &figure, "0 failed", holds);
}
