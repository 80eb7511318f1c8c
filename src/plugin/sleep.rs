//! Sleeping as components: who sleeps, who never does.
//!
//! The engine decides which bodies sleep; [`Sleeping`] mirrors that. Where a user put or took it, hooks
//! note the entity, and the gather puts the body to sleep or wakes it. O(notes).

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::link::{Changes, EngineBody, queue_body};
use super::world::PhysicsWorld;

/// Marks a body that sleeps: bodies that touch each other and have all come to rest stay out of the
/// steps until something happens to one of them. Their velocities are zero; everything else stays as
/// it was.
///
/// Comes and goes by itself. They wake when something that is awake touches them; when one of them, or
/// whatever it touches or is joined with, is changed or goes away; when a force or an impulse acts that
/// did not when they fell asleep; when gravity changes. When bodies fall asleep says
/// [`SleepConfig`](super::SleepConfig).
///
/// Insert it to put a body to sleep, with everything that it touches; remove it to wake them.
/// Spawned with it, a body sleeps from the start, and a wall stands unsolved until it is hit.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn wake(mut commands: Commands, sleepers: Query<Entity, With<Sleeping>>) {
///     for sleeper in &sleepers {
///         commands.entity(sleeper).remove::<Sleeping>();
///     }
/// }
/// # bevy_ecs::system::assert_is_system(wake);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(on_add = mark_sleeping, on_remove = mark_sleeping)]
pub struct Sleeping;

/// Keeps a body awake, and so everything that it touches or is joined with.
///
/// ```
/// # use orthant::prelude::*;
/// let watchman = (RigidBody::Dynamic, Collider::capsule(0.3, 1.2), SleepingDisabled);
/// # let _ = watchman;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct SleepingDisabled;

/// Someone should sleep or wake, or the step said so itself.
fn mark_sleeping(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    if let Some(mut changes) = world.get_resource_mut::<Changes>() {
        changes.sleepers.push(entity);
    }
}

/// Puts bodies to sleep and wakes them as their components say. One that may not sleep loses its marker.
pub(super) fn read_sleeping(
    mut physics: ResMut<PhysicsWorld>,
    mut changes: ResMut<Changes>,
    mut commands: Commands,
    bodies: Query<(&EngineBody, Has<Sleeping>)>,
) {
    for entity in changes.sleepers.drain(..) {
        let Ok((link, sleeps)) = bodies.get(entity) else { continue };
        let Some(id) = link.id else { continue };
        let Some(body) = physics.engine.body(id) else { continue };
        if sleeps && !body.is_sleeping() {
            if !physics.engine.sleep_body(id) {
                commands.entity(entity).remove::<Sleeping>();
            }
        } else if !sleeps && body.is_sleeping() {
            physics.engine.wake_body(id);
        }
    }
}
