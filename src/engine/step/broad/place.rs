//! Fat boxes, and which of them meet: the near pairs.
//!
//! Input: live bodies with their boxes and reaches. Output: boxes enlarged for this step, fat boxes that
//! hold them, and a list of near pairs that holds all whose fat boxes meet and that may become candidates.
//! O(live bodies), and O(log n + near pairs) for every fat box that is made anew.

use super::near::Near;
use super::tree::NONE;
use super::{BroadPhase, Enlarge};
use crate::engine::geometry::shape::Aabb;
use crate::engine::state::bodies::flag;
use crate::engine::tuning::fat_boxes::{AHEAD, LOOSE, SLACK};
use crate::math::{Vec3, fill_from};

impl BroadPhase {
    /// Enlarges the boxes of a body, and makes fat boxes where they do not fit. What stands still keeps
    /// its room, and within a step no fat box shrinks twice: so no near pair has to be removed but in the
    /// first round, and none of sleepers. False if the boxes are as they were.
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
                // One that turns sweeps more than its side.
                let cut = proxy.is_static && enlarge.scale == 1.0;
                let Aabb { min, max } = if cut { proxy.base } else { Aabb::INFINITE };
                self.boxes[k].tight = Aabb { min: min - grow, max: max + grow };
                self.boxes[k].boxed_in = round;
                continue;
            }
            let size = proxy.base.max - proxy.base.min;
            let extra = size * (0.5 * (enlarge.scale - 1.0)) + grow;
            let mut tight = Aabb { min: proxy.base.min - extra, max: proxy.base.max + extra };
            tight.min += path.min(Vec3::ZERO);
            tight.max += path.max(Vec3::ZERO);
            self.boxes[k].tight = tight;
            self.boxes[k].boxed_in = round;
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
            self.mark_moved(this, round);
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
            if self.boxes[p as usize].owner == NONE {
                continue;
            }
            let anew = self.make_room(p);
            self.recount(p);
            if anew {
                continue;
            }
            self.searched += 1;
            if self.proxies[p as usize].boundless {
                found.extend((0..self.proxies.len() as u32).filter(|&q| self.is_bounded(q)));
            } else {
                self.find_new(p, round, &mut found);
            }
            self.add_found(p, &mut found);
        }
        self.placed = self.moved.len();
        self.found = found;
        while let Some(p) = self.refiltered.pop() {
            self.find_all(p);
        }
    }

    fn is_bounded(&self, p: u32) -> bool {
        self.boxes[p as usize].owner != NONE && !self.proxies[p as usize].boundless
    }

    /// Lists the proxies that came near a proxy with this round, each pair once.
    fn find_new(&self, p: u32, round: u8, found: &mut Vec<u32>) {
        let k = p as usize;
        let before = self.before[k];
        self.tree.overlaps(self.fat[k], |q| {
            let other = q as usize;
            let moved = self.boxes[other].moved_in == round;
            let was = if moved { self.before[other] } else { self.fat[other] };
            if !(before.meets(was) || (moved && q <= p)) {
                found.push(q);
            }
        });
        if before.min.x > before.max.x {
            let old = |q: &&u32| self.boxes[**q as usize].moved_in != round;
            found.extend(self.boundless.iter().filter(old));
        }
    }

    /// Finds all near pairs of a proxy after what it may meet has changed.
    fn find_all(&mut self, p: u32) {
        if self.boxes[p as usize].owner == NONE {
            return;
        }
        self.searched += 1;
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
        found.retain(|&q| self.stamps[q as usize] != stamp);
        self.add_found(p, &mut found);
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
        let bodies = [self.boxes[p as usize].owner, self.boxes[q as usize].owner];
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

    /// Adds near pairs of a proxy with those found, as far as they may meet and there is room.
    fn add_found(&mut self, p: u32, found: &mut Vec<u32>) {
        found.retain(|&q| self.may_meet(p, q));
        if !self.is_crowded(p, found.len()) {
            for &q in found.iter() {
                self.add_near(p, q);
            }
            return;
        }
        self.recount(p);
        let all = found.len();
        found.retain(|&q| !self.is_refused(p, q));
        let mut refused = all - found.len();
        let mut lots = core::mem::take(&mut self.lots);
        fill_from(&mut lots, found.iter().map(|&q| self.lot(p, q)));
        lots.sort_unstable();
        for &(shallow, _, q) in &lots {
            if self.is_refused(p, q) {
                refused += 1;
            } else {
                let slot = self.add_near(p, q);
                self.mark_deep(slot, !shallow);
            }
        }
        self.lots = lots;
        self.note_refused(p, refused);
    }

    fn add_near(&mut self, p: u32, q: u32) -> u32 {
        let body = |p: u32| self.boxes[p as usize].owner;
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
            // Where there was no room both may have come to rest since.
            again: ![p, q].into_iter().any(|p| self.is_live(body(p))),
            barred: false,
            gone: false,
        });
        self.came.push(slot);
        slot
    }

    /// Removes a near pair with its candidates.
    pub(super) fn remove_near(&mut self, slot: u32) {
        self.leave_crowd(slot);
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
