//! Which near pairs meet in this step: the candidates, and the components that they join.

use smallvec::SmallVec;

use super::near::Near;
use super::tree::NONE;
use super::{BroadPhase, ProxyBox};
use crate::engine::geometry::shape::mesh::Mesh;
use crate::engine::geometry::shape::{Aabb, Convex, Piece};
use crate::engine::state::bodies::flag;
use crate::engine::state::body::Body;
use crate::engine::state::pair_key::{Candidate, PairKey};
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::math::{Vec3, quat_to_mat3};
use crate::par::{JOBS, Pool};

/// Words of 64 near pairs that are worth a task: to glance at them takes as long as to measure a pair.
const WORDS_MIN: usize = PAIRS_MIN;
/// Marks an open near pair that is to be looked at; slots are half as large.
const DUE: u32 = 1 << 31;

impl BroadPhase {
    /// Looks at the near pairs that have not met yet, and joins the components of those that do.
    pub(super) fn find_meeting(&mut self, round: u8, bodies: &[Body], pool: &dyn Pool) {
        if round == 1 {
            self.glance(pool);
            (0..self.near.listed.len()).for_each(|word| self.look_at_word(word, bodies));
        } else {
            self.look_at_open(round, bodies, pool);
        }
        loop {
            let mut joined = false;
            while let Some(slot) = self.came.pop() {
                if !self.near.list[slot as usize].gone && self.near.list(slot) {
                    self.look(slot, bodies);
                }
                joined = true;
            }
            let mut border = core::mem::take(&mut self.border);
            border.retain(|&slot| {
                let sides = self.bodies_of(&self.near.list[slot as usize]);
                let waits = !self.join(sides);
                joined |= !waits;
                waits
            });
            // Those that became live brought others.
            border.append(&mut self.border);
            self.border = border;
            if !joined {
                break;
            }
        }
    }

    /// Looks at the listed near pairs as most are: near each other still, without a mesh, of bodies that are
    /// live. Those that meet, were candidates before, and are moved by impulses, are of the first of two
    /// sets; those that do not meet are of the second one, and of both if they were candidates. What is of
    /// none is looked at one by one, which changes nothing of the others.
    fn glance(&mut self, pool: &dyn Pool) {
        let Self { near, boxes, fat, live_at, carried_at, step, glanced, .. } = self;
        let (boxes, fat, step) = (boxes.as_slice(), fat.as_slice(), *step);
        let (live_at, carried_at) = (live_at.as_slice(), carried_at.as_slice());
        let glance = move |near: &mut Near| {
            let [p, q] = near.proxies.map(|p| p as usize);
            let [of_p, of_q] = [&boxes[p], &boxes[q]];
            let [i, j] = [of_p, of_q].map(|of| of.owner as usize);
            let stayed = of_p.moved_in | of_q.moved_in == 0 || fat[p].meets(fat[q]);
            if near.again | (near.triangles != NONE) | !stayed {
                return [false; 2];
            }
            if near.barred | !of_p.tight.meets(of_q.tight) {
                let live = (live_at[i] == step) | (live_at[j] == step);
                return [live & near.paired, live];
            }
            let met = near.paired & (carried_at[i] == step) & (carried_at[j] == step);
            near.met_at = if met { step } else { near.met_at };
            [met, false]
        };
        glanced.resize(near.listed.len(), [0; 2]);
        let size = pool.part(near.listed.len(), WORDS_MIN);
        let words = near.listed.chunks(size).zip(near.list.chunks_mut(64 * size));
        let parts = words.zip(glanced.chunks_mut(size));
        let mut parts: SmallVec<[_; JOBS]> = parts.collect();
        pool.run(&mut parts, 1, |parts| {
            for ((words, list), glanced) in parts {
                for ((&word, list), glanced) in
                    words.iter().zip(list.chunks_mut(64)).zip(&mut **glanced)
                {
                    let (mut bits, mut sets) = (word, [0; 2]);
                    while bits != 0 {
                        let k = bits.trailing_zeros();
                        bits &= bits - 1;
                        let of = glance(&mut list[k as usize]);
                        sets = [0, 1].map(|set| sets[set] | u64::from(of[set]) << k);
                    }
                    *glanced = sets;
                }
            }
        });
    }

    /// Takes up what a glance told of 64 near pairs, and looks at those of which it told nothing. By kinds:
    /// of which one the next is cannot be foreseen.
    fn look_at_word(&mut self, word: usize, bodies: &[Body]) {
        let [met, apart] = self.glanced[word];
        let slots = |mut bits: u64| {
            core::iter::from_fn(move || {
                let slot = (bits != 0).then_some(64 * word as u32 + bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
                slot
            })
        };
        let first = self.open.len();
        for slot in slots(self.near.listed[word] & !apart) {
            if met & (1 << (slot % 64)) == 0 {
                self.look(slot, bodies);
            } else {
                self.unite(self.bodies_of(&self.near.list[slot as usize]));
            }
        }
        let in_order = self.open.len() == first;
        self.open.extend(slots(apart));
        if !in_order {
            self.open[first..].sort_unstable();
        }
        self.doubtful.extend(slots(met & apart));
    }

    /// Looks again at the near pairs that have not met, after boxes were made in this round.
    fn look_at_open(&mut self, round: u8, bodies: &[Body], pool: &dyn Pool) {
        let mut open = core::mem::take(&mut self.open);
        let least = 64 * WORDS_MIN;
        let marks = pool.part(open.len(), least) < open.len();
        if marks {
            let this = &*self;
            pool.run(&mut open, least, |part| {
                let due = part.iter_mut().filter(|slot| this.is_due(**slot, round));
                due.for_each(|slot| *slot |= DUE);
            });
        }
        open.retain_mut(|slot| {
            if !(if marks { *slot & DUE != 0 } else { self.is_due(*slot, round) }) {
                return true;
            }
            *slot &= !DUE;
            let near = &self.near.list[*slot as usize];
            let boxes = near.proxies.map(|p| self.boxes[p as usize]);
            !(near.gone || self.meet(*slot, &boxes, bodies))
        });
        self.open = open;
    }

    /// Is a near pair gone, or may it meet by boxes that were made in this round?
    #[inline(always)]
    fn is_due(&self, slot: u32, round: u8) -> bool {
        let near = &self.near.list[slot as usize];
        let [p, q] = near.proxies.map(|p| &self.boxes[p as usize]);
        let changed = (p.boxed_in == round) | (q.boxed_in == round);
        near.gone | (changed && p.tight.meets(q.tight))
    }

    /// Joins the components of two bodies.
    #[inline(always)]
    fn unite(&mut self, bodies: [u32; 2]) {
        let [i, j] = bodies.map(|i| self.sets.find(i));
        if i != j {
            let top = self.top[i as usize].max(self.top[j as usize]);
            self.sets.link(i, j);
            self.top[i.min(j) as usize] = top;
        }
    }

    /// Looks at a listed near pair for the first time in a step; it leaves the list if no body is live,
    /// and is removed if it is near no more.
    #[inline]
    fn look(&mut self, slot: u32, bodies: &[Body]) {
        let near = &mut self.near.list[slot as usize];
        let Near { proxies, paired, triangles, .. } = *near;
        let again = core::mem::take(&mut near.again);
        let boxes = proxies.map(|p| self.boxes[p as usize]);
        if !(again || boxes.iter().any(|of| self.is_live(of.owner))) {
            self.near.unlist(slot);
            return;
        }
        if boxes.iter().any(|of| of.moved_in != 0) && !self.are_near(proxies) {
            self.remove_near(slot);
            return;
        }
        if !self.meet(slot, &boxes, bodies) {
            self.open.push(slot);
            if paired {
                self.doubtful.push(slot);
            }
        }
        if triangles != NONE {
            self.meshes.push(slot);
        }
    }

    /// Do the boxes of a near pair meet? If so it is a candidate, and joins components.
    #[inline(always)]
    fn meet(&mut self, slot: u32, [p, q]: &[ProxyBox; 2], bodies: &[Body]) -> bool {
        let near = &mut self.near.list[slot as usize];
        if near.barred || !p.tight.meets(q.tight) {
            return false;
        }
        if near.triangles != NONE && !self.may_share(slot, bodies) {
            return false;
        }
        let near = &mut self.near.list[slot as usize];
        near.met_at = self.step;
        if near.triangles == NONE && !near.paired {
            near.paired = true;
            let near = *near;
            self.added.push(self.candidate(slot, &near, 0));
        }
        if !self.join([p.owner, q.owner]) {
            self.border.push(slot);
        }
        true
    }

    /// A mesh that moves shares its speed only with what comes near one of its triangles.
    fn may_share(&self, slot: u32, bodies: &[Body]) -> bool {
        let near = &self.near.list[slot as usize];
        let (mesh, _) = self.sides(near);
        let i = self.boxes[mesh as usize].owner;
        if self.reach[i as usize].component == 0.0 {
            return true;
        }
        let mut any = false;
        self.triangles(near, bodies, |_| any = true);
        any
    }

    /// Joins the components of two bodies that meet; a body that is moved by hand shares its speed and does
    /// not link components. A sleeper becomes live if it takes over a speed; false if it may do so later.
    #[inline(always)]
    fn join(&mut self, [a, b]: [u32; 2]) -> bool {
        let carries = |of: &Self, i: u32| of.carried_at[i as usize] == of.step;
        let mut carried = [carries(self, a), carries(self, b)];
        if carried != [true, true] {
            if !self.enliven_met([a, b]) {
                return false;
            }
            carried = [carries(self, a), carries(self, b)];
        }
        match carried {
            [true, true] => self.unite([a, b]),
            [true, false] => self.share(a, b),
            [false, true] => self.share(b, a),
            [false, false] => {}
        }
        true
    }

    /// Makes those of two bodies that meet live that take over a speed; false if one may do so later.
    fn enliven_met(&mut self, [a, b]: [u32; 2]) -> bool {
        for [i, j] in [[a, b], [b, a]] {
            if self.moves(j) && !self.is_live(j) {
                let joins = self.moves(i);
                let speed = if joins && self.is_live(i) {
                    let set = self.sets.find(i);
                    self.top[set as usize]
                } else {
                    self.reach[i as usize].component
                };
                if speed > 0.0 {
                    self.enliven(j);
                } else if joins {
                    return false;
                }
            }
        }
        true
    }

    /// Gives the component of body `i` the speed of body `j`.
    fn share(&mut self, i: u32, j: u32) {
        let speed = self.reach[j as usize].component;
        let root = self.sets.find(i) as usize;
        self.top[root] = self.top[root].max(speed);
    }

    fn moves(&self, i: u32) -> bool {
        self.reach[i as usize].moves
    }

    pub(super) fn is_live(&self, i: u32) -> bool {
        self.live_at[i as usize] == self.step
    }

    /// Finds out which pairs are candidates no more, and the triangles of meshes.
    pub(super) fn settle(&mut self, bodies: &[Body]) {
        for k in 0..self.doubtful.len() {
            let slot = self.doubtful[k];
            let near = self.near.list[slot as usize];
            if !near.gone && near.met_at != self.step && near.paired && !self.is_dormant(slot) {
                self.near.list[slot as usize].paired = false;
                self.removed.push(self.key(&near, 0));
            }
        }
        let mut found = core::mem::take(&mut self.found);
        for k in 0..self.meshes.len() {
            let slot = self.meshes[k];
            let near = self.near.list[slot as usize];
            if near.gone {
                continue;
            }
            found.clear();
            if near.met_at == self.step {
                self.triangles(&near, bodies, |triangle| found.push(triangle));
            }
            let mut old = core::mem::take(&mut self.triangles[near.triangles as usize]);
            if self.is_dormant(slot) {
                found.extend_from_slice(&old);
            }
            found.sort_unstable();
            found.dedup();
            for &triangle in old.iter().filter(|old| found.binary_search(old).is_err()) {
                self.removed.push(self.key(&near, triangle));
            }
            for &triangle in found.iter().filter(|new| old.binary_search(new).is_err()) {
                self.added.push(self.candidate(slot, &near, triangle));
            }
            old.clone_from(&found);
            self.triangles[near.triangles as usize] = old;
        }
        self.found = found;
    }

    /// Lets the next step find a candidate anew that was taken out of this one.
    pub(in crate::engine) fn forget(&mut self, slot: u32, key: &PairKey) {
        let near = &mut self.near.list[slot as usize];
        (near.paired, near.again) = (false, true);
        let near = *near;
        self.near.list(slot);
        if near.triangles != NONE {
            let (mesh, _) = self.sides(&near);
            let number = if mesh == near.proxies[0] { key.piece_a } else { key.piece_b };
            let triangle = number - self.proxies[mesh as usize].piece;
            self.triangles[near.triangles as usize].retain(|&other| other != triangle);
        }
    }

    /// Is there a pair?
    pub(super) fn is_paired(&self, slot: u32) -> bool {
        let near = &self.near.list[slot as usize];
        match near.triangles {
            NONE => near.paired,
            list => !self.triangles[list as usize].is_empty(),
        }
    }

    /// Is one of the bodies asleep, and none awake or moved by hand?
    pub(super) fn is_dormant(&self, slot: u32) -> bool {
        let proxies = self.near.list[slot as usize].proxies;
        let [a, b] = proxies.map(|p| self.flags[self.boxes[p as usize].owner as usize]);
        (a | b) & flag::ASLEEP != 0 && (a | b) & flag::ACTIVE == 0
    }

    /// The mesh of a near pair, and the other.
    fn sides(&self, near: &Near) -> (u32, u32) {
        let [p, q] = near.proxies;
        if self.proxies[p as usize].mesh { (p, q) } else { (q, p) }
    }

    /// The key of a near pair, with a triangle if it is one with a mesh.
    pub(super) fn key(&self, near: &Near, triangle: u32) -> PairKey {
        let [a, b] = self.bodies_of(near).map(|i| self.known[i as usize].id);
        let [piece_a, piece_b] = near.proxies.map(|p| {
            let proxy = &self.proxies[p as usize];
            proxy.piece + if proxy.mesh { triangle } else { 0 }
        });
        PairKey { a, b, piece_a, piece_b }
    }

    fn bodies_of(&self, near: &Near) -> [u32; 2] {
        near.proxies.map(|p| self.boxes[p as usize].owner)
    }

    fn candidate(&self, slot: u32, near: &Near, triangle: u32) -> Candidate {
        Candidate { key: self.key(near, triangle), bodies: self.bodies_of(near), near: slot }
    }

    /// Calls `visit` with the triangles whose boxes meet the other of a near pair.
    fn triangles(&self, near: &Near, bodies: &[Body], visit: impl FnMut(u32)) {
        let (mesh, other) = self.sides(near);
        self.triangles_near(mesh, self.boxes[other as usize].tight, bodies, visit);
    }

    /// Calls `visit` with the triangles of a mesh whose boxes meet a box.
    fn triangles_near(&self, mesh: u32, bounds: Aabb, bodies: &[Body], visit: impl FnMut(u32)) {
        let i = self.boxes[mesh as usize].owner as usize;
        let Some((mesh, piece)) = self.mesh(mesh, bodies) else { return };
        if !(bounds.min.is_finite() && bounds.max.is_finite()) {
            return;
        }
        let turn = quat_to_mat3(bodies[i].rotation());
        let position = bodies[i].position() + turn * piece.position;
        let back = (turn * quat_to_mat3(piece.rotation)).transpose();
        let grow = Vec3::splat(self.grow[i]);
        let bounds = Aabb { min: bounds.min - grow, max: bounds.max + grow };
        mesh.overlaps(&bounds.turned(-(back * position), back), visit);
    }

    /// The mesh that a proxy stands for, and its piece.
    fn mesh<'b>(&self, p: u32, bodies: &'b [Body]) -> Option<(&'b Mesh, &'b Piece)> {
        let proxy = &self.proxies[p as usize];
        let body = bodies.get(self.boxes[p as usize].owner as usize)?;
        let piece = &body.colliders().pieces().get(proxy.slot as usize)?.piece;
        if let Convex::Mesh(mesh) = &piece.convex { Some((mesh, piece)) } else { None }
    }

    /// Calls `visit` with (piece of the body, other body, piece of that) for every piece whose box of
    /// this step meets `bounds` and that may touch the body. O(log n + found).
    pub fn near(
        &self,
        body: u32,
        bounds: Aabb,
        bodies: &[Body],
        mut visit: impl FnMut(u32, u32, u32),
    ) {
        let mut meet = |q: u32| {
            let (other, j) = (&self.proxies[q as usize], self.boxes[q as usize].owner);
            let mut p = self.known[body as usize].first;
            while p != NONE {
                let own = &self.proxies[p as usize];
                if self.may_meet(p, q) && !own.sensor && !other.sensor {
                    if other.mesh {
                        self.triangles_near(q, bounds, bodies, |triangle| {
                            visit(own.piece, j, other.piece + triangle);
                        });
                    } else {
                        visit(own.piece, j, other.piece);
                    }
                }
                p = own.next;
            }
        };
        self.tree.overlaps(bounds, |q| {
            if self.boxes[q as usize].tight.meets(bounds) {
                meet(q);
            }
        });
        self.boundless.iter().for_each(|&q| meet(q));
    }
}
