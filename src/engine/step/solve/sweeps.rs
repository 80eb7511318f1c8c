//! One island by sweeps in eight lanes: plain, accelerated, in small steps.

use super::Solvers;
use super::island::{Island, Outcome};
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::sweeps;
use crate::engine::lcp::sweeps::{
    SubstepParams, WideIterate, solve_conjugate, solve_substeps, solve_sweeps, substep_ways,
};
use crate::engine::lcp::{Method, SolveStats, Status};
use crate::engine::tuning::sweeps::{
    CHECK_EVERY, PLAIN_ROWS, PLAIN_SWEEPS, PLAIN_SWEEPS_MAX, SWEEPS,
};
use crate::engine::tuning::work::CHECK;
use crate::math::{Double, widen};

/// The best impulses of an island.
#[derive(Clone, Debug, Default)]
pub(super) struct Best {
    contact: Vec<[Double; 3]>,
    joint: Vec<Double>,
}

impl Best {
    fn keep(&mut self, island: &Island<'_, '_>, of: usize) {
        let step = &*island.step;
        let unknowns = if of == 0 { &step.biased } else { &step.relaxed };
        self.contact.clear();
        self.contact.extend_from_slice(&*unknowns.contact_impulse);
        self.joint.clear();
        self.joint.extend_from_slice(&*unknowns.joint_impulse);
    }

    fn give(&self, island: &mut Island<'_, '_>, of: usize) {
        let step = &mut *island.step;
        let unknowns = if of == 0 { &mut step.biased } else { &mut step.relaxed };
        unknowns.contact_impulse.copy_from_slice(&self.contact);
        unknowns.joint_impulse.copy_from_slice(&self.joint);
    }
}

impl Solvers {
    /// Goes on from where the cone Newton stopped: accelerated sweeps, then plain ones. Not those where
    /// bodies strike each other: they crawl, and the next step is another problem.
    pub(super) fn sweep_on(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        stats: &mut SolveStats,
    ) {
        stats.add(&self.go_on(island, relaxed, SWEEPS, true));
        let violence = island.settings.solver.violence;
        if stats.status != Status::Converged && self.approach(island) <= violence {
            // What is small may try long.
            let rows = island.rows().max(1) as u32;
            let most = (PLAIN_SWEEPS + PLAIN_ROWS * PLAIN_SWEEPS / rows).min(PLAIN_SWEEPS_MAX);
            stats.add(&self.go_on(island, relaxed, most, false));
        }
    }

    /// Sweeps in eight lanes, until the tolerance or the number of sweeps is met.
    pub(super) fn wide_sweeps(&mut self, island: &mut Island<'_, '_>, of: usize) -> SolveStats {
        let tolerance = island.settings.solver.tolerance;
        let sweeps_max = island.settings.solver.sweeps_max;
        let mut stats = SolveStats {
            status: Status::Converged,
            iterations: 0,
            factorizations: 0,
            work: CHECK,
            certificate: self.measure(island, of),
        };
        while stats.certificate.error() > tolerance {
            if stats.iterations >= sweeps_max {
                stats.status = Status::IterationLimit;
                break;
            }
            let sweeps = CHECK_EVERY.min(sweeps_max - stats.iterations);
            self.wide(island, |problem, iterate, scratch| {
                solve_sweeps(problem, iterate, of, sweeps, scratch);
            });
            stats.iterations += sweeps;
            stats.work += Double::from(sweeps) + CHECK;
            stats.certificate = self.measure(island, of);
        }
        self.take_measured(island, of);
        stats
    }

    /// Sweeps in eight lanes, accelerated or not, until half the tolerance or the number of sweeps is met;
    /// the best impulses that were measured are kept.
    fn go_on(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        sweeps_max: u32,
        accelerated: bool,
    ) -> SolveStats {
        let (of, tolerance) = (usize::from(relaxed), island.settings.solver.tolerance);
        let first = self.measure(island, of);
        let mut stats = SolveStats {
            status: Status::IterationLimit,
            iterations: 0,
            factorizations: 0,
            work: CHECK,
            certificate: first,
        };
        self.best.keep(island, of);
        let mut last = first.error();
        while last > 0.5 * tolerance && stats.iterations < sweeps_max {
            let fresh = stats.iterations == 0;
            let every = if accelerated { CHECK_EVERY } else { 2 * CHECK_EVERY };
            let sweeps = every.min(sweeps_max - stats.iterations);
            self.wide(island, |problem, iterate, scratch| {
                if accelerated {
                    solve_conjugate(problem, iterate, of, sweeps, fresh, scratch);
                } else {
                    solve_sweeps(problem, iterate, of, sweeps, scratch);
                }
            });
            stats.iterations += sweeps;
            stats.work += Double::from(sweeps) + CHECK;
            let certificate = self.measure(island, of);
            last = certificate.error();
            if last < stats.certificate.error() {
                stats.certificate = certificate;
                self.best.keep(island, of);
            }
        }
        if stats.certificate.error() < first.error() {
            island.memory.chord.note_change();
        }
        self.best.give(island, of);
        self.measure(island, of);
        self.take_measured(island, of);
        if stats.certificate.error() <= tolerance {
            stats.status = Status::Converged;
        }
        stats
    }

    /// A number of sweeps in eight lanes.
    fn sweep_times(&mut self, island: &mut Island<'_, '_>, of: usize, sweeps: u32) -> SolveStats {
        self.wide(island, |problem, iterate, scratch| {
            solve_sweeps(problem, iterate, of, sweeps, scratch);
        });
        let certificate = self.measure(island, of);
        self.take_measured(island, of);
        let status = Status::IterationLimit;
        let work = Double::from(sweeps) + CHECK;
        SolveStats { status, iterations: sweeps, factorizations: 0, work, certificate }
    }

    /// Stiff small steps: both problems at once. What moves the bodies and what is carried on are measured as
    /// they are returned.
    pub(super) fn substeps(&mut self, island: &mut Island<'_, '_>) -> Outcome {
        let (solver, contact) = (&island.settings.solver, &island.settings.contact);
        let params = SubstepParams {
            dt: island.dt,
            substeps: solver.substeps,
            gamma: widen(contact.gamma),
            relax: contact.relax,
            softness: solver.softness,
            joint_softness: solver.joint_softness,
            push_speed_max: widen(contact.push_speed_max),
            dead_zone: widen(contact.dead_zone) * island.dt * island.dt,
            ..SubstepParams::default()
        };
        self.wide(island, |problem, iterate, scratch| {
            solve_substeps(problem, iterate, &params, scratch);
        });
        let certificate = self.certify(island, 0);
        let carried = self.end_small_steps(island);
        let solved = certificate.error().max(carried.error()) <= solver.tolerance;
        let biased = SolveStats {
            status: if solved { Status::Converged } else { Status::IterationLimit },
            iterations: 2 * solver.substeps,
            factorizations: 0,
            work: Double::from(2 * solver.substeps) + 2.0 * CHECK,
            certificate,
        };
        Outcome {
            method: Method::Substeps,
            biased,
            relaxed: None,
            carried,
            beyond_lemke: false,
            flown: true,
        }
    }

    /// The carried velocity after small steps, at the pose to which those took the bodies: that of their
    /// impulses, or what bounces gets there.
    fn end_small_steps(&mut self, island: &mut Island<'_, '_>) -> Certificate {
        let mut ways = core::mem::take(&mut self.ending.ways);
        ways.clear();
        ways.resize(island.step.blows.len(), [0.0; 3]);
        let substeps = island.settings.solver.substeps;
        self.wide(island, |problem, _, scratch| {
            substep_ways(problem, substeps, &mut ways, scratch);
        });
        self.ending.ways = ways;
        self.flight.fly(island.step, island.settings.solver.tolerance);
        self.ending.land(island.step);
        self.ending.fly(island);
        self.ending.put_free_back(island.step);
        self.ending.pose(island, true);
        let bounced = self.bounce_swept(island, &mut |state, island, _| {
            state.sweep_times(island, 1, 2 * substeps)
        });
        if bounced.is_none() {
            island.step.take_push(-1.0);
            self.measure(island, 1);
            self.take_measured(island, 1);
            island.step.take_push(1.0);
        }
        if island.step.manifolds.iter().any(|m| m.restitution > 0.0) {
            let mut bounce = core::mem::take(&mut self.bounce);
            bounce.cap(island);
            self.bounce = bounce;
        }
        self.ending.put_back(island.step);
        match bounced {
            Some(stats) => stats.certificate,
            None => self.certify_carried(island),
        }
    }

    /// Calls a solver in eight lanes.
    fn wide(
        &mut self,
        island: &mut Island<'_, '_>,
        solve: impl FnOnce(&sweeps::SweptIsland<'_>, &mut WideIterate<'_>, &mut sweeps::WideScratch),
    ) {
        let step = &mut *island.step;
        let problem = sweeps::SweptIsland {
            bodies: &*step.bodies,
            manifolds: &*step.manifolds,
            joints: &*step.joints,
            joint_push: step.joint_push,
            velocity_last: step.velocity_last,
        };
        let (biased, relaxed) = (&mut step.biased, &mut step.relaxed);
        let mut iterate = WideIterate {
            velocity: [&mut *biased.velocity, &mut *relaxed.velocity],
            contact_impulse: [&mut *biased.contact_impulse, &mut *relaxed.contact_impulse],
            joint_impulse: [&mut *biased.joint_impulse, &mut *relaxed.joint_impulse],
        };
        solve(&problem, &mut iterate, &mut self.wide);
    }
}
