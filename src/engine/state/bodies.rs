//! All bodies, in ascending order of their ids.
//!
//! Ids are counters, so a new body goes to the end and the list is always sorted. Removing a body takes
//! its id out of the index alone; the list closes up before the next step, so that indices hold while a
//! step is under way.
//!
//! Beside them stands when each was last another (`Changes`): handing one out to be changed says so, and so
//! does a step for those that it moves.

use hashbrown::HashMap;

use super::body::{Body, BodyDesc, BodyError, BodyId};
use super::changes::{Changes, Stamp};

/// All bodies, in ascending order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    list: Vec<Body>,
    changes: Changes,
    index: HashMap<BodyId, u32>,
    pub(crate) next: u64,
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
        self.changes.push();
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
        self.changes.retain(|i| index.contains_key(&self.list[i].id()));
        self.list.retain(|body| index.contains_key(&body.id()));
        for (i, body) in self.list.iter().enumerate() {
            index.insert(body.id(), i as u32);
        }
    }

    /// Were bodies removed whose gaps are open?
    pub(crate) const fn have_gaps(&self) -> bool {
        self.removed
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
        self.changes.note(i as usize);
        Some(&mut self.list[i as usize])
    }

    /// Takes note that the body at a place changed.
    pub(crate) fn mark_changed(&mut self, i: usize) {
        self.changes.note(i);
    }

    /// Takes note that what moves the body at a place is to be found anew in the next step.
    pub(crate) fn mark_motion(&mut self, i: usize) {
        self.changes.mark_moved(i);
    }

    /// When they changed, by their places.
    pub(crate) const fn changes(&self) -> &Changes {
        &self.changes
    }

    /// A step begins; `all` says that it may move all bodies in another way than the last one.
    pub(in crate::engine) fn begin_step(&mut self, all: bool) {
        if all {
            self.changes.mark_all_moved();
        }
        self.changes.begin_step();
    }

    /// How often the gaps that removed bodies left were closed: indices hold as long as it stays.
    pub(crate) const fn closings(&self) -> u32 {
        self.closings
    }

    /// The bodies in ascending order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Body> {
        self.with_changes().map(|(body, _)| body)
    }

    /// The bodies in ascending order of their ids, and when they were last others.
    pub(crate) fn with_changes(&self) -> impl Iterator<Item = (&Body, Stamp)> {
        let all = self.list.iter().enumerate().map(|(i, body)| (body, self.changes.changed(i)));
        all.filter(|(body, _)| !self.removed || self.index.contains_key(&body.id()))
    }

    /// The bodies in ascending order, with those that were removed since the last [`compact`](Self::compact).
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
        let known = |body: &Body| !self.removed || self.index.contains_key(&body.id());
        let changed = self.list.iter().enumerate();
        let changed = changed.filter(|&(i, _)| self.changes.is_unseen(i)).map(|(_, body)| body);
        changed.filter(move |body| known(body))
    }

    /// From here on no body has [changed](Self::changed).
    pub(crate) fn settle_changes(&mut self) {
        self.changes.settle();
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
    /// The body moves by itself or is moved by hand.
    pub const ACTIVE: u8 = 1;
    /// The body sleeps.
    pub const ASLEEP: u8 = 2;
    /// Its materials or layers were changed.
    pub const EDITED: u8 = 4;
}
