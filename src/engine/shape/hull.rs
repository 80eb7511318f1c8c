//! Convex hulls: the convex pieces of every shape.
//!
//! A hull is the Minkowski sum of a polytope and a ball: `{ x : A x ≤ 1 } ⊕ B(radius)`, in a frame whose
//! origin is the centroid. A sphere is one vertex and a radius, a capsule two vertices and a radius;
//! a polytope proper has radius 0.

use crate::math::{Real, SymMat3, Vec3};

/// Marks a missing face of an [`Edge`] (the core segment of a capsule has none).
pub const NO_FACE: u32 = u32::MAX;

/// A face of the polytope: the plane `normal · x = offset`, `offset > 0` [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vec3,
    /// Distance of the plane from the centroid [m], without the rounding radius.
    pub offset: Real,
    /// Start of this face's loop in the list of face vertices.
    pub start: u32,
    /// Number of vertices of the loop.
    pub len: u32,
}

/// An edge between two vertices, with the two faces that meet in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Vertex indices, ascending.
    pub vertices: [u32; 2],
    /// Face indices, ascending; [`NO_FACE`] for the segment of a capsule.
    pub faces: [u32; 2],
}

/// A convex polytope, possibly rounded, about its centroid.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// Vertices of the polytope about the centroid [m].
    pub(crate) vertices: Vec<Vec3>,
    /// The vertices again, coordinate by coordinate, padded to a multiple of [`LANES`] with copies of
    /// vertex 0, for the support scan: `lanes[k] = [x; LANES], [y; LANES], [z; LANES]`.
    pub(crate) lanes: Vec<[[Real; LANES]; 3]>,
    /// Faces with coplanar neighbors merged.
    pub(crate) faces: Vec<Face>,
    /// Vertex loops of the faces, counterclockwise seen from outside.
    pub(crate) face_vertices: Vec<u32>,
    /// Edges, sorted by their vertices.
    pub(crate) edges: Vec<Edge>,
    /// `neighbors[neighbor_start[i]..neighbor_start[i + 1]]`: vertices joined to vertex `i` by an edge.
    pub(crate) neighbors: Vec<u32>,
    /// See `neighbors`.
    pub(crate) neighbor_start: Vec<u32>,
    /// Rounding radius [m].
    pub(crate) radius: Real,
    /// Radius of a ball about the centroid inside the rounded hull [m].
    pub(crate) inradius: Real,
    /// Radius of a ball about the centroid around the rounded hull [m].
    pub(crate) bounding_radius: Real,
    /// The centroid in the frame in which the points were given [m].
    pub(crate) centroid: Vec3,
    /// Volume [m³].
    pub(crate) volume: Real,
    /// Inertia about the centroid per unit density [m⁵].
    pub(crate) inertia: SymMat3,
}

/// Width of the support scan.
pub const LANES: usize = 8;
