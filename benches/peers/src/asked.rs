//! The bars: what is asked of our engine in which scenes.

use crate::bars::{Bar, Group, Measure, Peer, When};
use crate::engines::{Engine, Mode};
use crate::outcome::SCENES;

const AUTO: Engine = Engine::Orthant(Mode::Auto);
const BUDGET: Engine = Engine::Orthant(Mode::Budget);
const APP_AUTO: Engine = Engine::OrthantApp(Mode::Auto);
const APP_BUDGET: Engine = Engine::OrthantApp(Mode::Budget);

/// What is solved anew in every step though little happens.
const ALIVE: &[&str] = &[
    "tower-30-tug",
    "tower-30-top",
    "tower-30-floor",
    "tower-30-ball",
    "pyramid-20-tug",
    "pyramid-20-top",
    "pyramid-20-floor",
    "pyramid-20-ball",
    "pyramid-40-tug",
    "pyramid-40-top",
    "pyramid-40-floor",
    "pyramid-40-ball",
    "pyramid-16-lift",
    "pyramid-16-deck",
    "peas-10-1",
    "peas-10-30",
    "peas-10-100",
    "peas-10-300",
    "peas-10-1000",
    "peas-14-1",
    "peas-14-30",
    "peas-14-100",
    "peas-14-300",
    "peas-14-1000",
];
/// What is at rest, and median over rapier3d's when the bars were set (-).
pub const BEFORE: [(&str, f64); 3] =
    [("tower-30", 0.010 / 0.045), ("pyramid-20", 0.10 / 0.66), ("pyramid-40", 0.47 / 2.1)];
const STILL: &[&str] = &["tower-30", "pyramid-20", "pyramid-40"];
const JOINTED: &[&str] =
    &["dolls-60-7", "dolls-60-15", "chains-20-20", "falling-net-30", "ragdolls-10", "coupled-200"];
const NET: &[&str] = &["net-30"];
const CHAINS: &[&str] = &["chain-50-1", "chain-50-100"];
const HEAPS: &[&str] =
    &["hulls-500", "hulls-2000", "boxes-2000", "drum", "brazil-nut", "hit-20", "bricks-144"];
/// What begins as it cannot be, and comes apart.
const APART: &[&str] = &["heads-10", "crowd-100", "crowd-300", "crowd-1000", "crowd-5000"];
/// What stays as it cannot be.
const IMPOSSIBLE: &[&str] = &["torn-10", "press-10"];
const CROWDS: &[&str] = &["crowd-1000", "crowd-5000"];

const PYRAMIDS: &[&str] = &[
    "pyramid-20",
    "pyramid-20-floor",
    "pyramid-20-top",
    "pyramid-20-ball",
    "pyramid-40",
    "pyramid-40-floor",
];
const PILES: &[&str] = &[
    "pyramid-20",
    "pyramid-20-floor",
    "pyramid-20-top",
    "pyramid-20-ball",
    "pyramid-40",
    "pyramid-40-floor",
    "hulls-500",
    "hulls-2000",
    "boxes-2000",
    "drum",
    "brazil-nut",
];
const TOWERS: &[&str] = &["tower-10", "tower-30", "tower-30-floor", "ratio-100"];
const HEAVY: &[&str] = &["ratio-1000", "ratio-10000"];
const JOINTS: &[&str] = &["chain-50-1", "chain-50-100", "net-30"];

const fn bar(engine: Engine, measure: Measure, most: f64) -> Bar {
    Bar { engine, measure, most }
}

const fn median(engine: Engine, peer: Peer, most: f64) -> Bar {
    bar(engine, Measure::Median(peer), most)
}

const fn error(engine: Engine, when: When, peer: Peer, most: f64) -> Bar {
    bar(engine, Measure::Error(when, peer), most)
}

/// All bars.
pub const GROUPS: [Group; 14] = [
    Group {
        title: "Alive",
        scenes: ALIVE,
        bars: &[
            median(AUTO, Peer::Rapier, 1.0),
            bar(AUTO, Measure::Percentile(Peer::Rapier), 1.5),
            bar(AUTO, Measure::Unsolved, 0.01),
            bar(AUTO, Measure::Overlap, 0.05),
            bar(AUTO, Measure::Falls, 0.0),
            bar(BUDGET, Measure::Falls, 0.0),
        ],
    },
    Group { title: "Still", scenes: STILL, bars: &[bar(AUTO, Measure::Since, 1.1)] },
    Group {
        title: "Jointed piles",
        scenes: JOINTED,
        bars: &[
            median(AUTO, Peer::Rapier, 1.5),
            bar(AUTO, Measure::Percentile(Peer::Rapier), 2.0),
            bar(AUTO, Measure::JointMedian, 1.0),
            bar(AUTO, Measure::JointWorst, 10.0),
        ],
    },
    Group {
        title: "A net",
        scenes: NET,
        // Of its error when the bars were set (mm), which is known to three digits.
        bars: &[
            median(AUTO, Peer::Fastest, 1.0),
            error(AUTO, When::End, Peer::Value(0.1005), 1.0),
            error(AUTO, When::Run, Peer::Value(0.3275), 1.0),
        ],
    },
    Group { title: "Chains", scenes: CHAINS, bars: &[median(AUTO, Peer::Fastest, 1.0)] },
    Group {
        title: "Heaps",
        scenes: HEAPS,
        bars: &[
            median(AUTO, Peer::Fastest, 1.3),
            median(BUDGET, Peer::Fastest, 1.0),
            bar(AUTO, Measure::Peak, 2.5),
            error(AUTO, When::End, Peer::Best, 0.1),
            error(AUTO, When::Run, Peer::Best, 1.0 / 3.0),
            bar(AUTO, Measure::Residual, 0.05),
        ],
    },
    Group {
        title: "Never worse than soft: what comes apart",
        scenes: APART,
        bars: &[
            median(AUTO, Peer::Rapier, 3.0),
            bar(AUTO, Measure::Percentile(Peer::Rapier), 3.0),
            bar(AUTO, Measure::Speed, 1.0),
            bar(AUTO, Measure::Frozen, 0.0),
            bar(AUTO, Measure::EndsUnsolved, 0.0),
        ],
    },
    Group {
        title: "Never worse than soft: what cannot",
        scenes: IMPOSSIBLE,
        bars: &[
            median(AUTO, Peer::Rapier, 3.0),
            bar(AUTO, Measure::Percentile(Peer::Rapier), 3.0),
            bar(AUTO, Measure::Speed, 1.0),
            bar(AUTO, Measure::Frozen, 0.0),
        ],
    },
    Group {
        title: "Bodies at one point",
        scenes: CROWDS,
        bars: &[bar(AUTO, Measure::Slowest(Peer::Rapier), 2.0)],
    },
    Group {
        title: "Earlier bars: piles",
        scenes: PILES,
        bars: &[
            median(BUDGET, Peer::Fastest, 1.0),
            error(BUDGET, When::End, Peer::Fastest, 1.0),
            error(BUDGET, When::Run, Peer::Fastest, 1.0),
            median(APP_BUDGET, Peer::Avian, 0.2),
        ],
    },
    Group {
        title: "Earlier bars: pyramids",
        scenes: PYRAMIDS,
        bars: &[
            median(AUTO, Peer::Fastest, 1.0),
            error(AUTO, When::End, Peer::Fastest, 1.0 / 30.0),
            error(AUTO, When::Run, Peer::Fastest, 1.0 / 30.0),
        ],
    },
    Group {
        title: "Earlier bars: towers",
        scenes: TOWERS,
        bars: &[
            median(BUDGET, Peer::Fastest, 1.0),
            error(BUDGET, When::End, Peer::Fastest, 1.0),
            error(BUDGET, When::Run, Peer::Fastest, 1.0),
            median(AUTO, Peer::Fastest, 3.0),
            error(AUTO, When::End, Peer::Fastest, 0.01),
            error(AUTO, When::Run, Peer::Fastest, 0.01),
        ],
    },
    Group {
        title: "Earlier bars: heavy loads, of 0.05 ms",
        scenes: HEAVY,
        bars: &[median(AUTO, Peer::Value(0.05), 1.0), median(BUDGET, Peer::Value(0.05), 1.0)],
    },
    Group {
        title: "Earlier bars: joints",
        scenes: JOINTS,
        bars: &[
            median(AUTO, Peer::Fastest, 1.0),
            error(AUTO, When::End, Peer::Fastest, 0.1),
            error(AUTO, When::Run, Peer::Fastest, 0.1),
            median(BUDGET, Peer::Fastest, 1.0),
            error(BUDGET, When::End, Peer::Fastest, 0.1),
            error(BUDGET, When::Run, Peer::Fastest, 0.1),
        ],
    },
];

/// Bars of all scenes that are compared with apps.
pub const APPS: Group = Group {
    title: "Apps",
    scenes: &SCENES,
    bars: &[median(APP_AUTO, Peer::App, 0.7), median(APP_BUDGET, Peer::App, 0.7)],
};

/// Names of all scenes with a bar of engines alone, each once.
pub fn scenes() -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for scene in GROUPS.iter().flat_map(|group| group.scenes) {
        if !found.contains(scene) {
            found.push(scene);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::Limb;

    #[test]
    fn every_scene_has_bars_and_every_bar_scenes() {
        for scene in SCENES {
            let groups = GROUPS.iter().filter(|group| group.scenes.contains(&scene));
            assert!(groups.count() > 0, "{scene} has no bar");
        }
        for scene in scenes() {
            let game = orthant_lab::games::by_name(scene).expect("a scene of this name");
            Limb::all(&game).expect("every engine knows its joints");
        }
        assert!(BEFORE.iter().map(|(scene, _)| *scene).eq(STILL.iter().copied()), "of all at rest");
    }

    #[test]
    fn what_is_alive_is_looked_at_in_every_step_and_stands() {
        for scene in ALIVE {
            let game = orthant_lab::games::by_name(scene).expect("a scene of this name");
            assert!(game.stands && game.check_every == orthant_lab::games::DT, "{scene}");
        }
    }
}
