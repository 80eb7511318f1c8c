//! From pairs to contacts: the ratio metric and the active events of one pair of pieces.
//!
//! Input: a pair, its bodies and their free motion. Output: Φ and separation of the pair, and its
//! contacts: a world normal, arms from both centers, the gap, and the impulses of the last step, found
//! again by feature id. A pair depends on itself and its two bodies only, so the order does not matter.
//!
//! By default the normal is that of the ratio metric, or the neighbor that the motion separates first,
//! and the contacts are the clipped features within the band `ε = h v + h² |g| + margin`; rows act in the
//! middle between the touching points of the unscaled bodies. With the papers' events, every event of the
//! set (4.8) gives a row at the touching point of the scaled bodies, with its own value (4.17).

mod boxes;
pub mod clip;
pub mod collect;
mod context;
pub mod exposed;
pub(in crate::engine) mod flight;
pub mod half_space;
mod intersect;
mod lone;
pub mod mesh;
pub mod normal;
mod outline;
pub(in crate::engine) mod passing;
mod placed;
mod reuse;
mod slim;
pub(in crate::engine) mod smooth;
mod support;
#[cfg(test)]
mod tests;

use crate::engine::state::contact::ActiveContact;
use crate::engine::tuning::narrow::{SAME, SLACK};
use smallvec::SmallVec;

use super::ccd::swept::Swept;

use self::clip::find_contacts;
use self::collect::{Anchor, Manifold, Outlook};
pub use self::context::NarrowPhase;
use self::half_space::find_contacts_half_space;
use self::lone::LonePair;
use self::mesh::OnTriangle;
use self::normal::reference_normal;
pub(in crate::engine) use self::placed::Placed;
use super::predict::common_axis;
use crate::engine::geometry::ratio::{
    BoxQuery, Centers, Contact as Touching, FacetFound, Measured, Ratio, Relative, facets, is_long,
    measure, measure_half_space, near_centers, parting, still_apart,
};
use crate::engine::geometry::shape::HalfSpace;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::settings::ActiveEvents;
use crate::engine::state::collider::ConvexRef;
use crate::engine::state::measurement::{Clear, Due};
use crate::engine::state::pair_head::{Guard, Head};
use crate::engine::state::pair_runs::PairBatch;
use crate::engine::state::pairs::{ABREAST, Pair};
use crate::math::{Real, Vec3};

impl NarrowPhase<'_> {
    /// Measures pairs and finds their contacts, unless they can follow.
    pub(in crate::engine) fn update(&self, batch: &mut PairBatch<'_, Due>) {
        let mut boxes: SmallVec<[(usize, LonePair); ABREAST]> = SmallVec::new();
        let mut asked: SmallVec<[(BoxQuery, Touching); ABREAST]> = SmallVec::new();
        for k in 0..batch.due.len() {
            let (head, guard, pair, due) = batch.at(k);
            let Due { active, now, follow, .. } = due;
            if *follow && self.follows(head, &mut guard.clear, pair, now, *active) {
                continue;
            }
            match self.lone_pair(pair, due) {
                Some(two) => {
                    if two.apart.is_none() {
                        asked.push((two.query, pair.cache.contact));
                    }
                    boxes.push((k, two));
                }
                None => self.renew(head, guard, pair, due, |pair, clear| {
                    self.measure(pair, clear, self.band(*active));
                }),
            }
        }
        let mut found: SmallVec<[FacetFound; ABREAST]> = SmallVec::new();
        facets(&asked, |facet| found.push(facet));
        let mut found = found.into_iter();
        for (k, two) in &boxes {
            let (head, guard, pair, due) = batch.at(*k);
            let facet = if two.apart.is_none() { found.next() } else { None };
            self.renew(head, guard, pair, due, |pair, clear| {
                self.measure_boxes(pair, clear, two, facet);
            });
        }
    }

    /// Finds the contacts of a pair anew by measuring it.
    #[inline(always)]
    fn renew(
        &self,
        head: &mut Head,
        guard: &mut Guard,
        pair: &mut Pair,
        due: &Due,
        measure: impl FnOnce(&mut Pair, &mut Clear),
    ) {
        let clear = &mut guard.clear;
        (head.measured, head.rows) = (true, self.changes.began());
        let flights = self.flights_of(pair.bodies);
        let mut old: SmallVec<[ActiveContact; 32]> = SmallVec::new();
        old.extend_from_slice(&pair.contacts);
        pair.contacts.clear();
        pair.measured = self.measurement(flights, due, clear);
        pair.dropped = 0;
        pair.gap = Real::INFINITY;
        pair.separation = Real::INFINITY;
        pair.impact = Real::INFINITY;
        pair.passes = false;
        if due.same {
            measure(pair, clear);
        }
        if pair.contacts.is_empty() {
            pair.angular_impulses.clear();
        } else {
            if pair.measured.is_none_or(|measured| measured.trail.is_none()) {
                pair.contacts.iter_mut().for_each(|contact| contact.cores = [Vec3::ZERO; 2]);
            }
            pair.contacts.sort_unstable_by_key(|contact| contact.id);
            merge(&mut pair.contacts, common_axis(flights.map(|flight| flight.planar)));
            inherit(pair, &old);
        }
        head.take(pair);
    }

    /// Measures a pair by what its pieces are.
    fn measure(&self, pair: &mut Pair, clear: &mut Clear, band: Real) {
        let bodies = pair.bodies.map(|i| &self.bodies[i as usize]);
        let motions = pair.bodies.map(|i| &self.motions[i as usize]);
        let numbers = [pair.key.piece_a, pair.key.piece_b];
        let [Some(piece_a), Some(piece_b)] =
            [0, 1].map(|k| bodies[k].colliders().piece(numbers[k]))
        else {
            return;
        };
        let mut placed = Placed::new(bodies, motions, [&piece_a, &piece_b], band);
        let convex = [piece_a.convex, piece_b.convex];
        if let Some(measured) = &mut pair.measured {
            clear.set_levers([0, 1].map(|k| NarrowPhase::lever(convex[k], placed.arms[k])));
            measured.small = clear.small;
        }
        let swept = self.sweep(pair, convex, &placed);
        if let Swept::Hit(time) = swept {
            placed.advance(motions, time);
        }
        match (piece_a.convex, piece_b.convex) {
            // The step is free: a plane through a far face would stop what flies past it.
            _ if swept == Swept::Missed => {}
            (ConvexRef::Hull(x), ConvexRef::Hull(y)) => self.hulls(pair, clear, [x, y], &placed),
            (ConvexRef::Hull(x), ConvexRef::HalfSpace(p)) => {
                self.plane(pair, clear, x, p, &placed, 0);
            }
            (ConvexRef::HalfSpace(p), ConvexRef::Hull(y)) => {
                self.plane(pair, clear, y, p, &placed, 1);
            }
            (ConvexRef::Triangle(mesh, index), ConvexRef::Hull(hull)) => {
                self.triangle(pair, OnTriangle { mesh, index, hull, side: 0 }, &placed);
            }
            (ConvexRef::Hull(hull), ConvexRef::Triangle(mesh, index)) => {
                self.triangle(pair, OnTriangle { mesh, index, hull, side: 1 }, &placed);
            }
            (
                ConvexRef::HalfSpace(_) | ConvexRef::Triangle(..),
                ConvexRef::HalfSpace(_) | ConvexRef::Triangle(..),
            ) => {}
        }
        if let Swept::Hit(time) = swept {
            self.defer(pair, motions, time);
        }
    }

    /// Two hulls.
    fn hulls(&self, pair: &mut Pair, clear: &mut Clear, hulls: [&Hull; 2], placed: &Placed) {
        let [a, b] = hulls;
        let relative =
            Relative::new(Vec3::ZERO, placed.rotations[0], placed.offset(), placed.rotations[1]);
        if let ActiveEvents::Enumerated { eps_t, .. } = self.settings.contact.active {
            let centers = Centers::default();
            let margin = Real::INFINITY;
            let measured = measure(a, b, &relative, &centers, margin, &mut pair.cache);
            let Measured::Near(ratio) = measured else { return };
            (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
            if ratio.gap <= eps_t && !pair.sensor {
                if a.curve().is_some() || b.curve().is_some() {
                    // A curved hull is no polyhedron and has no such events; clipping stands in.
                    self.clipped(pair, clear, hulls, placed, &relative, &ratio);
                } else {
                    self.enumerated(pair, hulls, placed);
                }
            }
            return;
        }
        let band = placed.band;
        if let Some(separation) = still_apart(a, b, &relative, band, &mut pair.cache) {
            clear.reach = separation;
            return;
        }
        let centers = self.centers(pair, hulls, &relative);
        if pair.cache.normal == Vec3::ZERO
            && let Some(apart) = parting(a, b, relative.offset, pair.bodies)
        {
            pair.cache.normal = placed.rotations[0].transpose() * apart;
        }
        let ratio = match measure(a, b, &relative, &centers, band, &mut pair.cache) {
            Measured::Near(ratio) => ratio,
            Measured::Apart { separation, .. } => {
                clear.reach = separation;
                return;
            }
        };
        (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
        if pair.sensor {
            return;
        }
        self.clipped(pair, clear, hulls, placed, &relative, &ratio);
    }

    /// A hull (body `hull_side` of the pair) and a half-space.
    fn plane(
        &self,
        pair: &mut Pair,
        clear: &mut Clear,
        hull: &Hull,
        plane: &HalfSpace,
        placed: &Placed,
        hull_side: usize,
    ) {
        let normal = placed.rotations[1 - hull_side] * plane.normal;
        let from_plane = if hull_side == 1 { placed.offset() } else { -placed.offset() };
        let height = normal.dot(from_plane);
        let rotation = placed.rotations[hull_side];
        let ratio = measure_half_space(hull, rotation, height, normal);
        (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
        if pair.sensor {
            return;
        }
        if let ActiveEvents::Enumerated { eps_t, .. } = self.settings.contact.active {
            if ratio.gap <= eps_t {
                self.enumerated_half_space(pair, hull, placed, hull_side, normal);
            }
            return;
        }
        if ratio.separation <= placed.band {
            self.clipped_half_space(pair, clear, hull, placed, hull_side, height, &ratio);
        } else {
            clear.reach = ratio.separation;
        }
    }

    /// Scaling centers: the centroids, or for bodies that are fixed or long a point near the other
    /// body, found by turns.
    fn centers(&self, pair: &Pair, [a, b]: [&Hull; 2], relative: &Relative) -> Centers {
        let wants = |k: usize, hull: &Hull| {
            let moves = self.motions[pair.bodies[k] as usize].moves;
            !moves || is_long(hull)
        };
        near_centers([a, b], [wants(0, a), wants(1, b)], relative)
    }

    /// Clipped contacts of two hulls along the ratio's normal or a better neighbor.
    fn clipped(
        &self,
        pair: &mut Pair,
        clear: &mut Clear,
        [a, b]: [&Hull; 2],
        placed: &Placed,
        relative: &Relative,
        ratio: &Ratio,
    ) {
        let to_a = placed.rotations[0].transpose();
        let twist = self.twist(pair, placed, &to_a, relative.offset);
        let mut slack = self.settings.contact.normal_slack * self.dt * self.dt;
        if let Some(time) = placed.met {
            // What is small beside the step is not small beside a bullet; but the free path has sunk
            // into what carries the bodies.
            let sunk = time * self.bent(pair.bodies);
            slack = slack.min(SLACK * a.inradius().min(b.inradius()) + sunk);
        }
        let hints = pair.cache.hints;
        let normal = reference_normal(a, b, relative, ratio.normal, hints, &twist, self.dt, slack);
        let mut manifold = Manifold::default();
        find_contacts(a, b, relative, normal, hints, &self.clip(placed.band), &mut manifold);
        let single = |i: u32| self.bodies[i as usize].colliders().pieces().len() == 1;
        let alone = placed.met.is_none() && pair.bodies.into_iter().all(single);
        if alone {
            manifold.passes =
                self.passes(pair, [a, b], relative, (&to_a, normal), placed.arms, &twist);
        }
        let inradius = a.inradius().min(b.inradius());
        self.take(pair, clear, &manifold, placed, ratio, [a.radius, b.radius], inradius);
    }

    /// Takes the contacts of two hulls with these rounding radii (m), the smaller inradius of which is
    /// `inradius` (m).
    fn take(
        &self,
        pair: &mut Pair,
        clear: &mut Clear,
        manifold: &Manifold,
        placed: &Placed,
        ratio: &Ratio,
        radii: [Real; 2],
        inradius: Real,
    ) {
        let turn = placed.rotations[0];
        pair.dropped = manifold.dropped;
        let normal = turn * manifold.normal;
        let to_bodies = self.flights_of(pair.bodies).map(|flight| flight.turn.transpose());
        for contact in &manifold.contacts {
            let points = [contact.point_a, contact.point_b].map(|p| placed.arms[0] + turn * p);
            let new = placed.contact(contact, contact.id, normal, points, radii, &to_bodies);
            pair.contacts.push(new);
        }
        // What passes is measured anew in the next step.
        let none = Outlook::default();
        let outlook = if manifold.passes.is_some() { &none } else { &manifold.outlook };
        self.remember(pair, clear, outlook, outlook.anchor, ratio, radii, inradius);
        if let Some(distance) = manifold.passes {
            self.let_pass(pair, distance);
        }
    }

    /// Clipped contacts of a hull and a half-space with this outward normal.
    fn clipped_half_space(
        &self,
        pair: &mut Pair,
        clear: &mut Clear,
        hull: &Hull,
        placed: &Placed,
        hull_side: usize,
        height: Real,
        ratio: &Ratio,
    ) {
        let normal = ratio.normal;
        let mut manifold = Manifold::default();
        let params = self.clip(placed.band);
        let rotation = placed.rotations[hull_side];
        find_contacts_half_space(hull, &rotation, height, normal, &params, &mut manifold);
        let toward_b = if hull_side == 1 { 1.0 } else { -1.0 };
        let origin = if hull_side == 1 { placed.between + placed.arms[1] } else { placed.arms[0] };
        pair.dropped = manifold.dropped;
        let (outlook, swap) = (&manifold.outlook, hull_side == 0);
        let radii = if swap { [hull.radius, 0.0] } else { [0.0, hull.radius] };
        let to_bodies = pair.bodies.map(|i| self.motions[i as usize].rotation.transpose());
        for contact in &manifold.contacts {
            let [p, q] = [origin + contact.point_a, origin + contact.point_b];
            let (id, points) =
                if swap { (contact.id.swapped(), [q, p]) } else { (contact.id, [p, q]) };
            let normal = normal * toward_b;
            let new = placed.contact(contact, id, normal, points, radii, &to_bodies);
            pair.contacts.push(new);
        }
        let anchor = match outlook.anchor {
            Anchor::Unknown => Anchor::Unknown,
            _ => Anchor::Face(1 - hull_side),
        };
        self.remember(pair, clear, outlook, anchor, ratio, radii, Real::MAX);
    }
}

/// Leaves out contacts that repeat an earlier one: the same row at the same point, or the same features once
/// more, by rounding on a body a million times as long as thick. In planar motion points that differ along
/// the axis only are the same.
fn merge(contacts: &mut SmallVec<[ActiveContact; 4]>, axis: Option<Vec3>) {
    let axis = axis.unwrap_or(Vec3::ZERO);
    let mut kept = contacts.len().min(1);
    for i in 1..contacts.len() {
        let new = &contacts[i];
        // From the nearer center: that of a floor may be a thousand kilometres away, of four roundings.
        let [a, b] = new.arms.map(Vec3::length);
        let (near, side) = (SAME * (1.0 + a.min(b) + a.max(b) / 16.0), usize::from(b < a));
        let same = |old: &ActiveContact| {
            let apart = new.arms[side] - old.arms[side];
            let apart = apart - axis * axis.dot(apart);
            let turned = new.normal - old.normal;
            old.id == new.id
                || apart.dot(apart) <= near * near
                    && turned.dot(turned) <= SAME * SAME
                    && (new.gap - old.gap).abs() <= near
        };
        if !contacts[..kept].iter().any(same) {
            if kept < i {
                contacts[kept] = contacts[i];
            }
            kept += 1;
        }
    }
    contacts.truncate(kept);
}

/// Takes over the impulses of contacts that were there before. Both lists are sorted by id.
fn inherit(pair: &mut Pair, old: &[ActiveContact]) {
    for contact in &mut pair.contacts {
        if let Ok(i) = old.binary_search_by_key(&contact.id, |old| old.id) {
            contact.impulse = old[i].impulse;
            contact.blow = old[i].blow;
        }
    }
    let is_in = |id, list: &[ActiveContact]| list.binary_search_by_key(&id, |c| c.id).is_ok();
    let contacts = &pair.contacts;
    pair.angular_impulses.retain(|&(id, _)| is_in(id, old) && is_in(id, contacts));
}
