//! The tree against asking every piece.

use super::{KINDS, Random, hull};
use crate::engine::Simulation;
use crate::engine::geometry::shape::{Aabb, Shape};
use crate::engine::lcp::tests::random;
use crate::engine::query::{CastConfig, ColliderId, QueryTree, RayHit, ShapeHit, closest, ratio};
use crate::engine::settings::Settings;
use crate::engine::state::body::{Body, BodyDesc, BodyId, BodyKind};
use crate::engine::state::collider::{Collider, Layers};
use crate::math::{Quat, Real, Vec3};
use crate::query::piece::placed;

/// A shape of one or three pieces.
fn shape(random: &mut Random, number: usize) -> Shape {
    let one = |random: &mut Random| Shape::from_hull(hull(random, number % KINDS));
    if !number.is_multiple_of(5) {
        return one(random);
    }
    let parts: Vec<_> =
        (0..3).map(|_| (random.in_cube(0.4), random.rotation(), one(random))).collect();
    Shape::compound(parts).expect("parts are near")
}

/// Bodies of one or two colliders, and a ground.
fn scene(seed: u64, count: usize) -> Vec<Body> {
    let mut random = Random(random::Random::new(seed));
    (0..count)
        .map(|k| {
            let mut colliders = Vec::new();
            for c in 0..1 + k % 2 {
                let mut collider = Collider::new(shape(&mut random, k + c));
                collider.position = random.in_cube(0.3);
                collider.rotation = random.rotation();
                collider.layers = Layers { memberships: 1 << (k % 3), filters: u32::MAX };
                collider.sensor = k % 7 == 0;
                colliders.push(collider);
            }
            if k == 10 {
                colliders = vec![Shape::half_space(Vec3::Y).expect("a normal").into()];
            }
            let position = if k == 10 { Vec3::Y * -2.5 } else { random.in_cube(2.5) };
            let desc = BodyDesc {
                kind: BodyKind::Static,
                position,
                rotation: if k == 10 { Quat::IDENTITY } else { random.rotation() },
                colliders,
                ..BodyDesc::default()
            };
            Body::new(BodyId(3 * k as u64 + 1), desc).expect("a body")
        })
        .collect()
}

type Found<'a> = (ColliderId, &'a Collider, crate::query::piece::Placed<'a>, u32);

/// All pieces, one after another.
fn each<'a>(bodies: &'a [Body], mut visit: impl FnMut(Found<'a>)) {
    for body in bodies {
        let mut piece = 0;
        for (index, collider) in (0_u32..).zip(body.colliders().list()) {
            let rotation = crate::math::quat_mul(body.rotation(), collider.rotation);
            let position =
                body.position() + crate::math::quat_rotate(body.rotation(), collider.position);
            for it in placed(&collider.shape, position, rotation) {
                let id = ColliderId { body: body.id(), collider: index };
                visit((id, collider, it, piece));
                piece += 1;
            }
        }
    }
}

/// Layers, and whether sensors are met.
const FILTERS: [(u32, bool); 3] = [(u32::MAX, true), (1, true), (6, false)];

/// One of the filters, with a predicate.
fn admits(filter: &(u32, bool), body: BodyId, collider: &Collider) -> bool {
    let (mask, sensors) = *filter;
    let in_layers = collider.layers.memberships & mask != 0;
    in_layers && (sensors || !collider.sensor) && keep(body, collider)
}

fn keep(body: BodyId, _: &Collider) -> bool {
    !body.0.is_multiple_of(5)
}

#[test]
fn rays_find_what_asking_all_finds() {
    let bodies = scene(1, 60);
    let tree = QueryTree::build(&bodies);
    let mut random = Random(random::Random::new(2));
    let mut hits = 0;
    for round in 0..400 {
        let (origin, direction) = (random.in_cube(3.5), random.direction());
        let (solid, filter) = (round % 2 == 0, &FILTERS[round % 3]);
        let met = |body, it: &Collider| admits(filter, body, it);
        let mut wanted: Vec<RayHit> = Vec::new();
        each(&bodies, |(id, collider, it, piece)| {
            if let Some((distance, normal)) = it.ray(origin, direction, 8.0, solid)
                && admits(filter, id.body, collider)
            {
                wanted.push(RayHit { id, piece, distance, normal });
            }
        });
        wanted.sort_by(|a, b| {
            a.distance.total_cmp(&b.distance).then((a.id, a.piece).cmp(&(b.id, b.piece)))
        });
        // A direction of another length is the same.
        let long = direction * 4.0;
        let first = tree.cast_ray(origin, long, 8.0, solid, met);
        let close = |a: &RayHit, b: &RayHit| {
            (a.id, a.piece) == (b.id, b.piece) && (a.distance - b.distance).abs() < 1e-4
        };
        match (&first, wanted.first()) {
            (Some(a), Some(b)) => assert!(close(a, b), "round {round}: {a:?} is not {b:?}"),
            (None, None) => {}
            other => panic!("round {round}: {other:?}"),
        }
        let mut all = Vec::new();
        tree.ray_hits(origin, long, 8.0, solid, met, &mut all);
        assert_eq!(all.first(), first.as_ref(), "round {round}: the first is the first");
        keep_first(&mut wanted, |hit| hit.id);
        assert_eq!(all.len(), wanted.len(), "round {round}: one for each collider");
        assert!(all.iter().zip(&wanted).all(|(a, b)| close(a, b)), "round {round}: in order");
        hits += all.len();
    }
    assert!(hits > 150, "{hits} hits");
}

/// Keeps the first hit on every collider.
fn keep_first<H>(hits: &mut Vec<H>, id: impl Fn(&H) -> ColliderId) {
    let mut known = Vec::new();
    hits.retain(|hit| {
        let is_new = !known.contains(&id(hit));
        known.push(id(hit));
        is_new
    });
}

#[test]
fn casts_find_what_asking_all_finds() {
    let bodies = scene(3, 60);
    let tree = QueryTree::build(&bodies);
    let mut random = Random(random::Random::new(4));
    let mut hits = 0;
    for round in 0..300 {
        let shape = shape(&mut random, round);
        let (position, rotation) = (random.in_cube(3.5), random.rotation());
        let direction = random.direction();
        let filter = &FILTERS[round % 3];
        let met = |body, it: &Collider| admits(filter, body, it);
        let config = CastConfig {
            max_distance: 6.0,
            target_distance: if round % 4 == 0 { 0.1 } else { 0.0 },
            ignore_origin_penetration: round % 5 == 0,
            ..CastConfig::default()
        };
        let mut wanted: Vec<(ColliderId, u32, Real)> = Vec::new();
        each(&bodies, |(id, collider, it, piece)| {
            for moving in placed(&shape, position, rotation) {
                if let Some(hit) = it.cast(&moving, direction, 6.0, &config)
                    && admits(filter, id.body, collider)
                {
                    wanted.push((id, piece, hit.distance));
                }
            }
        });
        wanted.sort_by(|a, b| a.2.total_cmp(&b.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        let first = tree.cast_shape(&shape, position, rotation, direction, &config, met);
        let close = |a: &ShapeHit, b: &(ColliderId, u32, Real)| {
            (a.id, a.piece) == (b.0, b.1) && (a.distance - b.2).abs() < 1e-4
        };
        match (&first, wanted.first()) {
            (Some(a), Some(b)) => assert!(close(a, b), "round {round}: {a:?} is not {b:?}"),
            (None, None) => {}
            other => panic!("round {round}: {other:?}"),
        }
        let mut all = Vec::new();
        tree.shape_hits(&shape, position, rotation, direction, &config, met, &mut all);
        keep_first(&mut wanted, |hit| hit.0);
        assert_eq!(all.len(), wanted.len(), "round {round}: one for each collider");
        assert!(all.iter().zip(&wanted).all(|(a, b)| close(a, b)), "round {round}: in order");
        hits += all.len();
    }
    assert!(hits > 150, "{hits} hits");
}

#[test]
fn points_boxes_and_shapes_find_what_asking_all_finds() {
    let bodies = scene(5, 80);
    let tree = QueryTree::build(&bodies);
    let mut random = Random(random::Random::new(6));
    let mut counts = [0; 3];
    for round in 0..300 {
        let filter = &FILTERS[round % 3];
        let met = |body, it: &Collider| admits(filter, body, it);
        let point = random.in_cube(3.0);
        let (shape, rotation) = (shape(&mut random, round), random.rotation());
        let size = random.in_cube(1.0).abs();
        let aabb = Aabb { min: point - size, max: point + size };
        let mut wanted: [Vec<ColliderId>; 3] = Default::default();
        let (mut nearest, mut near_id) = (Real::INFINITY, None);
        each(&bodies, |(id, collider, it, _)| {
            if !admits(filter, id.body, collider) {
                return;
            }
            let (at, inside) = it.project(point, true).expect("a projection");
            if (at - point).length() < nearest {
                (nearest, near_id) = ((at - point).length(), Some(id));
            }
            if inside {
                wanted[0].push(id);
            }
            let bounds = it.convex.aabb(it.position, it.rotation);
            // The ground is y ≤ -4.
            if bounds.meets(aabb) && (bounds.max.is_finite() || aabb.min.y <= -2.5) {
                wanted[1].push(id);
            }
            if placed(&shape, point, rotation).any(|moving| it.touches(&moving)) {
                wanted[2].push(id);
            }
        });
        let mut found: [Vec<ColliderId>; 3] = Default::default();
        tree.point_intersections(point, met, &mut found[0]);
        tree.aabb_intersections(aabb, met, &mut found[1]);
        tree.shape_intersections(&shape, point, rotation, met, &mut found[2]);
        for k in 0..3 {
            wanted[k].dedup();
            counts[k] += wanted[k].len();
            assert_eq!(found[k], wanted[k], "round {round}, query {k}");
        }
        let projection = tree.project_point(point, Real::INFINITY, true, met);
        let projection = projection.expect("there are bodies");
        assert!(((projection.point - point).length() - nearest).abs() < 1e-5, "the nearest");
        if nearest > 0.0 {
            assert_eq!(Some(projection.id), near_id, "round {round}: whose it is");
        }
        let limited = tree.project_point(point, 0.5 * nearest, true, met);
        assert_eq!(limited.is_some(), nearest == 0.0, "round {round}: within the limit");
    }
    assert!(counts.iter().all(|&count| count > 30), "{counts:?} are few");
}

#[test]
fn shapes_of_many_pieces_are_as_near_as_their_nearest() {
    let mut random = Random(random::Random::new(7));
    for round in 0..50 {
        let (a, b) = (shape(&mut random, 5 * round), shape(&mut random, round));
        let (p, q) = (random.in_cube(1.0), random.rotation());
        let a = (&a, p, q);
        let b = (&b, p + random.direction() * 2.5, random.rotation());
        let there = closest(a, b).expect("a distance");
        let back = closest(b, a).expect("a distance");
        assert!((there.distance - back.distance).abs() < 1e-5, "both ways");
        assert!(ratio(a, b).is_some_and(|r| (r.gap > 0.0) == (there.distance > 0.0)), "signs");
    }
}

#[test]
fn a_tree_built_anew_is_the_same() {
    let bodies = scene(8, 30);
    let mut tree = QueryTree::build(&scene(9, 50));
    tree.rebuild(&bodies);
    let fresh = QueryTree::build(&bodies);
    assert_eq!(tree.len(), fresh.len(), "as many colliders");
    let mut random = Random(random::Random::new(10));
    for _ in 0..100 {
        let (origin, direction) = (random.in_cube(3.5), random.direction());
        let cast = |tree: &QueryTree| tree.cast_ray(origin, direction, Real::MAX, true, keep);
        assert_eq!(cast(&tree), cast(&fresh), "the same hits");
    }
}

/// A world of bodies side by side, one in nine of which falls.
fn side_by_side(random: &mut Random, count: usize) -> (Simulation, Vec<BodyId>) {
    let mut world = Simulation::new();
    let mut ids = Vec::new();
    for k in 0..count {
        let kind = if k % 9 == 0 { BodyKind::Dynamic } else { BodyKind::Static };
        let position = Vec3::new((k % 16) as Real, 0.0, (k / 16) as Real) * 2.0;
        let colliders = vec![Collider::new(shape(random, k))];
        let desc = BodyDesc { kind, position, colliders, ..BodyDesc::default() };
        ids.push(world.add_body(desc).expect("a sound body"));
    }
    (world, ids)
}

#[test]
fn a_tree_that_is_updated_is_that_of_all_bodies() {
    let mut random = Random(random::Random::new(12));
    let (mut world, mut ids) = side_by_side(&mut random, 256);
    let (mut tree, mut hits, mut sorted) = (QueryTree::default(), 0, 0);
    for step in 0..120 {
        world.step(&Settings::default(), 1.0 / 60.0);
        let layers = Layers { memberships: 1 << (step % 3), filters: u32::MAX };
        let body = world.body_mut(ids[5 * step % ids.len()]).expect("it is there");
        body.set_layers(0, layers);
        // Some are moved by hand, come and go; for a while all are, later none.
        let pushed = if (40..60).contains(&step) { ids.len() } else { usize::from(step < 80) };
        for k in 0..pushed {
            let body = world.body_mut(ids[(k + 7 * step) % ids.len()]).expect("it is there");
            body.set_pose(body.position() + random.direction() * 0.3, random.rotation());
        }
        if step % 11 == 3 {
            world.remove_body(ids.swap_remove(step % ids.len()));
            let colliders = vec![Collider::new(shape(&mut random, step))];
            let position = random.in_cube(6.0);
            let desc = BodyDesc { position, colliders, ..BodyDesc::default() };
            ids.push(world.add_body(desc).expect("a sound body"));
        }
        let before = tree.still();
        tree.update(world.bodies());
        sorted += usize::from(tree.still() != before);
        let fresh = QueryTree::build(world.bodies().iter());
        assert_eq!(tree.len(), fresh.len(), "step {step}: as many colliders");
        for _ in 0..20 {
            let middle = Vec3::new(16.0, 0.0, 16.0);
            // Along the field, not over it.
            let flat = Vec3::new(1.0, 0.1, 1.0);
            let (origin, direction) = (random.in_cube(16.0) * flat, random.direction() * flat);
            let origin = middle + origin;
            let keep = |_, collider: &Collider| collider.layers.memberships != 2;
            let cast = |tree: &QueryTree| tree.cast_ray(origin, direction, 20.0, true, keep);
            assert_eq!(cast(&tree), cast(&fresh), "step {step}: the same hits");
            hits += usize::from(cast(&tree).is_some());
            let near = |tree: &QueryTree| tree.project_point(origin, 5.0, false, keep);
            assert_eq!(near(&tree), near(&fresh), "step {step}: the same points");
            let (low, high) = (origin - Vec3::ONE, origin + Vec3::ONE);
            let bounds = Aabb { min: low, max: high };
            let met = |tree: &QueryTree| {
                let mut found = Vec::new();
                tree.aabb_intersections(bounds, keep, &mut found);
                found
            };
            assert_eq!(met(&tree), met(&fresh), "step {step}: the same boxes");
        }
    }
    assert!(hits > 500, "{hits} hits");
    assert!((2..30).contains(&sorted), "sorted anew {sorted} times");
}

/// Bodies without colliders, as anchors are, are in no layer, and none of them is in the wrong one.
#[test]
fn bodies_without_colliders_do_not_sort_a_tree_anew() {
    let mut random = Random(random::Random::new(13));
    let (mut world, _) = side_by_side(&mut random, 32);
    for _ in 0..200 {
        let anchor = BodyDesc { kind: BodyKind::Static, ..BodyDesc::default() };
        world.add_body(anchor).expect("a sound body");
    }
    let mut tree = QueryTree::default();
    let mut since = Vec::new();
    for _ in 0..20 {
        world.step(&Settings::default(), 1.0 / 60.0);
        tree.update(world.bodies());
        since.push(tree.still());
    }
    assert!(since[5..].iter().all(|then| *then == since[5]), "{since:?}");
}

#[test]
fn queries_that_are_no_numbers_find_nothing() {
    let bodies = scene(11, 40);
    let nan = Vec3::splat(Real::NAN);
    let shape = Shape::sphere(0.5).expect("a ball");
    for tree in [QueryTree::build(&bodies), QueryTree::default()] {
        for (origin, direction) in [(nan, Vec3::X), (Vec3::ZERO, nan), (Vec3::ZERO, Vec3::ZERO)] {
            let hit = tree.cast_ray(origin, direction, Real::INFINITY, true, keep);
            assert!(hit.is_none(), "no ray");
        }
        let config = CastConfig::default();
        let hit = tree.cast_shape(&shape, nan, Quat::IDENTITY, Vec3::X, &config, keep);
        assert!(hit.is_none(), "no place");
        let hit = tree.cast_ray(Vec3::ZERO, Vec3::X, Real::NAN, true, keep);
        assert!(hit.is_none(), "no length");
        let endless = CastConfig { max_distance: Real::INFINITY, ..config };
        let up = Vec3::Y * 50.0;
        let hit = tree.cast_shape(&shape, up, Quat::IDENTITY, Vec3::NEG_Y, &endless, keep);
        assert_eq!(hit.is_some(), !tree.is_empty(), "an endless cast ends at the ground");
        assert!(tree.project_point(nan, 1.0, true, keep).is_none(), "no point");
        let mut found = vec![ColliderId::default()];
        tree.point_intersections(nan, keep, &mut found);
        assert!(found.is_empty(), "no point");
    }
}
