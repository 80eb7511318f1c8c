//! Joints: where they are, what they leave free, and how far they are off.

use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;

use super::draw::{CROSS, Lines, SIDES, cone, cross};
use crate::engine::body::BodyKind;
use crate::engine::joint::{JointAxis, JointKind};
use crate::math::{self, PI, Real, quat_exp, quat_mul, quat_rotate, single3};
use crate::plugin::joints::{JointView, Joints};
use crate::plugin::origin::FloatingOrigin;
use crate::plugin::world::PhysicsWorld;

/// Length of the arms that show angles (m).
const ARM: Real = 0.3;
/// Errors of less (m) are not seen.
const SEEN: f32 = 1e-4;
/// The axes of ways; the others are those of angles.
const WAYS: [JointAxis; 3] = [JointAxis::LinearX, JointAxis::LinearY, JointAxis::LinearZ];
const ANGLES: [JointAxis; 3] = [JointAxis::AngularX, JointAxis::AngularY, JointAxis::AngularZ];

/// Joints with their frames, limits and errors.
pub(super) fn joints(
    mut lines: Lines,
    physics: Res<PhysicsWorld>,
    origin: Res<FloatingOrigin>,
    list: Joints,
) {
    let config = *lines.config_ext;
    for mut joint in list.iter().filter(JointView::is_enabled) {
        joint.frames.iter_mut().for_each(|(anchor, _)| *anchor -= origin.get());
        if let Some(color) = config.joint_color {
            frames(&mut lines, &physics, &origin, &joint, color);
        }
        if let Some(color) = config.joint_error_color {
            errors(&mut lines, &origin, &joint, color);
        }
        if let Some(color) = config.limit_color {
            limits(&mut lines, &joint, color);
        }
    }
}

/// Arms from the centers of the bodies, axes at the anchors, ropes from wheels.
fn frames(
    lines: &mut Lines,
    physics: &PhysicsWorld,
    origin: &FloatingOrigin,
    joint: &JointView,
    color: Color,
) {
    let desc = joint.engine.desc();
    for (end, (anchor, basis)) in desc.ends.into_iter().zip(joint.frames) {
        let body = end.and_then(|id| physics.engine.body(id));
        if let Some(body) = body.filter(|body| body.kind() != BodyKind::Static) {
            lines.line(origin.shown(body.center()), single3(anchor), color);
        }
        for (axis, length) in [(math::Vec3::X, ARM), (math::Vec3::Y, 0.5 * ARM)] {
            let tip = single3(anchor + quat_rotate(basis, axis * length));
            lines.line(single3(anchor), tip, color);
        }
    }
    if let JointKind::Pulley { wheels, .. } = desc.kind {
        for (wheel, (anchor, _)) in wheels.into_iter().zip(joint.frames) {
            lines.line(origin.shown(wheel), single3(anchor), color);
        }
    }
}

/// The direction of a way in the world: from anchor to anchor for a rod or rope, else an axis of the
/// first end.
fn along(joint: &JointView, axis: JointAxis) -> math::Vec3 {
    let [(a, basis), (b, _)] = joint.frames;
    match joint.engine.desc().kind {
        JointKind::Distance { .. } => (b - a).try_normalize().unwrap_or(math::Vec3::Y),
        _ => quat_rotate(basis, [math::Vec3::X, math::Vec3::Y, math::Vec3::Z][axis.index() % 3]),
    }
}

/// How far an axis is beyond what its joint locks or limits [m or rad].
fn beyond(joint: &JointView, axis: JointAxis) -> Real {
    let at = joint.position(axis);
    match (joint.engine.desc().kind, axis) {
        (JointKind::Screw { lead }, JointAxis::LinearX) => {
            at - lead * joint.position(JointAxis::AngularX) / (2.0 * PI)
        }
        (JointKind::Pulley { length, .. }, JointAxis::LinearX) => (at - length).max(0.0),
        _ => joint.limits(axis).map_or(0.0, |limit| at - at.max(limit.min).min(limit.max)),
    }
}

/// From where the second anchor, and arms that show angles, should be to where they are.
fn errors(lines: &mut Lines, origin: &FloatingOrigin, joint: &JointView, color: Color) {
    let mut error = |from: Vec3, to: Vec3| {
        if from.distance(to) > SEEN {
            lines.line(from, to, color);
        }
    };
    let [(anchor, x), (b, pointer)] =
        joint.frames.map(|(anchor, basis)| (anchor, quat_rotate(basis, math::Vec3::X)));
    let off: math::Vec3 = match joint.engine.desc().kind {
        // What is too long hangs below the wheel.
        JointKind::Pulley { wheels, ratio, .. } => {
            let rope = b - (wheels[1] - origin.get());
            rope.normalize_or_zero() * (beyond(joint, WAYS[0]) / ratio)
        }
        _ => WAYS.map(|axis| along(joint, axis) * beyond(joint, axis)).into_iter().sum(),
    };
    error(single3(b - off), single3(b));
    for axis in ANGLES {
        let (at, beyond) = (joint.position(axis), beyond(joint, axis));
        error(arm(joint, axis, at - beyond), arm(joint, axis, at));
    }
    if let Some(swing) = joint.joint.swing.filter(|&swing| x.dot(pointer) < math::cos(swing)) {
        let across = (pointer - x * x.dot(pointer)).normalize_or_zero();
        let kept = x * math::cos(swing) + across * math::sin(swing);
        error(single3(anchor + kept * ARM), single3(anchor + pointer * ARM));
    }
}

/// Ends of ways, arcs of angles, the cone of a swing.
fn limits(lines: &mut Lines, joint: &JointView, color: Color) {
    let (anchor, basis) = joint.frames[0];
    // Equal ones lock the axis.
    let range = |axis| joint.limits(axis).filter(|limit| limit.min < limit.max);
    for (axis, limit) in WAYS.into_iter().filter_map(|axis| Some((axis, range(axis)?))) {
        let rope = matches!(joint.engine.desc().kind, JointKind::Distance { .. });
        let end = |way: Real| anchor + along(joint, axis) * way;
        if limit.min.is_finite() && limit.max.is_finite() {
            lines.line(single3(end(limit.min)), single3(end(limit.max)), color);
        }
        // Nothing is nearer than nothing.
        let ends = [limit.min, limit.max].into_iter().filter(|way| way.is_finite());
        ends.filter(|&way| !rope || way > 0.0).for_each(|way| cross(lines, end(way), CROSS, color));
    }
    for (axis, limit) in ANGLES.into_iter().filter_map(|axis| Some((axis, range(axis)?))) {
        if limit.min.is_finite() && limit.max.is_finite() {
            let most = (limit.max - limit.min).min(2.0 * PI);
            let at = |k: u8| arm(joint, axis, limit.min + most * Real::from(k) / Real::from(SIDES));
            (0..SIDES).for_each(|k| lines.line(at(k), at(k + 1), color));
        }
        for end in [limit.min, limit.max].into_iter().filter(|end| end.is_finite()) {
            lines.line(single3(anchor), arm(joint, axis, end), color);
        }
    }
    if let Some(swing) = joint.joint.swing {
        let axis = quat_rotate(basis, math::Vec3::X) * (ARM * math::cos(swing));
        cone(lines, anchor, axis, ARM * math::sin(swing), color);
    }
}

/// The end of an arm across an axis of a joint, turned about that by an angle (rad): y about x, x about the
/// others. The second axis of a universal joint turns about its first.
fn arm(joint: &JointView, axis: JointAxis, angle: Real) -> Vec3 {
    let (anchor, mut basis) = joint.frames[0];
    let (about, arm) = match axis {
        JointAxis::AngularY => (math::Vec3::Y, math::Vec3::X),
        JointAxis::AngularZ => (math::Vec3::Z, math::Vec3::X),
        _ => (math::Vec3::X, math::Vec3::Y),
    };
    if joint.engine.desc().kind == JointKind::Universal && axis != JointAxis::AngularX {
        let first = math::Vec3::X * joint.position(JointAxis::AngularX);
        basis = quat_mul(basis, quat_exp(first));
    }
    single3(anchor + quat_rotate(quat_mul(basis, quat_exp(about * angle)), arm * ARM))
}
