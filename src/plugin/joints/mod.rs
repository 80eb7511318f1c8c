//! Joints: one component on an entity of its own, brought to the engine when it changes, and read back.

mod component;
mod coupled;
mod frame;
mod read;
mod reflect;

use bevy_app::{App, Plugin};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

pub use component::Joint;
pub use coupled::MotorCoupling;
pub(super) use frame::basis_along;
pub use frame::{JointAnchor, JointBasis, JointFrame};
pub use read::{JointBroken, JointForces, JointPosition, JointVelocity, JointView, Joints};

use super::changed::{EvenDisabled, Rows, append_changed};
use super::components::RigidBody;
use super::error::{Errors, PhysicsErrorKind};
use super::link::{Changes, EngineBody, EngineJoint, queue_joint};
use super::schedule::{PhysicsSchedule, PhysicsStepSystems, SyncSchedule};
use super::sync::GatherSystems;
use super::world::PhysicsWorld;
use crate::engine::body::{Body, BodyId};
use crate::engine::joint::{AxisLimit, JointAxis, JointDesc, JointId, JointKind, Motor};
use crate::math::{Quat, Real, Vec3, quat_rotate};

/// A joint with this does not hold, until it is taken away. Joints that break get it.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn let_go(mut commands: Commands, hooks: Query<Entity, With<Joint>>) {
///     for hook in &hooks {
///         commands.entity(hook).insert(JointDisabled);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(let_go);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(on_add = queue_joint, on_remove = queue_joint)]
pub struct JointDisabled;

/// Keeps the engine's joints in line with the components, and tells about them.
///
/// - Systems: two in [`GatherSystems::Joints`], one of them for motors that follow; three in
///   [`PhysicsStepSystems::Events`], for what is read, what broke and what yielded.
/// - Messages: [`JointBroken`].
///
/// ```
/// use orthant::plugin::PhysicsJointsPlugin;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// app.add_plugins(PhysicsPlugins::default());
/// assert!(app.is_plugin_added::<PhysicsJointsPlugin>());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsJointsPlugin;

impl Plugin for PhysicsJointsPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Joint>()
            .register_type::<JointDisabled>()
            .register_type::<MotorCoupling>()
            .register_type::<JointForces>()
            .register_type::<JointPosition>()
            .register_type::<JointVelocity>()
            .register_type::<JointAxis>()
            .register_type::<JointKind>()
            .register_type::<AxisLimit>()
            .register_type::<Motor>()
            .register_type::<JointBroken>()
            .add_message::<JointBroken>();
        #[cfg(feature = "serialize")]
        {
            use super::settings::keep_by_serde as keep;
            keep::<JointKind>(app);
            keep::<AxisLimit>(app);
            keep::<Motor>(app);
        }
        app.add_systems(SyncSchedule, update_joints.in_set(GatherSystems::Joints));
        app.add_systems(
            PhysicsSchedule,
            (coupled::follow, update_joints).chain().in_set(GatherSystems::Joints),
        );
        app.add_systems(
            PhysicsSchedule,
            (read::read_joints, read::emit_broken, read::emit_pressed)
                .chain()
                .in_set(PhysicsStepSystems::Events),
        );
    }
}

/// A joint as it is brought to the engine.
#[derive(QueryData)]
#[query_data(mutable)]
struct JointEntity {
    entity: Entity,
    link: &'static mut EngineJoint,
    joint: Option<Mut<'static, Joint>>,
    off: Has<JointDisabled>,
    disabled: Has<Disabled>,
}

impl JointEntityItem<'_, '_> {
    /// Brings the engine in line with the component.
    fn update(
        &mut self,
        physics: &mut PhysicsWorld,
        bodies: &EndBodies,
    ) -> Result<(), PhysicsErrorKind> {
        let wanted = self.describe(physics, bodies);
        let missing = self.missing(bodies).filter(|_| wanted.is_none());
        let changed = self.joint.as_ref().is_some_and(|joint| joint.is_changed());
        let link = &mut *self.link;
        let id = link.id.filter(|&id| physics.engine.joint(id).is_some());
        if wanted.is_none() {
            remove(physics, id);
            (link.id, link.built, link.refused) = (None, None, None);
        }
        let told = core::mem::replace(&mut link.missing, missing);
        if let Some(end) = missing.filter(|_| told != missing) {
            return Err(PhysicsErrorKind::JointEnd(end));
        }
        let Some(desc) = wanted else { return Ok(()) };
        if id.is_some() && link.built == wanted {
            link.refused = None;
            return Ok(());
        }
        // What is not a number never equals itself.
        let same = |last: JointDesc| last == desc || (!changed && last.ends == desc.ends);
        if link.refused.is_some_and(same) {
            return Ok(());
        }
        link.refused = wanted;
        if desc.frames.iter().any(|frame| !frame.basis.is_finite()) {
            return Err(PhysicsErrorKind::JointAxis);
        }
        let result = match id {
            Some(id) => physics.engine.set_joint(id, desc).map(|()| id),
            None => physics.engine.add_joint(desc),
        };
        if result.is_err() && link.built.is_some_and(|built| built.ends != desc.ends) {
            remove(physics, id);
            (link.id, link.built) = (None, None);
        }
        link.id = Some(result?);
        (link.built, link.refused) = (wanted, None);
        if id.is_none() { doubt(&desc, physics) } else { Ok(()) }
    }

    /// The end that has no body, and none to wait for.
    fn missing(&self, bodies: &EndBodies) -> Option<Entity> {
        let joint = self.joint.as_ref().filter(|_| !self.disabled)?;
        let has_none = |end: &Entity| {
            bodies.get(*end).map_or(true, |(link, is_body)| link.id.is_none() && !is_body)
        };
        [joint.a, joint.b].into_iter().flatten().find(has_none)
    }

    /// As the engine is to have it; none while an end has no body. Takes frames in the world over into
    /// those of the bodies.
    fn describe(&mut self, physics: &PhysicsWorld, bodies: &EndBodies) -> Option<JointDesc> {
        let joint = self.joint.as_mut().filter(|_| !self.disabled)?;
        let ends = [find(joint.a, bodies)?, find(joint.b, bodies)?];
        let [pose_a, pose_b] = ends.map(|end| pose(end, physics));
        let frames = [joint.frame_a.resolve(pose_a), joint.frame_b.resolve(pose_b)];
        if joint.is_in_world() {
            joint.set_frames(frames);
        }
        Some(joint.describe(ends, frames, !self.off))
    }
}

/// What may be the end of a joint.
type EndBodies<'w, 's> = Query<'w, 's, (&'static EngineBody, Has<RigidBody>), Allow<Disabled>>;

/// Anchors that should coincide and are farther apart (m) when a joint begins are likely a mistake.
const APART_MAX: Real = 2.0;

/// What is likely wrong with a new joint, which holds all the same.
fn doubt(desc: &JointDesc, physics: &PhysicsWorld) -> Result<(), PhysicsErrorKind> {
    let moves = |id: BodyId| physics.engine.body(id).is_some_and(Body::is_dynamic);
    if !desc.ends.into_iter().flatten().any(moves) {
        return Err(PhysicsErrorKind::JointFixed);
    }
    let anchor = |end: usize| {
        let (position, rotation) = pose(desc.ends[end], physics);
        position + quat_rotate(rotation, desc.frames[end].anchor)
    };
    let apart = anchor(0).distance(anchor(1));
    let coincide = matches!(
        desc.kind,
        JointKind::Fixed
            | JointKind::Revolute
            | JointKind::Spherical
            | JointKind::Universal
            | JointKind::Pivot
    );
    let is_apart = coincide && apart > APART_MAX;
    if is_apart { Err(PhysicsErrorKind::JointApart(apart)) } else { Ok(()) }
}

/// The end a joint has at an entity, or at the world; none if the entity has no body.
fn find(entity: Option<Entity>, bodies: &EndBodies) -> Option<Option<BodyId>> {
    match entity {
        Some(entity) => bodies.get(entity).ok().and_then(|(link, _)| link.id).map(Some),
        None => Some(None),
    }
}

/// The pose of an end.
fn pose(end: Option<BodyId>, physics: &PhysicsWorld) -> (Vec3, Quat) {
    let body = end.and_then(|id| physics.engine.body(id));
    body.map_or((Vec3::ZERO, Quat::IDENTITY), |body| (body.position(), body.rotation()))
}

/// Removes a joint of the engine, if there is one.
fn remove(physics: &mut PhysicsWorld, id: Option<JointId>) {
    if let Some(id) = id {
        physics.engine.remove_joint(id);
    }
}

type AllJoints<'w, 's> = Rows<'w, 's, Joint, (With<EngineJoint>, EvenDisabled)>;

/// Brings the engine's joints in line with the components: all of them if bodies came or went, else
/// those that changed.
fn update_joints(
    mut physics: ResMut<PhysicsWorld>,
    mut changes: ResMut<Changes>,
    mut errors: Errors,
    bodies: EndBodies,
    mut joints: ParamSet<(AllJoints, Query<JointEntity, Allow<Disabled>>)>,
    mut list: Local<Vec<(u64, Entity)>>,
) {
    for id in changes.gone_joints.drain(..) {
        physics.engine.remove_joint(id);
    }
    if core::mem::take(&mut physics.bodies_changed) {
        changes.joints.extend(joints.p1().iter().map(|item| item.entity));
    } else {
        append_changed(&joints.p0(), &mut changes.joints);
    }
    let mut joints = joints.p1();
    list.clear();
    let noted = changes.joints.drain(..);
    list.extend(noted.filter_map(|entity| Some((joints.get(entity).ok()?.link.order, entity))));
    list.sort_unstable();
    list.dedup();
    for &(_, entity) in list.iter() {
        let Ok(mut item) = joints.get_mut(entity) else { continue };
        let result = item.update(&mut physics, &bodies);
        errors.check(entity, result);
    }
}
