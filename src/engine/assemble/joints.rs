//! Joint rows of an island.

use smallvec::SmallVec;

use super::super::body::Body;
use super::super::joint::{Joint, JointKind};
use super::super::lcp::{JointRow, Vec6};
use super::super::predict::vec6;
use super::super::settings::Settings;
use super::{Sources, StepProblem, dot6, mask, point_row};
use crate::math::{
    Double, Real, Vec3, quat_conjugate, quat_log, quat_mul, quat_rotate, widen, widen3,
};

impl StepProblem {
    /// Joint rows of an island, in ascending order of joints.
    pub(super) fn add_joints(&mut self, sources: &Sources<'_>, settings: &Settings, k: usize) {
        for i in self.joints_of.range(k) {
            let j = self.joints_of.items[i] as usize;
            let rows = match sources.joints[j].desc.kind {
                JointKind::Fixed => 6,
                JointKind::Distance { .. } => 1,
                _ => 3,
            };
            for r in 0..rows {
                self.joint_source.push([j as u32, r as u32]);
                self.add_joint_row(sources, settings, j, r);
            }
        }
    }

    fn add_joint_row(&mut self, sources: &Sources<'_>, settings: &Settings, j: usize, r: usize) {
        let joint = &sources.joints[j];
        let bodies = sources.joint_bodies[j];
        let ends = bodies.map(|i| sources.bodies.get(i as usize));
        let (error, rows) = joint_row(joint, ends, r);
        self.joint_error = self.joint_error.max(error.abs());
        let dt = widen(sources.dt);
        let full = widen(settings.contact.gamma) * widen(error) / dt;
        // Positions keep up with the curvature of the motion, however fast; beyond that a joint far apart
        // is drawn together at v_push.
        let cap = widen(settings.contact.push_speed_max) + dt * curvature(joint, ends);
        let bias = full.clamp(-cap, cap);
        let kept = if settings.contact.relax { CARRIED_MAX } else { Double::INFINITY };
        let push = bias - bias.clamp(-kept, kept);
        let mut row = JointRow::equality(SmallVec::new(), bias);
        for (side, i) in bodies.into_iter().enumerate() {
            let Some(body) = ends[side] else { continue };
            let motion = &sources.motions[i as usize];
            if motion.moves {
                let term = mask(rows[side], body.locked_axes.bits());
                row.terms.push((sources.islands.local[i as usize], term));
            } else {
                row.bias += dot6(&rows[side], &vec6(motion.linear, motion.angular));
            }
        }
        self.joints.push(row);
        self.joint_push.push(push);
        let scale = widen(sources.dt_ratio);
        self.biased.joint_impulse.push(joint.impulse[0][r] * scale);
        self.relaxed.joint_impulse.push(joint.impulse[1][r] * scale);
    }
}

/// Joint bias that stays in the carried velocity (m/s). Within it the bias carries the curvature, and a
/// pendulum keeps its energy; more of it would whip a long chain up, less would slow it down.
const CARRIED_MAX: Double = 1.0;

/// Centripetal acceleration of the anchors of a joint about their centers (m/s²).
fn curvature(joint: &Joint, ends: [Option<&Body>; 2]) -> Double {
    let ends = ends.into_iter().zip(joint.desc.frames);
    let sum = ends.filter_map(|(body, frame)| {
        let body = body?;
        let arm = (frame.anchor - body.center_of_mass()).length();
        Some(widen(body.angular_velocity.length_squared() * arm))
    });
    sum.sum()
}

/// Row `r` of a joint: its position error and the rows of both bodies.
fn joint_row(joint: &Joint, bodies: [Option<&Body>; 2], r: usize) -> (Real, [Vec6; 2]) {
    let desc = joint.desc();
    let anchors = desc.frames.map(|frame| frame.anchor);
    let arm = |k: usize| match bodies[k] {
        Some(body) => quat_rotate(body.rotation(), anchors[k] - body.center_of_mass()),
        None => Vec3::ZERO,
    };
    let arms = [arm(0), arm(1)];
    let center = |k: usize| bodies[k].map_or(anchors[k], Body::center);
    let apart = (center(1) - center(0)) + (arms[1] - arms[0]);
    let point_rows = |direction: Vec3| {
        let d = widen3(direction);
        [point_row(-d, widen3(arms[0])), point_row(d, widen3(arms[1]))]
    };
    let basis = |k: usize| match bodies[k] {
        Some(body) => quat_mul(body.rotation(), desc.frames[k].basis),
        None => desc.frames[k].basis,
    };
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][r % 3];
    match desc.kind {
        JointKind::Distance { max, .. } => {
            let direction = apart.try_normalize().unwrap_or(Vec3::Y);
            (apart.length() - max, point_rows(direction))
        }
        JointKind::Fixed if r >= 3 => {
            let turn = quat_log(quat_mul(basis(1), quat_conjugate(basis(0))));
            let d = widen3(axis);
            let row = [0.0, 0.0, 0.0, d.x, d.y, d.z];
            (turn.dot(axis), [row.map(|x| -x), row])
        }
        _ => (apart.dot(axis), point_rows(axis)),
    }
}
