//! What our engine is to reach beside its peers, and whether it does.
//!
//! Errors are joint errors where there are joints, else overlaps. One is at most a part of another if both
//! its value at the end and its worst are; what is so at the end alone is told. A peer whose bodies fall
//! or leave their container is no yardstick; in an app the fixed cost of a step counts as well, and where
//! all peers fail they are the yardstick nevertheless.

use crate::engines::{Engine, Mode};
use crate::measure::Figures;
use crate::outcome::{Outcome, SCENES};

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Yardstick {
    /// The fastest peer alone, run or recorded.
    Fastest,
    /// avian3d.
    Avian,
    /// The faster of the peers in an app.
    App,
    /// A time (ms).
    Clock(f64),
}

/// In each of the scenes our engine takes at most `time` times the yardstick's time and has at most
/// `error` times its error.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    scenes: &'static [&'static str],
    engine: Engine,
    yardstick: Yardstick,
    time: f64,
    error: Option<f64>,
}

const AUTO: Engine = Engine::Orthant(Mode::Auto);
const BUDGET: Engine = Engine::Orthant(Mode::Budget);
const APP_BUDGET: Engine = Engine::OrthantApp(Mode::Budget);

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

const fn bar(
    scenes: &'static [&'static str],
    engine: Engine,
    yardstick: Yardstick,
    time: f64,
    error: Option<f64>,
) -> Bar {
    Bar { scenes, engine, yardstick, time, error }
}

/// All bars.
pub const BARS: [Bar; 11] = [
    bar(PILES, BUDGET, Yardstick::Fastest, 1.0, Some(1.0)),
    bar(PILES, APP_BUDGET, Yardstick::Avian, 0.2, None),
    bar(PYRAMIDS, AUTO, Yardstick::Fastest, 1.0, Some(1.0 / 30.0)),
    bar(TOWERS, BUDGET, Yardstick::Fastest, 1.0, Some(1.0)),
    bar(TOWERS, AUTO, Yardstick::Fastest, 3.0, Some(0.01)),
    bar(HEAVY, AUTO, Yardstick::Clock(0.05), 1.0, None),
    bar(HEAVY, BUDGET, Yardstick::Clock(0.05), 1.0, None),
    bar(JOINTS, AUTO, Yardstick::Fastest, 1.0, Some(0.1)),
    bar(JOINTS, BUDGET, Yardstick::Fastest, 1.0, Some(0.1)),
    bar(&SCENES, Engine::OrthantApp(Mode::Auto), Yardstick::App, 0.7, None),
    bar(&SCENES, APP_BUDGET, Yardstick::App, 0.7, None),
];

/// How our engine fares at a bar in a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Our engine.
    pub engine: Engine,
    /// Its time (ms).
    pub milliseconds: f64,
    /// The peer it is held against; `None` is a clock.
    pub peer: Option<Engine>,
    /// The yardstick's time (ms).
    pub yardstick: f64,
    /// Most that the ratio of the times may be, and most that the ratio of the errors may be.
    pub limits: (f64, Option<f64>),
    /// Ratio of the errors at the end and at worst, if they count.
    pub errors: Option<[f64; 2]>,
    /// Does everything of ours stand and stay inside?
    pub stands: bool,
}

impl Verdict {
    /// Ratio of the times.
    pub fn ratio(&self) -> f64 {
        self.milliseconds / self.yardstick
    }

    /// Is the bar reached, if errors at the end count, and if the worst do?
    fn reached(&self) -> [bool; 2] {
        let (time, error) = self.limits;
        let fast = self.stands && self.ratio() <= time;
        match (self.errors, error) {
            (Some(ratios), Some(limit)) => ratios.map(|ratio| fast && ratio <= limit),
            _ => [fast; 2],
        }
    }

    /// Is the bar reached?
    pub fn holds(&self) -> bool {
        self.reached() == [true; 2]
    }

    /// The verdict in words.
    pub fn words(&self) -> &'static str {
        match self.reached() {
            [true, true] => "holds",
            [true, false] => "holds at the end only",
            _ if !self.stands => "falls short: does not stand",
            _ => "falls short",
        }
    }
}

impl Bar {
    /// The scenes of this bar.
    pub const fn scenes(&self) -> &'static [&'static str] {
        self.scenes
    }

    /// What is asked, in words.
    pub fn words(&self) -> String {
        let time = self.time;
        let asked = match self.yardstick {
            Yardstick::Fastest => format!("≤ {time}× the fastest peer"),
            Yardstick::Avian => format!("≤ {time}× avian3d"),
            Yardstick::App => format!("≤ {time}× the faster app"),
            Yardstick::Clock(limit) => format!("stands, ≤ {} µs", 1e3 * limit),
        };
        match self.error {
            Some(error) if error < 1.0 => format!("{asked}, ≤ 1/{:.0} of its error", 1.0 / error),
            Some(_) => format!("{asked}, no more error"),
            None => asked,
        }
    }

    /// How our engine fares; `None` if it or every yardstick is missing.
    pub fn judge(&self, outcome: &Outcome) -> Option<Verdict> {
        let ours = outcome.of(self.engine)?;
        let (peer, yardstick, theirs) = match self.yardstick {
            Yardstick::Clock(limit) => (None, limit, None),
            Yardstick::Fastest => Self::against(outcome.fastest()?),
            Yardstick::Avian => Self::against((Engine::Avian, outcome.of(Engine::Avian)?)),
            Yardstick::App => Self::against(outcome.fastest_app()?),
        };
        let ratio = |theirs: &Figures| {
            let (a, b) = (ours.error(), theirs.error());
            [0, 1].map(|i| if a[i] == 0.0 { 0.0 } else { a[i] / b[i] })
        };
        Some(Verdict {
            engine: self.engine,
            milliseconds: ours.milliseconds,
            peer,
            yardstick,
            limits: (self.time, self.error),
            errors: self.error.and(theirs).map(ratio),
            stands: ours.is_yardstick(),
        })
    }

    fn against((peer, figures): (Engine, &Figures)) -> (Option<Engine>, f64, Option<&Figures>) {
        (Some(peer), figures.milliseconds, Some(figures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::tests::outcome;

    fn holds(bar: &Bar, outcome: &Outcome) -> bool {
        bar.judge(outcome).expect("all that is asked for is there").holds()
    }

    #[test]
    fn a_bar_asks_for_time_and_error() {
        let bar = bar(TOWERS, AUTO, Yardstick::Fastest, 3.0, Some(0.01));
        for (time, overlap, reached) in [
            (3.0, 1e-5, true),
            (3.1, 1e-5, false),
            (3.0, 1.1e-5, false),
            (0.1, 0.0, true),
            (f64::NAN, 0.0, false),
            (1.0, f64::INFINITY, false),
        ] {
            let peers = [(Engine::Rapier, 1.0, 1e-3), (Engine::Box3d, 2.0, 1e-9)];
            let mut outcome = outcome("tower-10", &peers);
            outcome.figures.push(self::figures_of(AUTO, time, overlap));
            assert_eq!(holds(&bar, &outcome), reached, "{time} ms and {overlap} m");
        }
    }

    fn figures_of(engine: Engine, time: f64, overlap: f64) -> (Engine, Figures) {
        outcome("", &[(engine, time, overlap)]).figures[0]
    }

    #[test]
    fn what_holds_at_the_end_only_is_told() {
        let bar = bar(JOINTS, AUTO, Yardstick::Fastest, 1.0, Some(0.1));
        let mut outcome = outcome("net-30", &[(AUTO, 1.0, 1e-4), (Engine::Rapier, 1.0, 1e-3)]);
        let words = |outcome: &Outcome| bar.judge(outcome).map(|verdict| verdict.words());
        assert_eq!(words(&outcome), Some("holds"), "at the end and at worst");
        outcome.figures[0].1.overlap[1] = 1e-3;
        assert_eq!(words(&outcome), Some("holds at the end only"), "it was worse before");
        assert!(!holds(&bar, &outcome), "that is not enough");
        outcome.figures[0].1.overlap[0] = 1e-3;
        assert_eq!(words(&outcome), Some("falls short"), "at the end as well");
    }

    #[test]
    fn who_falls_reaches_no_bar() {
        let bar = bar(HEAVY, AUTO, Yardstick::Clock(0.05), 1.0, None);
        let mut outcome = outcome("ratio-1000", &[(AUTO, 0.04, 1e-5)]);
        assert!(holds(&bar, &outcome), "it stands");
        outcome.figures[0].1.stands = Some(false);
        assert!(!holds(&bar, &outcome), "it fell");
    }

    #[test]
    fn apps_are_compared_even_where_all_fail() {
        let app = Engine::OrthantApp(Mode::Auto);
        let bar = bar(&SCENES, app, Yardstick::App, 0.7, None);
        let figures = [(app, 0.7, 0.0), (Engine::Avian, 1.0, 1.0), (Engine::BevyRapier, 2.0, 1.0)];
        let mut outcome = outcome("ratio-1000", &figures);
        assert_eq!(bar.judge(&outcome).and_then(|v| v.peer), Some(Engine::Avian), "the faster");
        outcome.figures[1].1.stands = Some(false);
        assert_eq!(bar.judge(&outcome).and_then(|v| v.peer), Some(Engine::BevyRapier), "stands");
        outcome.figures[2].1.stands = Some(false);
        assert_eq!(bar.judge(&outcome).and_then(|v| v.peer), Some(Engine::Avian), "all fell");
        assert!(holds(&bar, &outcome), "0.7 is at most 0.7");
    }

    #[test]
    fn every_scene_has_a_bar() {
        for scene in SCENES {
            let count = BARS.iter().filter(|bar| bar.scenes().contains(&scene)).count();
            assert!(count >= 4, "{scene} has {count} bars");
        }
        for bar in BARS {
            for scene in bar.scenes() {
                assert!(SCENES.contains(scene), "{scene} is not compared");
            }
        }
    }
}
