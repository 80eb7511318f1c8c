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
//! is no inertia: at the solution it acts on nothing; only where no solution is found is one problem solved
//! in which it counts as such, and told as softened. Cost: O(joints), and a 3×3 eigenvalue problem for each
//! body loaded enough.

use crate::engine::tuning::stiffness::SLIGHT;
use crate::math::{DVec3, Double, Sym, sym_cofactors, sym_positive_part};

/// The part of a stiffness that adds to an inertia, if it matters beside that: compression, which takes
/// from it, makes arms unstable.
pub(super) fn kept_definite(stiff: &Sym, inertia: &Sym) -> Option<Sym> {
    let [xx, yy, zz, ..] = *inertia;
    let least = SLIGHT * xx.min(yy).min(zz);
    if largest_possible(stiff) <= least && largest_possible(&stiff.map(|x| -x)) <= least {
        return None;
    }
    // Chains and nets under tension have no compression to leave out: their invariants tell.
    let (minors, determinant) = sym_cofactors(stiff);
    let (trace, pairs) = (stiff[0] + stiff[1] + stiff[2], minors[0] + minors[1] + minors[2]);
    let rounding = -8.0 * Double::EPSILON * trace;
    let pulls = pairs >= rounding * trace && determinant >= rounding * trace * trace;
    Some(if trace > 0.0 && pulls { *stiff } else { sym_positive_part(stiff) })
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
    a.iter_mut().zip(b).for_each(|(x, y)| *x += y);
}

/// No eigenvalue is larger (Gershgorin).
fn largest_possible(a: &Sym) -> Double {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let [xy, xz, yz] = [xy.abs(), xz.abs(), yz.abs()];
    (xx + xy + xz).max(yy + xy + yz).max(zz + xz + yz)
}

#[cfg(test)]
mod tests;
