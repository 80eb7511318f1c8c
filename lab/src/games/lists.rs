//! Names of scenes: those that are compared, those of tables.

/// Names of the scenes that are compared with other engines, in the order of the tables.
pub const COMPARED: [&str; 20] = [
    "pyramid-20",
    "pyramid-20-floor",
    "pyramid-20-top",
    "pyramid-20-ball",
    "pyramid-40",
    "pyramid-40-floor",
    "tower-10",
    "tower-30",
    "tower-30-floor",
    "ratio-100",
    "ratio-1000",
    "ratio-10000",
    "hulls-500",
    "hulls-2000",
    "boxes-2000",
    "chain-50-1",
    "chain-50-100",
    "net-30",
    "brazil-nut",
    "drum",
];

/// Names of the other scenes.
pub const OTHERS: [&str; 17] = [
    "tower-50",
    "plates-105",
    "plates-95",
    "incline-99",
    "incline-101",
    "table",
    "hit-20",
    "dropped-100",
    "overlap",
    "cradle-6",
    "billiard-100",
    "cards",
    "cards-10",
    "arch-20",
    "arch-20-20",
    "keystone-20",
    "dominoes-100",
];

/// Names of the scenes of the README's table of engines alone.
pub const TABLED: [&str; 42] = [
    "pyramid-20",
    "pyramid-40",
    "tower-30",
    "ratio-100",
    "ratio-10000",
    "tower-30-tug",
    "pyramid-20-tug",
    "pyramid-40-tug",
    "tower-30-top",
    "pyramid-20-top",
    "pyramid-40-top",
    "tower-30-floor",
    "pyramid-20-floor",
    "pyramid-40-floor",
    "tower-30-ball",
    "pyramid-20-ball",
    "pyramid-40-ball",
    "pyramid-16-lift",
    "pyramid-16-deck",
    "peas-10-30",
    "peas-10-1000",
    "chain-50-1",
    "chain-50-100",
    "net-30",
    "ragdolls-10",
    "coupled-200",
    "dolls-20-7",
    "dolls-60-7",
    "dolls-60-15",
    "chains-20-20",
    "falling-net-30",
    "crowd-100",
    "crowd-300",
    "heads-10",
    "torn-10",
    "press-10",
    "brazil-nut",
    "drum",
    "hit-20",
    "bricks-144",
    "hulls-500",
    "boxes-2000",
];

/// Names of all scenes as they are usually played.
#[must_use]
pub fn names() -> Vec<&'static str> {
    [&COMPARED[..], &OTHERS].concat()
}
