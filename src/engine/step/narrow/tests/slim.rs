//! Contacts of balls and capsules in closed form against those from outlines.

use super::*;
use crate::engine::geometry::ratio::{Centers, Measured, PortalCache, measure};
use crate::engine::state::contact::Feature;
use crate::engine::step::narrow::clip::FacePair;
use crate::engine::step::narrow::collect::Anchor;
use crate::engine::step::narrow::slim;
use crate::engine::tuning::outline::SQUARE;

fn slim(random: &mut Random) -> Hull {
    let radius = narrow(random.within(0.05, 0.5));
    if random.below(3) == 0 {
        return Hull::sphere(radius).expect("a ball");
    }
    let short = random.below(6) == 0;
    let length = narrow(random.within(1e-3, if short { 2e-3 } else { 2.0 }));
    Hull::capsule(radius, length).expect("a capsule")
}

/// Is a segment along `up` by just the sine from which it counts as square?
fn is_unclear(up: Vec3, along: Vec3) -> bool {
    let sine = up.dot(along).abs() / along.length();
    (sine - SQUARE).abs() < 1e-5
}

/// A pose of either kind: along each other, nearly so, any; with centers level or not.
fn pose(random: &mut Random, round: usize, lean: Real) -> Relative {
    let rotation = match round % 4 {
        0 => narrow_mat3(DMat3::IDENTITY),
        1 => yaw(lean),
        _ => narrow_mat3(random.rotation()),
    };
    let mut offset = narrow3(random.direction());
    if round.is_multiple_of(6) {
        offset.y = 0.0;
    }
    Relative { rotation, offset }
}

/// How far apart they are along a direction (m).
fn distance_along(normal: Vec3, [a, b]: [&Hull; 2], relative: &Relative) -> Real {
    let last = a.vertices.iter().map(|p| normal.dot(*p)).fold(Real::MIN, Real::max);
    let first = b.vertices.iter().map(|p| normal.dot(relative.rotation * *p));
    let between = first.fold(Real::MAX, Real::min) + normal.dot(relative.offset) - last;
    between - a.radius - b.radius
}

/// Of 100 000 pairs, far and near, deep, along and across each other, along the normal of the metric and
/// beside it.
#[test]
fn slim_pairs_have_the_contact_of_outlines() {
    let mut random = Random(random::Random::new(81));
    let (mut at_hand, mut along_each_other, mut n_contacts) = (0, 0, 0);
    for round in 0..100_000 {
        let (a, b) = (slim(&mut random), slim(&mut random));
        let lean = narrow(random.within(0.0, 0.003));
        let tilt = narrow3(random.direction()) * lean;
        let mut relative = pose(&mut random, round, lean);
        let rotation = relative.rotation;
        let mut normal = Vec3::X;
        let depth = [1.0, 0.5, 0.98, 1.02, 1.0][round % 5];
        for _ in 0..2 {
            let (centers, mut cache) = (Centers::default(), PortalCache::default());
            let measured = measure(&a, &b, &relative, &centers, Real::INFINITY, &mut cache);
            let Measured::Near(ratio) = measured else { panic!("nothing is far") };
            normal = ratio.normal;
            relative.offset *= depth / ratio.ratio;
        }
        if round % 3 == 0 {
            normal = (normal + tilt).normalize();
        }
        let params = ClipParams::new(narrow(random.within(0.0, 0.05)), 1e-3);
        let (mut fast, mut slow) = (Manifold::default(), Manifold::default());
        let found = slim::find_contact([&a, &b], &relative, normal, params.band, &mut fast);
        let scene = FacePair::new([&a, &b], &relative, normal, [0; 2], &params);
        if a.is_ball() || b.is_ball() {
            if b.is_ball() {
                scene.ball::<1>(&params, &mut slow);
            } else {
                scene.ball::<0>(&params, &mut slow);
            }
            if !found {
                assert!(slow.contacts.is_empty(), "round {round}: {slow:?}");
                continue;
            }
        } else {
            along_each_other += u32::from(!found);
            if !found {
                continue;
            }
            let features = [Feature::Edge(0); 2];
            scene.outlines(features, (Anchor::Unknown, 0.0), Real::INFINITY, &params, &mut slow);
        }
        at_hand += 1;
        let far = fast.contacts.is_empty() && fast.outlook.complete > params.band;
        if far {
            let nearest = slow.contacts.iter().map(|c| c.separation).fold(Real::MAX, Real::min);
            assert!(nearest > params.band - ROUNDING, "round {round}: {slow:?}");
            // Up to where nothing is: no farther than they are apart along the normal.
            let apart = distance_along(normal, [&a, &b], &relative);
            let off = (fast.outlook.complete - apart).abs();
            assert!(off < ROUNDING, "round {round}: {apart} m {fast:?}");
            continue;
        }
        let [c, d] = [&fast, &slow].map(|found| found.contacts.first().copied());
        let (Some(c), Some(d)) = (c, d) else {
            panic!("round {round}: {fast:?} {slow:?}");
        };
        assert_eq!(slow.contacts.len(), 1, "round {round}");
        n_contacts += 1;
        let ends = [Vec3::Y, rotation * Vec3::Y].map(|along| is_unclear(normal, along));
        if ends != [false, false] && c.id != d.id {
            continue;
        }
        assert_eq!(c.id, d.id, "round {round}: {fast:?} {slow:?}");
        let off = (c.separation - d.separation).abs();
        assert!(off < ROUNDING, "round {round}: {fast:?} {slow:?}");
        let apart = (c.point_a - d.point_a).length().max((c.point_b - d.point_b).length());
        // Where segments almost along each other are nearest is known to a rounding over their angle.
        let sine = Vec3::Y.cross(rotation * Vec3::Y).length();
        let most = if a.is_ball() || b.is_ball() { ROUNDING } else { ROUNDING / (sine * sine) };
        assert!(apart < most, "round {round}: {apart} m of {most}: {fast:?} {slow:?}");
        let kinds = [fast.outlook.anchor == Anchor::Points, a.is_ball() && b.is_ball()];
        assert_eq!(kinds[0], kinds[1], "two balls turn about each other");
    }
    println!("{at_hand} at hand, {n_contacts} contacts, {along_each_other} along each other");
    assert!(at_hand > 70_000 && n_contacts > 40_000 && along_each_other > 1_000);
}
