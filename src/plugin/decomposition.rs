//! Convex pieces of a closed surface, made in the background: a component, how far it is, an event.
//!
//! The work itself is in `decompose`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_tasks::futures::check_ready;
use bevy_tasks::{AsyncComputeTaskPool, Task};

use super::collider::Collider;
use super::decompose::{DecompositionConfig, decompose};
use super::error::{Errors, PhysicsErrorKind};
use crate::engine::shape::{Shape, ShapeError};
use crate::math::Vec3;

/// Makes convex pieces of a closed surface the [`Collider`] of its entity, in the background, and goes: as
/// [`Collider::convex_decomposition`], without a frame that waits for it.
///
/// [`DecompositionProgress`], which comes with it, tells how far it is; the steps go on meanwhile. At the end
/// come the collider and a [`ConvexDecompositionReady`], or a [`PhysicsError`](super::PhysicsError). Taken
/// away, or inserted anew, it stops what is under way. In which step the collider comes depends on the
/// machine: where that matters, make it at once.
///
/// The work is done on Bevy's `AsyncComputeTaskPool`; at once where there is none.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
///     let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
///     commands
///         .spawn((RigidBody::Dynamic, ConvexDecomposition::new(tetrahedron, faces)))
///         .observe(|ready: On<ConvexDecompositionReady>| println!("{} falls now", ready.entity));
/// }
///
/// fn show(under_way: Query<&DecompositionProgress>) {
///     for progress in &under_way {
///         println!("{:.0} %", 100.0 * progress.0);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(spawn);
/// # bevy_ecs::system::assert_is_system(show);
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[require(DecompositionProgress)]
#[component(on_insert = begin, on_remove = stop)]
pub struct ConvexDecomposition {
    /// Vertices of the surface (m).
    pub vertices: Vec<Vec3>,
    /// Triangles of it, as indices of vertices; which way they face does not matter.
    pub triangles: Vec<[u32; 3]>,
    /// How finely it is cut.
    pub config: DecompositionConfig,
}

/// How far the [`ConvexDecomposition`] of this entity is, from 0 to 1: by phases of the work that take about
/// as long each, and never back. Goes with it.
///
/// ```
/// use orthant::plugin::DecompositionProgress;
///
/// fn bar(progress: DecompositionProgress) -> String {
///     "#".repeat((20.0 * progress.0) as usize)
/// }
/// assert_eq!(bar(DecompositionProgress(0.25)), "#####");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct DecompositionProgress(pub f32);

/// The [`ConvexDecomposition`] of this entity is done, and its [`Collider`] there. Observe it on the entity.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// fn count(ready: On<ConvexDecompositionReady>, colliders: Query<&Collider>) {
///     let pieces = colliders.get(ready.entity).ok().and_then(|collider| collider.shape().ok());
///     println!("{:?} pieces", pieces.map(|shape| shape.pieces().len()));
/// }
/// # World::new().add_observer(count);
/// ```
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Debug, PartialEq, Clone)]
pub struct ConvexDecompositionReady {
    /// The entity that had the [`ConvexDecomposition`].
    pub entity: Entity,
}

impl ConvexDecomposition {
    /// Of a surface, as finely as by default.
    #[must_use]
    pub fn new(vertices: impl Into<Vec<Vec3>>, triangles: impl Into<Vec<[u32; 3]>>) -> Self {
        let config = DecompositionConfig::default();
        Self { vertices: vertices.into(), triangles: triangles.into(), config }
    }

    /// As finely as is said.
    #[must_use]
    pub const fn with_config(mut self, config: DecompositionConfig) -> Self {
        self.config = config;
        self
    }
}

/// A decomposition under way.
#[derive(Component)]
pub(super) struct UnderWay {
    task: Task<Result<Shape, ShapeError>>,
    /// How far it is (‰). The task stops when nobody else holds it.
    done: Arc<AtomicU32>,
}

/// What is under way is of another surface.
fn begin(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    world.commands().entity(entity).remove::<UnderWay>();
}

fn stop(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    world.commands().entity(entity).try_remove::<(UnderWay, DecompositionProgress)>();
}

/// Begins what is new; puts colliders in place of what is done.
pub(super) fn work(
    mut commands: Commands,
    mut errors: Errors,
    mut all: Query<(&ConvexDecomposition, &mut DecompositionProgress, Option<&mut UnderWay>)>,
    entities: Query<Entity, With<ConvexDecomposition>>,
    mut list: Local<Vec<Entity>>,
) {
    list.clear();
    list.extend(&entities);
    list.sort_unstable();
    for &entity in list.iter() {
        let Ok((surface, mut progress, under_way)) = all.get_mut(entity) else { continue };
        let result = match (under_way, AsyncComputeTaskPool::try_get()) {
            (Some(mut under_way), _) => {
                let done = under_way.done.load(Ordering::Relaxed) as f32 * 1e-3;
                progress.set_if_neq(DecompositionProgress(done));
                check_ready(&mut under_way.task)
            }
            (None, Some(pool)) => {
                commands.entity(entity).insert(begun(pool, surface.clone()));
                None
            }
            (None, None) => Some(surface.cut(|_| true)),
        };
        let Some(result) = result else { continue };
        commands.entity(entity).remove::<ConvexDecomposition>();
        match result {
            Ok(shape) => {
                commands.entity(entity).insert(Collider::from(shape));
                commands.trigger(ConvexDecompositionReady { entity });
            }
            Err(error) => errors.tell(entity, PhysicsErrorKind::Shape(error)),
        }
    }
}

/// Starts to work on a surface.
fn begun(pool: &AsyncComputeTaskPool, surface: ConvexDecomposition) -> UnderWay {
    let done = Arc::new(AtomicU32::new(0));
    let told = done.clone();
    let task = pool.spawn(async move {
        surface.cut(|part| {
            told.store((part * 1e3) as u32, Ordering::Relaxed);
            Arc::strong_count(&told) > 1
        })
    });
    UnderWay { task, done }
}

impl ConvexDecomposition {
    fn cut(&self, goes_on: impl Fn(f32) -> bool) -> Result<Shape, ShapeError> {
        decompose(&self.vertices, &self.triangles, &self.config, &goes_on)
    }
}
