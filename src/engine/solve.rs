//! Solving: every island by itself, once for the poses and once more for the carried velocities.
//!
//! The biased problem moves the bodies: its rows take back overlap. Where a row pushed, the *relaxed*
//! problem, the same without the push, gives the velocity that is carried to the next step and the
//! impulses that users read; otherwise 10 mm of overlap would leave at 0.6 m/s. Each of the two is
//! warm-started from its own impulses of the last step; both residuals are reported.

use super::assemble::{IslandRanges, StepProblem, Unknowns};
use super::graph::Islands;
use super::joint::Joint;
use super::lcp::{self, Iterate, Method, Problem, Scratch, SolveStats, SolverParams, Status};
use super::pair::Pair;
use super::report::{StepReport, StepStatus};
use super::settings::Settings;
use crate::math::{DVec3, widen, widen3};

/// Buffers of the solvers, kept between steps.
#[derive(Clone, Debug, Default)]
pub struct SolverState {
    scratch: Scratch,
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
            let [members, contacts, joints, rolling] = step.ranges(k, islands);
            if contacts.is_empty() && joints.is_empty() {
                for i in members {
                    step.biased.velocity[i] = step.bodies[i].velocity_free;
                    step.relaxed.velocity[i] = step.bodies[i].velocity_free;
                }
                continue;
            }
            let pushed = step.contact_push[contacts.clone()].iter().any(|&push| push != 0.0)
                || step.joint_push[joints.clone()].iter().any(|&push| push != 0.0);
            let ranges = [members, contacts.clone(), joints, rolling.clone()];
            let mut params = params;
            let pivots = contacts.len() <= lemke_max && rolling.is_empty();
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
            if pushed {
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
        [members, contacts, joints, rolling]: &IslandRanges,
        settings: &Settings,
        params: &SolverParams,
        relaxed: bool,
    ) -> SolveStats {
        let unknowns = if relaxed { &mut step.relaxed } else { &mut step.biased };
        let problem = Problem {
            bodies: &step.bodies[members.clone()],
            joints: &step.joints[joints.clone()],
            contacts: &step.contacts[contacts.clone()],
            rolling: &step.rolling[rolling.clone()],
            cone: settings.solver.cone,
        };
        let mut iterate = Iterate {
            velocity: &mut unknowns.velocity[members.clone()],
            joint_impulse: &mut unknowns.joint_impulse[joints.clone()],
            contact_impulse: &mut unknowns.contact_impulse[contacts.clone()],
            rolling_impulse: &mut unknowns.rolling_impulse[rolling.clone()],
        };
        lcp::solve(&problem, &mut iterate, params, &mut self.scratch)
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
        let [m, c, j, r] = ranges.clone();
        self.velocity[m.clone()].copy_from_slice(&other.velocity[m]);
        self.contact_impulse[c.clone()].copy_from_slice(&other.contact_impulse[c]);
        self.joint_impulse[j.clone()].copy_from_slice(&other.joint_impulse[j]);
        self.rolling_impulse[r.clone()].copy_from_slice(&other.rolling_impulse[r]);
    }
}

impl StepProblem {
    /// Adds `sign` times the push to the biases of an island.
    fn take_push(&mut self, [_, contacts, joints, _]: &IslandRanges, sign: crate::math::Double) {
        for i in contacts.clone() {
            self.contacts[i].bias[0] += sign * self.contact_push[i];
        }
        for i in joints.clone() {
            self.joints[i].bias += sign * self.joint_push[i];
        }
    }

    /// Writes the impulses back to the contacts and joints they belong to, for the next step.
    pub fn keep_impulses(&self, pairs: &mut [Pair], joints: &mut [Joint]) {
        for (row, &[p, c]) in self.contact_source.iter().enumerate() {
            let directions = self.frames[row].map(widen3);
            let world = |l: [crate::math::Double; 3]| -> DVec3 {
                directions[0] * l[0] + directions[1] * l[1] + directions[2] * l[2]
            };
            let contact = &mut pairs[p as usize].contacts[c as usize];
            contact.impulse =
                [world(self.biased.contact_impulse[row]), world(self.relaxed.contact_impulse[row])];
        }
        for (row, &at) in self.rolling_source.iter().enumerate() {
            let directions = self.frames[at as usize].map(widen3);
            let length = self.rolling_length[row];
            let world = |l: [crate::math::Double; 3]| -> DVec3 {
                (directions[0] * l[0] + directions[1] * l[1] + directions[2] * l[2]) * length
            };
            let [p, c] = self.contact_source[at as usize];
            let contact = &mut pairs[p as usize].contacts[c as usize];
            contact.angular_impulse =
                [world(self.biased.rolling_impulse[row]), world(self.relaxed.rolling_impulse[row])];
        }
        for (row, &[j, r]) in self.joint_source.iter().enumerate() {
            let joint = &mut joints[j as usize];
            joint.impulse[0][r as usize] = self.biased.joint_impulse[row];
            joint.impulse[1][r as usize] = self.relaxed.joint_impulse[row];
        }
    }
}
