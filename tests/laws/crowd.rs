//! Bodies that are put in one place: the push parts them all, and gives them no energy.
//!
//! Without gravity nothing else acts, and what pushes is not carried on: all bodies stay at rest while they
//! come apart, but for what the arms of the pushes change within a step. Pushes are opposite, so the
//! momentum stays zero to the rounding of the sweeps.

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Double, Vec3, widen, widen3};
use orthant_lab::support::bounces::momentum;
use orthant_lab::support::{DT, add, cuboid, sphere};

/// Numbers of bodies: two, as many as touch one, crowds within and beyond what Newton gets.
const CROWDS: [usize; 4] = [2, 13, 40, 200];
const SECONDS: usize = 6;
/// Largest speed that anybody has, of that of a push (–).
const CARRIED: Double = 0.01;

fn parts(shape: &Shape, settings: &Settings) {
    for n in CROWDS {
        let mut world = Simulation::new();
        for _ in 0..n {
            add(&mut world, BodyKind::Dynamic, shape.clone(), Vec3::ZERO);
        }
        let push = widen(settings.contact.push_speed_max);
        let mass: Double = world.bodies().iter().map(|body| widen(body.mass())).sum();
        let mut told = false;
        for _ in 0..SECONDS * 60 {
            let report = world.step(settings, DT);
            told |= report.pairs_left_out > 0;
            let fastest = world.bodies().iter().map(|body| body.linear_velocity.length());
            let fastest = widen(fastest.fold(0.0, |most, speed| most.max(speed)));
            assert!(fastest <= CARRIED * push, "{n} bodies: {fastest} m/s");
            let left = momentum(&world).length() / mass;
            assert!(left <= CARRIED * CARRIED * push, "{n} bodies: {left} m/s of their center");
        }
        assert_eq!(
            told,
            n > 25,
            "{n} bodies: more pairs than twelve each have no rows, which is told"
        );
        let overlap =
            world.pairs().iter().map(|pair| -widen(pair.separation)).fold(0.0, Double::max);
        let zone = widen(settings.contact.dead_zone) / 3600.0;
        assert!(overlap <= 2.0 * zone, "{n} bodies: {overlap} m of overlap are left");
        let wide = world.bodies().iter().map(|body| widen3(body.position()).length());
        assert!(wide.fold(0.0, Double::max) > 0.1, "{n} bodies are apart");
    }
}

fn weightless() -> Settings {
    Settings { gravity: Vec3::ZERO, ..Settings::default() }
}

#[test]
fn balls_in_one_place_part_and_stay_at_rest() {
    parts(&sphere(0.2), &weightless());
}

#[test]
fn boxes_in_one_place_part_and_stay_at_rest() {
    parts(&cuboid(0.2, 0.2, 0.2), &weightless());
}

/// The first step of a crowd costs what later ones do: in one place all touch all, and a factor of Newton's
/// method grows with the cube of their number. Work is counted (sweeps over each contact).
#[test]
fn a_crowd_that_begins_costs_no_factor() {
    for shape in [sphere(0.2), cuboid(0.2, 0.2, 0.2)] {
        for n in [100, 300, 1000] {
            let mut world = Simulation::new();
            for _ in 0..n {
                add(&mut world, BodyKind::Dynamic, shape.clone(), Vec3::ZERO);
            }
            let report = world.step(&weightless(), DT);
            let work: Double = report.solves.iter().flat_map(|island| island.work).sum();
            println!("measured {n} in one place: work {work}, {} factors", report.factorizations);
            assert!(work <= 200.0, "{n} bodies: {work}");
        }
    }
}

/// More than there is room for at once: pairs grow with the bodies, not with their square, that is told with
/// a name, and all come apart as others do.
#[test]
fn more_boxes_than_there_is_room_for_part() {
    let (mut world, settings, n) = (Simulation::new(), weightless(), 500);
    let mut cube = || add(&mut world, BodyKind::Dynamic, cuboid(0.2, 0.2, 0.2), Vec3::ZERO);
    let first = cube();
    for _ in 1..n {
        cube();
    }
    let report = world.step(&settings, DT);
    assert_eq!(report.crowded, [first], "told");
    assert_eq!(u64::from(report.pairs) + report.pairs_refused, n * (n - 1) / 2, "{report}");
    let (mut most, mut refused) = (report.pairs, 1);
    for _ in 0..SECONDS * 60 {
        let report = world.step(&settings, DT);
        most = most.max(report.pairs);
        refused += u32::from(report.pairs_refused > 0);
    }
    println!("{most} pairs at most, refused in {refused} steps");
    assert!(u64::from(most) < 128 * n, "{most} pairs at most");
    let report = world.report();
    assert!(report.pairs_refused == 0 && report.crowded.is_empty(), "all pairs are back: {report}");
    let zone = settings.contact.dead_zone / 3600.0;
    assert!(report.overlap <= 2.0 * zone, "{} m of overlap are left", report.overlap);
}
