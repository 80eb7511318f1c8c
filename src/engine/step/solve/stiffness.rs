//! Geometric stiffness of loads: how their torques change as the arms turn.
//!
//! A load with the force `F` at the arm `r` of a body turns it back like a spring: by a turn θ the torque `r
//! × F` changes by `-K θ`,
//!
//! ```text
//! K = (F · r) 1 - (r Fᵀ + F rᵀ) / 2        summed over the joints of the body
//! ```
//!
//! up to a part that does no work. Newton's method for the poses of the end needs it where `h² K` is not
//! small beside the inertia: without it links that turn against each other under a load of many times their
//! weight never agree with their arms. Of compression only so much is taken as keeps the matrix definite. It
//! is no inertia: at the solution it acts on nothing. Cost: O(joints), and a 3×3 eigenvalue problem for each
//! body loaded enough.

use crate::engine::tuning::stiffness::SLIGHT;
use crate::math::{DVec3, Double};
pub(super) use crate::math::{Sym, sym_inverse as inverse, sym_times as times};

/// Row and column of the entries of a symmetric matrix.
pub(super) const PLACES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

/// The part of a stiffness that adds to an inertia, if it matters beside that: compression, which takes
/// from it, makes arms unstable.
pub(super) fn kept_definite(stiff: &Sym, inertia: &Sym) -> Option<Sym> {
    let [xx, yy, zz, ..] = *inertia;
    let least = SLIGHT * xx.min(yy).min(zz);
    if largest_possible(stiff) <= least && largest_possible(&stiff.map(|x| -x)) <= least {
        return None;
    }
    Some(positive_part(stiff))
}

/// `(F · r) 1 - (r Fᵀ + F rᵀ) / 2`; with `F = m r` the inertia of a mass at `r`.
pub(super) fn of(r: DVec3, f: DVec3) -> Sym {
    let s = f.dot(r);
    [
        s - r.x * f.x,
        s - r.y * f.y,
        s - r.z * f.z,
        -0.5 * (r.x * f.y + r.y * f.x),
        -0.5 * (r.x * f.z + r.z * f.x),
        -0.5 * (r.y * f.z + r.z * f.y),
    ]
}

pub(super) fn add(a: &mut Sym, b: &Sym) {
    for (x, y) in a.iter_mut().zip(b) {
        *x += y;
    }
}

/// No eigenvalue is larger (Gershgorin).
fn largest_possible(a: &Sym) -> Double {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let [xy, xz, yz] = [xy.abs(), xz.abs(), yz.abs()];
    (xx + xy + xz).max(yy + xy + yz).max(zz + xz + yz)
}

/// Most sweeps of Jacobi's method: four leave off-diagonals at rounding, often three do.
const SWEEPS: usize = 4;
/// `Σ max(λ, 0) v vᵀ` over eigenvalues λ and eigenvectors v, by Jacobi's method.
fn positive_part(a: &Sym) -> Sym {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let mut m = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        let size = m[0][0].abs() + m[1][1].abs() + m[2][2].abs();
        if m[0][1].abs() + m[0][2].abs() + m[1][2].abs() <= 0.5 * Double::EPSILON * size {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            // The smaller of the two rotations that make entry (p, q) zero.
            let theta: Double = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let turn = |x: Double, y: Double| (c * x - s * y, s * x + c * y);
            for row in &mut m {
                (row[p], row[q]) = turn(row[p], row[q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = turn(m[p][k], m[q][k]);
            }
            for row in &mut v {
                (row[p], row[q]) = turn(row[p], row[q]);
            }
        }
    }
    let mut part = [0.0; 6];
    for i in 0..3 {
        let value = m[i][i].max(0.0);
        let [x, y, z] = [v[0][i], v[1][i], v[2][i]];
        add(&mut part, &[x * x, y * y, z * z, x * y, x * z, y * z].map(|e| value * e));
    }
    part
}

#[cfg(test)]
mod tests;
