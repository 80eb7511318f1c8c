//! Elimination order of the bodies and joint rows of an island.
//!
//! Bodies come in reverse Cuthill–McKee order of the graph whose edges are contacts and joint rows,
//! so that coupled bodies stand close together and the factor's envelope stays narrow. Every joint
//! row comes right after the last of its bodies: its own pivot is only `-δ`, and the pivot `-δ - νᵀ
//! H⁻¹ ν` that it has after its bodies is the well-conditioned one.
//!
//! Input: the index lists of a problem. Output: the first scalar unknown of every body (six each)
//! and joint row (one each). Ties are broken by index. Cost: O(rows · log rows).

use crate::engine::lcp::{FIXED, Problem};

/// The order and the buffers to find it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowOrder {
    /// First scalar unknown of every body.
    pub(crate) body_start: Vec<u32>,
    /// Scalar unknown of every joint row.
    pub(crate) joint_start: Vec<u32>,
    /// Number of scalar unknowns.
    pub(crate) size: usize,
    /// Directed edges (from, to), sorted and unique.
    edges: Vec<(u32, u32)>,
    /// First edge of every body, and the end.
    first: Vec<u32>,
    sequence: Vec<u32>,
    level: Vec<u32>,
    neighbors: Vec<u32>,
    /// (position of the last body, joint row).
    joint_places: Vec<(u32, u32)>,
    position: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl RowOrder {
    /// Finds the order of a problem's unknowns.
    pub(crate) fn build(&mut self, problem: &Problem) {
        self.build_graph(problem);
        self.order_bodies(problem.bodies.len());
        self.place_unknowns(problem);
    }

    fn build_graph(&mut self, problem: &Problem) {
        self.edges.clear();
        for row in problem.contacts {
            if row.a != FIXED && row.b != FIXED && row.a != row.b {
                self.edges.push((row.a, row.b));
                self.edges.push((row.b, row.a));
            }
        }
        for row in problem.joints {
            for (x, _) in &row.terms {
                self.edges.extend(row.terms.iter().filter(|(y, _)| y != x).map(|(y, _)| (*x, *y)));
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.first.clear();
        let mut next = 0;
        for body in 0..=problem.bodies.len() as u32 {
            while next < self.edges.len() && self.edges[next].0 < body {
                next += 1;
            }
            self.first.push(next as u32);
        }
    }

    fn degree(&self, body: u32) -> u32 {
        self.first[body as usize + 1] - self.first[body as usize]
    }

    fn order_bodies(&mut self, n_bodies: usize) {
        self.sequence.clear();
        self.level.clear();
        self.level.resize(n_bodies, UNSEEN);
        for body in 0..n_bodies as u32 {
            if self.level[body as usize] != UNSEEN {
                continue;
            }
            // Two sweeps towards the far end of the component give a start at its rim.
            let mut start = body;
            for _ in 0..2 {
                let begin = self.sequence.len();
                self.sweep(start);
                start = self.farthest(begin);
                for k in begin..self.sequence.len() {
                    self.level[self.sequence[k] as usize] = UNSEEN;
                }
                self.sequence.truncate(begin);
            }
            self.sweep(start);
        }
        self.sequence.reverse();
        self.position.clear();
        self.position.resize(n_bodies, 0);
        for (k, body) in self.sequence.iter().enumerate() {
            self.position[*body as usize] = k as u32;
        }
    }

    /// Breadth-first sweep that appends a component to `sequence`, neighbors in order of degree.
    fn sweep(&mut self, start: u32) {
        let mut head = self.sequence.len();
        self.level[start as usize] = 0;
        self.sequence.push(start);
        while head < self.sequence.len() {
            let body = self.sequence[head];
            head += 1;
            let level = self.level[body as usize] + 1;
            self.neighbors.clear();
            let range = self.first[body as usize] as usize..self.first[body as usize + 1] as usize;
            for k in range {
                let to = self.edges[k].1;
                if self.level[to as usize] == UNSEEN {
                    self.level[to as usize] = level;
                    self.neighbors.push(to);
                }
            }
            let first = &self.first;
            self.neighbors
                .sort_unstable_by_key(|b| (first[*b as usize + 1] - first[*b as usize], *b));
            self.sequence.extend_from_slice(&self.neighbors);
        }
    }

    /// The body of smallest degree in the last level of the sweep that began at `begin`.
    fn farthest(&self, begin: usize) -> u32 {
        let last = self.sequence.len() - 1;
        let depth = self.level[self.sequence[last] as usize];
        let mut best = self.sequence[last];
        for k in (begin..=last).rev() {
            let body = self.sequence[k];
            if self.level[body as usize] != depth {
                break;
            }
            if (self.degree(body), body) < (self.degree(best), best) {
                best = body;
            }
        }
        best
    }

    fn place_unknowns(&mut self, problem: &Problem) {
        self.joint_places.clear();
        for (j, row) in problem.joints.iter().enumerate() {
            let last = row.terms.iter().map(|(b, _)| self.position[*b as usize]).max();
            self.joint_places.push((last.unwrap_or(u32::MAX), j as u32));
        }
        self.joint_places.sort_unstable();
        self.body_start.clear();
        self.body_start.resize(problem.bodies.len(), 0);
        self.joint_start.clear();
        self.joint_start.resize(problem.joints.len(), 0);
        let (mut at, mut next) = (0, 0);
        for (k, body) in self.sequence.iter().enumerate() {
            self.body_start[*body as usize] = at;
            at += 6;
            while next < self.joint_places.len() && self.joint_places[next].0 == k as u32 {
                self.joint_start[self.joint_places[next].1 as usize] = at;
                at += 1;
                next += 1;
            }
        }
        for place in &self.joint_places[next..] {
            self.joint_start[place.1 as usize] = at;
            at += 1;
        }
        self.size = at as usize;
    }
}
