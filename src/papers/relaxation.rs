//! The step problem by fixed points of convex relaxations: the aggregate maps (5.17) of the thesis.
//!
//! Input: a step problem. Output: the iterates of one of the three maps, with the distances between them,
//! which tell whether it contracts (Theorem 5.9: for small friction it does),
//!
//! ```text
//! χ₁(v) = P₁(μ Λ(v)),    χ₂(Γ) = μ Λ(P₁(Γ)),    χ₃(Γ) = μ Λ(P₂(Λ(P₁(Γ))))
//! ```
//!
//! with `P₁` the velocity of the quadratic program (5.7) at given Γ, by the cone Newton, `P₂` that of (5.15)
//! at given slip speeds, by Lemke's algorithm, and `Λ` the slip speeds (5.9) of a velocity. A fixed point of
//! χ₁ and χ₂ solves (5.1)–(5.2) (Lemma 5.1). χ₁ and χ₂ are one iteration seen at two places; distances are
//! those of the velocities for χ₁, in the norm of M, and of Γ for the others. The step itself accelerates χ₂
//! (`lcp/newton/anderson.rs`). Allocates; for looking at.

use crate::engine::lcp::certificate::{Certificate, measure};
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::newton::{self, NewtonParams, NewtonScratch};
use crate::engine::lcp::rows::{contact_velocity, dot6, mass_mul};
use crate::engine::lcp::{Iterate, Problem, Vec6};
use crate::engine::papers::solvers::lemke;
use crate::engine::step::assemble::Unknowns;
use crate::math::Double;

/// One of the maps (5.17).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateMap {
    /// χ₁, of velocities.
    Chi1,
    /// χ₂, of Γ, with one quadratic program.
    Chi2,
    /// χ₃, of Γ, with two.
    Chi3,
}

/// What iterating a map gave.
#[derive(Clone, Debug)]
pub struct FixedPoint {
    /// Velocities of the last `P₁` [m/s, rad/s].
    pub velocity: Vec<Vec6>,
    /// Impulses of its contacts, (n, t_1, t_2) [N·s].
    pub contact_impulse: Vec<[Double; 3]>,
    /// Distances between iterates, one for each application of the map: in the norm of M [√J] for χ₁, of the
    /// largest Γ [m/s] for the others.
    pub distances: Vec<Double>,
    /// How well the last velocity and impulses solve the step problem.
    pub certificate: Certificate,
}

impl FixedPoint {
    /// The rate of contraction, the mean ratio of distances in their second half (–): below one the iterates
    /// converge linearly, else they do not. None with less than three distances above `rounding`.
    #[must_use]
    pub fn rate(&self, rounding: Double) -> Option<Double> {
        let real = self.distances.iter().take_while(|d| **d > rounding).count();
        if real < 3 {
            return None;
        }
        let half = &self.distances[(real - 1) / 2..real];
        let ratios = half.windows(2).map(|pair| pair[1] / pair[0]);
        Some(ratios.sum::<Double>() / (half.len() - 1) as Double)
    }
}

/// Applies a map up to `most` times from rest, `Γ = 0`, or until a distance is not above `tolerance`.
#[must_use]
pub fn iterate(problem: &Problem, map: AggregateMap, most: u32, tolerance: Double) -> FixedPoint {
    let cone = FrictionCone::new(problem.cone);
    let (mut distances, mut certificate) = (Vec::new(), Certificate::default());
    let mut found = Unknowns::at_rest(problem);
    let mut scratch = NewtonScratch::default();
    let mut gamma = vec![0.0; problem.contacts.len()];
    for _ in 0..most {
        let before = found.velocity.clone();
        let mut iterate = Iterate::new(&mut found);
        let params = NewtonParams { tolerance: 1e-12, ..NewtonParams::default() };
        newton::solve_rows(problem, Some(&gamma), &mut iterate, &params, &mut scratch);
        certificate = measure(problem, iterate.velocity, iterate.impulses());
        let mut slip = slips(problem, &cone, &found.velocity);
        if map == AggregateMap::Chi3 {
            slip = corrected(problem, &cone, &slip);
        }
        let pairs = slip.iter().zip(problem.contacts);
        let next: Vec<_> = pairs.map(|(slip, row)| row.friction * slip).collect();
        distances.push(match map {
            AggregateMap::Chi1 => energy_distance(problem, &before, &found.velocity),
            _ => gamma.iter().zip(&next).fold(0.0, |most: Double, (a, b)| most.max((a - b).abs())),
        });
        gamma = next;
        if distances.last().is_some_and(|distance| *distance <= tolerance) {
            break;
        }
    }
    let Unknowns { velocity, contact_impulse, .. } = found;
    FixedPoint { velocity, contact_impulse, distances, certificate }
}

/// `Λ(v)` (5.9) [m/s].
fn slips(problem: &Problem, cone: &FrictionCone, velocity: &[Vec6]) -> Vec<Double> {
    let slip = |row| {
        let [_, t1, t2] = contact_velocity(row, velocity);
        cone.slip([t1, t2])
    };
    problem.contacts.iter().map(slip).collect()
}

/// `Λ(P₂(λ))` [m/s].
fn corrected(problem: &Problem, cone: &FrictionCone, slip: &[Double]) -> Vec<Double> {
    let mut found = Unknowns::at_rest(problem);
    lemke::solve_fixed_slip(problem, slip, &mut Iterate::new(&mut found));
    slips(problem, cone, &found.velocity)
}

/// Distance of two velocities in the norm of M [√J].
fn energy_distance(problem: &Problem, one: &[Vec6], other: &[Vec6]) -> Double {
    let mut sum = 0.0;
    for (block, (a, b)) in problem.bodies.iter().zip(one.iter().zip(other)) {
        let apart = [0, 1, 2, 3, 4, 5].map(|k| a[k] - b[k]);
        sum += dot6(&apart, &mass_mul(block, &apart));
    }
    sum.sqrt()
}
