//! Merges nearly coplanar triangles into faces: triangles → vertex loops.
//!
//! The largest triangle left begins a face; the face grows over neighbors all of whose vertices lie
//! within a tolerance of its plane, which is then fitted again to what was found. Slivers, whose own
//! normals mean nothing, are so swallowed by a neighbor. Because the planes support the whole
//! polytope, a face has no holes, unless an earlier face took a bite out of it: the loops are
//! checked, and the caller retries with a smaller tolerance. Without tolerance only exactly coplanar
//! triangles are merged, which cannot go wrong.
//!
//! Vertices left with fewer than three faces lie inside a face or an edge and are dropped.

use super::quickhull::{Facet, GridPoint, length};
use crate::math::{DVec3, Double};

const UNOWNED: u32 = u32::MAX;

/// A supporting plane `normal · x = offset` in grid cells.
struct Plane {
    normal: DVec3,
    offset: Double,
}

fn to_double(a: [i64; 3]) -> DVec3 {
    DVec3::new(a[0] as Double, a[1] as Double, a[2] as Double)
}

/// The faces of the hull as counterclockwise loops of point indices, each beginning with its smallest
/// index, sorted; none if the merged faces do not close up.
///
/// `tolerance` is in grid cells; without one only exactly coplanar facets are merged.
pub(super) fn merged_loops(
    points: &[GridPoint],
    facets: &[Facet],
    tolerance: Option<Double>,
) -> Option<Vec<Vec<u32>>> {
    let (owner, n_faces) = grow_faces(points, facets, tolerance);
    let mut loops = boundary_loops(facets, &owner, n_faces)?;
    drop_flat_vertices(points.len(), &mut loops);
    for face in &mut loops {
        let start = (0..face.len()).min_by_key(|&k| face[k])?;
        face.rotate_left(start);
    }
    loops.sort_unstable();
    Some(loops)
}

/// The face of each facet and the number of faces.
fn grow_faces(
    points: &[GridPoint],
    facets: &[Facet],
    tolerance: Option<Double>,
) -> (Vec<u32>, u32) {
    let mut order: Vec<usize> = (0..facets.len()).collect();
    let area: Vec<Double> = facets.iter().map(|f| length(f.normal)).collect();
    order.sort_by(|&a, &b| area[b].total_cmp(&area[a]));
    let mut vertices: Vec<u32> = facets.iter().flat_map(|f| f.vertices).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut owner = vec![UNOWNED; facets.len()];
    let mut n_faces = 0;
    for seed in order {
        if owner[seed] != UNOWNED {
            continue;
        }
        let region = match tolerance {
            Some(tolerance) => {
                grow_within(points, facets, &vertices, &mut owner, seed, n_faces, tolerance)
            }
            None => flood(facets, &mut owner, seed, n_faces, |f| {
                f.vertices.iter().all(|&v| facets[seed].height(points, v) == 0)
            }),
        };
        debug_assert!(!region.is_empty(), "a face holds its seed");
        n_faces += 1;
    }
    (owner, n_faces)
}

/// Grows a face about `seed` within `tolerance` [cells] of a plane that is fitted to the result.
fn grow_within(
    points: &[GridPoint],
    facets: &[Facet],
    vertices: &[u32],
    owner: &mut [u32],
    seed: usize,
    face: u32,
    tolerance: Double,
) -> Vec<u32> {
    let normal = to_double(facets[seed].normal).normalize();
    let offset = normal.dot(to_double(points[facets[seed].vertices[0] as usize]));
    let mut plane = Plane { normal, offset };
    let mut region = Vec::new();
    for _ in 0..3 {
        let size_before = region.len();
        for &f in &region {
            owner[f as usize] = UNOWNED;
        }
        region = flood(facets, owner, seed, face, |f| {
            to_double(f.normal).dot(plane.normal) > 0.0
                && f.vertices.iter().all(|&v| {
                    let x = to_double(points[v as usize]);
                    (plane.offset - plane.normal.dot(x)).abs() <= tolerance
                })
        });
        if region.len() == 1 || region.len() == size_before {
            break;
        }
        let sum: DVec3 = region.iter().map(|&f| to_double(facets[f as usize].normal)).sum();
        let normal = sum.normalize();
        let heights = vertices.iter().map(|&v| normal.dot(to_double(points[v as usize])));
        plane = Plane { normal, offset: heights.fold(Double::NEG_INFINITY, Double::max) };
    }
    region
}

/// Hands the free facets that are joined to `seed` and accepted to a face.
fn flood(
    facets: &[Facet],
    owner: &mut [u32],
    seed: usize,
    face: u32,
    accepts: impl Fn(&Facet) -> bool,
) -> Vec<u32> {
    let mut region = vec![seed as u32];
    owner[seed] = face;
    let mut next = 0;
    while next < region.len() {
        for f in facets[region[next] as usize].adjacent {
            if owner[f as usize] == UNOWNED && accepts(&facets[f as usize]) {
                owner[f as usize] = face;
                region.push(f);
            }
        }
        next += 1;
    }
    region
}

/// Chains the edges between different faces into one loop a face; none if a face has several.
fn boundary_loops(facets: &[Facet], owner: &[u32], n_faces: u32) -> Option<Vec<Vec<u32>>> {
    // (face, from, to), sorted, so that the edge that leaves a vertex is found by bisection.
    let mut edges = Vec::new();
    for (facet, &face) in facets.iter().zip(owner) {
        for k in 0..3 {
            if owner[facet.adjacent[k] as usize] != face {
                edges.push((face, facet.vertices[k], facet.vertices[(k + 1) % 3]));
            }
        }
    }
    edges.sort_unstable();
    let mut loops = Vec::with_capacity(n_faces as usize);
    let mut rest = edges.as_slice();
    for face in 0..n_faces {
        let (of_face, others) = rest.split_at(rest.partition_point(|e| e.0 == face));
        rest = others;
        let start = of_face.first()?.1;
        let mut chain = vec![start];
        let mut at = of_face[0].2;
        while at != start && chain.len() <= of_face.len() {
            chain.push(at);
            at = of_face[of_face.binary_search_by_key(&at, |e| e.1).ok()?].2;
        }
        if chain.len() != of_face.len() {
            return None;
        }
        loops.push(chain);
    }
    Some(loops)
}

/// Removes vertices with fewer than three faces and faces with fewer than three vertices.
fn drop_flat_vertices(n_points: usize, loops: &mut Vec<Vec<u32>>) {
    loop {
        let mut n_faces = vec![0; n_points];
        for &v in loops.iter().flatten() {
            n_faces[v as usize] += 1;
        }
        if !n_faces.iter().any(|&n| n == 1 || n == 2) {
            return;
        }
        for face in loops.iter_mut() {
            face.retain(|&v| n_faces[v as usize] >= 3);
        }
        loops.retain(|face| face.len() >= 3);
    }
}
