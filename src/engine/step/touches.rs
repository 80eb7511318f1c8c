//! Touches: which colliders touch, since when, and how hard they met.
//!
//! Input: the pairs of a solved step. Output: the touching pairs of colliders, ascending by key, and
//! which of them began and which ended with this step. A pair begins to touch when a contact between the
//! two carries an impulse or they overlap, and ends when none does and they are farther apart than the
//! contact margin: so a body that trembles or rolls makes one touch, not a hundred. Pairs with a sensor
//! go by overlap alone. A body that arrives within a step is slowed by that step to just reach the other,
//! and stopped by the next one: the impulse of a hit is the sum of both. If it bounces, the step of the
//! arrival tells the whole. Every touch that began ends exactly once, whatever becomes of its bodies.
//! Touches of pairs that the step does not look at stay as they are. O(pairs looked at) and a sort of
//! those that are near, and O(touches) if one begins or ends; no allocation once the lists have grown.

use smallvec::SmallVec;

use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::contact::ActiveContact;
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::{ABREAST, Pair, Pairs, fetch};
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::math::{Real, Vec3, fill_from, narrow3};
use crate::par::{JOBS, Pool};

/// Names two colliders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TouchKey {
    /// Their bodies, ascending.
    pub bodies: [BodyId; 2],
    /// The names of the colliders, see [`Collider::tag`](crate::engine::state::collider::Collider::tag).
    /// Colliders of one body with the same name count as one.
    pub tags: [u64; 2],
}

/// Where two colliders meet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TouchPoint {
    /// World point (m) of the contact with the largest impulse, else of the nearest one, moved along
    /// with the center of the first body.
    pub point: Vec3,
    /// Unit normal there, from the first body to the second.
    pub normal: Vec3,
    /// Speed [m/s] at which the bodies approached each other there as they met, the fall to there
    /// counted; negative if they parted.
    pub speed: Real,
    /// Gap there at the start of the step (m).
    pub gap: Real,
}

/// Two colliders that touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Which.
    pub key: TouchKey,
    /// Is one of them a sensor? Then there is no impulse and no point.
    pub sensor: bool,
    /// Impulse on the second body in the step [N·s], world axes; opposite on the first.
    pub impulse: Vec3,
    /// Sum of the normal impulses of all contacts in the step [N·s].
    pub normal_impulse: Real,
    /// Where they meet; none for a sensor.
    pub at: Option<TouchPoint>,
    /// Does a contact carry an impulse, or do they overlap?
    is_touching: bool,
    /// Impulse of the contact that `at` tells about [N·s].
    largest: Real,
}

/// Pairs that may touch and are worth a task: each takes a quarter as long as to measure it.
const TOUCHES_MIN: usize = 4 * PAIRS_MIN;

/// The touches of the last step.
#[derive(Clone, Debug, Default)]
pub struct Touches {
    pub(crate) list: Vec<Touch>,
    /// Buffer of the same.
    last: Vec<Touch>,
    started: Vec<u32>,
    ended: Vec<Touch>,
    /// Buffers: the touches of the pairs that were looked at, of which those are left that begin; places of
    /// near pairs, then in the list of what was known of the same bodies; those of the touches that end.
    new: Vec<Touch>,
    asked: Vec<u32>,
    dropped: Vec<u32>,
}

impl Touches {
    /// All touches, ascending by key.
    #[must_use]
    pub fn all(&self) -> &[Touch] {
        &self.list
    }

    /// The touches that began with the last step, ascending by key.
    pub fn started(&self) -> impl Iterator<Item = &Touch> {
        self.started.iter().map(|&i| &self.list[i as usize])
    }

    /// The touches that ended with the last step, as they were before it, ascending by key.
    #[must_use]
    pub fn ended(&self) -> &[Touch] {
        &self.ended
    }

    /// A step that was refused begins and ends nothing.
    pub(in crate::engine) fn settle(&mut self) {
        self.started.clear();
        self.ended.clear();
    }

    /// Finds the touches after a step. `margin` is how far apart (m) colliders must be to part, `dt` the time
    /// (s) in which forces accelerate bodies, if they do.
    pub(in crate::engine) fn update(
        &mut self,
        pairs: &Pairs,
        bodies: &[Body],
        motions: &[Motion],
        (margin, dt): (Real, Option<Real>),
        pool: &dyn Pool,
    ) {
        self.settle();
        let near = pairs.heads_seen();
        let near = near.filter(|(_, head)| head.separation <= margin || head.contacts > 0);
        fill_from(&mut self.asked, near.map(|(p, _)| p));
        self.new.clear();
        let size = pool.part(self.asked.len(), TOUCHES_MIN);
        // On one thread they are found where they are kept.
        let mut lists = [core::mem::take(&mut self.new)].into_iter();
        let parts = self.asked.chunks(size).map(|part| (part, lists.next().unwrap_or_default()));
        let mut parts: SmallVec<[_; JOBS]> = parts.collect();
        pool.run(&mut parts, 1, |parts| {
            for (part, new) in parts {
                for part in part.chunks(ABREAST) {
                    let near = part.iter().map(|&p| &*pairs.list[p as usize]);
                    fetch(near.clone());
                    new.extend(near.filter_map(|pair| touch(pair, bodies, motions, margin, dt)));
                }
            }
        });
        let mut found = parts.into_iter().map(|(_, new)| new);
        self.new = found.next().or_else(|| lists.next()).unwrap_or_default();
        found.for_each(|new| self.new.extend(new));
        self.new.sort_unstable_by_key(|touch| touch.key);
        self.new.dedup_by(|new, kept| new.key == kept.key && kept.absorb(new));
        self.ask(pairs);
        self.compare();
        if !(self.new.is_empty() && self.dropped.is_empty()) {
            self.merge();
        }
    }

    /// Checks that they are what all pairs tell.
    #[cfg(any(test, feature = "validate"))]
    pub(in crate::engine) fn check(
        &self,
        pairs: &[Box<Pair>],
        bodies: &[Body],
        motions: &[Motion],
        margin: Real,
        dt: Option<Real>,
    ) {
        let near = pairs.iter().filter(|p| p.separation <= margin || !p.contacts.is_empty());
        let mut all: Vec<_> = near.filter_map(|p| touch(p, bodies, motions, margin, dt)).collect();
        all.sort_unstable_by_key(|touch| touch.key);
        all.dedup_by(|new, kept| new.key == kept.key && kept.absorb(new));
        let known = |touch: &Touch| self.list.binary_search_by_key(&touch.key, |touch| touch.key);
        all.retain(|touch| touch.is_touching || known(touch).is_ok());
        assert_eq!(self.list, all, "touches are those of all pairs");
    }

    /// Finds the touches of bodies whose pairs are looked at or went: all, if all pairs are.
    fn ask(&mut self, pairs: &Pairs) {
        let Self { list, asked, .. } = self;
        asked.clear();
        if pairs.seen.len() == pairs.list.len() {
            asked.extend(0..list.len() as u32);
            return;
        }
        let mut at = 0;
        for bodies in pairs.bodies_seen() {
            if list.get(at).is_some_and(|touch| touch.key.bodies < bodies) {
                at += list[at..].partition_point(|touch| touch.key.bodies < bodies);
            }
            while list.get(at).is_some_and(|touch| touch.key.bodies == bodies) {
                asked.push(at as u32);
                at += 1;
            }
        }
        for bodies in pairs.gone.iter().map(|key| [key.a, key.b]) {
            let at = list.partition_point(|touch| touch.key.bodies < bodies);
            let known = list[at..].iter().take_while(|touch| touch.key.bodies == bodies);
            asked.extend((at as u32..).zip(known).map(|(place, _)| place));
        }
        if !pairs.gone.is_empty() {
            asked.sort_unstable();
            asked.dedup();
        }
    }

    /// Takes over those that go on; finds those that end, and of the others those that touch, which begin.
    fn compare(&mut self) {
        let Self { list, asked, new, ended, dropped, .. } = self;
        dropped.clear();
        let mut old = asked.iter().map(|&place| place as usize).peekable();
        new.retain(|touch| {
            while let Some(place) = old.next_if(|&place| list[place].key < touch.key) {
                ended.push(list[place]);
                dropped.push(place as u32);
            }
            match old.next_if(|&place| list[place].key == touch.key) {
                Some(place) => list[place] = *touch,
                None => return touch.is_touching,
            }
            false
        });
        for place in old {
            ended.push(list[place]);
            dropped.push(place as u32);
        }
    }

    /// Puts those that begin into the list, and takes out those that end.
    fn merge(&mut self) {
        let Self { list, last, started, new, dropped, .. } = self;
        core::mem::swap(list, last);
        list.clear();
        let (mut starts, mut ends) = (new.iter().peekable(), dropped.iter().peekable());
        for (place, touch) in (0..).zip(&*last) {
            while let Some(start) = starts.next_if(|start| start.key < touch.key) {
                started.push(list.len() as u32);
                list.push(*start);
            }
            if ends.next_if_eq(&&place).is_none() {
                list.push(*touch);
            }
        }
        for start in starts {
            started.push(list.len() as u32);
            list.push(*start);
        }
    }
}

impl Touch {
    /// Adds what another pair of pieces of the same colliders tells; true.
    fn absorb(&mut self, other: &Self) -> bool {
        self.impulse += other.impulse;
        self.normal_impulse += other.normal_impulse;
        self.is_touching |= other.is_touching;
        let nearer = match (&self.at, &other.at) {
            (Some(mine), Some(its)) => {
                other.largest > self.largest
                    || (other.largest == self.largest && its.gap < mine.gap)
            }
            (mine, _) => mine.is_none(),
        };
        if nearer {
            (self.at, self.largest) = (other.at, other.largest);
        }
        true
    }
}

/// Speed after a way (m) with a speed at its start [m/s] and an acceleration [m/s²]: `√(v² + 2 a s)`; the
/// one at the start if it does not approach.
fn met_at(start: Real, acceleration: Real, way: Real) -> Real {
    let square = start * start + 2.0 * acceleration * way;
    if start > 0.0 && square > 0.0 { square.sqrt() } else { start }
}

/// What a pair of pieces tells; none if they are too far apart to touch.
fn touch(
    pair: &Pair,
    bodies: &[Body],
    motions: &[Motion],
    margin: Real,
    dt: Option<Real>,
) -> Option<Touch> {
    let key = TouchKey { bodies: [pair.key.a, pair.key.b], tags: pair.tags };
    let overlaps = pair.separation <= 0.0;
    let mut touch = Touch { key, sensor: pair.sensor, is_touching: overlaps, ..Touch::default() };
    if pair.sensor {
        return Some(touch);
    }
    let center = bodies[pair.bodies[0] as usize].center();
    let [motion_a, motion_b] = pair.bodies.map(|i| &motions[i as usize]);
    let mut at: Option<&ActiveContact> = None;
    for contact in &pair.contacts {
        let impulse = narrow3(contact.impulse[1]);
        let along = impulse.dot(contact.normal).max(0.0) + 0.0;
        touch.impulse += impulse;
        touch.normal_impulse += along;
        touch.is_touching |= along > 0.0 || contact.gap <= 0.0;
        let first = at.is_none_or(|at| {
            along > touch.largest || (along == touch.largest && contact.gap < at.gap)
        });
        if first {
            (at, touch.largest) = (Some(contact), along);
        }
    }
    if !(touch.is_touching || at.is_some_and(|at| at.gap <= margin)) {
        return None;
    }
    touch.at = at.map(|contact| {
        let [mean, half] = contact.parting([motion_a, motion_b]).map(|v| -contact.normal.dot(v));
        let [half, acceleration] = dt.map_or([0.0; 2], |dt| [half, 2.0 * half / dt]);
        TouchPoint {
            point: center + contact.arms[0],
            normal: contact.normal,
            speed: met_at(mean - half, acceleration, contact.gap.max(0.0)),
            gap: contact.gap,
        }
    });
    Some(touch)
}
