//! All bodies, in ascending order of their ids.
//!
//! Ids are counters, so a new body goes to the end and the list is always sorted. Removing a body takes
//! its id out of the index alone; the list closes up before the next step, so that indices hold while a
//! step is under way.
//!
//! Beside each body stands whether its state may have changed since someone last looked: handing it out
//! to be changed says so, and so does a step for those that it moves. O(bodies) to look through, a byte
//! each.

use hashbrown::HashMap;

use super::Simulation;
use super::body::{Body, BodyDesc, BodyError, BodyId};

/// All bodies, in ascending order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    list: Vec<Body>,
    /// Beside `list`: may the body have changed since [`Simulation::settle_changes`]?
    changed: Vec<bool>,
    index: HashMap<BodyId, u32>,
    next: u64,
    removed: bool,
}

impl Bodies {
    /// Adds a body at the end.
    pub(crate) fn add(&mut self, desc: BodyDesc) -> Result<BodyId, BodyError> {
        let id = BodyId(self.next);
        let body = Body::new(id, desc)?;
        self.next += 1;
        self.index.insert(id, self.list.len() as u32);
        self.list.push(body);
        self.changed.push(false);
        Ok(id)
    }

    /// Removes a body; false if there is none of this id. The list closes up before its next use.
    pub(crate) fn remove(&mut self, id: BodyId) -> bool {
        let known = self.index.remove(&id).is_some();
        self.removed |= known;
        known
    }

    /// Closes the gaps that removed bodies left.
    pub(crate) fn compact(&mut self) {
        if !self.removed {
            return;
        }
        self.removed = false;
        let index = &mut self.index;
        let mut ids = self.list.iter().map(Body::id);
        self.changed.retain(|_| ids.next().is_some_and(|id| index.contains_key(&id)));
        self.list.retain(|body| index.contains_key(&body.id()));
        for (i, body) in self.list.iter().enumerate() {
            index.insert(body.id(), i as u32);
        }
    }

    /// Closes the gaps if they are most of the list.
    pub(crate) fn compact_if_sparse(&mut self) {
        if self.list.len() > 2 * self.index.len() + 64 {
            self.compact();
        }
    }

    /// Index of a body in `as_slice`, until the gaps are closed.
    pub fn index_of(&self, id: BodyId) -> Option<usize> {
        self.index.get(&id).map(|&i| i as usize)
    }

    /// The body of this id.
    pub fn get(&self, id: BodyId) -> Option<&Body> {
        self.index.get(&id).map(|&i| &self.list[i as usize])
    }

    /// The body of this id, to change it.
    pub fn get_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        let i = *self.index.get(&id)? as usize;
        self.changed[i] = true;
        Some(&mut self.list[i])
    }

    /// The bodies in ascending order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Body> {
        self.list.iter().filter(|body| !self.removed || self.index.contains_key(&body.id()))
    }

    /// The bodies in ascending order, with those that were removed since the last
    /// [`compact`](Self::compact).
    pub(crate) fn as_slice(&self) -> &[Body] {
        &self.list
    }

    /// As [`as_mut_slice`](Self::as_mut_slice), each with the place to note that it changed.
    pub(crate) fn iter_to_move(&mut self) -> impl Iterator<Item = (&mut Body, &mut bool)> {
        self.list.iter_mut().zip(&mut self.changed)
    }

    /// See [`as_slice`](Self::as_slice).
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Body] {
        &mut self.list
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Are there no bodies?
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }
}

impl Simulation {
    /// The bodies that may have changed since [`settle_changes`](Self::settle_changes), in ascending order of
    /// their ids: those that steps moved, woke or put to sleep, and those that were handed out to be
    /// changed. All others are as they were, or new. O(bodies), a byte each.
    pub fn changed_bodies(&self) -> impl Iterator<Item = &Body> {
        let Bodies { list, changed, index, removed, .. } = &self.bodies;
        let known = move |body: &&Body| !removed || index.contains_key(&body.id());
        let changed = list.iter().zip(changed).filter(|(_, changed)| **changed);
        changed.map(|(body, _)| body).filter(known)
    }

    /// From here on no body has [changed](Self::changed_bodies).
    pub fn settle_changes(&mut self) {
        self.bodies.changed.fill(false);
    }
}
