//! Components are mirrors of the engine's state: what the user changed is read before a step, what the
//! step moved is written after it.
//!
//! [`Mirror`] keeps what was last read or written. A component that differs from it was changed by
//! the user; an engine state that differs from it was changed by a step. So nothing is read or
//! written without need, resting bodies trigger no change detection, and the engine's precise state
//! never goes through a `Transform`. The frame of the parent is part of the mirror: a moved parent
//! moves the body, unless the step itself moved the parent. O(bodies) comparisons, without a look-up
//! for unchanged bodies in the gather.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::signal_message_update_system;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::system::SystemParam;
use bevy_time::{Time, Virtual};
use bevy_transform::components::Transform;

use super::components::{AngularVelocity, LinearVelocity};
use super::error::{Errors, PhysicsErrorKind};
use super::frame::{Frame, depth, parent_frame};
use super::link::{Changes, EngineBody};
use super::schedule::{
    PhysicsSchedule, PhysicsStepSystems, PhysicsSystems, StepLoop, SyncSchedule,
};
use super::sleep::{Sleeping, SleepingDisabled, read_sleeping};
use super::time::{Physics, time_passed};
use super::world::PhysicsWorld;
use crate::engine::body::{Body, BodyKind};
use crate::math::{
    Quat, Real, Vec3, narrow, quat_conjugate, quat_log, quat_mul, quat_normalize, single_quat,
    single3,
};

/// The parts of [`PhysicsStepSystems::Gather`], chained in this order. While no time passes, the first
/// three run in [`PhysicsSystems::Prepare`] instead, so that the engine knows what was changed.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GatherSystems {
    /// Bodies come, go and change what they are made of.
    Bodies,
    /// Changed poses and velocities are read.
    Components,
    /// Joints come, go and change.
    Joints,
    /// Forces and kinematic targets are handed over.
    Forces,
    /// The engine begins the step.
    Begin,
}

/// Poses and velocities between components and engine.
///
/// - Sets: [`GatherSystems`].
/// - Systems: two in [`GatherSystems::Components`], two in [`PhysicsStepSystems::Scatter`] (roots, then
///   bodies with parents).
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsSyncPlugin;

impl Plugin for PhysicsSyncPlugin {
    fn build(&self, app: &mut App) {
        use GatherSystems as Gather;
        app.register_type::<LinearVelocity>()
            .register_type::<AngularVelocity>()
            .register_type::<Sleeping>()
            .register_type::<SleepingDisabled>();
        app.configure_sets(
            PhysicsSchedule,
            (Gather::Bodies, Gather::Components, Gather::Joints, Gather::Forces, Gather::Begin)
                .chain()
                .in_set(PhysicsStepSystems::Gather),
        );
        app.configure_sets(
            SyncSchedule,
            (Gather::Bodies, Gather::Components, Gather::Joints).chain(),
        );
        let steps = StepLoop::of(app);
        // Bevy's system only sets a flag there, that nothing of ours reads.
        let idle = sync_physics
            .in_set(PhysicsSystems::Prepare)
            .run_if(not(time_passed))
            .ambiguous_with(signal_message_update_system);
        app.add_systems(steps, idle);
        app.add_systems(PostUpdate, sync_physics.run_if(is_virtual_time_paused));
        let read = || (read_components, read_sleeping).chain().in_set(Gather::Components);
        app.add_systems(SyncSchedule, read());
        app.add_systems(PhysicsSchedule, read());
        app.add_systems(
            PhysicsSchedule,
            (scatter, scatter_children).chain().in_set(PhysicsStepSystems::Scatter),
        );
    }
}

/// While the virtual clock is paused the schedule of physics does not run at all.
fn is_virtual_time_paused(time: Option<Res<Time<Virtual>>>) -> bool {
    time.is_some_and(|time| time.is_paused())
}

/// Brings what was changed since the last step to the engine at once, without a step: bodies, colliders
/// and joints, poses and velocities. Queries see it from then on. It happens by itself before each step,
/// and once a frame while physics or the virtual clock is paused; a user calls it, or adds it as a
/// system, to see changes earlier.
pub fn sync_physics(world: &mut World) {
    if let Err(error) = world.try_run_schedule(SyncSchedule) {
        log::error!("physics is not in line with the components: {error}");
    }
}

/// Fastest that a kinematic body follows its `Transform` [m/s]; a longer way is a jump.
pub(super) const KINEMATIC_SPEED_MAX: Real = 50.0;
/// Fastest that a kinematic body turns after its `Transform` [rad/s]; a larger turn is a jump.
pub(super) const KINEMATIC_SPIN_MAX: Real = 50.0;

/// What the components of a body were when last read or written.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(super) struct Mirror {
    translation: bevy_math::Vec3,
    rotation: bevy_math::Quat,
    parent: Option<Frame>,
    linear: Vec3,
    angular: Vec3,
    /// The transform holds a value that was refused: write the engine's pose over it.
    repair: bool,
}

impl Mirror {
    /// Notes a transform and the frame of its parent.
    fn note(&mut self, transform: &Transform, parent: Option<Frame>) {
        self.translation = transform.translation;
        self.rotation = transform.rotation;
        self.parent = parent;
    }

    /// Notes the components a new body is made from.
    pub(super) fn begin(
        &mut self,
        transform: &Transform,
        parent: Option<Frame>,
        linear: Vec3,
        angular: Vec3,
    ) {
        *self = Self { linear, angular, ..Self::default() };
        self.note(transform, parent);
    }

    fn pose_differs(&self, transform: &Transform, parent: Option<Frame>) -> bool {
        transform.translation != self.translation
            || transform.rotation != self.rotation
            || parent != self.parent
    }

    /// Moves the body to a transform the user changed: a kinematic body within the next step of `dt`
    /// seconds if it gets there at a speed within the limits, any other at once. What did not change
    /// stays as precise as it was.
    fn place(
        &mut self,
        body: &mut Body,
        transform: &Transform,
        parent: Option<Frame>,
        dt: Real,
    ) -> Result<(), PhysicsErrorKind> {
        let frame = Frame::new(transform, parent);
        if !frame.is_finite() {
            self.repair = true;
            return Err(PhysicsErrorKind::NotFinite("Transform"));
        }
        let in_world = parent.is_none() && self.parent.is_none();
        let same_position = in_world && transform.translation == self.translation;
        let same_rotation = in_world && transform.rotation == self.rotation;
        let position = if same_position { body.position() } else { frame.position };
        let rotation = if same_rotation { body.rotation() } else { frame.rotation };
        self.note(transform, parent);
        if is_reached(body, position, rotation, dt) {
            body.set_target(position, rotation);
        } else {
            body.set_pose(position, rotation);
        }
        Ok(())
    }

    /// Does the engine's pose, rounded, differ from the transform?
    fn is_behind(&self, body: &Body) -> bool {
        let still = body.kind() == BodyKind::Static && !self.repair;
        !still
            && (self.repair
                || single3(body.position()) != self.translation
                || single_quat(body.rotation()) != self.rotation)
    }
}

/// Is this a kinematic body that can move to a pose in `dt` seconds without exceeding the limits?
fn is_reached(body: &Body, position: Vec3, rotation: Quat, dt: Real) -> bool {
    let turn = quat_mul(quat_normalize(rotation), quat_conjugate(body.rotation()));
    body.kind() == BodyKind::Kinematic
        && !body.is_quarantined()
        && (position - body.position()).length() <= KINEMATIC_SPEED_MAX * dt
        && quat_log(turn).length() <= KINEMATIC_SPIN_MAX * dt
}

/// Transforms of parents, of disabled ones too.
#[derive(SystemParam)]
pub(super) struct Parents<'w, 's> {
    transforms: Query<'w, 's, (&'static Transform, Option<&'static ChildOf>), Allow<Disabled>>,
}

impl Parents<'_, '_> {
    /// The frame of the parent, if there is one.
    pub(super) fn frame(&self, child_of: Option<&ChildOf>) -> Option<Frame> {
        parent_frame(child_of, |entity| {
            let (transform, above) = self.transforms.get(entity).ok()?;
            Some((*transform, above.map(ChildOf::parent)))
        })
    }
}

/// What is read of a body before a step.
#[derive(QueryData)]
#[query_data(mutable)]
pub(super) struct ReadBody {
    entity: Entity,
    link: &'static EngineBody,
    mirror: &'static mut Mirror,
    transform: &'static Transform,
    child_of: Option<&'static ChildOf>,
    linear: Option<&'static LinearVelocity>,
    angular: Option<&'static AngularVelocity>,
}

impl ReadBodyItem<'_, '_> {
    /// Takes over what the user changed.
    fn read(
        &mut self,
        parents: &Parents,
        physics: &mut PhysicsWorld,
        dt: Real,
    ) -> Result<(), PhysicsErrorKind> {
        let parent = parents.frame(self.child_of);
        let linear = self.linear.map_or(self.mirror.linear, |v| v.0);
        let angular = self.angular.map_or(self.mirror.angular, |w| w.0);
        let moved = self.mirror.pose_differs(self.transform, parent);
        if !moved && linear == self.mirror.linear && angular == self.mirror.angular {
            return Ok(());
        }
        let Some(body) = self.link.id.and_then(|id| physics.body_mut(id)) else { return Ok(()) };
        if body.kind() != BodyKind::Static {
            if linear != self.mirror.linear {
                body.linear_velocity = linear;
            }
            if angular != self.mirror.angular {
                body.angular_velocity = angular;
            }
        }
        (self.mirror.linear, self.mirror.angular) = (linear, angular);
        if moved { self.mirror.place(body, self.transform, parent, dt) } else { Ok(()) }
    }
}

/// Reads poses and velocities that the user changed.
fn read_components(
    mut physics: ResMut<PhysicsWorld>,
    mut errors: Errors,
    time: Res<Time<Physics>>,
    parents: Parents,
    mut bodies: Query<ReadBody>,
) {
    // While no time passes, the next step is taken to be as long as the last.
    let passed = narrow(time.delta_secs_f64());
    let dt = if passed > 0.0 { passed } else { physics.engine.report().dt };
    for mut body in &mut bodies {
        let result = body.read(&parents, &mut physics, dt);
        errors.check(body.entity, result);
    }
}

/// What is written of a body after a step.
#[derive(QueryData)]
#[query_data(mutable)]
struct WriteBody {
    link: &'static EngineBody,
    mirror: &'static mut Mirror,
    linear: Option<&'static mut LinearVelocity>,
    angular: Option<&'static mut AngularVelocity>,
}

impl WriteBodyItem<'_, '_> {
    /// Writes the velocities that changed. Returns the body.
    fn write_velocity<'p>(&mut self, physics: &'p PhysicsWorld) -> Option<&'p Body> {
        let body = physics.engine.body(self.link.id?)?;
        if body.kind() == BodyKind::Static {
            return Some(body);
        }
        if body.linear_velocity != self.mirror.linear {
            self.mirror.linear = body.linear_velocity;
            if let Some(linear) = &mut self.linear {
                linear.0 = body.linear_velocity;
            }
        }
        if body.angular_velocity != self.mirror.angular {
            self.mirror.angular = body.angular_velocity;
            if let Some(angular) = &mut self.angular {
                angular.0 = body.angular_velocity;
            }
        }
        Some(body)
    }
}

/// Writes transforms of bodies without parents, all velocities and who sleeps, where the step changed
/// them.
fn scatter(
    physics: Res<PhysicsWorld>,
    changes: Res<Changes>,
    mut commands: Commands,
    mut bodies: Query<(Entity, WriteBody, &mut Transform, Has<ChildOf>, Has<Sleeping>)>,
) {
    for (entity, mut item, mut transform, is_child, sleeps) in &mut bodies {
        let Some(body) = item.write_velocity(&physics) else { continue };
        if body.is_sleeping() && !sleeps {
            commands.entity(entity).insert(Sleeping);
        } else if sleeps && !body.is_sleeping() && !changes.sleepers.contains(&entity) {
            commands.entity(entity).remove::<Sleeping>();
        }
        if !is_child && item.mirror.is_behind(body) {
            transform.translation = single3(body.position());
            transform.rotation = single_quat(body.rotation());
            item.mirror.note(&transform, None);
            item.mirror.repair = false;
        }
    }
}

/// What the scatter of bodies with parents looks at: bodies and what is above them.
type Tree = (&'static mut Transform, Option<&'static ChildOf>, Option<&'static mut Mirror>);

/// Writes transforms of bodies with parents, parents first: the transform below the parent's new one
/// that leaves the body where the engine has it.
fn scatter_children(
    physics: Res<PhysicsWorld>,
    bodies: Query<(Entity, &EngineBody, &ChildOf)>,
    mut tree: Query<Tree, Allow<Disabled>>,
    mut order: Local<Vec<(u32, u64, Entity)>>,
) {
    order.clear();
    order.extend(bodies.iter().map(|(entity, link, child_of)| {
        let above = |e| tree.get(e).ok().and_then(|(_, child_of, _)| child_of.map(ChildOf::parent));
        (depth(child_of, above), link.order, entity)
    }));
    order.sort_unstable();
    for &(_, _, entity) in order.iter() {
        let link = bodies.get(entity).ok().and_then(|(_, link, _)| link.id);
        if let Some(body) = link.and_then(|id| physics.engine.body(id)) {
            write_child(&mut tree, entity, body);
        }
    }
}

/// Writes the transform of one body with a parent, if the body or the parent moved.
fn write_child(tree: &mut Query<Tree, Allow<Disabled>>, entity: Entity, body: &Body) {
    let Ok((_, child_of, Some(mirror))) = tree.get(entity) else { return };
    let parent = parent_frame(child_of, |e| {
        let (transform, above, _) = tree.get(e).ok()?;
        Some((*transform, above.map(ChildOf::parent)))
    });
    let (translation, rotation) = parent
        .map_or((single3(body.position()), single_quat(body.rotation())), |parent| {
            parent.local(body.position(), body.rotation())
        });
    let still = body.kind() == BodyKind::Static
        || (translation == mirror.translation && rotation == mirror.rotation);
    if still && parent == mirror.parent && !mirror.repair {
        return;
    }
    let Ok((mut transform, _, Some(mut mirror))) = tree.get_mut(entity) else { return };
    if translation.is_finite() && rotation.is_finite() {
        (transform.translation, transform.rotation) = (translation, rotation);
        mirror.note(&transform, parent);
        mirror.repair = false;
    }
}
