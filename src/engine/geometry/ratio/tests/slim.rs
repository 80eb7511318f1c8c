//! Balls and capsules in closed form against the ascent, in double precision.

use super::*;
use crate::engine::geometry::ratio::rounded;
use crate::math::{Mat3, narrow, widen3};

/// A ball or a capsule, of which some are thin and some have no length.
fn slim(rng: &mut Rng) -> Hull {
    let radius = if rng.below(6) == 0 { rng.real(0.005, 0.02) } else { rng.real(0.1, 0.7) };
    if rng.below(3) == 0 {
        return Hull::sphere(radius).expect("the radius is in range");
    }
    let length = if rng.below(6) == 0 { rng.real(1e-4, 1e-3) } else { rng.real(0.1, 3.0) };
    let mut hull = Hull::capsule(radius, length).expect("the lengths are in range");
    if rng.below(8) == 0 {
        hull.set_vertices(vec![Vec3::ZERO; 2]);
        (hull.inradius, hull.bounding_radius) = (radius, radius);
    }
    hull
}

/// A pose of either kind: any, along each other but for a small angle, square, end to end.
fn pose(rng: &mut Rng) -> Relative {
    let angle = narrow(libm::pow(10.0, rng.range(-9.0, -0.5)));
    let quarter = crate::math::quat_exp(Vec3::X * narrow(0.5 * crate::math::PI_DOUBLE));
    let (rotation, offset) = match rng.below(6) {
        0 => (rng.turn(angle), rng.unit()),
        1 => (rng.turn(angle), (Vec3::Y + rng.unit() * angle).normalize()),
        2 => (Quat::IDENTITY, rng.unit()),
        3 => (quarter, rng.unit() * Vec3::new(1.0, 1.0, 0.0)),
        _ => (rng.quat(), rng.unit()),
    };
    Relative { rotation: quat_to_mat3(rotation), offset: offset.normalize() }
}

/// Of 100 000 pairs, random ones, along each other, square, end to end, without length, thin, grazing, deep,
/// far and about other centers, the ratio is that of the ascent, and the normal its certificate.
#[test]
fn slim_pairs_have_the_ratio_of_the_ascent() {
    let mut rng = Rng::new(41);
    let (mut closed, mut worst, mut turned): (u32, Double, Double) = (0, 0.0, 0.0);
    for k in 0..100_000 {
        let (a, b) = (slim(&mut rng), slim(&mut rng));
        let mut relative = pose(&mut rng);
        let ratio = cold(&a, &b, &relative, &Centers::default()).ratio;
        let wanted = match k % 5 {
            0 => 1.0,
            1 => rng.range(0.02, 0.3),
            2 => libm::pow(10.0, rng.range(0.5, 3.0)),
            _ => rng.range(0.5, 2.0),
        };
        relative.offset *= narrow(wanted) / ratio;
        // A segment without length has no nearest point.
        let wants = [&a, &b].map(|hull| {
            rng.below(3) == 0 && hull.vertices[0] != hull.vertices[hull.vertices.len() - 1]
        });
        let centers = near_centers([&a, &b], wants, &relative);
        let found = cold(&a, &b, &relative, &centers);
        if found.status == Status::Coincident {
            continue;
        }
        let inner = a.inradius + b.inradius;
        let direction = relative.offset - centers.shift;
        let pair = HullPair::<Double>::new(&a, &b, &relative, centers.shift, direction, inner);
        let portal = rounded::ascend(&pair, &PortalCache::default());
        let n = widen3(portal.normal).normalize();
        let (d, h) = oracle::bounds(&a, &b, &relative, &centers, n);
        let expected = d / h;
        // Normals are rounded, which tells on the whole size.
        let size = widen(a.bounding_radius + b.bounding_radius) + widen3(direction).length();
        let close = TOLERANCE * expected.max(1.0) * (1.0 + size / h);
        let (d, h) = oracle::bounds(&a, &b, &relative, &centers, widen3(found.normal));
        let what = format!("case {k}: {found:?} {portal:?}");
        assert_close(found.ratio, d / h, 4.0 * close, &format!("certificate of {what}"));
        assert_close(
            found.separation,
            d - h,
            TOLERANCE * size.max(1.0),
            &format!("distance of {what}"),
        );
        assert_close(
            found.denominator,
            d,
            TOLERANCE * size.max(1.0),
            &format!("denominator of {what}"),
        );
        if portal.end != WalkEnd::Closed {
            assert!(d / h >= expected - 4.0 * close, "no less than the bound of {what}");
            continue;
        }
        closed += 1;
        worst = worst.max((widen(found.ratio) / expected - 1.0).abs());
        assert_close(found.ratio, expected, 4.0 * close, &format!("ratio of {what}"));
        let radius = widen(a.radius + b.radius) / widen(a.bounding_radius + b.bounding_radius);
        let turn = (widen3(found.normal) - n).length() * radius * d / widen3(direction).length();
        turned = turned.max(turn);
    }
    println!("{closed} closed, worst relative error {worst:.1e}, normals turned {turned:.1e}");
    assert!(closed > 98_000, "the ascent closes nearly always: {closed}");
    // The ratio is flat where it is largest: what is off by a part of it is off by the root of that.
    assert!(turned < 2.0 * TOLERANCE.sqrt(), "normals of round bodies are alike: {turned:e}");
}

/// What touches is named: crossing capsules with both segments, a ball over the middle of a capsule with that
/// segment, and over its end with that end.
#[test]
fn slim_pairs_name_what_touches() {
    let ball = Hull::sphere(0.3).expect("a ball");
    let capsule = Hull::capsule(0.2, 1.0).expect("a capsule");
    let across = quat_to_mat3(crate::math::quat_exp(Vec3::X * 1.2));
    let cases = [
        (&capsule, &capsule, Vec3::new(0.4, 0.1, 0.0), Contact::Edges, [2, 2]),
        (&ball, &capsule, Vec3::new(0.5, 0.1, 0.0), Contact::Smooth, [1, 2]),
        (&capsule, &ball, Vec3::new(0.1, 0.9, 0.0), Contact::Smooth, [1, 1]),
        (&ball, &ball, Vec3::new(0.1, 0.6, 0.0), Contact::Smooth, [1, 1]),
    ];
    for (a, b, offset, contact, len) in cases {
        let relative = Relative { rotation: across, offset };
        let found = cold(a, b, &relative, &Centers::default());
        assert_eq!(found.contact, contact, "{found:?}");
        assert_eq!(found.features.map(|feature| feature.len), len, "{found:?}");
        if (len, a.vertices.len()) == ([1, 1], 2) {
            assert_eq!(found.features[0].ids[0], 1, "the upper end");
        }
    }
}

/// Which way round a capsule lies along another is nothing to the ratio; the ends that touch are others then.
#[test]
fn capsules_lie_along_each_other_either_way_round() {
    let mut rng = Rng::new(43);
    let turned = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]].map(Vec3::from_array);
    let turned = Mat3::from_cols(turned[0], turned[1], turned[2]);
    for k in 0..1000 {
        let [a, b] = [(); 2].map(|()| {
            Hull::capsule(rng.real(0.1, 0.5), rng.real(0.3, 3.0)).expect("the lengths are in range")
        });
        let offset = rng.unit() * rng.real(0.2, 4.0);
        let [up, down] = [Mat3::IDENTITY, turned]
            .map(|rotation| cold(&a, &b, &Relative { rotation, offset }, &Centers::default()));
        let what = format!("case {k}: {up:?} {down:?}");
        assert_close(down.ratio, widen(up.ratio), TOLERANCE * widen(up.ratio), &what);
        assert!((down.normal - up.normal).length() < 1e-5, "{what}");
        assert_eq!(up.features[0], down.features[0], "{what}");
        let [one, other] = [up, down].map(|found| found.features[1]);
        // Of a whole segment both ends are named, the last one first.
        let end = if one.len == 1 { 1 - one.ids[0] } else { one.ids[0] };
        assert_eq!((other.len, other.ids[0]), (one.len, end), "{what}");
    }
}

/// The end that touches, of either piece.
#[test]
fn ends_that_touch_are_named() {
    let (ball, capsule) =
        (Hull::sphere(0.3).expect("a ball"), Hull::capsule(0.2, 1.0).expect("a capsule"));
    for (height, end) in [(0.9, 0), (-0.9, 1)] {
        let relative = Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(0.1, height, 0.0) };
        let found = cold(&ball, &capsule, &relative, &Centers::default());
        assert_eq!(found.features[1].ids[0], end, "{found:?}");
        let found = cold(&capsule, &ball, &relative, &Centers::default());
        assert_eq!(found.features[0].ids[0], 1 - end, "{found:?}");
    }
}
