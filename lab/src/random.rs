//! Random numbers for scenes and tests: splitmix64, seeded, the same everywhere.

use orthant::math::{Double, PI, PI_DOUBLE, Quat, Real, Vec3, narrow, quat_exp, sin_cos_double};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

/// How many times as long the longest random tests run: 1, unless `ORTHANT_TIMES` says another number.
pub fn times() -> usize {
    std::env::var("ORTHANT_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// A generator of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
    /// A generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// A generator seeded as it was when other engines were measured on scenes.
    pub fn of_scene(seed: u64) -> Self {
        Self::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, n).
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n as u64) as usize
    }

    /// Uniform in [0, 1), of 53 bits.
    pub fn unit(&mut self) -> Double {
        (self.next_u64() >> 11) as Double / (1_u64 << 53) as Double
    }

    /// Uniform between two numbers, of 53 bits.
    pub fn between(&mut self, low: Double, high: Double) -> Double {
        low + (high - low) * self.unit()
    }

    /// Uniform between two numbers, of 24 bits: the same in either precision.
    pub fn range(&mut self, low: Real, high: Real) -> Real {
        let unit = (self.next_u64() >> 40) as Real / (1_u64 << 24) as Real;
        low + (high - low) * unit
    }

    /// Uniform in a cube.
    pub fn vector(&mut self, low: Real, high: Real) -> Vec3 {
        Vec3::new(self.range(low, high), self.range(low, high), self.range(low, high))
    }

    /// Some rotation: that of a vector in a cube.
    pub fn rotation(&mut self) -> Quat {
        quat_exp(self.vector(-PI, PI))
    }

    /// A rotation, uniform.
    pub fn uniform_rotation(&mut self) -> Quat {
        let first = self.unit();
        let (s2, c2) = sin_cos_double(self.unit() * 2.0 * PI_DOUBLE);
        let (s3, c3) = sin_cos_double(self.unit() * 2.0 * PI_DOUBLE);
        let (a, b) = ((1.0 - first).sqrt(), first.sqrt());
        Quat::from_xyzw(narrow(a * s2), narrow(a * c2), narrow(b * s3), narrow(b * c3))
    }

    /// A direction, uniform on the sphere.
    pub fn direction(&mut self) -> [Double; 3] {
        let z = self.between(-1.0, 1.0);
        let (sin, cos) = sin_cos_double(self.between(0.0, 2.0 * PI_DOUBLE));
        let s = (1.0 - z * z).sqrt();
        [s * cos, s * sin, z]
    }

    /// A random order of the numbers below `n`.
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}
