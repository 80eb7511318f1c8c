//! The nearest point of an outline.

use super::Random;
use crate::engine::lcp::tests::random;
use crate::engine::state::contact::Feature;
use crate::engine::step::narrow::outline::{Axes, Outline, OutlineReach, PlacedFace};
use crate::math::{EPSILON, Real, Vec3, narrow, narrow3};

/// A point `q` of a convex set is the one nearest to `p` if and only if nothing of the set lies beyond it
/// towards `p`: `(p - q)·(c - q) ≤ 0` for all corners `c`.
#[test]
fn nothing_of_an_outline_lies_nearer_than_its_nearest_point() {
    let mut random = Random(random::Random::new(12));
    let whole = OutlineReach { top: 0.0, depth: Real::INFINITY, slack: 0.0 };
    let (mut inside, mut on_edges, mut on_corners) = (0, 0, 0);
    for _ in 0..2000 {
        let hull = random.hull();
        let axes = Axes::new(narrow3(random.direction()));
        let placed = PlacedFace::body_a(&hull, &axes);
        // Corners may lie a little off the plane of a face, which then is not convex along a slant.
        let most = 64.0 * EPSILON + 8.0 * hull.flatness;
        let leans = |normal: Vec3| normal.dot(axes.normal) > 0.5;
        let faces = hull.faces().iter().enumerate().filter(|(_, face)| leans(face.normal));
        let face = faces.map(|(k, _)| Feature::Face(k as u32)).next();
        let edge = Feature::Edge(random.below(hull.edges.len()) as u32);
        for feature in face.into_iter().chain([edge]) {
            let mut outline = Outline::new();
            outline.trace(&placed, feature, &whole);
            let place = [0; 2].map(|_| narrow(random.within(-1.5, 1.5)));
            let p = Vec3::new(place[0], place[1], 0.0);
            let q = outline.nearest(p);
            let flat = |v: Vec3| Vec3::new(v.x, v.y, 0.0);
            let way = flat(p - q);
            let corners = || outline.corners.iter().map(|corner| corner.at);
            for to in corners().map(|c| flat(c - q)) {
                // By as much the square of the distance falls on the way there.
                let beyond = way.dot(to).max(0.0).powi(2);
                let seen = 64.0 * EPSILON * way.length_squared() * to.length_squared();
                assert!(beyond <= seen + most * most, "{feature:?}: {beyond:.1e} from {q} to {p}");
            }
            // On the outline itself, at its height.
            if outline.is_face() {
                let left = outline.corners.iter().map(|corner| corner.left(q));
                assert!(left.fold(Real::MAX, Real::min) > -most, "{q} is outside");
                assert!((outline.above(q) - q).length() < most, "{q} is off the face");
            } else {
                let [a, b] = [outline.corners[0].at, outline.corners[1].at];
                let off = (q - a).length() + (q - b).length() - (b - a).length();
                assert!(off < most, "{q} is {off:.1e} m off its edge");
            }
            match (way == Vec3::ZERO, corners().any(|c| c == q)) {
                (true, _) => inside += 1,
                (false, true) => on_corners += 1,
                (false, false) => on_edges += 1,
            }
        }
    }
    let met = [inside, on_edges, on_corners];
    assert!(met.iter().all(|&n| n > 100), "all kinds are met: {met:?}");
}
