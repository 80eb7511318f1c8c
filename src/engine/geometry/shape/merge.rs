//! Merges nearly coplanar triangles into faces: triangles → vertex loops.
//!
//! The largest triangle left begins a face; the face grows over neighbors all of whose vertices lie
//! within a tolerance of its plane, which is then fitted again to what was found. Slivers, whose
//! own normals mean nothing, are so swallowed by a neighbor.
//!
//! Where curvature and tolerance meet, on a finely cut round surface, a face may so get a hole or a notch.
//! Such a face is dissolved into its exactly coplanar parts, which are convex, and all loops are made again:
//! the vertices that its neighbors had lost may be back. Faces are only ever dissolved, so this ends.
//!
//! Vertices left with fewer than three faces lie inside a face or an edge and are dropped.

use super::cloud::Cloud;
use super::quickhull::{GridPoint, HullFacet, length};
use crate::math::{DVec3, Double};

const UNOWNED: u32 = u32::MAX;

fn to_double(a: [i64; 3]) -> DVec3 {
    DVec3::new(a[0] as Double, a[1] as Double, a[2] as Double)
}

/// The facets of a hull, and to which face each belongs.
struct Partition<'h> {
    points: &'h [GridPoint],
    facets: &'h [HullFacet],
    /// How far from its plane a face may have vertices [cells].
    tolerance: Double,
    /// Face of each facet.
    owner: Vec<u32>,
    /// Whether a face holds exactly coplanar facets only; or none, having been dissolved.
    exact: Vec<bool>,
}

/// The faces of the hull as counterclockwise loops of point indices, each beginning with its
/// smallest index, sorted. Facets within `tolerance` [cells] of a plane are one face; none if that
/// cannot be. With tolerance zero only exactly coplanar facets are merged, which always works.
pub(super) fn merged_loops(
    points: &[GridPoint],
    facets: &[HullFacet],
    tolerance: Double,
) -> Option<Vec<Vec<u32>>> {
    let (owner, exact) = (vec![UNOWNED; facets.len()], Vec::new());
    let mut partition = Partition { points, facets, tolerance, owner, exact };
    if tolerance > 0.0 {
        partition.grow_faces();
    } else {
        partition.dissolve(&[]);
    }
    loop {
        let mut loops = partition.boundary_loops();
        let has_holes: Vec<bool> = loops.iter().map(Vec::is_empty).collect();
        drop_flat_vertices(points.len(), &mut loops);
        let bad: Vec<bool> = (0..loops.len())
            .map(|i| match has_holes[i] {
                true => !partition.exact[i],
                false => !is_convex(points, &loops[i], tolerance),
            })
            .collect();
        if tolerance == 0.0 || !bad.contains(&true) {
            loops.retain(|l| !l.is_empty());
            for face in &mut loops {
                let start = (0..face.len()).min_by_key(|&k| face[k])?;
                face.rotate_left(start);
            }
            loops.sort_unstable();
            return Some(loops);
        }
        if bad.iter().zip(&partition.exact).any(|(bad, exact)| *bad && *exact) {
            return None;
        }
        partition.dissolve(&bad);
    }
}

impl Partition<'_> {
    /// Splits the bad faces into their exactly coplanar parts.
    fn dissolve(&mut self, bad: &[bool]) {
        let (points, facets) = (self.points, self.facets);
        for face in self.owner.iter_mut().filter(|face| bad.get(**face as usize) == Some(&true)) {
            *face = UNOWNED;
        }
        self.exact.iter_mut().zip(bad).for_each(|(exact, bad)| *exact |= bad);
        for seed in 0..facets.len() {
            if self.owner[seed] == UNOWNED {
                self.flood(seed, |f| {
                    f.vertices.iter().all(|&v| facets[seed].height(points, v) == 0)
                });
                self.exact.push(true);
            }
        }
    }

    /// Grows faces from the largest facet down to the smallest.
    fn grow_faces(&mut self) {
        let facets = self.facets;
        let mut order: Vec<usize> = (0..facets.len()).collect();
        let area: Vec<Double> = facets.iter().map(|f| length(f.normal)).collect();
        order.sort_by(|&a, &b| area[b].total_cmp(&area[a]));
        let mut vertices: Vec<u32> = facets.iter().flat_map(|f| f.vertices).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |&v: &u32| to_double(self.points[v as usize]);
        let cloud = Cloud::new(vertices.iter().map(place).collect());
        for seed in order {
            if self.owner[seed] == UNOWNED {
                self.grow_face(&cloud, seed);
                self.exact.push(false);
            }
        }
    }

    /// Grows the next face about `seed` within the tolerance of a plane that is fitted to the result.
    fn grow_face(&mut self, cloud: &Cloud, seed: usize) {
        let Self { points, facets, tolerance, .. } = *self;
        let mut normal = to_double(facets[seed].normal).normalize();
        let corner = to_double(points[facets[seed].vertices[0] as usize]);
        // The supporting plane `normal · x = offset` in grid cells.
        let mut offset = normal.dot(corner);
        let mut region = Vec::new();
        for _ in 0..3 {
            let size_before = region.len();
            region.iter().for_each(|&f| self.owner[f as usize] = UNOWNED);
            region = self.flood(seed, |f| {
                let off = |&v: &u32| offset - normal.dot(to_double(points[v as usize]));
                to_double(f.normal).dot(normal) > 0.0
                    && f.vertices.iter().all(|v| off(v).abs() <= tolerance)
            });
            if region.len() == 1 || region.len() == size_before {
                break;
            }
            let sum: DVec3 = region.iter().map(|&f| to_double(facets[f as usize].normal)).sum();
            normal = sum.normalize();
            offset = cloud.highest(normal, normal.dot(corner), &mut 0);
        }
    }

    /// Hands the free facets that are joined to `seed` and accepted to the next face.
    fn flood(&mut self, seed: usize, accepts: impl Fn(&HullFacet) -> bool) -> Vec<u32> {
        let (facets, owner, face) = (self.facets, &mut self.owner, self.exact.len() as u32);
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

    /// Chains the edges between different faces into one loop a face; empty for a face with several, or
    /// without facets.
    fn boundary_loops(&self) -> Vec<Vec<u32>> {
        let owner = &self.owner;
        // (face, from, to), sorted, so that the edge that leaves a vertex is found by bisection.
        let mut edges = Vec::new();
        for (facet, &face) in self.facets.iter().zip(owner) {
            for k in 0..3 {
                if owner[facet.adjacent[k] as usize] != face {
                    edges.push((face, facet.vertices[k], facet.vertices[(k + 1) % 3]));
                }
            }
        }
        edges.sort_unstable();
        let mut rest = edges.as_slice();
        let faces = 0..self.exact.len() as u32;
        faces
            .map(|face| {
                let (of_face, others) = rest.split_at(rest.partition_point(|e| e.0 == face));
                rest = others;
                chained(of_face).unwrap_or_default()
            })
            .collect()
    }
}

/// Whether a loop turns left everywhere, to within `tolerance` [cells].
fn is_convex(points: &[GridPoint], face: &[u32], tolerance: Double) -> bool {
    let at = |k: usize| to_double(points[face[k % face.len()] as usize]);
    if face.is_empty() {
        return true;
    }
    let Some(normal) = vector_area(face.len(), at).try_normalize() else { return false };
    (0..face.len()).all(|k| notch_depth(at(k), at(k + 1), at(k + 2), normal) <= tolerance)
}

/// Twice the vector area of a loop of `n` corners, whatever their distance from a plane: Newell's normal.
pub(super) fn vector_area(n: usize, at: impl Fn(usize) -> DVec3) -> DVec3 {
    (1..n - 1).map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0))).sum()
}

/// How far the middle one of three corners of a loop lies inside the chord of the others; negative
/// for a convex corner.
pub(super) fn notch_depth(a: DVec3, b: DVec3, c: DVec3, normal: DVec3) -> Double {
    let chord = (c - a).length();
    let turn = (b - a).cross(c - b).dot(normal);
    if chord > 0.0 { -turn / chord } else { 0.0 }
}

/// The edges, sorted by their first vertex, as one loop; none if they are not one.
fn chained(edges: &[(u32, u32, u32)]) -> Option<Vec<u32>> {
    let (_, start, mut at) = *edges.first()?;
    let mut chain = vec![start];
    while at != start && chain.len() <= edges.len() {
        chain.push(at);
        at = edges[edges.binary_search_by_key(&at, |e| e.1).ok()?].2;
    }
    (chain.len() == edges.len()).then_some(chain)
}

/// Removes vertices with fewer than three faces, and empties faces with fewer than three vertices.
fn drop_flat_vertices(n_points: usize, loops: &mut [Vec<u32>]) {
    loop {
        let mut n_faces = vec![0; n_points];
        loops.iter().flatten().for_each(|&v| n_faces[v as usize] += 1);
        if !n_faces.iter().any(|&n| n == 1 || n == 2) {
            return;
        }
        for face in loops.iter_mut() {
            face.retain(|&v| n_faces[v as usize] >= 3);
            if face.len() < 3 {
                face.clear();
            }
        }
    }
}
