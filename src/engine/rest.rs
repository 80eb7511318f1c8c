//! The rest of the step: where swept bodies stay when the solver has bent their paths.
//!
//! Input: the solved velocities, and the times at which free paths of swept pairs meet. Output: end poses
//! of the swept bodies for which `q + h v⁺` is not good enough. All other bodies are not looked at.
//!
//! - A swept body that hits something at the time t* keeps the pose *relative to what it hit* that it
//!   had at t*: the rest of the step after the impact is lost. `q + h v⁺` agrees with that along the
//!   normal, to first order, but would slide on along it for the whole step, past the end of what it
//!   hit, and would turn as linear rows know nothing of.
//! - Where the path is bent otherwise (by a blow, a joint, or along a contact it had before), the free
//!   path was swept in vain. From the nearest point of the free path to the end the motion is swept
//!   anew, against all boxes, and cut where a part of an inradius of overlap would be reached.
//!
//! So a swept body ends on a path that was searched, or within a part of its inradius of it. Velocities
//! stay as solved. Cost: nothing without swept bodies; O(boxes) for each one whose path is bent.

use super::body::{Bodies, BodyId};
use super::broad::BroadPhase;
use super::graph::{Islands, NO_ISLAND};
use super::integrate::solved;
use super::lcp::Vec6;
use super::pair::Pair;
use super::predict::Motion;
use super::ratio::PortalCache;
use super::shape::hull::Hull;
use super::shape::{Aabb, Convex, Piece};
use super::sweep::{Limits, Path, time_of_impact, time_of_impact_half_space};
use crate::math::{Quat, Real, Vec3, quat_exp, quat_mul, quat_normalize, quat_to_mat3};

/// Motions below this part of the inradius cannot go through anything.
pub const SLOW: Real = 0.5;
/// The second sweep allows this part of the smaller inradius as overlap: bodies that slide along each
/// other may touch.
const OVERLAP: Real = 0.25;
/// It ends this part of the smaller inradius before.
const TOLERANCE: Real = 0.05;

/// A swept body and where it ends the step.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Index of the body.
    pub body: u32,
    /// Its center at the end of the step (m).
    pub center: Vec3,
    /// Its rotation then.
    pub rotation: Quat,
    /// Time of the first impact (s), or infinity.
    time: Real,
    /// Index of what it hits then.
    other: u32,
}

/// Everything that is read.
#[derive(Clone, Copy, Debug)]
pub struct Solved<'a> {
    /// All bodies, at their poses of the start of the step.
    pub bodies: &'a Bodies,
    /// Their free motion.
    pub motions: &'a [Motion],
    /// Where the velocities are.
    pub islands: &'a Islands,
    /// Velocities that move the bodies.
    pub velocity: &'a [Vec6],
    /// Boxes of all pieces.
    pub broad: &'a BroadPhase,
    /// Pairs of bodies that do not collide, sorted.
    pub excluded: &'a [[BodyId; 2]],
    /// Time step (s).
    pub dt: Real,
}

/// A displacement: of the center (m), and a rotation vector (rad).
#[derive(Clone, Copy, Debug)]
struct Way {
    linear: Vec3,
    angular: Vec3,
}

impl Way {
    fn of((linear, angular): (Vec3, Vec3), time: Real) -> Self {
        Self { linear: linear * time, angular: angular * time }
    }

    fn plus(self, other: Self, factor: Real) -> Self {
        Self {
            linear: self.linear + other.linear * factor,
            angular: self.angular + other.angular * factor,
        }
    }
}

/// Finds the end poses of the swept bodies whose paths were bent; `stops` is cleared and filled, in
/// ascending order of bodies.
pub fn find_stops(stops: &mut Vec<Stop>, pairs: &[Pair], solved: &Solved<'_>) {
    stops.clear();
    for (i, body) in solved.bodies.as_slice()[..solved.motions.len()].iter().enumerate() {
        if body.swept && solved.motions[i].moves && solved.islands.island[i] != NO_ISLAND {
            let (center, rotation) = (body.center(), body.rotation());
            let (body, time, other) = (i as u32, Real::INFINITY, 0);
            stops.push(Stop { body, center, rotation, time, other });
        }
    }
    if stops.is_empty() {
        return;
    }
    for pair in pairs.iter().filter(|pair| pair.impact < solved.dt) {
        for side in 0..2 {
            let find = stops.binary_search_by_key(&pair.bodies[side], |stop| stop.body);
            if let Ok(k) = find
                && pair.impact < stops[k].time
            {
                (stops[k].time, stops[k].other) = (pair.impact, pair.bodies[1 - side]);
            }
        }
    }
    for k in 0..stops.len() {
        let stop = stops[k];
        let mutual = stops.binary_search_by_key(&stop.other, |stop| stop.body);
        let mutual = mutual.is_ok_and(|j| stops[j].other == stop.body && stops[j].time == stop.time);
        (stops[k].center, stops[k].rotation) = solved.end(&stop, mutual);
    }
}

impl Solved<'_> {
    fn free(&self, i: usize) -> (Vec3, Vec3) {
        (self.motions[i].linear, self.motions[i].angular)
    }

    fn solved(&self, i: usize) -> (Vec3, Vec3) {
        solved(i, self.motions, self.islands, self.velocity)
    }

    /// The end pose of a body.
    fn end(&self, stop: &Stop, mutual: bool) -> (Vec3, Quat) {
        let i = stop.body as usize;
        let motion = &self.motions[i];
        let free = Way::of(self.free(i), 1.0);
        let mut end = Way::of(self.solved(i), self.dt);
        let base_time = if stop.time == 0.0 {
            // What touches from the beginning has the rows of any contact; the free path is of no use.
            0.0
        } else if stop.time < self.dt {
            end = end.plus(self.after_impact(stop), if mutual { -0.5 } else { -1.0 });
            stop.time
        } else {
            // The time at which the free path is nearest to the end.
            let square = motion.radius * motion.radius;
            let dot = |a: Way, b: Way| a.linear.dot(b.linear) + square * a.angular.dot(b.angular);
            let length = dot(free, free);
            if length > 0.0 { (dot(end, free) / length).clamp(0.0, self.dt) } else { 0.0 }
        };
        let base = Way::of(self.free(i), base_time);
        let rest = end.plus(base, -1.0);
        let bent = rest.linear.length() + motion.radius * rest.angular.length();
        if bent <= SLOW * motion.inradius {
            return self.pose(i, end);
        }
        let part = self.clear_part(i, base, base_time, rest);
        self.pose(i, base.plus(rest, part))
    }

    /// The way of a body beside what it hits, from the impact to the end of the step.
    fn after_impact(&self, stop: &Stop) -> Way {
        let (i, j) = (stop.body as usize, stop.other as usize);
        let bodies = self.bodies.as_slice();
        let arm = bodies[i].center() - bodies[j].center();
        let beside = |(linear, angular): (Vec3, Vec3), (v, w): (Vec3, Vec3), time: Real| {
            Way::of((linear - v - w.cross(arm), angular - w), time)
        };
        let all = beside(self.solved(i), self.solved(j), self.dt);
        all.plus(beside(self.free(i), self.free(j), stop.time), -1.0)
    }

    /// Body `i` after it has gone some way.
    fn pose(&self, i: usize, way: Way) -> (Vec3, Quat) {
        let body = &self.bodies.as_slice()[i];
        let turned = quat_mul(quat_exp(way.angular), body.rotation());
        (body.center() + way.linear, quat_normalize(turned))
    }

    /// The part of the way `rest` that body `i` can go from `base`, where it is at `time` (s), until the
    /// end of the step.
    fn clear_part(&self, i: usize, base: Way, time: Real, rest: Way) -> Real {
        let from = self.pose(i, base);
        let radius = self.motions[i].radius;
        let ends = [from.0, from.0 + rest.linear];
        let around = Vec3::splat(radius);
        let bounds =
            Aabb { min: ends[0].min(ends[1]) - around, max: ends[0].max(ends[1]) + around };
        let mut part: Real = 1.0;
        self.broad.near(i as u32, bounds, self.bodies, self.excluded, |own, other, piece| {
            let j = other as usize;
            let way = Way::of(self.solved(j), 1.0);
            let at = self.pose(j, Way::of(self.solved(j), time));
            let paths = [
                self.path(i, own, from, rest),
                self.path(j, piece, at, Way::of((way.linear, way.angular), self.dt - time)),
            ];
            let [x, y] = [self.piece(i, own), self.piece(j, piece)];
            part = part.min(first_overlap([x, y], &paths));
        });
        part
    }

    fn piece(&self, i: usize, piece: u32) -> &Piece {
        &self.bodies.as_slice()[i].colliders().pieces()[piece as usize].piece
    }

    /// A piece of body `i` that goes a way in the unit of time.
    fn path(&self, i: usize, piece: u32, (center, rotation): (Vec3, Quat), way: Way) -> Path {
        let piece = self.piece(i, piece);
        let turn = quat_to_mat3(rotation);
        let to_center = self.bodies.as_slice()[i].center_of_mass();
        Path {
            center,
            arm: turn * (piece.position - to_center),
            rotation: turn * quat_to_mat3(piece.rotation),
            linear: way.linear,
            angular: way.angular,
        }
    }
}

/// The part of their ways that two pieces can go before they overlap noticeably; all of it if they do
/// so from the beginning, which is the contacts' business.
fn first_overlap(pieces: [&Piece; 2], paths: &[Path; 2]) -> Real {
    let limits = |inradius: Real| Limits {
        dt: 1.0,
        target: -OVERLAP * inradius,
        tolerance: TOLERANCE * inradius,
    };
    let half_space = |hull: &Hull, normal: Vec3, side: usize| {
        let plane = &paths[1 - side];
        let limits = limits(hull.inradius());
        time_of_impact_half_space(hull, &paths[side], plane.rotation * normal, plane, &limits)
    };
    let impact = match [&pieces[0].convex, &pieces[1].convex] {
        [Convex::Hull(a), Convex::Hull(b)] => {
            let limits = limits(a.inradius().min(b.inradius()));
            let cache = &mut PortalCache::default();
            time_of_impact(a, &paths[0], b, &paths[1], &limits, cache)
        }
        [Convex::Hull(hull), Convex::HalfSpace(plane)] => half_space(hull, plane.normal, 0),
        [Convex::HalfSpace(plane), Convex::Hull(hull)] => half_space(hull, plane.normal, 1),
        _ => None,
    };
    impact.map_or(1.0, |impact| if impact.time > 0.0 { impact.time } else { 1.0 })
}
