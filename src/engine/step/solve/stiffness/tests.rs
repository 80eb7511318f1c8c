//! The stiffness against differences, its positive part against its definition.

use super::of;
use crate::engine::lcp::tests::random;
use crate::math::{DVec3, Double, Sym, sym_positive_part, sym_times};

/// Random numbers, as these tests want them.
struct Rng(random::Random);

impl Rng {
    /// Uniform in [-1, 1).
    fn unit(&mut self) -> Double {
        (self.0.bits() >> 11) as Double / (1_u64 << 52) as Double - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    fn matrix(&mut self) -> Sym {
        core::array::from_fn(|_| self.unit())
    }
}

fn quadratic(a: &Sym, x: DVec3) -> Double {
    sym_times(a, x).dot(x)
}

#[test]
fn it_is_how_the_torque_of_a_constant_force_changes() {
    let mut rng = Rng(random::Random::new(1));
    for _ in 0..100 {
        let (r, f, turn) = (rng.vector(), rng.vector(), rng.vector());
        let eps = 1e-6;
        let arm = |sign: Double| r + (turn * (sign * eps)).cross(r);
        let change = (arm(1.0).cross(f) - arm(-1.0).cross(f)) / (2.0 * eps);
        // Only the symmetric part does work over a turn.
        let k = quadratic(&of(r, f), turn);
        assert!((change.dot(turn) + k).abs() < 1e-9, "{change} against {k}");
    }
}

#[test]
fn the_positive_part_is_the_nearest_positive_matrix() {
    let mut rng = Rng(random::Random::new(2));
    for _ in 0..200 {
        let a = rng.matrix();
        let plus = sym_positive_part(&a);
        let minus: Sym = core::array::from_fn(|k| plus[k] - a[k]);
        for _ in 0..20 {
            let x = rng.vector();
            assert!(quadratic(&plus, x) > -1e-12, "the part is not negative");
            assert!(quadratic(&minus, x) > -1e-12, "what is taken away is not positive");
        }
        // Both parts together make the matrix, and their product is zero.
        for k in 0..3 {
            let mut e = [0.0; 3];
            e[k] = 1.0;
            let product = sym_times(&plus, sym_times(&minus, DVec3::from_array(e)));
            assert!(product.to_array().iter().all(|x| x.abs() < 1e-12), "{product:?}");
        }
    }
}
