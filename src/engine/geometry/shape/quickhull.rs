//! The exact convex hull of points on an integer grid: points → triangles.
//!
//! Quickhull (Barber, Dobkin & Huhdanpaa 1996) with one change: the points are snapped to a grid of
//! 2³⁰ cells along their longest extent, so that "which side of this plane" is decided in integers,
//! exactly. Rounding can then never make two neighboring triangles disagree, which is what breaks
//! hulls of coplanar points in floating point. A cell is 1e-9 of the size, a sixtieth of what
//! single precision resolves; thicknesses that do not matter are removed afterwards, by `merge`.
//!
//! A point on the plane of a triangle counts as not outside. The new triangles on the horizon are
//! never degenerate: a horizon edge borders a triangle that the new point is strictly outside of,
//! so the point is off the line of the edge.
//!
//! Cost O(n log n) for typical input. Points inside faces are dropped; points inside edges and
//! coplanar triangles may remain.

use crate::math::Double;

/// A point on the grid, coordinates 0 ..= [`GRID_CELLS`].
pub(super) type GridPoint = [i64; 3];

/// Cells along the longest extent: the largest power of two for which plane normals fit in 64 bits.
pub(super) const GRID_CELLS: i64 = 1 << 30;

/// A triangle of the hull, counterclockwise seen from outside.
#[derive(Clone, Debug)]
pub(super) struct HullFacet {
    /// Point indices.
    pub(super) vertices: [u32; 3],
    /// HullFacet across the edge from `vertices[k]` to `vertices[k + 1]`.
    pub(super) adjacent: [u32; 3],
    /// Outward normal, twice the area long [cells²].
    pub(super) normal: [i64; 3],
    /// Points outside that have not been handled yet.
    outside: Vec<u32>,
    alive: bool,
}

/// Four points that span a large tetrahedron.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed {
    /// Indices of the points.
    points: [usize; 4],
    /// Distance of the second point from the first, of the third from their line, of the fourth
    /// from their plane [cells]; zero when there is none.
    pub(super) spans: [Double; 3],
}

fn difference(a: GridPoint, b: GridPoint) -> [i64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i128 {
    (0..3).map(|k| i128::from(a[k]) * i128::from(b[k])).sum()
}

/// `√(a·a)`, rounded.
pub(super) fn length(a: [i64; 3]) -> Double {
    (dot(a, a) as Double).sqrt()
}

impl HullFacet {
    fn new(points: &[GridPoint], vertices: [u32; 3]) -> Self {
        let [a, b, c] = vertices.map(|v| points[v as usize]);
        let normal = cross(difference(b, a), difference(c, a));
        Self { vertices, adjacent: [0; 3], normal, outside: Vec::new(), alive: true }
    }

    /// Height of a point over the plane times the length of the normal, exact [cells³].
    pub(super) fn height(&self, points: &[GridPoint], point: u32) -> i128 {
        dot(self.normal, difference(points[point as usize], points[self.vertices[0] as usize]))
    }
}

/// Index of the largest key, the first one of equal keys.
fn first_max(n: usize, key: impl Fn(usize) -> i128) -> usize {
    (1..n).fold((0, key(0)), |best, i| if key(i) > best.1 { (i, key(i)) } else { best }).0
}

/// Picks the tetrahedron to begin with. `points` must not be empty.
pub(super) fn seed(points: &[GridPoint]) -> Seed {
    let n = points.len();
    let from = |a: usize, i: usize| difference(points[i], points[a]);
    let a = first_max(n, |i| -i128::from(points[i][0]));
    let b = first_max(n, |i| dot(from(a, i), from(a, i)));
    let axis = from(a, b);
    let area = |i: usize| cross(axis, from(a, i));
    let c = first_max(n, |i| dot(area(i), area(i)));
    let normal = area(c);
    let d = first_max(n, |i| dot(normal, from(a, i)).abs());
    let (base, double_area) = (length(axis), length(normal));
    let ratio = |x: Double, y: Double| if y > 0.0 { x / y } else { 0.0 };
    let volume = dot(normal, from(a, d)).unsigned_abs() as Double;
    Seed {
        points: [a, b, c, d],
        spans: [base, ratio(double_area, base), ratio(volume, double_area)],
    }
}

/// The triangles of the convex hull, or none if the seed is flat.
pub(super) fn hull_facets(points: &[GridPoint], seed: Seed) -> Option<Vec<HullFacet>> {
    let mut facets = first_facets(points, seed.points.map(|i| i as u32))?;
    let all: Vec<u32> = (0..points.len() as u32).collect();
    distribute(points, &mut facets, 0, &all);
    let mut horizon = Vec::new();
    let mut visible = Vec::new();
    // Facets are appended, so that one pass over the growing list handles all of them.
    let mut next = 0;
    while next < facets.len() {
        if !facets[next].alive || facets[next].outside.is_empty() {
            next += 1;
            continue;
        }
        let facet = &facets[next];
        let farthest = first_max(facet.outside.len(), |k| facet.height(points, facet.outside[k]));
        let apex = facet.outside[farthest];
        find_horizon(points, &mut facets, next as u32, apex, &mut visible, &mut horizon);
        let first_new = facets.len();
        add_cone(points, &mut facets, apex, &horizon)?;
        for &f in &visible {
            let orphans = core::mem::take(&mut facets[f as usize].outside);
            distribute(points, &mut facets, first_new, &orphans);
        }
    }
    Some(compact(facets))
}

/// The four triangles of the seed tetrahedron, or none if it has no volume.
fn first_facets(points: &[GridPoint], [a, b, c, d]: [u32; 4]) -> Option<Vec<HullFacet>> {
    let height = HullFacet::new(points, [a, b, c]).height(points, d);
    // The base must look away from the apex.
    let (b, c) = if height > 0 { (c, b) } else { (b, c) };
    let mut facets: Vec<HullFacet> =
        [[a, b, c], [a, c, d], [c, b, d], [b, a, d]].map(|v| HullFacet::new(points, v)).into();
    let adjacent = [[3, 2, 1], [0, 2, 3], [0, 3, 1], [0, 1, 2]];
    facets.iter_mut().zip(adjacent).for_each(|(facet, adjacent)| facet.adjacent = adjacent);
    (height != 0).then_some(facets)
}

/// Gives each point to the first facet from `first` on that it is outside of; drops the others.
fn distribute(points: &[GridPoint], facets: &mut [HullFacet], first: usize, orphans: &[u32]) {
    for &p in orphans {
        if let Some(f) = facets[first..].iter_mut().find(|f| f.height(points, p) > 0) {
            f.outside.push(p);
        }
    }
}

/// A directed edge of the horizon, from and to, and the facet beyond it.
type HorizonEdge = (u32, u32, u32);

/// Kills the facets that `apex` is outside of and lists the edges around them.
fn find_horizon(
    points: &[GridPoint],
    facets: &mut [HullFacet],
    start: u32,
    apex: u32,
    visible: &mut Vec<u32>,
    horizon: &mut Vec<HorizonEdge>,
) {
    visible.clear();
    horizon.clear();
    visible.push(start);
    facets[start as usize].alive = false;
    let mut next = 0;
    while next < visible.len() {
        let facet = visible[next] as usize;
        next += 1;
        for beyond in facets[facet].adjacent {
            let neighbor = &mut facets[beyond as usize];
            if neighbor.alive && neighbor.height(points, apex) > 0 {
                neighbor.alive = false;
                visible.push(beyond);
            }
        }
    }
    for &f in visible.iter() {
        let facet = &facets[f as usize];
        for k in 0..3 {
            let beyond = facet.adjacent[k];
            if facets[beyond as usize].alive {
                horizon.push((facet.vertices[k], facet.vertices[(k + 1) % 3], beyond));
            }
        }
    }
    horizon.sort_unstable_by_key(|e| e.0);
}

/// Joins `apex` to the edges of the horizon, which are sorted by their first vertex.
fn add_cone(
    points: &[GridPoint],
    facets: &mut Vec<HullFacet>,
    apex: u32,
    horizon: &[HorizonEdge],
) -> Option<()> {
    let first = facets.len() as u32;
    for &(from, to, beyond) in horizon {
        let id = facets.len() as u32;
        let mut facet = HullFacet::new(points, [from, to, apex]);
        facet.adjacent[0] = beyond;
        facets.push(facet);
        let beyond = &mut facets[beyond as usize];
        let k = (0..3).find(|&k| beyond.vertices[k] == to)?;
        beyond.adjacent[k] = id;
    }
    for (i, (_, to, _)) in horizon.iter().enumerate() {
        let next = horizon.binary_search_by_key(to, |e| e.0).ok()?;
        facets[first as usize + i].adjacent[1] = first + next as u32;
        facets[first as usize + next].adjacent[2] = first + i as u32;
    }
    Some(())
}

/// Removes the dead facets and renumbers the others in order.
fn compact(facets: Vec<HullFacet>) -> Vec<HullFacet> {
    let mut number = Vec::with_capacity(facets.len());
    let mut n = 0;
    for facet in &facets {
        number.push(n);
        n += u32::from(facet.alive);
    }
    let mut alive: Vec<HullFacet> = facets.into_iter().filter(|f| f.alive).collect();
    alive.iter_mut().for_each(|facet| facet.adjacent = facet.adjacent.map(|f| number[f as usize]));
    alive
}
