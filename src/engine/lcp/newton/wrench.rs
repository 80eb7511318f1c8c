//! Impulses on the contacts of a manifold, and what they do to its two bodies.
//!
//! Input: a manifold, impulses of its contacts. Output: the nearest in their cones, force and torques. O(1).

use super::round::project;
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold, cross};
use crate::engine::lcp::problem::Vec6;
use crate::math::{DVec3, Double};

/// What impulses on the contacts of a manifold do to its bodies: force on b, torques about the centers of b
/// and, opposite, of a [N·s, N·m·s].
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct Wrench {
    /// On body b; the opposite acts on a.
    pub(in crate::engine) force: [Double; 3],
    /// About the centers of bodies b and a; the opposite of the second acts on a.
    pub(in crate::engine) torque: [[Double; 3]; 2],
}

impl Wrench {
    /// That of impulses on the contacts of a manifold, world axes.
    #[inline(always)]
    pub(in crate::engine) fn of(m: &Manifold, f: &LaneVectors) -> Self {
        let [px, py, pz] = &m.point;
        let [fx, fy, fz] = f;
        let mut turn = [[0.0; LANES]; 3];
        for l in 0..LANES {
            turn[0][l] = py[l] * fz[l] - pz[l] * fy[l];
            turn[1][l] = pz[l] * fx[l] - px[l] * fz[l];
            turn[2][l] = px[l] * fy[l] - py[l] * fx[l];
        }
        let sum = |x: &Lanes| (x[0] + x[1]) + (x[2] + x[3]);
        let force = [sum(fx), sum(fy), sum(fz)];
        let torque = [sum(&turn[0]), sum(&turn[1]), sum(&turn[2])];
        let at = |arm: [Double; 3]| {
            let at = cross(arm, force);
            [0, 1, 2].map(|k| torque[k] + at[k])
        };
        Self { force, torque: [at(m.arm_b), at(m.arm_a)] }
    }

    /// With the torques of an impulse on b by arms that are shorter by these (m).
    #[inline(always)]
    pub(in crate::engine) fn less(self, [a, b]: &[DVec3; 2], impulse: DVec3) -> Self {
        let [of_b, of_a] = self.torque.map(DVec3::from_array);
        let torque = [of_b - b.cross(impulse), of_a - a.cross(impulse)].map(|x| x.to_array());
        Self { torque, ..self }
    }

    /// Adds it to the impulses of the bodies.
    #[inline(always)]
    pub(in crate::engine) fn add(&self, m: &Manifold, sign: Double, out: &mut [Vec6]) {
        for (i, torque, sign) in [(m.b, &self.torque[0], sign), (m.a, &self.torque[1], -sign)] {
            let sums = &mut out[i as usize];
            for k in 0..3 {
                sums[k] += sign * self.force[k];
                sums[3 + k] += sign * torque[k];
            }
        }
    }
}

/// Impulses on the contacts of a manifold without rolling rows, the nearest in the circular cone; what is not
/// finite, or acts between bodies that cannot move, is none.
#[inline(always)]
pub(in crate::engine) fn admissible(m: &Manifold, contact: &[[Double; 3]]) -> LaneVectors {
    project(&m.normal, m.friction, &usable(m, contact)).0
}

/// The impulses on the contacts of a manifold that are a start.
#[inline(always)]
pub(super) fn usable(m: &Manifold, contact: &[[Double; 3]]) -> LaneVectors {
    let mut lanes = [[0.0; LANES]; 3];
    for (l, impulse) in contact.iter().enumerate().take(m.count as usize) {
        // What is not finite, or acts between bodies that cannot move, is no start.
        let usable = m.compliance[l] > 0.0 && impulse.iter().all(|x| x.is_finite());
        for k in 0..3 {
            lanes[k][l] = if usable { impulse[k] } else { 0.0 };
        }
    }
    lanes
}

/// Gives impulses to the contacts of a manifold, which these are.
#[inline(always)]
pub(in crate::engine) fn give(m: &Manifold, lanes: &LaneVectors, contact: &mut [[Double; 3]]) {
    for (l, impulse) in contact.iter_mut().enumerate().take(m.count as usize) {
        *impulse = [lanes[0][l], lanes[1][l], lanes[2][l]];
    }
}
