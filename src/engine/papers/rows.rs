//! The active events of the papers, for their preset: every event of the set (4.8) is a contact.
//!
//! Input: two pieces in world axes. Output: a contact at the touching point of the scaled bodies for
//! each event within the windows, with its own value (4.17).

use super::active_set::PapersActive;
use super::enumerate::{PairEvent, enumerate_growing, enumerate_half_space, ratio_of};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::settings::ActiveEvents;
use crate::engine::state::contact::ActiveContact;
use crate::engine::state::pairs::Pair;
use crate::engine::step::narrow::{NarrowPhase, Placed};
use crate::math::{Vec3, narrow, narrow3, widen, widen3};

impl NarrowPhase<'_> {
    /// The papers' set for two hulls; with the one-sided metric, of which only bodies that move grow, its gap
    /// is that of the pair.
    pub(in crate::engine) fn enumerated(
        &self,
        pair: &mut Pair,
        [a, b]: [&Hull; 2],
        placed: &Placed,
    ) {
        let Some((active, one_sided)) = self.papers() else { return };
        let grows = pair.bodies.map(|i| !one_sided || self.motions[i as usize].moves);
        let at = [placed.placement(0), placed.placement(1)];
        let events = enumerate_growing(a, &at[0], b, &at[1], grows);
        let ratio = ratio_of(&events);
        if ratio > 0.0 && grows.contains(&false) {
            pair.gap = narrow(1.0 - 1.0 / ratio);
        }
        active.add_rows(&events, placed, pair);
    }

    /// The papers' set for a hull and a half-space, whose events are those of their exchange if the hull
    /// comes first.
    pub(in crate::engine) fn enumerated_half_space(
        &self,
        pair: &mut Pair,
        hull: &Hull,
        placed: &Placed,
        hull_side: usize,
        normal: Vec3,
    ) {
        let Some((active, _)) = self.papers() else { return };
        let placement = placed.placement(hull_side);
        let offset = widen3(normal).dot(placed.placement(1 - hull_side).position);
        let events = enumerate_half_space(hull, &placement, widen3(normal), offset);
        active.add_rows(&events, placed, pair);
        if hull_side == 0 {
            for contact in &mut pair.contacts {
                (contact.id, contact.normal) = (contact.id.swapped(), -contact.normal);
            }
        }
    }

    /// The papers' windows, if their events are in use, and whether of the one-sided metric.
    fn papers(&self) -> Option<(PapersActive, bool)> {
        let active = self.settings.contact.active;
        let ActiveEvents::Enumerated { eps_x, eps_t, eps_0, delta_max, one_sided } = active else {
            return None;
        };
        let [eps_x, eps_t, eps_0, delta_max] = [eps_x, eps_t, eps_0, delta_max].map(widen);
        Some((PapersActive { eps_x, eps_t, eps_0, delta_max }, one_sided))
    }
}

impl PapersActive {
    /// Makes the active ones of a pair's events its contacts: at a point (m), with `Φ D` and the gap of its
    /// row, `(t - 1) D` (m).
    fn add_rows(&self, events: &[PairEvent], placed: &Placed, pair: &mut Pair) {
        for event in self.select_real(events, ratio_of(events)).into_iter().map(|m| &events[m]) {
            let [gap, row_gap] = [event.gap, event.ratio - 1.0].map(|part| part * event.distance);
            let arms = placed.arms_to(narrow3(event.point));
            let (id, normal) = (event.features.id(), narrow3(event.normal));
            pair.contacts.push(ActiveContact::new(id, normal, arms, narrow(gap), row_gap));
        }
    }
}
