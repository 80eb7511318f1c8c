//! Rolling and spinning resistance: three more rows of a contact and the cone that bounds them.
//!
//! A contact between round bodies may resist their relative rotation `ω`: about its normal
//! (*spinning*, `w_s = ℓ n·ω`) and about its tangents (*rolling*, `w_r = ℓ (t_1·ω, t_2·ω)`). Both are
//! dry, like friction: torque impulses of at most `μ_s c_n` and `μ_r c_n` (coefficients in m) that
//! oppose the rotation. A length ℓ makes rows [m/s], impulses [N·s] and bounds `μ_s/ℓ`, `μ_r/ℓ` (–) of
//! the same kind as those of the contact; it changes nothing but the scale. With
//! `l = (c_n, t, s, r)`, the cone and the velocity of the complementarity problem `K ∋ l ⊥ w̃ ∈ K*` are
//!
//! ```text
//! K   = { |t| ≤ μ c_n, |s| ≤ μ_s/ℓ c_n, |r| ≤ μ_r/ℓ c_n }
//! w̃_n = w_n + μ Λ(w_t) + μ_s/ℓ |w_s| + μ_r/ℓ |w_r|
//! ```
//!
//! (Acary & Bourrier, "Coulomb friction with rolling resistance as a cone complementarity problem",
//! Eur. J. Mech. A/Solids 85 (2021); spinning and friction in pyramids are added here.) A pyramid
//! bounds friction only: rolling keeps the round bound, whatever the cone.
//!
//! The nearest point of `K` is found by its `c_n` alone. With the size `m_i` of each part and its
//! bound `k_i` (the polygon counts as two parts, along the axes of its half sector) it is the root of
//!
//! ```text
//! f(n) = n - p_n - Σ k_i max(0, m_i - k_i n)
//! ```
//!
//! which increases and is linear between the thresholds `m_i/k_i`: parts are taken in descending
//! order while their threshold lies above the root so far. Exact to rounding, O(1).

use super::cone::{FrictionCone, Zone};
use super::problem::{BodyBlock, ContactRow, Problem, RollingRow, Vec6};
use super::rows::{add_impulses, compliance, rates};
use crate::math::Double;

impl RollingRow {
    const fn ends(&self, contact: &ContactRow) -> [(u32, &[Vec6; 3]); 2] {
        [(contact.a, &self.jacobian_a), (contact.b, &self.jacobian_b)]
    }

    /// `J v`, without the bias.
    #[inline]
    pub(crate) fn rate(&self, contact: &ContactRow, velocity: &[Vec6]) -> [Double; 3] {
        rates(self.ends(contact), velocity)
    }

    /// `w = J v + b` [m/s].
    #[inline]
    pub(crate) fn velocity(&self, contact: &ContactRow, velocity: &[Vec6]) -> [Double; 3] {
        let w = self.rate(contact, velocity);
        [w[0] + self.bias[0], w[1] + self.bias[1], w[2] + self.bias[2]]
    }

    /// `force += Jᵀ l`.
    #[inline]
    pub(crate) fn add_impulse(&self, contact: &ContactRow, l: &[Double; 3], force: &mut [Vec6]) {
        add_impulses(self.ends(contact), l, force);
    }

    /// `W_ij = J_i M⁻¹ J_jᵀ` between two of the three rows.
    pub(crate) fn compliance(
        &self,
        bodies: &[BodyBlock],
        contact: &ContactRow,
        i: usize,
        j: usize,
    ) -> Double {
        compliance(bodies, self.ends(contact), i, j)
    }

    /// Bounds of friction, spinning and rolling impulses over the normal one (–).
    #[inline]
    pub(crate) const fn limits(&self, contact: &ContactRow) -> [Double; 3] {
        [contact.friction, self.spinning, self.rolling]
    }
}

/// A contact with its index, and its rolling row with its own.
pub(crate) type WithRolling<'a> = (usize, &'a ContactRow, Option<(usize, &'a RollingRow)>);

impl<'a> Problem<'a> {
    /// All contacts, each with its rolling row if it has one.
    pub(crate) fn contacts_with_rolling(&self) -> impl Iterator<Item = WithRolling<'a>> + use<'a> {
        let (mut next, rolling) = (0, self.rolling);
        self.contacts.iter().enumerate().map(move |(c, row)| match rolling.get(next) {
            Some(block) if block.contact as usize == c => {
                next += 1;
                (c, row, Some((next - 1, block)))
            }
            _ => (c, row, None),
        })
    }
}

/// `(w_n, w_t, w_s, w_r)` from contact and rolling rows.
#[inline]
pub(crate) const fn join(w: [Double; 3], r: [Double; 3]) -> [Double; 6] {
    [w[0], w[1], w[2], r[0], r[1], r[2]]
}

/// The nearest point of a cone with rolling rows, and which of its bounds it meets. Between equal
/// zones only a curved bound changes the derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RollingProjection {
    /// `P_K(p)`, as (n, t_1, t_2, s, r_1, r_2).
    pub(crate) point: [Double; 6],
    /// Where on the bounds it lies.
    pub(crate) zone: RollingZone,
}

/// Where on its bounds an impulse lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RollingZone {
    /// Part of the friction cone; [`Zone::Apex`] if there is no impulse at all.
    pub(crate) friction: Zone,
    /// Sign of the spinning impulse at its bound; 0 below it.
    pub(crate) spins: i8,
    /// Is the rolling impulse at its bound?
    pub(crate) rolls: bool,
}

impl RollingZone {
    /// No impulse.
    pub(crate) const APEX: Self = Self { friction: Zone::Apex, spins: 1, rolls: true };
}

impl RollingProjection {
    /// No impulse.
    pub(crate) const APEX: Self = Self { point: [0.0; 6], zone: RollingZone::APEX };
}

fn length2(x: Double, y: Double) -> Double {
    (x * x + y * y).sqrt()
}

/// The normal component of the nearest point: the root of `f`, from the parts `(m_i, k_i)`; those
/// with `k_i = 0` do not count.
fn root(p_n: Double, mut parts: [(Double, Double); 4]) -> Double {
    let (mut sum, mut weight, mut n) = (p_n, 1.0, p_n);
    for i in 0..parts.len() {
        for j in i + 1..parts.len() {
            // Cross products of thresholds; a part without bound comes last.
            if parts[j].0 * parts[i].1 > parts[i].0 * parts[j].1 {
                parts.swap(i, j);
            }
        }
        let (m, k) = parts[i];
        if k <= 0.0 || m <= k * n {
            continue;
        }
        sum += k * m;
        weight += k * k;
        n = sum / weight;
    }
    n
}

impl FrictionCone {
    /// The slip speeds that the cone adds to `w_n`: `μ Λ(w_t) + μ_s/ℓ |w_s| + μ_r/ℓ |w_r|` [m/s].
    pub(crate) fn slip_rolling(&self, limits: [Double; 3], w: &[Double; 6]) -> Double {
        limits[0] * self.slip([w[1], w[2]])
            + limits[1] * w[3].abs()
            + limits[2] * length2(w[4], w[5])
    }

    /// `P_K(p)`: the nearest point of the cone with these bounds of friction, spinning and rolling.
    pub(crate) fn project_rolling(&self, limits: [Double; 3], p: [Double; 6]) -> RollingProjection {
        let mu = limits.map(|limit| limit.max(0.0));
        let t = [p[1], p[2]];
        let (spin, roll) = (p[3].abs(), length2(p[4], p[5]));
        let polygonal = mu[0] > 0.0 && self.directions().len() > 2;
        let friction = if polygonal {
            self.sector_parts(mu[0], t)
        } else if self.directions().len() == 2 {
            [(t[0].abs(), mu[0]), (0.0, 0.0)]
        } else {
            [(length2(t[0], t[1]), mu[0]), (0.0, 0.0)]
        };
        let n = root(p[0], [friction[0], friction[1], (spin, mu[1]), (roll, mu[2])]);
        if n.is_nan() || n <= 0.0 {
            return RollingProjection::APEX;
        }
        let mut point = [n, 0.0, 0.0, p[3], p[4], p[5]];
        let mut zone = RollingZone { friction: Zone::Inside, spins: 0, rolls: false };
        let section = self.section_zone(mu[0], n, t);
        (point[1], point[2], zone.friction) = (section.0[0], section.0[1], section.1);
        if mu[1] <= 0.0 || spin > mu[1] * n {
            zone.spins = if p[3] < 0.0 { -1 } else { 1 };
            point[3] = mu[1] * n * Double::from(zone.spins);
        }
        if mu[2] <= 0.0 || roll > mu[2] * n {
            zone.rolls = true;
            let s = if roll > 0.0 { mu[2] * n / roll } else { 0.0 };
            (point[4], point[5]) = (s * p[4], s * p[5]);
        }
        RollingProjection { point, zone }
    }

    /// `dP_K/dp` at `p`, whose projection is `image`: `u uᵀ/|u|²` for the bounds that `n` carries
    /// along, the turning of the round ones, and the identity below the bounds.
    pub(crate) fn derivative_rolling(
        &self,
        limits: [Double; 3],
        p: &[Double; 6],
        image: &RollingProjection,
    ) -> [[Double; 6]; 6] {
        let mu = limits.map(|limit| limit.max(0.0));
        let mut d = [[0.0; 6]; 6];
        let mut u = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let n = image.point[0];
        match image.zone.friction {
            Zone::Apex => return d,
            Zone::Inside => {
                d[1][1] = 1.0;
                d[2][2] = if self.directions().len() == 2 { 0.0 } else { 1.0 };
            }
            Zone::Surface => turn(&mut d, &mut u, 1, mu[0], n, p),
            Zone::Facet(i) => {
                let e = self.edge_middle(i as usize);
                let ma = mu[0] * self.apothem();
                (u[1], u[2]) = (ma * e[0], ma * e[1]);
                (d[1][1], d[2][2]) = (e[1] * e[1], e[0] * e[0]);
                (d[1][2], d[2][1]) = (-e[0] * e[1], -e[0] * e[1]);
            }
            Zone::Ray(i) => {
                let corner = self.directions().get(i as usize).copied().unwrap_or([0.0; 2]);
                (u[1], u[2]) = (mu[0] * corner[0], mu[0] * corner[1]);
            }
        }
        if image.zone.spins == 0 {
            d[3][3] = 1.0;
        } else {
            u[3] = mu[1] * Double::from(image.zone.spins);
        }
        if image.zone.rolls {
            turn(&mut d, &mut u, 4, mu[2], n, p);
        } else {
            (d[4][4], d[5][5]) = (1.0, 1.0);
        }
        let weight = u.iter().fold(0.0, |sum: Double, x| sum + x * x);
        for i in 0..6 {
            (0..6).for_each(|j| d[i][j] += u[i] * u[j] / weight);
        }
        d
    }

    /// Spinning and rolling impulses nearest to `(s, r)` under a fixed normal impulse.
    pub(crate) fn project_rolling_section(
        limits: [Double; 3],
        normal: Double,
        s: [Double; 3],
    ) -> [Double; 3] {
        let spinning = limits[1].max(0.0) * normal;
        let rolling = limits[2].max(0.0) * normal;
        let length = length2(s[1], s[2]);
        let scale = if length > rolling { rolling / length } else { 1.0 };
        [s[0].max(-spinning).min(spinning), scale * s[1], scale * s[2]]
    }
}

/// A round bound of the components `k`, `k + 1`: its part of `u`, and the ratio of the radii by which
/// turning `p` about the axis moves the image.
fn turn(
    d: &mut [[Double; 6]; 6],
    u: &mut [Double; 6],
    k: usize,
    mu: Double,
    n: Double,
    p: &[Double; 6],
) {
    let length = length2(p[k], p[k + 1]);
    if mu <= 0.0 || length <= 0.0 {
        return;
    }
    let (x, y) = (p[k] / length, p[k + 1] / length);
    (u[k], u[k + 1]) = (mu * x, mu * y);
    let ratio = mu * n / length;
    d[k][k] = ratio * y * y;
    d[k + 1][k + 1] = ratio * x * x;
    d[k][k + 1] = -ratio * x * y;
    d[k + 1][k] = -ratio * x * y;
}
