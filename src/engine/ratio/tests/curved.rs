//! Cylinders, cones, ellipsoids and rounded pieces: closed forms, certificates, laws.

use super::*;
use crate::math::{DVec3, narrow, widen_mat3, widen3};

/// Agreement in the precision of the build: 1e-6 or 1e-12.
const FINE: Double = if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 };

fn made(hull: Result<Hull, crate::engine::shape::ShapeError>) -> Hull {
    hull.expect("the lengths are in range")
}

fn curved_piece(rng: &mut Rng) -> Hull {
    match rng.below(4) {
        0 => made(Hull::cylinder(rng.real(0.1, 1.0), rng.real(0.1, 2.0))),
        1 => made(Hull::cone(rng.real(0.1, 1.0), rng.real(0.1, 2.0))),
        2 => made(Hull::round_cylinder(rng.real(0.1, 1.0), rng.real(0.1, 2.0), 0.1)),
        _ => {
            let size = Vec3::new(rng.real(0.2, 2.0), rng.real(0.2, 2.0), rng.real(0.2, 2.0));
            made(Hull::ellipsoid(size))
        }
    }
}

fn any_piece(rng: &mut Rng) -> Hull {
    match rng.below(6) {
        0 => made(Hull::sphere(rng.real(0.1, 1.0))),
        1 => made(Hull::capsule(rng.real(0.1, 0.5), rng.real(0.1, 2.0))),
        2 | 3 => rng.piece(),
        _ => curved_piece(rng),
    }
}

/// Two pieces, at least one of them curved, in any order.
fn pieces(rng: &mut Rng) -> (Hull, Hull) {
    let (a, b) = (curved_piece(rng), any_piece(rng));
    if rng.below(2) == 0 { (a, b) } else { (b, a) }
}

/// `n·d` and `H(n) - n·o` from the definitions of the shapes.
fn bounds(a: &Hull, b: &Hull, relative: &Relative, o: Vec3, n: DVec3) -> (Double, Double) {
    let height = |hull: &Hull, n: DVec3| {
        let across = (n.x * n.x + n.z * n.z).sqrt();
        let core = match hull.curve {
            Some(Curve::Cylinder { radius, half_height }) => {
                widen(radius) * across + widen(half_height) * n.y.abs()
            }
            Some(Curve::Cone { radius, height }) => {
                let (r, h) = (widen(radius), widen(height));
                (r * across - 0.25 * h * n.y).max(0.75 * h * n.y)
            }
            Some(Curve::Ellipsoid { half }) => (widen3(half) * n).length(),
            None => {
                let heights = hull.vertices.iter().map(|&v| widen3(v).dot(n));
                heights.fold(Double::NEG_INFINITY, Double::max)
            }
        };
        core + widen(hull.radius) * n.length()
    };
    let rotation = widen_mat3(relative.rotation);
    let o = widen3(o);
    let reach = height(a, n) + height(b, -(rotation.transpose() * n)) - n.dot(o);
    (n.dot(widen3(relative.offset) - o), reach)
}

/// The best bound near `n` by random search: the bounds are quasi-concave in `n`, so there is no
/// other maximum than the ratio.
fn best_bound(rng: &mut Rng, a: &Hull, b: &Hull, relative: &Relative, o: Vec3, n: Vec3) -> Double {
    let mut n = widen3(n).normalize();
    let value = |n: DVec3| {
        let (d, h) = bounds(a, b, relative, o, n);
        if d > 0.0 { d / h } else { 0.0 }
    };
    let mut best = value(n);
    for power in 0..27 {
        let step = 0.5_f64.powi(power);
        for _ in 0..12 {
            let trial = (n + widen3(rng.unit()) * step).normalize();
            if value(trial) > best {
                best = value(trial);
                n = trial;
            }
        }
    }
    best
}

#[test]
fn random_pairs_reach_the_best_bound() {
    let mut rng = Rng::new(61);
    let (mut most, mut sum, mut worst) = (0, 0, 0.0_f64);
    for k in 0..3000 {
        let (a, b) = pieces(&mut rng);
        let relative = placed(&mut rng, &a, &b, 0.05, 3.0);
        let found = cold(&a, &b, &relative, &Centers::default());
        assert_eq!(
            found.status,
            Status::Exact,
            "case {k}: {:?} {:?} {relative:?} {found:?}",
            a.curve,
            b.curve
        );
        let best = best_bound(&mut rng, &a, &b, &relative, Vec3::ZERO, found.normal);
        if (widen(found.ratio) / best - 1.0).abs() > FINE {
            println!(
                "case {k} {best} {:?} {:?} {:?} {:?} {relative:?} {found:?}",
                a.curve,
                b.curve,
                a.vertices.len(),
                b.vertices.len()
            );
        }
        let (d, h) = bounds(&a, &b, &relative, Vec3::ZERO, widen3(found.normal));
        assert_close(found.ratio, d / h, FINE, "certificate");
        assert_close(found.separation, d - h, FINE, "separation");
        worst = worst.max((widen(found.ratio) / best - 1.0).abs());
        most = most.max(found.iterations);
        sum += found.iterations;
    }
    println!("iterations: most {most}, mean {}, worst {worst:e}", sum as f64 / 3000.0);
}
