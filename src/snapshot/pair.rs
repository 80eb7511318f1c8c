//! Contacts and touches as data: by the names of what touches, with the impulses of the last step.

use hashbrown::HashMap;

use super::SnapshotError;
use crate::engine::Simulation;
use crate::engine::body::BodyId;
use crate::engine::collider::Collider;
use crate::engine::contact::{ActiveContact, Blow, ContactId};
use crate::engine::pair::{Pair, Pairs};
use crate::engine::pair_key::{Candidate, PairKey};
use crate::engine::state::pair_head::{Guard, Head};
use crate::engine::touch::{Touch, TouchKey};
use crate::math::{DVec3, Vec3};

/// An impulse [N·s] as a start for the next step, to single precision.
type Impulse = [f32; 3];

/// Two pieces with contacts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct PairData {
    /// How far its first body is behind that of the pair before, and its second behind its first.
    steps: [u64; 2],
    pieces: [u32; 2],
    /// Do the colliders touch?
    touches: bool,
    contacts: Vec<ContactData>,
    /// Parts in a bounce, if there was one.
    blows: Vec<Blow>,
    /// Impulses of rolling and spinning resistance, by the places of the contacts.
    turns: Vec<(u32, [Impulse; 2])>,
}

/// A contact.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct ContactData {
    /// The features that meet, the kind in the two low bits.
    features: [u32; 2],
    push: Push,
}

/// Impulses of the biased and the relaxed solve.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
enum Push {
    None,
    Same(Impulse),
    Two([Impulse; 2]),
}

/// A touch of colliders between which no pair has contacts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct TouchData {
    bodies: [u64; 2],
    tags: [u64; 2],
    sensor: bool,
}

impl TouchData {
    pub(super) fn map_tags(&mut self, map: impl FnMut(u64) -> u64) {
        self.tags = self.tags.map(map);
    }
}

/// Pairs with contacts, and other touches.
pub(super) struct ContactPairs {
    pub(super) pairs: Vec<PairData>,
    pub(super) touches: Vec<TouchData>,
}

fn single(impulse: DVec3) -> Impulse {
    impulse.as_vec3().to_array()
}

fn double(impulse: Impulse) -> DVec3 {
    let impulse = DVec3::from_array(impulse.map(f64::from));
    if impulse.is_finite() { impulse } else { DVec3::ZERO }
}

impl ContactData {
    fn of(contact: &ActiveContact) -> Self {
        let ContactId(id) = contact.id;
        let features = [(id >> 32) as u32, id as u32].map(|code| code.rotate_left(2));
        let push = match contact.impulse.map(single) {
            [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] => Push::None,
            [biased, relaxed] if biased == relaxed => Push::Same(relaxed),
            both => Push::Two(both),
        };
        Self { features, push }
    }

    fn contact(&self, blow: Option<&Blow>) -> ActiveContact {
        let [a, b] = self.features.map(|code| u64::from(code.rotate_right(2)));
        ActiveContact {
            id: ContactId(a << 32 | b),
            normal: Vec3::ZERO,
            arms: [Vec3::ZERO; 2],
            cores: [Vec3::ZERO; 2],
            gap: 0.0,
            row_gap: 0.0,
            impulse: match self.push {
                Push::None => [DVec3::ZERO; 2],
                Push::Same(impulse) => [double(impulse); 2],
                Push::Two(impulses) => impulses.map(double),
            },
            blow: blow.copied().unwrap_or_default(),
        }
    }
}

fn with_contacts(pairs: &Pairs) -> impl Iterator<Item = &Pair> {
    pairs.list.iter().map(|pair| &**pair).filter(|pair| !pair.contacts.is_empty())
}

/// The names of the colliders of a pair.
fn touch_key(key: PairKey, world: &Simulation) -> Option<TouchKey> {
    let tag = |id, piece| {
        let collider: &Collider = world.bodies.get(id)?.colliders().of_piece(piece)?;
        Some(collider.tag)
    };
    let tags = [tag(key.a, key.piece_a)?, tag(key.b, key.piece_b)?];
    Some(TouchKey { bodies: [key.a, key.b], tags })
}

impl ContactPairs {
    pub(super) fn of(world: &Simulation) -> Self {
        let known = |id| world.bodies.get(id).is_some();
        let present = |pair: &&Pair| known(pair.key.a) && known(pair.key.b);
        let (mut pairs, mut last, mut places) = (Vec::new(), 0, HashMap::new());
        for pair in with_contacts(&world.pairs).filter(present) {
            let PairKey { a: BodyId(a), b: BodyId(b), piece_a, piece_b } = pair.key;
            if let Some(key) = touch_key(pair.key, world) {
                places.entry(key).or_insert(pairs.len());
            }
            let turns = pair.angular_impulses.iter().filter_map(|(id, impulse)| {
                let place = pair.contacts.iter().position(|contact| contact.id == *id)?;
                Some((place as u32, impulse.map(single)))
            });
            let bounced = pair.contacts.iter().any(|contact| contact.blow != Blow::None);
            let blows = if bounced { &*pair.contacts } else { &[] };
            pairs.push(PairData {
                steps: [a - core::mem::replace(&mut last, a), b - a],
                pieces: [piece_a, piece_b],
                touches: false,
                contacts: pair.contacts.iter().map(ContactData::of).collect(),
                blows: blows.iter().map(|contact| contact.blow).collect(),
                turns: turns.collect(),
            });
        }
        let mut touches = Vec::new();
        for touch in world.touches.all() {
            match places.get(&touch.key) {
                Some(&place) if !touch.sensor => pairs[place].touches = true,
                _ => touches.push(TouchData {
                    bodies: touch.key.bodies.map(|id| id.0),
                    tags: touch.key.tags,
                    sensor: touch.sensor,
                }),
            }
        }
        Self { pairs, touches }
    }
}

/// A touch that goes on.
fn touch(key: TouchKey, sensor: bool) -> Touch {
    let mut touch = Touch::default();
    (touch.key, touch.sensor) = (key, sensor);
    touch
}

/// Adds pairs and touches to a world without any, whose bodies are there.
pub(super) fn add(
    pairs: &[PairData],
    touches: &[TouchData],
    world: &mut Simulation,
) -> Result<(), SnapshotError> {
    // Of the first step: it looks at them as at new ones, and keeps their impulses.
    let began = world.bodies.changes().began() + 1;
    let mut last = PairKey::default();
    let mut list = Vec::new();
    for (i, data) in pairs.iter().enumerate() {
        let a = last.a.0.checked_add(data.steps[0]);
        let b = a.and_then(|a| a.checked_add(data.steps[1]));
        let ids = [a, b].map(|id| BodyId(id.unwrap_or(u64::MAX)));
        let [Some(i_a), Some(i_b)] = ids.map(|id| world.bodies.index_of(id)) else {
            return Err(SnapshotError::Inconsistent("pairs are of bodies that are there"));
        };
        let [piece_a, piece_b] = data.pieces;
        let key = PairKey { a: ids[0], b: ids[1], piece_a, piece_b };
        if key.a >= key.b || (i > 0 && key <= last) {
            return Err(SnapshotError::Inconsistent("pairs ascend"));
        }
        last = key;
        let candidate = Candidate { key, bodies: [i_a as u32, i_b as u32], near: 0 };
        let versions = [i_a, i_b].map(|i| world.bodies.as_slice()[i].version());
        let mut pair = Pair::default();
        (pair.key, pair.bodies, pair.versions) = (key, candidate.bodies, versions);
        let contacts = data.contacts.iter().enumerate();
        pair.contacts.extend(contacts.map(|(i, contact)| contact.contact(data.blows.get(i))));
        for &(place, impulse) in &data.turns {
            if let Some(id) = pair.contacts.get(place as usize).map(|contact| contact.id) {
                pair.angular_impulses.push((id, impulse.map(double)));
            }
        }
        let mut head = Head::new(&candidate, began);
        head.take(&pair);
        world.pairs.heads.push(head);
        world.pairs.guards.push(Guard::new(&candidate, versions));
        world.pairs.list.push(Box::new(pair));
        if data.touches {
            list.extend(touch_key(key, world).map(|key| touch(key, false)));
        }
    }
    list.extend(touches.iter().map(|data| {
        let key = TouchKey { bodies: data.bodies.map(BodyId), tags: data.tags };
        touch(key, data.sensor)
    }));
    list.sort_unstable_by_key(|touch| touch.key);
    list.dedup_by_key(|touch| touch.key);
    world.touches.list = list;
    Ok(())
}

/// Lets the pairs of a snapshot tell what they told in the world that it was taken of.
pub(super) fn keep_told(pairs: &mut Pairs, told: &Pairs) {
    for pair in &mut pairs.list {
        let Ok(place) = told.list.binary_search_by_key(&pair.key, |old| old.key) else { continue };
        let old = &told.list[place];
        (pair.tags, pair.colliders) = (old.tags, old.colliders);
        (pair.gap, pair.separation) = (old.gap, old.separation);
        for (contact, old) in pair.contacts.iter_mut().zip(&old.contacts) {
            let (impulse, blow) = (contact.impulse, contact.blow);
            *contact = ActiveContact { impulse, blow, ..*old };
        }
    }
}
