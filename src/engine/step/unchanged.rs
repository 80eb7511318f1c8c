//! Steady islands: those whose step would be the last one again, to the last bit.
//!
//! Input: bodies, motions, contacts and settings of this step and of the last. Output: the islands in which
//! none of them changed and whose last solution had been taken as it was. Such an island is neither assembled
//! nor solved: it keeps velocities, impulses and certificate, which solving would give again (tested). A
//! world at rest then costs a comparison for each body and each pair. Unlike sleeping it is no judgment:
//! nothing is slow enough, all is the same. Islands with joints are always solved. O(bodies + pairs).

use smallvec::SmallVec;

use super::integrate::state;
use super::islands::{Islands, NO_BODY, NO_ISLAND, marked};
use super::predict::predict_or_freeze;
use crate::engine::geometry::shape::share::Shapes;
use crate::engine::settings::Settings;
use crate::engine::state::bodies::Bodies;
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::motion::{Motion, Motions};
use crate::engine::state::pairs::Pairs;
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::math::{Real, fill_from, refill};
use crate::par::{JOBS, Pool};

/// What changed since the last step.
#[derive(Clone, Debug, Default)]
pub struct Steady {
    /// Settings and length (s) of the last step.
    last: Option<(Settings, Real)>,
    /// Which islands are steady.
    pub islands: Vec<bool>,
    /// Do all colliders touch as they did in the last step?
    pub touches: bool,
    /// Buffer: contacts of each island.
    contacts: Vec<u32>,
    /// Buffers: bodies that may have another motion, ascending, and what was found of each.
    asked: Vec<u32>,
    told: Vec<Told>,
}

/// Free motions that are worth a task: each takes half as long as to measure a pair, or a quarter.
const BODIES_MIN: usize = 4 * PAIRS_MIN;

/// What the free motion of a body tells of it.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    /// Did finding it change the body? Driven ones get their velocity then, broken ones are put back.
    changed: bool,
    /// Is it another than in the last step? A force may have acted that does not go on.
    differs: bool,
    broken: bool,
    reshaped: bool,
    /// See [`Motions`].
    moves: bool,
    active: bool,
}

impl Told {
    /// Finds the free motion of a body.
    fn predict(body: &mut Body, known: &mut Motion, settings: &Settings, dt: Real) -> Self {
        let (before, reshaped) = (state(body), body.reshaped);
        let (motion, broken) = predict_or_freeze(body, settings, dt);
        let differs = !motion.asleep && *known != motion;
        let (moves, active) = (motion.is_moved(), motion.is_active());
        *known = motion;
        Self { changed: state(body) != before, differs, broken, reshaped, moves, active }
    }

    /// Takes note of it.
    fn enter(
        self,
        i: usize,
        bodies: &mut Bodies,
        shapes: &mut Shapes,
        quarantined: &mut Vec<BodyId>,
    ) {
        if self.reshaped {
            bodies.as_mut_slice()[i].share_shapes(shapes);
        }
        if self.broken {
            quarantined.push(bodies.as_slice()[i].id());
        }
        if self.changed {
            bodies.mark_changed(i);
        }
        if self.differs {
            bodies.mark_motion(i);
        }
    }
}

/// A pair that has contacts.
#[derive(Clone, Copy, Debug)]
pub struct Touching {
    /// Its place in the list of pairs.
    pub pair: u32,
    /// Indices of its bodies.
    pub bodies: [u32; 2],
    /// Number of its contacts.
    pub contacts: u32,
    /// Are they, and the friction, those with which it was last solved?
    pub steady: bool,
}

impl Steady {
    /// In stage 1: the free motion of every body that may have another one than in the last step.
    pub(in crate::engine) fn predict(
        &mut self,
        bodies: &mut Bodies,
        motions: &mut Motions,
        shapes: &mut Shapes,
        (settings, dt): (&Settings, Real),
        quarantined: &mut Vec<BodyId>,
        pool: &dyn Pool,
    ) {
        let now = Some((*settings, dt));
        bodies.begin_step(self.last.replace((*settings, dt)) != now);
        let count = bodies.as_slice().len();
        motions.resize(count);
        let Self { asked, told, .. } = self;
        asked.clear();
        if bodies.changes().is_all_new() {
            asked.extend(0..count as u32);
        } else {
            asked.extend_from_slice(bodies.changes().last());
        }
        refill(told, asked.len(), Told::default());
        predict_all(asked, told, bodies.as_mut_slice(), &mut motions.list, (settings, dt), pool);
        for (&i, told) in asked.iter().zip(told) {
            let i = i as usize;
            told.enter(i, bodies, shapes, quarantined);
            (motions.moves[i], motions.active[i]) = (told.moves, told.active);
        }
    }

    /// After stage 4: finds the islands that are steady. `last` tells, for ascending first bodies, how
    /// many bodies and contacts had an island whose last solution had been taken as it was.
    pub(in crate::engine) fn find(
        &mut self,
        bodies: &Bodies,
        islands: &Islands,
        touching: &[Touching],
        joint_bodies: &[[u32; 2]],
        mut last: impl FnMut(BodyId) -> Option<[u32; 2]>,
    ) {
        let Self { islands: flags, contacts, .. } = self;
        let same = |i: u32| !bodies.changes().is_new(i as usize);
        flags.clear();
        let islands_same = |k: usize| islands.members_of(k).iter().all(|&i| same(i));
        flags.extend((0..islands.len()).map(islands_same));
        refill(contacts, islands.len(), 0);
        for pair in touching {
            let [a, b] = pair.bodies.map(|i| islands.island[i as usize]);
            let k = if a == NO_ISLAND { b } else { a };
            if k != NO_ISLAND {
                contacts[k as usize] += pair.contacts;
                flags[k as usize] &= pair.steady && pair.bodies.into_iter().all(same);
            }
        }
        for &i in joint_bodies.iter().flatten().filter(|&&i| i != NO_BODY) {
            if let Some(flag) = flags.get_mut(islands.island[i as usize] as usize) {
                *flag = false;
            }
        }
        for (k, flag) in flags.iter_mut().enumerate().filter(|(_, flag)| **flag) {
            let members = islands.members_of(k);
            let first = bodies.as_slice()[members[0] as usize].id();
            let now = [members.len() as u32, contacts[k]];
            *flag = last(first) == Some(now);
        }
        self.touches &= self.islands.iter().zip(&self.contacts).all(|(flag, n)| *flag || *n == 0);
    }
}

/// The free motions of some bodies, which are ascending, and what they tell.
fn predict_all(
    asked: &[u32],
    told: &mut [Told],
    mut bodies: &mut [Body],
    mut motions: &mut [Motion],
    (settings, dt): (&Settings, Real),
    pool: &dyn Pool,
) {
    let size = pool.part(asked.len(), BODIES_MIN);
    let mut parts: SmallVec<[_; JOBS]> = SmallVec::new();
    let mut start = 0;
    for (asked, told) in asked.chunks(size).zip(told.chunks_mut(size)) {
        // What lies before the last one is of no later part.
        let count = asked[asked.len() - 1] as usize + 1 - start;
        let bodies = bodies.split_off_mut(..count).unwrap_or_default();
        let motions = motions.split_off_mut(..count).unwrap_or_default();
        parts.push((asked, told, bodies, motions, start));
        start += count;
    }
    pool.run(&mut parts, 1, |parts| {
        for (asked, told, bodies, motions, start) in parts {
            for (&i, told) in asked.iter().zip(&mut **told) {
                let k = i as usize - *start;
                *told = Told::predict(&mut bodies[k], &mut motions[k], settings, dt);
            }
        }
    });
}

/// In stage 3: the free motion of bodies that woke within the step.
pub(in crate::engine) fn predict_woken(
    woken: &[BodyId],
    bodies: &mut Bodies,
    motions: &mut Motions,
    settings: &Settings,
    dt: Real,
    quarantined: &mut Vec<BodyId>,
) {
    for &id in woken {
        let Some(i) = bodies.index_of(id) else { continue };
        let (motion, broken) = predict_or_freeze(&mut bodies.as_mut_slice()[i], settings, dt);
        if broken {
            quarantined.push(id);
        }
        motions.list[i] = motion;
        (motions.moves[i], motions.active[i]) = (motion.is_moved(), motion.is_active());
    }
}

/// For stage 2: lists the bodies that move or may be others than when the last step began. `marks` is a
/// buffer.
pub(in crate::engine) fn find_movers(
    bodies: &Bodies,
    motions: &Motions,
    marks: &mut Vec<bool>,
    movers: &mut Vec<u32>,
) {
    let changes = bodies.changes();
    marks.clone_from(&motions.active);
    if changes.is_all_new() {
        marks.fill(true);
    }
    for &i in changes.last().iter().chain(changes.recent()) {
        // One that came since has no motion yet.
        if let Some(mark) = marks.get_mut(i as usize) {
            *mark = true;
        }
    }
    fill_from(movers, marked(marks).map(|i| i as u32));
}

/// In stage 8: looks at the pairs of what stands still and was changed while the step was under way.
pub(in crate::engine) fn look_at_edited(pairs: &mut Pairs, bodies: &Bodies, active: &[bool]) {
    let stands = |i: usize| active.get(i) == Some(&false);
    let changes = bodies.changes();
    if changes.recent().iter().any(|&i| stands(i as usize)) {
        pairs.look(|i| changes.is_recent(i) && stands(i));
    }
}
