//! Height fields: meshes over a grid, whose triangles are found by their cells.

use super::super::{Aabb, LENGTH_MAX, ShapeError, checked_length};
use super::{Finder, Mesh};
use crate::math::{Real, Vec3};

/// The grid of a height field: the triangles `2 c`, `2 c + 1` lie in cell `c = i (n_z - 1) + k`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cells {
    /// Number of cells along x and z.
    count: [u32; 2],
    /// Full lengths along x and z (m).
    size: [Real; 2],
}

/// See [`Mesh::heightfield`].
pub(super) fn heightfield(heights: &[Vec<Real>], scale: Vec3) -> Result<Mesh, ShapeError> {
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    if rows < 2 || columns < 2 {
        return Err(ShapeError::TooFewHeights { rows, columns });
    }
    checked_length("the x scale of the height field", scale.x)?;
    checked_length("the y scale of the height field", scale.y)?;
    checked_length("the z scale of the height field", scale.z)?;
    let mut flat = Vec::with_capacity(rows * columns);
    for (row, list) in heights.iter().enumerate() {
        if list.len() != columns {
            return Err(ShapeError::UnevenHeights { row, len: list.len(), first: columns });
        }
        for (column, &height) in list.iter().enumerate() {
            // Also refuses NaN.
            if !((height * scale.y).abs() <= LENGTH_MAX) {
                return Err(ShapeError::BadHeight { row, column, height });
            }
            flat.push(height * scale.y);
        }
    }
    let count = [rows as u32 - 1, columns as u32 - 1];
    Ok(Cells { count, size: [scale.x, scale.z] }.build(&flat))
}

impl Cells {
    /// The mesh with these heights (m), row after row.
    fn build(self, heights: &[Real]) -> Mesh {
        let [cells_x, cells_z] = self.count;
        let mut vertices = Vec::with_capacity(heights.len());
        let mut triangles = Vec::with_capacity(2 * (cells_x * cells_z) as usize);
        let at =
            |axis: usize, i: u32| (i as Real / self.count[axis] as Real - 0.5) * self.size[axis];
        for i in 0..=cells_x {
            for k in 0..=cells_z {
                let height = heights[vertices.len()];
                vertices.push(Vec3::new(at(0, i), height, at(1, k)));
            }
        }
        for i in 0..cells_x {
            for k in 0..cells_z {
                let corner = i * (cells_z + 1) + k;
                let (beside, across) = (corner + cells_z + 1, corner + cells_z + 2);
                triangles.push([corner, corner + 1, across]);
                triangles.push([corner, across, beside]);
            }
        }
        Mesh::assemble(vertices, &triangles, Finder::Cells(self))
    }

    /// The same field stretched by positive factors.
    pub(super) fn scaled(&self, vertices: &[Vec3], factor: Vec3) -> Result<Mesh, ShapeError> {
        let columns = self.count[1] as usize + 1;
        let rows: Vec<Vec<Real>> =
            vertices.chunks(columns).map(|row| row.iter().map(|v| v.y).collect()).collect();
        heightfield(&rows, Vec3::new(self.size[0], 1.0, self.size[1]) * factor)
    }

    /// See [`Mesh::overlaps`].
    pub(super) fn overlaps(&self, mesh: &Mesh, bounds: &Aabb, mut visit: impl FnMut(u32)) {
        let [first_x, end_x] = self.range(0, bounds.min.x, bounds.max.x);
        let [first_z, end_z] = self.range(1, bounds.min.z, bounds.max.z);
        for i in first_x..end_x {
            for k in first_z..end_z {
                let cell = i * self.count[1] + k;
                for triangle in [2 * cell, 2 * cell + 1] {
                    if mesh.triangle_box(triangle).meets(*bounds) {
                        visit(triangle);
                    }
                }
            }
        }
    }

    /// Cells that an interval may meet (m); one more on both sides for the rounding.
    fn range(&self, axis: usize, low: Real, high: Real) -> [u32; 2] {
        let count = self.count[axis];
        let cell = |x: Real| (x / self.size[axis] + 0.5) * count as Real;
        // Casts clamp to the range of the integers, and NaN to zero.
        [((cell(low) - 0.01).floor() as u32).min(count), {
            ((cell(high) + 0.01).floor() as i64 + 1).clamp(0, i64::from(count)) as u32
        }]
    }
}
