//! References: equations of motion in minimal coordinates by the classical Runge–Kutta method.

#![allow(clippy::disallowed_methods, reason = "references are compared within a tolerance")]

use orthant::math::{DVec3, Double, Real, quat_exp_double, quat_mul_double, widen};

/// Gravity of the default settings [m/s²].
pub const G: Double = 9.81;

/// A step of h of the fourth order of `y' = f(y)`.
pub fn rk4<const N: usize>(
    y: &mut [Double; N],
    h: Double,
    f: &impl Fn(&[Double; N]) -> [Double; N],
) {
    let along = |k: &[Double; N], part: Double| core::array::from_fn(|i| y[i] + part * h * k[i]);
    let a = f(y);
    let b = f(&along(&a, 0.5));
    let c = f(&along(&b, 0.5));
    let d = f(&along(&c, 1.0));
    for i in 0..N {
        y[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
    }
}

/// A heavy symmetric top whose tip is fixed: `L' = m g ℓ d × (-ŷ)`, `d' = L × d / I₁`, with d its axis.
#[derive(Clone, Copy, Debug)]
pub struct Top {
    /// Mass (kg) and distance of its center from the tip (m).
    pub mass: Double,
    pub length: Double,
    /// Inertia about the axis, and across it about the tip [kg·m²].
    pub axial: Double,
    pub across: Double,
}

impl Top {
    /// Largest angle of the axis from the plumb (rad) in a time (s), released at `tilt` (rad) with nothing
    /// but a spin [rad/s].
    pub fn largest_tilt(&self, tilt: Double, spin: Double, seconds: Double) -> Double {
        let axis = DVec3::new(tilt.sin(), tilt.cos(), 0.0);
        let momentum = axis * (self.axial * spin);
        let mut y = [axis.x, axis.y, axis.z, momentum.x, momentum.y, momentum.z];
        let h = 1e-5;
        let rate = |y: &[Double; 6]| {
            let (d, l) = (DVec3::new(y[0], y[1], y[2]), DVec3::new(y[3], y[4], y[5]));
            let turn = l.cross(d) / self.across;
            let torque = d.cross(DVec3::NEG_Y) * (self.mass * G * self.length);
            [turn.x, turn.y, turn.z, torque.x, torque.y, torque.z]
        };
        let mut lowest = axis.y;
        for _ in 0..(seconds / h).round() as usize {
            rk4(&mut y, h, &rate);
            lowest = lowest.min(y[1]);
        }
        lowest.acos()
    }
}

/// Rotation (x, y, z, w) of a free body after a time (s) from the identity: Euler's equations in body axes.
pub fn free_rotation(inertia: DVec3, spin: DVec3, seconds: Double) -> [Double; 4] {
    let mut y = [spin.x, spin.y, spin.z, 0.0, 0.0, 0.0, 1.0];
    let rate = |y: &[Double; 7]| {
        let w = DVec3::new(y[0], y[1], y[2]);
        let turn = -w.cross(inertia * w) / inertia;
        let q = quat_mul_double([y[3], y[4], y[5], y[6]], [w.x, w.y, w.z, 0.0]);
        [turn.x, turn.y, turn.z, 0.5 * q[0], 0.5 * q[1], 0.5 * q[2], 0.5 * q[3]]
    };
    let h = 1e-4;
    for _ in 0..(seconds / h).round() as usize {
        rk4(&mut y, h, &rate);
    }
    [y[3], y[4], y[5], y[6]]
}

/// Rounding of a rotation (rad) after so many steps, each of which rounds it by up to ε and the angular
/// momentum by up to `ε/2` of its size, of a body that turns by `turned` (rad) about no axis at
/// which that grows.
pub fn rounding_of_rotation(steps: usize, turned: Double) -> Double {
    steps as Double * widen(Real::EPSILON) * (1.0 + 0.25 * turned)
}

/// Orders of errors in steps that are halved, as far as rounding changes none by a tenth: `log₂` of one over
/// the next is off by `r / (e ln 2)`.
pub fn orders(errors: &[Double], rounding: &[Double]) -> Vec<Double> {
    let pairs = errors.windows(2).zip(&rounding[1..]);
    let clear = pairs.filter(|(pair, r)| **r <= 0.1 * core::f64::consts::LN_2 * pair[1]);
    clear.map(|(pair, _)| (pair[0] / pair[1]).log2()).collect()
}

/// Angle between two rotations (rad).
pub fn angle(a: [Double; 4], b: [Double; 4]) -> Double {
    let d = quat_mul_double([-a[0], -a[1], -a[2], a[3]], b);
    let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    2.0 * length.atan2(d[3].abs())
}

/// A rotation about z (rad).
pub fn about_z(angle: Double) -> [Double; 4] {
    quat_exp_double(DVec3::Z * angle)
}

/// Time (s) in which an angle with `θ'' = f(θ)` grows from rest at `from` to `to` (rad).
pub fn time_to_turn(from: Double, to: Double, f: impl Fn(Double) -> Double) -> Double {
    let (mut y, mut time, h) = ([from, 0.0], 0.0, 1e-4);
    while y[0] < to && time < 100.0 {
        rk4(&mut y, h, &|y: &[Double; 2]| [y[1], f(y[0])]);
        time += h;
    }
    time
}
