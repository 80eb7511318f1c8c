//! How what is driven moves.

use orthant::math::{
    Double, PI_DOUBLE, Quat, Real, Vec3, narrow, quat_rotate, sin_cos_double, widen,
};

/// How the kinematic body of a scene moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// There is none.
    None,
    /// Up and down with an amplitude (m) and a frequency (Hz).
    ShakeY {
        /// Amplitude (m).
        amplitude: Real,
        /// Frequency (Hz).
        frequency: Real,
    },
    /// Turning about z with an angular velocity [rad/s].
    SpinZ {
        /// Angular velocity [rad/s].
        omega: Real,
    },
    /// Along a line.
    Slide {
        /// Position at the start (m).
        from: Vec3,
        /// Velocity [m/s].
        velocity: Vec3,
    },
    /// Up and down from where it begins, at rest there.
    Lift {
        /// Position at the start (m).
        from: Vec3,
        /// Half of its way (m).
        amplitude: Real,
        /// Frequency (Hz).
        frequency: Real,
    },
    /// Rocking about an axis along z through the origin; the angle grows to its amplitude within a second.
    RockZ {
        /// Position while it is level (m).
        at: Vec3,
        /// Largest angle (rad).
        amplitude: Real,
        /// Frequency (Hz).
        frequency: Real,
    },
    /// Turning about a vertical axis through its position.
    TurnY {
        /// Position (m).
        at: Vec3,
        /// Angular velocity [rad/s].
        omega: Real,
    },
}

impl Motion {
    /// Pose of the kinematic body at a time (s).
    pub fn at(self, time: Real) -> Option<(Vec3, Quat)> {
        match self {
            Self::None => None,
            Self::ShakeY { amplitude, frequency } => {
                let (sin, _) = sin_cos_double(phase(frequency, time));
                Some((Vec3::Y * narrow(widen(amplitude) * sin), Quat::IDENTITY))
            }
            Self::SpinZ { omega } => {
                let (sin, cos) = sin_cos_double(0.5 * widen(omega) * widen(time));
                Some((Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, narrow(sin), narrow(cos))))
            }
            Self::Slide { from, velocity } => Some((from + velocity * time, Quat::IDENTITY)),
            Self::Lift { from, amplitude, frequency } => {
                let (_, cos) = sin_cos_double(phase(frequency, time));
                Some((from + Vec3::Y * narrow(widen(amplitude) * (1.0 - cos)), Quat::IDENTITY))
            }
            Self::RockZ { at, amplitude, frequency } => {
                let (sin, _) = sin_cos_double(phase(frequency, time));
                let t = widen(time).min(1.0);
                let angle = widen(amplitude) * sin * t * t * (3.0 - 2.0 * t);
                let (sin, cos) = sin_cos_double(0.5 * angle);
                let turn = Quat::from_xyzw(0.0, 0.0, narrow(sin), narrow(cos));
                Some((quat_rotate(turn, at), turn))
            }
            Self::TurnY { at, omega } => {
                let (sin, cos) = sin_cos_double(0.5 * widen(omega) * widen(time));
                Some((at, Quat::from_xyzw(0.0, narrow(sin), 0.0, narrow(cos))))
            }
        }
    }
}

/// Phase of an oscillation (rad).
fn phase(frequency: Real, time: Real) -> Double {
    2.0 * PI_DOUBLE * widen(frequency) * widen(time)
}
