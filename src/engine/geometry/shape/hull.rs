//! Convex hulls: the convex pieces of every shape.
//!
//! A hull is the Minkowski sum of a core and a ball: `{ x : A x ≤ 1 } ⊕ B(radius)`, in a frame whose origin
//! is the centroid. A sphere is one vertex and a radius, a capsule two vertices and a radius; a polytope
//! proper has radius 0. Instead of a polytope the core may be a smooth [`Curve`]; such a hull has one
//! vertex, a stand-in at the centroid, and no edges; its faces are its flat caps, with empty loops.

use core::ops::Range;
use std::sync::LazyLock;

use super::build::{assemble, assemble_closed, corners, lanes, placed, skeleton};
use super::curve::Curve;
use super::error::{ShapeError, checked_length};
use crate::math::{Double, PI_DOUBLE, Real, SymMat3, Vec3, narrow, widen};

/// Marks a missing face of an [`Edge`] (the core segment of a capsule has none).
pub const NO_FACE: u32 = u32::MAX;

/// A face of the polytope: the plane `normal · x = offset`, `offset > 0` (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vec3,
    /// Distance of the plane from the centroid (m), without the rounding radius.
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

/// A side of a face: `normal · x ≤ offset` for the points `x` of the face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Unit vector in the plane of the face, outward from the side.
    pub normal: Vec3,
    /// Distance of the side from the centroid along it (m).
    pub offset: Real,
}

/// An edge as seen from one of its ends, with the other end and any face there, or from a face, with the
/// vertex where it begins and the face across.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spoke {
    pub(crate) vertex: u32,
    pub(crate) edge: u32,
    pub(crate) face: u32,
    /// Where the vertex is (m).
    pub(crate) at: Vec3,
}

/// A convex polytope, possibly rounded, about its centroid. What a moving pair asks for comes first, and
/// what is asked for together lies together: it waits for memory more than it computes.
#[repr(C)]
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// The vertices again, coordinate by coordinate, padded to a multiple of [`LANES`] with copies
    /// of vertex 0, for the support scan: `lanes[k] = [x; LANES], [y; LANES], [z; LANES]`.
    pub(crate) lanes: Vec<[[Real; LANES]; 3]>,
    /// See `neighbors`.
    pub(crate) neighbor_start: Vec<u32>,
    /// What is at each vertex, in the order of `neighbors` and `vertex_faces`.
    pub(crate) spokes: Vec<Spoke>,
    /// Faces with coplanar neighbors merged.
    pub(crate) faces: Vec<Face>,
    /// Sides of the faces, in the order of `face_vertices`.
    pub(crate) loop_edges: Vec<Spoke>,
    /// Edges, sorted by their vertices.
    pub(crate) edges: Vec<Edge>,
    /// Vertices of the polytope about the centroid (m).
    pub(crate) vertices: Vec<Vec3>,
    /// How far merged faces are from convex polygons, off their planes and within (m).
    pub(crate) flatness: Real,
    /// Half lengths of the core (m), if it is a box along the axes with corners in binary order.
    pub(crate) cuboid: Option<Vec3>,
    /// The core, if it is no polytope.
    pub(crate) curve: Option<Curve>,
    /// Rounding radius (m).
    pub(crate) radius: Real,
    /// Radius of a ball about the centroid inside the rounded hull (m).
    pub(crate) inradius: Real,
    /// Radius of a ball about the centroid around the rounded hull (m).
    pub(crate) bounding_radius: Real,
    /// The line of each side of a face within its plane, in the order of `face_vertices`.
    pub(crate) loop_sides: Vec<Side>,
    /// Vertex loops of the faces, counterclockwise seen from outside.
    pub(crate) face_vertices: Vec<u32>,
    /// `neighbors[neighbor_start[i]..neighbor_start[i + 1]]`: vertices joined to vertex `i` by an edge.
    pub(crate) neighbors: Vec<u32>,
    /// `vertex_faces[neighbor_start[i]..neighbor_start[i + 1]]`: the faces that meet in vertex `i`,
    /// as many as edges; empty without faces.
    pub(crate) vertex_faces: Vec<u32>,
    /// The centroid in the frame in which the points were given (m).
    pub(crate) centroid: Vec3,
    /// Volume (m³).
    pub(crate) volume: Real,
    /// Inertia about the centroid per unit density (m⁵).
    pub(crate) inertia: SymMat3,
}

/// The cube: every box has its faces and edges, which take longer to pair than to copy.
static CUBE: LazyLock<Option<Hull>> = LazyLock::new(|| {
    let loops =
        [[0, 1, 5, 4], [0, 2, 3, 1], [0, 4, 6, 2], [1, 3, 7, 5], [2, 6, 7, 3], [4, 5, 7, 6]];
    assemble(corners(Vec3::ONE).collect(), &loops.map(|l| l.to_vec()))
});

/// Width of the lanes of vertices: masks of more than a register of plain x86-64 are packed and unpacked.
pub const LANES: usize = 4;

impl Hull {
    /// The convex hull of points (m); the order of the vertices is that of the points.
    ///
    /// The hull is built in double precision, exactly on a grid of 1e-9 of the size. What is closer together
    /// than 1e-6 of the size (extent plus largest coordinate) is merged: nearly equal points, of which the
    /// first stays, and nearly coplanar triangles, which become one face. Points inside faces and edges are
    /// dropped. No point given lies farther outside than 4e-6 of the size.
    ///
    /// # Errors
    /// Fewer than four points, a coordinate that is not finite or too large, or points in a plane,
    /// on a line or in one place.
    pub fn convex_hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        super::build::convex_hull(points)
    }

    /// A box with the given full lengths of its edges (m).
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn cuboid(size: Vec3) -> Result<Self, ShapeError> {
        checked_length("the x size of the cuboid", size.x)?;
        checked_length("the y size of the cuboid", size.y)?;
        checked_length("the z size of the cuboid", size.z)?;
        let cube = CUBE.clone().ok_or(ShapeError::Degenerate)?;
        let hull = placed(cube, corners(size * 0.5).collect()).ok_or(ShapeError::Degenerate)?;
        let volume = size.x * size.y * size.z;
        let square = size * size * (volume / 12.0);
        let [x, y, z] = square.to_array();
        let inertia = SymMat3::diagonal(Vec3::new(y + z, x + z, x + y));
        Ok(Self { volume, inertia, ..hull })
    }

    /// A ball.
    ///
    /// # Errors
    /// A radius (m) that is not positive, not finite or too large.
    pub fn sphere(radius: Real) -> Result<Self, ShapeError> {
        let r = widen(checked_length("the radius of the sphere", radius)?);
        let volume = 4.0 / 3.0 * PI_DOUBLE * r * r * r;
        let inertia = SymMat3::diagonal(Vec3::splat(narrow(0.4 * volume * r * r)));
        Ok(Self::rounded_core(vec![Vec3::ZERO], Vec::new(), radius, volume, inertia))
    }

    /// A capsule along y: all points within `radius` (m) of a segment of the full length `length` (m).
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn capsule(radius: Real, length: Real) -> Result<Self, ShapeError> {
        let r = widen(checked_length("the radius of the capsule", radius)?);
        let l = widen(checked_length("the length of the capsule", length)?);
        let cylinder = PI_DOUBLE * r * r * l;
        let ball = 4.0 / 3.0 * PI_DOUBLE * r * r * r;
        // Each half of the ball has its centroid 3/8 r beyond its end of the segment.
        let across = cylinder * (l * l / 12.0 + r * r / 4.0)
            + ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
        let along = cylinder * (0.5 * r * r) + ball * (0.4 * r * r);
        let inertia = SymMat3::diagonal(Vec3::new(narrow(across), narrow(along), narrow(across)));
        let end = Vec3::Y * (0.5 * length);
        let edge = Edge { vertices: [0, 1], faces: [NO_FACE; 2] };
        Ok(Self::rounded_core(vec![-end, end], vec![edge], radius, cylinder + ball, inertia))
    }

    /// A prism along z: the convex hull of `polygon` (m) in the xy plane, from `-thickness / 2` to
    /// `thickness / 2` (m).
    ///
    /// # Errors
    /// As [`convex_hull`](Self::convex_hull), whose points are those of the polygon at the lower
    /// end, then at the upper end; and a bad thickness.
    pub fn prism(polygon: &[[Real; 2]], thickness: Real) -> Result<Self, ShapeError> {
        let half = 0.5 * checked_length("the thickness of the prism", thickness)?;
        let at = |z: Real| polygon.iter().map(move |p| Vec3::new(p[0], p[1], z));
        Self::convex_hull(&at(-half).chain(at(half)).collect::<Vec<Vec3>>())
    }

    /// A triangle about its centroid, without volume: face 0 is its front, from which the corners run
    /// counterclockwise, face 1 its back; edge 0 joins corners 0 and 1, edge 1 joins 0 and 2, edge 2
    /// joins 1 and 2. None if it has no area.
    ///
    /// A triangle may be measured against hulls with volume, about a scaling center on it.
    pub(crate) fn triangle(corners: [Vec3; 3]) -> Option<Self> {
        let centroid = triangle_centroid(corners);
        let about = corners.map(|p| p - centroid).to_vec();
        let mut hull = assemble_closed(about, &[vec![0, 1, 2], vec![0, 2, 1]])?;
        hull.faces.iter_mut().for_each(|face| face.offset = 0.0);
        hull.inradius = 0.0;
        hull.centroid = centroid;
        Some(hull)
    }

    /// Is it a triangle without volume?
    #[inline]
    pub(crate) fn is_triangle(&self) -> bool {
        self.faces.len() == 2 && self.vertices.len() == 3
    }

    /// Is it a ball?
    #[inline]
    pub(crate) fn is_ball(&self) -> bool {
        self.vertices.len() == 1 && self.curve.is_none()
    }

    /// The last vertex of a ball or a capsule.
    #[inline]
    pub(crate) fn slim(&self) -> Option<u32> {
        let last = self.vertices.len() as u32 - 1;
        (last < 2 && self.curve.is_none()).then_some(last)
    }

    /// A point or segment about the origin, rounded.
    pub(super) fn rounded_core(
        vertices: Vec<Vec3>,
        edges: Vec<Edge>,
        radius: Real,
        volume: Double,
        inertia: SymMat3,
    ) -> Self {
        let core_radius = vertices.iter().map(|v| v.length()).fold(0.0, Real::max);
        let mut core = skeleton(vertices.len(), edges, &[]);
        core.set_vertices(vertices);
        Self {
            radius,
            inradius: radius,
            bounding_radius: core_radius + radius,
            volume: narrow(volume),
            inertia,
            ..core
        }
    }

    /// Sets the vertices (m) wherever they are kept.
    pub(crate) fn set_vertices(&mut self, vertices: Vec<Vec3>) {
        self.lanes = lanes(&vertices);
        for spoke in self.spokes.iter_mut().chain(&mut self.loop_edges) {
            spoke.at = vertices[spoke.vertex as usize];
        }
        self.vertices = vertices;
    }
}

/// The centroid of a triangle (m).
#[inline]
pub(crate) fn triangle_centroid([p, q, r]: [Vec3; 3]) -> Vec3 {
    (p + q + r) * (1.0 / 3.0)
}

/// What a hull consists of. All of it is in the frame whose origin is the centroid.
impl Hull {
    /// Vertices of the polytope (m).
    #[inline]
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Faces of the polytope, or flat caps; none for spheres, capsules and ellipsoids.
    #[inline]
    #[must_use]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Vertex indices of a face, counterclockwise seen from outside; empty if there is no such face.
    #[inline]
    #[must_use]
    pub fn face_loop(&self, face: u32) -> &[u32] {
        let Some(f) = self.faces.get(face as usize) else { return &[] };
        &self.face_vertices[f.start as usize..(f.start + f.len) as usize]
    }

    /// Edges of the polytope; a capsule has one.
    #[inline]
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Where the lists of what is at a vertex have that of one; empty if there is no such vertex.
    #[inline]
    fn range_at(&self, vertex: u32) -> Range<usize> {
        let i = vertex as usize;
        let ends = self.neighbor_start.get(i..i + 2).unwrap_or(&[0, 0]);
        ends[0] as usize..ends[1] as usize
    }

    /// A vertex, from where a scan has just been (m).
    #[inline(always)]
    pub(crate) fn corner(&self, vertex: u32) -> Vec3 {
        let ([x, y, z], k) = (&self.lanes[vertex as usize / LANES], vertex as usize % LANES);
        Vec3::new(x[k], y[k], z[k])
    }

    /// What is at a vertex; nothing if there is no such vertex or no edge.
    #[inline(always)]
    pub(crate) fn spokes(&self, vertex: u32) -> &[Spoke] {
        &self.spokes[self.range_at(vertex)]
    }

    /// Vertices joined to a vertex by an edge, ascending; empty if there is no such vertex.
    #[inline]
    #[must_use]
    pub fn neighbors(&self, vertex: u32) -> &[u32] {
        &self.neighbors[self.range_at(vertex)]
    }

    /// Faces that meet in a vertex, ascending; empty if there is no such vertex or no faces.
    #[inline]
    #[must_use]
    pub fn faces_at(&self, vertex: u32) -> &[u32] {
        self.vertex_faces.get(self.range_at(vertex)).unwrap_or(&[])
    }

    /// The plane of a face as the row `a` of `A x ≤ 1` [1/m]: normal divided by offset, without the
    /// rounding radius.
    #[inline]
    #[must_use]
    pub fn plane(&self, face: u32) -> Option<Vec3> {
        self.faces.get(face as usize).map(|f| f.normal / f.offset)
    }

    /// Largest distance of a face's vertices from a convex polygon in its plane (m): what merging
    /// nearly coplanar triangles has left.
    #[inline]
    #[must_use]
    pub fn flatness(&self) -> Real {
        self.flatness
    }

    /// Rounding radius (m).
    #[inline]
    #[must_use]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Radius of a ball about the centroid inside the rounded hull (m).
    #[inline]
    #[must_use]
    pub fn inradius(&self) -> Real {
        self.inradius
    }

    /// Radius of a ball about the centroid around the rounded hull (m).
    #[inline]
    #[must_use]
    pub fn bounding_radius(&self) -> Real {
        self.bounding_radius
    }

    /// The centroid in the frame in which the points were given (m).
    #[inline]
    #[must_use]
    pub fn centroid(&self) -> Vec3 {
        self.centroid
    }

    /// Volume (m³).
    #[inline]
    #[must_use]
    pub fn volume(&self) -> Real {
        self.volume
    }

    /// Inertia about the centroid per unit density (m⁵).
    #[inline]
    #[must_use]
    pub fn inertia(&self) -> SymMat3 {
        self.inertia
    }
}
