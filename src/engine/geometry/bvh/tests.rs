//! The tree against brute force over all boxes.

use super::Bvh;
use crate::engine::geometry::shape::Aabb;
use crate::engine::lcp::tests::random;
use crate::math::{Double, Real, Vec3, narrow, widen};

/// Random numbers, as these tests want them.
struct Random(random::Random);

impl Random {
    fn unit(&mut self) -> Real {
        (self.0.bits() >> 40) as Real / (1_u64 << 24) as Real
    }

    fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * (2.0 * size)
    }
}

fn around(center: Vec3, half: Vec3) -> Aabb {
    Aabb { min: center - half, max: center + half }
}

/// Boxes of many sizes, points and flat ones among them.
fn boxes(random: &mut Random, count: usize) -> Vec<Aabb> {
    (0..count)
        .map(|k| {
            let half = random.vector(0.5).abs() * if k % 17 == 0 { 4.0 } else { 0.3 };
            let half = match k % 5 {
                0 => Vec3::ZERO,
                1 => half * Vec3::new(1.0, 0.0, 1.0),
                _ => half,
            };
            around(random.vector(10.0), half)
        })
        .collect()
}

/// Trees over the same boxes, made in every way.
fn trees(boxes: &[Aabb]) -> Vec<Bvh> {
    let mut single = Bvh::with_leaves(1);
    single.rebuild(boxes);
    let mut refitted = Bvh::with_leaves(1);
    let elsewhere: Vec<Aabb> =
        boxes.iter().rev().map(|b| around(b.min * -0.7, Vec3::ONE)).collect();
    refitted.rebuild(&elsewhere);
    refitted.refit(boxes);
    let mut again = Bvh::build(&elsewhere[..elsewhere.len() / 2]);
    again.refit(boxes);
    vec![Bvh::build(boxes), single, refitted, again]
}

/// Every primitive at most once, all of `wanted`, and with leaves of one, nothing else.
fn check(tree: &Bvh, found: &mut Vec<u32>, wanted: &[u32], what: &str) {
    found.sort_unstable();
    assert!(found.windows(2).all(|w| w[0] < w[1]), "{what}: a primitive is visited twice");
    let missed = wanted.iter().find(|w| found.binary_search(w).is_err());
    assert_eq!(missed, None, "{what}: missed");
    if tree.leaf_max == 1 {
        assert_eq!(*found, wanted, "{what}: leaves of one are exact");
    }
}

fn brute(boxes: &[Aabb], meets: impl Fn(&Aabb) -> bool) -> Vec<u32> {
    (0_u32..).zip(boxes).filter(|(_, b)| meets(b)).map(|(k, _)| k).collect()
}

/// When the ray enters the box, in the plainest form.
fn enters(origin: Vec3, direction: Vec3, b: &Aabb) -> Option<Real> {
    let (mut enter, mut leave) = (0.0 as Double, Double::INFINITY);
    for axis in 0..3 {
        let (o, d) = (widen(origin[axis]), widen(direction[axis]));
        let (low, high) = (widen(b.min[axis]), widen(b.max[axis]));
        if d == 0.0 {
            if o < low || o > high {
                return None;
            }
        } else {
            let (s, t) = ((low - o) / d, (high - o) / d);
            enter = enter.max(s.min(t));
            leave = leave.min(s.max(t));
        }
    }
    (enter <= leave).then_some(narrow(enter))
}

#[test]
fn overlaps_are_those_of_brute_force() {
    let mut random = Random(random::Random::new(1));
    for count in [0, 1, 2, 3, 5, 100, 1500] {
        let boxes = boxes(&mut random, count);
        for tree in trees(&boxes) {
            assert_eq!(tree.len(), count, "all are in the tree");
            for _ in 0..50 {
                let query = around(random.vector(11.0), random.vector(2.0).abs());
                let mut found = Vec::new();
                tree.overlaps(&query, |k| found.push(k));
                check(&tree, &mut found, &brute(&boxes, |b| b.meets(query)), "overlaps");
            }
        }
    }
}

#[test]
fn rays_meet_what_brute_force_meets() {
    let mut random = Random(random::Random::new(2));
    let boxes = boxes(&mut random, 1500);
    for tree in trees(&boxes) {
        for k in 0..300 {
            let origin = random.vector(12.0);
            let mut direction = random.vector(1.0).normalize();
            if k % 7 == 0 {
                direction = [Vec3::X, Vec3::NEG_Y, Vec3::Z][k % 3];
            }
            // All hits.
            let mut found = Vec::new();
            tree.cast_ray(origin, direction, Real::INFINITY, |k, max| {
                found.push(k);
                max
            });
            let wanted = brute(&boxes, |b| enters(origin, direction, b).is_some());
            found.sort_unstable();
            assert!(found.windows(2).all(|w| w[0] < w[1]), "a primitive is visited twice");
            let missed = wanted.iter().find(|w| found.binary_search(w).is_err());
            assert_eq!(missed, None, "a ray misses nothing");
            // The first hit.
            let mut first = Real::INFINITY;
            tree.cast_ray(origin, direction, 100.0, |k, max| {
                let at = enters(origin, direction, &boxes[k as usize]);
                at.map_or(max, |at| {
                    first = first.min(at);
                    at
                })
            });
            let times = boxes.iter().filter_map(|b| enters(origin, direction, b));
            assert_eq!(first, times.fold(Real::INFINITY, Real::min), "the first box");
        }
    }
}

#[test]
fn moving_boxes_meet_what_brute_force_meets() {
    let mut random = Random(random::Random::new(3));
    let boxes = boxes(&mut random, 700);
    for tree in trees(&boxes) {
        for _ in 0..200 {
            let (center, half) = (random.vector(12.0), random.vector(1.0).abs());
            let direction = random.vector(1.0).normalize();
            let max = 8.0 * random.unit();
            let mut found = Vec::new();
            tree.cast_box(around(center, half), direction, max, |k, max| {
                found.push(k);
                max
            });
            let wanted = brute(&boxes, |b| {
                let large = Aabb { min: b.min - half, max: b.max + half };
                enters(center, direction, &large).is_some_and(|at| at <= max * 0.99999)
            });
            found.sort_unstable();
            let missed = wanted.iter().find(|w| found.binary_search(w).is_err());
            assert_eq!(missed, None, "a moving box misses nothing");
            let spare = found.len() - wanted.len();
            let few = tree.leaf_max > 1 || spare <= 1;
            assert!(few, "{spare} visits too many");
        }
    }
}

#[test]
fn the_nearest_box_is_that_of_brute_force() {
    let mut random = Random(random::Random::new(4));
    let boxes = boxes(&mut random, 1500);
    let distance = |p: Vec3, b: &Aabb| (p.clamp(b.min, b.max) - p).length();
    for tree in trees(&boxes) {
        let mut visits = 0;
        for _ in 0..200 {
            let point = random.vector(12.0);
            for limit in [Real::INFINITY, 0.3] {
                let mut nearest = limit;
                tree.nearest(point, limit, |k, max| {
                    visits += 1;
                    assert!(max <= nearest, "the bound falls");
                    nearest = nearest.min(distance(point, &boxes[k as usize]));
                    nearest
                });
                let wanted = boxes.iter().map(|b| distance(point, b)).fold(limit, Real::min);
                assert_eq!(nearest, wanted, "the nearest box");
            }
        }
        assert!(visits < 400 * 100, "{visits} visits are no search");
    }
}

#[test]
fn thousands_of_equal_boxes_make_a_shallow_tree() {
    let equal = vec![around(Vec3::new(3.0, 1.0, -2.0), Vec3::ONE); 5000];
    for tree in trees(&equal) {
        let mut found = Vec::new();
        tree.overlaps(&around(Vec3::new(3.5, 1.0, -2.0), Vec3::ZERO), |k| found.push(k));
        assert_eq!(found.len(), 5000, "all are met");
        let mut count = 0;
        tree.cast_ray(Vec3::new(3.0, 1.0, 50.0), Vec3::NEG_Z, 100.0, |_, max| {
            count += 1;
            max
        });
        assert_eq!(count, 5000, "all are met by the ray");
    }
}

#[test]
fn a_chain_of_shrinking_boxes_is_no_deeper_than_the_stack() {
    // The surface area heuristic alone would peel off one box a level.
    let mut boxes = Vec::new();
    for k in 0..3000 {
        let size = Real::powi(1.9, -(k % 120));
        boxes.push(around(Vec3::splat(size), Vec3::splat(size * 0.4)));
    }
    for tree in trees(&boxes) {
        let mut count = 0;
        tree.overlaps(&Aabb::INFINITE, |_| count += 1);
        assert_eq!(count, 3000, "all are met");
    }
}

#[test]
fn boxes_and_queries_that_are_not_finite_do_no_harm() {
    let mut random = Random(random::Random::new(5));
    let mut boxes = boxes(&mut random, 200);
    boxes[10] = Aabb::INFINITE;
    boxes[20] = Aabb { min: Vec3::splat(Real::NAN), max: Vec3::splat(Real::NAN) };
    boxes[30] = Aabb { min: Vec3::new(Real::NEG_INFINITY, 0.0, 0.0), max: Vec3::ONE };
    boxes[40] = Aabb { min: Vec3::splat(-Real::MAX), max: Vec3::splat(Real::MAX) };
    for tree in trees(&boxes) {
        let point = around(Vec3::new(1.0e3, 0.5, 0.5), Vec3::ZERO);
        let mut found = Vec::new();
        tree.overlaps(&point, |k| found.push(k));
        check(&tree, &mut found, &[10, 40], "beside all finite boxes");
        let mut found = Vec::new();
        tree.cast_ray(Vec3::new(-1.0e3, 0.5, 0.5), Vec3::NEG_X, 1.0, |k, max| {
            found.push(k);
            max
        });
        check(&tree, &mut found, &[10, 30, 40], "beside all finite boxes");
        let nan = Vec3::splat(Real::NAN);
        let fail = |_: u32, _: Real| -> Real { panic!("nothing is found") };
        tree.cast_ray(nan, Vec3::X, 1.0, fail);
        tree.cast_ray(Vec3::ZERO, nan, 1.0, fail);
        tree.cast_ray(Vec3::ZERO, Vec3::X, Real::NAN, fail);
        tree.nearest(nan, 1.0, fail);
        tree.nearest(Vec3::ZERO, -1.0, fail);
        tree.overlaps(&Aabb { min: nan, max: nan }, |_| panic!("nothing is found"));
        // A ray that does not move stays inside what holds its origin.
        let mut found = Vec::new();
        tree.cast_ray(Vec3::new(1.0e3, 0.5, 0.5), Vec3::ZERO, Real::INFINITY, |k, max| {
            found.push(k);
            max
        });
        check(&tree, &mut found, &[10, 40], "a ray of no direction");
    }
}

#[test]
fn a_negative_bound_ends_a_cast() {
    let mut random = Random(random::Random::new(6));
    let boxes = boxes(&mut random, 500);
    let mut visits = 0;
    let mut tree = Bvh::with_leaves(1);
    tree.rebuild(&boxes);
    tree.nearest(Vec3::ZERO, Real::INFINITY, |_, _| {
        visits += 1;
        -1.0
    });
    assert_eq!(visits, 1, "the search ends");
}
