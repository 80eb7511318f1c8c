//! What can be tuned while the app runs: gravity, mode, contacts, solver, sleeping.

use bevy_derive::{Deref, DerefMut};
use bevy_ecs::prelude::*;
use bevy_reflect::std_traits::ReflectDefault;
#[cfg(feature = "serialize")]
use bevy_reflect::{FromReflect, ReflectDeserialize, ReflectSerialize, TypePath};
use bevy_reflect::{Reflect, impl_reflect};

use crate::engine::collider::CoefficientCombine;
use crate::engine::lcp::{Cone, Method};
use crate::engine::settings::{
    ActiveEvents, ContactSettings, Integration, Quasistatic, RestitutionModel, Settings,
    SleepSettings, SolverSettings, StepMode,
};
use crate::math::{Double, Real, Vec3};

// The engine knows no Bevy, so its settings are reflected from here.
impl_reflect!(
    #[type_path = "orthant::engine::lcp"]
    #[reflect(Debug, PartialEq, Clone)]
    enum Method {
        Auto,
        Pgs,
        Substeps,
        Newton,
        Lemke,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::collider"]
    #[reflect(Debug, Default, PartialEq, Clone)]
    enum CoefficientCombine {
        Average,
        GeometricMean,
        Min,
        Multiply,
        Max,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::lcp"]
    #[reflect(Debug, PartialEq, Clone)]
    enum Cone {
        Circular,
        Pyramid(u32),
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::settings"]
    #[reflect(Debug, PartialEq, Clone)]
    enum ActiveEvents {
        Clipped,
        Enumerated { eps_x: Real, eps_t: Real, eps_0: Real, delta_max: Real, one_sided: bool },
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::settings"]
    #[reflect(Debug, Default, PartialEq, Clone)]
    enum StepMode {
        Dynamic,
        Quasistatic(Quasistatic),
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::settings"]
    #[reflect(Debug, Default, PartialEq, Clone)]
    struct Quasistatic {
        inertia_time: Real,
        step_max: Real,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::settings"]
    #[reflect(Debug, Default, PartialEq, Clone)]
    enum Integration {
        SecondOrder,
        Euler,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::settings"]
    #[reflect(Debug, Default, PartialEq, Clone)]
    enum RestitutionModel {
        Poisson,
        Newton,
        Sequence,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::settings"]
    #[reflect(Debug, Default, PartialEq, Clone)]
    struct ContactSettings {
        gamma: Real,
        push_speed_max: Real,
        dead_zone: Real,
        stillness: Real,
        margin: Real,
        normal_slack: Real,
        reference_slack: Real,
        relax: bool,
        restitution: RestitutionModel,
        restitution_speed: Real,
        active: ActiveEvents,
        friction: Option<Real>,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::settings"]
    #[reflect(Debug, Default, PartialEq, Clone)]
    struct SolverSettings {
        integration: Integration,
        method: Method,
        tolerance: Double,
        cone: Cone,
        sweeps_max: u32,
        newton_max: u32,
        penalty: Double,
        newton_rows_max: u32,
        work_max: Double,
        impact_speed_max: Double,
        substeps: u32,
        softness: Double,
        joint_softness: Double,
        lemke_contacts_max: u32,
    }
);

impl_reflect!(
    #[type_path = "orthant::engine::settings"]
    #[reflect(Debug, Default, PartialEq, Clone)]
    struct SleepSettings {
        enabled: bool,
        linear: Real,
        angular: Real,
        acceleration: Real,
        time: Real,
    }
);

/// Lets files keep a type of the engine as serde does: some of its numbers may be infinite, of which JSON has
/// none.
#[cfg(feature = "serialize")]
pub(super) fn keep_by_serde<T>(app: &mut bevy_app::App)
where
    T: serde::Serialize + for<'de> serde::Deserialize<'de> + FromReflect + Reflect + TypePath,
{
    app.register_type_data::<T, ReflectSerialize>().register_type_data::<T, ReflectDeserialize>();
}

/// Gravity [m/s²], world axes; (0, -9.81, 0) by default.
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// # let mut app = bevy_app::App::new();
/// // On the moon.
/// app.insert_resource(Gravity(Vec3::Y * -1.62));
/// ```
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

/// What a step asks of the bodies: motion by Newton's law, or equilibrium at every time; reads and writes as
/// [`StepMode`].
///
/// May change at any time. In quasistatic steps bodies move only as far as kinematic ones, joints or forces
/// make them; of those that nothing holds in equilibrium
/// [`PhysicsErrorKind::Unbalanced`](super::PhysicsErrorKind::Unbalanced) tells.
///
/// ```
/// # use orthant::prelude::*;
/// # let mut app = bevy_app::App::new();
/// app.insert_resource(StepConfig::quasistatic());
/// ```
#[derive(Resource, Clone, Copy, Debug, Deref, DerefMut, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct StepConfig(pub StepMode);

impl StepConfig {
    /// Quasistatic steps with the default parameters.
    #[must_use]
    pub fn quasistatic() -> Self {
        Self(StepMode::quasistatic())
    }
}

/// How the step problem is solved; reads and writes as
/// [`SolverSettings`](crate::engine::settings::SolverSettings).
///
/// May change at any time. A value out of its range refuses the steps until it is put right: the world
/// stands still and the error is logged once.
///
/// ```
/// # use orthant::prelude::*;
/// # let mut app = bevy_app::App::new();
/// // Large heaps at a fixed cost; what is solved at all is solved as before.
/// app.insert_resource(SolverConfig::budget());
/// ```
#[derive(Resource, Clone, Copy, Debug, Deref, DerefMut, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct SolverConfig(pub SolverSettings);

impl SolverConfig {
    /// For large heaps in motion at a fixed and low cost, see [`SolverSettings::budget`].
    #[must_use]
    pub fn budget() -> Self {
        Self(SolverSettings::budget())
    }
}

/// How contacts are found and stabilized; reads and writes as
/// [`ContactSettings`](crate::engine::settings::ContactSettings).
///
/// May change at any time. A value out of its range refuses the steps until it is put right: the world
/// stands still and the error is logged once.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn gently(mut contacts: ResMut<ContactConfig>) {
///     contacts.push_speed_max = 0.5; // m/s
/// }
/// # bevy_ecs::system::assert_is_system(gently);
/// ```
#[derive(Resource, Clone, Copy, Debug, Deref, DerefMut, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct ContactConfig(pub ContactSettings);

/// When bodies fall asleep; reads and writes as
/// [`SleepSettings`](crate::engine::settings::SleepSettings). Here, other than there, sleeping is enabled
/// unless switched off; see [`Sleeping`](super::Sleeping).
///
/// May change at any time; switched off, everything wakes. A value out of its range refuses the steps
/// until it is put right.
///
/// ```
/// # use orthant::prelude::*;
/// # let mut app = bevy_app::App::new();
/// app.insert_resource(SleepConfig::disabled());
/// ```
#[derive(Resource, Clone, Copy, Debug, Deref, DerefMut, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct SleepConfig(pub SleepSettings);

impl SleepConfig {
    /// Nothing ever sleeps.
    #[must_use]
    pub fn disabled() -> Self {
        Self(SleepSettings { enabled: false, ..SleepSettings::default() })
    }
}

impl Default for SleepConfig {
    fn default() -> Self {
        Self(SleepSettings { enabled: true, ..SleepSettings::default() })
    }
}

/// All settings of a step.
pub(super) fn collect(
    gravity: &Gravity,
    mode: &StepConfig,
    contact: &ContactConfig,
    solver: &SolverConfig,
    sleep: &SleepConfig,
) -> Settings {
    Settings {
        gravity: gravity.0,
        mode: mode.0,
        contact: contact.0,
        solver: solver.0,
        sleep: sleep.0,
    }
}
