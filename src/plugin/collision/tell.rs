//! Telling of collisions, after each step.

use std::collections::BTreeMap;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use super::Entities;
use super::events::{
    CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionStart, ContactImpulse,
    ContactImpulseThreshold, Impact,
};
use crate::engine::report::StepStatus;
use crate::engine::touch::{Touch, TouchKey};
use crate::plugin::world::PhysicsWorld;

/// Blows, which take two steps.
#[derive(Resource, Debug, Default)]
pub(super) struct Blows {
    /// The first half of those that this step began.
    arriving: BTreeMap<TouchKey, Impact>,
    /// Those that this step ended.
    whole: BTreeMap<TouchKey, Impact>,
}

impl Blows {
    /// What there is to tell of a touch; none while a blow goes on.
    fn impact(&self, touch: &Touch) -> Option<Impact> {
        let whole = self.whole.get(&touch.key).copied();
        whole.or_else(|| Impact::of(touch).filter(|_| !self.arriving.contains_key(&touch.key)))
    }
}

/// Was there no step, so that touches tell of the last one?
fn is_refused(physics: &PhysicsWorld) -> bool {
    physics.engine.report().status == StepStatus::Refused
}

/// Puts the two steps of blows together.
pub(super) fn follow_blows(
    physics: Res<PhysicsWorld>,
    mut blows: ResMut<Blows>,
    listeners: Query<(), (With<CollisionEventsEnabled>, Allow<Disabled>)>,
    thresholds: Query<(), With<ContactImpulseThreshold>>,
) {
    let Blows { arriving, whole } = &mut *blows;
    let touches = physics.engine.touches();
    let all = touches.all();
    whole.clear();
    if is_refused(&physics) {
        return;
    }
    core::mem::swap(arriving, whole);
    for (key, blow) in &mut *whole {
        if let Ok(place) = all.binary_search_by_key(key, |touch| touch.key) {
            *blow = blow.and(&all[place]);
        }
    }
    let slow = physics.settings.contact.restitution_speed;
    let arrives = |touch: &&Touch| {
        touch.normal_impulse > 0.0 && touch.at.is_some_and(|at| at.gap > 0.0 && at.speed > slow)
    };
    let mut follow = |touch: &Touch| {
        if let Some(impact) = Impact::of(touch).filter(|_| !whole.contains_key(&touch.key)) {
            arriving.insert(touch.key, impact);
        }
    };
    if !thresholds.is_empty() {
        all.iter().filter(arrives).for_each(&mut follow);
    } else if !listeners.is_empty() {
        touches.started().filter(arrives).for_each(&mut follow);
    }
}

/// The touches whose start was told and whose end was not.
#[derive(Resource, Debug, Default)]
pub(super) struct Told {
    open: BTreeMap<TouchKey, Entities>,
    /// Those that ended in the step in which their start was told: the next one tells the end.
    late: Vec<Entities>,
}

/// Tells about two colliders: one message, and an entity event for each entity that listens.
#[derive(SystemParam)]
pub(super) struct Teller<'w, 's> {
    commands: Commands<'w, 's>,
    starts: MessageWriter<'w, CollisionStart>,
    ends: MessageWriter<'w, CollisionEnd>,
    listeners: Query<'w, 's, (), (With<CollisionEventsEnabled>, Allow<Disabled>)>,
}

impl Teller<'_, '_> {
    fn listens(&self, entities: &Entities) -> bool {
        let bodies = entities.bodies.into_iter().flatten();
        entities.colliders.into_iter().chain(bodies).any(|entity| self.listeners.contains(entity))
    }

    fn start(&mut self, entities: &Entities, impact: Option<Impact>) {
        let [(collider1, body1), (collider2, body2)] = entities.sides();
        let entity = collider1;
        let start = CollisionStart { entity, collider1, collider2, body1, body2, impact };
        self.starts.write(start);
        for (entity, first) in entities.targets(&self.listeners) {
            let swapped = CollisionStart {
                collider1: collider2,
                collider2: collider1,
                body1: body2,
                body2: body1,
                impact: impact.map(Impact::swapped),
                ..start
            };
            self.commands.trigger(CollisionStart { entity, ..if first { start } else { swapped } });
        }
    }

    fn end(&mut self, entities: &Entities) {
        let [(collider1, body1), (collider2, body2)] = entities.sides();
        let end = CollisionEnd { entity: collider1, collider1, collider2, body1, body2 };
        self.ends.write(end);
        for (entity, first) in entities.targets(&self.listeners) {
            let swapped = CollisionEnd {
                collider1: collider2,
                collider2: collider1,
                body1: body2,
                body2: body1,
                ..end
            };
            self.commands.trigger(CollisionEnd { entity, ..if first { end } else { swapped } });
        }
    }
}

impl Entities {
    /// Collider and body of both sides.
    fn sides(&self) -> [(Entity, Option<Entity>); 2] {
        [(self.colliders[0], self.bodies[0]), (self.colliders[1], self.bodies[1])]
    }

    /// The listening entities, and whether they are on the first side.
    fn targets<'q>(
        &self,
        listeners: &'q Query<(), (With<CollisionEventsEnabled>, Allow<Disabled>)>,
    ) -> impl Iterator<Item = (Entity, bool)> + use<'q> {
        let side = |k: usize| {
            let (collider, body) = self.sides()[k];
            [Some((collider, k == 0)), body.filter(|&b| b != collider).map(|b| (b, k == 0))]
        };
        let all = side(0).into_iter().chain(side(1)).flatten();
        all.filter(|&(entity, _)| listeners.contains(entity))
    }
}

/// Tells which collisions began and ended with the step.
pub(super) fn emit_starts_and_ends(
    physics: Res<PhysicsWorld>,
    blows: Res<Blows>,
    mut told: ResMut<Told>,
    mut teller: Teller,
    added: Query<(), Added<CollisionEventsEnabled>>,
) {
    let touches = physics.engine.touches();
    let Told { open, late } = &mut *told;
    late.drain(..).for_each(|entities| teller.end(&entities));
    for touch in touches.ended() {
        if let Some(entities) = open.remove(&touch.key) {
            teller.end(&entities);
        }
    }
    let mut start = |key: TouchKey, impact: Option<Impact>| {
        let Some(entities) = Entities::of(&physics, &key) else { return };
        if teller.listens(&entities) && !open.contains_key(&key) {
            open.insert(key, entities);
            teller.start(&entities, impact);
        }
    };
    blows.whole.iter().for_each(|(&key, &blow)| start(key, Some(blow)));
    let begun = |touch: &&Touch| !blows.arriving.contains_key(&touch.key);
    let mut start = |touch: &Touch| start(touch.key, blows.impact(touch));
    if added.is_empty() {
        touches.started().filter(begun).for_each(&mut start);
    } else {
        touches.all().iter().filter(begun).for_each(&mut start);
    }
    late.extend(touches.ended().iter().filter_map(|touch| open.remove(&touch.key)));
}

/// Tells which contacts carried more than the threshold of one of their entities.
pub(super) fn emit_impulses(
    physics: Res<PhysicsWorld>,
    blows: Res<Blows>,
    thresholds: Query<&ContactImpulseThreshold>,
    mut messages: MessageWriter<ContactImpulse>,
    mut commands: Commands,
) {
    if thresholds.is_empty() || is_refused(&physics) {
        return;
    }
    let touches = physics.engine.touches();
    let cut_short = touches.ended().iter().filter(|touch| blows.whole.contains_key(&touch.key));
    for touch in touches.all().iter().chain(cut_short) {
        let (Some(entities), Some(impact)) =
            (Entities::of(&physics, &touch.key), blows.impact(touch))
        else {
            continue;
        };
        let exceeds = |entity: Entity| {
            thresholds.get(entity).is_ok_and(|threshold| impact.normal_impulse >= threshold.0)
        };
        let [(collider1, body1), (collider2, body2)] = entities.sides();
        let message =
            ContactImpulse { entity: collider1, collider1, collider2, body1, body2, impact };
        let swapped = ContactImpulse {
            entity: collider2,
            collider1: collider2,
            collider2: collider1,
            body1: body2,
            body2: body1,
            impact: impact.swapped(),
        };
        let mut any = false;
        for (event, body) in [(message, body1), (swapped, body2)] {
            let body = body.filter(|&body| body != event.collider1);
            for entity in [Some(event.collider1), body].into_iter().flatten() {
                if exceeds(entity) {
                    any = true;
                    commands.trigger(ContactImpulse { entity, ..event });
                }
            }
        }
        if any {
            messages.write(message);
        }
    }
}

/// After a snapshot was restored: what touches goes on, and nothing is told of it.
pub(super) fn resume(
    physics: Res<PhysicsWorld>,
    mut blows: ResMut<Blows>,
    mut told: ResMut<Told>,
    teller: Teller,
) {
    *blows = Blows::default();
    *told = Told::default();
    for touch in physics.engine.touches().all() {
        if let Some(entities) = Entities::of(&physics, &touch.key)
            && teller.listens(&entities)
        {
            told.open.insert(touch.key, entities);
        }
    }
}

/// Did no touch begin or end?
pub(super) fn is_unchanged(
    physics: Res<PhysicsWorld>,
    added: Query<(), (Added<CollidingEntities>, Allow<Disabled>)>,
) -> bool {
    let touches = physics.engine.touches();
    touches.started().next().is_none() && touches.ended().is_empty() && added.is_empty()
}

/// Keeps [`CollidingEntities`] up to date.
pub(super) fn list_colliding(
    physics: Res<PhysicsWorld>,
    mut lists: Query<(Entity, &mut CollidingEntities), Allow<Disabled>>,
    mut found: Local<Vec<(Entity, Entity)>>,
) {
    let touches = physics.engine.touches();
    found.clear();
    for entities in touches.all().iter().filter_map(|t| Entities::of(&physics, &t.key)) {
        let [one, two] = entities.sides();
        for ((collider, body), other) in [(one, two.0), (two, one.0)] {
            let body = body.filter(|&body| body != collider);
            let holders = [Some(collider), body].into_iter().flatten();
            found.extend(holders.filter(|&e| lists.contains(e)).map(|e| (e, other)));
        }
    }
    found.sort_unstable();
    found.dedup();
    for (entity, mut list) in &mut lists {
        let start = found.partition_point(|&(holder, _)| holder < entity);
        let end = found.partition_point(|&(holder, _)| holder <= entity);
        let others = found[start..end].iter().map(|&(_, other)| other);
        if !list.0.iter().copied().eq(others.clone()) {
            list.0.clear();
            list.0.extend(others);
        }
    }
}
