//! Why a joint is refused, in words.

use super::desc::{JointAxis, JointId};
use crate::engine::settings::ranges::RangeError;
use crate::engine::state::body::{BodyError, BodyId};
use crate::math::Real;

/// Why a joint was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JointError {
    /// One of the bodies.
    #[error("a joint needs bodies at its ends: {0}")]
    Body(BodyError),
    /// Both ends are on the same body.
    #[error("both ends of the joint are on body {}", .0.0)]
    SameBody(BodyId),
    /// Both ends are the world.
    #[error("both ends of the joint are the world")]
    NoBody,
    /// There is no joint of this id.
    #[error("there is no joint {}", .0.0)]
    Unknown(JointId),
    /// This property is NaN or infinite.
    #[error("{0} is NaN or infinite")]
    NotFinite(&'static str),
    /// A number is out of its range, see [`ranges`](crate::engine::settings::ranges).
    #[error(transparent)]
    Range(#[from] RangeError),
    /// This property is not positive.
    #[error("{0} must be positive, got {1}")]
    NotPositive(&'static str, Real),
    /// This property of an axis is negative or not a number.
    #[error("{1} of {0:?} must be at least 0, got {2}")]
    Negative(JointAxis, &'static str, Real),
    /// The least and largest distance of a distance joint are out of order or negative (m).
    #[error("a distance joint needs 0 <= min <= max and max > 0, got {0} m and {1} m")]
    Length(Real, Real),
    /// A limit, motor or friction is on an axis that is locked or has none.
    #[error(
        "this kind of joint has no limit, motor or friction on {0:?}: the axis is locked, or not its own"
    )]
    Locked(JointAxis),
    /// The limits of an axis are out of order or not numbers [m or rad].
    #[error("limits of {0:?} must be min <= max, got {1} and {2}")]
    Limits(JointAxis, Real, Real),
    /// A swing cone is on a joint that does not swing.
    #[error("only spherical, pivot and generic joints free to swing have a cone")]
    NoSwing,
    /// The angle of a swing cone is out of range (rad).
    #[error("the angle of a swing cone must be in (0, π], got {0} rad")]
    Swing(Real),
}
