//! What our engine is to reach beside its peers, and whether it does.
//!
//! A bar is a figure that is to be at most so much, in each scene of a group. Who does not stand, or whose
//! bodies leave their container, is not fast. Errors are joint errors where there are joints, else overlaps.

use crate::asked::BEFORE;
use crate::engines::Engine;
use crate::measure::Figures;
use crate::outcome::Outcome;

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Peer {
    /// rapier3d alone, whether what should stand does or not.
    Rapier,
    /// The fastest peer alone that stands, run or recorded.
    Fastest,
    /// The least error of the peers alone that stand.
    Best,
    /// avian3d.
    Avian,
    /// The faster of the peers in an app.
    App,
    /// A time or a length (ms or mm).
    Value(f64),
}

/// The end of a run, or the worst of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    End,
    Run,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// Median time of a step over that of a peer (-).
    Median(Peer),
    /// 95th percentile over that of a peer (-).
    Percentile(Peer),
    /// Slowest step over that of a peer (-).
    Slowest(Peer),
    /// Median over that of rapier3d, over what that was when the bars were set (-).
    Since,
    /// Slowest step over the median of its phase (-).
    Peak,
    /// Part of the steps with an island above the tolerance (-).
    Unsolved,
    /// Is the last step above the tolerance? 1 if it is.
    EndsUnsolved,
    /// Error over that of a peer (-).
    Error(When, Peer),
    /// Deepest overlap of the run (mm).
    Overlap,
    /// Median of the joint errors (mm).
    JointMedian,
    /// Largest joint error of the run (mm).
    JointWorst,
    /// Median residual of what moved the bodies [m/s].
    Residual,
    /// Largest speed over that of a fall from where the highest body begins, begun with [`PUSH`] (-).
    Speed,
    /// Bodies frozen.
    Frozen,
    /// Does something not stand that should? 1 if so.
    Falls,
}

/// Speed at which what overlaps is pushed apart at most, by default [m/s].
pub const PUSH: f64 = 3.0;

/// A figure of one of our engines is to be at most so much.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// Which engine.
    pub engine: Engine,
    /// Which figure.
    pub measure: Measure,
    /// At most this.
    pub most: f64,
}

/// Bars of some scenes.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// What it is about.
    pub title: &'static str,
    /// Names of the scenes.
    pub scenes: &'static [&'static str],
    /// What is asked in each.
    pub bars: &'static [Bar],
}

impl Bar {
    /// What is asked, in words, but for the engine.
    pub fn words(&self) -> String {
        let peer = |peer: Peer| match peer {
            Peer::Rapier => "rapier3d".to_owned(),
            Peer::Fastest => "the fastest".to_owned(),
            Peer::Best => "the best".to_owned(),
            Peer::Avian => "avian3d".to_owned(),
            Peer::App => "the faster app".to_owned(),
            Peer::Value(value) => format!("{value}"),
        };
        let what = match self.measure {
            Measure::Median(of) => format!("median / {}", peer(of)),
            Measure::Percentile(of) => format!("p95 / {}", peer(of)),
            Measure::Slowest(of) => format!("slowest / {}", peer(of)),
            Measure::Since => "median / rapier3d, / before".to_owned(),
            Measure::Peak => "slowest / median of its phase".to_owned(),
            Measure::Unsolved => "part unsolved".to_owned(),
            Measure::EndsUnsolved => "unsolved at the end".to_owned(),
            Measure::Error(When::End, of) => format!("error at the end / {}", peer(of)),
            Measure::Error(When::Run, of) => format!("error of the run / {}", peer(of)),
            Measure::Overlap => "overlap mm".to_owned(),
            Measure::JointMedian => "median joint error mm".to_owned(),
            Measure::JointWorst => "joint error mm".to_owned(),
            Measure::Residual => "median residual m/s".to_owned(),
            Measure::Speed => "speed / push and fall".to_owned(),
            Measure::Frozen => "frozen".to_owned(),
            Measure::Falls => "falls".to_owned(),
        };
        format!("{what} ≤ {}", (1e4 * self.most).round() / 1e4)
    }

    /// The figure; `None` if our engine or every peer is missing, or there is no such figure.
    pub fn figure(&self, outcome: &Outcome) -> Option<f64> {
        let ours = outcome.of(self.engine)?;
        let tail = |k: usize| move |figures: &Figures| figures.tail.map(|tail| tail[k]);
        let flag = |is_so: bool| if is_so { 1.0 } else { 0.0 };
        let solving = ours.solving.as_ref();
        match self.measure {
            Measure::Median(peer) => ratio(outcome, ours, peer, |f| Some(f.milliseconds)),
            Measure::Percentile(peer) => ratio(outcome, ours, peer, tail(0)),
            Measure::Slowest(peer) => ratio(outcome, ours, peer, tail(1)),
            Measure::Since => {
                let before = BEFORE.iter().find(|(scene, _)| *scene == outcome.scene)?.1;
                Some(ratio(outcome, ours, Peer::Rapier, |f| Some(f.milliseconds))? / before)
            }
            Measure::Peak => ours.peak,
            Measure::Unsolved => solving.map(|s| s.unsolved_part()),
            Measure::EndsUnsolved => solving.map(|s| flag(s.ends_unsolved)),
            Measure::Error(when, peer) => error_ratio(outcome, ours, when, peer),
            Measure::Overlap => Some(1e3 * ours.overlap[1]),
            Measure::JointMedian => ours.joint_median.map(|error| 1e3 * error),
            Measure::JointWorst => ours.joint_error.map(|error| 1e3 * error[1]),
            Measure::Residual => solving.map(|s| s.residual),
            Measure::Speed => {
                let fall = 2.0 * f64::from(orthant_lab::games::G) * outcome.height;
                ours.speed.map(|speed| speed / (PUSH * PUSH + fall).sqrt())
            }
            Measure::Frozen => solving.map(|s| s.frozen as f64),
            Measure::Falls => ours.stands.map(|stands| flag(!stands)),
        }
    }

    /// Is a figure within the bar? Times count only of what stands and stays inside.
    pub fn holds(&self, outcome: &Outcome, figure: f64) -> bool {
        let timed = matches!(
            self.measure,
            Measure::Median(_) | Measure::Percentile(_) | Measure::Slowest(_) | Measure::Since
        );
        let stands = outcome.of(self.engine).is_some_and(Figures::is_yardstick);
        figure <= self.most && (stands || !timed)
    }
}

/// A time of ours over that of a peer (-).
fn ratio(
    outcome: &Outcome,
    ours: &Figures,
    peer: Peer,
    time: impl Fn(&Figures) -> Option<f64>,
) -> Option<f64> {
    let theirs = match peer {
        Peer::Value(value) => value,
        Peer::Rapier => time(outcome.of(Engine::Rapier)?)?,
        Peer::Fastest => time(outcome.fastest()?.1)?,
        Peer::Avian => time(outcome.of(Engine::Avian)?)?,
        Peer::App => time(outcome.fastest_app()?.1)?,
        Peer::Best => return None,
    };
    Some(time(ours)? / theirs)
}

/// Our error over that of a peer (-).
fn error_ratio(outcome: &Outcome, ours: &Figures, when: When, peer: Peer) -> Option<f64> {
    let k = when as usize;
    let theirs = match peer {
        Peer::Value(value) => 1e-3 * value,
        Peer::Best => outcome.best(k)?,
        Peer::Rapier => outcome.of(Engine::Rapier)?.error()[k],
        Peer::Fastest => outcome.fastest()?.1.error()[k],
        Peer::Avian => outcome.of(Engine::Avian)?.error()[k],
        Peer::App => outcome.fastest_app()?.1.error()[k],
    };
    let error = ours.error()[k];
    Some(if error == 0.0 { 0.0 } else { error / theirs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::Mode;
    use crate::outcome::tests::outcome;

    const AUTO: Engine = Engine::Orthant(Mode::Auto);

    fn bar(measure: Measure, most: f64) -> Bar {
        Bar { engine: AUTO, measure, most }
    }

    fn holds(bar: &Bar, outcome: &Outcome) -> bool {
        let figure = bar.figure(outcome).expect("all that is asked for is there");
        bar.holds(outcome, figure)
    }

    #[test]
    fn times_are_held_against_who_is_named() {
        let mut outcome = outcome(
            "tower-10",
            &[(AUTO, 2.0, 1e-5), (Engine::Rapier, 1.0, 1e-3), (Engine::Box3d, 0.5, 1e-3)],
        );
        outcome.figures[1].1.tail = Some([4.0, 8.0]);
        let figure = |measure| bar(measure, 1.0).figure(&outcome);
        assert_eq!(figure(Measure::Median(Peer::Rapier)), Some(2.0), "2 ms over 1");
        assert_eq!(figure(Measure::Median(Peer::Fastest)), Some(4.0), "2 ms over 0.5");
        assert_eq!(figure(Measure::Median(Peer::Value(0.05))), Some(40.0), "2 ms over 0.05");
        assert_eq!(figure(Measure::Percentile(Peer::Rapier)), Some(1.0), "4 ms over 4");
        assert_eq!(figure(Measure::Slowest(Peer::Rapier)), Some(0.75), "6 ms over 8");
        assert_eq!(figure(Measure::Median(Peer::Avian)), None, "it was not run");
        for (time, reached) in [(1.0, true), (1.001, false), (f64::NAN, false)] {
            outcome.figures[0].1.milliseconds = time;
            assert_eq!(
                holds(&bar(Measure::Median(Peer::Rapier), 1.0), &outcome),
                reached,
                "{time}"
            );
        }
    }

    #[test]
    fn errors_are_held_against_the_best_that_stands() {
        let mut outcome = outcome(
            "drum",
            &[(AUTO, 1.0, 1e-4), (Engine::Rapier, 1.0, 1e-3), (Engine::Box3d, 2.0, 5e-4)],
        );
        outcome.figures[0].1.overlap = [1e-5, 1e-4];
        let end = bar(Measure::Error(When::End, Peer::Best), 0.1);
        let run = bar(Measure::Error(When::Run, Peer::Best), 0.1);
        assert!(holds(&end, &outcome) && !holds(&run, &outcome), "a fiftieth and a fifth");
        outcome.figures[2].1.escaped = 1;
        assert!(holds(&run, &outcome), "a tenth of the other's");
        let close = bar(Measure::Overlap, 0.05);
        assert!(!holds(&close, &outcome), "0.1 mm");
        outcome.figures[0].1.overlap = [0.0, f64::INFINITY];
        assert!(!holds(&close, &outcome) && !holds(&run, &outcome), "it is nowhere");
    }

    #[test]
    fn who_falls_is_not_fast() {
        let mut outcome = outcome("ratio-1000", &[(AUTO, 0.04, 1e-5)]);
        let clock = bar(Measure::Median(Peer::Value(0.05)), 1.0);
        let falls = bar(Measure::Falls, 0.0);
        assert!(holds(&clock, &outcome) && holds(&falls, &outcome), "it stands");
        outcome.figures[0].1.stands = Some(false);
        assert!(!holds(&clock, &outcome) && !holds(&falls, &outcome), "it fell");
    }

    #[test]
    fn a_fall_is_no_push() {
        let mut outcome = outcome("crowd-100", &[(AUTO, 1.0, 0.0)]);
        let push = bar(Measure::Speed, 1.0);
        for (height, speed, within) in [(0.0, 2.9, true), (0.0, 3.1, false), (2.0, 6.9, true)] {
            outcome.height = height;
            outcome.figures[0].1.speed = Some(speed);
            assert_eq!(holds(&push, &outcome), within, "{speed} m/s from {height} m");
        }
    }
}
