//! Boxes against the facet formula and against the walk, which does not know that they are boxes.

use super::*;
use crate::engine::lcp::tests::random::times;
use crate::math::{quat_exp, widen3};

fn boxes(rng: &mut Rng) -> [Hull; 2] {
    [0, 1].map(|_| {
        let size = [0, 1, 2].map(|_| rng.real(0.2, 2.0));
        Hull::cuboid(Vec3::from_array(size)).expect("a box")
    })
}

/// A hull, not known as the box it is.
fn unknown(hull: &Hull) -> Hull {
    Hull { cuboid: None, ..hull.clone() }
}

/// Turned against each other: not at all, about an axis of both, hardly, or anyhow.
fn turned(rng: &mut Rng, how: usize) -> Mat3 {
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][rng.below(3)];
    let quarter = quat_exp(axis * (0.5 * crate::math::narrow(crate::math::PI_DOUBLE)));
    let turn = match how % 5 {
        0 => Quat::IDENTITY,
        1 => quarter,
        2 => quat_exp(axis * rng.real(-3.0, 3.0)),
        3 => quat_mul(quat_exp(rng.unit() * rng.real(0.0, 1e-5)), quarter),
        _ => rng.quat(),
    };
    quat_to_mat3(quat_normalize(turn))
}

#[test]
fn boxes_have_the_ratio_of_the_facet_formula() {
    let mut rng = Rng::new(41);
    for case in 0..3000 {
        let [a, b] = boxes(&mut rng);
        let reach = a.bounding_radius + b.bounding_radius;
        let relative = Relative {
            rotation: turned(&mut rng, case),
            offset: rng.unit() * (reach * rng.real(0.1, 1.5)),
        };
        let mut centers = Centers::default();
        if case % 3 == 0 {
            let inside = rng.unit() * (0.8 * a.inradius);
            centers = Centers::new(&a, inside, &b, Vec3::ZERO, &relative);
        }
        let fast = cold(&a, &b, &relative, &centers);
        let expected = oracle::facet_formula(&a, &b, &relative, &centers);
        assert_close(fast.ratio, expected, TOLERANCE, "the ratio of the formula");
        let bound = oracle::bound(&a, &b, &relative, &centers, widen3(fast.normal));
        assert_close(fast.ratio, bound, TOLERANCE, "the bound of the normal");
        assert!((fast.normal.length() - 1.0).abs() < 4.0 * Real::EPSILON, "a unit normal");
        let walked = cold(&unknown(&a), &unknown(&b), &relative, &centers);
        assert_close(fast.ratio, widen(walked.ratio), 2.0 * TOLERANCE, "the ratio of the walk");
        assert_close(fast.separation, widen(walked.separation), 1e2 * TOLERANCE, "separation");
    }
}

/// A pair of boxes at random, thin, grazing, deep in each other, far apart, or almost parallel.
fn pair(rng: &mut Rng, case: usize) -> ([Hull; 2], Relative) {
    let thin = case % 6 == 1;
    let least = if thin { 0.01 } else { 0.2 };
    let hulls = [0, 1].map(|_| {
        let size = [0, 1, 2].map(|_| rng.real(least, 2.0));
        Hull::cuboid(Vec3::from_array(size)).expect("a box")
    });
    let almost = rng.real(0.0, 1e-4);
    let rotation = match case % 6 {
        5 => quat_to_mat3(quat_exp(rng.unit() * almost)),
        _ => turned(rng, case / 6),
    };
    let ratio = match case % 6 {
        2 => rng.real(1.0 - 1e-5, 1.0 + 1e-5),
        3 => rng.real(0.02, 0.3),
        4 => rng.real(3.0, 50.0),
        _ => rng.real(0.3, 3.0),
    };
    let mut relative = Relative { rotation, offset: rng.unit() };
    let [a, b] = &hulls;
    relative.offset *= ratio / cold(&unknown(a), &unknown(b), &relative, &Centers::default()).ratio;
    (hulls, relative)
}

/// What closed forms find is what the walk finds vertex by vertex, to the rounding of the products of which
/// the ratio is made: `ε |d| / D` of `D = n·d` and `ε R / H` of `H`. Where several normals have that ratio,
/// it may be another, with the distance along it.
#[test]
fn boxes_have_the_ratio_of_the_walk() {
    let mut rng = Rng::new(45);
    for case in 0..100_000 * times() {
        let ([a, b], relative) = pair(&mut rng, case);
        let centers = Centers::default();
        let fast = cold(&a, &b, &relative, &centers);
        let walked = cold(&unknown(&a), &unknown(&b), &relative, &centers);
        let normal = widen3(fast.normal);
        let (far, size) = (relative.offset.length(), a.bounding_radius + b.bounding_radius);
        let (far, size) = (widen(far), widen(size));
        let (denominator, reach) = oracle::bounds(&a, &b, &relative, &centers, normal);
        let rounding = TOLERANCE * (far / denominator + size / reach);
        let [ratio, walked_ratio] = [&fast, &walked].map(|found| widen(found.ratio));
        let error = (ratio / walked_ratio - 1.0).abs();
        assert!(error <= rounding, "case {case}: ratio {fast:?} {walked:?} ({error:e})");
        let error = (ratio * reach / denominator - 1.0).abs();
        assert!(error <= rounding, "case {case}: bound of the normal {fast:?} ({error:e})");
        let error = (widen(fast.separation) - (denominator - reach)).abs();
        assert!(error <= TOLERANCE * (far + size), "case {case}: distance {fast:?} ({error:e})");
    }
}

/// Nearly parallel boxes in the world, whose matrices are rounded one by one: products of edges that are
/// almost parallel are mere rounding.
#[test]
fn boxes_that_are_almost_parallel_keep_their_ratio() {
    let mut rng = Rng::new(43);
    for case in 0..4000 {
        let [a, b] = boxes(&mut rng);
        let theta = [0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4][case % 6];
        let first = quat_normalize(rng.quat());
        let yaw =
            if case % 2 == 0 { Quat::IDENTITY } else { quat_exp(Vec3::Y * rng.real(0.0, 3.0)) };
        let second = quat_mul(quat_mul(first, yaw), quat_exp(rng.unit() * theta));
        let turns = [first, quat_normalize(second)].map(quat_to_mat3);
        let half = [&a, &b].map(|hull| hull.cuboid.expect("a box"));
        // On top, somewhere beside the middle.
        let across = 0.4 * (half[0].x.min(half[0].z) + half[1].x.min(half[1].z));
        let shift = rng.unit() * across;
        let offset = turns[0] * Vec3::new(shift.x, half[0].y + half[1].y, shift.z);
        let relative = Relative::new(Vec3::ZERO, turns[0], offset, turns[1]);
        let fast = cold(&a, &b, &relative, &Centers::default());
        let expected = oracle::facet_formula(&a, &b, &relative, &Centers::default());
        let what = format!("at {theta:e} rad");
        assert_close(fast.ratio, expected, 2.0 * TOLERANCE, &what);
    }
}

#[test]
fn the_contact_of_boxes_is_that_of_the_normal() {
    let mut rng = Rng::new(42);
    let mut counts = [0; 3];
    for case in 0..3000 {
        let [a, b] = boxes(&mut rng);
        let reach = a.bounding_radius + b.bounding_radius;
        let rotation = turned(&mut rng, case);
        let relative = Relative { rotation, offset: rng.unit() * (reach * rng.real(0.3, 1.2)) };
        let ratio = cold(&a, &b, &relative, &Centers::default());
        let inverse = rotation.transpose();
        let near = |x: Vec3, y: Vec3| (x - y).length() < 1e-5;
        match ratio.contact {
            Contact::FaceOfA(face) => {
                counts[0] += 1;
                assert!(
                    near(ratio.normal, a.faces[face as usize].normal),
                    "the normal of face {face}"
                );
            }
            Contact::FaceOfB(face) => {
                counts[1] += 1;
                let normal = -(inverse * ratio.normal);
                assert!(near(normal, b.faces[face as usize].normal), "the normal of face {face}");
            }
            Contact::Edges => counts[2] += 1,
            Contact::Smooth => panic!("boxes are not smooth"),
        }
        // All corners named are as far out as the outermost one.
        for (hull, feature, outward) in [
            (&a, ratio.features[0], ratio.normal),
            (&b, ratio.features[1], -(inverse * ratio.normal)),
        ] {
            let height = |v: &Vec3| outward.dot(*v);
            let top = hull.vertices.iter().map(height).fold(Real::NEG_INFINITY, Real::max);
            let ids = &feature.ids[..usize::from(feature.len)];
            let once = (1..ids.len()).all(|k| !ids[..k].contains(&ids[k]));
            assert!(once, "each corner is named once: {ids:?}");
            for &id in ids {
                let low = top - height(&hull.vertices[id as usize]);
                assert!(low < 1e-5, "corner {id} is {low} m lower: {ratio:?}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 200), "all kinds occur: {counts:?}");
}

#[test]
fn boxes_keep_the_face_they_had() {
    // Two cubes upon each other, b turned by half of a rounding this way and that.
    let cube = Hull::cuboid(Vec3::ONE).expect("a cube");
    let mut cache = PortalCache::default();
    let mut contacts = Vec::new();
    for step in 0..20 {
        let tilt = if step % 2 == 0 { 2e-8 } else { -2e-8 };
        let rotation = quat_to_mat3(quat_exp(Vec3::new(tilt, 0.3, tilt)));
        let relative = Relative { rotation, offset: Vec3::new(0.1, 1.0, 0.05) };
        let ratio = warm(&cube, &cube, &relative, &Centers::default(), &mut cache);
        contacts.push(ratio.contact);
    }
    if size_of::<Real>() == 4 {
        assert!(contacts.iter().all(|contact| *contact == contacts[0]), "{contacts:?}");
    }
}

#[test]
fn only_boxes_are_known_as_such() {
    let cube = Hull::cuboid(Vec3::new(1.0, 2.0, 3.0)).expect("a box");
    assert_eq!(cube.cuboid, Some(Vec3::new(0.5, 1.0, 1.5)));
    let points: Vec<Vec3> = cube.vertices.clone();
    let made = Hull::convex_hull(&points).expect("a box");
    assert_eq!(made.cuboid, cube.cuboid, "from its corners");
    assert_eq!(made.face_vertices, cube.face_vertices, "the same faces in the same order");
    let normals =
        |hull: &Hull| hull.faces.iter().map(|face| face.normal.round()).collect::<Vec<_>>();
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    assert_eq!(normals(&made), [-y, -z, -x, x, y, z], "whose numbers the metric knows");
    let backward: Vec<Vec3> = points.iter().rev().copied().collect();
    assert_eq!(Hull::convex_hull(&backward).expect("a box").cuboid, None, "in another order");
    let turn = quat_to_mat3(quat_exp(Vec3::Y * 0.5));
    let turned: Vec<Vec3> = points.iter().map(|&p| turn * p).collect();
    assert_eq!(Hull::convex_hull(&turned).expect("a box").cuboid, None, "turned");
    let mut skewed = points;
    skewed[7].x += 0.1;
    assert_eq!(Hull::convex_hull(&skewed).expect("a hull").cuboid, None, "with a moved corner");
}

/// Boxes that are measured abreast have the answers of each by itself, to the bit: whatever lies beside it in
/// the lanes, about any centers, with any margin, and whatever they touched with last.
#[test]
fn boxes_abreast_are_as_each_by_itself() {
    let mut rng = Rng::new(46);
    let same = |x: &Measured, y: &Measured| format!("{x:?}") == format!("{y:?}");
    let (mut near, mut apart, mut edges) = (0, 0, 0);
    for round in 0..7_700 * times() {
        let count = 1 + round % 13 * 2;
        let asked: Vec<_> = (0..count)
            .map(|k| {
                let (hulls, relative) = pair(&mut rng, round + k);
                let [a, b] = &hulls;
                let mut centers = Centers::default();
                if k % 3 == 0 {
                    let inside = rng.unit() * (0.8 * a.inradius);
                    centers = Centers::new(a, inside, b, Vec3::ZERO, &relative);
                }
                let last = match rng.below(4) {
                    0 => Contact::Edges,
                    1 => Contact::FaceOfA(rng.below(6) as u32),
                    2 => Contact::FaceOfB(rng.below(6) as u32),
                    _ => Contact::Smooth,
                };
                let half = [a.cuboid, b.cuboid].map(|half| half.expect("a box"));
                let margin = [0.0, 0.01, Real::INFINITY][rng.below(3)];
                let query = BoxQuery { half, relative, shift: centers.shift, margin };
                (hulls, centers, query, last)
            })
            .filter(|(_, centers, query, _)| {
                is_common(query.relative.offset - centers.shift, centers.inner.max(1e-3))
            })
            .collect();
        let queries: Vec<_> = asked.iter().map(|(_, _, query, last)| (*query, *last)).collect();
        let mut found = Vec::new();
        facets(&queries, |facet| found.push(facet));
        assert_eq!(found.len(), queries.len());
        for ((hulls, centers, query, last), facet) in asked.iter().zip(found) {
            let fresh = PortalCache { contact: *last, ..PortalCache::default() };
            let (mut alone, mut abreast) = (fresh, fresh);
            let [a, b] = hulls;
            let one = measure(a, b, &query.relative, centers, query.margin, &mut alone);
            let of_many = query.measured(facet, &mut abreast);
            assert!(same(&one, &of_many), "round {round}: {one:?} {of_many:?}");
            assert_eq!(alone, abreast, "round {round}");
            match of_many {
                Measured::Near(ratio) => {
                    (near, edges) = (near + 1, edges + u32::from(ratio.contact == Contact::Edges));
                }
                Measured::Apart { .. } => apart += 1,
            }
        }
    }
    assert!(near + apart >= 95_000 && near.min(apart).min(edges) > 5_000, "{near} {apart} {edges}");
}

/// The plane of the last step keeps boxes apart by the distance that their corners have along it, as it does
/// hulls not known as boxes.
#[test]
fn boxes_stay_apart_as_hulls_do() {
    let mut rng = Rng::new(47);
    let mut found = [0; 2];
    for case in 0..20_000 {
        let ([a, b], relative) = pair(&mut rng, case);
        let half = [a.cuboid, b.cuboid].map(|half| half.expect("a box"));
        let margin = rng.real(0.0, 0.1);
        let normal = if case % 2 == 0 { rng.unit() } else { relative.offset.normalize() };
        let mut cache = PortalCache { normal, ..PortalCache::default() };
        let query = BoxQuery { half, relative, shift: Vec3::ZERO, margin };
        let closed = query.still_apart(&cache);
        let scanned = still_apart(&a, &b, &relative, margin, &mut cache);
        found[usize::from(closed.is_some())] += 1;
        // Two corners may be outermost to rounding, of which each takes one.
        let rounding =
            TOLERANCE * widen(relative.offset.length() + a.bounding_radius + b.bounding_radius);
        let or_margin = |found: Option<Real>| widen(found.unwrap_or(margin));
        let error = (or_margin(closed) - or_margin(scanned)).abs();
        assert!(error <= rounding, "case {case}: {closed:?} {scanned:?}");
    }
    assert!(found[0] > 1000 && found[1] > 1000, "{found:?}");
}
