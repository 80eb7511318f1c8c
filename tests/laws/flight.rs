//! Free flight and free rotation against closed forms and a fine reference.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId};
use orthant::engine::lcp::Method;
use orthant::engine::settings::{Integration, Settings};
use orthant::math::{
    DVec3, Double, Quat, Real, Vec3, quat_conjugate, quat_rotate, widen, widen_quat, widen3,
};
use orthant_lab::random::Rng;
use orthant_lab::support::reference::{angle, free_rotation, orders, rounding_of_rotation};
use orthant_lab::support::{DOUBLE, DT, add_floor, body, change, cuboid, settings};

const METHODS: [Method; 5] =
    [Method::Auto, Method::Newton, Method::Pgs, Method::Substeps, Method::Lemke];

fn flying(world: &mut Simulation, position: Vec3, linear_velocity: Vec3) -> BodyId {
    let shape = Some(cuboid(0.2, 0.3, 0.4));
    let desc = BodyDesc { shape, position, linear_velocity, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

/// Whatever solves the rest of the world, a thrown body is where Galilei says: alone, beside a neighbor
/// that it might touch, and in an island with another that stands.
#[test]
fn a_thrown_body_follows_its_parabola_in_every_method() {
    for method in METHODS {
        let mut settings = settings();
        settings.solver.method = method;
        let mut world = Simulation::new();
        add_floor(&mut world);
        let throw = Vec3::new(1.0, 4.0, 0.5);
        let start = Vec3::new(0.0, 10.0, 0.0);
        let one = flying(&mut world, start, throw);
        let side = flying(&mut world, start + Vec3::Z * 0.402, throw);
        // Both under a steady push as well.
        let push = Vec3::new(0.3, -0.2, 0.1);
        for _ in 0..60 {
            for id in [one, side] {
                let mass = body(&world, id).mass();
                change(&mut world, id).apply_force(push * mass);
            }
            world.step(&settings, DT);
        }
        let time = 60.0 * DT;
        let gain = settings.gravity + push;
        for (id, from) in [(one, start), (side, start + Vec3::Z * 0.402)] {
            let there = from + throw * time + gain * (0.5 * time * time);
            let apart = (body(&world, id).center() - there).length();
            // Rounding of places of 10 m in sixty steps.
            let bar = if DOUBLE { 1e-12 } else { 60.0 * 1e-6 };
            assert!(apart < bar, "{method:?}: {apart} m");
            let speed = (body(&world, id).linear_velocity - throw - gain * time).length();
            assert!(speed < bar, "{method:?}: {speed} m/s");
        }
    }
}

/// Far from the origin a step of a slow body is less than the rounding of its place; it arrives all the same.
#[test]
fn a_slow_body_far_away_moves_at_its_speed() {
    let mut world = Simulation::new();
    let velocity = Vec3::new(1e-4, -2e-4, 3e-4);
    let start = Vec3::new(1000.0, -2000.0, 500.0);
    let id = flying(&mut world, start, velocity);
    let settings = Settings { gravity: Vec3::ZERO, ..settings() };
    for _ in 0..6000 {
        world.step(&settings, DT);
    }
    let way = body(&world, id).center() - start;
    let apart = (way - velocity * (6000.0 * DT)).length();
    // The place is told to half a rounding of each coordinate, of 2000 m at most.
    assert!(apart <= 2000.0 * orthant::math::EPSILON, "{apart} m off");
}

/// The papers' step is Euler's: `g h t / 2` too far.
#[test]
fn the_papers_fall_with_euler() {
    let mut settings = Settings::papers(1.0, 0.5, 0.1, 0.1, 0.1, 4);
    assert_eq!(settings.solver.integration, Integration::Euler, "the papers' step");
    settings.contact.active = orthant::engine::settings::ActiveEvents::Clipped;
    let mut world = Simulation::new();
    let id = flying(&mut world, Vec3::ZERO, Vec3::ZERO);
    for _ in 0..60 {
        world.step(&settings, DT);
    }
    let fallen = -9.81 * DT * DT * 60.0 * 61.0 / 2.0;
    assert!((body(&world, id).center().y - fallen).abs() < if DOUBLE { 1e-12 } else { 1e-4 });
}

/// A body that just misses a step of another is not stopped by it, and one that brakes before a ceiling
/// does not end inside it.
#[test]
fn flight_ends_where_a_row_begins() {
    let settings = settings();
    let mut rng = Rng::new(3);
    for _ in 0..200 {
        let mut world = Simulation::new();
        let desc = BodyDesc {
            kind: orthant::engine::body::BodyKind::Static,
            shape: Some(cuboid(4.0, 1.0, 4.0)),
            position: Vec3::Y * 2.5,
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a sound body");
        let start = Vec3::Y * rng.range(0.5, 1.5);
        flying(&mut world, start, Vec3::Y * rng.range(0.5, 6.0));
        for _ in 0..60 {
            let overlap = world.step(&settings, DT).overlap;
            assert!(overlap < 1e-5, "{overlap} m into the ceiling");
        }
    }
}

/// Direction and size of the angular momentum and the energy of a free body, as parts of their sizes.
fn drifts(world: &Simulation, id: BodyId, momentum: DVec3, energy: Double) -> [Double; 2] {
    let body = body(world, id);
    let now = spin(world, id);
    let energy = (widen(body.kinetic_energy()) - energy).abs() / energy;
    [(now - momentum).length() / momentum.length(), energy]
}

/// Angular momentum about the center.
fn spin(world: &Simulation, id: BodyId) -> DVec3 {
    let body = body(world, id);
    let inside = quat_rotate(quat_conjugate(body.rotation()), body.angular_velocity);
    widen3(quat_rotate(body.rotation(), body.inertia().mul_vec(inside)))
}

fn tumbling(world: &mut Simulation, angular_velocity: Vec3) -> BodyId {
    let desc = BodyDesc {
        shape: Some(cuboid(1.0, 0.6, 0.3)),
        angular_velocity,
        gravity_scale: 0.0,
        rotation: orthant::math::quat_exp(Vec3::new(0.3, 0.2, 0.1)),
        ..BodyDesc::default()
    };
    world.add_body(desc).expect("a sound body")
}

/// Sixty seconds of tumbling about the middle axis.
#[test]
fn a_free_body_keeps_angular_momentum_and_energy() {
    for speed in [1.0, 10.0, 60.0] {
        let mut world = Simulation::new();
        let id = tumbling(&mut world, Vec3::new(0.01, 1.0, 0.02) * speed);
        let (momentum, energy) = (spin(&world, id), widen(body(&world, id).kinetic_energy()));
        for _ in 0..3600 {
            world.step(&settings(), DT);
        }
        let bar = if DOUBLE { 1e-10 } else { 1e-5 };
        let [turned, gained] = drifts(&world, id, momentum, energy);
        assert!(turned < bar && gained < bar, "{speed} rad/s: {turned} {gained}");
    }
}

/// A torque that goes on, about a principal axis: `ω = τ t / I`, an angle of `τ t² / 2 I`.
#[test]
fn a_torque_turns_by_its_closed_form() {
    let mut world = Simulation::new();
    let id = tumbling(&mut world, Vec3::ZERO);
    change(&mut world, id).set_pose(Vec3::ZERO, Quat::IDENTITY);
    let inertia = body(&world, id).inertia().zz;
    for _ in 0..60 {
        change(&mut world, id).apply_torque(Vec3::Z * inertia);
        world.step(&settings(), DT);
    }
    let body = body(&world, id);
    let x = quat_rotate(body.rotation(), Vec3::X);
    let angle = orthant::math::atan2(x.y, x.x);
    let bar = if DOUBLE { 1e-12 } else { 1e-5 };
    assert!((body.angular_velocity.z - 1.0).abs() < bar, "{}", body.angular_velocity.z);
    assert!((angle - 0.5).abs() < bar, "{angle}");
}

/// The orientation after a second converges with the square of the step, wherever it is off by more than
/// rounding, of a body that tumbles about no axis in particular: about the middle one every rounding grows.
#[test]
fn orientation_is_of_second_order() {
    let spin = Vec3::new(9.0, -3.0, 2.0);
    let rates: [u16; 4] = [60, 120, 240, 480];
    let errors = rates.map(|hertz| {
        let mut world = Simulation::new();
        let desc = BodyDesc {
            shape: Some(cuboid(3.0, 1.0, 2.0)),
            angular_velocity: spin,
            gravity_scale: 0.0,
            ..BodyDesc::default()
        };
        let id = world.add_body(desc).expect("a sound body");
        for _ in 0..hertz {
            world.step(&settings(), 1.0 / Real::from(hertz));
        }
        let body = body(&world, id);
        let inertia = body.inertia();
        let axes = widen3(Vec3::new(inertia.xx, inertia.yy, inertia.zz));
        angle(widen_quat(body.rotation()), free_rotation(axes, widen3(spin), 1.0))
    });
    let rounding =
        rates.map(|hertz| rounding_of_rotation(usize::from(hertz), widen3(spin).length()));
    let orders = orders(&errors, &rounding);
    println!("errors {errors:?}, orders {orders:?}");
    assert!(!orders.is_empty(), "above rounding: {errors:?}, {rounding:?}");
    assert!(orders.iter().all(|order| *order >= 1.9), "orders {orders:?}: {errors:?}");
}
