//! Convex pieces of a closed surface.
//!
//! 1. Voxels: a center is inside if a line along x from it crosses the surface an odd number of times.
//! 2. Boxes that fill the voxels: see `voxels`.
//! 3. Corners within a voxel of the surface move onto it, and the vertices of the surface belong to the
//!    boxes that they are in, so that pieces are as smooth and as sharp as the surface.
//! 4. The two neighbors whose common hull is filled best by their voxels become one, again and again, as
//!    long as that is filled well enough. Bottom up, a hole is never closed by thin slices around it.
//!
//! O(n² t) for n voxels a side and t triangles, then O(b²) hulls for b boxes: milliseconds to seconds. Do it
//! once and clone the collider; `decomposition` does it in the background.

use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::collider::Collider;
use super::voxels::{Cell, Cells, boxes, corners, count};
use crate::engine::shape::{Convex, Shape, ShapeError};
use crate::math::{Quat, Real, Vec3};

/// How finely a surface is cut into convex pieces; see [`Collider::convex_decomposition_with_config`] and
/// [`ConvexDecomposition`](super::ConvexDecomposition).
///
/// ```
/// # use orthant::plugin::DecompositionConfig;
/// let fine = DecompositionConfig { resolution: 64, max_convex_hulls: 20, ..DecompositionConfig::default() };
/// # let _ = fine;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Debug, Default, PartialEq, Clone)]
pub struct DecompositionConfig {
    /// Largest part of a piece that may be outside of the surface (-), from 0 to 1.
    pub concavity: Real,
    /// Number of voxels along the longest side, from 4 to 128. Thinner walls than a voxel get lost.
    pub resolution: u32,
    /// Largest number of pieces, ≥ 1; more are made one, however concave.
    pub max_convex_hulls: u32,
}

impl Default for DecompositionConfig {
    /// A twentieth, 24 voxels, at most 64 pieces.
    fn default() -> Self {
        Self { concavity: 0.05, resolution: 24, max_convex_hulls: 64 }
    }
}

impl Collider {
    /// Convex pieces that together fill a closed surface of triangles nearly, for bodies that move, at once
    /// on this thread; [`ConvexDecomposition`](super::ConvexDecomposition) makes them in the background. The
    /// triangles are as those of [`trimesh`](Self::trimesh); which way they face does not matter.
    ///
    /// Where a surface is slanted there are more pieces than needed: a tetrahedron makes eight.
    ///
    /// Pieces may overlap a little, which a density counts twice: give the body
    /// [`OverlapsCountedOnce`](super::OverlapsCountedOnce) where that matters.
    ///
    /// # Errors
    /// As [`trimesh`](Self::trimesh), and a surface that encloses nothing, as fine as it is looked at.
    ///
    /// ```
    /// use orthant::math::Vec3;
    /// use orthant::prelude::*;
    ///
    /// let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// let collider = Collider::convex_decomposition(tetrahedron, faces).expect("a sound surface");
    /// assert!((collider.mass_properties(6.0).mass - 1.0).abs() < 0.1, "a sixth of a cubic metre");
    /// ```
    pub fn convex_decomposition(
        vertices: impl AsRef<[Vec3]>,
        triangles: impl AsRef<[[u32; 3]]>,
    ) -> Result<Self, ShapeError> {
        Self::convex_decomposition_with_config(vertices, triangles, &DecompositionConfig::default())
    }

    /// As [`convex_decomposition`](Self::convex_decomposition), as finely as is said. Numbers out of their
    /// ranges count as the nearest ones in them.
    ///
    /// # Errors
    /// As [`convex_decomposition`](Self::convex_decomposition).
    pub fn convex_decomposition_with_config(
        vertices: impl AsRef<[Vec3]>,
        triangles: impl AsRef<[[u32; 3]]>,
        config: &DecompositionConfig,
    ) -> Result<Self, ShapeError> {
        decompose(vertices.as_ref(), triangles.as_ref(), config, &|_| true).map(Self::from)
    }
}

/// The parts of the work, as far as which it is at the end of each (-).
const VOXELS: f32 = 0.25;
const BOXES: f32 = 0.4;
const PAIRS: f32 = 0.7;

/// See [`Collider::convex_decomposition_with_config`]. `goes_on` is told how far it is, from 0 to 1; when it
/// says no, the rest is left out, and the result is none to use.
pub(super) fn decompose(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    config: &DecompositionConfig,
    goes_on: &impl Fn(f32) -> bool,
) -> Result<Shape, ShapeError> {
    // The engine's checks of what a surface may be.
    let shape = Shape::trimesh(vertices, triangles)?;
    let [piece] = shape.pieces() else { return Err(ShapeError::EmptyCompound) };
    let Convex::Mesh(surface) = &piece.convex else { return Err(ShapeError::EmptyCompound) };
    let grid = Grid::new(vertices, triangles, config.resolution.clamp(4, 128));
    let project = |point| surface.project(point);
    let boxes = boxes(grid.inside(vertices, triangles, |part| goes_on(part * VOXELS)));
    let count = boxes.len();
    let part = |(k, cells)| {
        goes_on(between(VOXELS, BOXES, k, count)).then(|| grid.part(cells, vertices, project))
    };
    let parts = boxes.into_iter().enumerate().map_while(part).collect();
    let parts = merge(parts, config, goes_on);
    let pieces = parts.into_iter().filter_map(|part| Shape::convex_hull(&part.points).ok());
    Shape::compound(pieces.map(|piece| (Vec3::ZERO, Quat::IDENTITY, piece)))
}

/// How far the work is after k of n in a part of it.
fn between(start: f32, end: f32, k: usize, n: usize) -> f32 {
    start + (end - start) * k as f32 / n.max(1) as f32
}

/// A grid of voxels around a surface.
struct Grid {
    /// The corner with the smallest coordinates (m).
    origin: Vec3,
    /// Edge of a voxel (m).
    size: Real,
    /// Number along each axis.
    count: Cell,
}

impl Grid {
    fn new(vertices: &[Vec3], triangles: &[[u32; 3]], resolution: u32) -> Self {
        let used = || triangles.iter().flatten().map(|&i| vertices[i as usize]);
        let low = used().fold(Vec3::splat(Real::INFINITY), Vec3::min);
        let extent = used().fold(Vec3::splat(-Real::INFINITY), Vec3::max) - low;
        let size = extent.max_element() / resolution as Real;
        let count = extent.to_array().map(|length| ((length / size).ceil() as i64).max(1));
        // Centered, so that what is symmetric stays so.
        let whole = Vec3::from_array(count.map(|n| n as Real * size));
        Self { origin: low + (extent - whole) * 0.5, size, count }
    }

    /// The voxels whose centers are within the surface.
    fn inside(
        &self,
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        goes_on: impl Fn(f32) -> bool,
    ) -> Vec<Cell> {
        let (mut crossings, mut inside) = (Vec::new(), Vec::new());
        for z in 0..self.count[2] {
            if !goes_on(z as f32 / self.count[2] as f32) {
                break;
            }
            for y in 0..self.count[1] {
                self.crossings(vertices, triangles, [y, z], &mut crossings);
                for x in 0..self.count[0] {
                    let center = self.point([x, y, z]).x + 0.5 * self.size;
                    let before = crossings.partition_point(|&crossing| crossing < center);
                    if before % 2 == 1 {
                        inside.push([x, y, z]);
                    }
                }
            }
        }
        inside
    }

    /// The corner of a voxel with the smallest coordinates (m).
    fn point(&self, cell: Cell) -> Vec3 {
        self.origin + Vec3::from_array(cell.map(|n| n as Real)) * self.size
    }

    /// Where the line along x through the centers of a row crosses triangles, in ascending order.
    fn crossings(
        &self,
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        [y, z]: [i64; 2],
        found: &mut Vec<Real>,
    ) {
        // Beside the center by parts that no edge of a sensible surface hits.
        let start = self.point([0, y, z]) + Vec3::new(0.0, 0.500_123_7, 0.500_314_1) * self.size;
        found.clear();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|i| vertices[i as usize] - start);
            // Twice the areas of the triangles that the line makes with the edges, seen along x.
            let area = |p: Vec3, q: Vec3| p.y * q.z - p.z * q.y;
            let parts = [area(b, c), area(c, a), area(a, b)];
            let whole = parts[0] + parts[1] + parts[2];
            if parts.iter().all(|&part| part > 0.0) || parts.iter().all(|&part| part < 0.0) {
                found.push(start.x + (a.x * parts[0] + b.x * parts[1] + c.x * parts[2]) / whole);
            }
        }
        found.sort_by(Real::total_cmp);
    }

    /// A box as a part of the surface, which `project` gives the nearest points of.
    fn part(
        &self,
        cells: Cells,
        vertices: &[Vec3],
        project: impl Fn(Vec3) -> Option<Vec3>,
    ) -> Part {
        let [low, high] = corners(cells, self.origin, Vec3::splat(self.size));
        let corner = |i: usize| {
            let pick = |axis: usize| if i >> axis & 1 == 1 { high[axis] } else { low[axis] };
            let corner = Vec3::new(pick(0), pick(1), pick(2));
            let near = project(corner).filter(|p| p.distance(corner) < self.size);
            near.unwrap_or(corner)
        };
        let within = |v: &&Vec3| v.cmpge(low).all() && v.cmple(high).all();
        let points = (0..8).map(corner).chain(vertices.iter().filter(within).copied()).collect();
        let volume = count(cells) as Real * self.size * self.size * self.size;
        Part { boxes: vec![cells], points, volume }
    }
}

/// Boxes that become one piece.
#[derive(Clone)]
struct Part {
    boxes: Vec<Cells>,
    /// Points whose hull is the piece (m).
    points: Vec<Vec3>,
    /// Volume of the voxels (m³).
    volume: Real,
}

impl Part {
    /// Do boxes of both have a part of a face in common?
    fn touches(&self, other: &Self) -> bool {
        let meet = |a: &Cells, b: &Cells| {
            let over = |axis: usize| a[axis][1].min(b[axis][1]) - a[axis][0].max(b[axis][0]);
            let over = [over(0), over(1), over(2)];
            over.iter().all(|&n| n >= 0) && over.iter().filter(|&&n| n == 0).count() <= 1
        };
        self.boxes.iter().any(|a| other.boxes.iter().any(|b| meet(a, b)))
    }

    /// Both as one, and the part of its hull that no voxels fill (-).
    fn with(&self, other: &Self) -> (Real, Self) {
        let points = [&self.points[..], &other.points].concat();
        let volume = self.volume + other.volume;
        let boxes = [&self.boxes[..], &other.boxes].concat();
        let Ok(hull) = Shape::convex_hull(&points) else {
            return (0.0, Self { boxes, points, volume });
        };
        let empty = 1.0 - volume / hull.mass_properties(1.0).mass;
        let corners = hull.pieces().iter().flat_map(|piece| match &piece.convex {
            Convex::Hull(hull) => {
                hull.vertices().iter().map(|&vertex| piece.position + vertex).collect()
            }
            _ => Vec::new(),
        });
        (empty, Self { boxes, points: corners.collect(), volume })
    }
}

/// Makes two parts one, as long as that is convex enough or there are too many.
fn merge(
    mut parts: Vec<Part>,
    config: &DecompositionConfig,
    goes_on: &impl Fn(f32) -> bool,
) -> Vec<Part> {
    let concavity = config.concavity.clamp(0.0, 1.0);
    // Pairs of neighbors: how empty their hull is, who they are, what they would be.
    let mut pairs: Vec<(Real, [usize; 2], Part)> = Vec::new();
    let mut alive: Vec<bool> = vec![true; parts.len()];
    for b in 0..parts.len() {
        // Each has more before it than the last.
        if !goes_on(between(BOXES, PAIRS, b * b, parts.len() * parts.len())) {
            return Vec::new();
        }
        for a in (0..b).filter(|&a| parts[a].touches(&parts[b])) {
            let (empty, both) = parts[a].with(&parts[b]);
            pairs.push((empty, [a, b], both));
        }
    }
    let (all, mut count) = (parts.len(), parts.len());
    while goes_on(between(PAIRS, 1.0, all - count, all)) {
        let best = pairs.iter().enumerate().min_by(|(_, p), (_, q)| p.0.total_cmp(&q.0));
        let Some((place, &(empty, [a, b], _))) = best else { break };
        if empty > concavity && count <= config.max_convex_hulls.max(1) as usize {
            break;
        }
        let (.., both) = pairs.swap_remove(place);
        (alive[a], alive[b]) = (false, false);
        pairs.retain(|(_, ends, _)| ends.iter().all(|&end| alive[end]));
        let new = parts.len();
        for other in (0..new).filter(|&other| alive[other] && parts[other].touches(&both)) {
            let (empty, both) = parts[other].with(&both);
            pairs.push((empty, [other, new], both));
        }
        parts.push(both);
        alive.push(true);
        count -= 1;
    }
    let left = parts.into_iter().zip(alive).filter_map(|(part, alive)| alive.then_some(part));
    left.collect()
}
