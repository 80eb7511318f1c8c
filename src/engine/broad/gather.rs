//! What the broad phase knows of the bodies: which are live, their boxes, fat boxes and near pairs.

use super::near::Near;
use super::tree::NONE;
use super::{BroadPhase, Enlarge, Reach, flag};
use crate::engine::bodies::Bodies;
use crate::engine::body::{Body, BodyId, BodyKind};
use crate::engine::collider::{BodyPiece, Layers};
use crate::engine::predict::Motion;
use crate::engine::shape::{Aabb, Convex};
use crate::math::{Quat, Real, Vec3, quat_to_mat3};

/// A fat box holds the motion of so many steps.
const AHEAD: Real = 4.0;
/// And it is larger than the box by this part of its size.
const SLACK: Real = 0.05;
/// It is made anew when there is so many times the room that it would get.
const LOOSE: Real = 4.0;

/// What a body was when it was last live.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) id: BodyId,
    version: u32,
    edits: u32,
    /// Pose for which the boxes were made.
    center: Vec3,
    rotation: Quat,
    /// Its free velocity [m/s].
    velocity: Vec3,
    /// By how much its boxes were enlarged in the step before (m).
    grown: Real,
    /// Its first proxy.
    pub(super) first: u32,
    /// Its near pairs have to be found anew.
    refilter: bool,
}

/// A piece of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proxy {
    /// Number of the piece, or of the first triangle.
    pub(super) piece: u32,
    /// Place in the list of the body's pieces.
    pub(super) slot: u32,
    /// The next proxy of the body.
    pub(super) next: u32,
    /// Leaf in the tree.
    leaf: u32,
    /// Box without enlargement.
    base: Aabb,
    pub(super) layers: Layers,
    pub(super) sensor: bool,
    pub(super) mesh: bool,
    pub(super) boundless: bool,
    /// Is its body static?
    is_static: bool,
}

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
        self.parent.truncate(new);
        self.top.truncate(new);
        let renumber = |i: &mut u32| {
            *i = map[*i as usize];
            *i != NONE
        };
        self.last.retain_mut(renumber);
        self.live.clear();
        self.flags.iter_mut().for_each(|flags| *flags &= !flag::EDITED);
        for owner in self.owner.iter_mut().filter(|owner| **owner != NONE) {
            renumber(owner);
        }
    }

    /// Is a body, by its index, as it was when it was last live?
    pub(in crate::engine) fn knows(&self, i: usize, body: &Body) -> bool {
        self.known.get(i).is_some_and(|known| {
            (known.id, known.version, known.edits) == (body.id(), body.version(), body.edits())
                && (known.center, known.rotation) == (body.center(), body.rotation())
        })
    }

    /// Finds out which bodies are live, and makes their boxes.
    pub(super) fn gather(
        &mut self,
        bodies: &mut Bodies,
        motions: &[Motion],
        active: &[u32],
        enlarge: Enlarge,
        excluded: &[[BodyId; 2]],
    ) {
        self.step = self.step.wrapping_add(1);
        for &i in &self.live {
            self.flags[i as usize] &= !flag::EDITED;
        }
        self.live.clear();
        for list in [&mut self.open, &mut self.border, &mut self.doubtful, &mut self.meshes] {
            list.clear();
        }
        for p in self.moved.drain(..) {
            self.moved_in[p as usize] = 0;
        }
        self.placed = 0;
        self.near.release();
        let mut wanted = core::mem::take(&mut self.last);
        wanted.extend_from_slice(active);
        wanted.extend(self.known.len() as u32..motions.len() as u32);
        self.know(bodies, motions.len());
        self.exclude(bodies, excluded, &mut wanted);
        if self.enlarge.replace(enlarge) != Some(enlarge) {
            wanted.extend(0..motions.len() as u32);
        }
        bodies.drain_touched(|i| {
            if (i as usize) < motions.len() {
                wanted.push(i);
            }
        });
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
            self.known.push(Known {
                id: body.id(),
                version: body.version().wrapping_sub(1),
                edits: 0,
                center: Vec3::ZERO,
                rotation: Quat::IDENTITY,
                velocity: Vec3::ZERO,
                grown: 0.0,
                first: NONE,
                refilter: false,
            });
        }
        self.flags.resize(count, 0);
        self.reach.resize(count, Reach::default());
        self.grow.resize(count, 0.0);
        self.live_at.resize(count, self.step.wrapping_sub(1));
        self.parent.resize(count, 0);
        self.top.resize(count, 0.0);
    }

    /// Takes over which bodies do not collide; wants those for which that changed.
    fn exclude(&mut self, bodies: &Bodies, excluded: &[[BodyId; 2]], wanted: &mut Vec<u32>) {
        if self.excluded == excluded {
            return;
        }
        let known = &mut self.known;
        let (mut i, mut j) = (0, 0);
        loop {
            let changed = match (self.excluded.get(i), excluded.get(j)) {
                (None, None) => break,
                (Some(old), Some(new)) if old == new => {
                    (i, j) = (i + 1, j + 1);
                    continue;
                }
                (Some(old), new) if new.is_none_or(|new| old < new) => {
                    i += 1;
                    *old
                }
                (_, Some(new)) => {
                    j += 1;
                    *new
                }
                (Some(_), None) => break,
            };
            for index in changed.into_iter().filter_map(|id| bodies.index_of(id)) {
                if let Some(known) = known.get_mut(index) {
                    known.refilter = true;
                    wanted.push(index as u32);
                }
            }
        }
        self.excluded.clear();
        self.excluded.extend_from_slice(excluded);
    }

    /// Takes over what a body is now, and makes its boxes if it moved.
    fn renew(&mut self, i: u32, body: &Body, motion: &Motion) {
        let k = i as usize;
        let asleep = if motion.asleep { flag::ASLEEP } else { 0 };
        let active = if motion.is_active() { flag::ACTIVE } else { 0 };
        let known = &mut self.known[k];
        let edited = known.edits != body.edits();
        self.flags[k] = asleep | active | if edited { flag::EDITED } else { 0 };
        self.reach[k] = Reach::of(motion, body);
        known.velocity = motion.linear;
        known.grown = self.grow[k];
        known.edits = body.edits();
        let refilter = core::mem::take(&mut known.refilter) || edited;
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
        self.live.push(i);
        (self.parent[k], self.top[k]) = (i, self.reach[k].component);
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
                layers: collider.layers,
                sensor: collider.sensor,
                mesh: matches!(piece.piece.convex, Convex::Mesh(_)),
                boundless: !is_finite(base),
                is_static: body.kind() == BodyKind::Static,
            };
            let p = self.take_slot(proxy);
            let k = p as usize;
            self.owner[k] = i;
            self.fat[k] = Aabb::EMPTY;
            self.known[i as usize].first = p;
            if proxy.boundless {
                self.tight[k] = Aabb::INFINITE;
                self.boundless.push(p);
                self.note_moved(p, 1);
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
        self.owner.resize(count, NONE);
        self.tight.resize(count, Aabb::EMPTY);
        self.fat.resize(count, Aabb::EMPTY);
        self.before.resize(count, Aabb::EMPTY);
        self.moved_in.resize(count, 0);
        self.stamps.resize(count, self.stamp);
        self.near.grow(count);
        count as u32 - 1
    }

    /// Takes note that the fat box of a proxy is about to change.
    fn note_moved(&mut self, p: u32, round: u8) {
        let k = p as usize;
        if self.moved_in[k] != round {
            self.before[k] = self.fat[k];
            self.moved_in[k] = round;
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
            self.owner[p as usize] = NONE;
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

    /// Enlarges the boxes of a body, and makes fat boxes where they do not fit. What stands still keeps
    /// its room, and within a step no fat box shrinks twice: so no near pair has to be removed but in the
    /// first round, and none of sleepers.
    /// False if the boxes are as they were.
    pub(super) fn fit(&mut self, i: u32, enlarge: Enlarge, round: u8) -> bool {
        let (reach, known) = (&self.reach[i as usize], &self.known[i as usize]);
        let grow = reach.distance(enlarge.dt) + enlarge.margin;
        if round > 1 && grow == self.grow[i as usize] {
            return false;
        }
        self.grow[i as usize] = grow;
        let path = reach.path.unwrap_or(Vec3::ZERO) * enlarge.dt;
        let ahead = known.velocity * (AHEAD * enlarge.dt);
        let spin = AHEAD * enlarge.dt * (reach.own - known.velocity.length()).max(0.0);
        let (grown, moves) = ((known.grown - grow).max(0.0), reach.moves || reach.own > 0.0);
        let only_grows = round > 1 || self.flags[i as usize] & flag::ACTIVE == 0;
        let mut p = known.first;
        while p != NONE {
            let proxy = self.proxies[p as usize];
            let (k, this) = (p as usize, p);
            p = proxy.next;
            if proxy.boundless {
                continue;
            }
            let size = proxy.base.max - proxy.base.min;
            let extra = size * (0.5 * (enlarge.scale - 1.0)) + grow;
            let mut tight = Aabb { min: proxy.base.min - extra, max: proxy.base.max + extra };
            tight.min += path.min(Vec3::ZERO);
            tight.max += path.max(Vec3::ZERO);
            self.tight[k] = tight;
            let slack = if moves {
                SLACK * (size.x + size.y + size.z) + grown + spin.min(0.25 * size.max_element())
            } else {
                enlarge.margin
            };
            let fat = self.fat[k];
            let (low, high) = (tight.min - fat.min, fat.max - tight.max);
            let room = LOOSE * (slack + ahead.abs().max_element());
            if low.min(high).min_element() >= 0.0
                && (only_grows || low.max(high).max_element() <= room)
            {
                continue;
            }
            self.note_moved(this, round);
            let mut new = Aabb {
                min: tight.min - slack + ahead.min(Vec3::ZERO),
                max: tight.max + slack + ahead.max(Vec3::ZERO),
            };
            if only_grows {
                new = new.union(fat);
            }
            if new.min.is_nan() || new.max.is_nan() {
                new = Aabb::EMPTY;
            }
            self.fat[k] = new;
            if proxy.leaf == NONE {
                self.proxies[k].leaf = self.tree.insert(new, this);
            } else {
                self.tree.set(proxy.leaf, new);
            }
        }
        true
    }

    /// Finds the new near pairs of all proxies that got another fat box in this round. Two are near
    /// already if their fat boxes met before. Those that are so no more are left to the sweep.
    pub(super) fn renew_near_pairs(&mut self, round: u8) {
        let mut found = core::mem::take(&mut self.found);
        for k in self.placed..self.moved.len() {
            let p = self.moved[k];
            found.clear();
            if self.owner[p as usize] == NONE {
                continue;
            }
            if self.proxies[p as usize].boundless {
                found.extend((0..self.proxies.len() as u32).filter(|&q| self.is_bounded(q)));
            } else {
                self.find_new(p, round, &mut found);
            }
            for &q in &found {
                if self.may_meet(p, q) {
                    self.add_near(p, q);
                }
            }
        }
        self.placed = self.moved.len();
        self.found = found;
        while let Some(p) = self.refiltered.pop() {
            self.find_all(p);
        }
    }

    fn is_bounded(&self, p: u32) -> bool {
        self.owner[p as usize] != NONE && !self.proxies[p as usize].boundless
    }

    /// Lists the proxies that came near a proxy with this round, each pair once.
    fn find_new(&self, p: u32, round: u8, found: &mut Vec<u32>) {
        let k = p as usize;
        let before = self.before[k];
        self.tree.overlaps(self.fat[k], |q| {
            let other = q as usize;
            let moved = self.moved_in[other] == round;
            let was = if moved { self.before[other] } else { self.fat[other] };
            if !before.meets(was) && !(moved && q <= p) {
                found.push(q);
            }
        });
        if before.min.x > before.max.x {
            let old = |q: &&u32| self.moved_in[**q as usize] != round;
            found.extend(self.boundless.iter().filter(old));
        }
    }

    /// Finds all near pairs of a proxy after what it may meet has changed.
    fn find_all(&mut self, p: u32) {
        if self.owner[p as usize] == NONE {
            return;
        }
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        let mut edge = self.near.first(p);
        while edge != NONE {
            let (slot, q) = (edge / 2, self.near.other(edge));
            edge = self.near.next(edge);
            let may = self.may_meet(p, q);
            if may || (self.is_paired(slot) && self.is_dormant(slot)) {
                self.near.list[slot as usize].barred = !may;
                self.stamps[q as usize] = stamp;
            } else {
                self.remove_near(slot);
            }
        }
        let mut found = core::mem::take(&mut self.found);
        found.clear();
        if self.proxies[p as usize].boundless {
            found.extend((0..self.proxies.len() as u32).filter(|&q| self.is_bounded(q)));
        } else {
            self.tree.overlaps(self.fat[p as usize], |q| found.push(q));
            found.extend_from_slice(&self.boundless);
        }
        for &q in &found {
            if self.stamps[q as usize] != stamp && self.may_meet(p, q) {
                self.add_near(p, q);
            }
        }
        self.found = found;
    }

    /// Do the fat boxes of two proxies meet?
    pub(super) fn are_near(&self, [p, q]: [u32; 2]) -> bool {
        self.proxies[p as usize].boundless
            || self.proxies[q as usize].boundless
            || self.fat[p as usize].meets(self.fat[q as usize])
    }

    /// May two pieces make a candidate, if they meet? Not if their bodies are the same, rest both, are
    /// excluded, or their layers do not meet.
    pub(super) fn may_meet(&self, p: u32, q: u32) -> bool {
        let bodies = [self.owner[p as usize], self.owner[q as usize]];
        let [p, q] = [p, q].map(|p| &self.proxies[p as usize]);
        // Two meshes could only get near each other by hand, to be noticed by a sensor.
        let surfaces = (p.mesh || p.boundless) && (q.mesh || q.boundless);
        if bodies[0] == bodies[1] || surfaces || !p.layers.meets(q.layers) {
            return false;
        }
        let moves = bodies.iter().any(|&i| self.reach[i as usize].moves);
        // Sensors notice what is moved by hand, too.
        let noticed = (p.sensor || q.sensor) && !(p.is_static && q.is_static);
        if !(moves || noticed) {
            return false;
        }
        let [i, j] = bodies;
        let ids = [i.min(j), i.max(j)].map(|i| self.known[i as usize].id);
        self.excluded.is_empty() || self.excluded.binary_search(&ids).is_err()
    }

    fn add_near(&mut self, p: u32, q: u32) {
        let body = |p: u32| self.owner[p as usize];
        let proxies = if body(p) < body(q) { [p, q] } else { [q, p] };
        let mut triangles = NONE;
        if proxies.iter().any(|&p| self.proxies[p as usize].mesh) {
            triangles = self.free_triangles.pop().unwrap_or_else(|| {
                self.triangles.push(Vec::new());
                self.triangles.len() as u32 - 1
            });
        }
        let met_at = self.step.wrapping_sub(1);
        let slot = self.near.add(Near {
            proxies,
            triangles,
            met_at,
            paired: false,
            again: false,
            barred: false,
            gone: false,
        });
        self.came.push(slot);
    }

    /// Removes a near pair with its candidates.
    pub(super) fn remove_near(&mut self, slot: u32) {
        let near = self.near.list[slot as usize];
        if near.triangles != NONE {
            let mut triangles = core::mem::take(&mut self.triangles[near.triangles as usize]);
            for triangle in triangles.drain(..) {
                self.removed.push(self.key(&near, triangle));
            }
            self.triangles[near.triangles as usize] = triangles;
            self.free_triangles.push(near.triangles);
        } else if near.paired {
            self.removed.push(self.key(&near, 0));
        }
        self.near.remove(slot);
    }
}
