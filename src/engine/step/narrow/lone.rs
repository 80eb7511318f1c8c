//! Pairs of bodies that are boxes, each one by itself about its center: what most heaps are made of.
//!
//! Input: what pairs ask of their bodies (`flight.rs`), neither bodies nor colliders. Output: for each pair
//! what the metric is asked, so that many are measured abreast, and with its answer the contacts, the same as
//! of any two hulls. Not here: swept bodies, sensors, the papers' events, and centers in one place.

use super::NarrowPhase;
use super::boxes;
use super::clip::find_contacts;
use super::collect::Manifold;
use super::flight::{LoneBox, lone_hull};
use super::normal::Twist;
use super::placed::Placed;
use crate::engine::geometry::ratio::{
    BoxQuery, Centers, FacetFound, Measured, Ratio, Relative, is_common, near_centers,
};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::settings::ActiveEvents;
use crate::engine::state::measurement::{Clear, Due};
use crate::engine::state::pairs::Pair;
use crate::math::{Real, Vec3};

/// Two boxes that are to be measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct LonePair {
    pub(super) query: BoxQuery,
    /// Their distance along the plane that kept them apart in the last step, if it does so still (m).
    pub(super) apart: Option<Real>,
    boxes: [LoneBox; 2],
    between: Vec3,
}

impl NarrowPhase<'_> {
    /// What is asked of a pair, if it is one of two boxes.
    pub(super) fn lone_pair(&self, pair: &mut Pair, due: &Due) -> Option<LonePair> {
        let [a, b] = self.flights_of(pair.bodies);
        let boxes = [a.lone?, b.lone?];
        let clipped = self.settings.contact.active == ActiveEvents::Clipped;
        if !clipped || !due.same || pair.sensor || pair.cache.normal == Vec3::ZERO {
            return None;
        }
        let (between, margin) = (due.now.between, self.band(due.active));
        let relative = Relative::new(Vec3::ZERO, a.turn, between, b.turn);
        let half = boxes.map(|of| of.half);
        let mut query = BoxQuery { half, relative, shift: Vec3::ZERO, margin };
        let apart = query.still_apart(&pair.cache);
        let mut inner = boxes[0].inradius + boxes[1].inradius;
        let wants = [0, 1].map(|k| boxes[k].is_long || !self.flights_of(pair.bodies)[k].moves);
        if apart.is_none() && wants != [false, false] {
            let Centers { shift, inner: about } = near_centers(self.lone(pair)?, wants, &relative);
            query.shift = shift;
            inner = if about > 0.0 { about } else { inner };
        }
        let common = apart.is_some() || is_common(relative.offset - query.shift, inner);
        common.then_some(LonePair { query, apart, boxes, between })
    }

    /// Their hulls.
    fn lone(&self, pair: &Pair) -> Option<[&Hull; 2]> {
        let [a, b] = pair.bodies.map(|i| lone_hull(&self.bodies[i as usize]));
        Some([a?, b?])
    }

    /// Measures two boxes with the facet of theirs that was found, and finds their contacts.
    pub(super) fn measure_boxes(
        &self,
        pair: &mut Pair,
        clear: &mut Clear,
        two: &LonePair,
        facet: Option<FacetFound>,
    ) {
        if let Some(measured) = &mut pair.measured {
            clear.set_levers(two.boxes.map(|of| of.reach));
            measured.small = clear.small;
        }
        let measured = facet.map(|facet| two.query.measured(facet, &mut pair.cache));
        let ratio = match (measured, two.apart) {
            (Some(Measured::Near(ratio)), _) => ratio,
            (Some(Measured::Apart { separation, .. }), _) | (None, Some(separation)) => {
                clear.reach = separation;
                return;
            }
            (None, None) => return,
        };
        (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
        self.clip_boxes(pair, clear, two, &ratio);
    }

    /// Their contacts along the metric's normal, or that of a better face.
    fn clip_boxes(&self, pair: &mut Pair, clear: &mut Clear, two: &LonePair, ratio: &Ratio) {
        let BoxQuery { half, relative, margin: band, .. } = &two.query;
        let flights = self.flights_of(pair.bodies);
        let to_a = flights[0].turn.transpose();
        let [velocities, spins] = [0, 1].map(|of| flights.map(|flight| to_a * flight.velocity[of]));
        let twist = Twist::new(velocities, spins, relative.offset);
        let slack = self.settings.contact.normal_slack * self.dt * self.dt;
        let sharp = [0.0; 2];
        let normal =
            boxes::reference_normal(*half, sharp, relative, ratio.normal, &twist, self.dt, slack);
        let (mut manifold, params) = (Manifold::default(), self.clip(*band));
        let placed = Placed {
            between: two.between,
            arms: [Vec3::ZERO; 2],
            rotations: flights.map(|flight| flight.turn),
            band: *band,
            met: None,
        };
        let inradius = two.boxes[0].inradius.min(two.boxes[1].inradius);
        let hulls = self.lone(pair);
        let sizes = two.boxes.map(|of| of.reach);
        if !boxes::find_contacts(*half, sizes, sharp, relative, normal, &params, &mut manifold)
            && let Some([a, b]) = hulls
        {
            find_contacts(a, b, relative, normal, pair.cache.hints, &params, &mut manifold);
        }
        manifold.passes = hulls.and_then(|hulls| {
            self.passes(pair, hulls, relative, (&to_a, normal), placed.arms, &twist)
        });
        self.take(pair, clear, &manifold, &placed, ratio, [0.0; 2], inradius);
    }
}
