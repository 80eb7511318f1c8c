//! Meshes: vertices and triangles → surfaces of bodies that do not move by impulses.
//!
//! A mesh is one-sided: its triangles are counterclockwise seen from the side that others touch. It
//! is one piece of a shape, and each of its triangles has a piece number of its own, so that a pair
//! is a hull and a triangle. What a triangle may do at its edges and corners depends on its
//! neighbors; `adjacency` works that out once, so that a contact never gets a normal that the surface
//! does not have there: those ghosts are what bodies trip over at the edges inside of a flat floor.
//!
//! Triangles are found by a tree of boxes; a height field (`field`) is a mesh like others. Queries of
//! one triangle (closest point, ray) are in `triangle`.
//!
//! Cost: O(n log n) once, about 140 bytes a triangle. Not done: meshes of bodies that move by
//! impulses, holes closed at T-junctions, changes of single vertices.

mod adjacency;
mod field;
mod triangle;

use hashbrown::HashMap;

pub use self::adjacency::{Bend, MeshEdge};
pub use self::triangle::{closest_on_triangle, ray_triangle};

use self::adjacency::Adjacency;
use super::build::extent;
use super::error::{ShapeError, check_points};
use super::limits::LENGTH_MIN;
use crate::engine::geometry::bvh::Bvh;
use crate::math::aabb::Aabb;
use crate::math::{DVec3, Double, Mat3, Real, Vec3, narrow, narrow3, widen, widen3};

/// Vertices nearer to each other than about this fraction of the mesh's size are one, and triangles
/// thinner than that are dropped.
const MERGE_FRACTION: Double = 1e-6;

/// No triangle lies beyond an edge.
pub const NO_TRIANGLE: u32 = u32::MAX;

/// A triangle of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshTriangle {
    /// Indices of its vertices, counterclockwise seen from the front.
    pub vertices: [u32; 3],
    /// Unit normal of the front.
    pub normal: Vec3,
    /// What lies beyond its edges; edge `k` runs from corner `k` to corner `k + 1`.
    pub edges: [MeshEdge; 3],
    /// Bit `k`: all edges that end in corner `k` are flat, so that nothing can touch there that does
    /// not touch beside it.
    pub(crate) flat_corners: u8,
}

/// A surface of triangles in the frame of its shape.
#[derive(Clone, Debug)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    triangles: Vec<MeshTriangle>,
    /// `star[star_start[v]..star_start[v + 1]]`: vertices joined to vertex `v` by an edge.
    star: Vec<u32>,
    star_start: Vec<u32>,
    tree: Bvh,
    bounds: Aabb,
    bounding_radius: Real,
    dropped: u32,
}

impl PartialEq for Mesh {
    /// The rest follows from vertices and triangles.
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}

impl Mesh {
    /// A mesh from vertices (m) and triangles, counterclockwise seen from the side that others touch.
    ///
    /// Vertices that coincide to about 1e-6 of the size are merged, so that triangles given with
    /// vertices of their own are neighbors; triangles without area are dropped and counted.
    ///
    /// # Errors
    /// No triangle with area, a vertex that is not finite or too far out, or an index beyond the
    /// vertices; the error says which.
    pub fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        check_points(vertices)?;
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
                return Err(ShapeError::NoSuchVertex { triangle, vertex });
            }
        }
        let (_, extent) = extent(vertices);
        if vertices.len() >= 3 && extent < widen(LENGTH_MIN) {
            return Err(ShapeError::Coincident { extent: narrow(extent) });
        }
        let thinnest = MERGE_FRACTION * extent;
        let (kept, number) = merged(vertices, thinnest);
        let renumbered = triangles.iter().map(|t| t.map(|v| number[v as usize]));
        let with_area: Vec<[u32; 3]> =
            renumbered.filter(|t| height_of(t.map(|v| kept[v as usize])) > thinnest).collect();
        if with_area.is_empty() {
            return Err(ShapeError::NoTriangles { given: triangles.len() });
        }
        let dropped = (triangles.len() - with_area.len()) as u32;
        Ok(Self::assemble(kept, &with_area, dropped))
    }

    /// A surface over a grid in the xz plane about the origin, y up: `heights[i][k]`, times
    /// `scale.y`, at `x = (i / (n_x - 1) - ½) scale.x`, `z = (k / (n_z - 1) - ½) scale.z` (m). Cells
    /// are cut along the diagonal from `(i, k)` to `(i + 1, k + 1)`.
    ///
    /// # Errors
    /// Less than two heights along an axis, rows of unlike lengths, a height that is not finite or
    /// too far out, or a scale that is not positive.
    pub fn heightfield(heights: &[Vec<Real>], scale: Vec3) -> Result<Self, ShapeError> {
        field::heightfield(heights, scale)
    }

    /// A mesh of triangles with area.
    pub(crate) fn assemble(vertices: Vec<Vec3>, triangles: &[[u32; 3]], dropped: u32) -> Self {
        let normal = |t: &[u32; 3]| {
            let [p, q, r] = t.map(|v| widen3(vertices[v as usize]));
            (q - p).cross(r - p).normalize_or_zero()
        };
        let normals: Vec<DVec3> = triangles.iter().map(normal).collect();
        let Adjacency { edges, flat_corners, star, star_start } =
            Adjacency::new(&vertices, triangles, &normals);
        let bounds = vertices.iter().fold(Aabb::EMPTY, |b, &v| b.union(Aabb { min: v, max: v }));
        let bounding_radius = vertices.iter().map(|v| v.length()).fold(0.0, Real::max);
        let boxes = triangles.iter().map(|t| box_of(t.map(|v| vertices[v as usize])));
        let tree = Bvh::build(&boxes.collect::<Vec<_>>());
        let of = |(i, &vertices): (usize, &[u32; 3])| {
            let (normal, edges) = (narrow3(normals[i]), edges[i]);
            MeshTriangle { vertices, normal, edges, flat_corners: flat_corners[i] }
        };
        let triangles = triangles.iter().enumerate().map(of).collect();
        Self { vertices, triangles, star, star_start, tree, bounds, bounding_radius, dropped }
    }

    /// The mesh stretched along the axes of its frame. Negative factors mirror it; its front stays its front.
    ///
    /// # Errors
    /// A factor that leaves no triangles with area, or moves a vertex too far out.
    pub fn scaled(&self, factor: Vec3) -> Result<Self, ShapeError> {
        let vertices: Vec<Vec3> = self.vertices.iter().map(|&v| v * factor).collect();
        let mirrored = factor.x * factor.y * factor.z < 0.0;
        let turned = |t: &MeshTriangle| {
            let [a, b, c] = t.vertices;
            if mirrored { [a, c, b] } else { [a, b, c] }
        };
        Self::new(&vertices, &self.triangles.iter().map(turned).collect::<Vec<_>>())
    }

    /// Number of triangles.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// False: a mesh has triangles.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The vertices (m).
    #[inline]
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles, in the order given, without those that had no area.
    #[inline]
    #[must_use]
    pub fn triangles(&self) -> &[MeshTriangle] {
        &self.triangles
    }

    /// The corners of a triangle (m), counterclockwise seen from the front.
    #[inline]
    #[must_use]
    pub fn triangle(&self, index: u32) -> [Vec3; 3] {
        self.triangles[index as usize].vertices.map(|v| self.vertices[v as usize])
    }

    /// Vertices joined to a vertex by an edge, ascending.
    #[inline]
    #[must_use]
    pub fn star(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.star[self.star_start[v] as usize..self.star_start[v + 1] as usize]
    }

    /// Number of triangles left out because they had no area.
    #[inline]
    #[must_use]
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }

    /// Radius of a ball about the origin of the frame around the mesh (m).
    #[inline]
    #[must_use]
    pub const fn bounding_radius(&self) -> Real {
        self.bounding_radius
    }

    /// Box around the mesh in its own frame (m).
    #[inline]
    #[must_use]
    pub const fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Box around the mesh when its frame has this pose (m): that of its box.
    #[must_use]
    pub fn aabb(&self, position: Vec3, rotation: Mat3) -> Aabb {
        self.bounds.turned(position, rotation)
    }

    /// Box around a triangle in the frame of the mesh (m).
    #[must_use]
    pub fn triangle_box(&self, index: u32) -> Aabb {
        box_of(self.triangle(index))
    }

    /// The tree over the boxes of the triangles.
    #[inline]
    #[must_use]
    pub const fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Calls `visit` with every triangle whose box meets this one, which is in the frame of the mesh.
    /// The order is fixed, but no particular one.
    pub fn overlaps(&self, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        self.tree.overlaps(bounds, |index| {
            // A leaf is told as a whole.
            if self.triangle_box(index).meets(*bounds) {
                visit(index);
            }
        });
    }

    /// The first triangle that the ray `origin + t direction`, `0 ≤ t ≤ reach`, meets in the frame of the
    /// mesh: `t`, the triangle, and whether the ray comes from its front. The first one of equals.
    #[must_use]
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        reach: Real,
    ) -> Option<(Real, u32, bool)> {
        let mut best = None;
        self.tree.cast_ray(origin, direction, reach, |index, limit| {
            let Some((t, front)) = ray_triangle(origin, direction, limit, self.triangle(index))
            else {
                return limit;
            };
            let earlier = |&(s, known, _): &(Real, u32, bool)| (t, index) < (s, known);
            if best.as_ref().is_none_or(earlier) {
                best = Some((t, index, front));
            }
            t
        });
        best
    }

    /// The point of the mesh nearest to a point (m); none if that is not finite.
    #[must_use]
    pub fn project(&self, point: Vec3) -> Option<Vec3> {
        let mut best = None;
        self.tree.nearest(point, Real::INFINITY, |index, limit| {
            let at = closest_on_triangle(point, self.triangle(index)).0;
            let distance = at.distance(point);
            if distance >= limit {
                return limit;
            }
            best = Some(at);
            distance
        });
        best
    }
}

/// Box around a triangle (m).
fn box_of([p, q, r]: [Vec3; 3]) -> Aabb {
    Aabb { min: p.min(q).min(r), max: p.max(q).max(r) }
}

/// The least height of a triangle (m).
fn height_of(corners: [Vec3; 3]) -> Double {
    let [p, q, r] = corners.map(widen3);
    let longest = (q - p).length().max((r - q).length()).max((p - r).length());
    if longest > 0.0 { (q - p).cross(r - p).length() / longest } else { 0.0 }
}

/// The vertices without those within `tolerance` of an earlier one that stays, and the number that
/// each vertex has among them.
///
/// Vertices in one cell of half the tolerance are one, and so are those within a quarter of it
/// across the border of two cells. Cost O(n).
fn merged(vertices: &[Vec3], tolerance: Double) -> (Vec<Vec3>, Vec<u32>) {
    let cell = 0.5 * tolerance;
    let near = 0.25 * tolerance;
    let cell_of = |p: DVec3| [p.x, p.y, p.z].map(|x| (x / cell).floor() as i64);
    let mut first_in: HashMap<[i64; 3], u32> = HashMap::with_capacity(vertices.len());
    let mut kept: Vec<Vec3> = Vec::with_capacity(vertices.len());
    let mut number = Vec::with_capacity(vertices.len());
    for &v in vertices {
        let at = widen3(v);
        let mut found = first_in.get(&cell_of(at)).copied();
        for corner in 0..8_u8 {
            let side = |bit: u8| if corner >> bit & 1 == 1 { near } else { -near };
            let beside = at + DVec3::new(side(0), side(1), side(2));
            if found.is_none()
                && let Some(&k) = first_in.get(&cell_of(beside))
                && widen3(kept[k as usize]).distance_squared(at) <= near * near
            {
                found = Some(k);
            }
        }
        number.push(found.unwrap_or_else(|| {
            let k = kept.len() as u32;
            kept.push(v);
            first_in.insert(cell_of(at), k);
            k
        }));
    }
    (kept, number)
}
