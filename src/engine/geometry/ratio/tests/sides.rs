//! Half-spaces, the one-sided metric, scaling centers.

use super::*;
use crate::math::{DVec3, narrow, widen_mat3, widen3};
use crate::papers::one_sided::one_sided;

#[test]
fn half_space_is_height_over_support() {
    let mut rng = Rng::new(41);
    for _ in 0..300 {
        let hull = if rng.below(3) == 0 {
            Hull::capsule(0.3, 1.0).expect("a capsule is a hull")
        } else {
            rng.piece()
        };
        let rotation = quat_to_mat3(rng.quat());
        let normal = rng.unit();
        let height = rng.real(-1.0, 3.0);
        let found = measure_half_space(&hull, rotation, height, normal);
        let down = -(widen_mat3(rotation).transpose() * widen3(normal));
        let heights = hull.vertices.iter().map(|&v| widen3(v).dot(down));
        let reach = heights.fold(Double::NEG_INFINITY, Double::max) + widen(hull.radius);
        assert_close(found.separation, widen(height) - reach, TOLERANCE, "separation");
        if height > 0.01 {
            assert_close(found.ratio, widen(height) / reach, TOLERANCE, "one-sided ratio");
            assert_close(found.gap * height, widen(height) - reach, TOLERANCE, "gap");
        } else {
            assert!(found.gap.is_finite() && found.gap < 0.0, "a finite gap below the plane");
        }
    }
}

/// `min t` with `a · (x - x_a) ≤ t offset` for the faces of a and `x` in b, through the vertices of
/// the polytope in (x, t): all choices of four faces.
fn one_sided_by_enumeration(a: &Hull, b: &Hull, relative: &Relative) -> Double {
    let rotation = widen_mat3(relative.rotation);
    let d = widen3(relative.offset);
    let at = |h: &Hull, f: usize| {
        let l = h.face_loop(f as u32);
        let v = |k: usize| widen3(h.vertices[l[k] as usize]);
        let n = (v(1) - v(0)).cross(v(2) - v(0)).normalize();
        (n, n.dot(v(0)))
    };
    // Rows n·x - offset t ≤ rest.
    let mut rows: Vec<(DVec3, Double, Double)> = Vec::new();
    for f in 0..a.faces.len() {
        let (n, offset) = at(a, f);
        rows.push((n, offset, 0.0));
    }
    for f in 0..b.faces.len() {
        let (n, offset) = at(b, f);
        let n = rotation * n;
        rows.push((n, 0.0, offset + n.dot(d)));
    }
    let mut best = Double::INFINITY;
    let n = rows.len();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                for l in k + 1..n {
                    let four = [rows[i], rows[j], rows[k], rows[l]];
                    if let Some((x, t)) = solve(&four)
                        && t >= -1e-9
                        && t < best
                        && rows.iter().all(|r| r.0.dot(x) - r.1 * t <= r.2 + 1e-9)
                    {
                        best = t;
                    }
                }
            }
        }
    }
    best.max(0.0)
}

fn solve(rows: &[(DVec3, Double, Double); 4]) -> Option<(DVec3, Double)> {
    let mut m = rows.map(|(n, offset, rest)| [n.x, n.y, n.z, -offset, rest]);
    for c in 0..4 {
        let pivot = (c..4).max_by(|&i, &j| m[i][c].abs().total_cmp(&m[j][c].abs()))?;
        m.swap(c, pivot);
        if m[c][c].abs() < 1e-10 {
            return None;
        }
        for r in 0..4 {
            if r != c {
                let f = m[r][c] / m[c][c];
                for k in c..5 {
                    m[r][k] -= f * m[c][k];
                }
            }
        }
    }
    let x = [0, 1, 2, 3].map(|k| m[k][4] / m[k][k]);
    Some((DVec3::new(x[0], x[1], x[2]), x[3]))
}

#[test]
fn one_sided_matches_the_linear_program() {
    let mut rng = Rng::new(42);
    let mut zeros = 0;
    for _ in 0..60 {
        let n = 5 + rng.below(3);
        let (a, b) = (rng.hull(n), rng.cuboid());
        let relative = placed(&mut rng, &a, &b, 0.2, 2.0);
        let found = one_sided(&a, &b, &relative);
        let expected = one_sided_by_enumeration(&a, &b, &relative);
        let tolerance = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };
        assert_close(found, expected, tolerance, "one-sided ratio");
        zeros += usize::from(expected == 0.0);
    }
    assert!(zeros > 3 && zeros < 40, "some centers lie inside: {zeros}");
}

#[test]
fn one_sided_ball_grows_to_the_distance() {
    let ball = Hull::sphere(0.5).expect("a ball is a hull");
    let cube = Hull::cuboid(Vec3::splat(2.0)).expect("a cube is a hull");
    let capsule = Hull::capsule(0.25, 2.0).expect("a capsule is a hull");
    let at = |x, y, z| Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(x, y, z) };
    let tolerance = 4.0 * TOLERANCE;
    assert_close(one_sided(&ball, &cube, &at(0.1, 2.0, 0.0)), 2.0, tolerance, "ball and face");
    let edge = 2.0 * 2.0_f64.sqrt();
    assert_close(one_sided(&ball, &cube, &at(2.0, 2.0, 0.0)), edge, tolerance, "ball and edge");
    assert_close(
        one_sided(&ball, &capsule, &at(1.0, 0.2, 0.0)),
        1.5,
        tolerance,
        "ball and capsule",
    );
    assert_close(one_sided(&ball, &ball, &at(2.0, 0.0, 0.0)), 3.0, tolerance, "ball and ball");
    assert_close(one_sided(&cube, &ball, &at(2.0, 0.0, 0.0)), 1.5, tolerance, "cube and ball");
    assert_close(one_sided(&ball, &capsule, &at(0.1, 0.2, 0.0)), 0.0, tolerance, "center inside");
    assert_close(one_sided(&ball, &cube, &at(0.1, 0.2, 0.0)), 0.0, tolerance, "center inside");
}

#[test]
fn a_box_near_the_edge_of_the_ground_is_pushed_up_with_a_near_center() {
    let cube = Hull::cuboid(Vec3::splat(1.0)).expect("a cube is a hull");
    let ground = Hull::cuboid(Vec3::new(100.0, 1.0, 100.0)).expect("a box is a hull");
    for (x, depth, sideways) in [(49.9, 0.02, true), (45.0, 0.2, true), (0.0, 0.02, false)] {
        let offset = Vec3::new(x, 1.0 - depth, 0.0);
        let relative = Relative { rotation: Mat3::IDENTITY, offset };
        let naive = cold(&ground, &cube, &relative, &Centers::default());
        let expected = if sideways { Vec3::X } else { Vec3::Y };
        assert!((naive.normal - expected).length() < 1e-5, "about the centroid {}", naive.normal);
        let center = scaling_center(&ground, offset);
        let centers = Centers::new(&ground, center, &cube, Vec3::ZERO, &relative);
        let found = cold(&ground, &cube, &relative, &centers);
        assert!((found.normal - Vec3::Y).length() < 1e-5, "about a near center {}", found.normal);
        // Heights are differences of numbers near 1 m.
        assert_close(found.separation, widen(offset.y) - 1.0, TOLERANCE, "depth");
    }
}

#[test]
fn scaling_centers_are_inside() {
    let mut rng = Rng::new(43);
    for _ in 0..500 {
        let mut hull = rng.piece();
        if rng.below(3) == 0 {
            hull.radius = 0.1;
            hull.inradius += 0.1;
        }
        let toward = rng.unit() * rng.real(0.0, 5.0);
        let center = scaling_center(&hull, toward);
        for face in &hull.faces {
            let depth = face.offset + hull.radius - face.normal.dot(center);
            assert!(depth > 0.49 * hull.inradius, "deep enough: {depth} of {}", hull.inradius);
        }
    }
    let capsule = Hull::capsule(0.5, 2.0).expect("a capsule is a hull");
    let center = scaling_center(&capsule, Vec3::new(3.0, 0.4, 0.0));
    assert!((center - Vec3::new(0.0, 0.4, 0.0)).length() < narrow(1e-6), "on the segment {center}");
}

#[test]
fn the_scaling_center_of_an_ellipsoid_is_the_nearest_point_of_the_half_as_large_one() {
    let mut rng = Rng::new(44);
    for _ in 0..300 {
        let half = Vec3::new(rng.real(0.3, 2.0), rng.real(0.3, 2.0), rng.real(0.3, 2.0));
        let hull = Hull::ellipsoid(half * 2.0).expect("the lengths are in range");
        let toward = rng.unit() * rng.real(1.1, 5.0);
        let (inner, center) = (widen3(half) * 0.5, widen3(scaling_center(&hull, toward)));
        let scaled = center / inner;
        assert!((scaled.length() - 1.0).abs() < 1e-5, "on its surface: {scaled}");
        let across = (scaled / inner).normalize().cross((widen3(toward) - center).normalize());
        assert!(across.length() < 1e-5, "along its normal, but for {across}");
    }
}
