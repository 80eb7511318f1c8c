//! Scaled shapes: shape, factors along the axes → shape.
//!
//! With the factors `S` and a piece at `p` with the rotation `R`, the new piece is `S (p + R K)`.
//!
//! - Polytopes are hulls of their scaled vertices, in axes parallel to those of the whole.
//! - With equal absolute factors every piece keeps its kind: `S R K = s (S R M) (M K)` with the signs
//!   in `S`, and `M` a reflection of x that makes `S R M` a rotation and leaves balls, capsules and
//!   curved bodies as they are.
//! - With other factors balls become ellipsoids; ellipsoids, cylinders, cones and capsules scale along
//!   their own axes if these are those of the whole, and what would not be of its kind is an error.
//! - Normals of half-spaces scale with the inverse.

use std::sync::Arc;

use super::curve::Curve;
use super::error::ShapeError;
use super::hull::{Face, Hull};
use super::limits::LENGTH_MAX;
use super::{Convex, HalfSpace, Piece, Shape};
use crate::math::{Quat, Real, Vec3, narrow3, quat_mul, quat_rotate, widen3};

/// Factors closer than this, relative, are equal.
const SAME: Real = 8.0 * Real::EPSILON;

fn same(a: Real, b: Real) -> bool {
    (a.abs() - b.abs()).abs() <= SAME * a.abs().max(b.abs())
}

/// Whether a rotation keeps the axes as they are, to rounding.
fn keeps_axes(q: Quat) -> bool {
    q.x.abs().max(q.y.abs()).max(q.z.abs()) <= SAME
}

/// The rotation `S R M` of a piece of which a reflection of x is no change, for the signs `S`.
fn mirrored(scale: Vec3, rotation: Quat) -> Quat {
    let negative = [scale.x < 0.0, scale.y < 0.0, scale.z < 0.0];
    let odd = negative.iter().filter(|&&n| n).count() % 2 == 1;
    // Half a turn about an axis changes the two other signs; an odd number of signs is such a turn
    // times -1, and so is the reflection of x.
    let turned = negative.map(|n| n != odd);
    let one_if = |is| if is { 1.0 } else { 0.0 };
    let turns = turned.contains(&true);
    let [x, y, z] = turned.map(|changes| one_if(turns && !changes));
    let half_turn = Quat::from_xyzw(x, y, z, one_if(!turns));
    let rotation = quat_mul(half_turn, rotation);
    if odd { quat_mul(rotation, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)) } else { rotation }
}

impl Hull {
    /// This hull, larger by a factor about its centroid; mass properties are not touched.
    pub(crate) fn grown(&self, by: Real) -> Self {
        let mut grown = self.clone();
        grown.set_vertices(self.vertices.iter().map(|&v| v * by).collect());
        Self {
            curve: self.curve.map(|curve| curve.grown(by)),
            cuboid: self.cuboid.map(|half| half * by),
            faces: self.faces.iter().map(|f| Face { offset: f.offset * by, ..*f }).collect(),
            radius: self.radius * by,
            inradius: self.inradius * by,
            flatness: self.flatness * by,
            bounding_radius: self.bounding_radius * by,
            ..grown
        }
    }
}

impl Shape {
    /// The shape scaled by factors along its axes; negative ones mirror it.
    ///
    /// Balls become ellipsoids where the factors differ. Capsules, cylinders and cones need equal factors
    /// across their axis, rounded polytopes and turned pieces of a compound that are not polytopes equal
    /// factors along all axes. A capsule keeps its ball ends: its radius scales across, its segment along.
    ///
    /// # Errors
    /// A factor that is zero or not finite, factors that differ where they must not, or a result
    /// that is too small or too large.
    pub fn scaled(&self, scale: Vec3) -> Result<Self, ShapeError> {
        let is_bad = |factor: &Real| *factor == 0.0 || !factor.is_finite();
        if let Some(factor) = scale.to_array().into_iter().find(is_bad) {
            return Err(ShapeError::BadScale { factor });
        }
        let pieces = self.pieces().iter().enumerate().map(|(index, piece)| {
            let piece = match &piece.convex {
                Convex::HalfSpace(plane) => scaled_half_space(piece, plane, scale)?,
                Convex::Hull(hull) => scaled_hull(piece, hull, scale)?,
                Convex::Mesh(mesh) => Piece {
                    convex: Convex::Mesh(Arc::new(mesh.scaled(scale)?)),
                    position: piece.position * scale,
                    rotation: piece.rotation,
                },
            };
            let is_near = piece.position.abs().max_element() <= LENGTH_MAX;
            if is_near { Ok(piece) } else { Err(ShapeError::BadPose { index }) }
        });
        let pieces = pieces.collect::<Result<Vec<Piece>, ShapeError>>()?;
        Ok(Self { pieces: pieces.into() })
    }
}

fn scaled_half_space(piece: &Piece, plane: &HalfSpace, scale: Vec3) -> Result<Piece, ShapeError> {
    let normal = widen3(quat_rotate(piece.rotation, plane.normal)) / widen3(scale);
    // Infinite and vanishing quotients have a direction too, after division by the largest.
    let largest = normal.abs().max_element();
    let normal = (normal / largest).try_normalize().ok_or(ShapeError::BadNormal)?;
    Ok(Piece {
        convex: Convex::HalfSpace(HalfSpace { normal: narrow3(normal) }),
        position: piece.position * scale,
        rotation: Quat::IDENTITY,
    })
}

fn scaled_hull(piece: &Piece, hull: &Hull, scale: Vec3) -> Result<Piece, ShapeError> {
    let position = piece.position * scale;
    let s = scale.x.abs();
    let uniform = same(scale.x, scale.y) && same(scale.x, scale.z);
    if !hull.faces.is_empty() && hull.curve.is_none() {
        if hull.radius > 0.0 && !uniform {
            return Err(ShapeError::UnevenScale { shape: "rounded hull" });
        }
        let turned = |&v: &Vec3| quat_rotate(piece.rotation, v) * scale;
        let points: Vec<Vec3> = hull.vertices.iter().map(turned).collect();
        let hull = if hull.radius > 0.0 {
            Hull::round_convex_hull(&points, hull.radius * s)?
        } else {
            Hull::convex_hull(&points)?
        };
        let (position, rotation) = (position + hull.centroid, Quat::IDENTITY);
        return Ok(Piece { convex: Convex::Hull(Arc::new(hull)), position, rotation });
    }
    let lengths = scale.abs();
    let (scaled, rotation) = if uniform {
        (of_its_kind(hull, Vec3::splat(s))?, mirrored(scale, piece.rotation))
    } else if hull.curve.is_none() && hull.vertices.len() == 1 {
        (Hull::ellipsoid(lengths * (2.0 * hull.radius))?, Quat::IDENTITY)
    } else if keeps_axes(piece.rotation) {
        (of_its_kind(hull, lengths)?, mirrored(scale, piece.rotation))
    } else {
        return Err(ShapeError::UnevenScale { shape: "turned piece" });
    };
    Ok(Piece { convex: Convex::Hull(Arc::new(scaled)), position, rotation })
}

/// A ball, a capsule or a curved hull scaled along its own axes by positive factors.
fn of_its_kind(hull: &Hull, scale: Vec3) -> Result<Hull, ShapeError> {
    let round = same(scale.x, scale.z);
    let uniform = round && same(scale.x, scale.y);
    let uneven = |shape| Err(ShapeError::UnevenScale { shape });
    let (s, y) = (scale.x, scale.y);
    match hull.curve {
        Some(Curve::Ellipsoid { half }) => Hull::ellipsoid(half * scale * 2.0),
        Some(Curve::Cylinder { .. }) if hull.radius > 0.0 && !uniform => uneven("rounded cylinder"),
        Some(Curve::Cylinder { radius, half_height }) if hull.radius > 0.0 => {
            Hull::round_cylinder(radius * s, 2.0 * half_height * y, hull.radius * s)
        }
        Some(Curve::Cylinder { .. }) if !round => uneven("cylinder"),
        Some(Curve::Cylinder { radius, half_height }) => {
            Hull::cylinder(radius * s, 2.0 * half_height * y)
        }
        Some(Curve::Cone { .. }) if !round => uneven("cone"),
        Some(Curve::Cone { radius, height }) => Hull::cone(radius * s, height * y),
        None if hull.vertices.len() == 1 => Hull::sphere(hull.radius * s),
        None if !round => uneven("capsule"),
        None => {
            let length = hull.vertices.iter().map(|v| 2.0 * v.y).fold(0.0, Real::max);
            Hull::capsule(hull.radius * s, length * y)
        }
    }
}
