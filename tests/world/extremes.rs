//! Numbers that are finite and absurd: a step returns, and what does not touch them is as without them.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyError, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Layers};
use orthant::engine::joint::{JointAxis, JointDesc, JointKind};
use orthant::engine::lcp::{Cone, Method};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Quat, Real, Vec3, widen};
use orthant_lab::random::Rng;
use orthant_lab::support::{DT, add, body, cuboid, fingerprint, floor, heap, sphere};

const METHODS: [Method; 5] =
    [Method::Auto, Method::Newton, Method::Substeps, Method::Pgs, Method::Lemke];
const STEPS: usize = 3;
/// Much longer than the steps take (s); what is here by then does not return.
const PATIENCE: u64 = 60;

/// Steps a world far from it a heap of three cubes and a ball on a floor; the positions of that heap. None
/// if a step panics or does not return.
fn play(method: Method, absurd: impl Fn(&mut Simulation) + Send + 'static) -> Option<Vec<Vec3>> {
    let (send, receive) = mpsc::channel();
    let work = move || {
        let mut world = floor();
        // A body meets its own floor and itself: what is thrown about would touch it.
        let layers = Layers { memberships: 2, filters: 2 };
        let colliders = |shape| vec![Collider { layers, ..Collider::new(shape) }];
        let half_space = Shape::half_space(Vec3::Y).expect("a direction");
        let (kind, ground) = (BodyKind::Static, colliders(half_space));
        let ground = BodyDesc { kind, colliders: ground, ..BodyDesc::default() };
        world.add_body(ground).expect("a floor");
        let heap: Vec<BodyId> = (0..4_u8)
            .map(|i| {
                let shape = if i == 3 { sphere(0.3) } else { cuboid(0.5, 0.5, 0.5) };
                let desc = BodyDesc {
                    colliders: colliders(shape),
                    position: Vec3::new(0.1 * Real::from(i), 0.25 + 0.5 * Real::from(i), 0.0),
                    ..BodyDesc::default()
                };
                world.add_body(desc).expect("a cube or ball")
            })
            .collect();
        absurd(&mut world);
        let mut settings = Settings::default();
        settings.solver.method = method;
        for _ in 0..STEPS {
            world.step(&settings, DT);
        }
        let found = heap.iter().map(|&id| body(&world, id).center()).collect();
        // Nobody listens any more if it took too long.
        let _ = send.send(found);
    };
    let _ = thread::spawn(work);
    receive.recv_timeout(Duration::from_secs(PATIENCE)).ok()
}

fn untouched(what: &str, absurd: impl Fn(&mut Simulation) + Copy + Send + 'static) {
    for method in METHODS {
        let with = play(method, absurd);
        let without = play(method, |_| {});
        assert!(with.is_some(), "{what}, {method:?}: a step panics or does not return");
        assert_eq!(with, without, "{what}, {method:?}: the heap far from it");
    }
}

/// Cubes on the floor, sliding, turning and thrown on each other.
fn rough(world: &mut Simulation, friction: Real) {
    let mut rng = Rng::new(5);
    for i in 0..8_u8 {
        let desc = BodyDesc {
            shape: Some(cuboid(0.5, 0.4, 0.6)),
            friction,
            position: Vec3::new(20.0 + 0.3 * Real::from(i % 3), 0.4 + 0.5 * Real::from(i), 0.0),
            rotation: rng.rotation(),
            linear_velocity: rng.vector(-3.0, 3.0) - Vec3::Y,
            angular_velocity: rng.vector(-5.0, 5.0),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a cube");
    }
}

/// Two cubes that are thrown on the floor, and a joint between them with an anchor that is far away.
fn far(world: &mut Simulation, seed: u64, kind: JointKind, anchor: Real, friction: Real) {
    let mut rng = Rng::new(seed);
    let ids = [0.0, 1.0].map(|i| {
        let desc = BodyDesc {
            shape: Some(cuboid(0.5, 0.4, 0.6)),
            friction,
            position: Vec3::new(20.0 + 0.3 * i, 0.2 + 0.4 * i, 0.0),
            linear_velocity: rng.vector(-3.0, 3.0) - Vec3::Y,
            angular_velocity: rng.vector(-5.0, 5.0),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a cube")
    });
    let anchor = rng.vector(-1.0, 1.0) * anchor;
    let desc = JointDesc::between(kind, ids[0], ids[1]);
    world.add_joint(desc.with_anchors(anchor, Vec3::X * 0.3)).expect("finite anchors");
}

/// With a coefficient of 1e9 and more the slope along a step of Newton's method was no number, nor were the
/// ends of the interval in which the next one was looked for: `clamp` panicked between them, or the search
/// went on for good. A slope that is no number ends the search now, and coefficients have a range.
#[test]
fn huge_friction_is_borne() {
    for (friction, name) in [(1e3, "1e3"), (1e6, "largest")] {
        untouched(name, move |world| rough(world, friction));
    }
}

/// The arm of an anchor beyond 1.8e19 m has a square that single precision does not hold: how far its arc
/// leaves the tangent was no number, nor the largest speed at which the joint is closed: `clamp` panicked in
/// its rows. `max` and `min` apply that speed now, no number counts as nothing, and anchors have a range.
#[test]
fn anchors_far_away_are_borne() {
    let (ball, slider) = (JointKind::Spherical, JointKind::Prismatic);
    untouched("ball, 3 km", move |world| far(world, 0, ball, 3e3, 0.5));
    untouched("slider, 3 km", move |world| far(world, 0, slider, 3e3, 0.5));
    untouched("slider, 1000 km, friction", move |world| far(world, 0, slider, 1e6, 1e6));
    untouched("slider, 1000 km", move |world| far(world, 6, slider, 1e6, 0.5));
    untouched("fixed, 1000 km", move |world| far(world, 0, JointKind::Fixed, 1e6, 0.5));
}

/// What numbers are refused for, told with their names and ranges, and nothing is made of them.
#[test]
fn what_is_out_of_range_is_refused() {
    let mut world = floor();
    let cube = |desc: BodyDesc| BodyDesc { shape: Some(cuboid(1.0, 1.0, 1.0)), ..desc };
    let with = |f: fn(&mut BodyDesc)| {
        let mut desc = cube(BodyDesc::default());
        f(&mut desc);
        desc
    };
    let place = |position| vec![Collider { position, ..Collider::new(sphere(1.0)) }];
    let far = BodyDesc { colliders: place(Vec3::X * 3e38), ..BodyDesc::default() };
    let bodies = [
        (with(|d| d.position.x = 1e13), "position must be from -1e12 to 1e12 m, got 1e13"),
        (with(|d| d.linear_velocity.y = -1e10), "linear velocity must be from -1e9 to 1e9 m/s, "),
        (with(|d| d.angular_velocity.z = 1e10), "angular velocity must be from -1e9 to 1e9 rad/s"),
        (with(|d| d.friction = 1e9), "friction must be from -1e6 to 1e6, got 1e9"),
        (with(|d| d.gravity_scale = 1e7), "gravity scale must be from -1e6 to 1e6, got 1e7"),
        (with(|d| d.linear_damping = 1e7), "linear damping must be from -1e6 to 1e6 1/s, got 1e7"),
        (with(|d| d.density = 1e30), "mass must be from 1e-20 to 1e25 kg, got 1e30"),
        (with(|d| d.density = 1e-30), "mass must be from 1e-20 to 1e25 kg, got 1e-30"),
        (far, "position of a collider must be from -1e6 to 1e6 m, got 3e38"),
        (with(|d| d.position.x = Real::NAN), "position is NaN or infinite"),
    ];
    for (desc, text) in bodies {
        let told = world.add_body(desc).expect_err(text).to_string();
        assert!(told.starts_with(text), "{told}");
    }
    let [a, b] = [0.0, 2.0]
        .map(|x| with_position(cube(BodyDesc::default()), x))
        .map(|desc| world.add_body(desc));
    let (a, b) = (a.expect("a cube"), b.expect("another"));
    let ball = JointDesc::between(JointKind::Spherical, a, b);
    let rope = JointKind::Distance { min: 0.0, max: 1e13 };
    let axis = JointAxis::AngularX;
    let joints = [
        (ball.with_anchors(Vec3::X * 1.9e19, Vec3::ZERO), "anchor must be from -1e6 to 1e6 m, got"),
        (JointDesc::between(rope, a, b), "largest distance must be from -1e12 to 1e12 m, got 1e13"),
        (ball.with_friction(axis, 1e31), "friction of an axis must be from 0 to 1e30 N, N m, N/m"),
        (ball.with_strength(1e31, 1.0), "break force must be from 0 to 1e30 N, N m, N/m, …, got"),
    ];
    for (desc, text) in joints {
        let told = world.add_joint(desc).expect_err(text).to_string();
        assert!(told.starts_with(text), "{told}");
    }
    assert_eq!((world.bodies().len(), world.joints().count()), (3, 0), "nothing was made of them");
}

fn with_position(desc: BodyDesc, x: Real) -> BodyDesc {
    BodyDesc { position: Vec3::X * x, ..desc }
}

/// A collider so far out that the center of mass of its body was infinite, also where the body would have
/// been frozen, at its last good pose: such places are refused, and the body stays as it was.
#[test]
fn no_last_good_pose_is_infinite() {
    let mut world = floor();
    let shape = Some(cuboid(1.0, 1.0, 1.0));
    let id = world.add_body(BodyDesc { shape, ..BodyDesc::default() }).expect("a cube");
    let before = (body(&world, id).position(), body(&world, id).mass());
    let collider = Collider { position: Vec3::X * 3e38, ..Collider::new(sphere(1.0)) };
    let properties = collider.mass_properties(1.0);
    let target = world.body_mut(id).expect("it is there");
    let refused = target.set_colliders(vec![collider], BodyKind::Dynamic, properties);
    assert!(matches!(refused, Err(BodyError::Range(_))), "{refused:?}");
    world.step(&Settings::default(), DT);
    let after = body(&world, id);
    assert_eq!((before.0.x, before.1), (after.position().x, after.mass()), "as it was");
    assert_eq!(world.report().quarantined, [], "and nothing is broken");
}

/// Steps that are out of range are refused, those at its ends are made.
#[test]
fn lengths_of_steps_have_a_range() {
    for (dt, made) in [
        (0.0, false),
        (-DT, false),
        (Real::NAN, false),
        (Real::INFINITY, false),
        (1e-30, false),
        (1e3, false),
        (1e-9, true),
        (10.0, true),
    ] {
        let mut world = floor();
        let shape = Some(cuboid(1.0, 1.0, 1.0));
        let position = Vec3::Y * 0.5;
        let id = world.add_body(BodyDesc { shape, position, ..BodyDesc::default() });
        let id = id.expect("a cube");
        for _ in 0..3 {
            let status = world.step(&Settings::default(), dt).status;
            assert_eq!(status != StepStatus::Refused, made, "{dt} s");
        }
        // At rest on the floor: of any length a step leaves it there.
        let off = (body(&world, id).position() - position).length();
        assert!(off < 1e-3, "{dt} s: {off} m");
    }
}

/// A tower, a ball beside it that falls and two cubes on a rod, so far out.
fn far_out(world: &mut Simulation, far: Real) -> Vec<BodyId> {
    let at = |x: Real, y: Real| Vec3::new(far + x, y, -far);
    let cube = |world: &mut Simulation, x, y| {
        add(world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at(x, y))
    };
    let mut ids: Vec<BodyId> = [0.5, 1.5, 2.5].into_iter().map(|y| cube(world, 0.0, y)).collect();
    ids.push(add(world, BodyKind::Dynamic, sphere(0.5), at(4.0, 2.0)));
    let joined = [8.0, 10.0].map(|x| cube(world, x, 0.5));
    world.add_joint(JointDesc::rod(joined[0], joined[1], 2.0)).expect("two cubes");
    ids.extend(joined);
    ids
}

/// A thousand kilometres out numbers of single precision are a sixteenth of a metre apart. Bodies stand, fall
/// and are joined as at the origin: places enter as differences, and what rounding takes is kept. Corners
/// that were compared as points of the floor, whose center is so far away, counted as one: cubes stood on one
/// of four, tilted and sank into the floor.
#[test]
fn regression_bodies_a_thousand_kilometres_out_are_borne() {
    untouched("1000 km", |world| _ = far_out(world, 1e6));
    for method in METHODS {
        let [near, far] = [0.0, 1e6].map(|far| {
            let mut world = floor();
            let ids = far_out(&mut world, far);
            let mut settings = Settings::default();
            settings.solver.method = method;
            (0..120).for_each(|_| _ = world.step(&settings, DT));
            assert_eq!(world.report().quarantined, [], "{method:?}: nothing is broken");
            ids.into_iter()
                .map(|id| body(&world, id).center() - Vec3::new(far, 0.0, -far))
                .collect()
        });
        let (near, far): (Vec<Vec3>, Vec<Vec3>) = (near, far);
        for (k, (near, far)) in near.iter().zip(&far).enumerate() {
            let off = (*near - *far).abs();
            // One of those numbers beside, and heights as exactly as ever.
            let beside = (1e6 * Real::EPSILON).max(1e-3);
            assert!(off.x.max(off.z) <= beside && off.y < 1e-3, "{method:?}, body {k}: {off}");
        }
    }
}

/// Steps of no length and back in time are refused and leave a heap with joints as it is, to the last bit;
/// steps of a nanosecond move next to nothing; steps of ten seconds end, with nothing broken or thrown away.
#[test]
fn a_heap_with_joints_bears_steps_of_any_length() {
    let settings = Settings::default();
    let (mut world, ids) = heap(24);
    (0..40).for_each(|_| _ = world.step(&settings, DT));
    assert!(world.report().contacts > 20 && world.joints().count() == 3, "{}", world.report());
    let before = fingerprint(&world);
    let mut plain = world.clone();
    for dt in [0.0, -0.0, -DT, -1e-9, -10.0] {
        assert_eq!(world.step(&settings, dt).status, StepStatus::Refused, "{dt} s");
        assert_eq!(fingerprint(&world), before, "{dt} s: as it was");
    }
    for step in 0..3 {
        for world in [&mut world, &mut plain] {
            world.step(&settings, DT);
        }
        assert_eq!(fingerprint(&world), fingerprint(&plain), "step {step}: and goes on so");
    }
    let places =
        |world: &Simulation| ids.iter().map(|&id| body(world, id).center()).collect::<Vec<_>>();
    let energy =
        |world: &Simulation| world.bodies().iter().map(|b| b.kinetic_energy()).sum::<Real>();
    let (from, energy_from) = (places(&world), energy(&world));
    for _ in 0..100 {
        assert_ne!(world.step(&settings, 1e-9).status, StepStatus::Refused, "a nanosecond");
    }
    let moved =
        places(&world).iter().zip(&from).map(|(a, b)| (*a - *b).length()).fold(0.0, Real::max);
    // A speed of some metres a second for a hundred nanoseconds.
    assert!(moved < 2e-6, "{moved} m in a hundred nanoseconds");
    let height = |b: &Body| b.mass() * 9.81 * b.center().y.max(0.0);
    let most = energy_from + world.bodies().iter().map(height).sum::<Real>();
    let push = settings.contact.push_speed_max;
    for step in 1..=12_u8 {
        assert_ne!(world.step(&settings, 10.0).status, StepStatus::Refused, "ten seconds");
        assert_eq!(world.report().quarantined, [], "step {step}: nothing is broken");
        let far = places(&world).iter().map(|x| x.length()).fold(0.0, Real::max);
        // What pushes is no faster than it may be, and what flew came from some metres.
        assert!(far <= 10.0 * push * Real::from(step) + 10.0, "step {step}: {far} m out");
        assert!(energy(&world) <= most, "step {step}: {} J of {most} J", energy(&world));
    }
    (0..600).for_each(|_| _ = world.step(&settings, DT));
    let low = places(&world).iter().map(|x| x.y).fold(Real::INFINITY, Real::min);
    println!("{low} m low after ten seconds: {}", world.report());
    assert!(low > 0.0, "{low} m: all are above the floor");
    assert_eq!(world.report().quarantined, [], "and nothing is broken");
}

/// A hinge that was joined or changed while the spin of its body was no number counted turns from there: its
/// angle was no number in all steps that followed, though the body was frozen and put in order.
#[test]
fn regression_turns_outlive_a_spin_that_is_no_number() {
    let mut world = floor();
    let shape = Some(cuboid(1.0, 0.2, 0.2));
    let id = world.add_body(BodyDesc { shape, position: Vec3::Y * 3.0, ..BodyDesc::default() });
    let id = id.expect("a bar");
    let desc = JointDesc::new(JointKind::Revolute, [None, Some(id)]);
    let desc = desc.with_anchors(Vec3::Y * 3.0, Vec3::ZERO);
    let joint = world.add_joint(desc).expect("a hinge");
    let settings = Settings::default();
    // Once around and a little more.
    world.body_mut(id).expect("it is there").angular_velocity = Vec3::X * 8.0;
    (0..60).for_each(|_| _ = world.step(&settings, DT));
    let angle =
        |world: &Simulation| world.joint(joint).expect("a hinge").position(JointAxis::AngularX);
    let before = angle(&world);
    assert!((before - 8.0).abs() < 0.1, "{before} rad");
    world.body_mut(id).expect("it is there").angular_velocity = Vec3::splat(Real::NAN);
    world.set_joint(joint, JointDesc { collide: true, ..desc }).expect("a hinge still");
    for step in 0..3 {
        world.step(&settings, DT);
        let off = (angle(&world) - before).abs();
        assert!(off < 0.2, "step {step}: {} rad, {before} before", angle(&world));
    }
    assert_eq!(world.joints().count(), 1, "it holds");
}

/// A step that is refused does nothing, not even to a velocity that is no number; the next one freezes the
/// body and names it.
#[test]
fn refused_steps_leave_what_is_broken_to_the_next() {
    let mut world = Simulation::new();
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
    world.body_mut(id).expect("a cube").linear_velocity.y = Real::NAN;
    let mut settings = Settings::default();
    settings.solver.cone = Cone::Pyramid(0);
    world.step(&settings, DT);
    assert_eq!(world.report().status, StepStatus::Refused);
    assert!(world.report().quarantined.is_empty());
    world.step(&Settings::default(), DT);
    assert_eq!(world.report().quarantined, [id]);
    assert_eq!(world.body(id).expect("a cube").linear_velocity, Vec3::ZERO);
}

/// Rotations whose squares are too small or too large for the numbers were left longer or shorter than one,
/// or lost. Found by the fuzzer.
#[test]
fn regression_rotations_of_any_length_are_made_of_length_one() {
    let small = Real::MIN_POSITIVE.sqrt();
    let lengths = [1e-4 * small, 0.01 * small, small, 1e3 * small, 1.0, 1.0 / small, 1e4 / small];
    for length in lengths {
        let rotation = Quat::from_xyzw(0.6 * length, 0.0, 0.0, 0.8 * length);
        let shape = Some(cuboid(1.0, 1.0, 1.0));
        let desc = BodyDesc { shape, rotation, ..BodyDesc::default() };
        let mut world = Simulation::new();
        let id = world.add_body(desc).expect("a cube");
        let turned = world.body(id).expect("a cube").rotation();
        let off = (widen(turned.x) - 0.6).abs().max((widen(turned.w) - 0.8).abs());
        assert!(off <= 4.0 * widen(Real::EPSILON), "{length}: {turned}");
    }
}
