//! Questions at any time.

use bevy_ecs::entity::EntityHashSet;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::Dir3;
use bevy_reflect::Reflect;

use super::hit::{ClosestPoints, PointProjection, RayHitData, ShapeCastConfig, ShapeHitData};
use crate::engine::body::{Body, BodyId};
use crate::engine::collider::Collider as EngineCollider;
use crate::engine::query::{self, Closest, ColliderId, Metric};
use crate::engine::shape::{Aabb, Shape};
use crate::math::{Quat, Real, Vec3, from_single3, quat_mul, quat_rotate};
use crate::plugin::attach::ColliderOf;
use crate::plugin::collider::Collider;
use crate::plugin::layers::LayerMask;
use crate::plugin::link::EngineBody;
use crate::plugin::world::PhysicsWorld;

/// Which colliders a query meets.
///
/// ```
/// use orthant::prelude::*;
///
/// let all = SpatialQueryFilter::default();
/// let some = SpatialQueryFilter::from_mask(LayerMask(0b101));
/// # let _ = (all, some);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
pub struct SpatialQueryFilter {
    /// Colliders in one of these layers.
    pub mask: LayerMask,
    /// Sensors too? They are by default.
    pub sensors: bool,
    /// Colliders that are not met, and bodies none of whose colliders is.
    pub excluded_entities: EntityHashSet,
}

impl Default for SpatialQueryFilter {
    /// Meets everything.
    fn default() -> Self {
        Self { mask: LayerMask::ALL, sensors: true, excluded_entities: EntityHashSet::default() }
    }
}

impl SpatialQueryFilter {
    /// Meets colliders in one of these layers.
    #[must_use]
    pub fn from_mask(mask: impl Into<LayerMask>) -> Self {
        Self::default().with_mask(mask)
    }

    /// Meets everything but these colliders and the colliders of these bodies.
    #[must_use]
    pub fn from_excluded_entities(entities: impl IntoIterator<Item = Entity>) -> Self {
        Self::default().with_excluded_entities(entities)
    }

    /// Meets colliders in one of these layers only.
    #[must_use]
    pub fn with_mask(mut self, mask: impl Into<LayerMask>) -> Self {
        self.mask = mask.into();
        self
    }

    /// Does not meet these colliders, nor the colliders of these bodies.
    #[must_use]
    pub fn with_excluded_entities(mut self, entities: impl IntoIterator<Item = Entity>) -> Self {
        self.excluded_entities = entities.into_iter().collect();
        self
    }

    /// Does not meet sensors.
    #[must_use]
    pub fn without_sensors(mut self) -> Self {
        self.sensors = false;
        self
    }
}

/// Asks what rays, shapes, points and boxes meet. Answers name the entities of colliders, and come in a
/// fixed order.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_math::Dir3;
/// # use orthant::prelude::*;
/// # use orthant::math::Vec3;
/// fn look(query: SpatialQuery) {
///     let filter = SpatialQueryFilter::default();
///     if let Some(hit) = query.cast_ray(Vec3::Y, Dir3::NEG_Y, 100.0, true, &filter) {
///         println!("{} m below is {}", hit.distance, hit.entity);
///     }
/// }
/// ```
///
/// The first query after a change builds a tree of all pieces, O(n log n).
#[derive(SystemParam)]
pub struct SpatialQuery<'w, 's> {
    physics: Res<'w, PhysicsWorld>,
    links: Query<'w, 's, &'static EngineBody, Allow<Disabled>>,
    owners: Query<'w, 's, &'static ColliderOf, Allow<Disabled>>,
}

/// Rays, shapes, points and boxes, as of the last step or [`sync_physics`](crate::plugin::sync_physics):
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ecs::system::RunSystemOnce;
/// # use bevy_math::Dir3;
/// use orthant::math::{Quat, Vec3};
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// let [one, two] = [2.0, 6.0].map(|x| {
///     let at = bevy_transform::components::Transform::from_xyz(x, 0.0, 0.0);
///     world.spawn((Collider::cuboid(1.0, 1.0, 1.0), at)).id()
/// });
/// orthant::plugin::sync_physics(world);
/// let ask = move |query: SpatialQuery| {
///     let (any, ball, reach) = (SpatialQueryFilter::default(), Collider::sphere(0.5), 100.0);
///     let but_one = SpatialQueryFilter::from_excluded_entities([one]);
///     let first = query.cast_ray(Vec3::ZERO, Dir3::X, reach, true, &any);
///     assert!(first.is_some_and(|hit| hit.entity == one && (hit.distance - 1.5).abs() < 1e-4));
///     assert_eq!(query.ray_hits(Vec3::ZERO, Dir3::X, reach, 9, true, &but_one).len(), 1);
///     let way = ShapeCastConfig::default();
///     let moved = query.cast_shape(&ball, Vec3::ZERO, Quat::IDENTITY, Dir3::X, &way, &any);
///     assert!(moved.is_some_and(|hit| (hit.distance - 1.0).abs() < 1e-3));
///     assert_eq!(query.shape_intersections(&ball, Vec3::X, Quat::IDENTITY, &but_one), []);
///     assert_eq!(query.aabb_intersections(Vec3::ZERO, Vec3::splat(9.0), &any), [one, two]);
///     assert_eq!(query.point_intersections(Vec3::X * 6.0, &any), [two]);
///     assert!(query.distance(one, two).is_some_and(|apart| (apart - 3.0).abs() < 1e-4));
/// };
/// world.run_system_once(ask).expect("a system");
/// ```
impl SpatialQuery<'_, '_> {
    /// The first collider that a ray meets within `max_distance` (m). An origin inside a collider is a
    /// hit at distance 0 if `solid`; else the hit is where the ray leaves.
    #[must_use]
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: Real,
        solid: bool,
        filter: &SpatialQueryFilter,
    ) -> Option<RayHitData> {
        self.cast_ray_predicate(origin, direction, max_distance, solid, filter, &|_| true)
    }

    /// [`cast_ray`](Self::cast_ray) among the colliders for which `predicate` is true.
    #[must_use]
    pub fn cast_ray_predicate(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: Real,
        solid: bool,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Option<RayHitData> {
        let direction = from_single3(*direction);
        let admits = self.admits(filter, predicate);
        let tree = self.physics.tree();
        let hit = tree.cast_ray(origin, direction, max_distance, solid, admits)?;
        self.ray_hit(&hit)
    }

    /// Where a ray first meets each of the nearest `max_hits` colliders, by distance.
    #[must_use]
    pub fn ray_hits(
        &self,
        origin: Vec3,
        direction: Dir3,
        max_distance: Real,
        max_hits: u32,
        solid: bool,
        filter: &SpatialQueryFilter,
    ) -> Vec<RayHitData> {
        let direction = from_single3(*direction);
        let admits = self.admits(filter, &|_| true);
        let mut hits = Vec::new();
        let tree = self.physics.tree();
        tree.ray_hits(origin, direction, max_distance, solid, admits, &mut hits);
        hits.iter().take(max_hits as usize).filter_map(|hit| self.ray_hit(hit)).collect()
    }

    /// The first collider that a shape meets as it moves along `direction` without turning.
    #[must_use]
    pub fn cast_shape(
        &self,
        shape: &Collider,
        origin: Vec3,
        rotation: Quat,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
    ) -> Option<ShapeHitData> {
        self.cast_shape_predicate(shape, origin, rotation, direction, config, filter, &|_| true)
    }

    /// [`cast_shape`](Self::cast_shape) among the colliders for which `predicate` is true.
    #[must_use]
    pub fn cast_shape_predicate(
        &self,
        shape: &Collider,
        origin: Vec3,
        rotation: Quat,
        direction: Dir3,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Option<ShapeHitData> {
        let direction = from_single3(*direction);
        let admits = self.admits(filter, predicate);
        let (shape, config) = (shape.shape().ok()?, config.engine());
        let tree = self.physics.tree();
        let hit = tree.cast_shape(shape, origin, rotation, direction, &config, admits)?;
        self.shape_hit(&hit)
    }

    /// Where a moving shape first meets each of the nearest `max_hits` colliders, by distance.
    #[must_use]
    pub fn shape_hits(
        &self,
        shape: &Collider,
        origin: Vec3,
        rotation: Quat,
        direction: Dir3,
        max_hits: u32,
        config: &ShapeCastConfig,
        filter: &SpatialQueryFilter,
    ) -> Vec<ShapeHitData> {
        let Ok(shape) = shape.shape() else { return Vec::new() };
        let direction = from_single3(*direction);
        let admits = self.admits(filter, &|_| true);
        let (mut hits, config) = (Vec::new(), config.engine());
        let tree = self.physics.tree();
        tree.shape_hits(shape, origin, rotation, direction, &config, admits, &mut hits);
        hits.iter().take(max_hits as usize).filter_map(|hit| self.shape_hit(hit)).collect()
    }

    /// The point nearest to `point` of all colliders. Inside a collider it is the point itself if
    /// `solid`, else the nearest point of the surface.
    #[must_use]
    pub fn project_point(
        &self,
        point: Vec3,
        solid: bool,
        filter: &SpatialQueryFilter,
    ) -> Option<PointProjection> {
        self.project_point_predicate(point, solid, filter, &|_| true)
    }

    /// [`project_point`](Self::project_point) among the colliders for which `predicate` is true.
    #[must_use]
    pub fn project_point_predicate(
        &self,
        point: Vec3,
        solid: bool,
        filter: &SpatialQueryFilter,
        predicate: &dyn Fn(Entity) -> bool,
    ) -> Option<PointProjection> {
        let admits = self.admits(filter, predicate);
        let tree = self.physics.tree();
        let found = tree.project_point(point, Real::MAX, solid, admits)?;
        let (point, is_inside) = (found.point, found.is_inside);
        self.entity(found.id).map(|entity| PointProjection { entity, point, is_inside })
    }

    /// The colliders that hold a point.
    #[must_use]
    pub fn point_intersections(&self, point: Vec3, filter: &SpatialQueryFilter) -> Vec<Entity> {
        let (admits, mut found) = (self.admits(filter, &|_| true), Vec::new());
        self.physics.tree().point_intersections(point, admits, &mut found);
        self.entities(&found)
    }

    /// The colliders whose boxes meet the box between two corners (m).
    #[must_use]
    pub fn aabb_intersections(
        &self,
        min: Vec3,
        max: Vec3,
        filter: &SpatialQueryFilter,
    ) -> Vec<Entity> {
        let (admits, mut found) = (self.admits(filter, &|_| true), Vec::new());
        let bounds = Aabb { min, max };
        self.physics.tree().aabb_intersections(bounds, admits, &mut found);
        self.entities(&found)
    }

    /// The colliders that a shape touches.
    #[must_use]
    pub fn shape_intersections(
        &self,
        shape: &Collider,
        position: Vec3,
        rotation: Quat,
        filter: &SpatialQueryFilter,
    ) -> Vec<Entity> {
        let Ok(shape) = shape.shape() else { return Vec::new() };
        let (admits, mut found) = (self.admits(filter, &|_| true), Vec::new());
        let tree = self.physics.tree();
        tree.shape_intersections(shape, position, rotation, admits, &mut found);
        self.entities(&found)
    }

    /// The nearest points of two colliders; none if one of the entities has no collider in the engine,
    /// or both are half-spaces.
    #[must_use]
    pub fn closest_points(&self, one: Entity, two: Entity) -> Option<ClosestPoints> {
        let (a, b) = (self.placed(one)?, self.placed(two)?);
        query::closest((a.0, a.1, a.2), (b.0, b.1, b.2)).map(|closest: Closest| ClosestPoints {
            distance: closest.distance,
            point1: closest.point1,
            point2: closest.point2,
            normal: closest.normal,
        })
    }

    /// Distance of two colliders (m); see [`closest_points`](Self::closest_points).
    #[must_use]
    pub fn distance(&self, one: Entity, two: Entity) -> Option<Real> {
        self.closest_points(one, two).map(|closest| closest.distance)
    }

    /// The ratio metric of two colliders: by what factor both must grow to touch, with points, and the normal
    /// from the first to the second in the world, see [`query::ratio`]. None as for
    /// [`closest_points`](Self::closest_points).
    #[must_use]
    pub fn ratio(&self, one: Entity, two: Entity) -> Option<Metric> {
        let (a, b) = (self.placed(one)?, self.placed(two)?);
        query::ratio((a.0, a.1, a.2), (b.0, b.1, b.2))
    }

    /// The engine's world.
    pub(in crate::plugin) fn world(&self) -> &PhysicsWorld {
        &self.physics
    }

    /// The engine's body of an entity.
    pub(in crate::plugin) fn body_id(&self, entity: Entity) -> Option<BodyId> {
        self.links.get(entity).ok()?.id()
    }

    /// Shape and world pose of a collider.
    fn placed(&self, entity: Entity) -> Option<(&Shape, Vec3, Quat)> {
        let owner = self.owners.get(entity).ok()?.body()?;
        let body = self.physics.engine.body(self.links.get(owner).ok()?.id()?)?;
        let tag = entity.to_bits();
        let collider = body.colliders().list().iter().find(|collider| collider.tag == tag)?;
        let position = body.position() + quat_rotate(body.rotation(), collider.position);
        Some((&collider.shape, position, quat_mul(body.rotation(), collider.rotation)))
    }

    /// What the engine asks about each collider.
    pub(in crate::plugin) fn admits<'q>(
        &'q self,
        filter: &'q SpatialQueryFilter,
        predicate: &'q dyn Fn(Entity) -> bool,
    ) -> impl Fn(BodyId, &EngineCollider) -> bool + 'q {
        move |body, collider| {
            let Some(entity) = Entity::try_from_bits(collider.tag) else { return false };
            let excluded = &filter.excluded_entities;
            let is_excluded = !excluded.is_empty()
                && (excluded.contains(&entity)
                    || self.physics.entity(body).is_some_and(|body| excluded.contains(&body)));
            let is_met = collider.layers.memberships & filter.mask.0 != 0
                && (filter.sensors || !collider.sensor);
            is_met && !is_excluded && predicate(entity)
        }
    }

    /// The entity of a collider.
    fn entity(&self, id: ColliderId) -> Option<Entity> {
        let colliders = self.physics.engine.body(id.body).map(Body::colliders)?;
        Entity::try_from_bits(colliders.list().get(id.collider as usize)?.tag)
    }

    fn entities(&self, found: &[ColliderId]) -> Vec<Entity> {
        found.iter().filter_map(|&id| self.entity(id)).collect()
    }

    fn ray_hit(&self, hit: &query::RayHit) -> Option<RayHitData> {
        let entity = self.entity(hit.id)?;
        Some(RayHitData { entity, distance: hit.distance, normal: hit.normal })
    }

    fn shape_hit(&self, hit: &query::ShapeHit) -> Option<ShapeHitData> {
        Some(ShapeHitData {
            entity: self.entity(hit.id)?,
            distance: hit.distance,
            point1: hit.point1,
            point2: hit.point2,
            normal1: hit.normal1,
            normal2: hit.normal2,
        })
    }
}
