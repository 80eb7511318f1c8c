//! A hull on a triangle of a mesh: their normal and their contacts.
//!
//! Input: a pair of a hull and a triangle. Output: contacts along a normal that the surface has where
//! they touch (`exposed`). The triangle is a body without volume: the ratio metric needs an
//! interior of the Minkowski difference only, and the hull has one, so the triangle grows in its plane
//! about its point nearest to the hull.
//!
//! **One-sided.** A hull whose center is behind the surface by more than half its inradius is not
//! touched; one that has sunk in less is pushed out through the front. So a sheet of two sides with
//! nothing in between holds what lies on it.
//!
//! **No ghosts.** Where the triangle's normal is used, or the metric's had to be turned to a normal
//! that the surface has, contacts are only where the hull is over the triangle: what is beside it is
//! over a neighbor. Corners and edges in the middle of a flat part make no contacts, whatever the
//! triangles; so a floor is the same to a body however it is cut.
//!
//! **Choice of the normal.** If the hull is predicted to cross the plane of its normal within the step,
//! the planes of the triangle and its neighbors beyond ridges are tried, like those of the faces beside
//! a touching face of a hull (`normal`).
//!
//! Also under the papers' settings contacts are found so: a surface without volume has no events.
//! Cost: a support query for triangles out of reach, and for those whose inside the hull is over; else
//! the metric. Not done: contacts that two triangles make in one place are not merged.

use crate::engine::tuning::mesh::{FLOOR, PREFERENCE};
use std::sync::Arc;

use super::clip::{ClipParams, find_contacts};
use super::collect::{Hidden, Manifold};
use super::exposed::{exposed_normal, outward};
use super::normal::{Twist, outermost};
use super::{NarrowPhase, Placed};
use crate::engine::geometry::ratio::{
    Centers, Measured, PortalCache, Relative, is_long, measure, near_centers, still_apart,
};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::geometry::shape::mesh::{Bend, Mesh, MeshTriangle};
use crate::engine::state::contact::ActiveContact;
use crate::engine::state::pairs::Pair;
use crate::engine::step::ccd::swept::Swept;
use crate::engine::step::ccd::time_of_impact::{Path, relative_speed, time_of_impact};
use crate::engine::tuning::stop::SURE;
use crate::math::{Real, Vec3, widen};

/// What a pair of a triangle and a hull consists of.
#[derive(Clone, Copy)]
pub(in crate::engine) struct OnTriangle<'a> {
    pub(in crate::engine) mesh: &'a Mesh,
    pub(in crate::engine) index: u32,
    pub(in crate::engine) hull: &'a Hull,
    /// Which body of the pair has the mesh.
    pub(in crate::engine) side: usize,
}

impl OnTriangle<'_> {
    /// The triangle as a hull, which the pair keeps.
    fn flat(&self, pair: &mut Pair) -> Option<Arc<Hull>> {
        if pair.triangle.is_none() {
            pair.triangle = Hull::triangle(self.mesh.triangle(self.index)).map(Arc::new);
        }
        pair.triangle.clone()
    }
}

/// The hull in the frame of the triangle: axes of the mesh, about the triangle's centroid.
struct TriangleScene<'a> {
    mesh: &'a Mesh,
    triangle: &'a MeshTriangle,
    hull: &'a Hull,
    /// Corners of the triangle (m).
    corners: [Vec3; 3],
    relative: Relative,
    /// Depth to which a plane counts as separating (m).
    slack: Real,
    dt: Real,
}

/// A plane on the triangle, and how the hull is to it.
#[derive(Clone, Copy)]
struct TrianglePlane {
    normal: Vec3,
    separation: Real,
    /// Outermost point of the hull's core (m).
    lowest: Vec3,
}

impl NarrowPhase<'_> {
    /// A hull and a triangle of a mesh.
    pub(in crate::engine) fn triangle(&self, pair: &mut Pair, on: OnTriangle<'_>, placed: &Placed) {
        let OnTriangle { mesh, index, hull, side } = on;
        let triangle = &mesh.triangles()[index as usize];
        let rotation = placed.rotations[side];
        let from_triangle = if side == 0 { placed.offset() } else { -placed.offset() };
        let relative =
            Relative::new(Vec3::ZERO, rotation, from_triangle, placed.rotations[1 - side]);
        let corners = mesh.triangle(index);
        let centroid = crate::engine::geometry::shape::hull::triangle_centroid(corners);
        let scene = TriangleScene {
            mesh,
            triangle,
            hull,
            corners: corners.map(|p| p - centroid),
            relative,
            slack: self.settings.contact.normal_slack * self.dt * self.dt,
            dt: self.dt,
        };
        let height = triangle.normal.dot(relative.offset);
        let band = placed.band;
        let front = scene.plane(triangle.normal, pair.cache.hints[1]);
        if front.separation > band || (height < -SURE * hull.inradius && !pair.sensor) {
            return;
        }
        let Some(flat) = on.flat(pair) else { return };
        if pair.sensor {
            self.notice(pair, &flat, &scene, band);
            return;
        }
        let leans = triangle.edges.iter().any(|e| matches!(e.bend, Bend::Convex | Bend::Boundary));
        let is_over = scene.is_over(front.lowest) && front.separation >= -scene.slack;
        let (mut normal, mut overlap_only) = (triangle.normal, true);
        if height > 0.0 && leans && !is_over {
            if still_apart(&flat, hull, &relative, band, &mut pair.cache).is_some() {
                return;
            }
            let centers = scene.centers(&flat);
            let measured = measure(&flat, hull, &relative, &centers, band, &mut pair.cache);
            let Measured::Near(ratio) = measured else { return };
            (normal, overlap_only) = exposed_normal(mesh, index, ratio.normal, &ratio.features[0]);
            overlap_only |= normal == triangle.normal;
            let motion = self.twist_on(pair, side, placed, &relative);
            if let Some(better) = scene.better(normal, pair.cache.hints[1], &motion) {
                (normal, overlap_only) = (better, true);
            }
        }
        let hidden = Hidden { vertices: triangle.flat_corners, edges: flat_edges(triangle) };
        let params = ClipParams { overlap_only, hidden, ..self.clip(band) };
        let mut manifold = Manifold::default();
        find_contacts(&flat, hull, &relative, normal, pair.cache.hints, &params, &mut manifold);
        take(pair, placed, side, &manifold);
        let deepest = pair.contacts.iter().map(|c| c.gap).fold(Real::INFINITY, Real::min);
        if deepest.is_finite() {
            let above = normal.dot(relative.offset) - scene.reach(normal);
            pair.separation = deepest;
            pair.gap = deepest / above.max(FLOOR * hull.inradius);
        }
    }

    /// Looks where a hull first meets a triangle whose front it comes from and could fly through.
    pub(in crate::engine) fn sweep_triangle(
        &self,
        pair: &mut Pair,
        on: OnTriangle<'_>,
        paths: &[Path; 2],
    ) -> Swept {
        let (at, other) = (&paths[on.side], &paths[1 - on.side]);
        let normal = at.rotation * on.mesh.triangles()[on.index as usize].normal;
        let between = (other.center + other.arm) - (at.center + at.arm);
        let Some(flat) = on.flat(pair) else { return Swept::No };
        let hulls = if on.side == 0 { [&*flat, on.hull] } else { [on.hull, &*flat] };
        let inradius = on.hull.inradius();
        let is_slow = relative_speed(paths, hulls) * self.dt <= SURE * inradius;
        if is_slow || normal.dot(between) <= 0.0 {
            return Swept::No;
        }
        let limits = self.limits(inradius);
        // The metric looks from the triangle to the hull elsewhere, here from body to body.
        let mut cache = PortalCache::default();
        let [a, b] = hulls;
        let impact = time_of_impact(a, &paths[0], b, &paths[1], &limits, &mut cache);
        impact.map_or(Swept::Missed, |impact| Swept::Hit(impact.time))
    }

    /// Measures how near a sensor is, from both sides.
    fn notice(&self, pair: &mut Pair, flat: &Hull, scene: &TriangleScene<'_>, band: Real) {
        let centers = scene.centers(flat);
        let cache = &mut pair.cache;
        let measured = measure(flat, scene.hull, &scene.relative, &centers, band, cache);
        if let Measured::Near(ratio) = measured {
            (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
        }
    }

    /// Velocity of the hull relative to the triangle, in the axes of the mesh about its centroid.
    fn twist_on(&self, pair: &Pair, side: usize, placed: &Placed, relative: &Relative) -> Twist {
        let to_mesh = placed.rotations[side].transpose();
        if side == 0 {
            return self.twist(pair, placed, &to_mesh, relative.offset);
        }
        let Twist { linear, angular } = self.twist(pair, placed, &to_mesh, -relative.offset);
        Twist { linear: angular.cross(relative.offset) - linear, angular: -angular }
    }
}

impl TriangleScene<'_> {
    /// The point of the triangle nearest to the hull, and for a long hull a point near that.
    fn centers(&self, flat: &Hull) -> Centers {
        near_centers([flat, self.hull], [true, is_long(self.hull)], &self.relative)
    }

    /// How far the triangle reaches along a direction (m).
    fn reach(&self, normal: Vec3) -> Real {
        self.corners.iter().map(|p| normal.dot(*p)).fold(Real::NEG_INFINITY, Real::max)
    }

    /// The plane with a normal that holds the triangle.
    fn plane(&self, normal: Vec3, hint: u32) -> TrianglePlane {
        let down = -(self.relative.rotation.transpose() * normal);
        let outermost = outermost(self.hull, down, hint, Real::INFINITY).2;
        let lowest = self.relative.rotation * outermost + self.relative.offset;
        let separation = normal.dot(lowest) - self.hull.radius - self.reach(normal);
        TrianglePlane { normal, separation, lowest }
    }

    /// Is a point over the triangle, seen along its normal?
    fn is_over(&self, p: Vec3) -> bool {
        (0..3).all(|k| outward(self.mesh, self.triangle, k).dot(p - self.corners[k]) <= 0.0)
    }

    /// Of the planes of the triangle and its neighbors beyond ridges the one predicted to separate best
    /// after the step, if that of `normal` is not predicted to separate and is beaten.
    fn better(&self, normal: Vec3, hint: u32, motion: &Twist) -> Option<Vec3> {
        let predicted = |plane: &TrianglePlane| {
            plane.separation + self.dt * plane.normal.dot(motion.at(plane.lowest))
        };
        let first = self.plane(normal, hint);
        let mut bar = Real::NEG_INFINITY;
        if first.separation >= -self.slack {
            let value = predicted(&first);
            if value >= 0.0 {
                return None;
            }
            bar = value + PREFERENCE * self.slack;
        }
        let mut best = None;
        let beyond = self.triangle.edges.iter().filter(|edge| edge.bend == Bend::Convex);
        let beyond = beyond.filter_map(|e| self.mesh.triangles().get(e.neighbor as usize));
        for n in core::iter::once(self.triangle.normal).chain(beyond.map(|t| t.normal)) {
            let plane = self.plane(n, hint);
            if plane.separation >= -self.slack && predicted(&plane) > bar {
                bar = predicted(&plane);
                best = Some(n);
            }
        }
        best.filter(|&n| n != normal)
    }
}

/// The flat edges of a triangle, by the numbers that they have in its hull.
fn flat_edges(triangle: &MeshTriangle) -> u8 {
    let flat = |k: usize| u8::from(triangle.edges[k].bend == Bend::Flat);
    flat(0) | flat(2) << 1 | flat(1) << 2
}

/// Hands the contacts of a triangle (body `side` of the pair) and a hull to the pair.
fn take(pair: &mut Pair, placed: &Placed, side: usize, manifold: &Manifold) {
    let turn = placed.rotations[side];
    let origin = if side == 0 { placed.arms[0] } else { placed.between + placed.arms[1] };
    let toward_b = if side == 0 { 1.0 } else { -1.0 };
    pair.dropped = manifold.dropped;
    for contact in &manifold.contacts {
        let middle = turn * ((contact.point_a + contact.point_b) * 0.5);
        pair.contacts.push(ActiveContact::new(
            if side == 0 { contact.id } else { contact.id.swapped() },
            turn * manifold.normal * toward_b,
            placed.arms_to(origin + middle),
            contact.separation,
            widen(contact.separation),
        ));
    }
}
