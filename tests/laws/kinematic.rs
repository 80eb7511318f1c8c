//! Kinematic bodies push, carry and never sink in, whether moved by velocities or by targets.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::math::{Double, EPSILON, PI, Quat, Real, Vec3, cos, narrow, quat_exp, quat_rotate};
use orthant_lab::games::{self, Play};
use orthant_lab::support::driven::{coarse, drive, elevator, filled_drum, plate, turn};
use orthant_lab::support::{self, DT, add, body, change, cuboid, run};

const G: Real = 9.81;

/// How far off a contact that is solved to the tolerance may be (m): the dead zone, what a step leaves, and
/// rounding of poses of some meters.
fn touching() -> Real {
    let Settings { contact, solver, .. } = Settings::default();
    contact.dead_zone * DT * DT + narrow(solver.tolerance) * DT + 8.0 * EPSILON
}

/// How far velocities within the tolerance lead in some steps (m, rad at a meter).
fn drift(steps: usize) -> Real {
    narrow(Settings::default().solver.tolerance) * DT * steps as Real
}

#[test]
fn an_elevator_carries_a_stack() {
    for (smooth, by_target) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut world = Simulation::new();
        let lift = plate(&mut world, Vec3::new(4.0, 0.2, 4.0), Vec3::new(0.0, -0.1, 0.0));
        let boxes: Vec<BodyId> = (0..3)
            .map(|i| {
                let at = Vec3::new(0.0, 0.5 + i as Real, 0.0);
                add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at)
            })
            .collect();
        run(&mut world, 10);
        let (mut overlap, mut gap): (Real, Real) = (0.0, 0.0);
        for step in 0..390 {
            drive(&mut world, lift, Vec3::Y * (elevator(step, smooth) - 0.1), by_target);
            overlap = overlap.max(world.report().overlap);
            let top = body(&world, lift).center().y + 0.1;
            for (i, &id) in boxes.iter().enumerate() {
                let off = body(&world, id).center().y - top - 0.5 - i as Real;
                gap = gap.max(off);
                let what = format!("smooth {smooth}, by target {by_target}, step {step}, box {i}");
                let here = touching() * (i + 1) as Real;
                assert!(off > -here, "{what}: sinks by {off} m");
                // Stopped at once from 1.5 m/s it flies on, as it must, and a step at most longer; a smooth
                // stop is within g.
                let flight = if smooth { 0.0 } else { 1.5 * 1.5 / (2.0 * G) + 1.5 * DT };
                assert!(off < flight + here, "{what}: {off} m above what it stood on");
            }
        }
        assert!(overlap <= 1e-4, "smooth {smooth}, by target {by_target}: overlap {overlap} m");
        assert!(smooth || gap > 0.1, "it flew: {gap} m");
        for (i, &id) in boxes.iter().enumerate() {
            let at = body(&world, id).center();
            let off = (at - Vec3::new(0.0, 0.5 + i as Real, 0.0)).length();
            let most = touching() * (i + 1) as Real + drift(400);
            assert!(off < most, "smooth {smooth}, by target {by_target}: box {i} ends at {at}");
        }
    }
}

#[test]
fn a_plate_carries_a_box_sideways_without_creep() {
    for by_target in [true, false] {
        let mut world = Simulation::new();
        let cart = plate(&mut world, Vec3::new(4.0, 0.2, 4.0), Vec3::new(0.0, -0.1, 0.0));
        let at = Vec3::new(0.3, 0.5, 0.2);
        let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
        run(&mut world, 20);
        let start = body(&world, id).center() - body(&world, cart).center();
        // Back and forth with at most 3 m/s², below what friction of 0.5 holds.
        for step in 0..1200 {
            let time = step as Real * DT;
            let to = Vec3::new(0.75 * (1.0 - cos(2.0 * time)), -0.1, 0.1 * (1.0 - cos(3.0 * time)));
            drive(&mut world, cart, to, by_target);
            let now = body(&world, id).center() - body(&world, cart).center();
            let slid = (now - start).length();
            let most = touching() + drift(step);
            assert!(slid < most, "by target {by_target}, step {step}: slid {slid} m");
        }
    }
}

#[test]
fn a_turning_drum_loses_nothing() {
    let (mut world, drum, ids) = filled_drum();
    let settings = Settings::default();
    // A step is linear: a point of the wall leaves its tangent by ω² r h² / 2, a corner of a body by as much
    // of its own turn, at most of the fastest, and velocities solved to the tolerance e let bodies go
    // h e (1 + μ) too far. What each contact keeps by its own two bodies is among the claims.
    let wall = 3.0 * 3.0 / cos(PI / 12.0);
    let mut turned: Real = 0.0;
    let slack = DT * 1.5 * narrow(settings.solver.tolerance);
    for step in 1..=1200 {
        change(&mut world, drum).set_target(Vec3::ZERO, turn(step));
        world.step(&settings, DT);
        // Gaps are those at the start of the step, left by the one before.
        let at_drum = world.contacts().filter(|contact| contact.bodies[0] == drum);
        let overlap = at_drum.map(|contact| -contact.gap).fold(0.0, Real::max);
        let bound = 0.5 * DT * DT * (wall + turned) + slack;
        assert!(overlap < bound, "step {step}: {overlap} m into the drum, {bound} at most");
        turned = 0.0;
        for &id in &ids {
            let body = body(&world, id);
            let at = body.center();
            let radius = Vec3::new(0.0, at.y, at.z).length();
            let inside = radius < 1.0 && at.x.abs() < 0.6;
            assert!(inside, "step {step}: body {} left the drum: {at}", id.0);
            let reach = body.colliders().bounding_radius();
            turned = turned.max(body.angular_velocity.length_squared() * reach);
        }
    }
    let spin = body(&world, drum).angular_velocity;
    assert!((spin - Vec3::X * 3.0).length() < 1e-3, "the drum turns as told: {spin}");
    let moving = ids.iter().filter(|&&id| body(&world, id).linear_velocity.length() > 0.1);
    assert!(moving.count() > 20, "and keeps its content moving");
}

#[test]
fn the_sign_of_a_target_quaternion_does_not_matter() {
    let (mut world, drum, _) = filled_drum();
    let (mut flipped, mut by_velocity) = (world.clone(), world.clone());
    change(&mut by_velocity, drum).angular_velocity = Vec3::X * 3.0;
    let mut signs = [false; 2];
    for step in 1..=140 {
        let q = turn(step);
        signs[usize::from(q.w < 0.0)] = true;
        change(&mut world, drum).set_target(Vec3::ZERO, q);
        let other = Quat::from_xyzw(-q.x, -q.y, -q.z, -q.w);
        change(&mut flipped, drum).set_target(Vec3::ZERO, if step % 3 == 0 { other } else { q });
        for world in [&mut world, &mut flipped, &mut by_velocity] {
            world.step(&coarse(), DT);
        }
        for (a, b) in world.bodies().iter().zip(flipped.bodies().iter()) {
            let same = a.center() == b.center() && a.linear_velocity == b.linear_velocity;
            assert!(same, "step {step}: body {} moves differently", a.id().0);
        }
        let [p, q] = [&world, &by_velocity].map(|world| body(world, drum).rotation_matrix());
        let apart = (p * Vec3::Y - q * Vec3::Y).length();
        assert!(apart < 1e-4, "step {step}: as by its velocity: {apart}");
    }
    assert_eq!(signs, [true; 2], "the quaternion changed its sign");
}

#[test]
fn crushing_is_finite_and_told() {
    for by_target in [true, false] {
        let mut world = Simulation::new();
        let wall = cuboid(0.2, 4.0, 4.0);
        add(&mut world, BodyKind::Static, wall, Vec3::new(1.1, 1.0, 0.0));
        support::add_floor(&mut world);
        let press = plate(&mut world, Vec3::new(0.2, 1.0, 1.0), Vec3::new(-1.1, 0.6, 0.0));
        let at = Vec3::new(0.0, 0.5, 0.0);
        let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
        let settings = Settings::default();
        let (mut fastest, mut deepest): (Real, Real) = (0.0, 0.0);
        for step in 0..240 {
            // 1 m/s, until it is 30 cm into where the box could stay; then it holds.
            let x = (-1.1 + (step as Real * DT)).min(0.2);
            drive(&mut world, press, Vec3::new(x, 0.6, 0.0), by_target);
            let body = body(&world, id);
            assert!(body.center().is_finite(), "step {step}: finite");
            fastest = fastest.max(body.linear_velocity.length());
            deepest = deepest.max(world.report().overlap);
            assert!(world.report().quarantined.is_empty(), "step {step}: nothing is frozen");
        }
        assert!(deepest > 0.1, "by target {by_target}: overlap is told: {deepest} m");
        let limit = settings.contact.push_speed_max + 1.0;
        assert!(fastest < limit, "by target {by_target}: no explosion: {fastest} m/s");
        let rest = body(&world, id).linear_velocity.length();
        let tolerance = narrow(settings.solver.tolerance);
        assert!(rest <= tolerance, "by target {by_target}: it ends at rest: {rest} m/s");
    }
}

#[test]
fn a_turntable_turns_what_stands_on_it() {
    let mut world = Simulation::new();
    let table = plate(&mut world, Vec3::new(4.0, 0.2, 4.0), Vec3::new(0.0, -0.1, 0.0));
    let off = Vec3::new(0.6, 0.5, 0.0);
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), off);
    run(&mut world, 20);
    let settings = Settings::default();
    // The table starts slowly, up to 2 rad/s, where friction still holds: ω² r = 2.4 m/s².
    let mut angle: Real = 0.0;
    for step in 0..600 {
        let speed = (step as Real * DT).min(2.0);
        change(&mut world, table).angular_velocity = Vec3::Y * speed;
        run(&mut world, 1);
        angle += speed * DT;
    }
    let turn = quat_exp(Vec3::Y * angle);
    let want = quat_rotate(turn, off);
    let at = body(&world, id).center();
    let slid = (at - want).length();
    // An arc of angle x is `r x³ / 6` shorter along the tangent than its length, in each step of up to
    // 2 rad/s; angles are summed, each time rounded.
    let arc = off.x * (2.0 * DT * 2.0 * DT * 2.0 * DT) / 6.0;
    let most = touching() + drift(600) + 600.0 * (arc + EPSILON * angle);
    assert!(slid < most, "it stays where it stands on the table: {at} instead of {want}");
    let front = quat_rotate(body(&world, id).rotation(), Vec3::X);
    let aside = (front - quat_rotate(turn, Vec3::X)).length();
    assert!(aside < most, "and turns with it: {aside}");
    // What it touches is half a meter from its axis.
    let off = (body(&world, id).angular_velocity - Vec3::Y * 2.0).length();
    assert!(off < 2.0 * narrow(settings.solver.tolerance), "at its speed: {off} rad/s off");
}

/// A pile on a deck that rocks: once it has taken the jolt of the start, every cube goes along its circle. In
/// a step a tangent leads outwards by `ω² r h² / 2`, 0.3 µm for a metre, 30 µm in two seconds, of which
/// nothing is taken back up to the dead zone of 10 µm; rounding of poses of some metres is half a µm.
#[test]
fn what_a_rocking_deck_carries_goes_along_its_circle() {
    let game = games::by_name("pyramid-8-deck").expect("a scene");
    let mut play = Play::new(&game, DT).expect("a sound scene");
    let (mut unsolved, mut mean, mut work) = (0, 0.0, 0.0);
    for step in 0..360 {
        let report = play.advance(&game.settings());
        if step < 120 {
            continue;
        }
        unsolved += report.islands_unsolved;
        work += report.solves.iter().map(|solve| solve.work[0] + solve.work[1]).sum::<Double>();
        let deck = play.ids[0];
        let on_it =
            play.world.pairs().iter().filter(|pair| pair.key.a == deck || pair.key.b == deck);
        let (sum, count) = on_it
            .flat_map(|pair| &pair.contacts)
            .fold((0.0, 0.0), |(sum, count), contact| (sum + contact.row_gap, count + 1.0));
        mean = sum / count;
        assert!(mean < 1e-6, "step {step}: {mean} m above the deck");
    }
    assert_eq!(unsolved, 0, "steps that are not solved, {mean}");
    // In sweeps: a measurement, a few solutions with the factor of an earlier step, hardly ever a new one.
    assert!(work < 240.0 * 40.0, "{} a step", work / 240.0);
}
