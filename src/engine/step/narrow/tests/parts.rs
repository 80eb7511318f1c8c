//! Contacts from the parts of outlines near the other body against those from whole outlines.

use super::{ROUNDING, Random, events_of, first_event, touching_pair};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::lcp::tests::random;
use crate::engine::papers::enumerate::ratio_of;
use crate::engine::step::narrow::clip::{ClipParams, FacePair, find_contacts};
use crate::engine::step::narrow::collect::{Anchor, Manifold};
use crate::math::{PI, Real, cos, narrow, narrow3, sin, widen3};

#[test]
fn parts_of_outlines_give_what_whole_ones_give() {
    let mut random = Random(random::Random::new(6));
    let polygon: Vec<_> = (0..17_u8)
        .map(|k| Real::from(k) * 2.0 * PI / 17.0)
        .map(|angle| [cos(angle), 0.7 * sin(angle)])
        .collect();
    let disk = Hull::prism(&polygon, 0.4).expect("a prism");
    let (mut single, mut n_contacts) = (0, 0);
    for round in 0..6000 {
        let (mut a, mut b, mut relative) = touching_pair(&mut random, round % 4 == 0);
        // Large faces, of which a part is taken.
        if round % 5 == 0 {
            a = disk.clone();
        }
        if round % 7 == 0 {
            b = disk.clone();
        }
        for _ in 0..3 {
            let ratio = ratio_of(&events_of(&a, &b, &relative));
            relative.offset = narrow3(widen3(relative.offset) / ratio);
        }
        let normal = narrow3(first_event(&events_of(&a, &b, &relative)).normal);
        relative.offset += normal * narrow(random.within(-0.02, 0.02));
        // A normal beside that of the metric, as the choice may give.
        let tilt = if round % 3 == 0 { 0.05 } else { 0.0 };
        let normal = (normal + narrow3(random.direction()) * tilt).normalize();
        let params = ClipParams::new(narrow(random.within(0.0, 0.05)), 1e-3);
        let (mut part, mut whole) = (Manifold::default(), Manifold::default());
        let hints = [&a, &b].map(|hull| random.below(hull.vertices().len()) as u32);
        find_contacts(&a, &b, &relative, normal, hints, &params, &mut part);
        let scene = FacePair::new([&a, &b], &relative, normal, [0; 2], &params);
        let features = scene.facing().map(|(feature, _)| feature);
        scene.outlines(features, (Anchor::Unknown, 0.0), Real::INFINITY, &params, &mut whole);
        single += usize::from(part.contacts.len() == 1);
        n_contacts += part.contacts.len();
        assert_eq!(part.contacts.len(), whole.contacts.len(), "round {round}: {part:?} {whole:?}");
        assert_eq!(part.dropped, whole.dropped, "round {round}");
        for (c, d) in part.contacts.iter().zip(&whole.contacts) {
            assert_eq!(c.id, d.id, "round {round}: {part:?} {whole:?}");
            let off = (c.point_a - d.point_a).length().max((c.point_b - d.point_b).length());
            let off = off.max((c.separation - d.separation).abs());
            assert!(off < ROUNDING, "round {round}: {c:?} is {off:.1e} m from {d:?}");
        }
    }
    println!("measured {single} single contacts of {n_contacts}");
    assert!(single > 1500 && n_contacts > 8000, "{single} of {n_contacts}");
}
