//! What a character meets on a way, and what is near it.
//!
//! Bodies are asked through the tree of queries, where they were after the last step. Other characters,
//! which move in this step, too, are asked one by one, where they are going to be; see [`Other`].

use smallvec::SmallVec;

use crate::engine::Simulation;
use crate::engine::body::{Body, BodyId};
use crate::engine::collider::Collider;
use crate::engine::query::{CastConfig, Placed, QueryTree};
use crate::engine::ratio::{Measured, PortalCache, Relative, measure, near_centers};
use crate::engine::shape::{Aabb, Convex, Shape};
use crate::math::{EPSILON, Quat, Real, Vec3, quat_mul, quat_rotate, quat_to_mat3};

/// Rounds of a cast against another character; each is a step of Newton's method from the safe side.
const ROUNDS_MAX: u32 = 32;

/// What is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Met {
    /// Its body.
    pub(super) body: BodyId,
    /// The name of the collider.
    pub(super) tag: u64,
    /// How far the shape moves until then, or how far it is away, negative by the depth (m).
    pub(super) distance: Real,
    /// World point on it (m).
    pub(super) point: Vec3,
    /// Its outward unit normal, in the world.
    pub(super) normal: Vec3,
}

/// A character, as others meet it.
#[derive(Clone, Debug)]
pub(super) struct Other {
    pub(super) body: BodyId,
    pub(super) tag: u64,
    pub(super) shape: Shape,
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
}

/// Everything that a shape of one rotation can meet.
pub(super) struct Surroundings<'a> {
    pub(super) engine: &'a Simulation,
    pub(super) tree: &'a QueryTree,
    /// Is this collider of this body there?
    pub(super) admits: &'a dyn Fn(BodyId, &Collider) -> bool,
    pub(super) others: &'a [Other],
    pub(super) shape: &'a Shape,
    pub(super) rotation: Quat,
}

/// The pieces of a shape in the world.
fn placed(shape: &Shape, position: Vec3, rotation: Quat) -> impl Iterator<Item = Placed<'_>> {
    let turn = quat_to_mat3(rotation);
    shape.pieces().iter().map(move |piece| Placed {
        convex: &piece.convex,
        position: position + quat_rotate(rotation, piece.position),
        rotation: turn * quat_to_mat3(piece.rotation),
    })
}

impl Surroundings<'_> {
    /// The first that the shape meets from a position (m), along a unit direction, at most `max` (m) far,
    /// where it comes as near as `apart` (m).
    pub(super) fn cast(
        &self,
        position: Vec3,
        direction: Vec3,
        max: Real,
        apart: Real,
    ) -> Option<Met> {
        let config = CastConfig {
            max_distance: max,
            target_distance: apart,
            ignore_origin_penetration: true,
            ..CastConfig::default()
        };
        let (shape, rotation, admits) = (self.shape, self.rotation, self.admits);
        let hit = self.tree.cast_shape(shape, position, rotation, direction, &config, admits);
        let mut first = hit.and_then(|hit| {
            let collider = self.collider(hit.id.body, hit.id.collider)?;
            let (body, tag) = (hit.id.body, collider.tag);
            // A normal of length zero would be that of an overlap whose depth is unknown.
            (hit.normal1 != Vec3::ZERO).then_some(Met {
                body,
                tag,
                distance: hit.distance,
                point: hit.point1,
                normal: hit.normal1,
            })
        });
        for other in self.others {
            let max = first.map_or(max, |first| first.distance);
            let reach = shape.bounding_radius() + other.shape.bounding_radius() + apart + max;
            if (other.position - position).length() > reach {
                continue;
            }
            for piece in placed(&other.shape, other.position, other.rotation) {
                for moving in placed(shape, position, rotation) {
                    let met = cast_to(&piece, &moving, direction, max, apart);
                    let met = met.map(|met| Met { body: other.body, tag: other.tag, ..met });
                    let is_first = |met: &Met| first.is_none_or(|f| met.distance < f.distance);
                    first = met.filter(is_first).or(first);
                }
            }
        }
        first
    }

    /// Everything nearer than `reach` (m) to the shape at a position (m), nearest or deepest first.
    pub(super) fn near(&self, position: Vec3, reach: Real) -> SmallVec<[Met; 8]> {
        let mut found = SmallVec::new();
        let mut ids = Vec::new();
        let bounds = grown(self.shape.aabb(position, self.rotation), reach);
        self.tree.aabb_intersections(bounds, self.admits, &mut ids);
        for id in ids {
            let Some(body) = self.engine.body(id.body) else { continue };
            let Some(it) = body.colliders().list().get(id.collider as usize) else { continue };
            let at = body.position() + quat_rotate(body.rotation(), it.position);
            let turn = quat_mul(body.rotation(), it.rotation);
            self.add_near((&it.shape, at, turn), (id.body, it.tag), position, reach, &mut found);
        }
        for other in self.others {
            let pose = (&other.shape, other.position, other.rotation);
            self.add_near(pose, (other.body, other.tag), position, reach, &mut found);
        }
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        found
    }

    /// The surface next to a point, in the direction `into`: its unit normal, if it is within `reach` (m)
    /// below `up`.
    pub(super) fn surface(&self, point: Vec3, into: Vec3, up: Vec3, reach: Real) -> Option<Vec3> {
        let from = point + (into + up) * reach;
        let admits = self.admits;
        let hit = self.tree.cast_ray(from, -up, 2.0 * reach, false, admits)?;
        Some(hit.normal)
    }

    /// A body by its name.
    pub(super) fn body(&self, id: BodyId) -> Option<&Body> {
        self.engine.body(id)
    }

    fn collider(&self, body: BodyId, collider: u32) -> Option<&Collider> {
        self.engine.body(body)?.colliders().list().get(collider as usize)
    }

    /// Adds the pieces of one collider that are near.
    fn add_near(
        &self,
        (shape, at, turn): (&Shape, Vec3, Quat),
        (body, tag): (BodyId, u64),
        position: Vec3,
        reach: Real,
        found: &mut SmallVec<[Met; 8]>,
    ) {
        for moving in placed(self.shape, position, self.rotation) {
            let bounds = grown(moving.convex.aabb(moving.position, moving.rotation), reach);
            for piece in placed(shape, at, turn) {
                if !bounds.meets(piece.convex.aabb(piece.position, piece.rotation)) {
                    continue;
                }
                let met = meet(&piece, &moving).filter(|met| met.distance < reach);
                found.extend(met.map(|met| Met { body, tag, ..met }));
            }
        }
    }
}

fn grown(bounds: Aabb, by: Real) -> Aabb {
    Aabb { min: bounds.min - Vec3::splat(by), max: bounds.max + Vec3::splat(by) }
}

/// How near a piece is to one that moves: apart by their distance, in overlap by the ratio metric.
fn meet(piece: &Placed, moving: &Placed) -> Option<Met> {
    let closest = piece.closest(moving)?;
    let met = Met {
        body: BodyId(0),
        tag: 0,
        distance: closest.distance,
        point: closest.point1,
        normal: closest.normal,
    };
    if closest.distance >= 0.0 {
        return Some(met);
    }
    let (distance, normal) = overlap(piece, moving)?;
    Some(Met { distance, normal, ..met })
}

/// Separation (m) and normal by the ratio metric; a piece of the surroundings, which may be as wide as a
/// ground, grows about a point near the one that moves.
fn overlap(piece: &Placed, moving: &Placed) -> Option<(Real, Vec3)> {
    let (Convex::Hull(a), Convex::Hull(b)) = (piece.convex, moving.convex) else {
        let ratio = piece.ratio(moving)?;
        return Some((ratio.separation, ratio.normal));
    };
    let relative = Relative::new(piece.position, piece.rotation, moving.position, moving.rotation);
    let centers = near_centers([a, b], [true, false], &relative);
    match measure(a, b, &relative, &centers, Real::INFINITY, &mut PortalCache::default()) {
        Measured::Near(ratio) => Some((ratio.separation, piece.rotation * ratio.normal)),
        Measured::Apart { .. } => None,
    }
}

/// Where a piece that moves along a unit direction comes as near as `apart` (m) to another one: the way to
/// the plane between them is safe, and the next plane is taken from there.
fn cast_to(
    piece: &Placed,
    moving: &Placed,
    direction: Vec3,
    max: Real,
    apart: Real,
) -> Option<Met> {
    let mut distance = 0.0;
    for _ in 0..ROUNDS_MAX {
        let ahead = Placed { position: moving.position + direction * distance, ..*moving };
        let met = meet(piece, &ahead)?;
        let (gap, approach) = (met.distance - apart, -met.normal.dot(direction));
        if approach <= 0.0 {
            return None;
        }
        if gap <= EPSILON * (apart + met.point.length()) {
            return Some(Met { distance, ..met });
        }
        distance += gap / approach;
        if distance.is_nan() || distance > max {
            return None;
        }
    }
    // Rounding: it is as near as it gets.
    meet(piece, &Placed { position: moving.position + direction * distance, ..*moving })
        .map(|met| Met { distance, ..met })
}
