//! Solving: every island by itself, once for the poses and once more for the carried velocities.
//!
//! The biased problem moves the bodies: its rows take back overlap. Where a row pushed, the *relaxed*
//! problem, the same without the push, gives the velocity that is carried to the next step and the
//! impulses that users read; otherwise 10 mm of overlap would leave at 0.6 m/s. Each of the two is
//! warm-started from its own impulses of the last step; both residuals are reported.

use super::assemble::{IslandRanges, StepProblem, Unknowns};
use super::graph::Islands;
use super::joint::Joint;
use super::lcp::manifold::Manifold;
use super::lcp::{
    self, BodyBlock, ContactRow, Iterate, Method, Problem, Scratch, SolveStats, SolverParams,
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
    rows: Rows,
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
            let stats = self.solve_island(step, &ranges, settings, &params, false);
            count(&stats, report);
            let mut solved = stats.status == Status::Converged;
            let c = stats.certificate;
            report.natural_map = report.natural_map.max(c.natural_map);
            report.natural_map_relative = report.natural_map_relative.max(c.relative);
            report.complementarity_gap += c.gap;
            report.joint_residual = report.joint_residual.max(c.joint);
            if step.is_pushed(&ranges) {
                step.take_push(&ranges, -1.0);
                let stats = self.solve_island(step, &ranges, settings, &params, true);
                step.take_push(&ranges, 1.0);
                count(&stats, report);
                solved &= stats.status == Status::Converged;
                let residual = stats.certificate.natural_map;
                report.natural_map_relaxed = report.natural_map_relaxed.max(residual);
            } else {
                step.relaxed.copy_from(&step.biased, &ranges);
            }
            if !solved {
                report.islands_unsolved += 1;
                report.status = StepStatus::NotConverged;
            }
        }
    }

    fn solve_island(
        &mut self,
        step: &mut StepProblem,
        ranges: &IslandRanges,
        settings: &Settings,
        params: &SolverParams,
        relaxed: bool,
    ) -> SolveStats {
        let unknowns = if relaxed { &mut step.relaxed } else { &mut step.biased };
        let bodies = &step.bodies[ranges.members.clone()];
        let manifolds = &step.manifolds[ranges.manifolds.clone()];
        let world = &mut unknowns.contact_impulse[ranges.contacts.clone()];
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
        let stats = lcp::solve(&problem, &mut iterate, params, &mut self.scratch);
        self.rows.keep(manifolds, world);
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
    /// Does any row of an island push?
    fn is_pushed(&self, ranges: &IslandRanges) -> bool {
        let mut manifolds = self.manifolds[ranges.manifolds.clone()].iter();
        manifolds.any(|m| m.push.iter().any(|&push| push != 0.0))
            || self.joint_push[ranges.joints.clone()].iter().any(|&push| push != 0.0)
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
