//! Solving: every island by itself, once for the poses and once more for the carried velocities.
//!
//! The biased problem moves the bodies: its rows take back overlap. Where a row pushed, the *relaxed*
//! problem, the same without the push, gives the velocity that is carried to the next step and the
//! impulses that users read; otherwise 10 mm of overlap would leave at 0.6 m/s. Each of the two is
//! warm-started from its own impulses of the last step; both residuals are reported. Small steps
//! ([`Method::Substeps`](super::lcp::Method::Substeps)) do both at once. Where bodies bounce,
//! `bounce.rs` finds the carried velocity.
//!
//! `island.rs` chooses and calls the solvers, `sweeps.rs` has those that sweep, `rows.rs` turns manifolds
//! into rows for the general ones.

mod bounce;
mod island;
mod rows;
mod sweeps;

use self::bounce::BounceScratch;
use self::island::{Island, IslandMemory, Outcome, Steady};
use self::rows::Rows;
use self::sweeps::Best;
use super::active::Blow;
use super::assemble::{IslandRanges, StepProblem, Unknowns};
use super::body::BodyId;
use super::graph::Islands;
use super::lcp::chord::ChordScratch;
use super::lcp::direct::DirectScratch;
use super::lcp::wide::WideScratch;
use super::lcp::{Scratch, Status};
use super::pair::Pair;
use super::report::{IslandReport, StepReport, StepStatus};
use super::settings::Settings;
use crate::math::{DVec3, Double, widen};

/// Buffers of the solvers, and what islands keep from step to step.
#[derive(Clone, Debug, Default)]
pub struct SolverState {
    scratch: Scratch,
    chord: ChordScratch,
    direct: DirectScratch,
    wide: WideScratch,
    rows: Rows,
    bounce: BounceScratch,
    best: Best,
    /// What islands keep, ascending by the ids of their first bodies; of this step and of the last.
    memory: Vec<IslandMemory>,
    last: Vec<IslandMemory>,
}

impl SolverState {
    /// Solves all islands and adds their certificates to the report.
    pub fn solve(
        &mut self,
        step: &mut StepProblem,
        islands: &Islands,
        steady: &[bool],
        settings: &Settings,
        report: &mut StepReport,
    ) {
        core::mem::swap(&mut self.memory, &mut self.last);
        self.memory.clear();
        let mut old = 0;
        for k in 0..islands.len() {
            let ranges = step.ranges(k, islands);
            let first = step.first[k];
            if steady[k] {
                // Its velocities are those that it had.
                let memory = self.recall(first, &mut old);
                report.islands_steady += 1;
                if let Some(last) = &memory.steady {
                    add(report, &last.outcome, first, last.size);
                }
                self.memory.push(memory);
                continue;
            }
            if ranges.contacts.is_empty() && ranges.joints.is_empty() {
                for i in ranges.members {
                    step.biased.velocity[i] = step.bodies[i].velocity_free;
                    step.relaxed.velocity[i] = step.bodies[i].velocity_free;
                }
                continue;
            }
            let mut memory = self.recall(first, &mut old);
            let dt = widen(report.dt);
            let mut island = Island { step, ranges: &ranges, settings, dt, memory: &mut memory };
            let outcome = self.solve_island(&mut island);
            let size = [ranges.members.len(), ranges.contacts.len(), ranges.joints.len()];
            let size = size.map(|n| n as u32);
            add(report, &outcome, first, size);
            let calm = step.blows[ranges.contacts.clone()].iter().all(|blow| *blow == Blow::None);
            let steady = outcome.is_as_it_was() && calm;
            memory.steady = steady.then_some(Steady { outcome, size });
            self.memory.push(memory);
        }
    }

    /// Number of bodies and contacts of the island of this first body, if its last solution had been taken as
    /// it was; `old` is the place in the list of the last step.
    pub(super) fn steady(&self, first: BodyId, old: &mut usize) -> Option<[u32; 2]> {
        while self.memory.get(*old).is_some_and(|memory| memory.first < first) {
            *old += 1;
        }
        let memory = self.memory.get(*old).filter(|memory| memory.first == first)?;
        memory.steady.as_ref().map(|last| [last.size[0], last.size[1]])
    }

    /// What the island of this first body kept; `old` is the place in the list of the last step.
    fn recall(&mut self, first: BodyId, old: &mut usize) -> IslandMemory {
        while self.last.get(*old).is_some_and(|memory| memory.first < first) {
            *old += 1;
        }
        match self.last.get_mut(*old) {
            Some(memory) if memory.first == first => {
                core::mem::replace(memory, IslandMemory::new(first))
            }
            _ => IslandMemory::new(first),
        }
    }
}

/// Adds the outcome of an island to the report.
fn add(
    report: &mut StepReport,
    outcome: &Outcome,
    first: BodyId,
    [bodies, contacts, joint_rows]: [u32; 3],
) {
    let (biased, relaxed) = (&outcome.biased, outcome.relaxed.as_ref());
    let c = biased.certificate;
    report.natural_map = report.natural_map.max(c.natural_map);
    report.natural_map_relative = report.natural_map_relative.max(c.relative);
    report.complementarity_gap += c.gap;
    report.joint_residual = report.joint_residual.max(c.joint);
    let mut solved = biased.status == Status::Converged;
    let (mut iterations, mut factorizations) = (biased.iterations, biased.factorizations);
    if let Some(relaxed) = relaxed {
        iterations += relaxed.iterations;
        factorizations += relaxed.factorizations;
        solved &= relaxed.status == Status::Converged;
        let residual = relaxed.certificate.natural_map;
        report.natural_map_relaxed = report.natural_map_relaxed.max(residual);
    }
    report.iterations += iterations;
    report.factorizations += factorizations;
    report.islands_beyond_lemke += u32::from(outcome.beyond_lemke);
    report.solves.push(IslandReport {
        first,
        bodies,
        contacts,
        joint_rows,
        method: outcome.method,
        iterations,
        factorizations,
        work: [biased.work, relaxed.map_or(0.0, |stats| stats.work)],
        residual: c.error(),
        residual_relaxed: relaxed.map_or(0.0, |stats| stats.certificate.error()),
        solved,
    });
    if !solved {
        report.islands_unsolved += 1;
        report.status = StepStatus::NotConverged;
    }
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

    /// Writes the impulses back to the contacts they belong to, for the next step.
    pub fn keep_impulses(&self, pairs: &mut [Box<Pair>]) {
        for (i, &[p, c]) in self.contact_source.iter().enumerate() {
            let contact = &mut pairs[p as usize].contacts[c as usize];
            contact.impulse =
                [&self.biased, &self.relaxed].map(|u| DVec3::from_array(u.contact_impulse[i]));
            contact.blow = self.blows[i];
        }
        for (row, &at) in self.rolling_source.iter().enumerate() {
            let (frame, length) = (self.rolling_frame[row], self.rolling_length[row]);
            let world = |l: [Double; 3]| -> DVec3 {
                (frame[0] * l[0] + frame[1] * l[1] + frame[2] * l[2]) * length
            };
            let [p, c] = self.contact_source[at as usize];
            let pair = &mut pairs[p as usize];
            let impulse = [&self.biased, &self.relaxed].map(|u| world(u.rolling_impulse[row]));
            pair.set_angular_impulse(pair.contacts[c as usize].id, impulse);
        }
    }
}
