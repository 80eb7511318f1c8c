//! Balls, capsules and rounded boxes.

use super::*;
use crate::math::widen3;

fn rounded_piece(rng: &mut Rng) -> Hull {
    match rng.below(4) {
        0 => Hull::sphere(rng.real(0.1, 1.0)).expect("the radius is in range"),
        1 => {
            let (radius, length) = (rng.real(0.1, 0.5), rng.real(0.1, 2.0));
            Hull::capsule(radius, length).expect("the lengths are in range")
        }
        2 => {
            let mut hull = rng.cuboid();
            hull.radius = rng.real(0.01, 0.3);
            hull.inradius += hull.radius;
            hull.bounding_radius += hull.radius;
            hull
        }
        _ => rng.piece(),
    }
}

/// The best bound near `n`: the bounds are quasi-concave in `n`, so a local maximum is the ratio.
fn best_bound_near(rng: &mut Rng, a: &Hull, b: &Hull, relative: &Relative, n: Vec3) -> Double {
    let centers = Centers::default();
    let mut n = widen3(n);
    let mut best = oracle::bound(a, b, relative, &centers, n);
    let mut step = 0.3;
    while step > 1e-8 {
        let mut improved = false;
        for _ in 0..24 {
            let trial = (n + widen3(rng.unit()) * step).normalize();
            let (denominator, reach) = oracle::bounds(a, b, relative, &centers, trial);
            if denominator > 0.0 && denominator / reach > best {
                best = denominator / reach;
                n = trial;
                improved = true;
            }
        }
        if !improved {
            step *= 0.5;
        }
    }
    best
}

#[test]
fn balls_grow_with_their_radii() {
    let mut rng = Rng::new(31);
    for _ in 0..500 {
        let (r_a, r_b) = (rng.real(0.1, 2.0), rng.real(0.1, 2.0));
        let a = Hull::sphere(r_a).expect("the radius is in range");
        let b = Hull::sphere(r_b).expect("the radius is in range");
        let offset = rng.unit() * rng.real(0.01, 5.0);
        let relative = Relative { rotation: quat_to_mat3(rng.quat()), offset };
        let found = cold(&a, &b, &relative, &Centers::default());
        let length = widen3(offset).length();
        let expected = length / (widen(r_a) + widen(r_b));
        assert_close(found.ratio, expected, TOLERANCE, "ratio of balls");
        assert_close(found.separation, length - widen(r_a) - widen(r_b), TOLERANCE, "distance");
        assert!((found.normal - offset.normalize()).length() < 1e-6, "central normal");
    }
}

#[test]
fn rounded_pieces_reach_the_best_bound() {
    let mut rng = Rng::new(32);
    let mut most = 0;
    for k in 0..1500 {
        let (a, b) = (rounded_piece(&mut rng), rounded_piece(&mut rng));
        if a.radius + b.radius == 0.0 {
            continue;
        }
        let relative = placed(&mut rng, &a, &b, 0.1, 3.0);
        let found = cold(&a, &b, &relative, &Centers::default());
        assert_eq!(found.status, Status::Exact, "case {k}: the ascent closes");
        let best = best_bound_near(&mut rng, &a, &b, &relative, found.normal);
        assert_close(found.ratio, best, TOLERANCE, "ratio of rounded pieces");
        most = most.max(found.iterations);
    }
    println!("most iterations {most}");
    assert!(most <= 30, "the ascent is short: {most}");
}

#[test]
fn aligned_rounded_pieces_reach_the_best_bound() {
    let mut rng = Rng::new(33);
    for k in 0..800 {
        let (a, b) = (rounded_piece(&mut rng), rounded_piece(&mut rng));
        if a.radius + b.radius == 0.0 {
            continue;
        }
        let Some(offset) = aligned_offset(&mut rng) else { continue };
        let relative = Relative { rotation: Mat3::IDENTITY, offset };
        let found = cold(&a, &b, &relative, &Centers::default());
        assert_eq!(found.status, Status::Exact, "case {k}: the ascent closes");
        let best = best_bound_near(&mut rng, &a, &b, &relative, found.normal);
        assert_close(found.ratio, best, TOLERANCE, "ratio of aligned rounded pieces");
    }
}

#[test]
fn a_warm_ascent_along_a_motion_equals_a_cold_one() {
    let mut rng = Rng::new(34);
    for _ in 0..100 {
        let (a, b) = (rounded_piece(&mut rng), rounded_piece(&mut rng));
        let mut relative = placed(&mut rng, &a, &b, 0.5, 1.5);
        let home = relative.offset;
        let mut rotation = rng.quat();
        let mut cache = PortalCache::default();
        for _ in 0..50 {
            rotation = quat_normalize(quat_mul(rng.turn(0.02), rotation));
            relative.rotation = quat_to_mat3(rotation);
            relative.offset = home + (relative.offset - home) * 0.9 + rng.unit() * 0.01;
            let one = warm(&a, &b, &relative, &Centers::default(), &mut cache);
            let two = cold(&a, &b, &relative, &Centers::default());
            assert_close(one.ratio, widen(two.ratio), TOLERANCE, "warm ratio");
        }
    }
}

#[test]
fn a_ball_on_a_face_has_the_face_normal() {
    let a = Hull::cuboid(Vec3::new(4.0, 1.0, 4.0)).expect("a box is a hull");
    let b = Hull::sphere(0.5).expect("a ball is a hull");
    let relative = Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(0.3, 0.99, -0.2) };
    let found = cold(&a, &b, &relative, &Centers::default());
    assert_eq!(found.normal, Vec3::Y, "exactly the normal of the face");
    assert!(matches!(found.contact, Contact::FaceOfA(_)), "a face of the box");
    assert_close(found.ratio, 0.99, TOLERANCE, "ratio");
    assert_close(found.separation, -0.01, TOLERANCE, "separation");
}
