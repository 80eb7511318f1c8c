//! Whether two hulls pass each other, turning or not, against the metric at many times of their path.

use super::{Random, narrow_mat3};
use crate::engine::geometry::ratio::{Centers, Measured, PortalCache, Relative, measure};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::lcp::tests::random;
use crate::engine::step::narrow::passing::{Passing, bulge};
use crate::math::{Mat3, Real, Vec3, narrow, narrow3, quat_exp, quat_to_mat3};

/// Separation by the metric (m).
fn separation([a, b]: [&Hull; 2], relative: &Relative) -> Real {
    let mut cache = PortalCache::default();
    match measure(a, b, relative, &Centers::default(), Real::INFINITY, &mut cache) {
        Measured::Near(ratio) => ratio.separation,
        Measured::Apart { separation, .. } => separation,
    }
}

/// Two hulls, how they are to each other at first, and the way of the second one (m).
fn course(random: &mut Random) -> ([Hull; 2], Relative, Vec3) {
    let hulls = [random.hull(), random.hull()];
    let rotation = narrow_mat3(random.rotation());
    let offset = narrow3(random.direction() * random.within(1.5, 4.0));
    let aim = narrow3(random.direction() * random.within(0.0, 3.0));
    let path = (aim - offset) * narrow(random.within(0.5, 3.0));
    (hulls, Relative { rotation, offset }, path)
}

#[test]
fn paths_miss_each_other_if_they_are_apart_at_all_times() {
    let mut random = Random(random::Random::new(11));
    let (mut passed, mut met) = (0, 0);
    for round in 0..1500 {
        let ([a, b], start, path) = course(&mut random);
        let (hulls, Relative { rotation, offset }) = ([&a, &b], start);
        if separation(hulls, &start) <= 0.0 {
            continue;
        }
        let at = |t: Real| Relative { rotation, offset: offset + path * t };
        let nearest = (0..=400_u16)
            .map(|k| separation(hulls, &at(Real::from(k) / 400.0)))
            .fold(Real::INFINITY, Real::min);
        let found =
            Passing { hulls, relative: &start, cache: &PortalCache::default() }.miss(path, 1.0);
        if nearest < -1e-4 {
            assert_eq!(found, None, "round {round}: they meet, {nearest} m");
            met += 1;
        }
        // A path of 10 m is looked at every 25 mm.
        if nearest > 0.05 {
            assert!(found.is_some(), "round {round}: they pass, {nearest} m");
            passed += 1;
        }
    }
    println!("measured {passed} that pass, {met} that meet");
    assert!(passed > 300 && met > 300, "{passed} {met}");
}

#[test]
fn what_is_left_between_two_that_turn_is_there_at_all_times() {
    let mut random = Random(random::Random::new(12));
    let (mut passed, mut stopped) = (0, 0);
    for round in 0..3000 {
        let ([a, b], start, path) = course(&mut random);
        let (hulls, Relative { rotation, offset }) = ([&a, &b], start);
        let turns: [Vec3; 2] =
            [(); 2].map(|()| narrow3(random.direction() * random.within(0.0, 0.6)));
        if separation(hulls, &start) <= 0.0 {
            continue;
        }
        let passing = Passing { hulls, relative: &start, cache: &PortalCache::default() };
        let Some(plane) = passing.miss(path, 1.0) else { continue };
        let bulge: Real = (0..2).map(|k| bulge(hulls[k], Vec3::ZERO, turns[k])).sum();
        let room = passing.room(plane, path, turns) - bulge;
        // In the axes that turn with `a`.
        let nearest = (0..=200_u16).map(|k| {
            let t = Real::from(k) / 200.0;
            let [turn_a, turn_b] = turns.map(|turn| quat_to_mat3(quat_exp(turn * t)));
            let back: Mat3 = turn_a.transpose();
            let rotation = back * turn_b * rotation;
            separation(hulls, &Relative { rotation, offset: back * (offset + path * t) })
        });
        let nearest = nearest.fold(Real::INFINITY, Real::min);
        if room >= 0.0 {
            assert!(nearest >= 0.0, "round {round}: {room} m are left, but they meet, {nearest} m");
            passed += 1;
        } else if nearest < 0.0 {
            stopped += 1;
        }
    }
    println!("measured {passed} that pass, {stopped} that meet since they turn");
    assert!(passed > 300 && stopped > 30, "{passed} {stopped}");
}
