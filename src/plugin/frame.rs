//! Poses through hierarchies: a body below parents stands where Bevy shows it.
//!
//! The chain of `Transform`s is composed in the precision of the engine and with its scalar operations,
//! from the root down, and not read from `GlobalTransform`, which lags behind and is computed with
//! instructions that differ between machines. Scale of parents moves and does not shear: for parents
//! with unequal scales and a rotation below them Bevy's matrix shears, and a rigid body cannot follow.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_transform::components::Transform;
use smallvec::SmallVec;

use super::origin::FloatingOrigin;
use crate::engine::settings::ranges::POSITION;
use crate::math::{
    Quat, Vec3, from_single_quat, from_single3, quat_conjugate, quat_mul, quat_normalize,
    quat_rotate, single_quat, single3,
};

/// Deeper than any real hierarchy; a cycle of parents ends here.
pub(super) const DEPTH_MAX: usize = 1000;

/// A world pose with scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    /// World position of the origin (m).
    pub(super) position: Vec3,
    /// World rotation.
    pub(super) rotation: Quat,
    /// Product of the scales (-).
    pub(super) scale: Vec3,
}

impl Frame {
    /// The world's.
    pub(super) const IDENTITY: Self =
        Self { position: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// The frame of a transform, below a parent or in the world.
    pub(super) fn new(transform: &Transform, parent: Option<Self>) -> Self {
        let frame = Self {
            position: from_single3(transform.translation),
            rotation: from_single_quat(transform.rotation),
            scale: from_single3(transform.scale),
        };
        parent.map_or(frame, |parent| frame.below(parent))
    }

    /// A frame that is given in another one, seen from where that is seen from.
    pub(super) fn below(self, parent: Self) -> Self {
        Self {
            position: parent.position + quat_rotate(parent.rotation, parent.scale * self.position),
            rotation: quat_normalize(quat_mul(parent.rotation, self.rotation)),
            scale: parent.scale * self.scale,
        }
    }

    /// Translation and rotation below this frame of a world pose.
    pub(super) fn local(
        &self,
        position: Vec3,
        rotation: Quat,
    ) -> (bevy_math::Vec3, bevy_math::Quat) {
        let inverse = quat_conjugate(self.rotation);
        let offset = quat_rotate(inverse, position - self.position) / self.scale;
        (single3(offset), single_quat(quat_normalize(quat_mul(inverse, rotation))))
    }

    /// Is the position within its range, and every other number finite?
    pub(super) fn is_sound(&self) -> bool {
        POSITION.holds(self.position) && self.rotation.is_finite() && self.scale.is_finite()
    }
}

/// The frame of the parent, if there is one with a transform, below `root`, in which roots stand. `get` gives
/// the transform of an entity and its parent.
pub(super) fn parent_frame(
    root: Option<Frame>,
    child_of: Option<&ChildOf>,
    get: impl Fn(Entity) -> Option<(Transform, Option<Entity>)>,
) -> Option<Frame> {
    let mut chain = SmallVec::<[Transform; 4]>::new();
    let mut next = child_of.map(ChildOf::parent);
    while let Some((transform, above)) = next.and_then(&get) {
        chain.push(transform);
        next = above.filter(|_| chain.len() < DEPTH_MAX);
    }
    chain.iter().rev().fold(root, |parent, transform| Some(Frame::new(transform, parent)))
}

/// The frame of an entity below another, whose world scale is given, seen from there. `get` gives the
/// transform of an entity and its parent.
pub(super) fn frame_below(
    top: Entity,
    scale: Vec3,
    entity: Entity,
    get: impl Fn(Entity) -> Option<(Transform, Option<Entity>)>,
) -> Frame {
    let mut chain = SmallVec::<[Transform; 4]>::new();
    let mut next = Some(entity);
    while let Some((transform, above)) = next.filter(|&e| e != top).and_then(&get) {
        chain.push(transform);
        next = above.filter(|_| chain.len() < DEPTH_MAX);
    }
    let frame = Frame { scale, ..Frame::IDENTITY };
    chain.iter().rev().fold(frame, |parent, transform| Frame::new(transform, Some(parent)))
}

/// Number of parents.
pub(super) fn depth(child_of: &ChildOf, get: impl Fn(Entity) -> Option<Entity>) -> u32 {
    let mut depth = 1;
    let mut next = get(child_of.parent());
    while let Some(parent) = next {
        depth += 1;
        next = get(parent).filter(|_| (depth as usize) < DEPTH_MAX);
    }
    depth
}

/// Transforms of parents, of disabled ones too.
#[derive(SystemParam)]
pub(super) struct Parents<'w, 's> {
    origin: Res<'w, FloatingOrigin>,
    transforms: Query<'w, 's, (&'static Transform, Option<&'static ChildOf>), Allow<Disabled>>,
}

impl Parents<'_, '_> {
    /// The frame of the parent or, if there is none, of the origin; none if that did not move.
    pub(super) fn frame(&self, child_of: Option<&ChildOf>) -> Option<Frame> {
        self.frame_from(&self.origin, child_of)
    }

    /// That frame with another origin.
    pub(super) fn frame_from(
        &self,
        origin: &FloatingOrigin,
        child_of: Option<&ChildOf>,
    ) -> Option<Frame> {
        parent_frame(origin.frame(), child_of, |entity| {
            let (transform, above) = self.transforms.get(entity).ok()?;
            Some((*transform, above.map(ChildOf::parent)))
        })
    }

    /// The parent, its parent, and so on.
    pub(super) fn above(&self, child_of: &ChildOf) -> impl Iterator<Item = Entity> {
        let parent = |&e: &Entity| self.transforms.get(e).ok()?.1.map(ChildOf::parent);
        core::iter::successors(Some(child_of.parent()), parent).take(DEPTH_MAX)
    }
}
