//! The engine's world as a resource, and the report of its last step.

use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::link::EngineBody;
use crate::engine::Simulation;
use crate::engine::body::{Body, BodyId};
use crate::engine::query::QueryTree;
use crate::engine::report;
use crate::engine::settings::Settings;
use crate::math::Vec3;

/// The engine's world: every body and joint, in full precision, with all the state of the step.
///
/// Components are mirrors of it. Read here what has no component: contacts, impulses, centers of
/// mass, bounding boxes. Find a body by its entity through
/// [`EngineBody::id`](super::EngineBody::id), and the entity of a body through
/// [`entity`](Self::entity).
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
/// world.spawn((RigidBody::Dynamic, Collider::sphere(0.5)));
/// step_physics(world, step);
/// let bodies = world.resource::<PhysicsWorld>().engine().bodies();
/// assert!(bodies.iter().all(|body| body.linear_velocity.y < 0.0) && bodies.len() == 1);
/// ```
#[derive(Resource, Debug, Default)]
pub struct PhysicsWorld {
    pub(super) engine: Simulation,
    pub(super) settings: Settings,
    /// Bodies came or went in this gather: joints must look for their ends again.
    pub(super) bodies_changed: bool,
    /// The tree of queries, and the engine's revision for which it holds.
    tree: Mutex<(Option<u64>, Arc<QueryTree>)>,
}

impl PhysicsWorld {
    /// The engine.
    #[must_use]
    pub const fn engine(&self) -> &Simulation {
        &self.engine
    }

    /// A body, to change it between two stages of a step. Components that were not changed by a user
    /// follow at the end of the step.
    pub fn body_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        self.engine.body_mut(id)
    }

    /// Velocity of the point of a body at a world point (m) [m/s]; none if the engine has no such body.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use orthant::prelude::*;
    /// # use orthant::plugin::EngineBody;
    /// # use orthant::math::Vec3;
    /// fn slip(physics: Res<PhysicsWorld>, wheels: Query<&EngineBody>) {
    ///     for wheel in &wheels {
    ///         println!("{:?}", physics.velocity_at_point(wheel, Vec3::ZERO));
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn velocity_at_point(&self, body: &EngineBody, point: Vec3) -> Option<Vec3> {
        Some(self.engine.body(body.id()?)?.velocity_at(point))
    }

    /// The settings of the last step.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The entity of a body.
    #[must_use]
    pub fn entity(&self, id: BodyId) -> Option<Entity> {
        self.engine.body(id).and_then(entity_of)
    }

    /// Where everything is, for queries: built when it is asked for after a change.
    pub(super) fn tree(&self) -> Arc<QueryTree> {
        let revision = self.engine.revision();
        // A poisoned lock is one whose holder panicked: what it holds is built anew.
        let mut cached = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.0 != Some(revision) {
            let mut tree = core::mem::take(&mut cached.1);
            match Arc::get_mut(&mut tree) {
                Some(memory) => memory.update(self.engine.bodies()),
                None => {
                    let mut new = QueryTree::default();
                    new.update(self.engine.bodies());
                    tree = Arc::new(new);
                }
            }
            *cached = (Some(revision), tree);
        }
        Arc::clone(&cached.1)
    }

    /// Puts another engine into the place of the one that is there, and gives that back.
    pub(super) fn replace(&mut self, engine: Simulation) -> Simulation {
        let revision = self.engine.revision();
        let old = core::mem::replace(&mut self.engine, engine);
        self.engine.revision = revision + 1;
        // Its clock is another.
        self.tree = Mutex::default();
        self.bodies_changed = true;
        old
    }

    /// Removes a body and its joints.
    pub(super) fn remove(&mut self, id: BodyId) {
        self.engine.remove_body(id);
        self.bodies_changed = true;
    }

    /// The engine and the settings of this step, for a stage.
    pub(super) const fn stage(&mut self) -> (&mut Simulation, &Settings) {
        (&mut self.engine, &self.settings)
    }
}

/// The entity of a body: the plugin gives bodies their entities' names.
pub(super) fn entity_of(body: &Body) -> Option<Entity> {
    Entity::try_from_bits(body.tag)
}

/// The report of the last step: counts, the certificate, and what went wrong. Reads as
/// [`engine::report::StepReport`](crate::engine::report::StepReport).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn watch(report: Res<StepReport>) {
///     if report.islands_unsolved > 0 {
///         println!("residual {} m/s, overlap {} m", report.natural_map, report.overlap);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(watch);
/// ```
#[derive(Resource, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct StepReport(pub(super) report::StepReport);

impl core::ops::Deref for StepReport {
    type Target = report::StepReport;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl core::fmt::Display for StepReport {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}
