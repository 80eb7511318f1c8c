//! What a body is made from: name, kind, pose, velocity, colliders, mass; and why it is refused.
//!
//! Input: what a user says, each field with a default. Output: a [`BodyDesc`], which
//! [`Body::new`](super::Body) checks.

use crate::engine::geometry::shape::Shape;
use crate::engine::geometry::shape::mass::MassProperties;
use crate::engine::settings::ranges::{self, Range, RangeError};
use crate::engine::state::collider::Collider;
use crate::engine::state::locked_axes::LockedAxes;
use crate::math::{Quat, Real, Vec3};

/// Names a body. Ids are given out in ascending order and never again; every list of the engine is
/// sorted by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId(pub u64);

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyKind {
    /// Moved by forces, contacts and joints.
    #[default]
    Dynamic,
    /// Moved by its velocity or target pose; pushes others and is not pushed.
    Kinematic,
    /// Does not move.
    Static,
}

/// Why a body or one of its properties was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// This property is NaN or infinite.
    #[error("{0} is NaN or infinite")]
    NotFinite(&'static str),
    /// A number is out of its range, see [`ranges`](crate::engine::settings::ranges).
    #[error(transparent)]
    Range(#[from] RangeError),
    /// The mass of a dynamic body is not positive (kg).
    #[error(
        "a dynamic body needs a positive mass, got {0} kg; give it a shape with volume, \
         a positive density, or a mass"
    )]
    Mass(Real),
    /// The inertia tensor of a dynamic body is not positive definite.
    #[error("the inertia tensor is not positive definite")]
    Inertia,
    /// A half-space can only be the shape of a static or kinematic body.
    #[error("a half-space has no mass: make its body static or kinematic")]
    HalfSpaceMoves,
    /// A mesh or height field can only be the shape of a static or kinematic body.
    #[error(
        "a mesh or height field has no volume: make its body static or kinematic, or give it convex hulls"
    )]
    MeshMoves,
    /// No body has this id.
    #[error("there is no body {}", .0.0)]
    Unknown(BodyId),
}

/// What a new body is made from. Every field has a default.
#[derive(Clone, Debug)]
pub struct BodyDesc {
    /// How it moves.
    pub kind: BodyKind,
    /// World position of the body's frame (m).
    pub position: Vec3,
    /// World rotation of the body's frame; normalized on entry.
    pub rotation: Quat,
    /// Velocity of the center of mass [m/s].
    pub linear_velocity: Vec3,
    /// Angular velocity in world axes [rad/s].
    pub angular_velocity: Vec3,
    /// Short for one collider in front of the others: a shape in the body's frame, with the `friction` below.
    pub shape: Option<Shape>,
    /// Colliders in the body's frame.
    pub colliders: Vec<Collider>,
    /// Density [kg/m³] from which the mass properties follow, unless `mass_properties` is given.
    pub density: Real,
    /// Mass, center of mass and inertia in the body's frame, instead of those of the shape.
    pub mass_properties: Option<MassProperties>,
    /// Coulomb friction coefficient μ (-) of `shape`; a contact takes the mean of both colliders'.
    pub friction: Real,
    /// Locked directions.
    pub locked_axes: LockedAxes,
    /// Factor on gravity (-).
    pub gravity_scale: Real,
    /// Rate at which the linear velocity decays [1/s].
    pub linear_damping: Real,
    /// Rate at which the angular velocity decays [1/s].
    pub angular_damping: Real,
    /// Is the body's path through a step searched for what it hits, as small fast bodies need? After a
    /// hit the rest of the step is lost for it.
    pub swept: bool,
    /// May it fall asleep?
    pub can_sleep: bool,
    /// A name for whoever made it; the engine does not look at it.
    pub tag: u64,
}

impl BodyDesc {
    /// Are the factor on gravity and both rates of damping in their ranges?
    ///
    /// # Errors
    /// The first that is not.
    pub fn check_coefficients(&self) -> Result<(), BodyError> {
        within("gravity scale", self.gravity_scale, ranges::GRAVITY_SCALE)?;
        within("linear damping", self.linear_damping, ranges::DAMPING)?;
        within("angular damping", self.angular_damping, ranges::DAMPING)
    }
}

/// Is a number finite, and in its range?
pub(super) fn within(what: &'static str, x: Real, range: Range) -> Result<(), BodyError> {
    if x.is_finite() { Ok(range.check(what, x)?) } else { Err(BodyError::NotFinite(what)) }
}

impl Default for BodyDesc {
    fn default() -> Self {
        Self {
            kind: BodyKind::Dynamic,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            shape: None,
            colliders: Vec::new(),
            density: 1.0,
            mass_properties: None,
            friction: 0.5,
            locked_axes: LockedAxes::NONE,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            swept: false,
            can_sleep: true,
            tag: 0,
        }
    }
}
