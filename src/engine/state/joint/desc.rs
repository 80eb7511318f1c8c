//! What a joint is made from: name, ends, frames, kind, limits, motors, friction.
//!
//! A joint has six axes, three linear and three angular, along the axes of its frame on end a; x is *the*
//! axis: that of a hinge, of a slide, of a twist. The kind locks some; the others may have limits, a motor
//! and friction each.

use super::error::JointError;
use super::kind::JointKind;
use crate::engine::settings::ranges::{self, Range};
use crate::engine::state::body::BodyId;
use crate::math::{PI, Quat, Real, Vec3, quat_normalize};

/// Names a joint. Given out in ascending order, never again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointId(pub u64);

/// An axis of a joint.
///
/// ```
/// use orthant::engine::joint::JointAxis;
///
/// assert_eq!([JointAxis::LinearX.index(), JointAxis::AngularX.index()], [0, 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum JointAxis {
    /// Along x (m); the distance of the anchors of a distance joint.
    LinearX,
    /// Along y (m).
    LinearY,
    /// Along z (m).
    LinearZ,
    /// About x (rad): hinge or twist, turns counted.
    AngularX,
    /// About y (rad).
    AngularY,
    /// About z (rad).
    AngularZ,
}

impl JointAxis {
    /// All axes, in order of their indices.
    pub const ALL: [Self; 6] = [
        Self::LinearX,
        Self::LinearY,
        Self::LinearZ,
        Self::AngularX,
        Self::AngularY,
        Self::AngularZ,
    ];

    /// Its place in lists of six.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Where a joint is on one of its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointFrame {
    /// Anchor in the frame of the body (m); in the world if the end is the world.
    pub anchor: Vec3,
    /// Axes of the joint in the frame of the body, or in the world; normalized on entry.
    pub basis: Quat,
}

impl JointFrame {
    /// A frame at a point (m), with the axes of the body.
    #[must_use]
    pub const fn at(anchor: Vec3) -> Self {
        Self { anchor, basis: Quat::IDENTITY }
    }

    /// A frame at a point (m) whose x axis has this direction. The other axes are turned the shortest
    /// way along with it.
    #[must_use]
    pub fn along(anchor: Vec3, axis: Vec3) -> Self {
        let axis = axis.try_normalize().unwrap_or(Vec3::X);
        // Halfway between x and the axis; the opposite direction is half a turn about y.
        let turn = Vec3::X.cross(axis);
        let half = Quat::from_xyzw(turn.x, turn.y, turn.z, 1.0 + axis.x);
        let back = axis.x < -1.0 + 1e-6;
        let basis = if back { Quat::from_xyzw(0.0, 1.0, 0.0, 0.0) } else { half };
        Self { anchor, basis: quat_normalize(basis) }
    }
}

/// Limits of an axis; equal ones lock it.
///
/// ```
/// use orthant::engine::joint::{AxisLimit, JointAxis, JointDesc, JointKind};
///
/// let mut door = JointDesc::new(JointKind::Revolute, [None; 2]);
/// door.limits[JointAxis::AngularX.index()] = Some(AxisLimit { min: 0.0, max: 1.5 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(deny_unknown_fields))]
pub struct AxisLimit {
    /// Smallest position [m or rad]; may be -∞.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Below"))]
    pub min: Real,
    /// Largest position [m or rad], ≥ `min`; may be ∞. Of a hinge also beyond half a turn.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub max: Real,
}

/// A motor or spring on an axis: the force `-k (x - position) - d (v - velocity)`, within `± max_force`. Of
/// second order in the step; stable and damped where the step is too long for the oscillation.
///
/// ```
/// use orthant::engine::joint::Motor;
///
/// let wheel = Motor::velocity(10.0, 50.0);
/// assert!(wheel.damping.is_infinite() && wheel.max_force == 50.0);
/// let spring = Motor::spring(0.2, 1000.0, 20.0);
/// assert!(spring.position == 0.2 && spring.max_force.is_infinite());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(deny_unknown_fields))]
pub struct Motor {
    /// Target velocity [m/s or rad/s].
    pub velocity: Real,
    /// Target position [m or rad]. For the three angular axes of a spherical joint, or of a generic one
    /// none of whose angular axes is locked: a rotation vector in frame a.
    pub position: Real,
    /// Stiffness k [N/m or N·m/rad], ≥ 0; 0 for a motor that only has a velocity.
    pub stiffness: Real,
    /// Damping d [N·s/m or N·m·s/rad], ≥ 0; infinite for a velocity that only `max_force` bounds.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub damping: Real,
    /// Largest force or torque [N or N·m], ≥ 0; may be infinite.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub max_force: Real,
}

impl Motor {
    /// A motor that keeps a velocity [m/s or rad/s] with at most this force or torque [N or N·m].
    #[must_use]
    pub const fn velocity(velocity: Real, max_force: Real) -> Self {
        Self { velocity, position: 0.0, stiffness: 0.0, damping: Real::INFINITY, max_force }
    }

    /// A spring at a position [m or rad], of stiffness [N/m or N·m/rad] and damping [N·s/m or N·m·s/rad].
    #[must_use]
    pub const fn spring(position: Real, stiffness: Real, damping: Real) -> Self {
        Self { velocity: 0.0, position, stiffness, damping, max_force: Real::INFINITY }
    }

    /// With at most this force or torque [N or N·m].
    #[must_use]
    pub const fn with_max_force(mut self, max_force: Real) -> Self {
        self.max_force = max_force;
        self
    }

    /// With this target velocity [m/s or rad/s].
    #[must_use]
    pub const fn with_velocity(mut self, velocity: Real) -> Self {
        self.velocity = velocity;
        self
    }
}

/// What a new joint is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointDesc {
    /// What it joins, two different bodies, or one and the world (none).
    pub ends: [Option<BodyId>; 2],
    /// Where it is on each end.
    pub frames: [JointFrame; 2],
    /// What it keeps.
    pub kind: JointKind,
    /// Limits of each axis.
    pub limits: [Option<AxisLimit>; 6],
    /// Motor or spring of each axis.
    pub motors: [Option<Motor>; 6],
    /// Largest friction force or torque of each axis [N or N·m], ≥ 0.
    pub friction: [Real; 6],
    /// Largest angle between the x axes of the frames (rad), within (0, π]: half the opening of the swing
    /// cone of a spherical, pivot or generic joint.
    pub swing: Option<Real>,
    /// Do the two bodies collide with each other? Usually not. A disabled joint does not keep them from it.
    pub collide: bool,
    /// Does it hold? Breaking makes it false.
    pub enabled: bool,
    /// The joint breaks under a larger force (N), > 0; infinite for one that never does.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub break_force: Real,
    /// The joint breaks under a larger torque (N·m), > 0; infinite for one that never does.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub break_torque: Real,
    /// What it keeps yields to a larger force along an axis (N), > 0; infinite for none.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub yield_force: Real,
    /// What it keeps yields to a larger torque about one (N·m), > 0; infinite for none.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub yield_torque: Real,
}

/// Checks a number that may be infinite.
fn or_none(range: Range, what: &'static str, x: Real) -> Result<(), JointError> {
    if x.is_infinite() { Ok(()) } else { Ok(range.check(what, x)?) }
}

impl JointDesc {
    /// A joint of this kind, at the origins of both ends, without limits, motors and friction.
    #[must_use]
    pub const fn new(kind: JointKind, ends: [Option<BodyId>; 2]) -> Self {
        const AT_ORIGIN: JointFrame = JointFrame::at(Vec3::ZERO);
        Self {
            ends,
            frames: [AT_ORIGIN; 2],
            kind,
            limits: [None; 6],
            motors: [None; 6],
            friction: [0.0; 6],
            swing: None,
            collide: false,
            enabled: true,
            break_force: Real::INFINITY,
            break_torque: Real::INFINITY,
            yield_force: Real::INFINITY,
            yield_torque: Real::INFINITY,
        }
    }

    /// A joint of this kind between two bodies.
    #[must_use]
    pub const fn between(kind: JointKind, a: BodyId, b: BodyId) -> Self {
        Self::new(kind, [Some(a), Some(b)])
    }

    /// A joint of this kind between the world, which is end a, and a body.
    #[must_use]
    pub const fn to_world(kind: JointKind, body: BodyId) -> Self {
        Self::new(kind, [None, Some(body)])
    }

    /// A distance joint of one length (m) between two bodies.
    #[must_use]
    pub const fn rod(a: BodyId, b: BodyId, length: Real) -> Self {
        Self::between(JointKind::Distance { min: length, max: length }, a, b)
    }

    /// With anchors in the frames of the two ends (m).
    #[must_use]
    pub const fn with_anchors(mut self, a: Vec3, b: Vec3) -> Self {
        (self.frames[0].anchor, self.frames[1].anchor) = (a, b);
        self
    }

    /// With axes of the joint in the frames of the two ends.
    #[must_use]
    pub const fn with_bases(mut self, a: Quat, b: Quat) -> Self {
        (self.frames[0].basis, self.frames[1].basis) = (a, b);
        self
    }

    /// With frames on the two ends.
    #[must_use]
    pub const fn with_frames(mut self, a: JointFrame, b: JointFrame) -> Self {
        self.frames = [a, b];
        self
    }

    /// With limits of an axis [m or rad].
    #[must_use]
    pub const fn with_limit(mut self, axis: JointAxis, min: Real, max: Real) -> Self {
        self.limits[axis.index()] = Some(AxisLimit { min, max });
        self
    }

    /// With a motor or spring on an axis.
    #[must_use]
    pub const fn with_motor(mut self, axis: JointAxis, motor: Motor) -> Self {
        self.motors[axis.index()] = Some(motor);
        self
    }

    /// With friction on an axis [N or N·m].
    #[must_use]
    pub const fn with_friction(mut self, axis: JointAxis, friction: Real) -> Self {
        self.friction[axis.index()] = friction;
        self
    }

    /// With a largest angle between the x axes (rad).
    #[must_use]
    pub const fn with_swing(mut self, angle: Real) -> Self {
        self.swing = Some(angle);
        self
    }

    /// Lets the two bodies collide with each other, or not.
    #[must_use]
    pub const fn with_collision(mut self, collide: bool) -> Self {
        self.collide = collide;
        self
    }

    /// Breaks under a larger force (N) or torque (N·m).
    #[must_use]
    pub const fn with_strength(mut self, force: Real, torque: Real) -> Self {
        (self.break_force, self.break_torque) = (force, torque);
        self
    }

    /// Yields to a larger force along an axis (N) or torque about one (N·m): what it keeps, locks and limits,
    /// then gives way while it bears that much, and comes back when less is asked of it.
    #[must_use]
    pub const fn with_yield(mut self, force: Real, torque: Real) -> Self {
        (self.yield_force, self.yield_torque) = (force, torque);
        self
    }

    /// Is this body one of its ends?
    #[must_use]
    pub fn joins(&self, id: BodyId) -> bool {
        self.ends.contains(&Some(id))
    }

    /// The bodies it joins.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + Clone {
        self.ends.into_iter().flatten()
    }

    /// Bit k: axis k is locked, by the kind or by equal limits.
    #[must_use]
    pub fn locked(&self) -> u8 {
        let mut locked = self.kind.locked();
        for (k, limit) in self.limits.iter().enumerate() {
            if let Some(AxisLimit { min, max }) = *limit {
                locked &= !(1 << k);
                locked |= u8::from(min == max) << k;
            }
        }
        locked
    }

    /// Checks all numbers, and that limits and motors are on axes that can have them. With normalized bases.
    pub(super) fn checked(mut self) -> Result<Self, JointError> {
        for (frame, end) in self.frames.iter_mut().zip(self.ends) {
            if !frame.anchor.is_finite() {
                return Err(JointError::NotFinite("anchor"));
            }
            let range = if end.is_some() { ranges::PLACE } else { ranges::POSITION };
            frame.anchor.to_array().into_iter().try_for_each(|x| range.check("anchor", x))?;
            if !frame.basis.is_finite() {
                return Err(JointError::NotFinite("basis"));
            }
            frame.basis = quat_normalize(frame.basis);
        }
        let (what, scale) = match self.kind {
            JointKind::Gear { ratio } | JointKind::Pulley { ratio, .. } => ("ratio", ratio),
            JointKind::RackAndPinion { radius } => ("radius", radius),
            JointKind::Screw { lead } => ("lead", lead),
            _ => ("", 1.0),
        };
        ranges::COEFFICIENT.check(what, scale)?;
        if scale.abs() < crate::engine::shape::LENGTH_MIN {
            return Err(JointError::NotPositive(what, scale.abs()));
        }
        if let JointKind::Pulley { wheels, ratio, length } = self.kind {
            let mut all = wheels.iter().flat_map(|wheel| wheel.to_array()).chain([length]);
            all.try_for_each(|x| ranges::POSITION.check("place or length of a rope", x))?;
            if ratio.min(length) <= 0.0 {
                return Err(JointError::NotPositive("ratio or length", ratio.min(length)));
            }
        }
        if let JointKind::Distance { min, max } = self.kind {
            if !(min >= 0.0 && max > 0.0 && max >= min && min.is_finite()) {
                return Err(JointError::Length(min, max));
            }
            ranges::POSITION.check("least distance", min)?;
            or_none(ranges::POSITION, "largest distance", max)?;
        }
        JointAxis::ALL.into_iter().try_for_each(|axis| self.check_axis(axis))?;
        let swings = [JointKind::Spherical, JointKind::Pivot, JointKind::Generic];
        if let Some(swing) = self.swing {
            if !swings.contains(&self.kind) || self.locked() & 0b11_0000 != 0 {
                return Err(JointError::NoSwing);
            }
            if !(swing > 0.0 && swing <= PI) {
                return Err(JointError::Swing(swing));
            }
        }
        let strength = [
            ("break force", self.break_force),
            ("break torque", self.break_torque),
            ("yield force", self.yield_force),
            ("yield torque", self.yield_torque),
        ];
        for (what, x) in strength {
            if x.is_nan() || x <= 0.0 {
                return Err(JointError::NotPositive(what, x));
            }
            or_none(ranges::FORCE, what, x)?;
        }
        Ok(self)
    }

    fn check_axis(&self, axis: JointAxis) -> Result<(), JointError> {
        let k = axis.index();
        let friction = self.friction[k];
        if !(friction >= 0.0 && friction.is_finite()) {
            return Err(JointError::Negative(axis, "friction", friction));
        }
        ranges::FORCE.check("friction of an axis", friction)?;
        if let Some(AxisLimit { min, max }) = self.limits[k] {
            if self.kind.limitable() & 1 << k == 0 {
                return Err(JointError::Locked(axis));
            }
            // Both infinite on one side is no place at all.
            if !(min <= max && min < Real::INFINITY && max > Real::NEG_INFINITY) {
                return Err(JointError::Limits(axis, min, max));
            }
            or_none(ranges::POSITION, "least position of an axis", min)?;
            or_none(ranges::POSITION, "largest position of an axis", max)?;
        }
        let drivable = self.kind.drivable() & !self.locked() & 1 << k != 0;
        if !drivable && (self.motors[k].is_some() || friction > 0.0) {
            return Err(JointError::Locked(axis));
        }
        let Some(motor) = self.motors[k] else { return Ok(()) };
        if !(motor.velocity.is_finite() && motor.position.is_finite()) {
            return Err(JointError::NotFinite("target of a motor"));
        }
        if !motor.stiffness.is_finite() {
            return Err(JointError::NotFinite("stiffness of a motor"));
        }
        ranges::SPEED.check("velocity of a motor", motor.velocity)?;
        ranges::POSITION.check("position of a motor", motor.position)?;
        let numbers = [
            ("stiffness", motor.stiffness),
            ("damping", motor.damping),
            ("largest force", motor.max_force),
        ];
        match numbers.into_iter().find(|(_, x)| x.is_nan() || *x < 0.0) {
            Some((what, x)) => Err(JointError::Negative(axis, what, x)),
            None => numbers.into_iter().try_for_each(|(what, x)| or_none(ranges::FORCE, what, x)),
        }
    }
}
