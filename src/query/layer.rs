//! Pieces of bodies with a tree of their boxes, and who is there no more.

use super::ColliderId;
use crate::engine::geometry::bvh::Bvh;
use crate::engine::geometry::shape::{Aabb, Convex};
use crate::engine::state::body::Body;
use crate::engine::state::collider::Collider;
use crate::math::{Mat3, Real, Vec3, quat_rotate, quat_to_mat3};
use crate::query::piece::Placed;

/// A piece where it was when the tree was built.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) convex: Convex,
    pub(super) position: Vec3,
    pub(super) rotation: Mat3,
    /// Index of its collider.
    owner: u32,
    pub(super) piece: u32,
}

impl Entry {
    pub(super) fn placed(&self) -> Placed<'_> {
        Placed { convex: &self.convex, position: self.position, rotation: self.rotation }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) id: ColliderId,
    pub(super) collider: Collider,
    /// Has its body moved, changed or gone since the layer was built?
    pub(super) gone: bool,
}

/// Pieces of bodies, as they were when it was built.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Ascending.
    pub(super) owners: Vec<Owner>,
    /// Those with boxes, in the order of `boxes`.
    entries: Vec<Entry>,
    boundless: Vec<Entry>,
    boxes: Vec<Aabb>,
    bvh: Bvh,
}

impl Default for Layer {
    fn default() -> Self {
        Self {
            owners: Vec::new(),
            entries: Vec::new(),
            boundless: Vec::new(),
            boxes: Vec::new(),
            bvh: Bvh::with_leaves(1),
        }
    }
}

impl Layer {
    pub(super) fn clear(&mut self) {
        self.owners.clear();
        self.entries.clear();
        self.boundless.clear();
        self.boxes.clear();
    }

    /// Adds the pieces of a body; the tree of boxes knows them when it is built.
    pub(super) fn add(&mut self, body: &Body) {
        let (position, rotation) = (body.position(), body.rotation());
        let turn = quat_to_mat3(rotation);
        let first = self.owners.len() as u32;
        let owners = (0_u32..).zip(body.colliders().list()).map(|(collider, it)| Owner {
            id: ColliderId { body: body.id(), collider },
            collider: it.clone(),
            gone: false,
        });
        self.owners.extend(owners);
        for (number, it) in (0_u32..).zip(body.colliders().pieces()) {
            let entry = Entry {
                convex: it.piece.convex.clone(),
                position: position + quat_rotate(rotation, it.piece.position),
                rotation: turn * quat_to_mat3(it.piece.rotation),
                owner: first + it.collider,
                piece: number,
            };
            let bounds = entry.convex.aabb(entry.position, entry.rotation);
            if bounds.min.is_finite() && bounds.max.is_finite() {
                self.boxes.push(bounds);
                self.entries.push(entry);
            } else {
                self.boundless.push(entry);
            }
        }
    }

    pub(super) fn build_boxes(&mut self) {
        self.bvh.rebuild(&self.boxes);
    }

    fn owner(&self, entry: &Entry) -> &Owner {
        &self.owners[entry.owner as usize]
    }

    /// Asks the pieces without a box and those that `visit` finds by their boxes, if they are there: each
    /// gets the current `max` (m) and returns the new one.
    pub(super) fn ask(
        &self,
        max: Real,
        visit: impl FnOnce(&Bvh, Real, &mut dyn FnMut(u32, Real) -> Real),
        mut ask: impl FnMut(&Owner, &Entry, Real) -> Real,
    ) -> Real {
        let mut shortest = max;
        let mut there = |entry: &Entry, max: Real| {
            let owner = self.owner(entry);
            if owner.gone {
                return max;
            }
            let new = ask(owner, entry, max);
            shortest = shortest.min(new);
            new
        };
        let max = self.boundless.iter().fold(max, |max, entry| max.min(there(entry, max)));
        visit(&self.bvh, max, &mut |k, max| there(&self.entries[k as usize], max));
        shortest
    }
}
