//! Impulses away from a point.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::Dir3;

use super::attach::ColliderOf;
use super::collider::Collider;
use super::forces::Forces;
use super::spatial::{SpatialQuery, SpatialQueryFilter};
use crate::math::{Quat, Real, Vec3, single3};

/// An impulse on everything around a point, the weaker the farther.
///
/// ```
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// let mine = Explosion::new(Vec3::ZERO, 5.0, 100.0).with_occlusion();
/// assert!(mine.is_occluded && mine.radius == 5.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Explosion {
    /// World position (m).
    pub center: Vec3,
    /// How far it reaches (m), > 0.
    pub radius: Real,
    /// Impulse on a body at the center [N·s]; it falls off linearly and is zero at the radius.
    pub impulse: Real,
    /// Do colliders in between shelter what is behind them?
    pub is_occluded: bool,
    /// What it reaches.
    pub filter: SpatialQueryFilter,
}

impl Explosion {
    /// Everything within a radius (m) of a world point (m), by at most an impulse [N·s].
    #[must_use]
    pub fn new(center: Vec3, radius: Real, impulse: Real) -> Self {
        let filter = SpatialQueryFilter::default().without_sensors();
        Self { center, radius, impulse, is_occluded: false, filter }
    }

    /// Colliders in between shelter what is behind them.
    #[must_use]
    pub fn with_occlusion(mut self) -> Self {
        self.is_occluded = true;
        self
    }
}

/// Lets things explode.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn boom(mut explosions: Explosions) {
///     let pushed = explosions.explode(&Explosion::new(Vec3::Y, 5.0, 100.0).with_occlusion());
///     println!("{pushed} bodies fly");
/// }
/// ```
#[derive(SystemParam)]
pub struct Explosions<'w, 's> {
    query: SpatialQuery<'w, 's>,
    owners: Query<'w, 's, &'static ColliderOf>,
    bodies: Query<'w, 's, Forces>,
}

impl Explosions<'_, '_> {
    /// Pushes every body once, at the point of it that is nearest to the center, away from the center; the
    /// next step takes the impulses. Returns how many bodies were reached.
    pub fn explode(&mut self, explosion: &Explosion) -> usize {
        let Explosion { center, radius, .. } = *explosion;
        let ball = Collider::sphere(radius);
        let found =
            self.query.shape_intersections(&ball, center, Quat::IDENTITY, &explosion.filter);
        let mut bodies: Vec<Entity> =
            found.iter().filter_map(|&of| self.owners.get(of).ok()?.body()).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies.into_iter().filter(|&body| self.push(explosion, body).is_some()).count()
    }

    /// Pushes a body, if the explosion reaches it.
    fn push(&mut self, explosion: &Explosion, body: Entity) -> Option<()> {
        let Explosion { center, radius, impulse, is_occluded, ref filter } = *explosion;
        let is_of = |entity| self.owners.get(entity).is_ok_and(|of| of.body() == Some(body));
        let nearest = self.query.project_point_predicate(center, true, filter, &is_of)?;
        let way = nearest.point - center;
        let distance = way.length();
        let others = |entity| !is_of(entity);
        if let Ok(direction) = Dir3::new(single3(way))
            && is_occluded
            && self
                .query
                .cast_ray_predicate(center, direction, distance, true, filter, &others)
                .is_some()
        {
            return None;
        }
        // Inside a body, towards its center of mass.
        let away = way.try_normalize().or_else(|| {
            let middle = self.query.world().engine().body(self.query.body_id(body)?)?.center();
            (middle - center).try_normalize()
        });
        let strength = impulse * (1.0 - distance / radius).max(0.0);
        let mut forces = self.bodies.get_mut(body).ok()?;
        forces.apply_linear_impulse_at_point(away? * strength, nearest.point);
        Some(())
    }
}
