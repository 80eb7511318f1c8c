//! Shapes: what bodies are made of. Numbers and points of the user → convex pieces with poses.
//!
//! A [`Shape`] is a list of [`Piece`]s, each a convex [`Hull`] (possibly rounded) or a [`HalfSpace`] with a
//! pose in the frame of the shape. This is the only door for geometry: what a [`Shape`] holds is finite, has
//! volume and fits the limits [`LENGTH_MIN`] and [`LENGTH_MAX`]; everything else is a [`ShapeError`]. Shapes
//! never change and are shared by reference count, so cloning one is cheap.
//!
//! The ratio metric (thesis, Definition 2.1) wants the origin of a convex body inside of it; here
//! it is the centroid, so the pose of a piece is that of its *centroid frame*.
//!
//! A [`Mesh`] is a piece of many triangles, for bodies that do not move by impulses.
//!
//! Deliberately absent: the union of overlapping parts of a compound (their overlap is counted twice).

pub(crate) mod build;
mod cloud;
pub mod curve;
mod error;
pub mod hull;
mod limits;
pub mod mass;
mod merge;
pub mod mesh;
mod quickhull;
mod round;
mod scale;
pub mod share;
pub(super) mod support;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use self::error::ShapeError;
pub use self::limits::{LENGTH_MAX, LENGTH_MIN};
pub use crate::math::aabb::Aabb;

use self::hull::{Hull, LANES};
use self::mass::MassProperties;
use self::mesh::Mesh;
use self::support::fold;

use crate::math::{
    Mat3, Quat, Real, Vec3, narrow, narrow3, quat_mul, quat_normalize, quat_rotate, quat_to_mat3,
    widen3,
};

/// The solid half of space `normal · x ≤ 0`, in its local frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Outward unit normal.
    pub normal: Vec3,
}

impl HalfSpace {
    /// See [`Convex::aabb`].
    fn aabb(&self, position: Vec3, rotation: Mat3) -> Aabb {
        let (normal, mut bounds) = (rotation * self.normal, Aabb::INFINITE);
        for axis in 0..3 {
            if normal[axis].abs() == normal.abs().element_sum() {
                let side = if normal[axis] > 0.0 { &mut bounds.max } else { &mut bounds.min };
                side[axis] = position[axis];
            }
        }
        bounds
    }
}

/// A convex body in the frame in which it is stored.
#[derive(Clone, Debug, PartialEq)]
pub enum Convex {
    /// A polytope, ball, capsule or curved body about its centroid.
    Hull(Arc<Hull>),
    /// A half-space through the origin.
    HalfSpace(HalfSpace),
    /// A surface of triangles, each of which is convex.
    Mesh(Arc<Mesh>),
}

impl Convex {
    /// Box around the body when its frame has this pose (m); that of a half-space ends at its plane, if an
    /// axis is square to that, and is infinite else.
    ///
    /// Cost O(vertices).
    #[must_use]
    pub fn aabb(&self, position: Vec3, rotation: Mat3) -> Aabb {
        let hull = match self {
            Self::Hull(hull) => hull,
            Self::HalfSpace(plane) => return plane.aabb(position, rotation),
            Self::Mesh(mesh) => return mesh.aabb(position, rotation),
        };
        let (mut min, mut max) = (position, position);
        for axis in 0..3 {
            // The world axis in the frame of the hull is a row of the rotation.
            let direction = rotation.row(axis);
            let (low, high) = match &hull.curve {
                Some(curve) => {
                    let n = widen3(direction);
                    (narrow(n.dot(curve.support(-n))), narrow(n.dot(curve.support(n))))
                }
                None => height_range(hull, direction),
            };
            min[axis] += low - hull.radius;
            max[axis] += high + hull.radius;
        }
        Aabb { min, max }
    }

    /// How many piece numbers it takes: one, or as many as a mesh has triangles.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u32 {
        if let Self::Mesh(mesh) = self { mesh.len() as u32 } else { 1 }
    }

    /// Radius of a ball about the origin of the frame around the body (m); infinite for a half-space.
    #[inline]
    #[must_use]
    pub fn bounding_radius(&self) -> Real {
        match self {
            Self::Hull(hull) => hull.bounding_radius,
            Self::HalfSpace(_) => Real::INFINITY,
            Self::Mesh(mesh) => mesh.bounding_radius(),
        }
    }
}

/// Smallest and largest value of `vertex · direction`.
#[inline]
fn height_range(hull: &Hull, direction: Vec3) -> (Real, Real) {
    if let Some(half) = hull.cuboid {
        let height = half.dot(direction.abs());
        return (-height, height);
    }
    let Vec3 { x, y, z } = direction;
    let mut low = [Real::INFINITY; LANES];
    let mut high = [Real::NEG_INFINITY; LANES];
    let lower = |a: Real, b: Real| if a < b { a } else { b };
    let higher = |a: Real, b: Real| if a > b { a } else { b };
    for [xs, ys, zs] in &hull.lanes {
        for k in 0..LANES {
            let height = xs[k] * x + ys[k] * y + zs[k] * z;
            low[k] = lower(height, low[k]);
            high[k] = higher(height, high[k]);
        }
    }
    (fold(low, lower), fold(high, higher))
}

/// A convex body with the pose of its frame in the frame of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The body in its own frame, about its centroid.
    pub convex: Convex,
    /// Origin of the body's frame, which for a hull is its centroid (m).
    pub position: Vec3,
    /// Rotation of the body's frame.
    pub rotation: Quat,
}

impl Piece {
    /// Box around the piece when the shape has this pose (m), see [`Convex::aabb`].
    #[must_use]
    pub fn aabb(&self, position: Vec3, rotation: Mat3) -> Aabb {
        self.convex
            .aabb(position + rotation * self.position, rotation * quat_to_mat3(self.rotation))
    }

    /// Mass properties in the frame of the shape at a density [kg/m³]; zero for a half-space.
    fn mass_properties(&self, density: Real) -> MassProperties {
        let Convex::Hull(hull) = &self.convex else { return MassProperties::default() };
        MassProperties {
            mass: hull.volume * density,
            center_of_mass: Vec3::ZERO,
            inertia: hull.inertia.scaled(density),
        }
        .transformed(self.position, self.rotation)
    }
}

/// What a body is made of: convex pieces in one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub(crate) pieces: Arc<[Piece]>,
}

impl Shape {
    /// A ball about the origin, of a radius (m).
    ///
    /// # Errors
    /// A radius that is not positive, not finite or too large.
    pub fn sphere(radius: Real) -> Result<Self, ShapeError> {
        Hull::sphere(radius).map(Self::from_hull)
    }

    /// A box about the origin, with full lengths of its edges (m).
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn cuboid(x: Real, y: Real, z: Real) -> Result<Self, ShapeError> {
        Hull::cuboid(Vec3::new(x, y, z)).map(Self::from_hull)
    }

    /// All points within `radius` (m) of a segment along y, centered, of the full length `length` (m).
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn capsule(radius: Real, length: Real) -> Result<Self, ShapeError> {
        Hull::capsule(radius, length).map(Self::from_hull)
    }

    /// A cylinder along y of a radius and a full height (m), centered.
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn cylinder(radius: Real, height: Real) -> Result<Self, ShapeError> {
        Hull::cylinder(radius, height).map(Self::from_hull)
    }

    /// A cone along y, apex up, of a radius of its base and a full height (m). The origin is in the
    /// middle of the height.
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn cone(radius: Real, height: Real) -> Result<Self, ShapeError> {
        Hull::cone(radius, height).map(Self::from_hull)
    }

    /// An ellipsoid along the axes, of full lengths (m), centered.
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn ellipsoid(x_length: Real, y_length: Real, z_length: Real) -> Result<Self, ShapeError> {
        Hull::ellipsoid(Vec3::new(x_length, y_length, z_length)).map(Self::from_hull)
    }

    /// All points within `border_radius` (m) of a box about the origin, with full lengths of its
    /// edges (m): the whole is longer by twice the radius.
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn round_cuboid(
        x_length: Real,
        y_length: Real,
        z_length: Real,
        border_radius: Real,
    ) -> Result<Self, ShapeError> {
        let size = Vec3::new(x_length, y_length, z_length);
        Hull::round_cuboid(size, border_radius).map(Self::from_hull)
    }

    /// All points within `border_radius` (m) of the convex hull of points (m), see [`Hull::convex_hull`].
    ///
    /// # Errors
    /// As [`convex_hull`](Self::convex_hull), and a bad radius.
    pub fn round_convex_hull(points: &[Vec3], border_radius: Real) -> Result<Self, ShapeError> {
        Hull::round_convex_hull(points, border_radius).map(Self::from_hull)
    }

    /// A cylinder with rounded rims: all points within `border_radius` (m) of a cylinder along y of a
    /// radius and a full height (m), centered.
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn round_cylinder(
        radius: Real,
        height: Real,
        border_radius: Real,
    ) -> Result<Self, ShapeError> {
        Hull::round_cylinder(radius, height, border_radius).map(Self::from_hull)
    }

    /// The solid `normal · x ≤ 0`, for bodies that do not move. The normal need not have length one.
    ///
    /// # Errors
    /// A normal that is zero or not finite.
    pub fn half_space(normal: Vec3) -> Result<Self, ShapeError> {
        // In double precision, where the square of no single precision number overflows or vanishes.
        let normal = widen3(normal).try_normalize().map(narrow3).ok_or(ShapeError::BadNormal)?;
        Ok(Self::from_convex(Convex::HalfSpace(HalfSpace { normal }), Vec3::ZERO))
    }

    /// The convex hull of points (m), see [`Hull::convex_hull`].
    ///
    /// # Errors
    /// Fewer than four points, a coordinate that is not finite or too large, or points in a plane,
    /// on a line or in one place.
    pub fn convex_hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        Hull::convex_hull(points).map(Self::from_hull)
    }

    /// The convex hull of a polygon (m) in the xy plane, from `-thickness / 2` to `thickness / 2`
    /// (m) along z: bodies of planar scenes.
    ///
    /// # Errors
    /// As [`convex_hull`](Self::convex_hull), and a bad thickness.
    pub fn prism(polygon: &[[Real; 2]], thickness: Real) -> Result<Self, ShapeError> {
        Hull::prism(polygon, thickness).map(Self::from_hull)
    }

    /// Several shapes as one, each with its position (m) and rotation in the frame of the whole.
    ///
    /// # Errors
    /// No parts, a half-space among them, or a pose that is not finite, too far out or not a rotation.
    pub fn compound(
        parts: impl IntoIterator<Item = (Vec3, Quat, Self)>,
    ) -> Result<Self, ShapeError> {
        let mut pieces = Vec::new();
        for (index, (position, rotation, shape)) in parts.into_iter().enumerate() {
            let q = rotation;
            let length_squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
            let is_rotation = (length_squared - 1.0).abs() <= 1e-3;
            let is_near = position.is_finite() && position.abs().max_element() <= LENGTH_MAX;
            if !(is_rotation && is_near) {
                return Err(ShapeError::BadPose { index });
            }
            let rotation = quat_normalize(rotation);
            for piece in shape.pieces() {
                match piece.convex {
                    Convex::HalfSpace(_) => return Err(ShapeError::HalfSpaceInCompound { index }),
                    Convex::Mesh(_) => return Err(ShapeError::MeshInCompound { index }),
                    Convex::Hull(_) => {}
                }
                pieces.push(Piece {
                    convex: piece.convex.clone(),
                    position: position + quat_rotate(rotation, piece.position),
                    rotation: quat_normalize(quat_mul(rotation, piece.rotation)),
                });
            }
        }
        if pieces.is_empty() {
            return Err(ShapeError::EmptyCompound);
        }
        Ok(Self { pieces: pieces.into() })
    }

    /// A surface of triangles between vertices (m), for bodies that do not move by impulses; see
    /// [`Mesh::new`].
    ///
    /// # Errors
    /// No triangle with area, a vertex that is not finite or too far out, or an index beyond the vertices.
    pub fn trimesh(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        Mesh::new(vertices, triangles).map(Self::from_mesh)
    }

    /// A surface over a grid, `heights[i][k]` with `i` along x and `k` along z, of the full extents
    /// `scale.x` and `scale.z` (m) about the origin; heights are times `scale.y`. For bodies that do
    /// not move by impulses; see [`Mesh::heightfield`].
    ///
    /// # Errors
    /// Less than two heights along an axis, rows of unlike lengths, a height that is not finite or
    /// too far out, or a scale that is not positive.
    pub fn heightfield(heights: &[Vec<Real>], scale: Vec3) -> Result<Self, ShapeError> {
        Mesh::heightfield(heights, scale).map(Self::from_mesh)
    }

    /// A mesh in its own frame.
    #[must_use]
    pub fn from_mesh(mesh: Mesh) -> Self {
        Self::from_convex(Convex::Mesh(Arc::new(mesh)), Vec3::ZERO)
    }

    /// A hull in the frame in which its points were given.
    #[must_use]
    pub fn from_hull(hull: Hull) -> Self {
        let position = hull.centroid;
        Self::from_convex(Convex::Hull(Arc::new(hull)), position)
    }

    fn from_convex(convex: Convex, position: Vec3) -> Self {
        Self { pieces: Arc::new([Piece { convex, position, rotation: Quat::IDENTITY }]) }
    }

    /// The convex pieces, at least one.
    #[inline]
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Whether the shape is a half-space, which only bodies that do not move can have.
    #[must_use]
    pub fn is_half_space(&self) -> bool {
        matches!(self.pieces[..], [Piece { convex: Convex::HalfSpace(_), .. }])
    }

    /// Whether the shape has a mesh, which only bodies that do not move by impulses can have.
    #[must_use]
    pub fn has_mesh(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece.convex, Convex::Mesh(_)))
    }

    /// Mass, center of mass and inertia at a density [kg/m³]; zero for a half-space. The overlap of
    /// parts is counted twice.
    #[must_use]
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        let masses = self.pieces.iter().map(|p| p.mass_properties(density));
        masses.reduce(MassProperties::combined).unwrap_or_default()
    }

    /// Box around the shape in this pose (m), see [`Convex::aabb`].
    #[must_use]
    pub fn aabb(&self, position: Vec3, rotation: Quat) -> Aabb {
        let rotation = quat_to_mat3(rotation);
        let boxes = self.pieces.iter().map(|p| p.aabb(position, rotation));
        boxes.reduce(Aabb::union).unwrap_or(Aabb::INFINITE)
    }

    /// Smallest inradius of its pieces (m); infinite for a half-space or a mesh.
    #[must_use]
    pub fn inradius(&self) -> Real {
        let inradius = |piece: &Piece| match &piece.convex {
            Convex::Hull(hull) => hull.inradius,
            Convex::HalfSpace(_) | Convex::Mesh(_) => Real::INFINITY,
        };
        self.pieces.iter().map(inradius).fold(Real::INFINITY, Real::min)
    }

    /// Radius of a ball about the origin of the shape around it (m); infinite for a half-space.
    #[must_use]
    pub fn bounding_radius(&self) -> Real {
        let radii = self.pieces.iter().map(|p| p.position.length() + p.convex.bounding_radius());
        radii.fold(0.0, Real::max)
    }
}
