//! Same state, same calls, same bits.

use orthant::engine::Simulation;
use orthant::engine::body::BodyDesc;
use orthant::engine::collider::{Collider, Material};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3};
use orthant_lab::pool::Counted;
use orthant_lab::random::Rng;
use orthant_lab::support::moving::{SPREAD, step_on_each};
use orthant_lab::support::{DT, cuboid, fingerprint, floor, heap, run};

#[test]
fn two_runs_agree_bit_by_bit() {
    let once = || {
        let (mut world, _) = heap(20);
        let mut prints = Vec::new();
        for _ in 0..120 {
            run(&mut world, 1);
            prints.push(fingerprint(&world));
        }
        prints
    };
    assert_eq!(once(), once(), "every step of both runs");
}

#[test]
fn a_clone_continues_as_the_original_does() {
    let (mut world, _) = heap(12);
    run(&mut world, 60);
    let mut copy = world.clone();
    run(&mut world, 60);
    run(&mut copy, 60);
    assert_eq!(fingerprint(&world), fingerprint(&copy), "after 60 steps more");
    assert_eq!(world.report(), copy.report(), "with the same certificate");
}

#[test]
fn buffers_hold_no_state() {
    // Steps of another world in between must not change anything: a fresh clone has other buffers.
    let (mut world, _) = heap(12);
    let settings = Settings::default();
    let mut hopping = world.clone();
    for _ in 0..60 {
        world.step(&settings, DT);
        let mut next = hopping.clone();
        next.step(&settings, DT);
        hopping = next;
    }
    assert_eq!(fingerprint(&world), fingerprint(&hopping), "after 60 steps");
}

/// Steps whose stages are spread over threads, for which those named have to call.
fn spread(
    world: &mut Simulation,
    settings: &Settings,
    steps: usize,
    threads: usize,
    stages: &[&str],
) {
    let pools = [0; 5].map(|_| Counted::new(threads));
    for _ in 0..steps {
        step_on_each(world, settings, pools.each_ref().map(|pool| pool as _));
    }
    for (name, pool) in SPREAD.iter().zip(&pools) {
        let spreads = pool.most() > 1;
        let asked = threads > 1 && stages.contains(name);
        assert!(spreads || !asked, "{threads} threads: `{name}` is all on one of them");
        assert!(!spreads || threads > 1, "one thread is called for nothing");
    }
}

/// Cubes side by side, one of them thrown against the others: one island, large enough to be swept in parts.
fn block() -> Simulation {
    let mut world = floor();
    for i in 0..1000_u16 {
        let place = [i % 10, i / 100, i / 10 % 10].map(|k| Real::from(k) * 1.002);
        let [x, y, z] = place;
        let speed = Real::from(u8::from(i == 500)) * 4.0;
        let desc = BodyDesc {
            shape: Some(cuboid(1.0, 1.0, 1.0)),
            position: Vec3::new(x, y + 0.5, z),
            linear_velocity: Vec3::new(speed, 0.0, 0.5 * speed),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a cube");
    }
    world
}

#[test]
fn an_island_in_parts_is_the_same_on_any_number_of_threads() {
    let mut settings = Settings::default();
    settings.solver.method = Method::Substeps;
    let play = |threads: usize| {
        let mut world = block();
        spread(&mut world, &settings, 12, threads, &["find_contacts", "solve", "finish"]);
        (fingerprint(&world), world.report().clone(), world.touches().all().to_vec())
    };
    let one = play(1);
    assert_eq!(one.1.islands, 1, "one island");
    assert!(one.2.len() > 1024, "{} touches: more than one thread looks at", one.2.len());
    assert!(one.1.contacts > 4096, "{} contacts: several parts", one.1.contacts);
    for threads in [2, 3, 4] {
        assert!(play(threads) == one, "{threads} threads");
    }
}

/// Balls that fly about close to each other: more near boxes than one thread goes through.
fn swarm() -> Simulation {
    let mut world = Simulation::new();
    let mut rng = Rng::new(11);
    for i in 0..4096_u16 {
        let place = [i % 16, i / 256, i / 16 % 16].map(|k| Real::from(k) * 0.65);
        let desc = BodyDesc {
            shape: Shape::sphere(0.3).ok(),
            position: Vec3::from_array(place) + rng.vector(-0.02, 0.02),
            linear_velocity: rng.vector(-0.5, 0.5),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a ball");
    }
    world
}

#[test]
fn many_near_boxes_are_the_same_on_any_number_of_threads() {
    let mut settings = Settings::default();
    settings.solver.method = Method::Substeps;
    settings.gravity = Vec3::ZERO;
    let play = |threads: usize| {
        let mut world = swarm();
        let stages = ["begin", "find_pairs", "find_contacts", "finish"];
        spread(&mut world, &settings, 6, threads, &stages);
        (fingerprint(&world), world.report().clone(), world.touches().all().to_vec())
    };
    let one = play(1);
    assert!(one.1.pairs > 2 * 4096, "{} pairs: boxes are near several others", one.1.pairs);
    for threads in [2, 3] {
        assert!(play(threads) == one, "{threads} threads");
    }
}

/// Leaning towers far from each other, some of which fall, bouncing, and chains: many islands of all kinds.
fn scattered() -> Simulation {
    let mut world = floor();
    for k in 0..90_u8 {
        let at = Vec3::new(Real::from(k % 9) * 8.0, 0.0, Real::from(k / 9) * 8.0);
        let mut last = None;
        for i in 0..9_u8 {
            let lean = Vec3::X * (0.002 * Real::from(k) * Real::from(i));
            let mut position = at + lean + Vec3::Y * (0.5 + Real::from(i));
            if k >= 80 {
                position = at + Vec3::new(0.6 * Real::from(i), 9.0, 0.0);
            }
            let shape = if k >= 80 { cuboid(0.5, 0.1, 0.1) } else { cuboid(1.0, 1.0, 1.0) };
            let restitution = if k % 3 == 0 { 0.3 } else { 0.0 };
            let material = Material { restitution, ..Material::new(0.5) };
            let colliders = vec![Collider { material, ..Collider::new(shape) }];
            let linear_velocity = Vec3::new(0.3 * Real::from(i % 3), 0.0, 0.2 * Real::from(i % 4));
            let desc = BodyDesc { position, linear_velocity, colliders, ..BodyDesc::default() };
            let id = world.add_body(desc).expect("a sound body");
            if k >= 80 {
                let joint = JointDesc::new(JointKind::Spherical, [last, Some(id)]);
                let end = Vec3::X * 0.3;
                let hung = if last.is_some() { end } else { position - end };
                world.add_joint(joint.with_anchors(hung, -end)).expect("a sound joint");
                last = Some(id);
            }
        }
    }
    world
}

#[test]
fn islands_on_threads_are_those_of_one() {
    for method in [Method::Auto, Method::Newton, Method::Pgs, Method::Substeps] {
        let mut settings = Settings::default();
        settings.solver.method = method;
        let rounds = if method == Method::Auto { 4 } else { 1 };
        let mut world = scattered();
        let mut others = [2, 5].map(|threads| (threads, scattered()));
        for _ in 0..rounds {
            for _ in 0..10 {
                world.step(&settings, DT);
            }
            let report = world.report();
            let solved = report.solves.iter().filter(|solve| solve.iterations > 0);
            let rows = solved.map(|solve| solve.contacts + solve.joint_rows).sum::<u32>();
            assert!(rows > 2200, "enough for threads: {rows} rows, {method:?}");
            for (threads, other) in &mut others {
                spread(other, &settings, 10, *threads, &["solve"]);
                assert_eq!(fingerprint(other), fingerprint(&world), "{method:?} on {threads}");
                assert_eq!(other.report(), report, "{method:?} on {threads}");
            }
        }
    }
}

/// The bits after 120 steps, the same in debug and release. They change only with the method; then
/// the new number is in the message.
#[test]
fn the_bits_are_those_of_every_build() {
    let golden = if size_of::<Real>() == 8 { GOLDEN_DOUBLE } else { GOLDEN_SINGLE };
    let (mut world, _) = heap(20);
    run(&mut world, 120);
    let got = fingerprint(&world);
    assert_eq!(got, golden, "got {got:#018x}");
}

const GOLDEN_SINGLE: u64 = 0x9afa_4dc1_29d1_76b9;
const GOLDEN_DOUBLE: u64 = 0x5045_2d9e_8baa_d1a3;
