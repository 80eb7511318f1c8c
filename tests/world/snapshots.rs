//! Snapshots: what is restored goes on as what it was taken of does, bit for bit; what is damaged is told.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::joint::{JointAxis, JointDesc, JointKind, Motor};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Quat, Real, Vec3};
use orthant::snapshot::{Snapshot, SnapshotError, VERSION};
use orthant_lab::random::Rng;
use orthant_lab::support::{
    DOUBLE, DT, add, change, cuboid, fingerprint, floor, heap, pile, sphere, stack,
};

/// A moving world, how many steps it is before its snapshot is taken, and its settings.
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) world: Simulation,
    steps: usize,
    pub(super) settings: Settings,
}

pub(super) fn scene(name: &'static str, world: Simulation, steps: usize) -> Scene {
    Scene { name, world, steps, settings: Settings::default() }
}

/// A tower into which a ball flies.
fn struck() -> Simulation {
    let mut world = stack(8).0;
    let ball = add(&mut world, BodyKind::Dynamic, sphere(0.5), Vec3::new(-4.0, 5.0, 0.1));
    change(&mut world, ball).linear_velocity = Vec3::new(9.0, 2.0, 0.0);
    world
}

/// A chain that swings from the world, with a motor at its first joint.
fn chain() -> Simulation {
    let mut world = Simulation::new();
    let mut last: Option<BodyId> = None;
    for i in 0..12_u8 {
        let at = Vec3::new(0.3 + 0.6 * Real::from(i), 5.0, 0.0);
        let link = add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.1, 0.1), at);
        let kind = if i % 3 == 0 { JointKind::Revolute } else { JointKind::Spherical };
        let hung = if last.is_some() { Vec3::X * 0.3 } else { Vec3::new(0.0, 5.0, 0.0) };
        let desc = JointDesc::new(kind, [last, Some(link)]).with_anchors(hung, Vec3::X * -0.3);
        let mut desc = desc;
        if i == 6 {
            desc.motors[JointAxis::AngularX.index()] = Some(Motor::velocity(3.0, 0.5));
        }
        world.add_joint(desc).expect("a sound joint");
        last = Some(link);
    }
    world
}

/// A net of balls and rods that falls over a mesh, a ball that rolls, a box on a belt that bounces.
fn net() -> Simulation {
    let mut world = Simulation::new();
    let heights: Vec<Vec<Real>> =
        (0..9).map(|i| (0..9).map(|k| 0.3 * Real::from((i * k % 3) as u8)).collect()).collect();
    let ground = Shape::heightfield(&heights, Vec3::new(12.0, 1.0, 12.0)).expect("a field");
    add(&mut world, BodyKind::Static, ground, Vec3::ZERO);
    let mut ids = Vec::new();
    for i in 0..5_u8 {
        for k in 0..5_u8 {
            let at = Vec3::new(Real::from(i) - 2.0, 2.0, Real::from(k) - 2.0);
            let id = add(&mut world, BodyKind::Dynamic, sphere(0.2), at);
            let near = [(i > 0).then_some(5), (k > 0).then_some(1)];
            for back in near.into_iter().flatten() {
                let other = ids[ids.len() - back];
                world.add_joint(JointDesc::rod(other, id, 1.0)).expect("two balls");
            }
            ids.push(id);
        }
    }
    let material =
        Material { rolling: 0.01, spinning: 0.01, restitution: 0.5, ..Material::new(0.6) };
    let shapes = [
        sphere(0.3),
        Shape::round_cuboid(0.4, 0.5, 0.6, 0.05).expect("a box"),
        Shape::cylinder(0.3, 0.5).expect("a can"),
        Shape::cone(0.3, 0.6).expect("a cone"),
        Shape::ellipsoid(0.4, 0.5, 0.6).expect("an egg"),
        Shape::round_cylinder(0.3, 0.3, 0.05).expect("a cheese"),
    ];
    for (k, shape) in (0_u8..).zip(shapes) {
        let colliders = vec![Collider { material, tag: 7, ..Collider::new(shape) }];
        let position = Vec3::new(Real::from(k) - 3.0, 4.0, 0.5);
        let linear_velocity = Vec3::new(1.0, 0.0, 1.0);
        let desc = BodyDesc { colliders, position, linear_velocity, tag: 5, ..BodyDesc::default() };
        world.add_body(desc).expect("a sound body");
    }
    world
}

/// Compounds and rounded hulls of random points.
fn hulls() -> Simulation {
    let (mut world, mut rng) = (floor(), Rng::new(3));
    for i in 0..24_u8 {
        let mut points = |n| (0..n).map(|_| rng.vector(-0.4, 0.4)).collect::<Vec<Vec3>>();
        let hull = Shape::convex_hull(&points(14)).expect("random points span a hull");
        let round = Shape::round_convex_hull(&points(9), 0.05).expect("a rounded one");
        let turn = rng.rotation();
        let parts = [(Vec3::ZERO, Quat::IDENTITY, hull), (Vec3::X * 0.4, turn, round)];
        let shape = Shape::compound(parts).expect("two hulls");
        let at = Vec3::new(Real::from(i % 4) - 2.0, 0.8 + 0.3 * Real::from(i), Real::from(i % 3));
        add(&mut world, BodyKind::Dynamic, shape, at);
    }
    world
}

/// Piles that sleep, a kinematic body that comes to wake one of them, and a sensor.
fn sleepers() -> Scene {
    let mut world = floor();
    for k in 0..3_u8 {
        for i in 0..4_u8 {
            let at = Vec3::new(Real::from(k) * 6.0, 0.5 + Real::from(i), 0.0);
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
        }
    }
    let piston =
        add(&mut world, BodyKind::Kinematic, cuboid(1.0, 1.0, 1.0), Vec3::new(-6.0, 1.0, 0.0));
    change(&mut world, piston).linear_velocity = Vec3::X * 2.0;
    let sensor = Collider { sensor: true, ..Collider::new(cuboid(2.0, 2.0, 2.0)) };
    let desc = BodyDesc { kind: BodyKind::Static, colliders: vec![sensor], ..BodyDesc::default() };
    world.add_body(desc).expect("a sensor");
    let mut settings = Settings::default();
    settings.sleep.enabled = true;
    Scene { name: "sleepers", world, steps: 100, settings }
}

pub(super) fn scenes() -> Vec<Scene> {
    vec![
        scene("stack", struck(), 40),
        scene("heap", heap(24).0, 70),
        scene("chain", chain(), 50),
        scene("net", net(), 60),
        scene("hulls", hulls(), 80),
        sleepers(),
        scene("begin", heap(8).0, 0),
    ]
}

/// All that a world tells.
fn told(world: &Simulation) -> (u64, String) {
    let contacts: Vec<_> = world.contacts().collect();
    let started: Vec<_> = world.touches().started().collect();
    let ended: Vec<_> = world.touches().ended().iter().map(|touch| touch.key).collect();
    let joints: Vec<_> = world.joints().iter().map(|j| (j.positions(), j.reaction())).collect();
    let sleepers: Vec<_> = world.sleepers().islands().collect();
    let touches = (world.touches().all(), started, ended);
    let all = (world.report(), contacts, touches, joints, sleepers);
    (fingerprint(world), format!("{all:?}"))
}

fn changed(world: &mut Simulation, k: u8) {
    // Bodies come and go, are pushed and named.
    let at = Vec3::new(0.4 * Real::from(k), 6.0, 0.0);
    let new = add(world, BodyKind::Dynamic, cuboid(0.6, 0.7, 0.8), at);
    change(world, new).apply_linear_impulse(Vec3::new(0.1, -0.2, 0.0));
    let gone = world.bodies().iter().map(|body| body.id()).nth(2 + usize::from(k));
    gone.map(|id| world.remove_body(id));
}

/// A world by bytes.
fn sent(snapshot: &Snapshot) -> Snapshot {
    Snapshot::from_bytes(&snapshot.to_bytes()).expect("bytes of a snapshot")
}

#[test]
fn what_is_restored_goes_on_as_the_original_does() {
    for Scene { name, mut world, steps, settings } in scenes() {
        for _ in 0..steps {
            world.step(&settings, DT);
        }
        let before = fingerprint(&world);
        let snapshot = world.snapshot().expect("between steps");
        assert_eq!(fingerprint(&world), before, "{name}: a snapshot moves nothing");
        assert_eq!(sent(&snapshot), snapshot, "{name}: by bytes");
        let (mut new, mut used) = (Simulation::new(), stack(3).0);
        used.step(&settings, DT);
        new.restore(&snapshot).expect("a snapshot");
        used.restore(&sent(&snapshot)).expect("a snapshot");
        assert_eq!(fingerprint(&new), before, "{name}: the same state");
        for k in 0..90 {
            if k % 20 == 19 {
                [&mut world, &mut new, &mut used].into_iter().for_each(|w| changed(w, k / 20));
            }
            let [one, two, three] = [&mut world, &mut new, &mut used].map(|world| {
                world.step(&settings, DT);
                told(world)
            });
            assert_eq!(one, two, "{name}: step {k} after the snapshot");
            assert_eq!(one, three, "{name}: step {k} after bytes");
        }
    }
}

#[test]
fn a_snapshot_changes_what_comes_by_no_more_than_rounding_and_the_tolerance() {
    // Of what does not roll the dice: boxes that stand, and a chain.
    for Scene { name, mut world, steps, settings } in
        [scene("stack", stack(6).0, 60), scene("chain", chain(), 50)]
    {
        for _ in 0..steps {
            world.step(&settings, DT);
        }
        let mut other = world.clone();
        other.snapshot().expect("between steps");
        for _ in 0..10 {
            world.step(&settings, DT);
            other.step(&settings, DT);
        }
        // Ten steps that are each wrong by the tolerance, one on top of the other.
        let tolerance = settings.solver.tolerance as Real;
        let most = tolerance * DT * 55.0 + 10.0 * Real::EPSILON * 8.0;
        for (a, b) in world.bodies().iter().zip(other.bodies().iter()) {
            let apart = (a.center() - b.center()).length();
            assert!(apart <= most, "{name}: {apart} m, at most {most}");
        }
    }
}

#[test]
fn a_world_at_rest_stays_at_rest() {
    let (mut world, _) = stack(6);
    let settings = Settings::default();
    for _ in 0..60 {
        world.step(&settings, DT);
    }
    for _ in 0..5 {
        let heights: Vec<Real> = world.bodies().iter().map(|body| body.center().y).collect();
        world.snapshot().expect("between steps");
        world.step(&settings, DT);
        assert_eq!(world.report().rows_swept, 0, "solved");
        world.step(&settings, DT);
        for (body, height) in world.bodies().iter().zip(heights) {
            let tolerance = settings.solver.tolerance as Real;
            assert!((body.center().y - height).abs() <= 2.0 * DT * tolerance, "it stands");
        }
    }
}

#[test]
fn no_touch_begins_twice() {
    let mut world = stack(4).0;
    let settings = Settings::default();
    for _ in 0..30 {
        world.step(&settings, DT);
    }
    let snapshot = world.snapshot().expect("between steps");
    let keys = |world: &Simulation| world.touches().all().iter().map(|t| t.key).collect::<Vec<_>>();
    let touching = keys(&world);
    assert_eq!(touching.len(), 4, "each cube touches what it stands on");
    let mut other = Simulation::new();
    other.restore(&snapshot).expect("a snapshot");
    assert_eq!(keys(&other), touching, "touches are part of it");
    other.step(&settings, DT);
    assert_eq!(keys(&other), touching, "and go on");
    assert_eq!(other.touches().started().count() + other.touches().ended().len(), 0, "silently");
}

#[test]
fn what_is_done_before_a_snapshot_is_in_it() {
    let Scene { mut world, settings, .. } = sleepers();
    for _ in 0..100 {
        world.step(&settings, DT);
    }
    let asleep = world.sleepers().count();
    assert!(asleep >= 8, "{asleep} asleep");
    let id = world.sleepers().islands().next().expect("an island")[1];
    change(&mut world, id).apply_linear_impulse(Vec3::Y);
    let snapshot = world.snapshot().expect("between steps");
    let mut other = Simulation::new();
    other.restore(&snapshot).expect("a snapshot");
    other.step(&settings, DT);
    assert!(!other.body(id).expect("it is there").is_sleeping(), "the push wakes it");
    // What is broken stays so, and is frozen by the next step.
    change(&mut world, id).linear_velocity = Vec3::splat(Real::NAN);
    other.restore(&world.snapshot().expect("between steps")).expect("a snapshot");
    other.step(&settings, DT);
    assert_eq!(other.report().quarantined, [id], "told");
}

#[test]
fn a_snapshot_of_a_pile_is_small() {
    let (mut world, _) = pile(200, 5);
    let settings = Settings::default();
    for (steps, when) in [(60, "falling"), (400, "at rest")] {
        for _ in 0..steps {
            world.step(&settings, DT);
        }
        let contacts = world.report().contacts;
        let bytes = world.snapshot().expect("between steps").to_bytes().len();
        let each = bytes / world.bodies().len();
        println!("{when}: {contacts} contacts, {bytes} bytes, {each} a body");
        // In double precision each number is four bytes longer. A box has at most 44: place and what
        // rounding took from it, rotation, velocities, times at rest and the velocities then, forces, mass,
        // inertia, size.
        let most = if DOUBLE { 300 + 4 * (6 + 4 + 6 + 3 + 12 + 6 + 4 + 3) } else { 300 };
        assert!(each <= most, "{when}: {each} bytes a body");
    }
    // Of one kind.
    let mut world = stack(100).0;
    let bytes = world.snapshot().expect("between steps").to_bytes().len();
    assert!(bytes / 100 < 60 + 60 * usize::from(DOUBLE), "shapes are there once: {bytes} bytes");
}

#[test]
fn between_stages_there_is_no_snapshot() {
    let mut world = stack(2).0;
    let settings = Settings::default();
    let snapshot = world.snapshot().expect("between steps");
    world.begin(&settings, DT);
    assert_eq!(world.snapshot(), Err(SnapshotError::StepUnderWay), "not taken");
    assert_eq!(world.restore(&snapshot), Err(SnapshotError::StepUnderWay), "not restored");
}

#[test]
fn another_version_or_precision_is_refused() {
    let bytes = stack(2).0.snapshot().expect("between steps").to_bytes();
    let with = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        Snapshot::from_bytes(&bytes)
    };
    let other = VERSION as u8 + 1;
    assert_eq!(with(4, other), Err(SnapshotError::Version(u16::from(other))), "version");
    let real = if DOUBLE { 4 } else { 8 };
    assert_eq!(with(6, real), Err(SnapshotError::Precision(real)), "precision");
    assert_eq!(with(0, b'X'), Err(SnapshotError::Damaged), "something else");
    // In another format the version is looked at when it is restored.
    let snapshot = Snapshot::from_bytes(&bytes).expect("sound");
    let text = serde_json::to_string(&snapshot).expect("numbers");
    let known: Snapshot = serde_json::from_str(&text).expect("the same");
    assert_eq!(known, snapshot, "any format does");
    let text = text.replacen(&format!("\"version\":{VERSION}"), "\"version\":900", 1);
    let other: Snapshot = serde_json::from_str(&text).expect("of the same form");
    assert_eq!(Simulation::new().restore(&other), Err(SnapshotError::Version(900)), "refused");
}

/// The checksum of the bytes behind the head, as they come to be read.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let mix = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let sum = bytes[15..].iter().fold(0xcbf2_9ce4_8422_2325, mix);
    bytes[7..15].copy_from_slice(&u64::to_le_bytes(sum));
    bytes
}

#[test]
fn what_is_damaged_is_told() {
    let mut rng = Rng::new(11);
    for Scene { name, mut world, settings, .. } in scenes() {
        for _ in 0..20 {
            world.step(&settings, DT);
        }
        let bytes = world.snapshot().expect("between steps").to_bytes();
        for _ in 0..200 {
            let length = rng.below(bytes.len());
            let cut = Snapshot::from_bytes(&bytes[..length]);
            assert_eq!(cut, Err(SnapshotError::Damaged), "{name}: {length} bytes");
            let mut other = bytes.clone();
            let at = 7 + rng.below(bytes.len() - 7);
            other[at] ^= 1 << rng.below(8);
            let flipped = Snapshot::from_bytes(&other);
            assert_eq!(flipped, Err(SnapshotError::Damaged), "{name}: a bit of byte {at}");
        }
    }
}

#[test]
fn what_lies_is_refused_or_borne() {
    // With a checksum that fits: by someone who wants harm. Whatever is taken can be stepped.
    let mut rng = Rng::new(12);
    let (mut refused, mut borne) = (0, 0);
    for Scene { mut world, settings, .. } in scenes() {
        for _ in 0..20 {
            world.step(&settings, DT);
        }
        let bytes = world.snapshot().expect("between steps").to_bytes();
        for round in 0..150 {
            let mut other = bytes.clone();
            for _ in 0..=round % 4 {
                let at = 15 + rng.below(bytes.len() - 15);
                // Lengths and places have many leading bits in this format, numbers have none.
                other[at] = [0xff, 0x00, 0x80, rng.below(256) as u8][rng.below(4)];
            }
            if round % 5 == 0 {
                other.truncate(15 + rng.below(bytes.len() - 15));
            }
            let mut new = Simulation::new();
            let result = Snapshot::from_bytes(&with_checksum(other))
                .and_then(|snapshot| new.restore(&snapshot));
            match result {
                Ok(()) => {
                    borne += 1;
                    (0..3).for_each(|_| drop(new.step(&settings, DT).clone()));
                    for body in new.bodies().iter() {
                        assert!(body.center().is_finite(), "no pose is broken by a step");
                    }
                }
                Err(_) => {
                    refused += 1;
                    assert!(new.bodies().is_empty(), "and nothing happened");
                }
            }
        }
    }
    println!("{refused} refused, {borne} borne");
    assert!(refused > 100 && borne > 100, "both happen: {refused} refused, {borne} borne");
}
