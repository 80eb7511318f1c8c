//! Worlds, changes and settings made from random bytes, with every number that there is: see
//! `orthant_lab::hostile` for what must hold. Of each kind some are played here, with `ORTHANT_TIMES=10` ten
//! times as many for ten times as long; the fuzzer goes on where these end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::engine::shape::hull::Hull;
use orthant::engine::{Contact, Simulation};
use orthant::math::{DVec3, Double, PI_DOUBLE, Real, Vec3, narrow3, widen};
use orthant_lab::hostile::{
    KINDS, Kind, Outcome, check_hull, check_joint, check_metric, check_snapshot, check_solvers,
    play, play_within, random_bytes,
};
use orthant_lab::random::{Rng, times};
use orthant_lab::support::{DT, body, cuboid, end_step, floor, sphere};

/// Worlds of each kind, steps of each, and bytes that decide what is done in them.
const WORLDS: usize = 40;
const STEPS: usize = 12;
const BYTES: usize = 1500;
/// Much longer than all of a kind take (s).
const PATIENCE: usize = 600;

/// What becomes of the worlds of a kind: none panics, breaks what is promised or does not return.
fn all(kind: Kind) -> Vec<Outcome> {
    let (send, receive) = mpsc::channel();
    let times = times();
    thread::spawn(move || {
        let salt = KINDS.iter().position(|k| *k == kind).map_or(0, |k| k as u64);
        let (mut found, mut wrong) = (Vec::new(), Vec::new());
        for seed in 0..(WORLDS * times) as u64 {
            let bytes = random_bytes(4 * seed + salt, BYTES * times);
            match play(kind, &bytes, STEPS * times) {
                Ok(outcome) => found.push(outcome),
                Err(why) => wrong.push(format!("seed {seed}: {why}")),
            }
        }
        // Nobody listens any more if it took too long.
        let _ = send.send((found, wrong));
    });
    let found = receive.recv_timeout(Duration::from_secs((PATIENCE * times * times) as u64));
    let (found, wrong) = found.expect("no step panics, and every step returns");
    assert!(wrong.is_empty(), "{kind:?}: what is promised holds:\n{}", wrong.join("\n"));
    found
}

fn made_and_refused(kind: Kind) {
    let found = all(kind);
    let sum = |f: fn(&Outcome) -> usize| found.iter().map(f).sum::<usize>();
    let most = |f: fn(&Outcome) -> Double| found.iter().map(f).fold(0.0, Double::max);
    let [searched, measured] = [most(|o| o.looked[0]), most(|o| o.looked[1])];
    println!(
        "{kind:?}: {} worlds of {} steps, bodies and joints made {} and {}, refused {} and {}, {} frozen, \
         {} steps refused, an island takes {:.1} budgets at most, {searched:.2} of the searches and \
         {measured:.2} of the measurements that there may be",
        found.len(),
        STEPS * times(),
        sum(|o| o.made[0]),
        sum(|o| o.made[1]),
        sum(|o| o.refused[0]),
        sum(|o| o.refused[1]),
        sum(|o| o.broken),
        sum(|o| o.steps_refused),
        most(|o| o.work),
    );
    assert!(
        measured > 0.5,
        "{kind:?}: of the pairs there may be in a step {measured} are measured"
    );
    assert!(sum(|o| o.made[0]) > 40, "{kind:?}: bodies are made");
    assert!(sum(|o| o.refused[0]) > 10, "{kind:?}: and some refused");
    if kind == Kind::Joints {
        assert!(sum(|o| o.made[1]) > 40 && sum(|o| o.refused[1]) > 10, "joints, too");
    }
    if kind == Kind::Settings {
        assert!(sum(|o| o.steps_refused) > 10, "settings, too");
    }
}

#[test]
fn bodies_with_absurd_numbers() {
    made_and_refused(Kind::Bodies);
}

#[test]
fn joints_that_contradict_each_other() {
    made_and_refused(Kind::Joints);
}

#[test]
fn absurd_changes_between_steps() {
    made_and_refused(Kind::Changes);
}

/// Bodies and joints come and go, and worlds are put back, or go on from what is written of them.
#[test]
fn lives_that_are_kept_and_put_back() {
    made_and_refused(Kind::Lives);
}

#[test]
fn absurd_settings_and_steps() {
    made_and_refused(Kind::Settings);
}

/// Tries that fail are charged, whatever solver made them, and what is overdrawn ends its step: each world
/// here is held to 65 budgets a step. Lemke's pivots were not: they took 22 000 of the first one.
#[test]
fn regression_work_is_bounded_by_the_budget() {
    let pivots = play_within(Kind::Joints, &random_bytes(1_000_481, 1500), STEPS, 10.0);
    let mut most = pivots.expect("Lemke's algorithm gives up").work;
    for (salt, kind) in [(1, Kind::Joints), (2, Kind::Changes)] {
        for seed in 0..120 {
            let played = play_within(kind, &random_bytes(4 * seed + salt, 1500), STEPS, 100.0);
            let played = played.unwrap_or_else(|wrong| panic!("{kind:?}, seed {seed}: {wrong}"));
            most = most.max(played.work);
        }
    }
    assert!(most > 10.0, "some come near: {most} budgets");
}

/// Hulls, metrics, solvers, joints and snapshots of random bytes, as the fuzzer tries them.
#[test]
fn parts_of_the_step_bear_any_numbers() {
    let checks: [(&str, fn(&[u8]) -> Result<(), String>); 5] = [
        ("hull", check_hull),
        ("metric", check_metric),
        ("solvers", check_solvers),
        ("joint", check_joint),
        ("snapshot", check_snapshot),
    ];
    for (salt, (what, check)) in (0..).zip(checks) {
        for seed in 0..400 {
            let bytes = random_bytes(8 * seed + salt, if what == "snapshot" { 16 } else { 400 });
            check(&bytes).unwrap_or_else(|wrong| panic!("{what}, seed {seed}: {wrong}"));
        }
    }
}

/// A ball of a tenth of the scale (m), its radius off a place below it, which it would reach in two steps.
fn throw(world: &mut Simulation, at: Vec3, scale: Real) -> BodyId {
    let desc = BodyDesc {
        shape: Some(sphere(0.1 * scale)),
        position: at + Vec3::Y * (0.2 * scale),
        linear_velocity: Vec3::Y * (-0.05 * scale / DT),
        ..BodyDesc::default()
    };
    world.add_body(desc).expect("a ball")
}

/// Slivers, needles, plates, points on a line, in a plane or in one place, triangles without area: each
/// makes a shape that a body can have, or says why not. A ball is thrown at a triangle of each mesh.
#[test]
fn degenerate_points_make_a_shape_or_an_error() {
    let mut rng = Rng::new(3);
    let (mut made, mut met) = (0, 0);
    for case in 0..200 {
        let thin = [1.0, 1e-3, 1e-5, 1e-7, 1e-12, 1e-30, 0.0][case % 7];
        let scale = [1.0, 1e-4, 1e5][case % 3];
        let flat = [Vec3::new(1.0, 1.0, thin), Vec3::new(1.0, thin, thin)][case % 2];
        let points: Vec<Vec3> = (0..12).map(|_| rng.vector(-1.0, 1.0) * flat * scale).collect();
        let triangles: Vec<[u32; 3]> = (0..10).map(|i| [i, i + 1, i + (i % 3)]).collect();
        let shapes =
            [Shape::convex_hull(&points), Shape::trimesh(&points, &triangles)].map(Result::ok);
        for shape in shapes.into_iter().flatten() {
            made += 1;
            let mut world = floor();
            let kind = if shape.has_mesh() { BodyKind::Static } else { BodyKind::Dynamic };
            let position = Vec3::Y * scale;
            let desc = BodyDesc { kind, shape: Some(shape), position, ..BodyDesc::default() };
            // Of next to no thickness it has no mass.
            let Ok(id) = world.add_body(desc) else { continue };
            let ball = (kind == BodyKind::Static).then(|| {
                let corners = triangles[case % 10].map(|corner| points[corner as usize]);
                throw(&mut world, position + corners.into_iter().sum::<Vec3>() / 3.0, scale)
            });
            for _ in 0..5 {
                world.step(&Settings::default(), DT);
                for id in [Some(id), ball].into_iter().flatten() {
                    let pose = body(&world, id).position();
                    assert!(pose.is_finite(), "case {case}: {pose}");
                }
                let meets = |c: Contact| ball.is_some_and(|ball| c.bodies == [id, ball]);
                met += usize::from(world.contacts().any(meets));
            }
        }
    }
    println!("{made} shapes, {met} steps with contacts between ball and mesh");
    assert!(made > 50, "{made} shapes are made");
    assert!(met > 50, "{met} steps with contacts between ball and mesh");
}

/// A point in a ball, or on it (m).
fn in_ball(rng: &mut Rng, least: Double) -> Vec3 {
    let radius = rng.between(least, 1.0).cbrt();
    narrow3(DVec3::from_array(rng.direction()) * radius)
}

/// The hull of points within a ball of 1 m, with no point farther outside than promised, 4e-6 of extent and
/// largest coordinate, and as many corners, edges and faces as Euler says.
fn sound_hull(points: &[Vec3]) -> Hull {
    let hull = Hull::convex_hull(points).expect("they fill a ball");
    let counts = [hull.vertices().len(), hull.faces().len(), hull.edges().len() + 2];
    assert_eq!(counts[0] + counts[1], counts[2], "corners, faces, and edges and two");
    for face in hull.faces() {
        let out = points.iter().map(|&p| face.normal.dot(p - hull.centroid()) - face.offset);
        let most = out.fold(Real::NEG_INFINITY, Real::max);
        assert!(most < 4e-6 * (2.0 + 1.0), "a point is {most} m outside");
    }
    hull
}

/// A hundred thousand points in a ball, and ten thousand on it: one hull each. Its time goes by its corners.
/// On the ball all points are, but those that are merged; in it they are on average as many of n as the share
/// of the ball that a hull of n - 1 leaves out, where one more would be a corner (Efron 1965). Either spreads
/// by the root of its number.
#[test]
fn a_cloud_of_a_hundred_thousand_points_is_a_hull() {
    let mut rng = Rng::new(4);
    let inside: Vec<Vec3> = (0..100_000).map(|_| in_ball(&mut rng, 0.0)).collect();
    let hull = sound_hull(&inside);
    let left_out = 1.0 - widen(hull.volume()) / (4.0 / 3.0 * PI_DOUBLE);
    let [corners, expected] = [hull.vertices().len() as Double, 100_000.0 * left_out];
    println!("{corners} corners, {expected} expected");
    assert!(
        (corners - expected).abs() < 6.0 * expected.sqrt(),
        "{corners} corners, not {expected}"
    );
    let on: Vec<Vec3> = (0..10_000).map(|_| in_ball(&mut rng, 1.0)).collect();
    let merged = on.len() - sound_hull(&on).vertices().len();
    assert!(merged < 10, "{merged} points on a ball are no corners");
}

/// A hook that panics between two stages, and is caught: the step goes on, and so does the world. It took
/// pairs out as it went, so that the list was left out of order.
#[test]
fn a_hook_that_panics_leaves_the_world_sound() {
    let mut world = floor();
    let ids = [0.5, 1.5, 2.5].map(|y| {
        let shape = Some(cuboid(1.0, 1.0, 1.0));
        let desc = BodyDesc { shape, position: Vec3::Y * y, ..BodyDesc::default() };
        world.add_body(desc).expect("a cube")
    });
    let settings = Settings::default();
    for step in 0..120 {
        world.begin(&settings, DT);
        world.find_pairs(&settings);
        if step % 10 == 3 {
            let mut seen = 0;
            let hook = AssertUnwindSafe(|| {
                world.retain_pairs(|_| {
                    seen += 1;
                    assert!(seen < 3, "a hook that panics");
                    seen == 1
                });
            });
            catch_unwind(hook).expect_err("it panics");
        }
        world.find_contacts(&settings);
        end_step(&mut world, &settings);
        assert_eq!(world.report().quarantined, [], "step {step}: nothing is broken");
    }
    for (id, y) in ids.into_iter().zip([0.5, 1.5, 2.5]) {
        let off = (body(&world, id).position() - Vec3::Y * y).length();
        assert!(off < 1e-3, "the stack stands: {off} m");
    }
}

/// Moments of inertia of 1e-3 and 1e19 kg·m² in one body: where it comes to in the step is no number. The
/// impulses were dropped then, but what they would have done there was not, and nothing times what is no
/// number was told as the torque. With 0.05 and 1e30 kg·m² no impulse is left, and nothing times a row that
/// is no number was told. Found by the fuzzer.
#[test]
fn regression_what_joints_tell_is_finite_where_nothing_is_solved() {
    for found in [FOUND, SPUN] {
        assert_eq!(check_joint(&decoded(found)), Ok(()));
    }
}

/// Bodies of 0.5 kg and 10 g some µm from where a joint has them, which it pulls together in the first of 64
/// parts of the step, and so with 64 times the impulse: each part rounds that. Found by the fuzzer.
#[test]
fn regression_momentum_is_kept_to_the_roundings_of_all_parts() {
    let mut bytes = [0; 163];
    for at in [10, 34, 37, 40, 111, 141, 142, 144] {
        bytes[at] = 33;
    }
    for (at, byte) in [(32, 1), (35, 65), (41, 255), (133, 1), (139, 35), (145, 37), (162, 1)] {
        bytes[at] = byte;
    }
    assert_eq!(check_joint(&bytes), Ok(()));
}

/// A bound of 1e-42 N s, which single precision tells in steps of 1e-45: small steps were taken to be beyond
/// it. Found by the fuzzer.
#[test]
fn regression_bounds_are_kept_to_the_smallest_numbers_of_single_precision() {
    let ends = [
        "0a99299d8b2eba0099999999999999992c000000992e2fba9999999999e8a28b",
        "2eba0099999999999999",
    ];
    let [mut bytes, end] = ends.map(decoded);
    bytes.extend([0x81; 86].into_iter().chain(end));
    assert_eq!(check_solvers(&bytes), Ok(()));
}

/// Sweeps leave 4e-35 N s of friction where nothing pushes: its square is nothing in single precision, and so
/// not more than that of the cone. Squares have all digits from 1e-19 N s on. Found by the fuzzer.
#[test]
fn regression_cones_are_kept_to_what_squares_of_single_precision_tell() {
    let mut bytes = decoded("006a370000028000000004006b");
    bytes.resize(119, 0);
    bytes.extend([1, 0, 0, 0, 0]);
    assert_eq!(check_solvers(&bytes), Ok(()));
}

/// A ball of 0.5 kg below a can of 8 t is asked for 1e6 m/s: impulses of 7e9 N s, each rounding of which is
/// 3e-6 m/s of the ball. Lemke's algorithm was taken to be no more than 3e-6 m/s off. Found by the fuzzer.
#[test]
fn regression_pivots_are_judged_by_the_rounding_of_their_impulses() {
    let found = "42424242424242bebdbdbdffffffffffffff043542424242c442424242ffff0baaaaeaaaaaaa7fffffff\
                 42424242424242babd42424201f94142424242424262420b1133";
    assert_eq!(check_solvers(&decoded(found)), Ok(()));
}

/// A joint leaves 1e-45 m/s, the smallest number of single precision, of which the energy is nothing: no
/// momentum was taken to be there, and none to be lost. Found by the fuzzer.
#[test]
fn regression_momentum_below_all_energy_is_rounded_too() {
    let start = "c5c5c5c5c5c5c5c5c501000000000000000003aa81818181818181010000000000000400\
                 00010000000000003600";
    let mut bytes = decoded(start);
    let rest = [
        (0, 59),
        (129, 25),
        (0, 14),
        (129, 31),
        (255, 7),
        (8, 1),
        (129, 95),
        (170, 1),
        (0, 11),
        (94, 1),
        (85, 2),
        (166, 1),
        (85, 1),
        (170, 1),
        (1, 1),
    ];
    rest.into_iter().for_each(|(byte, times)| bytes.extend([byte].repeat(times)));
    assert_eq!(check_joint(&bytes), Ok(()));
}

/// A velocity that is no number is set, and the step after it refused, for a cone of no sides: nothing is
/// done in it, and velocities were judged as if there were. Found by the fuzzer.
#[test]
fn regression_a_step_that_is_refused_leaves_velocities_as_they_were_set() {
    let mut bytes = [0; 291];
    for at in [0, 87, 212, 234, 282, 289] {
        bytes[at] = 1;
    }
    bytes[290] = 2;
    let played = play(Kind::Changes, &bytes, 1).expect("nothing is wrong");
    assert_eq!(played.steps_refused, 1);
}

/// A rotation of length 4e-22, whose square has two digits in single precision: the matrix made the second
/// hull larger, and faces were told to be where its corners were not. Found by the fuzzer.
#[test]
fn regression_tiny_rotations_do_not_make_hulls_larger() {
    let mut bytes = [0; 307];
    for at in [0, 29, 54, 102, 166, 169, 180, 271] {
        bytes[at] = 1;
    }
    for (at, byte) in [(1, 170), (7, 138), (127, 255), (178, 166), (181, 2), (219, 255)] {
        bytes[at] = byte;
    }
    for (at, byte) in [(302, 2), (305, 2), (306, 28)] {
        bytes[at] = byte;
    }
    assert_eq!(check_metric(&bytes), Ok(()));
}

/// A snapshot with a moment of inertia of 3e13 kg m² beside one of 8e-6: a row of a loop had a softness below
/// zero, of a compliance that is rounded to less than nothing. Found by the fuzzer.
#[test]
fn regression_joints_of_a_loop_bear_moments_of_inertia_far_apart() {
    let mut bytes = decoded("b20afc03");
    for (byte, times) in [(0xb4, 27), (0x6c, 1), (0x55, 2), (0xa4, 43), (0x55, 4)] {
        bytes.extend([byte].repeat(times));
    }
    assert_eq!(check_snapshot(&bytes), Ok(()));
}

fn decoded(hexadecimal: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hexadecimal[at..at + 2], 16).expect("two digits");
    (0..hexadecimal.len()).step_by(2).map(byte).collect()
}

const FOUND: &str = "\
    d9d9d9d9d9d90000000dd9d9d9d9d9d9d9d9d9d9d9d9d9d9d9ffd9939393d9d9d9d9d9d9d9d9d900000003d9d9d9d9d9\
    d9d9d9d9d9d9d90b00000000000000d9d9d9d9d9d90a0a5b418a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a738a8aff\
    ffff0a8a8a8a828a8a0a8a8ad9d9d9d9d9d9d9d9d9d9d9d9d96d6d6d6d6d6dd9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9\
    d9d9d9d9d9d9d9d9d9d9d9d9d999d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d98ad9d9d9d9d9d100\
    000041156faed9d9d9d9d9d9d9d95bd9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d932d9d9d9d9\
    d9d9d9d9d9d9d9d9d9d9d9d1d9d9d9d9d9d9d9d9d9ffffffffffffffffffffffbf8a8a8a8a8a8a8a8a8a8a3b8a8ad9d9\
    8a8ad9d9d98ad9";

const SPUN: &str = "\
    ff9999999999999999999999999999990000000000ffffffffffffff41414141414141414141414141414141414141\
    4141414141414141414141414141414141414141414141414141414141414141414141414141414141414141414141\
    41414141414141414141414141414141414141414141414141414141414141414141414141414141bfbebebebebebe\
    c34141414141414141414141414141ff000000ff04000099ffff999999999999999999999999999999999999999900\
    9999999999999999999999adadadadadadadadadadadadadad58ee";
