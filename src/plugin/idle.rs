//! Components that do nothing, since what they need is not on their entity.
//!
//! Input: the archetypes of the world. Those are remembered in which a component lacks what it needs, and of
//! other entities none is looked at; where it is the type of the body that counts, those with the component.
//! What an entity once had does not count as missing, be it gone by now: an app takes bodies and colliders
//! away for a while, or makes a body static. Nor does what is still to come from a constructor.

use std::collections::BTreeMap;

use bevy_ecs::archetype::{Archetype, ArchetypeId, Archetypes};
use bevy_ecs::component::ComponentId;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;

use super::attach::ColliderOf;
use super::character::CharacterController;
use super::collider::{ColliderDisabled, Sensor};
use super::collision::{
    CollidingEntities, CollisionEventsEnabled, ContactImpulseThreshold, SurfaceVelocity,
};
use super::components::{
    AngularDamping, AngularVelocity, Dominance, Friction, GravityScale, KinematicTarget,
    LinearDamping, LinearVelocity, Restitution, RigidBody, RollingFriction, SweptCcd,
};
use super::constant_forces::{
    ConstantAngularAcceleration, ConstantForce, ConstantLinearAcceleration,
    ConstantLocalAngularAcceleration, ConstantLocalForce, ConstantLocalLinearAcceleration,
    ConstantLocalTorque, ConstantTorque,
};
use super::constructor::ColliderConstructor;
use super::decomposition::ConvexDecomposition;
use super::drive::{MouseJoint, PoseController};
use super::error::{Errors, PhysicsErrorKind};
use super::forces::PendingForces;
use super::hierarchy::ColliderConstructorHierarchy;
use super::joints::{JointDisabled, JointForces, JointPosition, JointVelocity, MotorCoupling};
use super::layers::CollisionLayers;
use super::link::EngineJoint;
use super::locked_axes::LockedAxes;
use super::mass::{AngularInertia, CenterOfMass, ColliderDensity, Mass};
use super::overlap::OverlapsCountedOnce;
use super::sleep::SleepingDisabled;
use super::speed::{MaxAngularSpeed, MaxLinearSpeed};
use super::vehicle::RaycastVehicle;
use super::world::PhysicsWorld;

/// What moves, where a velocity needs it.
pub(super) const MOVING: &str = "`RigidBody::Dynamic` or `RigidBody::Kinematic`";

/// What a component needs on its entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Collider,
    Body,
    Either,
    Dynamic,
    Kinematic,
    Joint,
}

impl Need {
    const fn name(self) -> &'static str {
        match self {
            Self::Collider => "`Collider`",
            Self::Body => "`RigidBody`",
            Self::Either => "`Collider` or `RigidBody`",
            Self::Dynamic => "`RigidBody::Dynamic`",
            Self::Kinematic => "`RigidBody::Kinematic`",
            Self::Joint => "`Joint`",
        }
    }
}

/// A component and what it needs.
#[derive(Debug)]
struct Rule {
    id: ComponentId,
    name: &'static str,
    need: Need,
}

/// All components that need others, and what tells that those are or once were there.
#[derive(Resource, Debug)]
pub(super) struct Rules {
    list: Vec<Rule>,
    collider: ComponentId,
    body: ComponentId,
    joint: ComponentId,
    /// With one of these an entity is left alone.
    spared: [ComponentId; 4],
}

/// The rules for some components that need the same.
macro_rules! rules {
    ($world:expr, $need:expr, $($component:ident)*) => {
        [$(Rule {
            id: $world.register_component::<$component>(),
            name: stringify!($component),
            need: $need,
        }),*]
    };
}

impl FromWorld for Rules {
    fn from_world(world: &mut World) -> Self {
        let mut list = Vec::new();
        list.extend(rules!(world, Need::Collider, Sensor CollisionLayers ColliderDensity
            ColliderDisabled SurfaceVelocity CharacterController));
        list.extend(rules!(world, Need::Either, Friction RollingFriction Restitution
            CollisionEventsEnabled CollidingEntities ContactImpulseThreshold));
        list.extend(rules!(world, Need::Body, LinearVelocity AngularVelocity Mass CenterOfMass
            AngularInertia OverlapsCountedOnce GravityScale LinearDamping AngularDamping LockedAxes
            Dominance SweptCcd MaxLinearSpeed MaxAngularSpeed SleepingDisabled KinematicTarget));
        list.extend(rules!(world, Need::Dynamic, MouseJoint PoseController RaycastVehicle
            ConstantForce ConstantTorque ConstantLocalForce ConstantLocalTorque
            ConstantLinearAcceleration ConstantAngularAcceleration
            ConstantLocalLinearAcceleration ConstantLocalAngularAcceleration));
        list.extend(rules!(world, Need::Kinematic, CharacterController));
        list.extend(rules!(world, Need::Joint, JointForces JointPosition JointVelocity
            MotorCoupling JointDisabled));
        Self {
            list,
            collider: world.register_component::<ColliderOf>(),
            body: world.register_component::<PendingForces>(),
            joint: world.register_component::<EngineJoint>(),
            spared: [
                world.register_component::<Disabled>(),
                world.register_component::<ColliderConstructor>(),
                world.register_component::<ColliderConstructorHierarchy>(),
                world.register_component::<ConvexDecomposition>(),
            ],
        }
    }
}

impl Rules {
    /// The rules that entities of this archetype break, or may break by the type of their body.
    fn broken(&self, archetype: &Archetype) -> impl Iterator<Item = usize> {
        let has = |id| archetype.contains(id);
        let is_spared = self.spared.iter().any(|&id| has(id));
        let rules = self.list.iter().enumerate().filter(move |_| !is_spared);
        let broken = rules.filter(move |(_, rule)| {
            let is_met = match rule.need {
                Need::Collider => has(self.collider),
                Need::Body => has(self.body),
                Need::Either => has(self.collider) || has(self.body),
                Need::Dynamic | Need::Kinematic => false,
                Need::Joint => has(self.joint),
            };
            has(rule.id) && !is_met
        });
        broken.map(|(k, _)| k)
    }
}

/// Is this body, or none, of another type than needed, and always was?
fn is_otherwise(need: Need, kind: Option<Ref<RigidBody>>, had_one: bool) -> bool {
    let fits = |kind: &RigidBody| match need {
        Need::Dynamic => kind.is_dynamic(),
        Need::Kinematic => kind.is_kinematic(),
        _ => false,
    };
    match kind {
        Some(kind) => !fits(&kind) && kind.last_changed() == kind.added(),
        None => !had_one,
    }
}

/// So many steps a component may wait for what it needs.
const GRACE: u64 = 10;

/// How far the search for components that do nothing is.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// So many archetypes were looked at.
    looked_at: usize,
    /// Archetypes whose entities break a rule, or may.
    suspects: Vec<(ArchetypeId, usize)>,
    /// Which rule is broken by whom, and in which step that was seen first; none if it was told.
    idle: BTreeMap<(usize, Entity), Option<u64>>,
}

/// Tells, once, of each component that does nothing, if it is still so frames and steps later.
pub(super) fn warn_of_idle(
    mut errors: Errors,
    rules: Res<Rules>,
    physics: Res<PhysicsWorld>,
    archetypes: &Archetypes,
    bodies: Query<Option<Ref<RigidBody>>>,
    mut search: Local<Search>,
) {
    let Search { looked_at, suspects, idle } = &mut *search;
    for archetype in archetypes.iter().skip(*looked_at) {
        suspects.extend(rules.broken(archetype).map(|rule| (archetype.id(), rule)));
    }
    *looked_at = archetypes.len();
    let step = physics.engine.report().step;
    let known = core::mem::take(idle);
    for &(archetype, k) in suspects.iter() {
        let (Some(archetype), rule) = (archetypes.get(archetype), &rules.list[k]) else { continue };
        let had_one = archetype.contains(rules.body);
        for entity in archetype.entities().iter().map(|entity| entity.id()) {
            let by_kind = matches!(rule.need, Need::Dynamic | Need::Kinematic);
            let kind = bodies.get(entity).ok().flatten();
            if by_kind && !is_otherwise(rule.need, kind, had_one) {
                continue;
            }
            let mut since = known.get(&(k, entity)).copied().unwrap_or(Some(step));
            if since.take_if(|since| *since + GRACE <= step).is_some() {
                errors.tell(entity, PhysicsErrorKind::Idle(rule.name, rule.need.name()));
            }
            idle.insert((k, entity), since);
        }
    }
}
