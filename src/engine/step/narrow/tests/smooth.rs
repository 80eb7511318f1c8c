//! Contacts of cylinders, cones and ellipsoids.

use super::*;
use crate::engine::geometry::ratio::{Centers, Measured, PortalCache, measure};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::lcp::tests::random;
use crate::math::quat_to_mat3;

const BAND: Real = 0.01;
const PARAMS: ClipParams = ClipParams::new(BAND, 1e-3);

fn made(hull: Result<Hull, crate::engine::geometry::shape::ShapeError>) -> Hull {
    hull.expect("the lengths are in range")
}

/// Rotation about an axis.
fn turn(axis: Vec3, angle: Real) -> Mat3 {
    quat_to_mat3(crate::math::quat_exp(axis * angle))
}

/// Height at which the hull's lowest point is `gap` above the plane y = 0.
fn height_above(hull: &Hull, rotation: Mat3, gap: Real) -> Real {
    gap - (rotation * hull.support_point(rotation.transpose() * -Vec3::Y)).y
}

/// Contacts with the half-space y ≤ 0, the lowest point `gap` above it, and with a wide box there.
fn on_ground(hull: &Hull, rotation: Mat3, gap: Real) -> [Manifold; 2] {
    let height = height_above(hull, rotation, gap);
    let mut plane = Manifold::default();
    find_contacts_half_space(hull, &rotation, height, Vec3::Y, &PARAMS, &mut plane);
    let ground = made(Hull::cuboid(Vec3::new(20.0, 1.0, 20.0)));
    let relative = Relative { rotation, offset: Vec3::new(0.3, 0.5 + height, 0.2) };
    let flat = touching(&ground, hull, &relative);
    [plane, flat]
}

/// Contacts along the normal of the ratio metric; also checks that each lies on both surfaces along
/// the normal and that exchanging the bodies changes nothing but the roles.
fn touching(a: &Hull, b: &Hull, relative: &Relative) -> Manifold {
    let mut cache = PortalCache::default();
    let centers = Centers::default();
    let measured = measure(a, b, relative, &centers, Real::INFINITY, &mut cache);
    let Measured::Near(ratio) = measured else { panic!("an infinite margin") };
    let mut found = Manifold::default();
    find_contacts(a, b, relative, ratio.normal, cache.hints, &PARAMS, &mut found);
    for c in &found.contacts {
        let gap = ratio.normal.dot(c.point_b - c.point_a);
        assert!((gap - c.separation).abs() < 1e-5, "separation along the normal");
        // A face ends up to ε_x outside of its sides.
        assert!(c.separation >= ratio.separation - 1e-3, "nothing is deeper than the planes");
    }
    let lowest = found.contacts.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
    if ratio.separation < 0.9 * BAND {
        assert!(!found.contacts.is_empty(), "a pair within the band has a contact");
        // The points meet above each other only when scaled to touching.
        let allowed = 1e-4 + 0.3 * ratio.separation.abs();
        assert!((lowest - ratio.separation).abs() < allowed, "{lowest} is {}", ratio.separation);
    }
    let inverse = relative.rotation.transpose();
    let back = Relative { rotation: inverse, offset: -(inverse * relative.offset) };
    let mut swapped = Manifold::default();
    let hints = [cache.hints[1], cache.hints[0]];
    find_contacts(b, a, &back, -(inverse * ratio.normal), hints, &PARAMS, &mut swapped);
    // Which of two candidates in one place stays depends on their order; a deeper one wins only from
    // that distance on.
    let other = swapped.contacts.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
    let one_place = 2.0 * PARAMS.eps_x * a.bounding_radius().min(b.bounding_radius());
    let level = other == lowest || (other - lowest).abs() < one_place;
    assert!(level, "as deep from the other side: {lowest}, {other}");
    found
}

#[test]
fn a_lying_cylinder_touches_with_its_two_ends() {
    let hull = made(Hull::cylinder(0.5, 2.0));
    for spin in [0.0, 0.3, 1.0] {
        let lying = turn(Vec3::X, 0.5 * PI) * turn(Vec3::Y, spin);
        for found in on_ground(&hull, lying, -0.001) {
            assert_eq!(found.contacts.len(), 2, "two ends");
            assert!(found.contacts.iter().all(|c| (c.separation + 0.001).abs() < 1e-5), "level");
            let apart = found.contacts[0].point_b - found.contacts[1].point_b;
            assert!((apart.length() - 2.0).abs() < 1e-5, "the whole length");
        }
    }
}

#[test]
fn a_standing_cylinder_touches_with_a_ring() {
    for hull in [made(Hull::cylinder(0.5, 2.0)), made(Hull::cone(0.5, 2.0))] {
        for tilt in [0.0, 1e-5, 1e-3] {
            for found in on_ground(&hull, turn(Vec3::X, tilt), -0.001) {
                assert!(found.contacts.len() >= 4, "a ring: {}", found.contacts.len());
                let lowest = found.contacts.iter().map(|c| c.separation);
                let lowest = lowest.fold(Real::INFINITY, Real::min);
                assert!((lowest + 0.001).abs() < 2e-5, "the lowest point {lowest}");
                assert_eq!(found.dropped, 0, "nothing is left out");
                let middle: Vec3 = found.contacts.iter().map(|c| c.point_b).sum();
                let n = found.contacts.len() as Real;
                assert!((found.contacts[0].point_b - middle / n).length() > 0.3, "around it");
            }
        }
    }
}

#[test]
fn a_tilted_coin_touches_with_its_lowest_point() {
    let hull = made(Hull::cylinder(0.5, 0.05));
    for tilt in [0.1, 0.3, 0.7, 1.0, 1.4] {
        for spin in [0.0, 0.2, 0.39, 0.4, 2.0] {
            let rotation = turn(Vec3::X, tilt) * turn(Vec3::Y, spin);
            for found in on_ground(&hull, rotation, -1e-4) {
                let lowest =
                    found.contacts.iter().map(|c| c.separation).fold(Real::INFINITY, Real::min);
                assert!((lowest + 1e-4).abs() < 1e-5, "exactly the lowest point: {lowest}");
                let deep = found.contacts.iter().filter(|c| c.separation < 1e-4).count();
                assert_eq!(deep, 1, "one point at a tilt of {tilt}");
            }
        }
    }
}

#[test]
fn a_cone_on_its_side_touches_with_two_points() {
    let (radius, height): (Real, Real) = (0.5, 1.5);
    let hull = made(Hull::cone(radius, height));
    let half_angle = atan2(radius, height);
    let rotation = turn(Vec3::X, 0.5 * PI + half_angle);
    for found in on_ground(&hull, rotation, 0.0) {
        assert_eq!(found.contacts.len(), 2, "apex and rim");
        assert!(found.contacts.iter().all(|c| c.separation.abs() < 1e-5), "level");
    }
    for found in on_ground(&hull, turn(Vec3::X, PI), 0.0) {
        assert_eq!(found.contacts.len(), 1, "on its tip");
    }
}

#[test]
fn crossing_cylinders_touch_once_and_caps_with_a_ring() {
    let hull = made(Hull::cylinder(0.5, 2.0));
    let crossed =
        Relative { rotation: turn(Vec3::X, 0.5 * PI), offset: Vec3::new(0.999, 0.2, 0.1) };
    let found = touching(&hull, &hull, &crossed);
    assert_eq!(found.contacts.len(), 1, "crossing generators");
    assert!((found.contacts[0].separation + 0.001).abs() < 1e-5, "separation");
    let wide = made(Hull::cylinder(0.8, 1.0));
    for (other, spin) in [(&hull, 0.0), (&hull, 0.3), (&wide, 0.1)] {
        let offset =
            Vec3::new(0.1, 0.999 + 0.5 * if core::ptr::eq(other, &wide) { 1.0 } else { 2.0 }, 0.05);
        let relative = Relative { rotation: turn(Vec3::Y, spin), offset };
        let found = touching(&hull, other, &relative);
        assert!(found.contacts.len() >= 4, "a ring: {}", found.contacts.len());
    }
    let beside = Relative { rotation: turn(Vec3::Y, 0.4), offset: Vec3::new(0.999, 0.5, 0.0) };
    let found = touching(&hull, &hull, &beside);
    assert_eq!(found.contacts.len(), 2, "two ends of the common length of parallel cylinders");
}

#[test]
fn a_cylinder_over_the_edge_of_a_box_touches_where_both_are() {
    let hull = made(Hull::cylinder(0.5, 2.0));
    let ground = made(Hull::cuboid(Vec3::new(4.0, 1.0, 4.0)));
    let lying = turn(Vec3::Z, 0.5 * PI);
    let relative = Relative { rotation: lying, offset: Vec3::new(1.7, 0.999, 0.3) };
    let found = touching(&ground, &hull, &relative);
    assert_eq!(found.contacts.len(), 2, "an end and the edge");
    let mut x = [found.contacts[0].point_b.x, found.contacts[1].point_b.x];
    x.sort_by(|a, b| a.total_cmp(b));
    assert!((x[0] - 0.7).abs() < 1e-4 && (x[1] - 2.0).abs() < 1e-3, "from 0.7 to 2: {x:?}");
}

#[test]
fn an_ellipsoid_touches_once() {
    let mut rng = Random(random::Random::new(5));
    let hull = made(Hull::ellipsoid(Vec3::new(1.0, 0.6, 0.4)));
    let cylinder = made(Hull::cylinder(0.5, 2.0));
    for _ in 0..200 {
        let rotation = narrow_mat(rng.rotation());
        for found in on_ground(&hull, rotation, -0.001) {
            assert_eq!(found.contacts.len(), 1, "one point");
            assert!((found.contacts[0].separation + 0.001).abs() < 1e-5, "separation");
        }
        let offset = narrow3(rng.direction()) * narrow(rng.within(0.4, 1.2));
        let found = touching(&cylinder, &hull, &Relative { rotation, offset });
        assert!(found.contacts.len() <= 1, "one point");
    }
}

fn narrow_mat(m: DMat3) -> Mat3 {
    Mat3::from_cols(narrow3(m.x_axis), narrow3(m.y_axis), narrow3(m.z_axis))
}

#[test]
fn random_poses_have_sound_contacts() {
    let mut rng = Random(random::Random::new(6));
    for k in 0..4000 {
        let mut piece = || match rng.below(7) {
            0 => made(Hull::cylinder(0.4, 1.0)),
            1 => made(Hull::cylinder(0.7, 0.1)),
            2 => made(Hull::cone(0.5, 0.8)),
            3 => made(Hull::round_cylinder(0.3, 0.5, 0.1)),
            4 => made(Hull::ellipsoid(Vec3::new(0.8, 1.2, 0.5))),
            5 => made(Hull::capsule(0.2, 0.8)),
            _ => rng.hull(),
        };
        let (a, b) = (piece(), piece());
        if a.curve().is_none() && b.curve().is_none() {
            continue;
        }
        let rotation = if k % 3 == 0 {
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][rng.below(3)];
            turn(axis, [0.0, 0.5, 1.0, 1e-6][rng.below(4)] * PI)
        } else {
            narrow_mat(rng.rotation())
        };
        let mut relative = Relative { rotation, offset: narrow3(rng.direction()) };
        let centers = Centers::default();
        let mut cache = PortalCache::default();
        let Measured::Near(ratio) =
            measure(&a, &b, &relative, &centers, Real::INFINITY, &mut cache)
        else {
            panic!("an infinite margin")
        };
        relative.offset *= narrow(rng.within(0.99, 1.01)) / ratio.ratio;
        let found = touching(&a, &b, &relative);
        let ids: Vec<ContactId> = found.contacts.iter().map(|c| c.id).collect();
        let mut unique = ids.clone();
        unique.dedup();
        assert_eq!(ids.len(), unique.len(), "each contact has its own name");
    }
}

#[test]
fn capsules_that_cross_touch_where_their_axes_are_nearest() {
    let mut random = Random(random::Random::new(7));
    let mut within = |low: Double, high: Double| narrow(random.within(low, high));
    for _ in 0..200 {
        let capsules =
            [within(1.0, 3.0), within(1.0, 3.0)].map(|length| made(Hull::capsule(0.1, length)));
        let (angle, height) = (within(0.4, 2.7), within(0.19, 0.205));
        // The capsules lie along y and turned about z; their axes pass each other at these parts of them.
        let at =
            [0, 1].map(|k| Vec3::Y * (capsules[k].bounding_radius() - 0.1) * within(-0.8, 0.8));
        let rotation = turn(Vec3::Z, angle);
        let offset = at[0] + Vec3::Z * height - rotation * at[1];
        let found = touching(&capsules[0], &capsules[1], &Relative { rotation, offset });
        let [contact] = &found.contacts[..] else { panic!("one contact: {:?}", found.contacts) };
        let aside = (contact.point_a - at[0]).with_z(0.0).length();
        assert!(aside < 1e-4, "where they are nearest, but for {aside} m");
        assert!((contact.separation - (height - 0.2)).abs() < 1e-5, "as far as they are");
    }
}
