//! Contacts by intersecting outlines against the enumeration of all events, and shapes with known
//! answers.

mod boxes;
mod outline;
mod parts;
mod passing;
mod reference_normal;
mod single;
mod slim;
mod smooth;

use super::clip::{ClipParams, find_contacts};
use super::collect::Manifold;
use super::half_space::find_contacts_half_space;
use crate::engine::geometry::ratio::Relative;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::lcp::tests::random;
use crate::engine::papers::enumerate::{PairEvent, Placement, enumerate, ratio_of};
use crate::engine::state::contact::ContactId;
use crate::math::{
    DMat3, DVec3, Double, EPSILON, Mat3, PI, Real, Vec3, atan2, cos, narrow, narrow3, sin, widen,
    widen_mat3, widen3,
};

/// Random numbers, as these tests want them.
struct Random(random::Random);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in [low, high).
    fn within(&mut self, low: Double, high: Double) -> Double {
        low + (high - low) * ((self.bits() >> 11) as Double / (1_u64 << 53) as Double)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::from_array([0; 3].map(|_| self.within(-1.0, 1.0)));
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    fn rotation(&mut self) -> DMat3 {
        let x = self.direction();
        let y = x.cross(self.direction()).normalize();
        DMat3::from_cols(x, y, x.cross(y))
    }

    fn hull(&mut self) -> Hull {
        if self.below(3) == 0 {
            let size = [0; 3].map(|_| self.within(0.3, 2.0));
            return Hull::cuboid(narrow3(DVec3::from_array(size))).expect("a box");
        }
        let count = 4 + self.below(16);
        let points: Vec<_> = (0..count).map(|_| narrow3(self.direction())).collect();
        match Hull::convex_hull(&points) {
            Ok(hull) if hull.inradius() > 0.1 => hull,
            _ => self.hull(),
        }
    }
}

fn narrow_mat3(m: DMat3) -> Mat3 {
    Mat3::from_cols(narrow3(m.x_axis), narrow3(m.y_axis), narrow3(m.z_axis))
}

fn yaw(angle: Real) -> Mat3 {
    let (s, c) = (sin(angle), cos(angle));
    Mat3::from_cols(Vec3::new(c, 0.0, -s), Vec3::Y, Vec3::new(s, 0.0, c))
}

fn swapped(relative: &Relative) -> Relative {
    let rotation = relative.rotation.transpose();
    Relative { rotation, offset: -(rotation * relative.offset) }
}

fn events_of(a: &Hull, b: &Hull, relative: &Relative) -> Vec<PairEvent> {
    let at_a = Placement { position: DVec3::ZERO, rotation: DMat3::IDENTITY };
    let at_b =
        Placement { position: widen3(relative.offset), rotation: widen_mat3(relative.rotation) };
    enumerate(a, &at_a, b, &at_b)
}

/// The event whose own plane separates best: its normal is that of the ratio metric.
fn first_event(events: &[PairEvent]) -> &PairEvent {
    let ratio = ratio_of(events);
    events.iter().find(|e| e.separating_ratio == ratio).expect("a pair has events")
}

fn contacts(a: &Hull, b: &Hull, relative: &Relative, n: Vec3, band: Real, eps_x: Real) -> Manifold {
    let mut out = Manifold::default();
    find_contacts(a, b, relative, n, [0; 2], &ClipParams::new(band, eps_x), &mut out);
    out
}

/// A random pair that touches: in a point, or (`flat`) with a face of each.
fn touching_pair(random: &mut Random, flat: bool) -> (Hull, Hull, Relative) {
    let (a, b) = (random.hull(), random.hull());
    if !flat {
        let rotation = narrow_mat3(random.rotation());
        let mut offset = random.direction() * 3.0;
        for _ in 0..3 {
            // Dividing by the ratio makes it one; repeated to round in the build's precision.
            let relative = Relative { rotation, offset: narrow3(offset) };
            offset /= ratio_of(&events_of(&a, &b, &relative));
        }
        return (a, b, Relative { rotation, offset: narrow3(offset) });
    }
    let face = a.faces()[random.below(a.faces().len())];
    let other = b.faces()[random.below(b.faces().len())];
    let (n, m) = (widen3(face.normal), -widen3(other.normal));
    let spin = random.direction();
    let frame = |n: DVec3, v: DVec3| {
        let x = n.cross(v).normalize();
        DMat3::from_cols(x, n.cross(x), n)
    };
    let rotation = frame(n, spin) * frame(m, random.direction()).transpose();
    // Any point of one face on any point of the other.
    let mut point_on = |hull: &Hull, start: u32, len: u32| {
        let ids = &hull.face_vertices[start as usize..(start + len) as usize];
        let weights: Vec<_> = ids.iter().map(|_| random.within(0.05, 1.0)).collect();
        let sum: Double = weights.iter().sum();
        let vertex = |&v: &u32| widen3(hull.vertices[v as usize]);
        ids.iter().zip(weights).map(|(v, w)| vertex(v) * (w / sum)).sum::<DVec3>()
    };
    let on_a = point_on(&a, face.start, face.len);
    let on_b = point_on(&b, other.start, other.len);
    let offset = on_a - rotation * on_b;
    (a, b, Relative { rotation: narrow_mat3(rotation), offset: narrow3(offset) })
}

/// Rounding of poses, relative to the size of the pairs.
const ROUNDING: Real = 64.0 * EPSILON;

#[test]
fn every_event_of_touching_bodies_is_a_contact() {
    let (eps_x, tiny) = (ROUNDING, widen(ROUNDING));
    let mut random = Random(random::Random::new(1));
    let (mut n_events, mut n_contacts, mut n_flat) = (0, 0, 0);
    for round in 0..2000 {
        let (a, b, relative) = touching_pair(&mut random, round % 2 == 1);
        let events = events_of(&a, &b, &relative);
        let ratio = ratio_of(&events);
        let normal = first_event(&events).normal;
        let found = contacts(&a, &b, &relative, narrow3(normal), 4.0 * ROUNDING, eps_x);
        assert!(!found.contacts.is_empty(), "round {round}: no contact");
        let ascending = found.contacts.windows(2).all(|w| w[0].id < w[1].id);
        assert!(ascending, "round {round}: ids are sorted and not repeated");
        n_flat += usize::from(found.contacts.len() > 2);
        n_contacts += found.contacts.len();
        let reach = |p: DVec3, c: &super::collect::Contact| {
            let middle = (widen3(c.point_a) + widen3(c.point_b)) * 0.5;
            p.distance(middle)
        };
        for event in &events {
            let active = (event.ratio - ratio).abs() < tiny && event.violation < tiny;
            // Where edges are nearly parallel the place of the crossing is not determined.
            if !active || event.conditioning < 1e-2 || found.dropped > 0 {
                continue;
            }
            n_events += 1;
            let nearest =
                found.contacts.iter().map(|c| reach(event.point, c)).fold(9.0, Double::min);
            assert!(
                nearest < 200.0 * tiny,
                "round {round}: {:?} is {nearest:.1e} m from any of {:?}",
                event.features,
                found.contacts
            );
        }
        for contact in &found.contacts {
            let known = events.iter().find(|e| e.features.id() == contact.id);
            let known = known.expect("contacts of polytopes are events");
            let off = reach(known.point, contact).min((known.ratio - ratio).abs());
            assert!(off < 2000.0 * tiny, "round {round}: {contact:?} is {off:.1e} m off");
        }
    }
    println!("measured {n_events} events, {n_contacts} contacts, {n_flat} flat");
    assert!(n_events > 4000 && n_flat > 700, "{n_events} events, {n_flat} with an area");
}

#[test]
fn points_lie_on_the_surfaces_at_their_own_separation() {
    let mut random = Random(random::Random::new(2));
    let (mut compared, mut beside) = (0, 0);
    for round in 0..2000 {
        let (a, b, mut relative) = touching_pair(&mut random, round % 4 != 0);
        let normal = narrow3(first_event(&events_of(&a, &b, &relative)).normal);
        // Moved apart or together, and tilted a little.
        relative.offset += normal * narrow(random.within(-0.02, 0.02));
        let tilt = narrow_mat3(random.rotation()) * narrow(random.within(0.0, 0.02));
        relative.rotation.x_axis += tilt.x_axis;
        relative.rotation.x_axis = relative.rotation.x_axis.normalize();
        let y = relative.rotation.y_axis;
        let z = relative.rotation.x_axis.cross(y).normalize();
        relative.rotation =
            Mat3::from_cols(relative.rotation.x_axis, z.cross(relative.rotation.x_axis), z);
        let normal = narrow3(first_event(&events_of(&a, &b, &relative)).normal);
        let found = contacts(&a, &b, &relative, normal, 0.1, 1e-3);
        let inverse = relative.rotation.transpose();
        for c in &found.contacts {
            let on_b = inverse * (c.point_b - relative.offset);
            let height = |hull: &Hull, p: Vec3| {
                hull.faces().iter().map(|f| f.normal.dot(p) - f.offset).fold(-9.0, Real::max)
            };
            // Enlarged faces let points lie ε_x outside, on their planes; one face steeper than 3°
            // multiplies that.
            // Where the outlines miss each other, one point is beside its body; the other one is not.
            let outside = [height(&a, c.point_a), height(&b, on_b)];
            let [least, most] = [outside[0].min(outside[1]), outside[0].max(outside[1])];
            assert!(least < 5e-3 && most < 2e-2, "round {round}: {outside:?} m outside");
            assert!(least > -ROUNDING, "round {round}: {outside:?} m inside");
            beside += usize::from(most >= 5e-3);
            let between = c.point_b - c.point_a;
            let along = normal.dot(between);
            assert!((along - c.separation).abs() <= ROUNDING, "round {round}: {c:?}");
            assert!((between - normal * along).length() < 0.1, "round {round}: {c:?}");
            compared += 1;
        }
    }
    println!("measured {compared} points");
    assert!(compared > 4000, "only {compared} points were compared");
    assert!(beside < 10, "{beside} points were beside");
}

#[test]
fn exchanging_the_bodies_exchanges_the_ids() {
    let mut random = Random(random::Random::new(3));
    let mut several = 0;
    for round in 0..1000 {
        let (a, b, relative) = touching_pair(&mut random, true);
        let normal = narrow3(first_event(&events_of(&a, &b, &relative)).normal);
        let one = contacts(&a, &b, &relative, normal, 0.01, ROUNDING);
        let back = -(relative.rotation.transpose() * normal);
        let two = contacts(&b, &a, &swapped(&relative), back, 0.01, ROUNDING);
        if one.dropped + two.dropped > 0 {
            continue;
        }
        let mut ids: Vec<_> = two.contacts.iter().map(|c| c.id.swapped()).collect();
        ids.sort_unstable();
        let expected: Vec<_> = one.contacts.iter().map(|c| c.id).collect();
        assert_eq!(ids, expected, "round {round}");
        several += usize::from(ids.len() > 2);
    }
    assert!(several > 700, "only {several} pairs touched with an area");
}

#[test]
fn a_pair_within_the_band_has_a_contact() {
    let mut random = Random(random::Random::new(4));
    for round in 0..3000 {
        let (a, b, mut relative) = touching_pair(&mut random, false);
        relative.offset *= narrow(random.within(0.7, 1.3));
        let events = events_of(&a, &b, &relative);
        let event = first_event(&events);
        let normal = narrow3(event.normal);
        let deepest = event.distance * (1.0 - 1.0 / event.separating_ratio);
        let band = narrow(deepest.max(0.0) + 1e-3);
        let found = contacts(&a, &b, &relative, normal, band, 1e-3);
        assert!(
            !found.contacts.is_empty(),
            "round {round}: sep {deepest}, none in the band {band}"
        );
        for c in &found.contacts {
            let above = widen(c.separation) - deepest;
            assert!(above > -1e-3, "round {round}: {above} m below the supporting planes");
        }
    }
}

#[test]
fn cubes_touch_in_four_eight_and_one_points() {
    let cube = Hull::cuboid(Vec3::ONE).expect("a cube");
    for gap in [0.0, 0.003, -0.002] {
        for (angle, count) in [(0.0, 4), (1e-6, 4), (0.3, 8), (0.785, 8)] {
            for scale in [1.0, -1.0] {
                let offset = Vec3::new(0.0, (1.0 + gap) * scale, 0.0);
                let relative = Relative { rotation: yaw(angle), offset };
                let found = contacts(&cube, &cube, &relative, Vec3::Y * scale, 0.01, 1e-3);
                assert_eq!(found.contacts.len(), count, "angle {angle}, {:?}", found.contacts);
                for c in &found.contacts {
                    assert!((c.separation - gap).abs() < ROUNDING, "{c:?}, expected {gap}");
                }
            }
        }
    }
    // Shifted by half a length: the overlap is a rectangle.
    let relative = Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(0.5, 1.0, 0.25) };
    let found = contacts(&cube, &cube, &relative, Vec3::Y, 0.01, 1e-3);
    assert_eq!(found.contacts.len(), 4, "{:?}", found.contacts);
    let area = found.contacts.iter().map(|c| c.point_a.x).fold(9.0, Real::min);
    assert!(area.abs() < ROUNDING, "the overlap begins at 0, not at {area}");
}

#[test]
fn ids_stay_while_bodies_creep() {
    let mut random = Random(random::Random::new(5));
    let cube = Hull::cuboid(Vec3::ONE).expect("a cube");
    let slab = Hull::cuboid(Vec3::new(3.0, 1.0, 3.0)).expect("a slab");
    for base in [&cube, &slab] {
        for angle in [0.0, 0.4] {
            let mut first = None;
            for _ in 0..100 {
                let noise = [0; 3].map(|_| random.within(-1e-5, 1e-5));
                let offset = Vec3::Y + narrow3(DVec3::from_array(noise));
                let turned = yaw(angle + narrow(random.within(-1e-5, 1e-5)));
                let relative = Relative { rotation: turned, offset };
                let found = contacts(base, &cube, &relative, Vec3::Y, 0.01, 1e-3);
                let ids: Vec<_> = found.contacts.iter().map(|c| c.id).collect();
                assert_eq!(*first.get_or_insert(ids.clone()), ids, "the same contacts");
            }
        }
    }
}

#[test]
fn crossing_edges_touch_in_one_point() {
    let cube = Hull::cuboid(Vec3::ONE).expect("a cube");
    let half: Real = 0.5;
    let s = half.sqrt();
    // An edge of each, along x and along z, one above the other: turned by 45° about x and z.
    let about_x = Mat3::from_cols(Vec3::X, Vec3::new(0.0, s, s), Vec3::new(0.0, -s, s));
    let about_z = Mat3::from_cols(Vec3::new(s, s, 0.0), Vec3::new(-s, s, 0.0), Vec3::Z);
    for gap in [0.0, 0.004, -0.004] {
        let up = about_x.transpose() * Vec3::Y;
        let offset = about_x.transpose() * Vec3::new(0.1, 2.0 * s + gap, 0.2);
        let relative = Relative { rotation: about_x.transpose() * about_z, offset };
        let found = contacts(&cube, &cube, &relative, up, 0.01, 1e-3);
        assert_eq!(found.contacts.len(), 1, "{:?}", found.contacts);
        let c = &found.contacts[0];
        assert!((c.separation - gap).abs() < ROUNDING, "{c:?}, expected {gap}");
        let at = about_x * c.point_a;
        assert!((at - Vec3::new(0.1, s, 0.0)).length() < 0.21, "crossing at {at}");
        assert_eq!(c.id.0 >> 62, 1, "an edge of a");
        assert_eq!(c.id.0 >> 30 & 3, 1, "an edge of b");
    }
}

#[test]
fn a_tilted_box_has_a_separation_for_each_corner() {
    let ground = Hull::cuboid(Vec3::new(10.0, 1.0, 10.0)).expect("a slab");
    let cube = Hull::cuboid(Vec3::ONE).expect("a cube");
    let (s, c) = (sin(0.05), cos(0.05));
    let tilt = Mat3::from_cols(Vec3::new(c, s, 0.0), Vec3::new(-s, c, 0.0), Vec3::Z);
    let height = 0.5 + 0.5 * c + 0.5 * s;
    let relative = Relative { rotation: tilt, offset: Vec3::new(0.3, height, 0.2) };
    let found = contacts(&ground, &cube, &relative, Vec3::Y, 0.1, 1e-3);
    assert_eq!(found.contacts.len(), 4, "{:?}", found.contacts);
    for contact in &found.contacts {
        let expected = contact.point_b.y - 0.5;
        assert!((contact.separation - expected).abs() < ROUNDING, "{contact:?}");
    }
    let high = found.contacts.iter().filter(|c| (c.separation - s).abs() < ROUNDING).count();
    let low = found.contacts.iter().filter(|c| c.separation.abs() < ROUNDING).count();
    assert_eq!((low, high), (2, 2), "two corners on the ground, two above it");
    let near = contacts(&ground, &cube, &relative, Vec3::Y, 0.01, 1e-3);
    assert_eq!(near.contacts.len(), 2, "the others are beyond the band");
}

#[test]
fn rounded_pieces_touch_in_one_or_two_points() {
    let ball = Hull::sphere(0.5).expect("a ball");
    let capsule = Hull::capsule(0.25, 1.0).expect("a capsule");
    let slab = Hull::cuboid(Vec3::new(4.0, 1.0, 4.0)).expect("a slab");
    let check = |a: &Hull, b: &Hull, relative: Relative, n: Vec3, count: usize, gap: Real| {
        let found = contacts(a, b, &relative, n, 0.1, 1e-3);
        assert_eq!(found.contacts.len(), count, "{:?}", found.contacts);
        for c in &found.contacts {
            assert!((c.separation - gap).abs() < ROUNDING, "{c:?}, expected {gap}");
        }
        let back = -(relative.rotation.transpose() * n);
        let mirrored = contacts(b, a, &swapped(&relative), back, 0.1, 1e-3);
        assert_eq!(mirrored.contacts.len(), count, "{:?}", mirrored.contacts);
        found
    };
    let straight = |x, y, z| Relative { rotation: Mat3::IDENTITY, offset: Vec3::new(x, y, z) };
    let diagonal = Vec3::new(0.6, 0.0, 0.8);
    let found = check(&ball, &ball, straight(0.63, 0.0, 0.84), diagonal, 1, 0.05);
    assert!((found.contacts[0].point_a - diagonal * 0.5).length() < ROUNDING, "on the first ball");
    let found = check(&slab, &ball, straight(1.0, 0.98, 0.5), Vec3::Y, 1, -0.02);
    assert!((found.contacts[0].point_b - Vec3::new(1.0, 0.48, 0.5)).length() < ROUNDING, "below");
    // The capsule's axis is found from its own vertices.
    let axis = (capsule.vertices()[1] - capsule.vertices()[0]).normalize();
    let side = axis.any_orthonormal_vector();
    let lying = |gap: Real| {
        let x = axis.cross(side);
        // Columns: images of axis × side, axis, side.
        let to = Mat3::from_cols(Vec3::Z, Vec3::X, Vec3::Y);
        let rotation = to * Mat3::from_cols(x, axis, side).transpose();
        Relative { rotation, offset: Vec3::new(0.2, 0.75 + gap, 0.1) }
    };
    check(&slab, &capsule, lying(0.01), Vec3::Y, 2, 0.01);
    // Parallel and crossing capsules.
    let above = Relative { rotation: Mat3::IDENTITY, offset: side * 0.52 + axis * 0.3 };
    check(&capsule, &capsule, above, side, 2, 0.02);
    let x = axis.cross(side);
    let quarter = Mat3::from_cols(axis, -x, side) * Mat3::from_cols(x, axis, side).transpose();
    let across = Relative { rotation: quarter, offset: side * 0.49 + axis * 0.2 };
    check(&capsule, &capsule, across, side, 1, -0.01);
}

#[test]
fn half_spaces_are_touched_by_vertices() {
    let params = ClipParams::new(0.01, 1e-3);
    let mut out = Manifold::default();
    let mut count = |hull: &Hull, rotation: &Mat3, height: Real| {
        find_contacts_half_space(hull, rotation, height, Vec3::Y, &params, &mut out);
        for c in &out.contacts {
            assert!((c.point_a.y + height).abs() < ROUNDING, "{c:?} is not on the plane");
            let along = c.point_b.y - c.point_a.y;
            assert!((along - c.separation).abs() < ROUNDING, "{c:?}");
        }
        (out.contacts.len(), out.dropped)
    };
    let cube = Hull::cuboid(Vec3::ONE).expect("a cube");
    assert_eq!(count(&cube, &yaw(0.3), 0.501), (4, 0), "a cube on its face");
    assert_eq!(count(&cube, &yaw(0.3), 0.6), (0, 0), "a cube above the band");
    assert_eq!(count(&cube, &yaw(0.3), -0.3), (4, 0), "a sunk cube: the lower corners");
    let ball = Hull::sphere(0.5).expect("a ball");
    assert_eq!(count(&ball, &yaw(0.3), 0.45), (1, 0), "a ball");
    let capsule = Hull::capsule(0.25, 1.0).expect("a capsule");
    let lying = Mat3::from_cols(Vec3::Y, Vec3::Z, Vec3::X);
    let axis = lying * (capsule.vertices()[1] - capsule.vertices()[0]);
    let lying = if axis.y.abs() > 0.5 { lying * lying } else { lying };
    assert_eq!(count(&capsule, &lying, 0.25), (2, 0), "a lying capsule");
    let polygon: Vec<_> = (0..32_u8)
        .map(|k| Real::from(k) * 2.0 * PI / 32.0)
        .map(|angle| [cos(angle), sin(angle)])
        .collect();
    let disk = Hull::prism(&polygon, 0.4).expect("a prism");
    let up = Mat3::from_cols(Vec3::Z, Vec3::X, Vec3::Y);
    assert_eq!(count(&disk, &up, 0.2), (8, 24), "a disk of 32 corners");
}

#[test]
fn many_corners_are_thinned_to_spread_ones() {
    let polygon: Vec<_> = (0..32_u8)
        .map(|k| Real::from(k) * 2.0 * PI / 32.0)
        .map(|angle| [cos(angle), sin(angle)])
        .collect();
    let disk = Hull::prism(&polygon, 0.4).expect("a prism");
    for (turn, all) in [(0.0, 32), (0.05, 64)] {
        let (s, c) = (sin(turn), cos(turn));
        let rotation = Mat3::from_cols(Vec3::new(c, s, 0.0), Vec3::new(-s, c, 0.0), Vec3::Z);
        let relative = Relative { rotation, offset: Vec3::new(0.0, 0.0, 0.4) };
        let found = contacts(&disk, &disk, &relative, Vec3::Z, 0.01, 1e-4);
        assert_eq!(found.contacts.len(), 8, "at most eight");
        assert_eq!(found.dropped, all - 8, "all others are counted");
        let mut angles: Vec<_> =
            found.contacts.iter().map(|c| atan2(c.point_a.y, c.point_a.x)).collect();
        angles.sort_by(Real::total_cmp);
        let gaps = angles.windows(2).map(|w| w[1] - w[0]);
        let widest = gaps.fold(angles[0] - angles[7] + 2.0 * PI, Real::max);
        assert!(widest < 1.3, "the widest gap between contacts is {widest} rad");
    }
}
