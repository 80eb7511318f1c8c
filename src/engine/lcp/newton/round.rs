//! The circular cone, for the four contacts of a manifold at once: nearest points and slip speeds.
//!
//! World vectors in, world vectors out; [`FrictionCone`](crate::engine::lcp::cone::FrictionCone) has all
//! cones in the frames of their contacts. O(1).

use core::array::from_fn;

use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold};
use crate::math::Double;

/// Part of the cone on which `P_K(p)` lies: two bits for each contact of a manifold.
pub(super) const APEX: u8 = 0;
pub(super) const SURFACE: u8 = 1;
pub(super) const INSIDE: u8 = 2;

/// Zone of contact `lane`.
#[inline]
pub(super) const fn zone(zones: u8, lane: usize) -> u8 {
    (zones >> (2 * lane)) & 3
}

/// `P_K(p)` of four contacts at once, with the zones.
///
/// Without friction the cone is a ray: nothing lies inside, not even what has no tangential part, and its
/// points are those of the surface.
#[inline(always)]
pub(super) fn project(n: &[Double; 3], mu: Double, p: &LaneVectors) -> (LaneVectors, [u8; LANES]) {
    let inverse = 1.0 / (1.0 + mu * mu);
    // One kind of work for all lanes at a time: compilers make more vector code of that.
    let (mut along, mut across) = ([0.0; LANES], [[0.0; LANES]; 3]);
    for l in 0..LANES {
        along[l] = n[0] * p[0][l] + n[1] * p[1][l] + n[2] * p[2][l];
        for k in 0..3 {
            across[k][l] = p[k][l] - along[l] * n[k];
        }
    }
    let [x, y, z] = &across;
    let size: Lanes = from_fn(|l| (x[l] * x[l] + y[l] * y[l] + z[l] * z[l]).sqrt());
    let surface: Lanes = from_fn(|l| (along[l] + mu * size[l]) * inverse);
    let shrunk: Lanes = from_fn(|l| mu * surface[l] / size[l].max(1e-300));
    let inside: [bool; LANES] = from_fn(|l| size[l] <= mu * along[l] && mu > 0.0);
    let open: [bool; LANES] = from_fn(|l| mu * size[l] <= -along[l] && along[l] < 0.0);
    let pick = |l: usize, [of_inside, of_open, of_surface]: [Double; 3]| {
        let outside = if open[l] { of_open } else { of_surface };
        if inside[l] { of_inside } else { outside }
    };
    let normal: Lanes = from_fn(|l| pick(l, [along[l], 0.0, surface[l]]));
    let tangential: Lanes = from_fn(|l| pick(l, [1.0, 0.0, shrunk[l]]));
    let mut image = [[0.0; LANES]; 3];
    for k in 0..3 {
        for l in 0..LANES {
            image[k][l] = normal[l] * n[k] + tangential[l] * across[k][l];
        }
    }
    let zones = from_fn(|l| match (inside[l], open[l]) {
        (true, _) => INSIDE,
        (_, true) => APEX,
        _ => SURFACE,
    });
    (image, zones)
}

/// `μ |w_t|` of four contacts.
#[inline(always)]
pub(super) fn slip_bound(m: &Manifold, u: &LaneVectors) -> Lanes {
    let n = &m.normal;
    let mut slip = [0.0; LANES];
    for l in 0..LANES {
        let un = n[0] * u[0][l] + n[1] * u[1][l] + n[2] * u[2][l];
        let t = [u[0][l] - un * n[0], u[1][l] - un * n[1], u[2][l] - un * n[2]];
        slip[l] = m.friction * (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
    }
    slip
}
