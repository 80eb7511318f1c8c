//! What lies beyond the edges of triangles: vertices and triangles → bends and stars.
//!
//! Two triangles are neighbors if an edge of one runs along an edge of the other the other way. An
//! edge that more than two share is paired in the order of the triangles; what is left over counts
//! as a boundary, and so does an edge that two triangles run the same way.

use crate::math::{DVec3, Double, Vec3, widen3};

use super::NO_TRIANGLE;
use crate::engine::geometry::shape::build::neighbor_lists;

/// Sine of the angle below which two triangles lie in one plane.
const FLAT: Double = 1e-4;

/// How the surface bends at an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// The surface ends.
    Boundary,
    /// The surface falls away: a ridge.
    Convex,
    /// The surface goes on in the same plane.
    Flat,
    /// The surface rises: a valley.
    Concave,
}

/// What lies beyond an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshEdge {
    /// How the surface bends.
    pub bend: Bend,
    /// The triangle there, or [`NO_TRIANGLE`](super::NO_TRIANGLE).
    pub neighbor: u32,
}

/// See [`Mesh`](super::Mesh).
pub(super) struct Adjacency {
    pub(super) edges: Vec<[MeshEdge; 3]>,
    pub(super) flat_corners: Vec<u8>,
    pub(super) star: Vec<u32>,
    pub(super) star_start: Vec<u32>,
}

impl Adjacency {
    /// Cost O(n log n).
    pub(super) fn new(vertices: &[Vec3], triangles: &[[u32; 3]], normals: &[DVec3]) -> Self {
        // (lower vertex, upper vertex, runs downward, triangle, side)
        let mut half_edges = Vec::with_capacity(3 * triangles.len());
        for (t, corners) in (0_u32..).zip(triangles) {
            for k in 0..3 {
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                half_edges.push((from.min(to), from.max(to), from > to, t, k));
            }
        }
        half_edges.sort_unstable();
        let nothing = MeshEdge { bend: Bend::Boundary, neighbor: NO_TRIANGLE };
        let mut edges = vec![[nothing; 3]; triangles.len()];
        let mut flat = vec![true; vertices.len()];
        let mut joined = Vec::with_capacity(half_edges.len());
        for group in half_edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let (low, high) = (group[0].0, group[0].1);
            joined.push([low, high]);
            let (up, down) = group.split_at(group.partition_point(|h| !h.2));
            let along = widen3(vertices[high as usize]) - widen3(vertices[low as usize]);
            let along = along.normalize_or_zero();
            for (x, y) in up.iter().zip(down) {
                let (t, u) = (x.3, y.3);
                let bend = bend(normals[t as usize], normals[u as usize], along);
                edges[t as usize][x.4] = MeshEdge { bend, neighbor: u };
                edges[u as usize][y.4] = MeshEdge { bend, neighbor: t };
            }
            let all_flat = up.len() == down.len()
                && up.iter().all(|x| edges[x.3 as usize][x.4].bend == Bend::Flat);
            [low, high].into_iter().for_each(|v| flat[v as usize] &= all_flat);
        }
        let (star, star_start) = neighbor_lists(vertices.len(), joined.into_iter());
        let corners = |t: &[u32; 3]| (0..3).map(|k| u8::from(flat[t[k] as usize]) << k).sum();
        Self { edges, flat_corners: triangles.iter().map(corners).collect(), star, star_start }
    }
}

/// How the surface bends from a triangle to its neighbor beyond an edge that the first runs `along`.
fn bend(normal: DVec3, beyond: DVec3, along: DVec3) -> Bend {
    let sine = normal.cross(beyond).dot(along);
    if sine.abs() <= FLAT && normal.dot(beyond) >= 0.0 {
        Bend::Flat
    } else if sine > 0.0 || sine.abs() <= FLAT {
        // Also folded back: the rim of a sheet with two sides.
        Bend::Convex
    } else {
        Bend::Concave
    }
}
