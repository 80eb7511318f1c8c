//! What the broad phase keeps of every body and of every piece.

use crate::engine::geometry::shape::Aabb;
use crate::engine::state::body::BodyId;
use crate::engine::state::collider::Layers;
use crate::math::{Quat, Real, Vec3};

/// What a body was when it was last live.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    pub(super) id: BodyId,
    pub(super) version: u32,
    pub(super) edits: u32,
    pub(super) layers: u32,
    /// Pose for which the boxes were made.
    pub(super) center: Vec3,
    pub(super) rotation: Quat,
    /// Its free velocity [m/s].
    pub(super) velocity: Vec3,
    /// By how much its boxes were enlarged in the step before (m).
    pub(super) grown: Real,
    /// Its first proxy.
    pub(super) first: u32,
    /// Its near pairs have to be found anew.
    pub(super) refilter: bool,
}

/// A piece of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proxy {
    /// Number of the piece, or of the first triangle.
    pub(super) piece: u32,
    /// Place in the list of the body's pieces.
    pub(super) slot: u32,
    /// The next proxy of the body.
    pub(super) next: u32,
    /// Leaf in the tree.
    pub(super) leaf: u32,
    /// Box without enlargement.
    pub(super) base: Aabb,
    /// Inradius (m); zero for sensors and meshes, and without bounds.
    pub(super) inradius: Real,
    pub(super) layers: Layers,
    pub(super) sensor: bool,
    pub(super) mesh: bool,
    pub(super) boundless: bool,
    /// Is its body static?
    pub(super) is_static: bool,
}
