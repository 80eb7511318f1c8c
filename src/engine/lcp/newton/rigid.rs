//! Bodies that contacts hold together, where none of them is held alone.
//!
//! Input: a solution within the tolerance, all of whose contacts that push ask for rest. Output: the bodies
//! that those hold on what is fixed, and which stop. In a heap without order hardly a body lies on three
//! contacts with what is held before it, as `held.rs` asks for; many hold each other. With `J` of the
//! contacts that push by more than the tolerance, also of those at the limit of their friction, and `ρ` as
//! large as rounding allows,
//!
//! ```text
//! x = (M + ρ Jᵀ W⁻¹ J)⁻¹ M r
//! ```
//!
//! is what is left of any motion `r` where they hold: all of the motions that they leave free, next to
//! nothing of the others. Of an `r` without order each body keeps a part of every free motion that it has
//! part in. A body that keeps less than the square of `LINE` is held. What balances is not: the motion by
//! which it falls is free. What would slide by less than the tolerance in a step, of 6e-5 of its weight,
//! stays; of a few bodies by less than the tenth of it.
//!
//! Cost: a pass over the contacts; what `step.rs` asks for once for the contacts that push, a factor.

use super::kernel::{Sweep, load};
use super::problem::ManifoldProblem;
use super::round::INSIDE;
use crate::engine::lcp::manifold::{LANES, Manifold};
use crate::engine::lcp::problem::{BodyBlock, Vec6};
use crate::engine::lcp::rows::mass_mul;
use crate::engine::tuning::held::LINE;
use crate::engine::tuning::newton::AIM;
use crate::engine::tuning::work::ROUNDED;
use crate::math::Double;

/// What the contacts of an island hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Rigid {
    /// Those that push, by their bodies and lanes, one bit each.
    grips: Vec<[u32; 3]>,
    /// Is a body held by them? Empty if it is not known.
    bodies: Vec<bool>,
}

impl Rigid {
    /// Is there something to find out: do the contacts that push ask for rest, and are not those known?
    pub(super) fn asks(
        &self,
        problem: &ManifoldProblem<'_>,
        sweep: &Sweep,
        tolerance: Double,
    ) -> bool {
        let rests = |(k, [_, _, lanes]): (usize, [u32; 3])| {
            let m = &problem.manifolds[k];
            let asks = |l: usize, k: usize| m.drift[k][l] + m.bias[l] * m.normal[k];
            of(lanes).all(|l| (0..3).all(|k| asks(l, k).abs() <= tolerance))
        };
        problem.joints.is_empty()
            && problem.rolling.is_empty()
            && !self.knows(problem, sweep, tolerance)
            && pushing(problem, sweep, tolerance).all(rests)
    }

    fn knows(&self, problem: &ManifoldProblem<'_>, sweep: &Sweep, tolerance: Double) -> bool {
        self.bodies.len() == problem.bodies.len()
            && pushing(problem, sweep, tolerance)
                .map(|(_, grip)| grip)
                .eq(self.grips.iter().copied())
    }

    /// Takes the contacts that push, and makes them stick and all others open, as an evaluation would find
    /// them.
    pub(super) fn grip(
        &mut self,
        problem: &ManifoldProblem<'_>,
        sweep: &mut Sweep,
        tolerance: Double,
    ) {
        sweep.by_load = false;
        sweep.set_weights(problem, 1.0 / ROUNDED);
        sweep.zones.fill(0);
        self.grips.clear();
        self.bodies.clear();
        let mut zones = core::mem::take(&mut sweep.zones);
        for (k, grip) in pushing(problem, sweep, tolerance) {
            zones[k] = of(grip[2]).fold(0, |zones, l| zones | INSIDE << (2 * l));
            self.grips.push(grip);
        }
        sweep.zones = zones;
    }

    /// Takes what is left of the motions of [`motion`].
    pub(super) fn take(&mut self, problem: &ManifoldProblem<'_>, left: impl Iterator<Item = Vec6>) {
        self.bodies.extend(problem.bodies.iter().zip(left).map(|(body, v)| {
            let energy: Double = v.iter().zip(mass_mul(body, &v)).map(|(v, p)| v * p).sum();
            energy <= body.mass[0] * (LINE * LINE) * (LINE * LINE)
        }));
    }

    /// Stops held bodies that are slower than the tolerance [m/s, rad/s], if the contacts that push are those
    /// that are known. The largest change of a component [m/s, rad/s].
    pub(super) fn stop(
        &self,
        problem: &ManifoldProblem<'_>,
        sweep: &Sweep,
        velocities: &mut [Vec6],
        tolerance: Double,
    ) -> Double {
        if self.bodies.is_empty() || !self.knows(problem, sweep, tolerance) {
            return 0.0;
        }
        let within = if problem.is_tiny() { AIM * tolerance } else { tolerance };
        let mut taken: Double = 0.0;
        for (v, _) in velocities.iter_mut().zip(&self.bodies).filter(|(_, held)| **held) {
            let most = v.iter().fold(0.0, |most: Double, x| most.max(x.abs()));
            if most <= within {
                (*v, taken) = ([0.0; 6], taken.max(most));
            }
        }
        taken
    }

    /// Forgets the bodies, which are others now.
    pub(super) fn clear(&mut self) {
        self.bodies.clear();
    }
}

/// The lanes of a manifold whose bits are set.
fn of(lanes: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| lanes & 1 << lane != 0)
}

/// Manifolds with contacts that push by more than the tolerance: their places, bodies and lanes.
fn pushing<'a>(
    problem: &'a ManifoldProblem<'_>,
    sweep: &'a Sweep,
    tolerance: Double,
) -> impl Iterator<Item = (usize, [u32; 3])> + 'a {
    let lanes = move |m: &Manifold, l: &_| {
        let pushes = |lane: &usize| load(m, l, *lane) * m.compliance[*lane] > tolerance;
        (0..m.count as usize).filter(pushes).fold(0, |lanes, lane| lanes | 1 << lane)
    };
    let both = problem.manifolds.iter().zip(&sweep.impulse).enumerate();
    let grips = both.map(move |(k, (m, l))| (k, [m.a, m.b, lanes(m, l)]));
    grips.filter(|(_, grip)| grip[2] != 0)
}

/// A motion of body `i` without order, of at most a meter a second in each free direction.
pub(super) fn motion(body: &BodyBlock, i: usize) -> Vec6 {
    let free = body.free();
    let [xx, yy, zz, ..] = body.inertia;
    let radius = ((xx + yy + zz) / (3.0 * body.mass[0])).sqrt();
    core::array::from_fn(|k| {
        let mut bits = (6 * i + k + 1) as u64;
        (0..3).for_each(|_| bits = (bits ^ bits >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let part = (bits >> 11) as Double / (1_u64 << 52) as Double - 1.0;
        if free[k] { part / if k < 3 { 1.0 } else { radius } } else { 0.0 }
    })
}
