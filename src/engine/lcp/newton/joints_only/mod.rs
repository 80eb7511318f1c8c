//! Islands of joints alone: one factor, a few corrections.
//!
//! Input: an island without contacts whose joint rows have no bounds, a warm start. Output: impulses, the
//! velocity rebuilt from them, a certificate. Such a problem is linear,
//!
//! ```text
//! A c = -(νᵀ v* + Υ)        A = νᵀ M⁻¹ ν + diag(s + δ)
//! ```
//!
//! with one node a joint, and a pair of nodes for every two joints of a body: a chain is a band, a net has
//! separators of three rows a cut ball joint. It is solved by corrections `A Δc = -w` from
//! the impulses at hand, where `w = νᵀ v + Υ + s c` is exact and `v` rebuilt from the impulses, so that
//! `δ = 1e-12 νᵀ M⁻¹ ν`, which makes rows that repeat each other solvable, and the age of the factor cost
//! corrections, never accuracy. The factor of an earlier step is kept as long as the corrections that it
//! takes cost less than a new one.
//!
//! Bodies with more than a dozen joints are left to [`newton`](crate::engine::lcp::newton), whose nodes for
//! bodies keep a wheel of many spokes sparse. Cost: [`Packed::work`] a factor.

use crate::engine::tuning::joints_only::{AIM, HUB, POOR, PROXIMAL, RETRY_AFTER, TAKEN};
use crate::math::{fill_from, refill};
use core::ops::Range;
use smallvec::SmallVec;

use super::{ManifoldIterate, ManifoldProblem};
use crate::engine::lcp::factor::{NodeLanes, Packed};
use crate::engine::lcp::outcome::SolveStats;
use crate::engine::lcp::problem::{BodyBlock, JointRow, Vec6};
use crate::engine::lcp::rows::{add_joint_impulse, dot6, inverse_mass_mul, joint_rate};
use crate::engine::tuning::work::{CHECK, OPERATIONS, ROUNDS};
use crate::math::Double;

/// Multiplications of a correction for each row: with bodies and neighbors, forth and back.
const ROW_WORK: u32 = 60;
/// Multiplications of the matrix for each entry of a pair.
const ENTRY_WORK: u32 = 20;

/// What an island keeps from step to step.
#[derive(Clone, Debug, Default)]
pub struct JointsMemory {
    matrix: Packed,
    /// Rows and bodies of every node, for which `matrix` was built.
    nodes: Vec<JointNode>,
    pairs: Vec<NodePair>,
    /// Is there a factor?
    made: bool,
    /// Steps for which one of an earlier step is not tried.
    retry_after: u32,
}

/// The rows of a joint: `count` from `first` on, and its bodies.
#[derive(Clone, Debug, Default, PartialEq)]
struct JointNode {
    first: u32,
    count: u32,
    bodies: SmallVec<[u32; 2]>,
}

impl JointNode {
    fn rows(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// Two nodes that share a body, or one and itself, with the place of the body in the lists of both.
#[derive(Clone, Copy, Debug)]
struct NodePair {
    nodes: [u32; 2],
    sides: [u8; 2],
}

/// Buffers.
#[derive(Clone, Debug, Default)]
pub struct JointsScratch {
    nodes: Vec<JointNode>,
    edges: Vec<[u32; 2]>,
    sizes: Vec<u32>,
    /// Nodes by body: where those of each end, and all, with the place of the body in their lists.
    end: Vec<u32>,
    of_body: Vec<(u32, u8)>,
    joint: Vec<Double>,
    trial: Vec<Double>,
    velocity: Vec<Vec6>,
    errors: Vec<Double>,
    /// `M⁻¹ ν` of every row and body.
    response: Vec<[Vec6; 2]>,
    x: Vec<NodeLanes<Double>>,
}

/// Is this a problem that [`solve`] knows? It has no contacts, and no row has bounds.
#[must_use]
pub fn suits(problem: &ManifoldProblem<'_>) -> bool {
    problem.manifolds.is_empty() && !problem.joints.iter().any(JointRow::is_bounded)
}

/// Solves a problem of joints alone to the tolerance [m/s].
/// None, and nothing changed, if it has hubs or the corrections do not converge.
pub fn solve(
    problem: &ManifoldProblem<'_>,
    iterate: &mut ManifoldIterate<'_>,
    tolerance: Double,
    memory: &mut JointsMemory,
    scratch: &mut JointsScratch,
) -> Option<SolveStats> {
    scratch.begin(problem, iterate.joint);
    let mut error = scratch.evaluate(problem);
    let size = (problem.joints.len() + problem.bodies.len()) as Double;
    let mut stats = SolveStats { work: CHECK, ..Default::default() };
    if error > TAKEN * tolerance {
        if !scratch.prepare(problem, memory) {
            return None;
        }
        let goal = AIM * tolerance;
        let [new, correction] = memory.costs();
        let mut fresh = false;
        memory.retry_after = memory.retry_after.saturating_sub(1);
        let mut usable = memory.made && memory.retry_after == 0;
        while stats.iterations < ROUNDS && error > goal {
            if !usable {
                if fresh {
                    break;
                }
                if memory.made && memory.retry_after == 0 {
                    memory.retry_after = RETRY_AFTER;
                }
                memory.made = scratch.factor(problem, memory);
                if !memory.made {
                    return None;
                }
                fresh = true;
                stats.factorizations += 1;
                stats.work += new / (OPERATIONS * size);
            }
            let next = scratch.correct(problem, memory);
            stats.iterations += 1;
            stats.work += correction / (OPERATIONS * size);
            usable = next <= POOR * error
                && (fresh || reaches(goal, next, next / error, new / correction));
            if next < error {
                error = next;
            } else {
                scratch.undo(problem);
            }
        }
        if error > tolerance {
            return None;
        }
    }
    scratch.give(iterate);
    stats.certificate.joint = error;
    Some(stats)
}

/// Does an error come down to a goal in fewer than so many corrections, each of which leaves so much?
fn reaches(goal: Double, mut error: Double, left: Double, most: Double) -> bool {
    let mut count = 0.0;
    while error > goal && count < most {
        error *= left;
        count += 1.0;
    }
    count < most
}

impl JointsMemory {
    /// Multiplications of a new factor, and of a correction.
    fn costs(&self) -> [Double; 2] {
        let rows = self.nodes.last().map_or(0, |node| node.first + node.count);
        let entries = 9.0 * self.pairs.len() as Double;
        [
            self.matrix.work() + Double::from(ENTRY_WORK) * entries,
            2.0 * self.matrix.size() as Double + Double::from(ROW_WORK * rows),
        ]
    }
}

impl JointsScratch {
    fn begin(&mut self, problem: &ManifoldProblem<'_>, joint: &[Double]) {
        fill_from(&mut self.joint, joint.iter().map(|c| if c.is_finite() { *c } else { 0.0 }));
        refill(&mut self.velocity, problem.bodies.len(), [0.0; 6]);
    }

    fn give(&self, iterate: &mut ManifoldIterate<'_>) {
        iterate.joint.copy_from_slice(&self.joint);
        iterate.velocity.copy_from_slice(&self.velocity);
    }

    /// Rebuilds the velocity from the impulses at hand, and finds the errors of all rows and the largest.
    fn evaluate(&mut self, problem: &ManifoldProblem<'_>) -> Double {
        self.velocity.fill([0.0; 6]);
        for (row, c) in problem.joints.iter().zip(&self.joint) {
            add_joint_impulse(row, *c, &mut self.velocity);
        }
        for (body, v) in problem.bodies.iter().zip(&mut self.velocity) {
            let change = inverse_mass_mul(body, v);
            (0..6).for_each(|k| v[k] = body.velocity_free[k] + change[k]);
        }
        self.errors.clear();
        let mut worst = 0.0;
        for (row, c) in problem.joints.iter().zip(&self.joint) {
            let movable = !row.terms.is_empty();
            let w = if movable { row.speed(joint_rate(row, &self.velocity), *c) } else { 0.0 };
            self.errors.push(w);
            let size = if w.is_nan() { Double::INFINITY } else { w.abs() };
            worst = if size > worst { size } else { worst };
        }
        worst
    }

    /// Finds nodes and matrix anew if they are others than at the last time. False if there is a hub.
    fn prepare(&mut self, problem: &ManifoldProblem<'_>, memory: &mut JointsMemory) -> bool {
        if are_nodes(&memory.nodes, problem.joints) {
            return true;
        }
        self.find_nodes(problem.joints);
        memory.made = false;
        memory.nodes.clear();
        if !self.sort_by_body(problem.bodies.len()) {
            return false;
        }
        memory.nodes.extend_from_slice(&self.nodes);
        memory.pairs.clear();
        self.edges.clear();
        let mut start = 0;
        for &end in &self.end {
            let here = &self.of_body[start..end as usize];
            for (i, &(a, side_a)) in here.iter().enumerate() {
                for &(b, side_b) in &here[..=i] {
                    memory.pairs.push(NodePair { nodes: [a, b], sides: [side_a, side_b] });
                    if a != b {
                        self.edges.push([a, b]);
                    }
                }
            }
            start = end as usize;
        }
        fill_from(&mut self.sizes, self.nodes.iter().map(|node| node.count));
        memory.matrix.build(&self.sizes, &self.edges);
        true
    }

    fn find_nodes(&mut self, rows: &[JointRow]) {
        self.nodes.clear();
        for (i, row) in rows.iter().enumerate() {
            let bodies = || row.terms.iter().map(|(body, _)| *body);
            if let Some(last) = self.nodes.last_mut()
                && last.count < 6
                && last.bodies.iter().copied().eq(bodies())
            {
                last.count += 1;
                continue;
            }
            self.nodes.push(JointNode { first: i as u32, count: 1, bodies: bodies().collect() });
        }
    }

    /// Sorts the nodes by body. False if there is a hub.
    fn sort_by_body(&mut self, bodies: usize) -> bool {
        refill(&mut self.end, bodies, 0);
        for node in &self.nodes {
            node.bodies.iter().for_each(|body| self.end[*body as usize] += 1);
        }
        if self.end.iter().any(|count| *count as usize > HUB) {
            return false;
        }
        // Each end is a start first, and moves on with every node.
        let mut sum = 0;
        self.end.iter_mut().for_each(|end| sum += core::mem::replace(end, sum));
        refill(&mut self.of_body, sum as usize, (0, 0));
        for (k, node) in self.nodes.iter().enumerate() {
            for (side, body) in node.bodies.iter().enumerate() {
                let at = &mut self.end[*body as usize];
                self.of_body[*at as usize] = (k as u32, side as u8);
                *at += 1;
            }
        }
        true
    }

    /// A new factor; false if there is none.
    fn factor(&mut self, problem: &ManifoldProblem<'_>, memory: &mut JointsMemory) -> bool {
        fill_from(
            &mut self.response,
            problem.joints.iter().map(|row| respond(row, problem.bodies)),
        );
        let matrix = &mut memory.matrix;
        matrix.clear();
        let mut edge = 0;
        for pair in &memory.pairs {
            let [a, b] = pair.nodes.map(|k| &memory.nodes[k as usize]);
            let slot = if pair.nodes[0] == pair.nodes[1] {
                matrix.diagonal(pair.nodes[0] as usize)
            } else {
                edge += 1;
                matrix.slot(edge - 1)
            };
            let [side_a, side_b] = pair.sides.map(usize::from);
            for i in 0..a.count as usize {
                let row = &problem.joints[a.first as usize + i].terms[side_a].1;
                for j in 0..b.count as usize {
                    let x = dot6(row, &self.response[b.first as usize + j][side_b]);
                    let [r, c] = if slot.rows_of_first { [i, j] } else { [j, i] };
                    matrix.add(slot, r, c, x);
                }
            }
        }
        for (k, node) in memory.nodes.iter().enumerate() {
            let slot = matrix.diagonal(k);
            for i in 0..node.count as usize {
                let at = node.first as usize + i;
                let (row, response) = (&problem.joints[at], &self.response[at]);
                let terms = row.terms.iter().zip(response);
                let compliance: Double =
                    terms.map(|((_, row), response)| dot6(row, response)).sum();
                let x = if compliance > 0.0 { PROXIMAL * compliance + row.softness } else { 1.0 };
                matrix.add(slot, i, i, x);
            }
        }
        matrix.factor()
    }

    /// A correction of all impulses; the new error.
    fn correct(&mut self, problem: &ManifoldProblem<'_>, memory: &JointsMemory) -> Double {
        let matrix = &memory.matrix;
        refill(&mut self.x, matrix.blocks(), [0.0; 8]);
        for (k, node) in memory.nodes.iter().enumerate() {
            let place = matrix.place(k);
            let x = &mut self.x[place.block as usize][place.first as usize..];
            x.iter_mut().zip(&self.errors[node.rows()]).for_each(|(x, error)| *x = -error);
        }
        matrix.solve(&mut self.x);
        self.trial.clone_from(&self.joint);
        for (k, node) in memory.nodes.iter().enumerate() {
            let place = matrix.place(k);
            let x = &self.x[place.block as usize][place.first as usize..];
            for (row, x) in node.rows().zip(x) {
                if !problem.joints[row].terms.is_empty() {
                    self.joint[row] += x;
                }
            }
        }
        self.evaluate(problem)
    }

    /// Takes back the last correction.
    fn undo(&mut self, problem: &ManifoldProblem<'_>) {
        core::mem::swap(&mut self.joint, &mut self.trial);
        self.evaluate(problem);
    }
}

/// Do these nodes stand for these rows?
fn are_nodes(nodes: &[JointNode], rows: &[JointRow]) -> bool {
    let mut known = 0;
    for node in nodes {
        let (first, count) = (node.first as usize, node.count as usize);
        let Some(here) = rows.get(first..first + count) else { return false };
        let bodies = |row: &JointRow| {
            let bodies = row.terms.iter().map(|(body, _)| *body);
            node.bodies.iter().copied().eq(bodies)
        };
        if first != known || !here.iter().all(bodies) {
            return false;
        }
        known += count;
    }
    known == rows.len()
}

/// `M⁻¹ ν` for each body of a row.
fn respond(row: &JointRow, bodies: &[BodyBlock]) -> [Vec6; 2] {
    let mut response = [[0.0; 6]; 2];
    for (response, (body, jacobian)) in response.iter_mut().zip(&row.terms) {
        *response = inverse_mass_mul(&bodies[*body as usize], jacobian);
    }
    response
}

#[cfg(test)]
mod tests;
