//! Joints: what each kind keeps and leaves free, motors and limits by their exact discrete answers.

mod contradictory;
mod coupled;
mod locked_bodies;
mod loops;
mod motors;
mod ragdoll;
mod refused;
mod table;

use self::motors::wheel;
use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{Joint, JointAxis, JointDesc, JointFrame, JointId, JointKind, Motor};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{
    PI, Quat, Real, SymMat3, Vec3, quat_conjugate, quat_exp, quat_mul, quat_rotate,
};
use orthant_lab::random::Rng;
use orthant_lab::support::{DOUBLE, DT, add, body, change, cuboid, settings};

const G: Real = 9.81;
/// Mass (kg) and moments of inertia [kg·m²] of the bodies here.
const M: Real = 2.0;
const INERTIA: Vec3 = Vec3::new(0.3, 0.5, 0.4);

const KINDS: [JointKind; 9] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Spherical,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Universal,
    JointKind::Planar,
    JointKind::Pivot,
    JointKind::Generic,
];

fn weightless() -> Settings {
    Settings { gravity: Vec3::ZERO, ..settings() }
}

fn with_mass(position: Vec3, rotation: Quat) -> BodyDesc {
    let inertia = SymMat3::diagonal(INERTIA);
    let mass = MassProperties { mass: M, center_of_mass: Vec3::ZERO, inertia };
    BodyDesc { position, rotation, mass_properties: Some(mass), ..BodyDesc::default() }
}

/// A body without a shape.
fn weight(world: &mut Simulation, position: Vec3) -> BodyId {
    world.add_body(with_mass(position, Quat::IDENTITY)).expect("a sound body")
}

/// Joins two ends where they are, with its frame here.
fn join(world: &mut Simulation, desc: JointDesc, point: Vec3, basis: Quat) -> JointId {
    let frames = desc.ends.map(|end| match end {
        None => JointFrame { anchor: point, basis },
        Some(id) => {
            let (body, back) = (body(world, id), quat_conjugate(body(world, id).rotation()));
            let anchor = quat_rotate(back, point - body.position());
            JointFrame { anchor, basis: quat_mul(back, basis) }
        }
    });
    world.add_joint(JointDesc { frames, ..desc }).expect("a sound joint")
}

fn joint(world: &Simulation, id: JointId) -> &Joint {
    world.joint(id).expect("it is there")
}

fn step(world: &mut Simulation, settings: &Settings) {
    let status = world.step(settings, DT).status;
    assert_eq!(status, StepStatus::Solved, "{}", world.report());
}

fn near(what: &str, got: Real, want: Real, tolerance: Real) {
    assert!((got - want).abs() <= tolerance, "{what}: {got} instead of {want} ± {tolerance}");
}

/// The world and two bodies: one hangs on the world, the other on it.
#[test]
fn every_kind_keeps_what_it_locks_and_frees_the_rest() {
    for (number, kind) in KINDS.into_iter().enumerate() {
        let mut rng = Rng::new(number as u64);
        let mut world = Simulation::new();
        let a = world.add_body(with_mass(Vec3::ZERO, rng.rotation())).expect("a sound body");
        let b = world.add_body(with_mass(Vec3::X, rng.rotation())).expect("a sound body");
        let basis = rng.rotation();
        let hung = join(&mut world, JointDesc::to_world(kind, a), Vec3::new(-0.3, 0.2, 0.1), basis);
        let both = JointDesc::between(kind, a, b);
        let basis = rng.rotation();
        let both = join(&mut world, both, Vec3::new(0.6, 0.1, -0.2), basis);
        for id in [a, b] {
            change(&mut world, id).linear_velocity = rng.vector(-1.0, 1.0);
            change(&mut world, id).angular_velocity = rng.vector(-2.0, 2.0);
        }
        let mut moved = [0.0; 6];
        for _ in 0..60 {
            step(&mut world, &settings());
            for id in [hung, both] {
                for axis in JointAxis::ALL {
                    let at = joint(&world, id).position(axis).abs();
                    let k = axis.index();
                    moved[k] = Real::max(moved[k], at);
                    if kind.locked() & 1 << k != 0 {
                        assert!(at < parted(), "{kind:?}: {axis:?} is off by {at}");
                    }
                }
            }
        }
        for (k, moved) in moved.into_iter().enumerate() {
            let free = kind.locked() & 1 << k == 0;
            assert!(!free || moved > 0.05, "{kind:?}: axis {k} moved by {moved} alone");
        }
    }
}

/// How far a step that is told solved leaves a lock from its place, along any axis [m or rad]: ten tolerances
/// along each of three, and rounding of both ends, of up to two meters.
fn parted() -> Real {
    let tolerance = orthant::math::narrow(settings().solver.tolerance);
    10.0 * Real::sqrt(3.0) * tolerance * DT + 16.0 * Real::EPSILON
}

/// How far one in a loop is: it yields by a millionth of its compliance under its load. `compliance` is the
/// largest of a row [1/kg or 1/(kg m²)].
fn yielded(world: &Simulation, compliance: Real) -> Real {
    let loads = world.joints().map(|joint| {
        let (force, torque) = joint.reaction();
        force.length().max(torque.length())
    });
    parted() + 1e-6 * compliance * DT * DT * loads.fold(0.0, Real::max)
}

/// Axis errors are of second order in the step.
#[test]
fn locks_are_off_by_the_square_of_the_step() {
    for kind in KINDS.into_iter().filter(|kind| ![0, 0b11_1111].contains(&kind.locked())) {
        let errors = [1, 4].map(|parts| {
            let dt = DT / parts as Real;
            let mut world = Simulation::new();
            let desc = with_mass(Vec3::ZERO, quat_exp(Vec3::new(0.5, -0.3, 0.8)));
            let id = world.add_body(desc).expect("a sound body");
            let basis = quat_exp(Vec3::new(0.2, 0.4, -0.3));
            let desc = JointDesc::to_world(kind, id);
            join(&mut world, desc, Vec3::new(-0.4, 0.3, 0.0), basis);
            change(&mut world, id).angular_velocity = Vec3::new(2.0, 1.0, -2.0);
            let mut worst: Real = 0.0;
            for _ in 0..60 * parts {
                worst = worst.max(world.step(&settings(), dt).joint_error);
            }
            worst
        });
        let noise = if DOUBLE { 1e-9 } else { 3e-6 };
        let bound = errors[0] / 9.0 + noise;
        assert!(errors[1] < bound, "{kind:?}: {errors:?}");
    }
}

/// Frames at rest: force and torque on the body are those of statics.
#[test]
fn reactions_are_those_of_statics() {
    let hold = |kind, basis: Quat, arm: Vec3, ends: [usize; 2]| {
        let mut world = Simulation::new();
        let id = weight(&mut world, arm);
        let fixed = add(&mut world, BodyKind::Static, cuboid(0.1, 0.1, 0.1), Vec3::ZERO);
        let all = [Some(id), None, Some(fixed)];
        let desc = JointDesc::new(kind, ends.map(|end| all[end]));
        let joint_id = join(&mut world, desc, Vec3::ZERO, basis);
        for _ in 0..30 {
            step(&mut world, &settings());
        }
        let (force, torque) = joint(&world, joint_id).reaction();
        let sign = if ends[1] == 0 { 1.0 } else { -1.0 };
        let pull = Vec3::new(0.0, M * G, 0.0);
        let close = |what, got: Vec3, want: Vec3| {
            let size = M * G * arm.length().max(0.1);
            let error = (got * sign - want).length();
            assert!(error < 1e-4 * size, "{kind:?}, {what}: {got}, not {want}");
        };
        close("force", force, pull);
        close("torque", torque, arm.cross(pull));
    };
    let upright = JointFrame::along(Vec3::ZERO, Vec3::Y).basis;
    let arm = Vec3::new(0.7, 0.0, 0.4);
    for ends in [[1, 0], [0, 1], [2, 0], [0, 2]] {
        hold(JointKind::Fixed, Quat::IDENTITY, arm, ends);
        hold(JointKind::Revolute, upright, arm, ends);
        hold(JointKind::Prismatic, Quat::IDENTITY, arm, ends);
        hold(JointKind::Planar, upright, arm, ends);
        hold(JointKind::Cylindrical, Quat::IDENTITY, Vec3::ZERO, ends);
        hold(JointKind::Spherical, Quat::IDENTITY, -Vec3::Y, ends);
        hold(JointKind::Universal, Quat::IDENTITY, -Vec3::Y, ends);
        hold(JointKind::Pivot, Quat::IDENTITY, -Vec3::Y, ends);
        hold(JointKind::Distance { min: 1.0, max: 1.0 }, Quat::IDENTITY, -Vec3::Y, ends);
        hold(JointKind::Distance { min: 0.0, max: 1.0 }, Quat::IDENTITY, -Vec3::Y, ends);
    }
}

/// A pendulum that meets a stop goes on from there, as one that is let go there does.
#[test]
fn limits_add_no_energy() {
    let mut world = Simulation::new();
    let id = weight(&mut world, Vec3::new(1.0, 0.0, 0.0));
    let desc = JointDesc::to_world(JointKind::Revolute, id);
    // Its x axis is that of the world's z.
    let desc = desc.with_limit(JointAxis::AngularX, -2.0, 0.1);
    let basis = JointFrame::along(Vec3::ZERO, Vec3::Z).basis;
    let hinge = join(&mut world, desc, Vec3::ZERO, basis);
    let energy = |world: &Simulation| {
        let body = body(world, id);
        body.kinetic_energy() + M * G * body.position().y
    };
    let rest = M * G * orthant::math::sin(-2.0);
    let mut stopped = 0;
    let mut highest = Real::NEG_INFINITY;
    for i in 0..600 {
        step(&mut world, &settings());
        let at = joint(&world, hinge).position(JointAxis::AngularX);
        assert!(at > -2.0 - 2e-3 && at < 0.1 + 2e-3, "step {i}: {at} rad");
        stopped += u32::from(stopped > 0 || at < -2.0 + 1e-3);
        if stopped > 2 {
            highest = highest.max(energy(&world));
        }
    }
    assert!(stopped > 300, "it met the stop");
    near("highest energy after the stop", highest, rest, 5e-3 * M * G);
}

/// A limit that starts far beyond is taken back slowly, and what is carried on is rest.
#[test]
fn a_limit_spawned_beyond_is_no_catapult() {
    let (mut world, id) = wheel(|desc| desc.with_limit(JointAxis::AngularX, 1.0, 2.0));
    let push = settings().contact.push_speed_max;
    for _ in 0..120 {
        step(&mut world, &weightless());
        let speed = joint(&world, id).velocity(JointAxis::AngularX).abs();
        assert!(speed < 1e-3, "carried at {speed} rad/s, pushed at up to {push}");
    }
    near("taken back", joint(&world, id).position(JointAxis::AngularX), 1.0, 1e-3);
}

/// How far beyond its limits a joint may be (rad): what is not taken back, and what a step that is solved to
/// the tolerance leaves.
fn beyond_limits() -> Real {
    let (contact, solver) = (settings().contact, settings().solver);
    contact.dead_zone * DT * DT + orthant::math::narrow(solver.tolerance) * DT
}

#[test]
fn a_ball_joint_stays_in_its_cone() {
    let mut world = Simulation::new();
    let id = weight(&mut world, Vec3::new(0.0, -1.0, 0.0));
    let desc = JointDesc::to_world(JointKind::Spherical, id).with_swing(0.6);
    let desc = desc.with_limit(JointAxis::AngularX, -0.3, 0.5);
    let basis = JointFrame::along(Vec3::ZERO, Vec3::NEG_Y).basis;
    let ball = join(&mut world, desc, Vec3::ZERO, basis);
    change(&mut world, id).linear_velocity = Vec3::new(4.0, 0.0, 1.0);
    change(&mut world, id).angular_velocity = Vec3::new(0.0, -3.0, 4.0);
    let (mut widest, mut twisted): (Real, Real) = (0.0, 0.0);
    let zone = beyond_limits();
    for i in 0..300 {
        step(&mut world, &settings());
        let at = |axis| joint(&world, ball).position(axis);
        let swing = at(JointAxis::AngularY).hypot(at(JointAxis::AngularZ));
        let twist = at(JointAxis::AngularX);
        (widest, twisted) = (widest.max(swing), twisted.max(twist.abs()));
        assert!(swing < 0.6 + zone, "step {i}: swing {swing}");
        assert!(twist > -0.3 - zone && twist < 0.5 + zone, "step {i}: twist {twist}");
    }
    assert!(widest > 0.58 && twisted > 0.28, "both were met: {widest}, {twisted}");
}

#[test]
fn a_ball_joint_is_driven_to_an_orientation() {
    let mut world = Simulation::new();
    let id = weight(&mut world, Vec3::ZERO);
    let target = Vec3::new(0.8, -1.1, 1.4);
    let mut desc = JointDesc::to_world(JointKind::Spherical, id);
    for axis in [JointAxis::AngularX, JointAxis::AngularY, JointAxis::AngularZ] {
        let motor = Motor::spring(target[axis.index() - 3], 40.0, 8.0);
        desc = desc.with_motor(axis, motor);
    }
    join(&mut world, desc, Vec3::ZERO, Quat::IDENTITY);
    for _ in 0..180 {
        step(&mut world, &settings());
    }
    let turned = quat_mul(body(&world, id).rotation(), quat_conjugate(quat_exp(target)));
    let off = Vec3::new(turned.x, turned.y, turned.z).length();
    assert!(off < 1e-3, "off by {off}");
}

#[test]
fn a_rope_is_slack_until_it_is_not() {
    let mut world = Simulation::new();
    let id = weight(&mut world, Vec3::ZERO);
    let desc = JointDesc::to_world(JointKind::Distance { min: 0.0, max: 1.0 }, id);
    let rope = world.add_joint(desc).expect("a sound joint");
    let fall = |n: Real| G * DT * DT * n * n / 2.0;
    for n in 1..=25 {
        step(&mut world, &settings());
        let y = body(&world, id).position().y;
        near("it falls freely", y, -fall(n as Real), 1e-5);
        assert_eq!(joint(&world, rope).reaction().0, Vec3::ZERO, "slack");
    }
    for _ in 0..60 {
        step(&mut world, &settings());
        assert!(body(&world, id).position().y > -1.0 - 1e-3, "it holds");
    }
    near("length", joint(&world, rope).position(JointAxis::LinearX), 1.0, 1e-3);
    near("taut", joint(&world, rope).reaction().0.y, M * G, 1e-3 * M * G);
}

#[test]
fn joints_break_under_more_than_they_bear() {
    for (strength, holds) in [(1.1, true), (0.9, false)] {
        let mut world = Simulation::new();
        let id = weight(&mut world, Vec3::NEG_Y);
        let desc = JointDesc::to_world(JointKind::Fixed, id);
        let desc = desc.with_strength(strength * M * G, Real::INFINITY);
        let id = join(&mut world, desc, Vec3::ZERO, Quat::IDENTITY);
        step(&mut world, &settings());
        assert_eq!(world.report().broken.is_empty(), holds, "at {strength} of the weight");
        step(&mut world, &settings());
        assert!(world.report().broken.is_empty(), "it breaks once");
        assert_eq!(joint(&world, id).is_enabled(), holds, "and holds no more");
        assert_eq!(world.report().joints, u32::from(holds), "nor has it rows");
        if !holds {
            assert_eq!(joint(&world, id).reaction().0, Vec3::ZERO, "nor a reaction");
            assert!(world.set_joint_enabled(id, true), "it can be mended");
            step(&mut world, &settings());
            assert_eq!(world.report().broken, [id], "and breaks again");
        }
    }
    // By its torque.
    let mut world = Simulation::new();
    let id = weight(&mut world, Vec3::X);
    let desc = JointDesc::to_world(JointKind::Fixed, id).with_strength(1e9, 0.9 * M * G);
    let id = join(&mut world, desc, Vec3::ZERO, Quat::IDENTITY);
    step(&mut world, &settings());
    assert_eq!(world.report().broken, [id], "a long arm");
}

/// A generic joint locked by its limits moves like the kind of the same locks.
#[test]
fn a_generic_joint_locked_like_a_hinge_is_one() {
    let play = |kind| {
        let mut world = Simulation::new();
        let id = weight(&mut world, Vec3::new(1.0, 0.2, 0.0));
        let mut desc = JointDesc::to_world(kind, id);
        if kind == JointKind::Generic {
            for axis in JointAxis::ALL.into_iter().filter(|axis| *axis != JointAxis::AngularX) {
                desc = desc.with_limit(axis, 0.0, 0.0);
            }
        }
        let basis = JointFrame::along(Vec3::ZERO, Vec3::new(0.3, 0.1, 1.0)).basis;
        let desc = desc.with_motor(JointAxis::AngularX, Motor::spring(1.0, 5.0, 0.5));
        let id = join(&mut world, desc, Vec3::ZERO, basis);
        for _ in 0..120 {
            step(&mut world, &settings());
        }
        joint(&world, id).position(JointAxis::AngularX)
    };
    let (hinge, generic) = (play(JointKind::Revolute), play(JointKind::Generic));
    near("angle", generic, hinge, 1e-3);
}

/// Joints made in another order give the same motion to the solver's tolerance.
#[test]
fn the_order_of_joints_does_not_matter() {
    let play = |reversed: bool| {
        let mut world = Simulation::new();
        let ids = [0, 1, 2].map(|i| weight(&mut world, Vec3::X * (i as Real + 1.0)));
        let ends =
            [[None, Some(ids[0])], [Some(ids[0]), Some(ids[1])], [Some(ids[1]), Some(ids[2])]];
        let mut links: Vec<_> = (0..3).collect();
        if reversed {
            links.reverse();
        }
        for i in links {
            let desc = JointDesc::new(JointKind::Revolute, ends[i]);
            let desc = desc.with_friction(JointAxis::AngularX, 0.5);
            let desc = desc.with_limit(JointAxis::AngularX, -0.9, 0.9);
            let basis = JointFrame::along(Vec3::ZERO, Vec3::Z).basis;
            join(&mut world, desc, Vec3::X * (i as Real + 0.5), basis);
        }
        for _ in 0..60 {
            step(&mut world, &settings());
        }
        ids.map(|id| body(&world, id).position())
    };
    let (one, two) = (play(false), play(true));
    for (one, two) in one.into_iter().zip(two) {
        assert!((one - two).length() < 2e-4, "{one} and {two}");
    }
}

#[test]
fn a_changed_joint_wakes_what_it_joins() {
    let mut drowsy = settings();
    drowsy.sleep.enabled = true;
    let mut world = Simulation::new();
    let id = weight(&mut world, Vec3::NEG_Y);
    let hook = JointDesc::to_world(JointKind::Fixed, id);
    let hook = join(&mut world, hook, Vec3::ZERO, Quat::IDENTITY);
    for _ in 0..120 {
        step(&mut world, &drowsy);
    }
    assert!(body(&world, id).is_sleeping(), "the world carries it");
    let reaction = joint(&world, hook).reaction().0;
    near("it still hangs", reaction.y, M * G, 1e-3 * M * G);
    let desc = *joint(&world, hook).desc();
    world.set_joint(hook, desc.with_strength(1e3, 1e3)).expect("a sound joint");
    step(&mut world, &drowsy);
    assert!(!body(&world, id).is_sleeping(), "a change wakes it");
    for _ in 0..120 {
        step(&mut world, &drowsy);
    }
    assert!(world.set_joint_enabled(hook, false), "it is there");
    step(&mut world, &drowsy);
    assert!(body(&world, id).linear_velocity.y < 0.0, "it falls");
}
