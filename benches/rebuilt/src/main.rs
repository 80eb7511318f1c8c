//! The examples of other engines that are rebuilt in `gallery/examples`, without a window: what happens in
//! them, here and there, by the same numbers and in steps of 1/64 s.
//!
//! Prints the table of `docs/first_hour.md`. Positions are those of `GlobalTransform`, for bevy_rapier3d
//! those of its bodies; speeds are their differences.

mod avian;
mod measure;
mod ours;
mod rapier;
mod scene;

use measure::{boxes, cubes, distance, events, locked, revolute};
use scene::Scene;

/// What was measured: what it is and its unit, and the number.
type Figures = Vec<(&'static str, f64)>;

fn main() {
    println!("| example | what | theirs | here |\n|---|---|---|---|");
    print("avian3d `revolute_joint_3d`", revolute, avian::revolute, ours::revolute);
    print("avian3d `cubes`", cubes, avian::cubes, ours::cubes);
    print("avian3d `distance_joint_3d`", distance, avian::distance, ours::distance);
    let finely = "the same, with `SubstepCount(400)`";
    print(finely, distance, avian::distance_finely, ours::distance);
    print("bevy_rapier3d `boxes3`", boxes, rapier::boxes, ours::boxes);
    print("bevy_rapier3d `events3`", events, rapier::events, ours::events);
    print("bevy_rapier3d `locked_rotations3`", locked, rapier::locked, ours::locked);
}

fn print(name: &str, measure: fn(Scene) -> Figures, theirs: fn() -> Scene, here: fn() -> Scene) {
    for (theirs, here) in measure(theirs()).into_iter().zip(measure(here())) {
        println!("| {name} | {} | {} | {} |", theirs.0, digits(theirs.1), digits(here.1));
    }
}

/// Three digits, or all of a whole number.
fn digits(x: f64) -> String {
    if x == x.round() && x.abs() < 1e6 {
        return format!("{x:.0}");
    }
    let places = (2.0 - x.abs().max(1e-9).log10().floor()).clamp(0.0, 5.0);
    format!("{x:.*}", places as usize)
}
