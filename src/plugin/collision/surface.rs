//! Surfaces that run.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use crate::engine::bodies::Bodies;
use crate::engine::body::BodyId;
use crate::math::{Vec3, quat_rotate};
use crate::plugin::world::PhysicsWorld;

/// Velocity with which the surface of a collider runs along itself [m/s], in the axes of its body, as that
/// of a conveyor belt does; beside the motion of its body. The part along the normal of a contact does
/// nothing.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     commands.spawn((Collider::cuboid(4.0, 0.2, 1.0), SurfaceVelocity(Vec3::X * 1.5)));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct SurfaceVelocity(pub Vec3);

/// Of a collider, in world axes [m/s].
fn of(surfaces: &Query<&SurfaceVelocity>, bodies: &Bodies, body: BodyId, tag: u64) -> Vec3 {
    let surface = Entity::try_from_bits(tag).and_then(|entity| surfaces.get(entity).ok());
    let rotation = bodies.get(body).map(|body| body.rotation());
    surface.zip(rotation).map_or(Vec3::ZERO, |(surface, q)| quat_rotate(q, surface.0))
}

/// Has surfaces run in the contacts that were found.
pub(super) fn run_surfaces(mut physics: ResMut<PhysicsWorld>, surfaces: Query<&SurfaceVelocity>) {
    if surfaces.is_empty() {
        return;
    }
    let (bodies, pairs) = physics.engine.pairs_to_change();
    for pair in pairs {
        let [a, b] = [(pair.key.a, pair.tags[0]), (pair.key.b, pair.tags[1])]
            .map(|(body, tag)| of(&surfaces, bodies, body, tag));
        pair.surface_velocity += b - a;
    }
}

/// Wakes what touches a surface that runs otherwise now.
pub(in crate::plugin) fn wake_on_surfaces(
    mut physics: ResMut<PhysicsWorld>,
    changed: Query<Entity, Changed<SurfaceVelocity>>,
    mut removed: RemovedComponents<SurfaceVelocity>,
) {
    for entity in changed.iter().chain(removed.read()) {
        let tag = entity.to_bits();
        let touching = physics.engine.pairs().iter().filter(|pair| pair.tags.contains(&tag));
        let ids: Vec<BodyId> = touching.flat_map(|pair| [pair.key.a, pair.key.b]).collect();
        for id in ids {
            physics.engine.wake_body(id);
        }
    }
}
