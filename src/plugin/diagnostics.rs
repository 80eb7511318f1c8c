//! How long each stage of the step takes.
//!
//! Input: the wall clock at the borders between the sets of a step. Output: [`StageTimes`], and
//! diagnostics of Bevy. The engine knows no clock: small systems between the stages read it. Without
//! [`PhysicsDiagnosticsPlugin`] there are none of them, so timing costs nothing; with it some 0.1 µs
//! a stage.

use core::time::Duration;
use std::time::Instant;

use bevy_app::{App, Plugin};
use bevy_diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::schedule::{PhysicsSchedule, PhysicsStepSystems};
use super::stages::{finish, report};
use super::sync::GatherSystems;
use super::world::StepReport;

/// A part of a step that is timed: a set of [`PhysicsStepSystems`], `Gather` and `Report` in two parts.
///
/// ```
/// use orthant::prelude::*;
///
/// let engine = StepStage::ALL.into_iter().filter(|stage| stage.is_engine()).count();
/// assert_eq!(engine, 8, "the others are the plugin, or systems of a game");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum StepStage {
    /// Changed components go to the engine, without its part.
    Gather,
    /// The engine begins the step.
    Begin,
    /// Pairs whose bounding boxes meet.
    BroadPhase,
    /// Systems that filter pairs.
    FilterPairs,
    /// Contacts.
    NarrowPhase,
    /// Systems that change contacts.
    ModifyContacts,
    /// Groups of bodies that touch or are joined.
    Islands,
    /// Rows.
    Assemble,
    /// Velocities and impulses.
    Solve,
    /// Poses.
    Integrate,
    /// Components are written.
    Scatter,
    /// The engine ends the step.
    Finish,
    /// The report is published.
    Report,
    /// Collisions are told.
    Events,
}

impl StepStage {
    /// All of them, in their order.
    pub const ALL: [Self; 14] = [
        Self::Gather,
        Self::Begin,
        Self::BroadPhase,
        Self::FilterPairs,
        Self::NarrowPhase,
        Self::ModifyContacts,
        Self::Islands,
        Self::Assemble,
        Self::Solve,
        Self::Integrate,
        Self::Scatter,
        Self::Finish,
        Self::Report,
        Self::Events,
    ];

    /// Is it work of the engine, and not of the plugin or of a user's systems?
    #[must_use]
    pub const fn is_engine(self) -> bool {
        !matches!(
            self,
            Self::Gather
                | Self::FilterPairs
                | Self::ModifyContacts
                | Self::Scatter
                | Self::Report
                | Self::Events
        )
    }

    /// Path of its diagnostic, in ms a step.
    #[must_use]
    pub const fn path(self) -> DiagnosticPath {
        DiagnosticPath::const_new(match self {
            Self::Gather => "physics/gather",
            Self::Begin => "physics/begin",
            Self::BroadPhase => "physics/broad_phase",
            Self::FilterPairs => "physics/filter_pairs",
            Self::NarrowPhase => "physics/narrow_phase",
            Self::ModifyContacts => "physics/modify_contacts",
            Self::Islands => "physics/islands",
            Self::Assemble => "physics/assemble",
            Self::Solve => "physics/solve",
            Self::Integrate => "physics/integrate",
            Self::Scatter => "physics/scatter",
            Self::Finish => "physics/finish",
            Self::Report => "physics/report",
            Self::Events => "physics/events",
        })
    }
}

/// How long each stage of the last step took. There with [`PhysicsDiagnosticsPlugin`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// # let mut app = bevy_app::App::new();
/// fn slowest(times: Res<StageTimes>) {
///     let stage = StepStage::ALL.into_iter().max_by_key(|&stage| times.of(stage));
///     println!("{stage:?}");
/// }
///
/// app.add_plugins(PhysicsDiagnosticsPlugin).add_systems(bevy_app::Update, slowest);
/// ```
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct StageTimes {
    times: [Duration; StepStage::ALL.len()],
    #[reflect(ignore)]
    last: Option<Instant>,
}

impl StageTimes {
    /// Time of one stage.
    #[must_use]
    pub const fn of(&self, stage: StepStage) -> Duration {
        self.times[stage as usize]
    }

    /// Time of all stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }

    /// Time of the stages that are work of the engine.
    #[must_use]
    pub fn engine(&self) -> Duration {
        StepStage::ALL
            .into_iter()
            .filter(|stage| stage.is_engine())
            .map(|stage| self.of(stage))
            .sum()
    }

    /// A stage ends now, and the next begins.
    fn end(&mut self, stage: Option<StepStage>) {
        let now = Instant::now();
        if let (Some(stage), Some(last)) = (stage, self.last) {
            self.times[stage as usize] = now - last;
        }
        self.last = Some(now);
    }
}

/// Times the stages of each step, as [`StageTimes`] and as diagnostics of Bevy (in ms, by
/// [`StepStage::path`] and [`Self::STEP`]), and counts what is in the world.
///
/// Not in [`PhysicsPlugins`](super::PhysicsPlugins). A diagnostic keeps the last step of a frame.
///
/// ```
/// # use bevy_app::prelude::*;
/// use orthant::prelude::*;
///
/// App::new()
///     .add_plugins((bevy_time::TimePlugin, PhysicsPlugins::default(), PhysicsDiagnosticsPlugin))
///     .add_systems(Update, |times: bevy_ecs::prelude::Res<StageTimes>| {
///         println!("solver: {:?} of {:?}", times.of(StepStage::Solve), times.total());
///     })
///     .update();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsDiagnosticsPlugin;

impl PhysicsDiagnosticsPlugin {
    /// The whole step (ms).
    pub const STEP: DiagnosticPath = DiagnosticPath::const_new("physics/step");
    /// Number of bodies.
    pub const BODIES: DiagnosticPath = DiagnosticPath::const_new("physics/bodies");
    /// Number of bodies asleep.
    pub const SLEEPING: DiagnosticPath = DiagnosticPath::const_new("physics/sleeping");
    /// Number of pairs whose bounding boxes met.
    pub const PAIRS: DiagnosticPath = DiagnosticPath::const_new("physics/pairs");
    /// Number of contacts.
    pub const CONTACTS: DiagnosticPath = DiagnosticPath::const_new("physics/contacts");
}

impl Plugin for PhysicsDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        use PhysicsStepSystems as Step;
        app.init_resource::<StageTimes>().register_type::<StageTimes>();
        for path in StepStage::ALL.map(StepStage::path).into_iter().chain([Self::STEP]) {
            app.register_diagnostic(Diagnostic::new(path).with_suffix("ms"));
        }
        for path in [Self::BODIES, Self::SLEEPING, Self::PAIRS, Self::CONTACTS] {
            app.register_diagnostic(Diagnostic::new(path));
        }
        let begin =
            end(StepStage::Gather).after(GatherSystems::Forces).before(GatherSystems::Begin);
        app.add_systems(
            PhysicsSchedule,
            (
                start.after(Step::First).before(Step::Gather),
                begin.in_set(Step::Gather),
                end(StepStage::Begin).after(Step::Gather).before(Step::BroadPhase),
                end(StepStage::BroadPhase).after(Step::BroadPhase).before(Step::FilterPairs),
                end(StepStage::FilterPairs).after(Step::FilterPairs).before(Step::NarrowPhase),
                end(StepStage::NarrowPhase).after(Step::NarrowPhase).before(Step::ModifyContacts),
                end(StepStage::ModifyContacts).after(Step::ModifyContacts).before(Step::Islands),
                end(StepStage::Islands).after(Step::Islands).before(Step::Assemble),
                end(StepStage::Assemble).after(Step::Assemble).before(Step::Solve),
                end(StepStage::Solve).after(Step::Solve).before(Step::Integrate),
                end(StepStage::Integrate).after(Step::Integrate).before(Step::Scatter),
                end(StepStage::Scatter).after(Step::Scatter).before(Step::Report),
                end(StepStage::Finish).in_set(Step::Report).after(finish).before(report),
                end(StepStage::Report).after(Step::Report).before(Step::Events),
                (end(StepStage::Events), publish).chain().after(Step::Events).before(Step::Last),
            ),
        );
    }
}

/// The step starts.
fn start(mut times: ResMut<StageTimes>) {
    times.end(None);
}

/// A system that ends a stage.
fn end(stage: StepStage) -> impl FnMut(ResMut<StageTimes>) + Send + Sync + 'static {
    move |mut times| times.end(Some(stage))
}

/// Hands the figures to Bevy.
fn publish(times: Res<StageTimes>, report: Res<StepReport>, mut diagnostics: Diagnostics) {
    let ms = |time: Duration| 1e3 * time.as_secs_f64();
    for stage in StepStage::ALL {
        diagnostics.add_measurement(&stage.path(), || ms(times.of(stage)));
    }
    diagnostics.add_measurement(&PhysicsDiagnosticsPlugin::STEP, || ms(times.total()));
    for (path, count) in [
        (PhysicsDiagnosticsPlugin::BODIES, report.bodies),
        (PhysicsDiagnosticsPlugin::SLEEPING, report.sleeping),
        (PhysicsDiagnosticsPlugin::PAIRS, report.pairs),
        (PhysicsDiagnosticsPlugin::CONTACTS, report.contacts),
    ] {
        diagnostics.add_measurement(&path, || count.into());
    }
}
