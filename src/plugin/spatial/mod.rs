//! Spatial queries: rays, moving shapes, points and boxes against the colliders.
//!
//! - [`SpatialQuery`], a system parameter for questions at any time.
//! - [`RayCaster`] and [`ShapeCaster`], components that ask again after each step and keep the answer in
//!   [`RayHits`] and [`ShapeHits`].
//!
//! Queries see colliders where the engine has them: at the end of the last step, or, where a user wrote a
//! `Transform` since, from the next run of [`PhysicsSystems::Prepare`](crate::plugin::PhysicsSystems)
//! on, also while physics is paused. [`sync_physics`](crate::plugin::sync_physics) brings changes to the
//! engine at once.

mod casters;
mod hit;
mod query;

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::*;

pub use casters::{RayCaster, RayHits, ShapeCaster, ShapeHits};
pub use hit::{ClosestPoints, PointProjection, RayHitData, ShapeCastConfig, ShapeHitData};
pub use query::{SpatialQuery, SpatialQueryFilter};

use super::schedule::{PhysicsSystems, StepLoop};

/// Spatial queries.
///
/// - Systems: one for each kind of caster, in [`PhysicsSystems::Writeback`].
///
/// ```
/// # use bevy_app::prelude::*;
/// use orthant::plugin::PhysicsSpatialPlugin;
/// use orthant::prelude::*;
///
/// // An app that needs none of it leaves it out.
/// let mut app = App::new();
/// app.add_plugins(PhysicsPlugins::default().build().disable::<PhysicsSpatialPlugin>());
/// step_physics(app.world_mut(), core::time::Duration::from_millis(10));
/// assert_eq!(app.world().resource::<StepReport>().bodies, 0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsSpatialPlugin;

impl Plugin for PhysicsSpatialPlugin {
    fn build(&self, app: &mut App) {
        let steps = StepLoop::of(app);
        app.register_type::<RayCaster>()
            .register_type::<ShapeCaster>()
            .register_type::<RayHits>()
            .register_type::<ShapeHits>();
        app.add_systems(
            steps,
            (casters::cast_rays, casters::cast_shapes).chain().in_set(PhysicsSystems::Writeback),
        );
    }
}
