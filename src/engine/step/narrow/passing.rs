//! Whether the free paths of a pair pass each other within the step.
//!
//! Input: two hulls, how they are to each other and move, and the plane they have. Output: whether they pass
//! each other although that plane would be crossed. It is the plane of where both are as the step begins,
//! and its rows would turn aside what misses; so their gaps grow to what the free paths close
//! ([`NarrowPhase::let_pass`]), and the rows hold only what others push nearer than that. Where the solution
//! leads them into each other (`meets`), the plane holds, and the island is solved again.
//!
//! The hull that another one sweeps along a straight path is convex, so the paths miss each other if and
//! only if one plane lies between both hulls all the time. Every separating plane `n` at a time `s` bounds
//! the distance on the path, which is convex in time, from below by a line:
//!
//! ```text
//! sep(n, t) = sep(n, s) + (t - s) n·v
//! ```
//!
//! The next time is where the lines of a plane that is approached and of one that is left meet (Kelley's
//! cutting planes), and the mean of the two that is along the path is tried itself: `sep` is concave in
//! `n`. Bodies that turn must leave the plane free as well. On straight paths of all corners `sep` is concave
//! in time, so its beginning and end decide; circles bulge from their chords by `r θ² / 8` at most.
//!
//! Cost: a query of the metric a round, two or three for what passes, one at most for what meets; none for
//! what hardly moves or does not cross its plane. Not here: two bodies that joints lead on other paths;
//! bodies of several pieces, of which one sends what passes it against the next; planes between the paths as
//! those of contacts (impulses along them do not keep the angular momentum, or turn the bodies instead).

use super::normal::{Twist, outermost};
use super::{NarrowPhase, Placed};
use crate::engine::geometry::ratio::{PortalCache, Relative, still_overlap};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::state::body::Body;
use crate::engine::state::collider::ConvexRef;
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::Pair;
use crate::engine::step::ccd::time_of_impact::separation;
use crate::engine::tuning::passing::{ROUNDS_MAX, SLOW};
use crate::math::{Mat3, Real, Vec3, quat_exp, widen};

/// Two hulls, how they are to each other, and what the metric found, from which to search.
#[derive(Clone, Copy)]
pub(super) struct Passing<'p> {
    pub(super) hulls: [&'p Hull; 2],
    pub(super) relative: &'p Relative,
    pub(super) cache: &'p PortalCache,
}

/// A plane on the path: the separation along it at the beginning (m), its normal, and how fast the
/// separation grows [m/s].
#[derive(Clone, Copy)]
struct Cut {
    begin: Real,
    normal: Vec3,
    slope: Real,
}

impl NarrowPhase<'_> {
    /// The distance (m) at which two pieces pass each other, if the plane with this normal in the axes of `a`
    /// would be crossed. `to_a` turns there, `arms` lead from the centers of the bodies to those of the
    /// pieces, and `twist` is as in `reference_normal`.
    pub(super) fn passes(
        &self,
        pair: &Pair,
        hulls: [&Hull; 2],
        relative: &Relative,
        (to_a, normal): (&Mat3, Vec3),
        arms: [Vec3; 2],
        twist: &Twist,
    ) -> Option<Real> {
        if pair.bodies.into_iter().all(|i| self.jointed[i as usize]) {
            return None;
        }
        let slow = SLOW * hulls[0].inradius().min(hulls[1].inradius());
        let way = self.dt * twist.at(relative.offset);
        if way.length_squared() <= slow * slow {
            return None;
        }
        let passing = Passing { hulls, relative, cache: &pair.cache };
        let (separation, at) = passing.along(normal);
        if separation + (self.dt * normal.dot(twist.at(at))).min(0.0) >= 0.0 {
            return None;
        }
        let velocities = pair.bodies.map(|i| {
            let motion = &self.motions[i as usize];
            [motion.linear, motion.angular]
        });
        passing.clearance(to_a, arms, velocities, self.dt)
    }

    /// Gives the contacts of a pair gaps that its free paths keep open, and that close only where the bodies
    /// come nearer by the `distance` that the paths leave (m).
    pub(super) fn let_pass(&self, pair: &mut Pair, distance: Real) {
        let [a, b] = pair.bodies.map(|i| &self.motions[i as usize]);
        pair.passes = true;
        for contact in &mut pair.contacts {
            let [arm_a, arm_b] = contact.arms;
            let closed = distance
                + self.dt * contact.normal.dot(a.velocity_at(arm_a) - b.velocity_at(arm_b));
            contact.row_gap = contact.row_gap.max(widen(closed));
        }
    }
}

/// Do the pieces of a pair that [passes](NarrowPhase::passes) meet while its bodies, with their free motions,
/// move with other velocities, linear and angular [m/s, rad/s]?
pub(in crate::engine) fn meets(
    pair: &Pair,
    [(a, motion_a, by_a), (b, motion_b, by_b)]: [(&Body, &Motion, [Vec3; 2]); 2],
    dt: Real,
) -> bool {
    let [p, q] =
        [(a, pair.key.piece_a), (b, pair.key.piece_b)].map(|(x, k)| x.colliders().piece(k));
    let (Some(p), Some(q)) = (p, q) else { return false };
    let (ConvexRef::Hull(x), ConvexRef::Hull(y)) = (p.convex, q.convex) else { return false };
    let placed = Placed::new([a, b], [motion_a, motion_b], [&p, &q], 0.0);
    let [on_a, on_b] = placed.rotations;
    let relative = Relative::new(Vec3::ZERO, on_a, placed.offset(), on_b);
    let passing = Passing { hulls: [x, y], relative: &relative, cache: &pair.cache };
    passing.clearance(&on_a.transpose(), placed.arms, [by_a, by_b], dt).is_none()
}

impl Passing<'_> {
    /// The distance (m) at which the hulls pass each other while their bodies move with these velocities;
    /// none if they meet.
    fn clearance(
        &self,
        to_a: &Mat3,
        arms: [Vec3; 2],
        velocities: [[Vec3; 2]; 2],
        dt: Real,
    ) -> Option<Real> {
        let [a, b] = [0, 1].map(|k| velocities[k][0] + velocities[k][1].cross(arms[k]));
        let path = *to_a * (b - a);
        let plane = self.miss(path, dt)?;
        let turns = velocities.map(|[_, angular]| *to_a * angular * dt);
        let bulge: Real = (0..2).map(|k| bulge(self.hulls[k], arms[k], turns[k])).sum();
        let room = self.room(plane, path * dt, turns) - bulge;
        (room >= 0.0).then_some(room)
    }

    /// The separation along a normal (m), and the touching point of the smaller hull, in the axes of `a`.
    fn along(&self, normal: Vec3) -> (Real, Vec3) {
        let Self { hulls: [a, b], relative, cache: &PortalCache { hints, .. } } = *self;
        let (_, _, p) = outermost(a, normal, hints[0], Real::INFINITY);
        let outward = -(relative.rotation.transpose() * normal);
        let (_, _, on_b) = outermost(b, outward, hints[1], Real::INFINITY);
        let q = relative.rotation * on_b + relative.offset;
        let separation = normal.dot(q - p) - a.radius() - b.radius();
        (separation, if a.bounding_radius() < b.bounding_radius() { p } else { q })
    }

    /// What a plane with this normal leaves between both (m) at first and at the end, when `b` has moved by
    /// `way` (m) and each has turned (rad).
    pub(super) fn room(&self, normal: Vec3, way: Vec3, turns: [Vec3; 2]) -> Real {
        let Self { hulls: [a, b], relative, cache: &PortalCache { hints, .. } } = *self;
        let (begin, _) = self.along(normal);
        let [on_a, on_b] = turns.map(|turn| quat_exp(-turn) * normal);
        let (_, high_a, _) = outermost(a, on_a, hints[0], Real::INFINITY);
        let outward = -(relative.rotation.transpose() * on_b);
        let (_, high_b, _) = outermost(b, outward, hints[1], Real::INFINITY);
        begin.min(normal.dot(relative.offset + way) - high_a - high_b - a.radius() - b.radius())
    }

    /// The normal of a plane between both all the time, if there is one, while `b` moves by `path` [m/s] and
    /// neither turns.
    pub(super) fn miss(&self, path: Vec3, dt: Real) -> Option<Vec3> {
        let Self { hulls, relative, cache: last } = *self;
        let mut cache = PortalCache { hints: last.hints, ..PortalCache::default() };
        let mut time = (-relative.offset.dot(path) / path.length_squared()).max(0.0).min(dt);
        let moved = |time| Relative { offset: relative.offset + path * time, ..*relative };
        if still_overlap(hulls, &moved(time), last) {
            return None;
        }
        let (mut left, mut right): (Option<Cut>, Option<Cut>) = (None, None);
        for _ in 0..ROUNDS_MAX {
            let (normal, distance) = separation(hulls, &moved(time), &mut cache);
            let slope = normal.dot(path);
            let begin = distance - time * slope;
            if distance.is_nan() || distance <= 0.0 {
                return None;
            }
            if begin.min(begin + dt * slope) >= 0.0 {
                return Some(normal);
            }
            let side = if slope < 0.0 { &mut left } else { &mut right };
            *side = Some(Cut { begin, normal, slope });
            time = match (left, right) {
                (Some(l), Some(r)) => {
                    let mean = (l.normal * r.slope - r.normal * l.slope).normalize_or_zero();
                    let (least, _) = self.along(mean);
                    if mean != Vec3::ZERO && least >= 0.0 {
                        return Some(mean);
                    }
                    ((r.begin - l.begin) / (l.slope - r.slope)).max(0.0).min(dt)
                }
                (Some(_), None) => dt,
                (None, _) => 0.0,
            };
        }
        None
    }
}

/// How far the paths of the corners of a hull bulge from their chords (m), and its center, at `arm` (m) from
/// that of its body, ends from the tangent of its path, if it turns by that much (rad).
pub(super) fn bulge(hull: &Hull, arm: Vec3, turn: Vec3) -> Real {
    let radius = hull.bounding_radius() - hull.radius();
    0.5 * turn.length_squared() * (0.25 * radius + arm.length())
}
