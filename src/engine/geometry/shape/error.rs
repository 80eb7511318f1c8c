//! What can be wrong with the numbers from which a shape is made.

use super::limits::{LENGTH_MAX, LENGTH_MIN};
use crate::math::{Real, Vec3};

/// Why a shape could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A hull needs at least four points.
    #[error("a convex hull needs at least 4 points, {count} given")]
    TooFewPoints {
        /// Number of points given.
        count: usize,
    },
    /// A coordinate of this point is infinite or not a number.
    #[error("point {index} has a coordinate that is infinite or not a number")]
    PointNotFinite {
        /// Index of the point.
        index: usize,
    },
    /// A coordinate of this point exceeds [`LENGTH_MAX`].
    #[error("point {index} has a coordinate beyond {LENGTH_MAX} m")]
    PointTooFar {
        /// Index of the point.
        index: usize,
    },
    /// The points span less than [`LENGTH_MIN`].
    #[error("all points coincide: they span {extent} m, at least {LENGTH_MIN} m are needed")]
    Coincident {
        /// Largest extent of the points along an axis (m).
        extent: Real,
    },
    /// The points lie on a line, to within the thickness that can be resolved.
    #[error("all points lie on a line: the farthest is only {width} m away from it")]
    Collinear {
        /// Largest distance of a point from the line (m).
        width: Real,
    },
    /// The points lie in a plane, to within the thickness that can be resolved.
    #[error("all points lie in a plane: the farthest is only {thickness} m away from it")]
    Coplanar {
        /// Largest distance of a point from the plane (m).
        thickness: Real,
    },
    /// No closed surface was left after nearly equal points and nearly coplanar faces were merged.
    #[error("the points have no convex hull with volume after merging")]
    Degenerate,
    /// A length is not a number, or outside [`LENGTH_MIN`] to [`LENGTH_MAX`].
    #[error("{name} is {value}, it must lie between {LENGTH_MIN} m and {LENGTH_MAX} m")]
    BadLength {
        /// Which length, in the words of the constructor.
        name: &'static str,
        /// The value given (m).
        value: Real,
    },
    /// The normal of a half-space is zero or not finite.
    #[error("the normal of the half-space is zero or not finite")]
    BadNormal,
    /// A factor of a scale is zero or not finite.
    #[error("the scale factor {factor} is zero or not finite")]
    BadScale {
        /// The factor given (-).
        factor: Real,
    },
    /// The factors of a scale differ where the shape would not stay of its kind.
    #[error(
        "a {shape} cannot be scaled by these different factors: capsules, cylinders and cones \
         need equal factors across their axis, rounded shapes and turned pieces of a \
         compound equal factors along all axes"
    )]
    UnevenScale {
        /// What cannot be scaled so.
        shape: &'static str,
    },
    /// A compound has no parts.
    #[error("a compound shape needs at least one part")]
    EmptyCompound,
    /// A part of a compound is a half-space, which has no volume of its own to combine.
    #[error("part {index} of the compound is a half-space, which cannot be combined")]
    HalfSpaceInCompound {
        /// Index of the part.
        index: usize,
    },
    /// A part of a compound is a mesh, which has no volume.
    #[error("part {index} of the compound is a mesh, which cannot be combined")]
    MeshInCompound {
        /// Index of the part.
        index: usize,
    },
    /// A triangle of a mesh names a vertex that there is not.
    #[error("triangle {triangle} of the mesh names vertex {vertex}, there is none")]
    NoSuchVertex {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex that it names.
        vertex: u32,
    },
    /// A mesh has no triangle with area.
    #[error("a mesh needs at least one triangle with area, {given} given")]
    NoTriangles {
        /// Number of triangles given.
        given: usize,
    },
    /// A height field needs at least two heights along both axes.
    #[error("a height field needs at least 2 × 2 heights, {rows} × {columns} given")]
    TooFewHeights {
        /// Number of rows.
        rows: usize,
        /// Heights in the first row.
        columns: usize,
    },
    /// A row of a height field is not as long as the first one.
    #[error("row {row} of the height field has {len} heights, the first has {first}")]
    UnevenHeights {
        /// Index of the row.
        row: usize,
        /// Heights in this row.
        len: usize,
        /// Heights in the first row.
        first: usize,
    },
    /// A height is not a number, or beyond [`LENGTH_MAX`].
    #[error(
        "height {height} in row {row}, column {column} is not a number or beyond {LENGTH_MAX} m"
    )]
    BadHeight {
        /// Index of the row.
        row: usize,
        /// Index in the row.
        column: usize,
        /// The height given.
        height: Real,
    },
    /// The pose of a part of a compound is not finite, too far out, or not a rotation.
    #[error(
        "the pose of part {index} of the compound is not finite, beyond {LENGTH_MAX} m, or \
         its rotation is not a unit quaternion"
    )]
    BadPose {
        /// Index of the part.
        index: usize,
    },
}

/// The length itself, if it is within the limits.
pub(super) fn checked_length(name: &'static str, value: Real) -> Result<Real, ShapeError> {
    let fits = (LENGTH_MIN..=LENGTH_MAX).contains(&value);
    if fits { Ok(value) } else { Err(ShapeError::BadLength { name, value }) }
}

/// Are all points finite, with coordinates within the limit?
pub(super) fn check_points(points: &[Vec3]) -> Result<(), ShapeError> {
    for (index, p) in points.iter().enumerate() {
        if !p.is_finite() {
            return Err(ShapeError::PointNotFinite { index });
        }
        if p.abs().max_element() > LENGTH_MAX {
            return Err(ShapeError::PointTooFar { index });
        }
    }
    Ok(())
}
