//! Rotations in double precision, as unit quaternions (x, y, z, w), beside the products of `math`.

use super::{DVec3, Double, PI_DOUBLE, atan2_double, quat_mul_double};

/// The inverse of a rotation.
pub(crate) const fn conjugate([x, y, z, w]: [Double; 4]) -> [Double; 4] {
    [-x, -y, -z, w]
}

/// This rotation with `w ≥ 0`.
pub(crate) fn upper(q: [Double; 4]) -> [Double; 4] {
    if q[3] < 0.0 { q.map(|x| -x) } else { q }
}

/// A quaternion of length one: those of single precision are off by their rounding.
pub fn unit(q: [Double; 4]) -> [Double; 4] {
    let size = q.iter().map(|x| x * x).sum::<Double>().sqrt();
    if size > 0.0 { q.map(|x| x / size) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// The rotation half way between two.
pub(crate) fn half_way(from: [Double; 4], to: [Double; 4]) -> [Double; 4] {
    let dot: Double = from.iter().zip(&to).map(|(a, b)| a * b).sum();
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    unit(core::array::from_fn(|i| from[i] + sign * to[i]))
}

/// The rotation vector of a unit quaternion, of at most half a turn.
pub(crate) fn rotation_vector(q: [Double; 4]) -> DVec3 {
    let [x, y, z, w] = upper(q);
    let v = DVec3::new(x, y, z);
    let sine = v.length();
    if sine < 1e-12 { v * 2.0 } else { v * (2.0 * atan2_double(sine, w) / sine) }
}

/// The rotation vector from one rotation to another that is nearest to a guess (rad).
pub fn turn_between(from: [Double; 4], to: [Double; 4], guess: DVec3) -> DVec3 {
    nearest_turn(rotation_vector(quat_mul_double(to, conjugate(from))), guess)
}

/// The rotation vector of the same rotation that is nearest to another one.
pub(crate) fn nearest_turn(turn: DVec3, guess: DVec3) -> DVec3 {
    let angle = turn.length();
    if angle == 0.0 {
        return turn;
    }
    let axis = turn / angle;
    let full = 2.0 * PI_DOUBLE;
    axis * (angle + full * ((axis.dot(guess) - angle) / full).round())
}

/// An angle of (-π, 3π] within (-π, π].
pub(crate) fn wrapped(angle: Double) -> Double {
    if angle > PI_DOUBLE { angle - 2.0 * PI_DOUBLE } else { angle }
}

/// The angle that is `raw` up to whole turns and nearest to another.
pub(crate) fn unwound(raw: Double, near: Double) -> Double {
    let turn = 2.0 * PI_DOUBLE;
    raw + ((near - raw) / turn).round() * turn
}
