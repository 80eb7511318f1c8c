//! Order of elimination: minimum degree, with joints held back.
//!
//! Input: a graph of bodies and joints. Output: the sequence in which they are eliminated. Of the
//! nodes allowed, the one with the fewest neighbors left goes next (exact external degree); its
//! neighbors become a clique. Nodes whose neighbors are exactly that clique follow at once, which
//! costs nothing more: they have the least degree possible (mass elimination, George and Liu 1989).
//!
//! A joint's own pivot is only `-δ`; after body `a` it is `-δ - ν_aᵀ H_a⁻¹ ν_a`. A joint is allowed when
//! all of its bodies are gone. One body is not enough in general: its six freedoms may be spent on its
//! other joints, or some locked, and then the pivot is `-δ` all the same and the other body receives `ν
//! νᵀ / δ`, which in a closed loop or a net costs as many digits as `δ` has zeros. Even in a chain with a
//! heavy end the light links would be lost beside the weight that they carry. Measured at `δ = 10⁻¹⁰`,
//! error of a solution in double precision after one body, after all: chain of 100 with an end of 10⁴
//! masses 4e-13, 8e-16; ring of 12 2e-8, 4e-16; net of 900 9e-7, 1e-15; chain with locked axes 1e-8,
//! 7e-16. Only a long beam of hinges, whose joints' compliance is badly conditioned, is better after one
//! body: 4e-13, 2e-11. It costs 1.7 times the work in a chain, 4 times in a net.
//!
//! The exception are hubs, bodies with more than [`HUB`] joints, which would leave all their joints
//! as one clique: such a joint comes after its other body, if that body is not a hub and no other
//! joint relies on it in this way. A wheel with any number of spokes thus has no fill.
//!
//! The graph is kept as a matrix of bits, so that a neighbor is updated by a few words: for the hundreds
//! of nodes of an ordinary island that is faster than the lists of a quotient graph, and the degrees are
//! exact. Cost: Σ (neighbors · n / 64) over the nodes, always far less than the factor, and n² / 8 bytes.
//! Deliberately not done: nested dissection, whose factor of a pile of 2000 is a tenth cheaper at most.
//!
//! Ties go to the node whose degree changed last, by index at first: a fixed rule, no hashing. For joints
//! alone, whose graphs are nets rather than piles, to that whose degree changed first: a net is then taken
//! from all sides, and costs two thirds.

use super::graph::Graph;
use crate::engine::tuning::joints_only::HUB;
use crate::math::refill;

/// Marks the end of a list and a node in no list.
const NONE: u32 = u32::MAX;

/// The buffers to find an order.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Nodes in the order of their elimination.
    sequence: Vec<u32>,
    /// Words of a row of `adjacency`.
    words: usize,
    /// Bits of every node's neighbors in the elimination graph, and its own.
    adjacency: Vec<u64>,
    /// Neighbors left.
    degree: Vec<u32>,
    /// Bodies that must go before the joint.
    waiting: Vec<u32>,
    /// First node of each degree, as a doubly linked list through `next` and `previous`.
    head: Vec<u32>,
    /// Last node of each degree; kept if `fair`.
    tail: Vec<u32>,
    /// Do ties go to the node whose degree changed first?
    fair: bool,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// No node has a smaller degree.
    least: usize,
    /// Row of the node that is eliminated.
    pivot: Vec<u64>,
    neighbors: Vec<u32>,
    followers: Vec<u32>,
    /// Bodies after which a joint of a hub comes.
    relied_on: Vec<bool>,
    /// The hub for which a joint does not wait, by joint.
    excused: Vec<u32>,
}

impl Order {
    /// Finds the sequence.
    pub(super) fn minimum_degree(&mut self, graph: &Graph, fair: bool, found: &mut Vec<u32>) {
        self.fair = fair;
        self.prepare(graph);
        while self.sequence.len() < graph.nodes() {
            while self.head[self.least] == NONE {
                self.least += 1;
            }
            let node = self.head[self.least];
            self.unlink(node);
            self.eliminate(graph, node);
        }
        self.sequence.clone_into(found);
    }

    fn prepare(&mut self, graph: &Graph) {
        let n = graph.nodes();
        self.words = n.div_ceil(64);
        self.sequence.clear();
        refill(&mut self.adjacency, n * self.words, 0);
        refill(&mut self.pivot, self.words, 0);
        self.degree.clear();
        self.waiting.clear();
        for list in [&mut self.head, &mut self.tail, &mut self.next, &mut self.previous] {
            refill(list, n, NONE);
        }
        for node in 0..n {
            let row = &mut self.adjacency[node * self.words..(node + 1) * self.words];
            row[node / 64] |= 1 << (node % 64);
            let (mut degree, mut bodies) = (0, 0);
            for to in graph.neighbors(node) {
                let word = &mut row[*to as usize / 64];
                let bit = 1 << (*to % 64);
                if *word & bit == 0 {
                    degree += 1;
                }
                *word |= bit;
                bodies += u32::from(graph.is_body(*to));
            }
            self.degree.push(degree);
            self.waiting.push(if graph.is_body(node as u32) { 0 } else { bodies });
        }
        self.excuse_hubs(graph);
        self.least = 0;
        for node in 0..n as u32 {
            self.link(if self.fair { node } else { n as u32 - 1 - node });
        }
    }

    /// Finds the joints that do not wait for a hub.
    fn excuse_hubs(&mut self, graph: &Graph) {
        refill(&mut self.relied_on, graph.bodies, false);
        self.excused.clear();
        for joint in graph.bodies..graph.nodes() {
            let near = graph.neighbors(joint);
            let bodies = near.iter().copied().filter(|node| graph.is_body(*node));
            let is_hub = |body: &u32| graph.joints_of(*body) > HUB;
            let relied_on = &self.relied_on;
            let other = bodies.clone().find(|body| !is_hub(body) && !relied_on[*body as usize]);
            let hub = bodies.clone().find(is_hub);
            let (Some(hub), Some(other)) = (hub, other) else {
                self.excused.push(NONE);
                continue;
            };
            self.relied_on[other as usize] = true;
            self.excused.push(hub);
            self.waiting[joint] -= bodies.filter(|body| *body == hub).count() as u32;
        }
    }

    /// Puts an allowed node in front of the list of its degree, or at its end.
    fn link(&mut self, node: u32) {
        if self.waiting[node as usize] > 0 {
            return;
        }
        let degree = self.degree[node as usize] as usize;
        self.least = self.least.min(degree);
        if self.fair {
            let before = core::mem::replace(&mut self.tail[degree], node);
            self.previous[node as usize] = before;
            self.next[node as usize] = NONE;
            if before == NONE {
                self.head[degree] = node;
            } else {
                self.next[before as usize] = node;
            }
            return;
        }
        let after = self.head[degree];
        self.next[node as usize] = after;
        self.previous[node as usize] = NONE;
        if after != NONE {
            self.previous[after as usize] = node;
        }
        self.head[degree] = node;
    }

    fn unlink(&mut self, node: u32) {
        let (next, previous) = (self.next[node as usize], self.previous[node as usize]);
        let degree = self.degree[node as usize] as usize;
        if next != NONE {
            self.previous[next as usize] = previous;
        } else if self.fair && self.tail[degree] == node {
            self.tail[degree] = previous;
        }
        if previous != NONE {
            self.next[previous as usize] = next;
        } else if self.head[degree] == node {
            self.head[degree] = next;
        }
    }

    fn eliminate(&mut self, graph: &Graph, node: u32) {
        self.sequence.push(node);
        let Some((low, high)) = self.take_row(node) else {
            return;
        };
        self.release(graph, node);
        for i in 0..self.neighbors.len() {
            let to = self.neighbors[i];
            self.unlink(to);
            let start = to as usize * self.words;
            let row = &mut self.adjacency[start..start + self.words];
            let mut added = 0;
            for (word, pivot) in row[low..high].iter_mut().zip(&self.pivot[low..high]) {
                let new = pivot & !*word;
                if new != 0 {
                    added += new.count_ones();
                    *word |= new;
                }
            }
            row[node as usize / 64] &= !(1 << (node % 64));
            self.degree[to as usize] += added;
            self.degree[to as usize] -= 1;
        }
        self.pivot[low..high].fill(0);
        self.eliminate_followers(graph);
        for i in 0..self.neighbors.len() {
            self.link(self.neighbors[i]);
        }
    }

    /// Reads the neighbors of a node and its row without the node itself; the words in which they are.
    fn take_row(&mut self, node: u32) -> Option<(usize, usize)> {
        self.neighbors.clear();
        let start = node as usize * self.words;
        for (at, word) in self.adjacency[start..start + self.words].iter().enumerate() {
            let mut word = *word;
            if at == node as usize / 64 {
                word &= !(1 << (node % 64));
            }
            self.pivot[at] = word;
            while word != 0 {
                self.neighbors.push(at as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
        let (first, last) = (*self.neighbors.first()?, *self.neighbors.last()?);
        Some((first as usize / 64, last as usize / 64 + 1))
    }

    /// The joints of a body wait for one body less.
    fn release(&mut self, graph: &Graph, node: u32) {
        if graph.is_body(node) {
            for to in graph.neighbors(node as usize) {
                if !graph.is_body(*to) && self.excused[*to as usize - graph.bodies] != node {
                    self.waiting[*to as usize] -= 1;
                }
            }
        }
    }

    /// Eliminates the neighbors that know nobody outside of the clique.
    fn eliminate_followers(&mut self, graph: &Graph) {
        self.followers.clear();
        let clique = self.neighbors.len() as u32 - 1;
        for i in 0..self.neighbors.len() {
            let to = self.neighbors[i];
            if self.degree[to as usize] == clique && self.waiting[to as usize] == 0 {
                self.followers.push(to);
                self.sequence.push(to);
                self.release(graph, to);
            }
        }
        if self.followers.is_empty() {
            return;
        }
        let (adjacency, followers) = (&mut self.adjacency, &self.followers);
        let (degree, words) = (&mut self.degree, self.words);
        // Both lists ascend.
        let mut gone = followers.iter().copied().peekable();
        self.neighbors.retain(|to| {
            if gone.next_if_eq(to).is_some() {
                return false;
            }
            for other in followers {
                adjacency[*to as usize * words + *other as usize / 64] &= !(1 << (other % 64));
            }
            degree[*to as usize] -= followers.len() as u32;
            true
        });
    }
}
