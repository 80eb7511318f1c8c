//! Two convex pieces in the world: casts, distance, overlap, projection. Here the kinds of
//! [`Convex`] part ways.
//!
//! Everything runs in the frame of the first piece, in double precision, from positions and rotations
//! in [`Real`]: exact however far both are from the origin of the world.

use std::sync::Arc;

use super::cast::{Cast, cast};
use super::depth::{depth, depth_in_core, normals};
use super::gjk::{PointPair, Simplex};
use super::ray::{is_near, ray};
use super::round::ray_ball;
use super::support::Difference;
use super::surface::Surface;
use crate::engine::geometry::ratio::{
    Centers, Measured, PortalCache, Ratio, Relative, Status, measure, measure_half_space,
};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::geometry::shape::{Convex, HalfSpace};
use crate::math::{
    DVec3, Double, EPSILON, Mat3, Real, Vec3, narrow, narrow3, widen, widen_mat3, widen3,
};

/// Overlaps of less than this part of the size are a touch, and so are directions for slopes.
const JUST: Real = 16.0 * EPSILON;
/// A convex piece in the world.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The piece in its own frame.
    pub convex: &'a Convex,
    /// World position of its frame (m).
    pub position: Vec3,
    /// World rotation of its frame.
    pub rotation: Mat3,
}

/// The nearest or deepest points of two pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Distance (m), negative by the depth in overlap.
    pub distance: Real,
    /// Unit normal from the first to the second.
    pub normal: Vec3,
    /// World point on the surface of the first (m).
    pub point1: Vec3,
    /// World point on the surface of the second (m).
    pub point2: Vec3,
}

/// The ratio metric of two shapes in the world, see `engine::ratio`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// r: the growth at which they touch; below one they overlap (–).
    pub ratio: Real,
    /// Φ = 1 - 1/r (–).
    pub gap: Real,
    /// Signed distance of their supporting planes along the normal (m).
    pub separation: Real,
    /// Unit normal from the first to the second, in the world.
    pub normal: Vec3,
    /// x*: where they touch when grown by r, in the world (m); one such point where it is a whole face.
    pub point: Vec3,
    /// The points of both that come to lie there, as they are now, in the world (m).
    pub points: [Vec3; 2],
    /// Which of the pieces of each.
    pub pieces: [u32; 2],
    /// How the answer came about.
    pub status: Status,
}

/// The first touch of a moving piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Impact {
    pub(crate) distance: Real,
    /// As at the touch; a zero normal says that the pieces overlap, or are too near, from the start.
    pub(crate) at: Closest,
}

/// What a shape cast wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastConfig {
    /// How far the shape moves (m).
    pub max_distance: Real,
    /// The cast ends where the shapes are this near (m).
    pub target_distance: Real,
    /// Finds normals and points also where the shapes overlap at the start; else they are zero.
    pub compute_contact_on_penetration: bool,
    /// Passes over what overlaps at the start, unless the motion leads deeper into it.
    pub ignore_origin_penetration: bool,
}

impl Default for CastConfig {
    fn default() -> Self {
        Self {
            max_distance: Real::MAX,
            target_distance: 0.0,
            compute_contact_on_penetration: true,
            ignore_origin_penetration: false,
        }
    }
}

impl<'a> Placed<'a> {
    /// The Minkowski difference of two hulls and the displacement of the second, in the frame of the first.
    fn difference(&self, a: &'a Hull, other: &Self, b: &'a Hull) -> (Difference<'a>, DVec3) {
        let inverse = widen_mat3(self.rotation).transpose();
        let rotation = inverse * widen_mat3(other.rotation);
        let offset = inverse * (widen3(other.position) - widen3(self.position));
        (Difference::new(a, b, rotation), offset)
    }

    /// Radius of a ball around it (m).
    fn size(&self) -> Real {
        self.convex.bounding_radius()
    }

    fn local(&self, point: Vec3) -> DVec3 {
        widen_mat3(self.rotation).transpose() * (widen3(point) - widen3(self.position))
    }

    fn world(&self, point: DVec3) -> Vec3 {
        narrow3(widen3(self.position) + widen_mat3(self.rotation) * point)
    }

    fn turned(&self, direction: DVec3) -> Vec3 {
        narrow3(widen_mat3(self.rotation) * direction)
    }

    /// See [`ray`]; all in the world.
    pub(crate) fn ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max: Real,
        solid: bool,
    ) -> Option<(Real, Vec3)> {
        let (o, v) = (widen3(origin) - widen3(self.position), widen3(direction));
        let max = widen(max);
        if let Convex::Hull(hull) = self.convex {
            if !is_near(o, v, max, widen(hull.bounding_radius)) {
                return None;
            }
            if hull.is_ball() {
                // A ball has no axes.
                let found = ray(self.convex, o, v, max, solid);
                return found.map(|(t, normal)| (narrow(t), narrow3(normal)));
            }
        }
        let inverse = widen_mat3(self.rotation).transpose();
        let found = ray(self.convex, inverse * o, inverse * v, max, solid);
        found.map(|(t, normal)| (narrow(t), self.turned(normal)))
    }

    /// Do the pieces touch? Two half-spaces never do.
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        if let (Convex::Hull(a), Convex::Hull(b)) = (self.convex, other.convex) {
            let (mut m, d) = self.difference(a, other, b);
            let limit = m.radius;
            return match Simplex::default().nearest(&mut m, d, limit) {
                PointPair::Inside => true,
                PointPair::Outside(v) => v.length() <= limit,
            };
        }
        match (self.surface(), other.surface()) {
            (Some(surface), None) => return surface.touches(other),
            (None, Some(surface)) => return surface.touches(self),
            _ => {}
        }
        self.closest(other).is_some_and(|closest| closest.distance <= 0.0)
    }

    /// The mesh, if it is one.
    fn surface(&self) -> Option<Surface<'_>> {
        let Convex::Mesh(mesh) = self.convex else { return None };
        Some(Surface { mesh, position: self.position, rotation: self.rotation })
    }

    /// The nearest points of the pieces, or the deepest ones; none where neither is a hull, or where a
    /// number is none.
    #[must_use]
    pub fn closest(&self, other: &Self) -> Option<Closest> {
        let (a, b) = match (self.convex, other.convex) {
            (Convex::Hull(a), Convex::Hull(b)) => (a, b),
            (Convex::HalfSpace(plane), Convex::Hull(_)) => return self.above(plane, other),
            (Convex::Mesh(_), Convex::Hull(_)) => return self.surface()?.closest(other),
            (Convex::Hull(_), Convex::HalfSpace(_) | Convex::Mesh(_)) => {
                let Closest { distance, normal, point1, point2 } = other.closest(self)?;
                return Some(Closest { distance, normal: -normal, point1: point2, point2: point1 });
            }
            (Convex::HalfSpace(_) | Convex::Mesh(_), _) => return None,
        };
        let (mut m, d) = self.difference(a, other, b);
        if !d.is_finite() {
            return None;
        }
        let mut simplex = Simplex::default();
        let (distance, normal, point_a, point_b) =
            match simplex.nearest(&mut m, d, Double::INFINITY) {
                PointPair::Outside(v) => {
                    let length = v.length();
                    (length, v / length, simplex.point_a(), simplex.point_b())
                }
                PointPair::Inside => {
                    let starts = normals(a, b, m.rotation());
                    depth(&mut m, d, starts)?
                }
            };
        let point1 = point_a + normal * widen(a.radius);
        let point2 = d + point_b - normal * widen(b.radius);
        Some(Closest {
            distance: narrow(distance - m.radius),
            normal: self.turned(normal),
            point1: self.world(point1),
            point2: self.world(point2),
        })
    }

    /// A hull above a half-space.
    fn above(&self, plane: &HalfSpace, other: &Self) -> Option<Closest> {
        let Convex::Hull(hull) = other.convex else { return None };
        let normal = widen_mat3(self.rotation) * widen3(plane.normal);
        let down = -(widen_mat3(other.rotation).transpose() * normal);
        let lowest = Difference::of_point(hull).support(down).a;
        let offset = widen3(other.position) - widen3(self.position);
        let lowest = widen_mat3(other.rotation) * lowest - normal * widen(hull.radius);
        let height = normal.dot(offset + lowest);
        let point2 = widen3(other.position) + lowest;
        height.is_finite().then(|| Closest {
            distance: narrow(height),
            normal: narrow3(normal),
            point1: narrow3(point2 - normal * height),
            point2: narrow3(point2),
        })
    }

    /// The first touch of `other`, moving along the unit vector `direction`, with this piece.
    pub(crate) fn cast(
        &self,
        other: &Self,
        direction: Vec3,
        max: Real,
        config: &CastConfig,
    ) -> Option<Impact> {
        let target = config.target_distance.max(0.0);
        let impact = match (self.convex, other.convex) {
            (Convex::Hull(a), Convex::Hull(b)) => {
                self.cast_hulls((a, b), other, direction, max, target)?
            }
            (Convex::HalfSpace(plane), Convex::Hull(_)) => {
                self.cast_above(plane, other, direction, max, target)?
            }
            (Convex::Mesh(_), Convex::Hull(_)) => {
                return self.surface()?.cast(other, direction, max, config);
            }
            (Convex::Hull(_), Convex::HalfSpace(_) | Convex::Mesh(_)) => {
                // Seen from the half-space the answer is the same.
                let back = Impact { ..other.cast(self, -direction, max, config)? };
                let shift = direction * back.distance;
                let Closest { distance, normal, point1, point2 } = back.at;
                let at = Closest { distance, normal: -normal, point1: point2, point2: point1 };
                let moved = |p: Vec3| if normal == Vec3::ZERO { p } else { p + shift };
                let at = Closest { point1: moved(at.point1), point2: moved(at.point2), ..at };
                return Some(Impact { at, ..back });
            }
            (Convex::HalfSpace(_) | Convex::Mesh(_), _) => return None,
        };
        if impact.at.normal != Vec3::ZERO {
            return Some(impact);
        }
        // Too near from the start. What only just touches is not met by leaving it or sliding along.
        let at = self.closest(other)?;
        let just = at.distance - target >= -JUST * self.size().min(other.size());
        let leads_in = at.normal.dot(direction) < if just { -JUST } else { 0.0 };
        if !leads_in && (just && direction != Vec3::ZERO || config.ignore_origin_penetration) {
            return None;
        }
        Some(if config.compute_contact_on_penetration { Impact { at, ..impact } } else { impact })
    }

    /// The ratio metric of the pieces about their centroids, its normal in the world; a half-space does
    /// not grow, and two of them have none.
    #[must_use]
    pub fn ratio(&self, other: &Self) -> Option<Ratio> {
        let (a, b) = match (self.convex, other.convex) {
            (Convex::Hull(a), Convex::Hull(b)) => (a, b),
            (Convex::HalfSpace(plane), Convex::Hull(hull)) => {
                let normal = self.rotation * plane.normal;
                let height = normal.dot(other.position - self.position);
                return Some(measure_half_space(hull, other.rotation, height, normal));
            }
            (Convex::Mesh(_), Convex::Hull(_)) => return self.surface()?.ratio(other),
            (Convex::Hull(_), Convex::HalfSpace(_) | Convex::Mesh(_)) => {
                let ratio = other.ratio(self)?;
                let [a, b] = ratio.features;
                return Some(Ratio { normal: -ratio.normal, features: [b, a], ..ratio });
            }
            (Convex::HalfSpace(_) | Convex::Mesh(_), _) => return None,
        };
        let relative = Relative::new(self.position, self.rotation, other.position, other.rotation);
        let mut cache = PortalCache::default();
        match measure(a, b, &relative, &Centers::default(), Real::INFINITY, &mut cache) {
            Measured::Near(ratio) => Some(Ratio { normal: self.rotation * ratio.normal, ..ratio }),
            Measured::Apart { .. } => None,
        }
    }

    /// The ratio metric with its points; of a mesh that of its triangle with the least gap.
    pub(super) fn metric(&self, other: &Self) -> Option<Metric> {
        if let (Some(surface), Convex::Hull(_)) = (self.surface(), other.convex) {
            let apart = |metric: &Metric| metric.separation;
            return surface.least(other, |t| t.metric(other), |metric| metric.gap, apart);
        }
        if let (Convex::Hull(_), Convex::Mesh(_)) = (self.convex, other.convex) {
            let metric = other.metric(self)?;
            let [p, q] = metric.points;
            return Some(Metric { normal: -metric.normal, points: [q, p], ..metric });
        }
        let Ratio { ratio, gap, separation, normal, status, .. } = self.ratio(other)?;
        let grown = [self, other].map(|piece| match piece.convex {
            Convex::Hull(hull) => (Convex::Hull(Arc::new(hull.grown(ratio))), ratio),
            flat => (flat.clone(), 1.0),
        });
        let [p, q] = [(self, &grown[0].0), (other, &grown[1].0)];
        let [p, q] = [p, q].map(|(piece, convex)| Placed { convex, ..*piece });
        let at = p.closest(&q)?;
        let point = (at.point1 + at.point2) * 0.5;
        let points = [(self, grown[0].1), (other, grown[1].1)]
            .map(|(piece, by)| piece.position + (point - piece.position) / by);
        Some(Metric { ratio, gap, separation, normal, point, points, pieces: [0; 2], status })
    }

    fn cast_hulls(
        &self,
        (a, b): (&'a Hull, &'a Hull),
        other: &Self,
        direction: Vec3,
        max: Real,
        target: Real,
    ) -> Option<Impact> {
        let target_double = widen(target);
        if a.is_ball() && b.is_ball() {
            // Balls have no axes: in those of the world.
            let d = widen3(other.position) - widen3(self.position);
            let rho = widen(a.radius) + widen(b.radius) + target_double;
            let hit = cast_balls(d, widen3(direction), rho, widen(max))?;
            if hit.normal == DVec3::ZERO {
                return Some(Impact::OVERLAP);
            }
            let point1 = narrow3(widen3(self.position) + hit.normal * widen(a.radius));
            let normal = narrow3(hit.normal);
            let at = Closest { distance: target, normal, point1, point2: point1 + normal * target };
            return Some(Impact { distance: narrow(hit.time), at });
        }
        let (mut m, d) = self.difference(a, other, b);
        let v = widen_mat3(self.rotation).transpose() * widen3(direction);
        let rho = m.radius + target_double;
        let Cast { time, normal, point_a, point_b } = cast(&mut m, d, v, rho, widen(max))?;
        if normal == DVec3::ZERO {
            return Some(Impact::OVERLAP);
        }
        let point1 = point_a + normal * widen(a.radius);
        let point2 = d + v * time + point_b - normal * widen(b.radius);
        let at = Closest {
            distance: target,
            normal: self.turned(normal),
            point1: self.world(point1),
            point2: self.world(point2),
        };
        Some(Impact { distance: narrow(time), at })
    }

    fn cast_above(
        &self,
        plane: &HalfSpace,
        other: &Self,
        direction: Vec3,
        max: Real,
        target: Real,
    ) -> Option<Impact> {
        let start = self.above(plane, other)?;
        let height = start.distance - target;
        let approach = -start.normal.dot(direction);
        if height < 0.0 {
            return Some(Impact::OVERLAP);
        }
        let distance = height / approach;
        if approach.is_nan() || approach <= 0.0 || distance > max {
            return None;
        }
        let point2 = start.point2 + direction * distance;
        let at =
            Closest { distance: target, point1: point2 - start.normal * target, point2, ..start };
        Some(Impact { distance, at })
    }

    /// The nearest point of the piece to a world point, and whether that is inside. Inside, the point
    /// itself if `solid`, else the nearest point of the surface.
    #[must_use]
    pub fn project(&self, point: Vec3, solid: bool) -> Option<(Vec3, bool)> {
        let p = self.local(point);
        if !p.is_finite() {
            return None;
        }
        let hull = match self.convex {
            Convex::Hull(hull) => hull,
            Convex::HalfSpace(HalfSpace { normal }) => {
                let normal = widen3(*normal);
                let height = normal.dot(p);
                let keep = height <= 0.0 && solid;
                let at = if keep { point } else { self.world(p - normal * height) };
                return Some((at, height <= 0.0));
            }
            Convex::Mesh(mesh) => {
                let at = mesh.project(narrow3(p))?;
                return Some((self.world(widen3(at)), false));
            }
        };
        let mut m = Difference::of_point(hull);
        let mut simplex = Simplex::default();
        let (inside, surface) = match simplex.nearest(&mut m, p, Double::INFINITY) {
            PointPair::Outside(v) => {
                let length = v.length();
                (length <= m.radius, simplex.point_a() + v * (m.radius / length))
            }
            PointPair::Inside => {
                let (depth, normal) = depth_in_core(hull, p);
                (true, p + normal * (depth + m.radius))
            }
        };
        let at = if inside && solid { point } else { self.world(surface) };
        Some((at, inside))
    }
}

impl Impact {
    /// Too near from the start.
    const OVERLAP: Self = Self {
        distance: 0.0,
        at: Closest { distance: 0.0, normal: Vec3::ZERO, point1: Vec3::ZERO, point2: Vec3::ZERO },
    };
}

/// Two balls whose radii add up to `rho`.
fn cast_balls(d: DVec3, v: DVec3, rho: Double, max: Double) -> Option<Cast> {
    if d.length_squared() < rho * rho {
        return Some(Cast::OVERLAP);
    }
    let hit = ray_ball(d, v, DVec3::ZERO, rho)?;
    // Touching and going away, or behind.
    if hit.leave <= 0.0 || hit.normal_in.dot(v) >= 0.0 || hit.enter > max {
        return None;
    }
    let (time, normal) = (hit.enter.max(0.0), hit.normal_in);
    Some(Cast { time, normal, point_a: DVec3::ZERO, point_b: DVec3::ZERO })
}
