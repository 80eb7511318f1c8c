//! The contacts of a manifold on the way of the interior point method.
//!
//! Input: the manifold, velocities and their steps. Output: how far it is from the solution, its part of the
//! matrix and of the right sides, how far a step may be gone. In the stretched cones of `lorentz.rs`,
//! `z = T l` and `s = T⁻¹ (w + Γ n)`. O(1) each.

use core::array::from_fn;

use super::kernel::lane_velocity;
use super::lorentz::{Lorentz, Scaling, length};
use super::round::slip_bound;
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold};
use crate::engine::lcp::problem::Vec6;
use crate::math::Double;

/// The contacts of a manifold on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inner {
    /// `s = T⁻¹ (w + Γ n)` and `z = T l`, and the step of both.
    pub(super) s: Lorentz,
    pub(super) z: Lorentz,
    pub(super) ds: Lorentz,
    pub(super) dz: Lorentz,
    /// By how much the velocities are not `s` yet.
    pub(super) unmet: Lorentz,
    pub(super) scaling: Scaling,
    /// `W_nn`, and one for lanes in use, zero for the others.
    pub(super) compliance: Lanes,
    pub(super) used: Lanes,
}

/// The coefficient by which normals are stretched.
pub(super) fn stretch(m: &Manifold) -> Double {
    if m.friction > 0.0 { m.friction } else { 1.0 }
}

/// `T⁻¹ (w + Γ n)`.
#[inline(always)]
fn speeds(m: &Manifold, velocity: &[Vec6]) -> Lorentz {
    let mut u = lane_velocity(m, velocity, true);
    let slip = slip_bound(m, &u);
    for k in 0..3 {
        for l in 0..LANES {
            u[k][l] += (m.bias[l] + slip[l]) * m.normal[k];
        }
    }
    Lorentz::of(&m.normal, m.friction, 1.0 / stretch(m), &u)
}

impl Inner {
    /// Near the velocities and impulses at hand, at least `speed` within the cones [m/s].
    pub(super) fn begin(
        m: &Manifold,
        velocity: &[Vec6],
        impulse: &LaneVectors,
        speed: Double,
    ) -> Self {
        let compliance = m.compliance;
        let used = from_fn(|l| {
            let used = l < m.count as usize && compliance[l] > 0.0;
            if used { 1.0 } else { 0.0 }
        });
        let start = |x: Lorentz, least: &Lanes| {
            let size = length(&x.across);
            let along = from_fn(|l| x.along[l].max(size[l] + least[l]));
            let across = x.across.map(|x| from_fn(|l| used[l] * x[l]));
            Lorentz { along, across }
        };
        let of = Lorentz::of(&m.normal, m.friction, stretch(m), impulse);
        let least = from_fn(|l| if used[l] > 0.0 { speed / compliance[l] } else { 1.0 });
        let (s, z) = (start(speeds(m, velocity), &[speed; LANES]), start(of, &least));
        Self { s, z, compliance, used, ..Self::default() }
    }

    /// Takes what is not met at a velocity, and the scaling; the gap of every lane, and the impulses that
    /// the first solution starts from.
    #[inline(always)]
    pub(super) fn measure(&mut self, m: &Manifold, velocity: &[Vec6]) -> (Lanes, LaneVectors) {
        let used = &self.used;
        self.unmet = Lorentz::sum(used, &speeds(m, velocity), &used.map(|x| -x), &self.s);
        self.scaling = Scaling::of(&self.s, &self.z);
        let product = self.s.dot(&self.z);
        let gap = from_fn(|l| used[l] * product[l] * self.compliance[l]);
        (gap, self.impulses(m, &self.scaling.invert_twice(&self.unmet), -1.0))
    }

    /// `± T⁻¹ x` of the lanes in use.
    #[inline(always)]
    pub(super) fn impulses(&self, m: &Manifold, x: &Lorentz, sign: Double) -> LaneVectors {
        let used = self.used.map(|used| sign * used);
        x.world(&m.normal, 1.0 / stretch(m)).map(|x| from_fn(|l| used[l] * x[l]))
    }

    /// The step of `s` and `z` by that of the velocities; `from` is what `z` changes by where they stay. How
    /// far it may be gone.
    #[inline(always)]
    pub(super) fn go(&mut self, m: &Manifold, step: &[Vec6], from: &Lorentz) -> Lanes {
        let u = lane_velocity(m, step, false);
        let used = &self.used;
        let du = Lorentz::of(&m.normal, m.friction, 1.0 / stretch(m), &u);
        self.ds = Lorentz::sum(used, &du, used, &self.unmet);
        let back = self.scaling.invert_twice(&self.ds);
        self.dz = Lorentz::sum(used, from, &used.map(|x| -x), &back);
        let [s, z] = [self.s.reach(&self.ds), self.z.reach(&self.dz)];
        // What is not finite goes nowhere.
        let finite = |l: usize| (self.ds.along[l] + self.dz.along[l]).is_finite();
        from_fn(|l| match used[l] > 0.0 {
            true if finite(l) => s[l].min(z[l]),
            true => 0.0,
            false => Double::INFINITY,
        })
    }

    /// What the gap changes by along the step, in the first and second power of its length.
    #[inline(always)]
    pub(super) fn gap_change(&self) -> [Lanes; 2] {
        let (a, b, c) = (self.s.dot(&self.dz), self.ds.dot(&self.z), self.ds.dot(&self.dz));
        let weight: Lanes = from_fn(|l| self.used[l] * self.compliance[l]);
        [from_fn(|l| weight[l] * (a[l] + b[l])), from_fn(|l| weight[l] * c[l])]
    }

    /// After the first solution: takes the `Γ` of its end, and puts in place of its `dz` what `z` changes by
    /// where velocities stay, to come to the gap `aim`. The impulses that the second one starts from.
    #[inline(always)]
    pub(super) fn correct(&mut self, m: &Manifold, reach: Double, aim: Double) -> LaneVectors {
        let here = Lorentz::sum(&[1.0; LANES], &self.s, &[1.0; LANES], &self.unmet).across;
        let change = self.ds.plus(-1.0, &self.unmet).across;
        let there = from_fn(|k| from_fn(|l| here[k][l] + reach * change[k][l]));
        let (before, after) = (length(&here), length(&there));
        let scaling = &self.scaling;
        let lambda = scaling.apply(&self.z);
        let second = scaling.invert(&self.ds).product(&scaling.apply(&self.dz));
        let mut rest = lambda.product(&lambda).plus(1.0, &second);
        for l in 0..LANES {
            self.unmet.along[l] += self.used[l] * (after[l] - before[l]);
            let compliance = if self.used[l] > 0.0 { self.compliance[l] } else { 1.0 };
            rest.along[l] -= aim / compliance;
        }
        let from = scaling.invert(&lambda.divide(&rest));
        self.dz = Lorentz::sum(&[-1.0; LANES], &from, &[0.0; LANES], &from);
        let sum = self.z.plus(1.0, &self.dz).plus(-1.0, &scaling.invert_twice(&self.unmet));
        self.impulses(m, &sum, 1.0)
    }
}
