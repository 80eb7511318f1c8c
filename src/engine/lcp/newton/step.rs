//! The Newton step: a new factor where it is needed, and the solution with the one at hand.
//!
//! Input: the gradient and the joint errors of the last evaluation. Output: changes of velocities and joint
//! impulses, in double precision whatever the factor's. Cost: one factor and one solution of the pattern.

use super::matrix;
use super::problem::ManifoldProblem;
use super::rigid::motion;
use super::state::{FactorState, NewtonMemory, NewtonScratch, Progress};
use crate::engine::lcp::factor::{NodeLanes, Pattern};
use crate::engine::lcp::rows::mass_mul;
use crate::engine::tuning::newton::PRODUCT;
use crate::math::{Double, Scalar, Single, refill};

/// The node of body `i`: its own place unless others are gone.
fn node_of(nodes: &[u32], i: usize) -> usize {
    nodes.get(i).map_or(i, |&node| node as usize)
}

impl NewtonScratch {
    /// Makes the pattern that of the bodies and joints as they are; true if it is a new one.
    pub(super) fn renew_pattern(
        &mut self,
        problem: &ManifoldProblem<'_>,
        memory: &mut NewtonMemory,
    ) -> bool {
        memory.nodes.clear();
        let (bodies, joints) = (problem.bodies.len(), self.nodes.len());
        memory.pattern.build(&mut self.order, bodies, joints, &self.edges)
    }

    /// Makes room for a value at every node of the pattern.
    pub(super) fn size_nodes(&mut self, pattern: &Pattern) {
        refill(&mut self.single, pattern.nodes(), [0.0; 8]);
        refill(&mut self.double, pattern.nodes(), [0.0; 8]);
    }

    /// A new factor at the last evaluation; false if the matrix has none, or it costs far more than there is.
    pub(super) fn factor(
        &mut self,
        problem: &ManifoldProblem<'_>,
        memory: &mut NewtonMemory,
        progress: &mut Progress,
    ) -> bool {
        if !memory.nodes.is_empty() {
            self.renew_pattern(problem, memory);
            self.size_nodes(&memory.pattern);
        }
        memory.state = FactorState::None;
        let work = PRODUCT * memory.pattern.work() as Double + 8.0 * self.edges.len() as Double;
        // Where all touch all, one alone may take hours.
        if work > 4.0 * progress.work_max {
            progress.work += progress.work_max;
            return false;
        }
        progress.stats.factorizations += 1;
        progress.work += work;
        let (pattern, nodes, edges) = (&memory.pattern, &self.nodes, &self.edges);
        if !progress.double {
            matrix::assemble(problem, &self.sweep, nodes, pattern, edges, &mut memory.single);
            // A matrix too ill-conditioned for single precision gets the other.
            progress.double = !memory.single.factor(pattern);
        }
        if progress.double {
            matrix::assemble(problem, &self.sweep, nodes, pattern, edges, &mut memory.double);
            if !memory.double.factor(pattern) {
                return false;
            }
        }
        memory.state = FactorState::Made {
            double: progress.double,
            penalty: progress.penalty,
            by_load: self.sweep.by_load,
        };
        true
    }

    /// Solves for the step in velocities and joint impulses.
    pub(super) fn find_step(
        &mut self,
        problem: &ManifoldProblem<'_>,
        memory: &NewtonMemory,
        double: bool,
    ) {
        if double {
            self.fill_right_side::<Double>(problem, &memory.nodes, |s| &mut s.double);
            memory.double.solve(&memory.pattern, &mut self.double);
            self.take_step::<Double>(problem, &memory.nodes, |s| &s.double);
        } else {
            self.fill_right_side::<Single>(problem, &memory.nodes, |s| &mut s.single);
            memory.single.solve(&memory.pattern, &mut self.single);
            self.take_step::<Single>(problem, &memory.nodes, |s| &s.single);
        }
    }

    /// Finds the bodies that the contacts of a solution hold together; false if there is nothing new to know.
    /// Takes the place of a factor in double precision.
    pub(super) fn find_rigid(
        &mut self,
        problem: &ManifoldProblem<'_>,
        tolerance: Double,
        memory: &mut NewtonMemory,
    ) -> bool {
        if !memory.rigid.asks(problem, &self.sweep, tolerance) {
            return false;
        }
        if !memory.nodes.is_empty() {
            self.renew_pattern(problem, memory);
            self.size_nodes(&memory.pattern);
            memory.state = FactorState::None;
        }
        if matches!(memory.state, FactorState::Made { double: true, .. }) {
            memory.state = FactorState::None;
        }
        memory.rigid.grip(problem, &mut self.sweep, tolerance);
        let NewtonMemory { pattern, double, rigid, .. } = memory;
        matrix::assemble(problem, &self.sweep, &self.nodes, pattern, &self.edges, double);
        if !double.factor(pattern) {
            return false;
        }
        for (i, body) in problem.bodies.iter().enumerate() {
            self.double[i] = [0.0; 8];
            self.double[i][..6].copy_from_slice(&mass_mul(body, &motion(body, i)));
        }
        double.solve(pattern, &mut self.double);
        rigid.take(problem, self.double.iter().map(|x| core::array::from_fn(|k| x[k])));
        true
    }

    fn fill_right_side<T: Scalar>(
        &mut self,
        problem: &ManifoldProblem<'_>,
        nodes: &[u32],
        list: impl Fn(&mut Self) -> &mut Vec<NodeLanes<T>>,
    ) {
        let n = problem.bodies.len();
        let mut x = core::mem::take(list(self));
        if !nodes.is_empty() {
            // Nothing acts on what is gone.
            x.fill([T::ZERO; 8]);
        }
        for (i, body) in problem.bodies.iter().enumerate() {
            let (free, node) = (body.free(), node_of(nodes, i));
            for k in 0..6 {
                let g = if free[k] { -self.sweep.gradient[i][k] } else { 0.0 };
                x[node][k] = T::from_double(g);
            }
        }
        for (k, node) in self.nodes.iter().enumerate() {
            x[n + k] = [T::ZERO; 8];
            for (r, row) in node.rows.clone().enumerate() {
                let movable = node.compliance[r] > 0.0;
                let error = if movable { self.sweep.joint_error[row] } else { 0.0 };
                x[n + k][r] = T::from_double(error);
            }
        }
        *list(self) = x;
    }

    fn take_step<T: Scalar>(
        &mut self,
        problem: &ManifoldProblem<'_>,
        nodes: &[u32],
        list: impl Fn(&Self) -> &Vec<NodeLanes<T>>,
    ) {
        let n = problem.bodies.len();
        let mut step = core::mem::take(&mut self.step);
        let mut joint_step = core::mem::take(&mut self.joint_step);
        for i in 0..n {
            for k in 0..6 {
                step[i][k] = list(self)[node_of(nodes, i)][k].to_double();
            }
        }
        for (k, node) in self.nodes.iter().enumerate() {
            for (r, row) in node.rows.clone().enumerate() {
                // The impulse of a row with bounds follows the velocity.
                let follows = problem.joints[row].is_bounded();
                joint_step[row] = if follows { 0.0 } else { list(self)[n + k][r].to_double() };
            }
        }
        (self.step, self.joint_step) = (step, joint_step);
    }
}
