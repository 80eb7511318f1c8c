//! Where a joint sits on its ends: in their frames, or in the world until they are there.

use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use crate::engine::joint;
use crate::math::{Quat, Real, Vec3, quat_conjugate, quat_mul, quat_rotate};

/// Where a joint sits on one of its ends, and how it is turned there.
///
/// What is given in the world is taken over into the frame of the body once, when both ends are there,
/// from the poses they have then; from then on the component holds it in the frame of the body.
///
/// ```
/// use orthant::math::{Quat, Vec3};
/// use orthant::plugin::JointFrame;
///
/// assert!(JointFrame::world(Vec3::Y, Quat::IDENTITY).is_world());
/// assert!(!JointFrame::local(Vec3::Y, Quat::IDENTITY).is_world());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Debug, Default, PartialEq, Clone)]
pub struct JointFrame {
    /// The point on the end.
    pub anchor: JointAnchor,
    /// The axes of the joint. Its x axis is the one of a hinge, of a slide, of a twist.
    pub basis: JointBasis,
}

/// A point (m) in the frame of a body or in the world. On an end that is the world they are the same.
///
/// ```
/// use orthant::math::Vec3;
/// use orthant::plugin::JointAnchor;
/// use orthant::prelude::*;
///
/// let hook = Joint::spherical(None, None).with_anchor(Vec3::Y);
/// assert_eq!(hook.frame_a.anchor, JointAnchor::World(Vec3::Y));
/// let shoulder = Joint::spherical(None, None).with_anchors(Vec3::X, Vec3::Y);
/// assert_eq!(shoulder.frame_b.anchor, JointAnchor::Local(Vec3::Y));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Debug, Default, PartialEq, Clone)]
pub enum JointAnchor {
    /// In the frame of the body.
    Local(Vec3),
    /// In the world.
    World(Vec3),
}

/// Axes of a joint in the frame of a body or in the world. On an end that is the world they are the same.
///
/// ```
/// use orthant::math::{Quat, Vec3};
/// use orthant::plugin::JointBasis;
/// use orthant::prelude::*;
///
/// // The axis of a hinge is x of its basis.
/// let along_x = Joint::hinge(None, None);
/// assert_eq!(along_x.frame_a.basis, JointBasis::Local(Quat::IDENTITY));
/// let along_z = Joint::hinge(None, None).with_axis(Vec3::Z);
/// assert!(matches!(along_z.frame_a.basis, JointBasis::World(_)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Debug, Default, PartialEq, Clone)]
pub enum JointBasis {
    /// In the frame of the body.
    Local(Quat),
    /// In the world.
    World(Quat),
}

impl Default for JointAnchor {
    fn default() -> Self {
        Self::Local(Vec3::ZERO)
    }
}

impl Default for JointBasis {
    fn default() -> Self {
        Self::Local(Quat::IDENTITY)
    }
}

impl JointFrame {
    /// A frame at a point (m) with these axes, in the frame of the body.
    #[must_use]
    pub const fn local(anchor: Vec3, basis: Quat) -> Self {
        Self { anchor: JointAnchor::Local(anchor), basis: JointBasis::Local(basis) }
    }

    /// A frame at a point (m) with these axes, in the world.
    #[must_use]
    pub const fn world(anchor: Vec3, basis: Quat) -> Self {
        Self { anchor: JointAnchor::World(anchor), basis: JointBasis::World(basis) }
    }

    /// Is anything given in the world?
    #[must_use]
    pub const fn is_world(&self) -> bool {
        matches!(self.anchor, JointAnchor::World(_)) || matches!(self.basis, JointBasis::World(_))
    }

    /// In the frame of an end, whose pose is given.
    pub(super) fn resolve(&self, (position, rotation): (Vec3, Quat)) -> joint::JointFrame {
        let inverse = quat_conjugate(rotation);
        let anchor = match self.anchor {
            JointAnchor::Local(anchor) => anchor,
            JointAnchor::World(anchor) => quat_rotate(inverse, anchor - position),
        };
        let basis = match self.basis {
            JointBasis::Local(basis) => basis,
            JointBasis::World(basis) => quat_mul(inverse, basis),
        };
        joint::JointFrame { anchor, basis }
    }
}

/// Axes of which x has this direction; no number for one without direction, so that it is refused.
pub(in crate::plugin) fn basis_along(axis: Vec3) -> Quat {
    let is_direction = axis.is_finite() && axis.length_squared() > 0.0;
    let along = joint::JointFrame::along(Vec3::ZERO, axis).basis;
    if is_direction { along } else { Quat::from_xyzw(Real::NAN, 0.0, 0.0, 1.0) }
}
