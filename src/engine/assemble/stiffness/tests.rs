//! The stiffness against differences, its positive part against its definition.

use super::{Load, Sym, inverse, positive_part, stiffen, stiffness, times};
use crate::engine::lcp::BodyBlock;
use crate::math::{DVec3, Double};

/// splitmix64.
struct Rng(u64);

impl Rng {
    /// Uniform in [-1, 1).
    fn unit(&mut self) -> Double {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as Double / (1_u64 << 52) as Double - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    fn matrix(&mut self) -> Sym {
        core::array::from_fn(|_| self.unit())
    }
}

fn quadratic(a: &Sym, x: DVec3) -> Double {
    DVec3::from_array(times(a, x.to_array())).dot(x)
}

#[test]
fn it_is_how_the_torque_of_a_constant_force_changes() {
    let mut rng = Rng(1);
    for _ in 0..100 {
        let (r, f, turn) = (rng.vector(), rng.vector(), rng.vector());
        let eps = 1e-6;
        let arm = |sign: Double| r + (turn * (sign * eps)).cross(r);
        let change = (arm(1.0).cross(f) - arm(-1.0).cross(f)) / (2.0 * eps);
        // Only the symmetric part does work over a turn.
        let k = quadratic(&stiffness(r, f), turn);
        assert!((change.dot(turn) + k).abs() < 1e-9, "{change} against {k}");
    }
}

#[test]
fn the_positive_part_is_the_nearest_positive_matrix() {
    let mut rng = Rng(2);
    for _ in 0..200 {
        let a = rng.matrix();
        let plus = positive_part(&a);
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
            let product = times(&plus, times(&minus, e));
            assert!(product.iter().all(|x| x.abs() < 1e-12), "{product:?}");
        }
    }
}

fn link(inertia: Sym) -> BodyBlock {
    BodyBlock {
        mass: [1.0; 3],
        inertia,
        inverse_mass: [1.0; 3],
        inverse_inertia: inverse(&inertia),
        velocity_free: [0.1, 0.2, 0.3, 1.0, 2.0, 3.0],
    }
}

#[test]
fn a_light_load_changes_nothing() {
    let block = link([1.0, 2.0, 3.0, 0.1, 0.2, 0.3]);
    let load = Load { stiffness: [3600.0 * 0.5, 1800.0, 1800.0, 0.0, 0.0, 0.0], swing: [0.0; 6] };
    let mut stiff = block;
    stiffen(&mut stiff, &load, 1.0 / 60.0);
    assert_eq!(stiff, block, "h² K is below the inertia");
}

#[test]
fn a_heavy_load_keeps_momentum_and_makes_a_turn_small() {
    let inertia = [1.0, 2.0, 3.0, 0.1, 0.2, 0.3];
    let (mut block, h) = (link(inertia), 0.1);
    let k = [1e6, 1e6, 0.0, 0.0, 0.0, 0.0];
    stiffen(&mut block, &Load { stiffness: k, swing: [0.0; 6] }, h);
    let spin = [block.velocity_free[3], block.velocity_free[4], block.velocity_free[5]];
    let (before, after) = (times(&inertia, [1.0, 2.0, 3.0]), times(&block.inertia, spin));
    for (x, y) in before.iter().zip(after) {
        assert!((x - y).abs() < 1e-9, "momentum {before:?} became {after:?}");
    }
    // (I + D) is h² K about the loaded axes.
    assert!((block.inertia[0] / 1e4 - 1.0).abs() < 1e-3, "{:?}", block.inertia);
    assert!(spin[0].abs() < 1e-3, "{spin:?}");
    assert!((block.velocity_free[0] - 0.1).abs() < 1e-15, "translation is as it was");
}

#[test]
fn a_body_held_at_a_point_swings_about_it() {
    // A small ball on a long arm: stiff about its center, but it swings about the hook.
    let (arm, m) = (DVec3::new(0.0, 2.0, 0.0), 5.0);
    let mut block = link([0.001, 0.001, 0.001, 0.0, 0.0, 0.0]);
    let before = block;
    let load =
        Load { stiffness: stiffness(arm, arm * (m * 9.81 / 2.0)), swing: stiffness(arm, arm * m) };
    stiffen(&mut block, &load, 1.0 / 60.0);
    assert_eq!(block, before, "a pendulum keeps its inertia");
}

#[test]
fn a_locked_axis_stays_locked() {
    let mut block = link([1.0, 1.0, 2.0, 0.0, 0.0, 0.0]);
    block.inverse_inertia = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0];
    block.velocity_free = [0.0, 0.0, 0.0, 0.0, 0.0, 4.0];
    stiffen(
        &mut block,
        &Load { stiffness: [1e6, 1e6, 400.0, 0.0, 1e5, 0.0], swing: [0.0; 6] },
        0.1,
    );
    // D = h² K - I = 4 - 2.
    let [x, y, z, xy, xz, yz] = block.inverse_inertia;
    assert_eq!([x, y, xy, xz, yz], [0.0; 5], "only z turns");
    assert!((z - 0.25).abs() < 1e-12, "{z}");
    assert_eq!(block.velocity_free[3..5], [0.0; 2], "only about z");
    assert!((block.velocity_free[5] - 2.0).abs() < 1e-12, "half as fast");
}
