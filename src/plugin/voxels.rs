//! Colliders of voxels: full cells of a grid become few boxes.
//!
//! Each box takes the first cell that is left, in the order of z, y and x, and grows along x, y and z as far
//! as there are cells. Boxes share faces and do not overlap. O(n log n) for n cells.

use bevy_math::IVec3;

use super::collider::Collider;
use crate::engine::shape::{LENGTH_MAX, Shape, ShapeError};
use crate::math::{Quat, Real, Vec3};

/// A cell of a grid: its number along each axis.
pub(super) type Cell = [i64; 3];
/// A box of cells: first and one past the last along each axis.
pub(super) type Cells = [[i64; 2]; 3];

impl Collider {
    /// Boxes that fill the cells of a grid, for blocks of any form: static ground, or bodies that move. Cell
    /// (i, j, k) goes from `(i, j, k) · voxel_size` to `(i + 1, j + 1, k + 1) · voxel_size` (m). Cells that
    /// stand together become few boxes, and the seams between boxes are not felt by what slides and rolls on
    /// them.
    ///
    /// To change some cells make the collider anew: O(n log n) for n cells.
    ///
    /// # Errors
    /// No cells, an edge that is not positive or out of range, or a cell that is too far out.
    ///
    /// ```
    /// use bevy_math::IVec3;
    /// use orthant::math::Vec3;
    /// use orthant::prelude::*;
    ///
    /// // A step of three cubes of half a metre: two boxes.
    /// let cells = [IVec3::ZERO, IVec3::X, IVec3::Y];
    /// let step = Collider::voxels(Vec3::splat(0.5), cells).expect("sound cells");
    /// assert!((step.mass_properties(8.0).mass - 3.0).abs() < 1e-5, "three eighths of a cubic metre");
    /// ```
    pub fn voxels(voxel_size: Vec3, cells: impl AsRef<[IVec3]>) -> Result<Self, ShapeError> {
        shape(voxel_size, cells.as_ref()).map(Self::from)
    }

    /// As [`voxels`](Self::voxels), of all cells in which there is one of these points (m).
    ///
    /// # Errors
    /// As [`voxels`](Self::voxels), and a point that is infinite or not a number.
    pub fn voxels_from_points(
        voxel_size: Vec3,
        points: impl AsRef<[Vec3]>,
    ) -> Result<Self, ShapeError> {
        let Vec3 { x, y, z } = voxel_size;
        Shape::cuboid(x, y, z)?;
        let cell = |(index, &point): (usize, &Vec3)| {
            if !point.is_finite() {
                return Err(ShapeError::PointNotFinite { index });
            }
            if point.abs().max_element() > LENGTH_MAX {
                return Err(ShapeError::PointTooFar { index });
            }
            Ok((point / voxel_size).floor().to_array().map(|n| n as i64))
        };
        let cells: Result<Vec<_>, _> = points.as_ref().iter().enumerate().map(cell).collect();
        filled(voxel_size, cells?).map(Self::from)
    }
}

/// See [`Collider::voxels`].
pub(super) fn shape(size: Vec3, cells: &[IVec3]) -> Result<Shape, ShapeError> {
    filled(size, cells.iter().map(|cell| cell.to_array().map(i64::from)).collect())
}

fn filled(size: Vec3, cells: Vec<Cell>) -> Result<Shape, ShapeError> {
    let part = |cells: Cells| {
        let [low, high] = corners(cells, Vec3::ZERO, size);
        let [x, y, z] = cells.map(|[first, end]| (end - first) as Real);
        let shape = Shape::cuboid(x * size.x, y * size.y, z * size.z)?;
        Ok(((low + high) * 0.5, Quat::IDENTITY, shape))
    };
    let parts: Result<Vec<_>, _> = boxes(cells).into_iter().map(part).collect();
    Shape::compound(parts?)
}

/// Lowest and highest corner of a box of cells (m), in a grid with this origin and these edges of a cell.
pub(super) fn corners(cells: Cells, origin: Vec3, size: Vec3) -> [Vec3; 2] {
    [0, 1].map(|end| origin + Vec3::from_array(cells.map(|range| range[end] as Real)) * size)
}

/// Number of cells in a box.
pub(super) fn count(cells: Cells) -> i64 {
    cells.iter().map(|[first, end]| end - first).product()
}

/// Boxes that together have all of these cells, each once.
pub(super) fn boxes(mut cells: Vec<Cell>) -> Vec<Cells> {
    cells.sort_unstable_by_key(key);
    cells.dedup();
    let mut grid = Grid { free: vec![true; cells.len()], cells };
    let mut boxes = Vec::new();
    for index in 0..grid.cells.len() {
        if grid.free[index] {
            boxes.push(grid.take(grid.cells[index]));
        }
    }
    boxes
}

/// What cells are sorted by.
fn key(&[x, y, z]: &Cell) -> Cell {
    [z, y, x]
}

/// Full cells, sorted.
struct Grid {
    cells: Vec<Cell>,
    /// Is it in no box yet?
    free: Vec<bool>,
}

impl Grid {
    /// Places of the cells of a row along x in the list, if all are free.
    fn row(&self, [first, end]: [i64; 2], y: i64, z: i64) -> Option<core::ops::Range<usize>> {
        let start = self.cells.binary_search_by_key(&key(&[first, y, z]), key).ok()?;
        let places = start..start + (end - first) as usize;
        let last = self.cells.get(places.end - 1)?;
        // Sorted and without twins, so that between the first and the last of the row there is no gap.
        let is_whole =
            *last == [end - 1, y, z] && self.free[places.clone()].iter().all(|&free| free);
        is_whole.then_some(places)
    }

    fn rows([x, y, z]: Cells) -> impl Iterator<Item = ([i64; 2], i64, i64)> {
        (z[0]..z[1]).flat_map(move |z| (y[0]..y[1]).map(move |y| (x, y, z)))
    }

    /// Takes the box that grows from a cell.
    fn take(&mut self, first: Cell) -> Cells {
        let mut cells = first.map(|n| [n, n + 1]);
        for axis in 0..3 {
            loop {
                let mut next = cells;
                next[axis] = [cells[axis][1], cells[axis][1] + 1];
                if !Self::rows(next).all(|(x, y, z)| self.row(x, y, z).is_some()) {
                    break;
                }
                cells[axis][1] += 1;
            }
        }
        for (x, y, z) in Self::rows(cells) {
            if let Some(places) = self.row(x, y, z) {
                self.free[places].fill(false);
            }
        }
        cells
    }
}
