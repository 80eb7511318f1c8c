//! Crowds: boxes that are near so many others as no world has room for.
//!
//! Input: what was found near a proxy. Output: near pairs, in number bounded by that of the boxes.
//!
//! Two solid pieces that impulses move are *deep* in each other if balls of their inradii about the centers
//! of their boxes overlap by a quarter; of one size 28 can be so deep in one. A near pair is refused if
//! both have deep pairs, together twice [`CROWD`]: one of the two then has that many, so there are no more of
//! such than `CROWD` for each box. What has no deep pair, as a body that arrives, is taken in, and so is what
//! is static, moved by hand, a mesh, or beside a planet in which a hundred are stuck. Of thin things balls
//! tell nothing, nor of sensors: beyond [`ROOM`] near pairs in all those are refused of which both boxes
//! have [`MANY`], and of what no impulse moves those with a box that has as many and is no smaller. Floors
//! are larger, and meshes are never refused. So there are no more near pairs than `ROOM` and `MANY` for each
//! box, but for those with meshes and with what is larger.
//!
//! Of those found the deep ones come first, in an order by lot, so that each meets some of the others.
//! A proxy of which pairs were refused is *short*: all of its pairs are found anew when its fat box is, when
//! one of them goes or is deep no more. So a refused pair is there as soon as it may be.

use super::BroadPhase;
use super::known::Proxy;
use super::tree::NONE;
use crate::engine::state::body::BodyId;

/// More of one size than are ever deep in one.
const CROWD: u32 = 64;
/// Near pairs of a thin body in a dense heap of such.
const MANY: u32 = 4 * CROWD;
/// Near pairs of all that a machine has room for.
const ROOM: usize = 1 << 21;

impl BroadPhase {
    /// Has a proxy with so many more near pairs more than are ever deep in one?
    pub(super) fn is_crowded(&self, p: u32, found: usize) -> bool {
        self.near.count[p as usize] as usize + found > CROWD as usize
    }

    /// The order in which a crowded proxy takes others: is it deep, its lot.
    pub(super) fn lot(&self, p: u32, q: u32) -> (bool, u32, u32) {
        let [i, j] = [p, q].map(|p| self.boxes[p as usize].owner);
        // Neighboring numbers, far from each other.
        (!self.is_deep(p, q), (i ^ j).wrapping_mul(0x9e37_79b1), q)
    }

    /// Takes note that pairs of a proxy were refused.
    pub(super) fn note_refused(&mut self, p: u32, refused: usize) {
        self.short[p as usize] += refused as u32;
        self.refused += refused as u64;
    }

    /// Finds out which near pairs of a proxy are deep, if they are so many that it matters.
    pub(super) fn recount(&mut self, p: u32) {
        if self.is_crowded(p, 0) || self.deep[p as usize] > 0 {
            let mut edge = self.near.first(p);
            while edge != NONE {
                self.mark_deep(edge / 2, self.is_deep(p, self.near.other(edge)));
                edge = self.near.next(edge);
            }
        }
    }

    pub(super) fn mark_deep(&mut self, slot: u32, deep: bool) {
        if self.near.set_deep(slot, deep) {
            for p in self.near.list[slot as usize].proxies {
                let count = &mut self.deep[p as usize];
                *count = if deep { *count + 1 } else { *count - 1 };
                if !deep {
                    self.make_room(p);
                }
            }
        }
    }

    /// Takes note that a near pair goes.
    pub(super) fn leave_crowd(&mut self, slot: u32) {
        self.mark_deep(slot, false);
        for p in self.near.list[slot as usize].proxies {
            self.make_room(p);
        }
    }

    /// Lets all pairs of a proxy be found anew if some were refused.
    pub(super) fn make_room(&mut self, p: u32) -> bool {
        let short = core::mem::take(&mut self.short[p as usize]);
        if short > 0 {
            self.refused -= u64::from(short);
            self.refiltered.push(p);
        }
        short > 0
    }

    fn is_deep(&self, p: u32, q: u32) -> bool {
        let [a, b] = [p, q].map(|p| &self.proxies[p as usize]);
        if a.inradius == 0.0 || b.inradius == 0.0 || !(self.is_moved(p) && self.is_moved(q)) {
            return false;
        }
        let apart = (a.base.min + a.base.max) - (b.base.min + b.base.max);
        2.0 * apart.length() < 3.0 * (a.inradius + b.inradius)
    }

    pub(super) fn is_refused(&self, p: u32, q: u32) -> bool {
        let full = |p: u32| self.near.count[p as usize] >= MANY && self.near.len() >= ROOM;
        let [a, b] = [p, q].map(|p| &self.proxies[p as usize]);
        let size = |of: &Proxy| (of.base.max - of.base.min).length();
        match [p, q].map(|p| self.is_moved(p)) {
            _ if a.mesh || b.mesh => false,
            [true, true] => {
                let [a, b] = [p, q].map(|p| self.deep[p as usize]);
                a > 0 && b > 0 && a + b >= 2 * CROWD || full(p) && full(q)
            }
            [true, false] => full(p) && size(b) <= size(a),
            [false, true] => full(q) && size(a) <= size(b),
            [false, false] => false,
        }
    }

    /// Can impulses move the body of a proxy?
    fn is_moved(&self, p: u32) -> bool {
        self.reach[self.boxes[p as usize].owner as usize].moves
    }

    /// Lists the first bodies of crowds that are live, ascending: of all that meet, one. How many pairs were
    /// refused.
    pub(in crate::engine) fn crowded(&mut self, first: &mut Vec<BodyId>) -> u64 {
        if self.refused == 0 {
            return 0;
        }
        for p in 0..self.short.len() {
            let owner = self.boxes[p].owner;
            if self.short[p] > 0 && self.live_at[owner as usize] == self.step {
                let root = self.sets.find(owner);
                first.push(self.known[root as usize].id);
            }
        }
        first.sort_unstable();
        first.dedup();
        self.refused
    }
}
