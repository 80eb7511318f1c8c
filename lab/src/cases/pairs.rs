//! Judges the ratio metric on pairs with known ratios and normals.
//!
//! r relative, ρ relative to max(1, |ρ|), r̂ with the second body fixed, and the distance of the
//! normal from the optimal ones: one where it is unique, else a cone.

use orthant::math::Double;
use serde_json::Value;

use super::pair::{self, PairErrors};
use super::{Check, Group, json};

/// Largest distance of the normal from the cone of a degenerate pair (-).
const CONE: Double = 1e-9;

/// Runs all cases of a file; in degenerate pairs the normal is judged against a cone.
pub fn run(value: &Value, file: &str, degenerate: bool) -> Vec<Group> {
    let names = ["r", "ρ", "r̂, second body fixed", "normal"];
    let mut groups: Vec<_> = names.iter().map(|n| Group::new(format!("{file}  {n}"))).collect();
    let allowed = pair::tolerances();
    let normal = if degenerate { CONE } else { allowed.normal };
    let single = std::slice::from_ref(value);
    for (index, case) in value.as_array().map_or(single, Vec::as_slice).iter().enumerate() {
        let id = case.get("id").map_or_else(|| index.to_string(), Value::to_string);
        let name = format!("case {}", json::text_or(case, "name", &id));
        let read = pair::read_pair(case);
        let found = read.and_then(|case| pair::check_pair(&case).map(|errors| (case, errors)));
        match found {
            Ok((case, errors)) => {
                let PairErrors { ratio, gap, one_sided, normal: turned } = errors;
                groups[0].checks.push(Check::new(name.clone(), ratio, allowed.ratio));
                groups[1].checks.push(Check::new(name.clone(), gap, allowed.gap));
                if case.one_sided.is_some() {
                    groups[2].checks.push(Check::new(name.clone(), one_sided, allowed.one_sided));
                }
                if !case.normals.is_empty() {
                    groups[3].checks.push(Check::new(name, turned, normal));
                }
            }
            Err(why) => groups[0].checks.push(Check::broken(name, why)),
        }
    }
    groups.retain(|group| !group.checks.is_empty());
    groups
}
