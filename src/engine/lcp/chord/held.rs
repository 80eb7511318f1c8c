//! Bodies that contacts hold fast stand still.
//!
//! Input: a solution within the tolerance. Output: velocity zero for bodies that are *held*, by three
//! contacts that push and stick, by what does not move: the world at rest, or other held bodies. Their exact
//! velocity is zero, unless the three are in one line, about which a body may turn; what they have is the
//! error of the impulses, which would add up from step to step until the island had to be solved again. What
//! slides, rolls or floats keeps its velocity, however slow. A few passes over the manifolds.

use super::{ChordScratch, ManifoldProblem};
use crate::engine::lcp::manifold::{LaneVectors, Manifold};
use crate::math::Double;

/// So many sticking contacts hold a body.
const ENOUGH: u32 = 3;
/// Passes over the manifolds, which find towers of that many turns of their order.
const PASSES: usize = 8;
/// Tangential impulses up to this part of the limit stick for certain.
const INSIDE: Double = 0.999;

impl ChordScratch {
    /// Lets held bodies stand still that move by less than the tolerance. The largest component of a velocity
    /// that this took [m/s, rad/s].
    pub(super) fn still(&mut self, problem: &ManifoldProblem<'_>, tolerance: Double) -> Double {
        let n = problem.bodies.len();
        let slow = |v: &[Double; 6]| v.iter().all(|x| x.abs() <= tolerance);
        if !self.rebuilt.iter().any(|v| slow(v) && *v != [0.0; 6]) {
            return 0.0;
        }
        let mut holds = core::mem::take(&mut self.holds);
        holds.clear();
        holds.resize(n + 1, 0);
        holds[n] = ENOUGH;
        let mut grips = core::mem::take(&mut self.grips);
        grips.clear();
        let pairs = problem.manifolds.iter().zip(&self.sweep.impulse);
        grips.extend(pairs.map(|(m, l)| (m.a, m.b, sticking(m, l))).filter(|grip| grip.2 > 0));
        for pass in 0..PASSES {
            let mut grows = false;
            let visit = |&(a, b, sticking): &(u32, u32, u32)| {
                let (a, b) = (a as usize, b as usize);
                match (holds[a] >= ENOUGH, holds[b] >= ENOUGH) {
                    (true, false) => holds[b] += sticking,
                    (false, true) => holds[a] += sticking,
                    _ => return,
                }
                grows = true;
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
            for count in &mut holds {
                *count = if *count >= ENOUGH { ENOUGH } else { 0 };
            }
        }
        self.grips = grips;
        let mut taken: Double = 0.0;
        for (v, count) in self.rebuilt.iter_mut().zip(&holds) {
            if *count >= ENOUGH && slow(v) {
                taken = v.iter().fold(taken, |most, x| most.max(x.abs()));
                *v = [0.0; 6];
            }
        }
        self.holds = holds;
        taken
    }
}

/// Contacts of a manifold that push and do not slip, on what does not move.
fn sticking(m: &Manifold, l: &LaneVectors) -> u32 {
    if m.drift != [[0.0; 4]; 3] {
        return 0;
    }
    let n = &m.normal;
    let mut count = 0;
    for k in 0..m.count as usize {
        let [x, y, z] = [l[0][k], l[1][k], l[2][k]];
        let pn = n[0] * x + n[1] * y + n[2] * z;
        let t = [x - pn * n[0], y - pn * n[1], z - pn * n[2]];
        let limit = INSIDE * m.friction * pn;
        let sticks = pn > 0.0 && t[0] * t[0] + t[1] * t[1] + t[2] * t[2] < limit * limit;
        count += u32::from(sticks);
    }
    count
}
