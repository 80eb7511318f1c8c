//! Spatial queries: what a ray, a moving shape, a point or a box meets among the bodies.
//!
//! Bodies in → a [`QueryTree`] → hits out. The tree is a copy of where everything is at the time it is
//! built or updated: it stays right until a body moves, and takes up what moved. A query finds pieces by
//! their boxes ([`Bvh`](crate::engine::bvh::Bvh)) and asks each ([`Placed`]); every answer names body,
//! collider and piece and does not depend on the shape of the tree.
//!
//! Directions need not have length one where a function does not say so; distances are in meters in any
//! case. A query meets the colliders for which its predicate is true, and nothing where a number is none. It
//! changes nothing and keeps no memory.

mod layer;
pub(crate) mod piece;
mod tree;

pub use self::piece::{CastConfig, Closest, Metric, Placed, PlacedShape, closest, ratio};
pub use self::tree::QueryTree;

use crate::engine::state::body::BodyId;
use crate::math::{Real, Vec3};

/// Names a collider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId {
    /// Its body.
    pub body: BodyId,
    /// Which of the body's colliders.
    pub collider: u32,
}

/// Where a ray meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// What it meets.
    pub id: ColliderId,
    /// Which of the body's pieces.
    pub piece: u32,
    /// Distance from the origin (m).
    pub distance: Real,
    /// Unit normal of the surface against the ray; zero at an origin inside.
    pub normal: Vec3,
}

/// Where a moving shape meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// What it meets.
    pub id: ColliderId,
    /// Which of the body's pieces.
    pub piece: u32,
    /// How far the shape has moved (m).
    pub distance: Real,
    /// World point on the collider that is met (m).
    pub point1: Vec3,
    /// World point on the shape where it is then (m).
    pub point2: Vec3,
    /// Outward unit normal of the collider, in the world.
    pub normal1: Vec3,
    /// Outward unit normal of the shape, in the world.
    pub normal2: Vec3,
}

/// The point of a collider nearest to a given one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointProjection {
    /// The collider.
    pub id: ColliderId,
    /// Which of the body's pieces.
    pub piece: u32,
    /// The nearest point (m).
    pub point: Vec3,
    /// Was the given point inside?
    pub is_inside: bool,
}
