//! What the broad phase knows of the bodies: which are live, and their boxes.
//!
//! Input: the bodies, which of them are active, which were handed out, which pairs do not collide. Output:
//! the live bodies, with reaches and boxes of the poses that they have now. O(live bodies); O(bodies) when
//! the enlargement changed or gaps in the list of bodies were closed.

use super::known::{Known, Proxy};
use super::tree::NONE;
use super::{BroadPhase, Input, MotionBound, ProxyBox};
use crate::engine::geometry::shape::{Aabb, Convex};
use crate::engine::state::bodies::{Bodies, flag};
use crate::engine::state::body::{Body, BodyId, BodyKind};
use crate::engine::state::collider::BodyPiece;
use crate::engine::state::motion::Motion;
use crate::math::quat_to_mat3;

fn is_finite(bounds: Aabb) -> bool {
    bounds.min.is_finite() && bounds.max.is_finite()
}

/// The boxes of a body's pieces.
fn boxes(body: &Body) -> impl Iterator<Item = (&BodyPiece, Aabb)> {
    let (position, rotation) = (body.position(), quat_to_mat3(body.rotation()));
    let pieces = body.colliders().pieces().iter();
    pieces.map(move |piece| (piece, piece.piece.aabb(position, rotation)))
}

impl BroadPhase {
    /// Takes over the new indices after gaps in the list of bodies were closed.
    pub(super) fn close_gaps(&mut self, bodies: &Bodies) {
        self.renumbered.clear();
        if self.closings == bodies.closings() {
            return;
        }
        self.closings = bodies.closings();
        let list = bodies.as_slice();
        let mut new = 0;
        for old in 0..self.known.len() {
            let stays = list.get(new).is_some_and(|body| body.id() == self.known[old].id);
            if !stays {
                self.drop_proxies(old as u32);
            }
            self.renumbered.push(if stays { new as u32 } else { NONE });
            new += usize::from(stays);
        }
        let map = &self.renumbered;
        fn close<T: Copy>(list: &mut Vec<T>, map: &[u32]) {
            for (old, &new) in map.iter().enumerate().filter(|(_, new)| **new != NONE) {
                list[new as usize] = list[old];
            }
            list.truncate(map.iter().filter(|&&new| new != NONE).count());
        }
        close(&mut self.known, map);
        close(&mut self.flags, map);
        close(&mut self.reach, map);
        close(&mut self.grow, map);
        close(&mut self.live_at, map);
        close(&mut self.carried_at, map);
        self.sets.resize(new);
        self.top.truncate(new);
        let renumber = |i: &mut u32| {
            *i = map[*i as usize];
            *i != NONE
        };
        self.last.retain_mut(renumber);
        self.live.clear();
        self.flags.iter_mut().for_each(|flags| *flags &= !flag::EDITED);
        for of in self.boxes.iter_mut().filter(|of| of.owner != NONE) {
            renumber(&mut of.owner);
        }
    }

    /// Is a body, by its index, as it was when it was last live?
    #[cfg(any(test, feature = "validate"))]
    pub(in crate::engine) fn knows(&self, i: usize, body: &Body) -> bool {
        self.known.get(i).is_some_and(|known| {
            (known.id, known.version, known.edits) == (body.id(), body.version(), body.edits())
                && (known.center, known.rotation) == (body.center(), body.rotation())
        })
    }

    /// Finds out which bodies are live, and makes their boxes.
    pub(super) fn gather(
        &mut self,
        &Input { bodies, motions, movers, enlarge, excluded }: &Input<'_>,
    ) {
        self.step = self.step.wrapping_add(1);
        self.live.iter().for_each(|&i| self.flags[i as usize] &= !flag::EDITED);
        self.live.clear();
        for list in [&mut self.open, &mut self.border, &mut self.doubtful, &mut self.meshes] {
            list.clear();
        }
        self.moved.drain(..).for_each(|p| self.boxes[p as usize].moved_in = 0);
        self.placed = 0;
        self.near.release();
        let mut wanted = core::mem::take(&mut self.last);
        wanted.extend_from_slice(movers);
        wanted.extend(self.known.len() as u32..motions.len() as u32);
        self.know(bodies, motions.len());
        self.exclude(bodies, excluded, &mut wanted);
        if self.enlarge.replace(enlarge) != Some(enlarge) {
            wanted.extend(0..motions.len() as u32);
        }
        for i in wanted.drain(..) {
            if self.live_at[i as usize] != self.step {
                self.renew(i, &bodies.as_slice()[i as usize], &motions[i as usize]);
                self.enliven(i);
                self.fit(i, enlarge, 1);
            }
        }
        self.last = wanted;
    }

    /// Makes room for all bodies. New ones have another version than is known.
    fn know(&mut self, bodies: &Bodies, count: usize) {
        for body in &bodies.as_slice()[self.known.len().min(count)..count] {
            let (id, version) = (body.id(), body.version().wrapping_sub(1));
            self.known.push(Known { id, version, first: NONE, ..Known::default() });
        }
        self.flags.resize(count, 0);
        self.reach.resize(count, MotionBound::default());
        self.grow.resize(count, 0.0);
        self.live_at.resize(count, self.step.wrapping_sub(1));
        self.carried_at.resize(count, self.step.wrapping_sub(1));
        self.sets.resize(count);
        self.top.resize(count, 0.0);
    }

    /// Takes over which bodies do not collide; wants those for which that changed.
    fn exclude(&mut self, bodies: &Bodies, excluded: &[[BodyId; 2]], wanted: &mut Vec<u32>) {
        if self.excluded == excluded {
            return;
        }
        for (list, other) in [(&*self.excluded, excluded), (excluded, &*self.excluded)] {
            let changed = list.iter().filter(|pair| other.binary_search(pair).is_err());
            for index in changed.flatten().filter_map(|&id| bodies.index_of(id)) {
                if let Some(known) = self.known.get_mut(index) {
                    known.refilter = true;
                    wanted.push(index as u32);
                }
            }
        }
        excluded.clone_into(&mut self.excluded);
    }

    /// Takes over what a body is now, and makes its boxes if it moved.
    fn renew(&mut self, i: u32, body: &Body, motion: &Motion) {
        let k = i as usize;
        let asleep = if motion.asleep { flag::ASLEEP } else { 0 };
        let active = if motion.is_active() { flag::ACTIVE } else { 0 };
        let known = &mut self.known[k];
        let edited = known.edits != body.edits();
        self.flags[k] = asleep | active | if edited { flag::EDITED } else { 0 };
        self.reach[k] = MotionBound::of(motion, body);
        known.velocity = motion.linear;
        known.grown = self.grow[k];
        known.edits = body.edits();
        let layers = core::mem::replace(&mut known.layers, body.sleep.layers);
        let refilter = core::mem::take(&mut known.refilter) || layers != body.sleep.layers;
        let pose = (body.center(), body.rotation());
        let moved = core::mem::replace(&mut (known.center, known.rotation), pose) != pose;
        (known.center, known.rotation) = pose;
        if known.version != body.version() {
            known.version = body.version();
            self.drop_proxies(i);
            self.make_proxies(i, body);
            return;
        }
        if refilter {
            self.refilter(i, body);
        }
        if moved && !self.move_boxes(i, body) {
            self.drop_proxies(i);
            self.make_proxies(i, body);
        }
    }

    /// Makes a body live, and its near pairs looked at.
    pub(super) fn enliven(&mut self, i: u32) {
        let k = i as usize;
        let was_live = self.live_at[k] == self.step.wrapping_sub(1);
        self.live_at[k] = self.step;
        if self.reach[k].moves {
            self.carried_at[k] = self.step;
        }
        self.live.push(i);
        self.sets.part(i);
        self.top[k] = self.reach[k].component;
        if was_live {
            return;
        }
        let mut proxy = self.known[k].first;
        while proxy != NONE {
            let mut edge = self.near.first(proxy);
            while edge != NONE {
                let slot = edge / 2;
                if self.near.list[slot as usize].met_at == self.step {
                    self.border.push(slot);
                } else if !self.near.is_listed(slot) {
                    self.came.push(slot);
                }
                edge = self.near.next(edge);
            }
            proxy = self.proxies[proxy as usize].next;
        }
    }

    /// Makes the proxies of a body.
    fn make_proxies(&mut self, i: u32, body: &Body) {
        for (slot, (piece, base)) in (0_u32..).zip(boxes(body)) {
            let Some(collider) = body.colliders().list().get(piece.collider as usize) else {
                continue;
            };
            let proxy = Proxy {
                piece: piece.first,
                slot,
                next: self.known[i as usize].first,
                leaf: NONE,
                base,
                inradius: match &piece.piece.convex {
                    Convex::Hull(hull) if !collider.sensor => hull.inradius(),
                    _ => 0.0,
                },
                layers: collider.layers,
                sensor: collider.sensor,
                mesh: matches!(piece.piece.convex, Convex::Mesh(_)),
                boundless: !is_finite(base),
                is_static: body.kind() == BodyKind::Static,
            };
            let p = self.take_slot(proxy);
            let k = p as usize;
            self.boxes[k].owner = i;
            self.fat[k] = Aabb::EMPTY;
            self.known[i as usize].first = p;
            if proxy.boundless {
                self.boxes[k].tight = Aabb::INFINITE;
                self.boundless.push(p);
                self.mark_moved(p, 1);
            }
        }
    }

    /// A place for a proxy.
    fn take_slot(&mut self, proxy: Proxy) -> u32 {
        if let Some(p) = self.free.pop() {
            self.proxies[p as usize] = proxy;
            return p;
        }
        self.proxies.push(proxy);
        let count = self.proxies.len();
        let none = ProxyBox { tight: Aabb::EMPTY, owner: NONE, moved_in: 0, boxed_in: 0 };
        self.boxes.resize(count, none);
        self.fat.resize(count, Aabb::EMPTY);
        self.before.resize(count, Aabb::EMPTY);
        self.stamps.resize(count, self.stamp);
        self.near.grow(count);
        self.deep.resize(count, 0);
        self.short.resize(count, 0);
        count as u32 - 1
    }

    /// Takes note that the fat box of a proxy is about to change.
    pub(super) fn mark_moved(&mut self, p: u32, round: u8) {
        let k = p as usize;
        if self.boxes[k].moved_in != round {
            self.before[k] = self.fat[k];
            self.boxes[k].moved_in = round;
            self.moved.push(p);
        }
    }

    /// Removes the proxies of a body with their near pairs.
    fn drop_proxies(&mut self, i: u32) {
        let mut p = core::mem::replace(&mut self.known[i as usize].first, NONE);
        while p != NONE {
            while self.near.first(p) != NONE {
                self.remove_near(self.near.first(p) / 2);
            }
            let proxy = self.proxies[p as usize];
            self.boxes[p as usize].owner = NONE;
            self.refused -= u64::from(core::mem::take(&mut self.short[p as usize]));
            if proxy.leaf != NONE {
                self.tree.remove(proxy.leaf);
            } else {
                self.boundless.retain(|&other| other != p);
            }
            self.free.push(p);
            p = proxy.next;
        }
    }

    /// Takes over the layers of a body's colliders; its near pairs will be found anew.
    fn refilter(&mut self, i: u32, body: &Body) {
        let mut p = self.known[i as usize].first;
        while p != NONE {
            let proxy = &mut self.proxies[p as usize];
            if let Some(collider) = body.colliders().of_piece(proxy.piece) {
                proxy.layers = collider.layers;
            }
            self.refiltered.push(p);
            p = proxy.next;
        }
    }

    /// Boxes for another pose; false if one has bounds now and had none before, or the other way round.
    fn move_boxes(&mut self, i: u32, body: &Body) -> bool {
        let (position, rotation) = (body.position(), quat_to_mat3(body.rotation()));
        let mut p = self.known[i as usize].first;
        while p != NONE {
            let proxy = &mut self.proxies[p as usize];
            if let Some(piece) = body.colliders().pieces().get(proxy.slot as usize) {
                proxy.base = piece.piece.aabb(position, rotation);
                if is_finite(proxy.base) == proxy.boundless {
                    return false;
                }
            }
            p = proxy.next;
        }
        true
    }
}
