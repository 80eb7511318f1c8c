//! The engines that are compared, each as a world made from a scene.
//!
//! All play with the gravity of the scene, steps of [`DT`](orthant_lab::games::DT), its friction, no
//! restitution, no damping and no sleeping, and else with their own defaults.

mod app;
mod avian;
mod bevy_rapier;
mod limb;
mod ours;
mod rapier;

use orthant::engine::report::StepReport;
use orthant::engine::settings::SolverSettings;
use orthant::math::{Quat, Vec3};

pub use limb::Limb;
use orthant_lab::games::Game;

/// How our engine solves a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By the default: to the tolerance where that is to be had.
    Auto,
    /// With a fixed amount of work.
    Budget,
}

impl Mode {
    /// The settings of this mode, for the engine alone and in an app.
    pub fn solver(self) -> SolverSettings {
        match self {
            Self::Auto => SolverSettings::default(),
            Self::Budget => SolverSettings::budget(),
        }
    }
}

/// An engine, as a library or in an app of Bevy without a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Ours, on one thread.
    Orthant(Mode),
    /// Ours in an app.
    OrthantApp(Mode),
    /// rapier3d on one thread.
    Rapier,
    /// avian3d, which is a plugin of Bevy alone.
    Avian,
    /// rapier3d in an app.
    BevyRapier,
    /// Box3D, recorded.
    Box3d,
    /// Jolt, recorded.
    Jolt,
}

impl Engine {
    /// Those that are run, in the order of the tables.
    pub const RUN: [Self; 7] = [
        Self::Orthant(Mode::Auto),
        Self::Orthant(Mode::Budget),
        Self::OrthantApp(Mode::Auto),
        Self::OrthantApp(Mode::Budget),
        Self::Rapier,
        Self::Avian,
        Self::BevyRapier,
    ];

    /// Its name in arguments and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Orthant(Mode::Auto) => "orthant",
            Self::Orthant(Mode::Budget) => "orthant-budget",
            Self::OrthantApp(Mode::Auto) => "orthant-app",
            Self::OrthantApp(Mode::Budget) => "orthant-app-budget",
            Self::Rapier => "rapier3d",
            Self::Avian => "avian3d",
            Self::BevyRapier => "bevy_rapier3d",
            Self::Box3d => "box3d",
            Self::Jolt => "jolt",
        }
    }

    /// Is it ours?
    pub const fn is_ours(self) -> bool {
        matches!(self, Self::Orthant(_) | Self::OrthantApp(_))
    }

    /// Does it run in an app? A step is then a whole update of it.
    pub const fn is_app(self) -> bool {
        matches!(self, Self::OrthantApp(_) | Self::Avian | Self::BevyRapier)
    }

    /// Is it not run here, but recorded and scaled?
    pub const fn is_recorded(self) -> bool {
        matches!(self, Self::Box3d | Self::Jolt)
    }

    /// A fresh world with the bodies of a scene. Apps have so many compute threads, `None` is Bevy's default;
    /// the first app of a process decides.
    ///
    /// # Errors
    /// The engine refused the scene, or is not run here.
    pub fn start(self, game: &Game, threads: Option<usize>) -> Result<Box<dyn Runner>, String> {
        if self.is_app() && game.tug != Vec3::ZERO {
            return Err(format!("{} is for engines alone, not for {}", game.name, self.name()));
        }
        match self {
            Self::Orthant(mode) => ours::library(game, mode),
            Self::OrthantApp(mode) => ours::app(game, mode, threads),
            Self::Rapier => rapier::library(game),
            Self::Avian => avian::app(game, threads),
            Self::BevyRapier => bevy_rapier::app(game, threads),
            Self::Box3d | Self::Jolt => Err(format!("{} is not run here", self.name())),
        }
    }
}

/// World pose of a body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position (m).
    pub position: Vec3,
    /// Rotation.
    pub rotation: Quat,
}

/// The way of the kinematic body within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Index of the body.
    pub body: usize,
    /// Where it should be at the start.
    pub from: Pose,
    /// Where it should be at the end.
    pub to: Pose,
}

/// A scene in the world of some engine.
pub trait Runner {
    /// A step, at whose end the kinematic body is where it is driven to.
    fn step(&mut self, drive: Option<&Drive>);

    /// A force on the center of a body, for the next step (N). Apps know none.
    fn push(&mut self, _body: usize, _force: Vec3) {}

    /// Poses of all bodies, in the order of the scene.
    fn poses(&self) -> Vec<Pose>;

    /// What our engine tells about its last step.
    fn report(&self) -> Option<&StepReport> {
        None
    }
}
