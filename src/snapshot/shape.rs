//! Shapes as data: what they are made from, so that the same shape is made again to the last bit.

use std::sync::Arc;

use super::{SnapshotError, UNIT};
use crate::engine::settings::ranges::PLACE;
use crate::engine::shape::build::assemble;
use crate::engine::shape::curve::Curve;
use crate::engine::shape::hull::Hull;
use crate::engine::shape::mesh::Mesh;
use crate::engine::shape::{Convex, HalfSpace, LENGTH_MAX, LENGTH_MIN, Piece, Shape, ShapeError};
use crate::math::{Quat, Real, SymMat3, Vec3};

/// A shape as data, for files and messages: [`Shape`] has serde through it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeData(Vec<PieceData>);

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct PieceData {
    /// Where it is in the frame of the shape, if not at the origin.
    pose: Option<(Vec3, Quat)>,
    convex: ConvexData,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
enum ConvexData {
    Sphere { radius: Real },
    Cuboid { half: Vec3 },
    Capsule { radius: Real, length: Real },
    Cylinder { radius: Real, half_height: Real, border_radius: Real },
    Cone { radius: Real, height: Real },
    Ellipsoid { half: Vec3 },
    HalfSpace { normal: Vec3 },
    Polytope(PolytopeData),
    Mesh { vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>, dropped: u32 },
}

/// A polytope about its centroid, rounded or not.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct PolytopeData {
    vertices: Vec<Vec3>,
    /// The loops of its faces.
    faces: Vec<Vec<u32>>,
    radius: Real,
    centroid: Vec3,
    volume: Real,
    inertia: [Real; 6],
}

/// No polytope.
const DEGENERATE: SnapshotError = SnapshotError::Shape(ShapeError::Degenerate);

impl PolytopeData {
    fn of(hull: &Hull) -> Self {
        let i = hull.inertia;
        Self {
            vertices: hull.vertices.clone(),
            faces: (0..hull.faces.len() as u32).map(|f| hull.face_loop(f).to_vec()).collect(),
            radius: hull.radius,
            centroid: hull.centroid,
            volume: hull.volume,
            inertia: [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz],
        }
    }

    fn hull(&self) -> Result<Hull, SnapshotError> {
        let Self { vertices, faces, radius, centroid, volume, inertia } = self;
        let count = vertices.len() as u64;
        let fits = |face: &Vec<u32>| face.len() > 2 && face.iter().all(|&v| u64::from(v) < count);
        let near = vertices.iter().chain([centroid]).all(|&v| PLACE.holds(v));
        let rounded = *radius == 0.0 || (LENGTH_MIN..=LENGTH_MAX).contains(radius);
        let heavy = *volume > 0.0 && inertia.iter().chain([volume]).all(|x| x.is_finite());
        if !(count > 3 && near && rounded && heavy && faces.iter().all(fits)) {
            return Err(DEGENERATE);
        }
        let mut hull = assemble(vertices.clone(), faces).ok_or(DEGENERATE)?;
        let joined = (0..count as u32).all(|v| hull.neighbors(v).len() > 2);
        if !(joined && hull.flatness <= hull.bounding_radius) {
            return Err(DEGENERATE);
        }
        let [xx, yy, zz, xy, xz, yz] = *inertia;
        hull.inertia = SymMat3 { xx, yy, zz, xy, xz, yz };
        (hull.centroid, hull.volume, hull.radius) = (*centroid, *volume, *radius);
        hull.inradius += radius;
        hull.bounding_radius += radius;
        Ok(hull)
    }
}

impl ConvexData {
    fn of(convex: &Convex) -> Self {
        let hull = match convex {
            Convex::Hull(hull) => hull,
            Convex::HalfSpace(HalfSpace { normal }) => return Self::HalfSpace { normal: *normal },
            Convex::Mesh(mesh) => {
                return Self::Mesh {
                    vertices: mesh.vertices().to_vec(),
                    triangles: mesh.triangles().iter().map(|triangle| triangle.vertices).collect(),
                    dropped: mesh.dropped(),
                };
            }
        };
        let radius = hull.radius;
        match (hull.curve, hull.cuboid) {
            (Some(Curve::Cylinder { radius, half_height }), _) => {
                Self::Cylinder { radius, half_height, border_radius: hull.radius }
            }
            (Some(Curve::Cone { radius, height }), _) => Self::Cone { radius, height },
            (Some(Curve::Ellipsoid { half }), _) => Self::Ellipsoid { half },
            (None, Some(half)) if Hull::cuboid(half * 2.0).as_ref() == Ok(&**hull) => {
                Self::Cuboid { half }
            }
            _ if hull.vertices.len() == 1 => Self::Sphere { radius },
            _ if hull.vertices.len() == 2 => {
                Self::Capsule { radius, length: 2.0 * hull.vertices[1].y }
            }
            _ => Self::Polytope(PolytopeData::of(hull)),
        }
    }

    fn convex(&self) -> Result<Convex, SnapshotError> {
        let hull = match self {
            Self::Sphere { radius } => Hull::sphere(*radius)?,
            Self::Cuboid { half } => Hull::cuboid(*half * 2.0)?,
            Self::Capsule { radius, length } => Hull::capsule(*radius, *length)?,
            &Self::Cylinder { radius, half_height, border_radius: 0.0 } => {
                Hull::cylinder(radius, 2.0 * half_height)?
            }
            &Self::Cylinder { radius, half_height, border_radius } => {
                Hull::round_cylinder(radius, 2.0 * half_height, border_radius)?
            }
            Self::Cone { radius, height } => Hull::cone(*radius, *height)?,
            Self::Ellipsoid { half } => Hull::ellipsoid(*half * 2.0)?,
            Self::Polytope(polytope) => polytope.hull()?,
            &Self::HalfSpace { normal } => {
                let unit = (normal.length_squared() - 1.0).abs() <= UNIT;
                let plane = unit.then_some(Convex::HalfSpace(HalfSpace { normal }));
                return plane.ok_or(ShapeError::BadNormal.into());
            }
            Self::Mesh { vertices, triangles, dropped } => {
                // As a check: what was a mesh is one again, with the same triangles.
                let mesh = Mesh::new(vertices, triangles)?;
                let same = mesh.vertices() == vertices && mesh.len() == triangles.len();
                let mesh = same.then(|| Mesh::assemble(vertices.clone(), triangles, *dropped));
                return mesh.map(|mesh| Convex::Mesh(Arc::new(mesh))).ok_or(DEGENERATE);
            }
        };
        Ok(Convex::Hull(Arc::new(hull)))
    }
}

impl From<&Shape> for ShapeData {
    fn from(shape: &Shape) -> Self {
        let data = |piece: &Piece| {
            let pose = (piece.position, piece.rotation);
            let pose = (pose != (Vec3::ZERO, Quat::IDENTITY)).then_some(pose);
            PieceData { pose, convex: ConvexData::of(&piece.convex) }
        };
        Self(shape.pieces().iter().map(data).collect())
    }
}

impl TryFrom<&ShapeData> for Shape {
    type Error = SnapshotError;

    fn try_from(ShapeData(pieces): &ShapeData) -> Result<Self, SnapshotError> {
        let made = pieces.iter().enumerate().map(|(index, data)| {
            let PieceData { pose, convex } = data;
            let (position, rotation) = pose.unwrap_or((Vec3::ZERO, Quat::IDENTITY));
            let turned = (rotation.length_squared() - 1.0).abs() <= UNIT;
            let near = position.is_finite() && position.abs().max_element() <= LENGTH_MAX;
            let convex = convex.convex()?;
            match convex {
                _ if !(turned && near) => Err(ShapeError::BadPose { index }.into()),
                Convex::HalfSpace(_) if pieces.len() > 1 => {
                    Err(ShapeError::HalfSpaceInCompound { index }.into())
                }
                Convex::Mesh(_) if pieces.len() > 1 => {
                    Err(ShapeError::MeshInCompound { index }.into())
                }
                convex => Ok(Piece { convex, position, rotation }),
            }
        });
        let pieces = made.collect::<Result<Vec<_>, SnapshotError>>()?;
        if pieces.is_empty() {
            return Err(ShapeError::EmptyCompound.into());
        }
        Ok(Self { pieces: pieces.into() })
    }
}

#[cfg(feature = "serialize")]
mod serde_of_shapes {
    use super::{Shape, ShapeData};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    impl Serialize for Shape {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            ShapeData::from(self).serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Shape {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let data = ShapeData::deserialize(deserializer)?;
            Self::try_from(&data).map_err(de::Error::custom)
        }
    }
}
