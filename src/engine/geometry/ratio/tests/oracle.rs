//! The facet formula over all candidate normals, in double precision.

use super::*;
use crate::math::{DVec3, widen_mat3, widen3};

/// `n·d` and `H(n) - n·o` in double precision.
pub(super) fn bounds(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    centers: &Centers,
    n: DVec3,
) -> (Double, Double) {
    let rotation = widen_mat3(relative.rotation);
    let o = widen3(centers.shift);
    let height = |hull: &Hull, n: DVec3| {
        let heights = hull.vertices.iter().map(|&v| widen3(v).dot(n));
        heights.fold(Double::NEG_INFINITY, Double::max) + widen(hull.radius) * n.length()
    };
    let reach = height(a, n) + height(b, -(rotation.transpose() * n)) - n.dot(o);
    (n.dot(widen3(relative.offset) - o), reach)
}

/// The bound on the ratio by the normal `n`.
pub(super) fn bound(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    centers: &Centers,
    n: DVec3,
) -> Double {
    let (denominator, reach) = bounds(a, b, relative, centers, n);
    denominator / reach
}

/// Normals of the triangles of all faces.
fn face_normals(hull: &Hull) -> Vec<DVec3> {
    let mut normals = Vec::new();
    for face in 0..hull.faces.len() {
        let l = hull.face_loop(face as u32);
        let at = |k: usize| widen3(hull.vertices[l[k] as usize]);
        for k in 1..l.len() - 1 {
            normals.push((at(k) - at(0)).cross(at(k + 1) - at(0)).normalize());
        }
    }
    normals
}

fn edge_directions(hull: &Hull) -> Vec<DVec3> {
    let at = |v: u32| widen3(hull.vertices[v as usize]);
    hull.edges.iter().map(|e| (at(e.vertices[1]) - at(e.vertices[0])).normalize()).collect()
}

/// `max_n n·d / H(n)` over the normals of all possible facets of the Minkowski difference.
pub(super) fn facet_formula(a: &Hull, b: &Hull, relative: &Relative, centers: &Centers) -> Double {
    let rotation = widen_mat3(relative.rotation);
    let mut normals = face_normals(a);
    normals.extend(face_normals(b).iter().map(|&n| -(rotation * n)));
    let edges_b: Vec<DVec3> = edge_directions(b).iter().map(|&e| rotation * e).collect();
    for e in edge_directions(a) {
        for f in &edges_b {
            let cross = e.cross(*f);
            if cross.length() > 1e-9 {
                let n = cross.normalize();
                normals.extend([n, -n]);
            }
        }
    }
    let bounds = normals.iter().map(|&n| bound(a, b, relative, centers, n));
    bounds.fold(Double::NEG_INFINITY, Double::max)
}

#[test]
fn random_pairs_match_the_facet_formula() {
    let mut rng = Rng::new(1);
    let mut worst: Double = 0.0;
    for _ in 0..600 {
        let (a, b) = (rng.piece(), rng.piece());
        let relative = placed(&mut rng, &a, &b, 0.05, 3.0);
        let centers = Centers::default();
        let found = cold(&a, &b, &relative, &centers);
        let expected = facet_formula(&a, &b, &relative, &centers);
        worst = worst.max((widen(found.ratio) / expected - 1.0).abs());
        assert_eq!(found.status, Status::Exact, "the walk closes");
        assert_close(found.ratio, expected, TOLERANCE * expected.min(1.0), "ratio");
        assert_close(found.gap, 1.0 - 1.0 / expected, 2.0 * TOLERANCE, "gap");
    }
    println!("worst relative error of the ratio {worst:.2e}");
}

#[test]
fn the_normal_certifies_the_ratio() {
    let mut rng = Rng::new(2);
    for _ in 0..600 {
        let (a, b) = (rng.piece(), rng.piece());
        let relative = placed(&mut rng, &a, &b, 0.2, 3.0);
        let centers = Centers::default();
        let found = cold(&a, &b, &relative, &centers);
        let n = widen3(found.normal);
        assert!((n.length() - 1.0).abs() < 8.0 * widen(crate::math::EPSILON), "the normal is unit");
        let (denominator, reach) = bounds(&a, &b, &relative, &centers, n);
        assert_close(found.ratio, denominator / reach, TOLERANCE, "certificate");
        assert_close(found.denominator, denominator, TOLERANCE, "denominator");
        assert_close(found.separation, denominator - reach, TOLERANCE, "separation");
        assert_close(found.gap * found.denominator, denominator - reach, TOLERANCE, "gap");
    }
}

#[test]
fn shifted_centers_match_the_facet_formula() {
    let mut rng = Rng::new(3);
    for _ in 0..600 {
        let (a, b) = (rng.piece(), rng.piece());
        let relative = placed(&mut rng, &a, &b, 0.3, 2.0);
        let c_a = rng.unit() * a.inradius * rng.real(0.0, 0.9);
        let c_b = rng.unit() * b.inradius * rng.real(0.0, 0.9);
        let centers = Centers::new(&a, c_a, &b, c_b, &relative);
        let found = cold(&a, &b, &relative, &centers);
        let expected = facet_formula(&a, &b, &relative, &centers);
        if widen((relative.offset - centers.shift).length()) > 0.01 {
            assert_close(found.ratio, expected, 2.0 * TOLERANCE, "ratio about other centers");
            assert_eq!(found.status, Status::Exact, "the walk closes");
        }
    }
}
