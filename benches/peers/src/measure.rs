//! Plays a scene on an engine: times of the steps, and what is wrong with the states.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use orthant::engine::body::BodyKind;

use crate::check::Checker;
use crate::engines::{Drive, Pose, Runner};
use crate::solving::{Solving, Told};
use orthant_lab::games::{DT, Game, steps};

/// Parts of equal length of the window: each is a phase, with its own median of times.
const PHASES: usize = 3;

/// What an engine showed in a scene. Of pairs the first is at the end, the second the worst of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Median time of a step in the window of the scene (ms).
    pub milliseconds: f64,
    /// Time that 19 of 20 of these steps stay within, and that of the slowest (ms), if known.
    pub tail: Option<[f64; 2]>,
    /// Slowest step over the median of its phase, a third of the window; the worst of the three (-).
    pub peak: Option<f64>,
    /// Deepest overlap (m).
    pub overlap: [f64; 2],
    /// Largest distance of the anchors of a joint (m), if there are joints.
    pub joint_error: Option<[f64; 2]>,
    /// Median of these distances, of all joints in all steps of the window (m).
    pub joint_median: Option<f64>,
    /// Largest speed of a center [m/s], by what it moved in a step; not looked for in what is at rest.
    pub speed: Option<f64>,
    /// Does everything stand that should?
    pub stands: Option<bool>,
    /// Bodies that left their container.
    pub escaped: usize,
    /// How our engine came to its steps.
    pub solving: Option<Solving>,
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
    /// errors in every step, both when all is over.
    pub fn measure(game: &Game, checker: &Checker, clock: Clock, runner: &mut dyn Runner) -> Self {
        let (total, every) = (steps(game.duration, DT), steps(game.check_every, DT));
        let jointed = !game.links.is_empty();
        // A world at rest is left alone: whoever looks at it may change what its next step takes.
        let followed = jointed || every == 1 || !game.stands;
        let mut milliseconds = Vec::with_capacity(total);
        let mut speed: f64 = 0.0;
        let (mut last, mut trail) = (runner.poses(), Vec::new());
        let mut told = Told::default();
        for step in 1..=total {
            let drive = drive(game, step);
            if let Some((body, force)) = game.tug_at(step) {
                runner.push(body, force);
            }
            let time = clock.time(|| runner.step(drive.as_ref()));
            milliseconds.push(1e3 * time.as_secs_f64());
            if let Some(report) = runner.report() {
                told.add(report);
            }
            let checked = step % every == 0 || step == total;
            if checked || followed {
                let poses = runner.poses();
                if followed {
                    speed = speed.max(checker.speed(&last, &poses, f64::from(DT)));
                    last.clone_from(&poses);
                }
                if checked || jointed {
                    trail.push((step, checked, poses));
                }
            }
        }
        // A window that starts with the scene has no step before it.
        let from = if game.window.0 > 0.0 { steps(game.window.0, DT) } else { 0 };
        let to = steps(game.window.1, DT);
        let seen = Seen::in_trail(checker, &trail, from);
        let times = &mut milliseconds[from..to];
        let peak = Some(peak(times));
        let [median, tail @ ..] = spread(times);
        let end = trail.last().map_or(&last, |(_, _, poses)| poses);
        Self {
            milliseconds: median,
            tail: Some(tail),
            peak,
            overlap: seen.overlap,
            joint_error: jointed.then_some(seen.joint_error),
            joint_median: jointed.then_some(seen.joint_median),
            speed: followed.then_some(speed),
            stands: game.stands.then(|| checker.stands(end)),
            escaped: checker.escaped(end),
            solving: told.solving(from, to),
        }
    }

    /// Joins what another run of the same scene showed: the least times and the worst of everything else.
    pub fn join(&mut self, again: &Self) {
        let worse = |a: [f64; 2], b: [f64; 2]| [a[0].max(b[0]), a[1].max(b[1])];
        self.milliseconds = self.milliseconds.min(again.milliseconds);
        let less = |(a, b): ([f64; 2], [f64; 2])| [a[0].min(b[0]), a[1].min(b[1])];
        self.tail = self.tail.zip(again.tail).map(less);
        self.peak = self.peak.zip(again.peak).map(|(a, b)| a.min(b));
        self.overlap = worse(self.overlap, again.overlap);
        self.joint_error = self.joint_error.zip(again.joint_error).map(|(a, b)| worse(a, b));
        self.joint_median = self.joint_median.zip(again.joint_median).map(|(a, b)| a.max(b));
        self.speed = self.speed.zip(again.speed).map(|(a, b)| a.max(b));
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

/// What is wrong with the states of a run. Of pairs the first is at the end, the second the worst (m).
struct Seen {
    overlap: [f64; 2],
    joint_error: [f64; 2],
    joint_median: f64,
}

impl Seen {
    /// Of the steps of a run, each with its poses and whether it is looked for overlaps in it. The median of
    /// joint errors is of those behind step `from`.
    fn in_trail(checker: &Checker, trail: &[(usize, bool, Vec<Pose>)], from: usize) -> Self {
        let (mut overlap, mut joint_error) = ([0.0_f64; 2], [0.0_f64; 2]);
        let mut distances = Vec::new();
        for (step, checked, poses) in trail {
            let errors = checker.joint_errors(poses);
            let error = errors.iter().copied().fold(0.0, f64::max);
            joint_error = [error, joint_error[1].max(error)];
            if *step > from {
                distances.extend(errors);
            }
            if *checked {
                let depth = checker.overlap(poses);
                overlap = [depth, overlap[1].max(depth)];
            }
        }
        let [joint_median, ..] = spread(&mut distances);
        Self { overlap, joint_error, joint_median }
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

/// The largest over the median of its phase, of the phase in which that is worst.
fn peak(times: &[f64]) -> f64 {
    let length = times.len().div_ceil(PHASES).max(1);
    let ratio = |phase: &[f64]| {
        let [median, _, slowest] = spread(&mut phase.to_vec());
        slowest / median
    };
    times.chunks(length).map(ratio).fold(0.0, f64::max)
}

/// Median, 95th percentile and largest.
pub fn spread(times: &mut [f64]) -> [f64; 3] {
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
    fn a_step_is_held_against_its_phase() {
        // A fall at 1 ms, a landing at 4, rest at 2: the slowest step of all is not the worst.
        let mut times = [[1.0; 20], [4.0; 20], [2.0; 20]].concat();
        (times[3], times[25], times[50]) = (3.0, 6.0, 4.0);
        assert_eq!(peak(&times), 3.0, "three times what a step of the fall takes");
    }

    #[test]
    fn the_median_of_joints_is_of_all_joints_in_the_window() {
        // Two links to one held ball: the first is off by 1 mm and later by 5, the second by 3.
        let mut game = Game::new("joints");
        (0..3)
            .for_each(|_| game.add(orthant_lab::games::Form::Ball(0.1), orthant::math::Vec3::ZERO));
        for b in [1, 2] {
            let anchors = [orthant::math::Vec3::ZERO; 2];
            let link = orthant_lab::games::Link { bodies: [0, b], anchors, length: None };
            game.links.push(link);
        }
        let checker = Checker::new(&game).expect("balls");
        let poses = |off: [f32; 2]| -> Vec<Pose> {
            let at = |x| orthant::math::Vec3::X * x;
            let places = [at(0.0), at(off[0]), at(off[1])];
            places
                .map(|position| Pose { position, rotation: orthant::math::Quat::IDENTITY })
                .to_vec()
        };
        let trail = [
            (1, false, poses([0.1, 0.1])),
            (2, false, poses([0.001, 0.003])),
            (3, false, poses([0.005, 0.003])),
        ];
        let seen = Seen::in_trail(&checker, &trail, 1);
        assert!((seen.joint_median - 0.003).abs() < 1e-9, "{}", seen.joint_median);
        assert!((seen.joint_error[0] - 0.005).abs() < 1e-9, "at the end {:?}", seen.joint_error);
        assert!((seen.joint_error[1] - 0.1).abs() < 1e-7, "at worst {:?}", seen.joint_error);
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
