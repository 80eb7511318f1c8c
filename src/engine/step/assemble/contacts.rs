//! Contacts of an island in manifolds.
//!
//! Input: the pairs of an island with their contacts. Output: [`Manifold`]s of up to four contacts of one
//! pair with one normal, in the order of pairs and contacts, and where each contact came from. O(contacts).
//!
//! A contact of a large island has no row if the step does not close its gap, see `reach.rs`. Those beyond
//! four of a pair have theirs: they are 4 to 6 % in heaps of boxes and hulls, and without them the
//! certificate would be that of another problem.

use super::reach::FarContact;
use super::{Sources, StepProblem, imposed, pushed};
use crate::engine::lcp::manifold::{LANES, Manifold};
use crate::engine::lcp::{Cone, FIXED};
use crate::engine::settings::{ActiveEvents, Settings};
use crate::engine::state::contact::{ActiveContact, Blow, ContactCarrier};
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::{ABREAST, Pair, fetch};
use crate::engine::step::predict::planar_axis;
use crate::engine::tuning::newton::AT_REST;
use crate::math::{DVec3, Double, Real, Vec3, fill_from, tangents, widen, widen3};

/// What the contacts of a pair go with.
fn carrier(pair: &Pair) -> impl Fn(&ActiveContact) -> ContactCarrier {
    let (bodies, measured) = (pair.bodies, pair.measured.as_ref());
    let (small, trail) = measured.map_or((0, false), |m| (m.small, m.trail.is_some()));
    move |contact| ContactCarrier {
        bodies,
        cores: trail.then_some(contact.cores),
        corners: contact.id.corners(),
        small,
    }
}

/// The impulse that a contact starts with in the biased (0) or the relaxed (1) solve of a step as long as the
/// last.
fn warm_start(contact: &ActiveContact, of: usize) -> DVec3 {
    match contact.blow {
        Blow::None | Blow::Unknown => contact.impulse[of],
        Blow::Near => contact.impulse[0],
        Blow::Hit => DVec3::ZERO,
    }
}

impl StepProblem {
    /// Contacts of island `k`, sorted by pair, then contact.
    pub(super) fn add_contacts(&mut self, sources: &Sources<'_>, settings: &Settings, k: usize) {
        let first = self.contact_source.len();
        let bodies = sources.islands.start[k] as usize..sources.islands.start[k + 1] as usize;
        let range = self.pairs_of.range(k);
        let touching = |of: &Self, i: usize| sources.touching[of.pairs_of.items[i] as usize];
        let edges = range.clone().map(|i| touching(self, i).bodies);
        let turned = is_turned(sources.motions, edges);
        let begin = self.manifolds.len();
        let mut pushes = 0.0;
        self.find_reach(sources, settings, k, range.clone());
        let mut near = core::mem::take(&mut self.near);
        let crowded = self.thin_crowd(sources, range.clone(), bodies.len());
        let scale = widen(sources.dt_ratio);
        for i in range.clone() {
            if (i - range.start).is_multiple_of(ABREAST) {
                let part = i..(i + ABREAST).min(range.end);
                fetch(part.map(|i| &*sources.pairs[touching(self, i).pair as usize]));
            }
            let p = touching(self, i).pair;
            let pair = &sources.pairs[p as usize];
            if crowded && !self.kept[i - range.start] {
                self.left_out.push(p);
                continue;
            }
            let maker = ManifoldBuilder::new(sources, settings, pair, bodies.len(), turned);
            self.find_near(&mut near, &maker, p);
            let mut rest = &near[..];
            while !rest.is_empty() {
                let contacts;
                (contacts, rest) = rest.split_at(maker.alike(rest));
                let start = (self.contact_source.len() - first) as u32;
                // Filled where it stays: what was just written in parts is slow to copy as a whole.
                let at = self.manifolds.len();
                self.manifolds.push(maker.empty(start));
                let manifold = &mut self.manifolds[at];
                maker.fill(manifold, contacts);
                pushes += manifold.push_speed();
                manifold.find_compliance(&self.bodies[bodies.clone()]);
                let index = self.contact_source.len();
                self.contact_source.extend(contacts.iter().map(|&c| [p, c]));
                let contacts = contacts.iter().map(|&c| &maker.contacts[c as usize]);
                self.contact_carriers.extend(contacts.clone().map(carrier(pair)));
                let starts = |of: usize| {
                    contacts.clone().map(move |c| (warm_start(c, of) * scale).to_array())
                };
                self.biased.contact_impulse.extend(starts(0));
                self.relaxed.contact_impulse.extend(starts(1));
                if pair.rolling > 0.0 || pair.spinning > 0.0 {
                    let manifold = self.manifolds[at];
                    for (index, contact) in (index..).zip(contacts) {
                        self.add_rolling(sources, pair, contact, &manifold, index, first);
                    }
                }
            }
        }
        self.blows.resize(self.contact_source.len(), Blow::None);
        self.near = near;
        if pushes > 2.0 * widen(settings.contact.push_speed_max) {
            self.part_crowd(sources, settings, [begin, first], bodies.len());
        }
    }

    /// Finds the contacts of a pair that get rows.
    fn find_near(&mut self, near: &mut Vec<u32>, maker: &ManifoldBuilder<'_>, p: u32) {
        let all = 0..maker.contacts.len() as u32;
        let Some(blow) = self.reach.blow(|| maker.ends()) else {
            fill_from(near, all);
            return;
        };
        near.clear();
        for (c, contact) in all.zip(maker.contacts) {
            if maker.reaches(contact, blow) {
                near.push(c);
                continue;
            }
            self.far.push(maker.far(contact));
            if contact.blow == Blow::Unknown {
                self.far_new.push([p, c]);
            }
        }
    }
}

/// What the manifolds of a pair have in common.
struct ManifoldBuilder<'a> {
    sources: &'a Sources<'a>,
    settings: &'a Settings,
    pair: &'a Pair,
    /// Its contacts: asked for once, since a list looks each time where it keeps them.
    contacts: &'a [ActiveContact],
    motions: [&'a Motion; 2],
    pushed: [bool; 2],
    /// Number of bodies of the island.
    bodies: usize,
    /// See [`is_turned`].
    turned: bool,
    /// Can its contacts have a drift?
    drifts: bool,
}

impl<'a> ManifoldBuilder<'a> {
    fn new(
        sources: &'a Sources<'a>,
        settings: &'a Settings,
        pair: &'a Pair,
        bodies: usize,
        turned: bool,
    ) -> Self {
        let motions = pair.bodies.map(|i| &sources.motions[i as usize]);
        let (contacts, pushed) = (pair.contacts.as_slice(), pushed(sources, pair));
        let drifts = turned || pushed != [true; 2] || pair.surface_velocity != Vec3::ZERO;
        Self { sources, settings, pair, contacts, motions, pushed, bodies, turned, drifts }
    }

    /// How many of the first contacts share a manifold: those of one normal. Under a pyramid, whose
    /// tangents follow the slip of each contact, only the first.
    fn alike(&self, near: &[u32]) -> usize {
        if matches!(self.settings.solver.cone, Cone::Pyramid(_)) {
            return 1;
        }
        let normal = self.contacts[near[0] as usize].normal;
        let same = near.iter().take(LANES);
        same.take_while(|&&c| self.contacts[c as usize].normal == normal).count().max(1)
    }

    /// The bodies of the island that its impulses act on.
    fn ends(&self) -> [u32; 2] {
        let local = |i: u32| self.sources.islands.local[i as usize];
        let [a, b] = self.pair.bodies;
        [(a, self.pushed[0]), (b, self.pushed[1])].map(|(i, is)| if is { local(i) } else { FIXED })
    }

    /// A manifold without contacts, of which the first will be the contact `first` of the island.
    fn empty(&self, first: u32) -> Manifold {
        let [a, b] = self.ends();
        Manifold::new(a, b, self.bodies, first)
    }

    /// Can the step close the gap of a contact, to whose bodies a blow without restitution gives this speed?
    fn reaches(&self, contact: &ActiveContact, blow: Real) -> bool {
        let [mean, lead] = contact.parting(self.motions).map(|v| contact.normal.dot(v));
        let closing = -mean.min(mean + lead).min(0.0);
        let blow = (1.0 + self.pair.restitution) * blow;
        contact.impulse != [DVec3::ZERO; 2]
            || contact.gap <= self.settings.contact.margin + self.sources.dt * (closing + blow)
    }

    /// A contact without a row.
    fn far(&self, contact: &ActiveContact) -> FarContact {
        let normal = widen3(contact.normal);
        let apart =
            contact.row_gap / widen(self.sources.dt) + normal.dot(self.drift(contact, normal));
        FarContact { bodies: self.ends(), normal: contact.normal, arms: contact.arms, apart }
    }

    /// Gives it contacts of one normal.
    fn fill(&self, manifold: &mut Manifold, near: &[u32]) {
        let (pair, sources) = (self.pair, self.sources);
        let first = &self.contacts[near[0] as usize];
        let normal = widen3(first.normal).normalize();
        let tangent = widen3(self.tangent(first));
        manifold.normal = normal.to_array();
        // At a right angle in double precision as well.
        manifold.tangent = (tangent - normal * normal.dot(tangent)).normalize().to_array();
        manifold.friction = widen(self.settings.contact.friction.unwrap_or(pair.friction));
        manifold.restitution = widen(pair.restitution);
        let arms = first.arms.map(widen3);
        (manifold.arm_a, manifold.arm_b) = (arms[0].to_array(), arms[1].to_array());
        // The shorter arm is the more accurate one.
        let shorter = usize::from(arms[1].length_squared() < arms[0].length_squared());
        manifold.count = near.len() as u32;
        manifold.passes = pair.passes;
        manifold.push_max = widen(self.settings.contact.push_speed_max);
        for (lane, &c) in near.iter().enumerate() {
            let contact = &self.contacts[c as usize];
            let point = widen3(contact.arms[shorter]) - arms[shorter];
            (0..3).for_each(|k| manifold.point[k][lane] = point[k]);
            if self.drifts {
                let drift = self.drift(contact, normal);
                (0..3).for_each(|k| manifold.drift[k][lane] = drift[k]);
            }
            manifold.gap[lane] = contact.row_gap;
            let parting = || {
                let [mean, lead] = contact.parting(self.motions);
                contact.normal.dot(mean) - contact.normal.dot(lead)
            };
            [manifold.bias[lane], manifold.push[lane]] =
                normal_bias(contact, parting, self.settings, sources.dt);
        }
    }

    /// Relative velocity at a contact beside that of the bodies it pushes.
    fn drift(&self, contact: &ActiveContact, normal: DVec3) -> DVec3 {
        // Of a belt and of curved paths only the part along the surface counts.
        let along = |v: DVec3| v - normal * normal.dot(v);
        let mut drift = DVec3::ZERO;
        if self.pair.surface_velocity != Vec3::ZERO {
            drift += along(widen3(self.pair.surface_velocity));
        }
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if !self.pushed[side] {
                let [vx, vy, vz, x, y, z] = imposed(self.sources, self.pair.bodies[side] as usize);
                let turn = DVec3::new(x, y, z).cross(widen3(contact.arms[side]));
                drift += (DVec3::new(vx, vy, vz) + turn) * sign;
            }
        }
        if self.settings.contact.active == ActiveEvents::Clipped {
            drift += curve(self.motions, contact, self.sources.dt, self.turned, [true; 2]);
        }
        drift
    }

    /// First tangent of a contact: in the plane of motion for planar bodies; along the slip for a pyramid,
    /// whose corners then lie where friction acts; else along the world axes.
    fn tangent(&self, contact: &ActiveContact) -> Vec3 {
        let n = contact.normal;
        let [a, b] = self.motions;
        if let Some(axis) = planar_axis(a, b)
            && let Some(t1) = n.cross(axis).try_normalize()
        {
            return t1;
        }
        let aligned = self.settings.contact.active == ActiveEvents::Clipped
            && matches!(self.settings.solver.cone, Cone::Pyramid(_));
        if aligned {
            let slip = contact.parting(self.motions)[0] + self.pair.surface_velocity;
            let slip = slip - n * n.dot(slip);
            let seen = AT_REST * self.settings.solver.tolerance;
            if widen(slip.length()) > seen
                && let Some(t1) = slip.try_normalize()
            {
                return t1;
            }
        }
        tangents(n).0
    }
}

/// Normal bias of a contact, and the part of it that is not carried on; `parting` tells at what speed its
/// bodies part as the step begins.
fn normal_bias(
    contact: &ActiveContact,
    parting: impl FnOnce() -> Real,
    s: &Settings,
    dt: Real,
) -> [Double; 2] {
    let c = &s.contact;
    let (gamma, dt) = (widen(c.gamma), widen(dt));
    if matches!(c.active, ActiveEvents::Enumerated { .. }) {
        return [gamma * contact.row_gap / dt, 0.0];
    }
    let zone = widen(c.dead_zone) * dt * dt;
    let gap = contact.row_gap;
    if gap >= -zone {
        // What pushed in the last step still touches, so that trembling by less than the zone changes
        // nothing, and so does what passes over a seam to a new contact; what arrives comes all the way.
        let new = contact.blow == Blow::Unknown;
        let passed_on = new && gap <= zone && widen(parting()) * dt >= -zone;
        let near = if passed_on || contact.impulse[0] != DVec3::ZERO { zone } else { 0.0 };
        return [(gap - near).max(0.0) / dt, 0.0];
    }
    let push = ((gap + zone) * gamma / dt).max(-widen(c.push_speed_max));
    [push, if c.relax { push } else { 0.0 }]
}

/// Do these pairs of an island touch a driven body that turns?
pub(in crate::engine) fn is_turned(
    motions: &[Motion],
    mut pairs: impl Iterator<Item = [u32; 2]>,
) -> bool {
    pairs.any(|bodies| bodies.iter().any(|&i| drives(&motions[i as usize])))
}

fn drives(motion: &Motion) -> bool {
    !motion.moves && motion.angular != Vec3::ZERO
}

/// What the curvature of the paths of some sides adds to the mean relative velocity of a contact point over
/// the step, `h/2 (ω_b × (ω_b × r_b) - ω_a × (ω_a × r_a))` [m/s].
///
/// What a turning body carries follows a circle with it and not the tangent, on which it would creep
/// outwards by ω² r h² / 2 a step. So does what that carries, in an island that is `turned`, while both turn
/// as one. A roller turns by itself, on under what it moves: where spins differ by more than one of them
/// only tangents follow the circle.
pub(in crate::engine) fn curve(
    motions: [&Motion; 2],
    contact: &ActiveContact,
    dt: Real,
    turned: bool,
    sides: [bool; 2],
) -> DVec3 {
    if !turned {
        return DVec3::ZERO;
    }
    let spins = motions.map(|motion| widen3(motion.angular));
    let apart = (spins[1] - spins[0]).length_squared();
    let together = spins.iter().all(|spin| apart < spin.length_squared());
    if !together && !motions.iter().any(|motion| drives(motion)) {
        return DVec3::ZERO;
    }
    let inward = |k: usize| match sides[k] {
        true => spins[k].cross(spins[k].cross(widen3(contact.arms[k]))),
        false => DVec3::ZERO,
    };
    let sum = (inward(1) - inward(0)) * (0.5 * widen(dt));
    let normal = widen3(contact.normal).normalize();
    if together { sum } else { sum - normal * normal.dot(sum) }
}

#[cfg(test)]
mod tests;
