//! Measuring: what impulses and velocities are worth, whoever found them.
//!
//! Input: an island and an iterate, or the impulses at hand. Output: certificates, by manifolds. Cost: two
//! sweeps over the contacts.

use smallvec::SmallVec;

use super::cones::Cones;
use super::judged::Judged;
use super::kernel;
use super::problem::{ManifoldIterate, ManifoldProblem};
use super::state::{NewtonMemory, NewtonParams, NewtonScratch, Progress};
use super::wrench::{Wrench, admissible, give, usable};
use crate::engine::lcp::certificate::{Certificate, distance};
use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::problem::Vec6;
use crate::engine::tuning::newton::AT_REST;
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::math::{Double, cut, refill};
use crate::par::{JOBS, Pool, part_of};

/// Largest speed at which contacts approach each other, beyond what their gaps allow in the step [m/s].
pub fn approach(
    problem: &ManifoldProblem<'_>,
    velocity: &[Vec6],
    pool: &dyn Pool,
    scratch: &mut NewtonScratch,
) -> Double {
    scratch.take_velocity(velocity);
    let velocity = &scratch.velocity;
    let size = part_of(problem.manifolds.len(), 4 * PAIRS_MIN);
    let parts = problem.manifolds.chunks(size).map(|manifolds| (manifolds, 0.0));
    let mut parts: SmallVec<[(&[Manifold], Double); JOBS]> = parts.collect();
    pool.run(&mut parts, 1, |parts| {
        parts
            .iter_mut()
            .for_each(|(manifolds, speed)| *speed = kernel::approach(manifolds, velocity));
    });
    parts.iter().fold(0.0, |most: Double, (_, speed)| most.max(*speed))
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

/// Takes the velocity that impulses give which do this to the bodies, manifold by manifold, with those of
/// joint rows in their bounds.
pub(in crate::engine) fn rebuild_by(
    problem: &ManifoldProblem<'_>,
    iterate: &mut ManifoldIterate<'_>,
    wrenches: &[Wrench],
    scratch: &mut NewtonScratch,
) {
    scratch.take_joints(problem, iterate);
    let sums = &mut scratch.rebuilt;
    refill(sums, problem.bodies.len() + 1, [0.0; 6]);
    problem.manifolds.iter().zip(wrenches).for_each(|(m, wrench)| wrench.add(m, 1.0, sums));
    scratch.sweep.rebuild(problem, &scratch.joint, sums);
    iterate.joint.copy_from_slice(&scratch.joint);
    iterate.velocity.copy_from_slice(&sums[..problem.bodies.len()]);
}

/// Measures velocities and impulses as they are, but for impulses outside of their cones and bounds, which
/// become the nearest inside. In parts on a pool: the sums of complementarity are those of parts, whatever
/// the pool.
pub fn certify(
    problem: &ManifoldProblem<'_>,
    iterate: &mut ManifoldIterate<'_>,
    pool: &dyn Pool,
    scratch: &mut NewtonScratch,
) -> Certificate {
    scratch.take_velocity(iterate.velocity);
    scratch.take_joints(problem, iterate);
    let (sweep, sums, velocity) = (&mut scratch.sweep, &mut scratch.rebuilt, &*scratch.velocity);
    sweep.bounded.begin(problem.bodies, problem.joints);
    sweep.cones.find(problem);
    let cones = &mut sweep.cones;
    refill(&mut scratch.wrenches, problem.manifolds.len(), Wrench::default());
    let mut parts = in_parts(problem.manifolds, iterate.contact, &mut scratch.wrenches);
    let of = &*cones;
    pool.run(&mut parts, 1, |parts| parts.iter_mut().for_each(|part| part.judge(of, velocity)));
    let (mut judged, mut others) = (Judged::default(), Certificate::default());
    parts.iter().for_each(|part| judged.add(&part.judged));
    drop(parts);
    refill(sums, problem.bodies.len() + 1, [0.0; 6]);
    for (i, (m, wrench)) in problem.manifolds.iter().zip(&scratch.wrenches).enumerate() {
        if !cones.has(i) {
            wrench.add(m, 1.0, sums);
            continue;
        }
        let contact = &mut iterate.contact[m.first as usize..];
        let l = cones.begin(problem, i, (&usable(m, contact), iterate.rolling));
        give(m, &l, contact);
        Wrench::of(m, &l).add(m, 1.0, sums);
        cones.twist(problem, i, false, 1.0, sums);
        let w = kernel::lane_velocity(m, velocity, true);
        cones.certify(problem, i, (&l, None), (&w, velocity), &mut others);
    }
    iterate.rolling.copy_from_slice(&cones.rolling);
    iterate.joint.copy_from_slice(&scratch.joint);
    let found = judged.certificate(others);
    let found = sweep.certify_joints(problem, velocity, &scratch.joint, found);
    sweep.rebuild(problem, &scratch.joint, sums);
    Certificate { motion: distance(sums, velocity), ..found }
}

/// Some manifolds, their contacts, what those do, and what the certificate finds of them.
struct JudgedPart<'a> {
    first: usize,
    manifolds: &'a [Manifold],
    contact: &'a mut [[Double; 3]],
    wrenches: &'a mut [Wrench],
    judged: Judged,
}

/// Cuts an island in parts, which do not depend on any pool.
fn in_parts<'a>(
    manifolds: &'a [Manifold],
    mut contact: &'a mut [[Double; 3]],
    wrenches: &'a mut [Wrench],
) -> SmallVec<[JudgedPart<'a>; JOBS]> {
    let size = part_of(manifolds.len(), PAIRS_MIN);
    let parts = manifolds.chunks(size).zip(wrenches.chunks_mut(size)).enumerate();
    let part = |(k, (manifolds, wrenches)): (usize, (&'a [Manifold], &'a mut [Wrench]))| {
        let contacts = manifolds.iter().map(|m| m.count as usize).sum();
        let (first, contact) = (k * size, cut(&mut contact, contacts));
        JudgedPart { first, manifolds, contact, wrenches, judged: Judged::default() }
    };
    parts.map(part).collect()
}

impl JudgedPart<'_> {
    /// Takes the impulses of contacts with circular cones into them, sums and judges them.
    fn judge(&mut self, cones: &Cones, velocity: &[Vec6]) {
        let mut rest = &mut *self.contact;
        for ((i, m), wrench) in (self.first..).zip(self.manifolds).zip(&mut *self.wrenches) {
            let contact = cut(&mut rest, m.count as usize);
            if !cones.has(i) {
                let l = admissible(m, contact);
                give(m, &l, contact);
                *wrench = Wrench::of(m, &l);
                self.judged.judge(m, &l, kernel::lane_velocity(m, velocity, true), None);
            }
        }
    }
}

impl NewtonScratch {
    /// Takes the impulses of a warm start and sums them.
    pub(super) fn begin(&mut self, problem: &ManifoldProblem<'_>, start: &ManifoldIterate<'_>) {
        self.rebuilt.resize(problem.bodies.len() + 1, [0.0; 6]);
        self.sweep.begin(problem, start.contact, start.rolling, &mut self.rebuilt);
        self.take_joints(problem, start);
    }

    /// Takes the impulses of joint rows in their bounds.
    fn take_joints(&mut self, problem: &ManifoldProblem<'_>, start: &ManifoldIterate<'_>) {
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
            progress.measured = Some(next);
        }
    }

    /// Moves held bodies with what holds them, and measures that, unless it changes no velocity of those that
    /// were measured.
    pub(super) fn hold(
        &mut self,
        problem: &ManifoldProblem<'_>,
        params: &NewtonParams,
        memory: &NewtonMemory,
        measured: Option<Certificate>,
    ) -> Certificate {
        let (sweep, velocities) = (&self.sweep, &mut self.rebuilt);
        let tolerance = params.tolerance;
        let motion = self.held.take_along(problem, sweep, velocities, tolerance, tolerance);
        let motion = motion + memory.rigid.stop(problem, sweep, velocities, tolerance);
        match measured {
            Some(measured) if motion == 0.0 => measured,
            _ => {
                let certificate = self.sweep.certify(problem, &self.rebuilt, &self.joint);
                Certificate { motion, ..certificate }
            }
        }
    }

    /// Gives the impulses of the last measurement and the velocity rebuilt from them.
    pub fn give(&self, problem: &ManifoldProblem<'_>, iterate: &mut ManifoldIterate<'_>) {
        self.sweep.give(problem, iterate.contact, iterate.rolling);
        iterate.joint.copy_from_slice(&self.joint);
        iterate.velocity.copy_from_slice(&self.rebuilt[..problem.bodies.len()]);
    }
}
