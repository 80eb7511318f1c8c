//! Which normals a triangle of a mesh can give.
//!
//! Input: a triangle, the corners of it that touch, and a normal from it to the other body. Output: the
//! nearest normal that the surface has there. That is the normal of the face, leaning over an edge only if
//! the surface falls away beyond it, and no farther than to the neighbor's normal; over the rim of a sheet up
//! to sideways. At a corner every plane will do that has the whole surface around the corner below it.
//!
//! A normal outside of that belongs to a contact that a neighbor makes better: inside of a flat floor
//! a ball rolls over an edge as if there were none. Cost: O(edges at a corner).

use crate::engine::geometry::ratio;
use crate::engine::geometry::shape::mesh::{Bend, Mesh, MeshTriangle};
use crate::engine::tuning::exposed::RISE;
use crate::math::Vec3;

/// The unit normal nearest to `normal` that the surface has where this triangle touches with these
/// of its corners, and whether that is another one. In the frame of the mesh.
#[must_use]
pub fn exposed_normal(
    mesh: &Mesh,
    index: u32,
    normal: Vec3,
    corners: &ratio::Feature,
) -> (Vec3, bool) {
    let triangle = &mesh.triangles()[index as usize];
    match (corners.len, corners.ids) {
        (1, [corner, ..]) if corner < 3 => at_corner(mesh, triangle, normal, corner as usize),
        (2, [i, j, _]) if i < 3 && j < 3 => {
            let edge = if (i + 1) % 3 == j { i } else { j } as usize;
            let lean = Lean::new(mesh, triangle, edge);
            let nearest = lean.nearest(normal, true);
            (nearest, nearest != normal)
        }
        _ => (triangle.normal, false),
    }
}

/// The normals over an edge: from that of the triangle to the last one.
struct Lean {
    normal: Vec3,
    /// In the plane of the triangle, outward from the edge.
    outward: Vec3,
    /// The last normal; none if there is no lean.
    last: Option<Vec3>,
}

impl Lean {
    fn new(mesh: &Mesh, triangle: &MeshTriangle, edge: usize) -> Self {
        let normal = triangle.normal;
        let outward = outward(mesh, triangle, edge);
        let last = match triangle.edges[edge].bend {
            Bend::Flat | Bend::Concave => None,
            Bend::Boundary => Some(outward),
            Bend::Convex => {
                let neighbor = triangle.edges[edge].neighbor;
                mesh.triangles().get(neighbor as usize).map(|beyond| beyond.normal)
            }
        };
        Self { normal, outward, last }
    }

    /// The nearest normal of the lean; `kept` returns one between the ends as it is, else its part
    /// across the edge.
    fn nearest(&self, normal: Vec3, kept: bool) -> Vec3 {
        let Some(last) = self.last else { return self.normal };
        let (x, y) = (normal.dot(self.normal), normal.dot(self.outward));
        let (last_x, last_y) = (last.dot(self.normal), last.dot(self.outward));
        if y <= 0.0 {
            return self.normal;
        }
        if last_x * y - last_y * x > 0.0 {
            return last;
        }
        if kept {
            return normal;
        }
        (self.normal * x + self.outward * y).normalize_or(self.normal)
    }
}

/// Unit vector in the plane of a triangle, outward from an edge.
pub fn outward(mesh: &Mesh, triangle: &MeshTriangle, edge: usize) -> Vec3 {
    let [from, to] = [edge, (edge + 1) % 3].map(|k| mesh.vertices()[triangle.vertices[k] as usize]);
    (to - from).cross(triangle.normal).normalize_or_zero()
}

fn at_corner(mesh: &Mesh, triangle: &MeshTriangle, normal: Vec3, corner: usize) -> (Vec3, bool) {
    if triangle.flat_corners >> corner & 1 == 1 {
        return (triangle.normal, true);
    }
    let vertex = triangle.vertices[corner];
    let at = mesh.vertices()[vertex as usize];
    let below = |&other: &u32| {
        let along = mesh.vertices()[other as usize] - at;
        normal.dot(along) <= RISE * along.length()
    };
    if normal.dot(triangle.normal) >= 0.0 && mesh.star(vertex).iter().all(below) {
        return (normal, false);
    }
    let mut best = triangle.normal;
    for edge in [corner, (corner + 2) % 3] {
        let nearest = Lean::new(mesh, triangle, edge).nearest(normal, false);
        if nearest.dot(normal) > best.dot(normal) {
            best = nearest;
        }
    }
    (best, true)
}
