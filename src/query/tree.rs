//! Queries over all pieces of all bodies.
//!
//! Half-spaces have no finite box and are asked one by one. Of equal distances the least collider and piece
//! wins, so that an answer does not depend on the tree.
//!
//! What stands still and what moves are in trees of their own: only the second one is built anew as a world
//! goes on, and the first where much of it has moved, or much of the second has come to rest.

use core::cmp::Ordering;

use super::layer::{Entry, Layer, Owner};
use super::{ColliderId, PointProjection, RayHit, ShapeHit};
use crate::engine::geometry::bvh::Bvh;
use crate::engine::geometry::shape::{Aabb, Convex, Shape};
use crate::engine::state::bodies::Bodies;
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::changes::Stamp;
use crate::engine::state::collider::Collider;
use crate::math::{Quat, Real, Vec3, narrow3, widen3};
use crate::query::piece::{CastConfig, Impact, placed};

/// All pieces of all bodies, as they were when it was built or updated.
#[derive(Clone, Debug, Default)]
pub struct QueryTree {
    still: Layer,
    moving: Layer,
    /// Since when what is still has not changed, and when it was updated; none if it was built of a list.
    times: Option<[Stamp; 2]>,
}

/// Colliders that may be in the wrong layer before all are sorted anew, and as part of all (-): sorting takes
/// a microsecond each. With fewer a world in which few come to rest is sorted often, with more what moves
/// is built with much that does not.
const MISPLACED: usize = 64;
const MISPLACED_PART: usize = 16;

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
        self.sort(bodies.into_iter().map(|body| (body, false)));
        self.times = None;
    }

    /// Takes up what changed since the last time, of the same world. O(n), and O(m log m) for what moves.
    pub fn update(&mut self, bodies: &Bodies) {
        let now = bodies.changes().now();
        let Some([since, last]) = self.times else {
            self.rebuild(bodies.iter());
            self.times = Some([now, now]);
            return;
        };
        self.moving.clear();
        let (mut gone, mut resting) = (0, 0);
        let mut owners = self.still.owners.iter_mut().peekable();
        for (body, changed) in bodies.with_changes() {
            while let Some(owner) = owners.next_if(|owner| owner.id.body < body.id()) {
                owner.gone = true;
                gone += 1;
            }
            let moves = changed >= since;
            let mut known = false;
            while let Some(owner) = owners.next_if(|owner| owner.id.body == body.id()) {
                owner.gone = moves;
                gone += usize::from(moves);
                known = true;
            }
            if moves || !known {
                let before = self.moving.owners.len();
                self.moving.add(body);
                if changed < last {
                    resting += self.moving.owners.len() - before;
                }
            }
        }
        for owner in owners {
            owner.gone = true;
            gone += 1;
        }
        let all = self.still.owners.len() + self.moving.owners.len();
        if gone.max(resting) > MISPLACED.max(all / MISPLACED_PART) {
            self.sort(bodies.with_changes().map(|(body, changed)| (body, changed >= last)));
            self.times = Some([last, now]);
        } else {
            self.moving.build_boxes();
            self.times = Some([since, now]);
        }
    }

    /// Builds both layers of bodies and whether they move.
    fn sort<'a>(&mut self, bodies: impl Iterator<Item = (&'a Body, bool)>) {
        let Self { still, moving, .. } = self;
        still.clear();
        moving.clear();
        for (body, moves) in bodies {
            if moves { moving.add(body) } else { still.add(body) }
        }
        still.build_boxes();
        moving.build_boxes();
    }

    /// Since when what is still has not changed.
    #[cfg(test)]
    pub(crate) fn still(&self) -> Option<Stamp> {
        self.times.map(|[since, _]| since)
    }

    fn layers(&self) -> [&Layer; 2] {
        [&self.still, &self.moving]
    }

    /// The number of colliders.
    #[must_use]
    pub fn len(&self) -> usize {
        let there = |layer: &Layer| layer.owners.iter().filter(|owner| !owner.gone).count();
        self.layers().map(there).iter().sum()
    }

    /// Is there nothing to meet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
        let mut ask = |&Owner { id, ref collider, .. }: &Owner, entry: &Entry, max: Real| {
            let Some((distance, normal)) = entry.placed().ray(origin, v, max, solid) else {
                return max;
            };
            if !predicate(id.body, collider) {
                return max;
            }
            visit(RayHit { id, piece: entry.piece, distance, normal })
        };
        self.layers().iter().fold(max, |max, layer| {
            layer.ask(max, |bvh, max, visit| bvh.cast_ray(origin, v, max, visit), &mut ask)
        });
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
            let mut ask = |&Owner { id, ref collider, .. }: &Owner, entry: &Entry, max: Real| {
                let Some(Impact { distance, at }) = entry.placed().cast(&moving, v, max, config)
                else {
                    return max;
                };
                if !predicate(id.body, collider) {
                    return max;
                }
                visit(ShapeHit {
                    id,
                    piece: entry.piece,
                    distance,
                    point1: at.point1,
                    point2: at.point2,
                    normal1: at.normal,
                    normal2: -at.normal,
                })
            };
            let mut bounds = moving.convex.aabb(moving.position, moving.rotation);
            let target = Vec3::splat(config.target_distance.max(0.0));
            bounds = Aabb { min: bounds.min - target, max: bounds.max + target };
            max = self.layers().iter().fold(max, |max, layer| {
                let cast = |bvh: &Bvh, max: Real, visit: &mut dyn FnMut(u32, Real) -> Real| {
                    bvh.cast_box(bounds, v, max, visit);
                };
                layer.ask(max, cast, &mut ask)
            });
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
        let mut ask = |&Owner { id, ref collider, .. }: &Owner, entry: &Entry, max: Real| {
            let Some((at, is_inside)) = entry.placed().project(point, solid) else { return max };
            let distance = (at - point).length();
            let found = PointProjection { id, piece: entry.piece, point: at, is_inside };
            let less = |(far, best): (Real, PointProjection)| {
                let key = |p: &PointProjection| (p.id, p.piece);
                distance < far || distance == far && key(&found) < key(&best)
            };
            if distance > max || !best.is_none_or(less) || !predicate(id.body, collider) {
                return max;
            }
            best = Some((distance, found));
            distance
        };
        self.layers().iter().fold(max_distance, |max, layer| {
            layer.ask(max, |bvh, max, visit| bvh.nearest(point, max, visit), &mut ask)
        });
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
        let mut ask = |&Owner { id, ref collider, .. }: &Owner, entry: &Entry, max: Real| {
            if test(entry) && predicate(id.body, collider) {
                found.push(id);
            }
            max
        };
        for layer in self.layers() {
            let meet = |bvh: &Bvh, max: Real, visit: &mut dyn FnMut(u32, Real) -> Real| {
                bvh.overlaps(&bounds, |k| {
                    visit(k, max);
                });
            };
            layer.ask(Real::MAX, meet, &mut ask);
        }
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
