//! Measures a scene while it is played: overlaps from the poses alone, speed at rest, drift, joint
//! error, the time of each stage, and the residuals that the steps publish.

pub mod equal_work;
pub mod overlap;
pub mod stages;

use std::time::{Duration, Instant};

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::lcp::Method;
use orthant::engine::par::Pool;
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::math::{DVec3, Double, Vec3, quat_rotate, widen, widen3};

use crate::games::{DT, Game, Play, steps};
use crate::pool::waiting;
use overlap::Checker;
use stages::{SOLVE, STAGES, timed_step};

/// A scene after some steps, between stages 4 and 5 of the next one; its last body is pushed, so that what
/// rests moves.
///
/// # Panics
/// The engine refuses the scene.
pub fn ready(game: &Game, steps: usize) -> (Simulation, Settings) {
    let settings = game.settings();
    let mut play = Play::new(game, DT).expect("a sound scene");
    for _ in 0..steps {
        play.advance(&settings);
    }
    let last = *play.ids.last().expect("it has bodies");
    play.drive();
    let mut world = play.world;
    world.body_mut(last).expect("it was added").linear_velocity += Vec3::X;
    world.begin(&settings, DT);
    world.find_pairs(&settings);
    world.find_contacts(&settings);
    world.build_islands();
    (world, settings)
}

/// Solvers by name.
pub const METHODS: [(&str, Method); 5] = [
    ("auto", Method::Auto),
    ("newton", Method::Newton),
    ("pgs", Method::Pgs),
    ("substeps", Method::Substeps),
    ("lemke", Method::Lemke),
];

/// A change of velocity within one step, gravity apart, above which an impact is violent [m/s].
pub const VIOLENT: Double = 1.0;
/// Time after a violent impact in which a residual is forgiven (s).
pub const FORGIVEN: Double = 0.5;

/// What one step told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// Seconds of each stage.
    pub seconds: [Double; 8],
    /// Natural map, of what moves the bodies and of what is carried [m/s].
    pub residual: [Double; 2],
    /// Velocity residual of the joints, of what moves the bodies and of what is carried [m/s].
    pub joint_residual: [Double; 2],
    /// Residual of the equation of motion, of both [m/s].
    pub motion_residual: [Double; 2],
    /// Was every island solved to tolerance?
    pub solved: bool,
    /// Iterations and factorizations.
    pub work: [u32; 2],
    /// Number of contacts.
    pub contacts: u32,
    /// Islands solved by sweeps or small steps.
    pub swept: usize,
    /// Contacts and joint rows solved as posed, swept, softened, and solved after contacts gave way.
    pub rows: [u32; 4],
    /// Kinetic energy (J).
    pub energy: Double,
    /// Mean square of the carried linear velocities of dynamic bodies [m²/s²], and the largest speed.
    pub speed: [Double; 2],
    /// Largest change of a carried linear velocity, gravity and forces apart [m/s].
    pub kick: Double,
}

impl Step {
    /// Residuals of what moved the bodies and of what they carry on with, of contacts, joints and the
    /// equation of motion [m/s].
    pub fn errors(&self) -> [Double; 2] {
        [0, 1].map(|k| self.residual[k].max(self.joint_residual[k]).max(self.motion_residual[k]))
    }

    /// The larger of both [m/s].
    pub fn error(&self) -> Double {
        let [moved, carried] = self.errors();
        moved.max(carried)
    }
}

/// What a whole run showed. Lengths in m, times in s.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Every step.
    pub steps: Vec<Step>,
    /// Length of a step.
    pub dt: Double,
    /// Tolerance of the solver [m/s].
    pub tolerance: Double,
    /// Deepest overlap at the end, and over all checks.
    pub overlap: [Double; 2],
    /// Pairs that overlap at the end.
    pub overlapping: usize,
    /// Largest joint error at the end, and over the run.
    pub joint_error: [Double; 2],
    /// Largest horizontal way and largest fall of a dynamic body.
    pub drift: Double,
    /// Largest fall of a dynamic body.
    pub drop: Double,
    /// Bodies frozen.
    pub frozen: usize,
    /// Steps in the window of the scene.
    pub window: [usize; 2],
    /// Did the wall clock end it early?
    pub cut: bool,
}

/// How to play a scene.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Settings of every step.
    pub settings: Settings,
    /// Step (s).
    pub dt: orthant::math::Real,
    /// The run is cut after this.
    pub patience: Duration,
    /// Threads that work on a step; one is this one.
    pub threads: usize,
}

impl Plan {
    /// A scene at 60 Hz with default settings, for up to ten minutes.
    pub fn new(game: &Game) -> Self {
        let patience = Duration::from_secs(600);
        Self { settings: game.settings(), dt: DT, patience, threads: 1 }
    }

    /// With another solver.
    #[must_use]
    pub fn by(mut self, method: Method) -> Self {
        self.settings.solver.method = method;
        self
    }

    /// With this tolerance of the solver [m/s].
    #[must_use]
    pub fn to(mut self, tolerance: Double) -> Self {
        self.settings.solver.tolerance = tolerance;
        self
    }

    /// Cut after so many seconds of the wall clock.
    #[must_use]
    pub fn within(mut self, seconds: u64) -> Self {
        self.patience = Duration::from_secs(seconds);
        self
    }

    /// On so many threads.
    #[must_use]
    pub fn on(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Plays a scene on its threads.
    ///
    /// # Errors
    /// The engine refused the scene, or there are no such threads.
    pub fn run(&self, game: &Game) -> Result<(Record, Play), String> {
        self.run_on(game, Play::new(game, self.dt)?, &*waiting(self.threads)?, |_, _| {})
    }

    /// Plays a scene `rounds` times and takes the least time of each stage of each step:
    /// the bits are the same every time, so what differs is the work of other programs. No further round
    /// begins after the patience has run out.
    ///
    /// # Errors
    /// The engine refused the scene.
    pub fn run_timed(&self, game: &Game, rounds: usize) -> Result<(Record, Play), String> {
        let (start, pool) = (Instant::now(), waiting(self.threads)?);
        let (mut record, play) = self.run_on(game, Play::new(game, self.dt)?, &*pool, |_, _| {})?;
        for _ in 1..rounds {
            if start.elapsed() > self.patience {
                break;
            }
            let mut again = Play::new(game, self.dt)?;
            for step in &mut record.steps {
                again.drive();
                let seconds = timed_step(&mut again.world, &self.settings, self.dt, &*pool);
                for (least, now) in step.seconds.iter_mut().zip(seconds) {
                    *least = least.min(now);
                }
            }
        }
        Ok((record, play))
    }

    /// Plays a scene on a pool; `each` sees the world after each step.
    ///
    /// # Errors
    /// Never; as [`Self::run`] for the sake of chaining.
    pub fn run_on(
        &self,
        game: &Game,
        mut play: Play,
        pool: &dyn Pool,
        mut each: impl FnMut(&Play, &Step),
    ) -> Result<(Record, Play), String> {
        let checker = Checker::new(game);
        let total = steps(game.duration, self.dt);
        let every = game.check_steps(self.dt);
        let begin = places(&play);
        let mut velocities = velocities(game, &play);
        let tolerance = self.settings.solver.tolerance;
        let mut record = Record { dt: widen(self.dt), tolerance, ..Record::default() };
        let start = Instant::now();
        for k in 1..=total {
            play.drive();
            let mut step = Step {
                seconds: timed_step(&mut play.world, &self.settings, self.dt, pool),
                ..Step::default()
            };
            self.note(game, &play, &mut velocities, &mut step);
            record.frozen += play.world.report().quarantined.len();
            let error = joint_error(game, &play);
            record.joint_error = [error, record.joint_error[1].max(error)];
            record.cut = start.elapsed() > self.patience;
            let last = k == total || record.cut;
            if last || k % every == 0 {
                let (deepest, pairs) = checker.deepest(&play);
                record.overlap = [deepest, record.overlap[1].max(deepest)];
                record.overlapping = pairs;
            }
            each(&play, &step);
            record.steps.push(step);
            if last {
                break;
            }
        }
        for ((piece, from), to) in game.pieces.iter().zip(&begin).zip(places(&play)) {
            if piece.kind == BodyKind::Dynamic {
                let way = to - *from;
                record.drift = record.drift.max(way.x.hypot(way.z));
                record.drop = record.drop.max(-way.y);
            }
        }
        let end = record.steps.len();
        let clamp = |time| steps(time, self.dt).min(end);
        record.window = [clamp(game.window.0), clamp(game.window.1)];
        if game.window.0 == 0.0 || record.window[0] >= record.window[1] {
            record.window[0] = if record.cut { end / 2 } else { 0 };
        }
        Ok((record, play))
    }

    /// Takes from the report and the bodies what a step tells.
    fn note(&self, game: &Game, play: &Play, velocities: &mut [DVec3], step: &mut Step) {
        let report = play.world.report();
        step.residual = [report.natural_map, report.natural_map_relaxed];
        step.joint_residual = [report.joint_residual, report.joint_residual_relaxed];
        step.motion_residual = [report.motion_residual, report.motion_residual_relaxed];
        step.solved = report.status == StepStatus::Solved;
        step.work = [report.iterations, report.factorizations];
        step.contacts = report.contacts;
        step.rows =
            [report.rows_solved, report.rows_swept, report.rows_softened, report.rows_pressed];
        let is_swept = |method| matches!(method, Method::Pgs | Method::Substeps);
        step.swept = report.solves.iter().filter(|island| is_swept(island.method)).count();
        step.energy = report.kinetic_energy;
        let fall = widen3(self.settings.gravity) * widen(self.dt);
        let now = self::velocities(game, play);
        let mut moving = 0;
        for ((piece, old), new) in game.pieces.iter().zip(velocities.iter_mut()).zip(now) {
            if piece.kind == BodyKind::Dynamic {
                moving += 1;
                step.speed[0] += new.length_squared();
                step.speed[1] = step.speed[1].max(new.length());
                step.kick = step.kick.max((new - *old - fall).length());
            }
            *old = new;
        }
        step.speed[0] /= Double::from(moving.max(1));
    }
}

fn places(play: &Play) -> Vec<DVec3> {
    let place = |id| play.world.body(id).map_or(DVec3::NAN, |body| widen3(body.position()));
    play.ids.iter().map(|&id| place(id)).collect()
}

fn velocities(game: &Game, play: &Play) -> Vec<DVec3> {
    let velocity = |id| play.world.body(id).map_or(DVec3::NAN, |b| widen3(b.linear_velocity));
    game.pieces.iter().zip(&play.ids).map(|(_, &id)| velocity(id)).collect()
}

/// Largest distance of the anchors of a joint from what it should be (m).
fn joint_error(game: &Game, play: &Play) -> Double {
    let mut worst: Double = 0.0;
    for link in &game.links {
        let anchor = |i: usize| {
            play.world.body(play.ids[link.bodies[i]]).map_or(DVec3::NAN, |body| {
                widen3(body.position()) + widen3(quat_rotate(body.rotation(), link.anchors[i]))
            })
        };
        let distance = (anchor(1) - anchor(0)).length();
        let error = (distance - link.length.map_or(0.0, widen)).abs();
        worst = if error.is_nan() { Double::INFINITY } else { worst.max(error) };
    }
    worst
}

impl Record {
    /// Steps within the last so many seconds.
    pub fn last(&self, seconds: Double) -> &[Step] {
        let n = (seconds / self.dt).round() as usize;
        &self.steps[self.steps.len().saturating_sub(n)..]
    }

    /// Root mean square of the carried linear velocities over the last second [m/s].
    pub fn speed_at_rest(&self) -> Double {
        let last = self.last(1.0);
        let sum: Double = last.iter().map(|step| step.speed[0]).sum();
        (sum / last.len().max(1) as Double).sqrt()
    }

    /// Does everything stand: drift below 0.1 m and drop below 0.25 m, as for the other engines?
    pub fn stands(&self) -> bool {
        self.drift < 0.1 && self.drop < 0.25 && !self.cut
    }

    /// Mean, median, 95th percentile and maximum of a time (ms) in the window.
    pub fn times(&self, of: impl Fn(&Step) -> Double) -> [Double; 4] {
        statistics(self.steps[self.window[0]..self.window[1]].iter().map(|step| 1e3 * of(step)))
    }

    /// Mean, median, 95th percentile and maximum of the solve in the window (ms).
    pub fn solve_times(&self) -> [Double; 4] {
        self.times(|step| step.seconds[SOLVE])
    }

    /// Worst of both residuals [m/s] over all steps.
    pub fn worst(&self) -> [Double; 2] {
        let worst = |i: usize| self.steps.iter().map(|s| s.residual[i]).fold(0.0, Double::max);
        [worst(0), worst(1)]
    }

    /// Steps with no violent impact within the time that is forgiven before them.
    pub fn calm(&self) -> impl Iterator<Item = &Step> {
        let forgiven = (FORGIVEN / self.dt).round() as usize;
        let mut since = forgiven;
        self.steps.iter().filter(move |step| {
            since = if step.kick > VIOLENT { 0 } else { since + 1 };
            since > forgiven
        })
    }

    /// Worst residual [m/s] of the calm steps, and their number.
    pub fn calm_residual(&self) -> (Double, usize) {
        self.calm().fold((0.0, 0), |(worst, n), s| (worst.max(s.error()), n + 1))
    }

    /// Median, 95th percentile and worst residual [m/s] of all steps.
    pub fn residuals(&self) -> [Double; 3] {
        let [_, median, high, worst] = statistics(self.steps.iter().map(Step::error));
        [median, high, worst]
    }

    /// Longest time (s) from a violent impact to the next step that is solved to the tolerance.
    pub fn recovery(&self) -> Double {
        let (mut longest, mut waiting) = (0, None);
        for (k, step) in self.steps.iter().enumerate() {
            if step.kick > VIOLENT {
                waiting = Some(k);
            }
            if let Some(from) = waiting {
                longest = longest.max(k - from);
                if step.error() <= self.tolerance {
                    waiting = None;
                }
            }
        }
        longest as Double * self.dt
    }

    /// Prints everything as a table.
    pub fn print(&self, name: &str) {
        let [end, run] = self.overlap.map(|x| 1e3 * x);
        println!("scene            {name}{}", if self.cut { "  (CUT SHORT)" } else { "" });
        let seconds = self.steps.len() as Double * self.dt;
        println!("steps            {} of {:.5} s: {seconds:.2} s", self.steps.len(), self.dt);
        println!("overlap          {end:.5} mm end, {run:.5} mm run, {} pairs", self.overlapping);
        println!("speed at rest    {:.2e} m/s", self.speed_at_rest());
        println!(
            "drift, drop      {:.5} mm, {:.5} mm, stands: {}",
            1e3 * self.drift,
            1e3 * self.drop,
            self.stands()
        );
        let [end, run] = self.joint_error.map(|x| 1e3 * x);
        println!("joint error      {end:.5} mm end, {run:.5} mm run");
        let energy = self.steps.last().map_or(0.0, |step| step.energy);
        println!("kinetic energy   {energy:.3e} J at the end, {} bodies frozen", self.frozen);
        let [map, relaxed] = self.worst();
        println!("worst residual   {map:.1e}, carried {relaxed:.1e} m/s");
        let (calm, n) = self.calm_residual();
        println!("… {FORGIVEN} s after violence: {calm:.1e} m/s in {n} steps");
        let [median, high, _] = self.residuals();
        println!("residual         {median:.1e} m/s median, {high:.1e} 95th percentile");
        let unsolved = self.steps.iter().filter(|step| !step.solved).count();
        let swept = self.steps.iter().filter(|step| step.swept > 0).count();
        println!("not converged    {unsolved} of {} steps, swept {swept}", self.steps.len());
        let window = &self.steps[self.window[0]..self.window[1]];
        let mean = |of: &dyn Fn(&Step) -> u32| {
            let sum: Double = window.iter().map(|step| Double::from(of(step))).sum();
            sum / window.len().max(1) as Double
        };
        println!(
            "mean work        {:.1} iterations, {:.2} factorizations, {:.0} contacts",
            mean(&|step| step.work[0]),
            mean(&|step| step.work[1]),
            mean(&|step| step.contacts)
        );
        let [from, to] = self.window.map(|k| k as Double * self.dt);
        println!("ms, {from:.1}–{to:.1} s         mean    median       p95       max");
        let row = |name: &str, [mean, median, high, max]: [Double; 4]| {
            println!("  {name:14} {mean:9.4} {median:9.4} {high:9.4} {max:9.4}");
        };
        for (stage, name) in STAGES.iter().enumerate() {
            row(name, self.times(|step| step.seconds[stage]));
        }
        row("step", self.times(|step| step.seconds.iter().sum()));
    }
}

/// Mean, median, 95th percentile and maximum.
pub fn statistics(values: impl Iterator<Item = Double>) -> [Double; 4] {
    let mut sorted: Vec<Double> = values.collect();
    if sorted.is_empty() {
        return [0.0; 4];
    }
    sorted.sort_by(Double::total_cmp);
    let mean = sorted.iter().sum::<Double>() / sorted.len() as Double;
    let at = |part: Double| sorted[((sorted.len() - 1) as Double * part).round() as usize];
    [mean, at(0.5), at(0.95), at(1.0)]
}
