//! Components are mirrors of the engine's state: what the user changed is read before a step, what the
//! step moved is written after it.
//!
//! [`Mirror`] keeps what was last read or written. A component that differs from it was changed by
//! the user; an engine state that differs from it was changed by a step. So nothing is read or
//! written without need, resting bodies trigger no change detection, and the engine's precise state
//! never goes through a `Transform`. The frame of the parent is part of the mirror: a moved parent
//! moves the body, unless the step itself moved the parent.
//!
//! Cost: the gather compares the bodies that change detection points out, and those with parents. The
//! scatter compares the bodies that the engine names, and the parents of those with parents.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::signal_message_update_system;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::system::SystemParam;
use bevy_time::{Time, Virtual};
use bevy_transform::components::Transform;

use super::changed::changed_rows;
use super::components::{AngularVelocity, LinearVelocity};
use super::error::{Errors, LatelyTold, PhysicsErrorKind};
use super::frame::{Frame, Parents, depth, parent_frame};
use super::link::{Changes, EngineBody};
use super::mirror::Mirror;
use super::origin::{FloatingOrigin, KnownPosition, Position};
use super::schedule::{
    PhysicsSchedule, PhysicsStepSystems, PhysicsSystems, StepLoop, SyncSchedule,
};
use super::sleep::{Sleeping, SleepingDisabled, read_sleeping};
use super::time::{Physics, time_passed};
use super::world::{PhysicsWorld, entity_of};
use crate::engine::body::{Body, BodyKind};
use crate::math::{Real, narrow, single_quat, single3};

/// The parts of [`PhysicsStepSystems::Gather`], chained in this order. While no time passes, the first
/// three run in [`PhysicsSystems::Prepare`] instead, so that the engine knows what was changed.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::plugin::GatherSystems;
/// use orthant::prelude::*;
///
/// /// The bodies are made, and their forces not taken yet.
/// fn wind(mut bodies: Query<Forces>) {
///     for mut body in &mut bodies {
///         body.apply_force(orthant::math::Vec3::X);
///     }
/// }
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// let before_forces = wind.after(GatherSystems::Joints).before(GatherSystems::Forces);
/// app.add_systems(PhysicsSchedule, before_forces);
/// # step_physics(app.world_mut(), core::time::Duration::from_millis(16));
/// ```
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
/// - Systems: two in [`GatherSystems::Components`], three in [`PhysicsStepSystems::Scatter`] (roots, then
///   bodies with parents).
///
/// ```
/// use orthant::plugin::PhysicsSyncPlugin;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// app.add_plugins(PhysicsPlugins::default());
/// assert!(app.is_plugin_added::<PhysicsSyncPlugin>());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsSyncPlugin;

impl Plugin for PhysicsSyncPlugin {
    fn build(&self, app: &mut App) {
        use GatherSystems as Gather;
        app.init_resource::<FloatingOrigin>()
            .register_type::<LinearVelocity>()
            .register_type::<AngularVelocity>()
            .register_type::<Sleeping>()
            .register_type::<SleepingDisabled>();
        // Robots have no plugin of their own.
        #[cfg(feature = "urdf")]
        app.register_type::<super::urdf::UrdfVisual>();
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
            (scatter, find_children, scatter_children).chain().in_set(PhysicsStepSystems::Scatter),
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
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(1.0 / 60.0);
/// use orthant::plugin::sync_physics;
///
/// let ball = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5))).id();
/// sync_physics(world);
/// let look = |query: SpatialQuery| query.point_intersections(Vec3::ZERO, &SpatialQueryFilter::default());
/// # use bevy_ecs::system::RunSystemOnce;
/// assert_eq!(world.run_system_once(look).expect("a system"), [ball]);
/// ```
pub fn sync_physics(world: &mut World) {
    if let Some(mut told) = world.get_resource_mut::<LatelyTold>() {
        told.look();
    }
    if let Err(error) = world.try_run_schedule(SyncSchedule) {
        log::error!("physics is not in line with the components: {error}");
    }
}

/// The last value made, for many with the same key in a row.
struct Memo<K, V>(Option<(K, V)>);

impl<K: Copy + PartialEq, V: Copy> Memo<K, V> {
    fn get(&mut self, key: K, make: impl FnOnce() -> V) -> V {
        match self.0 {
            Some((last, value)) if last == key => value,
            _ => self.0.insert((key, make())).1,
        }
    }
}

/// What a user moves a body by.
type Motion = (
    Ref<'static, Transform>,
    Option<Ref<'static, LinearVelocity>>,
    Option<Ref<'static, AngularVelocity>>,
);
/// Bodies that stand in the world themselves.
type Roots = (With<EngineBody>, Without<ChildOf>);

/// Finds the bodies that a user moved or scaled.
pub(super) fn find_moved(
    mut changes: ResMut<Changes>,
    roots: Query<(Entity, &Mirror, Motion), Roots>,
    children: Query<(Entity, &Mirror, Motion, &ChildOf), With<EngineBody>>,
    parents: Parents,
) {
    let Changes { bodies, moved, .. } = &mut *changes;
    let origin = parents.frame(None);
    let mut note =
        |entity, mirror: &Mirror, parent, motion: (&Transform, Option<&_>, Option<&_>)| {
            if mirror.differs(parent, motion) {
                moved.push(entity);
            }
            if mirror.is_scaled_otherwise(Frame::new(motion.0, parent).scale) {
                bodies.push(entity);
            }
        };
    if let Ok(tables) = roots.contiguous_iter() {
        for (entities, mirrors, (places, linear, angular)) in tables {
            let (places, ticks) = ContiguousRef::split(places);
            let (linear, linear_ticks) = linear.map(ContiguousRef::split).unzip();
            let (angular, angular_ticks) = angular.map(ContiguousRef::split).unzip();
            for row in changed_rows([Some(&ticks), linear_ticks.as_ref(), angular_ticks.as_ref()]) {
                let velocities = (linear.map(|linear| &linear[row]), angular.map(|w| &w[row]));
                let motion = (&places[row], velocities.0, velocities.1);
                note(entities[row], &mirrors[row], origin, motion);
            }
        }
    } else {
        for (entity, mirror, (place, linear, angular)) in &roots {
            note(entity, mirror, origin, (&place, linear.as_deref(), angular.as_deref()));
        }
    }
    let mut memo = Memo(None);
    for (entity, mirror, (place, linear, angular), child_of) in &children {
        let parent = memo.get(child_of.parent(), || parents.frame(Some(child_of)));
        note(entity, mirror, parent, (&place, linear.as_deref(), angular.as_deref()));
    }
}

/// What is read of a body before a step.
#[derive(QueryData)]
#[query_data(mutable)]
pub(super) struct ReadBody {
    link: &'static EngineBody,
    mirror: &'static mut Mirror,
    child_of: Option<&'static ChildOf>,
    transform: &'static Transform,
    position: Option<(&'static mut Position, &'static mut KnownPosition)>,
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
        let (transform, linear, angular) = (self.transform, self.linear, self.angular);
        let written = self.position.as_ref().filter(|(position, known)| position.0 != known.0);
        let exact = written.map(|(position, _)| position.0);
        if exact.is_none() && !self.mirror.differs(parent, (transform, linear, angular)) {
            return Ok(());
        }
        let step = physics.engine.report().step;
        let Some(body) = self.link.id.and_then(|id| physics.body_mut(id)) else { return Ok(()) };
        let moves = body.kind() != BodyKind::Static;
        let last = (self.mirror.linear, self.mirror.angular);
        if let Some(linear) = linear.filter(|linear| linear.0 != last.0) {
            body.linear_velocity = if moves { linear.0 } else { body.linear_velocity };
            self.mirror.linear = linear.0;
        }
        if let Some(angular) = angular.filter(|angular| angular.0 != last.1) {
            body.angular_velocity = if moves { angular.0 } else { body.angular_velocity };
            self.mirror.angular = angular.0;
        }
        let is_pushed = (self.mirror.linear, self.mirror.angular) != last;
        let pushed = if is_pushed { self.mirror.check_velocity(body) } else { Ok(()) };
        if exact.is_some() || self.mirror.pose_differs(transform, parent) {
            let place = self.mirror.place(body, transform, parent, exact, dt)?;
            if let Some((position, known)) = &mut self.position {
                (position.0, known.0) = (place, place);
            }
            if body.is_dynamic() {
                self.mirror.count_placement(step)?;
            }
        }
        pushed
    }
}

/// Reads poses and velocities that the user changed.
fn read_components(
    mut physics: ResMut<PhysicsWorld>,
    mut changes: ResMut<Changes>,
    mut errors: Errors,
    time: Res<Time<Physics>>,
    parents: Parents,
    mut bodies: Query<ReadBody>,
) {
    // While no time passes, the next step is taken to be as long as the last.
    let passed = narrow(time.delta_secs_f64());
    let dt = if passed > 0.0 { passed } else { physics.engine.report().dt };
    changes.moved.sort_unstable();
    changes.moved.dedup();
    for entity in changes.moved.drain(..) {
        let Ok(mut body) = bodies.get_mut(entity) else { continue };
        let result = body.read(&parents, &mut physics, dt);
        errors.check(entity, result);
    }
}

/// What is written of a body after a step.
#[derive(QueryData)]
#[query_data(mutable)]
struct WriteBody {
    mirror: &'static mut Mirror,
    transform: &'static mut Transform,
    position: Option<(&'static mut Position, &'static mut KnownPosition)>,
    linear: Option<&'static mut LinearVelocity>,
    angular: Option<&'static mut AngularVelocity>,
    is_child: Has<ChildOf>,
    sleeps: Has<Sleeping>,
}

impl WriteBodyItem<'_, '_> {
    /// Writes what the step changed: position and velocities and, without a parent, the pose.
    fn write(&mut self, body: &Body, origin: &FloatingOrigin) {
        if body.kind() != BodyKind::Static {
            self.write_velocity(body);
        }
        if let Some((position, known)) = &mut self.position
            && body.position() != position.0
        {
            (position.0, known.0) = (body.position(), body.position());
        }
        if self.is_child {
            return;
        }
        if let Some((translation, rotation)) = self.mirror.pose_behind(body, origin) {
            let transform = &mut *self.transform;
            (transform.translation, transform.rotation) = (translation, rotation);
            self.mirror.note(transform, origin.frame());
            self.mirror.repair = false;
        }
    }

    fn write_velocity(&mut self, body: &Body) {
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
    }
}

/// Writes components of bodies.
#[derive(SystemParam)]
pub(super) struct Writer<'w, 's> {
    origin: Res<'w, FloatingOrigin>,
    changes: ResMut<'w, Changes>,
    commands: Commands<'w, 's>,
    errors: Errors<'w, 's>,
    bodies: Query<'w, 's, WriteBody>,
}

impl Writer<'_, '_> {
    /// Writes velocities, whether it sleeps and, without a parent, the transform.
    fn write(&mut self, body: &Body) {
        let Some(entity) = entity_of(body) else { return };
        let Ok(mut item) = self.bodies.get_mut(entity) else { return };
        item.write(body, &self.origin);
        self.errors.check(entity, item.mirror.check_distance(body));
        if item.is_child {
            self.changes.children.push(entity);
        }
        if body.is_sleeping() && !item.sleeps {
            self.commands.entity(entity).insert(Sleeping);
        } else if item.sleeps && !body.is_sleeping() && !self.changes.sleepers.contains(&entity) {
            self.commands.entity(entity).remove::<Sleeping>();
        }
    }
}

/// Writes velocities, who sleeps, and transforms of bodies without parents, where the step changed them.
fn scatter(mut physics: ResMut<PhysicsWorld>, mut writer: Writer) {
    physics.engine.changed_bodies().for_each(|body| writer.write(body));
    physics.engine.settle_changes();
}

/// Writes those of all bodies.
pub(super) fn scatter_all(physics: Res<PhysicsWorld>, mut writer: Writer) {
    physics.engine.bodies().iter().for_each(|body| writer.write(body));
}

/// Finds the bodies with parents that may have to be written besides those that the step changed: those
/// below other bodies, and those below a parent that moved.
pub(super) fn find_children(
    mut changes: ResMut<Changes>,
    parents: Parents,
    children: Query<(Entity, &Mirror, &ChildOf)>,
    bodies: Query<(), (With<Mirror>, Allow<Disabled>)>,
) {
    let mut memo = Memo(None);
    for (entity, mirror, child_of) in &children {
        let (parent, below_body) = memo.get(child_of.parent(), || {
            (parents.frame(Some(child_of)), parents.above(child_of).any(|e| bodies.contains(e)))
        });
        if below_body || !mirror.has_parent(parent) {
            changes.children.push(entity);
        }
    }
}

/// What the scatter of bodies with parents looks at: bodies and what is above them.
type Tree = (&'static mut Transform, Option<&'static ChildOf>, Option<&'static mut Mirror>);

/// Writes transforms of bodies with parents, parents first: the transform below the parent's new one
/// that leaves the body where the engine has it.
pub(super) fn scatter_children(
    physics: Res<PhysicsWorld>,
    origin: Res<FloatingOrigin>,
    mut changes: ResMut<Changes>,
    bodies: Query<(&EngineBody, &ChildOf)>,
    mut tree: Query<Tree, Allow<Disabled>>,
    mut order: Local<Vec<(u32, u64, Entity)>>,
) {
    order.clear();
    order.extend(changes.children.drain(..).filter_map(|entity| {
        let (link, child_of) = bodies.get(entity).ok()?;
        let above = |e| tree.get(e).ok().and_then(|(_, child_of, _)| child_of.map(ChildOf::parent));
        Some((depth(child_of, above), link.order, entity))
    }));
    order.sort_unstable();
    order.dedup();
    for &(_, _, entity) in order.iter() {
        let link = bodies.get(entity).ok().and_then(|(link, _)| link.id);
        if let Some(body) = link.and_then(|id| physics.engine.body(id)) {
            write_child(&mut tree, origin.frame(), entity, body);
        }
    }
}

/// Writes the transform of one body with a parent, if the body or the parent moved.
fn write_child(
    tree: &mut Query<Tree, Allow<Disabled>>,
    root: Option<Frame>,
    entity: Entity,
    body: &Body,
) {
    let Ok((_, child_of, Some(mirror))) = tree.get(entity) else { return };
    let parent = parent_frame(root, child_of, |e| {
        let (transform, above, _) = tree.get(e).ok()?;
        Some((*transform, above.map(ChildOf::parent)))
    });
    let (translation, rotation) = parent
        .map_or((single3(body.position()), single_quat(body.rotation())), |parent| {
            parent.local(body.position(), body.rotation())
        });
    let still = body.kind() == BodyKind::Static
        || (translation == mirror.translation && rotation == mirror.rotation);
    if still && mirror.has_parent(parent) && !mirror.repair {
        return;
    }
    let Ok((mut transform, _, Some(mut mirror))) = tree.get_mut(entity) else { return };
    if translation.is_finite() && rotation.is_finite() {
        (transform.translation, transform.rotation) = (translation, rotation);
        mirror.note(&transform, parent);
        mirror.repair = false;
    }
}
