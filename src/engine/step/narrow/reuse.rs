//! Pairs that moved little since they were measured, whose contacts serve again.
//!
//! Input: a pair with the poses at which it was measured and at which its contacts were last brought up
//! to date, and the poses of now. Output: do its contacts serve, and where they are. O(contacts).
//!
//! How the pieces moved against each other is told in the axes of the larger one: by a displacement `δ`
//! that no point of the smaller one exceeds, and the angle `θ` by which that turned. So bodies that are
//! carried along together have not moved.
//!
//! - **Nothing near.** No contact that was left out is nearer than `reach`. While `δ` and what the step
//!   can move the pieces stay below that, there is still nothing else; pairs without contacts need no more.
//! - **Kept.** While neither moved by more than `c h²` in the world since the contacts were written, or
//!   will within the step, they stay as they are, to the bit: a world at rest has the same rows in every
//!   step, whose solution is at hand. The dead zone covers the error; where it is smaller, it is the bound.
//! - **Followed.** Both touching points go on with their bodies, the normal `n` with the one whose face it
//!   is, and the gap is `n·(p_b - p_a)`. That is exact for a corner on that face or on a half-space, and
//!   for two balls. Else the other piece is no steeper than `slope + θ` against the contact plane, so
//!   sliding by `δ` changes what is under the point by that times `δ`; and a normal of two edges leans by
//!   `θ` at most from where they turned, which changes a gap, and the ends of a lever of length `r`, by
//!   `θ² r` and `θ δ`. So
//!
//!   ```text
//!   |error of a gap| ≤ (slope + θ) δ + θ² r
//!   ```
//!
//!   and contacts are followed while this is below `c h²`. They are not while the slip is more than a part
//!   of the size and of the gap (where they end moves by as much), or if a contact is about to be crossed
//!   by more than it was when the normal was chosen: another plane may then serve better.
//!
//! Everything is compared with the measurement, not with the last step: errors do not add up.
//! Not followed, only kept: rounded edges, curved pieces, triangles of meshes. Neither: swept bodies, which
//! touch on their way; the papers' events.

use super::NarrowPhase;
use super::collect::{Anchor, Outlook};
use super::flight::Flight;
use crate::engine::geometry::ratio::Ratio;
use crate::engine::state::collider::ConvexRef;
use crate::engine::state::contact::ActiveContact;
use crate::engine::state::measurement::{Clear, Due, Measurement, Relation, Trail};
use crate::engine::state::pair_head::{Guard, Head};
use crate::engine::state::pairs::Pair;
use crate::engine::tuning::reuse::{APART, ROUNDED, SLIP};
use crate::math::{Mat3, Quat, Real, Vec3, quat_conjugate, quat_mul, quat_rotate, widen};

impl NarrowPhase<'_> {
    /// What a pair that is measured now has to remember, if its contacts can serve again; resets until when
    /// they do.
    pub(super) fn measurement(
        &self,
        [a, b]: [&Flight; 2],
        due: &Due,
        clear: &mut Clear,
    ) -> Option<Measurement> {
        let first = due.now;
        let (reach, slip) = (self.band(due.active), Real::INFINITY);
        *clear = Clear { first, lever: Real::MAX, reach, slip, ..Clear::default() };
        // What is swept touches on its way, not where it is.
        let lasts = due.same && self.stillness() > 0.0 && !a.swept && !b.swept;
        lasts.then_some(Measurement { small: 0, last: first, trail: None })
    }

    /// Has a pair to be looked at, or do its contacts, or none, serve as they are? Told from its head.
    pub(in crate::engine) fn judge(&self, head: &Head, guard: &mut Guard) -> Option<Due> {
        let flights = self.flights_of(head.bodies);
        let active = self.active(flights);
        // A body that was placed or shaped anew after the broad phase starts afresh in the next step.
        let same = flights.map(|flight| flight.version) == guard.versions;
        // All that the following depends on may be as it was in the last step, in which they were kept.
        let was_kept = same && head.rows < guard.seen;
        let as_it_was = |&i: &u32| !self.changes.is_new(i as usize);
        let served = head.lasting && active <= guard.clear.active;
        if was_kept && served && head.bodies.iter().all(as_it_was) {
            return None;
        }
        let now = Flight::relation(flights);
        if !(same && head.lasting) {
            return Some(Due { same, active, now, follow: false });
        }
        let clear = &mut guard.clear;
        clear.active = active;
        let [moved, turned] = now.since(clear);
        // Written so that what is not a number does not serve.
        let complete = active + moved <= clear.reach;
        if complete && head.contacts == 0 {
            return None;
        }
        let error = clear
            .slope
            .map_or(0.0, |slope| (slope + turned) * moved + turned * turned * clear.lever);
        let follow = complete && error <= self.stillness() && moved <= clear.slip;
        Some(Due { same, active, now, follow })
    }

    /// Keeps the contacts of a pair that hardly moved, or brings them up to date with its bodies, which are
    /// to each other as `now`; false if they do not serve.
    pub(super) fn follows(
        &self,
        head: &mut Head,
        clear: &mut Clear,
        pair: &mut Pair,
        now: &Relation,
        active: Real,
    ) -> bool {
        let Some(last) = &mut pair.measured else { return false };
        let flights = self.flights_of(pair.bodies);
        if self.is_still(last, now, flights) {
            return true;
        }
        let Some(trail) = last.trail else { return false };
        last.last = *now;
        head.rows = self.changes.began();
        let before = nearest(&pair.contacts);
        trail.follow(&mut pair.contacts, now.between, flights.map(|flight| flight.turn));
        let after = nearest(&pair.contacts);
        clear.slip = trail.slip + APART * after.max(0.0);
        pair.separation += after - before;
        pair.gap = pair.separation / trail.denominator;
        head.take(pair);
        let near = after <= self.band(active);
        if !near {
            return false;
        }
        self.foreseen(&pair.contacts, flights) >= trail.foreseen.min(0.0) - self.worse()
    }

    /// Growth of what contacts are about to be crossed by up to which they are followed (m), see [`SLIP`].
    pub(super) fn worse(&self) -> Real {
        SLIP * self.settings.contact.normal_slack * self.dt * self.dt
    }

    /// Did the bodies stay where they were when the contacts were written?
    fn is_still(&self, measured: &Measurement, now: &Relation, flights: [&Flight; 2]) -> bool {
        let last = &measured.last;
        let zone = self.stillness().min(self.settings.contact.dead_zone * self.dt * self.dt);
        let between = now.between;
        let slid = (between - last.between).length();
        let stays = slid <= zone;
        if !stays {
            return false;
        }
        // What has no bounds touches as far away as the other body reaches.
        let lever = |k: usize| match flights[k].course.radius {
            0.0 => between.length() + flights[1 - k].course.radius,
            radius => radius,
        };
        let levers = [lever(0), lever(1)];
        let turned = |k: usize| levers[k] * angle(last.rotations[k], now.rotations[k]);
        let [[linear_a, angular_a], [linear_b, angular_b]] = flights.map(|flight| flight.velocity);
        let speed = (linear_b - linear_a).length()
            + levers[0] * angular_a.length()
            + levers[1] * angular_b.length();
        slid + turned(0) + turned(1) <= zone && self.dt * speed <= zone
    }

    /// The least gap at the end of the step if the bodies go on as they move now (m).
    fn foreseen(&self, contacts: &[ActiveContact], flights: [&Flight; 2]) -> Real {
        let [[linear_a, angular_a], [linear_b, angular_b]] = flights.map(|flight| flight.velocity);
        let after = |contact: &ActiveContact| {
            let at_a = linear_a + angular_a.cross(contact.arms[0]);
            let at_b = linear_b + angular_b.cross(contact.arms[1]);
            contact.gap + self.dt * contact.normal.dot(at_b - at_a)
        };
        contacts.iter().map(after).fold(Real::INFINITY, Real::min)
    }

    /// Remembers how the contacts of a pair that was measured now go on. Their normal turns with `anchor`;
    /// `radii` are those of the rounding, `inradius` that of the smaller piece (m).
    pub(super) fn remember(
        &self,
        pair: &mut Pair,
        clear: &mut Clear,
        outlook: &Outlook,
        anchor: Anchor,
        ratio: &Ratio,
        radii: [Real; 2],
        inradius: Real,
    ) {
        let Some(measured) = &mut pair.measured else { return };
        clear.reach = outlook.complete;
        let Some(normal) = pair.contacts.first().map(|contact| contact.normal) else { return };
        let (side, slip) = match anchor {
            Anchor::Unknown => return,
            Anchor::Points => (None, Real::MAX),
            Anchor::Edges => (Some(0), SLIP * inradius),
            Anchor::Face(side) => (Some(side), SLIP * inradius),
        };
        clear.slip = slip + APART * nearest(&pair.contacts).max(0.0);
        clear.slope = (!outlook.exact).then_some(outlook.slope);
        let flights = self.flights_of(pair.bodies);
        measured.trail = Some(Trail {
            anchor: side.map(|side| side as u8),
            normal: side.map_or(normal, |side| flights[side].turn.transpose() * normal),
            radii,
            slip,
            denominator: ratio.denominator,
            foreseen: self.foreseen(&pair.contacts, flights),
        });
    }

    /// How far the piece of a pair's body reaches from the center of the body, which is `arm` away from the
    /// centroid of the piece, as far as its turning counts (m).
    pub(super) fn lever(piece: ConvexRef<'_>, arm: Vec3) -> Real {
        match piece {
            // A ball may turn about its own center as it likes.
            ConvexRef::Hull(hull) if hull.is_ball() => arm.length(),
            ConvexRef::Hull(hull) => arm.length() + hull.bounding_radius(),
            ConvexRef::HalfSpace(_) | ConvexRef::Triangle(..) => Real::INFINITY,
        }
    }
}

impl Clear {
    /// Takes how far the pieces reach from the centers of their bodies (m).
    pub(super) fn set_levers(&mut self, [a, b]: [Real; 2]) {
        (self.small, self.lever) = if a < b { (0, a) } else { (1, b) };
    }
}

/// The least gap of some contacts (m).
fn nearest(contacts: &[ActiveContact]) -> Real {
    contacts.iter().map(|contact| contact.gap).fold(Real::MAX, Real::min)
}

impl Relation {
    /// How far points of the smaller body within its lever moved against the other body since, at most (m),
    /// and how far it turned (rad).
    fn since(&self, &Clear { ref first, small, lever, .. }: &Clear) -> [Real; 2] {
        let (s, l) = (usize::from(small), 1 - usize::from(small));
        if self.rotations[l] == first.rotations[l] {
            let slid = (self.between - first.between).length();
            if self.rotations[s] == first.rotations[s] {
                return [slid, 0.0];
            }
            let turned = angle(first.rotations[s], self.rotations[s]);
            return [slid + lever * turned, turned];
        }
        let back = quat_mul(first.rotations[l], quat_conjugate(self.rotations[l]));
        let slid = (quat_rotate(back, self.between) - first.between).length();
        let rounding = ROUNDED * first.between.length();
        let turned = angle(first.rotations[s], quat_mul(back, self.rotations[s]));
        [slid + rounding + lever * turned, turned]
    }
}

impl Trail {
    /// Moves contacts on with their bodies, of which b is `between` from a (m).
    fn follow(&self, contacts: &mut [ActiveContact], between: Vec3, turns: [Mat3; 2]) {
        let [turn_a, turn_b] = turns;
        let mut normal = self.anchor.map_or(Vec3::X, |side| turns[usize::from(side)] * self.normal);
        for contact in contacts {
            let core_a = turn_a * contact.cores[0];
            let core_b = between + turn_b * contact.cores[1];
            let apart = core_b - core_a;
            if self.anchor.is_none() {
                normal = apart.try_normalize().unwrap_or(contact.normal);
            }
            let gap = normal.dot(apart) - self.radii[0] - self.radii[1];
            let on_a = core_a + normal * (self.radii[0] + 0.5 * gap);
            let on_b = core_b - normal * (self.radii[1] + 0.5 * gap);
            // Where a corner touches is where the corner is.
            let middle = match contact.id.corners() {
                [true, false] => on_a,
                [false, true] => on_b,
                _ => (on_a + on_b) * 0.5,
            };
            contact.turn_to(normal);
            contact.arms = [middle, middle - between];
            (contact.gap, contact.row_gap) = (gap, widen(gap));
        }
    }
}

/// An upper bound of the angle of a turn (rad).
fn angle(from: Quat, to: Quat) -> Real {
    // A quaternion and its negative are the same turn.
    let sign = if from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w < 0.0 {
        -1.0
    } else {
        1.0
    };
    let by = |to: Real, from: Real| sign * to - from;
    let [dx, dy, dz, dw] = [by(to.x, from.x), by(to.y, from.y), by(to.z, from.z), by(to.w, from.w)];
    // A chord c of the unit sphere of quaternions belongs to twice its arc, which is shorter than c + c³/16.
    let square = dx * dx + dy * dy + dz * dz + dw * dw;
    square.sqrt() * (2.0 + square / 8.0)
}
