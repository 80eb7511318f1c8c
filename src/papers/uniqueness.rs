//! Whether the motion of a quasistatic step is the only one: Proposition 1 of Trinkle, Berard, Pang (2005).
//!
//! Input: an island after a quasistatic step. Output: a displacement that equilibrium allows beside the one
//! that was taken, if there is one. With contacts `I` that press, `J` that touch and do not, and the forces
//! `f`, the motion is unique if and only if (32)
//!
//! ```text
//! W_nᵀ dq ≥ 0 on I ∪ J,   W_tᵀ dq = W_oᵀ dq = 0 on I,   fᵀ dq ≥ 0    ⇒    dq = 0.
//! ```
//!
//! Contacts without friction have no second row. Joints lock as contacts stick; limits that bear count as
//! `I`. Let `A` have all of these rows, equalities as two inequalities. Where no `dq ≠ 0` has `A dq = 0`, by
//! Stiemke's theorem either `Aᵀ y = 0` for a `y > 0`, and the motion is unique, or `A dq ≥ 0, A dq ≠ 0` has a
//! solution. Both are told by the least `|Aᵀ (1 + u)|`, `u ≥ 0`, a linear complementarity problem: where it
//! is not zero `dq = Aᵀ (1 + u)` is that solution, by the conditions of optimality. O(rows³).

use crate::engine::Simulation;
use crate::engine::lcp::rows::mass_mul;
use crate::engine::lcp::{FIXED, Vec6};
use crate::engine::papers::solvers::pivoting::lcp_lemke;
use crate::engine::state::body::{Body, BodyId};
use crate::engine::step::assemble::StepProblem;
use crate::engine::step::islands::Islands;
use crate::math::{Double, Real, Vec3, narrow, widen};

/// Part of the largest row below which what is left of a row is rounding (–).
const ROUNDING: Double = 1e-9;
/// Pivots of Lemke's algorithm for each row.
const PIVOTS: u32 = 200;

/// A displacement of a body, one of several whose squares sum up to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeMotion {
    /// The body.
    pub body: BodyId,
    /// Of its center of mass (m).
    pub linear: Vec3,
    /// Its turn (rad).
    pub angular: Vec3,
}

impl Simulation {
    /// A displacement that equilibrium allows beside the one of the last step, which was quasistatic, of the
    /// bodies that it moves: Proposition 1 of Trinkle, Berard and Pang, see
    /// [`uniqueness`](self). None where the motion is unique, after dynamic steps and
    /// before the first. `touching` (m) is up to which gap bodies touch. O(rows³), of each island.
    #[must_use]
    pub fn free_motion(&self, touching: Real) -> Option<Vec<FreeMotion>> {
        let (problem, islands) = self.quasistatic_problem()?;
        let bodies = self.bodies.as_slice();
        let lengths = [self.report.dt, touching].map(widen);
        let mut found = Vec::new();
        for k in 0..islands.len() {
            let members =
                &islands.members[islands.start[k] as usize..islands.start[k + 1] as usize];
            let rows = Equilibrium::of_island(problem, islands, bodies, k, lengths);
            let way = free_direction(6 * members.len(), &rows).unwrap_or_default();
            for (&i, part) in members.iter().zip(way.chunks_exact(6)) {
                let [x, y, z, a, b, c] = [0, 1, 2, 3, 4, 5].map(|k| narrow(part[k]));
                let (linear, angular) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
                if (linear, angular) != (Vec3::ZERO, Vec3::ZERO) {
                    let body = bodies[i as usize].id();
                    found.push(FreeMotion { body, linear, angular });
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }
}

/// Rows of (32) of an island, in the displacements of its bodies, six each.
#[derive(Debug, Default)]
pub struct Equilibrium {
    /// Rows that are zero (– and m).
    pub equal: Vec<Vec<Double>>,
    /// Rows that are not negative (– and m).
    pub at_least: Vec<Vec<Double>>,
}

impl Equilibrium {
    /// Of island `k`, solved for a step of `h` seconds; `touching` (m) is up to which gap bodies touch.
    #[must_use]
    pub fn of_island(
        problem: &StepProblem,
        islands: &Islands,
        bodies: &[Body],
        k: usize,
        [h, touching]: [Double; 2],
    ) -> Self {
        let ranges = problem.ranges(k, islands);
        let columns = 6 * ranges.members.len();
        let members = &islands.members[ranges.members.clone()];
        let blocks = &problem.bodies[ranges.members.clone()];
        let velocity = &problem.biased.velocity[ranges.members.clone()];
        let mut conditions = Self::default();
        let row_of = |terms: &[(u32, Vec6)]| {
            let mut row = vec![0.0; columns];
            for (i, part) in terms.iter().filter(|(i, _)| *i != FIXED) {
                row[6 * *i as usize..6 * *i as usize + 6].copy_from_slice(part);
            }
            row
        };
        let mut forces = Vec::with_capacity(columns);
        for (i, (block, &member)) in (0..).zip(blocks.iter().zip(members)) {
            forces.extend(mass_mul(block, &block.velocity_free));
            let axes = bodies[member as usize].locked_axes;
            for axis in (0..6).filter(|axis| axes.bits() & 1 << axis != 0) {
                let unit = core::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 });
                conditions.equal.push(row_of(&[(i, unit)]));
            }
        }
        conditions.at_least.push(forces);
        let impulses = &problem.biased.contact_impulse[ranges.contacts];
        for m in &problem.manifolds[ranges.manifolds] {
            for lane in 0..m.count as usize {
                let presses = dot(&m.normal, &impulses[m.first as usize + lane]) > 0.0;
                let way = m.gap[lane] + h * dot(&m.normal, &m.velocity(lane, velocity));
                let row = m.row(lane, blocks);
                let part =
                    |k: usize| row_of(&[(row.a, row.jacobian_a[k]), (row.b, row.jacobian_b[k])]);
                if presses || way <= touching {
                    conditions.at_least.push(part(0));
                }
                if presses && m.friction > 0.0 {
                    conditions.equal.extend([part(1), part(2)]);
                }
            }
        }
        let impulses = &problem.biased.joint_impulse[ranges.joints.clone()];
        for (joint, c) in problem.joints[ranges.joints].iter().zip(impulses) {
            let [low, high] = joint.bounds;
            if !joint.is_bounded() || (low < *c && *c < high && low < 0.0) {
                conditions.equal.push(row_of(&joint.terms));
            } else if *c > 0.0 {
                conditions.at_least.push(row_of(&joint.terms));
            }
        }
        conditions
    }
}

fn dot(a: &[Double], b: &[Double]) -> Double {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A displacement `dq ≠ 0` of length one that keeps the conditions, of `n` numbers; none if there is none.
#[must_use]
pub fn free_direction(n: usize, conditions: &Equilibrium) -> Option<Vec<Double>> {
    let Equilibrium { equal, at_least } = conditions;
    let unit = |row: &Vec<Double>| {
        let length = dot(row, row).sqrt();
        (length > 0.0).then(|| row.iter().map(|x| x / length).collect::<Vec<_>>())
    };
    let opposite = |row: &Vec<Double>| row.iter().map(|x| -x).collect::<Vec<_>>();
    let equal: Vec<_> = equal.iter().filter_map(unit).collect();
    let mut rows: Vec<_> = at_least.iter().filter_map(unit).collect();
    rows.extend(equal.iter().cloned());
    rows.extend(equal.iter().map(opposite));
    if let Some(null) = null_vector(n, &rows) {
        return Some(null);
    }
    let m = rows.len();
    let sum: Vec<Double> = (0..n).map(|k| rows.iter().map(|row| row[k]).sum()).collect();
    let matrix: Vec<Double> = rows.iter().flat_map(|a| rows.iter().map(|b| dot(a, b))).collect();
    let q: Vec<Double> = rows.iter().map(|row| dot(row, &sum)).collect();
    let u = lcp_lemke(&matrix, &q, PIVOTS * m as u32).z;
    let mut way = sum;
    for (row, u) in rows.iter().zip(&u) {
        way.iter_mut().zip(row).for_each(|(way, x)| *way += u * x);
    }
    let length = dot(&way, &way).sqrt();
    let size = 1.0 + u.iter().fold(0.0, |most: Double, u| most.max(*u));
    let is_free = length > ROUNDING.sqrt() * size;
    is_free.then(|| way.iter().map(|x| x / length).collect())
}

/// A vector of length one that is across all rows, of `n` numbers; none if there is only zero.
fn null_vector(n: usize, rows: &[Vec<Double>]) -> Option<Vec<Double>> {
    let mut basis: Vec<Vec<Double>> = Vec::new();
    // What is left of a vector across the basis, with its length; twice, for rounding.
    let across = |basis: &[Vec<Double>], mut vector: Vec<Double>| {
        for unit in basis.iter().chain(basis) {
            let along = dot(unit, &vector);
            vector.iter_mut().zip(unit).for_each(|(x, u)| *x -= along * u);
        }
        let length = dot(&vector, &vector).sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        (length, vector)
    };
    for row in rows {
        let (length, unit) = across(&basis, row.clone());
        if length > ROUNDING {
            basis.push(unit);
        }
    }
    let axis = |k: usize| (0..n).map(|i| Double::from(u8::from(i == k))).collect::<Vec<_>>();
    let left = (0..n).map(|k| across(&basis, axis(k)));
    let (_, longest) = left.max_by(|(x, _), (y, _)| x.total_cmp(y))?;
    (basis.len() < n).then_some(longest)
}
