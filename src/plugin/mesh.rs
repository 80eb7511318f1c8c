//! Colliders from Bevy's meshes (feature `mesh`).

use bevy_mesh::{Indices, Mesh, MeshAccessError, PrimitiveTopology, VertexAttributeValues};

use super::collider::Collider;
use super::decomposition::ConvexDecomposition;
use crate::engine::shape::{Shape, ShapeError};
use crate::math::{Vec3, from_single3};

/// Why a mesh makes no collider.
///
/// ```
/// use bevy_asset::RenderAssetUsages;
/// use bevy_mesh::{Mesh, PrimitiveTopology};
/// use orthant::plugin::MeshColliderError;
/// use orthant::prelude::*;
///
/// let lines = Mesh::new(PrimitiveTopology::LineList, RenderAssetUsages::default());
/// let error = Collider::trimesh_from_mesh(&lines).expect_err("it has no triangles");
/// assert_eq!(error, MeshColliderError::NoPositions);
/// println!("{error}");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeshColliderError {
    /// The data of the mesh went to the render world: add `MAIN_WORLD` to its `asset_usage`.
    Extracted,
    /// The mesh has no attribute `Mesh::ATTRIBUTE_POSITION` of three 32-bit numbers.
    NoPositions,
    /// The mesh consists of lines or points.
    Topology(PrimitiveTopology),
    /// This index names no vertex.
    NoVertex(u32),
    /// The number of indices, or of vertices without them, of a list of triangles is not a multiple of
    /// three.
    Incomplete(usize),
    /// The engine refused the shape.
    Shape(ShapeError),
}

impl core::fmt::Display for MeshColliderError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Extracted => write!(
                f,
                "the mesh is in the render world only: add RenderAssetUsages::MAIN_WORLD to its \
                 asset_usage"
            ),
            Self::NoPositions => {
                write!(f, "the mesh has no Mesh::ATTRIBUTE_POSITION of the format Float32x3")
            }
            Self::Topology(topology) => {
                write!(f, "a mesh of {topology:?} has no triangles to touch")
            }
            Self::NoVertex(index) => write!(f, "the mesh has no vertex {index}"),
            Self::Incomplete(count) => {
                write!(f, "{count} corners are no whole number of triangles")
            }
            Self::Shape(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for MeshColliderError {}

impl From<ShapeError> for MeshColliderError {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

impl Collider {
    /// The convex hull of the vertices of a mesh.
    ///
    /// # Errors
    /// The mesh has no readable positions, or they have no hull with volume.
    pub fn convex_hull_from_mesh(mesh: &Mesh) -> Result<Self, MeshColliderError> {
        Ok(Self::from(Shape::convex_hull(&positions(mesh)?)?))
    }

    /// The triangles of a mesh, for bodies that do not move.
    ///
    /// # Errors
    /// The mesh has no readable positions or no triangles, or the engine refuses them.
    pub fn trimesh_from_mesh(mesh: &Mesh) -> Result<Self, MeshColliderError> {
        let vertices = positions(mesh)?;
        let triangles = triangles(mesh, vertices.len())?;
        Ok(Self::from(Shape::trimesh(&vertices, &triangles)?))
    }

    /// Convex pieces that together fill a mesh nearly, for bodies that move, at once; see
    /// [`convex_decomposition`](Self::convex_decomposition), and
    /// [`ConvexDecomposition::from_mesh`](super::ConvexDecomposition::from_mesh) for the background.
    ///
    /// # Errors
    /// As [`trimesh_from_mesh`](Self::trimesh_from_mesh), and a mesh of which no piece has volume.
    pub fn convex_decomposition_from_mesh(mesh: &Mesh) -> Result<Self, MeshColliderError> {
        let vertices = positions(mesh)?;
        let triangles = triangles(mesh, vertices.len())?;
        Ok(Self::convex_decomposition(vertices, triangles)?)
    }
}

impl ConvexDecomposition {
    /// Of the triangles of a mesh.
    ///
    /// # Errors
    /// The mesh has no readable positions or no triangles.
    pub fn from_mesh(mesh: &Mesh) -> Result<Self, MeshColliderError> {
        let vertices = positions(mesh)?;
        let triangles = triangles(mesh, vertices.len())?;
        Ok(Self::new(vertices, triangles))
    }
}

/// The vertices (m).
fn positions(mesh: &Mesh) -> Result<Vec<Vec3>, MeshColliderError> {
    match mesh.try_attribute_option(Mesh::ATTRIBUTE_POSITION) {
        Ok(Some(VertexAttributeValues::Float32x3(list))) => {
            Ok(list.iter().map(|&p| from_single3(p.into())).collect())
        }
        Ok(_) | Err(MeshAccessError::NotFound) => Err(MeshColliderError::NoPositions),
        Err(MeshAccessError::ExtractedToRenderWorld) => Err(MeshColliderError::Extracted),
    }
}

/// The triangles as indices of vertices, counterclockwise from outside.
fn triangles(mesh: &Mesh, vertices: usize) -> Result<Vec<[u32; 3]>, MeshColliderError> {
    let corners: Vec<u32> = match mesh.try_indices() {
        Ok(Indices::U16(list)) => list.iter().map(|&i| u32::from(i)).collect(),
        Ok(Indices::U32(list)) => list.clone(),
        Err(MeshAccessError::NotFound) => (0_u32..).take(vertices).collect(),
        Err(MeshAccessError::ExtractedToRenderWorld) => return Err(MeshColliderError::Extracted),
    };
    if let Some(&index) = corners.iter().find(|&&index| index as usize >= vertices) {
        return Err(MeshColliderError::NoVertex(index));
    }
    match mesh.primitive_topology() {
        PrimitiveTopology::TriangleList => {
            let (triangles, rest) = corners.as_chunks::<3>();
            let whole = rest.is_empty().then(|| triangles.to_vec());
            whole.ok_or(MeshColliderError::Incomplete(corners.len()))
        }
        // Every other triangle of a strip is turned over.
        PrimitiveTopology::TriangleStrip => {
            let turned = |(i, c): (usize, &[u32])| {
                if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] }
            };
            let whole = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
            Ok(corners.windows(3).enumerate().map(turned).filter(whole).collect())
        }
        topology => Err(MeshColliderError::Topology(topology)),
    }
}
