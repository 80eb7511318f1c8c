//! Mass, center of mass and inertia of a body: from its colliders and their densities, or set by hand.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::attach::queue_collider;
use super::link::queue_body;
use crate::engine::shape::mass::MassProperties;
use crate::math::{Quat, Real, SymMat3, Vec3, quat_normalize, quat_to_mat3};

/// Mass of the body (kg), > 0, in place of the sum over its colliders of volume times density. The
/// inertia scales with it.
///
/// A body without a collider has the inertia of a ball of 1 m diameter, unless [`AngularInertia`] says
/// otherwise.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct Mass(pub Real);

impl Default for Mass {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Density of the collider on the same entity [kg/m³], > 0; 1 without this component.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_collider)]
pub struct ColliderDensity(pub Real);

impl Default for ColliderDensity {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Center of mass in the body's frame (m), in place of the colliders'. The inertia about it stays.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct CenterOfMass(pub Vec3);

/// Inertia of the body about its center of mass, in place of the colliders'.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct AngularInertia {
    /// Principal moments [kg·m²], > 0.
    pub principal: Vec3,
    /// Rotation of the principal axes relative to the body's frame.
    pub local_frame: Quat,
}

impl AngularInertia {
    /// Principal moments [kg·m²] about the axes of the body's frame.
    #[must_use]
    pub const fn new(principal: Vec3) -> Self {
        Self { principal, local_frame: Quat::IDENTITY }
    }
}

impl Default for AngularInertia {
    fn default() -> Self {
        Self::new(Vec3::ONE)
    }
}

/// The components that say what mass properties a body has, in place of those of its colliders.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MassInputs {
    pub(super) mass: Option<Mass>,
    pub(super) center: Option<CenterOfMass>,
    pub(super) inertia: Option<AngularInertia>,
}

impl MassInputs {
    /// The mass properties of a body whose colliders have these. Whether they make sense is for the
    /// engine to say.
    pub(super) fn instead_of(&self, colliders: MassProperties) -> MassProperties {
        let mut result = colliders;
        if let Some(Mass(mass)) = self.mass {
            result.inertia = if result.mass > 0.0 {
                result.inertia.scaled(mass / result.mass)
            } else {
                SymMat3::diagonal(Vec3::splat(0.1 * mass))
            };
            result.mass = mass;
        }
        if let Some(CenterOfMass(center)) = self.center {
            result.center_of_mass = center;
        }
        if let Some(AngularInertia { principal, local_frame }) = self.inertia {
            let axes = quat_to_mat3(quat_normalize(local_frame));
            result.inertia = SymMat3::diagonal(principal).rotated(axes);
        }
        result
    }
}
