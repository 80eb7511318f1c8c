//! Hostile input made from bytes: numbers of every kind, shapes, whole worlds; and what must hold of them.
//!
//! Bytes come from a generator of random numbers or from a fuzzer that looks for those that reach new code.
//! Each function here makes something of them and tells what is wrong with it, in words. A panic or a call
//! that does not return is for the caller to see.

#[cfg(feature = "bevy")]
mod app;
mod geometry;
mod joint;
mod life;
mod snapshot;
mod solvers;
mod world;

use orthant::engine::shape::Shape;
use orthant::math::{Quat, Real, Vec3};

#[cfg(feature = "bevy")]
pub use self::app::{AppOutcome, play_app, play_app_back_and_forth};
pub use self::geometry::{check_hull, check_metric};
pub use self::joint::check_joint;
pub use self::snapshot::{HEAD, check_snapshot, with_checksum};
pub use self::solvers::check_solvers;
pub use self::world::{KINDS, Kind, Outcome, play, play_within};
use crate::random::Rng;
use crate::support::{cuboid, sphere};

/// Bytes that decide; zeros when there are no more.
#[derive(Clone, Debug)]
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Below 256.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 1
    }

    fn bits(&mut self) -> u32 {
        u32::from_le_bytes([0; 4].map(|_: u8| self.byte()))
    }

    /// Between -1 and 1.
    pub fn signed(&mut self) -> Real {
        let x = i16::from_le_bytes([self.byte(), self.byte()]);
        Real::from(x) / Real::from(i16::MAX)
    }

    /// Between two numbers.
    pub fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * (0.5 + 0.5 * self.signed())
    }

    /// A number: one of 32 is absurd or of any bits, the others are up to `scale`, of either sign.
    pub fn number(&mut self, scale: Real) -> Real {
        match self.below(64) {
            1 => ABSURD[self.below(ABSURD.len())],
            2 => narrow32(f32::from_bits(self.bits())),
            _ => self.signed() * scale,
        }
    }

    /// As [`number`](Self::number), with an ordinary one above zero.
    pub fn positive(&mut self, scale: Real) -> Real {
        let x = self.number(scale);
        if x.abs() <= scale { x.abs().max(0.01 * scale) } else { x }
    }

    pub fn vector(&mut self, scale: Real) -> Vec3 {
        Vec3::new(self.number(scale), self.number(scale), self.number(scale))
    }

    pub fn rotation(&mut self) -> Quat {
        let v = self.vector(1.0);
        Quat::from_xyzw(v.x, v.y, v.z, self.number(1.0))
    }
}

fn narrow32(x: f32) -> Real {
    #[allow(clippy::useless_conversion, reason = "Real may be f64")]
    Real::from(x)
}

/// Numbers on which arithmetic fails.
const ABSURD: [Real; 25] = [
    0.0,
    -0.0,
    Real::NAN,
    Real::INFINITY,
    Real::NEG_INFINITY,
    Real::MAX,
    Real::MIN,
    Real::MIN_POSITIVE,
    // Below the smallest normal number, of single precision and of either.
    1e-42,
    -1e-42,
    Real::MIN_POSITIVE / 4.0,
    1e-30,
    1e-12,
    1e-5,
    1e-4,
    -1.0,
    100.0,
    1e4,
    1e6,
    -1e6,
    1e9,
    1e15,
    1e19,
    -1e25,
    1e30,
];

/// A shape, or none where the bytes make none.
pub fn shape(bytes: &mut Bytes) -> Option<Shape> {
    let [a, b, c] = [0; 3].map(|_| bytes.positive(1.0));
    match bytes.below(12) {
        0 => Shape::sphere(0.5 * a).ok(),
        1 => Shape::capsule(0.5 * a, b).ok(),
        2 => Shape::cylinder(0.5 * a, b).ok(),
        3 => Shape::cone(0.5 * a, b).ok(),
        4 => Shape::ellipsoid(a, b, c).ok(),
        5 => Shape::round_cuboid(a, b, c, bytes.positive(0.1)).ok(),
        6 => {
            let points: Vec<Vec3> = (0..4 + bytes.below(20)).map(|_| bytes.vector(0.5)).collect();
            Shape::convex_hull(&points).ok()
        }
        7 => {
            let points: Vec<Vec3> = (0..3 + bytes.below(8)).map(|_| bytes.vector(1.0)).collect();
            let n = points.len();
            let triangle = |_| [0; 3].map(|_: u32| bytes.below(n + 1) as u32);
            let triangles: Vec<[u32; 3]> = (0..1 + n).map(triangle).collect();
            Shape::trimesh(&points, &triangles).ok()
        }
        8 => Shape::half_space(bytes.vector(1.0)).ok(),
        9 => Shape::compound([
            (bytes.vector(1.0), bytes.rotation(), cuboid(0.5, 0.4, 0.3)),
            (Vec3::X, Quat::IDENTITY, sphere(0.2)),
        ])
        .ok(),
        _ => Shape::cuboid(a, b, c).ok(),
    }
}

/// Bytes of a seed.
pub fn random_bytes(seed: u64, n: usize) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    (0..n).map(|_| rng.next_u64() as u8).collect()
}
