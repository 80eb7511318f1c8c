//! Checks the list of what falls short, `short.txt`.
//!
//! Lines of the list: `[topic] reason`, below it the claims that fall short for that reason, each with the
//! precisions in which it does: `f32 f64  claim`. Lines that begin with `#` are remarks.

use std::collections::BTreeSet;

const LIST: &str = include_str!("short.txt");

/// Claims of a topic that are listed for a precision.
fn listed(topic: &str, precision: &str) -> BTreeSet<String> {
    let mut claims = BTreeSet::new();
    let mut own = false;
    for line in LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(rest) = line.strip_prefix('[') {
            own = rest.split(']').next() == Some(topic);
        } else if let Some((precisions, claim)) = line.split_once("  ")
            && own
            && precisions.split(' ').any(|word| word == precision)
        {
            claims.insert(claim.to_owned());
        }
    }
    claims
}

/// Is the list true for what fell short and what held of a topic? Says what is not.
pub fn is_true(
    topic: &str,
    precision: &str,
    short: &BTreeSet<String>,
    held: &BTreeSet<String>,
) -> bool {
    let listed = listed(topic, precision);
    let mut fine = true;
    let mut say = |what: &str, claim: &String| {
        println!("{precision}  NOT AS LISTED, {what}: {claim}");
        fine = false;
    };
    short.difference(&listed).for_each(|claim| say("falls short", claim));
    listed.difference(short).for_each(|claim| {
        say(if held.contains(claim) { "holds" } else { "not measured" }, claim);
    });
    fine
}
