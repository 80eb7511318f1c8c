//! Bodies that contacts hold fast move with what holds them.
//!
//! Input: a solution within the tolerance. Output: the velocity that its contacts ask of a body that is
//! *held*: by contacts that push and stick, on what is fixed, driven or held itself, and that are not all in
//! one line. What else such a body has is the error of the impulses, which would add up from step to step
//! until the island had to be solved again. Contacts in one line hold nothing about that line, and contacts
//! that push by less than the tolerance may be an error: a body on those keeps its velocity, as does what
//! slides, rolls or floats, however slow. What balances falls. A contact whose friction, spinning and rolling
//! all stick holds a body alone; one whose spinning sticks holds it about its normal.
//!
//! With the points `p` of a body's contacts from its center, the velocities `u` that they ask for there, and
//! both from their means, `p'` and `u'`, the velocity is the one of least squares,
//!
//! ```text
//! Σ (|p'|² - p' p'ᵀ) ω = Σ p' × u',       v = ū - ω × p̄
//! ```
//!
//! which is zero to the last bit on what is at rest, so that a world at rest has the same problem in every
//! step. With the eigenvalues `λ₁ ≥ λ₂ ≥ λ₃` of `S = Σ p' p'ᵀ`, the sum of the squared distances of the
//! points from the nearest line is `λ₂ + λ₃`, and
//!
//! ```text
//! λ₂ + λ₃ ≥ (λ₁λ₂ + λ₁λ₃ + λ₂λ₃) / (λ₁ + λ₂ + λ₃) = (tr² S - tr S²) / (2 tr S)
//! ```
//!
//! which is at least half of it. A few passes over the manifolds, O(contacts) each.

use super::kernel::Sweep;
use super::problem::ManifoldProblem;
use crate::engine::lcp::certificate::distance;
use crate::engine::lcp::manifold::{LaneVectors, Manifold, cross};
use crate::engine::lcp::problem::Vec6;
use crate::engine::tuning::held::{INSIDE, LINE, PASSES};
use crate::math::refill;
use crate::math::{DVec3, Double, sym_cofactors, sym_times};

/// The contacts that may hold a body.
#[derive(Clone, Copy, Debug, Default)]
struct Support {
    /// Does it move with what holds it for certain?
    held: bool,
    count: Double,
    /// `Σ p` (m).
    sum: [Double; 3],
    /// `Σ p pᵀ` (m²): xx, yy, zz, xy, xz, yz.
    square: [Double; 6],
    /// `Σ u` [m/s].
    asked: [Double; 3],
    /// `Σ p × u` [m²/s].
    turned: [Double; 3],
}

impl Support {
    /// Adds a contact at `p` that asks for the velocity `u` there.
    fn add(&mut self, p: [Double; 3], u: [Double; 3]) {
        let [x, y, z] = p;
        let turn = cross(p, u);
        self.count += 1.0;
        for k in 0..3 {
            self.sum[k] += p[k];
            self.asked[k] += u[k];
            self.turned[k] += turn[k];
        }
        for (sum, x) in self.square.iter_mut().zip([x * x, y * y, z * z, x * y, x * z, y * z]) {
            *sum += x;
        }
    }

    /// `S` of the points: xx, yy, zz, xy, xz, yz (m²).
    fn spread(&self) -> [Double; 6] {
        let [x, y, z] = self.sum;
        let mean = [x * x, y * y, z * z, x * y, x * z, y * z].map(|x| x / self.count);
        [0, 1, 2, 3, 4, 5].map(|k| self.square[k] - mean[k])
    }

    /// The velocity that its contacts ask for; none if their points are not those of a triangle.
    fn velocity(&self) -> Option<Vec6> {
        if self.count < 3.0 {
            return None;
        }
        let [xx, yy, zz, xy, xz, yz] = self.spread();
        let minors = (xx * yy - xy * xy) + (xx * zz - xz * xz) + (yy * zz - yz * yz);
        let reach = self.square[0] + self.square[1] + self.square[2];
        // Of points in one place nothing is more than nothing.
        let is_wide = minors > LINE * LINE * reach * (xx + yy + zz);
        if !is_wide {
            return None;
        }
        if self.asked == [0.0; 3] && self.turned == [0.0; 3] {
            return Some([0.0; 6]);
        }
        let [point, asked] = [self.sum, self.asked].map(|s| s.map(|x| x / self.count));
        let of_mean = cross(self.sum, asked);
        let turned = [0, 1, 2].map(|k| self.turned[k] - of_mean[k]);
        let (cofactors, determinant) = sym_cofactors(&[yy + zz, xx + zz, xx + yy, -xy, -xz, -yz]);
        let turn = (sym_times(&cofactors, DVec3::from_array(turned)) / determinant).to_array();
        let carried = cross(turn, point);
        let [x, y, z] = [0, 1, 2].map(|k| asked[k] - carried[k]);
        Some([x, y, z, turn[0], turn[1], turn[2]])
    }
}

/// Buffers: the contacts of each body; manifolds with the contacts that stick, a bit each.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    supports: Vec<Support>,
    grips: Vec<(u32, u8)>,
}

impl Held {
    /// Gives held bodies that have it to `within` [m/s, rad/s] the velocity that their contacts ask for. The
    /// largest change of a component [m/s, rad/s].
    pub(super) fn take_along(
        &mut self,
        problem: &ManifoldProblem<'_>,
        sweep: &Sweep,
        velocities: &mut [Vec6],
        tolerance: Double,
        within: Double,
    ) -> Double {
        let n = problem.bodies.len();
        let Self { supports, grips } = self;
        refill(supports, n + 1, Support::default());
        supports[n].held = true;
        grips.clear();
        for (k, (m, l)) in problem.manifolds.iter().zip(&sweep.impulse).enumerate() {
            let lanes = sticking(m, l, sweep.cones.inradius(), tolerance);
            if lanes != 0 {
                grips.push((k as u32, lanes));
            }
        }
        let mut taken: Double = 0.0;
        for pass in 0..PASSES {
            let mut grows = false;
            let visit = |&(k, lanes): &(u32, u8)| {
                let m = &problem.manifolds[k as usize];
                let (a, b) = (m.a as usize, m.b as usize);
                let (body, arm, is_b) = match (supports[a].held, supports[b].held) {
                    (true, false) => (b, m.arm_b, true),
                    (false, true) => (a, m.arm_a, false),
                    _ => return,
                };
                let (support, mut alone) = (&mut supports[body], None);
                let (l, rolls) = (&sweep.impulse[k as usize], sweep.cones.has(k as usize));
                for lane in (0..m.count as usize).filter(|lane| lanes & 1 << lane != 0) {
                    let (p, u) = (m.arm(arm, lane), asked(m, lane, is_b, velocities));
                    support.add(p, u);
                    if rolls && sweep.cones.sticks(problem, k as usize, l, lane) == [true; 2] {
                        alone = Some((p, u));
                    }
                }
                let holder = if is_b { a } else { b };
                let velocity = match alone {
                    Some((p, u)) => Some(carried(&velocities[holder], p, u)),
                    None => support.velocity(),
                };
                let Some(velocity) = velocity else { return };
                let most = distance(&[velocity], &velocities[body..=body]);
                if most <= within {
                    (velocities[body], support.held, grows) = (velocity, true, true);
                    taken = taken.max(most);
                }
            };
            if pass % 2 == 0 {
                grips.iter().for_each(visit);
            } else {
                grips.iter().rev().for_each(visit);
            }
            if !grows {
                break;
            }
            // What is not enough is counted anew.
            for support in &mut *supports {
                *support = Support { held: support.held, ..Support::default() };
            }
        }
        taken.max(self.turn_along(problem, sweep, velocities, within))
    }

    /// Are there bodies that the last pass did not find held?
    pub(super) fn leaves_some(&self) -> bool {
        self.supports.iter().any(|support| !support.held)
    }

    /// Takes away what bodies that are not held turn about the normals of contacts whose spinning sticks,
    /// against what is held, if it is within the tolerance given. The largest change of a component [rad/s].
    fn turn_along(
        &self,
        problem: &ManifoldProblem<'_>,
        sweep: &Sweep,
        velocities: &mut [Vec6],
        tolerance: Double,
    ) -> Double {
        let mut taken: Double = 0.0;
        let grips = if problem.rolling.is_empty() { &[] } else { &*self.grips };
        for &(k, lanes) in grips {
            let (k, m) = (k as usize, &problem.manifolds[k as usize]);
            let [a, b] = [m.a, m.b].map(|i| i as usize);
            let (body, holder) = match [a, b].map(|i| self.supports[i].held) {
                [true, false] => (b, a),
                [false, true] => (a, b),
                _ => continue,
            };
            let l = &sweep.impulse[k];
            let spins = |lane: usize| !sweep.cones.sticks(problem, k, l, lane)[0];
            if (0..m.count as usize).all(|lane| lanes & 1 << lane == 0 || spins(lane)) {
                continue;
            }
            let of = velocities[holder];
            let (v, n) = (&mut velocities[body], &m.normal);
            let turn = (0..3).map(|k| n[k] * (v[3 + k] - of[3 + k])).sum::<Double>();
            if turn.abs() <= tolerance {
                (0..3).for_each(|k| v[3 + k] -= turn * n[k]);
                taken = taken.max(turn.abs());
            }
        }
        taken
    }
}

/// The velocity of a body that turns with what holds it, of the velocity `u` at `p` from its center.
fn carried(holder: &Vec6, p: [Double; 3], u: [Double; 3]) -> Vec6 {
    let turn = [holder[3], holder[4], holder[5]];
    let around = cross(turn, p);
    core::array::from_fn(|k| if k < 3 { u[k] - around[k] } else { holder[k] })
}

/// The velocity of body b at contact `lane`, or of body a, with which they stick [m/s].
fn asked(m: &Manifold, lane: usize, of_b: bool, velocities: &[Vec6]) -> [Double; 3] {
    let (other, arm, sign) = if of_b { (m.a, m.arm_a, -1.0) } else { (m.b, m.arm_b, 1.0) };
    let v = &velocities[other as usize];
    let turn = cross([v[3], v[4], v[5]], m.arm(arm, lane));
    [0, 1, 2].map(|k| v[k] + turn[k] + sign * (m.drift[k][lane] + m.bias[lane] * m.normal[k]))
}

/// The contacts of a manifold, one bit each, that push by more than the tolerance and do not slip.
/// `inradius` is that of the section of the cone (–).
fn sticking(m: &Manifold, l: &LaneVectors, inradius: Double, tolerance: Double) -> u8 {
    let n = &m.normal;
    let mut lanes = 0;
    for k in 0..m.count as usize {
        let [x, y, z] = [l[0][k], l[1][k], l[2][k]];
        let pn = n[0] * x + n[1] * y + n[2] * z;
        let t = [x - pn * n[0], y - pn * n[1], z - pn * n[2]];
        let limit = INSIDE * inradius * m.friction * pn;
        let sticks = pn * m.compliance[k] > tolerance
            && t[0] * t[0] + t[1] * t[1] + t[2] * t[2] < limit * limit;
        lanes |= u8::from(sticks) << k;
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triangles of a mesh that meet in a corner have contacts there, each its own: three in one place,
    /// whose spread rounds to nothing, gave a velocity that is not a number.
    #[test]
    fn points_in_one_place_or_in_one_line_ask_for_nothing() {
        let asked = |points: &[[Double; 3]], u: [Double; 3]| {
            let mut support = Support::default();
            points.iter().for_each(|p| support.add(*p, u));
            support.velocity()
        };
        let [p, q, r] = [0.25, 0.5, 1.0].map(|x| [x, -0.5, 0.125]);
        for u in [[0.0; 3], [0.5, 0.0, -0.25]] {
            assert_eq!(asked(&[p; 3], u), None, "one place");
            assert_eq!(asked(&[p; 4], u), None, "one place, four times");
            assert_eq!(asked(&[p, q, r], u), None, "one line");
            let wide = asked(&[p, q, [0.25, -0.5, 0.5]], u).expect("a triangle");
            let error = (0..6).map(|k| (wide[k] - if k < 3 { u[k] } else { 0.0 }).abs());
            assert!(error.fold(0.0, Double::max) < 1e-15, "{wide:?}");
        }
    }

    #[test]
    fn what_is_carried_turns_with_its_holder_about_the_point_that_holds_it() {
        let holder = [1.0, 2.0, 3.0, 0.5, -0.25, 2.0];
        let (p, u) = ([0.1, -0.4, 0.3], [0.7, -0.2, 0.9]);
        let v = carried(&holder, p, u);
        assert_eq!(v[3..], holder[3..], "it turns as its holder");
        let around = cross([v[3], v[4], v[5]], p);
        for k in 0..3 {
            assert!((v[k] + around[k] - u[k]).abs() < 1e-15, "the velocity where it is held");
        }
    }
}
