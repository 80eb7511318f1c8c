//! Snapshots of the physics of an app: to go back, to send, to keep.
//!
//! A [`PhysicsSnapshot`] is data, a [`PhysicsCopy`] all of the engine in memory. Both are taken from a world
//! and restored into one between two steps, by whoever has the `World`: an exclusive system, a command, the
//! code around the app. Restoring puts the engine back and writes `Transform`, velocities and
//! [`Sleeping`](super::Sleeping) at once; what touches goes on touching, and no event tells of the jump. All
//! other components (colliders, masses, friction, joints, forces that are applied, what games have) are the
//! game's: netcode and scenes bring them back, best before. Where they differ from what the engine had,
//! the components hold from the next step on.

use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;

use super::built::are_alike;
use super::collision::resume;
use super::link::{Changes, EngineBody, EngineJoint};
use super::mirror::Mirror;
use super::sync::{find_children, scatter_all, scatter_children, sync_physics};
use super::world::{PhysicsWorld, StepReport, entity_of};
use crate::engine::Simulation;
use crate::engine::body::BodyId;
use crate::engine::joint::{Joint, JointDesc, JointId};
use crate::snapshot::{Snapshot, SnapshotError};

/// The physics of an app as data, see [`snapshot`](crate::snapshot): with the feature `serialize` it has
/// serde, and compact bytes.
///
/// The app that it is taken of goes on from it, so that it and every app that restores it give the same bits
/// from there on, given the same components, settings, input and steps. Bodies keep their ids, and new ones
/// get the same.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// # use orthant::snapshot::SnapshotError;
/// # fn main() -> Result<(), SnapshotError> {
/// # let mut app = App::new();
/// # app.add_plugins((bevy_time::TimePlugin, PhysicsPlugins::default()));
/// let snapshot = PhysicsSnapshot::take(app.world_mut())?;
/// app.update();
/// snapshot.restore(app.world_mut())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct PhysicsSnapshot {
    engine: Snapshot,
    /// The entities of the joints.
    joints: Vec<(u64, JointId)>,
}

/// All of the engine in memory: for going back a few steps in the same app. It is larger than a
/// [`PhysicsSnapshot`], taking it changes nothing, and the steps after it is restored have the bits of those
/// after it was taken.
///
/// ```
/// # use orthant::prelude::*;
/// fn undo(world: &mut bevy_ecs::world::World, copy: &PhysicsCopy) {
///     copy.restore(world).expect("no step is running");
/// }
/// ```
#[derive(Clone, Debug)]
pub struct PhysicsCopy {
    engine: Simulation,
    joints: Vec<(Entity, JointId)>,
}

/// Between two steps: brings what components say to the engine, so that nothing waits.
fn settle(world: &mut World) -> Result<(), SnapshotError> {
    if world.get_resource_or_init::<PhysicsWorld>().engine.active {
        return Err(SnapshotError::StepUnderWay);
    }
    sync_physics(world);
    Ok(())
}

/// The entities of the joints, ascending by the ids of these.
fn joints_of(world: &mut World) -> Vec<(Entity, JointId)> {
    let mut query = world.query_filtered::<(Entity, &EngineJoint), Allow<Disabled>>();
    let joints = query.iter(world).filter_map(|(entity, link)| Some((entity, link.id?)));
    let mut joints: Vec<_> = joints.collect();
    joints.sort_unstable_by_key(|(_, id)| *id);
    joints
}

impl PhysicsSnapshot {
    /// Takes a snapshot, with what components say by now.
    ///
    /// # Errors
    /// [`StepUnderWay`](SnapshotError::StepUnderWay), in a system of
    /// [`PhysicsSchedule`](super::PhysicsSchedule).
    pub fn take(world: &mut World) -> Result<Self, SnapshotError> {
        settle(world)?;
        let joints = joints_of(world).into_iter().map(|(entity, id)| (entity.to_bits(), id));
        let joints = joints.collect();
        let mut physics = world.get_resource_or_init::<PhysicsWorld>();
        Ok(Self { engine: physics.engine.snapshot()?, joints })
    }

    /// Puts the world that it was taken of back. Bodies and joints whose entities are gone are gone; entities
    /// that came since are made anew as bodies by the next step.
    ///
    /// # Errors
    /// A step is under way, or the snapshot came from outside and contradicts itself; nothing happened then.
    pub fn restore(&self, world: &mut World) -> Result<(), SnapshotError> {
        self.restore_with(world, Some)
    }

    /// Puts it into a world whose entities have other names: `map` tells which one stands for an entity of
    /// the world that it was taken of. Those for which it has none are left out.
    ///
    /// The entities have to be there with their components; where their colliders are the same, contacts go
    /// on.
    ///
    /// # Errors
    /// As [`restore`](Self::restore).
    pub fn restore_with(
        &self,
        world: &mut World,
        map: impl Fn(Entity) -> Option<Entity>,
    ) -> Result<(), SnapshotError> {
        let map = |bits| Entity::try_from_bits(bits).and_then(&map);
        let mut engine = self.engine.clone();
        engine.map_tags(|bits| map(bits).unwrap_or(Entity::PLACEHOLDER).to_bits());
        let joints = self.joints.iter().filter_map(|&(bits, id)| Some((map(bits)?, id)));
        let mut simulation = Simulation::new();
        simulation.restore(&engine)?;
        adopt(world, simulation, joints.collect())
    }

    /// Number of its bodies.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.engine.len()
    }

    /// Has it no body?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.engine.is_empty()
    }

    /// Compact bytes, see [`Snapshot::to_bytes`].
    #[cfg(feature = "serialize")]
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.engine.to_bytes_with(&self.joints)
    }

    /// The snapshot of such bytes.
    ///
    /// # Errors
    /// As [`Snapshot::from_bytes`].
    #[cfg(feature = "serialize")]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let (engine, joints) = Snapshot::from_bytes_with(bytes)?;
        Ok(Self { engine, joints })
    }
}

impl PhysicsCopy {
    /// Takes a copy, with what components say by now. O(bodies + pairs).
    ///
    /// # Errors
    /// [`StepUnderWay`](SnapshotError::StepUnderWay).
    pub fn take(world: &mut World) -> Result<Self, SnapshotError> {
        settle(world)?;
        let joints = joints_of(world);
        let physics = world.get_resource_or_init::<PhysicsWorld>();
        Ok(Self { engine: physics.engine.clone(), joints })
    }

    /// Puts the world back, as [`PhysicsSnapshot::restore`].
    ///
    /// # Errors
    /// [`StepUnderWay`](SnapshotError::StepUnderWay).
    pub fn restore(&self, world: &mut World) -> Result<(), SnapshotError> {
        adopt(world, self.engine.clone(), self.joints.clone())
    }
}

/// Puts an engine into a world, whose entities its bodies are named after.
fn adopt(
    world: &mut World,
    engine: Simulation,
    joints: Vec<(Entity, JointId)>,
) -> Result<(), SnapshotError> {
    settle(world)?;
    let mut physics = world.resource_mut::<PhysicsWorld>();
    let old = physics.replace(engine);
    link_bodies(world, &old);
    link_joints(world, &old, joints);
    let systems = [
        world.run_system_cached(scatter_all),
        world.run_system_cached(find_children),
        world.run_system_cached(scatter_children),
    ];
    let errors = systems.into_iter().filter_map(Result::err).map(|error| error.to_string());
    for error in errors.chain(resume(world).err().map(|error| error.to_string())) {
        log::error!("components are not in line with what was restored: {error}");
    }
    let report = world.resource::<PhysicsWorld>().engine.report().clone();
    world.insert_resource(StepReport(report));
    Ok(())
}

/// Lets entities know their bodies, and the bodies without one go. A body that is as that of the old engine
/// was, which is as components say, is left alone; what components say of the others holds from the next
/// gather on.
fn link_bodies(world: &mut World, old: &Simulation) {
    let mut links = world.query_filtered::<Entity, (With<EngineBody>, Allow<Disabled>)>();
    let mut entities: Vec<Entity> = links.iter(world).collect();
    entities.sort_unstable();
    let physics = world.resource::<PhysicsWorld>();
    let mut ids: EntityHashMap<BodyId> = EntityHashMap::default();
    let mut alone = Vec::new();
    for body in physics.engine.bodies().iter() {
        match entity_of(body).filter(|entity| entities.binary_search(entity).is_ok()) {
            Some(entity) => drop(ids.insert(entity, body.id())),
            None => alone.push(body.id()),
        }
    }
    world.resource_scope(|world, mut physics: Mut<PhysicsWorld>| {
        alone.into_iter().for_each(|id| physics.remove(id));
        entities.retain(|entity| {
            let (id, mut differs) = (ids.get(entity).copied(), true);
            let body = id.and_then(|id| physics.engine.body(id));
            if let Some(mut link) = world.get_mut::<EngineBody>(*entity) {
                let last = link.id.and_then(|id| old.body(id));
                let alike = body.zip(last).is_some_and(|(body, last)| are_alike(body, last));
                differs = link.id != id || !alike;
                if differs {
                    link.id = id;
                    let built = link.built.take().zip(body);
                    link.built = built.map(|(mut built, body)| {
                        built.taken = built.is_of(body);
                        built
                    });
                }
            }
            if let (Some(mut mirror), Some(body)) = (world.get_mut::<Mirror>(*entity), body) {
                mirror.forget(body);
            }
            differs
        });
    });
    let mut changes = world.resource_mut::<Changes>();
    changes.moved.clear();
    changes.bodies.extend(entities);
}

/// Lets entities know their joints, and the joints without one go. One that is as its component said in the
/// old engine is as it says now.
fn link_joints(world: &mut World, old: &Simulation, joints: Vec<(Entity, JointId)>) {
    let ids: EntityHashMap<JointId> = joints.into_iter().collect();
    let mut links = world.query_filtered::<(Entity, &mut EngineJoint), Allow<Disabled>>();
    let (mut entities, mut known) = (Vec::new(), Vec::new());
    world.resource_scope(|world, mut physics: Mut<PhysicsWorld>| {
        for (entity, mut link) in links.iter_mut(world) {
            let said = link.id.and_then(|id| old.joint(id)).map(|joint| *joint.desc());
            link.id = ids.get(&entity).copied().filter(|id| physics.engine.joint(*id).is_some());
            let now = link.id.and_then(|id| physics.engine.joint(id)).map(|joint| *joint.desc());
            let same =
                now.zip(said).filter(|(now, said)| *now == JointDesc { ends: now.ends, ..*said });
            let built = link.built.zip(same);
            link.built = built.map(|(built, (now, _))| JointDesc { ends: now.ends, ..built });
            link.refused = None;
            known.extend(link.id);
            entities.push(entity);
        }
        known.sort_unstable();
        let all: Vec<JointId> = physics.engine.joints().map(Joint::id).collect();
        for id in all.into_iter().filter(|id| known.binary_search(id).is_err()) {
            physics.engine.remove_joint(id);
        }
    });
    world.resource_mut::<Changes>().joints.extend(entities);
}
