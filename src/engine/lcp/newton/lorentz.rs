//! The self-dual cone that friction cones become when they are stretched, for four contacts at once.
//!
//! With `T = μ n nᵀ + (1 - n nᵀ)` an impulse `l` of the cone with coefficient μ is `T l` in
//! `Q = {x : |x_t| ≤ x_n}`, a velocity `w` of the dual cone `T⁻¹ w` in the same one, and `l · w` is their
//! product. Without friction only the normal parts count. `x ∘ y` is the product of Jordan, of which `n` is
//! the unit; `det x = x_n² - |x_t|²`. O(1) each.

use core::array::from_fn;

use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes};
use crate::math::Double;

/// Vectors of four contacts: along the normal, and across it in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lorentz {
    pub(super) along: Lanes,
    pub(super) across: LaneVectors,
}

/// `x · y` of what lies across.
#[inline(always)]
pub(super) fn dot(x: &LaneVectors, y: &LaneVectors) -> Lanes {
    from_fn(|l| x[0][l] * y[0][l] + x[1][l] * y[1][l] + x[2][l] * y[2][l])
}

/// `|x|` of what lies across.
#[inline(always)]
pub(super) fn length(x: &LaneVectors) -> Lanes {
    dot(x, x).map(Double::sqrt)
}

impl Lorentz {
    /// World vectors, stretched along the normal by `factor`; without friction their normal parts.
    #[inline(always)]
    pub(super) fn of(n: &[Double; 3], friction: Double, factor: Double, x: &LaneVectors) -> Self {
        let along: Lanes = from_fn(|l| n[0] * x[0][l] + n[1] * x[1][l] + n[2] * x[2][l]);
        let rough = if friction > 0.0 { 1.0 } else { 0.0 };
        let across = from_fn(|k| from_fn(|l| rough * (x[k][l] - along[l] * n[k])));
        Self { along: along.map(|x| factor * x), across }
    }

    /// World vectors, stretched along the normal by `factor`.
    #[inline(always)]
    pub(super) fn world(&self, n: &[Double; 3], factor: Double) -> LaneVectors {
        from_fn(|k| from_fn(|l| factor * self.along[l] * n[k] + self.across[k][l]))
    }

    /// `a x + b y`, contact by contact.
    #[inline(always)]
    pub(super) fn sum(a: &Lanes, x: &Self, b: &Lanes, y: &Self) -> Self {
        Self {
            along: from_fn(|l| a[l] * x.along[l] + b[l] * y.along[l]),
            across: from_fn(|k| from_fn(|l| a[l] * x.across[k][l] + b[l] * y.across[k][l])),
        }
    }

    /// `x + t y`.
    #[inline(always)]
    pub(super) fn plus(&self, t: Double, y: &Self) -> Self {
        Self::sum(&[1.0; LANES], self, &[t; LANES], y)
    }

    /// `x · y`.
    #[inline(always)]
    pub(super) fn dot(&self, y: &Self) -> Lanes {
        let across = dot(&self.across, &y.across);
        from_fn(|l| self.along[l] * y.along[l] + across[l])
    }

    /// `det x`, positive within the cone.
    #[inline(always)]
    pub(super) fn det(&self) -> Lanes {
        let size = length(&self.across);
        from_fn(|l| (self.along[l] - size[l]) * (self.along[l] + size[l]))
    }

    /// `x ∘ y`.
    #[inline(always)]
    pub(super) fn product(&self, y: &Self) -> Self {
        let across = Self::sum(&self.along, y, &y.along, self).across;
        Self { along: self.dot(y), across }
    }

    /// `y` of `x ∘ y = r`.
    #[inline(always)]
    pub(super) fn divide(&self, r: &Self) -> Self {
        let (det, across) = (self.det(), dot(&self.across, &r.across));
        let along: Lanes =
            from_fn(|l| (self.along[l] * r.along[l] - across[l]) / det[l].max(1e-300));
        let rest = |k: usize, l: usize| r.across[k][l] - along[l] * self.across[k][l];
        Self { along, across: from_fn(|k| from_fn(|l| rest(k, l) / self.along[l])) }
    }

    /// Largest `t` with `x + t d` in the cone, for `x` within; infinite if all are.
    #[inline(always)]
    pub(super) fn reach(&self, d: &Self) -> Lanes {
        // a t² + 2 b t + c: where it is zero first, or where the normal part is.
        let (a, c) = (d.det(), self.det());
        let across = dot(&self.across, &d.across);
        from_fn(|l| {
            let b = self.along[l] * d.along[l] - across[l];
            let root = (b * b - a[l] * c[l]).max(0.0).sqrt();
            // Of the two forms of either root that which loses no digits.
            let first = if b < root { c[l] / (root - b) } else { Double::INFINITY };
            let apex =
                if d.along[l] < 0.0 { -self.along[l] / d.along[l] } else { Double::INFINITY };
            // Rounding may hide where it is left along the apex.
            let stays = b * b < a[l] * c[l] && d.along[l] >= 0.0;
            if stays { Double::INFINITY } else { first.min(apex) }
        })
    }
}

/// The scaling of Nesterov and Todd of two points within the cone: the symmetric `W` with `W z = W⁻¹ s`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    /// Halfway between both points, of determinant one: `W² = η² (2 q qᵀ - R)`, where `R` mirrors what lies
    /// across.
    q: Lorentz,
    /// `1 / (1 + q_n)`.
    half: Lanes,
    /// `η`, `1 / η` and `1 / η²`.
    eta: [Lanes; 3],
}

impl Scaling {
    #[inline(always)]
    pub(super) fn of(s: &Lorentz, z: &Lorentz) -> Self {
        let [ds, dz] = [s, z].map(|x| x.det().map(|d| d.max(1e-300).sqrt()));
        let product = s.dot(z);
        // s/√det s and z/√det z: with the second mirrored, halfway between both.
        let part: Lanes =
            from_fn(|l| 0.5 / (0.5 * (1.0 + product[l] / (ds[l] * dz[l]))).max(0.0).sqrt());
        let [a, b] = [from_fn(|l| part[l] / ds[l]), from_fn(|l| part[l] / dz[l])];
        let mirrored = Lorentz { along: z.along, across: z.across.map(|x| x.map(|x| -x)) };
        let q = Lorentz::sum(&a, s, &b, &mirrored);
        let square: Lanes = from_fn(|l| dz[l] / ds[l]);
        let inverse = square.map(Double::sqrt);
        let half = q.along.map(|x| 1.0 / (1.0 + x));
        Self { q, half, eta: [inverse.map(|x| 1.0 / x), inverse, square] }
    }

    #[inline(always)]
    fn scaled(&self, sign: Double, eta: &Lanes, x: &Lorentz) -> Lorentz {
        let q = &self.q;
        let inner = dot(&q.across, &x.across);
        let along = from_fn(|l| eta[l] * (q.along[l] * x.along[l] + sign * inner[l]));
        let c: Lanes = from_fn(|l| sign * x.along[l] + inner[l] * self.half[l]);
        let across = |k: usize, l: usize| eta[l] * (x.across[k][l] + c[l] * q.across[k][l]);
        Lorentz { along, across: from_fn(|k| from_fn(|l| across(k, l))) }
    }

    /// `W x`.
    #[inline(always)]
    pub(super) fn apply(&self, x: &Lorentz) -> Lorentz {
        self.scaled(1.0, &self.eta[0], x)
    }

    /// `W⁻¹ x`.
    #[inline(always)]
    pub(super) fn invert(&self, x: &Lorentz) -> Lorentz {
        self.scaled(-1.0, &self.eta[1], x)
    }

    /// `W⁻² x`.
    #[inline(always)]
    pub(super) fn invert_twice(&self, x: &Lorentz) -> Lorentz {
        let q = &self.q;
        let inner = dot(&q.across, &x.across);
        let (mut along, mut across) = ([0.0; LANES], [[0.0; LANES]; 3]);
        for l in 0..LANES {
            let (f, c) = (self.eta[2][l], 2.0 * (q.along[l] * x.along[l] - inner[l]));
            along[l] = f * (c * q.along[l] - x.along[l]);
            for k in 0..3 {
                across[k][l] = f * (x.across[k][l] - c * q.across[k][l]);
            }
        }
        Lorentz { along, across }
    }

    /// `T⁻¹ W⁻² T⁻¹` in world axes as (xx, xy, xz, yy, yz, zz): how impulses follow velocities.
    #[inline(always)]
    pub(super) fn stiffness(&self, n: &[Double; 3], friction: Double) -> [Lanes; 6] {
        let (q, rough) = (&self.q, friction > 0.0);
        let mu = if rough { friction } else { 1.0 };
        let mut of = [[0.0; LANES]; 6];
        for l in 0..LANES {
            let f = self.eta[2][l];
            let turn = if rough { f } else { 0.0 };
            let normal = f * (2.0 * q.along[l] * q.along[l] - 1.0) / (mu * mu) - turn;
            let mixed = -2.0 * f * q.along[l] / mu;
            let t = q.across.map(|x| x[l]);
            let mut k = 0;
            for i in 0..3 {
                for j in i..3 {
                    let equal = if i == j { turn } else { 0.0 };
                    of[k][l] = normal * n[i] * n[j]
                        + mixed * (n[i] * t[j] + t[i] * n[j])
                        + 2.0 * f * t[i] * t[j]
                        + equal;
                    k += 1;
                }
            }
        }
        of
    }
}
