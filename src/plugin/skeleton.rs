//! Ragdolls: bodies, colliders and joints from a list of bones.
//!
//! Each bone becomes a body whose frame is in the middle of the bone, with y along it, and a joint to its
//! parent where it begins. Angles count from the pose in which the bones are given.

use bevy_ecs::name::Name;
use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_transform::components::Transform;

use super::components::RigidBody;
use super::constructor::ColliderConstructor;
use super::frame::Frame;
use super::joints::{Joint, JointFrame, basis_along};
use super::mass::ColliderDensity;
use crate::math::{
    PI, Real, Vec3, quat_conjugate, quat_exp, quat_mul, quat_normalize, quat_rotate, single_quat,
    single3,
};

/// How a bone hangs on its parent.
///
/// ```
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// let elbow = BoneJoint::Hinge { axis: Vec3::X, min: 0.0, max: 2.5 };
/// let shoulder = BoneJoint::Ball { swing: 1.6, twist: 0.8 };
/// assert_ne!(elbow, shoulder);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum BoneJoint {
    /// The bone does not move against its parent.
    Fixed,
    /// A ball joint: the bone swings and twists about where it points in the pose of the skeleton.
    Ball {
        /// Largest angle of the swing (rad), within (0, π].
        swing: Real,
        /// Largest twist either way (rad), ≥ 0.
        twist: Real,
    },
    /// A hinge.
    Hinge {
        /// Its axis in the frame of the skeleton, of any length.
        axis: Vec3,
        /// Smallest angle (rad).
        min: Real,
        /// Largest angle (rad).
        max: Real,
    },
}

/// A bone of a [`Skeleton`], in the frame of the skeleton.
///
/// ```
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// let neck = BoneJoint::Ball { swing: 0.6, twist: 0.8 };
/// let head = Bone::new("head", Vec3::Y * 1.5, Vec3::Y * 1.75, 0.1).on("chest", neck).with_friction(0.5);
/// assert_eq!(head.parent.as_deref(), Some("chest"));
/// // A capsule of 25 cm from end to end.
/// assert_eq!(head.shape, ColliderConstructor::Capsule { radius: 0.1, length: 0.25 - 2.0 * 0.1 });
/// ```
#[derive(Clone, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Bone {
    /// The `Name` of its entity.
    pub name: String,
    /// The bone on which it hangs: the name of one that stands before it in the list; none of a root.
    pub parent: Option<String>,
    /// Where it begins and hangs on its parent (m).
    pub start: Vec3,
    /// Where it ends (m).
    pub end: Vec3,
    /// Its shape, with the origin in the middle of the bone and y along it.
    pub shape: ColliderConstructor,
    /// Its density [kg/m³], > 0.
    pub density: Real,
    /// How it hangs on its parent.
    pub joint: BoneJoint,
    /// Friction of that joint (N·m), ≥ 0; a little makes a ragdoll come to rest.
    pub friction: Real,
}

impl Bone {
    /// A bone from one point to another, of a radius (m), as dense as water: a capsule, which ends where the
    /// bone ends; a root, to be hung on another with [`on`](Self::on).
    #[must_use]
    pub fn new(name: impl Into<String>, start: Vec3, end: Vec3, radius: Real) -> Self {
        let length = start.distance(end);
        let radius = radius.min(0.5 * length);
        let shape = if length > 2.0 * radius {
            ColliderConstructor::Capsule { radius, length: length - 2.0 * radius }
        } else {
            ColliderConstructor::Sphere { radius }
        };
        let (name, parent, joint) = (name.into(), None, BoneJoint::Fixed);
        Self { name, parent, start, end, shape, density: 1000.0, joint, friction: 0.0 }
    }

    /// Hangs on the bone of this name by this joint.
    #[must_use]
    pub fn on(mut self, parent: impl Into<String>, joint: BoneJoint) -> Self {
        (self.parent, self.joint) = (Some(parent.into()), joint);
        self
    }

    /// With another shape, its origin in the middle of the bone and y along it.
    #[must_use]
    pub fn with_shape(mut self, shape: ColliderConstructor) -> Self {
        self.shape = shape;
        self
    }

    /// With this density [kg/m³], > 0.
    #[must_use]
    pub const fn with_density(mut self, density: Real) -> Self {
        self.density = density;
        self
    }

    /// With this friction of its joint (N·m), ≥ 0.
    #[must_use]
    pub const fn with_friction(mut self, friction: Real) -> Self {
        self.friction = friction;
        self
    }

    /// The frame of its body: in the middle, y along it. None for a bone without a length.
    fn frame(&self) -> Option<Frame> {
        let along = self.end - self.start;
        let basis = basis_along(along);
        let position = (self.start + self.end) * 0.5;
        // The turn about z takes y to x, which the basis takes along the bone.
        let rotation = quat_normalize(quat_mul(basis, quat_exp(Vec3::Z * (-0.5 * PI))));
        let is_sound = position.is_finite() && basis.is_finite();
        is_sound.then_some(Frame { position, rotation, scale: Vec3::ONE })
    }
}

/// Bones, each after its parent: a description of a ragdoll that can be written to a file.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) -> Result {
///     let knee = BoneJoint::Hinge { axis: Vec3::X, min: 0.0, max: 2.4 };
///     let leg = Skeleton::new([
///         Bone::new("thigh", Vec3::ZERO, Vec3::NEG_Y * 0.4, 0.08),
///         Bone::new("shin", Vec3::NEG_Y * 0.4, Vec3::NEG_Y * 0.8, 0.06).on("thigh", knee),
///     ]);
///     leg.spawn(&mut commands, Transform::from_xyz(0.0, 2.0, 0.0))?;
///     Skeleton::human(1.8).spawn(&mut commands, Transform::from_xyz(2.0, 1.5, 0.0))?;
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Skeleton {
    /// Its bones, each after its parent.
    pub bones: Vec<Bone>,
}

/// The entities of a [`Skeleton`] that was spawned.
///
/// ```
/// # use bevy_transform::components::Transform;
/// use orthant::prelude::*;
///
/// # let mut world = bevy_ecs::world::World::new();
/// let ragdoll = Skeleton::human(1.8).spawn(&mut world.commands(), Transform::default());
/// let ragdoll = ragdoll.expect("a sound skeleton");
/// world.flush();
/// let hanging = ragdoll.joints.iter().flatten().count();
/// assert_eq!(hanging, ragdoll.bones.len() - 1, "all but the root hang on a joint");
/// let root = ragdoll.bones[0];
/// assert!(world.entity(root).contains::<RigidBody>());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ragdoll {
    /// The bodies, one a bone.
    pub bones: Vec<Entity>,
    /// The joint by which each bone hangs on its parent; none of roots.
    pub joints: Vec<Option<Entity>>,
}

/// What is wrong with a [`Skeleton`].
///
/// ```
/// use orthant::math::Vec3;
/// use orthant::plugin::SkeletonError;
/// use orthant::prelude::*;
///
/// let stump = Skeleton::new([Bone::new("stump", Vec3::ZERO, Vec3::ZERO, 0.1)]);
/// # let mut world = bevy_ecs::world::World::new();
/// # let refused = stump.spawn(&mut world.commands(), Default::default());
/// assert_eq!(refused, Err(SkeletonError::NoLength("stump".into())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// No bone before it has the name of its parent.
    #[error("the parent {parent:?} of the bone {bone:?} does not stand before it")]
    NoParent {
        /// Name of the bone.
        bone: String,
        /// Name of its parent.
        parent: String,
    },
    /// Two bones have the same name.
    #[error("two bones are called {0:?}")]
    SameName(String),
    /// A bone begins and ends in one place, or not at numbers.
    #[error("the bone {0:?} has no length, or an end that is infinite or not a number")]
    NoLength(String),
}

impl Skeleton {
    /// A skeleton of these bones, each after its parent.
    #[must_use]
    pub fn new(bones: impl Into<Vec<Bone>>) -> Self {
        Self { bones: bones.into() }
    }

    /// Spawns bodies, colliders and joints, with the frame of the skeleton at a translation (m) and a
    /// rotation; the scale does not count. The entities can be given more components as any others.
    ///
    /// # Errors
    /// A bone without a length, with the name of another, or whose parent does not stand before it. Then
    /// nothing is spawned. Numbers that make no shape or no joint are told as of any other entity.
    pub fn spawn(
        &self,
        commands: &mut Commands,
        transform: Transform,
    ) -> Result<Ragdoll, SkeletonError> {
        let parts = self.parts()?;
        let root = Frame::new(&transform.with_scale(bevy_math::Vec3::ONE), None);
        let mut ragdoll = Ragdoll::default();
        for (bone, &(frame, parent)) in self.bones.iter().zip(&parts) {
            let place = frame.below(root);
            let transform = Transform::from_translation(single3(place.position))
                .with_rotation(single_quat(place.rotation));
            let (name, density) = (Name::new(bone.name.clone()), ColliderDensity(bone.density));
            let body = (RigidBody::Dynamic, bone.shape.clone(), density, name, transform);
            let entity = commands.spawn(body).id();
            let joint = parent.map(|parent| {
                let ends = [ragdoll.bones[parent], entity];
                commands.spawn(bone.joint(ends, [parts[parent].0, frame])).id()
            });
            ragdoll.bones.push(entity);
            ragdoll.joints.push(joint);
        }
        Ok(ragdoll)
    }

    /// Frame and number of the parent of each bone.
    fn parts(&self) -> Result<Vec<(Frame, Option<usize>)>, SkeletonError> {
        let find =
            |before: &[Bone], name: &String| before.iter().position(|bone| bone.name == *name);
        let part = |(index, bone): (usize, &Bone)| {
            let before = &self.bones[..index];
            let name = || bone.name.clone();
            if find(before, &bone.name).is_some() {
                return Err(SkeletonError::SameName(name()));
            }
            let parent = match &bone.parent {
                None => None,
                Some(parent) => Some(find(before, parent).ok_or_else(|| {
                    SkeletonError::NoParent { bone: name(), parent: parent.clone() }
                })?),
            };
            let frame = bone.frame().ok_or_else(|| SkeletonError::NoLength(name()))?;
            Ok((frame, parent))
        };
        self.bones.iter().enumerate().map(part).collect()
    }

    /// A human of a height (m), > 0, upright, with the arms stretched out, facing +z, its waist at the
    /// origin: eleven bones with the proportions and the freedom of a grown-up, 75 kg at 1.8 m.
    #[must_use]
    pub fn human(height: Real) -> Self {
        let at = |x: Real, y: Real| Vec3::new(x, y, 0.0) * (height / 1.8);
        let size = |x: Real| x * (height / 1.8);
        let box_ = |x: Real, y: Real, z: Real| ColliderConstructor::Cuboid {
            x_length: size(x),
            y_length: size(y),
            z_length: size(z),
        };
        let ball = |swing, twist| BoneJoint::Ball { swing, twist };
        let bone = |name: &str, start, end, radius| Bone::new(name, start, end, size(radius));
        let mut bones = vec![
            bone("pelvis", at(0.0, -0.2), at(0.0, 0.0), 0.1).with_shape(box_(0.34, 0.18, 0.2)),
            bone("torso", at(0.0, 0.0), at(0.0, 0.52), 0.2)
                .with_shape(box_(0.4, 0.5, 0.22))
                .on("pelvis", ball(0.6, 0.4)),
            bone("head", at(0.0, 0.54), at(0.0, 0.78), 0.12).on("torso", ball(0.6, 0.9)),
        ];
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            let at = |x: Real, y: Real| at(sign * x, y);
            let name = |part: &str| format!("{side} {part}");
            let elbow = BoneJoint::Hinge { axis: Vec3::NEG_Y * sign, min: 0.0, max: 2.3 };
            let knee = BoneJoint::Hinge { axis: Vec3::X, min: 0.0, max: 2.4 };
            let limb = |part: &str, start, end, radius| bone(&name(part), start, end, radius);
            bones.extend([
                limb("upper arm", at(0.23, 0.45), at(0.55, 0.45), 0.055)
                    .on("torso", ball(1.3, 0.8)),
                limb("forearm", at(0.56, 0.45), at(0.87, 0.45), 0.045).on(name("upper arm"), elbow),
                limb("thigh", at(0.1, -0.2), at(0.1, -0.62), 0.075).on("pelvis", ball(1.0, 0.4)),
                limb("shin", at(0.1, -0.63), at(0.1, -1.05), 0.06).on(name("thigh"), knee),
            ]);
        }
        // Weight and size of what is turned grow with the fourth power of the height.
        let friction = 3.0 * (height / 1.8).powi(4);
        for bone in &mut bones {
            (bone.density, bone.friction) = (800.0, friction);
        }
        Self { bones }
    }
}

impl Bone {
    /// The joint to its parent, from the frames of both.
    fn joint(&self, [a, b]: [Entity; 2], frames: [Frame; 2]) -> Joint {
        let along = basis_along(self.end - self.start);
        let (joint, basis) = match self.joint {
            BoneJoint::Fixed => (Joint::fixed(a, b), along),
            BoneJoint::Ball { swing, twist } => {
                let joint = Joint::ball(a, b).with_swing_limit(swing);
                (joint.with_twist_limits(-twist, twist), along)
            }
            BoneJoint::Hinge { axis, min, max } => {
                (Joint::hinge(a, b).with_limits(min, max), basis_along(axis))
            }
        };
        let [frame_a, frame_b] = frames.map(|frame| {
            let inverse = quat_conjugate(frame.rotation);
            let anchor = quat_rotate(inverse, self.start - frame.position);
            JointFrame::local(anchor, quat_mul(inverse, basis))
        });
        let joint = joint.with_frames(frame_a, frame_b);
        match self.joint {
            BoneJoint::Fixed => joint,
            _ => joint.with_friction(self.friction),
        }
    }
}
