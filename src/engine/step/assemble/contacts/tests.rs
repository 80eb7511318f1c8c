//! Manifolds and locks of small worlds, and the bias of a contact by its gap and its past.

use super::*;
use crate::engine::Simulation;
use crate::engine::geometry::shape::Shape;
use crate::engine::state::body::{BodyDesc, BodyKind};
use crate::engine::state::contact::ContactId;
use crate::engine::state::joint::{JointDesc, JointFrame, JointKind};
use crate::math::narrow;

const DT: Real = 1.0 / 60.0;

/// Posts with eight corners at the foot, on a floor.
fn posts(n: usize) -> Simulation {
    let mut world = Simulation::new();
    let floor = Shape::half_space(Vec3::Y).expect("a direction");
    let desc = BodyDesc { shape: Some(floor), ..BodyDesc::default() };
    world.add_body(BodyDesc { kind: BodyKind::Static, ..desc }).expect("a sound body");
    let (near, far) = (0.2, 0.5);
    let mut corners = Vec::new();
    for y in [-0.5, 0.5] {
        for [x, z] in [[near, far], [far, near]] {
            for [i, k] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
                corners.push(Vec3::new(i * x, y, k * z));
            }
        }
    }
    for i in 0..n {
        let shape = Shape::convex_hull(&corners).expect("a solid");
        let position = Vec3::new(3.0 * i as Real, 0.499, 0.0);
        let desc = BodyDesc { shape: Some(shape), position, ..BodyDesc::default() };
        world.add_body(BodyDesc { kind: BodyKind::Dynamic, ..desc }).expect("a sound body");
    }
    world
}

/// Finds the contacts, lets `change` at them, and assembles.
fn assemble(world: &mut Simulation, settings: &Settings, change: impl FnOnce(&mut [Box<Pair>])) {
    world.begin(settings, DT);
    world.find_pairs(settings);
    world.find_contacts(settings);
    change(world.pairs_mut());
    world.build_islands();
    world.assemble(settings);
}

#[test]
fn contacts_of_one_normal_share_manifolds_of_four() {
    let mut world = posts(2);
    assemble(&mut world, &Settings::default(), |pairs| {
        let counts: Vec<usize> = pairs.iter().map(|pair| pair.contacts.len()).collect();
        assert_eq!(counts, [8, 8], "every corner touches");
    });
    let problem = &world.work.problem;
    let shape: Vec<_> = problem.manifolds.iter().map(|m| (m.first, m.count, m.a, m.b)).collect();
    // Each post is an island of one body; 1 stands for the fixed world.
    let on_floor = |m: &(u32, u32, u32, u32)| (m.2, m.3) == (1, 0) || (m.2, m.3) == (0, 1);
    assert!(shape.iter().all(on_floor), "{shape:?}");
    let places: Vec<_> = shape.iter().map(|m| (m.0, m.1)).collect();
    assert_eq!(places, [(0, 4), (4, 4), (0, 4), (4, 4)], "counted from the first of each island");
    let expected: Vec<_> = (0..2).flat_map(|p| (0..8).map(move |c| [p, c])).collect();
    assert_eq!(problem.contact_source, expected, "in the order of pairs and contacts");
}

#[test]
fn another_normal_begins_another_manifold() {
    let tilted = Vec3::new(0.6, 0.8, 0.0);
    let mut world = posts(1);
    let mut up = 1.0;
    assemble(&mut world, &Settings::default(), |pairs| {
        let contacts = &mut pairs[0].contacts;
        up = contacts[0].normal.y;
        for c in [1, 2, 3, 5] {
            contacts[c].normal = tilted * up;
        }
    });
    let problem = &world.work.problem;
    let places: Vec<_> = problem.manifolds.iter().map(|m| (m.first, m.count)).collect();
    // Only what follows each other shares a manifold: order is kept.
    assert_eq!(places, [(0, 1), (1, 3), (4, 1), (5, 1), (6, 2)], "by runs of equal normals");
    let expected: Vec<_> = (0..8).map(|c| [0, c]).collect();
    assert_eq!(problem.contact_source, expected, "in order");
    for (m, is_tilted) in problem.manifolds.iter().zip([false, true, false, true, false]) {
        let [x, y, z] = m.normal;
        let [i, j, k] = if is_tilted { [0.6, 0.8, 0.0] } else { [0.0, 1.0, 0.0] };
        let up = widen(up);
        let near = (x - i * up).abs() + (y - j * up).abs() + (z - k * up).abs() < 1e-6;
        assert!(near, "{:?}", m.normal);
        let [n, t, s] = m.frame().map(DVec3::from_array);
        let square = n.dot(t).abs() + n.dot(s).abs() + t.dot(s).abs();
        assert!(square < 1e-15, "at right angles in double precision: {square}");
    }
}

#[test]
fn a_pyramid_gives_every_contact_its_own_manifold() {
    let mut settings = Settings::default();
    settings.solver.cone = Cone::Pyramid(4);
    let mut world = posts(1);
    assemble(&mut world, &settings, |_| ());
    let places: Vec<_> = world.work.problem.manifolds.iter().map(|m| (m.first, m.count)).collect();
    assert_eq!(places, (0..8).map(|c| (c, 1)).collect::<Vec<_>>(), "one by one");
}

#[test]
fn corners_of_a_pyramid_lie_along_the_slip() {
    let mut settings = Settings::default();
    settings.solver.cone = Cone::Pyramid(4);
    let mut world = posts(1);
    world.begin(&settings, DT);
    world.find_pairs(&settings);
    world.find_contacts(&settings);
    world.build_islands();
    for motion in world.work.motions.list.iter_mut().filter(|motion| motion.moves) {
        motion.linear = Vec3::new(0.3, -0.2, 0.4);
    }
    world.assemble(&settings);
    let manifolds = &world.work.problem.manifolds;
    assert_eq!(manifolds.len(), 8, "one of each corner");
    for m in manifolds {
        let across = DVec3::from_array(m.tangent).cross(DVec3::new(0.6, 0.0, 0.8));
        assert!(across.length() < 1e-6, "along the slip, and not {:?}", m.tangent);
    }
}

#[test]
fn lanes_are_the_contacts_they_came_from() {
    let mut world = posts(1);
    let mut seen = Vec::new();
    assemble(&mut world, &Settings::default(), |pairs| {
        for (c, contact) in pairs[0].contacts.iter_mut().enumerate() {
            contact.impulse = [DVec3::new(0.1, 1.0 + c as Double, 0.2), DVec3::Y * c as Double];
        }
        seen = pairs[0].contacts.to_vec();
    });
    let problem = &world.work.problem;
    for m in &problem.manifolds {
        for lane in 0..m.count as usize {
            let c = m.first as usize + lane;
            let contact = &seen[c];
            let point = [m.point[0][lane], m.point[1][lane], m.point[2][lane]];
            let post = usize::from(m.b == 0);
            let arm = DVec3::from_array([m.arm_a, m.arm_b][post]) + DVec3::from_array(point);
            let expected = widen3(contact.arms[post]);
            assert!((arm - expected).length() < 1e-15, "contact {c}: {arm} and {expected}");
            assert_eq!(m.gap[lane], contact.row_gap, "contact {c}");
            let (biased, relaxed) =
                (&problem.biased.contact_impulse[c], &problem.relaxed.contact_impulse[c]);
            let kept = [biased, relaxed].map(|l| DVec3::from_array(*l));
            assert_eq!(kept, contact.impulse, "contact {c} keeps its impulse");
            assert!(m.compliance[lane] > 0.0, "contact {c} can move the post");
        }
    }
}

#[test]
fn locks_yield_in_loops_only() {
    for closed in [false, true] {
        let mut world = Simulation::new();
        let [first, second] = [0.0, 1.0].map(|x| {
            let shape = Some(Shape::cuboid(0.5, 0.2, 0.2).expect("a solid"));
            let desc = BodyDesc { shape, position: Vec3::X * x, ..BodyDesc::default() };
            let id = world.add_body(BodyDesc { kind: BodyKind::Dynamic, ..desc });
            Some(id.expect("a sound body"))
        });
        // Hinges half way between the bodies, and beside the last one.
        let hinges = [
            ([None, first], [-0.5, -0.5]),
            ([first, second], [0.5, -0.5]),
            ([second, None], [0.5, 1.5]),
        ];
        for (ends, places) in hinges.into_iter().take(if closed { 3 } else { 2 }) {
            let mut desc = JointDesc::new(JointKind::Revolute, ends);
            desc.frames = places.map(|x| JointFrame::at(Vec3::X * x));
            world.add_joint(desc).expect("a sound joint");
        }
        assemble(&mut world, &Settings::default(), |_| ());
        let rows = &world.work.problem.joints;
        assert_eq!(rows.len(), if closed { 15 } else { 10 }, "five of each hinge");
        let yields = rows.iter().filter(|row| row.softness > 0.0).count();
        assert_eq!(yields, if closed { 15 } else { 0 }, "all of a loop, none of a chain");
    }
}

/// A contact with this gap (m) that pushed in the last step or did not, its bias and push [m/s].
fn bias_of(gap: Double, pushed: bool, settings: &Settings) -> (Double, Double) {
    let mut contact = ActiveContact::new(ContactId(7), Vec3::Y, [Vec3::ZERO; 2], 0.0, gap);
    contact.blow = Blow::None;
    if pushed {
        contact.impulse = [DVec3::Y; 2];
    }
    normal_bias(&contact, || 0.0, settings, DT).into()
}

#[test]
fn overlap_in_the_dead_zone_is_touch() {
    let settings = Settings::default();
    let (dt, zone) = (widen(DT), widen(settings.contact.dead_zone) * widen(DT) * widen(DT));
    assert!((zone - 1e-5).abs() < 1e-8, "10 µm at 60 Hz: {zone}");
    for pushed in [false, true] {
        for part in [0.0, -0.01, -0.5, -0.99, -1.0] {
            assert_eq!(bias_of(part * zone, pushed, &settings), (0.0, 0.0), "{part} of the zone");
        }
        // Beyond, only what exceeds the zone is taken back: no jump at its edge.
        let (bias, push) = bias_of(-1.5 * zone, pushed, &settings);
        assert!((bias + 0.5 * zone / dt).abs() < 1e-15, "{bias}");
        assert_eq!(push, bias, "not carried on");
    }
}

#[test]
fn what_arrives_comes_all_the_way_and_what_lies_there_has_the_zone() {
    let settings = Settings::default();
    let (dt, zone) = (widen(DT), widen(settings.contact.dead_zone) * widen(DT) * widen(DT));
    for part in [0.01, 0.5, 1.0, 3.0, 1000.0] {
        let gap = part * zone;
        assert_eq!(bias_of(gap, false, &settings), (gap / dt, 0.0), "{part}: a new contact");
        let (bias, push) = bias_of(gap, true, &settings);
        assert_eq!(push, 0.0, "a gap pushes nothing");
        if part <= 1.0 {
            assert_eq!(bias, 0.0, "{part}: it pushed and still touches");
        } else {
            assert!((bias - (gap - zone) / dt).abs() < 1e-15, "{part}: {bias}");
        }
    }
}

/// What rolls over a seam is carried by the next face as it was by the last one, and falls by nothing.
#[test]
fn a_contact_that_begins_within_the_zone_is_touch_unless_it_arrives() {
    let settings = Settings::default();
    let (dt, zone) = (widen(DT), widen(settings.contact.dead_zone) * widen(DT) * widen(DT));
    for part in [0.01, 0.5, 1.0, 1.01, 3.0] {
        for speed in [-1.1, -0.9, 0.0, 0.5, 1e3] {
            let gap = part * zone;
            let contact = ActiveContact::new(ContactId(7), Vec3::Y, [Vec3::ZERO; 2], 0.0, gap);
            let touches = part <= 1.0 && speed > -1.0;
            let bias = if touches { 0.0 } else { gap / dt };
            let got = normal_bias(&contact, || narrow(speed * zone / dt), &settings, DT);
            assert_eq!(got, [bias, 0.0], "{part} of the zone, {speed} of it a step");
        }
    }
}

#[test]
fn without_a_dead_zone_every_gap_counts() {
    let mut settings = Settings::default();
    settings.contact.dead_zone = 0.0;
    settings.contact.gamma = 0.5;
    let dt = widen(DT);
    for pushed in [false, true] {
        assert_eq!(bias_of(1e-6, pushed, &settings), (1e-6 / dt, 0.0), "apart");
        let (bias, push) = bias_of(-1e-6, pushed, &settings);
        assert!((bias + 0.5e-6 / dt).abs() < 1e-18, "half of it in one step: {bias}");
        assert_eq!(push, bias, "relaxed");
        let (bias, push) = bias_of(-10.0, pushed, &settings);
        assert_eq!(bias, -widen(settings.contact.push_speed_max), "capped");
        assert_eq!(push, bias, "relaxed");
    }
    settings.contact.relax = false;
    assert_eq!(bias_of(-1e-3, true, &settings).1, 0.0, "the push is carried on");
}

#[test]
fn the_papers_rows_know_no_zone() {
    let settings = Settings::papers(0.25, 0.5, 0.1, 0.1, 0.1, 4);
    let dt = widen(DT);
    for gap in [0.3, 1e-6, 0.0, -1e-6, -0.3] {
        for pushed in [false, true] {
            assert_eq!(bias_of(gap, pushed, &settings), (0.25 * gap / dt, 0.0), "gap {gap}");
        }
    }
}

/// What rides on a turntable follows its circle whole; what only slides on it is not led through the surface.
#[test]
fn circles_count_whole_where_both_turn_and_along_the_surface_where_one_does() {
    let table = Motion { angular: Vec3::new(0.0, 0.7, 2.0), ..Motion::default() };
    let slides = Motion { moves: true, ..Motion::default() };
    let rides = Motion { angular: table.angular, ..slides };
    let (normal, arm) = (Vec3::new(0.6, 0.8, 0.0), Vec3::new(1.0, 0.5, 0.2));
    let contact = ActiveContact::new(ContactId(7), normal, [arm, Vec3::ZERO], 0.0, 0.0);
    let added = |b: &Motion, turned| curve([&table, b], &contact, DT, turned, [true; 2]);
    let (n, spin) = (widen3(normal).normalize(), widen3(table.angular));
    let whole = spin.cross(spin.cross(widen3(arm))) * (-0.5 * widen(DT));
    assert!(n.dot(whole).abs() > 1e-3, "the circle leads through the surface");
    assert!((added(&rides, true) - whole).length() < 1e-12, "whole where both turn as one");
    let along = whole - n * n.dot(whole);
    assert!((added(&slides, true) - along).length() < 1e-12, "along the surface where one turns");
    assert_eq!(added(&rides, false), DVec3::ZERO, "nothing turns in other islands");
}
