//! Joints: one component on an entity of its own.

use bevy_app::{App, Plugin};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;

use super::error::{Errors, PhysicsErrorKind};
use super::link::{Changes, EngineBody, EngineJoint, queue_joint};
use super::schedule::{PhysicsSchedule, SyncSchedule};
use super::sync::GatherSystems;
use super::world::PhysicsWorld;
use crate::engine::joint::{self, JointDesc};
use crate::math::{Quat, Real, Vec3};

/// A joint between two bodies. Spawn it on an entity of its own; despawn that to remove the joint.
///
/// A joint waits while one of its entities has no body (not yet, disabled, or despawned) and holds
/// again when both have one. The bodies do not collide with each other unless
/// [`with_collision`](Self::with_collision) says so.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_math::Vec3;
/// use orthant::plugin::Joint;
///
/// # #[cfg(not(feature = "f64"))]
/// fn hang(commands: &mut Commands, hook: Entity, lamp: Entity) {
///     commands.spawn(Joint::ball(hook, lamp).with_anchors(Vec3::ZERO, Vec3::Y * 0.5));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Debug, PartialEq, Clone)]
#[component(on_remove = queue_joint)]
#[require(EngineJoint)]
pub struct Joint {
    /// First body.
    #[entities]
    pub a: Entity,
    /// Second body.
    #[entities]
    pub b: Entity,
    /// Anchor in the frame of body a (m).
    pub anchor_a: Vec3,
    /// Anchor in the frame of body b (m).
    pub anchor_b: Vec3,
    /// What it keeps.
    pub kind: JointKind,
    /// Do the two bodies collide with each other?
    pub collision: bool,
}

/// What a joint keeps.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub enum JointKind {
    /// The anchors coincide.
    Ball,
    /// The anchors coincide and body b has this rotation relative to body a.
    Fixed(Quat),
    /// The anchors are this far apart (m), > 0.
    Distance(Real),
}

impl Joint {
    const fn new(a: Entity, b: Entity, kind: JointKind) -> Self {
        Self { a, b, anchor_a: Vec3::ZERO, anchor_b: Vec3::ZERO, kind, collision: false }
    }

    /// A ball joint: the anchors coincide.
    #[must_use]
    pub const fn ball(a: Entity, b: Entity) -> Self {
        Self::new(a, b, JointKind::Ball)
    }

    /// A fixed joint: the anchors coincide and both bodies have the same rotation; see
    /// [`with_rotation`](Self::with_rotation).
    #[must_use]
    pub const fn fixed(a: Entity, b: Entity) -> Self {
        Self::new(a, b, JointKind::Fixed(Quat::IDENTITY))
    }

    /// A distance joint: the anchors are `length` apart (m), > 0.
    #[must_use]
    pub const fn distance(a: Entity, b: Entity, length: Real) -> Self {
        Self::new(a, b, JointKind::Distance(length))
    }

    /// With anchors in the frames of the two bodies (m).
    #[must_use]
    pub const fn with_anchors(mut self, local_a: Vec3, local_b: Vec3) -> Self {
        (self.anchor_a, self.anchor_b) = (local_a, local_b);
        self
    }

    /// With this rotation of body b relative to body a. Only fixed joints keep it.
    #[must_use]
    pub const fn with_rotation(mut self, rotation: Quat) -> Self {
        if let JointKind::Fixed(relative) = &mut self.kind {
            *relative = rotation;
        }
        self
    }

    /// Lets the two bodies collide with each other, or not.
    #[must_use]
    pub const fn with_collision(mut self, collision: bool) -> Self {
        self.collision = collision;
        self
    }

    /// As the engine has it; none while an end has no body.
    fn describe(&self, bodies: &Query<&EngineBody>) -> Option<JointDesc> {
        let id = |entity| bodies.get(entity).ok().and_then(EngineBody::id);
        let (a, b) = (id(self.a)?, id(self.b)?);
        let desc = match self.kind {
            JointKind::Ball => JointDesc::between(joint::JointKind::Spherical, a, b),
            JointKind::Fixed(rotation) => {
                let desc = JointDesc::between(joint::JointKind::Fixed, a, b);
                desc.with_bases(rotation, Quat::IDENTITY)
            }
            JointKind::Distance(length) => JointDesc::rod(a, b, length),
        };
        Some(desc.with_anchors(self.anchor_a, self.anchor_b).with_collision(self.collision))
    }
}

/// Keeps the engine's joints in line with the components.
///
/// - Systems: one in [`GatherSystems::Joints`].
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsJointsPlugin;

impl Plugin for PhysicsJointsPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Joint>();
        app.add_systems(SyncSchedule, update_joints.in_set(GatherSystems::Joints));
        app.add_systems(PhysicsSchedule, update_joints.in_set(GatherSystems::Joints));
    }
}

/// Brings one joint of the engine in line with its component.
fn update(
    link: &mut EngineJoint,
    wanted: Option<JointDesc>,
    physics: &mut PhysicsWorld,
) -> Result<(), PhysicsErrorKind> {
    let exists = link.id.is_some_and(|id| physics.has_joint(id));
    let same = if exists { link.built == wanted } else { wanted.is_none() };
    if same || (wanted.is_some() && link.refused == wanted) {
        return Ok(());
    }
    if let Some(id) = link.id.take().filter(|_| exists) {
        physics.engine.remove_joint(id);
    }
    (link.built, link.refused) = (None, None);
    let Some(desc) = wanted else { return Ok(()) };
    link.refused = wanted;
    link.id = Some(physics.engine.add_joint(desc)?);
    (link.built, link.refused) = (wanted, None);
    Ok(())
}

type JointEntity = (&'static mut EngineJoint, Option<&'static Joint>, Has<Disabled>);

/// Brings the engine's joints in line with the components: all of them if bodies came or went, else
/// those that changed.
fn update_joints(
    mut physics: ResMut<PhysicsWorld>,
    mut changes: ResMut<Changes>,
    mut errors: Errors,
    bodies: Query<&EngineBody>,
    changed: Query<Entity, (With<EngineJoint>, Changed<Joint>)>,
    mut joints: Query<(Entity, JointEntity), Allow<Disabled>>,
    mut list: Local<Vec<(u64, Entity)>>,
) {
    for id in changes.gone_joints.drain(..) {
        physics.engine.remove_joint(id);
    }
    let all = core::mem::take(&mut physics.bodies_changed);
    list.clear();
    let noted = changes.joints.drain(..).chain(&changed);
    if all {
        list.extend(joints.iter().map(|(entity, (link, ..))| (link.order, entity)));
    } else {
        list.extend(noted.filter_map(|e| Some((joints.get(e).ok()?.1.0.order, e))));
    }
    list.sort_unstable();
    list.dedup();
    for &(_, entity) in list.iter() {
        let Ok((_, (mut link, joint, disabled))) = joints.get_mut(entity) else { continue };
        let wanted = joint.filter(|_| !disabled).and_then(|joint| joint.describe(&bodies));
        let result = update(&mut link, wanted, &mut physics);
        errors.check(entity, result);
    }
}
