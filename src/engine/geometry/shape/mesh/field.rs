//! Height fields: heights over a grid → vertices and triangles.

use super::Mesh;
use crate::engine::geometry::shape::error::{ShapeError, checked_length};
use crate::engine::geometry::shape::limits::LENGTH_MAX;
use crate::math::{Real, Vec3};

/// See [`Mesh::heightfield`].
pub(super) fn heightfield(heights: &[Vec<Real>], scale: Vec3) -> Result<Mesh, ShapeError> {
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    if rows < 2 || columns < 2 {
        return Err(ShapeError::TooFewHeights { rows, columns });
    }
    checked_length("the x scale of the height field", scale.x)?;
    checked_length("the y scale of the height field", scale.y)?;
    checked_length("the z scale of the height field", scale.z)?;
    let at = |i: usize, n: usize, size: Real| (i as Real / (n - 1) as Real - 0.5) * size;
    let mut vertices = Vec::with_capacity(rows * columns);
    for (row, list) in heights.iter().enumerate() {
        if list.len() != columns {
            return Err(ShapeError::UnevenHeights { row, len: list.len(), first: columns });
        }
        for (column, &height) in list.iter().enumerate() {
            let y = height * scale.y;
            if !y.is_finite() || y.abs() > LENGTH_MAX {
                return Err(ShapeError::BadHeight { row, column, height });
            }
            vertices.push(Vec3::new(at(row, rows, scale.x), y, at(column, columns, scale.z)));
        }
    }
    let mut triangles = Vec::with_capacity(2 * (rows - 1) * (columns - 1));
    for i in 0..rows - 1 {
        for k in 0..columns - 1 {
            let corner = (i * columns + k) as u32;
            let (beside, across) = (corner + columns as u32, corner + columns as u32 + 1);
            triangles.push([corner, corner + 1, across]);
            triangles.push([corner, across, beside]);
        }
    }
    Ok(Mesh::assemble(vertices, &triangles, 0))
}
