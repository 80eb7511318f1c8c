//! Laws of the metric, and slow oracles next to the fast code.

mod boxes;
mod curved;
mod degenerate;
mod laws;
mod oracle;
mod rounded;
mod sides;
mod slim;

use super::*;
use crate::engine::geometry::shape::curve::Curve;
use crate::engine::lcp::tests::random;
use crate::math::{Mat3, Quat, narrow3, quat_mul, quat_normalize, quat_to_mat3, widen};

/// Agreement with an oracle, relative: 2e-6 in single precision, 1e-10 in double.
pub(super) const TOLERANCE: Double = if size_of::<Real>() == 4 { 2e-6 } else { 1e-10 };

/// Random numbers, as these tests want them.
pub(super) struct Rng(random::Random);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self(random::Random::new(seed))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in [low, high).
    pub(super) fn range(&mut self, low: Double, high: Double) -> Double {
        low + (high - low) * (self.next() >> 11) as Double / (1_u64 << 53) as Double
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Uniform on the unit sphere.
    pub(super) fn unit(&mut self) -> Vec3 {
        loop {
            let v = crate::math::DVec3::new(
                self.range(-1.0, 1.0),
                self.range(-1.0, 1.0),
                self.range(-1.0, 1.0),
            );
            let square = v.dot(v);
            if square > 0.01 && square < 1.0 {
                return narrow3(v / square.sqrt());
            }
        }
    }

    pub(super) fn real(&mut self, low: Double, high: Double) -> Real {
        crate::math::narrow(self.range(low, high))
    }

    pub(super) fn quat(&mut self) -> Quat {
        loop {
            let mut c = || self.real(-1.0, 1.0);
            let q = Quat::from_xyzw(c(), c(), c(), c());
            let square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
            if square > 0.01 && square < 1.0 {
                return quat_normalize(q);
            }
        }
    }

    /// A rotation by `angle` (rad) about a random axis.
    pub(super) fn turn(&mut self, angle: Real) -> Quat {
        crate::math::quat_exp(self.unit() * angle)
    }

    /// A hull of points on a random ellipsoid or in a random box.
    pub(super) fn hull(&mut self, n: usize) -> Hull {
        let size = Vec3::new(self.real(0.3, 1.0), self.real(0.3, 1.0), self.real(0.3, 1.0));
        let on_sphere = self.below(2) == 0 || n > 20;
        loop {
            let points: Vec<Vec3> = (0..n)
                .map(|_| {
                    if on_sphere {
                        self.unit() * size
                    } else {
                        Vec3::new(self.real(-1.0, 1.0), self.real(-1.0, 1.0), self.real(-1.0, 1.0))
                            * size
                    }
                })
                .collect();
            if let Ok(hull) = Hull::convex_hull(&points)
                && hull.inradius > 0.05
            {
                return hull;
            }
        }
    }

    pub(super) fn cuboid(&mut self) -> Hull {
        Hull::cuboid(Vec3::new(self.real(0.2, 2.0), self.real(0.2, 2.0), self.real(0.2, 2.0)))
            .expect("the sizes are in range")
    }

    /// A polytope of up to 70 vertices, a box among them now and then.
    pub(super) fn piece(&mut self) -> Hull {
        match self.below(4) {
            0 => self.cuboid(),
            1 => {
                let n = 30 + self.below(40);
                self.hull(n)
            }
            _ => {
                let n = 5 + self.below(16);
                self.hull(n)
            }
        }
    }
}

/// The metric with a cold cache and no margin.
pub(super) fn cold(a: &Hull, b: &Hull, relative: &Relative, centers: &Centers) -> Ratio {
    warm(a, b, relative, centers, &mut PortalCache::default())
}

/// The metric with this cache and no margin.
pub(super) fn warm(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    centers: &Centers,
    cache: &mut PortalCache,
) -> Ratio {
    match measure(a, b, relative, centers, Real::INFINITY, cache) {
        Measured::Near(ratio) => ratio,
        Measured::Apart { .. } => panic!("nothing is farther apart than an infinite margin"),
    }
}

/// What a step asks: the plane that kept them apart first.
pub(super) fn asked(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    centers: &Centers,
    margin: Real,
    cache: &mut PortalCache,
) -> Measured {
    match still_apart(a, b, relative, margin, cache) {
        Some(separation) => Measured::Apart { normal: cache.normal, separation },
        None => measure(a, b, relative, centers, margin, cache),
    }
}

/// Two pieces in a random relative pose at a ratio between `low` and `high`.
pub(super) fn placed(rng: &mut Rng, a: &Hull, b: &Hull, low: Double, high: Double) -> Relative {
    let rotation = quat_to_mat3(rng.quat());
    let mut relative = Relative { rotation, offset: rng.unit() };
    let ratio = cold(a, b, &relative, &Centers::default()).ratio;
    relative.offset *= rng.real(low, high) / ratio;
    relative
}

pub(super) fn assert_close(value: Real, expected: Double, tolerance: Double, what: &str) {
    let error = (widen(value) - expected).abs();
    assert!(
        error <= tolerance * expected.abs().max(1.0),
        "{what}: {value} is not {expected} (error {error:e})"
    );
}

/// The pose of the first body relative to the second.
pub(super) fn exchanged(relative: &Relative) -> Relative {
    let inverse = relative.rotation.transpose();
    Relative { rotation: inverse, offset: -(inverse * relative.offset) }
}

/// An offset along one axis, or in the plane of two (m); none if it is too short.
pub(super) fn aligned_offset(rng: &mut Rng) -> Option<Vec3> {
    let mut offset = Vec3::ZERO;
    offset[rng.below(3)] = rng.real(0.3, 3.0);
    if rng.below(2) == 0 {
        offset[rng.below(3)] += rng.real(-0.5, 0.5);
    }
    (offset.length() >= 0.1).then_some(offset)
}
