//! What sleeping keeps of a body.

use super::body::BodyId;
use crate::math::{Real, Vec3};

/// What sleeping knows of a body.
#[derive(Clone, Copy, Debug, Default)]
pub struct SleepState {
    /// Name of the sleeping island that the body belongs to: its first body.
    pub(crate) asleep: Option<BodyId>,
    /// For how long the body has been at rest (s).
    pub(crate) idle: Real,
    /// Its velocities when that began [m/s, rad/s].
    pub(crate) since: (Vec3, Vec3),
    /// By how much the velocity of one of its points has differed from that, at most [m/s].
    pub(crate) change: Real,
    /// For how long it has now been nearly still (s), and its velocities when that began [m/s, rad/s].
    pub(crate) still: Real,
    pub(crate) still_since: (Vec3, Vec3),
    /// Force and torque of the last step that it was awake in [N, N·m].
    pub(crate) steady: (Vec3, Vec3),
    /// Counts changes of materials and layers, and those of layers.
    pub(crate) edits: u32,
    pub(crate) layers: u32,
    /// Is it in the list of bodies that may have been changed?
    pub(crate) noted: bool,
}

impl SleepState {
    /// Takes note of what acts in this step. Whatever is pushed anew has not come to rest.
    pub(crate) fn push(&mut self, force: (Vec3, Vec3), struck: bool) {
        if struck || force != self.steady {
            self.idle = 0.0;
        }
        self.steady = force;
    }
}
