//! Queries over all pieces of all bodies.
//!
//! Half-spaces have no box and are asked one by one. Of equal distances the least collider and piece
//! wins, so that an answer does not depend on the tree.

use core::cmp::Ordering;

use super::{ColliderId, PointProjection, RayHit, ShapeHit};
use crate::engine::geometry::bvh::Bvh;
use crate::engine::geometry::query::{CastConfig, Impact, Placed, placed};
use crate::engine::geometry::shape::{Aabb, Convex, Shape};
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::collider::Collider;
use crate::math::{Mat3, Quat, Real, Vec3, narrow3, quat_rotate, quat_to_mat3, widen3};

/// A piece where it was when the tree was built.
#[derive(Clone, Debug)]
struct Entry {
    convex: Convex,
    position: Vec3,
    rotation: Mat3,
    /// Index of its collider.
    owner: u32,
    piece: u32,
}

impl Entry {
    fn placed(&self) -> Placed<'_> {
        Placed { convex: &self.convex, position: self.position, rotation: self.rotation }
    }
}

#[derive(Clone, Debug)]
struct Owner {
    id: ColliderId,
    collider: Collider,
}

/// All pieces of all bodies, as they were when it was built.
#[derive(Clone, Debug)]
pub struct QueryTree {
    owners: Vec<Owner>,
    /// Those with boxes, in the order of `boxes`.
    entries: Vec<Entry>,
    boundless: Vec<Entry>,
    boxes: Vec<Aabb>,
    bvh: Bvh,
}

impl Default for QueryTree {
    /// The tree of no bodies.
    fn default() -> Self {
        Self {
            owners: Vec::new(),
            entries: Vec::new(),
            boundless: Vec::new(),
            boxes: Vec::new(),
            bvh: Bvh::with_leaves(1),
        }
    }
}

/// The direction with length one; none if it has none.
fn unit(direction: Vec3) -> Option<Vec3> {
    widen3(direction).try_normalize().map(narrow3)
}

impl QueryTree {
    /// The tree of these bodies. O(n log n).
    #[must_use]
    pub fn build<'a>(bodies: impl IntoIterator<Item = &'a Body>) -> Self {
        let mut tree = Self::default();
        tree.rebuild(bodies);
        tree
    }

    /// Builds the tree anew in the memory it has.
    pub fn rebuild<'a>(&mut self, bodies: impl IntoIterator<Item = &'a Body>) {
        self.owners.clear();
        self.entries.clear();
        self.boundless.clear();
        self.boxes.clear();
        for body in bodies {
            self.add(body);
        }
        self.bvh.rebuild(&self.boxes);
    }

    fn add(&mut self, body: &Body) {
        let (position, rotation) = (body.position(), body.rotation());
        let turn = quat_to_mat3(rotation);
        let first = self.owners.len() as u32;
        let owners = (0_u32..).zip(body.colliders().list()).map(|(collider, it)| Owner {
            id: ColliderId { body: body.id(), collider },
            collider: it.clone(),
        });
        self.owners.extend(owners);
        for (number, it) in (0_u32..).zip(body.colliders().pieces()) {
            let entry = Entry {
                convex: it.piece.convex.clone(),
                position: position + quat_rotate(rotation, it.piece.position),
                rotation: turn * quat_to_mat3(it.piece.rotation),
                owner: first + it.collider,
                piece: number,
            };
            let bounds = entry.convex.aabb(entry.position, entry.rotation);
            if bounds.min.is_finite() && bounds.max.is_finite() {
                self.boxes.push(bounds);
                self.entries.push(entry);
            } else {
                self.boundless.push(entry);
            }
        }
    }

    /// The number of colliders.
    #[must_use]
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Is there nothing to meet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    fn admits(&self, entry: &Entry, predicate: &mut impl FnMut(BodyId, &Collider) -> bool) -> bool {
        let Owner { id, collider } = &self.owners[entry.owner as usize];
        predicate(id.body, collider)
    }

    fn id(&self, entry: &Entry) -> ColliderId {
        self.owners[entry.owner as usize].id
    }

    /// The first collider that a ray meets within `max_distance` (m). An origin inside is a hit at
    /// distance 0 if `solid`; else the hit is where the ray leaves. None for a direction of no length.
    #[must_use]
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: Real,
        solid: bool,
        predicate: impl FnMut(BodyId, &Collider) -> bool,
    ) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        self.each_ray_hit((origin, direction), max_distance, solid, predicate, |hit| {
            let key = |hit: &RayHit| (hit.distance, hit.id, hit.piece);
            if best.is_none_or(|best| by_distance(&key(&hit), &key(&best)).is_lt()) {
                best = Some(hit);
            }
            best.map_or(max_distance, |best| best.distance)
        });
        best
    }

    /// The first hit of a ray on every collider it meets, in order of distance, then of ids.
    pub fn ray_hits(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: Real,
        solid: bool,
        predicate: impl FnMut(BodyId, &Collider) -> bool,
        hits: &mut Vec<RayHit>,
    ) {
        hits.clear();
        self.each_ray_hit((origin, direction), max_distance, solid, predicate, |hit| {
            hits.push(hit);
            max_distance
        });
        keep_first(hits, |hit| (hit.distance, hit.id, hit.piece));
    }

    fn each_ray_hit(
        &self,
        (origin, direction): (Vec3, Vec3),
        max: Real,
        solid: bool,
        mut predicate: impl FnMut(BodyId, &Collider) -> bool,
        mut visit: impl FnMut(RayHit) -> Real,
    ) {
        let Some(v) = unit(direction).filter(|_| origin.is_finite() && !max.is_nan()) else {
            return;
        };
        let mut ask = |entry: &Entry, max: Real| {
            let Some((distance, normal)) = entry.placed().ray(origin, v, max, solid) else {
                return max;
            };
            if !self.admits(entry, &mut predicate) {
                return max;
            }
            visit(RayHit { id: self.id(entry), piece: entry.piece, distance, normal })
        };
        let max = self.boundless.iter().fold(max, |max, entry| max.min(ask(entry, max)));
        self.bvh.cast_ray(origin, v, max, |k, max| ask(&self.entries[k as usize], max));
    }

    /// The first collider that a shape meets as it moves along `direction` without turning. A direction
    /// of no length finds what the shape overlaps where it is.
    #[must_use]
    pub fn cast_shape(
        &self,
        shape: &Shape,
        position: Vec3,
        rotation: Quat,
        direction: Vec3,
        config: &CastConfig,
        predicate: impl FnMut(BodyId, &Collider) -> bool,
    ) -> Option<ShapeHit> {
        let mut best: Option<ShapeHit> = None;
        let pieces = (shape, position, rotation);
        self.each_shape_hit(pieces, direction, config, predicate, |hit| {
            let key = |hit: &ShapeHit| (hit.distance, hit.id, hit.piece);
            if best.is_none_or(|best| by_distance(&key(&hit), &key(&best)).is_lt()) {
                best = Some(hit);
            }
            best.map_or(config.max_distance, |best| best.distance)
        });
        best
    }

    /// The first hit of a moving shape on every collider it meets, in order of distance, then of ids.
    pub fn shape_hits(
        &self,
        shape: &Shape,
        position: Vec3,
        rotation: Quat,
        direction: Vec3,
        config: &CastConfig,
        predicate: impl FnMut(BodyId, &Collider) -> bool,
        hits: &mut Vec<ShapeHit>,
    ) {
        hits.clear();
        let pieces = (shape, position, rotation);
        self.each_shape_hit(pieces, direction, config, predicate, |hit| {
            hits.push(hit);
            config.max_distance
        });
        keep_first(hits, |hit| (hit.distance, hit.id, hit.piece));
    }

    fn each_shape_hit(
        &self,
        (shape, position, rotation): (&Shape, Vec3, Quat),
        direction: Vec3,
        config: &CastConfig,
        mut predicate: impl FnMut(BodyId, &Collider) -> bool,
        mut visit: impl FnMut(ShapeHit) -> Real,
    ) {
        let v = unit(direction).unwrap_or(Vec3::ZERO);
        let mut max = config.max_distance;
        if !(position.is_finite() && rotation.is_finite() && direction.is_finite()) || max.is_nan()
        {
            return;
        }
        for moving in placed(shape, position, rotation) {
            let mut ask = |entry: &Entry, max: Real| {
                let Some(Impact { distance, at }) = entry.placed().cast(&moving, v, max, config)
                else {
                    return max;
                };
                if !self.admits(entry, &mut predicate) {
                    return max;
                }
                visit(ShapeHit {
                    id: self.id(entry),
                    piece: entry.piece,
                    distance,
                    point1: at.point1,
                    point2: at.point2,
                    normal1: at.normal,
                    normal2: -at.normal,
                })
            };
            max = self.boundless.iter().fold(max, |max, entry| max.min(ask(entry, max)));
            let mut bounds = moving.convex.aabb(moving.position, moving.rotation);
            let target = Vec3::splat(config.target_distance.max(0.0));
            bounds = Aabb { min: bounds.min - target, max: bounds.max + target };
            let mut shorter = max;
            self.bvh.cast_box(bounds, v, max, |k, max| {
                let new = ask(&self.entries[k as usize], max);
                shorter = shorter.min(new);
                new
            });
            max = shorter;
        }
    }

    /// The point nearest to `point` of all colliders within `max_distance` (m); inside a collider it is
    /// the point itself if `solid`, else the nearest point of its surface.
    #[must_use]
    pub fn project_point(
        &self,
        point: Vec3,
        max_distance: Real,
        solid: bool,
        mut predicate: impl FnMut(BodyId, &Collider) -> bool,
    ) -> Option<PointProjection> {
        let mut best: Option<(Real, PointProjection)> = None;
        let mut ask = |entry: &Entry, max: Real| {
            let Some((at, is_inside)) = entry.placed().project(point, solid) else { return max };
            let distance = (at - point).length();
            let id = self.id(entry);
            let found = PointProjection { id, piece: entry.piece, point: at, is_inside };
            let less = |(far, best): (Real, PointProjection)| {
                let key = |p: &PointProjection| (p.id, p.piece);
                distance < far || distance == far && key(&found) < key(&best)
            };
            if distance > max || !best.is_none_or(less) || !self.admits(entry, &mut predicate) {
                return max;
            }
            best = Some((distance, found));
            distance
        };
        let max = self.boundless.iter().fold(max_distance, |max, entry| max.min(ask(entry, max)));
        self.bvh.nearest(point, max, |k, max| ask(&self.entries[k as usize], max));
        best.map(|(_, found)| found)
    }

    /// The colliders that hold a point, ascending.
    pub fn point_intersections(
        &self,
        point: Vec3,
        predicate: impl FnMut(BodyId, &Collider) -> bool,
        found: &mut Vec<ColliderId>,
    ) {
        let holds =
            |entry: &Entry| entry.placed().project(point, true).is_some_and(|(_, inside)| inside);
        found.clear();
        self.meet(Aabb { min: point, max: point }, predicate, holds, found);
        tidy(found);
    }

    /// The colliders with a piece whose box meets a box, ascending; of half-spaces, those that meet it.
    pub fn aabb_intersections(
        &self,
        aabb: Aabb,
        predicate: impl FnMut(BodyId, &Collider) -> bool,
        found: &mut Vec<ColliderId>,
    ) {
        let meets = |entry: &Entry| {
            let Convex::HalfSpace(plane) = entry.convex else { return true };
            let normal = entry.rotation * plane.normal;
            let lowest = Vec3::select(normal.cmpgt(Vec3::ZERO), aabb.min, aabb.max);
            normal.dot(lowest - entry.position) <= 0.0
        };
        found.clear();
        self.meet(aabb, predicate, meets, found);
        tidy(found);
    }

    /// The colliders that a shape touches, ascending.
    pub fn shape_intersections(
        &self,
        shape: &Shape,
        position: Vec3,
        rotation: Quat,
        mut predicate: impl FnMut(BodyId, &Collider) -> bool,
        found: &mut Vec<ColliderId>,
    ) {
        found.clear();
        for piece in placed(shape, position, rotation) {
            let bounds = piece.convex.aabb(piece.position, piece.rotation);
            let touches = |entry: &Entry| entry.placed().touches(&piece);
            self.meet(bounds, &mut predicate, touches, found);
        }
        tidy(found);
    }

    /// Adds the colliders of pieces in a box that pass a test.
    fn meet(
        &self,
        bounds: Aabb,
        mut predicate: impl FnMut(BodyId, &Collider) -> bool,
        test: impl Fn(&Entry) -> bool,
        found: &mut Vec<ColliderId>,
    ) {
        let mut ask = |entry: &Entry| {
            if test(entry) && self.admits(entry, &mut predicate) {
                found.push(self.id(entry));
            }
        };
        self.boundless.iter().for_each(&mut ask);
        self.bvh.overlaps(&bounds, |k| ask(&self.entries[k as usize]));
    }
}

/// Distance (m), collider and piece of a hit.
type HitKey = (Real, ColliderId, u32);

/// The order of hits.
fn by_distance(a: &HitKey, b: &HitKey) -> Ordering {
    a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)))
}

/// Keeps the first hit on every collider, in order. A shape of several pieces may hit a piece twice at one
/// distance: the sorts keep those as they came.
fn keep_first<H>(hits: &mut Vec<H>, key: impl Fn(&H) -> HitKey) {
    let order = |a: &H, b: &H| by_distance(&key(a), &key(b));
    hits.sort_by(|a, b| key(a).1.cmp(&key(b).1).then(order(a, b)));
    hits.dedup_by_key(|hit| key(hit).1);
    hits.sort_by(order);
}

fn tidy(found: &mut Vec<ColliderId>) {
    found.sort_unstable();
    found.dedup();
}
