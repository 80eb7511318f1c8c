//! When the step runs, and in which order.
//!
//! In the schedule the user chose (`FixedPostUpdate` by default) run, in this order,
//! [`PhysicsSystems`]. `StepSimulation` runs [`PhysicsSchedule`] once if time has passed, and in it
//! [`PhysicsStepSystems`]: one set for every stage of the engine. Add systems between two of these
//! sets to read or change what the engine has so far.

use core::time::Duration;

use bevy_app::{App, FixedPostUpdate, Last, Plugin};
use bevy_ecs::intern::Interned;
use bevy_ecs::message::signal_message_update_system;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{
    LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor, SystemSet,
};
use bevy_time::{Time, Virtual};
use bevy_transform::StaticTransformOptimizations;

use super::time::{Physics, advance_clock, time_passed};

/// The schedule of one physics step.
///
/// The order of any two systems that touch the same data must be given in it: an ambiguity is an
/// error, because the result of a step must not depend on chance.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// #[derive(Resource, Default)]
/// struct Steps(u32);
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// let count = |mut steps: ResMut<Steps>| steps.0 += 1;
/// app.init_resource::<Steps>();
/// app.add_systems(PhysicsSchedule, count.in_set(PhysicsStepSystems::Last));
/// # step_physics(app.world_mut(), core::time::Duration::from_millis(16));
/// # assert_eq!(app.world().resource::<Steps>().0, 1);
/// ```
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct PhysicsSchedule;

/// What brings changes to the engine without a step; see [`sync_physics`](super::sync_physics).
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SyncSchedule;

/// What happens around a step, in the schedule given to
/// [`PhysicsPlugins::new`](super::PhysicsPlugins::new). Chained in this order.
///
/// ```
/// # use bevy_app::FixedPostUpdate;
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// use orthant::prelude::*;
///
/// /// Sees the poses of the step that was just taken, in each fixed step.
/// fn follow(bodies: Query<&Transform, With<RigidBody>>) {
///     println!("{} bodies", bodies.iter().count());
/// }
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins((bevy_time::TimePlugin, PhysicsPlugins::default()));
/// app.add_systems(FixedPostUpdate, follow.in_set(PhysicsSystems::Writeback));
/// # app.update();
/// ```
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicsSystems {
    /// The physics clock advances.
    First,
    /// While no time passes, changed components are brought to the engine here.
    Prepare,
    /// [`PhysicsSchedule`] runs.
    StepSimulation,
    /// For systems that use the new poses: components are written by now.
    Writeback,
    /// Everything is done.
    Last,
}

/// The stages of a step, in [`PhysicsSchedule`]. Chained in this order; each that names
/// a stage of the engine has one system that makes one call of it.
///
/// From `BroadPhase` to `Integrate` nothing happens in a step that was refused (see
/// [`StepStatus::Refused`](crate::engine::report::StepStatus::Refused)).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// # let mut app = bevy_app::App::new();
/// fn push(mut bodies: Query<Forces>) {
///     for mut body in &mut bodies {
///         body.apply_force(orthant::math::Vec3::X);
///     }
/// }
///
/// app.add_systems(PhysicsSchedule, push.in_set(PhysicsStepSystems::First));
/// ```
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicsStepSystems {
    /// Before anything is read: the last place where a changed component acts on this step.
    First,
    /// Components, forces and settings go to the engine.
    Gather,
    /// Pairs whose bounding boxes meet.
    BroadPhase,
    /// For systems that filter pairs, see [`CollisionPairs`](super::CollisionPairs).
    FilterPairs,
    /// The ratio metric of every pair and its active events, that is contacts.
    NarrowPhase,
    /// For systems that change contacts, see [`CollisionPairs`](super::CollisionPairs).
    ModifyContacts,
    /// Groups of bodies that touch or are joined.
    Islands,
    /// The rows of the step problem.
    Assemble,
    /// Velocities and impulses.
    Solve,
    /// Poses.
    Integrate,
    /// Components of bodies that moved are written.
    Scatter,
    /// The report of the step is published.
    Report,
    /// Collisions and broken joints are told, forces and positions of joints written.
    Events,
    /// After everything.
    Last,
}

/// Sets up the schedules, the order of their sets and the physics clock.
///
/// - Systems: one that advances the clock in [`PhysicsSystems::First`], one that runs
///   [`PhysicsSchedule`] in [`PhysicsSystems::StepSimulation`].
/// - Resources: `Time<Physics>`.
///
/// ```
/// use bevy_app::{FixedUpdate, PluginGroup};
/// use orthant::plugin::PhysicsSchedulePlugin;
/// use orthant::prelude::*;
///
/// // Before the systems of the game, in place of after them.
/// # let mut app = bevy_app::App::new();
/// let earlier = PhysicsPlugins::default().build().set(PhysicsSchedulePlugin::new(FixedUpdate));
/// app.add_plugins(earlier);
/// # assert!(app.is_plugin_added::<PhysicsSchedulePlugin>());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PhysicsSchedulePlugin {
    schedule: Interned<dyn ScheduleLabel>,
}

impl PhysicsSchedulePlugin {
    /// Steps once each time this schedule runs.
    #[must_use]
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for PhysicsSchedulePlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for PhysicsSchedulePlugin {
    fn build(&self, app: &mut App) {
        use PhysicsSystems as Outer;
        if app.world().contains_resource::<StepLoop>() {
            log::error!(
                "`PhysicsPlugins` or `PhysicsSchedulePlugin` is added twice: add it once; a plugin that \
                 needs it asks `app.is_plugin_added::<PhysicsSchedulePlugin>()` before"
            );
            return;
        }
        app.init_resource::<Time>().init_resource::<Time<Physics>>();
        app.insert_resource(StepLoop(self.schedule));
        app.configure_sets(
            self.schedule,
            (Outer::First, Outer::Prepare, Outer::StepSimulation, Outer::Writeback, Outer::Last)
                .chain(),
        );
        // Bevy's system only sets a flag there, that no step reads.
        let step = run_step
            .in_set(Outer::StepSimulation)
            .run_if(time_passed)
            .ambiguous_with(signal_message_update_system);
        let clock = (advance_clock, note_run).in_set(Outer::First);
        app.add_systems(self.schedule, (clock, step));
        app.init_resource::<Running>().add_systems(
            Last,
            (warn_of_idleness, look_for_plugins.run_if(not(resource_exists::<Looked>))),
        );
        app.edit_schedule(PhysicsSchedule, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new()).set_build_settings(
                ScheduleBuildSettings {
                    ambiguity_detection: LogLevel::Error,
                    ..ScheduleBuildSettings::new()
                },
            );
            chain_stages(schedule);
        });
    }

    fn finish(&self, app: &mut App) {
        look_for_plugins(app.world_mut());
    }

    /// The second one says what is wrong; then Bevy ends the app at the next plugin of the group.
    fn is_unique(&self) -> bool {
        false
    }
}

/// The app was looked at for plugins that are missing.
#[derive(Resource, Clone, Copy, Debug)]
struct Looked;

/// Tells, once, which plugins are missing. They are known by a resource of theirs: when an app is updated by
/// hand, without `App::finish`, nobody but its systems can look.
fn look_for_plugins(world: &mut World) {
    if world.contains_resource::<Looked>() {
        return;
    }
    world.insert_resource(Looked);
    if !world.contains_resource::<Time<Virtual>>() {
        log::warn!(
            "physics has no clock and stands still: add `TimePlugin`, which is in `DefaultPlugins` and \
             `MinimalPlugins`, or advance the resource `Time` by yourself"
        );
    }
    if !world.contains_resource::<StaticTransformOptimizations>() {
        log::warn!(
            "`GlobalTransform`s do not follow the bodies: add `TransformPlugin`, which is in \
             `DefaultPlugins`"
        );
    }
}

/// The order of the stages, stated here and nowhere else.
fn chain_stages(schedule: &mut Schedule) {
    use PhysicsStepSystems as Step;
    schedule.configure_sets(
        (
            Step::First,
            Step::Gather,
            (
                Step::BroadPhase,
                Step::FilterPairs,
                Step::NarrowPhase,
                Step::ModifyContacts,
                Step::Islands,
                Step::Assemble,
                Step::Solve,
                Step::Integrate,
            )
                .chain(),
            Step::Scatter,
            Step::Report,
            Step::Events,
            Step::Last,
        )
            .chain(),
    );
}

/// The schedule in which physics steps, for the plugins that are added later.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct StepLoop(Interned<dyn ScheduleLabel>);

impl StepLoop {
    /// The schedule of the plugin group, or the default one if it was left out.
    pub(super) fn of(app: &App) -> Interned<dyn ScheduleLabel> {
        app.world().get_resource::<Self>().map_or(FixedPostUpdate.intern(), |step_loop| step_loop.0)
    }
}

/// Did the schedule of physics ever run?
#[derive(Resource, Clone, Copy, Debug, Default)]
struct Running(bool);

fn note_run(mut running: ResMut<Running>) {
    running.0 = true;
}

/// Time (s) in which the schedule of physics should have run.
const IDLE_MAX: f32 = 2.0;

/// Tells, once, that the schedule of physics never runs.
fn warn_of_idleness(
    running: Res<Running>,
    steps: Res<StepLoop>,
    time: Option<Res<Time<Virtual>>>,
    mut told: Local<bool>,
) {
    if !running.0 && !*told && time.is_some_and(|time| time.elapsed_secs() > IDLE_MAX) {
        *told = true;
        log::error!(
            "physics does not step: the schedule `{:?}` given to `PhysicsPlugins::new` never runs; use \
             `FixedPostUpdate`, which is the default, or run it",
            steps.0
        );
    }
}

/// Builds [`PhysicsSchedule`] if systems were added. None if their order is not given.
fn build(world: &mut World) -> Option<()> {
    let result = world.try_schedule_scope(PhysicsSchedule, |world, schedule| {
        let built = schedule.initialize(world);
        built.map(drop).map_err(|error| error.to_string(schedule.graph(), world))
    });
    if let Ok(Err(error)) = &result {
        log::error!(
            "physics does not step: in `PhysicsSchedule` the order of systems that touch the same data \
             must be given, by one of the sets `PhysicsStepSystems` or by `before` and `after`. (Systems \
             are named with the feature `debug` of `bevy`, or of `bevy_ecs`.) {error}"
        );
    }
    matches!(result, Ok(Ok(()))).then_some(())
}

/// Takes one step of this length in a world, by hand, whatever its clocks say: for worlds beside that of the
/// app, which no schedule runs, as for predictions. Zero changes nothing.
///
/// The step is [`PhysicsSchedule`], with everything that the plugins add to it; what they add to the schedule
/// around it, casters for one, does not run.
///
/// ```
/// # use bevy_app::prelude::*;
/// use core::time::Duration;
/// use orthant::prelude::*;
///
/// let mut other = App::new();
/// other.add_plugins(PhysicsPlugins::default());
/// let mut other = core::mem::take(other.world_mut());
/// let ball = other.spawn((RigidBody::Dynamic, Collider::sphere(0.5))).id();
/// step_physics(&mut other, Duration::from_secs_f64(0.1));
/// assert!(other.get::<LinearVelocity>(ball).expect("a body").y < 0.0);
/// ```
pub fn step_physics(world: &mut World, step: Duration) {
    if step.is_zero() {
        return;
    }
    if let Some(mut clock) = world.get_resource_mut::<Time<Physics>>() {
        clock.advance_by(step);
    }
    if build(world).is_some() {
        take_step(world);
    }
}

/// Runs [`PhysicsSchedule`] with the physics clock as the generic clock, unless it cannot be built.
fn run_step(world: &mut World, mut broken: Local<bool>) {
    if *broken {
        return;
    }
    *broken = build(world).is_none();
    if !*broken {
        take_step(world);
    }
}

fn take_step(world: &mut World) {
    let Some(inner) = world.get_resource::<Time<Physics>>().map(Time::as_generic) else { return };
    let Some(mut time) = world.get_resource_mut::<Time>() else { return };
    let outer = core::mem::replace(&mut *time, inner);
    if let Err(error) = world.try_run_schedule(PhysicsSchedule) {
        log::error!("physics does not step: {error}");
    }
    if let Some(mut time) = world.get_resource_mut::<Time>() {
        *time = outer;
    }
}
