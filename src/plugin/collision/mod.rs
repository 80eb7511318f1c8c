//! Collisions: what touches what, told as events, read as data, changed by systems between the stages.
//!
//! - [`CollisionStart`] and [`CollisionEnd`], messages and entity events, for entities with
//!   [`CollisionEventsEnabled`]; [`ContactImpulse`] for those with a [`ContactImpulseThreshold`].
//! - [`CollidingEntities`], a list kept up to date on the entities that have it.
//! - [`Collisions`], a system parameter to read contacts, gaps, normals and impulses.
//! - [`CollisionPairs`], a system parameter to filter and change pairs within the step.
//! - [`SurfaceVelocity`], a component for surfaces that run.

mod data;
mod events;
mod pairs;
mod silence;
pub(super) mod surface;
mod tell;

use bevy_app::{App, Last, Plugin};
use bevy_ecs::prelude::*;
use bevy_ecs::system::{RunSystemError, RunSystemOnce};

pub use data::{Collisions, ContactPair, ContactPoint};
pub use events::{
    CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionStart, ContactImpulse,
    ContactImpulseThreshold, Impact,
};
pub use pairs::{CollisionPair, CollisionPairs};
pub use surface::SurfaceVelocity;

use super::character::controller::lead_characters;
use super::drive::drive;
use super::forces::take_targets;
use super::schedule::{PhysicsSchedule, PhysicsStepSystems};
use super::stages::find_contacts;
use super::sync::GatherSystems;
use super::world::{PhysicsWorld, entity_of};
use crate::engine::bodies::Bodies;
use crate::engine::body::BodyId;
use crate::engine::touch::TouchKey;
use silence::Heard;
use tell::{Blows, Told};

/// Tells collisions.
///
/// - Systems: in [`PhysicsStepSystems::Events`], one each for blows, starts and ends, impulses, and
///   [`CollidingEntities`]; one in [`PhysicsStepSystems::NarrowPhase`] for surfaces that run, and one
///   in [`GatherSystems::Forces`] that wakes what lies on them; two that tell who listens for what does
///   not come, one of them in `Last`.
/// - Messages: [`CollisionStart`], [`CollisionEnd`], [`ContactImpulse`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::plugin::PhysicsCollisionPlugin;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// app.add_plugins(PhysicsPlugins::default());
/// assert!(app.is_plugin_added::<PhysicsCollisionPlugin>());
/// assert!(app.world().contains_resource::<Messages<CollisionStart>>());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsCollisionPlugin;

impl Plugin for PhysicsCollisionPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<CollisionEventsEnabled>()
            .register_type::<CollidingEntities>()
            .register_type::<ContactImpulseThreshold>()
            .register_type::<SurfaceVelocity>()
            .register_type::<CollisionStart>()
            .register_type::<CollisionEnd>()
            .register_type::<ContactImpulse>()
            .add_message::<CollisionStart>()
            .add_message::<CollisionEnd>()
            .add_message::<ContactImpulse>()
            .init_resource::<Blows>()
            .init_resource::<Heard>()
            .init_resource::<Told>();
        app.add_systems(
            PhysicsSchedule,
            (
                tell::follow_blows,
                tell::emit_starts_and_ends,
                tell::emit_impulses,
                tell::list_colliding.run_if(not(tell::is_unchanged)),
            )
                .chain()
                .in_set(PhysicsStepSystems::Events),
        );
        use PhysicsStepSystems as Step;
        let run = surface::run_surfaces.after(find_contacts).in_set(Step::NarrowPhase);
        let wake = surface::wake_on_surfaces.after(take_targets).after(drive);
        let wake = wake.after(lead_characters).in_set(GatherSystems::Forces);
        app.add_systems(PhysicsSchedule, (run, wake));
        let silence = silence::warn_of_silence;
        let silence = silence.after(PhysicsStepSystems::Events).before(PhysicsStepSystems::Last);
        app.add_systems(PhysicsSchedule, silence).add_systems(Last, silence::warn_of_unheard);
    }
}

/// After another engine took the place of the last one: what touches goes on, and nothing is told of it.
pub(super) fn resume(world: &mut World) -> Result<(), RunSystemError> {
    world.run_system_once(tell::resume)?;
    world.run_system_once(tell::list_colliding)
}

/// The entities of two colliders and of their bodies. The entity of a collider is known by its name,
/// even when it is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entities {
    colliders: [Entity; 2],
    bodies: [Option<Entity>; 2],
}

impl Entities {
    /// The entities of a touch.
    fn of(physics: &PhysicsWorld, key: &TouchKey) -> Option<Self> {
        Self::new(physics.engine.bodies(), key.bodies, key.tags)
    }

    /// None for a collider that the plugin did not make.
    fn new(list: &Bodies, bodies: [BodyId; 2], tags: [u64; 2]) -> Option<Self> {
        let [a, b] = tags.map(Entity::try_from_bits);
        Some(Self {
            colliders: [a?, b?],
            bodies: bodies.map(|id| list.get(id).and_then(entity_of)),
        })
    }
}
