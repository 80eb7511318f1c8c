//! Bodies that contacts hold fast stand still.
//!
//! Input: a solution within the tolerance. Output: velocity zero for bodies that are *held*: by contacts
//! that push and stick, by what does not move (the world at rest, or other held bodies), and that are not
//! all in one line. Their exact velocity is zero; what they have is the error of the impulses, which would
//! add up from step to step until the island had to be solved again. Contacts in one line hold nothing about
//! that line, and contacts that push by less than the tolerance may be an error: a body on those keeps its
//! velocity, as does what slides, rolls or floats, however slow. What balances falls. A contact whose
//! friction, spinning and rolling all stick holds a body alone; one whose spinning sticks holds it about its
//! normal.
//!
//! With the points `p` of a body's contacts from its center and the eigenvalues `λ₁ ≥ λ₂ ≥ λ₃` of
//! `S = Σ (p - p̄) (p - p̄)ᵀ`, the sum of their squared distances from the nearest line is `λ₂ + λ₃`, and
//!
//! ```text
//! λ₂ + λ₃ ≥ (λ₁λ₂ + λ₁λ₃ + λ₂λ₃) / (λ₁ + λ₂ + λ₃) = (tr² S - tr S²) / (2 tr S)
//! ```
//!
//! which is at least half of it. A few passes over the manifolds, O(contacts) each.

use super::{ChordScratch, ManifoldProblem};
use crate::engine::lcp::manifold::{LaneVectors, Manifold};
use crate::engine::lcp::problem::Vec6;
use crate::engine::tuning::held::{INSIDE, LINE, PASSES};
use crate::math::Double;

/// The contacts that may hold a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Support {
    /// Does it stand for certain?
    held: bool,
    count: Double,
    /// `Σ p` (m).
    sum: [Double; 3],
    /// `Σ p pᵀ` (m²): xx, yy, zz, xy, xz, yz.
    square: [Double; 6],
}

impl Support {
    fn add(&mut self, p: [Double; 3]) {
        let [x, y, z] = p;
        self.count += 1.0;
        for (sum, x) in self.sum.iter_mut().zip(p) {
            *sum += x;
        }
        for (sum, x) in self.square.iter_mut().zip([x * x, y * y, z * z, x * y, x * z, y * z]) {
            *sum += x;
        }
    }

    /// Are the points those of a triangle?
    fn is_wide(&self) -> bool {
        if self.count < 3.0 {
            return false;
        }
        let [x, y, z] = self.sum;
        let mean = [x * x, y * y, z * z, x * y, x * z, y * z].map(|x| x / self.count);
        let [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map(|k| self.square[k] - mean[k]);
        let minors = (xx * yy - xy * xy) + (xx * zz - xz * xz) + (yy * zz - yz * yz);
        let reach = self.square[0] + self.square[1] + self.square[2];
        minors >= LINE * LINE * reach * (xx + yy + zz)
    }
}

impl ChordScratch {
    /// Lets held bodies stand still that move by less than the tolerance. The largest component of a velocity
    /// that this took [m/s, rad/s].
    pub(super) fn still(&mut self, problem: &ManifoldProblem<'_>, tolerance: Double) -> Double {
        let n = problem.bodies.len();
        let slow = |v: &[Double; 6]| v.iter().all(|x| x.abs() <= tolerance);
        if !self.rebuilt.iter().any(|v| slow(v) && *v != [0.0; 6]) {
            return 0.0;
        }
        let (supports, sweep) = (&mut self.supports, &self.sweep);
        supports.clear();
        supports.resize(n + 1, Support::default());
        supports[n].held = true;
        let mut grips = core::mem::take(&mut self.grips);
        grips.clear();
        for (k, (m, l)) in problem.manifolds.iter().zip(&self.sweep.impulse).enumerate() {
            let lanes = sticking(m, l, self.sweep.cones.inradius(), tolerance);
            if lanes != 0 {
                grips.push((k as u32, lanes));
            }
        }
        for pass in 0..PASSES {
            let mut grows = false;
            let visit = |&(k, lanes): &(u32, u8)| {
                let m = &problem.manifolds[k as usize];
                let (a, b) = (m.a as usize, m.b as usize);
                let (body, arm) = match (supports[a].held, supports[b].held) {
                    (true, false) => (&mut supports[b], m.arm_b),
                    (false, true) => (&mut supports[a], m.arm_a),
                    _ => return,
                };
                let mut alone = false;
                for lane in (0..m.count as usize).filter(|lane| lanes & 1 << lane != 0) {
                    body.add(m.arm(arm, lane));
                    let l = &sweep.impulse[k as usize];
                    alone |= sweep.cones.sticks(problem, k as usize, l, lane) == [true; 2];
                }
                body.held = alone || body.is_wide();
                grows |= body.held;
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
        let mut taken = self.still_about(problem, &grips, slow);
        self.grips = grips;
        for (v, support) in self.rebuilt.iter_mut().zip(&self.supports) {
            if support.held && slow(v) {
                taken = v.iter().fold(taken, |most, x| most.max(x.abs()));
                *v = [0.0; 6];
            }
        }
        taken
    }
}

impl ChordScratch {
    /// Takes away what slow bodies that are not held turn about the normals of contacts whose spinning
    /// sticks, on what stands. The largest component that this took [rad/s].
    fn still_about(
        &mut self,
        problem: &ManifoldProblem<'_>,
        grips: &[(u32, u8)],
        slow: impl Fn(&Vec6) -> bool,
    ) -> Double {
        let mut taken: Double = 0.0;
        let grips = if problem.rolling.is_empty() { &[] } else { grips };
        for &(k, lanes) in grips {
            let (k, m) = (k as usize, &problem.manifolds[k as usize]);
            let body = match [m.a, m.b].map(|i| self.supports[i as usize].held) {
                [true, false] => m.b as usize,
                [false, true] => m.a as usize,
                _ => continue,
            };
            let l = &self.sweep.impulse[k];
            let spins = |lane: usize| !self.sweep.cones.sticks(problem, k, l, lane)[0];
            let (v, n) = (&mut self.rebuilt[body], &m.normal);
            if (0..m.count as usize).all(|lane| lanes & 1 << lane == 0 || spins(lane)) || !slow(v) {
                continue;
            }
            let turn = n[0] * v[3] + n[1] * v[4] + n[2] * v[5];
            (0..3).for_each(|k| v[3 + k] -= turn * n[k]);
            taken = taken.max(turn.abs());
        }
        taken
    }
}

/// The contacts of a manifold, one bit each, that push by more than the tolerance and do not slip, on what
/// does not move. `inradius` is that of the section of the cone (–).
fn sticking(m: &Manifold, l: &LaneVectors, inradius: Double, tolerance: Double) -> u8 {
    if m.drift != [[0.0; 4]; 3] {
        return 0;
    }
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
