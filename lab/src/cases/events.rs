//! Judges the events of pairs of polytopes: ratios, touching points, gradients and active sets.
//!
//! Cases in the plane are skipped: in space their events are edges and faces instead of points.

use serde_json::Value;

use super::event::{self, EventTolerance};
use super::{Check, Group};

/// Runs all cases of a file.
pub fn run(value: &Value, file: &str) -> Vec<Group> {
    let tolerance = EventTolerance::of_build();
    let names = ["t and Φ", "x*", "violation", "gradient of Φ", "active sets"];
    let mut groups: Vec<_> = names.iter().map(|n| Group::new(format!("{file}  {n}"))).collect();
    let single = std::slice::from_ref(value);
    for (index, case) in value.as_array().map_or(single, Vec::as_slice).iter().enumerate() {
        let id = case.get("id").map_or_else(|| index.to_string(), Value::to_string);
        let name = format!("case {id}");
        if case["dim"].as_u64() == Some(2) {
            groups[0].skipped.push((name, "2D".to_owned()));
            continue;
        }
        match event::check_case(case, &tolerance) {
            Ok(found) => {
                let figures = [
                    (found.ratio, tolerance.ratio),
                    (found.point, tolerance.point),
                    (found.violation, tolerance.point),
                    (found.gradient, tolerance.gradient),
                ];
                for (group, (error, allowed)) in groups.iter_mut().zip(figures) {
                    let note = format!("{} events", found.events);
                    group.checks.push(Check::new(name.clone(), error, allowed).note(note));
                }
                if tolerance.sets {
                    let note = format!("{} sets agree", found.sets);
                    groups[4].checks.push(Check::new(name, 0.0, 0.0).note(note));
                }
            }
            Err(why) => groups[0].checks.push(Check::broken(name, why)),
        }
    }
    groups.retain(|group| !group.checks.is_empty() || !group.skipped.is_empty());
    groups
}
