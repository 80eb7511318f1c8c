//! Seeded random numbers for tests (splitmix64).

use crate::math::Double;

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
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
