//! The time of impact beside fine sampling of the path, and laws with exact answers.

use super::*;
use crate::engine::geometry::ratio::Centers;
use crate::engine::lcp::tests::random;
use crate::math::{Quat, quat_mul};

/// Random numbers, as these tests want them.
struct Rng(random::Random);

impl Rng {
    fn unit(&mut self) -> Real {
        (self.0.bits() >> 40) as Real / (1_u64 << 24) as Real
    }

    fn range(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.range(-size, size), self.range(-size, size), self.range(-size, size))
    }

    fn hull(&mut self, kind: usize) -> Hull {
        let hull = match kind {
            0 => Hull::sphere(self.range(0.02, 0.5)),
            1 => Hull::capsule(self.range(0.02, 0.2), self.range(0.2, 1.5)),
            2 => {
                let mut size = || self.range(0.02, 1.0);
                Hull::cuboid(Vec3::new(size(), size(), size()))
            }
            3 => Hull::cylinder(self.range(0.02, 0.4), self.range(0.02, 1.0)),
            4 => Hull::ellipsoid(Vec3::splat(0.1) + self.vector(0.5).abs() * 2.0),
            _ => {
                let points: Vec<Vec3> = (0..12).map(|_| self.vector(0.6)).collect();
                Hull::convex_hull(&points)
            }
        };
        hull.expect("a sound hull")
    }

    fn path(&mut self, speed: Real, spin: Real) -> Path {
        Path {
            center: self.vector(1.2),
            arm: self.vector(0.3),
            rotation: quat_to_mat3(quat_exp(self.vector(3.0))),
            linear: self.vector(speed),
            angular: self.vector(spin),
        }
    }
}

const DT: Real = 1.0 / 60.0;
const LIMITS: Limits = Limits { dt: DT, target: 0.0, tolerance: 1e-4 };

/// The signed plane separation of two paths at a time (m), of a few planes the best.
fn apart(hulls: [&Hull; 2], paths: [&Path; 2], time: Real) -> Real {
    let [a, b] = paths.map(|path| {
        let turn = quat_to_mat3(quat_exp(path.angular * time));
        (path.center + path.linear * time + turn * path.arm, turn * path.rotation)
    });
    let relative = Relative::new(a.0, a.1, b.0, b.1);
    let [x, y] = hulls;
    let (centers, cache) = (Centers::default(), &mut PortalCache::default());
    match measure(x, y, &relative, &centers, Real::INFINITY, cache) {
        Measured::Near(ratio) => ratio.separation,
        Measured::Apart { separation, .. } => separation,
    }
}

#[test]
fn the_first_touch_agrees_with_fine_sampling() {
    let mut rng = Rng(random::Random::new(1));
    let (mut hits, mut misses, mut rounds, mut gave_up) = (0, 0, 0, 0);
    for case in 0..1600 {
        let hulls = [rng.hull(case % 6), rng.hull(case / 6 % 6)];
        let hulls = [&hulls[0], &hulls[1]];
        let spin = if case % 3 == 0 { 0.0 } else { 60.0 };
        let mut paths = [rng.path(30.0, spin), rng.path(30.0, spin)];
        // Towards each other, more or less.
        paths[0].linear += (paths[1].center - paths[0].center) * rng.range(20.0, 120.0);
        let paths = [&paths[0], &paths[1]];
        let cache = &mut PortalCache::default();
        let impact = time_of_impact(hulls[0], paths[0], hulls[1], paths[1], &LIMITS, cache);
        if apart(hulls, paths, 0.0) <= 0.0 {
            assert_eq!(impact.map(|impact| impact.time), Some(0.0), "case {case}: at once");
            continue;
        }
        let until = impact.map_or(DT, |impact| impact.time);
        let samples = 400;
        for k in 0..samples {
            let time = until * k as Real / samples as Real;
            let gap = apart(hulls, paths, time);
            let what = "overlap before the first touch";
            assert!(gap > -2e-5, "case {case}: {what}: {gap} m at {time} s of {until}");
        }
        if let Some(impact) = impact {
            let gap = apart(hulls, paths, impact.time);
            gave_up += u32::from(impact.rounds == ROUNDS_MAX);
            let touches = gap < 1.5e-4 || impact.rounds == ROUNDS_MAX;
            assert!(touches, "case {case}: {gap} m apart at the touch");
            rounds += impact.rounds;
            hits += 1;
        } else {
            misses += 1;
        }
    }
    let mean = rounds / hits;
    assert!(mean < 20 && gave_up * 100 < hits, "{mean} rounds a hit, {gave_up} of {hits} gave up");
    assert!(hits > 200 && misses > 200, "{hits} hits and {misses} misses");
}

#[test]
fn planes_are_met_when_fine_sampling_says() {
    let mut rng = Rng(random::Random::new(2));
    let mut hits = 0;
    for case in 0..400 {
        let hull = rng.hull(case % 6);
        let spin = if case % 3 == 0 { 0.0 } else { 60.0 };
        let mut path = rng.path(90.0, spin);
        path.linear.y -= 60.0;
        let mut plane = rng.path(3.0, 0.0);
        plane.center.y = -0.8;
        if case % 5 == 0 {
            plane.angular = rng.vector(5.0);
        }
        plane.arm = Vec3::new(plane.arm.x, 0.0, plane.arm.z);
        let impact = time_of_impact_half_space(&hull, &path, Vec3::Y, &plane, &LIMITS);
        let height = |time: Real| {
            let turn = |path: &Path| quat_to_mat3(quat_exp(path.angular * time));
            let at = |path: &Path| path.center + path.linear * time + turn(path) * path.arm;
            let n = turn(&plane) * Vec3::Y;
            let axes = turn(&path) * path.rotation;
            let lowest = at(&path) + axes * hull.support_point(-(axes.transpose() * n));
            n.dot(lowest - at(&plane))
        };
        if height(0.0) <= 0.0 {
            assert_eq!(impact.map(|impact| impact.time), Some(0.0), "case {case}: at once");
            continue;
        }
        let until = impact.map_or(DT, |impact| impact.time);
        for k in 0..400 {
            let gap = height(until * k as Real / 400.0);
            assert!(gap > -2e-5, "case {case}: {gap} m before the first touch");
        }
        if let Some(impact) = impact {
            let gap = height(impact.time);
            assert!(gap < 1.5e-4, "case {case}: {gap} m above the plane at the touch");
            assert!(impact.rounds < ROUNDS_MAX, "case {case}: gave up");
            hits += 1;
        }
    }
    assert!(hits > 100 && hits < 390, "{hits} hits");
}

#[test]
fn a_ball_meets_a_wall_at_the_exact_time() {
    let ball = Hull::sphere(0.005).expect("a ball");
    let wall = Hull::cuboid(Vec3::new(10.0, 10.0, 0.01)).expect("a wall");
    for (from, aside) in [(1.0, 0.0), (4.0, 4.9), (4.9, -2.0)] {
        let path = |center, linear| {
            let (arm, rotation, angular) = (Vec3::ZERO, Mat3::IDENTITY, Vec3::ZERO);
            Path { center, arm, rotation, linear, angular }
        };
        let bullet = path(Vec3::new(aside, 0.0, from), Vec3::new(0.0, 0.0, -300.0));
        let still = path(Vec3::ZERO, Vec3::ZERO);
        let cache = &mut PortalCache::default();
        let impact = time_of_impact(&wall, &still, &ball, &bullet, &LIMITS, cache);
        let impact = impact.expect("it hits");
        let exact = (from - 0.01) / 300.0;
        assert!((impact.time - exact).abs() * 300.0 < 1e-4, "{} for {exact} s", impact.time);
        assert!((impact.normal - Vec3::Z).length() < 1e-5, "normal {}", impact.normal);
        assert!(impact.rounds <= 3, "{} rounds", impact.rounds);
    }
}

#[test]
fn what_passes_by_is_free() {
    let ball = Hull::sphere(0.005).expect("a ball");
    let wall = Hull::cuboid(Vec3::new(1.0, 1.0, 0.01)).expect("a wall");
    // Over the top edge, by a millimeter and by 20 micrometers more than the tolerance.
    for above in [1e-3, 1.2e-4] {
        for from in [0.1, 2.0, 4.9] {
            let at = Vec3::new(0.3, 0.5 + 0.005 + above, from);
            let path = |center, linear, angular| {
                let (arm, rotation) = (Vec3::ZERO, quat_to_mat3(Quat::IDENTITY));
                Path { center, arm, rotation, linear, angular }
            };
            let bullet = path(at, Vec3::new(0.0, 0.0, -300.0), Vec3::new(30.0, 20.0, 0.0));
            let still = path(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
            let cache = &mut PortalCache::default();
            let impact = time_of_impact(&wall, &still, &ball, &bullet, &LIMITS, cache);
            assert_eq!(impact, None, "{above} m above, from {from} m");
        }
    }
}

#[test]
fn far_from_the_origin_and_in_any_frame_the_answer_is_the_same() {
    let mut rng = Rng(random::Random::new(3));
    let mut hits = 0;
    for case in 0..300 {
        let (a, b) = (rng.hull(2), rng.hull(5));
        let (mut x, mut y) = (rng.path(90.0, 20.0), rng.path(90.0, 20.0));
        let time = |x: &Path, y: &Path| {
            let cache = &mut PortalCache::default();
            time_of_impact(&a, x, &b, y, &LIMITS, cache).map(|impact| impact.time)
        };
        let Some(here) = time(&x, &y) else { continue };
        hits += 1;
        let turn = quat_to_mat3(quat_mul(quat_exp(rng.vector(2.0)), quat_exp(rng.vector(2.0))));
        for path in [&mut x, &mut y] {
            for v in [&mut path.center, &mut path.arm, &mut path.linear, &mut path.angular] {
                *v = turn * *v;
            }
            path.rotation = turn * path.rotation;
            path.linear += Vec3::new(300.0, 0.0, -200.0);
        }
        let there = time(&x, &y).expect("the same motion, seen by another");
        assert!((here - there).abs() * 200.0 < 1e-3, "case {case}: {here} and {there} s");
    }
    assert!(hits > 20, "{hits} hits");
}
