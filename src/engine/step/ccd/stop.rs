//! The rest of the step: where swept bodies stay when the solver has bent their paths.
//!
//! Input: the solved velocities, and the times at which free paths of swept pairs meet. Output: end poses
//! of the swept bodies for which `q + h v⁺` is not good enough. All other bodies are not looked at.
//!
//! - A swept body that hits something at the time t* stays there, *relative to what it hit*: the rest of
//!   the step after the impact is lost. There are no rows for it in this
//!   step; the next one finds a contact without a gap at the very pose of the impact and solves it. (Rows
//!   in this step would use the inertia of the pose before, and `q + h v⁺` would slide on for the whole
//!   step, past the end of what was hit.) Two swept bodies that hit each other share the loss.
//! - Where the path is bent otherwise (by a blow, a joint, or along a contact it had before), the free
//!   path was swept in vain. The motion as solved is swept anew, against all boxes, and cut where a part
//!   of an inradius of overlap would be reached. So is what a body is carried along after a hit.
//!
//! Impulses stay whole. The fall of the lost time does not: gravity would do work on a path that is not
//! gone. And angular velocities are kept in the axes of the body, as free rotation does, so that a pose
//! that turned less than it should leaves the energy alone.
//!
//! So a swept body ends on a path that was searched, or within a part of its inradius of it. Cost:
//! nothing without swept bodies; O(log n + boxes met) for each one whose path is bent.

use super::time_of_impact::{
    Limits, Path, TimeOfImpact, time_of_impact, time_of_impact_half_space,
};
use crate::engine::geometry::ratio::PortalCache;
use crate::engine::geometry::shape::Aabb;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::geometry::shape::mesh::Mesh;
use crate::engine::lcp::Vec6;
use crate::engine::state::bodies::Bodies;
use crate::engine::state::collider::{ConvexRef, PieceRef};
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::Pairs;
use crate::engine::step::broad::BroadPhase;
use crate::engine::step::integrate::solved;
use crate::engine::step::islands::{Islands, marked};
use crate::engine::tuning::stop::{CREEP, SURE, TOLERANCE};
use crate::math::{Quat, Real, Vec3, quat_exp, quat_mul, quat_normalize, quat_to_mat3};

/// A swept body and where it ends the step.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Index of the body.
    pub body: u32,
    /// Its center at the end of the step (m).
    pub center: Vec3,
    /// Its rotation then.
    pub rotation: Quat,
    /// The part of the step that it lives through (-).
    pub part: Real,
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
    /// Velocities that move the bodies [m/s, rad/s].
    pub velocity: &'a [Vec6],
    /// Boxes of all pieces.
    pub broad: &'a BroadPhase,
    /// Time step (s).
    pub dt: Real,
}

/// A displacement: of the center (m), and a rotation vector (rad).
#[derive(Clone, Copy, Debug)]
struct Displacement {
    linear: Vec3,
    angular: Vec3,
}

impl Displacement {
    fn plus(self, other: Self, factor: Real) -> Self {
        Self {
            linear: self.linear + other.linear * factor,
            angular: self.angular + other.angular * factor,
        }
    }
}

/// Finds the end poses of the swept bodies whose paths were bent; `stops` is cleared and filled, in
/// ascending order of bodies.
pub(in crate::engine) fn find_stops(
    stops: &mut Vec<Stop>,
    pairs: &Pairs,
    moves: &[bool],
    solved: &Solved<'_>,
) {
    stops.clear();
    for i in marked(moves) {
        let body = &solved.bodies.as_slice()[i];
        if body.swept {
            let (center, rotation) = (body.center(), body.rotation());
            let (body, time, other) = (i as u32, Real::INFINITY, 0);
            stops.push(Stop { body, center, rotation, part: 1.0, time, other });
        }
    }
    if stops.is_empty() {
        return;
    }
    for pair in pairs.seen().filter(|pair| pair.impact < solved.dt) {
        for side in 0..2 {
            if let Some(k) = place(stops, pair.bodies[side])
                && pair.impact < stops[k].time
            {
                (stops[k].time, stops[k].other) = (pair.impact, pair.bodies[1 - side]);
            }
        }
    }
    for k in 0..stops.len() {
        let stop = stops[k];
        let mutual = stops.binary_search_by_key(&stop.other, |stop| stop.body);
        let mutual =
            mutual.is_ok_and(|j| stops[j].other == stop.body && stops[j].time == stop.time);
        let (way, part) = solved.end(&stop, mutual);
        (stops[k].center, stops[k].rotation) = solved.pose(stop.body as usize, way);
        stops[k].part = part;
    }
}

/// Where a body is in the list.
fn place(stops: &[Stop], body: u32) -> Option<usize> {
    stops.binary_search_by_key(&body, |stop| stop.body).ok()
}

impl Solved<'_> {
    fn solved(&self, i: usize) -> (Vec3, Vec3) {
        solved(i, self.motions, self.islands, self.velocity)
    }

    /// The way of a body, and the part of the step that it lives through on it.
    fn end(&self, stop: &Stop, mutual: bool) -> (Displacement, Real) {
        let i = stop.body as usize;
        let motion = &self.motions[i];
        let own = self.solved(i);
        let (base, remaining, time);
        let is_hit = stop.time > 0.0 && stop.time < self.dt;
        if is_hit {
            let lost = self.after_impact(stop) * if mutual { 0.5 } else { 1.0 };
            time = stop.time;
            base = Displacement { linear: motion.linear * time, angular: own.1 * time };
            remaining =
                Displacement { linear: own.0 * self.dt - lost - base.linear, angular: Vec3::ZERO };
        } else {
            time = 0.0;
            base = Displacement { linear: Vec3::ZERO, angular: Vec3::ZERO };
            remaining = Displacement { linear: own.0 * self.dt, angular: own.1 * self.dt };
        }
        let part = if self.is_near_free_path(stop, base.plus(remaining, 1.0)) {
            1.0
        } else {
            self.clear_part(i, base, time, remaining)
        };
        (base.plus(remaining, part), if is_hit { time / self.dt } else { part })
    }

    /// Does a way of the body end near a point of its free path that nothing blocks?
    fn is_near_free_path(&self, stop: &Stop, way: Displacement) -> bool {
        let motion = &self.motions[stop.body as usize];
        let free = Displacement { linear: motion.linear, angular: motion.angular };
        let square = motion.radius * motion.radius;
        let dot = |a: Displacement, b: Displacement| {
            a.linear.dot(b.linear) + square * a.angular.dot(b.angular)
        };
        let length = dot(free, free);
        let until = stop.time.min(self.dt);
        let time = if length > 0.0 { (dot(way, free) / length).max(0.0).min(until) } else { 0.0 };
        let apart = way.plus(free, -time);
        let bent = apart.linear.length() + motion.radius * apart.angular.length();
        bent <= SURE * motion.inradius
    }

    /// The way of a body beside what it hits, from the impact to the end of the step (m).
    fn after_impact(&self, stop: &Stop) -> Vec3 {
        let (i, j) = (stop.body as usize, stop.other as usize);
        let bodies = self.bodies.as_slice();
        let arm = bodies[i].center() - bodies[j].center();
        let carried = |(linear, angular): (Vec3, Vec3)| linear + angular.cross(arm);
        let (free, free_other) = (self.motions[i].linear, &self.motions[j]);
        (self.solved(i).0 - carried(self.solved(j))) * self.dt
            - (free - carried((free_other.linear, free_other.angular))) * stop.time
    }

    /// Body `i` after it has gone some way.
    fn pose(&self, i: usize, way: Displacement) -> (Vec3, Quat) {
        let body = &self.bodies.as_slice()[i];
        let turned = quat_mul(quat_exp(way.angular), body.rotation());
        (body.center() + way.linear, quat_normalize(turned))
    }

    /// The part of the way `remaining` that body `i` can go from `base`, where it is at `time` (s), until the
    /// end of the step.
    fn clear_part(
        &self,
        i: usize,
        base: Displacement,
        time: Real,
        remaining: Displacement,
    ) -> Real {
        let from = self.pose(i, base);
        let radius = self.motions[i].radius;
        let ends = [from.0, from.0 + remaining.linear];
        let around = Vec3::splat(radius);
        let bounds =
            Aabb { min: ends[0].min(ends[1]) - around, max: ends[0].max(ends[1]) + around };
        let mut part: Real = 1.0;
        self.broad.near(i as u32, bounds, self.bodies.as_slice(), |own, other, piece| {
            let j = other as usize;
            let (v, w) = self.solved(j);
            let way = |time: Real| Displacement { linear: v * time, angular: w * time };
            let at = self.pose(j, way(time));
            if let (Some(x), Some(y)) = (self.piece(i, own), self.piece(j, piece)) {
                let paths =
                    [self.path(i, x, from, remaining), self.path(j, y, at, way(self.dt - time))];
                part = part.min(first_overlap([x.convex, y.convex], &paths));
            }
        });
        part
    }

    fn piece(&self, i: usize, piece: u32) -> Option<PieceRef<'_>> {
        self.bodies.as_slice()[i].colliders().piece(piece)
    }

    /// A piece of body `i` that goes a way in the unit of time.
    fn path(
        &self,
        i: usize,
        piece: PieceRef<'_>,
        (center, rotation): (Vec3, Quat),
        way: Displacement,
    ) -> Path {
        let turn = quat_to_mat3(rotation);
        let to_center = self.bodies.as_slice()[i].center_of_mass();
        Path {
            center,
            arm: turn * (piece.centroid() - to_center),
            rotation: turn * quat_to_mat3(piece.rotation),
            linear: way.linear,
            angular: way.angular,
        }
    }
}

/// The part of their ways that two pieces can go before they overlap by some part of the inradius, or,
/// where they do at first, noticeably more than that.
fn first_overlap(pieces: [ConvexRef<'_>; 2], paths: &[Path; 2]) -> Real {
    let half_space = |hull: &Hull, normal: Vec3, side: usize| {
        let plane = &paths[1 - side];
        until_overlap(hull.inradius(), |limits| {
            let normal = plane.rotation * normal;
            time_of_impact_half_space(hull, &paths[side], normal, plane, limits)
        })
    };
    match pieces {
        [ConvexRef::Hull(a), ConvexRef::Hull(b)] => {
            let mut cache = PortalCache::default();
            until_overlap(a.inradius().min(b.inradius()), |limits| {
                time_of_impact(a, &paths[0], b, &paths[1], limits, &mut cache)
            })
        }
        [ConvexRef::Hull(hull), ConvexRef::HalfSpace(plane)] => half_space(hull, plane.normal, 0),
        [ConvexRef::HalfSpace(plane), ConvexRef::Hull(hull)] => half_space(hull, plane.normal, 1),
        [ConvexRef::Triangle(mesh, index), ConvexRef::Hull(hull)] => {
            until_triangle(mesh, index, hull, paths, 0)
        }
        [ConvexRef::Hull(hull), ConvexRef::Triangle(mesh, index)] => {
            until_triangle(mesh, index, hull, paths, 1)
        }
        _ => 1.0,
    }
}

/// [`first_overlap`] of a hull with a triangle of path `side`, if the hull comes from its front.
fn until_triangle(mesh: &Mesh, index: u32, hull: &Hull, paths: &[Path; 2], side: usize) -> Real {
    let (at, other) = (&paths[side], &paths[1 - side]);
    let normal = at.rotation * mesh.triangles()[index as usize].normal;
    let between = (other.center + other.arm) - (at.center + at.arm);
    let Some(flat) = Hull::triangle(mesh.triangle(index)) else { return 1.0 };
    if normal.dot(between) <= 0.0 {
        return 1.0;
    }
    let [a, b] = if side == 0 { [&flat, hull] } else { [hull, &flat] };
    let mut cache = PortalCache::default();
    until_overlap(hull.inradius(), |limits| {
        time_of_impact(a, &paths[0], b, &paths[1], limits, &mut cache)
    })
}

/// See [`first_overlap`].
fn until_overlap(inradius: Real, mut find: impl FnMut(&Limits) -> Option<TimeOfImpact>) -> Real {
    let (target, tolerance) = (-SURE * inradius, TOLERANCE * inradius);
    match find(&Limits { dt: 1.0, target, tolerance }) {
        None => 1.0,
        Some(impact) if impact.time > 0.0 => impact.time,
        Some(impact) => {
            let tolerance = CREEP * inradius;
            let target = impact.separation - 2.0 * tolerance;
            find(&Limits { dt: 1.0, target, tolerance }).map_or(1.0, |impact| impact.time)
        }
    }
}
