//! Pointers hit colliders: a backend of Bevy's picking (feature `picking`).
//!
//! Input: the rays of all pointers through all cameras. Output: for each the colliders it meets, by distance;
//! which of them are hovered, and what is told to whom, is Bevy's work.

use bevy_app::{App, Plugin, PreUpdate};
use bevy_camera::Camera;
use bevy_ecs::prelude::*;
use bevy_picking::backend::ray::RayMap;
use bevy_picking::backend::{HitData, PointerHits};
use bevy_picking::{Pickable, PickingSystems};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::origin::FloatingOrigin;
use super::spatial::{RayHitData, SpatialQuery, SpatialQueryFilter};
use crate::math::{Real, single3, widen};

/// Lets pointers pick colliders: everything that has one can be observed for `PointerClick`,
/// `PointerDrag` and so on.
///
/// Not in [`PhysicsPlugins`](super::PhysicsPlugins). Add it beside Bevy's `DefaultPlugins`, or beside
/// `PickingPlugin` and `InteractionPlugin`.
///
/// - Systems: one in `PickingSystems::Backend`.
/// - Resources: [`PhysicsPickingSettings`].
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// use bevy_picking::events::PointerClick;
/// use orthant::prelude::*;
///
/// fn push(click: On<PointerClick>, mut bodies: Query<Forces>) {
///     if let Ok(mut forces) = bodies.get_mut(click.entity) {
///         forces.apply_linear_impulse(orthant::math::Vec3::Y);
///     }
/// }
///
/// # let mut app = App::new();
/// # app.add_plugins((bevy_time::TimePlugin, bevy_picking::PickingPlugin));
/// app.add_plugins((PhysicsPlugins::default(), PhysicsPickingPlugin)).add_observer(push);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsPickingPlugin;

impl Plugin for PhysicsPickingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PhysicsPickingSettings>()
            .register_type::<PhysicsPickingSettings>()
            .register_type::<PhysicsPickable>()
            .register_type::<PhysicsPickingFilter>();
        app.add_systems(PreUpdate, update_hits.in_set(PickingSystems::Backend));
    }
}

/// Who takes part in picking.
///
/// ```
/// # use orthant::prelude::*;
/// # let mut app = bevy_app::App::new();
/// app.insert_resource(PhysicsPickingSettings { require_markers: true });
/// ```
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct PhysicsPickingSettings {
    /// Only cameras and colliders with [`PhysicsPickable`]? All by default.
    pub require_markers: bool,
}

/// A camera or collider that takes part in picking where
/// [`require_markers`](PhysicsPickingSettings::require_markers) is set.
///
/// ```
/// # use bevy_app::App;
/// use orthant::prelude::*;
///
/// fn build(app: &mut App) {
///     app.insert_resource(PhysicsPickingSettings { require_markers: true });
///     app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), PhysicsPickable));
/// }
/// # let _ = build;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
pub struct PhysicsPickable;

/// What pointers of this camera meet; everything but sensors without it.
///
/// ```
/// # use orthant::prelude::*;
/// let filter = SpatialQueryFilter::default().without_sensors();
/// let camera = PhysicsPickingFilter(filter);
/// # let _ = camera;
/// ```
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct PhysicsPickingFilter(pub SpatialQueryFilter);

impl Default for PhysicsPickingFilter {
    fn default() -> Self {
        Self(SpatialQueryFilter::default().without_sensors())
    }
}

type PickingCamera = (&'static Camera, Option<&'static PhysicsPickingFilter>, Has<PhysicsPickable>);

/// Casts the rays of the pointers.
fn update_hits(
    settings: Res<PhysicsPickingSettings>,
    rays: Res<RayMap>,
    cameras: Query<PickingCamera>,
    colliders: Query<(Option<&Pickable>, Has<PhysicsPickable>)>,
    spatial: SpatialQuery,
    floating: Res<FloatingOrigin>,
    mut hits: MessageWriter<PointerHits>,
) {
    let takes_part = |is_marked| is_marked || !settings.require_markers;
    let is_pickable = |hit: &RayHitData| {
        colliders.get(hit.entity).is_ok_and(|(pickable, is_marked)| {
            takes_part(is_marked)
                && pickable
                    .is_none_or(|pickable| pickable.is_hoverable || pickable.should_block_lower)
        })
    };
    for (&id, ray) in rays.iter() {
        let Ok((camera, filter, is_marked)) = cameras.get(id.camera) else { continue };
        if !takes_part(is_marked) {
            continue;
        }
        let filter = filter.cloned().unwrap_or_default().0;
        let origin = floating.in_world(ray.origin);
        let found =
            spatial.ray_hits(origin, ray.direction, Real::INFINITY, u32::MAX, true, &filter);
        let pick = |hit: &RayHitData| {
            let depth = widen(hit.distance) as f32;
            let point = ray.origin + ray.direction * depth;
            let normal = Some(single3(hit.normal));
            (hit.entity, HitData::new(id.camera, depth, Some(point), normal))
        };
        let picks: Vec<_> = found.iter().filter(|hit| is_pickable(hit)).map(pick).collect();
        if !picks.is_empty() {
            hits.write(PointerHits::new(id.pointer, picks, camera.order as f32));
        }
    }
}
