//! Seeded random numbers for tests.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

use crate::math::Double;

/// How many times as long the longest random tests run: 1, unless `ORTHANT_TIMES` says another number.
pub(crate) fn times() -> usize {
    std::env::var("ORTHANT_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> Double {
        (self.bits() >> 11) as Double / (1u64 << 53) as Double
    }

    /// Uniform in [-size, size).
    pub(crate) fn signed(&mut self, size: Double) -> Double {
        size * (2.0 * self.unit() - 1.0)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub(crate) fn vector3(&mut self, size: Double) -> [Double; 3] {
        [self.signed(size), self.signed(size), self.signed(size)]
    }
}
