//! The method: plain functions on slices, no Bevy, no clock. It cannot fail.
//!
//! A step is the list of calls in [`Simulation::step`]. It advances poses `q` and velocities `v` by the
//! constraint-stabilized scheme of Anitescu, Hart, Potra and Miller: one complementarity problem for each
//! island of contacts, and infeasibility that stays O(h²) (Theorem 6.12). A second one gives the velocities
//! that are carried on where the first pushed, where bodies turned or bounce; islands with joints pose one
//! for each Newton pass. Large islands in which bodies strike each other are not solved to a tolerance but
//! advanced in small steps with soft contacts, see [`lcp::sweeps`].
//!
//! # Symbols
//!
//! | papers | code | meaning, unit |
//! |---|---|---|
//! | r, r̂ | `ratio` | ratio metric of a pair, – |
//! | ρ, Φ | `gap` of a pair | ratio penetration depth (r-1)/r, –; < 0 overlapping |
//! | Φ D | `separation` | signed distance of the two supporting planes, m |
//! | (x^m, t^m) | `point`, `ratio` of an event | touching point of the scaled bodies, m; its ratio, – |
//! | ε_t, ε_x, ε_0 | `eps_t`, `eps_x`, `eps_0` | tolerances of the papers' active set, – |
//! | h | `dt` | step, s |
//! | γ | `gamma` | stabilization factor, – |
//! | Δ, Υ | `bias` | right-hand side of contact and joint rows, m/s |
//! | n, D, ν | `jacobian_a`, `jacobian_b`, `terms` | Jacobian rows |
//! | c_n, β | `contact_impulse` | (normal, tangent 1, tangent 2), N·s |
//! | c_ν | `joint_impulse` | N·s or N·m·s |
//! | λ | slip speed Λ | m/s |
//! | μ, M, k, v_l, v^{l+1} | `friction`, `mass`, force, `velocity_free`, `velocity` | –, kg, N, m/s, rad/s |
//!
//! # Determinism
//!
//! Equal states and equal calls give equal bits, in debug and in release, with any number of threads, for the
//! same features of the crate; `docs/trust.md` tells on which platforms that was compared. Why: the order of
//! everything comes from ids, which are counters; every list that leaves a stage is sorted by a documented
//! key (pairs by [`PairKey`](pair_key::PairKey), contacts by feature id, islands by their first body); hash
//! maps are only looked up, never iterated; what is found of a body, of two near boxes and of a pair depends
//! on their own state alone, and is taken up in their order; islands do not share unknowns, and parts of an
//! island are swept in an order that no thread changes; no sum depends on chunking; all arithmetic is scalar,
//! without fused operations, and transcendental functions come from `libm`; there is no clock. Portals and
//! impulses are part of the state: a clone of a [`Simulation`] continues as the original does.

mod edit;
pub(crate) mod geometry;
pub mod lcp;
pub mod papers;
pub mod report;
pub mod settings;
pub(crate) mod state;
pub mod step;
pub(crate) mod tuning;
#[cfg(any(test, feature = "validate"))]
mod validate;

pub use self::geometry::{bvh, ratio, shape};
pub use self::state::pairs as pair;
pub use self::state::{bodies, body, collider, contact, joint, locked_axes, motion, pair_key};
pub use self::step::touches as touch;
#[doc(inline)]
pub use crate::{par, query};

use self::geometry::shape::share::Shapes;
use self::report::{StepReport, StepStatus};
use self::settings::{Settings, StepMode};
use self::state::bodies::Bodies;
use self::state::body::BodyId;
pub use self::state::contact::Contact;
use self::state::contact::warm_start;
use self::state::joint::{Joint, JointDesc, Joints};
use self::state::motion::Motions;
use self::state::pairs::{Pairs, is_dormant};
use self::step::assemble::{Sources, StepProblem};
use self::step::broad::{BroadPhase, Enlarge, Input};
use self::step::ccd::stop::{Solved, Stop, find_stops};
use self::step::islands::{Islands, NO_BODY};
use self::step::narrow::NarrowPhase;
use self::step::narrow::flight::{Flight, take_up};
use self::step::quasistatic::{self, hold_unbalanced};
use self::step::sleep::{Finished, Parts, Sleepers};
use self::step::solve::SolverState;
use self::step::touches::Touches;
use self::step::unchanged::{Steady, Touching, find_movers, look_at_edited, predict_woken};
use crate::math::{Double, Real, fill_from, narrow};
use crate::par::{Pool, Serial};

/// A world of bodies and joints, and everything a step needs.
///
/// A clone is a snapshot: it continues exactly as the original does.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    pub(crate) bodies: Bodies,
    pub(crate) joints: Joints,
    pub(crate) pairs: Pairs,
    pub(crate) touches: Touches,
    pub(crate) sleepers: Sleepers,
    pub(crate) report: StepReport,
    /// Length of the last completed step (s); 0 before the first.
    pub(crate) dt_last: Real,
    /// Counts what may have moved, made or changed a body.
    pub(crate) revision: u64,
    /// Contact margin of this step (m).
    margin: Real,
    /// What this step is.
    mode: StepMode,
    /// Is a step under way? Stages do nothing otherwise.
    pub(crate) active: bool,
    work: Work,
}

/// Buffers of a step. The next one depends on nothing in them but what islands keep in `solver`, on that
/// only within the tolerance, and in a crowd on which pairs `broad` refused.
#[derive(Clone, Debug, Default)]
struct Work {
    shapes: Shapes,
    motions: Motions,
    /// Bodies that are active and bodies that may have changed, for the broad phase.
    movers: Vec<u32>,
    /// Whether each body is one of these.
    marks: Vec<bool>,
    broad: BroadPhase,
    flights: Vec<Flight>,
    excluded: Vec<[BodyId; 2]>,
    joint_bodies: Vec<[u32; 2]>,
    touching: Vec<Touching>,
    islands: Islands,
    problem: StepProblem,
    solver: SolverState,
    steady: Steady,
    stops: Vec<Stop>,
}

impl Simulation {
    /// An empty world.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Advances the world by `dt` seconds. Never fails: what went wrong is in the report.
    pub fn step(&mut self, settings: &Settings, dt: Real) -> &StepReport {
        self.begin(settings, dt);
        self.find_pairs(settings);
        self.find_contacts(settings);
        self.build_islands();
        self.assemble(settings);
        self.solve(settings);
        self.integrate();
        self.finish();
        &self.report
    }

    /// Stage 1: takes up forces and targets, finds broken states, predicts free velocities. False if
    /// `dt` or a setting is out of range; the other stages of this step then do nothing.
    pub fn begin(&mut self, settings: &Settings, dt: Real) -> bool {
        self.begin_on(settings, dt, &Serial)
    }

    /// Stage 1 with the bodies spread over a pool; the same bits for any pool.
    pub fn begin_on(&mut self, settings: &Settings, dt: Real, pool: &dyn Pool) -> bool {
        self.report.begin(dt);
        self.revision += 1;
        self.active = settings::ranges::STEP.contains(dt) && settings.validate().is_ok();
        if !self.active {
            self.report.status = StepStatus::Refused;
            self.touches.settle();
            return false;
        }
        let settings = &quasistatic::effective(settings);
        self.mode = settings.mode;
        self.margin = settings.contact.margin;
        let (sleepers, mut parts) = self.sleepers_and_parts();
        sleepers.wake_edited(settings, &mut parts);
        self.joints.compact(&self.bodies);
        self.bodies.compact();
        let (bodies, work) = (&mut self.bodies, &mut self.work);
        let Work { motions, shapes, .. } = work;
        let broken = &mut self.report.quarantined;
        work.steady.predict(bodies, motions, shapes, (settings, dt), broken, pool);
        let index = |id| self.bodies.index_of(id).map_or(NO_BODY, |i| i as u32);
        let ends = |joint: &Joint| match joint.desc {
            JointDesc { enabled: false, .. } => [NO_BODY; 2],
            JointDesc { ends, .. } => ends.map(|end| end.map_or(NO_BODY, index)),
        };
        self.joints.forget_disabled();
        fill_from(&mut work.joint_bodies, self.joints.as_slice().iter().map(ends));
        work.motions.join(&work.joint_bodies);
        self.report.bodies = self.bodies.len() as u32;
        let awake = work.motions.moves.iter().filter(|moves| **moves).count();
        self.report.dynamic_bodies = (awake + self.sleepers.count()) as u32;
        true
    }

    /// Stage 2: pairs of pieces whose bounding boxes meet within the step.
    pub fn find_pairs(&mut self, settings: &Settings) {
        self.find_pairs_on(settings, &Serial);
    }

    /// Stage 2 with near boxes spread over a pool; the same bits for any pool.
    pub fn find_pairs_on(&mut self, settings: &Settings, pool: &dyn Pool) {
        if !self.active {
            return;
        }
        let settings = &quasistatic::effective(settings);
        let work = &mut self.work;
        let Work { motions, marks, movers, .. } = work;
        find_movers(&self.bodies, motions, marks, movers);
        let dt = self.report.dt;
        self.joints.list_excluded(&mut work.excluded);
        let enlarge = Enlarge::of(settings, dt);
        let Work { broad, motions, movers, excluded, .. } = work;
        let motions = &motions.list;
        let input = Input { bodies: &self.bodies, motions, movers, enlarge, excluded };
        broad.find(&input, pool);
        self.pairs.update(&broad.changes(), &self.bodies);
        self.report.pairs = self.pairs.list.len() as u32;
        self.report.searched = broad.searched;
        self.report.pairs_refused = broad.crowded(&mut self.report.crowded);
        self.check_pairs();
    }

    /// Stage 3: the ratio metric of every pair and its active events, with the impulses of the last step.
    pub fn find_contacts(&mut self, settings: &Settings) {
        self.find_contacts_on(settings, &Serial);
    }

    /// Stage 3 with the pairs spread over a pool; the same bits for any pool.
    pub fn find_contacts_on(&mut self, settings: &Settings, pool: &dyn Pool) {
        if !self.active {
            return;
        }
        let settings = &quasistatic::effective(settings);
        self.wake_in_step(settings);
        self.measure(settings, pool);
        loop {
            let Work { motions, joint_bodies, .. } = &self.work;
            let (bodies, motions, pairs) = (&self.bodies, &motions.list, &self.pairs);
            if !self.sleepers.mark_touched(bodies, motions, pairs, joint_bodies, self.margin) {
                break;
            }
            self.wake_in_step(settings);
            self.measure(settings, pool);
        }
        for (_, head) in self.pairs.heads_seen() {
            self.report.measured += u32::from(head.measured && !head.dormant);
            if head.contacts + head.dropped > 0
                && !head.sensor
                && !is_dormant(head.bodies, &self.work.motions.list)
            {
                self.report.contacts += head.contacts;
                self.report.events_dropped += head.dropped;
            }
        }
        self.pairs.measured = self.report.measured;
        self.find_infeasibility();
        self.check_contacts(settings);
    }

    /// Wakes the islands that are to wake, with their free motion.
    fn wake_in_step(&mut self, settings: &Settings) {
        let Self { sleepers, bodies, pairs, joints, .. } = self;
        let mut parts = Parts { bodies, pairs, joints, dt_last: self.dt_last };
        let woken = sleepers.wake_in_step(&mut parts);
        let Work { motions, broad, .. } = &mut self.work;
        let StepReport { dt, quarantined, .. } = &mut self.report;
        predict_woken(woken, parts.bodies, motions, settings, *dt, quarantined);
        broad.renew_woken(woken, parts.bodies, &motions.list);
    }

    /// `I(q)` (6.3) of the poses the step begins with: of pairs in ratio units, of joints in m or rad.
    fn find_infeasibility(&mut self) {
        let ([mut gap, mut separation], bodies) = (self.pairs.unseen, self.bodies.as_slice());
        for (_, head) in self.pairs.heads_seen() {
            let depth = head.depth();
            (gap, separation) = (gap.min(depth[0]), separation.min(depth[1]));
        }
        let mut error: Double = 0.0;
        let joints = self.joints.as_slice().iter().zip(&self.work.joint_bodies);
        for (joint, ends) in joints.filter(|(_, ends)| **ends != [NO_BODY; 2]) {
            error = error.max(joint.error(ends.map(|i| bodies.get(i as usize))));
        }
        self.report.joint_error = narrow(error);
        // Nothing is added but the sign of zero.
        self.report.overlap = (-separation).max(0.0) + 0.0;
        self.report.infeasibility = (-gap).max(self.report.joint_error) + 0.0;
    }

    /// Measures the pairs that are out of date.
    fn measure(&mut self, settings: &Settings, pool: &dyn Pool) {
        let Work { flights, motions, broad, .. } = &mut self.work;
        take_up(flights, &self.bodies, &motions.list, broad, self.sleepers.woken());
        let narrow = NarrowPhase {
            bodies: self.bodies.as_slice(),
            motions: &motions.list,
            jointed: &motions.jointed,
            changes: self.bodies.changes(),
            flights,
            settings,
            dt: self.report.dt,
            fall: self.report.dt * self.report.dt * settings.gravity.length(),
        };
        self.pairs.measure(
            pool,
            |head, guard| narrow.judge(head, guard),
            |batch| narrow.update(batch),
        );
    }

    /// Stage 4: groups of bodies that touch or are joined.
    pub fn build_islands(&mut self) {
        if !self.active {
            return;
        }
        let work = &mut self.work;
        let Work { motions, steady, touching, .. } = work;
        let (bodies, pairs, motions) = (&self.bodies, &mut self.pairs, &motions.list);
        steady.touches = self.sleepers.mark_touching(bodies, motions, pairs, touching);
        let joined = work.joint_bodies.iter().filter(|ends| !ends.contains(&NO_BODY));
        let edges = work.touching.iter().map(|pair| pair.bodies).chain(joined.copied());
        work.islands.build(&work.motions.moves, edges);
        self.report.islands = work.islands.len() as u32;
        let Work { steady, islands, touching, joint_bodies, solver, .. } = work;
        let mut old = 0;
        let last = |first| solver.steady(first, &mut old);
        steady.find(bodies, islands, touching, joint_bodies, last);
        let awake = |ends: &&[u32; 2]| {
            let mut motions = ends.iter().filter_map(|&i| work.motions.list.get(i as usize));
            **ends != [NO_BODY; 2] && !motions.any(|motion| motion.asleep)
        };
        self.report.joints = work.joint_bodies.iter().filter(awake).count() as u32;
        self.check_islands();
    }

    /// Stage 5: the rows of the step problem (5.1).
    pub fn assemble(&mut self, settings: &Settings) {
        if !self.active {
            return;
        }
        let settings = &quasistatic::effective(settings);
        let (problem, _, _, sources) = self.for_the_problem();
        problem.assemble(&sources, settings);
        self.check_problem();
    }

    /// What assembles and solves: the step problem, its solvers, the report, and what the problem is of.
    fn for_the_problem(
        &mut self,
    ) -> (&mut StepProblem, &mut SolverState, &mut StepReport, Sources<'_>) {
        let Self { bodies, pairs, joints, work, report, dt_last, .. } = self;
        let Work { problem, solver, motions, joint_bodies, islands, steady, touching, .. } = work;
        let sources = Sources {
            bodies: bodies.as_slice(),
            motions: &motions.list,
            pairs: &pairs.list,
            joints: joints.as_slice(),
            joint_bodies,
            islands,
            steady: &steady.islands,
            touching,
            dt: report.dt,
            dt_ratio: warm_start(report.dt, *dt_last),
        };
        (problem, solver, report, sources)
    }

    /// Stage 6: velocities and impulses.
    pub fn solve(&mut self, settings: &Settings) {
        self.solve_on(settings, &Serial);
    }

    /// Stage 6 with the islands spread over a pool; the same bits for any pool.
    pub fn solve_on(&mut self, settings: &Settings, pool: &dyn Pool) {
        if !self.active {
            return;
        }
        let settings = &quasistatic::effective(settings);
        let (problem, solver, report, sources) = self.for_the_problem();
        solver.solve(problem, &sources, settings, report, pool);
        self.work.problem.keep_impulses(&mut self.pairs.list);
        let (joints, dt) = (self.joints.as_mut_slice(), self.report.dt);
        let StepReport { broken, yielded, .. } = &mut self.report;
        self.work.problem.keep_joints(joints, dt, broken, yielded);
        self.report.jammed.extend(self.jams(settings).iter().filter_map(|jam| jam.bodies.first()));
        for i in 0..self.report.broken.len() {
            let ends = self.joint(self.report.broken[i]).map(|joint| joint.desc.ends);
            ends.into_iter().flatten().flatten().for_each(|id| self.mark_body(id));
        }
    }

    /// Stage 7: poses, and which islands fall asleep.
    pub fn integrate(&mut self) {
        if !self.active {
            return;
        }
        self.revision += 1;
        let (work, report) = (&mut self.work, &mut self.report);
        if let Some(quasistatic) = self.mode.as_quasistatic() {
            let sources = (self.bodies.as_slice(), &*work.motions.list, &work.islands);
            let StepProblem { biased, relaxed, at_end, .. } = &mut work.problem;
            let velocities = [&mut *biased.velocity, &mut relaxed.velocity];
            let unbalanced = &mut report.unbalanced;
            hold_unbalanced(quasistatic, velocities, sources, report.dt, unbalanced);
            // What is carried is the way of the step, not momentum.
            at_end.fill(true);
        }
        let solved = Solved {
            bodies: &self.bodies,
            motions: &work.motions.list,
            islands: &work.islands,
            velocity: &work.problem.biased.velocity,
            broad: &work.broad,
            dt: report.dt,
        };
        find_stops(&mut work.stops, &self.pairs, &work.motions.moves, &solved);
        report.kinetic_energy = step::integrate::integrate(
            &mut self.bodies,
            &work.motions.list,
            &work.motions.active,
            &work.steady.islands,
            &work.islands,
            &work.problem.biased.velocity,
            &work.problem.relaxed.velocity,
            &work.problem.at_end,
            &work.stops,
            report.dt,
            &mut report.quarantined,
        );
        report.quarantined.sort_unstable();
        report.quarantined.dedup();
        self.read_joints();
        let Self { sleepers, bodies, pairs, joints, work, .. } = self;
        let finished = Finished {
            motions: &work.motions.list,
            islands: &work.islands,
            velocity: &work.problem.biased.velocity,
            touching: &work.touching,
            joint_bodies: &work.joint_bodies,
            dt: self.report.dt,
        };
        let mut parts = Parts { bodies, pairs, joints, dt_last: self.dt_last };
        sleepers.fall_asleep(&mut parts, &finished);
        self.report.sleeping = self.sleepers.count() as u32;
        self.check_sleepers();
    }

    /// Takes up where the joints of this step are.
    fn read_joints(&mut self) {
        let (work, bodies) = (&self.work, self.bodies.as_slice());
        let joints = self.joints.as_mut_slice().iter_mut().zip(&work.joint_bodies);
        for (joint, ends) in joints.filter(|(_, ends)| **ends != [NO_BODY; 2]) {
            let asleep = |i: &u32| work.motions.list.get(*i as usize).is_some_and(|m| m.asleep);
            if !ends.iter().any(asleep) {
                let bodies = ends.map(|i| bodies.get(i as usize));
                joint.read(bodies, crate::math::widen(self.report.dt));
            }
        }
    }

    /// Stage 8: ends the step.
    pub fn finish(&mut self) {
        self.finish_on(&Serial);
    }

    /// Stage 8 with what may touch spread over a pool; the same bits for any pool.
    pub fn finish_on(&mut self, pool: &dyn Pool) {
        if self.active {
            if self.work.steady.touches {
                self.touches.settle();
            } else {
                let motions = &self.work.motions;
                look_at_edited(&mut self.pairs, &self.bodies, &motions.active);
                self.pairs.take_up_changes();
                let (bodies, motions) = (self.bodies.as_slice(), &motions.list);
                let dt = (self.mode == StepMode::Dynamic).then_some(self.report.dt);
                self.touches.update(&self.pairs, bodies, motions, (self.margin, dt), pool);
                self.check_touches();
            }
            self.dt_last = self.report.dt;
            self.active = false;
        }
    }
}

/// Without the feature `validate` the checks between the stages vanish.
#[cfg(not(any(test, feature = "validate")))]
impl Simulation {
    fn check_pairs(&self) {}
    fn check_contacts(&self, _: &Settings) {}
    fn check_islands(&self) {}
    fn check_sleepers(&self) {}
    fn check_problem(&self) {}
    fn check_touches(&self) {}
}
