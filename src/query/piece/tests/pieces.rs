//! Distances and casts against certificates: touching points in both bodies from one side, separating
//! planes from the other.

use super::{KINDS, Random, TOLERANCE, half_space, outside, piece, reach};
use crate::engine::geometry::shape::Convex;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::lcp::tests::random;
use crate::math::{
    DVec3, Double, Quat, Real, Vec3, quat_mul, quat_normalize, quat_rotate, quat_to_mat3, widen,
    widen_mat3, widen3,
};
use crate::query::piece::pieces::{CastConfig, Closest, Placed};

fn placed(convex: &Convex, position: Vec3, rotation: Quat) -> Placed<'_> {
    Placed { convex, position, rotation: quat_to_mat3(rotation) }
}

fn hull_of(convex: &Convex) -> &Hull {
    let Convex::Hull(hull) = convex else { panic!("a hull is wanted") };
    hull
}

/// `n · x` at most, of a piece in the world, along a world direction.
fn reach_of(it: &Placed, n: DVec3) -> Double {
    let local = widen_mat3(it.rotation).transpose() * n;
    widen3(it.position).dot(n) + reach(hull_of(it.convex), local)
}

fn outside_of(it: &Placed, point: Vec3) -> Double {
    let local = widen_mat3(it.rotation).transpose() * (widen3(point) - widen3(it.position));
    outside(hull_of(it.convex), local)
}

/// The plane separates by the distance, and the points are that far apart and in the bodies.
fn certify(a: &Placed, b: &Placed, found: &Closest, what: &str) {
    let n = widen3(found.normal);
    assert!((n.length() - 1.0).abs() < 1e-5, "{what}: the normal has length one");
    let gap = -reach_of(b, -n) - reach_of(a, n);
    let distance = widen(found.distance);
    let error = gap - distance;
    assert!(error.abs() < 3.0 * TOLERANCE, "{what}: the plane separates {error} m more");
    for (it, point) in [(a, found.point1), (b, found.point2)] {
        let off = outside_of(it, point);
        assert!(off < 3.0 * TOLERANCE, "{what}: a point is {off} m outside");
    }
    let apart = widen3(found.point2) - widen3(found.point1) - n * distance;
    assert!(apart.length() < 6.0 * TOLERANCE, "{what}: the points are {} m off", apart.length());
}

/// Random pairs of all kinds, some far from the origin of the world.
fn pairs(seed: u64, spread: Real, mut check: impl FnMut(&Placed, &Placed, &mut Random, &str)) {
    let mut random = Random(random::Random::new(seed));
    for i in 0..KINDS {
        for j in 0..KINDS {
            for round in 0..12 {
                let (a, b) = (piece(&mut random, i), piece(&mut random, j));
                let home = random.in_cube(1.0);
                let (mut p, mut q) = (random.rotation(), random.rotation());
                if round % 3 == 0 {
                    (p, q) = (Quat::IDENTITY, Quat::IDENTITY);
                }
                let away = match round % 4 {
                    0 => Vec3::Y * random.within(0.2, spread),
                    _ => random.direction() * random.within(0.2, spread),
                };
                let (a, b) = (placed(&a, home, p), placed(&b, home + away, q));
                check(&a, &b, &mut random, &format!("kinds {i} and {j}, round {round}"));
            }
        }
    }
}

#[test]
fn nearest_points_are_certified() {
    let (mut apart, mut deep) = (0, 0);
    pairs(1, 3.0, |a, b, _, what| {
        let found = a.closest(b).expect("hulls have nearest points");
        assert_eq!(a.touches(b), found.distance <= 0.0, "{what}: touching is distance zero");
        if found.distance > 0.0 {
            apart += 1;
            certify(a, b, &found, what);
        } else {
            deep += 1;
        }
    });
    assert!(apart > 500 && deep > 100, "{apart} apart, {deep} deep");
}

#[test]
fn moving_by_the_depth_separates() {
    let mut deep = 0;
    pairs(2, 0.6, |a, b, _, what| {
        let found = a.closest(b).expect("hulls have deepest points");
        if found.distance >= -1e-3 {
            return;
        }
        deep += 1;
        let n = widen3(found.normal);
        let gap = |n: DVec3| -reach_of(b, -n) - reach_of(a, n);
        // Moving by the depth leaves less than nothing of the overlap, and not more than needed.
        let moved = Placed { position: b.position - found.normal * found.distance, ..*b };
        let after = a.closest(&moved).expect("hulls have nearest points");
        assert!(after.distance.abs() < 1e-4, "{what}: {} m after", after.distance);
        let apart = widen3(found.point2) - widen3(found.point1) - n * widen(found.distance);
        assert!(apart.length() < 1e-5, "{what}: the points are apart by the depth");
        for (it, point) in [(a, found.point1), (b, found.point2)] {
            let off = outside_of(it, point);
            assert!(off.abs() < 1e-4 || off < 0.0, "{what}: a point is {off} m outside");
        }
        // No face of either is nearer.
        let faces = |it: &Placed, sign: Double| -> Vec<DVec3> {
            let turn = widen_mat3(it.rotation);
            let faces = hull_of(it.convex).faces.iter();
            faces.map(|face| turn * widen3(face.normal) * sign).collect()
        };
        for n in faces(a, 1.0).into_iter().chain(faces(b, -1.0)) {
            let less = widen(found.distance) - gap(n);
            assert!(less > -1e-5, "{what}: a face is nearer by {less} m");
        }
    });
    assert!(deep > 500, "{deep} deep pairs");
}

#[test]
fn distances_are_symmetric_and_do_not_depend_on_the_place() {
    pairs(3, 3.0, |a, b, random, what| {
        let there = a.closest(b).expect("hulls have nearest points");
        let back = b.closest(a).expect("hulls have nearest points");
        if there.distance > 0.0 {
            let error = (there.distance - back.distance).abs();
            assert!(widen(error) < TOLERANCE, "{what}: {error} m the other way round");
        }
        let (turn, shift) = (random.rotation(), random.in_cube(2.0));
        let [a, b] = [a, b].map(|it| {
            let rotation = quat_to_mat3(turn) * it.rotation;
            Placed { position: shift + quat_rotate(turn, it.position), rotation, ..*it }
        });
        let moved = a.closest(&b).expect("hulls have nearest points");
        if there.distance > 0.0 {
            let error = (there.distance - moved.distance).abs();
            assert!(widen(error) < 3.0 * TOLERANCE, "{what}: {error} m elsewhere");
            let turned = quat_rotate(turn, there.normal);
            assert!((turned - moved.normal).length() < 0.02, "{what}: the normal turns along");
        }
    });
}

/// Is it a hit at this time, and not before?
fn certify_cast(a: &Placed, b: &Placed, v: Vec3, target: Real, found: (Real, &Closest), w: &str) {
    let (t, at) = found;
    let n = widen3(at.normal);
    let there = widen3(v) * widen(t);
    // The plane keeps the bodies apart until then: no hit before.
    let gap = -reach_of(b, -n) - n.dot(-there) - reach_of(a, n);
    let error = gap - widen(target);
    assert!(error.abs() < 4.0 * TOLERANCE, "{w}: the plane is off by {error} m at the hit");
    assert!(at.normal.dot(v) < 0.0, "{w}: the plane is approached");
    // The points touch, or are as near as wanted, and are in the bodies: a hit then.
    let apart = widen3(at.point2) - widen3(at.point1) - n * widen(target);
    assert!(apart.length() < 6.0 * TOLERANCE, "{w}: the points are {} m off", apart.length());
    let moved = Placed { position: b.position + v * t, ..*b };
    for (it, point) in [(a, at.point1), (&moved, at.point2)] {
        let off = outside_of(it, point);
        assert!(off < 4.0 * TOLERANCE, "{w}: a point is {off} m outside");
    }
}

#[test]
fn casts_are_certified() {
    let (mut hits, mut misses, mut overlaps) = (0, 0, 0);
    pairs(4, 3.0, |a, b, random, what| {
        let aim = a.position + random.in_cube(0.7);
        let v = match random.bits() % 4 {
            0 => Vec3::NEG_Y,
            _ => (aim - b.position).normalize(),
        };
        let target = if random.bits() % 3 == 0 { 0.05 } else { 0.0 };
        let config = CastConfig { target_distance: target, ..CastConfig::default() };
        let start = a.closest(b).expect("hulls have nearest points");
        match a.cast(b, v, 4.0, &config) {
            Some(hit) if start.distance < target => {
                overlaps += 1;
                assert_eq!((hit.distance, hit.at), (0.0, start), "{what}: as it is");
            }
            Some(hit) => {
                hits += 1;
                certify_cast(a, b, v, target, (hit.distance, &hit.at), what);
                let short = a.cast(b, v, hit.distance * 0.999 - 1e-5, &config);
                assert!(short.is_none(), "{what}: farther than wanted");
            }
            None => {
                misses += 1;
                let mut nearest = Real::INFINITY;
                for k in 0..=400 {
                    let moved = Placed { position: b.position + v * (0.01 * k as Real), ..*b };
                    let closest = a.closest(&moved).expect("hulls have nearest points");
                    nearest = nearest.min(closest.distance);
                }
                assert!(nearest > target - 1e-5, "{what}: {nearest} m near on the way");
            }
        }
    });
    assert!(hits > 500 && misses > 200 && overlaps > 50, "{hits}, {misses}, {overlaps}");
}

#[test]
fn boxes_that_graze_touch_and_those_beside_do_not() {
    // All lengths are exact, and the motion is along the faces.
    let cube = Convex::Hull(std::sync::Arc::new(Hull::cuboid(Vec3::ONE).expect("a box")));
    let a = placed(&cube, Vec3::ZERO, Quat::IDENTITY);
    let config = CastConfig::default();
    for (aside, hit) in [(0.0, true), (0.5, true), (0.96875, true), (1.03125, false), (2.0, false)]
    {
        for sign in [-1.0, 1.0] {
            let b = placed(&cube, Vec3::new(sign * aside, 5.0, 0.25), Quat::IDENTITY);
            let found = a.cast(&b, Vec3::NEG_Y, 10.0, &config);
            assert_eq!(found.is_some(), hit, "{aside} m aside");
            if let Some(found) = found {
                assert!((found.distance - 4.0).abs() < 1e-6, "{} m", found.distance);
                assert!((found.at.normal - Vec3::Y).length() < 1e-6, "{}", found.at.normal);
                assert!((found.at.point1.y - 0.5).abs() < 1e-6, "on the face");
            }
        }
    }
    // A box that slides along another does not hit it, one that presses on it does.
    let b = placed(&cube, Vec3::new(0.25, 1.0, 0.0), Quat::IDENTITY);
    assert!(a.cast(&b, Vec3::X, 10.0, &config).is_none(), "sliding along");
    assert!(a.cast(&b, Vec3::Y, 10.0, &config).is_none(), "going away");
    let pressed = a.cast(&b, Vec3::NEG_Y, 10.0, &config).expect("pressing on");
    assert!(pressed.distance.abs() < 1e-6, "at once");
}

#[test]
fn overlaps_at_the_start_are_as_wanted() {
    pairs(5, 0.5, |a, b, random, what| {
        let start = a.closest(b).expect("hulls have deepest points");
        if start.distance > -0.01 {
            return;
        }
        let v = random.direction();
        let plain = CastConfig { compute_contact_on_penetration: false, ..CastConfig::default() };
        let hit = a.cast(b, v, 4.0, &plain).expect("an overlap");
        assert_eq!((hit.distance, hit.at.normal), (0.0, Vec3::ZERO), "{what}: no contact wanted");
        let passing = CastConfig { ignore_origin_penetration: true, ..CastConfig::default() };
        let hit = a.cast(b, v, 4.0, &passing);
        assert_eq!(hit.is_some(), start.normal.dot(v) < 0.0, "{what}: leading deeper");
    });
}

#[test]
fn cores_without_volume_have_depths() {
    let capsule = Convex::Hull(std::sync::Arc::new(Hull::capsule(0.25, 2.0).expect("a capsule")));
    let ball = Convex::Hull(std::sync::Arc::new(Hull::sphere(0.5).expect("a ball")));
    let turn = quat_normalize(Quat::from_xyzw(1.0, 0.0, 0.0, 1.0));
    let slanted = quat_normalize(Quat::from_xyzw(0.4, 0.2, 0.0, 1.0));
    for (a, b, rotation, at, depth) in [
        (&ball, &ball, Quat::IDENTITY, Vec3::ZERO, 1.0),
        (&ball, &capsule, turn, Vec3::ZERO, 0.75),
        (&capsule, &ball, turn, Vec3::Y * 0.5, 0.75),
        (&capsule, &capsule, turn, Vec3::Y * 0.5, 0.5),
        (&capsule, &capsule, slanted, Vec3::ZERO, 0.5),
        (&capsule, &capsule, Quat::IDENTITY, Vec3::Y * 0.5, 0.5),
        (&capsule, &capsule, Quat::IDENTITY, Vec3::ZERO, 0.5),
    ] {
        let (a, b) = (placed(a, Vec3::ZERO, Quat::IDENTITY), placed(b, at, rotation));
        let found = a.closest(&b).expect("hulls have deepest points");
        assert!((found.distance + depth).abs() < 1e-5, "{} is not -{depth}", found.distance);
        certify(&a, &b, &found, "cores that meet");
        assert!(a.touches(&b), "an overlap");
    }
}

#[test]
fn half_spaces_are_met_at_their_plane() {
    let mut random = Random(random::Random::new(6));
    for kind in 0..KINDS {
        for round in 0..30 {
            let what = format!("kind {kind}, round {round}");
            let (plane, it) = (half_space(&mut random), piece(&mut random, kind));
            let (p, q) = (random.rotation(), random.rotation());
            let a = placed(&plane, random.in_cube(1.0), p);
            let b = placed(&it, random.in_cube(3.0), q);
            let Convex::HalfSpace(inner) = plane else { continue };
            let n = widen3(a.rotation * inner.normal);
            let height = -reach_of(&b, -n) - n.dot(widen3(a.position));
            let found = a.closest(&b).expect("a distance");
            assert!((widen(found.distance) - height).abs() < TOLERANCE * 3.0, "{what}: height");
            let back = b.closest(&a).expect("a distance");
            assert_eq!((back.normal, back.point1), (-found.normal, found.point2), "{what}: back");
            let v = random.direction();
            let config = CastConfig { target_distance: 0.1, ..CastConfig::default() };
            let slope = n.dot(widen3(v));
            let time = (height - 0.1) / -slope;
            let hit = a.cast(&b, v, 50.0, &config);
            if height < 0.1 {
                assert_eq!(hit.map(|h| h.distance), Some(0.0), "{what}: near from the start");
                continue;
            }
            assert_eq!(hit.is_some(), slope < 0.0 && time <= 50.0, "{what}: falls");
            // The half-space thrown at the piece.
            let thrown = b.cast(&a, -v, 50.0, &config);
            assert_eq!(hit.map(|h| h.distance), thrown.map(|h| h.distance), "{what}: thrown");
            if let (Some(hit), Some(thrown)) = (hit, thrown) {
                assert!((widen(hit.distance) - time).abs() < 1e-3, "{what}: in time");
                let moved = Placed { position: b.position + v * hit.distance, ..b };
                let off = outside_of(&moved, hit.at.point2);
                assert!(off.abs() < 1e-4, "{what}: the point is on the piece");
                assert!(outside_of(&b, thrown.at.point1).abs() < 1e-4, "{what}: not moved");
                assert!((hit.at.normal + thrown.at.normal).length() < 1e-6, "{what}: normals");
            }
        }
    }
}

#[test]
fn projections_lie_on_the_surface_and_are_the_nearest() {
    let mut random = Random(random::Random::new(7));
    for kind in 0..KINDS {
        for round in 0..60 {
            let what = format!("kind {kind}, round {round}");
            let it = piece(&mut random, kind);
            let a = placed(&it, random.in_cube(2.0), random.rotation());
            let point = a.position + random.direction() * random.within(0.0, 1.0);
            let off = outside_of(&a, point);
            let (at, inside) = a.project(point, false).expect("a projection");
            if off.abs() > 1e-5 {
                assert_eq!(inside, off <= 0.0, "{what}: inside");
            }
            let (solid, _) = a.project(point, true).expect("a projection");
            assert_eq!(solid, if inside { point } else { at }, "{what}: solid");
            assert!(outside_of(&a, at).abs() < 1e-5, "{what}: on the surface");
            // The plane across the way supports the body: from outside, nothing is nearer.
            let way = widen3(point) - widen3(at);
            if !inside && way.length() > 1e-2 {
                let n = way.normalize();
                let beyond = reach_of(&a, n) - n.dot(widen3(at));
                assert!(beyond.abs() < 1e-4, "{what}: {beyond} m beyond");
            }
        }
    }
}

#[test]
fn the_ratio_is_that_of_the_metric() {
    pairs(8, 3.0, |a, b, _, what| {
        let (Some(ratio), Some(found)) = (a.ratio(b), a.closest(b)) else {
            panic!("{what}: hulls have both");
        };
        // The separation along the metric's normal is never more than the distance.
        assert!(ratio.separation <= found.distance + 1e-5, "{what}: {ratio:?}");
        assert_eq!(ratio.gap > 1e-5, found.distance > 1e-5, "{what}: the same sign");
    });
}

#[test]
fn what_is_no_number_is_met_by_nothing() {
    let mut random = Random(random::Random::new(9));
    let nan = Vec3::splat(Real::NAN);
    for i in 0..KINDS {
        for j in 0..KINDS {
            let (a, b) = (piece(&mut random, i), piece(&mut random, j));
            let turn = quat_normalize(quat_mul(random.rotation(), random.rotation()));
            let a = placed(&a, Vec3::ZERO, turn);
            let config = CastConfig::default();
            let broken = placed(&b, nan, turn);
            let far = placed(&b, Vec3::splat(Real::MAX), turn);
            assert!(a.closest(&broken).is_none(), "no distance");
            let _ = (a.closest(&far), a.touches(&far), a.cast(&far, Vec3::X, 1.0, &config));
            let near = placed(&b, Vec3::Y * 3.0, turn);
            for v in [Vec3::ZERO, nan] {
                assert!(a.cast(&near, v, Real::INFINITY, &config).is_none(), "no direction");
            }
            let inside = placed(&b, Vec3::ZERO, turn);
            let hit = a.cast(&inside, Vec3::ZERO, Real::INFINITY, &config);
            assert!(hit.is_some(), "an overlap without a direction");
            assert!(a.project(nan, true).is_none(), "no projection");
        }
    }
}
