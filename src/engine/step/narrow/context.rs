//! What the pairs of a step have in common: bodies, motions, parameters, and the distances and speeds that
//! every kind of pair asks for.

use super::clip::ClipParams;
use super::flight::Flight;
use super::normal::Twist;
use super::placed::Placed;
use crate::engine::settings::{ActiveEvents, Settings};
use crate::engine::state::body::Body;
use crate::engine::state::changes::Changes;
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::Pair;
use crate::engine::step::broad::impact_bound;
use crate::engine::step::ccd::time_of_impact::Limits;
use crate::engine::step::predict;
use crate::engine::tuning::swept::SWEEP_TOLERANCE;
use crate::math::{Mat3, Real, Vec3};

/// What the pairs of a step have in common.
#[derive(Clone, Copy, Debug)]
pub struct NarrowPhase<'a> {
    /// All bodies.
    pub bodies: &'a [Body],
    /// Their free motion.
    pub motions: &'a [Motion],
    /// Whether each is an end of a joint.
    pub(in crate::engine) jointed: &'a [bool],
    /// When they last changed.
    pub changes: &'a Changes,
    /// What pairs ask of them.
    pub(in crate::engine) flights: &'a [Flight],
    /// Parameters.
    pub settings: &'a Settings,
    /// Time step (s).
    pub dt: Real,
    /// How far gravity moves what is at rest within the step, `h² |g|` (m).
    pub fall: Real,
}

impl NarrowPhase<'_> {
    /// What two bodies are asked.
    #[inline]
    pub(super) fn flights_of(&self, bodies: [u32; 2]) -> [&Flight; 2] {
        bodies.map(|i| &self.flights[i as usize])
    }

    /// Distance below which two bodies are active (m).
    pub(super) fn active(&self, flights: [&Flight; 2]) -> Real {
        let [components, limits] =
            [flights.map(|flight| flight.component), flights.map(|flight| flight.limit)];
        let moved = self.approach(flights).max(impact_bound(components, limits, self.dt));
        moved + self.fall + self.settings.contact.margin
    }

    /// How far two bodies can come closer within the step by their free motions (m), see
    /// [`approach`](predict::approach); what moves by more than its size may run into the other even if
    /// that moves along with it and is stopped.
    fn approach(&self, [a, b]: [&Flight; 2]) -> Real {
        let own = self.dt * (a.own + b.own);
        if own > a.inradius.min(b.inradius) {
            return own;
        }
        predict::approach([&a.course, &b.course], b.center - a.center, self.dt)
    }

    /// Distance up to which contacts are sought of bodies that are active up to `active` (m), the speculative
    /// distance: a little farther, so that they serve again.
    pub(super) fn band(&self, active: Real) -> Real {
        active + 2.0 * self.stillness()
    }

    /// Distance up to which a pair counts as unmoved (m); 0: none does.
    pub(super) fn stillness(&self) -> Real {
        let contact = &self.settings.contact;
        if contact.active == ActiveEvents::Clipped {
            contact.stillness * self.dt * self.dt
        } else {
            0.0
        }
    }

    /// Velocity of piece b relative to piece a in the axes of a, to which `to_a` turns; `offset` leads
    /// there from centroid to centroid.
    ///
    /// The velocities as they are: with those predicted for the step, gravity alone would make the
    /// plane a body rests on look worse than the side of a neighbor that it slides towards.
    pub(super) fn twist(&self, pair: &Pair, placed: &Placed, to_a: &Mat3, offset: Vec3) -> Twist {
        let flights = self.flights_of(pair.bodies);
        let velocities = [0, 1].map(|k| {
            let [linear, spin] = flights[k].velocity;
            (linear + spin.cross(placed.arms[k]), spin)
        });
        Twist::new(
            velocities.map(|(linear, _)| *to_a * linear),
            velocities.map(|(_, angular)| *to_a * angular),
            offset,
        )
    }

    /// By how much this step turns the relative velocity of two bodies aside [m/s].
    pub(super) fn bent(&self, bodies: [u32; 2]) -> Real {
        let [a, b] = bodies.map(|i| {
            let (body, motion) = (&self.bodies[i as usize], &self.motions[i as usize]);
            let change =
                if motion.moves { motion.linear - body.linear_velocity } else { Vec3::ZERO };
            (motion.linear, change)
        });
        let (free, change) = (b.0 - a.0, b.1 - a.1);
        let along = free.try_normalize().unwrap_or(Vec3::ZERO);
        (change - along * along.dot(change)).length()
    }

    /// Tolerances of the clipping.
    pub(in crate::engine) fn clip(&self, band: Real) -> ClipParams {
        ClipParams::new(band, self.settings.contact.reference_slack)
    }

    /// When a sweep ends: at touch, to a fraction of the margin that is small beside the body too.
    pub(in crate::engine) fn limits(&self, inradius: Real) -> Limits {
        let margin = self.settings.contact.margin.min(inradius);
        Limits { dt: self.dt, target: 0.0, tolerance: SWEEP_TOLERANCE * margin }
    }
}
