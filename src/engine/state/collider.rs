//! Colliders: shapes with a place on a body, a material and filters.
//!
//! A body has any number of them. What its pieces are made of and where they are is worked out once,
//! when its colliders are set; a piece is found by its number in O(log pieces). Every triangle of a
//! mesh has a number of its own.

use crate::engine::geometry::shape::hull::{Hull, triangle_centroid};
use crate::engine::geometry::shape::mass::MassProperties;
use crate::engine::geometry::shape::mesh::Mesh;
use crate::engine::geometry::shape::share::Shapes;
use crate::engine::geometry::shape::{Aabb, Convex, HalfSpace, Piece, Shape};
use crate::math::{Quat, Real, Vec3, quat_mul, quat_normalize, quat_rotate, quat_to_mat3};

/// How a contact gets its coefficient from those of two surfaces. If they have other rules, the one that
/// stands later here holds.
///
/// ```
/// use orthant::engine::collider::CoefficientCombine::{Average, Max};
///
/// assert_eq!(Average.max(Max), Max);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum CoefficientCombine {
    /// The mean, `(a + b) / 2`.
    #[default]
    Average,
    /// The geometric mean, `√(a b)`.
    GeometricMean,
    /// The smaller one.
    Min,
    /// The product, `a b`.
    Multiply,
    /// The larger one.
    Max,
}

impl CoefficientCombine {
    /// The coefficient of a contact (-), from two that are not negative and their rules, and the rule that
    /// holds.
    #[must_use]
    pub fn combine([(a, one), (b, other)]: [(Real, Self); 2]) -> (Real, Self) {
        let rule = one.max(other);
        let coefficient = match rule {
            Self::Average => 0.5 * (a + b),
            Self::GeometricMean => (a * b).sqrt(),
            Self::Min => a.min(b),
            Self::Multiply => a * b,
            Self::Max => a.max(b),
        };
        (coefficient, rule)
    }
}

/// How the surface of a collider meets others.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// Coulomb friction coefficient μ (-), ≥ 0.
    pub friction: Real,
    /// How a contact combines the friction of both.
    pub friction_combine: CoefficientCombine,
    /// Rolling resistance (m), ≥ 0: rolling meets a torque of at most this times the normal force; a
    /// contact takes the larger of both.
    pub rolling: Real,
    /// Spinning resistance (m), ≥ 0: turning about the normal meets a torque of at most this times the
    /// normal force; a contact takes the larger of both.
    pub spinning: Real,
    /// Coefficient of restitution e (-), from 0 to 1: the part of the speed of an impact with which it
    /// bounces back.
    pub restitution: Real,
    /// How a contact combines the restitution of both.
    pub restitution_combine: CoefficientCombine,
}

impl Material {
    /// A material with this coefficient of friction (-) that rolls and spins freely and does not bounce.
    #[must_use]
    pub const fn new(friction: Real) -> Self {
        Self {
            friction,
            friction_combine: CoefficientCombine::Average,
            rolling: 0.0,
            spinning: 0.0,
            restitution: 0.0,
            restitution_combine: CoefficientCombine::Average,
        }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self::new(0.5)
    }
}

/// What a collider is and what it meets, as sets of up to 32 layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Layers {
    /// The layers it is in, one bit each.
    pub memberships: u32,
    /// The layers it meets, one bit each.
    pub filters: u32,
}

impl Layers {
    /// In every layer, meets every layer.
    pub const ALL: Self = Self { memberships: u32::MAX, filters: u32::MAX };

    /// Do the two meet? Each must be in a layer that the other meets.
    #[inline]
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.memberships & other.filters != 0 && other.memberships & self.filters != 0
    }
}

impl Default for Layers {
    /// In the first layer, meets all.
    fn default() -> Self {
        Self { memberships: 1, filters: u32::MAX }
    }
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// The shape, in its own frame.
    pub shape: Shape,
    /// Position of the shape's frame in the body's frame (m).
    pub position: Vec3,
    /// Rotation of the shape's frame in the body's frame.
    pub rotation: Quat,
    /// How its surface meets others.
    pub material: Material,
    /// What it meets.
    pub layers: Layers,
    /// Only notices what touches it, and pushes nothing.
    pub sensor: bool,
    /// Name that the user gives it, told with its contacts; best unique.
    pub tag: u64,
}

impl Collider {
    /// A shape at the origin of its body, of the default material, that meets everything.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            material: Material::default(),
            layers: Layers::default(),
            sensor: false,
            tag: 0,
        }
    }

    /// Mass properties in the body's frame at a density [kg/m³]; none for a sensor.
    #[must_use]
    pub fn mass_properties(&self, density: Real) -> MassProperties {
        if self.sensor {
            return MassProperties::default();
        }
        let mass = self.shape.mass_properties(density);
        mass.transformed(self.position, quat_normalize(self.rotation))
    }
}

impl From<Shape> for Collider {
    fn from(shape: Shape) -> Self {
        Self::new(shape)
    }
}

/// A piece of a body, in the body's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPiece {
    /// The convex body with its pose in the body's frame.
    pub piece: Piece,
    /// Which collider it belongs to.
    pub collider: u32,
    /// Its number, for a mesh that of its first triangle: numbers go on with the next piece after the
    /// last triangle.
    pub first: u32,
}

/// What has a piece number: something convex.
#[derive(Clone, Copy, Debug)]
pub enum ConvexRef<'a> {
    /// A polytope, ball or capsule about its centroid.
    Hull(&'a Hull),
    /// A half-space through the origin.
    HalfSpace(&'a HalfSpace),
    /// A triangle of a mesh, by its index, in the frame of the mesh.
    Triangle(&'a Mesh, u32),
}

/// The piece with a number, in the body's frame.
#[derive(Clone, Copy, Debug)]
pub struct PieceRef<'a> {
    /// What it is, in its own frame.
    pub convex: ConvexRef<'a>,
    /// Position of its frame in the body's (m).
    pub position: Vec3,
    /// Rotation of its frame in the body's.
    pub rotation: Quat,
    /// Which collider it belongs to.
    pub collider: u32,
}

impl ConvexRef<'_> {
    /// Is its surface curved, so that it may roll?
    #[must_use]
    pub fn is_round(&self) -> bool {
        matches!(self, Self::Hull(hull) if hull.radius > 0.0 || hull.curve.is_some())
    }
}

impl PieceRef<'_> {
    /// The centroid of the piece in the body's frame (m); a point of its plane for a half-space.
    #[inline]
    #[must_use]
    pub fn centroid(&self) -> Vec3 {
        match self.convex {
            ConvexRef::Triangle(mesh, index) => {
                self.position + quat_rotate(self.rotation, triangle_centroid(mesh.triangle(index)))
            }
            ConvexRef::Hull(_) | ConvexRef::HalfSpace(_) => self.position,
        }
    }
}

/// The colliders of a body and their pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colliders {
    list: Vec<Collider>,
    pieces: Vec<BodyPiece>,
}

impl Colliders {
    /// Works out the pieces.
    #[must_use]
    pub fn new(mut list: Vec<Collider>) -> Self {
        list.shrink_to_fit();
        let count = list.iter().map(|collider| collider.shape.pieces().len()).sum();
        let mut pieces = Vec::with_capacity(count);
        let mut next = 0_u32;
        for (index, collider) in (0_u32..).zip(&list) {
            let turn = quat_normalize(collider.rotation);
            for piece in collider.shape.pieces() {
                let piece = Piece {
                    convex: piece.convex.clone(),
                    position: collider.position + quat_rotate(turn, piece.position),
                    rotation: quat_normalize(quat_mul(turn, piece.rotation)),
                };
                let first = next;
                next = next.saturating_add(piece.convex.count());
                pieces.push(BodyPiece { piece, collider: index, first });
            }
        }
        Self { list, pieces }
    }

    /// The colliders.
    #[inline]
    #[must_use]
    pub fn list(&self) -> &[Collider] {
        &self.list
    }

    /// Their pieces, collider by collider.
    #[inline]
    #[must_use]
    pub fn pieces(&self) -> &[BodyPiece] {
        &self.pieces
    }

    /// Smallest inradius of the pieces (m); infinite without any.
    #[must_use]
    pub fn inradius(&self) -> Real {
        self.list.iter().map(|c| c.shape.inradius()).fold(Real::INFINITY, Real::min)
    }

    /// Radius of a ball about the origin of the body's frame around all pieces (m).
    #[must_use]
    pub fn bounding_radius(&self) -> Real {
        let radius = |p: &BodyPiece| p.piece.position.length() + p.piece.convex.bounding_radius();
        self.pieces.iter().map(radius).fold(0.0, Real::max)
    }

    /// Box around all pieces when the body has this pose (m); empty without any.
    #[must_use]
    pub fn aabb(&self, position: Vec3, rotation: Quat) -> Aabb {
        let rotation = quat_to_mat3(rotation);
        let boxes = self.pieces.iter().map(|p| p.piece.aabb(position, rotation));
        boxes.fold(Aabb::EMPTY, Aabb::union)
    }

    /// The piece that a number belongs to. Cost O(log pieces).
    #[inline]
    fn holder(&self, number: u32) -> Option<&BodyPiece> {
        // Without meshes every piece has the number of its place.
        let here = self.pieces.get(number as usize);
        if let Some(piece) = here.filter(|piece| piece.first == number) {
            return Some(piece);
        }
        let after = self.pieces.partition_point(|piece| piece.first <= number);
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        (number - piece.first < piece.piece.convex.count()).then_some(piece)
    }

    /// The piece with a number.
    #[inline]
    #[must_use]
    pub fn piece(&self, number: u32) -> Option<PieceRef<'_>> {
        let BodyPiece { piece, collider, first } = self.holder(number)?;
        let convex = match &piece.convex {
            Convex::Hull(hull) => ConvexRef::Hull(hull),
            Convex::HalfSpace(plane) => ConvexRef::HalfSpace(plane),
            Convex::Mesh(mesh) => ConvexRef::Triangle(mesh, number - first),
        };
        let (position, rotation) = (piece.position, piece.rotation);
        Some(PieceRef { convex, position, rotation, collider: *collider })
    }

    /// The index of the collider that a piece belongs to; 0 if there is no such piece.
    #[inline]
    #[must_use]
    pub fn index_of(&self, piece: u32) -> u32 {
        self.holder(piece).map_or(0, |piece| piece.collider)
    }

    /// The collider of a piece, by its number.
    #[inline]
    #[must_use]
    pub fn of_piece(&self, piece: u32) -> Option<&Collider> {
        self.list.get(self.holder(piece)?.collider as usize)
    }

    /// Is the surface of a piece curved, so that it may roll?
    #[must_use]
    pub fn is_round(&self, piece: u32) -> bool {
        self.piece(piece).is_some_and(|piece| piece.convex.is_round())
    }

    /// Takes equal shapes from one place.
    pub(in crate::engine) fn share(&mut self, shapes: &mut Shapes) {
        self.list.iter_mut().for_each(|collider| collider.shape = shapes.share(&collider.shape));
        let convex = self.list.iter().flat_map(|collider| collider.shape.pieces());
        for (own, piece) in self.pieces.iter_mut().zip(convex) {
            own.piece.convex = piece.convex.clone();
        }
    }

    /// See [`Body::set_material`](super::body::Body::set_material). True if it changed.
    pub(in crate::engine) fn set_material(&mut self, index: usize, material: Material) -> bool {
        let Some(collider) = self.list.get_mut(index) else { return false };
        core::mem::replace(&mut collider.material, material) != material
    }

    /// See [`Body::set_layers`](super::body::Body::set_layers). True if they changed.
    pub(in crate::engine) fn set_layers(&mut self, index: usize, layers: Layers) -> bool {
        let Some(collider) = self.list.get_mut(index) else { return false };
        core::mem::replace(&mut collider.layers, layers) != layers
    }
}
