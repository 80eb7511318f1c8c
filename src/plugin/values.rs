//! What components, resources and [`PhysicsWorld`](super::PhysicsWorld) hold of the engine.
//!
//! They are those of `orthant::engine`, by a shorter path. The engine has documentation of its own,
//! so that a search here finds what games use: `cargo doc --no-deps --no-default-features`.

pub use crate::engine::Simulation;
pub use crate::engine::body::{Body, BodyDesc, BodyError, BodyId, BodyKind};
pub use crate::engine::collider::{Layers, Material};
pub use crate::engine::joint::{JointDesc, JointError, JointFrame, JointId};
pub use crate::engine::lcp::{Cone, Method};
pub use crate::engine::pair::Pair;
pub use crate::engine::query::Metric;
pub use crate::engine::report::{IslandReport, StepReport, StepStatus};
pub use crate::engine::settings::{
    ActiveEvents, ContactSettings, Integration, Quasistatic, RestitutionModel, Settings,
    SettingsError, SleepSettings, SolverSettings, StepMode, ranges,
};
pub use crate::engine::shape::{Shape, ShapeError, mass};
