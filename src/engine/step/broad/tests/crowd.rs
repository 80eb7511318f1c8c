//! Crowds: how many near pairs there are, whom they leave out, and when those come back.

use super::oracle::{Oracle, enlarge};
use super::{Random, keys, random};
use crate::engine::Simulation;
use crate::engine::geometry::shape::Shape;
use crate::engine::settings::Settings;
use crate::engine::state::body::{BodyDesc, BodyId, BodyKind};
use crate::engine::state::collider::Collider;
use crate::engine::step::broad::{BroadPhase, Input};
use crate::math::{Quat, Real, Vec3};
use crate::par::Serial;

const DT: Real = 1.0 / 60.0;

fn add(world: &mut Simulation, kind: BodyKind, shape: Shape, position: Vec3) -> BodyId {
    let desc = BodyDesc { kind, shape: Some(shape), position, ..BodyDesc::default() };
    world.add_body(desc).expect("a body")
}

fn cube() -> Shape {
    Shape::cuboid(1.0, 1.0, 1.0).expect("a cube")
}

fn weightless() -> Settings {
    Settings { gravity: Vec3::ZERO, ..Settings::default() }
}

/// Cubes at one point.
fn crowd(n: usize) -> (Simulation, Vec<BodyId>) {
    let mut world = Simulation::new();
    let cubes = (0..n).map(|_| add(&mut world, BodyKind::Dynamic, cube(), Vec3::ZERO)).collect();
    (world, cubes)
}

/// Makes the first two stages of a step; the pairs of each of the bodies.
fn pairs_of(world: &mut Simulation, settings: &Settings, bodies: &[BodyId]) -> Vec<usize> {
    assert!(world.begin(settings, DT), "the settings are in range");
    world.find_pairs(settings);
    let keys = keys(world);
    let of = |id: &BodyId| keys.iter().filter(|key| key.a == *id || key.b == *id).count();
    bodies.iter().map(of).collect()
}

#[test]
fn pairs_grow_as_the_crowd_and_each_has_many() {
    let settings = weightless();
    for n in [65, 200, 600] {
        let (mut world, cubes) = crowd(n);
        let counts = pairs_of(&mut world, &settings, &cubes);
        let (all, report) = (n * (n - 1) / 2, world.report());
        assert!(counts.iter().all(|&count| count >= 64.min(n - 1)), "{n}: {counts:?}");
        // The first finds nobody yet who is deep in another.
        assert!(counts[1..].iter().all(|&count| count <= 128), "{n}: {counts:?}");
        assert!(report.pairs as usize <= 64 * n, "{n}: {report:?}");
        assert_eq!(report.pairs as usize + report.pairs_refused as usize, all, "{n}: all are told");
        let told = if n > 65 { vec![cubes[0]] } else { Vec::new() };
        assert_eq!(report.crowded, told, "{n}: the first is named");
    }
}

/// Where most have gone all pairs of the others are there: they were found anew, though none of them moves.
#[test]
fn refused_pairs_come_back() {
    let settings = weightless();
    let (mut world, cubes) = crowd(300);
    world.step(&settings, DT);
    assert!(world.report().pairs_refused > 0, "some are refused");
    for &id in &cubes[..240] {
        world.remove_body(id);
    }
    let counts = pairs_of(&mut world, &settings, &cubes[240..]);
    assert!(counts.iter().all(|&count| count == 59), "{counts:?}");
    assert_eq!((world.report().pairs_refused, world.report().crowded.len()), (0, 0));
}

#[test]
fn what_is_fixed_and_who_arrives_are_not_refused() {
    let settings = weightless();
    let (mut world, cubes) = crowd(300);
    let floor = Shape::cuboid(50.0, 1.0, 50.0).expect("a floor");
    let hills = vec![vec![0.1; 9]; 9];
    let hills = Shape::heightfield(&hills, Vec3::new(8.0, 1.0, 8.0)).expect("hills");
    let fixed = [
        (BodyKind::Static, floor),
        (BodyKind::Static, hills),
        (BodyKind::Kinematic, cube()),
        (BodyKind::Static, Shape::half_space(Vec3::Y).expect("a half-space")),
    ];
    let fixed = fixed.map(|(kind, shape)| add(&mut world, kind, shape, Vec3::ZERO));
    pairs_of(&mut world, &settings, &cubes);
    for other in fixed {
        let meets =
            |id: &&BodyId| world.pairs().iter().any(|p| [p.key.a, p.key.b] == [**id, other]);
        assert_eq!(cubes.iter().filter(meets).count(), 300, "all meet {other:?}");
    }
    world.step(&settings, DT);
    let late = add(&mut world, BodyKind::Dynamic, cube(), Vec3::ZERO);
    let counts = pairs_of(&mut world, &settings, &[late]);
    assert!(counts[0] > 60, "who comes late meets many: {counts:?}");
}

/// A crowd goes on from a snapshot and as a clone to the last bit, until it is apart: then the pairs are
/// those of all boxes compared with all.
#[test]
fn crowds_go_on_with_the_same_bits_and_come_apart() {
    let settings = weightless();
    let (mut world, _) = crowd(200);
    for _ in 0..5 {
        world.step(&settings, DT);
    }
    let snapshot = world.snapshot().expect("between steps");
    let mut restored = Simulation::new();
    restored.restore(&snapshot).expect("it is whole");
    let mut clone = world.clone();
    let poses = |world: &Simulation| -> Vec<(Vec3, Quat)> {
        world.bodies().iter().map(|body| (body.position(), body.rotation())).collect()
    };
    let mut refused = 0;
    for step in 0..90 {
        for world in [&mut world, &mut restored, &mut clone] {
            world.step(&settings, DT);
        }
        refused += usize::from(world.report().pairs_refused > 0);
        assert_eq!(poses(&world), poses(&restored), "restored, step {step}");
        assert_eq!(poses(&world), poses(&clone), "cloned, step {step}");
    }
    assert!(refused > 10 && refused < 80, "refused in {refused} steps");
    assert!(world.begin(&settings, DT), "the settings are in range");
    world.find_pairs(&settings);
    let mut oracle = Oracle::default();
    oracle.find(&world, &settings);
    assert_eq!(keys(&world), oracle.candidates(), "all that meet");
}

/// The boxes of a world and their near pairs, without contacts.
fn boxes_that_meet(world: &mut Simulation, settings: &Settings) -> BroadPhase {
    assert!(world.begin(settings, DT), "the settings are in range");
    let (bodies, motions) = (&world.bodies, &world.work.motions.list);
    let enlarge = enlarge(world, settings);
    let mut broad = BroadPhase::default();
    broad.find(&Input { bodies, motions, movers: &[], enlarge, excluded: &[] }, &Serial);
    broad
}

/// Rods whose boxes all meet, though they are apart as far as their balls tell; and sensors.
#[test]
fn thin_bodies_and_sensors_have_room_for_two_million_pairs() {
    let settings = weightless();
    for sensor in [false, true] {
        let mut world = Simulation::new();
        let mut rng = Random(random::Random::new(5));
        let side = if sensor { 0.5 } else { 0.01 };
        for _ in 0..2600 {
            let shape = Shape::cuboid(1.0, side, side).expect("a rod");
            let turn = Quat::from_xyzw(0.0, 0.38, 0.0, 0.92) * Quat::from_xyzw(0.0, 0.0, 0.3, 0.95);
            let desc = BodyDesc {
                colliders: vec![Collider { sensor, ..Collider::from(shape) }],
                position: rng.vector(0.2),
                rotation: turn.normalize(),
                mass_properties: Some(cube().mass_properties(1.0)),
                ..BodyDesc::default()
            };
            world.add_body(desc).expect("a rod");
        }
        let broad = boxes_that_meet(&mut world, &settings);
        let (all, pairs) = (2600 * 2599 / 2, broad.added.len());
        let room = 1 << 21..(1 << 21) + 256 * 2600;
        assert!(room.contains(&pairs), "{pairs} of {all}");
        assert!(broad.refused > 400_000, "{} of {all} refused", broad.refused);
    }
}

/// Each body meets some hundreds of the fixed things in its place where all would be more than there is room
/// for, and every floor.
#[test]
fn many_fixed_things_in_many_bodies_have_room_for_two_million_pairs() {
    let settings = weightless();
    for kind in [BodyKind::Static, BodyKind::Kinematic] {
        let (mut world, _) = crowd(1000);
        for _ in 0..3000 {
            add(&mut world, kind, cube(), Vec3::ZERO);
        }
        let slab = Shape::cuboid(50.0, 1.0, 50.0).expect("a floor");
        add(&mut world, kind, slab, Vec3::ZERO);
        let broad = boxes_that_meet(&mut world, &settings);
        let pairs = broad.added.len();
        let room = 1 << 21..(1 << 21) + 256 * 1000 + 1000;
        assert!(room.contains(&pairs), "{pairs}");
        assert!(broad.refused > 700_000, "{} refused", broad.refused);
        let with_floor = broad.near.count.last().copied();
        assert_eq!(with_floor, Some(1000), "all meet the floor");
    }
}
