//! Symmetry, invariance, scaling, continuity in the cache.

use super::*;
use crate::math::{quat_exp, widen3};

#[test]
fn swapping_the_bodies_flips_the_normal() {
    let mut rng = Rng::new(11);
    for _ in 0..400 {
        let (a, b) = (rng.piece(), rng.piece());
        let relative = placed(&mut rng, &a, &b, 0.2, 2.0);
        let swapped = exchanged(&relative);
        let one = cold(&a, &b, &relative, &Centers::default());
        let two = cold(&b, &a, &swapped, &Centers::default());
        assert_close(two.ratio, widen(one.ratio), 2.0 * TOLERANCE, "ratio of the swapped pair");
        let n = -(relative.rotation * two.normal);
        let change = widen3(n - one.normal).length();
        let tolerance = if size_of::<Real>() == 4 { 1e-3 } else { 1e-6 };
        assert!(change < tolerance, "normals differ by {change:e}");
    }
}

#[test]
fn rigid_motion_of_both_changes_nothing() {
    let mut rng = Rng::new(12);
    for _ in 0..400 {
        let (a, b) = (rng.piece(), rng.piece());
        let relative = placed(&mut rng, &a, &b, 0.2, 2.0);
        let one = cold(&a, &b, &relative, &Centers::default());
        let turn = quat_to_mat3(rng.quat());
        let moved = Relative::new(
            Vec3::new(1.0, -2.0, 0.5),
            turn,
            Vec3::new(1.0, -2.0, 0.5) + turn * relative.offset,
            turn * relative.rotation,
        );
        let two = cold(&a, &b, &moved, &Centers::default());
        assert_close(two.ratio, widen(one.ratio), 4.0 * TOLERANCE, "ratio of the moved pair");
    }
}

#[test]
fn the_ratio_is_proportional_to_the_offset() {
    let mut rng = Rng::new(13);
    for _ in 0..400 {
        let (a, b) = (rng.piece(), rng.piece());
        let mut relative = placed(&mut rng, &a, &b, 0.3, 2.0);
        let one = cold(&a, &b, &relative, &Centers::default());
        relative.offset *= 0.5;
        let two = cold(&a, &b, &relative, &Centers::default());
        assert_close(
            2.0 * two.ratio,
            widen(one.ratio),
            TOLERANCE,
            "half the offset, half the ratio",
        );
    }
}

#[test]
fn a_warm_walk_along_a_motion_equals_a_cold_one() {
    let mut rng = Rng::new(14);
    for _ in 0..60 {
        let (a, b) = (rng.piece(), rng.piece());
        let mut relative = placed(&mut rng, &a, &b, 0.5, 1.5);
        let home = relative.offset;
        let mut rotation = rng.quat();
        let mut cache = PortalCache::default();
        for step in 0..50 {
            let pace = if step % 10 == 9 { 0.5 } else { 0.01 };
            rotation = quat_mul(quat_exp(rng.unit() * rng.real(0.0, pace)), rotation);
            relative.rotation = quat_to_mat3(quat_normalize(rotation));
            relative.offset =
                home + (relative.offset - home) * 0.9 + rng.unit() * rng.real(0.0, 0.02);
            let one = warm(&a, &b, &relative, &Centers::default(), &mut cache);
            let two = cold(&a, &b, &relative, &Centers::default());
            assert_close(one.ratio, widen(two.ratio), TOLERANCE, "warm ratio");
            assert!(one.normal.dot(two.normal) > 0.9999, "warm normal");
        }
    }
}

#[test]
fn apart_is_certified_and_near_is_not_farther_than_the_margin() {
    let mut rng = Rng::new(15);
    let margin = 0.05;
    let (mut apart, mut near) = (0, 0);
    for _ in 0..60 {
        let (a, b) = (rng.piece(), rng.piece());
        let mut relative = placed(&mut rng, &a, &b, 1.0, 1.1);
        let home = relative.offset;
        let mut cache = PortalCache::default();
        for _ in 0..50 {
            relative.offset = home * rng.real(0.9, 1.3) + rng.unit() * 0.1;
            let centers = Centers::default();
            match asked(&a, &b, &relative, &centers, margin, &mut cache) {
                Measured::Apart { normal, separation } => {
                    let n = widen3(normal);
                    let (d, h) = oracle::bounds(&a, &b, &relative, &centers, n);
                    assert!(separation > margin && d > 0.0, "apart by more than the margin");
                    assert_close(separation, d - h, TOLERANCE, "separation of the plane");
                    apart += 1;
                }
                Measured::Near(ratio) => {
                    assert!(ratio.separation <= margin, "near within the margin");
                    let best = cold(&a, &b, &relative, &centers);
                    let what = "no margin ends the walk of what is near early";
                    assert_close(ratio.ratio, widen(best.ratio), TOLERANCE, what);
                    near += 1;
                }
            }
        }
    }
    assert!(apart > 500 && near > 500, "both answers occur: {apart} apart, {near} near");
}

#[test]
fn a_passed_plane_is_no_proof() {
    // b jumps to the other side of a: the cached plane has both bodies behind it.
    let a = Hull::cuboid(Vec3::splat(1.0)).expect("a cube is a hull");
    let mut cache = PortalCache::default();
    let mut relative = Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(0.0, 1.5, 0.0) };
    let first = asked(&a, &a, &relative, &Centers::default(), 0.1, &mut cache);
    assert!(matches!(first, Measured::Apart { .. }), "apart above");
    relative.offset = Vec3::new(0.0, -0.95, 0.0);
    let second = asked(&a, &a, &relative, &Centers::default(), 0.1, &mut cache);
    let Measured::Near(ratio) = second else { panic!("the cubes overlap by 50 mm") };
    assert_close(ratio.separation, -0.05, TOLERANCE, "separation below");
    assert!((ratio.normal + Vec3::Y).length() < 1e-6, "the normal points down");
}

#[test]
fn a_stale_cache_is_survived() {
    let mut rng = Rng::new(16);
    for _ in 0..200 {
        let (a, b) = (rng.piece(), rng.piece());
        let relative = placed(&mut rng, &a, &b, 0.5, 1.5);
        let mut id = || (rng.next() % 100) as u32;
        let mut cache = PortalCache {
            ids: [[id(), id()], [id(), id()], [id(), id()]],
            normal: Vec3::X,
            hints: [id(), id()],
            contact: Contact::FaceOfA(id()),
        };
        let one = warm(&a, &b, &relative, &Centers::default(), &mut cache);
        let two = cold(&a, &b, &relative, &Centers::default());
        assert_close(one.ratio, widen(two.ratio), TOLERANCE, "ratio from a stale cache");
    }
}

/// The scan in lanes finds the lowest of the farthest vertices, as one does who looks at one after the other.
#[test]
fn the_support_of_small_pieces_is_the_first_farthest_vertex() {
    let mut rng = Rng::new(77);
    let mut ties = 0;
    for round in 0..2_000 {
        let hull = if round % 4 == 0 {
            let size = Vec3::from_array([0; 3].map(|_| rng.real(0.1, 2.0)));
            Hull::cuboid(size).expect("a box")
        } else {
            let n = 4 + rng.below(21);
            let points: Vec<Vec3> = (0..n).map(|_| rng.unit()).collect();
            let Ok(hull) = Hull::convex_hull(&points) else { continue };
            hull
        };
        for _ in 0..64 {
            // Along axes and diagonals several vertices of a box are as far.
            let level = rng.below(2) == 0;
            let n = if level { rng.unit().map(Real::round) } else { rng.unit() }.to_array();
            let height = |v: &Vec3| v.x * n[0] + v.y * n[1] + v.z * n[2];
            let heights: Vec<Real> = hull.vertices.iter().map(height).collect();
            let top = heights.iter().copied().fold(Real::MIN, Real::max);
            let first = heights.iter().position(|&h| h == top).expect("there is a farthest one");
            ties += usize::from(heights.iter().filter(|&&h| h == top).count() > 1);
            let found = walk::support(&hull, n, rng.below(heights.len()) as u32);
            assert_eq!(found, first as u32, "of {} vertices along {n:?}", heights.len());
        }
    }
    assert!(ties > 1_000, "{ties} ties");
}
