//! Shapes as lines.

use bevy_color::Color;
use bevy_gizmos::prelude::Gizmos;
use bevy_math::Vec3;

use super::PhysicsGizmos;
use crate::engine::shape::curve::Curve;
use crate::engine::shape::hull::Hull;
use crate::engine::shape::{Convex, Piece, Shape};
use crate::math::{self, PI, Quat, Real, cos, quat_mul, quat_rotate, sin, single3};

/// Lines of a round outline.
const SIDES: u32 = 24;
/// Half of the square drawn of a half-space (m), and its lines each way.
const PLANE: Real = 10.0;
const PLANE_LINES: i8 = 5;

/// A pose (m) in the world and what draws.
pub(super) struct Pen<'a, 'w, 's> {
    pub(super) gizmos: &'a mut Gizmos<'w, 's, PhysicsGizmos>,
    pub(super) position: math::Vec3,
    pub(super) rotation: Quat,
    pub(super) color: Color,
}

impl Pen<'_, '_, '_> {
    fn point(&self, point: math::Vec3) -> Vec3 {
        single3(self.position + quat_rotate(self.rotation, point))
    }

    fn line(&mut self, from: math::Vec3, to: math::Vec3) {
        let (from, to) = (self.point(from), self.point(to));
        self.gizmos.line(from, to, self.color);
    }

    /// A closed line through a point for each angle.
    fn round(&mut self, point: impl Fn(Real, Real) -> math::Vec3) {
        let at = |k: u32| {
            let angle = 2.0 * PI * (k % SIDES) as Real / SIDES as Real;
            point(cos(angle), sin(angle))
        };
        (0..SIDES).for_each(|k| self.line(at(k), at(k + 1)));
    }

    /// Draws a shape at the pose.
    pub(super) fn shape(&mut self, shape: &Shape) {
        for piece in shape.pieces() {
            self.piece(piece);
        }
    }

    fn piece(&mut self, piece: &Piece) {
        let place = (self.position, self.rotation);
        self.position += quat_rotate(self.rotation, piece.position);
        self.rotation = quat_mul(self.rotation, piece.rotation);
        match &piece.convex {
            Convex::Hull(hull) => self.hull(hull),
            Convex::HalfSpace(plane) => self.plane(plane.normal),
            Convex::Mesh(mesh) => {
                for index in 0..mesh.len() as u32 {
                    let [a, b, c] = mesh.triangle(index);
                    [(a, b), (b, c), (c, a)].into_iter().for_each(|(a, b)| self.line(a, b));
                }
            }
        }
        (self.position, self.rotation) = place;
    }

    /// Edges of what has some, silhouettes along the axes of what is round.
    fn hull(&mut self, hull: &Hull) {
        let vec = math::Vec3::new;
        if let Some(&Curve::Cylinder { radius, half_height }) = hull.curve() {
            for y in [-half_height - hull.radius(), half_height + hull.radius()] {
                self.round(|x, z| vec(radius * x, y, radius * z));
            }
        } else if let Some(&Curve::Cone { radius, height }) = hull.curve() {
            self.round(|x, z| vec(radius * x, -0.25 * height, radius * z));
        } else if hull.curve().is_none() && hull.radius() == 0.0 {
            let corner = |vertex: u32| hull.vertices()[vertex as usize];
            for edge in hull.edges() {
                let [from, to] = edge.vertices.map(corner);
                self.line(from, to);
            }
            return;
        }
        self.round(|x, y| hull.support_point(vec(x, y, 0.0)));
        self.round(|y, z| hull.support_point(vec(0.0, y, z)));
        if !matches!(hull.curve(), Some(Curve::Cone { .. })) {
            self.round(|x, z| hull.support_point(vec(x, 0.0, z)));
        }
    }

    /// A square about the origin, and its normal.
    fn plane(&mut self, normal: math::Vec3) {
        let (along, across) = math::tangents(normal);
        for k in -PLANE_LINES..=PLANE_LINES {
            let offset = PLANE * Real::from(k) / Real::from(PLANE_LINES);
            for (a, b) in [(along, across), (across, along)] {
                self.line(a * offset - b * PLANE, a * offset + b * PLANE);
            }
        }
        self.line(math::Vec3::ZERO, normal);
    }
}
