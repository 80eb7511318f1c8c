//! The physics clock, `Time<Physics>`: it can be paused and run at another speed than the game.

use core::time::Duration;

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_time::Time;

use crate::math::{Double, Real, narrow, widen};

/// The clock of physics: `Time<Physics>` is a resource.
///
/// The clock follows the generic clock of the schedule physics runs in (the fixed clock in
/// `FixedPostUpdate`), times its speed. Inside [`PhysicsSchedule`](super::PhysicsSchedule) it is the
/// generic clock `Time`. See [`PhysicsTime`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_time::Time;
/// use orthant::prelude::*;
///
/// fn show(time: Res<Time<Physics>>) {
///     println!("{} s have passed in the world", time.elapsed_secs());
/// }
/// # bevy_ecs::system::assert_is_system(show);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct Physics {
    paused: bool,
    /// One step is to be taken in spite of the pause.
    steps_once: bool,
    relative_speed: Double,
}

impl Default for Physics {
    fn default() -> Self {
        Self { paused: false, steps_once: false, relative_speed: 1.0 }
    }
}

/// Pausing and the speed of [`Time<Physics>`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// # use bevy_time::Time;
/// fn pause(mut time: ResMut<Time<Physics>>) {
///     if time.is_paused() { time.unpause() } else { time.pause() }
/// }
///
/// fn slow_motion(mut time: ResMut<Time<Physics>>) {
///     time.set_relative_speed(0.25);
/// }
/// # bevy_ecs::system::assert_is_system(pause);
/// # bevy_ecs::system::assert_is_system(slow_motion);
/// ```
pub trait PhysicsTime {
    /// Stops the clock: no step is taken. Forces and impulses wait.
    fn pause(&mut self);

    /// Lets the clock run again.
    fn unpause(&mut self);

    /// Is the clock stopped?
    fn is_paused(&self) -> bool;

    /// Takes one step in spite of a pause, when the schedule of physics runs next, as long as the others.
    fn step_once(&mut self);

    /// Speed relative to the clock it follows (-); 1 by default.
    fn relative_speed(&self) -> Real;

    /// Sets the speed relative to the clock it follows (-), ≥ 0. At 0.5 a step is half as long. A
    /// negative or non-finite value is refused: an error is logged and the speed stays.
    fn set_relative_speed(&mut self, ratio: Real);

    /// This clock at this speed; see [`set_relative_speed`](Self::set_relative_speed).
    #[must_use]
    fn with_relative_speed(self, ratio: Real) -> Self;
}

impl PhysicsTime for Time<Physics> {
    fn pause(&mut self) {
        self.context_mut().paused = true;
    }

    fn unpause(&mut self) {
        self.context_mut().paused = false;
    }

    fn is_paused(&self) -> bool {
        self.context().paused
    }

    fn step_once(&mut self) {
        self.context_mut().steps_once = true;
    }

    fn relative_speed(&self) -> Real {
        narrow(self.context().relative_speed)
    }

    fn set_relative_speed(&mut self, ratio: Real) {
        if ratio >= 0.0 && ratio.is_finite() {
            self.context_mut().relative_speed = widen(ratio);
        } else {
            log::error!("the speed of physics must be finite and not negative, got {ratio}");
        }
    }

    fn with_relative_speed(mut self, ratio: Real) -> Self {
        self.set_relative_speed(ratio);
        self
    }
}

/// Advances the physics clock by the time that passed.
pub(super) fn advance_clock(time: Res<Time>, mut physics: ResMut<Time<Physics>>) {
    let Physics { paused, steps_once, relative_speed } = *physics.context();
    if steps_once {
        physics.context_mut().steps_once = false;
    }
    let delta = if paused && !steps_once {
        Duration::ZERO
    } else if relative_speed == 1.0 {
        time.delta()
    } else {
        let seconds = time.delta_secs_f64() * relative_speed;
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    };
    physics.advance_by(delta);
}

/// Run condition: there is a step to take.
pub(super) fn time_passed(physics: Res<Time<Physics>>) -> bool {
    !physics.delta().is_zero()
}
