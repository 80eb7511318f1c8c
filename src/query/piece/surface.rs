//! Queries of meshes: each triangle asked alone, found through the tree of the mesh.
//!
//! A triangle is met from both sides, and a mesh has no inside. Distances and casts treat a triangle as
//! the flat convex body it is. Cost O(log triangles) and one question for each triangle whose box comes
//! near enough; distances and casts allocate.

use std::sync::Arc;

use super::pieces::{CastConfig, Closest, Impact, Placed};
use crate::engine::geometry::ratio::Ratio;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::geometry::shape::mesh::Mesh;
use crate::engine::geometry::shape::{Aabb, Convex};
use crate::math::{DVec3, Double, Mat3, Real, Vec3, narrow, narrow3, widen, widen3};

/// The first triangle that a ray meets, in the frame of the mesh: distance and normal against the ray.
pub(super) fn ray(mesh: &Mesh, o: DVec3, v: DVec3, max: Double) -> Option<(Double, DVec3)> {
    // From where the ray comes near the mesh, so that rays from afar lose no digits.
    let shift = (-o.dot(v) - widen(mesh.bounding_radius())).max(0.0);
    if shift > max {
        return None;
    }
    let (origin, direction) = (narrow3(o + v * shift), narrow3(v));
    let (t, index, front) = mesh.cast_ray(origin, direction, narrow(max - shift))?;
    let normal = widen3(mesh.triangles()[index as usize].normal);
    Some((shift + widen(t), if front { normal } else { -normal }))
}

/// A mesh in the world.
pub(super) struct Surface<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) position: Vec3,
    pub(super) rotation: Mat3,
}

impl Surface<'_> {
    /// Asks a triangle something as the convex body it is.
    fn triangle<T>(&self, index: u32, ask: impl FnOnce(&Placed<'_>) -> Option<T>) -> Option<T> {
        let hull = Hull::triangle(self.mesh.triangle(index))?;
        let position = self.position + self.rotation * hull.centroid;
        let convex = Convex::Hull(Arc::new(hull));
        ask(&Placed { convex: &convex, position, rotation: self.rotation })
    }

    /// Box around a piece in the frame of the mesh (m).
    fn local_box(&self, other: &Placed<'_>) -> Aabb {
        let inverse = self.rotation.transpose();
        other.convex.aabb(inverse * (other.position - self.position), inverse * other.rotation)
    }

    /// Does a piece touch a triangle?
    pub(super) fn touches(&self, other: &Placed<'_>) -> bool {
        let mut touches = false;
        self.mesh.tree().overlaps_until(&self.local_box(other), |index| {
            touches = self.triangle(index, |t| Some(t.touches(other))) == Some(true);
            !touches
        });
        touches
    }

    /// The least answer of all triangles, as `measure` has it; asked are those whose boxes are nearer
    /// than the least distance of a triangle.
    pub(super) fn least<T: Copy>(
        &self,
        other: &Placed<'_>,
        ask: impl Fn(&Placed<'_>) -> Option<T>,
        measure: impl Fn(&T) -> Real,
        distance: impl Fn(&T) -> Real,
    ) -> Option<T> {
        let bounds = self.local_box(other);
        let center = (bounds.min + bounds.max) * 0.5;
        let reach = (bounds.max - center).length();
        let mut best: Option<T> = None;
        self.mesh.tree().nearest(center, Real::MAX, |index, max| {
            let Some(new) = self.triangle(index, &ask) else { return max };
            let nearer = best.as_ref().is_none_or(|best| measure(&new) < measure(best));
            if nearer {
                best = Some(new);
            }
            // No triangle farther from the center than this can be nearer to the piece.
            max.min(distance(&new).max(0.0) + reach)
        });
        best
    }

    /// The nearest points of the mesh and a piece, or those of the deepest triangle.
    pub(super) fn closest(&self, other: &Placed<'_>) -> Option<Closest> {
        let distance = |closest: &Closest| closest.distance;
        self.least(other, |t| t.closest(other), distance, distance)
    }

    /// The ratio metric of the triangle with the least gap among those near a piece.
    pub(super) fn ratio(&self, other: &Placed<'_>) -> Option<Ratio> {
        let apart = |ratio: &Ratio| ratio.separation;
        self.least(other, |t| t.ratio(other), |ratio| ratio.gap, apart)
    }

    /// The first touch of a moving piece with a triangle.
    pub(super) fn cast(
        &self,
        other: &Placed<'_>,
        direction: Vec3,
        max: Real,
        config: &CastConfig,
    ) -> Option<Impact> {
        let mut bounds = self.local_box(other);
        let target = Vec3::splat(config.target_distance.max(0.0));
        bounds = Aabb { min: bounds.min - target, max: bounds.max + target };
        let mut best: Option<Impact> = None;
        let local = self.rotation.transpose() * direction;
        self.mesh.tree().cast_box(bounds, local, max, |index, max| {
            let hit = self.triangle(index, |t| t.cast(other, direction, max, config));
            let Some(hit) = hit.filter(|hit| best.is_none_or(|b| hit.distance < b.distance)) else {
                return max;
            };
            best = Some(hit);
            hit.distance
        });
        best
    }
}
