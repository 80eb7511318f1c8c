//! What the panel tunes: one slider each.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_time::Time;

use crate::engine::lcp::Method;
use crate::math::{Double, Vec3, narrow, widen};
use crate::plugin::settings::{ContactConfig, Gravity, SolverConfig};
use crate::plugin::time::{Physics, PhysicsTime};

/// A number that a slider shows and sets, on the entity of the slider.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Knob {
    Gamma,
    Method,
    Tolerance,
    Budget,
    Gravity,
    Speed,
}

/// Where those numbers are.
#[derive(SystemParam)]
pub(super) struct Tuning<'w> {
    gravity: ResMut<'w, Gravity>,
    contact: ResMut<'w, ContactConfig>,
    solver: ResMut<'w, SolverConfig>,
    clock: ResMut<'w, Time<Physics>>,
}

/// The solvers in the order of the slider.
const METHODS: [Method; 5] =
    [Method::Auto, Method::Newton, Method::Substeps, Method::Pgs, Method::Lemke];

impl Knob {
    pub(super) const ALL: [Self; 6] =
        [Self::Gamma, Self::Method, Self::Tolerance, Self::Budget, Self::Gravity, Self::Speed];

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Gamma => "gamma",
            Self::Method => "method",
            Self::Tolerance => "tolerance",
            Self::Budget => "budget",
            Self::Gravity => "gravity",
            Self::Speed => "time scale",
        }
    }

    /// Ends of the slider and the step of its keys. Tolerance and budget are told by their decimal
    /// logarithms.
    pub(super) const fn range(self) -> (f32, f32, f32) {
        match self {
            Self::Gamma => (0.0, 2.0, 0.05),
            Self::Method => (0.0, (METHODS.len() - 1) as f32, 1.0),
            Self::Tolerance => (-9.0, -1.0, 0.25),
            Self::Budget => (0.0, 5.0, 0.25),
            Self::Gravity => (0.0, 30.0, 0.1),
            Self::Speed => (0.0, 2.0, 0.05),
        }
    }

    /// Where the slider is.
    pub(super) fn read(self, tuning: &Tuning) -> f32 {
        let value: Double = match self {
            Self::Gamma => widen(tuning.contact.gamma),
            Self::Method => {
                let place = METHODS.iter().position(|&method| method == tuning.solver.method);
                place.unwrap_or(0) as Double
            }
            Self::Tolerance => tuning.solver.tolerance.log10(),
            Self::Budget => tuning.solver.work_max.log10(),
            Self::Gravity => widen(tuning.gravity.0.length()),
            Self::Speed => widen(tuning.clock.relative_speed()),
        };
        value as f32
    }

    /// Sets what the slider says. Gravity keeps its direction; it points down from zero.
    pub(super) fn write(self, value: f32, tuning: &mut Tuning) {
        let value = Double::from(value);
        match self {
            Self::Gamma => tuning.contact.gamma = narrow(value),
            Self::Method => {
                let place = (value.round() as usize).min(METHODS.len() - 1);
                tuning.solver.method = METHODS[place];
            }
            Self::Tolerance => tuning.solver.tolerance = libm::exp10(value),
            Self::Budget => tuning.solver.work_max = libm::exp10(value),
            Self::Gravity => {
                let down = tuning.gravity.0.try_normalize().unwrap_or(Vec3::NEG_Y);
                tuning.gravity.0 = down * narrow(value);
            }
            Self::Speed => tuning.clock.set_relative_speed(narrow(value)),
        }
    }

    /// What stands above the slider.
    pub(super) fn text(self, tuning: &Tuning) -> String {
        let label = self.label();
        match self {
            Self::Gamma => format!("{label} {:.2}", tuning.contact.gamma),
            Self::Method => format!("{label} {:?}", tuning.solver.method),
            Self::Tolerance => format!("{label} {:.1e} m/s", tuning.solver.tolerance),
            Self::Budget => format!("{label} {:.0} sweeps", tuning.solver.work_max),
            Self::Gravity => format!("{label} {:.2} m/s^2", tuning.gravity.0.length()),
            Self::Speed => format!("{label} {:.2}", tuning.clock.relative_speed()),
        }
    }
}
