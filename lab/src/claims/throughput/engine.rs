//! The engine alone.

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyKind};
use orthant::engine::contact::ActiveContact;
use orthant::engine::lcp::Method;
use orthant::engine::lcp::manifold::Manifold;
use orthant::engine::pair::Pair;
use orthant::engine::par::{Pool, Serial};
use orthant::engine::query::QueryTree;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3};

use super::{at_most, median, seconds, times_at_most};
use crate::claims::Claims;
use crate::counting::bytes;
use crate::gauge::stages::{STAGES, timed_step};
use crate::pool::waiting;
use crate::random::Rng;
use crate::support::{DT, add};

/// Steps in which the boxes fall and come to lie.
const FALL: usize = 150;
/// Steps that are measured then.
const WINDOW: usize = 30;

pub fn measure(claims: &mut Claims) {
    scaling(claims);
    threads(claims);
    sleeping(claims);
    rays(claims);
    memory(claims);
}

fn small_steps() -> Settings {
    let mut settings = Settings::default();
    settings.solver.method = Method::Substeps;
    settings
}

/// Boxes of several sizes above the ground between four walls, eight layers of `side` times `side`.
fn container(side: u16) -> Simulation {
    let mut world = Simulation::new();
    let width = 1.2 * Real::from(side);
    let half = 0.5 * width;
    for (normal, at) in [
        (Vec3::Y, Vec3::ZERO),
        (Vec3::X, Vec3::X * -half),
        (Vec3::NEG_X, Vec3::X * half),
        (Vec3::Z, Vec3::Z * -half),
        (Vec3::NEG_Z, Vec3::Z * half),
    ] {
        let wall = Shape::half_space(normal).expect("a normal");
        add(&mut world, BodyKind::Static, wall, at);
    }
    let mut rng = Rng::new(7);
    let place = |i: u16| 1.2 * (Real::from(i) + 0.5) - half;
    for layer in 0..8_u8 {
        for i in 0..side {
            for k in 0..side {
                let size = rng.vector(0.5, 0.9);
                let shape = Shape::cuboid(size.x, size.y, size.z).ok();
                let position = Vec3::new(place(i), 0.8 + 1.2 * Real::from(layer), place(k));
                let rotation = rng.rotation();
                let box_like = BodyDesc { shape, position, rotation, ..BodyDesc::default() };
                world.add_body(box_like).expect("a box");
            }
        }
    }
    world
}

/// A container whose boxes have come to lie.
fn heap(side: u16) -> Simulation {
    let mut world = container(side);
    for _ in 0..FALL {
        world.step(&small_steps(), DT);
    }
    world
}

/// Median time (s) of a step, and the number of contacts.
fn step_time(world: &mut Simulation, pool: &dyn Pool) -> (Double, Double) {
    let settings = small_steps();
    let time = || timed_step(world, &settings, DT, pool).iter().sum();
    let times = core::iter::repeat_with(time).take(WINDOW).collect();
    (median(times), world.report().contacts.into())
}

/// Time for each contact in a heap of 512 and in one sixteen times as wide.
fn scaling(claims: &mut Claims) {
    let per_contact = |side| {
        let mut world = heap(side);
        let (time, contacts) = step_time(&mut world, &Serial);
        let bodies = world.bodies().len();
        let each = time / contacts;
        eprintln!(
            "    {bodies} bodies, {contacts} contacts: {:.2} ms a step, {:.0} ns a contact",
            1e3 * time,
            1e9 * each
        );
        each
    };
    let [few, many] = [8, 32].map(per_contact);
    times_at_most(claims, "time per contact, 8192 boxes over 512", many / few, 1.5);
}

/// A step of a heap of 2048 boxes on two threads and on one, in turn.
fn threads(claims: &mut Claims) {
    let mut worlds = [heap(16), heap(16)];
    let pool = match waiting(2) {
        Ok(pool) => pool,
        Err(error) => return eprintln!("    no threads: {error}"),
    };
    let [mut one, mut two] = [Vec::new(), Vec::new()];
    for _ in 0..WINDOW {
        let settings = small_steps();
        one.push(timed_step(&mut worlds[0], &settings, DT, &Serial));
        two.push(timed_step(&mut worlds[1], &settings, DT, &*pool));
    }
    let middle = |times: &[[Double; 8]], stages: core::ops::Range<usize>| {
        median(times.iter().map(|times| times[stages.clone()].iter().sum()).collect())
    };
    let stages = STAGES.into_iter().enumerate().map(|(i, name)| (name, i..i + 1));
    for (name, stages) in stages.chain([("a step", 0..8)]) {
        let [one, two] = [&one, &two].map(|times| 1e3 * middle(times, stages.clone()));
        eprintln!("    {name}: {one:.2} ms on one thread, {two:.2} ms on two");
    }
    let ratio = middle(&one, 0..8) / middle(&two, 0..8);
    let figure = format!("{ratio:.2} times as fast");
    claims.add("2048 boxes, two threads and one", &figure, "≥ 1.6 times", ratio >= 1.6);
}

/// Boxes side by side on the ground.
fn field(side: u16, gap: Real) -> Simulation {
    let mut world = Simulation::new();
    let ground = Shape::half_space(Vec3::Y).expect("a normal");
    add(&mut world, BodyKind::Static, ground, Vec3::ZERO);
    for i in 0..side {
        for k in 0..side {
            let shape = Shape::cuboid(1.0, 1.0, 1.0).expect("a cube");
            let at = Vec3::new(1.5 * Real::from(i), 0.5 + gap, 1.5 * Real::from(k));
            add(&mut world, BodyKind::Dynamic, shape, at);
        }
    }
    world
}

/// Ten thousand boxes asleep, and a ball that flies over them.
fn sleeping(claims: &mut Claims) {
    let mut world = field(100, 0.0);
    let mut settings = Settings::default();
    settings.sleep.enabled = true;
    let asleep = |world: &Simulation| world.report().sleeping == 10_000;
    for _ in 0..300 {
        world.step(&settings, DT);
        if asleep(&world) {
            break;
        }
    }
    let shape = Shape::sphere(0.5).ok();
    let (position, linear_velocity) = (Vec3::Y * 50.0, Vec3::new(0.2, 0.0, 0.2));
    let ball = BodyDesc { shape, position, linear_velocity, ..BodyDesc::default() };
    world.add_body(BodyDesc { gravity_scale: 0.0, ..ball }).expect("a ball");
    let times = (0..100).map(|_| seconds(|| _ = world.step(&settings, DT))).collect();
    let fine = asleep(&world);
    let time = if fine { median(times) } else { Double::NAN };
    at_most(claims, "10 000 asleep, one moves: engine", time, 1e-4);
}

/// A ray after each step into 20 000 boxes that stand, while a hundred fall onto them: what it takes to take
/// up where all is, and to cast it.
fn rays(claims: &mut Claims) {
    let mut world = Simulation::new();
    let cube = Shape::cuboid(1.0, 1.0, 1.0).expect("a cube");
    for i in 0..160_u8 {
        for k in 0..125_u8 {
            let at = Vec3::new(Real::from(i), 0.0, Real::from(k)) * 1.5;
            add(&mut world, BodyKind::Static, cube.clone(), at);
        }
    }
    for i in 0..100_u8 {
        let at = Vec3::new(2.0 * Real::from(i), 2.0 + 0.2 * Real::from(i), 90.0);
        add(&mut world, BodyKind::Dynamic, cube.clone(), at);
    }
    let (mut tree, mut times, mut met) = (QueryTree::default(), Vec::new(), 0);
    for _ in 0..100 {
        world.step(&Settings::default(), DT);
        times.push(seconds(|| {
            tree.update(world.bodies());
            let (origin, direction) = (Vec3::new(50.0, 10.0, 50.0), Vec3::new(1.0, -1.0, 0.5));
            let hit = tree.cast_ray(origin, direction, 100.0, true, |_, _| true);
            met += u32::from(hit.is_some());
        }));
    }
    let time = if met == 100 { median(times) } else { Double::NAN };
    at_most(claims, "a ray a step into 20 000 that stand, 100 move", time, 1e-3);
}

/// Bytes that a body takes, one with a pair and four contacts, and their parts.
fn memory(claims: &mut Claims) {
    let settings = Settings::default();
    // Where lists that double have room for 512 and for 2048, 400 and 1936 leave as much of it unused; that
    // and what the world itself takes fall out.
    let (few, many) = (20_u16, 44_u16);
    let live = |side: u16, gap: Real, contacts: u16| {
        bytes(|| {
            let mut world = field(side, gap);
            for _ in 0..10 {
                world.step(&settings, DT);
            }
            let found = world.report().contacts;
            assert_eq!(found, u32::from(contacts * side * side), "contacts of a box");
            world
        })
    };
    let each = |gap, contacts| {
        let more = live(many, gap, contacts) - live(few, gap, contacts);
        more as Double / Double::from(many * many - few * few)
    };
    let (flying, lying) = (each(100.0, 0), each(0.0, 4));
    let mut report = |what: &str, bytes: Double| {
        claims.add(what, &format!("{bytes:.0} bytes"), "reported", bytes > 0.0);
    };
    report("a box in the air, all that grows with it", flying);
    report("a box on the ground besides: a pair, four contacts", lying - flying);
    let hull = bytes(|| Shape::cuboid(1.0, 1.0, 1.0));
    report("its shape, once for all equal ones", hull as Double);
    let mut report_size = |what: &str, size: usize| report(what, size as Double);
    report_size("a body by itself", size_of::<Body>());
    report_size("a pair by itself, four contacts within", size_of::<Pair>());
    report_size("a contact by itself", size_of::<ActiveContact>());
    report_size("a manifold of the step problem, four contacts", size_of::<Manifold>());
}
