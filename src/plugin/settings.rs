//! What can be tuned while the app runs: gravity, contacts, solver.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use crate::engine::settings::{ContactSettings, Settings, SolverSettings};
use crate::math::Vec3;

/// Gravity [m/s²], world axes; (0, -9.81, 0) by default.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct Gravity(pub Vec3);

impl Gravity {
    /// No gravity.
    pub const ZERO: Self = Self(Vec3::ZERO);
}

impl Default for Gravity {
    fn default() -> Self {
        Self(Settings::default().gravity)
    }
}

/// How the step problem is solved; reads and writes as
/// [`SolverSettings`](crate::engine::settings::SolverSettings).
///
/// May change at any time. A value out of its range refuses the steps until it is put right: the world
/// stands still and the error is logged once.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct SolverConfig(pub SolverSettings);

/// How contacts are found and stabilized; reads and writes as
/// [`ContactSettings`](crate::engine::settings::ContactSettings).
///
/// May change at any time. A value out of its range refuses the steps until it is put right: the world
/// stands still and the error is logged once.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct ContactConfig(pub ContactSettings);

impl core::ops::Deref for SolverConfig {
    type Target = SolverSettings;

    fn deref(&self) -> &SolverSettings {
        &self.0
    }
}

impl core::ops::DerefMut for SolverConfig {
    fn deref_mut(&mut self) -> &mut SolverSettings {
        &mut self.0
    }
}

impl core::ops::Deref for ContactConfig {
    type Target = ContactSettings;

    fn deref(&self) -> &ContactSettings {
        &self.0
    }
}

impl core::ops::DerefMut for ContactConfig {
    fn deref_mut(&mut self) -> &mut ContactSettings {
        &mut self.0
    }
}

/// All settings of a step.
pub(super) fn collect(
    gravity: &Gravity,
    contact: &ContactConfig,
    solver: &SolverConfig,
) -> Settings {
    Settings { gravity: gravity.0, contact: contact.0, solver: solver.0 }
}
