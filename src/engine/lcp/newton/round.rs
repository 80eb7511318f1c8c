//! The circular cone, for the four contacts of a manifold at once: nearest points and slip speeds.
//!
//! World vectors in, world vectors out; [`FrictionCone`](crate::engine::lcp::cone::FrictionCone) has all
//! cones in the frames of their contacts. O(1).

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
    let mut image = [[0.0; LANES]; 3];
    let mut zones = [APEX; LANES];
    for l in 0..LANES {
        let pn = n[0] * p[0][l] + n[1] * p[1][l] + n[2] * p[2][l];
        let t = [p[0][l] - pn * n[0], p[1][l] - pn * n[1], p[2][l] - pn * n[2]];
        let size = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
        let inside = size <= mu * pn && mu > 0.0;
        let open = mu * size <= -pn && pn < 0.0;
        let along = (pn + mu * size) * inverse;
        let surface = mu * along / size.max(1e-300);
        let kn = if inside {
            pn
        } else if open {
            0.0
        } else {
            along
        };
        let kt = if inside {
            1.0
        } else if open {
            0.0
        } else {
            surface
        };
        zones[l] = if inside {
            INSIDE
        } else if open {
            APEX
        } else {
            SURFACE
        };
        for k in 0..3 {
            image[k][l] = kn * n[k] + kt * t[k];
        }
    }
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
