//! Cylinders, cones, ellipsoids and rounded pieces: closed forms, certificates, laws.

use super::*;
use crate::math::{DVec3, narrow, widen_mat3, widen3};
use crate::papers::one_sided::one_sided;

/// Agreement in the precision of the build: 1e-6 or 1e-12.
const FINE: Double = if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 };

fn made(hull: Result<Hull, crate::engine::geometry::shape::ShapeError>) -> Hull {
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
        let step = 1.0 / Double::from(1_u32 << power);
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
    let (mut most, mut sum, mut worst) = (0, 0, 0.0 as Double);
    for k in 0..3000 {
        let (a, b) = pieces(&mut rng);
        let relative = placed(&mut rng, &a, &b, 0.05, 3.0);
        let found = cold(&a, &b, &relative, &Centers::default());
        assert_eq!(found.status, Status::Exact, "case {k} closes");
        let best = best_bound(&mut rng, &a, &b, &relative, Vec3::ZERO, found.normal);
        assert_close(found.ratio, best, FINE, "ratio");
        let (d, h) = bounds(&a, &b, &relative, Vec3::ZERO, widen3(found.normal));
        assert_close(found.ratio, d / h, FINE, "certificate");
        assert_close(found.separation, d - h, FINE, "separation");
        worst = worst.max((widen(found.ratio) / best - 1.0).abs());
        most = most.max(found.iterations);
        sum += found.iterations;
    }
    println!("iterations: most {most}, sum {sum}, worst {worst:e}");
    assert!(most <= 60 && sum <= 3000 * 9, "few iterations: {most}, {sum}");
}

#[test]
fn shifted_centers_reach_the_best_bound() {
    let mut rng = Rng::new(62);
    for _ in 0..1000 {
        let (a, b) = pieces(&mut rng);
        let relative = placed(&mut rng, &a, &b, 0.5, 2.0);
        let c_a = scaling_center(&a, relative.offset);
        let c_b = scaling_center(&b, relative.rotation.transpose() * (c_a - relative.offset));
        let centers = Centers::new(&a, c_a, &b, c_b, &relative);
        assert!(centers.inner > 0.0, "the centers are inside");
        if (relative.offset - centers.shift).length() < 0.01 {
            continue;
        }
        let found = cold(&a, &b, &relative, &centers);
        assert_eq!(found.status, Status::Exact, "the search closes");
        let best = best_bound(&mut rng, &a, &b, &relative, centers.shift, found.normal);
        // A ratio about centers close together has the rounding of their offset.
        let offset = widen((relative.offset - centers.shift).length());
        assert_close(found.ratio, best, 4.0 * FINE * (1.0 + 1.0 / offset), "ratio");
    }
}

#[test]
fn centers_are_inside_near_the_other_body() {
    let mut rng = Rng::new(63);
    for _ in 0..500 {
        let hull = curved_piece(&mut rng);
        let toward = rng.unit() * rng.real(0.0, 100.0);
        let center = scaling_center(&hull, toward);
        for _ in 0..50 {
            let n = widen3(rng.unit());
            let depth = hull.core_point(n, 0).dot(n) + widen(hull.radius) - widen3(center).dot(n);
            let least = 0.49 * widen(hull.inradius);
            assert!(depth >= least, "{depth} deep, at least {least}");
        }
    }
    let disc = made(Hull::cylinder(50.0, 1.0));
    let center = scaling_center(&disc, Vec3::new(30.0, 2.0, 20.0));
    assert!((center - Vec3::new(30.0, 0.25, 20.0)).length() < 1e-4, "above: {center}");
    let flat = made(Hull::ellipsoid(Vec3::new(100.0, 1.0, 100.0)));
    let center = scaling_center(&flat, Vec3::new(10.0, 2.0, 0.0));
    assert!((center.x - 10.0).abs() < 0.1 && center.y > 0.2, "above: {center}");
}

#[test]
fn exchange_and_rigid_motion_change_nothing() {
    let mut rng = Rng::new(64);
    for k in 0..1000 {
        let (a, b) = pieces(&mut rng);
        let relative = placed(&mut rng, &a, &b, 0.2, 2.0);
        let swapped = exchanged(&relative);
        let one = cold(&a, &b, &relative, &Centers::default());
        let two = cold(&b, &a, &swapped, &Centers::default());
        assert_close(two.ratio, widen(one.ratio), 4.0 * FINE, "ratio of the exchanged pair");
        let change = widen3(-(relative.rotation * two.normal) - one.normal).length();
        let tolerance = if size_of::<Real>() == 4 { 2e-3 } else { 1e-6 };
        assert!(change < tolerance, "case {k}: normals differ by {change:e}");
        let turn = quat_to_mat3(rng.quat());
        let at = Vec3::new(1.0, -2.0, 0.5);
        let moved = Relative::new(at, turn, at + turn * relative.offset, turn * relative.rotation);
        let three = cold(&a, &b, &moved, &Centers::default());
        assert_close(three.ratio, widen(one.ratio), 8.0 * FINE, "ratio of the moved pair");
        let half = Relative { offset: relative.offset * 0.5, ..relative };
        let four = cold(&a, &b, &half, &Centers::default());
        assert_close(2.0 * four.ratio, widen(one.ratio), FINE, "half the offset");
    }
}

#[test]
fn warm_searches_along_a_motion_equal_cold_ones() {
    let mut rng = Rng::new(65);
    let (mut warm_sum, mut cold_sum) = (0, 0);
    for _ in 0..100 {
        let (a, b) = pieces(&mut rng);
        let mut relative = placed(&mut rng, &a, &b, 0.5, 1.5);
        let home = relative.offset;
        let mut rotation = rng.quat();
        let mut cache = PortalCache::default();
        for step in 0..50 {
            let pace = if step % 10 == 9 { 0.5 } else { 0.01 };
            rotation = quat_normalize(quat_mul(rng.turn(rng_angle(step, pace)), rotation));
            relative.rotation = quat_to_mat3(rotation);
            relative.offset = home + (relative.offset - home) * 0.9 + rng.unit() * 0.01;
            let one = warm(&a, &b, &relative, &Centers::default(), &mut cache);
            let two = cold(&a, &b, &relative, &Centers::default());
            assert_eq!(one.status, Status::Exact, "the search closes");
            assert_close(one.ratio, widen(two.ratio), FINE, "warm ratio");
            warm_sum += one.iterations;
            cold_sum += two.iterations;
        }
    }
    println!("iterations warm {warm_sum}, cold {cold_sum}");
    assert!(warm_sum * 3 < cold_sum * 2, "a cache helps: {warm_sum} of {cold_sum}");
}

fn rng_angle(step: usize, pace: Real) -> Real {
    pace * (step % 7) as Real / 7.0
}

#[test]
fn stale_caches_are_survived_and_apart_is_certified() {
    let mut rng = Rng::new(66);
    let (mut apart, mut near) = (0, 0);
    for _ in 0..100 {
        let (a, b) = pieces(&mut rng);
        let mut relative = placed(&mut rng, &a, &b, 1.0, 1.1);
        let home = relative.offset;
        let mut cache = PortalCache::default();
        for step in 0..50 {
            if step % 10 == 9 {
                let mut id = || (rng.next() % 100) as u32;
                cache.ids = [[id(), id()], [id(), id()], [id(), id()]];
                cache.hints = [id(), id()];
                cache.contact = Contact::FaceOfB(id());
                cache.normal = rng.unit();
            }
            relative.offset = home * rng.real(0.9, 1.3) + rng.unit() * 0.1;
            let found = measure(&a, &b, &relative, &Centers::default(), 0.05, &mut cache);
            match found {
                Measured::Apart { normal, separation } => {
                    let (d, h) = bounds(&a, &b, &relative, Vec3::ZERO, widen3(normal));
                    assert!(separation > 0.05 && d > 0.0, "apart by more than the margin");
                    assert_close(separation, d - h, 4.0 * FINE, "separation of the plane");
                    apart += 1;
                }
                Measured::Near(ratio) => {
                    assert!(ratio.separation <= 0.05, "near within the margin");
                    let expected = cold(&a, &b, &relative, &Centers::default()).ratio;
                    assert_close(ratio.ratio, widen(expected), FINE, "ratio");
                    near += 1;
                }
            }
        }
    }
    assert!(apart > 500 && near > 500, "both answers occur: {apart} apart, {near} near");
}

#[test]
fn simple_pairs_have_closed_forms() {
    let at = |x: Double, y: Double, z: Double| Relative {
        rotation: Mat3::IDENTITY,
        offset: Vec3::new(narrow(x), narrow(y), narrow(z)),
    };
    let check = |a: &Hull, b: &Hull, r: Relative, ratio: Double, normal: Vec3, what: &str| {
        let found = cold(a, b, &r, &Centers::default());
        assert_close(found.ratio, ratio, 2.0 * FINE, what);
        assert!((found.normal - normal).length() < 1e-6, "{what}: normal {}", found.normal);
    };
    let (x, y) = (Vec3::X, Vec3::Y);
    let ball = made(Hull::sphere(0.5));
    let egg = made(Hull::ellipsoid(Vec3::new(1.0, 2.0, 3.0)));
    check(&ball, &egg, at(2.0, 0.0, 0.0), 2.0, x, "ball beside an ellipsoid");
    check(&ball, &egg, at(0.0, 1.0, 0.0), 1.0 / 1.5, y, "ball above an ellipsoid");
    check(&egg, &ball, at(0.0, 0.0, -4.0), 2.0, -Vec3::Z, "ball below an ellipsoid");
    let tall = made(Hull::cylinder(0.5, 2.0));
    check(&tall, &tall, at(0.1, 2.5, 0.2), 1.25, y, "cap on cap");
    check(&tall, &tall, at(3.0, 0.4, 0.0), 3.0, x, "side by side");
    check(&tall, &ball, at(2.0, 0.3, 0.0), 2.0, x, "ball beside a cylinder");
    let cone = made(Hull::cone(0.5, 2.0));
    check(&cone, &tall, at(0.1, 3.0, 0.0), 3.0 / 2.5, y, "cylinder on the tip of a cone");
    check(&cone, &tall, at(0.1, -3.0, 0.0), 2.0, -y, "cylinder under a cone");
    let cube = made(Hull::cuboid(Vec3::ONE));
    check(&cube, &tall, at(0.2, 1.4, 0.1), 1.4 / 1.5, y, "cylinder on a box");
    check(&cube, &cone, at(0.2, 0.9, 0.1), 0.9, y, "cone on a box");
    let found = cold(&cube, &cone, &at(0.2, 0.9, 0.1), &Centers::default());
    assert_eq!(found.normal, Vec3::Y, "exactly the normal of the face");
    assert_ne!(found.contact, Contact::Smooth, "a face or a cap");
    // Two unlike ellipsoids along a common axis of a family of confocal ones.
    let flat = made(Hull::ellipsoid(Vec3::new(0.2, 4.0, 0.4)));
    check(&egg, &flat, at(0.9, 0.0, 0.0), 0.9 / 0.6, x, "ellipsoids along an axis");
}

#[test]
fn an_ellipsoid_with_equal_axes_is_a_ball() {
    let mut rng = Rng::new(67);
    for _ in 0..500 {
        let radius = rng.real(0.1, 1.0);
        let ball = made(Hull::sphere(radius));
        let egg = made(Hull::ellipsoid(Vec3::splat(2.0 * radius)));
        let other = any_piece(&mut rng);
        let relative = placed(&mut rng, &egg, &other, 0.2, 2.0);
        let one = cold(&egg, &other, &relative, &Centers::default());
        let two = cold(&ball, &other, &relative, &Centers::default());
        assert_close(one.ratio, widen(two.ratio), TOLERANCE, "a ball");
    }
}

#[test]
fn half_spaces_are_height_over_support() {
    let mut rng = Rng::new(68);
    for _ in 0..500 {
        let hull = curved_piece(&mut rng);
        let rotation = quat_to_mat3(rng.quat());
        let (normal, height) = (rng.unit(), rng.real(0.05, 3.0));
        let found = measure_half_space(&hull, rotation, height, normal);
        let point = made(Hull::sphere(1.0));
        let relative = Relative { rotation, offset: normal * height };
        let (_, reach) = bounds(&point, &hull, &relative, Vec3::ZERO, widen3(normal));
        let reach = reach - widen3(normal).length();
        assert_close(found.ratio, widen(height) / reach, 4.0 * FINE, "one-sided ratio");
        assert_close(found.separation, widen(height) - reach, 4.0 * FINE, "separation");
    }
}

#[test]
fn only_the_moving_body_grows_one_sidedly() {
    let ball = made(Hull::sphere(0.5));
    let tall = made(Hull::cylinder(0.5, 2.0));
    let at = |x: Real, y: Real| Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(x, y, 0.0) };
    assert_close(one_sided(&ball, &tall, &at(2.0, 0.3)), 3.0, TOLERANCE, "ball to a side");
    assert_close(one_sided(&tall, &ball, &at(2.0, 0.3)), 3.0, TOLERANCE, "cylinder to a ball");
    assert_close(one_sided(&tall, &tall, &at(0.1, 2.5)), 1.5, TOLERANCE, "cap to cap");
}

#[test]
fn extreme_bodies_are_survived() {
    let mut rng = Rng::new(69);
    let mut open = 0;
    for k in 0..3000 {
        let mut length = || {
            let power = rng.below(7) as i32 - 3;
            [1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3][(power + 3) as usize] * rng.real(1.0, 3.0)
        };
        let (x, y, z) = (length(), length(), length());
        let piece = |kind| match kind {
            0 => made(Hull::cylinder(x, y)),
            1 => made(Hull::cone(x, z)),
            2 => made(Hull::ellipsoid(Vec3::new(x, y, z))),
            3 => made(Hull::round_cylinder(x, y, z)),
            _ => made(Hull::cuboid(Vec3::new(x, y, z))),
        };
        let (i, j) = (rng.below(4), rng.below(5));
        let (a, b) = (piece(i), piece(j));
        let rotation = if k % 4 == 0 { Mat3::IDENTITY } else { quat_to_mat3(rng.quat()) };
        let far = [0.0, 1e-9, 1e-3, 1.0, 1e3, 1e6][rng.below(6)];
        let relative = Relative { rotation, offset: rng.unit() * far };
        let found = cold(&a, &b, &relative, &Centers::default());
        assert!(found.ratio.is_finite() && found.ratio > 0.0, "a ratio: {found:?}");
        assert!(found.normal.is_finite() && found.separation.is_finite(), "finite: {found:?}");
        assert!((found.normal.length() - 1.0).abs() < 1e-5, "a unit normal");
        if found.status == Status::Bound {
            open += 1;
        } else if found.status == Status::Exact && widen(found.denominator) > 0.0 {
            let (d, h) = bounds(&a, &b, &relative, Vec3::ZERO, widen3(found.normal));
            let size = widen(a.bounding_radius + b.bounding_radius) + d;
            let error = (widen(found.separation) - (d - h)).abs();
            assert!(error < 4.0 * FINE * size, "case {k}: separation off by {error:e}");
        }
    }
    println!("open {open}");
    assert!(open <= 30, "nearly all close: {open} do not");
    for bad in [Real::NAN, Real::INFINITY] {
        let relative = Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(bad, 0.0, 0.0) };
        let tall = made(Hull::cylinder(0.5, 2.0));
        let mut cache = PortalCache::default();
        let found = measure(&tall, &tall, &relative, &Centers::default(), 1.0, &mut cache);
        assert!(matches!(found, Measured::Apart { .. }), "not a number touches nothing");
    }
}

#[test]
fn aligned_pairs_close() {
    let mut rng = Rng::new(70);
    let mut most = 0;
    for k in 0..4000 {
        let (a, b) = pieces(&mut rng);
        let quarter = |rng: &mut Rng| [0.0, 0.5, 1.0, 0.25][rng.below(4)] * crate::math::PI;
        let axis = [Vec3::X, Vec3::Y, Vec3::Z][rng.below(3)];
        let tilt = [0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3][rng.below(7)];
        let q = quat_mul(rng.turn(tilt), crate::math::quat_exp(axis * quarter(&mut rng)));
        let Some(offset) = aligned_offset(&mut rng) else { continue };
        let relative = Relative { rotation: quat_to_mat3(quat_normalize(q)), offset };
        let found = cold(&a, &b, &relative, &Centers::default());
        assert_eq!(
            found.status,
            Status::Exact,
            "case {k}: {:?} {:?} {relative:?}",
            a.curve,
            b.curve
        );
        let best = best_bound(&mut rng, &a, &b, &relative, Vec3::ZERO, found.normal);
        assert_close(found.ratio, best, 4.0 * FINE, &format!("case {k}"));
        most = most.max(found.iterations);
    }
    println!("most iterations {most}");
}
