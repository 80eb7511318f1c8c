//! Parallel faces and edges, offsets along axes, coincident centers, senseless numbers.

use super::*;
use crate::math::widen3;

/// One of the 24 rotations of the cube.
fn quarter_turns(rng: &mut Rng) -> Mat3 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let i = rng.below(3);
    let j = (i + 1 + rng.below(2)) % 3;
    let sign = |rng: &mut Rng| if rng.below(2) == 0 { 1.0 } else { -1.0 };
    let (x, y) = (axes[i] * sign(rng), axes[j] * sign(rng));
    Mat3::from_cols(x, y, x.cross(y))
}

/// An offset along an axis, in a coordinate plane or with small integers as coordinates.
fn special_offset(rng: &mut Rng) -> Vec3 {
    let mut d = Vec3::ZERO;
    while d == Vec3::ZERO {
        match rng.below(3) {
            0 => d[rng.below(3)] = if rng.below(2) == 0 { 1.0 } else { -1.0 },
            1 => {
                d = rng.unit();
                d[rng.below(3)] = 0.0;
            }
            _ => {
                d = Vec3::new(
                    rng.below(5) as Real - 2.0,
                    rng.below(5) as Real - 2.0,
                    rng.below(5) as Real - 2.0,
                );
            }
        }
    }
    d
}

#[test]
fn aligned_boxes_match_the_facet_formula() {
    let mut rng = Rng::new(21);
    let count = 24_000;
    let mut worst: Double = 0.0;
    let mut most = 0;
    for noise in [0.0, 1e-7, 1e-5, 1e-3] {
        for _ in 0..count / 4 {
            let (a, b) = (rng.cuboid(), rng.cuboid());
            let rotation = quat_to_mat3(rng.turn(noise)) * quarter_turns(&mut rng);
            let offset = special_offset(&mut rng) + rng.unit() * noise;
            let mut relative = Relative { rotation, offset };
            let centers = Centers::default();
            let expected = oracle::facet_formula(&a, &b, &relative, &centers);
            let ratio = rng.range(0.9, 1.2);
            relative.offset *= crate::math::narrow(ratio / expected);
            let expected = oracle::facet_formula(&a, &b, &relative, &centers);
            let found = cold(&a, &b, &relative, &centers);
            assert_eq!(found.status, Status::Exact, "the walk closes: {a:?} {b:?} {relative:?}");
            assert_close(found.ratio, expected, TOLERANCE, "ratio of aligned boxes");
            let certified = oracle::bound(&a, &b, &relative, &centers, widen3(found.normal));
            assert_close(found.ratio, certified, TOLERANCE, "certificate of aligned boxes");
            worst = worst.max((widen(found.ratio) / expected - 1.0).abs());
            most = most.max(found.iterations);
        }
    }
    println!("worst relative error {worst:.2e}, most iterations {most}");
}

#[test]
fn resting_boxes_get_a_face_normal() {
    // Stacked boxes, turned about the vertical by any angle: face on face.
    let mut rng = Rng::new(22);
    for k in 0..2000 {
        let (a, b) = (rng.cuboid(), rng.cuboid());
        let turn = if k % 2 == 0 { 0.0 } else { rng.real(-3.0, 3.0) };
        let rotation = quat_to_mat3(crate::math::quat_exp(Vec3::Y * turn));
        let height = widen3(a.vertices[7]).y + widen3(b.vertices[7]).y;
        let reach = widen3(a.vertices[7]).min_element().min(widen3(b.vertices[7]).min_element());
        let x = 0.5 * rng.range(-reach, reach);
        let z = 0.5 * rng.range(-reach, reach);
        let y = height * rng.range(0.99, 1.01);
        let offset = narrow3(crate::math::DVec3::new(x, y, z));
        let relative = Relative { rotation, offset };
        let found = cold(&a, &b, &relative, &Centers::default());
        let expected = oracle::bound(&a, &b, &relative, &Centers::default(), crate::math::DVec3::Y);
        if (widen(found.ratio) - expected).abs() < TOLERANCE {
            let tilt = (found.normal - Vec3::Y).length();
            assert!(tilt <= 2.0 * crate::math::EPSILON, "the normal is that of the face: {tilt:e}");
            assert!(matches!(found.contact, Contact::FaceOfA(_) | Contact::FaceOfB(_)), "a face");
            assert_close(found.separation, widen(offset.y) - height, TOLERANCE, "separation");
        }
    }
}

#[test]
fn coincident_centers_have_a_finite_gap() {
    let mut rng = Rng::new(23);
    for k in 0..300 {
        let (a, b) = (rng.piece(), rng.piece());
        let rotation = quat_to_mat3(rng.quat());
        let offset = if k % 3 == 0 { Vec3::ZERO } else { rng.unit() * rng.real(0.0, 1e-5) };
        let relative = Relative { rotation, offset };
        let normal = if k % 2 == 0 { Vec3::ZERO } else { rng.unit() };
        let mut cache = PortalCache { normal, ..PortalCache::default() };
        let found = warm(&a, &b, &relative, &Centers::default(), &mut cache);
        assert_eq!(found.status, Status::Coincident, "reported as coincident");
        assert!(found.gap < -100.0 && found.gap.is_finite(), "gap {}", found.gap);
        assert!(found.ratio > 0.0 && found.denominator > 0.0, "positive ratio and denominator");
        let (d, h) = oracle::bounds(&a, &b, &relative, &Centers::default(), widen3(found.normal));
        assert_close(found.separation, d - h, TOLERANCE, "separation");
    }
}

#[test]
fn senseless_numbers_end() {
    let a = Hull::cuboid(Vec3::ONE).expect("a cube is a hull");
    let b = Hull::capsule(0.5, 1.0).expect("a capsule is a hull");
    let numbers = [Real::NAN, Real::INFINITY, Real::MAX, 1e30, 1e-30, -Real::MAX, 0.0];
    for x in numbers {
        for y in numbers {
            for (p, q) in [(&a, &a), (&a, &b), (&b, &b)] {
                let mut relative =
                    Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(x, y, 0.0) };
                for margin in [0.01, Real::INFINITY] {
                    let mut cache = PortalCache::default();
                    for _ in 0..2 {
                        measure(p, q, &relative, &Centers::default(), margin, &mut cache);
                    }
                }
                relative.rotation.x_axis.x = x;
                relative.offset = Vec3::ONE;
                measure(p, q, &relative, &Centers::default(), 0.1, &mut PortalCache::default());
            }
        }
    }
    // Far apart in the largest numbers is still apart.
    let relative = Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(1e30, 0.0, 0.0) };
    let far = measure(&a, &a, &relative, &Centers::default(), 0.1, &mut PortalCache::default());
    assert!(matches!(far, Measured::Apart { .. }), "far apart: {far:?}");
}
