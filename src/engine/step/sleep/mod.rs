//! Sleeping: islands at rest stay out of the step until something happens to them.
//!
//! Input: a finished step. Output: which islands fell asleep. An island does when all its bodies have
//! been slower than two thresholds for some time, in the velocities that they carry and in those that
//! moved them, and in equilibrium: in that time the velocities that the solver gave them did not change but
//! for a slight acceleration. It does not while one of its bodies may not, or while it touches something that
//! is moved by hand or a running belt. So nothing sleeps at the top of its path, in mid-swing or at the start
//! of a slow fall; what trembles by the error of the impulses is watched for longer, until that tells.
//!
//! Asleep, velocities are zero and everything else is kept: poses, portals, contacts and joints with the
//! impulses of both solves, touches. So an island that is woken goes on where it stopped. No forces act
//! on it, its pairs are not measured, it has no rows and is not integrated. It wakes
//!
//! - before the step, when one of its bodies, joints or contacts was changed, or whatever it touched was
//!   changed or removed; when another force than the one it fell asleep under, or an impulse, acts on
//!   it; with all others when gravity or the contact settings change; or when it is told to;
//! - within the step, after the narrow phase, when a contact or joint connects it with something awake
//!   or moved by hand. Then the pairs of the island are measured, until no sleeper is touched: the step
//!   is the one that it would have been had the island been awake.
//!
//! Islands are named by their first body and wake in the order of their names. Cost: a sleeper has its
//! boxes in the broad phase and a place in the lists of pairs and touches, none of which are looked at;
//! otherwise nothing is done for it but to pass over a byte. Falling asleep and waking are O(pairs) for each
//! round. Not here: islands that are large and mostly at rest are not split.

mod fall;

use std::collections::BTreeMap;

pub(in crate::engine) use self::fall::Finished;

use super::islands::{DisjointSets, NO_BODY};
use super::unchanged::Touching;
use crate::engine::settings::{ContactSettings, Settings, SleepSettings};
use crate::engine::state::bodies::Bodies;
use crate::engine::state::body::{Body, BodyId, LockedAxes};
use crate::engine::state::contact::warm_start;
use crate::engine::state::joint::{Joint, Joints};
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::{Pair, Pairs, is_dormant};
use crate::math::{Real, Vec3, widen};

/// What a user can change of a body that stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Properties {
    version: u32,
    edits: u32,
    linear_velocity: Vec3,
    angular_velocity: Vec3,
    factors: [Real; 3],
    locked_axes: LockedAxes,
    dominance: i8,
    swept: bool,
    can_sleep: bool,
}

impl Properties {
    fn of(body: &Body) -> Self {
        Self {
            version: body.version(),
            edits: body.sleep.edits,
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
            factors: [body.gravity_scale, body.linear_damping, body.angular_damping],
            locked_axes: body.locked_axes,
            dominance: body.dominance,
            swept: body.swept,
            can_sleep: body.can_sleep,
        }
    }
}

/// What islands are made of, and the length of the step that their impulses are of.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) bodies: &'a mut Bodies,
    pub(crate) pairs: &'a mut Pairs,
    pub(crate) joints: &'a mut Joints,
    /// Length of the step before the one under way, of the last one between steps (s).
    pub(crate) dt_last: Real,
}

/// An island that sleeps.
#[derive(Clone, Debug)]
pub(crate) struct SleepingIsland {
    /// Its bodies, ascending; the first is its name.
    pub(crate) members: Vec<BodyId>,
    /// Length of the step after which it fell asleep (s): its impulses are of that.
    pub(crate) dt: Real,
}

/// All sleeping islands, and what may wake them.
#[derive(Clone, Debug, Default)]
pub struct Sleepers {
    /// By name. A tree: many may fall asleep or wake at once, between many others.
    pub(crate) islands: BTreeMap<BodyId, SleepingIsland>,
    /// Names of the islands that are to wake.
    wake: Vec<BodyId>,
    /// Bodies that are to sleep, asked for during a step.
    tired: Vec<BodyId>,
    /// Bodies that were handed out to be changed, as they were before.
    edited: Vec<(BodyId, Properties)>,
    /// Bodies whose neighbors are to wake.
    disturbed: Vec<BodyId>,
    /// Sleepers under a steady force.
    forced: Vec<BodyId>,
    /// Bodies that woke within this step.
    woken: Vec<BodyId>,
    /// Number of bodies asleep.
    count: usize,
    /// Gravity and contact settings of the last step.
    pub(crate) last: Option<(Vec3, ContactSettings)>,
    settings: SleepSettings,
    /// Buffer: which islands of this step are ready to sleep.
    ready: Vec<bool>,
}

impl Sleepers {
    /// The islands that sleep, each a list of bodies in ascending order; in order of their first bodies.
    pub fn islands(&self) -> impl ExactSizeIterator<Item = &[BodyId]> {
        self.islands.values().map(|island| island.members.as_slice())
    }

    /// Number of bodies asleep.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Takes note that a body may be changed. During a step an awake one has not come to rest then.
    pub(in crate::engine) fn note(&mut self, body: &mut Body, in_step: bool) {
        if body.moves() && !body.is_sleeping() {
            if in_step {
                body.sleep.idle = 0.0;
            }
        } else if (in_step || !self.islands.is_empty()) && !body.sleep.noted {
            body.sleep.noted = true;
            self.edited.push((body.id(), Properties::of(body)));
        }
    }

    /// Takes note that a pair was changed: its sleepers are to wake.
    pub(in crate::engine) fn mark_pair(&mut self, pair: &Pair, bodies: &Bodies) {
        for id in [pair.key.a, pair.key.b] {
            self.wake.extend(bodies.get(id).and_then(|body| body.sleep.asleep));
        }
    }

    /// Takes an island off the list.
    fn take(&mut self, name: BodyId) -> Option<SleepingIsland> {
        let island = self.islands.remove(&name)?;
        self.count -= island.members.len();
        Some(island)
    }

    /// Puts bodies, ascending and none of them asleep, to sleep as one island.
    pub(crate) fn put(&mut self, members: Vec<BodyId>, dt: Real, bodies: &mut Bodies) {
        let Some(&name) = members.first() else { return };
        for &id in &members {
            let Some(body) = bodies.get_mut(id) else { continue };
            body.linear_velocity = Vec3::ZERO;
            body.angular_velocity = Vec3::ZERO;
            body.drop_forces();
            body.sleep.asleep = Some(name);
            body.sleep.idle = 0.0;
            if body.sleep.steady != (Vec3::ZERO, Vec3::ZERO) {
                self.forced.push(id);
            }
        }
        self.count += members.len();
        self.islands.insert(name, SleepingIsland { members, dt });
    }

    /// Takes note that a body is to be put to sleep when the step ends.
    pub(in crate::engine) fn tire(&mut self, id: BodyId) {
        self.tired.push(id);
    }

    /// Puts a body to sleep with everything that it is connected with, after a step of length `dt` (s); false
    /// if one may not.
    pub(in crate::engine) fn put_connected(
        &mut self,
        id: BodyId,
        parts: &mut Parts<'_>,
        dt: Real,
    ) -> bool {
        let members = parts.connected(id);
        let may = |id: &BodyId| parts.bodies.get(*id).is_some_and(|body| body.can_sleep);
        if !members.iter().all(may) {
            return false;
        }
        members.iter().for_each(|&id| self.mark_body(id, parts.bodies));
        self.wake(parts);
        self.put(members, dt, parts.bodies);
        true
    }

    /// Takes note that the island of a body is to wake or, if it is awake, has not come to rest.
    pub(in crate::engine) fn mark_body(&mut self, id: BodyId, bodies: &mut Bodies) {
        let Some(body) = bodies.get_mut(id) else { return };
        body.sleep.idle = 0.0;
        self.wake.extend(body.sleep.asleep);
    }

    /// Takes note that a body is about to be removed.
    pub(in crate::engine) fn mark_removed(
        &mut self,
        id: BodyId,
        bodies: &mut Bodies,
        in_step: bool,
    ) {
        if !self.islands.is_empty() || in_step {
            self.mark_body(id, bodies);
            self.disturbed.push(id);
        }
    }

    /// Before a step: wakes the islands to which something happened since the last.
    pub(in crate::engine) fn wake_edited(&mut self, settings: &Settings, parts: &mut Parts<'_>) {
        let now = Some((settings.gravity, settings.contact));
        let last = core::mem::replace(&mut self.last, now);
        let changed = last.is_some() && last != now;
        if changed {
            parts.pairs.forget_measurements();
        }
        self.settings = settings.sleep;
        self.mark_edits(parts.bodies);
        if changed || !settings.sleep.enabled {
            self.wake.extend(self.islands.keys());
        }
        self.mark_disturbed(parts);
        self.wake(parts);
    }

    /// Judges what was done to the bodies that were handed out, and steady forces.
    pub(crate) fn mark_edits(&mut self, bodies: &mut Bodies) {
        let Self { edited, forced, wake, disturbed, .. } = self;
        for (id, before) in edited.drain(..) {
            let Some(body) = bodies.get_mut(id) else { continue };
            body.sleep.noted = false;
            if Properties::of(body) != before || (body.is_sleeping() && body.is_pushed_anew()) {
                wake.extend(body.sleep.asleep);
                disturbed.push(id);
            }
        }
        forced.retain(|&id| {
            let Some(body) = bodies.get(id).filter(|body| body.is_sleeping()) else {
                return false;
            };
            if body.is_pushed_anew() {
                wake.extend(body.sleep.asleep);
            }
            true
        });
    }

    /// Takes note of what touched or was joined with bodies that changed.
    pub(crate) fn mark_disturbed(&mut self, parts: &Parts<'_>) {
        if self.disturbed.is_empty() {
            return;
        }
        let mut disturbed = core::mem::take(&mut self.disturbed);
        disturbed.sort_unstable();
        let is_disturbed = |id: BodyId| disturbed.binary_search(&id).is_ok();
        for pair in parts.pairs.list.iter().filter(|pair| !pair.contacts.is_empty()) {
            if is_disturbed(pair.key.a) || is_disturbed(pair.key.b) {
                self.mark_pair(pair, parts.bodies);
            }
        }
        let asleep = |id| parts.bodies.get(id).and_then(|body| body.sleep.asleep);
        for desc in parts.joints.as_slice().iter().map(Joint::desc) {
            if desc.bodies().any(is_disturbed) {
                self.wake.extend(desc.bodies().filter_map(asleep));
            }
        }
        disturbed.clear();
        self.disturbed = disturbed;
    }

    /// Wakes the islands that are to wake; lists their bodies.
    pub(crate) fn wake(&mut self, parts: &mut Parts<'_>) {
        if self.wake.is_empty() {
            return;
        }
        let mut wake = core::mem::take(&mut self.wake);
        wake.sort_unstable();
        wake.dedup();
        let dt = parts.dt_last;
        let scale = |&name: &BodyId| Some((name, warm_start(dt, self.islands.get(&name)?.dt)));
        let scales = wake.iter().filter_map(scale).filter(|(_, scale)| *scale != 1.0);
        let scales: Vec<_> = scales.collect();
        if !scales.is_empty() {
            parts.scale_impulses(&scales);
        }
        for name in wake.drain(..) {
            let Some(island) = self.take(name) else { continue };
            for &id in &island.members {
                if let Some(body) = parts.bodies.get_mut(id) {
                    (body.sleep.asleep, body.sleep.idle) = (None, 0.0);
                }
            }
            self.woken.extend(island.members);
        }
        self.wake = wake;
    }

    /// Within a step: wakes the islands that are to wake, and marks their pairs. Returns their bodies,
    /// ascending, which have no motions yet.
    pub(in crate::engine) fn wake_in_step(&mut self, parts: &mut Parts<'_>) -> &[BodyId] {
        self.woken.clear();
        self.wake(parts);
        if !self.woken.is_empty() {
            self.woken.sort_unstable();
            parts.pairs.wake(|id| self.woken.binary_search(&id).is_ok());
        }
        &self.woken
    }

    /// The bodies that [`rouse`](Self::rouse) woke.
    pub(in crate::engine) fn woken(&self) -> &[BodyId] {
        &self.woken
    }

    /// Takes note of the sleepers that something awake touches or is joined with, and of those that
    /// newly overlap something by more than `margin` (m); false if there is none.
    pub(in crate::engine) fn mark_touched(
        &mut self,
        bodies: &Bodies,
        motions: &[Motion],
        pairs: &Pairs,
        joint_bodies: &[[u32; 2]],
        margin: Real,
    ) -> bool {
        if self.islands.is_empty() {
            return false;
        }
        for (p, head) in pairs.heads_seen().filter(|(_, head)| head.contacts > 0) {
            let is_new = head.began == pairs.step;
            let intrudes = is_new && head.separation < -margin;
            if is_touched(motions, head.bodies) || (intrudes && is_dormant(head.bodies, motions)) {
                self.mark_pair(&pairs.list[p as usize], bodies);
            }
        }
        let joined = joint_bodies.iter().filter(|ends| !ends.contains(&NO_BODY));
        for &ends in joined.filter(|&&ends| is_touched(motions, ends)) {
            let names = ends.map(|i| bodies.as_slice()[i as usize].sleep.asleep);
            self.wake.extend(names.into_iter().flatten());
        }
        !self.wake.is_empty()
    }

    /// Lists the pairs that have contacts, of those looked at; takes note of dormant ones that were changed
    /// from outside, which wake before the next step. False if one of these pairs may touch elsewhere than in
    /// the last step.
    pub(in crate::engine) fn mark_touching(
        &mut self,
        bodies: &Bodies,
        motions: &[Motion],
        pairs: &mut Pairs,
        touching: &mut Vec<Touching>,
    ) -> bool {
        touching.clear();
        pairs.take_up_changes();
        let step = pairs.step;
        let mut unmoved = pairs.merged != step;
        for &p in &pairs.seen {
            let head = &mut pairs.heads[p as usize];
            unmoved &= (head.dormant || head.rows < step)
                && !head.bodies.iter().any(|&i| bodies.changes().is_new(i as usize));
            if head.mark_rows() {
                head.rows = step;
            }
            let changed = head.rows == step && head.began != step;
            if changed && is_dormant(head.bodies, motions) {
                self.mark_pair(&pairs.list[p as usize], bodies);
            }
            if head.contacts > 0 {
                let (bodies, contacts) = (head.bodies, head.contacts);
                let steady = head.rows < step && head.lasting;
                touching.push(Touching { pair: p, bodies, contacts, steady });
            }
        }
        unmoved
    }
}

impl Parts<'_> {
    /// The movable bodies that a body touched in the last step or is joined with, directly or through
    /// others, ascending; itself among them.
    fn connected(&self, id: BodyId) -> Vec<BodyId> {
        let mut sets = DisjointSets::default();
        let list = self.bodies.as_slice();
        sets.reset(list.len());
        let index = |id| self.bodies.index_of(id).filter(|&i| list[i].moves());
        let touching = self.pairs.list.iter().filter(|pair| !pair.contacts.is_empty());
        let touching = touching.map(|pair| (pair.key.a, pair.key.b));
        let joined = self.joints.iter(self.bodies).filter_map(|joint| match joint.desc.ends {
            [Some(a), Some(b)] if joint.desc.enabled => Some((a, b)),
            _ => None,
        });
        for (a, b) in touching.chain(joined) {
            if let (Some(i), Some(j)) = (index(a), index(b)) {
                sets.join(i as u32, j as u32);
            }
        }
        let Some(own) = index(id) else { return Vec::new() };
        let own = sets.find(own as u32);
        let moving = self.bodies.iter().filter(|body| body.moves()).map(Body::id);
        moving.filter(|&id| index(id).is_some_and(|i| sets.find(i as u32) == own)).collect()
    }

    /// Makes the impulses of sleeping islands those of a step of another length; `scales` is in ascending
    /// order of their names.
    fn scale_impulses(&mut self, scales: &[(BodyId, Real)]) {
        let bodies = &*self.bodies;
        let scale = |id| {
            let name = bodies.get(id)?.sleep.asleep?;
            let i = scales.binary_search_by_key(&name, |(name, _)| *name).ok()?;
            Some(widen(scales[i].1))
        };
        for pair in &mut self.pairs.list {
            let Some(scale) = scale(pair.key.a).or_else(|| scale(pair.key.b)) else { continue };
            let of_contacts = pair.contacts.iter_mut().map(|contact| &mut contact.impulse);
            of_contacts.for_each(|impulse| *impulse = impulse.map(|impulse| impulse * scale));
            let angular = pair.angular_impulses.iter_mut().map(|(_, impulse)| impulse);
            angular.for_each(|impulse| *impulse = impulse.map(|impulse| impulse * scale));
        }
        for joint in self.joints.as_mut_slice() {
            if let Some(scale) = joint.desc.bodies().find_map(scale) {
                joint.impulse = joint.impulse.map(|rows| rows.map(|impulse| impulse * scale));
            }
        }
    }
}

/// Does something awake or moved by hand meet a sleeper here?
fn is_touched(motions: &[Motion], bodies: [u32; 2]) -> bool {
    let [a, b] = bodies.map(|i| &motions[i as usize]);
    (a.asleep && b.is_active()) || (b.asleep && a.is_active())
}
