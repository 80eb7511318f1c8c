//! Spatial queries: what a ray, a moving shape, a point or a box meets among the bodies.
//!
//! Bodies in → a [`QueryTree`] → hits out. The tree is a copy of where everything is at the time it is
//! built: it stays right until a body moves, and is cheap to build anew. A query finds pieces by their
//! boxes ([`Bvh`](super::bvh::Bvh)) and asks each ([`Placed`]); every answer names body, collider and
//! piece and does not depend on the shape of the tree.
//!
//! Directions need not have length one where a function does not say so; distances are in meters in any
//! case. What is not a number is met by nothing. Queries change nothing and keep no memory.

mod tree;

pub use self::tree::QueryTree;
pub use super::geometry::query::{
    CastConfig, Closest, Metric, Placed, PlacedShape, closest, ratio,
};

use crate::engine::state::body::BodyId;
use crate::engine::state::collider::Collider;
use crate::math::{Real, Vec3};

/// Names a collider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId {
    /// Its body.
    pub body: BodyId,
    /// Which of the body's colliders.
    pub collider: u32,
}

/// Which colliders a query meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Colliders in one of these layers, one bit each.
    pub mask: u32,
    /// Sensors too.
    pub sensors: bool,
}

impl Default for Filter {
    /// All.
    fn default() -> Self {
        Self { mask: u32::MAX, sensors: true }
    }
}

impl Filter {
    /// Does the query meet this collider?
    #[inline]
    #[must_use]
    pub fn admits(&self, collider: &Collider) -> bool {
        collider.layers.memberships & self.mask != 0 && (self.sensors || !collider.sensor)
    }
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
