//! Who listens for what does not come, because nobody has the component that asks for it.

use bevy_ecs::component::ComponentId;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::event::EventKey;
use bevy_ecs::observer::{ObservedBy, Observer};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemAccess;

use super::Entities;
use super::events::{
    CollisionEnd, CollisionEventsEnabled, CollisionStart, ContactImpulse, ContactImpulseThreshold,
};
use crate::plugin::error::{Errors, PhysicsErrorKind};
use crate::plugin::world::PhysicsWorld;

/// What comes only to entities with a component: the component, and what it is told by.
#[derive(Debug)]
struct Channel {
    flag: &'static str,
    /// Names, keys of events and resources of messages.
    told_by: Vec<(&'static str, EventKey, ComponentId)>,
}

/// The events and messages that come only to entities with a component.
#[derive(Resource, Debug)]
pub(super) struct Heard {
    collisions: Channel,
    impulses: Channel,
}

impl FromWorld for Heard {
    fn from_world(world: &mut World) -> Self {
        let collisions = vec![
            channel::<CollisionStart>(world, "CollisionStart"),
            channel::<CollisionEnd>(world, "CollisionEnd"),
        ];
        let impulses = vec![channel::<ContactImpulse>(world, "ContactImpulse")];
        Self {
            collisions: Channel { flag: "CollisionEventsEnabled", told_by: collisions },
            impulses: Channel { flag: "ContactImpulseThreshold", told_by: impulses },
        }
    }
}

fn channel<E: Event + Message>(
    world: &mut World,
    name: &'static str,
) -> (&'static str, EventKey, ComponentId) {
    (name, world.register_event_key::<E>(), world.init_resource::<Messages<E>>())
}

/// Tells who is observed for events that do not come to it.
pub(super) fn warn_of_silence(
    mut errors: Errors,
    keys: Res<Heard>,
    observed: Query<(Entity, Ref<ObservedBy>)>,
    observers: Query<&Observer>,
    flags: Query<(Has<CollisionEventsEnabled>, Has<ContactImpulseThreshold>)>,
) {
    for (entity, by) in observed.iter().filter(|(_, by)| by.is_added()) {
        let (starts, impulses) = flags.get(entity).unwrap_or_default();
        for (channel, comes) in [(&keys.collisions, starts), (&keys.impulses, impulses)] {
            let asked = |(_, key, _): &&(_, EventKey, _)| {
                let mut list = observers.iter_many(by.get()).filter_map(Result::ok);
                list.any(|observer| observer.descriptor().event_keys().contains(key))
            };
            if let (false, Some(&(event, ..))) = (comes, channel.told_by.iter().find(asked)) {
                errors.tell(entity, PhysicsErrorKind::NotEnabled(event, channel.flag));
            }
        }
    }
}

/// How far the search for those who hear nothing is, of collisions and of impulses.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// Where it is over: an entity had the component, or it was told.
    is_over: [bool; 2],
    /// So many systems there were when it was last looked who reads.
    looked_at: usize,
}

/// Tells, once, that colliders touch and someone reads or observes it while no entity ever had the component
/// that asks for it. Who reads, schedules tell that have run and are not running.
pub(super) fn warn_of_unheard(
    mut errors: Errors,
    physics: Res<PhysicsWorld>,
    keys: Res<Heard>,
    schedules: Res<Schedules>,
    observers: Query<&Observer>,
    flags: Query<(Has<CollisionEventsEnabled>, Has<ContactImpulseThreshold>), Flagged>,
    mut search: Local<Search>,
) {
    for (starts, impulses) in &flags {
        search.is_over[0] |= starts;
        search.is_over[1] |= impulses;
    }
    let touch = physics.engine.touches().all().first();
    let (Some(touch), [false, _] | [_, false]) = (touch, search.is_over) else { return };
    let count = |schedule: &Schedule| schedule.systems_len() + usize::from(is_ready(schedule));
    let count = observers.iter().len() + schedules.iter().map(|(_, all)| count(all)).sum::<usize>();
    if core::mem::replace(&mut search.looked_at, count) == count {
        return;
    }
    let Some(entities) = Entities::of(&physics, &touch.key) else { return };
    for (k, channel) in [&keys.collisions, &keys.impulses].into_iter().enumerate() {
        let is_asked = |&&(_, key, messages): &&(_, EventKey, ComponentId)| {
            observers.iter().any(|observer| is_global(observer, key))
                || schedules.iter().any(|(_, schedule)| reads(schedule, messages))
        };
        if search.is_over[k] {
            continue;
        }
        if let Some(&(what, ..)) = channel.told_by.iter().find(is_asked) {
            search.is_over[k] = true;
            errors.tell(entities.colliders[0], PhysicsErrorKind::Unheard(what, channel.flag));
        }
    }
}

type Flagged = (Or<(With<CollisionEventsEnabled>, With<ContactImpulseThreshold>)>, Allow<Disabled>);

fn is_ready(schedule: &Schedule) -> bool {
    schedule.systems_with_access().is_ok()
}

/// Is this event observed, whatever its entity?
fn is_global(observer: &Observer, key: EventKey) -> bool {
    let about = observer.descriptor();
    about.event_keys().contains(&key) && about.entities().is_empty()
}

/// Does a system read these messages and not write them? Systems that may read everything do not count.
fn reads(schedule: &Schedule, messages: ComponentId) -> bool {
    let mut systems = schedule.systems_with_access().into_iter().flatten();
    systems.any(|(_, system)| {
        let SystemAccess::Shared(access) = system.access() else { return false };
        let access = access.combined_access();
        let reads = access.reads().as_finite_set();
        reads.is_some_and(|reads| reads.contains(messages)) && !access.has_write(messages)
    })
}
