//! Building a hull: points → [`Hull`].
//!
//! Validate → merge nearly equal points → exact hull on a grid (`quickhull`) → merge nearly
//! coplanar triangles (`merge`) → mass properties (`mass`) → move the origin to the centroid →
//! planes, edges and neighbors. All in double precision; only the result is rounded.
//!
//! No library: those for Rust (quickhull 0.1, parry3d 0.31) compare distances with a fixed epsilon in
//! floating point to decide what a point sees, chull 0.2 brings big integers along, and all end at
//! triangles; merging, which is most of the work, would be ours in any case.
//!
//! Canonical order: vertices in the order of the points, face loops from their smallest vertex on,
//! faces by their loops, edges and neighbors ascending.

use super::cloud::Cloud;
use super::error::{ShapeError, check_points};
use super::hull::{Edge, Face, Hull, LANES, NO_FACE, Side, Spoke};
use super::limits::LENGTH_MIN;
use super::mass::polyhedron_mass;
use super::merge::{merged_loops, notch_depth, vector_area};
use super::quickhull::{GRID_CELLS, GridPoint, hull_facets, seed};
use crate::math::{DVec3, Double, Real, SymMat3, Vec3, narrow, narrow3, widen, widen3};

/// Points and planes closer than this fraction of the largest extent plus the largest coordinate
/// are the same: sixteen times the rounding of single precision, so that faces stay flat whose
/// coordinates went through it, as those of meshes do in either precision of the build.
const MERGE_FRACTION: Double = 1e-6;
/// A body must be this many times thicker than what is merged.
const FLAT_FACTOR: Double = 10.0;
/// Vertices may lie this many merging tolerances off the plane of their face.
const FLATNESS_FACTOR: Double = 4.0;

/// See [`Hull::convex_hull`].
pub(super) fn convex_hull(points: &[Vec3]) -> Result<Hull, ShapeError> {
    if points.len() < 4 {
        return Err(ShapeError::TooFewPoints { count: points.len() });
    }
    check_points(points)?;
    let (low, extent) = extent(points);
    if extent < widen(LENGTH_MIN) {
        return Err(ShapeError::Coincident { extent: narrow(extent) });
    }
    let largest = points.iter().map(|p| p.abs().max_element()).fold(0.0, Real::max);
    let tolerance = MERGE_FRACTION * (extent + widen(largest));
    let points = without_duplicates(points, tolerance);
    let cells_per_meter = GRID_CELLS as Double / extent;
    let grid: Vec<GridPoint> =
        points.iter().map(|&p| snapped((p - low) * cells_per_meter)).collect();

    let seed = seed(&grid);
    let [length, width, thickness] = seed.spans.map(|cells| cells / cells_per_meter);
    let flat = FLAT_FACTOR * tolerance;
    if length <= flat {
        return Err(ShapeError::Coincident { extent: narrow(extent) });
    } else if width <= flat {
        return Err(ShapeError::Collinear { width: narrow(width) });
    } else if thickness <= flat {
        return Err(ShapeError::Coplanar { thickness: narrow(thickness) });
    }
    let facets = hull_facets(&grid, seed).ok_or(ShapeError::Degenerate)?;

    // Merging with a tolerance can fail where it blurs the surface, exact merging cannot.
    for tolerance_cells in [tolerance * cells_per_meter, 0.0] {
        let Some(loops) = merged_loops(&grid, &facets, tolerance_cells) else { continue };
        let Some(hull) = from_loops(&points, &loops) else { continue };
        if widen(hull.flatness) <= FLATNESS_FACTOR * tolerance {
            // Each list anew, one behind the other.
            return Ok(hull.clone());
        }
    }
    Err(ShapeError::Degenerate)
}

/// The lower corner of the bounding box and its largest extent (m); zero without points.
pub(super) fn extent(points: &[Vec3]) -> (DVec3, Double) {
    let Some(&first) = points.first() else { return (DVec3::ZERO, 0.0) };
    let low = widen3(points.iter().fold(first, |a, &b| a.min(b)));
    let high = widen3(points.iter().fold(first, |a, &b| a.max(b)));
    (low, (high - low).max_element())
}

fn snapped(p: DVec3) -> GridPoint {
    [p.x, p.y, p.z].map(|x| (x.round() as i64).clamp(0, GRID_CELLS))
}

/// The points in double precision without those within `tolerance` (m) of an earlier one that stays.
///
/// Cost O(n log n) unless many points share their x coordinate.
fn without_duplicates(points: &[Vec3], tolerance: Double) -> Vec<DVec3> {
    let points: Vec<DVec3> = points.iter().map(|&p| widen3(p)).collect();
    let mut by_x: Vec<usize> = (0..points.len()).collect();
    by_x.sort_by(|&a, &b| points[a].x.total_cmp(&points[b].x));
    let mut close = Vec::new();
    for (k, &a) in by_x.iter().enumerate() {
        for &b in &by_x[k + 1..] {
            if points[b].x - points[a].x > tolerance {
                break;
            }
            if points[a].distance_squared(points[b]) <= tolerance * tolerance {
                close.push((a.max(b), a.min(b)));
            }
        }
    }
    close.sort_unstable();
    let mut stays = vec![true; points.len()];
    close.into_iter().for_each(|(later, earlier)| stays[later] &= !stays[earlier]);
    points.into_iter().zip(stays).filter_map(|(p, stays)| stays.then_some(p)).collect()
}

/// The hull with these face loops over a subset of `points`; none if the loops do not close up.
fn from_loops(points: &[DVec3], loops: &[Vec<u32>]) -> Option<Hull> {
    let mut number = vec![None; points.len()];
    loops.iter().flatten().for_each(|&v| number[v as usize] = Some(0));
    let mut vertices = Vec::new();
    for (point, number) in points.iter().zip(&mut number) {
        if let Some(number) = number {
            *number = vertices.len() as u32;
            vertices.push(*point);
        }
    }
    let renumbered = |l: &Vec<u32>| l.iter().map(|&v| number[v as usize]).collect();
    let loops: Vec<Vec<u32>> = loops.iter().map(renumbered).collect::<Option<_>>()?;
    let (volume, centroid, inertia) = polyhedron_mass(&vertices, &loops)?;
    let about_centroid = vertices.iter().map(|&v| narrow3(v - centroid)).collect();
    let hull = assemble(about_centroid, &loops)?;
    Some(Hull { centroid: narrow3(centroid), volume: narrow(volume), inertia, ..hull })
}

/// The hull with everything but its mass properties, from vertices about the centroid and face
/// loops in canonical order; none if it is not a polytope around the origin.
pub(crate) fn assemble(vertices: Vec<Vec3>, loops: &[Vec<u32>]) -> Option<Hull> {
    let hull = assemble_closed(vertices, loops)?;
    hull.faces.iter().all(|face| face.offset > 0.0).then_some(hull)
}

/// [`assemble`] of a surface that may be flat, with the origin on it.
pub(super) fn assemble_closed(vertices: Vec<Vec3>, loops: &[Vec<u32>]) -> Option<Hull> {
    let edges = paired_edges(loops)?;
    let closes_up = vertices.len() + loops.len() == edges.len() + 2;
    placed(closes_up.then(|| skeleton(vertices.len(), edges, loops))?, vertices)
}

/// What a hull of these edges and loops is, whatever the places of its vertices are.
pub(super) fn skeleton(n_vertices: usize, edges: Vec<Edge>, loops: &[Vec<u32>]) -> Hull {
    let mut start = 0;
    let faces = loops.iter().map(|face| {
        let len = face.len() as u32;
        start += len;
        Face { normal: Vec3::ZERO, offset: 0.0, start: start - len, len }
    });
    let (neighbors, neighbor_start) = neighbor_lists(n_vertices, edges.iter().map(|e| e.vertices));
    let vertex_faces = vertex_faces(loops);
    let at = |v: usize| (neighbor_start[v]..neighbor_start[v + 1]).map(move |i| (v as u32, i));
    let spokes = (0..n_vertices).flat_map(at).filter_map(|(v, i)| {
        let vertex = neighbors[i as usize];
        let face = vertex_faces.get(i as usize).copied().unwrap_or(NO_FACE);
        let edge = edge_between(&edges, v, vertex)?;
        Some(Spoke { vertex, edge, face, at: Vec3::ZERO })
    });
    let steps = (0_u32..)
        .zip(loops)
        .flat_map(|(face, l)| (0..l.len()).map(move |k| (face, l[k], l[(k + 1) % l.len()])));
    let loop_edges = steps.filter_map(|(face, vertex, next)| {
        let edge = edge_between(&edges, vertex, next)?;
        let [f, g] = edges[edge as usize].faces;
        let face = if f == face { g } else { f };
        Some(Spoke { vertex, edge, face, at: Vec3::ZERO })
    });
    Hull {
        lanes: Vec::new(),
        vertices: Vec::new(),
        faces: faces.collect(),
        face_vertices: loops.concat(),
        spokes: spokes.collect(),
        loop_edges: loop_edges.collect(),
        edges,
        neighbors,
        neighbor_start,
        vertex_faces,
        loop_sides: Vec::new(),
        flatness: 0.0,
        cuboid: None,
        curve: None,
        radius: 0.0,
        inradius: 0.0,
        bounding_radius: 0.0,
        centroid: Vec3::ZERO,
        volume: 0.0,
        inertia: SymMat3::default(),
    }
}

/// The hull with its vertices at these places; none if a face has no normal.
pub(super) fn placed(mut hull: Hull, vertices: Vec<Vec3>) -> Option<Hull> {
    let mut flatness: Double = 0.0;
    let cloud = Cloud::new(vertices.iter().map(|&v| widen3(v)).collect());
    hull.loop_sides.clear();
    for face in &mut hull.faces {
        let list = &hull.face_vertices[face.start as usize..][..face.len as usize];
        let (normal, offset, deepest) = supporting_plane(&vertices, &cloud, list)?;
        (face.normal, face.offset) = (normal, offset);
        flatness = flatness.max(deepest);
        let next = |k: usize| list[(k + 1) % list.len()];
        let sides = (0..list.len()).map(|k| side(&vertices, list[k], next(k), normal));
        hull.loop_sides.extend(sides);
    }
    hull.flatness = narrow(flatness);
    hull.inradius = hull.faces.iter().map(|f| f.offset).fold(Real::INFINITY, Real::min);
    hull.bounding_radius = vertices.iter().map(|v| v.length()).fold(0.0, Real::max);
    hull.cuboid = half_lengths(&hull.faces, &vertices);
    hull.set_vertices(vertices);
    Some(hull)
}

/// Half lengths of a box about its center, along the axes and with its corners in binary order (m). Its faces
/// are in canonical order, then: lower y, z, x, upper x, y, z.
fn half_lengths(faces: &[Face], vertices: &[Vec3]) -> Option<Vec3> {
    let half = *vertices.get(7)?;
    let is_cuboid =
        faces.len() == 6 && half.min_element() > 0.0 && vertices.iter().copied().eq(corners(half));
    is_cuboid.then_some(half)
}

/// The corners of a box with these half lengths (m), in binary order.
pub(super) fn corners(half: Vec3) -> impl Iterator<Item = Vec3> {
    let side = |corner: u8, bit: u8, h: Real| if corner >> bit & 1 == 1 { h } else { -h };
    let at = move |i| Vec3::new(side(i, 0, half.x), side(i, 1, half.y), side(i, 2, half.z));
    (0..8).map(at)
}

/// Pairs the two directions of every edge; none if an edge does not have exactly two faces.
fn paired_edges(loops: &[Vec<u32>]) -> Option<Vec<Edge>> {
    let mut half_edges = Vec::new();
    for (face, vertices) in loops.iter().enumerate() {
        for (k, &from) in vertices.iter().enumerate() {
            let to = vertices[(k + 1) % vertices.len()];
            half_edges.push((from.min(to), from.max(to), from > to, face as u32));
        }
    }
    half_edges.sort_unstable();
    let mut edges = Vec::with_capacity(half_edges.len() / 2);
    for pair in half_edges.chunks(2) {
        let [(a, b, false, f), (c, d, true, g)] = *pair else { return None };
        if (a, b) != (c, d) || edges.last().is_some_and(|e: &Edge| e.vertices == [a, b]) {
            return None;
        }
        edges.push(Edge { vertices: [a, b], faces: [f.min(g), f.max(g)] });
    }
    Some(edges)
}

/// Index of the edge between two vertices.
fn edge_between(edges: &[Edge], v: u32, w: u32) -> Option<u32> {
    let ends = [v.min(w), v.max(w)];
    edges.binary_search_by_key(&ends, |e| e.vertices).ok().map(|i| i as u32)
}

/// The side of a face from vertex `v` to vertex `w`.
fn side(vertices: &[Vec3], v: u32, w: u32, face_normal: Vec3) -> Side {
    let [from, to] = [v, w].map(|v| widen3(vertices[v as usize]));
    let normal = (to - from).cross(widen3(face_normal)).normalize_or_zero();
    Side { normal: narrow3(normal), offset: narrow(normal.dot(from).max(normal.dot(to))) }
}

/// Unit normal and offset of the plane that supports all vertices in the mean direction of a face,
/// and how far the face is from a convex polygon in that plane (m); none if the face has no normal.
fn supporting_plane(
    vertices: &[Vec3],
    cloud: &Cloud,
    face: &[u32],
) -> Option<(Vec3, Real, Double)> {
    let at = |k: usize| widen3(vertices[face[k % face.len()] as usize]);
    let normal = narrow3(vector_area(face.len(), at).try_normalize()?);
    let axis = widen3(normal);
    let offset = cloud.highest(axis, axis.dot(at(0)), &mut 0);
    let depths = (0..face.len()).map(|k| offset - axis.dot(at(k)));
    let notches = (0..face.len()).map(|k| notch_depth(at(k), at(k + 1), at(k + 2), axis));
    let deepest = depths.chain(notches).fold(0.0, Double::max);
    Some((normal, narrow(offset), deepest))
}

/// The vertices joined to each vertex, ascending, and where each list begins. Edges by their ends.
pub(super) fn neighbor_lists(
    n_vertices: usize,
    edges: impl Iterator<Item = [u32; 2]>,
) -> (Vec<u32>, Vec<u32>) {
    let mut joined: Vec<(u32, u32)> = edges.flat_map(|[v, w]| [(v, w), (w, v)]).collect();
    joined.sort_unstable();
    let starts = (0..=n_vertices as u32).map(|v| joined.partition_point(|j| j.0 < v) as u32);
    (joined.iter().map(|j| j.1).collect(), starts.collect())
}

/// The faces that meet in each vertex, ascending, vertex by vertex: as many as edges meet there.
fn vertex_faces(loops: &[Vec<u32>]) -> Vec<u32> {
    let faces = loops.iter().enumerate();
    let mut meeting: Vec<(u32, u32)> =
        faces.flat_map(|(face, l)| l.iter().map(move |&v| (v, face as u32))).collect();
    meeting.sort_unstable();
    meeting.iter().map(|m| m.1).collect()
}

/// The vertices coordinate by coordinate, padded with copies of vertex 0.
pub(super) fn lanes(vertices: &[Vec3]) -> Vec<[[Real; LANES]; 3]> {
    let lane = |chunk: &[Vec3], axis: usize| {
        core::array::from_fn(|k| chunk.get(k).unwrap_or(&vertices[0])[axis])
    };
    vertices.chunks(LANES).map(|c| [lane(c, 0), lane(c, 1), lane(c, 2)]).collect()
}
