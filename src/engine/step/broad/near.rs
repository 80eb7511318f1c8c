//! Near pairs: pairs of boxes that may meet in one of the next steps.
//!
//! A list of pairs in slots that stay where they are, each in two doubly linked lists: those of its two
//! boxes. Adding and removing is O(1), going through the pairs of a box O(pairs of it). Which of them a
//! step looks at is a set of bits, so that it goes through memory in order.

use super::tree::NONE;

/// Two boxes near each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// The boxes, that of the body with the smaller id first.
    pub(super) proxies: [u32; 2],
    /// The list of triangles that the other may touch, if one of the two is a mesh.
    pub(super) triangles: u32,
    /// The last step in which the two met.
    pub(super) met_at: u32,
    /// Is there a pair of pieces? Not used with meshes.
    pub(super) paired: bool,
    /// The pair is to be looked at once, whoever moves.
    pub(super) again: bool,
    /// The pair may not become a candidate, and is kept as long as it sleeps.
    pub(super) barred: bool,
    /// The pair was removed in this step.
    pub(super) gone: bool,
}

/// Place in the lists of both boxes. An edge is twice the slot plus the side.
#[derive(Clone, Copy, Debug)]
struct Links {
    next: [u32; 2],
    last: [u32; 2],
}

/// All near pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct NearPairs {
    pub(super) list: Vec<Near>,
    links: Vec<Links>,
    /// First edge of each box.
    first: Vec<u32>,
    /// Pairs of each box.
    pub(super) count: Vec<u32>,
    /// Slots to be used again; those of this step from the next on.
    free: Vec<u32>,
    freed: Vec<u32>,
    /// Bits of those that a step looks at.
    pub(super) listed: Vec<u64>,
    /// Bits of those that are deep.
    deep: Vec<u64>,
}

impl NearPairs {
    /// Makes room for boxes with smaller numbers.
    pub(super) fn grow(&mut self, proxies: usize) {
        self.first.resize(proxies, NONE);
        self.count.resize(proxies, 0);
    }

    /// Adds a pair; returns its slot.
    pub(super) fn add(&mut self, near: Near) -> u32 {
        let links = Links { next: [NONE; 2], last: [NONE; 2] };
        let slot = if let Some(slot) = self.free.pop() {
            (self.list[slot as usize], self.links[slot as usize]) = (near, links);
            slot
        } else {
            self.list.push(near);
            self.links.push(links);
            self.listed.resize(self.list.len().div_ceil(64), 0);
            self.deep.resize(self.listed.len(), 0);
            self.list.len() as u32 - 1
        };
        for side in 0..2 {
            let edge = 2 * slot + side as u32;
            self.count[near.proxies[side] as usize] += 1;
            let first = &mut self.first[near.proxies[side] as usize];
            let next = core::mem::replace(first, edge);
            self.links[slot as usize].next[side] = next;
            if next != NONE {
                self.links[next as usize / 2].last[next as usize % 2] = edge;
            }
        }
        slot
    }

    /// Removes a pair; its slot is free in the next step.
    pub(super) fn remove(&mut self, slot: u32) {
        let Links { next, last } = self.links[slot as usize];
        for side in 0..2 {
            let (next, last) = (next[side], last[side]);
            self.count[self.list[slot as usize].proxies[side] as usize] -= 1;
            if last == NONE {
                self.first[self.list[slot as usize].proxies[side] as usize] = next;
            } else {
                self.links[last as usize / 2].next[last as usize % 2] = next;
            }
            if next != NONE {
                self.links[next as usize / 2].last[next as usize % 2] = last;
            }
        }
        self.list[slot as usize].gone = true;
        self.unlist(slot);
        self.freed.push(slot);
    }

    /// Lets the slots of pairs that were removed be used again.
    pub(super) fn release(&mut self) {
        self.free.append(&mut self.freed);
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len() - self.free.len() - self.freed.len()
    }

    /// Takes note whether it is deep; true if it was not so.
    pub(super) fn set_deep(&mut self, slot: u32, deep: bool) -> bool {
        let (word, bit) = (&mut self.deep[slot as usize / 64], 1 << (slot % 64));
        let changes = (*word & bit != 0) != deep;
        *word ^= if changes { bit } else { 0 };
        changes
    }

    /// Lets it be looked at no more.
    pub(super) fn unlist(&mut self, slot: u32) {
        self.listed[slot as usize / 64] &= !(1 << (slot % 64));
    }

    /// Is it looked at?
    #[inline]
    pub(super) fn is_listed(&self, slot: u32) -> bool {
        self.listed[slot as usize / 64] & (1 << (slot % 64)) != 0
    }

    /// Lets it be looked at; false if it is already.
    #[inline]
    pub(super) fn list(&mut self, slot: u32) -> bool {
        let word = &mut self.listed[slot as usize / 64];
        let before = *word;
        *word |= 1 << (slot % 64);
        *word != before
    }

    /// The first edge of a box, or none.
    #[inline]
    pub(super) fn first(&self, proxy: u32) -> u32 {
        self.first[proxy as usize]
    }

    /// The next edge of the same box, or none.
    #[inline]
    pub(super) fn next(&self, edge: u32) -> u32 {
        self.links[edge as usize / 2].next[edge as usize % 2]
    }

    /// The box at the other end of an edge.
    #[inline]
    pub(super) fn other(&self, edge: u32) -> u32 {
        self.list[edge as usize / 2].proxies[1 - edge as usize % 2]
    }
}
