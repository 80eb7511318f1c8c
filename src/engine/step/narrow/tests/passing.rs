//! Whether two hulls pass each other, against the metric at many times of their path.

use super::{Random, narrow_mat3};
use crate::engine::geometry::ratio::{Centers, Measured, PortalCache, Relative, measure};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::lcp::tests::random;
use crate::engine::step::narrow::passing::miss;
use crate::math::{Real, narrow, narrow3};

/// Separation by the metric (m).
fn separation([a, b]: [&Hull; 2], relative: &Relative) -> Real {
    let mut cache = PortalCache::default();
    match measure(a, b, relative, &Centers::default(), Real::INFINITY, &mut cache) {
        Measured::Near(ratio) => ratio.separation,
        Measured::Apart { separation, .. } => separation,
    }
}

#[test]
fn paths_miss_each_other_if_they_are_apart_at_all_times() {
    let mut random = Random(random::Random::new(11));
    let (mut passed, mut met) = (0, 0);
    for round in 0..1500 {
        let (a, b) = (random.hull(), random.hull());
        let hulls = [&a, &b];
        let rotation = narrow_mat3(random.rotation());
        let offset = narrow3(random.direction() * random.within(1.5, 4.0));
        let start = Relative { rotation, offset };
        if separation(hulls, &start) <= 0.0 {
            continue;
        }
        let aim = narrow3(random.direction() * random.within(0.0, 3.0));
        let path = (aim - offset) * narrow(random.within(0.5, 3.0));
        let at = |t: Real| Relative { rotation, offset: offset + path * t };
        let nearest = (0..=400_u16)
            .map(|k| separation(hulls, &at(Real::from(k) / 400.0)))
            .fold(Real::INFINITY, Real::min);
        let found = miss(hulls, &start, [0; 2], path, 1.0);
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
