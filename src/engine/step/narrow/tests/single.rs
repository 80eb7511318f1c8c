//! Single contacts: which of two in one place stays, normals over edges of meshes, balls beside faces.

use super::*;
use crate::engine::geometry::ratio::{Feature as Corners, NO_VERTEX};
use crate::engine::geometry::shape::mesh::Mesh;
use crate::engine::state::contact::ActiveContact;
use crate::engine::step::narrow::collect::Collector;
use crate::engine::step::narrow::exposed::exposed_normal;
use crate::engine::step::narrow::merge;

#[test]
fn of_two_contacts_in_one_place_the_clearly_deeper_one_stays() {
    let merge = 0.01;
    let contact = |depth: Real| (ContactId((depth * 1e4) as u64), Vec3::ZERO, Vec3::Y * -depth);
    // Depths as they come (m), and that which stays: the first, or one deeper by more than `merge`.
    for (depths, stays) in [
        ([0.001, 0.05, 0.055], 0.05),
        ([0.05, 0.001, 0.055], 0.05),
        ([0.001, 0.005, 0.002], 0.001),
        ([0.001, 0.03, 0.06], 0.06),
    ] {
        let mut collector = Collector::new(Vec3::Y, 0.1, merge, [0.0; 2]);
        for (id, a, b) in depths.map(contact) {
            collector.push(id, a, b);
        }
        let mut found = Manifold::default();
        collector.finish(&mut found);
        let kept: Vec<_> = found.contacts.iter().map(|c| (c.id, c.point_b)).collect();
        let (id, _, point) = contact(stays);
        assert_eq!(kept, [(id, point)], "of {depths:?}");
    }
}

/// An edge leaves a face of a box of 12 km, 0.7 m and 1 cm twice, 18 µm apart by rounding. Two rows had one
/// name, and one impulse for both. Found by the fuzzer.
#[test]
fn regression_the_same_features_meet_once() {
    let at =
        |id, x: Real| ActiveContact::new(ContactId(id), Vec3::Y, [Vec3::X * x; 2], 1.5e-5, 0.0);
    let mut contacts = [at(3, 0.0), at(7, 4.809e-3), at(7, 4.791e-3), at(9, 1.0)].into();
    merge(&mut contacts, None);
    assert_eq!(contacts.to_vec(), [at(3, 0.0), at(7, 4.809e-3), at(9, 1.0)]);
}

/// Corners of a small body a centimetre apart are two contacts, however far away the center of the ground is.
#[test]
fn corners_on_a_wide_ground_are_told_apart() {
    for far in [0.0, 100.0, 1000.0] {
        let at = |id, x: Real| {
            let arms = [Vec3::X * (far + x), Vec3::X * x];
            ActiveContact::new(ContactId(id), Vec3::Y, arms, 0.0, 0.0)
        };
        for swap in [false, true] {
            let mut contacts = [at(3, -0.005), at(7, 0.005)];
            if swap {
                contacts.iter_mut().for_each(|contact| contact.arms.reverse());
            }
            let mut kept = contacts.into_iter().collect();
            merge(&mut kept, None);
            assert_eq!(kept.to_vec(), contacts, "{far} m from the center of the ground");
        }
    }
}

/// A roof along z, and a flat field: over a ridge the normals from the one side to the other are exposed,
/// over an inner edge only that of the triangles.
#[test]
fn normals_over_an_edge_are_those_between_its_sides() {
    let both = [[0, 2, 1], [0, 1, 3]];
    for drop in [1.0, 0.0] {
        let [ridge, eaves] = [1.0, 1.0 - drop];
        let corners =
            [[0.0, ridge, -1.0], [0.0, ridge, 1.0], [-1.0, eaves, 0.0], [1.0, eaves, 0.0]];
        let mesh = Mesh::new(&corners.map(Vec3::from_array), &both).expect("two triangles");
        let left = Vec3::new(-drop, 1.0, 0.0).normalize();
        let right = Vec3::new(drop, 1.0, 0.0).normalize();
        let lean = Vec3::new(0.3 * drop, 1.0, 0.0).normalize();
        let own = Vec3::new(-2.0, 1.0, 0.0).normalize();
        let far = Vec3::new(3.0, 1.0, 0.0).normalize();
        let between = if drop > 0.0 { lean } else { left };
        // The edge from the last corner of the left triangle to its first, told either way.
        for ids in [[2, 0, NO_VERTEX], [0, 2, NO_VERTEX]] {
            for (asked, wanted) in [(lean, between), (own, left), (far, right)] {
                let (normal, is_other) = exposed_normal(&mesh, 0, asked, &Corners { ids, len: 2 });
                let off = (normal - wanted).length();
                assert!(
                    off < 4.0 * EPSILON,
                    "{asked} over a drop of {drop}: {normal}, not {wanted}"
                );
                assert_eq!(is_other, normal != asked, "{asked} is told to be another one");
            }
        }
    }
}

/// Four triangles about a corner: on a pyramid all normals are exposed there from which everything falls,
/// in a flat field only that of the triangles.
#[test]
fn normals_at_a_corner_are_those_from_which_the_surface_falls() {
    let fan = [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4]];
    for height in [1.0, 0.0] {
        let around = [
            [0.0, height, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [-1.0, 0.0, 0.0],
            [0.0, 0.0, -1.0],
        ];
        let mesh = Mesh::new(&around.map(Vec3::from_array), &fan).expect("four triangles");
        let corner = Corners { ids: [0, NO_VERTEX, NO_VERTEX], len: 1 };
        let asked = Vec3::new(0.2, 1.0, 0.1).normalize();
        for index in 0..4 {
            let wanted = if height > 0.0 { asked } else { Vec3::Y };
            let (normal, is_other) = exposed_normal(&mesh, index, asked, &corner);
            assert!((normal - wanted).length() < 4.0 * EPSILON, "{normal} at a height of {height}");
            assert_eq!(is_other, height == 0.0, "at a height of {height}");
        }
    }
}

/// With `overlap_only` a ball whose center is beside a face does not touch that face.
#[test]
fn a_ball_beside_a_face_overlaps_nothing() {
    let ball = Hull::sphere(0.5).expect("a ball");
    let ground = Hull::cuboid(Vec3::new(2.0, 1.0, 2.0)).expect("a box");
    for (x, touches) in [(0.9, true), (1.3, false)] {
        let offset = Vec3::new(x, 0.999, 0.0);
        let params = ClipParams { overlap_only: true, ..ClipParams::new(0.01, 1e-3) };
        for side in [1.0, -1.0] {
            let relative = Relative { rotation: Mat3::IDENTITY, offset: offset * side };
            let hulls = if side > 0.0 { [&ground, &ball] } else { [&ball, &ground] };
            let mut found = Manifold::default();
            let normal = Vec3::Y * side;
            find_contacts(hulls[0], hulls[1], &relative, normal, [0; 2], &params, &mut found);
            assert_eq!(found.contacts.len(), usize::from(touches), "{x} m beside, side {side}");
        }
    }
}
