//! Measuring: what impulses and velocities are worth, whoever found them.
//!
//! Input: an island and an iterate, or the impulses at hand. Output: certificates, by manifolds. Cost: two
//! sweeps over the contacts.

use super::kernel;
use super::problem::{ManifoldIterate, ManifoldProblem};
use super::state::{NewtonMemory, NewtonParams, NewtonScratch, Progress};
use crate::engine::lcp::certificate::{Certificate, distance};
use crate::engine::lcp::manifold::LaneVectors;
use crate::engine::lcp::problem::Vec6;
use crate::engine::tuning::newton::AT_REST;
use crate::math::Double;

/// Largest speed at which contacts approach each other, beyond what their gaps allow in the step [m/s].
pub fn approach(
    problem: &ManifoldProblem<'_>,
    velocity: &[Vec6],
    scratch: &mut NewtonScratch,
) -> Double {
    scratch.take_velocity(velocity);
    kernel::approach(problem, &scratch.velocity)
}

/// Measures the impulses of an iterate at the velocity rebuilt from them, whatever its own.
pub fn measure(
    problem: &ManifoldProblem<'_>,
    iterate: &ManifoldIterate<'_>,
    scratch: &mut NewtonScratch,
) -> Certificate {
    scratch.begin(problem, iterate);
    scratch.certify(problem)
}

/// Takes the impulses of an iterate in their cones and bounds, and the velocity rebuilt from them.
pub fn rebuild(
    problem: &ManifoldProblem<'_>,
    iterate: &mut ManifoldIterate<'_>,
    scratch: &mut NewtonScratch,
) {
    scratch.begin(problem, iterate);
    scratch.sweep.rebuild(problem, &scratch.joint, &mut scratch.rebuilt);
    scratch.give(problem, iterate);
}

/// Measures velocities and impulses as they are, but for impulses outside of their cones and bounds, which
/// become the nearest inside.
pub fn certify(
    problem: &ManifoldProblem<'_>,
    iterate: &mut ManifoldIterate<'_>,
    scratch: &mut NewtonScratch,
) -> Certificate {
    scratch.begin(problem, iterate);
    scratch.sweep.rebuild(problem, &scratch.joint, &mut scratch.rebuilt);
    scratch.take_velocity(iterate.velocity);
    let motion = distance(&scratch.rebuilt, &scratch.velocity);
    let (velocity, joint) = (&scratch.velocity, &scratch.joint);
    let certificate = scratch.sweep.certify(problem, velocity, joint);
    scratch.sweep.give(problem, iterate.contact, iterate.rolling);
    iterate.joint.copy_from_slice(joint);
    Certificate { motion, ..certificate }
}

impl NewtonScratch {
    /// Takes the impulses of a warm start and sums them.
    pub(super) fn begin(&mut self, problem: &ManifoldProblem<'_>, start: &ManifoldIterate<'_>) {
        self.rebuilt.resize(problem.bodies.len() + 1, [0.0; 6]);
        self.sweep.begin(problem, start.contact, start.rolling, &mut self.rebuilt);
        self.joint.clear();
        let rows = problem.joints.iter().zip(start.joint.iter());
        self.joint.extend(rows.map(|(row, c)| row.clamp(if c.is_finite() { *c } else { 0.0 })));
    }

    /// Takes velocities of the bodies, and that of the fixed world.
    pub(super) fn take_velocity(&mut self, velocity: &[Vec6]) {
        self.velocity.clear();
        self.velocity.extend_from_slice(velocity);
        self.velocity.push([0.0; 6]);
    }

    /// Rebuilds the velocity from the sums of the impulses at hand and measures them.
    pub(super) fn certify(&mut self, problem: &ManifoldProblem<'_>) -> Certificate {
        self.sweep.rebuild(problem, &self.joint, &mut self.rebuilt);
        self.sweep.certify(problem, &self.rebuilt, &self.joint)
    }

    /// Rebuilds the velocity from the impulses at hand and measures them.
    pub(super) fn judge(&mut self, problem: &ManifoldProblem<'_>) -> Certificate {
        self.sweep.sum(problem, &mut self.rebuilt);
        self.certify(problem)
    }

    /// Starts from the velocity with which bodies go on that are held, and others by their impulses, if the
    /// gradient is smaller there: the last one knows nothing of how what carries them moves by now.
    pub(super) fn go_on(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        progress: &mut Progress,
    ) {
        let (velocities, tolerance) = (&mut self.rebuilt, params.tolerance);
        self.held.take_along(problem, &self.sweep, velocities, tolerance, AT_REST * tolerance);
        let (joint, penalty) = (&self.joint, progress.penalty);
        let last = self.sweep.evaluate::<true>(problem, &self.velocity, joint, penalty);
        let next = self.sweep.evaluate::<true>(problem, velocities, joint, penalty);
        progress.work += 2.0 * problem.size();
        if next.gradient <= last.gradient {
            self.velocity.clone_from(velocities);
        }
    }

    /// Moves held bodies with what holds them after a measurement, and measures again if that changed a
    /// velocity.
    pub(super) fn hold(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &NewtonMemory,
        measured: Certificate,
    ) -> Certificate {
        let (sweep, velocities) = (&self.sweep, &mut self.rebuilt);
        let tolerance = params.tolerance;
        let motion = self.held.take_along(problem, sweep, velocities, tolerance, tolerance);
        let motion = motion + memory.rigid.stop(problem, sweep, velocities, tolerance);
        if motion == 0.0 {
            return measured;
        }
        let (velocity, joint) = (&self.rebuilt, &self.joint);
        let certificate = self.sweep.certify(problem, velocity, joint);
        Certificate { motion, ..certificate }
    }

    /// Where the multipliers of the last solve had come to, of every manifold: if nothing solves the problem
    /// they grow along the proof of that.
    pub fn last_impulses(&self) -> &[LaneVectors] {
        if self.went_back { &self.best_impulse } else { &self.sweep.impulse }
    }

    /// Gives the impulses of the last measurement and the velocity rebuilt from them.
    pub fn give(&self, problem: &ManifoldProblem<'_>, iterate: &mut ManifoldIterate<'_>) {
        self.sweep.give(problem, iterate.contact, iterate.rolling);
        iterate.joint.copy_from_slice(&self.joint);
        iterate.velocity.copy_from_slice(&self.rebuilt[..problem.bodies.len()]);
    }
}
