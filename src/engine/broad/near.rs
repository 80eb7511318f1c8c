//! Near pairs: pairs of boxes that may meet in one of the next steps.
//!
//! A list of pairs in slots that stay where they are, each in two doubly linked lists: those of its two
//! boxes. Adding and removing is O(1), going through the pairs of a box O(pairs of it).

use super::tree::NONE;

/// Two boxes near each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// The boxes, that of the body with the smaller id first.
    pub(super) proxies: [u32; 2],
    /// Indices of their bodies.
    pub(super) bodies: [u32; 2],
    /// The list of triangles that the other may touch, if one of the two is a mesh.
    pub(super) triangles: u32,
    /// The last step in which the two met.
    pub(super) met_at: u32,
    /// Is there a pair of pieces? Not used with meshes.
    pub(super) paired: bool,
    /// Is it in the list of those that are looked at?
    pub(super) listed: bool,
    /// It is to be looked at once, whoever moves.
    pub(super) again: bool,
    /// It may not become a candidate, and is kept as long as it sleeps.
    pub(super) barred: bool,
    /// It was removed; the slot is free when the list has been gone through.
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
    free: Vec<u32>,
}

impl NearPairs {
    /// Makes room for boxes with smaller numbers.
    pub(super) fn grow(&mut self, proxies: usize) {
        self.first.resize(proxies, NONE);
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
            self.list.len() as u32 - 1
        };
        for side in 0..2 {
            let edge = 2 * slot + side as u32;
            let first = &mut self.first[near.proxies[side] as usize];
            let next = core::mem::replace(first, edge);
            self.links[slot as usize].next[side] = next;
            if next != NONE {
                self.links[next as usize / 2].last[next as usize % 2] = edge;
            }
        }
        slot
    }

    /// Takes a pair out of the lists of its boxes; its slot is not free yet.
    pub(super) fn unlink(&mut self, slot: u32) {
        let Links { next, last } = self.links[slot as usize];
        for side in 0..2 {
            let (next, last) = (next[side], last[side]);
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
    }

    /// Lets the slot of a pair that was unlinked be used again.
    pub(super) fn release(&mut self, slot: u32) {
        self.free.push(slot);
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
