//! What is mirrored of a body: the values that were last read or written.

use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;

use super::components::{AngularVelocity, LinearVelocity};
use super::error::PhysicsErrorKind;
use super::frame::Frame;
use super::idle::MOVING;
use super::origin::FloatingOrigin;
use crate::engine::body::{Body, BodyKind};
use crate::math::{
    Quat, Real, Vec3, quat_conjugate, quat_log, quat_mul, quat_normalize, single_quat,
};

/// Fastest that a kinematic body follows its `Transform` [m/s]; a longer way is a jump.
const KINEMATIC_SPEED_MAX: Real = 50.0;
/// Fastest that a kinematic body turns after its `Transform` [rad/s]; a larger turn is a jump.
const KINEMATIC_SPIN_MAX: Real = 50.0;

/// What the components of a body were when last read or written.
#[derive(Component, Clone, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(super) struct Mirror {
    pub(super) translation: bevy_math::Vec3,
    pub(super) rotation: bevy_math::Quat,
    /// Apart, because most bodies have none, and all mirrors are gone through in every step.
    pub(super) parent: Option<Box<Frame>>,
    pub(super) linear: Vec3,
    pub(super) angular: Vec3,
    /// World scale of the body's frame.
    scale: Vec3,
    /// The transform holds a value that was refused: write the engine's pose over it.
    pub(super) repair: bool,
    /// The body is too far away for its precision, which was told.
    far: bool,
    /// A velocity of a static body is not told: it was already, or there is no `RigidBody`, which is.
    pub(super) idle: bool,
    /// The body was placed elsewhere, and did not move there.
    pub(super) jumped: bool,
    /// The last step before which a dynamic body was placed anew, and before how many in a row.
    placed: (u64, u32),
}

/// A dynamic body that is placed anew before so many steps in a row is told: one second of them.
const DRAGGED_STEPS: u32 = 60;
/// Positions are to be resolved to this (m).
const RESOLUTION: Real = 1e-3;

impl Mirror {
    /// Notes a transform and the frame of its parent.
    pub(super) fn note(&mut self, transform: &Transform, parent: Option<Frame>) {
        self.translation = transform.translation;
        self.rotation = transform.rotation;
        self.note_parent(parent);
    }

    /// Notes the frame of the parent.
    pub(super) fn note_parent(&mut self, parent: Option<Frame>) {
        match (&mut self.parent, parent) {
            (Some(last), Some(parent)) => **last = parent,
            (last, parent) => *last = parent.map(Box::new),
        }
    }

    /// Is this the frame of the parent that was noted?
    pub(super) fn has_parent(&self, parent: Option<Frame>) -> bool {
        parent.as_ref() == self.parent.as_deref()
    }

    /// Translation (m) and rotation of the transform that was last read or written.
    pub(super) const fn pose(&self) -> (bevy_math::Vec3, bevy_math::Quat) {
        (self.translation, self.rotation)
    }

    /// Lets everything be written anew, whatever is there: the body is another.
    pub(super) fn forget(&mut self, body: &Body) {
        (self.repair, self.jumped) = (true, true);
        if body.kind() != BodyKind::Static {
            self.linear = Vec3::splat(Real::NAN);
            self.angular = self.linear;
        }
    }

    /// Notes the components a new body is made from.
    pub(super) fn begin(
        &mut self,
        transform: &Transform,
        parent: Option<Frame>,
        linear: Vec3,
        angular: Vec3,
    ) {
        *self = Self { linear, angular, scale: self.scale, jumped: true, ..Self::default() };
        self.note(transform, parent);
    }

    /// Do the components differ from what was last read or written?
    pub(super) fn differs(
        &self,
        parent: Option<Frame>,
        (transform, linear, angular): (
            &Transform,
            Option<&LinearVelocity>,
            Option<&AngularVelocity>,
        ),
    ) -> bool {
        self.pose_differs(transform, parent)
            || linear.is_some_and(|linear| linear.0 != self.linear)
            || angular.is_some_and(|angular| angular.0 != self.angular)
    }

    /// Counts the steps before which a dynamic body was placed anew, in a row.
    pub(super) const fn count_placement(&mut self, step: u64) -> Result<(), PhysicsErrorKind> {
        let (last, count) = self.placed;
        if last == step {
            return Ok(());
        }
        self.placed = (step, if last + 1 == step { count + 1 } else { 1 });
        let dragged = self.placed.1 == DRAGGED_STEPS;
        if dragged { Err(PhysicsErrorKind::Dragged(DRAGGED_STEPS)) } else { Ok(()) }
    }

    /// Tells when the body gets too far away for its precision.
    pub(super) fn check_distance(&mut self, body: &Body) -> Result<(), PhysicsErrorKind> {
        let distance = body.center().abs().max_element();
        let resolution = distance * Real::EPSILON;
        let was_far = core::mem::replace(&mut self.far, resolution > RESOLUTION);
        if self.far && !was_far {
            return Err(PhysicsErrorKind::FarAway(distance, resolution));
        }
        Ok(())
    }

    /// Tells, once, when a static body was given a velocity.
    pub(super) fn check_velocity(&mut self, body: &Body) -> Result<(), PhysicsErrorKind> {
        let what = match (self.linear == Vec3::ZERO, self.angular == Vec3::ZERO) {
            (false, _) => "LinearVelocity",
            (true, false) => "AngularVelocity",
            (true, true) => return Ok(()),
        };
        let is_new = body.kind() == BodyKind::Static && !self.idle;
        self.idle |= is_new;
        if is_new { Err(PhysicsErrorKind::Idle(what, MOVING)) } else { Ok(()) }
    }

    /// Notes the world scale.
    pub(super) const fn mark_scale(&mut self, scale: Vec3) {
        self.scale = scale;
    }

    /// Is this another world scale than when last looked at, to the bit?
    pub(super) fn is_scaled_otherwise(&self, scale: Vec3) -> bool {
        scale.to_array().map(Real::to_bits) != self.scale.to_array().map(Real::to_bits)
    }

    pub(super) fn pose_differs(&self, transform: &Transform, parent: Option<Frame>) -> bool {
        transform.translation != self.translation
            || transform.rotation != self.rotation
            || !self.has_parent(parent)
    }

    /// Moves the body to a transform the user changed, or to an `exact` position: a kinematic body within the
    /// next step of `dt` seconds if it gets there at a speed within the limits, any other at once. What did
    /// not change stays as precise as it was. Returns where it was moved to (m).
    pub(super) fn place(
        &mut self,
        body: &mut Body,
        transform: &Transform,
        parent: Option<Frame>,
        exact: Option<Vec3>,
        dt: Real,
    ) -> Result<Vec3, PhysicsErrorKind> {
        let mut frame = Frame::new(transform, parent);
        frame.position = exact.unwrap_or(frame.position);
        if !frame.is_sound() {
            self.repair = true;
            return Err(PhysicsErrorKind::OutOfRange("Transform"));
        }
        let same_parent = self.has_parent(parent);
        let same_position =
            same_parent && exact.is_none() && transform.translation == self.translation;
        let same_rotation = same_parent && transform.rotation == self.rotation;
        let position = if same_position { body.position() } else { frame.position };
        let rotation = if same_rotation { body.rotation() } else { frame.rotation };
        self.note(transform, parent);
        if is_reached(body, position, rotation, dt) {
            body.set_target(position, rotation);
        } else {
            body.set_pose(position, rotation);
            self.jumped = true;
        }
        Ok(position)
    }

    /// The engine's pose, rounded, if it differs from the transform.
    pub(super) fn pose_behind(
        &self,
        body: &Body,
        origin: &FloatingOrigin,
    ) -> Option<(bevy_math::Vec3, bevy_math::Quat)> {
        if body.kind() == BodyKind::Static && !self.repair {
            return None;
        }
        let (translation, rotation) = (origin.shown(body.position()), single_quat(body.rotation()));
        let differs = translation != self.translation || rotation != self.rotation;
        (differs || self.repair).then_some((translation, rotation))
    }
}

/// Is this a kinematic body that can move to a pose in `dt` seconds without exceeding the limits?
fn is_reached(body: &Body, position: Vec3, rotation: Quat, dt: Real) -> bool {
    let turn = quat_mul(quat_normalize(rotation), quat_conjugate(body.rotation()));
    body.kind() == BodyKind::Kinematic
        && !body.is_quarantined()
        && (position - body.position()).length() <= KINEMATIC_SPEED_MAX * dt
        && quat_log(turn).length() <= KINEMATIC_SPIN_MAX * dt
}
