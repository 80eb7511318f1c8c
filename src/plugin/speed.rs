//! Largest speeds of bodies.

use bevy_app::{App, Plugin};
use bevy_derive::{Deref, DerefMut};
use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
#[cfg(feature = "serialize")]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};

use super::collision::surface::wake_on_surfaces;
use super::link::EngineBody;
use super::schedule::{PhysicsSchedule, PhysicsStepSystems};
use super::stages::integrate;
use super::sync::GatherSystems;
use super::world::PhysicsWorld;
use crate::math::Real;

/// Largest speed of the center of mass of a dynamic body [m/s], ≥ 0. A step begins and ends with no more;
/// within it forces and blows may add to it.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     let ball = (RigidBody::Dynamic, Collider::sphere(0.5));
///     commands.spawn((ball, MaxLinearSpeed(20.0), MaxAngularSpeed(10.0)));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Deref, DerefMut, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct MaxLinearSpeed(
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))] pub Real,
);

/// Largest angular speed of a dynamic body [rad/s], ≥ 0. A step begins and ends with no more.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(1.0 / 60.0);
/// let top = (RigidBody::Dynamic, Collider::sphere(0.5), AngularVelocity(Vec3::Y * 100.0));
/// let top = world.spawn((top, MaxAngularSpeed(10.0))).id();
/// step_physics(world, step);
/// let speed = world.get::<AngularVelocity>(top).expect("a body").length();
/// assert!((speed - 10.0).abs() < 1e-3, "{speed}");
/// ```
#[derive(Component, Clone, Copy, Debug, Deref, DerefMut, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct MaxAngularSpeed(
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))] pub Real,
);

impl Default for MaxLinearSpeed {
    /// Any speed.
    fn default() -> Self {
        Self(Real::INFINITY)
    }
}

impl Default for MaxAngularSpeed {
    /// Any speed.
    fn default() -> Self {
        Self(Real::INFINITY)
    }
}

/// Keeps bodies below their [`MaxLinearSpeed`] and [`MaxAngularSpeed`].
///
/// - Systems: one in [`GatherSystems::Forces`], and one in [`PhysicsStepSystems::Integrate`].
///
/// ```
/// # use bevy_app::prelude::*;
/// use orthant::plugin::PhysicsSpeedPlugin;
/// use orthant::prelude::*;
///
/// // An app that needs none of it leaves it out.
/// let mut app = App::new();
/// app.add_plugins(PhysicsPlugins::default().build().disable::<PhysicsSpeedPlugin>());
/// step_physics(app.world_mut(), core::time::Duration::from_millis(10));
/// assert_eq!(app.world().resource::<StepReport>().bodies, 0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsSpeedPlugin;

impl Plugin for PhysicsSpeedPlugin {
    fn build(&self, app: &mut App) {
        use PhysicsStepSystems as Step;
        app.register_type::<MaxLinearSpeed>().register_type::<MaxAngularSpeed>();
        app.add_systems(
            PhysicsSchedule,
            (
                cap_speeds.after(wake_on_surfaces).in_set(GatherSystems::Forces),
                cap_speeds.after(integrate).in_set(Step::Integrate),
            ),
        );
    }
}

type Capped =
    (&'static EngineBody, Option<&'static MaxLinearSpeed>, Option<&'static MaxAngularSpeed>);

fn cap_speeds(
    mut physics: ResMut<PhysicsWorld>,
    bodies: Query<Capped, Or<(With<MaxLinearSpeed>, With<MaxAngularSpeed>)>>,
) {
    for (link, linear, angular) in &bodies {
        let Some(id) = link.id else { continue };
        let Some(body) = physics.engine.body(id).filter(|body| body.is_dynamic()) else { continue };
        let (v, w) = (body.linear_velocity, body.angular_velocity);
        // A bound that is negative or no number is none.
        let capped = (
            linear.filter(|max| max.0 >= 0.0).map_or(v, |max| v.clamp_length_max(max.0)),
            angular.filter(|max| max.0 >= 0.0).map_or(w, |max| w.clamp_length_max(max.0)),
        );
        if capped != (v, w)
            && let Some(body) = physics.body_mut(id)
        {
            (body.linear_velocity, body.angular_velocity) = capped;
        }
    }
}
