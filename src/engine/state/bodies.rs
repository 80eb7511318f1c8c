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

use super::body::{Body, BodyDesc, BodyError, BodyId};

/// Since when a body may have changed, one bit each.
mod since {
    /// Since the last step began.
    pub const STEP: u8 = 1;
    /// Since [`settle_changes`](super::Bodies::settle_changes).
    pub const LOOK: u8 = 2;
}

/// All bodies, in ascending order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    list: Vec<Body>,
    /// Beside `list`: since when may the body have changed? See [`since`].
    changed: Vec<u8>,
    index: HashMap<BodyId, u32>,
    next: u64,
    removed: bool,
    /// How often gaps were closed.
    closings: u32,
}

impl Bodies {
    /// Adds a body at the end.
    pub(crate) fn add(&mut self, desc: BodyDesc) -> Result<BodyId, BodyError> {
        let id = BodyId(self.next);
        let body = Body::new(id, desc)?;
        self.next += 1;
        self.index.insert(id, self.list.len() as u32);
        self.list.push(body);
        self.changed.push(since::STEP);
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
        self.closings = self.closings.wrapping_add(1);
        let index = &mut self.index;
        let mut ids = self.list.iter().map(Body::id);
        self.changed.retain(|_| ids.next().is_some_and(|id| index.contains_key(&id)));
        // Others have other places now.
        self.changed.iter_mut().for_each(|changed| *changed |= since::STEP);
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

    /// The body of this id, which is noted to be changed.
    pub fn get_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        let &i = self.index.get(&id)?;
        self.changed[i as usize] = since::STEP | since::LOOK;
        Some(&mut self.list[i as usize])
    }

    /// Takes note that the body at a place changed.
    pub(crate) fn note_change(&mut self, i: usize) {
        self.changed[i] = since::STEP | since::LOOK;
    }

    /// Takes note that what moves the body at a place is to be found anew in the next step.
    pub(crate) fn note_motion(&mut self, i: usize) {
        self.changed[i] |= since::STEP;
    }

    /// May the body at a place have changed since the step began?
    pub(crate) fn is_changed(&self, i: usize) -> bool {
        self.changed[i] & since::STEP != 0
    }

    /// May a body that is not marked have changed since the step began?
    pub(crate) fn any_changed_beside(&self, marks: &[bool]) -> bool {
        let bodies = self.changed.iter().zip(marks);
        bodies.fold(false, |any, (changed, mark)| any | ((changed & since::STEP != 0) & !mark))
    }

    /// Marks those that may have changed since the step began as well.
    pub(crate) fn add_changed(&self, marks: &mut [bool]) {
        for (mark, changed) in marks.iter_mut().zip(&self.changed) {
            *mark |= changed & since::STEP != 0;
        }
    }

    /// As a step begins: tells which bodies may have changed since the last one began, by their places.
    pub(crate) fn take_changes(&mut self, changes: &mut Vec<bool>) {
        changes.clear();
        changes.extend(self.changed.iter().map(|changed| changed & since::STEP != 0));
        self.changed.iter_mut().for_each(|changed| *changed &= !since::STEP);
    }

    /// How often the gaps that removed bodies left were closed: indices hold as long as it stays.
    pub(crate) const fn closings(&self) -> u32 {
        self.closings
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

    /// See [`as_slice`](Self::as_slice). For the step, which changes the active bodies and takes note of
    /// whose pose, velocity or properties changed; others that it changes have to be taken by
    /// [`get_mut`](Self::get_mut).
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Body] {
        &mut self.list
    }

    /// The bodies that may have changed since [`settle_changes`](Self::settle_changes), in ascending order of
    /// their ids.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &Body> {
        let Self { list, changed, index, removed, .. } = self;
        let known = move |body: &&Body| !removed || index.contains_key(&body.id());
        let changed = list.iter().zip(changed).filter(|(_, changed)| **changed & since::LOOK != 0);
        changed.map(|(body, _)| body).filter(known)
    }

    /// From here on no body has [changed](Self::changed).
    pub(crate) fn settle_changes(&mut self) {
        self.changed.iter_mut().for_each(|changed| *changed &= !since::LOOK);
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

/// What a step has to know of a body.
pub(in crate::engine) mod flag {
    /// It moves by itself or is moved by hand.
    pub const ACTIVE: u8 = 1;
    /// It sleeps.
    pub const ASLEEP: u8 = 2;
    /// Its materials or layers were changed.
    pub const EDITED: u8 = 4;
}
