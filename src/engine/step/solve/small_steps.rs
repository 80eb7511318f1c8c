//! One island in small steps: softened, to no tolerance, both problems at once.
//!
//! Input: an island with circular cones and without rolling rows. Output: the velocities that move its
//! bodies, those that they carry on, at the pose of the end, and certificates of both as they are returned.
//! Cost: two sweeps a small step, and some for the push of the step.

use super::both::IslandSolver;
use super::island::Island;
use super::outcome::Outcome;
use super::solvers::{Bench, Solve};
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::sweeps::{Start, SubstepParams, solve_substeps, substep_ways};
use crate::engine::lcp::{Method, SolveStats, Status};
use crate::engine::settings::Integration;
use crate::engine::tuning::work::CHECK;
use crate::math::refill;
use crate::math::{Double, widen};

/// Solves both problems at once.
pub(super) fn solve(by: &mut IslandSolver, island: &mut Island<'_, '_>) -> Outcome {
    let (solver, contact) = (&island.settings.solver, &island.settings.contact);
    let substeps = island.substeps();
    let params = SubstepParams {
        dt: island.dt,
        substeps,
        gamma: widen(contact.gamma).min(1.0),
        relax: contact.relax,
        softness: solver.softness,
        joint_softness: solver.joint_softness,
        push_speed_max: widen(contact.push_speed_max),
        dead_zone: widen(contact.dead_zone) * island.dt * island.dt,
    };
    let midpoint_rule = solver.integration == Integration::SecondOrder;
    let [certificate, carried] =
        if !island.step.joints.is_empty() && midpoint_rule && !island.step.bounces() {
            by.midpoint.soft_parts(&mut by.solvers, island, &params)
        } else {
            by.solvers.in_lanes(island.step.velocity_last, island, |problem, iterate, scratch| {
                solve_substeps(problem, iterate, &params, scratch)
            });
            [by.solvers.certify(island, 0), end(by, island)]
        };
    let solved = certificate.error().max(carried.error()) <= solver.tolerance;
    let biased = SolveStats {
        status: if solved { Status::Converged } else { Status::IterationLimit },
        iterations: 2 * substeps,
        work: 2.0 * Double::from(substeps) + 2.0 * CHECK,
        certificate,
        ..Default::default()
    };
    let (method, rest) = (Method::Substeps, Outcome::default());
    Outcome { method, biased, carried, softened: true, flown: true, ..rest }
}

/// The carried velocity after small steps, at the pose to which those took the bodies: that of their
/// impulses, or what bounces gets there.
fn end(by: &mut IslandSolver, island: &mut Island<'_, '_>) -> Certificate {
    let IslandSolver { solvers, ending, flight, bounce, .. } = by;
    refill(&mut ending.ways, island.step.blows.len(), [0.0; 3]);
    let substeps = island.substeps();
    solvers.in_lanes(island.step.velocity_last, island, |problem, _, scratch| {
        substep_ways(problem, substeps, &mut ending.ways, scratch);
    });
    flight.fly(island.step, island.settings.solver.tolerance);
    ending.land(island.step);
    ending.fly(island);
    ending.put_free_back(island.step);
    let mut bounced = None;
    if island.step.bounces() {
        // Blows are measured.
        ending.pose(island);
        island.step.find_compliance();
        let swept: &mut Solve<'_> =
            &mut |state, island, _| state.sweep_times(island, 1, Start::Impulses, 2 * substeps);
        bounced = bounce.solve_swept(&mut Bench { state: solvers, island, by: swept });
    } else {
        ending.turn(island);
    }
    if bounced.is_none() {
        let wrenches = ending.carry(island);
        solvers.rebuild_by(island, wrenches);
    }
    if island.settings.contact.relax {
        bounce.slow(island, &ending.members, &ending.blocks);
    }
    ending.put_back(island.step);
    match bounced {
        Some(stats) => stats.certificate,
        None => solvers.certify_carried(island),
    }
}
