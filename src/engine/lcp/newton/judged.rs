//! The certificate of contacts with circular cones, manifold by manifold.
//!
//! Input: manifolds, their impulses, relative velocities. Output: the natural map and complementarity. O(1)
//! each.

use super::round::{project, slip_bound};
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold};
use crate::math::Double;

/// What the certificate finds of manifolds: the largest squared natural-map error of each lane, and sums of
/// complementarity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Judged {
    map: Lanes,
    gap: Lanes,
}

impl Judged {
    /// Adds a manifold with impulses `l` at relative velocities `w`, and the slip bound if that is given.
    #[inline(always)]
    pub(super) fn judge(
        &mut self,
        m: &Manifold,
        l: &LaneVectors,
        mut w: LaneVectors,
        slip: Option<&Lanes>,
    ) {
        let slip = slip.copied().unwrap_or_else(|| slip_bound(m, &w));
        // In units of speed, `W_nn l`: `W_nn P_K(l - w / W_nn) = P_K(W_nn l - w)`. Where nothing can
        // move the impulse is zero and any approach an error.
        let (mut load, mut p) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
        for k in 0..3 {
            for j in 0..LANES {
                w[k][j] += (m.bias[j] + slip[j]) * m.normal[k];
                load[k][j] = m.compliance[j] * l[k][j];
                p[k][j] = load[k][j] - w[k][j];
            }
        }
        let (image, _) = project(&m.normal, m.friction, &p);
        let mut error = [0.0; LANES];
        for k in 0..3 {
            for j in 0..LANES {
                error[j] += (image[k][j] - load[k][j]) * (image[k][j] - load[k][j]);
            }
        }
        for j in 0..LANES {
            let used = j < m.count as usize;
            let size = if error[j].is_nan() { Double::INFINITY } else { error[j] };
            let size = if used { size } else { 0.0 };
            self.map[j] = size.max(self.map[j]);
            let product = l[0][j] * w[0][j] + l[1][j] * w[1][j] + l[2][j] * w[2][j];
            self.gap[j] += if used { product.abs() } else { 0.0 };
        }
    }

    /// The certificate of what was judged, and of others.
    pub(super) fn certificate(&self, others: Certificate) -> Certificate {
        let Self { map, gap } = self;
        let worst = map.iter().fold(0.0, |a: Double, &b| a.max(b)).sqrt();
        Certificate {
            natural_map: worst.max(others.natural_map),
            gap: (gap[0] + gap[1]) + (gap[2] + gap[3]) + others.gap,
            ..others
        }
    }

    /// How many lanes err by more than a speed [m/s].
    pub(super) fn above(&self, speed: Double) -> usize {
        self.map.iter().filter(|map| **map > speed * speed).count()
    }

    /// Adds what was found of others.
    pub(super) fn add(&mut self, other: &Self) {
        for j in 0..LANES {
            self.map[j] = self.map[j].max(other.map[j]);
            self.gap[j] += other.gap[j];
        }
    }
}
