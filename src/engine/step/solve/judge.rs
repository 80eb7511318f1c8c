//! What is told of a solution: certificates of the velocities and impulses that an island ends with.
//!
//! Input: an island whose unknowns are found. Output: how far they are from solving the problem as its biases
//! stand. [`Solvers::measure`] judges impulses, by the velocity that they give; [`Solvers::certify`] judges
//! velocities and impulses as they are, whoever made them. Cost: two sweeps.

use super::Solvers;
use super::island::Island;
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::newton;

impl Solvers {
    /// Residual of the impulses of the biased (0) or relaxed (1) problem.
    pub(super) fn measure(&mut self, island: &mut Island<'_, '_>, of: usize) -> Certificate {
        let gravity_dt = island.gravity_dt();
        let (problem, iterate) = island.step.unknowns(of);
        newton::measure(&problem, &iterate, gravity_dt, &mut self.chord)
    }

    /// Takes what was measured last: the impulses in their cones, and the velocity rebuilt from them.
    pub(super) fn take_measured(&self, island: &mut Island<'_, '_>, of: usize) {
        let (problem, mut iterate) = island.step.unknowns(of);
        self.chord.give(&problem, &mut iterate);
    }

    /// Residual of the velocities and impulses of the biased (0) or relaxed (1) problem.
    pub(super) fn certify(&mut self, island: &mut Island<'_, '_>, of: usize) -> Certificate {
        let gravity_dt = island.gravity_dt();
        let (problem, mut iterate) = island.step.unknowns(of);
        newton::certify(&problem, &mut iterate, gravity_dt, &mut self.chord)
    }

    /// Residual of the carried velocities and their impulses: of the problem without push.
    pub(super) fn certify_carried(&mut self, island: &mut Island<'_, '_>) -> Certificate {
        island.step.take_push(-1.0);
        let certificate = self.certify(island, 1);
        island.step.take_push(1.0);
        certificate
    }
}
