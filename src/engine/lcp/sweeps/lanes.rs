//! What all sweeps share: bodies, and vectors of many lanes side by side, in single precision.

use crate::math::{Double, Single};
pub(super) use crate::math::{
    add3 as add, cross3 as cross, dot3 as dot, scale3 as scale, sub3 as sub,
};

/// A number for each lane.
pub(super) type Abreast<const L: usize> = [Single; L];

/// Inverse masses, then the inverse inertia as (xx, yy, zz, xy, xz, yz).
pub(super) type Mass = [Single; 9];

/// World vectors (x, y, z), one for each lane.
pub(super) type Row3<const L: usize> = [[Single; L]; 3];

/// What sweeps know of a body. The last in a list is the fixed world.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct SweptBody {
    /// Velocity.
    pub(super) velocity: [Single; 8],
    /// Sum of the velocities with which it moved in the substeps so far.
    pub(super) sum: [Single; 8],
}

pub(super) fn single(x: Double) -> Single {
    x as Single
}

pub(super) fn single3(x: [Double; 3]) -> [Single; 3] {
    x.map(single)
}

/// A symmetric matrix (xx, yy, zz, xy, xz, yz) times a vector.
#[inline(always)]
pub(super) fn symmetric([xx, yy, zz, xy, xz, yz]: [Single; 6], v: [Single; 3]) -> [Single; 3] {
    [
        xx * v[0] + xy * v[1] + xz * v[2],
        xy * v[0] + yy * v[1] + yz * v[2],
        xz * v[0] + yz * v[1] + zz * v[2],
    ]
}

/// The vector of one lane.
#[inline(always)]
pub(super) fn at<const L: usize>(rows: &Row3<L>, lane: usize) -> [Single; 3] {
    [rows[0][lane], rows[1][lane], rows[2][lane]]
}

/// Writes the vector of one lane.
#[inline(always)]
pub(super) fn put<const L: usize>(rows: &mut Row3<L>, lane: usize, v: [Single; 3]) {
    rows[0][lane] = v[0];
    rows[1][lane] = v[1];
    rows[2][lane] = v[2];
}

/// Velocities (or their sums over substeps) of the bodies of each lane.
pub(super) type LaneSides<const L: usize> = [[Abreast<L>; 6]; 2];

/// Reads the velocities of all lanes; with `SUM` the sums of the velocities over substeps.
#[inline(always)]
pub(super) fn gather<const L: usize, const SUM: bool>(
    bodies: &[SweptBody],
    a: &[u32; L],
    b: &[u32; L],
) -> LaneSides<L> {
    let mut sides = [[[0.0; L]; 6]; 2];
    for (side, ids) in sides.iter_mut().zip([a, b]) {
        for l in 0..L {
            let body = &bodies[ids[l] as usize];
            let x = if SUM { &body.sum } else { &body.velocity };
            for k in 0..6 {
                side[k][l] = x[k];
            }
        }
    }
    sides
}

/// Writes the velocities of all lanes back. No two lanes share a body, except for the fixed world, which
/// all of them leave as it is.
#[inline(always)]
pub(super) fn scatter<const L: usize>(
    bodies: &mut [SweptBody],
    a: &[u32; L],
    b: &[u32; L],
    sides: &LaneSides<L>,
) {
    for (side, ids) in sides.iter().zip([a, b]) {
        for l in 0..L {
            let body = &mut bodies[ids[l] as usize];
            for k in 0..6 {
                body.velocity[k] = side[k][l];
            }
        }
    }
}
