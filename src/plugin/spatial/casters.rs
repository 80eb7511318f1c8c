//! Components that ask again after each step.

use bevy_ecs::prelude::*;
use bevy_math::Dir3;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
#[cfg(feature = "serialize")]
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};
use bevy_transform::components::Transform;

use super::hit::{RayHitData, ShapeCastConfig, ShapeHitData};
use super::query::{SpatialQuery, SpatialQueryFilter};
use crate::math::{Quat, Real, Vec3, from_single3, quat_mul, quat_rotate, single3};
use crate::plugin::attach::ColliderOf;
use crate::plugin::collider::Collider;
use crate::plugin::frame::Frame;
use crate::plugin::frame::Parents;

/// Casts a ray from its entity after each step. The answer is in [`RayHits`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_math::Dir3;
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// fn spawn(mut commands: Commands) {
///     commands.spawn(RayCaster::new(Vec3::ZERO, Dir3::NEG_Y).with_max_distance(5.0));
/// }
///
/// fn read(rays: Query<&RayHits>) {
///     for hits in &rays {
///         if let Some(hit) = hits.first() {
///             println!("{} is {} m away", hit.entity, hit.distance);
///         }
///     }
/// }
/// ```
#[derive(Component, Clone, Debug, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
#[reflect(Component, Debug, Default, Clone)]
#[require(Transform, RayHits)]
pub struct RayCaster {
    /// Does it cast?
    pub enabled: bool,
    /// Origin in the frame of the entity (m).
    pub origin: Vec3,
    /// Direction in the frame of the entity.
    pub direction: Dir3,
    /// How far it looks (m).
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::Above"))]
    pub max_distance: Real,
    /// How many hits it keeps, the nearest ones.
    pub max_hits: u32,
    /// Is an origin inside a collider a hit at distance 0?
    pub solid: bool,
    /// Passes over the collider on its own entity, and those of its body.
    pub ignore_self: bool,
    /// What it meets.
    pub query_filter: SpatialQueryFilter,
}

impl Default for RayCaster {
    /// Along -z of the entity, without end.
    fn default() -> Self {
        Self::new(Vec3::ZERO, Dir3::NEG_Z)
    }
}

impl RayCaster {
    /// A ray in the frame of the entity that keeps all hits.
    #[must_use]
    pub fn new(origin: Vec3, direction: Dir3) -> Self {
        Self {
            enabled: true,
            origin,
            direction,
            max_distance: Real::MAX,
            max_hits: u32::MAX,
            solid: true,
            ignore_self: true,
            query_filter: SpatialQueryFilter::default(),
        }
    }

    /// Looks this far (m).
    #[must_use]
    pub fn with_max_distance(mut self, max_distance: Real) -> Self {
        self.max_distance = max_distance;
        self
    }

    /// Keeps so many hits, the nearest ones.
    #[must_use]
    pub fn with_max_hits(mut self, max_hits: u32) -> Self {
        self.max_hits = max_hits;
        self
    }

    /// Is an origin inside a collider a hit at distance 0?
    #[must_use]
    pub fn with_solidness(mut self, solid: bool) -> Self {
        self.solid = solid;
        self
    }

    /// Passes over the collider on its own entity, and those of its body?
    #[must_use]
    pub fn with_ignore_self(mut self, ignore_self: bool) -> Self {
        self.ignore_self = ignore_self;
        self
    }

    /// Meets these colliders only.
    #[must_use]
    pub fn with_query_filter(mut self, query_filter: SpatialQueryFilter) -> Self {
        self.query_filter = query_filter;
        self
    }
}

/// What the [`RayCaster`] of the entity met after the last step, nearest first.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_math::Dir3;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// /// Is there ground within half a metre?
/// fn land(feet: Query<&RayHits, With<RayCaster>>) {
///     for hits in &feet {
///         let grounded = hits.first().is_some_and(|hit| hit.distance < 0.5);
///         println!("{grounded}, {} hits", hits.len());
///     }
/// }
///
/// # bevy_ecs::system::assert_is_system(land);
/// let foot = RayCaster::new(Vec3::ZERO, Dir3::NEG_Y);
/// # let _ = foot;
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct RayHits(Vec<RayHitData>);

impl core::ops::Deref for RayHits {
    type Target = [RayHitData];

    fn deref(&self) -> &[RayHitData] {
        &self.0
    }
}

/// Moves a shape from its entity after each step and looks what it meets. The answer is in
/// [`ShapeHits`].
///
/// ```
/// # use bevy_math::Dir3;
/// # use orthant::prelude::*;
/// # use orthant::math::{Quat, Vec3};
/// let ball = Collider::sphere(0.5);
/// let feet = ShapeCaster::new(ball, Vec3::ZERO, Quat::IDENTITY, Dir3::NEG_Y).with_max_distance(0.3);
/// # let _ = feet;
/// ```
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(Component, Debug, Clone)]
#[require(Transform, ShapeHits)]
pub struct ShapeCaster {
    /// Does it cast?
    pub enabled: bool,
    /// The shape.
    pub shape: Collider,
    /// Where the shape begins, in the frame of the entity (m).
    pub origin: Vec3,
    /// Rotation of the shape in the frame of the entity.
    pub shape_rotation: Quat,
    /// Direction of motion in the frame of the entity.
    pub direction: Dir3,
    /// How far it moves, and what counts as a hit.
    pub config: ShapeCastConfig,
    /// How many hits it keeps, the nearest ones.
    pub max_hits: u32,
    /// Passes over the collider on its own entity, and those of its body.
    pub ignore_self: bool,
    /// What it meets.
    pub query_filter: SpatialQueryFilter,
}

impl ShapeCaster {
    /// A shape in the frame of the entity that keeps the first hit.
    #[must_use]
    pub fn new(shape: Collider, origin: Vec3, shape_rotation: Quat, direction: Dir3) -> Self {
        Self {
            enabled: true,
            shape,
            origin,
            shape_rotation,
            direction,
            config: ShapeCastConfig::default(),
            max_hits: 1,
            ignore_self: true,
            query_filter: SpatialQueryFilter::default(),
        }
    }

    /// Moves this far (m).
    #[must_use]
    pub fn with_max_distance(mut self, max_distance: Real) -> Self {
        self.config.max_distance = max_distance;
        self
    }

    /// Keeps so many hits, the nearest ones.
    #[must_use]
    pub fn with_max_hits(mut self, max_hits: u32) -> Self {
        self.max_hits = max_hits;
        self
    }

    /// Passes over the collider on its own entity, and those of its body?
    #[must_use]
    pub fn with_ignore_self(mut self, ignore_self: bool) -> Self {
        self.ignore_self = ignore_self;
        self
    }

    /// Meets these colliders only.
    #[must_use]
    pub fn with_query_filter(mut self, query_filter: SpatialQueryFilter) -> Self {
        self.query_filter = query_filter;
        self
    }
}

/// What the [`ShapeCaster`] of the entity met after the last step, nearest first.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// fn brake(bumpers: Query<&ShapeHits, With<ShapeCaster>>) {
///     for hits in &bumpers {
///         if let Some(hit) = hits.first() {
///             println!("{} in {} m", hit.entity, hit.distance);
///         }
///     }
/// }
/// # bevy_ecs::system::assert_is_system(brake);
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct ShapeHits(Vec<ShapeHitData>);

impl core::ops::Deref for ShapeHits {
    type Target = [ShapeHitData];

    fn deref(&self) -> &[ShapeHitData] {
        &self.0
    }
}

/// Where a caster is: its entity, pose and body.
type Place = (Entity, &'static Transform, Option<&'static ChildOf>, Option<&'static ColliderOf>);

/// The world pose of a caster.
fn frame(parents: &Parents, transform: &Transform, child_of: Option<&ChildOf>) -> Frame {
    Frame::new(transform, parents.frame(child_of))
}

/// A direction of the entity in the world; none for a pose that is not finite.
fn turned(frame: &Frame, direction: Dir3) -> Option<Dir3> {
    Dir3::new(single3(quat_rotate(frame.rotation, from_single3(*direction)))).ok()
}

/// The filter without the entity itself and its body.
fn filter_of(
    filter: &SpatialQueryFilter,
    ignore_self: bool,
    entity: Entity,
    body: Option<&ColliderOf>,
) -> SpatialQueryFilter {
    let mut filter = filter.clone();
    if ignore_self {
        filter.excluded_entities.insert(entity);
        filter.excluded_entities.extend(body.and_then(ColliderOf::body));
    }
    filter
}

pub(super) fn cast_rays(
    query: SpatialQuery,
    parents: Parents,
    mut rays: Query<(Place, &RayCaster, &mut RayHits)>,
) {
    for ((entity, transform, child_of, body), ray, mut hits) in &mut rays {
        let frame = frame(&parents, transform, child_of);
        let direction = turned(&frame, ray.direction).filter(|_| ray.enabled);
        let origin = frame.position + quat_rotate(frame.rotation, ray.origin);
        let found = direction.map_or_else(Vec::new, |direction| {
            let filter = filter_of(&ray.query_filter, ray.ignore_self, entity, body);
            query.ray_hits(origin, direction, ray.max_distance, ray.max_hits, ray.solid, &filter)
        });
        if found != hits.0 {
            hits.0 = found;
        }
    }
}

pub(super) fn cast_shapes(
    query: SpatialQuery,
    parents: Parents,
    mut casters: Query<(Place, &ShapeCaster, &mut ShapeHits)>,
) {
    for ((entity, transform, child_of, body), caster, mut hits) in &mut casters {
        let frame = frame(&parents, transform, child_of);
        let direction = turned(&frame, caster.direction).filter(|_| caster.enabled);
        let origin = frame.position + quat_rotate(frame.rotation, caster.origin);
        let rotation = quat_mul(frame.rotation, caster.shape_rotation);
        let found = direction.map_or_else(Vec::new, |direction| {
            let filter = filter_of(&caster.query_filter, caster.ignore_self, entity, body);
            let (shape, config, max) = (&caster.shape, &caster.config, caster.max_hits);
            query.shape_hits(shape, origin, rotation, direction, max, config, &filter)
        });
        if found != hits.0 {
            hits.0 = found;
        }
    }
}
