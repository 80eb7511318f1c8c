//! What is told of a solution: certificates of the velocities and impulses that an island ends with.
//!
//! Input: an island whose unknowns are found. Output: how far they are from solving the problem as its biases
//! stand. [`Solvers::measure`] judges impulses, by the velocity that they give; [`Solvers::certify`] judges
//! velocities and impulses as they are, whoever made them. Cost: two sweeps.

use super::Solvers;
use super::island::Island;
use crate::engine::lcp::certificate::{Certificate, distance, measure_with, rebuild_velocity};
use crate::engine::lcp::newton;
use crate::engine::lcp::{Impulses, Problem};

impl Solvers {
    /// Residual of the impulses of the biased (0) or relaxed (1) problem.
    pub(super) fn measure(&mut self, island: &Island<'_, '_>, of: usize) -> Certificate {
        let step = &*island.step;
        let unknowns = if of == 0 { &step.biased } else { &step.relaxed };
        let (contact, joint) = (&*unknowns.contact_impulse, &*unknowns.joint_impulse);
        newton::measure(&step.problem(), contact, joint, island.gravity_dt(), &mut self.chord)
    }

    /// Takes what was measured last: the impulses in their cones, and the velocity rebuilt from them.
    pub(super) fn take_measured(&self, island: &mut Island<'_, '_>, of: usize) {
        let (problem, mut iterate) = island.step.unknowns(of);
        self.chord.give(&problem, &mut iterate);
    }

    /// Residual of the velocities and impulses of the biased (0) or relaxed (1) problem.
    pub(super) fn certify(&mut self, island: &mut Island<'_, '_>, of: usize) -> Certificate {
        let (gravity_dt, plain) = (island.gravity_dt(), island.is_plain());
        let step = &mut *island.step;
        if plain {
            let (problem, mut iterate) = step.unknowns(of);
            return newton::certify(&problem, &mut iterate, gravity_dt, &mut self.chord);
        }
        let unknowns = if of == 0 { &mut step.biased } else { &mut step.relaxed };
        let bodies = &*step.bodies;
        self.rows.expand(&*step.manifolds, bodies, &*unknowns.contact_impulse);
        let cone = island.settings.solver.cone;
        let problem = Problem {
            bodies,
            joints: &*step.joints,
            contacts: &self.rows.contacts,
            rolling: step.rolling,
            cone,
        };
        let impulses = Impulses {
            joint: &*unknowns.joint_impulse,
            contact: &self.rows.impulse,
            rolling: &*unknowns.rolling_impulse,
        };
        self.rows.velocity.resize(bodies.len(), [0.0; 6]);
        rebuild_velocity(&problem, impulses, &mut self.rows.velocity);
        let velocity = &*unknowns.velocity;
        let motion = distance(&self.rows.velocity, velocity);
        self.scratch.cone.set(cone);
        let (kernel, scale) = (&self.scratch.cone, gravity_dt);
        let certificate = measure_with(&problem, kernel, None, velocity, impulses, scale);
        Certificate { motion, ..certificate }
    }

    /// Residual of the carried velocities and their impulses: of the problem without push.
    pub(super) fn certify_carried(&mut self, island: &mut Island<'_, '_>) -> Certificate {
        island.step.take_push(-1.0);
        let certificate = self.certify(island, 1);
        island.step.take_push(1.0);
        certificate
    }
}
