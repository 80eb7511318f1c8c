//! Solving: every island by itself, once for the poses and once more for the carried velocities.
//!
//! The biased problem moves the bodies: its rows take back overlap. Where a row pushed, the *relaxed*
//! problem, the same without the push, gives the velocity that is carried to the next step and the
//! impulses that users read; otherwise 10 mm of overlap would leave at 0.6 m/s. Each of the two is
//! warm-started from its own impulses of the last step; both residuals are reported.

use super::assemble::{IslandRanges, StepProblem, Unknowns};
use super::body::BodyId;
use super::graph::Islands;
use super::joint::Joint;
use super::lcp::chord::{
    self, ChordMemory, ChordParams, ChordScratch, ManifoldIterate, ManifoldProblem,
};
use super::lcp::manifold::Manifold;
use super::lcp::{
    self, BodyBlock, Cone, ContactRow, Iterate, Method, Problem, Scratch, SolveStats, SolverParams,
    Status,
};
use super::pair::Pair;
use super::report::{StepReport, StepStatus};
use super::settings::Settings;
use crate::math::{DVec3, Double, widen};

/// Buffers of the solvers, kept between steps.
#[derive(Clone, Debug, Default)]
pub struct SolverState {
    scratch: Scratch,
    chord: ChordScratch,
    rows: Rows,
    /// What islands keep, ascending by the ids of their first bodies; of this step and of the last.
    memory: Vec<IslandMemory>,
    last: Vec<IslandMemory>,
}

/// What an island keeps from step to step.
#[derive(Clone, Debug)]
struct IslandMemory {
    /// Its first body.
    first: BodyId,
    chord: ChordMemory,
}

impl SolverState {
    /// Solves all islands and adds their certificates to the report.
    pub fn solve(
        &mut self,
        step: &mut StepProblem,
        islands: &Islands,
        settings: &Settings,
        report: &mut StepReport,
    ) {
        let params = params(settings, report);
        let lemke_max = settings.solver.lemke_contacts_max as usize;
        core::mem::swap(&mut self.memory, &mut self.last);
        self.memory.clear();
        let mut old = 0;
        for k in 0..islands.len() {
            let ranges = step.ranges(k, islands);
            if ranges.contacts.is_empty() && ranges.joints.is_empty() {
                for i in ranges.members {
                    step.biased.velocity[i] = step.bodies[i].velocity_free;
                    step.relaxed.velocity[i] = step.bodies[i].velocity_free;
                }
                continue;
            }
            let mut params = params;
            let pivots = ranges.contacts.len() <= lemke_max && ranges.rolling.is_empty();
            if params.method == Method::Lemke && !pivots {
                params.method = Method::Newton;
                report.islands_beyond_lemke += 1;
            }
            let mut memory = self.recall(step.first[k], &mut old);
            let stats = self.solve_island(step, &ranges, settings, &params, &mut memory, false);
            count(&stats, report);
            let mut solved = stats.status == Status::Converged;
            let c = stats.certificate;
            report.natural_map = report.natural_map.max(c.natural_map);
            report.natural_map_relative = report.natural_map_relative.max(c.relative);
            report.complementarity_gap += c.gap;
            report.joint_residual = report.joint_residual.max(c.joint);
            if step.is_pushed(&ranges, settings.solver.tolerance) {
                step.take_push(&ranges, -1.0);
                let stats = self.solve_island(step, &ranges, settings, &params, &mut memory, true);
                step.take_push(&ranges, 1.0);
                count(&stats, report);
                solved &= stats.status == Status::Converged;
                let residual = stats.certificate.natural_map;
                report.natural_map_relaxed = report.natural_map_relaxed.max(residual);
            } else {
                step.relaxed.copy_from(&step.biased, &ranges);
            }
            self.memory.push(memory);
            if !solved {
                report.islands_unsolved += 1;
                report.status = StepStatus::NotConverged;
            }
        }
    }

    /// What the island of this first body kept; `old` is the place in the list of the last step.
    fn recall(&mut self, first: BodyId, old: &mut usize) -> IslandMemory {
        while self.last.get(*old).is_some_and(|memory| memory.first < first) {
            *old += 1;
        }
        match self.last.get_mut(*old) {
            Some(memory) if memory.first == first => {
                let chord = core::mem::take(&mut memory.chord);
                IslandMemory { first, chord }
            }
            _ => IslandMemory { first, chord: ChordMemory::default() },
        }
    }

    fn solve_island(
        &mut self,
        step: &mut StepProblem,
        ranges: &IslandRanges,
        settings: &Settings,
        params: &SolverParams,
        memory: &mut IslandMemory,
        relaxed: bool,
    ) -> SolveStats {
        let unknowns = if relaxed { &mut step.relaxed } else { &mut step.biased };
        let bodies = &step.bodies[ranges.members.clone()];
        let manifolds = &step.manifolds[ranges.manifolds.clone()];
        let world = &mut unknowns.contact_impulse[ranges.contacts.clone()];
        let is_fast = settings.solver.cone == Cone::Circular
            && ranges.rolling.is_empty()
            && matches!(params.method, Method::Auto | Method::Newton);
        let mut done = None;
        if is_fast {
            let problem =
                ManifoldProblem { bodies, manifolds, joints: &step.joints[ranges.joints.clone()] };
            let mut iterate = ManifoldIterate {
                velocity: &mut unknowns.velocity[ranges.members.clone()],
                contact: world,
                joint: &mut unknowns.joint_impulse[ranges.joints.clone()],
            };
            let chord = ChordParams {
                tolerance: params.newton.tolerance,
                gravity_dt: params.newton.gravity_dt,
                penalty: 200.0,
                outer_max: params.newton.outer_max,
                newton_max: 40,
                work_max: 400.0,
            };
            let (memory, scratch) = (&mut memory.chord, &mut self.chord);
            let stats = chord::solve(&problem, &mut iterate, &chord, memory, scratch);
            let rows = ranges.contacts.len() + ranges.joints.len() + ranges.members.len();
            if stats.status == Status::Converged || rows > params.newton_rows_max {
                return stats;
            }
            done = Some(stats);
        }
        self.rows.expand(manifolds, bodies, world);
        let problem = Problem {
            bodies,
            joints: &step.joints[ranges.joints.clone()],
            contacts: &self.rows.contacts,
            rolling: &step.rolling[ranges.rolling.clone()],
            cone: settings.solver.cone,
        };
        let mut iterate = Iterate {
            velocity: &mut unknowns.velocity[ranges.members.clone()],
            joint_impulse: &mut unknowns.joint_impulse[ranges.joints.clone()],
            contact_impulse: &mut self.rows.impulse,
            rolling_impulse: &mut unknowns.rolling_impulse[ranges.rolling.clone()],
        };
        let mut stats = lcp::solve(&problem, &mut iterate, params, &mut self.scratch);
        self.rows.keep(manifolds, world);
        if let Some(first) = done {
            stats.iterations += first.iterations;
            stats.factorizations += first.factorizations;
        }
        stats
    }
}

/// The contacts of an island as rows, for the general solvers.
#[derive(Clone, Debug, Default)]
struct Rows {
    contacts: Vec<ContactRow>,
    impulse: Vec<[Double; 3]>,
}

impl Rows {
    /// Makes a row of every contact and takes its impulse along.
    fn expand(&mut self, manifolds: &[Manifold], bodies: &[BodyBlock], world: &[[Double; 3]]) {
        self.contacts.clear();
        self.impulse.clear();
        for manifold in manifolds {
            let frame = manifold.frame().map(DVec3::from_array);
            for lane in 0..manifold.count as usize {
                self.contacts.push(manifold.row(lane, bodies));
                let impulse = DVec3::from_array(world[manifold.first as usize + lane]);
                self.impulse.push(frame.map(|d| d.dot(impulse)));
            }
        }
    }

    /// Gives the impulses back as vectors of the world.
    fn keep(&self, manifolds: &[Manifold], world: &mut [[Double; 3]]) {
        for manifold in manifolds {
            let frame = manifold.frame().map(DVec3::from_array);
            for lane in 0..manifold.count as usize {
                let i = manifold.first as usize + lane;
                let [n, t1, t2] = self.impulse[i];
                world[i] = (frame[0] * n + frame[1] * t1 + frame[2] * t2).to_array();
            }
        }
    }
}

/// Adds the work of one solve to the report.
fn count(stats: &SolveStats, report: &mut StepReport) {
    report.iterations += stats.iterations;
    report.factorizations += stats.factorizations;
}

/// The solvers' parameters from the settings.
fn params(settings: &Settings, report: &StepReport) -> SolverParams {
    let s = &settings.solver;
    let mut params = SolverParams { method: s.method, ..SolverParams::default() };
    let gravity_dt = widen(settings.gravity.length()) * widen(report.dt);
    params.pgs.iterations_max = s.sweeps_max;
    params.pgs.tolerance = s.tolerance;
    params.pgs.gravity_dt = gravity_dt;
    params.newton.tolerance = s.tolerance;
    params.newton.gravity_dt = gravity_dt;
    params.newton.outer_max = s.newton_max;
    params.newton.factorizations_max = s.factorizations_max;
    params.newton.penalty = s.penalty;
    params.newton_rows_max = s.newton_rows_max as usize;
    params.lemke.tolerance = s.tolerance;
    params.lemke.gravity_dt = gravity_dt;
    if s.method == Method::Lemke {
        // Counted in contacts, below.
        params.lemke.size_max = usize::MAX;
    }
    params
}

impl Unknowns {
    /// Copies the unknowns of one island.
    fn copy_from(&mut self, other: &Self, ranges: &IslandRanges) {
        let IslandRanges { members: m, contacts: c, joints: j, rolling: r, .. } = ranges.clone();
        self.velocity[m.clone()].copy_from_slice(&other.velocity[m]);
        self.contact_impulse[c.clone()].copy_from_slice(&other.contact_impulse[c]);
        self.joint_impulse[j.clone()].copy_from_slice(&other.joint_impulse[j]);
        self.rolling_impulse[r.clone()].copy_from_slice(&other.rolling_impulse[r]);
    }
}

impl StepProblem {
    /// Does any row of an island push faster than the tolerance?
    fn is_pushed(&self, ranges: &IslandRanges, tolerance: Double) -> bool {
        let mut manifolds = self.manifolds[ranges.manifolds.clone()].iter();
        manifolds.any(|m| m.push.iter().any(|push| push.abs() > tolerance))
            || self.joint_push[ranges.joints.clone()].iter().any(|push| push.abs() > tolerance)
    }

    /// Adds `sign` times the push to the biases of an island.
    fn take_push(&mut self, ranges: &IslandRanges, sign: Double) {
        for manifold in &mut self.manifolds[ranges.manifolds.clone()] {
            manifold.take_push(sign);
        }
        for i in ranges.joints.clone() {
            self.joints[i].bias += sign * self.joint_push[i];
        }
    }

    /// Writes the impulses back to the contacts and joints they belong to, for the next step.
    pub fn keep_impulses(&self, pairs: &mut [Pair], joints: &mut [Joint]) {
        for (i, &[p, c]) in self.contact_source.iter().enumerate() {
            let contact = &mut pairs[p as usize].contacts[c as usize];
            contact.impulse =
                [&self.biased, &self.relaxed].map(|u| DVec3::from_array(u.contact_impulse[i]));
        }
        for (row, &at) in self.rolling_source.iter().enumerate() {
            let (frame, length) = (self.rolling_frame[row], self.rolling_length[row]);
            let world = |l: [Double; 3]| -> DVec3 {
                (frame[0] * l[0] + frame[1] * l[1] + frame[2] * l[2]) * length
            };
            let [p, c] = self.contact_source[at as usize];
            let contact = &mut pairs[p as usize].contacts[c as usize];
            contact.angular_impulse =
                [&self.biased, &self.relaxed].map(|u| world(u.rolling_impulse[row]));
        }
        for (row, &[j, r]) in self.joint_source.iter().enumerate() {
            let joint = &mut joints[j as usize];
            joint.impulse[0][r as usize] = self.biased.joint_impulse[row];
            joint.impulse[1][r as usize] = self.relaxed.joint_impulse[row];
        }
    }
}
