//! Snapshots: what is restored goes on as what it was taken of does, bit for bit; what is damaged is told.

use orthant::engine::Simulation;
use orthant::engine::body::BodyDesc;
use orthant::engine::collider::Collider;
use orthant::engine::joint::{JointDesc, JointKind, Motor};
use orthant::engine::settings::Settings;
use orthant::math::{EPSILON, Real, Vec3};
use orthant::snapshot::{Snapshot, SnapshotError, VERSION};
use orthant_lab::hostile::{HEAD, with_checksum};
use orthant_lab::random::Rng;
use orthant_lab::support::moving::{Scene, chain, change_bodies, scene, scenes, sleepers, told};
use orthant_lab::support::{DOUBLE, DT, change, fingerprint, pile, sphere, stack};

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
                [&mut world, &mut new, &mut used]
                    .into_iter()
                    .for_each(|w| change_bodies(w, k / 20));
            }
            let [one, two, three] = [&mut world, &mut new, &mut used].map(|world| {
                world.step(&settings, DT);
                (world.report().clone(), told(world))
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
                let at = HEAD + rng.below(bytes.len() - HEAD);
                // Lengths and places have many leading bits in this format, numbers have none.
                other[at] = [0xff, 0x00, 0x80, rng.below(256) as u8][rng.below(4)];
            }
            if round % 5 == 0 {
                other.truncate(HEAD + rng.below(bytes.len() - HEAD));
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

/// Rotations that were longer than one by up to a two-thousandth were taken, and made normals as long.
#[test]
fn regression_rotations_that_are_taken_have_length_one() {
    let bytes = stack(3).0.snapshot().expect("between steps").to_bytes();
    let [one, long] = [1.0, 1.0002].map(|x: Real| x.to_le_bytes());
    let mut refused = 0;
    for at in HEAD..bytes.len() - one.len() {
        if bytes[at..at + one.len()] != one {
            continue;
        }
        let mut other = bytes.clone();
        other[at..at + one.len()].copy_from_slice(&long);
        let mut world = Simulation::new();
        let taken = Snapshot::from_bytes(&with_checksum(other)).and_then(|s| world.restore(&s));
        refused += u32::from(taken.is_err());
        for body in world.bodies().iter() {
            let off = body.rotation().length() - 1.0;
            assert!(off.abs() < 1e-5, "byte {at}: off by {off}");
        }
    }
    assert!(refused > 0, "one of them is of a rotation");
}

/// What rounding took from a place is added in the next step: one of 6e30 m, taken from a snapshot whose
/// checksum fits, threw the body out of the world. It is dropped where rounding cannot have taken so much.
/// Found by the fuzzer.
#[test]
fn regression_no_body_moves_by_more_than_rounding_can_have_taken() {
    let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    let mut world = Simulation::new();
    let ball = vec![Collider::new(sphere(0.5))];
    let (position, linear_velocity) =
        (Vec3::new(1000.3, 700.7, 300.1), Vec3::new(0.01, 0.02, 0.03));
    let desc = BodyDesc { colliders: ball, position, linear_velocity, ..BodyDesc::default() };
    let id = world.add_body(desc).expect("a ball");
    (0..5).for_each(|_| _ = world.step(&settings, DT));
    let bytes = world.snapshot().expect("between steps").to_bytes();
    // Three numbers in a row, of which each is what rounding takes at a kilometre: there is one such place.
    let size = size_of::<Real>();
    let number = |at: usize| Real::from_le_bytes(bytes[at..at + size].try_into().expect("bytes"));
    let is_taken = |x: Real| x != 0.0 && x.abs() < 1000.3 * EPSILON && x.abs() > 1e-9 * EPSILON;
    let is_remainder = |&at: &usize| (0..3).all(|k| is_taken(number(at + k * size)));
    let places: Vec<usize> = (HEAD..bytes.len() - 3 * size).filter(is_remainder).collect();
    let [place] = places[..] else { panic!("one place, not {places:?}") };
    for at in (0..3).map(|k| place + k * size) {
        let mut other = bytes.clone();
        other[at..at + size].copy_from_slice(&Real::to_le_bytes(6e30));
        let mut world = Simulation::new();
        let other = Snapshot::from_bytes(&with_checksum(other)).expect("a snapshot");
        world.restore(&other).expect("whose other numbers are sound");
        let from = world.body(id).expect("the ball").center();
        world.step(&settings, DT);
        let way = (world.body(id).expect("the ball").center() - from).length();
        assert!(way < 0.01 && world.report().quarantined.is_empty(), "byte {at}: {way} m");
    }
}

/// Counters were taken as they came: a world whose next body, joint or step was the last number that there is
/// made one more, which panicked, or gave ids out anew where overflow is not checked.
/// Bases of joints were made of length one whenever they were restored, which changed their last digits: a
/// world that was kept and put back was kept otherwise then. Found by worlds of random bytes.
#[test]
fn regression_what_was_restored_is_kept_with_the_same_digits() {
    let (mut world, mut rng) = (Simulation::new(), Rng::new(7));
    let ball = || BodyDesc { shape: Some(sphere(0.2)), ..BodyDesc::default() };
    for _ in 0..100 {
        let end = world.add_body(ball()).expect("a ball");
        let joint = JointDesc::to_world(JointKind::Generic, end);
        let joint = joint.with_bases(rng.rotation(), rng.rotation());
        world.add_joint(joint).expect("a joint");
    }
    let first = world.snapshot().expect("between steps");
    assert_eq!(world.snapshot().expect("between steps"), first, "it goes on from it");
    let mut other = Simulation::new();
    other.restore(&sent(&first)).expect("its bytes");
    assert_eq!(other.snapshot().expect("between steps"), first, "elsewhere, too");
}

#[test]
fn regression_counters_that_are_taken_have_room() {
    let snapshot = chain().snapshot().expect("between steps");
    let text = serde_json::to_string(&snapshot).expect("numbers");
    let settings = Settings::default();
    let counters = |step: u64, next: [u64; 2]| {
        let known = [r#""step":0,"dt""#, r#""next":[12,12]"#];
        assert!(known.iter().all(|part| text.contains(part)), "of a chain of twelve: {text}");
        let step = format!(r#""step":{step},"dt""#);
        let next = format!(r#""next":[{},{}]"#, next[0], next[1]);
        let text = text.replacen(known[0], &step, 1).replacen(known[1], &next, 1);
        let other: Snapshot = serde_json::from_str(&text).expect("of the same form");
        let mut world = Simulation::new();
        world.restore(&other).map(|()| world)
    };
    let most = u64::MAX >> 1;
    for n in [most + 1, u64::MAX - 1, u64::MAX] {
        for (step, next) in [(n, [12, 12]), (7, [n, 12]), (7, [12, n])] {
            let refused = counters(step, next).map(drop);
            assert!(matches!(refused, Err(SnapshotError::Inconsistent(_))), "{step}, {next:?}");
        }
    }
    let mut world = counters(most, [most; 2]).expect("there is room");
    let ball = || BodyDesc { shape: Some(sphere(0.5)), ..BodyDesc::default() };
    let ids = [ball(), ball()].map(|ball| world.add_body(ball).expect("a ball"));
    assert!(ids[0] < ids[1], "one after the other: {ids:?}");
    world.add_joint(JointDesc::between(JointKind::Spherical, ids[0], ids[1])).expect("a joint");
    world.step(&settings, DT);
    assert_eq!(world.report().step, most + 1, "and a step");
}

/// The length of the last step, and angles that joints have turned by, impulses and reactions were taken as
/// they came. An angle that is no number stayed so in all steps that followed, as did what was told of it.
#[test]
fn regression_no_number_of_a_snapshot_stays_broken() {
    let settings = Settings::default();
    let mut world = Simulation::new();
    let wheel = BodyDesc { shape: Some(sphere(0.5)), ..BodyDesc::default() };
    let wheel = world.add_body(wheel).expect("a ball");
    let mut hinge = JointDesc::new(JointKind::Revolute, [None, Some(wheel)]);
    hinge.motors[3] = Some(Motor::velocity(3.0, 5.0));
    let hinge = world.add_joint(hinge).expect("a hinge");
    (0..20).for_each(|_| _ = world.step(&settings, DT));
    let bytes = world.snapshot().expect("between steps").to_bytes();
    let (single, double) = (f32::NAN.to_le_bytes(), f64::NAN.to_le_bytes());
    let (mut refused, mut borne) = (0, 0);
    for (at, nan) in (HEAD..bytes.len()).flat_map(|at| [(at, &single[..]), (at, &double[..])]) {
        if at + nan.len() > bytes.len() {
            continue;
        }
        let mut other = bytes.clone();
        other[at..at + nan.len()].copy_from_slice(nan);
        let mut world = Simulation::new();
        match Snapshot::from_bytes(&with_checksum(other)).and_then(|s| world.restore(&s)) {
            Ok(()) => borne += 1,
            Err(_) => {
                refused += 1;
                continue;
            }
        }
        (0..3).for_each(|_| _ = world.step(&settings, DT));
        let Some(joint) = world.joint(hinge) else { continue };
        let (force, torque) = joint.reaction();
        let told = joint.positions().into_iter().chain(joint.velocities());
        let told = told.chain(force.to_array()).chain(torque.to_array());
        let told: Vec<Real> = told.collect();
        assert!(told.iter().all(|x| x.is_finite()), "byte {at}: {told:?}");
    }
    assert!(refused > 20 && borne > 5, "both happen: {refused} refused, {borne} borne");
}
