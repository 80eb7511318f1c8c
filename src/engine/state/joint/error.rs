//! Why a joint is refused, in words.

use super::desc::{JointAxis, JointId};
use crate::engine::settings::ranges::RangeError;
use crate::engine::state::body::{BodyError, BodyId};
use crate::math::Real;

/// Why a joint was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum JointError {
    /// One of the bodies.
    Body(BodyError),
    /// Both ends are on the same body.
    SameBody(BodyId),
    /// Both ends are the world.
    NoBody,
    /// There is no joint of this id.
    Unknown(JointId),
    /// This property is NaN or infinite.
    NotFinite(&'static str),
    /// A number is out of its range, see [`ranges`](crate::engine::settings::ranges).
    Range(RangeError),
    /// This property is not positive.
    NotPositive(&'static str, Real),
    /// This property of an axis is negative or not a number.
    Negative(JointAxis, &'static str, Real),
    /// The least and largest distance of a distance joint are out of order or negative (m).
    Length(Real, Real),
    /// A limit, motor or friction is on an axis that is locked or has none.
    Locked(JointAxis),
    /// The limits of an axis are out of order or not numbers [m or rad].
    Limits(JointAxis, Real, Real),
    /// A swing cone is on a joint that does not swing.
    NoSwing,
    /// The angle of a swing cone is out of range (rad).
    Swing(Real),
}

impl core::fmt::Display for JointError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Body(error) => write!(f, "a joint needs bodies at its ends: {error}"),
            Self::SameBody(id) => write!(f, "both ends of the joint are on body {}", id.0),
            Self::NoBody => write!(f, "both ends of the joint are the world"),
            Self::Unknown(id) => write!(f, "there is no joint {}", id.0),
            Self::NotFinite(what) => write!(f, "{what} is NaN or infinite"),
            Self::Range(error) => error.fmt(f),
            Self::NotPositive(what, x) => write!(f, "{what} must be positive, got {x}"),
            Self::Negative(axis, what, x) => {
                write!(f, "{what} of {axis:?} must be at least 0, got {x}")
            }
            Self::Length(min, max) => write!(
                f,
                "a distance joint needs 0 <= min <= max and max > 0, got {min} m and {max} m"
            ),
            Self::Locked(axis) => write!(
                f,
                "this kind of joint has no limit, motor or friction on {axis:?}: the axis is \
                 locked, or not its own"
            ),
            Self::Limits(axis, min, max) => {
                write!(f, "limits of {axis:?} must be min <= max, got {min} and {max}")
            }
            Self::NoSwing => {
                write!(f, "only spherical, pivot and generic joints free to swing have a cone")
            }
            Self::Swing(angle) => {
                write!(f, "the angle of a swing cone must be in (0, π], got {angle} rad")
            }
        }
    }
}

impl core::error::Error for JointError {}

impl From<RangeError> for JointError {
    fn from(error: RangeError) -> Self {
        Self::Range(error)
    }
}
