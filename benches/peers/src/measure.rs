//! Plays a scene on an engine: times of the steps, and what is wrong with the states.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use orthant::engine::body::BodyKind;
use orthant::engine::report::StepReport;

use crate::check::Checker;
use crate::engines::{Drive, Pose, Runner};
use orthant_lab::games::{DT, Game, steps};

/// What an engine showed in a scene. Of pairs the first is at the end, the second the worst of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Median time of a step in the window of the scene (ms).
    pub milliseconds: f64,
    /// Time that 19 of 20 of these steps stay within, and that of the slowest (ms), if known.
    pub tail: Option<[f64; 2]>,
    /// Deepest overlap (m).
    pub overlap: [f64; 2],
    /// Largest distance of the anchors of a joint (m), if there are joints.
    pub joint_error: Option<[f64; 2]>,
    /// Does everything stand that should?
    pub stands: Option<bool>,
    /// Bodies that left their container.
    pub escaped: usize,
    /// How our engine came to its steps.
    pub solving: Option<Solving>,
}

/// How the steps of a run were solved, from our reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solving {
    /// Steps.
    pub steps: usize,
    /// Those with an island above the tolerance.
    pub unsolved: usize,
    /// Contacts and joint rows of all steps: solved, swept, softened.
    pub rows: [u64; 3],
}

impl Solving {
    fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.unsolved += usize::from(report.islands_unsolved > 0);
        let rows = [report.rows_solved, report.rows_swept, report.rows_softened];
        self.rows.iter_mut().zip(rows).for_each(|(sum, rows)| *sum += u64::from(rows));
    }

    /// Parts of all rows: solved, swept, softened (-).
    pub fn parts(&self) -> [f64; 3] {
        let all = self.rows.iter().sum::<u64>().max(1);
        self.rows.map(|rows| rows as f64 / all as f64)
    }
}

/// What a step takes: of an engine alone the time that its thread had, of an app that of the whole update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Time of this thread on a core.
    Thread,
    /// Time that passes.
    Wall,
}

impl Clock {
    fn time(self, run: impl FnOnce()) -> Duration {
        match self {
            Self::Thread => {
                let start = ThreadTime::now();
                run();
                start.elapsed()
            }
            Self::Wall => {
                let start = Instant::now();
                run();
                start.elapsed()
            }
        }
    }
}

impl Figures {
    /// Plays a scene. Only the steps are timed; overlaps are looked for as often as the scene says, joint
    /// errors in every step.
    pub fn measure(game: &Game, checker: &Checker, clock: Clock, runner: &mut dyn Runner) -> Self {
        let (total, every) = (steps(game.duration, DT), steps(game.check_every, DT));
        let jointed = !game.links.is_empty();
        let mut milliseconds = Vec::with_capacity(total);
        let (mut overlap, mut joint_error) = ([0.0_f64; 2], [0.0_f64; 2]);
        let mut poses = Vec::new();
        let mut solving = None;
        for step in 1..=total {
            let drive = drive(game, step);
            if let Some((body, force)) = game.tug_at(step) {
                runner.push(body, force);
            }
            let time = clock.time(|| runner.step(drive.as_ref()));
            milliseconds.push(1e3 * time.as_secs_f64());
            if let Some(report) = runner.report() {
                solving.get_or_insert_with(Solving::default).add(report);
            }
            let checked = step % every == 0 || step == total;
            if checked || jointed {
                poses = runner.poses();
            }
            if jointed {
                let error = checker.joint_error(&poses);
                joint_error = [error, joint_error[1].max(error)];
            }
            if checked {
                let depth = checker.overlap(&poses);
                overlap = [depth, overlap[1].max(depth)];
            }
        }
        // A window that starts with the scene has no step before it.
        let from = if game.window.0 > 0.0 { steps(game.window.0, DT) } else { 0 };
        let [median, tail @ ..] = spread(&mut milliseconds[from..steps(game.window.1, DT)]);
        Self {
            milliseconds: median,
            tail: Some(tail),
            overlap,
            joint_error: jointed.then_some(joint_error),
            stands: game.stands.then(|| checker.stands(&poses)),
            escaped: checker.escaped(&poses),
            solving,
        }
    }

    /// Joins what another run of the same scene showed: the least times and the worst of everything else.
    pub fn join(&mut self, again: &Self) {
        let worse = |a: [f64; 2], b: [f64; 2]| [a[0].max(b[0]), a[1].max(b[1])];
        self.milliseconds = self.milliseconds.min(again.milliseconds);
        let less = |(a, b): ([f64; 2], [f64; 2])| [a[0].min(b[0]), a[1].min(b[1])];
        self.tail = self.tail.zip(again.tail).map(less);
        self.overlap = worse(self.overlap, again.overlap);
        self.joint_error = self.joint_error.zip(again.joint_error).map(|(a, b)| worse(a, b));
        self.stands = self.stands.zip(again.stands).map(|(a, b)| a && b);
        self.escaped = self.escaped.max(again.escaped);
    }

    /// Does everything stand that should, and is everything where it belongs? Else the time is that of
    /// another scene, and no yardstick.
    pub fn is_yardstick(&self) -> bool {
        self.stands != Some(false) && self.escaped == 0
    }

    /// What the scene is about (m): joint error if there are joints, else overlap.
    pub fn error(&self) -> [f64; 2] {
        self.joint_error.unwrap_or(self.overlap)
    }
}

/// The way of the kinematic body in a step, counted from 1.
fn drive(game: &Game, step: usize) -> Option<Drive> {
    let pose = |step: usize| {
        let (position, rotation) = game.motion.at(step as f32 * DT)?;
        Some(Pose { position, rotation })
    };
    let body = game.pieces.iter().position(|piece| piece.kind == BodyKind::Kinematic)?;
    Some(Drive { body, from: pose(step - 1)?, to: pose(step)? })
}

/// Median, 95th percentile and largest.
fn spread(times: &mut [f64]) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    let n = times.len();
    [n / 2, (n * 19).div_ceil(20).saturating_sub(1), n.saturating_sub(1)]
        .map(|at| times.get(at).copied().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::{Engine, Mode};
    use orthant_lab::games::by_name;

    /// In a time in which a falling body is not yet stopped every engine must have made the same steps.
    #[test]
    fn every_engine_makes_the_same_number_of_steps() {
        let mut game = by_name("tower-3").expect("a scene of this name");
        game.pieces[3].position.y += 20.0;
        let fallen = |engine: Engine| {
            let mut runner = engine.start(&game, None).expect("every engine knows boxes");
            (0..60).for_each(|_| runner.step(None));
            game.pieces[3].position.y - runner.poses()[3].position.y
        };
        for engine in Engine::RUN {
            let way = fallen(engine);
            // Half g t² and, with steps of the end's velocity, at most one step's way more.
            assert!((4.9..5.0).contains(&way), "{} fell {way} m", engine.name());
        }
    }

    #[test]
    fn of_twenty_steps_nineteen_stay_within_the_percentile() {
        let mut times: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(spread(&mut times), [11.0, 19.0, 20.0], "median, p95, slowest");
        assert!(spread(&mut []).iter().all(|x| x.is_nan()), "of no steps there is none");
    }

    #[test]
    fn a_driven_body_arrives_with_every_engine() {
        let game = by_name("drum").expect("a scene of this name").lasting(0.5);
        for engine in Engine::RUN {
            let mut runner = engine.start(&game, None).expect("every engine knows boxes");
            let mut last = None;
            for step in 1..=30 {
                last = drive(&game, step);
                runner.step(last.as_ref());
            }
            let drive = last.expect("the drum is driven");
            let off = runner.poses()[drive.body].rotation.angle_between(drive.to.rotation);
            assert!(off < 2e-3, "{} is {off} rad off", engine.name());
        }
    }

    #[test]
    fn the_app_has_the_bits_of_the_engine() {
        for (name, mode) in
            [("tower-5", Mode::Auto), ("chain-5-1", Mode::Auto), ("drum", Mode::Budget)]
        {
            let game = by_name(name).expect("a scene of this name").lasting(0.5);
            let play = |engine: Engine| {
                let mut runner = engine.start(&game, None).expect("our own scene");
                (1..=30).for_each(|step| runner.step(drive(&game, step).as_ref()));
                runner.poses()
            };
            let same = play(Engine::Orthant(mode)) == play(Engine::OrthantApp(mode));
            assert!(same, "{name} differs in an app");
        }
    }
}
