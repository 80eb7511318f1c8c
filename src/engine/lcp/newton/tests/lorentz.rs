//! The stretched cones against their definitions.

use crate::engine::lcp::manifold::{LANES, LaneVectors};
use crate::engine::lcp::newton::lorentz::{Lorentz, Scaling, length};
use crate::engine::lcp::tests::random::Random;
use crate::math::Double;

/// A unit normal.
fn normal(random: &mut Random) -> [Double; 3] {
    let v = random.vector3(1.0);
    let size = v.iter().map(|x| x * x).sum::<Double>().sqrt().max(1e-3);
    v.map(|x| x / size)
}

fn vectors(random: &mut Random, size: Double) -> LaneVectors {
    [(); 3].map(|()| [(); LANES].map(|()| random.signed(size)))
}

/// Points within the cone, some of them near its surface.
fn inside(random: &mut Random, n: &[Double; 3], friction: Double) -> Lorentz {
    let mut x = Lorentz::of(n, friction, 1.0, &vectors(random, 2.0));
    let size = length(&x.across);
    for l in 0..LANES {
        x.along[l] = size[l] + libm::pow(10.0, random.signed(3.0));
    }
    x
}

/// Largest difference, in parts of what is compared.
fn off(x: &Lorentz, y: &Lorentz) -> Double {
    let mut worst: Double = 0.0;
    for l in 0..LANES {
        let of = |x: &Lorentz| [x.along[l], x.across[0][l], x.across[1][l], x.across[2][l]];
        let (a, b) = (of(x), of(y));
        let size = b.iter().fold(1e-300, |m: Double, x| m.max(x.abs()));
        (0..4).for_each(|k| worst = worst.max((a[k] - b[k]).abs() / size));
    }
    worst
}

#[test]
fn the_scaling_takes_one_point_to_the_other() {
    let mut random = Random::new(7);
    for case in 0..500 {
        let friction = if case % 5 == 0 { 0.0 } else { random.unit() };
        let n = normal(&mut random);
        let (s, z) = (inside(&mut random, &n, friction), inside(&mut random, &n, friction));
        let scaling = Scaling::of(&s, &z);
        assert!(off(&scaling.invert(&s), &scaling.apply(&z)) < 1e-5, "W⁻¹ s = W z");
        assert!(off(&scaling.invert_twice(&s), &z) < 1e-5, "W⁻² s = z");
        let x = Lorentz::of(&n, friction, 1.0, &vectors(&mut random, 1.0));
        assert!(off(&scaling.invert(&scaling.apply(&x)), &x) < 1e-4, "W⁻¹ W = 1");
        let twice = scaling.invert(&scaling.invert(&x));
        assert!(off(&scaling.invert_twice(&x), &twice) < 1e-4, "W⁻² = W⁻¹ W⁻¹");
        let y = scaling.apply(&z);
        assert!(off(&y.product(&y.divide(&x)), &x) < 1e-4, "y ∘ (y \\ x) = x");
    }
}

#[test]
fn the_stiffness_is_what_impulses_follow_velocities_by() {
    let mut random = Random::new(8);
    for case in 0..300 {
        let friction = if case % 5 == 0 { 0.0 } else { 0.05 + random.unit() };
        let mu = if friction > 0.0 { friction } else { 1.0 };
        let n = normal(&mut random);
        let (s, z) = (inside(&mut random, &n, friction), inside(&mut random, &n, friction));
        let scaling = Scaling::of(&s, &z);
        let d = scaling.stiffness(&n, friction);
        let u = vectors(&mut random, 1.0);
        let x = scaling.invert_twice(&Lorentz::of(&n, friction, 1.0 / mu, &u));
        // With what lies across, which without friction nothing acts on.
        let want = Lorentz::of(&n, 1.0, 1.0, &x.world(&n, 1.0 / mu));
        let full = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
        let found = full.map(|row| {
            let of = |l: usize| (0..3).map(|k| d[row[k]][l] * u[k][l]).sum::<Double>();
            [0, 1, 2, 3].map(of)
        });
        let found = Lorentz::of(&n, 1.0, 1.0, &found);
        assert!(off(&found, &want) < 1e-7, "case {case}: {found:?} for {want:?}");
    }
}

#[test]
fn a_step_reaches_the_surface_and_no_further() {
    let mut random = Random::new(9);
    let mut ends = 0;
    for case in 0..2000 {
        let friction = if case % 5 == 0 { 0.0 } else { 0.5 };
        let n = normal(&mut random);
        let x = inside(&mut random, &n, friction);
        let d = Lorentz::of(&n, friction, 1.0, &vectors(&mut random, 2.0));
        let reach = x.reach(&d);
        for l in 0..LANES {
            let is_in = |t: Double| {
                let y = x.plus(t, &d);
                y.along[l] > 0.0 && y.along[l] > length(&y.across)[l]
            };
            if reach[l].is_finite() {
                ends += 1;
                let t = reach[l];
                assert!(t > 0.0 && is_in(t * (1.0 - 1e-7)), "case {case}: within up to {t}");
                assert!(!is_in(t * (1.0 + 1e-7)), "case {case}: out of it behind {t}");
            } else {
                assert!(is_in(1e3) && is_in(1e6), "case {case}: all of it is within");
            }
        }
    }
    assert!(ends > 1000, "{ends} ways end");
}
