//! Where a joint is: the positions of its axes, and their gradients.
//!
//! Input: the frames of a joint and the poses of its ends. Output: positions of the six axes and their
//! rows, with `dx/dt = row_a · v_a + row_b · v_b` exactly. In frame a, with `q = (v, w)` the rotation of
//! frame b relative to frame a, `u` its x axis and `ω` the relative angular velocity:
//!
//! ```text
//! linear k    x = a_k · p, p from anchor a to anchor b
//! twist       τ = 2 atan2(v_x, w)
//!             τ' = ω_x + ((w v_z + v_x v_y) ω_y + (v_x v_z - w v_y) ω_z) / (w² + v_x²)
//! swing y, z  φ = f (x × u), f = θ / sin θ, f' = df / d cos θ
//!             φ_d' = ω · u × (f d × x + f' (d · x × u) x)
//! turn k      e = log q, e_k' = ω · (1 + [e]×/2 + κ [e]×²) a_k
//! universal   α of y_b about x_a, β of x_a about y_b, and the lock -x_a · y_b
//! gear        Δα + r Δβ - (1 + r) Δψ of turns about x_a and x_b, ψ that of p about x_a
//! rack        Δx + r Δβ, β the turn about x_b as frame a sees it
//! pulley      |s_a| + r |s_b|, s from the wheels to the anchors
//! ```
//!
//! A swing is the shortest rotation that takes x of frame a to x of frame b; twist is what is left. The
//! rows of a lock of all three angular axes are those of `log`, which knows no pole short of a full turn.
//! Rows of anchors that coincide are along the world's axes, so that their impulses survive a turn. In
//! double precision. O(1).

use super::{JointFrame, JointKind};
use crate::engine::lcp::Vec6;
use crate::engine::shape::LENGTH_MIN;
use crate::engine::state::body::Body;
use crate::engine::state::motion::vec6;
use crate::engine::tuning::joint_rows::SWING_POLE;
use crate::math::turns::{conjugate, half_way, unit, upper, wrapped};
use crate::math::{
    DVec3, Double, PI_DOUBLE, Real, SERIES, atan2_double, quat_exp_double, quat_mul_double,
    quat_rotate_double, widen, widen_quat, widen3,
};

/// The rows of both ends.
pub(crate) type Sides = [Vec6; 2];

/// `νᵀ v` of the velocities of both ends.
pub(crate) fn rate(sides: &Sides, velocity: &[Vec6; 2]) -> Double {
    sides.as_flattened().iter().zip(velocity.as_flattened()).map(|(x, v)| x * v).sum()
}

/// Where the body of an end is and how it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// (x, y, z, w).
    pub(crate) rotation: [Double; 4],
    /// Center of mass in the world and in the body's axes (m).
    pub(crate) center: DVec3,
    center_of_mass: DVec3,
    /// Velocity of the center [m/s], angular velocity [rad/s].
    pub(crate) velocity: Vec6,
}

impl End {
    pub(crate) fn of(body: &Body) -> Self {
        let (center, remainder) = body.exact_center();
        Self {
            rotation: unit(widen_quat(body.rotation())),
            center: widen3(center) + widen3(remainder),
            center_of_mass: widen3(body.center_of_mass()),
            velocity: vec6(body.linear_velocity, body.angular_velocity),
        }
    }

    /// This body somewhere else.
    #[must_use]
    pub(crate) fn at(self, center: DVec3, rotation: [Double; 4]) -> Self {
        Self { center, rotation, ..self }
    }
}

/// Where a joint is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointPose {
    kind: JointKind,
    /// From the centers of both ends to the anchors, world axes (m); zero on the world.
    pub(crate) arms: [DVec3; 2],
    /// From anchor a to anchor b (m).
    pub(crate) apart: DVec3,
    /// From the wheels of a pulley to the anchors (m).
    ropes: [DVec3; 2],
    /// Rotations of both frames.
    rotations: [[Double; 4]; 2],
}

impl JointPose {
    /// Where the frames of two ends are; an end without a body is the world.
    pub(crate) fn new(kind: JointKind, frames: &[JointFrame; 2], ends: &[Option<End>; 2]) -> Self {
        let arm = |k: usize| match ends[k] {
            Some(end) => {
                quat_rotate_double(end.rotation, widen3(frames[k].anchor) - end.center_of_mass)
            }
            None => DVec3::ZERO,
        };
        let arms = [arm(0), arm(1)];
        let center = |k: usize| ends[k].map_or(widen3(frames[k].anchor), |end| end.center);
        let apart = (center(1) - center(0)) + (arms[1] - arms[0]);
        let rotations = [0, 1].map(|k| {
            let basis = widen_quat(frames[k].basis);
            unit(ends[k].map_or(basis, |end| quat_mul_double(end.rotation, basis)))
        });
        let ropes = match kind {
            JointKind::Pulley { wheels, .. } => {
                [0, 1].map(|k| center(k) - widen3(wheels[k]) + arms[k])
            }
            _ => [DVec3::ZERO; 2],
        };
        Self { kind, arms, apart, ropes, rotations }
    }

    /// Half way between two places: of rotations the one half way, of arms and of the distance the mean,
    /// so that rows along them are exact over the way: `|p⁺|² - |p|² = 2 p̄ · (p⁺ - p)`.
    pub(crate) fn middle(from: &Self, to: &Self) -> Self {
        let arms = [0, 1].map(|k| (from.arms[k] + to.arms[k]) * 0.5);
        let apart = (from.apart + to.apart) * 0.5;
        let ropes = [0, 1].map(|k| (from.ropes[k] + to.ropes[k]) * 0.5);
        let rotations = [0, 1].map(|k| half_way(from.rotations[k], to.rotations[k]));
        Self { kind: from.kind, arms, apart, ropes, rotations }
    }

    /// World axis of frame a or b.
    #[inline]
    pub(crate) fn axis(&self, frame: usize, k: usize) -> DVec3 {
        quat_rotate_double(self.rotations[frame], [DVec3::X, DVec3::Y, DVec3::Z][k])
    }

    /// World axes of frame a or b.
    fn axes(&self, frame: usize) -> [DVec3; 3] {
        [0, 1, 2].map(|k| self.axis(frame, k))
    }

    /// Rotation of frame b relative to frame a, (x, y, z, w) in the axes of frame a, `w ≥ 0`.
    fn turn(&self) -> [Double; 4] {
        upper(quat_mul_double(conjugate(self.rotations[0]), self.rotations[1]))
    }

    /// Position of axis k [m or rad], angles within half a turn.
    #[inline]
    pub(crate) fn position(&self, k: usize) -> Double {
        match (self.kind, k) {
            (JointKind::Distance { .. }, 0) => self.apart.length(),
            (JointKind::Pulley { ratio, .. }, 0) => {
                self.ropes[0].length() + widen(ratio) * self.ropes[1].length()
            }
            (_, 0..3) => self.axis(0, k).dot(self.apart),
            (JointKind::Universal, _) => self.universal(k).0,
            (_, 3) => {
                let [x, _, _, w] = self.turn();
                wrapped(2.0 * atan2_double(x, w))
            }
            _ => {
                let u = self.pointer();
                let sine = swing_sine(u);
                if sine < 1e-12 && u.x < 0.0 {
                    // Half a turn about any axis: about y.
                    return if k == 4 { PI_DOUBLE } else { 0.0 };
                }
                swing_factor(u) * if k == 4 { -u.z } else { u.y }
            }
        }
    }

    /// Rows of the rate of axis k.
    pub(crate) fn gradient(&self, k: usize) -> Sides {
        match (self.kind, k) {
            (JointKind::Distance { .. }, 0) => {
                self.along_world(self.apart.try_normalize().unwrap_or(DVec3::Y))
            }
            (JointKind::Pulley { ratio, .. }, 0) => {
                let rope = |k: usize| point_row(self.ropes[k].normalize_or_zero(), self.arms[k]);
                [rope(0), rope(1).map(|x| x * widen(ratio))]
            }
            (_, 0..3) => self.along(k),
            (JointKind::Universal, _) => about(self.universal(k).1),
            _ => about(self.turned(self.turn_gradient(k))),
        }
    }

    /// Rows of the distance of the anchors along a direction that stays in the world.
    #[inline]
    pub(crate) fn along_world(&self, direction: DVec3) -> Sides {
        [point_row(-direction, self.arms[0]), point_row(direction, self.arms[1])]
    }

    /// Rows of the distance of the anchors along an axis of frame a, which turns with it.
    fn along(&self, k: usize) -> Sides {
        let axis = self.axis(0, k);
        [point_row(-axis, self.arms[0] + self.apart), point_row(axis, self.arms[1])]
    }

    /// Rows of the relative angular velocity about an axis of frame a; k is 3, 4 or 5, as of the joint.
    pub(crate) fn spin(&self, k: usize) -> Sides {
        about(self.axis(0, k % 3))
    }

    /// Component k, in frame a, of the rotation vector from a target orientation of frame b to its own,
    /// and its rows.
    pub(crate) fn turn_from(&self, target: DVec3, k: usize) -> (Double, Sides) {
        let back = conjugate(quat_exp_double(target));
        let own = self.turn();
        let turn = if target == DVec3::ZERO { own } else { quat_mul_double(own, back) };
        let [x, y, z, w] = upper(turn);
        let v = DVec3::new(x, y, z);
        let sine = v.length();
        let angle = 2.0 * atan2_double(sine, w);
        let (error, kappa) = if sine < 1e-5 {
            (v * 2.0, 1.0 / 12.0)
        } else {
            let kappa = (1.0 - 0.5 * angle * w / sine) / (angle * angle);
            (v * (angle / sine), kappa)
        };
        let axis = [DVec3::X, DVec3::Y, DVec3::Z][k - 3];
        let once = error.cross(axis);
        let row = axis + once * 0.5 + error.cross(once) * kappa;
        (error[k - 3], about(self.turned(row)))
    }

    /// Angle between the x axes (rad), and the rows of its rate.
    pub(crate) fn swing(&self) -> (Double, Sides) {
        let [a, b] = [0, 1].map(|frame| self.axis(frame, 0));
        let normal = a.cross(b);
        let sine = normal.length();
        let direction = if sine > 1e-12 { normal / sine } else { self.axis(0, 1) };
        (atan2_double(sine, a.dot(b)), about(direction))
    }

    /// How far wheels that mesh have come from another place by what they roll on each other [rad or m].
    pub(crate) fn rolled(&self, from: &Self) -> Double {
        let about_x = |from, to| {
            let [x, _, _, w] = upper(quat_mul_double(conjugate(from), to));
            2.0 * atan2_double(x, w)
        };
        match self.kind {
            JointKind::Gear { ratio } => {
                let [a, b] = [0, 1].map(|k| about_x(from.rotations[k], self.rotations[k]));
                let way = self.axis(0, 0).dot(from.apart.cross(self.apart));
                let carried = atan2_double(way, from.apart.dot(self.apart));
                a + widen(ratio) * b - self.carried(ratio) * carried
            }
            JointKind::RackAndPinion { radius } => {
                self.position(0) - from.position(0)
                    + widen(radius) * about_x(from.turn(), self.turn())
            }
            _ => 0.0,
        }
    }

    /// The rows of its rate: of forces on both where they mesh, so that nothing else bears them.
    pub(crate) fn rolling(&self) -> Sides {
        let [a, b] = [0, 1].map(|frame| self.axis(frame, 0));
        match self.kind {
            JointKind::Gear { ratio } => {
                let turns = [turn_row(a), turn_row(b * widen(ratio))];
                let part =
                    self.carried(ratio) / self.apart.length_squared().max(Double::MIN_POSITIVE);
                plus(turns, &self.along_world(a.cross(self.apart)), -part)
            }
            JointKind::RackAndPinion { radius } => plus(self.along(0), &about(b), widen(radius)),
            _ => [[0.0; 6]; 2],
        }
    }

    /// What gears roll as they are carried around each other, none if their centers are at one place (–).
    fn carried(&self, ratio: Real) -> Double {
        if self.apart.length() > widen(LENGTH_MIN) { 1.0 + widen(ratio) } else { 0.0 }
    }

    /// The x axis of frame b in frame a.
    fn pointer(&self) -> DVec3 {
        let [x, y, z, w] = self.turn();
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y))
    }

    /// Gradient of twist or swing with respect to the relative angular velocity in frame a.
    fn turn_gradient(&self, k: usize) -> DVec3 {
        let [x, y, z, w] = self.turn();
        if k == 3 {
            let size = w * w + x * x;
            if size < 1e-12 {
                return DVec3::X;
            }
            return DVec3::new(1.0, (w * z + x * y) / size, (x * z - w * y) / size);
        }
        let (u, axis) = (self.pointer(), [DVec3::Y, DVec3::Z][k - 4]);
        if u.x < SWING_POLE {
            return axis;
        }
        // f' = -(sin θ - θ cos θ) / sin³ θ, by its series where that cancels.
        let (sine, factor) = (swing_sine(u), swing_factor(u));
        let slope = if sine < SERIES && u.x > 0.0 {
            -(1.0 / 3.0 + 2.0 / 15.0 * sine * sine)
        } else {
            -(1.0 - factor * u.x) / (sine * sine)
        };
        let part = axis.dot(DVec3::X.cross(u));
        u.cross(axis.cross(DVec3::X) * factor + DVec3::X * (slope * part))
    }

    /// Angle k of a universal joint, and its gradient in the world.
    fn universal(&self, k: usize) -> (Double, DVec3) {
        let [a, b] = [0, 1].map(|frame| self.axes(frame));
        if k == 5 {
            return (-a[0].dot(b[1]), a[0].cross(b[1]));
        }
        // The rates of sine and cosine for a turn of frame b.
        let (sine, cosine, sine_rate, cosine_rate) = if k == 3 {
            let [s, c] = [a[2], a[1]];
            (b[1].dot(s), b[1].dot(c), b[1].cross(s), b[1].cross(c))
        } else {
            let [s, c] = [b[2], b[0]];
            (a[0].dot(s), a[0].dot(c), s.cross(a[0]), c.cross(a[0]))
        };
        let size = sine * sine + cosine * cosine;
        if size < 1e-12 {
            return (0.0, if k == 3 { a[0] } else { b[1] });
        }
        (atan2_double(sine, cosine), (sine_rate * cosine - cosine_rate * sine) / size)
    }

    fn turned(&self, v: DVec3) -> DVec3 {
        let [x, y, z] = self.axes(0);
        x * v.x + y * v.y + z * v.z
    }
}

/// Sine of the swing whose x axis is `u`.
fn swing_sine(u: DVec3) -> Double {
    (u.y * u.y + u.z * u.z).sqrt()
}

/// `θ / sin θ` of the angle between x and `u`.
fn swing_factor(u: DVec3) -> Double {
    let sine = swing_sine(u);
    if sine < 1e-4 && u.x > 0.0 {
        return 1.0 + sine * sine / 6.0;
    }
    atan2_double(sine, u.x) / sine.max(1e-12)
}

/// The rows of a turn about a direction of the world.
fn about(direction: DVec3) -> Sides {
    [turn_row(-direction), turn_row(direction)]
}

/// The row of a turn of one end about a direction of the world.
const fn turn_row(d: DVec3) -> Vec6 {
    [0.0, 0.0, 0.0, d.x, d.y, d.z]
}

/// Rows with a multiple of others.
pub(super) fn plus(mut rows: Sides, others: &Sides, factor: Double) -> Sides {
    for (x, y) in rows.as_flattened_mut().iter_mut().zip(others.as_flattened()) {
        *x += factor * y;
    }
    rows
}

/// The row of a world direction at a point `arm` from the center.
fn point_row(direction: DVec3, arm: DVec3) -> Vec6 {
    let turn = arm.cross(direction);
    [direction.x, direction.y, direction.z, turn.x, turn.y, turn.z]
}
