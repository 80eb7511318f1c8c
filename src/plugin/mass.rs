//! Mass, center of mass and inertia of a body: from its colliders and their densities, or set by hand.

use bevy_derive::Deref;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::attach::queue_collider;
use super::collider::Collider;
use super::link::queue_body;
use crate::engine::body::Body;
use crate::engine::shape::mass::MassProperties;
use crate::math::{
    Mat3, Quat, Real, SymMat3, Vec3, narrow, narrow3, quat_normalize, quat_to_mat3, sym_eigen,
    widen,
};

/// Mass of the body (kg), > 0, in place of the sum over its colliders of volume times density. The
/// inertia scales with it.
///
/// A body without a collider has the inertia of a ball of 1 m diameter, unless [`AngularInertia`] says
/// otherwise.
///
/// ```
/// # use orthant::prelude::*;
/// // Of the mass of its shape and density otherwise, 8 000 kg.
/// let hollow = (RigidBody::Dynamic, Collider::cuboid(2.0, 2.0, 2.0), Mass(200.0));
/// # let _ = hollow;
/// ```
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

impl Mass {
    /// Mass of a shape of this density [kg/m³].
    #[must_use]
    pub fn from_shape(shape: impl Into<Collider>, density: Real) -> Self {
        Self(shape.into().mass_properties(density).mass)
    }
}

/// Density of the collider on the same entity [kg/m³], > 0; 1 without this component.
///
/// ```
/// # use orthant::prelude::*;
/// let steel = (RigidBody::Dynamic, Collider::sphere(0.1), ColliderDensity(7_850.0));
/// # let _ = steel;
/// ```
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
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// // Stands up again.
/// let roly_poly = (RigidBody::Dynamic, Collider::sphere(0.3), CenterOfMass(Vec3::Y * -0.15));
/// # let _ = roly_poly;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct CenterOfMass(pub Vec3);

impl CenterOfMass {
    /// Center of mass of a shape of even density (m).
    #[must_use]
    pub fn from_shape(shape: impl Into<Collider>) -> Self {
        Self(shape.into().mass_properties(1.0).center_of_mass)
    }
}

/// Inertia of the body about its center of mass, in place of the colliders'.
///
/// ```
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// let sphere = AngularInertia { principal: Vec3::splat(0.4), ..AngularInertia::default() };
/// # let _ = sphere;
/// ```
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

    /// Inertia of a shape of this density [kg/m³].
    #[must_use]
    pub fn from_shape(shape: impl Into<Collider>, density: Real) -> Self {
        let (principal, local_frame) =
            principal_axes(shape.into().mass_properties(density).inertia);
        Self { principal, local_frame }
    }
}

/// Principal moments [kg·m²], and the rotation of their axes.
pub(super) fn principal_axes(inertia: SymMat3) -> (Vec3, Quat) {
    let SymMat3 { xx, yy, zz, xy, xz, yz } = inertia;
    let (values, axes) = sym_eigen(&[xx, yy, zz, xy, xz, yz].map(widen));
    let [x, y, _] = [0, 1, 2].map(|k| narrow3([axes[0][k], axes[1][k], axes[2][k]].into()));
    let local_frame = Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)));
    (Vec3::from_array(values.map(narrow)), quat_normalize(local_frame))
}

/// Mass, inertia and center of mass of a shape, for bodies whose colliders should not say them.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// fn buoy(mut commands: Commands) {
///     let ballast = MassPropertiesBundle::from_shape(&Collider::sphere(0.2), 7_800.0);
///     commands.spawn((RigidBody::Dynamic, Collider::sphere(0.5), ballast));
/// }
/// ```
#[derive(Bundle, Clone, Copy, Debug, Default, PartialEq)]
pub struct MassPropertiesBundle {
    /// Mass.
    pub mass: Mass,
    /// Inertia about the center of mass.
    pub angular_inertia: AngularInertia,
    /// Center of mass.
    pub center_of_mass: CenterOfMass,
}

impl MassPropertiesBundle {
    /// Those of a shape of this density [kg/m³]. One that makes no sense has no mass, and a body with it
    /// is refused.
    #[must_use]
    pub fn from_shape(shape: impl Into<Collider>, density: Real) -> Self {
        let shape = shape.into();
        Self {
            mass: Mass::from_shape(&shape, density),
            angular_inertia: AngularInertia::from_shape(&shape, density),
            center_of_mass: CenterOfMass::from_shape(&shape),
        }
    }
}

/// Mass of the body as it is (kg), from [`Mass`] or the colliders; zero if it is not dynamic or there is no
/// such body. Comes with [`RigidBody`](super::RigidBody) and is written when bodies are brought up to date.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn weigh(bodies: Query<(&ComputedMass, &ComputedCenterOfMass)>) {
///     for (mass, center) in &bodies {
///         println!("{} kg about {}", **mass, **center);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(weigh);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, Deref, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ComputedMass(Real);

/// Center of mass of the body as it is, in its frame (m); zero if the body is not dynamic.
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
/// let body = world.spawn(RigidBody::Dynamic).id();
/// let aside = bevy_transform::components::Transform::from_xyz(1.0, 0.0, 0.0);
/// world.spawn((Collider::sphere(0.5), aside, ChildOf(body)));
/// step_physics(world, step);
/// let center = **world.get::<ComputedCenterOfMass>(body).expect("a body");
/// assert!((center - Vec3::X).length() < 1e-6);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, Deref, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ComputedCenterOfMass(Vec3);

/// Inertia of the body as it is, about its center of mass; zero if the body is not dynamic.
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
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5), Mass(10.0))).id();
/// step_physics(world, step);
/// // Of a ball, 2/5 m r².
/// let inertia = world.get::<ComputedAngularInertia>(ball).expect("a body").principal;
/// assert!((inertia - Vec3::ONE).length() < 1e-4);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, Deref, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ComputedAngularInertia(AngularInertia);

/// What mass properties came to, for those who read them.
#[derive(QueryData)]
#[query_data(mutable)]
pub(super) struct Computed {
    mass: Option<&'static mut ComputedMass>,
    center: Option<&'static mut ComputedCenterOfMass>,
    inertia: Option<&'static mut ComputedAngularInertia>,
}

impl ComputedItem<'_, '_> {
    /// Writes what changed.
    pub(super) fn write(&mut self, body: &Body) {
        let (principal, local_frame) = principal_axes(body.inertia());
        let inertia = ComputedAngularInertia(AngularInertia { principal, local_frame });
        if let Some(mass) = &mut self.mass {
            mass.set_if_neq(ComputedMass(body.mass()));
        }
        if let Some(center) = &mut self.center {
            center.set_if_neq(ComputedCenterOfMass(body.center_of_mass()));
        }
        if let Some(computed) = &mut self.inertia {
            computed.set_if_neq(inertia);
        }
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
    /// Do overlapping colliders count once?
    pub(super) overlaps_once: bool,
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
