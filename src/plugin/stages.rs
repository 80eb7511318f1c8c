//! The stages of the step: one system each, one engine call each.

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::*;
use bevy_time::Time;

use super::error::{Errors, PhysicsErrorKind};
use super::schedule::{PhysicsSchedule, PhysicsStepSystems};
use super::settings::{ContactConfig, Gravity, SleepConfig, SolverConfig, StepConfig, collect};
use super::sync::GatherSystems;
use super::time::Physics;
use super::world::{PhysicsWorld, StepReport, entity_of};
use crate::engine::body::{Body, BodyId};
use crate::engine::report::{StepReport as Report, StepStatus};
use crate::engine::settings::SettingsError;
use crate::engine::settings::ranges::STEP;
use crate::math::{Real, narrow};
use crate::par::{Job, Pool};

/// Runs the engine.
///
/// - Systems, in [`PhysicsSchedule`]: `begin` in [`GatherSystems::Begin`]; one in each set of
///   [`PhysicsStepSystems`] from `BroadPhase` to `Integrate`, which do nothing if the engine refused
///   the step; `finish` and `report` in `Report`.
/// - Resources: [`Gravity`], [`StepConfig`], [`ContactConfig`], [`SolverConfig`], [`SleepConfig`],
///   [`StepReport`].
///
/// ```
/// use orthant::plugin::PhysicsStepPlugin;
/// use orthant::prelude::*;
///
/// let mut app = bevy_app::App::new();
/// app.add_plugins(PhysicsPlugins::default());
/// assert!(app.is_plugin_added::<PhysicsStepPlugin>() && app.world().contains_resource::<StepReport>());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsStepPlugin;

impl Plugin for PhysicsStepPlugin {
    fn build(&self, app: &mut App) {
        use PhysicsStepSystems as Step;
        app.init_resource::<Gravity>()
            .init_resource::<StepConfig>()
            .init_resource::<ContactConfig>()
            .init_resource::<SolverConfig>()
            .init_resource::<SleepConfig>()
            .init_resource::<StepReport>();
        app.register_type::<Gravity>()
            .register_type::<StepReport>()
            .register_type::<StepConfig>()
            .register_type::<ContactConfig>()
            .register_type::<SolverConfig>()
            .register_type::<SleepConfig>();
        #[cfg(feature = "serialize")]
        {
            use super::settings::keep_by_serde as keep;
            use crate::engine::settings::{ActiveEvents, ContactSettings, SolverSettings};
            keep::<ActiveEvents>(app);
            keep::<ContactSettings>(app);
            keep::<SolverSettings>(app);
        }
        app.add_systems(
            PhysicsSchedule,
            (
                begin.in_set(GatherSystems::Begin),
                find_pairs.in_set(Step::BroadPhase),
                find_contacts.in_set(Step::NarrowPhase),
                build_islands.in_set(Step::Islands),
                assemble.in_set(Step::Assemble),
                solve.in_set(Step::Solve),
                integrate.in_set(Step::Integrate),
                (finish, report).chain().in_set(Step::Report),
            ),
        );
    }
}

fn begin(
    mut physics: ResMut<PhysicsWorld>,
    time: Res<Time<Physics>>,
    gravity: Res<Gravity>,
    mode: Res<StepConfig>,
    contact: Res<ContactConfig>,
    solver: Res<SolverConfig>,
    sleep: Res<SleepConfig>,
) {
    physics.settings = collect(&gravity, &mode, &contact, &solver, &sleep);
    let dt = narrow(time.delta_secs_f64());
    let (engine, settings) = physics.stage();
    engine.begin_on(settings, dt, &TaskPool);
}

fn find_pairs(mut physics: ResMut<PhysicsWorld>) {
    let (engine, settings) = physics.stage();
    engine.find_pairs_on(settings, &TaskPool);
}

pub(super) fn find_contacts(mut physics: ResMut<PhysicsWorld>) {
    let (engine, settings) = physics.stage();
    engine.find_contacts_on(settings, &TaskPool);
}

/// Bevy's compute task pool, or this thread where there is none.
#[derive(Debug)]
struct TaskPool;

impl Pool for TaskPool {
    #[cfg(all(feature = "parallel", not(target_arch = "wasm32")))]
    fn threads(&self) -> usize {
        // This thread works, too, while it waits.
        bevy_tasks::ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num() + 1)
    }

    #[cfg(any(not(feature = "parallel"), target_arch = "wasm32"))]
    fn threads(&self) -> usize {
        1
    }

    #[cfg(all(feature = "parallel", not(target_arch = "wasm32")))]
    fn call(&self, jobs: &mut [Job<'_>]) {
        match bevy_tasks::ComputeTaskPool::try_get() {
            Some(pool) => {
                pool.scope(|scope| jobs.iter_mut().for_each(|job| scope.spawn(async { job() })));
            }
            None => jobs.iter_mut().for_each(|job| job()),
        }
    }

    #[cfg(any(not(feature = "parallel"), target_arch = "wasm32"))]
    fn call(&self, jobs: &mut [Job<'_>]) {
        jobs.iter_mut().for_each(|job| job());
    }
}

fn build_islands(mut physics: ResMut<PhysicsWorld>) {
    physics.engine.build_islands();
}

fn assemble(mut physics: ResMut<PhysicsWorld>) {
    let (engine, settings) = physics.stage();
    engine.assemble(settings);
}

fn solve(mut physics: ResMut<PhysicsWorld>) {
    let (engine, settings) = physics.stage();
    engine.solve_on(settings, &TaskPool);
}

pub(super) fn integrate(mut physics: ResMut<PhysicsWorld>) {
    physics.engine.integrate();
}

pub(super) fn finish(mut physics: ResMut<PhysicsWorld>) {
    physics.engine.finish_on(&TaskPool);
}

/// Small steps are too soft for larger ratios of masses (-).
const MASS_RATIO_MAX: Real = 1000.0;

/// What was weighed of the islands that are advanced in small steps.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    /// Those of this step and of the last, each by its first body and their number, ascending.
    soft: [Vec<(BodyId, u32)>; 2],
    /// Bodies that were told of.
    told: Vec<BodyId>,
}

impl Weighed {
    /// Tells of the heaviest body of each island that began to be advanced in small steps, or got or lost
    /// bodies, where it is too heavy for the lightest. Of each body once.
    fn weigh(&mut self, physics: &PhysicsWorld, errors: &mut Errors) {
        let [soft, before] = &mut self.soft;
        core::mem::swap(soft, before);
        soft.clear();
        let solves = physics.engine.report().solves.iter();
        soft.extend(solves.filter(|s| s.rows_softened > 0).map(|s| (s.first, s.bodies)));
        let begins = soft.iter().filter(|island| before.binary_search(island).is_err());
        let mut ends: Vec<(BodyId, [Option<&Body>; 2])> =
            begins.map(|island| (island.0, [None; 2])).collect();
        if ends.is_empty() {
            return;
        }
        for body in physics.engine.bodies().iter().filter(|body| body.is_dynamic()) {
            let island = physics.engine.island(body.id());
            let place = island.and_then(|id| ends.binary_search_by_key(&id, |end| end.0).ok());
            let Some((_, [lightest, heaviest])) = place.map(|place| &mut ends[place]) else {
                continue;
            };
            if lightest.is_none_or(|least| body.mass() < least.mass()) {
                *lightest = Some(body);
            }
            if heaviest.is_none_or(|most| body.mass() > most.mass()) {
                *heaviest = Some(body);
            }
        }
        for (_, bodies) in ends {
            let [Some(light), Some(heavy)] = bodies else { continue };
            let ratio = heavy.mass() / light.mass();
            if ratio > MASS_RATIO_MAX && !self.told.contains(&heavy.id()) {
                self.told.push(heavy.id());
                let of = entity_of(heavy).into_iter();
                of.for_each(|of| errors.tell(of, PhysicsErrorKind::MassRatio(ratio)));
            }
        }
    }
}

/// Publishes the report and tells what went wrong: frozen bodies, those that contacts begin to squeeze or
/// that lose their equilibrium, and a refused setting once.
pub(super) fn report(
    physics: Res<PhysicsWorld>,
    mut published: ResMut<StepReport>,
    mut errors: Errors,
    mut squeezed: Local<Vec<BodyId>>,
    mut jammed: Local<Vec<BodyId>>,
    mut crowded: Local<Vec<BodyId>>,
    mut unbalanced: Local<Vec<BodyId>>,
    mut weighed: Local<Weighed>,
    mut told: Local<Option<SettingsError>>,
) {
    publish(&mut published.0, physics.engine.report());
    for entity in published.quarantined.iter().filter_map(|&id| physics.entity(id)) {
        errors.tell(entity, PhysicsErrorKind::Frozen);
    }
    // What sleeps is as it was.
    let sleeps = |id| physics.engine.body(id).is_some_and(Body::is_sleeping);
    squeezed.retain(|id| published.pressed.contains(id) || sleeps(*id));
    jammed.retain(|id| published.jammed.contains(id) || sleeps(*id));
    crowded.retain(|id| published.crowded.contains(id) || sleeps(*id));
    unbalanced.retain(|id| published.unbalanced.contains(id));
    for (now, before, error) in [
        (&published.pressed, &mut *squeezed, PhysicsErrorKind::Squeezed),
        (&published.jammed, &mut *jammed, PhysicsErrorKind::Jammed),
        (&published.crowded, &mut *crowded, PhysicsErrorKind::Crowded),
        (&published.unbalanced, &mut *unbalanced, PhysicsErrorKind::Unbalanced),
    ] {
        for id in now {
            if !before.contains(id) {
                before.push(*id);
                physics.entity(*id).into_iter().for_each(|of| errors.tell(of, error.clone()));
            }
        }
    }
    weighed.weigh(&physics, &mut errors);
    let refused = published.status == StepStatus::Refused;
    let step = SettingsError { setting: "the length of a step", range: STEP };
    let wrong = physics.settings.validate().err().unwrap_or(step);
    let wrong = refused.then_some(wrong);
    if let Some(error) = wrong.filter(|_| *told != wrong) {
        log::error!("physics does not step: {error}");
    }
    *told = wrong;
}

/// Copies a report into the memory of the last one.
fn publish(published: &mut Report, report: &Report) {
    fn refill<T: Clone>(list: &mut Vec<T>, from: &[T]) -> Vec<T> {
        let mut list = core::mem::take(list);
        list.clear();
        list.extend_from_slice(from);
        list
    }
    *published = Report {
        quarantined: refill(&mut published.quarantined, &report.quarantined),
        solves: refill(&mut published.solves, &report.solves),
        broken: refill(&mut published.broken, &report.broken),
        yielded: refill(&mut published.yielded, &report.yielded),
        pressed: refill(&mut published.pressed, &report.pressed),
        jammed: refill(&mut published.jammed, &report.jammed),
        crowded: refill(&mut published.crowded, &report.crowded),
        unbalanced: refill(&mut published.unbalanced, &report.unbalanced),
        ..*report
    };
}
