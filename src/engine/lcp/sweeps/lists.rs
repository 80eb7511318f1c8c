//! An island laid out in lanes, part by part, and the buffers for it.
//!
//! Input: an island, and what it starts from. Output: its [nodes](super::domains) as [`Part`]s, and rounds of
//! work on them: each level of nodes at the same time, the leaves first. A leaf has bodies, and the contacts
//! between them; what lies between leaves copies the bodies that its contacts move, and gives them back.
//! Cost: about two sweeps to lay out; copies of the few bodies at cuts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::batch::Contacts;
use super::domains::Domains;
use super::joints;
use super::joints::JointBatches;
use super::lanes::{Mass, SweptBody, single};
use super::problem::SweptIsland;
use super::sweep::{Rates, apply, sweep};
use crate::engine::lcp::problem::Vec6;
use crate::math::{Double, Single, refill};
use crate::par::Pool;

/// Lanes of the batches.
pub(super) const LANES: usize = 8;

/// Buffers, reused from island to island. Their content never influences a result.
#[derive(Debug, Default)]
pub struct SweepScratch {
    pub(super) lists: Lists<LANES>,
}

/// An island laid out in `L` lanes.
#[derive(Debug, Default)]
pub(super) struct Lists<const L: usize> {
    pub(super) domains: Domains,
    /// One for each node, and spare ones. Whoever works on a part has it locked.
    parts: Vec<Mutex<Part<L>>>,
    pub(super) conjugate: Conjugate,
}

/// A node of an island, laid out in `L` lanes.
#[derive(Debug, Default)]
pub(super) struct Part<const L: usize> {
    /// Its bodies, and the fixed world.
    pub(super) bodies: Vec<SweptBody>,
    masses: Vec<Mass>,
    /// Leaf and place of the bodies that it copies, ascending; none in a leaf.
    copied: Vec<[u32; 2]>,
    /// Velocity of each body of a leaf at the end of the last substep.
    pub(super) last: Vec<[Single; 6]>,
    /// Push: what the velocity that moves each of them has beyond the carried one, for the whole step.
    pub(super) pushed: Vec<[Single; 6]>,
    pub(super) contacts: Contacts<L>,
    pub(super) joints: JointBatches<L>,
}

/// What one sweep leaves to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Conjugate {
    pub(super) old: Vec<Single>,
    pub(super) new: Vec<Single>,
    pub(super) direction: Vec<Single>,
    /// `|g|²` of the last sweep; 0 before the first.
    pub(super) last: Single,
}

/// What sweeps start from: a `part` of impulses of contacts and joint rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct WarmStart<'a> {
    pub(super) contacts: &'a [[Double; 3]],
    pub(super) joints: &'a [Double],
    pub(super) part: Double,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<const L: usize> Lists<L> {
    /// Divides an island.
    pub(super) fn divide(&mut self, island: &SweptIsland<'_>) {
        self.domains.fill(island.leaves, island.bodies.len(), island.manifolds);
        let nodes = self.domains.nodes().max(self.parts.len());
        self.parts.resize_with(nodes, Mutex::default);
    }

    /// Calls `work` with every part in each round, told whether it is a leaf; in the first `fill` with its
    /// level and number before. What `work` changes of velocities that were copied goes back to the leaves.
    pub(super) fn rounds(
        &self,
        pool: &dyn Pool,
        rounds: usize,
        fill: impl Fn(&mut Part<L>, &Domains, [usize; 2]) + Sync,
        work: impl Fn(&mut Part<L>, usize, bool) + Sync,
    ) {
        let Self { domains, parts, .. } = self;
        pool.rounds(rounds, domains.levels(), |round, level, k| {
            let part = &mut *lock(&parts[domains.node(level, k)]);
            if round == 0 {
                fill(part, domains, [level, k]);
            }
            let (mut bodies, of_leaf) =
                (&mut part.bodies[..], |a: &[u32; 2], b: &[u32; 2]| a[0] == b[0]);
            for copied in part.copied.chunk_by(of_leaf) {
                let leaf = lock(&parts[copied[0][0] as usize]);
                let (these, others) = bodies.split_at_mut(copied.len());
                these.iter_mut().zip(copied).for_each(|(b, [_, i])| *b = leaf.bodies[*i as usize]);
                bodies = others;
            }
            work(part, round, level == 0);
            let mut bodies = &part.bodies[..];
            for copied in part.copied.chunk_by(of_leaf) {
                let mut leaf = lock(&parts[copied[0][0] as usize]);
                let (these, others) = bodies.split_at(copied.len());
                for (body, [_, i]) in these.iter().zip(copied) {
                    leaf.bodies[*i as usize].velocity = body.velocity;
                }
                bodies = others;
            }
        });
    }

    /// All parts, the leaves first.
    pub(super) fn parts(&mut self) -> impl Iterator<Item = &mut Part<L>> {
        let nodes = self.domains.nodes();
        let parts = self.parts[..nodes].iter_mut();
        parts.map(|part| part.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `write` with every body of an island and its leaf, where it has this place.
    pub(super) fn each_body(&mut self, mut write: impl FnMut(usize, &mut Part<L>, usize)) {
        let Self { domains, parts, .. } = self;
        for (k, part) in parts[..domains.leaves()].iter_mut().enumerate() {
            let part = part.get_mut().unwrap_or_else(PoisonError::into_inner);
            for (place, &i) in domains.bodies(k).iter().enumerate() {
                write(i as usize, part, place);
            }
        }
    }
}

impl<const L: usize> Part<L> {
    /// Lays node `k` of a level out, of an island whose bodies have these velocities.
    pub(super) fn fill(
        &mut self,
        island: &SweptIsland<'_>,
        domains: &Domains,
        [level, k]: [usize; 2],
        start: &WarmStart<'_>,
        velocity: impl Fn(usize) -> Vec6,
    ) {
        let (places, manifolds) = (&domains.places, domains.manifolds(domains.node(level, k)));
        self.copied.clear();
        if level > 0 {
            let ends = manifolds.iter().map(|&i| &island.manifolds[i as usize]);
            let bodies = ends.flat_map(|m| [m.a, m.b]);
            self.copied.extend(bodies.filter_map(|i| places.get(i as usize)));
            self.copied.sort_unstable();
            self.copied.dedup();
        }
        let count = if level > 0 { self.copied.len() } else { domains.bodies(k).len() };
        let fixed = count as u32;
        refill(&mut self.bodies, count + 1, SweptBody::default());
        refill(&mut self.masses, count + 1, [0.0; 9]);
        refill(&mut self.pushed, count + 1, [0.0; 6]);
        for place in 0..count {
            let i = match self.copied.get(place) {
                Some(&[leaf, i]) => domains.bodies(leaf as usize)[i as usize] as usize,
                None => domains.bodies(k)[place] as usize,
            };
            for (x, v) in self.bodies[place].velocity.iter_mut().zip(velocity(i)) {
                // Never a negative zero, to which adding nothing would make a difference.
                *x = single(v) + 0.0;
            }
            let block = &island.bodies[i];
            let ([x, y, z], [a, b, c, d, e, f]) = (block.inverse_mass, block.inverse_inertia);
            self.masses[place] = [x, y, z, a, b, c, d, e, f].map(single);
        }
        let (masses, impulses, part) = (&self.masses, start.contacts, start.part);
        if level > 0 {
            let copied = &self.copied;
            let place = |i: u32| {
                let found = places.get(i as usize).and_then(|at| copied.binary_search(at).ok());
                found.map_or(fixed, |place| place as u32)
            };
            self.contacts.fill(island.manifolds, manifolds, place, masses, impulses, part);
            self.joints.fill(&[], &[], &[], &[], part);
            return;
        }
        let place = |i: u32| places.get(i as usize).map_or(fixed, |place| place[1]);
        self.contacts.fill(island.manifolds, manifolds, place, masses, impulses, part);
        self.joints.fill(island.joints, island.joint_push, island.bodies, start.joints, part);
    }

    /// Adds what the impulses at hand do to the velocities.
    pub(super) fn apply(&mut self) {
        apply(&self.contacts.batches, &mut self.bodies);
        joints::apply(&self.joints.batches, &mut self.bodies);
    }

    /// Sweeps once, with the rates of contacts and of joints.
    pub(super) fn sweep<const MODE: u8>(&mut self, [rates, joint_rates]: &[Rates; 2]) {
        joints::sweep::<L, MODE>(&mut self.joints.batches, &mut self.bodies, joint_rates);
        let Contacts { batches, drifts, .. } = &mut self.contacts;
        sweep::<L, MODE>(batches, drifts, &mut self.bodies, rates);
    }
}
