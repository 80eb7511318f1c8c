//! The active events of the papers, for their preset: every event of the set (4.8) is a contact.
//!
//! Input: two pieces in world axes. Output: a contact at the touching point of the scaled bodies for
//! each event within the windows, with its own value (4.17).

use super::active_set::PapersActive;
use super::enumerate::{enumerate, enumerate_half_space, ratio_of};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::settings::ActiveEvents;
use crate::engine::state::contact::Feature;
use crate::engine::state::contact::{ActiveContact, ContactId};
use crate::engine::state::pairs::Pair;
use crate::engine::step::narrow::{NarrowPhase, Placed};
use crate::math::{DVec3, Double, Vec3, narrow, narrow3, widen, widen3};

impl NarrowPhase<'_> {
    /// The papers' set for two hulls.
    pub(in crate::engine) fn enumerated(
        &self,
        pair: &mut Pair,
        [a, b]: [&Hull; 2],
        placed: &Placed,
    ) {
        let Some(active) = self.papers() else { return };
        let events = enumerate(a, &placed.placement(0), b, &placed.placement(1));
        let ratio = ratio_of(&events);
        for event in events.iter().filter(|event| active.admits_real(event, ratio)) {
            let normal = narrow3(event.normal);
            let way = [event.gap, event.ratio - 1.0].map(|part| part * event.distance);
            pair.contacts.push(contact(event.features.id(), normal, placed, event.point, way));
        }
    }

    /// The papers' set for a hull and a half-space.
    pub(in crate::engine) fn enumerated_half_space(
        &self,
        pair: &mut Pair,
        hull: &Hull,
        placed: &Placed,
        hull_side: usize,
        normal: Vec3,
    ) {
        let Some(active) = self.papers() else { return };
        let placement = placed.placement(hull_side);
        let offset = widen3(normal).dot(placed.placement(1 - hull_side).position);
        let events = enumerate_half_space(hull, &placement, widen3(normal), offset);
        let toward_b = if hull_side == 1 { 1.0 } else { -1.0 };
        for m in active.select_half_space(&events) {
            let event = &events[m];
            let id = ContactId::new(Feature::Vertex(event.vertex), Feature::Face(0));
            let id = if hull_side == 1 { id.swapped() } else { id };
            let way = [event.gap, event.ratio - 1.0].map(|part| part * event.distance);
            pair.contacts.push(contact(id, normal * toward_b, placed, event.point, way));
        }
    }

    /// The papers' windows, if their events are in use.
    fn papers(&self) -> Option<PapersActive> {
        match self.settings.contact.active {
            ActiveEvents::Clipped => None,
            ActiveEvents::Enumerated { eps_x, eps_t, eps_0, delta_max } => Some(PapersActive {
                eps_x: widen(eps_x),
                eps_t: widen(eps_t),
                eps_0: widen(eps_0),
                delta_max: widen(delta_max),
            }),
        }
    }
}

/// A contact at a point (m), with its `Φ D` and the gap of its row (m).
fn contact(
    id: ContactId,
    normal: Vec3,
    placed: &Placed,
    point: DVec3,
    way: [Double; 2],
) -> ActiveContact {
    ActiveContact::new(id, normal, placed.arms_to(narrow3(point)), narrow(way[0]), way[1])
}
